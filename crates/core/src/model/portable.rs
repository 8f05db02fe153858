//! Portable files: a casebook exported to one file.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The contents of an exported casebook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CasebookContents {
    /// Keys of the sources.
    pub sources: Vec<String>,
    /// Number of issues, pull requests and wiki pages, including those deleted on the tracker.
    pub documents: u64,
    /// Number of comments.
    pub comments: u64,
    /// Number of verdicts about pairs of reports.
    pub verdicts: u64,
    /// Number of private notes; 0 unless they were requested.
    pub notes: u64,
}

/// The result of importing a portable file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PortableImport {
    /// Contents that were imported.
    #[serde(flatten)]
    pub contents: CasebookContents,
    /// Rows that were not imported or were corrected, with reasons, one sentence each.
    pub left_out: Vec<String>,
}

impl PortableImport {
    /// The prefix of a sentence about a row that was imported after a correction.
    pub const CORRECTED: &str = "Corrected: ";
}

/// The manifest of a portable file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Manifest {
    /// Format version of the file; newer versions are refused.
    pub format: u32,
    /// Program and version that wrote the file: `precedent 0.1.0`.
    pub made_by: String,
    /// Time of the export.
    pub made_at: Timestamp,
    /// Size of the unpacked database in bytes.
    pub database_bytes: u64,
    /// Contents of the file.
    pub contents: CasebookContents,
}

/// The result of an export to a portable file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExportResult {
    /// Path of the file.
    pub file: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Contents of the file.
    #[serde(flatten)]
    pub contents: CasebookContents,
}

/// The result of restoring a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct RestoreResult {
    /// Path of the backup.
    pub file: String,
    /// Path where the replaced data is kept; null if there was none.
    pub kept: Option<String>,
    /// Contents of the restored casebook.
    #[serde(flatten)]
    pub contents: CasebookContents,
}

/// The result of a backup.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Backup {
    /// Path of the file.
    pub file: String,
    /// Size of the file in bytes.
    pub bytes: u64,
}
