//! The Redmine connector: issues, notes, relations and wiki.
//!
//! Lists return issues without notes, which cost one request per issue. So the notes are a separate
//! list: the same issues, oldest change first, each with its journal.

mod shapes;

use std::collections::HashSet;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{
    Connection, FetchError, Lookup, Page, Relation, Stream, Tracker,
    client::{Client, escape, parse_each, with_parameters},
    pagination::Pagination,
    release::{self, ReleaseList, ReleasePage, ReleaseRequest},
};
use crate::{http::Login, secrets::Token};
use precedent_core::{
    error::{Code, Error, Result},
    model::{DocumentRecord, Project, Record},
};
pub(super) use shapes::to_markdown;
use shapes::{Issue, IssueReply, Issues, Journals, WikiEntry, WikiIndex};

/// The number of issues per page: Redmine's maximum.
const PAGE_SIZE: u32 = 100;
/// The number of issues with notes, or of wiki pages with text, per page; each costs a request.
const THREADS_PER_PAGE: u32 = 20;
const GONE_STATUSES: &[u16] = &[403, 404, 410];

/// A Redmine project.
pub struct Redmine {
    client: Client,
    project: String,
    closed_status_ids: HashSet<u64>,
    id: Option<u64>,
}

#[derive(Default, Deserialize)]
struct ProjectInfo {
    id: Option<u64>,
    identifier: Option<String>,
    is_public: Option<bool>,
    /// Project status: 1 is active, 5 closed, 9 archived.
    status: Option<u64>,
}

#[derive(Deserialize)]
struct Status {
    id: u64,
    #[serde(default)]
    is_closed: bool,
}

impl Redmine {
    /// Opens the project with this identifier.
    pub fn new(connection: &Connection<'_>) -> Self {
        let login = |base: &Url, key: &Token| Login::header(base, "x-redmine-api-key", key);
        Self {
            client: Client::new(connection, login),
            project: connection.project.to_owned(),
            closed_status_ids: HashSet::new(),
            id: None,
        }
    }

    /// Returns the address of a page of issues, without those of subprojects.
    fn list_url(&self, pagination: &Pagination, include: Option<&str>) -> Result<Url> {
        let (status, sort) = if pagination.open { ("open", "id") } else { ("*", "updated_on,id") };
        let path = format!(
            "issues.json?subproject_id=!*&status_id={status}&sort={sort}&limit={}&offset={}",
            pagination.size,
            (pagination.page - 1) * pagination.size
        );
        let parameters = [
            ("project_id", Some(self.project.clone())),
            ("updated_on", pagination.since_seconds().map(|since| format!(">={since}"))),
            ("include", include.map(str::to_owned)),
        ];
        Ok(with_parameters(self.client.url(&path)?, parameters))
    }

    fn parse_issue(&self, text: &str) -> Result<(DocumentRecord, Vec<Relation>), String> {
        shapes::parse_issue(text, self.client.web(), &self.project, &self.closed_status_ids)
    }

    async fn issues(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        let is_items = stream == Stream::Items;
        let url = self.list_url(pagination, is_items.then_some("relations"))?;
        let response = self.client.get(url).await?;
        self.client.check_page(&response, pagination, stream)?;
        let list: Issues<'_> = response.json()?;
        let end = u64::from(pagination.page) * u64::from(pagination.size);
        let has_more = !list.issues.is_empty() && list.total_count.is_none_or(|total| total > end);
        let mut page = Page::default();
        let mut times = Vec::new();
        for raw in &list.issues {
            let issue = self.parse_issue(raw.get());
            times.extend(issue.as_ref().ok().and_then(|(record, _)| record.updated_at));
            if is_items {
                page.add_item(issue);
            } else if let Some(number) = issue.ok().and_then(|(record, _)| record.number) {
                page.other_names.push(number.to_string());
                self.fetch_notes(number, &mut page).await?;
            }
        }
        Ok(page.with_next(pagination.by_change(&times, has_more)))
    }

    /// Fetches the notes of an issue; returns whether it exists.
    async fn fetch_notes(&self, number: u64, page: &mut Page) -> Result<bool> {
        let url = self.client.url(&format!("issues/{number}.json?include=journals"));
        let response = self.client.try_get(url, GONE_STATUSES, "notes").await?;
        let Some(response) = response else { return Ok(false) };
        let reply: IssueReply<'_> = response.json()?;
        let journals: Journals<'_> = serde_json::from_str(reply.issue.get()).map_err(|e| {
            Error::new(Code::Network, format!("cannot read the journal of an issue: {e}"))
        })?;
        for raw in &journals.journals {
            page.add(shapes::parse_note(raw.get(), number, self.client.web()));
        }
        Ok(true)
    }

    /// Fetches a page of wiki pages; the index lists all of them.
    async fn pages(&self, pagination: &Pagination) -> Result<Page, FetchError> {
        let root = format!("projects/{}/wiki", escape(&self.project));
        let response = self.client.get(self.client.url(&format!("{root}/index.json"))?).await?;
        self.client.check_page(&response, pagination, Stream::Pages)?;
        let (mut entries, unreadable) =
            parse_each::<WikiEntry>(&response.json::<WikiIndex<'_>>()?.wiki_pages);
        entries.sort_by(|a, b| (a.updated_at(), &a.title).cmp(&(b.updated_at(), &b.title)));
        let names = entries.iter().map(|p| p.title.clone()).collect();
        let recent: Vec<_> = entries
            .into_iter()
            .filter(|p| pagination.since.is_none() || p.updated_at() >= pagination.since)
            .collect();
        let (batch, has_more) = pagination.slice(&recent);
        let mut page = Page { all_pages: Some(names), ..Page::default() };
        if pagination.page == 1 {
            page.records.extend(unreadable.into_iter().map(Err));
        }
        for entry in batch {
            page.other_names.push(entry.title.clone());
            let url = self.client.url(&format!("{root}/{}.json", escape(&entry.title)));
            let response = self.client.try_get(url, GONE_STATUSES, "a wiki page").await?;
            if let Some(response) = response {
                let record = shapes::page(&response.text(), self.client.web(), &self.project);
                page.add(record.map(Some));
            }
        }
        let times: Vec<Timestamp> = batch.iter().filter_map(WikiEntry::updated_at).collect();
        Ok(page.with_next(pagination.by_change(&times, has_more)))
    }
}

#[async_trait]
impl Tracker for Redmine {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        // Public projects silently accept a wrong key, so check it here.
        if self.client.login.is_some() {
            self.user().await?;
        }
        let url = self.client.url(&format!("projects/{}.json", escape(&self.project)));
        let info: ProjectInfo = self.client.get_at(url, "/project", &self.project).await?;
        let url = self.client.url("issue_statuses.json");
        let statuses: Vec<Status> =
            self.client.get_at(url, "/issue_statuses", "the list of statuses").await?;
        self.closed_status_ids =
            statuses.into_iter().filter(|s| s.is_closed).map(|s| s.id).collect();
        self.id = info.id;
        Ok(Project {
            name: info.identifier.unwrap_or_else(|| self.project.clone()),
            remote_id: info.id.map(|id| id.to_string()),
            private: info.is_public == Some(false),
            wiki: true,
            issues: true,
            archived: info.status.is_some_and(|s| s != 1),
        })
    }

    async fn user(&self) -> Result<Option<String>> {
        let url = self.client.url("users/current.json");
        let user: Value = self.client.get_at(url, "/user", "the key's account").await?;
        Ok(user["login"].as_str().or(user["firstname"].as_str()).map(str::to_owned))
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE_SIZE } else { THREADS_PER_PAGE }
    }

    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        match stream {
            Stream::Pages => self.pages(pagination).await,
            _ => self.issues(stream, pagination).await,
        }
    }

    async fn item_bound(&self) -> Result<Option<u64>> {
        let response = self.client.get(self.list_url(&Pagination::new(None, 1), None)?).await?;
        if response.status != 200 {
            return Ok(None);
        }
        Ok(response.json::<Issues<'_>>()?.total_count)
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        let url = self.client.url(&format!("issues/{number}.json"));
        let response = self.client.try_get(url, GONE_STATUSES, "an issue").await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        let raw = response.json::<IssueReply<'_>>()?.issue.get();
        let issue: Option<Issue> = serde_json::from_str(raw).ok();
        let project_id = issue.and_then(|i| i.project).and_then(|p| p.id);
        if project_id.is_some() && self.id.is_some() && project_id != self.id {
            return Ok(Lookup::Moved(None));
        }
        Ok(Lookup::from_parsed(self.parse_issue(raw).map(|(record, _)| Some(record))))
    }

    async fn wiki_page(&self, slug: &str, _remote_id: Option<&str>) -> Result<Lookup> {
        let path = format!("projects/{}/wiki/{}.json", escape(&self.project), escape(slug));
        let response = self.client.get(self.client.url(&path)?).await?;
        match response.status {
            200 => {
                let page = shapes::page(&response.text(), self.client.web(), &self.project);
                Ok(match &page {
                    // A renamed page is returned under its new name.
                    Ok(page) if page.slug.as_deref() != Some(slug) => Lookup::Moved(None),
                    _ => Lookup::from_parsed(page.map(Some)),
                })
            }
            404 | 410 => Ok(Lookup::Gone),
            403 => Ok(Lookup::Unreadable),
            _ => Err(self.client.error_for(&response, "a wiki page")),
        }
    }

    async fn comment(&self, number: u64, remote_id: &str) -> Result<Lookup> {
        let mut page = Page::default();
        if !self.fetch_notes(number, &mut page).await? {
            return Ok(Lookup::Gone);
        }
        let mut records = page.records.into_iter().flatten();
        let is_requested = |r: &Record| matches!(r, Record::Comment(c) if c.remote_id == remote_id);
        Ok(Lookup::from_parsed(Ok(records.find(is_requested))))
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        &[ReleaseList::Versions]
    }

    async fn releases(&self, request: ReleaseRequest<'_>) -> Result<ReleasePage, FetchError> {
        let url = self.client.url(&format!("projects/{}/versions.json", escape(&self.project)))?;
        release::fetch(&self.client, url, request, |response| {
            let versions = response.at("/versions")?.unwrap_or_default();
            Ok(release::versions(versions, |id| {
                Some(format!("{}/versions/{id}", self.client.web()))
            }))
        })
        .await
    }
}
