//! The working tree, cargo's target folder and the options of this run.

use crate::failure::{Failure, Result};
use std::cell::RefCell;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use xshell::{Shell, cmd};

/// The context of every command.
pub struct Workspace {
    /// A shell in the root of the working tree.
    pub sh: Shell,
    /// The root of the working tree.
    pub root: PathBuf,
    /// Cargo's target folder.
    pub target: PathBuf,
    /// True if system packages are to be installed without asking.
    pub yes: bool,
    /// True if the output of tools is to be shown while they run.
    pub verbose: bool,
    /// The file that receives the full output of tools.
    log: RefCell<PathBuf>,
}

impl Workspace {
    /// Opens the workspace that cargo reports.
    pub fn open(yes: bool, verbose: bool) -> Result<Self> {
        let sh = Shell::new()?;
        sh.change_dir(env!("CARGO_MANIFEST_DIR"));
        // Progress is parsed from cargo's output; see `process`.
        sh.set_var("CARGO_TERM_PROGRESS_WHEN", "always");
        sh.set_var("CARGO_TERM_PROGRESS_WIDTH", "120");
        sh.set_var("CARGO_TERM_COLOR", "never");
        sh.set_var("NO_UPDATE_NOTIFIER", "1");
        sh.set_var("NO_COLOR", "1");
        let json =
            cmd!(sh, "cargo metadata --no-deps --offline --format-version 1").quiet().read()?;
        let json: serde_json::Value = serde_json::from_str(&json)?;
        let path = |key: &str| {
            let failure = || Failure::new(format!("cargo metadata has no {key}"), "");
            json[key].as_str().map(PathBuf::from).ok_or_else(failure)
        };
        let (root, target) = (path("workspace_root")?, path("target_directory")?);
        sh.change_dir(&root);
        sh.create_dir(target.join("xtask"))?;
        let log = RefCell::new(target.join("xtask/xtask.log"));
        Ok(Self { sh, root, target, yes, verbose, log })
    }

    /// Returns a path relative to the root of the working tree, for display.
    pub fn relative_display(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }

    /// Returns the path of a built executable.
    pub fn executable(&self, profile: &str, name: &str) -> PathBuf {
        self.target.join(profile).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
    }

    /// Starts an empty log for the tools that run next.
    pub fn start_log(&self, name: &str) {
        let path = self.target.join(format!("xtask/{name}.log"));
        let _ = std::fs::remove_file(&path);
        *self.log.borrow_mut() = path;
    }

    /// Returns the current log file.
    pub fn log(&self) -> PathBuf {
        self.log.borrow().clone()
    }

    /// Adds a line to the log; ignores failures.
    pub fn record(&self, line: &str) {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(self.log());
        let _ = file.and_then(|mut file| writeln!(file, "{line}"));
    }
}
