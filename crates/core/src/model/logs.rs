//! Logs and support bundles: the distinct errors in them, and what the casebook knows of each.

use serde::{Deserialize, Serialize};

use super::{KnownReport, Notice, SolvedCase, TroubleshootSettings, limits};

/// How bad an event of a log is, the worst first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LogSeverity {
    /// The program ended or gave up: a panic, a signal, no memory left.
    Fatal,
    /// An error, by its level or its words.
    Error,
    /// A warning.
    Warning,
}

impl LogSeverity {
    /// The name in JSON and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fatal => "fatal",
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// A place in a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LogPlace {
    /// The file, as it is called in its folder or archive.
    pub file: String,
    /// The line, from 1 on.
    pub line: u64,
    /// The time, as it is written there.
    pub at: Option<String>,
}

/// Events of a log that differ in numbers, paths and the like alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LogGroup {
    /// How bad it is.
    pub severity: LogSeverity,
    /// What one of them says, in one line.
    pub message: String,
    /// What they have in common: `*` stands for what differs.
    pub template: String,
    /// How many there are.
    pub count: u64,
    /// The first of them.
    pub first: LogPlace,
    /// The last of them.
    pub last: LogPlace,
    /// One of them without its time and level, with its trace.
    pub example: String,
    /// Whether it says more than that.
    pub excerpt: bool,
    /// Whether one of them stands shortly before the program ended.
    pub before_crash: bool,
    /// Whether the last of them stands near the end of its file.
    pub near_end: bool,
}

impl LogGroup {
    /// What it says, with its trace where it has one.
    pub fn told(&self) -> &str {
        let whole = self.example.starts_with(&self.message) || self.example.lines().count() > 1;
        if whole { &self.example } else { &self.message }
    }
}

/// A file that was read, or left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LogFile {
    /// What it is called in its folder or archive.
    pub name: String,
    /// Its lines.
    pub lines: u64,
    /// Why it was not read, or not read any further than those lines, if it was not.
    pub skipped: Option<String>,
}

/// A question about logs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LogRequest {
    /// Files, archives and folders on this machine.
    pub paths: Vec<String>,
    /// Only reports of this source.
    pub source: Option<String>,
    /// So many distinct errors are asked about, 1..=50.
    pub max_errors: usize,
    /// How solved cases are looked for.
    pub settings: TroubleshootSettings,
}

impl Default for LogRequest {
    fn default() -> Self {
        Self {
            paths: Vec::new(),
            source: None,
            max_errors: limits::ERRORS,
            settings: TroubleshootSettings::default(),
        }
    }
}

/// What the casebook knows of an error.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum LogVerdict {
    /// A solved case probably helps.
    Solved,
    /// It has been reported.
    Known,
    /// Something is like it, and may be it.
    Perhaps,
    /// Nothing in the casebook is like it.
    New,
}

/// A distinct error of the log, with what the casebook knows of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LogError {
    /// The events.
    #[serde(flatten)]
    pub group: LogGroup,
    /// What it came to.
    pub verdict: LogVerdict,
    /// The report that is most like it, where one is.
    pub known: Option<KnownReport>,
    /// The solved case that probably helps, where there is one.
    pub case: Option<SolvedCase>,
}

/// The answer to a question about logs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct LogResponse {
    /// What was read, and what was left out.
    pub files: Vec<LogFile>,
    /// Bytes of text that were read.
    pub bytes: u64,
    /// Lines that were read.
    pub lines: u64,
    /// Distinct errors and warnings in all.
    pub distinct: u64,
    /// Events of distinct errors that were given up, because there are thousands.
    pub left_out: u64,
    /// Of the errors below: how many a solved case probably helps with.
    pub solved: u64,
    /// Of the errors below: how many have been reported and are not solved.
    pub known: u64,
    /// Of the errors below: how many something is like that may be it.
    pub perhaps: u64,
    /// Of the errors below: how many nothing in the casebook is like.
    pub new: u64,
    /// The errors that were asked about, what to look at first first.
    pub errors: Vec<LogError>,
    /// What the person should know about this answer.
    pub notices: Vec<Notice>,
    /// Whether the indexes were complete. While they are not, no match does not mean that there is none.
    pub conclusive: bool,
    /// Wall time in milliseconds.
    pub took_ms: f64,
}
