//! The context of a query.

use precedent_core::error::{Error, Result};
use precedent_index::{fulltext::FullText, vectors::Vectors};
use precedent_store::Store;

/// The stores, indexes and model that every query uses.
#[derive(Clone, Copy)]
pub struct QueryContext<'a> {
    /// The database.
    pub store: &'a Store,
    /// The full-text index.
    pub fulltext: &'a FullText,
    /// The vectors, if there is a usable model.
    pub vectors: Option<&'a Vectors>,
    /// The vectors of comments: the same store, unless an evaluation hides comments from its
    /// searches.
    pub comment_vectors: Option<&'a Vectors>,
    /// The function that embeds a text; called only if a query needs a vector that is not stored.
    pub embed: &'a (dyn Fn(&str) -> Result<Vec<f32>> + Sync),
    /// The minimum meaningful cosine.
    pub floor: f32,
    /// The reason why there are no vectors, if there are none.
    pub problem: Option<&'a Error>,
}

impl std::fmt::Debug for QueryContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}
