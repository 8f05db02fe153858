//! Literal text in Markdown, with as few escapes as possible, because many programs show the
//! backslashes of pasted text.

use pulldown_cmark::{Event, Parser, Tag};

use super::html::OPTIONS;

/// The maximum number of escapes; with more, all punctuation is escaped.
const MAX_ESCAPES: usize = 40;

/// The text before and after a literal text.
type Surroundings = (&'static str, &'static str);

/// The surroundings of a text in prose: a paragraph and a heading.
const PROSE: [Surroundings; 2] = [("", ""), ("# ", "")];
/// The surroundings of the text of a link.
const LABEL: Surroundings = ("[", "](https://link.example)");

/// Returns one line of Markdown that shows this text literally in a paragraph or a heading. Inline
/// code stays code.
pub fn literal(text: &str) -> String {
    escape(text, &PROSE)
}

/// Returns Markdown that shows this text literally as the text of a link.
pub fn literal_label(text: &str) -> String {
    escape(text, &[LABEL])
}

fn escape(text: &str, surroundings: &[Surroundings]) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = line.clone();
    let mut escapes: Vec<usize> = Vec::new();
    while escapes.len() < MAX_ESCAPES {
        let Some(offset) = surroundings.iter().find_map(|s| find_markup(&out, &escapes, *s)) else {
            return out;
        };
        if !out[offset..].starts_with(|c: char| c.is_ascii_punctuation()) {
            break;
        }
        out.insert(offset, '\\');
        escapes.iter_mut().filter(|escape| **escape >= offset).for_each(|escape| *escape += 1);
        escapes.push(offset);
    }
    let is_escaped = |c: &char| c.is_ascii_punctuation();
    line.chars()
        .flat_map(|c| Some('\\').filter(|_| is_escaped(&c)).into_iter().chain([c]))
        .collect()
}

/// Returns the offset of the first character that Markdown does not show literally in these
/// surroundings, except the backslashes at `escapes`.
fn find_markup(text: &str, escapes: &[usize], (prefix, suffix): Surroundings) -> Option<usize> {
    let source = format!("{prefix}{text}{suffix}");
    let (start, end) = (prefix.len(), prefix.len() + text.len());
    let mut shown_end = start;
    let mut is_link = false;
    for (event, range) in Parser::new_ext(&source, OPTIONS).into_offset_iter() {
        let is_literal = match &event {
            Event::Start(Tag::Link { .. }) => {
                is_link |= range == (0..source.len());
                continue;
            }
            Event::Text(text) => **text == source[range.clone()],
            Event::Code(code) => source[range.clone()] == format!("`{code}`"),
            _ => continue,
        };
        if range.start == shown_end + 1 && escapes.contains(&(shown_end - start)) {
            shown_end += 1;
        }
        if !is_literal || range.start > shown_end {
            return Some(first_mark_from(text, shown_end.min(range.start).saturating_sub(start)));
        }
        shown_end = range.end.max(shown_end);
    }
    if !suffix.is_empty() && !is_link {
        return Some(first_bracket(text, escapes));
    }
    (shown_end < end).then(|| first_mark_from(text, shown_end - start))
}

/// Returns the offset of the punctuation that begins markup, after the number of a list item.
fn first_mark_from(text: &str, start: usize) -> usize {
    let is_mark = |c: char| !c.is_whitespace() && !c.is_ascii_digit();
    text[start..].find(is_mark).map_or(start, |offset| start + offset)
}

/// Returns the offset of the first bracket that is not escaped, else of the last character.
fn first_bracket(text: &str, escapes: &[usize]) -> usize {
    let is_escaped = |i: usize| i > 0 && escapes.contains(&(i - 1));
    let bracket = text.match_indices(['[', ']']).map(|(i, _)| i).find(|i| !is_escaped(*i));
    bracket.unwrap_or_else(|| text.char_indices().last().map_or(0, |(i, _)| i))
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    /// Returns the text that Markdown shows, with backticks around code.
    fn rendered_text(markdown: &str) -> String {
        let mut out = String::new();
        for event in Parser::new_ext(markdown, OPTIONS) {
            match event {
                Event::Text(text) => out.push_str(&text),
                Event::Code(text) => out.push_str(&format!("`{text}`")),
                Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Link { .. })
                | Event::End(_) => {}
                other => panic!("{other:?} in {markdown}"),
            }
        }
        out
    }

    #[test]
    fn only_markup_is_escaped() {
        for text in [
            "acme/app#20 snake_case_name fails",
            "[BUG] Vec<T> & a < b, 3 > 2",
            "2 * 3 = 6, a|b, C#, ~/x, C:\\dir, $HOME",
            "`fw fix-index` fails",
            "100 % (41 in 100); see https://a.example/x_y_z",
        ] {
            assert_eq!(literal(text).replace("Vec\\<T>", "Vec<T>"), text);
        }
        for (text, markdown) in [
            ("# x", "\\# x"),
            ("> x", "\\> x"),
            ("- x", "\\- x"),
            ("12. x", "12\\. x"),
            ("*x* and `y", "\\*x* and `y"),
            ("**x** `", "\\*\\*x** `"),
            ("<b>x</b>", "\\<b>x\\</b>"),
            ("[x](y)", "\\[x](y)"),
            ("&lt; and \\*", "\\&lt; and \\\\*"),
            ("end #", "end \\#"),
            ("a\nb", "a b"),
        ] {
            assert_eq!(literal(text), markdown);
        }
        for (text, label) in [("a [b] c", "a [b] c"), ("a] b", "a\\] b"), ("a\\", "a\\\\")] {
            assert_eq!(literal_label(text), label);
        }
    }

    proptest! {
        #[test]
        fn markdown_shows_the_literal_text(
            text in r"([ \n]|[-#*_`~<>&\[\]()|!\\+=.:;0-9^/]|[a-z]|https://a\.b|<b>|&lt;|é|א){0,40}",
        ) {
            let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let paragraph = literal(&text);
            prop_assert_eq!(&rendered_text(&paragraph), &line);
            prop_assert_eq!(&rendered_text(&format!("### {paragraph}\n")), &line);
            let cited = rendered_text(&format!("{paragraph} [x](https://x.example)\n"));
            let expected = format!("{line} x");
            prop_assert_eq!(cited.trim_start(), expected.trim_start());
            let link = format!("[{}](https://x.example)", literal_label(&text));
            prop_assert_eq!(&rendered_text(&link), &line);
        }
    }
}
