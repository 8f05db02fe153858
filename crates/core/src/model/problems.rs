//! Problems of a backlog: groups of reports with one cause, with their fixes and releases.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ProblemStatus;

/// A release, as its tracker or its changelog records it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReleaseRecord {
    /// Name or tag: `v1.2.0`.
    pub name: String,
    /// Time of the release; `None` if unknown.
    pub released_at: Option<Timestamp>,
    /// `false` for a version that is only planned.
    pub is_released: bool,
    /// URL on the tracker's website; `None` if unknown.
    pub url: Option<String>,
    /// Numbers of the items that its notes name as fixed, ascending.
    pub items: Vec<u64>,
}

/// A list of problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemList {
    /// Open problems with the most reports.
    #[default]
    Frequent,
    /// Open problems, oldest first.
    Waiting,
    /// Problems whose fix is merged but not released.
    Unreleased,
    /// Fixed problems that were reported again on a version with the fix.
    Recurring,
    /// Solved problems with several reports that no article describes.
    WithoutArticle,
}

impl ProblemList {
    /// Returns a heading with the number of problems: "1 open problem, oldest first".
    pub fn heading(self, count: usize) -> String {
        let s = if count == 1 { "" } else { "s" };
        match self {
            Self::Frequent => format!("{count} problem{s} with open reports, most reported first"),
            Self::Waiting => format!("{count} open problem{s}, oldest first"),
            Self::Unreleased => format!("{count} problem{s} fixed but not released"),
            Self::Recurring => format!("{count} problem{s} that came back after the fix"),
            Self::WithoutArticle => format!("{count} solved problem{s} without an article"),
        }
    }
}

/// A request for a list of problems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProblemsRequest {
    /// Key of the only source to include; null for all sources.
    pub source: Option<String>,
    /// List to return.
    pub list: ProblemList,
    /// Lowest confidence that connects two reports without a verdict, 0..1.
    pub threshold: f32,
    /// Lowest number of reports in a problem; 0 means 1 for unreleased fixes and 2 elsewhere.
    pub min_reports: usize,
    /// Maximum number of problems; 0 means 20.
    pub limit: usize,
}

impl Default for ProblemsRequest {
    /// Returns a request for the most frequent problems of all sources, with threshold 0.5.
    fn default() -> Self {
        Self {
            source: None,
            list: ProblemList::default(),
            threshold: 0.5,
            min_reports: 0,
            limit: 0,
        }
    }
}

/// A report with its canonical report and its candidates, as input for grouping.
#[derive(Clone, Debug, Default, PartialEq)]
#[allow(missing_docs, reason = "the names of the other fields say what they are")]
pub struct Tie {
    pub key: String,
    pub title: String,
    pub url: Option<String>,
    pub open: bool,
    pub created_at: Option<Timestamp>,
    pub closed_at: Option<Timestamp>,
    /// Key of the report that this one is known to be a duplicate of, at the end of the chain.
    pub canonical: Option<String>,
    /// Earlier reports that may be duplicates, with their confidence, highest first.
    pub candidates: Vec<(String, f32)>,
}

/// A report of a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemReport {
    /// Key of the report.
    pub key: String,
    /// Title of the report.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// `true` if the report is open.
    pub open: bool,
    /// Creation time; null if unknown.
    pub created_at: Option<Timestamp>,
    /// `true` if a person or the tracker states that the report belongs to the problem, or if it is
    /// the first one.
    pub known: bool,
    /// Confidence that the report is a duplicate of the first one, 0..1: the product of the
    /// confidences along the chain.
    pub confidence: f32,
    /// Key of the report that connects it to the problem; null for the first one.
    pub via: Option<String>,
    /// Newest version of the product that the report names; null if it names none.
    pub version: Option<String>,
}

/// The number of a problem's reports created in one month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemMonth {
    /// Month: `2026-03`.
    pub month: String,
    /// Number of reports created in the month.
    pub reports: u64,
}

/// The number of a problem's reports on one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemVersion {
    /// Version of the product.
    pub version: String,
    /// Number of reports that name it as their newest version.
    pub reports: u64,
}

/// A problem of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ListedProblem {
    /// Canonical report if known, otherwise the earliest.
    pub head: ProblemReport,
    /// Other reports, in order of creation.
    pub members: Vec<ProblemReport>,
    /// Status of the problem.
    pub status: ProblemStatus,
    /// Version that has the fix; null if none is documented.
    pub fixed_in: Option<String>,
    /// Lowest version with the fix on which the problem was reported again; null if there is none.
    pub came_back_in: Option<String>,
    /// Number of reports including the head.
    pub size: usize,
    /// Number of open reports.
    pub open: usize,
    /// Reports by month, from the first to the last; the last 24 months at most.
    pub months: Vec<ProblemMonth>,
    /// Reports by version, lowest version first.
    pub versions: Vec<ProblemVersion>,
    /// Number of reports created in the last 30 days.
    pub recent: u64,
    /// Number of reports created in the 30 days before those.
    pub before: u64,
    /// Keys of the articles about the problem.
    pub articles: Vec<String>,
}

/// The response to a request for a list of problems.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProblemsResponse {
    /// List that was requested.
    pub list: ProblemList,
    /// Problems in the order of the list; ties ordered by the key of the head.
    pub problems: Vec<ListedProblem>,
    /// Total number of problems in the list.
    pub total: usize,
    /// Number of open reports in all of them.
    pub open: usize,
    /// Number of open reports that are new or changed and were not checked; they may belong to a
    /// problem as well.
    pub unscanned: u64,
    /// Keys of the sources whose releases are unknown.
    pub without_releases: Vec<String>,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}
