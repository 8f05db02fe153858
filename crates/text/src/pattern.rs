//! Regular expressions.

use std::{ops::Deref, sync::OnceLock};

use regex::Regex;

/// A constant pattern, compiled at its first use.
///
/// # Panics
/// Its first use panics if the pattern is invalid.
pub struct Pattern {
    text: &'static str,
    cell: OnceLock<Regex>,
}

impl Pattern {
    /// Creates a pattern from its text.
    pub const fn new(text: &'static str) -> Self {
        Self { text, cell: OnceLock::new() }
    }
}

impl Deref for Pattern {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        self.cell.get_or_init(|| re(self.text))
    }
}

/// Compiles a pattern of the program.
///
/// # Panics
/// Panics if the pattern is invalid.
#[allow(clippy::unwrap_used, reason = "tests compile all constant patterns")]
pub fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}
