//! Detects unclosed quotes in a table, which would merge many rows into one cell.

use std::io::{self, Read};

use crate::tracker::import::MAX_RECORD;

/// A pass-through reader that tracks the quotes of a table.
pub struct QuoteTracker<R> {
    inner: R,
    delimiter: u8,
    state: QuoteState,
    line: u64,
    opening_line: u64,
    is_multiline: bool,
    /// Number of bytes in the open quote.
    size: usize,
    unclosed: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum QuoteState {
    Start,
    /// A cell that does not start with a quote.
    Bare,
    Quoted,
    /// After a quote that closes the cell or is doubled.
    Closing,
}

impl<R> QuoteTracker<R> {
    pub fn new(inner: R, delimiter: u8) -> Self {
        Self {
            inner,
            delimiter,
            state: QuoteState::Start,
            line: 1,
            opening_line: 0,
            is_multiline: false,
            size: 0,
            unclosed: None,
        }
    }

    /// Returns the line of an unclosed quote: the table ended inside it, or the opening quote of a
    /// later cell closed it.
    pub fn unclosed_line(&self) -> Option<u64> {
        self.unclosed.or((self.state == QuoteState::Quoted).then_some(self.opening_line))
    }

    /// Returns whether the open quote is longer than any record.
    fn is_endless(&self) -> bool {
        self.state == QuoteState::Quoted && self.size > MAX_RECORD
    }

    fn push(&mut self, byte: u8) {
        let is_newline = byte == b'\n';
        self.size += 1;
        self.state = match (self.state, byte) {
            (QuoteState::Quoted, b'"') => QuoteState::Closing,
            (QuoteState::Quoted, _) => {
                self.is_multiline |= is_newline;
                QuoteState::Quoted
            }
            (QuoteState::Closing, b'"') => QuoteState::Quoted,
            (QuoteState::Start, b'"') => {
                (self.opening_line, self.is_multiline, self.size) = (self.line, false, 0);
                QuoteState::Quoted
            }
            (_, b) if b == self.delimiter || b == b'\n' || b == b'\r' => QuoteState::Start,
            (QuoteState::Closing, b) => {
                // Text after the closing quote of a multi-line cell means it opened another cell.
                if self.is_multiline && !b.is_ascii_whitespace() && self.unclosed.is_none() {
                    self.unclosed = Some(self.opening_line);
                }
                QuoteState::Bare
            }
            _ => QuoteState::Bare,
        };
        self.line += u64::from(is_newline);
    }
}

impl<R: Read> Read for QuoteTracker<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        buffer[..n].iter().for_each(|b| self.push(*b));
        // Otherwise, the CSV parser would read the rest of the file into memory.
        match self.is_endless() {
            true => Err(io::Error::new(io::ErrorKind::InvalidData, "a quote is not closed")),
            false => Ok(n),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unclosed_line(text: &str) -> Option<u64> {
        let mut quotes = QuoteTracker::new(text.as_bytes(), b',');
        io::copy(&mut quotes, &mut io::sink()).unwrap();
        quotes.unclosed_line()
    }

    #[test]
    fn endless_quote_is_reported_early() {
        let mut endless = QuoteTracker::new(b"a,b\n1,\"never".chain(io::repeat(b'x')), b',');
        let result = io::copy(&mut endless, &mut io::sink());
        assert!(result.is_err() && endless.unclosed_line() == Some(2));
        let long = format!("1,\"{}\"\n", "x".repeat(MAX_RECORD / 2));
        assert_eq!(unclosed_line(&long.repeat(3)), None);
    }

    #[test]
    fn unclosed_quote_is_located() {
        assert_eq!(unclosed_line("a,\"b \"\"c\"\"\nd\",e\n1,5\" pipe,6\" pipe\n"), None);
        assert_eq!(unclosed_line("a,b\n1,\"never,x\n2,y\n"), Some(2));
        assert_eq!(unclosed_line("a,b\n1,\"never,x\n2,\"fine\",y\n"), Some(2));
        assert_eq!(unclosed_line("1,\"MySQL \\\"style\\\" text\"\n"), None);
    }
}
