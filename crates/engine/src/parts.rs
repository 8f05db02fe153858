//! The context of a query.

use std::sync::Arc;

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
    /// The index for other languages than English.
    pub languages: &'a dyn LanguageIndex,
}

/// The index for questions and documents in other languages than English: vectors of titles and
/// first passages, by a model of its own. Its cosines are compared only with one another.
pub trait LanguageIndex: Sync {
    /// Returns the vectors, if they were ever needed. `is_needed` makes the next update of the
    /// indexes build them.
    ///
    /// # Errors
    /// [`precedent_core::Code::ModelUnavailable`] if the model is not installed; database errors.
    fn vectors(&self, is_needed: bool) -> Result<Option<Arc<Vectors>>>;

    /// Returns the vector of a text.
    ///
    /// # Errors
    /// [`precedent_core::Code::ModelUnavailable`] if the model fails.
    fn embed(&self, text: &str) -> Result<Vec<f32>>;
}

/// An index for other languages that is never built.
#[derive(Clone, Copy, Debug)]
pub struct NoLanguages;

impl LanguageIndex for NoLanguages {
    fn vectors(&self, _is_needed: bool) -> Result<Option<Arc<Vectors>>> {
        Ok(None)
    }

    fn embed(&self, _text: &str) -> Result<Vec<f32>> {
        Ok(Vec::new())
    }
}

impl std::fmt::Debug for QueryContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}
