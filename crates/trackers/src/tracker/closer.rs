//! Closing of duplicates at a tracker: a comment that names the canonical report, and the closure.

use async_trait::async_trait;

use precedent_core::{error::Result, model::Record, task::Task};

/// The planned changes, for review before they are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Comment text. It ends with an invisible marker by which the comment is found again.
    pub comment: String,
    /// Equivalent commands of the tracker's own command line tool.
    pub commands: Vec<String>,
}

/// The canonical report, in the form in which a comment can name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stays {
    /// A report of the same project, by number.
    Here(u64),
    /// A report of another project at the same host: `owner/name`, number.
    Beside(String, u64),
    /// A report on another host, by address.
    Elsewhere(String),
}

/// A tracker whose reports can be closed from here.
#[async_trait]
pub trait IssueCloser: Send + Sync {
    /// Returns the address of the comment with exactly this text, if there is one.
    ///
    /// # Errors
    /// Those of the network, of limits and of access.
    async fn find(&self, number: u64, comment: &str, task: &Task) -> Result<Option<String>>;

    /// Posts a comment without retries; after a connection failure it may or may not exist. Returns
    /// its address.
    ///
    /// # Errors
    /// The same as [`IssueCloser::find`].
    async fn say(&self, number: u64, comment: &str, task: &Task) -> Result<Option<String>>;

    /// Closes a report as a duplicate and returns the updated report. Repeating it has no effect.
    ///
    /// # Errors
    /// The same as [`IssueCloser::find`].
    async fn close(&self, number: u64, task: &Task) -> Result<Record>;
}
