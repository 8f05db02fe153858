//! Splitting of texts into chunks for embedding, and the representation that the model receives.

use unicode_segmentation::UnicodeSegmentation as _;

use super::{markdown::BlockKind, prepare::PreparedText};

/// The target length of a chunk's own text, in bytes. With the title, it has about 256 English word
/// pieces, the limit of the built-in model.
pub const TARGET_BYTES: usize = 900;
/// The maximum number of chunks of a document's own text.
pub const MAX_BODY_CHUNKS: usize = 24;
/// The maximum number of chunks of one comment.
pub const MAX_COMMENT_CHUNKS: usize = 6;
/// The maximum length of the title in front of a chunk, in bytes.
const MAX_TITLE: usize = 200;

/// A chunk of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Text without the title.
    pub text: String,
    /// True if most of it is code, a log or a stack trace.
    pub code: bool,
}

impl Chunk {
    /// Returns the text that the model receives for this chunk.
    pub fn representation(&self, title: &str) -> String {
        representation(title, &self.text)
    }
}

/// Returns the text that the model receives: the title, then the text. Documents and queries use
/// the same representation.
pub fn representation(title: &str, text: &str) -> String {
    let title = title.trim();
    let title = &title[..title.floor_char_boundary(MAX_TITLE)];
    match (title.is_empty(), text.trim()) {
        (true, text) => text.to_owned(),
        (false, "") => title.to_owned(),
        (false, text) => format!("{title}\n{text}"),
    }
}

/// Splits a prepared text into at most `max` chunks along its blocks. A code block that is longer
/// than a chunk is represented by its distinctive lines. Long paragraphs are split between
/// sentences.
pub fn chunks(text: &PreparedText, max: usize) -> Vec<Chunk> {
    let pieces = text.blocks.iter().flat_map(|block| {
        let is_code = block.kind == BlockKind::Code;
        let pieces =
            if is_code { vec![code_excerpt(&block.text)] } else { split_paragraph(&block.text) };
        pieces.into_iter().map(move |piece| (piece, is_code))
    });
    let chunk = |text: &str, code_bytes: usize| {
        let code = code_bytes * 2 > text.len();
        Some(text.trim().to_owned()).filter(|t| !t.is_empty()).map(|text| Chunk { text, code })
    };
    let mut out: Vec<Chunk> = Vec::new();
    let (mut current, mut code_bytes) = (String::new(), 0);
    for (piece, is_code) in pieces {
        if !current.is_empty() && piece.len() > TARGET_BYTES.saturating_sub(current.len()) {
            out.extend(chunk(&current, code_bytes));
            (current, code_bytes) = (String::new(), 0);
            if out.len() >= max {
                break;
            }
        }
        if !current.is_empty() {
            current.push('\n');
        }
        code_bytes += if is_code { piece.len() } else { 0 };
        current.push_str(&piece);
    }
    out.extend(chunk(&current, code_bytes));
    out.truncate(max);
    out
}

/// Splits a paragraph into pieces of at most [`TARGET_BYTES`], between sentences or words.
fn split_paragraph(text: &str) -> Vec<String> {
    if text.len() <= TARGET_BYTES {
        return vec![text.to_owned()];
    }
    let mut out = Vec::new();
    let mut current = String::new();
    for sentence in text.split_sentence_bounds() {
        for piece in split_sentence(sentence) {
            if !current.is_empty() && current.len() + piece.len() > TARGET_BYTES {
                out.push(std::mem::take(&mut current));
            }
            current.push_str(piece);
        }
    }
    out.push(current);
    out
}

/// Splits a sentence into pieces of at most [`TARGET_BYTES`], at whitespace if possible.
fn split_sentence(mut text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    while text.len() > TARGET_BYTES {
        let end = text.floor_char_boundary(TARGET_BYTES);
        let split = text[..end]
            .rfind(char::is_whitespace)
            .filter(|c| *c > TARGET_BYTES / 2)
            .unwrap_or(end)
            .max(1);
        let split = text.ceil_char_boundary(split);
        out.push(&text[..split]);
        text = &text[split..];
    }
    out.push(text);
    out
}

/// Returns at most [`TARGET_BYTES`] of a code block: its failure, first and last lines.
fn code_excerpt(code: &str) -> String {
    if code.len() <= TARGET_BYTES {
        return code.to_owned();
    }
    let lines: Vec<&str> = code.lines().filter(|l| !l.trim().is_empty()).collect();
    let is_failure_line = |line: &str| {
        let line = line.to_ascii_lowercase();
        ["error", "panic", "exception", "fatal", "fail", "caused by", "assert"]
            .iter()
            .any(|w| line.contains(w))
    };
    let mut order: Vec<usize> = Vec::new();
    order.extend((0..lines.len()).filter(|i| is_failure_line(lines[*i])).take(8));
    order.extend(0..lines.len().min(6));
    order.extend(lines.len().saturating_sub(3)..lines.len());
    let (mut chosen_lines, mut used_bytes) = (std::collections::BTreeSet::new(), 0);
    for i in order {
        let cost = lines[i].len().min(240) + 1;
        if used_bytes + cost <= TARGET_BYTES && chosen_lines.insert(i) {
            used_bytes += cost;
        }
    }
    let mut out = String::with_capacity(used_bytes);
    for i in chosen_lines {
        out.push_str(&lines[i][..lines[i].floor_char_boundary(240)]);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{super::skeleton::Skeleton, *};

    fn body_chunks(markdown: &str) -> Vec<Chunk> {
        chunks(&PreparedText::body(markdown, &Skeleton::default()), MAX_BODY_CHUNKS)
    }

    #[test]
    fn a_short_text_is_one_chunk() {
        let chunks = body_chunks("It fails.\n\n```\nlet x = 1;\n```\n");
        assert_eq!(chunks, [Chunk { text: "It fails.\nlet x = 1;".into(), code: false }]);
        assert_eq!(chunks[0].representation("Crash"), "Crash\nIt fails.\nlet x = 1;");
    }

    #[test]
    fn long_log_keeps_its_failure_lines() {
        let mut log = String::from("```\n");
        for i in 0..500 {
            log.push_str(&format!("10:00:{:02} working on part {i}\n", i % 60));
            if i == 300 {
                log.push_str("10:05:00 ERROR checkpoint is corrupted\n");
            }
        }
        log.push_str("```\n");
        let chunks = body_chunks(&log);
        assert_eq!(chunks.len(), 1);
        assert!(
            chunks[0].code
                && chunks[0].text.contains("checkpoint is corrupted")
                && chunks[0].text.len() <= TARGET_BYTES
        );
    }

    proptest::proptest! {
        #[test]
        fn chunks_are_bounded_and_lose_no_prose(text in "[a-zäß .\n]{0,6000}") {
            let body = PreparedText::body(&text, &Skeleton::default());
            let parts = chunks(&body, usize::MAX);
            for chunk in &parts {
                proptest::prop_assert!(chunk.text.len() <= TARGET_BYTES + 1, "{}", chunk.text.len());
            }
            let squeeze = |s: &str| s.split_whitespace().collect::<String>();
            if body.blocks.iter().all(|b| b.kind != BlockKind::Code) {
                let prose: String = parts.iter().map(|c| squeeze(&c.text)).collect();
                let blocks: String = body.blocks.iter().map(|b| squeeze(&b.text)).collect();
                proptest::prop_assert_eq!(prose, blocks);
            }
        }
    }
}
