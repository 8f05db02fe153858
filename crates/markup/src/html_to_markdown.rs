//! Conversion of HTML from tracker editors (Azure DevOps, Zendesk) to Markdown, which is sanitized
//! before display.

use htmd::{
    Element, HtmlToMarkdown,
    element_handler::{HandlerResult, Handlers},
    options::{BulletListMarker, Options},
};
use regex::Captures;

use super::{Writer, pattern};
use precedent_text::{html::to_text, words::Words};

/// The maximum nesting depth; deeper HTML becomes plain text.
const MAX_DEPTH: usize = 100;

/// Returns whether the text is HTML: it begins with a tag, or contains several block elements.
pub fn is_html(text: &str) -> bool {
    if !text.contains('<') || !text.contains('>') {
        return false;
    }
    let tags = ["</p>", "</div>", "</li>", "</td>", "<br>", "<br/>", "<br />"];
    let lower = text.to_ascii_lowercase();
    let block_count: usize = tags.iter().map(|c| lower.matches(c).count()).sum();
    let starts_with_tag = pattern!(
        r"(?i)^\s*(?:<!--.*?-->\s*)?</?(?:!doctype|html|body|p|div|br|ul|ol|li|table|tr|td|span|b|strong|i|em|a|pre|code|h[1-6]|blockquote|font|img)(?:\s[^<>]*)?/?>"
    );
    // Markdown may contain HTML.
    let is_markdown =
        text.contains("```") || text.lines().any(|l| l.starts_with("# ") || l.starts_with("## "));
    !is_markdown
        && ((starts_with_tag.is_match(text) && (block_count > 0 || lower.contains("</")))
            || block_count > 2
            || is_separated_by_tags(text))
}

/// Returns whether tags separate the words of text without Markdown marks. A single tag may be a
/// mention ("the `<br>` is lost"), so it counts only directly after a word.
fn is_separated_by_tags(text: &str) -> bool {
    let mark = pattern!(r"(?m)^\s*(?:#{1,6} |[-*+] |\d+[.)] |>|\||```|~~~)|`|\*\*|\]\(");
    if mark.is_match(text) {
        return false;
    }
    let divider = pattern!(r"(?i)<br\s*/?>|</(?:p|div|li|td|ul|ol|table|pre|blockquote|h[1-6])>");
    let dividers: Vec<_> = divider.find_iter(text).take(2).collect();
    let follows_word = |offset: usize| {
        text[..offset]
            .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | ',' | ':' | '!' | '?'))
    };
    dividers.len() > 1 || dividers.first().is_some_and(|tag| follows_word(tag.start()))
}

/// Converts HTML to Markdown. Returns the HTML itself if it cannot be parsed.
pub fn convert(html: &str) -> String {
    let html = fence_code(html);
    if is_deep(&html) {
        return to_text(&html);
    }
    let options = Options {
        bullet_list_marker: BulletListMarker::Dash,
        ul_bullet_spacing: 1,
        ol_number_spacing: 1,
        ..Options::default()
    };
    let skipped_tags = vec!["head", "script", "style", "title"];
    let converter = HtmlToMarkdown::builder()
        .options(options)
        .skip_tags(skipped_tags)
        .add_handler(vec!["td", "th", "tr"], mark_part)
        .add_handler(vec!["table"], convert_table)
        .build();
    converter.convert(&html).map_or_else(|_| html.to_string(), |text| text.trim().to_owned())
}

/// The elements that need no end tag.
static OPTIONAL_END: Words = Words::new(
    "area base br col dd dt embed hr img input li link meta option p param source tbody td tfoot th thead tr track wbr",
);

/// Returns whether the other elements are nested too deeply to be converted.
fn is_deep(html: &str) -> bool {
    let mut open_elements: Vec<String> = Vec::new();
    for tag in pattern!(r"<(/?)([A-Za-z][A-Za-z0-9]*)").captures_iter(html) {
        let name = tag[2].to_ascii_lowercase();
        if !tag[1].is_empty() {
            let start = open_elements.iter().rposition(|element| *element == name);
            open_elements.truncate(start.unwrap_or(open_elements.len()));
        } else if !OPTIONAL_END.contains(&name) {
            open_elements.push(name);
        }
        if open_elements.len() > MAX_DEPTH {
            return true;
        }
    }
    false
}

/// Reduces code blocks to their text, so that emphasis is not converted and indentation is kept.
fn fence_code(html: &str) -> String {
    // Cell marks in the input would be converted.
    let html: String = html.chars().filter(|c| !matches!(*c, CELL | HEADER_CELL | ROW)).collect();
    // One pattern for both elements would take quadratic time.
    let html = pattern!(r"(?is)<pre\b[^>]*>(.*?)(?:</pre\s*>|\z)").replace_all(&html, code_block);
    let code = pattern!(r"(?is)<code\b[^>]*>((?:[^<]|<[^/]|</[^c])*)</code\s*>");
    let convert = |caps: &Captures<'_>| match pattern!(r"(?i)<br\b").is_match(&caps[1]) {
        true => code_block(caps),
        false => caps[0].to_owned(),
    };
    code.replace_all(&html, convert).into_owned()
}

fn code_block(caps: &Captures<'_>) -> String {
    let lines =
        pattern!(r"(?i)<br\b[^>]*>(?:\r?\n)?|</(?:div|p|li|tr)\s*>").replace_all(&caps[1], "\n");
    let code = pattern!(r"(?s)<!--.*?-->").replace_all(&lines, "");
    let class = pattern!(r#"(?i)class\s*=\s*["'][^"']*?\b(?:language|lang|brush:)[-\s]?(\w+)"#)
        .captures(&caps[0])
        .filter(|language| language.get(0).is_some_and(|m| m.start() < 200))
        .map(|language| format!(" class=\"language-{}\"", &language[1]))
        .unwrap_or_default();
    let code = pattern!(r"</?[A-Za-z][^<>]*>").replace_all(&code, "");
    // The HTML parser drops an empty first line.
    format!("<pre><code{class}>{code}</code></pre>")
}

/// The marks before a cell, a header cell and a row.
const CELL: char = '\u{1}';
const HEADER_CELL: char = '\u{2}';
const ROW: char = '\u{3}';

fn mark_part(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let mark = match element.tag {
        "th" => HEADER_CELL,
        "tr" => ROW,
        _ => CELL,
    };
    Some(format!("{mark}{}", handlers.walk_children(element.node).content).into())
}

/// Converts a table. A layout table, common in emails, becomes the content of its cells.
fn convert_table(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let content = handlers.walk_children(element.node).content;
    let (prefix, rows) = content.split_once(ROW).unwrap_or((&content, ""));
    let has_header = rows.split(ROW).next().is_some_and(|first| first.contains(HEADER_CELL));
    let rows: Vec<Vec<&str>> = rows
        .split(ROW)
        .map(|row| row.split([CELL, HEADER_CELL]).skip(1).map(str::trim).collect::<Vec<_>>())
        .filter(|row| row.iter().any(|cell| !cell.is_empty()))
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let has_lines = rows.iter().flatten().any(|cell| cell.contains('\n'));
    let text = match () {
        () if has_header || (columns > 1 && !has_lines) => format_table(&rows, columns),
        () => rows.concat().join("\n\n"),
    };
    Some(format!("\n\n{}\n\n{}\n\n", prefix.trim(), text.trim_end()).into())
}

/// Formats rows as a Markdown table with the first row as its header.
fn format_table(rows: &[Vec<&str>], columns: usize) -> String {
    let mut out = Writer::default();
    for row in rows {
        let cells = (0..columns).map(|index| row.get(index).copied().unwrap_or_default());
        out.row(
            &cells.map(|c| c.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>(),
        );
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visible_text_is_kept_in_separate_blocks() {
        let html = "<div>The <b>valve</b> leaks.<br>Twice &amp; loudly.</div><ul><li>open it</li><li>close it</li></ul>\
                    <pre>fn main() {\n    leak();\n}</pre><table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>\
                    <p>See <a href=\"https://x.example/1\">the page</a>.</p><style>p { }</style>";
        assert!(is_html(html));
        let text = convert(html);
        for part in [
            "The **valve** leaks.",
            "Twice & loudly.",
            "open it",
            "    leak();",
            "[the page](https://x.example/1)",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let cells: Vec<&str> = text
            .lines()
            .filter(|l| l.contains('|') && l.contains('a') || l.contains('c'))
            .collect();
        assert!(!text.contains("ab") && !cells.is_empty() && !text.contains('<'), "{text}");
    }

    #[test]
    fn code_keeps_its_lines_and_symbols() {
        let text = convert(
            "<p>See log:</p><pre>line1\n   indented &lt;b&gt;\n*star* # hash <b>bold</b>\n</pre><p>after</p>",
        );
        assert_eq!(
            text,
            "See log:\n\n```\nline1\n   indented <b>\n*star* # hash bold\n```\n\nafter"
        );
        let text = convert(
            "<pre class=\"x\"><code class=\"language-rust\">let <span>a</span> = 1;<br>  b_c();</code></pre>",
        );
        assert_eq!(text, "```rust\nlet a = 1;\n  b_c();\n```");
        let text = convert("<div>Trace</div><div><code>a<br>b_one<br>  c</code></div>");
        assert_eq!(text, "Trace\n\n```\na\nb_one\n  c\n```");
        assert_eq!(
            convert("<p>call <code>a_b()</code> first<br>then</p>"),
            "call `a_b()` first  \nthen"
        );
        assert!(convert("<pre>one\n````\ntwo</pre>").starts_with("`````\n"));
    }

    #[test]
    fn hostile_html_takes_linear_time() {
        for html in [
            "<div>".repeat(100_000),
            "<div></b>".repeat(50_000),
            "<code><pre>a</pre>".repeat(20_000),
            format!("<pre>{}", "<!--<br>".repeat(50_000)),
        ] {
            convert(&format!("{html}x"));
        }
        let list = convert(&format!("<ul>{}</ul>", "<li>a<br>".repeat(200)));
        assert_eq!(list.matches("- a").count(), 200);
    }

    #[test]
    fn table_rows_and_cells_are_kept() {
        let text = convert(
            "<p>x</p><table><tr><td>k1</td><td>v1</td></tr><tr><td>k2</td><td>v|2</td></tr></table><p>y</p>",
        );
        assert_eq!(text, "x\n\n| k1 | v1 |\n| --- | --- |\n| k2 | v\\|2 |\n\ny");
        let text = convert(
            "<table><thead><tr><th>Key</th><th>Value</th></tr></thead><tbody><tr><th>pump</th><td><p>on</p><p>off</p></td></tr></tbody></table>",
        );
        assert_eq!(text, "| Key | Value |\n| --- | --- |\n| pump | on off |");
        // A layout table from an email.
        let text = convert(
            "<table><tr><td><p>Hello,</p><p>it leaks.</p></td></tr><tr><td>Ada</td></tr></table>",
        );
        assert_eq!(text, "Hello,\n\nit leaks.\n\nAda");
        let text = convert(
            "<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td><td>c</td></tr></table>",
        );
        assert!(["| a | b |", "c"].iter().all(|part| text.contains(part)), "{text}");
    }

    #[test]
    fn mentioning_a_tag_does_not_make_text_html() {
        for text in [
            "Hello <br> world <br> one",
            "Hello.<br/>It leaks.",
            "Hello, text first <b>bold</b> and <p>gone</p><ul><li>x</li></ul>",
        ] {
            assert!(is_html(text), "{text}");
        }
        for text in [
            "The <br> tag is lost",
            "use `<br>` and `</p>` in a cell",
            "- one<br>two\n- three<br>four",
            "| a<br>b | c |\n|---|---|",
            "**Steps**<br>one<br>two",
            "Error in List<String> at Foo<Bar>.baz(<init>)",
        ] {
            assert!(!is_html(text), "{text}");
        }
    }

    #[test]
    fn plain_text_is_not_html() {
        for text in [
            "a < b and c > d",
            "Vec<T> is <code>",
            "# Title\n<p>x</p>",
            "plain",
            "<T> is a type",
            "<3 <br",
        ] {
            assert!(!is_html(text), "{text}");
        }
        assert!(is_html("<p>One</p>"));
    }
}
