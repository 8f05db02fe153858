//! Duplicates: the view of an answer that a triager works with, verdicts, the queue.

mod check;
mod clusters;
mod compare;
mod triage;
mod verdicts;

pub use check::{MAX_CANDIDATES, check, look};
pub(crate) use check::{reach, respond};
pub use clusters::clusters;
pub use compare::{Side, as_written, facts, marks};
pub use triage::triage;
pub use verdicts::{decide, undo};
