//! The GraphQL types of Linear, parsed tolerantly. Formats:
//! <https://github.com/linear/linear/blob/master/packages/sdk/src/schema.graphql>

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::tracker::{Relation, client::clean, github::describe};
use precedent_core::model::{Author, CommentRecord, DocKind, DocumentRecord, Raw, State, item_number};

/// The closed types of workflow states.
pub(super) const CLOSED: [&str; 3] = ["completed", "canceled", "duplicate"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    id: String,
    identifier: String,
    #[serde(default)]
    title: String,
    description: Option<String>,
    url: Option<String>,
    #[serde(default, deserialize_with = "crate::tracker::dates::lenient")]
    created_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "crate::tracker::dates::lenient")]
    updated_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "crate::tracker::dates::lenient")]
    completed_at: Option<Timestamp>,
    #[serde(default, deserialize_with = "crate::tracker::dates::lenient")]
    canceled_at: Option<Timestamp>,
    trashed: Option<bool>,
    state: Option<Stands>,
    labels: Option<Names>,
    project: Option<Name>,
    project_milestone: Option<Name>,
    creator: Option<Name>,
    bot_actor: Option<Name>,
    external_user_creator: Option<Name>,
    relations: Option<Links>,
}

#[derive(Deserialize)]
struct Stands {
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
struct Names {
    #[serde(default)]
    nodes: Vec<Name>,
}

#[derive(Deserialize)]
struct Links {
    #[serde(default)]
    nodes: Vec<Link>,
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
fn author(user: Option<Name>, bot: Option<Name>, other: Option<Name>) -> Author {
    let is_bot = bot.is_some() || user.as_ref().is_some_and(|u| u.app);
    let named = user.or(bot).or(other).and_then(|n| n.display_name.or(n.name));
    Author { login: named.filter(|n| !n.is_empty()), bot: is_bot, association: None }
}

impl Issue {
    pub(super) fn read(node: Value) -> Result<Self, String> {
        let raw = node.to_string().into_bytes();
        let about: About = serde_json::from_value(node).map_err(|e| describe(&e))?;
        let Some((_, number)) = parts(&about.identifier) else {
            let shown: String = about.identifier.chars().take(80).collect();
            return Err(format!("\"identifier\" does not end in a number: {shown}"));
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
        let each = self.about.relations.iter().flat_map(|r| &r.nodes).filter_map(|link| {
            let (team, number) = parts(&link.related_issue.as_ref()?.identifier)?;
            let other = format!("{workspace}/{team}#{number}");
            match link.kind.as_deref()? {
                "duplicate" => Some(Relation::DuplicateOf(self.number, other)),
                "related" | "blocks" => Some(Relation::RelatesTo(self.number, other)),
                // Linear's own similarity suggestions are not statements by a user.
                _ => None,
            }
        });
        each.collect()
    }

    pub(super) fn record(self) -> DocumentRecord {
        let about = self.about;
        let kind = about.state.as_ref().and_then(|s| s.kind.clone()).unwrap_or_default();
        let name = about.state.and_then(|s| s.name);
        let done = about.completed_at.or(about.canceled_at);
        let closed = match kind.as_str() {
            known if CLOSED.contains(&known) => true,
            "triage" | "backlog" | "unstarted" | "started" => false,
            _ => done.is_some(),
        };
        let is_duplicate = kind == "duplicate"
            || name.as_ref().is_some_and(|n| n.to_lowercase().contains("duplicate"))
            || about
                .relations
                .iter()
                .flat_map(|r| &r.nodes)
                .any(|link| link.kind.as_deref() == Some("duplicate"));
        let reason = match kind.as_str() {
            _ if closed && is_duplicate => Some("duplicate".to_owned()),
            "completed" => Some("completed".to_owned()),
            "canceled" => Some("not_planned".to_owned()),
            _ => name,
        };
        let labels = about.labels.map(|l| l.nodes).unwrap_or_default().into_iter().chain(about.project);
        DocumentRecord {
            repository: None,
            kind: DocKind::Issue,
            number: Some(self.number),
            slug: None,
            remote_id: Some(about.id),
            title: about.title.replace('\0', "\u{fffd}").trim().to_owned(),
            body: clean(about.description),
            url: about.url,
            state: Some(if closed { State::Closed } else { State::Open }),
            state_reason: reason,
            author: author(about.creator, about.bot_actor, about.external_user_creator),
            labels: labels.filter_map(|l| l.name).collect(),
            milestone: about.project_milestone.and_then(|m| m.name),
            locked: false,
            // Linear returns no comment count.
            comment_count: 0,
            created_at: about.created_at,
            updated_at: about.updated_at.or(about.created_at),
            closed_at: done.filter(|_| closed),
            merged_at: None,
            raw: Raw::new(self.raw),
        }
    }
}

/// A comment.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Said {
    id: String,
    body: Option<String>,
    url: Option<String>,
    created_at: Timestamp,
    #[serde(default, deserialize_with = "crate::tracker::dates::lenient")]
    updated_at: Option<Timestamp>,
    user: Option<Name>,
    bot_actor: Option<Name>,
    external_user: Option<Name>,
    issue: Option<Of>,
}

#[derive(Deserialize)]
struct Of {
    /// Number of the issue; GraphQL may return it as a float.
    number: f64,
}

impl Said {
    /// Parses a comment; `None` if it belongs to no issue.
    pub(super) fn read(node: Value) -> Result<Option<CommentRecord>, String> {
        if node.is_null() {
            return Ok(None);
        }
        let raw = node.to_string().into_bytes();
        let said: Self = serde_json::from_value(node).map_err(|e| describe(&e))?;
        let Some(of) = said.issue else { return Ok(None) };
        if !(1.0..=f64::from(u32::MAX)).contains(&of.number) {
            return Err(format!(
                "belongs to the issue {}: item numbers must be 1 to {}",
                of.number,
                u32::MAX
            ));
        }
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is within the numbers of items"
        )]
        let number = of.number as u64;
        Ok(Some(CommentRecord {
            repository: None,
            number,
            remote_id: said.id,
            author: author(said.user, said.bot_actor, said.external_user),
            body: clean(said.body),
            url: said.url,
            created_at: said.created_at,
            updated_at: said.updated_at.unwrap_or(said.created_at),
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
        Issue::read(node).unwrap()
    }

    #[test]
    fn the_type_of_a_state_says_what_became_of_an_issue() {
        let open = issue(&serde_json::json!({})).record();
        assert_eq!((open.state, open.state_reason.as_deref()), (Some(State::Open), Some("In Progress")));
        assert_eq!((open.number, open.title.as_str()), (Some(7), "Pump stalls"));
        assert_eq!(open.labels, ["Bug", "Flow"]);
        for (name, kind, want) in [
            ("Done", "completed", "completed"),
            ("Canceled", "canceled", "not_planned"),
            ("Duplicate", "canceled", "duplicate"),
            ("Twin", "duplicate", "duplicate"),
        ] {
            let state = serde_json::json!({"state": {"name": name, "type": kind}, "canceledAt": "2024-01-03T00:00:00Z"});
            let closed = issue(&state).record();
            assert_eq!(
                (closed.state, closed.state_reason.as_deref()),
                (Some(State::Closed), Some(want)),
                "{name}"
            );
            assert!(closed.closed_at.is_some());
        }
    }

    #[test]
    fn relations_name_issues_of_other_teams_and_what_is_only_similar_is_none() {
        let nodes = serde_json::json!([{"type": "duplicate", "relatedIssue": {"identifier": "ENG-3"}},
            {"type": "related", "relatedIssue": {"identifier": "OPS-9"}},
            {"type": "similar", "relatedIssue": {"identifier": "ENG-4"}}]);
        let read = issue(&serde_json::json!({"relations": {"nodes": nodes}}));
        assert_eq!(
            read.relations("acme"),
            [Relation::DuplicateOf(7, "acme/ENG#3".into()), Relation::RelatesTo(7, "acme/OPS#9".into())]
        );
        assert!(issue(&serde_json::json!({"trashed": true})).is_gone());
        assert!(Issue::read(serde_json::json!({"id": "a", "identifier": "x"})).is_err());
    }

    #[test]
    fn a_comment_of_no_issue_is_none() {
        let node = |of: Value| {
            serde_json::json!({"id": "c1", "body": "Same here.", "createdAt": "2024-01-02T03:04:05.678Z",
                "updatedAt": "2024-01-02T03:04:05.678Z", "user": null, "botActor": {"name": "Hook"}, "issue": of})
        };
        assert_eq!(Said::read(node(Value::Null)).unwrap(), None);
        let read = Said::read(node(serde_json::json!({"number": 7.0}))).unwrap().unwrap();
        assert_eq!((read.number, read.author.bot, read.author.login.as_deref()), (7, true, Some("Hook")));
        assert!(Said::read(node(serde_json::json!({"number": 0.5}))).is_err());
    }
}
