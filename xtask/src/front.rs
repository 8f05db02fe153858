//! The front end: npm's packages and the built files, renewed only when they are stale.

use crate::fail::Result;
use crate::place::Place;
use crate::say;
use crate::shell::Run;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What the built files are made from, below `ui/`.
const INPUTS: &[&str] = &[
    "src",
    "public",
    "index.html",
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "svelte.config.js",
    "tsconfig.json",
];

/// The folder of the front end.
pub fn dir(place: &Place) -> PathBuf {
    place.root.join("ui")
}

/// Whether npm's packages are missing or older than the files that list them.
pub fn packages_stale(ui: &Path) -> bool {
    stale(
        &ui.join("node_modules/.package-lock.json"),
        &[ui.join("package.json"), ui.join("package-lock.json")],
    )
}

/// Whether the built files are missing or older than what they are made from.
pub fn dist_stale(ui: &Path) -> bool {
    let inputs: Vec<PathBuf> = INPUTS.iter().map(|name| ui.join(name)).collect();
    stale(&ui.join("dist/index.html"), &inputs)
}

/// npm, in the folder of the front end.
pub fn npm(place: &Place, args: &[&str]) -> Run {
    Run::npm().args(args).dir(&dir(place)).env("NO_UPDATE_NOTIFIER", "1")
}

/// Installs npm's packages if they are stale; says whether it did.
pub fn install(place: &Place, verbose: bool) -> Result<bool> {
    if !packages_stale(&dir(place)) {
        return Ok(false);
    }
    say::note("npm ci");
    npm(place, &["ci", "--no-audit", "--no-fund"]).stream(verbose).must("npm")?;
    Ok(true)
}

/// Builds the front end if it is stale; says whether it did.
pub fn build(place: &Place, verbose: bool) -> Result<bool> {
    if !dist_stale(&dir(place)) {
        return Ok(false);
    }
    say::note("npm run build");
    npm(place, &["run", "build"]).stream(verbose).must("npm")?;
    Ok(true)
}

/// Whether `output` is missing or older than the newest of `inputs`. Folders count with everything in them, and with
/// their own time, which moves when a file is deleted.
fn stale(output: &Path, inputs: &[PathBuf]) -> bool {
    let Some(made) = modified(output) else { return true };
    inputs.iter().filter_map(|input| newest(input)).any(|changed| changed > made)
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

fn newest(path: &Path) -> Option<SystemTime> {
    let own = modified(path);
    if !path.is_dir() {
        return own;
    }
    let entries = std::fs::read_dir(path).ok()?;
    entries.flatten().filter_map(|entry| newest(&entry.path())).chain(own).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn touch(path: &Path, seconds: u64) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = std::fs::File::options().create(true).append(true).open(path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).unwrap();
    }

    #[cfg(unix)]
    fn touch_dir(path: &Path, seconds: u64) {
        std::fs::File::open(path)
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
            .unwrap();
    }

    #[test]
    #[cfg(unix)]
    fn what_is_older_than_its_inputs_is_stale() {
        let dir = tempfile::tempdir().unwrap();
        let ui = dir.path();
        touch(&ui.join("src/lib/App.svelte"), 100);
        touch(&ui.join("index.html"), 100);
        for folder in ["src/lib", "src"] {
            touch_dir(&ui.join(folder), 100);
        }
        assert!(dist_stale(ui), "nothing is built yet");
        touch(&ui.join("dist/index.html"), 200);
        assert!(!dist_stale(ui));
        touch(&ui.join("src/lib/App.svelte"), 300);
        assert!(dist_stale(ui), "a source is newer");
        touch(&ui.join("dist/index.html"), 400);
        assert!(!dist_stale(ui));
        touch_dir(&ui.join("src/lib"), 500);
        assert!(dist_stale(ui), "something was deleted");
    }

    #[test]
    fn packages_are_stale_when_the_lock_is_newer() {
        let dir = tempfile::tempdir().unwrap();
        let ui = dir.path();
        touch(&ui.join("package.json"), 100);
        touch(&ui.join("package-lock.json"), 100);
        assert!(packages_stale(ui));
        touch(&ui.join("node_modules/.package-lock.json"), 200);
        assert!(!packages_stale(ui));
        touch(&ui.join("package-lock.json"), 300);
        assert!(packages_stale(ui));
    }
}
