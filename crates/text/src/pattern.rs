//! Patterns that are part of the program.

use regex::Regex;

/// A pattern that is a constant: one that is none panics, so each is compiled by a test.
#[allow(clippy::unwrap_used, reason = "the patterns are constants; tests compile them all")]
pub fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}
