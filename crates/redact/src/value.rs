//! Classification of values: whether a value can be a secret, and where it ends.

use std::sync::LazyLock;

use precedent_text::words::Words;
use regex::Regex;

use super::{facts::pattern, words};

static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| pattern("placeholder"));
static TECHNICAL: LazyLock<Regex> = LazyLock::new(|| pattern("technical"));
static VALUE_END: LazyLock<Regex> = LazyLock::new(|| pattern("value_end"));
static METHOD: LazyLock<Regex> = LazyLock::new(|| pattern("whole_method"));

/// The words that show that a joined name is no secret: `invalid_grant`, `not-set`.
static ERROR_WORDS: Words = Words::new(include_str!("../data/error_words.txt"));
/// The names of secrets in their position: "user:password@host".
static NAMES_OF_SECRETS: Words = Words::new(include_str!("../data/names_of_secrets.txt"));

/// A condition on a value, by its name in the data, with a least length.
pub(super) struct Check {
    pub(super) name: String,
    least: usize,
}

impl Check {
    /// Reads checks: "told 5 unnumbered 1".
    pub(super) fn read(text: &str) -> Vec<Self> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let check = |pair: &[&str]| Self {
            name: pair[0].to_owned(),
            least: pair.get(1).and_then(|least| least.parse().ok()).unwrap_or_default(),
        };
        words.chunks(2).map(check).collect()
    }

    /// Returns whether a value passes.
    pub(super) fn passes(&self, value: &str) -> bool {
        let has_digit = || value.contains(|c: char| c.is_ascii_digit());
        value.chars().count() >= self.least
            && match self.name.as_str() {
                "random" => is_random(value, self.least),
                "told" => is_told(value, self.least),
                "assigned" => is_assigned(value),
                "generated" => is_generated(value),
                "mixed" => is_mixed(value),
                // Names of cluster secrets are hyphenated.
                "dense" => longest_run(value) >= 12 && has_digit() || is_mixed(value),
                "unhyphenated" => !value.contains('-'),
                // "password reset2": a numbered word.
                "unnumbered" => {
                    !words::is_ordinary(value.trim_end_matches(|c: char| c.is_ascii_digit()))
                }
                "ends-in-digit" => {
                    value.starts_with(char::is_alphabetic)
                        && value.ends_with(|c: char| c.is_ascii_digit())
                        && !value.contains('-')
                        && !is_random(value, 12)
                }
                "passphrase" => is_passphrase(value),
                "number" => value.len() <= 40,
                "argument" => is_argument(value),
                "license" => is_license(value),
                "machine" => !METHOD.is_match(value),
                "digit" => has_digit(),
                _ => false,
            }
    }
}

/// Returns whether a value is a passphrase of three or more joined words, as is commonly
/// recommended.
fn is_passphrase(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.', '+']).collect();
    let is_word =
        |p: &&str| p.len() >= 3 && p.chars().all(char::is_alphabetic) && !words::is_ordinary(p);
    parts.len() >= 3 && parts.iter().all(is_word) && is_assigned(value)
}

/// Returns whether a value is only a placeholder for a secret.
pub(super) fn is_placeholder(value: &str) -> bool {
    value.is_empty() || PLACEHOLDER.is_match(value)
}

/// Returns whether a value is a secret's name in its position.
pub(super) fn names_a_secret(value: &str) -> bool {
    NAMES_OF_SECRETS.contains(&value.to_lowercase())
}

/// Returns whether a command's argument directly behind an option's letter is its value, and not
/// the rest of a longer option such as `-port`.
fn is_argument(value: &str) -> bool {
    const RESTS: [&str; 10] =
        ["assw", "ass=", "ort", "rot", "ath", "refix", "ipe", "lugin", "rint", "rofile"];
    !RESTS.iter().any(|rest| value.starts_with(rest))
}

/// Returns whether most groups of a value have digits, and most have capitals, as in a license.
fn is_license(value: &str) -> bool {
    let has = |kind: fn(char) -> bool| value.split('-').filter(|g| g.contains(kind)).count() >= 3;
    has(|c| c.is_ascii_digit()) && has(|c| c.is_ascii_uppercase())
}

/// Returns the length of the longest run of letters and digits.
pub(super) fn longest_run(text: &str) -> usize {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')))
        .map(str::len)
        .max()
        .unwrap_or(0)
}

/// Returns whether a value looks random: at least `least` characters, with letters and digits, or
/// with irregular case.
pub(super) fn is_random(value: &str, least: usize) -> bool {
    let count = value.chars().count();
    let has = |predicate: fn(&char) -> bool| value.chars().any(|c| predicate(&c));
    let letters = has(|c| c.is_alphabetic());
    // `AuthException2` is a class.
    let stem = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let class = value.len() - stem.len() <= 2 && words::is_camel(stem);
    let random = letters && (has(char::is_ascii_digit) || !is_worded(value));
    count >= least && random && !class && !is_placeholder(value) && !TECHNICAL.is_match(value)
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

/// Returns whether a value consists of words: each part in one case, or with a capital in front.
fn is_worded(value: &str) -> bool {
    value
        .split(|c: char| !c.is_alphabetic())
        .filter(|part| !part.is_empty())
        .all(|part| !words::is_unlike_a_word(part) || words::is_camel(part))
}

/// Returns whether an assigned value, `name=value`, or a quoted one may be a secret: any text
/// except an ordinary word, code or a measure.
pub(super) fn is_assigned(value: &str) -> bool {
    let count = value.chars().count();
    count >= 3
        && !is_placeholder(value)
        && !words::is_ordinary(value)
        && !TECHNICAL.is_match(value)
        && !value.split(['_', '-', '.']).any(|part| part.len() > 2 && said_of_errors(part))
        && value.chars().any(char::is_alphanumeric)
}

/// Returns whether the value of a header or cookie for credentials is a secret: any text except a
/// placeholder and ordinary words.
pub(super) fn is_header_secret(value: &str) -> bool {
    let bare = value.trim_end_matches('=');
    bare.chars().count() >= 2
        && !is_placeholder(value)
        && !words::is_ordinary(bare)
        && !is_sentence(value)
}

/// Returns whether a word belongs to an error message.
pub(super) fn said_of_errors(part: &str) -> bool {
    ERROR_WORDS.contains(&part.to_lowercase())
}

/// Returns whether a value after a colon, `password: value`, is a secret: it must not look like a
/// word.
pub(super) fn is_told(value: &str, least: usize) -> bool {
    let bare = value.trim_end_matches(['.', ',', '!', '?', ':', ';', '…']);
    bare.chars().count() >= least
        && is_assigned(bare)
        && !bare.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '/' | ':'))
        && (words::is_unlike_a_word(bare)
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
            || parts.iter().any(|word| words::is_ordinary(word)))
}

/// Returns the unquoted value at the start of a text: up to the next space, or to the end of a
/// value in a list, a connection string, an address or markup.
pub(super) fn bare_value(text: &str) -> &str {
    /// The usual maximum length of a secret, in bytes; a line without spaces may be much longer.
    const REACH: usize = 2048;
    let separates = |c: char| c.is_whitespace() || "\"`;，。；、”“»".contains(c);
    let word = text.split(separates).next().unwrap_or_default();
    let near = &word[..word.floor_char_boundary(REACH)];
    let end = VALUE_END.find_iter(near).map(|m| m.start()).find(|end| {
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
}
