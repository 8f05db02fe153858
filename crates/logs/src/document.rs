//! Logs that are one JSON document: an array of records, or an object with such an array.
//!
//! Records are extracted one by one, so that memory use does not grow with the document.

use serde::de::IgnoredAny;

use crate::record;

/// The maximum length of a record, in bytes. A longer top-level object is searched for records.
const MAX_RECORD: usize = 2 * 1024 * 1024;
/// The maximum nesting depth of a document.
const MAX_DEPTH: usize = 256;

/// An element of a document, with the number of its first line.
#[derive(Debug, PartialEq, Eq)]
pub enum Element {
    Object(u64, Vec<u8>),
    /// Lines that start like an object but are not one.
    Broken(u64, Vec<u8>),
}

/// A document that is being parsed.
#[derive(Debug, Default)]
pub struct Document {
    stack: Vec<u8>,
    in_string: bool,
    is_escaped: bool,
    open: Option<OpenObject>,
    /// True if the top-level object is too long to be a record.
    is_split: bool,
    /// Number of line breaks so far.
    pub lines: u64,
}

#[derive(Debug)]
struct OpenObject {
    depth: usize,
    line: u64,
    text: Vec<u8>,
    /// True if it is too long to be kept.
    is_oversized: bool,
}

/// Returns whether a file that starts with these bytes is one JSON document, not one record per line.
pub fn is_document(start: &[u8]) -> bool {
    let text = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    let next = |text: &[u8]| text.get(1..).and_then(|t| t.trim_ascii_start().first().copied());
    match text.first() {
        Some(b'[') => next(text) == Some(b'{'),
        Some(b'{') => {
            let line = text.split(|b| *b == b'\n').next().unwrap_or_default();
            if serde_json::from_slice::<IgnoredAny>(line).is_ok() {
                // A record is one line; an object without a message may hold records.
                let has_content = record::parse_json(&String::from_utf8_lossy(line))
                    .is_some_and(|r| r.has_content());
                return !has_content && memchr::memchr(b'[', line).is_some();
            }
            next(text) == Some(b'"')
        }
        _ => false,
    }
}

impl Document {
    /// Creates a document that begins after the given number of lines.
    pub fn after_lines(lines: u64) -> Self {
        Self { lines, ..Self::default() }
    }

    /// Parses the next bytes and adds the objects that end in them to `out`. Returns the offset of the
    /// first line that is not JSON, or of the rest of a line after an object, if any.
    pub fn parse(&mut self, block: &[u8], out: &mut Vec<Element>) -> Option<usize> {
        // Start of the open object in this block, and the end of the last whole line or object.
        let (mut start, mut resume) = (0, 0);
        let mut offset = 0;
        while offset < block.len() {
            let byte = block[offset];
            let is_valid = if self.in_string {
                self.parse_string_byte(byte)
            } else {
                self.parse_structure_byte(byte)
            };
            if !is_valid {
                if let Some(mut open) = self.open.take() {
                    open.text.extend_from_slice(block.get(start..resume).unwrap_or_default());
                    out.push(Element::Broken(open.line, open.text));
                }
                return Some(resume);
            }
            self.lines += u64::from(byte == b'\n');
            if byte == b'{' && !self.in_string && self.open.is_none() && self.is_record() {
                start = offset;
                let (depth, line) = (self.stack.len(), self.lines + 1);
                self.open = Some(OpenObject { depth, line, text: Vec::new(), is_oversized: false });
            }
            offset += 1;
            if byte == b'\n' {
                resume = offset;
            }
            if byte == b'}'
                && !self.in_string
                && self.open.as_ref().is_some_and(|o| o.depth > self.stack.len())
                && let Some(mut open) = self.open.take()
                && !open.is_oversized
            {
                open.text.extend_from_slice(&block[start..offset]);
                out.push(Element::Object(open.line, open.text));
                resume = offset;
            }
        }
        let open = self.open.as_mut()?;
        if !open.is_oversized {
            open.text.extend_from_slice(&block[start..]);
        }
        if open.text.len() <= MAX_RECORD {
            return None;
        }
        if open.depth > 1 || self.is_split {
            open.is_oversized = true;
            open.text = Vec::new();
            return None;
        }
        // The top-level object is too long for a record, so search it for records.
        let text = std::mem::take(&mut open.text);
        *self = Self { is_split: true, lines: open.line - 1, ..Self::default() };
        self.parse(&text, out).map(|_| block.len())
    }

    /// Returns the object that has started but not ended, if any.
    pub fn finish(self) -> Option<Element> {
        self.open.filter(|o| !o.is_oversized).map(|o| Element::Broken(o.line, o.text))
    }

    /// Returns whether the object that has just started is a record: an array's element, or a
    /// top-level object.
    fn is_record(&self) -> bool {
        match self.stack.len().checked_sub(2) {
            Some(outer) => self.stack[outer] == b'[',
            None => !self.is_split,
        }
    }

    /// Parses a byte of a string. Returns false for a line break, which is not valid in a string.
    fn parse_string_byte(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.in_string = false,
            b'\n' => return false,
            _ => {}
        }
        true
    }

    fn parse_structure_byte(&mut self, byte: u8) -> bool {
        match byte {
            b'{' | b'[' if self.stack.len() < MAX_DEPTH => self.stack.push(byte),
            b'}' => return self.stack.pop() == Some(b'{'),
            b']' => return self.stack.pop() == Some(b'['),
            b' ' | b'\t' | b'\r' | b'\n' | b',' => {}
            0xef | 0xbb | 0xbf if self.lines == 0 && self.stack.is_empty() => {}
            _ if self.stack.is_empty() => return false,
            b'"' => self.in_string = true,
            // A number or a literal. The letters of a log record end the document.
            b'0'..=b'9' | b'+' | b'-' | b'.' | b':' => {}
            _ => return b"truefalsnENIiy".contains(&byte),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses a text in chunks of the given length. Returns the objects, the broken ones, and
    /// whether the text is JSON.
    fn parse(text: &str, chunk_len: usize) -> (Vec<(u64, String)>, Vec<String>, bool) {
        let mut document = Document::default();
        let (mut elements, mut is_json) = (Vec::new(), true);
        for block in text.as_bytes().chunks(chunk_len) {
            if document.parse(block, &mut elements).is_some() {
                is_json = false;
                break;
            }
        }
        elements.extend(document.finish());
        // A document may end within a character.
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let (mut objects, mut broken) = (Vec::new(), Vec::new());
        for element in elements {
            match element {
                Element::Object(line, bytes) => objects.push((line, text(bytes))),
                Element::Broken(_, bytes) => broken.push(text(bytes)),
            }
        }
        (objects, broken, is_json)
    }

    #[test]
    fn records_are_extracted_from_arrays_in_any_layout() {
        for text in [
            r#"[{"a":"}]\""},{"b":[{"c":1}]}]"#,
            "[\n  {\"a\":\"}]\\\"\"},\n  {\"b\":[{\"c\":1}]}\n]\n",
            "{\"a\":\"}]\\\"\"}\n{\"b\":[{\"c\":1}]}",
        ] {
            for chunk_len in [1, 7, 1_000] {
                let (objects, broken, is_json) = parse(text, chunk_len);
                let objects: Vec<&str> = objects.iter().map(|o| o.1.as_str()).collect();
                assert_eq!(objects, [r#"{"a":"}]\""}"#, r#"{"b":[{"c":1}]}"#], "{text}");
                assert!(broken.is_empty() && is_json);
            }
        }
        assert_eq!(parse("[\n\n {\"a\":\n1}]", 3).0, [(3, "{\"a\":\n1}".to_owned())]);
    }

    #[test]
    fn oversized_object_is_searched_for_records() {
        let records: Vec<String> =
            (0..40_000).map(|n| format!("{{\"message\":\"record {n:060}\"}}")).collect();
        let text = format!("{{\"count\":3,\n\"logs\":[{}]}}\n", records.join(",\n"));
        assert!(text.len() > MAX_RECORD);
        let (objects, broken, is_json) = parse(&text, 1024 * 1024);
        assert!(
            objects.len() == records.len() && broken.is_empty() && is_json,
            "{}",
            objects.len()
        );
        assert_eq!((objects[0].0, objects[39_999].0), (2, 40_001));
    }

    #[test]
    fn truncated_or_invalid_json_is_returned() {
        let (objects, broken, is_json) = parse("[{\"a\":1},{\"b\":", 5);
        assert_eq!((objects.len(), &broken[..], is_json), (1, &["{\"b\":".to_owned()][..], true));
        let (objects, _, is_json) = parse("[{\"a\":1}]\nERROR it broke", 4);
        assert_eq!((objects.len(), is_json), (1, false));
        assert!(!parse("{\"a\n\":1}", 4).2);
        assert!(!parse(&"[".repeat(1_000), 64).2);
    }

    #[test]
    fn documents_are_distinguished_from_lines() {
        for text in [
            "[{\"a\":1}]",
            "\u{feff}[\n {\"a\":1}",
            "{\n  \"logs\": [",
            "{\"logs\":[{\"message\":\"x\"}]}",
            "{\"status\":\"ok\",\n",
        ] {
            assert!(is_document(text.as_bytes()), "{text}");
        }
        for text in [
            "[2026-05-12 10:00:00] x",
            "[ERROR] x",
            "{\"level\":\"error\",\"message\":\"x\",\"tags\":[1]}\n{",
            "{ code }",
            "",
            "plain",
        ] {
            assert!(!is_document(text.as_bytes()), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_document_is_accepted(text in "[\\[\\]{}\",:\\\\ \na1é]{0,80}", chunk_len in 1_usize..20) {
            let (objects, broken, _) = parse(&text, chunk_len);
            for object in objects.iter().map(|o| &o.1).chain(&broken) {
                // The last character may be incomplete.
                let text_of_object = object.trim_end_matches(char::REPLACEMENT_CHARACTER);
                proptest::prop_assert!(text.contains(text_of_object));
            }
        }
    }
}
