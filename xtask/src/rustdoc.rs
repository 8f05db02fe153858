//! A wrapper around rustdoc for `cargo test --doc`: denies warnings in a crate's documentation,
//! then runs its examples. `cargo doc` would compile every dependency again, in check mode.

use std::ffi::{OsStr, OsString};
use std::process::{Command, ExitCode};

/// The variable that turns this program into the wrapper; it names the real rustdoc.
pub const VARIABLE: &str = "XTASK_RUSTDOC";
/// The variable that names the folder for the unused HTML.
pub const OUTPUT: &str = "XTASK_RUSTDOC_OUTPUT";

/// Lints the documentation if examples are to run, then runs rustdoc with its arguments.
pub fn lint_and_test(rustdoc: &OsStr, args: Vec<OsString>) -> ExitCode {
    let run = |args: &[OsString]| {
        Command::new(rustdoc).args(args).status().is_ok_and(|status| status.success())
    };
    if args.iter().any(|arg| arg == "--test") {
        let output = std::env::var_os(OUTPUT).unwrap_or_default();
        let mut lint = without_test_flags(&args);
        lint.extend(["-Dwarnings".into(), "--out-dir".into(), output]);
        if !run(&lint) {
            return ExitCode::FAILURE;
        }
    }
    if run(&args) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn without_test_flags(args: &[OsString]) -> Vec<OsString> {
    let mut filtered_args = args.to_vec();
    filtered_args.retain(|arg| arg != "--test");
    while let Some(index) =
        filtered_args.iter().position(|arg| arg == "--test-run-directory" || arg == "--test-args")
    {
        filtered_args.drain(index..(index + 2).min(filtered_args.len()));
    }
    filtered_args
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lint_omits_test_flags() {
        let line =
            "--crate-name a --test a/src/lib.rs --test-run-directory /a --extern a=liba.rlib";
        let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let filtered_args = without_test_flags(&args).join(OsStr::new(" "));
        assert_eq!(filtered_args, "--crate-name a a/src/lib.rs --extern a=liba.rlib");
    }
}
