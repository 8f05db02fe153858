//! Conversion of the Atlassian Document Format, the JSON in which Jira Cloud stores text, to
//! Markdown.
//! <https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/>

use serde_json::Value;

use super::{Writer, fence};
use precedent_text::words::Words;

/// The maximum nesting depth; deeper nodes are omitted.
const MAX_DEPTH: usize = 60;
/// The kinds of nodes within a line of text.
static INLINE_KINDS: Words = Words::new("text hardBreak mention emoji inlineCard status date");
static LIST_KINDS: Words = Words::new("bulletList orderedList taskList decisionList");

/// Converts a document to Markdown. A string is returned unchanged; any other invalid document
/// becomes an empty string.
pub fn to_markdown(document: &Value) -> String {
    match document {
        Value::String(text) => text.clone(),
        Value::Object(_) => {
            let mut out = String::new();
            push_blocks(document, "", 0, &mut out);
            let text = out.trim_matches('\n');
            if text.is_empty() { String::new() } else { format!("{text}\n") }
        }
        _ => String::new(),
    }
}

fn kind(node: &Value) -> &str {
    node["type"].as_str().unwrap_or_default()
}

fn children(node: &Value) -> &[Value] {
    node["content"].as_array().map_or(&[], Vec::as_slice)
}

/// Writes the blocks of a node with `prefix` before each line.
fn push_blocks(node: &Value, prefix: &str, depth: usize, out: &mut String) {
    if depth > MAX_DEPTH {
        return;
    }
    for child in children(node) {
        push_block(child, prefix, depth + 1, out);
    }
}

fn push_lines(prefix: &str, text: &str, out: &mut String) {
    for line in text.lines() {
        if line.is_empty() {
            push_blank(prefix, out);
        } else {
            out.extend([prefix, line, "\n"]);
        }
    }
}

fn push_blank(prefix: &str, out: &mut String) {
    out.push_str(prefix.trim_end());
    out.push('\n');
}

fn push_paragraph(prefix: &str, text: &str, out: &mut String) {
    push_lines(prefix, text, out);
    push_blank(prefix, out);
}

fn push_block(node: &Value, prefix: &str, depth: usize, out: &mut String) {
    let attribute = |name: &str| node["attrs"][name].as_str().unwrap_or_default();
    match kind(node) {
        "heading" => {
            let level = node["attrs"]["level"].as_u64().unwrap_or(1).clamp(1, 6);
            let marks = "#".repeat(usize::try_from(level).unwrap_or(1));
            push_paragraph(prefix, &format!("{marks} {}", convert_inline(node, depth)), out);
        }
        "paragraph" => push_paragraph(prefix, &convert_inline(node, depth), out),
        "codeBlock" => {
            let text: String = children(node).iter().filter_map(|c| c["text"].as_str()).collect();
            let fence = fence(text.lines());
            let code = format!("{fence}{}\n{text}\n{fence}", attribute("language"));
            push_paragraph(prefix, &code, out);
        }
        "blockquote" => {
            push_blocks(node, &format!("{prefix}> "), depth, out);
            push_blank(prefix, out);
        }
        "panel" => {
            push_paragraph(prefix, &format!("**{}:**", attribute("panelType")), out);
            push_blocks(node, prefix, depth, out);
        }
        "expand" | "nestedExpand" => {
            if !attribute("title").is_empty() {
                push_paragraph(prefix, &format!("**{}**", attribute("title")), out);
            }
            push_blocks(node, prefix, depth, out);
        }
        name if LIST_KINDS.contains(name) => {
            push_list(node, prefix, depth, out);
            push_blank(prefix, out);
        }
        "rule" => push_paragraph(prefix, "---", out),
        "table" => {
            push_table(node, prefix, depth, out);
            push_blank(prefix, out);
        }
        "blockCard" | "embedCard" => {
            push_paragraph(prefix, &format!("<{}>", attribute("url")), out)
        }
        "media" => {
            let name = Some(attribute("alt")).filter(|name| !name.is_empty());
            push_paragraph(prefix, &format!("({})", name.unwrap_or("attachment")), out);
        }
        // An unknown kind of node may contain text.
        _ if children(node).iter().any(|c| INLINE_KINDS.contains(kind(c))) => {
            push_paragraph(prefix, &convert_inline(node, depth), out);
        }
        _ => push_blocks(node, prefix, depth, out),
    }
}

fn push_list(node: &Value, prefix: &str, depth: usize, out: &mut String) {
    if depth > MAX_DEPTH {
        return;
    }
    for item in children(node) {
        if matches!(kind(item), "taskList" | "decisionList") {
            push_list(item, &format!("{prefix}    "), depth + 1, out);
            continue;
        }
        let mark = match kind(node) {
            "orderedList" => "1. ",
            "taskList" if item["attrs"]["state"] == "DONE" => "- [x] ",
            "taskList" => "- [ ] ",
            _ => "- ",
        };
        let mut text = String::new();
        if children(item).iter().any(|c| INLINE_KINDS.contains(kind(c))) {
            text = convert_inline(item, depth);
        } else {
            for child in children(item) {
                // A list follows its paragraph without a blank line.
                if LIST_KINDS.contains(kind(child)) && text.ends_with("\n\n") {
                    text.pop();
                }
                push_block(child, "", depth + 1, &mut text);
            }
        }
        let text = text.trim_matches('\n');
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        if !first.is_empty() {
            push_lines(&format!("{prefix}{mark}"), first, out);
            push_lines(&format!("{prefix}    "), rest, out);
        }
    }
}

fn push_table(node: &Value, prefix: &str, depth: usize, out: &mut String) {
    let mut table = Writer::default();
    for row in children(node) {
        let cells = children(row).iter().map(|cell| {
            let mut text = String::new();
            push_blocks(cell, "", depth + 1, &mut text);
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        table.row(&cells.collect::<Vec<_>>());
    }
    push_lines(prefix, &table.finish(), out);
}

fn convert_inline(node: &Value, depth: usize) -> String {
    let mut out = String::new();
    if depth > MAX_DEPTH {
        return out;
    }
    for child in children(node) {
        let attribute = |name: &str| child["attrs"][name].as_str().unwrap_or_default();
        // Separate these elements from the preceding word.
        if matches!(kind(child), "status" | "date" | "inlineCard")
            && !out.is_empty()
            && !out.ends_with([' ', '\n'])
        {
            out.push(' ');
        }
        match kind(child) {
            "text" => out.push_str(&apply_marks(child)),
            "hardBreak" => out.push_str("  \n"),
            "mention" => {
                let name = attribute("text");
                out.push_str(if name.is_empty() { "@someone" } else { name });
            }
            "emoji" if attribute("text").is_empty() => out.push_str(attribute("shortName")),
            "emoji" => out.push_str(attribute("text")),
            "inlineCard" => out.push_str(&format!("<{}>", attribute("url"))),
            "status" => out.push_str(&format!("`{}`", attribute("text"))),
            "date" => {
                let time = attribute("timestamp")
                    .parse()
                    .ok()
                    .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
                out.extend(time.map(|t| t.strftime("%Y-%m-%d").to_string()));
            }
            _ => out.push_str(&convert_inline(child, depth + 1)),
        }
    }
    out
}

/// Returns the text of a node with its marks as Markdown.
fn apply_marks(node: &Value) -> String {
    let text = node["text"].as_str().unwrap_or_default();
    let content = text.trim();
    if content.is_empty() {
        return text.to_owned();
    }
    let mut words = content.to_owned();
    let marks = node["marks"].as_array().map_or(&[][..], Vec::as_slice);
    if marks.iter().any(|m| kind(m) == "code") {
        words = format!("`{words}`");
    }
    for mark in marks {
        words = match kind(mark) {
            "strong" => format!("**{words}**"),
            "em" => format!("*{words}*"),
            "strike" => format!("~~{words}~~"),
            "link" => match mark["attrs"]["href"].as_str() {
                Some(href) if href == content => format!("<{href}>"),
                Some(href) => {
                    format!("[{words}]({})", href.replace(' ', "%20").replace(')', "%29"))
                }
                None => words,
            },
            _ => words,
        };
    }
    // Emphasis marks must touch the emphasized words.
    text.replacen(content, &words, 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_node_kind_is_converted() {
        let text = |t: &str| json!({"type": "text", "text": t});
        let paragraph = |t: &str| json!({"type": "paragraph", "content": [text(t)]});
        let item = |t: &str| json!({"type": "listItem", "content": [paragraph(t)]});
        let document = json!({"version": 1, "type": "doc", "content": [
            {"type": "heading", "attrs": {"level": 2}, "content": [text("Pump")]},
            {"type": "paragraph", "content": [
                text("It "), {"type": "text", "text": "leaks ", "marks": [{"type": "strong"}]},
                {"type": "text", "text": "fast", "marks": [{"type": "code"}]}, {"type": "hardBreak"},
                {"type": "text", "text": "log", "marks": [{"type": "link", "attrs": {"href": "https://x.example"}}]},
                {"type": "mention", "attrs": {"id": "1", "text": "@ada"}},
                {"type": "status", "attrs": {"text": "OPEN"}}, {"type": "date", "attrs": {"timestamp": "1710201600000"}},
            ]},
            {"type": "codeBlock", "attrs": {"language": "rust"}, "content": [text("let a = 1;\nlet b = 2;")]},
            {"type": "bulletList", "content": [item("one"), {"type": "listItem", "content": [
                paragraph("two"), {"type": "orderedList", "content": [item("deep")]}]}]},
            {"type": "blockquote", "content": [paragraph("said")]},
            {"type": "table", "content": [
                {"type": "tableRow", "content": [{"type": "tableHeader", "content": [paragraph("a")]}]},
                {"type": "tableRow", "content": [{"type": "tableCell", "content": [paragraph("1|2")]}]}]},
            {"type": "taskList", "content": [{"type": "taskItem", "attrs": {"state": "DONE"}, "content": [text("did")]}]},
            {"type": "surprise", "content": [text("kept")]},
        ]});
        assert_eq!(
            to_markdown(&document),
            "## Pump\n\nIt **leaks** `fast`  \n[log](https://x.example)@ada `OPEN` 2024-03-12\n\n```rust\nlet a = 1;\nlet b = 2;\n```\n\n- one\n- two\n    1. deep\n\n> said\n>\n\n| a |\n| --- |\n| 1\\|2 |\n\n- [x] did\n\nkept\n"
        );
    }

    #[test]
    fn lines_and_blocks_stay_separate() {
        let text = |t: &str| json!({"type": "text", "text": t});
        let paragraph = |t: &str| json!({"type": "paragraph", "content": [text(t)]});
        let code = json!({"type": "codeBlock", "content": [text("a  \n\nb")]});
        let media = |alt: &str| json!({"type": "media", "attrs": {"alt": alt}});
        let card = |kind: &str| json!({"type": kind, "attrs": {"url": "https://x.example"}});
        for (blocks, expected) in [
            (json!([card("blockCard"), paragraph("after")]), "<https://x.example>\n\nafter\n"),
            (json!([media("valve.png")]), "(valve.png)\n"),
            (
                json!([{"type": "mediaSingle", "content": [media(""),
                    {"type": "caption", "content": [text("The valve")]}]}]),
                "(attachment)\n\nThe valve\n",
            ),
            (json!([code]), "```\na  \n\nb\n```\n"),
            (
                json!([{"type": "bulletList", "content": [
                    {"type": "listItem", "content": [paragraph("one"), paragraph("two"), code]}]}]),
                "- one\n\n    two\n\n    ```\n    a  \n\n    b\n    ```\n",
            ),
            (
                json!([{"type": "taskList", "content": [
                    {"type": "taskItem", "content": [card("inlineCard")]}]}]),
                "- [ ] <https://x.example>\n",
            ),
            (json!([{"type": "expand", "content": [paragraph("inner")]}]), "inner\n"),
        ] {
            assert_eq!(to_markdown(&json!({"type": "doc", "content": blocks})), expected);
        }
    }

    #[test]
    fn code_does_not_end_its_own_fence() {
        let code = json!({"type": "doc", "content": [
            {"type": "codeBlock", "content": [{"type": "text", "text": "~~~~\n```\n# b"}]}]});
        assert_eq!(to_markdown(&code), "````\n~~~~\n```\n# b\n````\n");
    }

    #[test]
    fn invalid_documents_are_empty_and_depth_is_bounded() {
        assert_eq!(to_markdown(&json!(null)), "");
        assert_eq!(to_markdown(&json!("plain")), "plain");
        let mut deep = json!({"type": "paragraph", "content": [{"type": "text", "text": "x"}]});
        for _ in 0..110 {
            deep = json!({"type": "blockquote", "content": [deep]});
        }
        to_markdown(&deep);
    }
}
