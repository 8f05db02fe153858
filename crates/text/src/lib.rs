//! Text preparation: from what people wrote to what is indexed, embedded and shown. Pure functions, no I/O.

pub mod adf;
pub mod chunk;
pub mod closure;
mod dialect;
pub mod essence;
pub mod failure;
pub mod harmless;
pub mod html;
pub mod hypertext;
pub mod mail;
pub mod markdown;
pub mod markup;
pub mod message;
pub mod pattern;
pub mod prepare;
pub mod reference;
pub mod report;
pub mod roles;
pub mod signature;
pub mod similar;
pub mod skeleton;
pub mod storage_format;
pub mod title;
pub mod tokens;
pub mod trace;
pub mod version;
pub mod visible;
pub mod words;

/// Bumped whenever preparation gives other text for the same input; derived data is then built anew.
pub const PREPARATION_VERSION: u32 = 2;
