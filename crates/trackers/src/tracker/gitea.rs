//! The Gitea and Forgejo connector. Formats: <https://docs.gitea.com/api/>
//! (`/repos/{owner}/{repo}/issues`).
//!
//! Lists are ordered by creation and not by change, see `Pagination::by_creation`. Issues have
//! GitHub's format.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{
    Address, Fate, Fetch, Page, Stream, Tracker,
    client::{Client, clean, part},
    dates::{Time, time},
    github::{describe, record},
    release::{self, ReleaseList, ReleasePlace, Releases},
    walk::Pagination,
    wiki_git::WikiPlace,
};
use crate::{
    http::{Http, Login, Response},
    secrets::Token,
};
use precedent_core::{
    error::Result,
    model::{Author, CommentRecord, Project, Raw, Record, item_number},
    task::Task,
};

/// The number of records on a page: the servers' default maximum.
const PAGE: u32 = 50;

/// A Gitea or Forgejo project.
#[derive(Debug)]
pub struct Gitea {
    client: Client,
    project: String,
}

#[derive(Deserialize)]
struct About {
    id: Option<u64>,
    full_name: Option<String>,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    archived: bool,
    has_wiki: Option<bool>,
    has_issues: Option<bool>,
}

#[derive(Deserialize)]
struct User {
    login: Option<String>,
}

#[derive(Deserialize)]
struct Comment {
    id: u64,
    body: Option<String>,
    user: Option<User>,
    html_url: Option<String>,
    issue_url: Option<String>,
    pull_request_url: Option<String>,
    created_at: Timestamp,
    updated_at: Option<Time>,
}

impl Gitea {
    /// Opens the project `owner/name`; without a token, its public content.
    pub fn new(http: Http, address: &Address, project: &str, token: Option<&Token>) -> Self {
        Self {
            client: Client::new(
                http,
                address,
                super::Kind::Gitea.streams(false),
                token,
                Login::token,
            ),
            project: project.to_owned(),
        }
    }

    fn path(&self, rest: &str) -> Result<Url> {
        let (owner, name) = self.project.split_once('/').unwrap_or((&self.project, ""));
        self.client.url(&format!("repos/{}/{}{rest}", part(owner), part(name)))
    }

    fn list(&self, stream: Stream, walk: &Pagination) -> Result<Url> {
        let mut url =
            self.path(if stream == Stream::Items { "/issues" } else { "/issues/comments" })?;
        {
            let mut query = url.query_pairs_mut();
            query
                .append_pair("limit", &walk.size.to_string())
                .append_pair("page", &walk.page.to_string());
            if stream == Stream::Items {
                query.append_pair("state", if walk.open { "open" } else { "all" });
            }
            if let Some(since) = walk.since {
                query.append_pair("since", &since.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
            }
        }
        Ok(url)
    }

    async fn fate(&self, stream: Stream, url: Url, task: &Task) -> Result<Fate> {
        let response = self.client.find(Ok(url), &[404, 410], stream.words(), task).await?;
        let Some(response) = response else { return Ok(Fate::Gone) };
        Ok(Fate::of(parse_record(stream, &response.text()).map(Some)))
    }
}

/// Returns the number of records in a list, as the server states it.
fn total(response: &Response) -> Option<u64> {
    response.header("x-total-count").and_then(|t| t.trim().parse().ok())
}

/// Returns whether there is another page, and the actual page size: a server may return fewer
/// records than requested, and a proxy may drop its headers. Without headers, only an empty page is
/// the end.
fn has_more(response: &Response, count: u32, walk: &Pagination) -> (bool, u32) {
    let size = if walk.page == 1 && count > 0 { count.min(walk.size) } else { walk.size };
    let total_read = u64::from(walk.page - 1) * u64::from(size) + u64::from(count);
    let more = match total(response) {
        _ if response.next.is_some() => true,
        Some(total) => count > 0 && total_read < total,
        // A server that returns more than requested returns everything.
        None => (1..=walk.size).contains(&count) && response.last.is_none(),
    };
    (more, if more { size } else { walk.size })
}

fn parse_record(stream: Stream, text: &str) -> Result<Record, String> {
    if stream != Stream::Items {
        return comment(text).map(Record::from);
    }
    match record(text.as_bytes())? {
        Record::Document(mut document) => {
            // Numbers belong to this project, whatever its current name.
            document.repository = None;
            Ok(Record::Document(document))
        }
        Record::Comment(_) => Err("is not an issue".to_owned()),
    }
}

fn comment(text: &str) -> Result<CommentRecord, String> {
    let comment: Comment = serde_json::from_str(text).map_err(|e| describe(&e))?;
    // Exactly one of the two is set.
    let of =
        [comment.issue_url, comment.pull_request_url].into_iter().flatten().find(|u| !u.is_empty());
    let number = of
        .as_deref()
        .and_then(|u| u.trim_end_matches('/').rsplit('/').next().and_then(item_number))
        .ok_or("does not say which item it belongs to")?;
    Ok(CommentRecord {
        repository: None,
        number,
        remote_id: comment.id.to_string(),
        author: Author { login: comment.user.and_then(|u| u.login), ..Author::default() },
        body: clean(comment.body),
        url: comment.html_url,
        created_at: comment.created_at,
        updated_at: time(comment.updated_at).unwrap_or(comment.created_at),
        raw: Raw::new(text.as_bytes().to_vec()),
    })
}

#[async_trait]
impl Tracker for Gitea {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        let about: About = self.client.json(self.path(""), &self.project, task).await?;
        if let Some(name) = about.full_name.filter(|n| n.contains('/')) {
            self.project = name;
        }
        Ok(Project {
            name: self.project.clone(),
            remote_id: about.id.map(|id| id.to_string()),
            private: about.private,
            wiki: about.has_wiki.unwrap_or(false),
            issues: about.has_issues.unwrap_or(true),
            archived: about.archived,
        })
    }

    async fn user(&self, task: &Task) -> Result<Option<String>> {
        Ok(self.client.json::<User>(self.client.url("user"), "the account", task).await?.login)
    }

    fn size(&self, _stream: Stream) -> u32 {
        PAGE
    }

    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let response = self.client.get(self.list(stream, walk)?, task).await?;
        if let Some(outcome) = self.client.not_a_page(&response, walk, stream)? {
            return Ok(outcome);
        }
        let raws: Vec<&RawValue> = response.json()?;
        let count = u32::try_from(raws.len()).unwrap_or(u32::MAX);
        let (more, size) = has_more(&response, count, walk);
        let records = raws.iter().map(|raw| parse_record(stream, raw.get())).collect();
        let walk = Pagination { size, ..walk.clone() };
        let next = walk.by_creation(total(&response), self.client.date(&response), more);
        Ok(Page { records, ..Page::default() }.followed_by(next))
    }

    async fn item_bound(&self, task: &Task) -> Result<Option<u64>> {
        let response =
            self.client.get(self.list(Stream::Items, &Pagination::new(None, 1))?, task).await?;
        Ok(total(&response))
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        self.fate(Stream::Items, self.path(&format!("/issues/{number}"))?, task).await
    }

    async fn comment(&self, _number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        let path = format!("/issues/comments/{}", part(remote_id));
        self.fate(Stream::Comments, self.path(&path)?, task).await
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        ReleaseList::OF_REPOSITORY
    }

    async fn releases(&self, place: ReleasePlace<'_>, task: &Task) -> Result<Releases> {
        // Only open milestones are listed by default.
        let list = place.list.as_str();
        let url = self.path(&format!("/{list}?limit={}&page={}", place.size, place.page))?;
        release::fetch(&self.client, url, place, task, |response| {
            let mut page = release::page(place, response, &self.project)?;
            // The API does not return the address of a milestone.
            let root = self.client.web().trim_end_matches("/api/v1");
            for release in page.releases.iter_mut().filter(|_| place.list == ReleaseList::Planned) {
                release.url.get_or_insert_with(|| format!("{root}/{}/milestones", self.project));
            }
            Ok(page)
        })
        .await
    }

    fn wiki(&self) -> Option<WikiPlace> {
        let root = self.client.web().trim_end_matches("/api/v1");
        let repository = Url::parse(&format!("{root}/{}.wiki.git", self.project)).ok()?;
        Some(WikiPlace {
            repository,
            pages: format!("{root}/{}/wiki/", self.project),
            token: self.client.token.clone(),
        })
    }
}
