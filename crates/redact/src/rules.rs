//! Application of the rules in `data/rules.toml`.

use std::sync::LazyLock;

use regex::{Captures, Match, Regex};
use toml_edit::Table;

use super::{
    Certainty::{self, Doubtful, Sure},
    facts,
    lines::{self, Lines, Manner},
    names, network,
    redactor::Redactor,
    value::{self, Check},
};

/// The kinds of private text that rules find.
const KINDS: [&str; 11] = [
    "token", "user", "host", "person", "place", "company", "email", "address", "device", "account",
    "link",
];

/// The kinds of lines in which a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Anything,
    /// Everything but code.
    Text,
    Prose,
}

/// A rule: a pattern whose named groups are replaced. `data/rules.toml` describes the fields.
struct Rule {
    pattern: Regex,
    checks: Vec<Check>,
    needs: Option<String>,
    label: Option<Regex>,
    unless_before: Option<Regex>,
    unless_after: Option<Regex>,
    within: Within,
    certainty: Certainty,
}

impl Rule {
    fn read(table: &Table) -> Self {
        let text = |name: &str| facts::field(table, name);
        let pattern = |name: &str| text(name).map(|pattern| facts::compile(&pattern));
        let is_sure = table.get("sure").is_none_or(|sure| sure.as_bool() == Some(true));
        Self {
            pattern: facts::compile(&text("pattern").unwrap_or_default()),
            checks: Check::read(&text("check").unwrap_or_default()),
            needs: text("needs"),
            label: pattern("label"),
            unless_before: pattern("unless_before"),
            unless_after: pattern("unless_after"),
            within: match text("within").as_deref() {
                None => Within::Anything,
                Some("text") => Within::Text,
                Some(_) => Within::Prose,
            },
            certainty: if is_sure { Sure } else { Doubtful },
        }
    }
}

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

fn read(stage: &str) -> Vec<Rule> {
    facts::rules(stage).map(Rule::read).collect()
}

pub(super) static SECRETS: Stage = Stage::new(|| read("secrets"));
pub(super) static ACCOUNTS: Stage = Stage::new(|| read("accounts"));
pub(super) static NETWORK: Stage = Stage::new(|| read("network"));
pub(super) static ADDRESSES: Stage = Stage::new(|| read("addresses"));
pub(super) static PEOPLE: Stage = Stage::new(|| read("people"));
pub(super) static LOGINS: Stage = Stage::new(|| read("logins"));

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
    let line_prefix = || lines::line_prefix(text, whole.start());
    if is_excluded
        || rule.label.as_ref().is_some_and(|pattern| !pattern.is_match(line_prefix()))
        || rule.unless_before.as_ref().is_some_and(|pattern| pattern.is_match(line_prefix()))
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
    if !values.iter().all(|(kind, value)| fits(rule, kind, value.as_str())) {
        return None;
    }
    let mut out = String::with_capacity(whole.len());
    let mut at = whole.start();
    for (kind, value) in values {
        out.push_str(&text[at..value.start()]);
        let certainty = rule.certainty;
        let (original, end) = (value.as_str(), value.end());
        out.push_str(&match kind {
            "user" => r.name(original),
            "host" => network::host(r, original),
            "person" => r.hide_person(certainty, original),
            "link" if !r.is_link_to_tracker(original) => original.to_owned(),
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

/// Returns whether a value has the form of its kind and passes the checks of its rule.
fn fits(rule: &Rule, kind: &str, value: &str) -> bool {
    let has_form = match kind {
        "person" => names::can_be_name(value),
        "email" => !network::is_no_email(value),
        _ => true,
    };
    has_form && (kind == "user" || rule.checks.iter().all(|check| check.passes(value)))
}
