//! Quotes of a table that are never closed: without this a whole table would become one title.

use std::io::{self, Read};

use crate::tracker::import::MAX_RECORD;

/// Passes a table through and follows its quotes.
pub struct Quotes<R> {
    inner: R,
    delimiter: u8,
    at: At,
    line: u64,
    opened: u64,
    spans: bool,
    /// How many bytes stand between the quotes that are open.
    held: usize,
    wrong: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Where a cell begins.
    Start,
    /// In a cell that does not begin with a quote.
    Bare,
    /// Between quotes.
    Quoted,
    /// After a quote that closes, or is doubled.
    Closing,
}

impl<R> Quotes<R> {
    /// Follows the quotes of a table whose cells this byte divides.
    pub fn new(inner: R, delimiter: u8) -> Self {
        Self { inner, delimiter, at: At::Start, line: 1, opened: 0, spans: false, held: 0, wrong: None }
    }

    /// The line of a quote that is never closed, once the table was read to its end: the file ends between its quotes, or what
    /// closes them stands some lines below at the beginning of another cell.
    pub fn unclosed(&self) -> Option<u64> {
        self.wrong.or((self.at == At::Quoted).then_some(self.opened))
    }

    /// Whether more stands between the quotes that are open than any record has.
    fn is_endless(&self) -> bool {
        self.at == At::Quoted && self.held > MAX_RECORD
    }

    fn byte(&mut self, byte: u8) {
        let newline = byte == b'\n';
        self.held += 1;
        self.at = match (self.at, byte) {
            (At::Quoted, b'"') => At::Closing,
            (At::Quoted, _) => {
                self.spans |= newline;
                At::Quoted
            }
            (At::Closing, b'"') => At::Quoted,
            (At::Start, b'"') => {
                (self.opened, self.spans, self.held) = (self.line, false, 0);
                At::Quoted
            }
            (_, b) if b == self.delimiter || b == b'\n' || b == b'\r' => At::Start,
            (At::Closing, b) => {
                // A letter right after the closing quote of a cell of several lines opens the next cell's text in truth.
                if self.spans && !b.is_ascii_whitespace() && self.wrong.is_none() {
                    self.wrong = Some(self.opened);
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
        // What reads this would take the rest of the file for one cell, and hold all of it.
        match self.is_endless() {
            true => Err(io::Error::new(io::ErrorKind::InvalidData, "a quote is not closed")),
            false => Ok(n),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unclosed(text: &str) -> Option<u64> {
        let mut quotes = Quotes::new(text.as_bytes(), b',');
        io::copy(&mut quotes, &mut io::sink()).unwrap();
        quotes.unclosed()
    }

    #[test]
    fn a_quote_that_is_never_closed_is_told_without_reading_on() {
        let mut endless = Quotes::new(b"a,b\n1,\"never".chain(io::repeat(b'x')), b',');
        let read = io::copy(&mut endless, &mut io::sink());
        assert!(read.is_err() && endless.unclosed() == Some(2));
        let long = format!("1,\"{}\"\n", "x".repeat(MAX_RECORD / 2));
        assert_eq!(unclosed(&long.repeat(3)), None);
    }

    #[test]
    fn quotes_that_close_and_one_that_does_not() {
        assert_eq!(unclosed("a,\"b \"\"c\"\"\nd\",e\n1,5\" pipe,6\" pipe\n"), None);
        assert_eq!(unclosed("a,b\n1,\"never,x\n2,y\n"), Some(2));
        assert_eq!(unclosed("a,b\n1,\"never,x\n2,\"fine\",y\n"), Some(2));
        assert_eq!(unclosed("1,\"MySQL \\\"style\\\" text\"\n"), None);
    }
}
