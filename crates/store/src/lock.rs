//! Locks between processes: files that are held, and let go when their process ends, however it ends.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
};

use precedent_core::error::{Error, Result};

/// Held until it is dropped.
#[derive(Debug)]
pub struct FileLock {
    file: File,
}

impl Drop for FileLock {
    /// Closing the file is not enough: a process that is being started shares it until it has become another program.
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl FileLock {
    /// Takes the lock of this name in a casebook's folder; `None` if someone has it.
    pub fn try_take(folder: &Path, name: &str) -> Result<Option<Self>> {
        let path = folder.join(name);
        let file = open(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(Error::io(&path, e)),
        }
    }
}

/// Opens the file of a lock, and makes it for this user alone where it is missing: who may open it may hold it.
pub(crate) fn open(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map_err(|e| Error::io(path, e))
}
