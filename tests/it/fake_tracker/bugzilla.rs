//! Responses of Bugzilla: <https://bugzilla.readthedocs.io/en/latest/api/core/v1/bug.html>,
//! `comment.html`, `product.html`.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Answer, Comment, Content, Item, ok, with_status};
use crate::fake_github::{NOW, iso_time};

pub const PRODUCT: &str = "Kiln App";

/// Returns an error response with one of Bugzilla's own codes.
fn fault(status: u16, code: i64, message: &str) -> Answer {
    with_status(status, json!({"error": true, "code": code, "message": message}))
}

impl Content {
    pub(super) fn bugzilla(&self, path: &str, parameters: &[(String, String)]) -> Answer {
        let get = |name: &str| parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        let field_names: Option<Vec<&str>> = get("include_fields").map(|f| f.split(',').collect());
        let select_fields = |mut value: Value| {
            if let (Some(names), Some(fields)) = (&field_names, value.as_object_mut()) {
                fields.retain(|name, _| names.contains(&name.as_str()));
            }
            value
        };
        let bug = |n: u64, i: &Item| {
            let (status, resolution) = match (i.open, i.duplicate_of) {
                (true, _) => ("CONFIRMED", ""),
                (false, Some(_)) => ("RESOLVED", "DUPLICATE"),
                (false, None) => ("RESOLVED", "FIXED"),
            };
            let mut bug = json!({
                "id": n, "summary": i.title, "status": status, "resolution": resolution, "is_open": i.open,
                "dupe_of": i.duplicate_of, "product": PRODUCT, "component": "Pumps", "version": "unspecified",
                "keywords": ["regression"], "creator": "ada@acme.example", "creation_time": iso_time(NOW - 50_000_000),
                "last_change_time": iso_time(i.updated_at), "target_milestone": "---", "see_also": [], "depends_on": [],
                "blocks": [], "alias": [], "classification": "Unclassified", "severity": "normal", "priority": "--",
                "creator_detail": {"id": 1, "name": "ada@acme.example", "real_name": "Ada", "nick": "ada"},
                "is_confirmed": true, "groups": [], "url": "", "whiteboard": "", "flags": [], "cc": [],
            });
            if i.has_unknown_fields {
                (bug["status"], bug["is_open"]) = (json!("SIMMERING"), Value::Null);
                bug["cf_zone"] = json!({"deep": [1]});
            }
            select_fields(bug)
        };
        let comment = |id: u64, count: usize, s: &Comment| {
            select_fields(
                json!({"id": id, "bug_id": s.number, "count": count, "attachment_id": null, "text": s.body,
                "creator": "grace@acme.example", "time": iso_time(s.updated_at), "creation_time": iso_time(s.updated_at),
                "is_private": false, "tags": []}),
            )
        };
        let parts: Vec<&str> = path.trim_start_matches("/rest/").split('/').collect();
        match parts[..] {
            ["version"] => ok(json!({"version": self.version.unwrap_or("20260101.1")})),
            ["whoami"] if self.version.is_some() => fault(404, 32614, "no such resource"),
            ["whoami"] => ok(json!({"id": 1, "name": "ada@acme.example", "real_name": "Ada"})),
            ["product"] if get("names") == Some(PRODUCT) => {
                let versions = self.render_releases(
                    true,
                    |name, _, _| json!({"id": 1, "name": name, "sort_key": 0, "is_active": true}),
                );
                ok(
                    json!({"products": [{"id": 7, "name": PRODUCT, "is_active": true, "versions": versions}]}),
                )
            }
            ["product"] => ok(json!({"products": []})),
            ["bug"] if get("count_only").is_some() => ok(json!({"bug_count": self.items.len()})),
            ["bug"] => {
                assert_eq!(get("product"), Some(PRODUCT));
                let since: i64 = get("last_change_time")
                    .map_or(i64::MIN, |t| t.parse::<Timestamp>().unwrap().as_second());
                let only_open = get("resolution") == Some("---");
                let bugs = self
                    .items
                    .iter()
                    .filter(|(_, i)| i.updated_at >= since && (!only_open || i.open))
                    .collect();
                let number = |name: &str| get(name).unwrap().parse::<usize>().unwrap();
                let by_change = get("order") == Some("changeddate,bug_id");
                let (rows, _) =
                    self.select_page(bugs, by_change, number("offset"), number("limit"));
                ok(json!({"bugs": rows.into_iter().map(|(n, i)| bug(*n, i)).collect::<Vec<_>>()}))
            }
            ["bug", n] => {
                let n: u64 = n.parse().unwrap();
                match self.items.get(&n) {
                    Some(item) => ok(json!({"faults": [], "bugs": [bug(n, item)]})),
                    None => fault(404, 101, "Bug #5 does not exist."),
                }
            }
            ["bug", n, "comment"] => {
                let other_ids =
                    parameters.iter().filter(|(name, _)| name == "ids").map(|(_, v)| v.as_str());
                let ids: Vec<u64> =
                    std::iter::once(n).chain(other_ids).map(|n| n.parse().unwrap()).collect();
                if ids.iter().any(|n| self.locked_items.contains(n)) {
                    return fault(401, 102, "You are not authorized to access this bug.");
                }
                if ids.iter().any(|n| !self.items.contains_key(n)) {
                    return fault(404, 101, "That bug does not exist.");
                }
                let threads = ids.iter().map(|n| {
                    let item = &self.items[n];
                    let first = Comment {
                        number: *n,
                        body: item.body.clone(),
                        updated_at: NOW - 50_000_000,
                    };
                    let item_comments = self.comments_of(*n);
                    let replies =
                        item_comments.iter().enumerate().map(|(k, (id, s))| comment(*id, k + 1, s));
                    let comments: Vec<Value> =
                        std::iter::once(comment(1_000_000 + n, 0, &first)).chain(replies).collect();
                    (n.to_string(), json!({"comments": comments}))
                });
                ok(json!({"bugs": threads.collect::<serde_json::Map<_, _>>(), "comments": {}}))
            }
            _ => fault(404, 32614, "no such resource"),
        }
    }
}
