//! The REST connector for github.com, GitHub Enterprise Server and data residency.

use std::sync::atomic::AtomicUsize;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{GitHub, REVIEW, discussions, graphql, record};
use crate::{
    http::{Http, Login, Request, Response},
    secrets::Token,
    tracker::{
        Address, Fate, Fetch, IssueCloser, Kind, Page, Relations, Stream, Tracker,
        client::Client,
        release::{self, ReleaseList, ReleasePlace, Releases},
        walk::Pagination,
        wiki_git::WikiPlace,
    },
};
use precedent_core::{
    error::{Code, Error, Result},
    model::{Project, Record},
    task::Task,
};

/// The number of records on a page: GitHub's maximum.
const PAGE: u32 = 100;
/// The headers of every request, with the API version as the documentation names it.
const HEADERS: &[(&str, &str)] =
    &[("accept", "application/vnd.github+json"), ("x-github-api-version", "2022-11-28")];
/// The number of attempts to fetch a complete body that is not valid JSON.
const READS: u32 = 3;

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
    /// Older servers do not report this; they count as having none.
    #[serde(default)]
    has_discussions: bool,
}

impl GitHub {
    /// Opens the repository `name` (`owner/name`) at this address; without a token, its public
    /// content.
    pub fn new(http: Http, address: &Address, name: &str, token: Option<&Token>) -> Self {
        let client = Client::new(http, address, Kind::GitHub.streams(false), token, Login::bearer);
        Self {
            client: Client { headers: HEADERS, own_refusal, ..client },
            name: name.to_owned(),
            shape: AtomicUsize::new(0),
            discussions: false,
        }
    }

    /// Returns the address of a path below the repository.
    pub(super) fn repository(&self, rest: &str) -> Result<Url> {
        self.client.url(&format!("repos/{}{rest}", self.name))
    }

    fn list(&self, stream: Stream, walk: &Pagination) -> Result<Url> {
        let mut url = self.repository(match stream {
            Stream::Items => "/issues",
            Stream::Comments => "/issues/comments",
            // Discussions have a list of their own, and a wiki is a git repository.
            Stream::ReviewComments | Stream::Discussions | Stream::Pages => "/pulls/comments",
        })?;
        {
            let mut query = url.query_pairs_mut();
            if stream == Stream::Items {
                query.append_pair("state", if walk.open { "open" } else { "all" });
            }
            query.append_pair("sort", if walk.open { "created" } else { "updated" });
            query.append_pair("direction", "asc").append_pair("per_page", &walk.size.to_string());
            // GitHub returns an empty list if `since` is the epoch.
            if let Some(since) = walk.since.filter(|s| s.as_second() > 0) {
                query.append_pair("since", &since.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
            }
            match &walk.token {
                Some(token) => drop(query.append_pair("after", token)),
                None if walk.page > 1 => drop(query.append_pair("page", &walk.page.to_string())),
                None => {}
            }
        }
        Ok(url)
    }

    /// Parses a page. A link with a cursor (`after=`) is followed, because records cannot slip out
    /// of its list.
    fn parse_page(&self, stream: Stream, walk: &Pagination, response: &Response) -> Result<Fetch> {
        let raws: Vec<&RawValue> = response.json()?;
        let records: Vec<_> = raws.iter().map(|raw| parse_record(stream, raw.get())).collect();
        let times: Vec<Timestamp> =
            records.iter().filter_map(|r| updated_at(r.as_ref().ok()?)).collect();
        if response.next.as_ref().is_some_and(|next| next.origin() != self.client.base.origin()) {
            return Err(Error::new(
                Code::Network,
                format!("{} links to a next page on another host", self.client.host),
            )
            .with_hint("Add the source with the --host that users of the tracker see."));
        }
        // A proxy may drop the links of a full page.
        let is_link_missing = raws.len() == walk.size as usize && response.header("link").is_none();
        let more = response.next.is_some() || is_link_missing && walk.token.is_none();
        let (mut next, watermark) = walk.by_change(&times, more);
        let mut parameters = response.next.iter().flat_map(Url::query_pairs);
        if let Some((_, token)) = parameters.find(|(name, _)| name == "after") {
            next = Some(Pagination { token: Some(token.into_owned()), etag: None, ..walk.clone() });
        }
        let etag = response.etag.clone();
        Ok(Page { records, etag, ..Page::default() }.followed_by((next, watermark)))
    }
}

/// Returns the error of an unsuccessful response, with the next step at GitHub.
fn own_refusal(client: &Client, response: &Response, item: &str) -> Option<Error> {
    let host = &client.host;
    let text = response.message().map(|m| format!(" (\"{m}\")")).unwrap_or_default();
    let has_login = client.login.is_some();
    let deny = |message: String, hint: &str| {
        Some(Error::new(Code::Authentication, message).with_hint(hint.to_owned()))
    };
    match response.status {
        401 if has_login => deny(
            format!("{host} does not accept the token{text}"),
            "Create a new token, or sign in again: gh auth login",
        ),
        401 => deny(
            format!("{host} requires a token{text}"),
            "Sign in with `gh auth login`, or set GH_TOKEN.",
        ),
        403 if response.header("x-github-sso").is_some() => deny(
            format!("{host} requires this token to be authorized for the organization's single sign-on"),
            "Authorize it in the token's settings (Configure SSO), then try again.",
        ),
        403 => deny(
            format!("no permission to read {item}{text}"),
            "Give the token read access to issues, pull requests and metadata of this repository.",
        ),
        404 if !has_login => Some(
            Error::not_found(format!("{item} not found, or you don't have access{text}")).with_hint(
                "Check the name; for a private repository sign in with `gh auth login`, or set GH_TOKEN.",
            ),
        ),
        410 | 451 => Some(Error::not_found(format!("{host} no longer provides {item}{text}"))),
        _ => None,
    }
}

/// Parses a record of a list. Its repository is not checked: a project's lists contain nothing
/// else, and a rename between two pages must not lose records.
fn parse_record(stream: Stream, text: &str) -> std::result::Result<Record, String> {
    let record = record(text.as_bytes())?;
    match (stream, &record) {
        (Stream::Items, Record::Document(_))
        | (Stream::Comments | Stream::ReviewComments, Record::Comment(_)) => Ok(record),
        _ => Err(format!("is not one of the {}", stream.words())),
    }
}

fn updated_at(record: &Record) -> Option<Timestamp> {
    match record {
        Record::Document(d) => d.updated_at,
        Record::Comment(c) => Some(c.updated_at),
    }
}

/// Returns whether a text is valid as `owner/name` in an address.
fn is_name(text: &str) -> bool {
    let good = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    text.split_once('/').is_some_and(|(owner, name)| good(owner) && good(name))
}

#[async_trait]
impl Tracker for GitHub {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        let repository: Repository =
            self.client.json(self.repository(""), &self.name, task).await?;
        self.discussions = repository.has_discussions;
        if let Some(name) = repository.full_name.filter(|n| is_name(n)) {
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

    async fn user(&self, task: &Task) -> Result<Option<String>> {
        // Tokens of apps and workflows have no user: 403.
        let response = self.client.get(self.client.url("user")?, task).await?;
        Ok(response.at("/login").ok().flatten())
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Discussions { discussions::PAGE } else { PAGE }
    }

    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        match stream {
            Stream::Discussions if self.discussions => {
                return discussions::page(self, walk, task).await;
            }
            Stream::Discussions => return Ok(Fetch::Page(Page::default())),
            _ => {}
        }
        let mut reads = 1;
        loop {
            let request = Request::get(self.list(stream, walk)?).unless(walk.etag.as_deref());
            let response = self.client.ask(request, task).await?;
            return match response.status {
                200 => match self.parse_page(stream, walk, &response) {
                    // Some proxies truncate a body without an error.
                    Err(error)
                        if error.code() == Code::Network
                            && reads < READS
                            && !response.body.ends_with(b"]") =>
                    {
                        reads += 1;
                        continue;
                    }
                    page => page,
                },
                304 => Ok(Fetch::Unchanged),
                422 => Ok(Fetch::Expired),
                // A cursor is independent of the page size.
                500.. if walk.token.is_some() && walk.size >= 10 => {
                    Ok(Fetch::Smaller(Pagination { size: walk.size / 2, ..walk.clone() }.cursor()))
                }
                _ => Ok(self.client.not_a_page(&response, walk, stream)?.unwrap_or(Fetch::Expired)),
            };
        }
    }

    async fn item_bound(&self, task: &Task) -> Result<Option<u64>> {
        let url = self.repository("/issues?state=all&sort=created&direction=desc&per_page=1")?;
        let response = self.client.get(url, task).await?;
        if response.status != 200 {
            return Ok(None);
        }
        // Numbers are sequential, so the newest one is an upper bound.
        response.at("/0/number")
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        let url = self.repository(&format!("/issues/{number}"));
        match self.fate(Stream::Items, url, task).await? {
            Fate::Gone if self.discussions => discussions::item(self, number, task).await,
            fate => Ok(fate),
        }
    }

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        if let Some(fate) = discussions::comment(self, number, remote_id, task).await? {
            return Ok(fate);
        }
        let (stream, path) = match remote_id.strip_prefix(REVIEW) {
            Some(id) => (Stream::ReviewComments, format!("/pulls/comments/{id}")),
            None => (Stream::Comments, format!("/issues/comments/{remote_id}")),
        };
        self.fate(stream, self.repository(&path), task).await
    }

    fn wiki(&self) -> Option<WikiPlace> {
        let web = format!("{}://{}/{}", self.client.base.scheme(), self.client.host, self.name);
        let repository = Url::parse(&format!("{web}.wiki.git")).ok()?;
        Some(WikiPlace {
            repository,
            pages: format!("{web}/wiki/"),
            token: self.client.token.clone(),
        })
    }

    async fn relations(&self, numbers: &[u64], task: &Task) -> Result<Relations> {
        graphql::relations(self, numbers, task).await
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        ReleaseList::OF_REPOSITORY
    }

    async fn releases(&self, place: ReleasePlace<'_>, task: &Task) -> Result<Releases> {
        // Only open milestones are listed by default.
        let (list, size, page) = (place.list.as_str(), place.size, place.page);
        let url = self.repository(&format!("/{list}?per_page={size}&page={page}"))?;
        release::fetch(&self.client, url, place, task, |response| {
            release::page(place, response, &self.name)
        })
        .await
    }

    fn closer(&self) -> Option<&dyn IssueCloser> {
        Some(self)
    }
}

impl GitHub {
    /// Returns whether a record belongs to another repository, and not to this one under a new
    /// name.
    async fn is_elsewhere(&self, record: &Record, task: &Task) -> Result<bool> {
        let Some(name) = record.repository().filter(|n| !n.eq_ignore_ascii_case(&self.name)) else {
            return Ok(false);
        };
        let now: Repository = self.client.json(self.repository(""), &self.name, task).await?;
        let now = now.full_name;
        Ok(now.is_none_or(|now| !now.eq_ignore_ascii_case(name)))
    }

    async fn fate(&self, stream: Stream, url: Result<Url>, task: &Task) -> Result<Fate> {
        // A redirect to an inaccessible repository ends in 404, to another host in no response.
        let response = self.client.find(url, &[404, 410], stream.words(), task).await?;
        let Some(response) = response else { return Ok(Fate::Gone) };
        let record = record(&response.body).map_err(|why| {
            Error::new(
                Code::Network,
                format!(
                    "{} returned one of the {} in an unreadable form: {why}",
                    self.client.host,
                    stream.words()
                ),
            )
        })?;
        // A transferred item is returned by its new repository.
        if !self.is_elsewhere(&record, task).await? {
            return Ok(Fate::Here(Box::new(record)));
        }
        Ok(Fate::Moved(match (record.repository(), &record) {
            (Some(name), Record::Document(d)) => d.number.map(|n| format!("{name}#{n}")),
            _ => None,
        }))
    }
}
