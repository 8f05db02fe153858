//! Applies what trackers say to the store. The only place that knows both.

use std::{
    path::Path,
    sync::mpsc::{Receiver, sync_channel},
};

use jiff::Timestamp;
use rayon::prelude::*;

use crate::{
    error::{Error, Result},
    model::{ImportReport, Raw, Record, Skip},
    store::{Applied, RawKind, RawPacker, SourceRow, Store},
    task::{Phase, Task},
    tracker::{github, import, wiki},
};

/// Records in one transaction: a kill loses at most this much work, and other processes get their turn in between.
const BATCH: usize = 1000;
/// … or this many bytes.
const BATCH_BYTES: usize = 8 * 1024 * 1024;

/// A file that is read as it is, or one that is built in.
#[derive(Debug)]
pub(crate) enum Page {
    File(std::path::PathBuf),
    Text { slug: &'static str, text: &'static str },
}

/// What an import has read so far.
struct Batch {
    records: Vec<(String, std::result::Result<Vec<u8>, String>)>,
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
    let source = store.write(|w| w.add_source(source, "github", now))?;
    let total: u64 = files.iter().map(|f| f.1).sum();
    let mut report =
        ImportReport { source: source.key.clone(), files: files.len() as u64, ..Default::default() };
    let mut before = 0;
    // One file that is cut must not keep the others out; its error is told at the end.
    let mut failed = None;
    for (path, size) in &files {
        match import_file(store, &source, path, before, total, now, task, &mut report) {
            Ok(()) => {}
            Err(error) if error.code() == crate::Code::InvalidInput && files.len() > 1 => {
                failed.get_or_insert(error);
            }
            Err(error) => return Err(error),
        }
        before += size;
    }
    if let Some(error) = failed {
        return Err(error.context("the other files were imported"));
    }
    finish(report)
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
    let source = store.write(|w| w.add_source(source, "github", now))?;
    let mut report =
        ImportReport { source: source.key.clone(), files: files.len() as u64, ..Default::default() };
    let pages = files.into_iter().map(|(path, _)| Page::File(path)).collect();
    import_pages(store, &source, pages, now, task, &mut report)?;
    finish(report)
}

pub(crate) fn import_pages(
    store: &Store,
    source: &SourceRow,
    pages: Vec<Page>,
    now: Timestamp,
    task: &Task,
    report: &mut ImportReport,
) -> Result<()> {
    let mut records = Vec::new();
    for page in pages {
        task.check()?;
        let (place, read) = match page {
            Page::File(path) => (name(&path), wiki::page(&path).map_err(|e| e.to_string())),
            Page::Text { slug, text } => (slug.to_owned(), wiki::page_from(slug, text.into(), None)),
        };
        match read {
            Ok(Some(page)) => records.push((place, Record::Document(Box::new(page)))),
            Ok(None) => {}
            Err(reason) => skip(report, place, reason),
        }
    }
    apply(store, source, records, now, report)
}

pub(crate) fn import_lines(
    store: &Store,
    source: &SourceRow,
    place: &str,
    lines: &'static str,
    now: Timestamp,
    report: &mut ImportReport,
) -> Result<()> {
    let records =
        lines.lines().enumerate().map(|(i, l)| (format!("{place}:{}", i + 1), Ok(l.into()))).collect();
    apply_raw(store, source, Batch { records, bytes_read: 0 }, now, report)
}

#[allow(clippy::too_many_arguments, reason = "one call; a struct would only rename the arguments")]
fn import_file(
    store: &Store,
    source: &SourceRow,
    path: &Path,
    before: u64,
    total: u64,
    now: Timestamp,
    task: &Task,
    report: &mut ImportReport,
) -> Result<()> {
    let name = name(path);
    let mut records = import::Records::open(path)?;
    std::thread::scope(|scope| {
        // Unpacking and splitting run beside parsing and storing; two batches wait at the most.
        let (sender, receiver) = sync_channel::<Batch>(2);
        let reader = scope.spawn(move || -> Result<()> {
            loop {
                let mut batch = Batch { records: Vec::with_capacity(BATCH), bytes_read: 0 };
                let mut bytes = 0;
                let mut ended = Ok(false);
                while batch.records.len() < BATCH && bytes < BATCH_BYTES {
                    match records.next() {
                        Ok(Some(slice)) => {
                            bytes += slice.bytes.as_ref().map_or(0, Vec::len);
                            batch.records.push((format!("{name}:{}", slice.position), slice.bytes));
                        }
                        Ok(None) => {
                            ended = Ok(true);
                            break;
                        }
                        Err(error) => {
                            ended = Err(error);
                            break;
                        }
                    }
                }
                batch.bytes_read = records.bytes_read();
                // The receiver is gone when storing failed or was cancelled; its error is the one to tell.
                if sender.send(batch).is_err() {
                    return Ok(());
                }
                if ended? {
                    return Ok(());
                }
            }
        });
        let stored = store_batches(store, source, &receiver, before, total, now, task, report);
        drop(receiver);
        let read =
            reader.join().unwrap_or_else(|_| Err(Error::new(crate::Code::Internal, "reading a file failed")));
        stored.and(read)
    })
}

#[allow(clippy::too_many_arguments, reason = "one call; a struct would only rename the arguments")]
fn store_batches(
    store: &Store,
    source: &SourceRow,
    receiver: &Receiver<Batch>,
    before: u64,
    total: u64,
    now: Timestamp,
    task: &Task,
    report: &mut ImportReport,
) -> Result<()> {
    while let Ok(batch) = receiver.recv() {
        task.check()?;
        let done = before + batch.bytes_read;
        apply_raw(store, source, batch, now, report)?;
        task.report(Phase::Import, done, Some(total), "bytes");
    }
    Ok(())
}

fn apply_raw(
    store: &Store,
    source: &SourceRow,
    batch: Batch,
    now: Timestamp,
    report: &mut ImportReport,
) -> Result<()> {
    let read: Vec<(String, Result<Record, String>)> = batch
        .records
        .into_par_iter()
        .map(|(place, bytes)| (place, bytes.and_then(|b| github::record(&b))))
        .collect();
    let mut records = Vec::with_capacity(read.len());
    for (place, record) in read {
        match record {
            Ok(record) => records.push((place, record)),
            Err(reason) => skip(report, place, reason),
        }
    }
    apply(store, source, records, now, report)
}

/// Stores one batch in one transaction.
fn apply(
    store: &Store,
    source: &SourceRow,
    records: Vec<(String, Record)>,
    now: Timestamp,
    report: &mut ImportReport,
) -> Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    let documents = packer(store, RawKind::Document, &records)?;
    let comments = packer(store, RawKind::Comment, &records)?;
    let packed: Vec<_> = records
        .into_par_iter()
        .map(|(_, record)| {
            let packed = match &record {
                Record::Document(d) => documents.pack(&d.raw),
                Record::Comment(c) => comments.pack(&c.raw),
            };
            packed.map(|p| (record, p))
        })
        .collect::<Result<_>>()?;
    // The report is changed only when the transaction has been committed.
    let (applied, items, said, pages) = store.write(|w| {
        let mut applied = [0_u64; 4];
        let (mut items, mut said, mut pages) = (0, 0, 0);
        for (record, raw) in &packed {
            let how = match record {
                Record::Document(d) => {
                    if d.number.is_some() {
                        items += 1;
                    } else {
                        pages += 1;
                    }
                    w.apply_document(source, d, raw)?
                }
                Record::Comment(c) => {
                    said += 1;
                    w.apply_comment(source, c, raw)?
                }
            };
            applied[how as usize] += 1;
        }
        if applied[Applied::New as usize] + applied[Applied::Updated as usize] > 0 {
            w.touch_source(source.id, now)?;
        }
        Ok((applied, items, said, pages))
    })?;
    report.new += applied[Applied::New as usize];
    report.updated += applied[Applied::Updated as usize];
    report.unchanged += applied[Applied::Unchanged as usize];
    report.stale += applied[Applied::Stale as usize];
    report.items += items;
    report.comments += said;
    report.pages += pages;
    Ok(())
}

/// The packer of a kind; the first large batch of a casebook trains its dictionary.
fn packer(store: &Store, kind: RawKind, records: &[(String, Record)]) -> Result<RawPacker> {
    let raws = || {
        records.iter().filter_map(|(_, r)| match (kind, r) {
            (RawKind::Document, Record::Document(d)) => Some(&d.raw),
            (RawKind::Comment, Record::Comment(c)) => Some(&c.raw),
            _ => None,
        })
    };
    let packer = store.read(|r| r.raw_packer(kind))?;
    if packer.has_dictionary() || raws().next().is_none() {
        return Ok(packer);
    }
    let samples: Vec<&Raw> = raws().collect();
    store.write(|w| w.train_dictionary(kind, samples.into_iter()))?;
    store.read(|r| r.raw_packer(kind))
}

fn skip(report: &mut ImportReport, place: String, reason: String) {
    report.skipped += 1;
    if report.skips.len() < ImportReport::MAX_SKIPS {
        report.skips.push(Skip { place, reason });
    }
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

/// Checks a source's key.
pub(crate) fn source_key(key: &str) -> Result<&str> {
    let good = |part: &str| {
        !part.is_empty()
            && part.len() <= 100
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    match key.split_once('/') {
        Some((owner, name)) if good(owner) && good(name) => Ok(key),
        _ => Err(Error::invalid(format!("\"{}\" is no source", key.chars().take(80).collect::<String>()))
            .with_hint("A source is named owner/name, for example rust-lang/rust.")),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
