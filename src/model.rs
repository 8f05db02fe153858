//! The nouns of the product: documents and their parts, what search answers, what an import reports.
//!
//! Everything here is plain data that every face can print or send; times are UTC and serialise as RFC 3339.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What kind of thing a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocKind {
    /// An issue of a tracker.
    Issue,
    /// A pull (or merge) request of a tracker.
    PullRequest,
    /// A wiki page.
    Page,
}

impl DocKind {
    /// Every kind, in the order of their names in the query language.
    pub const ALL: [DocKind; 3] = [DocKind::Issue, DocKind::PullRequest, DocKind::Page];

    /// The name in the database, in JSON and in the full-text index.
    pub fn as_str(self) -> &'static str {
        match self {
            DocKind::Issue => "issue",
            DocKind::PullRequest => "pull_request",
            DocKind::Page => "page",
        }
    }

    /// Reads what [`DocKind::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == text)
    }
}

/// The state of an item. A pull request that was merged is [`State::Merged`], never [`State::Closed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Not resolved yet.
    Open,
    /// Closed; for a pull request: closed without a merge.
    Closed,
    /// A pull request that was merged.
    Merged,
}

impl State {
    /// The name in the database, in JSON and in the full-text index.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Closed => "closed",
            State::Merged => "merged",
        }
    }

    /// Reads what [`State::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [State::Open, State::Closed, State::Merged].into_iter().find(|s| s.as_str() == text)
    }
}

/// How a search ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Words and meaning together.
    #[default]
    Hybrid,
    /// Words alone (BM25).
    Lexical,
    /// Meaning alone (cosine of embeddings).
    Semantic,
}

/// A way of finding documents; each ranks on a scale of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// BM25 over the full text.
    Lexical,
    /// Cosine over chunk embeddings.
    Semantic,
    /// Exact signatures: error codes, exceptions with their frames, panic messages.
    Signature,
}

/// What to search for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// The query as typed: words, phrases and filters of the query language.
    pub query: String,
    /// At most this many results; 0 stands for 20.
    pub limit: usize,
    /// Overrides the query's own `mode:`.
    pub mode: Option<Mode>,
    /// Adds the arithmetic of each result.
    pub explain: bool,
}

/// A run of text that either matches the query or does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Whether it matches.
    pub hit: bool,
}

/// Where in a document a passage stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The document's own text.
    Body,
    /// One of its comments.
    Comment,
}

/// A piece of a document that shows why it was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Passage {
    /// Where it stands.
    pub part: Part,
    /// The comment's anchor in the thread (`comment-123`), or `body`.
    pub anchor: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// When it was written.
    pub created_at: Option<Timestamp>,
    /// The text, cut to a readable length, with what matches marked.
    pub spans: Vec<Span>,
    /// Whether it is code, a log or a stack trace, to be shown in a monospaced face.
    pub code: bool,
    /// Cosine of this passage to the query, −1..1, where it has a vector.
    pub cosine: Option<f32>,
}

/// Each arm's own score of a result, apart. Thresholds belong to these, never to `fused`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// BM25, 0 and up, unbounded: comparable within one query only.
    pub bm25: Option<f32>,
    /// The best chunk's cosine to the query, −1..1.
    pub cosine: Option<f32>,
    /// BM25 of the signatures that the document shares with the query: the rarer they are, the higher.
    pub signature: Option<f32>,
    /// Reciprocal-rank fusion: decides the order and nothing else.
    pub fused: f32,
}

/// What one arm contributed to a result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Contribution {
    /// The arm.
    pub arm: Arm,
    /// The document's rank in that arm, from 1.
    pub rank: u32,
    /// The arm's own score.
    pub score: f32,
    /// The arm's weight in the fusion.
    pub weight: f32,
    /// `weight / (60 + rank)`.
    pub adds: f32,
}

/// One document that was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hit {
    /// Human key: `acme/app#123` or `acme/app:Page-Name`.
    pub key: String,
    /// What it is.
    pub kind: DocKind,
    /// The source's key: `acme/app`.
    pub source: String,
    /// The item's number; pages have none.
    pub number: Option<u64>,
    /// The title with what matches marked.
    pub title: Vec<Span>,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Open, closed or merged; pages have none.
    pub state: Option<State>,
    /// The tracker's reason for the closure: `completed`, `not_planned`, `duplicate`, …
    pub state_reason: Option<String>,
    /// Who reported it.
    pub author: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// How many comments the mirror holds.
    pub comments: u32,
    /// Its best passages, best first; at least one where the document has any text.
    pub passages: Vec<Passage>,
    /// Each arm's score.
    pub scores: Scores,
    /// One plain sentence that says why it was found.
    pub why: String,
    /// The arithmetic, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Contribution>>,
}

/// How much of the casebook an arm can see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Documents in the store.
    pub documents: u64,
    /// Documents in the full-text index.
    pub full_text: u64,
    /// Chunks that are to have a vector.
    pub chunks: u64,
    /// Chunks that have one.
    pub embedded: u64,
}

/// What is wanting in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// The full text does not have all documents yet.
    FullText,
    /// Some passages have no vector yet.
    SomeVectors,
    /// No passage has a vector yet.
    AllVectors,
    /// The model cannot be used.
    Model,
}

/// Something that the person should know about an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What is wanting.
    pub lack: Lack,
    /// The same in words.
    pub text: String,
}

/// The answer to a search.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SearchResponse {
    /// The query as it was understood, in the query language.
    pub query: String,
    /// How it was asked to rank.
    pub mode: Mode,
    /// The arms that answered.
    pub arms: Vec<Arm>,
    /// What the person should know about this answer: an arm that could not answer, vectors still missing.
    pub notices: Vec<Notice>,
    /// How much each arm could see.
    pub coverage: Coverage,
    /// The results, best first; ties in the order of their keys.
    pub hits: Vec<Hit>,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

/// How sure a check for duplicates is, cut on the calibrated confidence: at 0.9 nine in ten are right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// 0.9 and more. Still a proposal.
    High,
    /// 0.5 to 0.9: worth a look.
    Review,
    /// Below 0.5.
    None,
}

impl Band {
    /// The band of a confidence.
    pub fn of(confidence: f32) -> Self {
        match confidence {
            c if c >= 0.9 => Self::High,
            c if c >= 0.5 => Self::Review,
            _ => Self::None,
        }
    }

    /// The name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::High => "high",
            Self::Review => "review",
            Self::None => "none",
        }
    }

    /// Reads what [`Band::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::High, Self::Review, Self::None].into_iter().find(|b| b.as_str() == text)
    }
}

/// What a person can decide about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    /// When it was made.
    pub checked_at: Timestamp,
    /// The document's revision then.
    pub revision: u64,
    /// What it came to.
    pub band: Band,
    /// The key of the best candidate that nobody has decided about.
    pub best: Option<String>,
    /// The best candidate's confidence, 0..1.
    pub confidence: f32,
    /// Whether closed reports were compared too.
    pub closed: bool,
}

/// What a calibration found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationReport {
    /// The source's key.
    pub source: String,
    /// Its issues.
    pub issues: u64,
    /// Those with a known earlier duplicate.
    pub labels: u64,
    /// Whether the source has a curve of its own now; with too few labels, or on a dry run, it has not.
    pub kept: bool,
    /// The share of them whose duplicate comes first.
    pub found_first: f32,
    /// The share of them whose duplicate is among the first ten.
    pub found_in_ten: f32,
    /// Precision and recall of the first candidate, by threshold on the confidence.
    pub thresholds: Vec<ThresholdFigures>,
}

/// How good first candidates of at least this confidence are, on reports that the curve was not fitted on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TriageRequest {
    /// Only this source.
    pub source: Option<String>,
    /// Whether closed reports are candidates too.
    pub include_closed: bool,
    /// Check everything again, and not only what is new or changed.
    pub rescan: bool,
    /// Only what is at least in this band; `none` stands for everything that has a candidate.
    pub band: Band,
    /// At most this many; 0 stands for 20.
    pub limit: usize,
}

impl Default for TriageRequest {
    /// What is worth a look, in all sources, among open reports.
    fn default() -> Self {
        Self { source: None, include_closed: false, rescan: false, band: Band::Review, limit: 0 }
    }
}

/// An open report with its best candidate, waiting for a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TriageResponse {
    /// How many open reports were checked just now.
    pub scanned: u64,
    /// How many wait for a decision in all.
    pub waiting: u64,
    /// The first of them, the surest first; ties in the order of their keys.
    pub queue: Vec<TriageItem>,
    /// What the person should know about this answer.
    pub notices: Vec<Notice>,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

/// A question for duplicates: an item of the casebook, or a draft.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Disposition {
    /// It is open.
    Open,
    /// It was solved before this report was made; with the milestone or the pull request that did it, where known.
    Fixed(Option<String>),
    /// It was solved, and this report names a later version.
    PossibleRegression(Option<String>),
    /// It was closed as not planned.
    Declined,
    /// It was closed as a duplicate itself.
    Duplicate,
}

/// An earlier report that may be the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The band of the confidence.
    pub band: Band,
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// The answer to a question for duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DuplicatesResponse {
    /// The item that was asked about, if it is one.
    pub key: Option<String>,
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
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

/// What orders documents against a report, for the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// Only this source.
    pub source: String,
    /// Its number, if it is in the source: it is no candidate, and its stored vectors serve.
    pub number: Option<u64>,
    /// Documents created at this moment or later are no candidates.
    pub made_at: Timestamp,
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
    /// What the score was computed from, in the order of the table of weights; only of [`Ranking::Duplicates`].
    pub features: Vec<f32>,
}

/// A comment as the reading pane shows it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ThreadComment {
    /// Stable within the thread: `comment-123`.
    pub anchor: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// Whether a bot wrote it.
    pub bot: bool,
    /// The author's standing: `MEMBER`, `CONTRIBUTOR`, `NONE`, … as the tracker says.
    pub association: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last edited, if later.
    pub updated_at: Option<Timestamp>,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// The text as written.
    pub markdown: String,
    /// The text as sanitised HTML.
    pub html: String,
}

/// A typed edge to another document, as the reading pane shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkView {
    /// `duplicate_of`, `relates_to`, `closes`, `mentions`.
    pub kind: String,
    /// Whether this document is where the edge starts.
    pub outgoing: bool,
    /// The other document's key.
    pub key: String,
    /// What the other document is, if the mirror has it.
    pub document: Option<DocKind>,
    /// The other document's title, if the mirror has it.
    pub title: Option<String>,
    /// The other document's state, if the mirror has it.
    pub state: Option<State>,
}

/// A document with everything that was said about it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Thread {
    /// Human key.
    pub key: String,
    /// What it is.
    pub kind: DocKind,
    /// The source's key.
    pub source: String,
    /// The item's number; pages have none.
    pub number: Option<u64>,
    /// The title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Open, closed or merged; pages have none.
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    /// Who reported it.
    pub author: Option<String>,
    /// The reporter's standing as the tracker says.
    pub association: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its milestone.
    pub milestone: Option<String>,
    /// Whether the conversation is locked.
    pub locked: bool,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// Set where the tracker no longer has it.
    pub deleted_at: Option<Timestamp>,
    /// The text as written.
    pub markdown: String,
    /// The text as sanitised HTML.
    pub html: String,
    /// The comments, oldest first.
    pub comments: Vec<ThreadComment>,
    /// How many more comments the tracker says there are than the mirror holds.
    pub missing_comments: u32,
    /// Edges to other documents.
    pub links: Vec<LinkView>,
}

/// A mirrored project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceView {
    /// Human key: `acme/app`.
    pub key: String,
    /// The tracker's kind: `github`.
    pub kind: String,
    /// When it was added.
    pub added_at: Timestamp,
    /// When it last received something.
    pub changed_at: Option<Timestamp>,
    /// Issues held (without tombstones).
    pub issues: u64,
    /// Pull requests held.
    pub pull_requests: u64,
    /// Comments held.
    pub comments: u64,
    /// Wiki pages held.
    pub pages: u64,
    /// Comments the tracker counts that the mirror does not hold.
    pub missing_comments: u64,
    /// Comments whose item the mirror does not hold.
    pub orphan_comments: u64,
}

/// The casebook as a whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Status {
    /// The data folder.
    pub casebook: String,
    /// Its sources, by key.
    pub sources: Vec<SourceView>,
    /// How much the indexes cover.
    pub coverage: Coverage,
    /// The model that makes the vectors, or why there is none.
    pub model: ModelStatus,
    /// Bytes on disk: the database.
    pub database_bytes: u64,
    /// Bytes on disk: the full-text index.
    pub full_text_bytes: u64,
    /// Bytes on disk: the vectors.
    pub vector_bytes: u64,
}

/// Whether search by meaning is possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelStatus {
    /// The model's name, if one is there.
    pub name: Option<String>,
    /// Why it cannot be used, and what to do about it.
    pub problem: Option<String>,
}

/// One record that an import could not use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    /// The file, with the record's position: `issues.jsonl:17`.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportReport {
    /// The source's key.
    pub source: String,
    /// Files read.
    pub files: u64,
    /// Records that were not in the casebook before.
    pub new: u64,
    /// Records that differ from what was there.
    pub updated: u64,
    /// Records that were there already.
    pub unchanged: u64,
    /// Records older than what is there, left alone.
    pub stale: u64,
    /// Records that could not be used.
    pub skipped: u64,
    /// The first of them, up to [`ImportReport::MAX_SKIPS`].
    pub skips: Vec<Skip>,
    /// Items among the records.
    pub items: u64,
    /// Comments among the records.
    pub comments: u64,
    /// Wiki pages among the records.
    pub pages: u64,
}

impl ImportReport {
    /// How many skipped records are listed one by one.
    pub const MAX_SKIPS: usize = 50;

    /// Adds what another part of the import did.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.new += other.new;
        self.updated += other.updated;
        self.unchanged += other.unchanged;
        self.stale += other.stale;
        self.skipped += other.skipped;
        self.items += other.items;
        self.comments += other.comments;
        self.pages += other.pages;
        self.skips.extend(other.skips);
        self.skips.truncate(Self::MAX_SKIPS);
    }
}

/// What bringing the indexes up to date did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IndexReport {
    /// Documents written to the full-text index.
    pub documents: u64,
    /// Chunks that received a vector.
    pub embedded: u64,
    /// Seconds until the full text was searchable.
    pub full_text_seconds: f64,
    /// Seconds for the vectors.
    pub vector_seconds: f64,
    /// Why there are no vectors, if the model could not be used.
    pub model_problem: Option<String>,
    /// Another process is at it already; nothing was done here.
    pub busy_elsewhere: bool,
}

/// What a mirror does not know, or may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// It was never synced.
    NeverSynced,
    /// The last sync ended early.
    Ended,
    /// A list was not read to its end yet.
    Unfinished,
    /// The tracker does not give a list to this access.
    Refused,
    /// Records that could not be read.
    Unreadable,
    /// Comments that the tracker counts and the mirror lacks.
    MissingComments,
    /// Comments whose item the mirror lacks.
    OrphanComments,
    /// What was deleted or transferred since the last look.
    Deletions,
    /// What the tracker itself says of duplicates, and of what closed an item.
    Links,
    /// The wiki.
    Wiki,
}

/// Something that a mirror does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// What is wanting.
    pub kind: GapKind,
    /// The same in words.
    pub text: String,
}

/// How far one of a tracker's lists has been read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamView {
    /// `items`, `comments`, `review_comments`.
    pub name: String,
    /// Everything that changed before this is here.
    pub watermark: Option<Timestamp>,
    /// When it was last read to its end.
    pub finished_at: Option<Timestamp>,
    /// Pages read in a pass that is not finished.
    pub pages: u64,
    /// Records that could not be read.
    pub unreadable: u64,
    /// Why the tracker does not give it, if it does not.
    pub refused: Option<String>,
}

/// A live source: where it comes from, how far it was read, and what it does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MirrorView {
    /// The source's key: `acme/app`.
    pub source: String,
    /// The tracker's host: `github.com`.
    pub host: String,
    /// What the tracker calls the project now.
    pub project: String,
    /// Whether a sync is under way, here or in another process.
    pub running: bool,
    /// When a sync last ended, however.
    pub synced_at: Option<Timestamp>,
    /// When what is here was last compared with what is still there.
    pub swept_at: Option<Timestamp>,
    /// Its lists.
    pub streams: Vec<StreamView>,
    /// What it does not know.
    pub gaps: Vec<Gap>,
}

/// What to sync, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncRequest {
    /// The sources' keys; none stands for all live ones.
    pub sources: Vec<String>,
    /// Reads everything again, and looks for what is gone.
    pub full: bool,
}

/// What a sync of one source did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SyncReport {
    /// The source's key.
    pub source: String,
    /// Records that were not here before.
    pub new: u64,
    /// Records that differ from what was here.
    pub updated: u64,
    /// Records that were here already.
    pub unchanged: u64,
    /// Records older than what is here, left alone.
    pub stale: u64,
    /// Records that could not be read.
    pub skipped: u64,
    /// The first of them, up to [`ImportReport::MAX_SKIPS`].
    pub skips: Vec<Skip>,
    /// Issues and pull requests among the records.
    pub items: u64,
    /// Comments among the records.
    pub comments: u64,
    /// Items and comments that the tracker no longer has; they are kept and marked.
    pub gone: u64,
    /// Pages that were fetched.
    pub pages: u64,
    /// Requests that were sent.
    pub requests: u64,
    /// Wall time in seconds.
    pub seconds: u64,
    /// What the tracker calls the project now, if that has changed.
    pub renamed_to: Option<String>,
    /// What ended it, if not the end of the work: `{code, message, hint}`.
    pub problem: Option<Problem>,
    /// What this mirror does not know.
    pub gaps: Vec<Gap>,
}

/// What a tracker says about a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Project {
    /// What it is called now.
    pub name: String,
    /// The tracker's own id.
    pub remote_id: Option<String>,
    /// Whether others can see it.
    pub private: bool,
    /// Whether it has a wiki.
    pub wiki: bool,
    /// Whether it keeps issues; one that does not may still have pull requests.
    pub issues: bool,
    /// Whether it is read-only.
    pub archived: bool,
}

/// What an access can do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Access {
    /// The project.
    pub project: Project,
    /// Who the token belongs to; none without a token, and for tokens that are nobody's.
    pub user: Option<String>,
    /// Requests that are left in this period.
    pub remaining: Option<u64>,
    /// Requests that a period allows.
    pub limit: Option<u64>,
    /// When the next period begins.
    pub resets_at: Option<Timestamp>,
    /// What this access may not read, and why.
    pub refused: Vec<String>,
}

/// An error as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What a consumer can act on.
    pub code: crate::error::Code,
    /// What happened.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl From<&crate::error::Error> for Problem {
    fn from(error: &crate::error::Error) -> Self {
        Self { code: error.code(), message: error.to_string(), hint: error.hint().map(str::to_owned) }
    }
}

/// The author of a record, as the tracker says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// The login; missing where the account is gone.
    pub login: Option<String>,
    /// Whether it is a bot.
    pub bot: bool,
    /// `MEMBER`, `CONTRIBUTOR`, `NONE`, …
    pub association: Option<String>,
}

/// The record a tracker sent, as it was and as a fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Raw {
    /// The bytes as they came; compressed by the store.
    pub bytes: Vec<u8>,
    /// BLAKE3 of the bytes, first 16 bytes.
    pub hash: [u8; 16],
}

impl Raw {
    /// Takes the bytes of a record.
    pub fn new(bytes: Vec<u8>) -> Self {
        let mut hash = [0; 16];
        hash.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
        Self { bytes, hash }
    }
}

/// What a tracker says about a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRecord {
    /// The repository that the record names (`owner/name`), if it names one.
    pub repository: Option<String>,
    /// What it is.
    pub kind: DocKind,
    /// The item's number; pages have none.
    pub number: Option<u64>,
    /// The page's name as in its address (`Upgrade-to-3`); items have none.
    pub slug: Option<String>,
    /// The tracker's own id.
    pub remote_id: Option<String>,
    /// The title.
    pub title: String,
    /// The text as written.
    pub body: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Open, closed or merged; pages have none.
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    /// Who reported it.
    pub author: Author,
    /// Label names.
    pub labels: Vec<String>,
    /// The milestone's title.
    pub milestone: Option<String>,
    /// Whether the conversation is locked.
    pub locked: bool,
    /// How many comments the tracker counts.
    pub comment_count: u64,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// When it was merged.
    pub merged_at: Option<Timestamp>,
    /// The record itself.
    pub raw: Raw,
}

impl DocumentRecord {
    /// The human key within a source.
    pub fn key(&self, source: &str) -> String {
        match (self.number, &self.slug) {
            (Some(number), _) => format!("{source}#{number}"),
            (None, slug) => format!("{source}:{}", slug.as_deref().unwrap_or_default()),
        }
    }
}

/// In front of the ids of comments that were made beside the lines of a pull request: they count on their own, and the
/// tracker's count of comments leaves them out.
pub const REVIEW_PREFIX: &str = "r";

/// What a tracker says about a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentRecord {
    /// The repository that the record names (`owner/name`), if it names one.
    pub repository: Option<String>,
    /// The number of the item it belongs to.
    pub number: u64,
    /// The tracker's own id.
    pub remote_id: String,
    /// Who wrote it.
    pub author: Author,
    /// The text as written.
    pub body: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last edited.
    pub updated_at: Timestamp,
    /// The record itself.
    pub raw: Raw,
}

/// A record of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An issue, pull request or page.
    Document(Box<DocumentRecord>),
    /// A comment.
    Comment(Box<CommentRecord>),
}

impl Record {
    /// The repository that the record names, if it names one.
    pub fn repository(&self) -> Option<&str> {
        match self {
            Self::Document(d) => d.repository.as_deref(),
            Self::Comment(c) => c.repository.as_deref(),
        }
    }
}
