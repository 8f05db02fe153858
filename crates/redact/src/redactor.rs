//! What has been found so far and what stands for it: the same pseudonym for the same thing throughout a brief.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use regex::{Captures, Regex};

use super::{
    Certainty::{self, Sure},
    Wishes, words,
};
use precedent_core::model::{Redaction, RedactionPreview};

struct Found {
    pseudonym: String,
    count: usize,
    sure: bool,
}

/// Replaces what should not be handed over.
pub(super) struct Redactor {
    known: HashMap<(&'static str, String), Found>,
    next: HashMap<&'static str, usize>,
    logins: BTreeSet<String>,
    pub(super) trackers: BTreeSet<String>,
    pub(super) hide_links: bool,
    /// What a person decided to let stand, and whether it was met.
    kept: BTreeMap<String, bool>,
    /// Any of the logins as a word of its own.
    names: Option<Regex>,
    /// Single words of the names of people, with whom they stand for.
    parts: BTreeMap<String, (&'static str, String)>,
}

impl Redactor {
    pub(super) fn new(logins: &[String], trackers: BTreeSet<String>, wishes: &Wishes<'_>) -> Self {
        let mut names: Vec<String> =
            logins.iter().filter(|p| p.chars().count() >= 3).map(|p| regex::escape(p)).collect();
        names.sort_by_key(|n| std::cmp::Reverse(n.len()));
        let pattern = format!(r"(?i)(^|[^\w-])({})($|[^\w-])", names.join("|"));
        Self {
            known: HashMap::new(),
            next: HashMap::new(),
            logins: logins.iter().map(|p| p.to_lowercase()).collect(),
            trackers,
            hide_links: wishes.links,
            kept: wishes.keep.iter().map(|k| (k.trim().to_lowercase(), false)).collect(),
            names: (!names.is_empty()).then(|| Regex::new(&pattern).ok()).flatten(),
            parts: BTreeMap::new(),
        }
    }

    /// What stands for this, the same each time; itself where a person decided that it stays.
    pub(super) fn hide(&mut self, kind: &'static str, certainty: Certainty, original: &str) -> String {
        if let Some(met) = self.kept.get_mut(&original.trim().to_lowercase()) {
            *met = true;
            return original.to_owned();
        }
        let next = &mut self.next;
        let found = self.known.entry((kind, original.to_owned())).or_insert_with(|| {
            let number = next.entry(kind).or_insert(0);
            *number += 1;
            Found { pseudonym: format!("[{kind}-{number}]"), count: 0, sure: false }
        });
        found.count += 1;
        found.sure |= certainty == Sure;
        found.pseudonym.clone()
    }

    /// Someone by their login.
    pub(super) fn person(&mut self, name: &str) -> String {
        if name.starts_with('[') { name.to_owned() } else { self.hide("user", Sure, &name.to_lowercase()) }
    }

    /// What may be a login, where one is expected.
    pub(super) fn name(&mut self, name: &str) -> String {
        let lower = name.to_lowercase();
        let known = self.logins.contains(&lower);
        let said = super::NO_NAMES.contains(&lower) || words::is_ordinary(name);
        if said && !known || lower.starts_with('[') {
            return name.to_owned();
        }
        self.person(name)
    }

    /// Someone by the name that they are called by. Some trackers know people by it alone.
    pub(super) fn called(&mut self, certainty: Certainty, name: &str) -> String {
        if self.logins.contains(&name.to_lowercase()) {
            self.person(name)
        } else {
            self.hide("person", certainty, name)
        }
    }

    /// Whether this was met and let stand as it was wished.
    pub(super) fn let_stand(&self, wish: &str) -> bool {
        self.kept.get(&wish.trim().to_lowercase()).copied().unwrap_or_default()
    }

    /// Whether this is a host of a tracker, which stands in every citation.
    pub(super) fn keeps_host(&self, lower: &str) -> bool {
        !self.hide_links && self.trackers.contains(lower)
    }

    /// The first reading is done: what it found is known, and nothing is replaced yet. `parts` tells which words of a
    /// person's name stand for all of it.
    pub(super) fn begin_again(&mut self, parts: impl Fn(&str) -> Vec<String>) {
        let whole: Vec<(&'static str, String)> =
            self.known.keys().filter(|(kind, _)| matches!(*kind, "person" | "user")).cloned().collect();
        for (kind, name) in whole {
            for part in parts(&name) {
                let taken = self.known.contains_key(&(kind, part.clone()));
                if !taken && !self.kept.contains_key(&part.to_lowercase()) {
                    // Of two people with one name either will do.
                    self.parts.entry(part).or_insert((kind, name.clone()));
                }
            }
        }
        self.known.values_mut().for_each(|found| found.count = 0);
    }

    /// What was replaced, without what it was.
    pub(super) fn counts(&self) -> Vec<Redaction> {
        let mut out: Vec<Redaction> = self
            .replaced()
            .map(|((kind, _), f)| Redaction {
                kind: (*kind).to_owned(),
                pseudonym: f.pseudonym.clone(),
                count: f.count,
            })
            .collect();
        out.sort_by(|a, b| (&a.kind, order(&a.pseudonym)).cmp(&(&b.kind, order(&b.pseudonym))));
        out
    }

    /// What was replaced, with what it was.
    pub(super) fn preview(&self) -> Vec<RedactionPreview> {
        let mut out: Vec<RedactionPreview> = self
            .replaced()
            .map(|((kind, original), found)| RedactionPreview {
                kind: (*kind).to_owned(),
                original: original.clone(),
                pseudonym: found.pseudonym.clone(),
                count: found.count,
                sure: found.sure,
            })
            .collect();
        out.sort_by(|a, b| (&a.kind, order(&a.pseudonym)).cmp(&(&b.kind, order(&b.pseudonym))));
        out
    }

    fn replaced(&self) -> impl Iterator<Item = (&(&'static str, String), &Found)> {
        self.known.iter().filter(|(_, found)| found.count > 0)
    }

    /// The people whose logins are known, wherever they are named.
    pub(super) fn people(&mut self, text: String) -> String {
        let Some(names) = self.names.clone() else { return text };
        // Neighbours share the character between them.
        (0..2).fold(text, |text, _| {
            self.replace(&names, &text, |r, c, _| format!("{}{}{}", &c[1], r.person(&c[2]), &c[3]))
        })
    }

    /// What was told by its surroundings in one place is replaced wherever else it stands.
    pub(super) fn again(&mut self, text: &str) -> String {
        let known = self.known.keys().map(|(kind, original)| (original.clone(), (*kind, original.clone())));
        let parts = self.parts.iter().map(|(part, whole)| (part.clone(), whole.clone()));
        let mut all: Vec<(String, (&'static str, String))> = known.chain(parts).collect();
        all.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        let mut out = text.to_owned();
        for (wanted, key) in all {
            let enough = match key.0 {
                "token" => 6,
                "person" => 3,
                _ => 4,
            };
            // A word of the language means something else elsewhere.
            let telling = match key.0 {
                "token" => words::is_unlike_a_word(&wanted),
                "user" | "host" => !words::is_ordinary(&wanted),
                _ => true,
            };
            if wanted.chars().count() < enough || !telling || !out.contains(wanted.as_str()) {
                continue;
            }
            let Some(found) = self.known.get_mut(&key) else { continue };
            let (replaced, times) = replace_words(&out, &wanted, &found.pseudonym, key.0 == "token");
            out = replaced;
            found.count += times;
        }
        out
    }

    pub(super) fn whole(&mut self, pattern: &Regex, kind: &'static str, text: &str) -> String {
        self.replace(pattern, text, |r, c, _| r.hide(kind, Sure, &c[0]))
    }

    /// Replaces what a pattern finds; what replaces it sees the text around.
    pub(super) fn replace(
        &mut self,
        pattern: &Regex,
        text: &str,
        mut with: impl FnMut(&mut Self, &Captures<'_>, &str) -> String,
    ) -> String {
        pattern.replace_all(text, |c: &Captures<'_>| with(self, c, text)).into_owned()
    }
}

/// Replaces a word wherever it stands by itself, or with `inside` anywhere; how often.
fn replace_words(text: &str, wanted: &str, pseudonym: &str, inside: bool) -> (String, usize) {
    let mut times = 0;
    let mut from = 0;
    let mut out = String::with_capacity(text.len());
    for (at, _) in text.match_indices(wanted) {
        let end = at + wanted.len();
        let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        // Inside of a longer word it is another word; a secret is one anywhere.
        let mut after = text[end..].chars();
        let next = after.next();
        // What stands for something already is not read again.
        let pseudonym_itself = text[..at].ends_with('[')
            && next == Some('-')
            && after.next().is_some_and(|c| c.is_ascii_digit());
        let part = word(text[..at].chars().next_back()) || word(next) || pseudonym_itself;
        out.push_str(&text[from..at]);
        if part && !inside {
            out.push_str(wanted);
        } else {
            out.push_str(pseudonym);
            times += 1;
        }
        from = end;
    }
    out.push_str(&text[from..]);
    (out, times)
}

fn order(pseudonym: &str) -> Option<u32> {
    pseudonym.trim_matches(['[', ']']).rsplit_once('-')?.1.parse().ok()
}
