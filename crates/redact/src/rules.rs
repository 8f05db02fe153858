//! Application of the rules in `data/rules.toml`.

use std::sync::LazyLock;

use regex::{Captures, Match};

use super::{
    Certainty::{Doubtful, Sure},
    facts::{self, Rule, Within},
    lines::{self, Lines, Manner},
    names, network,
    redactor::Redactor,
    value,
};

/// The kinds of private text that rules find.
const KINDS: [&str; 10] = [
    "token", "user", "host", "person", "place", "company", "email", "address", "device", "account",
];

/// A stage: rules that are applied one after the other.
pub(super) struct Stage(LazyLock<Vec<Rule>>);

impl Stage {
    const fn new(rules: fn() -> Vec<Rule>) -> Self {
        Self(LazyLock::new(rules))
    }

    /// Returns a text without the matches of these rules.
    pub(super) fn hide(&self, r: &mut Redactor, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, rule| match &rule.needs {
            Some(needs) => text
                .split_inclusive('\n')
                .map(|line| {
                    let has_it = line.contains(|c| needs.contains(c));
                    if has_it { apply(r, rule, line) } else { line.to_owned() }
                })
                .collect(),
            None => apply(r, rule, &text),
        })
    }
}

fn apply(r: &mut Redactor, rule: &Rule, text: &str) -> String {
    if !rule.pattern.is_match(text) {
        return text.to_owned();
    }
    let lines = (rule.within != Within::Anything).then(|| Lines::of(text));
    r.replace(&rule.pattern, text, |r, c, text| {
        hide_match(r, rule, lines.as_ref(), c, text).unwrap_or_else(|| c[0].to_owned())
    })
}

pub(super) static SECRETS: Stage = Stage::new(|| facts::rules("secrets"));
pub(super) static ACCOUNTS: Stage = Stage::new(|| facts::rules("accounts"));
pub(super) static NETWORK: Stage = Stage::new(|| facts::rules("network"));
pub(super) static ADDRESSES: Stage = Stage::new(|| facts::rules("addresses"));
pub(super) static PEOPLE: Stage = Stage::new(|| facts::rules("people"));
pub(super) static LOGINS: Stage = Stage::new(|| facts::rules("logins"));

/// Returns a match with pseudonyms, or `None` if it stays.
fn hide_match(
    r: &mut Redactor,
    rule: &Rule,
    lines: Option<&Lines>,
    c: &Captures<'_>,
    text: &str,
) -> Option<String> {
    let whole = c.get(0)?;
    let manner = lines.map(|lines| lines.manner(whole.start()));
    let is_excluded = match rule.within {
        Within::Anything => false,
        Within::Text => manner == Some(Manner::Code),
        Within::Prose => manner != Some(Manner::Prose),
    };
    let before = || lines::line_prefix(text, whole.start());
    if is_excluded
        || rule.label.as_ref().is_some_and(|pattern| !pattern.is_match(before()))
        || rule.unless_before.as_ref().is_some_and(|pattern| pattern.is_match(before()))
        || rule.unless_after.as_ref().is_some_and(|p| p.is_match(&text[whole.end()..]))
    {
        return None;
    }
    let kind = |name: &str| KINDS.into_iter().find(|kind| name.starts_with(kind));
    let mut values: Vec<(&'static str, Match<'_>)> = rule
        .pattern
        .capture_names()
        .flatten()
        .filter_map(|name| Some((kind(name)?, c.name(name)?)))
        .filter(|(_, value)| !value.is_empty())
        .collect();
    values.sort_by_key(|(_, value)| value.start());
    if !values.iter().all(|(kind, value)| fits(rule, kind, *value, text)) {
        return None;
    }
    let mut out = String::with_capacity(whole.len());
    let mut at = whole.start();
    for (kind, value) in values {
        out.push_str(&text[at..value.start()]);
        let certainty = if rule.sure { Sure } else { Doubtful };
        let (original, end) = (value.as_str(), value.end());
        out.push_str(&match kind {
            "user" => r.name(original),
            "host" => network::host(r, original),
            "person" => r.hide_person(certainty, original),
            "token" if value::is_placeholder(original) || value::names_a_secret(original) => {
                original.to_owned()
            }
            _ => r.hide(kind, certainty, original),
        });
        at = end;
    }
    out.push_str(&text[at..whole.end()]);
    Some(out)
}

/// Returns whether a value has the form of its kind and passes the check of its rule.
fn fits(rule: &Rule, kind: &str, value: Match<'_>, text: &str) -> bool {
    let is_quoted = text[..value.start()].ends_with(['"', '\'']);
    let value = value.as_str();
    let has_form = match kind {
        "person" => names::can_be_name(value),
        "email" => !network::is_no_email(value),
        _ => true,
    };
    let Some((check, least)) = rule.check.as_ref().filter(|_| kind != "user") else {
        return has_form;
    };
    has_form
        && match check.as_str() {
            "random" => value::is_random(value, *least),
            "told" => value::is_told(value, *least),
            "assigned" => value::is_assigned(value),
            "password" => value::is_told(value, 3) || is_quoted && value::is_assigned(value),
            "generated" => value::is_generated(value),
            "argument" => value::is_argument(value),
            "license" => value::is_license(value),
            "machine" => value.len() >= 4 && !value::is_method(value),
            _ => value.contains(|c: char| c.is_ascii_digit()),
        }
}
