//! What the tools accept, and what they say of it: the schema is what is checked. Unknown parameters are refused, a
//! misspelt one would silently do something else.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

use super::reply::MAX_CHARS;

/// What is common to all calls.
pub trait Asked {
    /// The longest reply, in characters.
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
    /// author:x source:owner/name updated:>2026-01-01 in:title. A pasted log or report is a query too.
    pub query: String,
    /// At most this many results.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    pub limit: usize,
    /// Skip this many results: next_offset of the reply before, until that is null.
    #[serde(default)]
    #[schemars(range(max = 1_000_000))]
    pub offset: usize,
    /// The longest reply, in characters: text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindDuplicates {
    /// The item's number; where several sources have it, name the item by its key.
    #[serde(default)]
    #[schemars(schema_with = "number")]
    pub number: Option<String>,
    /// The item's key (owner/name#12).
    #[serde(default)]
    pub key: Option<String>,
    /// Instead of an item, the title of a draft.
    #[serde(default)]
    pub title: String,
    /// Instead of an item, the text of a draft: a report that is not filed yet, a log, a mail.
    #[serde(default)]
    pub body: String,
    /// Look in this source alone (owner/name); otherwise in the item's own, and for a draft in all.
    #[serde(default)]
    pub source: Option<String>,
    /// Look in all sources.
    #[serde(default)]
    pub everywhere: bool,
    /// Leave out candidates less alike than this.
    #[serde(default = "threshold")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f32,
    /// At most this many candidates.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    pub max_candidates: usize,
    /// Closed reports too.
    #[serde(default)]
    pub include_closed: bool,
    /// The longest reply, in characters: text and structured content together.
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
    /// A sentence, a message, a stack trace, a log, a mail; or leave it out and name an item.
    #[serde(default)]
    pub text: String,
    /// An item (owner/name#12) to ask about.
    #[serde(default)]
    pub key: Option<String>,
    /// Look in this source alone (owner/name).
    #[serde(default)]
    pub source: Option<String>,
    /// The longest reply, in characters: text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Troubleshoot {
    /// A message, a log, a mail; or leave it out and name an item.
    #[serde(default)]
    pub text: String,
    /// An item (owner/name#12) to find solved cases for.
    #[serde(default)]
    pub key: Option<String>,
    /// Instead of a text, a log, a support bundle (zip, tar, gz, zst) or a folder of logs on this machine: each distinct
    /// error in it is asked about.
    #[serde(default)]
    pub path: Option<String>,
    /// With path, at most this many distinct errors.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 50))]
    pub max_errors: usize,
    /// Only cases of this source (owner/name).
    #[serde(default)]
    pub source: Option<String>,
    /// Name the nearest cases too where they are not close enough.
    #[serde(default)]
    pub anyway: bool,
    /// At most this many cases.
    #[serde(default = "results")]
    #[schemars(range(min = 1, max = 10))]
    pub max_results: usize,
    /// Characters of all threads together.
    #[serde(default = "budget")]
    #[schemars(range(min = 1_000, max = 50_000))]
    pub total_budget_chars: usize,
    /// The longest reply, in characters: text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetThread {
    /// An item (owner/name#12), a wiki page (owner/name:Page-Name) or a note (note#3).
    pub key: String,
    /// Where to go on: next_offset of the reply before, as it is, until that is null. A number skips so many comments;
    /// "3+4000" skips three and, of what follows, 4000 characters more.
    #[serde(default = "start")]
    #[schemars(schema_with = "place")]
    pub offset: String,
    /// At most this many comments.
    #[serde(default = "comments")]
    #[schemars(range(min = 1, max = 200))]
    pub limit: usize,
    /// The longest reply, in characters: text and structured content together.
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

/// What a note is.
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
    /// What the note is; kinds never match each other.
    pub kind: Kind,
    /// Its title.
    pub title: String,
    /// Its text, Markdown.
    pub body: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreNote {
    /// What the note is. Lessons and curiosities are compared with those that are there.
    pub kind: Kind,
    /// Its title.
    pub title: String,
    /// Its text, Markdown.
    pub body: String,
    /// Words to find it by.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Keys of the items, pages and notes that it belongs to.
    #[serde(default)]
    pub attach: Vec<String>,
    /// Store it even if it is there already.
    #[serde(default)]
    pub force: bool,
}

/// What was decided about a pair.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// One fix resolves both.
    Duplicate,
    /// The same symptom with another cause.
    Related,
    /// The pair is not proposed again.
    NotDuplicate,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordVerdict {
    /// The report that was looked at (owner/name#12).
    pub key: String,
    /// The other one; for a duplicate the one that stays.
    pub other: String,
    /// The decision.
    pub verdict: Decision,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
}

/// How a brief is written.
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
    /// The item it is about (owner/name#12); or leave it out and give a text.
    #[serde(default)]
    pub key: Option<String>,
    /// A question or a pasted report.
    #[serde(default)]
    pub text: String,
    /// How to write it.
    #[serde(default)]
    pub format: Format,
    /// Give tokens, addresses, hosts and people pseudonyms.
    #[serde(default = "yes")]
    pub redact: bool,
    /// Redact, and take out the links to the tracker, too.
    #[serde(default)]
    pub redact_links: bool,
    /// Let these stand when redacting, each as it stands in the text: a product that looks like a person, say.
    #[serde(default)]
    pub keep: Vec<String>,
    /// Skip this many characters of what is written: next_offset of the reply before, until that is null.
    #[serde(default)]
    pub offset: usize,
    /// The longest reply, in characters: text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {
    /// The longest reply, in characters: text and structured content together.
    #[serde(default = "max_chars")]
    #[schemars(range(min = 1_000, max = 200_000))]
    pub max_chars: usize,
}

macro_rules! asked {
    ($($bounded:ident),*; $($other:ident),*) => {
        $(impl Asked for $bounded {
            fn max_chars(&self) -> usize {
                self.max_chars
            }
        })*
        $(impl Asked for $other {})*
    };
}

asked!(Ask, Search, FindDuplicates, Troubleshoot, GetThread, ExportBrief, Status; CheckSimilar, StoreNote, RecordVerdict);
