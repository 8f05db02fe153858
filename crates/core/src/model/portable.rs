//! A casebook in one file, to hand over.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What of a casebook travels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Carried {
    /// The sources, by key.
    pub sources: Vec<String>,
    /// Issues, pull requests and wiki pages, with those that the trackers no longer have.
    pub documents: u64,
    /// Their comments.
    pub comments: u64,
    /// Decisions about pairs of reports.
    pub verdicts: u64,
    /// Private notes; none unless they were asked for.
    pub notes: u64,
}

/// What was taken over of a portable file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Taken {
    /// What came over.
    #[serde(flatten)]
    pub contents: Carried,
    /// What did not, and why, in sentences.
    pub left_out: Vec<String>,
}

impl Taken {
    /// In front of a sentence about a row that came over after it was corrected.
    pub const CORRECTED: &str = "Corrected: ";
}

/// What a portable file says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Manifest {
    /// Of the file; a higher one is refused.
    pub format: u32,
    /// What wrote it: `precedent 0.1.0`.
    pub made_by: String,
    /// When it was written.
    pub made_at: Timestamp,
    /// Bytes of the database when it is unpacked.
    pub database_bytes: u64,
    /// What is in it.
    pub contents: Carried,
}

/// A portable file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Exported {
    /// Where it is.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// What is in it.
    #[serde(flatten)]
    pub contents: Carried,
}

/// A casebook that went back to a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Restored {
    /// The copy.
    pub file: String,
    /// Where what was here before is kept; none if there was nothing.
    pub kept: Option<String>,
    /// What is here now.
    #[serde(flatten)]
    pub contents: Carried,
}

/// A copy of a database that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Backup {
    /// Where it is.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
}
