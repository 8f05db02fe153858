//! Update locks: one process at a time updates each kind of derived data of a casebook. A lock ends
//! with its process.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use precedent_core::{error::Result, task::Task};
use precedent_store::{FileLock, Store, Writer};

/// The maximum time that a search waits for another process to finish a write.
const WRITE_TIMEOUT: Duration = Duration::from_millis(300);
const RETRY_INTERVAL: Duration = Duration::from_millis(25);

/// The kind of derived data. Vectors have their own lock, because they take longer than the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The full text and the links.
    Text,
    /// The vectors.
    Vectors,
}

/// A lock on derived data, held until the last clone is dropped.
#[derive(Clone, Debug)]
pub(crate) struct UpdateLock {
    _lock: Arc<FileLock>,
}

impl UpdateLock {
    /// Takes the lock; returns `None` if another process holds it.
    pub(crate) fn try_take(folder: &Path, kind: Kind) -> Result<Option<Self>> {
        let name = match kind {
            Kind::Text => "text.lock",
            Kind::Vectors => "vectors.lock",
        };
        Ok(FileLock::try_acquire(folder, name)?.map(|lock| Self { _lock: Arc::new(lock) }))
    }

    /// Takes the lock, waiting for at most `timeout`; returns `None` if it is still held.
    pub(crate) fn take_within(
        folder: &Path,
        kind: Kind,
        timeout: Duration,
    ) -> Result<Option<Self>> {
        let start = Instant::now();
        loop {
            let lock = Self::try_take(folder, kind)?;
            if lock.is_some() || start.elapsed() >= timeout {
                return Ok(lock);
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
    }

    /// Takes the lock, waiting for its holder.
    pub(crate) fn take(folder: &Path, kind: Kind, task: &Task) -> Result<Self> {
        loop {
            if let Some(lock) = Self::try_take(folder, kind)? {
                return Ok(lock);
            }
            task.check()?;
            std::thread::sleep(RETRY_INTERVAL);
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
