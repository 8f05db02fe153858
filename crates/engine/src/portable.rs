//! The export and import of a casebook as one portable file with checksums.
//!
//! The file is a tar with three members, in this order: `manifest.json`, `casebook.db.zst` (a
//! SQLite database with the casebook's schema, compressed with zstd) and `checksums` (the BLAKE3
//! hashes of both in the format of `b3sum`). Members are never unpacked by name, so a malicious
//! file cannot choose where it is written.

use std::{
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write},
    path::Path,
};

use jiff::Timestamp;

use precedent_core::{
    error::{Code, Error, Remedy, Result},
    files::{StagingFolder, exists_error},
    model::{ExportResult, Manifest, PortableImport},
    task::{Phase, Task},
};
use precedent_store as store;
use precedent_store::{FileLock, RemoteRow, SourceRow, Store};
use precedent_trackers::sync;

/// The format version that is written, and the newest that can be read.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const DATABASE: &str = "casebook.db.zst";
const CHECKSUMS: &str = "checksums";
/// The maximum size of the manifest and of the checksums, in bytes.
const MAX_TEXT: u64 = 1 << 20;
/// The maximum ratio of unpacked to packed size of a database.
const MAX_RATIO: u64 = 64;
/// The unpacked size up to which any ratio is allowed, in bytes; an empty database is all zeros.
const MAX_UNCHECKED: u64 = 64 * 1024 * 1024;
const ZSTD_LEVEL: i32 = 9;

/// Exports a casebook to a file that only this user may read. Private notes are included only if
/// requested. An existing file is an error unless `replace` is set.
pub fn export(
    store: &Store,
    file: &Path,
    notes: bool,
    replace: bool,
    now: Timestamp,
    task: &Task,
) -> Result<ExportResult> {
    if file.exists() && !replace {
        return Err(exists_error(file));
    }
    // Removed text must not remain in the file.
    store.purge(task)?;
    let staging_folder = StagingFolder::create_beside(file)?;
    let (part, database) = (staging_folder.path("part"), staging_folder.path("part.db"));
    let packed_database = staging_folder.path("part.zst");
    let contents = store.write_portable(&database, notes)?;
    task.check()?;
    let digest = pack(&database, &packed_database, task)?;
    let manifest = Manifest {
        format: FORMAT,
        made_by: format!("precedent {}", env!("CARGO_PKG_VERSION")),
        made_at: now,
        database_bytes: length(&database)?,
        contents: contents.clone(),
    };
    let manifest = serde_json::to_vec_pretty(&manifest)
        .map_err(|e| Error::new(Code::Internal, format!("writing the manifest: {e}")))?;
    let manifest_digest = blake3::hash(&manifest).to_hex();
    let checksums = format!("{manifest_digest}  {MANIFEST}\n{digest}  {DATABASE}\n").into_bytes();
    let write = || -> io::Result<()> {
        let mut tar = tar::Builder::new(BufWriter::new(create(&part)?));
        let seconds = u64::try_from(now.as_second()).unwrap_or_default();
        let header = |size: u64| {
            let mut header = tar::Header::new_ustar();
            header.set_size(size);
            header.set_mode(0o600);
            header.set_mtime(seconds);
            header
        };
        tar.append_data(&mut header(manifest.len() as u64), MANIFEST, manifest.as_slice())?;
        let size = fs::metadata(&packed_database)?.len();
        tar.append_data(&mut header(size), DATABASE, File::open(&packed_database)?)?;
        tar.append_data(&mut header(checksums.len() as u64), CHECKSUMS, checksums.as_slice())?;
        tar.into_inner()?.into_inner()?.sync_all()
    };
    write().map_err(|e| Error::io(&part, e))?;
    let bytes = length(&part)?;
    staging_folder.put(&part, file, replace)?;
    Ok(ExportResult { file: file.display().to_string(), bytes, contents })
}

/// Imports a file written by [`export`] completely or, on an error, not at all. Existing data is
/// kept. Skipped entries are passed to `on_skip` before anything is written. While another import
/// is running, this is [`Code::Busy`].
pub fn import(
    store: &Store,
    folder: &Path,
    file: &Path,
    now: Timestamp,
    on_skip: impl FnOnce(&[String]),
    task: &Task,
) -> Result<PortableImport> {
    let _lock = FileLock::try_acquire(folder, "import.lock")?.ok_or_else(|| {
        Error::new(Code::Busy, "another process is importing into this casebook")
            .with_hint("Wait until it has finished, then try again.")
    })?;
    let staging_folder = StagingFolder::create_in(folder)?;
    let database = staging_folder.path("import.db");
    let manifest = unpack(file, &database, task)?;
    store::check_foreign(&database).map_err(|e| e.context(file.display()))?;
    task.check()?;
    let is_remote =
        |source: &SourceRow, remote: &RemoteRow| sync::remote_address(source, remote).is_ok();
    let copy = store.verify_copy(&database, &manifest.contents, &is_remote, now, task)?;
    task.check()?;
    store.import_copy(&copy, &file.display().to_string(), now, on_skip, task)
}

/// Checks that a file was written by [`export`] and is complete and unchanged. Unpacks it
/// temporarily in `scratch`.
pub fn check(file: &Path, scratch: &Path, task: &Task) -> Result<()> {
    let staging_folder = StagingFolder::create_in(scratch)?;
    let database = staging_folder.path("import.db");
    unpack(file, &database, task)?;
    store::check_foreign(&database).map_err(|e| e.context(file.display()))
}

/// Reads the three members, writes the database to `target`, and verifies the checksums.
fn unpack(file: &Path, target: &Path, task: &Task) -> Result<Manifest> {
    let size = length(file)?;
    let mut input = File::open(file).map_err(|e| Error::io(file, e))?;
    let mut start = Vec::new();
    (&input).take(512).read_to_end(&mut start).map_err(|e| Error::io(file, e))?;
    if start.starts_with(b"SQLite format 3") {
        return Err(Error::invalid(format!(
            "{} is a database, not an exported casebook",
            file.display()
        ))
        .with_hint("If it is a backup, restore it.")
        .with_command(None, format!("precedent restore {}", file.display())));
    }
    // An archive with other members gets a more specific error below.
    let is_archive = start.get(257..262) == Some(b"ustar".as_slice());
    if !is_archive && !MANIFEST.as_bytes().starts_with(&start[..start.len().min(MANIFEST.len())]) {
        return Err(Error::invalid(format!("{} is not an exported casebook", file.display()))
            .with_hint("Use a complete export of a casebook; nothing was imported. Import exports of a tracker as files.")
            .with_command(Remedy::Add, "precedent import FILE"));
    }
    input.rewind().map_err(|e| Error::io(file, e))?;
    let mut archive = tar::Archive::new(BufReader::new(input));
    let mut entries = archive.entries().map_err(|e| invalid(file, &e))?;
    let mut next_entry = |name: &str| -> Result<tar::Entry<'_, BufReader<File>>> {
        let entry = match entries.next() {
            Some(entry) => entry.map_err(|e| invalid(file, &e))?,
            None => return Err(invalid(file, &"it is truncated")),
        };
        if !entry.header().entry_type().is_file() || *entry.path_bytes() != *name.as_bytes() {
            return Err(invalid(file, &format!("{name} is not in the expected place")));
        }
        Ok(entry)
    };
    let manifest_text = read_text(file, next_entry(MANIFEST)?)?;
    let manifest_digest = blake3::hash(&manifest_text).to_hex();
    let manifest = parse_manifest(file, &manifest_text)?;
    let packed_database = next_entry(DATABASE)?;
    let (start, packed_bytes) = (packed_database.raw_file_position(), packed_database.size());
    if packed_bytes > size {
        return Err(invalid(file, &"it is truncated"));
    }
    let limit = packed_bytes.saturating_mul(MAX_RATIO).max(MAX_UNCHECKED);
    if manifest.database_bytes > limit {
        return Err(invalid(
            file,
            &format!("it would unpack to more than {MAX_RATIO} times its size"),
        ));
    }
    unpack_database(file, packed_database, target, manifest.database_bytes, task)?;
    let digest = digest(file, start, packed_bytes)?;
    let stated_checksums = read_text(file, next_entry(CHECKSUMS)?)?;
    let actual_checksums = format!("{manifest_digest}  {MANIFEST}\n{digest}  {DATABASE}\n");
    if stated_checksums != actual_checksums.as_bytes() {
        return Err(invalid(file, &"it was modified: its contents don't match its checksums"));
    }
    Ok(manifest)
}

/// Returns the hash of a part of a file.
fn digest(file: &Path, start: u64, bytes: u64) -> Result<blake3::Hash> {
    let hash = || -> io::Result<blake3::Hash> {
        let mut input = File::open(file)?;
        input.seek(SeekFrom::Start(start))?;
        Ok(blake3::Hasher::new().update_reader(input.take(bytes))?.finalize())
    };
    hash().map_err(|e| Error::io(file, e))
}

fn parse_manifest(file: &Path, text: &[u8]) -> Result<Manifest> {
    let manifest_error = |e: serde_json::Error| invalid(file, &format!("{MANIFEST}: {e}"));
    let json: serde_json::Value = serde_json::from_slice(text).map_err(manifest_error)?;
    if let Some(format) = json["format"].as_u64().filter(|format| *format > u64::from(FORMAT)) {
        return Err(Error::new(
            Code::NewerCasebook,
            format!(
                "{}: written by a newer version of Precedent (format {format}, this version supports {FORMAT})",
                file.display()
            ),
        )
        .with_hint("Install the newer version; nothing was imported."));
    }
    serde_json::from_slice(text).map_err(manifest_error)
}

fn read_text(file: &Path, entry: impl Read) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    entry.take(MAX_TEXT + 1).read_to_end(&mut text).map_err(|e| invalid(file, &e))?;
    if text.len() as u64 > MAX_TEXT {
        return Err(invalid(file, &"a file in it is too large"));
    }
    Ok(text)
}

/// Unpacks a database of exactly `bytes` bytes.
fn unpack_database(
    file: &Path,
    packed_database: impl Read,
    target: &Path,
    bytes: u64,
    task: &Task,
) -> Result<()> {
    let mut out = BufWriter::new(create(target).map_err(|e| Error::io(target, e))?);
    let mut decoder =
        zstd::Decoder::new(packed_database).map_err(|e| invalid(file, &e))?.single_frame();
    let mut buffer = vec![0; 1 << 20];
    let mut unpacked = 0;
    loop {
        task.check()?;
        let n = decoder.read(&mut buffer).map_err(|e| invalid(file, &e))?;
        if n == 0 {
            break;
        }
        unpacked += n as u64;
        if unpacked > bytes {
            return Err(invalid(file, &"it unpacks to more than its stated size"));
        }
        out.write_all(&buffer[..n]).map_err(|e| Error::io(target, e))?;
        task.report(Phase::Import, unpacked, Some(bytes), "bytes");
    }
    if unpacked < bytes {
        return Err(invalid(file, &"it is truncated"));
    }
    out.flush().map_err(|e| Error::io(target, e))
}

/// Compresses a database, and returns the digest of the output.
fn pack(database: &Path, target: &Path, task: &Task) -> Result<blake3::Hash> {
    let mut input = File::open(database).map_err(|e| Error::io(database, e))?;
    let write_error = |e| Error::io(target, e);
    let out = create(target).map_err(write_error)?;
    let mut encoder = zstd::Encoder::new(out, ZSTD_LEVEL).map_err(write_error)?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        task.check()?;
        let n = input.read(&mut buffer).map_err(|e| Error::io(database, e))?;
        if n == 0 {
            break;
        }
        encoder.write_all(&buffer[..n]).map_err(write_error)?;
    }
    encoder.finish().map_err(write_error)?;
    digest(target, 0, length(target)?)
}

/// Creates a new file that only this user may read.
fn create(path: &Path) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn length(path: &Path) -> Result<u64> {
    Ok(fs::metadata(path).map_err(|e| Error::io(path, e))?.len())
}

fn invalid(file: &Path, reason: &dyn std::fmt::Display) -> Error {
    Error::invalid(format!("{} cannot be imported as a casebook: {reason}", file.display()))
        .with_hint("Use a complete export of a casebook; nothing was imported.")
}
