//! Patterns that are part of the program.

use regex::Regex;

/// A pattern that is a constant.
#[allow(clippy::unwrap_used, reason = "the patterns are constants; tests compile them all")]
pub(crate) fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}
