//! The GraphQL types of Linear, parsed tolerantly. Formats:
//! <https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql>

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Number, Value};

use crate::tracker::{
    Relation,
    client::clean,
    dates::{Time, time},
    github::describe,
    graphql::Nodes,
};
use precedent_core::model::{Author, CommentRecord, DocumentRecord, Raw, State, item_number};

/// The closed types of workflow states.
pub(super) const CLOSED_TYPES: [&str; 3] = ["completed", "canceled", "duplicate"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    id: String,
    identifier: String,
    #[serde(default)]
    title: String,
    description: Option<String>,
    url: Option<String>,
    created_at: Option<Time>,
    updated_at: Option<Time>,
    completed_at: Option<Time>,
    canceled_at: Option<Time>,
    trashed: Option<bool>,
    state: Option<WorkflowState>,
    labels: Option<Nodes<Name>>,
    project: Option<Name>,
    project_milestone: Option<Name>,
    creator: Option<Name>,
    bot_actor: Option<Name>,
    external_user_creator: Option<Name>,
    relations: Option<Nodes<Link>>,
}

impl About {
    fn links(&self) -> impl Iterator<Item = &Link> {
        self.relations.iter().flat_map(|relations| relations.nodes.iter().flatten())
    }
}

#[derive(Deserialize)]
struct WorkflowState {
    name: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Name {
    name: Option<String>,
    display_name: Option<String>,
    #[serde(default)]
    app: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Link {
    #[serde(rename = "type")]
    kind: Option<String>,
    related_issue: Option<Identifier>,
}

#[derive(Deserialize)]
struct Identifier {
    identifier: String,
}

/// An issue.
pub(super) struct Issue {
    pub(super) number: u64,
    about: About,
    raw: Vec<u8>,
}

/// Returns the team and the number of `ENG-12`.
fn parts(identifier: &str) -> Option<(&str, u64)> {
    let (team, number) = identifier.rsplit_once('-')?;
    Some((team, item_number(number)?))
}

/// Returns the author: a user, an app, or a user of an integration.
fn author(user: Option<Name>, bot: Option<Name>, external: Option<Name>) -> Author {
    let is_bot = bot.is_some() || user.as_ref().is_some_and(|u| u.app);
    let login = user.or(bot).or(external).and_then(|n| n.display_name.or(n.name));
    Author { login: login.filter(|n| !n.is_empty()), bot: is_bot, association: None }
}

impl Issue {
    pub(super) fn parse(node: Value) -> Result<Self, String> {
        let raw = node.to_string().into_bytes();
        let about: About = serde_json::from_value(node).map_err(|e| describe(&e))?;
        let Some((_, number)) = parts(&about.identifier) else {
            let excerpt: String = about.identifier.chars().take(80).collect();
            return Err(format!("\"identifier\" does not end in a number: {excerpt}"));
        };
        Ok(Self { number, about, raw })
    }

    /// Returns whether the issue is in the trash.
    pub(super) fn is_gone(&self) -> bool {
        self.about.trashed == Some(true)
    }

    /// Returns the team and number of the issue.
    pub(super) fn home(&self) -> Option<(&str, u64)> {
        parts(&self.about.identifier)
    }

    /// Returns the relations of the issue. A relation belongs to the duplicate, or to the issue
    /// that blocks.
    pub(super) fn relations(&self, workspace: &str) -> Vec<Relation> {
        let relations = self.about.links().filter_map(|link| {
            let (team, number) = parts(&link.related_issue.as_ref()?.identifier)?;
            let key = format!("{workspace}/{team}#{number}");
            match link.kind.as_deref()? {
                "duplicate" => Some(Relation::DuplicateOf(self.number, key)),
                "related" | "blocks" => Some(Relation::RelatesTo(self.number, key)),
                // Linear's own similarity suggestions are not statements by a user.
                _ => None,
            }
        });
        relations.collect()
    }

    pub(super) fn record(self) -> DocumentRecord {
        let about = self.about;
        let kind = about.state.as_ref().and_then(|s| s.kind.clone()).unwrap_or_default();
        let name = about.state.as_ref().and_then(|s| s.name.clone());
        let closed_at = time(about.completed_at).or(time(about.canceled_at));
        let is_closed = match kind.as_str() {
            kind if CLOSED_TYPES.contains(&kind) => true,
            "triage" | "backlog" | "unstarted" | "started" => false,
            _ => closed_at.is_some(),
        };
        let is_duplicate = kind == "duplicate"
            || name.as_ref().is_some_and(|n| n.to_lowercase().contains("duplicate"))
            || about.links().any(|link| link.kind.as_deref() == Some("duplicate"));
        let reason = match kind.as_str() {
            _ if is_closed && is_duplicate => Some("duplicate".to_owned()),
            "completed" => Some("completed".to_owned()),
            "canceled" => Some("not_planned".to_owned()),
            _ => name,
        };
        let labels = about.labels.map(|l| l.nodes).unwrap_or_default().into_iter().flatten();
        let labels = labels.chain(about.project);
        DocumentRecord {
            number: Some(self.number),
            remote_id: Some(about.id),
            title: about.title.replace('\0', "\u{fffd}").trim().to_owned(),
            body: clean(about.description),
            url: about.url,
            state: Some(if is_closed { State::Closed } else { State::Open }),
            state_reason: reason,
            author: author(about.creator, about.bot_actor, about.external_user_creator),
            labels: labels.filter_map(|l| l.name).collect(),
            milestone: about.project_milestone.and_then(|m| m.name),
            created_at: time(about.created_at),
            updated_at: time(about.updated_at).or(time(about.created_at)),
            closed_at: closed_at.filter(|_| is_closed),
            raw: Raw::new(self.raw),
            ..DocumentRecord::default()
        }
    }
}

/// A comment.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Comment {
    id: String,
    body: Option<String>,
    url: Option<String>,
    created_at: Timestamp,
    updated_at: Option<Time>,
    user: Option<Name>,
    bot_actor: Option<Name>,
    external_user: Option<Name>,
    issue: Option<Of>,
}

#[derive(Deserialize)]
struct Of {
    /// Number of the issue; GraphQL may return it as a float.
    number: Number,
}

impl Comment {
    /// Parses a comment; `None` if it belongs to no issue.
    pub(super) fn parse(node: Value) -> Result<Option<CommentRecord>, String> {
        if node.is_null() {
            return Ok(None);
        }
        let raw = node.to_string().into_bytes();
        let comment: Self = serde_json::from_value(node).map_err(|e| describe(&e))?;
        let Some(of) = comment.issue else { return Ok(None) };
        let number = of.number.to_string();
        let number = item_number(number.trim_end_matches(".0"))
            .ok_or_else(|| format!("belongs to the issue {number}, which is not an item number"))?;
        Ok(Some(CommentRecord {
            repository: None,
            number,
            remote_id: comment.id,
            author: author(comment.user, comment.bot_actor, comment.external_user),
            body: clean(comment.body),
            url: comment.url,
            created_at: comment.created_at,
            updated_at: time(comment.updated_at).unwrap_or(comment.created_at),
            raw: Raw::new(raw),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue(change: &Value) -> Issue {
        let mut node = serde_json::json!({"id": "a1", "identifier": "ENG-7", "number": 7.0, "title": " Pump stalls ",
            "description": "It stalls.", "url": "https://linear.app/acme/issue/ENG-7/pump-stalls",
            "createdAt": "2024-01-02T03:04:05.678Z", "updatedAt": "2024-01-03T03:04:05.678Z", "trashed": null,
            "state": {"name": "In Progress", "type": "started"}, "labels": {"nodes": [{"name": "Bug"}]},
            "project": {"name": "Flow"}, "creator": {"name": "ada@acme.example", "displayName": "ada", "app": false},
            "relations": {"nodes": []}});
        for (name, value) in change.as_object().unwrap() {
            node[name] = value.clone();
        }
        Issue::parse(node).unwrap()
    }

    #[test]
    fn state_type_determines_the_reason() {
        let open = issue(&serde_json::json!({})).record();
        assert_eq!(
            (open.state, open.state_reason.as_deref()),
            (Some(State::Open), Some("In Progress"))
        );
        assert_eq!((open.number, open.title.as_str()), (Some(7), "Pump stalls"));
        assert_eq!(open.labels, ["Bug", "Flow"]);
        for (name, kind, want) in [
            ("Done", "completed", "completed"),
            ("Canceled", "canceled", "not_planned"),
            ("Duplicate", "canceled", "duplicate"),
            ("Twin", "duplicate", "duplicate"),
        ] {
            let state = serde_json::json!({"state": {"name": name, "type": kind}, "canceledAt": "2024-01-03T00:00:00Z"});
            let doc = issue(&state).record();
            assert_eq!(
                (doc.state, doc.state_reason.as_deref()),
                (Some(State::Closed), Some(want)),
                "{name}"
            );
            assert!(doc.closed_at.is_some());
        }
    }

    #[test]
    fn relations_cross_teams_and_skip_similar_issues() {
        let nodes = serde_json::json!([{"type": "duplicate", "relatedIssue": {"identifier": "ENG-3"}},
            {"type": "related", "relatedIssue": {"identifier": "OPS-9"}},
            {"type": "similar", "relatedIssue": {"identifier": "ENG-4"}}]);
        let with_links = issue(&serde_json::json!({"relations": {"nodes": nodes}}));
        assert_eq!(
            with_links.relations("acme"),
            [
                Relation::DuplicateOf(7, "acme/ENG#3".into()),
                Relation::RelatesTo(7, "acme/OPS#9".into())
            ]
        );
        assert!(issue(&serde_json::json!({"trashed": true})).is_gone());
        assert!(Issue::parse(serde_json::json!({"id": "a", "identifier": "x"})).is_err());
    }

    #[test]
    fn comment_without_issue_is_skipped() {
        let node = |of: Value| {
            serde_json::json!({"id": "c1", "body": "Same here.", "createdAt": "2024-01-02T03:04:05.678Z",
                "updatedAt": "2024-01-02T03:04:05.678Z", "user": null, "botActor": {"name": "Hook"}, "issue": of})
        };
        assert_eq!(Comment::parse(node(Value::Null)).unwrap(), None);
        let comment = Comment::parse(node(serde_json::json!({"number": 7.0}))).unwrap().unwrap();
        assert_eq!(
            (comment.number, comment.author.bot, comment.author.login.as_deref()),
            (7, true, Some("Hook"))
        );
        assert!(Comment::parse(node(serde_json::json!({"number": 0.5}))).is_err());
    }
}
