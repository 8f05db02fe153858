//! The rules of `data/rules.toml`, and their application.

use std::{cell::LazyCell, collections::HashMap, net::IpAddr, ops::Range, sync::LazyLock};

use regex::{Captures, Regex};
use toml_edit::Table;

use super::{
    data::{self, is_listed},
    lines::{self, LineKind, Lines},
    names, network, numbers, people,
    redactor::{Redactor, splice},
    value::{self, Check},
};

/// The range of a value, its kind and its text.
type Value<'t> = (Range<usize>, (&'t str, &'t str));

static STAGES: LazyLock<HashMap<String, Vec<Rule>>> = LazyLock::new(|| data::rules(Rule::parse));

/// A rule: a pattern whose named groups are replaced. `data/rules.toml` describes the fields.
struct Rule {
    pattern: Regex,
    /// The named groups, with their kinds.
    groups: Vec<(usize, String)>,
    checks: Vec<Check>,
    /// The checks that make a match certain; `None` if matches of this rule are never certain.
    certain_if: Option<Vec<Check>>,
    line: Option<Regex>,
    label: Option<Regex>,
    unless_before: Option<Regex>,
    unless_after: Option<Regex>,
    scope: Option<String>,
}

impl Rule {
    fn parse(table: &Table) -> Self {
        let text = |name: &str| data::field(table, name);
        let regex = |name: &str| text(name).map(|pattern| data::compile(&pattern));
        let checks = |name: &str| Check::parse(&text(name).unwrap_or_default());
        let pattern = data::compile(&text("pattern").unwrap_or_default());
        let kind = |name: &str| name.trim_end_matches(char::is_numeric).to_owned();
        let names = pattern.capture_names().enumerate();
        Self {
            groups: names.filter_map(|(group, name)| Some((group, kind(name?)))).collect(),
            pattern,
            checks: checks("check"),
            certain_if: table.get("certain").is_none().then(|| checks("certain_if")),
            line: regex("line"),
            label: regex("label"),
            unless_before: regex("unless_before"),
            unless_after: regex("unless_after"),
            scope: text("within"),
        }
    }

    fn apply(&self, r: &mut Redactor, text: &str) -> String {
        let lines = LazyCell::new(|| Lines::new(text));
        let signatures = LazyCell::new(|| people::signatures(text));
        let is_in_scope = |offset: usize| match self.scope.as_deref() {
            None => true,
            Some("text") => lines.kind(offset) != LineKind::Code,
            Some("signature") => signatures.iter().any(|line| line.contains(&offset)),
            Some(_) => lines.kind(offset) == LineKind::Prose,
        };
        let matches = self.pattern.captures_iter(text);
        let values = matches.filter(|c| is_in_scope(c.get(0).map_or(0, |m| m.start())));
        let values = values.filter_map(|c| self.values(&c, text)).flatten();
        splice(text, values, |(kind, value)| self.hide_value(r, kind, value))
    }

    /// Returns the values of a match with their kinds, or `None` if the match is kept.
    fn values<'t>(&'t self, c: &Captures<'t>, text: &'t str) -> Option<Vec<Value<'t>>> {
        let whole = c.get(0)?;
        let mut values: Vec<Value<'_>> = Vec::new();
        for (group, kind) in &self.groups {
            let Some(m) = c.get(*group).filter(|m| !m.is_empty()) else { continue };
            let is_phone = kind == "phone";
            let value = if is_phone { numbers::longest_phone(m.as_str()) } else { m.as_str() };
            values.push((m.start()..m.start() + value.len(), (kind.as_str(), value)));
        }
        let (range, (kind, _)) = values.last()?;
        // The match may contain another number after the phone number.
        let suffix = &text[if *kind == "phone" { range.end } else { whole.end() }..];
        let line_prefix = lines::line_prefix(text, whole.start());
        let is_excluded = self.label.as_ref().is_some_and(|p| !p.is_match(line_prefix))
            || self.unless_before.as_ref().is_some_and(|p| p.is_match(line_prefix))
            || self.unless_after.as_ref().is_some_and(|p| p.is_match(suffix))
            || !values.iter().all(|(_, (kind, value))| self.passes(kind, value));
        (!is_excluded).then_some(values)
    }

    fn hide_value(&self, r: &mut Redactor, kind: &str, value: &str) -> String {
        let is_certain =
            self.certain_if.as_ref().is_some_and(|checks| Check::all_pass(checks, value));
        match kind {
            "user" => r.hide_possible_login(value),
            "host" => hide_host(r, is_certain, value),
            "link" if !r.is_hidden_link(value) => value.to_owned(),
            "token"
                if data::pattern("placeholder").is_match(value)
                    || is_listed("names_of_secrets", &value.to_lowercase()) =>
            {
                value.to_owned()
            }
            _ => r.hide(kind, is_certain, value),
        }
    }

    /// Returns whether a value has the form of its kind and passes the checks of its rule.
    fn passes(&self, kind: &str, value: &str) -> bool {
        let has_form = match kind {
            "person" => names::can_be_name(value),
            "email" => !network::is_not_email(value),
            _ => true,
        };
        has_form && (kind == "user" || Check::all_pass(&self.checks, value))
    }
}

/// Returns the pseudonym of a host, or its name if it is public.
fn hide_host(r: &mut Redactor, is_certain: bool, host: &str) -> String {
    let lower = host.to_lowercase();
    let is_public = is_listed("no_logins", &lower)
        || lower.starts_with('[')
        || r.keeps_host(&lower)
        || network::is_public_host(&lower)
        || value::is_ordinary(&lower)
        || data::pattern("no_host").is_match(&lower)
        || lower.parse::<IpAddr>().is_ok() && !network::is_machine_address(&lower);
    if is_public { host.to_owned() } else { r.hide("host", is_certain, &lower) }
}

/// Redacts a text with the rules of a stage.
pub(super) fn hide(r: &mut Redactor, stage: &str, text: &str) -> String {
    STAGES[stage].iter().fold(text.to_owned(), |text, rule| match &rule.line {
        Some(pattern) => text
            .split_inclusive('\n')
            .map(|line| {
                let (front, rest) =
                    line.split_at(pattern.find(line).map_or(line.len(), |m| m.end()));
                front.to_owned() + &rule.apply(r, rest)
            })
            .collect(),
        None => rule.apply(r, &text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_have_valid_patterns_and_checks() {
        assert!(STAGES.values().map(Vec::len).sum::<usize>() > 80);
        for rule in STAGES.values().flatten() {
            assert!(!rule.groups.is_empty(), "{}", rule.pattern);
            let checks = rule.checks.iter().chain(rule.certain_if.iter().flatten());
            for check in checks {
                check.passes("x");
            }
        }
    }
}
