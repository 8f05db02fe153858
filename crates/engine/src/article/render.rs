//! The rendering of an article as Markdown and as an HTML page.

use minijinja::context;
use precedent_core::{
    error::Result,
    model::{Article, ArticlePassage, ArticleSection, ArticleSectionKind},
};
use precedent_markup::safe_markdown::safe_markdown;
use precedent_text::{html, literal::literal};

use crate::page;

/// Returns an article as Markdown without HTML, with links to the sources.
pub(super) fn markdown(article: &Article) -> String {
    format!("# {}\n{}", literal_title(&article.title), sections(article))
}

/// Returns an article as an HTML page without scripts or requests.
pub(super) fn html(article: &Article) -> Result<String> {
    let body = html::from_markdown(&sections(article));
    page::render("article", context! { title => article.title.as_str(), body => body })
}

fn sections(article: &Article) -> String {
    let mut out = String::new();
    for section in &article.sections {
        out.push_str(&format!("\n## {}\n\n{}", section.part.heading(), section_body(section)));
    }
    safe_markdown(&html::escape_html(&out))
}

/// Returns the passages of a section: a list of facts, or one paragraph per source.
fn section_body(section: &ArticleSection) -> String {
    use ArticleSectionKind::{Environment, References, Versions};
    if matches!(section.part, Environment | Versions | References) {
        return section
            .passages
            .iter()
            .map(|passage| format!("- {} ({})\n", passage.text, link(passage)))
            .collect();
    }
    let mut paragraphs: Vec<String> = Vec::new();
    for group in section.passages.chunk_by(|a, b| (&a.key, &a.anchor) == (&b.key, &b.anchor)) {
        let last_sentence = group.iter().rposition(|passage| !is_code(passage));
        let cited_index = last_sentence.unwrap_or(group.len() - 1);
        let mut text = String::new();
        for (index, passage) in group.iter().enumerate() {
            let is_separate = index > 0 && (is_code(passage) || is_code(&group[index - 1]));
            text.push_str(if is_separate { "\n\n" } else { " " });
            text.push_str(&passage.text);
            if index == cited_index {
                text.push_str(if is_code(passage) { "\n\n" } else { " " });
                text.push_str(&format!("({})", link(passage)));
            }
        }
        paragraphs.push(text.trim().to_owned() + "\n");
    }
    paragraphs.join("\n")
}

pub(super) fn is_code(passage: &ArticlePassage) -> bool {
    passage.text.starts_with("```")
}

/// Returns the source of a passage: a link, or the key if there is no address.
fn link(passage: &ArticlePassage) -> String {
    match &passage.url {
        Some(url) => {
            format!("[{}]({})", literal(&passage.key), url.replace(['(', ')', ' ', '<', '>'], ""))
        }
        None => literal(&passage.key),
    }
}

/// Escapes a title, except for its inline code.
pub(super) fn literal_title(title: &str) -> String {
    let parts = title.split('`').enumerate();
    let is_paired = title.matches('`').count().is_multiple_of(2);
    let parts = parts.map(|(index, part)| match is_paired && index % 2 == 1 {
        true => format!("`{part}`"),
        false => {
            let start = if part.starts_with(' ') { " " } else { "" };
            let end = if part.len() > 1 && part.ends_with(' ') { " " } else { "" };
            format!("{start}{}{end}", literal(part))
        }
    });
    parts.collect()
}
