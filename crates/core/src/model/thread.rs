//! A document with everything that was said about it.

use super::{DocKind, State};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A comment as the reading pane shows it.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ThreadComment {
    /// Stable within the thread: `comment-123`.
    pub anchor: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// Whether a bot wrote it.
    pub bot: bool,
    /// Whether the tracker shows it to the staff alone.
    #[serde(default, skip_serializing_if = "is_false")]
    pub internal: bool,
    /// The author's standing: `MEMBER`, `CONTRIBUTOR`, `NONE`, … as the tracker says.
    pub association: Option<String>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last edited, if later.
    pub updated_at: Option<Timestamp>,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// The text as written.
    pub markdown: String,
    /// The text as sanitised HTML.
    pub html: String,
}

/// A typed edge to another document, as the reading pane shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LinkView {
    /// `duplicate_of`, `relates_to`, `closes`, `mentions`.
    pub kind: String,
    /// Whether this document is where the edge starts.
    pub outgoing: bool,
    /// The other document's key.
    pub key: String,
    /// What the other document is, if the mirror has it.
    pub document: Option<DocKind>,
    /// The other document's title, if the mirror has it.
    pub title: Option<String>,
    /// The other document's state, if the mirror has it.
    pub state: Option<State>,
}

/// A document with everything that was said about it.
#[derive(Clone, Debug, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Thread {
    /// Human key.
    pub key: String,
    /// What it is.
    pub kind: DocKind,
    /// The source's key.
    pub source: String,
    /// The item's number; pages have none.
    pub number: Option<u64>,
    /// The title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Open, closed or merged; pages have none.
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    /// Who reported it.
    pub author: Option<String>,
    /// The reporter's standing as the tracker says.
    pub association: Option<String>,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its milestone.
    pub milestone: Option<String>,
    /// Whether the conversation is locked.
    pub locked: bool,
    /// When it was created.
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// Set where the tracker no longer has it.
    pub deleted_at: Option<Timestamp>,
    /// The text as written.
    pub markdown: String,
    /// The text as sanitised HTML.
    pub html: String,
    /// The comments, oldest first.
    pub comments: Vec<ThreadComment>,
    /// How many more comments the tracker says there are than the mirror holds.
    pub missing_comments: u32,
    /// Edges to other documents.
    pub links: Vec<LinkView>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
