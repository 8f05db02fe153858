//! Solved cases: the search request, and the threads that document a fix.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DocKind, KnownProblem, KnownReport, Notice, State};

/// The lowest probability of help at which a case is shown.
pub const MIN_HELP: f32 = 0.15;
/// The lowest probability of help at which a case is more likely to help than not.
pub const LIKELY_HELP: f32 = 0.5;

/// The settings of a search for solved cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TroubleshootSettings {
    /// `true` to search for solved cases.
    pub enabled: bool,
    /// Lowest semantic similarity of a case, 0..1 (1 − distance); null uses the value from the
    /// model's card.
    pub similarity_threshold: Option<f32>,
    /// Maximum number of cases, 1..=10.
    pub max_results: usize,
    /// Maximum length of all threads together in characters (Unicode scalar values),
    /// 1,000..=50,000.
    pub total_budget_chars: usize,
}

impl Default for TroubleshootSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            similarity_threshold: None,
            max_results: 3,
            total_budget_chars: 12_000,
        }
    }
}

/// A request for solved cases that are similar to an item of the casebook or to a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TroubleshootRequest {
    /// Key of the item; if null, `text` is the query.
    pub key: Option<String>,
    /// Pasted text: a message, a log or an email.
    pub text: String,
    /// Key of the only source to search; null for all sources.
    pub source: Option<String>,
    /// `true` to list the nearest cases even if they are below the threshold.
    pub anyway: bool,
    /// Search settings.
    pub settings: TroubleshootSettings,
}

/// The role of a comment in its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentRole {
    /// A description of the fix.
    Fix,
    /// A workaround.
    Workaround,
    /// An explanation of why the item was closed.
    ClosingNote,
    /// Steps to reproduce the problem.
    Reproduction,
    /// A confirmation that the problem occurs elsewhere as well, or no longer occurs.
    Confirmation,
    /// A statement that an earlier fix does not work.
    Denial,
    /// A comment without useful content: thanks or a bot command.
    Noise,
}

impl CommentRole {
    /// Returns the role in words.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fix => "fix",
            Self::Workaround => "workaround",
            Self::ClosingNote => "closing note",
            Self::Reproduction => "reproduction",
            Self::Confirmation => "confirmation",
            Self::Denial => "still happens",
            Self::Noise => "noise",
        }
    }
}

/// A comment of a solved case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseComment {
    /// Anchor of the comment in the thread: `comment-123`.
    pub anchor: String,
    /// Login of the author; null if the account no longer exists.
    pub author: Option<String>,
    /// Author's association with the project as given by the tracker; null if unknown.
    pub association: Option<String>,
    /// Role of the comment; null if it could not be determined.
    pub role: Option<CommentRole>,
    /// Time at which it was written.
    pub created_at: Timestamp,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// Text as written, without quotes of other comments.
    pub text: String,
    /// `true` if the text is an excerpt of a longer comment.
    pub excerpt: bool,
}

impl CaseComment {
    /// Returns the heading of the comment: its role.
    pub fn heading(&self) -> &'static str {
        match self.role {
            Some(CommentRole::Fix) => "Fix",
            Some(CommentRole::Workaround) => "Workaround",
            Some(CommentRole::Denial) => "Still happens",
            Some(CommentRole::ClosingNote) => "Closing note",
            _ => "Comment",
        }
    }
}

/// A merged pull request that closed a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FixedBy {
    /// Key of the pull request.
    pub key: String,
    /// Title of the pull request; empty if it is not mirrored.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// Beginning of its description; empty if it has none.
    pub text: String,
}

impl FixedBy {
    /// Returns a pull request of which only the key is known.
    pub fn not_mirrored(key: String) -> Self {
        Self { key, title: String::new(), url: None, text: String::new() }
    }

    /// Returns whether its title and description are known.
    pub fn is_mirrored(&self) -> bool {
        !self.title.is_empty()
    }
}

/// The version that a query names, compared with the version that has a case's fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AskedVersion {
    /// Newest version that the query names.
    pub version: String,
    /// `true` if this version should have the fix, so that the failure may be a regression or a
    /// different problem; `false` if it is older; null if this is unknown.
    pub has_fix: Option<bool>,
}

impl AskedVersion {
    /// Returns the meaning of the comparison in words.
    pub fn words(&self) -> String {
        let version = &self.version;
        match self.has_fix {
            Some(true) => format!("{version} should have the fix"),
            Some(false) => format!("{version} does not have the fix"),
            None => format!("{version} may or may not have the fix"),
        }
    }
}

/// A known relation between a case and the queried report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaseRelation {
    /// The case is the queried report.
    Itself,
    /// The queried report is known to be a duplicate of the case.
    Canonical,
}

/// A solved case: a closed issue or a merged pull request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SolvedCase {
    /// Key of the item.
    pub key: String,
    /// Citation label: `[Issue acme/app#12]`.
    pub citation: String,
    /// Kind of the item.
    pub kind: DocKind,
    /// Title of the item.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// State: closed or merged; null if unknown.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker; null if there is none.
    pub state_reason: Option<String>,
    /// Time of the closure; null if unknown.
    pub closed_at: Option<Timestamp>,
    /// Known relation to the queried report; null if the case is only likely to match.
    pub relation: Option<CaseRelation>,
    /// Key of the matching report if that is a duplicate of this case; null otherwise.
    pub via: Option<String>,
    /// Probability that the case helps, 0..1. Of the cases that were reviewed at a given value,
    /// that share helped.
    #[serde(alias = "helps")]
    pub relevance: f32,
    /// Cosine similarity of the two texts, −1..1; null if only the lexical search found the case.
    pub similarity: Option<f32>,
    /// Share of the query's words that the case contains, weighted by rarity, about 0..1.
    pub words: f32,
    /// `true` if the case shares an error code, an exception or a quoted message with the query.
    pub same_signature: bool,
    /// Merged pull requests that closed the case.
    pub fixed_by: Vec<FixedBy>,
    /// Product versions that the report mentions.
    pub reported_on: Vec<String>,
    /// Versions of other programs that the report names, such as `Ubuntu 22.04.1`.
    pub environment: Vec<String>,
    /// Version or milestone that has the fix; null if none is named.
    pub fixed_in: Option<String>,
    /// Version that the query names; null if it names none.
    pub asked_version: Option<AskedVersion>,
    /// Text of the report.
    pub body: String,
    /// `true` if `body` is an excerpt of a longer report.
    pub body_excerpt: bool,
    /// Comments that document the solution, in chronological order.
    pub comments: Vec<CaseComment>,
    /// Number of other comments.
    pub omitted: u32,
    /// Number of further comments that only confirm the problem; not counted in `omitted`.
    pub agreeing: u32,
    /// Anchor of the comment to read first; null if there is none.
    pub fix: Option<String>,
    /// `true` if the thread documents the solution: a closing change, a version, a comment or the
    /// report itself.
    #[serde(alias = "told")]
    pub fix_documented: bool,
    /// Number of characters that this case uses of its share of the budget.
    pub chars: usize,
}

impl SolvedCase {
    /// Returns whether a comment is the one to read first.
    pub fn is_first(&self, comment: &CaseComment) -> bool {
        self.fix.as_ref() == Some(&comment.anchor)
    }

    /// Returns the comments in reading order: the one to read first, then the others by time.
    pub fn in_reading_order(&self) -> impl Iterator<Item = &CaseComment> {
        let (first, rest): (Vec<_>, Vec<_>) = self.comments.iter().partition(|c| self.is_first(c));
        first.into_iter().chain(rest)
    }

    /// Returns the comments that document the solution, in reading order. If there is none and no
    /// pull request has a description, returns the comment to read first.
    pub fn solutions(&self) -> impl Iterator<Item = &CaseComment> {
        let is_solution = |comment: &&CaseComment| {
            use CommentRole::{ClosingNote, Denial, Fix, Workaround};
            matches!(comment.role, Some(Fix | Workaround | Denial | ClosingNote))
        };
        let is_undocumented = self.described_changes().next().is_none()
            && !self.comments.iter().any(|c| is_solution(&c));
        self.in_reading_order()
            .filter(move |c| is_solution(c) || is_undocumented && self.is_first(c))
    }

    /// Returns a phrase with the number of comments that only confirm the problem; `None` if there
    /// are none.
    pub fn agreement(&self) -> Option<String> {
        match self.agreeing {
            0 => None,
            1 => Some("1 more confirms it".to_owned()),
            n => Some(format!("{n} more confirm it")),
        }
    }

    /// Returns the pull requests that closed the case and have a description.
    pub fn described_changes(&self) -> impl Iterator<Item = &FixedBy> {
        self.fixed_by.iter().filter(|change| !change.text.is_empty())
    }
}

/// A case that is not a solution or not similar enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NearCase {
    /// Key of the item.
    pub key: String,
    /// Citation label: `[Issue acme/app#12]`.
    pub citation: String,
    /// Title of the item.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// State: closed or merged; null if unknown.
    pub state: Option<State>,
    /// Reason for the closure as given by the tracker; null if there is none.
    pub state_reason: Option<String>,
    /// `true` if the case was closed without a fix, so that it is similar but not a solution.
    pub declined: bool,
    /// `true` if the case was closed and nothing documents the solution.
    #[serde(default, alias = "silent")]
    pub undocumented: bool,
    /// Probability that the case helps, 0..1.
    #[serde(alias = "helps")]
    pub relevance: f32,
    /// Comment to read first: the reason for the closure or the last comment; null if there is
    /// none.
    #[serde(alias = "said")]
    pub key_comment: Option<CaseComment>,
}

/// A wiki passage, returned if no solved case is similar enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WikiPassage {
    /// Key of the page.
    pub key: String,
    /// Citation label: `[Wiki: Page Name]`.
    pub citation: String,
    /// Title of the page.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// Cosine similarity of the page's best passage to the query, −1..1; null without a vector.
    pub similarity: Option<f32>,
    /// Text of the passage.
    pub text: String,
}

/// The evaluation of how often a shortened thread contains the comment that documents the fix.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ThreadFigures {
    /// Key of the source.
    pub source: String,
    /// Budget of each thread in characters.
    pub budget: usize,
    /// Number of closed issues whose fix comment is known.
    pub known_fixes: u64,
    /// Number of them whose thread exceeds the budget. Shorter threads are shown whole and not
    /// counted below.
    pub long_threads: u64,
    /// Number of long threads whose assembled excerpt contains the fix comment.
    pub in_excerpt: u64,
    /// Number of long threads whose excerpt contains it if assembled from the wording alone,
    /// without the closing change.
    pub in_excerpt_by_wording: u64,
    /// Number of long threads where the last comments that fit contain it.
    pub in_last_comments: u64,
    /// Number of long threads where the first comments that fit contain it.
    pub in_first_comments: u64,
}

/// The outcome of a search for solved cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TroubleshootOutcome {
    /// Solved cases were found.
    Solved,
    /// No solved case is similar enough, but wiki pages are.
    Wiki,
    /// No match. No guess is made.
    #[default]
    Nothing,
}

/// The response to a request for solved cases.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TroubleshootResponse {
    /// Key of the queried item; null for a text.
    pub key: Option<String>,
    /// Known problem that the question is about; null if there is none.
    #[serde(default)]
    pub problem: Option<KnownProblem>,
    /// Outcome of the search.
    pub outcome: TroubleshootOutcome,
    /// Solved cases, best first.
    pub cases: Vec<SolvedCase>,
    /// Similar cases that are not a solution and, if requested, the nearest cases below the
    /// threshold.
    #[serde(alias = "near")]
    pub similar_cases: Vec<NearCase>,
    /// Other open reports of the same problem, which have no solution yet.
    #[serde(default)]
    pub open: Vec<KnownReport>,
    /// Passages of stored articles about similar problems, best first; shown before the cases.
    #[serde(default)]
    pub articles: Vec<WikiPassage>,
    /// Wiki passages, best first, one per page; empty if a case is likely to help.
    pub wiki: Vec<WikiPassage>,
    /// Settings that were used.
    pub settings: TroubleshootSettings,
    /// Limitations of this answer.
    pub notices: Vec<Notice>,
    /// `true` if the indexes were complete. If `false`, a missing match does not prove that none
    /// exists.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

impl TroubleshootResponse {
    /// Returns whether a case is known to be the same problem or is more likely to help than not.
    pub fn is_sure(&self) -> bool {
        self.cases.iter().any(|case| case.relation.is_some() || case.relevance >= LIKELY_HELP)
    }
}
