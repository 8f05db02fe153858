//! The ONNX runtime: fetched from PyPI by pip, checked, installed below the target folder.

use crate::fail::{Fail, Result};
use crate::place::Place;
use crate::say;
use crate::shell::Run;
use crate::system::{self, Consent, Need};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// The variable that names the library to the product and to its tests.
pub const VARIABLE: &str = "PRECEDENT_ONNXRUNTIME";

const VERSION: &str = "1.24.4";
const PYTHON: &str = "3.12";
const PLATFORMS: [&str; 2] = ["manylinux_2_28_x86_64", "manylinux_2_27_x86_64"];
const WHEEL_SHA256: &str = "0d640eb9f3782689b55cfa715094474cd5662f2f137be6a6f847a594b6e9705c";
const LIBRARY: &str = "onnxruntime/capi/libonnxruntime.so.1.24.4";
/// Its licence, and those of what is inside it, as the wheel has them.
const TERMS: [&str; 2] = ["LICENSE", "ThirdPartyNotices.txt"];
const LIBRARY_SHA256: &str = "2d518e11c7767f9fdc4413bdbeb45acf30db504ff76a82fc19d9238a3f9f6c24";

/// What became of the runtime.
#[derive(Debug)]
pub enum Runtime {
    /// The library is here; `fresh` if it was installed just now.
    Here {
        /// Where.
        path: PathBuf,
        /// Installed by this call.
        fresh: bool,
    },
    /// A library that the person named.
    Named(PathBuf),
    /// None is known for this system.
    Unknown,
}

impl Runtime {
    /// The library, if there is one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Here { path, .. } | Self::Named(path) => Some(path),
            Self::Unknown => None,
        }
    }

    /// Says it.
    pub fn tell(&self, place: &Place) {
        match self {
            Self::Here { path, fresh: true } => {
                say::done(&format!("{}, version {VERSION}, checked", place.short(path)))
            }
            Self::Here { path, fresh: false } => {
                say::done(&format!("{} is there, checked", place.short(path)))
            }
            Self::Named(path) => say::done(&format!("{VARIABLE} names {}", path.display())),
            Self::Unknown => say::warn(&off("no ONNX runtime is known here for this system")),
        }
    }
}

/// Says that search by meaning is off, why, and how to get it.
pub fn off(why: &str) -> String {
    format!(
        "{why}: search by meaning is off, search by words works.\nTo have it, provide the library of ONNX Runtime {VERSION} or later: {VARIABLE}=/path/to/libonnxruntime.so"
    )
}

/// Installs the runtime, if it is not there already with the right digest.
pub fn install(place: &Place, consent: Consent, verbose: bool) -> Result<Runtime> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        let path = PathBuf::from(named);
        if path.is_file() {
            return Ok(Runtime::Named(path));
        }
        return Err(Fail::new(
            format!("{VARIABLE} names {}, which is not there", path.display()),
            format!("Correct it, or unset {VARIABLE} to have the library installed."),
        )
        .stop());
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64", target_env = "gnu")) {
        return Ok(Runtime::Unknown);
    }
    let dir = place.target.join("runtime");
    let path = dir.join("libonnxruntime.so");
    if path.is_file() && digest(&path)? == LIBRARY_SHA256 {
        return Ok(Runtime::Here { path, fresh: false });
    }
    let (wheel, unpacked) = unpack(&dir, consent, verbose)?;
    let library = unpacked.join(LIBRARY);
    expect_digest(&library, LIBRARY_SHA256)?;
    // A running program may have the old one open: put the new one in its place in one go.
    let fresh = dir.join("libonnxruntime.so.new");
    std::fs::copy(&library, &fresh)?;
    std::fs::rename(&fresh, &path)?;
    keep_terms(&unpacked, &dir)?;
    std::fs::remove_dir_all(&unpacked)?;
    std::fs::remove_file(&wheel)?;
    Ok(Runtime::Here { path, fresh: true })
}

/// The terms under which the library may be passed on: beside it, or fetched once more.
pub fn terms(library: &Path, place: &Place, consent: Consent, verbose: bool) -> Result<Vec<PathBuf>> {
    let beside = |dir: &Path| TERMS.map(|name| dir.join(name)).to_vec();
    let there = beside(library.parent().unwrap_or(library));
    if there.iter().all(|file| file.is_file()) {
        return Ok(there);
    }
    let dir = place.target.join("runtime");
    if library.parent() != Some(&dir) {
        return Err(Fail::new(
            format!("{} has no {} beside it", library.display(), TERMS.join(" and ")),
            "Put them there: a package must hold the terms of what is inside. They are in ONNX Runtime's own release.",
        ));
    }
    let (wheel, unpacked) = unpack(&dir, consent, verbose)?;
    keep_terms(&unpacked, &dir)?;
    std::fs::remove_dir_all(&unpacked)?;
    std::fs::remove_file(&wheel)?;
    Ok(beside(&dir))
}

/// Fetches the wheel, if it is not there, and unpacks it: the wheel, and where its content is.
fn unpack(dir: &Path, consent: Consent, verbose: bool) -> Result<(PathBuf, PathBuf)> {
    std::fs::create_dir_all(dir)?;
    let wheel = match find_wheel(dir)? {
        Some(wheel) => wheel,
        None => download(dir, consent, verbose)?,
    };
    let unpacked = dir.join("unpacked");
    if unpacked.exists() {
        std::fs::remove_dir_all(&unpacked)?;
    }
    let unzip = Run::new("python3").args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked);
    unzip.stream(verbose).must("python3")?;
    Ok((wheel, unpacked))
}

fn keep_terms(unpacked: &Path, dir: &Path) -> Result<()> {
    for name in TERMS {
        std::fs::copy(unpacked.join("onnxruntime").join(name), dir.join(name))?;
    }
    Ok(())
}

/// Puts the library beside the executables of a folder, where they find it by themselves.
pub fn place_beside(library: &Path, dir: &Path) -> Result<()> {
    let beside = dir.join("libonnxruntime.so");
    if beside.is_file() && digest(&beside)? == digest(library)? {
        return Ok(());
    }
    let fresh = dir.join("libonnxruntime.so.new");
    std::fs::copy(library, &fresh)?;
    std::fs::rename(&fresh, &beside)?;
    Ok(())
}

/// Puts the built-in model beside the executables of a folder: an optimised one looks there, and not in the checkout.
pub fn place_model_beside(root: &Path, dir: &Path) -> Result<()> {
    let (from, to) = (root.join("models/builtin"), dir.join("models/builtin"));
    std::fs::create_dir_all(&to)?;
    for entry in std::fs::read_dir(&from)? {
        let (file, place) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if !file.is_file() || (place.is_file() && digest(&place)? == digest(&file)?) {
            continue;
        }
        let fresh = place.with_extension("new");
        std::fs::copy(&file, &fresh)?;
        std::fs::rename(&fresh, &place)?;
    }
    Ok(())
}

fn find_wheel(dir: &Path) -> Result<Option<PathBuf>> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ext| ext == "whl") {
            if digest(&path)? == WHEEL_SHA256 {
                return Ok(Some(path));
            }
            std::fs::remove_file(&path)?;
        }
    }
    Ok(None)
}

fn download(dir: &Path, consent: Consent, verbose: bool) -> Result<PathBuf> {
    let python = pip(dir, consent, verbose)?;
    say::note(&format!("pip download onnxruntime=={VERSION}"));
    let mut run = Run::new(python).args([
        "-m",
        "pip",
        "download",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
    ]);
    run = run.args(["--only-binary=:all:", "--python-version", PYTHON]);
    for platform in PLATFORMS {
        run = run.args(["--platform", platform]);
    }
    run.arg("--dest").arg(dir).arg(format!("onnxruntime=={VERSION}")).stream(verbose).must("pip")?;
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ext| ext == "whl") {
            expect_digest(&path, WHEEL_SHA256)?;
            return Ok(path);
        }
    }
    Err(Fail::new("pip ended well, but left no wheel", format!("Look into {}", dir.display())))
}

/// A Python that has pip: the system's, one in a virtual environment, or the system's after an installation.
fn pip(dir: &Path, consent: Consent, verbose: bool) -> Result<PathBuf> {
    let lacking = system::missing(Need::Pip);
    if lacking.is_empty() {
        return Ok("python3".into());
    }
    if lacking == ["pip"] {
        let venv = dir.join("venv");
        let python = venv.join("bin/python3");
        let works = || Run::new(&python).args(["-m", "pip", "--version"]).works();
        if works() {
            return Ok(python);
        }
        say::note("python3 has no pip: making a virtual environment that has");
        if Run::new("python3").args(["-m", "venv", "--clear"]).arg(&venv).works() && works() {
            return Ok(python);
        }
        if venv.exists() {
            std::fs::remove_dir_all(&venv)?;
        }
        say::note("that did not work either (Debian keeps it in python3-venv)");
    }
    system::ensure(Need::Pip, consent, verbose)?;
    Ok("python3".into())
}

fn expect_digest(path: &Path, expected: &str) -> Result<()> {
    let found = digest(path)?;
    if found == expected {
        return Ok(());
    }
    Err(Fail::new(
        format!("{} is not the file that was expected; it is not used", path.display()),
        format!("expected sha256 {expected}\nfound    sha256 {found}\nDelete it and try again. If it comes back the same, the package index that pip uses holds another file\n(`python3 -m pip config list`)."),
    )
    .stop())
}

fn digest(path: &Path) -> Result<String> {
    let mut file =
        std::fs::File::open(path).map_err(|error| Fail::new(format!("{}: {error}", path.display()), ""))?;
    let mut hasher = Sha256::new();
    std::io::copy(&mut file, &mut hasher)?;
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_file_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("x");
        std::fs::write(&file, "abc").unwrap();
        let sha = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest(&file).unwrap(), sha);
        assert!(expect_digest(&file, sha).is_ok());
        assert!(expect_digest(&file, LIBRARY_SHA256).unwrap_err().remedy.contains(sha));
    }

    #[test]
    fn a_damaged_wheel_is_thrown_away() {
        let dir = tempfile::tempdir().unwrap();
        let wheel = dir.path().join("onnxruntime.whl");
        std::fs::write(&wheel, "half of it").unwrap();
        assert!(find_wheel(dir.path()).unwrap().is_none());
        assert!(!wheel.exists());
    }
}
