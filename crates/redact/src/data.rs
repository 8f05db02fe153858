//! The redaction data in `data/`: patterns, rules and word lists.

#![allow(clippy::unwrap_used, reason = "the data is constant; a test reads all of it")]

use std::{
    collections::{HashMap, HashSet},
    sync::{LazyLock, OnceLock},
};

use precedent_text::pattern::re;
use regex::{Captures, Regex};
use toml_edit::{DocumentMut, Item, Table};

/// The patterns of `patterns.toml`, compiled when first used.
static PATTERNS: LazyLock<HashMap<String, (String, OnceLock<Regex>)>> = LazyLock::new(|| {
    let pattern = |item: &Item| (one_line(item), OnceLock::new());
    parse(include_str!("../data/patterns.toml"), pattern)
});
static WORDS: LazyLock<HashMap<String, HashSet<String>>> = LazyLock::new(|| {
    let words =
        |item: &Item| item.as_str().unwrap().split_whitespace().map(str::to_owned).collect();
    parse(include_str!("../data/words.toml"), words)
});
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| re(r"\{([a-z_]{2,})\}"));

/// Parses the entries of a document.
fn parse<T>(text: &str, value: impl Fn(&Item) -> T) -> HashMap<String, T> {
    let document: DocumentMut = text.parse().unwrap();
    document.iter().map(|(name, item)| (name.to_owned(), value(item))).collect()
}

/// Returns a pattern without its line breaks.
fn one_line(pattern: &Item) -> String {
    pattern.as_str().unwrap().lines().collect()
}

/// Replaces the references in a pattern with the patterns that they name.
fn expand(pattern: &str) -> String {
    let inner = |c: &Captures<'_>| format!("(?:{})", expand(&PATTERNS[&c[1]].0));
    let out = REFERENCE.replace_all(pattern, inner);
    // Searching for ASCII word boundaries is much faster.
    if out.is_ascii() && !out.contains(r"\p{") {
        out.replace(r"\b", r"(?-u:\b)")
    } else {
        out.into_owned()
    }
}

/// Compiles a pattern that may refer to those of `patterns.toml`.
pub(super) fn compile(pattern: &str) -> Regex {
    re(&expand(pattern))
}

/// Returns a pattern of `patterns.toml`.
pub(super) fn pattern(name: &str) -> &'static Regex {
    let (source, regex) = &PATTERNS[name];
    regex.get_or_init(|| compile(source))
}

/// Returns whether a word is in a list of `words.toml`.
pub(super) fn is_listed(list: &str, word: &str) -> bool {
    WORDS[list].contains(word)
}

/// Reads the rules of each stage, in order.
pub(super) fn rules<T>(read_rule: fn(&Table) -> T) -> HashMap<String, Vec<T>> {
    let tables = |rules: &Item| rules.as_array_of_tables().unwrap().iter().map(read_rule).collect();
    parse(include_str!("../data/rules.toml"), tables)
}

/// Returns the text of a field of a table, on one line.
pub(super) fn field(table: &Table, name: &str) -> Option<String> {
    table.get(name).map(one_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_lists_used_in_code_exist() {
        assert!(PATTERNS.keys().all(|name| !pattern(name).as_str().is_empty()));
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let code: String = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
        let name = re(r#"\b(pattern|is_listed)\("(\w+)""#);
        assert!(name.captures_iter(&code).count() > 60);
        for c in name.captures_iter(&code) {
            let exists = match &c[1] {
                "pattern" => PATTERNS.contains_key(&c[2]) || &c[2] == "pattern",
                _ => WORDS.contains_key(&c[2]),
            };
            assert!(exists, "{}", &c[0]);
        }
    }
}
