//! Files that appear whole or not at all, and never in the place of another one unless that is wanted.
//!
//! What is being made lies in a folder of its own beside its target, on the same disk: `.precedent-….part`. The folder holds
//! a lock as long as its maker lives. One that a killed process left is removed by the next one that writes there, which
//! knows it by its name, its owner and its lock, that nobody holds.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use tempfile::{TempDir, TempPath};

use crate::error::{Error, Result};

const PREFIX: &str = ".precedent-";
const SUFFIX: &str = ".part";
/// Characters of the name between them, by chance.
const CHANCE: usize = 12;
const LOCK: &str = "lock";
/// How often a folder is made anew that someone took for a leftover.
const TRIES: usize = 5;

/// What happens to a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    Keep,
    /// It is replaced, once the new one is whole.
    Replace,
}

impl Existing {
    /// What `--force` says.
    pub fn replaced_if(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// A folder of our own, readable by this user alone, in which files are made; gone with everything in it when this is dropped.
#[derive(Debug)]
pub struct Workplace {
    // Let go before the folder is removed: some systems remove no file that is open.
    _lock: File,
    folder: TempDir,
}

impl Workplace {
    /// Makes a folder beside a file that is to be.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] if the file's folder does not exist, [`crate::Code::Io`] if it cannot be written.
    pub fn beside(target: &Path) -> Result<Self> {
        let folder = target.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self::within(folder)
    }

    /// Makes a folder in this one.
    ///
    /// # Errors
    /// As [`Workplace::beside`].
    pub fn within(folder: &Path) -> Result<Self> {
        remove_leftovers(folder);
        let failed = |e| Error::io(folder, e);
        for _ in 0..TRIES {
            let mut builder = tempfile::Builder::new();
            builder.prefix(PREFIX).suffix(SUFFIX).rand_bytes(CHANCE);
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
            let made = builder.tempdir_in(folder).map_err(failed)?;
            match lock(&made.path().join(LOCK)) {
                Ok(lock) => return Ok(Self { _lock: lock, folder: made }),
                Err(e) if e.kind() == io::ErrorKind::NotFound => {}
                Err(e) => return Err(failed(e)),
            }
        }
        Err(failed(io::Error::from(io::ErrorKind::NotFound)))
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Moves a file of it to where it is to be.
    ///
    /// # Errors
    /// [`crate::Code::InvalidInput`] if a file is there already and is to stay, [`crate::Code::Io`].
    pub fn put(&self, made: &Path, target: &Path, existing: Existing) -> Result<()> {
        match existing {
            Existing::Replace => fs::rename(made, target).map_err(|e| Error::io(target, e)),
            Existing::Keep if move_to(made, target)? => Ok(()),
            Existing::Keep => Err(is_there(target)),
        }
    }
}

/// Makes the lock of a folder and holds it. Whoever looks for leftovers may have been quicker: then it is gone.
fn lock(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    match file.lock() {
        // Without locks nobody can tell whether it is used, and nobody removes it.
        Err(e) if e.kind() != io::ErrorKind::Unsupported => return Err(e),
        _ => {}
    }
    fs::metadata(path)?;
    Ok(file)
}

/// Removes what killed processes of this user left in a folder. What cannot be removed stays: it is in nobody's way.
fn remove_leftovers(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let ours =
            name.to_str().and_then(|n| n.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)).is_some_and(|chance| {
                chance.len() == CHANCE && chance.chars().all(|c| c.is_ascii_alphanumeric())
            });
        let path = entry.path();
        if !ours || !fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir() && is_mine(&m)) {
            continue;
        }
        match OpenOptions::new().write(true).open(path.join(LOCK)) {
            Ok(lock) if lock.try_lock().is_ok() => {
                let removed = fs::remove_dir_all(&path);
                drop(lock);
                // Some systems keep a folder while a file in it is open.
                if removed.is_err() {
                    drop(fs::remove_dir_all(&path));
                }
            }
            // Killed before it had a lock: empty, or somebody's.
            Err(e) if e.kind() == io::ErrorKind::NotFound => drop(fs::remove_dir(&path)),
            _ => {}
        }
    }
}

#[cfg(unix)]
fn is_mine(metadata: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::uid(metadata) == rustix::process::geteuid().as_raw()
}

#[cfg(not(unix))]
fn is_mine(_: &fs::Metadata) -> bool {
    true
}

/// Makes a folder and those above it that are missing, for this user alone. One that is there already stays as it is.
///
/// # Errors
/// [`crate::Code::Io`].
pub fn private_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| Error::io(folder, e))
}

/// Moves a file to a name that nothing has; whether it did.
fn move_to(from: &Path, to: &Path) -> Result<bool> {
    let moved = TempPath::try_from_path(from).map_err(|e| Error::io(from, e))?.persist_noclobber(to);
    match moved {
        Ok(()) => Ok(true),
        Err(failed) => {
            // It would be removed otherwise.
            let kept = failed.path.keep();
            if failed.error.kind() == io::ErrorKind::AlreadyExists {
                kept.map_err(|e| Error::io(from, e.error))?;
                return Ok(false);
            }
            Err(Error::io(to, failed.error))
        }
    }
}

/// Gives a file another name beside it, if nothing has that name; whether it did.
///
/// # Errors
/// [`crate::Code::Io`], [`crate::Code::NotFound`] if the file does not exist.
pub fn set_aside(from: &Path, to: &Path) -> Result<bool> {
    move_to(from, to)
}

/// Writes a new file; nothing is written if it is there already.
///
/// # Errors
/// [`crate::Code::InvalidInput`] if it is there, and as [`Workplace::beside`].
pub fn create(target: &Path, bytes: &[u8]) -> Result<()> {
    if fs::symlink_metadata(target).is_ok() {
        return Err(is_there(target));
    }
    write(target, bytes, Existing::Keep, Readers::All)
}

/// Writes a file, in the place of one that may be there. What is no file (a pipe, a device) is written into.
///
/// # Errors
/// As [`Workplace::beside`].
pub fn replace(target: &Path, bytes: &[u8]) -> Result<()> {
    replace_as(target, bytes, Readers::All)
}

/// As [`replace`]; the file is readable by this user alone, whatever one that was there was.
///
/// # Errors
/// As [`Workplace::beside`].
pub fn replace_private(target: &Path, bytes: &[u8]) -> Result<()> {
    replace_as(target, bytes, Readers::Owner)
}

/// Who may read a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readers {
    /// Whoever the system lets, or could read the one that was there.
    All,
    /// This user.
    Owner,
}

fn replace_as(target: &Path, bytes: &[u8], readers: Readers) -> Result<()> {
    // A link stays one, and leads to the new file.
    let real = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
    if real.exists() && !real.is_file() {
        let file = OpenOptions::new().write(true).open(&real);
        return file.and_then(|mut f| f.write_all(bytes)).map_err(|e| Error::io(target, e));
    }
    write(&real, bytes, Existing::Replace, readers)
}

fn write(target: &Path, bytes: &[u8], existing: Existing, readers: Readers) -> Result<()> {
    let place = Workplace::beside(target)?;
    let made = place.path("file");
    let whole = || -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if readers == Readers::Owner {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        let mut file = options.open(&made)?;
        file.write_all(bytes)?;
        if readers == Readers::All
            && let Ok(old) = fs::metadata(target)
        {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()
    };
    whole().map_err(|e| Error::io(target, e))?;
    place.put(&made, target, existing)
}

/// A file that is there already.
pub fn is_there(file: &Path) -> Error {
    Error::invalid(format!("{} already exists", file.display()))
        .with_hint("Choose another name, or use --force to overwrite it.")
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
    fn a_file_is_written_whole_and_never_over_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.md");
        create(&target, b"first, and longer").unwrap();
        assert_eq!(create(&target, b"second").unwrap_err().code(), Code::InvalidInput);
        // One that came after the look is not replaced either.
        let place = Workplace::beside(&target).unwrap();
        fs::write(place.path("x"), "third").unwrap();
        assert!(place.put(&place.path("x"), &target, Existing::Keep).is_err());
        assert_eq!(fs::read(&target).unwrap(), b"first, and longer");
        drop(place);
        replace(&target, b"second").unwrap();
        assert_eq!(
            (fs::read(&target).unwrap(), names(folder.path())),
            (b"second".to_vec(), vec!["a.md".to_owned()])
        );
        assert_eq!(create(&folder.path().join("no/b.md"), b"x").unwrap_err().code(), Code::NotFound);
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let used = Workplace::within(folder.path()).unwrap();
        fs::write(used.path("half"), "half").unwrap();
        let left = folder.path().join(".precedent-abcdefABCDEF.part");
        fs::create_dir(&left).unwrap();
        fs::write(left.join(LOCK), "").unwrap();
        fs::write(left.join("casebook.db"), "half").unwrap();
        let empty = folder.path().join(".precedent-abcdefABCDE1.part");
        fs::create_dir(&empty).unwrap();
        // Not ours: another name, a file, a folder of somebody's without a lock.
        let others = [".precedent-short.part", ".precedent-abcdefABCDE2.part", "out.casebook.part.db"];
        fs::create_dir(folder.path().join(others[0])).unwrap();
        fs::create_dir(folder.path().join(others[1])).unwrap();
        fs::write(folder.path().join(others[1]).join("mine"), "mine").unwrap();
        fs::write(folder.path().join(others[2]), "mine").unwrap();
        create(&folder.path().join("new"), b"x").unwrap();
        assert!(!left.exists() && !empty.exists());
        assert!(others.iter().all(|name| folder.path().join(name).exists()), "{:?}", names(folder.path()));
        assert_eq!(fs::read(used.path("half")).unwrap(), b"half", "what is used stays");
    }

    #[test]
    fn a_file_is_set_aside_under_a_free_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&from, "a").unwrap();
        fs::write(&to, "b").unwrap();
        assert!(!set_aside(&from, &to).unwrap());
        assert_eq!((fs::read(&from).unwrap(), fs::read(&to).unwrap()), (b"a".to_vec(), b"b".to_vec()));
        fs::remove_file(&to).unwrap();
        assert!(set_aside(&from, &to).unwrap() && !from.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_devices_and_modes_stay_what_they_are() {
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
