//! A SQLite file with separate read and write connections; the casebook's data and its vectors each
//! use one.

use std::{
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError, TryLockError as TryLockFault},
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, config::DbConfig};

use precedent_core::error::{Code, Error, Result};

/// The time that a write waits for another process's write.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(60);
/// The interval at which a process checks whether another one has finished opening the file.
const LOOK_AGAIN: Duration = Duration::from_millis(10);
/// The number of read connections that are kept open.
const KEPT_READERS: usize = 4;

/// The access with which a file was opened.
#[derive(Clone, Debug)]
enum Access {
    /// Reading and writing.
    Full,
    /// Reading only, with the reason. A file that nobody can write and that has no log needs no
    /// locks (`frozen`).
    ReadOnly { frozen: bool, why: String },
}

/// Returns whether a database file exists but is empty, as an interrupted copy or a full disk
/// leaves it.
pub fn is_emptied(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == 0) && log_length(path) == 0
}

/// A SQLite file in WAL mode.
#[derive(Debug)]
pub struct SqliteFile {
    path: PathBuf,
    mmap: u32,
    access: Access,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl SqliteFile {
    /// Returns the size on disk in bytes, including the write-ahead log.
    pub fn bytes(&self) -> u64 {
        std::fs::metadata(self.path()).map_or(0, |m| m.len()) + log_length(self.path())
    }

    /// Opens or creates the file; `prepare` upgrades its schema.
    ///
    /// Readers map at most `mmap` bytes of it. An existing file that cannot be written (a full
    /// disk, a read-only folder) is opened for reading.
    pub fn open(
        path: &Path,
        mmap: u32,
        prepare: impl Fn(&mut Connection) -> Result<()>,
    ) -> Result<Self> {
        Self::open_ready(path, mmap, BUSY_TIMEOUT, |_| Ok(false), prepare)
    }

    /// Works like [`SqliteFile::open`], but waits for another process's opening only if `is_ready`
    /// returns false, and then for at most `patience`.
    ///
    /// # Errors
    /// The same as [`SqliteFile::open`].
    pub fn open_ready(
        path: &Path,
        mmap: u32,
        patience: Duration,
        is_ready: impl Fn(&Connection) -> Result<bool>,
        prepare: impl Fn(&mut Connection) -> Result<()>,
    ) -> Result<Self> {
        if is_in_wal_mode(path) {
            let connection = connect_within(path, 0, &Access::Full, patience);
            match connection.and_then(|writer| Ok(is_ready(&writer)?.then_some(writer))) {
                Ok(Some(mut writer)) => {
                    prepare(&mut writer)?;
                    let (writer, readers) = (Mutex::new(writer), Mutex::default());
                    return Ok(Self {
                        path: path.to_owned(),
                        mmap,
                        access: Access::Full,
                        writer,
                        readers,
                    });
                }
                Err(error) if error.code() == Code::Busy => return Err(error),
                // Any error is reported by the code below.
                _ => {}
            }
        }
        match Self::open_as(path, mmap, patience, Access::Full, &prepare) {
            Err(error) if error.code() == Code::Io && path.is_file() => {
                // An unreadable file gets its own error, because "read-only" would be misleading.
                if let Err(e) = File::open(path) {
                    return Err(Error::io(path, e));
                }
                let why = error.to_string();
                // A writer keeps the log readable; without a log, the file is complete.
                let access = Access::ReadOnly { frozen: false, why: why.clone() };
                Self::open_as(path, mmap, patience, access, &prepare)
                    .or_else(|_| match log_length(path) {
                        0 => Self::open_as(
                            path,
                            mmap,
                            patience,
                            Access::ReadOnly { frozen: true, why },
                            &prepare,
                        ),
                        _ => Err(interrupted_write(path)),
                    })
                    .map_err(|e| if e.code() == Code::Io { e } else { error })
            }
            result => result,
        }
    }

    fn open_as(
        path: &Path,
        mmap: u32,
        patience: Duration,
        access: Access,
        prepare: &impl Fn(&mut Connection) -> Result<()>,
    ) -> Result<Self> {
        // SQLite's own locks do not cover the switch to WAL, nor a migration as a whole.
        let _opening = match access {
            Access::Full => Some(lock_beside(path, patience)?),
            Access::ReadOnly { .. } => None,
        };
        // SQLite copies the file's mode to the files beside it, so it must be private at first.
        if matches!(access, Access::Full) && !path.exists() {
            // If this fails, SQLite reports the reason.
            drop(create_private(path));
        }
        // Each connection's mapping counts as separate memory; only readers benefit from theirs.
        let mut writer = connect_within(path, 0, &access, patience)?;
        prepare(&mut writer)?;
        let (writer, readers) = (Mutex::new(writer), Mutex::default());
        Ok(Self { path: path.to_owned(), mmap, access, writer, readers })
    }

    /// Returns the reason why the file is read-only, if it is.
    pub(crate) fn read_only(&self) -> Option<&str> {
        match &self.access {
            Access::Full => None,
            Access::ReadOnly { why, .. } => Some(why),
        }
    }

    fn writable(&self) -> Result<()> {
        self.read_only().map_or(Ok(()), |why| {
            Err(Error::new(Code::Io, format!("cannot write to the casebook: {why}")).with_hint(
                "Give your user write permission to the casebook folder, and free some space on its disk. \
                 Existing data can still be read.",
            ))
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` on one consistent state of the file.
    pub fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let reader = lock(&self.readers).pop();
        let mut connection = match reader {
            Some(connection) => connection,
            None => connect(&self.path, self.mmap, &self.access)?,
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

    /// Frees the cached read connections, with their page caches and memory mappings.
    pub fn release_memory(&self) {
        // The connections are closed outside of the lock.
        drop(std::mem::take(&mut *lock(&self.readers)));
    }

    /// Opens a separate connection, outside of a transaction, with the same access as this file.
    pub(crate) fn connection(&self) -> Result<Connection> {
        connect(&self.path, 0, &self.access)
    }

    /// Runs `work` on the write connection, outside of a transaction.
    pub(crate) fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        self.writable()?;
        work(&mut lock(&self.writer))
    }

    /// Changes the file in one transaction, which is rolled back on an error. A power cut may lose
    /// the last transactions.
    pub fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.writable()?;
        Self::change(&mut lock(&self.writer), work)
    }

    /// Works like [`SqliteFile::write`], but waits at most `patience` for other writes; for data
    /// that a query can do without.
    pub(crate) fn write_within<T>(
        &self,
        patience: Duration,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.writable()?;
        let until = Instant::now() + patience;
        let mut connection = loop {
            match self.writer.try_lock() {
                Ok(connection) => break connection,
                Err(TryLockFault::Poisoned(error)) => break error.into_inner(),
                Err(TryLockFault::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(LOOK_AGAIN)
                }
                Err(TryLockFault::WouldBlock) => {
                    return Err(Error::new(
                        Code::Busy,
                        "this casebook is in use by another writer",
                    )
                    .with_hint("Wait until it has finished, then try again."));
                }
            }
        };
        connection.busy_timeout(until.saturating_duration_since(Instant::now()))?;
        let result = Self::change(&mut connection, work);
        connection.busy_timeout(BUSY_TIMEOUT)?;
        result
    }

    /// Moves the log's pages into the database and empties the log unless a reader is active, so
    /// that no file contains deleted data.
    pub(crate) fn empty_log(&self) -> Result<()> {
        self.with_writer(|connection| {
            connection.busy_timeout(Duration::from_millis(200))?;
            let result = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            connection.busy_timeout(BUSY_TIMEOUT)?;
            Ok(result?)
        })
    }

    /// Works like [`SqliteFile::write`], but syncs this and all earlier changes to disk before it
    /// returns.
    pub(crate) fn write_durably<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.writable()?;
        let mut connection = lock(&self.writer);
        // In WAL mode, only this setting syncs every commit:
        // https://sqlite.org/pragma.html#pragma_synchronous
        connection.pragma_update(None, "synchronous", "FULL")?;
        let result = Self::change(&mut connection, work);
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        result
    }

    fn change<T>(
        connection: &mut Connection,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&transaction)?;
        transaction.commit()?;
        Ok(value)
    }
}

impl Drop for SqliteFile {
    /// Closes the connections without the exclusive lock that SQLite takes for the last one, if the
    /// log is empty. A process suspended at that moment would otherwise block all readers.
    fn drop(&mut self) {
        if matches!(self.access, Access::ReadOnly { .. }) || log_length(&self.path) > 0 {
            return;
        }
        let readers = self.readers.get_mut().unwrap_or_else(PoisonError::into_inner);
        let writer = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner);
        for connection in readers.iter_mut().chain([writer]) {
            // If this fails, SQLite takes the lock.
            drop(connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true));
        }
    }
}

/// Returns the path of a companion file, such as a database's log or lock, by appending `end` to
/// the name.
pub fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

/// Holds `FILE.lock` until it is dropped; waits for any other holder.
fn lock_beside(path: &Path, patience: Duration) -> Result<File> {
    let name = with_end(path, ".lock");
    let file = super::lock::open(&name)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if began.elapsed() < patience => {
                std::thread::sleep(LOOK_AGAIN);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(Error::new(
                    Code::Busy,
                    "another process has been opening this casebook for too long",
                )
                .with_hint("Wait until it has finished, or end it, then try again."));
            }
            Err(TryLockError::Error(e)) => return Err(Error::io(&name, e)),
        }
    }
}

/// Returns whether a database was switched to WAL mode.
/// <https://sqlite.org/fileformat.html#file_format_version_numbers>
fn is_in_wal_mode(path: &Path) -> bool {
    use std::io::Read as _;
    let mut header = [0; 20];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut header).is_ok())
        && header[18..20] == [2, 2]
}

/// Returns the size of the write-ahead log in bytes.
fn log_length(path: &Path) -> u64 {
    std::fs::metadata(with_end(path, "-wal")).map_or(0, |m| m.len())
}

fn interrupted_write(path: &Path) -> Error {
    Error::new(Code::Io, format!("{} was interrupted during a write", path.display())).with_hint(
        "Give your user write permission to its folder, and free some space on its disk; opening the casebook then recovers it.",
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic inside a transaction rolls it back, so the connection is still usable.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a connection with the settings common to all connections.
fn connect(path: &Path, mmap: u32, access: &Access) -> Result<Connection> {
    connect_within(path, mmap, access, BUSY_TIMEOUT)
}

/// Works like [`connect`], but waits at most `patience` for other processes' locks while opening.
fn connect_within(
    path: &Path,
    mmap: u32,
    access: &Access,
    patience: Duration,
) -> Result<Connection> {
    let open = || -> rusqlite::Result<Connection> {
        let connection = match access {
            Access::Full => Connection::open_with_flags(
                path,
                OpenFlags::SQLITE_OPEN_READ_WRITE
                    | OpenFlags::SQLITE_OPEN_CREATE
                    | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )?,
            Access::ReadOnly { frozen, .. } => {
                // https://sqlite.org/uri.html
                let place =
                    url::form_urlencoded::byte_serialize(path.as_os_str().as_encoded_bytes());
                let place = place.collect::<String>().replace('+', "%20");
                let how = if *frozen { "mode=ro&immutable=1" } else { "mode=ro" };
                Connection::open_with_flags(
                    format!("file:{place}?{how}"),
                    OpenFlags::SQLITE_OPEN_READ_ONLY
                        | OpenFlags::SQLITE_OPEN_URI
                        | OpenFlags::SQLITE_OPEN_NO_MUTEX,
                )?
            }
        };
        connection.busy_timeout(patience)?;
        connection.set_prepared_statement_cache_capacity(64);
        if matches!(access, Access::Full) {
            connection.execute_batch(
                "PRAGMA journal_mode = WAL;
                 PRAGMA synchronous = NORMAL;",
            )?;
        }
        connection.execute_batch(
            "PRAGMA foreign_keys = ON;
             PRAGMA cache_size = -16000;",
        )?;
        // SQLite opens the file lazily, so this reads from it.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        connection.pragma_update(None, "mmap_size", mmap)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        Ok(connection)
    };
    open().map_err(|e| Error::from(e).context(path.display()))
}

/// Converts a path into the bytes that SQLite expects, even if they are not valid UTF-8.
pub(super) fn path_value(path: &Path) -> rusqlite::types::ToSqlOutput<'_> {
    use rusqlite::types::ToSqlOutput;
    #[cfg(not(unix))]
    use rusqlite::types::Value;
    #[cfg(unix)]
    use rusqlite::types::ValueRef;
    match path.to_str() {
        Some(text) => ToSqlOutput::from(text),
        #[cfg(unix)]
        None => ToSqlOutput::Borrowed(ValueRef::Text(std::os::unix::ffi::OsStrExt::as_bytes(
            path.as_os_str(),
        ))),
        #[cfg(not(unix))]
        None => ToSqlOutput::Owned(Value::Text(path.to_string_lossy().into_owned())),
    }
}

/// Creates an empty file that only this user can read, into which SQLite then writes.
pub(super) fn create_private(path: &Path) -> Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|e| Error::io(path, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn new_files_are_private() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.db");
        let file = SqliteFile::open(&path, 0, |_| Ok(())).unwrap();
        file.write(|c| Ok(c.execute_batch("CREATE TABLE one (a)")?)).unwrap();
        for end in ["", "-wal", "-shm"] {
            let mode = std::fs::metadata(with_end(&path, end)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{end}");
        }
    }

    /// This depends on a setting in `.cargo/config.toml`.
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
