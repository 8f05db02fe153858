//! What a page of Markdown says, as the checks of the documentation need it: its headings, links, sentences and code.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::collections::BTreeMap;

/// A page, read.
#[derive(Debug, Default)]
pub struct Page {
    /// What `#…` may name in it, as GitHub makes them of headings.
    pub anchors: Vec<String>,
    /// Where its links and pictures lead, those of HTML among them.
    pub links: Vec<String>,
    /// The number of words of each sentence outside of code, tables and headings, with its first words.
    pub sentences: Vec<(usize, String)>,
    /// Every inline code.
    pub codes: Vec<String>,
}

impl Page {
    /// Reads a page.
    pub fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        let (mut heading, mut prose) = (None::<String>, String::new());
        let (mut code, mut table) = (false, false);
        for event in Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
            match event {
                Event::Start(Tag::Heading { .. }) => {
                    page.end(&mut prose);
                    heading = Some(String::new());
                }
                Event::End(TagEnd::Heading(_)) => {
                    let slug = slug(&heading.take().unwrap_or_default());
                    let count = taken.entry(slug.clone()).or_insert(0);
                    page.anchors.push(if *count == 0 { slug } else { format!("{slug}-{count}") });
                    *count += 1;
                }
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented)) => {
                    page.end(&mut prose);
                    code = true;
                }
                Event::End(TagEnd::CodeBlock) => code = false,
                Event::Start(Tag::Table(_)) => {
                    page.end(&mut prose);
                    table = true;
                }
                Event::End(TagEnd::Table) => table = false,
                Event::Start(Tag::Item | Tag::Paragraph) | Event::End(TagEnd::Item | TagEnd::Paragraph) => {
                    page.end(&mut prose);
                }
                Event::Html(html) | Event::InlineHtml(html) => page.links.extend(addresses(&html)),
                Event::Code(inline) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&inline);
                    } else if !table {
                        // One word, whatever it holds; a sentence may begin with it.
                        prose.push_str("Code");
                    }
                    page.codes.push(inline.into_string());
                }
                Event::Text(text) => match &mut heading {
                    Some(heading) => heading.push_str(&text),
                    None if !code && !table => prose.push_str(&text),
                    None => {}
                },
                Event::SoftBreak | Event::HardBreak => prose.push(' '),
                _ => {}
            }
        }
        page.end(&mut prose);
        page
    }

    fn end(&mut self, prose: &mut String) {
        for sentence in sentences(prose) {
            let words = sentence.split_whitespace().filter(|w| w.chars().any(char::is_alphanumeric)).count();
            if words > 0 {
                let begin: Vec<&str> = sentence.split_whitespace().take(6).collect();
                self.sentences.push((words, begin.join(" ")));
            }
        }
        prose.clear();
    }

    /// The words of the sentence in the middle; 0 without sentences.
    pub fn median(&self) -> usize {
        let mut lengths: Vec<usize> = self.sentences.iter().map(|(n, _)| *n).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied().unwrap_or_default()
    }
}

/// Cuts prose after `.`, `!`, `?` or `:` where white space and no small letter follows.
fn sentences(prose: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut begin = 0;
    for (at, c) in prose.char_indices() {
        if !matches!(c, '.' | '!' | '?' | ':') {
            continue;
        }
        let after = prose[at + 1..].trim_start_matches([')', '"', '*', '”']);
        let next = after.trim_start();
        let ends = next.len() < after.len() && !next.starts_with(char::is_lowercase);
        if ends {
            out.push(&prose[begin..=at]);
            begin = at + 1;
        }
    }
    out.push(&prose[begin..]);
    out
}

/// What GitHub makes of a heading: small letters, without marks, blanks as hyphens.
fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// Values of `href`, `src` and `srcset` in a piece of HTML.
fn addresses(html: &str) -> Vec<String> {
    let mut out = Vec::new();
    for name in ["href=\"", "src=\"", "srcset=\""] {
        for (at, _) in html.match_indices(name) {
            let rest = &html[at + name.len()..];
            out.extend(rest.split_once('"').map(|(value, _)| value.to_owned()));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_anchors_as_on_github() {
        let page = Page::read("# What's `in` it?\n\n## A b\n\n## A b\n\n### Where would you change …?\n");
        assert_eq!(page.anchors, ["whats-in-it", "a-b", "a-b-1", "where-would-you-change-"]);
    }

    #[test]
    fn links_of_markdown_and_html_are_found_and_those_in_code_are_not() {
        let page = Page::read(
            "[a](x.md#y) ![p](p.png)\n\n<img src=\"i.svg\"> `[b](no.md)`\n\n```\n[c](no.md)\n```\n",
        );
        assert_eq!(page.links, ["x.md#y", "p.png", "i.svg"]);
    }

    #[test]
    fn sentences_are_counted_outside_of_code_and_tables() {
        let page = Page::read(
            "One two. Three `four five` six, e.g. seven!\n\n- Eight.\n\n| a b | c |\n|---|---|\n| d. E | f |\n\n```\ng h\n```\n",
        );
        let lengths: Vec<usize> = page.sentences.iter().map(|(n, _)| *n).collect();
        assert_eq!(lengths, [2, 5, 1]);
        assert_eq!(page.median(), 2);
        assert_eq!(Page::read("").median(), 0);
    }
}
