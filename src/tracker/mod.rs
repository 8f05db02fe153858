//! Trackers: what each of them sends, read into the product's own records. Knows no store.

pub mod github;
pub mod import;
pub mod wiki;
