//! Update locks: one process at a time updates each kind of derived data of a casebook. A lock ends
//! with its process.

use std::{path::Path, sync::Arc, time::Duration};

use precedent_core::{error::Result, task::Task};
use precedent_store::{FileLock, Store, Writer};

/// The maximum time that a search waits for another process to finish a write.
const WRITE_TIMEOUT: Duration = Duration::from_millis(300);
/// The interval at which [`UpdateLock::take`] checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// The lock file of the full text and the links.
pub(crate) const TEXT: &str = "text.lock";
/// The lock file of the vectors, which take longer than the text.
pub(crate) const VECTORS: &str = "vectors.lock";

/// A lock on derived data, held until the last clone is dropped.
#[derive(Clone, Debug)]
pub(crate) struct UpdateLock {
    _lock: Arc<FileLock>,
}

impl UpdateLock {
    /// Takes the lock; returns `None` if another process holds it.
    pub(crate) fn try_take(folder: &Path, name: &str) -> Result<Option<Self>> {
        Self::take_within(folder, name, Duration::ZERO)
    }

    /// Takes the lock, waiting for at most `timeout`; returns `None` if it is still held.
    pub(crate) fn take_within(
        folder: &Path,
        name: &str,
        timeout: Duration,
    ) -> Result<Option<Self>> {
        let lock = FileLock::acquire_within(&folder.join(name), timeout)?;
        Ok(lock.map(|lock| Self { _lock: Arc::new(lock) }))
    }

    /// Takes the lock, waiting for its holder.
    pub(crate) fn take(folder: &Path, name: &str, task: &Task) -> Result<Self> {
        loop {
            if let Some(lock) = Self::take_within(folder, name, POLL_INTERVAL)? {
                return Ok(lock);
            }
            task.check()?;
        }
    }
}

/// Writes to the store. `short_wait` limits the wait for other writers to [`WRITE_TIMEOUT`].
pub(crate) fn write(
    store: &Store,
    short_wait: bool,
    work: impl FnOnce(&Writer<'_>) -> Result<()>,
) -> Result<()> {
    if short_wait { store.write_with_timeout(WRITE_TIMEOUT, work) } else { store.write(work) }
}
