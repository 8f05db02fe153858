//! The foundations of Precedent: the data [`model`], the [`Error`] type and long-running
//! [tasks](task).

pub mod error;
pub mod files;
pub mod memory;
pub mod model;
pub mod secret_filter;
pub mod stats;
pub mod task;

pub use error::{Code, Error, Result};
pub use task::Task;
