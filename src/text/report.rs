//! A report as a query: its distinct terms, field by field.

use std::collections::HashSet;

use super::{prepare::Prepared, tokens};

/// The most words of a field that are read; a 5 MB log has no more to say.
const MAX_READ: usize = 4000;
/// The longest first line of a pasted text that counts as its title, in characters.
const MAX_TITLE: usize = 160;

/// The distinct terms of a report, in the order in which they first occur. Stored documents are indexed with the same
/// [`tokens`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Stems of the title's words, without stop words.
    pub title_terms: Vec<String>,
    /// Stems of the body's words, without stop words.
    pub body_terms: Vec<String>,
    /// Stems of the words of code, logs and stack traces.
    pub code_terms: Vec<String>,
    /// Whole identifiers of all of it.
    pub identifiers: Vec<String>,
    /// Signatures that say something by themselves, as terms of the index.
    pub signatures: Vec<String>,
}

impl Report {
    /// Reads a report.
    pub fn new(title: &str, body: &Prepared) -> Self {
        let (prose, code) = (body.prose(), body.code());
        let mut identifiers = Vec::new();
        let mut seen = HashSet::new();
        for text in [title, &prose, &code] {
            for (_, whole) in tokens::identifiers(text).take(MAX_READ) {
                if seen.insert(whole.clone()) {
                    identifiers.push(whole);
                }
            }
        }
        Self {
            title_terms: terms(title),
            body_terms: terms(&prose),
            code_terms: terms(&code),
            identifiers,
            signatures: body.signatures(title).iter().filter(|s| s.is_telling()).map(|s| s.term()).collect(),
        }
    }
}

/// A pasted text as a report: its first line, where it is short enough to be one, is its title.
pub fn pasted(text: &str) -> (String, Prepared) {
    let text = text.trim();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let none = super::skeleton::Skeleton::default();
    if first.chars().count() <= MAX_TITLE && !first.trim_start().starts_with("```") {
        (first.trim().trim_start_matches('#').trim_start().to_owned(), Prepared::body(rest, &none))
    } else {
        (String::new(), Prepared::body(text, &none))
    }
}

/// The distinct stems of a text. Common words are left out, unless there is nothing else to go by.
pub fn terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut all: Vec<String> = Vec::new();
    for word in tokens::words(text).into_iter().take(MAX_READ) {
        if seen.insert(word.term.clone()) {
            all.push(word.term);
        }
    }
    if all.iter().any(|t| !tokens::is_stop_word(t)) {
        all.retain(|t| !tokens::is_stop_word(t));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{super::skeleton::Skeleton, *};

    #[test]
    fn a_report_is_read_field_by_field() {
        let body =
            Prepared::body("The agent crashes.\n\n```\nFW-1043 open_slot\n```\n", &Skeleton::default());
        let report = Report::new("Crash of the agent", &body);
        assert_eq!(report.title_terms, ["crash", "agent"]);
        assert_eq!(report.body_terms, ["agent", "crash"]);
        assert_eq!(report.code_terms, ["fw", "1043", "open", "slot"]);
        assert!(report.identifiers.contains(&"open_slot".to_owned()), "{:?}", report.identifiers);
        assert_eq!(report.signatures, ["code:fw-1043"]);
    }

    #[test]
    fn common_words_stay_where_there_is_nothing_else() {
        assert_eq!(terms("it is not"), ["it", "is", "not"]);
    }
}
