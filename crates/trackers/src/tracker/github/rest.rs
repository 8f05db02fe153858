//! The REST connector for github.com, GitHub Enterprise Server and data residency.

use std::sync::atomic::AtomicUsize;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{GitHub, REVIEW, brief, discussions, graphql, record};
use crate::{
    http::{Http, Login, Request, Response, status_words},
    secrets::Token,
    tracker::{
        Address, Cursor, Fate, Fetch, IssueCloser, Page, Relations, Stream, Tracker,
        release::{self, ReleaseList, ReleasePlace, Releases},
        walk::Pagination,
        wiki_git::WikiPlace,
    },
};
use precedent_core::{
    error::{Code, Error, Result},
    model::{Access, Project, Record},
    task::Task,
};

/// The number of records on a page: GitHub's maximum.
const PAGE: u32 = 100;
/// The smallest page size; a page that fails is halved down to this many records.
const SMALLEST_PAGE: u32 = 10;
/// The API version, as the documentation names it.
const VERSION: (&str, &str) = ("x-github-api-version", "2022-11-28");
const ACCEPT: (&str, &str) = ("accept", "application/vnd.github+json");
/// The number of attempts to fetch a complete body that is not valid JSON.
const READS: u32 = 3;
/// The URL fragment of a cursor that reads the records of one second again.
const REREAD_FRAGMENT: &str = "again";

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
        let login = token.map(|t| Login::bearer(&address.base, t));
        Self {
            http,
            base: address.base.clone(),
            host: address.host.clone(),
            name: name.to_owned(),
            login,
            token: token.cloned(),
            shape: AtomicUsize::new(0),
            discussions: false,
        }
    }

    fn address(&self, path: &str) -> Result<Url> {
        let base = self.base.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}/{path}"))
            .map_err(|_| Error::invalid(format!("\"{}\" is not a valid address", brief(path))))
    }

    /// Adds the headers of every API request.
    pub(super) fn with_headers(request: Request) -> Request {
        request.header(ACCEPT.0, ACCEPT.1).header(VERSION.0, VERSION.1)
    }

    pub(super) async fn get(&self, url: Url, etag: Option<&str>, task: &Task) -> Result<Response> {
        let request = Self::with_headers(Request::get(url)).unless(etag);
        self.http.send(&request, self.login.as_ref(), task).await
    }

    /// Returns the address of a path below the repository.
    pub(super) fn repository(&self, rest: &str) -> Result<Url> {
        self.address(&format!("repos/{}{rest}", self.name))
    }

    /// Returns the error of an unsuccessful response.
    pub(super) fn refusal(&self, response: &Response, item: &str) -> Error {
        let host = &self.host;
        let text = response.message().map(|m| format!(" (\"{m}\")")).unwrap_or_default();
        match response.status {
            401 if self.login.is_some() => {
                Error::new(Code::Authentication, format!("{host} does not accept the token{text}"))
                    .with_hint("Create a new token, or sign in again: gh auth login")
            }
            401 => Error::new(Code::Authentication, format!("{host} requires a token{text}"))
                .with_hint("Sign in with `gh auth login`, or set GH_TOKEN."),
            403 if response.header("x-github-sso").is_some() => Error::new(
                Code::Authentication,
                format!("{host} requires this token to be authorized for the organization's single sign-on"),
            )
            .with_hint("Authorize it in the token's settings (Configure SSO), then try again."),
            403 => Error::new(Code::Authentication, format!("no permission to read {item}{text}")).with_hint(
                "Give the token read access to issues, pull requests and metadata of this repository.",
            ),
            404 => Error::not_found(format!("{item} not found, or you don't have access{text}")).with_hint(
                if self.login.is_some() {
                    "Check the name; a private repository needs a token with read access."
                } else {
                    "Check the name; for a private repository sign in with `gh auth login`, or set GH_TOKEN."
                },
            ),
            410 | 451 => Error::not_found(format!("{host} no longer provides {item}{text}")),
            status => Error::new(Code::Network, format!("{host}: {} for {item}{text}", status_words(status)))
                .with_hint("Progress is saved; try again later."),
        }
    }

    /// Parses a page from a response to `at`.
    fn parse_page(&self, stream: Stream, at: &Url, response: &Response) -> Result<Page> {
        let raws: Vec<&RawValue> = response.json()?;
        let records: Vec<_> = raws.iter().map(|raw| parse_record(stream, raw.get())).collect();
        let times: Vec<Timestamp> =
            records.iter().filter_map(|r| updated_at(r.as_ref().ok()?)).collect();
        let since = parameter(at, "since").and_then(|s| s.parse::<Timestamp>().ok());
        let is_ordered =
            times.is_sorted() && since.is_none_or(|s| times.first().is_none_or(|t| *t >= s));
        let latest = times.last().copied().filter(|_| is_ordered);
        // A proxy may drop the links of a full page.
        let is_full =
            size(at).is_some_and(|size| u32::try_from(raws.len()).is_ok_and(|count| count == size));
        let is_link_missing = is_full && response.header("link").is_none();
        let next_page =
            response.next.clone().or_else(|| is_link_missing.then(|| next_page(at)).flatten());
        let next: Option<Cursor> = match &next_page {
            None => None,
            Some(next) if next.origin() != self.base.origin() => {
                return Err(Error::new(
                    Code::Network,
                    format!("{} links to a next page on another host", self.host),
                )
                .with_hint("Add the source with the --host that users of the tracker see."));
            }
            Some(next) => Some(self.cursor_after(stream, at, next, since, latest)),
        };
        // Open discussions are not in the issue list.
        if next.is_none() && self.discussions && parameter(at, "state").as_deref() == Some("open") {
            return Ok(Page {
                records,
                next: Some(Pagination::open(self.size(Stream::Discussions)).cursor()),
                ..Page::default()
            });
        }
        // The records of one second were read by page number: read them again, see `cursor_after`.
        let next = match (&next, since) {
            (None, Some(since)) if is_later_page(at) && at.fragment() != Some(REREAD_FRAGMENT) => {
                Some(self.reread(stream, since))
            }
            _ => next,
        };
        Ok(Page {
            records,
            next,
            watermark: latest,
            etag: response.etag.clone(),
            ..Page::default()
        })
    }

    /// Returns the page after one whose last change is `latest`.
    ///
    /// A link with a cursor (`after=`) is followed unchanged. Numbered pages lose records when the
    /// list shifts: an edited record moves to the end, and the first record of the next page slips
    /// to the page before. So the list is resumed at the last change instead, which repeats the few
    /// records of that second. Links are followed only if a whole page has a single second, and
    /// that second is read twice.
    fn cursor_after(
        &self,
        stream: Stream,
        at: &Url,
        next: &Url,
        since: Option<Timestamp>,
        latest: Option<Timestamp>,
    ) -> Cursor {
        if parameter(next, "after").is_some() || !is_by_change(at) {
            return Cursor(next.to_string());
        }
        match (since, latest) {
            (Some(since), Some(latest)) if latest == since => {
                let mut next = next.clone();
                next.set_fragment(at.fragment());
                Cursor(next.into())
            }
            (Some(since), Some(_))
                if is_later_page(at) && at.fragment() != Some(REREAD_FRAGMENT) =>
            {
                self.reread(stream, since)
            }
            (_, Some(latest)) => self.start(stream, Some(latest)),
            (_, None) => Cursor(next.to_string()),
        }
    }

    fn reread(&self, stream: Stream, since: Timestamp) -> Cursor {
        Cursor(format!("{}#{REREAD_FRAGMENT}", self.start(stream, Some(since)).0))
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

/// Returns a query parameter of an address.
fn parameter(url: &Url, name: &str) -> Option<String> {
    url.query_pairs().find(|(n, _)| n == name).map(|(_, v)| v.into_owned())
}

/// Returns whether a list is ordered by change.
fn is_by_change(at: &Url) -> bool {
    parameter(at, "sort").as_deref() == Some("updated")
}

/// Returns the next page of a list with numbered pages; `None` if the address has a cursor.
fn next_page(at: &Url) -> Option<Url> {
    if parameter(at, "after").is_some() {
        return None;
    }
    let page: u32 = parameter(at, "page").map_or(Some(1), |page| page.parse().ok())?;
    let pairs: Vec<(String, String)> = at
        .query_pairs()
        .filter(|(name, _)| name != "page")
        .map(|(n, v)| (n.into_owned(), v.into_owned()))
        .collect();
    let mut url = at.clone();
    url.query_pairs_mut()
        .clear()
        .extend_pairs(pairs)
        .append_pair("page", &page.saturating_add(1).to_string());
    Some(url)
}

/// Returns whether the address is a later page, by number.
fn is_later_page(at: &Url) -> bool {
    parameter(at, "page").is_some_and(|p| p != "1")
}

#[async_trait]
impl Tracker for GitHub {
    fn connection(&self) -> (&Http, Option<&Login>) {
        (&self.http, self.login.as_ref())
    }

    fn streams(&self) -> &'static [Stream] {
        crate::tracker::Kind::GitHub.streams(false)
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        let response = self.get(self.repository("")?, None, task).await?;
        if response.status != 200 {
            return Err(self.refusal(&response, &self.name));
        }
        let repository: Repository = response.json()?;
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

    async fn access(&mut self, task: &Task) -> Result<Access> {
        let project = self.probe(task).await?;
        let mut access = Access { project, ..Access::default() };
        if self.login.is_some() {
            #[derive(Deserialize)]
            struct User {
                login: String,
            }
            // Tokens of apps and workflows have no user: 403.
            let response = self.get(self.address("user")?, None, task).await?;
            if response.status == 200 {
                access.user = response.json::<User>().ok().map(|u| u.login);
            }
        }
        if self.discussions {
            access.refused.extend(discussions::refusal_reason(self, task).await?);
        }
        for stream in self.streams().iter().filter(|s| **s != Stream::Discussions) {
            let url = Url::parse(&self.start(*stream, None).0)
                .map_err(|_| Error::invalid("no address"))?;
            let response = self.get(smaller(&url, 1), None, task).await?;
            let number = |name| response.header(name).and_then(|v| v.trim().parse::<u64>().ok());
            access.remaining = number("x-ratelimit-remaining").or(access.remaining);
            access.limit = number("x-ratelimit-limit").or(access.limit);
            access.resets_at = number("x-ratelimit-reset")
                .and_then(|s| Timestamp::from_second(i64::try_from(s).ok()?).ok())
                .or(access.resets_at);
            if response.status != 200 {
                access.refused.push(self.refusal(&response, stream.words()).to_string());
            }
        }
        Ok(access)
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Discussions { discussions::PAGE } else { PAGE }
    }

    fn start(&self, stream: Stream, since: Option<Timestamp>) -> Cursor {
        let base = self.base.as_str().trim_end_matches('/');
        let list = match stream {
            Stream::Discussions => return Pagination::new(since, self.size(stream)).cursor(),
            Stream::Items => "issues?state=all&",
            Stream::Comments => "issues/comments?",
            // There is no list of wiki pages, because a wiki is a git repository.
            Stream::ReviewComments | Stream::Pages => "pulls/comments?",
        };
        let mut text =
            format!("{base}/repos/{}/{list}sort=updated&direction=asc&per_page={PAGE}", self.name);
        // GitHub returns an empty list if `since` is the epoch.
        if let Some(since) = since.filter(|s| s.as_second() > 0) {
            text.push_str(&format!("&since={}", since.strftime("%Y-%m-%dT%H:%M:%SZ")));
        }
        Cursor(text)
    }

    async fn list_page(&self, _stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        match self.discussions {
            true => discussions::page(self, walk, task).await,
            false => Ok(Fetch::Page(Page::default())),
        }
    }

    async fn page(
        &self,
        stream: Stream,
        at: &Cursor,
        etag: Option<&str>,
        task: &Task,
    ) -> Result<Fetch> {
        if let Some(walk) = Pagination::parse(at) {
            return self.list_page(stream, &walk, task).await;
        }
        let Some(url) = Url::parse(&at.0).ok().filter(|u| u.origin() == self.base.origin()) else {
            return Ok(Fetch::Expired);
        };
        let mut reads = 1;
        loop {
            let mut request_url = url.clone();
            request_url.set_fragment(None);
            let response = self.get(request_url, etag, task).await?;
            return Ok(match response.status {
                200 => match self.parse_page(stream, &url, &response) {
                    Ok(page) => Fetch::Page(page),
                    // Some proxies truncate a body without an error.
                    Err(error)
                        if error.code() == Code::Network
                            && reads < READS
                            && !response.body.ends_with(b"]") =>
                    {
                        reads += 1;
                        continue;
                    }
                    Err(error) => return Err(error),
                },
                304 => Fetch::Unchanged,
                422 => Fetch::Expired,
                403 | 404 | 410 | 451 => {
                    Fetch::Refused(self.refusal(&response, stream.words()).to_string())
                }
                500.. => match size(&url).filter(|n| *n > SMALLEST_PAGE) {
                    Some(n) => Fetch::Smaller(Cursor(smaller(&url, n / 2).into())),
                    None => return Err(self.refusal(&response, stream.words())),
                },
                _ => return Err(self.refusal(&response, stream.words())),
            });
        }
    }

    async fn item_bound(&self, task: &Task) -> Result<Option<u64>> {
        #[derive(Deserialize)]
        struct Newest {
            number: u64,
        }
        let url = self.repository("/issues?state=all&sort=created&direction=desc&per_page=1")?;
        let response = self.get(url, None, task).await?;
        if response.status != 200 {
            return Ok(None);
        }
        // Numbers are sequential, so the newest one is an upper bound.
        Ok(response.json::<Vec<Newest>>()?.first().map(|n| n.number))
    }

    fn open_items(&self) -> Cursor {
        let base = self.base.as_str().trim_end_matches('/');
        Cursor(format!(
            "{base}/repos/{}/issues?state=open&sort=created&direction=asc&per_page={PAGE}",
            self.name
        ))
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        match self.fate(Stream::Items, self.repository(&format!("/issues/{number}"))?, task).await?
        {
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
        self.fate(stream, self.repository(&path)?, task).await
    }

    fn wiki(&self) -> Option<WikiPlace> {
        let web = format!("{}://{}/{}", self.base.scheme(), self.host, self.name);
        let repository = Url::parse(&format!("{web}.wiki.git")).ok()?;
        Some(WikiPlace { repository, pages: format!("{web}/wiki/"), token: self.token.clone() })
    }

    async fn relations(&self, numbers: &[u64], task: &Task) -> Result<Relations> {
        graphql::relations(self, numbers, task).await
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        ReleaseList::OF_REPOSITORY
    }

    async fn releases(
        &self,
        place: ReleasePlace,
        etag: Option<&str>,
        task: &Task,
    ) -> Result<Releases> {
        // Only open milestones are listed by default.
        let (list, size, page) = (place.list.as_str(), place.size, place.page);
        let url = self.repository(&format!("/{list}?per_page={size}&page={page}"))?;
        let response = self.get(url, etag, task).await?;
        match response.status {
            200 => release::page(place, &response, &self.name).map(Releases::Found),
            304 => Ok(Releases::Unchanged),
            403 | 404 | 410 | 451 => {
                Ok(Releases::Refused(self.refusal(&response, "releases").to_string()))
            }
            _ => Err(self.refusal(&response, "releases")),
        }
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
        let response = self.get(self.repository("")?, None, task).await?;
        if response.status != 200 {
            return Err(self.refusal(&response, &self.name));
        }
        let now = response.json::<Repository>()?.full_name;
        Ok(now.is_none_or(|now| !now.eq_ignore_ascii_case(name)))
    }

    async fn fate(&self, stream: Stream, url: Url, task: &Task) -> Result<Fate> {
        let response = self.get(url, None, task).await?;
        match response.status {
            200 => {
                let text = std::str::from_utf8(&response.body).unwrap_or_default();
                match record(text.as_bytes()) {
                    // A transferred item is returned by its new repository.
                    Ok(r) if self.is_elsewhere(&r, task).await? => {
                        Ok(Fate::Moved(match (r.repository(), &r) {
                            (Some(name), Record::Document(d)) => {
                                d.number.map(|n| format!("{name}#{n}"))
                            }
                            _ => None,
                        }))
                    }
                    Ok(record) => Ok(Fate::Here(Box::new(record))),
                    Err(why) => Err(Error::new(
                        Code::Network,
                        format!(
                            "{} returned one of the {} in an unreadable form: {why}",
                            self.host,
                            stream.words()
                        ),
                    )),
                }
            }
            404 | 410 => Ok(Fate::Gone),
            // A redirect to an inaccessible repository ends in 404, to another host in no response.
            _ => Err(self.refusal(&response, stream.words())),
        }
    }
}

fn size(url: &Url) -> Option<u32> {
    parameter(url, "per_page").and_then(|n| n.parse().ok())
}

/// Returns the same list with another page size: at the same cursor, or from the start if the place
/// is a page number of the old size.
fn smaller(url: &Url, size: u32) -> Url {
    let pairs: Vec<(String, String)> = url
        .query_pairs()
        .filter(|(n, _)| n != "page")
        .map(|(n, v)| {
            let value = if n == "per_page" { size.to_string() } else { v.into_owned() };
            (n.into_owned(), value)
        })
        .collect();
    let mut url = url.clone();
    url.query_pairs_mut().clear().extend_pairs(pairs);
    url
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_without_links_is_followed_by_its_number() {
        let url = Url::parse("https://x/issues?sort=updated&per_page=100").unwrap();
        let second = next_page(&url).unwrap();
        assert_eq!(parameter(&second, "page").as_deref(), Some("2"));
        assert_eq!(parameter(&next_page(&second).unwrap(), "page").as_deref(), Some("3"));
        assert_eq!(
            next_page(&Url::parse("https://x/issues?after=abc&per_page=100").unwrap()),
            None
        );
    }

    #[test]
    fn smaller_page_keeps_the_cursor() {
        let url =
            Url::parse("https://x/issues?after=a%3D&per_page=100&since=2020-01-01T00%3A00%3A00Z")
                .unwrap();
        let half = smaller(&url, 50);
        assert_eq!((size(&half), parameter(&half, "after").as_deref()), (Some(50), Some("a=")));
        assert_eq!(parameter(&half, "since").as_deref(), Some("2020-01-01T00:00:00Z"));
    }
}
