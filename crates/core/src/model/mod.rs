//! The data model: documents and their parts, requests and responses, import reports.
//!
//! All types are plain data that every interface can print or send. Times are UTC and serialize as
//! RFC 3339.

mod article;
mod ask;
mod brief;
mod casebook;
mod closures;
mod duplicates;
mod health;
mod imports;
mod insights;
pub mod limits;
mod logs;
mod mirror;
mod note;
mod portable;
mod problems;
mod record;
mod search;
mod thread;
mod troubleshoot;

use schemars::JsonSchema;
use serde::{
    Deserialize, Serialize,
    de::{
        DeserializeOwned,
        value::{self, StrDeserializer},
    },
};

pub use self::{
    article::*, ask::*, brief::*, casebook::*, closures::*, duplicates::*, health::*, imports::*,
    insights::*, logs::*, mirror::*, note::*, portable::*, problems::*, record::*, search::*,
    thread::*, troubleshoot::*,
};

/// Parses the name that a kind or state has in the database and in JSON.
pub fn parse_name<T: DeserializeOwned>(name: &str) -> Option<T> {
    T::deserialize(StrDeserializer::<value::Error>::new(name)).ok()
}

/// The kind of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocKind {
    /// An issue of a tracker.
    #[default]
    Issue,
    /// A pull (or merge) request of a tracker.
    PullRequest,
    /// A wiki page.
    Page,
    /// A private note.
    Note,
}

impl DocKind {
    /// Returns whether documents of this kind are reports, which can have duplicates.
    pub fn is_report(self) -> bool {
        matches!(self, DocKind::Issue | DocKind::PullRequest)
    }

    /// Returns the name in the database, in JSON and in the full-text index.
    pub fn as_str(self) -> &'static str {
        match self {
            DocKind::Issue => "issue",
            DocKind::PullRequest => "pull_request",
            DocKind::Page => "page",
            DocKind::Note => "note",
        }
    }
}

/// The state of an item. A merged pull request is [`State::Merged`], never [`State::Closed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// An unresolved item.
    Open,
    /// A closed item; for a pull request, closed without a merge.
    Closed,
    /// A merged pull request.
    Merged,
}

impl State {
    /// Returns the name in the database, in JSON and in the full-text index.
    pub fn as_str(self) -> &'static str {
        match self {
            State::Open => "open",
            State::Closed => "closed",
            State::Merged => "merged",
        }
    }
}
