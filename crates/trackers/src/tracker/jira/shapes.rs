//! The JSON types of Jira, parsed tolerantly. Formats:
//! <https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/> and
//! <https://docs.atlassian.com/software/jira/docs/api/REST/>

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::tracker::{
    Relation,
    client::clean_title,
    dates::{Time, time},
    github::json_error,
    identity::split_key,
};
use precedent_core::model::{Author, CommentRecord, DocumentRecord, INTERNAL, Raw, State};
use precedent_markup::{Markup, adf};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SearchPage<'a> {
    #[serde(borrow, default)]
    pub(super) issues: Vec<&'a RawValue>,
    /// Total on Data Center.
    pub(super) total: Option<u64>,
    pub(super) max_results: Option<u32>,
    /// Page token on Cloud.
    pub(super) next_page_token: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Comments<'a> {
    #[serde(borrow, default)]
    pub(super) comments: Vec<&'a RawValue>,
    pub(super) total: Option<u64>,
}

#[derive(Deserialize)]
struct Issue<'a> {
    id: Option<String>,
    key: String,
    #[serde(borrow, default)]
    fields: Fields<'a>,
}

#[derive(Default, Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    comment: Option<&'a RawValue>,
    summary: Option<String>,
    description: Option<Value>,
    #[serde(default)]
    status: Value,
    resolution: Option<Name>,
    issuetype: Option<Name>,
    reporter: Option<User>,
    creator: Option<User>,
    #[serde(default, deserialize_with = "null_as_empty")]
    labels: Vec<Value>,
    #[serde(default, deserialize_with = "null_as_empty")]
    components: Vec<Name>,
    #[serde(default, rename = "fixVersions", deserialize_with = "null_as_empty")]
    fix_versions: Vec<Name>,
    created: Option<Time>,
    updated: Option<Time>,
    resolutiondate: Option<Time>,
    #[serde(default, deserialize_with = "null_as_empty")]
    issuelinks: Vec<IssueLink>,
}

#[derive(Deserialize)]
struct Name {
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct User {
    pub(super) display_name: Option<String>,
    pub(super) name: Option<String>,
    account_type: Option<String>,
    pub(super) time_zone: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct IssueLink {
    #[serde(rename = "type")]
    kind: Option<Value>,
    inward_issue: Option<Value>,
    outward_issue: Option<Value>,
}

#[derive(Deserialize)]
struct Comment {
    id: String,
    body: Option<Value>,
    author: Option<User>,
    created: Option<Time>,
    updated: Option<Time>,
    visibility: Option<Value>,
    /// Visibility to customers, in service projects.
    #[serde(rename = "jsdPublic")]
    jsd_public: Option<bool>,
}

fn null_as_empty<'de, D: serde::Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::<Vec<T>>::deserialize(deserializer)?.unwrap_or_default())
}

/// Converts a text field to Markdown: a document on Cloud, Jira markup elsewhere.
fn to_markdown(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => Markup::Jira.to_markdown(&text.replace('\0', "\u{fffd}")),
        Some(document) => adf::to_markdown(document).replace('\0', "\u{fffd}"),
        None => String::new(),
    }
}

fn author(user: Option<User>, hidden: bool) -> Author {
    let bot = user.as_ref().is_some_and(|u| u.account_type.as_deref() == Some("app"));
    Author {
        login: user.and_then(|u| u.display_name.or(u.name)),
        bot,
        association: hidden.then(|| INTERNAL.to_owned()),
    }
}

/// Parses an issue and its relations. `namespace` prefixes the keys of other projects.
pub(in crate::tracker) fn issue(
    text: &str,
    base: &str,
    namespace: &str,
    project: &str,
) -> Result<(DocumentRecord, Vec<Relation>), String> {
    let issue: Issue<'_> = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    let Some((_, number)) = split_key(&issue.key) else {
        return Err(format!(
            "\"key\" does not end in a number: {}",
            issue.key.chars().take(80).collect::<String>()
        ));
    };
    let fields = issue.fields;
    let is_closed = match fields.status["statusCategory"]["key"].as_str() {
        Some("done") => true,
        Some(_) => false,
        None => fields.resolution.is_some() || time(fields.resolutiondate).is_some(),
    };
    let key_of = |key: &str| {
        let (name, number) = split_key(key)?;
        let name = if name == project { name.to_owned() } else { format!("{namespace}/{name}") };
        Some(format!("{name}#{number}"))
    };
    let relations = fields.issuelinks.iter().filter_map(|l| relation(l, key_of)).collect();
    let mut labels: Vec<String> = fields.issuetype.into_iter().filter_map(|t| t.name).collect();
    labels.extend(fields.components.into_iter().filter_map(|c| c.name));
    labels.extend(fields.labels.iter().filter_map(|l| l.as_str().map(str::to_owned)));
    let status = fields.status["name"].as_str().map(str::to_owned);
    let record = DocumentRecord {
        number: Some(number),
        remote_id: issue.id,
        title: clean_title(&fields.summary.unwrap_or_default()),
        body: to_markdown(fields.description.as_ref()),
        url: Some(format!("{base}/browse/{}", issue.key)),
        state: Some(if is_closed { State::Closed } else { State::Open }),
        state_reason: fields.resolution.and_then(|r| r.name).or(status),
        author: author(fields.reporter.or(fields.creator), false),
        labels,
        milestone: fields.fix_versions.into_iter().find_map(|v| v.name),
        created_at: time(fields.created),
        updated_at: time(fields.updated).or(time(fields.created)),
        closed_at: time(fields.resolutiondate).filter(|_| is_closed),
        raw: Raw::new(text.as_bytes().to_vec()),
        // Comments are listed separately, so their count is not requested.
        ..DocumentRecord::default()
    };
    Ok((record, relations))
}

/// Converts a link of an issue, which "duplicates" the outward issue.
fn relation(link: &IssueLink, key_of: impl Fn(&str) -> Option<String>) -> Option<Relation> {
    let kind = link.kind.as_ref()?;
    let lowercase = |name: &str| kind[name].as_str().unwrap_or_default().to_lowercase();
    let is_duplicate =
        lowercase("name").contains("duplicate") || lowercase("outward").contains("duplicates");
    let key = |issue: &Value| key_of(issue["key"].as_str()?);
    match (&link.outward_issue, &link.inward_issue) {
        (Some(issue), _) if is_duplicate => Some(Relation::DuplicateOf(key(issue)?)),
        // The other issue states this relation.
        (None, Some(_)) if is_duplicate => None,
        (Some(issue), _) | (None, Some(issue)) => Some(Relation::RelatesTo(key(issue)?)),
        (None, None) => None,
    }
}

/// Returns the key of an issue, the comments that came with it, and their total number.
pub(in crate::tracker) fn parse_comments(text: &str) -> Option<(String, Vec<&RawValue>, u64)> {
    let issue: Issue<'_> = serde_json::from_str(text).ok()?;
    let comments: Option<Comments<'_>> =
        issue.fields.comment.and_then(|raw| serde_json::from_str(raw.get()).ok());
    let (comments, total) = comments.map(|c| (c.comments, c.total)).unwrap_or_default();
    let total = total.unwrap_or(comments.len() as u64);
    Some((issue.key, comments, total))
}

pub(in crate::tracker) fn comment(
    text: &str,
    key: &str,
    base: &str,
) -> Result<CommentRecord, String> {
    let comment: Comment = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    let (_, number) = split_key(key).ok_or("belongs to no item")?;
    let created_at = time(comment.created).ok_or("\"created\" is not a valid time")?;
    let is_internal =
        comment.visibility.is_some_and(|v| !v.is_null()) || comment.jsd_public == Some(false);
    Ok(CommentRecord {
        repository: None,
        number,
        url: Some(format!("{base}/browse/{key}?focusedCommentId={0}#comment-{0}", comment.id)),
        remote_id: comment.id,
        author: author(comment.author, is_internal),
        body: to_markdown(comment.body.as_ref()),
        created_at,
        updated_at: time(comment.updated).unwrap_or(created_at),
        raw: Raw::new(text.as_bytes().to_vec()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staff_and_role_comments_are_internal() {
        for (fields, is_internal) in [
            (r#""visibility": {"type": "role", "value": "Staff"}"#, true),
            (r#""jsdPublic": false"#, true),
            (r#""jsdPublic": true, "visibility": null"#, false),
        ] {
            let text = format!(
                r#"{{"id": "5", "created": "2024-01-02T03:04:05.000+0200", "body": "x", {fields}}}"#
            );
            let record = comment(&text, "PUMP-7", "https://x.example").unwrap();
            assert_eq!(record.author.is_internal(), is_internal, "{fields}");
        }
    }

    #[test]
    fn issue_parses_with_null_lists() {
        let text =
            r#"{"key": "PUMP-7", "fields": {"summary": "x", "labels": null, "components": null}}"#;
        let (record, _) = issue(text, "https://x.example", "x.example", "PUMP").unwrap();
        assert_eq!((record.number, record.labels), (Some(7), Vec::new()));
    }

    #[test]
    fn links_have_a_direction() {
        let text = r#"{"key": "PUMP-7", "fields": {"summary": "x", "issuelinks": [
            {"type": {"name": "Duplicate", "inward": "is duplicated by", "outward": "duplicates"}, "outwardIssue": {"key": "PUMP-3"}},
            {"type": {"name": "Duplicate", "inward": "is duplicated by", "outward": "duplicates"}, "inwardIssue": {"key": "PUMP-9"}},
            {"type": {"name": "Relates", "inward": "relates to", "outward": "relates to"}, "inwardIssue": {"key": "TANK-1"}}]}}"#;
        let (_, relations) = issue(text, "https://x.example", "x.example", "PUMP").unwrap();
        assert_eq!(
            relations,
            [
                Relation::DuplicateOf("PUMP#3".into()),
                Relation::RelatesTo("x.example/TANK#1".into())
            ]
        );
    }
}
