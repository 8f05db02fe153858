//! Classification of lines (start of a trace, frame, code, kernel dump), and one-line summaries of
//! events.

use std::borrow::Cow;

use crate::{
    crash,
    formats::{FORMATS, Head},
};

/// Decodes bytes as UTF-8 and replaces invalid ones. Checking all bytes first is several times
/// faster for valid text.
pub(super) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Returns the text between the time and the message of a line.
pub(super) fn between<'l>(line: &'l [u8], head: &Head<'_>) -> &'l [u8] {
    let message = line.len() - head.message.len().min(line.len());
    // Time and message are slices of the line.
    let start = head.at.map_or(0, |at| {
        at.as_ptr().addr().wrapping_sub(line.as_ptr().addr()).wrapping_add(at.len())
    });
    line.get(start..message).unwrap_or_default().trim_ascii_end()
}

/// Returns the text of a line after its time, with its indent and its level.
pub(super) fn without_time<'l>(line: &'l [u8], head: &Head<'_>) -> &'l [u8] {
    // The time is a slice of the line.
    let Some(at) = head.at else { return line };
    let end = at.as_ptr().addr().wrapping_sub(line.as_ptr().addr()).wrapping_add(at.len());
    let rest = line.get(end..).unwrap_or_default();
    let rest = rest.strip_prefix(b"]").or_else(|| rest.strip_prefix(b")")).unwrap_or(rest);
    rest.strip_prefix(b" ").unwrap_or(rest)
}

/// Returns the indent of a message after its header.
pub(super) fn gap(line: &[u8], head: &Head<'_>) -> usize {
    let message = line.len() - head.message.len().min(line.len());
    line[..message].iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Returns whether a text has no words, but at most a level and a request id.
pub(super) fn says_nothing(text: &str) -> bool {
    let mut depth = 0_u32;
    !text.chars().any(|c| {
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ => return depth == 0 && c.is_alphanumeric(),
        }
        false
    })
}

/// Returns whether a line introduces the next exception of a chain.
pub(super) fn is_chain(line: impl AsRef<[u8]>) -> bool {
    let line = line.as_ref().trim_ascii_start();
    line.starts_with(b"During handling of the above") || line.starts_with(b"The above exception")
}

/// Returns whether a message after a header can only be part of a trace.
pub(super) fn is_frame(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    FORMATS.starts.frame.begin(text)
        || crash::is_ruby_frame(text)
        || text.strip_prefix(b"#").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit))
}

/// Returns the length of the code with which a text begins: two to six capitals, a hyphen, and
/// three to six digits.
pub(super) fn code_length(text: &[u8]) -> Option<usize> {
    let letters = text.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let digits = text.get(letters + 1..)?.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_code = text[letters] == b'-' && (2..=6).contains(&letters) && (3..=6).contains(&digits);
    is_code.then_some(letters + 1 + digits)
}

/// Returns whether a line begins with a code, as in the error stacks of databases: `ORA-01555:
/// snapshot too old`.
pub(super) fn is_coded(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    code_length(line).is_some_and(|length| line.get(length) == Some(&b':'))
}

/// Returns whether a line belongs to a kernel's dump.
pub(super) fn is_of_kernel_dump(line: &[u8]) -> bool {
    FORMATS.starts.kernel_dump.begin(line) || memchr::memmem::find(line, b"+0x").is_some()
}

/// Returns whether a line without a time begins another event.
pub(super) fn begins_anew(line: &[u8]) -> bool {
    FORMATS.starts.event.begin(line) || line.first() == Some(&b'=') && crash::is_bad_report(line)
}

/// Returns whether a line without a time begins a trace or an exception.
pub(super) fn begins_trace(line: &[u8]) -> bool {
    let word = line.split(|b| matches!(b, b':' | b' ')).next().unwrap_or_default();
    begins_anew(line)
        || [&b"Exception"[..], b"Error"].iter().any(|e| word.ends_with(e) && word.len() > e.len())
}

/// Returns whether a line can only be part of a trace.
pub(super) fn is_of_trace(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    FORMATS.starts.trace.begin(line)
        || crash::is_ruby_frame(line)
        || ((1..4).contains(&digits) && line[digits..].starts_with(b": "))
}

pub(super) fn one_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim()
}

/// Returns an event in one line: the message, and the root exception of its trace if the message
/// does not name it.
pub(super) fn headline(message: &str, text: &str) -> String {
    let rest = || text.lines().skip(1).map(str::trim).filter(|l| !l.is_empty());
    if let Some(crash_text) = crash::of_android(text) {
        let thrown = crash_text.lines().next().unwrap_or_default();
        return headline(thrown, &crash_text);
    }
    if let Some(name) = crash::name(message, text) {
        return name;
    }
    if message.starts_with("Traceback (most recent") {
        let margin = |l: &&str| !l.is_empty() && !l.starts_with([' ', '\t']);
        let last = text.lines().rfind(margin).unwrap_or(message).trim();
        // Python prints the root of a chain first.
        let root =
            text.lines().take_while(|l| !is_chain(l)).filter(margin).last().unwrap_or(last).trim();
        let is_chained = root != last && !root.starts_with("Traceback");
        return if is_chained { format!("{last} · {root}") } else { last.to_owned() };
    }
    if message.ends_with(':') || says_nothing(message) || message.contains("╡ EXCEPTION") {
        // In a stack of codes the last is the most specific.
        let next = last_code(text).or_else(|| rest().next());
        return next.map_or_else(
            || message.to_owned(),
            |next| {
                if message.ends_with(':') { format!("{message} {next}") } else { next.to_owned() }
            },
        );
    }
    let cause =
        rest().filter_map(|l| l.strip_prefix("Caused by: ")).last().or_else(|| last_code(text));
    let exception = || {
        rest().find(|l| {
            let word = l.split([':', ' ']).next().unwrap_or_default();
            ["Exception", "Error"].iter().any(|e| word.ends_with(e) && word.len() > e.len())
        })
    };
    // A Python traceback ends with its exception.
    let python = || {
        let has_traceback = text.contains("Traceback (most recent");
        text.lines()
            .rfind(|l| has_traceback && !l.is_empty() && !l.starts_with([' ', '\t']))
            .filter(|l| *l != message && !l.starts_with("Traceback (most recent"))
    };
    match cause.or_else(python).or_else(exception) {
        Some(cause) if !message.contains(cause) => format!("{message} · {}", cause.trim()),
        _ => message.to_owned(),
    }
}

/// Returns the last of a text's stacked codes, except those that only name a location.
pub(super) fn last_code(text: &str) -> Option<&str> {
    const PLACES: &[&str] = &["ORA-06512", "ORA-06508", "ORA-04088"];
    let mut codes = text.lines().map(str::trim).filter(|l| is_coded(l.as_bytes()));
    codes.rfind(|l| !PLACES.iter().any(|p| l.starts_with(p)))
}

/// Returns the cause of an event, with the frames below it: the root exception of a chain, or the
/// last of stacked codes. Returns `None` if there is no other text.
pub fn cause(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|l| l.trim_start().starts_with("Caused by: "));
    if let Some(at) = last {
        let first = lines[at].trim_start().trim_start_matches("Caused by: ");
        let frames = lines[at + 1..].iter().take_while(|l| l.starts_with([' ', '\t']));
        return Some(std::iter::once(&first).chain(frames).copied().collect::<Vec<_>>().join("\n"));
    }
    // Python prints the root first, and Oracle last.
    let root = lines.iter().position(is_chain);
    if let Some(end) = root {
        let start =
            lines[..end].iter().rposition(|l| l.starts_with("Traceback (most recent")).unwrap_or(0);
        return Some(lines[start..end].join("\n").trim().to_owned()).filter(|t| !t.is_empty());
    }
    last_code(text).filter(|code| text.trim() != *code).map(str::to_owned)
}
