//! Incremental updates of derived data by store revision. A killed update resumes where it stopped.

pub mod chunks;

use std::{
    path::Path,
    sync::mpsc::sync_channel,
    time::{Duration, Instant},
};

use rayon::prelude::*;

use super::{
    batches::batches,
    fulltext::FullText,
    links,
    lock::{self, UpdateLock, write},
    vectors::Vectors,
};
use precedent_core::{
    error::{Code, Error, Result},
    model::IndexReport,
    task::{Phase, Task},
};
use precedent_store::{DocumentRevision, DocumentRow, Reader, Store, StoredComment};
use precedent_text::{
    PREPARATION_VERSION,
    prepare::PreparedText,
    skeleton::{Skeleton, SkeletonDetector},
};

/// The maximum time that a rebuild waits for each update in progress.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// The maximum time that a search spends on updating the full text; the next search continues.
pub const SEARCH_BUDGET: Duration = Duration::from_millis(800);
/// The number of documents that are prepared together, which bounds memory.
const BATCH: usize = 512;
/// The number of documents between two commits of the full-text index.
const COMMIT_INTERVAL: usize = 32_768;
/// The minimum number of items in a source for template detection.
const MIN_SKELETON_ITEMS: u64 = 8;
/// The maximum number of reports per template detection, which holds all their lines in memory.
const SKELETON_SAMPLE: u64 = 32_768;

/// The extent of a full-text update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The whole update and merges, after waiting for other processes.
    Full,
    /// The whole update, after waiting for other processes.
    WithoutMerges,
    /// The whole update, unless another process is updating or writing to the casebook.
    UnlessBusy,
    /// Like [`Effort::UnlessBusy`], but stops after roughly this time.
    Within(Duration),
}

/// The parts of a document that are indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexedPart {
    /// The title, the text and the comments.
    All,
    /// The title and the text.
    Text,
    /// The comments alone.
    Comments,
    /// The title and the first chunk of the text.
    Opening,
}

impl IndexedPart {
    fn has_text(self) -> bool {
        self != Self::Comments
    }

    fn has_comments(self) -> bool {
        matches!(self, Self::All | Self::Comments)
    }
}

/// An updater of derived data.
pub struct DerivedData<'a> {
    /// Store, the source of all derived data.
    pub store: &'a Store,
    /// The full-text index.
    pub fulltext: &'a FullText,
    /// The casebook's folder, which contains the locks.
    pub folder: &'a Path,
    /// Parts of each document that are indexed.
    pub parts: IndexedPart,
}

struct FullDocument {
    row: DocumentRow,
    comments: Vec<StoredComment>,
}

impl DerivedData<'_> {
    fn load_document(&self, reader: &Reader<'_>, id: i64) -> Result<Option<FullDocument>> {
        let Some(row) = reader.document(id)? else { return Ok(None) };
        let comments = if self.parts.has_comments() { reader.comments(&row)? } else { Vec::new() };
        Ok(Some(FullDocument { row, comments }))
    }

    /// Detects templates, then updates the full text and the links. With [`Effort::Within`], some
    /// changes may remain.
    ///
    /// # Errors
    /// [`Code::Cancelled`], [`Code::Io`] and database errors. Committed changes are kept.
    pub fn update_text(&self, effort: Effort, task: &Task, report: &mut IndexReport) -> Result<()> {
        let lock = if matches!(effort, Effort::Full | Effort::WithoutMerges) {
            UpdateLock::take(self.folder, lock::TEXT, task)?
        } else if let Some(lock) = UpdateLock::try_take(self.folder, lock::TEXT)? {
            lock
        } else {
            report.busy_elsewhere = true;
            return Ok(());
        };
        let start = Instant::now();
        let deadline = match effort {
            Effort::Within(time) => start.checked_add(time),
            _ => None,
        };
        let short_wait = matches!(effort, Effort::UnlessBusy | Effort::Within(_));
        self.detect_skeletons(short_wait, task)?;
        // One thread extracts links while two write the full text.
        std::thread::scope(|scope| {
            let links = scope.spawn(|| links::update(self.store, deadline, short_wait, task));
            let text = self.update_fulltext(deadline, &lock, task).and_then(|documents| {
                (report.documents, report.full_text_seconds) =
                    (documents, start.elapsed().as_secs_f64());
                if effort == Effort::Full { self.fulltext.merge(&lock, task) } else { Ok(()) }
            });
            let links = links.join();
            text?;
            links.unwrap_or_else(|_| Err(Error::new(Code::Internal, "reading references failed")))
        })
    }

    /// Returns whether the full text or the links are behind the store.
    pub fn is_text_stale(&self) -> Result<bool> {
        let progress = self.fulltext.progress()?;
        let (revision, links_revision) =
            self.store.read(|r| Ok((r.revision()?, r.links_revision()?)))?;
        Ok(links_revision != revision
            || progress.revision != revision
            || (revision > 0 && progress.preparation != PREPARATION_VERSION))
    }

    /// Returns whether an update of the text would change anything.
    pub fn needs_text_update(&self, effort: Effort) -> Result<bool> {
        Ok(self.is_text_stale()?
            || self.fulltext.has_small_segments()?
            || (effort == Effort::Full && self.fulltext.needs_merge()?))
    }

    /// Clears the full-text index and the vectors, and runs `work` before they can be updated
    /// again. Waits briefly for another process, because most updates are short.
    ///
    /// # Errors
    /// [`Code::Busy`] if another process is still updating them, or any error from `work`.
    pub fn with_cleared_indexes<T>(
        &self,
        vectors: Option<&Vectors>,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let take =
            |name| UpdateLock::take_within(self.folder, name, MAX_WAIT)?.ok_or_else(busy_error);
        // Lock the vectors first, so that this wait does not block text searches.
        let _vectors_lock = take(lock::VECTORS)?;
        let text_lock = take(lock::TEXT)?;
        self.clear_text(&text_lock)?;
        vectors.map_or(Ok(()), Vectors::clear)?;
        work()
    }

    /// Clears the full-text index, so that the next update rebuilds it.
    pub fn reset_text(&self) -> Result<()> {
        let lock = UpdateLock::try_take(self.folder, lock::TEXT)?.ok_or_else(busy_error)?;
        self.clear_text(&lock)
    }

    fn clear_text(&self, lock: &UpdateLock) -> Result<()> {
        let mut writer = self.fulltext.writer(lock)?;
        writer.clear()?;
        writer.commit(0, &Task::new())?;
        writer.finish(&Task::new())?;
        self.store.write(|w| w.set_links_revision(0))
    }

    /// Detects the template of each source that has doubled in size since the last detection.
    fn detect_skeletons(&self, short_wait: bool, task: &Task) -> Result<()> {
        let has_index = self.fulltext.progress()?.revision > 0;
        for source in self.store.read(|r| r.sources())? {
            task.check()?;
            let (items, items_at_detection) = self.store.read(|r| r.skeleton_age(source.id))?;
            if items < MIN_SKELETON_ITEMS || items < items_at_detection * 2 {
                continue;
            }
            let mut detector = SkeletonDetector::default();
            let previous_skeleton = self.store.read(|r| {
                r.item_bodies(source.id, items.div_ceil(SKELETON_SAMPLE), |body| {
                    detector.add(body);
                    task.check()
                })?;
                r.skeleton(source.id)
            })?;
            let skeleton = detector.finish();
            write(self.store, short_wait, |w| {
                w.set_skeleton(source.id, &skeleton, items)?;
                // Reindex documents that were indexed with another template.
                if skeleton != previous_skeleton && has_index {
                    w.touch_documents(Some(source.id))
                } else {
                    Ok(())
                }
            })?;
        }
        Ok(())
    }

    /// Updates the full-text index, and returns the number of documents that were indexed.
    fn update_fulltext(
        &self,
        deadline: Option<Instant>,
        lock: &UpdateLock,
        task: &Task,
    ) -> Result<u64> {
        let mut progress = self.fulltext.progress()?;
        let (revision, mut changes) =
            self.store.read(|r| Ok((r.revision()?, r.changed_documents(progress.revision)?)))?;
        let rebuild = progress.revision > revision
            || (progress.revision > 0 && progress.preparation != PREPARATION_VERSION);
        if rebuild {
            progress.revision = 0;
            changes = self.store.read(|r| r.changed_documents(0))?;
        }
        if !rebuild && progress.revision == revision && !self.fulltext.has_small_segments()? {
            return Ok(0);
        }
        let mut writer = self.fulltext.writer(lock)?;
        if rebuild {
            writer.clear()?;
        }
        // An interrupted rebuild would leave only a part of the index.
        let deadline = deadline.filter(|_| !rebuild);
        let is_index_empty = progress.revision == 0;
        let skeletons = self.skeletons()?;
        let (mut indexed_count, mut entry_count, mut uncommitted_count, mut is_stopped) =
            (0, 0, 0, false);
        let total = changes.len() as u64;
        let entry = |l: &FullDocument| {
            let body = PreparedText::body(&l.row.body, skeletons.for_source(l.row.source_id));
            let comments: Vec<_> =
                l.comments.iter().map(|c| (c, PreparedText::comment(&c.body))).collect();
            self.fulltext.entry(&l.row, &body, &comments)
        };
        self.for_each_prepared(batches(&changes, BATCH), entry, |batch, entries| {
            task.check()?;
            // Commit only between revisions.
            let starts_revision =
                indexed_count > 0 && batch[0].revision > changes[indexed_count - 1].revision;
            is_stopped = starts_revision && deadline.is_some_and(|end| Instant::now() >= end);
            if starts_revision && (is_stopped || uncommitted_count >= COMMIT_INTERVAL) {
                writer.commit(changes[indexed_count - 1].revision, task)?;
                uncommitted_count = 0;
            }
            if is_stopped {
                return Ok(false);
            }
            if !is_index_empty {
                batch.iter().try_for_each(|document| writer.remove(document.id))?;
            }
            for entry in entries {
                writer.add(entry)?;
                entry_count += 1;
            }
            indexed_count += batch.len();
            uncommitted_count += batch.len();
            task.report(Phase::FullText, indexed_count as u64, Some(total), "documents");
            Ok(true)
        })?;
        if is_stopped {
            writer.finish(task)?;
            return Ok(entry_count);
        }
        if !is_index_empty {
            // A removed source leaves no tombstones, so remove documents that are not in the store.
            let stored_ids = self.store.read(|r| r.document_ids())?;
            for id in
                self.fulltext.ids()?.into_iter().filter(|id| stored_ids.binary_search(id).is_err())
            {
                writer.remove(id)?;
            }
        }
        writer.commit(revision, task)?;
        writer.finish(task)?;
        Ok(entry_count)
    }

    /// Calls `consume` with each batch and the results of `prepare` for its documents (not
    /// tombstones), until `consume` returns false. The next batch is loaded and prepared in the
    /// meantime.
    fn for_each_prepared<'b, T: Send>(
        &self,
        batches: impl Iterator<Item = &'b [DocumentRevision]> + Send,
        prepare: impl Fn(&FullDocument) -> T + Send + Sync,
        mut consume: impl FnMut(&[DocumentRevision], Vec<T>) -> Result<bool>,
    ) -> Result<()> {
        std::thread::scope(|scope| {
            let (sender, receiver) = sync_channel(1);
            scope.spawn(move || {
                for batch in batches {
                    let results =
                        self.load(batch).map(|docs| docs.par_iter().map(&prepare).collect());
                    let is_error = results.is_err();
                    // The receiver may be gone.
                    if sender.send((batch, results)).is_err() || is_error {
                        return;
                    }
                }
            });
            // Owned here, so that the thread ends when this function returns.
            let receiver = receiver;
            while let Ok((batch, results)) = receiver.recv() {
                if !consume(batch, results?)? {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Loads documents that are not tombstones.
    fn load(&self, batch: &[DocumentRevision]) -> Result<Vec<FullDocument>> {
        self.store.read(|r| {
            let mut documents = Vec::with_capacity(batch.len());
            for document in batch.iter().filter(|document| !document.is_deleted) {
                documents.extend(self.load_document(r, document.id)?);
            }
            Ok(documents)
        })
    }

    fn skeletons(&self) -> Result<Skeletons> {
        self.store.read(|r| {
            let mut by_source = Vec::new();
            for source in r.sources()? {
                by_source.push((source.id, r.skeleton(source.id)?));
            }
            Ok(Skeletons { by_source, empty: Skeleton::default() })
        })
    }
}

/// Opens the full-text index in `path`, and recreates it if its files are damaged. An I/O error
/// never causes it to be removed.
///
/// # Errors
/// [`Code::Busy`] if it is damaged and another process is updating it, [`Code::Io`].
pub fn open_text(folder: &Path, path: &Path) -> Result<FullText> {
    match FullText::open(path) {
        Err(error) if FullText::is_damage(&error) => {
            let _lock =
                UpdateLock::take_within(folder, lock::TEXT, MAX_WAIT)?.ok_or_else(busy_error)?;
            // Another process may have recreated it during the wait.
            FullText::open(path).or_else(|error| match FullText::is_damage(&error) {
                true => move_aside_and_remove(path).and_then(|()| FullText::open(path)),
                false => Err(error),
            })
        }
        result => result,
    }
}

/// Renames a folder, then removes it. Processes with open files can keep reading them.
fn move_aside_and_remove(path: &Path) -> Result<()> {
    let io_error = |e| Error::io(path, e);
    let mut aside_paths = (0_u32..).map(|n| path.with_extension(format!("damaged-{n}")));
    let target =
        aside_paths.find(|p| !p.exists()).unwrap_or_else(|| path.with_extension("damaged"));
    std::fs::rename(path, &target).map_err(io_error)?;
    // A renamed folder that cannot be removed is harmless.
    let _ = std::fs::remove_dir_all(&target);
    Ok(())
}

/// Removes an unreadable full-text index.
pub fn remove_text(folder: &Path, path: &Path) -> Result<()> {
    let _lock = UpdateLock::try_take(folder, lock::TEXT)?.ok_or_else(busy_error)?;
    move_aside_and_remove(path)
}

fn busy_error() -> Error {
    Error::new(Code::Busy, "another process is updating the indexes")
        .with_hint("Wait until it has finished, then try again.")
}

struct Skeletons {
    by_source: Vec<(i64, Skeleton)>,
    empty: Skeleton,
}

impl Skeletons {
    fn for_source(&self, source: i64) -> &Skeleton {
        self.by_source.iter().find(|(id, _)| *id == source).map_or(&self.empty, |(_, s)| s)
    }
}
