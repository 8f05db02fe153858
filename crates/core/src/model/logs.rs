//! Logs and support bundles: their distinct errors, and what the casebook knows about each.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{KnownReport, Notice, SolvedCase, TroubleshootSettings, limits};

/// The severity of a log event, worst first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LogSeverity {
    /// The program crashed or gave up: a panic, a signal or an out-of-memory error.
    Fatal,
    /// An error, by its level or its wording.
    Error,
    /// A warning.
    Warning,
}

impl LogSeverity {
    /// Returns the name in JSON and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fatal => "fatal",
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A position in a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogPlace {
    /// Name of the file in its folder or archive.
    pub file: String,
    /// Line number, from 1.
    pub line: u64,
    /// Time as written in the log; null if there is none.
    pub at: Option<String>,
}

/// A group of log events that differ only in numbers, paths and similar values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogGroup {
    /// Severity of the events.
    pub severity: LogSeverity,
    /// Message of one event, on one line.
    pub message: String,
    /// Common text of the events; `*` replaces the parts that differ.
    pub template: String,
    /// Number of events.
    pub count: u64,
    /// Position of the first event.
    pub first: LogPlace,
    /// Position of the last event.
    pub last: LogPlace,
    /// Text of one event with its trace, without its time and level.
    pub example: String,
    /// `true` if `example` is an excerpt of a longer text.
    pub excerpt: bool,
    /// `true` if one of the events occurred shortly before the program crashed.
    pub before_crash: bool,
    /// `true` if the last event is near the end of its file.
    pub near_end: bool,
}

impl LogGroup {
    /// Returns the example if it contains the message or a trace, otherwise the message.
    pub fn example_or_message(&self) -> &str {
        let is_complete =
            self.example.starts_with(&self.message) || self.example.lines().count() > 1;
        if is_complete { &self.example } else { &self.message }
    }
}

/// A file that was read or skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogFile {
    /// Name of the file in its folder or archive.
    pub name: String,
    /// Number of lines read.
    pub lines: u64,
    /// Reason why the file was not read, or was read only in part; null if it was read completely.
    pub skipped: Option<String>,
}

/// A request to look up the errors of logs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogRequest {
    /// Local paths of files, archives and folders.
    pub paths: Vec<String>,
    /// Pasted text of a log, read if there are no paths.
    pub text: String,
    /// Key of the only source to search; null for all sources.
    pub source: Option<String>,
    /// Maximum number of distinct errors to look up, 1..=50.
    pub max_errors: usize,
    /// Settings of the search for solved cases.
    pub settings: TroubleshootSettings,
}

impl Default for LogRequest {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            text: String::new(),
            source: None,
            max_errors: limits::DEFAULT_ERRORS,
            settings: TroubleshootSettings::default(),
        }
    }
}

/// The status of a log error in the casebook.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LogVerdict {
    /// A solved case probably helps.
    Solved,
    /// The error has been reported.
    Known,
    /// A similar report exists that may be the same error.
    Perhaps,
    /// No report in the casebook is similar.
    New,
}

/// A distinct error of a log, with what the casebook knows about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogError {
    /// Group of events.
    #[serde(flatten)]
    pub group: LogGroup,
    /// Status of the error in the casebook.
    pub verdict: LogVerdict,
    /// Most similar report; null if there is none.
    pub known: Option<KnownReport>,
    /// Solved case that probably helps; null if there is none.
    pub case: Option<SolvedCase>,
}

/// The response to a request about logs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogResponse {
    /// Files that were read or skipped.
    pub files: Vec<LogFile>,
    /// Number of bytes of text read.
    pub bytes: u64,
    /// Number of lines read.
    pub lines: u64,
    /// Total number of distinct errors and warnings.
    pub distinct: u64,
    /// Number of events whose group was dropped because there were thousands of distinct errors.
    pub left_out: u64,
    /// Number of the errors below that a solved case probably helps with.
    pub solved: u64,
    /// Number of the errors below that have been reported and are not solved.
    pub known: u64,
    /// Number of the errors below with a similar report that may be the same error.
    pub perhaps: u64,
    /// Number of the errors below without a similar report.
    pub new: u64,
    /// Errors that were looked up, most important first.
    pub errors: Vec<LogError>,
    /// Limitations of this answer.
    pub notices: Vec<Notice>,
    /// `true` if the indexes were complete. If `false`, a missing match does not prove that none
    /// exists.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}
