//! The rendering of a brief as Markdown.

use super::{broken, display::DisplayedBrief, replay};
use precedent_core::{
    error::Result,
    model::{Citation, Entry, Quote, Section},
};
use precedent_markup::safe_markdown::safe_markdown;
use precedent_text::{
    html,
    literal::{literal, literal_label},
};

pub(super) fn render(brief: &DisplayedBrief<'_>) -> Result<String> {
    let mut out = format!("# {}\n", literal(&brief.title));
    for section in &brief.sections {
        write_section(section, &mut out);
    }
    if !brief.record.sources.is_empty() {
        out.push_str("\n## Sources\n\n");
        for source in &brief.record.sources {
            let link = link(&source.citation, source.url.as_deref());
            out.push_str(&format!("- {link} {}\n", literal(&source.title)));
        }
    }
    let line = format!("{} {}", super::assemble_line(brief), super::replay_line(brief));
    out.push_str(&format!("\n---\n\n{}\n", literal(&line)));
    let mut out = safe_markdown(&out);
    let record = serde_json::to_string(brief.original).map_err(|e| broken("Markdown", &e))?;
    out.push_str(&format!("\n<!-- {}{} -->\n", replay::MARK, replay::hidden(&record)));
    Ok(out)
}

fn write_section(section: &Section, out: &mut String) {
    if let Some(heading) = super::heading(section) {
        out.push_str(&format!("\n## {heading}\n"));
    }
    for entry in &section.entries {
        write_entry(entry, out);
    }
}

fn write_entry(entry: &Entry, out: &mut String) {
    let links = entry.citations.iter().map(citation_link).collect::<Vec<_>>().join(" ");
    if let Some(heading) = &entry.heading {
        out.push_str(&format!("\n### {}\n", literal(heading)));
    }
    match (&entry.text, links.is_empty()) {
        (Some(text), false) => out.push_str(&format!("\n{} {links}\n", literal(text))),
        (Some(text), true) => out.push_str(&format!("\n{}\n", literal(text))),
        (None, false) if entry.quote.is_none() => out.push_str(&format!("\n{links}\n")),
        _ => {}
    }
    if let Some(quote) = &entry.quote {
        let by = [attribution(quote), links]
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
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
fn attribution(quote: &Quote) -> String {
    let parts = [quote.author.as_deref().map(literal), quote.role.clone(), quote.day.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn citation_link(c: &Citation) -> String {
    link(&c.label, c.url.as_deref())
}

fn link(label: &str, url: Option<&str>) -> String {
    let Some(url) = url else { return literal(label) };
    // The brackets of the label are those of the link.
    let text = label.strip_prefix('[').and_then(|l| l.strip_suffix(']')).unwrap_or(label);
    let url = url.replace(['<', '>'], "").replace("&#", "&amp;#");
    let is_plain = !url.contains(['(', ')', '\\', ' ']);
    let url = if is_plain { url } else { format!("<{url}>") };
    format!("[{}]({url})", literal_label(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn citation_is_a_plain_link() {
        assert_eq!(
            link("[Issue acme/app#1]", Some("https://x.example/a_b")),
            "[Issue acme/app#1](https://x.example/a_b)"
        );
        assert_eq!(
            link("[Wiki: a] b]", Some("https://x.example/(a)")),
            "[Wiki: a\\] b](<https://x.example/(a)>)"
        );
        assert_eq!(link("[Issue acme/app#1]", None), "[Issue acme/app#1]");
    }
}
