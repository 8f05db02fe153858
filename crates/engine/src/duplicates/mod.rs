//! Duplicates: checks, comparisons, verdicts and the triage queue.

mod check;
mod compare;
mod triage;
mod verdicts;

pub use check::DuplicateFinder;
pub(crate) use check::respond;
pub use compare::compare;
pub use triage::triage;
pub use verdicts::{record, undo};
