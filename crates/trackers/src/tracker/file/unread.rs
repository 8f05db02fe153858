//! The text of records that no parser used, by field.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::{piece::ParsedItem, prose::is_prose, states::Words};
use crate::tracker::dates;
use precedent_core::model::Record;
use precedent_markup::{hypertext, storage_format};
use precedent_text::html;

/// The maximum number of fields that are counted.
const MAX_PATHS: usize = 300;
/// The maximum nesting depth of fields.
const MAX_DEPTH: usize = 12;
/// The number of words at the start of a text that are compared.
const MAX_WORDS: usize = 200;

/// The unused text of a file.
#[derive(Clone, Debug, Default)]
pub struct Unread {
    /// Characters by field, and whether they are prose.
    paths: BTreeMap<String, (u64, bool)>,
    /// Characters of the items' texts.
    bodies: u64,
}

impl Unread {
    /// Counts the text of a record that its contents lack.
    pub fn count(&mut self, record: &Value, pieces: &[ParsedItem]) {
        let mut vocab = HashSet::new();
        for piece in pieces {
            match piece {
                ParsedItem::Record(Record::Document(item)) => {
                    self.bodies += item.body.chars().count() as u64;
                    let texts = [
                        Some(&item.title),
                        Some(&item.body),
                        item.url.as_ref(),
                        item.author.login.as_ref(),
                    ];
                    let more = [
                        item.state_reason.as_ref(),
                        item.milestone.as_ref(),
                        item.remote_id.as_ref(),
                    ];
                    texts
                        .into_iter()
                        .chain(more)
                        .flatten()
                        .chain(&item.labels)
                        .for_each(|t| add(t, &mut vocab));
                }
                ParsedItem::Record(Record::Comment(comment)) => {
                    let texts =
                        [Some(&comment.body), comment.author.login.as_ref(), comment.url.as_ref()];
                    texts
                        .into_iter()
                        .flatten()
                        .chain([&comment.remote_id])
                        .for_each(|t| add(t, &mut vocab));
                }
                ParsedItem::Link(..) | ParsedItem::Release(..) => {}
            }
        }
        self.walk(record, &mut String::new(), &vocab, 0);
    }

    fn walk(&mut self, value: &Value, path: &mut String, vocab: &HashSet<String>, depth: usize) {
        let length = path.len();
        match value {
            Value::Object(fields) if depth < MAX_DEPTH => {
                for (name, inner) in fields {
                    path.push_str(if path.is_empty() { "" } else { "." });
                    path.push_str(name);
                    self.walk(inner, path, vocab, depth + 1);
                    path.truncate(length);
                }
            }
            Value::Array(items) if depth < MAX_DEPTH => {
                items.iter().for_each(|v| self.walk(v, path, vocab, depth + 1))
            }
            Value::String(text) => {
                let Some(size) = unused_size(text, vocab) else { return };
                if self.paths.len() < MAX_PATHS || self.paths.contains_key(path) {
                    let entry = self.paths.entry(path.clone()).or_default();
                    *entry = (entry.0 + size, entry.1 || is_prose(text));
                }
            }
            _ => {}
        }
    }

    /// Returns the fields with their sizes, prose first; only prose without `include_all`.
    pub fn fields(&self, include_all: bool) -> Vec<(String, u64)> {
        let mut fields: Vec<_> =
            self.paths.iter().filter(|(_, (_, prose))| include_all || *prose).collect();
        fields.sort_by_key(|(_, (size, prose))| (!prose, std::cmp::Reverse(*size)));
        fields.into_iter().map(|(path, (size, _))| (path.clone(), *size)).collect()
    }

    /// Returns a notice if a field holds more text than all items.
    pub fn doubt(&self) -> Option<String> {
        let (path, (size, _)) =
            self.paths.iter().filter(|(_, (_, prose))| *prose).max_by_key(|(_, entry)| entry.0)?;
        (*size > self.bodies).then(|| {
            format!(
                "\"{path}\" holds more text ({size} characters) than all descriptions ({}) and is not imported; \
                 check with --dry-run whether the file is read correctly",
                self.bodies
            )
        })
    }
}

/// Adds the words of a text.
fn add(text: &str, words: &mut HashSet<String>) {
    words.extend(self::words(text));
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_lowercase)
}

/// Returns the characters of a text whose words are mostly missing; ids, addresses and times are no
/// text.
fn unused_size(text: &str, vocab: &HashSet<String>) -> Option<u64> {
    let text = text.trim();
    let plain = match () {
        () if text.contains("<ac:") => storage_format::to_markdown(text),
        () if hypertext::is_html(text) => html::to_text(text),
        () => text.to_owned(),
    };
    // A word of a state is read as its meaning.
    if Words::default().word_state(text).is_some() {
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
    let (mut total, mut missing_count) = (0, 0);
    for word in words(&plain).take(MAX_WORDS) {
        total += 1;
        missing_count += usize::from(!vocab.contains(&word));
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
        let mut unread = Unread::default();
        unread.count(&record, &[]);
        let fields = unread.fields(false);
        assert_eq!(fields, [("survey.remark".to_owned(), 41)]);
        assert!(unread.fields(true).iter().any(|(path, _)| path == "priority"));
        assert!(unread.doubt().is_some_and(|doubt| doubt.contains("survey.remark")));
    }
}
