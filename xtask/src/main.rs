//! `cargo xtask`: sets a machine up, starts the product, runs the tests.
#![allow(
    clippy::disallowed_methods,
    reason = "a face, not the engine: it reads the environment of the person who runs it"
)]

mod agents;
mod bench;
mod bundle;
mod charts;
mod checks;
mod clean_root;
mod docs;
mod fail;
mod front;
mod install;
mod licences;
mod notices;
mod pages;
mod place;
mod python;
mod release;
mod runtime;
mod say;
mod shell;
mod start;
mod summary;
mod system;
mod tidy;

use fail::{Fail, Result};
use place::Place;
use say::Say;
use std::process::ExitCode;
use system::Consent;

const HELP: &str = "\
Usage: cargo xtask <command> [options]

  start      From a fresh clone to the product: installs what is missing, builds, opens the window with the sample
             casebook. Without a display, the same on the command line.
  test       Everything that must pass before a change goes in.
  install    The command line into cargo's folder of commands, with the ONNX runtime and the model.
  runtime    Installs the ONNX runtime into target/runtime and prints its path.
  ui         Builds the front end, if it is stale.
  bundle     Packages of the product, with the ONNX runtime and the model inside, into target/release/bundle.
  release    Packages, list of parts, sums and signatures of the version in Cargo.toml, into target/release/dist.
  bench      Measures what docs/performance.md tells: `bench` lists what, `bench peers --archive FOLDER` sets others beside it.
  charts     Draws the charts of the documentation from its tables.
  try-deb    Installs the .deb into a clean Debian, opens its window there and searches by meaning. Wants root.

Options
  --cli          start: the command line, even where there is a display
  --only STEP    test: this step, with what it needs; may be given again
  --fast         test: in minutes, for the loop: what needs no process, server or window
  --list         test: the names of the steps
  --strict       test: a step that is skipped has failed
  --may-skip STEP  test: but not this one; may be given again
  --archive FOLDER, --casebook DIR, --items N, --into DIR
                 bench: what is measured, how many items, and where what is made of it is kept
  --beside PROGRAM  bench: another program to measure in the same run
  --root DIR     install: into this folder in place of cargo's own
  --set VERSION  release: begin one: write the version and close the changelog's section
  --tag          release: set the tag at the end
  --format NAME  bundle, release: deb (what Linux makes by default), rpm, appimage, app, dmg, msi or nsis; may be given again
  -y, --yes      install system packages without asking
  -v, --verbose  show the output of the tools as it comes
  -h, --help     this
";

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    command: String,
    /// What to measure.
    pub name: Option<String>,
    /// Exported items to measure with.
    pub archive: Option<String>,
    /// A casebook to measure with.
    pub casebook: Option<String>,
    /// How many items.
    pub items: Option<String>,
    /// Another program to measure beside it.
    pub beside: Option<String>,
    /// Where what is measured is kept.
    pub into: Option<String>,
    /// The command line, even where there is a display.
    pub cli: bool,
    /// Install without asking.
    pub yes: bool,
    /// Show the tools' output.
    pub verbose: bool,
    /// Only what is checked within minutes.
    pub fast: bool,
    /// Print the names of the steps.
    pub list: bool,
    /// The steps to run; all if empty.
    pub only: Vec<String>,
    /// The packages to make; this system's usual ones if empty.
    pub formats: Vec<String>,
    /// A step that is skipped has failed.
    pub strict: bool,
    /// But not these.
    pub may_skip: Vec<String>,
    /// Where to install.
    pub root: Option<String>,
    /// The version of a release that begins.
    pub set: Option<String>,
    /// Set the tag of a release.
    pub tag: bool,
}

impl Options {
    fn read(args: impl IntoIterator<Item = String>) -> std::result::Result<Self, String> {
        let mut options = Self::default();
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "-h" | "--help" | "help" => options.command = "help".into(),
                "-v" | "--verbose" => options.verbose = true,
                "-y" | "--yes" => options.yes = true,
                "--cli" => options.cli = true,
                "--fast" => options.fast = true,
                "--list" => options.list = true,
                "--strict" => options.strict = true,
                "--tag" => options.tag = true,
                _ if arg.starts_with("--") => {
                    let (name, value) = match arg.split_once('=') {
                        Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                        None => (arg.clone(), None),
                    };
                    let mut value =
                        || value.clone().or_else(|| args.next()).ok_or(format!("{name} wants a value"));
                    match name.as_str() {
                        "--only" => options.only.push(value()?),
                        "--may-skip" => options.may_skip.push(value()?),
                        "--format" => options.formats.push(value()?),
                        "--archive" => options.archive = Some(value()?),
                        "--casebook" => options.casebook = Some(value()?),
                        "--items" => options.items = Some(value()?),
                        "--beside" => options.beside = Some(value()?),
                        "--into" => options.into = Some(value()?),
                        "--root" => options.root = Some(value()?),
                        "--set" => options.set = Some(value()?),
                        _ => return Err(format!("unknown argument {arg}")),
                    }
                }
                word if !word.starts_with('-') && options.command.is_empty() => options.command = arg,
                word if !word.starts_with('-') && options.command == "bench" && options.name.is_none() => {
                    options.name = Some(arg);
                }
                _ => return Err(format!("unknown argument {arg}")),
            }
        }
        match options.command.as_str() {
            "help" => return Ok(options),
            "" => return Err("a command is missing".into()),
            "start" | "test" | "install" | "runtime" | "ui" | "bench" | "bundle" | "release" | "charts"
            | "try-deb" => {}
            other => return Err(format!("unknown command {other}")),
        }
        if options.cli && options.command != "start" {
            return Err("--cli belongs to start".into());
        }
        if (options.list || options.fast || !options.only.is_empty()) && options.command != "test" {
            return Err("--fast, --list and --only belong to test".into());
        }
        if options.fast && !options.only.is_empty() {
            return Err("--fast chooses the steps itself: leave --only out".into());
        }
        if (options.strict || !options.may_skip.is_empty()) && options.command != "test" {
            return Err("--strict and --may-skip belong to test".into());
        }
        if !options.may_skip.is_empty() && !options.strict {
            return Err("--may-skip belongs to --strict".into());
        }
        if !options.formats.is_empty() && !["bundle", "release"].contains(&options.command.as_str()) {
            return Err("--format belongs to bundle and release".into());
        }
        let measured = [&options.archive, &options.casebook, &options.items, &options.into, &options.beside];
        if measured.iter().any(|option| option.is_some()) && options.command != "bench" {
            return Err("--archive, --casebook, --items, --beside and --into belong to bench".into());
        }
        if options.root.is_some() && options.command != "install" {
            return Err("--root belongs to install".into());
        }
        if (options.tag || options.set.is_some()) && options.command != "release" {
            return Err("--set and --tag belong to release".into());
        }
        Ok(options)
    }
}

fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(what) => {
            anstream::eprintln!("\x1b[31merror:\x1b[0m {what}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fail) => {
            anstream::eprintln!("{fail}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<()> {
    if options.command == "help" {
        print!("{HELP}");
        return Ok(());
    }
    if options.list {
        checks::list();
        return Ok(());
    }
    let place = Place::find()?;
    let consent = Consent { yes: options.yes };
    let mut say = Say::default();
    match options.command.as_str() {
        "start" => start::start(&place, options),
        "test" => checks::run(&place, options),
        "bundle" => {
            for package in bundle::bundle(&place, options)? {
                println!("{}", package.display());
            }
            Ok(())
        }
        "install" => install::install(&place, options),
        "bench" => bench::bench(&place, options),
        "release" => release::release(&place, options),
        "try-deb" => clean_root::try_deb(&place, options),
        "charts" => {
            for chart in charts::write(&place)? {
                println!("{}", place.short(&chart));
            }
            Ok(())
        }
        "runtime" => {
            say.step("ONNX runtime, for search by meaning");
            let found = runtime::install(&place, consent, options.verbose)?;
            found.tell(&place);
            match found.path() {
                Some(path) => {
                    println!("{}", path.display());
                    Ok(())
                }
                None => Err(Fail::new("no ONNX runtime was installed", "")),
            }
        }
        _ => {
            say.step("Front end");
            system::ensure(system::Need::Node, consent, options.verbose)?;
            let installed = front::install(&place, options.verbose)?;
            let built = front::build(&place, options.verbose)?;
            say::done(if installed || built { "built" } else { "up to date" });
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> std::result::Result<Options, String> {
        Options::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read() {
        let options = read("test --only fmt --only=clippy -v").unwrap();
        assert_eq!((options.command.as_str(), options.verbose), ("test", true));
        assert_eq!(options.only, ["fmt", "clippy"]);
        assert!(read("test --fast").unwrap().fast);
        assert!(read("start --cli -y").unwrap().cli);
        assert_eq!(read("bundle --format deb --format=rpm").unwrap().formats, ["deb", "rpm"]);
        let options = read("test --strict --may-skip servers --may-skip=window").unwrap();
        assert!(options.strict && options.may_skip == ["servers", "window"]);
        assert_eq!(read("release --set=0.2.0").unwrap().set.as_deref(), Some("0.2.0"));
        let options = read("bench peers --archive /a --items=3000").unwrap();
        assert_eq!((options.name.as_deref(), options.archive.as_deref()), (Some("peers"), Some("/a")));
        assert_eq!(read("install --root /x").unwrap().root.as_deref(), Some("/x"));
        for wrong in [
            "",
            "test --may-skip window",
            "test --set 1.0.0",
            "start --tag",
            "bundle --root x",
            "begin",
            "test --format deb",
            "test --cli",
            "start --only fmt",
            "test --only",
            "start --fast",
            "test --fast --only fmt",
            "test more",
            "test --archive /a",
            "bench peers scale",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
