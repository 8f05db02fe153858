//! Parser for the JSON and logfmt records of loggers, containers and journals.

use std::{borrow::Cow, fmt};

use precedent_text::sanitize::strip_ansi;
use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::{
    formats::{FORMATS, Field, Level, Names},
    header::parse_header,
};

/// A structured record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Time in its original form.
    pub time: Option<String>,
    pub level: Option<Level>,
    pub message: String,
    /// Error of the record with its trace.
    pub trace: String,
    /// Error text from its details, used if the record is an error.
    pub details: String,
    /// Line of another program that a container wraps in the record.
    pub wrapped_line: Option<String>,
    /// Program and process that a journal names; their lines form one sequence.
    pub origin: String,
    /// Kind, message and trace of an error in separate fields, as in ECS.
    pub(super) error_parts: Map<String, Value>,
}

impl Record {
    pub fn has_content(&self) -> bool {
        !self.message.trim().is_empty() || !self.trace.is_empty() || self.wrapped_line.is_some()
    }

    /// Takes the wrapped line. If the record has a message, or a level that the line lacks, it wraps no
    /// other program's line, and the text is its message.
    pub fn take_wrapped_line(&mut self) -> Option<String> {
        let line = self.wrapped_line.take()?;
        let has_level = || line.starts_with('{') || parse_header(line.as_bytes()).level.is_some();
        if self.message.is_empty() && (self.level.is_none() || has_level()) {
            return Some(line);
        }
        if self.message.is_empty() {
            self.message = line;
        }
        None
    }

    /// Returns whether it is certainly a record, not an object that contains records.
    pub fn is_record(&self) -> bool {
        self.has_content()
            && (self.level.is_some() || !self.trace.is_empty() || self.wrapped_line.is_some())
    }
}

/// Parses a line of JSON as a record; returns `None` if it is not an object.
pub fn parse_json(line: &str) -> Option<Record> {
    struct Fields;

    impl<'de> Visitor<'de> for Fields {
        type Value = Record;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
            let mut out = Record::default();
            while let Some(name) = map.next_key::<Name<'de>>()? {
                match FORMATS.fields.get(&*name.0) {
                    None => {
                        map.next_value::<IgnoredAny>()?;
                    }
                    Some(field) => out.set_field(field, &map.next_value::<Value>()?),
                }
            }
            Ok(out.merge_error())
        }
    }

    serde_json::Deserializer::from_str(line).deserialize_map(Fields).ok()
}

/// The name of a field, borrowed if it has no escapes.
#[derive(serde::Deserialize)]
struct Name<'n>(#[serde(borrow)] Cow<'n, str>);

impl Record {
    /// Merges the separate fields of an error into the trace.
    fn merge_error(mut self) -> Self {
        if !self.error_parts.is_empty() {
            let error = Value::Object(std::mem::take(&mut self.error_parts));
            self.set_field(Field::Trace, &error);
        }
        self
    }

    fn set_field(&mut self, field: Field, value: &Value) {
        match field {
            Field::At => {
                self.time = scalar_text(value).filter(|t| !t.is_empty()).or(self.time.take())
            }
            Field::Level => self.level = value_level(value).or(self.level),
            Field::Mark => {
                let mark = value.as_str().and_then(|t| FORMATS.marks.get(t.get(..1)?));
                self.level = mark.or(self.level);
            }
            Field::Priority => self.level = parse_priority(value).or(self.level),
            Field::Message if self.message.is_empty() => {
                self.message = message_text(value).unwrap_or_default()
            }
            Field::Message => {}
            Field::Origin => {
                self.origin.push_str(&scalar_text(value).unwrap_or_default());
                self.origin.push(' ');
            }
            Field::Class | Field::Text | Field::Stack => {
                let names = &FORMATS.error_fields;
                let names = match field {
                    Field::Class => &names.class,
                    Field::Text => &names.message,
                    _ => &names.stack,
                };
                self.error_parts.insert(names.0[0].clone(), value.clone());
            }
            Field::Details => {
                let text = error_details(value);
                if text.len() > self.details.len() {
                    self.details = text;
                }
            }
            Field::Trace => {
                let text = error_text(value, MAX_DEPTH);
                // An error is often given several times, with and without its trace.
                if text.len() > self.trace.len() {
                    self.trace = text;
                }
            }
            Field::Line => match value {
                Value::String(line) => {
                    self.wrapped_line = Some(line.trim_end_matches(['\n', '\r']).to_owned())
                }
                // ECS: {"log": {"level": "error"}}
                Value::Object(inner) => {
                    self.level = inner.get("level").and_then(value_level).or(self.level);
                }
                _ => {}
            },
            Field::Nested => {
                for (name, value) in value.as_object().into_iter().flatten() {
                    if let Some(field) = FORMATS
                        .fields
                        .get(name)
                        .filter(|f| !matches!(f, Field::Nested | Field::Line | Field::Mark))
                    {
                        self.set_field(field, value);
                    }
                }
            }
        }
    }
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        // MongoDB: {"t": {"$date": "…"}}
        Value::Object(fields) => fields.get("$date").and_then(scalar_text),
        _ => None,
    }
}

/// Returns a message with its indent, which marks lines of a trace. The journal encodes invalid
/// UTF-8 as bytes.
fn message_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim_end().to_owned()),
        Value::Array(bytes) => {
            let to_byte = |b: &Value| b.as_u64().and_then(|b| u8::try_from(b).ok());
            let bytes: Option<Vec<u8>> = bytes.iter().map(to_byte).collect();
            bytes.map(|b| strip_ansi(&String::from_utf8_lossy(&b)).trim_end().to_owned())
        }
        // OpenTelemetry: {"stringValue": "…"}
        Value::Object(fields) if fields.contains_key("stringValue") => {
            fields.get("stringValue").and_then(message_text)
        }
        value => scalar_text(value),
    }
}

/// The maximum nesting depth of errors.
const MAX_DEPTH: usize = 8;

/// Returns the text of an error: a string, or an object with a message and a trace.
fn error_text(value: &Value, depth: usize) -> String {
    let Some(depth) = depth.checked_sub(1) else { return String::new() };
    match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Array(lines) => {
            let to_line = |v: &Value| {
                format_frame(v).or_else(|| scalar_text(v)).unwrap_or_else(|| error_text(v, depth))
            };
            lines.iter().map(to_line).filter(|l| !l.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Value::Object(fields) => {
            let get = |names: &Names| {
                let mut texts =
                    names.0.iter().filter_map(|n| Some(error_text(fields.get(n)?, depth)));
                texts.find(|text| !text.is_empty())
            };
            let names = &FORMATS.error_fields;
            // Sentry nests a chain of errors in `values`.
            if let Some(values) = fields.get("values") {
                return error_text(values, depth);
            }
            let (message, stack) = (get(&names.message), get(&names.stack));
            let class = get(&names.class);
            let with_class = |message: &String| match &class {
                Some(class) if !message.starts_with(class.as_str()) => {
                    format!("{class}: {message}")
                }
                _ => message.clone(),
            };
            let mut out = match (&stack, &message) {
                (Some(stack), Some(message)) if stack.contains(message.as_str()) => stack.clone(),
                // The stack contains only frames.
                (Some(stack), Some(message)) if stack.trim_start().starts_with("at ") => {
                    format!("{}\n{stack}", with_class(message))
                }
                (Some(stack), Some(message)) => format!("{message}\n{stack}"),
                (Some(stack), None) => stack.clone(),
                (None, Some(message)) => with_class(message),
                (None, None) => class.clone().unwrap_or_default(),
            };
            if let Some(cause) = get(&names.cause).filter(|c| !out.contains(c.as_str())) {
                out.push_str("\nCaused by: ");
                out.push_str(&cause);
            }
            out
        }
        _ => String::new(),
    }
}

/// Returns the error in the details of a record; empty if there is none.
fn error_details(value: &Value) -> String {
    // OpenTelemetry lists attributes: [{"key": "exception.stacktrace", "value": {"stringValue":
    // "…"}}]
    let attributes = value.as_array().map(|list| {
        let to_pair = |attribute: &Value| {
            let text = attribute.get("value")?.get("stringValue")?.clone();
            Some((attribute.get("key")?.as_str()?.to_owned(), text))
        };
        Value::Object(list.iter().filter_map(to_pair).collect())
    });
    let value = attributes.as_ref().unwrap_or(value);
    let Some(fields) = value.as_object() else { return String::new() };
    let names = &FORMATS.error_fields;
    if names.stack.0.iter().any(|name| fields.contains_key(name)) {
        return error_text(value, MAX_DEPTH);
    }
    let details = names.detail.0.iter().filter_map(|name| fields.get(name));
    let mut texts = details.map(|detail| error_text(detail, MAX_DEPTH));
    texts.find(|text| !text.is_empty()).unwrap_or_default()
}

/// Formats a frame that is an object, as written by Java loggers.
fn format_frame(value: &Value) -> Option<String> {
    let get = |names: &[&str]| names.iter().find_map(|n| value.get(*n).and_then(scalar_text));
    let method = get(&["method", "methodName", "function"])?;
    let class =
        get(&["class", "className", "declaringClass"]).map(|c| format!("{c}.")).unwrap_or_default();
    let file = get(&["file", "fileName", "filename"])?;
    let line = get(&["line", "lineNumber", "lineno"]).map(|l| format!(":{l}")).unwrap_or_default();
    Some(format!("\tat {class}{method}({file}{line})"))
}

/// Returns all records nested in an object or an array, such as an export.
pub fn nested_records(value: &Value) -> Vec<Record> {
    let mut out = Vec::new();
    collect_records(value, &mut out);
    out
}

fn collect_records(value: &Value, out: &mut Vec<Record>) {
    match value {
        Value::Array(list) => {
            for element in list {
                match element {
                    // Loki: [["1772590000000000000", "a line"], …]
                    Value::Array(pair) => match &pair[..] {
                        [Value::String(time), Value::String(line), ..]
                            if !time.is_empty() && time.bytes().all(|b| b.is_ascii_digit()) =>
                        {
                            out.push(Record {
                                time: Some(time.clone()),
                                wrapped_line: Some(line.trim_end().to_owned()),
                                ..Record::default()
                            });
                        }
                        _ => collect_records(element, out),
                    },
                    _ => collect_records(element, out),
                }
            }
        }
        Value::Object(fields) => {
            let mut record = Record::default();
            for (name, value) in fields {
                if let Some(field) = FORMATS.fields.get(name) {
                    record.set_field(field, value);
                }
            }
            let record = record.merge_error();
            let count = out.len();
            if !record.is_record() {
                fields.values().for_each(|v| collect_records(v, out));
            }
            if out.len() == count && record.has_content() {
                out.push(record);
            }
        }
        _ => {}
    }
}

fn value_level(value: &Value) -> Option<Level> {
    match value {
        Value::String(text) => parse_level(text),
        Value::Number(n) => n.as_u64().map(|n| match n {
            // The numbers of Bunyan and pino.
            60.. => Level::Fatal,
            50..60 => Level::Error,
            40..50 => Level::Warning,
            10..40 => Level::Fine,
            // The numbers of GELF and syslog.
            n => Level::from_syslog(n),
        }),
        Value::Object(fields) => {
            fields.get("name").or_else(|| fields.get("level")).and_then(value_level)
        }
        _ => None,
    }
}

fn parse_priority(value: &Value) -> Option<Level> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).map(Level::from_syslog)
}

/// Returns the level that a word names, in any case; an unknown word is informational.
pub fn parse_level(text: &str) -> Option<Level> {
    let word = text.trim().to_lowercase();
    (!word.is_empty()).then(|| FORMATS.field_level(word.as_bytes()).unwrap_or(Level::Fine))
}

/// Returns whether a line names its level as logfmt does: `level=error`.
pub fn is_logfmt(line: &[u8]) -> bool {
    memchr::memchr_iter(b'=', line)
        .any(|end| [&b"level"[..], b"lvl", b"severity"].iter().any(|l| line[..end].ends_with(l)))
}

/// Parses a line of logfmt as a record: `time=… level=error msg="…"`. Returns `None` if it has neither
/// level nor message.
pub fn parse_logfmt(line: &str) -> Option<Record> {
    let mut out = Record::default();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ']).unwrap_or(rest.len());
        let name = &rest[..end];
        if !rest[end..].starts_with('=') {
            rest = rest[end..].trim_start();
            continue;
        }
        let (value, tail) = split_value(&rest[end + 1..]);
        if let Some(field) = FORMATS
            .fields
            .get(name)
            .filter(|f| !matches!(f, Field::Nested | Field::Line | Field::Mark | Field::Details))
        {
            out.set_field(field, &Value::String(value.into_owned()));
        }
        rest = tail.trim_start();
    }
    (out.level.is_some() || !out.message.is_empty()).then(|| out.merge_error())
}

/// Splits off a value, quoted or not.
fn split_value(text: &str) -> (Cow<'_, str>, &str) {
    let Some(rest) = text.strip_prefix('"') else {
        let end = text.find(' ').unwrap_or(text.len());
        return (Cow::Borrowed(&text[..end]), &text[end..]);
    };
    let mut out = String::new();
    let mut chars = rest.char_indices();
    while let Some((offset, c)) = chars.next() {
        match c {
            '"' => return (Cow::Owned(out), &rest[offset + 1..]),
            '\\' => match chars.next() {
                Some((_, 'n')) => out.push('\n'),
                Some((_, 't')) => out.push('\t'),
                Some((_, c)) => out.push(c),
                None => {}
            },
            c => out.push(c),
        }
    }
    (Cow::Owned(out), "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_common_loggers_are_parsed() {
        for (line, level, message, trace) in [
            (
                r#"{"level":50,"time":1778580000000,"msg":"no slot","err":{"type":"PoolError","message":"no slot","stack":"PoolError: no slot\n    at take (pool.js:12)"}}"#,
                Level::Error,
                "no slot",
                "PoolError: no slot\n    at take (pool.js:12)",
            ),
            (
                r#"{"timestamp":"2026-05-12T10:00:00Z","level":"ERROR","fields":{"message":"no slot"},"target":"app"}"#,
                Level::Error,
                "no slot",
                "",
            ),
            (
                r#"{"@t":"2026-05-12T10:00:00Z","@mt":"no slot","@l":"Fatal","@x":"System.Exception: no slot\n   at A.B()"}"#,
                Level::Fatal,
                "no slot",
                "System.Exception: no slot\n   at A.B()",
            ),
            (
                r#"{"@timestamp":"2026-05-12T10:00:00Z","log":{"level":"warn"},"message":"slow"}"#,
                Level::Warning,
                "slow",
                "",
            ),
            (
                r#"{"MESSAGE":"no slot","PRIORITY":"3","__REALTIME_TIMESTAMP":"1778580000000000"}"#,
                Level::Error,
                "no slot",
                "",
            ),
            (r#"{"severity":"INFO","message":"fine"}"#, Level::Fine, "fine", ""),
        ] {
            let record = parse_json(line).unwrap();
            assert_eq!(
                (record.level, record.message.as_str(), record.trace.as_str()),
                (Some(level), message, trace),
                "{line}"
            );
        }
        let docker = parse_json(
            r#"{"log":"ERROR no slot\n","stream":"stderr","time":"2026-05-12T10:00:00Z"}"#,
        )
        .unwrap();
        assert_eq!(docker.wrapped_line.as_deref(), Some("ERROR no slot"));
        let line =
            r#"time=2026-05-12T10:00:00Z level=error msg="no \"slot\" left" err="pool is dry" n=3"#;
        let record = parse_logfmt(line).unwrap();
        assert_eq!(
            (record.time.as_deref(), record.level, record.message.as_str(), record.trace.as_str()),
            (Some("2026-05-12T10:00:00Z"), Some(Level::Error), "no \"slot\" left", "pool is dry")
        );
        assert_eq!(parse_json("[1]"), None);
        assert_eq!(parse_logfmt("a=b c"), None);
    }

    #[test]
    fn errors_of_common_loggers_are_found() {
        for (line, level, message, expected) in [
            (
                r#"{"level":"ERROR","message":"commit failed","thrown":{"message":"no slot","name":"a.PoolException","extendedStackTrace":"a.PoolException: no slot\n\tat a.Pool.take(Pool.java:3)"}}"#,
                Level::Error,
                "commit failed",
                "a.PoolException: no slot\n\tat a.Pool.take(Pool.java:3)",
            ),
            (
                r#"{"level":"ERROR","message":"commit failed","thrown":{"message":"no slot","name":"a.PoolException","extendedStackTrace":[{"class":"a.Pool","method":"take","file":"Pool.java","line":3}],"cause":{"name":"a.DryException","message":"dry"}}}"#,
                Level::Error,
                "commit failed",
                "a.PoolException: no slot\n\tat a.Pool.take(Pool.java:3)\nCaused by: a.DryException: dry",
            ),
            (
                r#"{"t":{"$date":"2026-05-12T10:00:00Z"},"s":"E","c":"WT","msg":"WiredTiger error message","attr":{"error":28,"message":{"error_str":"No space","error_code":28,"msg":"turtle.set: no space"}}}"#,
                Level::Error,
                "WiredTiger error message",
                "turtle.set: no space",
            ),
            (
                r#"{"severityText":"ERROR","body":{"stringValue":"commit failed"},"attributes":[{"key":"exception.stacktrace","value":{"stringValue":"a.PoolException: no slot"}}]}"#,
                Level::Error,
                "commit failed",
                "a.PoolException: no slot",
            ),
            (
                r#"{"level":"error","exception":{"values":[{"type":"KeyError","value":"'tenant'"}]}}"#,
                Level::Error,
                "",
                "KeyError: 'tenant'",
            ),
            (
                r#"{"level":"info","message":"fine","context":{"message":"no slot"}}"#,
                Level::Fine,
                "fine",
                "no slot",
            ),
            (
                r#"{"log.level":"ERROR","message":"poll failed","error.type":"System.InvalidOperationException","error.message":"no slot","error.stack_trace":"   at Acme.Poll()"}"#,
                Level::Error,
                "poll failed",
                "System.InvalidOperationException: no slot\nat Acme.Poll()",
            ),
            (
                r#"{"PRIORITY":"3","MESSAGE":[110,111,32,115,108,111,116]}"#,
                Level::Error,
                "no slot",
                "",
            ),
        ] {
            let record = parse_json(line).unwrap();
            let text = if record.trace.is_empty() { &record.details } else { &record.trace };
            assert_eq!(
                (record.level, record.message.as_str(), text.as_str()),
                (Some(level), message, expected),
                "{line}"
            );
        }
        let value = serde_json::from_str(
            r#"{"status":"ok","data":{"result":[{"stream":{"app":"x"},"values":[["1772590000000000000","ERROR no slot"]]},{"message":"no ring"}]}}"#,
        );
        let list = nested_records(&value.unwrap());
        assert_eq!(
            (list[0].wrapped_line.as_deref(), list[1].message.as_str()),
            (Some("ERROR no slot"), "no ring")
        );
    }

    proptest::proptest! {
        #[test]
        fn any_record_is_accepted(text in "(level=)?[ a-z=\"\\\\{}:,0-9é]{0,60}") {
            parse_json(&text);
            parse_logfmt(&text);
        }
    }
}
