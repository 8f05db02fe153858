//! Logs and support bundles: streamed, split into events, and the failures grouped by similarity.
//!
//! A log of gigabytes has few distinct errors, so memory holds only the groups and a few blocks of
//! text.

mod bundle;
mod codes;
mod crash;
mod document;
mod error_keywords;
mod events;
mod formats;
mod framed_errors;
mod header;
mod ips;
mod kubectl;
mod lines;
mod multiline;
mod quiet;
mod record;
mod template;
mod windows;

use std::{
    path::PathBuf,
    sync::mpsc::{TrySendError, sync_channel},
    thread,
};

use precedent_core::{
    error::{Error, Result},
    model::{LogFile, LogGroup, LogSeverity},
    task::Task,
};

use bundle::InputPart;
use events::Reader;
pub use lines::cause;
pub use template::is_uninformative;

/// The maximum number of blocks in the queue to the reader.
const QUEUE_LENGTH: usize = 4;

/// The result of reading logs.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedLogs {
    /// Files that were read or skipped.
    pub files: Vec<LogFile>,
    /// Number of bytes of text.
    pub bytes: u64,
    /// Number of lines.
    pub lines: u64,
    /// Distinct errors and warnings, the most important first.
    pub groups: Vec<LogGroup>,
    /// Number of events in groups that were discarded because there were too many groups.
    pub dropped_events: u64,
    /// Complete text of short files.
    pub short_files: Vec<ShortFile>,
    /// Lines without a failure that name a code, relevant only if a report names that code. Their
    /// number is bounded.
    pub code_lines: Vec<CodeLine>,
}

impl ParsedLogs {
    /// Returns the errors, most important first, or the warnings if there are no errors.
    pub fn failures(&self) -> impl Iterator<Item = &LogGroup> {
        let has_errors = self.groups.iter().any(|g| g.severity < LogSeverity::Warning);
        self.groups.iter().filter(move |g| !has_errors || g.severity < LogSeverity::Warning)
    }
}

/// A line that names a code.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeLine {
    /// The code: `HB-3301`.
    pub code: String,
    /// Group of the lines with this code.
    pub line: LogGroup,
}

/// A short file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShortFile {
    /// Name in its folder or archive.
    pub file: String,
    /// Complete text.
    pub text: String,
}

/// Reads files, archives (zip, tar; gzip, bzip2, xz, zstd) and folders, and groups the errors in
/// them.
///
/// The time grows with their size, but memory use does not. Returns soon after cancellation.
///
/// # Errors
/// [`precedent_core::Code::NotFound`] if a path is missing, [`precedent_core::Code::Io`] if it
/// cannot be read, [`precedent_core::Code::InvalidInput`] if nothing in them is text, and
/// [`precedent_core::Code::Cancelled`] after cancellation.
pub fn read(paths: &[PathBuf], task: &Task) -> Result<ParsedLogs> {
    if paths.is_empty() {
        return Err(Error::invalid("no log given")
            .with_hint("Pass a file, an archive or a folder of logs."));
    }
    let (sender, receiver) = sync_channel::<InputPart>(QUEUE_LENGTH);
    thread::scope(|scope| {
        let producer = scope.spawn(move || {
            bundle::read_paths(paths, task, &mut |part| {
                let part = match sender.try_send(part) {
                    Ok(()) => return Ok(()),
                    // The reader is slower, so take over a part of its work.
                    Err(TrySendError::Full(part)) => part.mark_quiet_lines(),
                    Err(TrySendError::Disconnected(part)) => part,
                };
                // The receiver is dropped early only if the reader panics, which is reported.
                sender.send(part).map_err(|_| precedent_core::error::cancel_error())
            })
        });
        let mut reader = Reader::default();
        for part in receiver {
            reader.read_part(part);
        }
        let first_error = match producer.join() {
            Ok(result) => result?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        task.check()?;
        let logs = reader.finish();
        if logs.bytes == 0
            && !logs.files.is_empty()
            && logs.files.iter().all(|f| f.skipped.is_none())
        {
            return Err(empty_error(&logs.files));
        }
        if logs.lines == 0 && logs.files.iter().all(|f| f.skipped.is_some()) {
            return Err(first_error.unwrap_or_else(|| no_logs_error(&logs.files)));
        }
        Ok(logs)
    })
}

/// Groups the errors in a text, as [`read`] does for a file.
pub fn read_text(text: &str) -> ParsedLogs {
    let mut reader = Reader::default();
    reader.read_part(InputPart::Begin(String::new()));
    reader.read_part(InputPart::Block(text.as_bytes().to_vec(), Vec::new()));
    reader.read_part(InputPart::End);
    reader.finish()
}

/// Returns whether a file that starts with these bytes is a log: its lines start with times or levels,
/// or it consists of records, or it is compressed. An email that quotes a log is not a log.
pub fn is_log(start: &[u8]) -> bool {
    if bundle::is_packed(start) || document::is_document(start) {
        return true;
    }
    let sample = &start[..start.len().min(64 * 1024)];
    let lines: Vec<&[u8]> =
        sample.split(|b| *b == b'\n').filter(|l| !l.trim_ascii().is_empty()).collect();
    let is_npm = |l: &[u8]| l.starts_with(b"npm ERR! ") || l.starts_with(b"npm error ");
    let is_log_line = |l: &&&[u8]| {
        l.starts_with(b"{\"")
            || is_npm(l)
            || header::parse_header(&l[header::source_length(l)..]).is_present()
    };
    let log_lines = lines.iter().filter(is_log_line).count();
    log_lines > 0 && log_lines * 3 >= lines.len()
}

fn empty_error(files: &[LogFile]) -> Error {
    let message = match files {
        [file] => format!("{} is empty", file.name),
        _ => format!("all {} files are empty", files.len()),
    };
    Error::invalid(message).with_hint(
        "Pass the file that the program writes to, or wait until it has written something.",
    )
}

fn no_logs_error(files: &[LogFile]) -> Error {
    let reason = files.first().map_or_else(
        || "it contains no files".to_owned(),
        |f| format!("{}: {}", f.name, f.skipped.as_deref().unwrap_or_default()),
    );
    Error::invalid(format!("no logs found: {reason}")).with_hint(
        "Logs are text files: plain, JSON Lines, or compressed as gz, bz2, xz, zst, zip or tar.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_distinguished_from_prose() {
        for log in [
            &b"2026-05-12 10:00:00 ERROR it broke\n\tat a.B.c(B.java:3)\n2026-05-12 10:00:01 INFO fine\n"[..],
            b"{\"level\":\"error\",\"msg\":\"x\"}\n",
            b"[\n {\"level\":\"error\",\"msg\":\"x\"}\n]",
            b"web_1  | 2026-05-12 10:00:00 GET /\nweb_1  | 2026-05-12 10:00:01 GET /\n",
            b"npm ERR! code ENOENT\nnpm ERR! syscall open\n",
            "[错误] 无法导出报表，磁盘空间不足\n".as_bytes(),
            &[0x1f, 0x8b, 8, 0],
            b"PK\x03\x04",
        ] {
            assert!(is_log(log), "{}", String::from_utf8_lossy(log));
        }
        for text in [
            &b"Hello,\n\nsince Monday orders are lost with HR-4711.\nWhat can we do?\n\n2026-05-12 10:00:00 ERROR x\n"[..],
            b"The pump stops.\n",
            b"",
        ] {
            assert!(!is_log(text), "{}", String::from_utf8_lossy(text));
        }
    }

    #[test]
    fn unreadable_files_are_listed_and_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let write_file =
            |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
        let text: String = (0..20_000)
            .map(|n| format!("2026-05-12 10:00:00 ERROR no slot {n} {:x}\n", n * 7_919 % 104_729))
            .collect();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, text.as_bytes()).unwrap();
        let bytes = encoder.finish().unwrap();
        write_file("a.log.gz", &bytes[..bytes.len() / 2]);
        write_file("b.zip", b"PK\x03\x04 and no more");
        write_file("c.log", b"2026-05-12 10:00:00 ERROR the ring is full\n");
        let logs = read(&[folder.path().to_owned()], &Task::new()).unwrap();
        let file = |name: &str| logs.files.iter().find(|f| f.name == name).unwrap();
        assert!(
            file("a.log.gz").lines > 0
                && file("a.log.gz").skipped.as_ref().unwrap().contains("truncated or damaged")
        );
        assert!(
            file("b.zip").lines == 0
                && file("b.zip").skipped.as_ref().unwrap().contains("truncated or damaged")
        );
        assert_eq!((file("c.log").lines, &file("c.log").skipped), (1, &None));
        assert!(logs.groups.iter().any(|g| g.message == "the ring is full"));
        // A single unreadable file is an error that names it.
        let error = read(&[folder.path().join("b.zip")], &Task::new()).unwrap_err();
        assert!(
            error.to_string().starts_with("b.zip: the file is truncated or damaged"),
            "{error}"
        );
    }

    #[test]
    fn truncated_file_in_a_bundle_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bundle.tar");
        let mut tar = tar::Builder::new(std::fs::File::create(&path).unwrap());
        for (name, bytes) in [
            ("in/cut.zip", &b"PK\x03\x04 and no more"[..]),
            ("in/a.log", b"2026-05-12 10:00:00 ERROR the ring is full\n"),
        ] {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            tar.append_data(&mut header, name, bytes).unwrap();
        }
        tar.finish().unwrap();
        let logs = read(&[path], &Task::new()).unwrap();
        let skipped_names: Vec<&str> =
            logs.files.iter().filter(|f| f.skipped.is_some()).map(|f| f.name.as_str()).collect();
        assert_eq!((skipped_names, logs.groups.len()), (vec!["in/cut.zip"], 1));
    }
}
