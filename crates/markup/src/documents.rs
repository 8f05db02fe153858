//! Document markups: AsciiDoc, Org, RDoc, Pod.

use regex::Captures;

use super::{
    BOLD, CODE_EQUALS, CODE_PLUS, CODE_TILDE, ITALIC_SLASH, Line, STRIKETHROUGH_PLUS, Writer, link,
    pattern, take_block,
};

pub(super) fn ascii_doc(text: &str) -> String {
    let mut out = Writer::default();
    let mut lines = text.lines();
    let (mut language, mut in_table, mut in_quote) = (String::new(), false, false);
    let mut row: Vec<String> = Vec::new();
    let mut columns = 0;
    while let Some(line) = lines.next() {
        let body = line.trim();
        if in_table {
            if body.starts_with("|===") {
                in_table = false;
                if !row.is_empty() {
                    out.row(&std::mem::take(&mut row));
                }
                continue;
            }
            let cells: Vec<String> =
                body.split('|').skip(1).map(|c| ascii_doc_line(c.trim())).collect();
            if cells.is_empty() {
                continue;
            }
            // The first line with cells determines the number of columns.
            columns = if columns == 0 { cells.len() } else { columns };
            row.extend(cells);
            let full_len = row.len() - row.len() % columns;
            row.drain(..full_len).as_slice().chunks(columns).for_each(|cells| out.row(cells));
            continue;
        }
        if body == "```" || pattern!(r"^(-{4,}|\.{4,})$").is_match(body) {
            let code: Vec<&str> = lines.by_ref().take_while(|l| l.trim() != body).collect();
            out.code(&std::mem::take(&mut language), code);
        } else if pattern!(r"^/{4,}$").is_match(body) {
            lines.by_ref().take_while(|l| l.trim() != body).for_each(drop);
        } else if pattern!(r"^_{4,}$").is_match(body) {
            in_quote = !in_quote;
        } else if pattern!(r"^(={4,}|\*{4,}|\+{4,}|--)$").is_match(body) || body.starts_with("//") {
        } else if body.starts_with("|===") {
            (in_table, columns) = (true, 0);
        } else if let Some(caps) = pattern!(r"^(={1,6})\s+(.+?)(?:\s+=+)?$").captures(line) {
            out.heading(caps[1].len(), &ascii_doc_line(&caps[2]));
        } else if pattern!(r"^:!?[\w-]+!?:").is_match(line)
            || pattern!(r"^(include|ifdef|ifndef|endif|toc)::").is_match(line)
        {
        } else if let Some(caps) = pattern!(r"^\[(.*)\]$").captures(body) {
            if let Some(name) = caps[1].strip_prefix("source") {
                language = name.split(',').nth(1).unwrap_or_default().trim().to_owned();
            }
        } else if let Some(caps) = pattern!(r"^image::?([^\[]+)\[([^\]]*)\]$").captures(body) {
            out.line(&format!("![{}]({})", &caps[2], &caps[1]));
        } else if let Some(caps) = pattern!(r"^\.([^\s.].*)$").captures(line) {
            out.line(&format!("**{}**", ascii_doc_line(&caps[1])));
        } else if let Some(caps) = pattern!(r"^(\*{1,6}|-|\.{1,6})\s+(.+)$").captures(body) {
            out.item(caps[1].len(), caps[1].starts_with('.'), &ascii_doc_line(&caps[2]));
        } else if let Some(caps) =
            pattern!(r"^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+(.*)$").captures(body)
        {
            let (first, rest) = caps[1].split_at(1);
            out.line(&format!("**{first}{}:** {}", rest.to_lowercase(), ascii_doc_line(&caps[2])));
        } else if let Some(caps) = pattern!(r"^(\S.*?)::(?:\s+(.+))?$").captures(body) {
            let words = caps.get(2).map_or("", |m| m.as_str());
            out.line(&format!("- **{}**: {}", &caps[1], ascii_doc_line(words)));
        } else if body == "+" {
            out.line("");
        } else {
            let line = ascii_doc_line(body.strip_suffix(" +").unwrap_or(body));
            out.line(&format!("{}{line}", if in_quote { "> " } else { "" }));
        }
    }
    out.finish()
}

fn ascii_doc_line(text: &str) -> String {
    Line::new(text)
        .mask(pattern!(r"`\+?([^`]+?)\+?`"), "`$1`")
        .mask(pattern!(r"image:([^\s\[:]+)\[([^\]]*)\]"), "![$2]($1)")
        .links(pattern!(r"(?:link|xref):([^\s\[]+)\[([^\]]*)\]"), "$2", "$1")
        .links(pattern!(r"((?:https?|ftp|mailto):[^\s\[\]<>]+)\[([^\]]*)\]"), "$2", "$1")
        .mask_urls()
        .replace(pattern!(r"<<([^,>]+)(?:,\s*([^>]+))?>>"), |c: &Captures<'_>| {
            c.get(2).map_or(c[1].to_owned(), |m| m.as_str().to_owned())
        })
        .replace(pattern!(r"\[\[[^\]]*\]\]|\[#[^\]]*\]|kbd:|btn:|menu:"), "")
        .emphasize(&[&CODE_PLUS, &BOLD])
        .italics()
        .finish()
}

pub(super) fn org(text: &str) -> String {
    let mut out = Writer::default();
    let mut lines = text.lines().peekable();
    let mut in_quote = false;
    while let Some(line) = lines.next() {
        let content = line.trim();
        let lower = content.to_lowercase();
        if let Some(caps) = pattern!(r"(?i)^#\+begin_(\w+)\s*(\S*)").captures(content) {
            let kind = caps[1].to_lowercase();
            if matches!(kind.as_str(), "quote" | "center" | "verse") {
                in_quote = kind == "quote";
                continue;
            }
            let end = format!("#+end_{kind}");
            let body: Vec<&str> =
                lines.by_ref().take_while(|l| l.trim().to_lowercase() != end).collect();
            if kind != "comment" {
                out.code(if kind == "src" { &caps[2] } else { "" }, body);
            }
        } else if lower.starts_with("#+end_") {
            in_quote = false;
        } else if let Some(title) =
            lower.starts_with("#+title:").then(|| &content["#+title:".len()..])
        {
            out.heading(1, &org_line(title.trim()));
        } else if content.starts_with("#+") || content == "#" || content.starts_with("# ") {
        } else if lower == ":properties:" || lower == ":logbook:" {
            lines.by_ref().take_while(|l| !l.trim().eq_ignore_ascii_case(":end:")).for_each(drop);
        } else if let Some(caps) = pattern!(r"^(\*+)\s+(.+?)(?:\s+:[\w@:]+:)?$").captures(line) {
            out.heading(caps[1].len(), &org_line(&caps[2]));
        } else if content == ":" || content.starts_with(": ") {
            let is_code = |l: &str| l.trim() == ":" || l.trim().starts_with(": ");
            let code = take_block(content, &mut lines, is_code).into_iter();
            out.code("", code.map(|l| l.trim().get(2..).unwrap_or("")));
        } else if content.starts_with("|-") {
        } else if let Some(row) = content.strip_prefix('|') {
            let row: Vec<String> =
                org_line(row.trim_end_matches('|')).split('|').map(str::to_owned).collect();
            out.row(&row);
        } else {
            let indent = &line[..line.len() - line.trim_start().len()];
            out.line(&format!("{indent}{}{}", if in_quote { "> " } else { "" }, org_line(content)));
        }
    }
    out.finish()
}

fn org_line(text: &str) -> String {
    Line::new(text)
        .links(pattern!(r"\[\[([^\]]+)\]\[([^\]]+)\]\]"), "$2", "$1")
        .links(pattern!(r"\[\[([^\]]+)\]\]"), "", "$1")
        .mask_urls()
        .emphasize(&[&CODE_EQUALS, &CODE_TILDE])
        .mask_code()
        .emphasize(&[&STRIKETHROUGH_PLUS, &BOLD, &ITALIC_SLASH])
        .finish()
}

pub(super) fn rdoc(text: &str) -> String {
    let mut out = Writer::default();
    let mut lines = text.lines().peekable();
    let mut in_list = false;
    while let Some(line) = lines.next() {
        let body = line.trim();
        if let Some(caps) = pattern!(r"^(={1,6})\s*(.+)$").captures(line) {
            out.heading(caps[1].len(), &rdoc_line(&caps[2]));
            in_list = false;
        } else if let Some(caps) =
            pattern!(r"^\s*(?:([*-])|(?:\d+|[a-zA-Z])\.)\s+(.+)$").captures(line)
        {
            out.item(
                1 + (line.len() - line.trim_start().len()) / 2,
                caps.get(1).is_none(),
                &rdoc_line(&caps[2]),
            );
            in_list = true;
        } else if let Some(caps) =
            pattern!(r"^(?:\[([^\]]+)\]|(\S[^:]*)::)(?:\s+(.+))?$").captures(body)
        {
            let label = caps.get(1).or(caps.get(2)).map_or("", |m| m.as_str());
            let words = caps.get(3).map_or("", |m| m.as_str());
            out.line(&format!("- **{label}**: {}", rdoc_line(words)));
            in_list = true;
        } else if line.starts_with([' ', '\t']) && !body.is_empty() && !in_list {
            let belongs = |l: &str| l.starts_with([' ', '\t']) || l.trim().is_empty();
            out.code("", take_block(line, &mut lines, belongs));
        } else {
            in_list = in_list && (body.is_empty() || line.starts_with(' '));
            out.line(&rdoc_line(body));
        }
    }
    out.finish()
}

fn rdoc_line(text: &str) -> String {
    let links = pattern!(
        r"\{([^}]+)\}\[(?:link:)?([^\]]+)\]|(\w+)\[(?:link:([^\]]+)|((?:https?|mailto):[^\]]+))\]"
    );
    Line::new(text)
        .mask(pattern!(r"<(?:tt|code)>(.+?)</(?:tt|code)>"), "`$1`")
        .emphasize(&[&CODE_PLUS])
        .mask_code()
        .links(links, "$1$3", "$2$4$5")
        .mask_urls()
        .replace(pattern!(r"</?(?:b|strong)>"), "**")
        .replace(pattern!(r"</?(?:em|i)>"), "*")
        .emphasize(&[&BOLD])
        .italics()
        .finish()
}

pub(super) fn pod(text: &str) -> String {
    let mut out = Writer::default();
    let mut in_pod = false;
    let mut is_omitted = false;
    let mut depth = 0;
    // Pod consists of paragraphs; verbatim text with empty lines spans several of them.
    let mut verbatim: Vec<String> = Vec::new();
    for paragraph in text.split("\n\n").chain(["=cut"]) {
        let paragraph = paragraph.trim_start_matches('\n').trim_end();
        if paragraph.is_empty() {
            continue;
        }
        if in_pod && !is_omitted && paragraph.starts_with([' ', '\t']) {
            verbatim.push(paragraph.to_owned());
            continue;
        }
        if !verbatim.is_empty() {
            out.code("", verbatim.join("\n\n").lines());
            verbatim.clear();
        }
        if let Some(command) =
            paragraph.strip_prefix('=').filter(|c| c.starts_with(|c: char| c.is_ascii_alphabetic()))
        {
            let (name, words) = command.split_once([' ', '\n', '\t']).unwrap_or((command, ""));
            in_pod = name != "cut";
            match name {
                "begin" => is_omitted = true,
                "end" => is_omitted = false,
                _ if is_omitted => {}
                "over" => depth += 1,
                "back" => depth = depth.max(1) - 1,
                "item" => {
                    let words = words.trim();
                    let is_ordered = words.starts_with(|c: char| c.is_ascii_digit());
                    let words = pattern!(r"^(?:\*|\d+\.?)(?:\s+|$)").replace(words, "");
                    out.item(depth.max(1), is_ordered, &pod_words(&words, 0));
                    out.line("");
                }
                heading if heading.starts_with("head") => {
                    out.heading(heading[4..].parse().unwrap_or(1), &pod_words(words, 0));
                }
                _ => {}
            }
        } else if in_pod && !is_omitted {
            out.line(&pod_words(&paragraph.replace('\n', " "), 0));
            out.line("");
        }
    }
    out.finish()
}

/// Converts formatting codes such as `B<…>` and `C<< … >>`, which may be nested.
fn pod_words(text: &str, depth: usize) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(code_start) = pattern!(r"[BICFLESXZ]<+").find(rest).filter(|_| depth < 8) {
        let prefix = &rest[..code_start.start()];
        out.push_str(prefix);
        let code = rest[code_start.start()..].chars().next().unwrap_or('Z');
        let angles = code_start.len() - 1;
        let inner = &rest[code_start.end()..];
        let Some(end) = code_end(inner, angles) else {
            out.push_str(code_start.as_str());
            rest = inner;
            continue;
        };
        let words = inner[..end].trim();
        rest = &inner[end + angles..];
        match code {
            'B' => out.push_str(&format!("**{}**", pod_words(words, depth + 1))),
            'I' => out.push_str(&format!("*{}*", pod_words(words, depth + 1))),
            'C' | 'F' => out.push_str(&format!("`{words}`")),
            'L' => match words.split_once('|') {
                Some((label, address)) => out.push_str(&link(label, address)),
                None if words.contains("://") => out.push_str(&link("", words)),
                None => out.push_str(words),
            },
            'E' => out.push_str(match words {
                "lt" => "<",
                "gt" => ">",
                "verbar" => "|",
                "sol" => "/",
                _ => "",
            }),
            'S' => out.push_str(&pod_words(words, depth + 1)),
            _ => {}
        }
    }
    out.push_str(rest);
    out
}

/// The maximum length of the text in a formatting code, in bytes, which bounds the search for its
/// end.
const MAX_CODE: usize = 20_000;

/// Returns the offset at which `angles` angle brackets close a formatting code.
fn code_end(text: &str, angles: usize) -> Option<usize> {
    let text = &text[..text.floor_char_boundary(MAX_CODE)];
    if angles > 1 {
        return text.find(&">".repeat(angles));
    }
    let mut depth = 0_usize;
    for (offset, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if depth == 0 => return Some(offset),
            '>' => depth -= 1,
            _ => {}
        }
    }
    None
}
