//! Where things lie on this machine: the casebook, the ONNX runtime, the built-in model.

use std::path::{Path, PathBuf};

use precedent::OpenOptions;
use tauri::{App, Manager as _};

#[cfg(target_os = "windows")]
const RUNTIME: &str = "onnxruntime.dll";
#[cfg(target_os = "macos")]
const RUNTIME: &str = "libonnxruntime.dylib";
#[cfg(not(any(target_os = "windows", target_os = "macos")))]
const RUNTIME: &str = "libonnxruntime.so";

/// What to open, from the arguments, the environment and what lies beside the program.
pub fn find(app: &App, args: &crate::Args) -> tauri::Result<OpenOptions> {
    let folder = match &args.casebook {
        Some(folder) => std::path::absolute(folder)?,
        None => app.path().app_local_data_dir()?.join("casebook"),
    };
    let executable = std::env::current_exe().ok().and_then(|path| path.canonicalize().ok());
    let beside = executable.as_deref().and_then(Path::parent);
    let resources = app.path().resource_dir().ok();
    let mut options = OpenOptions::new(folder);
    options.runtime = runtimes(args.onnxruntime.as_deref(), beside, resources.as_deref());
    options.models = models(args.models.as_deref(), beside, resources.as_deref());
    Ok(options)
}

/// Candidates for the runtime library, the one that was asked for first.
fn runtimes(asked: Option<&Path>, beside: Option<&Path>, resources: Option<&Path>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = asked.map(Path::to_owned).into_iter().collect();
    found.extend([beside, resources].into_iter().flatten().map(|folder| folder.join(RUNTIME)));
    found.extend(above(beside).map(|folder| folder.join("target").join("runtime").join(RUNTIME)));
    existing(found, asked)
}

/// Candidates for the folder of models, the one that was asked for first.
fn models(asked: Option<&Path>, beside: Option<&Path>, resources: Option<&Path>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = asked.map(Path::to_owned).into_iter().collect();
    let places =
        [beside, resources].into_iter().flatten().chain(above(beside)).map(|folder| folder.join("models"));
    found.extend(places.filter(|models| models.join("builtin").join("model.onnx").is_file()));
    existing(found, asked)
}

/// The folders that hold `folder`, nearest first.
fn above(folder: Option<&Path>) -> impl Iterator<Item = &Path> {
    folder.into_iter().flat_map(|folder| folder.ancestors().skip(1))
}

/// Drops what is not there and what was named twice. What was asked for stays, so that the engine can say it is missing.
fn existing(paths: Vec<PathBuf>, asked: Option<&Path>) -> Vec<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        if (asked == Some(path.as_path()) || path.exists()) && !kept.contains(&path) {
            kept.push(path);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_found_from_a_build_folder() {
        let root = tempfile::tempdir().unwrap();
        let beside = root.path().join("target/debug");
        let runtime = root.path().join("target/runtime").join(RUNTIME);
        let model = root.path().join("models/builtin/model.onnx");
        for file in [&runtime, &model, &beside.join("x")] {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, "").unwrap();
        }
        assert_eq!(runtimes(None, Some(&beside), None), [runtime]);
        assert_eq!(models(None, Some(&beside), None), [root.path().join("models")]);
    }

    #[test]
    fn what_was_asked_for_comes_first_even_if_it_is_missing() {
        let asked = Path::new("/nowhere/lib.so");
        assert_eq!(runtimes(Some(asked), None, None), [asked]);
    }
}
