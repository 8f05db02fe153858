//! Defaults for records of a file, and the words in it that were not recognized.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde_json::Value;

use super::{
    mapping::Mapping,
    piece::ParsedItem,
    states::{StateFields, Unknown, Words},
    unread::Unread,
};

/// The number of GitHub records that are checked for unused text.
const SAMPLES: u64 = 200;

/// The properties of the file that records come from.
#[derive(Clone, Debug, Default)]
pub struct FileContext {
    /// Meanings of the state words.
    pub words: Words,
    mapping: Mapping,
    findings: Arc<Mutex<Findings>>,
    /// True if the first record has a number of its own, which a position could repeat.
    pub has_item_numbers: bool,
}

/// The words and fields of a file that were not recognized.
#[derive(Debug, Default)]
struct Findings {
    unknown: Unknown,
    notes: BTreeSet<&'static str>,
    unread: Unread,
    samples: u64,
}

impl FileContext {
    /// Creates the properties of a file with these settings.
    pub fn new(mapping: &Mapping) -> Self {
        Self { words: mapping.words.clone(), mapping: mapping.clone(), ..Self::default() }
    }

    fn findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether an item is closed; counts unknown state words.
    pub fn is_closed(&self, fields: StateFields<'_>) -> bool {
        self.closed_in(&self.words, fields)
    }

    /// Returns whether an item is closed by these words of its tracker; counts unknown ones.
    pub fn closed_in(&self, words: &Words, fields: StateFields<'_>) -> bool {
        let (is_closed, guess) = words.resolve(fields);
        if guess {
            self.findings().unknown.count(fields.word.unwrap_or_default());
        }
        is_closed
    }

    /// Returns the name of a person, or else the id.
    pub fn person(&self, id: &str) -> String {
        self.mapping.person(id)
    }

    /// Adds a notice about how records are read.
    pub fn note(&self, words: &'static str) {
        self.findings().notes.insert(words);
    }

    /// Returns whether the next record of a known format is checked for unused text; only the first
    /// ones are, because the check costs more than the parsing.
    pub fn samples(&self) -> bool {
        let mut findings = self.findings();
        findings.samples += 1;
        findings.samples <= SAMPLES
    }

    /// Counts the text of a record that its contents lack.
    pub fn unread(&self, record: &Value, pieces: &[ParsedItem]) {
        self.findings().unread.count(record, pieces);
    }

    /// Returns the unused fields with their sizes; without `include_all`, only those with prose.
    pub fn unused_fields(&self, include_all: bool) -> Vec<(String, u64)> {
        self.findings().unread.fields(include_all)
    }

    /// Returns the notices, and those about unknown state words.
    pub fn notices(&self) -> Vec<String> {
        let findings = self.findings();
        let mut notices = unknown_state_notices(&findings.unknown, "record");
        notices.extend(findings.notes.iter().map(|words| (*words).to_owned()));
        notices.extend(findings.unread.doubt());
        notices
    }
}

/// Returns a notice for each unknown word with its count and assumed meaning; `unit` names the
/// parts of the file.
pub fn unknown_state_notices(unknown: &Unknown, unit: &str) -> Vec<String> {
    let notices = unknown.iter().map(|(word, n)| {
        let s = if n == 1 { "" } else { "s" };
        format!(
            "state \"{word}\" ({n} {unit}{s}) is unknown and treated as open; use --map state.closed=\"{word}\" to change that"
        )
    });
    notices.collect()
}
