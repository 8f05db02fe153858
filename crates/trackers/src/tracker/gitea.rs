//! The Gitea and Forgejo connector. Formats: <https://docs.gitea.com/api/>
//! (`/repos/{owner}/{repo}/issues`).
//!
//! Lists are ordered by creation, see `Pagination::by_creation`. Issues have GitHub's format.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};
use url::Url;

use super::{
    Connection, FetchError, Lookup, Page, Stream, Tracker,
    client::{Client, clean, escape, with_parameters},
    dates::{Time, time},
    github::{json_error, record},
    pagination::Pagination,
    release::{self, ReleaseList, ReleasePage, ReleaseRequest},
    wiki_git::WikiLocation,
};
use crate::http::{Login, Response};
use precedent_core::{
    error::Result,
    model::{Author, CommentRecord, Project, Raw, Record, item_number},
};

/// The number of records per page, the default maximum of servers.
const PAGE_SIZE: u32 = 50;

/// A Gitea or Forgejo project.
pub struct Gitea {
    client: Client,
    project: String,
}

#[derive(Deserialize)]
struct ProjectInfo {
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
struct Comment {
    id: u64,
    body: Option<String>,
    #[serde(default)]
    user: Value,
    html_url: Option<String>,
    issue_url: Option<String>,
    pull_request_url: Option<String>,
    created_at: Timestamp,
    updated_at: Option<Time>,
}

impl Gitea {
    /// Opens the project `owner/name`.
    pub fn new(connection: &Connection<'_>) -> Self {
        let client = Client::new(connection, Login::token);
        Self { client, project: connection.project.to_owned() }
    }

    fn project_url(&self, path: &str) -> Result<Url> {
        let (owner, name) = self.project.split_once('/').unwrap_or((&self.project, ""));
        self.client.url(&format!("repos/{}/{}{path}", escape(owner), escape(name)))
    }

    fn list_url(&self, stream: Stream, pagination: &Pagination) -> Result<Url> {
        let is_items = stream == Stream::Items;
        let list = if is_items { "issues" } else { "issues/comments" };
        let path = format!("/{list}?limit={}&page={}", pagination.size, pagination.page);
        let state = if pagination.open { "open" } else { "all" };
        let state = is_items.then(|| state.to_owned());
        let parameters = [("state", state), ("since", pagination.since_seconds())];
        Ok(with_parameters(self.project_url(&path)?, parameters))
    }

    async fn look_up(&self, stream: Stream, url: Url) -> Result<Lookup> {
        let response = self.client.try_get(Ok(url), &[404, 410], stream.label()).await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        Ok(Lookup::from_parsed(parse_record(stream, &response.text()).map(Some)))
    }
}

fn stated_total(response: &Response) -> Option<u64> {
    response.header("x-total-count").and_then(|t| t.trim().parse().ok())
}

/// Returns whether there is another page, and the actual page size. A server may return fewer
/// records than requested, and a proxy may drop headers; without them, only an empty page is last.
fn has_more(response: &Response, count: u32, pagination: &Pagination) -> (bool, u32) {
    let size = if pagination.page == 1 && count > 0 {
        count.min(pagination.size)
    } else {
        pagination.size
    };
    let total_read = u64::from(pagination.page - 1) * u64::from(size) + u64::from(count);
    let has_next = match stated_total(response) {
        _ if response.next.is_some() => true,
        Some(stated_total) => count > 0 && total_read < stated_total,
        // A server that returns more than requested returns everything.
        None => (1..=pagination.size).contains(&count) && response.last.is_none(),
    };
    (has_next, if has_next { size } else { pagination.size })
}

fn parse_record(stream: Stream, text: &str) -> Result<Record, String> {
    if stream != Stream::Items {
        return parse_comment(text).map(Record::from);
    }
    match record(text.as_bytes())? {
        Record::Document(mut document) => {
            // The project may have been renamed, but its numbers remain.
            document.repository = None;
            Ok(Record::Document(document))
        }
        Record::Comment(_) => Err("is not an issue".to_owned()),
    }
}

fn parse_comment(text: &str) -> Result<CommentRecord, String> {
    let comment: Comment = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    // Exactly one of the two addresses is set.
    let item_url =
        [comment.issue_url, comment.pull_request_url].into_iter().flatten().find(|u| !u.is_empty());
    let number = item_url
        .as_deref()
        .and_then(|u| u.trim_end_matches('/').rsplit('/').next().and_then(item_number))
        .ok_or("does not say which item it belongs to")?;
    let login = comment.user["login"].as_str().map(str::to_owned);
    Ok(CommentRecord {
        repository: None,
        number,
        remote_id: comment.id.to_string(),
        author: Author { login, ..Author::default() },
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

    async fn probe(&mut self) -> Result<Project> {
        let info: ProjectInfo = self.client.get_json(self.project_url(""), &self.project).await?;
        if let Some(name) = info.full_name.filter(|n| n.contains('/')) {
            self.project = name;
        }
        Ok(Project {
            name: self.project.clone(),
            remote_id: info.id.map(|id| id.to_string()),
            private: info.private,
            wiki: info.has_wiki.unwrap_or(false),
            issues: info.has_issues.unwrap_or(true),
            archived: info.archived,
        })
    }

    async fn user(&self) -> Result<Option<String>> {
        // A token without access to accounts may still read issues.
        let response = self.client.try_get(self.client.url("user"), &[403], "the account").await?;
        Ok(response.map(|response| response.at("/login")).transpose()?.flatten())
    }

    fn size(&self, _stream: Stream) -> u32 {
        PAGE_SIZE
    }

    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        let response = self.client.get(self.list_url(stream, pagination)?).await?;
        self.client.check_page(&response, pagination, stream)?;
        let raws: Vec<&RawValue> = response.json()?;
        let count = u32::try_from(raws.len()).unwrap_or(u32::MAX);
        let (has_next, size) = has_more(&response, count, pagination);
        let records = raws.iter().map(|raw| parse_record(stream, raw.get())).collect();
        let pagination = Pagination { size, ..pagination.clone() };
        let next = pagination.by_creation(
            stated_total(&response),
            self.client.server_time(&response),
            has_next,
        );
        Ok(Page { records, ..Page::default() }.with_next(next))
    }

    async fn item_bound(&self) -> Result<Option<u64>> {
        let response =
            self.client.get(self.list_url(Stream::Items, &Pagination::new(None, 1))?).await?;
        Ok(stated_total(&response))
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        self.look_up(Stream::Items, self.project_url(&format!("/issues/{number}"))?).await
    }

    async fn comment(&self, _number: u64, remote_id: &str) -> Result<Lookup> {
        let path = format!("/issues/comments/{}", escape(remote_id));
        self.look_up(Stream::Comments, self.project_url(&path)?).await
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        ReleaseList::OF_REPOSITORY
    }

    async fn releases(&self, request: ReleaseRequest<'_>) -> Result<ReleasePage, FetchError> {
        // Only open milestones are listed by default.
        let list = request.list.as_str();
        let url =
            self.project_url(&format!("/{list}?limit={}&page={}", request.size, request.page))?;
        release::fetch(&self.client, url, request, |response| {
            let mut page = release::page(request, response, &self.project)?;
            // The API does not return the address of a milestone.
            let root = self.client.web().trim_end_matches("/api/v1");
            for release in page.releases.iter_mut().filter(|_| request.list == ReleaseList::Planned)
            {
                release.url.get_or_insert_with(|| format!("{root}/{}/milestones", self.project));
            }
            Ok(page)
        })
        .await
    }

    fn wiki(&self) -> Option<WikiLocation> {
        let root = self.client.web().trim_end_matches("/api/v1");
        let web = format!("{root}/{}", self.project);
        WikiLocation::new(&self.client, &format!("{web}.wiki.git"), format!("{web}/wiki/"))
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use super::*;
    use crate::{http::Http, tracker::Address};

    #[tokio::test]
    async fn token_may_lack_access_to_the_account() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let host = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let response = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\n{}";
            stream.write_all(response).unwrap();
        });
        let address = Address::parse(super::super::Kind::Gitea, &host).unwrap();
        let gitea = Gitea::new(&Connection::for_tests(&Http::for_tests(), &address));
        assert_eq!(gitea.user().await.unwrap(), None);
    }
}
