//! The JSON types of Discourse, parsed tolerantly. Formats:
//! <https://github.com/discourse/discourse_api_docs/blob/main/openapi.json>; fields of the solved
//! plugin: <https://github.com/discourse/discourse/tree/main/plugins/discourse-solved>

use std::collections::{BTreeSet, HashMap, HashSet};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::tracker::{
    client::clean,
    dates::{Time, time},
    github::json_error,
    identity,
};
use precedent_core::model::{
    ANSWER, Author, CommentRecord, DocumentRecord, INTERNAL, Raw, Record, State,
};
use precedent_markup::html_to_markdown;

/// The type of a post that records an action on the topic, such as closing or moving it.
/// <https://github.com/discourse/discourse/blob/main/app/models/post.rb>
const SMALL_ACTION: u64 = 3;
/// The type of a post that only staff may read.
const WHISPER: u64 = 4;
/// The fields that change without an edit; records that differ only in these are the same.
const VOLATILE: &str = "actions_summary bookmarks current_post_number details draft_sequence incoming_link_count like_count \
                        link_counts message_bus_last_id participant_count post_stream quote_count reactions readers_count \
                        reads related_topics reply_count score suggested_topics timeline_lookup views";
/// The maximum depth of quotes; deeper ones are shown at this depth.
const MAX_QUOTE_DEPTH: usize = 20;
const CLOSING_CODES: [&str; 3] = ["closed.enabled", "autoclosed.enabled", "archived.enabled"];

#[derive(Deserialize)]
pub(super) struct Category {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) name: String,
    #[serde(default)]
    slug: String,
    parent_category_id: Option<u64>,
}

impl Category {
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.slug.eq_ignore_ascii_case(name) || self.id.to_string() == name
    }
}

/// Returns the path of a category: the slugs of its ancestors and its own slug.
pub(super) fn category_path(category: &Category, list: &[Category]) -> Vec<String> {
    let mut names = vec![category.slug.clone()];
    let mut current = category;
    // Categories are nested at most three deep.
    for _ in 0..3 {
        let Some(parent) = list.iter().find(|c| Some(c.id) == current.parent_category_id) else {
            break;
        };
        names.insert(0, parent.slug.clone());
        current = parent;
    }
    names
}

pub(super) fn subtree(id: u64, list: &[Category]) -> BTreeSet<u64> {
    let mut ids = BTreeSet::from([id]);
    for _ in 0..3 {
        let children = list
            .iter()
            .filter(|c| c.parent_category_id.is_some_and(|parent| ids.contains(&parent)));
        let children: Vec<u64> = children.map(|c| c.id).collect();
        ids.extend(children);
    }
    ids
}

#[derive(Deserialize)]
pub(super) struct TopicEntry {
    pub(super) id: u64,
    bumped_at: Option<Time>,
    pinned: Option<bool>,
    pinned_globally: Option<bool>,
    closed: Option<bool>,
    archived: Option<bool>,
    has_accepted_answer: Option<bool>,
}

impl TopicEntry {
    /// Returns the time by which the list is sorted.
    pub(super) fn bumped_at(&self) -> Option<Timestamp> {
        time(self.bumped_at)
    }

    pub(super) fn is_pinned(&self) -> bool {
        self.pinned == Some(true) || self.pinned_globally == Some(true)
    }

    pub(super) fn is_open(&self) -> bool {
        [self.closed, self.archived, self.has_accepted_answer]
            .iter()
            .all(|flag| *flag != Some(true))
    }
}

#[derive(Deserialize)]
struct TopicFields {
    id: u64,
    #[serde(default)]
    title: String,
    slug: Option<String>,
    created_at: Option<Time>,
    last_posted_at: Option<Time>,
    deleted_at: Option<Value>,
    closed: Option<bool>,
    archived: Option<bool>,
    category_id: Option<u64>,
    /// Tag names, or objects with a name.
    #[serde(default)]
    tags: Vec<Value>,
    #[serde(default)]
    accepted_answer: Value,
    post_stream: Option<Stream>,
}

#[derive(Deserialize)]
struct Stream {
    #[serde(default)]
    posts: Vec<Value>,
    #[serde(default)]
    stream: Vec<u64>,
}

#[derive(Deserialize)]
pub(super) struct Posts {
    post_stream: Stream,
}

#[derive(Deserialize)]
struct Post {
    id: u64,
    topic_id: Option<u64>,
    topic_slug: Option<String>,
    post_number: u64,
    post_type: Option<u64>,
    action_code: Option<String>,
    username: Option<String>,
    user_id: Option<i64>,
    staff: Option<bool>,
    raw: Option<String>,
    cooked: Option<String>,
    created_at: Timestamp,
    updated_at: Option<Time>,
    deleted_at: Option<Value>,
    user_deleted: Option<bool>,
    hidden: Option<bool>,
    accepted_answer: Option<bool>,
}

pub(super) struct Topic {
    fields: TopicFields,
    raw: Value,
    posts: Vec<Value>,
    post_ids: Vec<u64>,
}

pub(super) fn parse_topic(text: &str) -> Result<Topic, String> {
    let mut fields: TopicFields = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    identity::check_number("id", fields.id)?;
    let (posts, post_ids) =
        fields.post_stream.take().map(|s| (s.posts, s.stream)).unwrap_or_default();
    let raw = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    Ok(Topic { fields, raw: without_volatile(raw), posts, post_ids })
}

fn without_volatile(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        for name in VOLATILE.split(' ') {
            fields.remove(name);
        }
    }
    value
}

fn author(post: &Post, is_answer: bool) -> Author {
    let association = match post.staff {
        _ if post.post_type == Some(WHISPER) => Some(INTERNAL),
        _ if is_answer => Some(ANSWER),
        Some(true) => Some("MEMBER"),
        _ => None,
    };
    Author {
        login: post.username.clone().filter(|n| !n.is_empty()),
        // System accounts have negative ids.
        bot: post.user_id.is_some_and(|id| id < 0),
        association: association.map(str::to_owned),
    }
}

impl Post {
    fn is_gone(&self) -> bool {
        self.deleted_at.as_ref().is_some_and(|time| !time.is_null())
            || self.user_deleted == Some(true)
    }

    fn has_content(&self) -> bool {
        !self.is_gone() && self.hidden != Some(true) && self.post_type != Some(SMALL_ACTION)
    }

    fn text(&self) -> String {
        match &self.raw {
            Some(raw) => quotes_to_markdown(&clean(Some(raw.clone()))),
            None => html_to_markdown::convert(&clean(self.cooked.clone())),
        }
    }

    fn record(
        &self,
        raw: &Value,
        number: u64,
        slug: &str,
        is_answer: bool,
        web: &str,
    ) -> CommentRecord {
        CommentRecord {
            repository: None,
            number,
            remote_id: self.id.to_string(),
            author: author(self, is_answer),
            body: self.text(),
            url: Some(format!("{web}/t/{slug}/{number}/{}", self.post_number)),
            created_at: self.created_at,
            updated_at: time(self.updated_at).unwrap_or(self.created_at),
            raw: Raw::new(stored_raw(raw, is_answer)),
        }
    }
}

/// Returns the raw form to store, with a flag for an accepted answer, which other responses state.
fn stored_raw(raw: &Value, is_accepted: bool) -> Vec<u8> {
    let mut raw = without_volatile(raw.clone());
    if let Some(fields) = raw.as_object_mut() {
        fields.insert("accepted".to_owned(), is_accepted.into());
    }
    raw.to_string().into_bytes()
}

impl Topic {
    pub(super) fn is_gone(&self) -> bool {
        self.fields.deleted_at.as_ref().is_some_and(|time| !time.is_null())
    }

    pub(super) fn category(&self) -> Option<u64> {
        self.fields.category_id
    }

    pub(super) fn missing_ids(&self) -> Vec<u64> {
        let ids: HashSet<u64> =
            self.posts.iter().filter_map(|post| post.get("id").and_then(Value::as_u64)).collect();
        self.post_ids.iter().copied().filter(|id| !ids.contains(id)).collect()
    }

    pub(super) fn add(&mut self, posts: Posts) {
        self.posts.extend(posts.post_stream.posts);
    }

    /// Converts the topic and its posts to records, or to reasons why they are skipped.
    pub(super) fn records(
        mut self,
        names: &HashMap<u64, String>,
        web: &str,
    ) -> Vec<Result<Record, String>> {
        let fields = self.fields;
        let slug = fields.slug.clone().filter(|s| !s.is_empty()).unwrap_or_else(|| "-".to_owned());
        let mut out = Vec::new();
        let mut first = None;
        let (mut answered_at, mut closed_at) = (None, None);
        let answer_number = fields.accepted_answer["post_number"].as_u64();
        for raw in &self.posts {
            let post: Post = match serde_json::from_value(raw.clone()) {
                Ok(post) => post,
                Err(error) => {
                    out.push(Err(json_error(&error)));
                    continue;
                }
            };
            if post.action_code.as_deref().is_some_and(|code| CLOSING_CODES.contains(&code)) {
                closed_at = closed_at.max(Some(post.created_at));
            }
            let is_answer =
                post.accepted_answer == Some(true) || answer_number == Some(post.post_number);
            if is_answer {
                answered_at = Some(post.created_at);
            }
            if post.post_number == 1 {
                self.raw["post"] = without_volatile(raw.clone());
                first = Some(post);
            } else if post.has_content() {
                let comment = post.record(raw, fields.id, &slug, is_answer, web);
                out.push(Ok(comment.into()));
            }
        }
        let is_solved = answered_at.is_some() || answer_number.is_some();
        let is_closed = is_solved || fields.closed == Some(true) || fields.archived == Some(true);
        let edited_at = first.as_ref().and_then(|post| time(post.updated_at));
        let created_at = time(fields.created_at);
        let category = fields.category_id.and_then(|id| names.get(&id).cloned());
        let tags =
            fields.tags.iter().filter_map(|tag| tag.as_str().or_else(|| tag.get("name")?.as_str()));
        let document = DocumentRecord {
            number: Some(fields.id),
            remote_id: Some(fields.id.to_string()),
            title: fields.title.replace('\0', "\u{fffd}").trim().to_owned(),
            body: first
                .as_ref()
                .filter(|post| post.has_content())
                .map(Post::text)
                .unwrap_or_default(),
            url: Some(format!("{web}/t/{slug}/{}", fields.id)),
            state: Some(if is_closed { State::Closed } else { State::Open }),
            // A topic that was closed without an answer has no stated reason.
            state_reason: is_solved.then(|| "completed".to_owned()),
            author: first.as_ref().map(|post| author(post, false)).unwrap_or_default(),
            labels: category.into_iter().chain(tags.map(str::to_owned)).collect(),
            comment_count: out.iter().filter(|record| record.is_ok()).count() as u64,
            created_at,
            updated_at: created_at.max(time(fields.last_posted_at)).max(edited_at),
            closed_at: answered_at.or(closed_at).filter(|_| is_closed),
            raw: Raw::new(stored_raw(&self.raw, is_solved)),
            ..DocumentRecord::default()
        };
        out.insert(0, Ok(document.into()));
        out
    }
}

/// Parses a single post; `None` if it was deleted or has no content.
pub(super) fn parse_comment(
    text: &str,
    number: u64,
    web: &str,
) -> Result<Option<CommentRecord>, String> {
    let raw: Value = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    let post: Post = serde_json::from_value(raw.clone()).map_err(|e| json_error(&e))?;
    if !post.has_content() || post.topic_id.is_some_and(|id| id != number) {
        return Ok(None);
    }
    let slug = post.topic_slug.clone().filter(|s| !s.is_empty()).unwrap_or_else(|| "-".to_owned());
    Ok(Some(post.record(&raw, number, &slug, post.accepted_answer == Some(true), web)))
}

/// Converts quotes, `[quote="ada, post:1, topic:7"]` to `[/quote]`, to Markdown.
fn quotes_to_markdown(text: &str) -> String {
    if !text.contains("[quote") {
        return text.to_owned();
    }
    let (mut depth, mut in_fence) = (0_usize, false);
    let mut out = Vec::new();
    let prefix = |depth: usize| "> ".repeat(depth.min(MAX_QUOTE_DEPTH));
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            in_fence = !in_fence;
        }
        match trimmed {
            _ if in_fence => out.push(format!("{}{line}", prefix(depth))),
            tag if tag.starts_with("[quote") && tag.ends_with(']') => depth += 1,
            "[/quote]" => {
                depth = depth.saturating_sub(1);
                out.push(prefix(depth).trim_end().to_owned());
            }
            _ => out.push(format!("{}{line}", prefix(depth))),
        }
    }
    out.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn post(number: u64, text: &str, change: &Value) -> Value {
        let mut post = json!({"id": 100 + number, "topic_id": 7, "topic_slug": "pump-stalls", "post_number": number, "post_type": 1,
            "username": "ada", "user_id": 5, "name": "Ada", "staff": false, "admin": false, "moderator": false, "raw": text,
            "cooked": format!("<p>{text}</p>"), "created_at": "2024-01-02T03:04:05.678Z", "updated_at": "2024-01-02T03:04:05.678Z",
            "deleted_at": null, "user_deleted": false, "hidden": false, "accepted_answer": false});
        for (name, value) in change.as_object().unwrap() {
            post[name] = value.clone();
        }
        post
    }

    fn parse(posts: &[Value], change: &Value) -> (DocumentRecord, Vec<CommentRecord>) {
        let mut response = json!({"id": 7, "title": "Pump stalls", "slug": "pump-stalls", "created_at": "2024-01-02T03:04:05.678Z",
            "last_posted_at": "2024-01-03T03:04:05.678Z", "deleted_at": null, "closed": false, "archived": false, "category_id": 5,
            "tags": ["flow", {"id": 3, "name": "hot", "slug": "hot"}], "post_stream": {"posts": posts, "stream": [101, 102, 103]}});
        for (name, value) in change.as_object().unwrap() {
            response[name] = value.clone();
        }
        let names = HashMap::from([(5, "Support".to_owned())]);
        let mut records = parse_topic(&response.to_string())
            .unwrap()
            .records(&names, "https://forum.example")
            .into_iter()
            .map(Result::unwrap);
        let Some(Record::Document(document)) = records.next() else {
            panic!("the topic comes first")
        };
        let comments = records.map(|r| match r {
            Record::Comment(comment) => *comment,
            Record::Document(_) => panic!("more than one topic"),
        });
        (*document, comments.collect())
    }

    #[test]
    fn accepted_answer_closes_the_topic() {
        let posts = [
            post(1, "It stalls.", &json!({})),
            post(
                2,
                "Open the valve.",
                &json!({"accepted_answer": true, "staff": true, "username": "grace"}),
            ),
            post(3, "Thanks", &json!({"staff": true})),
        ];
        let (document, comments) = parse(&posts, &json!({}));
        assert_eq!(
            (document.state, document.state_reason.as_deref()),
            (Some(State::Closed), Some("completed"))
        );
        assert_eq!(document.labels, ["Support", "flow", "hot"]);
        assert_eq!((document.body.as_str(), document.comment_count), ("It stalls.", 2));
        assert_eq!(document.url.as_deref(), Some("https://forum.example/t/pump-stalls/7"));
        let raw = String::from_utf8_lossy(&document.raw.bytes);
        assert!(raw.contains("It stalls.") && !raw.contains("post_stream"), "{raw}");
        let association = |index: usize| comments[index].author.association.as_deref();
        assert_eq!((association(0), association(1)), (Some(ANSWER), Some("MEMBER")));
        assert_eq!(comments[0].url.as_deref(), Some("https://forum.example/t/pump-stalls/7/2"));
        // If no post is marked as the answer, the topic names it.
        let posts = [
            post(1, "It stalls.", &json!({})),
            post(2, "Open it.", &json!({"accepted_answer": null})),
        ];
        let (document, comments) =
            parse(&posts, &json!({"accepted_answer": {"post_number": 2, "username": "grace"}}));
        assert_eq!(document.state_reason.as_deref(), Some("completed"));
        assert_eq!(comments[0].author.association.as_deref(), Some(ANSWER));
    }

    #[test]
    fn views_do_not_change_the_hash() {
        let topic = |views: u64, text: &str| {
            let first = post(1, text, &json!({"reads": views, "score": views}));
            let (document, _) = parse(&[first], &json!({"views": views, "like_count": views}));
            document.raw.hash
        };
        assert_eq!(topic(1, "It stalls."), topic(2, "It stalls."));
        assert_ne!(topic(1, "It stalls."), topic(1, "It stalls again."));
    }

    #[test]
    fn actions_and_deleted_posts_are_not_comments() {
        let posts = [
            post(1, "It stalls.", &json!({})),
            post(
                2,
                "",
                &json!({"post_type": 3, "action_code": "closed.enabled", "created_at": "2024-01-05T00:00:00Z"}),
            ),
            post(3, "(post deleted by author)", &json!({"user_deleted": true})),
            post(4, "Gone", &json!({"deleted_at": "2024-01-04T00:00:00Z"})),
            post(5, "Spam", &json!({"hidden": true})),
        ];
        let (document, comments) = parse(&posts, &json!({"closed": true}));
        assert_eq!(comments, []);
        assert_eq!((document.state, document.state_reason), (Some(State::Closed), None));
        assert_eq!(document.closed_at, Some("2024-01-05T00:00:00Z".parse().unwrap()));
        let (open_topic, _) = parse(&posts[..1], &json!({}));
        assert_eq!((open_topic.state, open_topic.closed_at), (Some(State::Open), None));
        for post in &posts[1..] {
            assert_eq!(parse_comment(&post.to_string(), 7, "").unwrap(), None);
        }
        assert_eq!(
            parse_comment(&post(2, "Moved", &json!({"topic_id": 8})).to_string(), 7, "").unwrap(),
            None
        );
    }

    #[test]
    fn missing_posts_are_listed() {
        let text = json!({"id": 7, "title": "x", "post_stream": {"posts": [{"id": 101}], "stream": [101, 102, 103]}});
        assert_eq!(parse_topic(&text.to_string()).unwrap().missing_ids(), [102, 103]);
    }

    #[test]
    fn quotes_become_markdown() {
        let text = "[quote=\"ada, post:1, topic:7\"]\nIt stalls.\n[quote=\"eve\"]\nWhy?\n[/quote]\n[/quote]\nOpen it.\n```\n[quote]\n```";
        assert_eq!(
            quotes_to_markdown(text),
            "> It stalls.\n> > Why?\n>\n\nOpen it.\n```\n[quote]\n```"
        );
        assert_eq!(quotes_to_markdown("No [b]quote[/b]."), "No [b]quote[/b].");
        let hostile = format!("{}{}", "[quote]\n".repeat(20_000), "a\n".repeat(20_000));
        assert!(quotes_to_markdown(&hostile).len() < hostile.len() * 6);
    }

    #[test]
    fn category_matches_by_slug_or_id() {
        let list: Vec<Category> = serde_json::from_value(json!([
            {"id": 4, "name": "Help", "slug": "help"}, {"id": 5, "name": "Support", "slug": "support", "parent_category_id": 4},
            {"id": 6, "name": "Pumps", "slug": "pumps", "parent_category_id": 5}, {"id": 9, "name": "News", "slug": "news"}]))
        .unwrap();
        assert!(list[1].has_name("Support") && list[1].has_name("5") && !list[1].has_name("4"));
        assert_eq!(category_path(&list[2], &list), ["help", "support", "pumps"]);
        assert_eq!(subtree(4, &list), BTreeSet::from([4, 5, 6]));
    }
}
