//! The arguments of the mirroring commands: sources, imports, syncs and indexes.

use std::path::PathBuf;

use clap::{Args as Arguments, Subcommand};

use super::JsonArgs;

#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// Add a source to sync (github:owner/name, redmine:HOST/project, …), or an empty one to import
    /// into (owner/name)
    #[command(
        after_help = "The token is read from the environment, then from the keyring (`precedent login \
    HOST`), then, for GitHub, from `gh auth token`:
  github.com   GH_TOKEN or GITHUB_TOKEN
  github       GH_ENTERPRISE_TOKEN, for the host in GH_HOST
  gitlab       GITLAB_TOKEN, for GITLAB_HOST [default: gitlab.com]
  gitea        GITEA_TOKEN, for GITEA_HOST (also forgejo)
  jira         JIRA_API_TOKEN, for JIRA_HOST; on Atlassian Cloud with JIRA_EMAIL
  redmine      REDMINE_API_KEY, for REDMINE_HOST
  bugzilla     BUGZILLA_API_KEY, for BUGZILLA_HOST
  confluence   CONFLUENCE_API_TOKEN, for CONFLUENCE_HOST; on Atlassian Cloud
               with CONFLUENCE_EMAIL
  zendesk      ZENDESK_API_TOKEN, for ZENDESK_HOST, with ZENDESK_EMAIL
  discourse    DISCOURSE_API_KEY, for DISCOURSE_HOST; with
               DISCOURSE_API_USERNAME for an all-users key
  azure        AZURE_DEVOPS_EXT_PAT; AZURE_DEVOPS_HOST for a server
  linear       LINEAR_API_KEY

Examples:
  precedent source add github:acme/app --wiki
  precedent source add github:acme/app --host git.acme.example
  precedent source add gitlab:group/team/app
  precedent source add forgejo:codeberg.org/acme/app
  precedent source add jira:acme.atlassian.net/APP --as acme/app
  precedent source add redmine:acme.example/redmine/app --wiki
  precedent source add \"bugzilla:bugs.acme.example/Kiln App\"
  precedent source add azure:organization/project --wiki
  precedent source add linear:workspace/ENG
  precedent source add confluence:acme.atlassian.net/ENG
  precedent source add zendesk:acme.zendesk.com --wiki
  precedent source add discourse:forum.acme.example
  precedent source add acme/app                 # empty, to import into"
    )]
    Add {
        /// Source: TRACKER:[HOST/]PROJECT, or owner/name
        key: String,
        /// Host of the tracker, with its base path if any [default: the public host, e.g.
        /// github.com]
        #[arg(long, value_name = "HOST")]
        host: Option<String>,
        /// Local name for the source [default: its name on the tracker]
        #[arg(long = "as", value_name = "OWNER/NAME")]
        local_name: Option<String>,
        /// Also mirror the wiki
        #[arg(long)]
        wiki: bool,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Check that a source is reachable and what its token can read
    Test {
        /// Source: owner/name
        key: String,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Allow an imported source to use your saved token for its host
    Trust {
        /// Source: owner/name
        key: String,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// List sources with the number of items in each
    List {
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Remove a source and everything mirrored from it
    Remove {
        /// Source: owner/name
        key: String,
        /// Skip the confirmation
        #[arg(short, long)]
        yes: bool,
        #[command(flatten)]
        json: JsonArgs,
    },
}

#[derive(Debug, Arguments)]
pub struct HostCommand {
    /// Host of the tracker
    #[arg(default_value = "github.com")]
    pub host: String,
}

#[derive(Debug, Arguments)]
pub struct LoginCommand {
    /// Host of the tracker
    #[arg(default_value = "github.com")]
    pub host: String,
    /// Sign in with a browser, on GitHub or GitHub Enterprise Server
    #[arg(long)]
    pub device: bool,
    /// Client ID of your OAuth app, with the device flow enabled
    #[arg(long, value_name = "ID", env = "PRECEDENT_GITHUB_CLIENT_ID")]
    pub client_id: Option<String>,
}

#[derive(Debug, Arguments)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Reads exports from GitHub, Gitea, GitLab, Jira, Redmine, Bugzilla, Zendesk, Linear, \
    Azure DevOps, Trac, YouTrack and Mantis, as JSON, CSV, TSV, XLSX, XML or Markdown. \
    Files may be compressed (gz, bz2, xz, zst, zip, tar) and encoded in UTF-8, UTF-16 or \
    a legacy encoding. docs/reference/file-formats.md lists what is read from each. \
    Importing a file again adds no item twice. Import a Markdown changelog or \
    GitHub's releases JSON to add a source's releases.

--map sets the column for a field (title=Headline; an empty name leaves it out), the \
    names of states (state.closed=\"Geschlossen,Erledigt\", state.open=…) and the date \
    order (dates=dmy, dates=mdy). Fields: number, title, body, state, category, reason, \
    author, labels, milestone, created, updated, closed, url, comments, \"comment \
    author\", \"comment date\", repository, duplicate_of, duplicated_by, related_to.

Examples:
  precedent import export.csv --dry-run      # show the format and the columns
  precedent import export.csv -R acme/app
  precedent import exports --yes             # one source for each project
  precedent import --undo                    # undo the last import
  precedent import jira.csv --map state.closed=Shipped
  gh issue list -s all -L 9999 > all.json --json \\
    number,title,body,state,author,labels,comments,createdAt,updatedAt,url
  precedent import all.json"
)]
pub struct ImportArgs {
    /// Files, archives or folders
    #[arg(required_unless_present = "undo", value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Undo the last import
    #[arg(long, conflicts_with_all = ["paths", "source", "map", "dry_run", "yes"])]
    pub undo: bool,
    /// Don't ask before creating several sources, or a source for loose files in a folder
    #[arg(short, long)]
    pub yes: bool,
    /// Source to import into: owner/name [default: named in the files, else from the file name]
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: Option<String>,
    /// Map a field to a column, or a state name to open or closed (repeatable)
    #[arg(long, value_name = "FIELD=COLUMN", value_parser = parse_pair)]
    pub map: Vec<(String, String)>,
    /// Show what the files contain and how they are read; imports nothing
    #[arg(short = 'n', long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub index_options: IndexingArgs,
    #[command(flatten)]
    pub json: JsonArgs,
    #[command(subcommand)]
    pub command: Option<ImportCommand>,
}

#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Import saved GitHub API responses or migration archives
    #[command(
        after_help = "The files contain one JSON object per record: JSON Lines, JSON arrays (as `gh api \
    --paginate` prints them) or concatenated objects; plain, gzip or zstd. Records from \
    the REST API, from `gh issue list --json` and from migration archives (tar.gz) are \
    detected. Importing a file again adds no item twice.

Examples:
  precedent import github dump/ --source acme/app
  precedent import github issues.json comments.json.gz --source acme/app
  gh issue list -s all -L 9999 > all.json --json \\
    number,title,body,state,author,labels,comments,createdAt,updatedAt,url
  precedent import github all.json --source acme/app
  precedent import github migration.tar.gz --source acme/app"
    )]
    Github(ImportFiles),
    /// Import a CSV table of issues, as exported by trackers and spreadsheets
    #[command(
        after_help = "Columns with common names (id, summary, description, status, …) are recognized; set \
    others with --map. `precedent import --help` lists the fields.

Examples:
  precedent import csv export.csv --source acme/app
  precedent import csv export.csv -R acme/app --map title=Name --map created="
    )]
    Csv {
        /// Map a field to a column (repeatable); an empty column leaves the field out
        #[arg(long, value_name = "FIELD=COLUMN", value_parser = parse_pair)]
        map: Vec<(String, String)>,
        #[command(flatten)]
        files: ImportFiles,
    },
    /// Import a folder of wiki pages, in Markdown or another markup that GitHub renders
    #[command(after_help = "Examples:
  precedent import wiki app.wiki/ --source acme/app")]
    Wiki(ImportFiles),
    /// Import a casebook file written by `precedent export` (all or nothing)
    #[command(
        after_help = "The file is checked before anything is imported. Its sources must not exist yet; \
    existing data is unchanged.

Examples:
  precedent import casebook acme.casebook
  # into a separate casebook
  precedent --casebook ~/acme import casebook acme.casebook"
    )]
    Casebook {
        /// Casebook file
        #[arg(value_name = "FILE")]
        file: PathBuf,
        #[command(flatten)]
        index_options: IndexingArgs,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Import the built-in sample, the tracker of a fictional product
    Sample {
        #[command(flatten)]
        index_options: IndexingArgs,
        #[command(flatten)]
        json: JsonArgs,
    },
}

#[derive(Debug, Arguments)]
pub struct ImportFiles {
    /// Files or folders
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Source to import into: owner/name
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: String,
    #[command(flatten)]
    pub index_options: IndexingArgs,
    #[command(flatten)]
    pub json: JsonArgs,
}

/// The options for indexing after an import or a sync.
#[derive(Clone, Copy, Debug, Arguments)]
pub struct IndexingArgs {
    /// Don't update the semantic index now; search uses only keywords until you run `precedent index`
    #[arg(long)]
    pub no_vectors: bool,
    /// Don't update any index now
    #[arg(long)]
    pub no_index: bool,
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "A sync resumes where the last one stopped, even after Ctrl+C. A source that fails \
    does not stop the others. Missing data is listed at the end and in `precedent \
    status`.

Examples:
  precedent sync
  precedent sync acme/app --no-vectors
  precedent sync acme/app --full             # detects deletions
  precedent sync --watch --every 5m"
)]
pub struct SyncCommand {
    /// Sources to sync [default: all sources with a tracker]
    #[arg(value_name = "SOURCE")]
    pub sources: Vec<String>,
    /// Fetch everything again and detect deleted items
    #[arg(long)]
    pub full: bool,
    /// Hide deleted items even if they are more than 10% of a source
    #[arg(long, alias = "hide-gone", requires = "sources", requires = "full")]
    pub hide_deleted: bool,
    /// Keep syncing until Ctrl+C; failed sources are retried at the next interval
    #[arg(short, long)]
    pub watch: bool,
    /// Time between syncs: 90s, 10m, 2h
    #[arg(long, value_name = "TIME", default_value = "10m", requires = "watch", value_parser = parse_interval)]
    pub every: std::time::Duration,
    #[command(flatten)]
    pub index_options: IndexingArgs,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Arguments)]
pub struct IndexCommand {
    /// Rebuild the keyword index and the semantic index from the database
    #[arg(long)]
    pub rebuild: bool,
    /// Update only the keyword index
    #[arg(long)]
    pub no_vectors: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    let (field, column) = text.split_once('=').ok_or("must be FIELD=COLUMN")?;
    Ok((field.trim().to_owned(), column.trim().to_owned()))
}

fn parse_interval(text: &str) -> Result<std::time::Duration, String> {
    let syntax_error = || "must be a number followed by s, m or h, such as 10m".to_owned();
    let text = text.trim();
    let (number, unit) =
        text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(syntax_error)?;
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        _ => return Err(syntax_error()),
    };
    let seconds =
        number.parse::<u64>().ok().and_then(|n| n.checked_mul(unit)).ok_or_else(syntax_error)?;
    match seconds {
        1..=604_800 => Ok(std::time::Duration::from_secs(seconds)),
        _ => Err("must be between one second and one week".to_owned()),
    }
}
