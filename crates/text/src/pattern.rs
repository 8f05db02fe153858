//! Compilation of constant patterns.

use regex::Regex;

/// Compiles a constant pattern.
///
/// # Panics
/// Panics if the pattern is invalid; tests compile all of them.
#[allow(clippy::unwrap_used, reason = "the patterns are constants; tests compile them all")]
pub fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}
