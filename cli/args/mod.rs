//! What can be said on the command line.

mod ask;
mod json;
mod mirror;
mod notes;
mod upkeep;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub use ask::*;
pub use json::Json;
pub use mirror::*;
pub use notes::*;
pub use upkeep::*;

/// Find duplicates and earlier solutions in mirrored issue trackers, offline.
#[derive(Debug, Parser)]
#[command(name = "precedent", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Examples:
  precedent import sample                       a small invented tracker, to try things out
  precedent search \"replication slot fills the disk\"
  precedent import github issues.jsonl.zst --source acme/app
  precedent source add github:acme/app && precedent sync
  precedent show acme/app#12

Exit codes: 0 ok (also when nothing is found), 1 error, 2 wrong usage or input, 4 access refused, 130 interrupted.")]
pub struct Args {
    /// The casebook's folder [default: the user's data folder]
    #[arg(long, global = true, value_name = "DIR", env = "PRECEDENT_CASEBOOK")]
    pub casebook: Option<PathBuf>,
    /// Print neither progress nor remarks
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say which casebook and settings are used, how long it took, and what caused an error
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Whether output has colours [default: on a terminal]
    #[arg(long, global = true, value_name = "WHEN", value_parser = ["auto", "always", "never"])]
    pub color: Option<String>,
    /// Threads that compute vectors [default: the cores, at most 4]
    #[arg(long, global = true, value_name = "N", value_parser = at_least_one)]
    pub threads: Option<usize>,
    /// What makes the vectors
    #[arg(
        long,
        global = true,
        value_name = "KIND",
        env = "PRECEDENT_EMBEDDER",
        default_value = "built-in",
        hide = true
    )]
    pub embedder: EmbedderChoice,
    #[command(subcommand)]
    pub command: Command,
}

/// What makes the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EmbedderChoice {
    /// The built-in ONNX model.
    BuiltIn,
    /// Hashed words, for tests.
    Hashed,
    /// None: words alone.
    Off,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add, list or remove mirrored projects
    #[command(subcommand)]
    Source(SourceCommand),
    /// Fetch what is new from the trackers
    Sync(SyncCommand),
    /// Keep a token for a tracker in the system's keyring; it is read from standard input
    #[command(after_help = "Examples:
  gh auth token | precedent login
  precedent login git.acme.example < token.txt
  precedent login --device --client-id Iv1.0123456789abcdef     in the browser, at GitHub")]
    Login(LoginCommand),
    /// Forget a token that `login` kept
    Logout(HostCommand),
    /// Import what trackers export: whatever it is, it is told by what it holds
    Import(ImportAll),
    /// Bring the indexes up to date, or make them anew
    Index(IndexCommand),
    /// Search issues, pull requests and wiki pages
    Search(SearchCommand),
    /// Ask about a problem: is it known, how is it solved, what to do next
    Ask(AskCommand),
    /// Find earlier reports of the same, with a calibrated confidence
    Duplicates(DuplicatesCommand),
    /// Work through the open reports that may be duplicates
    Triage(TriageCommand),
    /// Put open reports that are known or thought to be one together
    Clusters(ClustersCommand),
    /// Learn from a source's own duplicates how to order and judge candidates
    Calibrate(CalibrateCommand),
    /// Record what you decided about a pair of reports
    #[command(subcommand)]
    Verdict(VerdictCommand),
    /// Find solved cases of the same, with the comments that carry the fix
    Troubleshoot(TroubleshootCommand),
    /// Write down what is known about a problem, with what it rests on, to hand it over
    Brief(BriefCommand),
    /// Keep private notes; the same is looked for before one is stored
    #[command(subcommand)]
    Note(NoteCommand),
    /// Show a document with its whole thread
    Show(ShowCommand),
    /// Show what the casebook holds, and what it does not
    Status(StatusCommand),
    /// See, bring in and change the model that finds what is alike in meaning
    #[command(subcommand)]
    Model(ModelCommand),
    /// Look whether anything is wrong with the casebook, and mend it
    Doctor(DoctorCommand),
    /// Write a whole copy of the casebook's database, while others go on working
    #[command(after_help = "Examples:
  precedent backup ~/casebook-2026-05-12.db

The full text and the vectors are not in it: they are made again from it.")]
    Backup(BackupCommand),
    /// Go back to a copy that `backup` made; what is here now is kept beside it
    #[command(
        after_help = "Others may have the casebook open: they see the one or the other, and never a part of both.

Examples:
  precedent restore ~/casebook-2026-05-12.db
  precedent --casebook ~/new restore ~/casebook-2026-05-12.db"
    )]
    Restore(RestoreCommand),
    /// Write the casebook into one checked file, for a colleague
    #[command(
        after_help = "Sources, documents, comments, links and verdicts are in it; private notes and internal comments only with --with-notes; tokens never.
Others may go on working meanwhile. Full text and vectors are made again where the file is imported.

Examples:
  precedent export acme.casebook
  precedent --casebook ~/acme import casebook acme.casebook      elsewhere, into a casebook of its own"
    )]
    Export(ExportCommand),
    /// Judge ranking on sets of reports with known duplicates
    Eval(EvalCommand),
    /// Serve the casebook to agents (Model Context Protocol, over standard input and output)
    Mcp(McpCommand),
    /// Get, set or list what need not be said with every command
    #[command(
        subcommand,
        after_help = "A flag goes before a variable of the environment (PRECEDENT_DUPLICATES_THRESHOLD), a variable before the file, the
file before the default.

Examples:
  precedent config set source acme/app            bare numbers mean this source
  precedent config set duplicates.threshold 0.5
  precedent config list"
    )]
    Config(ConfigCommand),
    /// Print the JSON Schema of what a command prints with --json
    #[command(after_help = "Examples:
  precedent schema                  what there is a schema of
  precedent schema duplicates
  precedent schema --into docs/schema")]
    Schema {
        /// Of what; without it, the names
        #[arg(value_name = "NAME")]
        name: Option<String>,
        /// Write all of them into this folder
        #[arg(long, value_name = "DIR", conflicts_with = "name")]
        into: Option<PathBuf>,
    },
    /// Print what an agent has to know to use this command line
    #[command(after_help = "Examples:
  mkdir -p skills/precedent && precedent skill > skills/precedent/SKILL.md")]
    Skill,
    /// Print the manual page, or write those of all commands into a folder
    #[command(after_help = "Examples:
  precedent man | man -l -
  precedent man ~/.local/share/man/man1
  precedent man --markdown > docs/reference/command-line.md")]
    Man {
        /// The folder
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
        /// Print all commands as one page of Markdown
        #[arg(long, conflicts_with = "folder")]
        markdown: bool,
    },
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// A number of something of which none makes no sense.
///
/// # Errors
/// What is wrong with it, in words.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("it has to be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_are_consistent() {
        super::Args::command().debug_assert();
    }
}
