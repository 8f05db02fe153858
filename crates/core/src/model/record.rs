//! The records of trackers, as the store applies them.

use super::{DocKind, State};
use jiff::Timestamp;

/// The largest item number: the largest integer that every JSON implementation represents exactly.
pub const MAX_NUMBER: u64 = (1 << 53) - 1;

/// Parses an item number; `None` if the text is not one.
pub fn item_number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|n| (1..=MAX_NUMBER).contains(n))
}

/// Returns whether a text is a valid source key: `owner/name`. Keys without an owner are reserved.
pub fn is_source_key(key: &str) -> bool {
    let is_valid = |part: &str| {
        !part.is_empty()
            && part.len() <= 100
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    key.contains('/') && key.split('/').all(is_valid)
}

/// Splits a key (`acme/app#12`, `#12`) into its source and its number; `None` if it does not end in
/// a number.
pub fn split_key(key: &str) -> Option<(&str, u64)> {
    let (source, number) = key.rsplit_once('#')?;
    Some((source, item_number(number)?))
}

/// The author of a record, as given by the tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// Login; `None` if the account no longer exists.
    pub login: Option<String>,
    /// `true` for a bot.
    pub bot: bool,
    /// Association with the project: `MEMBER`, `CONTRIBUTOR`, `NONE`, …; [`ANSWER`] for the author
    /// of the accepted answer, [`INTERNAL`] for a comment that only staff may read.
    pub association: Option<String>,
}

/// The original record that a tracker sent, with its hash.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Raw {
    /// Bytes as received; the store compresses them.
    pub bytes: Vec<u8>,
    /// First 16 bytes of the BLAKE3 hash of `bytes`.
    pub hash: [u8; 16],
}

impl Raw {
    /// Creates a raw record and computes its hash.
    pub fn new(bytes: Vec<u8>) -> Self {
        let mut hash = [0; 16];
        hash.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
        Self { bytes, hash }
    }
}

/// A document as given by a tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the other fields say what they are")]
pub struct DocumentRecord {
    /// Repository that the record names (`owner/name`); `None` if it names none.
    pub repository: Option<String>,
    pub kind: DocKind,
    /// Number of the item; `None` for pages.
    pub number: Option<u64>,
    /// Name of the page as in its URL (`Upgrade-to-3`); `None` for items.
    pub slug: Option<String>,
    /// Tracker's own id.
    pub remote_id: Option<String>,
    pub title: String,
    /// Text as written.
    pub body: String,
    /// URL on the tracker's website.
    pub url: Option<String>,
    /// State: open, closed or merged; `None` for pages.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker.
    pub state_reason: Option<String>,
    pub author: Author,
    pub labels: Vec<String>,
    pub milestone: Option<String>,
    /// `true` if the conversation is locked.
    pub locked: bool,
    /// Number of comments according to the tracker.
    pub comment_count: u64,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub closed_at: Option<Timestamp>,
    pub merged_at: Option<Timestamp>,
    pub raw: Raw,
}

impl DocumentRecord {
    /// Returns the document's key within a source.
    pub fn key(&self, source: &str) -> String {
        match (self.number, &self.slug) {
            (Some(number), _) => format!("{source}#{number}"),
            (None, slug) => format!("{source}:{}", slug.as_deref().unwrap_or_default()),
        }
    }
}

/// The prefix of the ids of review comments on lines of a pull request. Their ids are a separate
/// sequence, and the tracker's comment count excludes them.
pub const REVIEW_PREFIX: &str = "r";

/// The [`Author::association`] of the accepted answer in a GitHub discussion or a Discourse topic.
pub const ANSWER: &str = "ANSWER";

/// The [`Author::association`] of a comment that the tracker shows only to staff.
pub const INTERNAL: &str = "PRIVATE";

impl Author {
    /// Returns whether the tracker shows the comment only to staff.
    pub fn is_internal(&self) -> bool {
        self.association.as_deref() == Some(INTERNAL)
    }
}

/// A comment as given by a tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the other fields say what they are")]
pub struct CommentRecord {
    /// Repository that the record names (`owner/name`); `None` if it names none.
    pub repository: Option<String>,
    /// Number of the item that the comment belongs to.
    pub number: u64,
    /// Tracker's own id.
    pub remote_id: String,
    pub author: Author,
    pub body: String,
    pub url: Option<String>,
    pub created_at: Timestamp,
    /// Time of the last edit.
    pub updated_at: Timestamp,
    pub raw: Raw,
}

impl From<DocumentRecord> for Record {
    fn from(document: DocumentRecord) -> Self {
        Self::Document(Box::new(document))
    }
}

impl From<CommentRecord> for Record {
    fn from(comment: CommentRecord) -> Self {
        Self::Comment(Box::new(comment))
    }
}

/// A document or comment record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An issue, pull request or page.
    Document(Box<DocumentRecord>),
    /// A comment.
    Comment(Box<CommentRecord>),
}

impl Record {
    /// Returns the repository that the record names, if any.
    pub fn repository(&self) -> Option<&str> {
        match self {
            Self::Document(d) => d.repository.as_deref(),
            Self::Comment(c) => c.repository.as_deref(),
        }
    }
}
