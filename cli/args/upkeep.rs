//! What keeps a casebook well: models, settings, doctor, copies, evaluation.

use std::path::PathBuf;

use clap::{Args as Arguments, Subcommand};
use precedent_eval::{Arm, Form};

use super::json::Json;

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// List the models that are here, or all that can be fetched
    List {
        /// The catalogue of those that can be fetched by name
        #[arg(long)]
        catalog: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Fetch a model of the catalogue
    #[command(
        after_help = "The one command that reaches for another host than a tracker's: Hugging Face, or what PRECEDENT_MODEL_HUB
names. What was fetched before it broke off is not fetched again. Behind a wall, fetch the files by other
means and use `precedent model import`.

Example:
  precedent model install bge-small-en-v1.5"
    )]
    Install {
        /// Its name in the catalogue
        name: String,
        /// Let it answer, too
        #[arg(long = "use")]
        then_use: bool,
    },
    /// Bring in a model from files
    #[command(
        after_help = "A folder or archive (.tar, .tar.gz, .tar.zst) with an ONNX file, tokenizer.json, tokenizer_config.json,
special_tokens_map.json and config.json; or the ONNX file beside them. The model is tried before it is taken.

Examples:
  precedent model import ./bge-small
  precedent model import e5.tar.gz --name e5 --prefix \"query: \""
    )]
    Import {
        /// The folder, archive or ONNX file
        path: PathBuf,
        /// What to call it [default: from the path]
        #[arg(long)]
        name: Option<String>,
        /// How the vectors of word pieces become one [default: what the files say, else mean]
        #[arg(long, value_parser = ["mean", "cls"])]
        pooling: Option<String>,
        /// What was written before every text in its training
        #[arg(long, default_value = "")]
        prefix: String,
        /// Let it answer, too
        #[arg(long = "use")]
        then_use: bool,
    },
    /// Let a model answer, once its vectors are made; the other one answers until then
    Use {
        /// `builtin` or the name of one that is here
        name: String,
        /// Do not make the vectors now; `precedent index` does
        #[arg(long)]
        no_index: bool,
    },
    /// Remove a model that was brought in, with its vectors
    Remove {
        /// Its name
        name: String,
    },
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "The labels are the source's own: verdicts, the tracker's duplicate links, and what texts say.
Each known duplicate is asked for as if it were just filed, against older reports alone.
From 20 of them on it is learnt how sure to be, from 100 on also in which order to show
candidates. The figures are of reports that were not learnt from.

A source that marks its duplicates is calibrated by itself after an import, a sync or `index`,
and again when it knows half as many more.

Examples:
  precedent calibrate acme/app
  precedent calibrate acme/app --dry-run --json"
)]
pub struct CalibrateCommand {
    /// The source: owner/name
    pub source: String,
    /// Print the figures alone
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "A set is a folder with corpus.jsonl (id, title, body, created_at; oldest first; .zst too),
qrels.tsv (query, earlier duplicate, 1) and negatives.txt (ids without a known duplicate).
Each query is a report as it was filed; candidates are the reports created before it.

Examples:
  precedent eval samples/ferrywire
  precedent eval sets/rust sets/hadoop --run after.json --against before.json
  precedent eval --solved acme/app"
)]
pub struct EvalCommand {
    /// Folders of sets
    #[arg(required_unless_present = "solved", value_name = "SET")]
    pub sets: Vec<PathBuf>,
    /// Instead: how often the shown part of a solved thread of this source holds the fix
    #[arg(long, value_name = "SOURCE", conflicts_with = "sets")]
    pub solved: Option<String>,
    /// Instead: how often solved cases are found in these sets, and silence kept for texts of the others
    #[arg(long, conflicts_with = "solved")]
    pub cases: bool,
    /// Characters of each thread
    #[arg(long, value_name = "CHARS", requires = "solved", default_value_t = 4_000)]
    pub budget: usize,
    /// What is asked of each report: all of it, its title as it is typed into a search, or the title's three rarest words
    #[arg(long = "as", value_name = "FORM", value_enum, default_value_t)]
    pub form: Form,
    /// Only these ways of ranking [default: all, or those of search where the whole report is not asked]
    #[arg(long, value_name = "RANKING", value_delimiter = ',', value_parser = Arm::parse)]
    pub by: Vec<Arm>,
    /// Keep the answers in this file [default: last.json in the cache]
    #[arg(long, value_name = "FILE")]
    pub run: Option<PathBuf>,
    /// Compare with an earlier run, query by query
    #[arg(long, value_name = "FILE")]
    pub against: Option<PathBuf>,
    /// Write every ranking as a table: query, document, rank, score, probability
    #[arg(long, value_name = "DIR")]
    pub tsv: Option<PathBuf>,
    /// Write the evidence of all candidates, for fitting the weights
    #[arg(long, value_name = "FILE", hide = true)]
    pub features: Option<PathBuf>,
    /// Weigh the evidence for duplicates by this table in place of the built-in one
    #[arg(long, value_name = "FILE", hide = true)]
    pub weights: Option<PathBuf>,
    /// Pairs that were read: a folder of SET.tsv, or a file of one set; confidence is told by them as well
    #[arg(long, value_name = "DIR|FILE")]
    pub judged: Option<PathBuf>,
    /// Only candidates of so many days before each report, and only reports with a duplicate among them
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i64).range(1..=36_500))]
    pub window: Option<i64>,
    /// With the model in this folder, which holds a card
    #[arg(long, value_name = "DIR")]
    pub model: Option<PathBuf>,
    /// Keep the sets' casebooks here [default: the user's cache folder]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print what holds for a setting
    Get {
        /// Its name: duplicates.threshold
        key: String,
        #[command(flatten)]
        json: Json,
    },
    /// Write a setting into the file
    Set {
        /// Its name: duplicates.threshold
        key: String,
        /// What it is to hold
        value: String,
    },
    /// Take a setting out of the file; the default holds again
    Unset {
        /// Its name: duplicates.threshold
        key: String,
    },
    /// Print where the file is
    Path,
    /// Set the file aside, under another name beside it; the defaults hold again
    Reset,
    /// List all settings, what holds, and who says so
    List {
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Tools: ask, search, find_duplicates, troubleshoot, get_thread, check_similar, store_note, record_verdict,
export_brief, status. In a client's settings:

  { \"mcpServers\": { \"precedent\": { \"command\": \"precedent\", \"args\": [\"mcp\"] } } }"
)]
pub struct McpCommand {
    /// The source that bare numbers mean, where there are several
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// Let agents read logs below this folder (repeatable); without it they read no files
    #[arg(long, value_name = "DIR")]
    pub allow: Vec<PathBuf>,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Looks at permissions, disk space, the model and its runtime, the database, rows that nothing can reach, the
full text and the vectors. Ends with 1 where something is left to see to.

Examples:
  precedent doctor
  precedent doctor --repair          mends what can be mended; a copy is kept before a row is taken out
  precedent doctor --json=id,what,remedy
  precedent doctor --bundle report.json   for a bug report: versions, settings, sizes, counts, findings; no names, no texts"
)]
pub struct DoctorCommand {
    /// Mend what can be mended
    #[arg(long)]
    pub repair: bool,
    /// Write what a bug report needs into this file: no text of a tracker, no name, no token
    #[arg(long, value_name = "FILE", conflicts_with = "repair")]
    pub bundle: Option<PathBuf>,
    /// Replace that file if it is there
    #[arg(short, long, requires = "bundle")]
    pub force: bool,
    /// Warn when fewer megabytes than this are free on the casebook's disk
    #[arg(long, value_name = "MB", default_value_t = 500)]
    pub min_free: u64,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
pub struct BackupCommand {
    /// The file to write
    pub file: PathBuf,
    /// Replace it if it is there
    #[arg(short, long)]
    pub force: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
pub struct RestoreCommand {
    /// The copy to go back to
    pub file: PathBuf,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
pub struct ExportCommand {
    /// The file to write
    pub file: PathBuf,
    /// Put in the private notes and the internal comments too
    #[arg(long)]
    pub with_notes: bool,
    /// Replace the file if it is there
    #[arg(short, long)]
    pub force: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
pub struct StatusCommand {
    #[command(flatten)]
    pub json: Json,
}
