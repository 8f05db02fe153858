//! Recognizes prose.

use precedent_text::tokens::normalize_phrase;

const MIN_WORDS: usize = 4;

/// Returns whether a string is prose rather than a name, an id or an address.
pub fn is_prose(text: &str) -> bool {
    let text = text.trim();
    let words = text
        .split_whitespace()
        .filter(|w| w.chars().any(char::is_alphabetic))
        .take(MIN_WORDS)
        .count();
    // Some languages have no spaces between words.
    let is_east_asian =
        || text.chars().filter(|c| ('\u{3040}'..='\u{d7ff}').contains(c)).take(12).count() == 12;
    (words >= MIN_WORDS && text.len() > 20) || is_east_asian()
}

/// Returns whether two strings have the same words, regardless of case and punctuation.
pub fn has_same_words(a: &str, b: &str) -> bool {
    a.len().abs_diff(b.len()) < 40 + a.len() / 2 && normalize_phrase(a) == normalize_phrase(b)
}
