//! Failures that begin on a line without a time after any other record: detection, continuation
//! lines and names.

use precedent_core::model::LogSeverity;

use crate::{error_keywords, formats::FORMATS};

const GROUP: &str = "+ Exception Group Traceback";
/// Returns the severity of a line that certainly begins a failure: it is not indented, and no
/// informational record continues like this.
pub(super) fn begins(line: &[u8]) -> Option<LogSeverity> {
    let severity = match *line.first()? {
        b' ' | b'+' => {
            return line
                .trim_ascii_start()
                .starts_with(GROUP.as_bytes())
                .then_some(LogSeverity::Error);
        }
        b'\t' => return None,
        b'=' => is_bad_report(line).then_some(LogSeverity::Error),
        b's' if line.starts_with(b"signal ") => {
            memchr::memmem::find(&line[..line.len().min(16)], b" (SIG").map(|_| LogSeverity::Fatal)
        }
        b'A' if line.starts_with(b"Access to ") => {
            memchr::memmem::find(line, b"blocked by CORS policy").map(|_| LogSeverity::Error)
        }
        b'A' if line.trim_ascii_end() == b"Action: failed" => Some(LogSeverity::Error),
        _ if FORMATS.starts.fatal.begin(line) => Some(LogSeverity::Fatal),
        _ if FORMATS.starts.error.begin(line) => Some(LogSeverity::Error),
        _ => None,
    };
    severity.or_else(|| thrown(line))
}

/// Returns the severity of an uncaught exception or compiler error, judging by the line's first
/// word.
fn thrown(line: &[u8]) -> Option<LogSeverity> {
    if line.last() == Some(&b')') && is_ruby(line) {
        return Some(LogSeverity::Error);
    }
    let end = memchr::memchr(b' ', line)?;
    let (word, rest) = (&line[..end], &line[end + 1..]);
    let has_line = || word.windows(2).any(|w| w[0] == b':' && w[1].is_ascii_digit());
    // `main.js:2 Uncaught TypeError: …`
    if rest.starts_with(b"Uncaught ") && has_line() {
        return Some(LogSeverity::Fatal);
    }
    let word = word.strip_suffix(b":")?;
    if word.ends_with(b"sh") && error_keywords::is_shell(line) || is_class(word) {
        return Some(LogSeverity::Error);
    }
    // `main.c:3:5: error: …`
    let says =
        |words: &[u8]| rest.get(..words.len()).is_some_and(|r| r.eq_ignore_ascii_case(words));
    if !(says(b"error: ") || says(b"fatal error: ")) || !has_line() {
        return None;
    }
    Some(if rest[0] == b'F' { LogSeverity::Fatal } else { LogSeverity::Error })
}

/// Returns whether a word is an exception class, judging by its module:
/// `pika.exceptions.ChannelClosed`.
fn is_class(word: &[u8]) -> bool {
    const OF: &[&[u8]] =
        &[b"exceptions", b"exception", b"errors", b"error", b"exc", b"errorfactory"];
    const OTHER_SUFFIXES: &[&[u8]] = &[
        b"Handler",
        b"Mapper",
        b"Advice",
        b"Factory",
        b"Filter",
        b"Resolver",
        b"Controller",
        b"Config",
    ];
    let mut parts = word.rsplit(|b| *b == b'.');
    let name = parts.next().unwrap_or_default();
    name.first().is_some_and(u8::is_ascii_uppercase)
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        && !OTHER_SUFFIXES.iter().any(|o| name.ends_with(o))
        && parts.any(|p| OF.contains(&p))
}

/// Returns whether a line is Ruby's report of an uncaught exception: `a.rb:3:in 'b': no slot
/// (A::Error)`.
fn is_ruby(line: &[u8]) -> bool {
    let Some(at) = ruby(line) else { return false };
    let Some(open) = memchr::memrchr(b'(', line).filter(|open| *open > at) else { return false };
    let class = &line[open + 1..line.len() - 1];
    class.first().is_some_and(u8::is_ascii_uppercase)
        && class.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b':' | b'_'))
}

/// Returns the offset of the method's name in a Ruby frame.
fn ruby(line: &[u8]) -> Option<usize> {
    let at = memchr::memmem::find(line, b":in ")?;
    let has_line = at > 0 && line[at - 1].is_ascii_digit();
    (has_line && matches!(line.get(at + 4), Some(b'`' | b'\''))).then_some(at + 4)
}

/// Returns whether a line is only a Ruby frame: ``/srv/a.rb:35:in `call'``.
pub(super) fn is_ruby_frame(line: &[u8]) -> bool {
    line.last() == Some(&b'\'') && ruby(line).is_some()
}

/// Returns the kind of an Erlang report if a line is its heading: `=CRASH REPORT====
/// 12-May-2026::10:00:00 ===`.
fn report(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"=")?;
    let end = memchr::memmem::find(&rest[..rest.len().min(32)], b" REPORT====")?;
    Some(&rest[..end])
}

/// Returns whether a line begins an Erlang report of a failure.
pub(super) fn is_bad_report(line: &[u8]) -> bool {
    matches!(report(line), Some(b"CRASH" | b"ERROR" | b"SUPERVISOR"))
}

/// Returns whether an unindented line continues the failure in `text`; `blank` says whether an
/// empty line separates them.
pub(super) fn goes_on(text: &str, line: &[u8], blank: bool) -> bool {
    let starts = &FORMATS.starts;
    let of_mail = || {
        // The report of another recipient is another failure.
        let is_recipient = line.starts_with(b"Action:") || line.starts_with(b"Final-Recipient:");
        starts.mail.begin(line) && !(is_recipient && text.lines().any(|l| l.starts_with("Action:")))
    };
    match text.as_bytes() {
        [b'=', ..] => match (report(text.as_bytes()), report(line)) {
            (Some(b"CRASH"), Some(b"SUPERVISOR")) => true,
            (Some(_), None) => !blank,
            _ => false,
        },
        [b's', ..] if text.starts_with("signal ") => starts.tombstone.begin(line),
        [b'F', ..] if text.starts_with("Faulting ") => starts.faulting.begin(line),
        [b'F', ..] if text.starts_with("Fatal signal ") => starts.tombstone.begin(line),
        [b'G', ..] if text.starts_with("Guru Meditation") => {
            starts.chip.begin(line)
                && (line.ends_with(b"dump:") || memchr::memmem::find(line, b"0x").is_some())
        }
        [b'B', ..] if text.starts_with("BugCheck ") => {
            line.starts_with(b"Probably caused by") || is_bug(line)
        }
        [b'A' | b'D' | b'R', ..] if text.starts_with("Remote ") || starts.mail.begin(text) => {
            of_mail()
        }
        [b'A', ..] if text.starts_with("Access to ") => {
            memchr::memmem::find(line, b"Failed to load resource").is_some()
        }
        _ => false,
    }
}

/// Returns whether a line is the name of a Windows stop error: `DRIVER_IRQL_NOT_LESS_OR_EQUAL
/// (d1)`.
fn is_bug(line: &[u8]) -> bool {
    let name = line
        .iter()
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b'_')
        .count();
    name > 3 && line[name..].starts_with(b" (") && line.trim_ascii_end().ends_with(b")")
}

/// Returns the part of a line that continues an event although both have the same kind of header:
/// crashes of Unreal and Android, and the line after an introduction. `between` is the text between
/// time and message of both.
pub(super) fn of_same<'l>(
    text: &str,
    between: &[u8],
    at_once: bool,
    message: &'l [u8],
) -> Option<&'l [u8]> {
    let first = text.lines().next().unwrap_or_default();
    // Unreal.
    if between.starts_with(b"][") {
        return (at_once && FORMATS.starts.unreal.begin(first)).then_some(message);
    }
    // Sidekiq logs the job before its error.
    if first.starts_with("{\"context\":\"Job raised") && !text.contains('\n') {
        return Some(message);
    }
    // RabbitMQ logs the details on the next line of the same process.
    let word = first.split_inclusive(' ').next()?;
    if at_once && first.ends_with(':') && word.starts_with('<') && !text.contains('\n') {
        return message.strip_prefix(word.as_bytes());
    }
    None
}

/// Returns the text after the tag of an Android line if the event has the same tag; the indent then
/// remains visible.
pub(super) fn of_source<'l>(text: &str, between: &[u8], message: &'l [u8]) -> Option<&'l [u8]> {
    let [rest @ .., b' ', b'E' | b'F' | b'W' | b'A'] = between else { return None };
    if !rest.iter().all(|b| b.is_ascii_alphanumeric() || *b == b' ') {
        return None;
    }
    let end = memchr::memchr(b':', message)? + 1;
    let body = &message[end..];
    text.as_bytes().starts_with(&message[..end]).then(|| body.strip_prefix(b" ").unwrap_or(body))
}

/// Returns whether a text begins an Android crash, whose lines all have one tag.
pub(super) fn is_of_android(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let is_exception = first.starts_with("EXCEPTION: ") || first.contains(": FATAL EXCEPTION: ");
    is_exception || is_tombstone(first)
}

/// Returns whether a line with its tag begins the tombstone of a native process.
fn is_tombstone(first: &str) -> bool {
    first.contains(": *** *** *** ")
}

/// Returns the text of an Android crash without its introduction and process; `None` for any other
/// text.
pub(super) fn of_android(text: &str) -> Option<String> {
    let is_native = is_tombstone(text.lines().next().unwrap_or_default());
    let introduces = |l: &&str| {
        l.starts_with("Process: ")
            || l.starts_with("PID: ")
            || is_native && !l.starts_with("signal ")
    };
    let crash_text = || text.lines().skip(1).skip_while(introduces).collect::<Vec<_>>().join("\n");
    is_of_android(text).then(crash_text).filter(|crash_text| !crash_text.trim().is_empty())
}

/// Returns the name of a failure whose first line does not name it.
pub(super) fn name(first: &str, text: &str) -> Option<String> {
    let rest = || text.lines().skip(1).map(str::trim).filter(|l| !l.is_empty());
    let field =
        |name: &str| text.lines().find_map(|l| l.trim_start().strip_prefix(name)).map(str::trim);
    if first.starts_with("=== ") {
        return rest().next().map(|head| unreal(head, rest().nth(1)));
    }
    if first.starts_with("Fatal error: [File:") {
        return Some(unreal(first, rest().next()));
    }
    if report(first.as_bytes()).is_some() {
        return erlang(text);
    }
    if first.starts_with("Faulting application name:") {
        let short = |line: &str| line.split(", ").next().unwrap_or(line).to_owned();
        let more = rest()
            .filter(|l| l.starts_with("Faulting module name:") || l.starts_with("Exception code:"));
        return Some(std::iter::once(first).chain(more).map(short).collect::<Vec<_>>().join(" · "));
    }
    if first.starts_with("BugCheck ") {
        let bug = rest().find(|l| is_bug(l.as_bytes())).unwrap_or(first);
        let by = rest().find(|l| l.starts_with("Probably caused by"));
        return Some(by.map_or_else(|| bug.to_owned(), |by| format!("{bug} · {by}")));
    }
    if first.starts_with("{\"context\":") || first.ends_with(':') && first.starts_with('<') {
        return rest().next().map(str::to_owned);
    }
    if FORMATS.starts.mail.begin(first) {
        return mail(text).or_else(|| field("Status:").map(|s| format!("{first} · Status: {s}")));
    }
    if text.contains('\n') && text.contains(GROUP) {
        let group = group(text)?;
        return Some(if first.starts_with(GROUP) { group } else { format!("{first} · {group}") });
    }
    None
}

/// Returns the message of an Unreal crash, without the place in the engine that detected it.
fn unreal(message: &str, next: Option<&str>) -> String {
    match (message.strip_prefix("Fatal error: [File:"), next) {
        (Some(_), Some(next)) if !next.starts_with("[Callstack]") => format!("Fatal error: {next}"),
        _ => message.to_owned(),
    }
}

/// Returns the process of an Erlang report and its exit reason.
fn erlang(text: &str) -> Option<String> {
    let field =
        |name: &str| text.lines().find_map(|l| l.trim_start().strip_prefix(name)).map(str::trim);
    let why = text.lines().map(str::trim).find(|l| {
        let of_exception =
            |rest: &str| ["error:", "exit:", "throw:"].iter().any(|k| rest.starts_with(k));
        l.strip_prefix("exception ").is_some_and(of_exception)
    });
    let why = why.map(str::to_owned).or_else(|| field("reason:").map(|r| format!("reason: {r}")));
    let why = why.or_else(|| text.lines().nth(1).map(|l| l.trim().to_owned()))?;
    let process = field("registered_name:").filter(|n| !matches!(*n, "[]" | ""));
    let process = process.or_else(|| field("initial call:")).or_else(|| field("errorContext:"));
    Some(process.map_or_else(|| why.clone(), |process| format!("{process}: {why}")))
}

/// Returns the remote server's reason why a mail was not delivered.
fn mail(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|l| !l.starts_with("Diagnostic-Code:"));
    let first = lines.next()?.trim_start_matches("Diagnostic-Code:").trim();
    let more = lines.take_while(|l| l.starts_with([' ', '\t'])).map(str::trim);
    let why = std::iter::once(first).chain(more).collect::<Vec<_>>().join(" ");
    let why = why
        .split_once("; ")
        .filter(|(kind, _)| !kind.contains(' '))
        .map_or(&why[..], |(_, why)| why);
    Some(why.trim().to_owned()).filter(|s| !s.is_empty())
}

/// Returns the messages of a Python exception group: the group's and each of its exceptions'.
fn group(text: &str) -> Option<String> {
    let class = |line: &&str| {
        let word = line.split([':', ' ']).next().unwrap_or_default();
        let name = word.rsplit('.').next().unwrap_or_default();
        // A class is followed by a colon or the end of the line.
        name.starts_with(char::is_uppercase)
            && matches!(line.as_bytes().get(word.len()), Some(b':') | None)
    };
    let messages = text.lines().filter_map(|l| l.trim_start().strip_prefix("| ")).filter(class);
    let mut out: Vec<&str> = Vec::new();
    for message in messages {
        if out.len() < 4 && !out.contains(&message) {
            out.push(message);
        }
    }
    (!out.is_empty()).then(|| out.join(" · "))
}

#[cfg(test)]
mod tests;
