//! `cargo xtask`: sets a machine up, starts the product, runs the tests.
#![allow(
    clippy::disallowed_methods,
    reason = "a face, not the engine: it reads the environment of the person who runs it"
)]

mod agents;
mod bundle;
mod checks;
mod clean_root;
mod fail;
mod front;
mod licences;
mod notices;
mod place;
mod python;
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
  runtime    Installs the ONNX runtime into target/runtime and prints its path.
  ui         Builds the front end, if it is stale.
  bundle     Packages of the product, with the ONNX runtime and the model inside, into target/release/bundle.
  try-deb    Installs the .deb into a clean Debian, opens its window there and searches by meaning. Wants root.

Options
  --cli          start: the command line, even where there is a display
  --only STEP    test: this step, with what it needs; may be given again
  --list         test: the names of the steps
  --format NAME  bundle: deb (what Linux makes by default), rpm, appimage, app, dmg, msi or nsis; may be given again
  -y, --yes      install system packages without asking
  -v, --verbose  show the output of the tools as it comes
  -h, --help     this
";

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    command: String,
    /// The command line, even where there is a display.
    pub cli: bool,
    /// Install without asking.
    pub yes: bool,
    /// Show the tools' output.
    pub verbose: bool,
    /// Print the names of the steps.
    pub list: bool,
    /// The steps to run; all if empty.
    pub only: Vec<String>,
    /// The packages to make; this system's usual ones if empty.
    pub formats: Vec<String>,
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
                "--list" => options.list = true,
                "--only" => options.only.push(args.next().ok_or("--only wants the name of a step")?),
                only if only.starts_with("--only=") => options.only.push(only["--only=".len()..].to_owned()),
                "--format" => options.formats.push(args.next().ok_or("--format wants the name of one")?),
                format if format.starts_with("--format=") => {
                    options.formats.push(format["--format=".len()..].to_owned());
                }
                word if !word.starts_with('-') && options.command.is_empty() => options.command = arg,
                _ => return Err(format!("unknown argument {arg}")),
            }
        }
        match options.command.as_str() {
            "help" => return Ok(options),
            "" => return Err("a command is missing".into()),
            "start" | "test" | "runtime" | "ui" | "bundle" | "try-deb" => {}
            other => return Err(format!("unknown command {other}")),
        }
        if options.cli && options.command != "start" {
            return Err("--cli belongs to start".into());
        }
        if (options.list || !options.only.is_empty()) && options.command != "test" {
            return Err("--list and --only belong to test".into());
        }
        if !options.formats.is_empty() && options.command != "bundle" {
            return Err("--format belongs to bundle".into());
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
        "bundle" => bundle::bundle(&place, options),
        "try-deb" => clean_root::try_deb(&place, options),
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
        assert!(read("start --cli -y").unwrap().cli);
        assert_eq!(read("bundle --format deb --format=rpm").unwrap().formats, ["deb", "rpm"]);
        for wrong in [
            "",
            "begin",
            "test --format deb",
            "test --cli",
            "start --only fmt",
            "test --only",
            "start --fast",
            "test more",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
