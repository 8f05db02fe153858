//! The text overlap of two reports: shared runs of words, titles, traces and names.
//!
//! Candidates are ranked by shares and cosines, which do not distinguish everyday words from a rare
//! failure. Duplicates share content that few other reports have. This module measures that content
//! as information (inverse document frequencies in nats), for the few best candidates.

use std::{
    collections::{BTreeSet, HashSet},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
};

use super::{Draft, explain::distinctive_identifiers, near_duplicate::TokenizedReport};
use precedent_core::error::Result;
use precedent_index::fulltext::{FullText, TermKind};
use precedent_text::{
    failure::{Failure, FailureMatch},
    prepare::PreparedText,
    report,
    signature::{Signature, SignatureKind},
    title::different_platforms,
};

/// The number of words in a run, a shingle (Broder 1997).
const RUN_LENGTH: usize = 3;
/// The minimum number of runs in a text for its contained share to be meaningful.
const MIN_RUNS: usize = 12;
/// The maximum number of a report's names that are looked up.
const MAX_NAMES: usize = 64;
/// The maximum information of shared names, in nats; a shared dump has hundreds.
const MAX_INFORMATION: f32 = 40.0;

/// The minimum share of the shorter report's runs that both have, for the same text.
const SAME_SHARE: f32 = 0.92;
/// The minimum logarithm of the number of shared runs, for the same text.
const SAME_RUNS: f32 = 3.0;
/// The minimum number of distinctive shared words for the same text.
const SAME_WORDS: usize = 3;
/// The minimum information of a distinctive word, in nats: that of a word in two of twenty
/// documents, or in one of five hundred.
const SAME_WORD_INFORMATION: f32 = 6.0;

/// The number of documents up to which a message or a frame identifies a failure (decision 0011).
const FEW_DOCUMENTS: u64 = 10;

// docs/evaluation.md has the evidence for these bounds.
/// The confidence floor if one report contains nearly all of the other word for word.
const SAME_TEXT: f32 = 0.75;
/// The confidence floor if both report the same root cause.
const SAME_FAILURE: f32 = 0.65;
/// The confidence floor if both name the same rare failure or code.
const RARE_SIGNATURE: f32 = 0.25;
/// The confidence ceiling if the reports have different failures.
const OTHER_FAILURE: f32 = 0.15;
/// The confidence ceiling if the titles name different systems.
const OTHER_SYSTEM: f32 = 0.15;
/// The confidence ceiling if the report refers to the other one, so that its author knew it.
const CITED_CEILING: f32 = 0.25;
/// The minimum probability that a report is worth reading if the other one refers to it.
pub(super) const CITED_WORTH: f32 = 0.9;
/// The maximum number of documents that contain a rare code or failure.
pub(super) const RARE_DOCUMENTS: usize = 3;

/// The number of overlap measures.
pub const COUNT: usize = NAMES.len();

/// The names of the measures, in order. The confidence model's file uses the same names.
pub const NAMES: [&str; 12] = [
    // The share of all runs of words that both reports have, 0..1.
    "resemblance",
    // The share of the shorter report's runs that the other has, 0..1; 0 if it has too few.
    "contained",
    // The logarithm of one plus the number of shared runs.
    "runs",
    // The share of the titles' information that both have, 0..1.
    "titles",
    // The information of the words that both titles have, in nats.
    "title_information",
    // The share of the top frames of the shorter trace that the other has, 0..1.
    "frames",
    // The information of the rarest failure, message or code that both name, in nats.
    "failure",
    // The information of the identifiers that both name, in nats.
    "names",
    // The logarithm of one plus the number of distinct words of the shorter text.
    "content",
    // The information of the rarest identifier, failure or code that both name, in nats.
    "rarest",
    // The information of the title words that the other report has nowhere, in nats; the smaller of
    // the two. Templated reports about two things ("… of a button", "… of a switch") differ only in
    // this.
    "apart",
    // The number of title words that the other report has nowhere; the smaller of the two.
    "contrast",
];

/// The word-for-word overlap of two reports.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextOverlap {
    /// The inputs of the confidence model, in the order of [`NAMES`].
    pub numbers: [f32; COUNT],
    /// The comparison of the failures in both reports.
    pub failure: FailureMatch,
    /// True if both name the same rare failure or application-specific code.
    pub rare_signature: bool,
    /// True if one text contains the other word for word, and it is distinctive: form texts are
    /// shared by all reports that use the form.
    pub same_text: bool,
    /// True if the draft refers to the candidate, so its author knew that report.
    pub is_cited: bool,
    /// The systems that the titles name, if they differ.
    pub other_system: Option<(String, String)>,
}

impl TextOverlap {
    /// Returns whether both report the same failure.
    pub fn is_same_failure(&self) -> bool {
        self.failure == FailureMatch::Same
    }

    /// Returns the confidence floor and ceiling of the pair. With `shares_failure_with_others`,
    /// other candidates report the same failure, which then sets no floor: of 20 such first answers
    /// to questions, 8 were wrong, against 4 of 33 otherwise.
    pub fn bounds(&self, shares_failure_with_others: bool) -> (f32, f32) {
        if self.other_system.is_some() {
            return (0.0, OTHER_SYSTEM);
        }
        if self.is_cited {
            return (0.0, CITED_CEILING);
        }
        match self.failure {
            FailureMatch::Different if !self.same_text => (0.0, OTHER_FAILURE),
            _ if self.same_text => (SAME_TEXT, 1.0),
            FailureMatch::Same if !shares_failure_with_others => (SAME_FAILURE, 1.0),
            _ if self.rare_signature => (RARE_SIGNATURE, 1.0),
            _ => (0.0, 1.0),
        }
    }
}

/// A comparer of candidates with one draft.
pub(super) struct OverlapComparer<'a> {
    fulltext: &'a FullText,
    draft_text: Text,
    draft_failure: Failure,
    draft: &'a Draft,
}

/// The comparable content of a report.
struct Text {
    runs: HashSet<u64>,
    title: BTreeSet<String>,
    names: BTreeSet<String>,
    signatures: BTreeSet<Signature>,
    /// The distinct words of title and body that are not stop words.
    words: HashSet<String>,
}

impl Text {
    fn new(title: &str, body: &PreparedText) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let tokens = TokenizedReport::new(title, body);
        let terms: Vec<&str> = tokens.terms().collect();
        let title_terms: BTreeSet<String> = report::terms(title).into_iter().collect();
        let words = title_terms
            .iter()
            .cloned()
            .chain(report::terms(body.prose()))
            .chain(report::terms(body.code()))
            .collect();
        Self {
            runs: terms.windows(RUN_LENGTH).map(|run| hasher.hash_one(run)).collect(),
            title: title_terms,
            names: distinctive_identifiers(title, body).into_iter().take(MAX_NAMES).collect(),
            signatures: body.signatures(title).into_iter().collect(),
            words,
        }
    }

    fn signatures_of(&self, kind: SignatureKind) -> BTreeSet<&Signature> {
        self.signatures.iter().filter(|s| s.kind == kind).collect()
    }
}

impl<'a> OverlapComparer<'a> {
    pub(super) fn new(fulltext: &'a FullText, draft: &'a Draft) -> Self {
        let draft_failure = Failure::parse(&draft.body.whole(&draft.title));
        Self { fulltext, draft_text: Text::new(&draft.title, &draft.body), draft_failure, draft }
    }

    /// Compares a candidate with the draft.
    pub(super) fn compare(&self, title: &str, body: &PreparedText) -> Result<TextOverlap> {
        let (a, b) = (&self.draft_text, Text::new(title, body));
        let shared_runs = a.runs.intersection(&b.runs).count();
        let (min_runs, all_runs) =
            (a.runs.len().min(b.runs.len()), a.runs.len() + b.runs.len() - shared_runs);
        let information = |terms: Vec<&String>| -> Result<f32> {
            let terms: Vec<String> = terms.into_iter().cloned().collect();
            Ok(self.fulltext.information(TermKind::Word, &terms)?.iter().sum())
        };
        let shared_title = information(a.title.intersection(&b.title).collect())?;
        let all_title = information(a.title.union(&b.title).collect())?;
        let frames = a.signatures_of(SignatureKind::Frame);
        let other_frames = b.signatures_of(SignatureKind::Frame);
        let fewer_frames = frames.len().min(other_frames.len());
        let failures: Vec<String> = a
            .signatures
            .intersection(&b.signatures)
            .filter(|s| s.is_distinctive())
            .map(Signature::term)
            .collect();
        let failure = self
            .fulltext
            .information(TermKind::Signature, &failures)?
            .into_iter()
            .fold(0.0, f32::max);
        let names: Vec<String> = a.names.intersection(&b.names).cloned().collect();
        let names = self.fulltext.information(TermKind::Identifier, &names)?;
        let missing_words =
            |title: &BTreeSet<String>, words: &HashSet<String>| -> Result<(f32, usize)> {
                let terms: Vec<String> =
                    title.iter().filter(|term| !words.contains(*term)).cloned().collect();
                Ok((self.fulltext.information(TermKind::Word, &terms)?.iter().sum(), terms.len()))
            };
        let (a_only, b_only) =
            (missing_words(&a.title, &b.words)?, missing_words(&b.title, &a.words)?);
        let containment = if min_runs < MIN_RUNS { 0.0 } else { share(shared_runs, min_runs) };
        // Reports with other titles share only a pasted list, such as installed versions.
        let same_title = a_only.1 * 2 <= a.title.len() || b_only.1 * 2 <= b.title.len();
        let is_contained = containment >= SAME_SHARE && ln_count(shared_runs) >= SAME_RUNS;
        let same_text = is_contained && same_title && {
            let shared_words: Vec<String> = a.words.intersection(&b.words).cloned().collect();
            let word_information = self.fulltext.information(TermKind::Word, &shared_words)?;
            word_information.iter().filter(|nats| **nats >= SAME_WORD_INFORMATION).count()
                >= SAME_WORDS
        };
        let numbers = [
            share(shared_runs, all_runs),
            containment,
            ln_count(shared_runs),
            if all_title > 0.0 { shared_title / all_title } else { 0.0 },
            shared_title,
            share(frames.intersection(&other_frames).count(), fewer_frames),
            failure,
            names.iter().sum::<f32>().min(MAX_INFORMATION),
            ln_count(a.words.len().min(b.words.len())),
            names.into_iter().fold(failure, f32::max),
            a_only.0.min(b_only.0),
            a_only.1.min(b_only.1) as f32,
        ];
        let shared_frames = frames.intersection(&other_frames).map(|frame| frame.term());
        let terms: Vec<String> = failures.into_iter().chain(shared_frames).collect();
        let counts = self.fulltext.document_counts(TermKind::Signature, &terms)?;
        let is_common = counts.into_iter().min().is_some_and(|count| count > FEW_DOCUMENTS);
        let other_failure = Failure::parse(&body.whole(title));
        let failure = match self.draft_failure.compare(&other_failure) {
            FailureMatch::Same if is_common => FailureMatch::Unknown,
            result => result,
        };
        let other_system = different_platforms(&self.draft.title, title);
        Ok(TextOverlap { numbers, failure, same_text, other_system, ..TextOverlap::default() })
    }
}

fn share(part: usize, total: usize) -> f32 {
    if total == 0 { 0.0 } else { part as f32 / total as f32 }
}

fn ln_count(count: usize) -> f32 {
    (1.0 + count as f32).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_bound_the_confidence() {
        let overlap_with = |failure| TextOverlap { failure, ..TextOverlap::default() };
        assert_eq!(overlap_with(FailureMatch::Same).bounds(false), (SAME_FAILURE, 1.0));
        assert_eq!(overlap_with(FailureMatch::Different).bounds(false), (0.0, OTHER_FAILURE));
        assert_eq!(
            TextOverlap { rare_signature: true, ..TextOverlap::default() }.bounds(false),
            (RARE_SIGNATURE, 1.0)
        );
        let systems = Some(("Android".to_owned(), "iOS".to_owned()));
        assert_eq!(
            TextOverlap { other_system: systems, ..overlap_with(FailureMatch::Same) }.bounds(false),
            (0.0, OTHER_SYSTEM)
        );
        let cited = TextOverlap { is_cited: true, ..overlap_with(FailureMatch::Same) };
        assert_eq!(cited.bounds(false), (0.0, CITED_CEILING));
        assert_eq!(TextOverlap::default().bounds(false), (0.0, 1.0));
    }
}
