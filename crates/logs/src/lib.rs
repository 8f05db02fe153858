//! Logs and support bundles: streamed, cut into events, the bad ones grouped by what they have in common.
//!
//! A log of gigabytes has few distinct errors. Whatever its size, memory holds the groups and a few blocks of text.

mod bundle;
mod events;
mod faults;
mod head;
mod record;
mod template;
mod windows;

use std::{path::PathBuf, sync::mpsc::sync_channel, thread};

use precedent_core::{
    error::{Error, Result},
    model::{LogFile, LogGroup},
    task::Task,
};

use bundle::Part;
use events::Reader;

/// Blocks of text that wait to be read.
const WAITING: usize = 4;

/// What logs say.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// What was read, and what was left out.
    pub files: Vec<LogFile>,
    /// Bytes of text.
    pub bytes: u64,
    /// Lines.
    pub lines: u64,
    /// Distinct errors and warnings, what to look at first first.
    pub groups: Vec<LogGroup>,
    /// Events whose groups were given up, because there were too many distinct ones.
    pub dropped: u64,
}

/// Reads files, archives (zip, tar; gzip, bzip2, xz, zstd) and folders, and groups the errors in them.
///
/// Takes the more time the larger they are; memory does not grow with them. Ends within a moment once it is cancelled.
///
/// # Errors
/// [`precedent_core::Code::NotFound`] if a path is missing, [`precedent_core::Code::Io`] if it cannot be read,
/// [`precedent_core::Code::InvalidInput`] if nothing in them is text, [`precedent_core::Code::Cancelled`].
pub fn read(paths: &[PathBuf], task: &Task) -> Result<Reading> {
    if paths.is_empty() {
        return Err(
            Error::invalid("no log is named").with_hint("Name a file, an archive or a folder of logs.")
        );
    }
    let (send, receive) = sync_channel::<Part>(WAITING);
    thread::scope(|scope| {
        let opened = scope.spawn(move || {
            // The receiver is gone only after a failure of its own, which is the one to tell.
            bundle::walk(paths, task, &mut |part| {
                send.send(part).map_err(|_| precedent_core::error::cancelled())
            })
        });
        let mut reader = Reader::default();
        for part in receive {
            reader.take(part);
        }
        match opened.join() {
            Ok(done) => done?,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        task.check()?;
        let reading = reader.finish();
        if reading.files.iter().all(|f| f.skipped.is_some()) {
            return Err(nothing(&reading.files));
        }
        Ok(reading)
    })
}

fn nothing(files: &[LogFile]) -> Error {
    let why = files.first().map_or_else(
        || "there is no file in it".to_owned(),
        |f| format!("{}: {}", f.name, f.skipped.as_deref().unwrap_or_default()),
    );
    Error::invalid(format!("nothing here is a log: {why}"))
        .with_hint("Logs are texts: plain, JSON lines, or packed in gz, bz2, xz, zst, zip or tar.")
}
