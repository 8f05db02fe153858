//! The terms of candidates' comments, cached because the reports of a queue have the same
//! candidates again and again.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use jiff::Timestamp;
use precedent_core::error::Result;
use precedent_index::fulltext::hashes;
use precedent_store::{CommentText, Reader};
use precedent_text::prepare::Prepared;

/// The maximum number of a candidate's comments that are read, latest first.
const MAX_COMMENTS: usize = 200;
/// The maximum number of cached terms, eight bytes each.
const KEPT: usize = 1_000_000;

/// A comment with the hashes of its terms.
pub(super) struct Comment {
    /// The row id.
    pub(super) id: i64,
    /// The creation time.
    pub(super) at: Timestamp,
    pub(super) terms: Box<[u64]>,
}

impl Comment {
    fn new(said: &CommentText) -> Self {
        let terms = hashes(&Prepared::comment(&said.body).text()).into();
        Self { id: said.id, at: said.at, terms }
    }
}

/// A cache of comments on documents, as of the time when a document was first read; it lives for
/// one query.
#[derive(Default)]
pub struct CommentCache {
    kept: Mutex<CachedComments>,
}

#[derive(Default)]
struct CachedComments {
    of: HashMap<i64, Arc<[Comment]>>,
    terms: usize,
}

/// The comments on a document, latest first.
pub(super) enum Comments {
    /// All comments, from the cache.
    Known(Arc<[Comment]>),
    /// All comments, not yet cached.
    All(i64, Vec<CommentText>),
    /// The latest of many comments.
    Last(Vec<CommentText>),
}

impl std::fmt::Debug for CommentCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommentCache").finish_non_exhaustive()
    }
}

impl CommentCache {
    /// Returns the comments on a document, from the cache or the database.
    pub(super) fn read(&self, r: &Reader<'_>, document: i64, before: Timestamp) -> Result<Comments> {
        if let Some(known) = self.kept().of.get(&document) {
            return Ok(Comments::Known(Arc::clone(known)));
        }
        let all = r.said_before(document, Timestamp::MAX, MAX_COMMENTS + 1)?;
        Ok(if all.len() <= MAX_COMMENTS {
            Comments::All(document, all)
        } else {
            Comments::Last(r.said_before(document, before, MAX_COMMENTS)?)
        })
    }

    /// Returns the terms of comments, and caches those of complete lists.
    pub(super) fn terms(&self, comments: &Comments) -> Arc<[Comment]> {
        match comments {
            Comments::Known(known) => Arc::clone(known),
            Comments::Last(said) => said.iter().map(Comment::new).collect(),
            Comments::All(document, said) => {
                let all: Arc<[Comment]> = said.iter().map(Comment::new).collect();
                let terms = all.iter().map(|comment| comment.terms.len()).sum::<usize>();
                let mut kept = self.kept();
                if kept.terms + terms > KEPT {
                    *kept = CachedComments::default();
                }
                kept.terms += terms;
                kept.of.insert(*document, Arc::clone(&all));
                all
            }
        }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, CachedComments> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the comments made before a time.
pub(super) fn before(comments: &[Comment], time: Timestamp) -> &[Comment] {
    &comments[comments.partition_point(|comment| comment.at.as_second() >= time.as_second())..]
}
