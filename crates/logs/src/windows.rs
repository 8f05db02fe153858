//! Events of Windows as text: `wevtutil qe … /f:text`, and what PowerShell's `Get-WinEvent` and `Get-EventLog` list.

use precedent_core::model::LogSeverity;
use precedent_text::words::phrases;

use crate::{faults, head::Level, record::named};

/// An event that is being read.
#[derive(Debug, Default)]
pub struct Record {
    level: Option<Level>,
    source: String,
    id: String,
    /// When it was.
    pub at: Option<String>,
    told: Vec<String>,
    /// Whether lines without a name belong to what is told.
    telling: bool,
    /// The line that it begins in.
    pub line: u64,
}

/// The longest description, in lines.
const MAX_LINES: usize = 60;
/// The names of what stands in an event, as the tools write them.
const FIELDS: &str = "
    Category, CategoryNumber, Computer, Date, Description, EntryType, Event ID, EventID, Id, Index, InstanceId, Keyword, Level,
    LevelDisplayName, Log Name, MachineName, Message, Opcode, ProviderName, ReplacementStrings, Source, Task, TaskDisplayName,
    TimeCreated, TimeGenerated, TimeWritten, User, User Name, UserName";

/// Whether an event begins with this line.
pub fn begins(line: &str) -> bool {
    let numbered =
        line.strip_prefix("Event[").and_then(|rest| rest.trim_end().trim_end_matches(':').strip_suffix(']'));
    if numbered.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
        return true;
    }
    let Some((name, value)) = pair(line) else { return false };
    // Get-EventLog begins with Index, Get-WinEvent with TimeCreated or Message.
    matches!(name, "Index" | "TimeCreated") && line.contains(" : ") && !value.is_empty()
}

fn pair(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start().split_once(':')?;
    let name = name.trim_end();
    (!name.is_empty() && name.len() <= 24 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == ' '))
        .then(|| (name, value.trim()))
}

impl Record {
    /// The event that begins in this line.
    pub fn new(first: &str, line: u64) -> Self {
        let mut out = Self { line, ..Self::default() };
        out.take(first);
        out
    }

    /// Takes a line of it.
    pub fn take(&mut self, line: &str) {
        let Some((name, value)) = pair(line).filter(|(name, _)| phrases(FIELDS).any(|field| field == *name))
        else {
            if self.telling && self.told.len() < MAX_LINES && !line.trim().is_empty() {
                self.told.push(line.trim().to_owned());
            }
            return;
        };
        self.telling = matches!(name, "Description" | "Message");
        match name {
            "Level" | "LevelDisplayName" | "EntryType" => {
                self.level = match value {
                    "1" => Some(Level::Fatal),
                    "2" => Some(Level::Error),
                    "3" => Some(Level::Warning),
                    word => named(word),
                };
            }
            "Source" | "ProviderName" => value.clone_into(&mut self.source),
            "Event ID" | "EventID" | "Id" | "InstanceId" if self.id.is_empty() => {
                value.clone_into(&mut self.id)
            }
            "Date" | "TimeCreated" | "TimeGenerated" => {
                self.at = Some(value.to_owned()).filter(|t| !t.is_empty());
            }
            "Description" | "Message" => self.told.extend(Some(value.to_owned()).filter(|t| !t.is_empty())),
            _ => {}
        }
    }

    /// What it says, if it is bad: how bad, its headline, the rest.
    pub fn done(self) -> Option<(LogSeverity, String, String)> {
        let severity = faults::graded(self.level?, b"")?;
        let mut told = self.told.into_iter();
        let first = told.next().unwrap_or_default();
        let head = [self.source, format!("event {}", self.id)];
        let head: Vec<&str> =
            head.iter().map(String::as_str).filter(|h| !h.is_empty() && *h != "event ").collect();
        Some((severity, format!("{}: {first}", head.join(" ")), told.collect::<Vec<_>>().join("\n")))
    }
}
