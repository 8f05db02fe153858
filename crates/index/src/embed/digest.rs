//! The checksum of a model's file.

use std::{fs::File, io::Read, path::Path};

use precedent_core::error::{Error, Result};
use sha2::{Digest as _, Sha256};

/// SHA-256 of a file, in hexadecimal.
///
/// # Errors
/// [`precedent_core::Code::Io`].
pub fn digest(path: &Path) -> Result<String> {
    let failed = |e| Error::io(path, e);
    digest_of(&mut File::open(path).map_err(failed)?).map_err(failed)
}

/// SHA-256 of what can be read, in hexadecimal.
pub(super) fn digest_of(from: &mut impl Read) -> std::io::Result<String> {
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match from.read(&mut buffer)? {
            0 => break,
            n => hash.update(&buffer[..n]),
        }
    }
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}
