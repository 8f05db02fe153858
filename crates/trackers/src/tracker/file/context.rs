//! Settings for the records of a file, and findings about them.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use precedent_core::Hint;
use serde_json::Value;

use super::{
    mapping::Mapping,
    parsed_item::ParsedItem,
    states::{StateFields, StateWords, UnknownWords},
    unused::UnusedText,
};

/// The settings for a file's records, and findings about them.
#[derive(Clone, Debug, Default)]
pub struct FileContext {
    /// The user's settings, and the people of the import.
    pub mapping: Mapping,
    findings: Arc<Mutex<Findings>>,
    /// `true` if the first record has a number; numbering by position could repeat it.
    pub has_item_numbers: bool,
}

/// Notices, and words and fields that were not recognized.
#[derive(Debug, Default)]
struct Findings {
    unknown_states: UnknownWords,
    notices: BTreeSet<&'static str>,
    unused_text: UnusedText,
}

impl FileContext {
    pub fn new(mapping: &Mapping) -> Self {
        Self { mapping: mapping.clone(), ..Self::default() }
    }

    fn findings(&self) -> MutexGuard<'_, Findings> {
        self.findings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether an item is closed according to `words`; counts unknown state words.
    pub fn is_closed(&self, words: &StateWords, fields: StateFields<'_>) -> bool {
        let (is_closed, is_guess) = words.resolve(fields);
        if is_guess {
            self.findings().unknown_states.count(fields.word.unwrap_or_default());
        }
        is_closed
    }

    pub fn add_notice(&self, notice: &'static str) {
        self.findings().notices.insert(notice);
    }

    /// Counts text in a record that is missing from its parsed items.
    pub fn count_unused(&self, record: &Value, items: &[ParsedItem]) {
        self.findings().unused_text.add_record(record, items);
    }

    /// Returns the unused fields with their sizes; without `include_all`, only those with prose.
    pub fn unused_fields(&self, include_all: bool) -> Vec<(String, u64)> {
        self.findings().unused_text.fields(include_all)
    }

    pub fn notices(&self) -> Vec<Hint> {
        let findings = self.findings();
        let mut notices = unknown_state_notices(&findings.unknown_states, "record");
        notices.extend(findings.notices.iter().map(|words| Hint::from(*words)));
        notices.extend(findings.unused_text.notice());
        if !self.mapping.columns.is_empty() || self.mapping.order.is_some() {
            notices.push("--map sets columns and the order of dates only in tables".into());
        }
        notices
    }
}

/// Returns a notice for each unknown state word; `unit` names the parts of the file.
pub fn unknown_state_notices(unknown: &UnknownWords, unit: &str) -> Vec<Hint> {
    let notices = unknown.iter().map(|(word, n)| {
        let s = if n == 1 { "" } else { "s" };
        Hint::from(format!("state \"{word}\" ({n} {unit}{s}) is unknown and treated as open"))
            .with_command(None, format!("--map state.closed=\"{word}\""))
    });
    notices.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_without_effect_is_reported() {
        for (field, setting, count) in
            [("title", "Headline", 1), ("dates", "dmy", 1), ("state.closed", "Gone", 0)]
        {
            let mapping = Mapping::parse(&[(field.to_owned(), setting.to_owned())]).unwrap();
            assert_eq!(FileContext::new(&mapping).notices().len(), count, "{field}");
        }
    }
}
