//! Why two reports may be the same, in words a triager can check.

use std::{cmp::Ordering, collections::BTreeSet, fmt, sync::LazyLock};

use regex::Regex;

use super::{Draft, Scored, twin::Twin};
use crate::phrases::fixed_in;
use precedent_store::DocumentRow;
use precedent_text::{
    failure::Contrary,
    pattern::re,
    prepare::Prepared,
    report,
    signature::{Signature, SignatureKind},
    title::Apart,
    tokens,
    version::versions,
};

/// The most things of one kind that a reason lists.
const LISTED: usize = 3;
/// The share of a report's words that only comments have, from which on it is a reason.
const TELLING: f32 = 0.1;
/// The cosine from which on two texts are close in meaning.
const CLOSE: f32 = 0.6;
/// By how much a comment has to be closer than the text that it is on.
const NEARER: f32 = 0.05;
/// The longest text that names and words are looked up in, in bytes.
pub(super) const MAX_READ: usize = 200_000;
/// The longest signature that a reason quotes, in characters.
const QUOTED: usize = 80;

/// Labels that say what kind of item it is, and not what it is about.
const TYPES: [&str; 12] = [
    "bug",
    "task",
    "story",
    "incident",
    "question",
    "enhancement",
    "feature",
    "improvement",
    "problem",
    "defect",
    "type: bug",
    "type:bug",
];
/// Words that say nothing by themselves in the languages whose titles are searched without a list of such words.
const FUNCTION: &[&str] = &[
    "al", "au", "aux", "avec", "che", "com", "con", "da", "dans", "das", "de", "del", "della", "den", "der",
    "des", "di", "die", "do", "dos", "du", "een", "el", "em", "en", "est", "et", "het", "il", "la", "las",
    "le", "les", "lo", "los", "na", "ne", "nel", "no", "non", "não", "op", "para", "pas", "per", "plus",
    "por", "pour", "que", "qui", "se", "sin", "sobre", "sur", "um", "uma", "un", "una", "une", "van", "voor",
    "ein", "eine", "bei", "beim", "im", "ist", "mit", "nicht", "und", "vom", "von", "zu", "zum", "zur",
    "auf", "aus", "für",
];

/// How a report says that something is back.
static AGAIN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:regress(?:ion|ed|es)|(?:is|are|came|comes|has come) back(?: again)?|re-?appear(?:s|ed)?|resurfaced?|re-?introduced|(?:was|is) (?:supposed|said) to be fixed)\b",
    )
});

/// The report that is asked about.
pub(super) struct About<'a> {
    /// As it is compared.
    pub(super) draft: &'a Draft,
    /// Title and body.
    pub(super) text: &'a str,
    /// Those of its signatures that say something.
    pub(super) signatures: &'a [Signature],
    /// Its telling identifiers.
    pub(super) names: &'a BTreeSet<String>,
    /// As it is stored, if it is.
    pub(super) row: Option<&'a DocumentRow>,
}

/// Why two reports that say the same may be one, or why not.
pub(super) fn of_twin(twin: &Twin) -> String {
    match twin {
        Twin::Copy => "it says the same, word for word".to_owned(),
        Twin::Again(ours, theirs) => {
            format!("it says the same word for word, but for {theirs} in place of {ours}")
        }
        Twin::Parts(plan) => format!("each is another part of “{}”, by their titles", brief(plan)),
        Twin::Form => "both are the form that nobody filled in".to_owned(),
        Twin::Series(ours, theirs) => {
            let (ours, theirs) = (brief(ours), brief(theirs));
            format!("it says the same, but of “{theirs}” in place of “{ours}”, as the reports of a series do")
        }
    }
}

/// The reasons, the strongest first. `versions` are those that the report and the candidate name, `anew` words of the report that only
/// the comments on the candidate have.
pub(super) fn reasons(
    about: &About<'_>,
    row: &DocumentRow,
    body: &Prepared,
    versions: &Versions,
    one: &Scored,
    anew: &[&str],
) -> Vec<String> {
    let About { draft, text, signatures, row: own, .. } = *about;
    let mut out = Vec::new();
    let theirs: BTreeSet<Signature> = body.signatures(&row.title).into_iter().collect();
    let shared =
        |kind| signatures.iter().filter(|s| s.kind == kind && theirs.contains(s)).collect::<Vec<_>>();
    // What programs of all kinds fail with is the same failure where it happened in the same place.
    if one.reading.as_ref().is_some_and(|read| read.same_text) {
        out.push("it tells the same word for word".to_owned());
    }
    match one.reading.as_ref().and_then(|read| read.contrary.as_ref()) {
        Some(Contrary::Cause(ours, theirs)) => {
            out.push(format!("another cause: “{}” here, “{}” there", brief(ours), brief(theirs)));
        }
        Some(Contrary::Code(ours, theirs)) => out.push(format!("another code: {ours} here, {theirs} there")),
        _ => {}
    }
    match one.reading.as_ref().and_then(|read| read.apart.as_ref()) {
        Some(Apart::Opposite(ours, theirs)) => {
            out.push(format!("the opposite: “{}” here, “{}” there", brief(ours), brief(theirs)));
        }
        Some(Apart::Another(ours, theirs)) => {
            out.push(format!("about another: “{}” here, “{}” there", brief(ours), brief(theirs)));
        }
        Some(Apart::System(ours, theirs)) => {
            out.push(format!("another system: {ours} here, {theirs} there"));
        }
        Some(Apart::Turned) => out.push("the other way round, by its title".to_owned()),
        None => {}
    }
    let frames = shared(SignatureKind::Frame);
    let failure = |s: &Signature| {
        if s.is_generic() && frames.is_empty() { "the same kind of failure" } else { "the same failure" }
    };
    for (kind, what) in [
        (SignatureKind::Code, "the same error code"),
        (SignatureKind::Exception, "the same failure"),
        (SignatureKind::Message, "the same message"),
    ] {
        // A failure is its message with what failed before it.
        let said = |text: &str| out.iter().any(|reason: &String| reason.ends_with(text));
        let found = shared(kind);
        let mut told = found.iter().map(|s| (*s, brief(spelled(text, &s.text))));
        if let Some((signature, text)) = told.find(|(_, text)| !said(text)) {
            let what = if kind == SignatureKind::Exception { failure(signature) } else { what };
            out.push(format!("{what}: {text}"));
        }
    }
    if let Some(first) = frames.first() {
        // A call that is named in a sentence is no trace.
        let is_frame = |s: &&Signature| s.kind == SignatureKind::Frame;
        let traces =
            signatures.iter().filter(is_frame).count() > 1 && theirs.iter().filter(is_frame).count() > 1;
        out.push(match frames.len() {
            1 if !traces => format!("both name the function {}", brief(spelled(text, &first.text))),
            1 => format!("both stack traces go through {}", brief(spelled(text, &first.text))),
            n => format!("the stack traces share {n} frames, such as {}", brief(spelled(text, &first.text))),
        });
    }
    let mut named = shared_names(about, row, body);
    named.retain(|name| !out.iter().any(|reason| reason.ends_with(spelled(text, name))));
    named.truncate(LISTED);
    if !named.is_empty() {
        let named: Vec<String> = named.iter().map(|name| brief(spelled(text, name))).collect();
        out.push(format!("both name {}", named.join(", ")));
    }
    let codes: BTreeSet<String> =
        shared(SignatureKind::Code).iter().flat_map(|s| report::terms(&s.text)).collect();
    let title: BTreeSet<String> = report::terms(&row.title).into_iter().collect();
    let written: BTreeSet<String> =
        tokens::words(&row.title).into_iter().map(|w| row.title[w.range].to_lowercase()).collect();
    // The title of a form is no reason.
    let common = one.reading.as_ref().is_some_and(|read| read.common_title);
    let mut said = BTreeSet::new();
    let words: Vec<String> = tokens::words(&draft.title)
        .into_iter()
        .filter(|w| title.contains(&w.term) && !tokens::is_stop_word(&w.term) && said.insert(w.term.clone()))
        .filter(|w| !codes.contains(&w.term))
        .filter_map(|w| in_both(&draft.title[w.range], &written))
        .filter(|word| is_telling(word))
        .map(|word| format!("“{word}”"))
        .take(LISTED)
        .collect();
    if common {
        out.push("their title is one that many reports have".to_owned());
    } else if !words.is_empty() {
        out.push(format!("the titles share {}", words.join(", ")));
    }
    if one.closer.said_anew >= TELLING && !anew.is_empty() {
        let said: Vec<String> = anew.iter().take(LISTED).map(|w| format!("“{w}”")).collect();
        out.push(format!("the comments on it name {}", said.join(", ")));
    }
    if one.closer.same_title && !common {
        out.push("every word of either title is in the other report".to_owned());
    }
    let close = |cosine: Option<f32>| cosine.filter(|c| *c >= CLOSE);
    if let Some(cosine) = close(one.cosine).filter(|_| !common) {
        let alike = one.reading.as_ref().is_some_and(|read| read.has_its_words());
        let words = if alike { "" } else { " in other words" };
        out.push(format!("they say much the same{words} ({cosine:.2})"));
    }
    let nearer = |said: &f32| one.cosine.is_none_or(|own| said - own >= NEARER);
    if let Some(said) = close(one.closer.near.text).filter(nearer) {
        out.push(format!("a comment on it says much the same ({said:.2})"));
    }
    if let Some(own) = own {
        let labels = own.labels.iter().filter(|l| row.labels.contains(l)).map(String::as_str);
        let labels: Vec<&str> =
            labels.filter(|l| !TYPES.contains(&&*l.to_lowercase())).take(LISTED).collect();
        if !labels.is_empty() {
            out.push(format!("both are labelled {}", labels.join(", ")));
        }
    }
    match versions {
        (Some(ours), Some(theirs)) if ours == theirs => out.push(format!("both are about version {ours}")),
        (Some(ours), Some(theirs)) => {
            out.push(format!("the versions differ: {ours} here, {theirs} there"));
        }
        _ => {}
    }
    out
}

/// A word as both titles have it: as it is written here or, of two forms, the one that stands in the other, "column" of "columns".
fn in_both(word: &str, written: &BTreeSet<String>) -> Option<String> {
    const STEM: usize = 4;
    const ENDING: usize = 3;
    let lower = word.to_lowercase();
    if written.contains(&lower) {
        return Some(word.to_owned());
    }
    let begins = |long: &str, short: &str| {
        let ending = long.strip_prefix(short).filter(|e| e.chars().all(char::is_alphabetic));
        ending.is_some_and(|e| e.chars().count() <= ENDING) && short.chars().count() >= STEM
    };
    if written.iter().any(|other| begins(other, &lower)) {
        return Some(word.to_owned());
    }
    written.iter().find(|other| begins(&lower, other)).cloned()
}

/// Whether a word of a title says something by itself: no function word, no letter and no small number.
fn is_telling(word: &str) -> bool {
    let small =
        word.is_ascii() && word.len() < 2 || word.len() < 3 && word.bytes().all(|b| b.is_ascii_digit());
    !small && !FUNCTION.contains(&&*word.to_lowercase())
}

/// Whole identifiers that both reports name, the longest first: short ones are often plain words.
fn shared_names(about: &About<'_>, row: &DocumentRow, body: &Prepared) -> Vec<String> {
    let mut shared = telling_identifiers(&row.title, body);
    shared.retain(|name| about.names.contains(name));
    let mut shared: Vec<String> = shared.into_iter().collect();
    shared.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    shared
}

/// A name as a text writes it first, as it is where the text has it in no such form: names are compared in lower case.
pub(super) fn spelled<'a>(text: &'a str, name: &'a str) -> &'a str {
    let text = &text[..text.floor_char_boundary(MAX_READ)];
    let mut places = text.as_bytes().windows(name.len().max(1));
    let at = places.position(|place| place.eq_ignore_ascii_case(name.as_bytes()));
    at.and_then(|at| text.get(at..at + name.len())).unwrap_or(name)
}

/// The whole identifiers of a report that are no plain words.
pub(super) fn telling_identifiers(title: &str, body: &Prepared) -> BTreeSet<String> {
    let telling = |whole: &String| {
        whole.len() >= 4
            && whole.contains(['_', ':', '/', '-', '.'])
            && !whole.starts_with("http")
            && whole.contains(|c: char| c.is_alphabetic())
    };
    report::identifiers([title, body.prose(), body.code()]).into_iter().filter(telling).collect()
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The numbers of a version: `2.4` and `2.4.0` are one.
#[derive(Clone, Debug)]
pub(super) struct Version(Vec<u64>);

impl Version {
    fn read(version: &str) -> Option<Self> {
        let core = version.split(['-', '+']).next().unwrap_or_default();
        core.split('.').map(|part| part.parse().ok()).collect::<Option<_>>().map(Self)
    }

    /// The version that a milestone is called like: `2.4.1`, `v2.4`, "Release 2.4".
    pub(super) fn of(milestone: &str) -> Option<Self> {
        let word = milestone
            .split_whitespace()
            .find(|word| word.contains('.') && word.ends_with(|c: char| c.is_ascii_digit()))?;
        Self::read(word.trim_start_matches(['v', 'V']))
    }

    fn told(&self) -> &[u64] {
        let zeros = self.0.iter().rev().take_while(|n| **n == 0).count();
        &self.0[..self.0.len() - zeros]
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.told() == other.told()
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.told().cmp(other.told())
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&parts.join("."))
    }
}

/// Whether a report says that something is back which had gone.
pub(super) fn says_again(title: &str, body: &Prepared) -> bool {
    let prose = body.prose();
    let last = title.trim_end_matches(|c: char| !c.is_alphanumeric());
    last.to_lowercase().ends_with(" again")
        || AGAIN.is_match(title)
        || AGAIN.is_match(&prose[..prose.floor_char_boundary(MAX_READ)])
}

/// The version that a text says something was fixed in.
pub(super) fn fixed_version(text: &str) -> Option<Version> {
    let text = &text[..text.floor_char_boundary(MAX_READ)];
    fixed_in(text).filter_map(Version::read).min()
}

/// The newest versions of a product that a report and a candidate name.
pub(super) type Versions = (Option<Version>, Option<Version>);

/// The newest version of the product that a report names, if it names any.
pub(super) fn newest_version(title: &str, body: &Prepared, product: &str) -> Option<Version> {
    versions(&format!("{title}\n{}", body.text()), product)
        .own
        .iter()
        .filter_map(|version| Version::read(version))
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_text::skeleton::Skeleton;

    #[test]
    fn names_are_shown_as_they_are_written() {
        let body = Prepared::body("Ünder `Wheel::Poll` it says FW-2203.", &Skeleton::default());
        let text = body.whole("fw-2203 again");
        assert_eq!(spelled(&text, "wheel::poll"), "Wheel::Poll");
        assert_eq!(spelled(&text, "fw-2203"), "fw-2203");
        assert_eq!(spelled(&text, "no::where"), "no::where");
        assert_eq!(spelled(&text, ""), "");
    }

    #[test]
    fn a_word_is_shown_as_both_titles_have_it() {
        let written: BTreeSet<String> = ["columns", "export", "generate", "app"].map(str::to_owned).into();
        let shown = |word| in_both(word, &written);
        assert_eq!(shown("Columns").as_deref(), Some("Columns"));
        assert_eq!(shown("Column").as_deref(), Some("Column"));
        assert_eq!(shown("Exported").as_deref(), Some("export"));
        assert_eq!((shown("General"), shown("apps"), shown("exportations")), (None, None, None));
    }

    #[test]
    fn what_is_back_says_so() {
        let says = |title: &str, body: &str| says_again(title, &Prepared::body(body, &Skeleton::default()));
        assert!(
            says("Screenshot is inserted twice again", "")
                && says("Twice", "Looks like the old bug is back.")
        );
        assert!(says("Regression: pasted twice", ""));
        assert!(!says("Paste again after a crash", "Go back, then paste again."));
    }

    #[test]
    fn the_newest_version_counts() {
        let body = Prepared::body("It worked in 2.9.1 and fails since 2.10.0-rc.1.", &Skeleton::default());
        assert_eq!(newest_version("", &body, "acme/app"), Version::read("2.10.0"));
        assert_eq!(newest_version("Crash", &Prepared::default(), "acme/app"), None);
    }
}
