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
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json, value::RawValue};
use url::Url;

use super::{
    Address, Fate, Fetch, Page, Stream, Tracker,
    client::{Client, part},
    repetition::RepeatGuard,
    walk::Pagination,
    wiki_git::WikiPlace,
};
use crate::{
    http::{Http, Login, Request, Response},
    secrets::Token,
};
use precedent_core::{
    error::{Code, Error, Result},
    model::{Access, Project, Record},
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

/// An Azure DevOps project.
#[derive(Debug)]
pub struct Azure {
    client: Client,
    /// Organisation, or collection of a self-hosted server.
    organisation: String,
    project: String,
    states: States,
    token: Option<Token>,
}

#[derive(Deserialize)]
struct About {
    id: Option<String>,
    name: Option<String>,
    state: Option<String>,
    visibility: Option<String>,
}

#[derive(Deserialize)]
struct ValueList<T> {
    #[serde(default = "Vec::new")]
    value: Vec<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Numbers {
    /// Time of the snapshot that the query returned.
    #[serde(default, deserialize_with = "crate::tracker::dates::lenient")]
    as_of: Option<Timestamp>,
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
struct Me {
    authenticated_user: Option<User>,
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
        let login = token.map(|t| Login::password(&address.base, t));
        let (organisation, project) = name.split_once('/').unwrap_or((name, ""));
        Self {
            client: Client::new(http, address, login),
            organisation: organisation.to_owned(),
            project: project.to_owned(),
            states: States::default(),
            token: token.cloned(),
        }
    }

    fn name(&self) -> String {
        format!("{}/{}", self.organisation, self.project)
    }

    /// Returns the project's web address.
    fn web(&self) -> String {
        let base = self.client.base.as_str().trim_end_matches('/');
        format!("{base}/{}/{}", part(&self.organisation), part(&self.project))
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

    async fn send(&self, request: Request, task: &Task) -> Result<Response> {
        // Without this header, an anonymous request is redirected to a sign-in page.
        let request = request
            .header("accept", "application/json")
            .header("x-tfs-fedauthredirect", "Suppress");
        self.client.http.send(&request, self.client.login.as_ref(), task).await
    }

    async fn get(&self, url: Url, task: &Task) -> Result<Response> {
        self.send(Request::get(url), task).await
    }

    async fn json<T: DeserializeOwned>(&self, url: Url, subject: &str, task: &Task) -> Result<T> {
        let response = self.get(url, task).await?;
        if response.status == 200 { response.json() } else { Err(self.refusal(&response, subject)) }
    }

    /// Returns the error of an unsuccessful response. A wrong or missing token is answered with a
    /// sign-in page and the status 203.
    fn refusal(&self, response: &Response, subject: &str) -> Error {
        match response.status {
            203 | 302 => self.client.refusal_as(401, response, subject),
            _ => self.client.refusal(response, subject),
        }
    }

    fn list_refusal(&self, response: &Response, subject: &str) -> Result<Fetch> {
        match response.status {
            403 | 404 | 410 => Ok(Fetch::Refused(self.refusal(response, subject).to_string())),
            _ => Err(self.refusal(response, subject)),
        }
    }

    /// Returns the query for a page. WIQL cannot skip results, so it requests all up to the end of
    /// the page. <https://learn.microsoft.com/en-us/azure/devops/boards/queries/wiql-syntax>
    fn query(&self, stream: Stream, walk: &Pagination) -> Result<Request> {
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
        Ok(Request::post(url, &json!({"query": text})))
    }

    /// Returns the numbers of a page, and whether there is another one.
    async fn numbers(
        &self,
        stream: Stream,
        walk: &Pagination,
        task: &Task,
    ) -> Result<std::result::Result<Listing, Fetch>> {
        let response = self.send(self.query(stream, walk)?, task).await?;
        if let Some(smaller) = walk.retry_smaller(response.status) {
            return Ok(Err(smaller));
        }
        if response.status != 200 {
            return self.list_refusal(&response, stream.words()).map(Err);
        }
        let size = usize::try_from(walk.size).unwrap_or(usize::MAX);
        let results: Numbers = response.json()?;
        let ids = results.work_items.iter().filter_map(|item| item.get("id")?.as_u64());
        let offset = if walk.open { 0 } else { size.saturating_mul((walk.page - 1) as usize) };
        let numbers: Vec<u64> = ids.skip(offset).take(size).collect();
        let more = numbers.len() == size;
        Ok(Ok(Listing { numbers, as_of: results.as_of, more }))
    }

    /// Fetches the work items with these numbers; items deleted meanwhile are omitted.
    async fn batch(&self, numbers: &[u64], options: Value, task: &Task) -> Result<Response> {
        let mut body = json!({"ids": numbers, "errorPolicy": "Omit"});
        for (name, value) in options.as_object().into_iter().flatten() {
            body[name] = value.clone();
        }
        let response = self
            .send(Request::post(self.below("wit/workitemsbatch", VERSION)?, &body), task)
            .await?;
        if response.status == 200 {
            Ok(response)
        } else {
            Err(self.refusal(&response, "work items"))
        }
    }

    async fn items(&self, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let listing = match self.numbers(Stream::Items, walk, task).await? {
            Ok(listing) => listing,
            Err(outcome) => return Ok(outcome),
        };
        let mut page = listing.page();
        let mut times = Vec::new();
        let numbers = &listing.numbers;
        if !numbers.is_empty() {
            // Relations can be requested with all fields only.
            let response = self.batch(numbers, json!({"$expand": "Relations"}), task).await?;
            let batch: Batch<'_> = response.json()?;
            let mut items: BTreeMap<u64, WorkItem> = BTreeMap::new();
            for raw in batch.value.into_iter().flatten() {
                match shapes::item(raw.get()) {
                    Ok(item) => drop(items.insert(item.id, item)),
                    Err(why) => page.records.push(Err(why)),
                }
            }
            // The response may have another order than the query.
            for number in numbers {
                let Some(item) = items.remove(number) else { continue };
                times.extend(listing.time(item.changed_at()));
                page.relations.push((*number, item.relations(&self.name())));
                let record = item.record(&self.states, &self.web());
                page.records.push(Ok(Record::Document(Box::new(record))));
            }
        }
        Ok(Fetch::Page(self.with_cursor(page, walk, &times, &listing)))
    }

    async fn notes(&self, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let listing = match self.numbers(Stream::Comments, walk, task).await? {
            Ok(listing) => listing,
            Err(outcome) => return Ok(outcome),
        };
        let mut page = listing.page();
        let mut times = Vec::new();
        let numbers = &listing.numbers;
        if !numbers.is_empty() {
            let fields = ["System.Id", "System.ChangedDate", "System.CommentCount"];
            let response = self.batch(numbers, json!({"fields": fields}), task).await?;
            let batch: Batch<'_> = response.json()?;
            let items =
                batch.value.into_iter().flatten().filter_map(|raw| shapes::item(raw.get()).ok());
            let items: BTreeMap<u64, WorkItem> = items.map(|item| (item.id, item)).collect();
            for number in numbers {
                let Some(item) = items.get(number) else { continue };
                times.extend(listing.time(item.changed_at()));
                if item.comment_count() == Some(0) {
                    continue;
                }
                if let Some(refusal) = self.thread(*number, &mut page, task).await? {
                    return Ok(refusal);
                }
            }
        }
        Ok(Fetch::Page(self.with_cursor(page, walk, &times, &listing)))
    }

    /// Fetches the comments of one work item.
    async fn thread(&self, number: u64, page: &mut Page, task: &Task) -> Result<Option<Fetch>> {
        let mut next_token: Option<String> = None;
        let mut guard = RepeatGuard::default();
        for _ in 0..MAX_COMMENT_PAGES {
            let token =
                next_token.map(|t| format!("&continuationToken={}", part(&t))).unwrap_or_default();
            let path = format!("wit/workItems/{number}/comments?$top={COMMENTS}&order=asc{token}");
            let response = self.get(self.below(&path, COMMENTS_VERSION)?, task).await?;
            match response.status {
                200 => {}
                // The item was deleted or moved while the page was read.
                404 => return Ok(None),
                _ => return self.list_refusal(&response, "comments").map(Some),
            }
            let list: Comments<'_> = response.json()?;
            if let Err(endless) = guard.note(list.comments.iter().map(|raw| raw.get())) {
                page.records
                    .push(Err(endless.error(&format!("comments of #{number}")).to_string()));
                break;
            }
            for raw in &list.comments {
                match shapes::comment(raw.get(), number, &self.web()) {
                    Ok(Some(comment)) => page.records.push(Ok(Record::Comment(Box::new(comment)))),
                    Ok(None) => {}
                    Err(why) => page.records.push(Err(why)),
                }
            }
            next_token =
                list.continuation_token.filter(|t| !t.is_empty() && !list.comments.is_empty());
            if next_token.is_none() {
                break;
            }
        }
        Ok(None)
    }

    fn with_cursor(
        &self,
        page: Page,
        walk: &Pagination,
        times: &[Timestamp],
        listing: &Listing,
    ) -> Page {
        let more = listing.more;
        let (next, watermark) = if walk.open {
            let token = listing.numbers.last().map(|n| n.to_string());
            (more.then(|| Pagination { page: walk.page + 1, token, ..walk.clone() }), None)
        } else {
            walk.by_change(times, more)
        };
        Page { next: next.map(|w| w.cursor()), watermark, ..page }
    }

    async fn user_name(&self, task: &Task) -> Result<Option<String>> {
        if self.client.login.is_none() {
            return Ok(None);
        }
        let response = self.get(self.above("connectionData", "7.0-preview")?, task).await?;
        if response.status != 200 {
            return match response.status {
                401 | 203 | 302 => Err(self.refusal(&response, "the account of the token")),
                _ => Ok(None),
            };
        }
        let user = response.json::<Me>()?.authenticated_user;
        Ok(user
            .and_then(|u| u.custom_display_name.or(u.provider_display_name))
            .filter(|n| !n.is_empty()))
    }
}

#[async_trait]
impl Tracker for Azure {
    fn connection(&self) -> (&Http, Option<&Login>) {
        (&self.client.http, self.client.login.as_ref())
    }

    fn streams(&self) -> &'static [Stream] {
        super::Kind::Azure.streams(false)
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        let url = self.above(&format!("projects/{}", part(&self.project)), VERSION)?;
        let about: About = self.json(url, &self.name(), task).await?;
        if let Some(name) = about.name.filter(|n| !n.is_empty()) {
            self.project = name;
        }
        // The work item types, each with the categories of its states.
        // <https://learn.microsoft.com/en-us/rest/api/azure/devops/wit/work-item-types/list?view=azure-devops-rest-7.1>
        let kinds: ValueList<shapes::Kind> = self
            .json(self.below("wit/workitemtypes", VERSION)?, "the work item types", task)
            .await?;
        self.states = States::of(kinds.value);
        Ok(Project {
            name: self.name(),
            remote_id: about.id,
            private: about.visibility.as_deref() != Some("public"),
            wiki: true,
            issues: true,
            archived: about.state.is_some_and(|s| s != "wellFormed"),
        })
    }

    async fn access(&mut self, task: &Task) -> Result<Access> {
        let user = self.user_name(task).await?;
        let mut access = Access { project: self.probe(task).await?, user, ..Access::default() };
        match self.numbers(Stream::Items, &Pagination::new(None, 1), task).await? {
            Ok(listing) => {
                if let Some(number) = listing.numbers.first() {
                    let outcome = self.thread(*number, &mut Page::default(), task).await?;
                    if let Some(Fetch::Refused(why)) = outcome {
                        access.refused.push(why);
                    }
                }
            }
            Err(Fetch::Refused(why)) => access.refused.push(why),
            Err(_) => {}
        }
        Ok(access)
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE } else { THREADS }
    }

    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        match stream {
            Stream::Items => self.items(walk, task).await,
            _ => self.notes(walk, task).await,
        }
    }

    async fn item_bound(&self, _task: &Task) -> Result<Option<u64>> {
        // A query returns at most 20,000 numbers and no total.
        Ok(None)
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        let url = self.above(&format!("wit/workitems/{number}?$expand=Relations"), VERSION)?;
        let response = self.get(url, task).await?;
        match response.status {
            200 => {
                let Ok(item) = shapes::item(&String::from_utf8_lossy(&response.body)) else {
                    return Ok(Fate::Unreadable);
                };
                if let Some(project) =
                    item.project().filter(|p| !p.eq_ignore_ascii_case(&self.project))
                {
                    return Ok(Fate::Moved(Some(format!(
                        "{}/{project}#{number}",
                        self.organisation
                    ))));
                }
                let record = item.record(&self.states, &self.web());
                Ok(Fate::Here(Box::new(Record::Document(Box::new(record)))))
            }
            403 | 404 | 410 => Ok(Fate::Gone),
            _ => Err(self.refusal(&response, "a work item")),
        }
    }

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        let id: u64 =
            remote_id.parse().map_err(|_| Error::invalid("a comment's id is a number"))?;
        let path = format!("wit/workItems/{number}/comments/{id}");
        let response = self.get(self.below(&path, COMMENTS_VERSION)?, task).await?;
        match response.status {
            200 => Ok(
                match shapes::comment(&String::from_utf8_lossy(&response.body), number, &self.web())
                {
                    Ok(Some(comment)) => Fate::Here(Box::new(Record::Comment(Box::new(comment)))),
                    Ok(None) => Fate::Gone,
                    Err(_) => Fate::Unreadable,
                },
            ),
            404 | 410 => Ok(Fate::Gone),
            403 => Err(Error::new(Code::Authentication, "no permission to read comments")),
            _ => Err(self.refusal(&response, "comments")),
        }
    }

    /// Returns the project wiki; wikis published from other repositories are not read.
    /// <https://learn.microsoft.com/en-us/azure/devops/project/wiki/wiki-file-structure>
    fn wiki(&self) -> Option<WikiPlace> {
        let (web, name) = (self.web(), part(&format!("{}.wiki", self.project)));
        Some(WikiPlace {
            repository: Url::parse(&format!("{web}/_git/{name}")).ok()?,
            pages: format!("{web}/_wiki/wikis/{name}?pagePath=/"),
            token: self.token.clone(),
        })
    }
}
