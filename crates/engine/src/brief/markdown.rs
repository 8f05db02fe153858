//! The rendering of a brief as Markdown.

use super::replay;
use precedent_core::model::{Brief, Entry, Quote};
use precedent_markup::safe_markdown::safe_markdown;
use precedent_text::{
    html,
    literal::{literal, literal_label},
};

/// Renders a brief as Markdown with its escaped record.
pub(super) fn render(brief: &Brief, record: &str) -> String {
    let mut out = format!("# {}\n", literal(&brief.title));
    for section in &brief.sections {
        if let Some(heading) = super::heading(section) {
            out.push_str(&format!("\n## {heading}\n"));
        }
        section.entries.iter().for_each(|entry| write_entry(entry, &mut out));
    }
    if !brief.record.sources.is_empty() {
        out.push_str("\n## Sources\n\n");
        for source in &brief.record.sources {
            let link = link(&source.citation, source.url.as_deref());
            out.push_str(&format!("- {link} {}\n", literal(&source.title)));
        }
    }
    let line = format!("{} {}", super::provenance_line(brief), super::replay_line(brief));
    out.push_str(&format!("\n---\n\n{}\n", literal(&line)));
    format!("{}\n<!-- {}{record} -->\n", safe_markdown(&out), replay::RECORD_MARKER)
}

fn write_entry(entry: &Entry, out: &mut String) {
    let links = entry.citations.iter().map(|c| link(&c.label, c.url.as_deref()));
    let links = links.collect::<Vec<_>>().join(" ");
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
        let line = [attribution(quote), links]
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        if !line.is_empty() && entry.text.is_none() {
            out.push_str(&format!("\n{line}\n"));
        }
        out.push('\n');
        let lines = quote.text.trim_end_matches('\n').split('\n');
        let quote_line =
            |line: &str| if line.is_empty() { ">\n".to_owned() } else { format!("> {line}\n") };
        let block_quote: String = lines.map(quote_line).collect();
        // Other viewers may run HTML. Remove it after quoting, because the start of a line decides
        // whether its text is HTML.
        out.push_str(&html::escape_html(&block_quote));
    }
}

fn attribution(quote: &Quote) -> String {
    let parts = [quote.author.as_deref().map(literal), quote.role.clone(), quote.day.clone()];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn link(label: &str, url: Option<&str>) -> String {
    let Some(url) = url else { return literal(label) };
    // The brackets of the label become those of the link.
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
