//! Parser of the header of a log line: the container's name, the time, the level; and the start of
//! the message.
//!
//! Works byte by byte: a log of gigabytes has ten million lines, and most of them are
//! informational.

use crate::header_formats;
pub use crate::level::{Head, Level};

/// The number of bytes and of words after the time in which a level is searched.
const NEAR: usize = 160;
const WORDS: usize = 7;

/// Parses the header of a line.
pub fn head(line: &[u8]) -> Head<'_> {
    let (line, outer_level) = container(line);
    let start = skip(line, |b| matches!(b, b'[' | b'(' | b'*' | b' '));
    // Only a bracket may precede a time: indented lines are continuations.
    let start =
        if line.first().is_some_and(|b| matches!(b, b'[' | b'(' | b'*')) { start } else { 0 };
    if let Some((time, severity, end)) = klog(line).or_else(|| logcat(line)).or_else(|| ruby(line))
    {
        return Head {
            at: Some(time),
            level: Some(severity),
            message: trim_separators(&line[end..]),
        };
    }
    if let Some(head) = access(line).or_else(|| header_formats::head(line)) {
        return head;
    }
    let Some(length) = time(&line[start..]) else {
        let (level, message) = first_word(line)
            .or_else(|| wide(line))
            .or_else(|| line.starts_with(b"%").then(|| facility(line)).flatten().map(|l| (l, line)))
            .or(outer_level.map(|l| (l, line)))
            .map_or((None, line), |(l, m)| (Some(l), m));
        return Head { at: None, level, message };
    };
    let at = &line[start..start + length];
    let mut rest = &line[start + length..];
    rest = rest.strip_prefix(b"]").or_else(|| rest.strip_prefix(b")")).unwrap_or(rest);
    // The Kubernetes runtime adds stdout or stderr, and whether the line is complete.
    for stream in [&b" stdout "[..], b" stderr "] {
        if let Some(inner) =
            rest.strip_prefix(stream).filter(|r| matches!(r, [b'F' | b'P', b' ', ..]))
        {
            let inner = head(&inner[2..]);
            return Head { at: inner.at.or(Some(at)), ..inner };
        }
    }
    // After a time with a month's name any program may precede the message, else one with its
    // process id.
    if let Some(inner) = syslog(rest)
        && (at[0].is_ascii_alphabetic() || rest[..rest.len() - inner.len()].ends_with(b"]: "))
    {
        rest = inner;
    }
    let (level, message) = cells(rest)
        .or_else(|| level(rest))
        .or_else(|| wide(trim_separators(rest)))
        .or_else(|| facility(rest).map(|l| (l, rest)))
        .map_or((None, rest), |(l, m)| (Some(l), m));
    Head { at: Some(at), level: level.or(outer_level), message: trim_separators(message) }
}

/// Strips the name that Docker and Kubernetes add to a line, and syslog's priority, which is a
/// level.
fn container(line: &[u8]) -> (&[u8], Option<Level>) {
    if let [b'<', rest @ ..] = line
        && let Some(end) = rest.iter().take(4).position(|b| *b == b'>')
        && let Some(number) = number(&rest[..end]).filter(|_| end > 0)
    {
        let level = Level::of_syslog(u64::from(number % 8));
        let rest = &rest[end + 1..];
        return (rest.strip_prefix(b"1 ").unwrap_or(rest), Some(level));
    }
    if let Some((level, end)) = android(line) {
        return (&line[end..], level);
    }
    (&line[source(line)..], None)
}

/// Returns the length of the name that Docker, Kubernetes or Flutter adds to a program's line.
pub fn source(line: &[u8]) -> usize {
    // Most lines begin with a time, which no name does.
    if line.first().is_none_or(u8::is_ascii_digit) {
        return 0;
    }
    if line.starts_with(b"[pod/")
        && let Some(end) = memchr::memchr(b']', line)
    {
        return end + 1 + usize::from(line.get(end + 1) == Some(&b' '));
    }
    if let Some((None, end)) = android(line) {
        return end;
    }
    let name = skip(line, |b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'));
    let gap = name + skip(&line[name..], |b| b == b' ');
    if name > 0 && gap > name && line[gap..].starts_with(b"| ") {
        return gap + 2;
    }
    0
}

/// Parses `E/Tag( 123): message`, Android's brief format. Flutter logs errors as information, so
/// its level is ignored.
fn android(line: &[u8]) -> Option<(Option<Level>, usize)> {
    let [first, b'/', rest @ ..] = line else { return None };
    let level = letter(*first)?;
    let near = &rest[..rest.len().min(NEAR)];
    let open = memchr::memchr(b'(', near)?;
    let close = open + memchr::memmem::find(&near[open..], b"):")?;
    let digits = near[open + 1..close].trim_ascii();
    if open == 0 || digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let end = close + 4;
    let end = end + usize::from(line.get(end) == Some(&b' '));
    let flutter = rest[..open].trim_ascii() == b"flutter";
    Some((Some(level).filter(|_| !flutter), end))
}

/// Parses `E, [2026-05-12T10:00:00.123456 #811] ERROR -- name: message`, the format of Ruby's
/// logger.
fn ruby(line: &[u8]) -> Option<(&[u8], Level, usize)> {
    let [first, b',', b' ', b'[', rest @ ..] = line else { return None };
    let level = letter(*first)?;
    let time = time(rest)?;
    let dashes = memchr::memmem::find(&line[..line.len().min(NEAR)], b"-- ")?;
    let name = memchr::memchr(b':', &line[dashes..line.len().min(dashes + NEAR)])?;
    Some((&rest[..time], level, dashes + name + 1))
}

/// Returns the offset of a byte that is followed by others. Building a searcher takes longer than
/// scanning one line.
fn find(line: &[u8], first: u8, rest: &[u8]) -> Option<usize> {
    memchr::memchr_iter(first, line).find(|at| line[at + 1..].starts_with(rest))
}

fn skip(line: &[u8], accepts: impl Fn(u8) -> bool) -> usize {
    line.iter().position(|b| !accepts(*b)).unwrap_or(line.len())
}

fn trim_separators(line: &[u8]) -> &[u8] {
    let start = skip(line, |b| matches!(b, b' ' | b'\t' | b':' | b'-' | b'|' | b'>' | b']' | b','));
    // A dash may begin an option, and a bracket a name.
    &line[start..]
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |n, b| {
        b.is_ascii_digit().then(|| n.saturating_mul(10).saturating_add(u32::from(b - b'0')))
    })
}

/// Returns whether a text has a form: `d` matches a digit, `D` a digit or a space, `a` a letter,
/// `-` a separator of dates, and any other byte itself.
fn has(text: &[u8], form: &[u8]) -> bool {
    text.len() >= form.len()
        && form.iter().zip(text).all(|(f, b)| match f {
            b'd' => b.is_ascii_digit(),
            b'D' => b.is_ascii_digit() || *b == b' ',
            b'a' => b.is_ascii_alphabetic(),
            b'-' => matches!(b, b'-' | b'/' | b'.'),
            f => f == b,
        })
}

/// Returns the length of the time at the start of a text.
fn time(text: &[u8]) -> Option<usize> {
    let first = *text.first()?;
    if first.is_ascii_digit() {
        // ISO 8601 and similar: 2026-05-12T10:00:00, 12.05.2026 10:00:00, 05/12/26 10:00:00,
        // 12-May-2026 10:00:00.
        for (form, clock) in [
            (&b"dddd-dd-dd"[..], 11),
            (b"dd-dd-dddd", 11),
            (b"dd-aaa-dddd", 12),
            (b"dd-dd-dd ", 9),
            (b"dd-dd dd:dd", 6),
        ] {
            if has(text, form) {
                let between = text
                    .get(clock - 1)
                    .is_some_and(|b| matches!(b, b' ' | b'T' | b'_' | b',' | b':'));
                let clock = clock + usize::from(text.get(clock) == Some(&b' '));
                if between
                    && (has(&text[clock.min(text.len())..], b"dd:dd")
                        || has(&text[clock.min(text.len())..], b"d:dd:dd"))
                {
                    return Some(clock + tail(&text[clock..]));
                }
            }
        }
        if has(text, b"dd:dd:dd") {
            return Some(tail(text));
        }
        // Seconds or milliseconds since 1970, in this century.
        let digits = skip(text, |b| b.is_ascii_digit());
        if matches!(digits, 10 | 13 | 16) && first == b'1' {
            let fraction = digits + skip(&text[digits..], |b| b.is_ascii_digit() || b == b'.');
            return text
                .get(fraction)
                .is_none_or(|b| {
                    matches!(b, b' ' | b'\t' | b']' | b':') || *b == b',' && digits == 13
                })
                .then_some(fraction);
        }
        // The kernel's seconds since boot.
        if digits <= 7 && has(&text[digits..], b".dddddd") {
            return text.get(digits + 7).is_some_and(|b| *b == b']').then_some(digits + 7);
        }
        return None;
    }
    if first == b' ' {
        let gap = skip(text, |b| b == b' ');
        return time(&text[gap..]).filter(|n| text.get(gap + n) == Some(&b']')).map(|n| gap + n);
    }
    // A space follows the name of the month or of the day.
    if text.get(3) != Some(&b' ') {
        return None;
    }
    // May 12 10:00:00, May 12 2026 10:00:00 and Tue May 12 10:00:00.123 2026.
    for (form, month) in
        [(&b"aaa Dd dd:dd:dd"[..], 0), (b"aaa aaa Dd dd:dd:dd", 4), (b"aaa Dd dddd dd:dd:dd", 0)]
    {
        if has(text, form) && is_month(&text[month..month + 3]) {
            let clock = form.len() - 8;
            let end = clock + tail(&text[clock..]);
            let year = has(&text[end..], b" dddd");
            return Some(if year { end + 5 } else { end });
        }
    }
    None
}

fn is_month(text: &[u8]) -> bool {
    let Ok(mut name) = <[u8; 3]>::try_from(text) else { return false };
    name.make_ascii_lowercase();
    matches!(
        &name,
        b"jan"
            | b"feb"
            | b"mar"
            | b"apr"
            | b"may"
            | b"jun"
            | b"jul"
            | b"aug"
            | b"sep"
            | b"oct"
            | b"nov"
            | b"dec"
    )
}

/// Returns the length of a time of day, with its fraction and zone.
fn tail(text: &[u8]) -> usize {
    let mut end = skip(text, |b| b.is_ascii_digit() || matches!(b, b':' | b'.' | b','));
    while end > 0 && !text[end - 1].is_ascii_digit() {
        end -= 1;
    }
    match text.get(end..) {
        Some([b'Z', ..]) => end + 1,
        Some([b'+' | b'-', rest @ ..]) if has(rest, b"dd") => {
            end + 1 + skip(rest, |b| b.is_ascii_digit() || b == b':')
        }
        Some([b' ', b'+' | b'-', rest @ ..]) if has(rest, b"dddd") => end + 6,
        Some([b' ', b'A' | b'P', b'M', ..]) => end + 3,
        Some([b' ', b'U', b'T', b'C', ..] | [b' ', b'G', b'M', b'T', ..]) => end + 4,
        _ => end,
    }
}

/// Skips the host and the program after syslog's time: `host app[12]: message`.
fn syslog(rest: &[u8]) -> Option<&[u8]> {
    let near = &rest[..rest.len().min(NEAR)];
    let end = find(near, b':', b" ")?;
    // One or two words before the colon.
    let words = near[..end].split(|b| *b == b' ').filter(|w| !w.is_empty()).count();
    (words <= 2).then(|| &rest[end + 2..])
}

/// Parses `E0512 10:00:00.000000   1 file.go:12] message`, the format of glog and klog.
fn klog(line: &[u8]) -> Option<(&[u8], Level, usize)> {
    if !has(line, b"adddd dd:dd:dd.dddddd") {
        return None;
    }
    let end = memchr::memchr(b']', &line[..line.len().min(NEAR)])?;
    Some((&line[1..21], letter(line[0])?, end + 1))
}

/// Parses `05-12 10:00:00.000  123  456 E Tag: message`, Android's format.
fn logcat(line: &[u8]) -> Option<(&[u8], Level, usize)> {
    if !has(line, b"dd-dd dd:dd:dd.ddd ") {
        return None;
    }
    let mut words = line[18..].split(|b| *b == b' ').filter(|w| !w.is_empty());
    let letter = words.nth(2).filter(|w| w.len() == 1).and_then(|w| letter(w[0]))?;
    let end = line[18..].iter().position(|b| b.is_ascii_uppercase())? + 19;
    Some((&line[..18], letter, end))
}

fn letter(letter: u8) -> Option<Level> {
    Some(match letter {
        b'V' | b'D' | b'I' | b'T' => Level::Fine,
        b'W' => Level::Warning,
        b'E' => Level::Error,
        b'F' | b'A' | b'C' => Level::Fatal,
        _ => return None,
    })
}

/// Parses a line of a web server's access log; a server error is an error.
fn access(line: &[u8]) -> Option<Head<'_>> {
    let first = *line.first()?;
    if !first.is_ascii_alphanumeric() && first != b':' {
        return None;
    }
    let near = &line[..line.len().min(NEAR)];
    let bracket = memchr::memchr(b'[', near)?;
    if !has(&line[bracket + 1..], b"dd/aaa/dddd:dd:dd:dd") {
        return None;
    }
    let close = bracket + find(&line[bracket..], b']', b" \"")?;
    let request = &line[close + 3..];
    let quote = memchr::memchr(b'"', request)?;
    let status = request.get(quote + 2..quote + 5).and_then(number)?;
    let level = if status >= 500 { Level::Error } else { Level::Fine };
    Some(Head {
        at: Some(&line[bracket + 1..close]),
        level: Some(level),
        message: &line[close + 2..close + 3 + quote + 5],
    })
}

/// Returns the level that a word names.
fn parse_level(word: &[u8]) -> Option<Level> {
    if word.first().is_some_and(|b| !b.is_ascii()) {
        return in_asia(word);
    }
    let first = word.first()?.to_ascii_lowercase();
    // Most words are ruled out by their first letter and length.
    let lengths = LENGTHS.get(usize::from(first.checked_sub(b'a')?))?;
    if word.len() > LONGEST || lengths & (1 << word.len()) == 0 {
        return None;
    }
    LEVELS.iter().find(|(name, _)| word.eq_ignore_ascii_case(name)).map(|(_, level)| *level)
}

/// The names of levels.
const LEVELS: &[(&[u8], Level)] = &[
    (b"info", Level::Fine),
    (b"debug", Level::Fine),
    (b"trace", Level::Fine),
    (b"notice", Level::Fine),
    (b"verbose", Level::Fine),
    (b"information", Level::Fine),
    (b"inf", Level::Fine),
    (b"dbg", Level::Fine),
    (b"log", Level::Fine),
    (b"fine", Level::Fine),
    (b"finer", Level::Fine),
    (b"finest", Level::Fine),
    (b"config", Level::Fine),
    (b"statement", Level::Fine),
    (b"hint", Level::Fine),
    (b"detail", Level::Fine),
    (b"warn", Level::Warning),
    (b"warning", Level::Warning),
    (b"wrn", Level::Warning),
    (b"error", Level::Error),
    (b"err", Level::Error),
    (b"severe", Level::Error),
    (b"fail", Level::Error),
    (b"fatal", Level::Fatal),
    (b"critical", Level::Fatal),
    (b"crit", Level::Fatal),
    (b"alert", Level::Fatal),
    (b"emerg", Level::Fatal),
    (b"emergency", Level::Fatal),
    (b"panic", Level::Fatal),
    (b"ftl", Level::Fatal),
];
/// The length of the longest name, in bytes.
const LONGEST: usize = 11;
/// The lengths of the names for each first letter, as a bit set.
const LENGTHS: [u16; 26] = {
    let mut lengths = [0_u16; 26];
    let mut at = 0;
    while at < LEVELS.len() {
        let name = LEVELS[at].0;
        lengths[(name[0] - b'a') as usize] |= 1 << name.len();
        at += 1;
    }
    lengths
};

/// Returns the level that a Japanese, Chinese or Korean word names.
fn in_asia(word: &[u8]) -> Option<Level> {
    Some(match std::str::from_utf8(word).ok()? {
        "致命的" | "致命" | "重大" | "緊急" | "紧急" | "致命的エラー" | "致命错误" | "致命錯誤"
        | "重大なエラー" | "치명적" => Level::Fatal,
        "エラー" | "错误" | "錯誤" | "严重" | "嚴重" | "严重错误" | "异常" | "異常" | "例外"
        | "障害" | "失敗" | "失败" | "오류" | "에러" => Level::Error,
        "警告" | "注意" | "경고" => Level::Warning,
        "情報" | "信息" | "資訊" | "通知" | "调试" | "デバッグ" | "정보" => {
            Level::Fine
        }
        _ => return None,
    })
}

/// Returns the severity of a network device's message: `%SYS-2-MALLOCFAIL: …`.
fn facility(rest: &[u8]) -> Option<Level> {
    let near = &rest[..rest.len().min(NEAR)];
    let of_name = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    memchr::memchr_iter(b'%', near).find_map(|at| {
        let text = &near[at + 1..];
        let name = skip(text, of_name);
        let [b'-', severity @ b'0'..=b'7', b'-', rest @ ..] = text.get(name..)? else {
            return None;
        };
        let mnemonic = skip(rest, of_name);
        (name > 1 && mnemonic > 1 && rest.get(mnemonic) == Some(&b':'))
            .then(|| Level::of_syslog(u64::from(severity - b'0')))
    })
}

/// Parses a level at the start of a text, in full-width brackets or before a full-width colon.
/// Returns the level and the rest.
fn wide(line: &[u8]) -> Option<(Level, &[u8])> {
    if line.first().is_none_or(u8::is_ascii) {
        return None;
    }
    let near = &line[..line.len().min(48)];
    for (open, close) in [("【", "】"), ("［", "］"), ("", "：")] {
        let Some(inner) = near.strip_prefix(open.as_bytes()) else { continue };
        if let Some(end) = memchr::memmem::find(inner, close.as_bytes())
            && let Some(level) = parse_level(inner[..end].trim_ascii())
        {
            return Some((level, &line[open.len() + end + close.len()..]));
        }
    }
    None
}

fn bare(word: &[u8]) -> &[u8] {
    let edge = |b: &u8| {
        matches!(
            b,
            b'[' | b']'
                | b'('
                | b')'
                | b'{'
                | b'}'
                | b'<'
                | b'>'
                | b':'
                | b','
                | b'|'
                | b'*'
                | b'"'
        )
    };
    let start = word.iter().position(|b| !edge(b)).unwrap_or(word.len());
    let end = word.iter().rposition(|b| !edge(b)).map_or(start, |at| at + 1);
    &word[start..end]
}

/// Returns whether a word has neither punctuation nor capitals only; every level has one of these.
fn is_plain(word: &[u8]) -> bool {
    let mut capitals = true;
    word.iter().all(|b| {
        capitals &= b.is_ascii_uppercase();
        b.is_ascii_alphanumeric()
    }) && !capitals
}

/// Returns the level after a time, and the rest of the line. Words before it name a host, a thread
/// or a logger.
fn level(rest: &[u8]) -> Option<(Level, &[u8])> {
    let near = &rest[..rest.len().min(NEAR)];
    let mut at = 0;
    for word in near
        .split_inclusive(|b| matches!(b, b' ' | b'\t'))
        .take(WORDS * 2)
        .filter_map(|word| {
            let start = at;
            at += word.len();
            (word.len() > 1).then_some((start, word))
        })
        .take(WORDS)
    {
        let (start, word) = word;
        let bare_word =
            word.strip_suffix(b" ").or_else(|| word.strip_suffix(b"\t")).unwrap_or(word);
        // Most words belong to a sentence.
        if is_plain(bare_word) {
            continue;
        }
        let inner = bare(bare_word);
        // [core:error], [ERROR][main], level=error, main/ERROR
        for piece in inner.split(|b| matches!(b, b':' | b'=' | b'/' | b'|' | b'.' | b']')) {
            let piece = bare(piece);
            // A lower-case level is in brackets or ends with a colon, else it is a word of a
            // sentence.
            let clause = bare_word.strip_suffix(b",").unwrap_or(bare_word);
            let is_marked = clause.len() > inner.len() || inner.len() > piece.len();
            // "Call Trace:" and "Stack trace:" introduce a trace.
            let is_trace_heading = piece.eq_ignore_ascii_case(b"trace")
                && rest[..start].trim_ascii_end().last().is_some_and(u8::is_ascii_lowercase);
            if is_trace_heading {
                continue;
            }
            let stands = || {
                is_marked
                    || piece.iter().all(u8::is_ascii_uppercase)
                    || !piece.is_ascii() && piece.len() == bare_word.len()
            };
            if let Some(level) = parse_level(piece).filter(|_| stands()) {
                // In "collect2: error: …" and "main.c:3:5: error: …" the location is part of the
                // message.
                let front = rest[..start].trim_ascii();
                let says_where = piece.iter().all(u8::is_ascii_lowercase)
                    && bare_word.ends_with(b":")
                    && front.ends_with(b":")
                    && !front.contains(&b' ');
                let whole = says_where || header_formats::is_openssl(inner);
                let from = if whole { 0 } else { (start + word.len()).min(rest.len()) };
                return Some((level, &rest[from..]));
            }
            // MySQL's own levels are ordinary words elsewhere.
            if bare_word.starts_with(b"[") && matches!(inner, b"Note" | b"System") {
                return Some((Level::Fine, &rest[(start + word.len()).min(rest.len())..]));
            }
        }
    }
    None
}

/// Returns the level and the message of a table row whose first column is the time: `,ERROR,api,"it
/// broke"`.
fn cells(rest: &[u8]) -> Option<(Level, &[u8])> {
    let sign = *rest.first().filter(|b| matches!(b, b',' | b';'))?;
    let near = &rest[..rest.len().min(NEAR)];
    let mut at = 1;
    for cell in near[1..].split(|b| *b == sign).take(WORDS) {
        at += cell.len() + 1;
        if let Some(level) = parse_level(bare(cell)) {
            let text = rest.get(at..).unwrap_or_default().trim_ascii_end();
            // A quoted cell is the message, else all of the remaining row.
            let cell_text = memchr::memchr(b'"', text).map(|start| &text[start + 1..]);
            let message = cell_text.and_then(|q| q.strip_suffix(b"\"")).unwrap_or(text);
            return Some((level, message));
        }
    }
    None
}

/// Returns a level at the start of a line, and the rest: `ERROR: …`, `[error] …`, `error: …`,
/// `ERROR …`.
fn first_word(line: &[u8]) -> Option<(Level, &[u8])> {
    let end = skip(&line[..line.len().min(24)], |b| !matches!(b, b' ' | b'\t'));
    let word = &line[..end];
    let inner = bare(word);
    let at =
        memchr::memchr(b':', inner).or_else(|| memchr::memchr(b'[', inner)).unwrap_or(inner.len());
    // "panic: …" is Go's message, and no level.
    let level =
        parse_level(&inner[..at]).filter(|_| !inner[..at].eq_ignore_ascii_case(b"panic"))?;
    let is_marked =
        word.len() > at || inner.iter().all(u8::is_ascii_uppercase) || !inner.is_ascii();
    let from = match inner.get(at) {
        Some(b':') if header_formats::is_openssl(inner) => 0,
        Some(b':') => header_formats::bracket(line).unwrap_or(at + 1),
        _ => end,
    };
    is_marked.then(|| (level, trim_separators(&line[from.min(line.len())..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the time, level and message of a line, as text.
    fn parts(line: &str) -> (String, Option<Level>, String) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let head = head(line.as_bytes());
        (head.at.map(text).unwrap_or_default(), head.level, text(head.message))
    }

    #[test]
    fn heads_of_many_programs() {
        use Level::{Error, Fatal, Fine, Warning};
        for (line, at, level, message) in [
            (
                "2026-05-12T10:00:00.123Z ERROR app::db: no slot left",
                "2026-05-12T10:00:00.123Z",
                Some(Error),
                "app::db: no slot left",
            ),
            (
                "2026-05-12 10:00:00,123 [main] WARN  com.acme.Pool - slow",
                "2026-05-12 10:00:00,123",
                Some(Warning),
                "com.acme.Pool - slow",
            ),
            (
                "[2026-05-12 10:00:00] production.ERROR: it broke",
                "2026-05-12 10:00:00",
                Some(Error),
                "it broke",
            ),
            (
                "2026-05-12 10:00:00 UTC [77] FATAL:  the database is starting up",
                "2026-05-12 10:00:00 UTC",
                Some(Fatal),
                "the database is starting up",
            ),
            (
                "2026/05/12 10:00:00 [error] 12#12: *5 connect() failed",
                "2026/05/12 10:00:00",
                Some(Error),
                "12#12: *5 connect() failed",
            ),
            ("12.05.2026 10:00:00 FEHLER x", "12.05.2026 10:00:00", None, "FEHLER x"),
            ("05/12/2026 10:00:00 AM Error: x", "05/12/2026 10:00:00 AM", Some(Error), "x"),
            (
                "12-May-2026 10:00:00.123 SEVERE [main] org.x.Y start",
                "12-May-2026 10:00:00.123",
                Some(Error),
                "[main] org.x.Y start",
            ),
            (
                "May 12 10:00:00 web1 kernel: Out of memory: Killed process 12",
                "May 12 10:00:00",
                None,
                "Out of memory: Killed process 12",
            ),
            (
                "May  2 10:00:00 web1 app[12]: ERROR it broke",
                "May  2 10:00:00",
                Some(Error),
                "it broke",
            ),
            (
                "<11>1 2026-05-12T10:00:00Z web1 app 12 - - it broke",
                "2026-05-12T10:00:00Z",
                Some(Error),
                "web1 app 12 - - it broke",
            ),
            (
                "[Tue May 12 10:00:00.123456 2026] [core:error] [pid 1] AH1 x",
                "Tue May 12 10:00:00.123456 2026",
                Some(Error),
                "[pid 1] AH1 x",
            ),
            (
                "E0512 10:00:00.123456       1 pool.go:12] no slot",
                "0512 10:00:00.123456",
                Some(Error),
                "no slot",
            ),
            (
                "05-12 10:00:00.123  77  99 E Pool: no slot",
                "05-12 10:00:00.123",
                Some(Error),
                "Pool: no slot",
            ),
            (
                "web-1  | 2026-05-12T10:00:00Z ERROR no slot",
                "2026-05-12T10:00:00Z",
                Some(Error),
                "no slot",
            ),
            (
                "2026-05-12T10:00:00Z stderr F 2026-05-12 10:00:00 ERROR no slot",
                "2026-05-12 10:00:00",
                Some(Error),
                "no slot",
            ),
            ("[   12.345678] BUG: unable to handle", "12.345678", None, "BUG: unable to handle"),
            ("1778580000.5 ERROR no slot", "1778580000.5", Some(Error), "no slot"),
            (
                "10:00:00.123 [main] ERROR c.a.Pool - no slot",
                "10:00:00.123",
                Some(Error),
                "c.a.Pool - no slot",
            ),
            ("ERROR:root:no slot", "", Some(Error), "root:no slot"),
            ("error[E0277]: no slot", "", Some(Error), "no slot"),
            ("[ERROR] no slot", "", Some(Error), "no slot"),
            ("Errors are listed below", "", None, "Errors are listed below"),
            ("error handling is described here", "", None, "error handling is described here"),
            (
                "    at com.acme.Pool.take(Pool.java:12)",
                "",
                None,
                "    at com.acme.Pool.take(Pool.java:12)",
            ),
            (
                "[91884.010203] blk_update_request: I/O error, dev nvme0n1, sector 8",
                "91884.010203",
                None,
                "blk_update_request: I/O error, dev nvme0n1, sector 8",
            ),
            (
                "2026-11-20T10:03:01.1Z collect2: error: ld returned 1 exit status",
                "2026-11-20T10:03:01.1Z",
                Some(Error),
                "collect2: error: ld returned 1 exit status",
            ),
            (
                "2026-11-20T10:03:01.1Z src/main.c:3:5: error: 'slot' undeclared",
                "2026-11-20T10:03:01.1Z",
                Some(Error),
                "src/main.c:3:5: error: 'slot' undeclared",
            ),
            (
                "2026-11-20T10:11:12.131Z 44 [Note] InnoDB: Transactions deadlock detected",
                "2026-11-20T10:11:12.131Z",
                Some(Fine),
                "InnoDB: Transactions deadlock detected",
            ),
            (
                "Nov 20 10:00:01 sw-1 1202: Nov 20 10:00:01.001: %SYS-2-MALLOCFAIL: Memory allocation failed",
                "Nov 20 10:00:01",
                Some(Fatal),
                "Nov 20 10:00:01.001: %SYS-2-MALLOCFAIL: Memory allocation failed",
            ),
            (
                "2026-05-12 10:00:00 致命的 KT-5120 仕訳",
                "2026-05-12 10:00:00",
                Some(Fatal),
                "KT-5120 仕訳",
            ),
            ("2026-05-12 10:00:00 [警告] 遅い", "2026-05-12 10:00:00", Some(Warning), "遅い"),
            (
                "2026-05-12 10:00:00 【严重】磁盘已满",
                "2026-05-12 10:00:00",
                Some(Error),
                "磁盘已满",
            ),
            (
                "2026-11-20T10:00:01Z,ERROR,api,\"no slot left, again\"",
                "2026-11-20T10:00:01Z",
                Some(Error),
                "no slot left, again",
            ),
            ("2026-11-20 10:00:01;warn;api;slow", "2026-11-20 10:00:01", Some(Warning), "api;slow"),
            ("错误：磁盘已满", "", Some(Error), "磁盘已满"),
            ("[错误] 无法导出报表", "", Some(Error), "无法导出报表"),
            ("2026-05-12 10:00:00 信息 启动完成", "2026-05-12 10:00:00", Some(Fine), "启动完成"),
            (
                "2026-05-12T10:00:00Z INFO an error was corrected",
                "2026-05-12T10:00:00Z",
                Some(Fine),
                "an error was corrected",
            ),
            (
                "2026-05-12T10:00:00Z retrying after error code 7",
                "2026-05-12T10:00:00Z",
                None,
                "retrying after error code 7",
            ),
            (
                "10.0.0.1 - - [12/May/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 502 12",
                "12/May/2026:10:00:00 +0000",
                Some(Error),
                "\"GET /a HTTP/1.1\" 502",
            ),
            (
                "10.0.0.1 - - [12/May/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 200 12",
                "12/May/2026:10:00:00 +0000",
                Some(Fine),
                "\"GET /a HTTP/1.1\" 200",
            ),
        ] {
            assert_eq!(parts(line), (at.to_owned(), level, message.to_owned()), "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_accepted(line in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80)) {
            head(&line);
        }

        #[test]
        fn no_header_like_line_panics(line in "[\\[(<]{0,2}[0-9T: ./,+-]{0,30}( ?[A-Za-z\\]\\[:=|]{0,8}){0,5}") {
            head(line.as_bytes());
        }
    }
}
