//! The request and response of a search.

use super::{Coverage, DocKind, State};
use crate::Hint;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A ranking mode of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Lexical and semantic search combined.
    #[default]
    Hybrid,
    /// Lexical search only (BM25).
    Lexical,
    /// Semantic search only (cosine of embeddings).
    Semantic,
}

/// A retrieval method of a search; each ranks on its own scale.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// BM25 over the full text.
    Lexical,
    /// Cosine similarity over chunk embeddings.
    Semantic,
    /// Exact signatures: error codes, exceptions with their frames, panic messages.
    Signature,
}

/// A search request.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// Query as typed: words, phrases and filters of the query language.
    pub query: String,
    /// Additional filters of the query language, without words. They apply even if the query is
    /// treated as pasted text, which has no filters.
    pub filters: String,
    /// Maximum number of results; 0 means 20.
    pub limit: usize,
    /// Number of results to skip. Only for a query without words, which is ordered by the last
    /// change; ranked results have no further pages.
    pub offset: usize,
    /// Ranking mode that overrides the query's own `mode:`; null to keep it.
    pub mode: Option<Mode>,
    /// `true` to add the score's contributions to each result.
    pub explain: bool,
    /// `true` to leave the passages out, for a long list that shows only titles.
    pub titles: bool,
}

/// A run of text that either matches the query or does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Span {
    /// Text of the run.
    pub text: String,
    /// `true` if the text matches the query.
    pub hit: bool,
}

/// The part of a document that contains a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The document's own text.
    Body,
    /// One of the document's comments.
    Comment,
}

/// A snippet of a document that shows why it matches.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    /// Part of the document.
    pub part: Part,
    /// Anchor of the comment in the thread (`comment-123`), or `body`.
    pub anchor: String,
    /// Login of the author; null if unknown.
    pub author: Option<String>,
    /// Time at which it was written; null if unknown.
    pub created_at: Option<Timestamp>,
    /// Text, cut to a readable length, with matches marked.
    pub spans: Vec<Span>,
    /// `true` if the text is code, a log or a stack trace, to be shown in a monospaced font.
    pub code: bool,
    /// Cosine similarity of this passage to the query, −1..1; null without a vector.
    pub cosine: Option<f32>,
}

/// The score of each arm for a result. Thresholds apply to these scores, never to `fused`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// BM25F as a share of the query's highest possible score, about 0..1. For a query that
    /// restricts the fields, BM25: 0 and up, unbounded. Comparable within one query only; null if
    /// the arm did not find the document.
    pub bm25: Option<f32>,
    /// Cosine similarity of the best chunk to the query, −1..1; null if unknown.
    pub cosine: Option<f32>,
    /// BM25 of the signatures that the document shares with the query: the rarer they are, the
    /// higher. Null if it shares none.
    pub signature: Option<f32>,
    /// Combined score of the arms; used only for the order.
    pub fused: f32,
}

/// The contribution of one arm to a result's score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contribution {
    /// Retrieval method.
    pub arm: Arm,
    /// Rank of the document in that arm, from 1.
    pub rank: u32,
    /// Score of the arm.
    pub score: f32,
    /// Weight of the arm in the fusion.
    pub weight: f32,
    /// Amount added to the combined score: `weight` times the normalized score.
    pub adds: f32,
}

/// A document that matches a search.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Key of the document: `acme/app#123` or `acme/app:Page-Name`.
    pub key: String,
    /// Kind of the document.
    pub kind: DocKind,
    /// Key of the source: `acme/app`.
    pub source: String,
    /// Number of the item; null for pages.
    pub number: Option<u64>,
    /// Title with matches marked.
    pub title: Vec<Span>,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// State: open, closed or merged; null for pages.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker: `completed`, `not_planned`, `duplicate`, …;
    /// null if there is none.
    pub state_reason: Option<String>,
    /// Login of the author; null if unknown.
    pub author: Option<String>,
    /// Names of the labels.
    pub labels: Vec<String>,
    /// Creation time; null if unknown.
    pub created_at: Option<Timestamp>,
    /// Time of the last change; null if unknown.
    pub updated_at: Option<Timestamp>,
    /// Time of the closure; null if the item is open.
    pub closed_at: Option<Timestamp>,
    /// Number of mirrored comments.
    pub comments: u32,
    /// Best passages, best first; at least one if the document has text, unless only titles were
    /// requested.
    pub passages: Vec<Passage>,
    /// Score of each arm.
    pub scores: Scores,
    /// Reason for the match, in one sentence.
    pub why: String,
    /// Contributions of the arms to the score; absent unless requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Contribution>>,
}

/// A kind of limitation of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// The full-text index does not cover all documents yet.
    FullText,
    /// Some passages have no vector yet.
    SomeVectors,
    /// No passage has a vector yet.
    AllVectors,
    /// The embedding model cannot be used.
    Model,
    /// The source's own calibration is no longer valid.
    Calibration,
    /// Nothing meets all filters, phrases and exclusions of the query.
    Operators,
    /// The named item is not in the casebook.
    Item,
    /// Another source, which was not searched, has a likely match.
    Elsewhere,
    /// Closed reports were not compared.
    Closed,
    /// The question is a log with several errors, of which only one was looked up.
    Errors,
}

impl NoticeKind {
    /// Returns whether this limitation makes an answer without matches inconclusive.
    pub fn is_inconclusive(self) -> bool {
        matches!(self, Self::FullText | Self::SomeVectors | Self::AllVectors | Self::Model)
    }
}

/// A limitation of an answer that the user should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Notice {
    /// Kind of the limitation.
    pub lack: NoticeKind,
    /// Description of the limitation, and its remedy.
    #[serde(flatten)]
    pub hint: Hint,
}

impl Notice {
    /// Creates a notice.
    pub fn new(lack: NoticeKind, hint: impl Into<Hint>) -> Self {
        Self { lack, hint: hint.into() }
    }

    /// Returns whether the indexes behind an answer with these notices were complete.
    pub fn is_conclusive(notices: &[Self]) -> bool {
        !notices.iter().any(|notice| notice.lack.is_inconclusive())
    }
}

/// The response to a search.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SearchResponse {
    /// Query as parsed, in the query language.
    pub query: String,
    /// Requested ranking mode.
    pub mode: Mode,
    /// Arms that contributed to the answer.
    pub arms: Vec<Arm>,
    /// Limitations of this answer, such as an unavailable arm or missing vectors.
    pub notices: Vec<Notice>,
    /// `true` if the indexes were complete. If `false`, a missing match does not prove that none
    /// exists.
    pub conclusive: bool,
    /// Share of the casebook that the indexes cover.
    pub coverage: Coverage,
    /// Results, best first; ties ordered by key.
    pub hits: Vec<Hit>,
    /// Total number of documents that match the filters, for a query without words, whose results
    /// can be paged; null otherwise.
    pub total: Option<u64>,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}
