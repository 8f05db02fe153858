//! Conditions on documents. Both arms obey them inside their search, never after it.

use precedent_core::model::{DocKind, State};

/// A condition that a document has to meet. Several conditions are all met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// What is compared.
    pub test: Test,
    /// Whether documents that meet it are left out instead.
    pub negated: bool,
}

/// What a condition compares. Texts are compared without regard to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// The source's key.
    Source(String),
    /// Any of these sources' keys.
    AnySource(Vec<String>),
    /// What it is.
    Kind(DocKind),
    /// Open, closed or merged. `Closed` is met by merged pull requests too.
    State(State),
    /// A closed issue, or a merged pull request.
    Resolved,
    /// The tracker's reason for the closure.
    Reason(String),
    /// One of its labels.
    Label(String),
    /// Who reported it.
    Author(String),
    /// Whether a bot reported it.
    Bot,
    /// Whether its conversation is locked.
    Locked,
    /// A time: seconds since the epoch, from the first (inclusive) to the second (exclusive).
    Time(TimeField, Option<i64>, Option<i64>),
}

/// Which time is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeField {
    /// When it was created.
    Created,
    /// When it last changed.
    Updated,
    /// When it was closed.
    Closed,
}
