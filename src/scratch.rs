//! Files that are made aside and take their place when they are whole.
//!
//! A folder of its own beside the target, readable by this user alone and locked while it is in use. Nobody else's file is
//! touched, and what a killed process left is recognised by its name and its free lock, and removed by the next one.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::{TempDir, TempPath};

use crate::{
    error::{Error, Result},
    store::FileLock,
};

/// What the folders' names begin with.
const NAME: &str = ".precedent-part-";
/// The lock inside.
const LOCK: &str = "lock";

/// A folder for what is not whole yet; gone in the end.
#[derive(Debug)]
pub struct Scratch {
    // Let go before the folder is removed.
    _lock: Option<FileLock>,
    folder: TempDir,
}

impl Scratch {
    /// A folder beside the file that is to be made.
    ///
    /// # Errors
    /// [`crate::Code::Io`] if nothing can be made there, [`crate::Code::NotFound`] if there is no such folder.
    pub fn beside(file: &Path) -> Result<Self> {
        let parent = match file.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        Self::within(parent)
    }

    /// A folder below this one.
    ///
    /// # Errors
    /// As [`Scratch::beside`].
    pub fn within(parent: &Path) -> Result<Self> {
        remove_leftovers(parent);
        let mut builder = tempfile::Builder::new();
        builder.prefix(NAME);
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = builder.tempdir_in(parent).map_err(|e| Error::io(parent, e))?;
        let lock = FileLock::try_take(folder.path(), LOCK)?;
        Ok(Self { _lock: lock, folder })
    }

    /// Where a file of this name is made.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Puts a file that was made here in its place, in one step; one that is there already stays, unless it is to be replaced.
    ///
    /// # Errors
    /// [`crate::Code::InvalidInput`] if a file is there already, [`crate::Code::Io`].
    pub fn put(&self, name: &str, target: &Path, replace: bool) -> Result<()> {
        let made = TempPath::try_from_path(self.path(name)).map_err(|e| Error::io(target, e))?;
        let put = if replace { made.persist(target) } else { made.persist_noclobber(target) };
        put.map_err(|e| match e.error.kind() {
            std::io::ErrorKind::AlreadyExists => is_there(target),
            _ => Error::io(target, e.error),
        })
    }
}

/// A file that is there already.
pub(crate) fn is_there(file: &Path) -> Error {
    Error::invalid(format!("{} is there already", file.display()))
        .with_hint("Choose another name, or replace it with --force.")
}

/// Removes what killed processes left; what cannot be removed does no harm.
fn remove_leftovers(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        // One without a lock was made a moment ago, or is not ours.
        if entry.file_name().to_string_lossy().starts_with(NAME)
            && path.join(LOCK).is_file()
            && let Ok(Some(_free)) = FileLock::try_take(&path, LOCK)
        {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_stays_and_what_was_left_goes() {
        let parent = tempfile::tempdir().unwrap();
        let (file, mine) = (parent.path().join("out.db"), parent.path().join("out.db.part"));
        fs::write(&mine, "somebody's own").unwrap();
        let used = Scratch::beside(&file).unwrap();
        let left = parent.path().join(format!("{NAME}left"));
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        fs::write(left.join("half"), "half").unwrap();
        let other = Scratch::beside(&file).unwrap();
        assert!(used.path("").is_dir() && !left.exists() && mine.exists());
        for (scratch, text) in [(&used, "first"), (&other, "second")] {
            fs::write(scratch.path("made"), text).unwrap();
        }
        used.put("made", &file, false).unwrap();
        let error = other.put("made", &file, false).unwrap_err();
        assert!(error.to_string().contains("is there already"), "{error}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "first");
        fs::write(other.path("made"), "third").unwrap();
        other.put("made", &file, true).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "third");
        drop((used, other));
        let names: Vec<_> = fs::read_dir(parent.path()).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}
