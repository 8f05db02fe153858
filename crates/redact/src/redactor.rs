//! The state of a redaction: the matches so far and their pseudonyms, which are constant throughout
//! a brief.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
};

use super::{
    Certainty::{self, Doubtful, Sure},
    KnownNames, Wishes,
    facts::is_listed,
    names, words,
};
use aho_corasick::AhoCorasick;
use precedent_core::model::RedactionPreview;

struct Pseudonym {
    pseudonym: String,
    count: usize,
    sure: bool,
}

/// A kind and an original.
type Key = (&'static str, String);

/// The places in which a known text is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    Anywhere,
    WholeWord,
    /// A whole word with hyphens, in capital or small letters.
    Login,
    /// Beside a dot, slash or the like, as in paths and packages.
    Joined,
}

/// The known texts, and how they are found.
struct KnownTexts {
    automaton: AhoCorasick,
    needles: Vec<(String, Scope, Key)>,
    /// The number of pseudonyms that they were made of.
    pseudonyms: usize,
}

/// A redactor with the pseudonyms that it has assigned.
pub(super) struct Redactor {
    pseudonyms: HashMap<Key, Pseudonym>,
    next: HashMap<&'static str, usize>,
    logins: BTreeSet<String>,
    trackers: BTreeSet<String>,
    hide_links: bool,
    /// Exceptions of the user, and whether each was used.
    exceptions: BTreeMap<String, bool>,
    known_texts: Option<KnownTexts>,
}

impl Redactor {
    pub(super) fn new(logins: &[String], trackers: BTreeSet<String>, wishes: &Wishes<'_>) -> Self {
        Self {
            pseudonyms: HashMap::new(),
            next: HashMap::new(),
            logins: logins.iter().map(|p| p.to_lowercase()).collect(),
            trackers,
            hide_links: wishes.links,
            exceptions: wishes.keep.iter().map(|k| (k.trim().to_lowercase(), false)).collect(),
            known_texts: None,
        }
    }

    /// Assigns pseudonyms to the recognized people and places.
    pub(super) fn assign_names(&mut self, names: &KnownNames) {
        for (kind, names) in [("person", &names.people), ("place", &names.places)] {
            names.iter().for_each(|name| drop(self.hide(kind, Doubtful, name)));
        }
        self.pseudonyms.values_mut().for_each(|entry| entry.count = 0);
    }

    /// Returns the pseudonym of a match, the same each time, or the original if the user keeps it.
    pub(super) fn hide(
        &mut self,
        kind: &'static str,
        certainty: Certainty,
        original: &str,
    ) -> String {
        // Some trackers use the name as the login.
        if kind == "person" && self.logins.contains(&original.to_lowercase()) {
            return self.person(original);
        }
        if let Some(met) = self.exceptions.get_mut(&original.trim().to_lowercase()) {
            *met = true;
            return original.to_owned();
        }
        let next = &mut self.next;
        let entry = self.pseudonyms.entry((kind, original.to_owned())).or_insert_with(|| {
            let number = next.entry(kind).or_insert(0);
            *number += 1;
            Pseudonym { pseudonym: format!("[{kind}-{number}]"), count: 0, sure: false }
        });
        entry.count += 1;
        entry.sure |= certainty == Sure;
        entry.pseudonym.clone()
    }

    /// Returns the pseudonym of a login.
    pub(super) fn person(&mut self, name: &str) -> String {
        if name.starts_with('[') {
            name.to_owned()
        } else {
            self.hide("user", Sure, &name.to_lowercase())
        }
    }

    /// Returns the pseudonym of a possible login in a position where one is expected.
    pub(super) fn name(&mut self, name: &str) -> String {
        let lower = name.to_lowercase();
        let is_login = self.logins.contains(&lower);
        let is_word = is_listed("no_logins", &lower) || words::is_ordinary(name);
        if is_word && !is_login || lower.starts_with('[') {
            return name.to_owned();
        }
        self.person(name)
    }

    /// Returns whether this exception was used.
    pub(super) fn let_stand(&self, wish: &str) -> bool {
        self.exceptions.get(&wish.trim().to_lowercase()).copied().unwrap_or_default()
    }

    /// Returns whether this is a tracker's host that stays visible, because every citation contains
    /// it.
    pub(super) fn keeps_host(&self, lower: &str) -> bool {
        !self.hide_links && self.trackers.contains(lower)
    }

    /// Returns whether this is a link to a tracker, and such links are hidden.
    pub(super) fn is_link_to_tracker(&self, url: &str) -> bool {
        self.hide_links && super::host_of(url).is_some_and(|host| self.trackers.contains(&host))
    }

    /// Returns the replacements with the originals.
    pub(super) fn preview(&self) -> Vec<RedactionPreview> {
        let replacements = self.pseudonyms.iter().filter(|(_, entry)| entry.count > 0);
        let mut out: Vec<RedactionPreview> = replacements
            .map(|((kind, original), entry)| RedactionPreview {
                kind: (*kind).to_owned(),
                original: original.clone(),
                pseudonym: entry.pseudonym.clone(),
                count: entry.count,
                sure: entry.sure,
            })
            .collect();
        let number = |p: &RedactionPreview| -> Option<u32> {
            p.pseudonym.trim_end_matches(']').rsplit_once('-')?.1.parse().ok()
        };
        out.sort_by(|a, b| (&a.kind, number(a)).cmp(&(&b.kind, number(b))));
        out
    }

    /// Returns the texts that stand for a known match.
    fn needles(&self) -> Vec<(String, Scope, Key)> {
        let logins = self.logins.iter().filter(|login| login.chars().count() >= 3);
        let mut needles: Vec<(String, Scope, Key)> =
            logins.map(|l| (l.clone(), Scope::Login, ("user", l.clone()))).collect();
        let mut keys: Vec<&Key> = self.pseudonyms.keys().collect();
        keys.sort_unstable();
        for key in &keys {
            let (kind, original) = (key.0, key.1.as_str());
            let least = match kind {
                "token" => 6,
                "person" => 3,
                _ => 4,
            };
            // An ordinary word may have another meaning elsewhere.
            let is_distinctive = match kind {
                "token" => words::is_unlike_a_word(original),
                "user" | "host" => !words::is_ordinary(original),
                _ => true,
            };
            if is_distinctive && original.chars().count() >= least {
                let scope = if kind == "token" { Scope::Anywhere } else { Scope::WholeWord };
                needles.push((original.to_owned(), scope, (*key).clone()));
            }
        }
        for key in keys.into_iter().filter(|(kind, _)| matches!(*kind, "person" | "user")) {
            let parts = names::parts(&key.1).into_iter().map(|part| (part, Scope::WholeWord));
            let surname = names::surname(&key.1).map(|surname| (surname, Scope::Joined));
            let parts = parts
                .chain(surname)
                .filter(|(part, _)| !self.exceptions.contains_key(&part.to_lowercase()));
            needles.extend(parts.map(|(part, scope)| (part, scope, key.clone())));
        }
        // Of two people with this name, either will do.
        let mut texts = HashSet::new();
        needles.retain(|(text, scope, _)| texts.insert((text.clone(), *scope == Scope::Joined)));
        needles
    }

    /// Replaces the known matches wherever else they occur in a text.
    pub(super) fn replace_known(&mut self, text: &str) -> String {
        let count = self.pseudonyms.len();
        let known_texts = match self.known_texts.take().filter(|texts| texts.pseudonyms == count) {
            Some(texts) => texts,
            None => {
                let needles = self.needles();
                let texts = needles.iter().map(|(text, ..)| text);
                let automaton = AhoCorasick::builder().ascii_case_insensitive(true).build(texts);
                // A failure means gigabytes of names.
                let Ok(automaton) = automaton else { return text.to_owned() };
                KnownTexts { automaton, needles, pseudonyms: count }
            }
        };
        let matches = known_texts.automaton.find_overlapping_iter(text).filter_map(|m| {
            let known = &known_texts.needles[m.pattern().as_usize()];
            let (needle, scope, _) = known;
            is_in_scope(text, m.start(), m.end(), needle, *scope).then_some((
                m.range(),
                m.pattern(),
                known,
            ))
        });
        let mut matches: Vec<_> = matches.collect();
        matches
            .sort_by_key(|(range, index, _)| (range.start, std::cmp::Reverse(range.end), *index));
        let matches = matches.into_iter().map(|(range, _, known)| (range, known));
        let out = splice(text, matches, |(_, scope, (kind, original))| {
            let certainty = if *scope == Scope::Login { Sure } else { Doubtful };
            self.hide(kind, certainty, original)
        });
        self.known_texts = Some(known_texts);
        out
    }
}

/// Replaces ranges of a text, which are in order; one that overlaps an earlier one stays.
pub(super) fn splice<T>(
    text: &str,
    ranges: impl IntoIterator<Item = (Range<usize>, T)>,
    mut with: impl FnMut(T) -> String,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (range, value) in ranges {
        if range.start >= from {
            out.push_str(&text[from..range.start]);
            out.push_str(&with(value));
            from = range.end;
        }
    }
    out.push_str(&text[from..]);
    out
}

/// Returns whether a known text is replaced in this place.
fn is_in_scope(text: &str, start: usize, end: usize, needle: &str, scope: Scope) -> bool {
    let (preceding_char, following_char) =
        (text[..start].chars().next_back(), text[end..].chars().next());
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let joins = |c: Option<char>| c.is_some_and(|c| r"./\_-@:".contains(c));
    // Pseudonyms are not redacted again.
    let mut rest = text[end..].chars().skip(1);
    let is_pseudonym = preceding_char == Some('[')
        && following_char == Some('-')
        && rest.next().is_some_and(|c| c.is_ascii_digit());
    let fits = match scope {
        Scope::Anywhere => true,
        Scope::WholeWord => !is_word(preceding_char) && !is_word(following_char),
        Scope::Login => {
            !is_word(preceding_char)
                && !is_word(following_char)
                && preceding_char != Some('-')
                && following_char != Some('-')
        }
        Scope::Joined => joins(preceding_char) || joins(following_char) && text.len() > end + 1,
    };
    fits && !is_pseudonym && (scope == Scope::Login || &text[start..end] == needle)
}
