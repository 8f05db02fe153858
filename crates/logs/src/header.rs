//! Parser for the header of a log line: the container's name, the time and the level.
//!
//! Works byte by byte, because a log of gigabytes has ten million lines, most of them informational.

use crate::formats::{FORMATS, MAX_HEADER, has_form, trim_separators};
pub use crate::formats::{Header, Level};

/// The maximum number of words after the time that are searched for a level.
const MAX_WORDS: usize = 7;
/// The maximum number of headers in front of a line, each from a different program.
const MAX_WRAPS: usize = 4;

/// Parses the header of a line.
pub fn parse_header(line: &[u8]) -> Header<'_> {
    let mut outer = Header { message: line, ..Header::default() };
    for _ in 0..MAX_WRAPS {
        let length = time_length(outer.message);
        let Some((inner, has_inner)) = FORMATS.parse_header(outer.message, length.is_some()) else {
            return merge(&outer, parse_general(outer.message, length));
        };
        outer = merge(&outer, inner);
        if !has_inner {
            return outer;
        }
    }
    outer
}

/// Merges the header of a line into that of the line that wraps it.
fn merge<'l>(outer: &Header<'l>, inner: Header<'l>) -> Header<'l> {
    Header { time: inner.time.or(outer.time), level: inner.level.or(outer.level), ..inner }
}

/// Parses a header that begins with a time of this length, a time in brackets, or a level.
fn parse_general(line: &[u8], length: Option<usize>) -> Header<'_> {
    // Only a bracket may precede a time: indented lines are continuations.
    let (start, length) = match line.first() {
        Some(b'[' | b'(' | b'*') => {
            let start = prefix_length(line, |b| matches!(b, b'[' | b'(' | b'*' | b' '));
            (start, time_length(&line[start..]))
        }
        _ => (0, length),
    };
    let Some(length) = length else {
        let level = leading_level(line).or_else(|| full_width_level(line));
        let (level, message) = level.map_or((None, line), |(l, m)| (Some(l), m));
        return Header { time: None, level, message };
    };
    let time = &line[start..start + length];
    let mut rest = &line[start + length..];
    rest = rest.strip_prefix(b"]").or_else(|| rest.strip_prefix(b")")).unwrap_or(rest);
    // A program may precede the message; it needs a process id unless the time names the month.
    if let Some(inner) = strip_syslog(rest)
        && (time[0].is_ascii_alphabetic() || rest[..rest.len() - inner.len()].ends_with(b"]: "))
        && leading_level(rest.trim_ascii_start()).is_none()
    {
        rest = inner;
    }
    let (level, message) = cell_level(rest)
        .or_else(|| find_level(rest))
        .or_else(|| full_width_level(trim_separators(rest)))
        .or_else(|| network_device_level(rest).map(|l| (l, rest)))
        .map_or((None, rest), |(l, m)| (Some(l), m));
    Header { time: Some(time), level, message: trim_separators(message) }
}

/// Returns the length of the name that Docker, Kubernetes or Flutter adds to a program's line.
pub fn source_length(line: &[u8]) -> usize {
    FORMATS.source_length(line)
}

/// Returns the offset of a byte that is followed by `rest`. Building a searcher would take longer than
/// scanning one line.
fn find(line: &[u8], first: u8, rest: &[u8]) -> Option<usize> {
    memchr::memchr_iter(first, line).find(|offset| line[offset + 1..].starts_with(rest))
}

fn prefix_length(line: &[u8], accepts: impl Fn(u8) -> bool) -> usize {
    line.iter().position(|b| !accepts(*b)).unwrap_or(line.len())
}

/// Returns the length of the time at the start of a line.
fn time_length(text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    if first.is_ascii_digit() {
        // ISO 8601 and similar: 2026-05-12T10:00:00, 12.05.2026 10:00:00, 05/12/26 10:00:00,
        // 12-May-2026 10:00:00, 5/12/2026 10:00:00 AM.
        for (form, clock) in [
            (&b"0000-00-00"[..], 11),
            (b"00-00-0000", 11),
            (b"00-AAA-0000", 12),
            (b"00-00-00 ", 9),
            (b"00-00 00:00", 6),
            (b"0-00-0000", 10),
            (b"00-0-0000", 10),
            (b"0-0-0000", 9),
        ] {
            if has_form(text, form) {
                let has_separator = text
                    .get(clock - 1)
                    .is_some_and(|b| matches!(b, b' ' | b'T' | b'_' | b',' | b':'));
                let clock = clock + usize::from(text.get(clock) == Some(&b' '));
                let rest = text.get(clock..).unwrap_or_default();
                if has_separator && (has_form(rest, b"00:00") || has_form(rest, b"0:00:00")) {
                    return Some(clock + clock_length(rest));
                }
            }
        }
        if has_form(text, b"00:00:00") {
            return Some(clock_length(text));
        }
        // Seconds or milliseconds since 1970, in this century.
        let digits = prefix_length(text, |b| b.is_ascii_digit());
        if matches!(digits, 10 | 13 | 16) && first == b'1' {
            let end = digits + prefix_length(&text[digits..], |b| b.is_ascii_digit() || b == b'.');
            return text
                .get(end)
                .is_none_or(|b| {
                    matches!(b, b' ' | b'\t' | b']' | b':') || *b == b',' && digits == 13
                })
                .then_some(end);
        }
        // The kernel's seconds since boot.
        if digits <= 7 && has_form(&text[digits..], b".000000") {
            return text.get(digits + 7).is_some_and(|b| *b == b']').then_some(digits + 7);
        }
        return None;
    }
    if first == b' ' {
        let gap = prefix_length(text, |b| b == b' ');
        return time_length(&text[gap..])
            .filter(|n| text.get(gap + n) == Some(&b']'))
            .map(|n| gap + n);
    }
    // A space follows the name of the month or of the day.
    if text.get(3) != Some(&b' ') {
        return None;
    }
    // May 12 10:00:00, May 12 2026 10:00:00 and Tue May 12 10:00:00.123 2026.
    for (form, month) in
        [(&b"AAA _0 00:00:00"[..], 0), (b"AAA AAA _0 00:00:00", 4), (b"AAA _0 0000 00:00:00", 0)]
    {
        if has_form(text, form) && is_month(&text[month..month + 3]) {
            let clock = form.len() - 8;
            let end = clock + clock_length(&text[clock..]);
            let has_year = has_form(&text[end..], b" 0000");
            return Some(if has_year { end + 5 } else { end });
        }
    }
    None
}

fn is_month(text: &[u8]) -> bool {
    const MONTHS: &[u8] = b"janfebmaraprmayjunjulaugsepoctnovdec";
    MONTHS.chunks(3).any(|month| text.eq_ignore_ascii_case(month))
}

/// Returns the length of a time of day, with its fraction and zone.
fn clock_length(text: &[u8]) -> usize {
    let mut end = prefix_length(text, |b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b','));
    while end > 0 && !text[end - 1].is_ascii_digit() {
        end -= 1;
    }
    match text.get(end..) {
        Some([b'Z', ..]) => end + 1,
        Some([b'+' | b'-', rest @ ..]) if has_form(rest, b"00") => {
            end + 1 + prefix_length(rest, |b| b.is_ascii_digit() || b == b':')
        }
        Some([b' ', b'+' | b'-', rest @ ..]) if has_form(rest, b"0000") => end + 6,
        Some([b' ', b'+' | b'-', rest @ ..]) if has_form(rest, b"00:00") => end + 7,
        Some([b' ', b'A' | b'P', b'M', ..]) => end + 3,
        Some([b' ', b'U', b'T', b'C', ..] | [b' ', b'G', b'M', b'T', ..]) => end + 4,
        _ => end,
    }
}

/// Skips the host and the program after syslog's time: `host app[12]: message`.
fn strip_syslog(rest: &[u8]) -> Option<&[u8]> {
    let window = &rest[..rest.len().min(MAX_HEADER)];
    let end = find(window, b':', b" ")?;
    // One or two words before the colon.
    let words = window[..end].split(|b| *b == b' ').filter(|w| !w.is_empty()).count();
    (words <= 2).then(|| &rest[end + 2..])
}

/// Returns the severity of a network device's message after its time: `%SYS-2-MALLOCFAIL: …`.
fn network_device_level(rest: &[u8]) -> Option<Level> {
    let window = &rest[..rest.len().min(MAX_HEADER)];
    memchr::memchr_iter(b'%', window)
        .find_map(|start| FORMATS.parse_header(&window[start..], false)?.0.level)
}

/// Parses a level at the start of a line, in full-width brackets or before a full-width colon.
/// Returns the level and the rest.
fn full_width_level(line: &[u8]) -> Option<(Level, &[u8])> {
    if line.first().is_none_or(u8::is_ascii) {
        return None;
    }
    let window = &line[..line.len().min(48)];
    for (open, close) in [("【", "】"), ("［", "］"), ("", "：")] {
        let Some(inner) = window.strip_prefix(open.as_bytes()) else { continue };
        if let Some(end) = memchr::memmem::find(inner, close.as_bytes())
            && let Some(level) = FORMATS.level(inner[..end].trim_ascii())
        {
            return Some((level, &line[open.len() + end + close.len()..]));
        }
    }
    None
}

fn trim_punctuation(word: &[u8]) -> &[u8] {
    let is_punctuation = |b: &u8| br#"[](){}<>:,|*""#.contains(b);
    let start = word.iter().position(|b| !is_punctuation(b)).unwrap_or(word.len());
    let end = word.iter().rposition(|b| !is_punctuation(b)).map_or(start, |last| last + 1);
    &word[start..end]
}

/// Returns whether a word is alphanumeric and not in capitals, unlike every level.
fn is_ordinary_word(word: &[u8]) -> bool {
    let mut is_uppercase = true;
    word.iter().all(|b| {
        is_uppercase &= b.is_ascii_uppercase();
        b.is_ascii_alphanumeric()
    }) && !is_uppercase
}

/// Returns the level after a time, and the rest of the line. A host, a thread or a logger may precede
/// the level.
fn find_level(rest: &[u8]) -> Option<(Level, &[u8])> {
    let window = &rest[..rest.len().min(MAX_HEADER)];
    let mut offset = 0;
    for (start, word) in window
        .split_inclusive(|b| matches!(b, b' ' | b'\t'))
        .take(MAX_WORDS * 2)
        .filter_map(|word| {
            let start = offset;
            offset += word.len();
            (word.len() > 1).then_some((start, word))
        })
        .take(MAX_WORDS)
    {
        let bare_word =
            word.strip_suffix(b" ").or_else(|| word.strip_suffix(b"\t")).unwrap_or(word);
        // Some loggers separate the level by tabs, such as zap.
        let is_cell = word.ends_with(b"\t") && rest[..start].ends_with(b"\t");
        // Most words belong to a sentence.
        if !is_cell && is_ordinary_word(bare_word) {
            continue;
        }
        let inner = trim_punctuation(bare_word);
        // [core:error], [ERROR][main], level=error, main/ERROR, cpu1:77)ALERT:, ERROR[77], DEBUG1
        let is_separator =
            |b: &u8| matches!(b, b':' | b'=' | b'/' | b'|' | b'.' | b']' | b'[' | b')');
        for piece in inner.split(is_separator).map(trim_punctuation) {
            let is_upper = piece.first().is_some_and(u8::is_ascii_uppercase);
            let digits = piece.iter().rev().take_while(|b| is_upper && b.is_ascii_digit()).count();
            let name = &piece[..piece.len() - digits];
            let Some(level) = FORMATS.level(name) else { continue };
            // "Call Trace:" and "Stack trace:" introduce a trace.
            let preceding = rest[..start].trim_ascii();
            if name.eq_ignore_ascii_case(b"trace")
                && preceding.last().is_some_and(u8::is_ascii_lowercase)
            {
                continue;
            }
            // A lower-case word is a level only in brackets or before a colon.
            let clause = bare_word.strip_suffix(b",").unwrap_or(bare_word);
            let is_marked = is_cell || clause.len() > inner.len() || inner.len() > piece.len();
            let following = inner.strip_prefix(piece).unwrap_or_default();
            let is_name = digits > 0 || following.starts_with(b"[");
            let is_level = name.iter().all(u8::is_ascii_uppercase)
                || is_marked && !is_name
                || !piece.is_ascii() && piece.len() == bare_word.len();
            if !is_level {
                continue;
            }
            // In "collect2: error: …", "main.c:3:5: error: …" and "error:0A000416:SSL …" the
            // location or code is part of the message.
            let is_lower = piece.iter().all(u8::is_ascii_lowercase);
            let is_code = bare_word.starts_with(piece) && following.starts_with(b":");
            let has_location = bare_word.ends_with(b":")
                && preceding.ends_with(b":")
                && !preceding.contains(&b' ');
            // In "##[error]Process", the message begins within the word. The piece is a slice of the
            // text.
            let piece_start = piece.as_ptr().addr().wrapping_sub(rest.as_ptr().addr());
            let suffix = rest.get(piece_start.wrapping_add(piece.len())..).unwrap_or_default();
            return Some(match suffix {
                _ if is_lower && (is_code || has_location) => (level, rest),
                [b']', b, ..] if b.is_ascii_alphanumeric() || !b.is_ascii() => {
                    (level, &suffix[1..])
                }
                _ => (level, &rest[(start + word.len()).min(rest.len())..]),
            });
        }
        // [Note], [W]
        if bare_word.first() == Some(&b'[')
            && let Some(level) = FORMATS.marks.get(inner)
        {
            return Some((level, &rest[(start + word.len()).min(rest.len())..]));
        }
    }
    None
}

/// Returns the level and the message of a table row whose first column is the time: `,ERROR,api,"it
/// broke"`.
fn cell_level(rest: &[u8]) -> Option<(Level, &[u8])> {
    let separator = *rest.first().filter(|b| matches!(b, b',' | b';'))?;
    let window = &rest[..rest.len().min(MAX_HEADER)];
    let mut offset = 1;
    for cell in window[1..].split(|b| *b == separator).take(MAX_WORDS) {
        offset += cell.len() + 1;
        if let Some(level) = FORMATS.level(trim_punctuation(cell)) {
            let text = rest.get(offset..).unwrap_or_default().trim_ascii_end();
            // The message is a quoted cell, else the rest of the row.
            let cell_text = memchr::memchr(b'"', text).map(|start| &text[start + 1..]);
            let message = cell_text.and_then(|q| q.strip_suffix(b"\"")).unwrap_or(text);
            return Some((level, message));
        }
    }
    None
}

/// Returns a level at the start of a line, and the rest: `ERROR: …`, `[error] …`, `error: …`,
/// `ERROR …`.
fn leading_level(line: &[u8]) -> Option<(Level, &[u8])> {
    let end = prefix_length(&line[..line.len().min(24)], |b| !matches!(b, b' ' | b'\t'));
    let word = &line[..end];
    let inner = trim_punctuation(word);
    let len =
        memchr::memchr(b':', inner).or_else(|| memchr::memchr(b'[', inner)).unwrap_or(inner.len());
    // "panic: …" is a message of Go, not a level.
    let level =
        FORMATS.level(&inner[..len]).filter(|_| !inner[..len].eq_ignore_ascii_case(b"panic"))?;
    let is_marked =
        word.len() > len || inner.iter().all(u8::is_ascii_uppercase) || !inner.is_ascii();
    let message_start = if inner.get(len) == Some(&b':') { len + 1 } else { end };
    is_marked.then(|| (level, trim_separators(&line[message_start.min(line.len())..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_every_format_are_parsed() {
        let table: toml::Table = toml::from_str(include_str!("formats.toml")).unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        for format in table["format"].as_array().unwrap() {
            for sample in format["samples"].as_array().unwrap() {
                let [line, time, level, message] =
                    [0, 1, 2, 3].map(|n| sample[n].as_str().unwrap());
                let header = parse_header(&line.as_bytes()[source_length(line.as_bytes())..]);
                let found =
                    header.level.map(|l| format!("{l:?}").to_lowercase()).unwrap_or_default();
                let found =
                    [header.time.map(text).unwrap_or_default(), found, text(header.message)];
                assert_eq!(found, [time, level, message], "{:?}: {line}", format["name"]);
            }
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_accepted(line in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80)) {
            parse_header(&line);
        }

        #[test]
        fn no_header_like_line_panics(line in "[\\[(<]{0,2}[0-9T: ./,+-]{0,30}( ?[A-Za-z\\]\\[:=|]{0,8}){0,5}") {
            parse_header(line.as_bytes());
        }
    }
}
