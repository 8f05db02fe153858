//! The foundations of Precedent: the data [`model`], the [`Error`] type and long-running
//! [tasks](task).

pub mod error;
pub mod files;
mod hint;
pub mod memory;
pub mod model;
pub mod secret_filter;
pub mod stats;
pub mod task;

pub use error::{Code, Error, Hint, Remedy, Result};
pub use task::Task;
