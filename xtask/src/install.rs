//! `cargo xtask install`: the command line, the ONNX runtime and the model, for this user.

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;
use crate::{process, runtime, system, terminal};
use std::path::PathBuf;
use std::time::Instant;
use xshell::cmd;

/// Builds and installs into a root folder. Without the runtime, keyword search still works.
pub fn install(ws: &Workspace, root: Option<PathBuf>) -> Result<()> {
    let root = match root {
        Some(root) => std::path::absolute(root)?,
        None => default_root()?,
    };
    terminal::step(&format!("Install into {}", root.display()));
    system::ensure(ws, &[&system::COMPILER])?;
    let library = runtime::install_if_possible(ws)?;
    terminal::note("An optimized build follows; the first one takes about 15 min on 2 cores.");
    let start = Instant::now();
    process::run(ws, cmd!(ws.sh, "cargo install --locked --force --path . --root {root}"))?;
    runtime::copy_into(ws, library.as_deref(), &root.join("lib/precedent"))?;
    let programs = root.join("bin");
    terminal::success(&format!("{}, {}", programs.display(), terminal::time(start.elapsed())));
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|dir| dir == programs) {
        terminal::warn(&format!("{} is not on your PATH", programs.display()));
    }
    Ok(())
}

/// Returns cargo's default folder: <https://doc.rust-lang.org/cargo/commands/cargo-install.html>.
fn default_root() -> Result<PathBuf> {
    let root = ["CARGO_INSTALL_ROOT", "CARGO_HOME"].into_iter().find_map(std::env::var_os);
    let home = || std::env::home_dir().map(|home| home.join(".cargo"));
    root.filter(|name| !name.is_empty()).map(PathBuf::from).or_else(home).ok_or_else(|| {
        Failure::new(
            "no home folder to install into",
            "Name a folder: cargo xtask install --root DIR",
        )
    })
}
