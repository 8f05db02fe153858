//! Responses of Azure DevOps, according to its published specifications:
//! <https://github.com/MicrosoftDocs/vsts-rest-api-specs/tree/master/specification/wit/7.1>

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Answer, Comment, Content, Item, ok, refuse, with_status};
use crate::fake_github::{NOW, iso_time};

pub const PROJECT: &str = "acme/Kiln App";

/// Returns whether a request asks for a page of item numbers, and whether it does so to sync
/// comments.
pub fn classify_request(address: &str, body: &str) -> (bool, bool) {
    let list = address.contains("/_apis/wit/wiql") && !address.contains("$top=1&");
    let is_comment_request = address.contains("/comments?") || body.contains("System.CommentCount");
    (list, is_comment_request)
}

impl Content {
    pub(super) fn azure<'a>(
        &self,
        host: &str,
        path: &str,
        body: &str,
        get: &impl Fn(&str) -> Option<&'a str>,
    ) -> Answer {
        let request: Value = serde_json::from_str(body).unwrap_or_default();
        assert!(get("api-version").is_some(), "{path}");
        let item = |n: u64, i: &Item, fields: Option<&Vec<Value>>| {
            let mut all_fields = json!({
                "System.Id": n, "System.AreaPath": "Kiln App\\Pumps", "System.TeamProject": "Kiln App", "System.Rev": 3,
                "System.IterationPath": "Kiln App\\Sprint 4", "System.WorkItemType": "Bug",
                "System.State": if i.open { "Active" } else { "Closed" },
                "System.Reason": if i.open { "Approved" } else { "Fixed and verified" },
                "System.CreatedDate": iso_time(NOW - 50_000_000), "System.ChangedDate": iso_time(i.updated_at).replace('Z', ".37Z"),
                "System.CreatedBy": {"displayName": "Ada", "uniqueName": "ada@acme.example", "id": "1"},
                "System.CommentCount": self.comments_of(n).len(), "System.Title": i.title, "System.Tags": "flow; hot",
                "Microsoft.VSTS.TCM.ReproSteps": format!("<div>{}</div>", i.body),
            });
            if !i.open {
                all_fields["Microsoft.VSTS.Common.ClosedDate"] = iso_time(i.updated_at).into();
            }
            if i.has_unknown_fields {
                (all_fields["System.State"], all_fields["Custom.Zone"]) =
                    (json!("Simmering"), json!({"deep": [1]}));
            }
            if let Some(fields) = fields {
                all_fields
                    .as_object_mut()
                    .unwrap()
                    .retain(|name, _| fields.iter().any(|f| f == name));
            }
            let url = format!("{host}/acme/_apis/wit/workItems/{n}");
            let mut work_item = json!({"id": n, "rev": 3, "fields": all_fields, "url": url});
            if fields.is_none()
                && let Some(canonical) = i.duplicate_of
            {
                work_item["relations"] = json!([{"rel": "System.LinkTypes.Duplicate-Reverse",
                    "url": format!("{host}/acme/_apis/wit/workItems/{canonical}"), "attributes": {"isLocked": false}}]);
            }
            work_item
        };
        let comment = |id: u64, s: &Comment| {
            let time = iso_time(s.updated_at).replace('Z', ".88Z");
            json!({"workItemId": s.number, "id": id, "version": 1, "text": format!("<p>{}</p>", s.body),
                "createdBy": {"displayName": "Grace", "uniqueName": "grace@acme.example"}, "createdDate": time,
                "modifiedBy": {"displayName": "Grace"}, "modifiedDate": time, "format": "html"})
        };
        let Some(rest) = path.strip_prefix("/acme/") else { return refuse(404) };
        match rest.trim_start_matches("Kiln%20App/").split('/').collect::<Vec<_>>()[..] {
            ["_apis", "connectionData"] => ok(
                json!({"authenticatedUser": {"id": "1", "providerDisplayName": "Ada"}, "instanceId": "2"}),
            ),
            ["_apis", "projects", "Kiln%20App"] => {
                ok(json!({"id": "7", "name": "Kiln App", "state": "wellFormed",
                "visibility": "private", "revision": 1}))
            }
            ["_apis", "wit", "workitemtypes"] => {
                ok(json!({"count": 1, "value": [{"name": "Bug", "states": [
                {"name": "Active", "color": "007acc", "category": "InProgress"},
                {"name": "Closed", "color": "339933", "category": "Completed"}]}]}))
            }
            ["_apis", "wit", "wiql"] => {
                assert_eq!(get("timePrecision"), Some("true"));
                let query = request["query"].as_str().unwrap();
                assert!(query.contains("WHERE [System.TeamProject] = @project"), "{query}");
                let since =
                    query.split_once("[System.ChangedDate] >= '").map_or(i64::MIN, |(_, t)| {
                        t.split('\'').next().unwrap().parse::<Timestamp>().unwrap().as_second()
                    });
                let last_id: u64 = query
                    .split_once("[System.Id] > ")
                    .map_or(0, |(_, n)| n.split(' ').next().unwrap().parse().unwrap());
                let only_open = query.contains("[System.State] NOT IN ('Closed')");
                let items = self.items.iter().filter(|(n, i)| {
                    i.updated_at >= since && **n > last_id && (!only_open || i.open)
                });
                let by_change =
                    query.ends_with("ORDER BY [System.ChangedDate] ASC, [System.Id] ASC");
                let top = get("$top").unwrap().parse().unwrap();
                let (rows, _) = self.select_page(items.collect(), by_change, 0, top);
                let numbers: Vec<Value> = rows
                    .iter()
                    .map(|(n, _)| json!({"id": n, "url": format!("{host}/acme/_apis/wit/workItems/{n}")}))
                    .collect();
                ok(
                    json!({"queryType": "flat", "queryResultType": "workItem", "asOf": iso_time(self.now).replace('Z', ".99Z"),
                    "columns": [{"referenceName": "System.Id", "name": "ID"}], "workItems": numbers}),
                )
            }
            ["_apis", "wit", "workitemsbatch"] => {
                let ids: Vec<u64> = request["ids"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|n| n.as_u64().unwrap())
                    .collect();
                assert!(!ids.is_empty() && ids.len() <= 200 && request["errorPolicy"] == "Omit");
                assert!(
                    request["fields"].is_null() || request["$expand"].is_null(),
                    "relations are only returned with all fields"
                );
                let value: Vec<Value> = ids
                    .iter()
                    .map(|n| {
                        self.items
                            .get(n)
                            .map_or(Value::Null, |i| item(*n, i, request["fields"].as_array()))
                    })
                    .collect();
                ok(json!({"count": value.len(), "value": value}))
            }
            ["_apis", "wit", "workitems", n] => {
                let n: u64 = n.parse().unwrap();
                let not_found =
                    json!({"message": format!("TF401232: Work item {n} does not exist.")});
                self.items
                    .get(&n)
                    .map_or_else(|| with_status(404, not_found), |i| ok(item(n, i, None)))
            }
            ["_apis", "wit", "workItems", n, "comments"] => {
                let item_comments = self.comments_of(n.parse().unwrap());
                let start: usize = get("continuationToken").map_or(0, |t| t.parse().unwrap());
                let end = (start + 2).min(item_comments.len());
                let comments: Vec<Value> =
                    item_comments[start..end].iter().map(|(id, s)| comment(*id, s)).collect();
                let mut answer = json!({"totalCount": item_comments.len(), "count": comments.len(), "comments": comments});
                if end < item_comments.len() {
                    answer["continuationToken"] = end.to_string().into();
                }
                ok(answer)
            }
            ["_apis", "wit", "workItems", _, "comments", id] => {
                let id: u64 = id.parse().unwrap();
                self.comments.get(&id).map_or_else(|| refuse(404), |s| ok(comment(id, s)))
            }
            _ => refuse(404),
        }
    }
}
