//! An index directory whose locks differ from tantivy's: none for a read-only folder, and a bounded
//! wait elsewhere.

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

/// The maximum wait for a lock. It is held while files are opened or collected; a suspended process
/// keeps it.
const MAX_WAIT: Duration = Duration::from_millis(300);
const RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// An [`MmapDirectory`] with other locks on the files that are being opened.
#[derive(Clone, Debug)]
pub(super) struct BoundedLockDirectory {
    pub(super) inner: MmapDirectory,
    /// True for no locks, because tantivy would create a file for each.
    pub(super) read_only: bool,
}

impl Directory for BoundedLockDirectory {
    fn get_file_handle(&self, path: &Path) -> Result<Arc<dyn FileHandle>, OpenReadError> {
        self.inner.get_file_handle(path)
    }

    fn delete(&self, path: &Path) -> Result<(), DeleteError> {
        self.inner.delete(path)
    }

    fn exists(&self, path: &Path) -> Result<bool, OpenReadError> {
        self.inner.exists(path)
    }

    fn open_write(&self, path: &Path) -> Result<WritePtr, OpenWriteError> {
        self.inner.open_write(path)
    }

    fn atomic_read(&self, path: &Path) -> Result<Vec<u8>, OpenReadError> {
        self.inner.atomic_read(path)
    }

    fn atomic_write(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        self.inner.atomic_write(path, data)
    }

    fn sync_directory(&self) -> io::Result<()> {
        self.inner.sync_directory()
    }

    fn acquire_lock(&self, lock: &Lock) -> Result<DirectoryLock, LockError> {
        if self.read_only {
            return Ok(DirectoryLock::from(Box::new(())));
        }
        let nonblocking_lock = Lock { filepath: lock.filepath.clone(), is_blocking: false };
        let start = Instant::now();
        loop {
            match self.inner.acquire_lock(&nonblocking_lock) {
                Err(LockError::LockBusy) if lock.is_blocking && start.elapsed() < MAX_WAIT => {
                    std::thread::sleep(RETRY_INTERVAL);
                }
                result => return result,
            }
        }
    }

    fn watch(&self, callback: WatchCallback) -> tantivy::Result<WatchHandle> {
        self.inner.watch(callback)
    }
}
