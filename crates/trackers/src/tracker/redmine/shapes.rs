//! The JSON types of Redmine, parsed tolerantly. Formats:
//! <https://www.redmine.org/projects/redmine/wiki/Rest_api>

use std::collections::HashSet;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tracker::{
    Relation,
    client::{clean, clean_title, escape},
    dates::{Time, time},
    github::json_error,
    identity,
};
use precedent_core::model::{Author, CommentRecord, DocKind, DocumentRecord, INTERNAL, Raw, State};
use precedent_markup::Markup;

#[derive(Deserialize)]
pub(super) struct Issues<'a> {
    #[serde(borrow, default)]
    pub(super) issues: Vec<&'a RawValue>,
    pub(super) total_count: Option<u64>,
}

#[derive(Deserialize)]
pub(super) struct IssueReply<'a> {
    #[serde(borrow)]
    pub(super) issue: &'a RawValue,
}

#[derive(Deserialize)]
pub(super) struct NamedRef {
    pub(super) id: Option<u64>,
    pub(super) name: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Issue {
    pub(super) id: u64,
    pub(super) project: Option<NamedRef>,
    tracker: Option<NamedRef>,
    status: Option<NamedRef>,
    category: Option<NamedRef>,
    fixed_version: Option<NamedRef>,
    author: Option<NamedRef>,
    #[serde(default)]
    subject: String,
    description: Option<String>,
    created_on: Option<Time>,
    updated_on: Option<Time>,
    closed_on: Option<Time>,
    #[serde(default)]
    relations: Vec<IssueRelation>,
}

#[derive(Deserialize)]
struct IssueRelation {
    issue_id: Option<u64>,
    issue_to_id: Option<u64>,
    relation_type: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Journals<'a> {
    #[serde(borrow, default)]
    pub(super) journals: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Journal {
    id: u64,
    user: Option<NamedRef>,
    notes: Option<String>,
    created_on: Timestamp,
    updated_on: Option<Time>,
    #[serde(default)]
    private_notes: bool,
}

#[derive(Deserialize)]
pub(super) struct WikiIndex<'a> {
    #[serde(borrow, default)]
    pub(super) wiki_pages: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct WikiEntry {
    pub(super) title: String,
    updated_on: Option<Time>,
}

impl WikiEntry {
    pub(super) fn updated_at(&self) -> Option<Timestamp> {
        time(self.updated_on)
    }
}

#[derive(Deserialize)]
struct WikiPage {
    title: String,
    text: Option<String>,
    author: Option<NamedRef>,
    created_on: Option<Time>,
    updated_on: Option<Time>,
}

#[derive(Deserialize)]
struct WikiPageReply<'a> {
    #[serde(borrow)]
    wiki_page: &'a RawValue,
}

/// Converts the server's markup to Markdown: Textile, unless it looks like Markdown.
pub(in crate::tracker) fn to_markdown(text: Option<String>) -> String {
    let text = clean(text);
    let is_markdown = text.contains("\n```")
        || text.starts_with("```")
        || text.contains("](")
        || text.lines().any(|l| l.starts_with("## ") || l.starts_with("### "));
    let markup = if is_markdown { Markup::Markdown } else { Markup::Textile };
    markup.to_markdown(&text)
}

fn author(user: Option<NamedRef>, private: bool) -> Author {
    Author {
        login: user.and_then(|u| u.name),
        bot: false,
        association: private.then(|| INTERNAL.to_owned()),
    }
}

pub(super) fn parse_issue(
    text: &str,
    base: &str,
    project: &str,
    closed_status_ids: &HashSet<u64>,
) -> Result<(DocumentRecord, Vec<Relation>), String> {
    let issue: Issue = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    identity::check_number("id", issue.id)?;
    let status = issue.status.as_ref();
    let is_closed = status.and_then(|s| s.id).is_some_and(|id| closed_status_ids.contains(&id));
    let id = issue.id;
    let relations = issue.relations.iter().filter_map(|r| relation(r, id, project)).collect();
    let record = DocumentRecord {
        number: Some(id),
        remote_id: Some(id.to_string()),
        title: clean_title(&issue.subject),
        body: to_markdown(issue.description),
        url: Some(format!("{base}/issues/{id}")),
        state: Some(if is_closed { State::Closed } else { State::Open }),
        state_reason: issue.status.and_then(|s| s.name),
        author: author(issue.author, false),
        labels: [issue.tracker, issue.category]
            .into_iter()
            .flatten()
            .filter_map(|n| n.name)
            .collect(),
        milestone: issue.fixed_version.and_then(|v| v.name),
        created_at: time(issue.created_on),
        updated_at: time(issue.updated_on).or(time(issue.created_on)),
        // A reopened issue keeps the time of its last closure.
        closed_at: time(issue.closed_on).filter(|_| is_closed),
        raw: Raw::new(text.as_bytes().to_vec()),
        ..DocumentRecord::default()
    };
    Ok((record, relations))
}

fn relation(link: &IssueRelation, id: u64, project: &str) -> Option<Relation> {
    let (source, target) = (link.issue_id?, link.issue_to_id?);
    let key = format!("{project}#{}", if source == id { target } else { source });
    match link.relation_type.as_deref()? {
        "duplicates" => (source == id).then_some(Relation::DuplicateOf(key)),
        "duplicated" => (target == id).then_some(Relation::DuplicateOf(key)),
        _ => Some(Relation::RelatesTo(key)),
    }
}

/// Parses a note of an issue; `None` for a journal entry without text.
pub(super) fn parse_note(
    text: &str,
    number: u64,
    base: &str,
) -> Result<Option<CommentRecord>, String> {
    let journal: Journal = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    let body = to_markdown(journal.notes);
    if body.trim().is_empty() {
        return Ok(None);
    }
    Ok(Some(CommentRecord {
        repository: None,
        number,
        remote_id: journal.id.to_string(),
        author: author(journal.user, journal.private_notes),
        body,
        url: Some(format!("{base}/issues/{number}#change-{}", journal.id)),
        created_at: journal.created_on,
        updated_at: time(journal.updated_on).unwrap_or(journal.created_on),
        raw: Raw::new(text.as_bytes().to_vec()),
    }))
}

pub(super) fn page(text: &str, base: &str, project: &str) -> Result<DocumentRecord, String> {
    let describe_error = |e: serde_json::Error| json_error(&e);
    let raw =
        serde_json::from_str::<WikiPageReply<'_>>(text).map_err(describe_error)?.wiki_page.get();
    let page: WikiPage = serde_json::from_str(raw).map_err(describe_error)?;
    Ok(DocumentRecord {
        kind: DocKind::Page,
        title: page.title.replace('_', " "),
        body: to_markdown(page.text),
        url: Some(format!("{base}/projects/{}/wiki/{}", escape(project), escape(&page.title))),
        slug: Some(page.title),
        author: author(page.author, false),
        created_at: time(page.created_on),
        updated_at: time(page.updated_on).or(time(page.created_on)),
        raw: Raw::new(raw.as_bytes().to_vec()),
        ..DocumentRecord::default()
    })
}
