//! Closing reports as duplicates at their tracker: what would be done, and what was.

use super::Problem;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How far a report's closing came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClosureStep {
    /// The comment may have been sent; whether it arrived is looked up before anything else is.
    Commenting,
    /// The comment is there.
    Commented,
    /// The report is closed.
    Closed,
    /// It was left as it is: see the problem.
    Refused,
}

impl ClosureStep {
    /// The name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commenting => "commenting",
            Self::Commented => "commented",
            Self::Closed => "closed",
            Self::Refused => "refused",
        }
    }

    /// Reads what [`ClosureStep::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Commenting, Self::Commented, Self::Closed, Self::Refused]
            .into_iter()
            .find(|s| s.as_str() == text)
    }
}

/// An open report that a person decided to be a duplicate, and what is to be told to its tracker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Closure {
    /// The report's key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// The source that it is of.
    pub source: String,
    /// Its number there.
    pub number: u64,
    /// The key of the report that stays, at the end of the chain.
    pub canonical: String,
    /// That one's title; none where it is not mirrored.
    pub canonical_title: Option<String>,
    /// The host that would be written to.
    pub host: String,
    /// Who decided.
    pub actor: String,
    /// When.
    pub decided_at: Timestamp,
    /// The comment, as it would be posted.
    pub comment: String,
    /// Commands that do the same by hand.
    pub commands: Vec<String>,
    /// Why it cannot be done from here, if it cannot.
    pub obstacle: Option<String>,
    /// How far an earlier try came.
    pub step: Option<ClosureStep>,
}

/// An entry of the journal: what was told to a tracker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClosureRecord {
    /// The report's key.
    pub key: String,
    /// The key of the report that stays.
    pub canonical: String,
    /// How far it came.
    pub step: ClosureStep,
    /// Where the comment is.
    pub comment_url: Option<String>,
    /// Why it was refused, or what was different.
    pub problem: Option<String>,
    /// Who had it done.
    pub actor: String,
    /// When it was begun.
    pub began_at: Timestamp,
    /// When it came this far.
    pub changed_at: Timestamp,
}

/// What closing reports came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ClosureReport {
    /// What was done, in order.
    pub done: Vec<ClosureRecord>,
    /// What ended it early, if anything did; what was done until then stays done.
    pub problem: Option<Problem>,
}
