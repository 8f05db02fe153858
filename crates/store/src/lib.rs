//! The SQL access layer of the casebook: one SQLite file in WAL mode with separate read and write
//! connections.
//!
//! Several processes may have the same file open. A write waits up to a minute for other writes; a
//! read never waits.

mod calibrations;
mod closures;
mod comments;
mod documents;
mod file;
mod imports;
mod insights;
mod inspect;
mod links;
mod lock;
mod models;
mod notes;
mod portable;
mod raw;
mod releases;
mod remotes;
mod schema;
mod skeletons;
mod sources;
mod ties;
mod validation;
mod verdicts;

use std::{
    cell::Cell,
    ops::Deref,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use rusqlite::Connection;

pub use calibrations::{Calibration, ScoreBaseline};
pub use comments::{CommentText, StoredComment};
pub use documents::{DocumentRow, Listing, Person, SourceCounts, Urgency};
pub use file::{SqliteFile, is_emptied, with_end};
pub use insights::VolumeRow;
pub use inspect::{
    BEFORE_REPAIR, Inspection, chosen_model, inspect, is_whole, kept_copies, reindex, set_aside,
};
pub use links::StoredLink;
pub use lock::FileLock;
pub use notes::{NOTES, NoteContent, NoteRow, content_hash};
pub use portable::{RemoteCheck, VerifiedCopy, check_foreign};
pub use raw::{PackedRaw, RawKind, RawPacker};
pub use remotes::{RemoteRow, StreamRow};
pub use sources::SourceRow;
pub use validation::RowFaults;
pub use verdicts::Canonical;

use precedent_core::{
    error::{Code, Error, Result},
    task::Task,
};

/// The reliability of the dates of a record to be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateEvidence {
    /// The dates are before this computer's clock.
    Sound,
    /// The dates are before this computer's clock, and a full sync read the record from its tracker.
    /// This version is the current one, even if its date is earlier: a tracker may be restored
    /// from a backup.
    Current,
    /// The dates were capped at the clock. The record comes from its tracker.
    Ahead,
    /// The dates were capped at the clock. The record comes from a file, and its source is mirrored
    /// live.
    AheadInFile,
}

impl DateEvidence {
    fn is_ahead(self) -> bool {
        matches!(self, Self::Ahead | Self::AheadInFile)
    }
}

/// A date that is stored in the database.
#[derive(Clone, Copy, Debug)]
struct StoredDate {
    second: Option<i64>,
    /// True if the date was ahead when it was stored, or is ahead now.
    is_ahead: bool,
    /// True if the date is ahead now, because it was stored without a cap.
    uncut: bool,
}

impl StoredDate {
    fn new(second: Option<i64>, is_ahead: bool, now: Timestamp) -> Self {
        let uncut = second.is_some_and(|s| s > now.as_second() + CLOCK_TOLERANCE);
        Self { second, is_ahead: is_ahead || uncut, uncut }
    }

    /// Returns whether the stored date is newer than a record with this date.
    fn is_newer(self, updated_at: Option<i64>, evidence: DateEvidence) -> bool {
        match evidence {
            DateEvidence::Current => false,
            DateEvidence::AheadInFile => !self.is_ahead,
            _ => !self.is_ahead && updated_at < self.second,
        }
    }

    /// Returns whether a record with the same content gives a better date.
    fn is_corrected(self, evidence: DateEvidence) -> bool {
        (self.is_ahead && !evidence.is_ahead()) || (self.uncut && evidence == DateEvidence::Ahead)
    }
}

/// The clock difference in seconds up to which a date does not count as ahead.
pub const CLOCK_TOLERANCE: i64 = 600;

/// The effect of applying a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApplyEffect {
    /// The record was inserted.
    New,
    /// The record differed from the stored one and replaced it.
    Updated,
    /// The record was stored already.
    Unchanged,
    /// The stored record is newer; it was not changed.
    Stale,
}

/// The casebook's database.
#[derive(Debug)]
pub struct Store {
    file: SqliteFile,
    /// A revision and the number of documents at it.
    count_cache: Mutex<Option<(u64, u64)>>,
}

impl Store {
    /// Opens the database in this file, creating or migrating it where needed.
    ///
    /// # Errors
    /// [`Code::NewerCasebook`] if a newer version wrote it, [`Code::Corrupt`] if it is not a
    /// database, [`Code::Io`] if it cannot be written.
    pub fn open(path: &Path) -> Result<Self> {
        // Reads are of single rows or full scans: a mapping would only keep every page in memory.
        let file = SqliteFile::open_ready(
            path,
            0,
            file::BUSY_TIMEOUT,
            schema::is_current,
            |connection| {
                // Deleted data is overwritten in the file, not only removed from the tables.
                connection.pragma_update(None, "secure_delete", true)?;
                schema::migrate(connection, path)
            },
        )?;
        Ok(Self { file, count_cache: Mutex::default() })
    }

    /// Returns the number of documents, without tombstones. The count is cached for each revision,
    /// because SQLite reads a whole index for it and every search reports the number.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn document_count(&self) -> Result<u64> {
        let cache = || self.count_cache.lock().unwrap_or_else(PoisonError::into_inner);
        self.read(|r| {
            let revision = r.revision()?;
            match *cache() {
                Some((at, count)) if at == revision => return Ok(count),
                _ => {}
            }
            let count = r.document_count()?;
            *cache() = Some((revision, count));
            Ok(count)
        })
    }

    /// Frees the cached read connections; later reads open new ones.
    pub fn release_memory(&self) {
        self.file.release_memory();
    }

    /// Returns the path of the database file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the reason why the casebook is read-only, if it is.
    pub fn read_only(&self) -> Option<&str> {
        self.file.read_only()
    }

    /// Returns the size on disk in bytes, including the write-ahead log.
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// Runs `work` on one consistent state of the casebook.
    ///
    /// # Errors
    /// Returns the errors of `work` and of the database.
    pub fn read<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.file.read(|transaction| work(&Reader { transaction }))
    }

    /// Changes the casebook in one transaction, which is rolled back on an error. A power cut may
    /// lose the last transactions; a sync or an import restores them.
    ///
    /// # Errors
    /// Returns the errors of `work` and of the database; [`Code::Busy`] if another process writes
    /// for very long.
    pub fn write<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> Result<T> {
        self.file.write(|transaction| {
            work(&Writer {
                reader: Reader { transaction },
                revision: Cell::new(None),
                import: Cell::new(None),
            })
        })
    }

    /// Works like [`Store::write`], but waits at most `patience` for other writes; for data that a
    /// query stores beside its result.
    ///
    /// # Errors
    /// The same as [`Store::write`].
    pub fn write_within<T>(
        &self,
        patience: Duration,
        work: impl FnOnce(&Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        self.file.write_within(patience, |transaction| {
            work(&Writer {
                reader: Reader { transaction },
                revision: Cell::new(None),
                import: Cell::new(None),
            })
        })
    }

    /// Removes remains of deleted sources and notes from dictionaries, free pages and the log.
    ///
    /// # Errors
    /// Returns an error if the database access fails, or [`Code::Cancelled`].
    pub fn purge(&self, task: &Task) -> Result<()> {
        let residue = self.read(|r| r.residue())?;
        if residue == 0 || self.read_only().is_some() {
            return Ok(());
        }
        self.write(|w| w.renew_dictionaries(task))?;
        // If the disk is too full, free pages stay until the next call; copies never contain them.
        match self.file.with_writer(|connection| Ok(connection.execute_batch("VACUUM")?)) {
            Err(error) if matches!(error.code(), Code::Io | Code::Busy) => return Ok(()),
            result => result?,
        }
        self.write(|w| w.clear_residue(residue))?;
        self.empty_log()
    }

    /// Empties the write-ahead log, so that no file contains deleted data.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn empty_log(&self) -> Result<()> {
        self.file.empty_log()
    }

    /// Works like [`Store::write`], but syncs the change to disk before it returns; for data that
    /// no tracker can restore.
    ///
    /// # Errors
    /// The same as [`Store::write`].
    pub fn write_durably<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> Result<T> {
        self.file.write_durably(|transaction| {
            work(&Writer {
                reader: Reader { transaction },
                revision: Cell::new(None),
                import: Cell::new(None),
            })
        })
    }
}

/// A read transaction; its methods are in one file of this folder for each family of tables.
#[derive(Debug)]
pub struct Reader<'a> {
    transaction: &'a Connection,
}

impl Reader<'_> {
    /// Returns the revision of the last change.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn revision(&self) -> Result<u64> {
        Ok(self.transaction.query_row("SELECT revision FROM casebook", [], |r| r.get(0))?)
    }
}

/// A write transaction, with all methods of [`Reader`].
#[derive(Debug)]
pub struct Writer<'a> {
    reader: Reader<'a>,
    revision: Cell<Option<u64>>,
    /// The import in whose journal this transaction's changes are recorded.
    import: Cell<Option<i64>>,
}

impl<'a> Deref for Writer<'a> {
    type Target = Reader<'a>;
    fn deref(&self) -> &Self::Target {
        &self.reader
    }
}

impl Writer<'_> {
    /// Returns the revision of this transaction's changes, allocated at the first change.
    fn next_revision(&self) -> Result<u64> {
        if let Some(revision) = self.revision.get() {
            return Ok(revision);
        }
        let revision = self.transaction.query_row(
            "UPDATE casebook SET revision = revision + 1 RETURNING revision",
            [],
            |r| r.get(0),
        )?;
        self.revision.set(Some(revision));
        Ok(revision)
    }
}

/// Returns the error for an invalid value in the database.
fn invalid_value(problem: &str) -> Error {
    Error::new(Code::Corrupt, format!("the casebook contains an invalid value: {problem}"))
        .with_hint("Import the source again; records are replaced in place.")
}

/// Converts seconds since 1970 into a time.
fn time(seconds: i64) -> Result<jiff::Timestamp> {
    jiff::Timestamp::from_second(seconds).map_err(|_| invalid_value("a time out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_ahead_of_the_clock_proves_nothing() {
        use DateEvidence::{Ahead, AheadInFile, Current, Sound};
        let now = Timestamp::from_second(1_000_000).unwrap();
        let far = 9_000_000;
        // Columns: stored date, whether it was capped, record date, its evidence, whether the
        // stored date is newer, whether it is corrected.
        for (stored, cut, record, evidence, newer, corrected) in [
            (900_000, false, 950_000, Sound, false, false),
            (900_000, false, 850_000, Sound, true, false),
            (900_000, false, 850_000, Current, false, false),
            (900_000, false, 1_000_000, Ahead, false, false),
            (900_000, false, 1_000_000, AheadInFile, true, false),
            (999_000, true, 850_000, Sound, false, true),
            (999_000, true, 1_000_000, Ahead, false, false),
            (far, false, 850_000, Sound, false, true),
            (far, false, 1_000_000, Ahead, false, true),
            (far, false, 1_000_000, AheadInFile, false, false),
        ] {
            let date = StoredDate::new(Some(stored), cut, now);
            let result = (date.is_newer(Some(record), evidence), date.is_corrected(evidence));
            assert_eq!(result, (newer, corrected), "{stored} {cut} {record} {evidence:?}");
        }
    }
}
