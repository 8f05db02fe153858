//! Detection and decompression of gzip, bzip2, xz and zstd, including nested layers. Decompression
//! bombs are rejected.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use precedent_core::error::{Error, Result};

/// The unpacked size in bytes above which [`MAX_RATIO`] is checked.
pub const BOMB_FLOOR: u64 = 512 * 1024 * 1024;
/// The maximum ratio of unpacked to packed size. For real JSON archives it is 10 to 30.
pub const MAX_RATIO: u64 = 200;
/// The maximum number of nested compression layers.
const MAX_LAYERS: usize = 3;
/// The memory limit for unpacking xz, in KiB. The largest common dictionary is 64 MiB.
const XZ_MEMORY: u32 = 160 * 1024;

/// Detects the compression format of a stream from its first bytes; `None` if it is not compressed.
pub fn compression(start: &[u8]) -> Option<&'static str> {
    let formats: [(&[u8], &'static str); 4] = [
        (&[0x1f, 0x8b], "gzip"),
        (&[0x28, 0xb5, 0x2f, 0xfd], "zstd"),
        (&[0xfd, b'7', b'z', b'X', b'Z', 0], "xz"),
        (b"BZh", "bzip2"),
    ];
    let (_, format) = formats.iter().find(|(magic, _)| start.starts_with(magic))?;
    // Text may begin with "BZh"; bzip2 continues with a digit and the digits of pi.
    let has_block = start.len() < 10
        || start[4..10] == [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
        || start[4] == 0x17;
    (*format != "bzip2" || start.get(3).is_some_and(u8::is_ascii_digit) && has_block)
        .then_some(*format)
}

/// Opens a file and decompresses it if needed; `packed_bytes` counts the bytes read from the file.
///
/// # Errors
/// [`precedent_core::Code::NotFound`], [`precedent_core::Code::Io`];
/// [`precedent_core::Code::InvalidInput`] for too many nested layers.
pub fn unpack(path: &Path, packed_bytes: &Arc<AtomicU64>) -> Result<Box<dyn Read + Send>> {
    let file = File::open(path).map_err(|e| Error::io(path, e))?;
    let reader = CountingReader { inner: file, count: Arc::clone(packed_bytes) };
    decompress(Box::new(reader), path, packed_bytes)
}

/// Decompresses a stream if needed.
///
/// # Errors
/// [`precedent_core::Code::InvalidInput`] for too many nested layers or a damaged start.
pub fn decompress(
    mut stream: Box<dyn Read + Send>,
    path: &Path,
    packed_bytes: &Arc<AtomicU64>,
) -> Result<Box<dyn Read + Send>> {
    for layer in 0..=MAX_LAYERS {
        let mut input = BufReader::with_capacity(256 * 1024, stream);
        let start = input.fill_buf().map_err(|e| damage_error(path, &e))?;
        let Some(format) = compression(start) else { return Ok(Box::new(input)) };
        if layer == MAX_LAYERS {
            break;
        }
        let inner: Box<dyn Read + Send> = match format {
            "gzip" => Box::new(flate2::bufread::MultiGzDecoder::new(input)),
            "zstd" => Box::new(
                zstd::stream::read::Decoder::with_buffer(input).map_err(|e| Error::io(path, e))?,
            ),
            "xz" => Box::new(lzma_rust2::XzReader::new_mem_limit(input, true, XZ_MEMORY)),
            _ => Box::new(bzip2::bufread::MultiBzDecoder::new(input)),
        };
        stream = Box::new(BombGuard {
            inner,
            packed_bytes: Arc::clone(packed_bytes),
            unpacked_bytes: 0,
        });
    }
    Err(Error::invalid(format!("{}: compressed more than {MAX_LAYERS} times over", path.display()))
        .with_hint("Unpack it first, then import the result."))
}

/// Returns the error for a file that cannot be unpacked completely.
pub fn damage_error(path: &Path, error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::IsADirectory => {
            Error::io(path, io::Error::from(error.kind()))
        }
        io::ErrorKind::QuotaExceeded => Error::invalid(format!(
            "{}: {error}; this does not look like a tracker export",
            path.display()
        ))
        .with_hint(
            "Anything read before that is kept. If the file is genuine, unpack it first, then import \
             the result.",
        ),
        _ if error.to_string().contains(PASSWORD_MESSAGE) => password_error(path),
        _ => {
            let message = format!("{}: the file is truncated or damaged: {error}", path.display());
            Error::invalid(message).with_hint(
                "Anything read before the damage is kept. Download the file again and repeat the import.",
            )
        }
    }
}

/// The message of the zip reader for an encrypted entry.
const PASSWORD_MESSAGE: &str = "Password required";

fn password_error(path: &Path) -> Error {
    Error::invalid(format!("{}: the archive is password-protected", path.display()))
        .with_hint("Unpack it with the password, then import the extracted files.")
}

/// A reader that counts the bytes read.
struct CountingReader<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.count.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// A reader that fails if the unpacked size is too large for the packed size.
struct BombGuard<R> {
    inner: R,
    packed_bytes: Arc<AtomicU64>,
    unpacked_bytes: u64,
}

impl<R: Read> Read for BombGuard<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.unpacked_bytes += n as u64;
        let packed_bytes = self.packed_bytes.load(Ordering::Relaxed).max(1);
        if self.unpacked_bytes > BOMB_FLOOR && self.unpacked_bytes / packed_bytes > MAX_RATIO {
            return Err(io::Error::new(
                io::ErrorKind::QuotaExceeded,
                format!("unpacks to more than {MAX_RATIO} times its size"),
            ));
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn unpack_bytes(bytes: &[u8]) -> Result<Vec<u8>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let mut out = Vec::new();
        unpack(file.path(), &Arc::default())?
            .read_to_end(&mut out)
            .map_err(|e| damage_error(file.path(), &e))?;
        Ok(out)
    }

    #[test]
    fn archive_errors_name_their_cause() {
        let path = Path::new("all.zip");
        let error = damage_error(
            path,
            &io::Error::other("unsupported Zip archive: Password required to decrypt file"),
        );
        assert!(error.to_string().contains("password-protected"), "{error}");
        assert!(error.hint().unwrap().text.contains("with the password"), "{error:?}");
        let error = damage_error(path, &io::Error::from(io::ErrorKind::UnexpectedEof));
        assert!(error.to_string().contains("truncated or damaged"), "{error}");
        assert!(error.hint().unwrap().text.starts_with("Anything read"), "{error:?}");
    }

    #[test]
    fn nested_compression_is_limited() {
        let gzip = |bytes: &[u8]| {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(bytes).unwrap();
            gzip.finish().unwrap()
        };
        let plain = b"BZh is how a text may begin";
        assert_eq!(unpack_bytes(plain).unwrap(), plain);
        let mut data = zstd::encode_all(&plain[..], 1).unwrap();
        assert_eq!(unpack_bytes(&data).unwrap(), plain);
        let mut bz = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bz.write_all(plain).unwrap();
        assert_eq!(unpack_bytes(&gzip(&bz.finish().unwrap())).unwrap(), plain);
        for _ in 0..4 {
            data = gzip(&data);
        }
        assert!(unpack_bytes(&data).unwrap_err().to_string().contains("compressed more than"));
    }
}
