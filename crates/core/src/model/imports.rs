//! The detected content of imported files, and the undoing of an import.

use serde::{Deserialize, Serialize};

use super::{ImportReport, Skip, State};
use crate::Hint;

/// A request to import files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImportRequest {
    /// Paths of files, archives and folders.
    pub paths: Vec<std::path::PathBuf>,
    /// Key of the source to import into; null to use the projects that the files name.
    pub source: Option<String>,
    /// Mapping for tables: pairs of a field and a column, and the meaning of words and dates.
    pub map: Vec<(String, String)>,
}

/// A column of a table, or an unused field of records.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ColumnView {
    /// Name of the column.
    pub column: String,
    /// Field that the column provides; null if it is not used.
    pub field: Option<String>,
    /// `true` if the field was guessed from the contents of the column.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed: bool,
    /// Number of characters in an unused field of a record; absent for tables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub characters: Option<u64>,
}

/// The part of an import that goes into one source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ShareView {
    /// Key of the source.
    pub source: String,
    /// Number of items and pages.
    pub items: u64,
    /// Number of comments.
    pub comments: u64,
}

/// A preview of an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ItemPreview {
    /// Key of the item.
    pub key: String,
    /// Title of the item.
    pub title: String,
    /// State of the item; null if unknown.
    pub state: Option<State>,
    /// Creation time; null if unknown.
    pub created_at: Option<jiff::Timestamp>,
    /// Names of the labels.
    pub labels: Vec<String>,
}

/// The detected format and content of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FileView {
    /// Name of the file, or its name in the archive.
    pub file: String,
    /// Detected format: `Jira CSV`.
    pub kind: String,
    /// Text encoding; null for UTF-8.
    pub encoding: Option<String>,
    /// Columns of a table in their order, or the unused fields of records, longest text first.
    pub columns: Vec<ColumnView>,
    /// Number of items.
    pub items: u64,
    /// Number of comments.
    pub comments: u64,
    /// Number of wiki pages.
    pub pages: u64,
    /// Number of links between items.
    pub links: u64,
    /// Number of releases, in a changelog or a list of releases.
    pub releases: u64,
    /// Sources that the content goes into.
    pub sources: Vec<ShareView>,
    /// `true` if a source is named after the file because its records name no project.
    #[serde(skip)]
    pub loose: bool,
    /// Number of records that cannot be used.
    pub skipped: u64,
    /// First skipped records.
    pub skips: Vec<Skip>,
    /// First three items.
    pub first: Vec<ItemPreview>,
    /// Doubts about the detected format.
    pub doubts: Vec<Hint>,
}

/// The detected content of the files of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DetectedFiles {
    /// Files with content to import.
    pub understood: Vec<FileView>,
    /// Files of a folder or archive without content to import, with reasons.
    pub left_out: Vec<Skip>,
}

/// The result of importing files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ImportResult {
    /// Result for the records.
    #[serde(flatten)]
    pub report: ImportReport,
    /// Sources that received data, with what was read for each.
    pub sources: Vec<ShareView>,
    /// Detected content of the files.
    #[serde(flatten)]
    pub files_read: DetectedFiles,
}

/// The result of undoing the last import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct UndoReport {
    /// Paths of the import as given by the user.
    pub paths: String,
    /// Start time of the import.
    pub began_at: jiff::Timestamp,
    /// Keys of the sources that the import created and the undo removed.
    pub sources: Vec<String>,
    /// Number of items and pages removed.
    pub documents: u64,
    /// Number of comments removed.
    pub comments: u64,
    /// Number of records restored to their previous content.
    pub restored: u64,
    /// Number of records that changed since the import and stay as they are.
    pub kept: u64,
}
