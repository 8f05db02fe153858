//! The SQL access layer of the casebook: one SQLite file in WAL mode with separate read and write
//! connections.
//!
//! Several processes may have the same file open. A write waits up to a minute for other writes; a
//! read never waits. Every access may fail with a database error; `# Errors` sections list only
//! other errors.

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
mod notes;
mod portable;
mod raw;
mod releases;
mod remotes;
mod schema;
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
use rusqlite::{
    Connection, OptionalExtension as _, Params, Row, ToSql,
    types::{FromSql, Type},
};

pub use calibrations::{Calibration, ScoreBaseline};
pub use comments::{CommentText, StoredComment};
pub use documents::{DocumentRevision, DocumentRow, Person, SourceCounts, urgency};
pub use file::{SqliteFile, is_empty_database, with_suffix};
pub use inspect::{
    BEFORE_REPAIR, Inspection, custom_model, inspect, is_intact, reindex, safety_copies, set_aside,
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

/// The reliability of a record's dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DateEvidence {
    /// The dates are before this computer's clock.
    Sound,
    /// The dates are before this computer's clock, and a full sync read the record. This version is
    /// current even if its date is earlier, because a tracker may be restored from a backup.
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

#[derive(Clone, Copy, Debug)]
struct StoredDate {
    second: Option<i64>,
    /// True if the date was ahead when it was stored, or is ahead now.
    is_ahead: bool,
    /// True if the date is ahead now, because it was stored without a cap.
    is_uncapped: bool,
}

impl StoredDate {
    fn new(second: Option<i64>, is_ahead: bool, now: Timestamp) -> Self {
        let is_uncapped = second.is_some_and(|s| s > now.as_second() + CLOCK_TOLERANCE);
        Self { second, is_ahead: is_ahead || is_uncapped, is_uncapped }
    }

    /// Returns whether the stored date is newer than a record with this date.
    fn is_newer_than(self, updated_at: Option<i64>, evidence: DateEvidence) -> bool {
        match evidence {
            DateEvidence::Current => false,
            DateEvidence::AheadInFile => !self.is_ahead,
            _ => !self.is_ahead && updated_at < self.second,
        }
    }

    /// Returns whether a record with the same content has a more reliable date.
    fn is_corrected_by(self, evidence: DateEvidence) -> bool {
        (self.is_ahead && !evidence.is_ahead())
            || (self.is_uncapped && evidence == DateEvidence::Ahead)
    }
}

/// The number of seconds by which a date may be ahead of this computer's clock.
pub const CLOCK_TOLERANCE: i64 = 600;

/// The number of documents that get the same revision if many change at once. Indexing can be
/// interrupted only between revisions.
const REVISION_STEP: i64 = 500;

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
    /// A revision and its number of documents.
    count_cache: Mutex<Option<(u64, u64)>>,
}

impl Store {
    /// Opens the database in this file, creating or migrating it if necessary.
    ///
    /// # Errors
    /// [`Code::NewerCasebook`] if a newer version wrote it, [`Code::Corrupt`] if it is not a
    /// database, [`Code::Io`] if it cannot be written.
    pub fn open(path: &Path) -> Result<Self> {
        // Reads touch single rows or whole tables: a mapping would only keep every page in memory.
        let file =
            SqliteFile::open(path, 0, file::BUSY_TIMEOUT, schema::is_current, |connection| {
                // Deleted data is overwritten in the file, not only removed from the tables.
                connection.pragma_update(None, "secure_delete", true)?;
                schema::migrate(connection, path)
            })?;
        Ok(Self { file, count_cache: Mutex::default() })
    }

    /// Returns the number of documents, without tombstones. The count is cached for each revision,
    /// because SQLite reads a whole index for it and every search reports the number.
    pub fn document_count(&self) -> Result<u64> {
        let cache = || self.count_cache.lock().unwrap_or_else(PoisonError::into_inner);
        self.read(|r| {
            let revision = r.revision()?;
            match *cache() {
                Some((cached_revision, count)) if cached_revision == revision => return Ok(count),
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
        self.file.read_only_reason()
    }

    /// Returns the size on disk in bytes, including the write-ahead log.
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }

    /// Runs `work` on one consistent state of the casebook.
    pub fn read<T>(&self, work: impl FnOnce(&Reader<'_>) -> Result<T>) -> Result<T> {
        self.file.read(|transaction| work(&Reader { transaction }))
    }

    /// Changes the casebook in one transaction, which is rolled back on an error. A power failure
    /// may lose the last transactions; a sync or an import restores them.
    ///
    /// # Errors
    /// [`Code::Busy`] if another process writes for over a minute.
    pub fn write<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> Result<T> {
        self.file.write(|transaction| work(&Writer::new(transaction)))
    }

    /// Works like [`Store::write`], but waits at most `timeout` for other writes; for data that a
    /// query stores in addition to its result.
    pub fn write_with_timeout<T>(
        &self,
        timeout: Duration,
        work: impl FnOnce(&Writer<'_>) -> Result<T>,
    ) -> Result<T> {
        self.file.write_with_timeout(timeout, |transaction| work(&Writer::new(transaction)))
    }

    /// Removes remnants of deleted sources and notes from dictionaries, free pages and the log.
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
    pub fn empty_log(&self) -> Result<()> {
        self.file.empty_log()
    }

    /// Works like [`Store::write`], but syncs the change to disk before it returns; for data that
    /// no tracker can restore.
    pub fn write_durably<T>(&self, work: impl FnOnce(&Writer<'_>) -> Result<T>) -> Result<T> {
        self.file.write_durably(|transaction| work(&Writer::new(transaction)))
    }
}

/// A read transaction. Its methods are in one module for each family of tables.
#[derive(Debug)]
pub struct Reader<'a> {
    transaction: &'a Connection,
}

impl Reader<'_> {
    /// Returns the revision of the last change.
    pub fn revision(&self) -> Result<u64> {
        self.query_value("SELECT revision FROM casebook", [])
    }

    /// Returns the model in use; `None` stands for the built-in one.
    pub fn model(&self) -> Result<Option<String>> {
        self.query_value("SELECT model FROM casebook", [])
    }

    /// Returns the model whose vectors are being computed.
    pub fn next_model(&self) -> Result<Option<String>> {
        self.query_value("SELECT next_model FROM casebook", [])
    }

    fn query_rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        parse: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        let mut statement = self.transaction.prepare_cached(sql)?;
        let rows = statement.query_map(params, parse)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn query_row<T>(&self, sql: &str, params: impl Params) -> Result<T>
    where
        T: for<'r> TryFrom<&'r Row<'r>, Error = rusqlite::Error>,
    {
        Ok(self.transaction.prepare_cached(sql)?.query_row(params, |r| T::try_from(r))?)
    }

    /// Returns the first row of a query, if any.
    fn query_optional<T>(
        &self,
        sql: &str,
        params: impl Params,
        parse: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.transaction.prepare_cached(sql)?.query_row(params, parse).optional()?)
    }

    fn query_column<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<Vec<T>> {
        self.query_rows(sql, params, |r| r.get(0))
    }

    /// Returns the first column of the first row of a query.
    fn query_value<T: FromSql>(&self, sql: &str, params: impl Params) -> Result<T> {
        Ok(self.transaction.prepare_cached(sql)?.query_row(params, |r| r.get(0))?)
    }
}

/// A write transaction, with all methods of [`Reader`].
#[derive(Debug)]
pub struct Writer<'a> {
    reader: Reader<'a>,
    revision: Cell<Option<u64>>,
    /// The import whose journal records this transaction's changes.
    import: Cell<Option<i64>>,
}

impl<'a> Deref for Writer<'a> {
    type Target = Reader<'a>;
    fn deref(&self) -> &Self::Target {
        &self.reader
    }
}

impl<'a> Writer<'a> {
    fn new(transaction: &'a Connection) -> Self {
        let reader = Reader { transaction };
        Self { reader, revision: Cell::new(None), import: Cell::new(None) }
    }

    /// Sets the model whose vectors to compute; `None` keeps the model in use.
    pub fn set_next_model(&self, name: Option<&str>) -> Result<()> {
        self.change("UPDATE casebook SET next_model = ?1", [name])
    }

    /// Puts the next model into use if it is still `name`. The built-in model, called `built_in`,
    /// is stored as NULL.
    pub fn switch_model(&self, name: &str, built_in: &str) -> Result<()> {
        self.change(
            "UPDATE casebook SET model = nullif(?1, ?2), next_model = NULL WHERE next_model = ?1",
            [name, built_in],
        )
    }

    /// Executes a statement; returns the number of changed rows.
    fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        Ok(self.transaction.prepare_cached(sql)?.execute(params)?)
    }

    fn change(&self, sql: &str, params: impl Params) -> Result<()> {
        self.execute(sql, params).map(drop)
    }

    /// Inserts a row of these columns and values, replacing a row with the same primary key.
    fn replace(&self, table: &str, cells: &[(&str, &dyn ToSql)]) -> Result<()> {
        let (columns, values, parameters) = row_parts(cells);
        self.change(
            &format!("INSERT OR REPLACE INTO {table} ({columns}) VALUES ({parameters})"),
            &*values,
        )
    }

    /// Inserts a row of these columns and values, or updates the row with the same values in the
    /// columns of `key` and clears its mark of deletion. Returns its row id.
    fn upsert(&self, table: &str, key: &[&str], cells: &[(&str, &dyn ToSql)]) -> Result<i64> {
        let (columns, values, parameters) = row_parts(cells);
        let changed_columns = cells.iter().filter(|(column, _)| !key.contains(column));
        let updates: String =
            changed_columns.map(|(column, _)| format!("{column} = excluded.{column}, ")).collect();
        self.query_value(
            &format!(
                "INSERT INTO {table} ({columns}) VALUES ({parameters})
                 ON CONFLICT ({}) DO UPDATE SET {updates} deleted_at = NULL RETURNING id",
                key.join(", ")
            ),
            &*values,
        )
    }

    /// Returns the revision of this transaction's changes, allocated at the first change.
    fn next_revision(&self) -> Result<u64> {
        if let Some(revision) = self.revision.get() {
            return Ok(revision);
        }
        let revision =
            self.query_value("UPDATE casebook SET revision = revision + 1 RETURNING revision", [])?;
        self.revision.set(Some(revision));
        Ok(revision)
    }

    /// Sets the casebook's revision to that of the latest change.
    fn raise_revision(&self) -> Result<()> {
        self.change(
            "UPDATE casebook
             SET revision = max(revision, (SELECT coalesce(max(revision), 0) FROM documents))",
            [],
        )
    }
}

/// Returns the columns of a row, their values, and as many parameters.
fn row_parts<'a>(cells: &[(&str, &'a dyn ToSql)]) -> (String, Vec<&'a dyn ToSql>, String) {
    let (columns, values): (Vec<_>, Vec<_>) = cells.iter().copied().unzip();
    (columns.join(", "), values, vec!["?"; cells.len()].join(", "))
}

fn invalid_value(problem: &str) -> Error {
    Error::new(Code::Corrupt, format!("the casebook contains an invalid value: {problem}"))
        .with_hint("Import the source again; records are replaced in place.")
}

fn column_error(column: usize, problem: &str) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, problem.into())
}

/// Returns a column of seconds since 1970 as a time.
fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    optional_time(row, column)?.ok_or_else(|| column_error(column, "a time is missing"))
}

/// Returns a nullable column of seconds since 1970 as a time.
fn optional_time(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Timestamp>> {
    let second: Option<i64> = row.get(column)?;
    second
        .map(Timestamp::from_second)
        .transpose()
        .map_err(|_| column_error(column, "a time is out of range"))
}

/// Returns a text column parsed with `parse`.
fn parse_column<T>(
    row: &Row<'_>,
    column: usize,
    parse: fn(&str) -> Option<T>,
) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    parse(&text).ok_or_else(|| column_error(column, &format!("unknown value \"{text}\"")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn future_date_never_outranks_a_sound_one() {
        use DateEvidence::{Ahead, AheadInFile, Current, Sound};
        let now = Timestamp::from_second(1_000_000).unwrap();
        let future = 9_000_000;
        // Columns: stored date, whether it was capped, record date, its evidence, whether the
        // stored date is newer, whether it is corrected.
        for (stored, is_capped, record, evidence, newer, corrected) in [
            (900_000, false, 950_000, Sound, false, false),
            (900_000, false, 850_000, Sound, true, false),
            (900_000, false, 850_000, Current, false, false),
            (900_000, false, 1_000_000, Ahead, false, false),
            (900_000, false, 1_000_000, AheadInFile, true, false),
            (999_000, true, 850_000, Sound, false, true),
            (999_000, true, 1_000_000, Ahead, false, false),
            (future, false, 850_000, Sound, false, true),
            (future, false, 1_000_000, Ahead, false, true),
            (future, false, 1_000_000, AheadInFile, false, false),
        ] {
            let date = StoredDate::new(Some(stored), is_capped, now);
            let result =
                (date.is_newer_than(Some(record), evidence), date.is_corrected_by(evidence));
            assert_eq!(result, (newer, corrected), "{stored} {is_capped} {record} {evidence:?}");
        }
    }
}
