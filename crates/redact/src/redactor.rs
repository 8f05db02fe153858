//! The state of a redaction: the matches so far and their pseudonyms, which are constant throughout
//! a brief.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regex::{Captures, Regex};

use super::{
    Certainty::{self, Sure},
    KnownNames, Wishes, names, words,
};
use precedent_core::model::{Redaction, RedactionPreview};
use precedent_text::words::Words;

/// The words in the position of a login or host that are none: values and ordinary words, accounts
/// of every system, image tags, and annotations of programs.
pub(super) static NO_LOGINS: Words = Words::new(include_str!("../data/no_logins.txt"));

struct Pseudonym {
    pseudonym: String,
    count: usize,
    sure: bool,
}

/// A redactor with the pseudonyms that it has assigned.
pub(super) struct Redactor {
    pseudonyms: HashMap<(&'static str, String), Pseudonym>,
    next: HashMap<&'static str, usize>,
    logins: BTreeSet<String>,
    pub(super) trackers: BTreeSet<String>,
    pub(super) hide_links: bool,
    /// Exceptions of the user, and whether each was used.
    exceptions: BTreeMap<String, bool>,
    /// Pattern of all logins as whole words.
    names: Option<Regex>,
    /// Single words of people's names, with the full name.
    parts: BTreeMap<String, (&'static str, String)>,
    /// Surnames in small letters, as in paths and packages, with the full name.
    surnames: BTreeMap<String, (&'static str, String)>,
}

impl Redactor {
    pub(super) fn new(logins: &[String], trackers: BTreeSet<String>, wishes: &Wishes<'_>) -> Self {
        let mut names: Vec<String> =
            logins.iter().filter(|p| p.chars().count() >= 3).map(|p| regex::escape(p)).collect();
        names.sort_by_key(|n| std::cmp::Reverse(n.len()));
        let pattern = format!(r"(?i)(^|[^\w-])({})($|[^\w-])", names.join("|"));
        Self {
            pseudonyms: HashMap::new(),
            next: HashMap::new(),
            logins: logins.iter().map(|p| p.to_lowercase()).collect(),
            trackers,
            hide_links: wishes.links,
            exceptions: wishes.keep.iter().map(|k| (k.trim().to_lowercase(), false)).collect(),
            names: (!names.is_empty()).then(|| Regex::new(&pattern).ok()).flatten(),
            parts: BTreeMap::new(),
            surnames: BTreeMap::new(),
        }
    }

    /// Assigns pseudonyms to the recognized people and places.
    pub(super) fn hide_known(&mut self, names: &KnownNames) {
        for person in &names.people {
            self.hide_person(Certainty::Doubtful, person);
        }
        for place in &names.places {
            self.hide("place", Certainty::Doubtful, place);
        }
    }

    /// Returns the pseudonym of a match, the same each time, or the original if the user keeps it.
    pub(super) fn hide(
        &mut self,
        kind: &'static str,
        certainty: Certainty,
        original: &str,
    ) -> String {
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
        let is_word = NO_LOGINS.contains(&lower) || words::is_ordinary(name);
        if is_word && !is_login || lower.starts_with('[') {
            return name.to_owned();
        }
        self.person(name)
    }

    /// Returns the pseudonym of a person's name. Some trackers use the name as the login.
    pub(super) fn hide_person(&mut self, certainty: Certainty, name: &str) -> String {
        if self.logins.contains(&name.to_lowercase()) {
            self.person(name)
        } else {
            self.hide("person", certainty, name)
        }
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

    /// Ends the first pass: matches stay known, and their counts are reset. `parts` returns the
    /// words and logins of a name that represent all of it.
    pub(super) fn begin_again(&mut self) {
        let whole: Vec<(&'static str, String)> = self
            .pseudonyms
            .keys()
            .filter(|(kind, _)| matches!(*kind, "person" | "user"))
            .cloned()
            .collect();
        for (kind, name) in whole {
            let surname = names::surname(&name);
            if let Some(surname) = surname.filter(|s| !self.exceptions.contains_key(s.as_str())) {
                self.surnames.entry(surname).or_insert((kind, name.clone()));
            }
            for part in names::parts(&name) {
                let is_taken = self.pseudonyms.contains_key(&(kind, part.clone()));
                if !is_taken && !self.exceptions.contains_key(&part.to_lowercase()) {
                    // Of two people with this name, either will do.
                    self.parts.entry(part).or_insert((kind, name.clone()));
                }
            }
        }
        self.pseudonyms.values_mut().for_each(|entry| entry.count = 0);
    }

    /// Returns the replacements without the originals.
    pub(super) fn counts(&self) -> Vec<Redaction> {
        let mut out: Vec<Redaction> = self
            .replacements()
            .map(|((kind, _), f)| Redaction {
                kind: (*kind).to_owned(),
                pseudonym: f.pseudonym.clone(),
                count: f.count,
            })
            .collect();
        out.sort_by(|a, b| (&a.kind, order(&a.pseudonym)).cmp(&(&b.kind, order(&b.pseudonym))));
        out
    }

    /// Returns the replacements with the originals.
    pub(super) fn preview(&self) -> Vec<RedactionPreview> {
        let mut out: Vec<RedactionPreview> = self
            .replacements()
            .map(|((kind, original), entry)| RedactionPreview {
                kind: (*kind).to_owned(),
                original: original.clone(),
                pseudonym: entry.pseudonym.clone(),
                count: entry.count,
                sure: entry.sure,
            })
            .collect();
        out.sort_by(|a, b| (&a.kind, order(&a.pseudonym)).cmp(&(&b.kind, order(&b.pseudonym))));
        out
    }

    fn replacements(&self) -> impl Iterator<Item = (&(&'static str, String), &Pseudonym)> {
        self.pseudonyms.iter().filter(|(_, entry)| entry.count > 0)
    }

    /// Replaces the known logins in a text.
    pub(super) fn people(&mut self, text: String) -> String {
        let Some(names) = self.names.clone() else { return text };
        // Adjacent matches share a separator, so replace twice.
        (0..2).fold(text, |text, _| {
            self.replace(&names, &text, |r, c, _| format!("{}{}{}", &c[1], r.person(&c[2]), &c[3]))
        })
    }

    /// Replaces the known matches wherever else they occur in a text.
    pub(super) fn replace_known(&mut self, text: &str) -> String {
        let originals = self
            .pseudonyms
            .keys()
            .map(|(kind, original)| (original.clone(), (*kind, original.clone())));
        let parts = self.parts.iter().map(|(part, whole)| (part.clone(), whole.clone()));
        let mut list: Vec<(String, (&'static str, String))> = originals.chain(parts).collect();
        list.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        let mut out = text.to_owned();
        for (surname, key) in self.surnames.iter().filter(|(s, _)| text.contains(s.as_str())) {
            let Some(entry) = self.pseudonyms.get_mut(key) else { continue };
            let is_joined = |c: char| matches!(c, '.' | '/' | '\\' | '_' | '-' | '@' | ':');
            let is_attached = |prefix: &str, suffix: &str| {
                prefix.ends_with(is_joined) || suffix.starts_with(is_joined) && suffix.len() > 1
            };
            let (next_text, times) = replace_words(&out, surname, &entry.pseudonym, &is_attached);
            out = next_text;
            entry.count += times;
        }
        for (needle, key) in list {
            let enough = match key.0 {
                "token" => 6,
                "person" => 3,
                _ => 4,
            };
            // An ordinary word may have another meaning elsewhere.
            let is_distinctive = match key.0 {
                "token" => words::is_unlike_a_word(&needle),
                "user" | "host" => !words::is_ordinary(&needle),
                _ => true,
            };
            if needle.chars().count() < enough || !is_distinctive || !out.contains(needle.as_str())
            {
                continue;
            }
            let Some(entry) = self.pseudonyms.get_mut(&key) else { continue };
            let is_token = key.0 == "token";
            let is_whole = |prefix: &str, suffix: &str| is_token || is_whole_word(prefix, suffix);
            let (next_text, times) = replace_words(&out, &needle, &entry.pseudonym, &is_whole);
            out = next_text;
            entry.count += times;
        }
        out
    }

    /// Replaces the matches of a pattern; `with` also receives the text around them.
    pub(super) fn replace(
        &mut self,
        pattern: &Regex,
        text: &str,
        mut with: impl FnMut(&mut Self, &Captures<'_>, &str) -> String,
    ) -> String {
        pattern.replace_all(text, |c: &Captures<'_>| with(self, c, text)).into_owned()
    }
}

/// Returns whether a text between these two is no part of a longer word.
fn is_whole_word(prefix: &str, suffix: &str) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    !is_word(prefix.chars().next_back()) && !is_word(suffix.chars().next())
}

/// Replaces a text where `fits` accepts the text before and after it, and returns the number of
/// replacements.
fn replace_words(
    text: &str,
    needle: &str,
    pseudonym: &str,
    fits: &dyn Fn(&str, &str) -> bool,
) -> (String, usize) {
    let mut times = 0;
    let mut from = 0;
    let mut out = String::with_capacity(text.len());
    for (at, _) in text.match_indices(needle) {
        let end = at + needle.len();
        // Pseudonyms are not redacted again.
        let mut rest = text[end..].chars();
        let is_pseudonym = text[..at].ends_with('[')
            && rest.next() == Some('-')
            && rest.next().is_some_and(|c| c.is_ascii_digit());
        if fits(&text[..at], &text[end..]) && !is_pseudonym {
            out.push_str(&text[from..at]);
            out.push_str(pseudonym);
            from = end;
            times += 1;
        }
    }
    out.push_str(&text[from..]);
    (out, times)
}

fn order(pseudonym: &str) -> Option<u32> {
    pseudonym.trim_matches(['[', ']']).rsplit_once('-')?.1.parse().ok()
}
