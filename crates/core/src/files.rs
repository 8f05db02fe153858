//! Atomic file writes: a file appears completely or not at all, and replaces another only on
//! request.
//!
//! A file is written in a temporary folder beside its target: `.precedent-….part`. The writer holds
//! a lock in the folder. The next writer removes the folders of killed processes, which it
//! recognizes by their name, owner and free lock.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tempfile::{TempDir, TempPath};

use crate::error::{Error, Result};

const PREFIX: &str = ".precedent-";
const SUFFIX: &str = ".part";
/// The number of random characters between the prefix and the suffix.
const RANDOM_CHARACTERS: usize = 12;
const LOCK: &str = "lock";
/// The maximum number of attempts to create a folder, since another process may remove it.
const MAX_ATTEMPTS: usize = 5;

/// A temporary folder for writing files, readable only by this user and removed on drop.
#[derive(Debug)]
pub struct StagingFolder {
    // Dropped before the folder, because some systems cannot remove an open file.
    _lock: File,
    folder: TempDir,
}

impl StagingFolder {
    /// Creates a temporary folder beside a target file.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] if the target's folder does not exist, [`crate::Code::Io`] if it
    /// is not writable.
    pub fn create_beside(target: &Path) -> Result<Self> {
        let folder =
            target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::create_in(folder)
    }

    /// Creates a temporary folder in `folder`.
    pub fn create_in(folder: &Path) -> Result<Self> {
        remove_leftovers(folder);
        let to_error = |e| Error::io(folder, e);
        for _ in 0..MAX_ATTEMPTS {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(RANDOM_CHARACTERS);
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
            let temp_dir = builder.tempdir_in(folder).map_err(to_error)?;
            match lock(&temp_dir.path().join(LOCK)) {
                Ok(lock) => return Ok(Self { _lock: lock, folder: temp_dir }),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(to_error(e)),
            }
        }
        Err(to_error(io::Error::from(io::ErrorKind::NotFound)))
    }

    /// Returns the path of a file in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Moves a file from the folder to its target, replacing an existing file only if `replace` is
    /// set.
    ///
    /// # Errors
    /// [`crate::Code::InvalidInput`] if the target exists and is to be kept, [`crate::Code::Io`] if
    /// it cannot be written.
    pub fn put(&self, source: &Path, target: &Path, replace: bool) -> Result<()> {
        if replace {
            fs::rename(source, target).map_err(|e| Error::io(target, e))
        } else if rename_to_unused(source, target)? {
            Ok(())
        } else {
            Err(exists_error(target))
        }
    }
}

/// Creates and locks the lock file of a folder. Fails with `NotFound` if another process removed
/// the folder.
fn lock(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    match file.lock() {
        // Without lock support, no process removes the folder, because it may be in use.
        Err(e) if e.kind() != io::ErrorKind::Unsupported => return Err(e),
        _ => {}
    }
    fs::metadata(path)?;
    Ok(file)
}

/// Removes the folders of this user's killed processes. Ignores failures, because leftovers are
/// harmless.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_leftover = name
            .to_str()
            .and_then(|n| n.strip_prefix(PREFIX)?.strip_suffix(SUFFIX))
            .is_some_and(|random| {
                random.len() == RANDOM_CHARACTERS
                    && random.bytes().all(|b| b.is_ascii_alphanumeric())
            });
        let path = entry.path();
        if !is_leftover
            || !fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir() && is_owned_by_user(&m))
        {
            continue;
        }
        match OpenOptions::new().write(true).open(path.join(LOCK)) {
            Ok(lock) if lock.try_lock().is_ok() => {
                let result = fs::remove_dir_all(&path);
                drop(lock);
                // Some systems keep a folder while a file in it is open.
                if result.is_err() {
                    drop(fs::remove_dir_all(&path));
                }
            }
            // A process killed before it created its lock leaves an empty folder; others stay.
            Err(e) if e.kind() == io::ErrorKind::NotFound => drop(fs::remove_dir(&path)),
            _ => {}
        }
    }
}

#[cfg(unix)]
fn is_owned_by_user(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_owned_by_user(_: &fs::Metadata) -> bool {
    true
}

/// Creates a folder and its missing parents, accessible only to this user. An existing folder is
/// left unchanged.
pub fn create_private_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| Error::io(folder, e))
}

/// Renames a file to an unused name; returns `false` if the name is taken.
pub fn rename_to_unused(from: &Path, to: &Path) -> Result<bool> {
    let result =
        TempPath::try_from_path(from).map_err(|e| Error::io(from, e))?.persist_noclobber(to);
    match result {
        Ok(()) => Ok(true),
        Err(persist_error) => {
            // `TempPath` removes the file on drop otherwise.
            let path = persist_error.path.keep();
            if persist_error.error.kind() == io::ErrorKind::AlreadyExists {
                path.map_err(|e| Error::io(from, e.error))?;
                return Ok(false);
            }
            Err(Error::io(to, persist_error.error))
        }
    }
}

/// Writes a new file. Fails with [`crate::Code::InvalidInput`] if it exists.
pub fn create(target: &Path, bytes: &[u8]) -> Result<()> {
    if fs::symlink_metadata(target).is_ok() {
        return Err(exists_error(target));
    }
    write(target, bytes, false, Readers::All)
}

/// Writes a file, replacing an existing one. Writes directly to a pipe or device.
pub fn replace(target: &Path, bytes: &[u8]) -> Result<()> {
    replace_for(target, bytes, Readers::All)
}

/// Works like [`replace`], but makes the file readable only by this user.
pub fn replace_private(target: &Path, bytes: &[u8]) -> Result<()> {
    replace_for(target, bytes, Readers::Owner)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    /// All users whom the old file's permissions or the system's defaults allow.
    All,
    /// This user only.
    Owner,
}

fn replace_for(target: &Path, bytes: &[u8], readers: Readers) -> Result<()> {
    // A symbolic link is kept; its target is replaced.
    let real_path = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
    if real_path.exists() && !real_path.is_file() {
        let file = OpenOptions::new().write(true).open(&real_path);
        return file.and_then(|mut f| f.write_all(bytes)).map_err(|e| Error::io(target, e));
    }
    write(&real_path, bytes, true, readers)
}

fn write(target: &Path, bytes: &[u8], replace: bool, readers: Readers) -> Result<()> {
    let folder = StagingFolder::create_beside(target)?;
    let source = folder.path("file");
    let write_all = || -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if readers == Readers::Owner {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut file = options.open(&source)?;
        file.write_all(bytes)?;
        if readers == Readers::All
            && let Ok(metadata) = fs::metadata(target)
        {
            file.set_permissions(metadata.permissions())?;
        }
        file.sync_all()
    };
    write_all().map_err(|e| Error::io(target, e))?;
    folder.put(&source, target, replace)
}

/// Returns the error for a file that already exists.
pub fn exists_error(file: &Path) -> Error {
    Error::invalid(format!("{} already exists", file.display()))
        .with_hint("Choose another name, or overwrite it.")
        .with_command(None, "--force")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn create_never_overwrites() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.md");
        create(&target, b"first, and longer").unwrap();
        assert_eq!(create(&target, b"second").unwrap_err().code(), Code::InvalidInput);
        // A file created between the check and the write is not replaced either.
        let staging = StagingFolder::create_beside(&target).unwrap();
        fs::write(staging.path("x"), "third").unwrap();
        assert!(staging.put(&staging.path("x"), &target, false).is_err());
        assert_eq!(fs::read(&target).unwrap(), b"first, and longer");
        drop(staging);
        replace(&target, b"second").unwrap();
        assert_eq!(
            (fs::read(&target).unwrap(), names(folder.path())),
            (b"second".to_vec(), vec!["a.md".to_owned()])
        );
        assert_eq!(
            create(&folder.path().join("no/b.md"), b"x").unwrap_err().code(),
            Code::NotFound
        );
    }

    #[test]
    fn only_leftovers_of_killed_processes_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let active = StagingFolder::create_in(folder.path()).unwrap();
        fs::write(active.path("half"), "half").unwrap();
        let leftover = folder.path().join(".precedent-abcdefABCDEF.part");
        fs::create_dir(&leftover).unwrap();
        fs::write(leftover.join(LOCK), "").unwrap();
        fs::write(leftover.join("casebook.db"), "half").unwrap();
        let empty = folder.path().join(".precedent-abcdefABCDE1.part");
        fs::create_dir(&empty).unwrap();
        // Not leftovers: another name, a regular file, a folder without a lock.
        let foreign =
            [".precedent-short.part", ".precedent-abcdefABCDE2.part", "out.casebook.part.db"];
        fs::create_dir(folder.path().join(foreign[0])).unwrap();
        fs::create_dir(folder.path().join(foreign[1])).unwrap();
        fs::write(folder.path().join(foreign[1]).join("mine"), "mine").unwrap();
        fs::write(folder.path().join(foreign[2]), "mine").unwrap();
        create(&folder.path().join("new"), b"x").unwrap();
        assert!(!leftover.exists() && !empty.exists());
        assert!(
            foreign.iter().all(|name| folder.path().join(name).exists()),
            "{:?}",
            names(folder.path())
        );
        assert_eq!(fs::read(active.path("half")).unwrap(), b"half", "a folder in use stays");
    }

    #[test]
    fn rename_never_replaces_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&from, "a").unwrap();
        fs::write(&to, "b").unwrap();
        assert!(!rename_to_unused(&from, &to).unwrap());
        assert_eq!(
            (fs::read(&from).unwrap(), fs::read(&to).unwrap()),
            (b"a".to_vec(), b"b".to_vec())
        );
        fs::remove_file(&to).unwrap();
        assert!(rename_to_unused(&from, &to).unwrap() && !from.exists());
    }

    #[cfg(unix)]
    #[test]
    fn replace_preserves_links_devices_and_modes() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        replace(Path::new("/dev/null"), b"new").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
