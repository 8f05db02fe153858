//! Trackers: what each of them sends, read into the product's own records. Knows no store.

mod address;
pub mod azure;
pub mod bugzilla;
mod client;
mod closing;
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
pub mod redmine;
pub(crate) mod repetition;
mod walk;
pub mod wiki;
pub mod wiki_git;
pub mod zendesk;

pub use address::{Address, Kind};
use async_trait::async_trait;
pub use closing::{Closer, Stays, Steps};
pub use connect::{closing_steps, open};
use jiff::Timestamp;
use walk::Walk;

use precedent_core::{
    error::Result,
    model::{Access, Project, Record},
    task::Task,
};

/// A list that a tracker offers, oldest change first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Issues and pull requests.
    Items,
    /// What is said below them.
    Comments,
    /// What is said beside the lines of a pull request.
    ReviewComments,
    /// What is talked about beside the issues, with what is said below it.
    Discussions,
    /// Pages of a wiki, where the tracker's interface gives them.
    Pages,
}

impl Stream {
    /// The name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Items => "items",
            Self::Comments => "comments",
            Self::ReviewComments => "review_comments",
            Self::Discussions => "discussions",
            Self::Pages => "pages",
        }
    }

    /// The name in a sentence.
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

/// The place of a page in a list: what the tracker said, kept as it is between two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// A page of a list.
#[derive(Debug, Default)]
pub struct Page {
    /// Its records, or why one cannot be used.
    pub records: Vec<std::result::Result<Record, String>>,
    /// What the tracker says of how these items hang together with others, each with all that it says; empty where that has
    /// to be asked for, see [`Tracker::relations`].
    pub relations: Vec<(u64, Vec<Relation>)>,
    /// The numbers of items that the list itself says are deleted.
    pub gone: Vec<u64>,
    /// The numbers of items that a list of open ones names without their records.
    pub listed: Vec<u64>,
    /// What else the answer names, with or without a record: the items whose comments were asked for.
    pub named: Vec<String>,
    /// The names of all pages of the wiki, where the answer lists them: the others are gone.
    pub all_pages: Option<Vec<String>>,
    /// The page after it; none at the end.
    pub next: Option<Cursor>,
    /// Everything that changed before this has been listed once these records are stored.
    pub watermark: Option<Timestamp>,
    /// The answer's tag, if asking for this page again with it is cheap.
    pub etag: Option<String>,
}

/// What became of asking for a page.
#[derive(Debug)]
pub enum Fetched {
    /// Here it is.
    Page(Page),
    /// Nothing changed since the answer with this tag.
    Unchanged,
    /// The tracker no longer knows this place; the list has to be taken up again at the watermark.
    Expired,
    /// The tracker cannot answer a page of this size; here is the same place with a smaller one.
    Smaller(Cursor),
    /// This token may not read this list: why.
    Refused(String),
}

/// What became of an item or comment.
#[derive(Debug)]
pub enum Fate {
    /// It is there.
    Here(Box<Record>),
    /// The item is there, and what is said below it came with it; the item stands first.
    Whole(Vec<Record>),
    /// It is there, and what is said of it cannot be read.
    Unreadable,
    /// It was deleted, or this token may no longer see it.
    Gone,
    /// It is now another project's: `owner/name#12`, where the tracker says so.
    Moved(Option<String>),
}

/// What a tracker itself says about how two items hang together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The item with this number is a duplicate of that one (`owner/name#12`).
    DuplicateOf(u64, String),
    /// The item with this number was closed by that one.
    ClosedBy(u64, String),
    /// The item with this number has to do with that one.
    RelatesTo(u64, String),
}

/// What became of asking how items hang together.
#[derive(Debug)]
pub enum Relations {
    /// All that there is.
    Found(Vec<Relation>),
    /// That was more than the tracker can answer at once.
    TooMany,
    /// It does not say, to this access or to anybody: why.
    Refused(String),
}

/// A project on a live tracker.
///
/// Lists are read page by page with a [`Cursor`], which the caller keeps. What an implementation promises: once the
/// records of every page up to one are stored, nothing that changed before that page's watermark is missing, even if the
/// tracker's content changes while pages are being read.
#[async_trait]
pub trait Tracker: Send + Sync {
    /// The lists that it offers, in the order in which they are to be read.
    fn streams(&self) -> &'static [Stream];

    /// Looks whether the project can be read, and what it is called now. Must come first: later calls use what it found.
    ///
    /// # Errors
    /// [`precedent_core::Code::Authentication`], [`precedent_core::Code::NotFound`], and those of the network.
    async fn probe(&mut self, task: &Task) -> Result<Project>;

    /// Looks what this access can do, for a person who sets it up.
    ///
    /// # Errors
    /// As [`Tracker::probe`].
    async fn access(&mut self, task: &Task) -> Result<Access>;

    /// How many records of a list a page holds.
    fn size(&self, stream: Stream) -> u32;

    /// The first page of what changed at or after `since`; of everything without one.
    fn start(&self, stream: Stream, since: Option<Timestamp>) -> Cursor {
        Walk::new(since, self.size(stream)).cursor()
    }

    /// The first page of all items that are open, for the sweep.
    fn open_items(&self) -> Cursor {
        Walk::open(self.size(Stream::Items)).cursor()
    }

    /// Fetches a page.
    ///
    /// # Errors
    /// Those of the network, of limits and of access.
    async fn page(&self, stream: Stream, at: &Cursor, _etag: Option<&str>, task: &Task) -> Result<Fetched> {
        match Walk::read(at) {
            Some(walk) => self.list_page(stream, &walk, task).await,
            None => Ok(Fetched::Expired),
        }
    }

    /// Fetches the page at a place in a list.
    ///
    /// # Errors
    /// As [`Tracker::page`].
    async fn list_page(&self, stream: Stream, walk: &Walk, task: &Task) -> Result<Fetched>;

    /// How many items there are at most, if that is cheap to know.
    ///
    /// # Errors
    /// As [`Tracker::page`].
    async fn item_bound(&self, _task: &Task) -> Result<Option<u64>> {
        Ok(None)
    }

    /// What became of an item.
    ///
    /// # Errors
    /// As [`Tracker::page`].
    async fn item(&self, number: u64, task: &Task) -> Result<Fate>;

    /// What became of a comment, by the number of its item and the tracker's id.
    ///
    /// # Errors
    /// As [`Tracker::page`].
    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate>;

    /// What became of a page of the wiki that its list no longer names, by its name and the tracker's id.
    ///
    /// # Errors
    /// As [`Tracker::page`].
    async fn wiki_page(&self, _slug: &str, _remote_id: Option<&str>, _task: &Task) -> Result<Fate> {
        Ok(Fate::Unreadable)
    }

    /// Where its wiki is, if that is a git repository.
    fn wiki(&self) -> Option<wiki_git::WikiPlace> {
        None
    }

    /// What the tracker says of how these items, which are closed, hang together with others; nothing, where items and texts say it
    /// already.
    ///
    /// # Errors
    /// As [`Tracker::page`].
    async fn relations(&self, _numbers: &[u64], _task: &Task) -> Result<Relations> {
        Ok(Relations::Found(Vec::new()))
    }

    /// How it is told that a report is a duplicate, where that can be done from here.
    fn closer(&self) -> Option<&dyn Closer> {
        None
    }
}
