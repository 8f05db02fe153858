//! Private keys in blocks of lines.

use std::sync::LazyLock;

use regex::Regex;

use super::{Certainty::Sure, facts::pattern, redactor::Redactor, value};

static KEY_BEGINS: LazyLock<Regex> = LazyLock::new(|| pattern("key_begins"));
static KEY_ENDS: LazyLock<Regex> = LazyLock::new(|| pattern("key_ends"));
static KEY_LINE: LazyLock<Regex> = LazyLock::new(|| pattern("key_line"));

/// Redacts private keys from their first line to the last, or as far as their lines go.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(begin) = KEY_BEGINS.find_at(text, from) {
        let end = key_end(text, begin.end());
        out.push_str(&text[from..begin.start()]);
        match end {
            Some(end) => out.push_str(&r.hide("token", Sure, &text[begin.start()..end])),
            // An error message may quote the first line alone.
            None => out.push_str(begin.as_str()),
        }
        from = end.unwrap_or(begin.end());
    }
    out.push_str(&text[from..]);
    out
}

/// Returns the end of the key block that begins before `from`; `None` if no key follows.
fn key_end(text: &str, from: usize) -> Option<usize> {
    let last = KEY_ENDS.find_at(text, from);
    let within = &text[from..last.map_or(text.len(), |m| m.start())];
    if let Some(last) = last
        && within.split(['\n', ' ']).any(|line| KEY_LINE.is_match(line) && line.trim().len() >= 4)
        && (within.trim_start_matches(['\r', '"', ' ']).starts_with(['\n', '\\'])
            || within.len() > 60)
    {
        return Some(last.end());
    }
    let mut end = from;
    let mut has_long_run = false;
    for line in text[from..].split_inclusive('\n') {
        let bare = line.trim_end();
        if !KEY_LINE.is_match(bare) {
            break;
        }
        has_long_run |= value::longest_run(bare) >= 16;
        end += line.len();
    }
    has_long_run.then(|| from + text[from..end].trim_end().len())
}
