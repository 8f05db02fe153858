//! Duplicates: questions, candidates, decisions, the triage queue, calibration.

use super::{DocKind, Notice, State, Thread};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// From here on two reports are *the same*: nine in ten such answers are right.
pub const SAME: f32 = 0.9;
/// From here on they are *probably the same*: more such answers are right than wrong.
pub const LIKELY: f32 = 0.5;
/// From here on they *may be the same*: one such answer in five is right.
pub const POSSIBLE: f32 = 0.2;
/// From here on a report is *worth reading*: more such answers are the same or related than are neither.
pub const WORTH: f32 = 0.5;

/// What is said of a pair of reports, by two calibrated statements: that they are the same problem, and that the earlier
/// one is worth reading (it is the same, or related). One vocabulary in every face.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// The same as …: [`SAME`] and more. Still a proposal.
    High,
    /// Probably the same as …: from [`LIKELY`] on.
    Likely,
    /// May be the same as …: from [`POSSIBLE`] on.
    Possible,
    /// Surely not said to be the same, but worth reading: from [`WORTH`] on.
    Related,
    /// Nothing alike.
    None,
}

impl Band {
    /// All of them, the surest first.
    pub const ALL: [Self; 5] = [Self::High, Self::Likely, Self::Possible, Self::Related, Self::None];

    /// The band of a pair that is the same with this confidence, and worth reading with this one. As it is shown, in hundredths:
    /// "50 in 100" is in the band that begins there.
    pub fn of(confidence: f32, worth: f32) -> Self {
        match (confidence * 100.0).round() / 100.0 {
            c if c >= SAME => Self::High,
            c if c >= LIKELY => Self::Likely,
            c if c >= POSSIBLE => Self::Possible,
            _ if worth >= WORTH => Self::Related,
            _ => Self::None,
        }
    }

    /// The least confidence of this band; 0 for those that go by something else.
    pub fn floor(self) -> f32 {
        match self {
            Self::High => SAME,
            Self::Likely => LIKELY,
            Self::Possible => POSSIBLE,
            Self::Related | Self::None => 0.0,
        }
    }

    /// The name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Likely => "likely",
            Self::Possible => "possible",
            Self::Related => "related",
            Self::None => "none",
        }
    }

    /// What is said of a report before its key: "likely duplicate of".
    pub fn words(self) -> &'static str {
        match self {
            Self::High => "duplicate of",
            Self::Likely => "likely duplicate of",
            Self::Possible => "possible duplicate of",
            Self::Related => "related to",
            Self::None => "unlikely to be a duplicate of",
        }
    }

    /// Reads what [`Band::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|b| b.as_str() == text)
    }
}

/// What became of answers that were as sure as one, when such were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Outcome {
    /// How many were read.
    pub read: u32,
    /// How many of them were the same problem.
    pub same: u32,
    /// How many more were related.
    pub related: u32,
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} were duplicates, {} more were related", self.same, self.read, self.related)
    }
}

/// What a person can decide about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// One fix resolves both.
    Duplicate,
    /// The same symptom with another cause, or otherwise worth knowing of.
    Related,
    /// Not a duplicate; the pair is not proposed again.
    NotDuplicate,
}

impl VerdictKind {
    /// The name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Related => "related",
            Self::NotDuplicate => "not_duplicate",
        }
    }

    /// Reads what [`VerdictKind::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Duplicate, Self::Related, Self::NotDuplicate].into_iter().find(|v| v.as_str() == text)
    }
}

/// What a person decided about a pair of documents. It outlives every sync, index and model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Verdict {
    /// The smaller key of the two.
    pub first: String,
    /// The other key.
    pub second: String,
    /// The decision.
    pub kind: VerdictKind,
    /// The report that stays, where the decision is `duplicate`.
    pub canonical: Option<String>,
    /// Why, in the person's words.
    pub reason: Option<String>,
    /// Who decided.
    pub actor: String,
    /// When.
    pub decided_at: Timestamp,
}

/// The record of a check for duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Check {
    /// When it was made.
    pub checked_at: Timestamp,
    /// The document's revision then.
    pub revision: u64,
    /// What it came to.
    pub band: Band,
    /// The key of the best candidate that nobody has decided about.
    pub best: Option<String>,
    /// How likely the best candidate is the same, 0..1.
    pub confidence: f32,
    /// How likely it is worth reading, 0..1.
    pub worth: f32,
    /// Whether closed reports were compared too.
    pub closed: bool,
    /// What of the casebook it did not see.
    #[serde(default)]
    pub lacking: Lacking,
}

/// What of the casebook a check was made without. It is made anew once the indexes cover more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Lacking {
    /// How many documents the full text covered, if not all.
    pub full_text: Option<u64>,
    /// How many chunks had a vector, if not all.
    pub embedded: Option<u64>,
}

/// What a calibration found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CalibrationReport {
    /// The source's key.
    pub source: String,
    /// Its issues.
    pub issues: u64,
    /// Those with a known earlier duplicate.
    pub labels: u64,
    /// Whether the source has a calibration of its own now; with too few labels, or on a dry run, it has not.
    pub kept: bool,
    /// The share of them whose duplicate comes first, by the better of the two orders below.
    pub found_first: f32,
    /// The share of them whose duplicate is among the first ten.
    pub found_in_ten: f32,
    /// What the built-in order of candidates does; none with too few labels.
    pub built_in: Option<OrderFigures>,
    /// What an order that was learnt from the labels does on those that it was not learnt from; none where they are too
    /// few to learn from. It is used where its `mrr` is the higher one.
    pub own: Option<OrderFigures>,
    /// Precision and recall of the first candidate, by threshold on the confidence.
    pub thresholds: Vec<ThresholdFigures>,
}

/// How good an order of candidates is, over reports with a known duplicate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OrderFigures {
    /// The share whose duplicate comes first.
    pub found_first: f32,
    /// The share whose duplicate is among the first ten.
    pub found_in_ten: f32,
    /// The mean of 1 / the place of the first duplicate (mean reciprocal rank).
    pub mrr: f32,
}

/// How good first candidates of at least this confidence are, on reports that the curve was not fitted on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ThresholdFigures {
    /// The confidence, 0..1.
    pub threshold: f32,
    /// How many answers that were asked for reach it.
    pub answers: u64,
    /// The share that is right; none where no answer reaches it.
    pub precision: Option<f32>,
    /// The lower end of its 95 % interval.
    pub low: f32,
    /// The upper end.
    pub high: f32,
    /// The share of all duplicates that is found so.
    pub recall: f32,
}

/// A question for the triage queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TriageRequest {
    /// Only this source.
    pub source: Option<String>,
    /// Whether closed reports are candidates too.
    pub include_closed: bool,
    /// Check everything again, and not only what is new or changed.
    pub rescan: bool,
    /// Check nothing: the queue as it is.
    pub queue_only: bool,
    /// Only what is at least in this band; `none` stands for everything that has a candidate. What is related alone is in a list of
    /// its own.
    pub band: Band,
    /// At most this many; 0 stands for 20.
    pub limit: usize,
}

impl Default for TriageRequest {
    /// What may be the same, in all sources, among open reports.
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

/// An open report with its best candidate, waiting for a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TriageItem {
    /// The report's key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// The earlier report that may be the same.
    pub candidate: DuplicateCandidate,
}

/// The triage queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TriageResponse {
    /// How many open reports were checked just now.
    pub scanned: u64,
    /// How many open reports are new or changed and were not checked.
    pub unscanned: u64,
    /// How many wait for a decision in all.
    pub waiting: u64,
    /// The first of them, the surest first; ties in the order of their keys.
    pub queue: Vec<TriageItem>,
    /// How many of the queue are expected to be the same as their candidate: the sum of their confidences.
    pub expected: f32,
    /// Of the open reports whose candidate is less than possibly the same, the first that have one worth reading.
    pub related: Vec<TriageItem>,
    /// How many of those there are in all.
    pub related_waiting: u64,
    /// How many closed reports were not compared, since only open ones were.
    pub closed_left_out: u64,
    /// What the person should know about this answer.
    pub notices: Vec<Notice>,
    /// Whether the indexes were complete. While they are not, no match does not mean that there is none.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

/// A question for duplicates: an item of the casebook, or a draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DuplicatesRequest {
    /// The item's key; otherwise title and body are the draft.
    pub key: Option<String>,
    /// A draft's title; may be empty for a pasted text.
    pub title: String,
    /// A draft's text (Markdown).
    pub body: String,
    /// Look in this source alone; otherwise an item's own source, and for a draft all of them.
    pub source: Option<String>,
    /// Look in all sources, for an item too.
    pub everywhere: bool,
    /// Candidates whose combined similarity is below this are left out, 0..1.
    pub threshold: f32,
    /// At most this many candidates.
    pub max_candidates: usize,
    /// Whether closed reports are candidates too.
    pub include_closed: bool,
    /// Adds the arithmetic of each candidate.
    pub explain: bool,
}

impl Default for DuplicatesRequest {
    /// An open question: nothing asked yet, threshold 0.4, ten candidates, open ones alone.
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

/// How alike two reports are, each 0..1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Similarity {
    /// Titles: Dice–Sørensen on pairs of characters.
    pub title: f32,
    /// Whole texts: Jaccard on distinct words.
    pub body: f32,
    /// Meaning: cosine of the embeddings; `None` where there is no vector.
    pub semantic: Option<f32>,
    /// Together: 1 − (1 − semantic)(1 − title / 2)(1 − body / 2), without a vector 1 − (1 − title)(1 − body). What the
    /// threshold acts on.
    pub combined: f32,
}

/// What became of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// It is open.
    Open,
    /// A merged change, its resolution or a comment shows that it was fixed; with the milestone or the pull request that did it,
    /// where known.
    Fixed(Option<String>),
    /// It was closed as completed, and nothing shows that it was fixed.
    Completed,
    /// It was solved, and this report names a later version or says that it is back.
    PossibleRegression(Option<String>),
    /// It was closed as not planned.
    Declined,
    /// It was closed as a duplicate itself.
    Duplicate,
}

impl std::fmt::Display for Disposition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Open => f.write_str("still open"),
            Self::Fixed(Some(by)) => write!(f, "already fixed; see {by}"),
            Self::Fixed(None) => f.write_str("already fixed"),
            Self::Completed => f.write_str("closed as completed"),
            Self::PossibleRegression(_) => f.write_str("fixed earlier; possibly a regression"),
            Self::Declined => f.write_str("declined"),
            Self::Duplicate => f.write_str("already closed as a duplicate"),
        }
    }
}

/// A report of what was asked about, in a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KnownReport {
    /// Human key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Open, closed or merged.
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    /// What is said of the two.
    pub band: Band,
    /// How likely it is the same, 0..1.
    pub confidence: f32,
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
        }
    }
}

/// An earlier report that may be the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DuplicateCandidate {
    /// Human key.
    pub key: String,
    /// The item's number.
    pub number: Option<u64>,
    /// The title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Open, closed or merged.
    pub state: Option<State>,
    /// The tracker's reason for the closure, as the tracker says it.
    pub state_reason: Option<String>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// How alike the two are.
    pub similarity: Similarity,
    /// The calibrated probability that one fix resolves both, 0..1.
    pub confidence: f32,
    /// The calibrated probability that it is worth reading: the same, or related; 0..1, never below the confidence.
    pub worth: f32,
    /// What is said of the pair.
    pub band: Band,
    /// What answers as sure as this one turned out to be; none where too few were read.
    pub outcome: Option<Outcome>,
    /// What became of it.
    pub disposition: Disposition,
    /// The report that it is itself a duplicate of, at the end of the chain, if it is one.
    pub canonical: Option<String>,
    /// Why, in words.
    pub reasons: Vec<String>,
    /// What a person decided about the pair before.
    pub verdict: Option<VerdictKind>,
    /// The arithmetic, if asked for: feature, value, weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Evidence>>,
}

/// One feature's part in a candidate's score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Evidence {
    /// The feature's name in the table of weights.
    pub feature: String,
    /// Its value.
    pub value: f32,
    /// Its weight.
    pub weight: f32,
    /// What it adds to the score.
    pub adds: f32,
}

/// The report that another is known to be a duplicate of, whatever their texts say: a person decided it, or the tracker or
/// its comments state it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KnownDuplicate {
    /// Human key: the end of the chain of duplicates, the report that stays.
    pub key: String,
    /// Issue or pull request; none where the casebook does not hold it.
    pub kind: Option<DocKind>,
    /// The title, where the casebook holds it.
    pub title: Option<String>,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Open, closed or merged.
    pub state: Option<State>,
    /// The tracker's reason for the closure, as the tracker says it.
    pub state_reason: Option<String>,
    /// What became of it, where the casebook holds it.
    pub disposition: Option<Disposition>,
}

/// The answer to a question for duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DuplicatesResponse {
    /// The item that was asked about, if it is one.
    pub key: Option<String>,
    /// What the item is known to be a duplicate of already.
    pub known: Option<KnownDuplicate>,
    /// The reports that are known to be duplicates of the item, in the order of their keys.
    pub known_duplicates: Vec<KnownDuplicate>,
    /// The band of the best candidate; `none` where there is none.
    pub band: Band,
    /// The candidates, most likely first; ties in the order of their keys.
    pub candidates: Vec<DuplicateCandidate>,
    /// How many earlier reports were compared closely.
    pub compared: usize,
    /// On how many labelled reports the confidence rests.
    pub calibrated_on: u64,
    /// Pairs that a person has decided are no duplicates, left out here.
    pub rejected: Vec<String>,
    /// Reports that name each other as duplicates in a circle, if this one is among them.
    pub circle: Vec<String>,
    /// What the person should know about this answer.
    pub notices: Vec<Notice>,
    /// Whether the indexes were complete. While they are not, no match does not mean that there is none.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

/// What orders documents against a report, for the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ranking {
    /// Search by words.
    Lexical,
    /// Search by meaning.
    Semantic,
    /// Search by both.
    Hybrid,
    /// The check for duplicates.
    Duplicates,
}

/// A report that documents are ranked against as if it were made at that moment.
#[derive(Clone, Debug)]
pub struct RankRequest {
    /// The report's title.
    pub title: String,
    /// The report's text (Markdown).
    pub body: String,
    /// Whether the title is what a person types into a search, and not a report: then there is no text. It makes no difference
    /// to the check for duplicates.
    pub typed: bool,
    /// Only this source.
    pub source: String,
    /// Its number, if it is in the source: it is no candidate, and its stored vectors serve.
    pub number: Option<u64>,
    /// Documents created at this moment or later are no candidates; of the same second the check for duplicates takes those with a
    /// smaller number.
    pub made_at: Timestamp,
    /// Documents created before this moment are no candidates.
    pub since: Option<Timestamp>,
    /// Only what was resolved: as solved cases are looked for. Of [`Ranking::Duplicates`] the confidence is then that a case
    /// would help.
    pub solved: bool,
    /// What orders them.
    pub by: Ranking,
    /// At most this many.
    pub limit: usize,
}

/// A document in a ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedDocument {
    /// The item's number.
    pub number: u64,
    /// What it was ordered by; comparable within one ranking.
    pub score: f32,
    /// The calibrated probability that it is a duplicate, 0..1; only of [`Ranking::Duplicates`].
    pub probability: Option<f32>,
    /// The calibrated probability that it is worth reading, 0..1; only of [`Ranking::Duplicates`].
    pub worth: Option<f32>,
    /// What the score was computed from, in the order of the table of weights, with its share and what was read of it; only
    /// of [`Ranking::Duplicates`].
    pub features: Vec<f32>,
}

/// What two reports are compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FactKind {
    /// Error codes.
    Code,
    /// Exceptions and panics, numbers and paths masked.
    Failure,
    /// Quoted error messages, numbers and paths masked.
    Message,
    /// Top frames of stack traces.
    Frame,
    /// Versions.
    Version,
    /// Identifiers; only those that both name.
    Identifier,
    /// Labels.
    Label,
}

/// What two reports name of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Fact {
    /// The kind.
    pub kind: FactKind,
    /// Named by both.
    pub shared: Vec<String>,
    /// Named by the report alone.
    pub report: Vec<String>,
    /// Named by the candidate alone.
    pub candidate: Vec<String>,
}

/// What a mark in a text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// The other report names exactly this too.
    Same,
    /// The other report names another one of its kind.
    Differs,
    /// A rare word that the other report has too.
    Word,
}

/// A piece of text to mark wherever it stands as a whole word, in whatever case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Mark {
    /// The text, in lower case.
    pub text: String,
    /// What it says.
    pub kind: MarkKind,
}

/// Two reports side by side.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Comparison {
    /// The report.
    pub report: Thread,
    /// The earlier report that may be the same.
    pub candidate: Thread,
    /// What they name.
    pub facts: Vec<Fact>,
    /// What to mark in the report.
    pub report_marks: Vec<Mark>,
    /// What to mark in the candidate.
    pub candidate_marks: Vec<Mark>,
}
