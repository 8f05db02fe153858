//! Telling a tracker that a report is a duplicate: a comment that names the report that stays, and the closure.

use async_trait::async_trait;

use precedent_core::{error::Result, model::Record, task::Task};

/// What is to be told, before anything is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The comment's text. It ends with a mark that no reader sees and that finds it again.
    pub comment: String,
    /// The same by hand, as commands of the tracker's own program.
    pub commands: Vec<String>,
}

/// The report that stays, as a comment on another one can name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stays {
    /// One of the same project, by its number.
    Here(u64),
    /// One of another project at the same host: `owner/name`, number.
    Beside(String, u64),
    /// One elsewhere, by its address.
    Elsewhere(String),
}

/// A tracker that can be told.
#[async_trait]
pub trait Closer: Send + Sync {
    /// The address of the comment that says exactly this, if there is one.
    ///
    /// # Errors
    /// Those of the network, of limits and of access.
    async fn find(&self, number: u64, comment: &str, task: &Task) -> Result<Option<String>>;

    /// Posts a comment, once: where the connection breaks it may be there or not. Returns its address.
    ///
    /// # Errors
    /// As [`Closer::find`].
    async fn say(&self, number: u64, comment: &str, task: &Task) -> Result<Option<String>>;

    /// Closes a report as a duplicate; returns the report as it is then. Doing it again changes nothing.
    ///
    /// # Errors
    /// As [`Closer::find`].
    async fn close(&self, number: u64, task: &Task) -> Result<Record>;
}
