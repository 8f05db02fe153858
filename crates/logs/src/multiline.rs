//! An event that may continue, and the rules for its continuation lines.

use precedent_core::model::LogSeverity;

use crate::{
    crash,
    error_keywords::is_oracle,
    formats::{FORMATS, Level},
    framed_errors::Block,
    head::head,
    lines::{
        begins_anew, between, gap, is_chain, is_coded, is_frame, is_of_kernel_dump, is_of_trace,
        says_nothing,
    },
};

/// The maximum number of lines and bytes of an event that are kept.
const MAX_LINES: usize = 200;
pub(super) const MAX_TEXT: usize = 12 * 1024;

/// An event that may continue on the next line.
#[derive(Debug)]
pub(super) struct OpenEvent {
    pub(super) severity: LogSeverity,
    pub(super) at: Option<String>,
    pub(super) line: u64,
    pub(super) text: String,
    pub(super) lines: usize,
    pub(super) is_cut: bool,
    pub(super) blank: bool,
    /// True if its line began with a time or a level.
    pub(super) has_header: bool,
    pub(super) level: Option<Level>,
    /// Text between the time and the message, and the indent of the message.
    pub(super) between: Vec<u8>,
    pub(super) gap: usize,
    /// Name that a container put in front of its line.
    pub(super) source: Vec<u8>,
    /// Frame in which a tool reports it.
    pub(super) block: Option<Block>,
    /// Program that a journal names; `None` if the line is no record.
    pub(super) origin: Option<String>,
}

impl OpenEvent {
    /// Creates the event that a line begins.
    pub(super) fn new(severity: LogSeverity, line: u64, text: String) -> Self {
        Self {
            severity,
            at: None,
            line,
            lines: text.lines().count().max(1),
            text,
            is_cut: false,
            blank: false,
            has_header: false,
            level: None,
            between: Vec::new(),
            gap: 0,
            source: Vec::new(),
            block: None,
            origin: None,
        }
    }

    /// Adds a continuation line.
    pub(super) fn push(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            self.blank = true;
            return;
        }
        if self.lines >= MAX_LINES || self.text.len() + line.len() > MAX_TEXT {
            self.is_cut = true;
            self.lines += 1;
            return;
        }
        if !self.text.is_empty() {
            self.text.push_str(if self.blank { "\n\n" } else { "\n" });
        }
        self.text.push_str(&String::from_utf8_lossy(line));
        self.lines += 1;
        self.blank = false;
    }

    /// Removes the quotation of a table's cell: the closing quote, and doubled quotes within.
    pub(super) fn unquote(&mut self) {
        let text = self.text.strip_prefix('"').unwrap_or(&self.text);
        self.text = text.strip_suffix('"').unwrap_or(text).replace("\"\"", "\"");
    }

    fn last(&self) -> &str {
        self.text.rsplit('\n').next().unwrap_or_default()
    }

    /// Returns the part of a line that continues this event; `None` if the line does not.
    pub(super) fn goes_on<'l>(&self, line: &'l [u8], has_times: bool) -> Option<&'l [u8]> {
        if self.lines > MAX_LINES * 5 || line.first() == Some(&b'{') && line.get(1) == Some(&b'"') {
            return None;
        }
        // Rails begins each line with the request id.
        let tag =
            self.text.lines().next().filter(|first| says_nothing(first)).unwrap_or_default().trim();
        let rest = line.strip_prefix(tag.as_bytes()).filter(|_| !tag.is_empty());
        let line = rest.map_or(line, |rest| rest.strip_prefix(b" ").unwrap_or(rest));
        let last = self.last();
        let head = head(line);
        // The message may be on the line after the level, or after a colon.
        let is_lead = last.trim_end().ends_with(':') && last.len() > 1 || says_nothing(&self.text);
        if is_lead && !head.begins() && !begins_anew(line) {
            return Some(line);
        }
        // Maven repeats its level on each line of a message.
        if is_lead
            && head.at.is_none()
            && self.has_header
            && head.level == self.level
            && !self.blank
        {
            return Some(head.message);
        }
        // The linker reports its failure after the missing symbols.
        if head.message.starts_with(b"collect2: error: ld returned")
            && self.text.contains("undefined reference")
        {
            return Some(head.message);
        }
        // "panicked at src/x.rs:4:9:" and the like are followed by the message.
        if last.ends_with(':') && !self.blank && last.contains(" panicked at ") {
            return Some(line);
        }
        if head.begins() && head.at.is_some() {
            // Where each line has a time, the lines of a trace have one as well.
            let from = line.len() - head.message.len();
            let gap = gap(line, &head);
            let has_same_header = self.has_header
                && head.level.is_none_or(|l| self.level == Some(l))
                && between(line, &head) == self.between;
            if has_same_header && !self.between.is_empty() {
                let at_once =
                    self.at.as_deref().map(str::as_bytes) == head.at.map(<[u8]>::trim_ascii);
                if let Some(body) = crash::of_same(&self.text, &self.between, at_once, head.message)
                {
                    return Some(body);
                }
                if let Some(body) = crash::of_source(&self.text, &self.between, head.message) {
                    let whole =
                        crash::is_of_android(&self.text) && !body.starts_with(b"FATAL EXCEPTION: ");
                    return (whole || self.continues(body, 0)).then_some(body);
                }
            }
            let raw = &line[from - gap..];
            return (has_same_header && self.continues(raw, self.gap))
                .then(|| &raw[self.gap.min(gap)..]);
        }
        if head.begins() && head.level == self.level && self.has_header && is_frame(head.message) {
            return Some(head.message);
        }
        // Android's brief format has no time.
        if head.level == Some(Level::Error)
            && self.text.starts_with("EXCEPTION: ")
            && line.starts_with(b"E/AndroidRuntime")
        {
            return Some(head.message);
        }
        if !head.begins() && !self.text.is_empty() && crash::goes_on(&self.text, line, self.blank) {
            return Some(line);
        }
        if begins_anew(line) {
            let first = self.lines == 1 && self.has_header;
            return (line.starts_with(b"Traceback") && (first || is_chain(last))).then_some(line);
        }
        if line.first().is_some_and(|b| matches!(b, b' ' | b'\t')) || is_of_trace(line) {
            return Some(line);
        }
        // Reports of sanitizers and of Flutter have unindented headings.
        if (self.text.starts_with("==") || self.text.contains("╡ EXCEPTION")) && !self.blank {
            return Some(line);
        }
        // Oracle stacks its codes; the cause comes last.
        if !self.blank && is_coded(line) && is_coded(last.as_bytes()) {
            return self.piles(line).then_some(line);
        }
        let routine = self.text.contains("goroutine ")
            && (line.contains(&b'(') || last.ends_with(']') || last.ends_with("]:"));
        if self.in_traceback() || routine {
            return Some(line);
        }
        // Where lines begin with times, a line without one is a continuation.
        (has_times && self.has_header && !self.blank && !head.begins()).then_some(line)
    }

    /// Returns whether the next line may be the last of a Python traceback, which is not indented.
    fn in_traceback(&self) -> bool {
        let last = self.last();
        self.text.contains("Traceback (most recent") && last.starts_with([' ', '\t']) && !self.blank
    }

    /// Returns whether a line with a code continues a stack of codes. Only Oracle stacks codes. A
    /// stack contains its first code once: its repetition begins the next stack.
    fn piles(&self, line: &[u8]) -> bool {
        let code = |line: &[u8]| {
            line.split(|b| *b == b':').next().unwrap_or_default().trim_ascii().to_vec()
        };
        let first = self.text.lines().find(|l| is_coded(l.as_bytes())).unwrap_or_default();
        is_oracle(line.trim_ascii_start()) && code(line) != code(first.as_bytes())
    }

    /// Returns whether a message with a header continues this event. `raw` is the message with its
    /// indent, and `gap` the indent of the event's own message.
    pub(super) fn continues(&self, raw: &[u8], gap: usize) -> bool {
        let text = raw.trim_ascii_start();
        if self.lines > MAX_LINES {
            return false;
        }
        // An empty line between two exceptions of a chain.
        if text.is_empty() {
            return !self.blank;
        }
        let last = self.last();
        if text.starts_with(b"Traceback (most recent") {
            return is_chain(last);
        }
        if begins_anew(text) {
            return false;
        }
        let is_indented = raw.len() - text.len() > gap || raw.starts_with(b"\t");
        let kernel = FORMATS.starts.kernel.begin(&self.text) && is_of_kernel_dump(text);
        is_indented || is_frame(text) || self.in_traceback() || kernel || is_chain(text)
    }
}
