//! Statistics of the casebook.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::State;

/// The issue counts of one month.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MonthVolume {
    /// Month: `2026-03`.
    pub month: String,
    /// Number of issues reported in the month.
    pub opened: u64,
    /// Number of issues closed in the month.
    pub closed: u64,
    /// Number of issues reported in the month that are known to be duplicates.
    pub duplicates: u64,
}

/// The issue counts of one source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SourceVolume {
    /// Key of the source.
    pub source: String,
    /// Number of issues.
    pub issues: u64,
    /// Number of open issues.
    pub open: u64,
    /// Number of issues that are known to be duplicates.
    pub duplicates: u64,
    /// Median number of days from creation to closure; null without closed issues.
    pub median_days: Option<f64>,
}

/// The issue counts by month and by source.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Insights {
    /// Months from the first to the last, without gaps.
    pub months: Vec<MonthVolume>,
    /// Sources, ordered by key.
    pub sources: Vec<SourceVolume>,
}

/// An issue that is known to be a duplicate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CountedDuplicate {
    /// Key of the issue.
    pub key: String,
    /// Title of the issue.
    pub title: String,
    /// State: open or closed; null if unknown.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker; null if there is none.
    pub state_reason: Option<String>,
    /// Creation time; null if unknown.
    pub created_at: Option<Timestamp>,
    /// Key of the canonical report; null if unknown.
    pub of: Option<String>,
}
