//! Relations that only GraphQL provides: the canonical issue of a duplicate, and what closed an issue.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use url::Url;

use super::GitHub;
use crate::tracker::{
    ItemRelations, Relation, Relations,
    graphql::{self, QueryOutcome},
};
use precedent_core::error::{Code, Error, Result};

/// The fields of a closing event, and those that older servers support.
/// <https://docs.github.com/en/graphql/reference/objects#closedevent>
const CLOSING_FIELDS: [&str; 2] =
    ["duplicateOf { ...item } closer { ...item }", "closer { ...item }"];

/// Returns the key of an issue or a pull request; another closer, such as a commit, has no number.
fn issue_key(issue: &Value) -> Option<String> {
    let repository = issue["repository"]["nameWithOwner"].as_str()?;
    Some(format!("{repository}#{}", issue["number"].as_u64()?))
}

pub(super) async fn relations(github: &GitHub, numbers: &[u64]) -> Result<Relations> {
    if github.client.login.is_none() {
        return Ok(Relations::Refused(format!(
            "{} requires signing in to read them",
            github.client.host
        )));
    }
    // Remembering the variant avoids requesting an unsupported field again.
    for (variant, fields) in
        CLOSING_FIELDS.iter().enumerate().skip(github.query_variant.load(Ordering::Relaxed))
    {
        match query_relations(github, fields, numbers).await? {
            None => github.query_variant.store(variant + 1, Ordering::Relaxed),
            Some(relations) => return Ok(relations),
        }
    }
    Ok(Relations::Refused(format!("{} does not support this query", github.client.host)))
}

/// Returns the GraphQL address, next to the REST API (`/v3` on Enterprise Server).
pub(super) fn graphql_url(base: &Url) -> Result<Url> {
    let text = base.as_str().trim_end_matches('/');
    let text = text.strip_suffix("/v3").unwrap_or(text);
    Url::parse(&format!("{text}/graphql")).map_err(|_| Error::invalid("invalid tracker address"))
}

async fn query_relations(
    github: &GitHub,
    closing_fields: &str,
    numbers: &[u64],
) -> Result<Option<Relations>> {
    let issues: String = numbers
        .iter()
        .map(|number| format!(" i{number}: issue(number: {number}) {{ ...closing }}"))
        .collect();
    let query = format!(
        "query($owner: String!, $name: String!) {{ \
         repository(owner: $owner, name: $name) {{{issues} }} }} \
         fragment closing on Issue {{ number timelineItems(last: 10, itemTypes: [CLOSED_EVENT, \
         MARKED_AS_DUPLICATE_EVENT, UNMARKED_AS_DUPLICATE_EVENT]) {{ nodes {{ __typename \
         ... on MarkedAsDuplicateEvent {{ canonical {{ ...item }} }} \
         ... on UnmarkedAsDuplicateEvent {{ canonical {{ ...item }} }} \
         ... on ClosedEvent {{ {closing_fields} }} }} }} }} \
         fragment item on Node {{ ... on Issue {{ number repository {{ nameWithOwner }} }} \
         ... on PullRequest {{ number repository {{ nameWithOwner }} }} }}"
    );
    // A fragment on Node matches all these types, including the unions.
    let (owner, name) = github.name.split_once('/').unwrap_or((&github.name, ""));
    let variables = json!({ "owner": owner, "name": name });
    let (client, subject) = (&github.client, "links between items");
    let url = graphql_url(&client.base)?;
    let outcome = graphql::query(client, url, &query, variables, subject, true).await?;
    let refusal = |reason: String| Ok(Some(Relations::Refused(reason)));
    let data = match outcome {
        QueryOutcome::Data(data, _) => data,
        QueryOutcome::Unsupported => return Ok(None),
        QueryOutcome::Refused(reason) => return refusal(reason),
        QueryOutcome::Gone => return refusal("no permission to read them".to_owned()),
        QueryOutcome::Expired | QueryOutcome::TooLarge(_) => return Ok(Some(Relations::TooMany)),
    };
    let Some(issues) = data["repository"].as_object() else {
        let message = format!("cannot read {subject} from {}", client.host);
        return Err(Error::new(Code::Network, message));
    };
    let item_relations = issues.values().filter_map(|issue| {
        let events = issue["timelineItems"]["nodes"].as_array()?;
        Some((issue["number"].as_u64()?, timeline_relations(events)))
    });
    let mut relations: ItemRelations = item_relations.collect();
    relations.sort_by_key(|(number, _)| *number);
    Ok(Some(Relations::Found(relations)))
}

/// Returns the relations that result from the events of an issue, oldest first.
fn timeline_relations(events: &[Value]) -> Vec<Relation> {
    let mut duplicate_of: Vec<String> = Vec::new();
    let mut closed_by = None;
    for event in events {
        match event["__typename"].as_str() {
            Some("MarkedAsDuplicateEvent") => {
                duplicate_of.extend(issue_key(&event["canonical"]));
            }
            Some("UnmarkedAsDuplicateEvent") => {
                let key = issue_key(&event["canonical"]);
                duplicate_of.retain(|k| Some(k) != key.as_ref());
            }
            Some("ClosedEvent") => {
                duplicate_of.extend(issue_key(&event["duplicateOf"]));
                // A later manual closure replaces the earlier reason.
                closed_by = issue_key(&event["closer"]);
            }
            _ => {}
        }
    }
    duplicate_of.sort();
    duplicate_of.dedup();
    let duplicates = duplicate_of.into_iter().map(Relation::DuplicateOf);
    duplicates.chain(closed_by.map(Relation::ClosedBy)).collect()
}
