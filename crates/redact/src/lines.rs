//! Classification of lines as prose, log or code. A number may be personal in prose; in a log it is
//! usually a count.

use super::data::pattern;

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineKind {
    /// Sentences, written by a person.
    Prose,
    /// Output of a program.
    Log,
    /// Content of a fenced or indented code block.
    Code,
}

/// A line of a text.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// The offset of the line.
    pub(super) start: usize,
    /// The offset of its content.
    pub(super) content_start: usize,
    /// The content without quote markers (`>`).
    pub(super) content: &'a str,
    pub(super) kind: LineKind,
}

/// The lines of a text.
pub(super) struct Lines<'a>(pub(super) Vec<Line<'a>>);

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let (mut fence, mut is_blank, mut is_code, mut start) = (None, true, false, 0);
        let mut lines = Vec::new();
        for line in text.split_inclusive('\n') {
            let rest = line.trim_start_matches(['>', ' ']);
            let (content_start, content) = (start + line.len() - rest.len(), rest.trim_end());
            let mark = ["```", "~~~"].into_iter().find(|mark| content.starts_with(mark));
            let is_fenced = fence.or(mark).is_some();
            // An indented block after an empty line is code in Markdown.
            is_code = !is_fenced
                && (line.starts_with("    ") || line.starts_with('\t'))
                && (is_blank || is_code);
            let kind = match is_fenced || is_code {
                true => LineKind::Code,
                false if pattern("log_line").is_match(line) => LineKind::Log,
                false => LineKind::Prose,
            };
            fence = match (fence, mark) {
                (None, mark) => mark,
                (fence, mark) if fence == mark => None,
                (fence, _) => fence,
            };
            is_blank = line.trim().is_empty();
            lines.push(Line { start, content_start, content, kind });
            start += line.len();
        }
        Self(lines)
    }

    /// Returns the kind of the line at this offset.
    pub(super) fn kind(&self, offset: usize) -> LineKind {
        let next = self.0.partition_point(|line| line.start <= offset);
        next.checked_sub(1).map_or(LineKind::Prose, |line| self.0[line].kind)
    }
}

/// Returns the text before this offset in its line, or the end of that text if it is long.
pub(super) fn line_prefix(text: &str, offset: usize) -> &str {
    /// The maximum length in bytes, because a log may be a single line.
    const MAX_PREFIX: usize = 160;
    let start = (offset.saturating_sub(MAX_PREFIX)..=offset)
        .find(|start| text.is_char_boundary(*start))
        .unwrap_or(offset);
    text[start..offset].rsplit('\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_logs_and_code_are_distinguished() {
        for (text, kind) in [
            ("Please call me back.", LineKind::Prose),
            ("(040) 555 01 00 is my number", LineKind::Prose),
            ("2026-05-12 10:00:01 started", LineKind::Log),
            ("[2026-05-12] started", LineKind::Log),
            ("May 12 10:00:01 web03 agent[12]: stopped", LineKind::Log),
            ("worker 3 ERROR no room", LineKind::Log),
            ("level=info msg=started", LineKind::Log),
            ("> 10:00:01 started", LineKind::Log),
            ("    let x = 1;", LineKind::Code),
        ] {
            assert_eq!(Lines::new(text).kind(0), kind, "{text}");
        }
        let text = "before\n```\ninside\n```\nafter";
        let lines = Lines::new(text);
        let kind = |word| lines.kind(text.find(word).unwrap());
        assert_eq!(
            [kind("before"), kind("inside"), kind("after")],
            [LineKind::Prose, LineKind::Code, LineKind::Prose]
        );
    }
}
