//! `cargo xtask install`: the command line into the user's folder of commands, with the runtime and the model where it looks for
//! them.

use crate::fail::{Fail, Result};
use crate::place::Place;
use crate::say::{self, Say};
use crate::shell::Run;
use crate::system::{self, Consent, Need};
use crate::{Options, runtime};
use std::path::{Path, PathBuf};

/// Builds and installs it. Where the runtime cannot be had, the rest is installed, and search by words works.
pub fn install(place: &Place, options: &Options) -> Result<()> {
    let mut say = Say::default();
    let consent = Consent { yes: options.yes };
    let root = match &options.root {
        Some(root) => std::path::absolute(root)?,
        None => usual_root()?,
    };
    say.step("What this machine must have");
    system::ensure(Need::Compiler, consent, options.verbose)?;
    say::done("C compiler");

    say.step("ONNX runtime, for search by meaning");
    let library = match runtime::install(place, consent, options.verbose) {
        Ok(found) => {
            found.tell(place);
            found.path().map(Path::to_owned)
        }
        Err(fail) if fail.stops => return Err(fail),
        Err(fail) => {
            anstream::eprintln!("{fail}");
            say::warn(&runtime::off("going on without the ONNX runtime"));
            None
        }
    };

    say.step("Build and install");
    let build = Run::cargo().args(["install", "--locked", "--force", "--path"]).arg(&place.root);
    let build = build.arg("--root").arg(&root).env("CARGO_TERM_PROGRESS_WHEN", "never");
    say::note(&format!("{} (the first time, this takes some minutes)", build.line()));
    let finished = build.stream(options.verbose).must("cargo")?;
    let beside = root.join("lib").join("precedent");
    std::fs::create_dir_all(&beside)?;
    if let Some(library) = &library {
        runtime::place_beside(library, &beside)?;
    }
    runtime::place_model_beside(&place.root, &beside)?;
    say::done(&format!("{}, {}", root.join("bin").display(), say::time(finished.time)));
    say::done(&format!("{}: the model and its runtime", beside.display()));
    let on_path =
        std::env::var_os("PATH").is_some_and(|p| std::env::split_paths(&p).any(|d| d == root.join("bin")));
    if !on_path {
        say::warn(&format!(
            "{} is not on your PATH: add it to find `precedent` there",
            root.join("bin").display()
        ));
    }
    Ok(())
}

/// Where cargo installs: <https://doc.rust-lang.org/cargo/commands/cargo-install.html>
fn usual_root() -> Result<PathBuf> {
    let named = ["CARGO_INSTALL_ROOT", "CARGO_HOME"].into_iter().find_map(std::env::var_os);
    let home = || std::env::home_dir().map(|home| home.join(".cargo"));
    named.filter(|n| !n.is_empty()).map(PathBuf::from).or_else(home).ok_or_else(|| {
        Fail::new("there is no home folder to install into", "Name a folder: cargo xtask install --root DIR")
    })
}
