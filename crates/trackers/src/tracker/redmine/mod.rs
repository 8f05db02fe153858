//! The Redmine connector: issues, notes, relations and wiki.
//!
//! Lists return issues without their notes, which cost one request per issue. So the notes are a
//! list of their own: the issues again, oldest change first, each with its journal.

mod shapes;

use std::collections::HashSet;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{
    Address, Fate, Fetch, Page, Stream, Tracker,
    client::{Client, parse_each, part},
    release::{self, ReleaseList, ReleasePlace, Releases},
    walk::Pagination,
};
use crate::http::{Http, Login};
use precedent_core::{
    error::{Code, Error, Result},
    model::{Access, Project, Record},
    task::Task,
};
pub(super) use shapes::markdown;
use shapes::{Issue, IssueReply, Issues, Journals, WikiEntry, WikiIndex};

/// The number of issues on a page: Redmine's maximum.
const PAGE: u32 = 100;
/// The number of issues whose notes, or of wiki pages whose texts, form one page; each is a
/// request.
const THREADS: u32 = 20;

/// A Redmine project.
#[derive(Debug)]
pub struct Redmine {
    client: Client,
    project: String,
    wiki: bool,
    /// Ids of the closed statuses.
    done_ids: HashSet<u64>,
    id: Option<u64>,
}

#[derive(Deserialize)]
struct Whole {
    project: About,
}

#[derive(Deserialize)]
struct About {
    id: Option<u64>,
    identifier: Option<String>,
    is_public: Option<bool>,
    /// Project status: 1 is active, 5 closed, 9 archived.
    status: Option<u64>,
}

#[derive(Deserialize)]
struct Statuses {
    #[serde(default)]
    issue_statuses: Vec<Status>,
}

#[derive(Deserialize)]
struct Status {
    id: u64,
    #[serde(default)]
    is_closed: bool,
}

#[derive(Deserialize)]
struct Versions<'a> {
    #[serde(borrow, default)]
    versions: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Me {
    user: User,
}

#[derive(Deserialize)]
struct User {
    login: Option<String>,
    firstname: Option<String>,
}

impl Redmine {
    /// Opens the project with this identifier; without a key, its public content.
    pub fn new(
        http: Http,
        address: &Address,
        project: &str,
        wiki: bool,
        key: Option<&crate::secrets::Token>,
    ) -> Self {
        let login = key.map(|k| Login::header(&address.base, "x-redmine-api-key", k));
        Self {
            client: Client::new(http, address, login),
            project: project.to_owned(),
            wiki,
            done_ids: HashSet::new(),
            id: None,
        }
    }

    fn base(&self) -> &str {
        self.client.base.as_str().trim_end_matches('/')
    }

    /// Returns the address of a page of issues, without those of subprojects.
    fn list(&self, walk: &Pagination, include: &str) -> Result<Url> {
        let mut url = self.client.url("issues.json")?;
        let since = walk.since.map(|t| format!(">={}", t.strftime("%Y-%m-%dT%H:%M:%SZ")));
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("project_id", &self.project).append_pair("subproject_id", "!*");
            query.append_pair("status_id", if walk.open { "open" } else { "*" });
            query.append_pair("sort", if walk.open { "id" } else { "updated_on,id" });
            query.append_pair("limit", &walk.size.to_string());
            query.append_pair("offset", &((walk.page - 1) * walk.size).to_string());
            if let Some(since) = since {
                query.append_pair("updated_on", &since);
            }
            if !include.is_empty() {
                query.append_pair("include", include);
            }
        }
        Ok(url)
    }

    async fn items(&self, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let response = self.client.get(self.list(walk, "relations")?, task).await?;
        if let Some(outcome) = self.client.not_a_page(&response, walk, Stream::Items)? {
            return Ok(outcome);
        }
        let list: Issues<'_> = response.json()?;
        let more = more(&list, walk);
        let mut page = Page::default();
        let mut times = Vec::new();
        for raw in &list.issues {
            match shapes::issue(raw.get(), self.base(), &self.project, &self.done_ids) {
                Ok((record, relations)) => {
                    times.extend(record.updated_at);
                    page.relations.extend(record.number.map(|n| (n, relations)));
                    page.records.push(Ok(Record::Document(Box::new(record))));
                }
                Err(why) => page.records.push(Err(why)),
            }
        }
        Ok(Fetch::Page(self.with_cursor(page, walk, &times, more)))
    }

    /// Fetches the notes of a page of issues.
    async fn notes(&self, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let response = self.client.get(self.list(walk, "")?, task).await?;
        if let Some(outcome) = self.client.not_a_page(&response, walk, Stream::Comments)? {
            return Ok(outcome);
        }
        let list: Issues<'_> = response.json()?;
        let more = more(&list, walk);
        let mut page = Page::default();
        let mut times = Vec::new();
        for raw in &list.issues {
            let Ok((issue, _)) =
                shapes::issue(raw.get(), self.base(), &self.project, &self.done_ids)
            else {
                continue;
            };
            times.extend(issue.updated_at);
            let Some(number) = issue.number else { continue };
            page.other_names.push(number.to_string());
            let url = self.client.url(&format!("issues/{number}.json?include=journals"))?;
            let response = self.client.get(url, task).await?;
            match response.status {
                200 => {
                    let whole: IssueReply<'_> = response.json()?;
                    read_notes(whole.issue.get(), number, self.base(), &mut page)?;
                }
                // The issue was deleted or moved while the page was read.
                403 | 404 => {}
                _ => return Err(self.client.refusal(&response, "notes")),
            }
        }
        Ok(Fetch::Page(self.with_cursor(page, walk, &times, more)))
    }

    /// Fetches a page of wiki pages. The index always lists all of them.
    async fn pages(&self, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let root = format!("projects/{}/wiki", part(&self.project));
        let response =
            self.client.get(self.client.url(&format!("{root}/index.json"))?, task).await?;
        if let Some(outcome) = self.client.not_a_page(&response, walk, Stream::Pages)? {
            return Ok(outcome);
        }
        let (mut rows, unreadable) =
            parse_each::<WikiEntry>(&response.json::<WikiIndex<'_>>()?.wiki_pages);
        rows.sort_by(|a, b| (a.updated_on, &a.title).cmp(&(b.updated_on, &b.title)));
        let names = rows.iter().map(|p| p.title.clone()).collect();
        let recent: Vec<_> = rows
            .into_iter()
            .filter(|p| walk.since.is_none() || p.updated_on >= walk.since)
            .collect();
        let from =
            usize::try_from((walk.page - 1) * walk.size).unwrap_or(usize::MAX).min(recent.len());
        let size = usize::try_from(walk.size).unwrap_or(usize::MAX);
        let batch = &recent[from..recent.len().min(from.saturating_add(size))];
        let mut page = Page { all_pages: Some(names), ..Page::default() };
        if walk.page == 1 {
            page.records.extend(unreadable.into_iter().map(Err));
        }
        for entry in batch {
            page.other_names.push(entry.title.clone());
            let url = self.client.url(&format!("{root}/{}.json", part(&entry.title)))?;
            let response = self.client.get(url, task).await?;
            match response.status {
                200 => {
                    let text = String::from_utf8_lossy(&response.body);
                    let record = shapes::page(&text, self.base(), &self.project);
                    page.records.push(record.map(|p| Record::Document(Box::new(p))));
                }
                403 | 404 => {}
                _ => return Err(self.client.refusal(&response, "a page of the wiki")),
            }
        }
        let times: Vec<Timestamp> = batch.iter().filter_map(|p| p.updated_on).collect();
        let more = from + batch.len() < recent.len();
        Ok(Fetch::Page(self.with_cursor(page, walk, &times, more)))
    }

    fn with_cursor(&self, page: Page, walk: &Pagination, times: &[Timestamp], more: bool) -> Page {
        let (next, watermark) = walk.by_change(times, more);
        Page { next: next.map(|w| w.cursor()), watermark, ..page }
    }
}

/// Returns whether there is another page.
fn more(list: &Issues<'_>, walk: &Pagination) -> bool {
    let until = u64::from(walk.page) * u64::from(walk.size);
    !list.issues.is_empty() && list.total_count.is_none_or(|total| total > until)
}

fn read_notes(text: &str, number: u64, base: &str, page: &mut Page) -> Result<()> {
    let journals: Journals<'_> = serde_json::from_str(text).map_err(|e| {
        Error::new(Code::Network, format!("cannot read the journal of an issue: {e}"))
    })?;
    for raw in &journals.journals {
        match shapes::note(raw.get(), number, base) {
            Ok(Some(note)) => page.records.push(Ok(Record::Comment(Box::new(note)))),
            Ok(None) => {}
            Err(why) => page.records.push(Err(why)),
        }
    }
    Ok(())
}

#[async_trait]
impl Tracker for Redmine {
    fn connection(&self) -> (&Http, Option<&Login>) {
        (&self.client.http, self.client.login.as_ref())
    }

    fn streams(&self) -> &'static [Stream] {
        super::Kind::Redmine.streams(self.wiki)
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        // Public projects accept a wrong key silently, so it is checked here.
        if self.client.login.is_some() {
            self.client.json::<Me>("users/current.json", "the account of the key", task).await?;
        }
        let path = format!("projects/{}.json", part(&self.project));
        let about = self.client.json::<Whole>(&path, &self.project, task).await?.project;
        let statuses: Statuses =
            self.client.json("issue_statuses.json", "the list of statuses", task).await?;
        self.done_ids =
            statuses.issue_statuses.into_iter().filter(|s| s.is_closed).map(|s| s.id).collect();
        self.id = about.id;
        Ok(Project {
            name: about.identifier.unwrap_or_else(|| self.project.clone()),
            remote_id: about.id.map(|id| id.to_string()),
            private: about.is_public == Some(false),
            wiki: true,
            issues: true,
            archived: about.status.is_some_and(|s| s != 1),
        })
    }

    async fn access(&mut self, task: &Task) -> Result<Access> {
        let project = self.probe(task).await?;
        let mut access = Access { project, ..Access::default() };
        if self.client.login.is_some() {
            let me: Me =
                self.client.json("users/current.json", "the account of the key", task).await?;
            access.user = me.user.login.or(me.user.firstname);
        }
        for stream in self.streams() {
            let url = match stream {
                Stream::Pages => {
                    self.client.url(&format!("projects/{}/wiki/index.json", part(&self.project)))?
                }
                _ => self.list(&Pagination::new(None, 1), "")?,
            };
            let response = self.client.get(url, task).await?;
            if response.status != 200 {
                access.refused.push(self.client.refusal(&response, stream.words()).to_string());
            }
        }
        Ok(access)
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE } else { THREADS }
    }

    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        match stream {
            Stream::Items => self.items(walk, task).await,
            Stream::Comments | Stream::ReviewComments | Stream::Discussions => {
                self.notes(walk, task).await
            }
            Stream::Pages => self.pages(walk, task).await,
        }
    }

    async fn item_bound(&self, task: &Task) -> Result<Option<u64>> {
        let response = self.client.get(self.list(&Pagination::new(None, 1), "")?, task).await?;
        if response.status != 200 {
            return Ok(None);
        }
        Ok(response.json::<Issues<'_>>()?.total_count)
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        let response =
            self.client.get(self.client.url(&format!("issues/{number}.json"))?, task).await?;
        match response.status {
            200 => {
                let whole: IssueReply<'_> = response.json()?;
                let issue: Option<Issue> = serde_json::from_str(whole.issue.get()).ok();
                let home = issue.and_then(|i| i.project).and_then(|p| p.id);
                if home.is_some() && self.id.is_some() && home != self.id {
                    return Ok(Fate::Moved(None));
                }
                Ok(
                    match shapes::issue(
                        whole.issue.get(),
                        self.base(),
                        &self.project,
                        &self.done_ids,
                    ) {
                        Ok((record, _)) => Fate::Here(Box::new(Record::Document(Box::new(record)))),
                        Err(_) => Fate::Unreadable,
                    },
                )
            }
            // A 403 means that the issue moved to an inaccessible project.
            403 | 404 | 410 => Ok(Fate::Gone),
            _ => Err(self.client.refusal(&response, "an issue")),
        }
    }

    async fn wiki_page(&self, slug: &str, _remote_id: Option<&str>, task: &Task) -> Result<Fate> {
        let path = format!("projects/{}/wiki/{}.json", part(&self.project), part(slug));
        let response = self.client.get(self.client.url(&path)?, task).await?;
        match response.status {
            200 => {
                Ok(
                    match shapes::page(
                        &String::from_utf8_lossy(&response.body),
                        self.base(),
                        &self.project,
                    ) {
                        // A renamed page is returned under its new name.
                        Ok(page) if page.slug.as_deref() != Some(slug) => Fate::Moved(None),
                        Ok(page) => Fate::Here(Box::new(Record::Document(Box::new(page)))),
                        Err(_) => Fate::Unreadable,
                    },
                )
            }
            404 | 410 => Ok(Fate::Gone),
            403 => Ok(Fate::Unreadable),
            _ => Err(self.client.refusal(&response, "a page of the wiki")),
        }
    }

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        let url = self.client.url(&format!("issues/{number}.json?include=journals"))?;
        let response = self.client.get(url, task).await?;
        match response.status {
            200 => {
                let whole: IssueReply<'_> = response.json()?;
                let mut page = Page::default();
                read_notes(whole.issue.get(), number, self.base(), &mut page)?;
                let comment = page
                    .records
                    .into_iter()
                    .flatten()
                    .find(|r| matches!(r, Record::Comment(c) if c.remote_id == remote_id));
                Ok(comment.map_or(Fate::Gone, |r| Fate::Here(Box::new(r))))
            }
            403 | 404 | 410 => Ok(Fate::Gone),
            _ => Err(self.client.refusal(&response, "notes")),
        }
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        &[ReleaseList::Versions]
    }

    async fn releases(
        &self,
        _place: ReleasePlace,
        _etag: Option<&str>,
        task: &Task,
    ) -> Result<Releases> {
        let url = self.client.url(&format!("projects/{}/versions.json", part(&self.project)))?;
        release::fetch(&self.client, url, task, |response| {
            let list: Versions<'_> = response.json()?;
            Ok(release::versions(&list.versions, |id| {
                Some(format!("{}/versions/{id}", self.base()))
            }))
        })
        .await
    }
}
