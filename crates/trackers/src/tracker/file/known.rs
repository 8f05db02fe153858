//! What records do not say themselves.

use super::states::Words;

/// What is known of the file that records come from.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What the state's words mean.
    pub words: Words,
    /// Items have no number and are numbered by their place.
    pub numberless: bool,
}
