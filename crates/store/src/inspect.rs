//! Looks at a database file without trusting it, and takes rows out that nothing can reach.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};

use super::{
    Reader, Writer,
    file::{create_private, path_value},
    schema, with_end,
};
use precedent_core::error::{Code, Error, Result};

/// How many complaints of SQLite's are kept.
const COMPLAINTS: usize = 5;

/// What a database file is, as far as it can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspection {
    /// Whether it is a casebook at all.
    pub casebook: bool,
    /// The schema that it was written with.
    pub schema: i64,
    /// Whether a newer version wrote it.
    pub newer: bool,
    /// Whether it is upgraded when it is opened.
    pub older: bool,
    /// What SQLite complains about.
    pub damage: Vec<String>,
}

/// Looks at a database file and changes nothing.
///
/// # Errors
/// [`precedent_core::Code::Io`] if it cannot be opened, [`precedent_core::Code::Corrupt`] if it is no database.
pub fn inspect(path: &Path) -> Result<Inspection> {
    // A log of another process's writes wants a connection that may write; nothing here does.
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    let number = |query: &str| connection.query_row(query, [], |r| r.get::<_, i64>(0));
    let (schema, application) = (number("PRAGMA user_version")?, number("PRAGMA application_id")?);
    let casebook = application == schema::APPLICATION_ID;
    let newer = casebook && schema > schema::KNOWN;
    let older = casebook && schema < schema::KNOWN;
    // Of a newer version's tables nothing is known; another program's are its own affair.
    let damage = if casebook && !newer { complaints(&connection) } else { Vec::new() };
    Ok(Inspection { casebook, schema, newer, older, damage })
}

/// The model that answers for the casebook in this file, if it is not the built-in one and can be read.
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
        // Damage may keep even the check from going on.
        Err(error) => vec![error.to_string()],
    }
}

/// Whether a database can be read from its first page to its last. What cannot even be asked now counts as whole.
pub fn is_whole(path: &Path) -> bool {
    let look = || -> rusqlite::Result<bool> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.query_row("PRAGMA quick_check(1)", [], |r| Ok(r.get::<_, String>(0)? == "ok"))
    };
    look().unwrap_or_else(|e| Error::from(e).code() != Code::Corrupt)
}

/// Makes all indexes of a damaged database anew from its tables, after keeping a copy of it page by page. What SQLite
/// still complains about afterwards.
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
    let mut kept = Connection::open(&copy)?;
    // Page by page: nothing that is damaged is left out or stumbled over.
    rusqlite::backup::Backup::new(&connection, &mut kept)?.run_to_completion(
        i32::MAX,
        std::time::Duration::ZERO,
        None,
    )?;
    drop(kept);
    // Where a table itself is damaged this fails; the check afterwards says so.
    let _ = connection.execute_batch("REINDEX");
    Ok(complaints(&connection))
}

/// Said of a copy that is kept before something is mended.
pub const BEFORE_REPAIR: &str = "before-repair";

/// The name of the next copy that is kept beside a database, for this reason.
fn next_copy(database: &Path, why: &str) -> PathBuf {
    let name = |n: u32| database.with_extension(format!("{why}-{n}.db"));
    (1..).map(name).find(|p| !p.exists()).unwrap_or_else(|| name(0))
}

/// Moves a database that cannot be read out of the way, with its log; where it is now.
///
/// # Errors
/// [`precedent_core::Code::Io`].
pub fn set_aside(database: &Path) -> Result<PathBuf> {
    let name = |n: u32| database.with_extension(format!("damaged-{n}.db"));
    let aside = (1..).map(name).find(|p| !p.exists()).unwrap_or_else(|| name(0));
    for end in ["", "-wal", "-shm"] {
        match std::fs::rename(with_end(database, end), with_end(&aside, end)) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(database, e)),
            _ => {}
        }
    }
    Ok(aside)
}

/// The private copies that were kept before an upgrade or a repair, beside this database.
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

/// A foreign key: the table, its column, the table that it points into, and whether rows go with what they belong to.
struct Edge {
    table: String,
    column: String,
    parent: String,
    /// The parent's column that is pointed at.
    id: String,
    cascades: bool,
}

impl Reader<'_> {
    fn edges(&self) -> Result<Vec<Edge>> {
        let mut statement = self.transaction.prepare(
            "SELECT s.name, k.\"from\", k.\"table\", coalesce(k.\"to\", 'id'), k.on_delete = 'CASCADE'
             FROM sqlite_schema s, pragma_foreign_key_list(s.name) k WHERE s.type = 'table' ORDER BY 1, 2",
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

    /// Rows that belong to something that is gone, by table: those that nothing can reach, and those that miss only a
    /// part of what is needed to read them.
    ///
    /// # Errors
    /// Those of the database.
    pub fn orphans(&self) -> Result<(Vec<(String, u64)>, u64)> {
        let (mut unreachable, mut unreadable) = (Vec::new(), 0);
        for edge in self.edges()? {
            let count = self.transaction.query_row(
                &format!("SELECT count(*) FROM \"{}\" WHERE {}", edge.table, edge.dangling()),
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

    /// All documents that are to be found, by row id, with whether they have a title.
    ///
    /// # Errors
    /// Those of the database.
    pub fn living(&self) -> Result<Vec<(i64, bool)>> {
        let mut statement = self
            .transaction
            .prepare("SELECT id, trim(title) <> '' FROM documents WHERE deleted_at IS NULL ORDER BY id")?;
        let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Edge {
    /// The condition for rows that point at nothing. The names come from this file's own schema.
    fn dangling(&self) -> String {
        let (column, parent, id) = (&self.column, &self.parent, &self.id);
        format!("\"{column}\" IS NOT NULL AND \"{column}\" NOT IN (SELECT \"{id}\" FROM \"{parent}\")")
    }
}

impl Writer<'_> {
    /// Takes out rows that nothing can reach; says how many.
    ///
    /// # Errors
    /// Those of the database.
    pub fn remove_orphans(&self) -> Result<u64> {
        let edges = self.edges()?;
        let (mut removed, mut found) = (0, false);
        // What goes may have been what others belong to.
        loop {
            let mut now = 0;
            for edge in edges.iter().filter(|e| e.cascades) {
                let query = format!("DELETE FROM \"{}\" WHERE {}", edge.table, edge.dangling());
                let gone = self.transaction.execute(&query, [])? as u64;
                found |= gone > 0 && edge.table == "documents";
                now += gone;
            }
            if now == 0 {
                break;
            }
            removed += now;
        }
        // Only documents are in the indexes by themselves.
        if found {
            self.next_revision()?;
        }
        Ok(removed)
    }
}

impl super::Store {
    /// Writes a whole, compact copy of the database to a file that does not exist yet, readable by this user alone.
    /// Others may go on reading and writing.
    ///
    /// # Errors
    /// [`precedent_core::Code::Io`] if the file is there already or cannot be written, [`Code::Corrupt`] if what is here cannot be
    /// read.
    pub fn copy_to(&self, path: &Path) -> Result<()> {
        create_private(path)?;
        // A casebook that can only be read can be copied elsewhere all the same.
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

    /// Keeps a copy beside the database before something is taken out of it; its name says `why`.
    ///
    /// # Errors
    /// As [`Self::copy_to`].
    pub fn keep_copy(&self, why: &str) -> Result<PathBuf> {
        let path = next_copy(self.path(), why);
        self.copy_to(&path)?;
        Ok(path)
    }
}
