//! The questions: search, duplicates, solved cases, briefs, and what was decided.

use std::path::PathBuf;

use clap::{Args as Arguments, Subcommand};

use super::json::Json;

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
about one after the other. Nothing is changed at the tracker without --apply --yes.

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
    #[arg(short = 'L', long, value_name = "N", value_parser = super::at_least_one)]
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
    #[arg(short = 'L', long, value_name = "N", default_value_t = 20, value_parser = super::at_least_one)]
    pub limit: usize,
    /// Check nothing: the clusters of what was checked before
    #[arg(long)]
    pub no_check: bool,
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
    after_help = "One page for one problem: whether it is known, its status, the workaround and the fix for the version that the
question names, related reports, wiki pages, notes, and what to do next.

Examples:
  precedent ask \"upload ends with FW-1043 on 3.2\"
  precedent ask acme/app#1234
  pbpaste | precedent ask -
  precedent ask server.log"
)]
pub struct AskCommand {
    /// A text, an item (acme/app#12), a file, or `-` for standard input
    #[arg(value_name = "TEXT|KEY|FILE|-", required = true)]
    pub question: Vec<String>,
    /// Look in this source alone
    #[arg(short = 'R', long, value_name = "SOURCE")]
    pub source: Option<String>,
    #[command(flatten)]
    pub json: Json,
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
    #[arg(short = 'L', long, value_name = "N", value_parser = super::at_least_one)]
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
