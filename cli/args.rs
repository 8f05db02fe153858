//! What can be said on the command line.

use std::path::PathBuf;

use clap::{Args as Arguments, Parser, Subcommand, ValueEnum};
use precedent_eval::{Arm, Form};

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
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(usize))]
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
        after_help = "Sources, documents, comments, links and verdicts are in it; private notes only with --with-notes; tokens never.
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

#[derive(Debug, Arguments)]
#[command(
    after_help = "Two reports are duplicates when one fix resolves both. The confidence is calibrated: of answers
stated at 90 %, nine in ten are right. An item is compared with the older items of its own source.

Examples:
  precedent duplicates acme/app#1234 --include-closed
  precedent duplicates --title \"agent hangs after reload\" --body \"It stops reading its queue.\"
  pbpaste | precedent duplicates - -R acme/app --json=key,confidence,reasons"
)]
pub struct DuplicatesCommand {
    /// An item (acme/app#12); `-` reads a draft from standard input
    #[arg(value_name = "KEY")]
    pub key: Option<String>,
    /// The title of a draft
    #[arg(short, long)]
    pub title: Option<String>,
    /// The text of a draft
    #[arg(short, long)]
    pub body: Option<String>,
    /// Read the text of a draft from a file
    #[arg(short = 'F', long, value_name = "PATH", conflicts_with = "body")]
    pub file: Option<PathBuf>,
    /// Only among this source's items
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// For an item: among the items of all sources
    #[arg(long, conflicts_with = "source")]
    pub everywhere: bool,
    /// Leave out candidates less alike than this, 0 to 1 [default: 0.4]
    #[arg(long, value_name = "SIMILARITY")]
    pub threshold: Option<f32>,
    /// At most this many candidates [default: 10]
    #[arg(short = 'L', long, value_name = "N")]
    pub max_candidates: Option<usize>,
    /// Closed reports too: many duplicates are of solved ones
    #[arg(long)]
    pub include_closed: bool,
    /// Show the arithmetic of each candidate
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Checks the open reports that are new or changed since the last time, and lists those that
may be the same as an earlier one, the surest first, and apart from them those that have a related one. With --decide it asks
about one after the other. Nothing is changed at the tracker.

Examples:
  precedent triage -R acme/app --include-closed
  precedent triage --band high --json=key,candidate
  precedent triage --decide --by ann
  precedent triage --apply
  precedent triage --apply --yes"
)]
pub struct TriageCommand {
    /// Only this source
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// Compare with closed reports too
    #[arg(long)]
    pub include_closed: bool,
    /// Check everything again, and not only what is new or changed
    #[arg(long)]
    pub rescan: bool,
    /// Only what is at least this sure; `none` lists every report that has a candidate
    #[arg(long, value_name = "BAND", value_parser = ["high", "likely", "possible", "none"], default_value = "possible")]
    pub band: String,
    /// At most this many reports [default: 20]
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Ask about each report and record the decisions
    #[arg(long, conflicts_with = "json")]
    pub decide: bool,
    /// Show what would be told to the trackers about the reports that were decided to be duplicates; sends nothing
    #[arg(long, conflicts_with_all = ["decide", "rescan", "journal"])]
    pub apply: bool,
    /// With --apply: post the comments and close the reports
    #[arg(long, requires = "apply")]
    pub yes: bool,
    /// Show what was told to the trackers
    #[arg(long, conflicts_with = "decide")]
    pub journal: bool,
    /// Who decides
    #[arg(long, value_name = "NAME", env = "PRECEDENT_ACTOR")]
    pub by: Option<String>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Checks the open reports that are new or changed first, as `precedent triage` does. A cluster has one head: the
report that stays where that was decided, else the earliest. What was told apart stays apart.

Examples:
  precedent clusters -R acme/app
  precedent clusters --min-size 3 --json=head,size,open,recent"
)]
pub struct ClustersCommand {
    /// Only this source
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// Compare with closed reports too
    #[arg(long)]
    pub include_closed: bool,
    /// How sure a pair must be that nobody decided about, 0 to 1
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.5)]
    pub threshold: f32,
    /// The fewest reports of a cluster
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub min_size: usize,
    /// At most this many clusters
    #[arg(short = 'L', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
    /// Check nothing: the clusters of what was checked before
    #[arg(long)]
    pub no_check: bool,
    #[command(flatten)]
    pub json: Json,
}

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

#[derive(Debug, Subcommand)]
pub enum VerdictCommand {
    /// Record a decision; it replaces an earlier one about the same pair
    #[command(after_help = "Examples:
  precedent verdict set acme/app#31 acme/app#12 duplicate      #31 is a duplicate of #12
  precedent verdict set acme/app#31 acme/app#14 not-duplicate --reason \"another cause\"")]
    Set {
        /// The report that was looked at
        key: String,
        /// The other report: for a duplicate, the one that stays
        other: String,
        /// What was decided
        #[arg(value_parser = ["duplicate", "related", "not-duplicate"])]
        verdict: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
        /// Who decided
        #[arg(long, value_name = "NAME", env = "PRECEDENT_ACTOR")]
        by: Option<String>,
        #[command(flatten)]
        json: Json,
    },
    /// Take the last decision about a pair back
    Undo {
        /// One of the two
        key: String,
        /// The other
        other: String,
        /// Who takes it back
        #[arg(long, value_name = "NAME", env = "PRECEDENT_ACTOR")]
        by: Option<String>,
        #[command(flatten)]
        json: Json,
    },
    /// List the decisions, the latest first
    List {
        /// Only those about this document
        key: Option<String>,
        #[command(flatten)]
        json: Json,
    },
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

fn pair(text: &str) -> Result<(String, String), String> {
    let (field, column) = text.split_once('=').ok_or("it has to be FIELD=COLUMN")?;
    Ok((field.trim().to_owned(), column.trim().to_owned()))
}

fn time(text: &str) -> Result<std::time::Duration, String> {
    let wrong = || "it has to be a number with s, m or h, for example 10m".to_owned();
    let text = text.trim();
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return Err(wrong()),
    };
    let seconds = number.parse::<u64>().ok().and_then(|n| n.checked_mul(unit)).ok_or_else(wrong)?;
    match seconds {
        1..=604_800 => Ok(std::time::Duration::from_secs(seconds)),
        _ => Err("it has to be between a second and a week".to_owned()),
    }
}

/// How to print.
#[derive(Clone, Debug, Arguments)]
pub struct Json {
    /// Print JSON; with =FIELDS only these, separated by commas
    #[arg(long, value_name = "FIELDS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub json: Option<String>,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Looks among closed issues and merged pull requests alone; where none surely helps, in the wiki too. Nothing
found is an empty answer: no guess is made.

Of logs and support bundles (plain, JSON, gz, bz2, xz, zst, zip, tar; files, folders and standard input) each distinct error
is asked about: is it known, how was it solved. A log of at most 8 KB on standard input is asked about as one text.

Examples:
  precedent troubleshoot \"upload ends with FW-1043\"
  precedent troubleshoot acme/app#1234
  pbpaste | precedent troubleshoot - --json
  precedent troubleshoot server.log
  precedent troubleshoot support-bundle.tar.gz --max-errors 20"
)]
pub struct TroubleshootCommand {
    /// A text, an item (acme/app#12), `-` for a text on standard input; or logs: files, archives and folders
    #[arg(value_name = "TEXT|KEY|-|FILE", required = true)]
    pub question: Vec<String>,
    /// Only cases of this source
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// How near in meaning a case has to be, 0 to 1, in place of how likely it helps
    #[arg(long, value_name = "SIMILARITY")]
    pub threshold: Option<f32>,
    /// Name the nearest cases too where they are not close enough
    #[arg(long)]
    pub anyway: bool,
    /// At most this many cases [default: 3]
    #[arg(short = 'L', long, value_name = "N")]
    pub max_results: Option<usize>,
    /// Characters of all threads together [default: 12000]
    #[arg(long, value_name = "CHARS")]
    pub budget: Option<usize>,
    /// Of logs, ask about at most this many distinct errors [default: 10]
    #[arg(long, value_name = "N")]
    pub max_errors: Option<usize>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "The same casebook and the same question give the same bytes. Private notes stay out unless --notes asks
for them.

Examples:
  precedent brief acme/app#1234 -o brief.html
  pbpaste | precedent brief - --redact -o brief.pdf
  precedent brief acme/app#1234 --preview
  precedent brief --replay brief.html"
)]
pub struct BriefCommand {
    /// A text, an item (acme/app#12), `-` for a text on standard input; or logs: files, archives and folders
    #[arg(value_name = "TEXT|KEY|-|FILE", required_unless_present = "replay")]
    pub question: Vec<String>,
    /// Only this source
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// Write it to this file; its ending says how
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How to write it: md, html, pdf or json [default: what the file's ending says, else md]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Leave a part out; may be given several times
    #[arg(long, value_name = "PART", value_parser = ["problem", "duplicates", "cases", "wiki", "versions", "people", "questions", "notes"])]
    pub without: Vec<String>,
    /// Give tokens, addresses, hosts, people, places, telephone numbers, accounts and cards pseudonyms, as far as they are recognised
    #[arg(long)]
    pub redact: bool,
    /// Redact, and take out the links to the tracker, too
    #[arg(long)]
    pub redact_links: bool,
    /// Let this stand when redacting, as --preview writes it; may be given several times
    #[arg(long, value_name = "TEXT")]
    pub keep: Vec<String>,
    /// Show what --redact would replace, and what of it is doubtful; writes nothing
    #[arg(long, conflicts_with = "redact")]
    pub preview: bool,
    /// Put in the private notes that belong to the item
    #[arg(long)]
    pub notes: bool,
    /// Make a brief again, and say what has changed since
    #[arg(long, value_name = "FILE", conflicts_with_all = ["question", "redact", "preview", "notes", "without", "source"])]
    pub replay: Option<PathBuf>,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Tools: search, find_duplicates, troubleshoot, get_thread, check_similar, store_note, record_verdict,
export_brief, status. In a client's settings:

  { \"mcpServers\": { \"precedent\": { \"command\": \"precedent\", \"args\": [\"mcp\"] } } }"
)]
pub struct McpCommand {
    /// The source that bare numbers mean, where there are several
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Option<String>,
}

/// The kinds of notes, as typed.
const NOTE_KINDS: [&str; 7] = ["lesson", "curiosity", "thesis", "signal", "episode", "watchpoint", "summary"];

/// A note's content.
#[derive(Debug, Arguments)]
pub struct NoteDraftArgs {
    /// What it is; lessons and curiosities are compared with those that are there
    #[arg(short, long, value_name = "KIND", value_parser = NOTE_KINDS, default_value = "lesson")]
    pub kind: String,
    /// Its title
    #[arg(short, long)]
    pub title: String,
    /// Its text, Markdown; `-` reads it from standard input
    #[arg(short, long, value_name = "TEXT")]
    pub body: String,
}

#[derive(Debug, Subcommand)]
pub enum NoteCommand {
    /// Store a note, unless it is there already
    #[command(after_help = "Examples:
  precedent note add --title \"Slots fill the disk\" --body \"Restart the heartbeat.\" --attach acme/app#12
  pbpaste | precedent note add -k episode -t \"Outage of 12 May\" -b - --tag outage")]
    Add {
        #[command(flatten)]
        draft: NoteDraftArgs,
        /// A word to find it by; may be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// An item, page or note that it belongs to; may be given several times
        #[arg(long, value_name = "KEY")]
        attach: Vec<String>,
        /// Store it even if it is there already
        #[arg(long)]
        force: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Look whether a note is there already; stores nothing
    CheckSimilar {
        #[command(flatten)]
        draft: NoteDraftArgs,
        #[command(flatten)]
        json: Json,
    },
    /// Change a note; what is not given stays
    Edit {
        /// The note: note#12, or 12
        key: String,
        /// Its new title
        #[arg(short, long)]
        title: Option<String>,
        /// Its new text; `-` reads it from standard input
        #[arg(short, long, value_name = "TEXT")]
        body: Option<String>,
        /// Its tags from now on; may be given several times
        #[arg(long = "tag", value_name = "TAG")]
        tags: Vec<String>,
        /// Keep it out of lists; it is still found
        #[arg(long, conflicts_with = "activate")]
        archive: bool,
        /// Bring it back
        #[arg(long)]
        activate: bool,
        /// An item, page or note that it belongs to as well
        #[arg(long, value_name = "KEY")]
        attach: Vec<String>,
        #[command(flatten)]
        json: Json,
    },
    /// List the notes, the latest first
    List {
        /// Only of this kind
        #[arg(short, long, value_name = "KIND", value_parser = NOTE_KINDS)]
        kind: Option<String>,
        /// Archived ones too
        #[arg(long)]
        archived: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Show a note
    Show {
        /// The note: note#12, or 12
        key: String,
        #[command(flatten)]
        json: Json,
    },
    /// Remove a note for good
    Remove {
        /// The note: note#12, or 12
        key: String,
        /// Really
        #[arg(long)]
        yes: bool,
    },
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

#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// Add a live source (github:owner/name, redmine:HOST/project, …), or an empty one to import into (owner/name)
    #[command(
        after_help = "The token is looked for in the environment (GH_TOKEN or GITHUB_TOKEN for github.com;
GH_ENTERPRISE_TOKEN, GITLAB_TOKEN, GITEA_TOKEN, REDMINE_API_KEY, BUGZILLA_API_KEY, JIRA_API_TOKEN, CONFLUENCE_API_TOKEN,
ZENDESK_API_TOKEN, DISCOURSE_API_KEY, each for the host in GH_HOST, GITLAB_HOST, GITEA_HOST, …, with JIRA_EMAIL or
CONFLUENCE_EMAIL on Atlassian's Cloud, ZENDESK_EMAIL and, for a key of all users, DISCOURSE_API_USERNAME;
AZURE_DEVOPS_EXT_PAT, LINEAR_API_KEY), in the keyring (`precedent login HOST`), then, for GitHub, asked of `gh auth token`.

Examples:
  precedent source add github:acme/app --wiki
  precedent source add github:acme/app --host git.acme.example
  precedent source add gitlab:group/team/app
  precedent source add forgejo:codeberg.org/acme/app
  precedent source add jira:acme.atlassian.net/APP --as acme/app
  precedent source add redmine:acme.example/redmine/app --wiki
  precedent source add \"bugzilla:bugs.acme.example/Kiln App\"
  precedent source add azure:organisation/project --wiki
  precedent source add linear:workspace/ENG
  precedent source add confluence:acme.atlassian.net/ENG
  precedent source add zendesk:acme.zendesk.com --wiki
  precedent source add discourse:forum.acme.example
  precedent source add acme/app                 empty, for `precedent import`"
    )]
    Add {
        /// Its name: TRACKER:[HOST/]PROJECT, or owner/name
        key: String,
        /// The tracker's host, with the path below which it is [default: github.com, gitlab.com, dev.azure.com, linear.app]
        #[arg(long, value_name = "HOST")]
        host: Option<String>,
        /// What to call it here [default: its name at the tracker]
        #[arg(long = "as", value_name = "OWNER/NAME")]
        called: Option<String>,
        /// Mirror its wiki too
        #[arg(long)]
        wiki: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Look whether a live source can be reached, and what the token may read
    Test {
        /// Its name: owner/name
        key: String,
        #[command(flatten)]
        json: Json,
    },
    /// Let the host of a source that came with a casebook file see the token that is kept for it
    Trust {
        /// Its name: owner/name
        key: String,
        #[command(flatten)]
        json: Json,
    },
    /// List the sources with what they hold
    List {
        #[command(flatten)]
        json: Json,
    },
    /// Remove a source with everything that was mirrored from it
    Remove {
        /// Its name: owner/name
        key: String,
        /// Do not ask
        #[arg(short, long)]
        yes: bool,
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Arguments)]
pub struct HostCommand {
    /// The tracker's host
    #[arg(default_value = "github.com")]
    pub host: String,
}

#[derive(Debug, Arguments)]
pub struct LoginCommand {
    /// The tracker's host
    #[arg(default_value = "github.com")]
    pub host: String,
    /// Sign in with a browser, at GitHub or an Enterprise Server
    #[arg(long)]
    pub device: bool,
    /// The client id of an OAuth app of yours with the device flow enabled
    #[arg(long, value_name = "ID", env = "PRECEDENT_GITHUB_CLIENT_ID")]
    pub client_id: Option<String>,
}

#[derive(Debug, Arguments)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Files of GitHub, Gitea, GitLab, Jira, Redmine, Bugzilla, Zendesk, Linear, Azure DevOps, Trac, YouTrack and Mantis:
JSON, CSV, TSV, XML, Markdown; packed in gz, bz2, xz, zst, zip or tar; in UTF-8, UTF-16 or an older encoding.
docs/reference/file-formats.md says what is read of each. Importing again changes nothing that is there.

--map says which column gives a field (title=Headline; an empty name leaves it out), what words mean
(state.closed=\"Geschlossen,Erledigt\", state.open=…) and in which order dates are written (dates=dmy, dates=mdy).
Fields: number, title, body, state, category, reason, author, labels, milestone, created, updated, closed, url,
comments, \"comment author\", \"comment date\", duplicates, duplicated, related.

Examples:
  precedent import export.csv --dry-run               what it is, which column gives what, what is doubtful
  precedent import export.csv -R acme/app
  precedent import migration.tar.gz                   every repository in it, each as a source
  precedent import jira.csv --map state.closed=Shipped
  gh issue list -s all -L 9999 --json number,title,body,state,author,labels,comments,createdAt,updatedAt,url > all.json
  precedent import all.json"
)]
pub struct ImportAll {
    /// Files, archives or folders of them
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The source to import into: owner/name [default: what the files name, else after the file]
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Option<String>,
    /// Which column gives a field, or what a word means
    #[arg(long, value_name = "FIELD=COLUMN", value_parser = pair)]
    pub map: Vec<(String, String)>,
    /// Say what the files hold and how they are understood; import nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub after: AfterImport,
    #[command(flatten)]
    pub json: Json,
    #[command(subcommand)]
    pub command: Option<ImportCommand>,
}

#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Import issues and comments as GitHub's interfaces and archives give them
    #[command(
        after_help = "The files hold one JSON object a record: JSON Lines, JSON arrays (as `gh api --paginate` prints
them) or plain sequences; plain, gzip or zstd. Records of the REST interface, of `gh issue list --json` and of
migration archives (tar.gz) are told apart. Importing again changes nothing that is there.

Examples:
  precedent import github dump/ --source acme/app
  precedent import github issues.json comments.json.gz --source acme/app
  gh issue list -s all -L 9999 --json number,title,body,state,author,labels,comments,createdAt,updatedAt,url > all.json
  precedent import github all.json --source acme/app
  precedent import github migration.tar.gz --source acme/app"
    )]
    Github(ImportFiles),
    /// Import a table of issues: CSV, as trackers and spreadsheets export it
    #[command(
        after_help = "Columns with the usual names (id, summary, description, status, …) are known; others are told with --map.
Fields: number, title, body, state, reason, author, labels, milestone, created, updated, closed, url.

Examples:
  precedent import csv export.csv --source acme/app
  precedent import csv export.csv --source acme/app --map title=Headline --map created="
    )]
    Csv {
        /// Which column gives a field; an empty one leaves it out
        #[arg(long, value_name = "FIELD=COLUMN", value_parser = pair)]
        map: Vec<(String, String)>,
        #[command(flatten)]
        files: ImportFiles,
    },
    /// Import a folder of files as wiki pages: Markdown, or another markup that GitHub renders
    #[command(after_help = "Examples:
  precedent import wiki app.wiki/ --source acme/app")]
    Wiki(ImportFiles),
    /// Import a casebook that `precedent export` wrote: all of it, or nothing
    #[command(
        after_help = "The file is checked before anything of it is taken over. Its sources must not be here already; what is here stays.

Examples:
  precedent import casebook acme.casebook
  precedent --casebook ~/acme import casebook acme.casebook      into a casebook of its own"
    )]
    Casebook {
        /// The file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        after: AfterImport,
        #[command(flatten)]
        json: Json,
    },
    /// Import the built-in sample: the tracker of an invented product
    Sample {
        #[command(flatten)]
        after: AfterImport,
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Arguments)]
pub struct ImportFiles {
    /// Files, or folders of files
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The source to import into: owner/name
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: String,
    #[command(flatten)]
    pub after: AfterImport,
    #[command(flatten)]
    pub json: Json,
}

/// What follows an import or a sync.
#[derive(Clone, Copy, Debug, Arguments)]
pub struct AfterImport {
    /// Do not compute vectors now; search answers by words until `precedent index`
    #[arg(long)]
    pub no_vectors: bool,
    /// Do not index at all now
    #[arg(long)]
    pub no_index: bool,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "A sync goes on where the last one ended, also after Ctrl+C. One source that fails does not stop the
others. What is not mirrored is said at the end, and by `precedent status`.

Examples:
  precedent sync
  precedent sync acme/app --no-vectors
  precedent sync acme/app --full                everything again; notices what was deleted
  precedent sync --watch --every 5m"
)]
pub struct SyncCommand {
    /// Only these sources [default: all live ones]
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Read everything again, and look for what is gone
    #[arg(long)]
    pub full: bool,
    /// Go on until Ctrl+C, and look again from time to time; what fails is tried again the next time
    #[arg(short, long)]
    pub watch: bool,
    /// How long to wait between two looks: 90s, 10m, 2h
    #[arg(long, value_name = "TIME", default_value = "10m", requires = "watch", value_parser = time)]
    pub every: std::time::Duration,
    #[command(flatten)]
    pub after: AfterImport,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
pub struct IndexCommand {
    /// Make the full text and the vectors anew from the database
    #[arg(long)]
    pub rebuild: bool,
    /// Bring only the full text up to date
    #[arg(long)]
    pub no_vectors: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
#[command(after_help = "The query may hold filters:
  is:open is:closed is:merged is:issue is:pr is:page is:locked is:bot
  source:owner/name  label:bug  author:login  reason:not_planned
  created: updated: closed:  2026-01-31  >2026-01  <2026  2026-01-01..2026-02-01
  in:title in:body in:comments   mode:lexical mode:semantic mode:hybrid
  \"exact phrase\"   -without   -label:wontfix
A query of several lines, such as a pasted log, is only words. `-` reads it from standard input.

Examples:
  precedent search \"checkpoint corrupted after power loss\" is:closed
  precedent search -R acme/app -s open -l bug timeout
  pbpaste | precedent search -")]
pub struct SearchCommand {
    /// What to search for; `-` reads standard input; nothing lists what changed last
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,
    /// Only this source
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Vec<String>,
    /// Only this state
    #[arg(short, long, value_name = "STATE", value_parser = ["open", "closed", "merged", "all"])]
    pub state: Option<String>,
    /// Only with this label
    #[arg(short, long, value_name = "LABEL")]
    pub label: Vec<String>,
    /// At most this many results [default: 10]
    #[arg(short = 'L', long, value_name = "N")]
    pub limit: Option<usize>,
    /// How to rank
    #[arg(short, long, value_name = "MODE", value_parser = ["hybrid", "lexical", "semantic"])]
    pub mode: Option<String>,
    /// Show the arithmetic of each result
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub json: Json,
}

#[derive(Debug, Arguments)]
#[command(after_help = "Examples:
  precedent show acme/app#12
  precedent show 12                 where only one source has a number 12
  precedent show acme/app:Home      a wiki page
  precedent show acme/app#12 --comments 5")]
pub struct ShowCommand {
    /// The document's key
    pub key: String,
    /// Only the last N comments
    #[arg(long, value_name = "N")]
    pub comments: Option<usize>,
    #[command(flatten)]
    pub json: Json,
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
    /// Put in the private notes too
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_arguments_are_consistent() {
        super::Args::command().debug_assert();
    }
}
