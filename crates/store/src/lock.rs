//! Locks between processes, which the system releases when a process ends for any reason.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
};

use precedent_core::error::{Error, Result};

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct FileLock {
    file: File,
}

impl Drop for FileLock {
    /// Unlocks explicitly, because a child process shares the open file until it executes its
    /// program.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl FileLock {
    /// Acquires the lock with this name in a casebook's folder; `None` if another process holds it.
    pub fn try_acquire(folder: &Path, name: &str) -> Result<Option<Self>> {
        let path = folder.join(name);
        let file = open(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(Error::io(&path, e)),
        }
    }
}

/// Opens a lock file, creating it for this user only, because anyone who can open it can lock it.
pub(crate) fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|e| Error::io(path, e))
}
