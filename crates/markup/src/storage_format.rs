//! Conversion of Confluence's storage format, XHTML with its own elements (`ac:`, `ri:`), to
//! Markdown. <https://confluence.atlassian.com/doc/confluence-storage-format-790796544.html>
//!
//! Confluence's elements first become plain HTML: code, quotes for panels, lists for tasks. Then
//! [`html_to_markdown`] converts the HTML.

use std::mem;

use quick_xml::{
    Reader,
    events::{BytesStart, Event},
};

use crate::html_to_markdown;
use precedent_text::words::Words;

/// The attributes with a visible effect.
const KEPT_ATTRIBUTES: [&str; 5] = ["href", "src", "alt", "colspan", "rowspan"];
/// The elements without content.
const VOID_ELEMENTS: [&str; 6] = ["br", "hr", "img", "col", "wbr", "input"];
/// The macros without content of their own, such as tables of contents.
static CONTENTLESS_MACROS: Words = Words::new(
    "toc children pagetree recently-updated contentbylabel attachments anchor livesearch gallery",
);
/// The elements whose content is not part of the text.
static HIDDEN_ELEMENTS: Words = Words::new(
    "ac:parameter ac:task-id ac:task-uuid ac:task-status ac:placeholder ac:adf-attribute
     ac:adf-fallback ac:image",
);
/// The macros that are panels.
static PANEL_MACROS: Words = Words::new("info note warning tip panel expand");

/// The maximum nesting depth of Confluence elements.
const MAX_DEPTH: usize = 1_000;

/// Converts a page or comment to Markdown. Invalid XHTML is parsed as HTML.
pub fn to_markdown(storage: &str) -> String {
    html_to_markdown::convert(&to_html(storage).unwrap_or_else(|| storage.to_owned()))
}

/// An open Confluence element.
#[derive(Default)]
struct OpenElement {
    name: String,
    macro_name: String,
    /// Language of a code macro.
    language: String,
    title: String,
    /// Name of a parameter, or page of a link.
    key: String,
    /// True if a link has its own text.
    has_text: bool,
}

impl OpenElement {
    fn is_panel(&self) -> bool {
        PANEL_MACROS.contains(&self.macro_name) || self.name == "ac:adf-node"
    }
}

#[derive(Default)]
struct Page {
    out: String,
    open_elements: Vec<OpenElement>,
    /// Number of open elements that hide their content.
    hidden_depth: usize,
}

/// Converts the page to plain HTML; returns `None` if its tags are malformed.
fn to_html(storage: &str) -> Option<String> {
    let mut reader = Reader::from_str(storage);
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    let mut page = Page { out: String::with_capacity(storage.len()), ..Page::default() };
    loop {
        match reader.read_event().ok()? {
            // The search for an enclosing element takes time in proportion to the depth.
            Event::Start(_) if page.open_elements.len() > MAX_DEPTH => return None,
            Event::Start(start) => page.start(&start, false),
            Event::Empty(start) => page.start(&start, true),
            Event::End(end) => page.end(end.name().into_inner()),
            Event::Text(text) => page.push_text(&text.xml10_content()),
            Event::CData(text) => page.push_plain(&text.xml10_content()),
            Event::GeneralRef(name) => page.push_text(&format!("&{};", name.xml10_content())),
            Event::Eof => return Some(page.out),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let attr =
        start.attributes().with_checks(false).flatten().find(|a| a.key.into_inner() == name)?;
    Some(html_escape::decode_html_entities(&*attr.value).into_owned())
}

impl Page {
    fn push_escaped(&mut self, text: &str) {
        self.out.push_str(&html_escape::encode_text(text));
    }

    fn start(&mut self, start: &BytesStart<'_>, is_empty: bool) {
        let name = start.name().into_inner();
        if !name.contains(':') {
            if self.hidden_depth == 0 {
                self.push_element(start, name, is_empty);
            }
            return;
        }
        let mut element = OpenElement { name: name.to_owned(), ..OpenElement::default() };
        match name {
            "ac:structured-macro" | "ac:macro" => {
                element.macro_name = attribute(start, "ac:name").unwrap_or_default();
                if CONTENTLESS_MACROS.contains(&element.macro_name) && !is_empty {
                    self.hidden_depth += 1;
                }
            }
            "ac:parameter" => element.key = attribute(start, "ac:name").unwrap_or_default(),
            "ac:rich-text-body" | "ac:adf-content" if !is_empty => self.begin_body(),
            "ac:task-list" if self.hidden_depth == 0 && !is_empty => self.out.push_str("<ul>"),
            "ac:task" if self.hidden_depth == 0 && !is_empty => self.out.push_str("<li>"),
            "ac:link-body" | "ac:plain-text-link-body" => {
                if let Some(link) = self.open_link() {
                    link.has_text = true;
                }
            }
            "ri:page" | "ri:blog-post" | "ri:attachment" => {
                let target = attribute(start, "ri:content-title")
                    .or_else(|| attribute(start, "ri:filename"));
                if let Some((link, target)) = self.open_link().zip(target) {
                    link.key = target;
                }
            }
            "ac:emoticon" if self.hidden_depth == 0 => {
                let emoji = attribute(start, "ac:emoji-fallback").filter(|f| !f.starts_with(':'));
                self.push_escaped(&emoji.unwrap_or_default());
            }
            "ac:layout-section" | "ac:layout-cell" if self.hidden_depth == 0 && !is_empty => {
                self.out.push_str("<div>");
            }
            _ => {}
        }
        if is_empty {
            return;
        }
        if HIDDEN_ELEMENTS.contains(name) {
            self.hidden_depth += 1;
        }
        self.open_elements.push(element);
    }

    fn push_element(&mut self, start: &BytesStart<'_>, name: &str, is_empty: bool) {
        if name == "time" {
            self.push_escaped(&attribute(start, "datetime").unwrap_or_default());
        }
        self.out.push('<');
        self.out.push_str(name);
        for key in KEPT_ATTRIBUTES {
            if let Some(value) = attribute(start, key) {
                let value = html_escape::encode_double_quoted_attribute(&value);
                self.out.push_str(&format!(" {key}=\"{value}\""));
            }
        }
        self.out.push('>');
        if is_empty && !VOID_ELEMENTS.contains(&name) {
            self.out.push_str(&format!("</{name}>"));
        }
    }

    /// Begins the body of a macro, or of a panel from the newer editor.
    fn begin_body(&mut self) {
        if self.hidden_depth > 0 {
            return;
        }
        let Some(owner) = self.open_elements.last_mut() else { return };
        // A macro with several bodies shows its title once.
        let title = mem::take(&mut owner.title);
        let is_panel = owner.is_panel();
        self.out.push_str(if is_panel { "<blockquote>" } else { "<div>" });
        self.push_title(&title);
    }

    fn push_title(&mut self, title: &str) {
        if !title.is_empty() {
            self.out.push_str("<p><strong>");
            self.push_escaped(title);
            self.out.push_str("</strong></p>");
        }
    }

    fn open_link(&mut self) -> Option<&mut OpenElement> {
        self.open_elements.iter_mut().rev().find(|o| o.name == "ac:link")
    }

    /// Returns the macro of the open parameter or body.
    fn owner(&mut self) -> Option<&mut OpenElement> {
        self.open_elements.iter_mut().nth_back(1)
    }

    fn end(&mut self, name: &str) {
        if !name.contains(':') {
            if self.hidden_depth == 0 && !VOID_ELEMENTS.contains(&name) {
                self.out.push_str(&format!("</{name}>"));
            }
            return;
        }
        // A mismatched tag also closes the elements inside it.
        let Some(index) = self.open_elements.iter().rposition(|o| o.name == name) else { return };
        while self.open_elements.len() > index
            && let Some(element) = self.open_elements.pop()
        {
            self.close(&element);
        }
    }

    fn close(&mut self, element: &OpenElement) {
        if HIDDEN_ELEMENTS.contains(&element.name)
            || CONTENTLESS_MACROS.contains(&element.macro_name)
        {
            self.hidden_depth = self.hidden_depth.saturating_sub(1);
        }
        if self.hidden_depth > 0 {
            return;
        }
        match element.name.as_str() {
            "ac:rich-text-body" | "ac:adf-content" => {
                let is_panel = self.open_elements.last().is_some_and(OpenElement::is_panel);
                self.out.push_str(if is_panel { "</blockquote>" } else { "</div>" });
            }
            // A Jira issue.
            "ac:structured-macro" if element.macro_name == "jira" => {
                self.push_escaped(&element.key)
            }
            "ac:task-list" => self.out.push_str("</ul>"),
            "ac:task" => self.out.push_str("</li>"),
            "ac:layout-section" | "ac:layout-cell" => self.out.push_str("</div>"),
            // A link to another page that has no text of its own.
            "ac:link" if !element.has_text => self.push_escaped(&element.key),
            _ => {}
        }
    }

    fn push_text(&mut self, text: &str) {
        match self.open_elements.last() {
            Some(element) if element.name == "ac:parameter" => {
                let key = element.key.clone();
                self.set_parameter(&key, text);
            }
            // Markdown's `[x]` would be escaped.
            Some(element) if element.name == "ac:task-status" && self.hidden_depth == 1 => {
                self.out.push_str(if text.trim() == "complete" { "☑ " } else { "☐ " });
            }
            _ if self.hidden_depth == 0 => self.out.push_str(text),
            _ => {}
        }
    }

    fn set_parameter(&mut self, key: &str, text: &str) {
        let Some(owner) = self.owner() else { return };
        let text = html_escape::decode_html_entities(text);
        match key {
            "language" => owner.language.push_str(&text),
            "title" => owner.title.push_str(&text),
            "key" => owner.key.push_str(&text),
            _ => {}
        }
    }

    /// Appends the unescaped text of code or a link.
    fn push_plain(&mut self, text: &str) {
        if self.hidden_depth > 0 {
            return;
        }
        if self.open_elements.last().is_none_or(|o| o.name != "ac:plain-text-body") {
            return self.push_escaped(text);
        }
        let take = |o: &mut OpenElement| (mem::take(&mut o.language), mem::take(&mut o.title));
        let (mut language, title) = self.owner().map(take).unwrap_or_default();
        language.retain(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-'));
        self.push_title(&title);
        let class = if language.is_empty() {
            String::new()
        } else {
            format!(" class=\"language-{language}\"")
        };
        self.out.push_str(&format!("<pre><code{class}>"));
        self.push_escaped(text);
        self.out.push_str("</code></pre>");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn confluence_macros_become_visible_text() {
        let storage = r#"<h1>Restart the kiln</h1><p>See <ac:link><ri:page ri:content-title="Valves &amp; pumps" /></ac:link> or
            <ac:link><ri:page ri:content-title="Other" /><ac:plain-text-link-body><![CDATA[the <other> page]]></ac:plain-text-link-body></ac:link>
            &ndash; since <time datetime="2024-02-03" />.</p>
            <ac:structured-macro ac:name="toc"><ac:parameter ac:name="maxLevel">2</ac:parameter></ac:structured-macro>
            <ac:structured-macro ac:name="code"><ac:parameter ac:name="language">rust</ac:parameter><ac:plain-text-body><![CDATA[if a < b {
    stall();
}]]></ac:plain-text-body></ac:structured-macro>
            <ac:structured-macro ac:name="warning"><ac:parameter ac:name="title">Hot</ac:parameter><ac:rich-text-body><p>Wear <b>gloves</b>.</p></ac:rich-text-body></ac:structured-macro>
            <ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>complete</ac:task-status><ac:task-body>Open it</ac:task-body></ac:task>
            <ac:task><ac:task-id>2</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>Close it</ac:task-body></ac:task></ac:task-list>
            <ac:image><ri:attachment ri:filename="kiln.png" /></ac:image>
            <ac:structured-macro ac:name="jira"><ac:parameter ac:name="server">Tracker</ac:parameter><ac:parameter ac:name="key">KILN-7</ac:parameter></ac:structured-macro>"#;
        let text = to_markdown(storage);
        for part in [
            "# Restart the kiln",
            "See Valves & pumps or",
            "the <other> page",
            "2024-02-03",
            "```rust\nif a < b {\n    stall();\n}\n```",
            "> **Hot**",
            "> Wear **gloves**.",
            "- ☑ Open it",
            "- ☐ Close it",
            "KILN-7",
        ] {
            let plain = text
                .replace("\\<", "<")
                .replace("\\>", ">")
                .replace("&lt;", "<")
                .replace("&gt;", ">");
            assert!(plain.contains(part), "{part} in {text}");
        }
        for hidden in ["kiln.png", "maxLevel", "Tracker", "ac:", "ri:"] {
            assert!(!text.contains(hidden), "{hidden} in {text}");
        }
    }

    #[test]
    fn newer_editor_panels_appear_once() {
        let storage = r#"<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute>
            <ac:adf-content><p>Mind the gap.</p></ac:adf-content></ac:adf-node><ac:adf-fallback><div><p>Mind the gap.</p></div></ac:adf-fallback></ac:adf-extension>"#;
        assert_eq!(to_markdown(storage), "> Mind the gap.");
    }

    #[test]
    fn malformed_storage_format_is_still_converted() {
        for (storage, want) in [
            ("plain", "plain"),
            ("<p>One</p>", "One"),
            ("<p>a & b &nosuch; </i></p>", "a & b &nosuch;"),
            ("<ac:link>", ""),
            ("</ac:task></ac:link><p>x</p>", "x"),
            ("<p>open <b", "open"),
            ("", ""),
        ] {
            let markdown = to_markdown(storage).replace("\\&", "&").replace("&amp;", "&");
            assert!(markdown.trim().starts_with(want), "{storage}: {markdown}");
        }
    }

    proptest! {
        #[test]
        fn output_length_is_bounded(parts in proptest::collection::vec(
            prop_oneof![
                Just("<p>".to_owned()), Just("</p>".to_owned()), Just("<ac:link>".to_owned()), Just("</ac:link>".to_owned()),
                Just("<ac:structured-macro ac:name=\"info\">".to_owned()), Just("</ac:structured-macro>".to_owned()),
                Just("<ac:structured-macro ac:name=\"toc\"/>".to_owned()), Just("<ac:parameter ac:name=\"title\">".to_owned()),
                Just("</ac:parameter>".to_owned()), Just("<ac:rich-text-body>".to_owned()), Just("</ac:rich-text-body>".to_owned()),
                Just("<ac:plain-text-body><![CDATA[x]]></ac:plain-text-body>".to_owned()), Just("<ri:page ri:content-title=\"t\"/>".to_owned()),
                Just("<ac:task-status>".to_owned()), Just("&nbsp;".to_owned()), "[ -~]{0,12}",
            ], 0..60,
        )) {
            let storage = parts.concat();
            let html = to_html(&storage).unwrap_or_default();
            prop_assert!(html.len() <= 64 + storage.len() * 16, "{} of {}", html.len(), storage.len());
            to_markdown(&storage);
        }
    }
}
