//! Clusters of a backlog: reports that are known or thought to be one.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A question for clusters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClustersRequest {
    /// Only this source.
    pub source: Option<String>,
    /// The confidence that ties two reports together which nobody decided about, 0..1.
    pub threshold: f32,
    /// The fewest reports of a cluster that is shown.
    pub min_size: usize,
    /// At most this many clusters; 0 stands for 20.
    pub limit: usize,
}

impl Default for ClustersRequest {
    /// In all sources, what is worth a look: pairs from 0.5, clusters of two and more.
    fn default() -> Self {
        Self { source: None, threshold: 0.5, min_size: 2, limit: 0 }
    }
}

/// A report and what it is tied to, earlier or known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tie {
    /// The report's key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Whether it is open.
    pub open: bool,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// The report that it is known to be a duplicate of, at the end of the chain.
    pub canonical: Option<String>,
    /// Earlier reports that may be the same, with their confidence, the surest first.
    pub candidates: Vec<(String, f32)>,
}

/// A report of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClusterMember {
    /// The report's key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Whether it is open.
    pub open: bool,
    /// When it was made.
    pub created_at: Option<Timestamp>,
    /// Whether a person or the tracker says that it belongs here, or it is the head.
    pub known: bool,
    /// How sure it is that it is a duplicate of the head, 0..1: along a chain the product of its parts.
    pub confidence: f32,
    /// The report that ties it to the cluster; none for the head.
    pub via: Option<String>,
}

/// How many of a cluster's reports were made in a month.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClusterMonth {
    /// `2026-03`.
    pub month: String,
    /// Reports that were made in it.
    pub reports: u64,
}

/// Reports that are known or thought to be one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Cluster {
    /// The report that stands for all: the one that stays where that is known, else the earliest.
    pub head: ClusterMember,
    /// The others, in the order in which they were made.
    pub members: Vec<ClusterMember>,
    /// Reports in all, the head included.
    pub size: usize,
    /// Those that are open.
    pub open: usize,
    /// Words that most of the titles share, the rarest first.
    pub words: Vec<String>,
    /// Reports by month, from the first to the last, the last 24 at most.
    pub months: Vec<ClusterMonth>,
    /// Reports of the last 30 days.
    pub recent: u64,
    /// Reports of the 30 days before those.
    pub before: u64,
}

/// Clusters of a backlog.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ClustersResponse {
    /// Those with an open report, the most open reports first; ties in the order of their heads' keys.
    pub clusters: Vec<Cluster>,
    /// How many there are in all.
    pub total: usize,
    /// Open reports in them.
    pub open: usize,
    /// Open reports that are new or changed and were not checked, so that they may belong to one too.
    pub unscanned: u64,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}
