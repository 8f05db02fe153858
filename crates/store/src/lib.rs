//! All SQL on the casebook's truth: one SQLite file in WAL mode behind a read and a write gate.
//!
//! Several processes may have the same file open. A write waits its turn for up to a minute; a read never waits.

mod calibrations;
mod closures;
mod clusters;
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
mod remotes;
mod schema;
mod skeletons;
mod sources;
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

pub use calibrations::{Background, Calibration};
pub use comments::{Said, StoredComment};
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
pub use raw::{Packed, RawKind, RawPacker};
pub use remotes::{RemoteRow, StreamRow};
pub use sources::SourceRow;
pub use validation::RowFaults;
pub use verdicts::Canonical;

use precedent_core::{
    error::{Code, Error, Result},
    task::Task,
};

/// What the dates of a record that is to be applied are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateEvidence {
    /// They are before this computer's clock.
    Sound,
    /// They were cut to the clock. The record comes from its tracker.
    Ahead,
    /// They were cut to the clock. The record comes from a file, and its source is mirrored live.
    AheadInFile,
}

impl DateEvidence {
    fn is_ahead(self) -> bool {
        self != Self::Sound
    }
}

/// A date that is in the database already.
#[derive(Clone, Copy, Debug)]
struct StoredDate {
    second: Option<i64>,
    /// Whether it was ahead when it was stored, or is ahead now.
    ahead: bool,
    /// Whether it is ahead now: it was stored uncut.
    uncut: bool,
}

impl StoredDate {
    fn new(second: Option<i64>, ahead: bool, now: Timestamp) -> Self {
        let uncut = second.is_some_and(|s| s > now.as_second() + CLOCK_TOLERANCE);
        Self { second, ahead: ahead || uncut, uncut }
    }

    /// Whether what is stored is newer than a record with this date.
    fn is_newer(self, updated: Option<i64>, evidence: DateEvidence) -> bool {
        !self.ahead && (updated < self.second || evidence == DateEvidence::AheadInFile)
    }

    /// Whether a record with the same content gives a better date.
    fn is_corrected(self, evidence: DateEvidence) -> bool {
        (self.ahead && evidence == DateEvidence::Sound) || (self.uncut && evidence == DateEvidence::Ahead)
    }
}

/// How far clocks may differ before a date counts as ahead, in seconds.
pub const CLOCK_TOLERANCE: i64 = 600;

/// What applying a record did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It was not there before.
    New,
    /// It differs from what was there.
    Updated,
    /// It was there already.
    Unchanged,
    /// What is there is newer; nothing was changed.
    Stale,
}

/// The casebook's database.
#[derive(Debug)]
pub struct Store {
    file: SqliteFile,
    /// How many documents there were at a revision.
    counted: Mutex<Option<(u64, u64)>>,
}

impl Store {
    /// Opens the database in this file, making or migrating it where needed.
    ///
    /// # Errors
    /// [`Code::NewerCasebook`] if a newer version wrote it, [`Code::Corrupt`] if it is no database, [`Code::Io`] if it
    /// cannot be written.
    pub fn open(path: &Path) -> Result<Self> {
        // Reads are of single rows, or once through everything: a mapping would only hold every page that was met.
        let file = SqliteFile::open_ready(path, 0, file::BUSY_TIMEOUT, schema::is_current, |connection| {
            // What is deleted is gone from the file, and not merely from its tables.
            connection.pragma_update(None, "secure_delete", true)?;
            schema::migrate(connection, path)
        })?;
        Ok(Self { file, counted: Mutex::default() })
    }

    /// How many documents there are, without tombstones. They are counted once for each revision: SQLite reads a whole
    /// index for it, and every search tells the number.
    ///
    /// # Errors
    /// Those of the database.
    pub fn document_count(&self) -> Result<u64> {
        let counted = || self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        self.read(|r| {
            let revision = r.revision()?;
            match *counted() {
                Some((at, count)) if at == revision => return Ok(count),
                _ => {}
            }
            let count = r.document_count()?;
            *counted() = Some((revision, count));
            Ok(count)
        })
    }

    /// Lets go of what is held for the next reading; nothing is lost by it but a moment.
    pub fn rest(&self) {
        self.file.rest();
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Why the casebook can only be read, if it can.
    pub fn read_only(&self) -> Option<&str> {
        self.file.read_only()
    }

    /// Bytes on disk, with what is written and not yet in its place.
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// Reads from one consistent state of the casebook.
    ///
    /// # Errors
    /// Those of the work and of the database.
    pub fn read<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.file.read(|transaction| work(&Reader { transaction }))
    }

    /// Changes the casebook in one transaction: all of it or, on an error, nothing. After a power cut the last ones may be
    /// missing; a sync or an import brings them again.
    ///
    /// # Errors
    /// Those of the work and of the database; [`Code::Busy`] if another process writes for very long.
    pub fn write<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> Result<T> {
        self.file.write(|transaction| {
            work(&Writer {
                reader: Reader { transaction },
                revision: Cell::new(None),
                import: Cell::new(None),
            })
        })
    }

    /// As [`Store::write`], for what a question stores beside its answer: others' writes are waited for no longer than this.
    ///
    /// # Errors
    /// As [`Store::write`].
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

    /// Takes what may be left of removed sources and notes out of dictionaries, free pages and the log.
    ///
    /// # Errors
    /// Those of the database; [`Code::Cancelled`].
    pub fn purge(&self, task: &Task) -> Result<()> {
        let residue = self.read(|r| r.residue())?;
        if residue == 0 || self.read_only().is_some() {
            return Ok(());
        }
        self.write(|w| w.renew_dictionaries(task))?;
        // A disk that is too full for it keeps the free pages, which no copy and no export holds; the next call tries again.
        match self.file.with_writer(|connection| Ok(connection.execute_batch("VACUUM")?)) {
            Err(error) if matches!(error.code(), Code::Io | Code::Busy) => return Ok(()),
            done => done?,
        }
        self.write(|w| w.clear_residue(residue))?;
        self.empty_log()
    }

    /// Empties the log of writes, so that what was deleted stays in no file.
    ///
    /// # Errors
    /// Those of the database.
    pub fn empty_log(&self) -> Result<()> {
        self.file.empty_log()
    }

    /// As [`Store::write`], for what cannot be had again from a tracker: it is on the disk when this returns, whatever happens
    /// to the power.
    ///
    /// # Errors
    /// As [`Store::write`].
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

/// What can be read: see the files of this folder, one for each family of tables.
#[derive(Debug)]
pub struct Reader<'a> {
    transaction: &'a Connection,
}

impl Reader<'_> {
    /// The revision of the last change.
    ///
    /// # Errors
    /// Those of the database.
    pub fn revision(&self) -> Result<u64> {
        Ok(self.transaction.query_row("SELECT revision FROM casebook", [], |r| r.get(0))?)
    }
}

/// What can be changed, on top of everything that can be read.
#[derive(Debug)]
pub struct Writer<'a> {
    reader: Reader<'a>,
    revision: Cell<Option<u64>>,
    /// The import whose journal this transaction's changes are entered into.
    import: Cell<Option<i64>>,
}

impl<'a> Deref for Writer<'a> {
    type Target = Reader<'a>;
    fn deref(&self) -> &Self::Target {
        &self.reader
    }
}

impl Writer<'_> {
    /// The revision of this transaction's changes; taken once, at the first change.
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

/// A damaged value in the database.
fn damaged(what: &str) -> Error {
    Error::new(Code::Corrupt, format!("the casebook contains an invalid value: {what}"))
        .with_hint("Import the source again; records are replaced in place.")
}

/// A time from its seconds.
fn time(seconds: i64) -> Result<jiff::Timestamp> {
    jiff::Timestamp::from_second(seconds).map_err(|_| damaged("a time out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_ahead_of_the_clock_proves_nothing() {
        use DateEvidence::{Ahead, AheadInFile, Sound};
        let now = Timestamp::from_second(1_000_000).unwrap();
        let far = 9_000_000;
        // What is stored, whether it was cut, the record; then whether what is stored stays, and is corrected.
        for (stored, cut, record, evidence, newer, corrected) in [
            (900_000, false, 950_000, Sound, false, false),
            (900_000, false, 850_000, Sound, true, false),
            (900_000, false, 1_000_000, Ahead, false, false),
            (900_000, false, 1_000_000, AheadInFile, true, false),
            (999_000, true, 850_000, Sound, false, true),
            (999_000, true, 1_000_000, Ahead, false, false),
            (far, false, 850_000, Sound, false, true),
            (far, false, 1_000_000, Ahead, false, true),
            (far, false, 1_000_000, AheadInFile, false, false),
        ] {
            let date = StoredDate::new(Some(stored), cut, now);
            let found = (date.is_newer(Some(record), evidence), date.is_corrected(evidence));
            assert_eq!(found, (newer, corrected), "{stored} {cut} {record} {evidence:?}");
        }
    }
}
