//! The rendering of a brief as Markdown.

use super::{broken, replay, shown::DisplayedBrief};
use precedent_core::{
    error::Result,
    model::{Citation, Entry, Quote, Section},
};
use precedent_markup::safe_markdown::safe_markdown;
use precedent_text::html;

pub(super) fn render(brief: &DisplayedBrief<'_>) -> Result<String> {
    let mut out = format!("# {}\n", escaped(&brief.title));
    for section in &brief.sections {
        write_section(section, &mut out);
    }
    if !brief.record.sources.is_empty() {
        out.push_str("\n## Sources\n\n");
        for source in &brief.record.sources {
            let link = linked(&source.citation, source.url.as_deref());
            out.push_str(&format!("- {link} {}\n", escaped(&source.title)));
        }
    }
    out.push_str(&format!("\n---\n\n{}\n", escaped(&super::assemble_line(brief))));
    let mut out = safe_markdown(&out);
    let record = serde_json::to_string(brief.kept).map_err(|e| broken("Markdown", &e))?;
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
    let cited = entry.citations.iter().map(cited).collect::<Vec<_>>().join(" ");
    if let Some(heading) = &entry.heading {
        out.push_str(&format!("\n### {}\n", escaped(heading)));
    }
    match (&entry.text, cited.is_empty()) {
        (Some(text), false) => out.push_str(&format!("\n{} {cited}\n", escaped(text))),
        (Some(text), true) => out.push_str(&format!("\n{}\n", escaped(text))),
        (None, false) if entry.quote.is_none() => out.push_str(&format!("\n{cited}\n")),
        _ => {}
    }
    if let Some(quote) = &entry.quote {
        let by =
            [attribution(quote), cited].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(" ");
        if !by.is_empty() && entry.text.is_none() {
            out.push_str(&format!("\n{by}\n"));
        }
        out.push('\n');
        let mut quoted = String::with_capacity(quote.text.len() + 100);
        for line in quote.text.trim_end_matches('\n').split('\n') {
            quoted.push_str(if line.is_empty() { ">" } else { "> " });
            quoted.push_str(line);
            quoted.push('\n');
        }
        // Other viewers may be less careful than the reading pane. Strip after quoting, because
        // tags depend on line beginnings.
        out.push_str(&html::without_html(&quoted));
    }
}

/// Returns the attribution of a quote: author, role, day.
pub(super) fn attribution(quote: &Quote) -> String {
    let parts = [quote.author.as_deref().map(escaped), quote.role.clone(), quote.day.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn cited(c: &Citation) -> String {
    linked(&c.label, c.url.as_deref())
}

fn linked(label: &str, url: Option<&str>) -> String {
    // The label contains brackets.
    match url {
        Some(url) => {
            let url = url.replace(['<', '>'], "").replace("&#", "&amp;#");
            format!("[{}](<{url}>)", escaped(label))
        }
        None => escaped(label),
    }
}

/// Escapes a text so that Markdown renders it literally.
fn escaped(text: &str) -> String {
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
