//! `precedent man --markdown`: every command with its flags as one page, made from the parser itself.

use std::fmt::Write as _;

use clap::{Arg, Command, CommandFactory as _};
use precedent_core::Result;

use crate::{args::Args, output::Output};

const HEAD: &str = "\
# Command line

This page is made from the program: `precedent man --markdown`. A test holds that it is current.
`precedent COMMAND --help` shows the same, `precedent man DIR` writes manual pages, and `precedent completions SHELL` prints completions.
Output, variables and exit codes are in [Settings](settings.md).
";

/// Prints the page.
pub fn print(output: &mut Output) -> Result<()> {
    output.bytes(page().as_bytes());
    Ok(())
}

fn page() -> String {
    let mut root = Args::command().disable_help_subcommand(true);
    root.build();
    let mut out = HEAD.to_owned();
    out.push_str("\n## Flags of every command\n");
    flags(&mut out, root.get_arguments().filter(|a| a.is_global_set()));
    for command in root.get_subcommands().filter(|c| !c.is_hide_set()) {
        section(&mut out, command, 2);
    }
    out
}

/// A command, then those in it.
fn section(out: &mut String, command: &Command, depth: usize) {
    let name = command.get_bin_name().unwrap_or(command.get_name());
    let _ = writeln!(out, "\n{} {name}", "#".repeat(depth));
    if let Some(about) = command.get_about() {
        let _ = writeln!(out, "\n{}.", escaped(&about.to_string()));
    }
    let inner: Vec<&Command> = command.get_subcommands().filter(|c| !c.is_hide_set()).collect();
    let own = || command.get_arguments().filter(|a| !a.is_global_set() && !is_help(a) && !a.is_hide_set());
    if inner.is_empty() || own().next().is_some() {
        let usage = command.clone().render_usage().to_string();
        let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
        let usage: Vec<&str> = usage.lines().map(str::trim).collect();
        let _ = writeln!(out, "\n```\n{}\n```", usage.join("\n"));
    }
    flags(out, own());
    if let Some(more) = command.get_after_help() {
        let _ = writeln!(out, "\n```\n{}\n```", more.to_string().trim_end());
    }
    for one in inner {
        section(out, one, depth + 1);
    }
}

fn is_help(arg: &Arg) -> bool {
    matches!(arg.get_id().as_str(), "help" | "version")
}

fn flags<'a>(out: &mut String, args: impl Iterator<Item = &'a Arg>) {
    let rows: Vec<String> = args.filter(|a| !a.is_hide_set()).map(row).collect();
    if !rows.is_empty() {
        let _ = writeln!(out, "\n| | |\n|---|---|\n{}", rows.join("\n"));
    }
}

fn row(arg: &Arg) -> String {
    let mut names: Vec<String> = Vec::new();
    names.extend(arg.get_short().map(|c| format!("-{c}")));
    names.extend(arg.get_long().map(|l| format!("--{l}")));
    let values = arg.get_value_names().unwrap_or_default();
    let takes = arg.get_action().takes_values();
    let value = values.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let typed = match (names.is_empty(), takes) {
        (true, _) => value,
        (false, true) if arg.is_require_equals_set() => format!("{}[={value}]", names.join(", ")),
        (false, true) => format!("{} {value}", names.join(", ")),
        (false, false) => names.join(", "),
    };
    let mut about = escaped(&arg.get_help().map(ToString::to_string).unwrap_or_default());
    let possible: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|v| takes && !v.is_hide_set())
        .map(|v| format!("`{}`", v.get_name()))
        .collect();
    if !possible.is_empty() {
        let _ = write!(about, ": {}", possible.join(", "));
    }
    let default: Vec<_> = arg.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    if takes && !default.is_empty() {
        let _ = write!(about, " (default: `{}`)", default.join(" "));
    }
    if let Some(variable) = arg.get_env() {
        let _ = write!(about, " (variable: `{}`)", variable.to_string_lossy());
    }
    format!("| `{}` | {about} |", typed.replace('|', "\\|"))
}

/// Text of a help as Markdown: no cell ends early, no tag begins.
fn escaped(text: &str) -> String {
    let text = text.replace('\n', " ").replace('|', "\\|").replace('<', "&lt;");
    // Words in capitals with an underscore, and patterns, would otherwise be emphasis.
    text.replace('_', "\\_").replace('*', "\\*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_has_a_section_and_every_flag_a_row() {
        fn check(page: &str, command: &Command) {
            for inner in command.get_subcommands().filter(|c| !c.is_hide_set()) {
                let name = inner.get_bin_name().unwrap();
                assert!(
                    page.lines().any(|l| l.trim_start_matches('#').trim() == name && l.starts_with('#')),
                    "{name}"
                );
                for arg in inner.get_arguments().filter(|a| !a.is_hide_set() && !is_help(a)) {
                    if let Some(long) = arg.get_long() {
                        assert!(page.contains(&format!("--{long}")), "{name} --{long}");
                    }
                }
                check(page, inner);
            }
        }
        let mut root = Args::command().disable_help_subcommand(true);
        root.build();
        check(&page(), &root);
    }
}
