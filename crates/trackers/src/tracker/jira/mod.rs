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
    Connection, FetchError, Lookup, Page, Relation, Stream, Tracker,
    client::{Client, escape, with_parameters},
    identity::split_key,
    pagination::Pagination,
    release::{self, ReleaseList, ReleasePage, ReleaseRequest},
    repetition::RepeatGuard,
};
use crate::http::{Login, Response};
use precedent_core::{
    error::Result,
    model::{DocumentRecord, Project},
};
use shapes::{Comments, SearchPage, User};
pub(super) use shapes::{comment, issue, parse_comments};

const PAGE_SIZE: u32 = 100;
const FIELDS: &str = "summary,description,status,resolution,issuetype,reporter,creator,labels,components,fixVersions,\
                      created,updated,resolutiondate,issuelinks";

/// A Jira project.
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
    /// Opens the project with this key. The token is a personal access token or `USER:SECRET`; on
    /// Cloud, `USER` is the email address.
    pub fn new(connection: &Connection<'_>) -> Self {
        let client = Client::new(connection, Login::personal);
        let project = connection.project.to_uppercase();
        Self { client, project, is_cloud: false, zone: TimeZone::UTC }
    }

    /// Returns the host, which prefixes the keys of other projects' issues.
    fn namespace(&self) -> &str {
        self.client.base.host_str().unwrap_or_default()
    }

    fn api_url(&self, path: &str) -> Result<Url> {
        self.client.url(&format!("rest/api/{}/{path}", if self.is_cloud { 3 } else { 2 }))
    }

    fn list_url(&self, stream: Stream, pagination: &Pagination) -> Result<Url> {
        let (search, token_name) = match self.is_cloud {
            true => ("search/jql", "nextPageToken"),
            false => ("search", "startAt"),
        };
        let mut jql = format!("project = \"{}\"", self.project);
        if pagination.open {
            jql.push_str(" AND statusCategory != Done");
        }
        if let Some(since) = pagination.since {
            let local = since.to_zoned(self.zone.clone());
            jql.push_str(&format!(" AND updated >= \"{}\"", local.strftime("%Y-%m-%d %H:%M")));
        }
        jql.push_str(" ORDER BY key ASC");
        let fields = if stream == Stream::Items { FIELDS } else { "updated,comment" };
        let url = self.api_url(&format!("{search}?maxResults={}&fields={fields}", pagination.size));
        Ok(with_parameters(url?, [("jql", Some(jql)), (token_name, pagination.token.clone())]))
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

    fn parse_issue(&self, text: &str) -> Result<(DocumentRecord, Vec<Relation>), String> {
        shapes::issue(text, self.client.web(), self.namespace(), &self.project)
    }

    fn add_comments(&self, comments: &[&RawValue], key: &str, page: &mut Page) {
        for raw in comments {
            page.add(shapes::comment(raw.get(), key, self.client.web()).map(Some));
        }
    }

    /// Fetches all comments of an issue whose search result contained only some of them.
    async fn fetch_comments(&self, key: &str, page: &mut Page) -> Result<()> {
        let mut offset = 0;
        let mut guard = RepeatGuard::default();
        loop {
            let url = self.api_url(&format!(
                "issue/{}/comment?startAt={offset}&maxResults={PAGE_SIZE}&orderBy=created",
                escape(key)
            ));
            let response = self.client.try_get(url, &[404], "comments").await?;
            let Some(response) = response else { return Ok(()) };
            let list: Comments<'_> = response.json()?;
            if let Err(reason) = guard.add_raws(&list.comments, &format!("comments of {key}")) {
                page.records.push(Err(reason));
                return Ok(());
            }
            self.add_comments(&list.comments, key, page);
            offset += list.comments.len() as u64;
            if list.comments.is_empty() || list.total.is_none_or(|total| offset >= total) {
                return Ok(());
            }
        }
    }

    async fn fetch_issue(&self, path: &str) -> Result<Option<Response>> {
        let url = self.api_url(&format!("issue/{path}"));
        self.client.try_get(url, &[403, 404, 410], "an issue").await
    }

    async fn current_user(&self) -> Result<User> {
        self.client.get_json(self.api_url("myself"), "the token's account").await
    }
}

#[async_trait]
impl Tracker for Jira {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        let url = self.client.url("rest/api/2/serverInfo");
        let server: Server = self.client.get_json(url, "the server").await?;
        self.is_cloud = server.deployment_type.is_some_and(|d| d.eq_ignore_ascii_case("cloud"));
        // Search times are in the user's time zone; anonymous users have the server's.
        self.zone = server.server_time.as_deref().and_then(parse_offset).unwrap_or(TimeZone::UTC);
        if self.client.login.is_some() {
            let zone = self.current_user().await?.time_zone.and_then(|z| TimeZone::get(&z).ok());
            self.zone = zone.unwrap_or_else(|| self.zone.clone());
        }
        let url = self.api_url(&format!("project/{}", escape(&self.project)));
        let info: ProjectInfo = self.client.get_json(url, &self.project).await?;
        if let Some(key) = info.key.filter(|k| !k.is_empty()) {
            self.project = key;
        }
        Ok(Project {
            name: self.project.clone(),
            remote_id: info.id,
            private: self.client.login.is_some(),
            issues: true,
            archived: info.archived,
            ..Project::default()
        })
    }

    async fn user(&self) -> Result<Option<String>> {
        let current_user = self.current_user().await?;
        Ok(current_user.display_name.or(current_user.name))
    }

    fn size(&self, _stream: Stream) -> u32 {
        PAGE_SIZE
    }

    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        let response = self.client.get(self.list_url(stream, pagination)?).await?;
        // The page token has expired or belongs to another search.
        if response.status == 400 && pagination.token.is_some() {
            return Err(FetchError::Expired);
        }
        self.client.check_page(&response, pagination, stream)?;
        let search: SearchPage<'_> = response.json()?;
        let mut page = Page::default();
        for raw in &search.issues {
            if stream == Stream::Items {
                page.add_item(self.parse_issue(raw.get()));
            } else if let Some((key, comments, total)) = shapes::parse_comments(raw.get()) {
                page.other_names.push(key.clone());
                if total > comments.len() as u64 {
                    self.fetch_comments(&key, &mut page).await?;
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
        Ok(page.with_next((next, watermark)))
    }

    async fn item_bound(&self) -> Result<Option<u64>> {
        if self.is_cloud {
            // Cloud no longer returns a count.
            return Ok(None);
        }
        let response =
            self.client.get(self.list_url(Stream::Items, &Pagination::new(None, 1))?).await?;
        if response.status != 200 {
            return Ok(None);
        }
        Ok(response.json::<SearchPage<'_>>()?.total)
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        let path = format!("{}-{number}?fields={FIELDS}", escape(&self.project));
        let Some(response) = self.fetch_issue(&path).await? else { return Ok(Lookup::Gone) };
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
        let issue = self.parse_issue(&response.text());
        Ok(Lookup::from_parsed(issue.map(|(record, _)| Some(record))))
    }

    async fn comment(&self, number: u64, remote_id: &str) -> Result<Lookup> {
        let key = format!("{}-{number}", self.project);
        let path = format!("{}/comment/{}", escape(&key), escape(remote_id));
        let Some(response) = self.fetch_issue(&path).await? else { return Ok(Lookup::Gone) };
        Ok(Lookup::from_parsed(
            shapes::comment(&response.text(), &key, self.client.web()).map(Some),
        ))
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        &[ReleaseList::Versions]
    }

    async fn releases(&self, request: ReleaseRequest<'_>) -> Result<ReleasePage, FetchError> {
        let url = self.api_url(&format!("project/{}/versions", escape(&self.project)))?;
        release::fetch(&self.client, url, request, |response| {
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
