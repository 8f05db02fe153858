//! Recognition of prose among other texts.

use precedent_text::tokens::bare;

/// The minimum number of words of a text that is kept although its field is unknown.
const PROSE: usize = 4;

/// Returns whether a text is prose and not a name, an id or an address.
pub fn is_prose(text: &str) -> bool {
    let text = text.trim();
    let words =
        text.split_whitespace().filter(|w| w.chars().any(char::is_alphabetic)).take(PROSE).count();
    // Some languages have no spaces between words.
    let wide =
        || text.chars().filter(|c| ('\u{3040}'..='\u{d7ff}').contains(c)).take(12).count() == 12;
    (words >= PROSE && text.len() > 20) || wide()
}

/// Returns whether two texts have the same words.
pub fn is_same(a: &str, b: &str) -> bool {
    a.len().abs_diff(b.len()) < 40 + a.len() / 2 && bare(a) == bare(b)
}
