//! Compilation of constant patterns.

use regex::Regex;

/// Compiles a constant pattern.
///
/// # Panics
/// Panics if the pattern is invalid.
#[allow(clippy::unwrap_used, reason = "tests compile all constant patterns")]
pub fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}
