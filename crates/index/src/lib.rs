//! Derived data: the full-text index and the vectors. Both can be deleted at any time and rebuilt
//! from the store.

mod batches;
pub mod embed;
pub mod filter;
pub mod fulltext;
mod links;
mod lock;
pub mod update;
pub mod vectors;
