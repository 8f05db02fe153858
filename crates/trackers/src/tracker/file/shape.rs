//! Recognizes records by their shape: fields by names in any style, and threads by elements with
//! text and an author or a time.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{
    columns,
    names::{duplicate_direction, has_role, normalize, role_rank, split_words},
    parsed_item::Comment,
    prose::is_prose,
    rows::{LABEL_SEPARATOR, person_name},
    states::StateWords,
    table::Plan,
};
use crate::tracker::{
    dates,
    graphql::nodes,
    identity::{Identity, parse_strict},
};
use precedent_markup::{adf, html_to_markdown};
use precedent_text::tokens::normalize_phrase;

const MAX_DEPTH: usize = 8;

/// A message of a thread; the text is in the markup of the tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Post {
    /// The message, whose author is an id if no name is known.
    pub comment: Comment,
    /// `true` if the message is marked as the first, the report itself.
    pub is_first: bool,
    /// Item to which the message belongs, if stated.
    pub item: Option<Identity>,
}

/// A relation of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub kind: String,
    /// Items of the relation, targets first.
    pub items: Vec<Identity>,
    /// `true` if it is stated from the perspective of the other item.
    pub is_inverse: bool,
}

/// The fields of a record as columns, and its threads and relations.
#[derive(Debug, Default)]
pub struct Shape {
    /// Names of all fields of the record itself.
    pub names: Vec<String>,
    /// Paths of the fields with a value, with dots between levels.
    pub headers: Vec<String>,
    pub cells: Vec<String>,
    pub posts: Vec<Post>,
    pub links: Vec<Link>,
    /// Columns with prose in unknown fields.
    pub prose: Vec<usize>,
    /// `true` if the record has a description field, although it may be empty.
    pub has_description: bool,
    /// `true` if the record states that it has an accepted answer.
    pub has_answer: bool,
    /// Names of the people in the record by their ids.
    pub people: BTreeMap<String, String>,
}

impl Shape {
    /// Returns the shape of a record; `None` if it is not an object.
    pub fn new(value: &Value) -> Option<Self> {
        let mut shape = Self::default();
        collect_people(value, "", &mut shape.people, 0);
        shape.add_object(value.as_object()?, "", true, 0);
        // A preview repeats the beginning of a message.
        let starts: Vec<String> =
            shape.posts.iter().map(|post| normalize_phrase(&post.comment.body)).collect();
        let cells = &shape.cells;
        shape.prose.retain(|index| {
            let text = normalize_phrase(cells[*index].trim_end_matches(['.', '…']));
            !starts.iter().any(|start| start.starts_with(&text))
        });
        for post in &mut shape.posts {
            let author = &mut post.comment.author;
            if let Some(name) = author.as_ref().and_then(|id| shape.people.get(id)) {
                *author = Some(name.clone());
            }
        }
        Some(shape)
    }

    /// Returns the columns of each field.
    pub fn plan(&self, words: &StateWords) -> Plan {
        Plan::for_record(self.headers.clone(), &self.prose, words)
    }

    /// Adds a field that is not empty.
    pub fn add_cell(&mut self, path: &str, text: &str) {
        if !matches!(text.trim(), "" | "---") {
            self.headers.push(path.to_owned());
            self.cells.push(text.to_owned());
        }
    }

    /// Adds the fields of an object; `is_own` states whether they describe the record itself.
    fn add_object(&mut self, fields: &Map<String, Value>, path: &str, is_own: bool, depth: usize) {
        for (name, value) in fields {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            self.add_value(value, &path, is_own, depth);
        }
    }

    fn add_value(&mut self, value: &Value, path: &str, is_own: bool, depth: usize) {
        let field = columns::field(path).map(|(field, _)| field);
        self.has_description |= is_own && field == Some("body");
        self.has_answer |= path == "answer_chosen_at" && value.is_string();
        if is_own {
            self.names.push(path.to_owned());
        }
        if let Some(flag) = parse_bool(value) {
            let name = split_words(path.rsplit('.').next().unwrap_or(path)).join(" ");
            self.has_answer |=
                is_own && flag && matches!(name.as_str(), "answered" | "is answered");
            if is_own && (has_role("true", &name) || has_role("false", &name)) {
                let is_closed = flag == has_role("true", &name);
                return self.add_cell("closed flag", if is_closed { "closed" } else { "open" });
            }
        }
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::String(text) => {
                // A person or a milestone may be given by its API address.
                let name = text.rsplit('/').next().map(|end| end.trim_start_matches('~'));
                let text = match (field, text.contains("://"), name) {
                    (Some("author" | "milestone"), true, Some(name)) => name,
                    _ => text,
                };
                if is_own && field.is_none() && is_prose(text) {
                    self.prose.push(self.headers.len());
                }
                self.add_cell(path, text);
            }
            Value::Number(number) => self.add_cell(path, &number.to_string()),
            Value::Array(items) => {
                self.add_list(&items.iter().collect::<Vec<_>>(), path, is_own, depth)
            }
            Value::Object(fields) => {
                let is_adf = value["type"] == "doc" && value["content"].is_array();
                if is_adf {
                    return self.add_value(&adf::to_markdown(value).into(), path, is_own, depth);
                }
                if let [v @ (Value::String(_) | Value::Number(_))] =
                    fields.values().collect::<Vec<_>>()[..]
                {
                    return self.add_value(v, path, is_own, depth);
                }
                // A one-element list in XML is parsed as the element itself: `comments.comment`.
                let single_field = fields
                    .iter()
                    .next()
                    .filter(|(key, _)| fields.len() == 1 && path.ends_with(&format!("{key}s")));
                if let Some(items) = list_elements(value).or_else(|| Some(vec![single_field?.1])) {
                    return self.add_list(&items, path, is_own, depth);
                }
                let is_short = fields.len() <= 6 && fields.values().all(|v| !has_text(v));
                match display_name(value, path) {
                    Some(name) if is_short || field.is_some_and(|f| f != "body") => {
                        self.add_cell(path, &name);
                        let inner = fields.iter().filter(|_| is_own && field == Some("state"));
                        for (key, value) in inner {
                            match key.as_str() {
                                "type" | "category" | "statusCategory" => {
                                    self.add_value(value, "status category", is_own, depth + 1)
                                }
                                _ if value.is_boolean() => {
                                    self.add_value(value, key, is_own, depth + 1)
                                }
                                _ => {}
                            }
                        }
                    }
                    _ if depth < MAX_DEPTH => {
                        let describes_record = !fields.keys().any(|key| has_role("entity", key))
                            || split_words(path).iter().all(|w| has_role("container", w));
                        self.add_object(fields, path, is_own && describes_record, depth + 1);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Adds a list: a thread, relations, custom fields, names, or other objects.
    fn add_list(&mut self, list: &[&Value], path: &str, is_own: bool, depth: usize) {
        let field = columns::field(path).map(|(field, _)| field);
        // Labels may contain commas.
        let is_labels = field == Some("labels");
        let join_labels = |labels: &[String]| -> String {
            labels.iter().flat_map(|label| [label.as_str(), LABEL_SEPARATOR]).collect()
        };
        if list.iter().all(|v| !v.is_object()) {
            let texts: Vec<String> = list.iter().filter_map(|v| scalar(v)).collect();
            let text = match is_labels {
                true => join_labels(&texts),
                false if texts.iter().any(|t| is_prose(t)) => texts.join("\n\n"),
                false => texts.join(","),
            };
            return self.add_cell(path, &text);
        }
        if depth >= MAX_DEPTH {
            return;
        }
        let posts: Vec<Post> = list.iter().flat_map(|item| parse_posts(item, 0)).collect();
        if !posts.is_empty() {
            return self.posts.extend(posts);
        }
        let links: Vec<Link> = list.iter().filter_map(|item| parse_link(item, path)).collect();
        if !links.is_empty() {
            return self.links.extend(links);
        }
        // Custom fields are objects with a name and a value.
        let pairs: Vec<(String, &Value)> =
            list.iter().filter_map(|item| custom_field(item)).collect();
        if pairs.len() == list.len() {
            return pairs
                .into_iter()
                .for_each(|(name, value)| self.add_value(value, &name, is_own, depth + 1));
        }
        let names: Vec<String> = list.iter().filter_map(|item| display_name(item, path)).collect();
        if names.len() == list.len() && (field.is_some() || list.iter().all(|v| !has_text(v))) {
            // The parts of a formatted text form one text.
            let text = match list[0].get("plain_text") {
                Some(_) => names.concat(),
                None if is_labels => join_labels(&names),
                None => names.join(","),
            };
            return self.add_cell(path, &text);
        }
        for item in list {
            match item {
                Value::Object(fields) => {
                    let is_item =
                        fields.keys().any(|n| columns::field(n).is_some_and(|f| f.0 == "title"));
                    self.add_object(fields, path, is_own && !is_item, depth + 1)
                }
                value => self.add_value(value, path, false, depth + 1),
            }
        }
    }

    /// Returns whether the record is an item. Users and projects have names and are not items.
    pub fn is_item(&self, plan: &Plan) -> bool {
        let has = |field: &&str| plan.column(field).is_some();
        let fields = ["body", "state", "created", "updated", "closed"];
        let field_count = fields.iter().filter(|f| has(f)).count();
        let has_thread = !self.posts.is_empty();
        match plan.column("title") {
            None => has_thread && (has(&"body") || has(&"state")) && has(&"number"),
            Some(title)
                if split_words(&self.headers[title]).last().is_some_and(|w| w == "name") =>
            {
                (has_thread || has(&"state")) && field_count + usize::from(has_thread) > 1
            }
            Some(_) => has_thread || field_count > 0,
        }
    }
}

/// Returns the elements of a list in an object: a connection, a list with its size, or objects by
/// id.
fn list_elements(value: &Value) -> Option<Vec<&Value>> {
    if let Some(items) = nodes(value) {
        return Some(items);
    }
    let fields = value.as_object()?;
    let mut lists = fields.values().filter_map(Value::as_array);
    if let (Some(list), None) = (lists.next(), lists.next())
        && fields.values().all(|v| {
            v.is_array() || v.is_number() || v.is_boolean() || v.is_null() || is_single_word(v)
        })
        && list.iter().any(Value::is_object)
    {
        return Some(list.iter().collect());
    }
    match fields.values().collect::<Vec<_>>()[..] {
        [Value::Array(items)] => Some(items.iter().collect()),
        // A one-element list in XML is parsed as the element itself.
        [leaf @ Value::Object(inner)] => inner.contains_key("#text").then(|| vec![leaf]),
        _ => objects_by_id(value),
    }
}

/// Returns the objects in an object whose keys are ids.
pub fn objects_by_id(value: &Value) -> Option<Vec<&Value>> {
    let fields = value.as_object()?;
    let is_id = |key: &String| key.len() > 20 || key.bytes().all(|b| b.is_ascii_digit());
    let has_only_ids =
        !fields.is_empty() && fields.iter().all(|(key, v)| v.is_object() && is_id(key));
    has_only_ids.then(|| fields.values().collect())
}

/// Parses a boolean, which is text in XML.
fn parse_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::String(text) => text.trim().to_ascii_lowercase().parse().ok(),
        _ => None,
    }
}

fn is_single_word(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.contains(' ') && text.len() < 40)
}

fn has_text(value: &Value) -> bool {
    match value {
        Value::String(text) => is_prose(text),
        Value::Array(items) => items.iter().any(|v| v.is_object() || has_text(v)),
        Value::Object(_) => true,
        _ => false,
    }
}

/// Returns a string that is not blank, or a number.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()).filter(|t| !t.trim().is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The fields with the readable name of an object, best first.
const NAME_FIELDS: &str = "display_value, displayName, display_name, plain_text, #text, login, \
    username, name, title, full_name, fullName, real_name, label, value, text, raw, identifier, \
    key, handle, email";

/// Returns the readable name of an object; for a person, possibly the first and last name.
fn display_name(value: &Value, path: &str) -> Option<String> {
    if !value.is_object() {
        return scalar(value);
    }
    let last = path.rsplit('.').next().unwrap_or(path);
    let name = NAME_FIELDS.split(", ").chain([last]).find_map(|name| match value.get(name)? {
        inner @ Value::Object(_) => display_name(inner, name),
        field => scalar(field),
    });
    name.or_else(|| {
        let part = |names: [&str; 2]| names.iter().find_map(|n| scalar(value.get(*n)?));
        let names = [part(["firstName", "first_name"]), part(["lastName", "last_name"])];
        let full_name = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
        Some(full_name).filter(|name| !name.is_empty())
    })
}

/// Collects the people in a value, which is in a field with this name.
fn collect_people(value: &Value, field: &str, out: &mut BTreeMap<String, String>, depth: usize) {
    match value {
        Value::Object(fields) => {
            let person_fields = ["email", "login", "username", "displayName", "full_name"];
            // Labels and projects have ids and names, too.
            let is_person = || {
                let role = split_words(field).join(" ");
                let role = role.strip_suffix('s').unwrap_or(&role);
                let field = columns::field(role).map(|(field, _)| field);
                has_role("author", role)
                    || field == Some("author")
                    || matches!(role, "assignee" | "people")
            };
            if let (Some(id), true) = (fields.get("id").and_then(scalar), fields.len() < 40)
                && (person_fields.iter().any(|n| fields.contains_key(*n)) || is_person())
                && let Some(name) = display_name(value, "")
            {
                out.insert(id, name);
            }
            if depth < MAX_DEPTH {
                fields.iter().for_each(|(name, v)| {
                    // Lists may be wrapped in a page, or keyed by id.
                    let is_wrapper =
                        matches!(&**name, "data" | "edges" | "items" | "node" | "nodes" | "values")
                            || name.bytes().all(|b| b.is_ascii_digit());
                    collect_people(v, if is_wrapper { field } else { name }, out, depth + 1)
                });
            }
        }
        Value::Array(items) if depth < MAX_DEPTH => {
            items.iter().for_each(|v| collect_people(v, field, out, depth + 1))
        }
        _ => {}
    }
}

fn custom_field(value: &Value) -> Option<(String, &Value)> {
    let fields = value.as_object()?;
    let names = ["customfieldname", "name", "title", "label", "field", "key", "display_name", "id"];
    let name = names.iter().find_map(|n| scalar(fields.get(*n)?))?;
    let value_names = ["value", "text", "display_value", "values", "content", "customfieldvalues"];
    let is_value =
        |key: &str| split_words(key).last().is_some_and(|w| w == "value" || w == "values");
    let value = value_names
        .iter()
        .find_map(|n| fields.get(*n))
        .or_else(|| Some(fields.iter().find(|(key, _)| is_value(key))?.1))?;
    // A name without a value is a label.
    (!value.is_null() && scalar(value).as_ref() != Some(&name)).then_some((name, value))
}

/// Parses the message in an element of a list, then those in its inner lists.
fn parse_posts(value: &Value, depth: usize) -> Vec<Post> {
    let Some(fields) = value.as_object().filter(|_| depth < 4) else { return Vec::new() };
    let mut out: Vec<Post> = parse_post(value).into_iter().collect();
    let is_post = !out.is_empty();
    for (name, inner) in fields {
        let list = inner.as_array().map(|items| items.iter().collect());
        let list = list.or_else(|| list_elements(inner));
        let list = list.filter(|_| is_post || !matches!(name.as_str(), "attachments" | "files"));
        let url = out.first().and_then(|first| first.comment.url.clone());
        for mut inner in list.into_iter().flatten().flat_map(|item| parse_posts(item, depth + 1)) {
            inner.comment.url = inner.comment.url.or_else(|| url.clone());
            out.push(inner);
        }
    }
    out
}

/// Parses a message, which has text and an author or a time.
pub fn parse_post(value: &Value) -> Option<Post> {
    let fields = value.as_object()?;
    let has_flag = |role: &str, expected: bool| {
        fields.iter().any(|(name, v)| {
            let flag = parse_bool(v).or_else(|| match scalar(v)?.as_str() {
                "1" => Some(true),
                "0" => Some(false),
                _ => None,
            });
            flag == Some(expected) && has_role(role, &split_words(name).join(" "))
        })
    };
    // Events are not messages, and neither are items.
    let kind =
        ["type", "kind", "part_type", "entry_type"].iter().find_map(|name| value[*name].as_str());
    if kind.is_some_and(|kind| has_role("event", &split_words(kind).join(" ")))
        || ["system", "deleted", "is_deleted"].iter().any(|n| value[*n] == true)
        || value["deletedAt"].is_string()
    {
        return None;
    }
    let field = |name: &str| columns::field(name).map(|(field, _)| field);
    let has = |role: &str| fields.iter().any(|(name, v)| !v.is_null() && field(name) == Some(role));
    if has("title") && has("state") && !has("author") {
        return None;
    }
    // The candidates for each part with their ranks; the lowest rank counts.
    let mut texts: Vec<(usize, bool, String)> = Vec::new();
    let mut authors: Vec<(usize, String)> = Vec::new();
    let mut times: Vec<(usize, Timestamp)> = Vec::new();
    let mut items: Vec<(usize, Identity)> = Vec::new();
    let mut out = Comment::default();
    for (name, field_value) in fields {
        let mut parts = split_words(name);
        let full_name = parts.join(" ");
        parts.retain(|w| !has_role("format", w) || matches!(w.as_str(), "text" | "content"));
        if let Some(rank) = role_rank("author", &full_name) {
            authors.extend(display_name(field_value, name).map(|name| (rank, person_name(&name))));
        }
        let time = scalar(field_value).filter(|_| !has_role("text", &full_name));
        let time = time.and_then(|text| dates::parse(&text, dates::Order::default()));
        match (time, role_rank("when", &full_name), field(name)) {
            (Some(time), _, Some("updated")) => out.updated_at = Some(time),
            (Some(time), Some(rank), _) => times.push((rank, time)),
            (Some(time), None, Some("created")) => times.push((usize::MAX, time)),
            _ => {}
        }
        let text_rank =
            role_rank("text", &parts.join(" ")).or_else(|| role_rank("text", &full_name));
        let last = parts
            .last()
            .filter(|last| matches!(last.as_str(), "text" | "body" | "content" | "message"));
        if let Some(rank) = text_rank.or_else(|| Some(100 + role_rank("text", last?)?))
            && let Some(text) = message_text(field_value)
        {
            texts.push((rank, html_to_markdown::is_html(&text), text));
        }
        if has_role("id", &full_name) {
            out.id = scalar(field_value);
        }
        if field(name) == Some("url") {
            out.url = out.url.or_else(|| scalar(field_value).filter(|url| url.contains("://")));
        }
        items.extend(named_item(name, field_value));
    }
    // The content of an attachment is an address.
    let is_file = fields.keys().any(|name| has_role("file", &split_words(name).join(" ")));
    let is_address = |text: &str| text.contains("://") && !text.contains(char::is_whitespace);
    texts.retain(|(.., text)| !(text.trim().is_empty() || is_file && is_address(text)));
    let best_text = texts.into_iter().min_by_key(|(rank, html, _)| (*rank, *html));
    let prose = || {
        let rest = fields.iter().filter(|(name, _)| field(name).is_none());
        let texts = rest.filter_map(|(_, v)| v.as_str()).filter(|t| is_prose(t));
        texts.max_by_key(|t| t.len()).map(str::to_owned)
    };
    // The text may be one level deeper: `data.text`.
    let nested_text = || {
        let inner = fields.iter().filter(|(name, v)| {
            v.is_object() && has_role("container", &split_words(name).join(" "))
        });
        inner.filter_map(|(_, v)| message_text(v)).find(|text| !text.trim().is_empty())
    };
    out.body = best_text.map(|(.., text)| text).or_else(nested_text).or_else(prose)?;
    out.author = authors.into_iter().min_by_key(|(rank, _)| *rank).map(|(_, name)| name);
    out.created_at = times.into_iter().min_by_key(|(rank, _)| *rank).map(|(_, time)| time);
    if out.author.is_none() && out.created_at.is_none() {
        return None;
    }
    let mut values = fields.iter().filter_map(|(name, v)| Some((name, display_name(v, name)?)));
    out.is_internal = has_flag("hidden", true)
        || has_flag("shown", false)
        // Only agents see the notes of Intercom.
        || value["part_type"] == "note"
        || values.any(|(name, v)| {
            has_role("audience", name) || (v.len() < 40 && has_role("hidden", &normalize(&v)))
        });
    out.is_answer = has_flag("answer", true);
    let counts = [("count", "0"), ("comment_count", "0"), ("post_number", "1")];
    // In Bugzilla's XML, the description is the first text.
    let is_first = fields.contains_key("thetext")
        || counts
            .iter()
            .any(|(name, n)| fields.get(*name).and_then(scalar).is_some_and(|count| count == *n));
    let item = items.into_iter().min_by_key(|(rank, _)| *rank).map(|(_, item)| item);
    Some(Post { comment: out, is_first, item })
}

/// Returns the text of a message, which may be an object that states its format.
fn message_text(value: &Value) -> Option<String> {
    match value {
        Value::Object(_) if value["type"] == "doc" => Some(adf::to_markdown(value)),
        Value::Object(_) => {
            let inner =
                ["raw", "content", "text", "plain", "value", "body", "storage", "html", "comment"];
            inner.iter().find_map(|name| message_text(value.get(*name)?))
        }
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// The fields that identify an item, best first.
const KEY_FIELDS: &[&str] = &["iid", "idShort", "number", "key", "identifier", "id"];

/// Returns the item in a field of a message, such as `ticket_id`, with the rank of the field.
fn named_item(name: &str, value: &Value) -> Option<(usize, Identity)> {
    let parts = split_words(name);
    let is_item_word = |word: &String| has_role("container", word) || has_role("item", word);
    match value {
        Value::Object(inner) if parts.iter().all(is_item_word) => {
            let direct = KEY_FIELDS.iter().enumerate();
            let direct = direct
                .filter_map(|(rank, key)| Some((rank, parse_strict(&scalar(inner.get(*key)?)?)?)));
            let objects = inner.iter().filter(|(_, v)| v.is_object());
            let items = objects.filter_map(|(name, v)| named_item(name, v));
            direct.chain(items).min_by_key(|(rank, _)| *rank)
        }
        Value::String(_) | Value::Number(_) if parts.len() > 1 && is_item_word(&parts[0]) => {
            let rank =
                KEY_FIELDS.iter().position(|key| parts.last().is_some_and(|last| last == key))?;
            Some((rank, parse_strict(&scalar(value)?)?))
        }
        _ => None,
    }
}

fn parse_link(value: &Value, path: &str) -> Option<Link> {
    let fields = value.as_object()?;
    let kind = fields.iter().find_map(|(name, v)| {
        let last = split_words(name).pop()?;
        let text = display_name(v, name)
            .filter(|_| matches!(last.as_str(), "type" | "kind" | "relation" | "relationship"))?;
        (duplicate_direction(&text).is_some()
            || has_role("relation", &normalize(&text).replace('-', " ")))
        .then_some(text)
    })?;
    let mut items: Vec<(bool, Identity)> = Vec::new();
    for (name, v) in fields {
        let is_target = split_words(name).iter().any(|w| has_role("target", w));
        let mut item = named_item(name, v);
        if is_target {
            item = item
                .or_else(|| named_item("issue", v))
                .or_else(|| Some((0, parse_strict(&scalar(v)?)?)));
        }
        items.extend(item.map(|(_, end)| (!is_target, end)));
    }
    items.sort_by_key(|(source, _)| *source);
    let items: Vec<_> = items.into_iter().map(|(_, end)| end).collect();
    let is_inverse = split_words(path).iter().any(|w| matches!(w.as_str(), "inverse" | "inward"));
    (!items.is_empty()).then_some(Link { kind, items, is_inverse })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn threads_are_recognized_regardless_of_field_names() {
        for list in ["notes", "conversation", "updates", "zettel"] {
            for element in [
                json!({"body": "Clean the rail.", "author": {"name": "kit"}, "created_at": "2025-03-02T09:00:00Z"}),
                json!({"body_html": "<p>Clean the rail.</p>", "from": "Kit <kit@mill.example>", "sentAt": 1740906000}),
                json!({"said": "Clean the rail with care.", "who": "kit", "when": "2025-03-02 09:00"}),
                json!({"data": {"text": "Clean the rail."}, "user": {"displayName": "kit"}, "dateCreated": "2025-03-02T09:00:00Z"}),
                json!({"content": {"raw": "Clean the rail."}, "creator": {"login": "kit"}}),
            ] {
                for holder in [
                    json!([element]),
                    json!({"nodes": [element]}),
                    json!({"total": 1, "items": [element]}),
                ] {
                    let shape =
                        Shape::new(&json!({"id": 7, "subject": "Rail squeaks", list: holder}))
                            .unwrap();
                    let [post] = &shape.posts[..] else { panic!("{list} {element} {holder}") };
                    assert!(post.comment.body.contains("Clean the rail"), "{post:?}");
                    assert!(
                        post.comment
                            .author
                            .as_deref()
                            .is_some_and(|a| a.eq_ignore_ascii_case("kit")),
                        "{post:?}"
                    );
                }
            }
        }
        // Events, attachments and subtasks are not messages.
        for element in [
            json!({"type": "system", "body": "moved to Done", "author": "kit", "created_at": "2025-03-02T09:00:00Z"}),
            json!({"name": "log.txt", "size": 5, "author": "kit", "created": "2025-03-02", "content": "https://x.example/5"}),
            json!({"id": 8, "title": "Order a rail", "status": "open", "description": "Order it from the usual shop."}),
        ] {
            assert_eq!(
                Shape::new(&json!({"id": 7, "list": [element]})).unwrap().posts,
                [],
                "{element}"
            );
        }
    }

    #[test]
    fn replies_follow_their_message_and_marks_are_kept() {
        let reply = json!({"body": "It worked.", "author": "ida"});
        let message = json!({"id": 5, "text": "Turn it off.", "author": "kit", "isAnswer": true, "public": false, "replies": [reply]});
        let shape = Shape::new(&json!({"title": "x", "comments": [message]})).unwrap();
        let marks: Vec<_> = shape
            .posts
            .iter()
            .map(|p| (p.comment.body.as_str(), p.comment.is_answer, p.comment.is_internal))
            .collect();
        assert_eq!(marks, [("Turn it off.", true, true), ("It worked.", false, false)]);
    }

    #[test]
    fn private_marks_are_recognized_in_any_form() {
        for mark in [
            json!({"private_notes": "true"}),
            json!({"isprivate": "1"}),
            json!({"public": "false"}),
            json!({"visibility": "Internal"}),
            json!({"internal": true}),
            json!({"rolelevel": "Developers"}),
            json!({"confidential": true}),
            json!({"view_state": {"id": 50, "name": "private"}}),
            json!({"type": "note-internal"}),
            json!({"part_type": "note"}),
        ] {
            let mut message = json!({"text": "Ask the supplier.", "author": "kit"});
            message.as_object_mut().unwrap().extend(mark.as_object().unwrap().clone());
            assert!(parse_post(&message).unwrap().comment.is_internal, "{message}");
        }
    }

    #[test]
    fn message_may_be_only_an_address() {
        let message = json!({"body": "https://x.example/log", "author": "kit"});
        assert_eq!(parse_post(&message).unwrap().comment.body, "https://x.example/log");
    }

    #[test]
    fn label_with_the_id_of_the_author_is_no_person() {
        let shape = Shape::new(&json!({"id": 7, "subject": "Rail squeaks", "requester_id": 5,
            "labels": [{"id": 5, "name": "bug"}], "users": [{"id": 6, "name": "Ida"}],
            "submitter": {"id": 8, "name": "Kim"}}))
        .unwrap();
        let people: Vec<_> = shape.people.iter().map(|(id, name)| format!("{id} {name}")).collect();
        assert_eq!(people, ["6 Ida", "8 Kim"]);
    }

    #[test]
    fn prose_of_unknown_fields_is_kept() {
        let shape = Shape::new(&json!({
            "id": 7, "subject": "Rail squeaks", "survey": "It was quiet for a whole day before.",
            "metadata": {"value": "The rail was bent by the fork lift."},
            "custom_fields": [{"name": "Root cause", "value": "The supplier sent soft rails this time."}],
            "creator": {"id": 1, "name": "Ida", "bio": "Likes quiet machines and long walks."},
            "project": {"id": 2, "name": "Mill", "notice": "Everything that squeaks in the mill."}
        }))
        .unwrap();
        let mut prose: Vec<&str> =
            shape.prose.iter().map(|index| shape.headers[*index].as_str()).collect();
        prose.sort_unstable();
        assert_eq!(prose, ["metadata", "survey"]);
        assert!(shape.headers.iter().any(|name| name == "Root cause"));
    }
}
