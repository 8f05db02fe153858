//! What the tools accept. Unknown parameters are refused: a misspelt one would silently do something else.

use rmcp::schemars::{self, JsonSchema};
use serde::Deserialize;

/// The longest reply in characters, where the caller does not say.
const MAX_CHARS: usize = 20_000;

pub fn max_chars() -> usize {
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
    /// At most this many results, 1 to 100.
    #[serde(default = "limit")]
    pub limit: usize,
    /// Skip this many results: `next_offset` of the reply before.
    #[serde(default)]
    pub offset: usize,
    /// The longest reply, in characters, 1000 to 200000.
    #[serde(default = "max_chars")]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindDuplicates {
    /// The item's number.
    #[schemars(range(min = 1))]
    pub number: u64,
    /// Leave out candidates less alike than this, 0 to 1.
    #[serde(default = "threshold")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f32,
    /// At most this many candidates, 1 to 100.
    #[serde(default = "limit")]
    #[schemars(range(min = 1, max = 100))]
    pub max_candidates: usize,
    /// Closed reports too.
    #[serde(default)]
    pub include_closed: bool,
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
    /// Only cases of this source (owner/name).
    #[serde(default)]
    pub source: Option<String>,
    /// At most this many cases, 1 to 10.
    #[serde(default = "results")]
    pub max_results: usize,
    /// Characters of all threads together, 1000 to 50000.
    #[serde(default = "budget")]
    pub total_budget_chars: usize,
    /// The longest reply, in characters, 1000 to 200000.
    #[serde(default = "max_chars")]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetThread {
    /// An item (owner/name#12), a wiki page (owner/name:Page-Name) or a note (note#3).
    pub key: String,
    /// Skip this many comments: `next_offset` of the reply before.
    #[serde(default)]
    pub offset: usize,
    /// At most this many comments, 1 to 200.
    #[serde(default = "comments")]
    pub limit: usize,
    /// The longest reply, in characters, 1000 to 200000.
    #[serde(default = "max_chars")]
    pub max_chars: usize,
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
    /// The longest reply, in characters, 1000 to 200000.
    #[serde(default = "max_chars")]
    pub max_chars: usize,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {}
