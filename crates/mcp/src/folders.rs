//! The folders from which an agent may read logs.

use std::path::{Path, PathBuf};

use precedent_core::{Error, Result};

/// The folders that the user allowed when starting the server; without any, no file can be read.
#[derive(Clone, Debug, Default)]
pub struct AllowedFolders(Vec<PathBuf>);

impl AllowedFolders {
    /// Resolves the allowed folders.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] if a path is not a folder.
    pub fn new(folders: &[PathBuf]) -> Result<Self> {
        let resolve = |folder: &PathBuf| {
            folder.canonicalize().ok().filter(|folder| folder.is_dir()).ok_or_else(|| {
                Error::invalid(format!("{} is not a folder", folder.display()))
                    .with_hint("--allow needs an existing folder.")
            })
        };
        Ok(Self(folders.iter().map(resolve).collect::<Result<_>>()?))
    }

    /// Returns the real path of a regular file or a folder below an allowed one.
    ///
    /// Links are resolved first, so that none leads outside. Other paths get the same error whether or
    /// not they exist.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] for any other path.
    pub fn resolve(&self, path: &str) -> Result<PathBuf> {
        if self.0.is_empty() {
            return Err(Error::invalid("this server is not allowed to read files")
                .with_hint("Pass the text of the log instead. A person can allow a folder.")
                .with_command(None, "precedent mcp --allow DIR"));
        }
        let real_path = Path::new(path).canonicalize().ok().filter(|real_path| {
            self.0.iter().any(|folder| real_path.starts_with(folder))
                && (real_path.is_file() || real_path.is_dir())
        });
        real_path.ok_or_else(|| {
            let folders: Vec<String> =
                self.0.iter().map(|folder| folder.display().to_string()).collect();
            Error::invalid(format!("this server is not allowed to read {path:?}"))
                .with_hint(format!("It can read regular files in {}.", folders.join(", ")))
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn only_files_below_allowed_folders_are_readable() {
        let dir = tempfile::tempdir().unwrap();
        let (allowed_dir, other_dir) = (dir.path().join("logs"), dir.path().join("other"));
        for folder in [&allowed_dir, &other_dir] {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("a.log"), "ERROR").unwrap();
        }
        std::os::unix::fs::symlink(other_dir.join("a.log"), allowed_dir.join("link.log")).unwrap();
        let folders = AllowedFolders::new(std::slice::from_ref(&allowed_dir)).unwrap();
        let is_allowed = |path: &Path| folders.resolve(&path.to_string_lossy()).is_ok();
        assert!(is_allowed(&allowed_dir) && is_allowed(&allowed_dir.join("a.log")));
        for path in [
            other_dir.join("a.log"),
            allowed_dir.join("link.log"),
            allowed_dir.join("../other/a.log"),
            allowed_dir.join("absent.log"),
            dir.path().to_owned(),
            PathBuf::from("/dev/null"),
            PathBuf::from("/"),
            PathBuf::new(),
        ] {
            assert!(!is_allowed(&path), "{}", path.display());
        }
        assert!(AllowedFolders::default().resolve(&allowed_dir.to_string_lossy()).is_err());
        assert!(AllowedFolders::new(&[allowed_dir.join("a.log")]).is_err());
    }
}
