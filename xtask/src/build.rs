//! Builds of the product, with an estimate and progress.

use crate::failure::Result;
use crate::workspace::Workspace;
use crate::{process, terminal};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;
use xshell::cmd;

/// The profile for local use: quick to build, and a few percent slower.
pub const QUICK: &str = "quick";
/// The profile for distribution.
pub const RELEASE: &str = "release";

/// The core-seconds per package: 590 packages took 11 min 40 s on 2 idle cores.
const CORE_SECONDS: f64 = 2.4;

/// The programs of a build. Cargo unifies their features, so builds of a scope share dependencies.
#[derive(Clone, Copy, PartialEq)]
pub enum Scope {
    CommandLine,
    /// The window with the command line.
    Window,
}

impl Scope {
    fn packages(self) -> &'static [&'static str] {
        match self {
            Self::CommandLine => &["-p", "precedent"],
            Self::Window => &["-p", "precedent", "-p", "precedent-desktop"],
        }
    }
}

/// Returns the number of packages left to build and the estimated time, as text.
pub fn estimate(ws: &Workspace, scope: Scope, profile: &str) -> String {
    let packages = scope.packages();
    let args =
        ["--offline", "--locked", "--prefix", "none", "--edges", "normal,build", "--format", "{p}"];
    let tree = process::read_output(cmd!(ws.sh, "cargo tree {packages...} {args...}"));
    let names: BTreeSet<String> = match tree {
        Ok(tree) => {
            tree.lines().map(|line| line.split(" (").next().unwrap_or(line).to_owned()).collect()
        }
        // Before the first download, only the lock file is known, which includes other systems.
        Err(_) => {
            let lock = std::fs::read_to_string(ws.root.join("Cargo.lock")).unwrap_or_default();
            (0..lock.matches("[[package]]").count()).map(|n| format!("unknown-{n}")).collect()
        }
    };
    let folders = ws.sh.read_dir(ws.target.join(profile).join(".fingerprint")).unwrap_or_default();
    // Cargo creates all folders first; a unit's file follows when it is built.
    let is_built = |path: &&PathBuf| {
        let mut files = std::fs::read_dir(path).into_iter().flatten().flatten();
        files.any(|file| file.file_name().to_string_lossy().starts_with("lib-"))
    };
    let built_names: BTreeSet<&str> = folders
        .iter()
        .filter(is_built)
        .filter_map(|path| Some(path.file_name()?.to_str()?.rsplit_once('-')?.0))
        .collect();
    let missing_count = names
        .iter()
        .filter(|name| !built_names.contains(name.split(' ').next().unwrap_or(name)))
        .count();
    // Even if all packages are built, those of the workspace may need a rebuild.
    let time = terminal::estimate((missing_count as f64).max(5.0) * CORE_SECONDS / cores());
    format!("{missing_count} of {} packages to build, {time}{}", names.len(), estimate_basis())
}

/// Returns the basis of an estimate: ` on 2 cores, 1.8 times that under the current load`.
pub fn estimate_basis() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: f64 = text.split(' ').next().and_then(|load| load.parse().ok()).unwrap_or_default();
    let factor = 1.0 + load / cores();
    let busy = format!(", {factor:.1} times that under the current load");
    format!(" on {} cores{}", cores(), if factor > 1.5 { &busy } else { "" })
}

pub fn cores() -> f64 {
    std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64)
}

pub fn build(ws: &Workspace, scope: Scope, profile: &str, programs: &[&str]) -> Result<()> {
    let estimated_scope = if programs == ["precedent"] { Scope::CommandLine } else { scope };
    terminal::note(&format!(
        "{}: {}",
        programs.join(" and "),
        estimate(ws, estimated_scope, profile)
    ));
    let start = Instant::now();
    let packages = scope.packages();
    let bins: Vec<&str> = programs.iter().flat_map(|program| ["--bin", program]).collect();
    process::run(
        ws,
        cmd!(ws.sh, "cargo build --locked --profile {profile} {packages...} {bins...}"),
    )?;
    terminal::success(&format!("{}, {}", programs.join(" and "), terminal::time(start.elapsed())));
    Ok(())
}
