//! One question, one answer: the known problem, what solves it, and what to do next.

use serde::{Deserialize, Serialize};

use super::{
    AskedVersion, CaseComment, FixedBy, KnownReport, Notice, SolvedCase, TroubleshootSettings, WikiPassage,
};

/// A question about a problem: an item of the casebook, or any text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AskRequest {
    /// The item's key; otherwise `text` is the question.
    pub key: Option<String>,
    /// A sentence, a message, a stack trace, a log, a mail.
    pub text: String,
    /// Look in this source alone.
    pub source: Option<String>,
    /// How solved cases are looked for.
    pub settings: TroubleshootSettings,
}

/// What became of a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemStatus {
    /// Its report is open.
    Open,
    /// It is closed, and its thread documents a fix.
    Solved,
    /// It was closed without a fix on purpose: not planned, by design, not reproducible.
    Declined,
    /// It is closed, and nothing documents a fix.
    ClosedWithoutFix,
}

impl ProblemStatus {
    /// The status in words, without its version.
    pub fn words(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Solved => "solved",
            Self::Declined => "declined",
            Self::ClosedWithoutFix => "closed without a documented fix",
        }
    }
}

/// A known problem: a canonical report with its duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KnownProblem {
    /// Key of the canonical report.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// What became of it.
    pub status: ProblemStatus,
    /// The probability that the question is about it, 0..1; 1 where that is known.
    pub confidence: f32,
    /// Why, the strongest reason first.
    pub reasons: Vec<String>,
    /// Keys of its other reports.
    pub reports: Vec<String>,
    /// The version or milestone that has the fix, where someone says so.
    pub fixed_in: Option<String>,
    /// The version that the question names, where it can be compared with `fixed_in`.
    pub asked_version: Option<AskedVersion>,
    /// The comment that documents the fix.
    pub fix: Option<CaseComment>,
    /// The comment that gives a workaround.
    pub workaround: Option<CaseComment>,
    /// The merged pull requests that closed it.
    pub fixed_by: Vec<FixedBy>,
}

impl KnownProblem {
    /// Returns whether a report belongs to this problem.
    pub fn has(&self, key: &str) -> bool {
        self.key == key || self.reports.iter().any(|report| report == key)
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AskResponse {
    /// The item that was asked about, if one was.
    pub key: Option<String>,
    /// The problem that the question is about, where one is known.
    pub problem: Option<KnownProblem>,
    /// Reports that may be the same or are related, best first.
    pub related: Vec<KnownReport>,
    /// Solved cases that may help, where the problem itself is not solved.
    pub cases: Vec<SolvedCase>,
    /// Passages of wikis.
    pub wiki: Vec<WikiPassage>,
    /// Passages of private notes.
    pub notes: Vec<WikiPassage>,
    /// What to do next, one sentence each.
    pub next: Vec<String>,
    /// What the person should know about this answer.
    pub notices: Vec<Notice>,
    /// Whether the indexes were complete. While they are not, no match does not mean that there is none.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}
