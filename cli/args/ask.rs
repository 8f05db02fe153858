//! The arguments of the query commands: search, duplicates, solved cases, briefs and verdicts, and
//! the requests made from them.

use std::path::PathBuf;

use clap::{Args as Arguments, Subcommand, builder::PossibleValue};
use precedent_core::{
    Error, Result,
    model::{
        AskRequest, Band, BriefRequest, DuplicatesRequest, LogRequest, Mode, ProblemList,
        ProblemsRequest, SearchRequest, SectionKind, TriageRequest, TroubleshootRequest,
        TroubleshootSettings, limits, parse_name,
    },
};
use precedent_engine::config::Settings;

use super::JsonArgs;

#[derive(Debug, Arguments)]
#[command(
    after_help = "Two reports are duplicates when one fix resolves both. The confidence is calibrated: \
    about nine in ten matches at 90% should be duplicates. `precedent calibrate SOURCE \
    --dry-run` shows how well this holds for a source. By default, an item is compared \
    with older items of its own source.

Examples:
  precedent duplicates acme/app#1234 --include-closed
  precedent duplicates -t \"agent hangs after reload\" -b \"It stops reading.\"
  pbpaste | precedent duplicates - -R acme/app --json=key,confidence,reasons"
)]
pub struct DuplicatesCommand {
    /// Item (acme/app#12), or `-` to read a draft from stdin
    #[arg(value_name = "KEY")]
    pub key: Option<String>,
    /// Title of a draft
    #[arg(short, long)]
    pub title: Option<String>,
    /// Text of a draft
    #[arg(short, long)]
    pub body: Option<String>,
    /// Read the text of a draft from this file
    #[arg(short = 'F', long, value_name = "PATH", conflicts_with = "body")]
    pub file: Option<PathBuf>,
    /// Search only this source
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: Option<String>,
    /// Search all sources, not just the item's own
    #[arg(long, conflicts_with = "source")]
    pub everywhere: bool,
    /// Omit candidates with a similarity below this, 0 to 1 [default: 0.4]
    #[arg(long, value_name = "SIMILARITY")]
    pub threshold: Option<f32>,
    /// Maximum number of candidates [default: 10]
    #[arg(short = 'L', long, value_name = "N")]
    pub max_candidates: Option<usize>,
    /// Include closed reports; many new reports duplicate solved ones
    #[arg(long)]
    pub include_closed: bool,
    /// Show how each score was computed
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

impl DuplicatesCommand {
    /// Builds the request for an item, or for a draft with the text that was read.
    pub fn request(
        &self,
        key: Option<String>,
        text: Option<String>,
        settings: &Settings,
    ) -> DuplicatesRequest {
        DuplicatesRequest {
            key,
            title: self.title.clone().unwrap_or_default(),
            body: text.or_else(|| self.body.clone()).unwrap_or_default(),
            source: self.source.clone(),
            everywhere: self.everywhere,
            threshold: self.threshold.unwrap_or(settings.duplicates_threshold),
            max_candidates: self.max_candidates.unwrap_or(settings.duplicates_max_candidates),
            include_closed: self.include_closed,
            explain: self.explain,
        }
    }
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Checks the open reports that are new or changed since the last run, and lists \
    possible duplicates, the most likely first, followed by reports with only related \
    matches. --decide asks about each in turn. The tracker is not changed without \
    --apply --yes. Bands: high (90% or more), likely (50%), possible (20%).

Examples:
  precedent triage -R acme/app --include-closed
  precedent triage --band high --json=key,candidate
  precedent triage --decide --by ann
  precedent triage --apply
  precedent triage --apply --yes"
)]
pub struct TriageCommand {
    /// Review only reports of this source
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: Option<String>,
    /// Include closed reports
    #[arg(long)]
    pub include_closed: bool,
    /// Check all reports again, not only new and changed ones
    #[arg(long)]
    pub rescan: bool,
    /// Don't check new reports; list what earlier checks found
    #[arg(long, conflicts_with = "rescan")]
    pub no_check: bool,
    /// Minimum confidence; `none` lists every report that has a candidate
    #[arg(long, value_name = "BAND", value_parser = ["high", "likely", "possible", "none"], default_value = "possible")]
    pub band: String,
    /// Maximum number of reports [default: 20]
    #[arg(short = 'L', long, value_name = "N", value_parser = super::parse_positive)]
    pub limit: Option<usize>,
    /// Ask about each report and record your verdicts
    #[arg(long, conflicts_with = "json")]
    pub decide: bool,
    /// Preview what would be posted to trackers for confirmed duplicates; posts nothing
    #[arg(long, conflicts_with_all = ["decide", "rescan", "journal"])]
    pub apply: bool,
    /// With --apply, post the comments and close the reports
    #[arg(long, requires = "apply")]
    pub yes: bool,
    /// Show what was posted to trackers
    #[arg(long, conflicts_with = "decide")]
    pub journal: bool,
    /// Name to record with the verdicts
    #[arg(long, value_name = "NAME", env = "PRECEDENT_ACTOR")]
    pub by: Option<String>,
    #[command(flatten)]
    pub json: JsonArgs,
}

impl TriageCommand {
    pub fn request(&self, settings: &Settings) -> TriageRequest {
        TriageRequest {
            source: self.source.clone(),
            include_closed: self.include_closed,
            rescan: self.rescan,
            queue_only: self.no_check,
            band: parse_name(&self.band).unwrap_or(Band::Possible),
            limit: self.limit.unwrap_or(settings.triage_limit),
        }
    }
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "A problem is a report with its known and likely duplicates. By default, those with \
    open reports are listed, most reported first; --unreleased also lists problems with a \
    single report. New and changed open reports are checked first, as `precedent triage` \
    does.

Examples:
  precedent problems -R acme/app
  precedent problems --recurring
  precedent problems --waiting --min-reports 3 --json=head,status,size,open"
)]
pub struct ProblemsCommand {
    /// List unsolved problems, longest open first
    #[arg(long, group = "list")]
    pub waiting: bool,
    /// List problems whose fix is merged but not released
    #[arg(long, group = "list")]
    pub unreleased: bool,
    /// List fixed problems that were reported again on a version with the fix
    #[arg(long, group = "list")]
    pub recurring: bool,
    /// List solved problems that no article describes
    #[arg(long, group = "list")]
    pub without_article: bool,
    /// List only problems of this source
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: Option<String>,
    /// Minimum confidence for pairs without a verdict, 0 to 1
    #[arg(long, value_name = "CONFIDENCE", default_value_t = 0.5)]
    pub threshold: f32,
    /// Minimum number of reports [default: 2, or 1 with --unreleased]
    #[arg(
        long,
        alias = "min-size",
        value_name = "N",
        default_value_t = 0,
        hide_default_value = true
    )]
    pub min_reports: usize,
    /// Maximum number of problems
    #[arg(short = 'L', long, value_name = "N", default_value_t = 20, value_parser = super::parse_positive)]
    pub limit: usize,
    /// Don't check new reports; use the results of earlier checks
    #[arg(long)]
    pub no_check: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

impl ProblemsCommand {
    pub fn list(&self) -> ProblemList {
        match self {
            Self { waiting: true, .. } => ProblemList::Waiting,
            Self { unreleased: true, .. } => ProblemList::Unreleased,
            Self { recurring: true, .. } => ProblemList::Recurring,
            Self { without_article: true, .. } => ProblemList::WithoutArticle,
            _ => ProblemList::Frequent,
        }
    }

    pub fn request(&self) -> ProblemsRequest {
        ProblemsRequest {
            source: self.source.clone(),
            list: self.list(),
            threshold: self.threshold,
            min_reports: self.min_reports,
            limit: self.limit,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum VerdictCommand {
    /// Record a verdict, replacing an earlier one on the same pair
    #[command(after_help = "Examples:
  precedent verdict set acme/app#31 acme/app#12 duplicate  # #31 duplicates #12
  precedent verdict set acme/app#31 acme/app#14 not-duplicate --reason \"old CPU\"")]
    Set {
        /// Report the verdict is about
        key: String,
        /// Other report; for a duplicate, the one to keep
        #[arg(value_name = "OTHER")]
        other_key: String,
        /// Verdict
        #[arg(value_parser = ["duplicate", "related", "not-duplicate"])]
        verdict: String,
        /// Reason for the verdict
        #[arg(long)]
        reason: Option<String>,
        /// Name to record with the verdict
        #[arg(long, value_name = "NAME", env = "PRECEDENT_ACTOR")]
        by: Option<String>,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// Undo the last verdict on a pair
    Undo {
        /// One report of the pair
        key: String,
        /// The other report
        #[arg(value_name = "OTHER")]
        other_key: String,
        /// Name to record with the undo
        #[arg(long, value_name = "NAME", env = "PRECEDENT_ACTOR")]
        by: Option<String>,
        #[command(flatten)]
        json: JsonArgs,
    },
    /// List verdicts, newest first
    List {
        /// List only verdicts on this report
        key: Option<String>,
        #[command(flatten)]
        json: JsonArgs,
    },
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Answers on one page: whether the problem is known, its status, the workaround and \
    the fix for the version named in the question, related reports, wiki pages, notes, \
    and what to do next.

Examples:
  precedent ask \"upload ends with FW-1043 on 3.2\"
  precedent ask acme/app#1234
  pbpaste | precedent ask -
  precedent ask server.log"
)]
pub struct AskCommand {
    /// Text, item (acme/app#12), log (file, archive or folder), or `-` for stdin
    #[arg(value_name = "TEXT|KEY|FILE|-", required = true)]
    pub question: Vec<String>,
    /// Search only this source
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: Option<String>,
    #[command(flatten)]
    pub json: JsonArgs,
}

impl AskCommand {
    /// Builds the request for an item, or for a text if there is none.
    pub fn request(&self, key: Option<String>, text: String, settings: &Settings) -> AskRequest {
        let settings = settings.troubleshooting.clone();
        AskRequest { key, text, source: self.source.clone(), settings }
    }
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Searches only closed issues and merged pull requests, plus the wiki if none of them \
    is certain to help. If nothing matches well enough, no case is shown.

For logs and support bundles (plain, JSON, gz, bz2, xz, zst, zip, tar; files, \
    folders and stdin), each distinct error is looked up to see whether it is known and \
    how it was solved. A log of up to 8 KB on stdin is looked up as one text.

Examples:
  precedent troubleshoot \"upload ends with FW-1043\"
  precedent troubleshoot acme/app#1234
  pbpaste | precedent troubleshoot - --json
  precedent troubleshoot server.log
  precedent troubleshoot support-bundle.tar.gz --max-errors 20"
)]
pub struct TroubleshootCommand {
    /// Text, item (acme/app#12), log (file, archive or folder), or `-` for stdin
    #[arg(value_name = "TEXT|KEY|FILE|-", required = true)]
    pub question: Vec<String>,
    /// Search only this source
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: Option<String>,
    /// Show cases with at least this semantic similarity (0 to 1), however likely they are to help
    #[arg(long, value_name = "SIMILARITY", value_parser = super::parse_similarity)]
    pub threshold: Option<f32>,
    /// Show the closest cases even if they don't match well enough
    #[arg(long)]
    pub anyway: bool,
    /// Maximum number of cases [default: 3]
    #[arg(short = 'L', long, value_name = "N")]
    pub max_results: Option<usize>,
    /// Maximum total length of all threads, in characters [default: 12000]
    #[arg(long, value_name = "CHARS")]
    pub budget: Option<usize>,
    /// For logs, maximum number of distinct errors to look up [default: 10]
    #[arg(long, value_name = "N")]
    pub max_errors: Option<usize>,
    #[command(flatten)]
    pub json: JsonArgs,
}

impl TroubleshootCommand {
    /// Builds the request for an item, or for a text if there is none.
    pub fn request(
        &self,
        key: Option<String>,
        text: String,
        settings: &Settings,
    ) -> TroubleshootRequest {
        TroubleshootRequest {
            key,
            text,
            source: self.source.clone(),
            anyway: self.anyway,
            settings: self.settings(settings),
        }
    }

    /// Builds the request for the errors of logs.
    pub fn log_request(&self, paths: &[PathBuf], settings: &Settings) -> LogRequest {
        LogRequest {
            paths: paths.iter().map(|p| p.to_string_lossy().into_owned()).collect(),
            source: self.source.clone(),
            max_errors: self.max_errors.unwrap_or(limits::DEFAULT_ERRORS),
            settings: self.settings(settings),
            ..LogRequest::default()
        }
    }

    fn settings(&self, settings: &Settings) -> TroubleshootSettings {
        let defaults = &settings.troubleshooting;
        TroubleshootSettings {
            enabled: defaults.enabled,
            similarity_threshold: self.threshold.or(defaults.similarity_threshold),
            max_results: self.max_results.unwrap_or(defaults.max_results),
            total_budget_chars: self.budget.unwrap_or(defaults.total_budget_chars),
        }
    }
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "Output is byte-for-byte reproducible for the same casebook and question. Private \
    notes are left out unless you add --notes.

Examples:
  precedent brief acme/app#1234 -o brief.html
  pbpaste | precedent brief - --redact -o brief.pdf
  precedent brief acme/app#1234 --preview
  precedent brief --replay brief.html"
)]
pub struct BriefCommand {
    /// Text, item (acme/app#12), log (file, archive or folder), or `-` for stdin
    #[arg(value_name = "TEXT|KEY|FILE|-", required_unless_present = "replay")]
    pub question: Vec<String>,
    /// Search only this source
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: Option<String>,
    /// Write to this file; the extension sets the format
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Output format: md, html, pdf or json [default: from the file extension, else md]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Leave a part out (repeatable)
    #[arg(long, value_name = "PART", value_parser = ["summary", "problem", "log", "duplicates", "cases", "wiki", "versions", "people", "questions", "notes"])]
    pub without: Vec<String>,
    /// Replace recognized tokens, addresses, hosts, people, places, phone numbers, accounts and
    /// cards with pseudonyms
    #[arg(long)]
    pub redact: bool,
    /// Redact, and also remove links to the tracker
    #[arg(long)]
    pub redact_links: bool,
    /// Don't redact this text, written as --preview shows it (repeatable)
    #[arg(long, value_name = "TEXT")]
    pub keep: Vec<String>,
    /// Show what --redact would replace, marking uncertain matches; writes nothing
    #[arg(long, conflicts_with = "redact")]
    pub preview: bool,
    /// Include private notes attached to the item
    #[arg(long)]
    pub notes: bool,
    /// Regenerate a brief and show what has changed since
    #[arg(long, value_name = "FILE", conflicts_with_all = ["question", "redact", "redact_links", "keep", "preview", "notes", "without", "source"])]
    pub replay: Option<PathBuf>,
    #[command(flatten)]
    pub json: JsonArgs,
}

impl BriefCommand {
    /// Builds the request for an item, a text or logs.
    pub fn request(
        &self,
        key: Option<String>,
        text: String,
        logs: Vec<String>,
    ) -> Result<BriefRequest> {
        let redacts = self.redact || self.redact_links;
        if !self.keep.is_empty() && !redacts && !self.preview {
            return Err(Error::invalid("--keep requires --redact")
                .with_hint("Add --redact, or remove --keep."));
        }
        let parse_section = |name: &String| -> Result<SectionKind> {
            parse_name(name).ok_or_else(|| Error::invalid(format!("unknown part \"{name}\"")))
        };
        Ok(BriefRequest {
            key,
            text,
            logs,
            source: self.source.clone(),
            without: self.without.iter().map(parse_section).collect::<Result<_>>()?,
            redact: redacts,
            redact_links: self.redact_links,
            keep: self.keep.clone(),
            notes: self.notes,
            ..BriefRequest::default()
        })
    }
}

#[derive(Debug, Arguments)]
#[command(
    after_help = "The article quotes the report, its duplicates and their fixes, and links each \
    statement to its source. Recognized names and secrets are replaced with pseudonyms. \
    Output is byte-for-byte reproducible for the same casebook.

Examples:
  precedent article acme/app#1234 -o article.md
  precedent article acme/app#1234 --store
  precedent article --gaps -R acme/app"
)]
pub struct ArticleCommand {
    /// Item (acme/app#12) whose problem is solved
    #[arg(value_name = "KEY")]
    pub key: Option<String>,
    /// List solved problems that no article describes, like `precedent problems --without-article`
    #[arg(long, conflicts_with_all = ["key", "output", "format", "no_redact", "store"])]
    pub gaps: bool,
    /// With --gaps, list only problems of this source
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE", requires = "gaps")]
    pub source: Option<String>,
    /// Write to this file; the extension sets the format
    #[arg(short, long, alias = "out", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Output format [default: from the file extension, else markdown]
    #[arg(long, value_name = "FORMAT", value_parser = ["markdown", "md", "html"])]
    pub format: Option<String>,
    /// Keep names, addresses, tokens, phone, account and card numbers as written
    #[arg(long)]
    pub no_redact: bool,
    /// Save the article as a note that is attached to the report
    #[arg(long, conflicts_with_all = ["output", "format"])]
    pub store: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

#[derive(Debug, Arguments)]
#[command(after_help = "The query may contain filters:
  is:open is:closed is:merged is:issue is:pr is:page is:note is:locked is:bot
  source:owner/name  label:bug  author:login  version:2.3.1  reason:not_planned
  created: updated: closed:  2026-01-31  >2026-01  <2026  >7d  2026-01..2026-02
  in:title in:body in:comments   mode:keyword mode:semantic mode:hybrid
  \"exact phrase\"   -without   -label:wontfix
In a query of several lines, such as a pasted log, filters are not recognized. `-` \
    reads the query from stdin.

Examples:
  precedent search \"checkpoint corrupted after power loss\" is:closed
  precedent search -R acme/app -s open -l bug timeout
  pbpaste | precedent search -")]
pub struct SearchCommand {
    /// Search terms; `-` reads from stdin; with no terms, lists the latest changes
    #[arg(value_name = "QUERY")]
    pub query: Vec<String>,
    /// Search only this source
    #[arg(short = 'R', long, alias = "repo", value_name = "SOURCE")]
    pub source: Vec<String>,
    /// Filter by state
    #[arg(short, long, value_name = "STATE", value_parser = ["open", "closed", "merged", "all"])]
    pub state: Option<String>,
    /// Filter by label
    #[arg(short, long, value_name = "LABEL")]
    pub label: Vec<String>,
    /// Maximum number of results [default: 10]
    #[arg(short = 'L', long, value_name = "N", value_parser = super::parse_positive)]
    pub limit: Option<usize>,
    /// Index to search: keyword, semantic, or both (hybrid)
    #[arg(short, long, value_name = "MODE", value_parser = [PossibleValue::new("hybrid"), PossibleValue::new("keyword").alias("lexical"), PossibleValue::new("semantic")])]
    pub mode: Option<String>,
    /// Show how each score was computed
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub json: JsonArgs,
}

impl SearchCommand {
    pub fn request(&self, query: String, settings: &Settings) -> SearchRequest {
        SearchRequest {
            query,
            filters: self.filters(),
            limit: self.limit.unwrap_or(settings.search_limit),
            mode: self.mode.as_deref().map(|m| match m {
                "keyword" | "lexical" => Mode::Lexical,
                "semantic" => Mode::Semantic,
                _ => Mode::Hybrid,
            }),
            explain: self.explain,
            ..SearchRequest::default()
        }
    }

    /// Converts the flags to filters of the query language.
    pub fn filters(&self) -> String {
        let mut filters = Vec::new();
        // An item has one source, so several of them are alternatives.
        if !self.source.is_empty() {
            filters.push(format!("source:\"{}\"", self.source.join(",")));
        }
        filters.extend(self.state.iter().filter(|s| *s != "all").map(|s| format!("is:{s}")));
        filters.extend(self.label.iter().map(|l| format!("label:\"{l}\"")));
        filters.join(" ")
    }
}

#[derive(Debug, Arguments)]
#[command(after_help = "Examples:
  precedent show acme/app#12
  precedent show 12                 # if only one source has a #12
  precedent show acme/app:Home      # a wiki page
  precedent show acme/app#12 --comments 5")]
pub struct ShowCommand {
    /// Key of the issue, pull request or page
    pub key: String,
    /// Show only the last N comments
    #[arg(long, value_name = "N")]
    pub comments: Option<usize>,
    #[command(flatten)]
    pub json: JsonArgs,
}
