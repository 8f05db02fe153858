//! Duplicate detection: requests, candidates, verdicts, the triage queue and calibration reports.

use super::{CaseComment, DocKind, Notice, ProblemStatus, State, Thread};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The lowest confidence of a duplicate; 9 of 10 such answers are right.
pub const HIGH: f32 = 0.9;
/// The lowest confidence of a likely duplicate; more such answers are right than wrong.
pub const LIKELY: f32 = 0.5;
/// The lowest confidence of a possible duplicate; 1 of 5 such answers is right.
pub const POSSIBLE: f32 = 0.2;
/// The lowest worth of a related report; most such answers are duplicates or related.
pub const RELATED: f32 = 0.5;

/// The confidence band of a pair of reports, from two calibrated probabilities: that both are the
/// same problem, and that the earlier one is worth reading (a duplicate or related).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// A duplicate: confidence of at least [`HIGH`] (0.9). A proposal until a person confirms it.
    High,
    /// A likely duplicate: confidence of at least [`LIKELY`] (0.5).
    Likely,
    /// A possible duplicate: confidence of at least [`POSSIBLE`] (0.2).
    Possible,
    /// A related report: below every duplicate band, but worth of at least [`RELATED`] (0.5).
    Related,
    /// No match.
    None,
}

impl Band {
    /// All bands, highest confidence first.
    pub const ALL: [Self; 5] =
        [Self::High, Self::Likely, Self::Possible, Self::Related, Self::None];

    /// Returns the band of a pair. The confidence is rounded to hundredths, as it is displayed.
    pub fn new(confidence: f32, worth: f32) -> Self {
        match (confidence * 100.0).round() / 100.0 {
            c if c >= HIGH => Self::High,
            c if c >= LIKELY => Self::Likely,
            c if c >= POSSIBLE => Self::Possible,
            _ if worth >= RELATED => Self::Related,
            _ => Self::None,
        }
    }

    /// Returns the lowest confidence rounded into this band; 0 for the bands below the duplicates.
    pub fn floor(self) -> f32 {
        match self {
            Self::High => HIGH - 0.005,
            Self::Likely => LIKELY - 0.005,
            Self::Possible => POSSIBLE - 0.005,
            Self::Related | Self::None => 0.0,
        }
    }

    /// Returns the name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Likely => "likely",
            Self::Possible => "possible",
            Self::Related => "related",
            Self::None => "none",
        }
    }

    /// Returns the phrase that precedes a report's key: "likely duplicate of".
    pub fn words(self) -> &'static str {
        match self {
            Self::High => "duplicate of",
            Self::Likely => "likely duplicate of",
            Self::Possible => "possible duplicate of",
            Self::Related => "related to",
            Self::None => "unlikely to be a duplicate of",
        }
    }
}

/// The outcome of past answers at the same confidence that were reviewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Number of answers that were reviewed.
    pub read: u32,
    /// Number of them that were the same problem.
    pub same: u32,
    /// Number of the others that were related.
    pub related: u32,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} matches at this confidence were duplicates", self.same, self.read)?;
        match self.related {
            0 => Ok(()),
            1 => write!(f, "; 1 more was related"),
            n => write!(f, "; {n} more were related"),
        }
    }
}

/// A person's decision about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// A duplicate: one fix resolves both.
    Duplicate,
    /// Related: the same symptom with another cause, or otherwise worth knowing.
    Related,
    /// A pair that is not a duplicate; it is not proposed again.
    NotDuplicate,
}

impl VerdictKind {
    /// Returns the name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Related => "related",
            Self::NotDuplicate => "not_duplicate",
        }
    }
}

/// A person's decision about a pair of documents. It survives syncs, index updates and changes of
/// the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Key of the document whose key sorts first.
    pub first: String,
    /// Key of the other document.
    pub second: String,
    /// Decision about the pair.
    pub kind: VerdictKind,
    /// Key of the canonical report; null unless the decision is `duplicate`.
    pub canonical: Option<String>,
    /// Reason in the person's words; null if none was given.
    pub reason: Option<String>,
    /// Name of the person or program that decided.
    pub actor: String,
    /// Time of the decision.
    pub decided_at: Timestamp,
}

/// The record of a duplicate check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// Time of the check.
    pub checked_at: Timestamp,
    /// Revision of the document at that time.
    pub revision: u64,
    /// Band of the best candidate.
    pub band: Band,
    /// Key of the best candidate without a verdict; null if there is none.
    pub best: Option<String>,
    /// Probability that the best candidate is a duplicate, 0..1.
    pub confidence: f32,
    /// Probability that the best candidate is worth reading, 0..1.
    pub worth: f32,
    /// `true` if closed reports were compared as well.
    pub closed: bool,
    /// Parts of the casebook that the indexes did not cover.
    #[serde(default, rename = "lacking")]
    pub missing_coverage: MissingCoverage,
}

/// The index coverage of a check that ran before the indexes were complete. The check is repeated
/// once they cover more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingCoverage {
    /// Number of documents in the full-text index; null if it was complete.
    pub full_text: Option<u64>,
    /// Number of chunks with a vector; null if all had one.
    pub embedded: Option<u64>,
}

/// The result of a calibration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationReport {
    /// Key of the source.
    pub source: String,
    /// Number of issues in the source.
    pub issues: u64,
    /// Number of issues with a known earlier duplicate.
    pub labels: u64,
    /// `true` if the source now has its own calibration; `false` with too few labels or on a dry
    /// run.
    pub kept: bool,
    /// Share of labeled issues whose duplicate ranks first, under the better of the two rankings
    /// below.
    pub found_first: f32,
    /// Share of labeled issues whose duplicate is among the first ten.
    pub found_in_ten: f32,
    /// Figures of the built-in ranking; null with too few labels.
    pub built_in: Option<RankingFigures>,
    /// Held-out figures of a ranking fitted on the source's labels; null with too few labels. The
    /// ranking is used if its `mrr` is higher than the built-in one's.
    pub own: Option<RankingFigures>,
    /// Precision and recall of the first candidate, by confidence threshold.
    pub thresholds: Vec<ThresholdFigures>,
}

/// The quality of a candidate ranking over reports with a known duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankingFigures {
    /// Share of reports whose duplicate ranks first.
    pub found_first: f32,
    /// Share of reports whose duplicate is among the first ten.
    pub found_in_ten: f32,
    /// Mean reciprocal rank: the mean of 1 / the rank of the first duplicate.
    pub mrr: f32,
}

/// The quality of first candidates with at least a given confidence, on held-out reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThresholdFigures {
    /// Confidence threshold, 0..1.
    pub threshold: f32,
    /// Number of queries whose first candidate reaches the threshold.
    pub answers: u64,
    /// Share of these first candidates that are right; null if none reaches the threshold.
    pub precision: Option<f32>,
    /// Lower end of the precision's 95 % interval.
    pub low: f32,
    /// Upper end of the precision's 95 % interval.
    pub high: f32,
    /// Share of all duplicates found at this threshold.
    pub recall: f32,
}

/// A replay of the last months of a source: its reports, checked again as they were filed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Replay {
    /// Key of the source.
    pub source: String,
    /// Beginning of the period, which ends with the newest report; null without reports.
    pub from: Option<Timestamp>,
    /// Number of issues in the period.
    pub reports: u64,
    /// Number of them that were checked, evenly spaced.
    pub checked_reports: u64,
    /// Number of the checked reports that have a known earlier duplicate.
    pub duplicates: u64,
    /// Figures by confidence threshold, highest first.
    pub thresholds: Vec<ReplayFigures>,
    /// Lowest threshold from which at least nine in ten answers are surely right; null if none is.
    pub sure_from: Option<f32>,
}

/// The answers of a replay with at least a given confidence.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ReplayFigures {
    /// Confidence threshold, 0..1.
    pub threshold: f32,
    /// Number of reports whose first match reaches the threshold.
    pub answers: u64,
    /// Number of these matches that are known duplicates. The others may be right as well: trackers
    /// mark only some.
    pub right: u64,
    /// Lower end of the 95 % interval of the share of right answers.
    pub low: f32,
    /// Upper end of the 95 % interval of the share of right answers.
    pub high: f32,
    /// Number of these matches that your verdicts call duplicates.
    pub confirming_verdicts: u64,
    /// Number of these matches that your verdicts call something else.
    pub opposing_verdicts: u64,
}

/// A request for the triage queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TriageRequest {
    /// Key of the only source to include; null for all sources.
    pub source: Option<String>,
    /// `true` if closed reports are candidates as well.
    pub include_closed: bool,
    /// `true` to check every report again instead of only new and changed ones.
    pub rescan: bool,
    /// `true` to return the stored queue without checking anything.
    pub queue_only: bool,
    /// Lowest band to include; `none` includes every report that has a candidate. Reports with only
    /// related candidates are in a separate list.
    pub band: Band,
    /// Maximum number of reports; 0 means 20.
    pub limit: usize,
}

impl Default for TriageRequest {
    /// Returns a request for possible duplicates among the open reports of all sources.
    fn default() -> Self {
        Self {
            source: None,
            include_closed: false,
            rescan: false,
            queue_only: false,
            band: Band::Possible,
            limit: 0,
        }
    }
}

/// An open report with its best candidate, waiting for a verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TriageItem {
    /// Key of the report.
    pub key: String,
    /// Title of the report.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// Creation time; null if unknown.
    pub created_at: Option<Timestamp>,
    /// The earlier report that may be a duplicate.
    pub candidate: DuplicateCandidate,
}

/// The triage queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TriageResponse {
    /// Number of open reports checked by this request.
    pub scanned: u64,
    /// Number of open reports that are new or changed and were not checked.
    pub unscanned: u64,
    /// Total number of reports waiting for a verdict.
    pub waiting: u64,
    /// First waiting reports, highest confidence first; ties ordered by key.
    pub queue: Vec<TriageItem>,
    /// Expected number of duplicates in the queue: the sum of the confidences.
    pub expected: f32,
    /// First open reports whose candidate is below `possible` but worth reading.
    pub related: Vec<TriageItem>,
    /// Total number of reports with only a related candidate.
    pub related_waiting: u64,
    /// Number of closed reports that were not compared because only open ones were requested.
    pub closed_left_out: u64,
    /// Limitations of this answer.
    pub notices: Vec<Notice>,
    /// `true` if the indexes were complete. If `false`, a missing match does not prove that none
    /// exists.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

/// A request for duplicates of an item in the casebook or of a draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DuplicatesRequest {
    /// Key of the item; if null, `title` and `body` form the draft.
    pub key: Option<String>,
    /// Title of the draft; may be empty for pasted text.
    pub title: String,
    /// Text of the draft (Markdown).
    pub body: String,
    /// Key of the only source to search; null for an item's own source, or for all sources with a
    /// draft.
    pub source: Option<String>,
    /// `true` to search all sources for an item, not just its own.
    pub everywhere: bool,
    /// Lowest combined similarity of a candidate, 0..1.
    pub threshold: f32,
    /// Maximum number of candidates.
    pub max_candidates: usize,
    /// `true` if closed reports are candidates as well.
    pub include_closed: bool,
    /// `true` to add the score's features to each candidate.
    pub explain: bool,
}

impl Default for DuplicatesRequest {
    /// Returns an empty request: threshold 0.4, ten candidates, open reports only.
    fn default() -> Self {
        Self {
            key: None,
            title: String::new(),
            body: String::new(),
            source: None,
            everywhere: false,
            threshold: 0.4,
            max_candidates: 10,
            include_closed: false,
            explain: false,
        }
    }
}

/// The similarity of two reports; each value is 0..1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Similarity {
    /// Title similarity: Dice–Sørensen coefficient of character pairs.
    pub title: f32,
    /// Text similarity: Jaccard coefficient of distinct words.
    pub body: f32,
    /// Semantic similarity: cosine of the embeddings; null without a vector.
    pub semantic: Option<f32>,
    /// Combined similarity that the threshold applies to: 1 − (1 − semantic)(1 − title / 2)(1 −
    /// body / 2), or 1 − (1 − title)(1 − body) without a vector.
    pub combined: f32,
}

/// The current disposition of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// Open.
    Open,
    /// Fixed, as shown by a merged change, its resolution or a comment; holds the milestone or pull
    /// request of the fix where known.
    Fixed(Option<String>),
    /// Closed as completed without a documented fix.
    Completed,
    /// Fixed earlier, but the report names a later version or says that the problem is back; holds
    /// the milestone or pull request of the fix where known.
    PossibleRegression(Option<String>),
    /// Closed as not planned.
    Declined,
    /// Closed as a duplicate.
    Duplicate,
}

impl std::fmt::Display for Disposition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Open => f.write_str("still open"),
            Self::Fixed(Some(by)) if by.contains('#') => write!(f, "fixed by {by}"),
            Self::Fixed(Some(by)) => write!(f, "fixed in {by}"),
            Self::Fixed(None) => f.write_str("already fixed"),
            Self::Completed => f.write_str(ProblemStatus::ClosedWithoutFix.words()),
            Self::PossibleRegression(_) => f.write_str("fixed earlier; possibly a regression"),
            Self::Declined => f.write_str(ProblemStatus::Declined.words()),
            Self::Duplicate => f.write_str("already closed as a duplicate"),
        }
    }
}

/// A report about the queried problem, in summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KnownReport {
    /// Key of the report.
    pub key: String,
    /// Title of the report.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// State: open, closed or merged; null if unknown.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker; null if there is none.
    pub state_reason: Option<String>,
    /// Confidence band of the pair.
    pub band: Band,
    /// Probability that the report is the same problem, 0..1.
    pub confidence: f32,
    /// Status according to its thread; null if the thread was not read.
    #[serde(default)]
    pub status: Option<ProblemStatus>,
    /// Comment of the report to read first, if nothing else answers the question; null otherwise.
    #[serde(default, alias = "said")]
    pub key_comment: Option<CaseComment>,
}

impl From<&DuplicateCandidate> for KnownReport {
    fn from(c: &DuplicateCandidate) -> Self {
        Self {
            key: c.key.clone(),
            title: c.title.clone(),
            url: c.url.clone(),
            state: c.state,
            state_reason: c.state_reason.clone(),
            band: c.band,
            confidence: c.confidence,
            status: None,
            key_comment: None,
        }
    }
}

/// An earlier report that may be a duplicate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DuplicateCandidate {
    /// Key of the report.
    pub key: String,
    /// Number of the item; null if it has none.
    pub number: Option<u64>,
    /// Title of the report.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// State: open, closed or merged; null if unknown.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker; null if there is none.
    pub state_reason: Option<String>,
    /// Creation time; null if unknown.
    pub created_at: Option<Timestamp>,
    /// Similarity of the two reports.
    pub similarity: Similarity,
    /// Calibrated probability that one fix resolves both, 0..1.
    pub confidence: f32,
    /// Calibrated probability that the report is worth reading (a duplicate or related), 0..1;
    /// never below the confidence.
    pub worth: f32,
    /// Confidence band of the pair.
    pub band: Band,
    /// Outcome of past answers with this confidence; null if too few were read.
    pub outcome: Option<Outcome>,
    /// Current disposition of the report.
    pub disposition: Disposition,
    /// Key of the report that this one is a duplicate of, at the end of the chain; null if it is
    /// not a duplicate.
    pub canonical: Option<String>,
    /// Reasons for the match, in words.
    pub reasons: Vec<String>,
    /// Earlier verdict of a person about the pair; null if there is none.
    pub verdict: Option<VerdictKind>,
    /// Features of the score with their values and weights; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Evidence>>,
}

/// The contribution of one feature to a candidate's score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Name of the feature.
    pub feature: String,
    /// Value of the feature.
    pub value: f32,
    /// Weight of the feature.
    pub weight: f32,
    /// Amount added to the score.
    pub adds: f32,
}

/// A report that another one is known to be a duplicate of, regardless of their text: a person
/// decided it, or the tracker or its comments state it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownDuplicate {
    /// Key of the canonical report, at the end of the chain of duplicates.
    pub key: String,
    /// Kind of the document; null if the casebook does not hold it.
    pub kind: Option<DocKind>,
    /// Title of the report; null if the casebook does not hold it.
    pub title: Option<String>,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// State: open, closed or merged; null if unknown.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker; null if there is none.
    pub state_reason: Option<String>,
    /// Current disposition of the report; null if the casebook does not hold it.
    pub disposition: Option<Disposition>,
}

/// The response to a request for duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DuplicatesResponse {
    /// Key of the queried item; null for a draft.
    pub key: Option<String>,
    /// The report that the item is already known to be a duplicate of; null if there is none.
    pub known: Option<KnownDuplicate>,
    /// Known duplicates of the item, ordered by key.
    pub known_duplicates: Vec<KnownDuplicate>,
    /// Band of the best candidate; `none` without candidates.
    pub band: Band,
    /// Candidates, most likely first; ties ordered by key.
    pub candidates: Vec<DuplicateCandidate>,
    /// Number of earlier reports compared in detail.
    pub compared: usize,
    /// Number of labeled reports that the confidence was calibrated on.
    pub calibrated_on: u64,
    /// Keys of candidates that a person marked as not duplicates; they are left out here.
    pub rejected: Vec<String>,
    /// Keys of reports that name each other as duplicates in a cycle with this one; empty without a
    /// cycle.
    pub circle: Vec<String>,
    /// Limitations of this answer.
    pub notices: Vec<Notice>,
    /// `true` if the indexes were complete. If `false`, a missing match does not prove that none
    /// exists.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

/// A ranking method for documents against a report, used by the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// Lexical search.
    Lexical,
    /// Semantic search.
    Semantic,
    /// Hybrid search: lexical and semantic.
    Hybrid,
    /// The duplicate check.
    Duplicates,
}

/// A report to rank documents against, as if it were created at a given time.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names of the other fields say what they are")]
pub struct RankRequest {
    pub title: String,
    pub body: String,
    /// `true` if the title is a typed search query and `body` is empty. The duplicate check ignores
    /// this.
    pub is_typed_query: bool,
    /// Key of the only source to rank.
    pub source: String,
    /// Number of the report if the source holds it: it is not a candidate, and its stored vectors
    /// are used.
    pub number: Option<u64>,
    /// Time of creation. Documents created at this time or later are not candidates, except that
    /// the duplicate check includes those of the same second with a smaller number.
    pub made_at: Timestamp,
    /// Lower bound of the creation time: earlier documents are not candidates.
    pub since: Option<Timestamp>,
    /// `true` to rank only resolved documents, as the search for solved cases does. The confidence
    /// of [`Ranking::Duplicates`] is then the probability that a case helps.
    pub only_solved: bool,
    pub by: Ranking,
    pub limit: usize,
}

/// A document in a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedDocument {
    /// Number of the item.
    pub number: u64,
    /// Score that determines the order; comparable within one ranking.
    pub score: f32,
    /// Calibrated probability of a duplicate, 0..1; only for [`Ranking::Duplicates`].
    pub probability: Option<f32>,
    /// Calibrated probability that the document is worth reading, 0..1; only for
    /// [`Ranking::Duplicates`].
    pub worth: Option<f32>,
    /// Features of the score, in the order of the table of weights, followed by the share and the
    /// text overlap; only for [`Ranking::Duplicates`].
    pub features: Vec<f32>,
}

/// A kind of fact that two reports are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// Error codes.
    Code,
    /// Exceptions and panics with numbers and paths masked.
    Failure,
    /// Quoted error messages with numbers and paths masked.
    Message,
    /// Top frames of stack traces.
    Frame,
    /// Versions.
    Version,
    /// Identifiers that both reports name.
    Identifier,
    /// Labels.
    Label,
}

/// The values of one kind that two reports name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// Kind of the values.
    pub kind: FactKind,
    /// Values that both name.
    pub shared: Vec<String>,
    /// Values that only the report names.
    pub report: Vec<String>,
    /// Values that only the candidate names.
    pub candidate: Vec<String>,
}

/// The meaning of a highlight in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// A value that the other report names as well.
    Same,
    /// A value where the other report names a different one of the same kind.
    Differs,
    /// A rare word that the other report contains as well.
    Word,
}

/// A piece of text to highlight wherever it occurs as a whole word, ignoring case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// Text to highlight, in lower case.
    pub text: String,
    /// Meaning of the highlight.
    pub kind: MarkKind,
}

/// A side-by-side comparison of two reports.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The report.
    pub report: Thread,
    /// The earlier report that may be a duplicate.
    pub candidate: Thread,
    /// Facts that the reports name, by kind.
    pub facts: Vec<Fact>,
    /// Highlights in the report.
    pub report_marks: Vec<Mark>,
    /// Highlights in the candidate.
    pub candidate_marks: Vec<Mark>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floor_is_the_lowest_confidence_of_a_band() {
        for band in [Band::High, Band::Likely, Band::Possible] {
            assert_eq!(Band::new(band.floor(), 0.0), band);
            assert_ne!(Band::new(band.floor() - 0.001, 0.0), band);
        }
    }
}
