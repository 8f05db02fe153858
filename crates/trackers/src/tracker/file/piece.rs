//! The parsed contents of file records.

use jiff::Timestamp;

use super::names::{Relation, relation};
use crate::tracker::identity::Identity;
use precedent_core::model::{
    ANSWER, Author, CommentRecord, DocumentRecord, INTERNAL, Raw, Record, ReleaseRecord, State,
};

/// A relation between two items, as the file states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemRelation {
    /// The first is a duplicate of the second.
    DuplicateOf,
    /// The items are related.
    RelatesTo,
}

/// A part of a record's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParsedItem {
    /// An item, page or comment.
    Record(Record),
    /// A link between two items; items without a project belong to that of the file.
    Link(Identity, Identity, ItemRelation),
    /// A release, with the project that it names.
    Release(Option<String>, ReleaseRecord),
}

impl ParsedItem {
    /// Creates the link of an item to another. Words for duplicates determine its kind and direction;
    /// otherwise it has this kind, and `back` reverses it. A bare number belongs to the item's
    /// project.
    pub fn link(
        of: &Identity,
        target: Identity,
        words: &str,
        tie: ItemRelation,
        back: bool,
    ) -> Self {
        let (tie, back) = match relation(words) {
            Some(way) => (ItemRelation::DuplicateOf, way == Relation::DuplicatedBy),
            None => (tie, back),
        };
        let project = target.project.or_else(|| of.project.clone());
        let target = Identity { project, ..target };
        let (from, to) = if back { (target, of.clone()) } else { (of.clone(), target) };
        Self::Link(from, to, tie)
    }
}

/// Completes an item from a parser, as a record with these raw bytes. The fingerprint covers the
/// parsed values, so a changed interpretation of a date or word counts as a change.
pub fn item_record(item: DocumentRecord, bytes: Vec<u8>) -> Record {
    let is_closed = item.state == Some(State::Closed);
    let mut raw = Raw::new(bytes);
    let fingerprint = format!(
        "{:?}",
        (
            &item.title,
            &item.body,
            is_closed,
            &item.state_reason,
            &item.labels,
            item.created_at,
            item.updated_at,
            item.closed_at
        )
    );
    raw.hash = Raw::new([&raw.hash[..], fingerprint.as_bytes()].concat()).hash;
    let closed_at = item.closed_at.filter(|_| is_closed);
    let record = DocumentRecord {
        title: title_or_first_line(&whole(&item.title), &whole(&item.body)),
        body: whole(&item.body),
        url: item.url.filter(|u| u.starts_with("http://") || u.starts_with("https://")),
        state_reason: item.state_reason.filter(|r| !r.trim().is_empty()),
        labels: item.labels.iter().map(|l| whole(l)).collect(),
        updated_at: item.updated_at.or(closed_at).or(item.created_at),
        closed_at,
        raw,
        ..item
    };
    record.into()
}

/// Returns the state of an item.
pub fn state(is_closed: bool) -> Option<State> {
    Some(if is_closed { State::Closed } else { State::Open })
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    pub project: Option<String>,
    pub number: u64,
    /// Id of the tracker, if there is one.
    pub id: Option<String>,
    pub author: Option<String>,
    pub body: String,
    pub url: Option<String>,
    /// `true` for an internal comment.
    pub hidden: bool,
    /// `true` for the accepted answer.
    pub answer: bool,
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
        Record::from(CommentRecord {
            repository: self.project,
            number: self.number,
            remote_id: id,
            author: Author {
                login: self.author,
                bot: false,
                association: match (self.answer, self.hidden) {
                    (true, _) => Some(ANSWER.to_owned()),
                    (false, is_hidden) => is_hidden.then(|| INTERNAL.to_owned()),
                },
            },
            body: whole(&self.body).trim().to_owned(),
            url: self.url,
            created_at: at,
            updated_at: self.updated_at.unwrap_or(at),
            raw: Raw::new(bytes),
        })
    }
}

/// Replaces NUL characters, at which SQLite's text functions stop; the replacement keeps words
/// apart.
pub fn whole(text: &str) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.to_owned() }
}
