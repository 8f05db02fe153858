//! Locks between processes, which the system releases when a process ends for any reason.

use std::{
    fs::{File, OpenOptions, TryLockError},
    path::Path,
    time::{Duration, Instant},
};

use precedent_core::error::{Error, Result};

/// The interval at which a lock held by another process is retried.
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

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
        Self::acquire_within(&folder.join(name), Duration::ZERO)
    }

    /// Acquires the lock in this file; `None` if another process holds it for longer than `timeout`.
    pub fn acquire_within(path: &Path, timeout: Duration) -> Result<Option<Self>> {
        // The file is for this user only, because anyone who can open it can lock it.
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).map_err(|e| Error::io(path, e))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { file })),
                Err(TryLockError::WouldBlock) if start.elapsed() < timeout => {
                    std::thread::sleep(RETRY_INTERVAL);
                }
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(e)) => return Err(Error::io(path, e)),
            }
        }
    }
}
