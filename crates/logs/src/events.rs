//! From lines to events: a line that begins one, and those that go on with it.

use std::borrow::Cow;

use precedent_core::model::{LogFile, LogSeverity};
use precedent_text::visible::uncoloured;

use crate::{
    Reading,
    bundle::Part,
    faults,
    head::{Level, head},
    record::{self, Record},
    template::{Event, Groups, Place},
    windows,
};

/// The longest line, in bytes; the rest of it is left out.
const MAX_LINE: usize = 16 * 1024;
/// The lines and bytes of an event that are kept.
const MAX_LINES: usize = 200;
const MAX_TEXT: usize = 12 * 1024;
/// What stands so many lines before the program ended has to do with it.
const BEFORE: u64 = 100;
/// The last lines of a file: so many, or this share of it.
const END: u64 = 50;
const END_SHARE: u64 = 50;

/// Reads files, part after part.
#[derive(Debug, Default)]
pub struct Reader {
    files: Vec<LogFile>,
    bytes: u64,
    lines: u64,
    groups: Groups,
    open: Open,
}

/// The file that is being read.
#[derive(Debug, Default)]
struct Open {
    file: u32,
    line: u64,
    pending: Option<Pending>,
    record: Option<windows::Record>,
    /// Whether its lines begin with times.
    timed: bool,
    /// Whether the last line that began an event tells nothing bad: what is indented below it is its own.
    fine: bool,
}

/// An event whose last line may not have come yet.
#[derive(Debug)]
struct Pending {
    severity: LogSeverity,
    at: Option<String>,
    line: u64,
    text: String,
    lines: usize,
    cut: bool,
    blank: bool,
    /// Whether its line began with a time or a level.
    headed: bool,
}

impl Reader {
    /// Takes the next part.
    pub fn take(&mut self, part: Part) {
        match part {
            Part::Begin(name) => {
                let file = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
                self.files.push(LogFile { name, lines: 0, skipped: None });
                self.open = Open { file, ..Open::default() };
            }
            Part::Block(block) => {
                self.bytes += block.len() as u64;
                let mut rest = &block[..];
                while !rest.is_empty() {
                    let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
                    self.line(&rest[..end]);
                    rest = &rest[end..];
                }
            }
            Part::End => self.end(),
            Part::Skipped(name, why) => {
                self.files.push(LogFile { name, lines: 0, skipped: Some(why.to_owned()) });
            }
        }
    }

    fn end(&mut self) {
        self.flush();
        if let Some(record) = self.open.record.take() {
            self.windows(record);
        }
        let lines = self.open.line;
        self.lines += lines;
        if let Some(file) = self.files.get_mut(self.open.file as usize) {
            file.lines = lines;
        }
        self.groups.ended(self.open.file, lines, END.max(lines / END_SHARE));
    }

    /// Everything that was read.
    pub fn finish(self) -> Reading {
        let Self { files, bytes, lines, groups, .. } = self;
        let (_, dropped) = groups.counts();
        let groups =
            groups.ranked(|file| files.get(file as usize).map(|f| f.name.clone()).unwrap_or_default());
        Reading { files, bytes, lines, groups, dropped }
    }

    fn line(&mut self, raw: &[u8]) {
        self.open.line += 1;
        let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
        let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
        let raw = &raw[..raw.len().min(MAX_LINE)];
        let line: Cow<'_, [u8]> = if memchr::memchr(0x1b, raw).is_some() {
            Cow::Owned(uncoloured(&String::from_utf8_lossy(raw)).into_owned().into_bytes())
        } else {
            Cow::Borrowed(raw)
        };
        let line = &line[..];
        if self.in_windows(line) {
            return;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            if let Some(pending) = &mut self.open.pending {
                if pending.blank {
                    self.flush();
                } else {
                    pending.blank = true;
                }
            }
            return;
        }
        if let Some(pending) = &mut self.open.pending {
            if pending.goes_on(line, self.open.timed) {
                pending.push(line);
                return;
            }
            self.flush();
        }
        self.begin(line);
    }

    /// Whether the line is of an event of Windows.
    fn in_windows(&mut self, line: &[u8]) -> bool {
        let may_begin = matches!(line.first(), Some(b'E' | b'I' | b'T'));
        if self.open.record.is_none() && !may_begin {
            return false;
        }
        let text = String::from_utf8_lossy(line);
        if windows::begins(&text) {
            self.flush();
            if let Some(done) = self.open.record.replace(windows::Record::new(&text, self.open.line)) {
                self.windows(done);
            }
            return true;
        }
        match &mut self.open.record {
            Some(record) => {
                record.take(&text);
                true
            }
            None => false,
        }
    }

    fn windows(&mut self, record: windows::Record) {
        let (at, line) = (record.at.clone(), record.line);
        if let Some((severity, message, rest)) = record.done() {
            let text = if rest.is_empty() { message.clone() } else { format!("{message}\n{rest}") };
            self.add(severity, at, line, message, text, false);
        }
    }

    /// A line that goes on with nothing.
    fn begin(&mut self, line: &[u8]) {
        if line.first() == Some(&b'{') && line.last() == Some(&b'}') {
            let text = String::from_utf8_lossy(line);
            if let Some(record) = record::json(&text) {
                return self.record(record);
            }
        }
        let head = head(line);
        if head.level.is_none_or(|l| l > Level::Fine) && memchr::memmem::find(line, b"l=").is_some() {
            let text = String::from_utf8_lossy(line);
            if let Some(record) = record::logfmt(&text) {
                return self.record(record);
            }
        }
        self.open.timed |= head.at.is_some();
        let severity = match head.level {
            Some(level) => faults::graded(level, head.message),
            // What stands below a line that says nothing bad is told by it, unless a program ends there.
            None if self.open.fine && !head.begins() && !begins_trace(line) => None,
            // Nor does an indented line begin anything: it is a piece of code, or a list.
            None if line[0].is_ascii_whitespace() && !head.begins() => None,
            None => faults::severity(head.message),
        };
        if head.begins() {
            self.open.fine = severity.is_none();
        }
        let Some(severity) = severity else { return };
        self.open.pending = Some(Pending {
            severity,
            at: head.at.map(|t| String::from_utf8_lossy(t).trim().to_owned()),
            line: self.open.line,
            text: String::from_utf8_lossy(head.message).into_owned(),
            lines: 1,
            cut: false,
            blank: false,
            headed: head.begins(),
        });
    }

    fn record(&mut self, record: Record) {
        self.open.fine = true;
        if let Some(inner) = record.line {
            let inner = inner.into_bytes();
            let inner = &inner[..inner.len().min(MAX_LINE)];
            if let Some(pending) = &mut self.open.pending
                && pending.goes_on(inner, self.open.timed)
            {
                return pending.push(inner);
            }
            self.flush();
            // A record in a record is no log of any program.
            if inner.first() != Some(&b'{') {
                self.begin(inner);
            } else if let Some(inner) =
                record::json(&String::from_utf8_lossy(inner)).filter(|r| r.line.is_none())
            {
                self.record(Record { at: inner.at.clone().or(record.at), ..inner });
                return;
            }
            if let Some(pending) = &mut self.open.pending {
                pending.at = pending.at.take().or(record.at);
            }
            return;
        }
        let message = record.message.as_bytes();
        let severity = match record.level {
            Some(level) => faults::graded(level, message),
            None if !record.trace.is_empty() => faults::severity(message).or(Some(LogSeverity::Error)),
            None => faults::severity(message),
        };
        let Some(severity) = severity else { return };
        let line = self.open.line;
        let mut message = one_line(&record.message).to_owned();
        let mut text = record.message.clone();
        if !record.trace.is_empty() && !text.contains(&record.trace) {
            if text.is_empty() {
                one_line(&record.trace).clone_into(&mut message);
            }
            text = format!("{text}\n{}", record.trace).trim_start().to_owned();
        }
        let message = headline(&message, &text);
        let end = text.floor_char_boundary(MAX_TEXT);
        let cut = end < text.len();
        text.truncate(end);
        self.add(severity, record.at, line, message, text, cut);
    }

    fn flush(&mut self) {
        let Some(pending) = self.open.pending.take() else { return };
        let message = headline(one_line(&pending.text), &pending.text);
        self.add(pending.severity, pending.at, pending.line, message, pending.text, pending.cut);
    }

    fn add(
        &mut self,
        severity: LogSeverity,
        at: Option<String>,
        line: u64,
        message: String,
        text: String,
        cut: bool,
    ) {
        if text.trim().is_empty() {
            return;
        }
        let file = self.open.file;
        self.groups.add(Event { severity, message, text, cut, place: Place { file, line, at } });
        if severity == LogSeverity::Fatal {
            self.groups.crashed(file, line, BEFORE);
        }
    }
}

impl Pending {
    fn push(&mut self, line: &[u8]) {
        if self.lines >= MAX_LINES || self.text.len() + line.len() > MAX_TEXT {
            self.cut = true;
            self.lines += 1;
            return;
        }
        self.text.push_str(if self.blank { "\n\n" } else { "\n" });
        self.text.push_str(&String::from_utf8_lossy(line));
        self.lines += 1;
        self.blank = false;
    }

    fn last(&self) -> &str {
        self.text.rsplit('\n').next().unwrap_or_default()
    }

    /// Whether a line belongs to this event.
    fn goes_on(&self, line: &[u8], timed: bool) -> bool {
        if self.lines > MAX_LINES * 5 || line.first() == Some(&b'{') && line.get(1) == Some(&b'"') {
            return false;
        }
        // "panicked at src/x.rs:4:9:" and the like are followed by what happened.
        let last = self.last();
        if last.ends_with(':') && !self.blank && last.contains(" panicked at ") {
            return true;
        }
        if begins_anew(line) && !(self.lines == 1 && self.headed && line.starts_with(b"Traceback")) {
            return false;
        }
        if line.first().is_some_and(|b| matches!(b, b' ' | b'\t')) || is_of_trace(line) {
            return true;
        }
        // What a sanitizer tells has headings at the margin.
        if self.text.starts_with("==") && !self.blank {
            return true;
        }
        // The last line of a Python traceback stands at the margin, and so does the source that Rust and Go point to.
        let traced =
            self.text.contains("Traceback (most recent") && (last.starts_with(' ') || last.starts_with('\t'));
        let routine = self.text.contains("goroutine ")
            && (line.contains(&b'(') || last.ends_with(']') || last.ends_with("]:"));
        if (traced && !self.blank) || routine {
            return true;
        }
        // Where lines begin with times, one without goes on.
        timed && self.headed && !self.blank && !head(line).begins()
    }
}

/// Whether a line begins what is no part of the event before it, though it has no time.
fn begins_anew(line: &[u8]) -> bool {
    const ANEW: &[&[u8]] = &[
        b"Traceback (most recent",
        b"Exception in thread",
        b"panic: ",
        b"fatal error: ",
        b"PHP Fatal",
        b"Unhandled exception",
        b"Uncaught ",
        b"Segmentation fault",
        b"thread '",
        b"==",
    ];
    ANEW.iter().any(|a| line.starts_with(a))
}

/// Whether a trace or an exception begins in a line, where its time does not tell.
fn begins_trace(line: &[u8]) -> bool {
    let word = line.split(|b| matches!(b, b':' | b' ')).next().unwrap_or_default();
    begins_anew(line)
        || [&b"Exception"[..], b"Error"].iter().any(|e| word.ends_with(e) && word.len() > e.len())
}

/// Whether a line can only be a part of a trace.
fn is_of_trace(line: &[u8]) -> bool {
    const OF: &[&[u8]] = &[
        b"at ",
        b"Caused by",
        b"caused by",
        b"... ",
        b"Suppressed:",
        b"During handling of",
        b"The above exception",
        b"stack backtrace",
        b"note: ",
        b"goroutine ",
        b"created by ",
        b"Stack trace",
        b"stack trace",
        b"#",
        b"from ",
        b"File \"",
        b"--- End of",
        b"[signal ",
        b"rax",
        b"Call Trace",
        b"Thread ",
    ];
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    OF.iter().any(|o| line.starts_with(o)) || ((1..4).contains(&digits) && line[digits..].starts_with(b": "))
}

fn one_line(text: &str) -> &str {
    text.trim().lines().next().unwrap_or_default().trim()
}

/// What an event says in one line: the message, and the exception at the root of its trace where the message does not name it.
fn headline(message: &str, text: &str) -> String {
    let rest = || text.lines().skip(1).map(str::trim).filter(|l| !l.is_empty());
    if message.starts_with("Traceback (most recent") {
        let last = text.lines().rfind(|l| !l.is_empty() && !l.starts_with([' ', '\t']));
        return last.unwrap_or(message).trim().to_owned();
    }
    if message.ends_with(':') {
        return rest().next().map_or_else(|| message.to_owned(), |next| format!("{message} {next}"));
    }
    let cause = rest().filter_map(|l| l.strip_prefix("Caused by: ")).last();
    let named = || {
        rest().find(|l| {
            let word = l.split([':', ' ']).next().unwrap_or_default();
            ["Exception", "Error"].iter().any(|e| word.ends_with(e) && word.len() > e.len())
        })
    };
    // A Python traceback ends with its exception.
    let python = || {
        let traced = text.contains("Traceback (most recent");
        text.lines()
            .rfind(|l| traced && !l.is_empty() && !l.starts_with([' ', '\t']))
            .filter(|l| *l != message)
    };
    match cause.or_else(python).or_else(named) {
        Some(cause) if !message.contains(cause) => format!("{message} · {}", cause.trim()),
        _ => message.to_owned(),
    }
}
