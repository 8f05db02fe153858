//! What files hold that are imported, as it was understood.

use serde::{Deserialize, Serialize};

use super::{ImportReport, Skip, State};

/// What is to be imported, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ImportRequest {
    /// Files, archives and folders.
    pub paths: Vec<std::path::PathBuf>,
    /// The source to import into; without it, what the files name.
    pub source: Option<String>,
    /// What the person says of tables: pairs of a field and a column, and of what words and dates mean.
    pub map: Vec<(String, String)>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ColumnView {
    /// Its name.
    pub column: String,
    /// What it gives; nothing if it is not used.
    pub field: Option<String>,
}

/// What goes into a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ShareView {
    /// The source's key.
    pub source: String,
    /// Items and pages.
    pub items: u64,
    /// Comments.
    pub comments: u64,
}

/// An item, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct GlimpseView {
    /// Its key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Its state.
    pub state: Option<State>,
    /// When it was created.
    pub created_at: Option<jiff::Timestamp>,
    /// Its labels.
    pub labels: Vec<String>,
}

/// What a file was understood to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FileView {
    /// Its name; of a file in an archive the name there.
    pub file: String,
    /// What it is: `Jira CSV`.
    pub kind: String,
    /// What it is written in, if that is not UTF-8.
    pub encoding: Option<String>,
    /// The columns of a table, in their order.
    pub columns: Vec<ColumnView>,
    /// Items in it.
    pub items: u64,
    /// Comments in it.
    pub comments: u64,
    /// Wiki pages in it.
    pub pages: u64,
    /// Links between items in it.
    pub links: u64,
    /// What of it goes where.
    pub sources: Vec<ShareView>,
    /// Whether a source is named after the file, because its records name no project.
    #[serde(skip)]
    pub loose: bool,
    /// Records that cannot be used.
    pub skipped: u64,
    /// The first of them.
    pub skips: Vec<Skip>,
    /// The first three items.
    pub first: Vec<GlimpseView>,
    /// What is doubtful about how it is read.
    pub doubts: Vec<String>,
}

/// What an import of files is, or was, about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Understood {
    /// The files that hold something.
    pub understood: Vec<FileView>,
    /// Files of a folder or an archive that hold nothing to import, and why.
    pub left_out: Vec<Skip>,
}

/// What an import of files did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Imported {
    /// What became of the records.
    #[serde(flatten)]
    pub report: ImportReport,
    /// The sources that received something, with what was read for each.
    pub sources: Vec<ShareView>,
    /// How the files were understood.
    #[serde(flatten)]
    pub files_read: Understood,
}

/// What taking back the last import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Undone {
    /// What was imported then, as it was named.
    pub paths: String,
    /// When.
    pub began_at: jiff::Timestamp,
    /// Sources that the import made and that are gone.
    pub sources: Vec<String>,
    /// Items and pages that are gone.
    pub documents: u64,
    /// Comments that are gone.
    pub comments: u64,
    /// Records that are as they were before.
    pub restored: u64,
    /// Records that changed since and stay.
    pub kept: u64,
}
