//! Output of data on standard output and of messages on standard error, with color only on a
//! terminal.
//!
//! A closed pipe ends the output silently; any other write failure is an error.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use precedent_core::{
    Code, Error, Result,
    model::{Notice, Span, State},
};
use precedent_engine::config::Color;
use precedent_text::sanitize::{self, is_control};
use schemars::JsonSchema;

use crate::{args::JsonArgs, progress};

pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const KEY: Style = AnsiColor::Cyan.on_default();
pub const HIT: Style = AnsiColor::Yellow.on_default().bold();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const BAD: Style = AnsiColor::Red.on_default().bold();
pub const CLOSED: Style = AnsiColor::Magenta.on_default();

/// The standard output.
pub struct Output {
    out: io::BufWriter<anstream::AutoStream<io::Stdout>>,
    width: usize,
    /// True if standard error gets only errors.
    quiet: bool,
    /// The first write error, after which output is discarded.
    write_error: Option<io::Error>,
}

impl Output {
    pub fn new(color: Color) -> Self {
        match color {
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
        // Without a terminal, lines have a readable default width.
        let width = terminal_size::terminal_size().map_or(100, |(w, _)| usize::from(w.0));
        Self {
            out: io::BufWriter::new(anstream::stdout()),
            width: width.clamp(40, 120),
            quiet: false,
            write_error: None,
        }
    }

    /// Sets whether standard error gets only errors.
    #[must_use]
    pub fn quiet(self, quiet: bool) -> Self {
        Self { quiet, ..self }
    }

    /// Prints a line.
    pub fn line(&mut self, text: impl std::fmt::Display) {
        progress::clear();
        if self.write_error.is_none() {
            let result = writeln!(self.out, "{text}");
            self.record_error(result);
        }
    }

    /// Prints a dimmed line below the line that it explains.
    pub fn detail(&mut self, text: impl std::fmt::Display) {
        self.line(format_args!("  {}", dim(text)));
    }

    /// Prints a heading after an empty line.
    pub fn heading(&mut self, text: impl std::fmt::Display) {
        self.line(format_args!("\n{}", bold(text)));
    }

    /// Prints bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        progress::clear();
        if self.write_error.is_none() {
            let result = self.out.write_all(bytes);
            self.record_error(result);
        }
    }

    fn record_error(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.write_error.get_or_insert(error);
        }
    }

    /// Prints paragraphs, wrapped and indented.
    pub fn print_wrapped(&mut self, text: &str, indent: &str) {
        let options = textwrap::Options::new(self.width)
            .initial_indent(indent)
            .subsequent_indent(indent)
            .break_words(false);
        for line in text.lines() {
            if line.trim().is_empty() {
                self.line("");
            } else {
                for part in textwrap::wrap(line, &options) {
                    self.line(part);
                }
            }
        }
    }

    /// Prints an answer: with `--json` as [`json`](Self::json) does, else with `print_text`.
    ///
    /// # Errors
    /// See [`json`](Self::json).
    pub fn answer<T: serde::Serialize + JsonSchema>(
        &mut self,
        value: &T,
        json: &JsonArgs,
        list: Option<&str>,
        print_text: impl FnOnce(&mut Self),
    ) -> Result<()> {
        match &json.json {
            Some(fields) => self.json(value, fields, list),
            None => {
                print_text(self);
                Ok(())
            }
        }
    }

    /// Prints JSON: the whole value, or only the given fields of each object.
    ///
    /// With `list`, the fields select from the elements of that list, and the notices of the value
    /// go to standard error.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] for an unknown field, with a hint that lists the available ones.
    pub fn json<T: serde::Serialize + JsonSchema>(
        &mut self,
        value: &T,
        fields: &str,
        list: Option<&str>,
    ) -> Result<()> {
        let mut value =
            serde_json::to_value(value).map_err(|e| Error::new(Code::Internal, e.to_string()))?;
        round_numbers(&mut value);
        if !fields.is_empty() {
            let notices = list.map(|list| select_list(&mut value, list)).unwrap_or_default();
            for notice in notices.iter().filter(|_| !self.quiet) {
                eprint_line(plain(&notice.hint));
            }
            let fields: Vec<&str> = fields.split(',').map(str::trim).collect();
            match &mut value {
                // An empty list has no element to check the fields against.
                serde_json::Value::Array(items) if items.is_empty() => {
                    check_list_fields::<T>(&fields, list)?
                }
                serde_json::Value::Array(items) => {
                    items.iter_mut().try_for_each(|v| retain_fields(v, &fields))?
                }
                object => retain_fields(object, &fields)?,
            }
        }
        let text = serde_json::to_string_pretty(&value)
            .map_err(|e| Error::new(Code::Internal, e.to_string()))?;
        self.line(sanitize::escape_json(&text));
        Ok(())
    }

    /// Flushes the output.
    pub fn flush(&mut self) {
        progress::clear();
        if self.write_error.is_none() {
            let result = self.out.flush();
            self.record_error(result);
        }
    }

    /// Flushes the output and returns the first write error.
    ///
    /// # Errors
    /// [`Code::Io`] if any output could not be written. A closed pipe is not an error.
    pub fn finish(&mut self) -> Result<()> {
        self.flush();
        self.write_error.take().map_or(Ok(()), write_result)
    }
}

/// Converts an error from writing to standard output.
///
/// # Errors
/// [`Code::Io`], unless the reader closed the pipe.
pub fn write_result(error: io::Error) -> Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Ok(());
    }
    Err(Error::io(std::path::Path::new("standard output"), error).with_hint(
        "The output is incomplete. Free some space or write elsewhere, then run the command again.",
    ))
}

/// Prints a line on standard error, ignoring write errors.
pub fn eprint_line(text: impl std::fmt::Display) {
    progress::clear();
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// Rounds all fractions to three decimals, or to three significant digits below 0.1.
fn round_numbers(value: &mut serde_json::Value) {
    use serde_json::Value;
    match value {
        Value::Number(number) if number.is_f64() => {
            let x = number.as_f64().unwrap_or_default();
            // `{:e}` gives the exponent without floating-point logarithms.
            let exponent =
                format!("{x:e}").split_once('e').and_then(|(_, e)| e.parse::<i32>().ok());
            let decimals = usize::try_from(2 - exponent.unwrap_or(0)).unwrap_or(0).clamp(3, 12);
            let rounded = format!("{x:.decimals$}").parse().ok();
            *value =
                rounded.and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::from);
        }
        Value::Array(items) => items.iter_mut().for_each(round_numbers),
        Value::Object(fields) => fields.values_mut().for_each(round_numbers),
        _ => {}
    }
}

/// Replaces a value with the elements of its list, if it has this list, and returns its notices.
fn select_list(value: &mut serde_json::Value, list: &str) -> Vec<Notice> {
    let Some(elements) = value.get_mut(list).map(serde_json::Value::take) else {
        return Vec::new();
    };
    let notices = value.get_mut("notices").map(serde_json::Value::take);
    *value = elements;
    notices.and_then(|notices| serde_json::from_value(notices).ok()).unwrap_or_default()
}

fn retain_fields(value: &mut serde_json::Value, fields: &[&str]) -> Result<()> {
    let Some(object) = value.as_object_mut() else { return Ok(()) };
    check_fields(object, fields)?;
    object.retain(|key, _| fields.contains(&key.as_str()));
    Ok(())
}

fn check_fields(
    object: &serde_json::Map<String, serde_json::Value>,
    fields: &[&str],
) -> Result<()> {
    let Some(field) = fields.iter().find(|f| !object.contains_key(**f)) else { return Ok(()) };
    let available: Vec<&str> = object.keys().map(String::as_str).collect();
    Err(Error::invalid(format!("unknown field \"{field}\""))
        .with_hint(format!("Available fields: {}.", available.join(", "))))
}

/// Checks the fields of an empty list against the schema of its elements.
fn check_list_fields<T: JsonSchema>(fields: &[&str], list: Option<&str>) -> Result<()> {
    let schema =
        schemars::generate::SchemaSettings::draft2020_12().for_serialize().into_generator();
    let root = schema.into_root_schema_for::<T>().to_value();
    let resolve = |node: &serde_json::Value| match node.get("$ref").and_then(|r| r.as_str()) {
        Some(target) => root.pointer(target.trim_start_matches('#')).cloned().unwrap_or_default(),
        None => node.clone(),
    };
    let list_schema = match list {
        Some(name) => resolve(&root["properties"][name]),
        None => root.clone(),
    };
    match resolve(&list_schema["items"]).get("properties").and_then(|p| p.as_object()) {
        Some(properties) => check_fields(properties, fields),
        None => Ok(()),
    }
}

/// Prints an error with its hint.
pub fn print_error(error: &Error) {
    print_message("error", BAD, &error.to_string(), error);
}

/// Prints a message about an error after which the command continues, with the error's hint.
pub fn print_warning(message: &str, error: &Error) {
    print_message("warning", HIT, message, error);
}

fn print_message(label: &str, style: Style, message: &str, error: &Error) {
    eprint_line(format_args!("{style}{label}:{style:#} {}", plain(message)));
    if let Some(hint) = error.hint() {
        eprint_line(format_args!("{DIM}hint:{DIM:#}  {}", plain(hint)));
    }
}

/// Prints the causes of an error, from the outermost to the root.
pub fn print_causes(error: &Error) {
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        eprint_line(format_args!("{DIM}cause:{DIM:#} {}", plain(error)));
        cause = error.source();
    }
}

/// Sanitizes tracker text for a terminal: line breaks are the only control characters left.
pub fn plain(text: impl std::fmt::Display) -> String {
    text.to_string()
        .chars()
        .filter_map(|c| match c {
            '\n' => Some('\n'),
            '\t' => Some(' '),
            '\r' => None,
            c if !is_control(c) => Some(c),
            c if c.is_control() => Some('\u{fffd}'),
            // Bidirectional marks can make one text look like another.
            _ => None,
        })
        .collect()
}

/// Formats a sanitized text in a style.
fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{}{style:#}", plain(text))
}

pub fn key(text: impl std::fmt::Display) -> String {
    styled(KEY, text)
}

pub fn bold(text: impl std::fmt::Display) -> String {
    styled(BOLD, text)
}

pub fn dim(text: impl std::fmt::Display) -> String {
    styled(DIM, text)
}

pub fn good(text: impl std::fmt::Display) -> String {
    styled(GOOD, text)
}

pub fn hit(text: impl std::fmt::Display) -> String {
    styled(HIT, text)
}

/// Formats spans on one line, with the matches highlighted.
pub fn spans(spans: &[Span]) -> String {
    spans.iter().map(|span| if span.hit { hit(&span.text) } else { plain(&span.text) }).collect()
}

/// Formats a state and its reason in color.
pub fn state(state: Option<State>, reason: Option<&str>) -> String {
    match (state, reason) {
        (None, _) => String::new(),
        (Some(State::Open), _) => good("open"),
        (Some(State::Merged), _) => format!("{CLOSED}merged{CLOSED:#}"),
        (Some(State::Closed), Some(reason)) => {
            let reason = plain(reason.replace('_', " "));
            format!("{CLOSED}closed{CLOSED:#} as {reason}")
        }
        (Some(State::Closed), None) => format!("{CLOSED}closed{CLOSED:#}"),
    }
}

/// Formats a state, its reason and the day of the closure: "closed as completed on 2026-05-13".
pub fn state_on(
    value: Option<State>,
    reason: Option<&str>,
    closed_at: Option<jiff::Timestamp>,
) -> String {
    match (state(value, reason), closed_at) {
        (text, Some(_)) if !text.is_empty() => format!("{text} on {}", day(closed_at)),
        (text, _) => text,
    }
}

/// Formats a number with thousands separators.
pub fn count(n: u64) -> String {
    indicatif::HumanCount(n).to_string()
}

/// Formats a count with its noun: "1 issue", "2 issues".
pub fn plural(n: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" })
}

/// Formats a share as a percentage.
pub fn percent(share: f32) -> String {
    format!("{:.0}%", share * 100.0)
}

/// Joins the facts that are not empty.
pub fn join(facts: impl IntoIterator<Item = String>) -> String {
    let facts: Vec<String> = facts.into_iter().filter(|fact| !fact.is_empty()).collect();
    facts.join(" · ")
}

/// Formats a size in bytes, with one decimal.
#[allow(clippy::cast_precision_loss, reason = "one decimal is shown")]
pub fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}

/// Formats a date as `2026-05-13`; empty if unknown.
pub fn day(time: Option<jiff::Timestamp>) -> String {
    time.map(|t| t.strftime("%Y-%m-%d").to_string()).unwrap_or_default()
}

/// Formats a date with its event: "closed 2026-05-13"; empty if unknown.
pub fn labeled_day(event: &str, time: Option<jiff::Timestamp>) -> String {
    if time.is_some() { format!("{event} {}", day(time)) } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_do_not_reach_the_terminal() {
        assert_eq!(plain("a\u{1b}[31mb\u{7}\u{202e}c\r\n"), "a\u{fffd}[31mb\u{fffd}c\n");
    }

    #[test]
    fn json_fractions_have_three_digits() {
        let mut value = serde_json::json!([0.712f32, {"share": 0.0015081886667758226}, -1234.56789, 5.0, 0.0, 7, "0.12345"]);
        round_numbers(&mut value);
        let expected =
            serde_json::json!([0.712, {"share": 0.00151}, -1234.568, 5.0, 0.0, 7, "0.12345"]);
        assert_eq!(value, expected);
    }

    #[test]
    fn notice_of_a_selected_list_keeps_its_command() {
        let notice = serde_json::json!({
            "lack": "calibration", "text": "Calibrate it again.", "command": "precedent calibrate"
        });
        let mut value = serde_json::json!({"hits": [1], "notices": [notice]});
        let notices = select_list(&mut value, "hits");
        assert_eq!(value, serde_json::json!([1]));
        assert_eq!(notices[0].hint.to_string(), "Calibrate it again: precedent calibrate");
        assert!(select_list(&mut value, "hits").is_empty());
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(
            (count(0), count(999), count(1_234_567)),
            ("0".into(), "999".into(), "1,234,567".into())
        );
        assert_eq!(plural(1, "item"), "1 item");
        let closed =
            state_on(Some(State::Closed), Some("not_planned"), "2026-05-13T08:00:00Z".parse().ok());
        assert!(closed.ends_with("as not planned on 2026-05-13"), "{closed}");
        assert_eq!(size(22_965_768), "23.0 MB");
    }
}
