//! The Discourse connector: the topics of a forum or of one category, with their posts.
//!
//! The topic list is ordered by the last post and has no texts. So it is read from the newest topic
//! back to the last stored one. Each topic costs one request for twenty posts, and one for each
//! further twenty. Topics with new posts move to the start of the list, where the next sync finds
//! them. <https://docs.discourse.org/>

mod shapes;

use std::collections::{BTreeSet, HashMap};

use super::{
    Address, Fate, Fetch, Page, Stream, Tracker,
    client::{Client, parse_each, part},
    walk::Pagination,
};
use crate::{
    http::{Http, Login},
    secrets::Token,
};
use async_trait::async_trait;
use precedent_core::{
    error::{Error, Result},
    model::Project,
    task::Task,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use shapes::{Category, Posts, Topic, TopicEntry};
use url::Url;

/// The number of topics on a page, which Discourse fixes.
/// <https://github.com/discourse/discourse/blob/main/lib/topic_query.rb>
const PAGE: u32 = 30;
/// The number of posts per request, the same as in a topic response.
const CHUNK: usize = 20;
/// The statuses for what was deleted or is not visible.
const GONE_STATUSES: &[u16] = &[403, 404, 410];

/// A Discourse forum, or one of its categories.
#[derive(Debug)]
pub struct Discourse {
    client: Client,
    /// Category slug or number; `topics` for the whole forum.
    project: String,
    /// Path of the topic list.
    list: String,
    /// The category and its subcategories, unless the whole forum is mirrored.
    of: Option<BTreeSet<u64>>,
    names: HashMap<u64, String>,
}

#[derive(Deserialize)]
struct Latest<'a> {
    #[serde(borrow)]
    topic_list: List<'a>,
}

#[derive(Deserialize)]
struct List<'a> {
    #[serde(borrow, default)]
    topics: Vec<&'a RawValue>,
    per_page: Option<usize>,
}

impl Discourse {
    /// Opens the forum, or the category with this name; without a key, its public content. A key
    /// for all users has the name of one before it, with a colon.
    /// <https://meta.discourse.org/t/create-and-configure-an-api-key/230124>
    pub fn new(http: Http, address: &Address, project: &str, key: Option<&Token>) -> Self {
        let login = |base: &Url, key: &Token| Login::headers(base, "api-key", key, "api-username");
        Self {
            client: Client::new(http, address, super::Kind::Discourse.streams(false), key, login),
            project: project.to_owned(),
            list: "latest.json".to_owned(),
            of: None,
            names: HashMap::new(),
        }
    }

    async fn topics(&self, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let path = format!("{}?order=activity&page={}", self.list, walk.page - 1);
        let response = self.client.get(self.client.url(&path)?, task).await?;
        if response.status != 200 {
            return self.client.list_refusal(&response, Stream::Items.words());
        }
        let list = response.json::<Latest<'_>>()?.topic_list;
        let (rows, unreadable) = parse_each::<TopicEntry>(&list.topics);
        let full = list.topics.len() >= list.per_page.unwrap_or(PAGE as usize);
        let names = rows.iter().map(|row| row.id.to_string()).collect();
        let records = unreadable.into_iter().map(Err).collect();
        let mut page = Page { records, other_names: names, ..Page::default() };
        if walk.open {
            page.listed_numbers.extend(rows.iter().filter(|row| row.is_open()).map(|row| row.id));
            return Ok(page.followed_by(walk.by_change(&[], full && !rows.is_empty())));
        }
        let is_old =
            |row: &TopicEntry| walk.since.is_some_and(|s| row.bumped_at().is_some_and(|t| t < s));
        // Pinned topics come first, whatever their age.
        let is_complete = rows.iter().any(|row| !row.is_pinned() && is_old(row));
        let now = self.client.date(&response);
        // Later topics have a later time than the newest one here.
        let newest = rows.iter().filter_map(TopicEntry::bumped_at).max().unwrap_or(now);
        for row in rows.iter().filter(|row| !is_old(row)) {
            // The topic was deleted while the page was read.
            let Some(topic) = self.topic(row.id, task).await? else { continue };
            match topic {
                Ok(topic) if topic.is_gone() => page.gone_numbers.push(row.id),
                Ok(topic) => page.records.extend(topic.records(&self.names, self.client.web())),
                Err(why) => page.records.push(Err(why)),
            }
        }
        let more = full && !rows.is_empty() && !is_complete;
        Ok(page.followed_by(walk.by_creation(None, newest, more)))
    }

    /// Fetches a topic with all its posts, or the reason why it is skipped; `None` if it does not
    /// exist.
    async fn topic(
        &self,
        id: u64,
        task: &Task,
    ) -> Result<Option<std::result::Result<Topic, String>>> {
        let url = self.client.url(&format!("t/{id}.json?include_raw=1"));
        let response = self.client.find(url, GONE_STATUSES, "a topic", task).await?;
        let Some(response) = response else { return Ok(None) };
        let mut topic = match shapes::topic(&response.text()) {
            Ok(topic) => topic,
            Err(why) => return Ok(Some(Err(why))),
        };
        for chunk in topic.missing_ids().chunks(CHUNK) {
            let mut url = self.client.url(&format!("t/{id}/posts.json?include_raw=1"))?;
            url.query_pairs_mut()
                .extend_pairs(chunk.iter().map(|post| ("post_ids[]", post.to_string())));
            let response = self.client.find(Ok(url), GONE_STATUSES, "posts", task).await?;
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

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        if self.client.login.is_some() {
            self.user(task).await?;
        }
        let url = self.client.url("site.json");
        let categories: Vec<Category> =
            self.client.value(url, "/categories", "the forum", task).await?;
        let mut remote_id = None;
        if super::Kind::Discourse.whole() != Some(self.project.as_str()) {
            let category = categories.iter().find(|c| c.is_called(&self.project));
            let Some(category) = category else {
                return Err(Error::not_found(format!("category \"{1}\" not found on {0}", self.client.host, self.project))
                    .with_hint("Use the name or number from its address: support or 5 of /c/support/5. A private category needs a key with read access."));
            };
            let path: Vec<String> =
                shapes::path(category, &categories).into_iter().map(|name| part(&name)).collect();
            self.list = format!("c/{}/{}/l/latest.json", path.join("/"), category.id);
            self.of = Some(shapes::below(category.id, &categories));
            remote_id = Some(category.id.to_string());
        }
        self.names = categories.into_iter().map(|c| (c.id, c.name)).collect();
        Ok(Project {
            name: self.project.clone(),
            remote_id,
            private: self.client.login.is_some(),
            wiki: false,
            issues: true,
            archived: false,
        })
    }

    /// Returns the user of the key. A wrong key and missing access have the same status.
    async fn user(&self, task: &Task) -> Result<Option<String>> {
        let response = self.client.get(self.client.url("session/current.json")?, task).await?;
        let item = "the account of the key";
        match response.status {
            200 => response.at("/current_user/username"),
            404 => Ok(None),
            403 => Err(self.client.refusal_as(401, &response, item)),
            _ => Err(self.client.refusal(&response, item)),
        }
    }

    /// Returns a page without topics, each of which is a request.
    fn sample(&self) -> Pagination {
        Pagination::new(Some(self.client.http.now()), PAGE)
    }

    fn size(&self, _stream: Stream) -> u32 {
        PAGE
    }

    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        match stream {
            Stream::Items => self.topics(walk, task).await,
            _ => Ok(Fetch::Refused("Discourse has only topics".to_owned())),
        }
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        let topic = match self.topic(number, task).await? {
            Some(Ok(topic)) if !topic.is_gone() => topic,
            Some(Err(_)) => return Ok(Fate::Unreadable),
            _ => return Ok(Fate::Gone),
        };
        if self.of.as_ref().is_some_and(|of| !topic.category().is_some_and(|c| of.contains(&c))) {
            return Ok(Fate::Moved(None));
        }
        Ok(Fate::Whole(
            topic.records(&self.names, self.client.web()).into_iter().flatten().collect(),
        ))
    }

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        let url = self.client.url(&format!("posts/{}.json", part(remote_id)));
        let response = self.client.find(url, GONE_STATUSES, "a post", task).await?;
        let Some(response) = response else { return Ok(Fate::Gone) };
        Ok(Fate::of(shapes::comment(&response.text(), number, self.client.web())))
    }
}
