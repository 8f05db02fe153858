//! Failures that a tool tells in a frame of many lines: the frame is no error, and what is told in it has the failure's own name.

/// What tells a failure in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Gradle: `* What went wrong:` and what follows it.
    Gradle,
    /// Spring Boot: a banner of asterisks, a description, an action.
    Spring,
    /// A test of Go.
    GoTest,
    /// A file of tests in JavaScript, and a test of it.
    Jest,
    /// A test of Python.
    Pytest,
    /// An app of Android that does not respond.
    Anr,
    /// A failed test in a report of JUnit.
    Junit,
    /// IIS's page of an error.
    Iis,
}

/// How far a frame has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// What has come is the frame alone.
    #[default]
    Frame,
    /// What went wrong is told.
    Told,
    /// What to do is told, which is no part of the failure; whether it has begun.
    Advice(bool),
}

/// A frame that is open.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub kind: Kind,
    stage: Stage,
    /// Whether its lines have times.
    pub timed: bool,
}

/// What a line is to the frame that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A line of what is told.
    Line,
    /// What is told begins with the next line: what came before was the frame.
    Anew,
    /// A line of the frame.
    Frame,
    /// No part of it any more.
    After,
}

/// What the frames of a file have shown so far.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    /// The test of a report of JUnit that was named last.
    case: String,
    /// Whether tests in JavaScript are listed: others mark their lists with the same dot.
    jest: bool,
    /// Whether pytest has begun to list failures: rows of underscores stand elsewhere, too.
    pytest: bool,
    /// Whether a failure was told in a frame: what sums it up tells nothing more.
    told: bool,
}

const ASTERISKS: usize = 10;
const STARTED: &[u8] = b"APPLICATION FAILED TO START";
const WRONG: &[u8] = b"* What went wrong:";

/// Whether a line is a row of asterisks.
pub fn is_asterisks(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.len() >= ASTERISKS && line.iter().all(|b| *b == b'*')
}

/// The words in a row of a sign: `=== FAILURES ===`.
fn in_row(line: &[u8], sign: u8) -> Option<&[u8]> {
    let line = line.trim_ascii_end();
    let start = line.iter().take_while(|b| **b == sign).count();
    let end = line.iter().rev().take_while(|b| **b == sign).count();
    (start >= 3 && end >= 3 && start < line.len()).then(|| line[start..line.len() - end].trim_ascii())
}

fn is_test_file(word: &[u8]) -> bool {
    const ENDS: &[&[u8]] = &[b".js", b".ts", b".jsx", b".tsx", b".mjs", b".cjs", b".mts", b".cts", b".vue"];
    ENDS.iter().any(|e| word.ends_with(e))
}

const IIS_DETAILS: &[u8] = b"Detailed Error Information:";

/// Whether a line is the heading of IIS's page of an error: `HTTP Error 500.19 - Internal Server Error`.
fn is_iis(line: &[u8]) -> bool {
    let number = line.strip_prefix(b"HTTP Error ").unwrap_or_default();
    let is_digit = |at: usize| number.get(at).is_some_and(u8::is_ascii_digit);
    (0..3).all(is_digit) && number.get(3) == Some(&b'.') && is_digit(4)
}

/// Whether a line stands on IIS's page of an error, below its heading.
fn is_of_iis(line: &[u8]) -> bool {
    const HEADS: &[&[u8]] = &[
        b"The ",
        b"Module",
        b"Notification",
        b"Handler",
        b"Error Code",
        b"Config ",
        b"Requested URL",
        b"Physical Path",
        b"Logon ",
        b"Most likely causes",
        b"Things you can try",
        b"More Information",
    ];
    HEADS.iter().any(|head| line.starts_with(head))
}

impl Seen {
    /// The frame that a line opens, should it open one. The line is told without its time.
    pub fn opens(&mut self, said: &[u8]) -> Option<Kind> {
        // Most lines begin with none of these.
        let first = *said.iter().find(|b| !matches!(b, b' ' | b'\t'))?;
        if !matches!(first, b'F' | b'P' | b'*' | b'A' | b'-' | 0xe2 | b'_' | b'=' | b'<' | b'H') {
            return None;
        }
        let trimmed = said.trim_ascii();
        if first == b'<' {
            if trimmed.starts_with(b"<testcase ") {
                self.case = attribute(trimmed, "name").unwrap_or_default();
            }
            let fails = trimmed.starts_with(b"<failure") || trimmed.starts_with(b"<error ");
            return (fails && !self.case.is_empty()).then_some(Kind::Junit);
        }
        if said.starts_with(b"FAILURE: Build ") || said.starts_with(WRONG) {
            return Some(Kind::Gradle);
        }
        if trimmed == STARTED {
            return Some(Kind::Spring);
        }
        if said.starts_with(b"--- FAIL: ") {
            return Some(Kind::GoTest);
        }
        if first == b'H' {
            return is_iis(trimmed).then_some(Kind::Iis);
        }
        if let Some(rest) = trimmed.strip_prefix(b"FAIL ").or_else(|| trimmed.strip_prefix(b"PASS ")) {
            let name = rest.trim_ascii_start().split(|b| *b == b' ').next().unwrap_or_default();
            self.jest |= is_test_file(name);
            return (is_test_file(name) && first == b'F').then_some(Kind::Jest);
        }
        if self.jest && trimmed.starts_with("● ".as_bytes()) {
            return Some(Kind::Jest);
        }
        if let Some(title) = in_row(said, b'=') {
            self.pytest = matches!(title, b"FAILURES" | b"ERRORS");
            return None;
        }
        (self.pytest && in_row(said, b'_').is_some_and(|t| !t.is_empty())).then_some(Kind::Pytest)
    }

    /// The test of which a report of JUnit tells.
    pub fn case(&self) -> &str {
        &self.case
    }

    /// Says that a failure was told in a frame.
    pub fn tells(&mut self) {
        self.told = true;
    }

    /// Whether a line only frames what is told elsewhere: headings, help and what sums up. `said` is the line without its time, and
    /// `message` is that without its level.
    pub fn is_frame(&self, said: &[u8], message: &[u8]) -> bool {
        const HELP: &[&[u8]] = &[
            b"To see the full stack trace of the errors",
            b"Re-run Maven using the -X",
            b"For more information about the errors and possible",
            b"[Help ",
            b"After correcting the problems, you can resume",
            b"There was 1 failure:",
            b"You are using pip version",
            b"For more information about this error, try `rustc",
            b"*** WARNING: Unable to verify ",
            b"*** ERROR: Module load completed but",
        ];
        // Most lines begin with none of these.
        let first = |text: &[u8]| text.trim_ascii_start().first().copied().unwrap_or_default();
        if !matches!(first(message), b'A' | b'C' | b'E' | b'F' | b'R' | b'T' | b'Y' | b'[' | b'*' | b'<')
            && !matches!(first(said), b'=' | b'B' | b'E' | b'F' | b'S' | b'T')
        {
            return false;
        }
        let message = message.trim_ascii();
        let heads = matches!(message, b"Failures:" | b"Errors:" | b"Tests in error:" | b"Failed tests:");
        let sap = message.starts_with(b"Category  ") && message.ends_with(b"ABAP programming error");
        let report = message.starts_with(b"<testsuite");
        if heads || sap || report || HELP.iter().any(|h| message.starts_with(h)) {
            return true;
        }
        let titled = in_row(said, b'=')
            .is_some_and(|title| matches!(title, b"FAILURES" | b"ERRORS") || self.told && !title.is_empty());
        const SUMS: &[&[u8]] = &[
            b"FAIL\t",
            b"FAILED ",
            b"ERROR tests",
            b"BUILD FAILED in ",
            b"Tests: ",
            b"Test Suites: ",
            b"Summary of all failing tests",
        ];
        let said = said.trim_ascii_end();
        titled || self.told && (said == b"FAIL" || SUMS.iter().any(|s| said.starts_with(s)))
    }
}

impl Block {
    /// The frame that a line opens; `said` is that line, without its time.
    pub fn new(kind: Kind, said: &[u8], timed: bool) -> Self {
        let told = match kind {
            Kind::Gradle => said.starts_with(WRONG),
            Kind::Spring => false,
            Kind::Jest => said.trim_ascii_start().starts_with("●".as_bytes()),
            Kind::GoTest | Kind::Pytest | Kind::Anr | Kind::Junit | Kind::Iis => true,
        };
        Self { kind, stage: if told { Stage::Told } else { Stage::Frame }, timed }
    }

    /// What the line that opens it tells of the failure.
    pub fn first<'l>(&self, said: &'l [u8]) -> &'l [u8] {
        match self.kind {
            Kind::Gradle if self.stage == Stage::Told => b"",
            Kind::Spring if said.trim_ascii() == STARTED => b"",
            _ => said.trim_ascii(),
        }
    }

    /// What the next line is; `empty` says whether nothing was told so far. The line is told without its time, and without a line it
    /// is blank.
    pub fn takes(&mut self, said: &[u8], empty: bool) -> Part {
        let trimmed = said.trim_ascii();
        let indented = said.first().is_none_or(|b| matches!(b, b' ' | b'\t'));
        match self.kind {
            Kind::Gradle => {
                if said.starts_with(WRONG) {
                    let again = self.stage == Stage::Told && !empty;
                    self.stage = Stage::Told;
                    return if again { Part::After } else { Part::Anew };
                }
                let ends =
                    [&b"* Try:"[..], b"* Get more help", b"BUILD FAILED", b"FAILURE: ", b"Deprecated Gradle"];
                if ends.iter().any(|e| said.starts_with(e)) {
                    return Part::After;
                }
                let heading = trimmed.ends_with(b": Task failed with an exception.")
                    || !trimmed.is_empty() && trimmed.iter().all(|b| matches!(b, b'-' | b'='));
                if heading { Part::Frame } else { Part::Line }
            }
            Kind::Spring => self.spring(trimmed),
            Kind::GoTest => {
                if indented && !trimmed.is_empty() {
                    Part::Line
                } else if trimmed.is_empty() {
                    Part::Frame
                } else {
                    Part::After
                }
            }
            Kind::Jest => {
                let dot = trimmed.starts_with("● ".as_bytes());
                if dot && self.stage == Stage::Frame {
                    self.stage = Stage::Told;
                    return Part::Line;
                }
                if dot || !indented || self.stage == Stage::Frame && !trimmed.is_empty() {
                    Part::After
                } else {
                    Part::Line
                }
            }
            Kind::Pytest => {
                let ends = in_row(said, b'=').is_some()
                    || in_row(said, b'_').is_some_and(|t| !t.iter().all(|b| matches!(b, b'_' | b' ')));
                if ends { Part::After } else { Part::Line }
            }
            Kind::Junit
                if ["</error", "</failure", "<testcase", "</testcase"]
                    .iter()
                    .any(|e| trimmed.starts_with(e.as_bytes())) =>
            {
                Part::After
            }
            Kind::Iis if trimmed.is_empty() || trimmed == IIS_DETAILS => Part::Frame,
            Kind::Iis if !is_of_iis(trimmed) => Part::After,
            Kind::Anr | Kind::Junit | Kind::Iis => Part::Line,
        }
    }

    fn spring(&mut self, line: &[u8]) -> Part {
        if line == STARTED {
            self.stage = Stage::Told;
            return Part::Anew;
        }
        match self.stage {
            Stage::Frame if is_asterisks(line) => {
                self.stage = Stage::Told;
                Part::Frame
            }
            Stage::Frame => Part::After,
            Stage::Told if is_asterisks(line) || line == b"Description:" => Part::Frame,
            Stage::Told if line == b"Action:" => {
                self.stage = Stage::Advice(false);
                Part::Frame
            }
            Stage::Told => Part::Line,
            // The advice is a paragraph.
            Stage::Advice(begun) => {
                if line.is_empty() && begun {
                    return Part::After;
                }
                self.stage = Stage::Advice(begun || !line.is_empty());
                Part::Frame
            }
        }
    }
}

/// What a report of JUnit tells in the first line of a failure: the test, and what it failed with.
pub fn junit(case: &str, said: &[u8]) -> String {
    let line = said.trim_ascii();
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

/// The value of an attribute of XML.
fn attribute(line: &[u8], name: &str) -> Option<String> {
    let text = String::from_utf8_lossy(line);
    let start = text.find(&format!(" {name}=\""))? + name.len() + 3;
    let end = start + text.get(start..)?.find('"')?;
    Some(plain(text.get(start..end)?))
}

/// A text of XML without its entities.
fn plain(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&#10;", "\n").replace("&amp;", "&")
}

/// What a failure that was told in a frame is called.
pub fn name(kind: Kind, text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines().next().unwrap_or_default();
    let with = |name: &str, told: Option<&str>| match told.filter(|t| !t.is_empty() && *t != name) {
        Some(told) => format!("{name} · {told}"),
        None => name.to_owned(),
    };
    match kind {
        // What failed lies in one another, the cause innermost.
        Kind::Gradle => with(first, lines().filter_map(|l| l.strip_prefix("> ")).next_back()),
        Kind::Spring => first.to_owned(),
        Kind::Iis => {
            let code = lines().find(|l| l.starts_with("Error Code"));
            with(first, code.map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).as_deref())
        }
        Kind::Junit => with(first, lines().nth(1)),
        Kind::GoTest => {
            // A test fails with those in it; the innermost says why.
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
