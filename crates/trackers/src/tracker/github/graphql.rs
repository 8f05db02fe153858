//! Relations that GitHub provides only through GraphQL: the canonical issue of a duplicate, and
//! what closed an issue.

use std::{collections::HashMap, sync::atomic::Ordering};

use serde::Deserialize;
use serde_json::json;
use url::Url;

use super::GitHub;
use crate::tracker::{
    Relation, Relations,
    graphql::{self, Nodes, QueryOutcome},
};
use precedent_core::{
    error::{Code, Error, Result},
    task::Task,
};

/// The fields of a closing event; older servers lack the first.
/// <https://docs.github.com/en/graphql/reference/objects#closedevent>
const SHAPES: [&str; 2] = ["duplicateOf { ...item } closer { ...item }", "closer { ...item }"];

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Issue {
    number: Option<u64>,
    timeline_items: Option<Nodes<Event>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(rename = "__typename")]
    kind: Option<String>,
    canonical: Option<Item>,
    duplicate_of: Option<Item>,
    closer: Option<Item>,
}

/// An issue or a pull request; another closer, such as a commit, has no number.
#[derive(Deserialize)]
struct Item {
    number: Option<u64>,
    repository: Option<Name>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Name {
    name_with_owner: String,
}

impl Item {
    fn key(&self) -> Option<String> {
        Some(format!("{}#{}", self.repository.as_ref()?.name_with_owner, self.number?))
    }
}

pub(super) async fn relations(github: &GitHub, numbers: &[u64], task: &Task) -> Result<Relations> {
    if github.client.login.is_none() {
        return Ok(Relations::Refused(format!(
            "{} requires signing in to read them",
            github.client.host
        )));
    }
    // A field that the server does not support is requested only once.
    for (place, shape) in SHAPES.iter().enumerate().skip(github.shape.load(Ordering::Relaxed)) {
        match ask(github, shape, numbers, task).await? {
            None => github.shape.store(place + 1, Ordering::Relaxed),
            Some(relations) => return Ok(relations),
        }
    }
    Ok(Relations::Refused(format!("{} does not support this query", github.client.host)))
}

/// Returns the GraphQL address: next to the REST API, which ends in `/v3` on Enterprise Server.
pub(super) fn address(base: &Url) -> Result<Url> {
    let text = base.as_str().trim_end_matches('/');
    let text = text.strip_suffix("/v3").unwrap_or(text);
    Url::parse(&format!("{text}/graphql"))
        .map_err(|_| Error::invalid("the tracker address is not valid"))
}

async fn ask(
    github: &GitHub,
    shape: &str,
    numbers: &[u64],
    task: &Task,
) -> Result<Option<Relations>> {
    let mut query = String::from(
        "query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {",
    );
    for number in numbers {
        query.push_str(&format!(" i{number}: issue(number: {number}) {{ ...closing }}"));
    }
    query.push_str(
        " } } fragment closing on Issue { number timelineItems(last: 10, itemTypes: [CLOSED_EVENT, MARKED_AS_DUPLICATE_EVENT, \
         UNMARKED_AS_DUPLICATE_EVENT]) { nodes { __typename ... on MarkedAsDuplicateEvent { canonical { ...item } } \
         ... on UnmarkedAsDuplicateEvent { canonical { ...item } } ... on ClosedEvent { ",
    );
    query.push_str(shape);
    query.push_str(
        " } } } } fragment item on Node { ... on Issue { number repository { nameWithOwner } } \
         ... on PullRequest { number repository { nameWithOwner } } }",
    );
    // Interface fragments match every type here, including the unions of canonical, duplicateOf and
    // closer.
    let (owner, name) = github.name.split_once('/').unwrap_or((&github.name, ""));
    let variables = json!({ "owner": owner, "name": name });
    let (client, item) = (&github.client, "links between items");
    let url = address(&client.base)?;
    let outcome = graphql::query(client, url, &query, variables, item, true, task).await?;
    let refuse = |why: String| Ok(Some(Relations::Refused(why)));
    let mut data = match outcome {
        QueryOutcome::Data(data, _) => data,
        QueryOutcome::Unsupported => return Ok(None),
        QueryOutcome::Refused(why) => return refuse(why),
        QueryOutcome::Gone => return refuse("no permission to read them".to_owned()),
        QueryOutcome::Expired | QueryOutcome::TooMuch(_) => return Ok(Some(Relations::TooMany)),
    };
    let issues: HashMap<String, Option<Issue>> = serde_json::from_value(data["repository"].take())
        .map_err(|e| {
            Error::new(Code::Network, format!("cannot read {item} from {}: {e}", client.host))
        })?;
    let mut relations = Vec::new();
    for issue in issues.into_values().flatten() {
        let (Some(number), Some(timeline)) = (issue.number, issue.timeline_items) else { continue };
        collect_relations(number, timeline.nodes.into_iter().flatten(), &mut relations);
    }
    relations.sort_by_key(|r| match r {
        Relation::DuplicateOf(number, _)
        | Relation::ClosedBy(number, _)
        | Relation::RelatesTo(number, _) => *number,
    });
    Ok(Some(Relations::Found(relations)))
}

/// Returns the final relations from the events of an issue, oldest first.
fn collect_relations(
    number: u64,
    events: impl Iterator<Item = Event>,
    relations: &mut Vec<Relation>,
) {
    let mut duplicate_of: Vec<String> = Vec::new();
    let mut closed_by = None;
    for event in events {
        match event.kind.as_deref() {
            Some("MarkedAsDuplicateEvent") => {
                duplicate_of.extend(event.canonical.as_ref().and_then(Item::key));
            }
            Some("UnmarkedAsDuplicateEvent") => {
                let key = event.canonical.as_ref().and_then(Item::key);
                duplicate_of.retain(|k| Some(k) != key.as_ref());
            }
            Some("ClosedEvent") => {
                duplicate_of.extend(event.duplicate_of.as_ref().and_then(Item::key));
                // A later manual closure replaces the earlier reason.
                closed_by = event.closer.as_ref().and_then(Item::key);
            }
            _ => {}
        }
    }
    duplicate_of.sort();
    duplicate_of.dedup();
    relations.extend(duplicate_of.into_iter().map(|key| Relation::DuplicateOf(number, key)));
    relations.extend(closed_by.map(|key| Relation::ClosedBy(number, key)));
}
