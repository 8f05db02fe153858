//! A document with its comments and links.

use super::{DocKind, State};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A comment as the reading pane shows it.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ThreadComment {
    /// Anchor that is stable within the thread: `comment-123`.
    pub anchor: String,
    /// Login of the author; null if the account no longer exists.
    pub author: Option<String>,
    /// `true` if a bot wrote it.
    pub bot: bool,
    /// `true` if the tracker shows the comment only to staff; absent if `false`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub internal: bool,
    /// Author's association with the project as given by the tracker: `MEMBER`, `CONTRIBUTOR`,
    /// `NONE`, …; null if unknown.
    pub association: Option<String>,
    /// Time at which it was written.
    pub created_at: Timestamp,
    /// Time of the last edit; null if it was never edited.
    pub updated_at: Option<Timestamp>,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// Text as written (Markdown).
    pub markdown: String,
    /// Text as sanitized HTML.
    pub html: String,
}

/// A typed link to another document, as the reading pane shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LinkView {
    /// Kind of the link: `duplicate_of`, `relates_to`, `closes` or `mentions`.
    pub kind: String,
    /// `true` if the link starts at this document.
    pub outgoing: bool,
    /// Key of the other document.
    pub key: String,
    /// Kind of the other document; null if it is not mirrored.
    pub document: Option<DocKind>,
    /// Title of the other document; null if it is not mirrored.
    pub title: Option<String>,
    /// State of the other document; null if it is not mirrored.
    pub state: Option<State>,
}

/// A document with its comments and links.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Thread {
    /// Key of the document.
    pub key: String,
    /// Kind of the document.
    pub kind: DocKind,
    /// Key of the source.
    pub source: String,
    /// Number of the item; null for pages.
    pub number: Option<u64>,
    /// Title of the document.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// State: open, closed or merged; null for pages.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker; null if there is none.
    pub state_reason: Option<String>,
    /// Login of the author; null if unknown.
    pub author: Option<String>,
    /// Author's association with the project as given by the tracker; null if unknown.
    pub association: Option<String>,
    /// Names of the labels.
    pub labels: Vec<String>,
    /// Title of the milestone; null if there is none.
    pub milestone: Option<String>,
    /// `true` if the conversation is locked.
    pub locked: bool,
    /// Creation time; null if unknown.
    pub created_at: Option<Timestamp>,
    /// Time of the last change; null if unknown.
    pub updated_at: Option<Timestamp>,
    /// Time of the closure; null if the document is not closed.
    pub closed_at: Option<Timestamp>,
    /// Time at which the document was found to be deleted on the tracker; null if it still exists.
    pub deleted_at: Option<Timestamp>,
    /// Text as written (Markdown).
    pub markdown: String,
    /// Text as sanitized HTML.
    pub html: String,
    /// Comments, oldest first.
    pub comments: Vec<ThreadComment>,
    /// Number of comments that the tracker counts but the mirror does not hold.
    pub missing_comments: u32,
    /// Links to and from other documents.
    pub links: Vec<LinkView>,
}
