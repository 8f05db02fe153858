//! The inputs of an import: files, folders and archive members. Names in archives never become
//! paths, and archives are never unpacked to disk.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use super::office;
use precedent_core::error::{Error, Result};
use precedent_packing::{BOMB_FLOOR, MAX_RATIO, damage_error, decompress, unpack};
use precedent_text::words::Words;

/// The largest archive member, in bytes; each is read into memory, one after another.
const MAX_MEMBER: u64 = 256 * 1024 * 1024;
const MAX_MEMBERS: usize = 20_000;
const MAX_FILES: usize = 50_000;
const MAX_ARCHIVE_DEPTH: usize = 3;

/// An input that can be read from its start any number of times.
#[derive(Clone)]
pub struct Content {
    /// File name, as shown in messages.
    pub name: String,
    /// Path relative to the imported folder or archive, with `/` separators.
    pub relative_path: String,
    /// Path of the file, or of the archive that contains it.
    pub path: PathBuf,
    /// `true` for GitHub-style wikis, where front matter is part of the text.
    pub is_wiki: bool,
    bytes: Option<Arc<[u8]>>,
    bytes_read: Arc<AtomicU64>,
}

impl Content {
    /// Creates the content of a regular file.
    pub fn file(path: &Path) -> Self {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self {
            relative_path: name.clone(),
            name,
            path: path.to_owned(),
            is_wiki: false,
            bytes: None,
            bytes_read: Arc::default(),
        }
    }

    /// Creates the content of a file that is embedded in the program.
    pub fn built_in(name: &str, text: &'static str) -> Self {
        let file = Self::file(Path::new(name));
        Self { bytes: Some(text.as_bytes().into()), path: "the sample".into(), ..file }
    }

    /// Sets the path relative to a folder.
    #[must_use]
    pub fn relative_to(mut self, folder: &Path) -> Self {
        if let Ok(inner) = self.path.strip_prefix(folder)
            && inner.components().count() > 1
            && self.bytes.is_none()
        {
            let parts: Vec<_> = inner.iter().map(|part| part.to_string_lossy()).collect();
            self.relative_path = parts.join("/");
        }
        self
    }

    /// Returns whether the file comes from an export archive whose file names are fixed.
    pub fn has_fixed_name(&self) -> bool {
        self.bytes.is_some()
            && (self.relative_path.contains("tree/project/") || is_numbered(&self.name))
    }

    /// Opens the decompressed content at its start.
    ///
    /// # Errors
    /// [`precedent_core::Code::NotFound`], [`precedent_core::Code::Io`];
    /// [`precedent_core::Code::InvalidInput`] if it cannot be unpacked.
    pub fn open(&self) -> Result<Box<dyn Read + Send>> {
        match &self.bytes {
            None => {
                self.bytes_read.store(0, Ordering::Relaxed);
                unpack(&self.path, &self.bytes_read)
            }
            Some(bytes) => {
                let packed_bytes = Arc::new(AtomicU64::new(bytes.len() as u64));
                decompress(Box::new(Cursor::new(Arc::clone(bytes))), &self.path, &packed_bytes)
            }
        }
    }

    /// Returns the number of bytes read from the file.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// Returns the counter of the bytes read from the file.
    pub fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    /// Returns the first bytes of the decompressed content.
    ///
    /// # Errors
    /// The same as [`Content::open`].
    pub fn start(&self, max_bytes: usize) -> Result<Vec<u8>> {
        let mut start = Vec::new();
        let stream = self.open()?;
        match stream.take(max_bytes as u64).read_to_end(&mut start) {
            // The format of a truncated file is still detected, and its complete records are read.
            Err(e) if start.is_empty() || e.kind() == io::ErrorKind::QuotaExceeded => {
                Err(damage_error(&self.path, &e))
            }
            _ => Ok(start),
        }
    }
}

/// Returns the importable files of a folder, or the file itself, with sizes; user lists first,
/// comments last.
///
/// # Errors
/// [`precedent_core::Code::NotFound`] if there are none, [`precedent_core::Code::Io`].
pub fn files(path: &Path) -> Result<Vec<(PathBuf, u64)>> {
    let meta = std::fs::metadata(path).map_err(|e| Error::io(path, e))?;
    if !meta.is_dir() {
        return Ok(vec![(path.to_owned(), meta.len())]);
    }
    let mut out = Vec::new();
    collect_files(path, &mut out)?;
    if out.is_empty() {
        return Err(Error::not_found(format!(
            "{}: nothing to import in this folder",
            path.display()
        ))
        .with_hint(
            "Supported formats: JSON, CSV, XLSX, XML, email and Markdown, compressed or not.",
        ));
    }
    // User lists come before the messages that use their names.
    out.sort_by_key(|(p, _)| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        (!name.starts_with("users."), name.contains("comment"), p.clone())
    });
    Ok(out)
}

/// The database of a casebook; the other files in its folder are not tracker exports.
const CASEBOOK_DATABASE: &str = "precedent.db";

fn collect_files(folder: &Path, out: &mut Vec<(PathBuf, u64)>) -> Result<()> {
    if folder.join(CASEBOOK_DATABASE).is_file() {
        return Ok(());
    }
    let to_error = |e| Error::io(folder, e);
    for entry in std::fs::read_dir(folder).map_err(to_error)? {
        let entry = entry.map_err(to_error)?;
        // Links are skipped, because they could lead out of the folder.
        let kind = entry.file_type().map_err(to_error)?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        if kind.is_dir() {
            collect_files(&entry.path(), out)?;
        } else if kind.is_file() && is_relevant(&entry.path().to_string_lossy().replace('\\', "/"))
        {
            if out.len() >= MAX_FILES {
                return Err(count_error(folder, MAX_FILES));
            }
            let size = entry.metadata().map_err(|e| Error::io(&entry.path(), e))?.len();
            out.push((entry.path(), size));
        }
    }
    Ok(())
}

/// Calls `visit` with the file, or with the members of an archive and of archives in it, until it
/// returns `false`. Returns whether the file is an archive.
///
/// # Errors
/// An error if the file cannot be read or the archive is damaged or malicious, and any error from
/// `visit`.
pub fn for_each_member(
    path: &Path,
    mut visit: impl FnMut(Content) -> Result<bool>,
) -> Result<bool> {
    let file = Content::file(path);
    let start = file.start(1024)?;
    if is_tar(&start) && start.starts_with(b"manifest.json\0") {
        return Err(Error::not_found(format!("{}: this is an exported casebook", path.display()))
            .with_hint("Import it as a casebook.")
            .with_command(None, "precedent import casebook FILE"));
    }
    visit_members(file, 1, &mut visit)?;
    Ok(is_tar(&start) || is_zip(&start))
}

/// The first bytes of older office documents.
const OLE: &[u8] = b"\xd0\xcf\x11\xe0";

/// Returns the contents of an office document: its sheets as tables, or a saved email.
fn document_contents(document: &Content, bytes: &[u8]) -> Option<Vec<Content>> {
    if let Some(mail) = office::outlook_email(bytes) {
        return Some(vec![Content { bytes: Some(mail.into()), ..document.clone() }]);
    }
    let sheets: Vec<_> =
        office::sheets(bytes)?.into_iter().filter(|(_, table)| !table.is_empty()).collect();
    let is_single = sheets.len() == 1;
    let contents = sheets.into_iter().map(|(name, table)| {
        let file = document.name.clone();
        let name = if is_single { file } else { format!("{file}: {name}") };
        Content { relative_path: name.clone(), name, bytes: Some(table.into()), ..document.clone() }
    });
    Some(contents.collect())
}

fn visit_each(contents: Vec<Content>, visit: &mut Visitor<'_>) -> Result<bool> {
    for content in contents {
        if !visit(content)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A callback for each content that returns whether to continue.
type Visitor<'a> = dyn FnMut(Content) -> Result<bool> + 'a;

/// Calls `visit` with a file, or with its members if it is an archive. An invalid archive is passed
/// to `visit`, which reports its error.
fn visit_members(member: Content, depth: usize, visit: &mut Visitor<'_>) -> Result<bool> {
    let start = member.start(1024).unwrap_or_default();
    if depth > MAX_ARCHIVE_DEPTH {
        return visit(member);
    }
    if is_tar(&start) {
        return visit_tar(&member, depth, visit);
    }
    if is_zip(&start) && (depth == 1 || is_plain_zip(&member)) {
        return visit_zip(&member, depth, visit);
    }
    let is_document = start.starts_with(OLE) || is_zip(&start);
    let bytes = is_document.then(|| read_all(&member).ok()).flatten();
    match bytes.and_then(|bytes| document_contents(&member, &bytes)) {
        Some(document_contents) => visit_each(document_contents, visit),
        None => visit(member),
    }
}

/// Returns whether a member is a zip archive other than an office document.
fn is_plain_zip(member: &Content) -> bool {
    read_all(member).is_ok_and(|bytes| {
        ::zip::ZipArchive::new(Cursor::new(bytes)).is_ok_and(|archive| !is_office(&archive))
    })
}

fn is_office<R: Read + io::Seek>(archive: &::zip::ZipArchive<R>) -> bool {
    archive.file_names().any(|n| n.is_ok_and(|n| n == "[Content_Types].xml"))
}

fn read_all(content: &Content) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let result = content.open()?.take(MAX_MEMBER + 1).read_to_end(&mut bytes);
    result.map_err(|e| damage_error(&content.path, &e))?;
    match bytes.len() as u64 > MAX_MEMBER {
        true => Err(size_error(&content.path, "the archive")),
        false => Ok(bytes),
    }
}

fn is_tar(start: &[u8]) -> bool {
    // An empty archive is two blocks of zeros.
    start.get(257..262) == Some(b"ustar") || (start.len() == 1024 && start.iter().all(|b| *b == 0))
}

fn is_zip(start: &[u8]) -> bool {
    start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06")
}

/// Returns whether an archive member is relevant. GitHub's migration archives and GitLab's exports
/// contain many other files with fixed names.
fn is_relevant(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    if is_numbered(file) {
        return !IGNORED_PREFIXES.iter().any(|b| file.starts_with(b));
    }
    if name.contains("tree/project/") {
        // Merge requests are included so that skipping them is reported.
        return matches!(file, "issues.ndjson" | "merge_requests.ndjson");
    }
    let metadata =
        ["schema.json", "VERSION", "GITLAB_VERSION", "lfs-objects.json", "project.bundle"];
    !metadata.contains(&file)
        && !name.ends_with("tree/project.json")
        && !file.starts_with('.')
        && !name.starts_with("__MACOSX/")
}

/// Returns whether a file name has the form of GitHub's migration archives: `issues_000001.json`.
fn is_numbered(file: &str) -> bool {
    file.strip_suffix(".json")
        .and_then(|stem| stem.rsplit_once('_'))
        .is_some_and(|(_, n)| n.len() == 6 && n.bytes().all(|b| b.is_ascii_digit()))
}

/// The name prefixes of irrelevant files in GitHub's migration archives.
static IGNORED_PREFIXES: Words = Words::new(
    "attachments_ bases_ commit_comments_ issue_events_ milestones_ organizations_ projects_
     protected_branches_ pull_request_review_threads_ pull_request_reviews_ releases_
     repositories_ repository_files_ teams_ users_",
);

/// Reads a tar archive; returns whether to continue.
fn visit_tar(archive: &Content, depth: usize, visit: &mut Visitor<'_>) -> Result<bool> {
    let path = &archive.path;
    let to_error = |e: io::Error| damage_error(path, &e);
    let mut tar = tar::Archive::new(archive.open()?);
    let mut count = 0;
    for entry in tar.entries().map_err(to_error)? {
        let entry = entry.map_err(to_error)?;
        let name = entry.path().map_err(to_error)?.to_string_lossy().into_owned();
        if !entry.header().entry_type().is_file() || !is_relevant(&name) {
            continue;
        }
        count += 1;
        let member = read_member(archive, &name, count, entry.size(), entry)?;
        if !visit_members(member, depth + 1, visit)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn visit_zip(archive: &Content, depth: usize, visit: &mut Visitor<'_>) -> Result<bool> {
    let path = &archive.path;
    if archive.bytes.is_none() {
        let to_error = |e| Error::io(path, e);
        let mut file = BufReader::new(File::open(path).map_err(to_error)?);
        let size = file.get_ref().metadata().map_err(to_error)?.len();
        if is_zip(file.fill_buf().map_err(to_error)?) {
            archive.bytes_read.store(size, Ordering::Relaxed);
            return visit_zip_members(archive, size, file, depth, visit);
        }
    }
    // The zip directory is at the end, so a compressed or nested archive is read into memory.
    let bytes = read_all(archive)?;
    let size = bytes.len() as u64;
    visit_zip_members(archive, size, Cursor::new(bytes), depth, visit)
}

fn visit_zip_members<R: Read + io::Seek>(
    archive: &Content,
    size: u64,
    file: R,
    depth: usize,
    visit: &mut Visitor<'_>,
) -> Result<bool> {
    let path = &archive.path;
    let to_damage_error =
        |e: ::zip::result::ZipError| damage_error(path, &io::Error::other(e.to_string()));
    let mut zip = ::zip::ZipArchive::new(file).map_err(to_damage_error)?;
    if is_office(&zip) {
        if let Some(sheets) = document_contents(archive, &read_all(archive)?) {
            return visit_each(sheets, visit);
        }
        return Err(Error::not_found(format!("{}: this is an office document", path.display())).with_hint(
            "A workbook (.xlsx) can be imported; save other documents as text, CSV or Markdown.",
        ));
    }
    let (mut count, mut total) = (0, 0);
    for index in 0..zip.len() {
        let entry = zip.by_index(index).map_err(to_damage_error)?;
        let name = entry.name().map_err(to_damage_error)?.into_owned();
        if !entry.is_file() || !is_relevant(&name) {
            continue;
        }
        count += 1;
        let member = read_member(archive, &name, count, entry.size(), entry)?;
        total += member.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if total > BOMB_FLOOR && total / size.max(1) > MAX_RATIO {
            return Err(Error::invalid(format!(
                "{}: unpacks to more than {MAX_RATIO} times its size; this does not look like a tracker export",
                path.display()
            ))
            .with_hint("If the file is genuine, unpack it first, then import the result."));
        }
        if !visit_members(member, depth + 1, visit)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads the member with this position among the relevant ones and this stated size.
fn read_member(
    archive: &Content,
    name: &str,
    position: usize,
    size: u64,
    reader: impl Read,
) -> Result<Content> {
    let path = &archive.path;
    if position > MAX_MEMBERS {
        return Err(count_error(path, MAX_MEMBERS));
    }
    let mut bytes = Vec::new();
    if size <= MAX_MEMBER {
        let read = reader.take(MAX_MEMBER + 1).read_to_end(&mut bytes);
        read.map_err(|e| damage_error(path, &e))?;
    }
    if size.max(bytes.len() as u64) > MAX_MEMBER {
        return Err(size_error(path, name));
    }
    let relative_path = name.replace('\\', "/");
    let name = relative_path.rsplit('/').next().unwrap_or(name).to_owned();
    Ok(Content {
        name,
        relative_path,
        is_wiki: false,
        bytes: Some(bytes.into()),
        ..archive.clone()
    })
}

fn count_error(path: &Path, max: usize) -> Error {
    Error::invalid(format!("{}: contains more than {max} files", path.display()))
        .with_hint("Anything read before that is kept. Unpack archives, and import one subfolder after another.")
}

fn size_error(path: &Path, name: &str) -> Error {
    let name: String = name.chars().take(80).collect();
    Error::invalid(format!("{}: {name} is larger than 256 MiB", path.display()))
        .with_hint("Unpack the archive, then import the folder.")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn zip_of(name: &str, bytes: &[u8]) -> Vec<u8> {
        let mut zip = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file(name, ::zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn excess_members_are_an_error() {
        let mut zip = ::zip::ZipWriter::new(Cursor::new(Vec::new()));
        for n in 0..=MAX_MEMBERS {
            zip.start_file(format!("{n}.eml"), ::zip::write::SimpleFileOptions::default()).unwrap();
        }
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&zip.finish().unwrap().into_inner()).unwrap();
        let mut count = 0;
        let result = for_each_member(file.path(), |_| {
            count += 1;
            Ok(true)
        });
        assert_eq!(count, MAX_MEMBERS);
        assert!(result.unwrap_err().to_string().contains("more than 20000 files"));
    }

    #[test]
    fn deep_folders_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a/".repeat(20));
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(deep.join("x.csv"), "id,title\n").unwrap();
        assert_eq!(files(folder.path()).unwrap().len(), 1);
    }

    #[test]
    fn nested_archives_open_up_to_a_depth() {
        let names = |bytes: &[u8]| {
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(bytes).unwrap();
            let mut names = Vec::new();
            let archive = for_each_member(file.path(), |content| {
                names.push((content.name.clone(), content.start(100)?.len()));
                Ok(true)
            });
            assert!(archive.unwrap());
            names
        };
        let mut inner_zip = zip_of("items.csv", b"id,title\n1,a\n");
        for _ in 0..2 {
            inner_zip = zip_of("inner.zip", &inner_zip);
            assert_eq!(names(&inner_zip), [("items.csv".to_owned(), 13)]);
        }
        inner_zip = zip_of("inner.zip", &inner_zip);
        assert_eq!(names(&inner_zip)[0].0, "inner.zip");
        let office = zip_of("sheet.xlsx", &zip_of("[Content_Types].xml", b"<x/>"));
        assert_eq!(names(&office)[0].0, "sheet.xlsx");
    }
}
