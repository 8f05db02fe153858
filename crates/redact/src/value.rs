//! Classification of values: whether a value can be a secret, and where it ends. An ordinary word,
//! which may follow "password:" in an error message, is no secret, login or host.

use super::{
    facts::{is_listed, pattern},
    names, network, numbers,
};

/// A condition on a value: a least length, and a test or a pattern that it passes or, negated, fails.
pub(super) struct Check {
    name: String,
    least: usize,
    negated: bool,
}

impl Check {
    /// Reads checks: "told 5 !unnumbered".
    pub(super) fn read(text: &str) -> Vec<Self> {
        let mut checks: Vec<Self> = Vec::new();
        for word in text.split_whitespace() {
            match (word.parse(), checks.last_mut()) {
                (Ok(least), Some(check)) => check.least = least,
                _ => checks.push(Self {
                    name: word.trim_start_matches('!').to_owned(),
                    least: 0,
                    negated: word.starts_with('!'),
                }),
            }
        }
        checks
    }

    /// Returns whether a value passes.
    pub(super) fn passes(&self, value: &str) -> bool {
        let is_match = match self.name.as_str() {
            "any" => true,
            "random" => is_random(value, self.least),
            "told" => is_told(value, self.least),
            "assigned" => is_assigned(value),
            "header_secret" => is_header_secret(value),
            "generated" => is_generated(value),
            "mixed" => is_mixed(value),
            "dense" => pattern("dense").is_match(value) || is_mixed(value),
            "ordinary" => value.split([' ', '-', '_', '.', '+']).any(is_ordinary),
            // "password reset2": a numbered word.
            "ordinary_numbered" => {
                is_ordinary(value.trim_end_matches(|c: char| c.is_ascii_digit()))
            }
            "ordinary_word" => has_ordinary_word(value),
            "full_name" => names::is_full_name(value),
            "whole" => names::is_whole(value),
            "iban" => numbers::is_iban(value),
            "card" => numbers::is_card(value),
            "international" => numbers::is_international(value),
            "grouped" => numbers::is_grouped(value),
            "requested" => numbers::is_requested(value),
            "dialled" => numbers::digits(value).len() >= self.least,
            "private_address" => network::is_private_address(value),
            name => pattern(name).is_match(value),
        };
        (value.chars().count() >= self.least && is_match) != self.negated
    }

    /// Returns whether a value passes all of these checks.
    pub(super) fn all_pass(checks: &[Self], value: &str) -> bool {
        checks.iter().all(|check| check.passes(value))
    }
}

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

/// Returns whether a value contains an ordinary word.
pub(super) fn has_ordinary_word(value: &str) -> bool {
    value.split_whitespace().any(is_ordinary)
}

/// Returns whether a value is only a placeholder for a secret.
pub(super) fn is_placeholder(value: &str) -> bool {
    value.is_empty() || pattern("placeholder").is_match(value)
}

/// Returns whether a value looks random: at least `least` characters, with letters and digits, or
/// with irregular case.
pub(super) fn is_random(value: &str, least: usize) -> bool {
    let has = |predicate: fn(char) -> bool| value.contains(predicate);
    // `AuthException2` is a class.
    let stem = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_class = value.len() - stem.len() <= 2 && is_camel(stem);
    let is_word = |part: &str| part.is_empty() || !is_unlike_a_word(part) || is_camel(part);
    let is_worded = || value.split(|c: char| !c.is_alphabetic()).all(is_word);
    value.chars().count() >= least
        && has(char::is_alphabetic)
        && (has(|c| c.is_ascii_digit()) || !is_worded())
        && !is_class
        && !is_placeholder(value)
        && !pattern("technical").is_match(value)
}

/// Returns whether a value was generated by a machine from letters of both cases and digits: its
/// characters change kind at every other step, which those of words and identifiers do not.
fn is_generated(value: &str) -> bool {
    let kind = |c: char| match c {
        'a'..='z' => 1,
        'A'..='Z' => 2,
        '0'..='9' => 3,
        _ => 0,
    };
    let kinds: Vec<u8> = value.chars().map(kind).collect();
    let pairs = || kinds.windows(2).filter(|pair| pair[0] > 0 && pair[1] > 0);
    let changes = pairs().filter(|pair| pair[0] != pair[1]).count();
    let has = |kind: u8| kinds.iter().filter(|k| **k == kind).count() >= 2;
    (1..=3).all(has) && changes * 100 >= pairs().count() * 38 && pairs().count() >= 8
}

/// Returns whether letters and digits alternate in a value, as in generated keys, not in names.
fn is_mixed(value: &str) -> bool {
    let chars: Vec<char> = value.chars().filter(char::is_ascii_alphanumeric).collect();
    let changes = chars.windows(2).filter(|p| p[0].is_ascii_digit() != p[1].is_ascii_digit());
    chars.len() >= 12 && changes.count() * 100 >= chars.len() * 15
}

/// Returns whether an assigned value, `name=value`, or a quoted one may be a secret: any text
/// except an ordinary word, code or a measure.
pub(super) fn is_assigned(value: &str) -> bool {
    let count = value.chars().count();
    count >= 3
        && !is_placeholder(value)
        && !is_ordinary(value)
        && !pattern("technical").is_match(value)
        && !value.split(['_', '-', '.']).any(|part| part.len() > 2 && said_of_errors(part))
        && value.chars().any(char::is_alphanumeric)
}

/// Returns whether the value of a header or cookie for credentials is a secret: any text except a
/// placeholder and ordinary words.
pub(super) fn is_header_secret(value: &str) -> bool {
    let bare = value.trim_end_matches('=');
    bare.chars().count() >= 2 && !is_placeholder(value) && !is_ordinary(bare) && !is_sentence(value)
}

/// Returns whether a word belongs to an error message.
pub(super) fn said_of_errors(part: &str) -> bool {
    is_listed("error_words", &part.to_lowercase())
}

/// Returns whether a value after a colon, `password: value`, is a secret: it must not look like a
/// word.
pub(super) fn is_told(value: &str, least: usize) -> bool {
    let bare = value.trim_end_matches(['.', ',', '!', '?', ':', ';', '…']);
    bare.chars().count() >= least
        && is_assigned(bare)
        && !bare.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '/' | ':'))
        && (is_unlike_a_word(bare)
            || bare.starts_with(['!', '#', '$', '%', '&', '*', '+', '^']) && bare.len() > 5)
        && !bare.ends_with(['(', '{', '['])
}

/// Returns whether a quoted value of several words is a sentence, as in a message, and no
/// passphrase.
pub(super) fn is_sentence(value: &str) -> bool {
    let parts: Vec<&str> = value.split_whitespace().collect();
    parts.len() > 1
        && (parts.len() > 7
            || value.ends_with(['.', '!', '?', '。', ':'])
            || has_ordinary_word(value))
}

/// Returns the unquoted value at the start of a text: up to the next space, or to the end of a
/// value in a list, a connection string, an address or markup.
pub(super) fn bare_value(text: &str) -> &str {
    /// The usual maximum length of a secret, in bytes; a line without spaces may be much longer.
    const REACH: usize = 2048;
    let separates = |c: char| c.is_whitespace() || "\"`;，。；、”“»".contains(c);
    let word = text.split(separates).next().unwrap_or_default();
    let near = &word[..word.floor_char_boundary(REACH)];
    let end = pattern("value_end").find_iter(near).map(|m| m.start()).find(|end| {
        let open = match &near[*end..=*end] {
            ")" => '(',
            "]" => '[',
            "}" => '{',
            _ => return true,
        };
        !near[..*end].contains(open)
    });
    end.map_or(word, |end| &word[..end]).trim_end_matches(['.', ',', ':', '…'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn value_ends_at_the_next_list_entry() {
        for (text, value) in [
            ("Tr0ub4dor&3;Database=x", "Tr0ub4dor&3"),
            ("abc123&user=bob", "abc123"),
            ("hunter22, and", "hunter22"),
            ("a,b1 c", "a,b1"),
            ("x1,user=bob", "x1"),
            ("hunter22).", "hunter22"),
            ("Hu(nt)er2", "Hu(nt)er2"),
            ("h2nter}},", "h2nter"),
            ("h2nter</password>", "h2nter"),
            ("geheim1!", "geheim1!"),
            ("geheim1.", "geheim1"),
        ] {
            assert_eq!(bare_value(text), value, "{text}");
        }
    }

    #[test]
    fn program_output_is_no_secret() {
        for value in [
            "getPassword()",
            "os.environ",
            "process.env.TOKEN",
            "Option<String>",
            "&str",
            "utf-8",
            "sha256",
            "30s",
            "1.2.3",
            "/etc/ssl/key.pem",
            "config/secrets.yml",
            "********",
            "${PASSWORD}",
            "<password>",
            "[FILTERED]",
            "invalid_grant",
            "required",
            "%s",
            "$password",
        ] {
            assert!(!is_assigned(value), "{value}");
        }
        for value in ["hunter22", "swordfish", "a&b<c>d9", "Tr0ub4dor&3", "$ecret1!", "abcDEF123=="]
        {
            assert!(is_assigned(value), "{value}");
        }
    }

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
