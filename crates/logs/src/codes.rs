//! Codes in lines that report no failure. They matter only if a known report names them.

use std::collections::HashMap;

use precedent_core::model::{LogGroup, LogPlace, LogSeverity};

use crate::{CodeLine, formats::FORMATS, lines::code_length, template::LogPosition};

/// The maximum number of codes that are kept.
const MAX_CODES: usize = 200;
/// The maximum length of a line's text, in bytes.
const MAX_TEXT: usize = 1_000;

/// The codes of lines without a failure, with their lines.
#[derive(Debug, Default)]
pub struct Codes {
    lines: HashMap<String, Line>,
}

#[derive(Debug)]
struct Line {
    text: String,
    count: u64,
    first: LogPosition,
    last: LogPosition,
}

impl Codes {
    pub fn add_line(&mut self, message: &[u8], position: impl Fn() -> LogPosition) {
        for hyphen in memchr::memchr_iter(b'-', message) {
            let Some(code) = code_at(message, hyphen) else { continue };
            if let Some(line) = self.lines.get_mut(code) {
                line.count += 1;
                line.last = position();
            } else if self.lines.len() < MAX_CODES {
                let text = String::from_utf8_lossy(&message[..message.len().min(MAX_TEXT)])
                    .trim()
                    .to_owned();
                let line = Line { text, count: 1, first: position(), last: position() };
                self.lines.insert(code.to_owned(), line);
            }
        }
    }

    /// Returns the lines with codes, in order of position.
    pub fn finish(self, name: impl Fn(u32) -> String) -> Vec<CodeLine> {
        let mut rows: Vec<(String, Line)> = self.lines.into_iter().collect();
        rows.sort_by(|(a, x), (b, y)| {
            (x.first.file, x.first.line, a).cmp(&(y.first.file, y.first.line, b))
        });
        let to_place = |p: LogPosition| LogPlace { file: name(p.file), line: p.line, at: p.time };
        rows.into_iter()
            .map(|(code, line)| CodeLine {
                code,
                line: LogGroup {
                    severity: LogSeverity::Warning,
                    message: line.text.clone(),
                    template: line.text.clone(),
                    count: line.count,
                    first: to_place(line.first),
                    last: to_place(line.last),
                    example: line.text,
                    excerpt: false,
                    before_crash: false,
                    near_end: false,
                },
            })
            .collect()
    }
}

pub fn has_code(message: &[u8]) -> bool {
    memchr::memchr_iter(b'-', message).any(|hyphen| code_at(message, hyphen).is_some())
}

/// Returns the code around a hyphen, with word boundaries at both ends.
fn code_at(text: &[u8], hyphen: usize) -> Option<&str> {
    let letters = text[..hyphen].iter().rev().take_while(|b| b.is_ascii_uppercase()).count();
    // Most hyphens join words.
    if letters < 2 {
        return None;
    }
    let start = hyphen - letters;
    let end = start + code_length(&text[start..])?;
    let is_word_byte = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'/');
    if text[..start].last().is_some_and(is_word_byte) || text.get(end).is_some_and(is_word_byte) {
        return None;
    }
    let code = std::str::from_utf8(&text[start..end]).ok()?;
    (!FORMATS.names.standards.contains(&code[..letters])).then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinguished_from_lookalikes() {
        let mut codes = Codes::default();
        let position = || LogPosition { file: 0, line: 3, time: None };
        codes.add_line(
            b"HB-3301: licence is not valid yet, see ISO-8859-1, CVE-2024-1, abc-123, X-100 and /HB-4444/",
            position,
        );
        codes.add_line("KT-5120フォント".as_bytes(), position);
        let names: Vec<String> =
            codes.finish(|_| String::new()).into_iter().map(|c| c.code).collect();
        assert_eq!(names, ["HB-3301", "KT-5120"]);
        let mut full_codes = Codes::default();
        (100..10_000)
            .for_each(|n| full_codes.add_line(format!("AB-{n} done").as_bytes(), position));
        assert_eq!(full_codes.finish(|_| String::new()).len(), MAX_CODES);
    }
}
