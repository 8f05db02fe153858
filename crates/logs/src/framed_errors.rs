//! Failures that tools report in a frame of many lines. The frame itself is no error; the failure
//! is named by the lines within.

use crate::formats::FORMATS;

/// The tool or format of a framed failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Gradle: `* What went wrong:` and the lines below it.
    Gradle,
    /// Spring Boot: a banner of asterisks, a description, an action.
    Spring,
    /// A Go test.
    GoTest,
    /// A JavaScript test file and one of its tests.
    Jest,
    /// A Python test.
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
    /// The lines of the frame alone.
    #[default]
    Frame,
    /// The description of the failure.
    Message,
    /// The advice, which is no part of the failure; true once it has begun.
    Advice(bool),
}

/// An open frame.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub kind: Kind,
    stage: Stage,
    /// True if its lines have times.
    pub has_times: bool,
}

/// The role of a line in the open frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A line of the failure's description.
    Line,
    /// A line of the frame, after which the description starts over.
    Anew,
    /// A line of the frame.
    Frame,
    /// A line after the end of the frame.
    After,
}

/// The state of the frame detection within a file.
#[derive(Clone, Debug, Default)]
pub struct FrameDetector {
    /// The last named test of a JUnit report.
    case: String,
    /// True once JavaScript tests are listed; other tools mark their lists with the same dot.
    jest: bool,
    /// True once pytest lists failures; other tools print rows of underscores as well.
    pytest: bool,
    /// True once a framed failure was reported; a later summary adds no error.
    has_failure: bool,
}

const ASTERISKS: usize = 10;
const SPRING_HEADING: &[u8] = b"APPLICATION FAILED TO START";
const WRONG: &[u8] = b"* What went wrong:";

/// Returns whether a line is a row of asterisks.
pub fn is_asterisks(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.len() >= ASTERISKS && line.iter().all(|b| *b == b'*')
}

/// Returns the words within a row of one character: `=== FAILURES ===`.
fn in_row(line: &[u8], sign: u8) -> Option<&[u8]> {
    let line = line.trim_ascii_end();
    let start = line.iter().take_while(|b| **b == sign).count();
    let end = line.iter().rev().take_while(|b| **b == sign).count();
    (start >= 3 && end >= 3 && start < line.len())
        .then(|| line[start..line.len() - end].trim_ascii())
}

fn is_test_file(word: &[u8]) -> bool {
    const ENDS: &[&[u8]] =
        &[b".js", b".ts", b".jsx", b".tsx", b".mjs", b".cjs", b".mts", b".cts", b".vue"];
    ENDS.iter().any(|e| word.ends_with(e))
}

const IIS_DETAILS: &[u8] = b"Detailed Error Information:";

/// Returns whether a line is the heading of an IIS error page: `HTTP Error 500.19 - Internal Server
/// Error`.
fn is_iis(line: &[u8]) -> bool {
    let number = line.strip_prefix(b"HTTP Error ").unwrap_or_default();
    let is_digit = |at: usize| number.get(at).is_some_and(u8::is_ascii_digit);
    (0..3).all(is_digit) && number.get(3) == Some(&b'.') && is_digit(4)
}

/// Returns whether a line belongs to an IIS error page, below its heading.
fn is_of_iis(line: &[u8]) -> bool {
    FORMATS.starts.iis.begin(line)
}

impl FrameDetector {
    /// Returns the kind of frame that a line opens, if any. The line is passed without its time.
    pub fn opens(&mut self, body: &[u8]) -> Option<Kind> {
        // Most lines begin with none of these bytes.
        let first = *body.iter().find(|b| !matches!(b, b' ' | b'\t'))?;
        if !matches!(first, b'F' | b'P' | b'*' | b'A' | b'-' | 0xe2 | b'_' | b'=' | b'<' | b'H') {
            return None;
        }
        let text = body.trim_ascii();
        if first == b'<' {
            if text.starts_with(b"<testcase ") {
                self.case = attribute(text, "name").unwrap_or_default();
            }
            let fails = text.starts_with(b"<failure") || text.starts_with(b"<error ");
            return (fails && !self.case.is_empty()).then_some(Kind::Junit);
        }
        if body.starts_with(b"FAILURE: Build ") || body.starts_with(WRONG) {
            return Some(Kind::Gradle);
        }
        if text == SPRING_HEADING {
            return Some(Kind::Spring);
        }
        if body.starts_with(b"--- FAIL: ") {
            return Some(Kind::GoTest);
        }
        if first == b'H' {
            return is_iis(text).then_some(Kind::Iis);
        }
        if let Some(rest) = text.strip_prefix(b"FAIL ").or_else(|| text.strip_prefix(b"PASS ")) {
            let name = rest.trim_ascii_start().split(|b| *b == b' ').next().unwrap_or_default();
            self.jest |= is_test_file(name);
            return (is_test_file(name) && first == b'F').then_some(Kind::Jest);
        }
        if self.jest && text.starts_with("● ".as_bytes()) {
            return Some(Kind::Jest);
        }
        if let Some(title) = in_row(body, b'=') {
            self.pytest = matches!(title, b"FAILURES" | b"ERRORS");
            return None;
        }
        (self.pytest && in_row(body, b'_').is_some_and(|t| !t.is_empty())).then_some(Kind::Pytest)
    }

    /// Returns the test that a JUnit report names last.
    pub fn case(&self) -> &str {
        &self.case
    }

    /// Records that a framed failure was reported.
    pub fn tells(&mut self) {
        self.has_failure = true;
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
        let heads =
            matches!(message, b"Failures:" | b"Errors:" | b"Tests in error:" | b"Failed tests:");
        let sap =
            message.starts_with(b"Category  ") && message.ends_with(b"ABAP programming error");
        if heads || sap || FORMATS.starts.help.begin(message) {
            return true;
        }
        let is_heading = in_row(body, b'=').is_some_and(|t| {
            matches!(t, b"FAILURES" | b"ERRORS") || self.has_failure && !t.is_empty()
        });
        let body = body.trim_ascii_end();
        is_heading || self.has_failure && (body == b"FAIL" || FORMATS.starts.summary.begin(body))
    }
}

impl Block {
    /// Creates the frame that a line opens; `body` is that line without its time.
    pub fn new(kind: Kind, body: &[u8], has_times: bool) -> Self {
        let has_message = match kind {
            Kind::Gradle => body.starts_with(WRONG),
            Kind::Spring => false,
            Kind::Jest => body.trim_ascii_start().starts_with("●".as_bytes()),
            Kind::GoTest | Kind::Pytest | Kind::Anr | Kind::Junit | Kind::Iis => true,
        };
        Self { kind, stage: if has_message { Stage::Message } else { Stage::Frame }, has_times }
    }

    /// Returns the part of the opening line that describes the failure.
    pub fn first<'l>(&self, body: &'l [u8]) -> &'l [u8] {
        match self.kind {
            Kind::Gradle if self.stage == Stage::Message => b"",
            Kind::Spring if body.trim_ascii() == SPRING_HEADING => b"",
            _ => body.trim_ascii(),
        }
    }

    /// Takes the next line, without its time, and returns its role; a blank line is empty. `empty`
    /// says whether the description is empty so far.
    pub fn takes(&mut self, body: &[u8], empty: bool) -> Part {
        let text = body.trim_ascii();
        let is_indented = body.first().is_none_or(|b| matches!(b, b' ' | b'\t'));
        match self.kind {
            Kind::Gradle => {
                if body.starts_with(WRONG) {
                    let is_repeat = self.stage == Stage::Message && !empty;
                    self.stage = Stage::Message;
                    return if is_repeat { Part::After } else { Part::Anew };
                }
                if FORMATS.starts.gradle_end.begin(body) {
                    return Part::After;
                }
                let heading = text.ends_with(b": Task failed with an exception.")
                    || !text.is_empty() && text.iter().all(|b| matches!(b, b'-' | b'='));
                if heading { Part::Frame } else { Part::Line }
            }
            Kind::Spring => self.spring(text),
            Kind::GoTest => {
                if is_indented && !text.is_empty() {
                    Part::Line
                } else if text.is_empty() {
                    Part::Frame
                } else {
                    Part::After
                }
            }
            Kind::Jest => {
                let dot = text.starts_with("● ".as_bytes());
                if dot && self.stage == Stage::Frame {
                    self.stage = Stage::Message;
                    return Part::Line;
                }
                if dot || !is_indented || self.stage == Stage::Frame && !text.is_empty() {
                    Part::After
                } else {
                    Part::Line
                }
            }
            Kind::Pytest => {
                let ends = in_row(body, b'=').is_some()
                    || in_row(body, b'_')
                        .is_some_and(|t| !t.iter().all(|b| matches!(b, b'_' | b' ')));
                if ends { Part::After } else { Part::Line }
            }
            Kind::Junit
                if ["</error", "</failure", "<testcase", "</testcase"]
                    .iter()
                    .any(|e| text.starts_with(e.as_bytes())) =>
            {
                Part::After
            }
            Kind::Iis if text.is_empty() || text == IIS_DETAILS => Part::Frame,
            Kind::Iis if !is_of_iis(text) => Part::After,
            Kind::Anr | Kind::Junit | Kind::Iis => Part::Line,
        }
    }

    fn spring(&mut self, line: &[u8]) -> Part {
        if line == SPRING_HEADING {
            self.stage = Stage::Message;
            return Part::Anew;
        }
        match self.stage {
            Stage::Frame if is_asterisks(line) => {
                self.stage = Stage::Message;
                Part::Frame
            }
            Stage::Frame => Part::After,
            Stage::Message if is_asterisks(line) || line == b"Description:" => Part::Frame,
            Stage::Message if line == b"Action:" => {
                self.stage = Stage::Advice(false);
                Part::Frame
            }
            Stage::Message => Part::Line,
            // The advice is one paragraph.
            Stage::Advice(has_text) => {
                if line.is_empty() && has_text {
                    return Part::After;
                }
                self.stage = Stage::Advice(has_text || !line.is_empty());
                Part::Frame
            }
        }
    }
}

/// Returns the first line of a failure in a JUnit report: the test, and its message.
pub fn junit(case: &str, body: &[u8]) -> String {
    let line = body.trim_ascii();
    let message = attribute(line, "message").unwrap_or_default();
    let class = attribute(line, "type").unwrap_or_default();
    let inner = line.iter().position(|b| *b == b'>').map_or(&b""[..], |end| &line[end + 1..]);
    let inner = plain(&String::from_utf8_lossy(inner));
    let inner = inner.trim_start_matches("<![CDATA[").split("</").next().unwrap_or_default().trim();
    match inner {
        "" if class.is_empty() || message.starts_with(&class) => format!("{case}\n{message}"),
        "" => format!("{case}\n{class}: {message}"),
        inner => format!("{case}\n{inner}"),
    }
}

/// Returns the value of an XML attribute.
fn attribute(line: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let start = text.find(&format!(" {name}=\""))? + name.len() + 3;
    let end = start + text.get(start..)?.find('"')?;
    Some(plain(text.get(start..end)?))
}

/// Decodes the entities of an XML text.
fn plain(text: &str) -> String {
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&apos;", "'");
    text.replace("&#10;", "\n").replace("&amp;", "&")
}

/// Returns the name of a framed failure.
pub fn name(kind: Kind, text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines().next().unwrap_or_default();
    let with =
        |name: &str, detail: Option<&str>| match detail.filter(|t| !t.is_empty() && *t != name) {
            Some(detail) => format!("{name} · {detail}"),
            None => name.to_owned(),
        };
    match kind {
        // The causes are nested, the root cause innermost.
        Kind::Gradle => with(first, lines().filter_map(|l| l.strip_prefix("> ")).next_back()),
        Kind::Spring => first.to_owned(),
        Kind::Iis => {
            let code = lines().find(|l| l.starts_with("Error Code"));
            with(first, code.map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).as_deref())
        }
        Kind::Junit => with(first, lines().nth(1)),
        Kind::GoTest => {
            // A test fails with its subtests; the innermost names the reason.
            let at = text.rfind("--- FAIL: ").unwrap_or(0);
            let mut rest = text[at..].lines().map(str::trim).filter(|l| !l.is_empty());
            let test = rest.next().unwrap_or_default().trim_start_matches("--- FAIL: ");
            with(test.rsplit_once(" (").map_or(test, |(name, _)| name), rest.next())
        }
        Kind::Jest => {
            let mut rest = lines().skip_while(|l| !l.starts_with('●'));
            match rest.next() {
                Some(test) => with(test.trim_start_matches('●').trim(), rest.next()),
                None => first.to_owned(),
            }
        }
        Kind::Pytest => {
            let test = first.trim_matches('_').trim();
            with(test, text.lines().find_map(|l| l.strip_prefix("E ")).map(str::trim))
        }
        Kind::Anr => with(first, lines().find(|l| l.starts_with("Reason: "))),
    }
}
