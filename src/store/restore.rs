//! A copy of a database in the place of the casebook's.
//!
//! A casebook that others may have open is not swapped under them: the copy's pages are written into it in one transaction, so
//! that everybody sees the one or the other, and a log that belongs to the old state is never read into the new one. Only what
//! is no database any more is moved aside with its log.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{
    Connection, OpenFlags,
    backup::{Backup, StepResult},
};

use super::{check_foreign, inspect::create_private, portable::contents};
use crate::{
    error::{Code, Error, Result},
    model::Carried,
};

/// How long others' writes are waited for.
const PATIENCE: Duration = Duration::from_secs(60);
/// How far the revision goes on where nobody knows which one the casebook had reached. No casebook gets there by itself.
const BEYOND: i64 = 1 << 32;
/// What an SQLite file begins with.
const MAGIC: &[u8] = b"SQLite format 3\0";
/// Where a file says that it has a log, and how.
const JOURNAL: usize = 18;
const WITH_LOG: u8 = 2;

/// Reads a copy of a casebook's database into `target`, which does not exist yet, and checks it there: it has to be a whole, sound
/// casebook of this version or an older one, and is brought up to this one's schema. The file itself stays as it is.
///
/// # Errors
/// [`Code::InvalidInput`] if it is none or is damaged, [`Code::NewerCasebook`], [`Code::Io`].
pub fn read_copy(file: &Path, target: &Path) -> Result<Carried> {
    const HINT: &str = "It has to be a copy as `precedent backup` writes it. Nothing was changed.";
    let mut begin = Vec::new();
    let open = File::open(file).and_then(|f| f.take(512).read_to_end(&mut begin));
    open.map_err(|e| Error::io(file, e))?;
    if begin.starts_with(b"manifest.json") {
        return Err(Error::invalid(format!(
            "{} is an exported casebook, not a copy of a database",
            file.display()
        ))
        .with_hint("To read it: precedent import casebook FILE"));
    }
    if !begin.starts_with(MAGIC) {
        return Err(Error::invalid(format!("{} is no copy of a casebook", file.display())).with_hint(HINT));
    }
    create_private(target)?;
    let whole = || -> Result<Carried> {
        let from = open_copy(file, begin.get(JOURNAL) == Some(&WITH_LOG))?;
        let mut copy = Connection::open(target)?;
        copy_pages(&from, &mut copy)?;
        drop(copy);
        check_foreign(target)?;
        let connection = Connection::open(target)?;
        contents(&connection, "main")
    };
    whole().map_err(|error| match error.code() {
        Code::NewerCasebook => error.with_hint("Install the newer version. Nothing was changed."),
        Code::InvalidInput | Code::Corrupt => {
            Error::invalid(format!("{} cannot be restored: {error}", file.display()))
                .with_hint(HINT)
                .with_source(error)
        }
        _ => error.context(file.display()),
    })
}

/// Opens a copy to read, without leaving anything beside it.
fn open_copy(file: &Path, with_log: bool) -> Result<Connection> {
    let threads = OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if with_log && !beside(file, "-wal").exists() {
        // Without a log the file is all there is, and nobody has it open: https://sqlite.org/uri.html#uriimmutable
        let place = url::form_urlencoded::byte_serialize(file.as_os_str().as_encoded_bytes());
        let place = place.collect::<String>().replace('+', "%20");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | threads;
        Connection::open_with_flags(format!("file:{place}?immutable=1"), flags)?
    } else if with_log {
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE | threads)?
    } else {
        Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | threads)?
    };
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

/// What SQLite keeps beside a file.
fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Copies a whole database page by page, in one transaction: nothing that is damaged is left out or stumbled over.
fn copy_pages(from: &Connection, to: &mut Connection) -> Result<()> {
    match Backup::new(from, to)?.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(Error::new(Code::Busy, "another process is writing to this casebook")
            .with_hint("Wait until it has finished, then try again.")),
    }
}

/// Puts a database that [`read_copy`] has made in the place of the casebook's, after keeping what is there as `kept`. Whether
/// something was there. Whoever calls holds the casebook's locks.
///
/// # Errors
/// [`Code::Busy`] while another process writes for very long, [`Code::Io`]. Nothing has changed then.
pub fn put_in_place(copy: &Path, database: &Path, kept: &Path) -> Result<bool> {
    if !database.exists() {
        // A log whose database is gone belongs to no other.
        for ending in ["-wal", "-shm"] {
            let _ = fs::remove_file(beside(database, ending));
        }
        renumber(copy, None)?;
        fs::rename(copy, database).map_err(|e| Error::io(database, e))?;
        return Ok(false);
    }
    let there = || -> Result<(Connection, i64)> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(database, flags)?;
        connection.busy_timeout(PATIENCE)?;
        let revision = connection.query_row("SELECT revision FROM casebook", [], |r| r.get(0))?;
        Ok((connection, revision))
    };
    match there() {
        Ok((mut connection, revision)) => {
            create_private(kept)?;
            copy_pages(&connection, &mut Connection::open(kept)?)
                .inspect_err(|_| drop(fs::remove_file(kept)))
                .map_err(|e| e.context(kept.display()))?;
            renumber(copy, Some(revision))?;
            connection.pragma_update(None, "synchronous", "FULL")?;
            copy_pages(&Connection::open(copy)?, &mut connection)?;
            // Others may hold the log; it is put in its place by whoever is last.
            let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
        }
        Err(error) if matches!(error.code(), Code::Busy | Code::Io) => return Err(error),
        // What is there is no casebook that anybody could have open.
        Err(_) => {
            renumber(copy, None)?;
            fs::hard_link(database, kept)
                .or_else(|_| fs::copy(database, kept).map(drop))
                .map_err(|e| Error::io(kept, e))?;
            // Its log would be read into what comes in its place.
            for ending in ["-wal", "-shm"] {
                let (from, to) = (beside(database, ending), beside(kept, ending));
                match fs::rename(&from, &to) {
                    Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::io(&from, e)),
                    _ => {}
                }
            }
            fs::rename(copy, database).map_err(|e| Error::io(database, e))?;
        }
    }
    Ok(true)
}

/// Makes every document newer than anything that an index has reached, so that each is compared again. What has the same text
/// keeps its vector.
fn renumber(copy: &Path, reached: Option<i64>) -> Result<()> {
    let connection = Connection::open(copy)?;
    let own: i64 = connection.query_row("SELECT revision FROM casebook", [], |r| r.get(0))?;
    let next = reached.map_or(own + BEYOND, |reached| own.max(reached) + 1);
    connection.execute_batch(&format!(
        "BEGIN; UPDATE documents SET revision = {next}; UPDATE casebook SET revision = {next}, links_revision = 0; COMMIT;"
    ))?;
    connection.close().map_err(|(_, e)| e)?;
    // On the disk before anything depends on it.
    File::open(copy).and_then(|f| f.sync_all()).map_err(|e| Error::io(copy, e))
}
