//! Classification of values: whether a value can be a secret, and where it ends.
//!
//! An ordinary word may follow "password:" in an error message; it is not a secret, login or host.

use super::{
    data::{is_listed, pattern},
    names, network, numbers,
};

/// A condition on a value: a minimum length, and a test or a pattern, possibly negated.
pub(super) struct Check {
    name: String,
    min_len: usize,
    is_negated: bool,
}

impl Check {
    /// Parses checks: "labeled:5 !hyphen".
    pub(super) fn parse(text: &str) -> Vec<Self> {
        let check = |word: &str| {
            let (name, min_len) = word.split_once(':').unwrap_or((word, "0"));
            let (bare, is_negated) = (name.trim_start_matches('!'), name.starts_with('!'));
            Self { name: bare.to_owned(), min_len: min_len.parse().unwrap_or_default(), is_negated }
        };
        text.split_whitespace().map(check).collect()
    }

    /// Returns whether a value passes the check.
    pub(super) fn passes(&self, value: &str) -> bool {
        let is_match = match self.name.as_str() {
            "any" => true,
            "random" => is_random(value, self.min_len),
            "labeled" => is_labeled_secret(value, self.min_len),
            "assigned" => is_assigned_secret(value),
            "header_secret" => is_header_secret(value),
            "sentence" => is_sentence(value),
            "generated" => is_generated(value),
            "mixed" => is_mixed(value),
            "dense" => pattern("dense").is_match(value) || is_mixed(value),
            "ordinary" => value.split([' ', '-', '_', '.', '+']).any(is_ordinary),
            // "password reset2": a numbered word.
            "ordinary_numbered" => {
                is_ordinary(value.trim_end_matches(|c: char| c.is_ascii_digit()))
            }
            "ordinary_word" => value.split_whitespace().any(is_ordinary),
            "full_name" => names::is_full_name(value),
            "whole" => names::has_several_words(value),
            "iban" => numbers::is_iban(value),
            "card" => numbers::is_card(value),
            "international" => numbers::is_international(value),
            "grouped" => numbers::is_grouped(value),
            "requested" => numbers::is_requested(value),
            "dialed" => numbers::digits(value).len() >= self.min_len,
            "machine_address" => network::is_machine_address(value),
            name => pattern(name).is_match(value),
        };
        (value.chars().count() >= self.min_len && is_match) != self.is_negated
    }

    /// Returns whether a value passes all checks.
    pub(super) fn all_pass(checks: &[Self], value: &str) -> bool {
        checks.iter().all(|check| check.passes(value))
    }
}

/// Returns whether a word is an ordinary word rather than a name or a secret.
pub(super) fn is_ordinary(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let lower = bare.to_lowercase().replace(['\'', '’'], "");
    !lower.is_empty() && is_listed("ordinary", &lower)
}

/// Returns whether a string cannot be a word, because of a digit, punctuation or inner capitals. It
/// has no other meaning, so it may be replaced everywhere.
pub(super) fn cannot_be_word(text: &str) -> bool {
    let inner = text.trim_matches(|c: char| !c.is_alphanumeric());
    let has_inner_capital =
        || inner.chars().any(char::is_lowercase) && inner.chars().skip(1).any(char::is_uppercase);
    text.chars().any(|c| c.is_numeric())
        || inner.chars().any(|c| !c.is_alphanumeric() && !matches!(c, '-' | '\'' | '’' | '.' | '_'))
        || !pattern("camel").is_match(inner) && has_inner_capital()
}

/// Returns whether a value looks random: at least `min_len` characters, with letters and digits, or
/// irregular case.
pub(super) fn is_random(value: &str, min_len: usize) -> bool {
    let has = |predicate: fn(char) -> bool| value.contains(predicate);
    // `AuthException2` is a class.
    let stem = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_class = value.len() - stem.len() <= 2 && pattern("camel").is_match(stem);
    let is_word =
        |part: &str| part.is_empty() || !cannot_be_word(part) || pattern("camel").is_match(part);
    let has_only_words = || value.split(|c: char| !c.is_alphabetic()).all(is_word);
    value.chars().count() >= min_len
        && has(char::is_alphabetic)
        && (has(|c| c.is_ascii_digit()) || !has_only_words())
        && !is_class
        && !pattern("placeholder").is_match(value)
        && !pattern("technical").is_match(value)
}

/// Returns whether a value looks generated from letters of both cases and digits: its characters
/// change kind more often than those of words and identifiers.
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

/// Returns whether letters and digits alternate in a value, as in generated keys but not in names.
fn is_mixed(value: &str) -> bool {
    let chars: Vec<char> = value.chars().filter(char::is_ascii_alphanumeric).collect();
    let changes = chars.windows(2).filter(|p| p[0].is_ascii_digit() != p[1].is_ascii_digit());
    chars.len() >= 12 && changes.count() * 100 >= chars.len() * 15
}

/// Returns whether an assigned (`name=value`) or quoted value may be a secret: any text except an
/// ordinary word, code or a quantity.
pub(super) fn is_assigned_secret(value: &str) -> bool {
    value.chars().count() >= 3
        && !pattern("placeholder").is_match(value)
        && !is_ordinary(value)
        && !pattern("technical").is_match(value)
        && !pattern("error_part").is_match(value)
        && value.chars().any(char::is_alphanumeric)
}

/// Returns whether the value of a credentials header or cookie is a secret: any text except a
/// placeholder and ordinary words.
pub(super) fn is_header_secret(value: &str) -> bool {
    let bare = value.trim_end_matches('=');
    bare.chars().count() >= 2
        && !pattern("placeholder").is_match(value)
        && !is_ordinary(bare)
        && !is_sentence(value)
}

/// Returns whether a value after a colon (`password: value`) is a secret, which must not look like a
/// word.
pub(super) fn is_labeled_secret(value: &str, min_len: usize) -> bool {
    let bare = value.trim_end_matches(['.', ',', '!', '?', ':', ';', '…']);
    bare.chars().count() >= min_len
        && is_assigned_secret(bare)
        && !bare.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '/' | ':'))
        && (cannot_be_word(bare)
            || bare.starts_with(['!', '#', '$', '%', '&', '*', '+', '^']) && bare.len() > 5)
        && !bare.ends_with(['(', '{', '['])
}

/// Returns whether a value of several words is a sentence rather than a passphrase.
pub(super) fn is_sentence(value: &str) -> bool {
    let parts: Vec<&str> = value.split_whitespace().collect();
    parts.len() > 1
        && (parts.len() > 7
            || value.ends_with(['.', '!', '?', '。', ':'])
            || parts.iter().any(|word| is_ordinary(word)))
}

/// Returns the unquoted value at the start of a string. It ends at a space or at a delimiter of
/// lists, connection strings, addresses or markup.
pub(super) fn bare_value(text: &str) -> &str {
    /// The usual maximum length of a secret, in bytes; a line without spaces may be much longer.
    const MAX_SECRET: usize = 2048;
    let is_separator = |c: char| c.is_whitespace() || "\"`;，。；、”“»".contains(c);
    let word = text.split(is_separator).next().unwrap_or_default();
    let candidate = &word[..word.floor_char_boundary(MAX_SECRET)];
    let end = pattern("value_end").find_iter(candidate).map(|m| m.start()).find(|end| {
        let mut pairs = ["()", "[]", "{}"].into_iter();
        let pair = pairs.find(|pair| candidate[*end..].starts_with(&pair[1..]));
        pair.is_none_or(|pair| !candidate[..*end].contains(&pair[..1]))
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
    fn code_and_placeholders_are_not_secrets() {
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
            assert!(!is_assigned_secret(value), "{value}");
        }
        for value in ["hunter22", "swordfish", "a&b<c>d9", "Tr0ub4dor&3", "$ecret1!", "abcDEF123=="]
        {
            assert!(is_assigned_secret(value), "{value}");
        }
    }

    #[test]
    fn ordinary_words_are_recognized_in_every_language() {
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
            assert!(!cannot_be_word(text), "{text}");
        }
        for text in ["hunter22", "a&b<c>", "sWorDfIsh", "geheim!x"] {
            assert!(cannot_be_word(text), "{text}");
        }
    }
}
