//! A converter of reStructuredText.

use std::{cell::Cell, collections::HashMap};

use super::{Placeholders, Writer, link, pattern};

/// Returns whether a line is the underline or overline of a heading.
fn is_rule(line: &str) -> bool {
    let line = line.trim_end();
    let first = line.chars().next();
    line.len() >= 3
        && first.is_some_and(|c| c.is_ascii_punctuation() && !matches!(c, '|' | '>' | '<'))
        && line.chars().all(|c| Some(c) == first)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The link targets of a text, by name.
struct Targets {
    addresses: HashMap<String, String>,
    /// Remaining number of bytes of addresses, because a short name may repeat a long address.
    budget: Cell<usize>,
}

impl Targets {
    fn new(text: &str) -> Self {
        let addresses = pattern!(r"(?m)^\s*\.\. _`?([^`:\n]+)`?:\s+(\S+)\s*$")
            .captures_iter(text)
            .map(|c| (c[1].trim().to_lowercase(), c[2].to_owned()))
            .collect();
        Self { addresses, budget: Cell::new(text.len() * 4 + 10_000) }
    }

    /// Returns the address of a name; empty if there is none or the budget is exhausted.
    fn address(&self, words: &str) -> String {
        let address = self.addresses.get(&words.to_lowercase());
        let rest = address.and_then(|a| self.budget.get().checked_sub(a.len()));
        self.budget.set(rest.unwrap_or(self.budget.get()));
        address.filter(|_| rest.is_some()).cloned().unwrap_or_default()
    }
}

pub(super) fn convert(text: &str) -> String {
    let targets = Targets::new(text);
    let lines: Vec<&str> = text.lines().collect();
    let mut out = Writer::default();
    // The order of first use determines the heading levels.
    let mut levels: Vec<(char, bool)> = Vec::new();
    let mut level = |rule: char, has_overline: bool| {
        let position = levels.iter().position(|l| *l == (rule, has_overline));
        position.unwrap_or_else(|| {
            levels.push((rule, has_overline));
            levels.len() - 1
        }) + 1
    };
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let body = line.trim();
        let next = lines.get(at + 1).copied().unwrap_or("");
        let rule = body.chars().next().unwrap_or(' ');
        let is_simple_table = at > 0 && pattern!(r"^=+(?:\s+=+)+$").is_match(body);
        if is_rule(line)
            && lines.get(at + 2).is_some_and(|l| l.trim_end() == line.trim_end())
            && !next.trim().is_empty()
        {
            out.heading(level(rule, true), &inline(next.trim(), &targets));
            at += 3;
        } else if !body.is_empty()
            && is_rule(next)
            && next.trim_end().chars().count() + 2 >= body.chars().count()
            && indent(line) == 0
            && !is_rule(line)
        {
            out.heading(level(next.chars().next().unwrap_or('='), false), &inline(body, &targets));
            at += 2;
        } else if is_rule(line) {
            out.line("---");
            at += 1;
        } else if body.starts_with("+-") || body.starts_with("+=") {
            at = write_grid(&lines, at, &targets, &mut out);
        } else if is_simple_table {
            let end = lines[at..]
                .iter()
                .position(|l| l.trim().is_empty())
                .map_or(lines.len(), |n| at + n);
            out.code("", lines[at..end].iter().copied());
            at = end;
        } else if let Some(directive) =
            body.strip_prefix("..").filter(|r| r.is_empty() || r.starts_with(' '))
        {
            at = write_block(&lines, at, directive.trim(), &targets, &mut out);
        } else if body.ends_with("::") {
            let words = body.strip_suffix("::").unwrap_or(body).trim_end();
            if !words.is_empty() {
                out.line(&format!("{}:", inline(words, &targets)));
            }
            at = write_literal(&lines, at, &mut out);
        } else {
            out.line(&format!("{}{}", " ".repeat(indent(line)), inline(body, &targets)));
            at += 1;
        }
    }
    out.finish()
}

/// Returns the end of the block of lines that are indented deeper than `limit`.
fn block_end(lines: &[&str], from: usize, limit: usize) -> usize {
    let mut end = from;
    for (n, line) in lines.iter().enumerate().skip(from) {
        if line.trim().is_empty() {
            continue;
        }
        if indent(line) <= limit {
            break;
        }
        end = n + 1;
    }
    end
}

fn write_literal(lines: &[&str], at: usize, out: &mut Writer) -> usize {
    let end = block_end(lines, at + 1, indent(lines[at]));
    out.code("", lines[at + 1..end].iter().copied());
    end
}

/// Converts an explicit block, which begins with two dots: a directive, a target or a comment.
fn write_block(
    lines: &[&str],
    at: usize,
    words: &str,
    targets: &Targets,
    out: &mut Writer,
) -> usize {
    let end = block_end(lines, at + 1, indent(lines[at]));
    let Some((name, argument)) = words.split_once("::").filter(|(n, _)| !n.contains(' ')) else {
        // Drop targets and comments.
        return end;
    };
    let argument = argument.trim();
    let options = lines[at + 1..end].iter().take_while(|l| l.trim().starts_with(':')).count();
    let body = &lines[at + 1 + options..end];
    match name {
        "code" | "code-block" | "sourcecode" | "highlight" | "parsed-literal" => {
            out.code(argument, body.iter().copied());
        }
        "image" | "figure" => out.line(&format!("![]({argument})")),
        "note" | "warning" | "tip" | "important" | "caution" | "danger" | "hint" | "attention"
        | "admonition" => {
            let mut title = name.to_owned();
            if let Some(first) = title.get_mut(..1) {
                first.make_ascii_uppercase();
            }
            let parts: Vec<&str> =
                std::iter::once(argument).chain(body.iter().map(|l| l.trim())).collect();
            out.line(&format!("**{title}:** {}", inline(parts.join(" ").trim(), targets)));
            out.line("");
        }
        // Drop document settings and includes.
        "contents" | "toctree" | "include" | "default-role" | "role" | "highlightlang" | "meta"
        | "index" => {}
        _ => {
            for line in body {
                out.line(&inline(line.trim(), targets));
            }
        }
    }
    end
}

/// Converts a grid table, drawn with `+`, `-` and `|`.
fn write_grid(lines: &[&str], from: usize, targets: &Targets, out: &mut Writer) -> usize {
    let mut row: Vec<String> = Vec::new();
    let mut at = from;
    while let Some(line) = lines.get(at).map(|l| l.trim()).filter(|l| l.starts_with(['+', '|'])) {
        if line.starts_with('+') {
            if !row.is_empty() {
                let cells: Vec<String> = row.drain(..).map(|c| inline(c.trim(), targets)).collect();
                out.row(&cells);
            }
        } else {
            let cells = line.trim_matches('|').split('|');
            for (n, cell) in cells.enumerate() {
                if row.len() <= n {
                    row.push(String::new());
                }
                row[n].push(' ');
                row[n].push_str(cell.trim());
            }
        }
        at += 1;
    }
    if !row.is_empty() {
        out.row(&row);
    }
    at
}

fn inline(text: &str, targets: &Targets) -> String {
    let mut spans = Placeholders::default();
    let mut text = spans.mask(pattern!(r"``(.+?)``"), text, |c| format!("`{}`", &c[1]));
    text = spans.mask(pattern!(r":[\w:+-]+:`([^`]+)`"), &text, |c| {
        format!("`{}`", c[1].split('<').next().unwrap_or_default().trim())
    });
    text = spans.mask(pattern!(r"`([^`<]+?)\s*<([^`>]+)>`__?"), &text, |c| link(&c[1], &c[2]));
    let address_of = |words: &str| targets.address(words);
    text = spans.mask(pattern!(r"`([^`]+)`__?"), &text, |c| link(&c[1], &address_of(&c[1])));
    text = spans.mask(pattern!(r"`[^`\n]+`"), &text, |c| c[0].to_owned());
    text = spans.mask(pattern!(r"https?://[^\s<>]+"), &text, |c| c[0].to_owned());
    text = pattern!(r"\b([A-Za-z][\w.+-]*?)_($|[\s.,;:!?)\]])")
        .replace_all(&text, |c: &regex::Captures<'_>| match address_of(&c[1]) {
            address if address.is_empty() => c[0].to_owned(),
            address => format!("{}{}", link(&c[1], &address), &c[2]),
        })
        .into_owned();
    text = pattern!(r"\|([A-Za-z][\w -]*)\|_?").replace_all(&text, "$1").into_owned();
    spans.restore(&text)
}
