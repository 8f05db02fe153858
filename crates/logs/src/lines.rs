//! Classification of lines (start of a trace, frame, code, kernel dump), and one-line summaries of
//! events.

use std::borrow::Cow;

use crate::{
    crash,
    formats::{FORMATS, Header},
};

/// The maximum length of a line, in bytes; the rest is dropped.
pub(super) const MAX_LINE: usize = 16 * 1024;

pub(super) fn trim_line_break(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Decodes UTF-8 and replaces invalid bytes. Checking all bytes first is several times faster for
/// valid text.
pub(super) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// Returns the offset after the time, which is a slice of the line; 0 without a time.
fn time_end(line: &[u8], header: &Header<'_>) -> usize {
    header.time.map_or(0, |time| {
        time.as_ptr().addr().wrapping_sub(line.as_ptr().addr()).wrapping_add(time.len())
    })
}

/// Returns the text between the time and the message of a line.
pub(super) fn middle<'l>(line: &'l [u8], header: &Header<'_>) -> &'l [u8] {
    let message_start = line.len() - header.message.len().min(line.len());
    line.get(time_end(line, header)..message_start).unwrap_or_default().trim_ascii_end()
}

/// Returns the text of a line after its time, with its indent and its level.
pub(super) fn strip_time<'l>(line: &'l [u8], header: &Header<'_>) -> &'l [u8] {
    if header.time.is_none() {
        return line;
    }
    let rest = line.get(time_end(line, header)..).unwrap_or_default();
    let rest = rest.strip_prefix(b"]").or_else(|| rest.strip_prefix(b")")).unwrap_or(rest);
    rest.strip_prefix(b" ").unwrap_or(rest)
}

/// Returns the indent of a message after its header.
pub(super) fn message_indent(line: &[u8], header: &Header<'_>) -> usize {
    let message_start = line.len() - header.message.len().min(line.len());
    line[..message_start].iter().rev().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// Returns whether a string has no words outside brackets.
pub(super) fn is_wordless(text: &str) -> bool {
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
pub(super) fn is_chain_link(line: impl AsRef<[u8]>) -> bool {
    let line = line.as_ref().trim_ascii_start();
    line.starts_with(b"During handling of the above") || line.starts_with(b"The above exception")
}

/// Returns whether a message after a header can only be part of a trace.
pub(super) fn is_frame(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    FORMATS.starts.frame.matches(text)
        || crash::is_ruby_frame(text)
        || text.strip_prefix(b"#").is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit))
}

/// Returns the length of the code at the start of a string: two to six capitals, a hyphen, and
/// three to six digits.
pub(super) fn code_length(text: &[u8]) -> Option<usize> {
    let letters = text.iter().take_while(|b| b.is_ascii_uppercase()).count();
    let digits = text.get(letters + 1..)?.iter().take_while(|b| b.is_ascii_digit()).count();
    let is_code = text[letters] == b'-' && (2..=6).contains(&letters) && (3..=6).contains(&digits);
    is_code.then_some(letters + 1 + digits)
}

/// Returns whether a line starts with a code, as in the error stacks of databases: `ORA-01555:
/// snapshot too old`.
pub(super) fn starts_with_code(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    code_length(line).is_some_and(|length| line.get(length) == Some(&b':'))
}

pub(super) fn is_kernel_dump_line(line: &[u8]) -> bool {
    FORMATS.starts.kernel_dump.matches(line) || memchr::memmem::find(line, b"+0x").is_some()
}

/// Returns whether a line without a time starts another event.
pub(super) fn starts_event(line: &[u8]) -> bool {
    FORMATS.starts.event.matches(line)
        || line.first() == Some(&b'=') && crash::is_failure_report(line)
}

/// Returns whether a line without a time starts a trace or an exception.
pub(super) fn starts_trace(line: &[u8]) -> bool {
    let word = line.split(|b| matches!(b, b':' | b' ')).next().unwrap_or_default();
    starts_event(line)
        || [&b"Exception"[..], b"Error"].iter().any(|e| word.ends_with(e) && word.len() > e.len())
}

/// Returns whether a line can only be part of a trace.
pub(super) fn is_trace_line(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    FORMATS.starts.trace.matches(line)
        || crash::is_ruby_frame(line)
        || ((1..4).contains(&digits) && line[digits..].starts_with(b": "))
}

pub(super) fn first_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim()
}

/// Returns whether a message is only the category of a .NET logger, whose message is on the next line:
/// `Acme.Orders[0]`.
fn is_category(message: &str) -> bool {
    message.strip_suffix(']').and_then(|front| front.rsplit_once('[')).is_some_and(|(name, id)| {
        let is_number = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
        is_number && name.contains('.') && !name.contains(char::is_whitespace)
    })
}

/// Returns the one-line summary of an event: the message, and the root exception of its trace unless
/// the message names it.
pub(super) fn summarize(message: &str, text: &str) -> String {
    let rest = || text.lines().skip(1).map(str::trim).filter(|l| !l.is_empty());
    if let Some(crash_text) = crash::android_crash_text(text) {
        let exception = crash_text.lines().next().unwrap_or_default();
        return summarize(exception, &crash_text);
    }
    if let Some(name) = crash::summarize(message, text) {
        return name;
    }
    if is_category(message)
        && let Some((_, text)) = text.split_once('\n')
    {
        return summarize(&format!("{message}: {}", first_line(text)), text.trim_start());
    }
    if message.starts_with("Traceback (most recent") {
        let is_unindented = |l: &&str| !l.is_empty() && !l.starts_with([' ', '\t']);
        let last = text.lines().rfind(is_unindented).unwrap_or(message).trim();
        // Python prints the root of a chain first.
        let root = text
            .lines()
            .take_while(|l| !is_chain_link(l))
            .filter(is_unindented)
            .last()
            .unwrap_or(last)
            .trim();
        let is_chained = root != last && !root.starts_with("Traceback");
        return if is_chained { format!("{last} · {root}") } else { last.to_owned() };
    }
    if message.ends_with(':') || is_wordless(message) || message.contains("╡ EXCEPTION") {
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
    let python_exception = || {
        let has_traceback = text.contains("Traceback (most recent");
        text.lines()
            .rfind(|l| has_traceback && !l.is_empty() && !l.starts_with([' ', '\t']))
            .filter(|l| *l != message && !l.starts_with("Traceback (most recent"))
    };
    match cause.or_else(python_exception).or_else(exception) {
        Some(cause) if !message.contains(cause) => format!("{message} · {}", cause.trim()),
        _ => message.to_owned(),
    }
}

/// Returns the last of an event's stacked codes, except those that only name a location.
pub(super) fn last_code(text: &str) -> Option<&str> {
    const LOCATION_CODES: &[&str] = &["ORA-06512", "ORA-06508", "ORA-04088"];
    let mut codes = text.lines().map(str::trim).filter(|l| starts_with_code(l.as_bytes()));
    codes.rfind(|l| !LOCATION_CODES.iter().any(|p| l.starts_with(p)))
}

/// Returns the root cause of an event with the frames below it: the root exception of a chain, or the
/// last of stacked codes. Returns `None` if the event names no cause.
pub fn cause(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let last = lines.iter().rposition(|l| l.trim_start().starts_with("Caused by: "));
    if let Some(index) = last {
        let first = lines[index].trim_start().trim_start_matches("Caused by: ");
        let frames = lines[index + 1..].iter().take_while(|l| l.starts_with([' ', '\t']));
        return Some(std::iter::once(&first).chain(frames).copied().collect::<Vec<_>>().join("\n"));
    }
    // Python prints the root first, and Oracle last.
    let root = lines.iter().position(is_chain_link);
    if let Some(end) = root {
        let start =
            lines[..end].iter().rposition(|l| l.starts_with("Traceback (most recent")).unwrap_or(0);
        return Some(lines[start..end].join("\n").trim().to_owned()).filter(|t| !t.is_empty());
    }
    last_code(text).filter(|code| text.trim() != *code).map(str::to_owned)
}
