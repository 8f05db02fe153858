//! The Confluence connector for Cloud (API version 2) and Data Center; the pages of a space form a
//! wiki.
//!
//! Neither API lists recent changes, so the whole space is listed first, without bodies. Pages
//! missing from that list are gone. The bodies of changed pages are fetched, oldest change first.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};
use url::Url;

use super::{
    Connection, FetchError, Lookup, Page, Stream, Tracker,
    client::{Client, clean, clean_title, escape, parse_each},
    dates::{Time, time},
    github::json_error,
    pagination::Pagination,
    repetition::RepeatGuard,
    wiki::title_slug,
};
use crate::http::{Login, Response};
use precedent_core::{
    error::{Code, Error, Result},
    model::{Access, Author, DocKind, DocumentRecord, Project, Raw},
};
use precedent_markup::storage_format;

/// The number of pages per list request, Cloud's maximum; Data Center may return fewer.
/// <https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/#api-spaces-id-pages-get>
const LIST_LIMIT: u32 = 250;
/// The number of pages whose bodies are fetched together.
const PAGE_SIZE: u32 = 25;
/// The maximum number of requests for one list, in case a server links pages in a cycle.
const MAX_LIST_PAGES: usize = 4_000;

/// A Confluence space.
pub struct Confluence {
    client: Client,
    space: String,
    id: Option<String>,
    is_cloud: bool,
    /// Pages of the space at the start of the pass.
    index: Mutex<Option<Arc<Vec<PageEntry>>>>,
    user_names: Mutex<HashMap<String, Option<String>>>,
}

struct PageEntry {
    id: String,
    slug: String,
    changed_at: Option<Timestamp>,
}

#[derive(Deserialize)]
struct ResultList<'a> {
    #[serde(borrow, default)]
    results: Vec<&'a RawValue>,
    #[serde(rename = "_links", default)]
    links: Links,
}

#[derive(Default, Deserialize)]
struct Links {
    next: Option<String>,
    webui: Option<String>,
}

#[derive(Deserialize)]
struct Space {
    id: Value,
    key: Option<String>,
    status: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageContent {
    id: String,
    #[serde(default)]
    title: String,
    created_at: Option<Time>,
    #[serde(default)]
    version: Value,
    #[serde(default)]
    history: Value,
    #[serde(default)]
    body: Value,
    #[serde(rename = "_links", default)]
    links: Links,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Person {
    account_id: Option<String>,
    display_name: Option<String>,
    public_name: Option<String>,
    username: Option<String>,
}

impl Person {
    fn name(self) -> Option<String> {
        self.display_name.or(self.public_name).or(self.username).filter(|n| !n.is_empty())
    }
}

impl PageContent {
    /// Returns the time of the last change: `createdAt` on Cloud, `when` on Data Center.
    fn changed_at(&self) -> Option<Timestamp> {
        time_of(&self.version["createdAt"]).or_else(|| time_of(&self.version["when"]))
    }
}

fn time_of(value: &Value) -> Option<Timestamp> {
    time(Time::deserialize(value).ok())
}

/// Sorts pages by last change. If two titles have the same slug, the larger id is appended
/// to that page's slug.
fn sort_entries(pages: Vec<PageContent>) -> Vec<PageEntry> {
    let mut by_id: BTreeMap<u128, (String, String, Option<Timestamp>)> = BTreeMap::new();
    for page in pages {
        let numeric_id = page.id.parse().unwrap_or(u128::MAX);
        by_id.insert(numeric_id, (title_slug(&page.title), page.id.clone(), page.changed_at()));
    }
    let mut slugs = BTreeSet::new();
    let mut out = Vec::with_capacity(by_id.len());
    for (name, id, changed_at) in by_id.into_values() {
        let slug = if slugs.insert(name.to_lowercase()) { name } else { format!("{name}-{id}") };
        out.push(PageEntry { id, slug, changed_at });
    }
    out.sort_by(|a, b| (a.changed_at, &a.id).cmp(&(b.changed_at, &b.id)));
    out
}

impl Confluence {
    /// Opens the space with this key. A token with a colon is `USER:SECRET`, where the user is the
    /// email address on Cloud; any other is a personal access token.
    pub fn new(connection: &Connection<'_>) -> Self {
        Self {
            client: Client::new(connection, Login::personal),
            space: connection.project.to_owned(),
            id: None,
            is_cloud: false,
            index: Mutex::default(),
            user_names: Mutex::default(),
        }
    }

    fn stored_index(&self) -> Option<Arc<Vec<PageEntry>>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn list_url(&self, start: usize) -> Result<Url> {
        if self.is_cloud {
            let id = escape(self.id.as_deref().unwrap_or_default());
            return self
                .client
                .url(&format!("api/v2/spaces/{id}/pages?status=current&limit={LIST_LIMIT}"));
        }
        self.client.url(&format!(
            "rest/api/content?spaceKey={}&type=page&status=current&expand=version&limit={LIST_LIMIT}&start={start}",
            escape(&self.space)
        ))
    }

    /// Lists the pages of the space; also returns the reasons why some entries are skipped.
    async fn fetch_index(&self) -> Result<(Vec<PageEntry>, Vec<String>), FetchError> {
        let (mut pages, mut unreadable) = (Vec::new(), Vec::new());
        let mut url = self.list_url(0)?;
        let mut offset = 0;
        let mut guard = RepeatGuard::default();
        for _ in 0..MAX_LIST_PAGES {
            let response = self.client.get(url).await?;
            if response.status != 200 {
                return Err(self.client.list_failure(&response, Stream::Pages.label()));
            }
            let list: ResultList<'_> = response.json()?;
            offset += list.results.len();
            guard
                .add(list.results.iter().map(|raw| raw.get()))
                .map_err(|repetition| repetition.error(Stream::Pages.label()))?;
            let (items, errors) = parse_each::<PageContent>(&list.results);
            pages.extend(items);
            unreadable.extend(errors);
            url = match list.links.next.filter(|_| !list.results.is_empty()) {
                Some(next) if self.is_cloud => self.next_url(&response, &next)?,
                Some(_) => self.list_url(offset)?,
                None => return Ok((sort_entries(pages), unreadable)),
            };
        }
        Err(Error::new(Code::Network, "the tracker's list of pages repeats itself").into())
    }

    /// Returns the address of the next page, which must be on the same host.
    fn next_url(&self, response: &Response, next: &str) -> Result<Url> {
        response.url.join(next).ok().filter(|u| u.origin() == self.client.base.origin()).ok_or_else(
            || {
                Error::new(
                    Code::Network,
                    format!("{} links to a next page on another host", self.client.host),
                )
            },
        )
    }

    /// Fetches pages with their bodies in one request, by id; pages deleted since are omitted.
    async fn fetch_text_batch(&self, entries: &[&PageEntry]) -> Result<BTreeMap<String, String>> {
        let mut out = BTreeMap::new();
        if entries.is_empty() {
            return Ok(out);
        }
        let mut url = self.client.url("api/v2/pages")?;
        url.query_pairs_mut()
            .extend_pairs(entries.iter().map(|p| ("id", p.id.as_str())))
            .append_pair("body-format", "storage")
            .append_pair("limit", &LIST_LIMIT.to_string());
        let response = self.client.get(url).await?;
        if response.status != 200 {
            return Err(self.client.error_for(&response, "page contents"));
        }
        #[derive(Deserialize)]
        struct Id {
            id: String,
        }
        for raw in response.json::<ResultList<'_>>()?.results {
            if let Ok(Id { id }) = serde_json::from_str(raw.get()) {
                out.insert(id, raw.get().to_owned());
            }
        }
        Ok(out)
    }

    async fn fetch_texts(&self, entries: &[&PageEntry]) -> Result<BTreeMap<String, String>> {
        let mut out = BTreeMap::new();
        for entry in entries {
            let path = format!(
                "rest/api/content/{}?expand=body.storage,version,history",
                escape(&entry.id)
            );
            // The page may have been deleted or moved since it was listed.
            let url = self.client.url(&path);
            let response = self.client.try_get(url, &[403, 404], "a page of the wiki").await?;
            out.extend(response.map(|r| (entry.id.clone(), r.text().into_owned())));
        }
        Ok(out)
    }

    async fn record(
        &self,
        text: &str,
        entry: &PageEntry,
    ) -> Result<Result<DocumentRecord, String>> {
        let content: PageContent = match serde_json::from_str(text) {
            Ok(content) => content,
            Err(error) => {
                return Ok(Err(format!("{}: {}", entry.slug, json_error(&error))));
            }
        };
        let changed_at = content.changed_at();
        let created_at =
            time(content.created_at).or_else(|| time_of(&content.history["createdDate"]));
        let author = match (&content.version["by"], content.version["authorId"].as_str()) {
            (person @ Value::Object(_), _) => {
                Person::deserialize(person).ok().and_then(Person::name)
            }
            (_, Some(id)) => self.user_name(id).await?,
            _ => None,
        };
        let storage = clean(content.body["storage"]["value"].as_str().map(str::to_owned));
        Ok(Ok(DocumentRecord {
            kind: DocKind::Page,
            slug: Some(entry.slug.clone()),
            remote_id: Some(content.id),
            title: clean_title(&content.title),
            body: storage_format::to_markdown(&storage),
            url: content.links.webui.map(|path| format!("{}{path}", self.client.web())),
            author: Author { login: author, ..Author::default() },
            created_at,
            updated_at: changed_at.or(created_at),
            raw: Raw::new(text.as_bytes().to_vec()),
            ..DocumentRecord::default()
        }))
    }

    /// Fetches a user's name, which Cloud returns separately; `None` if it is not accessible.
    /// <https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-user/#api-users-bulk-post>
    async fn user_name(&self, id: &str) -> Result<Option<String>> {
        let lookup = |names: &HashMap<String, Option<String>>| names.get(id).cloned();
        if let Some(name) = lookup(&self.user_names.lock().unwrap_or_else(PoisonError::into_inner))
        {
            return Ok(name);
        }
        let url = self.client.url("api/v2/users-bulk")?;
        let response = self.client.post(url, &json!({"accountIds": [id]})).await?;
        let people: Option<Vec<Person>> =
            if response.status == 200 { response.at("/results")? } else { None };
        let name = people
            .into_iter()
            .flatten()
            .find(|p| p.account_id.as_deref() == Some(id))
            .and_then(Person::name);
        let mut names = self.user_names.lock().unwrap_or_else(PoisonError::into_inner);
        names.insert(id.to_owned(), name.clone());
        Ok(name)
    }

    /// Returns the outcome for a page that is no longer listed but can be requested.
    fn unlisted_page(&self, page: &Value) -> Lookup {
        let is_current = page["status"].as_str().is_none_or(|status| status == "current");
        let (space, own_space) = match self.is_cloud {
            true => (page["spaceId"].as_str(), self.id.as_deref()),
            false => (page["space"]["key"].as_str(), Some(self.space.as_str())),
        };
        match space {
            _ if !is_current => Lookup::Gone,
            Some(_) if space != own_space => Lookup::Moved(None),
            _ => Lookup::Unreadable,
        }
    }

    async fn find_space(&self) -> Result<(Option<Space>, bool)> {
        let url = self.client.url(&format!("api/v2/spaces?keys={}", escape(&self.space)));
        // Data Center does not have this endpoint.
        if let Some(response) = self.client.try_get(url, &[404], &self.space).await? {
            let list: ResultList<'_> = response.json()?;
            let mut spaces = parse_each::<Space>(&list.results).0.into_iter();
            let is_match =
                |s: &Space| s.key.as_deref().is_some_and(|k| k.eq_ignore_ascii_case(&self.space));
            return Ok((spaces.find(is_match), true));
        }
        let url = self.client.url(&format!("rest/api/space/{}", escape(&self.space)));
        Ok((Some(self.client.get_json(url, &self.space).await?), false))
    }
}

#[async_trait]
impl Tracker for Confluence {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        let (space, is_cloud) = self.find_space().await?;
        self.is_cloud = is_cloud;
        let Some(space) = space else {
            return Err(Error::not_found(format!("space {1} not found on {0}", self.client.host, self.space))
                .with_hint("The space key is in the address of each page: ENG in /spaces/ENG/. A private space needs a token with read access."));
        };
        if let Some(key) = space.key.filter(|k| !k.is_empty()) {
            self.space = key;
        }
        let id = match space.id {
            Value::String(id) => id,
            id => id.to_string(),
        };
        self.id = Some(id.clone());
        Ok(Project {
            name: self.space.clone(),
            remote_id: Some(id),
            private: self.client.login.is_some(),
            wiki: true,
            issues: false,
            archived: space.status.is_some_and(|s| s.eq_ignore_ascii_case("archived")),
        })
    }

    async fn user(&self) -> Result<Option<String>> {
        let url = self.client.url("rest/api/user/current");
        Ok(self.client.get_json::<Person>(url, "the token's account").await?.name())
    }

    /// Checks only the first page of the list, because fetching bodies requires the whole list.
    async fn access(&mut self) -> Result<Access> {
        let mut access = Access { project: self.probe().await?, ..Access::default() };
        if self.client.login.is_some() {
            access.user = self.user().await?;
        }
        let response = self.client.get(self.list_url(0)?).await?;
        if response.status != 200 {
            let error = self.client.error_for(&response, Stream::Pages.label());
            access.refused.push(error.to_string());
        }
        Ok(access)
    }

    fn size(&self, _stream: Stream) -> u32 {
        PAGE_SIZE
    }

    async fn list_page(
        &self,
        _stream: Stream,
        pagination: &Pagination,
    ) -> Result<Page, FetchError> {
        let (entries, unreadable) = match self.stored_index().filter(|_| pagination.page > 1) {
            Some(entries) => (entries, Vec::new()),
            // Another process started this pass; resume at the watermark.
            None if pagination.page > 1 => return Err(FetchError::Expired),
            None => {
                let (entries, unreadable) = self.fetch_index().await?;
                let entries = Arc::new(entries);
                *self.index.lock().unwrap_or_else(PoisonError::into_inner) =
                    Some(Arc::clone(&entries));
                (entries, unreadable)
            }
        };
        let is_changed =
            |p: &&PageEntry| pagination.since.is_none_or(|since| p.changed_at >= Some(since));
        let changed_entries: Vec<&PageEntry> = entries.iter().filter(is_changed).collect();
        let (batch, has_more) = pagination.slice(&changed_entries);
        let mut page = Page {
            // An unreadable page is requested separately before it counts as gone.
            records: unreadable.into_iter().map(Err).collect(),
            all_pages: Some(entries.iter().map(|p| p.slug.clone()).collect()),
            watermark: batch.last().and_then(|p| p.changed_at),
            ..Page::default()
        };
        let texts = if self.is_cloud {
            self.fetch_text_batch(batch).await?
        } else {
            self.fetch_texts(batch).await?
        };
        for entry in batch {
            if let Some(text) = texts.get(&entry.id) {
                page.add(self.record(text, entry).await?.map(Some));
            }
        }
        let next = Pagination { page: pagination.page + 1, ..pagination.clone() };
        page.next = has_more.then(|| next.cursor());
        Ok(page)
    }

    async fn wiki_page(&self, slug: &str, remote_id: Option<&str>) -> Result<Lookup> {
        let Some(id) = remote_id else { return Ok(Lookup::Unreadable) };
        if self
            .stored_index()
            .is_some_and(|entries| entries.iter().any(|entry| entry.id == id && entry.slug != slug))
        {
            // The page was renamed and is stored under its new name.
            return Ok(Lookup::Moved(None));
        }
        let path = if self.is_cloud { "api/v2/pages" } else { "rest/api/content" };
        let url = self.client.url(&format!("{path}/{}", escape(id)))?;
        let response = self.client.get(url).await?;
        match response.status {
            200 => Ok(self.unlisted_page(&response.json()?)),
            404 | 410 => Ok(Lookup::Gone),
            403 => Ok(Lookup::Unreadable),
            _ => Err(self.client.error_for(&response, "a page of the wiki")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        http::Http,
        tracker::{Address, Kind},
    };

    #[test]
    fn page_of_another_space_is_gone_from_this_one() {
        let address = Address::parse(Kind::Confluence, "acme.example").unwrap();
        let http = Http::for_tests();
        let connection = Connection::for_tests(&http, &address);
        let mut confluence = Confluence::new(&Connection { project: "ENG", ..connection });
        confluence.id = Some("77".to_owned());
        for (is_cloud, page, is_gone) in [
            (true, json!({"status": "current", "spaceId": "77"}), false),
            (true, json!({"status": "current", "spaceId": "78"}), true),
            (true, json!({"status": "trashed", "spaceId": "77"}), true),
            (true, json!({}), false),
            (false, json!({"status": "current", "space": {"key": "ENG"}}), false),
            (false, json!({"status": "current", "space": {"key": "OPS"}}), true),
        ] {
            confluence.is_cloud = is_cloud;
            let lookup = confluence.unlisted_page(&page);
            assert_eq!(!matches!(lookup, Lookup::Unreadable), is_gone, "{page}");
        }
    }

    #[test]
    fn equal_titles_get_distinct_slugs() {
        for (title, name) in [
            ("Restart the kiln", "Restart-the-kiln"),
            ("C#: notes / hints", "C-notes-hints"),
            ("Größe (neu)", "Größe-(neu)"),
            ("...", "page"),
        ] {
            assert_eq!(title_slug(title), name);
        }
        let page = |id: &str, title: &str, changed_at: &str| -> PageContent {
            serde_json::from_value(
                json!({"id": id, "title": title, "version": {"createdAt": changed_at}}),
            )
            .unwrap()
        };
        let entries = sort_entries(vec![
            page("30", "Kiln?", "2024-01-01T00:00:00Z"),
            page("4", "Kiln!", "2024-03-01T00:00:00Z"),
            page("5", "Valve", "2024-02-01T00:00:00Z"),
        ]);
        let names: Vec<&str> = entries.iter().map(|entry| entry.slug.as_str()).collect();
        assert_eq!(names, ["Kiln-30", "Valve", "Kiln"]);
    }
}
