//! The JSON types of Azure DevOps, parsed tolerantly. Formats:
//! <https://learn.microsoft.com/en-us/rest/api/azure/devops/wit/work-items/get-work-items-batch?view=azure-devops-rest-7.1>
//! and
//! <https://learn.microsoft.com/en-us/rest/api/azure/devops/wit/comments/get-comments?view=azure-devops-rest-7.1>

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::tracker::{
    Relation,
    client::clean_title,
    dates::{Time, time},
    github::json_error,
    identity,
};
use precedent_core::model::{Author, CommentRecord, DocumentRecord, Raw, State, item_number};
use precedent_markup::html_to_markdown;
use precedent_text::closure::normalize_resolution;

const BODY_FIELDS: [&str; 4] = [
    "System.Description",
    "Microsoft.VSTS.TCM.ReproSteps",
    "Microsoft.VSTS.TCM.SystemInfo",
    "Microsoft.VSTS.Common.AcceptanceCriteria",
];

#[derive(Deserialize)]
pub(super) struct WorkItemKind {
    name: Option<String>,
    #[serde(default)]
    states: Vec<WorkItemState>,
}

#[derive(Deserialize)]
struct WorkItemState {
    name: Option<String>,
    category: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct States {
    categories: BTreeMap<(String, String), String>,
}

impl States {
    pub(super) fn new(kinds: Vec<WorkItemKind>) -> Self {
        let mut categories = BTreeMap::new();
        for kind in kinds {
            let Some(name) = kind.name else { continue };
            for state in kind.states {
                if let (Some(state), Some(category)) = (state.name, state.category) {
                    categories.insert((name.clone(), state), category);
                }
            }
        }
        Self { categories }
    }

    /// Returns whether only verification can remain in a state; `None` if the state is unknown.
    /// <https://learn.microsoft.com/en-us/azure/devops/boards/work-items/workflow-and-state-categories>
    fn is_closed(&self, kind: &str, state: &str) -> Option<bool> {
        let category = self.categories.get(&(kind.to_owned(), state.to_owned()))?;
        Some(matches!(category.as_str(), "Resolved" | "Completed" | "Removed"))
    }

    fn is_removed(&self, kind: &str, state: &str) -> bool {
        self.categories.get(&(kind.to_owned(), state.to_owned())).is_some_and(|c| c == "Removed")
    }

    /// Returns the states that are closed for all their types, quoted for a query.
    pub(super) fn closed_states(&self) -> Vec<String> {
        let names: BTreeSet<&String> = self.categories.keys().map(|(_, state)| state).collect();
        let all_closed = |name: &&String| {
            let mut kinds = self.categories.keys().filter(|(_, state)| state == *name);
            kinds.all(|(kind, state)| self.is_closed(kind, state) == Some(true))
        };
        names
            .into_iter()
            .filter(all_closed)
            .map(|name| format!("'{}'", name.replace('\'', "''")))
            .collect()
    }
}

#[derive(Deserialize)]
pub(super) struct WorkItem {
    pub(super) id: u64,
    #[serde(default)]
    fields: BTreeMap<String, Value>,
    #[serde(default, rename = "relations")]
    links: Option<Vec<Link>>,
    #[serde(skip)]
    raw: Vec<u8>,
}

#[derive(Deserialize)]
struct Link {
    rel: Option<String>,
    url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Comments<'a> {
    #[serde(borrow, default)]
    pub(super) comments: Vec<&'a RawValue>,
    pub(super) continuation_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Comment {
    #[serde(alias = "commentId")]
    id: u64,
    text: Option<String>,
    created_by: Option<Value>,
    created_date: Timestamp,
    modified_date: Option<Time>,
    #[serde(default)]
    is_deleted: bool,
}

pub(super) fn item(text: &str) -> Result<WorkItem, String> {
    let item: WorkItem = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    identity::check_number("id", item.id)?;
    Ok(WorkItem { raw: text.as_bytes().to_vec(), ..item })
}

/// Converts a text field to Markdown; it is HTML, or already Markdown if the organization uses it.
fn to_markdown(text: &str) -> String {
    let text = text.replace('\0', "\u{fffd}");
    if html_to_markdown::is_html(&text) { html_to_markdown::convert(&text) } else { text }
}

/// Parses a person: an object, or on older servers `Name <address>`.
fn person(value: Option<&Value>) -> Author {
    let name = match value {
        Some(Value::String(text)) => {
            text.split_once(" <").map_or(text.as_str(), |(name, _)| name).to_owned()
        }
        Some(object) => {
            object.get("displayName").and_then(Value::as_str).unwrap_or_default().to_owned()
        }
        None => String::new(),
    };
    Author { login: Some(name).filter(|n| !n.trim().is_empty()), ..Author::default() }
}

/// Returns the last part of an area or iteration path; `None` if it is the project itself.
fn last_segment(path: &str) -> Option<String> {
    path.rsplit_once('\\').map(|(_, last)| last.to_owned())
}

impl WorkItem {
    fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field)?.as_str().filter(|t| !t.trim().is_empty())
    }

    fn time(&self, field: &str) -> Option<Timestamp> {
        self.text(field)?.parse().ok()
    }

    pub(super) fn changed_at(&self) -> Option<Timestamp> {
        self.time("System.ChangedDate")
    }

    pub(super) fn project(&self) -> Option<&str> {
        self.text("System.TeamProject")
    }

    pub(super) fn comment_count(&self) -> Option<u64> {
        self.fields.get("System.CommentCount")?.as_u64()
    }

    /// Returns the relations of the work item, whose numbers are unique in the organization.
    /// <https://learn.microsoft.com/en-us/azure/devops/boards/queries/link-type-reference>
    pub(super) fn relations(&self, project: &str) -> Vec<Relation> {
        let relations = self.links.iter().flatten().filter_map(|link| {
            let (rel, url) = (link.rel.as_deref()?, link.url.as_deref()?);
            let number = item_number(url.to_ascii_lowercase().rsplit_once("/workitems/")?.1)?;
            let key = format!("{project}#{number}");
            match rel {
                "System.LinkTypes.Duplicate-Reverse" => Some(Relation::DuplicateOf(key)),
                // The other work item states this relation.
                "System.LinkTypes.Duplicate-Forward" => None,
                "System.LinkTypes.Related" | "System.LinkTypes.Dependency-Reverse" => {
                    Some(Relation::RelatesTo(key))
                }
                _ => None,
            }
        });
        relations.collect()
    }

    pub(super) fn record(self, states: &States, web: &str) -> DocumentRecord {
        let kind = self.text("System.WorkItemType").unwrap_or_default().to_owned();
        let state = self.text("System.State").unwrap_or_default().to_owned();
        let closed_at = self
            .time("Microsoft.VSTS.Common.ClosedDate")
            .or_else(|| self.time("Microsoft.VSTS.Common.ResolvedDate"));
        let is_closed = states.is_closed(&kind, &state).unwrap_or(closed_at.is_some());
        // The default reason "Moved to state Done" is meaningless.
        let stated_reason = ["Microsoft.VSTS.Common.ResolvedReason", "System.Reason"]
            .iter()
            .find_map(|field| self.text(field).filter(|t| !t.starts_with("Moved ")));
        let is_duplicate = self
            .links
            .iter()
            .flatten()
            .any(|l| l.rel.as_deref() == Some("System.LinkTypes.Duplicate-Reverse"));
        let reason = match stated_reason {
            _ if is_closed && is_duplicate => Some("duplicate".to_owned()),
            _ if is_closed && states.is_removed(&kind, &state) => Some("not_planned".to_owned()),
            Some(stated_reason) if is_closed => Some(normalize_resolution(stated_reason)),
            None if is_closed => Some(normalize_resolution(&state)),
            _ => Some(state).filter(|s| !s.is_empty()),
        };
        let texts: Vec<String> =
            BODY_FIELDS.iter().filter_map(|field| self.text(field)).map(to_markdown).collect();
        let tags = self.text("System.Tags").unwrap_or_default().split(';').map(str::trim);
        let area = self.text("System.AreaPath").and_then(last_segment);
        let labels = Some(kind).filter(|k| !k.is_empty()).into_iter().chain(area);
        let labels = labels.chain(tags.filter(|t| !t.is_empty()).map(str::to_owned));
        DocumentRecord {
            number: Some(self.id),
            remote_id: Some(self.id.to_string()),
            title: clean_title(self.text("System.Title").unwrap_or_default()),
            body: texts.join("\n\n"),
            url: Some(format!("{web}/_workitems/edit/{}", self.id)),
            state: Some(if is_closed { State::Closed } else { State::Open }),
            state_reason: reason,
            author: person(self.fields.get("System.CreatedBy")),
            labels: labels.collect(),
            milestone: self.text("System.IterationPath").and_then(last_segment),
            comment_count: self.comment_count().unwrap_or(0),
            created_at: self.time("System.CreatedDate"),
            updated_at: self.changed_at().or_else(|| self.time("System.CreatedDate")),
            closed_at: closed_at.filter(|_| is_closed),
            raw: Raw::new(self.raw),
            ..DocumentRecord::default()
        }
    }
}

/// Parses a comment; `None` if it was deleted.
pub(super) fn comment(text: &str, number: u64, web: &str) -> Result<Option<CommentRecord>, String> {
    let comment: Comment = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    if comment.is_deleted {
        return Ok(None);
    }
    Ok(Some(CommentRecord {
        repository: None,
        number,
        remote_id: comment.id.to_string(),
        author: person(comment.created_by.as_ref()),
        body: to_markdown(comment.text.as_deref().unwrap_or_default()),
        url: Some(format!("{web}/_workitems/edit/{number}#{}", comment.id)),
        created_at: comment.created_date,
        updated_at: time(comment.modified_date).unwrap_or(comment.created_date),
        raw: Raw::new(text.as_bytes().to_vec()),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> States {
        let kinds = r#"[{"name": "Bug", "states": [{"name": "New", "category": "Proposed"}, {"name": "Resolved", "category": "Resolved"},
            {"name": "Closed", "category": "Completed"}, {"name": "Removed", "category": "Removed"}]},
            {"name": "Risk", "states": [{"name": "Closed", "category": "InProgress"}, {"name": "It's over", "category": "Completed"}]}]"#;
        States::new(serde_json::from_str(kinds).unwrap())
    }

    fn bug(change: &Value) -> DocumentRecord {
        let mut fields = serde_json::json!({"System.Id": 7, "System.TeamProject": "Kiln", "System.WorkItemType": "Bug",
            "System.State": "New", "System.Reason": "New defect reported", "System.Title": "Pump stalls",
            "System.CreatedBy": {"displayName": "Ada", "uniqueName": "ada@acme.example"}, "System.Tags": "flow; hot",
            "System.AreaPath": "Kiln\\Pumps", "System.IterationPath": "Kiln",
            "System.CreatedDate": "2024-01-02T03:04:05.37Z", "System.ChangedDate": "2024-01-03T03:04:05.003Z",
            "Microsoft.VSTS.TCM.ReproSteps": "<div>Open <b>it</b>.</div>"});
        for (name, value) in change.as_object().unwrap() {
            fields[name] = value.clone();
        }
        let text = serde_json::json!({"id": 7, "rev": 2, "fields": fields}).to_string();
        item(&text).unwrap().record(&states(), "https://dev.azure.com/acme/Kiln")
    }

    #[test]
    fn work_item_state_follows_its_category() {
        let open = bug(&serde_json::json!({}));
        assert_eq!((open.state, open.state_reason.as_deref()), (Some(State::Open), Some("New")));
        assert_eq!(open.labels, ["Bug", "Pumps", "flow", "hot"]);
        assert_eq!((open.body.as_str(), open.milestone.as_deref()), ("Open **it**.", None));
        assert_eq!(open.author.login.as_deref(), Some("Ada"));
        for (state, stated, want) in [
            ("Closed", "Fixed and verified", "completed"),
            ("Resolved", "Cannot Reproduce", "not_planned"),
            ("Resolved", "Moved to state Resolved", "completed"),
            ("Removed", "Moved out of state New", "not_planned"),
        ] {
            let doc = bug(&serde_json::json!({"System.State": state, "System.Reason": stated}));
            assert_eq!(doc.state, Some(State::Closed), "{state}");
            assert_eq!(doc.state_reason.as_deref(), Some(want), "{state}, {stated}");
        }
    }

    #[test]
    fn open_query_excludes_states_closed_for_every_kind() {
        assert_eq!(states().closed_states(), ["'It''s over'", "'Removed'", "'Resolved'"]);
    }

    #[test]
    fn duplicate_link_has_a_direction() {
        let text = r#"{"id": 7, "fields": {}, "relations": [
            {"rel": "System.LinkTypes.Duplicate-Reverse", "url": "https://dev.azure.com/acme/_apis/wit/workItems/3"},
            {"rel": "System.LinkTypes.Duplicate-Forward", "url": "https://dev.azure.com/acme/_apis/wit/workItems/9"},
            {"rel": "System.LinkTypes.Related", "url": "https://dev.azure.com/acme/_apis/wit/workItems/5"},
            {"rel": "AttachedFile", "url": "https://dev.azure.com/acme/_apis/wit/attachments/4"}]}"#;
        let relations = item(text).unwrap().relations("acme/Kiln");
        assert_eq!(
            relations,
            [
                Relation::DuplicateOf("acme/Kiln#3".into()),
                Relation::RelatesTo("acme/Kiln#5".into())
            ]
        );
    }

    #[test]
    fn deleted_comment_is_skipped() {
        let text = |is_deleted: bool| {
            format!(
                r#"{{"workItemId": 7, "commentId": 43, "text": "<p>Same here.</p>", "createdBy": "Grace <grace@acme.example>",
                "createdDate": "2024-01-02T03:04:05.5Z", "modifiedDate": "2024-01-02T03:04:05.5Z", "isDeleted": {is_deleted}}}"#
            )
        };
        let record = comment(&text(false), 7, "https://dev.azure.com/acme/Kiln").unwrap().unwrap();
        assert_eq!((record.remote_id.as_str(), record.body.as_str()), ("43", "Same here."));
        assert_eq!(record.author.login.as_deref(), Some("Grace"));
        assert_eq!(comment(&text(true), 7, "").unwrap(), None);
    }
}
