//! Defaults for records of a file, and the words in it that were not recognized.

use std::sync::{Arc, Mutex, PoisonError};

use super::states::{Said, Unknown, Words};

/// The properties of the file that records come from.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Meanings of the state words.
    pub words: Words,
    /// `true` if items have no number and are numbered by position.
    pub numberless: bool,
    unknown: Arc<Mutex<Unknown>>,
}

impl Known {
    /// Creates the properties of a file with these state words.
    pub fn new(words: &Words, numberless: bool) -> Self {
        Self { words: words.clone(), numberless, unknown: Arc::default() }
    }

    /// Returns whether an item is closed; counts unknown state words.
    pub fn closed(&self, said: Said<'_>) -> bool {
        let (closed, guess) = self.words.closed(said);
        if guess {
            let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
            unknown.count(said.word.unwrap_or_default());
        }
        closed
    }

    /// Returns notices about the unknown state words.
    pub fn doubts(&self) -> Vec<String> {
        doubts(&self.unknown.lock().unwrap_or_else(PoisonError::into_inner), "record")
    }
}

/// Returns a notice for each unknown word with its count and assumed meaning; `what` names the
/// parts of the file.
pub fn doubts(unknown: &Unknown, what: &str) -> Vec<String> {
    let each = unknown.each().map(|(word, n)| {
        let s = if n == 1 { "" } else { "s" };
        format!(
            "state \"{word}\" ({n} {what}{s}) is unknown and treated as open; use --map state.closed=\"{word}\" to change that"
        )
    });
    each.collect()
}
