//! Private notes: stored notes, drafts, and the check for similar notes before storing.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kind of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// A lesson learned.
    Lesson,
    /// A question worth following up.
    Curiosity,
    /// A claim to be tested.
    Thesis,
    /// An observation.
    Signal,
    /// A single event.
    Episode,
    /// A subject to keep an eye on.
    Watchpoint,
    /// A summary of other things.
    Summary,
    /// An article about a solved problem, for a knowledge base.
    Article,
}

impl NoteKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Lesson,
        Self::Curiosity,
        Self::Thesis,
        Self::Signal,
        Self::Episode,
        Self::Watchpoint,
        Self::Summary,
        Self::Article,
    ];

    /// Returns the name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lesson => "lesson",
            Self::Curiosity => "curiosity",
            Self::Thesis => "thesis",
            Self::Signal => "signal",
            Self::Episode => "episode",
            Self::Watchpoint => "watchpoint",
            Self::Summary => "summary",
            Self::Article => "article",
        }
    }

    /// Returns whether similar notes are searched for before storing a note of this kind. The other
    /// kinds record events, which may repeat.
    pub fn is_checked(self) -> bool {
        matches!(self, Self::Lesson | Self::Curiosity | Self::Article)
    }
}

/// The lifecycle state of a note.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// The note is in use.
    #[default]
    Active,
    /// The note is no longer of use, but kept; it is still searched and compared.
    Archived,
}

impl Lifecycle {
    /// Returns the name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archived => "archived",
        }
    }
}

/// A note to store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteDraft {
    /// Kind of the note.
    pub kind: NoteKind,
    /// Title; must not be empty.
    pub title: String,
    /// Text (Markdown); must not be empty.
    pub body: String,
    /// Tags for finding the note.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Keys of items, pages and notes to attach the note to.
    #[serde(default)]
    pub attach: Vec<String>,
    /// `true` to store the note even if a duplicate exists.
    #[serde(default)]
    pub force: bool,
}

/// A change to a note; omitted fields stay unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoteChange {
    /// New title; null to keep it.
    pub title: Option<String>,
    /// New text (Markdown); null to keep it.
    pub body: Option<String>,
    /// New tags, replacing all existing ones; null to keep them.
    pub tags: Option<Vec<String>>,
    /// New lifecycle state; null to keep it.
    pub lifecycle: Option<Lifecycle>,
    /// Keys of further items, pages and notes to attach the note to; existing attachments stay.
    pub attach: Vec<String>,
}

/// A private note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    /// Key of the note: `note#12`.
    pub key: String,
    /// Kind of the note.
    pub kind: NoteKind,
    /// Title of the note.
    pub title: String,
    /// Text of the note (Markdown).
    pub body: String,
    /// Tags for finding the note.
    pub tags: Vec<String>,
    /// Lifecycle state of the note.
    pub lifecycle: Lifecycle,
    /// Keys of the connected items, pages and notes.
    pub connected: Vec<String>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// A note with the same or nearly the same content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoteMatch {
    /// Key of the note.
    pub id: String,
    /// Title of the note.
    pub title: String,
    /// Kind of the note.
    pub kind: NoteKind,
    /// Lifecycle state of the note.
    pub lifecycle: Lifecycle,
    /// Cosine similarity of the two notes, 0..1; 1 for identical words.
    pub similarity: f32,
    /// `true` if the notes are identical word for word.
    pub exact: bool,
    /// Differences between notes that read alike: numbers, versions, codes, a negation.
    pub differs: Vec<String>,
}

/// The recommended action after a check for similar notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// A duplicate exists; do not store the note.
    DuplicateFound,
    /// A similar note exists; connect the two.
    SimilarFound,
    /// No similar note exists.
    Unique,
}

/// The result of a check for similar notes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimilarNotes {
    /// Notes of the same kind with the same or nearly the same content, most similar first; ties
    /// ordered by key.
    pub matches: Vec<NoteMatch>,
    /// Recommended action.
    pub recommendation: Recommendation,
    /// Reason why the check was incomplete; null if it was complete.
    pub warning: Option<String>,
}

/// The outcome of storing a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteOutcome {
    /// The note was stored.
    Stored,
    /// The note was stored and connected with similar notes.
    Connected,
    /// The note was not stored because a duplicate exists.
    Duplicate,
}

/// The response to a request to store a note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NoteAnswer {
    /// Outcome of the request.
    pub outcome: NoteOutcome,
    /// The stored note, or the existing one for a duplicate.
    pub note: Note,
    /// Notes of the same kind with the same or nearly the same content.
    pub matches: Vec<NoteMatch>,
    /// Reason why the check for similar notes was incomplete, in which case the note is stored
    /// regardless; null if it was complete.
    pub warning: Option<String>,
}
