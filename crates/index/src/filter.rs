//! Document filters, which full-text and vector search apply during the search.

use precedent_core::model::{DocKind, State};

/// A condition on a document. Several filters must all match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Tested property.
    pub test: Test,
    /// True if matching documents are excluded.
    pub is_negated: bool,
}

impl From<Test> for Filter {
    fn from(test: Test) -> Self {
        Self { test, is_negated: false }
    }
}

/// The property that a filter tests. Texts are compared case-insensitively.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// The source's key.
    Source(String),
    /// Any of these sources' keys.
    AnySource(Vec<String>),
    /// The kind of document.
    Kind(DocKind),
    /// The state: open, closed or merged. `Closed` also matches merged pull requests.
    State(State),
    /// A closed issue or a merged pull request.
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
    /// A time range in seconds since the epoch; the start is inclusive, the end exclusive.
    Time(TimeField, Option<i64>, Option<i64>),
}

/// The time that a filter tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeField {
    /// The creation time.
    Created,
    /// The time of the last update.
    Updated,
    /// The closing time.
    Closed,
}
