//! `cargo xtask start`: builds and opens the product from a fresh clone.

use crate::build::{self, QUICK, Scope};
use crate::failure::{Failure, Result};
use crate::workspace::Workspace;
use crate::{process, runtime, system, terminal, ui};
use std::path::Path;
use xshell::{Cmd, cmd};

/// A report of an outage that the sample already contains in other words.
const REPORT: &str = "Primary went read-only at 4 am, pg_wal 412 GB. PANIC: could not write to file pg_wal/xlogtemp.1187: No space left on device. The reason is a logical slot fw_pipe_countries. It is active, but restart_lsn is from eleven days ago.";
/// The key of a solved report that [`QUERY`] finds.
const SOLVED_KEY: &str = "ferrywire/ferrywire#2";
const QUERY: &str = "replication slot fills the disk";

/// Installs missing dependencies, builds, and opens the sample casebook.
pub fn start(ws: &Workspace, cli: bool) -> Result<()> {
    let has_window = !cli && has_display();
    if !cli && !has_window {
        terminal::note(
            "No display (neither DISPLAY nor WAYLAND_DISPLAY is set): using the command line.",
        );
    }
    let scope = if has_window { Scope::Window } else { Scope::CommandLine };
    let target = if has_window { "the window with its front end" } else { "the command line" };
    terminal::step(&format!("Build and open {target}, with the sample casebook"));
    terminal::note(&build::estimate(ws, scope, QUICK));
    ws.start_log("build");

    terminal::step("System packages");
    let window_dependencies = if has_window { &[&system::WINDOW, &system::NODE][..] } else { &[] };
    system::ensure(ws, &[&[&system::COMPILER], window_dependencies].concat())?;
    terminal::success(if has_window { "C compiler, WebKitGTK, Node" } else { "C compiler" });
    terminal::step("ONNX runtime, for search by meaning");
    let library = runtime::install_if_possible(ws)?;

    let casebook = ws.target.join("sample-casebook");
    terminal::step("Command line");
    build::build(ws, scope, QUICK, &["precedent"])?;
    runtime::copy_into(ws, library.as_deref(), &ws.target.join(QUICK))?;
    if !has_window {
        return show_sample(ws, &casebook, library.as_deref());
    }
    offer_command_line(ws, &casebook, library.as_deref());
    terminal::step("Window");
    ui::build(ws)?;
    build::build(ws, scope, QUICK, &["precedent", "precedent-desktop"])?;
    let program = ws.relative_display(&ws.executable(QUICK, "precedent-desktop"));
    terminal::note(&format!("With your own casebook: {program}"));
    let command =
        product_command(ws, "precedent-desktop", &casebook, library.as_deref()).arg("--sample");
    run_attached(command, "the window exited with an error")
}

/// Runs a program on this terminal; `error` is the message if it fails.
fn run_attached(command: Cmd, error: &str) -> Result<()> {
    let failure = || Failure::new(error, "Its message is shown above.");
    process::run_attached(command)?.then_some(()).ok_or_else(failure)
}

fn has_display() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

fn product_command<'a>(
    ws: &'a Workspace,
    name: &str,
    casebook: &Path,
    library: Option<&Path>,
) -> Cmd<'a> {
    let program = ws.executable(QUICK, name);
    let mut command = cmd!(ws.sh, "{program} --casebook {casebook}");
    if std::env::var_os("PRECEDENT_MODELS").is_none() {
        command = command.env("PRECEDENT_MODELS", ws.root.join("models"));
    }
    match library {
        Some(library) => command.env(runtime::VARIABLE, library),
        None => command,
    }
}

/// Imports the sample and prints how to search it while the window is built.
fn offer_command_line(ws: &Workspace, casebook: &Path, library: Option<&Path>) {
    let import = product_command(ws, "precedent", casebook, library).args(["import", "sample"]);
    match process::run(ws, import) {
        Ok(_) => {
            let (program, casebook) =
                (ws.executable(QUICK, "precedent"), ws.relative_display(casebook));
            terminal::success(&format!(
                "Search the sample while the window builds, in another terminal:\n    {} --casebook {casebook} search \"{QUERY}\"",
                ws.relative_display(&program)
            ));
        }
        Err(failure) => {
            terminal::warn(&format!("the sample was not imported: {}", failure.summary))
        }
    }
}

/// Shows a solved problem and a duplicate report on the command line.
fn show_sample(ws: &Workspace, casebook: &Path, library: Option<&Path>) -> Result<()> {
    terminal::step("The sample casebook, on the command line");
    let precedent = |args: &[&str]| product_command(ws, "precedent", casebook, library).args(args);
    let show = |args: &[&str]| -> Result<()> {
        let command = precedent(args);
        println!("\n{}", terminal::style("1", &format!("$ {command}")));
        run_attached(command, &format!("`precedent {}` failed", args[0]))
    };
    show(&["import", "sample"])?;
    show(&["search", QUERY, "-L", "5"])?;
    show(&["show", SOLVED_KEY])?;
    show(&["duplicates", "--body", REPORT, "--include-closed", "-L", "3"])?;
    terminal::success(&format!(
        "More: {} --help",
        ws.relative_display(&ws.executable(QUICK, "precedent"))
    ));
    Ok(())
}
