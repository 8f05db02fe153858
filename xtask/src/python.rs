//! Tools that come as Python packages, in an environment of their own below the target folder.

use crate::fail::Result;
use crate::place::Place;
use crate::shell::{Run, on_path};
use std::path::PathBuf;

/// The Python to start with. On Windows `python3` may be a door to the shop and no program.
pub fn python() -> Option<&'static str> {
    let names = if cfg!(windows) { ["python", "python3"] } else { ["python3", "python"] };
    names.into_iter().find(|name| on_path(name))
}

/// A program of the environment, with `package` (`name==version`) installed where it is not there in that version.
pub fn install(
    place: &Place,
    python: &str,
    package: &str,
    program: &str,
    run: impl Fn(&str, Run) -> Result<()>,
) -> Result<PathBuf> {
    let folder = place.target.join("python");
    let programs = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let at = |name: &str| programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let own = at("python");
    if !own.is_file() {
        run("python", Run::new(python).args(["-m", "venv"]).arg(&folder))?;
    }
    let has = Run::new(&own).args(["-m", "pip", "freeze", "--all"]).finish()?;
    if !(has.ok && has.output.lines().any(|line| line.trim() == package)) {
        let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", package];
        run("pip", Run::new(&own).args(install))?;
    }
    Ok(at(program))
}
