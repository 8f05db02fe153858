//! Applies tracker records to the store. The only module that depends on both.

mod absence;
mod clock;
mod closures;
mod files;
mod live;
mod lock;
mod origins;
mod relations;
mod releases;
mod remote;
mod removal;
mod report;
mod routes;
mod run;
mod sweep;
mod tracker_links;
mod wiki;

use std::borrow::Cow;

use jiff::Timestamp;
use rayon::prelude::*;

pub use closures::{close, closures};
pub use files::{import_built_in, import_files, import_wiki, understand};
pub use live::{record_unreachable, sync};
pub use lock::SyncLock;
pub use remote::{add, github_address, remote_address, remote_tracker, token_request, trust};
pub use report::mirrors;
pub use run::Context;
pub use wiki::delete_clone as forget_wiki;

use precedent_core::{
    error::{Error, Result},
    model::{CommentRecord, ImportReport, Raw, Record, is_source_key},
    secret_filter,
};
use precedent_store::{
    ApplyEffect, DateEvidence, PackedRaw, RawKind, RawPacker, SourceRow, Store, Writer,
};

/// The smallest number of records per thread for which parallel compression is worthwhile.
const MIN_PARALLEL_RECORDS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The source's own tracker, read in full or since the last sync.
    Tracker { full: bool },
    /// A file; changes are recorded in the journal of this import.
    File { import: i64 },
}

/// Stores a tracker's records, then calls `finish`, in one transaction.
/// Records of a `full` sync replace the stored ones regardless of dates.
fn apply(
    store: &Store,
    source: &SourceRow,
    records: Vec<Record>,
    full: bool,
    now: Timestamp,
    finish: impl FnOnce(&Writer<'_>) -> Result<()>,
) -> Result<ImportReport> {
    put_records(store, source, Origin::Tracker { full }, &pack(store, records)?, now, finish)
}

fn pack(store: &Store, records: Vec<Record>) -> Result<Vec<(Record, PackedRaw)>> {
    let documents = packer(store, RawKind::Document, &records)?;
    let comments = packer(store, RawKind::Comment, &records)?;
    records
        .into_par_iter()
        .with_min_len(MIN_PARALLEL_RECORDS)
        .map_init(
            || (None, None),
            |(document, comment), record| {
                let record = without_secrets(record);
                let (worker, packer, raw) = match &record {
                    Record::Document(d) => (document, &documents, &d.raw),
                    Record::Comment(c) => (comment, &comments, &c.raw),
                };
                let worker = match worker {
                    Some(worker) => worker,
                    None => worker.insert(packer.worker()?),
                };
                worker.pack(raw).map(|payload| (record, payload))
            },
        )
        .collect()
}

/// Removes the secrets of this process from a record, because joined texts may contain one.
fn without_secrets(mut record: Record) -> Record {
    let mut texts: Vec<&mut String> = match &mut record {
        Record::Document(d) => {
            let fields = [&mut d.url, &mut d.author.login, &mut d.milestone, &mut d.state_reason];
            let content = [&mut d.title, &mut d.body];
            content.into_iter().chain(fields.into_iter().flatten()).chain(&mut d.labels).collect()
        }
        Record::Comment(c) => {
            let fields = [&mut c.url, &mut c.author.login];
            std::iter::once(&mut c.body).chain(fields.into_iter().flatten()).collect()
        }
    };
    for text in &mut texts {
        if let Cow::Owned(clean) = secret_filter::mask(text) {
            **text = clean;
        }
    }
    record
}

/// Stores records like [`apply`], but with their raw form already compressed.
fn put_records(
    store: &Store,
    source: &SourceRow,
    origin: Origin,
    payloads: &[(Record, PackedRaw)],
    now: Timestamp,
    finish: impl FnOnce(&Writer<'_>) -> Result<()>,
) -> Result<ImportReport> {
    store.write(|w| {
        let mut is_mirrored = false;
        if let Origin::File { import } = origin {
            w.set_journal(import);
            is_mirrored = w.remote(source.id)?.is_some();
        }
        let mut report = ImportReport::default();
        // Number of the last item, if its stored version is newer.
        let mut stale_item = None;
        for (record, raw) in payloads {
            let limited_record = clock::limit_dates(record, now);
            let evidence = match limited_record {
                None if origin == (Origin::Tracker { full: true }) => DateEvidence::Current,
                None => DateEvidence::Sound,
                Some(_) if is_mirrored => DateEvidence::AheadInFile,
                Some(_) => DateEvidence::Ahead,
            };
            report.dated_ahead += u64::from(limited_record.is_some());
            let record = limited_record.as_ref().unwrap_or(record);
            let effect = match record {
                Record::Document(d) => {
                    *(if d.number.is_some() { &mut report.items } else { &mut report.pages }) += 1;
                    let new_raw = w.repack(RawKind::Document, raw, &d.raw)?;
                    let effect = w.apply_document(
                        source,
                        d,
                        new_raw.as_ref().unwrap_or(raw),
                        evidence,
                        now,
                    )?;
                    stale_item = d.number.filter(|_| effect == ApplyEffect::Stale);
                    effect
                }
                Record::Comment(c) => {
                    report.comments += 1;
                    let c = &with_unique_id(w, source, origin, c)?;
                    // Many files do not state when a comment was edited.
                    let is_stale = stale_item == Some(c.number) && c.updated_at == c.created_at;
                    let new_raw = w.repack(RawKind::Comment, raw, &c.raw)?;
                    w.apply_comment(
                        source,
                        c,
                        new_raw.as_ref().unwrap_or(raw),
                        is_stale,
                        evidence,
                        now,
                    )?
                }
            };
            if let (ApplyEffect::Updated, Record::Document(d)) = (effect, record) {
                // The creation time does not show when the item changed.
                let is_undated = d.updated_at.is_none_or(|date| Some(date) == d.created_at);
                report.undated += u64::from(d.number.is_some() && is_undated);
            }
            *match effect {
                ApplyEffect::New => &mut report.new,
                ApplyEffect::Updated => &mut report.updated,
                ApplyEffect::Unchanged => &mut report.unchanged,
                ApplyEffect::Stale => &mut report.stale,
            } += 1;
        }
        if report.new + report.updated > 0 {
            w.touch_source(source.id, now)?;
        }
        finish(w)?;
        Ok(report)
    })
}

/// Returns a comment with a unique id, because some exports number the comments of each item from
/// one.
fn with_unique_id<'a>(
    writer: &Writer<'_>,
    source: &SourceRow,
    origin: Origin,
    comment: &'a CommentRecord,
) -> Result<Cow<'a, CommentRecord>> {
    let item = match origin {
        // Tracker ids are unique; a comment on another item was moved.
        Origin::Tracker { .. } => None,
        Origin::File { .. } => writer.comment_item(source.id, &comment.remote_id)?,
    };
    Ok(match item {
        Some(number) if number != comment.number => {
            let remote_id = format!("{}@{}", comment.remote_id, comment.number);
            Cow::Owned(CommentRecord { remote_id, ..comment.clone() })
        }
        _ => Cow::Borrowed(comment),
    })
}

/// Returns the compressor for a kind; the first batch of a casebook trains its dictionary.
fn packer(store: &Store, kind: RawKind, records: &[Record]) -> Result<RawPacker> {
    let raws = || {
        records.iter().filter_map(|r| match (kind, r) {
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

/// Validates a source key.
pub fn source_key(key: &str) -> Result<&str> {
    match is_source_key(key) {
        true => Ok(key),
        false => Err(Error::invalid(format!(
            "\"{}\" is not a valid source",
            key.chars().take(80).collect::<String>()
        ))
        .with_hint("A source is named owner/name, for example rust-lang/rust.")),
    }
}

#[cfg(test)]
mod tests {
    use precedent_core::model::{Author, CommentRecord};

    use super::*;

    #[test]
    fn stored_record_contains_no_secret() {
        let token = "c4n4ry-of-a-row-0123456789";
        secret_filter::register(&token.to_owned().into());
        let comment = CommentRecord {
            repository: None,
            number: 1,
            remote_id: "1".to_owned(),
            author: Author { login: Some(format!("ann {token}")), ..Author::default() },
            body: format!("You sent {token}."),
            url: Some(format!("https://tracker.example/?t={token}")),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            raw: Raw::default(),
        };
        let clean = without_secrets(Record::Comment(Box::new(comment)));
        assert!(!format!("{clean:?}").contains("c4n4ry"), "{clean:?}");
    }
}
