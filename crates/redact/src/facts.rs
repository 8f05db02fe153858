//! The facts of redaction, which `data/` holds: patterns, rules, the tokens of services, and words.

#![allow(clippy::unwrap_used, reason = "the data is constant; a test reads all of it")]

use std::{collections::BTreeMap, sync::LazyLock};

use precedent_text::pattern::re;
use regex::{Captures, Regex};
use toml_edit::{DocumentMut, Item, Table};

static PATTERNS: LazyLock<BTreeMap<String, String>> = LazyLock::new(|| {
    let document = read(include_str!("../data/patterns.toml"));
    let patterns = document.iter().map(|(name, item)| (name.to_owned(), one_line(item)));
    patterns.chain([("vendor_token".to_owned(), vendor_token())]).collect()
});
static RULES: LazyLock<DocumentMut> = LazyLock::new(|| read(include_str!("../data/rules.toml")));
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| re(r"\{([a-z_]{2,})\}"));

fn read(text: &str) -> DocumentMut {
    text.parse().unwrap()
}

/// Returns a pattern without its line breaks.
fn one_line(pattern: &Item) -> String {
    pattern.as_str().unwrap().lines().collect()
}

/// Returns the pattern of the services' tokens.
fn vendor_token() -> String {
    let lines = include_str!("../data/vendors.txt").lines().filter(|l| !l.starts_with('#'));
    let forms: Vec<String> = lines
        .filter_map(|line| match line.split_once(": ") {
            Some((rest, prefixes)) => {
                let prefixes: Vec<String> = prefixes.split(' ').map(regex::escape).collect();
                Some(format!("(?:{}){rest}", prefixes.join("|")))
            }
            None => line.strip_prefix("= ").map(str::to_owned),
        })
        .collect();
    forms.join("|")
}

/// Returns a pattern with the patterns that it refers to.
fn expand(pattern: &str) -> String {
    let inner = |c: &Captures<'_>| format!("(?:{})", expand(&PATTERNS[&c[1]]));
    let out = REFERENCE.replace_all(pattern, inner);
    // A search for ASCII boundaries is much faster.
    if out.is_ascii() && !out.contains(r"\p{") {
        out.replace(r"\b", r"(?-u:\b)")
    } else {
        out.into_owned()
    }
}

/// Returns a pattern of `patterns.toml`.
pub(super) fn pattern(name: &str) -> Regex {
    re(&expand(&PATTERNS[name]))
}

/// Compiles a pattern that may refer to those of `patterns.toml`.
pub(super) fn compile(pattern: &str) -> Regex {
    re(&expand(pattern))
}

/// Returns the tables of the rules of a stage, in order.
pub(super) fn rules(stage: &str) -> impl Iterator<Item = &'static Table> {
    RULES[stage].as_array_of_tables().unwrap().iter()
}

/// Returns the text of a field of a table, on one line.
pub(super) fn field(table: &Table, name: &str) -> Option<String> {
    table.get(name).map(one_line)
}
