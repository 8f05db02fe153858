//! The Discourse connector: the topics of a forum or of one category, with their posts.
//!
//! The topic list is ordered by the last post and has no text. It is read from the newest topic
//! back to the last stored one, with one request per topic for every twenty posts. Topics with new
//! posts move to the start of the list, where the next sync finds them.
//! <https://docs.discourse.org/>

mod shapes;

use std::collections::{BTreeSet, HashMap};

use super::{
    Connection, FetchError, Lookup, Page, Stream, Tracker,
    client::{Client, escape, parse_each},
    pagination::Pagination,
};
use crate::{http::Login, secrets::Token};
use async_trait::async_trait;
use precedent_core::{
    error::{Error, Result},
    model::Project,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use shapes::{Category, Posts, Topic, TopicEntry};
use url::Url;

/// The number of topics per page, which Discourse fixes.
/// <https://github.com/discourse/discourse/blob/main/lib/topic_query.rb>
const PAGE_SIZE: u32 = 30;
const POSTS_PER_REQUEST: usize = 20;
const GONE_STATUSES: &[u16] = &[403, 404, 410];

/// A Discourse forum, or one of its categories.
pub struct Discourse {
    client: Client,
    /// Category slug or number; `topics` for the whole forum.
    project: String,
    /// Path of the topic list.
    list: String,
    /// Ids of the category and its subcategories; `None` for the whole forum.
    categories: Option<BTreeSet<u64>>,
    category_names: HashMap<u64, String>,
}

#[derive(Deserialize)]
struct LatestTopics<'a> {
    #[serde(borrow)]
    topic_list: TopicList<'a>,
}

#[derive(Deserialize)]
struct TopicList<'a> {
    #[serde(borrow, default)]
    topics: Vec<&'a RawValue>,
    per_page: Option<usize>,
}

impl Discourse {
    /// Opens the forum, or the category with this name. A key for all users is given as `USER:KEY`.
    /// <https://meta.discourse.org/t/create-and-configure-an-api-key/230124>
    pub fn new(connection: &Connection<'_>) -> Self {
        let login = |base: &Url, key: &Token| Login::headers(base, "api-key", key, "api-username");
        Self {
            client: Client::new(connection, login),
            project: connection.project.to_owned(),
            list: "latest.json".to_owned(),
            categories: None,
            category_names: HashMap::new(),
        }
    }

    /// Fetches a topic with all its posts, or the reason why it is skipped; `None` if it does not
    /// exist.
    async fn topic(&self, id: u64) -> Result<Option<Result<Topic, String>>> {
        let url = self.client.url(&format!("t/{id}.json?include_raw=1"));
        let response = self.client.try_get(url, GONE_STATUSES, "a topic").await?;
        let Some(response) = response else { return Ok(None) };
        let mut topic = match shapes::parse_topic(&response.text()) {
            Ok(topic) => topic,
            Err(reason) => return Ok(Some(Err(reason))),
        };
        for chunk in topic.missing_ids().chunks(POSTS_PER_REQUEST) {
            let mut url = self.client.url(&format!("t/{id}/posts.json?include_raw=1"))?;
            url.query_pairs_mut()
                .extend_pairs(chunk.iter().map(|post| ("post_ids[]", post.to_string())));
            let response = self.client.try_get(Ok(url), GONE_STATUSES, "posts").await?;
            let Some(response) = response else { return Ok(None) };
            topic.add(response.json::<Posts>()?);
        }
        Ok(Some(Ok(topic)))
    }
}

#[async_trait]
impl Tracker for Discourse {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        if self.client.login.is_some() {
            self.user().await?;
        }
        let url = self.client.url("site.json");
        let categories: Vec<Category> = self.client.get_at(url, "/categories", "the forum").await?;
        let mut remote_id = None;
        if super::Kind::Discourse.single_project() != Some(self.project.as_str()) {
            let category = categories.iter().find(|c| c.has_name(&self.project));
            let Some(category) = category else {
                return Err(Error::not_found(format!("category \"{1}\" not found on {0}", self.client.host, self.project))
                    .with_hint("Use the name or number from its address: support or 5 of /c/support/5. A private category needs a key with read access."));
            };
            let slugs: Vec<String> = shapes::category_path(category, &categories)
                .into_iter()
                .map(|name| escape(&name))
                .collect();
            self.list = format!("c/{}/{}/l/latest.json", slugs.join("/"), category.id);
            self.categories = Some(shapes::subtree(category.id, &categories));
            remote_id = Some(category.id.to_string());
        }
        self.category_names = categories.into_iter().map(|c| (c.id, c.name)).collect();
        Ok(Project {
            name: self.project.clone(),
            remote_id,
            private: self.client.login.is_some(),
            issues: true,
            ..Project::default()
        })
    }

    /// Returns the owner of the key. A wrong key and missing access cause the same status.
    async fn user(&self) -> Result<Option<String>> {
        let response = self.client.get(self.client.url("session/current.json")?).await?;
        let subject = "the key's account";
        match response.status {
            200 => response.at("/current_user/username"),
            404 => Ok(None),
            403 => Err(self.client.status_error(401, &response, subject)),
            _ => Err(self.client.error_for(&response, subject)),
        }
    }

    /// Returns the position of a page without topics, because each topic costs a request.
    fn probe_page(&self) -> Pagination {
        Pagination::new(Some(self.client.http.now()), PAGE_SIZE)
    }

    fn size(&self, _stream: Stream) -> u32 {
        PAGE_SIZE
    }

    async fn list_page(
        &self,
        _stream: Stream,
        pagination: &Pagination,
    ) -> Result<Page, FetchError> {
        let path = format!("{}?order=activity&page={}", self.list, pagination.page - 1);
        let response = self.client.get(self.client.url(&path)?).await?;
        if response.status != 200 {
            return Err(self.client.list_failure(&response, Stream::Items.label()));
        }
        let list = response.json::<LatestTopics<'_>>()?.topic_list;
        let (entries, unreadable) = parse_each::<TopicEntry>(&list.topics);
        let is_full = list.topics.len() >= list.per_page.unwrap_or(PAGE_SIZE as usize);
        let names = entries.iter().map(|entry| entry.id.to_string()).collect();
        let records = unreadable.into_iter().map(Err).collect();
        let mut page = Page { records, other_names: names, ..Page::default() };
        if pagination.open {
            page.listed_numbers
                .extend(entries.iter().filter(|entry| entry.is_open()).map(|entry| entry.id));
            return Ok(page.with_next(pagination.by_change(&[], is_full && !entries.is_empty())));
        }
        let is_old = |entry: &TopicEntry| {
            pagination.since.is_some_and(|s| entry.bumped_at().is_some_and(|t| t < s))
        };
        // Pinned topics come first, whatever their age.
        let is_complete = entries.iter().any(|entry| !entry.is_pinned() && is_old(entry));
        let response_time = self.client.server_time(&response);
        // Topics with later posts have a later time than the newest one here.
        let newest =
            entries.iter().filter_map(TopicEntry::bumped_at).max().unwrap_or(response_time);
        for entry in entries.iter().filter(|entry| !is_old(entry)) {
            // The topic may have been deleted since it was listed.
            let Some(topic) = self.topic(entry.id).await? else { continue };
            match topic {
                Ok(topic) if topic.is_gone() => page.gone_numbers.push(entry.id),
                Ok(topic) => {
                    page.records.extend(topic.records(&self.category_names, self.client.web()))
                }
                Err(reason) => page.records.push(Err(reason)),
            }
        }
        let has_more = is_full && !entries.is_empty() && !is_complete;
        Ok(page.with_next(pagination.by_creation(None, newest, has_more)))
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        let topic = match self.topic(number).await? {
            Some(Ok(topic)) if !topic.is_gone() => topic,
            Some(Err(_)) => return Ok(Lookup::Unreadable),
            _ => return Ok(Lookup::Gone),
        };
        if self
            .categories
            .as_ref()
            .is_some_and(|categories| !topic.category().is_some_and(|c| categories.contains(&c)))
        {
            return Ok(Lookup::Moved(None));
        }
        let records = topic.records(&self.category_names, self.client.web());
        Ok(Lookup::Found(records.into_iter().flatten().collect()))
    }

    async fn comment(&self, number: u64, remote_id: &str) -> Result<Lookup> {
        let url = self.client.url(&format!("posts/{}.json", escape(remote_id)));
        let response = self.client.try_get(url, GONE_STATUSES, "a post").await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        Ok(Lookup::from_parsed(shapes::parse_comment(&response.text(), number, self.client.web())))
    }
}
