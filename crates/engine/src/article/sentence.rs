//! The choice and trimming of sentences for an article.

use std::{collections::BTreeMap, sync::LazyLock};

use precedent_text::{
    pattern::re,
    roles::{Sentence, SentenceRole},
    version::is_program,
};
use regex::Regex;

/// The minimum length of a sentence's letters and digits, in bytes.
const MIN_LETTERS: usize = 20;
/// The minimum number of words of a sentence that names no version, reference or code.
const MIN_WORDS: usize = 5;
/// The maximum length of a sentence, in characters; longer ones are pasted output.
const MAX_LENGTH: usize = 500;
/// The maximum length of an explanation, in characters; longer ones are about several things.
const MAX_EXPLANATION: usize = 350;
/// The maximum length of a phrase, in words; an English one must contain a function word.
const MAX_PHRASE: usize = 8;
/// The minimum number of words in a sentence about a fix that are not about its status.
const MIN_CONTENT_WORDS: usize = 3;
/// The minimum number of digits in the number of a change.
const MIN_DIGITS: usize = 4;
/// The minimum length of a word that tells more than a status, in characters.
const MIN_CONTENT_WORD: usize = 3;

/// The patterns of `wording.tsv`, by name.
static PATTERNS: LazyLock<BTreeMap<&str, Regex>> = LazyLock::new(|| {
    let mut alternatives: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for row in include_str!("wording.tsv").lines() {
        let Some((name, text)) = row.split_once('\t') else { continue };
        alternatives.entry(name).or_default().push(text);
    }
    let patterns = alternatives.into_iter().map(|(name, texts)| {
        let alternation = format!("(?:{})", texts.join("|"));
        let pattern = match name {
            "opening" => format!("^{alternation}+"),
            "status_word" => format!("^{alternation}$"),
            // A question, or at most three more words before a colon, a dash or the end.
            "result" | "observed" | "expected" | "not_observed" => format!(
                r"^(?:\W|\d+[.)]|h\d\.)*{alternation}\w*(?:[^:?.!]{{0,80}}\?|(?:\s[^\s:?.!]+){{0,3}}\s*(?::|\s[-–]\s|\W*$))[\s*_]*"
            ),
            _ => alternation,
        };
        (name, re(&format!("(?i){pattern}")))
    });
    patterns.collect()
});

/// Returns whether `text` matches a pattern of `wording.tsv`.
pub(super) fn matches(name: &str, text: &str) -> bool {
    PATTERNS.get(name).is_some_and(|pattern| pattern.is_match(text))
}

/// Removes the matches of a pattern of `wording.tsv` from `text`, except for their first group.
pub(super) fn strip(name: &str, text: &str) -> String {
    let pattern = PATTERNS.get(name);
    pattern.map_or_else(|| text.to_owned(), |p| p.replace_all(text, "$1").into_owned())
}

/// Returns a sentence of a comment as a passage; `None` for questions, thanks and other chatter.
pub(super) fn passage(sentence: &Sentence) -> Option<String> {
    use SentenceRole::{AlreadyReported, Noise, Question, Retraction};
    let is_chatter = matches!(sentence.role(), Noise | Question | Retraction | AlreadyReported);
    clean_sentence(sentence).filter(|_| !is_chatter)
}

/// Returns a sentence without its greeting and with a capital letter; `None` if it is not a
/// complete statement. Its role is ignored, because roles apply only to comments.
pub(super) fn clean_sentence(sentence: &Sentence) -> Option<String> {
    let text = sentence.markdown().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = strip("footnote", &strip("opening", &text));
    let text = text
        .trim_start_matches(['-', '*', '#', '>', '+', '.', ',', ' '])
        .trim_end_matches([' ', ';']);
    let letters = text.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum::<usize>();
    let is_short = text.split(' ').count() < MIN_WORDS && !is_specific(sentence);
    let plain = mask_code(text);
    if letters < MIN_LETTERS
        || !is_complete(&plain)
        || is_short
        || text.chars().count() > MAX_LENGTH
        || plain.trim_end_matches([')', '"', '*', ' ']).ends_with('?')
        || matches("chatter", &plain)
        || matches("no_prose", &plain)
        || matches("no_prose", text)
        || matches("elsewhere", &plain) && sentence.code.is_none()
        || plain.is_ascii()
            && text.split(' ').count() <= MAX_PHRASE
            && !matches("function_word", &plain)
        || matches("back_reference", text)
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

/// Returns whether `text` is a complete sentence with balanced brackets, not a parenthetical aside.
fn is_complete(text: &str) -> bool {
    let count = |bracket: char| text.matches(bracket).count();
    let is_balanced = count('(') == count(')') && count('[') == count(']');
    is_balanced
        && !text.starts_with('(')
        && !text.ends_with(['-', '–'])
        && !matches("cut_end", text)
}

/// Returns whether a sentence contains a version, a reference or code.
pub(super) fn is_specific(sentence: &Sentence) -> bool {
    sentence.code.is_some() || sentence.is_specific()
}

/// Returns whether a sentence explains the problem with certainty.
pub(super) fn explains(sentence: &Sentence) -> bool {
    use SentenceRole::{Declined, Fix, NotFixed, Workaround};
    matches("cause", &sentence.text)
        && (!matches("pronoun", &sentence.text) || matches("explains_it", &sentence.text))
        && sentence.text.chars().count() <= MAX_EXPLANATION
        && !matches("doubt", &sentence.text)
        && !is_personal(&sentence.text)
        && !matches("second_person", &sentence.text)
        && !matches("about_change", &sentence.text)
        && !matches!(sentence.role(), Declined | Fix | NotFixed | Workaround)
}

/// Returns whether a report asks for work instead of describing a failure.
pub(super) fn is_request(title: &str, labels: &[String], title_fails: bool) -> bool {
    matches("request", title)
        || labels.iter().any(|label| matches("request_label", label))
        || matches("task", title) && !title_fails
}

/// Returns whether a sentence only says that the problem is solved, verified or in progress.
pub(super) fn is_vague_fix(sentence: &Sentence) -> bool {
    let text = &sentence.text;
    let is_content = |word: &&str| {
        word.chars().count() >= MIN_CONTENT_WORD
            && word.chars().any(char::is_alphabetic)
            && !matches("status_word", word)
    };
    // The number of a change, as in "CL 13110", but not a year.
    let is_number = |word: &str| {
        word.chars().filter(char::is_ascii_digit).count() >= MIN_DIGITS && !is_year(word)
    };
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let is_specific = is_specific(sentence) || words.iter().any(|word| is_number(word));
    let content_words = words.iter().copied().filter(is_content).count();
    matches("verified", text)
        || matches("about_change", text)
        || matches("work_progress", text) && sentence.code.is_none()
        || (content_words < MIN_CONTENT_WORDS || is_personal(text)) && !is_specific
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20"))
}

/// Returns whether `text` is about its author.
pub(super) fn is_personal(text: &str) -> bool {
    matches("first_person", &mask_code(text))
}

/// Returns whether `text` describes a failure.
pub(super) fn describes_failure(text: &str) -> bool {
    matches("failure", &mask_code(text))
}

/// Returns whether a sentence describes the effect of a change.
pub(super) fn describes_change(sentence: &Sentence) -> bool {
    matches("describes_change", &sentence.text)
        && !matches("pronoun", &sentence.text)
        && !matches("doubt", &sentence.text)
        && !matches("about_change", &sentence.text)
}

/// Returns a sentence about the result, which may be short.
pub(super) fn result_sentence(sentence: &Sentence) -> Option<String> {
    let text = sentence.markdown().split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.trim_matches(['-', '*', '#', '>', '.', ',', ';', ' ']);
    // A single word is a heading, unless it names a failure, such as "Crash".
    let is_text =
        (text.contains(' ') || describes_failure(text)) && text.chars().count() <= MAX_LENGTH;
    let is_lead = text.ends_with(':');
    let is_prose = (is_lead || !matches("no_prose", text)) && !text.ends_with('?');
    let end = if is_lead { "" } else { "." };
    (is_text && is_prose).then(|| capitalize(text) + end)
}

/// The section of a report to which a sentence belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportSection {
    /// Before all headings, or under one for a description.
    Observed,
    /// Under a heading for the result.
    Result,
    /// Under a heading for the expected result.
    Expected,
    /// Under any other heading, such as the steps.
    Other,
}

/// Returns the section that a heading or label at the beginning of `text` starts, and the length of
/// the heading.
pub(super) fn parse_heading(text: &str) -> Option<(ReportSection, usize)> {
    let kinds = [
        ("expected", ReportSection::Expected),
        ("not_observed", ReportSection::Other),
        ("result", ReportSection::Result),
        ("observed", ReportSection::Observed),
    ];
    kinds
        .into_iter()
        .find_map(|(pattern, kind)| Some((kind, PATTERNS.get(pattern)?.find(text)?.end())))
}

/// Replaces the inline code in `text` with `x`.
fn mask_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("x")
}

/// Capitalizes `text`, unless it begins with a name, code or a component ("runtime: …").
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
    fn every_pattern_in_use_exists() {
        for code in [include_str!("sentence.rs"), include_str!("passages.rs")] {
            let uses = code.split("matches(\"").chain(code.split("strip(\"")).skip(1);
            for name in uses.filter_map(|rest| rest.split_once("\", ")) {
                assert!(name.0.contains(' ') || PATTERNS.contains_key(name.0), "{}", name.0);
            }
        }
        assert!(PATTERNS.values().all(|pattern| !pattern.is_match("")));
    }

    #[test]
    fn conversation_is_not_a_passage() {
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
    fn vague_fixes_are_recognized() {
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
            let (result, end) = parse_heading(text).unwrap();
            assert_eq!((result, &text[end..]), (section, rest), "{text}");
        }
        for text in ["The problem is the list.", "Expected entries are missing from the list."] {
            assert_eq!(parse_heading(text), None, "{text}");
        }
    }

    #[test]
    fn requests_report_no_failure() {
        let is_request = |title: &str, label: &str| {
            is_request(title, &[label.to_owned()], describes_failure(title))
        };
        for (title, label) in [
            ("reader: add an option for the lease", "A-reader"),
            ("Missing word in README.md", ""),
            ("The reader drops the last block", "A-docs"),
        ] {
            assert!(is_request(title, label), "{title}");
        }
        for title in ["Fix the crash of the reader", "The reader drops the last block"] {
            assert!(!is_request(title, "A-reader"), "{title}");
        }
    }

    #[test]
    fn uncertain_explanations_are_rejected() {
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
