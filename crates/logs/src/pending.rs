//! An event whose last line may not have come yet: which lines go on with it.

use precedent_core::model::LogSeverity;

use crate::{
    blocks::Block,
    crash,
    faults::is_oracle,
    head::{Level, head},
    lines::{
        begins_anew, between, gap, is_chain, is_coded, is_frame, is_of_kernel, is_of_kernel_dump,
        is_of_trace, says_nothing,
    },
};

/// The lines and bytes of an event that are kept.
const MAX_LINES: usize = 200;
pub(super) const MAX_TEXT: usize = 12 * 1024;

/// An event whose last line may not have come yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) severity: LogSeverity,
    pub(super) at: Option<String>,
    pub(super) line: u64,
    pub(super) text: String,
    pub(super) lines: usize,
    pub(super) cut: bool,
    pub(super) blank: bool,
    /// Whether its line began with a time or a level.
    pub(super) headed: bool,
    pub(super) level: Option<Level>,
    /// What stood between the time and the message, and how far the message was indented.
    pub(super) between: Vec<u8>,
    pub(super) gap: usize,
    /// The name that a container put in front of its line.
    pub(super) source: Vec<u8>,
    /// The frame in which it is told.
    pub(super) block: Option<Block>,
    /// The program that a journal names; none where a line is no record.
    pub(super) origin: Option<String>,
}

impl Pending {
    /// Takes a line that belongs to it.
    pub(super) fn push(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            self.blank = true;
            return;
        }
        if self.lines >= MAX_LINES || self.text.len() + line.len() > MAX_TEXT {
            self.cut = true;
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

    /// The text without what a table puts around it: it ends in a quotation mark, and those in it are doubled.
    pub(super) fn unquote(&mut self) {
        let text = self.text.strip_prefix('"').unwrap_or(&self.text);
        self.text = text.strip_suffix('"').unwrap_or(text).replace("\"\"", "\"");
    }

    fn last(&self) -> &str {
        self.text.rsplit('\n').next().unwrap_or_default()
    }

    /// What a line says that belongs to this event; none if it does not.
    pub(super) fn goes_on<'l>(&self, line: &'l [u8], timed: bool) -> Option<&'l [u8]> {
        if self.lines > MAX_LINES * 5 || line.first() == Some(&b'{') && line.get(1) == Some(&b'"') {
            return None;
        }
        // Rails puts the number of the request in front of each line.
        let tag = self.text.lines().next().filter(|first| says_nothing(first)).unwrap_or_default().trim();
        let own = line.strip_prefix(tag.as_bytes()).filter(|_| !tag.is_empty());
        let line = own.map_or(line, |own| own.strip_prefix(b" ").unwrap_or(own));
        let last = self.last();
        let head = head(line);
        // Its level and what it says may be in two lines; what ends with a colon is said in the next.
        let announced = last.trim_end().ends_with(':') && last.len() > 1 || says_nothing(&self.text);
        if announced && !head.begins() && !begins_anew(line) {
            return Some(line);
        }
        // Maven puts its level in front of each line of what it says.
        if announced && head.at.is_none() && self.headed && head.level == self.level && !self.blank {
            return Some(head.message);
        }
        // The linker says that it failed below what it did not find.
        if head.message.starts_with(b"collect2: error: ld returned")
            && self.text.contains("undefined reference")
        {
            return Some(head.message);
        }
        // "panicked at src/x.rs:4:9:" and the like are followed by what happened.
        if last.ends_with(':') && !self.blank && last.contains(" panicked at ") {
            return Some(line);
        }
        if head.begins() && head.at.is_some() {
            // Where each line has a time, those of a trace have one, too.
            let from = line.len() - head.message.len();
            let gap = gap(line, &head);
            let same = self.headed
                && head.level.is_none_or(|l| self.level == Some(l))
                && between(line, &head) == self.between;
            if same && !self.between.is_empty() {
                let at_once = self.at.as_deref().map(str::as_bytes) == head.at.map(<[u8]>::trim_ascii);
                if let Some(told) = crash::of_same(&self.text, &self.between, at_once, head.message) {
                    return Some(told);
                }
                if let Some(told) = crash::of_source(&self.text, &self.between, head.message) {
                    let whole = crash::is_of_android(&self.text) && !told.starts_with(b"FATAL EXCEPTION: ");
                    return (whole || self.continues(told, 0)).then_some(told);
                }
            }
            let raw = &line[from - gap..];
            return (same && self.continues(raw, self.gap)).then(|| &raw[self.gap.min(gap)..]);
        }
        if head.begins() && head.level == self.level && self.headed && is_frame(head.message) {
            return Some(head.message);
        }
        // Android's short form has no time.
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
            let first = self.lines == 1 && self.headed;
            return (line.starts_with(b"Traceback") && (first || is_chain(last))).then_some(line);
        }
        if line.first().is_some_and(|b| matches!(b, b' ' | b'\t')) || is_of_trace(line) {
            return Some(line);
        }
        // What a sanitizer tells has headings at the margin, and so has what Flutter tells.
        if (self.text.starts_with("==") || self.text.contains("╡ EXCEPTION")) && !self.blank {
            return Some(line);
        }
        // Oracle's codes below one another: the cause comes last.
        if !self.blank && is_coded(line) && is_coded(last.as_bytes()) {
            return self.piles(line).then_some(line);
        }
        let routine = self.text.contains("goroutine ")
            && (line.contains(&b'(') || last.ends_with(']') || last.ends_with("]:"));
        if self.traced() || routine {
            return Some(line);
        }
        // Where lines begin with times, one without goes on.
        (timed && self.headed && !self.blank && !head.begins()).then_some(line)
    }

    /// Whether the next line may be the last of a Python traceback, which stands at the margin, as does the source that Rust points to.
    fn traced(&self) -> bool {
        let last = self.last();
        self.text.contains("Traceback (most recent") && last.starts_with([' ', '\t']) && !self.blank
    }

    /// Whether a line with a code is of one pile with those before it. Only Oracle piles them up. A pile does not name its first code
    /// twice: with that the next one begins.
    fn piles(&self, line: &[u8]) -> bool {
        let code = |line: &[u8]| line.split(|b| *b == b':').next().unwrap_or_default().trim_ascii().to_vec();
        let first = self.text.lines().find(|l| is_coded(l.as_bytes())).unwrap_or_default();
        is_oracle(line.trim_ascii_start()) && code(line) != code(first.as_bytes())
    }

    /// Whether a message, with its indent, goes on with this event, whose own message had an indent of `gap`, although it has a head
    /// of its own.
    pub(super) fn continues(&self, raw: &[u8], gap: usize) -> bool {
        let text = raw.trim_ascii_start();
        if self.lines > MAX_LINES {
            return false;
        }
        // A line between two exceptions of a chain.
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
        let indented = raw.len() - text.len() > gap || raw.starts_with(b"\t");
        let kernel = is_of_kernel(self.text.as_bytes()) && is_of_kernel_dump(text);
        indented || is_frame(text) || self.traced() || kernel || is_chain(text)
    }
}
