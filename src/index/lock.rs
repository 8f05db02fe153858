//! One process at a time updates each kind of derived data of a casebook. A lock dies with its process.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
    time::Duration,
};

use crate::{
    error::{Error, Result},
    task::Task,
};

/// How often a waiting update looks again.
const LOOK_AGAIN: Duration = Duration::from_millis(25);

/// Which derived data is being updated. Vectors take long; the text must not have to wait for them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The full text and the links.
    Text,
    /// The vectors.
    Vectors,
}

/// Held while derived data is being updated.
#[derive(Debug)]
pub(crate) struct UpdateLock {
    _file: File,
}

impl UpdateLock {
    /// Takes the lock; `None` if another process has it.
    pub(crate) fn try_take(folder: &Path, kind: Kind) -> Result<Option<Self>> {
        let path = folder.join(match kind {
            Kind::Text => "text.lock",
            Kind::Vectors => "vectors.lock",
        });
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

    /// Takes the lock, waiting for whoever has it.
    pub(crate) fn take(folder: &Path, kind: Kind, task: &Task) -> Result<Self> {
        loop {
            if let Some(lock) = Self::try_take(folder, kind)? {
                return Ok(lock);
            }
            task.check()?;
            std::thread::sleep(LOOK_AGAIN);
        }
    }
}
