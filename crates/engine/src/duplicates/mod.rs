//! Duplicates: checks, comparisons, verdicts and the triage queue.

mod check;
mod compare;
mod triage;
mod verdicts;

pub use check::{check, check_only};
pub(crate) use check::{check_coverage, respond};
pub use compare::{Side, facts, marks, with_original_spelling};
pub use triage::triage;
pub use verdicts::{record, undo};
