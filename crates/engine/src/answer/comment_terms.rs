//! What people said of candidates, as the terms of each comment: the reports of a queue meet the same candidates again and again.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use jiff::Timestamp;
use precedent_core::error::Result;
use precedent_index::fulltext::hashes;
use precedent_store::{Reader, Said};
use precedent_text::prepare::Prepared;

/// The last of the comments of a candidate that are read.
const MAX_COMMENTS: usize = 200;
/// So many terms are kept, eight bytes each.
const KEPT: usize = 1_000_000;

/// A comment with the hashes of its terms.
pub(super) struct Comment {
    /// Row id.
    pub(super) id: i64,
    /// When it was made.
    pub(super) at: Timestamp,
    pub(super) terms: Box<[u64]>,
}

impl Comment {
    fn new(said: &Said) -> Self {
        let terms = hashes(&Prepared::comment(&said.body).text()).into();
        Self { id: said.id, at: said.at, terms }
    }
}

/// The comments on documents that were met lately. They are those of the moment at which a document was met first: it lasts for
/// one question.
#[derive(Default)]
pub struct CommentCache {
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    of: HashMap<i64, Arc<[Comment]>>,
    terms: usize,
}

/// Comments on a document, the last first.
pub(super) enum Comments {
    /// All of them, met before.
    Known(Arc<[Comment]>),
    /// All of them.
    All(i64, Vec<Said>),
    /// The last ones of many.
    Last(Vec<Said>),
}

impl std::fmt::Debug for CommentCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommentCache").finish_non_exhaustive()
    }
}

impl CommentCache {
    /// Reads the comments on a document, or has them already.
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

    /// Their terms.
    pub(super) fn terms(&self, comments: &Comments) -> Arc<[Comment]> {
        match comments {
            Comments::Known(known) => Arc::clone(known),
            Comments::Last(said) => said.iter().map(Comment::new).collect(),
            Comments::All(document, said) => {
                let all: Arc<[Comment]> = said.iter().map(Comment::new).collect();
                let terms = all.iter().map(|comment| comment.terms.len()).sum::<usize>();
                let mut kept = self.kept();
                if kept.terms + terms > KEPT {
                    *kept = Kept::default();
                }
                kept.terms += terms;
                kept.of.insert(*document, Arc::clone(&all));
                all
            }
        }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Those that were made before a time.
pub(super) fn before(comments: &[Comment], time: Timestamp) -> &[Comment] {
    &comments[comments.partition_point(|comment| comment.at.as_second() >= time.as_second())..]
}
