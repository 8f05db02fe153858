//! Tracker connectors: responses are parsed into common records. Does not depend on the store.

mod address;
pub mod azure;
pub mod bugzilla;
mod client;
mod closer;
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
pub use closer::{CanonicalRef, ClosingSteps, IssueCloser};
pub use connect::{closing_steps, open};
use jiff::Timestamp;
pub(crate) use pagination::Pagination;
use release::{ReleaseList, ReleasePage, ReleaseRequest, Releases};

use url::Url;

use crate::http::{Request, status_text};
use precedent_core::{
    error::{Code, Error, Result},
    model::{Access, Project, Record},
    task::Task,
};

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
    pub records: Vec<std::result::Result<Record, String>>,
    /// All relations of each item on the page; empty if they are requested separately, see
    /// [`Tracker::relations`].
    pub relations: Vec<(u64, Vec<Relation>)>,
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
    fn add<R: Into<Record>>(&mut self, result: std::result::Result<Option<R>, String>) {
        self.records.extend(result.map(|record| record.map(R::into)).transpose());
    }

    /// Completes the page with the position of the next one and the watermark.
    fn into_fetch(self, (next, watermark): (Option<Pagination>, Option<Timestamp>)) -> Fetch {
        Fetch::Page(Self { next: next.map(|next| next.cursor()), watermark, ..self })
    }
}

/// The outcome of a page request.
#[derive(Debug)]
pub enum Fetch {
    /// The page.
    Page(Page),
    /// The content is unchanged since the response with this ETag.
    Unchanged,
    /// The tracker no longer accepts this cursor; resume the list at the watermark.
    Expired,
    /// The tracker cannot return a page of this size; the cursor requests a smaller one.
    Smaller(Cursor),
    /// The token may not read this list, with the reason.
    Refused(String),
}

/// The outcome of a request for one item, comment or page.
#[derive(Debug)]
pub enum Lookup {
    /// The record exists.
    Found(Box<Record>),
    /// The item exists, followed by its comments.
    FoundThread(Vec<Record>),
    /// The record exists but cannot be parsed.
    Unreadable,
    /// The record was deleted, or the token can no longer see it.
    Gone,
    /// The item moved to another project: `owner/name#12`, if the tracker reports it.
    Moved(Option<String>),
}

impl Lookup {
    /// Returns the outcome for a parsed response; `None` is a deleted record.
    fn from_parsed<R: Into<Record>>(result: std::result::Result<Option<R>, String>) -> Self {
        match result {
            Ok(Some(record)) => Self::Found(Box::new(record.into())),
            Ok(None) => Self::Gone,
            Err(_) => Self::Unreadable,
        }
    }
}

/// A relation between two items, as the tracker states it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The item with this number is a duplicate of the other (`owner/name#12`).
    DuplicateOf(u64, String),
    /// The item with this number was closed by the other.
    ClosedBy(u64, String),
    /// The item with this number is related to the other.
    RelatesTo(u64, String),
}

/// The outcome of a request for relations.
#[derive(Debug)]
pub enum Relations {
    /// All relations.
    Found(Vec<Relation>),
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
    async fn probe(&mut self, task: &Task) -> Result<Project>;

    /// Returns the owner of the token, if the tracker reports it.
    async fn user(&self, task: &Task) -> Result<Option<String>>;

    /// Checks the permissions of the token, for the setup.
    async fn access(&mut self, task: &Task) -> Result<Access> {
        let mut access = Access { project: self.probe(task).await?, ..Access::default() };
        if self.client().login.is_some() {
            access.user = self.user(task).await?;
        }
        for stream in self.streams() {
            let page = self.list_page(*stream, &self.probe_page(), task).await?;
            if let Fetch::Refused(reason) = page {
                let is_named = reason.contains(stream.label());
                access.refused.push(match is_named {
                    true => reason,
                    false => format!("{}: {reason}", stream.label()),
                });
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
        task: &Task,
    ) -> Result<Fetch> {
        let Some(pagination) = Pagination::parse(cursor) else { return Ok(Fetch::Expired) };
        let pagination = Pagination { etag: etag.map(str::to_owned), ..pagination };
        self.list_page(stream, &pagination, task).await
    }

    /// Fetches the page at a position in a list.
    async fn list_page(
        &self,
        stream: Stream,
        pagination: &Pagination,
        task: &Task,
    ) -> Result<Fetch>;

    /// Returns an upper bound on the number of items, if one is cheap to get.
    async fn item_bound(&self, _task: &Task) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Fetches an item.
    async fn item(&self, number: u64, task: &Task) -> Result<Lookup>;

    /// Fetches a comment, by the number of its item and the tracker's id.
    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Lookup>;

    /// Fetches a wiki page that is no longer listed, by its name and the tracker's id.
    async fn wiki_page(
        &self,
        _slug: &str,
        _remote_id: Option<&str>,
        _task: &Task,
    ) -> Result<Lookup> {
        Ok(Lookup::Unreadable)
    }

    /// Returns the location of the wiki, if it is a git repository.
    fn wiki(&self) -> Option<wiki_git::WikiLocation> {
        None
    }

    /// Fetches the relations of closed items; empty if the items already contain them.
    async fn relations(&self, _numbers: &[u64], _task: &Task) -> Result<Relations> {
        Ok(Relations::Found(Vec::new()))
    }

    /// Returns the lists of releases that the tracker offers, in reading order.
    fn release_lists(&self) -> &'static [ReleaseList] {
        &[]
    }

    /// Fetches a page of a list of releases.
    async fn releases(&self, _request: ReleaseRequest<'_>, _task: &Task) -> Result<Releases> {
        Ok(Releases::Found(ReleasePage::default()))
    }

    /// Fetches an attached file. Only the tracker's own origin receives the token.
    ///
    /// # Errors
    /// The same as [`Tracker::page`]; [`precedent_core::Code::NotFound`] if there is no such file.
    async fn file(&self, url: &Url, task: &Task) -> Result<Vec<u8>> {
        // Scrubbing would damage a binary file.
        let request = Request::get(url.clone()).with_secret_response();
        let response = self.client().send(request, task).await?;
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

    /// Returns the interface for closing duplicates, if the tracker supports it.
    fn closer(&self) -> Option<&dyn IssueCloser> {
        None
    }
}
