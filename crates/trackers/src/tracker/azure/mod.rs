//! The Azure DevOps connector: work items, their comments, and the project's wiki, which is a git
//! repository. Supports Azure DevOps Services, and Server 2022 and later (API version 7.0).
//!
//! A work item query (WIQL) returns only numbers, so a page is two requests: the numbers in the
//! order of their last change, and the items themselves. An item that was edited between the two
//! counts as listed, but its time does not move the watermark. Comments cost one request per item
//! and are a list of their own.

mod shapes;

use std::collections::BTreeMap;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use url::Url;

use super::{
    Address, Fate, Fetch, Page, Stream, Tracker,
    client::{Client, part},
    dates::{Time, time},
    repetition::RepeatGuard,
    walk::Pagination,
    wiki_git::WikiPlace,
};
use crate::{
    http::{Http, Login, Response},
    secrets::Token,
};
use precedent_core::{
    error::{Error, Result},
    model::Project,
    task::Task,
};
use shapes::{Comments, States, WorkItem};

/// The API version, and that of comments, which is still a preview.
/// <https://learn.microsoft.com/en-us/rest/api/azure/devops/wit/comments/get-comments?view=azure-devops-rest-7.1>
const VERSION: &str = "7.0";
const COMMENTS_VERSION: &str = "7.0-preview.3";
/// The number of work items on a page: the maximum of one request.
/// <https://learn.microsoft.com/en-us/rest/api/azure/devops/wit/work-items/get-work-items-batch?view=azure-devops-rest-7.1>
const PAGE: u32 = 200;
/// The number of work items whose comments form one page.
const THREADS: u32 = 20;
/// The number of comments in one response, and of responses that are read per work item.
const COMMENTS: u32 = 200;
const MAX_COMMENT_PAGES: u32 = 100;
/// The headers of a request; without the second, an anonymous one is redirected to a sign-in page.
const HEADERS: &[(&str, &str)] =
    &[("accept", "application/json"), ("x-tfs-fedauthredirect", "Suppress")];

/// An Azure DevOps project.
#[derive(Debug)]
pub struct Azure {
    client: Client,
    /// Organisation, or collection of a self-hosted server.
    organisation: String,
    project: String,
    states: States,
}

#[derive(Deserialize)]
struct About {
    id: Option<String>,
    name: Option<String>,
    state: Option<String>,
    visibility: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Numbers {
    /// Time of the snapshot that the query returned.
    as_of: Option<Time>,
    #[serde(default)]
    work_items: Vec<Value>,
}

/// The result of a query.
struct Listing {
    numbers: Vec<u64>,
    as_of: Option<Timestamp>,
    more: bool,
}

impl Listing {
    /// Returns a page without records that names the listed items.
    fn page(&self) -> Page {
        Page { other_names: self.numbers.iter().map(u64::to_string).collect(), ..Page::default() }
    }

    /// Returns the time of an item's last change if it is the one by which it was listed.
    fn time(&self, changed_at: Option<Timestamp>) -> Option<Timestamp> {
        changed_at.filter(|t| self.as_of.is_none_or(|as_of| *t < as_of))
    }
}

#[derive(Deserialize)]
struct Batch<'a> {
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
    /// Opens the project of this name (`organisation/project`); without a token, its public
    /// content.
    pub fn new(http: Http, address: &Address, name: &str, token: Option<&Token>) -> Self {
        let (organisation, project) = name.split_once('/').unwrap_or((name, ""));
        let client =
            Client::new(http, address, super::Kind::Azure.streams(false), token, Login::password);
        Self {
            client: Client { headers: HEADERS, own_refusal, ..client },
            organisation: organisation.to_owned(),
            project: project.to_owned(),
            states: States::default(),
        }
    }

    fn name(&self) -> String {
        format!("{}/{}", self.organisation, self.project)
    }

    /// Returns the project's web address.
    fn web(&self) -> String {
        format!("{}/{}/{}", self.client.web(), part(&self.organisation), part(&self.project))
    }

    /// Returns the address of a path of the organisation.
    fn above(&self, path: &str, version: &str) -> Result<Url> {
        let and = if path.contains('?') { '&' } else { '?' };
        self.client
            .url(&format!("{}/_apis/{path}{and}api-version={version}", part(&self.organisation)))
    }

    /// Returns the address of a path of the project.
    fn below(&self, path: &str, version: &str) -> Result<Url> {
        let and = if path.contains('?') { '&' } else { '?' };
        Url::parse(&format!("{}/_apis/{path}{and}api-version={version}", self.web()))
            .map_err(|_| Error::invalid("the tracker address is not valid"))
    }

    /// Returns the query for a page. WIQL cannot skip results, so it requests all up to the end of
    /// the page. <https://learn.microsoft.com/en-us/azure/devops/boards/queries/wiql-syntax>
    fn query(&self, stream: Stream, walk: &Pagination) -> Result<(Url, Value)> {
        let columns = if stream == Stream::Items {
            "[System.Id]"
        } else {
            "[System.Id], [System.CommentCount]"
        };
        let mut text =
            format!("SELECT {columns} FROM WorkItems WHERE [System.TeamProject] = @project");
        if let Some(since) = walk.since {
            // Times have millisecond precision.
            text.push_str(&format!(
                " AND [System.ChangedDate] >= '{}'",
                since.strftime("%Y-%m-%dT%H:%M:%S.%3fZ")
            ));
        }
        if walk.open {
            let closed_states = self.states.closed_states();
            if !closed_states.is_empty() {
                text.push_str(&format!(
                    " AND [System.State] NOT IN ({})",
                    closed_states.join(", ")
                ));
            }
            if let Some(last) = &walk.token {
                let last: u64 =
                    last.parse().map_err(|_| Error::invalid("a work item number is not valid"))?;
                text.push_str(&format!(" AND [System.Id] > {last}"));
            }
            text.push_str(" ORDER BY [System.Id] ASC");
        } else {
            text.push_str(" ORDER BY [System.ChangedDate] ASC, [System.Id] ASC");
        }
        let until = if walk.open { walk.size } else { walk.page.saturating_mul(walk.size) };
        let url = self.below(&format!("wit/wiql?timePrecision=true&$top={until}"), VERSION)?;
        Ok((url, json!({"query": text})))
    }

    /// Returns the numbers of a page, and whether there is another one.
    async fn numbers(
        &self,
        stream: Stream,
        walk: &Pagination,
        task: &Task,
    ) -> Result<std::result::Result<Listing, Fetch>> {
        let (url, query) = self.query(stream, walk)?;
        let response = self.client.post(url, &query, task).await?;
        if let Some(outcome) = self.client.not_a_page(&response, walk, stream)? {
            return Ok(Err(outcome));
        }
        let size = usize::try_from(walk.size).unwrap_or(usize::MAX);
        let results: Numbers = response.json()?;
        let ids = results.work_items.iter().filter_map(|item| item.get("id")?.as_u64());
        let offset = if walk.open { 0 } else { size.saturating_mul((walk.page - 1) as usize) };
        let numbers: Vec<u64> = ids.skip(offset).take(size).collect();
        let more = numbers.len() == size;
        Ok(Ok(Listing { numbers, as_of: time(results.as_of), more }))
    }

    /// Fetches the listed work items by number; items deleted meanwhile are omitted.
    async fn batch(
        &self,
        stream: Stream,
        page: &mut Page,
        numbers: &[u64],
        task: &Task,
    ) -> Result<BTreeMap<u64, WorkItem>> {
        let mut items = BTreeMap::new();
        if numbers.is_empty() {
            return Ok(items);
        }
        let mut body = json!({"ids": numbers, "errorPolicy": "Omit"});
        match stream {
            // Relations can be requested with all fields only.
            Stream::Items => body["$expand"] = "Relations".into(),
            _ => body["fields"] = json!(["System.Id", "System.ChangedDate", "System.CommentCount"]),
        }
        let url = self.below("wit/workitemsbatch", VERSION)?;
        let response = self.client.post(url, &body, task).await?;
        if response.status != 200 {
            return Err(self.client.refusal(&response, "work items"));
        }
        for raw in response.json::<Batch<'_>>()?.value.into_iter().flatten() {
            match shapes::item(raw.get()) {
                Ok(item) => drop(items.insert(item.id, item)),
                Err(why) if stream == Stream::Items => page.records.push(Err(why)),
                Err(_) => {}
            }
        }
        Ok(items)
    }

    /// Fetches the comments of one work item.
    async fn thread(&self, number: u64, page: &mut Page, task: &Task) -> Result<Option<Fetch>> {
        let mut next_token: Option<String> = None;
        let mut guard = RepeatGuard::default();
        for _ in 0..MAX_COMMENT_PAGES {
            let token =
                next_token.map(|t| format!("&continuationToken={}", part(&t))).unwrap_or_default();
            let path = format!("wit/workItems/{number}/comments?$top={COMMENTS}&order=asc{token}");
            let response = self.client.get(self.below(&path, COMMENTS_VERSION)?, task).await?;
            match response.status {
                200 => {}
                // The item was deleted or moved while the page was read.
                404 => return Ok(None),
                _ => return self.client.list_refusal(&response, "comments").map(Some),
            }
            let list: Comments<'_> = response.json()?;
            if let Err(endless) = guard.note(list.comments.iter().map(|raw| raw.get())) {
                page.records
                    .push(Err(endless.error(&format!("comments of #{number}")).to_string()));
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
        Ok(None)
    }
}

/// Returns the next place in a list, and the watermark.
fn next_place(
    walk: &Pagination,
    times: &[Timestamp],
    listing: &Listing,
) -> (Option<Pagination>, Option<Timestamp>) {
    let (next, watermark) = walk.by_change(times, listing.more);
    let token = listing.numbers.last().map(u64::to_string).filter(|_| walk.open);
    (next.map(|next| Pagination { token, ..next }), watermark)
}

/// Returns the error of a wrong or missing token, which is answered with a sign-in page.
fn own_refusal(client: &Client, response: &Response, subject: &str) -> Option<Error> {
    matches!(response.status, 203 | 302).then(|| client.refusal_as(401, response, subject))
}

#[async_trait]
impl Tracker for Azure {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        let url = self.above(&format!("projects/{}", part(&self.project)), VERSION);
        let about: About = self.client.json(url, &self.name(), task).await?;
        if let Some(name) = about.name.filter(|n| !n.is_empty()) {
            self.project = name;
        }
        // The work item types, each with the categories of its states.
        // <https://learn.microsoft.com/en-us/rest/api/azure/devops/wit/work-item-types/list?view=azure-devops-rest-7.1>
        let url = self.below("wit/workitemtypes", VERSION);
        let kinds = self.client.value(url, "/value", "the work item types", task).await?;
        self.states = States::of(kinds);
        Ok(Project {
            name: self.name(),
            remote_id: about.id,
            private: about.visibility.as_deref() != Some("public"),
            wiki: true,
            issues: true,
            archived: about.state.is_some_and(|s| s != "wellFormed"),
        })
    }

    async fn user(&self, task: &Task) -> Result<Option<String>> {
        let url = self.above("connectionData", "7.0-preview");
        let me = self.client.find(url, &[403, 404], "the account of the token", task).await?;
        let user = me.map(|response| response.at::<User>("/authenticatedUser")).transpose()?;
        Ok(user
            .flatten()
            .and_then(|u| u.custom_display_name.or(u.provider_display_name))
            .filter(|n| !n.is_empty()))
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE } else { THREADS }
    }

    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let listing = match self.numbers(stream, walk, task).await? {
            Ok(listing) => listing,
            Err(outcome) => return Ok(outcome),
        };
        let mut page = listing.page();
        let mut times = Vec::new();
        let mut items = self.batch(stream, &mut page, &listing.numbers, task).await?;
        // The response may have another order than the query.
        for number in &listing.numbers {
            let Some(item) = items.remove(number) else { continue };
            times.extend(listing.time(item.changed_at()));
            if stream == Stream::Items {
                page.relations.push((*number, item.relations(&self.name())));
                page.add(Ok(Some(item.record(&self.states, &self.web()))));
            } else if item.comment_count() != Some(0)
                && let Some(refusal) = self.thread(*number, &mut page, task).await?
            {
                return Ok(refusal);
            }
        }
        Ok(page.followed_by(next_place(walk, &times, &listing)))
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        let url = self.above(&format!("wit/workitems/{number}?$expand=Relations"), VERSION);
        let response = self.client.find(url, &[403, 404, 410], "a work item", task).await?;
        let Some(response) = response else { return Ok(Fate::Gone) };
        let item = shapes::item(&response.text());
        let project = item.as_ref().ok().and_then(WorkItem::project);
        match project.filter(|project| !project.eq_ignore_ascii_case(&self.project)) {
            Some(project) => {
                Ok(Fate::Moved(Some(format!("{}/{project}#{number}", self.organisation))))
            }
            None => Ok(Fate::of(item.map(|item| Some(item.record(&self.states, &self.web()))))),
        }
    }

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        let url = self.below(
            &format!("wit/workItems/{number}/comments/{}", part(remote_id)),
            COMMENTS_VERSION,
        );
        let response = self.client.find(url, &[404, 410], "comments", task).await?;
        let Some(response) = response else { return Ok(Fate::Gone) };
        Ok(Fate::of(shapes::comment(&response.text(), number, &self.web())))
    }

    /// Returns the project wiki; wikis published from other repositories are not read.
    /// <https://learn.microsoft.com/en-us/azure/devops/project/wiki/wiki-file-structure>
    fn wiki(&self) -> Option<WikiPlace> {
        let (web, name) = (self.web(), part(&format!("{}.wiki", self.project)));
        Some(WikiPlace {
            repository: Url::parse(&format!("{web}/_git/{name}")).ok()?,
            pages: format!("{web}/_wiki/wikis/{name}?pagePath=/"),
            token: self.client.token.clone(),
        })
    }
}
