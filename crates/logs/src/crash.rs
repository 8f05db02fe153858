//! Failures that start on a line without a time: detection, continuation lines and summaries.

use precedent_core::model::LogSeverity;

use crate::{error_keywords, formats::FORMATS};

/// The heading of a Python exception group.
const PYTHON_GROUP: &str = "+ Exception Group Traceback";

/// Returns the severity of a line that always starts a failure; it never continues another record.
pub(super) fn start_severity(line: &[u8]) -> Option<LogSeverity> {
    let severity = match *line.first()? {
        b' ' | b'+' => {
            return line
                .trim_ascii_start()
                .starts_with(PYTHON_GROUP.as_bytes())
                .then_some(LogSeverity::Error);
        }
        b'\t' => return None,
        b'=' => is_failure_report(line).then_some(LogSeverity::Error),
        b's' if line.starts_with(b"signal ") => {
            memchr::memmem::find(&line[..line.len().min(16)], b" (SIG").map(|_| LogSeverity::Fatal)
        }
        b'A' if line.starts_with(b"Access to ") => {
            memchr::memmem::find(line, b"blocked by CORS policy").map(|_| LogSeverity::Error)
        }
        b'A' if line.trim_ascii_end() == b"Action: failed" => Some(LogSeverity::Error),
        _ if FORMATS.starts.fatal.matches(line) => Some(LogSeverity::Fatal),
        _ if FORMATS.starts.error.matches(line) => Some(LogSeverity::Error),
        _ => None,
    };
    severity.or_else(|| exception_severity(line))
}

/// Returns the severity of an uncaught exception or compiler error, judging by the line's first
/// word.
fn exception_severity(line: &[u8]) -> Option<LogSeverity> {
    if line.last() == Some(&b')') && is_ruby_error(line) {
        return Some(LogSeverity::Error);
    }
    let end = memchr::memchr(b' ', line)?;
    let (word, rest) = (&line[..end], &line[end + 1..]);
    let has_line_number = || word.windows(2).any(|w| w[0] == b':' && w[1].is_ascii_digit());
    // `main.js:2 Uncaught TypeError: …`
    if rest.starts_with(b"Uncaught ") && has_line_number() {
        return Some(LogSeverity::Fatal);
    }
    let word = word.strip_suffix(b":")?;
    if word.ends_with(b"sh") && error_keywords::is_missing_command(line) || is_class(word) {
        return Some(LogSeverity::Error);
    }
    // `main.c:3:5: error: …`
    let starts_with =
        |words: &[u8]| rest.get(..words.len()).is_some_and(|r| r.eq_ignore_ascii_case(words));
    if !(starts_with(b"error: ") || starts_with(b"fatal error: ")) || !has_line_number() {
        return None;
    }
    Some(if rest[0] == b'F' { LogSeverity::Fatal } else { LogSeverity::Error })
}

/// Returns whether a word is an exception class, judging by its module:
/// `pika.exceptions.ChannelClosed`.
fn is_class(word: &[u8]) -> bool {
    const EXCEPTION_MODULES: &[&[u8]] =
        &[b"exceptions", b"exception", b"errors", b"error", b"exc", b"errorfactory"];
    const OTHER_SUFFIXES: &str = "Handler Mapper Advice Factory Filter Resolver Controller Config";
    let mut parts = word.rsplit(|b| *b == b'.');
    let name = parts.next().unwrap_or_default();
    name.first().is_some_and(u8::is_ascii_uppercase)
        && name.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
        && !OTHER_SUFFIXES.split(' ').any(|suffix| name.ends_with(suffix.as_bytes()))
        && parts.any(|p| EXCEPTION_MODULES.contains(&p))
}

/// Returns whether a line is Ruby's report of an uncaught exception: `a.rb:3:in 'b': no slot
/// (A::Error)`.
fn is_ruby_error(line: &[u8]) -> bool {
    let Some(name) = find_ruby_method(line) else { return false };
    let Some(open) = memchr::memrchr(b'(', line).filter(|open| *open > name) else { return false };
    let class = &line[open + 1..line.len() - 1];
    class.first().is_some_and(u8::is_ascii_uppercase)
        && class.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b':' | b'_'))
}

/// Returns the offset of the method's name in a Ruby frame.
fn find_ruby_method(line: &[u8]) -> Option<usize> {
    let colon = memchr::memmem::find(line, b":in ")?;
    let has_line_number = colon > 0 && line[colon - 1].is_ascii_digit();
    (has_line_number && matches!(line.get(colon + 4), Some(b'`' | b'\''))).then_some(colon + 4)
}

/// Returns whether a line is only a Ruby frame: ``/srv/a.rb:35:in `call'``.
pub(super) fn is_ruby_frame(line: &[u8]) -> bool {
    line.last() == Some(&b'\'') && find_ruby_method(line).is_some()
}

/// Returns the kind of an Erlang report if a line is its heading: `=CRASH REPORT====
/// 12-May-2026::10:00:00 ===`.
fn erlang_report_kind(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(b"=")?;
    let end = memchr::memmem::find(&rest[..rest.len().min(32)], b" REPORT====")?;
    Some(&rest[..end])
}

/// Returns whether a line starts an Erlang report of a failure.
pub(super) fn is_failure_report(line: &[u8]) -> bool {
    matches!(erlang_report_kind(line), Some(b"CRASH" | b"ERROR" | b"SUPERVISOR"))
}

/// Returns whether an unindented line continues the failure in `text`; `after_blank` is true if an
/// empty line separates them.
pub(super) fn continues(text: &str, line: &[u8], after_blank: bool) -> bool {
    let starts = &FORMATS.starts;
    let continues_mail = || {
        // The report of another recipient is another failure.
        let is_recipient = line.starts_with(b"Action:") || line.starts_with(b"Final-Recipient:");
        starts.mail.matches(line)
            && !(is_recipient && text.lines().any(|l| l.starts_with("Action:")))
    };
    match text.as_bytes() {
        [b'=', ..] => match (erlang_report_kind(text.as_bytes()), erlang_report_kind(line)) {
            (Some(b"CRASH"), Some(b"SUPERVISOR")) => true,
            (Some(_), None) => !after_blank,
            _ => false,
        },
        [b's', ..] if text.starts_with("signal ") => starts.tombstone.matches(line),
        [b'F', ..] if text.starts_with("Faulting ") => starts.faulting.matches(line),
        [b'F', ..] if text.starts_with("Fatal signal ") => starts.tombstone.matches(line),
        [b'G', ..] if text.starts_with("Guru Meditation") => {
            starts.chip.matches(line)
                && (line.ends_with(b"dump:") || memchr::memmem::find(line, b"0x").is_some())
        }
        [b'B', ..] if text.starts_with("BugCheck ") => {
            line.starts_with(b"Probably caused by") || is_stop_error(line)
        }
        [b'A' | b'D' | b'R', ..] if text.starts_with("Remote ") || starts.mail.matches(text) => {
            continues_mail()
        }
        [b'A', ..] if text.starts_with("Access to ") => {
            memchr::memmem::find(line, b"Failed to load resource").is_some()
        }
        _ => false,
    }
}

/// Returns whether a line is the name of a Windows stop error: `DRIVER_IRQL_NOT_LESS_OR_EQUAL
/// (d1)`.
fn is_stop_error(line: &[u8]) -> bool {
    let name = line
        .iter()
        .take_while(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || **b == b'_')
        .count();
    name > 3 && line[name..].starts_with(b" (") && line.trim_ascii_end().ends_with(b")")
}

/// Returns the part of a line that continues an event despite its own header: a line of an Unreal
/// crash, or the line after an introduction. `middle` is the text between time and message.
pub(super) fn same_header_text<'l>(
    text: &str,
    middle: &[u8],
    same_time: bool,
    message: &'l [u8],
) -> Option<&'l [u8]> {
    let first = text.lines().next().unwrap_or_default();
    // Unreal.
    if middle.starts_with(b"][") {
        return (same_time && FORMATS.starts.unreal.matches(first)).then_some(message);
    }
    // Sidekiq logs the job before its error.
    if first.starts_with("{\"context\":\"Job raised") && !text.contains('\n') {
        return Some(message);
    }
    // RabbitMQ logs the details on the next line of the same process.
    let word = first.split_inclusive(' ').next()?;
    if same_time && first.ends_with(':') && word.starts_with('<') && !text.contains('\n') {
        return message.strip_prefix(word.as_bytes());
    }
    None
}

/// Returns the text after the tag of an Android line, with its indent, if the event has the same tag.
pub(super) fn android_message<'l>(
    text: &str,
    middle: &[u8],
    message: &'l [u8],
) -> Option<&'l [u8]> {
    let [rest @ .., b' ', b'E' | b'F' | b'W' | b'A'] = middle else { return None };
    if !rest.iter().all(|b| b.is_ascii_alphanumeric() || *b == b' ') {
        return None;
    }
    let end = memchr::memchr(b':', message)? + 1;
    let body = &message[end..];
    text.as_bytes().starts_with(&message[..end]).then(|| body.strip_prefix(b" ").unwrap_or(body))
}

/// Returns whether an event starts an Android crash, whose lines all have the same tag.
pub(super) fn is_android_crash(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    let is_exception = first.starts_with("EXCEPTION: ") || first.contains(": FATAL EXCEPTION: ");
    is_exception || is_tombstone(first)
}

/// Returns whether a line with its tag starts the tombstone of a native process.
fn is_tombstone(first: &str) -> bool {
    first.contains(": *** *** *** ")
}

/// Returns the text of an Android crash without its introduction and process; `None` for any other
/// text.
pub(super) fn android_crash_text(text: &str) -> Option<String> {
    let is_native = is_tombstone(text.lines().next().unwrap_or_default());
    let introduces = |l: &&str| {
        l.starts_with("Process: ")
            || l.starts_with("PID: ")
            || is_native && !l.starts_with("signal ")
    };
    let crash_text = || text.lines().skip(1).skip_while(introduces).collect::<Vec<_>>().join("\n");
    is_android_crash(text).then(crash_text).filter(|crash_text| !crash_text.trim().is_empty())
}

/// Returns the value of the first line that begins with a name.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|l| l.trim_start().strip_prefix(name)).map(str::trim)
}

/// Returns the one-line summary of a failure whose first line does not name it.
pub(super) fn summarize(first: &str, text: &str) -> Option<String> {
    let rest = || text.lines().skip(1).map(str::trim).filter(|l| !l.is_empty());
    if first.starts_with("=== ") {
        return rest().next().map(|head| unreal_message(head, rest().nth(1)));
    }
    if first.starts_with("Fatal error: [File:") {
        return Some(unreal_message(first, rest().next()));
    }
    if erlang_report_kind(first.as_bytes()).is_some() {
        return erlang_summary(text);
    }
    if first.starts_with("Faulting application name:") {
        let trim = |line: &str| line.split(", ").next().unwrap_or(line).to_owned();
        let tail = rest()
            .filter(|l| l.starts_with("Faulting module name:") || l.starts_with("Exception code:"));
        return Some(std::iter::once(first).chain(tail).map(trim).collect::<Vec<_>>().join(" · "));
    }
    if first.starts_with("BugCheck ") {
        let bug = rest().find(|l| is_stop_error(l.as_bytes())).unwrap_or(first);
        let cause = rest().find(|l| l.starts_with("Probably caused by"));
        return Some(cause.map_or_else(|| bug.to_owned(), |cause| format!("{bug} · {cause}")));
    }
    if first.starts_with("{\"context\":") || first.ends_with(':') && first.starts_with('<') {
        return rest().next().map(str::to_owned);
    }
    if FORMATS.starts.mail.matches(first) {
        return mail_diagnostic(text)
            .or_else(|| field(text, "Status:").map(|s| format!("{first} · Status: {s}")));
    }
    if text.contains('\n') && text.contains(PYTHON_GROUP) {
        let group = exception_group(text)?;
        return Some(if first.starts_with(PYTHON_GROUP) {
            group
        } else {
            format!("{first} · {group}")
        });
    }
    None
}

/// Returns the message of an Unreal crash, without the engine's source location.
fn unreal_message(message: &str, next: Option<&str>) -> String {
    match (message.strip_prefix("Fatal error: [File:"), next) {
        (Some(_), Some(next)) if !next.starts_with("[Callstack]") => format!("Fatal error: {next}"),
        _ => message.to_owned(),
    }
}

/// Returns the process of an Erlang report and its exit reason.
fn erlang_summary(text: &str) -> Option<String> {
    let reason = text.lines().map(str::trim).find(|l| {
        let names_class =
            |rest: &str| ["error:", "exit:", "throw:"].iter().any(|k| rest.starts_with(k));
        l.strip_prefix("exception ").is_some_and(names_class)
    });
    let reason = reason
        .map(str::to_owned)
        .or_else(|| field(text, "reason:").map(|r| format!("reason: {r}")));
    let reason = reason.or_else(|| text.lines().nth(1).map(|l| l.trim().to_owned()))?;
    let process = field(text, "registered_name:").filter(|n| !matches!(*n, "[]" | ""));
    let process =
        process.or_else(|| field(text, "initial call:")).or_else(|| field(text, "errorContext:"));
    Some(process.map_or_else(|| reason.clone(), |process| format!("{process}: {reason}")))
}

/// Returns the remote server's reason for not delivering an email.
fn mail_diagnostic(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|l| !l.starts_with("Diagnostic-Code:"));
    let first = lines.next()?.trim_start_matches("Diagnostic-Code:").trim();
    let continuation = lines.take_while(|l| l.starts_with([' ', '\t'])).map(str::trim);
    let reason = std::iter::once(first).chain(continuation).collect::<Vec<_>>().join(" ");
    let reason = reason
        .split_once("; ")
        .filter(|(kind, _)| !kind.contains(' '))
        .map_or(&reason[..], |(_, reason)| reason);
    Some(reason.trim().to_owned()).filter(|s| !s.is_empty())
}

/// Returns the messages of a Python exception group and of its exceptions.
fn exception_group(text: &str) -> Option<String> {
    let starts_with_class = |line: &&str| {
        let word = line.split([':', ' ']).next().unwrap_or_default();
        let name = word.rsplit('.').next().unwrap_or_default();
        // A colon or the end of the line follows a class.
        name.starts_with(char::is_uppercase)
            && matches!(line.as_bytes().get(word.len()), Some(b':') | None)
    };
    let messages =
        text.lines().filter_map(|l| l.trim_start().strip_prefix("| ")).filter(starts_with_class);
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
