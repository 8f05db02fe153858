//! Parsers for records of trackers whose live connector needs more than a file contains, or that
//! have none: GitLab, Bugzilla, Zendesk, Jira, Redmine, Linear, Azure DevOps, YouTrack and GitHub's
//! public events. Fields are looked up by name, tolerantly.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    known::Known,
    piece::{Item, Piece, Said as Comment, Tie},
    rows,
    states::{Said, is_resolution},
};
use crate::tracker::{
    Relation, dates, github,
    graphql::nodes,
    identity::{Identity, address, host, identity},
    jira, redmine,
};
use precedent_core::model::{DocKind, MAX_NUMBER, Record, State, item_number};
use precedent_markup::hypertext;

/// Parses a record of one of these formats; `None` if it has another format.
pub fn pieces(value: &Value, bytes: &[u8], place: u64, known: &Known) -> Option<Result<Vec<Piece>, String>> {
    let has = |name: &str| value.get(name).is_some();
    let any = |names: &[&str]| names.iter().any(|n| has(n));
    Some(match () {
        () if has("payload") && has("repo") && has("type") => event(value),
        () if has("action") && any(&["issue", "pull_request"]) && has("repository") => {
            let name = text(value, &["repository.full_name"]);
            event(&serde_json::json!({ "repo": { "name": name }, "payload": value }))
        }
        () if value.get("bugs").is_some_and(Value::is_object) => comments_of_bugs(value),
        () if has("bug_id") && has("error") => {
            Err(format!("Bugzilla did not return it: {}", text(value, &["error"]).unwrap_or_default()))
        }
        () if has("key") && has("summary") && has("link") => jira_xml(value, known)?,
        () if has("key") && has("fields") => jira_issue(value, bytes, known),
        () if has("iid") && has("title") => gitlab(value, bytes, known),
        () if any(&["bug_id", "summary"])
            && any(&["bug_status", "creation_time", "is_open", "product", "dupe_of", "short_desc"]) =>
        {
            bugzilla(value, bytes, known)
        }
        () if has("identifier") && has("title") => linear(value, bytes, known),
        () if value.get("fields").and_then(|f| f.get("System.Title")).is_some() => azure(value, bytes, known),
        () if has("idReadable") && has("summary") => youtrack(value, bytes, known),
        () if has("subject") && has("id") && any(&["tracker", "journals", "done_ratio", "created_on"]) => {
            redmine_issue(value, bytes, known)
        }
        () if any(&["subject", "raw_subject"]) && has("id") => zendesk(value, bytes, known),
        () if any(&["noteable_iid"]) && has("body") => note(value),
        () if known.numberless && has("title") && !has("color") => numberless(value, bytes, place, known),
        () => return named(value, known),
    })
}

/// Parses a record whose fields are named like table columns; `None` if they are not.
fn named(value: &Value, known: &Known) -> Option<Result<Vec<Piece>, String>> {
    let (plan, row) = rows::of_record(value, &known.words)?;
    let cell = |field: &str| plan.cell(&row.cells, field);
    known.closed(Said {
        word: cell("state"),
        category: cell("category"),
        resolution: cell("reason"),
        closed_at: cell("closed").is_some(),
    });
    Some(rows::pieces(&plan, &row))
}

/// Parses an item of Jira's XML, whose title contains the key and whose lists have wrapper
/// elements.
fn jira_xml(value: &Value, known: &Known) -> Option<Result<Vec<Piece>, String>> {
    let mut item = value.clone();
    let fields = item.as_object_mut()?;
    fields.remove("title");
    if let Some(kind) = fields.remove("type") {
        fields.insert("issue type".to_owned(), kind);
    }
    for (name, inner) in [("labels", "label"), ("comments", "comment")] {
        let held = match fields.get(name).and_then(|list| list.get(inner)) {
            Some(Value::Array(all)) => all.clone(),
            one => one.into_iter().cloned().collect(),
        };
        fields.insert(name.to_owned(), held.into());
    }
    named(&item, known)
}

/// Returns the first non-empty text among these fields; `a.b` is `b` in `a`.
fn text(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let found = name.split('.').try_fold(value, |v, part| v.get(part))?;
        match found {
            Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            _ => None,
        }
    })
}

/// Returns the first time among these fields.
fn time(value: &Value, names: &[&str]) -> Option<Timestamp> {
    names.iter().find_map(|name| dates::read(&text(value, &[name])?, dates::Order::default()))
}

fn number(value: &Value, names: &[&str]) -> Result<u64, String> {
    let text = text(value, names).ok_or_else(|| format!("no \"{}\"", names[0]))?;
    item_number(text.trim_start_matches('#')).ok_or_else(|| {
        format!("\"{}\" is {}: item numbers must be 1 to {MAX_NUMBER}", names[0], short(&text))
    })
}

fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Returns a list, plain or in GraphQL's form; empty if there is none.
fn list<'a>(value: &'a Value, name: &str) -> Vec<&'a Value> {
    match value.get(name) {
        Some(Value::Array(all)) => all.iter().collect(),
        // A single XML element is not a list.
        Some(object @ Value::Object(_)) => nodes(object).unwrap_or_else(|| vec![object]),
        _ => Vec::new(),
    }
}

/// Returns the names in a list of strings or of objects with a name.
fn names(value: &Value, name: &str) -> Vec<String> {
    match value.get(name) {
        Some(Value::String(words)) => {
            words.split([',', ';']).map(str::trim).filter(|w| !w.is_empty()).map(str::to_owned).collect()
        }
        _ => list(value, name)
            .into_iter()
            .filter_map(|v| {
                v.as_str().map(str::to_owned).or_else(|| text(v, &["name", "title", "label.title"]))
            })
            .collect(),
    }
}

fn body(value: &Value, names: &[&str]) -> String {
    let text = text(value, names).unwrap_or_default();
    if hypertext::is_html(&text) { hypertext::to_markdown(&text) } else { text }
}

/// Parses the fields that most trackers share; each parser adds its own.
fn item(value: &Value, number: u64, known: &Known, said: Said<'_>) -> Item {
    let url = text(value, &["web_url", "webUrl", "html_url", "url"]);
    let closed_at =
        time(value, &["closed_at", "closedAt", "closed_on", "completedAt", "canceledAt", "resolved"]);
    let closed = known.closed(Said { closed_at: closed_at.is_some(), ..said });
    Item {
        project: url.as_deref().and_then(address).and_then(|a| a.project),
        number,
        remote_id: text(value, &["id"]),
        title: text(value, &["title", "summary", "subject", "raw_subject"]).unwrap_or_default(),
        body: body(value, &["description", "body"]),
        url,
        closed,
        reason: said.resolution.filter(|r| is_resolution(r)).or(said.word).map(str::to_owned),
        author: text(
            value,
            &[
                "author.username",
                "author.login",
                "author.name",
                "creator.name",
                "reporter.login",
                "reporter.name",
                "user.login",
                "author",
            ],
        ),
        labels: names(value, "labels"),
        milestone: text(value, &["milestone.title", "fixed_version.name", "milestone"]),
        created: time(value, &["created_at", "createdAt", "created_on", "created"]),
        updated: time(value, &["updated_at", "updatedAt", "updated_on", "updated"]),
        closed_at,
        ..Item::default()
    }
}

/// Returns the item, followed by its comments.
fn with_comments(mut item: Item, comments: Vec<Comment>, bytes: &[u8]) -> Vec<Piece> {
    let project = item.project.clone();
    item.comments = comments.len() as u64;
    let of = item.updated.or(item.created);
    let mut out = vec![Piece::Record(item.record(bytes.to_vec()))];
    for (place, comment) in comments.into_iter().enumerate() {
        let raw = format!("{}\n{}", comment.author.as_deref().unwrap_or_default(), comment.body).into_bytes();
        let comment = Comment { project: project.clone(), ..comment };
        out.push(Piece::Record(comment.record(of, &place.to_string(), raw)));
    }
    out
}

/// Returns whether a GitLab record is a merge request.
pub fn is_merge_request(value: &Value) -> bool {
    ["source_branch", "sourceBranch", "merge_status"].iter().any(|n| value.get(*n).is_some())
}

/// Parses an issue of GitLab's APIs or project exports.
fn gitlab(value: &Value, bytes: &[u8], known: &Known) -> Result<Vec<Piece>, String> {
    let number = number(value, &["iid"])?;
    let address = text(value, &["web_url", "webUrl"]).unwrap_or_default();
    if is_merge_request(value) || address.contains("/merge_requests/") {
        return Err("a merge request: its number would conflict with an issue".to_owned());
    }
    let word = text(value, &["state"]);
    let mut item = item(value, number, known, Said { word: word.as_deref(), ..Said::default() });
    item.reason = None;
    if item.labels.is_empty() {
        item.labels =
            list(value, "label_links").into_iter().filter_map(|l| text(l, &["label.title"])).collect();
    }
    let url = item.url.clone();
    let project = item.project.clone();
    let mut comments = Vec::new();
    for note in list(value, "notes") {
        if note.get("system").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let id = text(note, &["id"]);
        let url = url.as_ref().zip(id).map(|(u, id)| format!("{u}#note_{id}"));
        comments.push(Comment { url, ..note_of(note, number) });
    }
    let of = Identity { project, number };
    let twin = text(value, &["_links.closed_as_duplicate_of"]).and_then(|url| {
        let (there, n) = url.split_once("/projects/")?.1.split_once("/issues/")?;
        (text(value, &["project_id"]).as_deref() == Some(there)).then(|| item_number(n))?
    });
    if twin.is_some() {
        item.reason = Some("duplicate".to_owned());
    }
    let mut out = with_comments(item, comments, bytes);
    if let Some(twin) = twin {
        let other = Identity { number: twin, ..of.clone() };
        out.push(Piece::Link(of, other, Tie::DuplicateOf));
    }
    Ok(out)
}

/// Parses a GitLab note outside of its issue.
fn note(value: &Value) -> Result<Vec<Piece>, String> {
    if value.get("system").and_then(Value::as_bool) == Some(true) {
        return Ok(Vec::new());
    }
    if text(value, &["noteable_type"]).is_some_and(|kind| kind != "Issue") {
        return Err("a note on something other than an issue".to_owned());
    }
    let comment = note_of(value, number(value, &["noteable_iid"])?);
    let raw = comment.body.clone().into_bytes();
    Ok(vec![Piece::Record(comment.record(None, "0", raw))])
}

fn note_of(note: &Value, number: u64) -> Comment {
    Comment {
        number,
        id: text(note, &["id"]),
        author: text(note, &["author.username", "author.name"]),
        body: text(note, &["note", "body"]).unwrap_or_default(),
        hidden: note.get("internal").and_then(Value::as_bool) == Some(true),
        at: time(note, &["created_at", "createdAt"]),
        updated: time(note, &["updated_at", "updatedAt"]),
        ..Comment::default()
    }
}

/// Parses a bug of Bugzilla's REST responses or of its XML.
fn bugzilla(value: &Value, bytes: &[u8], known: &Known) -> Result<Vec<Piece>, String> {
    let number = number(value, &["id", "bug_id"])?;
    let (word, resolution) = (text(value, &["status", "bug_status"]), text(value, &["resolution"]));
    let said = Said { word: word.as_deref(), resolution: resolution.as_deref(), ..Said::default() };
    let mut item = item(value, number, known, said);
    item.remote_id = Some(number.to_string());
    item.title = text(value, &["summary", "short_desc"]).unwrap_or_default();
    item.author = text(value, &["creator", "reporter", "reporter.#text"]);
    item.milestone = text(value, &["target_milestone"]).filter(|m| m != "---");
    item.labels = names(value, "keywords");
    item.labels.extend(text(value, &["component"]));
    item.created = time(value, &["creation_time", "creation_ts"]);
    item.updated = time(value, &["last_change_time", "delta_ts"]);
    item.closed_at = time(value, &["cf_last_resolved"]);
    if let Some(open) = value.get("is_open").and_then(Value::as_bool) {
        item.closed = !open;
    }
    let told = if value.get("comments").is_some() { "comments" } else { "long_desc" };
    let mut comments = Vec::new();
    for (place, said) in list(value, told).into_iter().enumerate() {
        let words = text(said, &["text", "thetext"]).unwrap_or_default();
        // The first comment is the description.
        if place == 0
            && item.body.is_empty()
            && text(said, &["count", "comment_count"]).is_none_or(|c| c == "0")
        {
            item.author = item.author.or_else(|| text(said, &["creator", "who", "who.#text"]));
            item.body = words;
            continue;
        }
        comments.push(said_of_bug(said, number));
    }
    let mut out = with_comments(item, comments, bytes);
    let of = |number| Identity { project: None, number };
    for (names, tie) in [(&["dupe_of", "dup_id"], Tie::DuplicateOf)] {
        if let Ok(other) = self::number(value, names) {
            out.push(Piece::Link(of(number), of(other), tie));
        }
    }
    let beside = match value.get("see_also") {
        Some(Value::String(one)) => vec![one.as_str()],
        _ => list(value, "see_also").into_iter().filter_map(Value::as_str).collect(),
    };
    for other in beside.into_iter().filter_map(identity) {
        out.push(Piece::Link(of(number), other, Tie::RelatesTo));
    }
    Ok(out)
}

/// Parses Bugzilla's comment response: by bug, the description first.
fn comments_of_bugs(value: &Value) -> Result<Vec<Piece>, String> {
    let mut out = Vec::new();
    for (bug, held) in value.get("bugs").and_then(Value::as_object).into_iter().flatten() {
        let number = item_number(bug).ok_or_else(|| format!("\"{}\" is not a bug number", short(bug)))?;
        for (place, said) in list(held, "comments").into_iter().enumerate() {
            let comment = said_of_bug(said, number);
            let raw = comment.body.clone().into_bytes();
            out.push(Piece::Record(comment.record(None, &place.to_string(), raw)));
        }
    }
    Ok(out)
}

/// Parses a Bugzilla comment, by the field names of REST and XML.
fn said_of_bug(said: &Value, number: u64) -> Comment {
    Comment {
        number,
        id: text(said, &["id", "commentid"]),
        author: text(said, &["creator", "author", "who", "who.#text"]),
        body: text(said, &["text", "thetext"]).unwrap_or_default(),
        hidden: text(said, &["is_private", "isprivate"]).is_some_and(|p| p == "1")
            || said.get("is_private").and_then(Value::as_bool) == Some(true),
        at: time(said, &["creation_time", "time", "bug_when"]),
        ..Comment::default()
    }
}

/// Parses a Zendesk ticket of the API, or of an export that contains the comments.
fn zendesk(value: &Value, bytes: &[u8], known: &Known) -> Result<Vec<Piece>, String> {
    let number = number(value, &["id"])?;
    let word = text(value, &["status"]);
    let mut item = item(value, number, known, Said { word: word.as_deref(), ..Said::default() });
    // The web address is more useful than the API address.
    let page = |url: String| match url.split_once("/api/v2/tickets/") {
        Some((host, id)) => format!("{host}/agent/tickets/{}", id.trim_end_matches(".json")),
        None => url,
    };
    item.url = item.url.map(page);
    item.labels = names(value, "tags");
    item.closed_at = time(value, &["solved_at", "metric_set.solved_at", "closed_at"]);
    item.author = text(value, &["requester.name", "submitter.name", "requester_id", "submitter_id"]);
    let (person, name) = (text(value, &["requester_id", "submitter.id"]), item.author.clone());
    let mut comments = Vec::new();
    for said in list(value, "comments") {
        let words = body(said, &["plain_body", "body", "html_body"]);
        // The first comment is the description.
        if words.trim() == item.body.trim() && comments.is_empty() {
            continue;
        }
        let author = text(said, &["author.name", "author_id"]);
        comments.push(Comment {
            number,
            id: text(said, &["id"]).map(|id| format!("{number}-{id}")),
            author: if author == person { name.clone() } else { author },
            body: words,
            hidden: said.get("public").and_then(Value::as_bool) == Some(false),
            at: time(said, &["created_at"]),
            ..Comment::default()
        });
    }
    Ok(with_comments(item, comments, bytes))
}

/// Parses a Jira issue with the parser of live mirrors.
fn jira_issue(value: &Value, bytes: &[u8], known: &Known) -> Result<Vec<Piece>, String> {
    let raw = String::from_utf8_lossy(bytes);
    let key = text(value, &["key"]).unwrap_or_default();
    let of = identity(&key).ok_or_else(|| format!("\"key\" does not end in a number: {}", short(&key)))?;
    let project = of.project.clone().unwrap_or_default();
    let address = text(value, &["self"]).unwrap_or_default();
    let base = host(&address).map_or_else(String::new, |host| format!("https://{host}"));
    let (mut item, relations) = jira::issue(&raw, &base, "", &project)?;
    item.repository = of.project.clone();
    item.remote_id = Some(key.clone());
    // That parser needs status categories, which a file may lack.
    if text(value, &["fields.status.statusCategory.key"]).is_none() {
        let (word, resolution) =
            (text(value, &["fields.status.name"]), text(value, &["fields.resolution.name"]));
        let closed_at = time(value, &["fields.resolutiondate"]);
        let closed = known.closed(Said {
            word: word.as_deref(),
            category: text(value, &["fields.status.statusCategory.name"]).as_deref(),
            resolution: resolution.as_deref(),
            closed_at: closed_at.is_some(),
        });
        item.state = Some(if closed { State::Closed } else { State::Open });
        item.closed_at = closed_at.filter(|_| closed);
    }
    item.url = item.url.filter(|_| !base.is_empty());
    let mut comments = Vec::new();
    let (_, said, _) = jira::comments_of(&raw).unwrap_or_default();
    for comment in said {
        let mut comment = jira::comment(comment.get(), &key, &base)?;
        comment.repository = of.project.clone();
        comment.url = comment.url.filter(|_| !base.is_empty());
        comments.push(Piece::Record(Record::Comment(Box::new(comment))));
    }
    item.comment_count = comments.len() as u64;
    let mut out = vec![Piece::Record(Record::Document(Box::new(item)))];
    out.extend(comments);
    for relation in relations {
        let (tie, other) = match relation {
            Relation::DuplicateOf(_, other) => (Tie::DuplicateOf, other),
            Relation::ClosedBy(_, other) | Relation::RelatesTo(_, other) => (Tie::RelatesTo, other),
        };
        if let Some(other) = identity(other.trim_start_matches('/')) {
            out.push(Piece::Link(of.clone(), other, tie));
        }
    }
    Ok(out)
}

/// Parses a Redmine issue.
fn redmine_issue(value: &Value, bytes: &[u8], known: &Known) -> Result<Vec<Piece>, String> {
    let number = number(value, &["id"])?;
    let word = text(value, &["status.name", "status"]);
    let mut item = item(value, number, known, Said { word: word.as_deref(), ..Said::default() });
    if value.get("status").and_then(|s| s.get("is_closed")).and_then(Value::as_bool) == Some(true) {
        item.closed = true;
    }
    item.body = redmine::markdown(text(value, &["description"]));
    item.labels = ["tracker.name", "category.name"].iter().filter_map(|n| text(value, &[n])).collect();
    let mut comments = Vec::new();
    for journal in list(value, "journals") {
        let Some(notes) = text(journal, &["notes"]) else { continue };
        comments.push(Comment {
            number,
            id: text(journal, &["id"]),
            author: text(journal, &["user.name"]),
            body: redmine::markdown(Some(notes)),
            hidden: journal.get("private_notes").and_then(Value::as_bool) == Some(true),
            at: time(journal, &["created_on"]),
            ..Comment::default()
        });
    }
    let mut out = with_comments(item, comments, bytes);
    for relation in list(value, "relations") {
        let end = |name: &str| {
            self::number(relation, &[name]).ok().map(|number| Identity { project: None, number })
        };
        if let (Some(from), Some(to), Some(kind)) =
            (end("issue_id"), end("issue_to_id"), text(relation, &["relation_type"]))
        {
            let (from, to) = if kind == "duplicated" { (to, from) } else { (from, to) };
            let tie = if kind.starts_with("duplicate") { Tie::DuplicateOf } else { Tie::RelatesTo };
            out.push(Piece::Link(from, to, tie));
        }
    }
    Ok(out)
}

/// Parses a Linear issue.
fn linear(value: &Value, bytes: &[u8], known: &Known) -> Result<Vec<Piece>, String> {
    let key = text(value, &["identifier"]).unwrap_or_default();
    let of =
        identity(&key).ok_or_else(|| format!("\"identifier\" does not end in a number: {}", short(&key)))?;
    let word = text(value, &["state.name", "state"]);
    let category = text(value, &["state.type"]);
    let mut item = item(
        value,
        of.number,
        known,
        Said { word: word.as_deref(), category: category.as_deref(), ..Said::default() },
    );
    item.project.clone_from(&of.project);
    item.remote_id = Some(key);
    let comments = list(value, "comments").into_iter().map(|said| Comment {
        number: item.number,
        id: text(said, &["id"]),
        author: text(said, &["user.name", "user.displayName"]),
        body: text(said, &["body"]).unwrap_or_default(),
        at: time(said, &["createdAt"]),
        ..Comment::default()
    });
    let comments = comments.collect();
    let mut out = with_comments(item, comments, bytes);
    for (links, end, back) in
        [("relations", "relatedIssue.identifier", false), ("inverseRelations", "issue.identifier", true)]
    {
        for link in list(value, links) {
            let Some(other) = text(link, &[end]).as_deref().and_then(identity) else { continue };
            let (from, to) = if back { (other, of.clone()) } else { (of.clone(), other) };
            let tie = match text(link, &["type"]).as_deref() {
                Some("duplicate") => Tie::DuplicateOf,
                _ => Tie::RelatesTo,
            };
            out.push(Piece::Link(from, to, tie));
        }
    }
    Ok(out)
}

/// Parses an Azure DevOps work item.
fn azure(value: &Value, bytes: &[u8], known: &Known) -> Result<Vec<Piece>, String> {
    let number = number(value, &["id"])?;
    let Some(Value::Object(fields)) = value.get("fields") else { return Err("no \"fields\"".to_owned()) };
    // Field names contain dots, which are path separators here.
    let plain: serde_json::Map<String, Value> =
        fields.iter().map(|(name, v)| (name.replace('.', "_"), v.clone())).collect();
    let fields = Value::Object(plain);
    let word = text(&fields, &["System_State"]);
    let mut item = item(value, number, known, Said { word: word.as_deref(), ..Said::default() });
    item.title = text(&fields, &["System_Title"]).unwrap_or_default();
    let parts = ["System_Description", "Microsoft_VSTS_TCM_ReproSteps", "Microsoft_VSTS_TCM_SystemInfo"];
    item.body = parts
        .map(|n| body(&fields, &[n]))
        .into_iter()
        .filter(|b| !b.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n");
    item.reason = text(&fields, &["Microsoft_VSTS_Common_ResolvedReason", "System_Reason", "System_State"]);
    item.author = text(&fields, &["System_CreatedBy.displayName", "System_CreatedBy"]);
    item.labels = names(&fields, "System_Tags");
    item.milestone = text(&fields, &["System_IterationPath"]);
    item.created = time(&fields, &["System_CreatedDate"]);
    item.updated = time(&fields, &["System_ChangedDate"]);
    item.closed_at =
        time(&fields, &["Microsoft_VSTS_Common_ClosedDate", "Microsoft_VSTS_Common_ResolvedDate"]);
    item.url = text(value, &["_links.html.href"]);
    let comments = list(value, "comments").into_iter().map(|said| Comment {
        number,
        id: text(said, &["id"]),
        author: text(said, &["createdBy.displayName"]),
        body: body(said, &["text"]),
        at: time(said, &["createdDate"]),
        ..Comment::default()
    });
    let comments = comments.collect();
    Ok(with_comments(item, comments, bytes))
}

/// Parses a YouTrack issue.
fn youtrack(value: &Value, bytes: &[u8], known: &Known) -> Result<Vec<Piece>, String> {
    let key = text(value, &["idReadable"]).unwrap_or_default();
    let of =
        identity(&key).ok_or_else(|| format!("\"idReadable\" does not end in a number: {}", short(&key)))?;
    let field = |name: &str| {
        list(value, "customFields")
            .into_iter()
            .find(|f| f.get("name").and_then(Value::as_str) == Some(name))
            .and_then(|f| text(f, &["value.name", "value"]))
    };
    let word = field("State");
    let mut item = item(value, of.number, known, Said { word: word.as_deref(), ..Said::default() });
    item.closed |= item.closed_at.is_some();
    item.project = of.project;
    item.remote_id = Some(key);
    item.labels = names(value, "tags");
    let comments = list(value, "comments").into_iter().filter(|said| said["deleted"] != true);
    let comments = comments.map(|said| Comment {
        number: item.number,
        id: text(said, &["id"]),
        author: text(said, &["author.login", "author.name"]),
        body: text(said, &["text"]).unwrap_or_default(),
        at: time(said, &["created"]),
        ..Comment::default()
    });
    let comments = comments.collect();
    Ok(with_comments(item, comments, bytes))
}

/// Parses a GitHub public event: the item at that time, and the comment.
fn event(value: &Value) -> Result<Vec<Piece>, String> {
    let repository = text(value, &["repo.name"]);
    let payload = value.get("payload").cloned().unwrap_or_default();
    let mut out = Vec::new();
    for name in ["issue", "pull_request", "comment"] {
        let Some(part) = payload.get(name).filter(|p| p.is_object()) else { continue };
        for mut record in github::records(part.to_string().as_bytes())? {
            match &mut record {
                Record::Document(d) => {
                    d.repository = repository.clone().or_else(|| d.repository.take());
                    if name == "pull_request" {
                        d.kind = DocKind::PullRequest;
                    }
                }
                Record::Comment(c) => c.repository = repository.clone().or_else(|| c.repository.take()),
            }
            out.push(Piece::Record(record));
        }
    }
    Ok(out)
}

/// Parses the output of a command that was printed without numbers.
fn numberless(value: &Value, bytes: &[u8], place: u64, known: &Known) -> Result<Vec<Piece>, String> {
    let word = text(value, &["state", "status"]);
    let reason = text(value, &["stateReason", "state_reason"]);
    let mut item = item(value, place, known, Said { word: word.as_deref(), ..Said::default() });
    item.reason = reason;
    Ok(vec![Piece::Record(item.record(bytes.to_vec()))])
}
