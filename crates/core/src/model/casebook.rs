//! The casebook as a whole: its sources, index coverage, import and index reports.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::duplicates::CalibrationReport;
use crate::Hint;

/// The coverage of the casebook by the indexes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Number of documents in the store.
    pub documents: u64,
    /// Number of documents whose current text, with all comments, is in the full-text index.
    pub full_text: u64,
    /// Number of chunks that should have a vector.
    pub chunks: u64,
    /// Number of chunks that have a vector.
    pub embedded: u64,
    /// Number of documents that changed since they were divided into chunks; the number of their
    /// new chunks is not known yet.
    pub unread: u64,
}

/// A mirrored project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SourceView {
    /// Key of the source: `acme/app`.
    pub key: String,
    /// Kind of the tracker: `github`.
    pub kind: String,
    /// Time at which the source was added.
    pub added_at: Timestamp,
    /// Time at which the source last received data; null if never.
    pub changed_at: Option<Timestamp>,
    /// Number of issues held, without tombstones.
    pub issues: u64,
    /// Number of pull requests held.
    pub pull_requests: u64,
    /// Number of comments held.
    pub comments: u64,
    /// Number of wiki pages held.
    pub pages: u64,
    /// Number of comments that the tracker counts but the mirror does not hold.
    pub missing_comments: u64,
    /// Number of comments whose item the mirror does not hold.
    pub orphan_comments: u64,
    /// Number of pairs of its issues that are known to be duplicates.
    pub known_duplicates: u64,
    /// Number of its reports with a known earlier duplicate that its calibration is based on; null
    /// without a calibration.
    pub calibrated_on: Option<u64>,
}

/// The state of the casebook.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Status {
    /// Path of the data folder.
    pub casebook: String,
    /// Sources, ordered by key.
    pub sources: Vec<SourceView>,
    /// Coverage of the casebook by the indexes.
    pub coverage: Coverage,
    /// Embedding model, or the reason why there is none.
    pub model: ModelStatus,
    /// Size of the database on disk in bytes.
    pub database_bytes: u64,
    /// Size of the full-text index on disk in bytes.
    pub full_text_bytes: u64,
    /// Size of the vectors on disk in bytes.
    pub vector_bytes: u64,
    /// Reason why the casebook is read-only; null if it is writable.
    pub read_only: Option<String>,
}

/// The availability of semantic search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelStatus {
    /// Name of the model; null without one.
    pub name: Option<String>,
    /// Reason why the model cannot be used, and the remedy; null if it can be used.
    pub problem: Option<Hint>,
    /// The model whose vectors are being computed while the current one is in use; null if there is
    /// none.
    pub next: Option<NextModel>,
}

/// A model that replaces the current one once its vectors are computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NextModel {
    /// Name of the model.
    pub name: String,
    /// Number of passages that need a vector; 0 until they are counted.
    pub chunks: u64,
    /// Number of passages that have a vector.
    pub embedded: u64,
}

/// An installed or built-in embedding model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ModelView {
    /// Local name of the model.
    pub name: String,
    /// `true` if this is the model in use.
    pub answers: bool,
    /// `true` if its vectors are being computed.
    pub next: bool,
    /// Number of dimensions of its vectors; null if unknown.
    pub dimensions: Option<usize>,
    /// Maximum input length in tokens; null if unknown.
    pub max_tokens: Option<usize>,
    /// Size of its files on disk in bytes; null for the built-in model.
    pub bytes: Option<u64>,
    /// Number of passages of this casebook that have a vector of this model.
    pub embedded: u64,
    /// Size of its vectors on disk in bytes.
    pub vector_bytes: u64,
    /// Reason why the model cannot be used if its card is unreadable; null otherwise.
    pub problem: Option<Hint>,
}

/// A record that an import skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Skip {
    /// File and position of the record: `issues.jsonl:17`.
    pub place: String,
    /// Reason for skipping the record.
    pub reason: String,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ImportReport {
    /// Key of the source.
    pub source: String,
    /// Number of files read.
    pub files: u64,
    /// Number of new records.
    pub new: u64,
    /// Number of records that differ from the stored ones.
    pub updated: u64,
    /// Number of updated records without any date; for these the later import wins, even if its
    /// record is older.
    pub undated: u64,
    /// Number of records with a date ahead of this computer's clock; the date was cut to the time
    /// of the import.
    pub dated_ahead: u64,
    /// Number of records that were already stored unchanged.
    pub unchanged: u64,
    /// Number of records older than the stored ones, which are ignored.
    pub stale: u64,
    /// Number of records that could not be used.
    pub skipped: u64,
    /// First skipped records, up to [`ImportReport::MAX_SKIPS`] (50).
    pub skips: Vec<Skip>,
    /// Number of items among the records.
    pub items: u64,
    /// Number of comments among the records.
    pub comments: u64,
    /// Number of wiki pages among the records.
    pub pages: u64,
}

impl ImportReport {
    /// The maximum number of skipped records that are listed.
    pub const MAX_SKIPS: usize = 50;

    /// Adds the counts of another part of the import.
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

/// The result of updating the indexes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IndexReport {
    /// Number of documents written to the full-text index.
    pub documents: u64,
    /// Number of passages that received a vector.
    pub embedded: u64,
    /// Seconds until the full text was searchable.
    pub full_text_seconds: f64,
    /// Seconds for computing the vectors.
    pub vector_seconds: f64,
    /// Reason why no vectors were computed; null if the model could be used.
    pub model_problem: Option<Hint>,
    /// `true` if another process is already updating the indexes; nothing was done.
    pub busy_elsewhere: bool,
    /// Calibrations of sources with known duplicates; empty until all vectors are computed.
    pub calibrated: Vec<CalibrationReport>,
    /// Number of changed documents in a language other than English.
    #[serde(skip)]
    pub foreign: u64,
}
