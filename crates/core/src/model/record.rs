//! What trackers say, as records that the store applies.

use super::{DocKind, State};
use jiff::Timestamp;

/// The largest number that an item may have: the largest whole number that JSON keeps everywhere.
pub const MAX_NUMBER: u64 = (1 << 53) - 1;

/// The item's number that a text is; `None` if it is none.
pub fn item_number(text: &str) -> Option<u64> {
    text.parse().ok().filter(|n| (1..=MAX_NUMBER).contains(n))
}

/// Returns whether a text can be a source's key: `owner/name`. Keys without an owner are reserved.
pub fn is_source_key(key: &str) -> bool {
    let good = |part: &str| {
        !part.is_empty()
            && part.len() <= 100
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    key.contains('/') && key.split('/').all(good)
}

/// A key as its source and its number: `acme/app#12`, `#12`; `None` if it does not end in a number.
pub fn split_key(key: &str) -> Option<(&str, u64)> {
    let (source, number) = key.rsplit_once('#')?;
    Some((source, item_number(number)?))
}

/// The author of a record, as the tracker says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Author {
    /// The login; missing where the account is gone.
    pub login: Option<String>,
    /// Whether it is a bot.
    pub bot: bool,
    /// `MEMBER`, `CONTRIBUTOR`, `NONE`, …; [`ANSWER`] for who wrote the accepted answer, [`INTERNAL`] of a comment that
    /// the staff alone may read.
    pub association: Option<String>,
}

/// The record a tracker sent, as it was and as a fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Raw {
    /// The bytes as they came; compressed by the store.
    pub bytes: Vec<u8>,
    /// BLAKE3 of the bytes, first 16 bytes.
    pub hash: [u8; 16],
}

impl Raw {
    /// Takes the bytes of a record.
    pub fn new(bytes: Vec<u8>) -> Self {
        let mut hash = [0; 16];
        hash.copy_from_slice(&blake3::hash(&bytes).as_bytes()[..16]);
        Self { bytes, hash }
    }
}

/// What a tracker says about a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentRecord {
    /// The repository that the record names (`owner/name`), if it names one.
    pub repository: Option<String>,
    /// What it is.
    pub kind: DocKind,
    /// The item's number; pages have none.
    pub number: Option<u64>,
    /// The page's name as in its address (`Upgrade-to-3`); items have none.
    pub slug: Option<String>,
    /// The tracker's own id.
    pub remote_id: Option<String>,
    /// The title.
    pub title: String,
    /// The text as written.
    pub body: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Open, closed or merged; pages have none.
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    /// Who reported it.
    pub author: Author,
    /// Label names.
    pub labels: Vec<String>,
    /// The milestone's title.
    pub milestone: Option<String>,
    /// Whether the conversation is locked.
    pub locked: bool,
    /// How many comments the tracker counts.
    pub comment_count: u64,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// When it was merged.
    pub merged_at: Option<Timestamp>,
    /// The record itself.
    pub raw: Raw,
}

impl DocumentRecord {
    /// The human key within a source.
    pub fn key(&self, source: &str) -> String {
        match (self.number, &self.slug) {
            (Some(number), _) => format!("{source}#{number}"),
            (None, slug) => format!("{source}:{}", slug.as_deref().unwrap_or_default()),
        }
    }
}

/// In front of the ids of comments that were made beside the lines of a pull request: they count on their own, and the
/// tracker's count of comments leaves them out.
pub const REVIEW_PREFIX: &str = "r";

/// The [`Author::association`] of a comment that the tracker itself marks as the accepted answer: of a GitHub discussion, of a
/// Discourse topic.
pub const ANSWER: &str = "ANSWER";

/// The [`Author::association`] of a comment that its tracker shows to the staff alone.
pub const INTERNAL: &str = "PRIVATE";

impl Author {
    /// Returns whether the tracker shows the comment to the staff alone.
    pub fn is_internal(&self) -> bool {
        self.association.as_deref() == Some(INTERNAL)
    }
}

/// What a tracker says about a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommentRecord {
    /// The repository that the record names (`owner/name`), if it names one.
    pub repository: Option<String>,
    /// The number of the item it belongs to.
    pub number: u64,
    /// The tracker's own id.
    pub remote_id: String,
    /// Who wrote it.
    pub author: Author,
    /// The text as written.
    pub body: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last edited.
    pub updated_at: Timestamp,
    /// The record itself.
    pub raw: Raw,
}

/// A record of either kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// An issue, pull request or page.
    Document(Box<DocumentRecord>),
    /// A comment.
    Comment(Box<CommentRecord>),
}

impl Record {
    /// The repository that the record names, if it names one.
    pub fn repository(&self) -> Option<&str> {
        match self {
            Self::Document(d) => d.repository.as_deref(),
            Self::Comment(c) => c.repository.as_deref(),
        }
    }
}
