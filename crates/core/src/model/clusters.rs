//! Clusters of a backlog: groups of reports of the same problem.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A request for clusters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClustersRequest {
    /// Key of the only source to include; null for all sources.
    pub source: Option<String>,
    /// Lowest confidence that connects two reports without a verdict, 0..1.
    pub threshold: f32,
    /// Lowest number of reports in a cluster.
    pub min_size: usize,
    /// Maximum number of clusters; 0 means 20.
    pub limit: usize,
}

impl Default for ClustersRequest {
    /// Returns a request for all sources, with pairs from 0.5 and clusters of two or more.
    fn default() -> Self {
        Self { source: None, threshold: 0.5, min_size: 2, limit: 0 }
    }
}

/// A report with its canonical report and its candidates, as an input of clustering.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tie {
    /// Key of the report.
    pub key: String,
    /// Title of the report.
    pub title: String,
    /// URL on the tracker's website.
    pub url: Option<String>,
    /// `true` if the report is open.
    pub open: bool,
    /// Time of creation.
    pub created_at: Option<Timestamp>,
    /// Key of the report that this one is known to be a duplicate of, at the end of the chain.
    pub canonical: Option<String>,
    /// Earlier reports that may be duplicates, with their confidence, highest first.
    pub candidates: Vec<(String, f32)>,
}

/// A report of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClusterMember {
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
    /// `true` if a person or the tracker states that the report belongs to the cluster, or if it is
    /// the head.
    pub known: bool,
    /// Confidence that the report is a duplicate of the head, 0..1: the product of the confidences
    /// along the chain.
    pub confidence: f32,
    /// Key of the report that connects it to the cluster; null for the head.
    pub via: Option<String>,
}

/// The number of a cluster's reports created in one month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClusterMonth {
    /// Month: `2026-03`.
    pub month: String,
    /// Number of reports created in the month.
    pub reports: u64,
}

/// A group of reports that are known or likely to be the same problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Cluster {
    /// Representative report: the canonical one if known, otherwise the earliest.
    pub head: ClusterMember,
    /// Other reports, in order of creation.
    pub members: Vec<ClusterMember>,
    /// Number of reports including the head.
    pub size: usize,
    /// Number of open reports.
    pub open: usize,
    /// Words that most of the titles share, rarest first.
    pub words: Vec<String>,
    /// Reports by month, from the first to the last; the last 24 months at most.
    pub months: Vec<ClusterMonth>,
    /// Number of reports created in the last 30 days.
    pub recent: u64,
    /// Number of reports created in the 30 days before those.
    pub before: u64,
}

/// The response to a request for clusters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClustersResponse {
    /// Clusters with an open report, those with the most open reports first; ties ordered by the
    /// key of the head.
    pub clusters: Vec<Cluster>,
    /// Total number of clusters.
    pub total: usize,
    /// Number of open reports in all clusters.
    pub open: usize,
    /// Number of open reports that are new or changed and were not checked; they may belong to a
    /// cluster as well.
    pub unscanned: u64,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}
