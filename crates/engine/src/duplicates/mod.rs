//! Duplicates: the triager's view of an answer, verdicts, and the triage queue.

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
