//! Keys, tokens and passwords. Key blocks and known forms are redacted first, then values that a
//! command or a name identifies.

mod commands;
mod forms;
mod named_secrets;
mod value;

pub(super) use value::{is_method, is_random};

use super::{Certainty, lines, re, redactor::Redactor, words};

/// Returns a text without its secrets.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let out = forms::hide(r, text);
    let out = commands::hide(r, &out);
    named_secrets::hide(r, &out)
}
