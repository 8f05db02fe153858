//! Responses of Zendesk:
//! <https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/>,
//! <https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/> and
//! <https://developer.zendesk.com/api-reference/help_center/help-center-api/articles/>

use serde_json::{Value, json};

use super::{Answer, Comment, Content, Item, ok, with_status};
use crate::fake_github::{NOW, iso_time};

pub const PROJECT: &str = "tickets";
/// The maximum page size.
const MAX_PAGE_SIZE: usize = 100;

/// Returns whether a request asks for a page of the export, and whether it does so to sync
/// comments.
pub fn classify_request(address: &str) -> (bool, bool) {
    let size = address.split("per_page=").nth(1).map(|rest| rest.split('&').next().unwrap());
    let is_comment_request =
        address.contains("/comments.json") || matches!(size, Some("50" | "25" | "12" | "6"));
    (address.contains("/incremental/tickets/") && size != Some("1"), is_comment_request)
}

/// Returns an error response; the API's `error` is not always a string.
fn fault(status: u16, error: &str) -> Answer {
    with_status(status, json!({"error": {"title": error, "message": error}}))
}

/// Returns the page of a list after a cursor.
fn cursor_page(name: &str, items: &[Value], cursor: Option<&str>, size: &str, max: usize) -> Value {
    let size = size.parse::<usize>().unwrap().min(max);
    let start =
        cursor.map_or(0, |cursor| cursor.strip_prefix("after-").unwrap().parse::<usize>().unwrap());
    let end = items.len().min(start + size);
    json!({name: &items[start..end], "users": users(), "meta": {"has_more": end < items.len(), "after_cursor": format!("after-{end}"),
        "before_cursor": format!("before-{start}")}, "links": {"next": "x", "prev": null}})
}

fn users() -> Value {
    json!([{"id": 1, "name": "Ada", "email": "ada@acme.example", "role": "end-user"},
        {"id": 2, "name": "Grace", "email": "grace@acme.example", "role": "agent"}])
}

impl Content {
    fn ticket(&self, n: u64, i: &Item) -> Value {
        let (status, tags) = match (i.open, i.duplicate_of) {
            _ if self.locked_items.contains(&n) => ("deleted", json!([])),
            (true, _) => ("open", json!(["flow", "hot"])),
            (false, Some(_)) => ("closed", json!(["closed_by_merge"])),
            (false, None) => ("solved", json!(["flow"])),
        };
        let mut ticket = json!({
            "id": n, "url": format!("https://acme.zendesk.com/api/v2/tickets/{n}.json"), "external_id": null,
            "via": {"channel": "web", "source": {"from": {}, "to": {}, "rel": null}}, "type": "incident", "subject": i.title,
            "raw_subject": i.title, "description": i.body, "priority": "high", "status": status, "requester_id": 1,
            "submitter_id": 1, "assignee_id": 2, "tags": tags, "custom_fields": [], "followup_ids": [], "problem_id": null,
            "created_at": iso_time(NOW - 50_000_000), "updated_at": iso_time(i.updated_at), "generated_timestamp": i.updated_at,
            "has_incidents": false, "is_public": true, "satisfaction_rating": {"score": "unoffered"},
            "dates": {"assignee_updated_at": null, "solved_at": (!i.open).then(|| iso_time(i.updated_at)), "status_updated_at": iso_time(i.updated_at)},
        });
        if i.has_unknown_fields {
            (ticket["status"], ticket["zone"]) = (json!("simmering"), json!({"deep": [1]}));
        }
        ticket
    }

    fn thread_of(&self, n: u64, i: &Item) -> Vec<Value> {
        let comment = |id: u64, author: u64, text: &str, t: i64| {
            json!({"id": id, "type": "Comment", "author_id": author, "body": text, "plain_body": text,
                "html_body": format!("<div class=\"zd-comment\" dir=\"auto\"><p>{text}</p></div>"), "public": id.is_multiple_of(2),
                "attachments": [], "audit_id": id + 1, "created_at": iso_time(t), "via": {"channel": "web"}})
        };
        let first = comment(1_000_000 + n, 1, &i.body, NOW - 50_000_000);
        let item_comments = self.comments_of(n);
        let replies = item_comments
            .iter()
            .map(|(id, s): &(u64, Comment)| comment(*id, 2, &s.body, s.updated_at));
        let merge_note = i.duplicate_of.map(|canonical| {
            let text = format!(
                "This request was closed and merged into request #{canonical} \"Trouble\"."
            );
            comment(2_000_000 + n, 2, &text, i.updated_at)
        });
        std::iter::once(first).chain(replies).chain(merge_note).collect()
    }

    pub(super) fn zendesk<'a>(&self, path: &str, get: &impl Fn(&str) -> Option<&'a str>) -> Answer {
        let Some(rest) = path.strip_prefix("/api/v2/") else {
            return fault(404, "InvalidEndpoint");
        };
        let is_signed_in = self.log.last().is_some_and(|(_, login)| login.is_some());
        match rest.split('/').collect::<Vec<_>>()[..] {
            ["users", "me.json"] if !is_signed_in => {
                ok(json!({"user": {"id": null, "name": "Anonymous user", "role": "end-user"}}))
            }
            ["users", "me.json"] => ok(json!({"user": {"id": 3, "name": "Ada", "role": "admin"}})),
            _ if !is_signed_in => fault(401, "Couldn't authenticate you"),
            ["users", "show_many.json"] => {
                let ids: Vec<i64> =
                    get("ids").unwrap().split(',').map(|id| id.parse().unwrap()).collect();
                let mut user_list = users();
                user_list
                    .as_array_mut()
                    .unwrap()
                    .retain(|user| ids.contains(&user["id"].as_i64().unwrap()));
                ok(json!({"users": user_list}))
            }
            ["search", "count.json"] => {
                assert_eq!(get("query"), Some("type:ticket"));
                ok(json!({"count": self.items.len()}))
            }
            ["incremental", "tickets", "cursor.json"] => {
                assert_eq!(get("include"), Some("users,dates"));
                assert!(get("cursor").is_none() || get("start_time").is_none());
                let mut tickets_by_time: Vec<(i64, u64, &Item)> =
                    self.items.iter().map(|(n, i)| (i.updated_at, *n, i)).collect();
                tickets_by_time.sort_by_key(|(t, n, _)| (*t, *n));
                match (get("cursor"), get("start_time")) {
                    (Some(_), _) if self.version == Some("forgets") => {
                        return fault(422, "Invalid cursor");
                    }
                    (Some(cursor), _) => {
                        let Some((t, n)) = cursor.split_once('|') else {
                            return fault(422, "Invalid cursor");
                        };
                        let last: (i64, u64) = (t.parse().unwrap(), n.parse().unwrap());
                        tickets_by_time.retain(|(t, n, _)| (*t, *n) > last);
                    }
                    (None, since) => {
                        let since: i64 = since.map_or(0, |since| since.parse().unwrap());
                        tickets_by_time.retain(|(t, ..)| *t >= since);
                    }
                }
                let size = get("per_page").unwrap().parse::<usize>().unwrap().min(MAX_PAGE_SIZE);
                let has_more = tickets_by_time.len() > size;
                tickets_by_time.truncate(size);
                let next_cursor = tickets_by_time.last().map(|(t, n, _)| format!("{t}|{n}"));
                let tickets: Vec<Value> =
                    tickets_by_time.into_iter().map(|(_, n, i)| self.ticket(n, i)).collect();
                ok(
                    json!({"tickets": tickets, "users": users(), "after_url": "x", "after_cursor": next_cursor, "before_cursor": null,
                    "end_of_stream": !has_more}),
                )
            }
            ["tickets.json"] => {
                let visible_items =
                    self.items.iter().filter(|(n, _)| !self.locked_items.contains(n));
                let tickets: Vec<Value> = visible_items.map(|(n, i)| self.ticket(*n, i)).collect();
                ok(cursor_page(
                    "tickets",
                    &tickets,
                    get("page[after]"),
                    get("page[size]").unwrap(),
                    MAX_PAGE_SIZE,
                ))
            }
            ["tickets", n, "comments.json"] => {
                match self.items.get_key_value(&n.parse().unwrap()) {
                    Some((n, item)) => {
                        let thread = self.thread_of(*n, item);
                        let mut list = cursor_page(
                            "comments",
                            &thread,
                            get("page[after]"),
                            get("page[size]").unwrap(),
                            40,
                        );
                        // Some responses do not include their users.
                        if n % 3 == 2 {
                            list["users"] = json!([]);
                        }
                        ok(list)
                    }
                    None => fault(404, "RecordNotFound"),
                }
            }
            ["tickets", n] => {
                let n: u64 = n.strip_suffix(".json").unwrap().parse().unwrap();
                match self.items.get(&n).filter(|_| !self.locked_items.contains(&n)) {
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
                        "created_at": iso_time(NOW - 900_000), "updated_at": iso_time(*t), "edited_at": iso_time(*t), "locale": "en-us",
                        "label_names": ["kiln"], "section_id": 7, "promoted": false, "position": 0, "outdated": false})
                };
                let articles: Vec<Value> = self.pages.iter().enumerate().map(article).collect();
                ok(cursor_page(
                    "articles",
                    &articles,
                    get("page[after]"),
                    get("page[size]").unwrap(),
                    30,
                ))
            }
            _ => fault(404, "InvalidEndpoint"),
        }
    }
}
