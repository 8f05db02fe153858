//! The arguments of the tools with their descriptions, which agents read in full, and the requests
//! made from them.

use std::path::Path;

use precedent_core::{
    Error, Result,
    model::{
        AskRequest, BriefFormat, BriefRequest, DuplicatesRequest, LogRequest, NoteDraft, NoteKind,
        TroubleshootRequest, TroubleshootSettings, VerdictKind, limits::BUDGET,
    },
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::arguments::{BoundedInt, Key, deserialize_share};

/// The maximum number of characters of a solved case's thread in an answer of `ask`.
const CASE_CHARS: usize = 2_000;

/// The maximum length of a reply's text.
type MaxChars<const DEFAULT: usize> = BoundedInt<1_000, 200_000, DEFAULT>;
type Offset = BoundedInt<0, 1_000_000_000, 0>;

/// The values that a call may leave out, from the user's settings.
#[derive(Clone, Debug, Default)]
pub struct Defaults {
    /// Source that bare numbers refer to.
    pub source: Option<String>,
    /// Settings for solved cases.
    pub settings: TroubleshootSettings,
}

impl Defaults {
    /// Returns a key as written, or a bare number with the default source, if there is one.
    pub fn key(&self, key: &Key) -> String {
        qualify_key(self.source.as_deref(), &key.0)
    }

    fn non_blank_key(&self, key: &Key) -> Option<String> {
        key.non_blank().map(|_| self.key(key))
    }
}

/// Returns a key as written, or a bare number with the source, if one is given.
fn qualify_key(source: Option<&str>, text: &str) -> String {
    let text = text.trim();
    let number = text.strip_prefix('#').unwrap_or(text);
    match source {
        Some(source) if number.parse::<u64>().is_ok() => format!("{source}#{number}"),
        _ => text.to_owned(),
    }
}

/// Rejects a call without a question, or with several, because only one would be answered.
fn require_one_question(tool: &str, questions: &[&str]) -> Result<()> {
    match questions.iter().filter(|text| !text.trim().is_empty()).count() {
        1 => Ok(()),
        0 => Err(Error::invalid(format!("{tool}: no question was given"))
            .with_hint("Pass a text or the key of an item (owner/name#12).")),
        _ => Err(Error::invalid(format!("{tool}: more than one question was given"))
            .with_hint("Pass only one: a text, a key, or the path of a log.")),
    }
}

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

impl Ask {
    pub fn request(&self, defaults: &Defaults) -> Result<AskRequest> {
        require_one_question("ask", &[&self.text, &self.key.0])?;
        Ok(AskRequest {
            key: defaults.non_blank_key(&self.key),
            text: self.text.clone(),
            source: self.source.to_option(),
            settings: TroubleshootSettings {
                max_results: 1,
                total_budget_chars: CASE_CHARS,
                ..defaults.settings.clone()
            },
        })
    }
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

impl FindDuplicates {
    /// Builds the request for duplicates of an item or a draft.
    pub fn request(&self, defaults: &Defaults) -> Result<DuplicatesRequest> {
        let source = self.source.non_blank();
        if source.is_some() && self.everywhere {
            return Err(Error::invalid("find_duplicates: source conflicts with everywhere").with_hint(
                "Omit source to search all sources, or omit everywhere to search only that one.",
            ));
        }
        let key_source = source.or(defaults.source.as_deref());
        let key = self.number.non_blank().map(|number| qualify_key(key_source, number));
        let is_draft = !self.title.trim().is_empty() || !self.body.trim().is_empty();
        if key.is_some() == is_draft {
            let inputs = if is_draft { "both an item and a draft" } else { "no item and no draft" };
            return Err(Error::invalid(format!("find_duplicates: {inputs} were given"))
                .with_hint("Pass either an item (number or key) or a draft (title and body)."));
        }
        let draft_source = key_source.filter(|_| is_draft && !self.everywhere);
        Ok(DuplicatesRequest {
            key,
            title: self.title.clone(),
            body: self.body.clone(),
            source: source.or(draft_source).map(str::to_owned),
            everywhere: self.everywhere,
            threshold: self.threshold,
            max_candidates: self.max_candidates.0,
            include_closed: self.include_closed,
            ..DuplicatesRequest::default()
        })
    }
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

impl FindFixes {
    /// Returns an error unless there is one question: a text, a key or a path.
    pub fn require_one_question(&self) -> Result<()> {
        require_one_question("find_fixes", &[&self.text, &self.key.0, &self.path])
    }

    /// Builds the request for the solved cases of a text or an item.
    pub fn request(&self, defaults: &Defaults) -> TroubleshootRequest {
        TroubleshootRequest {
            key: defaults.non_blank_key(&self.key),
            text: self.text.clone(),
            source: self.source.to_option(),
            anyway: self.anyway,
            settings: self.settings(defaults),
        }
    }

    /// Builds the request for the errors of the log in a file or folder.
    pub fn log_request(&self, path: &Path, defaults: &Defaults) -> LogRequest {
        LogRequest {
            paths: vec![path.to_string_lossy().into_owned()],
            source: self.source.to_option(),
            max_errors: self.max_errors.0,
            settings: self.settings(defaults),
            ..LogRequest::default()
        }
    }

    fn settings(&self, defaults: &Defaults) -> TroubleshootSettings {
        TroubleshootSettings {
            max_results: self.max_results.0,
            total_budget_chars: self.max_chars.0.clamp(BUDGET.0, BUDGET.1),
            ..defaults.settings.clone()
        }
    }
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

impl WriteBrief {
    pub fn request(&self, defaults: &Defaults) -> Result<BriefRequest> {
        require_one_question("write_brief", &[&self.text, &self.key.0])?;
        if self.format == BriefFormat::Pdf {
            return Err(Error::invalid("write_brief: format must be markdown, html or json")
                .with_hint("A person can write a PDF.")
                .with_command(None, "precedent brief KEY -o brief.pdf"));
        }
        Ok(BriefRequest {
            key: defaults.non_blank_key(&self.key),
            text: self.text.clone(),
            redact: self.redact || self.redact_links,
            redact_links: self.redact_links,
            keep: self.keep.clone(),
            ..BriefRequest::default()
        })
    }
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

impl AddNote {
    /// Builds the note to store.
    pub fn draft(&self, defaults: &Defaults) -> NoteDraft {
        NoteDraft {
            kind: self.kind,
            title: self.title.clone(),
            body: self.body.clone(),
            tags: self.tags.clone(),
            attach: self
                .attach
                .iter()
                .map(|key| qualify_key(defaults.source.as_deref(), key))
                .collect(),
            force: self.force,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bare_number_gets_the_default_source() {
        let defaults = Defaults { source: Some("acme/app".to_owned()), ..Defaults::default() };
        for (key, qualified_key) in
            [("12", "acme/app#12"), (" #12 ", "acme/app#12"), ("a/b#1", "a/b#1"), ("Home", "Home")]
        {
            assert_eq!(defaults.key(&Key(key.to_owned())), qualified_key);
        }
    }

    #[test]
    fn removing_links_also_redacts() {
        let args = serde_json::json!({"key": "a/b#1", "redact": false, "redact_links": true});
        let brief: WriteBrief = serde_json::from_value(args).unwrap();
        assert!(brief.request(&Defaults::default()).unwrap().redact);
    }
}
