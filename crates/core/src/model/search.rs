//! What is asked of a search, and what it answers.

use super::{Coverage, DocKind, State};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How a search ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
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
#[derive(Clone, Debug, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SearchRequest {
    /// The query as typed: words, phrases and filters of the query language.
    pub query: String,
    /// Filters of the query language and nothing else, which hold whatever the query is read as: a pasted text has none of its own.
    pub filters: String,
    /// At most this many results; 0 stands for 20.
    pub limit: usize,
    /// How many results to pass over. Only for a query without words, whose order is that of the last change: what is
    /// ranked has no further pages.
    pub offset: usize,
    /// Overrides the query's own `mode:`.
    pub mode: Option<Mode>,
    /// Adds the arithmetic of each result.
    pub explain: bool,
    /// Leaves the passages out: for a long list that shows titles alone.
    pub titles: bool,
}

/// A run of text that either matches the query or does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Span {
    /// The text.
    pub text: String,
    /// Whether it matches.
    pub hit: bool,
}

/// Where in a document a passage stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The document's own text.
    Body,
    /// One of its comments.
    Comment,
}

/// A piece of a document that shows why it was found.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Scores {
    /// BM25F as a share of what the query's words could give, about 0..1; of a query that says where they have to stand, BM25,
    /// 0 and up, unbounded. Comparable within one query only.
    pub bm25: Option<f32>,
    /// The best chunk's cosine to the query, −1..1.
    pub cosine: Option<f32>,
    /// BM25 of the signatures that the document shares with the query: the rarer they are, the higher.
    pub signature: Option<f32>,
    /// What the arms come to together: decides the order and nothing else.
    pub fused: f32,
}

/// What one arm contributed to a result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Contribution {
    /// The arm.
    pub arm: Arm,
    /// The document's rank in that arm, from 1.
    pub rank: u32,
    /// The arm's own score.
    pub score: f32,
    /// The arm's weight in the fusion.
    pub weight: f32,
    /// `weight` times the score, normalised.
    pub adds: f32,
}

/// One document that was found.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
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
    /// Its best passages, best first; at least one where the document has any text and titles alone were not asked for.
    pub passages: Vec<Passage>,
    /// Each arm's score.
    pub scores: Scores,
    /// One plain sentence that says why it was found.
    pub why: String,
    /// The arithmetic, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Contribution>>,
}

/// What is wanting in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
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
    /// The source's own calibration does not hold any more.
    Calibration,
    /// Nothing meets all filters, phrases and exclusions of the query.
    Operators,
    /// The item that was named is not in the casebook.
    Item,
    /// Another source was not asked, and has what is probably the same.
    Elsewhere,
    /// Closed reports were not compared.
    Closed,
}

impl Lack {
    /// Whether an answer that finds nothing is not conclusive because of it: an index is incomplete.
    pub fn is_inconclusive(self) -> bool {
        matches!(self, Self::FullText | Self::SomeVectors | Self::AllVectors | Self::Model)
    }
}

impl Notice {
    /// Whether the indexes that an answer with these notices rests on were complete.
    pub fn is_conclusive(notices: &[Self]) -> bool {
        !notices.iter().any(|notice| notice.lack.is_inconclusive())
    }
}

/// Something that the person should know about an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Notice {
    /// What is wanting.
    pub lack: Lack,
    /// The same in words.
    pub text: String,
}

/// The answer to a search.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SearchResponse {
    /// The query as it was understood, in the query language.
    pub query: String,
    /// How it was asked to rank.
    pub mode: Mode,
    /// The arms that answered.
    pub arms: Vec<Arm>,
    /// What the person should know about this answer: an arm that could not answer, vectors still missing.
    pub notices: Vec<Notice>,
    /// Whether the indexes were complete. While they are not, no match does not mean that there is none.
    pub conclusive: bool,
    /// How much each arm could see.
    pub coverage: Coverage,
    /// The results, best first; ties in the order of their keys.
    pub hits: Vec<Hit>,
    /// How many documents meet the filters, where the query has no words: then its results go on behind these.
    pub total: Option<u64>,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}
