//! Detection of unclosed quotes in a table, which would otherwise merge many rows into one cell.

use std::io::{self, Read};

use crate::tracker::import::MAX_RECORD;

/// A pass-through reader that tracks the quotes of a table.
pub struct Quotes<R> {
    inner: R,
    delimiter: u8,
    at: At,
    line: u64,
    start: u64,
    spans: bool,
    /// Number of bytes in the open quote.
    size: usize,
    wrong: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// The start of a cell.
    Start,
    /// A cell that does not start with a quote.
    Bare,
    /// A quoted cell.
    Quoted,
    /// After a quote that closes the cell or is doubled.
    Closing,
}

impl<R> Quotes<R> {
    /// Creates a reader for a table with this delimiter.
    pub fn new(inner: R, delimiter: u8) -> Self {
        Self {
            inner,
            delimiter,
            at: At::Start,
            line: 1,
            start: 0,
            spans: false,
            size: 0,
            wrong: None,
        }
    }

    /// Returns the line of an unclosed quote after the table was read: the file ends inside it, or
    /// it was closed by the opening quote of a cell some lines below.
    pub fn unclosed_line(&self) -> Option<u64> {
        self.wrong.or((self.at == At::Quoted).then_some(self.start))
    }

    /// Returns whether the open quote is longer than any record.
    fn is_endless(&self) -> bool {
        self.at == At::Quoted && self.size > MAX_RECORD
    }

    fn byte(&mut self, byte: u8) {
        let newline = byte == b'\n';
        self.size += 1;
        self.at = match (self.at, byte) {
            (At::Quoted, b'"') => At::Closing,
            (At::Quoted, _) => {
                self.spans |= newline;
                At::Quoted
            }
            (At::Closing, b'"') => At::Quoted,
            (At::Start, b'"') => {
                (self.start, self.spans, self.size) = (self.line, false, 0);
                At::Quoted
            }
            (_, b) if b == self.delimiter || b == b'\n' || b == b'\r' => At::Start,
            (At::Closing, b) => {
                // A letter after a closing quote of a multi-line cell shows that it opened the next
                // cell.
                if self.spans && !b.is_ascii_whitespace() && self.wrong.is_none() {
                    self.wrong = Some(self.start);
                }
                At::Bare
            }
            _ => At::Bare,
        };
        self.line += u64::from(newline);
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        buffer[..n].iter().for_each(|b| self.byte(*b));
        // The CSV parser would otherwise read the rest of the file into memory as one cell.
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
        let mut quotes = Quotes::new(text.as_bytes(), b',');
        io::copy(&mut quotes, &mut io::sink()).unwrap();
        quotes.unclosed_line()
    }

    #[test]
    fn endless_quote_is_reported_early() {
        let mut endless = Quotes::new(b"a,b\n1,\"never".chain(io::repeat(b'x')), b',');
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
