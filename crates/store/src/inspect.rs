//! Checks of a database file without trusting its content, and removal of orphaned rows.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{
    Reader, Writer,
    file::{create_private, path_value},
    schema, with_end,
};
use precedent_core::error::{Code, Error, Result};

/// The maximum number of SQLite's integrity errors that are kept.
const COMPLAINTS: usize = 5;

/// The state of a database file, as far as it can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// True if the file is a casebook.
    pub casebook: bool,
    /// The version of its schema.
    pub schema: i64,
    /// True if a newer version of Precedent wrote it.
    pub newer: bool,
    /// True if opening it upgrades it.
    pub older: bool,
    /// The errors that SQLite's integrity check reports.
    pub damage: Vec<String>,
}

/// Inspects a database file without changing it.
///
/// # Errors
/// [`precedent_core::Code::Io`] if it cannot be opened, [`precedent_core::Code::Corrupt`] if it is
/// not a database.
pub fn inspect(path: &Path) -> Result<Inspection> {
    // Reading another process's log needs a connection with write access; nothing is written here.
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    let number = |query: &str| connection.query_row(query, [], |r| r.get::<_, i64>(0));
    let (schema, application) = (number("PRAGMA user_version")?, number("PRAGMA application_id")?);
    let casebook = application == schema::APPLICATION_ID;
    let newer = casebook && schema > schema::VERSION;
    let older = casebook && schema < schema::VERSION;
    // The tables of newer versions are unknown, and files of other programs are not checked.
    let damage = if casebook && !newer { complaints(&connection) } else { Vec::new() };
    Ok(Inspection { casebook, schema, newer, older, damage })
}

/// Returns the embedding model of the casebook in this file, if it is not the built-in one and can
/// be read.
pub fn chosen_model(path: &Path) -> Option<String> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).ok()?;
    connection.query_row("SELECT model FROM casebook", [], |r| r.get(0)).ok()?
}

pub(super) fn complaints(connection: &Connection) -> Vec<String> {
    let look = || -> rusqlite::Result<Vec<String>> {
        let mut statement = connection.prepare(&format!("PRAGMA integrity_check({COMPLAINTS})"))?;
        let lines = statement.query_map([], |r| r.get::<_, String>(0))?;
        lines.collect()
    };
    match look() {
        Ok(lines) => lines.into_iter().filter(|line| line != "ok").collect(),
        // Damage may make the check itself fail.
        Err(error) => vec![error.to_string()],
    }
}

/// Returns whether a database can be read from its first page to its last. One that cannot be
/// checked now counts as intact.
pub fn is_whole(path: &Path) -> bool {
    let look = || -> rusqlite::Result<bool> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.query_row("PRAGMA quick_check(1)", [], |r| Ok(r.get::<_, String>(0)? == "ok"))
    };
    look().unwrap_or_else(|e| Error::from(e).code() != Code::Corrupt)
}

/// Rebuilds all indexes of a damaged database from its tables, after keeping a page-by-page copy.
/// Returns the errors that SQLite still reports afterwards.
///
/// # Errors
/// [`precedent_core::Code::Busy`], [`precedent_core::Code::Io`] if the copy cannot be written.
pub fn reindex(path: &Path) -> Result<Vec<String>> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(std::time::Duration::from_secs(60))?;
    let copy = next_copy(path, BEFORE_REPAIR);
    create_private(&copy)?;
    let mut target = Connection::open(&copy)?;
    // A copy by pages includes damaged ones and does not fail on them.
    rusqlite::backup::Backup::new(&connection, &mut target)?.run_to_completion(
        i32::MAX,
        std::time::Duration::ZERO,
        None,
    )?;
    drop(target);
    // This fails if a table itself is damaged, which the check below reports.
    let _ = connection.execute_batch("REINDEX");
    Ok(complaints(&connection))
}

/// The part of a file name that marks a copy kept before a repair.
pub const BEFORE_REPAIR: &str = "before-repair";

/// Returns the name of the next copy that is kept beside a database for this reason.
fn next_copy(database: &Path, why: &str) -> PathBuf {
    let name = |n: u32| database.with_extension(format!("{why}-{n}.db"));
    (1..).map(name).find(|p| !p.exists()).unwrap_or_else(|| name(0))
}

/// Moves an unreadable database and its log aside; returns the new path.
///
/// # Errors
/// [`precedent_core::Code::Io`].
pub fn set_aside(database: &Path) -> Result<PathBuf> {
    let name = |n: u32| database.with_extension(format!("damaged-{n}.db"));
    let aside = (1..).map(name).find(|p| !p.exists()).unwrap_or_else(|| name(0));
    for end in ["", "-wal", "-shm"] {
        match std::fs::rename(with_end(database, end), with_end(&aside, end)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(database, e));
            }
            _ => {}
        }
    }
    Ok(aside)
}

/// Returns the private copies beside this database that were kept before an upgrade or a repair.
pub fn kept_copies(database: &Path) -> Vec<PathBuf> {
    let folder = database.parent().unwrap_or(Path::new("."));
    let stem = database.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut copies: Vec<PathBuf> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| {
            let name = p.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(&format!("{stem}.before-")) && name.ends_with(".db")
        })
        .collect();
    copies.sort();
    copies
}

/// A foreign key: the table, its column, the parent table, and whether deletes cascade.
struct Edge {
    table: String,
    column: String,
    parent: String,
    /// The referenced column of the parent table.
    id: String,
    cascades: bool,
}

impl Reader<'_> {
    fn edges(&self) -> Result<Vec<Edge>> {
        let mut statement = self.transaction.prepare(
            "SELECT s.name, k.\"from\", k.\"table\", coalesce(k.\"to\", 'id'), k.on_delete = 'CASCADE'
             FROM sqlite_schema s, pragma_foreign_key_list(s.name) k WHERE s.type = 'table'
             ORDER BY 1, 2",
        )?;
        let rows = statement.query_map([], |r| {
            Ok(Edge {
                table: r.get(0)?,
                column: r.get(1)?,
                parent: r.get(2)?,
                id: r.get(3)?,
                cascades: r.get(4)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the numbers of orphaned rows: by table, those that cannot be reached, and in total,
    /// those that only lack a part needed to read them.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn orphans(&self) -> Result<(Vec<(String, u64)>, u64)> {
        let (mut unreachable, mut unreadable) = (Vec::new(), 0);
        for edge in self.edges()? {
            let count = self.transaction.query_row(
                &format!(
                    "SELECT count(*) FROM \"{}\" WHERE {}",
                    edge.table,
                    edge.orphan_condition()
                ),
                [],
                |r| r.get::<_, u64>(0),
            )?;
            match (count, edge.cascades) {
                (0, _) => {}
                (_, true) => unreachable.push((edge.table, count)),
                (_, false) => unreadable += count,
            }
        }
        Ok((unreachable, unreadable))
    }

    /// Returns the row ids of all documents without tombstones, with whether they have a title.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn live_documents(&self) -> Result<Vec<(i64, bool)>> {
        let mut statement = self.transaction.prepare(
            "SELECT id, trim(title) <> '' FROM documents WHERE deleted_at IS NULL ORDER BY id",
        )?;
        let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Edge {
    /// Returns the SQL condition for rows with a missing parent. The names come from this file's
    /// own schema.
    fn orphan_condition(&self) -> String {
        let (column, parent, id) = (&self.column, &self.parent, &self.id);
        format!(
            "\"{column}\" IS NOT NULL AND \"{column}\" NOT IN (SELECT \"{id}\" FROM \"{parent}\")"
        )
    }
}

impl Writer<'_> {
    /// Removes rows that cannot be reached; returns their number.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn remove_orphans(&self) -> Result<u64> {
        let edges = self.edges()?;
        let (mut removed_count, mut has_document) = (0, false);
        // A removed row may have been the parent of others.
        loop {
            let mut now = 0;
            for edge in edges.iter().filter(|e| e.cascades) {
                let query =
                    format!("DELETE FROM \"{}\" WHERE {}", edge.table, edge.orphan_condition());
                let count = self.transaction.execute(&query, [])? as u64;
                has_document |= count > 0 && edge.table == "documents";
                now += count;
            }
            if now == 0 {
                break;
            }
            removed_count += now;
        }
        // Only documents have their own entries in the indexes.
        if has_document {
            self.next_revision()?;
        }
        Ok(removed_count)
    }
}

impl super::Store {
    /// Writes a complete, compact copy of the database to a new file that only this user can read.
    /// Others may read and write meanwhile.
    ///
    /// # Errors
    /// [`precedent_core::Code::Io`] if the file exists or cannot be written, [`Code::Corrupt`] if
    /// the database cannot be read.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        create_private(path)?;
        // A read-only casebook can be copied as well, so this needs no write connection.
        let copy = || -> Result<()> {
            let connection = self.file.connection()?;
            connection.execute("VACUUM INTO ?1", [path_value(path)])?;
            Ok(())
        };
        copy().inspect_err(|_| drop(std::fs::remove_file(path))).map_err(|e| match e.code() {
            Code::Corrupt => e.context(self.path().display()),
            _ => e.context(path.display()),
        })
    }

    /// Keeps a copy beside the database before a removal; its file name contains `why`.
    ///
    /// # Errors
    /// The same as [`Self::copy_to`].
    pub fn keep_copy(&self, why: &str) -> Result<PathBuf> {
        let path = next_copy(self.path(), why);
        self.copy_to(&path)?;
        Ok(path)
    }
}
