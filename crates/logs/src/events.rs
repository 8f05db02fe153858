//! From lines to events: a line that begins one, and those that go on with it.

use std::borrow::Cow;

use precedent_core::model::{LogFile, LogSeverity};
use precedent_text::visible::uncoloured;

use crate::{
    Reading, Small,
    bundle::Part,
    document::{self, Document, Element},
    faults,
    head::{Level, head, source},
    lines::{begins_trace, between, gap, headline, is_coded, one_line, says_nothing},
    pending::{MAX_TEXT, Pending},
    record::{self, Record},
    template::{Event, Groups, Place},
    windows,
};

/// The longest line, in bytes; the rest of it is left out.
const MAX_LINE: usize = 16 * 1024;
/// The longest line that is a record of JSON.
const MAX_RECORD: usize = 512 * 1024;
/// A file of at most so many bytes and lines is kept whole, and so many files are.
const SMALL: usize = 8 * 1024;
const SMALL_LINES: usize = 40;
const MAX_SMALL: usize = 8;
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
    small: Vec<Small>,
    open: Open,
}

/// The file that is being read.
#[derive(Debug, Default)]
struct Open {
    file: u32,
    line: u64,
    pending: Option<Pending>,
    record: Option<windows::Record>,
    /// The one document that it is, as long as it is one.
    document: Option<Document>,
    /// Whether anything of it was read.
    begun: bool,
    /// The last byte of it.
    last: u8,
    /// All of it, as long as that is little.
    whole: Option<Vec<u8>>,
    /// Whether its lines begin with times.
    timed: bool,
    /// Whether the last line that began an event tells nothing bad: what is indented below it is its own.
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
                self.keep(&block);
                let document = !std::mem::replace(&mut self.open.begun, true) && document::begins(&block);
                self.open.document = self.open.document.take().or_else(|| document.then(Document::default));
                let mut rest = &block[..];
                if let Some(mut document) = self.open.document.take() {
                    let mut found = Vec::new();
                    let end = document.take(rest, &mut found);
                    found.into_iter().for_each(|one| self.element(one));
                    self.open.line = document.lines();
                    rest = end.map_or(&[][..], |end| &rest[end..]);
                    if end.is_none() {
                        self.open.document = Some(document);
                    }
                }
                while !rest.is_empty() {
                    let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
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

    /// An object of a document.
    fn element(&mut self, element: Element) {
        match element {
            Element::Object(line, bytes) => {
                self.open.line = line;
                let text = String::from_utf8_lossy(&bytes);
                match record::json(&text).filter(Record::is_one) {
                    Some(record) => self.record(record),
                    None => match serde_json::from_str(&text) {
                        Ok(value) => record::within(&value).into_iter().for_each(|r| self.record(r)),
                        Err(_) => self.lines_of(line, &bytes),
                    },
                }
            }
            Element::Broken(line, bytes) => self.lines_of(line, &bytes),
        }
    }

    /// What was taken for a record and is none.
    fn lines_of(&mut self, first: u64, bytes: &[u8]) {
        self.open.line = first - 1;
        bytes.split(|b| *b == b'\n').for_each(|line| self.line(line));
    }

    /// The file ends, or cannot be read any further.
    fn end(&mut self, cut: Option<String>) {
        if let Some(document) = self.open.document.take() {
            let lines = document.lines() + u64::from(self.open.last != b'\n');
            if let Some(element) = document.end() {
                self.element(element);
            }
            self.open.line = lines;
        }
        self.flush();
        if let Some(record) = self.open.record.take() {
            self.windows(record);
        }
        let lines = self.open.line;
        self.lines += lines;
        if let Some(file) = self.files.get_mut(self.open.file as usize) {
            file.lines = lines;
            file.skipped = cut;
            let whole = self.open.whole.take().filter(|w| !w.is_empty());
            let text = whole.map(|w| String::from_utf8_lossy(&w).into_owned());
            if let Some(text) = text.filter(|t| t.lines().count() <= SMALL_LINES) {
                self.small.push(Small { file: file.name.clone(), text });
            }
        }
        self.groups.ended(self.open.file, lines, END.max(lines / END_SHARE));
    }

    /// Everything that was read.
    pub fn finish(self) -> Reading {
        let Self { files, bytes, lines, groups, small, .. } = self;
        let (_, dropped) = groups.counts();
        let groups =
            groups.ranked(|file| files.get(file as usize).map(|f| f.name.clone()).unwrap_or_default());
        Reading { files, bytes, lines, groups, dropped, small }
    }

    fn line(&mut self, raw: &[u8]) {
        self.open.line += 1;
        let raw = raw.strip_suffix(b"\n").unwrap_or(raw);
        let raw = raw.strip_suffix(b"\r").unwrap_or(raw);
        // A record says a lot in one line.
        let most = if raw.first() == Some(&b'{') { MAX_RECORD } else { MAX_LINE };
        let raw = &raw[..raw.len().min(most)];
        let line: Cow<'_, [u8]> = if memchr::memchr(0x1b, raw).is_some() {
            Cow::Owned(uncoloured(&String::from_utf8_lossy(raw)).into_owned().into_bytes())
        } else {
            Cow::Borrowed(raw)
        };
        if self.in_windows(&line) {
            return;
        }
        let (source, line) = line.split_at(source(&line));
        if line.first() == Some(&b'{')
            && line.trim_ascii_end().last() == Some(&b'}')
            && let Some(record) = record::json(&String::from_utf8_lossy(line))
        {
            return self.record(record);
        }
        self.text(source, &line[..line.len().min(MAX_LINE)], None);
    }

    /// A line that is no record; `origin` is the program that a record names, whose line it is.
    fn text(&mut self, source: &[u8], line: &[u8], origin: Option<&str>) {
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
            if pending.source == source
                && origin.is_none_or(|o| pending.origin.as_deref() == Some(o))
                && let Some(told) = pending.goes_on(line, self.open.timed)
            {
                pending.push(told);
                return;
            }
            self.flush();
        }
        self.begin(line);
        if let Some(pending) = &mut self.open.pending {
            pending.source = source.to_vec();
            pending.origin = origin.map(str::to_owned);
        }
    }

    /// Whether the line is of an event of Windows.
    fn in_windows(&mut self, line: &[u8]) -> bool {
        let may_begin = line.first().is_some_and(|first| windows::may_begin(*first));
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
            level: head.level,
            between: between(line, &head).to_vec(),
            gap: gap(line, &head),
            source: Vec::new(),
            origin: None,
        });
    }

    fn record(&mut self, record: Record) {
        if let Some(inner) = record.line {
            let inner = inner.into_bytes();
            // A record in a record is no log of any program.
            if inner.first() == Some(&b'{')
                && let Some(inner) =
                    record::json(&String::from_utf8_lossy(&inner)).filter(|r| r.line.is_none())
            {
                return self.record(Record { at: inner.at.clone().or(record.at), ..inner });
            }
            // A container writes a pile of codes at once; what it writes at another time is another event.
            let apart =
                |p: &Pending| is_coded(&inner) && second(p.at.as_deref()) != second(record.at.as_deref());
            if self.open.pending.as_ref().is_some_and(apart) {
                self.flush();
            }
            self.text(b"", &inner[..inner.len().min(MAX_LINE)], Some(&record.origin));
            if let Some(pending) = self.open.pending.as_mut().filter(|p| p.line == self.open.line) {
                pending.at = pending.at.take().or(record.at);
            }
            return;
        }
        self.open.fine = true;
        if record.trace.is_empty()
            && let Some(pending) = &mut self.open.pending
            && pending.origin.as_ref() == Some(&record.origin)
            && !record.message.trim_start().contains('\n')
        {
            if record.message.trim().is_empty() {
                pending.blank = true;
                return;
            }
            if pending.continues(record.message.as_bytes(), 0) {
                return pending.push(record.message.as_bytes());
            }
        }
        self.flush();
        // A logger that writes plain lines may name the level in them.
        let first = record.message.lines().next().unwrap_or_default();
        let told = head(first.as_bytes()).level.filter(|_| record.level.is_none());
        let message = record.message.as_bytes();
        let severity = match record.level.or(told) {
            Some(level) => faults::graded(level, message),
            None if !record.trace.is_empty() => faults::severity(message).or(Some(LogSeverity::Error)),
            None => faults::severity(message),
        };
        let Some(severity) = severity else { return };
        let trace = if record.trace.is_empty() { record.details } else { record.trace };
        let mut text = match record.message.trim() {
            message if !trace.is_empty() && !message.contains(&trace) => {
                format!("{message}\n{trace}").trim_start().to_owned()
            }
            message => message.to_owned(),
        };
        let alone = trace.is_empty() && !text.contains('\n');
        let end = text.floor_char_boundary(MAX_TEXT);
        let cut = end < text.len();
        text.truncate(end);
        // The next record may go on with it: a journal has one for each line of a trace.
        self.open.pending = Some(Pending {
            severity,
            at: record.at,
            line: self.open.line,
            lines: text.lines().count(),
            text,
            cut,
            blank: false,
            headed: false,
            level: None,
            between: Vec::new(),
            gap: 0,
            source: Vec::new(),
            origin: Some(record.origin),
        });
        if !alone {
            self.flush();
        }
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
        let file = self.open.file;
        // A level alone says nothing, but that the program ended here.
        if !says_nothing(&text) {
            self.groups.add(Event { severity, message, text, cut, place: Place { file, line, at } });
        }
        if severity == LogSeverity::Fatal {
            self.groups.crashed(file, line, BEFORE);
        }
    }
}

/// A time without the fraction of its second, as ISO 8601 writes it.
fn second(at: Option<&str>) -> Option<&str> {
    at.map(|at| at.split(['.', ',']).next().unwrap_or(at).trim_end_matches('Z'))
}

#[cfg(test)]
mod tests {
    use precedent_core::model::LogGroup;

    use super::*;
    use crate::lines::cause;

    /// The errors of a log, what to look at first first; read in one piece.
    fn errors(text: &str) -> Vec<LogGroup> {
        let mut reader = Reader::default();
        reader.take(Part::Begin("a.log".to_owned()));
        reader.take(Part::Block(text.as_bytes().to_vec()));
        reader.take(Part::End);
        reader.finish().groups
    }

    fn one(text: &str) -> LogGroup {
        let mut all = errors(text);
        assert_eq!(all.len(), 1, "{all:#?}");
        all.remove(0)
    }

    /// A journal as JSON, a line a record; the process by its number.
    fn journal(lines: &[(&str, u32)]) -> String {
        let record = |(line, pid): &(&str, u32)| {
            let message = serde_json::to_string(line).unwrap();
            format!(
                "{{\"PRIORITY\":\"3\",\"SYSLOG_IDENTIFIER\":\"agent\",\"MESSAGE\":{message},\"_PID\":\"{pid}\"}}\n"
            )
        };
        lines.iter().map(record).collect()
    }

    const CHAIN: [&str; 9] = [
        "Traceback (most recent call last):",
        "  File \"/opt/pool.py\", line 7, in take",
        "    self.ring.open()",
        "ssl.SSLError: unable to get local issuer certificate",
        "",
        "During handling of the above exception, another exception occurred:",
        "",
        "Traceback (most recent call last):",
        "  File \"/opt/agent.py\", line 9, in pull",
    ];

    #[test]
    fn a_trace_is_one_error_whatever_stands_in_front_of_its_lines() {
        let mut trace = CHAIN.to_vec();
        trace.push("agent.PullError: the hub cannot be reached");
        let plain = trace.join("\n");
        let syslog: String =
            trace.iter().map(|l| format!("May 12 10:00:00 edge agent[811]: {l}\n")).collect();
        let iso: String =
            trace.iter().map(|l| format!("2026-05-12T10:00:00+02:00 edge agent[811]: {l}\n")).collect();
        let compose: String = trace.iter().map(|l| format!("agent_1  | {l}\n")).collect();
        let docker: String = trace
            .iter()
            .map(|l| {
                format!(
                    "{{\"log\":{},\"stream\":\"stderr\"}}\n",
                    serde_json::to_string(&format!("{l}\n")).unwrap()
                )
            })
            .collect();
        let lines: Vec<(&str, u32)> = trace.iter().map(|l| (*l, 811)).collect();
        for text in [plain, syslog, iso, compose, docker, journal(&lines)] {
            let error = one(&text);
            assert!(error.message.contains("agent.PullError: the hub cannot be reached"), "{error:#?}");
            assert!(
                error.example.contains("issuer certificate") && error.example.contains("agent.py"),
                "{error:#?}"
            );
            assert!(cause(&error.example).unwrap().ends_with("unable to get local issuer certificate"));
        }
    }

    #[test]
    fn what_another_process_says_is_no_part_of_a_trace() {
        let all = errors(&journal(&[
            ("Traceback (most recent call last):", 811),
            ("  File \"/opt/pool.py\", line 7, in take", 811),
            ("the ring is full", 12),
            ("KeyError: 'slot'", 811),
        ]));
        assert!(all.iter().any(|e| e.message == "the ring is full"), "{all:#?}");
        let all = errors("2026-05-12 10:00:00  ERROR no slot\n2026-05-12 10:00:01  ERROR no ring\n");
        assert_eq!(all.len(), 2, "{all:#?}");
    }

    #[test]
    fn what_the_kernel_writes_when_it_falls_over_is_one_error() {
        let oops = "[  913.1] fine\n[  913.221112] BUG: unable to handle kernel NULL pointer dereference at 70\n[  913.221119] IP: [<ffffffffc05a11a3>] ring_ops+0x2b3/0x1020 [ring]\n[  913.221125] PGD 0 \n[  913.221130] Oops: 0000 [#1] SMP \n[  913.221150] Call Trace:\n[  913.221155]  handle_slot+0x9b4/0x25b0 [ring]\n[  913.221170] ---[ end trace 1f2e3d ]---\n[  914.000001] usb 1-1: new device\n";
        let error = one(oops);
        assert!(error.example.contains("handle_slot") && !error.example.contains("usb"), "{error:#?}");
        let through_syslog: String =
            oops.lines().map(|l| format!("May 12 10:00:00 edge kernel: {l}\n")).collect();
        assert!(errors(&through_syslog).len() <= 3);
    }

    #[test]
    fn the_cause_that_is_piled_up_below_is_told() {
        let error = one(
            "ORA-31693: Table \"A\".\"B\" failed to load and is being skipped due to error:\nORA-02354: error in exporting data\nORA-01555: snapshot too old\n",
        );
        assert!(error.message.ends_with("ORA-01555: snapshot too old"), "{error:#?}");
        assert_eq!(cause(&error.example).as_deref(), Some("ORA-01555: snapshot too old"));
        let error = one(
            "BEGIN rep.run; END;\n*\nERROR at line 1:\nORA-01555: snapshot too old\nORA-06512: at \"REP.RUN\", line 12\n",
        );
        assert_eq!(error.message, "at line 1: ORA-01555: snapshot too old");
        let error =
            one("Microsoft Visual Basic\n\nRun-time error '1004':\n\nMethod 'Range' of object failed\n");
        assert!(error.message.ends_with("Method 'Range' of object failed"), "{error:#?}");
        let error = one(
            "2026-05-12 10:00:00 ERROR it broke\na.OuterException: outer\n\tat a.B.c(B.java:3)\nCaused by: a.InnerException: inner\n\tat a.D.e(D.java:5)\n\t... 2 more\n",
        );
        assert!(
            cause(&error.example).unwrap().starts_with("a.InnerException: inner\n\tat a.D.e"),
            "{error:#?}"
        );
        assert_eq!(cause("one line"), None);
    }

    #[test]
    fn each_record_with_a_code_is_an_event_of_its_own() {
        let timed = |n: usize, line: &str| format!("2026-05-12 10:{n:02}:00 ERROR {line}\n");
        let json = |n: usize, line: &str| {
            format!("{{\"time\":\"2026-05-12T10:{n:02}:00Z\",\"level\":\"error\",\"msg\":\"{line}\"}}\n")
        };
        let docker = |n: usize, line: &str| {
            format!("{{\"log\":\"ERROR {line}\\n\",\"time\":\"2026-05-12T10:{n:02}:00Z\"}}\n")
        };
        let syslog = |n: usize, line: &str| format!("May 12 10:{n:02}:00 web1 app[7]: ERROR {line}\n");
        let bare = |_: usize, line: &str| format!("ERROR {line}\n");
        let codes = ["FW-2203: pump lost", "FW-2011: seal lost", "ORA-00060: deadlock detected"];
        let forms: [&dyn Fn(usize, &str) -> String; 5] = [&timed, &json, &docker, &syslog, &bare];
        for form in forms {
            let text: String = (0..30).map(|n| form(n, codes[n % 3])).collect();
            let mut all: Vec<(String, u64)> =
                errors(&text).into_iter().map(|e| (e.message, e.count)).collect();
            all.sort();
            assert_eq!(
                all,
                [(codes[1].to_owned(), 10), (codes[0].to_owned(), 10), (codes[2].to_owned(), 10)],
                "{text}"
            );
        }
        let text: String = (0..3).map(|n| timed(n * 5, "HB-7002: worker lease lost")).collect();
        assert_eq!(one(&text).count, 3);
        // A container gives each line of a pile a time, and the next pile another.
        let pile = |n: usize| {
            format!(
                "{{\"log\":\"ORA-01555: snapshot too old\\n\",\"time\":\"2026-05-12T10:{n:02}:00.1Z\"}}\n{{\"log\":\"ORA-06512: at \\\"REP.RUN\\\", line 12\\n\",\"time\":\"2026-05-12T10:{n:02}:00.2Z\"}}\n"
            )
        };
        assert_eq!(one(&(pile(1) + &pile(7))).count, 2);
        assert_eq!(one("ORA-01555: snapshot too old\nORA-06512: at \"REP.RUN\", line 12\nORA-01555: snapshot too old\nORA-06512: at \"REP.RUN\", line 12\n").count, 2);
    }

    #[test]
    fn a_level_alone_is_no_error() {
        let error = one(
            "I, [2026-05-12T10:00:00.1 #811]  INFO -- : [3f2e] Started GET\nF, [2026-05-12T10:00:00.2 #811] FATAL -- : [3f2e]   \n[3f2e] ActionView::Template::Error (undefined method `x' for nil):\n[3f2e]     13: <td>\n",
        );
        assert!(error.message.starts_with("ActionView::Template::Error (undefined method"), "{error:#?}");
        assert!(errors("2026-05-12 10:00:00 FATAL [main]\n").is_empty());
        let error = one(
            "I/flutter ( 4411): ══╡ EXCEPTION CAUGHT BY RENDERING LIBRARY ╞══\nI/flutter ( 4411): A RenderFlex overflowed by 17 pixels.\n",
        );
        assert_eq!(error.message, "A RenderFlex overflowed by 17 pixels.");
        let error = one(
            "E/AndroidRuntime( 4411): java.lang.IllegalStateException: no slot\nE/AndroidRuntime( 4411): \tat a.Pool.take(Pool.java:3)\n",
        );
        assert!(error.example.contains("a.Pool.take"), "{error:#?}");
    }

    #[test]
    fn records_of_one_document_are_read_whatever_its_layout() {
        let records = [
            r#"{"level":"INFO","message":"fine"}"#,
            r#"{"level":"ERROR","message":"run aborted","stack_trace":"a.PoolException: no slot\n\tat a.Pool.take(Pool.java:3)"}"#,
        ];
        let lines = records.join("\n");
        let compact = format!("[{}]", records.join(","));
        let pretty = format!("[\n  {}\n]\n", records.join(",\n  ").replace(",\"", ",\n    \""));
        let wrapped = format!("{{\"count\":2,\"logs\":{compact}}}");
        for (text, line) in [(&lines, 2), (&compact, 1), (&pretty, 4), (&wrapped, 1)] {
            let error = one(text);
            assert_eq!(
                (error.message.as_str(), error.first.line),
                ("run aborted · a.PoolException: no slot", line),
                "{text}"
            );
        }
        // What follows a document, or is none, is read as lines.
        let all = errors(&format!("{compact}\n2026-05-12 10:00:00 ERROR the ring is full\n"));
        assert_eq!(all.len(), 2, "{all:#?}");
        assert_eq!(
            one("{\n  \"no json\n2026-05-12 10:00:00 ERROR the ring is full\n").message,
            "the ring is full"
        );
    }
}
