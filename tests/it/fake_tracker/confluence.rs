//! Responses of Confluence Cloud:
//! <https://developer.atlassian.com/cloud/confluence/rest/v2/api-group-page/>, and of Data Center:
//! <https://docs.atlassian.com/ConfluenceServer/rest/latest/>

use serde_json::{Value, json};

use super::{Answer, Content, ok, refuse};
use crate::fake_github::{NOW, iso_time};

pub const SPACE: &str = "KILN";

/// Returns a page's id: the number at the end of its title.
fn id(title: &str) -> u64 {
    let digits = title.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |i| i + 1);
    title[digits..].parse().unwrap_or(9_999)
}

/// Returns whether a request asks for a page of the list; the second value is false because there
/// are no comments.
pub fn classify_request(address: &str) -> (bool, bool) {
    (address.contains("/spaces/77/pages?") || address.contains("/content?spaceKey"), false)
}

impl Content {
    pub(super) fn confluence(
        &self,
        cloud: bool,
        path: &str,
        parameters: &[(String, String)],
    ) -> Answer {
        let get = |name: &str| parameters.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str());
        let time = |t: i64| iso_time(t).replace('Z', ".000Z");
        let page = |title: &str, (text, t): &(String, i64), body: bool| {
            let number = id(title);
            let mut page = match cloud {
                true => {
                    json!({"id": number.to_string(), "status": "current", "title": title, "spaceId": "77",
                    "parentId": null, "parentType": null, "position": 1, "authorId": "557058:ada", "ownerId": "557058:ada",
                    "createdAt": time(NOW - 900_000),
                    "version": {"createdAt": time(*t), "message": "", "number": 3, "minorEdit": false, "authorId": "557058:ada"},
                    "_links": {"webui": format!("/spaces/KILN/pages/{number}/x")}})
                }
                false => {
                    json!({"id": number.to_string(), "type": "page", "status": "current", "title": title,
                    "version": {"by": {"type": "known", "username": "ada", "displayName": "Ada"}, "when": time(*t), "number": 3},
                    "_links": {"webui": format!("/display/KILN/{number}"), "self": "x"}})
                }
            };
            if body {
                page["body"] = json!({"storage": {"value": text, "representation": "storage"}});
                if !cloud {
                    page["history"] = json!({"latest": true, "createdDate": time(NOW - 900_000)});
                }
            }
            if text.contains("odd") {
                (page["zone"], page["status"]) = (json!({"deep": [1]}), json!("simmering"));
            }
            page
        };
        let by_id: std::collections::BTreeMap<u64, (&String, &(String, i64))> =
            self.pages.iter().map(|(title, page)| (id(title), (title, page))).collect();
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        match parts[..] {
            ["api", "v2", ..] if !cloud => refuse(404),
            ["api", "v2", "spaces"] if get("keys") == Some(SPACE) => {
                ok(json!({"results": [{"id": "77", "key": SPACE,
                "name": "The kiln", "type": "global", "status": "current"}], "_links": {"base": "x"}}))
            }
            ["api", "v2", "spaces"] => ok(json!({"results": [], "_links": {}})),
            ["api", "v2", "spaces", "77", "pages"] => {
                // Cursors name the last returned page, and a response may hold fewer pages than
                // requested.
                let size = get("limit").unwrap().parse::<usize>().unwrap().min(40);
                let last = get("cursor").map_or(0, |c| c.parse::<u64>().unwrap());
                let rest: Vec<_> = by_id.iter().filter(|(n, _)| **n > last).collect();
                let end = rest.get(size - 1).filter(|_| rest.len() > size).map(|(n, _)| **n);
                let results: Vec<Value> =
                    rest.into_iter().take(size).map(|(_, (t, p))| page(t, p, false)).collect();
                let mut links = json!({"base": "x"});
                if let Some(end) = end {
                    links["next"] =
                        format!("/api/v2/spaces/77/pages?limit={size}&cursor={end}").into();
                }
                ok(json!({"results": results, "_links": links}))
            }
            ["api", "v2", "pages"] => {
                assert_eq!(get("body-format"), Some("storage"));
                let ids = parameters
                    .iter()
                    .filter(|(n, _)| n == "id")
                    .map(|(_, v)| v.parse::<u64>().unwrap());
                let results: Vec<Value> =
                    ids.filter_map(|n| by_id.get(&n)).map(|(t, p)| page(t, p, true)).collect();
                ok(json!({"results": results, "_links": {}}))
            }
            ["api", "v2", "pages", n] => by_id
                .get(&n.parse().unwrap())
                .map_or_else(|| refuse(404), |(t, p)| ok(page(t, p, false))),
            ["api", "v2", "users-bulk"] => ok(
                json!({"results": [{"accountId": "557058:ada", "displayName": "Ada", "publicName": "Ada"}]}),
            ),
            ["rest", "api", "user", "current"] => {
                ok(json!({"type": "known", "displayName": "Ada"}))
            }
            ["rest", "api", "space", SPACE] if !cloud => {
                ok(json!({"id": 77, "key": SPACE, "name": "The kiln", "type": "global"}))
            }
            ["rest", "api", "content"] if !cloud => {
                assert_eq!((get("spaceKey"), get("type")), (Some(SPACE), Some("page")));
                let (size, start) = (40, get("start").unwrap().parse::<usize>().unwrap());
                let results: Vec<Value> =
                    by_id.values().skip(start).take(size).map(|(t, p)| page(t, p, false)).collect();
                let mut links = json!({"base": "x", "context": ""});
                if start + size < by_id.len() {
                    links["next"] = format!("/rest/api/content?start={}", start + size).into();
                }
                ok(
                    json!({"results": results, "start": start, "limit": size, "size": results.len(), "_links": links}),
                )
            }
            ["rest", "api", "content", n] if !cloud => {
                // A request without the text only checks whether the page exists.
                let with_text = get("expand").is_some_and(|e| e == "body.storage,version,history");
                assert!(with_text || get("expand").is_none());
                by_id
                    .get(&n.parse().unwrap())
                    .map_or_else(|| refuse(404), |(t, p)| ok(page(t, p, with_text)))
            }
            _ => refuse(404),
        }
    }
}
