//! SQLite files with separate read and write connections, for the casebook's data and for its
//! vectors.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError, TryLockError as TryMutexError},
    time::{Duration, Instant},
};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, config::DbConfig};

use super::lock::FileLock;
use precedent_core::error::{Code, Error, Result};

/// The time that a write waits for other processes' writes.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(60);
/// The interval at which a lock held by another thread is retried.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);
const MAX_IDLE_READERS: usize = 4;

#[derive(Clone, Debug)]
enum Access {
    /// Reading and writing.
    Full,
    /// Reading only. An `immutable` file, which has no log and no writer, needs no locks.
    ReadOnly { immutable: bool, reason: String },
}

/// Returns whether a database file exists but is empty, for example after an interrupted copy.
pub fn is_empty_database(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == 0) && log_length(path) == 0
}

/// A SQLite file in WAL mode.
#[derive(Debug)]
pub struct SqliteFile {
    path: PathBuf,
    mmap_size: u32,
    access: Access,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
}

impl SqliteFile {
    /// Returns the size on disk in bytes, including the write-ahead log.
    pub fn bytes(&self) -> u64 {
        std::fs::metadata(self.path()).map_or(0, |m| m.len()) + log_length(self.path())
    }

    /// Opens or creates the file; `prepare` upgrades its schema. Waits at most `timeout` for other
    /// processes that open the file, and not at all if `is_ready` returns `true`.
    ///
    /// Readers map at most `mmap_size` bytes of it. An existing file that cannot be written,
    /// because of a full disk or a read-only folder, is opened for reading.
    pub fn open(
        path: &Path,
        mmap_size: u32,
        timeout: Duration,
        is_ready: impl Fn(&Connection) -> Result<bool>,
        prepare: impl Fn(&mut Connection) -> Result<()>,
    ) -> Result<Self> {
        if is_in_wal_mode(path) {
            let connection = connect_with_timeout(path, 0, &Access::Full, timeout);
            match connection.and_then(|writer| Ok(is_ready(&writer)?.then_some(writer))) {
                Ok(Some(mut writer)) => {
                    prepare(&mut writer)?;
                    return Ok(Self::new(path, mmap_size, Access::Full, writer));
                }
                Err(error) if error.code() == Code::Busy => return Err(error),
                // The code below reports other errors.
                _ => {}
            }
        }
        match Self::open_with_access(path, mmap_size, timeout, Access::Full, &prepare) {
            Err(error) if error.code() == Code::Io && path.is_file() => {
                // An unreadable file is not merely read-only.
                if let Err(e) = File::open(path) {
                    return Err(Error::io(path, e));
                }
                let reason = error.to_string();
                // While another process has the file open for writing, its log can be read. Without
                // a log, the file is complete and can be opened as immutable.
                let access = Access::ReadOnly { immutable: false, reason: reason.clone() };
                match Self::open_with_access(path, mmap_size, timeout, access, &prepare) {
                    Err(error) if error.code() == Code::Io && log_length(path) > 0 => {
                        Err(interrupted_write(path))
                    }
                    Err(error) if error.code() == Code::Io => {
                        let access = Access::ReadOnly { immutable: true, reason };
                        Self::open_with_access(path, mmap_size, timeout, access, &prepare)
                    }
                    result => result,
                }
            }
            result => result,
        }
    }

    fn open_with_access(
        path: &Path,
        mmap_size: u32,
        timeout: Duration,
        access: Access,
        prepare: &impl Fn(&mut Connection) -> Result<()>,
    ) -> Result<Self> {
        // SQLite's locks cover neither the switch to WAL nor a whole migration.
        let _lock = match access {
            Access::Full => Some(lock_opening(path, timeout)?),
            Access::ReadOnly { .. } => None,
        };
        // SQLite copies the file's mode to the log, so the file must be private from the start.
        if matches!(access, Access::Full) && !path.exists() {
            // If this fails, SQLite reports why.
            drop(create_private(path));
        }
        // Each mapping counts as separate memory, and only readers benefit from one.
        let mut writer = connect_with_timeout(path, 0, &access, timeout)?;
        prepare(&mut writer)?;
        Ok(Self::new(path, mmap_size, access, writer))
    }

    fn new(path: &Path, mmap_size: u32, access: Access, writer: Connection) -> Self {
        let (writer, readers) = (Mutex::new(writer), Mutex::default());
        Self { path: path.to_owned(), mmap_size, access, writer, readers }
    }

    pub(crate) fn read_only_reason(&self) -> Option<&str> {
        match &self.access {
            Access::Full => None,
            Access::ReadOnly { reason, .. } => Some(reason),
        }
    }

    fn check_writable(&self) -> Result<()> {
        self.read_only_reason().map_or(Ok(()), |reason| {
            Err(Error::new(Code::Io, format!("cannot write to the casebook: {reason}")).with_hint(
                "Give your user write permission to the casebook folder, \
                 and free some space on its disk. \
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
            None => connect(&self.path, self.mmap_size, &self.access)?,
        };
        let result = {
            let transaction = connection.transaction()?;
            work(&transaction)
        };
        let mut readers = lock(&self.readers);
        if readers.len() < MAX_IDLE_READERS {
            readers.push(connection);
        }
        result
    }

    /// Frees the cached read connections, with their page caches and memory mappings.
    pub fn release_memory(&self) {
        // The connections are closed outside of the lock.
        drop(std::mem::take(&mut *lock(&self.readers)));
    }

    /// Opens a separate connection with the same access as this file.
    pub(crate) fn connection(&self) -> Result<Connection> {
        connect(&self.path, 0, &self.access)
    }

    /// Runs `work` on the write connection, outside of a transaction.
    pub(crate) fn with_writer<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T>,
    ) -> Result<T> {
        self.check_writable()?;
        work(&mut lock(&self.writer))
    }

    /// Changes the file in one transaction, which is rolled back on an error. A power failure may
    /// lose the last transactions.
    pub fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.check_writable()?;
        Self::change(&mut lock(&self.writer), work)
    }

    /// Works like [`SqliteFile::write`], but waits at most `timeout` for other writes.
    pub(crate) fn write_with_timeout<T>(
        &self,
        timeout: Duration,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.check_writable()?;
        let deadline = Instant::now() + timeout;
        let mut connection = loop {
            match self.writer.try_lock() {
                Ok(connection) => break connection,
                Err(TryMutexError::Poisoned(error)) => break error.into_inner(),
                Err(TryMutexError::WouldBlock) if Instant::now() < deadline => {
                    std::thread::sleep(RETRY_INTERVAL)
                }
                Err(TryMutexError::WouldBlock) => {
                    return Err(Error::new(
                        Code::Busy,
                        "this casebook is in use by another writer",
                    )
                    .with_hint("Wait until it has finished, then try again."));
                }
            }
        };
        connection.busy_timeout(deadline.saturating_duration_since(Instant::now()))?;
        let result = Self::change(&mut connection, work);
        connection.busy_timeout(BUSY_TIMEOUT)?;
        result
    }

    /// Moves the log's pages into the database and, unless a reader is active, empties the log, so
    /// that no file contains deleted data.
    pub(crate) fn empty_log(&self) -> Result<()> {
        self.with_writer(|connection| {
            connection.busy_timeout(Duration::from_millis(200))?;
            let result = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
            connection.busy_timeout(BUSY_TIMEOUT)?;
            Ok(result?)
        })
    }

    /// Works like [`SqliteFile::write`], but syncs this and all earlier changes to disk.
    pub(crate) fn write_durably<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T>,
    ) -> Result<T> {
        self.check_writable()?;
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

/// Returns the path of a companion file, such as a database's log, by appending to the name.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Locks `FILE.lock` until the returned lock is dropped; waits at most `timeout`.
fn lock_opening(path: &Path, timeout: Duration) -> Result<FileLock> {
    FileLock::acquire_within(&with_suffix(path, ".lock"), timeout)?.ok_or_else(|| {
        Error::new(Code::Busy, "another process has been opening this casebook for too long")
            .with_hint("Wait until it has finished, or end it, then try again.")
    })
}

/// Returns whether a database was switched to WAL mode.
/// <https://sqlite.org/fileformat.html#file_format_version_numbers>
fn is_in_wal_mode(path: &Path) -> bool {
    use std::io::Read as _;
    let mut header = [0; 20];
    File::open(path).is_ok_and(|mut file| file.read_exact(&mut header).is_ok())
        && header[18..20] == [2, 2]
}

fn log_length(path: &Path) -> u64 {
    std::fs::metadata(with_suffix(path, "-wal")).map_or(0, |m| m.len())
}

fn interrupted_write(path: &Path) -> Error {
    Error::new(Code::Io, format!("a write to {} was interrupted", path.display())).with_hint(
        "Give your user write permission to the casebook folder, \
         and free some space on its disk. \
         The casebook is then recovered when it is opened.",
    )
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic inside a transaction rolls it back, so the connection is still usable.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(path: &Path, mmap_size: u32, access: &Access) -> Result<Connection> {
    connect_with_timeout(path, mmap_size, access, BUSY_TIMEOUT)
}

/// Works like [`connect`], but waits at most `timeout` for other processes' locks.
fn connect_with_timeout(
    path: &Path,
    mmap_size: u32,
    access: &Access,
    timeout: Duration,
) -> Result<Connection> {
    let open = || -> rusqlite::Result<Connection> {
        let connection = match access {
            Access::Full => Connection::open_with_flags(
                path,
                OpenFlags::SQLITE_OPEN_READ_WRITE
                    | OpenFlags::SQLITE_OPEN_CREATE
                    | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )?,
            Access::ReadOnly { immutable, .. } => {
                // https://sqlite.org/uri.html
                let path =
                    url::form_urlencoded::byte_serialize(path.as_os_str().as_encoded_bytes());
                let path = path.collect::<String>().replace('+', "%20");
                let query = if *immutable { "mode=ro&immutable=1" } else { "mode=ro" };
                Connection::open_with_flags(
                    format!("file:{path}?{query}"),
                    OpenFlags::SQLITE_OPEN_READ_ONLY
                        | OpenFlags::SQLITE_OPEN_URI
                        | OpenFlags::SQLITE_OPEN_NO_MUTEX,
                )?
            }
        };
        connection.busy_timeout(timeout)?;
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
        // SQLite opens the file only when it is first read.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        connection.pragma_update(None, "mmap_size", mmap_size)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        Ok(connection)
    };
    open().map_err(|e| Error::from(e).context(path.display()))
}

/// Converts a path into a value for SQLite, even if it is not valid UTF-8.
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

/// Creates an empty file that only this user can read; SQLite writes into it later.
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
        let file = SqliteFile::open(&path, 0, BUSY_TIMEOUT, |_| Ok(false), |_| Ok(())).unwrap();
        file.write(|c| Ok(c.execute_batch("CREATE TABLE one (a)")?)).unwrap();
        for suffix in ["", "-wal", "-shm"] {
            let mode = std::fs::metadata(with_suffix(&path, suffix)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{suffix}");
        }
    }

    /// Depends on a setting in `.cargo/config.toml`.
    #[test]
    fn readers_share_no_allocator_lock() {
        let connection = Connection::open_in_memory().unwrap();
        let mut statement = connection.prepare("PRAGMA compile_options").unwrap();
        let options = statement.query_map([], |r| r.get::<_, String>(0)).unwrap();
        let options: Vec<String> = options.collect::<rusqlite::Result<_>>().unwrap();
        assert!(!options.iter().any(|o| o == "ENABLE_MEMORY_MANAGEMENT"), "{options:?}");
        assert!(options.iter().any(|o| o == "DEFAULT_MEMSTATUS=0"), "{options:?}");
    }
}
