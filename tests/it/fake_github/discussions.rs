//! The fake GitHub's discussions. Each query is validated against GitHub's own schema, and each
//! response has exactly the requested fields.

use std::sync::OnceLock;

use serde_json::{Value, json};

use super::{Answer, NOW, World, iso_time};
use crate::graphql::Schema;

/// A discussion.
#[derive(Clone, Default)]
pub struct Discussion {
    pub title: String,
    pub updated_at: i64,
    /// The reason for closing it, if closed.
    pub close_reason: Option<&'static str>,
    /// Comments as (id, number of replies).
    pub comments: Vec<(u64, usize)>,
    /// The id of the accepted answer.
    pub answer: Option<u64>,
    /// Comments that were deleted and have replies.
    pub deleted_comments: Vec<u64>,
}

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| Schema::parse(include_str!("../../fixtures/github/discussions.graphql")))
}

fn user(login: &str) -> Value {
    json!({"__typename": "User", "login": login})
}

/// Returns the page of a list after a cursor.
fn connection(items: Vec<Value>, cursor: Option<&Value>, size: usize) -> Value {
    let start = cursor
        .and_then(Value::as_str)
        .map_or(0, |c| c.strip_prefix("position-").unwrap().parse().unwrap());
    let (total, end) = (items.len(), (start + size).min(items.len()));
    let nodes: Vec<Value> = items.into_iter().skip(start).take(size).collect();
    json!({"totalCount": total, "nodes": nodes,
        "pageInfo": {"hasNextPage": end < total, "endCursor": format!("position-{end}")}})
}

impl World {
    pub fn add_discussion(&mut self, number: u64, title: &str, updated_at: i64) -> &mut Discussion {
        let discussion =
            Discussion { title: title.to_owned(), updated_at, ..Discussion::default() };
        self.discussions.insert(number, discussion);
        self.discussions.get_mut(&number).unwrap()
    }

    fn discussion_comment(&self, discussion: &Discussion, id: u64, reply: Option<usize>) -> Value {
        let name = reply.map_or(format!("DC_{id}"), |n| format!("DC_{id}_{n}"));
        let body = reply.map_or(format!("It is valve {id}."), |n| format!("Reply {n} to {id}."));
        json!({"__typename": "DiscussionComment", "id": name, "body": body, "createdAt": iso_time(NOW - 1_000),
            "url": format!("https://tracker.example/{}/discussions#{name}", self.name), "updatedAt": iso_time(NOW - 1_000),
            "deletedAt": (reply.is_none() && discussion.deleted_comments.contains(&id)).then(|| iso_time(NOW)),
            "isAnswer": reply.is_none() && discussion.answer == Some(id), "authorAssociation": "NONE", "author": user("grace")})
    }

    fn replies(
        &self,
        discussion: &Discussion,
        id: u64,
        cursor: Option<&Value>,
        size: usize,
    ) -> Value {
        let count = discussion.comments.iter().find(|c| c.0 == id).map_or(0, |c| c.1);
        connection(
            (0..count).map(|n| self.discussion_comment(discussion, id, Some(n))).collect(),
            cursor,
            size,
        )
    }

    fn comments(&self, discussion: &Discussion, cursor: Option<&Value>, size: usize) -> Value {
        let comments = discussion.comments.iter().map(|(id, _)| {
            let mut comment = self.discussion_comment(discussion, *id, None);
            comment["replies"] = self.replies(discussion, *id, None, 20);
            comment
        });
        connection(comments.collect(), cursor, size)
    }

    fn discussion(
        &self,
        number: u64,
        discussion: &Discussion,
        cursor: Option<&Value>,
        size: usize,
    ) -> Value {
        json!({"__typename": "Discussion", "id": format!("D_{number}"), "number": number, "title": discussion.title,
            "url": format!("https://tracker.example/{}/discussions/{number}", self.name), "body": "Why?",
            "createdAt": iso_time(NOW - 5_000), "updatedAt": iso_time(discussion.updated_at), "closed": discussion.close_reason.is_some(),
            "closedAt": discussion.close_reason.map(|_| iso_time(NOW - 900)), "stateReason": discussion.close_reason,
            "isAnswered": discussion.answer.is_some(), "answerChosenAt": discussion.answer.map(|_| iso_time(NOW - 800)), "locked": false,
            "authorAssociation": "NONE", "author": user("ada"), "category": {"name": "Q&A"},
            "labels": {"nodes": [{"name": "pumps"}]}, "comments": self.comments(discussion, cursor, size)})
    }

    /// Returns the list, latest change first; its cursors name the last returned discussion.
    fn discussion_list(&self, variables: &Value) -> Value {
        let only_open = variables["states"] == json!(["OPEN"]);
        let mut discussions: Vec<_> = self
            .discussions
            .iter()
            .filter(|(_, d)| !only_open || d.close_reason.is_none())
            .collect();
        discussions.sort_by_key(|(number, discussion)| {
            std::cmp::Reverse((discussion.updated_at, **number))
        });
        let total = discussions.len();
        let last = variables["after"].as_str().map(|cursor| {
            let (time, number) = cursor.split_once(':').unwrap();
            (time.parse::<i64>().unwrap(), number.parse::<u64>().unwrap())
        });
        discussions.retain(|(number, discussion)| {
            last.is_none_or(|last| (discussion.updated_at, **number) < last)
        });
        let size = usize::try_from(variables["first"].as_u64().unwrap()).unwrap();
        let (remaining_count, end) =
            (discussions.len(), discussions.get(size - 1).or(discussions.last()));
        let cursor = end.map(|(number, discussion)| format!("{}:{number}", discussion.updated_at));
        let nodes: Vec<Value> = discussions
            .iter()
            .take(size)
            .map(|(n, discussion)| self.discussion(**n, discussion, None, 30))
            .collect();
        json!({"totalCount": total, "pageInfo": {"hasNextPage": remaining_count > size, "endCursor": cursor}, "nodes": nodes})
    }

    fn node(&self, id: &str, cursor: Option<&Value>) -> Value {
        for (number, discussion) in &self.discussions {
            if id == format!("D_{number}") {
                return self.discussion(*number, discussion, cursor, 50);
            }
            for (comment, _) in &discussion.comments {
                if id == format!("DC_{comment}") {
                    let mut reply_page = self.discussion_comment(discussion, *comment, None);
                    reply_page["replies"] = self.replies(discussion, *comment, cursor, 50);
                    return reply_page;
                }
                if let Some(n) = id.strip_prefix(&format!("DC_{comment}_")) {
                    return self.discussion_comment(discussion, *comment, n.parse().ok());
                }
            }
        }
        Value::Null
    }

    /// Returns the response to a query for discussions; `None` for other queries.
    pub(super) fn answer_discussions(&mut self, query: &str, variables: &Value) -> Option<Answer> {
        if !query.contains("iscussion") || query.contains("issue(number") {
            return None;
        }
        if let Some(problem) = &self.discussions_error {
            return Some(Answer::new(200, json!({"data": null, "errors": [problem]})));
        }
        let not_found = json!({"type": "NOT_FOUND", "message": "Could not resolve to a node."});
        let data = if let Some(id) = variables["id"].as_str() {
            let node = self.node(id, variables.get("after"));
            if node.is_null() {
                return Some(Answer::new(
                    200,
                    json!({"data": {"node": null}, "errors": [not_found]}),
                ));
            }
            json!({"node": node})
        } else if let Some(number) = variables["number"].as_u64() {
            let Some(discussion) = self.discussions.get(&number) else {
                let empty = json!({"repository": {"discussion": null}});
                return Some(Answer::new(200, json!({"data": empty, "errors": [not_found]})));
            };
            json!({"repository": {"discussion": self.discussion(number, discussion, None, 30)}})
        } else {
            json!({"repository": {"discussions": self.discussion_list(variables)}})
        };
        Some(match schema().answer(query, variables, &data) {
            Ok(answer) => Answer::new(200, answer),
            Err(errors) => {
                self.schema_violations.extend(errors.clone());
                Answer::new(200, json!({"errors": [{"message": errors.join("; ")}]}))
            }
        })
    }
}
