//! Filters of documents. Full-text and vector search apply them during the search.

use precedent_core::model::{DocKind, State};

/// A condition that a document has to meet. Several conditions are all met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Property that is tested.
    pub test: Test,
    /// True if matching documents are excluded.
    pub is_negated: bool,
}

/// The property that a condition tests. Texts are compared without regard to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// The source's key.
    Source(String),
    /// Any of these sources' keys.
    AnySource(Vec<String>),
    /// What it is.
    Kind(DocKind),
    /// The state: open, closed or merged. `Closed` also matches merged pull requests.
    State(State),
    /// A closed issue, or a merged pull request.
    Resolved,
    /// The tracker's reason for the closure.
    Reason(String),
    /// A label of the document.
    Label(String),
    /// The author's login.
    Author(String),
    /// A version of the product that the document's own text names, without a leading `v`.
    Version(String),
    /// A bot as the author.
    Bot,
    /// A locked conversation.
    Locked,
    /// A range of a time, in seconds since the epoch: from the first (inclusive) to the second
    /// (exclusive).
    Time(TimeField, Option<i64>, Option<i64>),
}

/// The time that a condition tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeField {
    /// The time of creation.
    Created,
    /// The time of the last change.
    Updated,
    /// The time of closing.
    Closed,
}
