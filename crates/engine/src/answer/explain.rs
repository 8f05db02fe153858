//! The reasons why two reports match, in words that a triager can check.

use std::{cmp::Ordering, collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{Draft, Match};
use precedent_core::error::Result;
use precedent_index::fulltext::{FullText, Named};
use precedent_store::DocumentRow;
use precedent_text::{
    failure::FailureMatch,
    pattern::re,
    prepare::Prepared,
    report,
    roles::Sentences,
    signature::{Signature, SignatureKind},
    tokens,
    version::{by_number, compare, versions},
};

/// The maximum number of items of one kind in a reason.
const LISTED: usize = 3;
/// The minimum share of a report's words found only in comments to be a reason.
const TELLING: f32 = 0.1;
/// The minimum cosine of two texts that are close in meaning.
const CLOSE: f32 = 0.6;
/// The minimum amount by which a comment's cosine exceeds that of its document.
const NEARER: f32 = 0.05;
/// The divisor of the document count that gives the maximum frequency of a name in a reason.
const COMMON: u64 = 10;
/// The number of documents up to which a name or word is never too common for a reason.
const FEW: u64 = 5;
/// The maximum length of a text searched for names and words, in bytes.
pub(crate) const MAX_READ: usize = 200_000;
/// The maximum length of a quoted signature, in characters.
const QUOTED: usize = 80;

/// The wording of a regression report.
static AGAIN: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:regress(?:ion|ed|es)|(?:is|are|came|comes|has come) back(?: again)?|re-?appear(?:s|ed)?|resurfaced?|re-?introduced|(?:was|is) (?:supposed|said) to be fixed)\b",
    )
});

/// The report to explain matches for.
pub(crate) struct About<'a> {
    /// The draft as compared.
    pub(crate) draft: &'a Draft,
    /// The title and the body.
    pub(crate) text: &'a str,
    /// The distinctive signatures.
    pub(crate) signatures: &'a [Signature],
    /// The distinctive identifiers.
    pub(crate) names: &'a BTreeSet<String>,
}

/// Returns the reasons for a match, strongest first. `versions` are the versions that the report
/// and the candidate name, `anew` the words of the report that only the candidate's comments have.
///
/// # Errors
/// Index errors.
pub(crate) fn reasons(
    fulltext: &FullText,
    about: &About<'_>,
    (row, body): (&DocumentRow, &Prepared),
    versions: &Versions,
    one: &Match,
    anew: &[&str],
) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let same_reporter = one.details.same_author.then(|| "same reporter".to_owned());
    if one.features.is_copy() {
        out.push("identical text".to_owned());
        out.extend(same_reporter);
        return Ok(out);
    }
    if let Some((ours, theirs)) = &one.details.templated {
        out.push(format!("same template: “{}” here, “{}” there", brief(ours), brief(theirs)));
    }
    let overlap = one.overlap.as_ref();
    if overlap.is_some_and(|o| o.same_text) {
        out.push("nearly identical text".to_owned());
    }
    if let Some((ours, theirs)) = overlap.and_then(|o| o.other_system.as_ref()) {
        out.push(format!("different systems: {ours} here, {theirs} there"));
    }
    if overlap.is_some_and(|o| o.failure == FailureMatch::Different) {
        out.push("different failures".to_owned());
    }
    signature_reasons(about, row, body, one, &mut out);
    let mut named = shared_names(about, row, body);
    named.retain(|name| !out.iter().any(|reason| reason.ends_with(spelled(about.text, name))));
    let named = rare(fulltext, Named::Identifier, named, |name| name.clone())?;
    if !named.is_empty() {
        let named = named.iter().map(|name| brief(spelled(about.text, name)));
        out.push(format!("both name {}", named.collect::<Vec<_>>().join(", ")));
    }
    let theirs: BTreeSet<String> = report::terms(&row.title).into_iter().collect();
    // Codes are already listed.
    let codes = about.signatures.iter().filter(|s| s.kind == SignatureKind::Code);
    let mut seen: BTreeSet<String> = codes.flat_map(|s| report::terms(&s.text)).collect();
    let mut shared = tokens::words(&about.draft.title);
    shared.retain(|word| {
        theirs.contains(&word.term) && !tokens::is_stop_word(&word.term) && seen.insert(word.term.clone())
    });
    let shared = rare(fulltext, Named::Word, shared, |word| word.term.clone())?;
    if !shared.is_empty() {
        let words = shared.iter().map(|word| format!("“{}”", &about.draft.title[word.range.clone()]));
        out.push(format!("titles share {}", words.collect::<Vec<_>>().join(", ")));
    }
    if one.details.said_anew >= TELLING && !anew.is_empty() {
        let said: Vec<String> = anew.iter().take(LISTED).map(|w| format!("“{w}”")).collect();
        out.push(format!("its comments name {}", said.join(", ")));
    }
    let close = |cosine: Option<f32>| cosine.filter(|c| *c >= CLOSE);
    if let Some(cosine) = close(one.cosine) {
        out.push(format!("similar wording ({cosine:.2})"));
    }
    let nearer = |said: &f32| one.cosine.is_none_or(|own| said - own >= NEARER);
    if let Some(said) = close(one.details.near.text).filter(nearer) {
        out.push(format!("a comment on it has similar wording ({said:.2})"));
    }
    if let (Some(ours), Some(theirs)) = versions
        && compare(ours, theirs) == Some(Ordering::Equal)
    {
        out.push(format!("both name version {ours}"));
    }
    out.extend(same_reporter);
    Ok(out)
}

/// Adds the shared error evidence: codes, failures, messages, frames.
fn signature_reasons(
    about: &About<'_>,
    row: &DocumentRow,
    body: &Prepared,
    one: &Match,
    out: &mut Vec<String>,
) {
    let theirs: BTreeSet<Signature> = body.signatures(&row.title).into_iter().collect();
    let shared =
        |kind| about.signatures.iter().filter(|s| s.kind == kind && theirs.contains(s)).collect::<Vec<_>>();
    for (kind, what) in [
        (SignatureKind::Code, "same error code"),
        (SignatureKind::Exception, "same failure"),
        (SignatureKind::Message, "same message"),
    ] {
        // Skip a message that is already part of a listed failure.
        let mut texts = shared(kind).into_iter().map(|s| (s, brief(spelled(about.text, &s.text))));
        if let Some((s, text)) = texts.find(|(_, text)| !out.iter().any(|reason| reason.ends_with(text))) {
            let generic = kind == SignatureKind::Exception && s.is_generic() && !one.is_same_failure();
            out.push(format!("{}: {text}", if generic { "same kind of failure" } else { what }));
        }
    }
    let frames = shared(SignatureKind::Frame);
    if let Some(first) = frames.first() {
        let first = brief(spelled(about.text, &first.text));
        out.push(match frames.len() {
            1 => format!("both name the function {first}"),
            n => format!("{n} shared stack frames, such as {first}"),
        });
    }
}

/// Returns the first few of these names that are rare in the casebook.
fn rare<T>(fulltext: &FullText, kind: Named, all: Vec<T>, term: impl Fn(&T) -> String) -> Result<Vec<T>> {
    let terms: Vec<String> = all.iter().map(term).collect();
    let most = (fulltext.count()? / COMMON).max(FEW);
    let with = fulltext.documents_with(kind, &terms)?;
    let few = all.into_iter().zip(with).filter(|(_, documents)| *documents <= most);
    Ok(few.map(|(one, _)| one).take(LISTED).collect())
}

/// Returns whether a title has a number that may be an error code, such as "57014".
pub(super) fn has_number(title: &str) -> bool {
    let digits = |word: &str| word.len() >= 4 && word.bytes().all(|b| b.is_ascii_digit());
    title.split(|c: char| !c.is_alphanumeric()).any(digits)
}

/// Returns the whole identifiers that both reports name, longest first: short ones are often plain
/// words.
fn shared_names(about: &About<'_>, row: &DocumentRow, body: &Prepared) -> Vec<String> {
    let mut shared = telling_identifiers(&row.title, body);
    shared.retain(|name| about.names.contains(name));
    let mut shared: Vec<String> = shared.into_iter().collect();
    shared.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    shared
}

/// Returns a name in the spelling of its first occurrence in a text, or unchanged if absent,
/// because names are compared in lower case.
pub(crate) fn spelled<'a>(text: &'a str, name: &'a str) -> &'a str {
    let text = &text[..text.floor_char_boundary(MAX_READ)];
    let mut places = text.as_bytes().windows(name.len().max(1));
    let at = places.position(|place| place.eq_ignore_ascii_case(name.as_bytes()));
    at.and_then(|at| text.get(at..at + name.len())).unwrap_or(name)
}

/// Returns the whole identifiers of a report that are not plain words.
pub(crate) fn telling_identifiers(title: &str, body: &Prepared) -> BTreeSet<String> {
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

/// Returns whether a report describes a regression.
pub(crate) fn says_again(title: &str, body: &Prepared) -> bool {
    let prose = body.prose();
    let last = title.trim_end_matches(|c: char| !c.is_alphanumeric());
    last.to_lowercase().ends_with(" again")
        || AGAIN.is_match(title)
        || AGAIN.is_match(&prose[..prose.floor_char_boundary(MAX_READ)])
}

/// Returns the version in which a text says something was fixed.
pub(crate) fn fixed_version(text: &str) -> Option<String> {
    Sentences::read(text).fixed_in(&[]).into_iter().min_by(|a, b| by_number(a, b))
}

/// The newest versions of a product that a report and a candidate name.
pub(crate) type Versions = (Option<String>, Option<String>);

/// Returns the newest version of the product that a report names, if any.
pub(crate) fn newest_version(title: &str, body: &Prepared, product: &str) -> Option<String> {
    let named = versions(&format!("{title}\n{}", body.text()), product).own;
    named.into_iter().max_by(|a, b| by_number(a, b))
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
        assert_eq!(newest_version("", &body, "acme/app").as_deref(), Some("2.10.0-rc.1"));
        assert_eq!(newest_version("Crash", &Prepared::default(), "acme/app"), None);
    }
}
