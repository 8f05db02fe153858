//! Tools from Python packages, in a virtual environment in the target folder.

use crate::failure::Result;
use crate::process;
use crate::system::{self, PYTHON};
use crate::workspace::Workspace;
use std::path::PathBuf;
use xshell::cmd;

/// Returns the environment's Python, creating the environment if it is missing.
pub fn environment(ws: &Workspace) -> Result<PathBuf> {
    let folder = ws.target.join("python");
    let python = program(ws, "python");
    if !process::succeeds(cmd!(ws.sh, "{python} -m pip --version")) {
        system::ensure(ws, &[&PYTHON])?;
        let python = system::python().unwrap_or("python3");
        process::run(ws, cmd!(ws.sh, "{python} -m venv --clear {folder}"))?;
    }
    Ok(python)
}

/// Returns a program of a package (`name==version`), installing the package if it is missing.
pub fn tool(ws: &Workspace, package: &str, name: &str) -> Result<PathBuf> {
    let python = environment(ws)?;
    let pip =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"];
    process::run(ws, cmd!(ws.sh, "{python} {pip...} {package}"))?;
    Ok(program(ws, name))
}

fn program(ws: &Workspace, name: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    ws.target.join("python").join(folder).join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}
