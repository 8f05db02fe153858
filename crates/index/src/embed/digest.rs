//! The checksum of a file.

use std::{fs::File, io::Read, path::Path};

use precedent_core::error::{Error, Result};
use sha2::{Digest as _, Sha256};

/// Returns the SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// [`precedent_core::Code::Io`].
pub fn digest(path: &Path) -> Result<String> {
    let io_error = |e| Error::io(path, e);
    let mut file = File::open(path).map_err(io_error)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer).map_err(io_error)? {
            0 => break,
            n => hash.update(&buffer[..n]),
        }
    }
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}
