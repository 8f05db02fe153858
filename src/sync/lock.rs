//! One sync of a source at a time. The lock dies with its process.

use std::{path::Path, time::Duration};

use crate::{error::Result, store::FileLock};

/// Whoever only looks at a lock holds it for a moment; a sync that meets one looks again, so many times.
const LOOKS: u32 = 5;
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Held while a source is being synced.
#[derive(Debug)]
pub(super) struct SyncLock {
    _lock: FileLock,
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
        Ok(FileLock::try_take(folder, &name(source))?.map(|lock| Self { _lock: lock }))
    }

    /// Whether someone has the lock of this source.
    pub(super) fn is_taken(folder: &Path, source: i64) -> bool {
        folder.join(name(source)).exists() && matches!(Self::try_take(folder, source), Ok(None))
    }
}

fn name(source: i64) -> String {
    format!("sync-{source}.lock")
}

/// The names of the locks of all syncs that there ever were in this folder.
pub fn locks(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|e| e.file_name().into_string().ok());
    let is_lock = |n: &String| {
        n.strip_prefix("sync-")
            .and_then(|n| n.strip_suffix(".lock"))
            .is_some_and(|n| n.parse::<i64>().is_ok())
    };
    let mut locks: Vec<String> = names.filter(is_lock).collect();
    locks.sort();
    locks
}
