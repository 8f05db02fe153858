//! A converter for reStructuredText.

use std::{cell::Cell, collections::HashMap};

use regex::Captures;

use super::{Line, Writer, link, pattern};

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

/// The link targets of a document, by name.
struct Targets {
    addresses: HashMap<String, String>,
    /// Remaining bytes of addresses to write, because a short name may repeat a long address.
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
    fn address(&self, name: &str) -> String {
        let address = self.addresses.get(&name.to_lowercase());
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
    let mut index = 0;
    while index < lines.len() {
        let line = lines[index];
        let body = line.trim();
        let next = lines.get(index + 1).copied().unwrap_or("");
        let rule = body.chars().next().unwrap_or(' ');
        let is_simple_table = index > 0 && pattern!(r"^=+(?:\s+=+)+$").is_match(body);
        if is_rule(line)
            && lines.get(index + 2).is_some_and(|l| l.trim_end() == line.trim_end())
            && !next.trim().is_empty()
        {
            out.heading(level(rule, true), &convert_inline(next.trim(), &targets));
            index += 3;
        } else if !body.is_empty()
            && is_rule(next)
            && next.trim_end().chars().count() + 2 >= body.chars().count()
            && indent(line) == 0
            && !is_rule(line)
        {
            out.heading(
                level(next.chars().next().unwrap_or('='), false),
                &convert_inline(body, &targets),
            );
            index += 2;
        } else if is_rule(line) {
            out.line("---");
            index += 1;
        } else if body.starts_with("+-") || body.starts_with("+=") {
            index = write_grid(&lines, index, &targets, &mut out);
        } else if is_simple_table {
            let end = lines[index..]
                .iter()
                .position(|l| l.trim().is_empty())
                .map_or(lines.len(), |n| index + n);
            out.code("", lines[index..end].iter().copied());
            index = end;
        } else if let Some(directive) =
            body.strip_prefix("..").filter(|r| r.is_empty() || r.starts_with(' '))
        {
            index = write_block(&lines, index, directive.trim(), &targets, &mut out);
        } else if body.ends_with("::") {
            let words = body.strip_suffix("::").unwrap_or(body).trim_end();
            if !words.is_empty() {
                out.line(&format!("{}:", convert_inline(words, &targets)));
            }
            index = write_literal(&lines, index, &mut out);
        } else {
            out.line(&format!("{}{}", " ".repeat(indent(line)), convert_inline(body, &targets)));
            index += 1;
        }
    }
    out.finish()
}

/// Returns the end of the block of lines that are indented deeper than `limit`.
fn block_end(lines: &[&str], start: usize, limit: usize) -> usize {
    let mut end = start;
    for (n, line) in lines.iter().enumerate().skip(start) {
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

fn write_literal(lines: &[&str], index: usize, out: &mut Writer) -> usize {
    let end = block_end(lines, index + 1, indent(lines[index]));
    out.code("", lines[index + 1..end].iter().copied());
    end
}

/// Converts an explicit block, which begins with two dots: a directive, a target or a comment.
fn write_block(
    lines: &[&str],
    index: usize,
    words: &str,
    targets: &Targets,
    out: &mut Writer,
) -> usize {
    let end = block_end(lines, index + 1, indent(lines[index]));
    let Some((name, argument)) = words.split_once("::").filter(|(n, _)| !n.contains(' ')) else {
        // Drop targets and comments.
        return end;
    };
    let argument = argument.trim();
    let options = lines[index + 1..end].iter().take_while(|l| l.trim().starts_with(':')).count();
    let body = &lines[index + 1 + options..end];
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
            out.line(&format!("**{title}:** {}", convert_inline(parts.join(" ").trim(), targets)));
            out.line("");
        }
        // Drop document settings and includes.
        "contents" | "toctree" | "include" | "default-role" | "role" | "highlightlang" | "meta"
        | "index" => {}
        _ => {
            for line in body {
                out.line(&convert_inline(line.trim(), targets));
            }
        }
    }
    end
}

/// Converts a grid table, drawn with `+`, `-` and `|`.
fn write_grid(lines: &[&str], start: usize, targets: &Targets, out: &mut Writer) -> usize {
    let mut row: Vec<String> = Vec::new();
    let mut index = start;
    while let Some(line) = lines.get(index).map(|l| l.trim()).filter(|l| l.starts_with(['+', '|']))
    {
        if line.starts_with('+') {
            if !row.is_empty() {
                let cells: Vec<String> =
                    row.drain(..).map(|c| convert_inline(c.trim(), targets)).collect();
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
        index += 1;
    }
    if !row.is_empty() {
        out.row(&row);
    }
    index
}

fn convert_inline(text: &str, targets: &Targets) -> String {
    let role =
        |c: &Captures<'_>| format!("`{}`", c[1].split('<').next().unwrap_or_default().trim());
    let target = |c: &Captures<'_>| match targets.address(&c[1]) {
        address if address.is_empty() => c[0].to_owned(),
        address => format!("{}{}", link(&c[1], &address), &c[2]),
    };
    Line::new(text)
        .mask(pattern!(r"``(.+?)``"), "`$1`")
        .mask_with(pattern!(r":[\w:+-]+:`([^`]+)`"), role)
        .links(pattern!(r"`([^`<]+?)\s*<([^`>]+)>`__?"), "$1", "$2")
        .mask_with(pattern!(r"`([^`]+)`__?"), |c| link(&c[1], &targets.address(&c[1])))
        .mask_code()
        .mask_urls()
        .replace(pattern!(r"\b([A-Za-z][\w.+-]*?)_($|[\s.,;:!?)\]])"), target)
        .replace(pattern!(r"\|([A-Za-z][\w -]*)\|_?"), "$1")
        .finish()
}
