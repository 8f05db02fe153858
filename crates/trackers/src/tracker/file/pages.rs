//! Confluence pages in files: API responses, pages in storage format, and space exports.

use std::{collections::HashMap, io::Read};

use jiff::Timestamp;
use serde_json::Value;

use super::xml;
use crate::tracker::{dates, wiki};
use precedent_core::model::{DocKind, DocumentRecord, Raw};
use precedent_markup::{html_to_markdown, storage_format};
use precedent_text::html;

/// Returns whether the text is a page in storage format.
pub fn is_storage_format(text: &str) -> bool {
    !text.contains("<hibernate-generic") && (text.contains("<ac:") || text.contains("<ri:"))
}

/// Returns whether the text is the XML export of a space.
pub fn is_space_export(text: &str) -> bool {
    text.chars().take(2000).collect::<String>().contains("<hibernate-generic")
}

fn page(title: &str, storage: &str) -> DocumentRecord {
    document(title, storage_format::to_markdown(storage), storage.as_bytes().to_vec())
}

fn document(title: &str, body: String, raw: Vec<u8>) -> DocumentRecord {
    DocumentRecord {
        kind: DocKind::Page,
        slug: Some(wiki::title_slug(title)),
        title: title.trim().to_owned(),
        body,
        raw: Raw::new(raw),
        ..DocumentRecord::default()
    }
}

fn time(value: &Value, paths: &[&str]) -> Option<Timestamp> {
    paths
        .iter()
        .find_map(|path| dates::parse(value.pointer(path)?.as_str()?, dates::Order::default()))
}

/// Parses a page in an API response; `None` if it has no text in storage format.
pub fn parse_api_page(value: &Value, bytes: &[u8]) -> Option<DocumentRecord> {
    let text = |paths: &[&str]| paths.iter().find_map(|path| value.pointer(path)?.as_str());
    let storage = text(&["/body/storage/value", "/body/view/value", "/body/export_view/value"])?;
    let mut page = page(text(&["/title"])?, storage);
    let labels =
        value.pointer("/metadata/labels/results").or_else(|| value.pointer("/labels/results"));
    let labels = labels.and_then(Value::as_array).into_iter().flatten();
    page.labels =
        labels.filter_map(|label| Some(label.get("name")?.as_str()?.to_owned())).collect();
    page.author.login =
        text(&["/history/createdBy/displayName", "/version/by/displayName"]).map(str::to_owned);
    page.created_at = time(value, &["/history/createdDate", "/createdAt"]);
    page.updated_at = time(value, &["/version/when", "/version/createdAt"]).or(page.created_at);
    let base = text(&["/_links/base"]);
    page.url = base.zip(text(&["/_links/webui"])).map(|(base, path)| format!("{base}{path}"));
    page.raw = Raw::new(bytes.to_vec());
    Some(page)
}

/// Parses a page in storage format; the file name is the title.
pub fn parse_file(name: &str, storage: &str) -> DocumentRecord {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    page(&stem.replace(['-', '_'], " "), storage)
}

/// Parses a page of an HTML export; `None` for any other web page.
pub fn parse_html(text: &str) -> Option<DocumentRecord> {
    let (_, content) = text.split_once("id=\"main-content\"")?;
    let body = content.split_once('>')?.1;
    let body = body.split("<div class=\"pageSection").next().unwrap_or(body);
    let body = body.split("<div id=\"footer\"").next().unwrap_or(body);
    let title = html::to_text(text.split_once("<title>")?.1.split("</title>").next()?);
    // "Space : Page"
    let title = title.split_once(" : ").map_or(title.as_str(), |(_, title)| title).to_owned();
    Some(document(&title, html_to_markdown::convert(body), text.as_bytes().to_vec()))
}

/// Parses the current pages in an XML export of a space.
pub fn parse_space(stream: impl Read) -> Result<Vec<DocumentRecord>, String> {
    let mut objects = xml::XmlItems::new(stream, "object");
    let (mut pages, mut bodies) = (Vec::new(), HashMap::new());
    while let Some(bytes) = objects.next_item()? {
        let object: Value = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
        // A single property is not a list.
        let properties = &object["property"];
        let properties =
            properties.as_array().map_or(std::slice::from_ref(properties), Vec::as_slice);
        let find = |name: &str| properties.iter().find(|p| p["name"] == name);
        let text = |name: &str| find(name).and_then(|p| p["#text"].as_str().map(str::to_owned));
        let id =
            |value: &Value| value.pointer("/id/#text").and_then(Value::as_str).map(str::to_owned);
        match object["class"].as_str() {
            Some("Page" | "BlogPost") if find("originalVersion").is_none() => {
                let is_current = text("contentStatus").is_none_or(|status| status == "current");
                let Some((id, title)) = id(&object).zip(text("title")).filter(|_| is_current)
                else {
                    continue;
                };
                pages.push((id, title, text("lastModificationDate"), text("creationDate")));
            }
            Some("BodyContent") => {
                let page_id = find("content").and_then(id);
                if let (Some(page_id), Some(body)) = (page_id, text("body")) {
                    // The export splits the end of a nested CDATA section.
                    bodies.insert(page_id, body.replace("]] >", "]]>"));
                }
            }
            _ => {}
        }
    }
    let time = |text: Option<String>| dates::parse(&text?, dates::Order::default());
    let records = pages.into_iter().filter_map(|(id, title, updated_at, created_at)| {
        let mut page = page(&title, bodies.get(&id)?);
        page.created_at = time(created_at);
        page.updated_at = time(updated_at).or(page.created_at);
        Some(page)
    });
    Ok(records.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn pages_are_parsed_from_each_export_format() {
        let storage = "<p>Bleed the <b>valve</b>.</p><ac:structured-macro ac:name=\"code\">\
            <ac:plain-text-body><![CDATA[pump --bleed]]></ac:plain-text-body></ac:structured-macro>";
        let response = json!({"id": "5", "title": "Pump & valve", "body": {"storage": {"value": storage}},
            "version": {"when": "2025-03-01T10:00:00Z"}, "metadata": {"labels": {"results": [{"name": "runbook"}]}}});
        let page = parse_api_page(&response, b"{}").unwrap();
        assert_eq!(
            (page.slug.as_deref(), &page.labels[..]),
            (Some("Pump-valve"), &["runbook".to_owned()][..])
        );
        assert!(page.updated_at.is_some());
        let space = format!(
            "<hibernate-generic><object class=\"Page\"><id name=\"id\">5</id><property name=\"title\">Pump</property>\
             </object><object class=\"BodyContent\"><id name=\"id\">9</id><property name=\"body\"><![CDATA[{}]]></property>\
             <property name=\"content\"><id name=\"id\">5</id></property></object></hibernate-generic>",
            storage
                .replace("]]>", "]] >")
                .replace("<![CDATA[", "&lt;![CDATA[")
                .replace("&lt;", "<")
        );
        let html = "<title>Ops : Pump</title><div id=\"main-content\" class=\"wiki\"><p>Bleed the valve.</p>\
            <pre>pump --bleed</pre></div><div id=\"footer\">by</div>";
        let pages = parse_space(space.as_bytes()).unwrap();
        for page in [&page, &pages[0], &parse_file("pump.xml", storage), &parse_html(html).unwrap()]
        {
            assert!(
                page.body.contains("valve") && page.body.contains("pump --bleed"),
                "{}",
                page.body
            );
            assert!(!page.body.contains("ac:"), "{}", page.body);
        }
        assert_eq!(parse_html("<title>Sign in</title>"), None);
    }
}
