//! `cargo xtask`: sets up a machine, starts the product, runs the checks, and builds packages.
#![allow(clippy::disallowed_methods, reason = "a development tool reads its user's environment")]

mod build;
mod bundle;
mod checks;
mod failure;
mod install;
mod licenses;
mod process;
mod python;
mod release;
mod runtime;
mod rustdoc;
mod start;
mod system;
mod terminal;
mod test_counts;
mod tidy;
mod ui;
mod workspace;

use failure::{Failure, Result};
use flags::XtaskCmd;
use std::ffi::OsString;
use std::process::ExitCode;
use workspace::Workspace;

mod flags {
    use std::path::PathBuf;

    xflags::xflags! {
        /// Set up a machine, start the product, run the checks, and build packages.
        cmd xtask {
            /// Install system packages without asking.
            optional -y, --yes
            /// Show the output of tools while they run.
            optional -v, --verbose

            /// Install what is missing, build, and open the window with the sample casebook.
            /// Without a display, show the sample on the command line.
            cmd start {
                /// Use the command line even if there is a display.
                optional --cli
            }
            /// Run every check that must pass before a change is merged.
            cmd test {
                /// Run this step and those it requires; repeatable.
                repeated --only step: String
                /// Run only quick steps, without processes, servers or windows.
                optional --fast
                /// List the steps.
                optional --list
                /// Count a skipped step as failed.
                optional --strict
                /// Let --strict skip this step; repeatable.
                repeated --may-skip step: String
            }
            /// Install the command line, the ONNX runtime and the model for this user.
            cmd install {
                /// Install into this folder instead of cargo's.
                optional --root dir: PathBuf
            }
            /// Install the ONNX runtime into target/runtime and print its path.
            cmd runtime {}
            /// Build the front end if it is out of date.
            cmd ui {}
            /// Build this system's packages in target/release/bundle.
            cmd bundle {
                /// Build deb, rpm, appimage, app, dmg, msi or nsis; repeatable.
                repeated --format name: String
            }
            /// Build the packages, SBOMs and release notes in target/release/dist.
            cmd release {
                /// Build deb, rpm, appimage, app, dmg, msi or nsis; repeatable.
                repeated --format name: String
            }
        }
    }
}

fn main() -> ExitCode {
    if let Some(path) = std::env::var_os(rustdoc::VARIABLE) {
        return rustdoc::lint_and_test(&path, std::env::args_os().skip(1).collect());
    }
    let flags = match flags::Xtask::from_vec(split_values(std::env::args_os().skip(1))) {
        Ok(flags) => flags,
        Err(error) => error.exit(),
    };
    match run(flags) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal::failure(&failure);
            ExitCode::FAILURE
        }
    }
}

/// Splits `--flag=value` into two arguments, as xflags reads them.
fn split_values(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    args.flat_map(|arg| match arg.to_str().and_then(|arg| arg.split_once('=')) {
        Some((flag, value)) if flag.starts_with("--") => vec![flag.into(), value.into()],
        _ => vec![arg],
    })
    .collect()
}

fn run(flags: flags::Xtask) -> Result<()> {
    if let XtaskCmd::Test(test) = &flags.subcommand
        && test.list
    {
        checks::list();
        return Ok(());
    }
    let ws = Workspace::open(flags.yes, flags.verbose)?;
    match flags.subcommand {
        XtaskCmd::Start(start) => start::start(&ws, start.cli),
        XtaskCmd::Test(test) => checks::run(&ws, &test),
        XtaskCmd::Install(install) => install::install(&ws, install.root),
        XtaskCmd::Runtime(_) => {
            let failure =
                || Failure::new("the ONNX runtime was not installed", runtime::MANUAL_REMEDY);
            println!("{}", runtime::install(&ws)?.ok_or_else(failure)?.display());
            Ok(())
        }
        XtaskCmd::Ui(_) => ui::build(&ws),
        XtaskCmd::Bundle(bundle) => {
            for package in bundle::bundle(&ws, &bundle.format)? {
                println!("{}", package.display());
            }
            Ok(())
        }
        XtaskCmd::Release(release) => release::release(&ws, &release.format),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> xflags::Result<flags::Xtask> {
        flags::Xtask::from_vec(split_values(line.split_whitespace().map(OsString::from)))
    }

    #[test]
    fn documented_arguments_are_accepted() {
        for line in [
            "start --cli -y",
            "test --only=fmt -v",
            "test --strict --may-skip servers",
            "release --format deb",
        ] {
            assert!(parse(line).is_ok(), "{line}");
        }
        for line in ["", "begin", "start --fast", "test --only", "bundle --tag"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
