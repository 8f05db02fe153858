//! Imports of files: records and pages that are there whole.

use std::{
    path::Path,
    sync::mpsc::{SyncSender, sync_channel},
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{pack, put, source_key};
use crate::tracker::{archive, github, import, table, wiki};
use precedent_core::{
    error::{Code, Error, Result},
    model::{DocumentRecord, ImportReport, Record, Skip},
    task::{Phase, Task},
};
use precedent_store::{Packed, SourceRow, Store};

/// Records in one transaction: a kill loses at most this much work, and other processes get their turn in between.
const BATCH: usize = 1000;
/// … or this many bytes.
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// Records that were read together, each with its place.
struct Batch {
    records: Vec<(String, std::result::Result<Vec<u8>, String>)>,
    bytes_read: u64,
}

/// What is left of a batch to store.
struct Ready {
    records: Vec<(Record, Packed)>,
    skips: Vec<(String, String)>,
    bytes_read: u64,
}

/// Imports files of GitHub's REST records into a source. Running it again changes nothing that is there already.
///
/// # Errors
/// A path that cannot be read, a file that is cut or hostile, the database; what was stored before is kept.
pub fn import_github(
    store: &Store,
    source: &str,
    path: &Path,
    now: Timestamp,
    task: &Task,
) -> Result<ImportReport> {
    let source = source_key(source)?;
    let files = import::files(path, &[".json", ".jsonl", ".ndjson"])?;
    let total: u64 = files.iter().map(|f| f.1).sum();
    let mut import = Import::start(store, source, now, task)?;
    let mut before = 0;
    // One file that is cut must not keep the others out; its error is told at the end.
    let mut failed = None;
    for (path, size) in &files {
        let done = match archive::is_archive(path) {
            true => import.archive(path, before, total),
            false => import.file(path, before, total),
        };
        match done {
            Ok(()) => {}
            Err(error) if error.code() == Code::InvalidInput && files.len() > 1 => {
                failed.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
        before += size;
    }
    if let Some(error) = failed {
        return Err(error.context("the other files were imported"));
    }
    import.report.files = files.len() as u64;
    finish(import.report)
}

/// Imports a table (CSV) as the items of a source. `mapping` names columns for fields, see [`table::Table::open`].
///
/// # Errors
/// A path that cannot be read, a table that is none, columns that are not there, the database.
pub fn import_table(
    store: &Store,
    source: &str,
    path: &Path,
    mapping: &[(String, String)],
    now: Timestamp,
    task: &Task,
) -> Result<ImportReport> {
    let source = source_key(source)?;
    let mut table = table::Table::open(path, mapping)?;
    let mut import = Import::start(store, source, now, task)?;
    import.report.files = 1;
    let mut records = Vec::new();
    while let Some((row, read)) = table.read(path)? {
        match read {
            Ok(record) => records.push(Record::Document(Box::new(record))),
            Err(reason) => import.skip(format!("{}:{row}", name(path)), reason),
        }
        if records.len() >= BATCH {
            task.check()?;
            import.apply(std::mem::take(&mut records))?;
        }
    }
    import.apply(records)?;
    finish(import.report)
}

/// Imports a folder of Markdown files (or one) as the wiki pages of a source.
///
/// # Errors
/// A path that cannot be read, the database.
pub fn import_wiki(
    store: &Store,
    source: &str,
    path: &Path,
    now: Timestamp,
    task: &Task,
) -> Result<ImportReport> {
    let source = source_key(source)?;
    let files = import::files(path, wiki::ENDINGS)?;
    let mut import = Import::start(store, source, now, task)?;
    import.report.files = files.len() as u64;
    let mut pages = Vec::with_capacity(files.len());
    for (path, _) in files {
        task.check()?;
        let read = wiki::page(&path).map_err(|e| e.to_string());
        import.page(name(&path), read, &mut pages);
    }
    import.apply(pages)?;
    finish(import.report)
}

/// Imports records and pages that are built in: (name, JSON Lines) and (page name, text).
///
/// # Errors
/// Those of the database.
pub fn import_built_in(
    store: &Store,
    source: &str,
    files: &[(&str, &str)],
    pages: &[(&str, &str)],
    now: Timestamp,
    task: &Task,
) -> Result<ImportReport> {
    let mut import = Import::start(store, source, now, task)?;
    import.report.files = (files.len() + pages.len()) as u64;
    for (name, text) in files {
        task.check()?;
        let records =
            text.lines().enumerate().map(|(i, l)| (format!("{name}:{}", i + 1), Ok(l.into()))).collect();
        let ready = ready(store, Batch { records, bytes_read: 0 }, &mut import.home)?;
        import.put(ready)?;
    }
    let mut records = Vec::with_capacity(pages.len());
    for (slug, text) in pages {
        import.page(
            (*slug).to_owned(),
            wiki::page_from(&format!("{slug}.md"), (*text).into(), wiki::Facts::default()),
            &mut records,
        );
    }
    import.apply(records)?;
    finish(import.report)
}

/// An import that is under way.
struct Import<'a> {
    store: &'a Store,
    source: SourceRow,
    now: Timestamp,
    task: &'a Task,
    report: ImportReport,
    /// The repository that the files are of: the one that most records of the first batch name, whatever the source is
    /// called here. Archives hold items that were transferred to other repositories under their old number; those must
    /// not take the place of this repository's own.
    home: Option<String>,
}

impl<'a> Import<'a> {
    fn start(store: &'a Store, source: &str, now: Timestamp, task: &'a Task) -> Result<Self> {
        let source = store.write(|w| w.add_source(source, "github", now))?;
        let report = ImportReport { source: source.key.clone(), ..Default::default() };
        Ok(Self { store, source, now, task, report, home: None })
    }

    /// Reads one file of `total` bytes of files, `before` of which came before it.
    fn file(&mut self, path: &Path, before: u64, total: u64) -> Result<()> {
        let name = name(path);
        let records = import::Records::open(path)?;
        self.stored(before, total, move |sender| read_batches(records, &name, sender).map(drop))
    }

    /// Reads a migration archive, as [`Import::file`] reads a file.
    fn archive(&mut self, path: &Path, before: u64, total: u64) -> Result<()> {
        self.stored(before, total, |sender| {
            archive::archive(path, |name, records| read_batches(records, name, sender))
        })
    }

    /// Stores what `read` sends.
    fn stored(
        &mut self,
        before: u64,
        total: u64,
        read: impl FnOnce(&SyncSender<Batch>) -> Result<()> + Send,
    ) -> Result<()> {
        let store = self.store;
        let mut home = self.home.take();
        let stored = std::thread::scope(|scope| {
            // Unpacking and splitting run beside parsing and packing, and those beside storing; few batches wait.
            let (batches, unread) = sync_channel::<Batch>(1);
            let (packed, waiting) = sync_channel::<Result<Ready>>(1);
            let reader = scope.spawn(move || read(&batches));
            let home = &mut home;
            scope.spawn(move || {
                for batch in unread {
                    let ready = ready(store, batch, home);
                    let failed = ready.is_err();
                    if packed.send(ready).is_err() || failed {
                        return;
                    }
                }
            });
            let stored = (|| {
                while let Ok(ready) = waiting.recv() {
                    self.task.check()?;
                    let ready = ready?;
                    let done = before + ready.bytes_read;
                    self.put(ready)?;
                    self.task.report(Phase::Import, done, Some(total), "bytes");
                }
                Ok(())
            })();
            drop(waiting);
            let read =
                reader.join().unwrap_or_else(|_| Err(Error::new(Code::Internal, "reading a file failed")));
            stored.and(read)
        });
        self.home = home;
        stored
    }

    /// Stores a batch in one transaction, and notes what was left out of it.
    fn put(&mut self, ready: Ready) -> Result<()> {
        for (place, reason) in ready.skips {
            self.skip(place, reason);
        }
        if !ready.records.is_empty() {
            self.report.add(put(self.store, &self.source, &ready.records, self.now, |_| Ok(()))?);
        }
        Ok(())
    }

    /// Takes a page that was read, or notes why it could not be.
    fn page(
        &mut self,
        place: String,
        read: std::result::Result<Option<DocumentRecord>, String>,
        pages: &mut Vec<Record>,
    ) {
        match read {
            Ok(Some(page)) => pages.push(Record::Document(Box::new(page))),
            Ok(None) => {}
            Err(reason) => self.skip(place, reason),
        }
    }

    /// Stores records that were parsed already.
    fn apply(&mut self, records: Vec<Record>) -> Result<()> {
        let records = pack(self.store, records)?;
        self.put(Ready { records, skips: Vec::new(), bytes_read: 0 })
    }

    fn skip(&mut self, place: String, reason: String) {
        self.report.skipped += 1;
        if self.report.skips.len() < ImportReport::MAX_SKIPS {
            self.report.skips.push(Skip { place, reason });
        }
    }
}

/// Parses and packs what was read. `home` is found from the first batch.
fn ready(store: &Store, batch: Batch, home: &mut Option<String>) -> Result<Ready> {
    let read: Vec<(String, std::result::Result<Vec<Record>, String>)> = batch
        .records
        .into_par_iter()
        .map(|(place, bytes)| (place, bytes.and_then(|b| github::records(&b))))
        .collect();
    if home.is_none() {
        let all = read.iter().filter_map(|(_, r)| r.as_ref().ok()).flatten();
        *home = most_common(all.filter_map(Record::repository));
    }
    let (mut records, mut skips) = (Vec::with_capacity(read.len()), Vec::new());
    for (place, found) in read {
        let foreign = |r: &Record| {
            let (home, other) = (home.as_deref()?, r.repository()?);
            (!other.eq_ignore_ascii_case(home)).then(|| format!("belongs to {other}, not to {home}"))
        };
        // What one record holds belongs to where the first of it does.
        match found.and_then(|all| all.first().and_then(foreign).map_or(Ok(all), Err)) {
            Ok(all) => records.extend(all),
            Err(reason) => skips.push((place, reason)),
        }
    }
    Ok(Ready { records: pack(store, records)?, skips, bytes_read: batch.bytes_read })
}

/// Reads a file's records in batches until it ends or nobody wants more; whether more is wanted.
fn read_batches(mut records: import::Records, name: &str, sender: &SyncSender<Batch>) -> Result<bool> {
    loop {
        let mut batch = Batch { records: Vec::with_capacity(BATCH), bytes_read: 0 };
        let mut bytes = 0;
        let mut ended = Ok(false);
        while batch.records.len() < BATCH && bytes < BATCH_BYTES {
            match records.read() {
                Ok(Some(slice)) => {
                    bytes += slice.bytes.as_ref().map_or(0, Vec::len);
                    batch.records.push((format!("{name}:{}", slice.position), slice.bytes));
                }
                end => {
                    ended = end.map(|_| true);
                    break;
                }
            }
        }
        batch.bytes_read = records.bytes_read();
        // The receiver is gone when storing failed or was cancelled; its error is the one to tell.
        if sender.send(batch).is_err() {
            return Ok(false);
        }
        if ended? {
            return Ok(true);
        }
    }
}

/// The most common of these; of several, the first in the alphabet.
fn most_common<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for name in names {
        *counts.entry(name.to_lowercase()).or_default() += 1;
    }
    let most = counts.values().copied().max()?;
    counts.into_iter().find(|(_, n)| *n == most).map(|(name, _)| name)
}

/// An import that found records of no use at all is an error; anything else is a report.
fn finish(report: ImportReport) -> Result<ImportReport> {
    let used = report.items + report.comments + report.pages;
    match report.skips.first() {
        Some(first) if used == 0 => Err(Error::invalid(format!(
            "nothing could be imported: {} record{} skipped. {}: {}",
            report.skipped,
            if report.skipped == 1 { "" } else { "s" },
            first.place,
            first.reason
        ))
        .with_hint(
            "Give issues or comments as GitHub's REST interface answers them, one JSON object a record.",
        )),
        _ => Ok(report),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
