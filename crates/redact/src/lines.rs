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

/// The lines of a text, by their start.
pub(super) struct Lines {
    begins: Vec<(usize, Manner)>,
}

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let mut fence: Option<char> = None;
        let mut blank = true;
        let mut code = false;
        let mut at = 0;
        let mut begins = Vec::new();
        for line in text.split_inclusive('\n') {
            let bare = line.trim_start_matches(['>', ' ']);
            let mark = bare.chars().next().filter(|c| matches!(c, '`' | '~'));
            let is_fence = mark.is_some_and(|m| bare.starts_with(&m.to_string().repeat(3)));
            let manner = match (fence, is_fence) {
                (Some(open), true) if mark == Some(open) => {
                    fence = None;
                    Manner::Code
                }
                (None, true) => {
                    fence = mark;
                    Manner::Code
                }
                (Some(_), _) => Manner::Code,
                (None, false) => {
                    // An indented block after an empty line is code in Markdown.
                    code = (line.starts_with("    ") || line.starts_with('\t')) && (blank || code);
                    if code {
                        Manner::Code
                    } else if pattern("log_line").is_match(line) {
                        Manner::Log
                    } else {
                        Manner::Prose
                    }
                }
            };
            blank = line.trim().is_empty();
            begins.push((at, manner));
            at += line.len();
        }
        Self { begins }
    }

    /// Returns the kind of the line with this byte.
    pub(super) fn manner(&self, at: usize) -> Manner {
        let next = self.begins.partition_point(|(begin, _)| *begin <= at);
        next.checked_sub(1).map_or(Manner::Prose, |line| self.begins[line].1)
    }

    pub(super) fn is_prose(&self, at: usize) -> bool {
        self.manner(at) == Manner::Prose
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
