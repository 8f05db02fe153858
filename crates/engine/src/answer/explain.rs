//! The reasons why two reports match, which a triager can verify.

use std::{cmp::Ordering, collections::BTreeSet};

use super::{Draft, Match};
use precedent_core::error::Result;
use precedent_index::fulltext::{FullText, TermKind};
use precedent_store::DocumentRow;
use precedent_text::{
    failure::FailureMatch,
    pattern::Pattern,
    prepare::PreparedText,
    report,
    signature::{Signature, SignatureKind, signatures},
    tokens,
    version::compare,
};

/// The maximum number of items of one kind in a reason.
const MAX_ITEMS: usize = 3;
/// The minimum share of a report's words found only in comments for these to be a reason.
const MIN_COMMENT_SHARE: f32 = 0.1;
/// The minimum cosine of two texts that are close in meaning.
const MIN_CLOSE_COSINE: f32 = 0.6;
/// The minimum excess of a comment's cosine over its document's.
const MIN_COSINE_GAIN: f32 = 0.05;
/// A name or word of a reason occurs in at most one in this many documents.
const COMMON_DIVISOR: u64 = 10;
/// The number of documents up to which a name or word is never too common for a reason.
const FEW_DOCUMENTS: u64 = 5;
/// The maximum length of a text searched for names and words, in bytes.
pub(crate) const MAX_READ: usize = 200_000;
/// The minimum length of a word used to find the line of a signature, in bytes.
const MIN_WORD: usize = 4;
/// The maximum length of a quoted signature, in characters.
const MAX_QUOTE: usize = 80;

/// The wording of a regression report.
static REGRESSION: Pattern = Pattern::new(
    r"(?i)\b(?:regress(?:ion|ed|es)|(?:is|are|came|comes|has come) back(?: again)?|re-?appear(?:s|ed)?|resurfaced?|re-?introduced|(?:was|is) (?:supposed|said) to be fixed)\b",
);

/// The report to explain matches for.
pub(crate) struct Subject<'a> {
    pub(crate) draft: &'a Draft,
    /// The title and the body.
    pub(crate) text: &'a str,
    pub(crate) signatures: &'a [Signature],
    pub(crate) names: &'a BTreeSet<String>,
}

/// Returns the reasons for a match, strongest first. `comment_words` are the words that the report
/// shares only with the candidate's comments.
pub(crate) fn reasons(
    fulltext: &FullText,
    subject: &Subject<'_>,
    (row, body): (&DocumentRow, &PreparedText),
    versions: &Versions,
    candidate: &Match,
    comment_words: &[&str],
) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let same_reporter = candidate.details.same_author.then(|| "same reporter".to_owned());
    if candidate.features.is_copy() {
        let is_title = subject.draft.body.prose().trim().is_empty();
        out.push(if is_title { "identical title" } else { "identical text" }.to_owned());
        out.extend(same_reporter);
        return Ok(out);
    }
    if let Some((draft_words, match_words)) = &candidate.details.template_words {
        out.push(format!(
            "same template: “{}” here, “{}” there",
            shorten(draft_words),
            shorten(match_words)
        ));
    }
    let overlap = candidate.overlap.as_ref();
    if overlap.is_some_and(|o| o.is_cited) {
        out.push("this report refers to it".to_owned());
    }
    if overlap.is_some_and(|o| o.same_text) {
        out.push("nearly identical text".to_owned());
    }
    if let Some((draft_system, match_system)) = overlap.and_then(|o| o.other_system.as_ref()) {
        out.push(format!("different systems: {draft_system} here, {match_system} there"));
    }
    let count = out.len();
    signature_reasons(subject, row, body, candidate, &mut out);
    if out.len() == count && overlap.is_some_and(|o| o.rare_signature) {
        out.push("it contains a line of this text".to_owned());
    }
    if overlap.is_some_and(|o| o.failure == FailureMatch::Different) {
        let is_alike = out.len() > count;
        out.push(
            if is_alike { "different cause or place" } else { "different failures" }.to_owned(),
        );
    }
    let mut names = shared_names(subject, row, body);
    // The version is a separate reason.
    let is_version =
        |name: &str| versions.0.as_ref().is_some_and(|version| version.eq_ignore_ascii_case(name));
    names.retain(|name| {
        let is_frame = subject
            .signatures
            .iter()
            .any(|s| s.kind == SignatureKind::Frame && s.text.eq_ignore_ascii_case(name));
        let is_listed = || out.iter().any(|reason| reason.contains(spelling(subject.text, name)));
        !is_version(name) && !is_frame && !is_listed()
    });
    let names = keep_rare(fulltext, TermKind::Identifier, names, |name| name.clone())?;
    if !names.is_empty() {
        let names = names.iter().map(|name| shorten_name(spelling(subject.text, name)));
        out.push(format!("both mention {}", names.collect::<Vec<_>>().join(", ")));
    }
    let title_terms: BTreeSet<String> = report::terms(&row.title).into_iter().collect();
    // Codes are already listed.
    let codes = subject.signatures.iter().filter(|s| s.kind == SignatureKind::Code);
    let mut terms: BTreeSet<String> = codes.flat_map(|s| report::terms(&s.text)).collect();
    let mut words = tokens::words(&subject.draft.title);
    words.retain(|word| {
        title_terms.contains(&word.term)
            && !tokens::is_stop_word(&word.term)
            && terms.insert(word.term.clone())
    });
    let words = keep_rare(fulltext, TermKind::Word, words, |word| word.term.clone())?;
    if !words.is_empty() {
        let words =
            words.iter().map(|word| format!("“{}”", &subject.draft.title[word.range.clone()]));
        let words = words.collect::<Vec<_>>().join(", ");
        // The author of a question did not write its first line as a title.
        out.push(match subject.draft.document {
            Some(_) => format!("titles share {words}"),
            None => format!("title contains {words}"),
        });
    }
    if candidate.details.new_comment_share >= MIN_COMMENT_SHARE && !comment_words.is_empty() {
        let quotes: Vec<String> =
            comment_words.iter().take(MAX_ITEMS).map(|w| format!("“{w}”")).collect();
        out.push(format!("comments mention {}", quotes.join(", ")));
    }
    let keep_close = |cosine: Option<f32>| cosine.filter(|c| *c >= MIN_CLOSE_COSINE);
    if let Some(cosine) = keep_close(candidate.cosine) {
        out.push(format!("similar meaning ({cosine:.2})"));
    }
    let is_nearer = |cosine: &f32| {
        candidate.cosine.is_none_or(|text_cosine| cosine - text_cosine >= MIN_COSINE_GAIN)
    };
    if let Some(cosine) = keep_close(candidate.details.comment_likeness.text).filter(is_nearer) {
        out.push(format!("a comment has similar meaning ({cosine:.2})"));
    }
    if let (Some(draft_version), Some(match_version)) = versions
        && compare(draft_version, match_version) == Some(Ordering::Equal)
    {
        out.push(format!("both mention version {draft_version}"));
    }
    out.extend(same_reporter);
    Ok(out)
}

/// Adds the shared error evidence: codes, failures, messages, frames.
fn signature_reasons(
    subject: &Subject<'_>,
    row: &DocumentRow,
    body: &PreparedText,
    candidate: &Match,
    out: &mut Vec<String>,
) {
    let match_signatures: BTreeSet<Signature> = body.signatures(&row.title).into_iter().collect();
    let shared_of = |kind| {
        subject
            .signatures
            .iter()
            .filter(|s| s.kind == kind && match_signatures.contains(s))
            .collect::<Vec<_>>()
    };
    for (kind, label) in [
        (SignatureKind::Code, "same error code"),
        (SignatureKind::Exception, "same failure"),
        (SignatureKind::Message, "same message"),
    ] {
        // Skip a message that is already part of a listed failure.
        let mut texts =
            shared_of(kind).into_iter().map(|s| (s, shorten(&original_text(subject.text, s))));
        if let Some((s, text)) =
            texts.find(|(_, text)| !out.iter().any(|reason| reason.contains(text)))
        {
            let generic =
                kind == SignatureKind::Exception && s.is_generic() && !candidate.is_same_failure();
            out.push(format!("{}: {text}", if generic { "same kind of failure" } else { label }));
        }
    }
    let frames = shared_of(SignatureKind::Frame);
    if let Some(first) = frames.first() {
        let function = shorten_name(spelling(subject.text, &first.text));
        out.push(match frames.len() {
            1 => format!("both mention the function {function}"),
            n => format!("{n} shared stack frames, such as {function}"),
        });
    }
}

/// Returns the first few items whose terms are rare in the casebook.
fn keep_rare<T>(
    fulltext: &FullText,
    kind: TermKind,
    items: Vec<T>,
    term: impl Fn(&T) -> String,
) -> Result<Vec<T>> {
    let terms: Vec<String> = items.iter().map(term).collect();
    let max_count = (fulltext.count()? / COMMON_DIVISOR).max(FEW_DOCUMENTS);
    let counts = fulltext.document_counts(kind, &terms)?;
    let rare_items = items.into_iter().zip(counts).filter(|(_, count)| *count <= max_count);
    Ok(rare_items.map(|(item, _)| item).take(MAX_ITEMS).collect())
}

/// Returns whether a title has a number that may be an error code, such as "57014".
pub(super) fn has_number(title: &str) -> bool {
    let is_long_number = |word: &str| word.len() >= 4 && word.bytes().all(|b| b.is_ascii_digit());
    title.split(|c: char| !c.is_alphanumeric()).any(is_long_number)
}

/// Returns the whole identifiers in both reports, longest first: short ones are often plain words.
fn shared_names(subject: &Subject<'_>, row: &DocumentRow, body: &PreparedText) -> Vec<String> {
    let mut names = distinctive_identifiers(&row.title, body);
    names.retain(|name| subject.names.contains(name));
    let mut names: Vec<String> = names.into_iter().collect();
    names.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    names
}

/// Returns a name as spelled at its first occurrence in a text, because names are compared in lower
/// case.
pub(crate) fn spelling<'a>(text: &'a str, name: &'a str) -> &'a str {
    let text = &text[..text.floor_char_boundary(MAX_READ)];
    let mut windows = text.as_bytes().windows(name.len().max(1));
    let start = windows.position(|window| window.eq_ignore_ascii_case(name.as_bytes()));
    start.and_then(|start| text.get(start..start + name.len())).unwrap_or(name)
}

/// Returns a signature as spelled in a text, or else the line that it was parsed from.
fn original_text(text: &str, signature: &Signature) -> String {
    let masked_text = &*signature.text;
    let occurrence = spelling(text, masked_text);
    // A code says more than the line around it.
    if signature.kind == SignatureKind::Code
        || occurrence != masked_text
        || text.contains(masked_text)
    {
        return occurrence.to_owned();
    }
    let is_long =
        |word: &&str| word.len() >= MIN_WORD && word.bytes().all(|b| b.is_ascii_lowercase());
    let longest =
        masked_text.split(' ').filter(is_long).max_by_key(|word| word.len()).unwrap_or_default();
    let has_signature =
        |line: &&str| line.to_lowercase().contains(longest) && signatures(line).contains(signature);
    let line = text[..text.floor_char_boundary(MAX_READ)].lines().find(has_signature);
    line.map_or(masked_text, str::trim).to_owned()
}

/// Returns the whole identifiers of a report that are not plain words.
pub(crate) fn distinctive_identifiers(title: &str, body: &PreparedText) -> BTreeSet<String> {
    let is_distinctive = |whole: &String| {
        whole.len() >= 4
            && whole.contains(['_', ':', '/', '-', '.'])
            && !whole.starts_with("http")
            && whole.contains(|c: char| c.is_alphabetic())
    };
    report::identifiers([title, body.prose(), body.code()])
        .into_iter()
        .filter(is_distinctive)
        .collect()
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Shortens a qualified name to its end, which identifies it.
fn shorten_name(name: &str) -> String {
    match name.char_indices().nth_back(MAX_QUOTE) {
        Some((start, _)) => {
            let end = &name[start..];
            let part = end.find(['.', ':', '/', '\\']).map_or(end, |at| &end[at..]);
            format!("…{}", part.trim_start_matches(':'))
        }
        None => name.to_owned(),
    }
}

/// Returns whether a report describes a regression.
pub(crate) fn is_regression(title: &str, body: &PreparedText) -> bool {
    let prose = body.prose();
    let title_end = title.trim_end_matches(|c: char| !c.is_alphanumeric());
    title_end.to_lowercase().ends_with(" again")
        || REGRESSION.is_match(title)
        || REGRESSION.is_match(&prose[..prose.floor_char_boundary(MAX_READ)])
}

/// The newest versions of a product that a report and a candidate mention.
pub(crate) type Versions = (Option<String>, Option<String>);

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_text::skeleton::Skeleton;

    #[test]
    fn names_keep_their_spelling() {
        let body = PreparedText::body("Ünder `Wheel::Poll` it says FW-2203.", &Skeleton::default());
        let text = body.whole("fw-2203 again");
        assert_eq!(spelling(&text, "wheel::poll"), "Wheel::Poll");
        assert_eq!(spelling(&text, "fw-2203"), "fw-2203");
        assert_eq!(spelling(&text, "no::where"), "no::where");
        assert_eq!(spelling(&text, ""), "");
    }

    #[test]
    fn regressions_are_recognized() {
        let reports_regression = |title: &str, body: &str| {
            is_regression(title, &PreparedText::body(body, &Skeleton::default()))
        };
        assert!(
            reports_regression("Screenshot is inserted twice again", "")
                && reports_regression("Twice", "Looks like the old bug is back.")
        );
        assert!(reports_regression("Regression: pasted twice", ""));
        assert!(!reports_regression("Paste again after a crash", "Go back, then paste again."));
    }
}
