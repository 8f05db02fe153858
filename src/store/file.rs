//! One SQLite file behind a read and a write gate; the casebook's truth and its vectors each live in one.

use std::{
    fs::{File, OpenOptions},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use crate::error::{Error, Result};

/// How long a write waits for another process's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(60);
/// Read connections that are kept open.
const KEPT_READERS: usize = 4;

/// A SQLite file in WAL mode.
#[derive(Debug)]
pub(crate) struct SqliteFile {
    path: PathBuf,
    mapped: u32,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl SqliteFile {
    /// Bytes on disk, with the log of what is not in its place yet.
    pub fn bytes(&self) -> u64 {
        let mut log = self.path().as_os_str().to_owned();
        log.push("-wal");
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |m| m.len());
        length(self.path()) + length(Path::new(&log))
    }

    /// Opens or makes the file; `prepare` brings its schema up to date. Readers map at most `mapped` bytes of it.
    pub(crate) fn open(
        path: &Path,
        mapped: u32,
        prepare: impl FnOnce(&mut Connection) -> Result<()>,
    ) -> Result<Self> {
        // One process at a time: SQLite's own locks do not cover the switch to WAL, nor a migration as a whole.
        let _opening = lock_beside(path)?;
        // Each connection's mapping counts as memory of its own; only readers gain from theirs.
        let mut writer = connect(path, 0)?;
        prepare(&mut writer)?;
        Ok(Self { path: path.to_owned(), mapped, writer: Mutex::new(writer), readers: Mutex::default() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads from one consistent state.
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let kept = lock(&self.readers).pop();
        let mut connection = match kept {
            Some(connection) => connection,
            None => connect(&self.path, self.mapped)?,
        };
        let result = {
            let transaction = connection.transaction()?;
            work(&transaction)
        };
        let mut readers = lock(&self.readers);
        if readers.len() < KEPT_READERS {
            readers.push(connection);
        }
        result
    }

    /// Works with the connection that writes, outside of a transaction.
    pub(crate) fn with_writer<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        work(&mut lock(&self.writer))
    }

    /// Changes the file in one transaction: all of it or, on an error, nothing. A power cut may take the last ones back.
    pub(crate) fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        Self::change(&mut lock(&self.writer), work)
    }

    /// As [`SqliteFile::write`], and on the disk when it returns, with everything before it.
    pub(crate) fn write_durably<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let mut connection = lock(&self.writer);
        // In WAL mode only this waits for the disk at every commit: https://sqlite.org/pragma.html#pragma_synchronous
        connection.pragma_update(None, "synchronous", "FULL")?;
        let result = Self::change(&mut connection, work);
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        result
    }

    fn change<T>(connection: &mut Connection, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&transaction)?;
        transaction.commit()?;
        Ok(value)
    }
}

/// Holds `FILE.lock` until it is dropped; waits for whoever has it.
fn lock_beside(path: &Path) -> Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    let open = OpenOptions::new().create(true).truncate(false).write(true).open(&name);
    let file = open.map_err(|e| Error::io(&name, e))?;
    file.lock().map_err(|e| Error::io(&name, e))?;
    Ok(file)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic inside a gate rolls its transaction back; the connection behind the lock is still good.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a connection with the settings that every connection has.
fn connect(path: &Path, mapped: u32) -> Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(64);
        connection.execute_batch(
            "PRAGMA journal_mode = WAL;
             PRAGMA synchronous = NORMAL;
             PRAGMA foreign_keys = ON;
             PRAGMA cache_size = -16000;",
        )?;
        connection.pragma_update(None, "mmap_size", mapped)?;
        Ok(connection)
    };
    open().map_err(|e| Error::from(e).context(path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// See `.cargo/config.toml`.
    #[test]
    fn readers_share_no_lock_around_their_pages() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare("PRAGMA compile_options").unwrap();
        let options = statement.query_map([], |r| r.get::<_, String>(0)).unwrap();
        let options: Vec<String> = options.collect::<rusqlite::Result<_>>().unwrap();
        assert!(!options.iter().any(|o| o == "ENABLE_MEMORY_MANAGEMENT"), "{options:?}");
        assert!(options.iter().any(|o| o == "DEFAULT_MEMSTATUS=0"), "{options:?}");
    }
}
