//! Suggestions for a search without matches: labels, authors, versions, closing reasons and words
//! that the casebook has.

use crate::QueryContext;
use precedent_core::{
    error::Result,
    model::{Notice, NoticeKind},
};
use precedent_index::{
    filter::Test,
    fulltext::{Scope, Vocabulary, Words},
};
use precedent_text::{similar, tokens};

use super::query::{Query, version_number};

/// The maximum number of values listed if none is similar.
const MAX_NAMES: usize = 5;
/// The maximum number of completions of a filter value.
const MAX_COMPLETIONS: usize = 8;

impl QueryContext<'_> {
    /// Returns notices that suggest replacements for values and words that the casebook lacks.
    pub(super) fn suggestions(&self, query: &Query) -> Result<Vec<Notice>> {
        let mut texts = Vec::new();
        for filter in query.filters.iter().filter(|filter| !filter.is_negated) {
            let (kind, name, value) = match &filter.test {
                Test::Label(value) => (Vocabulary::Label, "label", value),
                Test::Author(value) => (Vocabulary::Author, "author", value),
                Test::Version(value) => (Vocabulary::Version, "version", value),
                Test::Reason(value) => (Vocabulary::Reason, "reason", value),
                _ => continue,
            };
            if self.fulltext.count_matching(std::slice::from_ref(filter))? == 0 {
                texts.extend(self.suggest_value(kind, name, value)?);
            }
        }
        for (word, suggestion) in self.suggest_words(query)? {
            texts.push(format!("No item contains \"{word}\". Did you mean \"{suggestion}\"?"));
        }
        Ok(texts.into_iter().map(|text| Notice::new(NoticeKind::Operators, text)).collect())
    }

    /// Returns the labels, authors, versions or reasons that contain the input: prefix matches
    /// first, then the others, each by frequency. Other filters have none.
    pub fn completions(&self, filter: &str, input: &str) -> Result<Vec<String>> {
        let kind = match filter {
            "label" => Vocabulary::Label,
            "author" => Vocabulary::Author,
            "version" => Vocabulary::Version,
            "reason" => Vocabulary::Reason,
            _ => return Ok(Vec::new()),
        };
        let input = input.to_lowercase();
        let input = match kind {
            Vocabulary::Version => version_number(&input),
            _ => &input,
        };
        let mut terms =
            self.fulltext.vocabulary(kind, |term| term.to_lowercase().contains(input))?;
        terms.sort_by_key(|(term, _)| !term.to_lowercase().starts_with(input));
        Ok(terms.into_iter().map(|(term, _)| term).take(MAX_COMPLETIONS).collect())
    }

    fn suggest_value(&self, kind: Vocabulary, name: &str, value: &str) -> Result<Option<String>> {
        let terms = self.fulltext.vocabulary(kind, |_| true)?;
        let quote = |value: &str| match value.contains(char::is_whitespace) {
            true => format!("{name}:\"{value}\""),
            false => format!("{name}:{value}"),
        };
        Ok(match similar::closest_name(value, terms.iter().map(|(entry, _)| entry.as_str())) {
            Some(best) => {
                Some(format!("No item has {}. Did you mean {}?", quote(value), quote(best)))
            }
            None if terms.is_empty() => Some(format!("No item has {}.", quote(value))),
            None => {
                let entries: Vec<String> =
                    terms.iter().take(MAX_NAMES).map(|(entry, _)| quote(entry)).collect();
                Some(format!("No item has {}. Most common: {}.", quote(value), entries.join(", ")))
            }
        })
    }

    /// Returns the words that no document contains, each with a similar word from the titles.
    fn suggest_words(&self, query: &Query) -> Result<Vec<(String, String)>> {
        let mut out = Vec::new();
        for typed_word in query.text.split_whitespace().filter(|w| w.chars().count() > 3).take(8) {
            let words = tokens::words(typed_word);
            let [word] = &words[..] else { continue };
            let term_query = Words { terms: vec![word.term.clone()], ..Words::default() };
            if !self.fulltext.search(&term_query, &[], 1)?.is_empty() {
                continue;
            }
            let first = word.term.chars().next();
            let title_terms =
                self.fulltext.vocabulary(Vocabulary::Title, |term| term.chars().next() == first)?;
            let Some(term) = similar::closest_name(
                &word.term,
                title_terms.iter().map(|(term, _)| term.as_str()),
            ) else {
                continue;
            };
            // The index has only stems, so take the whole word from a title.
            let title_query =
                Words { terms: vec![term.to_owned()], scope: Scope::Title, ..Words::default() };
            let Some((id, _)) = self.fulltext.search(&title_query, &[], 1)?.first().copied() else {
                continue;
            };
            let title =
                self.store.read(|r| r.document(id))?.map(|row| row.title).unwrap_or_default();
            let whole_word = title
                .split(|c: char| !c.is_alphanumeric())
                .find(|w| tokens::words(w).first().is_some_and(|w| w.term == term));
            out.push((typed_word.to_owned(), whole_word.unwrap_or(term).to_owned()));
        }
        Ok(out)
    }
}
