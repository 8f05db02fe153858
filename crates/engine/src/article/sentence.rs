//! The choice and trimming of sentences for an article.

use std::sync::LazyLock;

use precedent_text::{
    pattern::re,
    roles::{Sentence, SentenceRole},
    version::is_program,
};
use regex::Regex;

/// The minimum number of letters of a sentence.
const MIN_LETTERS: usize = 20;
/// The minimum number of words of a sentence that names no version, reference or code.
const MIN_WORDS: usize = 5;
/// The maximum length of a sentence, in characters; longer ones are pasted output.
const MAX_LENGTH: usize = 500;
/// The maximum length of an explanation, in characters; longer ones are about several things.
const MAX_EXPLANATION: usize = 350;

/// The maximum number of words of a phrase that may lack an English function word.
const PHRASE: usize = 8;

/// Greetings, interjections and mentions at the beginning of a sentence.
static OPENING: LazyLock<Regex> =
    LazyLock::new(|| re(&format!("(?i)^{}+", alternatives("opening"))));
/// Words of a conversation, which mean nothing to a reader of an article.
static CHATTER: LazyLock<Regex> = LazyLock::new(|| pattern("chatter"));
/// A doubt, in a sentence that explains.
static DOUBT: LazyLock<Regex> = LazyLock::new(|| pattern("doubt"));
/// The wording of an explanation.
static CAUSE: LazyLock<Regex> = LazyLock::new(|| pattern("cause"));
/// The wording for a state that a change ends.
static FORMER_STATE: LazyLock<Regex> = LazyLock::new(|| pattern("former_state"));
/// The wording for what a change did.
static NEW_STATE: LazyLock<Regex> = LazyLock::new(|| pattern("new_state"));
/// A sentence about a change itself, about plans, or that denies a regression.
static ABOUT_CHANGE: LazyLock<Regex> = LazyLock::new(|| pattern("about_change"));
/// The report of a test.
static VERIFICATION: LazyLock<Regex> = LazyLock::new(|| pattern("verified"));
/// A statement that something is solved.
static VAGUE_FIX: LazyLock<Regex> = LazyLock::new(|| pattern("vague_fix"));
/// A sentence about its writer.
static FIRST_PERSON: LazyLock<Regex> = LazyLock::new(|| pattern("first_person"));
/// A reference to another sentence at the beginning.
static BACK_REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern("back_reference"));
/// A heading of a report below the description.
static REPORT_HEADING: LazyLock<Regex> = LazyLock::new(|| pattern("report_heading"));
/// Program output, and facts about a system, that a report does not mark as code.
static NO_PROSE: LazyLock<Regex> = LazyLock::new(|| pattern("no_prose"));
/// A sentence that is about text or pictures elsewhere.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| pattern("elsewhere"));
/// The words of which an English sentence has one.
static FUNCTION_WORD: LazyLock<Regex> = LazyLock::new(|| pattern("function_word"));

/// Returns a pattern of `wording.tsv`.
fn pattern(name: &str) -> Regex {
    re(&format!("(?i){}", alternatives(name)))
}

/// Returns the alternatives of a pattern of `wording.tsv` as a group.
fn alternatives(name: &str) -> String {
    let rows = include_str!("wording.tsv").lines().filter_map(|line| line.split_once('\t'));
    let texts: Vec<&str> = rows.filter(|(of, _)| *of == name).map(|(_, text)| text).collect();
    format!("(?:{})", texts.join("|"))
}

/// Returns a sentence as a passage: without its greeting, beginning with a capital letter. Returns
/// `None` for questions, thanks, and other parts of a conversation.
pub(super) fn passage(sentence: &Sentence) -> Option<String> {
    use SentenceRole::{AlreadyReported, Noise, Question, TakenBack};
    let role = sentence.role();
    if matches!(role, Noise | Question | TakenBack | AlreadyReported) {
        return None;
    }
    let text = sentence.markdown().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = OPENING.replace(&text, "");
    let text = text
        .trim_start_matches(['-', '*', '#', '>', '+', '.', ',', ' '])
        .trim_end_matches([' ', ';']);
    let letters = text.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum::<usize>();
    let is_short = text.split(' ').count() < MIN_WORDS && !is_specific(sentence);
    let plain = without_code(text);
    if letters < MIN_LETTERS
        || !is_whole(&plain)
        || is_short
        || text.chars().count() > MAX_LENGTH
        || plain.trim_end_matches([')', '"', '*', ' ']).ends_with('?')
        || CHATTER.is_match(&plain)
        || NO_PROSE.is_match(&plain)
        || ELSEWHERE.is_match(&plain) && sentence.code.is_none()
        || plain.is_ascii() && text.split(' ').count() <= PHRASE && !FUNCTION_WORD.is_match(&plain)
        || BACK_REFERENCE.is_match(text)
    {
        return None;
    }
    let end = if text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | ')' | '"')) {
        "."
    } else {
        ""
    };
    Some(capitalize(text) + end)
}

/// Returns whether a text is a whole sentence: not an aside, and with all of its brackets.
fn is_whole(text: &str) -> bool {
    let count = |mark: char| text.matches(mark).count();
    let is_balanced = count('(') == count(')') && count('[') == count(']');
    is_balanced && !text.starts_with('(') && !text.ends_with([',', '-', '–'])
}

/// Returns whether a sentence names a version, a reference or code.
pub(super) fn is_specific(sentence: &Sentence) -> bool {
    sentence.code.is_some()
        || ["VER", "REF", "CODE"].iter().any(|name| sentence.features.contains(*name))
}

/// Returns whether a sentence explains why the problem happens, without a doubt.
pub(super) fn explains(sentence: &Sentence) -> bool {
    use SentenceRole::{Declined, StillHappens, Workaround};
    CAUSE.is_match(&sentence.text)
        && sentence.text.chars().count() <= MAX_EXPLANATION
        && !is_doubtful(&sentence.text)
        && !is_personal(&sentence.text)
        && !ABOUT_CHANGE.is_match(&sentence.text)
        && !matches!(sentence.role(), Declined | StillHappens | Workaround)
}

/// Returns whether a sentence of a change's description tells what was wrong before.
pub(super) fn tells_former_state(sentence: &Sentence) -> bool {
    explains(sentence)
        || FORMER_STATE.is_match(&sentence.text)
            && sentence.text.chars().count() <= MAX_EXPLANATION
            && !is_personal(&sentence.text)
            && !is_about_change(&sentence.text)
            && !NEW_STATE.is_match(&sentence.text)
}

/// Returns whether a text is about a change and not about the product.
pub(super) fn is_about_change(text: &str) -> bool {
    ABOUT_CHANGE.is_match(text)
}

/// Returns whether a sentence only says that the problem is solved, or that somebody checked it.
pub(super) fn is_vague_fix(sentence: &Sentence) -> bool {
    let is_vague = VAGUE_FIX.is_match(&sentence.text) || is_personal(&sentence.text);
    VERIFICATION.is_match(&sentence.text) || is_vague && !is_specific(sentence)
}

/// Returns whether a text states something with a doubt.
pub(super) fn is_doubtful(text: &str) -> bool {
    DOUBT.is_match(text)
}

/// Returns whether a text is about its writer.
pub(super) fn is_personal(text: &str) -> bool {
    FIRST_PERSON.is_match(&without_code(text))
}

/// Returns whether a sentence is a heading below the description of a report.
pub(super) fn ends_description(sentence: &Sentence) -> bool {
    sentence.text.split_whitespace().count() < MIN_WORDS && REPORT_HEADING.is_match(&sentence.text)
}

/// Returns a text without its inline code.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("x")
}

/// Returns a text with a capital letter at the beginning, unless it begins with a name, with code or
/// with the component that it is about: "runtime: …".
pub(super) fn capitalize(text: &str) -> String {
    let mut words = text.split(' ');
    let has_component = text.split(' ').take(3).any(|word| word.ends_with(':'));
    let is_word = words.next().is_some_and(|word| {
        let word = word.trim_end_matches(',');
        !is_program(word) && word.chars().all(|c| c.is_lowercase() || c == '\'')
    });
    match text.chars().next() {
        Some(first) if is_word && !has_component => {
            first.to_uppercase().chain(text.chars().skip(1)).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_text::roles::Sentences;

    fn passages(markdown: &str) -> Vec<String> {
        Sentences::read(markdown).0.iter().filter_map(passage).collect()
    }

    #[test]
    fn wording_has_every_pattern() {
        let names = include_str!("wording.tsv").lines().filter_map(|line| line.split_once('\t'));
        names.for_each(|(name, _)| drop(pattern(name)));
        for pattern in
            [&OPENING, &CHATTER, &NO_PROSE, &VAGUE_FIX, &NEW_STATE, &ABOUT_CHANGE, &ELSEWHERE]
        {
            assert!(!pattern.is_match("") && pattern.as_str().len() > 20, "{pattern:?}");
        }
    }

    #[test]
    fn conversation_is_no_passage() {
        for text in [
            "Thanks!",
            "+1, same here.",
            "@ada could you take a look at the reader?",
            "Is this fixed in the last release?",
            "I'm going to close this issue now.",
            "That works.",
            "@bors r+",
        ] {
            assert_eq!(passages(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn passages_begin_without_greetings() {
        for (text, want) in [
            ("Hi @ada, the reader drops the last block.", "The reader drops the last block."),
            (
                "Ok, so the lease on the slot is renewed twice.",
                "The lease on the slot is renewed twice.",
            ),
            ("set `lease = 0` in the file to avoid it", "Set `lease = 0` in the file to avoid it."),
        ] {
            assert_eq!(passages(text), [want]);
        }
    }

    #[test]
    fn vague_fixes_are_left_out() {
        let is_vague = |text: &str| Sentences::read(text).0.iter().any(is_vague_fix);
        for text in
            ["This was resolved by an earlier commit.", "Verified as fixed with a Nexus 4.2.2."]
        {
            assert!(is_vague(text), "{text}");
        }
        for text in ["Fixed in 2.4.0.", "Removing the old lease file solves it."] {
            assert!(!is_vague(text), "{text}");
        }
    }

    #[test]
    fn explanations_have_no_doubt() {
        let is_cause = |text: &str| Sentences::read(text).0.iter().any(explains);
        for text in [
            "It fails because the lease is renewed twice.",
            "The root cause is a stale lease on the slot.",
            "The leak was introduced in 2.3 by the new reader.",
        ] {
            assert!(is_cause(text), "{text}");
        }
        for text in [
            "Maybe it fails because the lease is renewed twice.",
            "I think the root cause is a stale lease.",
            "Is it caused by the new reader?",
            "The reader has a new lease.",
        ] {
            assert!(!is_cause(text), "{text}");
        }
    }
}
