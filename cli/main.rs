//! `precedent`: the command-line interface to the casebook.
#![allow(
    clippy::disallowed_methods,
    reason = "a front end reads the environment and the clock; the engine does not"
)]

mod access;
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
    model::{Notice, NoticeKind, item_number},
};
use precedent_engine::{
    Casebook, OpenOptions,
    config::{Color, Settings},
};

use access::CasebookAccess;
use args::{Args, Command};
use output::Output;

/// The allocator. The system's allocator took a quarter of the 0.2 s that a command runs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The exit codes listed in docs/reference/settings.md.
const EXIT_ERROR: u8 = 1;
const EXIT_USAGE: u8 = 2;
const EXIT_AUTHENTICATION: u8 = 4;
/// The time that an interrupted command has to end, as it may wait for an uninterruptible lock.
const GRACE_PERIOD: std::time::Duration = std::time::Duration::from_millis(900);
/// The exit code that a shell reports for an interrupted command.
const EXIT_INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => return print_parse_result(&error),
    };
    // The server runs for days, and its threads come and go.
    if matches!(args.command, Command::Mcp(_)) {
        precedent_core::memory::limit_malloc_arenas();
    }
    let runtime =
        match tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build() {
            Ok(runtime) => runtime,
            Err(error) => {
                output::eprint_line(format_args!("error: {error}"));
                return ExitCode::from(EXIT_ERROR);
            }
        };
    let mut output = Output::new(Color::Auto);
    let verbose = args.verbose;
    let start = std::time::Instant::now();
    let result = runtime.block_on(run(args, &mut output));
    if verbose {
        output::eprint_line(format_args!("took {:.2} s", start.elapsed().as_secs_f64()));
    }
    let flush_result = output.finish();
    // An error from the command itself takes precedence over lost output.
    match result.and(flush_result) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::print_error(&error);
            if verbose {
                output::print_causes(&error);
            }
            ExitCode::from(match error.code() {
                Code::InvalidInput => EXIT_USAGE,
                Code::Authentication => EXIT_AUTHENTICATION,
                Code::Cancelled => EXIT_INTERRUPTED,
                _ => EXIT_ERROR,
            })
        }
    }
}

/// Prints the help, the version or the usage error that ended parsing.
fn print_parse_result(error: &clap::Error) -> ExitCode {
    let code = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(EXIT_ERROR));
    if error.use_stderr() {
        let _ = error.print();
        return code;
    }
    let result = error.print().and_then(|()| std::io::Write::flush(&mut std::io::stdout()));
    match result.map_err(output::write_result) {
        Err(Err(error)) => {
            output::print_error(&error);
            ExitCode::from(EXIT_ERROR)
        }
        _ => code,
    }
}

async fn run(mut args: Args, output: &mut Output) -> Result<()> {
    let mut settings = Settings::default();
    // These commands need neither a casebook nor settings; `config` repairs an invalid settings
    // file.
    match &args.command {
        Command::Completions { shell } => return manual::print_completions(*shell, output),
        Command::Man { markdown: true, .. } => return reference::print(output),
        Command::Man { folder, .. } => return manual::write_pages(folder.as_deref(), output),
        Command::Skill => return manual::print_skill(output),
        Command::Schema { name, output_dir } => {
            return schema::run(name.as_deref(), output_dir.as_deref(), output);
        }
        Command::Config(_) => {}
        command => {
            let file = precedent_host::config_file(dirs::config_dir());
            let (file_settings, error) = precedent_host::settings(file.as_deref())?;
            settings = file_settings;
            match error {
                Some(error) if access::required_access(command) > CasebookAccess::Read => {
                    return Err(error);
                }
                Some(error) if !args.quiet => config::warn(&error),
                _ => {}
            }
        }
    }
    *output = Output::new(color(&args, &settings)).quiet(args.quiet);
    if let Command::Config(command) = args.command {
        return config::run(command, output);
    }
    args.casebook = args.casebook.or_else(|| settings.casebook.clone());
    args.threads = args.threads.or(settings.threads);
    if let Command::Eval(command) = &args.command {
        return eval::run(&args, command, output).await;
    }
    let options = open_options(&args, casebook_folder(&args)?);
    if args.verbose {
        print_paths(&options.folder);
    }
    let task = interruptible_task(args.quiet);
    match &args.command {
        Command::Doctor(command) => return doctor::run(options, command, &task, output).await,
        Command::Mcp(command) => return mcp::run(options, &settings, command).await,
        // A dry run stores nothing, so it needs no casebook.
        Command::Import(import) if import.dry_run => {
            return import::dry_run(import, &task, output).await;
        }
        Command::Import(import) => import::check_inputs(import, &options.folder, &task).await?,
        _ => {}
    }
    let (casebook, damaged_database) = match &args.command {
        Command::Restore(command) => Casebook::open_to_restore(options, &command.file).await?,
        _ => (Casebook::open(options).await?, None),
    };
    let session = Session { casebook, task, quiet: args.quiet, settings };
    if let Some(notice) = session.casebook.read_only() {
        session.say(&notice);
    }
    match args.command {
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
        Command::Restore(command) => {
            doctor::restore(&session, command, damaged_database, output).await
        }
        Command::Doctor(_)
        | Command::Eval(_)
        | Command::Mcp(_)
        | Command::Config(_)
        | Command::Schema { .. }
        | Command::Skill
        | Command::Man { .. }
        | Command::Completions { .. } => Ok(()),
    }
}

/// The context shared by all commands.
struct Session {
    casebook: Casebook,
    task: Task,
    quiet: bool,
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
    fn print_notices(&self, notices: &[Notice], output: &mut output::Output) {
        for notice in notices {
            let text = output::plain(&notice.hint);
            match notice.lack {
                NoticeKind::FullText | NoticeKind::SomeVectors | NoticeKind::AllVectors => {
                    output.line(format_args!("{text} Run `precedent index`."));
                }
                NoticeKind::Model => output.line(text),
                _ => self.say(&text),
            }
        }
    }

    /// Prints a message on standard error, unless quiet.
    fn say(&self, text: &str) {
        if !self.quiet {
            output::eprint_line(output::plain(text));
        }
    }
}

/// Determines the color setting: `--color`, then the variables of other tools, then the settings.
fn color(args: &Args, settings: &Settings) -> Color {
    let is_set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    match args.color.as_deref().and_then(Color::parse) {
        Some(color) => color,
        None if is_set("PRECEDENT_COLOR") => settings.color.unwrap_or_default(),
        None if is_set("NO_COLOR") || is_set("CLICOLOR_FORCE") => Color::Auto,
        None => settings.color.unwrap_or_default(),
    }
}

/// Prints the casebook and settings paths on standard error.
fn print_paths(folder: &std::path::Path) {
    output::eprint_line(format_args!("casebook {}", output::plain(folder.display())));
    if let Some(file) = precedent_host::config_file(dirs::config_dir()) {
        let note = if file.is_file() { "" } else { " (not found)" };
        output::eprint_line(format_args!("settings {}{note}", output::plain(file.display())));
    }
}

/// Creates a task whose progress is shown, unless `quiet`, and that Ctrl-C cancels.
fn interruptible_task(quiet: bool) -> Task {
    let task = progress::task(quiet);
    let interrupt = task.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            interrupt.cancel();
            tokio::time::sleep(GRACE_PERIOD).await;
            // An interrupted transaction is rolled back; earlier data is kept.
            output::print_error(&precedent_core::error::cancel_error());
            std::process::exit(i32::from(EXIT_INTERRUPTED));
        }
    });
    task
}

/// Returns the folder of the casebook.
fn casebook_folder(args: &Args) -> Result<PathBuf> {
    let default = || Some(dirs::data_local_dir()?.join("precedent").join("casebook"));
    args.casebook.clone().or_else(default).ok_or_else(|| {
        Error::invalid("cannot determine the home folder for the casebook")
            .with_hint("Set a folder with --casebook DIR.")
    })
}

/// Returns the number of worker threads: at most 4 by default.
fn worker_count(args: &Args) -> usize {
    args.threads
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(2, usize::from).min(4))
        .max(1)
}

/// Returns whether a command needs the model before its first output.
fn needs_model(command: &Command) -> bool {
    match command {
        Command::Search(search) => {
            let keyword_modes = ["keyword", "lexical"];
            let is_keyword_only =
                search.mode.as_deref().is_some_and(|mode| keyword_modes.contains(&mode))
                    || search.query.iter().any(|q| {
                        keyword_modes.iter().any(|mode| q.contains(&format!("mode:{mode}")))
                    });
            !is_keyword_only && !search.query.is_empty()
        }
        Command::Ask(_) | Command::Duplicates(_) | Command::Troubleshoot(_) => true,
        _ => false,
    }
}

/// Returns the options for opening the casebook in this folder.
fn open_options(args: &Args, folder: PathBuf) -> OpenOptions {
    let mut options = OpenOptions::new(folder);
    options.create = access::required_access(&args.command) == CasebookAccess::Create;
    let path_variable = |name: &str| std::env::var_os(name).map(Into::into);
    if let Ok(executable) = std::env::current_exe() {
        options = options.installed_at(
            &executable,
            path_variable("PRECEDENT_ONNXRUNTIME"),
            path_variable("PRECEDENT_MODELS"),
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
    options.workers = worker_count(args);
    options.preload = needs_model(&args.command);
    options
}
