//! State words of items, in the languages of trackers.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::LazyLock,
};

use precedent_text::{tokens::normalize_phrase, words::phrases};

use super::names::{data_rows, normalize};

/// The words of states and resolutions, by meaning.
const STATES: &str = include_str!("states.tsv");

fn words_for(class: &str) -> impl Iterator<Item = String> {
    data_rows(STATES)
        .filter(move |(name, _)| *name == class)
        .flat_map(|(_, words)| phrases(words))
        .map(normalize_phrase)
}

/// The known words, `true` for closed.
static STATE_WORDS: LazyLock<HashMap<String, bool>> = LazyLock::new(|| {
    let open = words_for("open").chain(words_for("unresolved")).map(|word| (word, false));
    words_for("closed").map(|word| (word, true)).chain(open).collect()
});

/// Words for an unset resolution.
static NO_RESOLUTION: LazyLock<HashSet<String>> =
    LazyLock::new(|| words_for("unresolved").chain(words_for("none")).collect());

/// The meanings of state words in a file.
#[derive(Clone, Debug, Default)]
pub struct StateWords {
    custom: HashMap<String, bool>,
}

/// The state fields of an item, as written in the file.
#[derive(Clone, Copy, Debug, Default)]
pub struct StateFields<'a> {
    pub word: Option<&'a str>,
    /// Status category (Jira).
    pub category: Option<&'a str>,
    pub resolution: Option<&'a str>,
    pub has_closing_time: bool,
}

impl StateWords {
    /// Sets the meaning of a word, as stated by the user.
    pub fn set(&mut self, word: &str, is_closed: bool) {
        self.custom.insert(normalize(word), is_closed);
    }

    /// Returns a copy with the meanings of a tracker's own words, unless the user stated others.
    #[must_use]
    pub fn for_tracker(&self, tracker: &str) -> Self {
        let mut out = self.clone();
        for (class, words) in data_rows(STATES).filter(|_| !tracker.is_empty()) {
            if let Some((class, name)) = class.split_once(" in ")
                && name == tracker
            {
                let words = phrases(words).map(|word| (normalize(word), class == "closed"));
                words.for_each(|(word, is_closed)| _ = out.custom.entry(word).or_insert(is_closed));
            }
        }
        out
    }

    /// Returns whether this word means closed; `None` if it is unknown.
    pub fn word_state(&self, word: &str) -> Option<bool> {
        self.custom.get(&normalize(word)).copied().or_else(|| word_meaning(word))
    }

    /// Returns whether an item is closed, and whether that is a guess because no word is known.
    pub fn resolve(&self, fields: StateFields<'_>) -> (bool, bool) {
        let custom_meaning =
            fields.word.and_then(|word| self.custom.get(&normalize(word)).copied());
        let state = custom_meaning
            .or_else(|| self.word_state(fields.category?))
            .or_else(|| self.word_state(fields.word?));
        let is_resolved =
            || fields.has_closing_time || fields.resolution.is_some_and(is_resolution);
        match state {
            Some(is_closed) => (is_closed, false),
            None if is_resolved() => (true, false),
            None => (false, fields.word.is_some()),
        }
    }
}

/// Returns whether a state means closed: "5 - Closed", "Closed (duplicate)", "Done ✅".
fn word_meaning(word: &str) -> Option<bool> {
    // A question is not a state.
    if word.trim_end().ends_with(['?', '？']) {
        return None;
    }
    let word = word.trim_start_matches(|c: char| !c.is_alphabetic());
    lookup(word).or_else(|| {
        let first = first_part(word);
        lookup(first).or_else(|| closed_with_reason(first))
    })
}

fn lookup(word: &str) -> Option<bool> {
    STATE_WORDS.get(&normalize_phrase(word)).copied()
}

/// Returns the first part of a state: "Closed" of "Closed (duplicate)" and "Closed - Fixed".
fn first_part(word: &str) -> &str {
    let word = word.split(['(', '[', ',', ';', ':', '/', '|']).next().unwrap_or_default();
    [" - ", " – ", " — "].iter().fold(word, |word, dash| word.split(dash).next().unwrap_or(word))
}

/// Parses two words that both mean closed: "RESOLVED FIXED", "Closed as not planned".
fn closed_with_reason(words: &str) -> Option<bool> {
    let (state, reason) =
        words.split_once(|c: char| c.is_whitespace() || matches!(c, '-' | '_'))?;
    let reason = reason.trim();
    let reason = reason.strip_prefix("as ").unwrap_or(reason);
    let is_done = lookup(reason) == Some(true)
        || words_for("reason").any(|word| word == normalize_phrase(reason));
    (is_done && lookup(state) == Some(true)).then_some(true)
}

/// Returns whether a resolution is set.
pub fn is_resolution(text: &str) -> bool {
    let word = normalize_phrase(text);
    let is_none = matches!(text.trim(), "-1") || word.is_empty();
    !is_none && !NO_RESOLUTION.contains(&word)
}

/// A bounded counter of unknown words.
#[derive(Clone, Debug, Default)]
pub struct UnknownWords(BTreeMap<String, u64>);

impl UnknownWords {
    const CAPACITY: usize = 100;

    pub fn count(&mut self, word: &str) {
        let word: String = word.trim().chars().take(60).collect();
        if self.0.len() < Self::CAPACITY || self.0.contains_key(&word) {
            *self.0.entry(word).or_default() += 1;
        }
    }

    /// Returns the words with their counts, in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(word, n)| (word.as_str(), *n))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_sources_apply_in_order_of_precedence() {
        let mut words = StateWords::default();
        let resolve = |words: &StateWords, word, category, resolution| {
            words.resolve(StateFields {
                word: Some(word),
                category,
                resolution,
                has_closing_time: false,
            })
        };
        assert_eq!(resolve(&words, "Erledigt", None, None), (true, false));
        assert_eq!(resolve(&words, "Wartet auf Kunde", None, None), (false, true));
        assert_eq!(resolve(&words, "Wartet auf Kunde", Some("Done"), None), (true, false));
        assert_eq!(resolve(&words, "Shelved", None, Some("Won't Do")), (true, false));
        assert_eq!(resolve(&words, "Reopened", None, Some("Fixed")), (false, false));
        assert_eq!(resolve(&words, "5 - Closed", None, Some("---")), (true, false));
        words.set("wartet auf kunde", true);
        assert_eq!(resolve(&words, "Wartet auf Kunde", Some("In Progress"), None), (true, false));
    }

    #[test]
    fn open_and_closed_words_are_disjoint() {
        let open: Vec<String> = words_for("open").chain(words_for("unresolved")).collect();
        for word in words_for("closed") {
            assert!(!word.is_empty() && !open.contains(&word), "{word}");
        }
    }

    #[test]
    fn state_word_is_recognized_with_additions() {
        let words = StateWords::default();
        for word in "RESOLVED FIXED, VERIFIED WONTFIX, CLOSED CURRENTRELEASE, RESO FIXE, \
                     Resolved - Fixed, Closed - Duplicate, Closed – Duplicate, Closed/Duplicate, \
                     Closed: Duplicate, Closed as not planned, CLOSED (FIXED), Complete - Released, \
                     Won’t Fix, Can’t Reproduce, WontFix, Done ✅, ✅ Done, done., 5 - Closed, Auto-closed"
            .split(", ")
        {
            assert_eq!(words.word_state(word), Some(true), "{word}");
        }
        for word in "On-hold, In-Progress, re-opened, To-Do, Not Resolved, Unresolved ❌, Reopened"
            .split(", ")
        {
            assert_eq!(words.word_state(word), Some(false), "{word}");
        }
    }

    #[test]
    fn unfinished_states_are_open() {
        let words = StateWords::default();
        for word in "Not done, To be closed, Reopened, Waiting for fix, Pending Close, Closed?, \
                     Ready for release, Fixed in next sprint, Noch nicht behoben, Done waiting"
            .split(", ")
        {
            assert_ne!(words.word_state(word), Some(true), "{word}");
        }
    }

    #[test]
    fn closed_words_match_with_and_without_accents() {
        let words = StateWords::default();
        for word in "Storniert, Clôturé, Cloturee, Corrigé, Закрытый, Исправлен, Отменено, Отменён, 已修复, 已取消, 已結束, 完了済み, \
                     終了済, キャンセル, 취소됨, 수정됨, Kapalı, KAPALI, Uzavřeno, Stängd, Lukket, Suljettu, Закрито, Lezárva, مغلق, \
                     Κλειστό, Đã đóng, Concluida, Naprawiony, Afgesloten, Wird nicht behoben"
            .split(", ")
        {
            assert_eq!(words.word_state(word), Some(true), "{word}");
        }
    }

    #[test]
    fn unset_resolution_is_recognized_in_any_language() {
        for text in "---, -, -1, n/a, Non résolue, Non resolu, Non risolto, Nierozwiązane, 미해결, Onopgelost, Não Resolvida, \
                     Nao resolvido, Не решён, Нет решения, Nevyřešeno, Ikke løst, Olöst, Çözülmedi, 未解决, 未解決, Unresolved., (None)"
            .split(", ")
        {
            assert!(!is_resolution(text), "{text}");
        }
        for text in
            "Fixed, Won't Do, Non riproducibile, Not a bug, Behoben, 已修复, Wird nicht behoben"
                .split(", ")
        {
            assert!(is_resolution(text), "{text}");
        }
    }
}
