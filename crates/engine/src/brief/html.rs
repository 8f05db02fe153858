//! The rendering of a brief as one self-contained HTML file: light, dark and for print. It runs no
//! script and fetches nothing.

use std::sync::LazyLock;

use minijinja::{
    AutoEscape, Environment, context,
    value::{Serde, Value},
};
use serde::Serialize;

use super::{broken, display::DisplayedBrief, markdown, replay};
use precedent_core::{
    error::Result,
    model::{Citation, Entry},
};
use precedent_text::{html, visible::visible};

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    #[allow(clippy::expect_used, reason = "the template is built in; a test renders it")]
    environment.add_template("brief", include_str!("templates/brief.html")).expect("the template of briefs");
    environment
});

#[derive(Serialize)]
struct ShownSection<'a> {
    kind: &'static str,
    title: &'a str,
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
            title: &s.title,
            entries: s.entries.iter().map(shown_entry).collect(),
        })
        .collect();
    let record = serde_json::to_string(brief.original).map_err(|e| broken("HTML", &e))?;
    TEMPLATES
        .get_template("brief")
        .and_then(|t| {
            t.render(context! {
                title => brief.title.as_str(),
                sections => Value::from(Serde(&sections)),
                sources => Value::from(Serde(&brief.record.sources)),
                line => super::assemble_line(brief),
                mark => replay::ELEMENT,
                record => replay::hidden(&record),
            })
        })
        // Markdown may encode characters as numeric references.
        .map(|html| visible(&html).into_owned())
        .map_err(|e| broken("HTML", &e))
}

fn shown_entry(entry: &Entry) -> ShownEntry<'_> {
    ShownEntry {
        heading: entry.heading.as_deref(),
        text: entry.text.as_deref(),
        citations: &entry.citations,
        quote: entry.quote.as_ref().map(|q| ShownQuote {
            by: markdown::attribution(q).replace('\\', ""),
            fix: q.role.as_deref() == Some("fix"),
            html: html::from_markdown(&q.text),
        }),
    }
}
