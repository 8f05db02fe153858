//! The ONNX runtime: installed from PyPI by pip, which checks it against `xtask/onnxruntime.txt`.

use crate::failure::{Failure, Result};
use crate::workspace::Workspace;
use crate::{process, python, system, terminal};
use std::path::{Path, PathBuf};
use xshell::cmd;

/// The environment variable that names the library.
pub const VARIABLE: &str = "PRECEDENT_ONNXRUNTIME";
/// The remedy if pip has no library for this system.
pub const MANUAL_REMEDY: &str = "Search by meaning needs the ONNX Runtime library, version 1.24 or later:\n\
    set PRECEDENT_ONNXRUNTIME=/path/to/the/library. Keyword search works without it.";
/// The license files of the library and its components, which are next to it.
pub const LICENSE_FILES: [&str; 2] = ["LICENSE", "ThirdPartyNotices.txt"];

/// The Python version of the wheel; its library needs no Python.
const PYTHON_VERSION: &str = "3.12";

/// The file name of the library next to programs and in packages.
pub const NAME: &str = if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else if cfg!(windows) {
    "onnxruntime.dll"
} else {
    "libonnxruntime.so"
};

/// The digests of the wheels, and of the library in each.
const DIGESTS: &str = include_str!("../onnxruntime.txt");

/// Returns the platform tag of this system's wheel. On Linux, wheels need the GNU C library.
fn platform() -> Option<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", _) if !cfg!(target_env = "gnu") => None,
        ("linux", "x86_64") => Some("manylinux_2_28_x86_64"),
        ("linux", "aarch64") => Some("manylinux_2_28_aarch64"),
        ("macos", "aarch64") => Some("macosx_14_0_arm64"),
        ("windows", "x86_64") => Some("win_amd64"),
        ("windows", "aarch64") => Some("win_arm64"),
        _ => None,
    }
}

/// Returns the SHA-256 digest of the library in a wheel.
fn library_digest(platform: &str) -> &'static str {
    let lines =
        DIGESTS.lines().filter_map(|line| line.strip_prefix("# library of ")?.split_once(": "));
    lines.filter(|(name, _)| *name == platform).map(|(_, digest)| digest).next().unwrap_or_default()
}

/// Returns the library, installing it if it is missing; `None` if pip has no wheel for this system.
pub fn install(ws: &Workspace) -> Result<Option<PathBuf>> {
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        terminal::success(&format!("{VARIABLE} names {}", path.display()));
        // Only the user can correct a wrong path.
        let failure =
            || Failure::new(format!("{VARIABLE} does not name a file"), MANUAL_REMEDY).fatal();
        return if path.is_file() { Ok(Some(path)) } else { Err(failure()) };
    }
    let Some(platform) = platform() else {
        terminal::warn(&format!("No ONNX runtime is available for this system.\n{MANUAL_REMEDY}"));
        return Ok(None);
    };
    let dir = ws.target.join("runtime");
    let library = dir.join(NAME);
    let has_licenses = LICENSE_FILES.iter().all(|name| dir.join(name).is_file());
    if has_licenses
        && library.is_file()
        && expect_digest(ws, &library, library_digest(platform)).is_ok()
    {
        terminal::success(&format!("{}, digest checked", ws.relative_display(&library)));
        return Ok(Some(library));
    }
    let (python, target_dir) = (python::environment(ws)?, dir.join("unpacked"));
    ws.sh.remove_path(&target_dir)?;
    let pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-compile", "--no-deps"];
    let wheel = ["--python-version", PYTHON_VERSION, "--platform", platform, "--only-binary=:all:"];
    terminal::note("pip downloads the library (about 20 MB) and checks its digest");
    process::run(
        ws,
        cmd!(ws.sh, "{python} {pip...} {wheel...} --target {target_dir} -r xtask/onnxruntime.txt"),
    )?;
    let package = target_dir.join("onnxruntime");
    for name in LICENSE_FILES {
        std::fs::copy(package.join(name), dir.join(name))?;
    }
    let unpacked_library = find_library(&package.join("capi"))?;
    expect_digest(ws, &unpacked_library, library_digest(platform))?;
    replace(&unpacked_library, &library)?;
    ws.sh.remove_path(&target_dir)?;
    terminal::success(&format!("{}, digest checked", ws.relative_display(&library)));
    Ok(Some(library))
}

/// Works like [`install`], but shows a failure and returns `None`, because the product works
/// without the library.
pub fn install_if_possible(ws: &Workspace) -> Result<Option<PathBuf>> {
    match install(ws) {
        Err(failure) if !failure.is_fatal => {
            terminal::failure(&failure);
            terminal::warn(&format!("Continuing without the ONNX runtime.\n{MANUAL_REMEDY}"));
            Ok(None)
        }
        result => result,
    }
}

/// Fails if a file does not have this SHA-256 digest. Python computes it, because pip needs Python
/// anyway and a crate would have to be compiled first.
fn expect_digest(ws: &Workspace, path: &Path, digest: &str) -> Result<()> {
    let script =
        "import hashlib, sys; print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest())";
    let python = system::python().unwrap_or("python3");
    let actual = process::read_output(cmd!(ws.sh, "{python} -c {script} {path}"))?;
    let digests = || format!("expected sha256 {digest}\nfound    sha256 {actual}");
    let failure =
        || Failure::new(format!("{} is not the expected file", path.display()), digests()).fatal();
    if actual == digest { Ok(()) } else { Err(failure()) }
}

/// Copies the library and the models into a folder where the executables look for them.
pub fn copy_into(ws: &Workspace, library: Option<&Path>, dir: &Path) -> Result<()> {
    let mut files: Vec<_> =
        library.map(|path| (path.to_owned(), dir.join(NAME))).into_iter().collect();
    for folder in ["models/builtin", "models/languages", "models/names"] {
        std::fs::create_dir_all(dir.join(folder))?;
        for model in ws.sh.read_dir(folder)? {
            let to = dir.join(folder).join(model.file_name().unwrap_or_default());
            files.push((model, to));
        }
    }
    for (from, to) in files {
        let is_current = |old| std::fs::read(&from).is_ok_and(|new| new == old);
        if !std::fs::read(&to).is_ok_and(is_current) {
            replace(&from, &to)?;
        }
    }
    Ok(())
}

/// Replaces a file atomically, because a running program can have the old one open.
fn replace(from: &Path, to: &Path) -> Result<()> {
    let temporary = to.with_extension("new");
    std::fs::copy(from, &temporary)?;
    std::fs::rename(&temporary, to).map_err(|error| {
        Failure::new(
            format!("{} could not be replaced: {error}", to.display()),
            "Quit Precedent and its MCP server, then run the same command again.",
        )
    })
}

/// Finds the library, such as `libonnxruntime.so.1.24.4`, among the wheel's Python modules.
fn find_library(dir: &Path) -> Result<PathBuf> {
    let stem = format!("{}.", NAME.split('.').next().unwrap_or_default());
    let mut paths = std::fs::read_dir(dir)?.flatten().map(|entry| entry.path());
    let is_library = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&stem))
    };
    paths
        .find(is_library)
        .ok_or_else(|| Failure::new("the ONNX runtime's wheel contains no library", MANUAL_REMEDY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_with_wrong_digest_is_rejected() {
        let (ws, dir) = (Workspace::open(false, false).unwrap(), tempfile::tempdir().unwrap());
        let file = dir.path().join("library");
        std::fs::write(&file, "abc").unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(expect_digest(&ws, &file, abc).is_ok());
        let failure = expect_digest(&ws, &file, &abc.replace('b', "c")).unwrap_err();
        assert!(failure.is_fatal && failure.remedy.contains(abc), "{failure:?}");
    }

    #[test]
    fn library_is_replaced_without_leftovers() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("new library"), dir.path().join("out"));
        std::fs::create_dir(&to).unwrap();
        for content in ["one", "another"] {
            std::fs::write(&from, content).unwrap();
            replace(&from, &to.join(NAME)).unwrap();
            assert_eq!(std::fs::read_to_string(to.join(NAME)).unwrap(), content);
        }
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 1);
    }
}
