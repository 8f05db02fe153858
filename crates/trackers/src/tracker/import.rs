//! Streaming reader for files of records: JSON Lines, JSON arrays or sequences of objects.

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use precedent_core::error::{Error, Result};
use precedent_packing::{BOMB_FLOOR, MAX_RATIO, damage_error, unpack};

/// The largest record, in bytes. GitHub's own limit for a body is 262,144 bytes.
pub const MAX_RECORD: usize = 32_000_000;
/// The message for a file that ends inside a list.
pub const TRUNCATED_LIST: &str = "the file ends inside this list";
/// The message for a file that ends inside a record.
pub const TRUNCATED_RECORD: &str = "the file ends inside this record";

/// The bytes of a record in a file.
#[derive(Debug)]
pub struct RawSlice {
    /// Position of the record in the file, from 1.
    pub position: u64,
    /// Bytes of the record, or the reason why they cannot be read.
    pub bytes: Result<Vec<u8>, String>,
}

/// A reader for the records of one file.
pub struct Records {
    path: PathBuf,
    input: BufReader<Box<dyn Read + Send>>,
    file_bytes: Arc<AtomicU64>,
    content_bytes: u64,
    position: u64,
    has_lines: Option<bool>,
    list_keys: Option<Vec<String>>,
    is_in_list: bool,
    is_at_end: bool,
}

impl Records {
    /// Opens a file, compressed or not.
    pub fn open(path: &Path) -> Result<Self> {
        let file_bytes = Arc::new(AtomicU64::new(0));
        let input = unpack(path, &file_bytes)?;
        Ok(Self::from_stream(path, input, file_bytes, None))
    }

    /// Creates a reader for an open stream; `file_bytes` counts the bytes read from its file. With
    /// `list_keys`, the records are in lists with these keys.
    pub fn from_stream(
        path: &Path,
        input: Box<dyn Read + Send>,
        file_bytes: Arc<AtomicU64>,
        list_keys: Option<Vec<String>>,
    ) -> Self {
        Self {
            path: path.to_owned(),
            input: BufReader::with_capacity(256 * 1024, input),
            file_bytes,
            content_bytes: 0,
            position: 0,
            has_lines: None,
            list_keys,
            is_in_list: false,
            is_at_end: false,
        }
    }

    /// Reads the next record; `None` at the end.
    ///
    /// # Errors
    /// [`precedent_core::Code::Io`]; [`precedent_core::Code::InvalidInput`] for a damaged or
    /// malicious archive.
    pub fn read(&mut self) -> Result<Option<RawSlice>> {
        if self.is_at_end {
            return Ok(None);
        }
        let result = match self.list_keys {
            Some(_) => self.next_in_list(),
            None => self
                .is_lines()
                .and_then(|has_lines| if has_lines { self.next_line() } else { self.next_value() }),
        };
        match result {
            Ok(Some(bytes)) => {
                self.position += 1;
                Ok(Some(RawSlice { position: self.position, bytes }))
            }
            Ok(None) => {
                self.is_at_end = true;
                Ok(None)
            }
            Err(error) => {
                self.is_at_end = true;
                Err(error)
            }
        }
    }

    /// Returns whether each line is a record: the first non-empty line is a whole object.
    fn is_lines(&mut self) -> Result<bool> {
        if let Some(has_lines) = self.has_lines {
            return Ok(has_lines);
        }
        self.skip_space()?;
        let buffer = self.input.fill_buf().map_err(|e| damage_error(&self.path, &e))?;
        let has_lines = match buffer.first() {
            Some(b'[') => false,
            Some(b'{') => match buffer.iter().position(|b| *b == b'\n') {
                // A line that does not end an object is pretty-printed JSON.
                Some(end) => buffer[..end].trim_ascii_end().ends_with(b"}"),
                // No line ends within the buffer.
                None => false,
            },
            _ => true,
        };
        self.has_lines = Some(has_lines);
        Ok(has_lines)
    }

    fn skip_space(&mut self) -> Result<()> {
        loop {
            let buffer = self.input.fill_buf().map_err(|e| damage_error(&self.path, &e))?;
            // A byte order mark counts as whitespace.
            let space_count = buffer
                .iter()
                .take_while(|b| b.is_ascii_whitespace() || matches!(b, 0xef | 0xbb | 0xbf))
                .count();
            let is_all_space = space_count == buffer.len() && space_count > 0;
            self.consume(space_count)?;
            if !is_all_space {
                return Ok(());
            }
        }
    }

    fn consume(&mut self, n: usize) -> Result<()> {
        self.input.consume(n);
        self.content_bytes += n as u64;
        let file_bytes = self.file_bytes.load(Ordering::Relaxed).max(1);
        if self.content_bytes > BOMB_FLOOR && self.content_bytes / file_bytes > MAX_RATIO {
            return Err(Error::invalid(format!(
                "{}: unpacks to more than {MAX_RATIO} times its size; this does not look like a tracker export",
                self.path.display()
            ))
            .with_hint("Anything read before that is kept. If the file is genuine, unpack it first, then import the result."));
        }
        Ok(())
    }

    fn next_line(&mut self) -> Result<Option<Result<Vec<u8>, String>>> {
        loop {
            let mut line = Vec::new();
            let (mut length, mut has_newline) = (0_usize, false);
            while !has_newline {
                let buffer = self.input.fill_buf().map_err(|e| damage_error(&self.path, &e))?;
                if buffer.is_empty() {
                    break;
                }
                let end = buffer.iter().position(|b| *b == b'\n');
                let chunk_length = end.unwrap_or(buffer.len());
                length += chunk_length;
                if length <= MAX_RECORD {
                    line.extend_from_slice(&buffer[..chunk_length]);
                } else {
                    line = Vec::new();
                }
                has_newline = end.is_some();
                self.consume(chunk_length + usize::from(has_newline))?;
            }
            if length > MAX_RECORD {
                return Ok(Some(Err(size_message(length))));
            }
            if !line.trim_ascii().is_empty() {
                return Ok(Some(Ok(line)));
            }
            if !has_newline {
                return Ok(None);
            }
        }
    }

    /// Reads the next object of a list inside an object.
    fn next_in_list(&mut self) -> Result<Option<Result<Vec<u8>, String>>> {
        loop {
            if !self.is_in_list && !self.skip_to_list()? {
                return Ok(None);
            }
            self.is_in_list = true;
            self.skip_space()?;
            let buffer = self.input.fill_buf().map_err(|e| damage_error(&self.path, &e))?;
            match buffer.first() {
                None => return Ok(Some(Err(TRUNCATED_LIST.to_owned()))),
                Some(b'{') => return self.next_value(),
                Some(b']') => {
                    self.is_in_list = false;
                    self.consume(1)?;
                }
                Some(_) => self.consume(1)?,
            }
        }
    }

    /// Skips to the start of the next list of records; returns whether there is one.
    fn skip_to_list(&mut self) -> Result<bool> {
        // The last string, which is a key if a colon follows.
        let (mut last_string, mut is_string, mut is_escaped, mut is_key) =
            (Vec::new(), false, false, false);
        loop {
            let buffer = self.input.fill_buf().map_err(|e| damage_error(&self.path, &e))?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let list_keys = self.list_keys.as_deref().unwrap_or_default();
            let mut end = None;
            for (index, byte) in buffer.iter().enumerate() {
                match byte {
                    b'"' if !is_escaped => {
                        is_string = !is_string;
                        if is_string {
                            (last_string, is_key) = (Vec::new(), false);
                        }
                    }
                    _ if is_string => {
                        is_escaped = *byte == b'\\' && !is_escaped;
                        if last_string.len() < 64 {
                            last_string.push(*byte);
                        }
                    }
                    b':' => is_key = true,
                    b'[' if is_key && list_keys.iter().any(|key| key.as_bytes() == last_string) => {
                        end = Some(index + 1);
                        break;
                    }
                    b if b.is_ascii_whitespace() => {}
                    _ => is_key = false,
                }
            }
            let chunk_length = end.unwrap_or(buffer.len());
            self.consume(chunk_length)?;
            if end.is_some() {
                return Ok(true);
            }
        }
    }

    /// Reads the next object of an array or of a plain sequence.
    fn next_value(&mut self) -> Result<Option<Result<Vec<u8>, String>>> {
        // Skip to the start of the next object.
        let mut stray_count = 0_usize;
        loop {
            let buffer = self.input.fill_buf().map_err(|e| damage_error(&self.path, &e))?;
            if buffer.is_empty() {
                return Ok((stray_count > 0)
                    .then(|| Err("text between records that is not a JSON object".to_owned())));
            }
            let start = buffer.iter().position(|b| *b == b'{');
            let skipped_bytes = &buffer[..start.unwrap_or(buffer.len())];
            stray_count += skipped_bytes
                .iter()
                .filter(|b| !b.is_ascii_whitespace() && !matches!(b, b',' | b'[' | b']'))
                .count();
            let skip_count = skipped_bytes.len();
            self.consume(skip_count)?;
            if start.is_some() {
                break;
            }
        }
        if stray_count > 0 {
            return Ok(Some(Err("text between records that is not a JSON object".to_owned())));
        }
        let mut value = Vec::new();
        let (mut length, mut depth, mut is_string, mut is_escaped) =
            (0_usize, 0_usize, false, false);
        loop {
            let buffer = self.input.fill_buf().map_err(|e| damage_error(&self.path, &e))?;
            if buffer.is_empty() {
                return Ok(Some(Err(TRUNCATED_RECORD.to_owned())));
            }
            let mut end = None;
            for (i, b) in buffer.iter().enumerate() {
                match b {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if is_string => is_escaped = true,
                    b'"' => is_string = !is_string,
                    _ if is_string => {}
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth = depth.saturating_sub(1);
                        if depth == 0 {
                            end = Some(i + 1);
                            break;
                        }
                    }
                    _ => {}
                }
            }
            let chunk_length = end.unwrap_or(buffer.len());
            length += chunk_length;
            if length <= MAX_RECORD {
                value.extend_from_slice(&buffer[..chunk_length]);
            } else {
                value = Vec::new();
            }
            self.consume(chunk_length)?;
            if end.is_some() {
                let is_too_large = length > MAX_RECORD;
                return Ok(Some(if is_too_large { Err(size_message(length)) } else { Ok(value) }));
            }
        }
    }
}

fn size_message(length: usize) -> String {
    format!("the record is {} MB; the maximum is {} MB", length / 1_000_000, MAX_RECORD / 1_000_000)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read_all(bytes: &[u8]) -> Vec<Result<String, String>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let mut records = Records::open(file.path()).unwrap();
        let mut out = Vec::new();
        while let Some(slice) = records.read().unwrap() {
            out.push(slice.bytes.map(|b| String::from_utf8_lossy(&b).into_owned()));
        }
        out
    }

    #[test]
    fn lines_arrays_and_sequences_yield_equal_records() {
        let expected = vec![Ok(r#"{"a":"}{"}"#.to_owned()), Ok(r#"{"b":[{"c":1}]}"#.to_owned())];
        assert_eq!(read_all(b"{\"a\":\"}{\"}\n{\"b\":[{\"c\":1}]}\n"), expected);
        assert_eq!(read_all(b"\xef\xbb\xbf [{\"a\":\"}{\"},\n {\"b\":[{\"c\":1}]}]"), expected);
        assert_eq!(read_all(b"[{\"a\":\"}{\"}][{\"b\":[{\"c\":1}]}]"), expected);
        assert_eq!(
            read_all(b"{\n\"a\":1\n}\n{\"b\":2}"),
            [Ok("{\n\"a\":1\n}".to_owned()), Ok("{\"b\":2}".to_owned())]
        );
        assert_eq!(read_all(b""), []);
        assert_eq!(read_all(b" \n\n"), []);
    }

    #[test]
    fn compression_is_detected_by_magic_bytes() {
        let plain = b"{\"a\":1}\n{\"b\":2}\n";
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(plain).unwrap();
        assert_eq!(read_all(&gzip.finish().unwrap()), read_all(plain));
        assert_eq!(read_all(&zstd::encode_all(&plain[..], 1).unwrap()), read_all(plain));
    }

    #[test]
    fn truncated_records_and_archives_are_reported() {
        let records = read_all(b"[{\"a\":1},{\"b\":");
        assert_eq!(records[0], Ok("{\"a\":1}".to_owned()));
        assert!(records[1].as_ref().unwrap_err().contains("ends inside"));

        let mut file = tempfile::NamedTempFile::new().unwrap();
        let noise: Vec<u8> = (0..100_000_u32)
            .flat_map(|i| format!("{{\"a\":{}}}\n", i.wrapping_mul(2_654_435_761)).into_bytes())
            .collect();
        let archive = zstd::encode_all(&noise[..], 1).unwrap();
        file.write_all(&archive[..archive.len() / 2]).unwrap();
        let mut records = Records::open(file.path()).unwrap();
        let error = loop {
            match records.read() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("a truncated file was read to its end"),
                Err(error) => break error,
            }
        };
        assert!(error.to_string().contains("truncated or damaged"), "{error}");
    }

    #[test]
    fn archive_bomb_is_rejected_in_bounded_memory() {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
        let zeros = vec![b'0'; 1 << 20];
        for _ in 0..600 {
            encoder.write_all(&zeros).unwrap();
        }
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&encoder.finish().unwrap()).unwrap();
        let error = Records::open(file.path()).unwrap().read().unwrap_err();
        assert!(error.to_string().contains("times its size"), "{error}");
    }

    #[test]
    fn oversized_record_is_skipped() {
        let mut bytes = vec![b'x'; MAX_RECORD + 1];
        bytes.extend_from_slice(b"\n{\"a\":1}\n");
        let records = read_all(&bytes);
        assert!(records[0].as_ref().unwrap_err().contains("the maximum is"));
        assert_eq!(records[1], Ok("{\"a\":1}".to_owned()));
    }

    proptest::proptest! {
        #[test]
        fn any_input_terminates(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(&bytes).unwrap();
            if let Ok(mut records) = Records::open(file.path()) {
                while let Ok(Some(_)) = records.read() {}
            }
        }
    }
}
