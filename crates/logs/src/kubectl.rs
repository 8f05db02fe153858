//! Parser for the output of `kubectl describe pods` and `kubectl get events`.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use precedent_core::model::LogSeverity;

use crate::{formats::FORMATS, header::parse_header, template::Event};

/// The maximum number of lines of a pod that are kept, and of characters of each.
const MAX_LINES: usize = 40;
const MAX_LINE: usize = 600;
static WARNING_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"Warning "));
/// A pod whose description is being read.
#[derive(Debug, Default)]
pub struct Pod {
    name: String,
    line: u64,
    /// True if its second line confirmed that it is a pod.
    is_confirmed: bool,
    image: String,
    reasons: Vec<String>,
    code: String,
    details: Vec<String>,
    /// Message of its last warning.
    last_message: String,
}

/// The role of a line in the description of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodLine {
    Line,
    /// A line that shows that this is not a pod.
    NotPod,
    /// A line after the pod's end.
    Other,
}

impl Pod {
    /// Returns the pod that a line may start; the next line confirms it.
    pub fn start(body: &[u8], line: u64) -> Option<Self> {
        let name = body.strip_prefix(b"Name:  ")?.trim_ascii();
        let name = std::str::from_utf8(name).ok().filter(|n| !n.is_empty() && !n.contains(' '))?;
        Some(Self { name: name.to_owned(), line, ..Self::default() })
    }

    /// Reads the next line and returns its role.
    pub fn read_line(&mut self, body: &[u8]) -> PodLine {
        if !self.is_confirmed {
            self.is_confirmed = body.starts_with(b"Namespace:");
            return if self.is_confirmed { PodLine::Line } else { PodLine::NotPod };
        }
        let text = String::from_utf8_lossy(body);
        let value = text.trim();
        if value.is_empty() {
            return PodLine::Line;
        }
        let field = value.split_once(':').filter(|(name, _)| {
            name.len() < 40
                && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-'))
        });
        let is_field = || field.is_some() && parse_header(body).level.is_none();
        if !text.starts_with([' ', '\t']) && (!is_field() || value.starts_with("Name:")) {
            return PodLine::Other;
        }
        if let Some((reason, message)) = parse_event_row(body) {
            self.add_reason(&reason);
            self.add_detail(value);
            self.last_message = message;
            return PodLine::Line;
        }
        if let Some((name, content)) = field {
            let content = content.trim();
            match name {
                "Image" => content.clone_into(&mut self.image),
                "Reason" if FORMATS.names.pod_reasons.contains(content) => {
                    self.add_reason(content);
                    self.add_detail(value);
                }
                "Exit Code" if content != "0" && !self.reasons.is_empty() => {
                    content.clone_into(&mut self.code);
                    self.add_detail(value);
                }
                "Message" if !self.reasons.is_empty() => {
                    self.add_detail(value);
                    self.last_message = content.chars().take(MAX_LINE).collect();
                }
                _ => {}
            }
        }
        PodLine::Line
    }

    fn add_reason(&mut self, reason: &str) {
        if self.reasons.len() < MAX_LINES && !self.reasons.iter().any(|r| r == reason) {
            self.reasons.push(reason.to_owned());
        }
    }

    fn add_detail(&mut self, line: &str) {
        if self.details.len() < MAX_LINES {
            self.details.push(line.chars().take(MAX_LINE).collect());
        }
    }

    /// Returns the pod's problem, if it has one, with the lines that show it.
    pub fn finish(self) -> Option<Event> {
        if self.reasons.is_empty() {
            return None;
        }
        let has_ended =
            self.reasons.iter().any(|r| matches!(r.as_str(), "OOMKilled" | "CrashLoopBackOff"));
        let severity = if has_ended { LogSeverity::Fatal } else { LogSeverity::Error };
        let part = |before: &str, text: &str, after: &str| match text {
            "" => String::new(),
            text => format!("{before}{text}{after}"),
        };
        let code = part(" (exit code ", &self.code, ")");
        let last_message = part(" · ", &self.last_message, "");
        let message = format!("{}: {}{code}{last_message}", self.name, self.reasons.join(", "));
        let image = part("\nImage: ", &self.image, "");
        let text = format!("{message}{image}\n{}", self.details.join("\n"));
        Some(Event { severity, time: None, line: self.line, message, text, is_cut: false })
    }
}

/// Returns the reason and the message of a warning in a table of events: `4m Warning Evicted
/// pod/export The node was low …`, or, for one pod, `Warning Failed 34s (x4 over 2m) kubelet Failed
/// to pull …`.
pub fn parse_event_row(body: &[u8]) -> Option<(String, String)> {
    let first = body.trim_ascii_start().first()?;
    let window = &body[..body.len().min(80)];
    // Most lines begin with neither.
    if *first != b'W' && !first.is_ascii_digit() || WARNING_FINDER.find(window).is_none() {
        return None;
    }
    let text = String::from_utf8_lossy(body);
    let (first, rest) = split_word(&text)?;
    let is_age =
        |w: &str| w.starts_with(|c: char| c.is_ascii_digit()) && w.ends_with(['s', 'm', 'h', 'd']);
    let is_table = first != "Warning";
    if is_table && !is_age(first) {
        return None;
    }
    let rest = if is_table { strip_count(rest).strip_prefix("Warning ")? } else { rest };
    let (reason, rest) = split_word(rest)?;
    let is_camel_case = reason.starts_with(|c: char| c.is_ascii_uppercase())
        && reason.bytes().all(|b| b.is_ascii_alphabetic());
    // The object, or the age and the reporter.
    let (next, rest) = split_word(rest)?;
    let message = if is_table {
        next.contains('/').then_some(rest)?
    } else {
        let (_, message) = is_age(next).then(|| split_word(strip_count(rest)))??;
        message
    };
    let message = message.trim();
    (is_camel_case && !message.is_empty())
        .then(|| (reason.to_owned(), message.chars().take(MAX_LINE).collect()))
}

/// Splits off the first word of a string.
fn split_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace)?;
    Some((&text[..end], text[end..].trim_start()))
}

/// Strips a number of occurrences: `(x4 over 2m)`.
fn strip_count(text: &str) -> &str {
    let rest = text.strip_prefix("(x").and_then(|rest| rest.split_once(')'));
    rest.map_or(text, |(_, rest)| rest.trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warning_rows_lose_their_other_columns() {
        for (line, reason, message) in [
            (
                "4m          Warning   Evicted     pod/export-5c4     The node was low on resource",
                "Evicted",
                "The node was low on resource",
            ),
            (
                "3m (x2 over 9m) Warning FailedScheduling pod/export 0/3 nodes are available",
                "FailedScheduling",
                "0/3 nodes are available",
            ),
            (
                "  Warning  Failed     34s (x4 over 2m)   kubelet            Failed to pull image",
                "Failed",
                "Failed to pull image",
            ),
            (
                "  Warning  BackOff  66s  kubelet  Back-off restarting failed container",
                "BackOff",
                "Back-off restarting failed container",
            ),
        ] {
            assert_eq!(
                parse_event_row(line.as_bytes()),
                Some((reason.to_owned(), message.to_owned())),
                "{line}"
            );
        }
        for line in [
            "Warning Signs of a storm",
            "4m Normal Killing pod/x Stopping",
            "10s Warning lights are on",
            "Warning  Failed",
        ] {
            assert_eq!(parse_event_row(line.as_bytes()), None, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_row_is_accepted(line in "[0-9]{0,2}[smhd]? ?(Warning )?[A-Za-z/ ()é]{0,40}") {
            parse_event_row(line.as_bytes());
        }
    }
}
