//! Briefs: assembled, cited answers that can be exported and replayed.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{State, TroubleshootSettings};

/// A section of a brief, in the order of appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// Two to four sentences: the problem, whether it is known, its fix and the next step.
    Summary,
    /// The problem that the brief is about.
    Problem,
    /// The distinct errors of a log, each with what the casebook knows about it.
    Log,
    /// Earlier reports of the same problem.
    Duplicates,
    /// Solved cases with the comments that document the fix.
    Cases,
    /// Wiki passages.
    Wiki,
    /// The versions that the problem was reported on and fixed in.
    Versions,
    /// The people who solved such cases.
    People,
    /// Questions that the report leaves open.
    Questions,
    /// The user's private notes; included only on request.
    Notes,
}

impl SectionKind {
    /// Every section kind.
    pub const ALL: [Self; 10] = [
        Self::Summary,
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

    /// Returns the name on the command line and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Summary => "summary",
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
}

/// The recorded path of a log that was read from standard input and is not kept.
pub const STANDARD_INPUT: &str = "-";

/// A request for a brief.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BriefRequest {
    /// Key of the item; if null, `text` or `logs` is the subject.
    pub key: Option<String>,
    /// A question or a pasted report.
    pub text: String,
    /// Local paths of logs, support bundles and folders of them, as an alternative to `text`. In
    /// the record of a brief, `-` is a log that was read from standard input and is not kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<String>,
    /// Key of the only source to search; null for all sources.
    pub source: Option<String>,
    /// Sections to leave out.
    pub without: Vec<SectionKind>,
    /// Keys of documents to leave out: duplicates, solved cases and pages that do not belong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leave_out: Vec<String>,
    /// `true` to replace tokens, addresses, hosts and people with pseudonyms.
    pub redact: bool,
    /// `true` to remove links to the tracker as well; requires `redact`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redact_links: bool,
    /// Recognized values that `redact` leaves unchanged, as written in the preview.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keep: Vec<String>,
    /// `true` to include private notes attached to the item.
    pub notes: bool,
    /// Settings of the search for solved cases.
    pub troubleshooting: TroubleshootSettings,
}

/// A document that a statement is based on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Citation {
    /// Label as printed: `[Issue acme/app#12]`.
    pub label: String,
    /// Key of the document.
    pub key: String,
    /// URL on the tracker's website, down to the comment; null if unknown.
    pub url: Option<String>,
}

/// A quotation from a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quote {
    /// Login of the author; null if unknown.
    pub author: Option<String>,
    /// Role of the comment in its thread, in one word; null if it could not be determined.
    pub role: Option<String>,
    /// Date on which it was written; null if unknown.
    pub day: Option<String>,
    /// Quoted text (Markdown as written).
    pub text: String,
    /// `true` if the text is an excerpt of a longer comment.
    pub excerpt: bool,
}

/// A statement of a brief with its sources.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Heading, if the entry begins a new topic; null otherwise.
    pub heading: Option<String>,
    /// Text of the statement; null if there is only a quotation.
    pub text: Option<String>,
    /// Quotation; null if there is none.
    pub quote: Option<Quote>,
    /// Sources of the statement.
    pub citations: Vec<Citation>,
}

/// A section of a brief.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Section {
    /// Kind of the section.
    pub kind: SectionKind,
    /// Heading of the section.
    pub title: String,
    /// Statements of the section.
    pub entries: Vec<Entry>,
}

/// A document that a brief is based on, as it was at that time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BriefSource {
    /// Citation label of the document.
    pub citation: String,
    /// Key of the document.
    pub key: String,
    /// Title of the document.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// State: open, closed or merged; null for pages.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker; null if there is none.
    pub state_reason: Option<String>,
    /// Time of the last change; null if unknown.
    pub updated_at: Option<Timestamp>,
    /// Number of comments that the mirror held.
    pub comments: u64,
}

/// A value that was replaced by a pseudonym; the original is not included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Redaction {
    /// Kind of the value: `token`, `email`, `address` (of a network), `host`, `link`, `user` (a
    /// login), `person`, `place`, `company`, `phone`, `account` or `card`.
    pub kind: String,
    /// Pseudonym that replaces the value.
    pub pseudonym: String,
    /// Number of occurrences.
    pub count: usize,
}

/// A value that a redaction would replace, with the original; only for display, never exported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RedactionPreview {
    /// Kind of the value: `token`, `email`, `address` (of a network), `host`, `link`, `user` (a
    /// login), `person`, `place`, `company`, `phone`, `account` or `card`.
    pub kind: String,
    /// Original value.
    pub original: String,
    /// Pseudonym that would replace the value.
    pub pseudonym: String,
    /// Number of occurrences.
    pub count: usize,
    /// `true` if the value was recognized with certainty. The user decides about the others and can
    /// list them in `keep`.
    pub sure: bool,
}

/// The inputs of a brief; the same inputs produce the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefRecord {
    /// Format version of this record.
    pub version: u32,
    /// Request that the brief answers.
    pub request: BriefRequest,
    /// Revision of the casebook.
    pub revision: u64,
    /// Time of the newest change in the casebook: the brief contains nothing later; null if
    /// unknown.
    pub as_of: Option<Timestamp>,
    /// Name of the embedding model; null without one.
    pub model: Option<String>,
    /// `true` if names were to be redacted, but the model that recognizes them was missing or did not
    /// read all of the text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub names_unrecognized: bool,
    /// Documents that the brief is based on, in the order of citation.
    pub sources: Vec<BriefSource>,
}

/// An assembled, cited answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Brief {
    /// Title of the brief.
    pub title: String,
    /// Sections in order; empty ones are left out.
    pub sections: Vec<Section>,
    /// Values that were replaced by pseudonyms.
    pub redactions: Vec<Redaction>,
    /// Inputs of the brief.
    pub record: BriefRecord,
}

/// The output format of a brief.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BriefFormat {
    /// Markdown.
    Markdown,
    /// A single self-contained HTML file.
    Html,
    /// PDF.
    Pdf,
    /// JSON.
    Json,
}

impl BriefFormat {
    /// Returns the format for a file extension; `None` if it is unknown.
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "md" | "markdown" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            "pdf" => Some(Self::Pdf),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// A change since a brief was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BriefChange {
    /// Key of the document.
    pub key: String,
    /// Citation label of the document.
    pub citation: String,
    /// Description of the change.
    pub what: String,
}

/// A comparison of a stored brief with the brief that would be made now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefReplay {
    /// `true` if nothing has changed: the brief would be byte-identical or, where its original text
    /// is not available, the cited documents are unchanged.
    pub same: bool,
    /// Changes in the order of citation.
    pub changes: Vec<BriefChange>,
    /// The brief as it would be now; null if its log is not available.
    pub brief: Option<Brief>,
}
