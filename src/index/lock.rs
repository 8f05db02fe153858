//! One process at a time updates a casebook's derived data. The lock dies with its process.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
};

use crate::error::{Error, Result};

/// Held while derived data is being updated.
#[derive(Debug)]
pub(crate) struct UpdateLock {
    _file: File,
}

impl UpdateLock {
    /// Takes the lock; `None` if another process has it.
    pub(crate) fn try_take(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join("index.lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|e| Error::io(&path, e))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self { _file: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(Error::io(&path, e)),
        }
    }
}
