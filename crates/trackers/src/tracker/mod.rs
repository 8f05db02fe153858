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
pub mod project;
pub mod redmine;
pub(crate) mod release;
pub(crate) mod repetition;
mod walk;
pub mod wiki;
pub mod wiki_git;
pub mod zendesk;

pub use address::{Address, Kind};
use async_trait::async_trait;
use client::Client;
pub use closer::{IssueCloser, Stays, Steps};
pub use connect::{closing_steps, open};
use jiff::Timestamp;
use release::{ReleaseList, ReleasePage, ReleasePlace, Releases};
use walk::Pagination;

use url::Url;

use crate::http::{Request, status_words};
use precedent_core::{
    error::{Code, Error, Result},
    model::{Access, Project, Record},
    task::Task,
};

/// A list that a tracker offers, oldest change first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Issues and pull requests.
    Items,
    /// Comments below them.
    Comments,
    /// Review comments on the lines of a pull request.
    ReviewComments,
    /// Discussions outside of issues, with their comments.
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

    /// Returns the name for use in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Self::Items => "issues and pull requests",
            Self::Comments => "comments",
            Self::ReviewComments => "review comments",
            Self::Discussions => "discussions",
            Self::Pages => "wiki pages",
        }
    }
}

/// The place of a page in a list, stored between two runs as the tracker returned it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// A page of a list.
#[derive(Debug, Default)]
pub struct Page {
    /// Records of the page, or reasons why one is skipped.
    pub records: Vec<std::result::Result<Record, String>>,
    /// Relations that the tracker states for these items, complete for each item; empty if they are
    /// requested separately, see [`Tracker::relations`].
    pub relations: Vec<(u64, Vec<Relation>)>,
    /// Numbers of items that the list itself marks as deleted.
    pub gone_numbers: Vec<u64>,
    /// Numbers of items that a list of open ones contains without their records.
    pub listed_numbers: Vec<u64>,
    /// Other names in the response, with or without a record: the items whose comments were
    /// requested.
    pub other_names: Vec<String>,
    /// Names of all wiki pages if the response lists them; other stored pages are gone.
    pub all_pages: Option<Vec<String>>,
    /// Cursor of the next page; `None` at the end.
    pub next: Option<Cursor>,
    /// Time before which all changes are stored once these records are.
    pub watermark: Option<Timestamp>,
    /// ETag of the response, if it makes a repeated request cheap.
    pub etag: Option<String>,
}

impl Page {
    /// Adds a record, or the reason why it is skipped; `None` is no record.
    fn add<R: Into<Record>>(&mut self, result: std::result::Result<Option<R>, String>) {
        self.records.extend(result.map(|record| record.map(R::into)).transpose());
    }

    /// Returns the page with the place of the next one, and with the watermark.
    fn followed_by(self, (next, watermark): (Option<Pagination>, Option<Timestamp>)) -> Fetch {
        Fetch::Page(Self { next: next.map(|place| place.cursor()), watermark, ..self })
    }
}

/// The outcome of a page request.
#[derive(Debug)]
pub enum Fetch {
    /// The page.
    Page(Page),
    /// The content is unchanged since the response with this ETag.
    Unchanged,
    /// The tracker no longer knows this cursor, so the list must be resumed at the watermark.
    Expired,
    /// The tracker cannot return a page of this size; the cursor has a smaller one.
    Smaller(Cursor),
    /// The token may not read this list, with the reason.
    Refused(String),
}

/// The outcome of a request for an item or comment.
#[derive(Debug)]
pub enum Fate {
    /// The record exists.
    Here(Box<Record>),
    /// The item exists and came with its comments; the item is first.
    Whole(Vec<Record>),
    /// The record exists but cannot be parsed.
    Unreadable,
    /// The record was deleted, or the token can no longer see it.
    Gone,
    /// The item moved to another project: `owner/name#12`, if the tracker reports it.
    Moved(Option<String>),
}

impl Fate {
    /// Returns the outcome for a response; `None` is a deleted record.
    fn of<R: Into<Record>>(result: std::result::Result<Option<R>, String>) -> Self {
        match result {
            Ok(Some(record)) => Self::Here(Box::new(record.into())),
            Ok(None) => Self::Gone,
            Err(_) => Self::Unreadable,
        }
    }
}

/// A relation between two items that the tracker itself states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The item with this number is a duplicate of that one (`owner/name#12`).
    DuplicateOf(u64, String),
    /// The item with this number was closed by that one.
    ClosedBy(u64, String),
    /// The item with this number is related to that one.
    RelatesTo(u64, String),
}

/// The outcome of a request for relations.
#[derive(Debug)]
pub enum Relations {
    /// All relations.
    Found(Vec<Relation>),
    /// The request had too many items for one response.
    TooMany,
    /// The tracker does not provide relations, at least not to this token, with the reason.
    Refused(String),
}

/// A project on a live tracker.
///
/// Lists are read page by page with a [`Cursor`], which the caller stores. An implementation
/// guarantees: once the records of all pages up to one are stored, no change before that page's
/// watermark is missing, even if the tracker's content changes while pages are being read.
#[async_trait]
pub trait Tracker: Send + Sync {
    /// Returns the client of the tracker's API.
    fn client(&self) -> &Client;

    /// Returns the lists of the project, in reading order.
    fn streams(&self) -> &'static [Stream] {
        self.client().streams
    }

    /// Checks that the project can be read and returns its current name. Must be called first,
    /// because later calls use its results.
    ///
    /// # Errors
    /// [`precedent_core::Code::Authentication`], [`precedent_core::Code::NotFound`], and those of
    /// the network.
    async fn probe(&mut self, task: &Task) -> Result<Project>;

    /// Returns the owner of the token, if the tracker tells it.
    ///
    /// # Errors
    /// The same as [`Tracker::probe`].
    async fn user(&self, task: &Task) -> Result<Option<String>>;

    /// Checks the permissions of the token, for the setup.
    ///
    /// # Errors
    /// The same as [`Tracker::probe`].
    async fn access(&mut self, task: &Task) -> Result<Access> {
        let mut access = Access { project: self.probe(task).await?, ..Access::default() };
        if self.client().login.is_some() {
            access.user = self.user(task).await?;
        }
        for stream in self.streams() {
            let page = self.list_page(*stream, &self.sample(), task).await?;
            if let Fetch::Refused(why) = page {
                let is_named = why.contains(stream.words());
                access.refused.push(match is_named {
                    true => why,
                    false => format!("{}: {why}", stream.words()),
                });
            }
        }
        (access.remaining, access.limit, access.resets_at) = self.client().quota();
        Ok(access)
    }

    /// Returns the place of a page that shows cheaply whether a list may be read.
    fn sample(&self) -> Pagination {
        Pagination::new(None, 1)
    }

    /// Returns the number of records on a page of a list.
    fn size(&self, stream: Stream) -> u32;

    /// Returns the first page of changes at or after `since`, or of everything without it.
    fn start(&self, stream: Stream, since: Option<Timestamp>) -> Cursor {
        Pagination::new(since, self.size(stream)).cursor()
    }

    /// Returns the first page of all open items in a list, for the sweep.
    fn open_items(&self, stream: Stream) -> Cursor {
        Pagination::open(self.size(stream)).cursor()
    }

    /// Fetches a page.
    ///
    /// # Errors
    /// Those of the network, of limits and of access.
    async fn page(
        &self,
        stream: Stream,
        at: &Cursor,
        etag: Option<&str>,
        task: &Task,
    ) -> Result<Fetch> {
        let Some(place) = Pagination::parse(at) else { return Ok(Fetch::Expired) };
        let place = Pagination { etag: etag.map(str::to_owned), ..place };
        self.list_page(stream, &place, task).await
    }

    /// Fetches the page at a place in a list.
    ///
    /// # Errors
    /// The same as [`Tracker::page`].
    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch>;

    /// Returns an upper bound of the number of items, if that is cheap.
    ///
    /// # Errors
    /// The same as [`Tracker::page`].
    async fn item_bound(&self, _task: &Task) -> Result<Option<u64>> {
        Ok(None)
    }

    /// Fetches an item.
    ///
    /// # Errors
    /// The same as [`Tracker::page`].
    async fn item(&self, number: u64, task: &Task) -> Result<Fate>;

    /// Fetches a comment, by the number of its item and the tracker's id.
    ///
    /// # Errors
    /// The same as [`Tracker::page`].
    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate>;

    /// Fetches a wiki page that its list no longer contains, by its name and the tracker's id.
    ///
    /// # Errors
    /// The same as [`Tracker::page`].
    async fn wiki_page(&self, _slug: &str, _remote_id: Option<&str>, _task: &Task) -> Result<Fate> {
        Ok(Fate::Unreadable)
    }

    /// Returns the place of the wiki, if it is a git repository.
    fn wiki(&self) -> Option<wiki_git::WikiPlace> {
        None
    }

    /// Fetches the relations of these closed items; empty if items and texts already contain them.
    ///
    /// # Errors
    /// The same as [`Tracker::page`].
    async fn relations(&self, _numbers: &[u64], _task: &Task) -> Result<Relations> {
        Ok(Relations::Found(Vec::new()))
    }

    /// Returns the lists of releases that the tracker offers, in reading order.
    fn release_lists(&self) -> &'static [ReleaseList] {
        &[]
    }

    /// Fetches a page of a list of releases, unless its ETag is unchanged.
    ///
    /// # Errors
    /// The same as [`Tracker::page`].
    async fn releases(&self, _place: ReleasePlace<'_>, _task: &Task) -> Result<Releases> {
        Ok(Releases::Found(ReleasePage::default()))
    }

    /// Fetches a file that a text embeds. Only the tracker's own origin receives the token.
    ///
    /// # Errors
    /// The same as [`Tracker::page`]; [`precedent_core::Code::NotFound`] without such a file.
    async fn file(&self, url: &Url, task: &Task) -> Result<Vec<u8>> {
        // Scrubbing would damage what is no text.
        let request = Request::get(url.clone()).for_secret();
        let response = self.client().send(request, task).await?;
        let name = url.host_str().unwrap_or_default();
        match response.status {
            200 => Ok(response.body),
            401 | 403 => Err(Error::new(
                Code::Authentication,
                format!("{name} does not show this file to the token"),
            )),
            status => {
                let problem = format!("{name}: {}", status_words(status));
                Err(Error::new(Code::NotFound, problem))
            }
        }
    }

    /// Returns the closer of duplicates, if the tracker supports it.
    fn closer(&self) -> Option<&dyn IssueCloser> {
        None
    }
}
