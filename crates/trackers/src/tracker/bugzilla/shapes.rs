//! The JSON types of Bugzilla, parsed tolerantly. Formats:
//! <https://bugzilla.readthedocs.io/en/latest/api/core/v1/bug.html> and
//! <https://bugzilla.readthedocs.io/en/latest/api/core/v1/comment.html>

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::tracker::{
    Relation,
    client::{clean, clean_title},
    dates::{Time, time},
    github::json_error,
    identity::{self, parse_url},
};
use precedent_core::model::{Author, CommentRecord, DocumentRecord, INTERNAL, Raw, State};
use precedent_text::closure::normalize_resolution;

#[derive(Deserialize)]
pub(super) struct ProductInfo {
    pub(super) id: Option<u64>,
    #[serde(default)]
    pub(super) name: String,
    pub(super) is_active: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct Bugs<'a> {
    #[serde(borrow, default)]
    pub(super) bugs: Vec<&'a RawValue>,
}

/// A bug. Fields that were not requested are missing.
#[derive(Deserialize)]
pub(super) struct Bug {
    pub(super) id: u64,
    #[serde(default)]
    summary: String,
    status: Option<String>,
    resolution: Option<String>,
    is_open: Option<bool>,
    dupe_of: Option<u64>,
    pub(super) product: Option<String>,
    component: Option<Value>,
    #[serde(default)]
    keywords: Vec<String>,
    creator: Option<String>,
    creation_time: Option<Time>,
    pub(super) last_change_time: Option<Time>,
    /// Closing time, on servers that store it.
    cf_last_resolved: Option<Value>,
    target_milestone: Option<Value>,
    #[serde(default)]
    see_also: Vec<String>,
    #[serde(default)]
    depends_on: Vec<u64>,
    #[serde(default)]
    blocks: Vec<u64>,
}

#[derive(Deserialize)]
pub(super) struct BugThreads {
    #[serde(default)]
    bugs: BTreeMap<String, Thread>,
}

#[derive(Deserialize)]
struct Thread {
    #[serde(default)]
    comments: Vec<Value>,
}

impl BugThreads {
    pub(super) fn by_bug(self) -> BTreeMap<u64, Vec<Comment>> {
        let threads = self.bugs.into_iter().filter_map(|(number, thread)| {
            let comments = thread.comments.into_iter().filter_map(Comment::parse).collect();
            Some((number.parse().ok()?, comments))
        });
        threads.collect()
    }
}

/// A comment on a bug; the first one is its description unless it is private.
#[derive(Deserialize)]
pub(super) struct Comment {
    pub(super) id: Option<u64>,
    count: Option<u64>,
    text: Option<String>,
    creator: Option<String>,
    creation_time: Option<Time>,
    time: Option<Time>,
    #[serde(default)]
    is_private: bool,
    #[serde(skip)]
    raw: Vec<u8>,
}

impl Comment {
    fn parse(value: Value) -> Option<Self> {
        let raw = value.to_string().into_bytes();
        serde_json::from_value(value).ok().map(|comment| Self { raw, ..comment })
    }

    pub(super) fn is_description(&self) -> bool {
        self.count == Some(0) && !self.is_private
    }

    pub(super) fn record(&self, number: u64, web: &str) -> Result<CommentRecord, String> {
        let id = self.id.ok_or("a comment without an id")?;
        let created_at =
            time(self.creation_time).or(time(self.time)).unwrap_or(Timestamp::UNIX_EPOCH);
        let count = self.count.map(|n| format!("#c{n}")).unwrap_or_default();
        Ok(CommentRecord {
            repository: None,
            number,
            remote_id: id.to_string(),
            author: author(self.creator.clone(), self.is_private),
            body: clean(self.text.clone()),
            url: Some(format!("{web}/show_bug.cgi?id={number}{count}")),
            created_at,
            // Bugzilla does not report when a comment was edited.
            updated_at: created_at,
            raw: Raw::new(self.raw.clone()),
        })
    }
}

fn author(login: Option<String>, private: bool) -> Author {
    let association = private.then(|| INTERNAL.to_owned());
    Author { login: login.filter(|l| !l.is_empty()), bot: false, association }
}

pub(super) fn parse_bug(text: &str) -> Result<Bug, String> {
    let bug: Bug = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    identity::check_number("id", bug.id)?;
    Ok(bug)
}

/// Returns a name, or the first of a list, because Red Hat's server lists components.
fn first_name(value: Option<Value>) -> Option<String> {
    match value? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.into_iter().find_map(|n| n.as_str().map(str::to_owned)),
        _ => None,
    }
}

impl Bug {
    /// Returns the relations of the bug. Bug numbers are unique on the server.
    pub(super) fn relations(&self, product: &str) -> Vec<Relation> {
        let key = |number: u64| format!("{product}#{number}");
        let mut out: Vec<Relation> =
            self.dupe_of.map(|number| Relation::DuplicateOf(key(number))).into_iter().collect();
        let numbers = self.depends_on.iter().chain(&self.blocks);
        out.extend(numbers.map(|number| Relation::RelatesTo(key(*number))));
        let external = self.see_also.iter().filter_map(|url| {
            let target = parse_url(url)?;
            Some(Relation::RelatesTo(format!("{}#{}", target.project?, target.number)))
        });
        out.extend(external);
        out
    }

    /// Converts the bug and its description, the first comment, to a record; the raw form has both.
    pub(super) fn record(
        self,
        text: &str,
        thread: &[Comment],
        web: &str,
    ) -> Result<DocumentRecord, String> {
        let description = thread.iter().find(|c| c.is_description());
        let resolution = self.resolution.filter(|r| !r.is_empty() && r != "---");
        let is_closed = self.is_open.map_or(resolution.is_some(), |is_open| !is_open);
        let body = clean(description.and_then(|d| d.text.clone()));
        let mut raw: Value = serde_json::from_str(text).map_err(|e| json_error(&e))?;
        if let (Some(raw), false) = (raw.as_object_mut(), body.is_empty()) {
            raw.insert("description".to_owned(), body.clone().into());
        }
        let labels =
            self.product.into_iter().chain(first_name(self.component)).chain(self.keywords);
        let resolved_at =
            first_name(self.cf_last_resolved).and_then(|t| t.parse::<Timestamp>().ok());
        Ok(DocumentRecord {
            number: Some(self.id),
            remote_id: Some(self.id.to_string()),
            title: clean_title(&self.summary),
            body,
            url: Some(format!("{web}/show_bug.cgi?id={}", self.id)),
            state: Some(if is_closed { State::Closed } else { State::Open }),
            state_reason: resolution
                .as_deref()
                .filter(|_| is_closed)
                .map(normalize_resolution)
                .or(self.status),
            author: author(self.creator, false),
            labels: labels.collect(),
            milestone: first_name(self.target_milestone).filter(|m| !m.is_empty() && m != "---"),
            comment_count: thread.iter().filter(|c| !c.is_description()).count() as u64,
            created_at: time(self.creation_time),
            updated_at: time(self.last_change_time).or(time(self.creation_time)),
            closed_at: resolved_at.filter(|_| is_closed),
            raw: Raw::new(raw.to_string().into_bytes()),
            ..DocumentRecord::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bug_record_has_state_and_relations() {
        let text = r#"{"id": 7, "summary": " Pump stalls ", "status": "RESOLVED", "resolution": "DUPLICATE", "is_open": false,
            "dupe_of": 3, "product": "Kiln", "component": ["Pumps"], "keywords": ["regression"], "creator": "ada",
            "creation_time": "2024-01-02T03:04:05Z", "last_change_time": "2024-02-03T04:05:06Z", "target_milestone": "---",
            "cf_last_resolved": "2024-02-03T04:05:06Z", "see_also": ["https://github.com/acme/app/issues/5", "no address"],
            "depends_on": [2], "blocks": [9]}"#;
        let report = parse_bug(text).unwrap();
        assert_eq!(
            report.relations("Kiln"),
            [
                Relation::DuplicateOf("Kiln#3".into()),
                Relation::RelatesTo("Kiln#2".into()),
                Relation::RelatesTo("Kiln#9".into()),
                Relation::RelatesTo("acme/app#5".into()),
            ]
        );
        let thread: BugThreads = serde_json::from_str(
            r#"{"bugs": {"7": {"comments": [{"id": 70, "count": 0, "text": "It stalls."}, {"id": 71, "count": 1, "text": "Same here."}]}}}"#,
        )
        .unwrap();
        let record = report.record(text, &thread.by_bug()[&7], "https://bugs.example").unwrap();
        assert_eq!((record.title.as_str(), record.body.as_str()), ("Pump stalls", "It stalls."));
        assert_eq!(
            (record.state, record.state_reason.as_deref()),
            (Some(State::Closed), Some("duplicate"))
        );
        assert_eq!(record.labels, ["Kiln", "Pumps", "regression"]);
        assert_eq!((record.milestone, record.comment_count), (None, 1));
        assert_eq!(record.url.as_deref(), Some("https://bugs.example/show_bug.cgi?id=7"));
        assert_eq!(record.closed_at, Some("2024-02-03T04:05:06Z".parse().unwrap()));
    }

    #[test]
    fn edited_description_changes_the_hash() {
        let text = r#"{"id": 7, "summary": "Pump stalls", "status": "NEW", "resolution": "", "is_open": true}"#;
        let record_with = |body: &str| {
            let thread =
                Comment::parse(serde_json::json!({"id": 1, "count": 0, "text": body})).unwrap();
            parse_bug(text).unwrap().record(text, &[thread], "https://bugs.example").unwrap()
        };
        assert_ne!(record_with("It stalls.").raw.hash, record_with("It stalls twice.").raw.hash);
        assert_eq!(record_with("It stalls.").raw.hash, record_with("It stalls.").raw.hash);
        assert_eq!(record_with("x").state_reason.as_deref(), Some("NEW"));
    }

    #[test]
    fn private_description_is_an_internal_comment() {
        let text = r#"{"id": 7, "summary": "Pump stalls"}"#;
        for (is_private, body, count) in [(false, "It stalls.", 0), (true, "", 1)] {
            let fields = serde_json::json!({"id": 70, "count": 0, "text": "It stalls.", "is_private": is_private});
            let thread = [Comment::parse(fields).unwrap()];
            let record = parse_bug(text).unwrap().record(text, &thread, "").unwrap();
            assert_eq!((record.body.as_str(), record.comment_count), (body, count));
            assert!(!is_private || !String::from_utf8_lossy(&record.raw.bytes).contains("stalls."));
            let comment = thread[0].record(7, "").unwrap();
            assert_eq!(
                (comment.remote_id.as_str(), comment.author.is_internal()),
                ("70", is_private)
            );
        }
        let without_id = Comment::parse(serde_json::json!({"count": 1, "text": "x"})).unwrap();
        assert!(without_id.record(7, "").unwrap_err().contains("without an id"));
    }

    #[test]
    fn invalid_bug_is_an_error() {
        assert!(parse_bug(r#"{"id": 0}"#).err().unwrap().contains("item numbers"));
        assert!(parse_bug(r#"{"summary": "x"}"#).is_err());
    }
}
