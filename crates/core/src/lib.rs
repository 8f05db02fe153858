//! The foundations of Precedent: documents and answers ([`model`]), the [`Error`] type, long
//! [tasks](task).

pub mod door;
pub mod error;
pub mod files;
pub mod memory;
pub mod model;
pub mod share;
pub mod task;

pub use error::{Code, Error, Result};
pub use task::Task;
