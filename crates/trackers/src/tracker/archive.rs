//! Migration archives of GitHub's: a tar with files of records, read through from one end to the other.

use std::{
    io::{self, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::import::{BOMB_FLOOR, MAX_RATIO, Records, damaged, unpack};
use precedent_core::error::{Error, Result};

/// The files in an archive whose names say that they hold items or comments.
const WANTED: &[&str] = &["issues_", "issue_comments_", "pull_requests_"];
/// The largest of them, in bytes; GitHub puts some hundred records into each.
const MAX_MEMBER: u64 = 256 * 1024 * 1024;

/// Whether this is a migration archive: files in a tar, packed or not.
pub fn is_archive(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    [".tar", ".tar.gz", ".tgz", ".tar.zst"].iter().any(|e| name.ends_with(e))
}

/// Reads the files of a migration archive that are of use, one after another; nothing of it is written anywhere.
/// `each` says whether to go on.
///
/// # Errors
/// [`precedent_core::Code::InvalidInput`] for an archive that is damaged or hostile; [`precedent_core::Code::NotFound`] if it holds none of them.
pub fn archive(path: &Path, mut each: impl FnMut(&str, Records) -> Result<bool>) -> Result<()> {
    let packed = Arc::new(AtomicU64::new(0));
    let guarded = Guarded { inner: unpack(path, &packed)?, packed: Arc::clone(&packed), unpacked: 0 };
    let mut tar = tar::Archive::new(guarded);
    let mut found = false;
    for entry in tar.entries().map_err(|e| damaged(path, &e))? {
        let mut entry = entry.map_err(|e| damaged(path, &e))?;
        let name = entry.path().map_err(|e| damaged(path, &e))?;
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !entry.header().entry_type().is_file()
            || !name.ends_with(".json")
            || !WANTED.iter().any(|w| name.starts_with(w))
        {
            continue;
        }
        if entry.size() > MAX_MEMBER {
            return Err(Error::invalid(format!("{}: {name} in it is larger than 256 MB", path.display()))
                .with_hint("Unpack the archive and import the folder."));
        }
        found = true;
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).map_err(|e| damaged(path, &e))?;
        if !each(&name, Records::of_bytes(path, bytes, Arc::clone(&packed)))? {
            return Ok(());
        }
    }
    if found {
        return Ok(());
    }
    Err(Error::not_found(format!("{}: nothing to import in this archive", path.display()))
        .with_hint("A migration archive of GitHub's holds issues_000001.json and the like."))
}

/// Ends with an error what grows too much when it is unpacked.
struct Guarded<R> {
    inner: R,
    packed: Arc<AtomicU64>,
    unpacked: u64,
}

impl<R: Read> Read for Guarded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.unpacked += n as u64;
        if self.unpacked > BOMB_FLOOR
            && self.unpacked / self.packed.load(Ordering::Relaxed).max(1) > MAX_RATIO
        {
            return Err(io::Error::other(format!("it unpacks to more than {MAX_RATIO} times its size")));
        }
        Ok(n)
    }
}
