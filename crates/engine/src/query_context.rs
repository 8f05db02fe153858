//! The data and the models that queries use.

use std::sync::Arc;

use precedent_core::error::{Error, Result};
use precedent_index::{fulltext::FullText, vectors::Vectors};
use precedent_store::Store;

/// The store, indexes and models that queries use.
#[derive(Clone, Copy)]
pub struct QueryContext<'a> {
    /// The database.
    pub store: &'a Store,
    /// The full-text index.
    pub fulltext: &'a FullText,
    /// The vectors, if there is a usable model.
    pub vectors: Option<&'a Vectors>,
    /// The vectors of comments: the same as `vectors`, unless an evaluation hides comments.
    pub comment_vectors: Option<&'a Vectors>,
    /// The function that embeds a text, for vectors that are not stored.
    pub embed: &'a (dyn Fn(&str) -> Result<Vec<f32>> + Sync),
    /// The minimum significant cosine.
    pub min_cosine: f32,
    /// The reason why there are no vectors, if there are none.
    pub vectors_error: Option<&'a Error>,
    /// The index for languages other than English.
    pub non_english_index: &'a dyn NonEnglishIndex,
}

/// An index for questions and documents in languages other than English: vectors of titles and
/// first passages from a separate model. Its cosines are comparable only with each other.
pub trait NonEnglishIndex: Sync {
    /// Returns the vectors, if they exist. If `is_needed`, the next index update builds them.
    /// Without the model, this is [`precedent_core::Code::ModelUnavailable`].
    fn vectors(&self, is_needed: bool) -> Result<Option<Arc<Vectors>>>;

    /// Returns the unit vector of `text`.
    fn embed(&self, text: &str) -> Result<Vec<f32>>;
}
