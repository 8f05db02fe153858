//! Reports that say the same: word for word, or but for what their titles name.
//!
//! Labels teach little of them, and what they teach is of one tracker: copies are seldom marked, and of a series ("… on
//! Android fails", "… on iOS fails", from one template, seconds apart) each is as alike to the others as a duplicate is.

use std::{collections::HashSet, ops::Range, sync::LazyLock};

use super::blank::{name_nothing, terms};
use precedent_text::{
    prepare::Prepared,
    title::{Number, counts},
    tokens::{self, Word},
};

/// Shorter texts are the same by chance ("Crash", "It does not work").
const MIN_WORDS: usize = 8;
/// The fewest digits of the number that a desk gives to a ticket.
const TICKET_DIGITS: usize = 4;
/// A text of fewer words under a title of a form says no more than the form.
const SHORT_TEXT: usize = 30;
/// The words of a report that are compared; a 5 MB log has no more to say.
const MAX_WORDS: usize = 20_000;
/// The bytes of its prose, and of its code, that those are looked for in.
const MAX_READ: usize = 400_000;
/// The most words of a title that stand in each other's place.
const MAX_REPLACED: usize = 2;
/// The fewest digits of a digest.
const MIN_DIGEST: usize = 7;
/// The fewest words that such titles share: below that a title was made anew.
const MIN_SHARED: usize = 2;

/// What a title of a part begins with, by its kind.
static PARTS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    terms("epic phase part step stage task subtask milestone sprint chapter lesson week track rollout")
});
/// Words of titles that tell of what is done again and again, or for one thing after another.
static TASKS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    terms(
        "bump update upgrade release prepare publish tag rotate renew migrate retro retrospective standup meeting minutes agenda \
         changelog roadmap milestone planning plan review audit checklist support drop add enable backup maintenance deploy \
         deployment schedule run chore sprint newsletter invoice autoupdate package translate inventory inventur",
    )
});
/// … of what a clock starts.
static RECURRING: LazyLock<HashSet<String>> = LazyLock::new(|| {
    terms(
        "nightly daily weekly hourly monthly quarterly yearly annual scheduled cron smoke benchmark heartbeat \
         täglich wöchentlich monatlich jährlich wochenbericht tagesbericht monatsbericht quotidien hebdomadaire mensuel annuel \
         diario semanal mensual anual diário mensal giornaliero settimanale mensile annuale dagelijks wekelijks maandelijks \
         ежедневный еженедельный ежемесячный 周报 日报 月报 週報 日報 月報",
    )
});
/// What stands in front of the number that a desk gave to a ticket.
static TICKETS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    terms("ticket case incident request call order ref reference inc req ritm sr cs chg prb tkt vorgang")
});
/// Words of titles that tell of a failure.
static FAILURES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    terms(
        "crash fail failure error exception panic hang freeze frozen segfault broken break abort regression leak corrupt wrong \
         blank missing slow stuck lost unexpected incorrect timeout deadlock cannot unable not never",
    )
});

/// A report as a row of words.
#[derive(Debug)]
pub(super) struct Worded<'a> {
    title: &'a str,
    head: Vec<Word>,
    rest: Vec<String>,
}

/// How two reports say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Twin {
    /// Word for word.
    Copy,
    /// A failure, word for word but for versions: the first of them, as the first and the second write it.
    Again(String, String),
    /// But for these words of their titles, as the first and the second write them, and wherever else they stand.
    Series(String, String),
    /// Not at all: each is another part of the plan that both titles begin with.
    Parts(String),
    /// Word for word, but they say nothing: a form that nobody filled in.
    Form,
}

impl<'a> Worded<'a> {
    pub(super) fn new(title: &'a str, body: &Prepared) -> Self {
        let head = without_tickets(tokens::words(title));
        let left = MAX_WORDS.saturating_sub(head.len());
        let rest = [body.prose(), body.code()];
        let words = |text: &&str| tokens::words(&text[..text.floor_char_boundary(MAX_READ)]);
        let rest = rest.iter().flat_map(words).take(left).map(|w| w.term).collect();
        Self { title, head, rest }
    }

    /// Whether a report of this title may be a twin: cheaper to tell than whether it is.
    pub(super) fn may_be(&self, title: &str) -> bool {
        let theirs = without_tickets(tokens::words(title));
        same(&self.head, &theirs)
            || replaced(&self.head, &theirs).is_some()
            || places(&self.head, &theirs).is_some()
            || numbered(&self.head, &theirs).is_some()
            || part(self.title, title).is_some()
    }

    /// Whether a title has the same words.
    pub(super) fn has_title(&self, title: &str) -> bool {
        same(&self.head, &without_tickets(tokens::words(title)))
    }

    /// Whether its text is as short as a form that nobody filled in.
    pub(super) fn is_short(&self) -> bool {
        self.rest.len() < SHORT_TEXT
    }

    /// All its words, in order.
    pub(super) fn terms(&self) -> impl Iterator<Item = &str> {
        self.head.iter().map(|w| w.term.as_str()).chain(self.rest.iter().map(String::as_str))
    }

    /// The first versions in which this report and another one differ, if they differ in nothing else.
    fn versions_apart<'b>(&'b self, other: &'b Worded<'_>) -> Option<(&'b str, &'b str)> {
        let mut first = None;
        let (mut ours, mut theirs) = (self.terms(), other.terms());
        loop {
            match (ours.next(), theirs.next()) {
                (None, None) => return first,
                (Some(a), Some(b)) if a == b => {}
                (Some(a), Some(b)) if is_version(a) && is_version(b) => first = first.or(Some((a, b))),
                _ => return None,
            }
        }
    }

    /// How this report and another one say the same, if they do.
    pub(super) fn twin(&self, other: &Worded<'_>) -> Option<Twin> {
        let has = |some: &HashSet<String>| self.head.iter().any(|word| some.contains(&word.term));
        let (fails, recurs) = (has(&FAILURES), has(&RECURRING));
        // What comes with a date, and what is done for one version after another, needs no words to be told.
        let numbers = numbered(&self.head, &other.head).map(|at| {
            let number = |report: &Worded<'_>| written(report.title, &report.head[at..=at]);
            (number(self), number(other), counts(self.title, &self.head, at))
        });
        if let Some((from, to, of)) = &numbers
            && (recurs || (!fails && (has(&TASKS) || *of == Number::Thing)))
        {
            return Some(Twin::Series(from.clone(), to.clone()));
        }
        if self.head.len() + self.rest.len() < MIN_WORDS {
            return None;
        }
        if self.terms().eq(other.terms()) {
            // Forms that nobody filled in are the same for another reason.
            return Some(if name_nothing(&self.head) { Twin::Form } else { Twin::Copy });
        }
        // The same failure in another version is the same; a release, a bump or a task for each version is not.
        if fails && let Some((ours, theirs)) = self.versions_apart(other) {
            return Some(Twin::Again(ours.to_owned(), theirs.to_owned()));
        }
        let told = |of| matches!(of, Number::Version | Number::Amount);
        if let Some((from, to, of)) = numbers.filter(|(.., of)| !fails || told(*of)) {
            // The text that both tell is of one thing where a version is numbered, or how many; two texts may be of one or of two.
            return match (self.rest.is_empty() && other.rest.is_empty(), self.rest == other.rest, of) {
                (true, _, Number::Thing | Number::Unknown) if !fails => Some(Twin::Series(from, to)),
                (_, true, of) if told(of) => Some(Twin::Again(from, to)),
                _ => None,
            };
        }
        if let Some(plan) = part(self.title, other.title) {
            return Some(Twin::Parts(plan.to_owned()));
        }
        if let Some((ours, theirs)) = replaced(&self.head, &other.head) {
            let (from, to) = (&self.head[ours], &other.head[theirs]);
            if fails && from.iter().chain(to).all(|word| is_version(&word.term)) {
                return None;
            }
            return same_but_for(&self.rest, &other.rest, from, to)
                .then(|| Twin::Series(written(self.title, from), written(other.title, to)));
        }
        let places = places(&self.head, &other.head)?;
        let (from, to): (Vec<Word>, Vec<Word>) =
            places.iter().map(|at| (self.head[*at].clone(), other.head[*at].clone())).unzip();
        let first = from.iter().zip(&to).position(|(a, b)| !(is_number(&a.term) && is_number(&b.term)))?;
        same_but_for(&self.rest, &other.rest, &from, &to).then(|| {
            let written = |title, words: &[Word]| written(title, &words[first..=first]);
            Twin::Series(written(self.title, &from), written(other.title, &to))
        })
    }
}

/// The words of a title without the number that a desk gave to the ticket: "Ticket 40112: …", "[INC0012345] …". It is another one
/// each time that the same is reported.
fn without_tickets(words: Vec<Word>) -> Vec<Word> {
    let long = |digits: &str| digits.len() >= TICKET_DIGITS && digits.bytes().all(|b| b.is_ascii_digit());
    let is_number = |word: &Word| {
        let digits = word.term.trim_start_matches(|c: char| c.is_ascii_lowercase());
        let kind = &word.term[..word.term.len() - digits.len()];
        long(digits) && !kind.is_empty() && TICKETS.contains(kind)
    };
    let mut out: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        if is_number(&word) {
            continue;
        }
        if long(&word.term) && out.last().is_some_and(|before| TICKETS.contains(&before.term)) {
            out.pop();
            continue;
        }
        out.push(word);
    }
    out
}

/// Whether a word is a version: numbers with points between.
fn is_version(term: &str) -> bool {
    let number = term.strip_prefix('v').unwrap_or(term);
    number.contains('.') && is_number(number)
}

/// Whether a word is a number, a date or a version.
fn is_number(term: &str) -> bool {
    term.contains(|c: char| c.is_ascii_digit())
        && term.chars().all(|c| c.is_ascii_digit() || ['.', '-', ':', '/', '_'].contains(&c))
}

/// Whether a word is a number, or the digest or id of something.
fn is_filled_in(term: &str) -> bool {
    is_number(term)
        || (term.len() >= MIN_DIGEST
            && term.bytes().all(|b| b.is_ascii_hexdigit())
            && term.bytes().any(|b| b.is_ascii_digit()))
}

/// Where two titles first have another number, if that is all in which they differ.
fn numbered(ours: &[Word], theirs: &[Word]) -> Option<usize> {
    let other = |(a, b): (&Word, &Word)| a.term != b.term;
    let differ = |pair: &(&Word, &Word)| other(*pair);
    let all = || ours.iter().zip(theirs);
    let only = ours.len() == theirs.len()
        && all().filter(differ).all(|(a, b)| is_number(&a.term) && is_number(&b.term));
    let shared = all().filter(|pair| !differ(pair)).count();
    let task = || ours.iter().any(|word| TASKS.contains(&word.term) || RECURRING.contains(&word.term));
    if only && (shared >= MIN_SHARED || (shared > 0 && task())) { all().position(other) } else { None }
}

/// What two titles begin with if it names a plan ("[Epic Heron] Phase 4: …") and what follows shares no word and tells of no failure.
fn part<'t>(ours: &'t str, theirs: &str) -> Option<&'t str> {
    let shared = ours
        .char_indices()
        .zip(theirs.chars())
        .take_while(|((_, a), b)| a == b)
        .map(|((at, char), _)| at + char.len_utf8())
        .last()?;
    let mark = ours[..shared].rfind([':', ']', '|'])?;
    // A bracket that was opened is closed.
    let plan = &ours[..mark + usize::from(ours[mark..].starts_with(']'))];
    let words = tokens::words(plan);
    if words.len() < 2 || !words.iter().any(|word| PARTS.contains(&word.term)) {
        return None;
    }
    let left = |title: &str| -> HashSet<String> {
        let words = tokens::words(&title[plan.len()..]).into_iter().map(|word| word.term);
        words.filter(|term| !tokens::is_stop_word(term)).collect()
    };
    let (ours, theirs) = (left(ours), left(theirs));
    let apart = !ours.is_empty() && !theirs.is_empty() && ours.is_disjoint(&theirs);
    (apart && FAILURES.is_disjoint(&ours) && FAILURES.is_disjoint(&theirs)).then_some(plan)
}

fn same(ours: &[Word], theirs: &[Word]) -> bool {
    ours.iter().map(|w| &w.term).eq(theirs.iter().map(|w| &w.term))
}

/// The words of two titles that stand in each other's place, between what they share.
fn replaced(ours: &[Word], theirs: &[Word]) -> Option<(Range<usize>, Range<usize>)> {
    let alike = |(a, b): &(&Word, &Word)| a.term == b.term;
    let before = ours.iter().zip(theirs).take_while(alike).count();
    let (left, other) = (&ours[before..], &theirs[before..]);
    let after = left.iter().rev().zip(other.iter().rev()).take_while(alike).count();
    let (ours, theirs) = (before..ours.len() - after, before..theirs.len() - after);
    let few = |range: &Range<usize>| (1..=MAX_REPLACED).contains(&range.len());
    (few(&ours) && few(&theirs) && before + after >= MIN_SHARED).then_some((ours, theirs))
}

/// Where two titles of one form have other words, at several places: "Domain a.example ends in 30 days", "Domain b.example ends in 14
/// days". Of words that are no numbers there are few.
fn places(ours: &[Word], theirs: &[Word]) -> Option<Vec<usize>> {
    if ours.len() != theirs.len() {
        return None;
    }
    let differ = |at: &usize| ours[*at].term != theirs[*at].term;
    let all: Vec<usize> = (0..ours.len()).filter(differ).collect();
    let words =
        all.iter().filter(|at| !(is_number(&ours[**at].term) && is_number(&theirs[**at].term))).count();
    let shared = ours.len() - all.len();
    ((1..=MAX_REPLACED).contains(&words) && shared >= MIN_SHARED.max(all.len())).then_some(all)
}

/// Whether two texts are the same where `to` may stand for `from`, all of it or word by word.
fn same_but_for(ours: &[String], theirs: &[String], from: &[Word], to: &[Word]) -> bool {
    // What a machine fills in is another number, moment or run each time.
    let pair = |a: &String, b: &String| {
        (is_filled_in(a) && is_filled_in(b)) || from.iter().zip(to).any(|(f, t)| f.term == *a && t.term == *b)
    };
    if ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| a == b || pair(a, b)) {
        return true;
    }
    let starts = |text: &[String], words: &[Word]| {
        text.len() >= words.len() && text.iter().zip(words).all(|(a, b)| *a == b.term)
    };
    let (mut a, mut b) = (ours, theirs);
    loop {
        match (a, b) {
            ([], []) => return true,
            _ if starts(a, from) && starts(b, to) => (a, b) = (&a[from.len()..], &b[to.len()..]),
            ([x, left @ ..], [y, right @ ..]) if x == y || pair(x, y) => (a, b) = (left, right),
            _ => return false,
        }
    }
}

/// Neighbouring words of a text as it writes them, with what is joined to them.
fn written(text: &str, words: &[Word]) -> String {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return String::new() };
    let start = text[..first.range.start].rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let end = text[last.range.end..].find(char::is_whitespace).map_or(text.len(), |at| last.range.end + at);
    let whole = text.get(start..end).unwrap_or_default();
    whole.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use precedent_text::skeleton::Skeleton;

    const BODY: &str = "Titles are cut off after the first line on a small screen.";

    fn twin(ours: (&str, &str), theirs: (&str, &str)) -> Option<Twin> {
        let body = |text| Prepared::body(text, &Skeleton::default());
        let (a, b) = (body(ours.1), body(theirs.1));
        let ours = Worded::new(ours.0, &a);
        let found = ours.twin(&Worded::new(theirs.0, &b));
        assert!(found.is_none() || ours.may_be(theirs.0));
        found
    }

    fn series(ours: &str, theirs: &str) -> Option<Twin> {
        Some(Twin::Series(ours.to_owned(), theirs.to_owned()))
    }

    #[test]
    fn a_copy_is_the_same_word_for_word() {
        assert_eq!(twin(("The list is cut", BODY), ("the LIST is cut!", BODY)), Some(Twin::Copy));
        assert_eq!(twin(("The list is cut", BODY), ("The list is cut", "Another text altogether.")), None);
        assert_eq!(twin(("Crash", "It crashes."), ("Crash", "It crashes.")), None, "too short to say so");
    }

    #[test]
    fn what_a_machine_files_again_and_again_is_a_series_whatever_it_fills_in() {
        let flaky = |test: &str, run: &str| {
            (
                format!("[flaky test] {test}"),
                format!(
                    "The test {test} failed on main but passed on retry.\n\nRun: https://ci.example/run/{run}\nFirst seen: 2025-03-03"
                ),
            )
        };
        let (a, b) = (flaky("Sync.testResume", "4537"), flaky("Upload.testRetry", "3685"));
        assert!(matches!(twin((&a.0, &a.1), (&b.0, &b.1)), Some(Twin::Series(..))));
        let domain = |name: &str, days: u8, day: &str| {
            (
                format!("Domain {name} expires in {days} days"),
                format!("The domain {name} expires on {day}. Please look into it."),
            )
        };
        let (a, b) = (domain("tide.example", 30, "2025-04-07"), domain("desk.example", 14, "2025-06-07"));
        assert_eq!(twin((&a.0, &a.1), (&b.0, &b.1)), series("tide.example", "desk.example"));
        // What each says of its own is no number that was filled in.
        let found = twin(
            ("Sync of host nas01 ends with TM-231", "nas01: the folder 'reports ' stops the sync of all."),
            ("Sync of host nas07 ends with TM-231", "nas07: the folder 'bills ' stops the sync of all."),
        );
        assert_eq!(found, None);
        assert_eq!(
            twin(
                ("Informe semanal 3 de marzo", "Diez nuevas."),
                ("Informe semanal 10 de marzo", "Once nuevas.")
            ),
            series("3", "10")
        );
    }

    #[test]
    fn one_of_a_series_differs_in_what_the_title_names() {
        let found = twin(("Lists on Android are cut", BODY), ("Lists on iOS are cut", BODY));
        assert_eq!(found, series("Android", "iOS"));
        let found = twin(
            ("Test of TLS_1_1 (new) fails", "TLS_1_1 fails. Please look into 1 failure."),
            ("Test of TLS_1_0 (new) fails", "TLS_1_0 fails. Please look into 1 failure."),
        );
        assert_eq!(found, series("TLS_1_1", "TLS_1_0"));
        let found = twin(
            ("Release 3.5.1: the lists (wide)", "Write what is new in 3.5.1, then build 3.5.1."),
            ("Release 3.5.0: the lists (wide)", "Write what is new in 3.5.0, then build 3.5.0."),
        );
        assert_eq!(found, series("3.5.1", "3.5.0"));
        let found = twin(
            ("Lists of Mobile Web are cut", "On mobile web titles are cut, on mobile web alone."),
            ("Lists of Windows are cut", "On Windows titles are cut, on Windows alone."),
        );
        assert_eq!(found, series("Mobile Web", "Windows"));
    }

    #[test]
    fn a_bump_is_of_a_series_and_the_same_crash_in_a_later_version_is_not() {
        let bump = |title| (title, "Bumps the library, see its notes.");
        let found =
            twin(bump("Bump left-padder from 1.2.0 to 1.2.1"), bump("Bump left-padder from 1.2.1 to 1.3.0"));
        assert_eq!(found, series("1.2.0", "1.2.1"));
        let again = Some(Twin::Again("4.0.2".into(), "4.0.1".into()));
        let crash =
            |version| (format!("Release {version} crashes on start"), format!("Since {version}. {BODY}"));
        let (new, old) = (crash("4.0.2"), crash("4.0.1"));
        assert_eq!(twin((&new.0, &new.1), (&old.0, &old.1)), again);
        let below = |version| format!("Version {version}. {BODY}");
        assert_eq!(
            twin(("It crashes on start", &below("4.0.2")), ("It crashes on start", &below("4.0.1"))),
            again
        );
        assert_eq!(twin((&new.0, &new.1), (&old.0, "It is another one, with other words in it.")), None);
    }

    #[test]
    fn the_number_of_a_ticket_is_none_of_its_words() {
        for (a, b) in [
            ("Ticket 40112: label printer offline", "Ticket 40390: label printer offline"),
            ("[INC0012345] label printer offline", "INC0012877 label printer offline"),
            ("Case 00012345 - nightly export stops", "Case 00013111 - nightly export stops"),
        ] {
            assert_eq!(twin((a, BODY), (b, BODY)), Some(Twin::Copy), "{a}");
            assert_eq!(
                twin((a, BODY), (b, "The tray is stuck, and the light at the side is red.")),
                None,
                "{a}"
            );
        }
        let found =
            twin(("iOS 17: keyboard covers the field", BODY), ("iOS 18: keyboard covers the field", BODY));
        assert_eq!(found, Some(Twin::Again("17".into(), "18".into())));
        let found = twin(("App crashes on Android 13", BODY), ("App crashes on Android 14", BODY));
        assert_eq!(found, Some(Twin::Again("13".into(), "14".into())));
        let found = twin(("Timeout after 30 seconds", BODY), ("Timeout after 60 seconds", BODY));
        assert_eq!(found, Some(Twin::Again("30".into(), "60".into())));
        assert_eq!(
            twin(("Kasse 4 druckt nicht", BODY), ("Kasse 7 druckt nicht", BODY)),
            series("4", "7"),
            "each is another till"
        );
        assert_eq!(twin(("Heron 4 druckt nicht", BODY), ("Heron 7 druckt nicht", BODY)), None, "who knows?");
        for (a, b) in [
            ("Nightly build failed on 2025-04-01", "Nightly build failed on 2025-04-02"),
            ("Release 7.1.0", "Release 7.2.0"),
            ("Sprint 41 planning", "Sprint 42 planning"),
        ] {
            assert!(matches!(twin((a, ""), (b, "")), Some(Twin::Series(..))), "{a}");
        }
    }

    #[test]
    fn the_form_that_nobody_filled_in_is_none_of_these() {
        let form = "Steps to reproduce Expected behaviour Actual behaviour Version";
        assert_eq!(twin(("[Bug]:", form), ("[Bug]:", form)), Some(Twin::Form));
    }

    #[test]
    fn parts_of_one_plan_are_no_duplicates_and_two_failures_of_a_part_may_be() {
        let part = |title| (title, "See the plan. Definition of done: reviewed and merged.");
        let found = twin(
            part("[Epic Heron] Phase 4: Rename the tracing macros"),
            part("[Epic Heron] Phase 4: Split the samples"),
        );
        assert_eq!(found, Some(Twin::Parts("[Epic Heron] Phase 4".into())));
        let none = |a, b| assert_eq!(twin(part(a), part(b)), None, "{a} {b}");
        none("[Epic Heron] Phase 4: Move the loader", "[Epic Heron] Phase 4: Moving of the loader");
        none("Phase 4: build fails on ARM", "Phase 4: linker error for aarch64");
        none("Table view: sections are cut", "Table view: last row missing");
    }

    #[test]
    fn titles_part_at_characters_of_any_length() {
        let part = |title| (title, "See the plan. Definition of done: reviewed and merged.");
        let found = twin(
            part("[Phase 2 “Heron”] „Rename the tracing macros”"),
            part("[Phase 2 “Heron”] “Split all samples”"),
        );
        assert_eq!(found, Some(Twin::Parts("[Phase 2 “Heron”]".into())));
        let found = twin(part("[フェーズ4] 追跡の名前"), part("[フェーズ4] 追跡の例"));
        assert_eq!(found, series("追跡の名前", "追跡の例"));
    }

    #[test]
    fn what_differs_elsewhere_is_no_series() {
        let other = "Titles are cut off after the second line on a small screen.";
        assert_eq!(twin(("Lists on Android are cut", BODY), ("Lists on iOS are cut", other)), None);
        // A title with something more, and one that was made anew.
        assert_eq!(twin(("Lists are cut", BODY), ("Lists are cut on iOS", BODY)), None);
        assert_eq!(twin(("Lists are cut", BODY), ("Titles end early", BODY)), None);
    }

    proptest! {
        #[test]
        fn any_two_titles_can_be_compared(
            start in "(\\[?(Phase|Epic|Étape|\\PC{3}) [0-9“”„é漢]{0,3}[\\]:|]? ?){0,2}", a in "\\PC{0,12}", b in "\\PC{0,12}",
        ) {
            let (one, two) = (format!("{start}{a}"), format!("{start}{b}"));
            prop_assert_eq!(part(&one, &two), part(&two, &one));
            twin((&one, &a), (&two, &b));
        }

        #[test]
        fn twins_are_told_from_either_side(
            a in "[ab1] [ab1._]{0,3} c d", b in "[ab1] [ab1._]{0,3} c d", rest in "([ab1cd] ){6,9}", swap in any::<bool>(),
        ) {
            let body = |text: &str| Prepared::body(text, &Skeleton::default());
            let (one, two) = (body(&format!("{a} {rest}")), body(&format!("{} {rest}", if swap { &b } else { &a })));
            let (one, two) = (Worded::new(&a, &one), Worded::new(&b, &two));
            let turned = match two.twin(&one) {
                Some(Twin::Series(x, y)) => Some(Twin::Series(y, x)),
                Some(Twin::Again(x, y)) => Some(Twin::Again(y, x)),
                other => other,
            };
            prop_assert_eq!(one.twin(&two), turned);
        }
    }
}
