//! Checks of untrusted database files, and removal of orphaned rows.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};

use super::{
    Reader, Writer,
    file::{BUSY_TIMEOUT, create_private, path_value},
    schema, with_suffix,
};
use precedent_core::error::{Code, Error, Result};

const MAX_INTEGRITY_ERRORS: usize = 5;

/// The state of a database file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// True if the file is a casebook.
    pub is_casebook: bool,
    /// Its schema version.
    pub schema: i64,
    /// True if a newer version of Precedent wrote it.
    pub is_newer: bool,
    /// True if opening it upgrades its schema.
    pub is_older: bool,
    /// The errors that SQLite's integrity check reports.
    pub damage: Vec<String>,
}

/// Inspects a database file without changing it.
///
/// # Errors
/// [`Code::Io`] if it cannot be opened, [`Code::Corrupt`] if it is not a database.
pub fn inspect(path: &Path) -> Result<Inspection> {
    let connection = open_existing(path)?;
    let number = |query: &str| connection.query_row(query, [], |r| r.get::<_, i64>(0));
    let (schema, application) = (number("PRAGMA user_version")?, number("PRAGMA application_id")?);
    let is_casebook = application == schema::APPLICATION_ID;
    let is_newer = is_casebook && schema > schema::VERSION;
    let is_older = is_casebook && schema < schema::VERSION;
    // Tables of newer versions are unknown, and databases of other programs are not checked.
    let damage = if is_casebook && !is_newer { integrity_errors(&connection) } else { Vec::new() };
    Ok(Inspection { is_casebook, schema, is_newer, is_older, damage })
}

/// Returns the embedding model of the casebook in this file; `None` if it is the built-in one or
/// cannot be read.
pub fn custom_model(path: &Path) -> Option<String> {
    let connection = open_existing(path).ok()?;
    connection.query_row("SELECT model FROM casebook", [], |r| r.get(0)).ok()?
}

/// Opens an existing database. Reading another process's log needs write access.
pub(super) fn open_existing(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    Ok(connection)
}

pub(super) fn integrity_errors(connection: &Connection) -> Vec<String> {
    let check = || -> rusqlite::Result<Vec<String>> {
        let mut statement =
            connection.prepare(&format!("PRAGMA integrity_check({MAX_INTEGRITY_ERRORS})"))?;
        let lines = statement.query_map([], |r| r.get::<_, String>(0))?;
        lines.collect()
    };
    match check() {
        Ok(lines) => lines.into_iter().filter(|line| line != "ok").collect(),
        // Damage may make the check itself fail.
        Err(error) => vec![error.to_string()],
    }
}

/// Returns whether all pages of a database can be read. One that cannot be checked at the moment
/// counts as intact.
pub fn is_intact(path: &Path) -> bool {
    let check = || -> rusqlite::Result<bool> {
        open_existing(path)?
            .query_row("PRAGMA quick_check(1)", [], |r| Ok(r.get::<_, String>(0)? == "ok"))
    };
    check().unwrap_or_else(|e| Error::from(e).code() != Code::Corrupt)
}

/// Copies a damaged database page by page, then rebuilds its indexes from its tables. Returns the
/// remaining integrity errors.
pub fn reindex(path: &Path) -> Result<Vec<String>> {
    let connection = open_existing(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    let copy = next_copy(path, BEFORE_REPAIR);
    create_private(&copy)?;
    let mut target = Connection::open(&copy)?;
    // A copy by pages includes damaged ones.
    rusqlite::backup::Backup::new(&connection, &mut target)?.run_to_completion(
        i32::MAX,
        Duration::ZERO,
        None,
    )?;
    drop(target);
    // This fails if a table is damaged, which the check below reports.
    let _ = connection.execute_batch("REINDEX");
    Ok(integrity_errors(&connection))
}

/// The infix in the names of copies made before a repair.
pub const BEFORE_REPAIR: &str = "before-repair";

/// Returns the unused path `NAME.INFIX-N.db` with the lowest number.
fn next_copy(database: &Path, infix: &str) -> PathBuf {
    let name = |n: u32| database.with_extension(format!("{infix}-{n}.db"));
    (1..).map(name).find(|p| !p.exists()).unwrap_or_else(|| name(0))
}

/// Moves an unreadable database and its log aside; returns the new path.
pub fn set_aside(database: &Path) -> Result<PathBuf> {
    let target = next_copy(database, "damaged");
    for suffix in ["", "-wal", "-shm"] {
        match std::fs::rename(with_suffix(database, suffix), with_suffix(&target, suffix)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io(database, e));
            }
            _ => {}
        }
    }
    Ok(target)
}

/// Returns the copies of a database that were made before an upgrade or a repair.
pub fn safety_copies(database: &Path) -> Vec<PathBuf> {
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

struct ForeignKey {
    table: String,
    column: String,
    parent: String,
    parent_column: String,
    cascades: bool,
}

impl Reader<'_> {
    fn foreign_keys(&self) -> Result<Vec<ForeignKey>> {
        self.query_rows(
            "SELECT s.name, k.\"from\", k.\"table\", coalesce(k.\"to\", 'id'),
             k.on_delete = 'CASCADE'
             FROM sqlite_schema s, pragma_foreign_key_list(s.name) k WHERE s.type = 'table'
             ORDER BY 1, 2",
            [],
            |r| {
                Ok(ForeignKey {
                    table: r.get(0)?,
                    column: r.get(1)?,
                    parent: r.get(2)?,
                    parent_column: r.get(3)?,
                    cascades: r.get(4)?,
                })
            },
        )
    }

    /// Returns the numbers of orphaned rows: by table, those whose parent is missing, and in total,
    /// those that only lack a dictionary to unpack them.
    pub fn orphans(&self) -> Result<(Vec<(String, u64)>, u64)> {
        let (mut orphan_counts, mut unreadable_count) = (Vec::new(), 0);
        for key in self.foreign_keys()? {
            let query =
                format!("SELECT count(*) FROM \"{}\" WHERE {}", key.table, key.orphan_condition());
            let count = self.query_value(&query, [])?;
            match (count, key.cascades) {
                (0, _) => {}
                (_, true) => orphan_counts.push((key.table, count)),
                (_, false) => unreadable_count += count,
            }
        }
        Ok((orphan_counts, unreadable_count))
    }

    /// Returns the row ids of all documents without tombstones, and whether each has a title.
    pub fn live_documents(&self) -> Result<Vec<(i64, bool)>> {
        self.query_rows(
            "SELECT id, trim(title) <> '' FROM documents WHERE deleted_at IS NULL ORDER BY id",
            [],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
    }
}

impl ForeignKey {
    /// Returns the SQL condition for rows with a missing parent. The names come from the schema.
    fn orphan_condition(&self) -> String {
        let Self { column, parent, parent_column, .. } = self;
        format!(
            "\"{column}\" IS NOT NULL
             AND \"{column}\" NOT IN (SELECT \"{parent_column}\" FROM \"{parent}\")"
        )
    }
}

impl Writer<'_> {
    /// Removes rows whose parent is missing; returns their number.
    pub fn remove_orphans(&self) -> Result<u64> {
        let keys = self.foreign_keys()?;
        let (mut removed_count, mut has_document) = (0, false);
        // A removed row may have been the parent of others.
        loop {
            let mut round_count = 0;
            for key in keys.iter().filter(|key| key.cascades) {
                let query =
                    format!("DELETE FROM \"{}\" WHERE {}", key.table, key.orphan_condition());
                let count = self.execute(&query, [])? as u64;
                has_document |= count > 0 && key.table == "documents";
                round_count += count;
            }
            if round_count == 0 {
                break;
            }
            removed_count += round_count;
        }
        // Only documents have entries in the indexes.
        if has_document {
            self.next_revision()?;
        }
        Ok(removed_count)
    }
}

impl super::Store {
    /// Writes a compact copy of the database to a new file that only this user can read. Others can
    /// read and write in the meantime.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        create_private(path)?;
        // Uses no write connection, so that a read-only casebook can be copied as well.
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

    /// Copies the database to a new file in its folder, whose name contains `infix`.
    pub fn keep_copy(&self, infix: &str) -> Result<PathBuf> {
        let path = next_copy(self.path(), infix);
        self.copy_to(&path)?;
        Ok(path)
    }
}
