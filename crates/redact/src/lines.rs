//! Classification of lines as prose, log or code. A number may be personal in prose; in a log it is
//! usually a count.

use super::facts::pattern;

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// Sentences, written by a person.
    Prose,
    /// Output of a program.
    Log,
    /// Content of a fence, or of an indented code block.
    Code,
}

/// A line of a text.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// The offset of the line.
    pub(super) start: usize,
    /// The offset of its content.
    pub(super) content_start: usize,
    /// The content, without the marks of a quotation.
    pub(super) content: &'a str,
    pub(super) manner: Manner,
}

/// The lines of a text.
pub(super) struct Lines<'a>(pub(super) Vec<Line<'a>>);

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let (mut fence, mut blank, mut code, mut start) = (None, true, false, 0);
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            let rest = line.trim_start_matches(['>', ' ']);
            let (content_start, content) = (start + line.len() - rest.len(), rest.trim_end());
            let mark = ["```", "~~~"].into_iter().find(|mark| content.starts_with(mark));
            let is_fenced = fence.or(mark).is_some();
            // An indented block after an empty line is code in Markdown.
            code = !is_fenced
                && (line.starts_with("    ") || line.starts_with('\t'))
                && (blank || code);
            let manner = match is_fenced || code {
                true => Manner::Code,
                false if pattern("log_line").is_match(line) => Manner::Log,
                false => Manner::Prose,
            };
            fence = match (fence, mark) {
                (None, mark) => mark,
                (open, mark) if open == mark => None,
                (open, _) => open,
            };
            blank = line.trim().is_empty();
            lines.push(Line { start, content_start, content, manner });
            start += line.len();
        }
        Self(lines)
    }

    /// Returns the kind of the line with this byte.
    pub(super) fn manner(&self, at: usize) -> Manner {
        let next = self.0.partition_point(|line| line.start <= at);
        next.checked_sub(1).map_or(Manner::Prose, |line| self.0[line].manner)
    }
}

/// Returns the text before this offset in its line, limited to the relevant part.
pub(super) fn line_prefix(text: &str, at: usize) -> &str {
    /// The limit in bytes: distant text is irrelevant, and a log may be a single line.
    const REACH: usize = 160;
    let from =
        (at.saturating_sub(REACH)..=at).find(|from| text.is_char_boundary(*from)).unwrap_or(at);
    text[from..at].rsplit('\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_logs_and_code_are_distinguished() {
        for (text, manner) in [
            ("Please call me back.", Manner::Prose),
            ("(040) 555 01 00 is my number", Manner::Prose),
            ("2026-05-12 10:00:01 started", Manner::Log),
            ("[2026-05-12] started", Manner::Log),
            ("May 12 10:00:01 web03 agent[12]: stopped", Manner::Log),
            ("worker 3 ERROR no room", Manner::Log),
            ("level=info msg=started", Manner::Log),
            ("> 10:00:01 started", Manner::Log),
            ("    let x = 1;", Manner::Code),
        ] {
            assert_eq!(Lines::of(text).manner(0), manner, "{text}");
        }
        let text = "before\n```\ninside\n```\nafter";
        let lines = Lines::of(text);
        let manner = |word| lines.manner(text.find(word).unwrap());
        assert_eq!(
            [manner("before"), manner("inside"), manner("after")],
            [Manner::Prose, Manner::Code, Manner::Prose]
        );
    }
}
