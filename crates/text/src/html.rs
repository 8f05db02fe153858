//! Conversion of Markdown to sanitized HTML for display, and of HTML to plain text for the index.

use std::{borrow::Cow, collections::HashSet, sync::LazyLock};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Captures;

use super::{pattern::Pattern, sanitize::strip_ansi, words::Words};

/// The Markdown options for tracker text: CommonMark with GitHub's tables, strikethrough, task
/// lists, footnotes and alerts.
pub const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM);

/// The elements that may be displayed: no script, style, form, frame, media or SVG.
static TAGS: Words = Words::new(
    "a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li ol
     p pre q s samp small span strike strong sub summary sup table tbody td tfoot th thead tr tt u
     ul var",
);

/// The HTML elements that are neither displayed nor treated as text.
static HIDDEN_TAGS: Words = Words::new(
    "article aside audio big body button caption center cite colgroup fieldset figcaption figure
     font form head html iframe img input label legend link meta nav noscript object option p
     picture rp rt ruby script select source style svg textarea title video wbr",
);

/// The elements that begin a new line and therefore separate words.
static BLOCK_TAGS: Words = Words::new(
    "article aside blockquote body br button caption center dd details div dl dt fieldset
     figcaption figure form h1 h2 h3 h4 h5 h6 head hr html legend li nav ol option p pre select
     summary table tbody textarea tfoot thead title tr ul",
);

static TAG: Pattern = Pattern::new(r"</?([A-Za-z][A-Za-z0-9]*)\b([^<>]*)>");
static ATTRIBUTE: Pattern =
    Pattern::new(r#"(?i)(?:^|\s)(href|src|alt|title)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"#);

/// The maximum length of a displayed text, in bytes, which keeps the layout fast.
pub const MAX_INPUT: usize = 400_000;

/// The maximum nesting depth of elements; the time to sanitize is quadratic in the depth.
const MAX_DEPTH: usize = 60;
/// The maximum length of the name of a language, in bytes.
const MAX_LANGUAGE: usize = 20;
/// The maximum number of HTML tags that are interpreted; further ones are shown as text.
const MAX_TAGS: usize = 2_000;

static CLEANER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    let mut builder = ammonia::Builder::empty();
    builder
        .tags(TAGS.iter().copied().collect())
        .generic_attributes(HashSet::from(["title", "dir"]))
        .tag_attributes(
            [
                ("a", HashSet::from(["href"])),
                ("code", HashSet::from(["class"])),
                ("ol", HashSet::from(["start"])),
                ("td", HashSet::from(["align", "colspan", "rowspan"])),
                ("th", HashSet::from(["align", "colspan", "rowspan"])),
                ("details", HashSet::from(["open"])),
                ("span", HashSet::from(["data-src"])),
            ]
            .into(),
        )
        .allowed_classes([("span", HashSet::from(["remote-image", "task"]))].into())
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("code", "class") => language_class(value).map(Cow::Owned),
            _ => Some(Cow::Borrowed(value)),
        })
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .clean_content_tags(HashSet::from([
            "script", "style", "title", "iframe", "svg", "math", "noscript",
        ]))
        .strip_comments(true);
    builder
});

static TEXT_ONLY: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    let mut builder = ammonia::Builder::empty();
    builder.clean_content_tags(HashSet::from(["script", "style", "title"]));
    builder
});

/// Converts Markdown to sanitized HTML without scripts, styles, forms and remote content. An image
/// becomes `<span class="remote-image" data-src=URL>alt</span>`, and a checkbox a character.
pub fn from_markdown(markdown: &str) -> String {
    let plain = strip_ansi(markdown);
    let markdown = truncate(&plain);
    let mut image: Option<(String, String)> = None;
    let (mut depth, mut tags) = (0_usize, 0_usize);
    let bounded_events = Parser::new_ext(&markdown, OPTIONS).filter_map(|event| match event {
        Event::Start(_) => {
            depth += 1;
            (depth <= MAX_DEPTH).then_some(event)
        }
        Event::End(_) => {
            depth = depth.saturating_sub(1);
            (depth < MAX_DEPTH).then_some(event)
        }
        Event::Html(html) | Event::InlineHtml(html) if tags >= MAX_TAGS => Some(Event::Text(html)),
        Event::Html(ref html) | Event::InlineHtml(ref html) => {
            let tag_count = html.matches('<').count();
            tags += tag_count;
            if tag_count > MAX_TAGS { Some(Event::Text(html.clone())) } else { Some(event) }
        }
        event => Some(event),
    });
    let events = bounded_events.filter_map(|event| match event {
        Event::Start(Tag::Image { dest_url, .. }) => {
            image = Some((dest_url.into_string(), String::new()));
            None
        }
        Event::End(TagEnd::Image) => {
            image.take().map(|(src, alt)| Event::InlineHtml(placeholder(&src, &alt).into()))
        }
        Event::Text(text) | Event::Code(text) if image.is_some() => {
            if let Some((_, alt)) = &mut image {
                alt.push_str(&text);
            }
            None
        }
        _ if image.is_some() => None,
        Event::TaskListMarker(is_done) => {
            let mark = if is_done { "☑" } else { "☐" };
            Some(Event::InlineHtml(format!("<span class=\"task\">{mark}</span> ").into()))
        }
        Event::SoftBreak => Some(Event::HardBreak),
        Event::Html(html) if contains_image(&html) => Some(Event::Html(mask_images(&html).into())),
        Event::InlineHtml(html) if contains_image(&html) => {
            Some(Event::InlineHtml(mask_images(&html).into()))
        }
        Event::InlineHtml(html) if !is_known_tag(&html) => Some(Event::Text(html)),
        event => Some(event),
    });
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    pulldown_cmark::html::push_html(&mut html, events);
    CLEANER.clean(&html).to_string()
}

fn contains_image(html: &str) -> bool {
    html.as_bytes().windows(4).any(|tag| tag.eq_ignore_ascii_case(b"<img"))
}

/// Replaces the `<img>` tags of an HTML fragment with the spans of [`from_markdown`].
fn mask_images(html: &str) -> String {
    let replace = |caps: &Captures| {
        if !caps[1].eq_ignore_ascii_case("img") || caps[0].starts_with("</") {
            return caps[0].to_owned();
        }
        let value = |name: &str| {
            let captures = ATTRIBUTE
                .captures_iter(&caps[2])
                .find(|part| part[1].eq_ignore_ascii_case(name))?;
            let value = captures.get(2).or_else(|| captures.get(3)).or_else(|| captures.get(4))?;
            Some(html_escape::decode_html_entities(value.as_str()).into_owned())
        };
        let alt = value("alt").filter(|alt| !alt.trim().is_empty());
        placeholder(&value("src").unwrap_or_default(), &alt.unwrap_or_default())
    };
    TAG.replace_all(html, replace).into_owned()
}

/// Returns the span that replaces an image.
fn placeholder(src: &str, alt: &str) -> String {
    let src = html_escape::encode_double_quoted_attribute(src);
    let alt = html_escape::encode_text(if alt.is_empty() { "image" } else { alt });
    format!("<span class=\"remote-image\" data-src=\"{src}\">{alt}</span>")
}

/// Returns the class for syntax highlighting of a code block, such as `language-rust`.
fn language_class(classes: &str) -> Option<String> {
    let label =
        classes.split_ascii_whitespace().find_map(|class| class.strip_prefix("language-"))?;
    let is_named = |c: &char| c.is_ascii_alphanumeric() || matches!(*c, '+' | '#' | '-');
    let name: String = label.chars().take_while(is_named).take(MAX_LANGUAGE).collect();
    (!name.is_empty()).then(|| format!("language-{}", name.to_ascii_lowercase()))
}

/// The maximum number of passes, after which every `<` is escaped.
const MAX_PASSES: usize = 4;

/// Escapes all HTML in Markdown.
pub fn escape_html(markdown: &str) -> String {
    let mut text = markdown.to_owned();
    for _ in 0..MAX_PASSES {
        let offsets: Vec<usize> = Parser::new_ext(&text, OPTIONS)
            .into_offset_iter()
            .filter(|(event, _)| matches!(event, Event::Html(_) | Event::InlineHtml(_)))
            .flat_map(|(_, range)| {
                text[range.clone()].match_indices('<').map(move |(offset, _)| range.start + offset)
            })
            .collect();
        if offsets.is_empty() {
            return text;
        }
        let mut out = String::with_capacity(text.len() + offsets.len() * 3);
        let mut start = 0;
        for offset in offsets {
            out.push_str(&text[start..offset]);
            out.push_str("&lt;");
            start = offset + 1;
        }
        out.push_str(&text[start..]);
        // Escaping a tag may expose a code fence inside it, so parse again.
        text = out;
    }
    text.replace('<', "&lt;")
}

fn truncate(markdown: &str) -> Cow<'_, str> {
    if markdown.len() <= MAX_INPUT {
        return Cow::Borrowed(markdown);
    }
    let end = markdown.floor_char_boundary(MAX_INPUT);
    Cow::Owned(format!(
        "{}\n\n*… truncated here: {} more characters. Open it in the tracker to read the rest.*",
        &markdown[..end],
        markdown[end..].chars().count()
    ))
}

/// Decodes the HTML entities of a string without tags.
pub fn decode_entities(text: &str) -> String {
    html_escape::decode_html_entities(text).into_owned()
}

/// Converts an HTML fragment to text without tags, comments, scripts and styles. Block elements
/// begin new lines, and table cells are separated.
pub fn to_text(html: &str) -> String {
    text_and_targets(html, &mut Vec::new())
}

/// Converts as [`to_text`] does, and adds the targets of links and images to `targets`. Unknown
/// tags, such as elements of a pasted configuration, are kept as text.
pub(super) fn text_and_targets(html: &str, targets: &mut Vec<String>) -> String {
    let spaced_html = TAG.replace_all(html, |tag: &Captures<'_>| {
        let full_tag = &tag[0];
        if !is_known_tag(full_tag) {
            return format!("&lt;{}", &full_tag[1..]);
        }
        let separator = tag_separator(&tag[1]);
        let alt_text =
            if full_tag.starts_with("</") { None } else { image_alt(&tag[1], &tag[2], targets) };
        format!(
            "{separator}{full_tag}{}{separator}",
            alt_text.map(|alt| format!(" {alt} ")).unwrap_or_default()
        )
    });
    let mut clean = String::new();
    let mut rest = &spaced_html[..];
    // Sanitize in batches of tags, because the time is quadratic in the nesting depth.
    while let Some((end, _)) = rest.match_indices('<').nth(MAX_TAGS) {
        clean.push_str(&TEXT_ONLY.clean(&rest[..end]).to_string());
        rest = &rest[end..];
    }
    clean.push_str(&TEXT_ONLY.clean(rest).to_string());
    let text = html_escape::decode_html_entities(&clean);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the separator between the words around a tag.
pub(super) fn tag_separator(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    match name.as_str() {
        "td" | "th" => " ",
        name if BLOCK_TAGS.contains(name) => "\n",
        _ => "",
    }
}

/// Returns the text that replaces an inline tag: a separator and the alternative text of an image.
/// Adds the image's address to `targets`.
pub(super) fn inline_tag_text(tag: &str, targets: &mut Vec<String>) -> String {
    let Some(captures) = TAG.captures(tag) else { return String::new() };
    let mut out = tag_separator(&captures[1]).to_owned();
    if !tag.starts_with("</")
        && let Some(alt) = image_alt(&captures[1], &captures[2], targets)
    {
        out.push_str(&format!(" {alt} "));
    }
    out
}

/// Returns the alternative text of an image. Adds the addresses and titles of images and links to
/// `targets`.
fn image_alt(name: &str, attributes: &str, targets: &mut Vec<String>) -> Option<String> {
    if !attributes.contains('=') {
        return None;
    }
    let is_image = name.eq_ignore_ascii_case("img");
    let mut alt = None;
    for caps in ATTRIBUTE.captures_iter(attributes) {
        let value =
            caps.get(2).or_else(|| caps.get(3)).or_else(|| caps.get(4)).map_or("", |v| v.as_str());
        match caps[1].to_ascii_lowercase().as_str() {
            "alt" if is_image && !value.trim().is_empty() => alt = Some(value.to_owned()),
            "alt" => {}
            _ => push_target(&html_escape::decode_html_entities(value), targets),
        }
    }
    alt
}

/// The maximum length of a link target, in bytes.
const MAX_TARGET: usize = 2_000;

/// Adds the address or title of a link to `targets`, except `data:` URLs.
pub(super) fn push_target(address: &str, targets: &mut Vec<String>) {
    let address = address.trim();
    if !address.is_empty() && address.len() <= MAX_TARGET && !address.starts_with("data:") {
        targets.push(address.to_owned());
    }
}

/// Returns whether `<name …>` or `</name>` is a tag of HTML; `<T>` is not.
pub(super) fn is_known_tag(tag: &str) -> bool {
    let name = tag.trim_start_matches('<').trim_start_matches('/');
    if name.starts_with('!') || name.starts_with('?') {
        return true;
    }
    let end = name.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(name.len());
    // A single capital letter is usually a type parameter.
    let name = &name[..end];
    if name.len() == 1 && name.bytes().all(|b| b.is_ascii_uppercase()) {
        return false;
    }
    let name = name.to_ascii_lowercase();
    TAGS.contains(&name) || HIDDEN_TAGS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_markup_is_removed() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg onload=alert(1)><script>alert(1)</script></svg>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "[x](javascript:alert(1))",
            "[x](data:text/html,<script>alert(1)</script>)",
            "<iframe src=https://example.com></iframe>",
            "<p style=\"position:fixed\" onclick=alert(1)>x</p>",
            "<meta http-equiv=refresh content=0>",
            "<form action=https://example.com><input name=a></form>",
            "![a\"onerror=alert(1)](https://example.com/\"onload=alert(1).png)",
            "<div class=\"app\" id=\"root\">x</div>",
        ] {
            let html = from_markdown(hostile);
            for bad in [
                "<script",
                "<img",
                "<svg",
                "<iframe",
                "<meta",
                "<form",
                "<input",
                "javascript:",
                "href=\"data:",
                " onclick",
                " onerror=",
                " onload=",
                "style=",
                "id=\"root\"",
                "class=\"app\"",
            ] {
                let inside_value = bad.starts_with(" on") && html.contains("data-src");
                assert!(inside_value || !html.contains(bad), "{hostile} -> {html}");
            }
        }
    }

    #[test]
    fn html_in_markdown_becomes_text_in_any_context() {
        for (markdown, expected) in [
            ("a <b>bold</b>", "a &lt;b>bold&lt;/b>"),
            ("`<b>` and <https://x.example>", "`<b>` and <https://x.example>"),
            ("one ` tick <img src=x>", "one ` tick &lt;img src=x>"),
            ("```a`b\n<img src=x>", "```a`b\n&lt;img src=x>"),
            ("text\n    ```\n<img src=x>", "text\n    ```\n&lt;img src=x>"),
            ("<httpx onclick=a()>", "&lt;httpx onclick=a()>"),
            ("> e <!doc\n> It <b", "> e &lt;!doc\n> It <b"),
            (
                "<!--\n```\n-->\n```\n<img src=x>\n```",
                "&lt;!--\n```\n-->\n```\n&lt;img src=x>\n```",
            ),
        ] {
            assert_eq!(escape_html(markdown), expected);
        }
    }

    #[test]
    fn only_the_language_class_is_kept() {
        let code = |class: &str| format!("<pre><code{class}>x\n</code></pre>\n");
        for (markdown, class) in [
            ("```rust\nx\n```", " class=\"language-rust\""),
            ("```C++ linenos\nx\n```", " class=\"language-c++\""),
            ("```rust,ignore\nx\n```", " class=\"language-rust\""),
            ("~~~ c#\nx\n~~~", " class=\"language-c#\""),
            ("```\nx\n```", ""),
            ("```{.python}\nx\n```", ""),
            ("    x\n", ""),
        ] {
            assert_eq!(from_markdown(markdown), code(class), "{markdown}");
        }
        assert_eq!(
            from_markdown("<code class=\"app hit\">x</code>").trim(),
            "<p><code>x</code></p>"
        );
        assert_eq!(
            from_markdown("<code class=\"app language-go fold\">x</code>").trim(),
            "<p><code class=\"language-go\">x</code></p>"
        );
    }

    #[test]
    fn checkboxes_become_characters() {
        assert_eq!(
            from_markdown("- [x] searched\n- [ ] asked"),
            "<ul>\n<li><span class=\"task\">☑</span> searched</li>\n<li><span class=\"task\">☐</span> asked</li>\n</ul>\n"
        );
    }

    /// Each of these inputs once took quadratic time: minutes for a report of this size.
    #[test]
    fn deep_nesting_is_flattened() {
        for (mark, element) in [("> ", "<blockquote>"), ("- ", "<ul>"), ("<div>", "<div>")] {
            let html = from_markdown(&format!("{}x", mark.repeat(MAX_INPUT / 2 / mark.len())));
            assert!(html.contains('x') && html.matches(element).count() <= MAX_TAGS, "{mark}");
        }
        let html = format!("{}x", "<div>".repeat(100_000));
        assert_eq!(to_text(&html), "x");
        assert_eq!(from_markdown("> - a\n>   - b").matches("<ul>").count(), 2);
    }

    #[test]
    fn images_load_only_on_request() {
        assert_eq!(
            from_markdown("![screen shot](https://example.com/a.png)").trim(),
            "<p><span class=\"remote-image\" data-src=\"https://example.com/a.png\">screen shot</span></p>"
        );
        assert_eq!(
            from_markdown("<img width=\"4\" src='https://example.com/a.png?x=1&amp;y=2'>x").trim(),
            "<p><span class=\"remote-image\" data-src=\"https://example.com/a.png?x=1&amp;y=2\">image</span>x</p>"
        );
    }

    #[test]
    fn blocks_and_cells_are_separated() {
        for (html, expected) in [
            (
                "<table><tr><td>alpha</td><td>beta</td></tr><tr><td>gamma</td></tr></table>",
                "alpha    beta\ngamma",
            ),
            ("<ul><li>one</li><li>two</li></ul><p>three</p>four", "one\ntwo\nthree\nfour"),
            ("<dl><dt>key</dt><dd>value</dd></dl>a<br>b<BR/>c", "key\nvalue\na\nb\nc"),
            ("<details><summary>Log</summary>boom</details>", "Log\nboom"),
            ("fire<b>wire</b>d H<sub>2</sub>O &lt;p&gt;x", "firewired H2O <p>x"),
            (
                "<p title='a < b'>x</p><select><option>5</option><option>6</option></select>",
                "x\n5\n6",
            ),
            (
                "<p>see <img alt=\"the valve\" src=\"https://w.example/v.png\">here</p>",
                "see  the valve here",
            ),
            (
                "<config>\n<entry key=\"pump\">on</entry>",
                "<config>\n<entry key=\"pump\">on</entry>",
            ),
            ("<style>p > b { }</style><script>if (a<b) { c>d }</script><!-- <li>x -->y", "y"),
        ] {
            assert_eq!(to_text(html), expected, "{html}");
        }
        let mut targets = Vec::new();
        text_and_targets(
            "<a href='https://w.example/q?a=1&amp;b=2' title=doc>x</a><img src=data:image/png;base64,AAAA>",
            &mut targets,
        );
        assert_eq!(targets, ["https://w.example/q?a=1&b=2", "doc"]);
    }

    #[test]
    fn line_breaks_are_preserved() {
        assert_eq!(from_markdown("a\nb").trim(), "<p>a<br>\nb</p>");
    }

    #[test]
    fn very_long_text_is_truncated_with_a_note() {
        let html = from_markdown(&"ä".repeat(MAX_INPUT));
        assert!(html.len() < MAX_INPUT * 2 && html.contains("more characters"));
    }
}
