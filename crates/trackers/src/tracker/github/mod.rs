//! GitHub's formats, parsed tolerantly: an unknown value, a missing field or a deleted account is
//! never an error. Formats: <https://docs.github.com/en/rest/issues/issues> and `/comments`;
//! <https://cli.github.com/manual/gh_issue_list> (`gh issue list --json …`); and the migration
//! archives of <https://docs.github.com/en/rest/migrations/users> (`issues_000001.json` and similar).

mod close;
pub mod device;
mod discussions;
mod graphql;
mod rest;

use std::sync::atomic::AtomicUsize;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

pub use close::{CanonicalRef, ClosingSteps, closing_steps};

use super::{
    client::Client,
    dates::{Time, time},
    graphql::nodes,
    identity::{self, Identity, parse_url},
    wiki::percent_decode,
};
use precedent_core::model::{
    Author, CommentRecord, DocKind, DocumentRecord, REVIEW_PREFIX, Raw, Record, State, item_number,
};

/// A GitHub repository.
pub struct GitHub {
    client: Client,
    /// Name of the repository, first as given, then as the tracker states it.
    name: String,
    /// Index of the GraphQL query variant that this server supports.
    query_variant: AtomicUsize,
    has_discussions: bool,
}

/// An item or a comment in any format, with any values: records may come from scripts.
#[derive(Deserialize)]
struct Entry<'a> {
    /// Kind of the record in a migration archive.
    #[serde(rename = "type")]
    kind: Option<Value>,
    id: Option<Value>,
    #[serde(rename = "databaseId")]
    database_id: Option<Value>,
    number: Option<Value>,
    title: Option<Value>,
    body: Option<Value>,
    #[serde(rename = "bodyText")]
    body_text: Option<Value>,
    url: Option<Value>,
    html_url: Option<Value>,
    /// Item of the comment in a migration archive.
    issue: Option<Value>,
    #[serde(alias = "issueUrl")]
    issue_url: Option<Value>,
    pull_request_url: Option<Value>,
    state: Option<Value>,
    #[serde(alias = "stateReason")]
    state_reason: Option<Value>,
    closed: Option<Value>,
    #[serde(alias = "author")]
    user: Option<Value>,
    #[serde(alias = "authorAssociation")]
    author_association: Option<Value>,
    labels: Option<Value>,
    milestone: Option<Value>,
    locked: Option<Value>,
    /// Number of comments, or the comments.
    #[serde(borrow)]
    comments: Option<&'a RawValue>,
    pull_request: Option<Value>,
    #[serde(rename = "isPullRequest")]
    is_pull_request: Option<Value>,
    #[serde(rename = "isDraft")]
    is_draft: Option<Value>,
    #[serde(rename = "headRefName")]
    head_ref_name: Option<Value>,
    repository: Option<Value>,
    #[serde(alias = "createdAt")]
    created_at: Option<Time>,
    #[serde(alias = "updatedAt")]
    updated_at: Option<Time>,
    #[serde(alias = "closedAt")]
    closed_at: Option<Time>,
    #[serde(alias = "mergedAt")]
    merged_at: Option<Time>,
}

/// Parses one record: an issue, a pull request or a comment.
pub fn record(bytes: &[u8]) -> Result<Record, String> {
    records(bytes)?.into_iter().next().ok_or_else(|| "neither an issue nor a comment".to_owned())
}

/// Parses a record in any of GitHub's formats, with the comments that it contains. Returns nothing
/// for an archive record of another kind.
pub fn records(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| format!("invalid UTF-8 at byte {} of the record", e.valid_up_to()))?;
    // Serde would accept a list as a struct's fields in order.
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        return Err("not JSON: a record must be an object in braces".to_owned());
    }
    let entry: Entry<'_> = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    let kind = entry.kind.as_ref().and_then(Value::as_str).filter(|_| entry.number.is_none());
    match kind {
        Some("issue" | "pull_request") => {
            let target = entry.url.as_ref().and_then(parse_item_url);
            let target = target.ok_or("its address does not end in an item number")?;
            return Ok(item(entry, target.number, text));
        }
        Some("issue_comment" | "pull_request_review_comment") => {
            let item_ref = entry.issue.as_ref().or(entry.pull_request.as_ref());
            let target = item_ref.and_then(parse_item_url);
            let target = target.ok_or("its address does not end in an item number")?;
            let id = comment_id(entry.url.as_ref())
                .ok_or("its address does not end in a comment's id")?;
            let created_at = time(entry.created_at).ok_or("no \"created_at\"")?;
            return Ok(vec![comment(entry, target, id, created_at, text).into()]);
        }
        // Users, milestones and events in an archive have other types.
        Some(kind) if entry.url.is_some() && kind.starts_with(|c: char| c.is_lowercase()) => {
            return Ok(Vec::new());
        }
        _ => {}
    }
    // A prefix distinguishes the ids of review comments, which are numbered separately.
    let (item_ref, prefix) = match (&entry.issue_url, &entry.pull_request_url) {
        (Some(url), _) => (Some(url), ""),
        (None, url) => (url.as_ref(), REVIEW_PREFIX),
    };
    match (&entry.number, &entry.title, item_ref) {
        (None, title, Some(item_ref)) if prefix.is_empty() || title.is_none() => {
            let item_ref = text_of(item_ref);
            let number = item_ref.trim_end_matches('/').rsplit('/').next().and_then(item_number);
            let number = number.ok_or_else(|| {
                let brief: String = item_ref.chars().take(80).collect();
                format!("\"issue_url\" does not end in an item number: {brief}")
            })?;
            let target = Identity { project: parse_url(&item_ref).and_then(|a| a.project), number };
            let created_at = time(entry.created_at).or(time(entry.updated_at));
            let created_at = created_at.ok_or("no valid \"created_at\"")?;
            let id = entry.id.as_ref().map(|id| format!("{prefix}{}", text_of(id)));
            let id = id.or_else(|| comment_id(entry.html_url.as_ref()));
            // Scripts may leave out the id.
            let id = id.unwrap_or_else(|| format!("{number}-{}", identity::hash_number(text)));
            Ok(vec![comment(entry, target, id, created_at, text).into()])
        }
        (Some(number), Some(_), _) => {
            let number_text = text_of(number);
            let digits = number_text.trim().trim_start_matches('#');
            let number = digits.strip_suffix(".0").unwrap_or(digits).parse().map_err(|_| {
                format!("invalid value for \"number\": {number_text}, expected a number")
            })?;
            identity::check_number("number", number)?;
            Ok(item(entry, number, text))
        }
        (None, Some(_), _) => Err("no \"number\": not an issue in GitHub REST format".to_owned()),
        (Some(_), None, _) => Err("no \"title\": not an issue in GitHub REST format".to_owned()),
        (None, None, _) => Err(
            "neither an issue (\"number\", \"title\") nor a comment (\"issue_url\") in GitHub REST format"
                .to_owned(),
        ),
    }
}

fn item(entry: Entry<'_>, number: u64, raw: &str) -> Vec<Record> {
    let links = [entry.url.as_ref(), entry.html_url.as_ref()].map(|url| url.map(text_of));
    let mut projects = links.iter().flatten().filter_map(|url| parse_url(url)?.project);
    let repository = projects.next().or_else(|| named_repository(entry.repository.as_ref()));
    let url = links.into_iter().flatten().rev().find(|url| !url.contains("/repos/"));
    let pull = entry.pull_request.as_ref();
    let is_pull_request = pull.is_some_and(|pull| !matches!(pull, Value::Bool(false)))
        || entry.is_pull_request.as_ref().and_then(Value::as_bool) == Some(true)
        || entry.is_draft.is_some()
        || entry.head_ref_name.is_some()
        || url.as_ref().is_some_and(|url| url.contains("/pull/"))
        || entry.kind.as_ref().is_some_and(|kind| kind == "pull_request");
    let merged_at = pull.and_then(|pull| Time::deserialize(pull.get("merged_at")?).ok());
    let merged_at = time(merged_at).or(time(entry.merged_at));
    let closed_at = time(entry.closed_at);
    let created_at = time(entry.created_at);
    let state = state(
        &entry.state.as_ref().map(text_of).unwrap_or_default(),
        merged_at.is_some(),
        closed_at.is_some(),
        entry.closed.as_ref().and_then(Value::as_bool),
    );
    let raw_comments = entry.comments.map(RawValue::get).unwrap_or_default();
    let item_ref = Identity { project: repository.clone(), number };
    let comments: Vec<Record> = parse_comments(raw_comments, &item_ref, created_at);
    let document = DocumentRecord {
        repository,
        kind: if is_pull_request { DocKind::PullRequest } else { DocKind::Issue },
        number: Some(number),
        // The `gh` command returns other ids.
        remote_id: entry.id.filter(Value::is_number).map(|id| id.to_string()),
        title: entry.title.as_ref().map(text_of).unwrap_or_default().trim().to_owned(),
        body: entry.body.as_ref().or(entry.body_text.as_ref()).map(text_of).unwrap_or_default(),
        url,
        state,
        state_reason: entry
            .state_reason
            .and_then(|reason| Some(reason.as_str()?.to_lowercase()))
            .filter(|reason| !reason.is_empty()),
        author: author(entry.user.as_ref(), entry.author_association.as_ref()),
        labels: entry.labels.as_ref().map(parse_labels).unwrap_or_default(),
        milestone: entry.milestone.as_ref().and_then(|m| name(m, &["title", "name"])),
        locked: entry.locked.as_ref().and_then(Value::as_bool) == Some(true),
        comment_count: raw_comments.parse().unwrap_or(comments.len() as u64),
        created_at,
        updated_at: time(entry.updated_at).or(created_at),
        closed_at,
        merged_at,
        raw: Raw::new(raw.as_bytes().to_vec()),
        ..DocumentRecord::default()
    };
    std::iter::once(document.into()).chain(comments).collect()
}

/// Parses the comments in an item, from the `gh` command or GraphQL.
fn parse_comments(list: &str, item_ref: &Identity, item_time: Option<Timestamp>) -> Vec<Record> {
    if !list.starts_with(['[', '{']) {
        return Vec::new();
    }
    let raws: Vec<String> = match serde_json::from_str::<Vec<&RawValue>>(list) {
        Ok(raws) => raws.into_iter().map(|raw| raw.get().to_owned()).collect(),
        Err(_) => {
            let connection: Value = serde_json::from_str(list).unwrap_or_default();
            nodes(&connection).into_iter().flatten().map(Value::to_string).collect()
        }
    };
    let records = raws.into_iter().enumerate().filter_map(|(index, raw)| {
        let raw = if raw.starts_with('"') { format!("{{\"body\":{raw}}}") } else { raw };
        let entry: Entry<'_> = serde_json::from_str(&raw).ok()?;
        let created_at = time(entry.created_at).or(item_time).unwrap_or(Timestamp::UNIX_EPOCH);
        // GraphQL returns only the requested fields.
        let id = comment_id(entry.url.as_ref())
            .or(entry.database_id.as_ref().or(entry.id.as_ref()).map(text_of))
            .unwrap_or_else(|| format!("{}-{}-{index}", item_ref.number, created_at.as_second()));
        Some(comment(entry, item_ref.clone(), id, created_at, &raw).into())
    });
    records.collect()
}

fn comment(
    entry: Entry<'_>,
    item_ref: Identity,
    remote_id: String,
    created_at: Timestamp,
    raw: &str,
) -> CommentRecord {
    CommentRecord {
        repository: item_ref.project,
        number: item_ref.number,
        remote_id,
        author: author(entry.user.as_ref(), entry.author_association.as_ref()),
        body: entry.body.as_ref().map(text_of).unwrap_or_default(),
        url: entry.html_url.or(entry.url).as_ref().map(text_of),
        created_at,
        updated_at: time(entry.updated_at).unwrap_or(created_at),
        raw: Raw::new(raw.as_bytes().to_vec()),
    }
}

/// Returns the item at a web address: `https://github.com/acme/app/issues/12`.
fn parse_item_url(url: &Value) -> Option<Identity> {
    parse_url(url.as_str()?).filter(|target| target.project.is_some())
}

/// Returns the REST id of a comment from its address, because the `gh` command returns others.
fn comment_id(url: Option<&Value>) -> Option<String> {
    let (_, fragment) = url?.as_str()?.rsplit_once('#')?;
    let review = fragment.strip_prefix("discussion_r").or_else(|| fragment.strip_prefix('r'));
    let (prefix, id) = match fragment.strip_prefix("issuecomment-") {
        Some(id) => ("", id),
        None => (REVIEW_PREFIX, review?),
    };
    let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit());
    is_id.then(|| format!("{prefix}{id}"))
}

/// Returns the state of an item; `None` if the word is not one of GitHub's.
fn state(
    word: &str,
    is_merged: bool,
    has_closing_time: bool,
    closed_flag: Option<bool>,
) -> Option<State> {
    match word.to_lowercase().as_str() {
        _ if is_merged => Some(State::Merged),
        "merged" => Some(State::Merged),
        "closed" => Some(State::Closed),
        "open" => Some(State::Open),
        // An unknown word with a closing time means closed.
        _ if has_closing_time || closed_flag == Some(true) => Some(State::Closed),
        "" => Some(State::Open),
        _ => closed_flag.map(|_| State::Open),
    }
}

/// Returns the repository of a record: `owner/name`, or an object with the full name or its parts.
fn named_repository(value: Option<&Value>) -> Option<String> {
    let value = value?;
    let text = |name: &str| value.get(name).and_then(Value::as_str);
    let full_name = value.as_str().or_else(|| text("nameWithOwner")).or_else(|| text("full_name"));
    let full_name = full_name.map(str::to_owned).or_else(|| {
        let owner = value.get("owner")?;
        Some(format!("{}/{}", owner.get("login").unwrap_or(owner).as_str()?, text("name")?))
    });
    full_name
        .filter(|name| name.split('/').count() == 2 && name.split('/').all(|part| !part.is_empty()))
}

/// Parses an author: an object, a name, or the address of a profile.
fn author(user: Option<&Value>, association: Option<&Value>) -> Author {
    let text = |name: &str| user.and_then(|user| user.get(name)?.as_str());
    let is_set = |name: &str| user.is_some_and(|user| user.get(name) == Some(&Value::Bool(true)));
    let address = user.and_then(Value::as_str).unwrap_or_default();
    let login = user.and_then(|user| name(user, &["login", "name", "username", "email"]));
    let login = login.and_then(|login| Some(login.rsplit('/').next()?.to_owned()));
    let login = login.filter(|login| !login.is_empty());
    Author {
        // The profiles of bots are under `/apps/`.
        bot: text("type") == Some("Bot")
            || is_set("is_bot")
            || address.contains("/apps/")
            || login.as_deref().is_some_and(|login| login.ends_with("[bot]")),
        login,
        association: association.and_then(Value::as_str).map(str::to_owned),
    }
}

/// Returns the first of these fields of an object, or the value itself if it is a string.
fn name(value: &Value, fields: &[&str]) -> Option<String> {
    match value {
        Value::Object(object) => fields.iter().find_map(|name| object.get(*name)).map(text_of),
        Value::String(_) | Value::Number(_) => Some(text_of(value)),
        _ => None,
    }
}

fn parse_labels(value: &Value) -> Vec<String> {
    if let Value::String(text) = value {
        let names = text.split([',', ';']).map(str::trim).filter(|name| !name.is_empty());
        return names.map(str::to_owned).collect();
    }
    let list = value.as_array().map(|list| list.iter().collect()).or_else(|| nodes(value));
    let label = |value: &Value| match value {
        Value::String(url) if url.contains("://") => Some(percent_decode(url.rsplit('/').next()?)),
        Value::String(_) | Value::Object(_) => name(value, &["name"]),
        _ => None,
    };
    list.into_iter().flatten().filter_map(label).collect()
}

/// Returns a value as text, with NUL characters replaced for SQLite's text functions.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) if text.contains('\0') => text.replace('\0', "\u{fffd}"),
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

/// Formats a JSON error without its position, which is meaningless for a single record.
pub(crate) fn json_error(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    match error.classify() {
        serde_json::error::Category::Eof => "the record is truncated".to_owned(),
        serde_json::error::Category::Syntax => format!("not JSON: {text}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(json: &str) -> DocumentRecord {
        match record(json.as_bytes()).unwrap() {
            Record::Document(d) => *d,
            Record::Comment(_) => panic!("a comment"),
        }
    }

    #[test]
    fn issue_parses_without_optional_fields() {
        let d =
            document(r#"{"number": 7, "title": "x", "user": null, "labels": null, "body": null}"#);
        assert_eq!((d.number, d.kind, d.state), (Some(7), DocKind::Issue, Some(State::Open)));
        assert_eq!(d.author, Author::default());
    }

    #[test]
    fn unknown_values_are_not_errors() {
        let d = document(
            r#"{"number": 7, "title": "x", "state": "archived", "state_reason": "moon phase", "labels": ["a", {"name": "b"}, 3],
                "comments": "many", "closed_at": "2024-01-02T03:04:05Z", "user": {"login": "dep[bot]"}}"#,
        );
        assert_eq!(d.state, Some(State::Closed));
        assert_eq!(d.state_reason.as_deref(), Some("moon phase"));
        assert_eq!(d.labels, ["a", "b"]);
        assert!(d.author.bot);
    }

    #[test]
    fn merged_pull_request_has_merged_state() {
        let d = document(
            r#"{"number": 8, "title": "x", "state": "closed", "pull_request": {"merged_at": "2024-01-02T03:04:05Z"}}"#,
        );
        assert_eq!((d.kind, d.state), (DocKind::PullRequest, Some(State::Merged)));
    }

    #[test]
    fn comment_names_its_item() {
        let json = r#"{"id": 5, "issue_url": "https://api.github.com/repos/a/b/issues/12", "created_at": "2024-01-02T03:04:05Z"}"#;
        let Record::Comment(c) = record(json.as_bytes()).unwrap() else { panic!("no comment") };
        assert_eq!((c.number, c.remote_id.as_str()), (12, "5"));
    }

    #[test]
    fn comments_without_id_stay_distinct() {
        let id = |fields: &str| {
            let json = format!(
                r#"{{"issue_url": "https://api.github.com/repos/a/b/issues/12", "created_at": "2024-01-02T03:04:05Z", {fields}}}"#
            );
            let Record::Comment(c) = record(json.as_bytes()).unwrap() else { panic!("no comment") };
            c.remote_id
        };
        assert_eq!(id(r#""html_url": "https://github.com/a/b/issues/12#issuecomment-5""#), "5");
        assert_ne!(id(r#""body": "It leaks.""#), id(r#""body": "It rusts.""#));
        assert_eq!(id(r#""body": "It leaks.""#), id(r#""body": "It leaks.""#));
    }

    #[test]
    fn unusable_record_has_a_reason() {
        for (json, reason) in [
            (&b"{\"title\": \"x\"}"[..], "no \"number\""),
            (b"{}", "neither an issue"),
            (b"[1]", "an object"),
            (b"{\"number\": 1, \"title\": ", "truncated"),
            (b"{\"number\": 1, \"title\": \"\xff\"}", "invalid UTF-8"),
            (b"{\"number\": -1, \"title\": \"x\"}", "invalid value"),
            (b"hello", "not JSON"),
            (
                b"{\"id\": 5, \"issue_url\": \"x/y\", \"created_at\": \"2024-01-02T03:04:05Z\"}",
                "item number",
            ),
        ] {
            let error = record(json).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn cli_record_includes_its_comments() {
        let text = r#"{"number": 7, "title": "Leaks", "body": "b", "state": "CLOSED", "stateReason": "NOT_PLANNED",
            "author": {"login": "ada", "is_bot": false}, "labels": [{"name": "bug"}], "url": "https://github.com/acme/app/issues/7",
            "createdAt": "2024-01-01T00:00:00Z", "updatedAt": "2024-01-02T00:00:00Z", "closedAt": "2024-01-02T00:00:00Z",
            "comments": [{"id": "IC_x", "author": {"login": "grace"}, "authorAssociation": "MEMBER", "body": "Tighten it.",
                "createdAt": "2024-01-01T10:00:00Z", "url": "https://github.com/acme/app/issues/7#issuecomment-55"}]}"#;
        let output = records(text.as_bytes()).unwrap();
        let [Record::Document(d), Record::Comment(c)] = &output[..] else { panic!("{output:?}") };
        assert_eq!(
            (d.state, d.state_reason.as_deref(), d.comment_count),
            (Some(State::Closed), Some("not_planned"), 1)
        );
        assert_eq!(
            (c.number, c.remote_id.as_str(), c.repository.as_deref()),
            (7, "55", Some("acme/app"))
        );
        let pull = r#"{"number": 8, "title": "x", "state": "MERGED", "headRefName": "mend", "author": null}"#;
        let output = records(pull.as_bytes()).unwrap();
        assert!(
            matches!(&output[..], [Record::Document(d)] if d.kind == DocKind::PullRequest && d.state == Some(State::Merged))
        );
    }

    #[test]
    fn archive_records_are_named_by_address() {
        let issue = r#"{"type": "issue", "url": "https://github.com/acme/app/issues/7", "repository": "https://github.com/acme/app",
            "user": "https://github.com/ada", "title": "Leaks", "body": "b", "labels": ["https://github.com/acme/app/labels/good%20first"],
            "closed_at": null, "created_at": "2024-01-01T00:00:00Z"}"#;
        let output = records(issue.as_bytes()).unwrap();
        let [Record::Document(d)] = &output[..] else { panic!("{output:?}") };
        assert_eq!(
            (d.number, d.labels[0].as_str(), d.author.login.as_deref()),
            (Some(7), "good first", Some("ada"))
        );
        let comment = r#"{"type": "issue_comment", "url": "https://github.com/acme/app/pull/8#issuecomment-9", "pull_request": "https://github.com/acme/app/pull/8",
            "user": "https://github.com/ada", "body": "b", "created_at": "2024-01-01T00:00:00Z"}"#;
        let output = records(comment.as_bytes()).unwrap();
        assert!(matches!(&output[..], [Record::Comment(c)] if c.number == 8 && c.remote_id == "9"));
        assert_eq!(
            records(br#"{"type": "user", "url": "https://github.com/ada", "login": "ada"}"#),
            Ok(Vec::new())
        );
        assert!(
            records(br#"{"type": "issue", "url": "https://github.com/acme", "title": "x"}"#)
                .is_err()
        );
        for text in [
            r#"{"type": "issue", "url": "https://github.com/acme/app/issues/0", "title": "x"}"#,
            r#"{"id": 1, "issue_url": "https://x.example/repos/acme/app/issues/0", "body": "b", "created_at": "2024-01-01T00:00:00Z"}"#,
        ] {
            assert!(records(text.as_bytes()).is_err(), "{text}");
        }
    }
}
