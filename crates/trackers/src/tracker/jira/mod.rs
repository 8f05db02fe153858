//! The Jira connector for Cloud (API version 3, texts as documents) and Data Center (version 2,
//! markup).
//!
//! Searches have minute precision in the user's time zone. Issues are listed in the order of their
//! keys, which an edit does not change; see `Pagination::by_creation`. Comments come with the
//! issues but are a list of their own here, so that items can be searched before all are fetched.

mod shapes;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{
    Address, Fate, Fetch, Page, Stream, Tracker,
    client::{Client, part},
    release::{self, ReleaseList, ReleasePlace, Releases},
    repetition::RepeatGuard,
    walk::Pagination,
};
use crate::http::{Http, Login, Response};
use precedent_core::{error::Result, model::Project, task::Task};
use shapes::{Comments, SearchPage, User, parts};
pub(super) use shapes::{comment, comments_of, issue};

/// The number of issues on a page.
const PAGE: u32 = 100;
/// The requested fields of an issue.
const FIELDS: &str = "summary,description,status,resolution,issuetype,reporter,creator,labels,components,fixVersions,\
                      created,updated,resolutiondate,issuelinks";

/// A Jira project.
#[derive(Debug)]
pub struct Jira {
    client: Client,
    project: String,
    cloud: bool,
    zone: TimeZone,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Server {
    deployment_type: Option<String>,
    server_time: Option<String>,
}

#[derive(Deserialize)]
struct About {
    id: Option<String>,
    key: Option<String>,
    #[serde(default)]
    archived: bool,
}

impl Jira {
    /// Opens the project with this key; without a token, its public content. A token with a colon
    /// is a user name (on Cloud the e-mail address) with a token or a password, any other a
    /// personal access token.
    pub fn new(
        http: Http,
        address: &Address,
        project: &str,
        token: Option<&crate::secrets::Token>,
    ) -> Self {
        let client =
            Client::new(http, address, super::Kind::Jira.streams(false), token, Login::personal);
        Self { client, project: project.to_uppercase(), cloud: false, zone: TimeZone::UTC }
    }

    /// Returns the namespace of other projects' keys.
    fn home(&self) -> &str {
        self.client.base.host_str().unwrap_or_default()
    }

    /// Returns the address of a path below the API.
    fn path(&self, path: &str) -> Result<Url> {
        self.client.url(&format!("rest/api/{}/{path}", if self.cloud { 3 } else { 2 }))
    }

    fn list(&self, stream: Stream, walk: &Pagination) -> Result<Url> {
        let mut url = self.path(if self.cloud { "search/jql" } else { "search" })?;
        let mut jql = format!("project = \"{}\"", self.project);
        if walk.open {
            jql.push_str(" AND statusCategory != Done");
        }
        if let Some(since) = walk.since {
            let local = since.to_zoned(self.zone.clone());
            jql.push_str(&format!(" AND updated >= \"{}\"", local.strftime("%Y-%m-%d %H:%M")));
        }
        jql.push_str(" ORDER BY key ASC");
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("jql", &jql).append_pair("maxResults", &walk.size.to_string());
            query.append_pair(
                "fields",
                if stream == Stream::Items { FIELDS } else { "updated,comment" },
            );
            let name = if self.cloud { "nextPageToken" } else { "startAt" };
            if let Some(place) = &walk.token {
                query.append_pair(name, place);
            }
        }
        Ok(url)
    }

    /// Returns the next place in the list: the tracker's token, or the number of issues read.
    fn next_cursor(&self, search: &SearchPage<'_>, walk: &Pagination) -> Option<String> {
        if self.cloud {
            return search.next_page_token.clone().filter(|t| !t.is_empty());
        }
        let offset: u64 = walk.token.as_deref().and_then(|t| t.parse().ok()).unwrap_or(0);
        let until = offset + search.issues.len() as u64;
        let full = search.issues.len() as u64 >= u64::from(search.max_results.unwrap_or(walk.size));
        let more = search.total.map_or(full, |total| total > until);
        (more && !search.issues.is_empty()).then(|| until.to_string())
    }

    fn keep(&self, comments: &[&RawValue], key: &str, page: &mut Page) {
        for raw in comments {
            page.add(shapes::comment(raw.get(), key, self.client.web()).map(Some));
        }
    }

    /// Fetches all comments of an issue if not all came with it.
    async fn comments(&self, key: &str, page: &mut Page, task: &Task) -> Result<()> {
        let mut from = 0;
        let mut guard = RepeatGuard::default();
        loop {
            let url = self.path(&format!(
                "issue/{}/comment?startAt={from}&maxResults={PAGE}&orderBy=created",
                part(key)
            ));
            let response = self.client.find(url, &[404], "comments", task).await?;
            let Some(response) = response else { return Ok(()) };
            let list: Comments<'_> = response.json()?;
            if let Err(endless) = guard.note(list.comments.iter().map(|raw| raw.get())) {
                page.records.push(Err(endless.error(&format!("comments of {key}")).to_string()));
                return Ok(());
            }
            self.keep(&list.comments, key, page);
            from += list.comments.len() as u64;
            if list.comments.is_empty() || list.total.is_none_or(|total| from >= total) {
                return Ok(());
            }
        }
    }

    async fn fetch_issue(&self, path: &str, task: &Task) -> Result<Option<Response>> {
        let url = self.path(&format!("issue/{path}"));
        self.client.find(url, &[403, 404, 410], "an issue", task).await
    }

    async fn me(&self, task: &Task) -> Result<User> {
        self.client.json(self.path("myself"), "the account of the token", task).await
    }
}

#[async_trait]
impl Tracker for Jira {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        let url = self.client.url("rest/api/2/serverInfo");
        let server: Server = self.client.json(url, "the server", task).await?;
        self.cloud = server.deployment_type.is_some_and(|d| d.eq_ignore_ascii_case("cloud"));
        // Search times are in the user's time zone; anonymous users have the server's.
        self.zone = server.server_time.as_deref().and_then(offset).unwrap_or(TimeZone::UTC);
        if self.client.login.is_some() {
            let zone = self.me(task).await?.time_zone.and_then(|z| TimeZone::get(&z).ok());
            self.zone = zone.unwrap_or_else(|| self.zone.clone());
        }
        let url = self.path(&format!("project/{}", part(&self.project)));
        let about: About = self.client.json(url, &self.project, task).await?;
        if let Some(key) = about.key.filter(|k| !k.is_empty()) {
            self.project = key;
        }
        Ok(Project {
            name: self.project.clone(),
            remote_id: about.id,
            private: self.client.login.is_some(),
            wiki: false,
            issues: true,
            archived: about.archived,
        })
    }

    async fn user(&self, task: &Task) -> Result<Option<String>> {
        let me = self.me(task).await?;
        Ok(me.display_name.or(me.name))
    }

    fn size(&self, _stream: Stream) -> u32 {
        PAGE
    }

    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let response = self.client.get(self.list(stream, walk)?, task).await?;
        // The page token expired or belongs to another search.
        if response.status == 400 && walk.token.is_some() {
            return Ok(Fetch::Expired);
        }
        if let Some(outcome) = self.client.not_a_page(&response, walk, stream)? {
            return Ok(outcome);
        }
        let search: SearchPage<'_> = response.json()?;
        let mut page = Page::default();
        for raw in &search.issues {
            if stream == Stream::Items {
                match shapes::issue(raw.get(), self.client.web(), self.home(), &self.project) {
                    Ok((record, relations)) => {
                        page.relations.extend(record.number.map(|n| (n, relations)));
                        page.add(Ok(Some(record)));
                    }
                    Err(why) => page.records.push(Err(why)),
                }
            } else if let Some((key, comments, total)) = shapes::comments_of(raw.get()) {
                page.other_names.push(key.clone());
                if total > comments.len() as u64 {
                    self.comments(&key, &mut page, task).await?;
                } else {
                    self.keep(&comments, &key, &mut page);
                }
            }
        }
        let token = self.next_cursor(&search, walk);
        let more = token.is_some();
        let (next, watermark) = walk.by_creation(search.total, self.client.date(&response), more);
        // A restarted pass has no token.
        let next = next.map(|w| Pagination { token: token.filter(|_| w.page > 1), ..w });
        Ok(page.followed_by((next, watermark)))
    }

    async fn item_bound(&self, task: &Task) -> Result<Option<u64>> {
        if self.cloud {
            // Cloud no longer returns a count.
            return Ok(None);
        }
        let response =
            self.client.get(self.list(Stream::Items, &Pagination::new(None, 1))?, task).await?;
        if response.status != 200 {
            return Ok(None);
        }
        Ok(response.json::<SearchPage<'_>>()?.total)
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        let path = format!("{}-{number}?fields={FIELDS}", part(&self.project));
        let Some(response) = self.fetch_issue(&path, task).await? else { return Ok(Fate::Gone) };
        // A moved issue is returned under its new key.
        let key: String = response.at("/key")?.unwrap_or_default();
        if let Some((new_project, now)) = parts(&key)
            && new_project != self.project
        {
            return Ok(Fate::Moved(Some(format!("{}/{new_project}#{now}", self.home()))));
        }
        let issue = shapes::issue(&response.text(), self.client.web(), self.home(), &self.project);
        Ok(Fate::of(issue.map(|(record, _)| Some(record))))
    }

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        let key = format!("{}-{number}", self.project);
        let path = format!("{}/comment/{}", part(&key), part(remote_id));
        let Some(response) = self.fetch_issue(&path, task).await? else { return Ok(Fate::Gone) };
        Ok(Fate::of(shapes::comment(&response.text(), &key, self.client.web()).map(Some)))
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        &[ReleaseList::Versions]
    }

    async fn releases(&self, place: ReleasePlace<'_>, task: &Task) -> Result<Releases> {
        let url = self.path(&format!("project/{}/versions", part(&self.project)))?;
        release::fetch(&self.client, url, place, task, |response| {
            Ok(release::versions(response.json()?, |id| {
                Some(format!("{}/projects/{}/versions/{id}", self.client.web(), self.project))
            }))
        })
        .await
    }
}

/// Parses the offset of a time such as `2024-01-02T03:04:05.000+0200`.
fn offset(text: &str) -> Option<TimeZone> {
    let time = jiff::fmt::strtime::parse("%Y-%m-%dT%H:%M:%S%.f%z", text).ok()?;
    Some(time.offset()?.to_time_zone())
}
