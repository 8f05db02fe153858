//! Secrets that the name before them identifies: `password = …`, "Passwort: …", "пароль …". The
//! search finds the name, in the languages of mail programs, then the separator, and then decides
//! whether the value can be a secret.

use std::sync::LazyLock;

use precedent_text::words::Words;
use regex::Regex;

use super::{
    Certainty::{self, Doubtful, Sure},
    facts::pattern,
    lines,
    redactor::Redactor,
    value, words,
};

static NAME: LazyLock<Regex> = LazyLock::new(|| pattern("secret_name"));

/// Returns whether a character joins words into one name.
fn joins(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// The names that are also part of other words: "compass", "author", "pins".
static ALONE: Words = Words::new(include_str!("../data/secrets_and_parts.txt"));
/// The words that may precede such a name without a separator.
static FRONTS: Words = Words::new(include_str!("../data/secret_fronts.txt"));
/// Attributes of secrets: a name that ends with one names no secret.
static OF_SECRETS: Words = Words::new(include_str!("../data/secret_attributes.txt"));

/// The kind of secret that a name implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Password,
    /// A password's name such as "pass", which also is the result of a test.
    Weak,
    Key,
    /// A name that ends with "key", as that of a column does; the value must be a generated one.
    AnyKey,
    /// A name of a login method or a secret; the value must be unambiguous.
    Vague,
    /// A name and a password, one after the other.
    Both,
    /// A code of digits alone.
    Pin,
}

/// The separator between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Join {
    /// `=`, as in an assignment.
    Assigned,
    /// `:`, which any text may follow.
    Colon,
    /// "is", "lautet", "est": a sentence.
    Sentence,
    /// A space only.
    Beside,
    /// An option and its argument: `--password value`.
    Option,
    /// An XML element: `<password>value</password>`.
    Tag,
}

/// A secret's name, with its position.
struct Name {
    start: usize,
    end: usize,
    kind: Kind,
}

/// Returns the whole name around a match, if it is that of a secret.
fn name(text: &str, m: regex::Match<'_>, kind: Kind) -> Option<Name> {
    let lower = m.as_str().to_lowercase();
    let no_case = !lower.chars().next().is_some_and(|c| c.is_lowercase());
    let prefix = &text[..m.start()];
    let start = if no_case {
        m.start()
    } else {
        m.start() - prefix.len() + prefix.trim_end_matches(joins).len()
    };
    let tail = &text[m.end()..];
    let rest =
        if no_case { "" } else { &tail[..tail.len() - tail.trim_start_matches(joins).len()] };
    let front = &text[start..m.start()];
    // Pseudonyms are not redacted again.
    if prefix.ends_with('[') && rest.starts_with('-') && tail[rest.len()..].starts_with(']') {
        return None;
    }
    let original = m.as_str();
    let fits = no_case || fits_front(front, original, &lower) && fits_rest(rest, original);
    if !fits {
        return None;
    }
    let kind = match lower.as_str() {
        "pass" if front.is_empty() => Kind::Weak,
        "auth" | "cookie" | "cookies" | "bearer" | "kode" | "kw" | "clave" | "parole" => {
            Kind::Vague
        }
        _ => kind,
    };
    Some(Name { start, end: m.end() + rest.len(), kind })
}

/// Returns whether the front of a word permits a name at its end: `db_password`, `accessToken`,
/// `PGPASSWORD`.
fn fits_front(front: &str, original: &str, lower: &str) -> bool {
    let Some(last) = front.chars().next_back() else { return true };
    let whole = front.to_lowercase();
    if whole.ends_with("public")
        || whole.ends_with("publickey")
        || whole.trim_end_matches(['_', '-']).ends_with("no")
    {
        return false;
    }
    if !last.is_alphanumeric() {
        return true;
    }
    let capital = original.chars().next().is_some_and(char::is_uppercase);
    if last.is_lowercase() && capital || last.is_numeric() {
        return true;
    }
    if ALONE.contains(lower) {
        let word = whole.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        return FRONTS.contains(word);
    }
    true
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
    !OF_SECRETS.contains(&last)
}

static COLON: LazyLock<Regex> = LazyLock::new(|| pattern("secret_colon"));
static SENTENCE: LazyLock<Regex> = LazyLock::new(|| pattern("secret_sentence"));
static ASIDE: LazyLock<Regex> = LazyLock::new(|| pattern("secret_aside"));
static SPACE: LazyLock<Regex> = LazyLock::new(|| pattern("secret_space"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern("secret_tag"));
static SCHEME: LazyLock<Regex> = LazyLock::new(|| pattern("scheme"));
static LOGIN: LazyLock<Regex> = LazyLock::new(|| pattern("login"));
static BULLET: LazyLock<Regex> = LazyLock::new(|| pattern("bullet"));
static COOKIE: LazyLock<Regex> = LazyLock::new(|| pattern("cookie"));
static COOKIE_ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| pattern("cookie_attribute"));
static SESSION_COOKIE: LazyLock<Regex> = LazyLock::new(|| pattern("session_cookie"));
static LOGIN_PAIR: LazyLock<Regex> = LazyLock::new(|| pattern("login_pair"));

/// Redacts values whose name identifies them as secrets.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for c in NAME.captures_iter(text) {
        let Some(m) = c.get(0).filter(|m| m.start() >= from) else { continue };
        const KINDS: [Kind; 5] = [Kind::Password, Kind::Pin, Kind::Key, Kind::Both, Kind::AnyKey];
        let kind = (1..).zip(KINDS).find(|(group, _)| c.get(*group).is_some());
        let Some(name) = kind.and_then(|(_, kind)| name(text, m, kind)) else { continue };
        let Some((at, end, pseudonym)) = value_of(r, text, &name).filter(|(at, ..)| *at >= from)
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
fn value_of(r: &mut Redactor, text: &str, name: &Name) -> Option<(usize, usize, String)> {
    let suffix = &text[name.end..];
    let (join, gap) = separator(text, name, suffix)?;
    let mut at = name.end + gap;
    if name.kind == Kind::Vague
        && matches!(join, Join::Colon | Join::Assigned)
        && is_cookie(text, name)
    {
        return cookies(r, text, at);
    }
    if name.kind == Kind::Both {
        return login_and_password(r, text, at, join);
    }
    let scheme = SCHEME.find(&text[at..]).map_or(0, |m| m.end());
    at += scheme;
    // The value may be on the line below the label.
    if join == Join::Colon
        && let Some(below) = below(text, at)
    {
        at = below;
    }
    let (begin, end, is_quoted) = extent(text, at, join)?;
    let value = &text[begin..end];
    // A header with a scheme has nothing but a secret after it; so has a header of a key.
    let is_header = join == Join::Colon && (scheme > 0 || is_key_header(text, name));
    let certainty = match is_header && value::is_header_secret(value) {
        true => Sure,
        false => rate(text, name, join, value, is_quoted, end)?,
    };
    Some((begin, end, r.hide("token", certainty, value)))
}

/// Returns the separator after a name, and its length.
fn separator(text: &str, name: &Name, suffix: &str) -> Option<(Join, usize)> {
    if let Some(c) = COLON.captures(suffix) {
        let end = c.get(0).map_or(0, |m| m.end());
        let is_comparison = c.get(1).is_some_and(|m| m.as_str() == "==");
        // "Passwords do not match: …" is an error message.
        let errs = suffix[..end].split(|c: char| !c.is_alphabetic()).any(value::said_of_errors);
        let twice = suffix[end..].starts_with([':', '=']);
        return (!is_comparison && !twice && !errs)
            .then_some((if c.get(1).is_some() { Join::Assigned } else { Join::Colon }, end));
    }
    if let Some(m) = ASIDE.find(suffix) {
        return Some((Join::Assigned, m.end()));
    }
    if let Some(m) = SENTENCE.find(suffix) {
        return Some((Join::Sentence, m.end()));
    }
    if text[..name.start].ends_with('<') {
        return TAG.find(suffix).map(|m| (Join::Tag, m.end()));
    }
    let option = text[name.start..].starts_with('-');
    SPACE.find(suffix).map(|m| (if option { Join::Option } else { Join::Beside }, m.end()))
}

/// Returns whether a name is that of a custom header with a key: `X-Api-Key`, `X-Auth-Token`.
fn is_key_header(text: &str, name: &Name) -> bool {
    matches!(name.kind, Kind::Key | Kind::Password)
        && text[name.start..name.end].to_lowercase().starts_with("x-")
}

/// Returns whether a name is written like a variable of the environment: `DB_PASSWORD`.
fn is_variable(text: &str, name: &Name) -> bool {
    let name = &text[name.start..name.end];
    name.contains('_') && !name.contains(char::is_lowercase)
}

fn is_cookie(text: &str, name: &Name) -> bool {
    text[name.start..name.end].to_lowercase().contains("cookie")
}

/// Returns the start and end of a value, and whether it is quoted.
fn extent(text: &str, at: usize, join: Join) -> Option<(usize, usize, bool)> {
    let rest = &text[at..];
    if join == Join::Tag {
        let end = rest.find(['<', '\n', ']'])?;
        return (rest[end..].starts_with(['<', ']']) && end > 0).then_some((at, at + end, true));
    }
    let is_escaped = rest.starts_with('\\') && rest[1..].starts_with(['"', '\'']);
    let inner = &rest[usize::from(is_escaped)..];
    let close = match inner.chars().next() {
        Some('"') if is_escaped => Some("\\\""),
        Some('\'') if is_escaped => Some("\\'"),
        Some('"') => Some("\""),
        Some('\'') => Some("'"),
        Some('`') => Some("`"),
        Some('“' | '„') => Some("”"),
        Some('«') => Some("»"),
        Some('「') => Some("」"),
        _ => None,
    };
    if let Some(close) = close {
        let open = usize::from(is_escaped) + inner.chars().next().map_or(0, char::len_utf8);
        let line = rest[open..].split('\n').next().unwrap_or_default();
        if let Some(end) =
            quote_end(line, close).or_else(|| line.find('“').filter(|_| close == "”"))
        {
            return (end > 0).then_some((at + open, at + open + end, true));
        }
        let value = value::bare_value(&rest[open..]);
        return (!value.is_empty()).then_some((at + open, at + open + value.len(), true));
    }
    let value = value::bare_value(rest);
    (!value.is_empty()).then_some((at, at + value.len(), false))
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
fn rate(
    text: &str,
    name: &Name,
    join: Join,
    value: &str,
    is_quoted: bool,
    end: usize,
) -> Option<Certainty> {
    let sentence = value::is_sentence(value);
    if sentence || value::is_placeholder(value) || goes_on(text, end, is_quoted) {
        return None;
    }
    let digits = value.len() >= 3 && value.chars().all(|c| c.is_ascii_digit());
    if digits {
        return number(text, name, join, value, is_quoted, end);
    }
    let fits = |least| value::is_told(value, least);
    let random = |least| value::is_random(value, least);
    let sure = match (name.kind, join) {
        (Kind::Pin, _) => false,
        // A variable of the environment, in a file of settings.
        (Kind::Password | Kind::Key, Join::Colon) if is_variable(text, name) => {
            value::is_assigned(value)
        }
        (Kind::Password | Kind::Weak, Join::Assigned | Join::Tag) => value::is_assigned(value),
        (Kind::Password, Join::Colon) if is_quoted => value::is_assigned(value),
        (Kind::Password, Join::Colon) => fits(4) || passphrase(value),
        (Kind::Password, Join::Option) => fits(4) || is_quoted && value::is_assigned(value),
        (Kind::Weak, Join::Colon) => {
            let is_upper = text[name.start..name.end].chars().all(char::is_uppercase);
            if is_quoted { value::is_assigned(value) } else { !is_upper && fits(5) }
        }
        (Kind::Key, Join::Assigned | Join::Tag) => value::is_assigned(value),
        (Kind::Key, Join::Colon) if is_quoted => {
            value::is_assigned(value) && (fits(4) || value.len() >= 3)
        }
        (Kind::Key, Join::Colon | Join::Option) => fits(8) && random(8),
        (Kind::Vague, Join::Assigned) => fits(8),
        (Kind::Vague, Join::Colon | Join::Option) => fits(12) && random(12),
        _ => false,
    };
    if sure {
        return Some(Sure);
    }
    let perhaps = match (name.kind, join) {
        (Kind::Password, Join::Sentence | Join::Beside) => {
            // "password reset2": a numbered word.
            let is_numbered =
                words::is_ordinary(value.trim_end_matches(|c: char| c.is_ascii_digit()));
            !is_numbered && (fits(5) || is_quoted && (fits(4) || passphrase(value)))
        }
        (Kind::Weak, Join::Sentence) => fits(6),
        // "la clave es geheim12"
        (Kind::Vague, Join::Sentence) => fits(6) && random(6) && !value.contains('-'),
        (Kind::Pin, Join::Colon | Join::Assigned) => random(8),
        // "secret: geheim12"; a word alone follows in messages.
        (Kind::Key, Join::Colon | Join::Sentence) if !value.contains('-') && !random(12) => {
            fits(if join == Join::Colon { 6 } else { 8 })
                && value.starts_with(char::is_alphabetic)
                && value.ends_with(|c: char| c.is_ascii_digit())
        }
        // "pwd:geheim", as in an assignment.
        (Kind::Password, Join::Colon) => {
            text[..end - value.len()].ends_with(':')
                && value.chars().count() >= 5
                && value::is_assigned(value)
        }
        (Kind::Key, Join::Sentence | Join::Beside) => {
            // Names of cluster secrets are hyphenated, so a secret needs a long run without
            // hyphens.
            let digit = value.chars().any(|c| c.is_ascii_digit());
            random(12) && (value::longest_run(value) >= 12 && digit || value::is_mixed(value))
                || is_key_header(text, name) && random(6)
        }
        (Kind::AnyKey, _) => random(14) && value::is_mixed(value),
        _ => false,
    };
    let beside_a_user = || {
        matches!(name.kind, Kind::Password | Kind::Weak)
            && matches!(join, Join::Colon | Join::Sentence)
            && value.chars().count() >= 4
            && value::is_assigned(value)
            && ends_there(text, end)
            && is_beside_a_user(text, name.start)
    };
    (perhaps || beside_a_user()).then_some(Doubtful)
}

/// Returns the certainty that a number is a password; a number followed by a unit is none.
fn number(
    text: &str,
    name: &Name,
    join: Join,
    value: &str,
    quote: bool,
    end: usize,
) -> Option<Certainty> {
    let kind = name.kind;
    let least = match kind {
        Kind::Password => 4,
        // The code on the back of a card has three digits.
        Kind::Pin if text[name.start..].to_lowercase().starts_with("cv") => 3,
        Kind::Pin => 4,
        Kind::Key => 6,
        Kind::AnyKey | Kind::Weak | Kind::Vague | Kind::Both => return None,
    };
    let is_explicit = matches!(join, Join::Assigned | Join::Colon | Join::Tag | Join::Option)
        || kind == Kind::Password && join == Join::Sentence
        || kind == Kind::Pin;
    let is_beside = kind == Kind::Pin && join == Join::Beside;
    let next = text[end..].trim_start_matches([' ', '\t']);
    // The next word of "pin: 4719 tel 555" or "key=4719 otp=123456" is another name.
    let is_pin = kind == Kind::Pin && matches!(join, Join::Assigned | Join::Colon);
    let is_name = is_pin || next.trim_start_matches(joins).starts_with(['=', ':']);
    let has_unit = !quote
        && !is_name
        && !is_beside
        && next.starts_with(|c: char| c.is_alphabetic() || c == '%');
    // "prompt_tokens: 1234567" is a count.
    let several = kind == Kind::Key && text[name.start..name.end].ends_with(['s', 'S']);
    let most = if kind == Kind::Pin { 8 } else { 40 };
    (value.len() >= least && value.len() <= most && is_explicit && !has_unit && !several)
        .then_some(if kind == Kind::Key { Doubtful } else { Sure })
}

/// Returns whether a value is a passphrase of three or more joined words, as is commonly
/// recommended.
fn passphrase(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['-', '_', '.', '+']).collect();
    parts.len() >= 3
        && parts
            .iter()
            .all(|p| p.len() >= 3 && p.chars().all(char::is_alphabetic) && !words::is_ordinary(p))
        && value::is_assigned(value)
}

/// Returns whether an unquoted value continues as code: `password=f(`.
fn goes_on(text: &str, end: usize, is_quoted: bool) -> bool {
    !is_quoted && text[end..].starts_with(['(', '`'])
}

/// Returns whether only the end of a line, a bracket or a list item follows.
fn ends_there(text: &str, end: usize) -> bool {
    let rest =
        text[end..].split('\n').next().unwrap_or_default().trim_start_matches([
            '"', '\'', '`', ')', ']', '*', '.', '!', ',', ';', '|', ' ', '\r',
        ]);
    rest.is_empty()
        || LOGIN.find(rest).is_some_and(|m| m.start() == 0)
        || text[end..].starts_with([',', ';', '.'])
}

/// Returns whether the same line, or an adjacent one, names the login.
fn is_beside_a_user(text: &str, at: usize) -> bool {
    let begin = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let above = text[..begin.saturating_sub(1)].rsplit('\n').next().unwrap_or_default();
    let own_line = lines::line_prefix(text, at);
    let below = text[at..].split('\n').nth(1).unwrap_or_default();
    let says = |line: &str| LOGIN.captures(line).is_some_and(|c| !value::said_of_errors(&c[1]));
    says(own_line)
        || BULLET.is_match(own_line)
            && [above, below].iter().any(|line| says(line) && line.split_whitespace().count() <= 5)
}

/// Redacts the values of cookies, up to the end of their line.
fn cookies(r: &mut Redactor, text: &str, at: usize) -> Option<(usize, usize, String)> {
    let line = text[at..].split('\n').next().unwrap_or_default();
    let out = r.replace(&COOKIE, line, |r, c, _| {
        let attribute = COOKIE_ATTRIBUTE.is_match(&c[1]);
        let is_session = SESSION_COOKIE.is_match(&c[1]) && value::is_header_secret(&c[2]);
        if !attribute && (is_session || value::is_random(&c[2], 6)) {
            format!("{}{}", &c[1], r.hide("token", Sure, &c[2]))
        } else {
            c[0].to_owned()
        }
    });
    (out != line).then(|| (at, at + line.len(), out))
}

/// Redacts the password after a name: "login: bob / hunter22".
fn login_and_password(
    r: &mut Redactor,
    text: &str,
    at: usize,
    join: Join,
) -> Option<(usize, usize, String)> {
    let c = LOGIN_PAIR.captures(&text[at..])?;
    if !matches!(join, Join::Colon | Join::Assigned | Join::Sentence) && &c[2] != " / " {
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
