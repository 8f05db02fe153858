//! HTML that people wrote in a tracker's editor (Azure DevOps, Zendesk) as Markdown. The result is cleaned like any other text
//! before it is shown.

use std::sync::LazyLock;

use htmd::{
    HtmlToMarkdown,
    options::{BulletListMarker, Options},
};
use regex::Regex;

#[allow(clippy::unwrap_used, reason = "the pattern is a constant; a test compiles it")]
static BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\s*(?:<!--.*?-->\s*)?</?(?:!doctype|html|body|p|div|br|ul|ol|li|table|tr|td|span|b|strong|i|em|a|pre|code|h[1-6]|blockquote|font|img)(?:\s[^<>]*)?/?>",
    )
    .unwrap()
});

/// Whether a text is HTML as a whole: it begins with an element of the editor's, or holds several that divide it.
pub fn is_html(text: &str) -> bool {
    if !text.contains('<') || !text.contains('>') {
        return false;
    }
    let closing = ["</p>", "</div>", "</li>", "</td>", "<br>", "<br/>", "<br />"];
    let lower = text.to_ascii_lowercase();
    let blocks: usize = closing.iter().map(|c| lower.matches(c).count()).sum();
    // Markdown may hold a line of HTML; where it has blocks of its own it is Markdown.
    let markdown = text.contains("```") || text.lines().any(|l| l.starts_with("# ") || l.starts_with("## "));
    !markdown && ((BEGINS.is_match(text) && (blocks > 0 || lower.contains("</"))) || blocks > 2)
}

/// What a reader sees of HTML, as Markdown; the HTML itself where it cannot be read.
pub fn to_markdown(html: &str) -> String {
    // As people write Markdown by hand.
    let options = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let left_out = vec!["head", "script", "style", "title"];
    let converter = HtmlToMarkdown::builder().options(options).skip_tags(left_out).build();
    converter.convert(html).map_or_else(|_| html.to_owned(), |text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_sees_is_kept_and_blocks_are_divided() {
        let html = "<div>The <b>valve</b> leaks.<br>Twice &amp; loudly.</div><ul><li>open it</li><li>close it</li></ul>\
                    <pre>fn main() {\n    leak();\n}</pre><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>\
                    <p>See <a href=\"https://x.example/1\">the page</a>.</p><style>p { }</style>";
        assert!(is_html(html));
        let text = to_markdown(html);
        for part in [
            "The **valve** leaks.",
            "Twice & loudly.",
            "open it",
            "    leak();",
            "[the page](https://x.example/1)",
        ] {
            assert!(text.contains(part), "{part} of {text}");
        }
        let cells: Vec<&str> =
            text.lines().filter(|l| l.contains('|') && l.contains('a') || l.contains('c')).collect();
        assert!(!text.contains("ab") && !cells.is_empty() && !text.contains('<'), "{text}");
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in
            ["a < b and c > d", "Vec<T> is <code>", "# Title\n<p>x</p>", "plain", "<T> is a type", "<3 <br"]
        {
            assert!(!is_html(text), "{text}");
        }
        assert!(is_html("<p>One</p>"));
    }
}
