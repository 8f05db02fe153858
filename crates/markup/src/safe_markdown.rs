//! Markdown without remote content and with only web links, because viewers of an exported file may
//! not sanitize it.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use precedent_text::{html::OPTIONS, sanitize::is_control};

/// The maximum number of passes, after which every `<` and `[` is escaped.
const MAX_PASSES: usize = 5;

/// Returns whether a link leads to a web page, an email address, or a place in the same file.
pub fn is_safe_link(address: &str) -> bool {
    let address = address.trim_start().to_ascii_lowercase();
    address.is_empty()
        || address.starts_with('#')
        || ["https://", "http://", "mailto:"].iter().any(|scheme| address.starts_with(scheme))
}

/// Escapes images, embedded files, links rejected by [`is_safe_link`], and entities for control
/// characters ([`is_control`]). Pass the whole file, because one text may refer to a definition in
/// another one. Reference links outside quotations are escaped, because only quotations contain
/// definitions.
pub fn safe_markdown(markdown: &str) -> String {
    let mut text = markdown.to_owned();
    for _ in 0..MAX_PASSES {
        let edits = find_edits(&text);
        if edits.is_empty() {
            return text;
        }
        let mut out = String::with_capacity(text.len() + edits.len() * 4);
        let mut start = 0;
        for (position, edit) in edits {
            out.extend([&text[start..position], edit]);
            start = position + usize::from(edit != ESCAPE);
        }
        out.push_str(&text[start..]);
        // Escaping an image may expose a link inside it, so parse again.
        text = out;
    }
    text.replace('<', "&lt;").replace('[', "\\[")
}

/// The mark before an escaped character.
const ESCAPE: &str = "\\";

/// Returns the replacements of characters by position, or [`ESCAPE`].
fn find_edits(text: &str) -> BTreeMap<usize, &'static str> {
    let mut edits = BTreeMap::new();
    let mut code = Vec::new();
    let mut in_code = false;
    let mut quote_depth = 0_usize;
    for (event, range) in Parser::new_ext(text, OPTIONS).into_offset_iter() {
        match event {
            Event::Start(Tag::Image { .. }) => {
                edits.insert(range.start, ESCAPE);
            }
            Event::Start(Tag::Link { link_type, dest_url, .. })
                if link_type != LinkType::Email && !is_safe_link(&dest_url) =>
            {
                let is_autolink = text[range.start..].starts_with('<');
                edits.insert(range.start, if is_autolink { "&lt;" } else { ESCAPE });
            }
            Event::Start(Tag::Link {
                link_type: LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut,
                ..
            })
            | Event::FootnoteReference(_)
                if quote_depth == 0 =>
            {
                edits.insert(range.start, ESCAPE);
            }
            Event::Start(Tag::BlockQuote(_)) => quote_depth += 1,
            Event::End(TagEnd::BlockQuote(_)) => quote_depth = quote_depth.saturating_sub(1),
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::Code(_) => code.push(range),
            Event::Text(_) if in_code => code.push(range),
            Event::Text(entity)
                if text[range.clone()].starts_with('&') && entity.contains(is_control) =>
            {
                edits.insert(range.start, "&amp;");
            }
            _ => {}
        }
    }
    // Some programs read `[[name]]` as a link to a file, and `![[name]]` as its content.
    let mut ends = text.match_indices("]]").map(|(end, _)| end).peekable();
    for (offset, _) in text.match_indices("[[") {
        while ends.next_if(|end| *end < offset).is_some() {}
        let Some(end) = ends.peek() else { break };
        let in_code = code.partition_point(|range| range.end <= offset);
        if !text[end + 2..].starts_with('(')
            && !text[..offset].ends_with(['\\', '['])
            && !code.get(in_code).is_some_and(|range| range.contains(&offset))
        {
            edits.entry(offset).or_insert(ESCAPE);
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_and_unsafe_links_are_escaped() {
        for (markdown, want) in [
            ("see ![p](http://evil.example/x.png)", "see \\![p](http://evil.example/x.png)"),
            ("[x](javascript:alert(1))", "\\[x](javascript:alert(1))"),
            ("[x]( JAVASCRIPT:alert(1) )", "\\[x]( JAVASCRIPT:alert(1) )"),
            ("[x](java&#115;cript:alert(1))", "\\[x](java&#115;cript:alert(1))"),
            ("<javascript:alert(1)>", "&lt;javascript:alert(1)>"),
            ("[a]\n\n[a]: data:text/html,x", "\\[a]\n\n[a]: data:text/html,x"),
            ("> ![a]\n\n[a]: https://x.example/p.png", "> \\![a]\n\n[a]: https://x.example/p.png"),
            (
                "[![b](http://x.example/p.png)](javascript:x)",
                "\\[\\![b](http://x.example/p.png)](javascript:x)",
            ),
            ("![[secret.pdf]] [[a b]] `![[x]]`", "!\\[[secret.pdf]] \\[[a b]] `![[x]]`"),
            ("see [[1]](https://w.example)", "see [[1]](https://w.example)"),
            (
                "[x](\\\\host\\share) [y](file:///etc/passwd)",
                "\\[x](\\\\host\\share) \\[y](file:///etc/passwd)",
            ),
            (
                "a&#x202e;b &rlm; &#27;c &amp; `&#27;`",
                "a&amp;#x202e;b &amp;rlm; &amp;#27;c &amp; `&#27;`",
            ),
            (
                "[w](https://w.example) <https://w.example> <a@b.example>",
                "[w](https://w.example) <https://w.example> <a@b.example>",
            ),
            ("```\n![p](http://x.example)\n```", "```\n![p](http://x.example)\n```"),
        ] {
            assert_eq!(safe_markdown(markdown), want);
        }
    }

    #[test]
    fn unclosed_brackets_take_linear_time() {
        for text in ["[[".repeat(300_000), "`a` [[b]] ".repeat(30_000)] {
            assert!(safe_markdown(&text).len() >= text.len());
        }
    }

    #[test]
    fn reference_definitions_do_not_leak_between_texts() {
        let out = safe_markdown("> [a]: javascript:alert(1)\n\ntext\n\n> see [a]\n");
        let links =
            Parser::new_ext(&out, OPTIONS).filter(|e| matches!(e, Event::Start(Tag::Link { .. })));
        assert_eq!(links.count(), 0, "{out}");
    }

    #[test]
    fn quoted_definition_changes_only_quotations() {
        let out =
            safe_markdown("[a] b[^1]\n\n> [a] c\n>\n> [a]: https://x.example\n>\n> [^1]: d\n");
        assert!(out.starts_with("\\[a] b\\[^1]\n\n> [a] c\n"), "{out}");
    }
}
