//! An event that may continue, and the rules for its continuation lines.

use precedent_core::model::LogSeverity;

use crate::{
    crash,
    error_keywords::has_oracle_code,
    formats::{FORMATS, Level},
    framed_errors::OpenFrame,
    header::parse_header,
    lines::{
        is_chain_link, is_frame, is_kernel_dump_line, is_trace_line, is_wordless, message_indent,
        middle, starts_event, starts_with_code,
    },
};

/// The maximum number of lines and of bytes of an event that are kept.
const MAX_LINES: usize = 200;
pub(super) const MAX_TEXT: usize = 12 * 1024;

/// An event that may continue on the next line.
#[derive(Debug)]
pub(super) struct OpenEvent {
    pub(super) severity: LogSeverity,
    pub(super) time: Option<String>,
    pub(super) line: u64,
    pub(super) text: String,
    pub(super) lines: usize,
    pub(super) is_cut: bool,
    pub(super) after_blank: bool,
    /// True if its first line has a time or a level.
    pub(super) has_header: bool,
    pub(super) level: Option<Level>,
    /// Text between the time and the message, and the indent of the message.
    pub(super) middle: Vec<u8>,
    pub(super) indent: usize,
    /// Name that a container put in front of its line.
    pub(super) source: Vec<u8>,
    /// Frame in which a tool reports it, if any.
    pub(super) frame: Option<OpenFrame>,
    /// Program that a journal names; `None` if the line is not a record.
    pub(super) origin: Option<String>,
}

impl OpenEvent {
    /// Creates the event that a line starts.
    pub(super) fn new(severity: LogSeverity, line: u64, text: String) -> Self {
        Self {
            severity,
            time: None,
            line,
            lines: text.lines().count().max(1),
            text,
            is_cut: false,
            after_blank: false,
            has_header: false,
            level: None,
            middle: Vec::new(),
            indent: 0,
            source: Vec::new(),
            frame: None,
            origin: None,
        }
    }

    pub(super) fn push(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            self.after_blank = true;
            return;
        }
        if self.lines >= MAX_LINES || self.text.len() + line.len() > MAX_TEXT {
            self.is_cut = true;
            self.lines += 1;
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str(if self.after_blank { "\n\n" } else { "\n" });
        }
        self.text.push_str(&String::from_utf8_lossy(line));
        self.lines += 1;
        self.after_blank = false;
    }

    /// Removes the quotes of a table cell, and undoubles those within.
    pub(super) fn unquote(&mut self) {
        let text = self.text.strip_prefix('"').unwrap_or(&self.text);
        self.text = text.strip_suffix('"').unwrap_or(text).replace("\"\"", "\"");
    }

    fn last_line(&self) -> &str {
        self.text.rsplit('\n').next().unwrap_or_default()
    }

    /// Returns the part of a line that continues this event; `None` if the line does not continue it.
    pub(super) fn continuation<'l>(&self, line: &'l [u8], has_times: bool) -> Option<&'l [u8]> {
        if self.lines > MAX_LINES * 5 || line.first() == Some(&b'{') && line.get(1) == Some(&b'"') {
            return None;
        }
        // Rails starts each line with the request id.
        let tag =
            self.text.lines().next().filter(|first| is_wordless(first)).unwrap_or_default().trim();
        let rest = line.strip_prefix(tag.as_bytes()).filter(|_| !tag.is_empty());
        let line = rest.map_or(line, |rest| rest.strip_prefix(b" ").unwrap_or(rest));
        let last = self.last_line();
        let header = parse_header(line);
        // The message may be on the line after the level, or after a colon.
        let is_introduction =
            last.trim_end().ends_with(':') && last.len() > 1 || is_wordless(&self.text);
        if is_introduction && !header.is_present() && !starts_event(line) {
            return Some(line);
        }
        // Maven repeats its level on each line of a message.
        if is_introduction
            && header.time.is_none()
            && self.has_header
            && header.level == self.level
            && !self.after_blank
        {
            return Some(header.message);
        }
        // The linker reports its failure after the missing symbols.
        if header.message.starts_with(b"collect2: error: ld returned")
            && self.text.contains("undefined reference")
        {
            return Some(header.message);
        }
        // "panicked at src/x.rs:4:9:" and the like are followed by the message.
        if last.ends_with(':') && !self.after_blank && last.contains(" panicked at ") {
            return Some(line);
        }
        if header.is_present() && header.time.is_some() {
            // If every line has a time, so do the lines of a trace.
            let start = line.len() - header.message.len();
            let indent = message_indent(line, &header);
            let has_same_header = self.has_header
                && header.level.is_none_or(|l| self.level == Some(l))
                && middle(line, &header) == self.middle;
            if has_same_header && !self.middle.is_empty() {
                let same_time =
                    self.time.as_deref().map(str::as_bytes) == header.time.map(<[u8]>::trim_ascii);
                if let Some(body) =
                    crash::same_header_text(&self.text, &self.middle, same_time, header.message)
                {
                    return Some(body);
                }
                if let Some(body) = crash::android_message(&self.text, &self.middle, header.message)
                {
                    let is_crash = crash::is_android_crash(&self.text)
                        && !body.starts_with(b"FATAL EXCEPTION: ");
                    return (is_crash || self.continues(body, 0)).then_some(body);
                }
            }
            let raw = &line[start - indent..];
            return (has_same_header && self.continues(raw, self.indent))
                .then(|| &raw[self.indent.min(indent)..]);
        }
        if header.is_present()
            && header.level == self.level
            && self.has_header
            && is_frame(header.message)
        {
            return Some(header.message);
        }
        // Android's brief format has no time.
        if header.level == Some(Level::Error)
            && self.text.starts_with("EXCEPTION: ")
            && line.starts_with(b"E/AndroidRuntime")
        {
            return Some(header.message);
        }
        if !header.is_present()
            && !self.text.is_empty()
            && crash::continues(&self.text, line, self.after_blank)
        {
            return Some(line);
        }
        if starts_event(line) {
            let is_first = self.lines == 1 && self.has_header;
            return (line.starts_with(b"Traceback") && (is_first || is_chain_link(last)))
                .then_some(line);
        }
        if line.first().is_some_and(|b| matches!(b, b' ' | b'\t')) || is_trace_line(line) {
            return Some(line);
        }
        // Reports of sanitizers and of Flutter have unindented headings.
        if (self.text.starts_with("==") || self.text.contains("╡ EXCEPTION")) && !self.after_blank
        {
            return Some(line);
        }
        // Oracle stacks its codes; the cause comes last.
        if !self.after_blank && starts_with_code(line) && starts_with_code(last.as_bytes()) {
            return self.extends_stack(line).then_some(line);
        }
        let is_goroutine = self.text.contains("goroutine ")
            && (line.contains(&b'(') || last.ends_with(']') || last.ends_with("]:"));
        if self.in_traceback() || is_goroutine {
            return Some(line);
        }
        // If lines start with times, a line without one is a continuation.
        (has_times && self.has_header && !self.after_blank && !header.is_present()).then_some(line)
    }

    /// Returns whether the next line may be the unindented last line of a Python traceback.
    fn in_traceback(&self) -> bool {
        let last = self.last_line();
        self.text.contains("Traceback (most recent")
            && last.starts_with([' ', '\t'])
            && !self.after_blank
    }

    /// Returns whether a line with a code continues an Oracle stack of codes. A repetition of the
    /// first code starts the next stack.
    fn extends_stack(&self, line: &[u8]) -> bool {
        let code = |line: &[u8]| {
            line.split(|b| *b == b':').next().unwrap_or_default().trim_ascii().to_vec()
        };
        let first = self.text.lines().find(|l| starts_with_code(l.as_bytes())).unwrap_or_default();
        has_oracle_code(line.trim_ascii_start()) && code(line) != code(first.as_bytes())
    }

    /// Returns whether a message with a header continues this event. `raw` is the message with its
    /// indent, and `indent` that of the event's message.
    pub(super) fn continues(&self, raw: &[u8], indent: usize) -> bool {
        let text = raw.trim_ascii_start();
        if self.lines > MAX_LINES {
            return false;
        }
        // An empty line between two exceptions of a chain.
        if text.is_empty() {
            return !self.after_blank;
        }
        let last = self.last_line();
        if text.starts_with(b"Traceback (most recent") {
            return is_chain_link(last);
        }
        if starts_event(text) {
            return false;
        }
        let is_indented = raw.len() - text.len() > indent || raw.starts_with(b"\t");
        let is_kernel_dump = FORMATS.starts.kernel.matches(&self.text) && is_kernel_dump_line(text);
        is_indented
            || is_frame(text)
            || self.in_traceback()
            || is_kernel_dump
            || is_chain_link(text)
    }
}
