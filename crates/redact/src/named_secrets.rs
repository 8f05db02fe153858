//! Secrets identified by the name before them: `password = …`, "Passwort: …", "пароль …".
//!
//! The search finds the name in many languages and the text that joins it to its value. The rules of
//! `data/named_secrets.txt` decide whether the value can be a secret.

use std::sync::LazyLock;

use regex::Captures;

use super::{
    CERTAIN,
    data::{is_listed, pattern},
    redactor::{Redactor, splice},
    value::{self, Check},
};

/// The patterns of the text between a name and its value, with the joins of
/// `data/named_secrets.txt`.
const JOINS: [(&str, &str); 6] = [
    ("secret_assigned", "assigned"),
    ("secret_colon", "colon"),
    ("secret_aside", "assigned"),
    ("secret_sentence", "sentence"),
    ("secret_tag", "tag"),
    ("secret_space", "beside"),
];

/// A line of `data/named_secrets.txt`: the kind of the name and its joins, whether the value is
/// certain, and the checks on it.
type Rule = (Vec<&'static str>, bool, Vec<Check>);

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let lines = include_str!("../data/named_secrets.txt").lines().filter(|l| !l.starts_with('#'));
    let rules = lines.filter_map(|line| line.split_once(" = ")).map(|(front, checks)| {
        let is_certain = !checks.starts_with('?');
        (front.split(' ').collect(), is_certain, Check::parse(checks.trim_start_matches('?')))
    });
    rules.collect()
});

/// The name of a secret. `data/named_secrets.txt` lists the kinds.
struct SecretName<'a> {
    start: usize,
    text: &'a str,
    kind: &'static str,
}

/// The value after a name.
struct SecretValue<'a> {
    start: usize,
    text: &'a str,
    is_quoted: bool,
}

/// Redacts values whose name identifies them as secrets.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let names = pattern("secret_name").captures_iter(text).filter_map(|c| find_name(text, &c));
    let values = names.filter_map(|name| {
        let (value, is_certain) = find_secret(text, &name)?;
        Some((value.start..value.start + value.text.len(), (value.text, is_certain)))
    });
    splice(text, values, |(value, is_certain)| r.hide("token", is_certain, value))
}

/// Returns the full name around a match, if it is the name of a secret.
fn find_name<'a>(text: &'a str, c: &Captures<'_>) -> Option<SecretName<'a>> {
    let m = c.get(0)?;
    let original = m.as_str();
    let lower = original.to_lowercase();
    let (prefix, tail) = (&text[..m.start()], &text[m.end()..]);
    let is_joint = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let (mut front, mut rest) = ("", "");
    // Scripts without capitals do not separate words.
    if lower.starts_with(char::is_lowercase) {
        front = &prefix[prefix.trim_end_matches(is_joint).len()..];
        rest = &tail[..tail.len() - tail.trim_start_matches(is_joint).len()];
    }
    // Pseudonyms are not redacted again.
    let is_pseudonym = prefix.ends_with('[') && pattern("number_of_pseudonym").is_match(tail);
    if is_pseudonym || !allows_prefix(front, original, &lower) || !allows_suffix(rest, original) {
        return None;
    }
    let mut kinds = (1..).zip(["password", "pin", "key", "any-key"]);
    let kind = match kinds.find(|(group, _)| c.get(*group).is_some())?.1 {
        _ if lower == "pass" && front.is_empty() => "weak",
        _ if lower.starts_with("cv") => "cvv",
        _ if is_listed("vague_secrets", &lower) => "vague",
        kind => kind,
    };
    let (start, end) = (m.start() - front.len(), m.end() + rest.len());
    Some(SecretName { start, text: &text[start..end], kind })
}

/// Returns whether the start of a word allows a name at its end: `db_password`, `accessToken`,
/// `PGPASSWORD`.
fn allows_prefix(front: &str, original: &str, lower: &str) -> bool {
    let whole = front.to_lowercase();
    let word = whole.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_separate = word.is_empty()
        || front.ends_with(char::is_numeric)
        || front.ends_with(char::is_lowercase) && original.starts_with(char::is_uppercase);
    !pattern("public_front").is_match(&whole)
        && (is_separate
            || !is_listed("secrets_and_parts", lower)
            || is_listed("secret_fronts", word))
}

/// Returns whether the end of a word allows a name at its start: `password2`, `secret_key_base`,
/// but not `token_type`.
fn allows_suffix(rest: &str, original: &str) -> bool {
    let is_longer_word = rest.starts_with(char::is_alphabetic)
        && !(original.ends_with(char::is_lowercase) && rest.starts_with(char::is_uppercase));
    let last = pattern("identifier_word").find_iter(rest).last().map_or("", |word| word.as_str());
    !is_longer_word && !is_listed("secret_attributes", &last.to_lowercase())
}

/// Returns the secret after a name, and whether it is certain.
fn find_secret<'a>(text: &'a str, name: &SecretName<'_>) -> Option<(SecretValue<'a>, bool)> {
    let name_end = name.start + name.text.len();
    let suffix = &text[name_end..];
    let is_possible = |join: &str| join != "tag" || text[..name.start].ends_with('<');
    let (join, joint) = JOINS.into_iter().find_map(|(pattern_name, join)| {
        Some((join, pattern(pattern_name).find(suffix).filter(|_| is_possible(join))?))
    })?;
    let offset = name_end + joint.end();
    if matches!(join, "colon" | "assigned") {
        let is_comparison = joint.as_str().ends_with('=') && text[offset..].starts_with([':', '=']);
        // "Passwords do not match: …" is an error message, "PASS: …" the result of a test.
        if is_comparison
            || pattern("error_word").is_match(joint.as_str())
            || name.text == "PASS" && join == "colon"
        {
            return None;
        }
    }
    let scheme = pattern("scheme").find(&text[offset..]).map_or(0, |m| m.end());
    let offset = offset + scheme;
    // The value may be on the line below the label.
    let next_line = pattern("value_below").captures(&text[offset..]).filter(|_| join == "colon");
    let offset = next_line.and_then(|c| c.get(1)).map_or(offset, |m| offset + m.start());
    let value = value_at(text, offset, join)?;
    // A header with a scheme, or for a key, contains nothing but the secret.
    let is_key_header = name.kind != "pin" && name.text.to_lowercase().starts_with("x-");
    if join == "colon" && (scheme > 0 || is_key_header) && value::is_header_secret(value.text) {
        return Some((value, CERTAIN));
    }
    let is_variable = name.text.contains('_') && !name.text.contains(char::is_lowercase);
    let join = match join {
        "colon" if value.is_quoted => "quoted",
        "colon" if is_variable => "variable",
        "sentence" | "beside" if is_key_header => "header",
        "beside" if name.text.starts_with('-') => "option",
        join => join,
    };
    let is_certain = certainty(text, name, join, &value)?;
    Some((value, is_certain))
}

/// Returns the value at this offset.
fn value_at<'a>(text: &'a str, offset: usize, join: &str) -> Option<SecretValue<'a>> {
    let rest = &text[offset..];
    let form = if join == "tag" { "tagged_value" } else { "quoted_value" };
    let inner = pattern(form).captures(rest).and_then(|c| c.iter().skip(1).flatten().next());
    // The closing quotation mark may be missing.
    let open = pattern("quote").find(rest).map_or(0, |m| m.end());
    let is_quoted = inner.is_some() || open > 0;
    let (start, text) = match inner {
        Some(m) => (m.start(), m.as_str()),
        None if join == "tag" => return None,
        None => (open, value::bare_value(&rest[open..])),
    };
    (!text.is_empty()).then(|| SecretValue { start: offset + start, text, is_quoted })
}

/// Returns whether a value is certainly a secret, or `None` if it is not a secret.
fn certainty(
    text: &str,
    name: &SecretName<'_>,
    join: &str,
    value: &SecretValue<'_>,
) -> Option<bool> {
    let suffix = &text[value.start + value.text.len()..];
    let is_code = !value.is_quoted && suffix.starts_with(['(', '`']);
    let is_number = pattern("secret_number").is_match(value.text);
    if is_code
        || value::is_sentence(value.text)
        || pattern("placeholder").is_match(value.text)
        || is_number && is_amount(suffix, name, join, value)
    {
        return None;
    }
    let is_joined = join == "colon" && text[..value.start].ends_with(':');
    let kind = if is_number { format!("{}-number", name.kind) } else { name.kind.to_owned() };
    let is_match = |(front, _, checks): &&Rule| {
        let has_join = front.contains(&join) || is_joined && front.contains(&"joined");
        front[0] == kind && has_join && Check::all_pass(checks, value.text)
    };
    RULES.iter().find(is_match).map(|(_, is_certain, _)| *is_certain)
}

/// Returns whether a number is an amount: a unit follows it, or its name is a plural.
fn is_amount(suffix: &str, name: &SecretName<'_>, join: &str, value: &SecretValue<'_>) -> bool {
    // The next word of "key=4719 otp=123456" is another name.
    let has_unit =
        pattern("after_an_amount").is_match(suffix) && !pattern("field_name").is_match(suffix);
    match name.kind {
        "pin" => value.text.len() > 8 || has_unit && join == "sentence",
        // "prompt_tokens: 1234567" is a count.
        kind => has_unit && !value.is_quoted || kind == "key" && name.text.ends_with(['s', 'S']),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_and_checks_have_patterns() {
        assert!(RULES.len() > 20);
        assert!(JOINS.iter().all(|(name, _)| !pattern(name).as_str().is_empty()));
        for check in RULES.iter().flat_map(|(.., checks)| checks) {
            check.passes("x");
        }
    }
}
