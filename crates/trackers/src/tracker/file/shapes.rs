//! Parsers of records: for tracker-specific formats, and for all others by their shape.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    chat, columns,
    context::FileContext,
    pages,
    parsed_item::{Comment, ItemRelation, ParseResult, ParsedItem, state},
    prose::has_same_words,
    rows::{self, Row},
    shape::{Post, Shape, parse_post, scalar},
    states::{StateFields, StateWords},
    table::Plan,
};
use crate::tracker::{
    Relation as TrackerRelation, dates, github,
    identity::{Identity, hash_number, host, parse_reference, parse_strict, parse_url},
    jira,
};
use precedent_core::model::{DocKind, Record, item_number};

/// Parses a record; `None` if it is neither an item nor a message.
pub fn parse_value(
    value: &Value,
    bytes: &[u8],
    position: u64,
    context: &FileContext,
) -> Option<ParseResult> {
    let has = |name: &str| value.get(name).is_some();
    Some(match () {
        () if has("payload") && has("repo") && has("type") => parse_github_event(value),
        () if has("action") && (has("issue") || has("pull_request")) && has("repository") => {
            let name = text(value, &["repository.full_name"]);
            parse_github_event(&json!({ "repo": { "name": name }, "payload": value }))
        }
        () if chat::is_message(value) => Ok(chat::parse_message(value, bytes, context)),
        () if value.pointer("/body").is_some_and(Value::is_object) && has("title") => {
            match pages::parse_api_page(value, bytes) {
                Some(page) => Ok(vec![ParsedItem::Record(page.into())]),
                None => return parse_item(value, bytes, position, context),
            }
        }
        () if value.get("bugs").is_some_and(Value::is_object) => parse_bugzilla_comments(value),
        () if has("bug_id") && has("error") => Err(format!(
            "Bugzilla did not return it: {}",
            text(value, &["error"]).unwrap_or_default()
        )),
        () if has("key") && has("summary") && has("link") => {
            parse_jira_xml(value, bytes, position, context)
        }
        () if has("key") && value.get("fields").is_some_and(|f| f.get("summary").is_some()) => {
            parse_jira_issue(value, bytes, context)
        }
        () if has("iid") && is_merge_request(value) => {
            Err("a merge request: its number would conflict with an issue".to_owned())
        }
        () => return parse_item(value, bytes, position, context),
    })
}

/// Returns whether a record has its own number.
pub fn is_numbered(value: &Value, context: &FileContext) -> bool {
    Shape::new(value)
        .is_some_and(|shape| shape.plan(&context.mapping.words).column("number").is_some())
}

/// Parses a record by its shape: an item with its messages, or a message of an item.
pub fn parse_item(
    value: &Value,
    bytes: &[u8],
    position: u64,
    context: &FileContext,
) -> Option<ParseResult> {
    let mut shape = Shape::new(value)?;
    let mut plan = shape.plan(&context.mapping.words);
    if !shape.is_item(&plan) {
        return parse_message(value, &shape);
    }
    if let Some(column) = plan.column("number") {
        if parse_strict(&shape.cells[column]).is_none() {
            let is_number = |column: &usize| {
                columns::field(&shape.headers[*column]).is_some_and(|(field, _)| field == "number")
                    && parse_strict(&shape.cells[*column]).is_some()
            };
            shape.cells[column] = match (0..shape.headers.len()).find(is_number) {
                Some(number_column) => shape.cells[number_column].clone(),
                None => {
                    context.add_notice(
                        "ids are not numbers: items are numbered by a hash of their id",
                    );
                    hash_number(&shape.cells[column]).to_string()
                }
            };
        }
    } else if plan.column("url").is_none_or(|column| parse_url(&shape.cells[column]).is_none()) {
        if context.has_item_numbers {
            return Some(Err("no number, which other items in the file have".to_owned()));
        }
        context.add_notice("items have no number: they are numbered by their position in the file");
        shape.add_cell("number", &position.to_string());
    }
    if let Some(column) = plan.column("author")
        && let Some(name) = shape.people.get(&shape.cells[column])
    {
        shape.cells[column].clone_from(name);
    }
    if shape.has_answer {
        plan.columns("state")
            .iter()
            .for_each(|index| "closed".clone_into(&mut shape.cells[*index]));
        shape.add_cell("resolution", "completed");
    }
    // Without a description, the first message may be the report.
    let may_have_report = plan.column("body").is_none() && !shape.has_description;
    if may_have_report && shape.posts.first().is_some_and(|first| is_report(first, &shape, &plan)) {
        let first = shape.posts.remove(0).comment;
        shape.add_cell("body", &first.body);
        let author = first.author.filter(|_| plan.column("author").is_none());
        author.into_iter().for_each(|author| shape.add_cell("author", &author));
    }
    plan = shape.plan(&context.mapping.words);
    let row = Row { position, cells: shape.cells.iter().collect(), continued_key: None };
    context.is_closed(
        &plan.state_words,
        plan.state(&row.cells, plan.cell(&row.cells, "closed").is_some()),
    );
    let items = rows::parse_with_raw(&plan, &row, bytes.to_vec());
    Some(items.map(|items| with_thread(&plan, shape, items)))
}

/// Returns whether the first message is the report: it is public, and it is marked so or has the
/// time or the author of the item.
fn is_report(first: &Post, shape: &Shape, plan: &Plan) -> bool {
    let cell = |field: &str| plan.column(field).map(|column| shape.cells[column].as_str());
    let created_at = cell("created").and_then(|text| dates::parse(text, dates::Order::default()));
    let has_same_age = created_at
        .zip(first.comment.created_at)
        .is_some_and(|(a, b)| a.duration_since(b).abs().as_secs() < 60);
    let author = first.comment.author.as_ref();
    let has_same_author =
        author.is_some() && cell("author").map(rows::person_name).as_ref() == author;
    !first.comment.is_internal && (first.is_first || has_same_age || has_same_author)
}

/// Adds the thread and the relations of an item, which is the first of `out`.
fn with_thread(plan: &Plan, shape: Shape, mut out: Vec<ParsedItem>) -> Vec<ParsedItem> {
    let Some(ParsedItem::Record(Record::Document(item))) = out.first_mut() else { return out };
    let identity =
        Identity { project: item.repository.clone(), number: item.number.unwrap_or_default() };
    let updated_at = item.updated_at;
    let mut comments: Vec<Comment> = shape.posts.into_iter().map(|post| post.comment).collect();
    comments.iter_mut().for_each(|comment| comment.body = rows::markdown(plan, &comment.body));
    // The first message may repeat the description.
    if comments.first().is_some_and(|first| has_same_words(&first.body, &item.body)) {
        comments.remove(0);
    }
    item.comment_count += comments.len() as u64;
    for (position, comment) in comments.into_iter().enumerate() {
        out.push(to_comment(comment, identity.clone(), updated_at, position));
    }
    for link in shape.links {
        let Some(target) = link.items.iter().find(|end| **end != identity) else { continue };
        let item =
            ParsedItem::link(&identity, target.clone(), &link.kind, ItemRelation::RelatesTo, false);
        // The relation may be stated from the perspective of the other item.
        let is_reversed =
            link.is_inverse || link.items.len() > 1 && link.items[0].number == identity.number;
        out.push(match item {
            ParsedItem::Link(from, to, kind) if is_reversed => ParsedItem::Link(to, from, kind),
            item => item,
        });
    }
    out
}

/// Converts a message of an item to a comment.
fn to_comment(
    comment: Comment,
    identity: Identity,
    item_time: Option<Timestamp>,
    position: usize,
) -> ParsedItem {
    let author = comment.author.as_deref().unwrap_or_default();
    let raw = format!("{author}\n{}", comment.body).into_bytes();
    // A prefix distinguishes comments of discussions, which are numbered separately.
    let is_in_discussion = comment.url.as_ref().is_some_and(|url| url.contains("/discussions/"));
    let id = comment.id.map(|id| format!("{}{id}", if is_in_discussion { "d" } else { "" }));
    let comment = Comment { project: identity.project, number: identity.number, id, ..comment };
    ParsedItem::Record(comment.record(item_time, &position.to_string(), raw))
}

/// Parses a separate message that names its item, or a list of them.
fn parse_message(value: &Value, shape: &Shape) -> Option<ParseResult> {
    if text(value, &["noteable_type"]).is_some_and(|kind| kind != "Issue") {
        return Some(Err("a note on something other than an issue".to_owned()));
    }
    if value["system"] == true {
        return Some(Ok(Vec::new()));
    }
    let single: Vec<Post> = parse_post(value).into_iter().collect();
    let posts = if single.iter().any(|p| p.item.is_some() || p.comment.url.is_some()) {
        single
    } else {
        shape.posts.clone()
    };
    let plan = shape.plan(&StateWords::default());
    let comments = posts.into_iter().enumerate().filter_map(|(position, post)| {
        let comment = post.comment;
        let identity = comment.url.as_deref().and_then(parse_url).or(post.item)?;
        let body = rows::markdown(&plan, &comment.body);
        Some(to_comment(Comment { body, ..comment }, identity, None, position))
    });
    Some(comments.collect::<Vec<_>>()).filter(|comments| !comments.is_empty()).map(Ok)
}

/// Parses an item of Jira's XML, whose title contains the key.
fn parse_jira_xml(
    value: &Value,
    bytes: &[u8],
    position: u64,
    context: &FileContext,
) -> ParseResult {
    let mut item = value.clone();
    if let Some(fields) = item.as_object_mut() {
        fields.remove("title");
        if let Some(kind) = fields.remove("type") {
            fields.insert("issue type".to_owned(), kind);
        }
    }
    let mut out = parse_item(&item, bytes, position, context).ok_or("not an issue")??;
    let Some(identity) = text(value, &["key.#text", "key"]).as_deref().and_then(parse_reference)
    else {
        return Ok(out);
    };
    for kind in list(&value["issuelinks"], "issuelinktype") {
        for (direction, is_inward) in [("outwardlinks", false), ("inwardlinks", true)] {
            for links in list(kind, direction) {
                let label = text(links, &["description"]).or_else(|| text(kind, &["name"]));
                let label = label.unwrap_or_default();
                let links = list(links, "issuelink").into_iter();
                let keys = links.filter_map(|l| text(l, &["issuekey.#text", "issuekey"]));
                out.extend(keys.filter_map(|key| parse_reference(&key)).map(|target| {
                    let relation = ItemRelation::RelatesTo;
                    ParsedItem::link(&identity, target, &label, relation, is_inward)
                }));
            }
        }
    }
    Ok(out)
}

/// Returns the first text or number among these fields; `a.b` is `b` in `a`.
fn text(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| scalar(name.split('.').try_fold(value, |v, part| v.get(part))?))
}

fn excerpt(text: &str) -> String {
    text.chars().take(40).collect()
}

fn list<'a>(value: &'a Value, name: &str) -> Vec<&'a Value> {
    match value.get(name) {
        Some(Value::Array(items)) => items.iter().collect(),
        // A one-element list in XML is parsed as the element itself.
        Some(object @ Value::Object(_)) => vec![object],
        _ => Vec::new(),
    }
}

/// Returns whether a GitLab record is a merge request.
pub fn is_merge_request(value: &Value) -> bool {
    ["source_branch", "sourceBranch", "merge_status"].iter().any(|n| value.get(*n).is_some())
        || text(value, &["web_url", "webUrl"]).is_some_and(|url| url.contains("/merge_requests/"))
}

/// Parses Bugzilla's comment response: comments by bug, the description first.
fn parse_bugzilla_comments(value: &Value) -> ParseResult {
    let mut out = Vec::new();
    for (bug, entry) in value.get("bugs").and_then(Value::as_object).into_iter().flatten() {
        let number =
            item_number(bug).ok_or_else(|| format!("\"{}\" is not a bug number", excerpt(bug)))?;
        for (position, message) in list(entry, "comments").into_iter().enumerate() {
            if let Some(post) = parse_post(message) {
                let identity = Identity { project: None, number };
                out.push(to_comment(post.comment, identity, None, position));
            }
        }
    }
    Ok(out)
}

fn parse_jira_issue(value: &Value, bytes: &[u8], context: &FileContext) -> ParseResult {
    let raw = String::from_utf8_lossy(bytes);
    let key = text(value, &["key"]).unwrap_or_default();
    let identity = parse_reference(&key)
        .ok_or_else(|| format!("\"key\" does not end in a number: {}", excerpt(&key)))?;
    let project = identity.project.clone().unwrap_or_default();
    let address = text(value, &["self"]).unwrap_or_default();
    let base = host(&address).map_or_else(String::new, |host| format!("https://{host}"));
    let (mut item, relations) = jira::issue(&raw, &base, "", &project)?;
    item.repository = identity.project.clone();
    item.remote_id = Some(key.clone());
    // That parser needs the status category, which a file may lack.
    if text(value, &["fields.status.statusCategory.key"]).is_none() {
        let names = ["status.name", "status.statusCategory.name", "resolution.name"];
        let [word, category, resolution] = names.map(|name| text(&value["fields"], &[name]));
        let closed_at = text(value, &["fields.resolutiondate"])
            .and_then(|time| dates::parse(&time, dates::Order::default()));
        let fields = StateFields {
            word: word.as_deref(),
            category: category.as_deref(),
            resolution: resolution.as_deref(),
            has_closing_time: closed_at.is_some(),
        };
        let is_closed = context.is_closed(&context.mapping.words, fields);
        item.state = state(is_closed);
        item.closed_at = closed_at.filter(|_| is_closed);
    }
    item.url = item.url.filter(|_| !base.is_empty());
    let (_, raw_comments, _) = jira::parse_comments(&raw).unwrap_or_default();
    item.comment_count = raw_comments.len() as u64;
    let mut out = vec![ParsedItem::Record(item.into())];
    for comment in raw_comments {
        let mut comment = jira::comment(comment.get(), &key, &base)?;
        comment.repository = identity.project.clone();
        comment.url = comment.url.filter(|_| !base.is_empty());
        out.push(ParsedItem::Record(comment.into()));
    }
    for relation in relations {
        let (kind, key) = match relation {
            TrackerRelation::DuplicateOf(key) => (ItemRelation::DuplicateOf, key),
            TrackerRelation::ClosedBy(key) | TrackerRelation::RelatesTo(key) => {
                (ItemRelation::RelatesTo, key)
            }
        };
        if let Some(target) = parse_reference(key.trim_start_matches('/')) {
            out.push(ParsedItem::Link(identity.clone(), target, kind));
        }
    }
    Ok(out)
}

/// Parses a GitHub event: the item at that time, and the comment.
fn parse_github_event(value: &Value) -> ParseResult {
    let repository = text(value, &["repo.name"]);
    let payload = value.get("payload").cloned().unwrap_or_default();
    let mut out = Vec::new();
    for name in ["issue", "pull_request", "comment"] {
        let Some(part) = payload.get(name).filter(|p| p.is_object()) else { continue };
        for mut record in github::records(part.to_string().as_bytes())? {
            let project = match &mut record {
                Record::Document(d) => &mut d.repository,
                Record::Comment(c) => &mut c.repository,
            };
            *project = repository.clone().or_else(|| project.take());
            if let ("pull_request", Record::Document(item)) = (name, &mut record) {
                item.kind = DocKind::PullRequest;
            }
            out.push(ParsedItem::Record(record));
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(value: &Value) -> Vec<ParsedItem> {
        parse_item(value, b"", 1, &FileContext::default()).unwrap().unwrap()
    }

    #[test]
    fn private_note_never_becomes_the_description() {
        for is_private in [false, true] {
            let note =
                json!({"body": "The supplier is late.", "author": "kit", "private": is_private});
            let items =
                parse(&json!({"id": 7, "subject": "Rail", "author": "kit", "notes": [note]}));
            let ParsedItem::Record(Record::Document(item)) = &items[0] else { panic!("{items:?}") };
            assert_eq!((item.body.is_empty(), items.len() == 2), (is_private, is_private));
        }
    }

    #[test]
    fn listed_label_is_kept_whole() {
        let labels = ["pump, main", "waiting for an answer of Ada"];
        let objects = labels.map(|name| json!({"name": name}));
        for labels in [json!(labels), json!(objects)] {
            let items =
                parse(&json!({"id": 7, "subject": "Rail", "status": "open", "labels": labels}));
            let ParsedItem::Record(Record::Document(item)) = &items[0] else { panic!("{items:?}") };
            assert_eq!(item.labels, ["pump, main", "waiting for an answer of Ada"]);
        }
    }

    #[test]
    fn numeric_resolution_date_closes_a_jira_issue() {
        let issue = json!({"key": "PUMP-7", "fields": {
            "summary": "Leak", "status": {"name": "Done"}, "resolutiondate": 1_704_164_645_000_i64,
        }});
        let bytes = issue.to_string();
        let items = parse_jira_issue(&issue, bytes.as_bytes(), &FileContext::default()).unwrap();
        let ParsedItem::Record(Record::Document(item)) = &items[0] else { panic!("{items:?}") };
        assert_eq!(item.closed_at, Some("2024-01-02T03:04:05Z".parse().unwrap()));
    }
}
