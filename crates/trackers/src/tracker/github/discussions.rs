//! A repository's discussions, which only GraphQL provides: items like issues, with numbers from
//! the same sequence.
//!
//! They cannot be filtered by time, so the list is read from the newest change back to the last
//! stored one. Discussions that change in the meantime move to the start, where the next sync finds
//! them.
//! <https://docs.github.com/en/graphql/guides/using-the-graphql-api-for-discussions>

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{GitHub, graphql::graphql_url, json_error};
use crate::tracker::{
    FetchError, Lookup, Page,
    client::{clean, clean_title},
    graphql::{self, List, Nodes, QueryOutcome},
    identity,
    pagination::Pagination,
};
use precedent_core::{
    error::Result,
    model::{ANSWER, Author, CommentRecord, DocumentRecord, Raw, Record, State},
};

/// The number of discussions per page. With comments and replies the query requests 13,000 nodes;
/// GitHub's limit is half a million.
/// <https://docs.github.com/en/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api>
pub(super) const PAGE_SIZE: u32 = 20;
/// The prefix of discussion comment ids, which are distinct from those of issue comments.
const ID_PREFIX: &str = "d";
/// The maximum number of comment or reply pages per discussion, in case a server links pages in a
/// cycle.
const MAX_PAGES: usize = 1_000;

/// The requested fields of a comment, without replies.
const COMMENT: &str = "fragment comment on DiscussionComment { id url body createdAt updatedAt deletedAt isAnswer \
                       authorAssociation author { __typename login } }";
/// The requested fields of a discussion, without comments.
const DISCUSSION: &str = "fragment discussion on Discussion { id number url title body createdAt updatedAt closed closedAt \
                          stateReason isAnswered answerChosenAt locked authorAssociation author { __typename login } \
                          category { name } labels(first: 20) { nodes { name } } }";
/// The requested comments of a discussion, with the replies to each.
const THREAD: &str = "pageInfo { hasNextPage endCursor } nodes { ...comment replies(first: 20) { pageInfo { hasNextPage \
                      endCursor } nodes { ...comment } } }";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DiscussionFields {
    id: String,
    number: u64,
    url: Option<String>,
    #[serde(default)]
    title: String,
    body: Option<String>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    #[serde(default)]
    closed: bool,
    closed_at: Option<Timestamp>,
    state_reason: Option<String>,
    is_answered: Option<bool>,
    answer_chosen_at: Option<Timestamp>,
    #[serde(default)]
    locked: bool,
    author_association: Option<String>,
    author: Option<Actor>,
    category: Option<NodeName>,
    labels: Option<Nodes<NodeName>>,
}

#[derive(Deserialize)]
struct Actor {
    #[serde(rename = "__typename")]
    kind: Option<String>,
    login: Option<String>,
}

#[derive(Deserialize)]
struct NodeName {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DiscussionComment {
    id: String,
    url: Option<String>,
    body: Option<String>,
    created_at: Timestamp,
    updated_at: Option<Timestamp>,
    deleted_at: Option<Timestamp>,
    #[serde(default)]
    is_answer: bool,
    author_association: Option<String>,
    author: Option<Actor>,
}

/// Removes the connection of this name from its node.
fn take_list(node: &mut Value, name: &str) -> List {
    let connection =
        node.as_object_mut().and_then(|object| object.remove(name)).unwrap_or_default();
    serde_json::from_value(connection).unwrap_or_default()
}

pub(super) async fn fetch_page(
    github: &GitHub,
    pagination: &Pagination,
) -> Result<Page, FetchError> {
    let query = format!(
        "query($owner: String!, $name: String!, $first: Int!, $after: String, $states: [DiscussionState!]) {{ \
         repository(owner: $owner, name: $name) {{ discussions(first: $first, after: $after, states: $states, \
         orderBy: {{field: UPDATED_AT, direction: DESC}}) {{ totalCount pageInfo {{ hasNextPage endCursor }} \
         nodes {{ ...discussion comments(first: 30) {{ {THREAD} }} }} }} }} }} \
         {DISCUSSION} {COMMENT}"
    );
    let states = if pagination.open { json!(["OPEN"]) } else { Value::Null };
    let variables = json!({"first": pagination.size, "after": pagination.token, "states": states});
    let (mut data, response_time) = run_query(github, &query, variables).await?.list(pagination)?;
    let list =
        take_list(data.pointer_mut("/repository").unwrap_or(&mut Value::Null), "discussions");
    let (total, cursor) = (list.total_count, list.next_cursor());
    let mut page = Page::default();
    let mut is_complete = false;
    // The list starts with the newest change, so any later change has a later time.
    let newest = list.nodes.first().and_then(parse_updated_at).unwrap_or(response_time);
    for node in list.nodes {
        let updated_at = parse_updated_at(&node);
        if pagination.since.is_some_and(|since| updated_at.is_some_and(|t| t < since)) {
            is_complete = true;
            break;
        }
        match to_records(github, node).await? {
            Ok(records) => page.records.extend(records.into_iter().map(Ok)),
            Err(reason) => page.records.push(Err(reason)),
        }
    }
    let has_more = cursor.is_some() && !is_complete;
    let (next, watermark) = pagination.by_creation(total, newest, has_more);
    // A restarted pass starts without a token.
    let next = next.map(|next| Pagination { token: cursor.filter(|_| next.page > 1), ..next });
    Ok(page.with_next((next, watermark)))
}

fn parse_updated_at(node: &Value) -> Option<Timestamp> {
    node.get("updatedAt")?.as_str()?.parse().ok()
}

pub(super) async fn item(github: &GitHub, number: u64) -> Result<Lookup> {
    let query = format!(
        "query($owner: String!, $name: String!, $number: Int!) {{ repository(owner: $owner, name: $name) {{ \
         discussion(number: $number) {{ ...discussion comments(first: 30) {{ {THREAD} }} }} }} }} {DISCUSSION} {COMMENT}"
    );
    let outcome = run_query(github, &query, json!({"number": number})).await?;
    let node = match outcome.object("/repository/discussion")? {
        Ok(node) => node,
        Err(outcome) => return Ok(outcome),
    };
    let records = to_records(github, node).await?;
    Ok(Lookup::from_parsed(records.map(|records| records.into_iter().next())))
}

/// Fetches a comment by its stored id; `None` if it does not belong to a discussion.
pub(super) async fn fetch_comment(
    github: &GitHub,
    number: u64,
    remote_id: &str,
) -> Result<Option<Lookup>> {
    let Some(id) = remote_id.strip_prefix(ID_PREFIX) else { return Ok(None) };
    let query = format!("query($id: ID!) {{ node(id: $id) {{ ...comment }} }} {COMMENT}");
    let outcome = run_query(github, &query, json!({"id": id})).await?;
    Ok(Some(match outcome.object("/node")? {
        Ok(node) => Lookup::from_parsed(parse_comment(node, number)),
        Err(outcome) => outcome,
    }))
}

async fn run_query(github: &GitHub, query: &str, mut variables: Value) -> Result<QueryOutcome> {
    if github.client.login.is_none() {
        let reason = format!("{} requires signing in to read them", github.client.host);
        return Ok(QueryOutcome::Refused(reason));
    }
    if query.contains("$owner") {
        let (owner, name) = github.name.split_once('/').unwrap_or((&github.name, ""));
        variables["owner"] = owner.into();
        variables["name"] = name.into();
    }
    let url = graphql_url(&github.client.base)?;
    graphql::query(&github.client, url, query, variables, "discussions", false).await
}

/// Converts a discussion to records after fetching its remaining comments, or to a skip reason.
async fn to_records(github: &GitHub, mut node: Value) -> Result<Result<Vec<Record>, String>> {
    let mut list = take_list(&mut node, "comments");
    let fields: DiscussionFields = match serde_json::from_value(node.clone()) {
        Ok(fields) => fields,
        Err(error) => return Ok(Err(json_error(&error))),
    };
    let number = fields.number;
    if let Err(reason) = identity::check_number("number", number) {
        return Ok(Err(reason));
    }
    let mut comments = Vec::new();
    for _ in 0..MAX_PAGES {
        let cursor = list.next_cursor();
        for mut node in list.nodes {
            let mut replies = take_list(&mut node, "replies");
            let id = node.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            comments.push(node);
            for _ in 0..MAX_PAGES {
                let cursor = replies.next_cursor();
                comments.append(&mut replies.nodes);
                let Some(cursor) = cursor else { break };
                replies = fetch_more(github, &id, &cursor, REPLIES).await?;
            }
        }
        let Some(cursor) = cursor else { break };
        list = fetch_more(github, &fields.id, &cursor, COMMENTS).await?;
    }
    let comments = comments.into_iter().filter_map(|node| parse_comment(node, number).transpose());
    let comments: Vec<CommentRecord> = match comments.collect() {
        Ok(comments) => comments,
        Err(reason) => return Ok(Err(reason)),
    };
    let document = Record::from(document(fields, &node, comments.len() as u64));
    Ok(Ok(std::iter::once(document).chain(comments.into_iter().map(Record::from)).collect()))
}

/// A list in a node: the node type, the name of the list, and the requested fields.
type NestedList = (&'static str, &'static str, &'static str);
const COMMENTS: NestedList = ("Discussion", "comments", THREAD);
const REPLIES: NestedList =
    ("DiscussionComment", "replies", "pageInfo { hasNextPage endCursor } nodes { ...comment }");

async fn fetch_more(github: &GitHub, id: &str, cursor: &str, nested: NestedList) -> Result<List> {
    let (kind, list, selection) = nested;
    let query = format!(
        "query($id: ID!, $after: String!) {{ node(id: $id) {{ ... on {kind} {{ {list}(first: 50, after: $after) {{ \
         {selection} }} }} }} }} {COMMENT}"
    );
    match run_query(github, &query, json!({"id": id, "after": cursor})).await? {
        QueryOutcome::Data(mut data, _) => {
            Ok(take_list(data.pointer_mut("/node").unwrap_or(&mut Value::Null), list))
        }
        QueryOutcome::TooLarge(error) => Err(error),
        // The node may have been deleted in the meantime.
        _ => Ok(List::default()),
    }
}

fn author(actor: Option<Actor>, association: Option<String>) -> Author {
    let bot = actor.as_ref().is_some_and(|a| a.kind.as_deref() == Some("Bot"));
    Author { login: actor.and_then(|a| a.login), bot, association }
}

fn document(fields: DiscussionFields, node: &Value, comment_count: u64) -> DocumentRecord {
    let is_answered = fields.is_answered == Some(true);
    let is_closed = is_answered || fields.closed;
    // <https://docs.github.com/en/graphql/reference/enums#discussionstatereason>
    let reason = match fields.state_reason.as_deref() {
        _ if is_answered => Some("completed".to_owned()),
        Some("RESOLVED") => Some("completed".to_owned()),
        Some("OUTDATED") => Some("not_planned".to_owned()),
        reason => reason.map(str::to_lowercase),
    };
    let names = fields.labels.map(|l| l.nodes).unwrap_or_default().into_iter().flatten();
    DocumentRecord {
        number: Some(fields.number),
        remote_id: Some(fields.id),
        title: clean_title(&fields.title),
        body: clean(fields.body),
        url: fields.url,
        state: Some(if is_closed { State::Closed } else { State::Open }),
        state_reason: reason,
        author: author(fields.author, fields.author_association),
        labels: fields.category.into_iter().chain(names).map(|n| n.name).collect(),
        locked: fields.locked,
        comment_count,
        created_at: fields.created_at,
        updated_at: fields.updated_at.or(fields.created_at),
        closed_at: fields
            .answer_chosen_at
            .filter(|_| is_answered)
            .or(fields.closed_at)
            .filter(|_| is_closed),
        raw: Raw::new(node.to_string().into_bytes()),
        ..DocumentRecord::default()
    }
}

/// Parses a comment or a reply; `None` if it was deleted.
fn parse_comment(node: Value, number: u64) -> Result<Option<CommentRecord>, String> {
    let raw = node.to_string().into_bytes();
    let comment: DiscussionComment = serde_json::from_value(node).map_err(|e| json_error(&e))?;
    if comment.deleted_at.is_some() {
        return Ok(None);
    }
    let association =
        if comment.is_answer { Some(ANSWER.to_owned()) } else { comment.author_association };
    Ok(Some(CommentRecord {
        repository: None,
        number,
        remote_id: format!("{ID_PREFIX}{}", comment.id),
        author: author(comment.author, association),
        body: clean(comment.body),
        url: comment.url,
        created_at: comment.created_at,
        updated_at: comment.updated_at.unwrap_or(comment.created_at),
        raw: Raw::new(raw),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(change: &Value) -> DocumentRecord {
        let mut node = json!({"id": "D_1", "number": 12, "url": "https://github.com/acme/app/discussions/12",
            "title": "Pump stalls?", "body": "Why?", "createdAt": "2024-01-02T03:04:05Z",
            "updatedAt": "2024-01-03T03:04:05Z", "closed": false, "closedAt": null, "stateReason": null,
            "isAnswered": false, "answerChosenAt": null, "locked": false, "authorAssociation": "NONE",
            "author": {"__typename": "User", "login": "ada"}, "category": {"name": "Q&A"},
            "labels": {"nodes": [{"name": "pumps"}, null]}});
        for (name, value) in change.as_object().unwrap() {
            node[name] = value.clone();
        }
        document(serde_json::from_value(node.clone()).unwrap(), &node, 2)
    }

    #[test]
    fn answered_discussion_is_closed_as_completed() {
        let open = parse(&json!({}));
        assert_eq!(
            (open.state, open.state_reason, open.closed_at),
            (Some(State::Open), None, None)
        );
        assert_eq!(open.labels, ["Q&A", "pumps"]);
        let chosen_at = "2024-01-03T00:00:00Z";
        let doc = parse(&json!({"isAnswered": true, "answerChosenAt": chosen_at}));
        assert_eq!(
            (doc.state, doc.closed_at),
            (Some(State::Closed), Some(chosen_at.parse().unwrap()))
        );
        assert_eq!(doc.state_reason.as_deref(), Some("completed"));
        for (state_reason, want) in
            [("OUTDATED", "not_planned"), ("DUPLICATE", "duplicate"), ("RESOLVED", "completed")]
        {
            let doc =
                parse(&json!({"closed": true, "closedAt": chosen_at, "stateReason": state_reason}));
            assert_eq!((doc.state, doc.state_reason.as_deref()), (Some(State::Closed), Some(want)));
        }
    }

    #[test]
    fn deleted_comment_is_skipped_and_answer_is_marked() {
        let node = |is_answer: bool, deleted_at: Value| {
            json!({"id": "DC_1", "url": "https://github.com/acme/app/discussions/12#discussioncomment-1", "body": "Open it.",
                "createdAt": "2024-01-02T03:04:05Z", "updatedAt": "2024-01-02T03:04:05Z", "deletedAt": deleted_at,
                "isAnswer": is_answer, "authorAssociation": "MEMBER", "author": null})
        };
        assert_eq!(parse_comment(node(false, json!("2024-01-02T03:04:06Z")), 12).unwrap(), None);
        let comment = parse_comment(node(false, Value::Null), 12).unwrap().unwrap();
        assert_eq!(
            (comment.remote_id.as_str(), comment.author.association.as_deref()),
            ("dDC_1", Some("MEMBER"))
        );
        let answer = parse_comment(node(true, Value::Null), 12).unwrap().unwrap();
        assert_eq!(answer.author.association.as_deref(), Some(ANSWER));
    }
}
