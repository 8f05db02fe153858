//! The engine of Precedent: mirrors issue trackers into one SQLite file and answers, offline,
//! whether a report is a duplicate and how such cases were solved.
//!
//! The user interfaces (command line, desktop, agents) call [`Casebook`] and nothing else. The
//! engine reads no terminal, no environment variable and no home folder: callers pass those in. See
//! ARCHITECTURE.md for the map and the invariants.

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
mod parts;
pub mod portable;
pub mod problems;
mod releases;
mod resolution;
mod samples;
pub mod search;
pub mod troubleshoot;

pub use casebook::{Casebook, DATABASE, OpenOptions, understand_files};
pub use parts::{LanguageIndex, NoLanguages, QueryContext};
pub use precedent_text::html::from_markdown as prose;
