//! The rendering of a brief as one self-contained HTML file: light, dark and for print. It runs no
//! script and fetches nothing.

use minijinja::{
    context,
    value::{Serde, Value},
};
use serde::Serialize;

use super::{broken, display::DisplayedBrief, replay};
use crate::page;
use precedent_core::{
    error::Result,
    model::{Citation, Entry},
};
use precedent_text::html;

#[derive(Serialize)]
struct ShownSection<'a> {
    kind: &'static str,
    title: Option<&'a str>,
    entries: Vec<ShownEntry<'a>>,
}

#[derive(Serialize)]
struct ShownEntry<'a> {
    heading: Option<&'a str>,
    text: Option<&'a str>,
    citations: &'a [Citation],
    quote: Option<ShownQuote>,
}

#[derive(Serialize)]
struct ShownQuote {
    by: String,
    fix: bool,
    html: String,
}

pub(super) fn render(brief: &DisplayedBrief<'_>) -> Result<String> {
    let sections: Vec<ShownSection<'_>> = brief
        .sections
        .iter()
        .map(|s| ShownSection {
            kind: s.kind.as_str(),
            title: super::heading(s),
            entries: s.entries.iter().map(shown_entry).collect(),
        })
        .collect();
    let record = serde_json::to_string(brief.original).map_err(|e| broken("HTML", &e))?;
    page::render(
        "brief",
        context! {
            title => brief.title.as_str(),
            sections => Value::from(Serde(&sections)),
            sources => Value::from(Serde(&brief.record.sources)),
            line => super::assemble_line(brief),
            replay_line => super::replay_line(brief),
            mark => replay::ELEMENT,
            record => replay::hidden(&record),
        },
    )
}

fn shown_entry(entry: &Entry) -> ShownEntry<'_> {
    ShownEntry {
        heading: entry.heading.as_deref(),
        text: entry.text.as_deref(),
        citations: &entry.citations,
        quote: entry.quote.as_ref().map(|q| ShownQuote {
            by: [&q.author, &q.role, &q.day]
                .into_iter()
                .flatten()
                .cloned()
                .collect::<Vec<_>>()
                .join(", "),
            fix: q.role.as_deref() == Some("fix"),
            html: with_directions(&html::from_markdown(&q.text)),
        }),
    }
}

/// Lets each paragraph, heading, list item and cell of sanitized HTML have the direction of its text.
fn with_directions(html: &str) -> String {
    ["p", "li", "td", "th", "h1", "h2", "h3", "h4", "h5", "h6"]
        .iter()
        .fold(html.to_owned(), |html, tag| {
            html.replace(&format!("<{tag}>"), &format!("<{tag} dir=\"auto\">"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_paragraphs_have_their_own_direction() {
        let html = with_directions(&html::from_markdown("שלום\n\n- עולם\n\n`<p>`"));
        assert!(
            html.contains("<p dir=\"auto\">שלום</p>") && html.contains("<li dir=\"auto\">"),
            "{html}"
        );
        assert!(html.contains("<code>&lt;p&gt;</code>"), "{html}");
    }
}
