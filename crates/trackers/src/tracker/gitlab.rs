//! The GitLab connector: issues and their notes. Formats: <https://docs.gitlab.com/api/issues/> and
//! `/notes/`.
//!
//! Merge requests have numbers of their own and are not mirrored. Notes cost one request per issue,
//! so they are a list of their own: the issues with notes, oldest change first.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{
    Address, Fate, Fetch, Page, Relation, Stream, Tracker,
    client::{Client, clean, part},
    dates::{Time, time},
    github::describe,
    identity,
    release::{self, ReleaseList, ReleasePlace, Releases},
    repetition::RepeatGuard,
    walk::Pagination,
    wiki_git::WikiPlace,
};
use crate::{
    http::{Http, Login, Response},
    secrets::Token,
};
use precedent_core::{
    error::Result,
    model::{Author, CommentRecord, DocumentRecord, INTERNAL, Project, Raw, State, item_number},
    task::Task,
};

/// The number of records on a page: GitLab's maximum.
const PAGE: u32 = 100;
/// The number of issues whose notes form one page.
const THREADS: u32 = 20;
/// The maximum number of note pages per issue, with 100 notes each.
const MAX_NOTE_PAGES: u32 = 200;

/// A GitLab project.
#[derive(Debug)]
pub struct GitLab {
    client: Client,
    project: String,
    id: Option<u64>,
}

#[derive(Deserialize)]
struct About {
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
    labels: Vec<serde_json::Value>,
    milestone: Option<Milestone>,
    discussion_locked: Option<bool>,
    user_notes_count: Option<u64>,
    created_at: Option<Time>,
    updated_at: Option<Time>,
    closed_at: Option<Time>,
    web_url: Option<String>,
    #[serde(rename = "_links")]
    links: Option<Links>,
}

#[derive(Deserialize)]
struct Links {
    closed_as_duplicate_of: Option<String>,
}

#[derive(Deserialize)]
struct User {
    username: Option<String>,
    #[serde(default)]
    bot: bool,
}

#[derive(Deserialize)]
struct Milestone {
    title: Option<String>,
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
    /// Opens the project of this path (`group/project`); without a token, its public content.
    pub fn new(http: Http, address: &Address, project: &str, token: Option<&Token>) -> Self {
        let client =
            Client::new(http, address, super::Kind::GitLab.streams(false), token, Login::bearer);
        Self { client, project: project.to_owned(), id: None }
    }

    fn path(&self, rest: &str) -> Result<Url> {
        self.client.url(&format!("projects/{}{rest}", part(&self.project)))
    }

    fn list(&self, walk: &Pagination) -> Result<Url> {
        let mut url = self.path("/issues")?;
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("scope", "all").append_pair("per_page", &walk.size.to_string());
            query.append_pair("page", &walk.page.to_string()).append_pair("sort", "asc");
            query.append_pair("order_by", if walk.open { "created_at" } else { "updated_at" });
            if walk.open {
                query.append_pair("state", "opened");
            }
            if let Some(since) = walk.since {
                query.append_pair("updated_after", &since.to_string());
            }
        }
        Ok(url)
    }

    /// Fetches the notes of one issue.
    async fn notes(
        &self,
        number: u64,
        url: Option<&str>,
        page: &mut Page,
        task: &Task,
    ) -> Result<Option<Fetch>> {
        let mut guard = RepeatGuard::default();
        for n in 1..=MAX_NOTE_PAGES {
            let rest = format!(
                "/issues/{number}/notes?sort=asc&order_by=created_at&per_page={PAGE}&page={n}"
            );
            let response = self.client.get(self.path(&rest)?, task).await?;
            match response.status {
                200 => {}
                // The issue was deleted or moved while the page was read.
                404 => return Ok(None),
                _ => return self.client.list_refusal(&response, "comments").map(Some),
            }
            let raws: Vec<&RawValue> = response.json()?;
            let more = has_more(
                &response,
                raws.len(),
                &Pagination { page: n, ..Pagination::new(None, PAGE) },
            );
            if let Err(endless) = guard.note(raws.iter().map(|raw| raw.get())) {
                page.records.push(Err(endless.error(&format!("notes of #{number}")).to_string()));
                break;
            }
            for raw in raws {
                page.add(note(raw.get(), number, url));
            }
            if !more {
                break;
            }
        }
        Ok(None)
    }

    fn issue(&self, text: &str) -> Result<(DocumentRecord, Vec<Relation>), String> {
        let issue: Issue = serde_json::from_str(text).map_err(|e| describe(&e))?;
        identity::check("iid", issue.iid)?;
        let closed_at = time(issue.closed_at);
        let is_closed = match issue.state.as_deref() {
            Some("closed") => true,
            Some("opened") => false,
            _ => closed_at.is_some(),
        };
        let duplicate = issue.links.and_then(|l| l.closed_as_duplicate_of).filter(|_| is_closed);
        let relations = duplicate
            .and_then(|url| self.issue_key(&url))
            .map(|key| Relation::DuplicateOf(issue.iid, key));
        let record = DocumentRecord {
            number: Some(issue.iid),
            remote_id: issue.id.map(|id| id.to_string()),
            title: issue.title.replace('\0', "\u{fffd}").trim().to_owned(),
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
            milestone: issue.milestone.and_then(|m| m.title),
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
        let is_own =
            self.id.is_some_and(|id| id.to_string() == project) || project == part(&self.project);
        // The name of another project is unknown.
        is_own.then(|| format!("{}#{number}", self.project))
    }
}

fn note(text: &str, number: u64, url: Option<&str>) -> Result<Option<CommentRecord>, String> {
    let note: Note = serde_json::from_str(text).map_err(|e| describe(&e))?;
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

/// Returns whether there is another page: by the header, by the link, or else if this one is full.
fn has_more(response: &Response, count: usize, walk: &Pagination) -> bool {
    match response.header("x-next-page") {
        Some(next) => !next.trim().is_empty(),
        None => response.next.is_some() || (count > 0 && count >= walk.size as usize),
    }
}

#[async_trait]
impl Tracker for GitLab {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        let about: About = self.client.json(self.path(""), &self.project, task).await?;
        if let Some(name) = about.path_with_namespace.filter(|n| n.contains('/')) {
            self.project = name;
        }
        self.id = about.id;
        Ok(Project {
            name: self.project.clone(),
            remote_id: about.id.map(|id| id.to_string()),
            private: about.visibility.is_some_and(|v| v != "public"),
            wiki: about.wiki_enabled.unwrap_or(false),
            issues: about.issues_enabled.unwrap_or(true),
            archived: about.archived,
        })
    }

    async fn user(&self, task: &Task) -> Result<Option<String>> {
        Ok(self.client.json::<User>(self.client.url("user"), "the account", task).await?.username)
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE } else { THREADS }
    }

    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let response = self.client.get(self.list(walk)?, task).await?;
        if let Some(outcome) = self.client.not_a_page(&response, walk, stream)? {
            return Ok(outcome);
        }
        let raws: Vec<&RawValue> = response.json()?;
        let more = has_more(&response, raws.len(), walk);
        let mut page = Page::default();
        let mut times = Vec::new();
        for raw in raws {
            match (self.issue(raw.get()), stream) {
                (Ok((record, relations)), Stream::Items) => {
                    times.extend(record.updated_at);
                    page.relations.extend(record.number.map(|n| (n, relations)));
                    page.add(Ok(Some(record)));
                }
                (Ok((record, _)), _) => {
                    times.extend(record.updated_at);
                    page.other_names.extend(record.number.map(|n| n.to_string()));
                    let Some(number) = record.number.filter(|_| record.comment_count > 0) else {
                        continue;
                    };
                    if let Some(refusal) =
                        self.notes(number, record.url.as_deref(), &mut page, task).await?
                    {
                        return Ok(refusal);
                    }
                }
                (Err(why), Stream::Items) => page.records.push(Err(why)),
                (Err(_), _) => {}
            }
        }
        Ok(page.followed_by(walk.by_change(&times, more)))
    }

    async fn item_bound(&self, task: &Task) -> Result<Option<u64>> {
        let response = self.client.get(self.list(&Pagination::new(None, 1))?, task).await?;
        Ok(response.header("x-total").and_then(|t| t.trim().parse().ok()))
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        let url = self.path(&format!("/issues/{number}"));
        let response = self.client.find(url, &[404, 410], "an issue", task).await?;
        let Some(response) = response else { return Ok(Fate::Gone) };
        let home = response.json::<Issue>().ok().and_then(|issue| issue.project_id);
        if home.is_some() && self.id.is_some() && home != self.id {
            return Ok(Fate::Moved(None));
        }
        Ok(Fate::of(self.issue(&response.text()).map(|(record, _)| Some(record))))
    }

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        let url = self.path(&format!("/issues/{number}/notes/{}", part(remote_id)));
        let response = self.client.find(url, &[404, 410], "comments", task).await?;
        let Some(response) = response else { return Ok(Fate::Gone) };
        // A note of the tracker itself is not stored.
        Ok(Fate::of(note(&response.text(), number, None)))
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        ReleaseList::OF_REPOSITORY
    }

    async fn releases(&self, place: ReleasePlace<'_>, task: &Task) -> Result<Releases> {
        let list = match place.list {
            ReleaseList::Planned => "milestones?state=active&",
            ReleaseList::Tags => "repository/tags?",
            ReleaseList::Published | ReleaseList::Versions => "releases?",
        };
        let url = self.path(&format!("/{list}per_page={}&page={}", place.size, place.page))?;
        release::fetch(&self.client, url, place, task, |response| {
            release::page(place, response, &self.project)
        })
        .await
    }

    fn wiki(&self) -> Option<WikiPlace> {
        let root = self.client.web().trim_end_matches("/api/v4");
        let repository = Url::parse(&format!("{root}/{}.wiki.git", self.project)).ok()?;
        Some(WikiPlace {
            repository,
            pages: format!("{root}/{}/-/wikis/", self.project),
            token: self.client.token.clone(),
        })
    }
}
