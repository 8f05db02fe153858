//! What of a casebook goes into another database: into a new one to hand over, and from a foreign one into this.
//!
//! Rows are read out of an attached database and written into tables of this version's own schema, so nothing but rows
//! comes over: no triggers, no views, nothing in free pages.

use std::{collections::HashMap, path::Path};

use rusqlite::{
    Connection, OpenFlags, OptionalExtension as _,
    backup::{Backup, StepResult},
    functions::{Context, FunctionFlags},
    params,
};
use zstd::{bulk::Decompressor, dict::DecoderDictionary};

use super::{
    RawKind, Reader, Store, damaged,
    file::create_private,
    inspect::complaints,
    schema::{self, objects},
};
use precedent_core::{
    error::{Code, Error, Result},
    model::{Carried, Raw, Taken},
};

/// What happens to the rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// They go over where this holds; `t` is the row.
    Where(&'static str),
    /// As above, unless a row with the same key is there.
    Missing(&'static str),
    /// They are packed anew where the dictionary is another.
    Raw(RawKind),
    /// They stay.
    Stay,
}

/// Every table, in the order in which rows go over. What is decided by key comes first, while the documents that are
/// there already can still be told from those that come. A test holds that no table is forgotten.
const TABLES: &[(&str, Rule)] = &[
    ("links", Rule::Missing("own(t.from_key) AND own(t.to_key) AND t.from_key NOT IN old")),
    ("verdicts", Rule::Missing(OF_OWN)),
    ("verdict_journal", Rule::Where(OF_OWN)),
    (
        "checks",
        Rule::Missing(
            "own(t.key) AND (t.best_key IS NULL OR own(t.best_key))
             AND EXISTS (SELECT 1 FROM other.documents d WHERE d.key = t.key AND d.revision = t.revision)
             AND (SELECT checked_with FROM other.casebook) IS (SELECT checked_with FROM main.casebook)",
        ),
    ),
    ("check_candidates", Rule::Missing("own(t.other_key) AND t.key IN (SELECT key FROM checks)")),
    // What was told to a tracker must not be told again by a colleague.
    ("closures", Rule::Missing("own(t.key) AND t.key NOT IN old")),
    ("sources", Rule::Where("NOT (:bare AND t.kind = 'notes')")),
    ("documents", Rule::Where(BY_SOURCE)),
    // What the staff alone may read is handed over only with the notes.
    ("comments", Rule::Where(WITHOUT_INTERNAL)),
    ("raw_dictionaries", Rule::Stay),
    ("document_raw", Rule::Raw(RawKind::Document)),
    ("comment_raw", Rule::Raw(RawKind::Comment)),
    ("notes", Rule::Where("NOT :bare")),
    ("skeleton_lines", Rule::Where(BY_SOURCE)),
    ("calibrations", Rule::Where(BY_SOURCE)),
    ("backgrounds", Rule::Where(BY_SOURCE)),
    ("remotes", Rule::Where(BY_SOURCE)),
    ("streams", Rule::Where(BY_SOURCE)),
    ("relations_read", Rule::Where(BY_SOURCE)),
    ("sync_progress", Rule::Stay),
    ("casebook", Rule::Stay),
];
/// Of a decision: what it is about is the file's own on both sides, and new here.
const OF_OWN: &str =
    "own(t.first_key) AND own(t.second_key) AND t.first_key NOT IN old AND t.second_key NOT IN old";
const BY_SOURCE: &str = "NOT (:bare AND t.source_id IN (SELECT id FROM other.sources WHERE kind = 'notes'))";
const WITHOUT_INTERNAL: &str = "NOT (:bare AND (t.association IS 'PRIVATE'
         OR t.source_id IN (SELECT id FROM other.sources WHERE kind = 'notes')))";
/// Columns that do not go over: where a list was left off and its tag are the concern of whoever reads it; the next sync
/// goes on from the watermark.
const EMPTIED: &[(&str, &str)] =
    &[("streams", "next_page"), ("streams", "etag"), ("streams", "etag_page"), ("remotes", "problem")];
/// Columns whose value nobody else decides: `t` is the row that comes.
const DECIDED_HERE: &[(&str, &str, &str)] = &[(
    "remotes",
    "trusted",
    "EXISTS (SELECT 1 FROM main.remotes r WHERE r.base_url = t.base_url AND r.trusted)",
)];
/// How long a restore waits for others' writes.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
/// No record is larger than this when unpacked, in bytes: what imports take.
const MAX_RECORD: usize = 32 * 1024 * 1024;

impl Store {
    /// Writes what is to travel into a new database of its own, which nobody else may read. Private notes stay out
    /// unless they are wanted; there are no tokens in a casebook.
    ///
    /// # Errors
    /// [`Code::Io`] if the file is there already or cannot be written.
    pub fn write_portable(&self, path: &Path, notes: bool) -> Result<Carried> {
        create_private(path)?;
        let mut connection = Connection::open(path)?;
        // Nobody sees the file before it is whole, and it is thrown away if this fails.
        connection.execute_batch("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;")?;
        schema::create(&mut connection)?;
        attached(&mut connection, self.path(), |c| {
            c.execute("CREATE TEMP TABLE old (key TEXT PRIMARY KEY)", [])?;
            let _own = Own::of(c, notes)?;
            bring(c, !notes)?;
            contents(c, "main")
        })
    }

    /// What is in this casebook.
    ///
    /// # Errors
    /// Those of the database.
    pub fn contents(&self) -> Result<Carried> {
        self.file.read(|c| contents(c, "main"))
    }

    /// Puts the whole of another database, which [`check_foreign`] has passed, in the place of this one: in one transaction, so
    /// that who has it open sees the one or the other. <https://sqlite.org/backup.html>
    ///
    /// # Errors
    /// [`Code::Busy`] if another process writes for very long, [`Code::Io`].
    pub fn replace_by(&self, other: &Path) -> Result<()> {
        let from = Connection::open_with_flags(other, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        self.file.with_writer(|connection| {
            connection.pragma_update(None, "synchronous", "FULL")?;
            let began = std::time::Instant::now();
            let result = loop {
                match Backup::new(&from, connection)?.step(-1)? {
                    StepResult::Done => break Ok(()),
                    _ if began.elapsed() >= PATIENCE => {
                        break Err(Error::new(Code::Busy, "another process is writing to this casebook")
                            .with_hint("Wait until it has finished, then try again."));
                    }
                    _ => std::thread::sleep(std::time::Duration::from_millis(20)),
                }
            };
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            result
        })
    }

    /// Takes over everything that a database holds which [`check_foreign`] has passed: all of it or, on an error, nothing. A
    /// file speaks of its own sources alone: what it decides about others is left out, and told before anything is written
    /// (`told`).
    ///
    /// # Errors
    /// [`Code::InvalidInput`] if a source of it is here already, if both hold private notes, or if it does not hold
    /// what it should.
    pub fn take_over(&self, other: &Path, expected: &Carried, told: impl FnOnce(&[String])) -> Result<Taken> {
        self.file.with_writer(|connection| {
            attached(connection, other, |c| {
                refuse_what_is_here(c)?;
                c.execute("CREATE TEMP TABLE old AS SELECT key FROM documents", [])?;
                c.execute("CREATE UNIQUE INDEX temp.old_keys ON old (key)", [])?;
                let there = contents(c, "other")?;
                if there != *expected {
                    return Err(Error::invalid("the file does not hold what it says that it holds")
                        .with_hint("Ask for the file again; nothing was imported."));
                }
                let _own = Own::of(c, true)?;
                refuse_false_keys(c)?;
                let left_out = left_out(c)?;
                told(&left_out);
                let before = contents(c, "main")?;
                bring(c, false)?;
                let after = contents(c, "main")?;
                let contents = Carried { verdicts: after.verdicts - before.verdicts, ..there };
                Ok(Taken { contents, left_out })
            })
        })
    }
}

/// Looks at a database that came from somewhere else, and brings its schema up to date. Nothing in it is run: it has to
/// hold exactly the tables that a casebook of its version has, and SQLite must have no complaint.
///
/// # Errors
/// [`Code::NewerCasebook`], [`Code::InvalidInput`] if it is anything else than a sound casebook.
pub fn check_foreign(path: &Path) -> Result<()> {
    let refused = |what: String| {
        Error::invalid(format!("the file holds no sound casebook: {what}"))
            .with_hint("Ask for the file again; nothing was imported.")
    };
    let mut connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection
        .execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;")
        .map_err(|e| refused(e.to_string()))?;
    let number = |query: &str| connection.query_row(query, [], |r| r.get::<_, i64>(0));
    let version = number("PRAGMA user_version").map_err(|e| refused(e.to_string()))?;
    let application = number("PRAGMA application_id").map_err(|e| refused(e.to_string()))?;
    if application != schema::APPLICATION_ID || version < 1 {
        return Err(refused("it is another program's database".to_owned()));
    }
    if version > schema::KNOWN {
        return Err(Error::new(
            Code::NewerCasebook,
            format!(
                "the file was written by a newer version of Precedent (schema {version}, this one knows {})",
                schema::KNOWN
            ),
        )
        .with_hint("Install the newer version; nothing was imported."));
    }
    if objects(&connection).map_err(|e| refused(e.to_string()))? != schema::objects_of(version)? {
        return Err(refused("it has other tables than a casebook of its version".to_owned()));
    }
    if let Some(complaint) = complaints(&connection).into_iter().next() {
        return Err(refused(complaint));
    }
    schema::upgrade(&mut connection)
}

/// Works in one transaction with another database attached as `other`; it is detached however the work ends.
fn attached<T>(
    connection: &mut Connection,
    other: &Path,
    work: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    connection.execute("ATTACH ?1 AS other", [other.to_string_lossy().as_ref()])?;
    let result = (|| -> Result<T> {
        // An immediate transaction would keep everybody from writing into the other database too; this takes this one.
        let transaction = connection.transaction()?;
        transaction.execute("UPDATE main.casebook SET revision = revision", [])?;
        let value = work(&transaction)?;
        transaction.execute("DROP TABLE IF EXISTS temp.old", [])?;
        transaction.commit()?;
        Ok(value)
    })();
    let detached = connection.execute("DETACH other", []);
    let value = result?;
    detached?;
    Ok(value)
}

fn keys(c: &Connection, database: &str) -> Result<Vec<String>> {
    let mut statement =
        c.prepare(&format!("SELECT key FROM {database}.sources WHERE kind <> 'notes' ORDER BY key"))?;
    let rows = statement.query_map([], |r| r.get(0))?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// The function `own(KEY)`, as long as this is there: whether a document is of a source that the file itself brings.
struct Own<'a>(&'a Connection);

impl<'a> Own<'a> {
    fn of(c: &'a Connection, notes: bool) -> Result<Self> {
        let mut places: Vec<String> = Vec::new();
        for key in keys(c, "other")? {
            places.extend(['#', ':'].map(|mark| format!("{key}{mark}")));
        }
        places.extend(notes.then(|| "note#".to_owned()));
        let own = move |context: &Context<'_>| {
            let key: String = context.get(0)?;
            Ok(places.iter().any(|place| key.starts_with(place.as_str())))
        };
        c.create_scalar_function(
            "own",
            1,
            FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
            own,
        )?;
        Ok(Self(c))
    }
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        // The next one takes its place where it stays.
        let _ = self.0.remove_function("own", 1);
    }
}

/// A document that names itself as another source's would speak for that.
fn refuse_false_keys(c: &Connection) -> Result<()> {
    let false_key = "SELECT d.key FROM other.documents d JOIN other.sources s ON s.id = d.source_id
         WHERE CASE WHEN d.kind = 'note' THEN d.key NOT LIKE 'note#%'
                    ELSE substr(d.key, 1, length(s.key) + 1) NOT IN (s.key || '#', s.key || ':') END LIMIT 1";
    match c.query_row(false_key, [], |r| r.get::<_, String>(0)).optional()? {
        None => Ok(()),
        Some(key) => Err(Error::invalid(format!("the file files {key} under another source"))
            .with_hint("Ask for the file again; nothing was imported.")),
    }
}

/// What of the file's decisions does not come over, in sentences.
fn left_out(c: &Connection) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let mut statement = c.prepare(
        "SELECT first_key, second_key FROM other.verdicts t
         WHERE NOT (own(t.first_key) AND own(t.second_key)) ORDER BY 1, 2",
    )?;
    let rows = statement.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?)))?;
    for row in rows {
        let (first, second) = row?;
        out.push(format!(
            "The decision about {first} and {second}: the file does not hold both of their sources."
        ));
    }
    let mut statement = c.prepare(
        "SELECT t.first_key, t.second_key FROM other.verdicts t JOIN main.verdicts m USING (first_key, second_key)
         WHERE own(t.first_key) AND own(t.second_key) ORDER BY 1, 2",
    )?;
    let rows = statement.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?)))?;
    for row in rows {
        let (first, second) = row?;
        out.push(format!(
            "The decision about {first} and {second}: there is one here already, and it stays."
        ));
    }
    Ok(out)
}

fn contents(c: &Connection, database: &str) -> Result<Carried> {
    let count = |what: &str| -> Result<u64> {
        Ok(c.query_row(&format!("SELECT count(*) FROM {database}.{what}"), [], |r| r.get(0))?)
    };
    Ok(Carried {
        sources: keys(c, database)?,
        documents: count("documents WHERE kind <> 'note'")?,
        comments: count("comments")?,
        verdicts: count("verdicts")?,
        notes: count("notes")?,
    })
}

/// A source is in one casebook once, and notes have numbers that texts name.
fn refuse_what_is_here(c: &Connection) -> Result<()> {
    let here = keys(c, "main")?;
    let both: Vec<String> =
        keys(c, "other")?.into_iter().filter(|k| here.iter().any(|h| h.eq_ignore_ascii_case(k))).collect();
    if !both.is_empty() {
        return Err(Error::invalid(format!("this casebook holds {} already", both.join(", "))).with_hint(
            "Import into another casebook with --casebook DIR, or remove the source here first.",
        ));
    }
    let here = contents(c, "main")?.notes;
    if here > 0 && contents(c, "other")?.notes > 0 {
        return Err(Error::invalid("this casebook and the file both hold private notes").with_hint(
            "Import into another casebook with --casebook DIR, or ask for a file without notes.",
        ));
    }
    if here == 0 {
        c.execute("DELETE FROM main.sources WHERE kind = 'notes'", [])?;
    }
    Ok(())
}

/// Copies the rows; `bare` leaves private notes out.
fn bring(c: &Connection, bare: bool) -> Result<()> {
    let revision: i64 =
        c.query_row("UPDATE main.casebook SET revision = revision + 1 RETURNING revision", [], |r| r.get(0))?;
    let mut offsets: HashMap<&str, i64> = HashMap::new();
    for table in ["sources", "documents", "comments", "verdict_journal"] {
        let last =
            c.query_row(&format!("SELECT coalesce(max(id), 0) FROM main.{table}"), [], |r| r.get(0))?;
        offsets.insert(table, last);
    }
    // Where nothing is packed yet, records go over as they are, with the dictionaries that they were packed with.
    let as_they_are = c.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM main.document_raw) AND NOT EXISTS (SELECT 1 FROM main.comment_raw)
                AND NOT EXISTS (SELECT 1 FROM main.raw_dictionaries)",
        [],
        |r| r.get(0),
    )?;
    for (table, rule) in TABLES {
        let result = match rule {
            Rule::Stay if *table == "raw_dictionaries" && as_they_are => {
                copy(c, table, "INSERT", "TRUE", &offsets, revision, bare)
            }
            Rule::Stay => Ok(()),
            Rule::Where(wanted) => copy(c, table, "INSERT", wanted, &offsets, revision, bare),
            Rule::Missing(wanted) => copy(c, table, "INSERT OR IGNORE", wanted, &offsets, revision, bare),
            Rule::Raw(kind) => {
                let name = kind.as_str();
                let offset = offsets.get(format!("{name}s").as_str()).copied().unwrap_or(0);
                if as_they_are {
                    let owned = format!("t.{name}_id + {offset} IN (SELECT id FROM main.{name}s)");
                    copy(c, table, "INSERT", &owned, &offsets, revision, bare)
                } else {
                    repack(c, *kind, offset)
                }
            }
        };
        result.map_err(|error| contradiction(error, table))?;
    }
    Ok(())
}

/// Rows that this version's own tables do not take.
fn contradiction(error: Error, table: &str) -> Error {
    use std::error::Error as _;
    let constraint = error
        .source()
        .and_then(|s| s.downcast_ref::<rusqlite::Error>())
        .and_then(rusqlite::Error::sqlite_error_code)
        .is_some_and(|c| c == rusqlite::ErrorCode::ConstraintViolation);
    if !constraint {
        return error;
    }
    Error::invalid(format!("rows of the file contradict each other, or what is here ({table})"))
        .with_hint("Import into another casebook with --casebook DIR; nothing was imported.")
        .with_source(error)
}

/// Copies rows of a table with their ids moved behind those that are there.
fn copy(
    c: &Connection,
    table: &str,
    insert: &str,
    wanted: &str,
    offsets: &HashMap<&str, i64>,
    revision: i64,
    bare: bool,
) -> Result<()> {
    let mut parents: HashMap<String, String> = HashMap::new();
    let mut statement = c.prepare("SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?1, 'main')")?;
    let rows = statement.query_map([table], |r| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?)))?;
    for row in rows {
        let (column, parent) = row?;
        parents.insert(column, parent);
    }
    let mut statement = c.prepare("SELECT name FROM pragma_table_info(?1, 'main')")?;
    let columns: Vec<String> =
        statement.query_map([table], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
    let moved = |name: &str| offsets.get(name).copied().unwrap_or(0);
    let decided = |column: &str| {
        DECIDED_HERE.iter().find(|(t, c, _)| (*t, *c) == (table, column)).map(|(_, _, value)| *value)
    };
    let values: Vec<String> = columns
        .iter()
        .map(|column| match parents.get(column) {
            _ if let Some(value) = decided(column) => value.to_owned(),
            _ if EMPTIED.contains(&(table, column.as_str())) => "NULL".to_owned(),
            Some(parent) => format!("t.\"{column}\" + {}", moved(parent)),
            None if column == "id" => format!("t.id + {}", moved(table)),
            None if column == "revision" => revision.to_string(),
            None => format!("t.\"{column}\""),
        })
        .collect();
    let columns: Vec<String> = columns.iter().map(|c| format!("\"{c}\"")).collect();
    let query = format!(
        "{insert} INTO main.\"{table}\" ({}) SELECT {} FROM other.\"{table}\" t WHERE {wanted}",
        columns.join(", "),
        values.join(", ")
    );
    let mut statement = c.prepare(&query)?;
    if wanted.contains(":bare") {
        statement.execute(&[(":bare", &bare)])?;
    } else {
        statement.execute([])?;
    }
    Ok(())
}

/// Records that were packed with another dictionary are packed with the one that is here.
fn repack(c: &Connection, kind: RawKind, offset: i64) -> Result<()> {
    let name = kind.as_str();
    let packer = Reader { transaction: c }.raw_packer(kind)?;
    let mut packer = packer.worker()?;
    let mut dictionaries: HashMap<Option<i64>, DecoderDictionary<'static>> = HashMap::new();
    dictionaries.insert(None, DecoderDictionary::copy(&[]));
    let mut statement = c.prepare("SELECT id, data FROM other.raw_dictionaries")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let data: Vec<u8> = row.get(1)?;
        dictionaries.insert(Some(row.get(0)?), DecoderDictionary::copy(&data));
    }
    // Records of one dictionary mostly follow one another; a hostile file may have any number of them.
    let mut unpacker: Option<(Option<i64>, Decompressor<'_>)> = None;
    let mut read =
        c.prepare(&format!("SELECT {name}_id, dictionary_id, data FROM other.{name}_raw ORDER BY 1"))?;
    let mut write = c.prepare(&format!(
        "INSERT INTO main.{name}_raw ({name}_id, dictionary_id, data) VALUES (?1, ?2, ?3)"
    ))?;
    let mut rows = read.query([])?;
    while let Some(row) = rows.next()? {
        let (id, dictionary): (i64, Option<i64>) = (row.get(0)?, row.get(1)?);
        let data = row.get_ref(2)?.as_blob().map_err(|_| damaged("a raw record"))?;
        if unpacker.as_ref().is_none_or(|(known, _)| *known != dictionary) {
            let found = dictionaries.get(&dictionary);
            unpacker = found
                .and_then(|d| Decompressor::with_prepared_dictionary(d).ok())
                .map(|unpacker| (dictionary, unpacker));
        }
        let unpacked = unpacker.as_mut().and_then(|(_, unpacker)| {
            let size = Decompressor::upper_bound(data).unwrap_or(MAX_RECORD).min(MAX_RECORD);
            unpacker.decompress(data, size).ok()
        });
        let Some(bytes) = unpacked else {
            return Err(Error::invalid("a record in the file cannot be unpacked")
                .with_hint("Ask for the file again; nothing was imported."));
        };
        let packed = packer.pack(&Raw { bytes, ..Raw::default() })?;
        write.execute(params![id + offset, packed.dictionary, packed.data])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_goes_over_or_stays_on_purpose() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("precedent.db");
        drop(Store::open(&path).unwrap());
        let connection = Connection::open(&path).unwrap();
        let tables = objects(&connection).unwrap().into_iter().filter(|(kind, ..)| kind == "table");
        for (_, name, _) in tables {
            assert!(TABLES.iter().any(|(table, _)| *table == name), "{name}: does it travel?");
        }
    }
}
