//! The nouns of the product: documents and their parts, what is asked and answered, what an import reports.
//!
//! Everything here is plain data that every face can print or send; times are UTC and serialise as RFC 3339.

mod ask;
mod brief;
mod casebook;
mod closures;
mod clusters;
mod duplicates;
mod health;
mod imports;
mod insights;
pub mod limits;
mod logs;
mod mirror;
mod note;
mod portable;
mod record;
mod search;
mod thread;
mod troubleshoot;

use serde::{Deserialize, Serialize};

pub use self::{
    ask::*, brief::*, casebook::*, closures::*, clusters::*, duplicates::*, health::*, imports::*,
    insights::*, logs::*, mirror::*, note::*, portable::*, record::*, search::*, thread::*, troubleshoot::*,
};

/// What kind of thing a document is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DocKind {
    /// An issue of a tracker.
    Issue,
    /// A pull (or merge) request of a tracker.
    PullRequest,
    /// A wiki page.
    Page,
    /// A private note.
    Note,
}

impl DocKind {
    /// Every kind, in the order of their names in the query language.
    pub const ALL: [DocKind; 4] = [DocKind::Issue, DocKind::PullRequest, DocKind::Page, DocKind::Note];

    /// The name in the database, in JSON and in the full-text index.
    pub fn as_str(self) -> &'static str {
        match self {
            DocKind::Issue => "issue",
            DocKind::PullRequest => "pull_request",
            DocKind::Page => "page",
            DocKind::Note => "note",
        }
    }

    /// Reads what [`DocKind::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == text)
    }
}

/// The state of an item. A pull request that was merged is [`State::Merged`], never [`State::Closed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
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
