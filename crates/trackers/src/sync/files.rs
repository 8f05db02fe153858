//! Imports files in any supported format: detects the format, parses the records and stores them
//! in their sources.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{SyncSender, sync_channel},
    },
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    Origin,
    origins::Origins,
    pack, put_records, releases,
    routes::{RecordContext, Routes},
    source_key,
};
use crate::tracker::{
    file::{
        self, Content, DetectedFormat, ItemRelation, Mapping, ParsedItem, RawRecord, content, json,
        mail::{MailHeaders, Threads},
    },
    wiki,
};
use precedent_core::{
    error::{Code, Error, Result},
    model::{
        ColumnView, DetectedFiles, DocKind, FileView, ImportReport, ImportRequest, ImportResult,
        ItemPreview, Record, ReleaseRecord, ShareView, Skip,
    },
    task::{Phase, Task},
};
use precedent_store::{PackedRaw, SourceRow, Store};

/// The number of records per transaction: an interruption loses at most this much work.
const BATCH: usize = 1000;
/// The number of bytes after which a batch ends early.
const BATCH_BYTES: usize = 8 * 1024 * 1024;
const PREVIEW_ITEMS: usize = 3;

/// Records that were read together, each with its location.
struct Batch {
    records: Vec<(String, Result<RawRecord, String>)>,
    bytes_read: u64,
}

#[derive(Default)]
struct SourceBatch {
    records: Vec<Record>,
    payloads: Vec<(Record, PackedRaw)>,
    links: Vec<(String, String, ItemRelation)>,
    releases: Vec<ReleaseRecord>,
    share: ShareView,
}

#[derive(Default)]
struct ParsedBatch {
    parts: BTreeMap<String, SourceBatch>,
    skips: Vec<(String, String)>,
    first: Vec<ItemPreview>,
    pages: u64,
    /// `true` if a record has no project, so that its source is named after the file.
    loose: bool,
    bytes_read: u64,
}

/// Imports files into the given source, or into the sources that they name. Idempotent.
///
/// # Errors
/// An error if a path cannot be read, a file is truncated or malicious, or no content is usable.
/// Records stored before the error are kept.
pub fn import_files(
    store: &Store,
    request: &ImportRequest,
    now: Timestamp,
    task: &Task,
) -> Result<ImportResult> {
    let mut importer = FileImporter::new(request, task, Some((store, now)))?;
    importer.import_paths(&request.paths)?;
    Ok(importer.out)
}

/// Imports the pages in a folder as the wiki of a source; other files are ignored.
pub fn import_wiki(
    store: &Store,
    source: &str,
    path: &Path,
    now: Timestamp,
    task: &Task,
) -> Result<ImportReport> {
    let request = ImportRequest {
        paths: vec![path.to_owned()],
        source: Some(source.to_owned()),
        ..ImportRequest::default()
    };
    let mut importer = FileImporter::new(&request, task, Some((store, now)))?;
    importer.has_only_pages = true;
    importer.import_paths(&request.paths)?;
    Ok(importer.out.report)
}

/// Imports built-in records and pages, each with its file name.
pub fn import_built_in(
    store: &Store,
    source: &str,
    files: &[(String, &'static str)],
    now: Timestamp,
    task: &Task,
) -> Result<ImportReport> {
    let request = ImportRequest {
        paths: vec!["the sample".into()],
        source: Some(source.to_owned()),
        ..ImportRequest::default()
    };
    let mut importer = FileImporter::new(&request, task, Some((store, now)))?;
    for (name, text) in files {
        let content = Content::built_in(name, text);
        let format = file::detect_format(&content, &importer.mapping)?;
        importer.import_content(&content, &format, 0, 0)?;
    }
    importer.out.report.files = files.len() as u64;
    Ok(importer.out.report)
}

/// Returns the contents of files and their target sources, without storing anything.
pub fn understand(request: &ImportRequest, task: &Task) -> Result<DetectedFiles> {
    let mut importer = FileImporter::new(request, task, None)?;
    importer.import_paths(&request.paths)?;
    Ok(importer.out.files_read)
}

struct FileImporter<'a> {
    store: Option<(&'a Store, Timestamp)>,
    task: &'a Task,
    target: Option<&'a str>,
    mapping: Mapping,
    /// Target sources of each tracker's records; a named source is the only target.
    routes: BTreeMap<String, Routes>,
    /// Trackers of the sources, including those that this import creates.
    origins: Origins,
    path: PathBuf,
    has_only_pages: bool,
    paths: &'a [PathBuf],
    /// Email threads in all paths, built when the first email is found.
    threads: Option<Arc<Threads>>,
    sources: BTreeMap<String, SourceRow>,
    /// Journal of this import, once it has stored a record.
    import: Option<i64>,
    out: ImportResult,
}

impl<'a> FileImporter<'a> {
    fn new(
        request: &'a ImportRequest,
        task: &'a Task,
        store: Option<(&'a Store, Timestamp)>,
    ) -> Result<Self> {
        let target = request.source.as_deref().map(source_key).transpose()?;
        let mapping = Mapping::parse(&request.map)?;
        let report =
            ImportReport { source: target.unwrap_or_default().to_owned(), ..Default::default() };
        Ok(Self {
            store,
            task,
            target,
            mapping,
            routes: BTreeMap::new(),
            origins: Origins::default(),
            path: PathBuf::new(),
            has_only_pages: false,
            paths: &request.paths,
            threads: None,
            sources: BTreeMap::new(),
            import: None,
            out: ImportResult { report, ..Default::default() },
        })
    }

    fn import_paths(&mut self, paths: &[PathBuf]) -> Result<()> {
        // Checking all paths first reports a misspelled name early.
        for path in paths {
            std::fs::metadata(path).map_err(|e| Error::io(path, e))?;
        }
        let mut first_error = None;
        for path in paths {
            match self.import_path(path) {
                Ok(()) => {}
                // An unusable file does not prevent the import of the others.
                Err(error) if paths.len() > 1 && is_file_error(&error) => {
                    self.add_unusable(Content::file(path).name, &error);
                    first_error.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        let report = &mut self.out.report;
        report.files = self.out.files_read.understood.len() as u64;
        if report.source.is_empty() {
            let names: Vec<&str> = self.out.sources.iter().map(|s| s.source.as_str()).collect();
            report.source = names.join(", ");
        }
        let releases: u64 = self.out.files_read.understood.iter().map(|file| file.releases).sum();
        let record_count = report.items + report.comments + report.pages + releases;
        match first_error {
            _ if record_count > 0 => Ok(()),
            Some(error) => Err(error),
            None => Err(empty_import(&self.out)),
        }
    }

    fn import_path(&mut self, path: &Path) -> Result<()> {
        self.routes.clear();
        self.path = path.to_owned();
        let mut files = content::files(path)?;
        // GitHub-style wikis are flat.
        files.retain(|(file, _)| {
            !self.has_only_pages
                || (file == path || file.parent() == Some(path))
                    && wiki::is_page(&Content::file(file).name)
        });
        let total: u64 = files.iter().map(|f| f.1).sum();
        let (mut offset, mut first_error) = (0, None);
        let count = self.out.files_read.understood.len();
        for (file, size) in &files {
            match self.import_file(file, offset, total) {
                Ok(()) => {}
                Err(error) if files.len() > 1 && is_file_error(&error) => {
                    self.add_unusable(Content::file(file).name, &error);
                    // An invalid file's error is more informative than an empty file's.
                    if error.code() == Code::InvalidInput {
                        first_error.get_or_insert(error);
                    }
                }
                Err(error) => return Err(error),
            }
            offset += size;
        }
        match first_error {
            _ if files.len() == 1 || self.out.files_read.understood.len() > count => Ok(()),
            Some(error) => Err(error),
            None => {
                Err(Error::not_found(format!(
                    "{}: nothing to import in this folder",
                    path.display()
                ))
                .with_hint(self.with_first_skip(
                    "Supported tracker exports: JSON, CSV, XML, emails and Markdown.",
                )))
            }
        }
    }

    /// Returns the project prefix of the keys stored in the target source, if any.
    fn stored_project(&self) -> Result<Option<String>> {
        let (Some((store, _)), Some(key)) = (self.store, self.target) else { return Ok(None) };
        store.read(|r| {
            let Some(source) = r.source(key)? else { return Ok(None) };
            r.project(source.id)
        })
    }

    fn import_file(&mut self, path: &Path, offset: u64, total: u64) -> Result<()> {
        let count = self.out.files_read.understood.len();
        let mut first_error = None;
        let base = self.path.clone();
        let archive = content::for_each_member(path, |content| {
            let mut content = content.relative_to(&base);
            content.is_wiki = self.has_only_pages;
            let result = file::detect_format(&content, &self.mapping).and_then(|mut format| {
                if format.mailbox().is_some() {
                    format.set_threads(&self.threads());
                }
                self.import_content(&content, &format, offset, total)
            });
            match result {
                Err(error) if content.name != Content::file(path).name && is_file_error(&error) => {
                    self.add_unusable(content.name.clone(), &error);
                    if error.code() == Code::InvalidInput {
                        first_error.get_or_insert(error);
                    }
                }
                result => result?,
            }
            Ok(true)
        })?;
        if archive && self.out.files_read.understood.len() == count {
            if let Some(error) = first_error {
                return Err(error);
            }
            return Err(Error::not_found(format!("{}: nothing to import in this archive", path.display())).with_hint(
                self.with_first_skip("A GitHub migration archive contains files such as issues_000001.json; a GitLab export contains tree/project/issues.ndjson."),
            ));
        }
        Ok(())
    }

    /// Returns the email threads of all paths, because a reply may be in any file.
    fn threads(&mut self) -> Arc<Threads> {
        if let Some(threads) = &self.threads {
            return Arc::clone(threads);
        }
        let mut builder = MailHeaders::default();
        let files = self.paths.iter().flat_map(|path| content::files(path).unwrap_or_default());
        for (file, _) in files.take_while(|_| !self.task.is_cancelled()) {
            // Read errors are reported by the actual import.
            let _ = content::for_each_member(&file, |content| {
                if let Ok(format) = file::detect_format(&content, &self.mapping)
                    && let Some(mailbox) = format.mailbox()
                {
                    let _ = builder.add(&content, mailbox, content.open()?);
                }
                Ok(!self.task.is_cancelled())
            });
        }
        let threads = Arc::new(builder.threads());
        self.threads = Some(Arc::clone(&threads));
        threads
    }

    fn add_unusable(&mut self, location: String, error: &Error) {
        let skips = &mut self.out.files_read.left_out;
        if skips.len() < ImportReport::MAX_SKIPS {
            skips.push(Skip { place: location, reason: error.to_string() });
        }
    }

    /// Adds the reason why the first file was skipped to a hint.
    fn with_first_skip(&self, hint: &str) -> String {
        match self.out.files_read.left_out.first() {
            Some(first) => format!("{hint} {}", first.reason),
            None => hint.to_owned(),
        }
    }

    /// Imports a file or an archive member.
    fn import_content(
        &mut self,
        content: &Content,
        format: &DetectedFormat,
        offset: u64,
        total: u64,
    ) -> Result<()> {
        let mut view = FileView {
            file: content.name.clone(),
            kind: format.kind.clone(),
            encoding: format.encoding().map(str::to_owned),
            columns: format
                .columns()
                .into_iter()
                .map(|(column, field, is_guessed)| ColumnView {
                    column,
                    field: field.map(str::to_owned),
                    guessed: is_guessed,
                    characters: None,
                })
                .collect(),
            doubts: format.notices.clone(),
            ..FileView::default()
        };
        if format.preamble() > 0 {
            let text = match format.preamble() {
                1 => "1 line before the table is skipped".to_owned(),
                count => format!("{count} lines before the table are skipped"),
            };
            view.doubts.insert(0, text.into());
        }
        let result = self.read_content(content, format, offset, total, &mut view);
        view.doubts.extend(format.notices_after_read());
        // A dry run shows all unused fields.
        let unused_columns = format.unused_fields(self.store.is_none()).into_iter();
        view.columns.extend(unused_columns.map(|(column, characters)| ColumnView {
            column,
            characters: Some(characters),
            ..ColumnView::default()
        }));
        let count =
            view.items + view.comments + view.pages + view.links + view.releases + view.skipped;
        if count == 0 && result.is_ok() {
            let error =
                Error::not_found(format!("{}: {} without any items", content.name, view.kind));
            self.add_unusable(content.name.clone(), &error);
        }
        self.out.files_read.understood.push(view);
        result
    }

    fn read_content(
        &mut self,
        content: &Content,
        format: &DetectedFormat,
        offset: u64,
        total: u64,
        view: &mut FileView,
    ) -> Result<()> {
        // Files of different trackers are routed independently.
        let group = if self.target.is_some() { String::new() } else { format.namespace.clone() };
        let mut routes = match self.routes.remove(&group) {
            Some(routes) => routes,
            None => Routes::new(self.target, self.stored_project()?),
        };
        routes.start_file();
        let mut origins = std::mem::take(&mut self.origins);
        let store = self.store.map(|s| s.0);
        let path = self.path.clone();
        let mapping = self.mapping.clone();
        let task = self.task;
        // Emails of one thread may be in several files, and the pages of a folder form one wiki.
        let file = match format.mailbox() {
            Some(_) => "inbox".to_owned(),
            None if format.is_page() => wiki_name(&self.path),
            None if content.has_fixed_name() => Content::file(&content.path).name,
            None => content.name.clone(),
        };
        let result = std::thread::scope(|scope| {
            // Unpacking, parsing and storing run in parallel with a queue of one batch each.
            let (batch_sender, batch_receiver) = sync_channel::<Batch>(1);
            let (sender, receiver) = sync_channel::<Result<ParsedBatch>>(1);
            let reader = scope.spawn(move || read_batches(content, format, &batch_sender));
            let (routes, origins) = (&mut routes, &mut origins);
            scope.spawn(move || {
                // A single file that names one project needs no second pass.
                let is_mentioned = |name: &str, has_several: bool| {
                    let is_folder =
                        path != content.path || Content::file(&path).name != content.name;
                    (has_several || is_folder) && has_project(&path, &mapping, name, task)
                };
                for batch in batch_receiver {
                    let parsed_batch = parse_batch(
                        batch,
                        format,
                        &file,
                        (&mut *routes, &mut *origins),
                        store,
                        &is_mentioned,
                    );
                    let is_error = parsed_batch.is_err();
                    if sender.send(parsed_batch).is_err() || is_error {
                        return;
                    }
                }
            });
            let outcome = (|| {
                while let Ok(parsed_batch) = receiver.recv() {
                    self.task.check()?;
                    let parsed_batch = parsed_batch?;
                    let position = offset + parsed_batch.bytes_read;
                    self.store_batch(parsed_batch, view)?;
                    self.task.report(Phase::Import, position, Some(total), "bytes");
                }
                Ok(())
            })();
            drop(receiver);
            let read_result = reader
                .join()
                .unwrap_or_else(|_| Err(Error::new(Code::Internal, "reading a file failed")));
            outcome.and(read_result)
        });
        self.routes.insert(group, routes);
        self.origins = origins;
        result
    }

    /// Stores a parsed batch in one transaction per source, or counts it in a dry run.
    fn store_batch(&mut self, batch: ParsedBatch, view: &mut FileView) -> Result<()> {
        view.skipped += batch.skips.len() as u64;
        view.pages += batch.pages;
        view.loose |= batch.loose;
        self.out.report.skipped += batch.skips.len() as u64;
        for (location, reason) in batch.skips {
            let skip = Skip { place: location, reason };
            for skips in [&mut view.skips, &mut self.out.report.skips] {
                if skips.len() < ImportReport::MAX_SKIPS {
                    skips.push(skip.clone());
                }
            }
        }
        let free_slots = PREVIEW_ITEMS.saturating_sub(view.first.len());
        view.first.extend(batch.first.into_iter().take(free_slots));
        for (key, part) in batch.parts {
            view.items += part.share.items;
            view.comments += part.share.comments;
            view.links += part.links.len() as u64;
            view.releases += part.releases.len() as u64;
            for shares in [&mut view.sources, &mut self.out.sources] {
                add_share(shares, &key, &part.share);
            }
            let Some((store, now)) = self.store else {
                self.out.report.items += part.share.items;
                self.out.report.comments += part.share.comments;
                continue;
            };
            if part.payloads.is_empty() && part.links.is_empty() && part.releases.is_empty() {
                continue;
            }
            let import = match self.import {
                Some(import) => import,
                None => {
                    let names: Vec<String> =
                        self.paths.iter().map(|p| p.display().to_string()).collect();
                    *self.import.insert(store.write(|w| w.begin_import(&names.join(", "), now))?)
                }
            };
            let source = match self.sources.get(&key) {
                Some(source) => source.clone(),
                // A source is created with its first record.
                None => store.write(|w| {
                    w.set_journal(import);
                    w.add_source(&key, "github", now)
                })?,
            };
            let report =
                put_records(store, &source, Origin::File { import }, &part.payloads, now, |w| {
                    for (from, to, relation) in &part.links {
                        let kind = match relation {
                            ItemRelation::DuplicateOf => "duplicate_of",
                            ItemRelation::RelatesTo => "relates_to",
                        };
                        w.add_tracker_link(from, to, kind)?;
                    }
                    releases::store_releases(w, source.id, part.releases)
                })?;
            self.out.report.add(report);
            self.sources.insert(key, source);
        }
        // Pages are items of a source, but a file counts them separately.
        view.items -= batch.pages.min(view.items);
        Ok(())
    }
}

fn is_file_error(error: &Error) -> bool {
    matches!(error.code(), Code::InvalidInput | Code::NotFound)
}

/// Returns the name of a wiki: that of the folder or archive, or of the folder of a single page.
fn wiki_name(path: &Path) -> String {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder =
        if wiki::is_page(&full.to_string_lossy()) { full.parent().unwrap_or(&full) } else { &full };
    folder.file_name().unwrap_or(full.as_os_str()).to_string_lossy().into_owned()
}

fn add_share(shares: &mut Vec<ShareView>, key: &str, share: &ShareView) {
    let index = shares.iter().position(|s| s.source == key).unwrap_or_else(|| {
        shares.push(ShareView { source: key.to_owned(), ..ShareView::default() });
        shares.len() - 1
    });
    shares[index].items += share.items;
    shares[index].comments += share.comments;
}

/// Reads the records of a file in batches until the end, or until the receiver is dropped.
fn read_batches(
    content: &Content,
    format: &DetectedFormat,
    sender: &SyncSender<Batch>,
) -> Result<()> {
    let empty_batch = || Batch { records: Vec::with_capacity(BATCH), bytes_read: 0 };
    let (mut batch, mut bytes) = (empty_batch(), 0);
    let send = |batch: &mut Batch| {
        let mut full_batch = std::mem::replace(batch, empty_batch());
        full_batch.bytes_read = content.bytes_read();
        // The receiver is dropped if storing fails or is cancelled, which reports the error.
        sender.send(full_batch).is_ok()
    };
    let result = format.read(content, |location, record| {
        bytes += record.as_ref().map_or(0, RawRecord::size);
        batch.records.push((location, record));
        if batch.records.len() < BATCH && bytes < BATCH_BYTES {
            return true;
        }
        bytes = 0;
        send(&mut batch)
    });
    if !matches!(result, Ok(false)) {
        send(&mut batch);
    }
    result.map(drop)
}

/// Parses and compresses the records of a batch, by source.
fn parse_batch(
    batch: Batch,
    format: &DetectedFormat,
    file: &str,
    (routes, origins): (&mut Routes, &mut Origins),
    store: Option<&Store>,
    is_mentioned: &impl Fn(&str, bool) -> bool,
) -> Result<ParsedBatch> {
    let results: Vec<(String, Result<Vec<ParsedItem>, String>)> = batch
        .records
        .into_par_iter()
        .map(|(location, record)| (location, record.and_then(|r| format.parse(r))))
        .collect();
    let records = || {
        results.iter().filter_map(|(_, r)| r.as_ref().ok()).flatten().filter_map(
            |item| match item {
                ParsedItem::Record(record) => Some(record),
                ParsedItem::Link(..) | ParsedItem::Release(..) => None,
            },
        )
    };
    if let Some(source) = routes.target() {
        origins.check(store, source, format.tracker, records())?;
    }
    if records().any(|record| record.repository().is_some()) {
        routes.set_names_projects();
    }
    if !routes.has_home() {
        routes.set_home(records().filter_map(Record::repository), is_mentioned);
    }
    let context = RecordContext { namespace: &format.namespace, file, is_item: true };
    let mut out = ParsedBatch { bytes_read: batch.bytes_read, ..ParsedBatch::default() };
    for (location, result) in results {
        if let Err(reason) = result.and_then(|items| add_items(items, routes, context, &mut out)) {
            out.skips.push((location, reason));
        }
    }
    for (key, part) in &out.parts {
        origins.check(store, key, format.tracker, part.records.iter())?;
    }
    if let Some(store) = store {
        for part in out.parts.values_mut() {
            part.payloads = pack(store, std::mem::take(&mut part.records))?;
        }
    }
    Ok(out)
}

fn add_items(
    items: Vec<ParsedItem>,
    routes: &Routes,
    context: RecordContext<'_>,
    out: &mut ParsedBatch,
) -> Result<(), String> {
    for item in items {
        match item {
            ParsedItem::Record(record) => {
                let context =
                    RecordContext { is_item: matches!(record, Record::Document(_)), ..context };
                let key = routes.source(record.repository(), context)?;
                out.loose |=
                    routes.target().is_none() && context.is_item && record.repository().is_none();
                if let Record::Document(document) = &record
                    && out.first.len() < PREVIEW_ITEMS
                {
                    out.first.push(ItemPreview {
                        key: document.key(&key),
                        title: document.title.clone(),
                        state: document.state,
                        created_at: document.created_at,
                        labels: document.labels.clone(),
                    });
                }
                let part = out.parts.entry(key).or_default();
                match &record {
                    Record::Document(d) => {
                        part.share.items += 1;
                        out.pages += u64::from(d.kind == DocKind::Page);
                    }
                    Record::Comment(_) => part.share.comments += 1,
                }
                part.records.push(record);
            }
            ParsedItem::Link(from, to, relation) => {
                let key = routes.source_of(from.project.as_deref(), context);
                let ends = [&from, &to].map(|end| {
                    format!("{}#{}", routes.source_of(end.project.as_deref(), context), end.number)
                });
                let [from, to] = ends;
                out.parts.entry(key).or_default().links.push((from, to, relation));
            }
            ParsedItem::Release(project, release) => {
                let context = RecordContext { is_item: false, ..context };
                let key = routes.source(project.as_deref(), context)?;
                out.parts.entry(key).or_default().releases.push(release);
            }
        }
    }
    Ok(())
}

/// Returns whether any record in a path belongs to a project. Called once per path, if its first
/// records belong to another project. If the task is cancelled, this returns early.
fn has_project(path: &Path, mapping: &Mapping, project: &str, task: &Task) -> bool {
    let Ok(mention) =
        regex::bytes::RegexBuilder::new(&regex::escape(project)).case_insensitive(true).build()
    else {
        return false;
    };
    let mut is_named = false;
    for (file, _) in content::files(path).unwrap_or_default() {
        let outcome = content::for_each_member(&file, |content| {
            let Ok(format) = file::detect_format(&content, mapping) else { return Ok(true) };
            format.read(&content, |_, record| {
                if task.is_cancelled() {
                    return false;
                }
                let items = match record {
                    Ok(record) if DetectedFormat::mentions(&record, &mention) => {
                        format.parse(record).unwrap_or_default()
                    }
                    _ => return true,
                };
                is_named |= items.iter().any(|item| match item {
                    ParsedItem::Record(record) => {
                        record.repository().is_some_and(|p| p.eq_ignore_ascii_case(project))
                    }
                    ParsedItem::Link(..) | ParsedItem::Release(..) => false,
                });
                !is_named
            })?;
            Ok(!is_named && !task.is_cancelled())
        });
        // Read errors are reported by the actual import.
        if outcome.is_err() || is_named || task.is_cancelled() {
            break;
        }
    }
    is_named
}

fn empty_import(import: &ImportResult) -> Error {
    let report = &import.report;
    let kinds: Vec<&str> = import.files_read.understood.iter().map(|f| f.kind.as_str()).collect();
    let error = match report.skips.first() {
        Some(first) => Error::not_found(format!(
            "nothing could be imported: {} record{} skipped. {}: {}",
            report.skipped,
            if report.skipped == 1 { "" } else { "s" },
            first.place,
            first.reason
        )),
        None => Error::not_found(format!(
            "nothing could be imported: {} without any items",
            kinds.join(", ")
        )),
    };
    let has_unknown_format = report
        .skips
        .first()
        .is_some_and(|s| s.reason == json::UNKNOWN_RECORD || s.reason.ends_with("REST format"));
    match has_unknown_format {
        true => error
            .with_hint("JSON needs records with a title, a text, a state or a date. Otherwise, export CSV and set its columns.")
            .with_command(None, "--map FIELD=COLUMN"),
        false => error
            .with_hint("Use items or comments exported by a tracker, and check how a file is read.")
            .with_command(None, "--dry-run"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_for_a_project_can_be_cancelled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("issues.jsonl");
        let issue =
            r#"{"number": 1, "title": "x", "html_url": "https://github.com/acme/app/issues/1"}"#;
        std::fs::write(&path, issue).unwrap();
        let task = Task::new();
        assert!(has_project(&path, &Mapping::default(), "acme/app", &task));
        task.cancel();
        assert!(!has_project(&path, &Mapping::default(), "acme/app", &task));
    }
}
