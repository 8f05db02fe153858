//! Tracker connectors: responses are parsed into common records. Does not depend on the store.

mod address;
pub mod azure;
pub mod bugzilla;
mod client;
pub mod confluence;
mod connect;
mod dates;
pub mod discourse;
pub mod file;
pub mod gitea;
pub mod github;
pub mod gitlab;
mod graphql;
pub(crate) mod identity;
pub mod import;
pub mod jira;
pub mod linear;
mod pagination;
pub mod project;
pub mod redmine;
pub(crate) mod release;
pub(crate) mod repetition;
pub mod wiki;
pub mod wiki_git;
pub mod zendesk;

pub use address::{Address, Kind};
use async_trait::async_trait;
pub(crate) use client::Client;
pub use connect::open;
use github::GitHub;
use jiff::Timestamp;
pub(crate) use pagination::Pagination;
use release::{ReleaseList, ReleasePage, ReleaseRequest};

use url::Url;

use crate::{
    http::{Http, Request, status_text},
    secrets::Token,
};
use precedent_core::{
    error::{Code, Error, Result},
    model::{Access, DocumentRecord, Project, Record},
};

/// A project on a tracker, and the access to it.
pub struct Connection<'a> {
    /// Kind of the tracker.
    pub kind: Kind,
    /// Client for connections.
    pub http: &'a Http,
    /// Address of the tracker.
    pub address: &'a Address,
    /// Name of the project, in the form of the tracker.
    pub project: &'a str,
    /// `true` to read the wiki as well.
    pub wiki: bool,
    /// Token; without one, only public content is visible.
    pub token: Option<&'a Token>,
}

/// A list of records that a tracker offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Issues and pull requests.
    Items,
    /// Comments on items.
    Comments,
    /// Review comments on the lines of a pull request.
    ReviewComments,
    /// Discussions outside issues, with their comments.
    Discussions,
    /// Pages of a wiki, where the tracker's API provides them.
    Pages,
}

impl Stream {
    /// Returns the name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Comments => "comments",
            Self::ReviewComments => "review_comments",
            Self::Discussions => "discussions",
            Self::Pages => "pages",
        }
    }

    /// Returns the name in messages.
    pub fn label(self) -> &'static str {
        match self {
            Self::Items => "issues and pull requests",
            Self::Comments => "comments",
            Self::ReviewComments => "review comments",
            Self::Discussions => "discussions",
            Self::Pages => "wiki pages",
        }
    }
}

/// The position of a page in a list, stored between two syncs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// A page of a list.
#[derive(Debug, Default)]
pub struct Page {
    /// Records of the page, or the reasons why they are skipped.
    pub records: Vec<Result<Record, String>>,
    /// All relations of each item on the page; empty if they are requested separately, see
    /// [`Tracker::relations`].
    pub relations: ItemRelations,
    /// Numbers of items that the list marks as deleted.
    pub gone_numbers: Vec<u64>,
    /// Numbers of open items that are listed without their records.
    pub listed_numbers: Vec<u64>,
    /// Other identities in the response, such as the items of comments, to detect repeated pages.
    pub other_names: Vec<String>,
    /// Names of all wiki pages, if the response lists them; other stored pages are gone.
    pub all_pages: Option<Vec<String>>,
    /// Cursor of the next page; `None` at the end.
    pub next: Option<Cursor>,
    /// Time up to which all changes are stored once these records are stored.
    pub watermark: Option<Timestamp>,
    /// ETag of the response, if it makes repeating the request cheap.
    pub etag: Option<String>,
}

impl Page {
    /// Adds a record, or the reason why it is skipped; `None` adds nothing.
    fn add<R: Into<Record>>(&mut self, result: Result<Option<R>, String>) {
        self.records.extend(result.map(|record| record.map(R::into)).transpose());
    }

    /// Adds an item with its relations, or the reason why it is skipped.
    fn add_item(&mut self, result: Result<(DocumentRecord, Vec<Relation>), String>) {
        let record = result.map(|(record, relations)| {
            self.relations.extend(record.number.map(|number| (number, relations)));
            Some(record)
        });
        self.add(record);
    }

    /// Completes the page with the position of the next one and the watermark.
    fn with_next(self, (next, watermark): (Option<Pagination>, Option<Timestamp>)) -> Self {
        Self { next: next.map(|next| next.cursor()), watermark, ..self }
    }
}

/// The reason why a request returns no page.
#[derive(Debug)]
pub enum FetchError {
    /// The content is unchanged since the response with this ETag.
    Unchanged,
    /// The tracker no longer accepts this cursor; resume the list at the watermark.
    Expired,
    /// The tracker cannot return a page of this size; the cursor requests a smaller one.
    Smaller(Cursor),
    /// The token may not read this list.
    Refused(Error),
    /// Network, rate limit and access errors.
    Failed(Error),
}

impl FetchError {
    fn refusal(reason: impl Into<String>) -> Self {
        Self::Refused(Error::new(Code::Authentication, reason))
    }

    /// Returns the error of a request that is not for a list.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Refused(error) | Self::Failed(error) => error,
            Self::Unchanged | Self::Expired | Self::Smaller(_) => {
                Error::new(Code::Network, "the tracker returned no content")
            }
        }
    }
}

impl From<Error> for FetchError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The outcome of a request for one item, comment or page.
#[derive(Debug)]
pub enum Lookup {
    /// The record exists, possibly followed by its comments.
    Found(Vec<Record>),
    /// The record exists but cannot be parsed.
    Unreadable,
    /// The record was deleted, or the token can no longer see it.
    Gone,
    /// The item moved to another project: `owner/name#12`, if the tracker reports it.
    Moved(Option<String>),
}

impl Lookup {
    /// Returns the outcome for a parsed response; `None` is a deleted record.
    fn from_parsed<R: Into<Record>>(result: Result<Option<R>, String>) -> Self {
        match result {
            Ok(Some(record)) => Self::Found(vec![record.into()]),
            Ok(None) => Self::Gone,
            Err(_) => Self::Unreadable,
        }
    }
}

/// A relation of an item to another (`owner/name#12`), as the tracker states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The item is a duplicate of the other.
    DuplicateOf(String),
    /// The item was closed by the other.
    ClosedBy(String),
    /// The item is related to the other.
    RelatesTo(String),
}

/// The numbers of items with their relations.
pub type ItemRelations = Vec<(u64, Vec<Relation>)>;

/// The outcome of a request for relations.
#[derive(Debug)]
pub enum Relations {
    /// All relations.
    Found(ItemRelations),
    /// The request has too many items for one response.
    TooMany,
    /// The tracker does not provide relations to this token, with the reason.
    Refused(String),
}

/// A project on a live tracker.
///
/// Lists are read page by page with a [`Cursor`], which the caller stores. Once the records of all
/// pages up to one are stored, no change before that page's watermark is missing, even if the
/// tracker's content changes in the meantime.
#[async_trait]
pub trait Tracker: Send + Sync {
    /// Returns the client of the tracker's API.
    fn client(&self) -> &Client;

    /// Returns the lists of the project, in reading order.
    fn streams(&self) -> &'static [Stream] {
        self.client().streams
    }

    /// Checks that the project can be read and returns its current name. Must be called first.
    ///
    /// # Errors
    /// [`precedent_core::Code::Authentication`], [`precedent_core::Code::NotFound`], network errors.
    async fn probe(&mut self) -> Result<Project>;

    /// Returns the owner of the token, if the tracker reports it.
    async fn user(&self) -> Result<Option<String>>;

    /// Checks the permissions of the token, for the setup.
    async fn access(&mut self) -> Result<Access> {
        let mut access = Access { project: self.probe().await?, ..Access::default() };
        if self.client().login.is_some() {
            access.user = self.user().await?;
        }
        for stream in self.streams() {
            match self.list_page(*stream, &self.probe_page()).await {
                Err(FetchError::Failed(error)) => return Err(error),
                Err(FetchError::Refused(error)) => {
                    let (reason, label) = (error.to_string(), stream.label());
                    let is_named = reason.contains(label);
                    access.refused.push(if is_named {
                        reason
                    } else {
                        format!("{label}: {reason}")
                    });
                }
                _ => {}
            }
        }
        (access.remaining, access.limit, access.resets_at) = self.client().quota();
        Ok(access)
    }

    /// Returns a small page that shows whether a list may be read.
    fn probe_page(&self) -> Pagination {
        Pagination::new(None, 1)
    }

    /// Returns the number of records on a page of a list.
    fn size(&self, stream: Stream) -> u32;

    /// Returns the first page of the changes since a time, or of everything.
    fn start(&self, stream: Stream, since: Option<Timestamp>) -> Cursor {
        Pagination::new(since, self.size(stream)).cursor()
    }

    /// Returns the first page of a list's open items.
    fn open_items(&self, stream: Stream) -> Cursor {
        Pagination::open(self.size(stream)).cursor()
    }

    /// Fetches a page.
    async fn page(
        &self,
        stream: Stream,
        cursor: &Cursor,
        etag: Option<&str>,
    ) -> Result<Page, FetchError> {
        let pagination = Pagination::parse(cursor).ok_or(FetchError::Expired)?;
        let pagination = Pagination { etag: etag.map(str::to_owned), ..pagination };
        self.list_page(stream, &pagination).await
    }

    /// Fetches the page at a position in a list.
    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError>;

    /// Returns an upper bound on the number of items, if one is cheap to get.
    async fn item_bound(&self) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Fetches an item.
    async fn item(&self, _number: u64) -> Result<Lookup> {
        Ok(Lookup::Unreadable)
    }

    /// Fetches a comment, by the number of its item and the tracker's id.
    async fn comment(&self, _number: u64, _remote_id: &str) -> Result<Lookup> {
        Ok(Lookup::Unreadable)
    }

    /// Fetches a wiki page that is no longer listed, by its name and the tracker's id.
    async fn wiki_page(&self, _slug: &str, _remote_id: Option<&str>) -> Result<Lookup> {
        Ok(Lookup::Unreadable)
    }

    /// Returns the location of the wiki, if it is a git repository.
    fn wiki(&self) -> Option<wiki_git::WikiLocation> {
        None
    }

    /// Fetches the relations of closed items; empty if the items already contain them.
    async fn relations(&self, _numbers: &[u64]) -> Result<Relations> {
        Ok(Relations::Found(Vec::new()))
    }

    /// Returns the lists of releases that the tracker offers, in reading order.
    fn release_lists(&self) -> &'static [ReleaseList] {
        &[]
    }

    /// Fetches a page of a list of releases.
    async fn releases(&self, _request: ReleaseRequest<'_>) -> Result<ReleasePage, FetchError> {
        Ok(ReleasePage::default())
    }

    /// Fetches an attached file. Only the tracker's own origin receives the token.
    async fn file(&self, url: &Url) -> Result<Vec<u8>> {
        // Scrubbing would damage a binary file.
        let request = Request::get(url.clone()).with_secret_response();
        let response = self.client().send(request).await?;
        let name = url.host_str().unwrap_or_default();
        match response.status {
            200 => Ok(response.body),
            401 | 403 => Err(Error::new(
                Code::Authentication,
                format!("the token has no access to this file on {name}"),
            )),
            status => {
                let code = if matches!(status, 404 | 410) { Code::NotFound } else { Code::Network };
                Err(Error::new(code, format!("{name}: {}", status_text(status))))
            }
        }
    }

    /// Returns the connector that can close duplicates, if this is one.
    fn closer(&self) -> Option<&GitHub> {
        None
    }
}

#[cfg(test)]
impl<'a> Connection<'a> {
    pub(crate) fn for_tests(http: &'a Http, address: &'a Address) -> Self {
        Self { kind: Kind::GitHub, http, address, project: "acme/app", wiki: false, token: None }
    }
}
