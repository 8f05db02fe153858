//! The parameters of the tools with their descriptions: the schema is also the validation.
//!
//! Unknown parameters are refused, because a misspelt one would be ignored silently.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::reply::MAX_CHARS;

/// The common parameters of all calls.
pub trait BoundedRequest {
    /// Returns the maximum length of the reply, in characters.
    fn max_chars(&self) -> usize {
        MAX_CHARS
    }
}

fn max_chars() -> usize {
    MAX_CHARS
}

fn limit() -> usize {
    10
}

fn threshold() -> f32 {
    0.4
}

fn comments() -> usize {
    30
}

fn results() -> usize {
    3
}

fn budget() -> usize {
    12_000
}

fn yes() -> bool {
    true
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Search {
    /// Words, "exact phrases", -exclusions and filters: is:open is:closed is:issue is:pr is:page is:note label:bug
    /// author:x source:owner/name updated:>2026-01-01 in:title. A pasted log or report also works as a query.
    pub query: String,
    /// Maximum number of results.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
    /// Number of results to skip: pass next_offset of the previous reply, until it is null.
    #[serde(default)]
    #[schemars(range(max = 1_000_000))]
    pub offset: usize,
    /// Maximum length of the reply in characters, text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindDuplicates {
    /// Number of the item; if several sources have that number, use key instead.
    #[serde(default)]
    #[schemars(schema_with = "number")]
    pub number: Option<String>,
    /// Key of the item (owner/name#12).
    #[serde(default)]
    pub key: Option<String>,
    /// Title of a draft, instead of an item.
    #[serde(default)]
    pub title: String,
    /// Text of a draft, instead of an item: an unfiled report, a log, an email.
    #[serde(default)]
    pub body: String,
    /// Search only this source (owner/name). Default: the item's own source; all sources for a draft.
    #[serde(default)]
    pub source: Option<String>,
    /// Search all sources.
    #[serde(default)]
    pub everywhere: bool,
    /// Omit candidates with a similarity below this.
    #[serde(default = "threshold")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f32,
    /// Maximum number of candidates.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    pub max_candidates: usize,
    /// Include closed reports.
    #[serde(default)]
    pub include_closed: bool,
    /// Maximum length of the reply in characters, text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

fn number(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": ["integer", "string", "null"], "minimum": 1})
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Sentence, error message, stack trace, log or email. Omit it to ask about an item.
    #[serde(default)]
    pub text: String,
    /// Key of the item to ask about (owner/name#12).
    #[serde(default)]
    pub key: Option<String>,
    /// Search only this source (owner/name).
    #[serde(default)]
    pub source: Option<String>,
    /// Maximum length of the reply in characters, text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Troubleshoot {
    /// Error message, log or email. Omit it to ask about an item.
    #[serde(default)]
    pub text: String,
    /// Key of the item to find solved cases for (owner/name#12).
    #[serde(default)]
    pub key: Option<String>,
    /// Path of a log, a support bundle (zip, tar, gz, zst) or a folder of logs on this machine, instead of a text: each
    /// distinct error in it is looked up.
    #[serde(default)]
    pub path: Option<String>,
    /// With path, maximum number of distinct errors to look up.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 50))]
    pub max_errors: usize,
    /// Search only this source (owner/name).
    #[serde(default)]
    pub source: Option<String>,
    /// Include the closest cases even if they don't match well enough.
    #[serde(default)]
    pub anyway: bool,
    /// Maximum number of cases.
    #[serde(default = "results")]
    #[schemars(range(min = 1, max = 10))]
    pub max_results: usize,
    /// Maximum total length of all threads, in characters.
    #[serde(default = "budget")]
    #[schemars(range(min = 1_000, max = 50_000))]
    pub total_budget_chars: usize,
    /// Maximum length of the reply in characters, text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetThread {
    /// Key of an item (owner/name#12), a wiki page (owner/name:Page-Name) or a note (note#3).
    pub key: String,
    /// Where to continue: pass next_offset of the previous reply unchanged, until it is null. A number skips that many
    /// comments; "3+4000" skips three comments and then 4000 characters.
    #[serde(default = "start")]
    #[schemars(schema_with = "place")]
    pub offset: String,
    /// Maximum number of comments.
    #[serde(default = "comments")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: usize,
    /// Maximum length of the reply in characters, text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

fn start() -> String {
    "0".to_owned()
}

fn place(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"type": ["integer", "string"], "minimum": 0})
}

/// The kind of a note.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Lesson,
    Curiosity,
    Thesis,
    Signal,
    Episode,
    Watchpoint,
    Summary,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckSimilar {
    /// Kind of note; notes of different kinds never match.
    pub kind: Kind,
    /// Title.
    pub title: String,
    /// Text in Markdown.
    pub body: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreNote {
    /// Kind of note. Lessons and curiosities are checked for existing ones.
    pub kind: Kind,
    /// Title.
    pub title: String,
    /// Text in Markdown.
    pub body: String,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Keys of the items, pages and notes to attach it to.
    #[serde(default)]
    pub attach: Vec<String>,
    /// Save it even if it already exists.
    #[serde(default)]
    pub force: bool,
}

/// A decision about a pair.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// One fix resolves both.
    Duplicate,
    /// Same symptom with a different cause.
    Related,
    /// Not a duplicate; the pair is not suggested again.
    NotDuplicate,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordVerdict {
    /// Key of the report the decision is about (owner/name#12).
    pub key: String,
    /// Key of the other report; for a duplicate, the one to keep.
    pub other: String,
    /// Decision.
    pub verdict: Decision,
    /// Reason for the decision.
    #[serde(default)]
    pub reason: Option<String>,
}

/// The format of a brief.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    #[default]
    Markdown,
    Html,
    Json,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportBrief {
    /// Key of the item (owner/name#12). Omit it to use a text.
    #[serde(default)]
    pub key: Option<String>,
    /// Question or pasted report.
    #[serde(default)]
    pub text: String,
    /// Output format.
    #[serde(default)]
    pub format: Format,
    /// Replace tokens, addresses, hosts and people with pseudonyms.
    #[serde(default = "yes")]
    pub redact: bool,
    /// Redact, and also remove links to the tracker.
    #[serde(default)]
    pub redact_links: bool,
    /// Texts to keep when redacting, each exactly as written: for example a product name that looks like a person.
    #[serde(default)]
    pub keep: Vec<String>,
    /// Number of characters to skip: pass next_offset of the previous reply, until it is null.
    #[serde(default)]
    pub offset: usize,
    /// Maximum length of the reply in characters, text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// Maximum length of the reply in characters, text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

macro_rules! asked {
    ($($bounded:ident),*; $($other:ident),*) => {
        $(impl BoundedRequest for $bounded {
            fn max_chars(&self) -> usize {
                self.max_chars
            }
        })*
        $(impl BoundedRequest for $other {})*
    };
}

asked!(Ask, Search, FindDuplicates, Troubleshoot, GetThread, ExportBrief, Status; CheckSimilar, StoreNote, RecordVerdict);
