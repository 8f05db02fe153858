//! The JSON types of Zendesk, parsed tolerantly. Formats:
//! <https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#json-format>,
//! <https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/#json-format> and
//! <https://developer.zendesk.com/api-reference/help_center/help-center-api/articles/#json-format>

use std::{collections::HashMap, sync::LazyLock};

use jiff::Timestamp;
use regex::Regex;
use serde::Deserialize;

use crate::tracker::{
    Kind, Relation,
    client::clean,
    dates::{Time, time},
    file::title_or_first_line,
    github::json_error,
    identity,
    wiki::title_slug,
};
use precedent_core::model::{
    Author, CommentRecord, DocKind, DocumentRecord, INTERNAL, Raw, State, item_number,
};
use precedent_markup::html_to_markdown;

/// The tag of a ticket that was closed by a merge into another.
/// <https://support.zendesk.com/hc/en-us/articles/203690916>
const MERGE_TAG: &str = "closed_by_merge";

/// A side-loaded user. Zendesk's own actions have a negative author id.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct User {
    pub(super) id: Option<i64>,
    pub(super) name: Option<String>,
    role: Option<String>,
}

pub(super) type People = HashMap<i64, User>;

pub(super) fn people(users: Vec<User>) -> People {
    users.into_iter().filter_map(|user| Some((user.id?, user))).collect()
}

fn author(id: Option<i64>, people: &People) -> Author {
    let user = id.and_then(|id| people.get(&id));
    let is_staff = user.is_some_and(|u| matches!(u.role.as_deref(), Some("agent" | "admin")));
    Author {
        login: user.and_then(|u| u.name.clone()).filter(|n| !n.trim().is_empty()),
        bot: false,
        association: is_staff.then(|| "MEMBER".to_owned()),
    }
}

#[derive(Deserialize)]
pub(super) struct Ticket {
    pub(super) id: u64,
    subject: Option<String>,
    description: Option<String>,
    status: Option<String>,
    priority: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    requester_id: Option<i64>,
    created_at: Option<Time>,
    updated_at: Option<Time>,
    /// Time of the last change of any kind, in seconds: the sort key and filter of the export.
    generated_timestamp: Option<i64>,
    problem_id: Option<u64>,
    #[serde(default)]
    followup_ids: Vec<u64>,
    dates: Option<Dates>,
    #[serde(skip)]
    raw: Vec<u8>,
}

#[derive(Deserialize)]
struct Dates {
    solved_at: Option<Time>,
    status_updated_at: Option<Time>,
}

pub(super) fn parse_ticket(text: &str) -> Result<Ticket, String> {
    let ticket: Ticket = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    identity::check_number("id", ticket.id)?;
    Ok(Ticket { raw: text.as_bytes().to_vec(), ..ticket })
}

/// Returns the key of a ticket, as used in relations.
pub(super) fn ticket_key(number: u64) -> String {
    format!("{}#{number}", Kind::Zendesk.single_project().unwrap_or_default())
}

impl Ticket {
    /// Returns the time by which the export is sorted.
    pub(super) fn export_time(&self) -> Option<Timestamp> {
        let generated_at = self.generated_timestamp.and_then(|s| Timestamp::from_second(s).ok());
        generated_at.or(time(self.updated_at))
    }

    pub(super) fn is_gone(&self) -> bool {
        self.status.as_deref() == Some("deleted")
    }

    pub(super) fn was_merged(&self) -> bool {
        self.tags.iter().any(|tag| tag == MERGE_TAG)
    }

    /// Returns the relations of the ticket: an incident duplicates its problem, and a follow-up is
    /// related.
    pub(super) fn relations(&self) -> Vec<Relation> {
        let problem = self.problem_id.map(|n| Relation::DuplicateOf(ticket_key(n)));
        let followups = self.followup_ids.iter().map(|n| Relation::RelatesTo(ticket_key(*n)));
        problem.into_iter().chain(followups).collect()
    }

    pub(super) fn record(self, people: &People, web: &str) -> DocumentRecord {
        let was_merged = self.was_merged();
        let status = self.status.unwrap_or_default();
        let is_closed = matches!(status.as_str(), "solved" | "closed");
        let reason = match is_closed {
            true if was_merged => Some("duplicate".to_owned()),
            true => Some("completed".to_owned()),
            false => Some(status).filter(|s| !s.is_empty()),
        };
        let body = clean(self.description);
        // A chat has no subject.
        let title = title_or_first_line(&clean(self.subject), &body);
        let solved_at = self.dates.and_then(|d| time(d.solved_at).or(time(d.status_updated_at)));
        DocumentRecord {
            number: Some(self.id),
            remote_id: Some(self.id.to_string()),
            title,
            body,
            url: Some(format!("{web}/agent/tickets/{}", self.id)),
            state: Some(if is_closed { State::Closed } else { State::Open }),
            state_reason: reason,
            author: author(self.requester_id, people),
            labels: self.kind.into_iter().chain(self.priority).chain(self.tags).collect(),
            created_at: time(self.created_at),
            updated_at: time(self.updated_at).or(time(self.created_at)),
            closed_at: solved_at.filter(|_| is_closed),
            raw: Raw::new(self.raw),
            // Zendesk's comment count includes private comments and the description.
            ..DocumentRecord::default()
        }
    }
}

#[derive(Deserialize)]
struct Comment {
    id: u64,
    author_id: Option<i64>,
    body: Option<String>,
    html_body: Option<String>,
    public: Option<bool>,
    created_at: Timestamp,
}

pub(super) fn comment_author(text: &str) -> Option<i64> {
    #[derive(Deserialize)]
    struct CommentAuthor {
        author_id: Option<i64>,
    }
    serde_json::from_str::<CommentAuthor>(text).ok()?.author_id
}

/// Parses a comment, and the ticket into which this one was merged, if the comment names it.
pub(super) fn parse_comment(
    text: &str,
    number: u64,
    people: &People,
    web: &str,
) -> Result<(CommentRecord, Option<u64>), String> {
    let comment: Comment = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    let plain_text = clean(comment.body);
    let merge_target = merge_target(&plain_text);
    let body = match comment.html_body {
        Some(html) if !html.trim().is_empty() => {
            html_to_markdown::convert(&html.replace('\0', "\u{fffd}"))
        }
        _ => plain_text,
    };
    let author = author(comment.author_id, people);
    let record = CommentRecord {
        repository: None,
        number,
        remote_id: comment.id.to_string(),
        author: match comment.public {
            Some(false) => Author { association: Some(INTERNAL.to_owned()), ..author },
            _ => author,
        },
        body,
        url: Some(format!("{web}/agent/tickets/{number}")),
        created_at: comment.created_at,
        updated_at: comment.created_at,
        raw: Raw::new(text.as_bytes().to_vec()),
    };
    Ok((record, merge_target))
}

#[allow(clippy::unwrap_used, reason = "the pattern is a constant; the tests compile it")]
static MERGE_TARGET: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\bmerged into (?:request|ticket) #(\d{1,10})\b").unwrap());

/// Returns the target in Zendesk's default text for a merged ticket; the target itself gets the text
/// "Request #4 … was closed and merged into this request".
/// <https://support.zendesk.com/hc/en-us/articles/203690916>
fn merge_target(text: &str) -> Option<u64> {
    let captures = MERGE_TARGET.captures(text)?;
    item_number(captures.get(1)?.as_str())
}

#[derive(Deserialize)]
struct Article {
    id: u64,
    title: Option<String>,
    body: Option<String>,
    html_url: Option<String>,
    author_id: Option<i64>,
    #[serde(default)]
    draft: bool,
    #[serde(default)]
    label_names: Vec<String>,
    created_at: Option<Time>,
    updated_at: Option<Time>,
}

/// Parses a help center article; `None` if it is not published.
pub(super) fn parse_article(text: &str, people: &People) -> Result<Option<DocumentRecord>, String> {
    let article: Article = serde_json::from_str(text).map_err(|e| json_error(&e))?;
    if article.draft {
        return Ok(None);
    }
    let title = clean(article.title).trim().to_owned();
    Ok(Some(DocumentRecord {
        kind: DocKind::Page,
        // Titles may repeat in other sections and languages.
        slug: Some(format!("{}-{}", title_slug(&title), article.id)),
        remote_id: Some(article.id.to_string()),
        title,
        body: html_to_markdown::convert(&clean(article.body)),
        url: article.html_url,
        author: Author { association: None, ..author(article.author_id, people) },
        labels: article.label_names,
        created_at: time(article.created_at),
        updated_at: time(article.updated_at).or(time(article.created_at)),
        raw: Raw::new(text.as_bytes().to_vec()),
        ..DocumentRecord::default()
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn users() -> People {
        let users = json!([{"id": 1, "name": "Ada", "role": "end-user"}, {"id": 2, "name": "Grace", "role": "agent"},
            {"id": null, "name": "Anonymous user"}]);
        people(serde_json::from_value(users).unwrap())
    }

    fn parse(change: &Value) -> Ticket {
        let mut object = json!({"id": 7, "url": "https://acme.zendesk.com/api/v2/tickets/7.json", "subject": "Pump stalls",
            "raw_subject": "Pump stalls", "description": "It stalls.\nTwice.", "status": "open", "priority": "high",
            "type": "incident", "tags": ["flow", "hot"], "requester_id": 1, "submitter_id": 2, "problem_id": null,
            "created_at": "2024-01-02T03:04:05Z", "updated_at": "2024-01-03T03:04:05Z", "generated_timestamp": 1_704_251_046,
            "followup_ids": [], "via": {"channel": "web"}, "dates": {"solved_at": null, "status_updated_at": "2024-01-03T00:00:00Z"}});
        for (name, value) in change.as_object().unwrap() {
            object[name] = value.clone();
        }
        parse_ticket(&object.to_string()).unwrap()
    }

    #[test]
    fn ticket_status_determines_the_state() {
        let web = "https://acme.zendesk.com";
        let open = parse(&json!({})).record(&users(), web);
        assert_eq!((open.state, open.state_reason.as_deref()), (Some(State::Open), Some("open")));
        assert_eq!(open.labels, ["incident", "high", "flow", "hot"]);
        assert_eq!((open.author.login.as_deref(), open.author.association), (Some("Ada"), None));
        assert_eq!(open.url.as_deref(), Some("https://acme.zendesk.com/agent/tickets/7"));
        assert_eq!(open.closed_at, None);
        for (status, state) in [
            ("new", State::Open),
            ("pending", State::Open),
            ("hold", State::Open),
            ("simmering", State::Open),
            ("solved", State::Closed),
            ("closed", State::Closed),
        ] {
            let doc = parse(&json!({"status": status})).record(&users(), web);
            assert_eq!(doc.state, Some(state), "{status}");
            assert_eq!(doc.closed_at.is_some(), state == State::Closed, "{status}");
            let reason = if state == State::Closed { "completed" } else { status };
            assert_eq!(doc.state_reason.as_deref(), Some(reason));
        }
        let merged_ticket = parse(&json!({"status": "closed", "tags": ["closed_by_merge"]}));
        assert!(merged_ticket.was_merged());
        assert_eq!(merged_ticket.record(&users(), web).state_reason.as_deref(), Some("duplicate"));
        let chat = parse(&json!({"subject": null})).record(&users(), web);
        assert_eq!(chat.title, "It stalls.");
        assert!(parse(&json!({"status": "deleted"})).is_gone());
    }

    #[test]
    fn incident_duplicates_its_problem_and_has_export_time() {
        let incident = parse(&json!({"problem_id": 3, "followup_ids": [9]}));
        assert_eq!(
            incident.relations(),
            [Relation::DuplicateOf("tickets#3".into()), Relation::RelatesTo("tickets#9".into())]
        );
        assert_eq!(incident.export_time(), Some("2024-01-03T03:04:06Z".parse().unwrap()));
        let ticket = parse(&json!({"generated_timestamp": null}));
        assert_eq!(ticket.export_time(), Some("2024-01-03T03:04:05Z".parse().unwrap()));
    }

    #[test]
    fn comment_that_is_not_public_is_internal() {
        for (public, internal) in [(json!(false), true), (json!(true), false), (json!(null), false)]
        {
            let text = json!({"id": 91, "author_id": 2, "body": "x", "public": public,
                "created_at": "2024-01-03T03:04:05Z"});
            let (record, _) =
                parse_comment(&text.to_string(), 7, &users(), "https://acme.zendesk.com").unwrap();
            assert_eq!(record.author.is_internal(), internal, "{text}");
        }
    }

    #[test]
    fn comment_prefers_html_and_names_merge_target() {
        let text = json!({"id": 91, "type": "Comment", "author_id": 2, "body": "Open the valve.",
            "html_body": "<div class=\"zd-comment\"><p>Open the <code>valve</code>.</p></div>", "public": true,
            "created_at": "2024-01-03T03:04:05Z", "attachments": [], "audit_id": 5});
        let (record, target) =
            parse_comment(&text.to_string(), 7, &users(), "https://acme.zendesk.com").unwrap();
        assert_eq!((record.body.as_str(), target), ("Open the `valve`.", None));
        assert_eq!(
            (record.author.login.as_deref(), record.author.association.as_deref()),
            (Some("Grace"), Some("MEMBER"))
        );
        for (text, number) in [
            ("This request was closed and merged into request #12 \"Pump stalls\".", Some(12)),
            (
                "Request #12 \"Pump\" was closed and merged into this request. Last comment in request #12:",
                None,
            ),
            ("merged into request #0", None),
        ] {
            assert_eq!(merge_target(text), number, "{text}");
        }
    }

    #[test]
    fn draft_is_not_a_page() {
        let text = |draft: bool| {
            json!({"id": 360_001, "title": "Restart the kiln?", "body": "<h2>Steps</h2><p>Wait.</p>", "draft": draft,
                "html_url": "https://acme.zendesk.com/hc/en-us/articles/360001-Restart", "author_id": 2, "locale": "en-us",
                "label_names": ["kiln"], "created_at": "2024-01-02T03:04:05Z", "updated_at": "2024-01-03T03:04:05Z"})
            .to_string()
        };
        let page = parse_article(&text(false), &users()).unwrap().unwrap();
        assert_eq!(page.slug.as_deref(), Some("Restart-the-kiln-360001"));
        assert_eq!(
            (page.body.as_str(), page.author.login.as_deref()),
            ("## Steps\n\nWait.", Some("Grace"))
        );
        assert_eq!(parse_article(&text(true), &users()).unwrap(), None);
    }
}
