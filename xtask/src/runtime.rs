//! The ONNX runtime: fetched from PyPI by pip, checked, installed below the target folder.

use crate::fail::{Fail, Result};
use crate::place::Place;
use crate::python;
use crate::say;
use crate::shell::Run;
use crate::system::{self, Consent, Need};
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// The variable that names the library to the product and to its tests.
pub const VARIABLE: &str = "PRECEDENT_ONNXRUNTIME";

const VERSION: &str = "1.24.4";
const PYTHON: &str = "3.12";
/// Its licence, and those of what is inside it, as the wheel has them.
const TERMS: [&str; 2] = ["LICENSE", "ThirdPartyNotices.txt"];

/// What the library is called beside the programs and in packages; the programs look for this name.
pub const NAME: &str = if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else if cfg!(windows) {
    "onnxruntime.dll"
} else {
    "libonnxruntime.so"
};

/// A wheel of the runtime, and the library in it.
#[derive(Debug)]
struct Wheel {
    /// For which system and processor, as Rust names them.
    system: (&'static str, &'static str),
    /// The platforms that pip is asked for.
    platforms: &'static [&'static str],
    /// SHA-256 of the wheel.
    sha256: &'static str,
    /// The library in it.
    library: &'static str,
    /// SHA-256 of the library.
    library_sha256: &'static str,
}

/// The wheels of this version on PyPI, each fetched and taken apart once for these digests. There is none for macOS on Intel.
const WHEELS: &[Wheel] = &[
    Wheel {
        system: ("linux", "x86_64"),
        platforms: &["manylinux_2_28_x86_64", "manylinux_2_27_x86_64"],
        sha256: "0d640eb9f3782689b55cfa715094474cd5662f2f137be6a6f847a594b6e9705c",
        library: "onnxruntime/capi/libonnxruntime.so.1.24.4",
        library_sha256: "2d518e11c7767f9fdc4413bdbeb45acf30db504ff76a82fc19d9238a3f9f6c24",
    },
    Wheel {
        system: ("linux", "aarch64"),
        platforms: &["manylinux_2_28_aarch64", "manylinux_2_27_aarch64"],
        sha256: "1a5c5a544b22f90859c88617ecb30e161ee3349fcc73878854f43d77f00558b5",
        library: "onnxruntime/capi/libonnxruntime.so.1.24.4",
        library_sha256: "f373ae5fd4d878ed17ebea26e5480bd3d0a15e3bd6bc94b878e6c1b73998d22a",
    },
    Wheel {
        system: ("macos", "aarch64"),
        platforms: &["macosx_14_0_arm64"],
        sha256: "cad1c2b3f455c55678ab2a8caa51fb420c25e6e3cf10f4c23653cdabedc8de78",
        library: "onnxruntime/capi/libonnxruntime.1.24.4.dylib",
        library_sha256: "f958c8c8f50a787f64cd13aa5f07710b97075d9869c6983dc0001d2452100eaa",
    },
    Wheel {
        system: ("windows", "x86_64"),
        platforms: &["win_amd64"],
        sha256: "535b29475ca42b593c45fbb2152fbf1cdf3f287315bf650e6a724a0a1d065cdb",
        library: "onnxruntime/capi/onnxruntime.dll",
        library_sha256: "87da0279ab54add397fd518f7022efe8b9a89fd968669d0adff9f9f242344b6c",
    },
    Wheel {
        system: ("windows", "aarch64"),
        platforms: &["win_arm64"],
        sha256: "e6214096e14b7b52e3bee1903dc12dc7ca09cb65e26664668a4620cc5e6f9a90",
        library: "onnxruntime/capi/onnxruntime.dll",
        library_sha256: "8074abb34bee85312d49c39f1cde276d97aa5c27f5fe370727c8a46192086a0f",
    },
];

/// The wheel for a system. On Linux only where the C library is GNU's, as the wheels are linked with it.
fn wheel_for(system: &str, processor: &str) -> Option<&'static Wheel> {
    if cfg!(all(target_os = "linux", not(target_env = "gnu"))) {
        return None;
    }
    WHEELS.iter().find(|wheel| wheel.system == (system, processor))
}

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
        "{why}: search by meaning is off, search by words works.\nTo have it, provide the library of ONNX Runtime {VERSION} or later: {VARIABLE}=/path/to/{NAME}"
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
    let Some(known) = wheel_for(std::env::consts::OS, std::env::consts::ARCH) else {
        return Ok(Runtime::Unknown);
    };
    let dir = place.target.join("runtime");
    let path = dir.join(NAME);
    if path.is_file() && digest(&path)? == known.library_sha256 {
        return Ok(Runtime::Here { path, fresh: false });
    }
    let (wheel, unpacked) = unpack(known, &dir, consent, verbose)?;
    let library = unpacked.join(known.library);
    expect_digest(&library, known.library_sha256)?;
    put(&library, &path)?;
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
    let known = wheel_for(std::env::consts::OS, std::env::consts::ARCH);
    let Some(known) = known.filter(|_| library.parent() == Some(&dir)) else {
        return Err(Fail::new(
            format!("{} has no {} beside it", library.display(), TERMS.join(" and ")),
            "Put them there: a package must hold the terms of what is inside. They are in ONNX Runtime's own release.",
        ));
    };
    let (wheel, unpacked) = unpack(known, &dir, consent, verbose)?;
    keep_terms(&unpacked, &dir)?;
    std::fs::remove_dir_all(&unpacked)?;
    std::fs::remove_file(&wheel)?;
    Ok(beside(&dir))
}

/// Fetches the wheel, if it is not there, and unpacks it: the wheel, and where its content is.
fn unpack(known: &Wheel, dir: &Path, consent: Consent, verbose: bool) -> Result<(PathBuf, PathBuf)> {
    std::fs::create_dir_all(dir)?;
    let wheel = match find_wheel(known, dir)? {
        Some(wheel) => wheel,
        None => download(known, dir, consent, verbose)?,
    };
    let unpacked = dir.join("unpacked");
    if unpacked.exists() {
        std::fs::remove_dir_all(&unpacked)?;
    }
    let python = python::python().unwrap_or("python3");
    let unzip = Run::new(python).args(["-m", "zipfile", "-e"]).arg(&wheel).arg(&unpacked);
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
    let beside = dir.join(NAME);
    if beside.is_file() && digest(&beside)? == digest(library)? {
        return Ok(());
    }
    put(library, &beside)
}

/// A copy in one go: a running program may have the old one open. Where the system does not let that one be replaced, which
/// is so on Windows, it says who has to end.
fn put(from: &Path, to: &Path) -> Result<()> {
    let mut fresh = to.as_os_str().to_owned();
    fresh.push(".new");
    let fresh = PathBuf::from(fresh);
    std::fs::copy(from, &fresh)?;
    std::fs::rename(&fresh, to).map_err(|error| {
        let _ = std::fs::remove_file(&fresh);
        Fail::new(
            format!("{} could not be replaced: {error}", to.display()),
            "End Precedent where it is running, and its server for agents, then run the same command again.",
        )
    })
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
        put(&file, &place)?;
    }
    Ok(())
}

fn find_wheel(known: &Wheel, dir: &Path) -> Result<Option<PathBuf>> {
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ext| ext == "whl") {
            if digest(&path)? == known.sha256 {
                return Ok(Some(path));
            }
            std::fs::remove_file(&path)?;
        }
    }
    Ok(None)
}

fn download(known: &Wheel, dir: &Path, consent: Consent, verbose: bool) -> Result<PathBuf> {
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
    for platform in known.platforms {
        run = run.args(["--platform", platform]);
    }
    run.arg("--dest").arg(dir).arg(format!("onnxruntime=={VERSION}")).stream(verbose).must("pip")?;
    for entry in std::fs::read_dir(dir)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ext| ext == "whl") {
            expect_digest(&path, known.sha256)?;
            return Ok(path);
        }
    }
    Err(Fail::new("pip ended well, but left no wheel", format!("Look into {}", dir.display())))
}

/// A Python that has pip: the system's, one in a virtual environment, or the system's after an installation.
fn pip(dir: &Path, consent: Consent, verbose: bool) -> Result<PathBuf> {
    let lacking = system::missing(Need::Pip);
    let own = python::python().unwrap_or("python3");
    if lacking.is_empty() {
        return Ok(own.into());
    }
    if lacking == ["pip"] {
        let venv = dir.join("venv");
        let python = venv.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python3" });
        let works = || Run::new(&python).args(["-m", "pip", "--version"]).works();
        if works() {
            return Ok(python);
        }
        say::note("python3 has no pip: making a virtual environment that has");
        if Run::new(own).args(["-m", "venv", "--clear"]).arg(&venv).works() && works() {
            return Ok(python);
        }
        if venv.exists() {
            std::fs::remove_dir_all(&venv)?;
        }
        say::note("that did not work either (Debian keeps it in python3-venv)");
    }
    system::ensure(Need::Pip, consent, verbose)?;
    Ok(python::python().unwrap_or("python3").into())
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

/// The SHA-256 of a file, in hexadecimal digits.
pub fn digest(path: &Path) -> Result<String> {
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
        assert!(expect_digest(&file, WHEELS[0].library_sha256).unwrap_err().remedy.contains(sha));
    }

    #[test]
    fn a_damaged_wheel_is_thrown_away() {
        let dir = tempfile::tempdir().unwrap();
        let wheel = dir.path().join("onnxruntime.whl");
        std::fs::write(&wheel, "half of it").unwrap();
        assert!(find_wheel(&WHEELS[0], dir.path()).unwrap().is_none());
        assert!(!wheel.exists());
    }

    #[test]
    fn every_system_that_packages_are_made_for_has_one_wheel_with_whole_digests() {
        let whole = |digest: &str| digest.len() == 64 && digest.chars().all(|c| c.is_ascii_hexdigit());
        for system in [("linux", "x86_64"), ("linux", "aarch64"), ("macos", "aarch64"), ("windows", "x86_64")]
        {
            assert_eq!(WHEELS.iter().filter(|wheel| wheel.system == system).count(), 1, "{system:?}");
        }
        for wheel in WHEELS {
            assert!(whole(wheel.sha256) && whole(wheel.library_sha256), "{wheel:?}");
            assert!(wheel.library.contains(VERSION) || wheel.library.ends_with(".dll"), "{wheel:?}");
        }
    }

    #[test]
    fn a_library_takes_the_place_of_an_older_one_and_leaves_nothing_beside() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("x"), dir.path().join("out"));
        std::fs::create_dir(&to).unwrap();
        for content in ["one", "another"] {
            std::fs::write(&from, content).unwrap();
            place_beside(&from, &to).unwrap();
            assert_eq!(std::fs::read_to_string(to.join(NAME)).unwrap(), content);
        }
        assert_eq!(std::fs::read_dir(&to).unwrap().count(), 1);
    }
}
