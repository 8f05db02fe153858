//! Wiki and tracker markups: Textile, Jira, MediaWiki, Creole.

use super::{BOLD, CODE_AT, INSERTED, Line, STRIKETHROUGH, Writer, pattern, take_block};

/// Parses a list item into its depth, whether it is ordered, and its text.
fn parse_list_item<'a>(line: &'a str, marks: &[char]) -> Option<(usize, bool, &'a str)> {
    let rest = line.trim_start_matches(marks);
    let lead = &line[..line.len() - rest.len()];
    let words = rest.strip_prefix(' ')?;
    (!lead.is_empty() && !words.trim().is_empty()).then(|| (lead.len(), lead.ends_with('#'), words))
}

/// Returns the cells of `|a|b|`.
fn parse_cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::to_owned).collect())
}

/// Reads a block from its first line to the line that contains `close`, or to the end.
fn read_until<'a>(first: &str, close: &str, lines: &mut impl Iterator<Item = &'a str>) -> String {
    let mut block = first.to_owned();
    let mut is_closed = first.contains(close);
    while !is_closed && let Some(line) = lines.next() {
        // Search only the new line; searching the whole block would take quadratic time.
        is_closed = line.contains(close);
        block.push('\n');
        block.push_str(line);
    }
    block
}

pub(super) fn textile(text: &str) -> String {
    let mut out = Writer::default();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let body = line.trim();
        if let Some(start) = pattern!(r"<pre(?:[\s>]|$)").find(body).map(|tag| tag.start()) {
            let prefix = &body[..start];
            if !prefix.trim().is_empty() {
                out.line(&textile_line(prefix));
            }
            let block = read_until(&body[start..], "</pre>", &mut lines);
            let (code, suffix) = block.split_once("</pre>").unwrap_or((&block, ""));
            let language =
                pattern!(r#"<code\s+class="([^"]+)""#).captures(code).map(|c| c[1].to_owned());
            let code = pattern!(r"^<pre[^>]*>\s*?(?:<code[^>]*>)?").replace(code, "");
            let code =
                html_escape::decode_html_entities(code.trim_end().trim_end_matches("</code>"))
                    .into_owned();
            out.code(language.as_deref().unwrap_or(""), code.lines());
            if !suffix.trim().is_empty() {
                out.line(&textile_line(suffix));
            }
        } else if let Some(caps) =
            pattern!(r"^h([1-6])(?:\([^)]*\)|\{[^}]*\}|[<>=]+)*\.\s+(.*)$").captures(body)
        {
            out.heading(caps[1].parse().unwrap_or(1), &textile_line(&caps[2]));
        } else if let Some(caps) = pattern!(r"^bc(?:\([^)]*\))?\.{1,2}\s+(.*)$").captures(body) {
            let first = caps.get(1).map_or("", |m| m.as_str());
            out.code("", take_block(first, &mut lines, |l| !l.trim().is_empty()));
        } else if let Some(words) = body.strip_prefix("bq. ") {
            out.line(&format!("> {}", textile_line(words)));
        } else if let Some((depth, is_ordered, words)) = parse_list_item(line, &['*', '#']) {
            out.item(depth, is_ordered, &textile_line(words));
        } else if let Some(row) = parse_cells(body) {
            let style = pattern!(r"^(?:[_<>=^~]|\\\d+|/\d+|\{[^}]*\})+\.\s?");
            let row = row.iter().map(|cell| textile_line(&style.replace(cell, "")));
            out.row(&row.collect::<Vec<_>>());
        } else {
            let words =
                pattern!(r"^(?:p|fn\d+)(?:\([^)]*\)|\{[^}]*\}|[<>=]+)*\.\s+").replace(body, "");
            let is_omitted = pattern!(r"^\{\{[<>]?\w+(?:\([^)]*\))?\}\}$").is_match(body);
            if !is_omitted {
                out.line(&textile_line(&words));
            }
        }
    }
    out.finish()
}

fn textile_line(text: &str) -> String {
    let links = pattern!(
        r#""([^"\n]+?)(?:\([^)"]*\))?":((?:https?://|mailto:|ftp://|/|#)[^\s<>"|]*[^\s<>"|.,;:!?)])"#
    );
    Line::new(text)
        .mask(pattern!(r"<code>(.*?)</code>"), "`$1`")
        .emphasize(&[&CODE_AT])
        .mask_code()
        .links(links, "$1", "$2")
        .mask(pattern!(r"!([^\s!|(]+\.[A-Za-z]{3,4})(?:\(([^)]*)\))?!"), "![$2]($1)")
        .mask_urls()
        .replace(pattern!(r"\[\[(?:[^\]|]+\|)?([^\]|]+)\]\]"), "$1")
        .emphasize(&[&BOLD])
        .italics()
        .emphasize(&[&STRIKETHROUGH, &INSERTED])
        .finish()
}

/// The maximum number of code blocks that begin on one line.
const MAX_LINE_CODES: usize = 100;

pub(super) fn jira(text: &str) -> String {
    let mut jira = Jira::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut rest = line.trim().to_owned();
        for _ in 0..MAX_LINE_CODES {
            let Some(tail) = jira.code(&rest, &mut lines) else { break };
            rest = tail;
            if rest.trim().is_empty() {
                break;
            }
        }
        if !rest.trim().is_empty() || line.trim().is_empty() {
            jira.words(rest.trim());
        }
    }
    jira.out.finish()
}

/// A converter for Jira's markup.
#[derive(Default)]
struct Jira {
    out: Writer,
    in_quote: bool,
}

impl Jira {
    /// Converts the first code block in a line and the text before it. Returns the text after it,
    /// or `None` if the line has no code.
    fn code<'a>(
        &mut self,
        line: &str,
        lines: &mut impl Iterator<Item = &'a str>,
    ) -> Option<String> {
        let caps = pattern!(r"^(.*?)\{(code|noformat)(?::([^}]*))?\}(.*)$").captures(line)?;
        if !caps[1].trim().is_empty() {
            self.words(caps[1].trim());
        }
        let close = format!("{{{}}}", &caps[2]);
        let block = read_until(&caps[4], &close, lines);
        let (code, suffix) = block.split_once(&close).unwrap_or((&block, ""));
        // `java`, `java|title=X.java`, `title=X.java`
        let language = caps.get(3).and_then(|m| m.as_str().split('|').find(|p| !p.contains('=')));
        self.out.code(language.unwrap_or(""), code.lines());
        Some(suffix.to_owned())
    }

    /// Converts a line without code. `{quote}` may occur within the line.
    fn words(&mut self, line: &str) {
        for (n, part) in line.split("{quote}").enumerate() {
            if n > 0 {
                self.in_quote = !self.in_quote;
                self.out.line("");
            }
            if n == 0 && part == line || !part.trim().is_empty() {
                self.line(part.trim());
            }
        }
    }

    fn line(&mut self, line: &str) {
        let quote = if self.in_quote { "> " } else { "" };
        if let Some(caps) = pattern!(r"^h([1-6])\.\s+(.*)$").captures(line) {
            self.out.heading(caps[1].parse().unwrap_or(1), &jira_line(&caps[2]));
        } else if let Some(words) = line.strip_prefix("bq. ") {
            self.out.line(&format!("> {}", jira_line(words)));
        } else if let Some((depth, is_ordered, words)) = parse_list_item(line, &['*', '#', '-']) {
            self.out.item(depth, is_ordered, &jira_line(words));
        } else if let Some(row) = jira_cells(line) {
            self.out.row(&row);
        } else {
            self.out.line(&format!("{quote}{}", jira_line(line)));
        }
    }
}

/// Returns the cells of `|a|b|` and `||a||b||`; escaped bars belong to the text.
fn jira_cells(line: &str) -> Option<Vec<String>> {
    const BAR: &str = "\u{1}bar\u{2}";
    if !line.starts_with('|') {
        return None;
    }
    let line = jira_line(&line.replace(r"\|", BAR));
    let row = parse_cells(&pattern!(r"\|\|").replace_all(&line, "|"))?;
    Some(row.into_iter().map(|cell| cell.replace(BAR, "|")).collect())
}

fn jira_line(text: &str) -> String {
    let layout = pattern!(
        r"\{(?:color|panel|anchor|expand|section|column|info|note|tip|warning)(?::[^}]*)?\}"
    );
    Line::new(text)
        .mask(pattern!(r"\{\{(.+?)\}\}"), "`$1`")
        .links(pattern!(r"\[([^\]|\n]+)\|([^\]|\n]+)(?:\|[^\]]*)?\]"), "$1", "$2")
        .links(pattern!(r"\[((?:https?|mailto|ftp):[^\]\s]+)\]"), "", "$1")
        .mask(pattern!(r"\[~(?:accountid:)*([^\]]+)\]"), "@$1")
        .mask(pattern!(r"!([^\s!|]+\.[A-Za-z]{3,4})(?:\|[^!]*)?!"), "![]($1)")
        .mask(pattern!(r"https?://[^\s<>|]+"), "$0")
        .mask_with(pattern!(r"\{(?:panel|expand|info|note|tip|warning):([^}]*)\}"), |c| {
            panel_title(&c[1])
        })
        .replace(layout, "")
        .emphasize(&[&BOLD])
        .italics()
        .emphasize(&[&STRIKETHROUGH, &INSERTED])
        .finish()
}

/// Formats the title in a panel's parameters: `title=Workaround|bgColor=#fff` or plain text.
fn panel_title(parameters: &str) -> String {
    let parts = || parameters.split('|').map(str::trim);
    let title = parts()
        .find_map(|p| p.strip_prefix("title="))
        .or_else(|| parts().find(|p| !p.contains('=')));
    title.filter(|t| !t.is_empty()).map(|title| format!("**{title}** ")).unwrap_or_default()
}

pub(super) fn media_wiki(text: &str) -> String {
    let text = pattern!(r"(?s)<!--.*?-->").replace_all(text, "");
    let text = pattern!(r"__[A-Z]+__|\[\[(?i:category):[^\]]*\]\]").replace_all(&text, "");
    let mut out = Writer::default();
    let mut lines = text.lines().peekable();
    let (mut in_table, mut row) = (false, Vec::new());
    while let Some(line) = lines.next() {
        let body = line.trim();
        if let Some(caps) =
            pattern!(r#"^<(pre|source|syntaxhighlight)\b(?:[^>]*?lang="?(\w+)"?)?[^>]*>(.*)$"#)
                .captures(body)
        {
            let close = format!("</{}>", &caps[1]);
            let block = read_until(&caps[3], &close, &mut lines);
            let code = block.split_once(&close).map_or(block.as_str(), |(code, _)| code);
            out.code(caps.get(2).map_or("", |m| m.as_str()), code.lines());
        } else if body.starts_with("{|") {
            in_table = true;
        } else if in_table && (body.starts_with("|-") || body.starts_with("|}")) {
            if !row.is_empty() {
                out.row(&std::mem::take(&mut row));
            }
            in_table = !body.starts_with("|}");
        } else if in_table && body.starts_with("|+") {
            out.line(&media_wiki_line(&body[2..]));
        } else if in_table && body.starts_with(['|', '!']) {
            let separator = if body.starts_with('!') { "!!" } else { "||" };
            for cell in body[1..].split(separator).flat_map(|c| c.split("||")) {
                // Attributes precede a single bar: `| align=left | words`.
                let words = pattern!(r#"^[^|\[]*="[^|]*\|"#).replace(cell, "");
                row.push(media_wiki_line(&words));
            }
        } else if let Some(caps) = pattern!(r"^(={1,6})\s*(.+?)\s*={1,6}$").captures(body) {
            out.heading(caps[1].len(), &media_wiki_line(&caps[2]));
        } else if let Some(caps) = pattern!(r"^([*#]+)\s*(.+)$").captures(line) {
            out.item(caps[1].len(), caps[1].ends_with('#'), &media_wiki_line(&caps[2]));
        } else if let Some(caps) = pattern!(r"^[:;]+\s*(.+)$").captures(line) {
            out.line(&media_wiki_line(&caps[1]));
        } else if !in_table && line.starts_with(' ') && !body.is_empty() {
            let belongs = |l: &str| l.starts_with(' ') && !l.trim().is_empty();
            out.code("", take_block(line, &mut lines, belongs));
        } else {
            out.line(&media_wiki_line(body));
        }
    }
    if !row.is_empty() {
        out.row(&row);
    }
    out.finish()
}

fn media_wiki_line(text: &str) -> String {
    Line::new(text)
        .mask(pattern!(r"<(?:code|tt)>(.*?)</(?:code|tt)>"), "`$1`")
        .mask(pattern!(r"<nowiki>(.*?)</nowiki>"), "$1")
        .links(pattern!(r"\[((?:https?|ftp|mailto):[^\s\]]+)(?:\s+([^\]]+))?\]"), "$2", "$1")
        .mask(pattern!(r"https?://[^\s<>\]]+"), "$0")
        .replace(pattern!(r"\[\[(?:File|Image):[^\]]*\]\]"), "")
        .replace(pattern!(r"\[\[(?:[^\]|]+\|)?([^\]|]+)\]\]"), "$1")
        .replace(pattern!(r"\{\{[^{}]*\}\}|<ref[^>/]*/>"), "")
        .replace(pattern!(r"<ref[^>]*>(.*?)</ref>"), " ($1)")
        .replace(pattern!(r"<br\s*/?>"), " ")
        .replace(pattern!("'''''"), "***")
        .replace(pattern!("'''"), "**")
        .replace(pattern!("''"), "*")
        .finish()
}

pub(super) fn creole(text: &str) -> String {
    let mut out = Writer::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let body = line.trim();
        if body == "{{{" {
            let code: Vec<&str> = lines.by_ref().take_while(|l| l.trim_end() != "}}}").collect();
            out.code("", code);
        } else if let Some(caps) = pattern!(r"^(={1,6})\s*(.+?)\s*=*$").captures(body) {
            out.heading(caps[1].len(), &creole_line(&caps[2]));
        } else if let Some((depth, is_ordered, words)) = parse_list_item(body, &['*', '#'])
            .filter(|_| !body.starts_with("**") || !body[2..].contains("**"))
        {
            out.item(depth, is_ordered, &creole_line(words));
        } else if body.starts_with('|') {
            let line = creole_line(body);
            let row = line.trim_matches('|').split('|').map(|cell| cell.trim_start_matches('='));
            out.row(&row.collect::<Vec<_>>());
        } else {
            out.line(&creole_line(body));
        }
    }
    out.finish()
}

fn creole_line(text: &str) -> String {
    let links = pattern!(r"\[\[((?:https?|ftp|mailto):[^\]|]+)(?:\|([^\]]+))?\]\]");
    Line::new(text)
        .mask(pattern!(r"\{\{\{(.*?)\}\}\}"), "`$1`")
        .mask(pattern!(r"\{\{([^}|]+)(?:\|([^}]*))?\}\}"), "![$2]($1)")
        .links(links, "$2", "$1")
        .replace(pattern!(r"\[\[(?:[^\]|]+\|)?([^\]|]+)\]\]"), "$1")
        .mask(pattern!(r"(?:https?|ftp)://[^\s<>|]+"), "$0")
        .replace(pattern!(r"//(.+?)//"), "*$1*")
        .replace(pattern!(r"\\\\"), " ")
        .finish()
}
