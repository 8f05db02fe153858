//! One sync of a source at a time. The lock dies with its process.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
    time::Duration,
};

use crate::error::{Error, Result};

/// Whoever only looks at a lock holds it for a moment; a sync that meets one looks again, so many times.
const LOOKS: u32 = 5;
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Held while a source is being synced.
#[derive(Debug)]
pub(super) struct SyncLock {
    _file: File,
}

impl SyncLock {
    /// Takes the lock of the source with this row id; `None` if a sync has it.
    pub(super) async fn take(folder: &Path, source: i64) -> Result<Option<Self>> {
        for _ in 1..LOOKS {
            if let Some(lock) = Self::try_take(folder, source)? {
                return Ok(Some(lock));
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        Self::try_take(folder, source)
    }

    fn try_take(folder: &Path, source: i64) -> Result<Option<Self>> {
        let path = folder.join(format!("sync-{source}.lock"));
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

    /// Whether someone has the lock of this source.
    pub(super) fn is_taken(folder: &Path, source: i64) -> bool {
        folder.join(format!("sync-{source}.lock")).exists()
            && matches!(Self::try_take(folder, source), Ok(None))
    }
}
