//! Assembly of lines into events: a first line and the lines that continue it.

use std::borrow::Cow;

use precedent_core::model::{LogFile, LogSeverity};
use precedent_text::sanitize::strip_ansi;

use crate::{
    ParsedLogs, ShortFile,
    bundle::InputPart,
    codes::Codes,
    crash,
    document::{self, Document, Element},
    error_keywords,
    formats::{Header, Level},
    framed_errors::{self, FrameDetector, LineRole, OpenFrame, Tool},
    header::{parse_header, source_length},
    ips,
    kubectl::{self, Pod, PodLine},
    lines::{
        MAX_LINE, decode, first_line, is_wordless, message_indent, middle, starts_trace,
        starts_with_code, strip_time, summarize, trim_line_break,
    },
    multiline::{MAX_TEXT, OpenEvent},
    quiet::QuietRun,
    record::{self, Record},
    template::{Event, Groups, LogPosition},
    windows::{self, WindowsEvent},
};

/// The maximum length of a line that is a JSON record, in bytes.
const MAX_RECORD: usize = 512 * 1024;
/// The maximum size, in bytes and lines, of a file that is kept, and the number of such files.
const MAX_SHORT_BYTES: usize = 8 * 1024;
const MAX_SHORT_LINES: usize = 40;
const MAX_SHORT_FILES: usize = 8;
/// The number of lines before a crash that are related to it.
const CRASH_WINDOW: u64 = 100;
/// The minimum number of lines that form the end of a file, and the divisor of a long file's lines.
const MIN_END_LINES: u64 = 50;
const END_DIVISOR: u64 = 50;

/// Reads files part by part and groups their failures.
#[derive(Debug, Default)]
pub struct Reader {
    files: Vec<LogFile>,
    bytes: u64,
    lines: u64,
    groups: Groups,
    short_files: Vec<ShortFile>,
    codes: Codes,
    file: FileState,
}

/// The state of the file that is being read.
#[derive(Debug, Default)]
struct FileState {
    index: u32,
    line: u64,
    event: Option<OpenEvent>,
    windows_event: Option<WindowsEvent>,
    pod: Option<Pod>,
    /// The time on a separate line above the current lines.
    time: Option<String>,
    /// The open JSON document, if the current lines belong to one.
    document: Option<Document>,
    /// True if a block of the file was read.
    has_data: bool,
    /// True if a block has colors or other control sequences.
    has_escapes: bool,
    last_byte: u8,
    /// Content of the file, while it is short.
    content: Option<Vec<u8>>,
    /// True if its lines start with times.
    has_times: bool,
    frames: FrameDetector,
    /// True if the last record is informational, so that indented lines below belong to it.
    is_info: bool,
}

impl Reader {
    pub fn read_part(&mut self, part: InputPart) {
        match part {
            InputPart::Begin(name) => {
                let index = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
                self.files.push(LogFile { name, lines: 0, skipped: None });
                let content = (self.short_files.len() < MAX_SHORT_FILES).then(Vec::new);
                self.file = FileState { index, content, ..FileState::default() };
            }
            InputPart::Block(block, quiet_runs) => self.read_block(&block, quiet_runs),
            InputPart::End => self.end_file(None),
            InputPart::Truncated(reason) => self.end_file(Some(reason)),
            InputPart::Skipped(name, reason) => {
                self.files.push(LogFile { name, lines: 0, skipped: Some(reason) });
            }
        }
    }

    /// Reads a block of lines, some of which may be known to be quiet.
    fn read_block(&mut self, block: &[u8], quiet_runs: Vec<QuietRun>) {
        self.bytes += block.len() as u64;
        self.file.has_escapes |= memchr::memchr(0x1b, block).is_some();
        self.keep_content(block);
        let is_document =
            !std::mem::replace(&mut self.file.has_data, true) && document::is_document(block);
        self.file.document =
            self.file.document.take().or_else(|| is_document.then(Document::default));
        let mut quiet_runs = quiet_runs.into_iter().peekable();
        let mut start = 0;
        while start < block.len() {
            let rest = &block[start..];
            if let Some(mut document) = self.file.document.take() {
                let mut elements = Vec::new();
                let end = document.parse(rest, &mut elements);
                elements.into_iter().for_each(|element| self.read_element(element));
                self.file.line = document.lines;
                if end.is_none() {
                    self.file.document = Some(document);
                }
                start = end.map_or(block.len(), |end| start + end);
                continue;
            }
            while quiet_runs.next_if(|run| run.range.start < start || run.lines == 0).is_some() {}
            if self.is_idle()
                && let Some(run) = quiet_runs.next_if(|run| run.range.start == start)
            {
                self.skip_quiet_lines(run.lines);
                start = run.range.end;
                continue;
            }
            let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            // A JSON record on many lines, after other lines. The next block may contain the rest.
            if rest[..end].trim_ascii_end() == b"{"
                && rest[end..].trim_ascii_start().first().is_none_or(|b| *b == b'"')
            {
                self.flush();
                self.file.document = Some(Document::after_lines(self.file.line));
                continue;
            }
            self.read_line(&rest[..end]);
            // The first line of a run may continue an event.
            if let Some(run) = quiet_runs.peek_mut().filter(|run| run.range.start == start) {
                run.range.start += end;
                run.lines -= 1;
            }
            start += end;
        }
    }

    /// Returns whether no event may continue.
    fn is_idle(&self) -> bool {
        self.file.event.is_none() && self.file.pod.is_none() && self.file.windows_event.is_none()
    }

    /// Skips records that report no failure and name no code.
    fn skip_quiet_lines(&mut self, lines: u64) {
        self.file.line += lines;
        (self.file.has_times, self.file.is_info, self.file.time) = (true, true, None);
    }

    fn keep_content(&mut self, block: &[u8]) {
        self.file.last_byte = block.last().copied().unwrap_or_default();
        if let Some(content) =
            self.file.content.as_mut().filter(|c| c.len() + block.len() <= MAX_SHORT_BYTES)
        {
            content.extend_from_slice(block);
        } else {
            self.file.content = None;
        }
    }

    fn read_element(&mut self, element: Element) {
        match element {
            Element::Object(line, bytes) => {
                self.file.line = line;
                let text = decode(&bytes);
                if self.add_crash_report(&text) {
                    return;
                }
                match record::parse_json(&text).filter(Record::is_record) {
                    Some(record) => self.read_record(record),
                    None => match serde_json::from_str(&text) {
                        Ok(value) => record::nested_records(&value)
                            .into_iter()
                            .for_each(|r| self.read_record(r)),
                        Err(_) => self.read_lines(line, &bytes),
                    },
                }
            }
            Element::Broken(line, bytes) => self.read_lines(line, &bytes),
        }
    }

    /// Returns whether an object is an Apple crash report, and adds it if so.
    fn add_crash_report(&mut self, text: &str) -> bool {
        let Some(report) = ips::parse(text, self.file.line) else { return false };
        self.flush();
        self.add_event(report);
        true
    }

    /// Reads lines that start like a JSON record but are not one.
    fn read_lines(&mut self, first: u64, bytes: &[u8]) {
        self.file.line = first - 1;
        bytes.split_inclusive(|b| *b == b'\n').for_each(|line| self.read_line(line));
    }

    /// Ends the file; `reason` states why it ended prematurely, if it did.
    fn end_file(&mut self, reason: Option<String>) {
        if let Some(document) = self.file.document.take() {
            let lines = document.lines + u64::from(self.file.last_byte != b'\n');
            if let Some(element) = document.finish() {
                self.read_element(element);
            }
            self.file.line = lines;
        }
        self.flush();
        self.end_pod();
        self.end_windows_event();
        let lines = self.file.line;
        self.lines += lines;
        if let Some(file) = self.files.get_mut(self.file.index as usize) {
            file.lines = lines;
            file.skipped = reason;
            let content = self.file.content.take().filter(|c| !c.is_empty());
            let text = content.map(|c| String::from_utf8_lossy(&c).into_owned());
            if let Some(text) = text.filter(|t| t.lines().count() <= MAX_SHORT_LINES) {
                self.short_files.push(ShortFile { file: file.name.clone(), text });
            }
        }
        self.groups.mark_end(self.file.index, lines, MIN_END_LINES.max(lines / END_DIVISOR));
    }

    /// Returns the result for all files.
    pub fn finish(self) -> ParsedLogs {
        let Self { files, bytes, lines, groups, short_files, codes, .. } = self;
        let (_, dropped_events) = groups.counts();
        let name = |file: u32| files.get(file as usize).map(|f| f.name.clone()).unwrap_or_default();
        let (groups, code_lines) = (groups.rank(name), codes.finish(name));
        ParsedLogs { files, bytes, lines, groups, dropped_events, short_files, code_lines }
    }

    fn read_line(&mut self, raw: &[u8]) {
        self.file.line += 1;
        let raw = trim_line_break(raw);
        // A JSON record may be long.
        let max_len = if raw.first() == Some(&b'{') { MAX_RECORD } else { MAX_LINE };
        let raw = &raw[..raw.len().min(max_len)];
        let line: Cow<'_, [u8]> = if self.file.has_escapes && memchr::memchr(0x1b, raw).is_some() {
            Cow::Owned(strip_ansi(&String::from_utf8_lossy(raw)).into_owned().into_bytes())
        } else {
            Cow::Borrowed(raw)
        };
        if self.take_windows_event(&line) {
            return;
        }
        let (source, line) = line.split_at(source_length(&line));
        if line.first() == Some(&b'{') && line.trim_ascii_end().last() == Some(&b'}') {
            let text = decode(line);
            if self.add_crash_report(&text) {
                return;
            }
            if let Some(record) = record::parse_json(&text) {
                return self.read_record(record);
            }
        }
        self.read_text(source, &line[..line.len().min(MAX_LINE)], None);
    }

    /// Reads a line that is not a record; `origin` is the program named by the record that wraps it.
    fn read_text(&mut self, source: &[u8], line: &[u8], origin: Option<&str>) {
        let header = parse_header(line);
        // A runtime may put a time in front of a program's records.
        if let (Some(time), [b'{', .., b'}']) = (header.time, header.message.trim_ascii_end())
            && let Some(record) =
                record::parse_json(&decode(header.message)).filter(Record::is_record)
        {
            return self.read_record(Record { time: Some(trimmed_text(time)), ..record });
        }
        let body = strip_time(line, &header);
        if self.take_pod(body) || self.take_frame(source, line, body, &header) {
            return;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            if let Some(event) = &mut self.file.event {
                if event.after_blank {
                    self.flush();
                } else {
                    event.after_blank = true;
                }
            }
            return;
        }
        if let Some(event) = &mut self.file.event {
            if event.source == source
                && origin.is_none_or(|o| event.origin.as_deref() == Some(o))
                && let Some(rest) = event.continuation(line, self.file.has_times)
            {
                event.push(rest);
                return;
            }
            self.flush();
        }
        self.begin_event(line, body, &header);
        if let Some(event) = &mut self.file.event {
            event.source = source.to_vec();
            event.origin = origin.map(str::to_owned);
        }
    }

    /// Returns whether the line belongs to a frame in which a tool reports a failure, and adds it if
    /// so.
    fn take_frame(&mut self, source: &[u8], line: &[u8], body: &[u8], header: &Header<'_>) -> bool {
        let is_blank = body.iter().all(u8::is_ascii_whitespace);
        // Android names the component in front of its report.
        let report = header.message.strip_prefix(b"ActivityManager: ").unwrap_or(header.message);
        if let Some(event) = &mut self.file.event
            && let Some(frame) = &mut event.frame
        {
            let role = match frame.kind {
                _ if event.source != source => LineRole::Other,
                // All lines of an Android report have the same header.
                Tool::Anr if middle(line, header) != event.middle => LineRole::Other,
                _ if !is_blank
                    && frame.kind != Tool::Anr
                    && frame.has_times != header.time.is_some() =>
                {
                    LineRole::Other
                }
                _ => frame.classify(body, event.text.is_empty()),
            };
            match role {
                LineRole::Line if frame.kind == Tool::Anr => event.push(report),
                LineRole::Line => event.push(body),
                LineRole::Restart => {
                    event.text.clear();
                    event.line = self.file.line;
                }
                LineRole::Frame => {}
                LineRole::Other => self.flush(),
            }
            if role != LineRole::Other {
                return true;
            }
        }
        if is_blank {
            return false;
        }
        let introduces = |p: &OpenEvent| p.lines == 1 && p.text.trim_end().ends_with(':');
        let is_banner =
            framed_errors::is_asterisks(body) && self.file.event.as_ref().is_some_and(introduces);
        let frame_kind = match header.level {
            Some(Level::Error) if report.starts_with(b"ANR in ") => Some(Tool::Anr),
            _ if is_banner => Some(Tool::Spring),
            _ => self.file.frames.detect(body),
        };
        let Some(kind) = frame_kind else {
            return self.file.frames.is_frame(body, header.message);
        };
        let frame = OpenFrame::new(kind, body, header.time.is_some());
        // The introduction of a banner only adds the time.
        let introduction = self.file.event.take_if(|p| kind == Tool::Spring && introduces(p));
        self.flush();
        let first = if kind == Tool::Anr { report } else { frame.description(body) };
        let text = match kind {
            Tool::Spring if is_banner => introduction.as_ref().map(|b| b.text.clone()),
            Tool::Junit => {
                Some(framed_errors::junit_description(&self.file.frames.junit_test, body))
            }
            _ => None,
        };
        let severity = if kind == Tool::Spring { LogSeverity::Fatal } else { LogSeverity::Error };
        let text = text.unwrap_or_else(|| String::from_utf8_lossy(first).into_owned());
        let first_line = introduction.as_ref().map_or(self.file.line, |b| b.line);
        self.file.event = Some(OpenEvent {
            time: header.time.map(trimmed_text).or_else(|| introduction.and_then(|b| b.time)),
            lines: 1,
            level: header.level,
            middle: middle(line, header).to_vec(),
            source: source.to_vec(),
            frame: Some(frame),
            ..OpenEvent::new(severity, first_line, text)
        });
        // A JUnit failure may be on a single line.
        if kind == Tool::Junit
            && [&b"/>"[..], b"</error>", b"</failure>"]
                .iter()
                .any(|e| body.trim_ascii().ends_with(e))
        {
            self.flush();
        }
        true
    }

    /// Returns whether the line belongs to the description of a pod, and adds it if so.
    fn take_pod(&mut self, body: &[u8]) -> bool {
        if let Some(pod) = &mut self.file.pod {
            match pod.read_line(body) {
                PodLine::Line => return true,
                PodLine::NotPod => self.file.pod = None,
                PodLine::Other => self.end_pod(),
            }
        }
        self.file.pod = Pod::start(body, self.file.line);
        if self.file.pod.is_some() {
            self.flush();
        }
        self.file.pod.is_some()
    }

    fn end_pod(&mut self) {
        if let Some(event) = self.file.pod.take().and_then(Pod::finish) {
            self.add_event(event);
        }
    }

    fn add_codes(&mut self, message: &[u8], time: Option<&[u8]>) {
        let (file, line) = (self.file.index, self.file.line);
        self.codes.add_line(message, || LogPosition { file, line, time: time.map(trimmed_text) });
    }

    /// Returns whether the line belongs to a Windows event, and adds it if so.
    fn take_windows_event(&mut self, line: &[u8]) -> bool {
        let may_start = line.first().is_some_and(|first| windows::may_start_event(*first));
        if self.file.windows_event.is_none() && !may_start {
            return false;
        }
        let text = decode(line);
        if windows::is_event_start(&text) {
            self.flush();
            self.end_windows_event();
            self.file.windows_event = Some(WindowsEvent::new(&text, self.file.line));
            return true;
        }
        // A log may follow the events.
        if parse_header(line).time.is_some() {
            self.end_windows_event();
        }
        if let Some(event) = &mut self.file.windows_event {
            event.read_line(&text);
        }
        self.file.windows_event.is_some()
    }

    fn end_windows_event(&mut self) {
        if let Some(event) = self.file.windows_event.take().and_then(WindowsEvent::finish) {
            self.add_event(event);
        }
    }

    /// Begins an event if a line that continues no other event reports a failure.
    fn begin_event(&mut self, line: &[u8], body: &[u8], header: &Header<'_>) {
        if header.level.is_none_or(|l| l > Level::Fine)
            && record::is_logfmt(line)
            && let Some(record) = record::parse_logfmt(&decode(line))
        {
            return self.read_record(record);
        }
        self.file.has_times |= header.time.is_some();
        let row = if header.level.is_none() { kubectl::parse_event_row(body) } else { None };
        let crash_severity =
            if header.level.is_none() { crash::start_severity(header.message) } else { None };
        let severity = match header.level {
            None if row.is_some() => Some(LogSeverity::Error),
            Some(level) => error_keywords::level_severity(level, header.message),
            // Another stream of the program wrote this line, so it does not continue the one above.
            None if crash_severity.is_some() => {
                error_keywords::severity(header.message).into_iter().chain(crash_severity).min()
            }
            // Lines below an informational record belong to it, unless they start a trace.
            None if self.file.is_info && !header.is_present() && !starts_trace(line) => None,
            // Indented lines are code or lists and start no event.
            None if line[0].is_ascii_whitespace() && !header.is_present() => None,
            None => error_keywords::severity(header.message),
        };
        if header.is_present() {
            // A time on its own line applies to the lines below.
            let is_alone = header.message.trim_ascii().is_empty();
            self.file.is_info = severity.is_none() && !is_alone;
            self.file.time = header.time.filter(|_| is_alone).map(trimmed_text);
        }
        let Some(severity) = severity else { return self.add_codes(header.message, header.time) };
        // In the output of Go tests, FAIL is part of the message.
        let message = if body.starts_with(b"FAIL\t") { body } else { header.message };
        let text = match row {
            Some((reason, detail)) => format!("{reason}: {detail}"),
            None => String::from_utf8_lossy(message).into_owned(),
        };
        self.file.event = Some(OpenEvent {
            time: header.time.map(trimmed_text).or_else(|| self.file.time.clone()),
            has_header: header.is_present(),
            level: header.level,
            middle: middle(line, header).to_vec(),
            indent: message_indent(line, header),
            ..OpenEvent::new(severity, self.file.line, text)
        });
    }

    fn read_record(&mut self, mut record: Record) {
        if let Some(line) = record.take_wrapped_line() {
            let line = line.into_bytes();
            // The wrapped line may be a record itself; records are not nested any deeper.
            if line.first() == Some(&b'{')
                && let Some(inner) = record::parse_json(&String::from_utf8_lossy(&line))
                    .filter(|r| r.wrapped_line.is_none())
            {
                return self
                    .read_record(Record { time: inner.time.clone().or(record.time), ..inner });
            }
            // A container writes a stack of codes within a second; later codes start another event.
            let is_later = |p: &OpenEvent| {
                starts_with_code(&line)
                    && whole_second(p.time.as_deref()) != whole_second(record.time.as_deref())
            };
            if self.file.event.as_ref().is_some_and(is_later) {
                self.flush();
            }
            self.read_text(b"", &line[..line.len().min(MAX_LINE)], Some(&record.origin));
            if let Some(event) = self.file.event.as_mut().filter(|p| p.line == self.file.line) {
                event.time = event.time.take().or(record.time);
            }
            return;
        }
        self.file.is_info = true;
        if record.trace.is_empty()
            && let Some(event) = &mut self.file.event
            && event.origin.as_ref() == Some(&record.origin)
            && !record.message.trim_start().contains('\n')
        {
            if record.message.trim().is_empty() {
                event.after_blank = true;
                return;
            }
            if event.continues(record.message.as_bytes(), 0) {
                return event.push(record.message.as_bytes());
            }
        }
        self.flush();
        // A logger may write the level as part of the message.
        let first = record.message.lines().next().unwrap_or_default();
        let text_level = parse_header(first.as_bytes()).level.filter(|_| record.level.is_none());
        let message = record.message.as_bytes();
        let severity = match record.level.or(text_level) {
            Some(level) => error_keywords::level_severity(level, message),
            None if !record.trace.is_empty() => {
                error_keywords::severity(message).or(Some(LogSeverity::Error))
            }
            None => error_keywords::severity(message),
        };
        let Some(severity) = severity else {
            return self.add_codes(message, record.time.as_deref().map(str::as_bytes));
        };
        let trace = if record.trace.is_empty() { record.details } else { record.trace };
        let mut text = match record.message.trim() {
            message if !trace.is_empty() && !message.contains(&trace) => {
                format!("{message}\n{trace}").trim_start().to_owned()
            }
            message => message.to_owned(),
        };
        let is_single_line = trace.is_empty() && !text.contains('\n');
        let end = text.floor_char_boundary(MAX_TEXT);
        let is_cut = end < text.len();
        text.truncate(end);
        // The next record may continue this one: a journal has one record per line of a trace.
        self.file.event = Some(OpenEvent {
            time: record.time,
            is_cut,
            origin: Some(record.origin),
            ..OpenEvent::new(severity, self.file.line, text)
        });
        if !is_single_line {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let Some(mut event) = self.file.event.take() else { return };
        if event.middle.starts_with(b",\"") || event.middle == b"," && event.text.starts_with('"') {
            event.unquote();
        }
        let message = match event.frame {
            Some(frame) => {
                self.file.frames.has_failure = true;
                framed_errors::summarize(frame.kind, &event.text)
            }
            None => summarize(first_line(&event.text), &event.text),
        };
        let OpenEvent { severity, time, line, text, is_cut, .. } = event;
        self.add_event(Event { severity, time, line, message, text, is_cut });
    }

    fn add_event(&mut self, event: Event) {
        let (file, severity, line) = (self.file.index, event.severity, event.line);
        // A level without a message is not an error, but may mark the end of the program.
        if !is_wordless(&event.text) {
            self.groups.add(file, event);
        }
        if severity == LogSeverity::Fatal {
            self.groups.mark_crash(file, line, CRASH_WINDOW);
        }
    }
}

fn trimmed_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// Returns an ISO 8601 time without the fraction of its second.
fn whole_second(time: Option<&str>) -> Option<&str> {
    time.map(|time| time.split(['.', ',']).next().unwrap_or(time).trim_end_matches('Z'))
}

#[cfg(test)]
mod tests;
