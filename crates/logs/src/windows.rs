//! Parser for Windows events as text: `wevtutil qe … /f:text`, the output of PowerShell's
//! `Get-WinEvent` and `Get-EventLog`, and copies from the Event Viewer, in several languages.

use crate::{
    error_keywords,
    formats::{EventField, FORMATS, Level},
    record::parse_level,
    template::Event,
};

/// The maximum length of a description, in lines.
const MAX_LINES: usize = 60;

/// An event that is being read.
#[derive(Debug, Default)]
pub struct WindowsEvent {
    level: Option<Level>,
    source: String,
    id: String,
    time: Option<String>,
    text: Vec<String>,
    /// True if lines without a field name continue the description.
    in_description: bool,
    /// Number of its first line.
    line: u64,
}

/// Returns whether a line starts an event.
pub fn is_event_start(line: &str) -> bool {
    let number = line
        .strip_prefix("Event[")
        .and_then(|rest| rest.trim_end().trim_end_matches(':').strip_suffix(']'));
    if number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) {
        return true;
    }
    let Some((name, value)) = split_field(line) else { return false };
    // Get-EventLog begins with Index, Get-WinEvent with TimeCreated or Message.
    let is_list = matches!(name, "Index" | "TimeCreated") && line.contains(" : ");
    // The Event Viewer begins with the name of the log, unindented.
    let is_copy = FORMATS.windows.get(name) == Some(EventField::Log) && line.starts_with(name);
    (is_list || is_copy) && !value.is_empty()
}

/// Returns whether a line with this first byte may start an event.
pub fn may_start_event(first: u8) -> bool {
    matches!(first, b'E' | b'I' | b'T' | b'L' | b'P' | b'N')
}

fn split_field(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.trim_start().split_once(':')?;
    let name = name.trim_end();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '.' | '\'' | '’');
    if name.is_empty() || name.len() > 32 || !name.chars().all(is_name) {
        return None;
    }
    Some((name, value.trim()))
}

impl WindowsEvent {
    /// Creates the event that starts at this line.
    pub fn new(first: &str, line: u64) -> Self {
        let mut out = Self { line, ..Self::default() };
        out.read_line(first);
        out
    }

    /// Reads a line of the event.
    pub fn read_line(&mut self, line: &str) {
        let field = split_field(line).and_then(|(name, v)| Some((FORMATS.windows.get(name)?, v)));
        let Some((field, value)) = field else {
            if self.in_description && self.text.len() < MAX_LINES && !line.trim().is_empty() {
                self.text.push(line.trim().to_owned());
            }
            return;
        };
        self.in_description = field == EventField::Text;
        let non_empty_value = || Some(value.to_owned()).filter(|v| !v.is_empty());
        match field {
            EventField::Level => {
                self.level = match value {
                    "1" => Some(Level::Fatal),
                    "2" => Some(Level::Error),
                    "3" => Some(Level::Warning),
                    word => parse_level(word),
                };
            }
            EventField::Source => value.clone_into(&mut self.source),
            EventField::Id if self.id.is_empty() => value.clone_into(&mut self.id),
            EventField::At => self.time = non_empty_value(),
            EventField::Text => self.text.extend(non_empty_value()),
            _ => {}
        }
    }

    /// Returns the failure; `None` if the event is informational.
    pub fn finish(self) -> Option<Event> {
        let severity = error_keywords::level_severity(self.level?, b"")?;
        let mut lines = self.text.into_iter();
        let mut first = lines.next().unwrap_or_default();
        // "… due to the following error:" is followed by the error on the next line.
        if first.ends_with(':')
            && let Some(next) = lines.next()
        {
            first = format!("{first} {next}");
        }
        let parts = [self.source, format!("event {}", self.id)];
        let parts: Vec<&str> =
            parts.iter().map(String::as_str).filter(|h| !h.is_empty() && *h != "event ").collect();
        let message = format!("{}: {first}", parts.join(" "));
        let text = std::iter::once(message.clone()).chain(lines).collect::<Vec<_>>().join("\n");
        Some(Event { severity, time: self.time, line: self.line, message, text, is_cut: false })
    }
}

#[cfg(test)]
mod tests {
    use precedent_core::model::LogSeverity;

    use super::*;

    #[test]
    fn event_viewer_text_is_one_event() {
        for text in [
            "Log Name:      System\nSource:        Service Control Manager\nDate:          04.03.2026 10:15:30\nEvent ID:      7000\nLevel:         Error\nComputer:      SRV2\nDescription:\nThe relay failed to start due to the following error: \nThe logon failed.",
            "Protokollname: System\nQuelle:        Service Control Manager\nDatum:         04.03.2026 10:15:30\nEreignis-ID:   7000\nEbene:         Fehler\nComputer:      SRV2\nBeschreibung:\nThe relay failed to start due to the following error: \nThe logon failed.",
            "Nom du journal :System\nSource :       Service Control Manager\nDate :         04/03/2026 10:15:30\nID de l’événement :7000\nNiveau :       Erreur\nOrdinateur :   SRV2\nDescription :\nThe relay failed to start due to the following error: \nThe logon failed.",
        ] {
            let mut lines = text.lines();
            let first = lines.next().unwrap();
            assert!(is_event_start(first) && may_start_event(first.as_bytes()[0]), "{first}");
            let mut event = WindowsEvent::new(first, 1);
            lines.for_each(|l| event.read_line(l));
            assert!(event.time.is_some(), "{text}");
            let expected = "Service Control Manager event 7000: The relay failed to start due to the following error: The logon failed.";
            let event = event.finish().unwrap();
            assert_eq!(
                (event.severity, &event.message[..], &event.text[..]),
                (LogSeverity::Error, expected, expected),
                "{text}"
            );
        }
        assert!(!is_event_start("Log Name:") && !is_event_start("  Log Name: System"));
    }
}
