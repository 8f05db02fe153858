//! The Discourse connector: the topics of a forum or of one category, with their posts.
//!
//! The topic list is ordered by the last post and has no texts. So it is read from the newest topic
//! back to the last stored one. Each topic costs one request for twenty posts, and one for each
//! further twenty. Topics with new posts move to the start of the list, where the next sync finds
//! them. <https://docs.discourse.org/>

mod shapes;

use std::collections::{BTreeSet, HashMap};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{
    Address, Fate, Fetch, Page, Stream, Tracker,
    client::{Client, date, parse_each, part},
    walk::Pagination,
};
use crate::{
    http::{Http, Login, Response},
    secrets::Token,
};
use precedent_core::{
    error::{Error, Result},
    model::{Access, Project, Record},
    task::Task,
};
use shapes::{Category, Posts, Topic, TopicEntry};

/// The number of topics on a page, which Discourse fixes.
/// <https://github.com/discourse/discourse/blob/main/lib/topic_query.rb>
const PAGE: u32 = 30;
/// The number of posts per request, the same as in a topic response.
const CHUNK: usize = 20;

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
struct Site {
    #[serde(default)]
    categories: Vec<Category>,
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

#[derive(Deserialize)]
struct Session {
    current_user: Option<User>,
}

#[derive(Deserialize)]
struct User {
    username: Option<String>,
}

impl Discourse {
    /// Opens the forum, or the category with this name; without a key, its public content. A key
    /// for all users has the name of one before it, with a colon.
    /// <https://meta.discourse.org/t/create-and-configure-an-api-key/230124>
    pub fn new(http: Http, address: &Address, project: &str, key: Option<&Token>) -> Self {
        let login = key.map(|k| Login::headers(&address.base, "api-key", k, "api-username"));
        Self {
            client: Client::new(http, address, login),
            project: project.to_owned(),
            list: "latest.json".to_owned(),
            of: None,
            names: HashMap::new(),
        }
    }

    fn web(&self) -> &str {
        self.client.base.as_str().trim_end_matches('/')
    }

    fn page_of(&self, walk: &Pagination) -> Result<Url> {
        self.client.url(&format!("{}?order=activity&page={}", self.list, walk.page - 1))
    }

    /// Returns the error of an unsuccessful response. A wrong key and missing access have the same
    /// status.
    fn refusal(&self, response: &Response, subject: &str) -> Error {
        let is_key = response.status == 403 && self.client.login.is_some();
        self.client.refusal_as(if is_key { 401 } else { response.status }, response, subject)
    }

    async fn topics(&self, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let response = self.client.get(self.page_of(walk)?, task).await?;
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
            let next = (full && !rows.is_empty())
                .then(|| Pagination { page: walk.page + 1, ..walk.clone() });
            page.next = next.map(|w| w.cursor());
            return Ok(Fetch::Page(page));
        }
        let is_old =
            |row: &TopicEntry| walk.since.is_some_and(|s| row.bumped_at().is_some_and(|t| t < s));
        // Pinned topics come first, whatever their age.
        let is_complete = rows.iter().any(|row| !row.is_pinned() && is_old(row));
        let now = date(&response, self.client.http.now());
        // Later topics have a later time than the newest one here.
        let newest = rows.iter().filter_map(TopicEntry::bumped_at).max().unwrap_or(now);
        for row in rows.iter().filter(|row| !is_old(row)) {
            // The topic was deleted while the page was read.
            let Some(topic) = self.topic(row.id, task).await? else { continue };
            match topic {
                Ok(topic) if topic.is_gone() => page.gone_numbers.push(row.id),
                Ok(topic) => page.records.extend(topic.records(&self.names, self.web())),
                Err(why) => page.records.push(Err(why)),
            }
        }
        let (next, watermark) =
            walk.by_creation(None, newest, full && !rows.is_empty() && !is_complete);
        Ok(Fetch::Page(Page { next: next.map(|w| w.cursor()), watermark, ..page }))
    }

    /// Fetches a topic with all its posts, or the reason why it is skipped; `None` if it does not
    /// exist.
    async fn topic(
        &self,
        id: u64,
        task: &Task,
    ) -> Result<Option<std::result::Result<Topic, String>>> {
        let response =
            self.client.get(self.client.url(&format!("t/{id}.json?include_raw=1"))?, task).await?;
        match response.status {
            200 => {}
            403 | 404 | 410 => return Ok(None),
            _ => return Err(self.client.refusal(&response, "a topic")),
        }
        let mut topic = match shapes::topic(&String::from_utf8_lossy(&response.body)) {
            Ok(topic) => topic,
            Err(why) => return Ok(Some(Err(why))),
        };
        for chunk in topic.missing_ids().chunks(CHUNK) {
            let mut url = self.client.url(&format!("t/{id}/posts.json?include_raw=1"))?;
            url.query_pairs_mut()
                .extend_pairs(chunk.iter().map(|post| ("post_ids[]", post.to_string())));
            let response = self.client.get(url, task).await?;
            match response.status {
                200 => topic.add(response.json::<Posts>()?),
                403 | 404 | 410 => return Ok(None),
                _ => return Err(self.client.refusal(&response, "posts")),
            }
        }
        Ok(Some(Ok(topic)))
    }

    /// Returns the user of the key, if there is a key.
    async fn me(&self, task: &Task) -> Result<Option<String>> {
        if self.client.login.is_none() {
            return Ok(None);
        }
        let response = self.client.get(self.client.url("session/current.json")?, task).await?;
        match response.status {
            200 => Ok(response.json::<Session>()?.current_user.and_then(|u| u.username)),
            404 => Ok(None),
            _ => Err(self.refusal(&response, "the account of the key")),
        }
    }
}

#[async_trait]
impl Tracker for Discourse {
    fn connection(&self) -> (&Http, Option<&Login>) {
        (&self.client.http, self.client.login.as_ref())
    }

    fn streams(&self) -> &'static [Stream] {
        super::Kind::Discourse.streams(false)
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        self.me(task).await?;
        let response = self.client.get(self.client.url("site.json")?, task).await?;
        if response.status != 200 {
            return Err(self.client.refusal(&response, "the forum"));
        }
        let categories = response.json::<Site>()?.categories;
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

    async fn access(&mut self, task: &Task) -> Result<Access> {
        let project = self.probe(task).await?;
        let mut access = Access { project, user: self.me(task).await?, ..Access::default() };
        let response = self.client.get(self.page_of(&Pagination::new(None, PAGE))?, task).await?;
        if response.status != 200 {
            access.refused.push(self.client.refusal(&response, Stream::Items.words()).to_string());
        }
        Ok(access)
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
        Ok(Fate::Whole(topic.records(&self.names, self.web()).into_iter().flatten().collect()))
    }

    async fn comment(&self, number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        let url = self.client.url(&format!("posts/{}.json", part(remote_id)))?;
        let response = self.client.get(url, task).await?;
        match response.status {
            200 => {}
            403 | 404 | 410 => return Ok(Fate::Gone),
            _ => return Err(self.client.refusal(&response, "a post")),
        }
        Ok(match shapes::comment(&String::from_utf8_lossy(&response.body), number, self.web()) {
            Ok(Some(comment)) => Fate::Here(Box::new(Record::Comment(Box::new(comment)))),
            Ok(None) => Fate::Gone,
            Err(_) => Fate::Unreadable,
        })
    }
}
