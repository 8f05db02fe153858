//! GitHub records in the formats of its command line tool (`gh issue list --json …`) and of its
//! migration archives. Formats: <https://cli.github.com/manual/gh_issue_list> and
//! <https://docs.github.com/en/rest/migrations/users> (`issues_000001.json` and similar).

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    REVIEW, clean, describe, named_repository, odd, plain, record, state, time, whole_number,
};
use crate::tracker::identity::{self, address};
use precedent_core::model::{Author, CommentRecord, DocKind, DocumentRecord, Raw, Record, State};

/// The fields that distinguish the formats.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Probe {
    #[serde(rename = "type")]
    kind: Option<serde_json::Value>,
    created_at: Option<serde_json::Value>,
    updated_at: Option<serde_json::Value>,
    state_reason: Option<serde_json::Value>,
    author: Option<serde_json::Value>,
    is_pinned: Option<serde_json::Value>,
    head_ref_name: Option<serde_json::Value>,
    is_pull_request: Option<serde_json::Value>,
    body_text: Option<serde_json::Value>,
    comments: Option<serde_json::Value>,
    url: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    #[serde(deserialize_with = "whole_number")]
    number: u64,
    title: String,
    body: Option<String>,
    url: Option<String>,
    state: Option<String>,
    state_reason: Option<String>,
    author: Option<User>,
    #[serde(default, deserialize_with = "nodes")]
    labels: Vec<Label>,
    milestone: Option<Milestone>,
    #[serde(borrow)]
    comments: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    updated_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    closed_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    merged_at: Option<Timestamp>,
    is_draft: Option<bool>,
    is_pull_request: Option<serde_json::Value>,
    head_ref_name: Option<String>,
    repository: Option<serde_json::Value>,
    closed: Option<serde_json::Value>,
    body_text: Option<String>,
}

#[derive(Deserialize)]
struct User {
    login: Option<String>,
    #[serde(default)]
    is_bot: bool,
}

#[derive(Deserialize)]
struct Label {
    name: Option<String>,
}

#[derive(Deserialize)]
struct Milestone {
    title: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Comment {
    id: Option<serde_json::Value>,
    database_id: Option<u64>,
    body: Option<String>,
    url: Option<String>,
    author: Option<User>,
    author_association: Option<String>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Timestamp>,
}

/// Deserializes a list, plain or in GraphQL's form `{"nodes": […]}`; null is empty.
fn nodes<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum List<T> {
        Plain(Vec<T>),
        Nodes { nodes: Vec<T> },
        Edges { edges: Vec<Edge<T>> },
    }
    #[derive(Deserialize)]
    struct Edge<T> {
        node: T,
    }
    Ok(match Option::<List<T>>::deserialize(deserializer)? {
        None => Vec::new(),
        Some(List::Plain(items) | List::Nodes { nodes: items }) => items,
        Some(List::Edges { edges }) => edges.into_iter().map(|e| e.node).collect(),
    })
}

/// Returns the raw comments of an item: a list, or GraphQL's `{"nodes": […]}`.
fn comment_values(raw: &RawValue) -> Vec<&RawValue> {
    #[derive(Deserialize)]
    struct Nodes<'a> {
        #[serde(borrow)]
        nodes: Vec<&'a RawValue>,
    }
    #[derive(Deserialize)]
    struct Edges<'a> {
        #[serde(borrow)]
        edges: Vec<Edge<'a>>,
    }
    #[derive(Deserialize)]
    struct Edge<'a> {
        #[serde(borrow)]
        node: &'a RawValue,
    }
    let text = raw.get();
    serde_json::from_str::<Vec<&RawValue>>(text)
        .or_else(|_| serde_json::from_str::<Nodes<'_>>(text).map(|n| n.nodes))
        .or_else(|_| {
            serde_json::from_str::<Edges<'_>>(text)
                .map(|e| e.edges.into_iter().map(|e| e.node).collect())
        })
        .unwrap_or_default()
}

/// A record of a migration archive.
#[derive(Deserialize)]
struct ArchiveRecord {
    url: Option<String>,
    user: Option<String>,
    title: Option<String>,
    body: Option<String>,
    issue: Option<String>,
    pull_request: Option<String>,
    #[serde(default, deserialize_with = "nodes")]
    labels: Vec<serde_json::Value>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    updated_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    closed_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    merged_at: Option<Timestamp>,
}

/// The fields that distinguish the formats; REST accounts also have a `type`.
#[allow(clippy::unwrap_used, reason = "the pattern is a constant; the tests compile it")]
static MARK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""(?:type|comments|createdAt|updatedAt|stateReason|headRefName|isPinned|isPullRequest|author|bodyText)""#).unwrap()
});

/// Parses a record in any of GitHub's formats. A record of the command line tool includes its
/// comments; one of an archive may be of a kind that is not kept.
///
/// # Errors
/// The reason why it is skipped, for the user.
pub fn records(bytes: &[u8]) -> Result<Vec<Record>, String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return record(bytes).map(|r| vec![r]) };
    // Most records are from the REST API, and a closer check costs as much as parsing.
    if !MARK.find_iter(text).any(|m| tells(m.as_str(), &text[m.end()..])) {
        return record(bytes).map(|r| vec![r]);
    }
    let Ok(probe) = serde_json::from_str::<Probe>(text) else {
        return record(bytes).map(|r| vec![r]);
    };
    match probe.kind.as_ref().and_then(|k| k.as_str()) {
        Some(
            kind @ ("issue" | "pull_request" | "issue_comment" | "pull_request_review_comment"),
        ) if probe.created_at.is_none() => {
            return archive_record(text, kind).map(|r| vec![r]);
        }
        // Users, milestones, events and similar records of a migration archive have a type of their
        // own.
        Some(_) if probe.url.is_some() && !text.contains("\"number\"") => return Ok(Vec::new()),
        _ => {}
    }
    let camel = [
        &probe.created_at,
        &probe.updated_at,
        &probe.state_reason,
        &probe.author,
        &probe.is_pinned,
        &probe.head_ref_name,
        &probe.is_pull_request,
        &probe.body_text,
    ];
    let has_comment_list = probe.comments.as_ref().is_some_and(serde_json::Value::is_array);
    if has_comment_list || camel.iter().any(|f| f.is_some()) {
        return item(text);
    }
    record(bytes).map(|r| vec![r])
}

/// Returns whether a field shows that a record is not from the REST API, where `type` is not a
/// lowercase word as in migration archives, and where comments are counted and not listed.
fn tells(name: &str, rest: &str) -> bool {
    let value = || rest.trim_start().strip_prefix(':').map_or("", str::trim_start);
    match name {
        "\"type\"" => value()
            .strip_prefix('"')
            .is_some_and(|v| v.starts_with(|c: char| c.is_ascii_lowercase())),
        "\"comments\"" => value().starts_with('['),
        _ => true,
    }
}

/// Returns `owner/name` and the number of a web address: `https://github.com/acme/app/issues/12`.
fn item_key(url: &str) -> Option<(String, u64)> {
    let target = address(url)?;
    Some((target.project?, target.number))
}

/// Returns the REST id of a comment from its address; the command line tool has other ids.
fn comment_id(url: Option<&str>) -> Option<String> {
    let id = url?.rsplit_once("#issuecomment-")?.1;
    id.bytes().all(|b| b.is_ascii_digit()).then(|| id.to_owned())
}

/// Returns the id of a review comment from its address, like [`comment_id`]; those are numbered
/// separately.
fn review_id(url: Option<&str>) -> Option<String> {
    let url = url?;
    let id = url.rsplit_once("#discussion_r").or_else(|| url.rsplit_once("#r"))?.1;
    (!id.is_empty() && id.bytes().all(|b| b.is_ascii_digit())).then(|| format!("{REVIEW}{id}"))
}

fn author(user: Option<User>, association: Option<String>) -> Author {
    let bot = user.as_ref().is_some_and(|u| u.is_bot);
    let login = user.and_then(|u| u.login).filter(|l| !l.is_empty());
    Author {
        bot: bot || login.as_deref().is_some_and(|l| l.ends_with("[bot]")),
        login,
        association,
    }
}

fn item(text: &str) -> Result<Vec<Record>, String> {
    let repaired_text;
    let item: Item<'_> = match serde_json::from_str(text) {
        Ok(item) => item,
        Err(error) => {
            repaired_text = odd::repair(text).ok_or_else(|| describe(&error))?;
            serde_json::from_str(&repaired_text).map_err(|e| describe(&e))?
        }
    };
    identity::check("number", item.number)?;
    let number = item.number;
    let place = (item.url.as_deref().and_then(item_key).map(|(repository, _)| repository))
        .or_else(|| named_repository(item.repository.as_ref()));
    let pull = item.url.as_deref().is_some_and(|u| u.contains("/pull/"))
        || item.is_draft.is_some()
        || item.is_pull_request.as_ref().and_then(serde_json::Value::as_bool) == Some(true)
        || item.head_ref_name.is_some();
    let mut out = Vec::new();
    if let Some(raws) = item.comments {
        for (nth, raw) in comment_values(raws).into_iter().enumerate() {
            let comment: Comment = serde_json::from_str(raw.get()).map_err(|e| describe(&e))?;
            let created_at =
                comment.created_at.or(item.created_at).unwrap_or(Timestamp::UNIX_EPOCH);
            // GraphQL returns only the requested fields.
            let id = comment_id(comment.url.as_deref())
                .or(comment.database_id.map(|id| id.to_string()))
                .or(comment.id.map(plain))
                .unwrap_or_else(|| format!("{number}-{}-{nth}", created_at.as_second()));
            out.push(Record::Comment(Box::new(CommentRecord {
                repository: place.clone(),
                number,
                remote_id: id,
                author: author(comment.author, comment.author_association),
                body: clean(&comment.body.unwrap_or_default()),
                url: comment.url,
                created_at,
                updated_at: created_at,
                raw: Raw::new(raw.get().as_bytes().to_vec()),
            })));
        }
    }
    let document = DocumentRecord {
        repository: place,
        kind: if pull { DocKind::PullRequest } else { DocKind::Issue },
        number: Some(number),
        slug: None,
        remote_id: None,
        title: clean(&item.title).trim().to_owned(),
        body: clean(&item.body.or(item.body_text).unwrap_or_default()),
        url: item.url,
        state: state(
            item.state.as_deref(),
            item.merged_at.is_some(),
            item.closed_at.is_some(),
            item.closed.as_ref(),
        ),
        state_reason: item.state_reason.filter(|r| !r.is_empty()).map(|r| r.to_lowercase()),
        author: author(item.author, None),
        labels: item.labels.into_iter().filter_map(|l| l.name).collect(),
        milestone: item.milestone.and_then(|m| m.title),
        locked: false,
        comment_count: out.len() as u64,
        created_at: item.created_at,
        updated_at: item.updated_at.or(item.created_at),
        closed_at: item.closed_at,
        merged_at: item.merged_at,
        raw: Raw::new(text.as_bytes().to_vec()),
    };
    out.insert(0, Record::Document(Box::new(document)));
    Ok(out)
}

fn archive_record(text: &str, kind: &str) -> Result<Record, String> {
    let record: ArchiveRecord = serde_json::from_str(text).map_err(|e| describe(&e))?;
    // Users are identified by their page, bots by one below `apps`.
    let bot = record.user.as_deref().is_some_and(|u| u.contains("/apps/"));
    let login = record.user.as_deref().and_then(|u| u.rsplit('/').next()).map(str::to_owned);
    let author = Author { login, bot, association: None };
    let raw = Raw::new(text.as_bytes().to_vec());
    let body = clean(&record.body.unwrap_or_default());
    let is_comment = kind.ends_with("_comment");
    let home = if is_comment { record.issue.or(record.pull_request) } else { record.url.clone() };
    let (repository, number) =
        home.as_deref().and_then(item_key).ok_or("its address does not end in an item number")?;
    if is_comment {
        let created_at = record.created_at.ok_or("no \"created_at\"")?;
        return Ok(Record::Comment(Box::new(CommentRecord {
            repository: Some(repository),
            number,
            remote_id: comment_id(record.url.as_deref())
                .or_else(|| review_id(record.url.as_deref()))
                .ok_or("its address does not end in a comment's id")?,
            author,
            body,
            url: record.url,
            created_at,
            updated_at: record.updated_at.unwrap_or(created_at),
            raw,
        })));
    }
    let label = |l: &serde_json::Value| {
        let name =
            l.as_str().and_then(|u| u.rsplit('/').next()).or_else(|| l.get("name")?.as_str())?;
        let query = format!("x={}", name.replace('+', "%2B"));
        url::form_urlencoded::parse(query.as_bytes()).next().map(|(_, v)| v.into_owned())
    };
    Ok(Record::Document(Box::new(DocumentRecord {
        repository: Some(repository),
        kind: if kind == "pull_request" { DocKind::PullRequest } else { DocKind::Issue },
        number: Some(number),
        slug: None,
        remote_id: None,
        title: clean(&record.title.unwrap_or_default()).trim().to_owned(),
        body,
        url: record.url,
        state: Some(match (record.merged_at, record.closed_at) {
            (Some(_), _) => State::Merged,
            (None, Some(_)) => State::Closed,
            (None, None) => State::Open,
        }),
        state_reason: None,
        author,
        labels: record.labels.iter().filter_map(label).collect(),
        milestone: None,
        locked: false,
        // The archive has no comment counts.
        comment_count: 0,
        created_at: record.created_at,
        updated_at: record.updated_at.or(record.closed_at).or(record.created_at),
        closed_at: record.closed_at,
        merged_at: record.merged_at,
        raw,
    })))
}

#[cfg(test)]
mod tests {
    use super::*;

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
