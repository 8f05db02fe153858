//! Texts that a command reads.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use precedent_core::{Error, Result};
use precedent_text::message;

/// The longest text that is read, in bytes.
const MAX_TEXT: u64 = 64 * 1024 * 1024;

/// A text of any encoding: what is no UTF-8 in a log is replaced, not refused. A mail as it was sent is decoded.
pub fn lossy(from: impl Read, what: &str) -> Result<String> {
    let mut bytes = Vec::new();
    from.take(MAX_TEXT)
        .read_to_end(&mut bytes)
        .map_err(|e| Error::new(precedent_core::Code::Io, format!("{what} cannot be read: {e}")))?;
    Ok(message::question(&bytes).unwrap_or_else(|| String::from_utf8_lossy(&bytes).into_owned()))
}

/// Everything on standard input.
pub fn standard_input() -> Result<String> {
    lossy(io::stdin().lock(), "standard input")
}

/// Everything in a file.
pub fn file(path: &Path) -> Result<String> {
    lossy(File::open(path).map_err(|e| Error::io(path, e))?, &path.display().to_string())
}
