//! Command-line arguments.

mod ask;
mod maintenance;
mod mirror;
mod notes;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub use ask::*;
pub use maintenance::*;
pub use mirror::*;
pub use notes::*;

/// The `--json` option.
#[derive(Clone, Debug, clap::Args)]
pub struct JsonArgs {
    /// Print JSON; FIELDS is a comma-separated list of fields to include
    #[arg(long, value_name = "FIELDS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub json: Option<String>,
}

/// The heading of the options that every command has.
const GLOBAL_HEADING: &str = "Global options";

/// Find duplicates and earlier solutions in mirrored issue trackers, offline.
#[derive(Debug, Parser)]
#[command(name = "precedent", version, about, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = "Examples:
  precedent import sample                  # a small sample tracker
  precedent search \"replication slot fills the disk\"
  precedent import github issues.jsonl.zst --source acme/app
  precedent source add github:acme/app && precedent sync
  precedent show acme/app#12

Exit codes: 0 success (even if nothing is found), 1 error, 2 invalid usage or input, 4 \
    access denied, 130 interrupted.")]
pub struct Args {
    /// Casebook folder [default: in the user's data folder]
    #[arg(long, global = true, value_name = "DIR", env = "PRECEDENT_CASEBOOK", help_heading = GLOBAL_HEADING)]
    pub casebook: Option<PathBuf>,
    /// Don't print progress or notices
    #[arg(short, long, global = true, help_heading = GLOBAL_HEADING)]
    pub quiet: bool,
    /// Show the casebook and settings in use, timings, and the causes of errors
    #[arg(short, long, global = true, conflicts_with = "quiet", help_heading = GLOBAL_HEADING)]
    pub verbose: bool,
    /// When to color the output [default: auto]
    #[arg(long, global = true, value_name = "WHEN", value_parser = ["auto", "always", "never"], help_heading = GLOBAL_HEADING)]
    pub color: Option<String>,
    /// Threads for computing vectors [default: number of cores, at most 4]
    #[arg(long, global = true, value_name = "N", value_parser = parse_positive, help_heading = GLOBAL_HEADING)]
    pub threads: Option<usize>,
    /// Embedder that computes the vectors
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

/// The embedder that computes the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EmbedderChoice {
    /// The built-in ONNX model
    BuiltIn,
    /// Hashed words, for tests
    Hashed,
    /// No embedder: keyword search only
    Off,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Add, test, list or remove mirrored projects
    #[command(subcommand)]
    Source(SourceCommand),
    /// Fetch changes from the trackers
    Sync(SyncCommand),
    /// Save a tracker token, read from stdin, in the system keyring
    #[command(after_help = "Examples:
  gh auth token | precedent login
  precedent login git.acme.example < token.txt
  precedent login --device --client-id Iv1.0123456789abcdef  # in the browser")]
    Login(LoginCommand),
    /// Remove a token saved by `login`
    Logout(HostCommand),
    /// Import issues from files; the format is detected from the contents
    Import(ImportArgs),
    /// Update the indexes, or rebuild them
    Index(IndexCommand),
    /// Search issues, pull requests, wiki pages and your notes
    Search(SearchCommand),
    /// Ask whether a problem is known, how it was solved, and what to do next
    Ask(AskCommand),
    /// Find earlier reports of the same problem and how likely each is to be a duplicate
    Duplicates(DuplicatesCommand),
    /// Review open reports that may be duplicates
    Triage(TriageCommand),
    /// List groups of reports with the same cause
    #[command(alias = "clusters")]
    Problems(ProblemsCommand),
    /// Tune duplicate ranking for a source using its known duplicates
    Calibrate(CalibrateCommand),
    /// Record, undo or list verdicts on pairs of reports
    #[command(subcommand)]
    Verdict(VerdictCommand),
    /// Show how similar problems were solved, and the comments that contain the fix
    Troubleshoot(TroubleshootCommand),
    /// Write a handover summary of a problem, with citations
    Brief(BriefCommand),
    /// Write a knowledge base article about a solved problem
    Article(ArticleCommand),
    /// Add and manage private notes
    #[command(subcommand)]
    Note(NoteCommand),
    /// Show an issue or page with its whole thread
    Show(ShowCommand),
    /// Show what is mirrored and indexed, and what is missing
    Status(StatusCommand),
    /// List, install and switch between models for semantic search
    #[command(subcommand)]
    Model(ModelCommand),
    /// Check the casebook for problems and repair them
    Doctor(DoctorCommand),
    /// Back up the casebook database, even while it is in use
    #[command(after_help = "The keyword index and the semantic index are not included; \
    `precedent index` rebuilds them after a restore.

Examples:
  precedent backup ~/casebook-2026-05-12.db")]
    Backup(BackupCommand),
    /// Restore a backup; the current data is saved under another name
    #[command(
        after_help = "The casebook may be open elsewhere: readers see either the old or the new data, \
    never a mix.

Examples:
  precedent restore ~/casebook-2026-05-12.db
  precedent --casebook ~/new restore ~/casebook-2026-05-12.db"
    )]
    Restore(RestoreCommand),
    /// Export the casebook to one checksummed file, for a colleague
    #[command(
        after_help = "The file contains sources, documents, comments, links and verdicts; private notes \
    and internal comments only with --with-notes; never tokens. You can keep \
    using the casebook during the export. The indexes are rebuilt on import.

Examples:
  precedent export acme.casebook
  # into a separate casebook
  precedent --casebook ~/acme import casebook acme.casebook"
    )]
    Export(ExportCommand),
    /// Evaluate ranking on sets of reports with known duplicates
    Eval(EvalCommand),
    /// Serve the casebook to agents over MCP (stdio)
    Mcp(McpCommand),
    /// Get, set or list settings
    #[command(
        subcommand,
        after_help = "Flags override environment variables (such as PRECEDENT_DUPLICATES_THRESHOLD), which \
    override the settings file, which overrides the defaults.

Examples:
  precedent config set source acme/app        # source for numbers such as #12
  precedent config set duplicates.threshold 0.5
  precedent config list"
    )]
    Config(ConfigCommand),
    /// Print the JSON Schema of a command's --json output
    #[command(after_help = "Examples:
  precedent schema                  # list the schemas
  precedent schema duplicates
  precedent schema --into docs/schema")]
    Schema {
        /// Schema to print; without a name, list them all
        #[arg(value_name = "NAME")]
        name: Option<String>,
        /// Write all schemas to this folder
        #[arg(long = "into", value_name = "DIR", conflicts_with = "name")]
        output_dir: Option<PathBuf>,
    },
    /// Print instructions for agents on how to use this tool
    #[command(after_help = "Examples:
  mkdir -p skills/precedent && precedent skill > skills/precedent/SKILL.md")]
    Skill,
    /// Print the manual page, or write the manual pages of all commands to a folder
    #[command(after_help = "Examples:
  precedent man | man -l -
  precedent man ~/.local/share/man/man1
  precedent man --markdown > docs/reference/command-line.md")]
    Man {
        /// Folder to write to
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
        /// Print all commands as one Markdown page
        #[arg(long, conflicts_with = "folder")]
        markdown: bool,
    },
    /// Print shell completions
    Completions {
        /// Shell to print completions for
        shell: clap_complete::Shell,
    },
}

/// Parses a number of at least 1.
///
/// # Errors
/// Returns the reason if the text is invalid.
pub fn parse_positive(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(0) => Err("must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses a similarity between 0 and 1.
///
/// # Errors
/// Returns the reason if the text is invalid.
pub fn parse_similarity(text: &str) -> Result<f32, String> {
    let value = text.parse::<f32>().ok().filter(|value| (0.0..=1.0).contains(value));
    value.ok_or_else(|| "must be between 0 and 1, where 1 means identical".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn arguments_are_consistent() {
        super::Args::command().debug_assert();
    }

    #[test]
    fn examples_fit_a_terminal_of_80_columns() {
        fn check(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            for line in help.lines().filter(|line| line.starts_with("  ")) {
                assert!(line.chars().count() <= 80, "{}: {line}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        check(&super::Args::command());
    }
}
