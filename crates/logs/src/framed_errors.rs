//! Failures that tools report in a frame of many lines. Only the lines within the frame name the
//! failure.

use precedent_text::html::decode_entities;

use crate::formats::FORMATS;

/// The tool or format of a framed failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Gradle: `* What went wrong:` and the lines below it.
    Gradle,
    /// Spring Boot: a banner of asterisks, a description, an action.
    Spring,
    GoTest,
    /// A JavaScript test file and one of its tests.
    Jest,
    Pytest,
    /// An Android app that does not respond.
    Anr,
    /// A failed test in a JUnit report.
    Junit,
    /// An IIS error page.
    Iis,
}

/// The progress within a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// Only lines of the frame so far.
    #[default]
    Frame,
    /// The description of the failure.
    Message,
    /// The advice, which is not part of the failure; true once it has text.
    Advice(bool),
}

/// An open frame.
#[derive(Clone, Copy, Debug)]
pub struct OpenFrame {
    pub kind: Tool,
    stage: Stage,
    /// True if its lines have times.
    pub has_times: bool,
}

/// The role of a line in the open frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRole {
    /// A line of the failure's description.
    Line,
    /// A line of the frame that restarts the description.
    Restart,
    Frame,
    /// A line after the end of the frame.
    Other,
}

/// The state of frame detection within a file.
#[derive(Clone, Debug, Default)]
pub struct FrameDetector {
    /// The last named test of a JUnit report.
    pub junit_test: String,
    /// True if JavaScript tests were listed; other tools mark their lists with the same dot.
    is_jest: bool,
    /// True if pytest lists failures; other tools print rows of underscores as well.
    is_pytest: bool,
    /// True if a framed failure was reported; a later summary then adds no error.
    pub has_failure: bool,
}

const MIN_ASTERISKS: usize = 10;
const SPRING_HEADING: &[u8] = b"APPLICATION FAILED TO START";
const GRADLE_HEADING: &[u8] = b"* What went wrong:";

pub fn is_asterisks(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.len() >= MIN_ASTERISKS && line.iter().all(|b| *b == b'*')
}

/// Returns the title within a row of one character: `=== FAILURES ===`.
fn row_title(line: &[u8], character: u8) -> Option<&[u8]> {
    let line = line.trim_ascii_end();
    let start = line.iter().take_while(|b| **b == character).count();
    let end = line.iter().rev().take_while(|b| **b == character).count();
    (start >= 3 && end >= 3 && start < line.len())
        .then(|| line[start..line.len() - end].trim_ascii())
}

fn is_test_file(word: &[u8]) -> bool {
    const EXTENSIONS: &[&[u8]] =
        &[b".js", b".ts", b".jsx", b".tsx", b".mjs", b".cjs", b".mts", b".cts", b".vue"];
    EXTENSIONS.iter().any(|e| word.ends_with(e))
}

const IIS_DETAILS: &[u8] = b"Detailed Error Information:";

/// Returns whether a line is the heading of an IIS error page: `HTTP Error 500.19 - Internal Server
/// Error`.
fn is_iis_heading(line: &[u8]) -> bool {
    let number = line.strip_prefix(b"HTTP Error ").unwrap_or_default();
    let is_digit = |index: usize| number.get(index).is_some_and(u8::is_ascii_digit);
    (0..3).all(is_digit) && number.get(3) == Some(&b'.') && is_digit(4)
}

/// Returns the first byte of a line after its indent if it may open a frame. Most lines begin with
/// none of these bytes.
fn opening_byte(body: &[u8]) -> Option<u8> {
    let first = *body.iter().find(|b| !matches!(b, b' ' | b'\t'))?;
    matches!(first, b'F' | b'P' | b'*' | b'A' | b'-' | 0xe2 | b'_' | b'=' | b'<' | b'H')
        .then_some(first)
}

/// Returns whether a line may open a frame or belong to one, whatever lines precede it. `body` and
/// `message` are those of [`FrameDetector::is_frame`].
pub fn may_be_frame(body: &[u8], message: &[u8]) -> bool {
    let after_failure = FrameDetector { has_failure: true, ..FrameDetector::default() };
    opening_byte(body).is_some() || after_failure.is_frame(body, message)
}

impl FrameDetector {
    /// Returns the kind of frame that a line opens, if any. The line is passed without its time.
    pub fn detect(&mut self, body: &[u8]) -> Option<Tool> {
        let first = opening_byte(body)?;
        let text = body.trim_ascii();
        if first == b'<' {
            if text.starts_with(b"<testcase ") {
                self.junit_test = attribute(text, "name").unwrap_or_default();
            }
            let is_failure = text.starts_with(b"<failure") || text.starts_with(b"<error ");
            return (is_failure && !self.junit_test.is_empty()).then_some(Tool::Junit);
        }
        if body.starts_with(b"FAILURE: Build ") || body.starts_with(GRADLE_HEADING) {
            return Some(Tool::Gradle);
        }
        if text == SPRING_HEADING {
            return Some(Tool::Spring);
        }
        if body.starts_with(b"--- FAIL: ") {
            return Some(Tool::GoTest);
        }
        if first == b'H' {
            return is_iis_heading(text).then_some(Tool::Iis);
        }
        if let Some(rest) = text.strip_prefix(b"FAIL ").or_else(|| text.strip_prefix(b"PASS ")) {
            let name = rest.trim_ascii_start().split(|b| *b == b' ').next().unwrap_or_default();
            self.is_jest |= is_test_file(name);
            return (is_test_file(name) && first == b'F').then_some(Tool::Jest);
        }
        if self.is_jest && text.starts_with("● ".as_bytes()) {
            return Some(Tool::Jest);
        }
        if let Some(title) = row_title(body, b'=') {
            self.is_pytest = matches!(title, b"FAILURES" | b"ERRORS");
            return None;
        }
        (self.is_pytest && row_title(body, b'_').is_some_and(|t| !t.is_empty()))
            .then_some(Tool::Pytest)
    }

    /// Returns whether a line only frames a failure that is reported elsewhere: headings, help and
    /// summaries. `body` is the line without its time, `message` the line without time and level.
    pub fn is_frame(&self, body: &[u8], message: &[u8]) -> bool {
        // Most lines begin with none of these bytes.
        let first = |text: &[u8]| text.trim_ascii_start().first().copied().unwrap_or_default();
        if !matches!(
            first(message),
            b'A' | b'C' | b'E' | b'F' | b'R' | b'T' | b'Y' | b'[' | b'*' | b'<'
        ) && !matches!(first(body), b'=' | b'B' | b'E' | b'F' | b'S' | b'T')
        {
            return false;
        }
        let message = message.trim_ascii();
        let is_test_list =
            matches!(message, b"Failures:" | b"Errors:" | b"Tests in error:" | b"Failed tests:");
        let is_sap =
            message.starts_with(b"Category  ") && message.ends_with(b"ABAP programming error");
        if is_test_list || is_sap || FORMATS.starts.help.matches(message) {
            return true;
        }
        let is_heading = row_title(body, b'=').is_some_and(|t| {
            matches!(t, b"FAILURES" | b"ERRORS") || self.has_failure && !t.is_empty()
        });
        let body = body.trim_ascii_end();
        is_heading || self.has_failure && (body == b"FAIL" || FORMATS.starts.summary.matches(body))
    }
}

impl OpenFrame {
    /// Creates the frame that a line opens; `body` is that line without its time.
    pub fn new(kind: Tool, body: &[u8], has_times: bool) -> Self {
        let has_message = match kind {
            Tool::Gradle => body.starts_with(GRADLE_HEADING),
            Tool::Spring => false,
            Tool::Jest => body.trim_ascii_start().starts_with("●".as_bytes()),
            Tool::GoTest | Tool::Pytest | Tool::Anr | Tool::Junit | Tool::Iis => true,
        };
        Self { kind, stage: if has_message { Stage::Message } else { Stage::Frame }, has_times }
    }

    /// Returns the part of the opening line that describes the failure.
    pub fn description<'l>(&self, body: &'l [u8]) -> &'l [u8] {
        match self.kind {
            Tool::Gradle if self.stage == Stage::Message => b"",
            Tool::Spring if body.trim_ascii() == SPRING_HEADING => b"",
            _ => body.trim_ascii(),
        }
    }

    /// Returns the role of the next line, which is passed without its time. `is_empty` is true while
    /// the description is empty.
    pub fn classify(&mut self, body: &[u8], is_empty: bool) -> LineRole {
        let text = body.trim_ascii();
        let is_indented = body.first().is_none_or(|b| matches!(b, b' ' | b'\t'));
        match self.kind {
            Tool::Gradle => {
                if body.starts_with(GRADLE_HEADING) {
                    let is_repeat = self.stage == Stage::Message && !is_empty;
                    self.stage = Stage::Message;
                    return if is_repeat { LineRole::Other } else { LineRole::Restart };
                }
                if FORMATS.starts.gradle_end.matches(body) {
                    return LineRole::Other;
                }
                let is_heading = text.ends_with(b": Task failed with an exception.")
                    || !text.is_empty() && text.iter().all(|b| matches!(b, b'-' | b'='));
                if is_heading { LineRole::Frame } else { LineRole::Line }
            }
            Tool::Spring => self.classify_spring(text),
            Tool::GoTest if text.is_empty() => LineRole::Frame,
            Tool::GoTest => {
                if is_indented {
                    LineRole::Line
                } else {
                    LineRole::Other
                }
            }
            Tool::Jest => {
                let is_title = text.starts_with("● ".as_bytes());
                if is_title && self.stage == Stage::Frame {
                    self.stage = Stage::Message;
                    return LineRole::Line;
                }
                if is_title || !is_indented || self.stage == Stage::Frame && !text.is_empty() {
                    LineRole::Other
                } else {
                    LineRole::Line
                }
            }
            Tool::Pytest => {
                let is_end = row_title(body, b'=').is_some()
                    || row_title(body, b'_')
                        .is_some_and(|t| !t.iter().all(|b| matches!(b, b'_' | b' ')));
                if is_end { LineRole::Other } else { LineRole::Line }
            }
            Tool::Junit
                if ["</error", "</failure", "<testcase", "</testcase"]
                    .iter()
                    .any(|e| text.starts_with(e.as_bytes())) =>
            {
                LineRole::Other
            }
            Tool::Iis if text.is_empty() || text == IIS_DETAILS => LineRole::Frame,
            Tool::Iis if !FORMATS.starts.iis.matches(text) => LineRole::Other,
            Tool::Anr | Tool::Junit | Tool::Iis => LineRole::Line,
        }
    }

    fn classify_spring(&mut self, line: &[u8]) -> LineRole {
        if line == SPRING_HEADING {
            self.stage = Stage::Message;
            return LineRole::Restart;
        }
        match self.stage {
            Stage::Frame if is_asterisks(line) => {
                self.stage = Stage::Message;
                LineRole::Frame
            }
            Stage::Frame => LineRole::Other,
            Stage::Message if is_asterisks(line) || line == b"Description:" => LineRole::Frame,
            Stage::Message if line == b"Action:" => {
                self.stage = Stage::Advice(false);
                LineRole::Frame
            }
            Stage::Message => LineRole::Line,
            // The advice is one paragraph.
            Stage::Advice(has_text) => {
                if line.is_empty() && has_text {
                    return LineRole::Other;
                }
                self.stage = Stage::Advice(has_text || !line.is_empty());
                LineRole::Frame
            }
        }
    }
}

/// Returns the test and the message of a failure in a JUnit report.
pub fn junit_description(test: &str, body: &[u8]) -> String {
    let line = body.trim_ascii();
    let message = attribute(line, "message").unwrap_or_default();
    let class = attribute(line, "type").unwrap_or_default();
    let inner = line.iter().position(|b| *b == b'>').map_or(&b""[..], |end| &line[end + 1..]);
    let inner = decode_entities(&String::from_utf8_lossy(inner));
    let inner = inner.trim_start_matches("<![CDATA[").split("</").next().unwrap_or_default().trim();
    match inner {
        "" if class.is_empty() || message.starts_with(&class) => format!("{test}\n{message}"),
        "" => format!("{test}\n{class}: {message}"),
        inner => format!("{test}\n{inner}"),
    }
}

/// Returns the value of an XML attribute.
fn attribute(line: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let start = text.find(&format!(" {name}=\""))? + name.len() + 3;
    let end = start + text.get(start..)?.find('"')?;
    Some(decode_entities(text.get(start..end)?))
}

/// Returns the one-line summary of a framed failure.
pub fn summarize(kind: Tool, text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines().next().unwrap_or_default();
    let join =
        |name: &str, detail: Option<&str>| match detail.filter(|t| !t.is_empty() && *t != name) {
            Some(detail) => format!("{name} · {detail}"),
            None => name.to_owned(),
        };
    match kind {
        // The causes are nested, the root cause innermost.
        Tool::Gradle => join(first, lines().filter_map(|l| l.strip_prefix("> ")).next_back()),
        Tool::Spring => first.to_owned(),
        Tool::Iis => {
            let code = lines().find(|l| l.starts_with("Error Code"));
            join(first, code.map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).as_deref())
        }
        Tool::Junit => join(first, lines().nth(1)),
        Tool::GoTest => {
            // A test fails with its subtests; the innermost names the reason.
            let start = text.rfind("--- FAIL: ").unwrap_or(0);
            let mut rest = text[start..].lines().map(str::trim).filter(|l| !l.is_empty());
            let test = rest.next().unwrap_or_default().trim_start_matches("--- FAIL: ");
            join(test.rsplit_once(" (").map_or(test, |(name, _)| name), rest.next())
        }
        Tool::Jest => {
            let mut rest = lines().skip_while(|l| !l.starts_with('●'));
            match rest.next() {
                Some(test) => join(test.trim_start_matches('●').trim(), rest.next()),
                None => first.to_owned(),
            }
        }
        Tool::Pytest => {
            let test = first.trim_matches('_').trim();
            join(test, text.lines().find_map(|l| l.strip_prefix("E ")).map(str::trim))
        }
        Tool::Anr => join(first, lines().find(|l| l.starts_with("Reason: "))),
    }
}
