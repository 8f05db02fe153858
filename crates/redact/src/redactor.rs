//! The state of a redaction: the matches so far, and their pseudonyms.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
};

use super::{
    CERTAIN, KnownNames, RedactionOptions, UNCERTAIN,
    data::{is_listed, pattern},
    names, value,
};
use aho_corasick::AhoCorasick;
use precedent_core::model::RedactionPreview;

/// A kind and an original text.
type Key = (String, String);

/// The positions in which a known text is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Anywhere,
    WholeWord,
    /// A whole word that hyphens do not extend, in upper or lower case.
    Login,
    /// Next to a dot, a slash or similar, as in paths and packages.
    Joined,
}

/// A known text with its scope and key.
type Needle = (String, Scope, Key);

/// A matcher for the known texts, the texts, and the number of pseudonyms when it was built.
type KnownTexts = (AhoCorasick, Vec<Needle>, usize);

/// The pseudonyms assigned so far, and the options of a redaction.
pub(super) struct Redactor {
    pseudonyms: HashMap<Key, RedactionPreview>,
    counters: HashMap<String, usize>,
    logins: BTreeSet<String>,
    tracker_hosts: BTreeSet<String>,
    hide_links: bool,
    /// Texts to keep, and whether each occurred.
    exceptions: BTreeMap<String, bool>,
    known_texts: Option<KnownTexts>,
}

impl Redactor {
    pub(super) fn new(
        names: &KnownNames,
        tracker_hosts: BTreeSet<String>,
        options: &RedactionOptions<'_>,
    ) -> Self {
        let mut redactor = Self {
            pseudonyms: HashMap::new(),
            counters: HashMap::new(),
            logins: names.logins.iter().map(|p| p.to_lowercase()).collect(),
            tracker_hosts,
            hide_links: options.hide_links,
            exceptions: options.keep.iter().map(|k| (k.trim().to_lowercase(), false)).collect(),
            known_texts: None,
        };
        for (kind, names) in [("person", &names.people), ("place", &names.places)] {
            names.iter().for_each(|name| drop(redactor.hide(kind, UNCERTAIN, name)));
        }
        redactor.pseudonyms.values_mut().for_each(|entry| entry.count = 0);
        redactor
    }

    /// Returns the constant pseudonym of a match, or the original if the user keeps it.
    pub(super) fn hide(&mut self, kind: &str, is_certain: bool, original: &str) -> String {
        // Some trackers use the name as the login.
        if kind == "person" && self.logins.contains(&original.to_lowercase()) {
            return self.hide_login(original);
        }
        if let Some(occurred) = self.exceptions.get_mut(&original.trim().to_lowercase()) {
            *occurred = true;
            return original.to_owned();
        }
        let entry =
            self.pseudonyms.entry((kind.to_owned(), original.to_owned())).or_insert_with(|| {
                let number = self.counters.entry(kind.to_owned()).or_insert(0);
                *number += 1;
                RedactionPreview {
                    kind: kind.to_owned(),
                    original: original.to_owned(),
                    pseudonym: format!("[{kind}-{number}]"),
                    count: 0,
                    sure: false,
                }
            });
        entry.count += 1;
        entry.sure |= is_certain;
        entry.pseudonym.clone()
    }

    /// Returns the pseudonym of a login.
    pub(super) fn hide_login(&mut self, name: &str) -> String {
        let is_pseudonym = name.starts_with('[');
        if is_pseudonym {
            name.to_owned()
        } else {
            self.hide("user", CERTAIN, &name.to_lowercase())
        }
    }

    /// Returns the pseudonym of a possible login, or the text itself if it is a word, not a login.
    pub(super) fn hide_possible_login(&mut self, name: &str) -> String {
        let lower = name.to_lowercase();
        let is_word = is_listed("no_logins", &lower) || value::is_ordinary(name);
        let is_kept = is_word && !self.logins.contains(&lower);
        if is_kept { name.to_owned() } else { self.hide_login(name) }
    }

    /// Returns whether this exception occurred in the text.
    pub(super) fn was_kept(&self, text: &str) -> bool {
        self.exceptions.get(&text.trim().to_lowercase()).copied().unwrap_or_default()
    }

    /// Returns whether a host is a tracker's and stays visible, because every citation contains it.
    pub(super) fn keeps_host(&self, lower: &str) -> bool {
        !self.hide_links && self.tracker_hosts.contains(lower)
    }

    /// Returns whether a URL links to a tracker and such links are hidden.
    pub(super) fn is_hidden_link(&self, url: &str) -> bool {
        self.hide_links
            && super::host_of(url).is_some_and(|host| self.tracker_hosts.contains(&host))
    }

    /// Returns the replacements with their originals, sorted by kind and number.
    pub(super) fn preview(&self) -> Vec<RedactionPreview> {
        let mut out: Vec<RedactionPreview> =
            self.pseudonyms.values().filter(|entry| entry.count > 0).cloned().collect();
        // A longer pseudonym of a kind has a higher number.
        let order = |p: &RedactionPreview| (p.kind.clone(), p.pseudonym.len(), p.pseudonym.clone());
        out.sort_by_key(order);
        out
    }

    /// Returns the texts that denote a known match.
    fn needles(&self) -> Vec<Needle> {
        let logins = self.logins.iter().filter(|login| login.chars().count() >= 3);
        let mut needles: Vec<Needle> =
            logins.map(|l| (l.clone(), Scope::Login, ("user".to_owned(), l.clone()))).collect();
        let mut keys: Vec<&Key> = self.pseudonyms.keys().collect();
        keys.sort_unstable();
        for key in &keys {
            let (kind, original) = (key.0.as_str(), key.1.as_str());
            // An ordinary word may have another meaning elsewhere.
            let (min_len, is_distinctive, scope) = match kind {
                "token" => (6, value::cannot_be_word(original), Scope::Anywhere),
                "user" | "host" => (4, !value::is_ordinary(original), Scope::WholeWord),
                "person" => (3, true, Scope::WholeWord),
                _ => (4, true, Scope::WholeWord),
            };
            if is_distinctive && original.chars().count() >= min_len {
                needles.push((original.to_owned(), scope, (*key).clone()));
            }
        }
        for key in keys.into_iter().filter(|(kind, _)| matches!(kind.as_str(), "person" | "user")) {
            let parts = names::parts(&key.1).into_iter().map(|part| (part, Scope::WholeWord));
            let surname = names::surname(&key.1).map(|surname| (surname, Scope::Joined));
            for (part, scope) in parts.chain(surname) {
                if !self.exceptions.contains_key(&part.to_lowercase()) {
                    needles.push((part, scope, key.clone()));
                }
            }
        }
        // If two people share a name, either pseudonym is fine.
        let mut texts = HashSet::new();
        needles.retain(|(text, scope, _)| texts.insert((text.clone(), *scope == Scope::Joined)));
        needles
    }

    /// Replaces the known matches wherever they occur in a text.
    pub(super) fn replace_known(&mut self, text: &str) -> String {
        let pseudonyms = self.pseudonyms.len();
        let known_texts = self.known_texts.take().filter(|known_texts| known_texts.2 == pseudonyms);
        let known_texts = known_texts.or_else(|| {
            let needles = self.needles();
            let texts = needles.iter().map(|(text, ..)| text);
            // Building fails only for gigabytes of names.
            let automaton =
                AhoCorasick::builder().ascii_case_insensitive(true).build(texts).ok()?;
            Some((automaton, needles, pseudonyms))
        });
        let Some(known_texts) = known_texts else { return text.to_owned() };
        let matches = known_texts.0.find_overlapping_iter(text).map(|m| (m.range(), m.pattern()));
        let mut matches: Vec<_> = matches
            .filter(|(range, index)| is_in_scope(text, range, &known_texts.1[index.as_usize()]))
            .collect();
        matches.sort_by_key(|(range, index)| (range.start, Reverse(range.end), *index));
        let out = splice(text, matches, |index| {
            let (_, scope, (kind, original)) = &known_texts.1[index.as_usize()];
            self.hide(kind, *scope == Scope::Login, original)
        });
        self.known_texts = Some(known_texts);
        out
    }
}

/// Replaces sorted ranges of a text, except those that overlap an earlier one.
pub(super) fn splice<T>(
    text: &str,
    ranges: impl IntoIterator<Item = (Range<usize>, T)>,
    mut replace: impl FnMut(T) -> String,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for (range, value) in ranges {
        if range.start >= end {
            out.push_str(&text[end..range.start]);
            out.push_str(&replace(value));
            end = range.end;
        }
    }
    out.push_str(&text[end..]);
    out
}

/// Returns whether a known text is replaced at this position.
fn is_in_scope(text: &str, range: &Range<usize>, (needle, scope, _): &Needle) -> bool {
    let (prefix, suffix) = (&text[..range.start], &text[range.end..]);
    // Pseudonyms are not redacted again.
    if prefix.ends_with('[') && pattern("number_of_pseudonym").is_match(suffix) {
        return false;
    }
    let is_next_to =
        |predicate: fn(char) -> bool| prefix.ends_with(predicate) || suffix.starts_with(predicate);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_joint = |c: char| r"./\_-@:".contains(c);
    let is_match = match scope {
        Scope::Anywhere => true,
        Scope::WholeWord => !is_next_to(is_word),
        Scope::Login => return !is_next_to(is_word) && !is_next_to(|c| c == '-'),
        Scope::Joined => {
            prefix.ends_with(is_joint) || suffix.starts_with(is_joint) && suffix.len() > 1
        }
    };
    is_match && text[range.clone()] == *needle
}
