//! Suggestions for a search without matches: labels, authors and words that the casebook has.

use crate::QueryContext;
use precedent_core::{
    error::Result,
    model::{Lack, Notice},
};
use precedent_index::{
    filter::{Filter, Test},
    fulltext::{Scope, Vocabulary, Words},
};
use precedent_text::{similar, tokens};

use super::query::Query;

/// The number of names that are listed if none is similar.
const LISTED: usize = 5;

impl QueryContext<'_> {
    /// Returns what the casebook has instead of the names and words of a query that it lacks.
    ///
    /// # Errors
    /// Database or index errors.
    pub(super) fn suggestions(&self, query: &Query) -> Result<Vec<Notice>> {
        let mut texts = Vec::new();
        for filter in &query.filters {
            let (kind, name, value) = match &filter.test {
                Test::Label(value) => (Vocabulary::Label, "label", value),
                Test::Author(value) => (Vocabulary::Author, "author", value),
                Test::Reason(value) => (Vocabulary::Reason, "reason", value),
                _ => continue,
            };
            let alone = Filter { test: filter.test.clone(), negated: false };
            if self.fulltext.matching(&[alone])? == 0 {
                texts.extend(self.names(kind, name, value)?);
            }
        }
        for (written, better) in self.words_like(query)? {
            texts.push(format!("No item contains \"{written}\". Did you mean \"{better}\"?"));
        }
        Ok(texts.into_iter().map(|text| Notice { lack: Lack::Operators, text }).collect())
    }

    fn names(&self, kind: Vocabulary, name: &str, value: &str) -> Result<Option<String>> {
        let known = self.fulltext.vocabulary(kind, |_| true)?;
        let quoted = |value: &str| match value.contains(char::is_whitespace) {
            true => format!("{name}:\"{value}\""),
            false => format!("{name}:{value}"),
        };
        Ok(match similar::meant(value, known.iter().map(|(known, _)| known.as_str())) {
            Some(meant) => Some(format!("No item has {}. Did you mean {}?", quoted(value), quoted(meant))),
            None if known.is_empty() => Some(format!("No item has {}.", quoted(value))),
            None => {
                let most: Vec<String> = known.iter().take(LISTED).map(|(known, _)| quoted(known)).collect();
                Some(format!("No item has {}. The most frequent: {}.", quoted(value), most.join(", ")))
            }
        })
    }

    /// Returns the words that no document contains, each with a similar one of the titles.
    fn words_like(&self, query: &Query) -> Result<Vec<(String, String)>> {
        let mut out = Vec::new();
        for written in query.text.split_whitespace().filter(|w| w.chars().count() > 3).take(8) {
            let found = tokens::words(written);
            let [word] = &found[..] else { continue };
            let has = Words { terms: vec![word.term.clone()], ..Words::default() };
            if !self.fulltext.search(&has, &[], 1)?.is_empty() {
                continue;
            }
            let first = word.term.chars().next();
            let near = self.fulltext.vocabulary(Vocabulary::Title, |term| term.chars().next() == first)?;
            let Some(term) = similar::meant(&word.term, near.iter().map(|(term, _)| term.as_str())) else {
                continue;
            };
            // The index has stems; a title has the whole word.
            let found = Words { terms: vec![term.to_owned()], scope: Scope::Title, ..Words::default() };
            let Some((id, _)) = self.fulltext.search(&found, &[], 1)?.first().copied() else { continue };
            let title = self.store.read(|r| r.document(id))?.map(|row| row.title).unwrap_or_default();
            let whole = title
                .split(|c: char| !c.is_alphanumeric())
                .find(|w| tokens::words(w).first().is_some_and(|w| w.term == term));
            out.push((written.to_owned(), whole.unwrap_or(term).to_owned()));
        }
        Ok(out)
    }
}
