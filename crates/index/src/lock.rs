//! One process at a time updates each kind of derived data of a casebook. A lock dies with its process.

use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use precedent_core::{error::Result, task::Task};
use precedent_store::{FileLock, Store, Writer};

/// How long a search waits for another process's write before it answers from what there is.
const WRITE_PATIENCE: Duration = Duration::from_millis(300);
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

/// Held while derived data is being updated: until the last clone is dropped.
#[derive(Clone, Debug)]
pub(crate) struct UpdateLock {
    _lock: Arc<FileLock>,
}

impl UpdateLock {
    /// Takes the lock; `None` if another process has it.
    pub(crate) fn try_take(folder: &Path, kind: Kind) -> Result<Option<Self>> {
        let name = match kind {
            Kind::Text => "text.lock",
            Kind::Vectors => "vectors.lock",
        };
        Ok(FileLock::try_take(folder, name)?.map(|lock| Self { _lock: Arc::new(lock) }))
    }

    /// Takes the lock, waiting for whoever has it so long; `None` if that is not enough.
    pub(crate) fn take_within(folder: &Path, kind: Kind, patience: Duration) -> Result<Option<Self>> {
        let began = Instant::now();
        loop {
            let lock = Self::try_take(folder, kind)?;
            if lock.is_some() || began.elapsed() >= patience {
                return Ok(lock);
            }
            std::thread::sleep(LOOK_AGAIN);
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

/// Writes; what must be done `soon` waits for others' writes but a moment.
pub(crate) fn write(store: &Store, soon: bool, work: impl FnOnce(&Writer<'_>) -> Result<()>) -> Result<()> {
    if soon { store.write_within(WRITE_PATIENCE, work) } else { store.write(work) }
}
