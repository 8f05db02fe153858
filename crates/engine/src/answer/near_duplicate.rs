//! Near-duplicates: reports that are equal word for word, or that fill in one template with
//! different subjects.
//!
//! Labels cover them poorly: copies are seldom marked, and templated reports ("… on Android fails",
//! "… on iOS fails") are as similar as duplicates.

use std::ops::Range;

use precedent_text::{
    prepare::PreparedText,
    tokens::{self, Word},
};

/// The minimum number of words to compare; shorter texts may be equal by chance.
const MIN_WORDS: usize = 8;
/// The minimum number of words in a typed title that identifies a report: of 87,000 titles this
/// long in five trackers, 99 % are unique.
const MIN_TITLE: usize = 4;
/// The minimum number of words of a text that contains more than its form.
const SHORT_TEXT: usize = 30;
/// The maximum number of words compared; more words of a large log add nothing.
const MAX_WORDS: usize = 20_000;
/// The maximum number of bytes read of the prose, and of the code.
const MAX_READ: usize = 400_000;
/// The maximum number of words replaced between two titles.
const MAX_REPLACED: usize = 2;
/// The minimum number of digits of a digest.
const MIN_DIGEST: usize = 7;
/// The minimum number of words that templated titles share.
const MIN_SHARED: usize = 2;
/// The minimum number of digits of a service desk's ticket number.
const TICKET_DIGITS: usize = 4;

/// A report as a sequence of words.
#[derive(Debug)]
pub(crate) struct TokenizedReport<'a> {
    title: &'a str,
    head: Vec<Word>,
    rest: Vec<String>,
}

/// The kinds of near-duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NearDuplicate {
    /// The reports are equal word for word.
    ExactCopy,
    /// The reports differ only in these words of their titles, as written in the first and in the
    /// second, and wherever else they occur.
    Templated(String, String),
}

impl<'a> TokenizedReport<'a> {
    pub(crate) fn new(title: &'a str, body: &PreparedText) -> Self {
        let head = tokens::words(title);
        let limit = MAX_WORDS.saturating_sub(head.len());
        let rest = [body.prose(), body.code()];
        let words = |text: &&str| tokens::words(&text[..text.floor_char_boundary(MAX_READ)]);
        let rest = rest.iter().flat_map(words).take(limit).map(|w| w.term).collect();
        Self { title, head, rest }
    }

    /// Returns whether a report with this title may be a near-duplicate; cheaper than comparing the
    /// texts.
    pub(super) fn may_match(&self, title: &str) -> bool {
        let words = tokens::words(title);
        has_same_terms(&self.head, &words) || differing_ranges(&self.head, &words).is_some()
    }

    /// Returns whether a title has the same words.
    pub(super) fn has_title(&self, title: &str) -> bool {
        has_same_terms(&self.head, &tokens::words(title))
    }

    /// Returns whether the report consists of only this title.
    pub(super) fn is_title(&self, title: &str) -> bool {
        let words = tokens::words(title);
        words.len() >= MIN_TITLE && self.terms().eq(words.iter().map(|w| w.term.as_str()))
    }

    /// Returns whether the text is as short as an unfilled form.
    pub(super) fn is_short(&self) -> bool {
        self.rest.len() < SHORT_TEXT
    }

    /// Returns all words, in order.
    pub(crate) fn terms(&self) -> impl Iterator<Item = &str> {
        self.head.iter().map(|w| w.term.as_str()).chain(self.rest.iter().map(String::as_str))
    }

    /// Compares this report with another one.
    pub(crate) fn compare(&self, candidate: &TokenizedReport<'_>) -> Option<NearDuplicate> {
        let has_no_text = self.rest.is_empty() && candidate.rest.is_empty();
        if self.head.len() + self.rest.len() >= MIN_WORDS && self.terms().eq(candidate.terms()) {
            return Some(NearDuplicate::ExactCopy);
        }
        if self.head.len() + self.rest.len() < MIN_WORDS && !has_no_text {
            return None;
        }
        let (range, candidate_range) = differing_ranges(&self.head, &candidate.head)?;
        let (from, to) = (&self.head[range], &candidate.head[candidate_range]);
        // A failure in another version, or with another ticket number, is the same failure.
        let is_version_or_ticket = |word: &Word| is_version(&word.term) || is_ticket(&word.term);
        if from.iter().chain(to).all(is_version_or_ticket) {
            return None;
        }
        are_equal_except(&self.rest, &candidate.rest, from, to).then(|| {
            NearDuplicate::Templated(excerpt(self.title, from), excerpt(candidate.title, to))
        })
    }
}

/// Returns whether a word is a version: numbers separated by points.
fn is_version(term: &str) -> bool {
    let number = term.strip_prefix('v').unwrap_or(term);
    number.contains('.') && is_number(number)
}

/// Returns whether a word may be a ticket number.
fn is_ticket(term: &str) -> bool {
    term.len() >= TICKET_DIGITS && term.bytes().all(|b| b.is_ascii_digit())
}

/// Returns whether a word is a number, a date or a version.
fn is_number(term: &str) -> bool {
    term.contains(|c: char| c.is_ascii_digit())
        && term.chars().all(|c| c.is_ascii_digit() || ['.', '-', ':', '/', '_'].contains(&c))
}

/// Returns whether a word is a number, or a digest or id.
fn is_filled_in(term: &str) -> bool {
    is_number(term)
        || (term.len() >= MIN_DIGEST
            && term.bytes().all(|b| b.is_ascii_hexdigit())
            && term.bytes().any(|b| b.is_ascii_digit()))
}

fn has_same_terms(a: &[Word], b: &[Word]) -> bool {
    a.iter().map(|w| &w.term).eq(b.iter().map(|w| &w.term))
}

/// Returns the ranges of the differing words of two titles, between the words that they share.
fn differing_ranges(first: &[Word], second: &[Word]) -> Option<(Range<usize>, Range<usize>)> {
    let is_equal = |(a, b): &(&Word, &Word)| a.term == b.term;
    let prefix = first.iter().zip(second).take_while(is_equal).count();
    let (first_rest, second_rest) = (&first[prefix..], &second[prefix..]);
    let suffix = first_rest.iter().rev().zip(second_rest.iter().rev()).take_while(is_equal).count();
    let (first, second) = (prefix..first.len() - suffix, prefix..second.len() - suffix);
    let is_short = |range: &Range<usize>| (1..=MAX_REPLACED).contains(&range.len());
    (is_short(&first) && is_short(&second) && prefix + suffix >= MIN_SHARED)
        .then_some((first, second))
}

/// Returns whether two texts are equal if `to` may replace `from`, as a whole or word by word.
fn are_equal_except(a_words: &[String], b_words: &[String], from: &[Word], to: &[Word]) -> bool {
    // Generated numbers, times and ids differ between reports.
    let may_replace = |a: &String, b: &String| {
        (is_filled_in(a) && is_filled_in(b))
            || from.iter().zip(to).any(|(f, t)| f.term == *a && t.term == *b)
    };
    if a_words.len() == b_words.len()
        && a_words.iter().zip(b_words).all(|(a, b)| a == b || may_replace(a, b))
    {
        return true;
    }
    let starts_with = |text: &[String], words: &[Word]| {
        text.len() >= words.len() && text.iter().zip(words).all(|(a, b)| *a == b.term)
    };
    let (mut a, mut b) = (a_words, b_words);
    loop {
        match (a, b) {
            ([], []) => return true,
            _ if starts_with(a, from) && starts_with(b, to) => {
                (a, b) = (&a[from.len()..], &b[to.len()..])
            }
            ([x, a_tail @ ..], [y, b_tail @ ..]) if x == y || may_replace(x, y) => {
                (a, b) = (a_tail, b_tail)
            }
            _ => return false,
        }
    }
}

/// Returns adjacent words of a text as spelled there, with the characters attached to them.
fn excerpt(text: &str, words: &[Word]) -> String {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return String::new() };
    let is_attached = |c: char| !c.is_whitespace();
    let start = text[..first.range.start].trim_end_matches(is_attached).len();
    let end = text.len() - text[last.range.end..].trim_start_matches(is_attached).len();
    text[start..end].trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use precedent_text::skeleton::Skeleton;

    const BODY: &str = "Titles are cut off after the first line on a small screen.";

    fn compare(a: (&str, &str), b: (&str, &str)) -> Option<NearDuplicate> {
        let body = |text: &str| PreparedText::body(text, &Skeleton::default());
        let (first, second) = (body(a.1), body(b.1));
        let (first, second) =
            (TokenizedReport::new(a.0, &first), TokenizedReport::new(b.0, &second));
        let near_duplicate = first.compare(&second);
        assert!(near_duplicate.is_none() || first.may_match(b.0), "{a:?} {b:?}");
        near_duplicate
    }

    #[test]
    fn same_words_are_an_exact_copy() {
        let copy = compare(("Lists are cut", BODY), ("lists ARE cut!", BODY));
        assert_eq!(copy, Some(NearDuplicate::ExactCopy));
        assert_eq!(compare(("Crash", "It crashes"), ("Crash", "It crashes")), None, "by chance");
    }

    #[test]
    fn templated_reports_differ_in_one_name() {
        let android = (
            "Lists on Android are cut",
            "On Android the list is cut. It is too long for the screen.",
        );
        let ios =
            ("Lists on iOS are cut", "On iOS the list is cut. It is too long for the screen.");
        let template = NearDuplicate::Templated("Android".into(), "iOS".into());
        assert_eq!(compare(android, ios), Some(template));
        let week = NearDuplicate::Templated("41".into(), "42".into());
        assert_eq!(compare(("Planning of week 41", ""), ("Planning of week 42", "")), Some(week));
        // No-break spaces separate words.
        let spaced = |name: &str| format!("Lists on\u{a0}{name}\u{a0}are cut");
        let template = NearDuplicate::Templated("Android".into(), "iOS".into());
        assert_eq!(compare((&spaced("Android"), BODY), (&spaced("iOS"), BODY)), Some(template));
        let other_body = "Titles are cut off after the second line on a small screen.";
        assert_eq!(
            compare(("Lists on Android are cut", BODY), ("Lists on iOS are cut", other_body)),
            None
        );
    }

    #[test]
    fn versions_and_ticket_numbers_are_not_templates() {
        for (a, b) in [
            ("Upload stops in 2.3.1", "Upload stops in 2.4.0"),
            ("Ticket 40112 upload stops", "Ticket 40955 upload stops"),
        ] {
            assert_eq!(compare((a, BODY), (b, BODY)), None, "{a}");
        }
    }

    proptest! {
        #[test]
        fn comparison_is_symmetric(
            a in "[ab1] [ab1._]{0,3} c d", b in "[ab1] [ab1._]{0,3} c d", rest in "([ab1cd] ){6,9}", swap in any::<bool>(),
        ) {
            let body = |text: &str| PreparedText::body(text, &Skeleton::default());
            let (first, second) = (body(&format!("{a} {rest}")), body(&format!("{} {rest}", if swap { &b } else { &a })));
            let (first, second) = (TokenizedReport::new(&a, &first), TokenizedReport::new(&b, &second));
            let reverse = match second.compare(&first) {
                Some(NearDuplicate::Templated(x, y)) => Some(NearDuplicate::Templated(y, x)),
                outcome => outcome,
            };
            prop_assert_eq!(first.compare(&second), reverse);
        }
    }
}
