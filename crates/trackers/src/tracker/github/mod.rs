//! GitHub's REST formats, parsed tolerantly: an unknown value, a missing field or a deleted account
//! is never an error. Formats: <https://docs.github.com/en/rest/issues/issues> and `/comments`.

mod close;
pub mod device;
mod discussions;
mod dump;
mod graphql;
mod odd;
mod rest;

use std::sync::atomic::AtomicUsize;

use jiff::Timestamp;
use serde::Deserialize;
use url::Url;

pub use close::closing_steps;
pub use dump::records;

use super::{
    dates,
    identity::{self, address},
};
use crate::{
    http::{Http, Login},
    secrets::Token,
};
use precedent_core::model::{
    Author, CommentRecord, DocKind, DocumentRecord, Raw, Record, State, item_number,
};

/// The prefix of review comment ids.
pub(super) const REVIEW: &str = precedent_core::model::REVIEW_PREFIX;

/// A GitHub repository.
#[derive(Debug)]
pub struct GitHub {
    http: Http,
    base: Url,
    host: String,
    /// Name of the repository: as given, later as the tracker states it.
    name: String,
    login: Option<Login>,
    /// Token for the git repository of the wiki.
    token: Option<Token>,
    /// Index of the GraphQL query variant that this server supports.
    shape: AtomicUsize,
    /// `true` if the repository has discussions enabled.
    discussions: bool,
}

#[derive(Deserialize)]
struct Probe {
    number: Option<serde_json::Value>,
    title: Option<serde_json::Value>,
    issue_url: Option<String>,
    #[serde(rename = "issueUrl")]
    issue_url_camel: Option<String>,
    pull_request_url: Option<String>,
}

#[derive(Deserialize)]
struct Issue {
    id: Option<serde_json::Value>,
    #[serde(deserialize_with = "whole_number")]
    number: u64,
    title: String,
    body: Option<String>,
    url: Option<String>,
    html_url: Option<String>,
    state: Option<String>,
    state_reason: Option<String>,
    user: Option<User>,
    author_association: Option<String>,
    #[serde(default, deserialize_with = "list")]
    labels: Vec<Label>,
    milestone: Option<Milestone>,
    #[serde(default)]
    locked: bool,
    comments: Option<serde_json::Value>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    updated_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    closed_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    merged_at: Option<Timestamp>,
    pull_request: Option<PullRequest>,
    repository: Option<serde_json::Value>,
    closed: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct PullRequest {
    #[serde(default, deserialize_with = "time")]
    merged_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct User {
    login: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Label {
    Name(String),
    Full {
        name: Option<String>,
    },
    #[allow(dead_code, reason = "any other value is not a label")]
    Other(serde_json::Value),
}

#[derive(Deserialize)]
struct Milestone {
    title: Option<String>,
}

#[derive(Deserialize)]
struct Comment {
    id: serde_json::Value,
    body: Option<String>,
    html_url: Option<String>,
    issue_url: Option<String>,
    user: Option<User>,
    author_association: Option<String>,
    #[serde(default, deserialize_with = "time")]
    created_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "time")]
    updated_at: Option<Timestamp>,
}

/// Deserializes a list that may be null.
fn list<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}

/// Deserializes a number or a numeric string.
fn whole_number<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    struct Visit;
    impl serde::de::Visitor<'_> for Visit {
        type Value = u64;
        fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            to.write_str("a number")
        }
        fn visit_u64<E>(self, value: u64) -> Result<u64, E> {
            Ok(value)
        }
        fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<u64, E> {
            Err(E::invalid_value(serde::de::Unexpected::Signed(value), &self))
        }
        fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<u64, E> {
            value
                .trim_start_matches('#')
                .parse()
                .map_err(|_| E::invalid_value(serde::de::Unexpected::Str(value), &self))
        }
    }
    deserializer.deserialize_any(Visit)
}

/// Deserializes a time in any form; an invalid one becomes `None` and does not affect the rest of
/// the record.
fn time<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    struct Visit;
    impl<'de> serde::de::Visitor<'de> for Visit {
        type Value = Option<Timestamp>;
        fn expecting(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            to.write_str("a timestamp")
        }
        fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
            let time = value.parse().ok().filter(dates::is_meant);
            Ok(time.or_else(|| dates::parse(value, dates::Order::default())))
        }
        fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
            Ok(dates::parse(&value.to_string(), dates::Order::default()))
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
            Ok(dates::parse(&value.to_string(), dates::Order::default()))
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_seq<A: serde::de::SeqAccess<'de>>(
            self,
            mut seq: A,
        ) -> Result<Self::Value, A::Error> {
            while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {}
            Ok(None)
        }
        fn visit_map<A: serde::de::MapAccess<'de>>(
            self,
            mut map: A,
        ) -> Result<Self::Value, A::Error> {
            while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
            Ok(None)
        }
    }
    deserializer.deserialize_any(Visit)
}

/// Parses one record: an issue, a pull request or a comment.
///
/// # Errors
/// The reason why it is skipped, for the user.
pub fn record(bytes: &[u8]) -> Result<Record, String> {
    let text = std::str::from_utf8(bytes)
        .map_err(|e| format!("invalid UTF-8 at byte {} of the record", e.valid_up_to()))?;
    // Serde would accept a list as a struct's fields in order.
    if !text.trim_start_matches('\u{feff}').trim_start().starts_with('{') {
        return Err("not JSON: a record must be an object in braces".to_owned());
    }
    let probe: Probe = serde_json::from_str(text).map_err(|e| describe(&e))?;
    match (probe.issue_url.or(probe.issue_url_camel), probe.number, probe.title) {
        (Some(issue), None, _) => comment(text, &issue, ""),
        // Review comments are numbered separately, so a prefix keeps their ids distinct.
        (None, None, None) if probe.pull_request_url.is_some() => {
            comment(text, probe.pull_request_url.as_deref().unwrap_or_default(), REVIEW)
        }
        (_, Some(_), Some(_)) => issue(text),
        (_, None, Some(_)) => Err("no \"number\": not an issue in GitHub REST format".to_owned()),
        (_, Some(_), None) => Err("no \"title\": not an issue in GitHub REST format".to_owned()),
        (None, None, None) => Err(
            "neither an issue (\"number\", \"title\") nor a comment (\"issue_url\") in GitHub REST format"
                .to_owned(),
        ),
    }
}

/// Parses a record; malformed fields are repaired or left out.
fn tolerant<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).or_else(|error| {
        let repaired_text = odd::repair(text).ok_or_else(|| describe(&error))?;
        serde_json::from_str(&repaired_text).map_err(|e| describe(&e))
    })
}

/// Returns the state of an item: open or closed, or a word that is not one of GitHub's.
fn state(
    word: Option<&str>,
    is_merged: bool,
    closed_at: bool,
    closed_flag: Option<&serde_json::Value>,
) -> Option<State> {
    if is_merged {
        return Some(State::Merged);
    }
    let closed_flag = closed_flag.and_then(serde_json::Value::as_bool);
    match word.unwrap_or_default().to_lowercase().as_str() {
        "merged" => Some(State::Merged),
        "closed" => Some(State::Closed),
        "open" => Some(State::Open),
        // A closing time means closed.
        _ if closed_at || closed_flag == Some(true) => Some(State::Closed),
        "" => Some(State::Open),
        _ => closed_flag.map(|_| State::Open),
    }
}

/// Returns the repository that a record names: `owner/name`, or an object with that or its two
/// parts.
fn named_repository(value: Option<&serde_json::Value>) -> Option<String> {
    let value = value?;
    let text = |name: &str| value.get(name).and_then(serde_json::Value::as_str);
    let whole = value.as_str().or_else(|| text("nameWithOwner")).or_else(|| text("full_name"));
    let whole = whole.map(str::to_owned).or_else(|| {
        let owner = value.get("owner")?;
        Some(format!("{}/{}", owner.get("login").unwrap_or(owner).as_str()?, text("name")?))
    });
    whole
        .filter(|name| name.split('/').count() == 2 && name.split('/').all(|part| !part.is_empty()))
}

fn issue(text: &str) -> Result<Record, String> {
    let issue: Issue = tolerant(text)?;
    identity::check("number", issue.number)?;
    let merged_at = issue.pull_request.as_ref().and_then(|p| p.merged_at).or(issue.merged_at);
    let state = state(
        issue.state.as_deref(),
        merged_at.is_some(),
        issue.closed_at.is_some(),
        issue.closed.as_ref(),
    );
    Ok(Record::Document(Box::new(DocumentRecord {
        repository: issue
            .url
            .as_deref()
            .and_then(repository)
            .or_else(|| issue.html_url.as_deref().and_then(repository))
            .or_else(|| named_repository(issue.repository.as_ref())),
        kind: if issue.pull_request.is_some() { DocKind::PullRequest } else { DocKind::Issue },
        number: Some(issue.number),
        slug: None,
        remote_id: issue.id.map(plain),
        title: clean(&issue.title).trim().to_owned(),
        body: clean(&issue.body.unwrap_or_default()),
        url: issue.html_url,
        state,
        state_reason: issue.state_reason,
        author: author(issue.user, issue.author_association),
        labels: issue
            .labels
            .into_iter()
            .filter_map(|l| match l {
                Label::Name(name) => Some(name),
                Label::Full { name } => name,
                Label::Other(_) => None,
            })
            .collect(),
        milestone: issue.milestone.and_then(|m| m.title),
        locked: issue.locked,
        comment_count: issue.comments.and_then(|c| c.as_u64()).unwrap_or(0),
        created_at: issue.created_at,
        updated_at: issue.updated_at,
        closed_at: issue.closed_at,
        merged_at,
        raw: Raw::new(text.as_bytes().to_vec()),
    })))
}

fn comment(text: &str, issue_url: &str, prefix: &str) -> Result<Record, String> {
    let comment: Comment = tolerant(text)?;
    let issue_url = comment.issue_url.as_deref().unwrap_or(issue_url);
    let number =
        issue_url.trim_end_matches('/').rsplit('/').next().and_then(item_number).ok_or_else(
            || format!("\"issue_url\" does not end in an item number: {}", brief(issue_url)),
        )?;
    let created_at = comment.created_at.or(comment.updated_at).ok_or("no valid \"created_at\"")?;
    Ok(Record::Comment(Box::new(CommentRecord {
        repository: repository(issue_url),
        number,
        remote_id: format!("{prefix}{}", plain(comment.id)),
        author: author(comment.user, comment.author_association),
        body: clean(&comment.body.unwrap_or_default()),
        url: comment.html_url,
        created_at,
        updated_at: comment.updated_at.unwrap_or(created_at),
        raw: Raw::new(text.as_bytes().to_vec()),
    })))
}

/// Returns `owner/name` from the web or API address of an item.
fn repository(url: &str) -> Option<String> {
    address(url)?.project
}

fn author(user: Option<User>, association: Option<String>) -> Author {
    let (login, kind) = user.map(|u| (u.login, u.kind)).unwrap_or_default();
    let bot =
        kind.as_deref() == Some("Bot") || login.as_deref().is_some_and(|l| l.ends_with("[bot]"));
    Author { login, bot, association }
}

/// Returns an id as text, whether it is a number or a string.
fn plain(value: serde_json::Value) -> String {
    match value {
        serde_json::Value::String(s) => s,
        value => value.to_string(),
    }
}

/// Replaces NUL characters, at which SQLite's text functions stop; the replacement keeps words
/// apart.
fn clean(text: &str) -> String {
    if text.contains('\0') { text.replace('\0', "\u{fffd}") } else { text.to_owned() }
}

/// Formats a JSON error without "at line 1 column 17", which is meaningless within one record.
pub(crate) fn describe(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text.split(" at line ").next().unwrap_or_default();
    match error.classify() {
        serde_json::error::Category::Eof => "the record is truncated".to_owned(),
        serde_json::error::Category::Syntax => format!("not JSON: {text}"),
        _ => text.to_owned(),
    }
}

fn brief(text: &str) -> String {
    text.chars().take(80).collect()
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
    fn unusable_record_has_a_reason() {
        for (json, why) in [
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
            assert!(error.contains(why), "{error}");
        }
    }
}
