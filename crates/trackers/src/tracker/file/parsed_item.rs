//! The parsed contents of file records.

use std::fmt::Debug;

use jiff::Timestamp;

use super::names::{DuplicateDirection, duplicate_direction};
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
    /// A link between two items; items without a project belong to the file's project.
    Link(Identity, Identity, ItemRelation),
    /// A release, with the project that it names.
    Release(Option<String>, ReleaseRecord),
}

/// The parsed contents of a record, or the reason why it is skipped.
pub type ParseResult = Result<Vec<ParsedItem>, String>;

impl ParsedItem {
    /// Creates a link to another item. A label that states a duplicate determines kind and direction;
    /// otherwise the given ones apply. A number without a project belongs to the item's project.
    pub fn link(
        item: &Identity,
        target: Identity,
        label: &str,
        default_kind: ItemRelation,
        is_reversed: bool,
    ) -> Self {
        let (kind, is_reversed) = match duplicate_direction(label) {
            Some(DuplicateDirection::Duplicates) => (ItemRelation::DuplicateOf, false),
            Some(DuplicateDirection::DuplicatedBy) => (ItemRelation::DuplicateOf, true),
            None => (default_kind, is_reversed),
        };
        let project = target.project.or_else(|| item.project.clone());
        let target = Identity { project, ..target };
        let (from, to) = if is_reversed { (target, item.clone()) } else { (item.clone(), target) };
        Self::Link(from, to, kind)
    }
}

/// Returns raw bytes whose hash also covers the parsed values, so that a changed interpretation of
/// a date or word counts as a change.
fn raw_with_values(bytes: Vec<u8>, values: &impl Debug) -> Raw {
    let raw = Raw::new(bytes);
    let values = format!("{values:?}");
    Raw { hash: Raw::new([&raw.hash[..], values.as_bytes()].concat()).hash, ..raw }
}

fn is_web_url(url: &str) -> bool {
    url.starts_with("http://") || url.starts_with("https://")
}

/// Completes a parsed item as a record.
pub fn item_record(item: DocumentRecord, bytes: Vec<u8>) -> Record {
    let is_closed = item.state == Some(State::Closed);
    let values = (
        (&item.title, &item.body, &item.url, &item.author.login, &item.labels, &item.milestone),
        (is_closed, &item.state_reason, item.created_at, item.updated_at, item.closed_at),
    );
    let raw = raw_with_values(bytes, &values);
    let closed_at = item.closed_at.filter(|_| is_closed);
    let record = DocumentRecord {
        title: title_or_first_line(&replace_nul(&item.title), &replace_nul(&item.body)),
        body: replace_nul(&item.body),
        url: item.url.filter(|url| is_web_url(url)),
        state_reason: item.state_reason.filter(|r| !r.trim().is_empty()),
        labels: item.labels.iter().map(|l| replace_nul(l)).collect(),
        updated_at: item.updated_at.or(closed_at).or(item.created_at),
        closed_at,
        raw,
        ..item
    };
    record.into()
}

pub fn state(is_closed: bool) -> Option<State> {
    Some(if is_closed { State::Closed } else { State::Open })
}

const MAX_TITLE: usize = 120;

/// Returns the title, or else the first line of the text with letters or digits.
pub fn title_or_first_line(title: &str, text: &str) -> String {
    if !title.trim().is_empty() {
        return title.trim().to_owned();
    }
    let first_line = text.lines().map(str::trim).find(|l| l.contains(char::is_alphanumeric));
    first_line.unwrap_or("(no subject)").chars().take(MAX_TITLE).collect()
}

/// A parsed comment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comment {
    pub project: Option<String>,
    pub number: u64,
    /// Id of the comment, if the tracker gives one.
    pub id: Option<String>,
    pub author: Option<String>,
    pub body: String,
    pub url: Option<String>,
    pub is_internal: bool,
    pub is_answer: bool,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
}

impl Comment {
    /// Converts the comment to a record. A missing id is derived from item, time and suffix; a
    /// missing time is replaced with the item's.
    pub fn record(self, item_time: Option<Timestamp>, suffix: &str, bytes: Vec<u8>) -> Record {
        let created_at = self.created_at.or(item_time).unwrap_or(Timestamp::UNIX_EPOCH);
        let time = self.created_at.map(|t| t.as_second().to_string()).unwrap_or_default();
        let id = self.id.map(|id| replace_nul(&id));
        let id = id.unwrap_or_else(|| format!("{}-{time}-{suffix}", self.number));
        let values = (&self.author, &self.body, &self.url, self.created_at, self.updated_at);
        let raw = raw_with_values(bytes, &values);
        let association = match (self.is_internal, self.is_answer) {
            (true, _) => Some(INTERNAL.to_owned()),
            (false, is_answer) => is_answer.then(|| ANSWER.to_owned()),
        };
        Record::from(CommentRecord {
            repository: self.project,
            number: self.number,
            remote_id: id,
            author: Author { login: self.author, bot: false, association },
            body: replace_nul(&self.body).trim().to_owned(),
            url: self.url.filter(|url| is_web_url(url)),
            created_at,
            updated_at: self.updated_at.unwrap_or(created_at),
            raw,
        })
    }
}

/// Replaces NUL characters, at which SQLite's text functions stop.
pub fn replace_nul(text: &str) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn internal_answer_stays_internal() {
        for (is_internal, is_answer, expected) in [
            (true, true, Some(INTERNAL)),
            (true, false, Some(INTERNAL)),
            (false, true, Some(ANSWER)),
            (false, false, None),
        ] {
            let comment = Comment { is_internal, is_answer, ..Comment::default() };
            let Record::Comment(comment) = comment.record(None, "", Vec::new()) else { panic!() };
            assert_eq!(comment.author.association.as_deref(), expected);
        }
    }

    #[test]
    fn changed_author_changes_the_hash() {
        let hash = |record: Record| match record {
            Record::Document(item) => item.raw.hash,
            Record::Comment(comment) => comment.raw.hash,
        };
        let comment = |name: &str| {
            let comment = Comment { author: Some(name.to_owned()), ..Comment::default() };
            hash(comment.record(None, "", b"same".to_vec()))
        };
        let item = |name: &str| {
            let author = Author { login: Some(name.to_owned()), ..Author::default() };
            hash(item_record(DocumentRecord { author, ..Default::default() }, b"same".to_vec()))
        };
        assert_ne!(comment("U1"), comment("mona"));
        assert_ne!(item("U1"), item("mona"));
        assert_eq!(item("mona"), item("mona"));
    }
}
