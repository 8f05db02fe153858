//! The REST connector for github.com, GitHub Enterprise Server and data residency.

use std::sync::atomic::AtomicUsize;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{GitHub, discussions, graphql, record};
use crate::{
    http::{Login, Request, Response},
    tracker::{
        Connection, FetchError, Lookup, Page, Relations, Stream, Tracker,
        client::{Client, with_parameters},
        pagination::Pagination,
        release::{self, ReleaseList, ReleasePage, ReleaseRequest},
        wiki_git::WikiLocation,
    },
};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    model::{Project, REVIEW_PREFIX, Record},
};

/// The number of records per page: GitHub's maximum.
const PAGE_SIZE: u32 = 100;
/// The headers of every request, with the API version as the documentation names it.
const HEADERS: &[(&str, &str)] =
    &[("accept", "application/vnd.github+json"), ("x-github-api-version", "2022-11-28")];
/// The number of attempts to fetch a complete body that is not valid JSON.
const MAX_READS: u32 = 3;

#[derive(Deserialize)]
struct Repository {
    id: Option<u64>,
    full_name: Option<String>,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    archived: bool,
    has_issues: Option<bool>,
    has_wiki: Option<bool>,
    /// Missing on older servers.
    #[serde(default)]
    has_discussions: bool,
}

impl GitHub {
    /// Opens the repository `owner/name`.
    pub fn new(connection: &Connection<'_>) -> Self {
        let client = Client::new(connection, Login::bearer);
        Self {
            client: Client { headers: HEADERS, custom_error, ..client },
            name: connection.project.to_owned(),
            query_variant: AtomicUsize::new(0),
            has_discussions: false,
        }
    }

    /// Returns the address of a path under the repository.
    pub(super) fn repo_url(&self, path: &str) -> Result<Url> {
        self.client.url(&format!("repos/{}{path}", self.name))
    }

    fn list_url(&self, stream: Stream, pagination: &Pagination) -> Result<Url> {
        let sort = if pagination.open { "created" } else { "updated" };
        let query = format!("sort={sort}&direction=asc&per_page={}", pagination.size);
        let state = if pagination.open { "open" } else { "all" };
        let path = match stream {
            Stream::Items => format!("/issues?state={state}&{query}"),
            Stream::Comments => format!("/issues/comments?{query}"),
            // Discussions have a separate list, and the wiki is a git repository.
            Stream::ReviewComments | Stream::Discussions | Stream::Pages => {
                format!("/pulls/comments?{query}")
            }
        };
        // GitHub returns an empty list if `since` is the epoch.
        let since = pagination.since.filter(|since| since.as_second() > 0);
        let page = (pagination.page > 1 && pagination.token.is_none()).then_some(pagination.page);
        let parameters = [
            ("since", since.and_then(|_| pagination.since_seconds())),
            ("after", pagination.token.clone()),
            ("page", page.map(|page| page.to_string())),
        ];
        Ok(with_parameters(self.repo_url(&path)?, parameters))
    }

    /// Parses a page. A link with a cursor (`after=`) is followed, because it misses no records.
    fn parse_page(
        &self,
        stream: Stream,
        pagination: &Pagination,
        response: &Response,
    ) -> Result<Page> {
        let raws: Vec<&RawValue> = response.json()?;
        let records: Vec<_> = raws.iter().map(|raw| parse_record(stream, raw.get())).collect();
        let times: Vec<Timestamp> =
            records.iter().filter_map(|r| change_time(r.as_ref().ok()?)).collect();
        if response.next.as_ref().is_some_and(|next| next.origin() != self.client.base.origin()) {
            return Err(Error::new(
                Code::Network,
                format!("{} links to a next page on another host", self.client.host),
            )
            .with_hint("Add the source with the host that users of the tracker see.")
            .with_command(Remedy::Add, "--host HOST"));
        }
        // A proxy may drop the links of a full page.
        let is_link_missing =
            raws.len() == pagination.size as usize && response.header("link").is_none();
        let has_more = response.next.is_some() || is_link_missing && pagination.token.is_none();
        let (mut next, watermark) = pagination.by_change(&times, has_more);
        let mut parameters = response.next.iter().flat_map(Url::query_pairs);
        if let Some((_, token)) = parameters.find(|(name, _)| name == "after") {
            next = Some(Pagination {
                token: Some(token.into_owned()),
                etag: None,
                ..pagination.clone()
            });
        }
        let etag = response.etag.clone();
        Ok(Page { records, etag, ..Page::default() }.with_next((next, watermark)))
    }
}

/// Returns the error for an unsuccessful response, with a next step for GitHub.
fn custom_error(client: &Client, response: &Response, subject: &str) -> Option<Error> {
    let host = &client.host;
    let detail = response.message().map(|m| format!(" (\"{m}\")")).unwrap_or_default();
    let has_login = client.login.is_some();
    let access_error = |message: String, hint: &str| {
        Some(Error::new(Code::Authentication, message).with_hint(hint))
    };
    let or_sign_in = |error: Error| error.with_command(Remedy::Sources, "gh auth login");
    match response.status {
        401 if has_login => access_error(
            format!("{host} does not accept the token{detail}"),
            "Create a new token, or sign in again.",
        )
        .map(or_sign_in),
        401 => {
            access_error(format!("{host} requires a token{detail}"), "Set GH_TOKEN, or sign in.")
                .map(or_sign_in)
        }
        403 if response.header("x-github-sso").is_some() => access_error(
            format!(
                "{host} requires this token to be authorized for the organization's single sign-on"
            ),
            "Authorize it in the token's settings (Configure SSO), then try again.",
        ),
        403 => access_error(
            format!("no permission to read {subject}{detail}"),
            "Give the token read access to issues, pull requests and metadata of this repository.",
        ),
        404 if !has_login => Some(or_sign_in(
            Error::not_found(format!("{subject} not found, or you don't have access{detail}"))
                .with_hint("Check the name; for a private repository set GH_TOKEN, or sign in."),
        )),
        410 | 451 => Some(Error::not_found(format!("{host} no longer provides {subject}{detail}"))),
        _ => None,
    }
}

/// Parses a record in a list. Its repository is not checked, because a rename between two pages
/// must not lose records.
fn parse_record(stream: Stream, text: &str) -> Result<Record, String> {
    let record = record(text.as_bytes())?;
    match (stream, &record) {
        (Stream::Items, Record::Document(_))
        | (Stream::Comments | Stream::ReviewComments, Record::Comment(_)) => Ok(record),
        _ => Err(format!("is not one of the {}", stream.label())),
    }
}

fn change_time(record: &Record) -> Option<Timestamp> {
    match record {
        Record::Document(d) => d.updated_at,
        Record::Comment(c) => Some(c.updated_at),
    }
}

/// Returns whether a name is valid as `owner/name` in an address.
fn is_repository_name(text: &str) -> bool {
    let is_valid = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    text.split_once('/').is_some_and(|(owner, name)| is_valid(owner) && is_valid(name))
}

#[async_trait]
impl Tracker for GitHub {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        let repository: Repository = self.client.get_json(self.repo_url(""), &self.name).await?;
        self.has_discussions = repository.has_discussions;
        if let Some(name) = repository.full_name.filter(|n| is_repository_name(n)) {
            self.name = name;
        }
        Ok(Project {
            name: self.name.clone(),
            remote_id: repository.id.map(|id| id.to_string()),
            private: repository.private,
            wiki: repository.has_wiki.unwrap_or(false),
            issues: repository.has_issues.unwrap_or(true),
            archived: repository.archived,
        })
    }

    async fn user(&self) -> Result<Option<String>> {
        // Tokens of apps and workflows have no user: 403.
        let response = self.client.get(self.client.url("user")?).await?;
        Ok(response.at("/login").ok().flatten())
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Discussions { discussions::PAGE_SIZE } else { PAGE_SIZE }
    }

    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        match stream {
            Stream::Discussions if self.has_discussions => {
                return discussions::fetch_page(self, pagination).await;
            }
            Stream::Discussions => return Ok(Page::default()),
            _ => {}
        }
        let mut read_count = 1;
        loop {
            let request = Request::get(self.list_url(stream, pagination)?)
                .if_none_match(pagination.etag.as_deref());
            let response = self.client.request(request).await?;
            match response.status {
                304 => return Err(FetchError::Unchanged),
                422 => return Err(FetchError::Expired),
                // A cursor does not depend on the page size.
                500.. if pagination.token.is_some() && pagination.size >= 10 => {
                    let size = pagination.size / 2;
                    let smaller = Pagination { size, ..pagination.clone() };
                    return Err(FetchError::Smaller(smaller.cursor()));
                }
                _ => self.client.check_page(&response, pagination, stream)?,
            }
            match self.parse_page(stream, pagination, &response) {
                // Some proxies truncate responses silently.
                Err(error)
                    if error.code() == Code::Network
                        && read_count < MAX_READS
                        && !response.body.ends_with(b"]") =>
                {
                    read_count += 1;
                }
                page => return Ok(page?),
            }
        }
    }

    async fn item_bound(&self) -> Result<Option<u64>> {
        let url = self.repo_url("/issues?state=all&sort=created&direction=desc&per_page=1")?;
        let response = self.client.get(url).await?;
        if response.status != 200 {
            return Ok(None);
        }
        // Numbers are sequential, so the newest one is an upper bound.
        response.at("/0/number")
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        let url = self.repo_url(&format!("/issues/{number}"));
        match self.look_up(Stream::Items, url).await? {
            Lookup::Gone if self.has_discussions => discussions::item(self, number).await,
            outcome => Ok(outcome),
        }
    }

    async fn comment(&self, number: u64, remote_id: &str) -> Result<Lookup> {
        if let Some(outcome) = discussions::fetch_comment(self, number, remote_id).await? {
            return Ok(outcome);
        }
        let (stream, path) = match remote_id.strip_prefix(REVIEW_PREFIX) {
            Some(id) => (Stream::ReviewComments, format!("/pulls/comments/{id}")),
            None => (Stream::Comments, format!("/issues/comments/{remote_id}")),
        };
        self.look_up(stream, self.repo_url(&path)).await
    }

    fn wiki(&self) -> Option<WikiLocation> {
        let web = format!("{}://{}/{}", self.client.base.scheme(), self.client.host, self.name);
        WikiLocation::new(&self.client, &format!("{web}.wiki.git"), format!("{web}/wiki/"))
    }

    async fn relations(&self, numbers: &[u64]) -> Result<Relations> {
        graphql::relations(self, numbers).await
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        ReleaseList::OF_REPOSITORY
    }

    async fn releases(&self, request: ReleaseRequest<'_>) -> Result<ReleasePage, FetchError> {
        // Only open milestones are listed by default.
        let (list, size, page) = (request.list.as_str(), request.size, request.page);
        let url = self.repo_url(&format!("/{list}?per_page={size}&page={page}"))?;
        release::fetch(&self.client, url, request, |response| {
            release::page(request, response, &self.name)
        })
        .await
    }

    fn closer(&self) -> Option<&GitHub> {
        Some(self)
    }
}

impl GitHub {
    /// Returns whether a record belongs to another repository, even if this one was renamed.
    async fn is_elsewhere(&self, record: &Record) -> Result<bool> {
        let Some(name) = record.repository().filter(|n| !n.eq_ignore_ascii_case(&self.name)) else {
            return Ok(false);
        };
        let current: Repository = self.client.get_json(self.repo_url(""), &self.name).await?;
        let current = current.full_name;
        Ok(current.is_none_or(|current| !current.eq_ignore_ascii_case(name)))
    }

    async fn look_up(&self, stream: Stream, url: Result<Url>) -> Result<Lookup> {
        // A redirect to an inaccessible repository ends in 404.
        let response = self.client.try_get(url, &[404, 410], stream.label()).await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        let Ok(record) = record(&response.body) else { return Ok(Lookup::Unreadable) };
        // A transferred item is returned by its new repository.
        if !self.is_elsewhere(&record).await? {
            return Ok(Lookup::Found(vec![record]));
        }
        Ok(Lookup::Moved(match (record.repository(), &record) {
            (Some(name), Record::Document(d)) => d.number.map(|n| format!("{name}#{n}")),
            _ => None,
        }))
    }
}
