//! Closes duplicates on a tracker, after a comment that names the canonical report.

use async_trait::async_trait;

use precedent_core::{error::Result, model::Record, task::Task};

/// The planned changes, for review before they are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosingSteps {
    /// Comment text, which ends with an invisible marker.
    pub comment: String,
    /// Equivalent commands for the tracker's own command-line tool.
    pub commands: Vec<String>,
}

/// The canonical report, as a comment can refer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanonicalRef {
    /// A report of the same project, by number.
    SameProject(u64),
    /// A report of another project on the same host: `owner/name`, number.
    SameHost(String, u64),
    /// A report on another host, by address.
    OtherHost(String),
}

/// A tracker whose reports this program can close.
#[async_trait]
pub trait IssueCloser: Send + Sync {
    /// Returns the address of the comment with exactly this text, if there is one.
    async fn find_comment(&self, number: u64, text: &str, task: &Task) -> Result<Option<String>>;

    /// Posts a comment and returns its address. There are no retries: after a connection failure,
    /// the comment may or may not exist.
    async fn post_comment(&self, number: u64, text: &str, task: &Task) -> Result<Option<String>>;

    /// Closes a report as a duplicate and returns the updated report. Idempotent.
    async fn close(&self, number: u64, task: &Task) -> Result<Record>;
}
