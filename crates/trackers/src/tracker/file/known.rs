//! What records do not say themselves, and what nobody knew of them.

use std::sync::{Arc, Mutex, PoisonError};

use super::states::{Said, Unknown, Words};

/// What is known of the file that records come from.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What the state's words mean.
    pub words: Words,
    /// Items have no number and are numbered by their place.
    pub numberless: bool,
    unknown: Arc<Mutex<Unknown>>,
}

impl Known {
    /// Of a file whose state's words mean this.
    pub fn new(words: &Words, numberless: bool) -> Self {
        Self { words: words.clone(), numberless, unknown: Arc::default() }
    }

    /// Whether an item is closed. A word that is not known is counted.
    pub fn closed(&self, said: Said<'_>) -> bool {
        let (closed, guess) = self.words.closed(said);
        if guess {
            let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
            unknown.count(said.word.unwrap_or_default());
        }
        closed
    }

    /// What a person should know of the words that were not known.
    pub fn doubts(&self) -> Vec<String> {
        doubts(&self.unknown.lock().unwrap_or_else(PoisonError::into_inner), "record")
    }
}

/// Says of each word that nothing is known of how often it was met and what it was taken for; `what` is what the file is made of.
pub fn doubts(unknown: &Unknown, what: &str) -> Vec<String> {
    let each = unknown.each().map(|(word, n)| {
        let s = if n == 1 { "" } else { "s" };
        format!(
            "state \"{word}\" ({n} {what}{s}) is unknown and treated as open; use --map state.closed=\"{word}\" to change that"
        )
    });
    each.collect()
}
