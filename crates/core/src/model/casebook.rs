//! The casebook as a whole: its sources, what imports and indexing did, what is wrong.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::duplicates::CalibrationReport;

/// How much of the casebook an arm can see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Coverage {
    /// Documents in the store.
    pub documents: u64,
    /// Documents that are in the full-text index as they are now, with all their comments.
    pub full_text: u64,
    /// Chunks that are to have a vector.
    pub chunks: u64,
    /// Chunks that have one.
    pub embedded: u64,
    /// Documents that have changed since they were divided into chunks: how many those will be is not known yet.
    pub unread: u64,
}

/// A mirrored project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SourceView {
    /// Human key: `acme/app`.
    pub key: String,
    /// The tracker's kind: `github`.
    pub kind: String,
    /// When it was added.
    pub added_at: Timestamp,
    /// When it last received something.
    pub changed_at: Option<Timestamp>,
    /// Issues held (without tombstones).
    pub issues: u64,
    /// Pull requests held.
    pub pull_requests: u64,
    /// Comments held.
    pub comments: u64,
    /// Wiki pages held.
    pub pages: u64,
    /// Comments the tracker counts that the mirror does not hold.
    pub missing_comments: u64,
    /// Comments whose item the mirror does not hold.
    pub orphan_comments: u64,
    /// Pairs of its issues that are known to be duplicates.
    pub known_duplicates: u64,
    /// How many of its reports with a known earlier duplicate its checks are calibrated on; none where they are not.
    pub calibrated_on: Option<u64>,
}

/// The casebook as a whole.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Status {
    /// The data folder.
    pub casebook: String,
    /// Its sources, by key.
    pub sources: Vec<SourceView>,
    /// How much the indexes cover.
    pub coverage: Coverage,
    /// The model that makes the vectors, or why there is none.
    pub model: ModelStatus,
    /// Bytes on disk: the database.
    pub database_bytes: u64,
    /// Bytes on disk: the full-text index.
    pub full_text_bytes: u64,
    /// Bytes on disk: the vectors.
    pub vector_bytes: u64,
    /// Why the casebook can only be read, if it can.
    pub read_only: Option<String>,
}

/// Whether search by meaning is possible.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ModelStatus {
    /// The model's name, if one is there.
    pub name: Option<String>,
    /// Why it cannot be used, and what to do about it.
    pub problem: Option<String>,
    /// The model whose vectors are being made beside those that answer, if there is one.
    pub next: Option<NextModel>,
}

/// A model that is to answer once its vectors are there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NextModel {
    /// Its name.
    pub name: String,
    /// Passages that its vectors are made of; 0 until that was looked at.
    pub chunks: u64,
    /// Those with a vector.
    pub embedded: u64,
}

/// A model that can answer, or could.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ModelView {
    /// Its name here.
    pub name: String,
    /// Whether it is the one that answers.
    pub answers: bool,
    /// Whether its vectors are being made.
    pub next: bool,
    /// Length of its vectors.
    pub dimensions: Option<usize>,
    /// Word pieces that it reads.
    pub max_tokens: Option<usize>,
    /// Bytes of its files on disk; none for the built-in one.
    pub bytes: Option<u64>,
    /// Passages of this casebook that have a vector of it.
    pub embedded: u64,
    /// Bytes of its vectors on disk.
    pub vector_bytes: u64,
    /// Why it cannot be used, if its card cannot be read.
    pub problem: Option<String>,
}

/// One record that an import could not use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Skip {
    /// The file, with the record's position: `issues.jsonl:17`.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ImportReport {
    /// The source's key.
    pub source: String,
    /// Files read.
    pub files: u64,
    /// Records that were not in the casebook before.
    pub new: u64,
    /// Records that differ from what was there.
    pub updated: u64,
    /// Those of them without any date: the later import counts, whichever is newer.
    pub undated: u64,
    /// Records that carry a date ahead of this computer's clock; it was cut to the time of the import.
    pub dated_ahead: u64,
    /// Records that were there already.
    pub unchanged: u64,
    /// Records older than what is there, left alone.
    pub stale: u64,
    /// Records that could not be used.
    pub skipped: u64,
    /// The first of them, up to [`ImportReport::MAX_SKIPS`].
    pub skips: Vec<Skip>,
    /// Items among the records.
    pub items: u64,
    /// Comments among the records.
    pub comments: u64,
    /// Wiki pages among the records.
    pub pages: u64,
}

impl ImportReport {
    /// How many skipped records are listed one by one.
    pub const MAX_SKIPS: usize = 50;

    /// Adds what another part of the import did.
    pub fn add(&mut self, other: Self) {
        self.files += other.files;
        self.new += other.new;
        self.updated += other.updated;
        self.undated += other.undated;
        self.dated_ahead += other.dated_ahead;
        self.unchanged += other.unchanged;
        self.stale += other.stale;
        self.skipped += other.skipped;
        self.items += other.items;
        self.comments += other.comments;
        self.pages += other.pages;
        self.skips.extend(other.skips);
        self.skips.truncate(Self::MAX_SKIPS);
    }
}

/// What bringing the indexes up to date did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct IndexReport {
    /// Documents written to the full-text index.
    pub documents: u64,
    /// Passages that received a vector.
    pub embedded: u64,
    /// Seconds until the full text was searchable.
    pub full_text_seconds: f64,
    /// Seconds for the vectors.
    pub vector_seconds: f64,
    /// Why there are no vectors, if the model could not be used.
    pub model_problem: Option<String>,
    /// Another process is at it already; nothing was done here.
    pub busy_elsewhere: bool,
    /// Sources whose known duplicates had something to teach; once there are all vectors.
    pub calibrated: Vec<CalibrationReport>,
}

/// An error as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Problem {
    /// What a consumer can act on.
    pub code: crate::error::Code,
    /// What happened.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl From<&crate::error::Error> for Problem {
    fn from(error: &crate::error::Error) -> Self {
        Self { code: error.code(), message: error.to_string(), hint: error.hint().map(str::to_owned) }
    }
}
