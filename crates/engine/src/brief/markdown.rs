//! The rendering of a brief as Markdown.

use super::{broken, display::DisplayedBrief, replay};
use precedent_core::{
    error::Result,
    model::{Citation, Entry, Quote, Section},
};
use precedent_markup::safe_markdown::safe_markdown;
use precedent_text::html;

pub(super) fn render(brief: &DisplayedBrief<'_>) -> Result<String> {
    let mut out = format!("# {}\n", escape(&brief.title));
    for section in &brief.sections {
        write_section(section, &mut out);
    }
    if !brief.record.sources.is_empty() {
        out.push_str("\n## Sources\n\n");
        for source in &brief.record.sources {
            let link = link(&source.citation, source.url.as_deref());
            out.push_str(&format!("- {link} {}\n", escape(&source.title)));
        }
    }
    out.push_str(&format!("\n---\n\n{}\n", escape(&super::assemble_line(brief))));
    let mut out = safe_markdown(&out);
    let record = serde_json::to_string(brief.original).map_err(|e| broken("Markdown", &e))?;
    out.push_str(&format!("\n<!-- {}{} -->\n", replay::MARK, replay::hidden(&record)));
    Ok(out)
}

fn write_section(section: &Section, out: &mut String) {
    out.push_str(&format!("\n## {}\n", section.title));
    for entry in &section.entries {
        write_entry(entry, out);
    }
}

fn write_entry(entry: &Entry, out: &mut String) {
    let links = entry.citations.iter().map(citation_link).collect::<Vec<_>>().join(" ");
    if let Some(heading) = &entry.heading {
        out.push_str(&format!("\n### {}\n", escape(heading)));
    }
    match (&entry.text, links.is_empty()) {
        (Some(text), false) => out.push_str(&format!("\n{} {links}\n", escape(text))),
        (Some(text), true) => out.push_str(&format!("\n{}\n", escape(text))),
        (None, false) if entry.quote.is_none() => out.push_str(&format!("\n{links}\n")),
        _ => {}
    }
    if let Some(quote) = &entry.quote {
        let by =
            [attribution(quote), links].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" ");
        if !by.is_empty() && entry.text.is_none() {
            out.push_str(&format!("\n{by}\n"));
        }
        out.push('\n');
        let mut block_quote = String::with_capacity(quote.text.len() + 100);
        for line in quote.text.trim_end_matches('\n').split('\n') {
            block_quote.push_str(if line.is_empty() { ">" } else { "> " });
            block_quote.push_str(line);
            block_quote.push('\n');
        }
        // Other viewers may be less careful than the reading pane. Strip after quoting, because
        // tags depend on line beginnings.
        out.push_str(&html::without_html(&block_quote));
    }
}

/// Returns the attribution of a quote: author, role, day.
pub(super) fn attribution(quote: &Quote) -> String {
    let parts = [quote.author.as_deref().map(escape), quote.role.clone(), quote.day.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn citation_link(c: &Citation) -> String {
    link(&c.label, c.url.as_deref())
}

fn link(label: &str, url: Option<&str>) -> String {
    // The label contains brackets.
    match url {
        Some(url) => {
            let url = url.replace(['<', '>'], "").replace("&#", "&amp;#");
            format!("[{}](<{url}>)", escape(label))
        }
        None => escape(label),
    }
}

/// Escapes a text so that Markdown renders it literally.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}
