//! Private notes: what is stored, and what a look for the same before storing says.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a note is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// Something that was learnt.
    Lesson,
    /// A question worth following.
    Curiosity,
    /// A claim to be tested.
    Thesis,
    /// Something that was observed.
    Signal,
    /// What happened, once.
    Episode,
    /// What to keep an eye on.
    Watchpoint,
    /// A summary of other things.
    Summary,
}

impl NoteKind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Lesson,
        Self::Curiosity,
        Self::Thesis,
        Self::Signal,
        Self::Episode,
        Self::Watchpoint,
        Self::Summary,
    ];

    /// The name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Lesson => "lesson",
            Self::Curiosity => "curiosity",
            Self::Thesis => "thesis",
            Self::Signal => "signal",
            Self::Episode => "episode",
            Self::Watchpoint => "watchpoint",
            Self::Summary => "summary",
        }
    }

    /// Reads what [`NoteKind::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == text)
    }

    /// Whether the same is looked for before a note of this kind is stored. The others record moments, and moments
    /// repeat.
    pub fn is_checked(self) -> bool {
        matches!(self, Self::Lesson | Self::Curiosity)
    }
}

/// Where a note is in its life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// In use.
    #[default]
    Active,
    /// Kept, and no longer of use; it is still found and compared with.
    Archived,
}

impl Lifecycle {
    /// The name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Archived => "archived",
        }
    }

    /// Reads what [`Lifecycle::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Active, Self::Archived].into_iter().find(|l| l.as_str() == text)
    }
}

/// A note to be stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoteDraft {
    /// What it is.
    pub kind: NoteKind,
    /// Its title; must not be empty.
    pub title: String,
    /// Its text, Markdown; must not be empty.
    pub body: String,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Keys of the items, pages and notes that it belongs to.
    #[serde(default)]
    pub attach: Vec<String>,
    /// Store it even if the same is there already.
    #[serde(default)]
    pub force: bool,
}

/// What is to change about a note; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NoteChange {
    /// Its title.
    pub title: Option<String>,
    /// Its text.
    pub body: Option<String>,
    /// Its tags, all of them.
    pub tags: Option<Vec<String>>,
    /// Where it is in its life.
    pub lifecycle: Option<Lifecycle>,
    /// Keys that it belongs to from now on, beside those it belongs to already.
    pub attach: Vec<String>,
}

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Note {
    /// Human key: `note#12`.
    pub key: String,
    /// What it is.
    pub kind: NoteKind,
    /// Its title.
    pub title: String,
    /// Its text, Markdown.
    pub body: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// What it is connected with, by key.
    pub connected: Vec<String>,
    /// When it was stored.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A note that says the same as another, or nearly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NoteMatch {
    /// Its key.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What it is.
    pub kind: NoteKind,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// Cosine of the two, 0..1; 1 for the same words.
    pub similarity: f32,
    /// Whether it is the same, word for word.
    pub exact: bool,
    /// What the two do not agree on, although they read alike: numbers, versions, codes, a negation.
    pub differs: Vec<String>,
}

/// What to do about a note, after a look for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    /// It is there already.
    DuplicateFound,
    /// There is one to connect it with.
    SimilarFound,
    /// There is none like it.
    Unique,
}

/// What a look for the same found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SimilarNotes {
    /// Notes of the same kind that say the same or nearly, nearest first; ties by key.
    pub matches: Vec<NoteMatch>,
    /// What to do.
    pub recommendation: Recommendation,
    /// Why the look was incomplete, if it was.
    pub warning: Option<String>,
}

/// What became of a note that was to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoteOutcome {
    /// Stored.
    Stored,
    /// Stored, and connected with what is nearly the same.
    Connected,
    /// Not stored: it is there already.
    Duplicate,
}

/// The answer to a note that was to be stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NoteAnswer {
    /// What became of it.
    pub outcome: NoteOutcome,
    /// The note that was stored, or for a duplicate the one that is there.
    pub note: Note,
    /// Notes of the same kind that say the same or nearly.
    pub matches: Vec<NoteMatch>,
    /// Why the look for the same was incomplete, if it was: the note is stored all the same.
    pub warning: Option<String>,
}
