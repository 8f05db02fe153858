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
    /// The function that returns the vectors for other languages, if they exist; with `true`, the
    /// next index update builds them. They are of titles and first passages, by a separate model,
    /// so their cosines are comparable only with each other.
    pub non_english_vectors: &'a (dyn Fn(bool) -> Result<Option<Arc<Vectors>>> + Sync),
    /// The function that embeds a text by the model for other languages.
    pub embed_non_english: &'a (dyn Fn(&str) -> Result<Vec<f32>> + Sync),
}
