//! Planned and completed closures of duplicates on their tracker.

use crate::{Error, Hint};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The progress of closing a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClosureStep {
    /// The comment may have been posted; a retry first looks for it on the tracker.
    Commenting,
    /// The comment is posted.
    Commented,
    /// The report is closed.
    Closed,
    /// The report was left unchanged; see the problem.
    Refused,
}

impl ClosureStep {
    /// Returns the name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commenting => "commenting",
            Self::Commented => "commented",
            Self::Closed => "closed",
            Self::Refused => "refused",
        }
    }
}

/// An open report that a person marked as a duplicate, with the planned change on its tracker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Closure {
    /// Key of the report.
    pub key: String,
    /// Title of the report.
    pub title: String,
    /// Key of the report's source.
    pub source: String,
    /// Number of the report on the tracker.
    pub number: u64,
    /// Key of the canonical report, at the end of the chain.
    pub canonical: String,
    /// Title of the canonical report; null if it is not mirrored.
    pub canonical_title: Option<String>,
    /// Host that receives the change.
    pub host: String,
    /// Name of the person or program that decided.
    pub actor: String,
    /// Time of the decision.
    pub decided_at: Timestamp,
    /// Comment as it would be posted.
    pub comment: String,
    /// Commands that make the same change by hand.
    pub commands: Vec<String>,
    /// Reason why the report cannot be closed from here; null if it can.
    pub obstacle: Option<Hint>,
    /// Progress of an earlier attempt; null if there was none.
    pub step: Option<ClosureStep>,
}

/// An entry of the journal of changes made on trackers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClosureRecord {
    /// Key of the report.
    pub key: String,
    /// Key of the canonical report.
    pub canonical: String,
    /// Progress of the closure.
    pub step: ClosureStep,
    /// URL of the posted comment; null if unknown.
    pub comment_url: Option<String>,
    /// Reason for a refusal, or a deviation from the plan; null if there is none.
    pub problem: Option<String>,
    /// Name of the person or program that requested the closure.
    pub actor: String,
    /// Start time of the closure.
    pub began_at: Timestamp,
    /// Time at which this progress was reached.
    pub changed_at: Timestamp,
}

/// The result of closing reports.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ClosureReport {
    /// Closures that were attempted, in order.
    pub done: Vec<ClosureRecord>,
    /// Error that ended the run early, null if none did; earlier closures remain.
    pub problem: Option<Error>,
}
