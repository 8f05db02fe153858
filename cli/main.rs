//! `precedent`: the command line over the casebook.
#![allow(
    clippy::disallowed_methods,
    reason = "a face reads the environment and the clock; the engine does not"
)]

mod args;
mod brief;
mod calibrate;
mod doctor;
mod duplicates;
mod eval;
mod import;
mod index;
mod mcp;
mod note;
mod output;
mod progress;
mod read;
mod search;
mod show;
mod source;
mod status;
mod surroundings;
mod sync;
mod tokens;
mod triage;
mod troubleshoot;
mod verdict;

use std::{path::PathBuf, process::ExitCode};

use clap::{CommandFactory as _, Parser as _};
use precedent::{Casebook, Code, Error, OpenOptions, Result, Task};

use args::{Args, Command};
use output::Output;

/// Exit codes as the README lists them.
const ERROR: u8 = 1;
const USAGE: u8 = 2;
const AUTHENTICATION: u8 = 4;
/// What a shell reports for an interrupted command.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let args = Args::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(ERROR);
        }
    };
    let mut output = Output::new();
    let result = runtime.block_on(run(args, &mut output));
    output.finish();
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::report(&error);
            ExitCode::from(match error.code() {
                Code::InvalidInput => USAGE,
                Code::Authentication => AUTHENTICATION,
                Code::Cancelled => INTERRUPTED,
                _ => ERROR,
            })
        }
    }
}

async fn run(args: Args, output: &mut Output) -> Result<()> {
    if let Command::Completions { shell } = args.command {
        clap_complete::generate(shell, &mut Args::command(), "precedent", output);
        return Ok(());
    }
    if let Command::Eval(command) = &args.command {
        return eval::run(&args, command, output).await;
    }
    let options = options(&args, folder(&args)?);
    let bar = progress::Bar::new(args.quiet);
    let task = interruptible(&bar);
    if let Command::Doctor(command) = &args.command {
        let result = doctor::run(options, command, &task, output).await;
        bar.finish();
        return result;
    }
    let casebook = Casebook::open(options).await?;
    let session = Session { casebook, task, quiet: args.quiet };
    let result = match args.command {
        Command::Source(command) => source::run(&session, command, output).await,
        Command::Sync(command) => sync::run(&session, command, output).await,
        Command::Login(command) => tokens::login(&session, command).await,
        Command::Logout(command) => tokens::logout(&session, command).await,
        Command::Import(command) => import::run(&session, command, output).await,
        Command::Index(command) => index::run(&session, command, output).await,
        Command::Search(command) => search::run(&session, command, output).await,
        Command::Duplicates(command) => duplicates::run(&session, command, output).await,
        Command::Triage(command) => triage::run(&session, command, output).await,
        Command::Calibrate(command) => calibrate::run(&session, command, output).await,
        Command::Verdict(command) => verdict::run(&session, command, output).await,
        Command::Troubleshoot(command) => troubleshoot::run(&session, command, output).await,
        Command::Brief(command) => brief::run(&session, command, output).await,
        Command::Mcp(command) => mcp::run(&session, command).await,
        Command::Note(command) => note::run(&session, command, output).await,
        Command::Show(command) => show::run(&session, command, output).await,
        Command::Status(command) => status::run(&session, command, output).await,
        Command::Backup(command) => doctor::backup(&session, command, output).await,
        Command::Export(command) => doctor::export(&session, command, output).await,
        Command::Doctor(_) | Command::Eval(_) | Command::Completions { .. } => Ok(()),
    };
    bar.finish();
    result
}

/// What every command works with.
struct Session {
    casebook: Casebook,
    task: Task,
    quiet: bool,
}

impl Session {
    /// A remark for the person, on standard error.
    fn say(&self, text: &str) {
        if !self.quiet {
            anstream::eprintln!("{}", output::plain(text));
        }
    }
}

/// A task that the bar shows and Ctrl-C cancels.
fn interruptible(bar: &progress::Bar) -> Task {
    let task = bar.task();
    let interrupted = task.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupted.cancel();
        }
    });
    task
}

/// The folder of the casebook that the commands work on.
fn folder(args: &Args) -> Result<PathBuf> {
    match &args.casebook {
        Some(folder) => Ok(folder.clone()),
        None => Ok(dirs::data_local_dir()
            .ok_or_else(|| {
                Error::invalid("there is no home folder to keep the casebook in")
                    .with_hint("Name a folder: --casebook DIR")
            })?
            .join("precedent")
            .join("casebook")),
    }
}

/// A command that someone waits for may use the whole machine.
fn workers(args: &Args) -> usize {
    args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(2, usize::from).min(4)).max(1)
}

async fn open(args: &Args, folder: PathBuf) -> Result<Casebook> {
    Casebook::open(options(args, folder)).await
}

/// How to open the casebook in this folder.
fn options(args: &Args, folder: PathBuf) -> OpenOptions {
    let mut options = OpenOptions::new(folder);
    let path = |name: &str| std::env::var_os(name).map(Into::into);
    if let Ok(executable) = std::env::current_exe() {
        options = options.installed_at(&executable, path("PRECEDENT_ONNXRUNTIME"), path("PRECEDENT_MODELS"));
    }
    match args.embedder {
        args::EmbedderChoice::BuiltIn => {}
        args::EmbedderChoice::Hashed => options.engine = Some(precedent::embed::Engine::Hashed),
        args::EmbedderChoice::Off => options.engine = Some(precedent::embed::Engine::Off),
    }
    options.secrets = surroundings::secrets();
    options.proxy = surroundings::proxy();
    options.workers = workers(args);
    options
}
