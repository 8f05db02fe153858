//! The front end: npm packages and built files, updated only if they are out of date.

use crate::failure::Result;
use crate::process::{self, npm};
use crate::workspace::Workspace;
use crate::{system, terminal};
use std::path::Path;
use std::time::SystemTime;

/// The files in `ui/` that npm installs from.
const MANIFESTS: [&str; 2] = ["package.json", "package-lock.json"];
/// The other inputs of the build in `ui/`.
const SOURCES: [&str; 6] =
    ["src", "public", "index.html", "vite.config.ts", "svelte.config.js", "tsconfig.json"];

/// Installs the npm packages if they are out of date.
pub fn install(ws: &Workspace) -> Result<()> {
    if is_stale(&ws.root.join("ui"), "node_modules/.package-lock.json", &MANIFESTS) {
        system::ensure(ws, &[&system::NODE])?;
        terminal::note("npm ci");
        process::run(ws, npm(ws, &["ci", "--no-audit", "--no-fund"]))?;
    }
    Ok(())
}

/// Installs the npm packages and builds the front end if they are out of date.
pub fn build(ws: &Workspace) -> Result<()> {
    install(ws)?;
    let must_build =
        is_stale(&ws.root.join("ui"), "dist/index.html", &[&MANIFESTS[..], &SOURCES].concat());
    if must_build {
        terminal::note("npm run build");
        process::run(ws, npm(ws, &["run", "build"]))?;
    }
    terminal::success(if must_build { "built" } else { "up to date" });
    Ok(())
}

/// Returns whether an output is missing or older than its inputs.
fn is_stale(ui: &Path, output: &str, inputs: &[&str]) -> bool {
    let Some(output_time) = modification_time(&ui.join(output)) else { return true };
    inputs
        .iter()
        .filter_map(|input| modification_time(&ui.join(input)))
        .any(|input_time| input_time > output_time)
}

/// Returns the time of the latest change below a path. Deleting a file changes its folder's time.
fn modification_time(path: &Path) -> Option<SystemTime> {
    let own_time = path.metadata().ok()?.modified().ok();
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter_map(|entry| modification_time(&entry.path())).chain(own_time).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn output_older_than_its_inputs_is_stale() {
        let dir = tempfile::tempdir().unwrap();
        let touch = |name: &str, seconds: u64| {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            let file = std::fs::File::create(path).unwrap();
            file.set_modified(SystemTime::now() + Duration::from_secs(seconds)).unwrap();
        };
        let stale = || is_stale(dir.path(), "dist/index.html", &SOURCES);
        touch("src/lib/App.svelte", 100);
        assert!(stale(), "nothing is built yet");
        touch("dist/index.html", 200);
        assert!(!stale());
        touch("src/lib/App.svelte", 300);
        assert!(stale(), "a source is newer");
    }
}
