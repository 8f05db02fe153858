//! A question and its answer: the known problem, its solution, and what to do next.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    AskedVersion, CaseComment, CommentRole, FixedBy, KnownReport, Notice, POSSIBLE, SolvedCase,
    TroubleshootSettings, WikiPassage,
};

/// A question about a problem: an item of the casebook or any text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AskRequest {
    /// Key of the item; if null, `text` is the question.
    pub key: Option<String>,
    /// Text of the question: a sentence, a message, a stack trace, a log or an email.
    pub text: String,
    /// Key of the only source to search; null for all sources.
    pub source: Option<String>,
    /// Settings of the search for solved cases.
    pub settings: TroubleshootSettings,
}

/// The status of a known problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProblemStatus {
    /// The report is open.
    Open,
    /// The report is closed, and its thread documents a fix.
    Solved,
    /// The fix is merged, but no release has it yet.
    Unreleased,
    /// The fix is released, and a later report names a version that has it.
    CameBack,
    /// The report was deliberately closed without a fix: not planned, by design, not reproducible.
    Declined,
    /// The report is closed without a documented fix.
    ClosedWithoutFix,
}

impl ProblemStatus {
    /// Returns the status in words, without a version.
    pub fn words(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Solved => "solved",
            Self::Unreleased => "fixed, not released yet",
            Self::CameBack => "came back after the fix",
            Self::Declined => "declined or not reproduced",
            Self::ClosedWithoutFix => "closed without a documented fix",
        }
    }

    /// Returns the status in words, with the versions if they are known: "fixed in 3.3.0".
    pub fn with_versions(self, fixed_in: Option<&str>, came_back_in: Option<&str>) -> String {
        match (self, fixed_in, came_back_in) {
            (Self::Solved, Some(fixed_in), _) => format!("fixed in {fixed_in}"),
            // A changelog may call its next version "Unreleased".
            (Self::Unreleased, Some(fixed_in), _)
                if fixed_in.contains(|c: char| c.is_ascii_digit()) =>
            {
                format!("fixed in {fixed_in}, not released yet")
            }
            (Self::CameBack, Some(fixed_in), Some(version)) => {
                format!("fixed in {fixed_in}, came back in {version}")
            }
            (status, ..) => status.words().to_owned(),
        }
    }

    /// Returns whether a fix is documented, released or not.
    pub fn is_fixed(self) -> bool {
        matches!(self, Self::Solved | Self::Unreleased | Self::CameBack)
    }
}

/// A known problem: a canonical report with its duplicates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct KnownProblem {
    /// Key of the canonical report.
    pub key: String,
    /// Title of the canonical report.
    pub title: String,
    /// URL on the tracker's website; null if unknown.
    pub url: Option<String>,
    /// Status of the problem.
    pub status: ProblemStatus,
    /// Probability that the question is about this problem, 0..1; 1 if this is known.
    pub confidence: f32,
    /// Reasons for the match, strongest first.
    pub reasons: Vec<String>,
    /// Keys of the other reports of the problem.
    pub reports: Vec<String>,
    /// Version or milestone that has the fix; null if none is named.
    pub fixed_in: Option<String>,
    /// Time at which the fix was merged; null if no merged change is known.
    #[serde(default)]
    pub fixed_at: Option<Timestamp>,
    /// Time of the report's closure; null if it is open or the time is unknown.
    #[serde(default)]
    pub closed_at: Option<Timestamp>,
    /// Version with the fix to update to; null unless the question's version is older than the fix.
    #[serde(default)]
    pub update_to: Option<String>,
    /// Lowest version with the fix on which the problem was reported again; null if there is none.
    #[serde(default)]
    pub came_back_in: Option<String>,
    /// Version that the question names; null if it names none.
    pub asked_version: Option<AskedVersion>,
    /// Comment that documents the fix, or the one to read first; null if there is none.
    pub fix: Option<CaseComment>,
    /// Comment that describes a workaround; null if there is none.
    pub workaround: Option<CaseComment>,
    /// Merged pull requests that closed the report.
    pub fixed_by: Vec<FixedBy>,
}

impl KnownProblem {
    /// Returns the status in words, with the versions if they are known.
    pub fn status_words(&self) -> String {
        self.status.with_versions(self.fixed_in.as_deref(), self.came_back_in.as_deref())
    }

    /// Returns the status in words, with the versions and the comparison with the question's version
    /// if they are known.
    pub fn status_for_version(&self) -> String {
        let status = self.status_words();
        match &self.asked_version {
            Some(version) if self.status.is_fixed() => format!("{status} ({})", version.words()),
            _ => status,
        }
    }

    /// Returns the heading of [`Self::fix`]: its role.
    pub fn fix_heading(&self) -> &'static str {
        self.fix.as_ref().map_or("", CaseComment::heading)
    }

    /// Returns a sentence about the fix and the version that the question names; `None` if neither
    /// the version nor the time of the fix is known.
    pub fn version_statement(&self) -> Option<String> {
        if self.status == ProblemStatus::Unreleased {
            return Some("Fixed, not released yet.".to_owned());
        }
        let day = |time: Timestamp| time.strftime("%Y-%m-%d");
        let (fix, fix_origin) = match (&self.fixed_in, self.fixed_at, self.closed_at) {
            _ if !self.status.is_fixed() => return None,
            (Some(version), ..) => (format!("in {version}"), format!("in {version}")),
            (None, Some(time), _) => (format!("on {}", day(time)), format!("from {}", day(time))),
            (None, None, Some(time)) if !self.is_answered() => {
                (format!("on or before {}", day(time)), format!("from {} or earlier", day(time)))
            }
            (None, None, _) => return None,
        };
        let Some(AskedVersion { version, has_fix }) = &self.asked_version else {
            return Some(format!("Fixed {fix}. Find out which version is in use."));
        };
        Some(match (has_fix, &self.update_to) {
            (Some(true), _) => format!(
                "Fixed {fix}; {version} should have the fix. If it fails there, the problem may have come back."
            ),
            (Some(false), Some(fix_version)) => {
                format!("{version} does not have the fix; update to {fix_version} or later.")
            }
            (Some(false), None) => {
                format!("{version} does not have the fix {fix_origin}; update to a later release.")
            }
            (None, _) => format!("Fixed {fix}. It is unclear whether {version} has the fix."),
        })
    }

    /// Returns whether a comment answers the report and no change fixed it.
    pub fn is_answered(&self) -> bool {
        self.fixed_by.is_empty()
            && self.fix.as_ref().is_some_and(|fix| fix.role != Some(CommentRole::Fix))
    }

    /// Returns whether a report belongs to this problem.
    pub fn has(&self, key: &str) -> bool {
        self.key == key || self.reports.iter().any(|report| report == key)
    }
}

/// The response to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct AskResponse {
    /// Key of the queried item; null for a text.
    pub key: Option<String>,
    /// Known problem that the question is about; null if there is none.
    pub problem: Option<KnownProblem>,
    /// Possible duplicates and related reports, best first.
    pub related: Vec<KnownReport>,
    /// Closest reports, best first, if nothing else matches; probably about other problems.
    #[serde(default)]
    pub closest: Vec<KnownReport>,
    /// Solved cases that may help; empty if the problem itself is solved.
    pub cases: Vec<SolvedCase>,
    /// Wiki passages.
    pub wiki: Vec<WikiPassage>,
    /// Passages of stored articles about similar problems, best first; shown before the cases.
    #[serde(default)]
    pub articles: Vec<WikiPassage>,
    /// Passages of other private notes.
    pub notes: Vec<WikiPassage>,
    /// Next steps, one sentence each.
    pub next: Vec<String>,
    /// Limitations of this answer.
    pub notices: Vec<Notice>,
    /// `true` if the indexes were complete. If `false`, a missing match does not prove that none
    /// exists.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}

impl AskResponse {
    /// Returns whether a case may help, or a report may be the same problem.
    pub fn has_possible_match(&self) -> bool {
        !self.cases.is_empty()
            || self.related.first().is_some_and(|report| report.confidence >= POSSIBLE)
    }

    /// Returns the solved case to try first, unless a report is more likely to be the same problem.
    pub fn first_case(&self) -> Option<&SolvedCase> {
        let nearest = self.related.first().map_or(0.0, |report| report.confidence);
        self.cases.first().filter(|case| case.relevance >= nearest)
    }
}
