//! The files of an index, with locks that differ from tantivy's: none for a read-only folder, and a
//! bounded wait elsewhere.

use std::{
    io,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use tantivy::{
    Directory,
    directory::{
        DirectoryLock, FileHandle, Lock, MmapDirectory, WatchCallback, WatchHandle, WritePtr,
        error::{DeleteError, LockError, OpenReadError, OpenWriteError},
    },
};

/// The maximum wait for a lock. It is held while files are opened or collected; a stopped process
/// keeps it.
const PATIENCE: Duration = Duration::from_millis(300);
/// The interval at which a waiting process tries again.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// The locking that protects files from collection while they are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LockMode {
    /// No lock, because tantivy would create a file for it.
    Off,
    /// A lock with a bounded wait.
    Bounded,
}

/// A directory that reads and writes as [`MmapDirectory`] does.
#[derive(Clone, Debug)]
pub(super) struct Files {
    pub(super) files: MmapDirectory,
    pub(super) lock_mode: LockMode,
}

impl Directory for Files {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.files.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.files.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.files.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.files.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.files.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.files.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.files.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        if self.lock_mode == LockMode::Off {
            return Ok(DirectoryLock::from(Box::new(())));
        }
        let at_once = Lock { filepath: lock.filepath.clone(), is_blocking: false };
        let began = Instant::now();
        loop {
            match self.files.acquire_lock(&at_once) {
                Err(LockError::LockBusy) if lock.is_blocking && began.elapsed() < PATIENCE => {
                    std::thread::sleep(LOOK_AGAIN);
                }
                result => return result,
            }
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.files.watch(callback)
    }
}
