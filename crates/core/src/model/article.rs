//! Articles: drafts for a knowledge base, made from solved problems.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoteDraft, NoteKind};

/// A request for an article about a problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ArticleRequest {
    /// Key of a report of the problem.
    pub key: String,
    /// `true` to replace secrets, people, addresses and numbers with pseudonyms.
    pub redact: bool,
}

impl Default for ArticleRequest {
    /// Returns a request for a redacted article; the key is empty.
    fn default() -> Self {
        Self { key: String::new(), redact: true }
    }
}

/// A kind of article section, in the order of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArticleSectionKind {
    /// Observed behavior.
    Symptom,
    /// Affected systems and programs.
    Environment,
    /// Cause of the behavior.
    Cause,
    /// Steps to use until the fix is installed.
    Workaround,
    /// Fix, or steps that solve the problem.
    Resolution,
    /// Affected and fixed versions.
    Versions,
    /// Reports and changes.
    References,
}

impl ArticleSectionKind {
    /// All kinds, in the order of the page.
    pub const ALL: [Self; 7] = [
        Self::Symptom,
        Self::Environment,
        Self::Cause,
        Self::Workaround,
        Self::Resolution,
        Self::Versions,
        Self::References,
    ];

    /// Returns the heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Symptom => "Symptom",
            Self::Environment => "Environment",
            Self::Cause => "Cause",
            Self::Workaround => "Workaround",
            Self::Resolution => "Resolution",
            Self::Versions => "Versions",
            Self::References => "References",
        }
    }
}

/// A passage of an article: a sentence, a list item or a code block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArticlePassage {
    /// Text (Markdown), redacted if requested.
    pub text: String,
    /// Key of the document that it is taken from.
    pub key: String,
    /// Anchor of the comment that it is taken from; null for the report itself.
    pub anchor: Option<String>,
    /// URL of that place on the tracker's website; null if unknown.
    pub url: Option<String>,
}

/// A section of an article with its passages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ArticleSection {
    /// Kind of the section.
    pub part: ArticleSectionKind,
    /// Passages in reading order; never empty.
    pub passages: Vec<ArticlePassage>,
}

/// An article about a solved problem.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Article {
    /// Key of the canonical report.
    pub key: String,
    /// Title: the symptom.
    pub title: String,
    /// Sections that the threads document, in the order of the page.
    pub sections: Vec<ArticleSection>,
    /// Sections that a reader would expect but the threads do not document.
    pub missing: Vec<ArticleSectionKind>,
    /// Number of values that were replaced with pseudonyms.
    pub redactions: usize,
    /// Whole article as Markdown, with its citations as links.
    pub markdown: String,
    /// Whole article as a self-contained HTML page.
    pub html: String,
    /// Keys of the stored articles about the same problem.
    pub stored: Vec<String>,
}

impl Article {
    /// Returns the article as a note that is attached to its report.
    pub fn to_note(&self) -> NoteDraft {
        // The text of a note does not contain the title.
        let body = self.markdown.split_once("\n\n").map_or(&*self.markdown, |(_, body)| body);
        NoteDraft {
            kind: NoteKind::Article,
            title: self.title.clone(),
            body: body.to_owned(),
            tags: Vec::new(),
            attach: vec![self.key.clone()],
            force: false,
        }
    }
}
