//! A brief as Markdown.

use super::{broken, replay};
use crate::{
    error::Result,
    model::{Brief, Citation, Entry, Quote, Section},
    text::html,
};

pub(super) fn render(brief: &Brief) -> Result<String> {
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
    let record = serde_json::to_string(&brief.record).map_err(|e| broken("Markdown", &e))?;
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
        for line in quote.text.replace("\r\n", "\n").trim_end_matches('\n').split(['\n', '\r']) {
            quoted.push_str(if line.is_empty() { ">" } else { "> " });
            quoted.extend(line.chars().filter_map(visible));
            quoted.push('\n');
        }
        // Whoever shows the file may not be as careful as the reading pane. As it stands there: what is a tag also depends
        // on where its lines begin.
        out.push_str(&html::without_html(&quoted));
    }
}

/// Who said it, as what, when.
pub(super) fn attribution(quote: &Quote) -> String {
    let parts = [quote.author.as_deref().map(escaped), quote.role.clone(), quote.day.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn cited(c: &Citation) -> String {
    linked(&c.label, c.url.as_deref())
}

fn linked(label: &str, url: Option<&str>) -> String {
    // The label has brackets of its own.
    match url.filter(|u| is_web(u)) {
        Some(url) => {
            let url: String =
                url.chars().filter(|c| visible(*c) == Some(*c) && !matches!(c, '\t' | '<' | '>')).collect();
            format!("[{}](<{url}>)", escaped(label))
        }
        None => escaped(label),
    }
}

/// Briefs are read in terminals too, where control characters are orders, and marks that turn the reading direction around
/// make a text look like another.
fn visible(c: char) -> Option<char> {
    match c {
        '\t' => Some(c),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => None,
        c if c.is_control() => Some(char::REPLACEMENT_CHARACTER),
        c => Some(c),
    }
}

/// A tracker may say anything; a link goes to the web or nowhere.
pub(super) fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// A text that means itself in Markdown.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.extend(visible(c)),
        }
    }
    out
}
