//! Briefs: assembled, cited answers that can be exported and replayed.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{State, TroubleshootSettings};

/// The parts of a brief, in the order in which they stand.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// What is asked about.
    Problem,
    /// The distinct errors of a log, and what is known of each.
    Log,
    /// Earlier reports of the same.
    Duplicates,
    /// Solved cases with the comments that carry the fix.
    Cases,
    /// Passages of wikis.
    Wiki,
    /// Where it was reported and where it is fixed.
    Versions,
    /// Who solved such cases.
    People,
    /// What nobody has said yet.
    Questions,
    /// The user's own notes; only where they are asked for.
    Notes,
}

impl SectionKind {
    /// Every part.
    pub const ALL: [Self; 9] = [
        Self::Problem,
        Self::Log,
        Self::Duplicates,
        Self::Cases,
        Self::Wiki,
        Self::Versions,
        Self::People,
        Self::Questions,
        Self::Notes,
    ];

    /// The name on the command line and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Log => "log",
            Self::Duplicates => "duplicates",
            Self::Cases => "cases",
            Self::Wiki => "wiki",
            Self::Versions => "versions",
            Self::People => "people",
            Self::Questions => "questions",
            Self::Notes => "notes",
        }
    }

    /// Reads what [`SectionKind::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|k| k.as_str() == text)
    }
}

/// What a brief is to be made of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BriefRequest {
    /// The item it is about; otherwise `text` is.
    pub key: Option<String>,
    /// A question or a pasted report.
    pub text: String,
    /// Instead of a text: logs, support bundles and folders of them, by their paths on this machine.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<String>,
    /// Only this source.
    pub source: Option<String>,
    /// Parts to leave out.
    pub without: Vec<SectionKind>,
    /// Documents to leave out, by key: duplicates, solved cases and pages that do not belong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leave_out: Vec<String>,
    /// Whether tokens, addresses, hosts and people get pseudonyms.
    pub redact: bool,
    /// With `redact`: whether links to the tracker are taken out, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redact_links: bool,
    /// With `redact`: what stays, though it was recognised; as the preview writes it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// Whether private notes that belong to the item go in.
    pub notes: bool,
    /// How solved cases are looked for.
    pub troubleshooting: TroubleshootSettings,
}

/// What a statement rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Citation {
    /// As it is printed: `[Issue acme/app#12]`.
    pub label: String,
    /// The document's key.
    pub key: String,
    /// Where it lives on the web, down to the comment.
    pub url: Option<String>,
}

/// Somebody's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Quote {
    /// Who wrote it.
    pub author: Option<String>,
    /// What it does in its thread, in a word.
    pub role: Option<String>,
    /// The day it was written.
    pub day: Option<String>,
    /// The words, Markdown as written.
    pub text: String,
    /// Whether there is more where it comes from.
    pub excerpt: bool,
}

/// A statement of a brief, with what it rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Entry {
    /// A heading, where it begins something new.
    pub heading: Option<String>,
    /// What is stated.
    pub text: Option<String>,
    /// Somebody's words.
    pub quote: Option<Quote>,
    /// What it rests on.
    pub citations: Vec<Citation>,
}

/// A part of a brief.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Section {
    /// Which one.
    pub kind: SectionKind,
    /// Its heading.
    pub title: String,
    /// What it says.
    pub entries: Vec<Entry>,
}

/// A document that a brief rests on, as it was then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BriefSource {
    /// How it is cited.
    pub citation: String,
    /// Its key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Open, closed or merged.
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    /// When it last changed.
    pub updated_at: Option<Timestamp>,
    /// How many comments the mirror held.
    pub comments: u64,
}

/// Something that was replaced by a pseudonym, without what it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Redaction {
    /// `token`, `email`, `address` (of a network), `host`, `link`, `user` (a login), `person`, `place`, `company`, `phone`,
    /// `account`, `card`.
    pub kind: String,
    /// What stands there now.
    pub pseudonym: String,
    /// How often.
    pub count: usize,
}

/// Something that a redaction would replace, with what it is: for the person's eyes, never exported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RedactionPreview {
    /// `token`, `email`, `address` (of a network), `host`, `link`, `user` (a login), `person`, `place`, `company`, `phone`,
    /// `account`, `card`.
    pub kind: String,
    /// What stands there.
    pub original: String,
    /// What would stand there.
    pub pseudonym: String,
    /// How often.
    pub count: usize,
    /// Whether it is surely what it seems. The person decides about the others, and may let them stand: `keep`.
    pub sure: bool,
}

/// What a brief was made from: the same again gives the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BriefRecord {
    /// The form of this record.
    pub version: u32,
    /// What was asked for.
    pub request: BriefRequest,
    /// The casebook's revision.
    pub revision: u64,
    /// When the casebook's newest record last changed: the brief knows nothing later.
    pub as_of: Option<Timestamp>,
    /// The model that read the texts.
    pub model: Option<String>,
    /// What it rests on, in the order of citation.
    pub sources: Vec<BriefSource>,
}

/// An assembled, cited answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Brief {
    /// Its title.
    pub title: String,
    /// Its parts, in order; empty ones are left out.
    pub sections: Vec<Section>,
    /// What was replaced by pseudonyms.
    pub redactions: Vec<Redaction>,
    /// What it was made from.
    pub record: BriefRecord,
}

/// How a brief is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BriefFormat {
    /// Markdown.
    Markdown,
    /// One HTML file with everything in it.
    Html,
    /// PDF.
    Pdf,
    /// JSON.
    Json,
}

impl BriefFormat {
    /// The format of a file with this ending.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "pdf" => Some(Self::Pdf),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Something that has changed since a brief was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BriefChange {
    /// The document's key.
    pub key: String,
    /// How it is cited.
    pub citation: String,
    /// What has changed, in words.
    pub what: String,
}

/// What a brief would say now, beside what it said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BriefReplay {
    /// Whether the same bytes would come out.
    pub same: bool,
    /// What has changed, in the order of citation.
    pub changes: Vec<BriefChange>,
    /// The brief as it would be now.
    pub brief: Brief,
}
