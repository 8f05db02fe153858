//! Where things lie.

use crate::fail::{Fail, Result};
use crate::shell::Run;
use std::path::{Path, PathBuf};

/// The folders that everything else is relative to.
#[derive(Debug, Clone)]
pub struct Place {
    /// The top of the working tree.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
}

/// How cargo builds what runs, by `Cargo.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// What is given to others.
    Release,
    /// What is started here: quick to build, and a few per cent slower.
    Quick,
}

impl Profile {
    /// As cargo names it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Release => "release",
            Self::Quick => "quick",
        }
    }
}

impl Place {
    /// Asks cargo.
    pub fn find() -> Result<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let start = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| here.to_owned(), PathBuf::from);
        let json = Run::cargo()
            .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
            .dir(&start)
            .stdout()?;
        let json: serde_json::Value =
            serde_json::from_str(&json).map_err(|error| Fail::new(format!("cargo metadata: {error}"), ""))?;
        let path = |key: &str| json[key].as_str().map(PathBuf::from);
        match (path("workspace_root"), path("target_directory")) {
            (Some(root), Some(target)) => Ok(Self { root, target }),
            _ => Err(Fail::new("cargo metadata does not say where the workspace is", "")),
        }
    }

    /// A path as a person types it from the top of the working tree.
    pub fn short(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Where cargo puts what it builds with a profile.
    pub fn built(&self, profile: Profile) -> PathBuf {
        self.target.join(profile.name())
    }

    /// An executable that cargo built with a profile.
    pub fn executable(&self, profile: Profile, name: &str) -> PathBuf {
        self.built(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Free space where cargo writes, in bytes; `None` if the system does not say.
    pub fn free_space(&self) -> Option<u64> {
        let at = self.target.ancestors().find(|dir| dir.exists())?;
        parse_df(&Run::new("df").arg("-Pk").arg(at).env("LC_ALL", "C").stdout().ok()?)
    }
}

fn parse_df(output: &str) -> Option<u64> {
    let line = output.lines().nth(1)?;
    line.split_whitespace().nth(3)?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn df_is_read() {
        let text = "Filesystem     1024-blocks     Used Available Capacity Mounted on\n/dev/vda         263174212 21553196  73886480      23% /\n";
        assert_eq!(parse_df(text), Some(73_886_480 * 1024));
        assert_eq!(parse_df("nothing"), None);
    }
}
