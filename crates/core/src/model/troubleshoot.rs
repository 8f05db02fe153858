//! Solved cases: what is asked, and the threads that carry a fix.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{DocKind, KnownReport, Notice, State};

/// The least probability that a case would help for it to be shown.
pub const HELPS: f32 = 0.15;
/// From here on a case helps more likely than not.
pub const SURELY: f32 = 0.5;

/// How solved cases are looked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TroubleshootSettings {
    /// Whether to look at all.
    pub enabled: bool,
    /// How near in meaning a case has to be, 0..1, as a similarity (1 − distance); none stands for what the model's card
    /// says.
    pub similarity_threshold: Option<f32>,
    /// At most this many cases, 1..=10.
    pub max_results: usize,
    /// Characters (Unicode scalar values) of all threads together, 1,000..=50,000.
    pub total_budget_chars: usize,
}

impl Default for TroubleshootSettings {
    fn default() -> Self {
        Self { enabled: true, similarity_threshold: None, max_results: 3, total_budget_chars: 12_000 }
    }
}

/// A question for solved cases: an item of the casebook, or a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TroubleshootRequest {
    /// The item's key; otherwise `text` is the question.
    pub key: Option<String>,
    /// A pasted text: a message, a log, a mail.
    pub text: String,
    /// Only cases of this source.
    pub source: Option<String>,
    /// Name the nearest cases too where they are not close enough.
    pub anyway: bool,
    /// How to look.
    pub settings: TroubleshootSettings,
}

/// What a comment does in its thread, where it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentRole {
    /// Says what solved it.
    Fix,
    /// Says how to live with it.
    Workaround,
    /// Says why it was closed.
    ClosingNote,
    /// Says how to make it happen.
    Reproduction,
    /// Says that it happens elsewhere too, or no longer.
    Confirmation,
    /// Says that what was called a fix before is none.
    Denial,
    /// Says nothing of use: thanks, a bot's orders.
    Noise,
}

impl CommentRole {
    /// The role in words.
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CaseComment {
    /// Its anchor in the thread: `comment-123`.
    pub anchor: String,
    /// Who wrote it.
    pub author: Option<String>,
    /// The author's standing as the tracker says.
    pub association: Option<String>,
    /// What it does there.
    pub role: Option<CommentRole>,
    /// When it was written.
    pub created_at: Timestamp,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// What it says, as written, without quotes of others.
    pub text: String,
    /// Whether it says more than that.
    pub excerpt: bool,
}

/// A merged pull request that closed a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FixedBy {
    /// Its key.
    pub key: String,
    /// Its title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// The beginning of what it says of itself; empty where it says nothing.
    pub text: String,
}

/// The version that a question names, beside the one that has a case's fix.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AskedVersion {
    /// The newest version that the question names.
    pub version: String,
    /// Whether it should have the fix. The failure may then be back, or be another one.
    pub has_fix: bool,
}

impl AskedVersion {
    /// What it means for who asks, in words.
    pub fn words(&self) -> String {
        let version = &self.version;
        if self.has_fix {
            format!("{version} should have the fix; the problem may have come back")
        } else {
            format!("{version} is older than the fix")
        }
    }
}

/// Why a case is one without being near in meaning or words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaseRelation {
    /// It is the report that was asked about.
    Itself,
    /// The report that was asked about is known to be a duplicate of it.
    Canonical,
}

/// A solved case: an issue that was closed, or a pull request that was merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SolvedCase {
    /// Human key.
    pub key: String,
    /// How it is cited: `[Issue acme/app#12]`.
    pub citation: String,
    /// What it is.
    pub kind: DocKind,
    /// Its title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Closed or merged.
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// What it is to the report that was asked about, where that is known and not just likely.
    pub relation: Option<CaseRelation>,
    /// The report that was found, where that is a duplicate of this one.
    pub via: Option<String>,
    /// The probability that it helps, 0..1: of cases that are stated so, that share helped when they were read.
    pub helps: f32,
    /// The cosine of both texts, −1..1; none where it was found by words alone.
    pub similarity: Option<f32>,
    /// The share of the question's words that it has, weighed by rarity, about 0..1.
    pub words: f32,
    /// Whether it shares an error code, an exception or a quoted message with the question.
    pub same_signature: bool,
    /// The merged pull requests that closed it.
    pub fixed_by: Vec<FixedBy>,
    /// The versions of the product that it was reported on.
    pub reported_on: Vec<String>,
    /// Versions of other programs that it names, such as `Ubuntu 22.04.1`.
    pub environment: Vec<String>,
    /// The version or milestone that has the fix, where someone says so.
    pub fixed_in: Option<String>,
    /// The version that the question names, where it can be compared with `fixed_in`.
    pub asked_version: Option<AskedVersion>,
    /// What was reported.
    pub body: String,
    /// Whether the report says more than that.
    pub body_excerpt: bool,
    /// The comments that carry the solution, in order of time.
    pub comments: Vec<CaseComment>,
    /// How many other comments there are.
    pub omitted: u32,
    /// How many more comments only say that they have it, too. They are not among the others.
    pub agreeing: u32,
    /// The anchor of the comment to read first.
    pub fix: Option<String>,
    /// Whether it tells how it was solved: by what closed it, by a version, by a comment, or in the report itself.
    pub told: bool,
    /// Characters used, of the share of the budget.
    pub chars: usize,
}

impl SolvedCase {
    /// Whether a comment is the one to read first.
    pub fn is_first(&self, comment: &CaseComment) -> bool {
        self.fix.as_ref() == Some(&comment.anchor)
    }

    /// The comments as people read them: the one to read first, then the others in order of time.
    pub fn read_in_order(&self) -> impl Iterator<Item = &CaseComment> {
        let (first, others): (Vec<_>, Vec<_>) = self.comments.iter().partition(|c| self.is_first(c));
        first.into_iter().chain(others)
    }

    /// What is said of those who only have it, too.
    pub fn agreement(&self) -> Option<String> {
        match self.agreeing {
            0 => None,
            1 => Some("1 more confirms it".to_owned()),
            n => Some(format!("{n} more confirm it")),
        }
    }

    /// The changes that fixed it and say something of themselves.
    pub fn told_changes(&self) -> impl Iterator<Item = &FixedBy> {
        self.fixed_by.iter().filter(|change| !change.text.is_empty())
    }
}

/// A case that is no solution, or not close enough.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NearCase {
    /// Human key.
    pub key: String,
    /// How it is cited: `[Issue acme/app#12]`.
    pub citation: String,
    /// Its title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Closed or merged.
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    /// Whether it was closed without a fix: it is close, and no solution.
    pub declined: bool,
    /// Whether it was closed, and nothing tells how it was solved.
    #[serde(default)]
    pub silent: bool,
    /// The probability that it helps, 0..1.
    pub helps: f32,
    /// The comment to read first: why it was closed, or what was said last.
    pub said: Option<CaseComment>,
}

/// A passage of a wiki, where no solved case comes near.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct WikiPassage {
    /// The page's key.
    pub key: String,
    /// How it is cited: `[Wiki: Page Name]`.
    pub citation: String,
    /// The page's title.
    pub title: String,
    /// Where it lives on the web.
    pub url: Option<String>,
    /// Its best passage's cosine to the question, −1..1.
    pub similarity: Option<f32>,
    /// The passage.
    pub text: String,
}

/// How often the part of a thread that is shown holds the comment that says what the fix was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ThreadFigures {
    /// The source's key.
    pub source: String,
    /// Characters of each thread.
    pub budget: usize,
    /// Closed issues of which that comment is known.
    pub known: u64,
    /// Those whose thread does not fit the budget; the rest are shown whole and are not counted below.
    pub long: u64,
    /// Those where the assembled thread holds it.
    pub assembled: u64,
    /// The same, where the assembly is not told what closed the issue and has the wording alone.
    pub blind: u64,
    /// Those where the last comments that fit hold it.
    pub last: u64,
    /// Those where the first comments that fit hold it.
    pub first: u64,
}

/// What looking for solved cases came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TroubleshootOutcome {
    /// There are solved cases.
    Solved,
    /// No case comes near; pages of a wiki do.
    Wiki,
    /// Nothing comes near. No guess is made.
    Nothing,
}

/// The answer to a question for solved cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TroubleshootResponse {
    /// The item that was asked about, if one was.
    pub key: Option<String>,
    /// What it came to.
    pub outcome: TroubleshootOutcome,
    /// Solved cases, best first.
    pub cases: Vec<SolvedCase>,
    /// What was looked at and is no solution; where it was asked for, the nearest cases that are not close enough.
    pub near: Vec<NearCase>,
    /// Open reports of the same, which have no solution yet; only where no case surely helps.
    #[serde(default)]
    pub open: Vec<KnownReport>,
    /// Passages of wikis, best first, a page once; only where no case surely helps.
    pub wiki: Vec<WikiPassage>,
    /// The settings that were used.
    pub settings: TroubleshootSettings,
    /// What the person should know about this answer.
    pub notices: Vec<Notice>,
    /// Whether the indexes were complete. While they are not, no match does not mean that there is none.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

impl TroubleshootResponse {
    /// Whether a case surely helps: it is known to be the same, or helps more likely than not.
    pub fn is_sure(&self) -> bool {
        self.cases.iter().any(|case| case.relation.is_some() || case.helps >= SURELY)
    }
}
