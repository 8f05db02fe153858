//! The GitLab connector: issues and their notes. Formats: <https://docs.gitlab.com/api/issues/> and
//! `/notes/`.
//!
//! Merge requests have separate numbers and are not mirrored. Notes take one request per issue, so
//! they are listed separately, by the issues that have them, oldest change first.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use url::Url;

use super::{
    Connection, FetchError, Lookup, Page, Relation, Stream, Tracker,
    client::{Client, clean, clean_title, escape, with_parameters},
    dates::{Time, time},
    github::json_error,
    identity,
    pagination::Pagination,
    release::{self, ReleaseList, ReleasePage, ReleaseRequest},
    repetition::RepeatGuard,
    wiki_git::WikiLocation,
};
use crate::http::{Login, Response};
use precedent_core::{
    error::Result,
    model::{Author, CommentRecord, DocumentRecord, INTERNAL, Project, Raw, State, item_number},
};

/// The number of records per page, GitLab's maximum.
const PAGE_SIZE: u32 = 100;
const THREADS_PER_PAGE: u32 = 20;
/// The maximum number of note pages per issue, with 100 notes each.
const MAX_NOTE_PAGES: u32 = 200;

/// A GitLab project.
pub struct GitLab {
    client: Client,
    project: String,
    id: Option<u64>,
}

#[derive(Deserialize)]
struct ProjectInfo {
    id: Option<u64>,
    path_with_namespace: Option<String>,
    visibility: Option<String>,
    #[serde(default)]
    archived: bool,
    wiki_enabled: Option<bool>,
    issues_enabled: Option<bool>,
}

#[derive(Deserialize)]
struct Issue {
    id: Option<u64>,
    iid: u64,
    project_id: Option<u64>,
    #[serde(default)]
    title: String,
    description: Option<String>,
    state: Option<String>,
    author: Option<User>,
    #[serde(default)]
    labels: Vec<Value>,
    #[serde(default)]
    milestone: Value,
    discussion_locked: Option<bool>,
    user_notes_count: Option<u64>,
    created_at: Option<Time>,
    updated_at: Option<Time>,
    closed_at: Option<Time>,
    web_url: Option<String>,
    #[serde(rename = "_links", default)]
    links: Value,
}

#[derive(Deserialize)]
struct User {
    username: Option<String>,
    #[serde(default)]
    bot: bool,
}

#[derive(Deserialize)]
struct Note {
    id: u64,
    body: Option<String>,
    author: Option<User>,
    created_at: Timestamp,
    updated_at: Option<Time>,
    #[serde(default)]
    system: bool,
    #[serde(default)]
    internal: bool,
    /// Name of the field before GitLab 15.3.
    confidential: Option<bool>,
}

fn author(user: Option<User>, internal: bool) -> Author {
    let bot = user.as_ref().is_some_and(|u| u.bot);
    let login = user.and_then(|u| u.username);
    Author { login, bot, association: internal.then(|| INTERNAL.to_owned()) }
}

impl GitLab {
    /// Opens the project with this path (`group/project`).
    pub fn new(connection: &Connection<'_>) -> Self {
        let client = Client::new(connection, Login::bearer);
        Self { client, project: connection.project.to_owned(), id: None }
    }

    fn project_url(&self, path: &str) -> Result<Url> {
        self.client.url(&format!("projects/{}{path}", escape(&self.project)))
    }

    fn list_url(&self, pagination: &Pagination) -> Result<Url> {
        let order = if pagination.open { "created_at" } else { "updated_at" };
        let path = format!(
            "/issues?scope=all&per_page={}&page={}&sort=asc&order_by={order}",
            pagination.size, pagination.page
        );
        let parameters = [
            ("state", pagination.open.then(|| "opened".to_owned())),
            ("updated_after", pagination.since.map(|since| since.to_string())),
        ];
        Ok(with_parameters(self.project_url(&path)?, parameters))
    }

    async fn fetch_notes(
        &self,
        number: u64,
        url: Option<&str>,
        page: &mut Page,
    ) -> Result<(), FetchError> {
        let mut guard = RepeatGuard::default();
        for note_page in 1..=MAX_NOTE_PAGES {
            let path = format!(
                "/issues/{number}/notes?sort=asc&order_by=created_at&per_page={PAGE_SIZE}&page={note_page}"
            );
            let response = self.client.get(self.project_url(&path)?).await?;
            match response.status {
                200 => {}
                // The issue may have been deleted or moved since it was listed.
                404 => return Ok(()),
                _ => return Err(self.client.list_failure(&response, "comments")),
            }
            let raws: Vec<&RawValue> = response.json()?;
            let has_next = has_more(
                &response,
                raws.len(),
                &Pagination { page: note_page, ..Pagination::new(None, PAGE_SIZE) },
            );
            if let Err(reason) = guard.add_raws(&raws, &format!("notes of #{number}")) {
                page.records.push(Err(reason));
                break;
            }
            for raw in raws {
                page.add(parse_note(raw.get(), number, url));
            }
            if !has_next {
                break;
            }
        }
        Ok(())
    }

    fn parse_issue(&self, text: &str) -> Result<(DocumentRecord, Vec<Relation>), String> {
        let issue: Issue = serde_json::from_str(text).map_err(|e| json_error(&e))?;
        identity::check_number("iid", issue.iid)?;
        let closed_at = time(issue.closed_at);
        let is_closed = match issue.state.as_deref() {
            Some("closed") => true,
            Some("opened") => false,
            _ => closed_at.is_some(),
        };
        let duplicate_url = issue.links["closed_as_duplicate_of"].as_str().filter(|_| is_closed);
        let relations =
            duplicate_url.and_then(|url| self.issue_key(url)).map(Relation::DuplicateOf);
        let record = DocumentRecord {
            number: Some(issue.iid),
            remote_id: issue.id.map(|id| id.to_string()),
            title: clean_title(&issue.title),
            body: clean(issue.description),
            url: issue.web_url,
            state: Some(if is_closed { State::Closed } else { State::Open }),
            state_reason: relations.is_some().then(|| "duplicate".to_owned()),
            author: author(issue.author, false),
            labels: issue
                .labels
                .into_iter()
                .filter_map(|l| l.as_str().or_else(|| l.get("name")?.as_str()).map(str::to_owned))
                .collect(),
            milestone: issue.milestone["title"].as_str().map(str::to_owned),
            locked: issue.discussion_locked == Some(true),
            comment_count: issue.user_notes_count.unwrap_or(0),
            created_at: time(issue.created_at),
            updated_at: time(issue.updated_at),
            closed_at: closed_at.filter(|_| is_closed),
            raw: Raw::new(text.as_bytes().to_vec()),
            ..DocumentRecord::default()
        };
        Ok((record, relations.into_iter().collect()))
    }

    /// Returns the key of the issue at an API address: `…/projects/12/issues/7`.
    fn issue_key(&self, url: &str) -> Option<String> {
        let (project, number) = url.split_once("/projects/")?.1.split_once("/issues/")?;
        let number = item_number(number)?;
        let is_same_project =
            self.id.is_some_and(|id| id.to_string() == project) || project == escape(&self.project);
        // The names of other projects are unknown.
        is_same_project.then(|| format!("{}#{number}", self.project))
    }
}

fn parse_note(text: &str, number: u64, url: Option<&str>) -> Result<Option<CommentRecord>, String> {
    let note: Note = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    if note.system {
        return Ok(None);
    }
    Ok(Some(CommentRecord {
        repository: None,
        number,
        remote_id: note.id.to_string(),
        author: author(note.author, note.internal || note.confidential == Some(true)),
        body: clean(note.body),
        url: url.map(|u| format!("{u}#note_{}", note.id)),
        created_at: note.created_at,
        updated_at: time(note.updated_at).unwrap_or(note.created_at),
        raw: Raw::new(text.as_bytes().to_vec()),
    }))
}

/// Returns whether there is another page, from the headers or from the size of this one.
fn has_more(response: &Response, count: usize, pagination: &Pagination) -> bool {
    match response.header("x-next-page") {
        Some(next) => !next.trim().is_empty(),
        None => response.next.is_some() || (count > 0 && count >= pagination.size as usize),
    }
}

#[async_trait]
impl Tracker for GitLab {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        let info: ProjectInfo = self.client.get_json(self.project_url(""), &self.project).await?;
        if let Some(name) = info.path_with_namespace.filter(|n| n.contains('/')) {
            self.project = name;
        }
        self.id = info.id;
        Ok(Project {
            name: self.project.clone(),
            remote_id: info.id.map(|id| id.to_string()),
            private: info.visibility.is_some_and(|v| v != "public"),
            wiki: info.wiki_enabled.unwrap_or(false),
            issues: info.issues_enabled.unwrap_or(true),
            archived: info.archived,
        })
    }

    async fn user(&self) -> Result<Option<String>> {
        Ok(self.client.get_json::<User>(self.client.url("user"), "the account").await?.username)
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE_SIZE } else { THREADS_PER_PAGE }
    }

    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        let response = self.client.get(self.list_url(pagination)?).await?;
        self.client.check_page(&response, pagination, stream)?;
        let raws: Vec<&RawValue> = response.json()?;
        let has_next = has_more(&response, raws.len(), pagination);
        let mut page = Page::default();
        let mut times = Vec::new();
        for raw in raws {
            let issue = self.parse_issue(raw.get());
            times.extend(issue.as_ref().ok().and_then(|(record, _)| record.updated_at));
            if stream == Stream::Items {
                page.add_item(issue);
                continue;
            }
            let Ok((record, _)) = issue else { continue };
            page.other_names.extend(record.number.map(|n| n.to_string()));
            if let Some(number) = record.number.filter(|_| record.comment_count > 0) {
                self.fetch_notes(number, record.url.as_deref(), &mut page).await?;
            }
        }
        Ok(page.with_next(pagination.by_change(&times, has_next)))
    }

    async fn item_bound(&self) -> Result<Option<u64>> {
        let response = self.client.get(self.list_url(&Pagination::new(None, 1))?).await?;
        Ok(response.header("x-total").and_then(|t| t.trim().parse().ok()))
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        let url = self.project_url(&format!("/issues/{number}"));
        let response = self.client.try_get(url, &[404, 410], "an issue").await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        let project_id = response.json::<Issue>().ok().and_then(|issue| issue.project_id);
        if project_id.is_some() && self.id.is_some() && project_id != self.id {
            return Ok(Lookup::Moved(None));
        }
        Ok(Lookup::from_parsed(self.parse_issue(&response.text()).map(|(record, _)| Some(record))))
    }

    async fn comment(&self, number: u64, remote_id: &str) -> Result<Lookup> {
        let url = self.project_url(&format!("/issues/{number}/notes/{}", escape(remote_id)));
        let response = self.client.try_get(url, &[404, 410], "comments").await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        // System notes are not stored.
        Ok(Lookup::from_parsed(parse_note(&response.text(), number, None)))
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        ReleaseList::OF_REPOSITORY
    }

    async fn releases(&self, request: ReleaseRequest<'_>) -> Result<ReleasePage, FetchError> {
        let list = match request.list {
            ReleaseList::Planned => "milestones?state=active&",
            ReleaseList::Tags => "repository/tags?",
            ReleaseList::Published | ReleaseList::Versions => "releases?",
        };
        let url =
            self.project_url(&format!("/{list}per_page={}&page={}", request.size, request.page))?;
        release::fetch(&self.client, url, request, |response| {
            release::page(request, response, &self.project)
        })
        .await
    }

    fn wiki(&self) -> Option<WikiLocation> {
        let root = self.client.web().trim_end_matches("/api/v4");
        let web = format!("{root}/{}", self.project);
        WikiLocation::new(&self.client, &format!("{web}.wiki.git"), format!("{web}/-/wikis/"))
    }
}
