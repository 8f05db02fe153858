//! Text of records that no parser used, by field.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::{parsed_item::ParsedItem, prose::is_prose, states::StateWords};
use crate::tracker::dates;
use precedent_core::{Hint, model::Record};
use precedent_markup::{html_to_markdown, storage_format};
use precedent_text::html;

const MAX_PATHS: usize = 300;
const MAX_DEPTH: usize = 12;
/// The number of words at the start of a string that are compared.
const MAX_WORDS: usize = 200;

/// The unused text of a file.
#[derive(Clone, Debug, Default)]
pub struct UnusedText {
    /// Number of characters by field, and whether they are prose.
    fields: BTreeMap<String, (u64, bool)>,
    /// Number of characters in the items' bodies.
    body_length: u64,
}

impl UnusedText {
    /// Counts text in a record that is missing from its parsed items.
    pub fn add_record(&mut self, record: &Value, items: &[ParsedItem]) {
        let mut known_words = HashSet::new();
        for item in items {
            match item {
                ParsedItem::Record(Record::Document(item)) => {
                    self.body_length += item.body.chars().count() as u64;
                    let texts = [&item.title, &item.body].into_iter().chain(&item.labels);
                    let fields = [&item.url, &item.author.login, &item.state_reason];
                    let fields = fields.into_iter().chain([&item.milestone, &item.remote_id]);
                    known_words.extend(texts.chain(fields.flatten()).flat_map(|t| words(t)));
                }
                ParsedItem::Record(Record::Comment(comment)) => {
                    let texts = [&comment.body, &comment.remote_id].into_iter();
                    let fields = [&comment.author.login, &comment.url].into_iter().flatten();
                    known_words.extend(texts.chain(fields).flat_map(|t| words(t)));
                }
                ParsedItem::Link(..) | ParsedItem::Release(..) => {}
            }
        }
        self.count_value(record, &mut String::new(), &known_words, 0);
    }

    fn count_value(
        &mut self,
        value: &Value,
        path: &mut String,
        known_words: &HashSet<String>,
        depth: usize,
    ) {
        let length = path.len();
        match value {
            Value::Object(fields) if depth < MAX_DEPTH => {
                for (name, inner) in fields {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(name);
                    self.count_value(inner, path, known_words, depth + 1);
                    path.truncate(length);
                }
            }
            Value::Array(items) if depth < MAX_DEPTH => {
                items.iter().for_each(|v| self.count_value(v, path, known_words, depth + 1))
            }
            Value::String(text) => {
                let Some(size) = unused_length(text, known_words) else { return };
                if self.fields.len() < MAX_PATHS || self.fields.contains_key(path) {
                    let entry = self.fields.entry(path.clone()).or_default();
                    *entry = (entry.0 + size, entry.1 || is_prose(text));
                }
            }
            _ => {}
        }
    }

    /// Returns the fields with their sizes, prose first; only prose without `include_all`.
    pub fn fields(&self, include_all: bool) -> Vec<(String, u64)> {
        let mut fields: Vec<_> =
            self.fields.iter().filter(|(_, (_, prose))| include_all || *prose).collect();
        fields.sort_by_key(|(_, (size, prose))| (!prose, std::cmp::Reverse(*size)));
        fields.into_iter().map(|(path, (size, _))| (path.clone(), *size)).collect()
    }

    /// Returns a notice if a field holds more text than all items.
    pub fn notice(&self) -> Option<Hint> {
        let (path, (size, _)) =
            self.fields.iter().filter(|(_, (_, prose))| *prose).max_by_key(|(_, entry)| entry.0)?;
        (*size > self.body_length).then(|| {
            Hint::from(format!(
                "\"{path}\" holds more text ({size} characters) than all descriptions ({}) and is not imported; \
                 check whether the file is read correctly",
                self.body_length
            ))
            .with_command(None, "--dry-run")
        })
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}

/// Returns the number of characters of a string whose words are mostly unknown; `None` for other
/// strings, ids, addresses and times.
fn unused_length(text: &str, known_words: &HashSet<String>) -> Option<u64> {
    let text = text.trim();
    // Parsers replace a state word with its meaning.
    if StateWords::default().word_state(text).is_some() {
        return None;
    }
    let is_id = !text.contains(char::is_whitespace)
        && (text.contains("://") || text.bytes().any(|b| b.is_ascii_digit()) || text.contains('@'));
    if is_id
        || !text.contains(char::is_alphabetic)
        || dates::parse(text, dates::Order::default()).is_some()
    {
        return None;
    }
    let plain = match () {
        () if text.contains("<ac:") => storage_format::to_markdown(text),
        () if html_to_markdown::is_html(text) => html::to_text(text),
        () => text.to_owned(),
    };
    let (mut total, mut missing_count) = (0, 0);
    for word in words(&plain).take(MAX_WORDS) {
        total += 1;
        missing_count += usize::from(!known_words.contains(&word));
    }
    (missing_count * 3 > total).then(|| text.chars().count() as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unused_text_is_counted_by_path() {
        let record = json!({"title": "Pump stops", "priority": "High", "id": "5f3a",
            "survey": [{"remark": "It was quiet for a whole day before that."}]});
        let mut unused_text = UnusedText::default();
        unused_text.add_record(&record, &[]);
        let fields = unused_text.fields(false);
        assert_eq!(fields, [("survey.remark".to_owned(), 41)]);
        assert!(unused_text.fields(true).iter().any(|(path, _)| path == "priority"));
        assert!(unused_text.notice().is_some_and(|notice| notice.text.contains("survey.remark")));
    }
}
