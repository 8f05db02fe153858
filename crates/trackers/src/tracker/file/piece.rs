//! The parsed contents of file records.

use jiff::Timestamp;

use crate::tracker::identity::Identity;
use precedent_core::model::{
    Author, CommentRecord, DocKind, DocumentRecord, INTERNAL, Raw, Record, ReleaseRecord, State,
};

/// A relation between two items, as the file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// The first is a duplicate of the second.
    DuplicateOf,
    /// The items are related.
    RelatesTo,
}

/// A part of a record's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// An item, page or comment.
    Record(Record),
    /// A link between two items; items without a project belong to that of the file.
    Link(Identity, Identity, Tie),
    /// A release, with the project that it names.
    Release(Option<String>, ReleaseRecord),
}

/// An item from a parser; missing fields are empty.
#[derive(Debug, Default)]
pub struct Item {
    pub project: Option<String>,
    pub pull: bool,
    pub number: u64,
    pub remote_id: Option<String>,
    pub title: String,
    pub body: String,
    pub url: Option<String>,
    pub is_closed: bool,
    pub merged_at: Option<Timestamp>,
    pub reason: Option<String>,
    pub author: Option<String>,
    pub bot: bool,
    pub labels: Vec<String>,
    pub milestone: Option<String>,
    pub comments: u64,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub closed_at: Option<Timestamp>,
}

impl Item {
    /// Converts the item to a record with these raw bytes. The fingerprint covers the parsed
    /// values, so a changed interpretation of a date or word counts as a change.
    pub fn record(self, bytes: Vec<u8>) -> Record {
        let mut raw = Raw::new(bytes);
        let fingerprint = format!(
            "{:?}",
            (
                &self.title,
                &self.body,
                self.is_closed,
                &self.reason,
                &self.labels,
                self.created_at,
                self.updated_at,
                self.closed_at
            )
        );
        raw.hash = Raw::new([&raw.hash[..], fingerprint.as_bytes()].concat()).hash;
        let closed_at = self.closed_at.filter(|_| self.is_closed);
        Record::Document(Box::new(DocumentRecord {
            repository: self.project,
            kind: if self.pull { DocKind::PullRequest } else { DocKind::Issue },
            number: Some(self.number),
            remote_id: self.remote_id,
            title: title_or_first_line(&whole(&self.title), &whole(&self.body)),
            body: whole(&self.body),
            url: self.url.filter(|u| u.starts_with("http://") || u.starts_with("https://")),
            state: Some(match (self.merged_at, self.is_closed) {
                (Some(_), _) => State::Merged,
                (None, true) => State::Closed,
                (None, false) => State::Open,
            }),
            state_reason: self.reason.filter(|r| !r.trim().is_empty()),
            author: Author { login: self.author, bot: self.bot, association: None },
            labels: self.labels.iter().map(|l| whole(l)).collect(),
            milestone: self.milestone,
            comment_count: self.comments,
            created_at: self.created_at,
            updated_at: self.updated_at.or(closed_at).or(self.created_at),
            closed_at,
            merged_at: self.merged_at,
            raw,
            ..DocumentRecord::default()
        }))
    }
}

/// The longest title that is derived from a text, in characters.
const MAX_TITLE: usize = 120;

/// Returns the title, or else the first line of the text with content.
pub fn title_or_first_line(title: &str, text: &str) -> String {
    let line = || {
        text.lines()
            .map(str::trim)
            .find(|l| l.contains(char::is_alphanumeric))
            .unwrap_or("(no subject)")
    };
    match title.trim() {
        "" => line().chars().take(MAX_TITLE).collect(),
        title => title.to_owned(),
    }
}

/// A comment from a parser.
#[derive(Debug, Default)]
pub struct Comment {
    pub project: Option<String>,
    pub number: u64,
    /// Id of the tracker, if there is one.
    pub id: Option<String>,
    pub author: Option<String>,
    pub body: String,
    pub url: Option<String>,
    pub hidden: bool,
    pub at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
}

impl Comment {
    /// Converts the comment to a record. One without an id gets one from its item, its time and a
    /// distinguishing mark; one without a time has that of its item.
    pub fn record(self, item: Option<Timestamp>, mark: &str, bytes: Vec<u8>) -> Record {
        let at = self.at.or(item).unwrap_or(Timestamp::UNIX_EPOCH);
        let time = self.at.map(|t| t.as_second().to_string()).unwrap_or_default();
        let id = self.id.unwrap_or_else(|| format!("{}-{time}-{mark}", self.number));
        Record::Comment(Box::new(CommentRecord {
            repository: self.project,
            number: self.number,
            remote_id: id,
            author: Author {
                login: self.author,
                bot: false,
                association: self.hidden.then(|| INTERNAL.to_owned()),
            },
            body: whole(&self.body).trim().to_owned(),
            url: self.url,
            created_at: at,
            updated_at: self.updated_at.unwrap_or(at),
            raw: Raw::new(bytes),
        }))
    }
}

/// Replaces NUL characters, at which SQLite's text functions stop; the replacement keeps words
/// apart.
pub fn whole(text: &str) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.to_owned() }
}
