//! The structured parts of the replies: keys, scores and offsets, without tracker text.

use precedent_core::model::{
    ArticleSectionKind, DuplicateCandidate, Hit, KnownReport, NearCase, SolvedCase, WikiPassage,
};
use schemars::JsonSchema;
use serde::Serialize;

/// A document that a reply names, with its confidence or score and the comment to read first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Item {
    pub key: String,
    pub score: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

impl Item {
    /// Creates an item with its score rounded to thousandths.
    pub fn new(key: &str, score: f32, comment: Option<&str>) -> Self {
        let score = (f64::from(score) * 1000.0).round() / 1000.0;
        let comment = comment.filter(|anchor| *anchor != "body").map(str::to_owned);
        Self { key: key.to_owned(), score, comment }
    }
}

macro_rules! items {
    ($($type:ty, $value:ident: $score:expr, $comment:expr;)*) => {
        $(impl From<&$type> for Item {
            fn from($value: &$type) -> Self {
                Self::new(&$value.key, $score, $comment)
            }
        })*
    };
}

items! {
    Hit, hit: hit.scores.fused, hit.passages.first().map(|passage| &*passage.anchor);
    DuplicateCandidate, candidate: candidate.confidence, None;
    KnownReport, report: report.confidence, None;
    SolvedCase, case: case.relevance, case.fix.as_deref();
    NearCase, case: case.relevance, case.key_comment.as_ref().map(|comment| &*comment.anchor);
    WikiPassage, page: page.similarity.unwrap_or_default(), None;
}

/// How much is known about a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Known,
    Likely,
    Related,
    Unknown,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Ask {
    pub verdict: Verdict,
    pub conclusive: bool,
    pub problem: Option<Item>,
    pub related: Vec<Item>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Search {
    pub results: Vec<Item>,
    pub next_offset: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Duplicates {
    pub known: Option<String>,
    pub results: Vec<Item>,
    pub conclusive: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Fixes {
    pub solved: usize,
    pub results: Vec<Item>,
    pub conclusive: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Thread {
    pub key: String,
    pub fix: Option<String>,
    pub comments: usize,
    pub next_offset: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Article {
    pub key: String,
    pub missing: Vec<ArticleSectionKind>,
    pub next_offset: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Brief {
    pub next_offset: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Note {
    pub outcome: String,
    pub key: Option<String>,
    pub similar: Vec<Item>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Decision {
    pub first: String,
    pub second: String,
    pub canonical: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Source {
    pub key: String,
    pub documents: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Status {
    pub sources: Vec<Source>,
    pub conclusive: bool,
}
