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
/// The minimum number of words of a sentence about a fix that tell more than that it is fixed.
const MIN_CONTENT_WORDS: usize = 3;
/// The minimum number of digits of the number of a change.
const MIN_DIGITS: usize = 4;
/// The minimum length of such a word, in characters.
const MIN_CONTENT_WORD: usize = 3;

/// Greetings, interjections and mentions at the beginning of a sentence.
static OPENING: LazyLock<Regex> =
    LazyLock::new(|| re(&format!("(?i)^{}+", alternatives("opening"))));
/// Words of a conversation, which mean nothing to a reader of an article.
static CHATTER: LazyLock<Regex> = LazyLock::new(|| pattern("chatter"));
/// A doubt, in a sentence that explains.
static DOUBT: LazyLock<Regex> = LazyLock::new(|| pattern("doubt"));
/// The wording of an explanation.
static CAUSE: LazyLock<Regex> = LazyLock::new(|| pattern("cause"));
/// A sentence about a change itself, about plans, or that denies a regression.
static ABOUT_CHANGE: LazyLock<Regex> = LazyLock::new(|| pattern("about_change"));
/// The report of a test.
static VERIFICATION: LazyLock<Regex> = LazyLock::new(|| pattern("verified"));
/// A word that tells nothing beside the state of a report.
static STATUS_WORD: LazyLock<Regex> =
    LazyLock::new(|| re(&format!("(?i)^{}$", alternatives("status_word"))));
/// A sentence about its writer.
static FIRST_PERSON: LazyLock<Regex> = LazyLock::new(|| pattern("first_person"));
/// A reference to another sentence at the beginning.
static BACK_REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern("back_reference"));
/// A sentence that continues the one before it.
static CONTINUES: LazyLock<Regex> = LazyLock::new(|| pattern("continues"));
/// A heading, or a label at the beginning of a line, above a description.
static OBSERVED_HEADING: LazyLock<Regex> = LazyLock::new(|| heading("observed"));
/// A heading or a label above what happened.
static RESULT_HEADING: LazyLock<Regex> = LazyLock::new(|| heading("result"));
/// A heading or a label above what was expected.
static EXPECTED_HEADING: LazyLock<Regex> = LazyLock::new(|| heading("expected"));
/// A heading or a label above something else.
static NOT_OBSERVED: LazyLock<Regex> = LazyLock::new(|| heading("not_observed"));
/// A word that addresses the reader.
static SECOND_PERSON: LazyLock<Regex> = LazyLock::new(|| re(r"(?i)\byour?\b"));
/// Program output, and facts about a system, that a report does not mark as code.
static NO_PROSE: LazyLock<Regex> = LazyLock::new(|| pattern("no_prose"));
/// A sentence that is about text or pictures elsewhere.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| pattern("elsewhere"));
/// The wording of a failure.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| pattern("failure"));
/// The beginning of a guess, or of a note about the text.
static GUESS: LazyLock<Regex> = LazyLock::new(|| pattern("guess"));
/// The progress of work on a fix.
static WORK_PROGRESS: LazyLock<Regex> = LazyLock::new(|| pattern("work_progress"));
/// A sentence of a change's description that tells what is different.
static TELLS_CHANGE: LazyLock<Regex> = LazyLock::new(|| pattern("tells_change"));
/// The end of a sentence that lacks its rest.
static CUT_END: LazyLock<Regex> = LazyLock::new(|| pattern("cut_end"));
/// A pronoun near the beginning, for something in the sentence before.
static PRONOUN: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)^\W*(?:[\w']+\W+){0,2}(?:it|this|that|these|those|them)\b"));
/// An explanation that begins with a pronoun for the problem: "This is because".
static EXPLAINS_IT: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)^\W*(?:it|this|that)(?:'s)?(?: \w+){0,3}? (?:because|due|caused|introduced|broken)\b")
});
/// A footnote mark.
static FOOTNOTE: LazyLock<Regex> = LazyLock::new(|| re(r" ?\[\d{1,2}\](?:$|[ .,;)])"));
/// The words of which an English sentence has one.
static FUNCTION_WORD: LazyLock<Regex> = LazyLock::new(|| pattern("function_word"));

/// Returns a pattern of `wording.tsv`.
fn pattern(name: &str) -> Regex {
    re(&format!("(?i){}", alternatives(name)))
}

/// Returns the pattern of the headings that begin as a pattern of `wording.tsv` does: a question, or
/// a few words with a mark or nothing after them.
fn heading(name: &str) -> Regex {
    let kind = alternatives(name);
    re(&format!(
        r"(?i)^(?:\W|\d+[.)]|h\d\.)*{kind}\w*(?:[^:?.!]{{0,80}}\?|(?:\s[^\s:?.!]+){{0,3}}\s*(?::|\s[-–]\s|\W*$))[\s*_]*"
    ))
}

/// Returns the alternatives of a pattern of `wording.tsv` as a group.
fn alternatives(name: &str) -> String {
    let rows = include_str!("wording.tsv").lines().filter_map(|line| line.split_once('\t'));
    let texts: Vec<&str> = rows.filter(|(of, _)| *of == name).map(|(_, text)| text).collect();
    format!("(?:{})", texts.join("|"))
}

/// Returns a sentence of a comment as a passage. Returns `None` for questions, thanks, and other
/// parts of a conversation.
pub(super) fn passage(sentence: &Sentence) -> Option<String> {
    use SentenceRole::{AlreadyReported, Noise, Question, TakenBack};
    let is_chatter = matches!(sentence.role(), Noise | Question | TakenBack | AlreadyReported);
    own_words(sentence).filter(|_| !is_chatter)
}

/// Returns a sentence as a passage: without its greeting, beginning with a capital letter. Reports
/// have no roles.
pub(super) fn own_words(sentence: &Sentence) -> Option<String> {
    let text = sentence.markdown().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = OPENING.replace(&text, "");
    let text = FOOTNOTE.replace_all(&text, |captures: &regex::Captures<'_>| {
        captures[0].chars().last().filter(|c| *c != ']').map_or_else(String::new, |c| c.to_string())
    });
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
        || NO_PROSE.is_match(text)
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
    is_balanced && !text.starts_with('(') && !text.ends_with(['-', '–']) && !CUT_END.is_match(text)
}

/// Returns whether a sentence names a version, a reference or code.
pub(super) fn is_specific(sentence: &Sentence) -> bool {
    sentence.code.is_some()
        || ["VER", "REF", "CODE"].iter().any(|name| sentence.features.contains(*name))
}

/// Returns whether a sentence explains why the problem happens, without a doubt.
pub(super) fn explains(sentence: &Sentence) -> bool {
    use SentenceRole::{Declined, Fix, StillHappens, Workaround};
    CAUSE.is_match(&sentence.text)
        && (!refers_back(&sentence.text) || EXPLAINS_IT.is_match(&sentence.text))
        && sentence.text.chars().count() <= MAX_EXPLANATION
        && !is_doubtful(&sentence.text)
        && !is_personal(&sentence.text)
        && !SECOND_PERSON.is_match(&sentence.text)
        && !ABOUT_CHANGE.is_match(&sentence.text)
        && !matches!(sentence.role(), Declined | Fix | StillHappens | Workaround)
}

/// Returns whether a text is about a change and not about the product.
pub(super) fn is_about_change(text: &str) -> bool {
    ABOUT_CHANGE.is_match(text)
}

/// Returns whether a sentence only says that the problem is solved, that somebody checked it, or
/// that a change is under way.
pub(super) fn is_vague_fix(sentence: &Sentence) -> bool {
    let text = &sentence.text;
    let is_content = |word: &&str| {
        word.chars().count() >= MIN_CONTENT_WORD
            && word.chars().any(char::is_alphabetic)
            && !STATUS_WORD.is_match(word)
    };
    // "CL 13110", but no year.
    let is_number = |word: &str| {
        word.chars().filter(char::is_ascii_digit).count() >= MIN_DIGITS && !is_year(word)
    };
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let is_specific = is_specific(sentence) || words.iter().any(|word| is_number(word));
    let content_words = words.iter().copied().filter(is_content).count();
    VERIFICATION.is_match(text)
        || is_about_change(text)
        || WORK_PROGRESS.is_match(text) && sentence.code.is_none()
        || (content_words < MIN_CONTENT_WORDS || is_personal(text)) && !is_specific
}

/// Returns whether a word is a year of this century or of the last one.
fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20"))
}

/// Returns whether a text states something with a doubt.
pub(super) fn is_doubtful(text: &str) -> bool {
    DOUBT.is_match(text)
}

/// Returns whether a text is about its writer.
pub(super) fn is_personal(text: &str) -> bool {
    FIRST_PERSON.is_match(&without_code(text))
}

/// Returns whether a sentence says something only together with the one before it.
pub(super) fn continues(text: &str) -> bool {
    CONTINUES.is_match(text)
}

/// Returns whether a text tells of a failure.
pub(super) fn fails(text: &str) -> bool {
    FAILURE.is_match(&without_code(text))
}

/// Returns whether a text is a guess or a note about the report, and no observation.
pub(super) fn is_guess(sentence: &Sentence) -> bool {
    GUESS.is_match(&sentence.text)
}

/// Returns whether a sentence of a change's description tells what is different.
pub(super) fn tells_change(sentence: &Sentence) -> bool {
    TELLS_CHANGE.is_match(&sentence.text)
        && !refers_back(&sentence.text)
        && !is_doubtful(&sentence.text)
        && !is_about_change(&sentence.text)
}

/// Returns whether a text begins with a pronoun for something in the sentence before it.
pub(super) fn refers_back(text: &str) -> bool {
    PRONOUN.is_match(text)
}

/// Returns the words of a sentence about what happened, even if they are few.
pub(super) fn result(sentence: &Sentence) -> Option<String> {
    let text = sentence.markdown().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_matches(['-', '*', '#', '>', '.', ',', ' ']);
    // A single word is a heading, unless it is "Crash".
    let is_text = (text.contains(' ') || fails(text)) && text.chars().count() <= MAX_LENGTH;
    let is_lead = text.ends_with(':');
    let is_prose = (is_lead || !NO_PROSE.is_match(text)) && !text.ends_with('?');
    let end = if is_lead { "" } else { "." };
    (is_text && is_prose).then(|| capitalize(text) + end)
}

/// The section of a report to which a sentence belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportSection {
    /// Above all headings, or below one for a description.
    Observed,
    /// Below a heading for what happened.
    Result,
    /// Below a heading for what was expected.
    Expected,
    /// Below any other heading, such as that of the steps.
    Other,
}

/// Returns the section that begins with a text, if its beginning is a heading or a label, and the
/// length of the heading.
pub(super) fn section_of(text: &str) -> Option<(ReportSection, usize)> {
    let kinds = [
        (&*EXPECTED_HEADING, ReportSection::Expected),
        (&*NOT_OBSERVED, ReportSection::Other),
        (&*RESULT_HEADING, ReportSection::Result),
        (&*OBSERVED_HEADING, ReportSection::Observed),
    ];
    kinds.into_iter().find_map(|(pattern, kind)| Some((kind, pattern.find(text)?.end())))
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
        for pattern in [
            &OPENING,
            &CHATTER,
            &NO_PROSE,
            &STATUS_WORD,
            &OBSERVED_HEADING,
            &ABOUT_CHANGE,
            &ELSEWHERE,
        ] {
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
        for text in [
            "This was resolved by an earlier commit.",
            "Verified as fixed with a Nexus 4.2.2.",
            "Anyway, sounds like this got fixed.",
            "Going to resolve this as fixed.",
            "Fixed this the week of July 1st.",
            "PR with the fix filed: #12.",
        ] {
            assert!(is_vague(text), "{text}");
        }
        for text in [
            "Fixed in 2.4.0.",
            "CL 13110 fixed this.",
            "Removing the old lease file solves it.",
            "Fixed by rewriting the way we set properties on init.",
        ] {
            assert!(!is_vague(text), "{text}");
        }
    }

    #[test]
    fn headings_and_labels_begin_sections() {
        use ReportSection::{Expected, Observed, Other, Result};
        for (text, section, rest) in [
            ("What did you expect to see?", Expected, ""),
            ("Expected: the list has ten entries.", Expected, "the list has ten entries."),
            ("3. Steps to reproduce", Other, ""),
            ("What did you see instead?", Result, ""),
            ("Description: the list is empty.", Observed, "the list is empty."),
            ("Actual result: the list is empty.", Result, "the list is empty."),
        ] {
            let (of, end) = section_of(text).unwrap();
            assert_eq!((of, &text[end..]), (section, rest), "{text}");
        }
        for text in ["The problem is the list.", "Expected entries are missing from the list."] {
            assert_eq!(section_of(text), None, "{text}");
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
            "That is because your file has two leases.",
            "The problem is solved with build 2.4.1.",
            "The reader has a new lease.",
            "This is a bit tricky, because the lease is renewed twice.",
        ] {
            assert!(!is_cause(text), "{text}");
        }
    }
}
