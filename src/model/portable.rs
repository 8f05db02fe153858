//! A casebook in one file, to hand over.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What of a casebook travels.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// What a portable file says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Exported {
    /// Where it is.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// What is in it.
    #[serde(flatten)]
    pub contents: Carried,
}

/// A copy of a database that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Backup {
    /// Where it is.
    pub file: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// A copy of a database that was put in the place of a casebook's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Restored {
    /// The copy.
    pub file: String,
    /// The casebook's folder.
    pub casebook: String,
    /// Where the database is that was there before; none where there was none.
    pub kept: Option<String>,
    /// What the casebook holds now.
    #[serde(flatten)]
    pub contents: Carried,
}
