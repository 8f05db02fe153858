//! Keys, tokens and passwords. Whole blocks first, then what has a known form, then what a command or a name in front gives
//! away.

mod commands;
mod forms;
mod named;
mod value;

use super::{Certainty, lines, re, redactor::Redactor, words};

/// A text without its secrets.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let out = forms::hide(r, text);
    let out = commands::hide(r, &out);
    named::hide(r, &out)
}

#[cfg(test)]
pub(super) fn patterns() -> Vec<&'static regex::Regex> {
    forms::patterns().into_iter().chain(commands::patterns()).chain(named::patterns()).collect()
}
