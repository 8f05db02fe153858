//! `precedent`: the command-line interface to the casebook.
#![allow(
    clippy::disallowed_methods,
    reason = "a face reads the environment and the clock; the engine does not"
)]

mod args;
mod article;
mod ask;
mod brief;
mod calibrate;
mod closures;
mod comment;
mod config;
mod doctor;
mod duplicates;
mod eval;
mod import;
mod index;
mod input;
mod logs;
mod manual;
mod mcp;
mod model;
mod need;
mod note;
mod output;
mod problems;
mod progress;
mod reference;
mod schema;
mod search;
mod show;
mod source;
mod status;
mod sync;
mod tokens;
mod triage;
mod troubleshoot;
mod verdict;

use std::{path::PathBuf, process::ExitCode};

use clap::Parser as _;
use precedent_core::{
    Code, Error, Result, Task,
    model::{Lack, Notice, item_number},
};
use precedent_engine::{
    Casebook, OpenOptions,
    config::{Color, Settings},
};

use args::{Args, Command};
use need::Need;
use output::Output;

/// The global allocator. A command takes 0.2 s, of which the system allocator took a quarter.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit codes listed in docs/reference/settings.md.
const ERROR: u8 = 1;
const USAGE: u8 = 2;
const AUTHENTICATION: u8 = 4;
/// The time that an interrupted command may take to end: it may wait for a lock that cannot be
/// interrupted.
const GRACE: std::time::Duration = std::time::Duration::from_millis(900);
/// The exit code that a shell reports for an interrupted command.
const INTERRUPT_CODE: u8 = 130;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return tell(&error),
    };
    // It stays for days, and its threads come and go.
    if matches!(args.command, Command::Mcp(_)) {
        precedent_core::memory::limit_malloc_arenas();
    }
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                output::remark(format_args!("error: {error}"));
                return ExitCode::from(ERROR);
            }
        };
    let mut output = Output::new(Color::Auto);
    let verbose = args.verbose;
    let result = runtime.block_on(run(args, &mut output));
    let flush_result = output.finish();
    // The error of the command itself takes precedence over lost output.
    match result.and(flush_result) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::report(&error);
            if verbose {
                output::causes(&error);
            }
            ExitCode::from(match error.code() {
                Code::InvalidInput => USAGE,
                Code::Authentication => AUTHENTICATION,
                Code::Cancelled => INTERRUPT_CODE,
                _ => ERROR,
            })
        }
    }
}

/// Prints the help, the version, or the error in the arguments.
fn tell(error: &clap::Error) -> ExitCode {
    let code = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(ERROR));
    if error.use_stderr() {
        let _ = error.print();
        return code;
    }
    let result = error.print().and_then(|()| std::io::Write::flush(&mut std::io::stdout()));
    match result.map_err(output::write_result) {
        Err(Err(error)) => {
            output::report(&error);
            ExitCode::from(ERROR)
        }
        _ => code,
    }
}

async fn run(args: Args, output: &mut Output) -> Result<()> {
    let began = std::time::Instant::now();
    let mut settings = Settings::default();
    // These commands need neither a casebook nor settings; `config` repairs an invalid settings
    // file.
    match &args.command {
        Command::Completions { shell } => return manual::completions(*shell, output),
        Command::Man { markdown: true, .. } => return reference::print(output),
        Command::Man { folder, .. } => return manual::pages(folder.as_deref(), output),
        Command::Skill => return manual::skill(output),
        Command::Schema { name, into } => {
            return schema::run(name.as_deref(), into.as_deref(), output);
        }
        Command::Config(_) => {}
        command => {
            let file = precedent_host::config_file(dirs::config_dir());
            let (file_settings, wrong) = precedent_host::settings(file.as_deref())?;
            settings = file_settings;
            match wrong {
                Some(wrong) if need::of(command) > Need::Read => return Err(wrong),
                Some(wrong) if !args.quiet => config::warn(&wrong),
                _ => {}
            }
        }
    }
    *output = Output::new(color(&args, &settings)).quiet(args.quiet);
    let mut args = args;
    if let Command::Config(command) = args.command {
        return config::run(command, output);
    }
    args.casebook = args.casebook.or_else(|| settings.casebook.clone());
    args.threads = args.threads.or(settings.threads);
    if let Command::Eval(command) = &args.command {
        return eval::run(&args, command, output).await;
    }
    let options = options(&args, folder(&args)?);
    let verbose = args.verbose;
    if verbose {
        explain(&options.folder);
    }
    let bar = progress::Bar::new(args.quiet);
    let task = interruptible(&bar);
    if let Command::Doctor(command) = &args.command {
        let result = doctor::run(options, command, &task, output).await;
        bar.finish();
        return result;
    }
    if let Command::Mcp(command) = &args.command {
        let result = mcp::run(options, &settings, command).await;
        bar.finish();
        return result;
    }
    let args = match args.command {
        // A dry run stores nothing, so it needs no casebook.
        Command::Import(import) if import.dry_run => {
            let result = import::dry_run(&import, &task, output).await;
            bar.finish();
            return result;
        }
        command => Args { command, ..args },
    };
    if let Command::Import(import) = &args.command {
        import::before_a_new_casebook(import, &options.folder, &task).await?;
    }
    let (casebook, aside) = match &args.command {
        Command::Restore(command) => Casebook::open_to_restore(options, &command.file).await?,
        _ => (Casebook::open(options).await?, None),
    };
    let session = Session { casebook, task, bar: bar.clone(), quiet: args.quiet, settings };
    if let Some(remark) = session.casebook.read_only() {
        session.say(&remark);
    }
    let result = match args.command {
        Command::Source(command) => source::run(&session, command, output).await,
        Command::Sync(command) => sync::run(&session, command, output).await,
        Command::Login(command) => tokens::login(&session, command).await,
        Command::Logout(command) => tokens::logout(&session, command).await,
        Command::Import(command) => import::run(&session, command, output).await,
        Command::Index(command) => index::run(&session, command, output).await,
        Command::Search(command) => search::run(&session, command, output).await,
        Command::Ask(command) => ask::run(&session, command, output).await,
        Command::Duplicates(command) => duplicates::run(&session, command, output).await,
        Command::Triage(command) => triage::run(&session, command, output).await,
        Command::Problems(command) => problems::run(&session, command, output).await,
        Command::Calibrate(command) => calibrate::run(&session, command, output).await,
        Command::Verdict(command) => verdict::run(&session, command, output).await,
        Command::Troubleshoot(command) => troubleshoot::run(&session, command, output).await,
        Command::Brief(command) => brief::run(&session, command, output).await,
        Command::Article(command) => article::run(&session, command, output).await,
        Command::Model(command) => model::run(&session, command, output).await,
        Command::Note(command) => note::run(&session, command, output).await,
        Command::Show(command) => show::run(&session, command, output).await,
        Command::Status(command) => status::run(&session, command, output).await,
        Command::Backup(command) => doctor::backup(&session, command, output).await,
        Command::Export(command) => doctor::export(&session, command, output).await,
        Command::Restore(command) => doctor::restore(&session, command, aside, output).await,
        Command::Doctor(_)
        | Command::Eval(_)
        | Command::Mcp(_)
        | Command::Config(_)
        | Command::Schema { .. }
        | Command::Skill
        | Command::Man { .. }
        | Command::Completions { .. } => Ok(()),
    };
    bar.finish();
    if verbose {
        output::remark(format_args!("took {:.2} s", began.elapsed().as_secs_f64()));
    }
    result
}

/// The context shared by all commands.
struct Session {
    casebook: Casebook,
    task: Task,
    /// The progress bar of the task.
    bar: progress::Bar,
    quiet: bool,
    /// Settings of the user.
    settings: Settings,
}

impl Session {
    /// Returns the key as typed; a bare number gets the configured source, if any.
    fn key(&self, text: &str) -> String {
        match &self.settings.source {
            Some(source) if item_number(text.trim_start_matches('#')).is_some() => {
                format!("{source}#{}", text.trim_start_matches('#'))
            }
            _ => text.to_owned(),
        }
    }

    /// Prints the notices of an answer.
    ///
    /// Notices that make the answer inconclusive go to standard output first; all others go to
    /// standard error.
    fn notices(&self, notices: &[Notice], output: &mut output::Output) {
        for notice in notices {
            match notice.lack {
                Lack::FullText | Lack::SomeVectors | Lack::AllVectors => {
                    output.line(output::plain(&format!("{} Run `precedent index`.", notice.text)));
                }
                Lack::Model => output.line(output::plain(&notice.text)),
                _ => self.say(&notice.text),
            }
        }
    }

    /// Prints a remark on standard error, unless quiet.
    fn say(&self, text: &str) {
        if !self.quiet {
            output::remark(output::plain(text));
        }
    }
}

/// Determines the colour setting: `--color`, then the variables of other tools, then the settings.
fn color(args: &Args, settings: &Settings) -> Color {
    let choice = args.color.as_deref().and_then(Color::parse);
    let has_color_variable = || std::env::var_os("PRECEDENT_COLOR").is_some_and(|v| !v.is_empty());
    let is_set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    match choice {
        Some(color) => color,
        None if !has_color_variable() && (is_set("NO_COLOR") || is_set("CLICOLOR_FORCE")) => {
            Color::Auto
        }
        None => settings.color.unwrap_or_default(),
    }
}

/// Prints the casebook and settings paths on standard error.
fn explain(folder: &std::path::Path) {
    output::remark(format_args!("casebook {}", output::plain(&folder.display().to_string())));
    if let Some(file) = precedent_host::config_file(dirs::config_dir()) {
        let note = if file.is_file() { "" } else { " (not found)" };
        output::remark(format_args!(
            "settings {}{note}",
            output::plain(&file.display().to_string())
        ));
    }
}

/// Creates a task that is shown by the bar and cancelled by Ctrl-C.
fn interruptible(bar: &progress::Bar) -> Task {
    let task = bar.task();
    let interrupt = task.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupt.cancel();
            tokio::time::sleep(GRACE).await;
            // An interrupted transaction is rolled back; earlier data is kept.
            output::report(&precedent_core::error::cancel_error());
            std::process::exit(i32::from(INTERRUPT_CODE));
        }
    });
    task
}

/// Returns the folder of the casebook.
fn folder(args: &Args) -> Result<PathBuf> {
    match &args.casebook {
        Some(folder) => Ok(folder.clone()),
        None => Ok(dirs::data_local_dir()
            .ok_or_else(|| {
                Error::invalid("no home folder was found for the casebook")
                    .with_hint("Set a folder with --casebook DIR.")
            })?
            .join("precedent")
            .join("casebook")),
    }
}

/// Returns the number of worker threads: at most 4 by default.
fn workers(args: &Args) -> usize {
    args.threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(2, usize::from).min(4))
        .max(1)
}

async fn open(args: &Args, folder: PathBuf) -> Result<Casebook> {
    Casebook::open(options(args, folder)).await
}

/// Returns whether a command needs the model before its first output.
fn searches_by_meaning(command: &Command) -> bool {
    match command {
        Command::Search(search) => {
            let names = ["keyword", "lexical"];
            let lexical = search.mode.as_deref().is_some_and(|mode| names.contains(&mode))
                || search
                    .query
                    .iter()
                    .any(|q| names.iter().any(|n| q.contains(&format!("mode:{n}"))));
            !lexical && !search.query.is_empty()
        }
        Command::Ask(_) | Command::Duplicates(_) | Command::Troubleshoot(_) => true,
        _ => false,
    }
}

/// Returns the options for opening the casebook in this folder.
fn options(args: &Args, folder: PathBuf) -> OpenOptions {
    let mut options = OpenOptions::new(folder);
    options.create = need::of(&args.command) == Need::Make;
    let path = |name: &str| std::env::var_os(name).map(Into::into);
    if let Ok(executable) = std::env::current_exe() {
        options = options.installed_at(
            &executable,
            path("PRECEDENT_ONNXRUNTIME"),
            path("PRECEDENT_MODELS"),
        );
    }
    match args.embedder {
        args::EmbedderChoice::BuiltIn => {}
        args::EmbedderChoice::Hashed => {
            options.engine = Some(precedent_index::embed::Engine::Hashed)
        }
        args::EmbedderChoice::Off => options.engine = Some(precedent_index::embed::Engine::Off),
    }
    options.secrets = precedent_host::secrets();
    options.proxy = precedent_host::proxy();
    options.hub = precedent_host::hub();
    options.workers = workers(args);
    options.preload = searches_by_meaning(&args.command);
    options
}
