//! The engine of Precedent mirrors issue trackers into one SQLite file and answers, offline,
//! whether a report is a duplicate and how similar cases were solved.
//!
//! User interfaces (command line, desktop, agents) call only [`Casebook`]. The engine reads no
//! terminal, environment variable or home folder: callers pass those in. See ARCHITECTURE.md for an
//! overview and the invariants.

pub mod answer;
pub mod article;
pub mod ask;
pub mod brief;
pub mod casebook;
pub mod config;
pub mod diagnosis;
pub mod doctor;
pub mod duplicates;
pub mod logs;
pub mod notes;
mod page;
pub mod portable;
pub mod problems;
mod query_context;
mod releases;
mod resolution;
mod samples;
pub mod search;
pub mod troubleshoot;

pub use casebook::{Casebook, DATABASE, OpenOptions, understand_files};
pub use precedent_text::html::from_markdown as prose;
pub use query_context::QueryContext;
