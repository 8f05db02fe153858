//! The rendering of a brief as one self-contained HTML file, without scripts or requests.

use minijinja::{
    context,
    value::{Serde, Value},
};
use serde::Serialize;

use super::{display::DisplayedBrief, render_error, replay};
use crate::page;
use precedent_core::{
    error::Result,
    model::{Citation, Entry},
};
use precedent_text::html;

#[derive(Serialize)]
struct DisplayedSection<'a> {
    kind: &'static str,
    title: Option<&'a str>,
    entries: Vec<DisplayedEntry<'a>>,
}

#[derive(Serialize)]
struct DisplayedEntry<'a> {
    heading: Option<&'a str>,
    text: Option<&'a str>,
    citations: &'a [Citation],
    quote: Option<DisplayedQuote>,
}

#[derive(Serialize)]
struct DisplayedQuote {
    by: String,
    fix: bool,
    html: String,
}

pub(super) fn render(brief: &DisplayedBrief<'_>) -> Result<String> {
    let sections: Vec<DisplayedSection<'_>> = brief
        .sections
        .iter()
        .map(|s| DisplayedSection {
            kind: s.kind.as_str(),
            title: super::heading(s),
            entries: s.entries.iter().map(display_entry).collect(),
        })
        .collect();
    let record = serde_json::to_string(brief.original).map_err(|e| render_error("HTML", &e))?;
    page::render(
        "brief",
        context! {
            title => brief.title.as_str(),
            sections => Value::from(Serde(&sections)),
            sources => Value::from(Serde(&brief.record.sources)),
            line => super::provenance_line(brief),
            replay_line => super::replay_line(brief),
            mark => replay::ELEMENT_ID,
            record => replay::escape_record(&record),
        },
    )
}

fn display_entry(entry: &Entry) -> DisplayedEntry<'_> {
    DisplayedEntry {
        heading: entry.heading.as_deref(),
        text: entry.text.as_deref(),
        citations: &entry.citations,
        quote: entry.quote.as_ref().map(|q| DisplayedQuote {
            by: super::attribution(q),
            fix: q.role.as_deref() == Some("fix"),
            html: add_directions(&html::from_markdown(&q.text)),
        }),
    }
}

/// Lets each block of sanitized HTML follow the direction of its text.
fn add_directions(html: &str) -> String {
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
        let html = add_directions(&html::from_markdown("שלום\n\n- עולם\n\n`<p>`"));
        assert!(
            html.contains("<p dir=\"auto\">שלום</p>") && html.contains("<li dir=\"auto\">"),
            "{html}"
        );
        assert!(html.contains("<code>&lt;p&gt;</code>"), "{html}");
    }
}
