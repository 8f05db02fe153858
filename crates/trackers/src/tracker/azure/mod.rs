//! The Azure DevOps connector: work items, their comments, and the project's wiki, which is a git
//! repository. Supports Azure DevOps Services, and Server 2022 and later (API version 7.0).
//!
//! A work item query (WIQL) returns only numbers, so each page takes two requests: one for the
//! numbers, ordered by last change, and one for the items. An item edited between them is treated
//! as listed, but its time does not move the watermark. Comments take one request per item and are
//! listed separately.

mod shapes;

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use url::Url;

use super::{
    Connection, FetchError, Lookup, Page, Stream, Tracker,
    client::{Client, escape},
    dates::{Time, time},
    pagination::Pagination,
    repetition::RepeatGuard,
    wiki_git::WikiLocation,
};
use crate::http::{Login, Response};
use precedent_core::{
    error::{Error, Result},
    model::Project,
};
use shapes::{Comments, States, WorkItem};

/// The API version.
const VERSION: &str = "7.0";
/// The version of the comments API, which is still a preview.
/// <https://learn.microsoft.com/en-us/rest/api/azure/devops/wit/comments/get-comments?view=azure-devops-rest-7.1>
const COMMENTS_VERSION: &str = "7.0-preview.3";
/// The number of work items per page, which is the maximum per request.
/// <https://learn.microsoft.com/en-us/rest/api/azure/devops/wit/work-items/get-work-items-batch?view=azure-devops-rest-7.1>
const PAGE_SIZE: u32 = 200;
const ITEMS_PER_COMMENT_PAGE: u32 = 20;
/// The number of comments per response.
const COMMENTS_PER_RESPONSE: u32 = 200;
/// The maximum number of comment pages read per work item.
const MAX_COMMENT_PAGES: u32 = 100;
/// The headers of every request; the second prevents redirects to a sign-in page.
const HEADERS: &[(&str, &str)] =
    &[("accept", "application/json"), ("x-tfs-fedauthredirect", "Suppress")];

/// An Azure DevOps project.
pub struct Azure {
    client: Client,
    /// Organization, or collection of a self-hosted server.
    organization: String,
    project: String,
    states: States,
}

#[derive(Deserialize)]
struct ProjectInfo {
    id: Option<String>,
    name: Option<String>,
    state: Option<String>,
    visibility: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct QueryResult {
    /// Time of the data that the query returned.
    as_of: Option<Time>,
    #[serde(default)]
    work_items: Vec<Value>,
}

struct ItemListing {
    numbers: Vec<u64>,
    as_of: Option<Timestamp>,
    has_more: bool,
}

impl ItemListing {
    /// Returns a page that names the listed items but has no records.
    fn page(&self) -> Page {
        Page { other_names: self.numbers.iter().map(u64::to_string).collect(), ..Page::default() }
    }

    /// Returns an item's last change unless it is later than the listing.
    fn listed_change(&self, changed_at: Option<Timestamp>) -> Option<Timestamp> {
        changed_at.filter(|t| self.as_of.is_none_or(|as_of| *t < as_of))
    }
}

#[derive(Deserialize)]
struct ItemBatch<'a> {
    #[serde(borrow, default)]
    value: Vec<Option<&'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct User {
    provider_display_name: Option<String>,
    custom_display_name: Option<String>,
}

impl Azure {
    /// Opens the project with this name (`organization/project`).
    pub fn new(connection: &Connection<'_>) -> Self {
        let name = connection.project;
        let (organization, project) = name.split_once('/').unwrap_or((name, ""));
        let client = Client::new(connection, Login::password);
        Self {
            client: Client { headers: HEADERS, custom_error, ..client },
            organization: organization.to_owned(),
            project: project.to_owned(),
            states: States::default(),
        }
    }

    fn name(&self) -> String {
        format!("{}/{}", self.organization, self.project)
    }

    fn web(&self) -> String {
        format!("{}/{}/{}", self.client.web(), escape(&self.organization), escape(&self.project))
    }

    fn organization_url(&self, path: &str, version: &str) -> Result<Url> {
        self.api_url(&escape(&self.organization), path, version)
    }

    fn project_url(&self, path: &str, version: &str) -> Result<Url> {
        let scope = format!("{}/{}", escape(&self.organization), escape(&self.project));
        self.api_url(&scope, path, version)
    }

    fn api_url(&self, scope: &str, path: &str, version: &str) -> Result<Url> {
        let separator = if path.contains('?') { '&' } else { '?' };
        self.client.url(&format!("{scope}/_apis/{path}{separator}api-version={version}"))
    }

    /// Returns the query for a page. Its results include all earlier pages: WIQL has no offset.
    /// <https://learn.microsoft.com/en-us/azure/devops/boards/queries/wiql-syntax>
    fn query(&self, stream: Stream, pagination: &Pagination) -> Result<(Url, Value)> {
        let columns = if stream == Stream::Items {
            "[System.Id]"
        } else {
            "[System.Id], [System.CommentCount]"
        };
        let mut text =
            format!("SELECT {columns} FROM WorkItems WHERE [System.TeamProject] = @project");
        if let Some(since) = pagination.since {
            // Times have millisecond precision.
            text.push_str(&format!(
                " AND [System.ChangedDate] >= '{}'",
                since.strftime("%Y-%m-%dT%H:%M:%S.%3fZ")
            ));
        }
        if pagination.open {
            let closed_states = self.states.closed_states();
            if !closed_states.is_empty() {
                text.push_str(&format!(
                    " AND [System.State] NOT IN ({})",
                    closed_states.join(", ")
                ));
            }
            if let Some(last) = &pagination.token {
                let last: u64 =
                    last.parse().map_err(|_| Error::invalid("invalid work item number"))?;
                text.push_str(&format!(" AND [System.Id] > {last}"));
            }
            text.push_str(" ORDER BY [System.Id] ASC");
        } else {
            text.push_str(" ORDER BY [System.ChangedDate] ASC, [System.Id] ASC");
        }
        let limit = if pagination.open {
            pagination.size
        } else {
            pagination.page.saturating_mul(pagination.size)
        };
        let url =
            self.project_url(&format!("wit/wiql?timePrecision=true&$top={limit}"), VERSION)?;
        Ok((url, json!({"query": text})))
    }

    async fn list_numbers(
        &self,
        stream: Stream,
        pagination: &Pagination,
    ) -> Result<ItemListing, FetchError> {
        let (url, query) = self.query(stream, pagination)?;
        let response = self.client.post(url, &query).await?;
        self.client.check_page(&response, pagination, stream)?;
        let size = usize::try_from(pagination.size).unwrap_or(usize::MAX);
        let results: QueryResult = response.json()?;
        let ids = results.work_items.iter().filter_map(|item| item.get("id")?.as_u64());
        let offset =
            if pagination.open { 0 } else { size.saturating_mul((pagination.page - 1) as usize) };
        let numbers: Vec<u64> = ids.skip(offset).take(size).collect();
        let has_more = numbers.len() == size;
        Ok(ItemListing { numbers, as_of: time(results.as_of), has_more })
    }

    /// Fetches the listed work items by number; items deleted in the meantime are omitted.
    async fn fetch_items(
        &self,
        stream: Stream,
        page: &mut Page,
        numbers: &[u64],
    ) -> Result<BTreeMap<u64, WorkItem>> {
        let mut items = BTreeMap::new();
        if numbers.is_empty() {
            return Ok(items);
        }
        let mut body = json!({"ids": numbers, "errorPolicy": "Omit"});
        match stream {
            // Relations can only be requested together with all fields.
            Stream::Items => body["$expand"] = "Relations".into(),
            _ => body["fields"] = json!(["System.Id", "System.ChangedDate", "System.CommentCount"]),
        }
        let url = self.project_url("wit/workitemsbatch", VERSION)?;
        let response = self.client.post(url, &body).await?;
        if response.status != 200 {
            return Err(self.client.error_for(&response, "work items"));
        }
        for raw in response.json::<ItemBatch<'_>>()?.value.into_iter().flatten() {
            match shapes::item(raw.get()) {
                Ok(item) => drop(items.insert(item.id, item)),
                Err(reason) if stream == Stream::Items => page.records.push(Err(reason)),
                Err(_) => {}
            }
        }
        Ok(items)
    }

    async fn fetch_comments(&self, number: u64, page: &mut Page) -> Result<(), FetchError> {
        let mut next_token: Option<String> = None;
        let mut guard = RepeatGuard::default();
        for _ in 0..MAX_COMMENT_PAGES {
            let token_parameter = next_token
                .map(|t| format!("&continuationToken={}", escape(&t)))
                .unwrap_or_default();
            let path = format!(
                "wit/workItems/{number}/comments?$top={COMMENTS_PER_RESPONSE}&order=asc{token_parameter}"
            );
            let response = self.client.get(self.project_url(&path, COMMENTS_VERSION)?).await?;
            match response.status {
                200 => {}
                // The item was deleted or moved while the page was being read.
                404 => return Ok(()),
                _ => return Err(self.client.list_failure(&response, "comments")),
            }
            let list: Comments<'_> = response.json()?;
            if let Err(reason) = guard.add_raws(&list.comments, &format!("comments of #{number}")) {
                page.records.push(Err(reason));
                break;
            }
            for raw in &list.comments {
                page.add(shapes::comment(raw.get(), number, &self.web()));
            }
            next_token =
                list.continuation_token.filter(|t| !t.is_empty() && !list.comments.is_empty());
            if next_token.is_none() {
                break;
            }
        }
        Ok(())
    }
}

fn next_page(
    pagination: &Pagination,
    times: &[Timestamp],
    listing: &ItemListing,
) -> (Option<Pagination>, Option<Timestamp>) {
    let (next, watermark) = pagination.by_change(times, listing.has_more);
    let token = listing.numbers.last().map(u64::to_string).filter(|_| pagination.open);
    (next.map(|next| Pagination { token, ..next }), watermark)
}

/// Returns the error for a wrong or missing token; the server responds with a sign-in page.
fn custom_error(client: &Client, response: &Response, subject: &str) -> Option<Error> {
    (response.status == 203).then(|| client.status_error(401, response, subject))
}

#[async_trait]
impl Tracker for Azure {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        let url = self.organization_url(&format!("projects/{}", escape(&self.project)), VERSION);
        let info: ProjectInfo = self.client.get_json(url, &self.name()).await?;
        if let Some(name) = info.name.filter(|n| !n.is_empty()) {
            self.project = name;
        }
        // The work item types define the categories of their states.
        // <https://learn.microsoft.com/en-us/rest/api/azure/devops/wit/work-item-types/list?view=azure-devops-rest-7.1>
        let url = self.project_url("wit/workitemtypes", VERSION);
        let kinds = self.client.get_at(url, "/value", "the work item types").await?;
        self.states = States::new(kinds);
        Ok(Project {
            name: self.name(),
            remote_id: info.id,
            private: info.visibility.as_deref() != Some("public"),
            wiki: true,
            issues: true,
            archived: info.state.is_some_and(|s| s != "wellFormed"),
        })
    }

    async fn user(&self) -> Result<Option<String>> {
        let url = self.organization_url("connectionData", "7.0-preview");
        let response = self.client.try_get(url, &[403, 404], "the token's account").await?;
        let user =
            response.map(|response| response.at::<User>("/authenticatedUser")).transpose()?;
        Ok(user
            .flatten()
            .and_then(|u| u.custom_display_name.or(u.provider_display_name))
            .filter(|n| !n.is_empty()))
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE_SIZE } else { ITEMS_PER_COMMENT_PAGE }
    }

    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        let listing = self.list_numbers(stream, pagination).await?;
        let mut page = listing.page();
        let mut times = Vec::new();
        let mut items = self.fetch_items(stream, &mut page, &listing.numbers).await?;
        // The order of the response may differ from the query's.
        for number in &listing.numbers {
            let Some(item) = items.remove(number) else { continue };
            times.extend(listing.listed_change(item.changed_at()));
            if stream == Stream::Items {
                let relations = item.relations(&self.name());
                page.add_item(Ok((item.record(&self.states, &self.web()), relations)));
            } else if item.comment_count() != Some(0) {
                self.fetch_comments(*number, &mut page).await?;
            }
        }
        Ok(page.with_next(next_page(pagination, &times, &listing)))
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        let url =
            self.organization_url(&format!("wit/workitems/{number}?$expand=Relations"), VERSION);
        let response = self.client.try_get(url, &[403, 404, 410], "a work item").await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        let item = shapes::item(&response.text());
        let project = item.as_ref().ok().and_then(WorkItem::project);
        match project.filter(|project| !project.eq_ignore_ascii_case(&self.project)) {
            Some(project) => {
                Ok(Lookup::Moved(Some(format!("{}/{project}#{number}", self.organization))))
            }
            None => Ok(Lookup::from_parsed(
                item.map(|item| Some(item.record(&self.states, &self.web()))),
            )),
        }
    }

    async fn comment(&self, number: u64, remote_id: &str) -> Result<Lookup> {
        let url = self.project_url(
            &format!("wit/workItems/{number}/comments/{}", escape(remote_id)),
            COMMENTS_VERSION,
        );
        let response = self.client.try_get(url, &[404, 410], "comments").await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        Ok(Lookup::from_parsed(shapes::comment(&response.text(), number, &self.web())))
    }

    /// Returns the project wiki; wikis published from other repositories are not read.
    /// <https://learn.microsoft.com/en-us/azure/devops/project/wiki/wiki-file-structure>
    fn wiki(&self) -> Option<WikiLocation> {
        let (web, name) = (self.web(), escape(&format!("{}.wiki", self.project)));
        let prefix = format!("{web}/_wiki/wikis/{name}?pagePath=/");
        WikiLocation::new(&self.client, &format!("{web}/_git/{name}"), prefix)
    }
}
