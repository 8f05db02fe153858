//! Responses of Zendesk:
//! <https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/>,
//! <https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/> and
//! <https://developer.zendesk.com/api-reference/help_center/help-center-api/articles/>

use serde_json::{Value, json};

use super::{Answer, Content, Item, Said, ok, with_status};
use crate::fake_github::{NOW, at};

pub const PROJECT: &str = "tickets";
/// The maximum page size, regardless of the requested one.
const MOST: usize = 100;

/// Returns whether a request asks for a page of the export, and whether it does so to sync
/// comments.
pub fn what(address: &str) -> (bool, bool) {
    let size = address.split("per_page=").nth(1).map(|rest| rest.split('&').next().unwrap());
    let said = address.contains("/comments.json") || matches!(size, Some("50" | "25" | "12" | "6"));
    (address.contains("/incremental/tickets/") && size != Some("1"), said)
}

/// Returns an error response; the API's `error` is not always a text.
fn fault(status: u16, error: &str) -> Answer {
    with_status(status, json!({"error": {"title": error, "message": error}}))
}

/// Returns the part of a list after the position that a cursor names.
fn listed(name: &str, all: &[Value], after: Option<&str>, size: &str, most: usize) -> Value {
    let size = size.parse::<usize>().unwrap().min(most);
    let from = after.map_or(0, |after| after.strip_prefix("after-").unwrap().parse::<usize>().unwrap());
    let to = all.len().min(from + size);
    json!({name: &all[from..to], "users": users(), "meta": {"has_more": to < all.len(), "after_cursor": format!("after-{to}"),
        "before_cursor": format!("before-{from}")}, "links": {"next": "x", "prev": null}})
}

fn users() -> Value {
    json!([{"id": 1, "name": "Ada", "email": "ada@acme.example", "role": "end-user"},
        {"id": 2, "name": "Grace", "email": "grace@acme.example", "role": "agent"}])
}

impl Content {
    fn ticket(&self, n: u64, i: &Item) -> Value {
        let (status, tags) = match (i.open, i.duplicate_of) {
            _ if self.locked.contains(&n) => ("deleted", json!([])),
            (true, _) => ("open", json!(["flow", "hot"])),
            (false, Some(_)) => ("closed", json!(["closed_by_merge"])),
            (false, None) => ("solved", json!(["flow"])),
        };
        let mut ticket = json!({
            "id": n, "url": format!("https://acme.zendesk.com/api/v2/tickets/{n}.json"), "external_id": null,
            "via": {"channel": "web", "source": {"from": {}, "to": {}, "rel": null}}, "type": "incident", "subject": i.title,
            "raw_subject": i.title, "description": i.body, "priority": "high", "status": status, "requester_id": 1,
            "submitter_id": 1, "assignee_id": 2, "tags": tags, "custom_fields": [], "followup_ids": [], "problem_id": null,
            "created_at": at(NOW - 50_000_000), "updated_at": at(i.updated), "generated_timestamp": i.updated,
            "has_incidents": false, "is_public": true, "satisfaction_rating": {"score": "unoffered"},
            "dates": {"assignee_updated_at": null, "solved_at": (!i.open).then(|| at(i.updated)), "status_updated_at": at(i.updated)},
        });
        if i.odd {
            (ticket["status"], ticket["zone"]) = (json!("simmering"), json!({"deep": [1]}));
        }
        ticket
    }

    fn thread_of(&self, n: u64, i: &Item) -> Vec<Value> {
        let comment = |id: u64, author: u64, text: &str, t: i64| {
            json!({"id": id, "type": "Comment", "author_id": author, "body": text, "plain_body": text,
                "html_body": format!("<div class=\"zd-comment\" dir=\"auto\"><p>{text}</p></div>"), "public": id.is_multiple_of(2),
                "attachments": [], "audit_id": id + 1, "created_at": at(t), "via": {"channel": "web"}})
        };
        let first = comment(1_000_000 + n, 1, &i.body, NOW - 50_000_000);
        let below = self.below(n);
        let said = below.iter().map(|(id, s): &(u64, Said)| comment(*id, 2, &s.body, s.updated));
        let merged = i.duplicate_of.map(|other| {
            let text = format!("This request was closed and merged into request #{other} \"Trouble\".");
            comment(2_000_000 + n, 2, &text, i.updated)
        });
        std::iter::once(first).chain(said).chain(merged).collect()
    }

    pub(super) fn zendesk<'a>(&self, path: &str, get: &impl Fn(&str) -> Option<&'a str>) -> Answer {
        let Some(rest) = path.strip_prefix("/api/v2/") else { return fault(404, "InvalidEndpoint") };
        let signed_in = self.log.last().is_some_and(|(_, login)| login.is_some());
        match rest.split('/').collect::<Vec<_>>()[..] {
            ["users", "me.json"] if !signed_in => {
                ok(json!({"user": {"id": null, "name": "Anonymous user", "role": "end-user"}}))
            }
            ["users", "me.json"] => ok(json!({"user": {"id": 3, "name": "Ada", "role": "admin"}})),
            _ if !signed_in => fault(401, "Couldn't authenticate you"),
            ["users", "show_many.json"] => {
                let ids: Vec<i64> = get("ids").unwrap().split(',').map(|id| id.parse().unwrap()).collect();
                let mut all = users();
                all.as_array_mut().unwrap().retain(|user| ids.contains(&user["id"].as_i64().unwrap()));
                ok(json!({"users": all}))
            }
            ["search", "count.json"] => {
                assert_eq!(get("query"), Some("type:ticket"));
                ok(json!({"count": self.items.len()}))
            }
            ["incremental", "tickets", "cursor.json"] => {
                assert_eq!(get("include"), Some("users,dates"));
                assert!(get("cursor").is_some() != get("start_time").is_some());
                let mut all: Vec<(i64, u64, &Item)> =
                    self.items.iter().map(|(n, i)| (i.updated, *n, i)).collect();
                all.sort_by_key(|(t, n, _)| (*t, *n));
                match (get("cursor"), get("start_time")) {
                    (Some(_), _) if self.version == Some("forgets") => return fault(422, "Invalid cursor"),
                    (Some(cursor), _) => {
                        let (t, n) = cursor.split_once('|').unwrap();
                        let last: (i64, u64) = (t.parse().unwrap(), n.parse().unwrap());
                        all.retain(|(t, n, _)| (*t, *n) > last);
                    }
                    (None, since) => {
                        let since: i64 = since.unwrap().parse().unwrap();
                        all.retain(|(t, ..)| *t >= since);
                    }
                }
                let size = get("per_page").unwrap().parse::<usize>().unwrap().min(MOST);
                let more = all.len() > size;
                all.truncate(size);
                let after = all.last().map(|(t, n, _)| format!("{t}|{n}"));
                let tickets: Vec<Value> = all.into_iter().map(|(_, n, i)| self.ticket(n, i)).collect();
                ok(
                    json!({"tickets": tickets, "users": users(), "after_url": "x", "after_cursor": after, "before_cursor": null,
                    "end_of_stream": !more}),
                )
            }
            ["tickets.json"] => {
                let there = self.items.iter().filter(|(n, _)| !self.locked.contains(n));
                let all: Vec<Value> = there.map(|(n, i)| self.ticket(*n, i)).collect();
                ok(listed("tickets", &all, get("page[after]"), get("page[size]").unwrap(), MOST))
            }
            ["tickets", n, "comments.json"] => match self.items.get_key_value(&n.parse().unwrap()) {
                Some((n, item)) => {
                    let all = self.thread_of(*n, item);
                    let mut list =
                        listed("comments", &all, get("page[after]"), get("page[size]").unwrap(), 40);
                    // Some responses do not include their users.
                    if n % 3 == 2 {
                        list["users"] = json!([]);
                    }
                    ok(list)
                }
                None => fault(404, "RecordNotFound"),
            },
            ["tickets", n] => {
                let n: u64 = n.strip_suffix(".json").unwrap().parse().unwrap();
                match self.items.get(&n).filter(|_| !self.locked.contains(&n)) {
                    Some(item) => ok(json!({"ticket": self.ticket(n, item), "users": users()})),
                    None => fault(404, "RecordNotFound"),
                }
            }
            ["help_center", "articles.json"] if self.hidden => fault(404, "RecordNotFound"),
            ["help_center", "articles.json"] => {
                assert_eq!(get("sort_by"), Some("created_at"));
                let article = |(k, (title, (text, t))): (usize, (&String, &(String, i64)))| {
                    json!({"id": 360_000 + k, "title": title, "name": title, "body": text, "draft": text.contains("draft"),
                        "html_url": format!("https://acme.zendesk.com/hc/en-us/articles/{k}"), "author_id": 2,
                        "created_at": at(NOW - 900_000), "updated_at": at(*t), "edited_at": at(*t), "locale": "en-us",
                        "label_names": ["kiln"], "section_id": 7, "promoted": false, "position": 0, "outdated": false})
                };
                let all: Vec<Value> = self.pages.iter().enumerate().map(article).collect();
                ok(listed("articles", &all, get("page[after]"), get("page[size]").unwrap(), 30))
            }
            _ => fault(404, "InvalidEndpoint"),
        }
    }
}
