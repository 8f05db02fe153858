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
    Address, Fetch, Lookup, Page, Relation, Stream, Tracker,
    client::{Client, escape, parse_each},
    pagination::Pagination,
    release::{self, ReleaseList, ReleaseRequest, Releases},
};
use crate::{
    http::{Http, Login},
    secrets::Token,
};
use precedent_core::{
    error::{Code, Error, Result},
    model::{DocumentRecord, Project, Record},
    task::Task,
};
pub(super) use shapes::to_markdown;
use shapes::{Issue, IssueReply, Issues, Journals, WikiEntry, WikiIndex};

/// The number of issues per page: Redmine's maximum.
const PAGE_SIZE: u32 = 100;
/// The number of issues with notes, or of wiki pages with text, per page; each costs a request.
const THREADS_PER_PAGE: u32 = 20;
const GONE_STATUSES: &[u16] = &[403, 404, 410];

/// A Redmine project.
#[derive(Debug)]
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
    /// Opens the project with this identifier; without a key, its public content.
    pub fn new(
        http: Http,
        address: &Address,
        project: &str,
        wiki: bool,
        key: Option<&Token>,
    ) -> Self {
        let login = |base: &Url, key: &Token| Login::header(base, "x-redmine-api-key", key);
        Self {
            client: Client::new(http, address, super::Kind::Redmine.streams(wiki), key, login),
            project: project.to_owned(),
            closed_status_ids: HashSet::new(),
            id: None,
        }
    }

    /// Returns the address of a page of issues, without those of subprojects.
    fn list_url(&self, pagination: &Pagination, include: &str) -> Result<Url> {
        let mut url = self.client.url("issues.json")?;
        let since = pagination.since.map(|t| format!(">={}", t.strftime("%Y-%m-%dT%H:%M:%SZ")));
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("project_id", &self.project).append_pair("subproject_id", "!*");
            query.append_pair("status_id", if pagination.open { "open" } else { "*" });
            query.append_pair("sort", if pagination.open { "id" } else { "updated_on,id" });
            query.append_pair("limit", &pagination.size.to_string());
            query.append_pair("offset", &((pagination.page - 1) * pagination.size).to_string());
            if let Some(since) = since {
                query.append_pair("updated_on", &since);
            }
            if !include.is_empty() {
                query.append_pair("include", include);
            }
        }
        Ok(url)
    }

    fn parse_issue(
        &self,
        text: &str,
    ) -> std::result::Result<(DocumentRecord, Vec<Relation>), String> {
        shapes::parse_issue(text, self.client.web(), &self.project, &self.closed_status_ids)
    }

    async fn issues(&self, stream: Stream, pagination: &Pagination, task: &Task) -> Result<Fetch> {
        let is_items = stream == Stream::Items;
        let url = self.list_url(pagination, if is_items { "relations" } else { "" })?;
        let response = self.client.get(url, task).await?;
        if let Some(outcome) = self.client.page_failure(&response, pagination, stream)? {
            return Ok(outcome);
        }
        let list: Issues<'_> = response.json()?;
        let end = u64::from(pagination.page) * u64::from(pagination.size);
        let has_more = !list.issues.is_empty() && list.total_count.is_none_or(|total| total > end);
        let mut page = Page::default();
        let mut times = Vec::new();
        for raw in &list.issues {
            match self.parse_issue(raw.get()) {
                Ok((issue, relations)) => {
                    times.extend(issue.updated_at);
                    let Some(number) = issue.number else { continue };
                    if is_items {
                        page.relations.push((number, relations));
                        page.add(Ok(Some(issue)));
                    } else {
                        page.other_names.push(number.to_string());
                        self.fetch_notes(number, &mut page, task).await?;
                    }
                }
                Err(reason) if is_items => page.records.push(Err(reason)),
                Err(_) => {}
            }
        }
        Ok(page.into_fetch(pagination.by_change(&times, has_more)))
    }

    /// Fetches the notes of an issue; returns whether it exists.
    async fn fetch_notes(&self, number: u64, page: &mut Page, task: &Task) -> Result<bool> {
        let url = self.client.url(&format!("issues/{number}.json?include=journals"));
        let response = self.client.try_get(url, GONE_STATUSES, "notes", task).await?;
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
    async fn pages(&self, pagination: &Pagination, task: &Task) -> Result<Fetch> {
        let root = format!("projects/{}/wiki", escape(&self.project));
        let response =
            self.client.get(self.client.url(&format!("{root}/index.json"))?, task).await?;
        if let Some(outcome) = self.client.page_failure(&response, pagination, Stream::Pages)? {
            return Ok(outcome);
        }
        let (mut entries, unreadable) =
            parse_each::<WikiEntry>(&response.json::<WikiIndex<'_>>()?.wiki_pages);
        entries.sort_by(|a, b| (a.updated_at(), &a.title).cmp(&(b.updated_at(), &b.title)));
        let names = entries.iter().map(|p| p.title.clone()).collect();
        let recent: Vec<_> = entries
            .into_iter()
            .filter(|p| pagination.since.is_none() || p.updated_at() >= pagination.since)
            .collect();
        let start = usize::try_from((pagination.page - 1) * pagination.size)
            .unwrap_or(usize::MAX)
            .min(recent.len());
        let size = usize::try_from(pagination.size).unwrap_or(usize::MAX);
        let batch = &recent[start..recent.len().min(start.saturating_add(size))];
        let mut page = Page { all_pages: Some(names), ..Page::default() };
        if pagination.page == 1 {
            page.records.extend(unreadable.into_iter().map(Err));
        }
        for entry in batch {
            page.other_names.push(entry.title.clone());
            let url = self.client.url(&format!("{root}/{}.json", escape(&entry.title)));
            let response = self.client.try_get(url, GONE_STATUSES, "a wiki page", task).await?;
            if let Some(response) = response {
                let record = shapes::page(&response.text(), self.client.web(), &self.project);
                page.add(record.map(Some));
            }
        }
        let times: Vec<Timestamp> = batch.iter().filter_map(WikiEntry::updated_at).collect();
        let has_more = start + batch.len() < recent.len();
        Ok(page.into_fetch(pagination.by_change(&times, has_more)))
    }
}

#[async_trait]
impl Tracker for Redmine {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        // Public projects silently accept a wrong key, so check it here.
        if self.client.login.is_some() {
            self.user(task).await?;
        }
        let url = self.client.url(&format!("projects/{}.json", escape(&self.project)));
        let info: ProjectInfo = self.client.get_at(url, "/project", &self.project, task).await?;
        let url = self.client.url("issue_statuses.json");
        let statuses: Vec<Status> =
            self.client.get_at(url, "/issue_statuses", "the list of statuses", task).await?;
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

    async fn user(&self, task: &Task) -> Result<Option<String>> {
        let url = self.client.url("users/current.json");
        let user: Value = self.client.get_at(url, "/user", "the key's account", task).await?;
        Ok(user["login"].as_str().or(user["firstname"].as_str()).map(str::to_owned))
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE_SIZE } else { THREADS_PER_PAGE }
    }

    async fn list_page(
        &self,
        stream: Stream,
        pagination: &Pagination,
        task: &Task,
    ) -> Result<Fetch> {
        match stream {
            Stream::Pages => self.pages(pagination, task).await,
            _ => self.issues(stream, pagination, task).await,
        }
    }

    async fn item_bound(&self, task: &Task) -> Result<Option<u64>> {
        let response = self.client.get(self.list_url(&Pagination::new(None, 1), "")?, task).await?;
        if response.status != 200 {
            return Ok(None);
        }
        Ok(response.json::<Issues<'_>>()?.total_count)
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Lookup> {
        let url = self.client.url(&format!("issues/{number}.json"));
        let response = self.client.try_get(url, GONE_STATUSES, "an issue", task).await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        let raw = response.json::<IssueReply<'_>>()?.issue.get();
        let issue: Option<Issue> = serde_json::from_str(raw).ok();
        let project_id = issue.and_then(|i| i.project).and_then(|p| p.id);
        if project_id.is_some() && self.id.is_some() && project_id != self.id {
            return Ok(Lookup::Moved(None));
        }
        Ok(Lookup::from_parsed(self.parse_issue(raw).map(|(record, _)| Some(record))))
    }

    async fn wiki_page(&self, slug: &str, _remote_id: Option<&str>, task: &Task) -> Result<Lookup> {
        let path = format!("projects/{}/wiki/{}.json", escape(&self.project), escape(slug));
        let response = self.client.get(self.client.url(&path)?, task).await?;
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

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Lookup> {
        let mut page = Page::default();
        if !self.fetch_notes(number, &mut page, task).await? {
            return Ok(Lookup::Gone);
        }
        let mut records = page.records.into_iter().flatten();
        let is_requested = |r: &Record| matches!(r, Record::Comment(c) if c.remote_id == remote_id);
        Ok(Lookup::from_parsed(Ok(records.find(is_requested))))
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        &[ReleaseList::Versions]
    }

    async fn releases(&self, request: ReleaseRequest<'_>, task: &Task) -> Result<Releases> {
        let url = self.client.url(&format!("projects/{}/versions.json", escape(&self.project)))?;
        release::fetch(&self.client, url, request, task, |response| {
            let versions = response.at("/versions")?.unwrap_or_default();
            Ok(release::versions(versions, |id| {
                Some(format!("{}/versions/{id}", self.client.web()))
            }))
        })
        .await
    }
}
