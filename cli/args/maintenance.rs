//! The arguments of the maintenance commands: models, settings, doctor, backups and evaluation.

use std::path::PathBuf;

use clap::{Args as Arguments, Subcommand};
use precedent_eval::Request;

use super::JsonArgs;

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// List installed models, or those available to install
    List {
        /// List the models that can be installed by name
        #[arg(long)]
        catalog: bool,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Download and install a model from the catalog
    #[command(
        after_help = "This is the only command that connects to a host other than a tracker: Hugging Face, \
    or the host in PRECEDENT_MODEL_HUB. Interrupted downloads resume. Behind a firewall, \
    download the files by other means and use `precedent model import`.

Example:
  precedent model install bge-small-en-v1.5"
    )]
    Install {
        /// Name in the catalog
        name: String,
        /// Switch to it after installing
        #[arg(long = "use")]
        switch: bool,
    },
    /// Install a model from local files
    #[command(
        after_help = "PATH is a folder or archive (.tar, .tar.gz, .tar.zst) that contains an ONNX file, \
    tokenizer.json, tokenizer_config.json, special_tokens_map.json and config.json, or an \
    ONNX file with those files beside it. The model is tested before it is installed.

Examples:
  precedent model import ./bge-small
  precedent model import e5.tar.gz --name e5 --prefix \"query: \""
    )]
    Import {
        /// Folder, archive or ONNX file
        path: PathBuf,
        /// Name for the model [default: from the path]
        #[arg(long)]
        name: Option<String>,
        /// How token vectors are pooled into one [default: from the files, else mean]
        #[arg(long, value_parser = ["mean", "cls"])]
        pooling: Option<String>,
        /// Prefix the model was trained with, added to every text
        #[arg(long, default_value = "")]
        prefix: String,
        /// Switch to it after installing
        #[arg(long = "use")]
        switch: bool,
    },
    /// Switch to a model; the current one stays in use until the new vectors are ready
    Use {
        /// `builtin`, or the name of an installed model
        name: String,
        /// Don't update the semantic index now; `precedent index` does it later
        #[arg(long)]
        no_index: bool,
    },
    /// Remove an installed model and its vectors
    Remove {
        /// Name of the model
        name: String,
    },
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Known duplicates come from your verdicts, the tracker's duplicate links, and \
    statements in the texts. Each is searched for as if it had just been filed, among \
    older reports only. With at least 20 known duplicates, the confidence is calibrated; \
    with at least 100, so is the ranking. The figures are measured on reports that were not \
    used for fitting.

A source that marks its duplicates is calibrated automatically after an import, a \
    sync or `index`, and again when the number of known duplicates has grown by half.

Examples:
  precedent calibrate acme/app
  precedent calibrate acme/app --dry-run --json
  precedent calibrate acme/app --replay      # check the last six months"
)]
pub struct CalibrateCommand {
    /// Source: owner/name
    pub source: String,
    /// Print the figures without saving the calibration
    #[arg(long)]
    pub dry_run: bool,
    /// Recheck the reports of the last N months as filed, and count the correct matches
    /// [default: 6]
    #[arg(long, value_name = "MONTHS", num_args = 0..=1, default_missing_value = "6", require_equals = true)]
    pub replay: Option<u32>,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "A set is a folder with corpus.jsonl (id, title, body, created_at; oldest first; also \
    as .zst), qrels.tsv (query, earlier duplicate, 1) and negatives.txt (ids without a known \
    duplicate). Each query is a report as filed; its candidates are the reports created \
    before it.

Examples:
  precedent eval samples/ferrywire
  precedent eval sets/rust sets/hadoop --run after.json --against before.json
  precedent eval --solved acme/app"
)]
pub struct EvalCommand {
    /// Folders that contain the sets
    #[arg(required_unless_present = "solved", value_name = "SET")]
    pub sets: Vec<PathBuf>,
    /// For solved threads of this source, measure how often the excerpt shown contains the fix
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["sets", "cases", "weights", "features", "model", "cache", "form", "rankings", "output", "baseline", "tsv", "judgments", "translations", "window"])]
    pub solved: Option<String>,
    /// Evaluate how often solved cases are found in these sets, and how often unrelated texts get
    /// no answer
    #[arg(long, conflicts_with_all = ["form", "rankings", "output", "baseline", "tsv", "judgments", "translations", "window"])]
    pub cases: bool,
    /// Maximum length of the excerpt of each thread, in characters
    #[arg(long, value_name = "CHARS", requires = "solved", default_value_t = 4_000)]
    pub budget: usize,
    #[command(flatten)]
    pub request: Request,
    /// Store the sets' casebooks in this folder [default: in the user's cache folder]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the value of a setting
    Get {
        /// Name of the setting, such as duplicates.threshold
        key: String,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Save a setting in the settings file
    Set {
        /// Name of the setting, such as duplicates.threshold
        key: String,
        /// Value
        value: String,
    },
    /// Reset a setting to its default
    Unset {
        /// Name of the setting, such as duplicates.threshold
        key: String,
    },
    /// Print the path of the settings file
    Path,
    /// Restore the defaults; the old settings file is kept under another name
    Reset,
    /// List all settings with their values and where each value comes from
    List {
        #[command(flatten)]
        json: JsonArgs,
    },
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Tools: ask, search_issues, find_duplicates, find_fixes, read_thread, write_brief, \
    write_article, add_note, record_verdict, status. In the settings of an MCP client:

  { \"mcpServers\": { \"precedent\": { \"command\": \"precedent\", \"args\": [\"mcp\"] } } }"
)]
pub struct McpCommand {
    /// Source that issue numbers without a source refer to
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: Option<String>,
    /// Allow agents to read logs in these folders (repeatable); without one, they can't read files
    #[arg(long, value_name = "DIR", num_args = 0..)]
    pub allow: Vec<PathBuf>,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Checks permissions, disk space, the model and its runtime, the database, orphaned \
    rows, the keyword index and the semantic index. The exit code is 1 while problems remain.

Examples:
  precedent doctor
  precedent doctor --repair            # backs up before removing a row
  precedent doctor --json=id,what,hint
  # diagnostics for a bug report, without names or tracker text
  precedent doctor --bundle report.json"
)]
pub struct DoctorCommand {
    /// Repair what can be repaired
    #[arg(long)]
    pub repair: bool,
    /// Write diagnostics for a bug report to this file; contains no tracker text, names or tokens
    #[arg(long, value_name = "FILE", conflicts_with = "repair")]
    pub bundle: Option<PathBuf>,
    /// With --bundle, overwrite the file if it exists
    #[arg(short, long, requires = "bundle")]
    pub force: bool,
    /// Warn if the casebook's disk has fewer free megabytes than this
    #[arg(long, value_name = "MB", default_value_t = 500)]
    pub min_free: u64,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Arguments)]
pub struct BackupCommand {
    /// File to write
    pub file: PathBuf,
    /// Overwrite the file if it exists
    #[arg(short, long)]
    pub force: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Arguments)]
pub struct RestoreCommand {
    /// Backup to restore
    pub file: PathBuf,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Arguments)]
pub struct ExportCommand {
    /// File to write
    pub file: PathBuf,
    /// Include private notes and internal comments
    #[arg(long)]
    pub with_notes: bool,
    /// Overwrite the file if it exists
    #[arg(short, long)]
    pub force: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Arguments)]
pub struct StatusCommand {
    #[command(flatten)]
    pub json: JsonArgs,
}
