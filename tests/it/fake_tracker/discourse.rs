//! Responses of Discourse:
//! <https://github.com/discourse/discourse_api_docs/blob/main/openapi.json>. The list is ordered
//! as in <https://github.com/discourse/discourse/blob/main/lib/topic_query.rb>.

use std::cmp::Reverse;

use serde_json::{Value, json};

use super::{Answer, Content, Item, ok, with_status};
use crate::fake_github::{NOW, iso_time};

pub const PROJECT: &str = "topics";
const PAGE_SIZE: usize = 30;

/// Returns whether a request asks for a page of topics; the second value is false because comments
/// come with the topics.
pub fn classify_request(address: &str) -> (bool, bool) {
    (address.contains("latest.json"), false)
}

fn fault(status: u16, kind: &str) -> Answer {
    with_status(
        status,
        json!({"errors": ["The requested URL or resource could not be found."], "error_type": kind}),
    )
}

fn time(seconds: i64) -> String {
    iso_time(seconds).replace('Z', ".678Z")
}

impl Content {
    fn post(&self, id: u64, number: u64, position: usize, text: &str, t: i64) -> Value {
        let is_reply = position > 0;
        json!({"id": id, "topic_id": number, "topic_slug": "pump", "post_number": position + 1, "post_type": 1, "raw": text,
            "cooked": format!("<p>{text}</p>"), "username": if is_reply { "grace" } else { "ada" }, "name": "",
            "user_id": if is_reply { 2 } else { 1 }, "staff": is_reply, "admin": false, "moderator": is_reply, "created_at": time(t),
            "updated_at": time(t), "deleted_at": null, "user_deleted": false, "hidden": false, "reads": self.log.len(),
            "score": 1.5, "version": 1, "accepted_answer": self.answers.contains(&id)})
    }

    fn posts(&self, n: u64, i: &Item) -> Vec<Value> {
        let first = self.post(1_000_000 + n, n, 0, &i.body, NOW - 50_000_000);
        let item_comments = self.comments_of(n);
        let replies = item_comments
            .iter()
            .enumerate()
            .map(|(k, (id, s))| self.post(*id, n, k + 1, &s.body, s.updated_at));
        let mut note = self.post(2_000_000 + n, n, item_comments.len() + 1, "", i.updated_at);
        (note["post_type"], note["action_code"]) = (json!(3), json!("closed.enabled"));
        std::iter::once(first).chain(replies).chain((!i.open).then_some(note)).collect()
    }

    fn is_solved(&self, n: u64) -> bool {
        self.comments_of(n).iter().any(|(id, _)| self.answers.contains(id))
    }

    fn topics(&self, page: usize, topic_ids: impl Iterator<Item = u64>) -> Answer {
        let mut numbers: Vec<u64> = topic_ids.collect();
        numbers.sort_by_key(|n| Reverse((self.items[n].updated_at, *n)));
        let (pinned_topics, other_topics): (Vec<u64>, Vec<u64>) =
            numbers.into_iter().partition(|n| self.pinned_items.contains(n));
        let page_ids: Vec<u64> = match page {
            0 => pinned_topics.iter().chain(&other_topics).copied().take(PAGE_SIZE).collect(),
            page => other_topics
                .into_iter()
                .skip((page * PAGE_SIZE).saturating_sub(pinned_topics.len()))
                .take(PAGE_SIZE)
                .collect(),
        };
        let row = |n: &u64| {
            let item = &self.items[n];
            json!({"id": n, "title": item.title, "fancy_title": item.title, "slug": "pump", "posts_count": 1 + self.comments_of(*n).len(),
                "created_at": time(NOW - 50_000_000), "last_posted_at": time(item.updated_at), "bumped": true,
                "bumped_at": time(item.updated_at), "pinned": self.pinned_items.contains(n), "pinned_globally": false,
                "unpinned": null, "visible": true, "closed": !item.open, "archived": false, "views": self.log.len(),
                "archetype": "regular", "category_id": if n.is_multiple_of(2) { 5 } else { 9 }, "has_accepted_answer": self.is_solved(*n),
                "posters": []})
        };
        let topics: Vec<Value> = page_ids.iter().map(row).collect();
        ok(
            json!({"users": [], "primary_groups": [], "topic_list": {"can_create_topic": false, "per_page": PAGE_SIZE, "topics": topics}}),
        )
    }

    pub(super) fn discourse(&self, path: &str, parameters: &[(String, String)]) -> Answer {
        let get = |name: &str| parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        let page = || {
            assert_eq!(get("order"), Some("activity"));
            get("page").map_or(0, |page| page.parse().unwrap())
        };
        match path.trim_start_matches('/').split('/').collect::<Vec<_>>()[..] {
            ["site.json"] => ok(json!({"categories": [{"id": 9, "name": "News", "slug": "news"},
                {"id": 4, "name": "Help", "slug": "help"}, {"id": 5, "name": "Support", "slug": "support", "parent_category_id": 4}]})),
            ["session", "current.json"]
                if self.log.last().is_some_and(|(_, login)| login.is_some()) =>
            {
                ok(json!({"current_user": {"id": 1, "username": "ada"}}))
            }
            ["latest.json"] => self.topics(page(), self.items.keys().copied()),
            ["c", "help", "support", "5", "l", "latest.json"] => {
                self.topics(page(), self.items.keys().copied().filter(|n| n % 2 == 0))
            }
            ["t", n] => {
                assert_eq!(get("include_raw"), Some("1"));
                let n: u64 = n.strip_suffix(".json").unwrap().parse().unwrap();
                let Some(item) = self.items.get(&n).filter(|_| !self.locked_items.contains(&n))
                else {
                    return fault(404, "not_found");
                };
                let posts = self.posts(n, item);
                let stream: Vec<Value> = posts.iter().map(|p| p["id"].clone()).collect();
                let first_posts: Vec<Value> = posts.into_iter().take(20).collect();
                let mut topic = json!({"id": n, "title": item.title, "slug": "pump", "posts_count": stream.len(),
                    "created_at": time(NOW - 50_000_000), "last_posted_at": time(item.updated_at), "visible": true,
                    "closed": !item.open, "archived": false, "archetype": "regular", "views": self.log.len(), "deleted_at": null,
                    "category_id": if n.is_multiple_of(2) { 5 } else { 9 }, "tags": ["flow"], "chunk_size": 20,
                    "post_stream": {"posts": first_posts, "stream": stream}});
                if item.has_unknown_fields {
                    (topic["archetype"], topic["zone"]) =
                        (json!("simmering"), json!({"deep": [1]}));
                }
                ok(topic)
            }
            ["t", n, "posts.json"] => {
                let n: u64 = n.parse().unwrap();
                let post_ids: Vec<u64> = parameters
                    .iter()
                    .filter(|(name, _)| name == "post_ids[]")
                    .map(|(_, v)| v.parse().unwrap())
                    .collect();
                assert!(post_ids.len() <= 20 && get("include_raw") == Some("1"), "{post_ids:?}");
                let mut posts = self.posts(n, &self.items[&n]);
                posts.retain(|p| post_ids.contains(&p["id"].as_u64().unwrap()));
                ok(json!({"post_stream": {"posts": posts}, "id": n}))
            }
            ["posts", id] => {
                let id: u64 = id.strip_suffix(".json").unwrap().parse().unwrap();
                match self.comments.get(&id) {
                    Some(reply) => {
                        ok(self.post(id, reply.number, 1, &reply.body, reply.updated_at))
                    }
                    None => fault(404, "not_found"),
                }
            }
            _ => fault(404, "not_found"),
        }
    }
}
