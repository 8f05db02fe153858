//! Ordinary words, which are no secret, login or host. They follow "password:" in error messages.

use super::facts::{is_listed, pattern};

/// Returns whether a word is an ordinary word, and neither a name nor a secret.
pub(super) fn is_ordinary(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let lower = bare.to_lowercase().replace(['\'', '’'], "");
    !lower.is_empty() && is_listed("ordinary", &lower)
}

/// Returns whether a text cannot be a word: it has a digit or punctuation among its letters, or
/// inner capitals. Such a text may be replaced everywhere, because it has no other meaning.
pub(super) fn is_unlike_a_word(text: &str) -> bool {
    let inner = text.trim_matches(|c: char| !c.is_alphanumeric());
    let capital_inside =
        || inner.chars().any(char::is_lowercase) && inner.chars().skip(1).any(char::is_uppercase);
    text.chars().any(|c| c.is_numeric())
        || inner.chars().any(|c| !c.is_alphanumeric() && !matches!(c, '-' | '\'' | '’' | '.' | '_'))
        || !is_camel(inner) && capital_inside()
}

/// Returns whether a text is camel case: `NotFound`, `unexpectedEnd`.
pub(super) fn is_camel(text: &str) -> bool {
    pattern("camel").is_match(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_things_are_ordinary_in_every_language() {
        for word in [
            "must",
            "Unexpected",
            "null.",
            "not",
            "abgelaufen",
            "obligatoire",
            "неверный",
            "无效",
            "doesn't",
        ] {
            assert!(is_ordinary(word), "{word}");
        }
        for word in ["hunter22", "swordfish", "Berta", ""] {
            assert!(!is_ordinary(word), "{word}");
        }
    }

    #[test]
    fn words_are_distinguished_from_random_text() {
        for text in
            ["unexpected", "Postgres", "NotFound", "unexpectedEnd", "well-known", "user_name"]
        {
            assert!(!is_unlike_a_word(text), "{text}");
        }
        for text in ["hunter22", "a&b<c>", "sWorDfIsh", "geheim!x"] {
            assert!(is_unlike_a_word(text), "{text}");
        }
    }
}
