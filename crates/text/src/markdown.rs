//! A parser that splits Markdown into plain-text blocks: prose, code, logs and quotes.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use super::html::{OPTIONS, push_target};

/// Returns whether a line begins or ends a fenced code block.
pub fn is_fence(line: &str) -> bool {
    let start = line.trim_start();
    start.starts_with("```") || start.starts_with("~~~")
}

/// The kind of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// A heading.
    Heading,
    /// A paragraph, list item or table row.
    Prose,
    /// A fenced or indented code block, or lines that look like a log or a stack trace.
    Code,
    /// A quoted passage, as in a reply.
    Quote,
}

/// A block of a text, without markup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Kind of the block.
    pub kind: BlockKind,
    /// Plain text; never empty.
    pub text: String,
}

/// Parses Markdown into blocks of plain text, in order.
pub fn blocks(markdown: &str) -> Vec<Block> {
    blocks_and_targets(markdown).0
}

/// Parses as [`blocks`] does, and also returns the addresses and titles of links and images.
pub fn blocks_and_targets(markdown: &str) -> (Vec<Block>, Vec<String>) {
    let mut builder = BlockBuilder::default();
    for (event, range) in Parser::new_ext(markdown, OPTIONS).into_offset_iter() {
        match event {
            Event::End(TagEnd::TableCell) => builder.last_cell_end = range.end,
            Event::End(TagEnd::TableRow) => builder.push_extra_cells(
                &markdown[builder.last_cell_end.clamp(range.start, range.end)..range.end],
            ),
            _ => {}
        }
        builder.handle_event(event);
    }
    builder.flush(BlockKind::Prose);
    (builder.blocks, builder.targets)
}

/// A table: its range in the text, and the plain text of its cells by row, header first.
pub type Table = (Range<usize>, Vec<Vec<String>>);

/// Returns the top-level tables of a Markdown text, in order.
pub fn tables(markdown: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let (mut depth, mut is_in_table) = (0_usize, false);
    for (event, range) in Parser::new_ext(markdown, OPTIONS).into_offset_iter() {
        match &event {
            Event::Start(tag) => {
                if matches!(tag, Tag::Table(_)) && depth == 0 {
                    tables.push((range, Vec::new()));
                    is_in_table = true;
                }
                depth += 1;
            }
            Event::End(tag) => {
                depth = depth.saturating_sub(1);
                is_in_table &= *tag != TagEnd::Table;
            }
            _ => {}
        }
        let Some((_, rows)) = tables.last_mut().filter(|_| is_in_table) else { continue };
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => rows.push(Vec::new()),
            Event::Start(Tag::TableCell) => {
                rows.last_mut().into_iter().for_each(|row| row.push(String::new()))
            }
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => {
                if let Some(cell) = rows.last_mut().and_then(|row| row.last_mut()) {
                    cell.push_str(&text);
                }
            }
            _ => {}
        }
    }
    tables
}

#[derive(Default)]
struct BlockBuilder {
    blocks: Vec<Block>,
    text: String,
    quote_depth: usize,
    /// True if the last block reads like a log.
    ends_with_log: bool,
    html: String,
    targets: Vec<String>,
    /// Byte offset of the end of the last table cell.
    last_cell_end: usize,
}

impl BlockBuilder {
    /// Adds the cells of a row beyond the columns of its table, which renderers hide.
    fn push_extra_cells(&mut self, cells: &str) {
        for cell in cells
            .split('|')
            .map(|cell| cell.trim().trim_matches('`'))
            .filter(|cell| !cell.is_empty())
        {
            self.text.push_str(cell);
            self.text.push_str("  ");
        }
    }

    fn handle_event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => match tag {
                Tag::BlockQuote(_) => {
                    self.flush(BlockKind::Prose);
                    self.quote_depth += 1;
                }
                // The info string of a fence names a language; it is not text.
                Tag::CodeBlock(_)
                | Tag::Paragraph
                | Tag::Heading { .. }
                | Tag::Item
                | Tag::TableRow
                | Tag::TableHead => {
                    self.flush(BlockKind::Prose);
                }
                // The address of `<https://…>` is its text.
                Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. } => {}
                Tag::Link { dest_url, title, .. } | Tag::Image { dest_url, title, .. } => {
                    push_target(&dest_url, &mut self.targets);
                    push_target(&title, &mut self.targets);
                }
                _ => {}
            },
            Event::End(tag) => match tag {
                TagEnd::BlockQuote(_) => {
                    self.flush(BlockKind::Prose);
                    self.quote_depth = self.quote_depth.saturating_sub(1);
                }
                TagEnd::CodeBlock => self.flush(BlockKind::Code),
                TagEnd::Heading(_) => self.flush(BlockKind::Heading),
                TagEnd::Paragraph | TagEnd::Item | TagEnd::TableRow | TagEnd::TableHead => {
                    self.flush(BlockKind::Prose);
                }
                TagEnd::TableCell => self.text.push_str("  "),
                TagEnd::HtmlBlock => {
                    let html = std::mem::take(&mut self.html);
                    self.text.push_str(&super::html::text_and_targets(&html, &mut self.targets));
                    self.flush(BlockKind::Prose);
                }
                _ => {}
            },
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text.push_str(&text)
            }
            Event::Code(text) => self.text.push_str(&text),
            Event::SoftBreak | Event::HardBreak => self.text.push('\n'),
            Event::Html(html) => self.html.push_str(&html),
            // "Vec<T>" outside code parses as a tag; unknown tags are text.
            Event::InlineHtml(html) if !super::html::is_known_tag(&html) => {
                self.text.push_str(&html)
            }
            Event::InlineHtml(html) => {
                let alt_text = super::html::inline_tag_text(&html, &mut self.targets);
                self.text.push_str(&alt_text);
            }
            Event::Rule | Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    fn flush(&mut self, kind: BlockKind) {
        let text = std::mem::take(&mut self.text);
        let text = if kind == BlockKind::Code { text.trim_end() } else { text.trim() };
        if text.is_empty() {
            return;
        }
        let is_log = kind != BlockKind::Heading && reads_like_log(text);
        let kind = match kind {
            BlockKind::Prose if is_log => BlockKind::Code,
            BlockKind::Prose if self.quote_depth > 0 => BlockKind::Quote,
            kind => kind,
        };
        // An unfenced log is parsed as many blocks; join them.
        let follows_log = std::mem::replace(&mut self.ends_with_log, is_log);
        if follows_log
            && is_log
            && let Some(last) = self.blocks.last_mut()
        {
            last.text.push('\n');
            last.text.push_str(text);
            return;
        }
        self.blocks.push(Block { kind, text: text.to_owned() });
    }
}

/// Returns whether at least two lines and half of all lines look like stack frames or log records.
fn reads_like_log(text: &str) -> bool {
    let (mut lines, mut marked_lines) = (0_usize, 0_usize);
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        lines += 1;
        marked_lines += usize::from(is_log_line(line));
    }
    marked_lines >= 2 && marked_lines * 2 >= lines
}

/// Returns whether a line is a stack frame (Java, JavaScript, .NET, Python, Rust, Go, gdb) or a log
/// record with a time or level.
fn is_log_line(line: &str) -> bool {
    let line = line.trim_start();
    let count_digits = |s: &str| s.bytes().take_while(u8::is_ascii_digit).count();
    let n = count_digits(line);
    if n > 0 {
        let rest = &line[n..];
        // "12: 0x7f… - core::panicking", "2024-05-01T10:00:00", "10:00:00.123", "12:     "
        return rest.starts_with(": 0x")
            || rest.starts_with(":  ")
            || (n == 4 && rest.starts_with(['-', '/']) && count_digits(&rest[1..]) == 2)
            || (n <= 2
                && rest.starts_with(':')
                && count_digits(&rest[1..]) == 2
                && rest[3..].starts_with(':'));
    }
    let is_frame = line
        .strip_prefix("at ")
        .is_some_and(|r| r.contains('(') || r.contains(':') || r.contains('/'));
    is_frame
        || (line.starts_with('#') && count_digits(&line[1..]) > 0 && line.contains("0x"))
        || (line.starts_with("File \"") && line.contains(", line "))
        || line.starts_with("Caused by: ")
        || line.starts_with("Traceback (most recent call last)")
        || (line.starts_with("goroutine ") && line.contains('['))
        || (line.starts_with("thread '") && line.contains("panicked at"))
        || line.starts_with("stack backtrace:")
        || [
            "ERROR ", "WARN ", "INFO ", "DEBUG ", "FATAL ", "TRACE ", "[ERROR]", "[WARN]",
            "[INFO]", "level=",
        ]
        .iter()
        .any(|p| line.starts_with(p))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(markdown: &str) -> Vec<(BlockKind, String)> {
        blocks(markdown).into_iter().map(|b| (b.kind, b.text)).collect()
    }

    #[test]
    fn tables_have_rows_of_cells() {
        let markdown =
            "before\n\n| a | `b` |\n|---|---|\n| 1 \\| 2 | *3* |\n\nafter\n\n> | c |\n> |---|\n";
        let tables = tables(markdown);
        assert_eq!(tables.len(), 1, "{tables:?}");
        assert_eq!(tables[0].1, [["a", "b"], ["1 | 2", "3"]]);
        assert!(
            markdown[tables[0].0.clone()].starts_with("| a")
                && markdown[tables[0].0.end..].contains("after")
        );
    }

    #[test]
    fn code_quotes_and_prose_are_distinguished() {
        let md = "# Crash\n\nIt **fails** with `foo_bar`:\n\n```rust\nlet x = 1;\n```\n\n> earlier words\n\n- one\n- two";
        assert_eq!(
            show(md),
            [
                (BlockKind::Heading, "Crash".to_owned()),
                (BlockKind::Prose, "It fails with foo_bar:".to_owned()),
                (BlockKind::Code, "let x = 1;".to_owned()),
                (BlockKind::Quote, "earlier words".to_owned()),
                (BlockKind::Prose, "one".to_owned()),
                (BlockKind::Prose, "two".to_owned()),
            ]
        );
    }

    #[test]
    fn generics_are_text_but_html_tags_are_not() {
        assert_eq!(
            show("a Vec<T> and <b>bold</b>"),
            [(BlockKind::Prose, "a Vec<T> and bold".to_owned())]
        );
        assert_eq!(show("<!-- hint -->\n\nreal"), [(BlockKind::Prose, "real".to_owned())]);
        assert_eq!(
            show("<details><summary>Logs</summary>\nboom &amp; bust\n</details>"),
            [(BlockKind::Prose, "Logs\nboom & bust".to_owned())]
        );
    }

    #[test]
    fn inline_block_tags_separate_words() {
        for (markdown, expected) in [
            ("one<br>two <b>th</b>ree", "one\ntwo three"),
            ("a | b\n--|--\nc<br/>d | e", "a  b"),
            ("see <td>x</td><td>y</td>", "see  x  y"),
            ("look <img alt='at it' src='https://w.example/i.png'>there", "look  at it there"),
        ] {
            assert_eq!(show(markdown)[0].1, expected, "{markdown}");
        }
        assert_eq!(show("a | b\n--|--\nc<br/>d | e")[1].1, "c\nd  e");
    }

    #[test]
    fn rows_longer_than_their_table_keep_all_cells() {
        let rows =
            show("| a | b |\n|---|---|\n| `x|sigma` | tau | rho |\n| one | two |\n| three |\n");
        let text: Vec<&str> = rows.iter().map(|(_, text)| text.as_str()).collect();
        for word in ["x", "sigma", "tau", "rho"] {
            assert!(text[1].contains(word), "{word} in {text:?}");
        }
        assert_eq!(text[2..], ["one  two", "three"]);
    }

    #[test]
    fn link_targets_are_separate_from_their_text() {
        let (blocks, targets) = blocks_and_targets(
            "[doc](https://w.example/guide \"the guide\") ![a plot](https://w.example/plot.png) <https://w.example/x>\n\n[r]: https://w.example/r\n[r]",
        );
        assert_eq!(blocks[0].text, "doc a plot https://w.example/x");
        assert_eq!(
            targets[..3],
            ["https://w.example/guide", "the guide", "https://w.example/plot.png"]
        );
    }

    #[test]
    fn long_unfenced_log_takes_linear_time() {
        let log = "10:00:00 up\n10:00:01 down\n\n".repeat(40_000);
        assert_eq!(show(&log).len(), 1);
    }

    #[test]
    fn unfenced_stack_trace_is_code() {
        let md = "It broke:\n\njava.lang.NullPointerException: x\n  at com.example.Foo.bar(Foo.java:12)\n  at com.example.Main.main(Main.java:3)";
        let kinds: Vec<_> = show(md).into_iter().map(|b| b.0).collect();
        assert_eq!(kinds, [BlockKind::Prose, BlockKind::Code]);
    }

    proptest::proptest! {
        #[test]
        fn blocks_are_never_empty(text in "\\PC{0,300}") {
            for block in blocks(&text) {
                proptest::prop_assert!(!block.text.trim().is_empty());
            }
        }
    }
}
