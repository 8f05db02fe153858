//! The fake GitHub's discussions. Each query is validated against GitHub's own schema, and each
//! response has exactly the requested fields.

use std::sync::OnceLock;

use serde_json::{Value, json};

use super::{Answer, NOW, World, at};
use crate::graphql::Schema;

/// A discussion.
#[derive(Clone, Default)]
pub struct Talk {
    pub title: String,
    pub updated_at: i64,
    /// The reason for closing, if the discussion is closed.
    pub close_reason: Option<&'static str>,
    /// Comments by id, each with its number of replies.
    pub comments: Vec<(u64, usize)>,
    /// The id of the accepted answer.
    pub answer: Option<u64>,
    /// Comments that were deleted and have replies.
    pub deleted_comments: Vec<u64>,
}

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| Schema::of(include_str!("../../fixtures/github/discussions.graphql")))
}

fn user(login: &str) -> Value {
    json!({"__typename": "User", "login": login})
}

/// Returns the part of a list after the position that a cursor names.
fn connection(items: Vec<Value>, cursor: Option<&Value>, size: usize) -> Value {
    let from = cursor
        .and_then(Value::as_str)
        .map_or(0, |c| c.strip_prefix("place-").unwrap().parse().unwrap());
    let (total, end) = (items.len(), (from + size).min(items.len()));
    let nodes: Vec<Value> = items.into_iter().skip(from).take(size).collect();
    json!({"totalCount": total, "nodes": nodes,
        "pageInfo": {"hasNextPage": end < total, "endCursor": format!("place-{end}")}})
}

impl World {
    pub fn talk(&mut self, number: u64, title: &str, updated_at: i64) -> &mut Talk {
        let talk = Talk { title: title.to_owned(), updated_at, ..Talk::default() };
        self.discussions.insert(number, talk);
        self.discussions.get_mut(&number).unwrap()
    }

    fn discussion_comment(&self, talk: &Talk, id: u64, reply: Option<usize>) -> Value {
        let name = reply.map_or(format!("DC_{id}"), |n| format!("DC_{id}_{n}"));
        let body = reply.map_or(format!("It is valve {id}."), |n| format!("Reply {n} to {id}."));
        json!({"__typename": "DiscussionComment", "id": name, "body": body, "createdAt": at(NOW - 1_000),
            "url": format!("https://tracker.example/{}/discussions#{name}", self.name), "updatedAt": at(NOW - 1_000),
            "deletedAt": (reply.is_none() && talk.deleted_comments.contains(&id)).then(|| at(NOW)),
            "isAnswer": reply.is_none() && talk.answer == Some(id), "authorAssociation": "NONE", "author": user("grace")})
    }

    fn replies(&self, talk: &Talk, id: u64, cursor: Option<&Value>, size: usize) -> Value {
        let count = talk.comments.iter().find(|c| c.0 == id).map_or(0, |c| c.1);
        connection(
            (0..count).map(|n| self.discussion_comment(talk, id, Some(n))).collect(),
            cursor,
            size,
        )
    }

    fn comments(&self, talk: &Talk, cursor: Option<&Value>, size: usize) -> Value {
        let comments = talk.comments.iter().map(|(id, _)| {
            let mut comment = self.discussion_comment(talk, *id, None);
            comment["replies"] = self.replies(talk, *id, None, 20);
            comment
        });
        connection(comments.collect(), cursor, size)
    }

    fn discussion(&self, number: u64, talk: &Talk, cursor: Option<&Value>, size: usize) -> Value {
        json!({"__typename": "Discussion", "id": format!("D_{number}"), "number": number, "title": talk.title,
            "url": format!("https://tracker.example/{}/discussions/{number}", self.name), "body": "Why?",
            "createdAt": at(NOW - 5_000), "updatedAt": at(talk.updated_at), "closed": talk.close_reason.is_some(),
            "closedAt": talk.close_reason.map(|_| at(NOW - 900)), "stateReason": talk.close_reason,
            "isAnswered": talk.answer.is_some(), "answerChosenAt": talk.answer.map(|_| at(NOW - 800)), "locked": false,
            "authorAssociation": "NONE", "author": user("ada"), "category": {"name": "Q&A"},
            "labels": {"nodes": [{"name": "pumps"}]}, "comments": self.comments(talk, cursor, size)})
    }

    /// Returns the list, latest change first; its cursors name the last returned discussion.
    fn list_of_discussions(&self, variables: &Value) -> Value {
        let open = variables["states"] == json!(["OPEN"]);
        let mut discussions: Vec<_> =
            self.discussions.iter().filter(|(_, t)| !open || t.close_reason.is_none()).collect();
        discussions.sort_by_key(|(number, talk)| std::cmp::Reverse((talk.updated_at, **number)));
        let total = discussions.len();
        let last = variables["after"].as_str().map(|cursor| {
            let (time, number) = cursor.split_once(':').unwrap();
            (time.parse::<i64>().unwrap(), number.parse::<u64>().unwrap())
        });
        discussions
            .retain(|(number, talk)| last.is_none_or(|last| (talk.updated_at, **number) < last));
        let size = usize::try_from(variables["first"].as_u64().unwrap()).unwrap();
        let (remaining_count, end) =
            (discussions.len(), discussions.get(size - 1).or(discussions.last()));
        let cursor = end.map(|(number, talk)| format!("{}:{number}", talk.updated_at));
        let nodes: Vec<Value> = discussions
            .iter()
            .take(size)
            .map(|(n, talk)| self.discussion(**n, talk, None, 30))
            .collect();
        json!({"totalCount": total, "pageInfo": {"hasNextPage": remaining_count > size, "endCursor": cursor}, "nodes": nodes})
    }

    fn node(&self, id: &str, cursor: Option<&Value>) -> Value {
        for (number, talk) in &self.discussions {
            if id == format!("D_{number}") {
                return self.discussion(*number, talk, cursor, 50);
            }
            for (comment, _) in &talk.comments {
                if id == format!("DC_{comment}") {
                    let mut reply_page = self.discussion_comment(talk, *comment, None);
                    reply_page["replies"] = self.replies(talk, *comment, cursor, 50);
                    return reply_page;
                }
                if let Some(n) = id.strip_prefix(&format!("DC_{comment}_")) {
                    return self.discussion_comment(talk, *comment, n.parse().ok());
                }
            }
        }
        Value::Null
    }

    /// Returns the response to a query for discussions; `None` for other queries.
    pub(super) fn discuss(&mut self, query: &str, variables: &Value) -> Option<Answer> {
        if !query.contains("iscussion") || query.contains("issue(number") {
            return None;
        }
        if let Some(problem) = &self.discussions_refused {
            return Some(Answer::new(200, json!({"data": null, "errors": [problem]})));
        }
        let not_found = json!({"type": "NOT_FOUND", "message": "Could not resolve to a node."});
        let whole = if let Some(id) = variables["id"].as_str() {
            let node = self.node(id, variables.get("after"));
            if node.is_null() {
                return Some(Answer::new(
                    200,
                    json!({"data": {"node": null}, "errors": [not_found]}),
                ));
            }
            json!({"node": node})
        } else if let Some(number) = variables["number"].as_u64() {
            let Some(talk) = self.discussions.get(&number) else {
                let data = json!({"repository": {"discussion": null}});
                return Some(Answer::new(200, json!({"data": data, "errors": [not_found]})));
            };
            json!({"repository": {"discussion": self.discussion(number, talk, None, 30)}})
        } else {
            json!({"repository": {"discussions": self.list_of_discussions(variables)}})
        };
        Some(match schema().answer(query, variables, &whole) {
            Ok(answer) => Answer::new(200, answer),
            Err(wrong) => {
                self.invalid.extend(wrong.clone());
                Answer::new(200, json!({"errors": [{"message": wrong.join("; ")}]}))
            }
        })
    }
}
