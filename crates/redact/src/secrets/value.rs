//! Classification of values: whether a value can be a secret, and where it ends.

use std::sync::LazyLock;

use regex::Regex;

use super::{re, words};

/// A placeholder for a secret: masks, variables and template fields.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"^(?:\[.*|[*•●▪x×X.…#_?-]+|\*{3}.*|\$\{.*|\$\(.*|\$[A-Za-z_][A-Za-z_]*(?:->.*|\[.*)?|\$[0-9]|%[A-Za-z_()]+%?|\{\{?[^{}]*\}?\}?|<[^<>]*>?",
        r"|@(?:p[0-9]+|[A-Za-z_]+)|:[A-Za-z_]+|!(?:secret|vault|ref|sub|env)\b.*|(?i:your|my|the|some)[_-].*|\\[nrt].*|&(?:lt|gt|quot|amp|nbsp);.*)$",
    ))
});
/// A piece of code: a call, a path of names, a type.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"^(?:[&*]?(?:[A-Za-z_]+[0-9]?)(?:(?:\.|::|->|\?\.|\.\.)[A-Za-z_]+[0-9]?)+[(\[]?.*|[A-Za-z_.:>-]+\(.*|[A-Za-z_]+\[['\x22A-Za-z0-9_]*\]?.*",
        r"|&(?:mut|str|self|'[a-z]+)\b.*|[A-Z][A-Za-z]*<[A-Za-z0-9_, <>&]*>?|[A-Za-z_]+[*&?]+|[A-Za-z_]+=>.*|\|.*|=.*)$",
    ))
});
/// A name of a method or format that contains digits.
static TECHNICAL: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)^(?:utf-?\d+\S*|base-?\d+\S*|sha-?\d[\d/_-]*|ssha\d*|md-?\d|oauth-?\d\S*|openid\d?|pbkdf\d\S*|argon\d[a-z]*|bcrypt\d?|scrypt\d?|[hrep]s\d{3}|ed25519\S*|x\.?509\S*",
        r"|x\d{3,5}|pkcs-?#?\d+|ntlm(?:v\d)?|krb\d|kerberos\d?|aes-?\d*\S*|rsa-?\d+|ecdsa\S*|rc\d|des\d?|3des|chacha20\S*|http/?\d\S*|ipv\d|k8s|i18n|l10n|s3|ec2|win\d+|x\d{2}|[umt]?2fa|u2f|fido2?|p12|b64|hex\d*",
        r"|tls-?v?\d\S*|ssl-?v?\d\S*|mschap-?v\d|eap-\S+|cram-md5|digest-md5|scram-\S+|caching_sha2_password|sha256_password|mysql_native_password|pam_\S+|auth\d?|v\d+(?:[._-]\S*)?|latin\d|iso-?\d+\S*|int\d+|float\d+|uint\d+|u\d{1,3}|i\d{1,3}|web\d)$",
    ))
});
/// A version, a time, an amount with a unit, or a memory address.
static MEASURE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^(?:v?\d+(?:\.\d+)+\S{0,12}|[+-]?\d+(?:\.\d+)?(?:[mun]?s|[kmgt]?i?b|[mhdwk]|px|pt|em|%|bits?|bytes?|days?|chars?|hours?|min|sec|/\d+|/s|-byte|-bit)|\d{4}-\d\d-\d\d\S*|\d\d?:\d\d\S*|0x[0-9a-f]+|\d+-\d+|#\d+)$",
    )
});
/// A file name, or the address of a page.
static FILE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^(?:\S*://\S*|\.{0,2}/(?:[\w.@-]+/)*[\w.@-]*|~/\S*|[a-z]:\\\S*|\S*\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|txt|env|ini|conf|cfg|toml|php|py|js|tsx?|jsx|rs|go|java|kt|c|cc|cpp|h|cs|rb|sh|xml|html?|log|db|kdbx|lock|sql|md|exe|dll|so|properties)(?:[:(]\d.*)?)$",
    )
});
/// A line of a file, or a place in a text: "Foo.java:12".
static WORD_AND_PLACE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^(?:(?:line|col|column|row|step|field|test|user|page|option|rule|type|chapter|section|part|version|item|error|code|err|case|level|slot|no|nr|id|node|host|web|app|db|key|token|arg|param|var|col)[_-]?\d{1,2}|[a-z]+(?:_[a-z]+)+_?\d{1,3}|[a-z]{1,4}-\d{1,6}|[a-z_.]+:\d+)$",
    )
});

/// Returns whether a value is only a placeholder for a secret.
pub(super) fn is_placeholder(value: &str) -> bool {
    value.is_empty() || PLACEHOLDER.is_match(value)
}

/// Returns whether a value is a secret's name in its position: "user:password@host".
pub(super) fn names_a_secret(value: &str) -> bool {
    matches!(
        value.to_lowercase().as_str(),
        "password"
            | "passwd"
            | "pass"
            | "pwd"
            | "secret"
            | "token"
            | "passwort"
            | "port"
            | "pw"
            | "yourpassword"
            | "mypassword"
    )
}

/// Returns whether a value is code or part of a program's report, and no secret.
fn is_technical(value: &str) -> bool {
    CODE.is_match(value)
        || TECHNICAL.is_match(value)
        || MEASURE.is_match(value)
        || FILE.is_match(value)
        || WORD_AND_PLACE.is_match(value)
}

/// Returns whether a value names a method or a format: `utf8`, `ipv6`.
pub(crate) fn is_method(value: &str) -> bool {
    TECHNICAL.is_match(value)
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
pub(crate) fn is_random(value: &str, least: usize) -> bool {
    let count = value.chars().count();
    let has = |predicate: fn(&char) -> bool| value.chars().any(|c| predicate(&c));
    let letters = has(|c| c.is_alphabetic());
    // `AuthException2` is a class.
    let stem = value.trim_end_matches(|c: char| c.is_ascii_digit());
    let class = value.len() - stem.len() <= 2 && words::is_camel(stem);
    let random = letters && (has(char::is_ascii_digit) || !is_worded(value));
    count >= least && random && !class && !is_placeholder(value) && !is_technical(value)
}

/// Returns whether a value was generated by a machine from letters of both cases and digits: its
/// characters change kind at every other step, which those of words and identifiers do not.
pub(super) fn is_generated(value: &str) -> bool {
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
pub(super) fn is_mixed(value: &str) -> bool {
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
        && !is_technical(value)
        && !value.split(['_', '-', '.']).any(|part| part.len() > 2 && said_of_errors(part))
        && value.chars().any(char::is_alphanumeric)
}

/// Returns whether the value of a header or cookie for credentials is a secret: any text except a
/// placeholder and ordinary words.
pub(super) fn is_header_secret(value: &str) -> bool {
    let bare = value.trim_end_matches('=');
    bare.chars().count() >= 4
        && !is_placeholder(value)
        && !words::is_ordinary(bare)
        && !is_sentence(value)
}

/// Returns whether a word shows that a joined name is no secret: `invalid_grant`, `not-set`.
pub(super) fn said_of_errors(part: &str) -> bool {
    part.chars().all(char::is_alphabetic)
        && matches!(
            part.to_lowercase().as_str(),
            "not"
                | "invalid"
                | "missing"
                | "expired"
                | "failed"
                | "unknown"
                | "required"
                | "unexpected"
                | "error"
                | "null"
                | "none"
                | "empty"
                | "mismatch"
                | "denied"
                | "unauthorized"
                | "exception"
        )
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
    let reach =
        (0..=text.len().min(REACH)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let near = &text[..reach];
    let word = near.split(separates).next().unwrap_or_default();
    let end =
        word.char_indices().find(|(at, c)| ends_at(word, *at, *c)).map_or(word.len(), |(at, _)| at);
    let whole =
        if end == reach && reach < text.len() { text.split(separates).next() } else { None };
    whole.unwrap_or(&word[..end]).trim_end_matches(['.', ',', ':', '…'])
}

/// Returns whether a character cannot be part of an unquoted value.
fn separates(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '`' | ';' | '，' | '。' | '；' | '、' | '”' | '“' | '»')
}

/// Returns whether a value ends before this character.
fn ends_at(word: &str, at: usize, c: char) -> bool {
    let rest = &word[at + c.len_utf8()..];
    let last =
        || rest.trim_start_matches(['.', ',', ':', ')', ']', '}', '>', '*', '|', '\\']).is_empty();
    let is_next_pair = || {
        let name = rest
            .split(['=', ':', ',', '&'])
            .next()
            .filter(|name| name.len() < rest.len().min(64))
            .unwrap_or_default();
        let name = if rest[name.len()..].starts_with(['=', ':']) { name } else { "" };
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '[' | ']'))
    };
    match c {
        ',' => last() || is_next_pair() || rest.starts_with(['"', '\'', '{', '[']),
        '&' => is_next_pair(),
        '\'' => last() || rest.starts_with([',', ')', '}', ']', ';']),
        ')' | ']' | '}' => {
            let open = match c {
                ')' => '(',
                ']' => '[',
                _ => '{',
            };
            !word[..at].contains(open) && (last() || rest.starts_with([',', '.', ';', '\'']))
        }
        '<' => {
            rest.starts_with('/')
                || rest.contains('>') && rest.starts_with("br")
                || rest.starts_with('<')
        }
        '|' => last(),
        '*' => rest == "*" || rest.starts_with("*."),
        '\\' => {
            rest.starts_with(['n', 'r', 't'])
                && (rest.len() == 1 || rest[1..].starts_with(['\\', ' ']))
        }
        _ => false,
    }
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
