//! Secrets that the name before them identifies: `password = …`, "Passwort: …", "пароль …". The
//! search finds the name, in the languages of mail programs, then what joins it to its value, and
//! then decides by `data/named_secrets.txt` whether the value can be a secret.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{
    Certainty::{self, Doubtful, Sure},
    facts::{is_listed, pattern},
    lines,
    redactor::Redactor,
    value::{self, Check},
    words,
};

static RULES: LazyLock<Vec<Rule>> = LazyLock::new(read_rules);

/// A line of `data/named_secrets.txt`, which describes it.
struct Rule {
    kind: &'static str,
    joins: Vec<&'static str>,
    checks: Vec<Check>,
    certainty: Certainty,
}

fn read_rules() -> Vec<Rule> {
    let lines = include_str!("../data/named_secrets.txt").lines();
    let rules = lines.filter(|line| !line.starts_with('#')).filter_map(|line| {
        let (front, checks) = line.split_once(" = ")?;
        let mut joins = front.split(' ');
        let certainty = if checks.starts_with('?') { Doubtful } else { Sure };
        let checks = Check::read(checks.trim_start_matches('?'));
        Some(Rule { kind: joins.next()?, joins: joins.collect(), checks, certainty })
    });
    rules.collect()
}

/// A secret's name, with its position. `data/named_secrets.txt` lists the kinds.
struct Name<'a> {
    start: usize,
    end: usize,
    text: &'a str,
    kind: &'static str,
}

/// A value behind a name.
struct Value<'a> {
    start: usize,
    end: usize,
    text: &'a str,
    is_quoted: bool,
}

/// Returns whether a character joins words into one name.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Returns the whole name around a match, if it is that of a secret.
fn name<'a>(text: &'a str, c: &Captures<'_>) -> Option<Name<'a>> {
    const KINDS: [&str; 5] = ["password", "pin", "key", "login", "any-key"];
    let m = c.get(0)?;
    let original = m.as_str();
    let lower = original.to_lowercase();
    let (prefix, tail) = (&text[..m.start()], &text[m.end()..]);
    // Scripts without capitals do not separate words.
    let (front, rest) = match lower.starts_with(char::is_lowercase) {
        true => (
            &prefix[prefix.trim_end_matches(joins).len()..],
            &tail[..tail.len() - tail.trim_start_matches(joins).len()],
        ),
        false => ("", ""),
    };
    // Pseudonyms are not redacted again.
    let is_pseudonym =
        prefix.ends_with('[') && rest.starts_with('-') && tail[rest.len()..].starts_with(']');
    if is_pseudonym || !fits_front(front, original, &lower) || !fits_rest(rest, original) {
        return None;
    }
    let kind = match (1..).zip(KINDS).find(|(group, _)| c.get(*group).is_some())?.1 {
        _ if lower == "pass" && front.is_empty() => "weak",
        _ if lower.starts_with("cv") => "cvv",
        _ if is_listed("vague_secrets", &lower) => "vague",
        kind => kind,
    };
    let (start, end) = (m.start() - front.len(), m.end() + rest.len());
    Some(Name { start, end, text: &text[start..end], kind })
}

/// Returns whether the front of a word permits a name at its end: `db_password`, `accessToken`,
/// `PGPASSWORD`.
fn fits_front(front: &str, original: &str, lower: &str) -> bool {
    let whole = front.to_lowercase();
    let word = whole.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_capital = original.starts_with(char::is_uppercase);
    let is_separate = word.is_empty()
        || front.ends_with(char::is_numeric)
        || front.ends_with(char::is_lowercase) && is_capital;
    let is_public = ["public", "publickey"].iter().any(|end| whole.ends_with(end))
        || whole.trim_end_matches(['_', '-']).ends_with("no");
    !is_public
        && (is_separate
            || !is_listed("secrets_and_parts", lower)
            || is_listed("secret_fronts", word))
}

/// Returns whether the rest of a word permits a name at its start: `password2`, `secret_key_base`,
/// but not `token_type`.
fn fits_rest(rest: &str, original: &str) -> bool {
    let Some(first) = rest.chars().next() else { return true };
    let small = original.chars().next_back().is_some_and(char::is_lowercase);
    if first.is_alphabetic() && !(small && first.is_uppercase()) {
        return false;
    }
    let mut words = String::new();
    for c in rest.chars() {
        if c.is_uppercase() && words.chars().next_back().is_some_and(char::is_lowercase) {
            words.push(' ');
        }
        words.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    let last = words.split_whitespace().next_back().unwrap_or_default().to_lowercase();
    !is_listed("secret_attributes", &last)
}

/// Redacts values whose name identifies them as secrets.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for c in pattern("secret_name").captures_iter(text).filter(|c| c.get(0).is_some()) {
        let Some(name) = name(text, &c).filter(|name| name.end >= from) else { continue };
        let Some((at, end, pseudonym)) = hide_value(r, text, &name).filter(|(at, ..)| *at >= from)
        else {
            continue;
        };
        out.push_str(&text[from..at]);
        out.push_str(&pseudonym);
        from = end;
    }
    out.push_str(&text[from..]);
    out
}

/// Returns the range of a name's value, and its replacement.
fn hide_value(r: &mut Redactor, text: &str, name: &Name<'_>) -> Option<(usize, usize, String)> {
    let (join, gap) = join(text, name)?;
    let at = name.end + gap;
    if name.kind == "vague"
        && name.text.to_lowercase().contains("cookie")
        && matches!(join, "colon" | "assigned")
    {
        return hide_cookies(r, text, at);
    }
    if name.kind == "login" {
        return hide_login_and_password(r, text, at, join);
    }
    let scheme = pattern("scheme").find(&text[at..]).map_or(0, |m| m.end());
    let at = at + scheme;
    // The value may be on the line below the label.
    let at = if join == "colon" { below(text, at).unwrap_or(at) } else { at };
    let value = extent(text, at, join)?;
    // A header with a scheme has nothing but a secret after it; so has a header of a key.
    let is_key_header = name.kind != "pin" && name.text.to_lowercase().starts_with("x-");
    let is_header = join == "colon" && (scheme > 0 || is_key_header);
    let certainty = match is_header && value::is_header_secret(value.text) {
        true => Sure,
        false => {
            let join = match join {
                "colon" if value.is_quoted => "quoted",
                "colon" if is_variable(name.text) => "variable",
                "sentence" | "beside" if is_key_header => "header",
                join => join,
            };
            rate(text, name, join, &value)?
        }
    };
    Some((value.start, value.end, r.hide("token", certainty, value.text)))
}

/// Returns what joins a name to its value, and its length.
fn join(text: &str, name: &Name<'_>) -> Option<(&'static str, usize)> {
    let suffix = &text[name.end..];
    if let Some(c) = pattern("secret_colon").captures(suffix) {
        let end = c.get(0).map_or(0, |m| m.end());
        let is_comparison =
            c.get(1).is_some_and(|m| m.as_str() == "==") || suffix[end..].starts_with([':', '=']);
        // "Passwords do not match: …" is an error message.
        let errs = suffix[..end].split(|c: char| !c.is_alphabetic()).any(value::said_of_errors);
        let join = if c.get(1).is_some() { "assigned" } else { "colon" };
        // "PASS: …" is the result of a test.
        let is_result = name.text == "PASS" && join == "colon";
        return (!is_comparison && !errs && !is_result).then_some((join, end));
    }
    let find_suffix = |pattern: &Regex, join| pattern.find(suffix).map(|m| (join, m.end()));
    find_suffix(pattern("secret_aside"), "assigned")
        .or_else(|| find_suffix(pattern("secret_sentence"), "sentence"))
        .or_else(|| {
            if text[..name.start].ends_with('<') {
                return find_suffix(pattern("secret_tag"), "tag");
            }
            find_suffix(
                pattern("secret_space"),
                if name.text.starts_with('-') { "option" } else { "beside" },
            )
        })
}

/// Returns whether a name is written like a variable of the environment: `DB_PASSWORD`.
fn is_variable(name: &str) -> bool {
    name.contains('_') && !name.contains(char::is_lowercase)
}

/// Returns the value at this offset.
fn extent<'a>(text: &'a str, at: usize, join: &str) -> Option<Value<'a>> {
    let rest = &text[at..];
    let value = |from: usize, length: usize, is_quoted: bool| {
        let (start, end) = (at + from, at + from + length);
        (length > 0).then(|| Value { start, end, text: &text[start..end], is_quoted })
    };
    if join == "tag" {
        let end = rest.find(['<', '\n', ']']).filter(|end| !rest[*end..].starts_with('\n'))?;
        return value(0, end, true);
    }
    const QUOTES: [(&str, &str); 8] = [
        ("\\\"", "\\\""),
        ("\\'", "\\'"),
        ("\"", "\""),
        ("'", "'"),
        ("`", "`"),
        ("“", "”"),
        ("„", "“"),
        ("«", "»"),
    ];
    if let Some((open, close)) = QUOTES.into_iter().find(|(open, _)| rest.starts_with(open)) {
        let inner = &rest[open.len()..];
        let line = inner.split('\n').next().unwrap_or_default();
        let length = quote_end(line, close).unwrap_or_else(|| value::bare_value(inner).len());
        return value(open.len(), length, true);
    }
    value(0, value::bare_value(rest).len(), false)
}

/// Returns the position of the closing quotation mark, ignoring escaped ones.
fn quote_end(line: &str, close: &str) -> Option<usize> {
    line.match_indices(close).map(|(at, _)| at).find(|at| {
        close.starts_with('\\')
            || line[..*at].chars().rev().take_while(|c| *c == '\\').count() % 2 == 0
    })
}

/// Returns the start of the line below a label, if that line is a single word.
fn below(text: &str, at: usize) -> Option<usize> {
    let rest = text[at..].strip_prefix('\r').unwrap_or(&text[at..]);
    let line = rest.strip_prefix('\n')?;
    let full_line = line.split('\n').next().unwrap_or_default();
    let bare = full_line.trim_start_matches(['>', ' ', '\t']);
    let is_word = !bare.trim_end().is_empty() && !bare.trim_end().contains(char::is_whitespace);
    is_word.then(|| text.len() - line.len() + full_line.len() - bare.len())
}

/// Returns the certainty that a value is a secret, or `None` if it is none.
fn rate(text: &str, name: &Name<'_>, join: &str, value: &Value<'_>) -> Option<Certainty> {
    let is_code = !value.is_quoted && text[value.end..].starts_with(['(', '`']);
    if is_code || value::is_sentence(value.text) || value::is_placeholder(value.text) {
        return None;
    }
    // A lock's code may end with a key: "7731#".
    let code = value.text.trim_end_matches(['#', '*']);
    let is_number = code.len() >= 3 && code.chars().all(|c| c.is_ascii_digit());
    if is_number && is_amount(text, name, join, value) {
        return None;
    }
    let is_joined = join == "colon" && text[..value.start].ends_with(':');
    let kind = if is_number { format!("{}-number", name.kind) } else { name.kind.to_owned() };
    let is_match = |rule: &&Rule| {
        rule.kind == kind
            && (rule.joins.iter().any(|j| *j == join || is_joined && *j == "joined"))
            && rule.checks.iter().all(|check| check.passes(value.text))
    };
    let certainty = RULES.iter().find(is_match).map(|rule| rule.certainty);
    let beside_a_user = || {
        matches!(name.kind, "password" | "weak")
            && matches!(join, "colon" | "sentence" | "quoted")
            && value.text.chars().count() >= 4
            && !is_number
            && value::is_assigned(value.text)
            && ends_there(text, value.end)
            && is_beside_a_user(text, name.start)
    };
    certainty.or_else(|| beside_a_user().then_some(Doubtful))
}

/// Returns whether a number is an amount: a unit follows it, or its name is a plural.
fn is_amount(text: &str, name: &Name<'_>, join: &str, value: &Value<'_>) -> bool {
    let next = text[value.end..].trim_start_matches([' ', '\t']);
    // The next word of "key=4719 otp=123456" is another name.
    let is_name = next.trim_start_matches(joins).starts_with(['=', ':']);
    let has_unit = next.starts_with(|c: char| c.is_alphabetic() || c == '%') && !is_name;
    match name.kind {
        "pin" => value.text.len() > 8 || has_unit && join == "sentence",
        // "prompt_tokens: 1234567" is a count.
        kind => has_unit && !value.is_quoted || kind == "key" && name.text.ends_with(['s', 'S']),
    }
}

/// Returns whether only the end of a line, a bracket or a list item follows.
fn ends_there(text: &str, end: usize) -> bool {
    let rest =
        text[end..].split('\n').next().unwrap_or_default().trim_start_matches([
            '"', '\'', '`', ')', ']', '*', '.', '!', ',', ';', '|', ' ', '\r',
        ]);
    rest.is_empty()
        || pattern("login").find(rest).is_some_and(|m| m.start() == 0)
        || text[end..].starts_with([',', ';', '.'])
}

/// Returns whether the same line, or an adjacent one, names the login.
fn is_beside_a_user(text: &str, at: usize) -> bool {
    let begin = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let above = text[..begin.saturating_sub(1)].rsplit('\n').next().unwrap_or_default();
    let own_line = lines::line_prefix(text, at);
    let below = text[at..].split('\n').nth(1).unwrap_or_default();
    let says =
        |line: &str| pattern("login").captures(line).is_some_and(|c| !value::said_of_errors(&c[1]));
    says(own_line)
        || pattern("bullet").is_match(own_line)
            && [above, below].iter().any(|line| says(line) && line.split_whitespace().count() <= 5)
}

/// Redacts the values of cookies, up to the end of their line.
fn hide_cookies(r: &mut Redactor, text: &str, at: usize) -> Option<(usize, usize, String)> {
    let line = text[at..].split('\n').next().unwrap_or_default();
    let out = r.replace(pattern("cookie"), line, |r, c, _| {
        let is_session = c.name("session").is_some() && value::is_header_secret(&c["value"]);
        let is_secret = is_session || value::is_random(&c["value"], 6);
        (c.name("attribute").is_none() && is_secret)
            .then(|| format!("{}{}", &c[1], r.hide("token", Sure, &c["value"])))
    });
    (out != line).then(|| (at, at + line.len(), out))
}

/// Redacts the password after a name: "login: bob / hunter22".
fn hide_login_and_password(
    r: &mut Redactor,
    text: &str,
    at: usize,
    join: &str,
) -> Option<(usize, usize, String)> {
    let c = pattern("login_pair").captures(&text[at..])?;
    if !matches!(join, "colon" | "assigned" | "sentence") && &c[2] != " / " {
        return None;
    }
    let password = value::bare_value(&c[3]);
    if !value::is_told(password, 5)
        || value::is_placeholder(&c[1])
        || words::is_ordinary(&c[1]) && &c[1] != "admin" && &c[1] != "root"
    {
        return None;
    }
    let begin = at + c.get(3).map_or(0, |m| m.start());
    Some((begin, begin + password.len(), r.hide("token", Doubtful, password)))
}
