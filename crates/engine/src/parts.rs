//! What every question works on.

use precedent_core::error::{Error, Result};
use precedent_index::{fulltext::FullText, vectors::Vectors};
use precedent_store::Store;

/// What every question works on.
#[derive(Clone, Copy)]
pub struct Parts<'a> {
    /// The truth.
    pub store: &'a Store,
    /// The full-text index.
    pub fulltext: &'a FullText,
    /// The vectors, if there is a model that works.
    pub vectors: Option<&'a Vectors>,
    /// The vectors of comments: the same, unless an evaluation keeps them from its searches.
    pub said: Option<&'a Vectors>,
    /// Embeds a text; called only where meaning is asked for and no vector is stored.
    pub embed: &'a (dyn Fn(&str) -> Result<Vec<f32>> + Sync),
    /// A cosine below this says nothing.
    pub floor: f32,
    /// Why there are no vectors, if there are none.
    pub problem: Option<&'a Error>,
}

impl std::fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}
