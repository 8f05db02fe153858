//! The Jira connector for Cloud (API version 3, text in Atlassian Document Format) and Data Center
//! (version 2, wiki markup).
//!
//! Search times have minute precision and are in the user's time zone. Issues are listed in the
//! order of their keys, which an edit does not change; see `Pagination::by_creation`. Comments are
//! fetched in a second pass, so that items can be searched early.

mod shapes;

use async_trait::async_trait;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{
    Address, Fetch, Lookup, Page, Stream, Tracker,
    client::{Client, escape},
    identity::split_key,
    pagination::Pagination,
    release::{self, ReleaseList, ReleaseRequest, Releases},
    repetition::RepeatGuard,
};
use crate::http::{Http, Login, Response};
use precedent_core::{error::Result, model::Project, task::Task};
use shapes::{Comments, SearchPage, User};
pub(super) use shapes::{comment, issue, parse_comments};

const PAGE_SIZE: u32 = 100;
const FIELDS: &str = "summary,description,status,resolution,issuetype,reporter,creator,labels,components,fixVersions,\
                      created,updated,resolutiondate,issuelinks";

/// A Jira project.
#[derive(Debug)]
pub struct Jira {
    client: Client,
    project: String,
    is_cloud: bool,
    zone: TimeZone,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Server {
    deployment_type: Option<String>,
    server_time: Option<String>,
}

#[derive(Deserialize)]
struct ProjectInfo {
    id: Option<String>,
    key: Option<String>,
    #[serde(default)]
    archived: bool,
}

impl Jira {
    /// Opens the project with this key; without a token, its public content. The token is a personal
    /// access token or `USER:SECRET`; on Cloud, `USER` is the email address.
    pub fn new(
        http: Http,
        address: &Address,
        project: &str,
        token: Option<&crate::secrets::Token>,
    ) -> Self {
        let client =
            Client::new(http, address, super::Kind::Jira.streams(false), token, Login::personal);
        Self { client, project: project.to_uppercase(), is_cloud: false, zone: TimeZone::UTC }
    }

    /// Returns the host, which prefixes the keys of other projects' issues.
    fn namespace(&self) -> &str {
        self.client.base.host_str().unwrap_or_default()
    }

    fn api_url(&self, path: &str) -> Result<Url> {
        self.client.url(&format!("rest/api/{}/{path}", if self.is_cloud { 3 } else { 2 }))
    }

    fn list_url(&self, stream: Stream, pagination: &Pagination) -> Result<Url> {
        let mut url = self.api_url(if self.is_cloud { "search/jql" } else { "search" })?;
        let mut jql = format!("project = \"{}\"", self.project);
        if pagination.open {
            jql.push_str(" AND statusCategory != Done");
        }
        if let Some(since) = pagination.since {
            let local = since.to_zoned(self.zone.clone());
            jql.push_str(&format!(" AND updated >= \"{}\"", local.strftime("%Y-%m-%d %H:%M")));
        }
        jql.push_str(" ORDER BY key ASC");
        {
            let mut query = url.query_pairs_mut();
            query.append_pair("jql", &jql).append_pair("maxResults", &pagination.size.to_string());
            query.append_pair(
                "fields",
                if stream == Stream::Items { FIELDS } else { "updated,comment" },
            );
            let name = if self.is_cloud { "nextPageToken" } else { "startAt" };
            if let Some(request) = &pagination.token {
                query.append_pair(name, request);
            }
        }
        Ok(url)
    }

    /// Returns the token of the next page: the tracker's on Cloud, the offset on Data Center.
    fn next_token(&self, search: &SearchPage<'_>, pagination: &Pagination) -> Option<String> {
        if self.is_cloud {
            return search.next_page_token.clone().filter(|t| !t.is_empty());
        }
        let offset: u64 = pagination.token.as_deref().and_then(|t| t.parse().ok()).unwrap_or(0);
        let end = offset + search.issues.len() as u64;
        let is_full_page =
            search.issues.len() as u64 >= u64::from(search.max_results.unwrap_or(pagination.size));
        let has_more = search.total.map_or(is_full_page, |total| total > end);
        (has_more && !search.issues.is_empty()).then(|| end.to_string())
    }

    fn add_comments(&self, comments: &[&RawValue], key: &str, page: &mut Page) {
        for raw in comments {
            page.add(shapes::comment(raw.get(), key, self.client.web()).map(Some));
        }
    }

    /// Fetches all comments of an issue whose search result contained only some of them.
    async fn fetch_comments(&self, key: &str, page: &mut Page, task: &Task) -> Result<()> {
        let mut offset = 0;
        let mut guard = RepeatGuard::default();
        loop {
            let url = self.api_url(&format!(
                "issue/{}/comment?startAt={offset}&maxResults={PAGE_SIZE}&orderBy=created",
                escape(key)
            ));
            let response = self.client.try_get(url, &[404], "comments", task).await?;
            let Some(response) = response else { return Ok(()) };
            let list: Comments<'_> = response.json()?;
            if let Err(repetition) = guard.add(list.comments.iter().map(|raw| raw.get())) {
                page.records.push(Err(repetition.error(&format!("comments of {key}")).to_string()));
                return Ok(());
            }
            self.add_comments(&list.comments, key, page);
            offset += list.comments.len() as u64;
            if list.comments.is_empty() || list.total.is_none_or(|total| offset >= total) {
                return Ok(());
            }
        }
    }

    async fn fetch_issue(&self, path: &str, task: &Task) -> Result<Option<Response>> {
        let url = self.api_url(&format!("issue/{path}"));
        self.client.try_get(url, &[403, 404, 410], "an issue", task).await
    }

    async fn current_user(&self, task: &Task) -> Result<User> {
        self.client.get_json(self.api_url("myself"), "the token's account", task).await
    }
}

#[async_trait]
impl Tracker for Jira {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        let url = self.client.url("rest/api/2/serverInfo");
        let server: Server = self.client.get_json(url, "the server", task).await?;
        self.is_cloud = server.deployment_type.is_some_and(|d| d.eq_ignore_ascii_case("cloud"));
        // Search times are in the user's time zone; anonymous users have the server's.
        self.zone = server.server_time.as_deref().and_then(parse_offset).unwrap_or(TimeZone::UTC);
        if self.client.login.is_some() {
            let zone =
                self.current_user(task).await?.time_zone.and_then(|z| TimeZone::get(&z).ok());
            self.zone = zone.unwrap_or_else(|| self.zone.clone());
        }
        let url = self.api_url(&format!("project/{}", escape(&self.project)));
        let info: ProjectInfo = self.client.get_json(url, &self.project, task).await?;
        if let Some(key) = info.key.filter(|k| !k.is_empty()) {
            self.project = key;
        }
        Ok(Project {
            name: self.project.clone(),
            remote_id: info.id,
            private: self.client.login.is_some(),
            wiki: false,
            issues: true,
            archived: info.archived,
        })
    }

    async fn user(&self, task: &Task) -> Result<Option<String>> {
        let current_user = self.current_user(task).await?;
        Ok(current_user.display_name.or(current_user.name))
    }

    fn size(&self, _stream: Stream) -> u32 {
        PAGE_SIZE
    }

    async fn list_page(
        &self,
        stream: Stream,
        pagination: &Pagination,
        task: &Task,
    ) -> Result<Fetch> {
        let response = self.client.get(self.list_url(stream, pagination)?, task).await?;
        // The page token has expired or belongs to another search.
        if response.status == 400 && pagination.token.is_some() {
            return Ok(Fetch::Expired);
        }
        if let Some(outcome) = self.client.page_failure(&response, pagination, stream)? {
            return Ok(outcome);
        }
        let search: SearchPage<'_> = response.json()?;
        let mut page = Page::default();
        for raw in &search.issues {
            if stream == Stream::Items {
                match shapes::issue(raw.get(), self.client.web(), self.namespace(), &self.project) {
                    Ok((record, relations)) => {
                        page.relations.extend(record.number.map(|n| (n, relations)));
                        page.add(Ok(Some(record)));
                    }
                    Err(reason) => page.records.push(Err(reason)),
                }
            } else if let Some((key, comments, total)) = shapes::parse_comments(raw.get()) {
                page.other_names.push(key.clone());
                if total > comments.len() as u64 {
                    self.fetch_comments(&key, &mut page, task).await?;
                } else {
                    self.add_comments(&comments, &key, &mut page);
                }
            }
        }
        let token = self.next_token(&search, pagination);
        let has_more = token.is_some();
        let (next, watermark) =
            pagination.by_creation(search.total, self.client.server_time(&response), has_more);
        // A restarted pass starts without a token.
        let next = next.map(|next| Pagination { token: token.filter(|_| next.page > 1), ..next });
        Ok(page.into_fetch((next, watermark)))
    }

    async fn item_bound(&self, task: &Task) -> Result<Option<u64>> {
        if self.is_cloud {
            // Cloud no longer returns a count.
            return Ok(None);
        }
        let response =
            self.client.get(self.list_url(Stream::Items, &Pagination::new(None, 1))?, task).await?;
        if response.status != 200 {
            return Ok(None);
        }
        Ok(response.json::<SearchPage<'_>>()?.total)
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Lookup> {
        let path = format!("{}-{number}?fields={FIELDS}", escape(&self.project));
        let Some(response) = self.fetch_issue(&path, task).await? else { return Ok(Lookup::Gone) };
        // A moved issue is returned under its new key.
        let key: String = response.at("/key")?.unwrap_or_default();
        if let Some((new_project, new_number)) = split_key(&key)
            && new_project != self.project
        {
            return Ok(Lookup::Moved(Some(format!(
                "{}/{new_project}#{new_number}",
                self.namespace()
            ))));
        }
        let issue =
            shapes::issue(&response.text(), self.client.web(), self.namespace(), &self.project);
        Ok(Lookup::from_parsed(issue.map(|(record, _)| Some(record))))
    }

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Lookup> {
        let key = format!("{}-{number}", self.project);
        let path = format!("{}/comment/{}", escape(&key), escape(remote_id));
        let Some(response) = self.fetch_issue(&path, task).await? else { return Ok(Lookup::Gone) };
        Ok(Lookup::from_parsed(
            shapes::comment(&response.text(), &key, self.client.web()).map(Some),
        ))
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        &[ReleaseList::Versions]
    }

    async fn releases(&self, request: ReleaseRequest<'_>, task: &Task) -> Result<Releases> {
        let url = self.api_url(&format!("project/{}/versions", escape(&self.project)))?;
        release::fetch(&self.client, url, request, task, |response| {
            Ok(release::versions(response.json()?, |id| {
                Some(format!("{}/projects/{}/versions/{id}", self.client.web(), self.project))
            }))
        })
        .await
    }
}

/// Parses the offset of a time such as `2024-01-02T03:04:05.000+0200`.
fn parse_offset(text: &str) -> Option<TimeZone> {
    let time = jiff::fmt::strtime::parse("%Y-%m-%dT%H:%M:%S%.f%z", text).ok()?;
    Some(time.offset()?.to_time_zone())
}
