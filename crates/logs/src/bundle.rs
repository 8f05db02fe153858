//! Files, folders and archives as blocks of whole lines. Names inside an archive are never used as
//! paths.

use std::{
    fs::File,
    io::{self, Cursor, Read, Seek},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use encoding_rs::{Decoder, Encoding};
use precedent_core::{
    error::{Code, Error, Result},
    task::{Phase, Task},
};
use precedent_packing::{BOMB_FLOOR, MAX_RATIO, compression, damage_error, decompress, unpack};
use precedent_text::words::Words;

use crate::quiet::{QuietRun, quiet_runs};

/// The size of a block, in bytes.
const BLOCK_SIZE: usize = 1024 * 1024;
/// The number of bytes at the start of a file that are examined to detect its type.
const DETECTION_BYTES: usize = 8 * 1024;
/// The maximum nesting depth of archives, and of folders.
const MAX_ARCHIVE_DEPTH: usize = 3;
const MAX_FOLDER_DEPTH: usize = 16;
/// The name of temporary files in errors.
const TEMP_FOLDER: &str = "temporary folder";
/// The maximum number of files that are read.
const MAX_FILES: usize = 20_000;

/// A part of the input.
#[derive(Debug)]
pub enum InputPart {
    /// The start of a file, with its name.
    Begin(String),
    /// Whole lines of the file, some of which may be known to be quiet. Only the last block may end
    /// without a line break.
    Block(Vec<u8>, Vec<QuietRun>),
    End,
    /// A premature end of the file, with the reason.
    Truncated(String),
    /// A skipped file and the reason.
    Skipped(String, String),
}

impl InputPart {
    pub fn mark_quiet_lines(mut self) -> Self {
        if let Self::Block(block, runs) = &mut self {
            *runs = quiet_runs(block);
        }
        self
    }
}

type PartSink<'a> = &'a mut dyn FnMut(InputPart) -> Result<()>;

/// Passes the content of the paths to `send`, in the order of the paths and of the names in each.
///
/// Unreadable files are reported as skipped. Returns the first such error, which the caller reports
/// if nothing could be read.
///
/// # Errors
/// Returns the errors that [`crate::read`] lists.
pub fn read_paths(paths: &[PathBuf], task: &Task, send: PartSink<'_>) -> Result<Option<Error>> {
    let mut files = Vec::new();
    for path in paths {
        let meta = std::fs::metadata(path).map_err(|e| Error::io(path, e))?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        if meta.is_dir() {
            collect_files(path, "", 0, &mut files)?;
        } else {
            files.push(InputFile { path: path.clone(), name, size: meta.len(), is_named: true });
        }
    }
    let total = files.iter().map(|f| f.size).sum();
    let mut reader = BundleReader {
        task,
        send,
        total,
        finished_bytes: 0,
        file_bytes: Arc::default(),
        files: 0,
        in_file: false,
        first_error: None,
    };
    for file in files {
        reader.file_bytes.store(0, Ordering::Relaxed);
        let result = reader.read_file(&file);
        reader.record_error(result, &file.path, &file.name)?;
        reader.finished_bytes += file.size;
        reader.report();
    }
    Ok(reader.first_error)
}

/// A file to read.
struct InputFile {
    path: PathBuf,
    name: String,
    size: u64,
    /// True if the user named it, so that it is read whatever its extension.
    is_named: bool,
}

fn collect_files(path: &Path, prefix: &str, depth: usize, out: &mut Vec<InputFile>) -> Result<()> {
    let entries = std::fs::read_dir(path).and_then(|iter| iter.collect::<io::Result<Vec<_>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        // An unreadable subfolder is reported at its position, like a file.
        Err(_) if depth > 0 => {
            let name = prefix.trim_end_matches('/').to_owned();
            out.push(InputFile { path: path.to_owned(), name, size: 0, is_named: true });
            return Ok(());
        }
        Err(e) => return Err(Error::io(path, e)),
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // The entry was removed in the meantime.
        let Ok(meta) = entry.metadata() else { continue };
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        // Links are followed only if the user names them, so that no folder leads outside itself.
        if meta.is_dir() && depth < MAX_FOLDER_DEPTH {
            collect_files(&path, &format!("{name}/"), depth + 1, out)?;
        } else if meta.is_file() && out.len() < MAX_FILES {
            out.push(InputFile { path, name, size: meta.len(), is_named: false });
        }
    }
    Ok(())
}

struct BundleReader<'a, 's> {
    task: &'a Task,
    send: PartSink<'s>,
    /// The bytes of all files, of the finished files, and read so far from the current file.
    total: u64,
    finished_bytes: u64,
    file_bytes: Arc<AtomicU64>,
    files: usize,
    /// True if a file has begun and not ended.
    in_file: bool,
    first_error: Option<Error>,
}

impl BundleReader<'_, '_> {
    fn report(&self) {
        let bytes = self.finished_bytes + self.file_bytes.load(Ordering::Relaxed);
        self.task.report(Phase::Read, bytes.min(self.total), Some(self.total), "bytes");
    }

    fn skip(&mut self, name: &str, reason: impl Into<String>) -> Result<()> {
        (self.send)(InputPart::Skipped(name.to_owned(), reason.into()))
    }

    /// Reports a read error, so that the other files are still read. Returns only cancellation.
    fn record_error(&mut self, result: Result<()>, path: &Path, name: &str) -> Result<()> {
        let Err(error) = result else { return Ok(()) };
        if error.code() == Code::Cancelled {
            return Err(error);
        }
        // The name is shown next to the error.
        let path = format!("{}: ", path.display());
        let reason = error.to_string();
        let reason = reason.strip_prefix(path.as_str()).unwrap_or(&reason).to_owned();
        if std::mem::take(&mut self.in_file) {
            (self.send)(InputPart::Truncated(reason.clone()))?;
        } else {
            self.skip(name, reason.clone())?;
        }
        if self.first_error.is_none() {
            let file_error = Error::new(error.code(), format!("{name}: {reason}"));
            self.first_error = Some(file_error.with_hint(
                "Download the file again. If it is password-protected or in another format, unpack it first and pass the extracted file or folder.",
            ));
        }
        Ok(())
    }

    fn read_file(&mut self, file: &InputFile) -> Result<()> {
        if !file.is_named && !may_be_log(&file.name) {
            return self.skip(&file.name, "not a log file name");
        }
        let mut stream = unpack(&file.path, &Arc::clone(&self.file_bytes))?;
        self.read_stream(&mut stream, &file.path, &file.name, 0)
    }

    /// Reads a decompressed stream: an archive or a text.
    fn read_stream(
        &mut self,
        stream: &mut dyn Read,
        path: &Path,
        name: &str,
        depth: usize,
    ) -> Result<()> {
        self.files += 1;
        if self.files > MAX_FILES {
            return self.skip(name, "too many files");
        }
        let start = read_start(stream, path)?;
        let (is_tar, is_zip) = (is_tar(&start), is_zip(&start));
        if (is_tar || is_zip) && depth >= MAX_ARCHIVE_DEPTH {
            return self.skip(name, "archives are nested too deeply");
        }
        if let Some(reason) = binary_reason(&start).filter(|_| !is_tar && !is_zip) {
            return self.skip(name, reason);
        }
        let mut full_stream = Cursor::new(start).chain(stream);
        match () {
            () if is_tar => self.read_tar(&mut full_stream, path, depth),
            () if is_zip => self.read_zip(&mut full_stream, path, name, depth),
            () => self.read_text(&mut full_stream, path, name),
        }
    }

    fn read_tar(&mut self, stream: &mut dyn Read, path: &Path, depth: usize) -> Result<()> {
        let to_error = |e| damage_error(path, &e);
        let mut tar = tar::Archive::new(stream);
        for entry in tar.entries().map_err(to_error)? {
            let mut entry = entry.map_err(to_error)?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let name = entry.path().map_err(to_error)?.to_string_lossy().into_owned();
            let result = self.read_member(&mut entry, path, &name, depth);
            self.record_error(result, path, &name)?;
        }
        Ok(())
    }

    fn read_zip(
        &mut self,
        stream: &mut dyn Read,
        path: &Path,
        archive_name: &str,
        depth: usize,
    ) -> Result<()> {
        let to_error =
            |e: zip::result::ZipError| damage_error(path, &io::Error::other(e.to_string()));
        // A zip's directory is at its end, so the archive must be seekable.
        let file = self.spool(stream, path)?;
        let size = file.metadata().map_err(|e| Error::io(path, e))?.len();
        let mut archive = zip::ZipArchive::new(file).map_err(to_error)?;
        let mut unpacked_bytes = 0;
        for index in 0..archive.len() {
            let entry_name = archive.name_for_index(index).and_then(|n| Some(n.ok()?.into_owned()));
            let mut entry = match archive.by_index(index) {
                Ok(entry) => entry,
                Err(e) => {
                    let entry_name = entry_name.unwrap_or_else(|| archive_name.to_owned());
                    self.record_error(Err(to_error(e)), path, &entry_name)?;
                    continue;
                }
            };
            if !entry.is_file() {
                continue;
            }
            unpacked_bytes += entry.size();
            if unpacked_bytes > BOMB_FLOOR && unpacked_bytes / size.max(1) > MAX_RATIO {
                return Err(Error::invalid(format!(
                    "{}: unpacks to more than {MAX_RATIO} times its size",
                    path.display()
                ))
                .with_hint("If the file is genuine, unpack it first and pass the folder."));
            }
            let name = entry.name().map_err(to_error)?.into_owned();
            let result = self.read_member(&mut entry, path, &name, depth);
            self.record_error(result, path, &name)?;
        }
        Ok(())
    }

    fn read_member(
        &mut self,
        stream: &mut dyn Read,
        path: &Path,
        name: &str,
        depth: usize,
    ) -> Result<()> {
        self.task.check()?;
        if !may_be_log(name) {
            return self.skip(name, "not a log file name");
        }
        let start = read_start(stream, path)?;
        let is_compressed = compression(&start).is_some();
        let mut full_stream = Cursor::new(start).chain(stream);
        if !is_compressed {
            return self.read_stream(&mut full_stream, path, name, depth + 1);
        }
        let file = self.spool(&mut full_stream, path)?;
        let size = Arc::new(AtomicU64::new(file.metadata().map_err(|e| Error::io(path, e))?.len()));
        self.read_stream(&mut decompress(Box::new(file), path, &size)?, path, name, depth + 1)
    }

    /// Copies a stream to an anonymous temporary file, and rewinds it.
    fn spool(&mut self, stream: &mut dyn Read, path: &Path) -> Result<File> {
        let to_error = |e| Error::io(Path::new(TEMP_FOLDER), e);
        let mut file = tempfile::tempfile().map_err(to_error)?;
        let mut buffer = vec![0; BLOCK_SIZE];
        loop {
            self.task.check()?;
            let n = stream.read(&mut buffer).map_err(|e| damage_error(path, &e))?;
            if n == 0 {
                break;
            }
            io::Write::write_all(&mut file, &buffer[..n]).map_err(to_error)?;
            self.report();
        }
        file.rewind().map_err(to_error)?;
        Ok(file)
    }

    fn read_text(&mut self, stream: &mut dyn Read, path: &Path, name: &str) -> Result<()> {
        (self.send)(InputPart::Begin(name.to_owned()))?;
        self.in_file = true;
        let mut decoder: Option<Option<Decoder>> = None;
        let mut partial_line: Vec<u8> = Vec::new();
        loop {
            self.task.check()?;
            let mut block = Vec::with_capacity(BLOCK_SIZE + partial_line.len());
            let partial_len = partial_line.len();
            block.append(&mut partial_line);
            let result = (&mut *stream).take(BLOCK_SIZE as u64).read_to_end(&mut block);
            if let Err(error) = result {
                // Data that was decompressed before the damage is still used.
                if !block.is_empty() && decoder.as_ref().is_none_or(Option::is_none) {
                    (self.send)(InputPart::Block(block, Vec::new()))?;
                }
                return Err(damage_error(path, &error));
            }
            let is_last = block.len() == partial_len;
            let decoder = decoder.get_or_insert_with(|| {
                let (encoding, _) = Encoding::for_bom(&block)?;
                Some(encoding.new_decoder())
            });
            if let Some(decoder) = decoder {
                let new_bytes = block.split_off(partial_len);
                let mut text = String::with_capacity(
                    decoder.max_utf8_buffer_length(new_bytes.len()).unwrap_or(0),
                );
                let _ = decoder.decode_to_string(&new_bytes, &mut text, is_last);
                block.extend_from_slice(text.as_bytes());
            }
            self.report();
            if is_last {
                if !block.is_empty() {
                    (self.send)(InputPart::Block(block, Vec::new()))?;
                }
                self.in_file = false;
                return (self.send)(InputPart::End);
            }
            // A line longer than a block is split.
            if let Some(end) = memchr::memrchr(b'\n', &block) {
                partial_line = block.split_off(end + 1);
            }
            if !block.is_empty() {
                (self.send)(InputPart::Block(block, Vec::new()))?;
            }
        }
    }
}

/// Returns whether a file's first bytes are those of compressed data, an archive, or UTF-16 text.
pub fn is_packed(start: &[u8]) -> bool {
    compression(start).is_some()
        || is_tar(start)
        || is_zip(start)
        || start.starts_with(&[0xff, 0xfe])
        || start.starts_with(&[0xfe, 0xff])
}

/// Reads the bytes at the start of a stream that identify its type.
fn read_start(stream: &mut dyn Read, path: &Path) -> Result<Vec<u8>> {
    let mut start = Vec::with_capacity(DETECTION_BYTES);
    let result = stream.take(DETECTION_BYTES as u64).read_to_end(&mut start);
    result.map(|_| start).map_err(|e| damage_error(path, &e))
}

fn is_tar(start: &[u8]) -> bool {
    start.get(257..262) == Some(b"ustar")
}

fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04")
}

/// Returns the reason why a file is not text, or `None` if it is.
fn binary_reason(start: &[u8]) -> Option<&'static str> {
    if Encoding::for_bom(start).is_some() {
        return None;
    }
    if start.starts_with(b"ElfFile\0") {
        return Some("a Windows event log; export it as text (wevtutil qe … /f:text)");
    }
    if start.starts_with(b"LPKSHHRH") {
        return Some("a systemd journal; export it as text (journalctl --file … > journal.txt)");
    }
    if start.starts_with(b"MDMP") || start.starts_with(b"PAGEDU") {
        return Some("a memory dump; use its text report instead");
    }
    memchr::memchr(0, start).map(|_| "not a text file")
}

/// Returns whether a file in a folder or an archive may be a log, judging by its extension.
fn may_be_log(name: &str) -> bool {
    static OTHER_EXTENSIONS: Words = Words::new(
        "bat bin bmp c cer cfg class conf cpp crt cs css csv dat db desktop dll dmg doc docx env exe gif go h hpp htm html ico ini
        jar java jpeg jpg js key kt lock md mov mp4 o otf p12 pcap pdf pem php pl plist png pptx properties ps1 pyc reg rpm rs
        service sh so sql sqlite svg swift toml ts ttf woff woff2 xls xlsx xsd xsl yaml yml",
    );
    let path = name.replace('\\', "/");
    let file = path.rsplit('/').next().unwrap_or(&path);
    if file.starts_with('.')
        || path.starts_with("__MACOSX/")
        || path.split('/').any(|p| p == ".git")
    {
        return false;
    }
    let extension = file.rsplit_once('.').map(|(_, e)| e.to_ascii_lowercase());
    extension.is_none_or(|e| !OTHER_EXTENSIONS.contains(&e))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_files_are_recognized_by_extension() {
        for log in [
            "app.log",
            "app.log.1",
            "server",
            "var/log/syslog",
            "errors.txt",
            "out.json",
            "x.log.gz",
            "hs_err.pid",
        ] {
            assert!(may_be_log(log), "{log}");
        }
        for name in
            ["nginx.conf", "a/b.PNG", "etc/app.yaml", ".hidden", "__MACOSX/app.log", "lib.so"]
        {
            assert!(!may_be_log(name), "{name}");
        }
    }
}
