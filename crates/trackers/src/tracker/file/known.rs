//! Defaults for records of a file, and the words in it that were not recognized.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use serde_json::Value;

use super::{
    mapping::Mapping,
    piece::Piece,
    states::{Said, Unknown, Words},
    unread::Unread,
};

/// The number of GitHub records that are checked for unused text.
const SAMPLES: u64 = 200;

/// The properties of the file that records come from.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Meanings of the state words.
    pub words: Words,
    mapping: Mapping,
    unknown: Arc<Mutex<Unknown>>,
    notes: Arc<Mutex<BTreeSet<&'static str>>>,
    unread: Arc<Mutex<Unread>>,
    samples: Arc<AtomicU64>,
    /// True if the first record has a number of its own, which a position could repeat.
    pub numbered: bool,
}

impl Known {
    /// Creates the properties of a file with these settings.
    pub fn new(mapping: &Mapping) -> Self {
        Self { words: mapping.words.clone(), mapping: mapping.clone(), ..Self::default() }
    }

    /// Returns whether an item is closed; counts unknown state words.
    pub fn closed(&self, said: Said<'_>) -> bool {
        self.closed_in(&self.words, said)
    }

    /// Returns whether an item is closed by these words of its tracker; counts unknown ones.
    pub fn closed_in(&self, words: &Words, said: Said<'_>) -> bool {
        let (closed, guess) = words.closed(said);
        if guess {
            let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
            unknown.count(said.word.unwrap_or_default());
        }
        closed
    }

    /// Returns the name of a person, or else the id.
    pub fn person(&self, id: &str) -> String {
        self.mapping.person(id)
    }

    /// Adds a notice about how records are read.
    pub fn note(&self, words: &'static str) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(words);
    }

    /// Returns whether the next record of a known format is checked for unused text; only the first
    /// ones are, because the check costs more than the parsing.
    pub fn samples(&self) -> bool {
        self.samples.fetch_add(1, Ordering::Relaxed) < SAMPLES
    }

    /// Counts the text of a record that its contents lack.
    pub fn unread(&self, record: &Value, found: &[Piece]) {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).count(record, found);
    }

    /// Returns the unused fields with their characters; without `all`, only those with prose.
    pub fn unused(&self, all: bool) -> Vec<(String, u64)> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).fields(all)
    }

    /// Returns the notices, and those about unknown state words.
    pub fn doubts(&self) -> Vec<String> {
        let mut all = doubts(&self.unknown.lock().unwrap_or_else(PoisonError::into_inner), "record");
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        all.extend(notes.iter().map(|words| (*words).to_owned()));
        all.extend(self.unread.lock().unwrap_or_else(PoisonError::into_inner).doubt());
        all
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
