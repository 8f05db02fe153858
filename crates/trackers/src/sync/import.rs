//! Imports of wiki pages and built-in records.

use std::path::Path;

use jiff::Timestamp;

use super::{Origin, pack, put_records, source_key};
use crate::tracker::{github, import, wiki};
use precedent_core::{
    error::{Error, Result},
    model::{DocumentRecord, ImportReport, Record, Skip},
    task::Task,
};
use precedent_store::{PackedRaw, SourceRow, Store};

/// The records that are ready to store.
struct Ready {
    records: Vec<(Record, PackedRaw)>,
    skips: Vec<(String, String)>,
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
    let mut import = Import::start(store, source, &path.display().to_string(), now)?;
    import.report.files = files.len() as u64;
    let mut pages = Vec::with_capacity(files.len());
    for (path, _) in files {
        task.check()?;
        let result = wiki::page(&path).map_err(|e| e.to_string());
        import.page(name(&path), result, &mut pages);
    }
    import.apply(pages)?;
    finish(import.report)
}

/// Imports built-in records and pages: (name, JSON Lines) and (page name, text).
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
    let mut import = Import::start(store, source, "the sample", now)?;
    import.report.files = (files.len() + pages.len()) as u64;
    for (name, text) in files {
        task.check()?;
        let lines = text
            .lines()
            .enumerate()
            .map(|(i, l)| (format!("{name}:{}", i + 1), l.into()))
            .collect();
        import.put_batch(ready(store, lines)?)?;
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

/// An import in progress.
struct Import<'a> {
    store: &'a Store,
    source: SourceRow,
    /// Journal of this import.
    journal: i64,
    now: Timestamp,
    report: ImportReport,
}

impl<'a> Import<'a> {
    fn start(store: &'a Store, source: &str, name: &str, now: Timestamp) -> Result<Self> {
        let (source, journal) = store.write(|w| {
            let journal = w.begin_import(name, now)?;
            w.journal(journal);
            Ok((w.add_source(source, "github", now)?, journal))
        })?;
        let report = ImportReport { source: source.key.clone(), ..Default::default() };
        Ok(Self { store, source, journal, now, report })
    }

    /// Stores a batch in one transaction and records its skipped entries.
    fn put_batch(&mut self, ready: Ready) -> Result<()> {
        for (place, reason) in ready.skips {
            self.skip(place, reason);
        }
        if !ready.records.is_empty() {
            let origin = Origin::File { import: self.journal };
            let report = put_records(
                self.store,
                &self.source,
                origin,
                &ready.records,
                self.now,
                |_| Ok(()),
            )?;
            self.report.add(report);
        }
        Ok(())
    }

    /// Adds a page, or records why it was skipped.
    fn page(
        &mut self,
        place: String,
        result: std::result::Result<Option<DocumentRecord>, String>,
        pages: &mut Vec<Record>,
    ) {
        match result {
            Ok(Some(page)) => pages.push(Record::Document(Box::new(page))),
            Ok(None) => {}
            Err(reason) => self.skip(place, reason),
        }
    }

    /// Stores parsed records.
    fn apply(&mut self, records: Vec<Record>) -> Result<()> {
        let records = pack(self.store, records)?;
        self.put_batch(Ready { records, skips: Vec::new() })
    }

    fn skip(&mut self, place: String, reason: String) {
        self.report.skipped += 1;
        if self.report.skips.len() < ImportReport::MAX_SKIPS {
            self.report.skips.push(Skip { place, reason });
        }
    }
}

/// Parses and compresses built-in records.
fn ready(store: &Store, lines: Vec<(String, Vec<u8>)>) -> Result<Ready> {
    let (mut records, mut skips) = (Vec::with_capacity(lines.len()), Vec::new());
    for (place, bytes) in lines {
        match github::records(&bytes) {
            Ok(new_records) => records.extend(new_records),
            Err(reason) => skips.push((place, reason)),
        }
    }
    Ok(Ready { records: pack(store, records)?, skips })
}

/// Returns an error if no page was usable, or else the report.
fn finish(report: ImportReport) -> Result<ImportReport> {
    let count = report.items + report.comments + report.pages;
    match report.skips.first() {
        Some(first) if count == 0 => Err(Error::invalid(format!(
            "nothing could be imported: {} record{} skipped. {}: {}",
            report.skipped,
            if report.skipped == 1 { "" } else { "s" },
            first.place,
            first.reason
        ))
        .with_hint("Give pages in Markdown, or in another markup that GitHub renders.")),
        _ => Ok(report),
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}
