//! Quiet lines: log records that report no failure and name no code. While the reader is busy, they are
//! found on the thread that reads the files.

use std::ops::Range;

use crate::{
    codes, crash, error_keywords,
    formats::Level,
    framed_errors,
    header::{parse_header, source_length},
    kubectl::{self, Pod},
    lines::{MAX_LINE, strip_time, trim_line_break},
    record, windows,
};

/// Consecutive quiet lines.
#[derive(Debug, PartialEq, Eq)]
pub struct QuietRun {
    pub range: Range<usize>,
    pub lines: u64,
}

/// Returns the runs of quiet lines in a block of whole lines, in order.
pub fn quiet_runs(block: &[u8]) -> Vec<QuietRun> {
    let mut runs: Vec<QuietRun> = Vec::new();
    // Lines with control sequences are parsed without them.
    if memchr::memchr(0x1b, block).is_some() {
        return runs;
    }
    let mut start = 0;
    while start < block.len() {
        let end = memchr::memchr(b'\n', &block[start..]).map_or(block.len(), |end| start + end + 1);
        if is_quiet(trim_line_break(&block[start..end])) {
            match runs.last_mut() {
                Some(run) if run.range.end == start => {
                    run.range.end = end;
                    run.lines += 1;
                }
                _ => runs.push(QuietRun { range: start..end, lines: 1 }),
            }
        }
        start = end;
    }
    runs
}

/// Returns whether a line is quiet after any other lines, unless it continues one of them.
fn is_quiet(raw: &[u8]) -> bool {
    let may_be_other = raw.first().is_none_or(|first| windows::may_start_event(*first));
    if may_be_other || raw.len() > MAX_LINE {
        return false;
    }
    let line = &raw[source_length(raw)..];
    let header = parse_header(line);
    let (message, body) = (header.message, strip_time(line, &header));
    let is_informational = || match header.level {
        Some(level) => level == Level::Fine,
        None => {
            !record::is_logfmt(line)
                && kubectl::parse_event_row(body).is_none()
                && crash::start_severity(message).is_none()
                && error_keywords::severity(message).is_none()
        }
    };
    header.time.is_some()
        && !message.trim_ascii().is_empty()
        && message[0] != b'{'
        && is_informational()
        && Pod::start(body, 0).is_none()
        && !framed_errors::may_be_frame(body, message)
        && !codes::has_code(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_informational_records_are_quiet() {
        let quiet = "2026-05-12 10:00:00 [http-1] INFO  a.Web - GET /orders/1 took 3 ms\n2026-05-12T10:00:00Z started\r\n";
        let other = [
            "2026-05-12 10:00:00 WARN slow\n",
            "2026-05-12 10:00:00 INFO HB-3301: licence is not valid yet\n",
            "2026-05-12 10:00:00 the upload failed\n",
            "2026-05-12 10:00:00 INFO\n",
            "2026-05-12 10:00:00 {\"level\":\"error\"}\n",
            "2026-05-12 10:00:00 FAIL a.test.js\n",
            "started\n",
            "\n",
        ];
        let text: String = other.iter().flat_map(|line| [quiet, *line]).collect();
        let runs = quiet_runs(text.as_bytes());
        assert_eq!(runs.len(), other.len(), "{runs:?}");
        for run in runs {
            assert_eq!((&text[run.range], run.lines), (quiet, 2));
        }
        assert_eq!(quiet_runs(format!("{quiet}\u{1b}[0m").as_bytes()), []);
    }
}
