//! Limits on the size and the words of the code, kept in `tests/budget.toml`. They may shrink
//! freely; a change that raises one says in its commit what users get for it.

#![allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use regex::Regex;
use syn::visit::{self, Visit};

/// The pronouns, adverbs and irregular participles that name nothing by themselves. `now` is the
/// usual name of the current time.
const BARE_NAMES: &str = "after again ahead alike all anew any apart before begun behind beside both chosen cut done drawn each \
                    every found given gone held here it kept known left lost made meant mine none once one only other \
                    others ours own put read said same seen sent set shown some soon such taken that theirs them then there \
                    this told what which who whose written";
/// The nouns that look like participles.
const NOUNS: &str = "bed binding ceiling embed embedding encoding ending feed finding greeting heading hundred id keyring \
                     listing mapping meeting need opening ordering padding pooling ranking rating reading red rendering ring \
                     seed setting settings sibling speed spelling spring string thing timing troubleshooting warning";
/// The verbs that are their own participles, allowed as names of functions.
const VERBS: &str = "cut put read set";
/// The folder of the trackers' wire types.
const WIRE_TYPES: &str = "crates/trackers/src/tracker";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the limits of a section of the budget.
fn budget(section: &str) -> BTreeMap<String, f64> {
    let text = std::fs::read_to_string(root().join("tests/budget.toml")).unwrap();
    let document: toml_edit::DocumentMut = text.parse().unwrap();
    let number = |value: &toml_edit::Item| {
        value.as_float().or_else(|| value.as_integer().map(|number| number as f64)).unwrap()
    };
    let section = document[section].as_table().unwrap();
    section.iter().map(|(name, value)| (name.to_owned(), number(value))).collect()
}

fn collect_sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Files named `tests.rs` contain unit tests.
        if path.is_dir() {
            collect_sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

/// Returns the code of a file before its unit tests.
fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let end = text.find("\n#[cfg(test)]\n").unwrap_or(text.len());
    text[..end].to_owned()
}

/// Returns the path and the code of each file, with its folder.
fn all_code(folders: &BTreeMap<String, f64>) -> Vec<(&str, PathBuf, String)> {
    let mut files = Vec::new();
    for folder in folders.keys() {
        let mut paths = Vec::new();
        collect_sources(&root().join(folder), &mut paths);
        files.extend(paths.into_iter().map(|file| {
            let text = code(&file);
            (folder.as_str(), file, text)
        }));
    }
    files
}

#[test]
fn every_crate_keeps_its_line_budget() {
    let budget = budget("lines");
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    for (folder, _, code) in all_code(&budget) {
        *lines.entry(folder).or_default() += code.lines().count();
    }
    let excesses = lines.iter().filter(|(folder, count)| **count as f64 > budget[**folder]);
    let excesses: Vec<String> = excesses
        .map(|(folder, count)| format!("{folder}: {count} of {}", budget[*folder]))
        .collect();
    assert!(
        excesses.is_empty(),
        "more lines than tests/budget.toml allows:\n{}",
        excesses.join("\n")
    );
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = format!("crates/{}/src", entry.unwrap().file_name().to_string_lossy());
        assert!(budget.contains_key(&name), "tests/budget.toml does not name {name}");
    }
}

#[derive(Default)]
struct Words {
    names: Vec<String>,
    /// `true` within the implementation of a trait, which names the methods.
    is_trait_impl: bool,
    /// `true` in a file with the shapes of a tracker's responses.
    has_wire_types: bool,
    /// The first word of each doc comment.
    openings: Vec<String>,
}

impl<'ast> Visit<'ast> for Words {
    fn visit_ident(&mut self, _: &'ast syn::Ident) {}

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        let name = pattern.ident.to_string();
        // Skip constants and variants without fields.
        if !name.starts_with(char::is_uppercase) {
            self.names.push(name);
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        // The tracker names the fields of its responses.
        let is_wire_type = self.has_wire_types && derives(&item.attrs, "Deserialize");
        let count = self.names.len();
        visit::visit_item_struct(self, item);
        if is_wire_type {
            self.names.truncate(count);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.names.extend(field.ident.as_ref().map(ToString::to_string));
        self.add_opening(&field.attrs);
        visit::visit_field(self, field);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        self.is_trait_impl = item.trait_.is_some();
        visit::visit_item_impl(self, item);
        self.is_trait_impl = false;
    }

    fn visit_signature(&mut self, signature: &'ast syn::Signature) {
        let name = signature.ident.to_string();
        if !self.is_trait_impl && !VERBS.split_whitespace().any(|verb| verb == name) {
            self.names.push(name);
        }
        for input in &signature.inputs {
            match input {
                // The usual name of the second operand, as in `PartialOrd`.
                syn::FnArg::Typed(typed)
                    if signature.receiver().is_some() && is_named(&typed.pat, "other") => {}
                input => self.visit_fn_arg(input),
            }
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add_opening(&item.attrs);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        let (ident, attributes) = match item {
            syn::Item::Struct(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Enum(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Trait(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Type(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Const(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Static(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Mod(i) => (Some(&i.ident), &i.attrs),
            syn::Item::Fn(i) => (None, &i.attrs),
            _ => return visit::visit_item(self, item),
        };
        self.names.extend(ident.map(ToString::to_string));
        self.add_opening(attributes);
        visit::visit_item(self, item);
    }
}

impl Words {
    /// Adds the first word of an item's doc comment.
    fn add_opening(&mut self, attributes: &[syn::Attribute]) {
        let doc = attributes.iter().find_map(|attribute| match &attribute.meta {
            syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
                _ => None,
            },
            _ => None,
        });
        self.openings
            .extend(doc.and_then(|text| text.split_whitespace().next().map(str::to_owned)));
    }
}

fn derives(attributes: &[syn::Attribute], name: &str) -> bool {
    let mut is_derived = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        let result = attribute.parse_nested_meta(|meta| {
            is_derived |= meta.path.segments.last().is_some_and(|part| part.ident == name);
            Ok(())
        });
        result.unwrap();
    }
    is_derived
}

fn is_named(pattern: &syn::Pat, name: &str) -> bool {
    matches!(pattern, syn::Pat::Ident(pattern) if pattern.ident == name)
}

fn is_bare(name: &str) -> bool {
    let has_words = name.contains('_')
        || name.contains(char::is_lowercase) && name.chars().skip(1).any(char::is_uppercase);
    let name = name.to_lowercase();
    let is_participle =
        name.len() > 3 && !has_words && (name.ends_with("ed") || name.ends_with("ing"));
    (is_participle || BARE_NAMES.split_whitespace().any(|word| word == name))
        && !NOUNS.split_whitespace().any(|noun| noun == name)
}

fn share<T>(items: &[T], predicate: impl Fn(&T) -> bool) -> f64 {
    items.iter().filter(|item| predicate(item)).count() as f64 / items.len().max(1) as f64
}

#[test]
fn names_comments_and_width_keep_their_limits() {
    let folders = budget("lines");
    let mut words = Words::default();
    let mut widths = Vec::new();
    let mut bare_names: BTreeMap<String, usize> = BTreeMap::new();
    for (folder, path, code) in all_code(&folders) {
        let parsed = syn::parse_file(&code).unwrap_or_else(|e| panic!("{folder}: {e}"));
        let start = words.names.len();
        words.has_wire_types = path.starts_with(root().join(WIRE_TYPES));
        words.visit_file(&parsed);
        for name in words.names[start..].iter().filter(|name| is_bare(name)) {
            *bare_names.entry(format!("{folder}: {name}")).or_default() += 1;
        }
        widths.extend(code.lines().map(|line| line.chars().count()));
    }
    assert!(words.names.len() > 15_000, "only {} names were read", words.names.len());
    let openings = ["What", "Who", "How", "Whether", "Where", "When", "Which", "Why", "That", "Of"];
    let shares = [
        ("bare_names", share(&words.names, |name| is_bare(name))),
        ("doc_openings", share(&words.openings, |word| openings.contains(&word.as_str()))),
        ("wide_lines", share(&widths, |columns| *columns > 100)),
    ];
    let limits = budget("style");
    let excesses: Vec<_> = shares.iter().filter(|(name, share)| *share > limits[*name]).collect();
    assert!(
        excesses.is_empty(),
        "more than tests/budget.toml allows: {excesses:?}\n{bare_names:#?}"
    );
}

/// Commands belong into `with_command`: the sentences are shown in every interface.
#[test]
fn sentences_name_no_commands() {
    let comment = Regex::new(r"(?m)^\s*//.*$").unwrap();
    let sentence = Regex::new(r#""([A-Z{`](?:[^"\\]|\\[\s\S])* (?:[^"\\]|\\[\s\S])*)""#).unwrap();
    let command = Regex::new(r"\bprecedent [a-z]+|[ (`]--[a-z]|\bgh auth\b").unwrap();
    // The texts of these folders are read on the command line and by agents only.
    let others = ["cli", "xtask/src", "crates/eval/src", "crates/mcp/src"];
    let mut folders = budget("lines");
    folders.retain(|folder, _| !others.contains(&folder.as_str()));
    let mut sentences: Vec<String> = Vec::new();
    for (_, _, code) in all_code(&folders) {
        let code = comment.replace_all(&code, "");
        sentences.extend(sentence.captures_iter(&code).map(|found| found[1].to_owned()));
    }
    assert!(sentences.len() > 500, "only {} sentences were read", sentences.len());
    sentences.retain(|text| command.is_match(text));
    assert!(sentences.is_empty(), "{sentences:#?}");
}
