//! The full-text index, the only user of tantivy.
//!
//! Each document has one entry, which includes its comments. The index stores no texts.

mod files;
mod overlap;
mod query;
mod schema;
mod similar;
mod wand;
mod write;

use std::{
    fs, panic,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::SystemTime,
};

use serde::{Deserialize, Serialize};
use tantivy::{
    Directory, Index, IndexReader, ReloadPolicy, Searcher,
    directory::MmapDirectory,
    index::{SegmentComponent, SegmentMeta},
    tokenizer::TextAnalyzer,
};

use files::BoundedLockDirectory;
pub use overlap::{Overlap, ReportTerms};
use query::CachedMatches;
pub use query::{MAX_TERMS, Scope, TermKind, Vocabulary, Words};
use schema::{Analyzer, Fields, SCHEMA_VERSION, schema};
pub use similar::{CommentMatcher, term_hashes};
pub use write::{Entry, Writer};

use precedent_core::{
    error::{Code, Error, Remedy, Result},
    files::create_private_folder,
};

/// The number of searches after which a large index is remapped. The system counts mapped pages as
/// the program's memory, and reclaims them only under pressure.
const REMAP_INTERVAL: u32 = 64;
/// The maximum size of an index that stays mapped, in bytes.
const MAX_MAPPED_BYTES: u64 = 256 * 1024 * 1024;

/// The progress of the index, stored in the payload of its commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexProgress {
    /// Revision of the store whose changes are all included.
    pub revision: u64,
    /// Version of the text preparation.
    pub preparation: u32,
}

/// Checks that every file of the last commit can be opened, by reading its footer. tantivy would
/// mistake a truncated file for a missing one, and fail only during a search.
fn check_files(index: &Index) -> Result<()> {
    let parts = [
        SegmentComponent::Postings,
        SegmentComponent::Positions,
        SegmentComponent::Terms,
        SegmentComponent::Store,
        SegmentComponent::FastFields,
        SegmentComponent::FieldNorms,
    ];
    let open = |metas: &[SegmentMeta]| -> Result<()> {
        for meta in metas {
            let segment = index.segment(meta.clone());
            let deletes = meta.has_deletes().then_some(SegmentComponent::Delete);
            for part in parts.iter().cloned().chain(deletes) {
                segment.open_read(part).map_err(tantivy::TantivyError::from)?;
            }
        }
        Ok(())
    };
    let mut metas = index.searchable_segment_metas()?;
    loop {
        let result = open(&metas);
        if result.is_ok() {
            return result;
        }
        // Another process may have merged segments in the meantime.
        let current_metas = index.searchable_segment_metas()?;
        let names = |metas: &[SegmentMeta]| -> Vec<_> {
            metas.iter().map(|m| (m.id(), m.delete_opstamp())).collect()
        };
        if names(&current_metas) == names(&metas) {
            return result;
        }
        metas = current_metas;
    }
}

/// The full-text index of a casebook. Methods that read it return [`Code::Corrupt`] if that fails.
pub struct FullText {
    folder: PathBuf,
    index: Index,
    reader_state: Mutex<ReaderState>,
    fields: Fields,
    filter_cache: Mutex<Vec<CachedMatches>>,
    read_only: bool,
}

fn open_directory(folder: &Path, read_only: bool) -> Result<Box<dyn Directory>> {
    let inner = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
    Ok(Box::new(BoundedLockDirectory { inner, read_only }))
}

struct ReaderState {
    reader: IndexReader,
    /// Modification time of the loaded commit.
    commit_time: Option<SystemTime>,
    /// Number of searches since the index was reopened.
    search_count: u32,
}

impl ReaderState {
    fn new(index: &Index) -> Result<Self> {
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { reader, commit_time: None, search_count: 0 })
    }

    /// Opens the state as [`ReaderState::new`] does, but without a lock on the files if another
    /// process holds it.
    fn open(index: &Index, folder: &Path) -> Result<Self> {
        match Self::new(index) {
            Err(error) if error.code() == Code::Busy => {
                Self::new(&Index::open(open_directory(folder, true)?)?)
            }
            result => result,
        }
    }

    /// Reopens the index, so that none of its files stays mapped.
    fn reopen(&mut self, folder: &Path, read_only: bool) -> Result<()> {
        *self = Self::new(&Index::open(open_directory(folder, read_only)?)?)?;
        Ok(())
    }
}

/// Returns the error for a damaged index.
pub fn damage_error() -> Error {
    Error::new(Code::Corrupt, "the keyword index is damaged")
        .with_hint("Rebuild it from the database.")
        .with_command(Remedy::Rebuild, "precedent index --rebuild")
}

impl FullText {
    /// Opens the index below this folder read-only.
    pub fn open_read_only(parent: &Path) -> Result<Self> {
        let folder = parent.join(format!("v{SCHEMA_VERSION}"));
        if !folder.join("meta.json").is_file() {
            return Err(Error::not_found("there is no keyword index yet"));
        }
        Self::open_in(&folder, true)
    }

    /// Returns whether an error means that the index is damaged, not merely inaccessible.
    pub fn is_damage(error: &Error) -> bool {
        matches!(error.code(), precedent_core::Code::Corrupt | precedent_core::Code::Internal)
    }

    /// Opens the index below this folder, or creates an empty one. A damaged index is left as it
    /// is; [`update::open_text`](super::update::open_text) recreates it.
    ///
    /// # Errors
    /// [`precedent_core::Code::Corrupt`] if it is damaged, [`precedent_core::Code::Io`] if the
    /// folder cannot be written.
    pub fn open(parent: &Path) -> Result<Self> {
        let folder = parent.join(format!("v{SCHEMA_VERSION}"));
        create_private_folder(&folder)?;
        Self::open_in(&folder, false)
    }

    /// Creates an empty index in memory.
    pub fn in_memory() -> Result<Self> {
        let (schema, fields) = schema();
        Self::new(Path::new(""), Index::create_in_ram(schema), fields, false)
    }

    fn open_in(folder: &Path, read_only: bool) -> Result<Self> {
        let open = || {
            let (schema, fields) = schema();
            let index = Index::open_or_create(open_directory(folder, read_only)?, schema)?;
            check_files(&index)?;
            Self::new(folder, index, fields, read_only)
        };
        // tantivy panics on some damaged files.
        panic::catch_unwind(open).unwrap_or_else(|_| Err(damage_error()))
    }

    fn new(folder: &Path, index: Index, fields: Fields, read_only: bool) -> Result<Self> {
        index.tokenizers().register("words", TextAnalyzer::from(Analyzer::Words));
        index.tokenizers().register("identifiers", TextAnalyzer::from(Analyzer::Identifiers));
        let reader_state = Mutex::new(ReaderState::open(&index, folder)?);
        let (folder, filter_cache) = (folder.to_owned(), Mutex::default());
        Ok(Self { folder, index, reader_state, fields, filter_cache, read_only })
    }

    /// Returns the progress of the index.
    pub fn progress(&self) -> Result<IndexProgress> {
        let payload = self.index.load_metas()?.payload.unwrap_or_default();
        Ok(serde_json::from_str(&payload).unwrap_or_default())
    }

    fn searcher(&self) -> Result<Searcher> {
        let meta = self.folder.join("meta.json");
        let commit_time = fs::metadata(&meta).and_then(|m| m.modified()).ok();
        let mut reader_state = self.reader_state.lock().unwrap_or_else(PoisonError::into_inner);
        reader_state.search_count += 1;
        if reader_state.search_count >= REMAP_INTERVAL {
            reader_state.search_count = 0;
            // If this fails, the old mapping still works.
            if self.bytes() > MAX_MAPPED_BYTES
                && reader_state.reopen(&self.folder, self.read_only).is_ok()
            {
                reader_state.commit_time = commit_time;
            }
        }
        if reader_state.commit_time != commit_time || commit_time.is_none() {
            match reader_state.reader.reload().map_err(Error::from) {
                Err(error) if error.code() == Code::Busy => {
                    reader_state.reopen(&self.folder, true)?
                }
                result => result?,
            }
            reader_state.commit_time = commit_time;
        }
        Ok(reader_state.reader.searcher())
    }

    /// Returns the number of documents.
    pub fn count(&self) -> Result<u64> {
        Ok(self.searcher()?.num_docs())
    }

    /// Returns the names of the index files with a wrong checksum, sorted.
    pub fn damaged_files(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> =
            self.index.validate_checksum()?.into_iter().map(|p| p.display().to_string()).collect();
        names.sort();
        Ok(names)
    }

    /// Returns whether a file of the index has a wrong checksum. Reads all files.
    pub fn is_damaged(&self) -> bool {
        self.damaged_files().map_or_else(|e| e.code() == Code::Corrupt, |files| !files.is_empty())
    }

    /// Returns the size on disk, in bytes.
    pub fn bytes(&self) -> u64 {
        fs::read_dir(&self.folder)
            .map(|entries| {
                entries.flatten().filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum()
            })
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tantivy::TantivyDocument;

    use super::{query::document_count, *};
    use crate::{
        filter::{Filter, Test},
        lock::{self, UpdateLock},
    };
    use precedent_core::{
        model::State,
        task::{Phase, Task},
    };

    fn lock(folder: &Path) -> UpdateLock {
        UpdateLock::try_take(folder, lock::TEXT).unwrap().unwrap()
    }

    #[test]
    fn index_with_damaged_files_opens() {
        let folder = tempfile::tempdir().unwrap();
        let fulltext = FullText::open(folder.path()).unwrap();
        let mut writer = fulltext.writer(&lock(folder.path())).unwrap();
        for id in 0..40 {
            let mut document = TantivyDocument::default();
            document.add_u64(fulltext.fields.id, id);
            document.add_text(fulltext.fields.title, format!("Archive {id} does not open"));
            document.add_text(fulltext.fields.state, if id % 3 == 0 { "closed" } else { "open" });
            document.add_i64(fulltext.fields.created_at, 1_780_000_000 + id.cast_signed() * 977);
            writer.add(Entry { document }).unwrap();
        }
        writer.commit(1, &Task::new()).unwrap();
        let index_folder = fulltext.folder.clone();
        drop(writer);
        drop(fulltext);
        let mut files: Vec<_> =
            fs::read_dir(&index_folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|f| f.extension().is_some_and(|e| e != "lock" && e != "json"));
        files.sort();
        let mut rebuild_count = 0;
        for file in files {
            let content = fs::read(&file).unwrap();
            for offset in (0..content.len().saturating_sub(8)).step_by(content.len() / 40 + 1) {
                let copy_parent = tempfile::tempdir().unwrap();
                let copy = copy_parent.path().join(index_folder.file_name().unwrap());
                fs::create_dir_all(&copy).unwrap();
                for entry in fs::read_dir(&index_folder).unwrap() {
                    let source = entry.unwrap().path();
                    fs::copy(&source, copy.join(source.file_name().unwrap())).unwrap();
                }
                let mut bytes = content.clone();
                bytes[offset..offset + 8].fill(0xa7);
                fs::write(copy.join(file.file_name().unwrap()), bytes).unwrap();
                let copy_index =
                    crate::update::open_text(copy_parent.path(), copy_parent.path()).unwrap();
                rebuild_count += u32::from(copy_index.progress().unwrap().revision == 0);
            }
        }
        assert!(rebuild_count > 0);
    }

    #[test]
    fn reopened_reader_returns_the_same_results() {
        let folder = tempfile::tempdir().unwrap();
        let fulltext = FullText::open(folder.path()).unwrap();
        let f = &fulltext.fields;
        let mut writer = fulltext.writer(&lock(folder.path())).unwrap();
        for id in 0..3 {
            let mut document = TantivyDocument::default();
            document.add_u64(f.id, id);
            document.add_text(f.title, "Archive does not open");
            document.add_text(f.state, if id == 0 { "closed" } else { "open" });
            writer.add(Entry { document }).unwrap();
        }
        writer.commit(1, &Task::new()).unwrap();
        let words = Words { terms: precedent_text::report::terms("archive"), ..Words::default() };
        let open_filter = [Filter { test: Test::State(State::Open), is_negated: false }];
        let results = || {
            let ids = fulltext.search(&words, &[], 10).unwrap().into_iter().map(|(id, _)| id);
            (
                ids.collect::<Vec<_>>(),
                fulltext.matching_ids(&open_filter).unwrap().unwrap().ones().collect::<Vec<_>>(),
            )
        };
        let reopen =
            || fulltext.reader_state.lock().unwrap().reopen(&fulltext.folder, false).unwrap();
        assert_eq!(results(), (vec![0, 1, 2], vec![1, 2]));
        reopen();
        assert_eq!(results(), (vec![0, 1, 2], vec![1, 2]));
        // Later changes and cached filters are included as well.
        writer.remove(1).unwrap();
        writer.commit(2, &Task::new()).unwrap();
        reopen();
        assert_eq!(results(), (vec![0, 2], vec![2]));
    }

    #[test]
    fn documents_of_one_time_are_ordered_by_id() {
        let fulltext = FullText::in_memory().unwrap();
        let mut writer =
            fulltext.index.writer_with_num_threads::<TantivyDocument>(1, 15_000_000).unwrap();
        for (id, time) in [(3, 5), (1, 5), (2, 9), (4, 5)] {
            let mut document = TantivyDocument::default();
            document.add_u64(fulltext.fields.id, id);
            document.add_i64(fulltext.fields.updated_at, time);
            writer.add_document(document).unwrap();
        }
        writer.commit().unwrap();
        assert_eq!(fulltext.recent_documents(&[], 1, 2).unwrap(), [1, 3]);
    }

    #[test]
    fn full_update_merges_leftover_segments() {
        let folder = tempfile::tempdir().unwrap();
        let fulltext = FullText::open(folder.path()).unwrap();
        let lock = lock(folder.path());
        let mut id = 0;
        let mut add = |documents: u64, revision| {
            let mut writer = fulltext.writer(&lock).unwrap();
            for _ in 0..documents {
                let mut document = TantivyDocument::default();
                document.add_u64(fulltext.fields.id, id);
                writer.add(Entry { document }).unwrap();
                id += 1;
            }
            writer.commit(revision, &Task::new()).unwrap();
            writer.finish(&Task::new()).unwrap();
        };
        let segments = || fulltext.index.searchable_segments().unwrap().len();
        // The two threads share the documents of a commit unevenly, so some segments are small.
        (1..=8).for_each(|revision| add(4_000, revision));
        assert!(fulltext.needs_merge().unwrap());
        let metas = fulltext.index.searchable_segment_metas().unwrap();
        let is_large = |meta: &&SegmentMeta| meta.num_docs() > 1_024;
        let large_ids: Vec<_> = metas.iter().filter(is_large).map(SegmentMeta::id).collect();
        let limit = metas.len() + 16;
        // The files of a segment remain as long as a `SegmentMeta` refers to it.
        drop(metas);
        (9..=32).for_each(|revision| add(1, revision));
        assert!(!fulltext.has_small_segments().unwrap());
        assert!(segments() < limit, "{}", segments());
        let current_ids = fulltext.index.searchable_segment_ids().unwrap();
        assert!(
            large_ids.iter().all(|id| current_ids.contains(id)),
            "large segments were rewritten"
        );

        let log = Arc::new(Mutex::new(Vec::new()));
        let listener_log = log.clone();
        let task = Task::with_listener(move |p| {
            listener_log.lock().unwrap().push((p.phase, p.done, p.total))
        });
        fulltext.merge(&lock, &task).unwrap();
        let (log, total) = (log.lock().unwrap(), Some(32_024));
        assert_eq!(
            (log[0], log.last()),
            ((Phase::Merge, 0, total), Some(&(Phase::Merge, 32_024, total)))
        );
        assert!(!fulltext.needs_merge().unwrap());
        let files = fs::read_dir(&fulltext.folder).unwrap().flatten();
        let terms = files.filter(|f| f.path().extension().is_some_and(|e| e == "term")).count();
        assert_eq!(terms, segments(), "files of merged segments remain");
        assert_eq!(segments(), 1);
        assert_eq!(fulltext.ids().unwrap(), (0..32_024).collect::<Vec<_>>());
        assert_eq!(fulltext.progress().unwrap().revision, 32);
        // A few new documents are not worth rewriting all others.
        let mut writer = fulltext.writer(&lock).unwrap();
        for id in 32_024..32_030 {
            let mut document = TantivyDocument::default();
            document.add_u64(fulltext.fields.id, id);
            writer.add(Entry { document }).unwrap();
        }
        writer.commit(33, &Task::new()).unwrap();
        writer.finish(&Task::new()).unwrap();
        assert!(!fulltext.needs_merge().unwrap());
        let mut writer = fulltext.writer(&lock).unwrap();
        (0..20_000).for_each(|id| writer.remove(id).unwrap());
        writer.commit(34, &Task::new()).unwrap();
        writer.finish(&Task::new()).unwrap();
        assert!(fulltext.needs_merge().unwrap());
        fulltext.merge(&lock, &Task::new()).unwrap();
        assert_eq!((segments(), document_count(&fulltext.searcher().unwrap())), (1, 12_030));
    }

    #[test]
    fn cancelled_merge_holds_the_lock_until_done() {
        let folder = tempfile::tempdir().unwrap();
        let fulltext = FullText::open(folder.path()).unwrap();
        let lock = lock(folder.path());
        for revision in 0..2 {
            let mut writer = fulltext.writer(&lock).unwrap();
            for id in 0..8_000 {
                let mut document = TantivyDocument::default();
                document.add_u64(fulltext.fields.id, 8_000 * revision + id);
                writer.add(Entry { document }).unwrap();
            }
            writer.commit(revision + 1, &Task::new()).unwrap();
            writer.finish(&Task::new()).unwrap();
        }
        let task = Task::new();
        let cancel = task.clone();
        let task = task.with_extra_listener(move |_| cancel.cancel());
        // A fast machine may already have finished the merge.
        if let Err(error) = fulltext.merge(&lock, &task) {
            assert_eq!(error.code(), Code::Cancelled);
        }
        drop(lock);
        let lock = UpdateLock::take(folder.path(), lock::TEXT, &Task::new()).unwrap();
        assert_eq!(fulltext.ids().unwrap().len(), 16_000);
        fulltext.merge(&lock, &Task::new()).unwrap();
        assert!(!fulltext.needs_merge().unwrap());
        assert_eq!(fulltext.ids().unwrap().len(), 16_000);
    }

    #[test]
    fn cancelled_commit_holds_the_lock_until_done() {
        let folder = tempfile::tempdir().unwrap();
        let fulltext = FullText::open(folder.path()).unwrap();
        let lock = lock(folder.path());
        let mut writer = fulltext.writer(&lock).unwrap();
        for id in 0..2_000 {
            let mut document = TantivyDocument::default();
            document.add_u64(fulltext.fields.id, id);
            document.add_text(fulltext.fields.title, format!("Archive {id} does not open"));
            writer.add(Entry { document }).unwrap();
        }
        let task = Task::new();
        task.cancel();
        if let Err(error) = writer.commit(1, &task) {
            assert_eq!(error.code(), Code::Cancelled);
            assert_eq!(writer.remove(1).unwrap_err().code(), Code::Cancelled);
        }
        drop((writer, lock));
        let lock = UpdateLock::take(folder.path(), lock::TEXT, &Task::new()).unwrap();
        assert_eq!(fulltext.progress().unwrap().revision, 1);
        assert_eq!(fulltext.ids().unwrap().len(), 2_000);
        fulltext.writer(&lock).unwrap().commit(2, &Task::new()).unwrap();
    }
}
