//! The casebook in numbers.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::State;

/// A month's issues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MonthVolume {
    /// `2026-03`.
    pub month: String,
    /// Reported in it.
    pub opened: u64,
    /// Closed in it.
    pub closed: u64,
    /// Those that were reported in it and are known to be duplicates.
    pub duplicates: u64,
}

/// A source's issues in sum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SourceVolume {
    /// The source's key.
    pub source: String,
    /// Its issues.
    pub issues: u64,
    /// Those that are open.
    pub open: u64,
    /// Those that are known to be duplicates.
    pub duplicates: u64,
    /// Within how many days half of the closed ones were closed.
    pub median_days: Option<f64>,
}

/// Issues by month and by source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Insights {
    /// Every month from the first to the last.
    pub months: Vec<MonthVolume>,
    /// All sources, by key.
    pub sources: Vec<SourceVolume>,
}

/// An issue that is known to be a duplicate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CountedDuplicate {
    /// Its key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Open or closed.
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// The report that stays, where that is known.
    pub of: Option<String>,
}
