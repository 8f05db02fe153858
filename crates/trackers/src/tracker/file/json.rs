//! Parses JSON records; the fields of a record determine its parser.

use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};

use regex::{Captures, Regex};
use serde_json::{Value, value::RawValue};

use super::{
    context::FileContext,
    parsed_item::{ParseResult, ParsedItem, state},
    shape::{self, parse_post},
    shapes,
    states::{StateFields, is_resolution},
};
use crate::tracker::{github, graphql::nodes, release};
use precedent_core::model::{DocKind, Record};
use precedent_text::{pattern::re, words::Words};

const MAX_DEPTH: u8 = 3;
/// The number of GitHub records that are checked for unused text, which costs more than parsing.
const SAMPLES: u64 = 200;

/// Parses a record at its position in the file.
pub fn parse_record(bytes: &[u8], position: u64, context: &FileContext) -> ParseResult {
    parse(bytes, position, context, 0)
}

fn parse(bytes: &[u8], position: u64, context: &FileContext, depth: u8) -> ParseResult {
    // Most records are GitHub's, and its parser quickly rejects others.
    let github_error = match github::records(bytes) {
        Ok(mut records) if !records.is_empty() => {
            set_states(&mut records, bytes, context);
            let items: Vec<_> = records.into_iter().map(ParsedItem::Record).collect();
            let has_other_texts = has_other_texts(bytes);
            if !has_other_texts && position > SAMPLES {
                return Ok(items);
            }
            let Ok(value) = serde_json::from_slice(bytes) else { return Ok(items) };
            // Another tracker may use the same names for the number and the title.
            let shaped_items = match has_other_texts {
                true => shapes::parse_item(&value, bytes, position, context),
                false => None,
            };
            let items = shaped_items.and_then(Result::ok).unwrap_or(items);
            context.count_unused(&value, &items);
            return Ok(items);
        }
        Ok(_) => None,
        Err(github_error) => Some(github_error),
    };
    let parse_inner = |record: &[u8]| parse(record, position, context, depth + 1);
    let parse_all = |records: Vec<String>| -> ParseResult {
        let results = records.iter().map(|record| parse_inner(record.as_bytes()));
        Ok(results.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    };
    let value: Value = match serde_json::from_slice(bytes) {
        Ok(value) => value,
        Err(error) => {
            let is_deep = depth >= MAX_DEPTH;
            if let Some(texts) = split_objects(bytes).filter(|_| !is_deep) {
                return parse_all(texts);
            }
            return match repair_json(bytes).filter(|_| !is_deep) {
                Some(repaired_bytes) => parse_inner(&repaired_bytes),
                None => Err(github_error.unwrap_or_else(|| github::json_error(&error))),
            };
        }
    };
    if release::is_release(&value) {
        let release = release::parse_release(&value);
        let item = release.map(|(project, release)| ParsedItem::Release(project, release));
        return Ok(item.into_iter().collect());
    }
    if depth < MAX_DEPTH {
        if let Some(inner) = inner_record(&value).filter(|_| parse_post(&value).is_none()) {
            return parse_inner(inner.to_string().as_bytes());
        }
        if let Some(items) = repository_items(&value) {
            return parse_all(items);
        }
    }
    match (shapes::parse_value(&value, bytes, position, context), github_error) {
        (Some(items), _) => items.inspect(|items| context.count_unused(&value, items)),
        (None, None) => Ok(Vec::new()),
        (None, Some(_)) if value.is_object() && !has_github_fields(&value) => {
            Err(UNKNOWN_RECORD.to_owned())
        }
        (None, Some(github_error)) => Err(github_error),
    }
}

/// The fields of GitHub records that contain long text or lists.
static GITHUB_TEXT_FIELDS: Words = Words::new(
    "title body bodyText bodyHTML body_text body_html labels assignees comments reviews
     latestReviews reviewRequests requested_reviewers requested_teams commits files projectCards
     projectItems closingIssuesReferences user author statusCheckRollup reactionGroups milestone
     reviewDecision potentialMergeCommit description text_matches attachments",
);

/// Returns whether a record with GitHub's fields also has long text or lists in other fields.
fn has_other_texts(bytes: &[u8]) -> bool {
    let Ok(fields) = serde_json::from_slice::<BTreeMap<Cow<'_, str>, &RawValue>>(bytes) else {
        return false;
    };
    fields.iter().any(|(name, raw)| {
        let text = raw.get();
        let is_list =
            || text.strip_prefix('[').is_some_and(|inner| inner.trim_start().starts_with('{'));
        let is_text = || {
            text.starts_with('"')
                && text.len() > 40
                && text.bytes().filter(|b| *b == b' ').count() > 3
        };
        let is_discussion =
            matches!(name.as_ref(), "isAnswered" | "answerChosenAt" | "answer_chosen_at");
        // GitHub has no private comments.
        let has_privacy = || {
            let mut marks = ["private", "isPrivate", "internal", "confidential", "public"].iter();
            name == "comments" && marks.any(|mark| text.contains(&format!("{mark}\":")))
        };
        is_discussion
            || has_privacy()
            || ((is_list() || is_text()) && !GITHUB_TEXT_FIELDS.contains(name))
    })
}

/// Returns whether a record is in GitHub's format.
pub fn is_github_record(record: &[u8]) -> bool {
    github::records(record).is_ok_and(|records| !records.is_empty()) && !has_other_texts(record)
}

/// Returns the keys of an object's lists of items or messages; empty if the object is one itself.
pub fn list_keys(value: &Value) -> Vec<String> {
    // The files of a release are not records.
    if release::is_release(value) {
        return Vec::new();
    }
    let context = FileContext::default();
    let is_record = |value: &Value| {
        let bytes = value.to_string().into_bytes();
        matches!(parse(&bytes, 1, &context, 0), Ok(items) if !items.is_empty())
    };
    let mut out = Vec::new();
    collect_list_keys(value, &is_record, &mut out, 0);
    // A board has a name and a description, but is not an item.
    let has = |name: &str| value.get(name).is_some();
    let is_board = has("name") && !has("title") && !has("subject");
    if !out.is_empty() && !is_board && is_record(value) {
        out.clear();
    }
    out
}

/// Returns an object without the lists with these keys.
pub fn without_lists(value: &Value, list_keys: &[String]) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    let other_fields = fields.iter().filter(|(name, _)| !list_keys.contains(name));
    other_fields.map(|(name, inner)| (name.clone(), without_lists(inner, list_keys))).collect()
}

fn collect_list_keys(
    value: &Value,
    is_record: &impl Fn(&Value) -> bool,
    out: &mut Vec<String>,
    depth: u8,
) {
    for (name, inner) in value.as_object().into_iter().flatten() {
        match inner {
            Value::Array(items)
                if items.iter().take(20).any(|item| item.is_object() && is_record(item)) =>
            {
                out.push(name.clone());
            }
            Value::Object(_) if depth < MAX_DEPTH => {
                collect_list_keys(inner, is_record, out, depth + 1)
            }
            _ => {}
        }
    }
}

/// The message for a record of an unknown format.
pub const UNKNOWN_RECORD: &str = "neither an item nor a comment of a known format";

/// Returns whether a record has fields that GitHub uses.
fn has_github_fields(value: &Value) -> bool {
    let has = |name: &str| value.get(name).is_some();
    ["number", "title", "issue_url", "pull_request_url"].into_iter().any(has)
}

/// Sets the state of items whose state word GitHub does not use.
fn set_states(records: &mut [Record], bytes: &[u8], context: &FileContext) {
    for record in records {
        if let Record::Document(item) = record
            && item.state.is_none()
            && item.kind != DocKind::Page
        {
            let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
            let word = value["state"].as_str();
            let fields = StateFields { word, ..StateFields::default() };
            let is_closed = context.is_closed(&context.mapping.words, fields);
            item.state = state(is_closed);
            if let Some(word) = word.filter(|w| is_closed && is_resolution(w)) {
                item.state_reason.get_or_insert_with(|| word.to_owned());
            }
        }
    }
}

/// The keys of single records, possibly nested: `{"data": {"repository": {"issue": {…}}}}`.
const WRAPPERS: &[&str] =
    &["content", "issue", "pullRequest", "ticket", "node", "repository", "data"];

/// Returns the single record in an object. A board item gets its state on the board.
fn inner_record(value: &Value) -> Option<Value> {
    let object = value.as_object()?;
    // A webhook payload contains several records.
    let is_record_key = |name: &String| {
        name == "action" || RECORD_KEYS.contains(name) && name != "body" && name != "title"
    };
    if object.keys().any(is_record_key) {
        return None;
    }
    let wrapped_value =
        WRAPPERS.iter().find_map(|name| object.get(*name).filter(|v| v.is_object()));
    let mut inner = wrapped_value.or_else(|| only_object(object))?.clone();
    if let (Some(fields), Some(status)) = (inner.as_object_mut(), object.get("status")) {
        fields.entry("state").or_insert_with(|| status.clone());
    }
    Some(inner)
}

/// Returns the only object among the simple values of an object.
fn only_object(object: &serde_json::Map<String, Value>) -> Option<&Value> {
    let inner = object.values().filter(|v| v.is_object() || v.is_array());
    let [value] = inner.collect::<Vec<_>>()[..] else { return None };
    let is_single = value.is_object() && shape::objects_by_id(value).is_none() && object.len() < 4;
    (is_single && !object.contains_key("title")).then_some(value)
}

/// Returns the items in a repository's GraphQL lists, each with the repository name.
fn repository_items(value: &Value) -> Option<Vec<String>> {
    let name = value.get("nameWithOwner");
    let mut out = Vec::new();
    for key in ["issues", "pullRequests", "discussions"] {
        for item in value.get(key).and_then(nodes).into_iter().flatten() {
            let mut item = item.clone();
            if let (Some(fields), Some(name)) = (item.as_object_mut(), name) {
                fields.entry("repository").or_insert_with(|| name.clone());
            }
            out.push(item.to_string());
        }
    }
    // The records may also be keyed by id.
    let lists = value.as_object().into_iter().flatten().filter(|_| value.get("title").is_none());
    for (_, list) in lists.filter(|(_, list)| shape::objects_by_id(list).is_some()) {
        for (id, item) in list.as_object().into_iter().flatten() {
            let Some(fields) = item.as_object().filter(|fields| fields.len() > 2) else { continue };
            let mut fields = fields.clone();
            fields.entry("id").or_insert_with(|| id.as_str().into());
            out.push(Value::Object(fields).to_string());
        }
    }
    (!out.is_empty()).then_some(out)
}

/// The start of a response with a single record.
static SINGLE_RECORD: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r#"^[\s\u{feff}]*(?:\{\s*"(?:data|repository|node|resource|project)"\s*:\s*)*"#,
        r#"\{\s*"(?:issue|pullRequest|issueOrPullRequest|ticket)"\s*:\s*\{"#,
    ))
});

/// The start of Bugzilla's comment response: bugs by number.
pub static COMMENTS_OF_BUGS: LazyLock<Regex> =
    LazyLock::new(|| re(r#"^[\s\u{feff}]*\{\s*"bugs"\s*:\s*\{"#));

/// Splits several objects in one record.
fn split_objects(bytes: &[u8]) -> Option<Vec<String>> {
    let values: Vec<&RawValue> =
        serde_json::Deserializer::from_slice(bytes).into_iter().collect::<Result<_, _>>().ok()?;
    let is_split = values.len() > 1 && values.iter().all(|v| v.get().starts_with('{'));
    is_split.then(|| values.into_iter().map(|v| v.get().to_owned()).collect())
}

/// A string, possibly without its end.
const STRING: &str = r#"(?s)"(?:[^"\\]|\\.)*"?"#;

/// Repairs invalid JSON: invalid bytes and unpaired surrogates become U+FFFD, control characters
/// are escaped. Returns `None` if no repair is needed.
fn repair_json(bytes: &[u8]) -> Option<Vec<u8>> {
    static STRINGS: LazyLock<Regex> = LazyLock::new(|| re(STRING));
    // Valid escapes, unpaired surrogates, other backslashes and control characters.
    static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
        re(concat!(
            r#"\\u[dD][89abAB][[:xdigit:]]{2}\\u[dD][c-fC-F][[:xdigit:]]{2}|"#,
            r#"(?<surrogate>\\u[dD][89a-fA-F][[:xdigit:]]{2})|\\u[[:xdigit:]]{4}|"#,
            r#"\\["\\/bfnrt]|\\|[\x00-\x1f]"#,
        ))
    });
    let repair = |c: &Captures<'_>| match c[0].as_bytes() {
        [control @ 0..0x20] => format!("\\u{control:04x}"),
        b"\\" => "\\\\".to_owned(),
        _ if c.name("surrogate").is_some() => "\\ufffd".to_owned(),
        _ => c[0].to_owned(),
    };
    let text = String::from_utf8_lossy(bytes);
    let repaired = STRINGS
        .replace_all(&text, |c: &Captures<'_>| ESCAPES.replace_all(&c[0], repair).into_owned());
    (repaired.as_bytes() != bytes).then(|| repaired.into_owned().into_bytes())
}

/// The keys that contain lists of records, directly or under further such keys.
pub static LIST_KEYS: Words = Words::new(
    "issues bugs tickets items nodes edges result results value data search repository project
     pullRequests discussions records workItems workPackages",
);

/// The keys of records; an object with one of them is not a container.
static RECORD_KEYS: Words = Words::new(
    "number iid key title summary subject fields body issue_url payload identifier node_id name",
);

/// Returns whether a file starts with an object that contains a list of records, like API responses.
pub fn has_list_key(start: &[u8]) -> bool {
    static TOKENS: LazyLock<Regex> = LazyLock::new(|| re(&format!(r"{STRING}|[\[\]{{}}:]")));
    let start = String::from_utf8_lossy(start);
    let text =
        start.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '['));
    let Some(fields) = text.strip_prefix('{') else { return false };
    if SINGLE_RECORD.is_match(text) || COMMENTS_OF_BUGS.is_match(text) {
        return false;
    }
    let mut tokens = TOKENS.find_iter(fields).peekable();
    let (mut depth, mut key) = (0, "");
    while let Some(token) = tokens.next() {
        match token.as_str() {
            bracket @ ("{" | "[") if depth == 0 && LIST_KEYS.contains(key) => {
                // A list of numbers or strings contains no records, and ids are no fields.
                let inner = fields[token.end()..].trim_start();
                return match bracket {
                    "{" => inner
                        .strip_prefix('"')
                        .is_some_and(|key| !key.starts_with(|c: char| c.is_ascii_digit())),
                    _ => inner.starts_with(['{', ']']),
                };
            }
            "{" | "[" => depth += 1,
            "}" | "]" if depth == 0 => return false,
            "}" | "]" => depth -= 1,
            name if depth == 0 && tokens.peek().is_some_and(|next| next.as_str() == ":") => {
                key = name.trim_matches('"');
                if RECORD_KEYS.contains(key) {
                    return false;
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_are_distinguished_from_records() {
        for (text, expected) in [
            (r#"{"startAt": 0, "names": {"a": "issues"}, "issues": [{"key": "A-1"}]}"#, true),
            (r#"{"data": {"repository": {"issues": {"nodes": []}}}}"#, true),
            (r#"[{"total_count": 1, "items": [{"number": 1}]}]"#, true),
            (r#"{"items": [1, 2]}"#, false),
            (r#"{"number": 1, "items": [{}]}"#, false),
            (r#"{"message": "Bad credentials"}"#, false),
            (r#"[[{"number": 1}]]"#, false),
            (
                r#"{"data": {"repository": {"issue": {"number": 1, "labels": {"nodes": []}}}}}"#,
                false,
            ),
            (r#"{"ticket": {"id": 1, "subject": "x"}}"#, false),
            (r#"{"bugs": {"55": {"comments": [{"id": 1}]}}}"#, false),
            (r#"{"bugs": [{"id": 55}]}"#, true),
        ] {
            assert_eq!(has_list_key(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn records_keyed_by_id_keep_their_id() {
        let record =
            |title: &str| format!(r#"{{"subject": "{title}", "text": "x", "status": "open"}}"#);
        let text = format!(r#"{{"tickets": {{"101": {}, "102": {}}}}}"#, record("a"), record("b"));
        let items = parse_record(text.as_bytes(), 1, &FileContext::default()).unwrap();
        let numbers: Vec<_> = items
            .iter()
            .map(|item| match item {
                ParsedItem::Record(Record::Document(item)) => item.number,
                _ => None,
            })
            .collect();
        assert_eq!(numbers, [Some(101), Some(102)]);
    }

    #[test]
    fn private_comment_of_a_numbered_record_is_internal() {
        let text = br#"{"number": 1, "title": "Belt", "comments": [
            {"body": "Ask them.", "author": "kit", "private": true}]}"#;
        let items = parse_record(text, 1, &FileContext::default()).unwrap();
        let Some(ParsedItem::Record(Record::Comment(comment))) = items.last() else {
            panic!("{items:?}")
        };
        assert!(comment.author.is_internal());
    }

    #[test]
    fn damaged_record_is_still_unwrapped() {
        let text = br#"{"issue": {"number": 1, "title": "\ud83d"}}"#;
        let items = parse_record(text, 1, &FileContext::default()).unwrap();
        assert_eq!(items.len(), 1, "{items:?}");
    }

    #[test]
    fn invalid_character_is_replaced() {
        let repair = |text: &[u8]| repair_json(text).map(|b| String::from_utf8(b).unwrap());
        assert_eq!(repair(br#"{"a": "x \ud83d y"}"#).as_deref(), Some(r#"{"a": "x \ufffd y"}"#));
        assert_eq!(repair(br#"{"a": "x \ud83d\ude00 y"}"#), None);
        assert_eq!(
            repair(b"{\"a\": \"t\tb\", \"b\": \"\xff\"}").as_deref(),
            Some("{\"a\": \"t\\u0009b\", \"b\": \"\u{fffd}\"}")
        );
        assert_eq!(repair(br#"{"a": "C:\dir"}"#).as_deref(), Some(r#"{"a": "C:\\dir"}"#));
    }
}
