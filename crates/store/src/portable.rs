//! Export of a casebook's rows into a new database, and import from the database of another
//! casebook.
//!
//! Rows are copied from an attached database into tables of this version's schema. Triggers, views
//! and free pages are never copied.

use std::{
    cell::Cell,
    collections::HashMap,
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::Timestamp;
use rusqlite::{
    Connection, OpenFlags, OptionalExtension as _,
    backup::{Backup, StepResult},
    functions::{Context, FunctionFlags},
};

use super::{
    REVISION_STEP, RawKind, Reader, RemoteRow, SourceRow, Store, Writer,
    file::{create_private, path_value},
    inspect::{integrity_errors, open_existing},
    raw::{Repack, repack},
    schema::{self, objects},
    validation::{MAX_TEXT, Purpose, lossy_text, refuse_bad_sources, register, repair},
};
use precedent_core::{
    error::{Code, Error, Remedy, Result, cancel_error},
    model::{CasebookContents, PortableImport},
    task::Task,
};

/// The rule for copying the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// Copies the rows that meet this condition; `t` is the row.
    Matching(&'static str),
    /// Copies the rows that meet this condition and whose key is new.
    New(&'static str),
    /// Copies the raw records of copied rows.
    Raw(RawKind),
    /// Copies no rows.
    Skip,
}

/// All tables, in copying order. Tables with conditions on keys come first, before documents are
/// copied. A test checks that no table is missing.
const TABLES: &[(&str, Rule)] = &[
    (
        "links",
        Rule::New("in_file(t.from_key) AND in_file(t.to_key) AND t.from_key NOT IN existing"),
    ),
    ("verdicts", Rule::New(IN_FILE_PAIR)),
    ("verdict_journal", Rule::Matching(IN_FILE_PAIR)),
    // Derived rows are computed again at the destination.
    ("checks", Rule::Skip),
    ("check_candidates", Rule::Skip),
    // A closure made by one user must not be repeated by another.
    ("closures", Rule::New("in_file(t.key) AND t.key NOT IN existing")),
    ("sources", Rule::Matching("NOT (:bare AND t.kind = 'notes')")),
    ("documents", Rule::Matching(NOT_IN_NOTES)),
    // Internal comments are exported only together with the notes.
    ("comments", Rule::Matching(NOT_INTERNAL)),
    ("raw_dictionaries", Rule::Skip),
    ("document_raw", Rule::Raw(RawKind::Document)),
    ("comment_raw", Rule::Raw(RawKind::Comment)),
    ("notes", Rule::Matching("NOT :bare")),
    ("skeleton_lines", Rule::Skip),
    ("calibrations", Rule::Skip),
    ("backgrounds", Rule::Skip),
    ("remotes", Rule::Matching(NOT_IN_NOTES)),
    ("streams", Rule::Matching(NOT_IN_NOTES)),
    ("relations_read", Rule::Matching(NOT_IN_NOTES)),
    ("releases", Rule::Matching(NOT_IN_NOTES)),
    ("release_items", Rule::Matching(NOT_IN_NOTES)),
    ("sync_progress", Rule::Skip),
    ("imports", Rule::Skip),
    ("import_changes", Rule::Skip),
    ("casebook", Rule::Skip),
];
/// The condition on a verdict: both documents belong to the file's sources and are new here.
const IN_FILE_PAIR: &str = "in_file(t.first_key) AND in_file(t.second_key)
         AND t.first_key NOT IN existing AND t.second_key NOT IN existing";
const NOT_IN_NOTES: &str =
    "NOT (:bare AND t.source_id IN (SELECT id FROM other.sources WHERE kind = 'notes'))";
const NOT_INTERNAL: &str = "NOT (:bare AND (t.association IS 'PRIVATE'
         OR t.source_id IN (SELECT id FROM other.sources WHERE kind = 'notes')))";
/// Columns with local values; `t` is the copied row. Trust applies to a project rather than a host,
/// because a host has projects of many owners. The next sync continues from the watermark.
const LOCAL_VALUES: &[(&str, &str, &str)] = &[
    ("streams", "next_page", "NULL"),
    ("streams", "etag", "NULL"),
    ("streams", "etag_page", "NULL"),
    ("remotes", "problem", "NULL"),
    (
        "remotes",
        "trusted",
        "EXISTS (SELECT 1 FROM main.remotes r WHERE r.base_url = t.base_url
                 AND r.project = t.project COLLATE NOCASE AND r.trusted)",
    ),
    ("verdicts", "imported", "1"),
    ("verdict_journal", "imported", "1"),
    ("sources", "skeleton_documents", "0"),
    ("sources", "pace", "1.0"),
];
/// The maximum number of seconds by which a date may be ahead of this computer's clock.
const MAX_CLOCK_SKEW: i64 = 24 * 3600;
/// The interval at which a long statement checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The time that a restore waits for other writes.
const RESTORE_TIMEOUT: Duration = Duration::from_secs(60);

/// The direction of copying, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    /// From this casebook into a file.
    Export,
    /// From a file into this casebook.
    Import,
}

/// The ids and content hashes of compression dictionaries.
type Dictionaries = Vec<(i64, blake3::Hash)>;

/// A database from a casebook file whose rows were verified for an import.
#[derive(Debug)]
pub struct VerifiedCopy {
    path: PathBuf,
    contents: CasebookContents,
    left_out: Vec<String>,
    dictionaries: Dictionaries,
}

/// A function that returns whether a remote can belong to a source's tracker.
pub type RemoteCheck<'a> = &'a dyn Fn(&SourceRow, &RemoteRow) -> bool;

impl Store {
    /// Writes a copy of the casebook, with or without private notes, into a new database that only
    /// this user can read.
    pub fn write_portable(&self, path: &Path, notes: bool) -> Result<CasebookContents> {
        create_private(path)?;
        let mut connection = Connection::open(path)?;
        // The file is private until complete and discarded on failure, so durability is not needed.
        connection.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;")?;
        schema::create(&mut connection)?;
        with_attached(&mut connection, self.path(), |c| {
            c.execute("CREATE TEMP TABLE existing (key TEXT PRIMARY KEY)", [])?;
            let _in_file = InFileFunction::register(c, notes)?;
            copy_tables(c, !notes, Direction::Export)?;
            contents(c, "main")
        })
    }

    /// Returns the contents of this casebook.
    pub fn contents(&self) -> Result<CasebookContents> {
        self.file.read(|c| contents(c, "main"))
    }

    /// Replaces the whole database with one that [`check_foreign`] has accepted, in one transaction
    /// (<https://sqlite.org/backup.html>).
    pub fn replace_with(&self, path: &Path) -> Result<()> {
        let source = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        self.file.with_writer(|connection| {
            connection.pragma_update(None, "synchronous", "FULL")?;
            let start = std::time::Instant::now();
            let result = loop {
                match Backup::new(&source, connection)?.step(-1)? {
                    StepResult::Done => break Ok(()),
                    _ if start.elapsed() >= RESTORE_TIMEOUT => {
                        break Err(Error::new(
                            Code::Busy,
                            "another process is writing to this casebook",
                        )
                        .with_hint("Wait until it has finished, then try again."));
                    }
                    _ => std::thread::sleep(Duration::from_millis(20)),
                }
            };
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            result
        })
    }

    /// Verifies every row of a database that [`check_foreign`] has accepted, without blocking other
    /// work. Rows that break a rule are removed and reported, and raw records are recompressed with
    /// this casebook's dictionaries.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] if its contents differ from `description`, if one of its sources
    /// exists here, or if a key or a row is invalid.
    pub fn verify_copy(
        &self,
        path: &Path,
        description: &CasebookContents,
        is_remote: RemoteCheck<'_>,
        now: Timestamp,
        task: &Task,
    ) -> Result<VerifiedCopy> {
        let (own_keys, packers, dictionaries, is_empty) = self.read(|r| {
            let packers = (r.raw_packer(RawKind::Document)?, r.raw_packer(RawKind::Comment)?);
            let own_keys = source_keys(r.transaction, "main")?;
            Ok((own_keys, packers, dictionaries(r)?, has_no_raw_records(r.transaction)?))
        })?;
        let mut connection = Connection::open(path)?;
        connection.execute_batch(
            "PRAGMA trusted_schema = OFF; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;",
        )?;
        run_interruptible(&mut connection, task, |connection| {
            let transaction = connection.transaction()?;
            let c = &transaction;
            refuse_existing_sources(
                &own_keys,
                &source_keys(c, "main").map_err(|e| unreadable_row(&e))?,
            )?;
            if contents(c, "main")? != *description {
                return Err(file_error("the contents of the file don't match its description"));
            }
            refuse_bad_sources(c)?;
            refuse_foreign_keys(c)?;
            register(c, now.as_second().saturating_add(MAX_CLOCK_SKEW))?;
            let mut left_out = remove_orphans(c)?;
            left_out.extend(repair(c, Purpose::Import)?.sentences());
            left_out.extend(remove_invalid_remotes(c, is_remote)?);
            let mut unreadable_count = 0;
            for (kind, packer) in [(RawKind::Document, &packers.0), (RawKind::Comment, &packers.1)]
            {
                let packer = (!is_empty).then_some(packer);
                let options = Repack { packer, max_unpacked: MAX_TEXT, is_foreign: true };
                unreadable_count += repack(c, kind, &options, task)?;
            }
            // The dictionaries of the recompressed records are only in this casebook.
            for (id, _) in &dictionaries {
                c.execute(
                    "INSERT OR IGNORE INTO main.raw_dictionaries (id, kind, data)
                     VALUES (?1, 'here ' || ?1, x'')",
                    [id],
                )?;
            }
            if unreadable_count > 0 {
                left_out.push(format!(
                    "{unreadable_count} original tracker records: they cannot be unpacked."
                ));
            }
            let reader = Reader { transaction: c };
            reader.read_all_rows().map_err(|e| unreadable_row(&e))?;
            let contents = contents(c, "main")?;
            transaction.commit()?;
            Ok(VerifiedCopy { path: path.to_owned(), contents, left_out, dictionaries })
        })
    }

    /// Imports a verified copy called `name` in one transaction, which is rolled back on an error.
    ///
    /// Verdicts about sources that the copy lacks are left out. Rows that are left out are passed
    /// to `report` before anything is written.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] if one of its sources exists here, or if both have private notes;
    /// [`Code::Busy`] if another process writes for over a minute.
    pub fn import_copy(
        &self,
        copy: &VerifiedCopy,
        name: &str,
        now: Timestamp,
        report: impl FnOnce(&[String]),
        task: &Task,
    ) -> Result<PortableImport> {
        self.file.with_writer(|connection| {
            run_interruptible(connection, task, |connection| {
                with_attached(connection, &copy.path, |c| {
                    resolve_conflicts(c)?;
                    if dictionaries(&Reader { transaction: c })? != copy.dictionaries {
                        return Err(Error::new(
                            Code::Busy,
                            "another process changed this casebook during the import",
                        )
                        .with_hint("Import the file again; nothing was imported."));
                    }
                    c.execute("CREATE TEMP TABLE existing AS SELECT key FROM documents", [])?;
                    c.execute("CREATE UNIQUE INDEX temp.existing_keys ON existing (key)", [])?;
                    let _in_file = InFileFunction::register(c, true)?;
                    let mut left_out = copy.left_out.clone();
                    left_out.extend(left_out_verdicts(c)?);
                    report(&left_out);
                    let contents_before = contents(c, "main")?;
                    let last_source_id = max_id(c, "sources")?;
                    copy_tables(c, false, Direction::Import)?;
                    journal_import(c, Writer::new(c).begin_import(name, now)?, last_source_id)?;
                    task.check()?;
                    let contents_after = contents(c, "main")?;
                    let contents = CasebookContents {
                        verdicts: contents_after.verdicts - contents_before.verdicts,
                        ..copy.contents.clone()
                    };
                    Ok(PortableImport { contents, left_out })
                })
            })
        })
    }
}

/// Records the sources with ids above `last_source_id` in an import's journal: notes one by one,
/// the others as a whole.
fn journal_import(c: &Connection, import: i64, last_source_id: i64) -> Result<()> {
    c.execute(
        "INSERT INTO main.import_changes (import_id, table_name, row_id, after)
         SELECT ?1, 'sources', id, CASE WHEN kind <> 'notes' THEN x'' END FROM main.sources
         WHERE id > ?2",
        [import, last_source_id],
    )?;
    c.execute(
        "INSERT INTO main.import_changes (import_id, table_name, row_id, after)
         SELECT ?1, 'documents', d.id, d.raw_hash FROM main.documents d JOIN main.sources s
         ON s.id = d.source_id
         WHERE s.id > ?2 AND s.kind = 'notes'",
        [import, last_source_id],
    )?;
    Ok(())
}

/// Runs work on a connection, and interrupts its statements if the task is cancelled.
fn run_interruptible<T>(
    connection: &mut Connection,
    task: &Task,
    work: impl FnOnce(&mut Connection) -> Result<T>,
) -> Result<T> {
    let handle = connection.get_interrupt_handle();
    let (end_sender, end_receiver) = std::sync::mpsc::channel::<()>();
    let result = std::thread::scope(|scope| {
        scope.spawn(move || {
            use std::sync::mpsc::RecvTimeoutError::Timeout;
            while end_receiver.recv_timeout(POLL_INTERVAL) == Err(Timeout) {
                if task.is_cancelled() {
                    handle.interrupt();
                }
            }
        });
        let result = work(connection);
        drop(end_sender);
        result
    });
    match result {
        Err(_) if task.is_cancelled() => Err(cancel_error()),
        result => result,
    }
}

/// Returns the largest row id of a table; 0 if it is empty.
fn max_id(c: &Connection, table: &str) -> Result<i64> {
    let query = format!("SELECT coalesce(max(id), 0) FROM main.{table}");
    Ok(c.query_row(&query, [], |r| r.get(0))?)
}

fn dictionaries(reader: &Reader<'_>) -> Result<Dictionaries> {
    reader.query_rows("SELECT id, data FROM main.raw_dictionaries ORDER BY id", [], |r| {
        Ok((r.get(0)?, blake3::hash(r.get_ref(1)?.as_blob()?)))
    })
}

/// Returns whether no raw record is stored, so that an import copies raw records unchanged, with
/// their dictionaries.
fn has_no_raw_records(c: &Connection) -> Result<bool> {
    Ok(c.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM main.document_raw)
         AND NOT EXISTS (SELECT 1 FROM main.comment_raw)
         AND NOT EXISTS (SELECT 1 FROM main.raw_dictionaries)",
        [],
        |r| r.get(0),
    )?)
}

fn file_error(message: impl Into<String>) -> Error {
    Error::invalid(message).with_hint("Get the file again; nothing was imported.")
}

/// Returns the error for a file with a row that breaks no rule but cannot be read.
fn unreadable_row(error: &Error) -> Error {
    file_error(format!("the file contains an unreadable row: {error}"))
}

/// Removes orphaned rows; returns a sentence for each table.
fn remove_orphans(c: &Connection) -> Result<Vec<String>> {
    let (orphan_counts, _) = Reader { transaction: c }.orphans()?;
    if orphan_counts.is_empty() {
        return Ok(Vec::new());
    }
    Writer { revision: Cell::new(Some(0)), ..Writer::new(c) }.remove_orphans()?;
    let sentence = |(table, n): (String, u64)| {
        format!("{n} rows of {table}: the items they belong to are not in the file.")
    };
    Ok(orphan_counts.into_iter().map(sentence).collect())
}

/// Removes remotes that cannot belong to their sources' trackers.
fn remove_invalid_remotes(c: &Connection, is_remote: RemoteCheck<'_>) -> Result<Vec<String>> {
    let reader = Reader { transaction: c };
    let mut out = Vec::new();
    for source in reader.sources().map_err(|e| unreadable_row(&e))? {
        let Some(remote) = reader.remote(source.id).map_err(|e| unreadable_row(&e))? else {
            continue;
        };
        if is_remote(&source, &remote) {
            continue;
        }
        for table in ["remotes", "streams", "relations_read"] {
            c.execute(&format!("DELETE FROM main.{table} WHERE source_id = ?1"), [source.id])?;
        }
        out.push(format!(
            "The tracker address of {}: {} is not a project address of {}. The source is kept as \
             if imported from files.",
            source.key, remote.base_url, remote.host
        ));
    }
    Ok(out)
}

/// Checks an untrusted database and upgrades its schema. It must have exactly the tables of a
/// casebook of its version and pass SQLite's integrity check; nothing in it is executed.
///
/// # Errors
/// [`Code::NewerCasebook`]; [`Code::InvalidInput`] if it is not a valid casebook.
pub fn check_foreign(path: &Path) -> Result<()> {
    let invalid = |problem: String| {
        file_error(format!("the file does not contain a valid casebook: {problem}"))
    };
    let mut connection = open_existing(path)?;
    connection
        .execute_batch(
            "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;",
        )
        .map_err(|e| invalid(e.to_string()))?;
    let number = |query: &str| connection.query_row(query, [], |r| r.get::<_, i64>(0));
    let version = number("PRAGMA user_version").map_err(|e| invalid(e.to_string()))?;
    let application = number("PRAGMA application_id").map_err(|e| invalid(e.to_string()))?;
    if application != schema::APPLICATION_ID || version < 1 {
        return Err(invalid("it is another program's database".to_owned()));
    }
    if version > schema::VERSION {
        return Err(Error::new(
            Code::NewerCasebook,
            format!(
                "the file was written by a newer version of Precedent (schema {version}, \
                 this version supports {})",
                schema::VERSION
            ),
        )
        .with_hint("Install the newer version; nothing was imported."));
    }
    if objects(&connection).map_err(|e| invalid(e.to_string()))? != schema::objects_of(version)? {
        return Err(invalid("its tables don't match its version".to_owned()));
    }
    if let Some(error) = integrity_errors(&connection).into_iter().next() {
        return Err(invalid(error));
    }
    schema::upgrade(&mut connection)
}

/// Runs work in one transaction with another database attached as `other`.
fn with_attached<T>(
    connection: &mut Connection,
    path: &Path,
    work: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    connection.execute("ATTACH ?1 AS other", [path_value(path)])?;
    let result = (|| -> Result<T> {
        // This locks only the main database, unlike an immediate transaction.
        let transaction = connection.transaction()?;
        transaction.execute("UPDATE main.casebook SET revision = revision", [])?;
        let value = work(&transaction)?;
        transaction.execute("DROP TABLE IF EXISTS temp.existing", [])?;
        transaction.commit()?;
        Ok(value)
    })();
    let detach_result = connection.execute("DETACH other", []);
    let value = result?;
    detach_result?;
    Ok(value)
}

fn source_keys(c: &Connection, database: &str) -> Result<Vec<String>> {
    let query = format!("SELECT key FROM {database}.sources WHERE kind <> 'notes' ORDER BY key");
    Reader { transaction: c }.query_column(&query, [])
}

/// A guard for the SQL function `in_file(KEY)`, which returns whether a document belongs to a
/// source of the file.
struct InFileFunction<'a>(&'a Connection);

impl<'a> InFileFunction<'a> {
    fn register(c: &'a Connection, notes: bool) -> Result<Self> {
        let mut prefixes: Vec<String> = Vec::new();
        for key in source_keys(c, "other")? {
            prefixes.extend(['#', ':'].map(|mark| format!("{key}{mark}")));
        }
        prefixes.extend(notes.then(|| "note#".to_owned()));
        let is_in_file = move |context: &Context<'_>| {
            let key: String = context.get(0)?;
            Ok(prefixes.iter().any(|prefix| key.starts_with(prefix.as_str())))
        };
        c.create_scalar_function(
            "in_file",
            1,
            FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
            is_in_file,
        )?;
        Ok(Self(c))
    }
}

impl Drop for InFileFunction<'_> {
    fn drop(&mut self) {
        // If this fails, the next registration replaces it.
        let _ = self.0.remove_function("in_file", 1);
    }
}

/// Refuses documents whose key names another source, because verdicts about that source would be
/// imported.
fn refuse_foreign_keys(c: &Connection) -> Result<()> {
    let query = "SELECT d.key FROM main.documents d JOIN main.sources s ON s.id = d.source_id
         WHERE CASE WHEN d.kind = 'note' THEN d.key NOT LIKE 'note#%'
             ELSE substr(d.key, 1, length(s.key) + 1) NOT IN (s.key || '#', s.key || ':') END
         LIMIT 1";
    match c.query_row(query, [], |r| Ok(lossy_text(r.get_ref(0)?))).optional()? {
        None => Ok(()),
        Some(key) => Err(file_error(format!("the file lists {key} under another source"))),
    }
}

/// Returns sentences about the file's verdicts that are not imported.
fn left_out_verdicts(c: &Connection) -> Result<Vec<String>> {
    let causes = [
        (
            "WHERE NOT (in_file(t.first_key) AND in_file(t.second_key))",
            "the file does not contain both sources",
        ),
        (
            "JOIN main.verdicts m USING (first_key, second_key)
             WHERE in_file(t.first_key) AND in_file(t.second_key)",
            "an existing decision is kept",
        ),
    ];
    let mut out = Vec::new();
    for (condition, cause) in causes {
        let query = format!(
            "SELECT 'The decision about ' || t.first_key || ' and ' || t.second_key
             FROM other.verdicts t {condition} ORDER BY t.first_key, t.second_key"
        );
        let pairs: Vec<String> = Reader { transaction: c }.query_column(&query, [])?;
        out.extend(pairs.into_iter().map(|pair| format!("{pair}: {cause}.")));
    }
    Ok(out)
}

fn contents(c: &Connection, database: &str) -> Result<CasebookContents> {
    let count = |table: &str| -> Result<u64> {
        Ok(c.query_row(&format!("SELECT count(*) FROM {database}.{table}"), [], |r| r.get(0))?)
    };
    Ok(CasebookContents {
        sources: source_keys(c, database)?,
        documents: count("documents WHERE kind <> 'note'")?,
        comments: count("comments")?,
        verdicts: count("verdicts")?,
        notes: count("notes")?,
    })
}

/// Refuses a file with a source that this casebook has.
fn refuse_existing_sources(own_keys: &[String], file_keys: &[String]) -> Result<()> {
    let common: Vec<&str> = file_keys
        .iter()
        .filter(|key| own_keys.iter().any(|own_key| own_key.eq_ignore_ascii_case(key)))
        .map(String::as_str)
        .collect();
    if common.is_empty() {
        return Ok(());
    }
    Err(Error::invalid(format!("this casebook already has {}", common.join(", ")))
        .with_hint("Remove the source here first, or import into another casebook.")
        .with_command(Remedy::Sources, "--casebook DIR"))
}

/// Refuses sources that exist here, and notes if both casebooks have some, because texts refer to
/// notes by number. Of two sources of notes, keeps the one that has notes.
fn resolve_conflicts(c: &Connection) -> Result<()> {
    refuse_existing_sources(&source_keys(c, "main")?, &source_keys(c, "other")?)?;
    let has_notes = contents(c, "other")?.notes > 0;
    if has_notes && contents(c, "main")?.notes > 0 {
        return Err(Error::invalid("this casebook and the file both contain private notes")
            .with_hint("Ask for a file without notes, or import into another casebook.")
            .with_command(None, "--casebook DIR"));
    }
    // A source without notes has tombstones, so that the numbers of removed notes stay unused.
    let (dropped, kept) = if has_notes { ("main", "other") } else { ("other", "main") };
    c.execute(
        &format!(
            "DELETE FROM {dropped}.sources
             WHERE kind = 'notes' AND kind IN (SELECT kind FROM {kept}.sources)"
        ),
        [],
    )?;
    Ok(())
}

/// Copies the rows of all tables; with `bare`, without private notes.
fn copy_tables(c: &Connection, bare: bool, direction: Direction) -> Result<()> {
    let revision: i64 = c.query_row(
        "UPDATE main.casebook SET revision = revision + 1 RETURNING revision",
        [],
        |r| r.get(0),
    )?;
    let mut offsets: HashMap<&str, i64> = HashMap::new();
    for table in ["sources", "documents", "comments", "verdict_journal"] {
        offsets.insert(table, max_id(c, table)?);
    }
    let copies_dictionaries = has_no_raw_records(c)?;
    for (table, rule) in TABLES {
        let (insert, filter) = match rule {
            Rule::Skip if *table == "raw_dictionaries" && copies_dictionaries => {
                ("INSERT", "TRUE".to_owned())
            }
            Rule::Skip => continue,
            Rule::Matching(filter) => ("INSERT", (*filter).to_owned()),
            Rule::New(filter) => ("INSERT OR IGNORE", (*filter).to_owned()),
            Rule::Raw(kind) => {
                let name = kind.as_str();
                let offset = offsets.get(format!("{name}s").as_str()).copied().unwrap_or(0);
                ("INSERT", format!("t.{name}_id + {offset} IN (SELECT id FROM main.{name}s)"))
            }
        };
        copy(c, table, insert, &filter, &offsets, revision, bare)
            .map_err(|error| constraint_error(error, table, direction))?;
    }
    Writer::new(c).raise_revision()
}

/// Returns the error for rows that violate this version's schema.
fn constraint_error(error: Error, table: &str, direction: Direction) -> Error {
    use std::error::Error as _;
    let is_violation = error
        .source()
        .and_then(|s| s.downcast_ref::<rusqlite::Error>())
        .and_then(rusqlite::Error::sqlite_error_code)
        .is_some_and(|c| c == rusqlite::ErrorCode::ConstraintViolation);
    if !is_violation {
        return error;
    }
    let conflict = match direction {
        Direction::Import => Error::invalid(format!(
            "the file contains conflicting rows, or conflicts with existing data ({table})"
        ))
        .with_hint("Nothing was imported. Import into another casebook.")
        .with_command(None, "--casebook DIR"),
        Direction::Export => {
            Error::new(Code::Corrupt, format!("this casebook contains conflicting rows ({table})"))
                .with_hint("Nothing was exported. Repair the rows.")
                .with_command(Remedy::Repair, "precedent doctor --repair")
        }
    };
    conflict.with_source(error)
}

/// Copies rows of a table; their ids are shifted past the existing ones.
fn copy(
    c: &Connection,
    table: &str,
    insert: &str,
    filter: &str,
    offsets: &HashMap<&str, i64>,
    revision: i64,
    bare: bool,
) -> Result<()> {
    let reader = Reader { transaction: c };
    let foreign_keys: Vec<(String, String)> = reader.query_rows(
        "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1, 'main')
         WHERE coalesce(\"to\", 'id') = 'id'",
        [table],
        |r| r.try_into(),
    )?;
    let parents: HashMap<String, String> = foreign_keys.into_iter().collect();
    let columns: Vec<String> =
        reader.query_column("SELECT name FROM pragma_table_info(?1, 'main')", [table])?;
    let offset_of = |name: &str| offsets.get(name).copied().unwrap_or(0);
    let local_value = |column: &str| {
        LOCAL_VALUES
            .iter()
            .find(|(t, c, _)| (*t, *c) == (table, column))
            .map(|(_, _, value)| *value)
    };
    let values: Vec<String> = columns
        .iter()
        .map(|column| match parents.get(column) {
            _ if let Some(value) = local_value(column) => value.to_owned(),
            Some(parent) => format!("t.\"{column}\" + {}", offset_of(parent)),
            None if column == "id" => format!("t.id + {}", offset_of(table)),
            None if column == "revision" => format!("{revision} + t.id / {REVISION_STEP}"),
            None => format!("t.\"{column}\""),
        })
        .collect();
    let columns: Vec<String> = columns.iter().map(|c| format!("\"{c}\"")).collect();
    let query = format!(
        "{insert} INTO main.\"{table}\" ({}) SELECT {} FROM other.\"{table}\" t WHERE {filter}",
        columns.join(", "),
        values.join(", ")
    );
    let mut statement = c.prepare(&query)?;
    if filter.contains(":bare") {
        statement.execute(&[(":bare", &bare)])?;
    } else {
        statement.execute([])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_a_copy_rule() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precedent.db");
        drop(Store::open(&path).unwrap());
        let connection = Connection::open(&path).unwrap();
        let tables = objects(&connection).unwrap().into_iter().filter(|(kind, ..)| kind == "table");
        for (_, name, _) in tables {
            assert!(TABLES.iter().any(|(table, _)| *table == name), "{name} has no copy rule");
        }
    }
}
