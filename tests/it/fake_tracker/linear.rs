//! Responses of Linear. Each query is validated against Linear's own schema, and each response has
//! exactly the requested fields.

use std::sync::OnceLock;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Answer, Comment, Content, Item, ok, with_status};
use crate::{
    fake_github::{NOW, iso_time},
    graphql::Schema,
};

pub const TEAM: &str = "acme/KILN";

fn schema() -> &'static Schema {
    static SCHEMA: OnceLock<Schema> = OnceLock::new();
    SCHEMA.get_or_init(|| Schema::parse(include_str!("../../fixtures/linear/schema.graphql")))
}

/// Returns whether a request asks for a page of a list, and whether the list contains comments.
pub fn classify_request(body: &str) -> (bool, bool) {
    let is_comment_request = body.contains("comments(filter");
    (
        (is_comment_request || body.contains("issues(filter")) && !body.contains("\"first\":1,"),
        is_comment_request,
    )
}

fn error(code: &str, message: &str) -> Answer {
    with_status(
        400,
        json!({"data": null, "errors": [{"message": message, "extensions": {"code": code}}]}),
    )
}

fn time(seconds: i64) -> String {
    iso_time(seconds).replace('Z', ".678Z")
}

/// Returns the page of a list after a cursor, newest first.
fn connection(mut nodes_by_id: Vec<(u64, Value)>, variables: &Value) -> Value {
    nodes_by_id.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
    let size = usize::try_from(variables["first"].as_u64().unwrap()).unwrap();
    if let Some(last) = variables["after"].as_str() {
        let last: u64 = last.strip_prefix("node-").unwrap().parse().unwrap();
        nodes_by_id.retain(|(id, _)| *id < last);
    }
    let has_more = nodes_by_id.len() > size;
    nodes_by_id.truncate(size);
    let end = nodes_by_id.last().map(|(id, _)| format!("node-{id}"));
    let nodes: Vec<Value> = nodes_by_id.into_iter().map(|(_, node)| node).collect();
    json!({"nodes": nodes, "pageInfo": {"hasNextPage": has_more, "endCursor": end}})
}

impl Content {
    fn issue(&self, n: u64, i: &Item) -> Value {
        let state = if i.has_unknown_fields {
            json!({"name": "Simmering", "type": "simmering"})
        } else if i.open {
            json!({"name": "Todo", "type": "unstarted"})
        } else {
            json!({"name": "Done", "type": "completed"})
        };
        let relations: Vec<Value> = i
            .duplicate_of
            .iter()
            .map(|d| json!({"type": "duplicate", "relatedIssue": {"identifier": format!("KILN-{d}")}}))
            .collect();
        json!({
            "id": format!("uuid-{n}"), "identifier": format!("KILN-{n}"), "number": n, "title": i.title,
            "description": i.body, "url": format!("https://linear.app/acme/issue/KILN-{n}/pump"),
            "createdAt": time(NOW - 50_000_000), "updatedAt": time(i.updated_at),
            "completedAt": (!i.open).then(|| time(i.updated_at)), "canceledAt": null, "archivedAt": null,
            "trashed": self.locked_items.contains(&n).then_some(true), "state": state, "team": {"key": "KILN"},
            "labels": {"nodes": [{"name": "Bug"}]}, "project": {"name": "Flow"}, "projectMilestone": null,
            "creator": {"name": "ada@acme.example", "displayName": "ada", "app": false}, "botActor": null,
            "externalUserCreator": null, "relations": {"nodes": relations},
        })
    }

    fn linear_comment(id: u64, s: &Comment) -> Value {
        json!({"id": id.to_string(), "body": s.body, "createdAt": time(s.updated_at), "updatedAt": time(s.updated_at),
            "url": format!("https://linear.app/acme/issue/KILN-{}/pump#comment-{id}", s.number),
            "user": {"name": "grace@acme.example", "displayName": "grace", "app": false}, "botActor": null,
            "externalUser": null, "issue": {"number": s.number, "team": {"key": "KILN"}}})
    }

    pub(super) fn linear(&self, path: &str, body: &str) -> Answer {
        assert_eq!(path, "/graphql");
        let request: Value = serde_json::from_str(body).unwrap();
        let (query, variables) = (request["query"].as_str().unwrap(), &request["variables"]);
        let filter = &variables["filter"];
        let since = filter["updatedAt"]["gte"]
            .as_str()
            .map_or(i64::MIN, |t| t.parse::<Timestamp>().unwrap().as_second());
        let data = if query.contains("issues(filter") {
            assert_eq!(filter["team"]["key"]["eq"], "KILN");
            let only_open = filter["state"]["type"]["nin"].is_array();
            let items =
                self.items.iter().filter(|(_, i)| i.updated_at >= since && (!only_open || i.open));
            json!({"issues": connection(items.map(|(n, i)| (*n, self.issue(*n, i))).collect(), variables)})
        } else if query.contains("comments(filter") {
            assert_eq!(filter["issue"]["team"]["key"]["eq"], "KILN");
            let comments = self.comments.iter().filter(|(_, s)| s.updated_at >= since);
            let nodes = comments.map(|(id, s)| (*id, Self::linear_comment(*id, s))).collect();
            json!({"comments": connection(nodes, variables)})
        } else if query.contains("issue(id") {
            let id = variables["id"].as_str().unwrap();
            let n: u64 = id.strip_prefix("KILN-").unwrap().parse().unwrap();
            let Some(item) = self.items.get(&n) else {
                return error("INPUT_ERROR", "Entity not found: Issue");
            };
            json!({"issue": self.issue(n, item)})
        } else if query.contains("comment(id") {
            let id: u64 = variables["id"].as_str().unwrap().parse().unwrap();
            let Some(comment) = self.comments.get(&id) else {
                return error("INPUT_ERROR", "Entity not found: Comment");
            };
            json!({"comment": Self::linear_comment(id, comment)})
        } else {
            json!({"viewer": {"name": "Ada"}, "organization": {"urlKey": "acme"}, "teams": {"nodes": [
                {"id": "uuid-team", "key": "KILN", "archivedAt": null, "retiredAt": null, "issueCount": self.items.len()}]}})
        };
        match schema().answer(query, variables, &data) {
            Ok(answer) => ok(answer),
            Err(errors) => panic!("{errors:?}"),
        }
    }
}
