//! The rendering of an article as Markdown and as an HTML page.

use minijinja::context;
use precedent_core::{
    error::Result,
    model::{Article, ArticlePart, ArticlePassage, ArticleSection},
};
use precedent_markup::safe_markdown::safe_markdown;
use precedent_text::{html, literal::literal};

use crate::page;

/// Returns an article as Markdown without HTML, with a link to the source after each passage.
pub(super) fn markdown(article: &Article) -> String {
    let mut out = format!("# {}\n", literal_title(&article.title));
    out.push_str(&sections(article));
    out
}

/// Returns an article as an HTML page that runs no script and fetches nothing.
pub(super) fn html(article: &Article) -> Result<String> {
    let body = html::from_markdown(&sections(article));
    page::render("article", context! { title => article.title.as_str(), body => body })
}

/// Returns the sections of an article as Markdown.
fn sections(article: &Article) -> String {
    let mut out = String::new();
    for section in &article.sections {
        out.push_str(&format!("\n## {}\n\n", section.part.heading()));
        out.push_str(&content(section));
    }
    safe_markdown(&html::without_html(&out))
}

/// Returns the passages of a section: a list of facts, or paragraphs of the sentences of one place.
fn content(section: &ArticleSection) -> String {
    use ArticlePart::{Environment, References, Versions};
    if matches!(section.part, Environment | Versions | References) {
        return section
            .passages
            .iter()
            .map(|passage| format!("- {} ({})\n", passage.text, link(passage)))
            .collect();
    }
    let mut paragraphs: Vec<String> = Vec::new();
    for place in section.passages.chunk_by(|a, b| (&a.key, &a.anchor) == (&b.key, &b.anchor)) {
        let last_sentence = place.iter().rposition(|passage| !is_code(passage));
        let cited_index = last_sentence.unwrap_or(place.len() - 1);
        let mut text = String::new();
        for (at, passage) in place.iter().enumerate() {
            let is_new = at > 0 && (is_code(passage) || is_code(&place[at - 1]));
            text.push_str(if is_new { "\n\n" } else { " " });
            text.push_str(&passage.text);
            if at == cited_index {
                text.push_str(if is_code(passage) { "\n\n" } else { " " });
                text.push_str(&format!("({})", link(passage)));
            }
        }
        paragraphs.push(text.trim().to_owned() + "\n");
    }
    paragraphs.join("\n")
}

/// Returns whether a passage is a code block.
fn is_code(passage: &ArticlePassage) -> bool {
    passage.text.starts_with("```")
}

/// Returns the citation of a passage: a link, or the key if there is no address.
fn link(passage: &ArticlePassage) -> String {
    match &passage.url {
        Some(url) => {
            format!("[{}]({})", literal(&passage.key), url.replace(['(', ')', ' ', '<', '>'], ""))
        }
        None => literal(&passage.key),
    }
}

/// Returns a title with its inline code.
pub(super) fn literal_title(title: &str) -> String {
    let parts = title.split('`').enumerate();
    let is_paired = title.matches('`').count().is_multiple_of(2);
    let parts = parts.map(|(at, part)| match is_paired && at % 2 == 1 {
        true => format!("`{part}`"),
        false => {
            let start = if part.starts_with(' ') { " " } else { "" };
            let end = if part.len() > 1 && part.ends_with(' ') { " " } else { "" };
            format!("{start}{}{end}", literal(part))
        }
    });
    parts.collect()
}
