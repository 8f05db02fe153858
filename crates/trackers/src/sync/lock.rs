//! The lock that allows one sync per source. The operating system releases it with its process.

use std::{path::Path, time::Duration};

use precedent_core::error::{Code, Error, Result};
use precedent_store::{FileLock, SourceRow};

/// The number of attempts to take a lock, because checking a lock holds it briefly.
const MAX_ATTEMPTS: u32 = 5;
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// A lock that is held during the sync of a source.
#[derive(Debug)]
pub struct SyncLock {
    _lock: FileLock,
}

impl SyncLock {
    /// Takes the lock of the source with this row id; `None` if another sync holds it.
    pub(super) async fn take(folder: &Path, source: i64) -> Result<Option<Self>> {
        for _ in 1..MAX_ATTEMPTS {
            if let Some(lock) = Self::try_take(folder, source)? {
                return Ok(Some(lock));
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
        Self::try_take(folder, source)
    }

    /// Takes the locks of sources so that none is synced in the meantime.
    ///
    /// # Errors
    /// [`Code::Busy`] if one is being synced.
    pub fn take_all(folder: &Path, sources: &[SourceRow]) -> Result<Vec<Self>> {
        let take = |source: &SourceRow| {
            Self::try_take(folder, source.id)?.ok_or_else(|| {
                Error::new(Code::Busy, format!("{} is already being synced", source.key))
                    .with_hint("Wait until it has finished, then try again.")
            })
        };
        sources.iter().map(take).collect()
    }

    fn try_take(folder: &Path, source: i64) -> Result<Option<Self>> {
        Ok(FileLock::try_acquire(folder, &file_name(source))?.map(|lock| Self { _lock: lock }))
    }

    pub(super) fn is_taken(folder: &Path, source: i64) -> bool {
        folder.join(file_name(source)).exists()
            && matches!(Self::try_take(folder, source), Ok(None))
    }
}

fn file_name(source: i64) -> String {
    format!("sync-{source}.lock")
}
