//! The arguments of the tools with their descriptions, which agents read in full.

use precedent_core::model::{BriefFormat, NoteKind, VerdictKind};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::arguments::{BoundedInt, Key, deserialize_share};

/// The maximum length of a reply's text.
type MaxChars<const DEFAULT: usize> = BoundedInt<1_000, 200_000, DEFAULT>;
type Offset = BoundedInt<0, 1_000_000_000, 0>;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ask {
    /// Error message, stack trace, log, email or sentence.
    pub text: String,
    /// Key of an item (owner/name#12), instead of text.
    pub key: Key,
    /// Only this source (owner/name).
    pub source: Key,
    /// Maximum length of the reply.
    pub max_chars: MaxChars<6_000>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchIssues {
    /// Words, "exact phrases", -exclusions and filters: is:open is:closed is:issue is:pr is:page
    /// is:note label:bug author:x source:owner/name updated:>2026-01-01 in:title.
    pub query: String,
    /// Maximum number of results.
    #[serde(default)]
    pub limit: BoundedInt<1, 100, 10>,
    /// next_offset of the previous page.
    #[serde(default)]
    pub offset: Offset,
    /// Maximum length of the reply.
    #[serde(default)]
    pub max_chars: MaxChars<5_000>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindDuplicates {
    /// Number or key (owner/name#12) of an item.
    #[serde(default, alias = "key")]
    #[schemars(schema_with = "number_schema")]
    pub number: Key,
    /// Title of a draft, instead of an item.
    #[serde(default)]
    pub title: String,
    /// Text of a draft.
    #[serde(default)]
    pub body: String,
    /// Only this source (owner/name). Default: an item's own source; all for a draft.
    #[serde(default)]
    pub source: Key,
    /// All sources.
    #[serde(default)]
    pub everywhere: bool,
    /// Lowest similarity of a candidate.
    #[serde(default = "default_threshold", deserialize_with = "deserialize_share")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub threshold: f32,
    /// Maximum number of candidates.
    #[serde(default)]
    pub max_candidates: BoundedInt<1, 100, 10>,
    /// false leaves closed reports out.
    #[serde(default = "default_true")]
    pub include_closed: bool,
    /// Maximum length of the reply.
    #[serde(default)]
    pub max_chars: MaxChars<5_000>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FindFixes {
    /// Error message, log or email.
    pub text: String,
    /// Key of an item (owner/name#12), instead of text.
    pub key: Key,
    /// Path of a log, a support bundle or a folder of logs on this machine, instead of text.
    pub path: String,
    /// With path: maximum number of distinct errors.
    pub max_errors: BoundedInt<1, 50, 10>,
    /// Only this source (owner/name).
    pub source: Key,
    /// Also list the closest cases that do not match well enough.
    pub anyway: bool,
    /// Maximum number of cases.
    pub max_results: BoundedInt<1, 10, 3>,
    /// Maximum length of the reply.
    pub max_chars: MaxChars<6_000>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadThread {
    /// Key of an item (owner/name#12), a wiki page (owner/name:Page-Name) or a note (note#3).
    pub key: Key,
    /// Begin at this comment (comment-123), as cited in other replies.
    #[serde(default)]
    pub comment: Key,
    /// next_offset of the previous page.
    #[serde(default)]
    pub offset: Offset,
    /// Show long logs and traces in full, not only their first and last lines.
    #[serde(default)]
    pub whole: bool,
    /// Maximum length of the reply.
    #[serde(default)]
    pub max_chars: MaxChars<7_500>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteBrief {
    /// Key of an item (owner/name#12).
    #[serde(default)]
    pub key: Key,
    /// Question or pasted report, instead of key.
    #[serde(default)]
    pub text: String,
    /// Output format.
    #[serde(default = "default_format")]
    #[schemars(schema_with = "format_schema")]
    pub format: BriefFormat,
    /// Replace tokens, addresses, hosts and people with pseudonyms.
    #[serde(default = "default_true")]
    pub redact: bool,
    /// Redact, and also remove links to the tracker.
    #[serde(default)]
    pub redact_links: bool,
    /// Texts to leave unredacted, as written.
    #[serde(default)]
    pub keep: Vec<String>,
    /// next_offset of the previous page.
    #[serde(default)]
    pub offset: Offset,
    /// Maximum length of the reply.
    #[serde(default)]
    pub max_chars: MaxChars<8_000>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteArticle {
    /// Key of a report of the problem (owner/name#12).
    pub key: Key,
    /// Replace tokens, addresses, hosts and people with pseudonyms.
    #[serde(default = "default_true")]
    pub redact: bool,
    /// next_offset of the previous page.
    #[serde(default)]
    pub offset: Offset,
    /// Maximum length of the reply.
    #[serde(default)]
    pub max_chars: MaxChars<8_000>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddNote {
    /// Kind of note. A lesson, curiosity or article that exists is not stored again.
    #[schemars(schema_with = "kind_schema")]
    pub kind: NoteKind,
    /// Title.
    pub title: String,
    /// Text in Markdown.
    pub body: String,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// Keys of items, pages and notes to attach it to.
    #[serde(default)]
    pub attach: Vec<String>,
    /// Only look for similar notes; store nothing.
    #[serde(default)]
    pub check_only: bool,
    /// Store it even if it exists.
    #[serde(default)]
    pub force: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordVerdict {
    /// Key of the report the decision is about (owner/name#12).
    pub key: Key,
    /// Key of the other report; for a duplicate, the one to keep.
    pub other: Key,
    /// duplicate: one fix resolves both. related: same symptom, different cause. not_duplicate:
    /// never suggested again.
    #[schemars(schema_with = "verdict_schema")]
    pub verdict: VerdictKind,
    /// Reason for the decision.
    #[serde(default)]
    pub reason: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Status {}

fn default_threshold() -> f32 {
    0.4
}

fn default_true() -> bool {
    true
}

fn default_format() -> BriefFormat {
    BriefFormat::Markdown
}

fn number_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": ["integer", "string"], "minimum": 1})
}

fn format_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": ["markdown", "html", "json"], "default": "markdown"})
}

fn kind_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": NoteKind::ALL.map(NoteKind::as_str)})
}

fn verdict_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": ["duplicate", "related", "not_duplicate"]})
}
