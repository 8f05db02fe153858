//! HTML that people wrote in a tracker's editor (Azure DevOps, Zendesk) as Markdown. What is kept is what a reader sees; the
//! result is cleaned like any other text before it is shown.

use html_escape::decode_html_entities;

/// Whether a text is HTML as a whole: it begins with an element of the editor's, or holds several that divide it.
pub fn is_html(text: &str) -> bool {
    let text = text.trim_start();
    if !text.contains('<') || !text.contains('>') {
        return false;
    }
    let known = |tag: &Tag<'_>| {
        matches!(
            tag.name.as_str(),
            "p" | "div"
                | "br"
                | "ul"
                | "ol"
                | "li"
                | "table"
                | "tr"
                | "td"
                | "span"
                | "b"
                | "strong"
                | "i"
                | "em"
                | "a"
                | "pre"
                | "code"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "html"
                | "body"
                | "blockquote"
                | "font"
                | "img"
        )
    };
    let begins = text.starts_with('<') && tag(text).is_some_and(|(t, _)| known(&t));
    let closing = ["</p>", "</div>", "</li>", "</td>", "<br>", "<br/>", "<br />"];
    let lower = text.to_ascii_lowercase();
    let blocks: usize = closing.iter().map(|c| lower.matches(c).count()).sum();
    // Markdown may hold a line of HTML; where it has blocks of its own it is Markdown.
    let markdown = text.contains("```") || text.lines().any(|l| l.starts_with("# ") || l.starts_with("## "));
    !markdown && ((begins && (blocks > 0 || lower.contains("</"))) || blocks > 2)
}

struct Tag<'a> {
    name: String,
    closes: bool,
    rest: &'a str,
}

/// The tag that a text begins with, and what follows it.
fn tag(text: &str) -> Option<(Tag<'_>, &str)> {
    let inner = text.strip_prefix('<')?;
    if let Some(comment) = inner.strip_prefix("!--") {
        let after = comment.split_once("-->").map_or("", |(_, after)| after);
        return Some((Tag { name: "!".to_owned(), closes: false, rest: "" }, after));
    }
    let end = inner.find('>')?;
    let (inside, after) = (&inner[..end], &inner[end + 1..]);
    let (closes, inside) = inside.strip_prefix('/').map_or((false, inside), |i| (true, i));
    let length = inside.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inside.len());
    let (name, rest) = inside.split_at(length);
    let good = name.starts_with(|c: char| c.is_ascii_alphabetic()) || inside.starts_with(['!', '?']);
    good.then(|| (Tag { name: name.to_ascii_lowercase(), closes, rest }, after))
}

/// An attribute's value.
fn attribute(rest: &str, name: &str) -> Option<String> {
    let lower = rest.to_ascii_lowercase();
    let at = lower.find(&format!("{name}="))? + name.len() + 1;
    let value = &rest[at..];
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split(|c: char| c.is_whitespace() || c == '/').next()?,
    };
    Some(decode_html_entities(value).into_owned())
}

#[derive(Default)]
struct Out {
    text: String,
    /// Line breaks that are due before the next word.
    breaks: usize,
    space: bool,
    lists: Vec<Option<u32>>,
    pre: usize,
    /// How deep in what is never shown.
    hidden: usize,
    links: Vec<Option<String>>,
    cells: usize,
}

impl Out {
    fn block(&mut self, breaks: usize) {
        if !self.text.is_empty() {
            self.breaks = self.breaks.max(breaks);
        }
        self.space = false;
    }

    fn put(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.breaks > 0 {
            self.text.extend(std::iter::repeat_n('\n', self.breaks));
            self.breaks = 0;
        } else if self.space && !self.text.ends_with(['\n', ' ']) {
            self.text.push(' ');
        }
        self.space = false;
        self.text.push_str(text);
    }

    /// A mark that stands at the end of a word.
    fn close(&mut self, mark: &str) {
        if self.breaks == 0 {
            self.text.push_str(mark);
        }
    }

    fn words(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        let text = decode_html_entities(text);
        if self.pre > 0 {
            self.put(&text);
            return;
        }
        for (n, word) in text.split(|c: char| c.is_ascii_whitespace() || c == '\u{a0}').enumerate() {
            self.space |= n > 0 && self.breaks == 0;
            self.put(word);
        }
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        let opens = !tag.closes;
        match tag.name.as_str() {
            "script" | "style" | "title" | "head" => {
                self.hidden = if opens { self.hidden + 1 } else { self.hidden.saturating_sub(1) };
            }
            "br" => {
                self.breaks = (self.breaks + usize::from(!self.text.is_empty())).min(2);
                self.space = false;
            }
            "p" | "div" | "blockquote" | "table" | "section" | "article" | "hr" | "details" => {
                self.block(if tag.name == "div" { 1 } else { 2 });
                if opens && tag.name == "blockquote" {
                    self.put("> ");
                }
            }
            "summary" | "tbody" | "thead" | "dl" | "dt" | "dd" => self.block(1),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => {
                self.block(2);
                if opens {
                    let level = tag.name[1..].parse().unwrap_or(3);
                    self.put(&format!("{} ", "#".repeat(level)));
                }
            }
            "ul" | "ol" => {
                self.block(if self.lists.is_empty() { 2 } else { 1 });
                if opens {
                    self.lists.push((tag.name == "ol").then_some(0));
                } else {
                    self.lists.pop();
                }
            }
            "li" if opens => {
                self.block(1);
                let indent = "  ".repeat(self.lists.len().saturating_sub(1).min(8));
                let mark = match self.lists.last_mut() {
                    Some(Some(n)) => {
                        *n += 1;
                        format!("{indent}{n}. ")
                    }
                    _ => format!("{indent}- "),
                };
                self.put(&mark);
            }
            "tr" => {
                self.block(1);
                self.cells = 0;
            }
            "td" | "th" if opens => {
                self.cells += 1;
                if self.cells > 1 {
                    self.breaks = 0;
                    self.close(" | ");
                }
            }
            "pre" => {
                self.block(if opens { 2 } else { 1 });
                self.put("```");
                self.breaks = if opens { 1 } else { 2 };
                self.pre = if opens { self.pre + 1 } else { self.pre.saturating_sub(1) };
            }
            "code" | "tt" | "kbd" if self.pre == 0 => self.mark(opens, "`"),
            "b" | "strong" => self.mark(opens, "**"),
            "i" | "em" => self.mark(opens, "*"),
            "a" if opens => {
                let target = attribute(tag.rest, "href").filter(|h| h.starts_with("http"));
                if target.is_some() {
                    self.put("[");
                }
                self.links.push(target);
            }
            "a" => {
                if let Some(Some(target)) = self.links.pop() {
                    self.text.push_str(&format!("]({target})"));
                }
            }
            "img" => {
                let (alt, source) = (attribute(tag.rest, "alt"), attribute(tag.rest, "src"));
                if let Some(source) = source.filter(|s| s.starts_with("http")) {
                    self.put(&format!("![{}]({source})", alt.unwrap_or_default()));
                }
            }
            _ => {}
        }
    }

    fn mark(&mut self, opens: bool, mark: &str) {
        if self.pre > 0 || self.hidden > 0 {
            return;
        }
        if opens { self.put(mark) } else { self.close(mark) }
    }
}

/// HTML as Markdown: paragraphs, lists, tables, code and links; nothing else of it.
pub fn to_markdown(html: &str) -> String {
    let mut out = Out::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        out.words(&rest[..at]);
        rest = &rest[at..];
        match tag(rest) {
            Some((tag, after)) => {
                out.tag(&tag);
                rest = after;
            }
            None => {
                out.words("<");
                rest = &rest[1..];
            }
        }
    }
    out.words(rest);
    let text = out.text.trim();
    // Bold and italic of nothing.
    text.replace("****", "").replace("``````", "")
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
        assert_eq!(
            to_markdown(html),
            "The **valve** leaks.\nTwice & loudly.\n\n- open it\n- close it\n\n```\nfn main() {\n    leak();\n}\n```\n\na | b\nc | d\n\nSee [the page](https://x.example/1)."
        );
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
