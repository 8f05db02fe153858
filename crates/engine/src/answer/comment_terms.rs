//! The terms of candidates' comments, cached because the reports of a queue share candidates.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use jiff::Timestamp;
use precedent_core::error::Result;
use precedent_index::fulltext::term_hashes;
use precedent_store::{CommentText, Reader};
use precedent_text::prepare::PreparedText;

/// The maximum number of comments read per candidate, latest first.
const MAX_COMMENTS: usize = 200;
/// The maximum number of cached terms, eight bytes each.
const MAX_CACHED_TERMS: usize = 1_000_000;

/// A comment with the hashes of its terms.
pub(super) struct Comment {
    pub(super) id: i64,
    pub(super) at: Timestamp,
    pub(super) terms: Box<[u64]>,
}

impl Comment {
    fn new(comment: &CommentText) -> Self {
        let terms = term_hashes(&PreparedText::comment(&comment.body).text()).into();
        Self { id: comment.id, at: comment.created_at, terms }
    }
}

/// A cache of the comments on documents, for one operation, which may make many queries.
#[derive(Default)]
pub struct CommentCache {
    cache: Mutex<CachedComments>,
}

#[derive(Default)]
struct CachedComments {
    by_document: HashMap<i64, Arc<[Comment]>>,
    term_count: usize,
}

/// The comments on a document, latest first.
pub(super) enum Comments {
    /// All comments, from the cache.
    Cached(Arc<[Comment]>),
    /// All comments, not yet cached.
    All(i64, Vec<CommentText>),
    /// The latest of many comments.
    Latest(Vec<CommentText>),
}

impl CommentCache {
    /// Returns the comments on a document, from the cache or the database. If there are too many to
    /// cache, returns the latest ones before `time`.
    pub(super) fn load(&self, r: &Reader<'_>, document: i64, time: Timestamp) -> Result<Comments> {
        if let Some(comments) = self.lock().by_document.get(&document) {
            return Ok(Comments::Cached(Arc::clone(comments)));
        }
        let texts = r.comments_before(document, Timestamp::MAX, MAX_COMMENTS + 1)?;
        Ok(if texts.len() <= MAX_COMMENTS {
            Comments::All(document, texts)
        } else {
            Comments::Latest(r.comments_before(document, time, MAX_COMMENTS)?)
        })
    }

    /// Returns comments with their terms, and caches complete lists.
    pub(super) fn terms(&self, comments: &Comments) -> Arc<[Comment]> {
        match comments {
            Comments::Cached(list) => Arc::clone(list),
            Comments::Latest(texts) => texts.iter().map(Comment::new).collect(),
            Comments::All(document, texts) => {
                let list: Arc<[Comment]> = texts.iter().map(Comment::new).collect();
                let term_count = list.iter().map(|comment| comment.terms.len()).sum::<usize>();
                let mut cache = self.lock();
                if cache.term_count + term_count > MAX_CACHED_TERMS {
                    *cache = CachedComments::default();
                }
                cache.term_count += term_count;
                cache.by_document.insert(*document, Arc::clone(&list));
                list
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, CachedComments> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the comments made before a time.
pub(super) fn comments_before(comments: &[Comment], time: Timestamp) -> &[Comment] {
    &comments[comments.partition_point(|comment| comment.at.as_second() >= time.as_second())..]
}
