//! Assembly of lines into events: a first line and the lines that continue it.

use std::borrow::Cow;

use precedent_core::model::{LogFile, LogSeverity};
use precedent_text::visible::strip_ansi;

use crate::{
    Reading, Small,
    bundle::Part,
    codes::Codes,
    crash,
    document::{self, Document, Element},
    error_keywords,
    formats::{Head, Level},
    framed_errors::{self, Block, FrameDetector, Kind},
    head::{head, source},
    ips,
    kubectl::{self, Pod},
    lines::{
        begins_trace, between, gap, headline, is_coded, lossy, one_line, says_nothing, without_time,
    },
    multiline::{MAX_TEXT, OpenEvent},
    record::{self, Record},
    template::{Event, Groups, LogPosition},
    windows,
};

/// The maximum length of a line, in bytes; the rest is dropped.
const MAX_LINE: usize = 16 * 1024;
/// The maximum length of a line that is a JSON record, in bytes.
const MAX_RECORD: usize = 512 * 1024;
/// The maximum size in bytes and lines of a file that is kept whole, and the maximum number of such
/// files.
const SMALL: usize = 8 * 1024;
const SMALL_LINES: usize = 40;
const MAX_SMALL: usize = 8;
/// The number of lines before the end of the program that count as related to it.
const CRASH_WINDOW: u64 = 100;
/// The last lines of a file: this number, or its length divided by `END_SHARE` if that is more.
const END: u64 = 50;
const END_SHARE: u64 = 50;

/// A reader of files, part by part.
#[derive(Debug, Default)]
pub struct Reader {
    files: Vec<LogFile>,
    bytes: u64,
    lines: u64,
    groups: Groups,
    small: Vec<Small>,
    codes: Codes,
    open: Open,
}

/// The state of the file that is being read.
#[derive(Debug, Default)]
struct Open {
    file: u32,
    line: u64,
    event: Option<OpenEvent>,
    record: Option<windows::Record>,
    pod: Option<Pod>,
    /// The time on a separate line above the current lines.
    stamp: Option<String>,
    /// The JSON document, while the file is one.
    document: Option<Document>,
    /// True once any of it was read.
    has_data: bool,
    /// True once a block has colours or other control sequences.
    has_escapes: bool,
    /// Last byte of the file.
    last: u8,
    /// Content of the file, while that is small.
    whole: Option<Vec<u8>>,
    /// True if its lines begin with times.
    has_times: bool,
    /// The frames of tools that it has shown.
    frames: FrameDetector,
    /// True if the last record is informational, so that indented lines below belong to it.
    fine: bool,
}

impl Reader {
    /// Takes the next part.
    pub fn take(&mut self, part: Part) {
        match part {
            Part::Begin(name) => {
                let file = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
                self.files.push(LogFile { name, lines: 0, skipped: None });
                let whole = (self.small.len() < MAX_SMALL).then(Vec::new);
                self.open = Open { file, whole, ..Open::default() };
            }
            Part::Block(block) => {
                self.bytes += block.len() as u64;
                self.open.has_escapes |= memchr::memchr(0x1b, &block).is_some();
                self.keep(&block);
                let document =
                    !std::mem::replace(&mut self.open.has_data, true) && document::begins(&block);
                self.open.document =
                    self.open.document.take().or_else(|| document.then(Document::default));
                let mut rest = &block[..];
                while !rest.is_empty() {
                    if let Some(mut document) = self.open.document.take() {
                        let mut elements = Vec::new();
                        let end = document.take(rest, &mut elements);
                        elements.into_iter().for_each(|element| self.element(element));
                        self.open.line = document.lines();
                        rest = end.map_or(&[][..], |end| &rest[end..]);
                        if end.is_none() {
                            self.open.document = Some(document);
                        }
                        continue;
                    }
                    let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
                    // A JSON record on many lines, after other lines.
                    if rest[..end].trim_ascii_end() == b"{"
                        && rest[end..].trim_ascii_start().starts_with(b"\"")
                    {
                        self.flush();
                        self.open.document = Some(Document::after_lines(self.open.line));
                        continue;
                    }
                    self.line(&rest[..end]);
                    rest = &rest[end..];
                }
            }
            Part::End => self.end(None),
            Part::Cut(why) => self.end(Some(why)),
            Part::Skipped(name, why) => {
                self.files.push(LogFile { name, lines: 0, skipped: Some(why) });
            }
        }
    }

    fn keep(&mut self, block: &[u8]) {
        self.open.last = block.last().copied().unwrap_or_default();
        if let Some(whole) = self.open.whole.as_mut().filter(|w| w.len() + block.len() <= SMALL) {
            whole.extend_from_slice(block);
        } else {
            self.open.whole = None;
        }
    }

    /// Takes an element of a document.
    fn element(&mut self, element: Element) {
        match element {
            Element::Object(line, bytes) => {
                self.open.line = line;
                let text = lossy(&bytes);
                if self.add_crash_report(&text) {
                    return;
                }
                match record::json(&text).filter(Record::is_one) {
                    Some(record) => self.record(record),
                    None => match serde_json::from_str(&text) {
                        Ok(value) => {
                            record::within(&value).into_iter().for_each(|r| self.record(r))
                        }
                        Err(_) => self.lines_of(line, &bytes),
                    },
                }
            }
            Element::Broken(line, bytes) => self.lines_of(line, &bytes),
        }
    }

    /// Returns whether an object is an Apple crash report, and adds it if so.
    fn add_crash_report(&mut self, text: &str) -> bool {
        let Some(report) = ips::parse(text) else { return false };
        self.flush();
        self.add(LogSeverity::Fatal, report.at, self.open.line, report.message, report.text, false);
        true
    }

    /// Reads the lines of a text that began like a JSON record and is none.
    fn lines_of(&mut self, first: u64, bytes: &[u8]) {
        self.open.line = first - 1;
        bytes.split(|b| *b == b'\n').for_each(|line| self.line(line));
    }

    /// Ends the file; `reason` is the reason if it ended prematurely.
    fn end(&mut self, reason: Option<String>) {
        if let Some(document) = self.open.document.take() {
            let lines = document.lines() + u64::from(self.open.last != b'\n');
            if let Some(element) = document.end() {
                self.element(element);
            }
            self.open.line = lines;
        }
        self.flush();
        self.end_pod();
        if let Some(record) = self.open.record.take() {
            self.windows(record);
        }
        let lines = self.open.line;
        self.lines += lines;
        if let Some(file) = self.files.get_mut(self.open.file as usize) {
            file.lines = lines;
            file.skipped = reason;
            let whole = self.open.whole.take().filter(|w| !w.is_empty());
            let text = whole.map(|w| String::from_utf8_lossy(&w).into_owned());
            if let Some(text) = text.filter(|t| t.lines().count() <= SMALL_LINES) {
                self.small.push(Small { file: file.name.clone(), text });
            }
        }
        self.groups.mark_end(self.open.file, lines, END.max(lines / END_SHARE));
    }

    /// Returns the result of all files.
    pub fn finish(self) -> Reading {
        let Self { files, bytes, lines, groups, small, codes, .. } = self;
        let (_, dropped_events) = groups.counts();
        let name = |file: u32| files.get(file as usize).map(|f| f.name.clone()).unwrap_or_default();
        let (groups, code_lines) = (groups.rank(name), codes.finish(name));
        Reading { files, bytes, lines, groups, dropped_events, small, code_lines }
    }

    fn line(&mut self, raw: &[u8]) {
        self.open.line += 1;
        let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
        let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
        // A JSON record may be long.
        let most = if raw.first() == Some(&b'{') { MAX_RECORD } else { MAX_LINE };
        let raw = &raw[..raw.len().min(most)];
        let line: Cow<'_, [u8]> = if self.open.has_escapes && memchr::memchr(0x1b, raw).is_some() {
            Cow::Owned(strip_ansi(&String::from_utf8_lossy(raw)).into_owned().into_bytes())
        } else {
            Cow::Borrowed(raw)
        };
        if self.in_windows(&line) {
            return;
        }
        let (source, line) = line.split_at(source(&line));
        if line.first() == Some(&b'{') && line.trim_ascii_end().last() == Some(&b'}') {
            let text = lossy(line);
            if self.add_crash_report(&text) {
                return;
            }
            if let Some(record) = record::json(&text) {
                return self.record(record);
            }
        }
        self.text(source, &line[..line.len().min(MAX_LINE)], None);
    }

    /// Takes a line that is no record; `origin` is the program named by the record that wraps it.
    fn text(&mut self, source: &[u8], line: &[u8], origin: Option<&str>) {
        let head = head(line);
        // A runtime puts a time in front of the records of a program.
        if let (Some(at), [b'{', .., b'}']) = (head.at, head.message.trim_ascii_end())
            && let Some(record) = record::json(&lossy(head.message)).filter(Record::is_one)
        {
            return self.record(Record { at: Some(trimmed_text(at)), ..record });
        }
        let body = without_time(line, &head);
        if self.in_pod(body) || self.take_framed(source, line, body, &head) {
            return;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            if let Some(event) = &mut self.open.event {
                if event.blank {
                    self.flush();
                } else {
                    event.blank = true;
                }
            }
            return;
        }
        if let Some(event) = &mut self.open.event {
            if event.source == source
                && origin.is_none_or(|o| event.origin.as_deref() == Some(o))
                && let Some(rest) = event.goes_on(line, self.open.has_times)
            {
                event.push(rest);
                return;
            }
            self.flush();
        }
        self.begin(line, body, &head);
        if let Some(event) = &mut self.open.event {
            event.source = source.to_vec();
            event.origin = origin.map(str::to_owned);
        }
    }

    /// Returns whether the line belongs to a frame in which a tool reports a failure, and takes it
    /// if so.
    fn take_framed(&mut self, source: &[u8], line: &[u8], body: &[u8], head: &Head<'_>) -> bool {
        let blank = body.iter().all(u8::is_ascii_whitespace);
        if let Some(event) = &mut self.open.event
            && let Some(block) = &mut event.block
        {
            let part = match block.kind {
                _ if event.source != source => framed_errors::Part::After,
                // Each line of Android has the same header.
                Kind::Anr if between(line, head) != event.between => framed_errors::Part::After,
                _ if !blank && block.kind != Kind::Anr && block.has_times != head.at.is_some() => {
                    framed_errors::Part::After
                }
                _ => block.takes(body, event.text.is_empty()),
            };
            match part {
                framed_errors::Part::Line if block.kind == Kind::Anr => {
                    let message = head.message;
                    event.push(message.strip_prefix(b"ActivityManager: ").unwrap_or(message));
                }
                framed_errors::Part::Line => event.push(body),
                framed_errors::Part::Anew => {
                    event.text.clear();
                    event.line = self.open.line;
                }
                framed_errors::Part::Frame => {}
                framed_errors::Part::After => self.flush(),
            }
            if part != framed_errors::Part::After {
                return true;
            }
        }
        if blank {
            return false;
        }
        let anr =
            |m: &[u8]| m.strip_prefix(b"ActivityManager: ").unwrap_or(m).starts_with(b"ANR in ");
        let introduces = |p: &OpenEvent| p.lines == 1 && p.text.trim_end().ends_with(':');
        let banner =
            framed_errors::is_asterisks(body) && self.open.event.as_ref().is_some_and(introduces);
        let frame_kind = match head.level {
            Some(Level::Error) if anr(head.message) => Some(Kind::Anr),
            _ if banner => Some(Kind::Spring),
            _ => self.open.frames.opens(body),
        };
        let Some(kind) = frame_kind else {
            return self.open.frames.is_frame(body, head.message);
        };
        let block = Block::new(kind, body, head.at.is_some());
        // The introduction of a banner only adds the time.
        let introduction = self.open.event.take_if(|p| kind == Kind::Spring && introduces(p));
        self.flush();
        let first = match kind {
            Kind::Anr => head.message.strip_prefix(b"ActivityManager: ").unwrap_or(head.message),
            _ => block.first(body),
        };
        let text = match kind {
            Kind::Spring if banner => introduction.as_ref().map(|b| b.text.clone()),
            Kind::Junit => Some(framed_errors::junit(self.open.frames.case(), body)),
            _ => None,
        };
        let severity = if kind == Kind::Spring { LogSeverity::Fatal } else { LogSeverity::Error };
        let text = text.unwrap_or_else(|| String::from_utf8_lossy(first).into_owned());
        let first_line = introduction.as_ref().map_or(self.open.line, |b| b.line);
        self.open.event = Some(OpenEvent {
            at: head.at.map(trimmed_text).or_else(|| introduction.and_then(|b| b.at)),
            lines: 1,
            level: head.level,
            between: between(line, head).to_vec(),
            source: source.to_vec(),
            block: Some(block),
            ..OpenEvent::new(severity, first_line, text)
        });
        // A JUnit failure may be on a single line.
        if kind == Kind::Junit
            && [&b"/>"[..], b"</error>", b"</failure>"]
                .iter()
                .any(|e| body.trim_ascii().ends_with(e))
        {
            self.flush();
        }
        true
    }

    /// Returns whether the line belongs to the description of a pod, and takes it if so.
    fn in_pod(&mut self, body: &[u8]) -> bool {
        if let Some(pod) = &mut self.open.pod {
            match pod.take(body) {
                kubectl::Part::Line => return true,
                kubectl::Part::None => self.open.pod = None,
                kubectl::Part::After => self.end_pod(),
            }
        }
        self.open.pod = Pod::begins(body, self.open.line);
        if self.open.pod.is_some() {
            self.flush();
        }
        self.open.pod.is_some()
    }

    /// Ends the description of a pod.
    fn end_pod(&mut self) {
        let Some(pod) = self.open.pod.take() else { return };
        let line = pod.line;
        if let Some((severity, message, text)) = pod.finish() {
            self.add(severity, None, line, message, text, false);
        }
    }

    /// Adds the codes of a line that reports no failure.
    fn add_codes(&mut self, message: &[u8], at: Option<&[u8]>) {
        let (file, line) = (self.open.file, self.open.line);
        self.codes.take(message, || LogPosition { file, line, at: at.map(trimmed_text) });
    }

    /// Returns whether the line belongs to a Windows event, and takes it if so.
    fn in_windows(&mut self, line: &[u8]) -> bool {
        let may_begin = line.first().is_some_and(|first| windows::may_begin(*first));
        if self.open.record.is_none() && !may_begin {
            return false;
        }
        let text = lossy(line);
        if windows::begins(&text) {
            self.flush();
            if let Some(record) =
                self.open.record.replace(windows::Record::new(&text, self.open.line))
            {
                self.windows(record);
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
        if let Some((severity, message, rest)) = record.finish() {
            let text = if rest.is_empty() { message.clone() } else { format!("{message}\n{rest}") };
            self.add(severity, at, line, message, text, false);
        }
    }

    /// Takes a line that continues no event.
    fn begin(&mut self, line: &[u8], body: &[u8], head: &Head<'_>) {
        if head.level.is_none_or(|l| l > Level::Fine)
            && memchr::memchr_iter(b'=', line).any(|at| line[..at].ends_with(b"l"))
        {
            let text = lossy(line);
            if let Some(record) = record::logfmt(&text) {
                return self.record(record);
            }
        }
        self.open.has_times |= head.at.is_some();
        let row = if head.level.is_none() { kubectl::row(body) } else { None };
        let sure = if head.level.is_none() { crash::begins(head.message) } else { None };
        let severity = match head.level {
            None if row.is_some() => Some(LogSeverity::Error),
            Some(level) => error_keywords::level_severity(level, head.message),
            // A certain failure does not continue the line above: another stream of the program
            // wrote it.
            None if sure.is_some() => {
                error_keywords::severity(head.message).into_iter().chain(sure).min()
            }
            // Lines below an informational record belong to it, unless a trace begins there.
            None if self.open.fine && !head.begins() && !begins_trace(line) => None,
            // Indented lines begin no event: they are code or lists.
            None if line[0].is_ascii_whitespace() && !head.begins() => None,
            None => error_keywords::severity(head.message),
        };
        if head.begins() {
            // A time on its own line applies to the lines below, which do not continue an
            // informational record.
            let alone = head.message.trim_ascii().is_empty();
            self.open.fine = severity.is_none() && !alone;
            self.open.stamp = head.at.filter(|_| alone).map(trimmed_text);
        }
        let Some(severity) = severity else { return self.add_codes(head.message, head.at) };
        // Go tests and others write the level before the failed item's name, which means nothing
        // alone.
        let message = if body.starts_with(b"FAIL\t") { body } else { head.message };
        let text = match row {
            Some((reason, detail)) => format!("{reason}: {detail}"),
            None => String::from_utf8_lossy(message).into_owned(),
        };
        self.open.event = Some(OpenEvent {
            at: head.at.map(trimmed_text).or_else(|| self.open.stamp.clone()),
            has_header: head.begins(),
            level: head.level,
            between: between(line, head).to_vec(),
            gap: gap(line, head),
            ..OpenEvent::new(severity, self.open.line, text)
        });
    }

    fn record(&mut self, record: Record) {
        if let Some(inner) = record.line {
            let inner = inner.into_bytes();
            // The wrapped line may be a record itself; records are not nested any deeper.
            if inner.first() == Some(&b'{')
                && let Some(inner) =
                    record::json(&String::from_utf8_lossy(&inner)).filter(|r| r.line.is_none())
            {
                return self.record(Record { at: inner.at.clone().or(record.at), ..inner });
            }
            // A container writes a stack of codes within a second; later codes are another event.
            let is_later = |p: &OpenEvent| {
                is_coded(&inner) && second(p.at.as_deref()) != second(record.at.as_deref())
            };
            if self.open.event.as_ref().is_some_and(is_later) {
                self.flush();
            }
            self.text(b"", &inner[..inner.len().min(MAX_LINE)], Some(&record.origin));
            if let Some(event) = self.open.event.as_mut().filter(|p| p.line == self.open.line) {
                event.at = event.at.take().or(record.at);
            }
            return;
        }
        self.open.fine = true;
        if record.trace.is_empty()
            && let Some(event) = &mut self.open.event
            && event.origin.as_ref() == Some(&record.origin)
            && !record.message.trim_start().contains('\n')
        {
            if record.message.trim().is_empty() {
                event.blank = true;
                return;
            }
            if event.continues(record.message.as_bytes(), 0) {
                return event.push(record.message.as_bytes());
            }
        }
        self.flush();
        // A logger of plain lines may name the level in them.
        let first = record.message.lines().next().unwrap_or_default();
        let text_level = head(first.as_bytes()).level.filter(|_| record.level.is_none());
        let message = record.message.as_bytes();
        let severity = match record.level.or(text_level) {
            Some(level) => error_keywords::level_severity(level, message),
            None if !record.trace.is_empty() => {
                error_keywords::severity(message).or(Some(LogSeverity::Error))
            }
            None => error_keywords::severity(message),
        };
        let Some(severity) = severity else {
            return self.add_codes(message, record.at.as_deref().map(str::as_bytes));
        };
        let trace = if record.trace.is_empty() { record.details } else { record.trace };
        let mut text = match record.message.trim() {
            message if !trace.is_empty() && !message.contains(&trace) => {
                format!("{message}\n{trace}").trim_start().to_owned()
            }
            message => message.to_owned(),
        };
        let alone = trace.is_empty() && !text.contains('\n');
        let end = text.floor_char_boundary(MAX_TEXT);
        let is_cut = end < text.len();
        text.truncate(end);
        // The next record may continue this one: a journal has one record per line of a trace.
        self.open.event = Some(OpenEvent {
            at: record.at,
            is_cut,
            origin: Some(record.origin),
            ..OpenEvent::new(severity, self.open.line, text)
        });
        if !alone {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let Some(mut event) = self.open.event.take() else { return };
        if event.between.starts_with(b",\"") || event.between == b"," && event.text.starts_with('"')
        {
            event.unquote();
        }
        let message = match event.block {
            Some(block) => {
                self.open.frames.tells();
                framed_errors::name(block.kind, &event.text)
            }
            None => headline(one_line(&event.text), &event.text),
        };
        self.add(event.severity, event.at, event.line, message, event.text, event.is_cut);
    }

    fn add(
        &mut self,
        severity: LogSeverity,
        at: Option<String>,
        line: u64,
        message: String,
        text: String,
        is_cut: bool,
    ) {
        let file = self.open.file;
        // A level without a message only marks the end of the program.
        if !says_nothing(&text) {
            self.groups.add(Event {
                severity,
                message,
                text,
                is_cut,
                place: LogPosition { file, line, at },
            });
        }
        if severity == LogSeverity::Fatal {
            self.groups.mark_crash(file, line, CRASH_WINDOW);
        }
    }
}

/// Returns a time as text.
fn trimmed_text(at: &[u8]) -> String {
    String::from_utf8_lossy(at).trim().to_owned()
}

/// Returns an ISO 8601 time without the fraction of its second.
fn second(at: Option<&str>) -> Option<&str> {
    at.map(|at| at.split(['.', ',']).next().unwrap_or(at).trim_end_matches('Z'))
}

#[cfg(test)]
mod tests;
