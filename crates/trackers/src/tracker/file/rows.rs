//! Converts table rows to items, comments and links.

use csv::StringRecord;
use jiff::Timestamp;

use super::{
    names::{duplicate_direction, has_role, normalize},
    parsed_item::{self, Comment, ItemRelation, ParseResult, ParsedItem, item_record, replace_nul},
    states::is_resolution,
    table::Plan,
    xml,
};
use crate::tracker::{
    dates,
    identity::{Identity, parse_reference, parse_url},
    redmine,
};
use precedent_core::model::{Author, DocKind, DocumentRecord, MAX_NUMBER};
use precedent_markup::{Markup, html_to_markdown, storage_format};
use precedent_text::html;

/// A row of a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// Position among the rows, from 1.
    pub position: u64,
    pub cells: StringRecord,
    /// Number cell of the previous row's item, if this row only adds comments to it.
    pub continued_key: Option<String>,
}

pub fn parse_row(plan: &Plan, row: &Row) -> ParseResult {
    parse_with_raw(plan, row, stored_cells(plan, &row.cells))
}

/// Parses a row with these raw bytes.
pub fn parse_with_raw(plan: &Plan, row: &Row, raw: Vec<u8>) -> ParseResult {
    let identity = row_identity(plan, row)?;
    let cells = &row.cells;
    let time = |field: &str| {
        plan.cells(cells, field).find_map(|(index, text)| dates::parse(text, plan.order(index)))
    };
    let (created_at, updated_at, closed_at) = (time("created"), time("updated"), time("closed"));
    let mut out = comments(plan, row, &identity, updated_at.or(created_at))?;
    if row.continued_key.is_some() {
        return Ok(out);
    }
    let state = plan.state(cells, closed_at.is_some());
    // "Closed" by itself is not a reason.
    let word =
        state.word.filter(|w| !matches!(normalize(w).as_str(), "closed" | "open" | "opened"));
    let reason = state.resolution.filter(|r| is_resolution(r)).or(word);
    // The web address is more useful than the API address.
    let url = plan.cell(cells, "url").map(|url| match url.split_once("/api/v2/tickets/") {
        Some((host, id)) => format!("{host}/agent/tickets/{}", id.trim_end_matches(".json")),
        None => url.to_owned(),
    });
    let mut title = plan.cell(cells, "title").unwrap_or_default().to_owned();
    let body = body(plan, cells);
    if title.is_empty() && body.is_empty() {
        return Err("no title".to_owned());
    }
    if plan.cells(cells, "body").any(|(_, text)| html_to_markdown::is_html(text)) {
        title = html::decode_entities(&title);
    }
    let key_project = identity.project.as_ref().filter(|p| !p.contains('/'));
    let is_pull = url.as_deref().is_some_and(|u| u.contains("/pull/"));
    let item = DocumentRecord {
        repository: identity.project.clone(),
        kind: if is_pull { DocKind::PullRequest } else { DocKind::Issue },
        number: Some(identity.number),
        remote_id: key_project.map(|p| format!("{p}-{}", identity.number)),
        title,
        body,
        url,
        state: parsed_item::state(plan.state_words.resolve(state).0),
        state_reason: reason.map(str::to_owned),
        author: Author { login: plan.cell(cells, "author").map(person_name), ..Author::default() },
        labels: labels(plan, cells),
        milestone: plan.cell(cells, "milestone").map(str::to_owned),
        comment_count: out.len() as u64,
        created_at,
        updated_at,
        closed_at,
        ..DocumentRecord::default()
    };
    out.insert(0, ParsedItem::Record(item_record(item, raw)));
    links(plan, cells, &identity, &mut out);
    Ok(out)
}

/// Returns the item of a row, or the reason why its number cannot be used.
fn row_identity(plan: &Plan, row: &Row) -> Result<Identity, String> {
    let key = row.continued_key.as_deref().or_else(|| plan.cell(&row.cells, "number"));
    let url = plan.cell(&row.cells, "url").filter(|u| u.contains("://"));
    let Some(key) = key else {
        if let Some(identity) = url.and_then(parse_url) {
            return Ok(identity);
        }
        return match plan.is_numbered() {
            true => Err("no number".to_owned()),
            false => Ok(Identity { project: None, number: row.position }),
        };
    };
    let Identity { project, number } = parse_reference(key).ok_or_else(|| {
        let excerpt: String = key.chars().take(40).collect();
        match key.trim_end_matches(".0").ends_with(|c: char| c.is_ascii_digit()) {
            true => format!("\"{excerpt}\" is not an item number: it must be 1 to {MAX_NUMBER}"),
            false => format!("\"{excerpt}\" does not end in a number"),
        }
    })?;
    let name = plan.cell(&row.cells, "repository").filter(|name| is_repository(name));
    let same_item = || url.and_then(parse_url).filter(|parsed_url| parsed_url.number == number);
    let project = project.or_else(|| name.map(str::to_owned)).or_else(|| same_item()?.project);
    Ok(Identity { project, number })
}

/// Returns the name of a person: `Kit` of `Kit <kit@example.org>`.
pub fn person_name(name: &str) -> String {
    let name = if name.contains("://") { name.rsplit('/').next().unwrap_or(name) } else { name };
    let display_name =
        name.split('<').next().map(|n| n.trim().trim_matches('"')).filter(|n| !n.is_empty());
    display_name.unwrap_or(name).trim_matches(['~', '<', '>']).to_owned()
}

/// Returns whether a name has the form `owner/name`.
fn is_repository(name: &str) -> bool {
    let is_valid_part = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    name.split_once('/').is_some_and(|(owner, name)| is_valid_part(owner) && is_valid_part(name))
}

fn body(plan: &Plan, cells: &StringRecord) -> String {
    let mut out = String::new();
    let mut previous_name = None;
    for (index, text) in plan.cells(cells, "body") {
        let name = &plan.headers[index];
        match previous_name {
            None => {}
            Some(previous) if previous == name => out.push_str("\n\n"),
            Some(_) => out.push_str(&format!("\n\n### {name}\n\n")),
        }
        previous_name = Some(name);
        out.push_str(&markdown(plan, text));
    }
    out
}

/// Converts the markup of the tracker that wrote the table to Markdown.
pub fn markdown(plan: &Plan, text: &str) -> String {
    let text = replace_nul(text);
    match plan.tracker {
        "Jira" => Markup::Jira.to_markdown(&text),
        _ if text.contains("<ac:") || text.contains("<ri:") => storage_format::to_markdown(&text),
        _ if html_to_markdown::is_html(&text) => html_to_markdown::convert(&text),
        "Redmine" => redmine::to_markdown(Some(text)),
        _ => text,
    }
}

/// The separator of labels that may contain commas.
pub const LABEL_SEPARATOR: &str = "\u{1f}";

/// Returns the labels: the cells of a repeated column, or the parts of a cell.
fn labels(plan: &Plan, cells: &StringRecord) -> Vec<String> {
    let is_repeated =
        |index: usize| plan.headers.iter().filter(|h| **h == plan.headers[index]).count() > 1;
    let mut out: Vec<String> = Vec::new();
    for (index, text) in plan.cells(cells, "labels") {
        let is_space_separated =
            matches!(plan.tracker, "Zendesk" | "Trac") && !text.contains([',', ';']);
        let parts: Vec<&str> = match () {
            () if is_repeated(index) => vec![text],
            () if text.contains(LABEL_SEPARATOR) => text.split(LABEL_SEPARATOR).collect(),
            () if is_space_separated => text.split_whitespace().collect(),
            () => text.split([',', ';', '|', '\n']).collect(),
        };
        for part in parts.into_iter().map(str::trim).filter(|p| !p.is_empty()) {
            if !out.iter().any(|label| label == part) {
                out.push(part.to_owned());
            }
        }
    }
    out
}

/// Returns the comments of a row: Jira's `date;author;text`, or texts with author and time in other
/// columns.
fn comments(
    plan: &Plan,
    row: &Row,
    identity: &Identity,
    item_time: Option<Timestamp>,
) -> ParseResult {
    let cells = &row.cells;
    let order = plan.column("comments").map(|index| plan.order(index)).unwrap_or_default();
    let mut out: Vec<ParsedItem> = Vec::new();
    let mut times: Vec<Option<Timestamp>> = Vec::new();
    for (n, index) in plan.columns("comments").iter().enumerate() {
        let text = cells.get(*index).unwrap_or_default().trim();
        // A comment count is not a comment.
        if matches!(text, "" | "[]") || text.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        let cell = |field: &str| {
            let columns = plan.columns(field);
            let index = columns.get(n).or(columns.first())?;
            cells.get(*index).map(str::trim).filter(|t| !t.is_empty()).map(|t| (*index, t))
        };
        let mut comment = Comment {
            project: identity.project.clone(),
            number: identity.number,
            author: cell("comment author").map(|(_, t)| t.to_owned()),
            is_internal: has_role("hidden", &normalize(&plan.headers[*index])),
            created_at: cell("comment date")
                .and_then(|(index, t)| dates::parse(t, plan.order(index))),
            ..Comment::default()
        };
        let mut body = text;
        if let Some((date, rest)) = text.split_once(';')
            && let Some(time) = dates::parse(date, order)
        {
            comment.created_at = Some(time);
            let (author, rest_text) = rest.split_once(';').unwrap_or(("", rest));
            body = rest_text;
            comment.author = Some(author.trim().to_owned()).filter(|a| !a.is_empty());
        }
        comment.body = markdown(plan, body);
        // An item's comments may be in several rows, so those without a time are identified by text.
        let suffix = match (&row.continued_key, comment.created_at) {
            (Some(_), _) | (None, None) => blake3::hash(text.as_bytes()).to_hex()[..8].to_owned(),
            _ => times.iter().filter(|t| **t == comment.created_at).count().to_string(),
        };
        times.push(comment.created_at);
        out.push(ParsedItem::Record(comment.record(item_time, &suffix, text.as_bytes().to_vec())));
    }
    if out.is_empty() && row.continued_key.is_some() {
        return Err("continues the previous row and has no comment".to_owned());
    }
    Ok(out)
}

fn links(plan: &Plan, cells: &StringRecord, identity: &Identity, out: &mut Vec<ParsedItem>) {
    for (field, default_kind, is_reversed) in [
        ("duplicates", ItemRelation::DuplicateOf, false),
        ("duplicated", ItemRelation::DuplicateOf, true),
        ("related", ItemRelation::RelatesTo, false),
    ] {
        for (_, text) in plan.cells(cells, field) {
            for part in text.split([',', ';', '\n']).map(str::trim).filter(|p| !p.is_empty()) {
                let (label, key) = split_link_label(part);
                let Some(target) = parse_reference(key).filter(|o| o != identity) else { continue };
                out.push(ParsedItem::link(identity, target, &label, default_kind, is_reversed));
            }
        }
    }
}

/// Splits a link into its label and the key: "Duplicates #290" in Redmine, "APP-12 (Belt slips)" in
/// others. The number in "Belt slips 2.0" is not a key.
fn split_link_label(part: &str) -> (String, &str) {
    if part.contains("://") || !part.contains(char::is_whitespace) {
        return (String::new(), part);
    }
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_key = |word: &&str| {
        let number_start = word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (prefix, number) = word.split_at(number_start);
        let project = prefix.trim_end_matches('-');
        is_digits(number)
            && (prefix.ends_with('#')
                || (!project.is_empty() && project.chars().all(|c| c.is_ascii_uppercase())))
    };
    let mut words =
        part.split_whitespace().map(|w| w.trim_matches(['(', ')', '[', ']', ':', ',', '"']));
    if let Some(key) = words.clone().find(is_key) {
        return (part.replace(key, " ").to_lowercase(), key);
    }
    match words.next_back() {
        Some(last) if is_digits(last) => {
            let prefix = part[..part.len() - last.len()].to_lowercase();
            let is_link_label = duplicate_direction(&prefix).is_some()
                || ["relat", "block", "depend", "bug", "issue", "ticket", "clone"]
                    .iter()
                    .any(|w| prefix.contains(w))
                || prefix.split_whitespace().all(is_digits);
            if is_link_label { (prefix, last) } else { (String::new(), "") }
        }
        _ => (String::new(), ""),
    }
}

/// Returns the stored form of a row: cells by column name, with repeated columns combined, without
/// comments.
fn stored_cells(plan: &Plan, cells: &StringRecord) -> Vec<u8> {
    let mut out = serde_json::Map::new();
    let comments = plan.columns("comments");
    for (index, (name, text)) in plan.headers.iter().zip(cells.iter()).enumerate() {
        if comments.contains(&index) {
            continue;
        }
        xml::add_child(&mut out, name.clone(), text.into());
    }
    serde_json::Value::Object(out).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_core::model::Record;

    #[test]
    fn work_notes_are_internal() {
        let names = ["number", "short_description", "comments", "work_notes"];
        let plan = Plan::for_record(names.map(str::to_owned).into(), &[], &Default::default());
        let cells = ["INC1", "Mail stuck", "We restart it.", "Ask the supplier."];
        let row = Row { position: 1, cells: cells.into_iter().collect(), continued_key: None };
        let items = parse_row(&plan, &row).unwrap();
        let comments = items.iter().filter_map(|item| match item {
            ParsedItem::Record(Record::Comment(comment)) => Some(comment.author.is_internal()),
            _ => None,
        });
        assert_eq!(comments.collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn person_has_a_readable_name() {
        for (text, name) in [
            ("Kit <kit@mill.example>", "Kit"),
            ("<kit@mill.example>", "kit@mill.example"),
            ("https://x.example/~kit", "kit"),
        ] {
            assert_eq!(person_name(text), name);
        }
    }
}
