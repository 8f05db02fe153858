//! Text preparation: pure functions from original text to the text that is indexed, embedded and
//! shown.

pub mod build;
pub mod chunk;
pub mod closure;
pub mod failure;
pub mod fixed_version;
pub mod html;
pub mod language;
pub mod literal;
pub mod mail;
pub mod markdown;
pub mod pattern;
pub mod prepare;
pub mod reference;
pub mod report;
pub mod roles;
pub mod salient;
pub mod sanitize;
pub mod signature;
pub mod similar;
pub mod skeleton;
pub mod title;
pub mod tokens;
pub mod trace;
pub mod version;
pub mod words;

/// The version of the preparation. Increase it whenever the output changes for the same input;
/// derived data is then rebuilt.
pub const PREPARATION_VERSION: u32 = 2;
