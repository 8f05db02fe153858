//! The GraphQL types of Linear, parsed tolerantly. Formats:
//! <https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql>

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Number, Value};

use crate::tracker::{
    Relation,
    client::{clean, clean_title},
    dates::{Time, time},
    github::json_error,
    graphql::Nodes,
    identity::split_key,
};
use precedent_core::model::{Author, CommentRecord, DocumentRecord, Raw, State, item_number};

/// The types of workflow states that are closed.
pub(super) const CLOSED_TYPES: [&str; 3] = ["completed", "canceled", "duplicate"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Issue {
    #[serde(skip)]
    pub(super) number: u64,
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
    #[serde(default)]
    state: Value,
    labels: Option<Nodes<NamedNode>>,
    project: Option<NamedNode>,
    project_milestone: Option<NamedNode>,
    creator: Option<NamedNode>,
    bot_actor: Option<NamedNode>,
    external_user_creator: Option<NamedNode>,
    relations: Option<Nodes<Link>>,
    #[serde(skip)]
    raw: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NamedNode {
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

/// Returns the author: a user, an app, or a user of an integration.
fn author(user: Option<NamedNode>, bot: Option<NamedNode>, external: Option<NamedNode>) -> Author {
    let is_bot = bot.is_some() || user.as_ref().is_some_and(|u| u.app);
    let login = user.or(bot).or(external).and_then(|n| n.display_name.or(n.name));
    Author { login: login.filter(|n| !n.is_empty()), bot: is_bot, association: None }
}

impl Issue {
    pub(super) fn parse(node: Value) -> Result<Self, String> {
        let raw = node.to_string().into_bytes();
        let issue: Self = serde_json::from_value(node).map_err(|e| json_error(&e))?;
        let Some((_, number)) = split_key(&issue.identifier) else {
            let excerpt: String = issue.identifier.chars().take(80).collect();
            return Err(format!("\"identifier\" does not end in a number: {excerpt}"));
        };
        Ok(Self { number, raw, ..issue })
    }

    fn links(&self) -> impl Iterator<Item = &Link> {
        self.relations.iter().flat_map(|relations| relations.nodes.iter().flatten())
    }

    /// Returns whether the issue is in the trash.
    pub(super) fn is_gone(&self) -> bool {
        self.trashed == Some(true)
    }

    /// Returns the team and number of the issue.
    pub(super) fn team_and_number(&self) -> Option<(&str, u64)> {
        split_key(&self.identifier)
    }

    /// Returns the relations of the issue. A relation belongs to the duplicate or to the blocking
    /// issue.
    pub(super) fn relations(&self, workspace: &str) -> Vec<Relation> {
        let relations = self.links().filter_map(|link| {
            let (team, number) = split_key(&link.related_issue.as_ref()?.identifier)?;
            let key = format!("{workspace}/{team}#{number}");
            match link.kind.as_deref()? {
                "duplicate" => Some(Relation::DuplicateOf(key)),
                "related" | "blocks" => Some(Relation::RelatesTo(key)),
                // Linear's similarity suggestions are not confirmed by a user.
                _ => None,
            }
        });
        relations.collect()
    }

    pub(super) fn record(self) -> DocumentRecord {
        let kind = self.state["type"].as_str().unwrap_or_default().to_owned();
        let name = self.state["name"].as_str().map(str::to_owned);
        let closed_at = time(self.completed_at).or(time(self.canceled_at));
        let is_closed = match kind.as_str() {
            kind if CLOSED_TYPES.contains(&kind) => true,
            "triage" | "backlog" | "unstarted" | "started" => false,
            _ => closed_at.is_some(),
        };
        let is_duplicate = kind == "duplicate"
            || name.as_ref().is_some_and(|n| n.to_lowercase().contains("duplicate"))
            || self.links().any(|link| link.kind.as_deref() == Some("duplicate"));
        let reason = match kind.as_str() {
            _ if is_closed && is_duplicate => Some("duplicate".to_owned()),
            "completed" => Some("completed".to_owned()),
            "canceled" => Some("not_planned".to_owned()),
            _ => name,
        };
        let labels = self.labels.map(|l| l.nodes).unwrap_or_default().into_iter().flatten();
        let labels = labels.chain(self.project);
        DocumentRecord {
            number: Some(self.number),
            remote_id: Some(self.id),
            title: clean_title(&self.title),
            body: clean(self.description),
            url: self.url,
            state: Some(if is_closed { State::Closed } else { State::Open }),
            state_reason: reason,
            author: author(self.creator, self.bot_actor, self.external_user_creator),
            labels: labels.filter_map(|l| l.name).collect(),
            milestone: self.project_milestone.and_then(|m| m.name),
            created_at: time(self.created_at),
            updated_at: time(self.updated_at).or(time(self.created_at)),
            closed_at: closed_at.filter(|_| is_closed),
            raw: Raw::new(self.raw),
            ..DocumentRecord::default()
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Comment {
    id: String,
    body: Option<String>,
    url: Option<String>,
    created_at: Timestamp,
    updated_at: Option<Time>,
    user: Option<NamedNode>,
    bot_actor: Option<NamedNode>,
    external_user: Option<NamedNode>,
    issue: Option<CommentIssue>,
}

#[derive(Deserialize)]
struct CommentIssue {
    /// Number of the issue; GraphQL may return it as a float.
    number: Number,
    team: Option<Team>,
}

#[derive(Deserialize)]
struct Team {
    key: String,
}

impl Comment {
    /// Parses a comment; `None` if it belongs to no issue of this team.
    pub(super) fn parse(node: Value, team: &str) -> Result<Option<CommentRecord>, String> {
        if node.is_null() {
            return Ok(None);
        }
        let raw = node.to_string().into_bytes();
        let comment: Self = serde_json::from_value(node).map_err(|e| json_error(&e))?;
        let Some(issue) = comment.issue else { return Ok(None) };
        // A comment moves with its issue, whose number then belongs to another team.
        if issue.team.is_some_and(|t| !t.key.eq_ignore_ascii_case(team)) {
            return Ok(None);
        }
        let number = issue.number.to_string();
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
            [Relation::DuplicateOf("acme/ENG#3".into()), Relation::RelatesTo("acme/OPS#9".into())]
        );
        assert!(issue(&serde_json::json!({"trashed": true})).is_gone());
        assert!(Issue::parse(serde_json::json!({"id": "a", "identifier": "x"})).is_err());
    }

    #[test]
    fn comment_on_no_issue_of_the_team_is_skipped() {
        let node = |parent: Value| {
            serde_json::json!({"id": "c1", "body": "Same here.", "createdAt": "2024-01-02T03:04:05.678Z",
                "updatedAt": "2024-01-02T03:04:05.678Z", "user": null, "botActor": {"name": "Hook"}, "issue": parent})
        };
        let parse = |parent: Value| Comment::parse(node(parent), "ENG");
        assert_eq!(parse(Value::Null).unwrap(), None);
        let other_team = serde_json::json!({"number": 7.0, "team": {"key": "OPS"}});
        assert_eq!(parse(other_team).unwrap(), None);
        let own_team = serde_json::json!({"number": 7.0, "team": {"key": "ENG"}});
        let comment = parse(own_team).unwrap().unwrap();
        assert_eq!(
            (comment.number, comment.author.bot, comment.author.login.as_deref()),
            (7, true, Some("Hook"))
        );
        assert!(parse(serde_json::json!({"number": 0.5})).is_err());
    }
}
