//! What is mirrored: sources, imports, syncs, indexes.

use std::path::PathBuf;

use clap::{Args as Arguments, Subcommand};

use super::json::Json;

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
  precedent import exports --yes                      every project in a folder, each as a source
  precedent import --undo                             take back the last import
  precedent import jira.csv --map state.closed=Shipped
  gh issue list -s all -L 9999 --json number,title,body,state,author,labels,comments,createdAt,updatedAt,url > all.json
  precedent import all.json"
)]
pub struct ImportAll {
    /// Files, archives or folders of them
    #[arg(required_unless_present = "undo", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Take back the last import
    #[arg(long, conflicts_with_all = ["paths", "source", "map", "dry_run", "yes"])]
    pub undo: bool,
    /// Do not ask before several sources are made, or one for loose files of a folder
    #[arg(short, long)]
    pub yes: bool,
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
    /// Hide all that is gone, also where it is more than a tenth of a source
    #[arg(long, requires = "sources", requires = "full")]
    pub hide_gone: bool,
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
