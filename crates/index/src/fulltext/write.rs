//! Updates of the index: the content of its entries, commits and merges.

use std::{
    collections::BTreeSet,
    fs, mem,
    path::Path,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use tantivy::{
    Document, FutureResult, IndexWriter, TantivyDocument, TantivyError, Term,
    index::{SegmentId, SegmentMeta},
    indexer::{IndexWriterOptions, LogMergePolicy, MergePolicy, NoMergePolicy},
    schema::{Field, document::CompactDocValue},
};

use super::{FullText, IndexProgress, broken, schema::SCHEMA_VERSION};
use crate::lock::UpdateLock;
use precedent_core::{
    error::{Code, Error, Result, cancel_error},
    model::State,
    task::{Phase, Task, run_detached},
};
use precedent_store::{DocumentRow, StoredComment};
use precedent_text::{
    PREPARATION_VERSION, closure::Closure, prepare::PreparedText, signature::Signature,
    version::versions,
};

/// The memory of each of the two indexing threads, in bytes: enough for half of the documents
/// between two commits, so that a thread writes them as one segment.
const THREAD_BYTES: usize = 96 * 1024 * 1024;

/// The number of documents up to which segments are merged while a user waits: eight of them within
/// half a second.
const MERGED_AT_ONCE_UP_TO: usize = 1_024;

/// The maximum number of documents of a merged segment, which bounds rewriting and mapping.
const MERGED_UP_TO: u64 = 262_144;

/// The factor by which a segment must exceed all smaller ones together to be left alone. Each merge
/// thus makes a document's segment at least half as large again, so the number of rewrites is
/// logarithmic.
const MUCH_LARGER: u64 = 2;

/// The minimum number of segments of a merge, unless it reaches [`MUCH`].
const MANY: usize = 8;
/// The minimum number of documents of a merge, unless it reaches [`MANY`].
const MUCH: u64 = 8_192;

/// The number of concurrent merges: one for each of two cores.
const AT_ONCE: usize = 2;

/// The maximum number of documents that wait for the indexing threads. tantivy's own queue takes
/// 10,000, with all their texts, and a commit has to wait for each of them.
const QUEUE_LIMIT: usize = 512;

/// The maximum wait of a document for a place in the queue: longer than writing a segment takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Returns the policy that merges small segments, which takes no noticeable time.
fn at_once() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_max_docs_before_merge(MERGED_AT_ONCE_UP_TO);
    policy
}

/// The number of a segment's documents, and of its deleted or replaced ones.
#[derive(Clone, Copy)]
struct Extent {
    documents: u64,
    deletions: u64,
}

/// Returns the segments that are worth merging, in groups of one new segment each; the smallest
/// first.
fn groups(segments: &[Extent]) -> Vec<Vec<usize>> {
    let size = |group: &[usize]| group.iter().map(|at| segments[*at].documents).sum::<u64>();
    let mut by_size: Vec<usize> = (0..segments.len()).collect();
    by_size.sort_by_key(|at| segments[*at].documents);
    let mut similar: Vec<Vec<usize>> = Vec::new();
    for at in by_size {
        let docs = segments[at].documents;
        match similar.last_mut() {
            Some(group)
                if docs <= MUCH_LARGER * size(group) && docs + size(group) <= MERGED_UP_TO =>
            {
                group.push(at);
            }
            _ => similar.push(vec![at]),
        }
    }
    let (mut worth, mut smaller): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    for mut group in similar {
        let much = group.len() > 1 && size(&group) >= MUCH;
        let mostly_gone = group.iter().any(|at| segments[*at].deletions > segments[*at].documents);
        if !much && !mostly_gone && group.len() < MANY {
            smaller.append(&mut group);
            continue;
        }
        // Adding smaller segments to a large merge costs almost nothing.
        if size(&smaller) + size(&group) <= MERGED_UP_TO {
            group.append(&mut smaller);
        }
        smaller.clear();
        worth.push(group);
    }
    worth
}

/// A prepared document, made in parallel before the writer takes it.
#[derive(Debug)]
pub struct Entry {
    pub(super) document: TantivyDocument,
}

/// The queue of documents that wait for the indexing threads.
#[derive(Default)]
struct Queue {
    length: Mutex<usize>,
    shorter: Condvar,
}

impl Queue {
    /// Waits for a place, but at most [`PATIENCE`]: adding a document then reports why the threads
    /// have stopped.
    fn enter(self: &Arc<Self>, document: TantivyDocument) -> QueueEntry {
        let length = self.length.lock().unwrap_or_else(PoisonError::into_inner);
        let guard =
            self.shorter.wait_timeout_while(length, PATIENCE, |length| *length >= QUEUE_LIMIT);
        *guard.unwrap_or_else(PoisonError::into_inner).0 += 1;
        QueueEntry { document, queue: self.clone() }
    }
}

/// A document in the queue, until an indexing thread takes it.
struct QueueEntry {
    document: TantivyDocument,
    queue: Arc<Queue>,
}

impl Drop for QueueEntry {
    fn drop(&mut self) {
        *self.queue.length.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.queue.shorter.notify_one();
    }
}

impl Document for QueueEntry {
    type Value<'a> = CompactDocValue<'a>;
    type FieldsValuesIter<'a> = Box<dyn Iterator<Item = (Field, CompactDocValue<'a>)> + 'a>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        Box::new(self.document.field_values())
    }

    fn into_tantivy_document(mut self) -> TantivyDocument {
        mem::take(&mut self.document)
    }
}

/// An update of the index.
pub struct Writer<'a> {
    fulltext: &'a FullText,
    /// Writer of tantivy; `None` after a commit that was cancelled.
    writer: Option<IndexWriter<QueueEntry>>,
    queue: Arc<Queue>,
    lock: UpdateLock,
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("fulltext", &self.fulltext).finish_non_exhaustive()
    }
}

impl Writer<'_> {
    fn writer(&mut self) -> Result<&mut IndexWriter<QueueEntry>> {
        self.writer.as_mut().ok_or_else(cancel_error)
    }

    /// Runs a long operation with tantivy's writer. After cancellation it continues in the
    /// background and blocks other updates until it ends.
    fn run_detached<T: Send + 'static>(
        &mut self,
        task: &Task,
        work: impl FnOnce(IndexWriter<QueueEntry>) -> T + Send + 'static,
    ) -> Result<T> {
        let writer = self.writer.take().ok_or_else(cancel_error)?;
        let lock = self.lock.clone();
        // The writer has its own lock, which must be released first.
        Ok(run_detached(task, move || (work(writer), lock))?.0)
    }

    /// Removes all documents.
    ///
    /// # Errors
    /// Those of the index.
    pub fn clear(&mut self) -> Result<()> {
        self.writer()?.delete_all_documents()?;
        Ok(())
    }

    /// Removes a document.
    ///
    /// # Errors
    /// [`Code::Cancelled`] after a cancelled commit.
    pub fn remove(&mut self, id: i64) -> Result<()> {
        let term = Term::from_field_u64(self.fulltext.fields.id, id.cast_unsigned());
        self.writer()?.delete_term(term);
        Ok(())
    }

    /// Adds a document that is not in the index.
    ///
    /// # Errors
    /// Those of the index.
    pub fn add(&mut self, entry: Entry) -> Result<()> {
        let document = self.queue.enter(entry.document);
        self.writer()?.add_document(document)?;
        Ok(())
    }

    /// Commits the update, with its progress.
    ///
    /// # Errors
    /// [`Code::Io`] if the disk is full; [`precedent_core::Code::Cancelled`], in which case the
    /// commit may still succeed.
    pub fn commit(&mut self, revision: u64, task: &Task) -> Result<()> {
        let payload =
            serde_json::to_string(&IndexProgress { revision, preparation: PREPARATION_VERSION })
                .map_err(|e| Error::new(Code::Internal, e.to_string()))?;
        let (writer, outcome) = self.run_detached(task, move |mut writer| {
            let commit = |writer: &mut IndexWriter<QueueEntry>| {
                let mut commit = writer.prepare_commit()?;
                commit.set_payload(&payload);
                commit.commit()
            };
            let outcome = commit(&mut writer);
            (writer, outcome)
        })?;
        self.writer = Some(writer);
        outcome?;
        Ok(())
    }

    /// Waits for the small merges that the last commit began.
    ///
    /// # Errors
    /// Those of the index, and [`Code::Cancelled`].
    pub fn finish(mut self, task: &Task) -> Result<()> {
        self.run_detached(task, IndexWriter::wait_merging_threads)??;
        Ok(())
    }
}

impl FullText {
    /// Starts an update. Readers see nothing of it before [`Writer::commit`].
    ///
    /// # Errors
    /// Those of the index.
    pub(crate) fn writer(&self, lock: &UpdateLock) -> Result<Writer<'_>> {
        let writer: IndexWriter<QueueEntry> =
            self.index.writer_with_num_threads(2, 2 * THREAD_BYTES)?;
        writer.set_merge_policy(Box::new(at_once()));
        self.remove_leftovers()?;
        self.remove_former();
        Ok(Writer {
            fulltext: self,
            writer: Some(writer),
            queue: Arc::default(),
            lock: lock.clone(),
        })
    }

    /// Returns whether there are small segments that an update would merge, even without changes.
    ///
    /// # Errors
    /// [`Code::Corrupt`] if the index cannot be read.
    pub(crate) fn has_crumbs(&self) -> Result<bool> {
        Ok(!at_once().compute_merge_candidates(&self.index.searchable_segment_metas()?).is_empty())
    }

    /// Returns whether [`FullText::merge`] would merge anything.
    ///
    /// # Errors
    /// [`Code::Corrupt`] if the index cannot be read.
    pub(crate) fn is_scattered(&self) -> Result<bool> {
        Ok(!self.merge_groups()?.is_empty())
    }

    /// Returns the segments of each group to merge, and their number of documents. It returns ids
    /// alone, because tantivy keeps the files of segments in use.
    fn merge_groups(&self) -> Result<Vec<(Vec<SegmentId>, u64)>> {
        let mut segments = self.index.searchable_segment_metas()?;
        segments.sort_by_key(SegmentMeta::id);
        let extent = |segment: &SegmentMeta| Extent {
            documents: segment.num_docs().into(),
            deletions: segment.num_deleted_docs().into(),
        };
        let extents: Vec<Extent> = segments.iter().map(extent).collect();
        let of = |group: Vec<usize>| {
            let documents = group.iter().map(|at| extents[*at].documents).sum();
            (group.into_iter().map(|at| segments[at].id()).collect(), documents)
        };
        Ok(groups(&extents).into_iter().map(of).collect())
    }

    /// Merges segments to make searches faster. All documents can be found before, during and after
    /// it.
    ///
    /// # Errors
    /// [`Code::Io`] if the disk is full, [`Code::Corrupt`] if a segment cannot be read;
    /// [`Code::Cancelled`], in which case the running merge continues in the background and blocks
    /// other updates.
    pub(crate) fn merge(&self, lock: &UpdateLock, task: &Task) -> Result<()> {
        let groups = self.merge_groups()?;
        if groups.is_empty() {
            return Ok(());
        }
        let options = IndexWriterOptions::builder().num_merge_threads(AT_ONCE).build();
        let mut writer: IndexWriter = self.index.writer_with_options(options)?;
        self.remove_leftovers()?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let (mut merged_count, total) = (0, groups.iter().map(|(_, documents)| documents).sum());
        for groups in groups.chunks(AT_ONCE) {
            task.check()?;
            task.report(Phase::Merge, merged_count, Some(total), "documents");
            merged_count += groups.iter().map(|(_, documents)| documents).sum::<u64>();
            let (groups, lock) = (groups.to_vec(), lock.clone());
            let merge = move || {
                let merges: Vec<_> = groups.iter().map(|(ids, _)| writer.merge(ids)).collect();
                let results: Vec<_> = merges.into_iter().map(FutureResult::wait).collect();
                (results, writer, lock)
            };
            let (results, back, _) = run_detached(task, merge)?;
            writer = back;
            for result in results {
                // Unreadable data makes the merging thread panic.
                result.map_err(|e| {
                    if matches!(e, TantivyError::SystemError(_)) { broken() } else { e.into() }
                })?;
            }
        }
        task.report(Phase::Merge, total, Some(total), "documents");
        // Load the new segments for later searches.
        drop(self.searcher()?);
        writer.garbage_collect_files().wait()?;
        Ok(())
    }

    /// Removes the indexes of earlier versions, which no longer are used.
    fn remove_former(&self) {
        let Some(parent) = self.folder.parent() else { return };
        for version in 1..SCHEMA_VERSION {
            // If another program still reads it, the next update removes it.
            let _ = fs::remove_dir_all(parent.join(format!("v{version}")));
        }
    }

    /// Removes the files of a killed writer: segments that no commit names. A new writer would
    /// reuse their names. The writer's lock must be held.
    fn remove_leftovers(&self) -> Result<()> {
        let live_files = self.index.load_metas()?.list_segment_files();
        for entry in fs::read_dir(&self.folder).map_err(|e| Error::io(&self.folder, e))? {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            let text = name.to_string_lossy();
            let of_segment = text
                .split_once('.')
                .is_some_and(|(id, _)| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()));
            if of_segment && !live_files.contains(Path::new(&name)) {
                // If another process still reads it, the next update removes it.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// Prepares a document for the index.
    pub fn entry(
        &self,
        row: &DocumentRow,
        body: &PreparedText,
        comments: &[(&StoredComment, PreparedText)],
    ) -> Entry {
        let f = &self.fields;
        let mut d = TantivyDocument::default();
        d.add_u64(f.id, row.id.cast_unsigned());
        d.add_text(f.title, &row.title);
        d.add_text(f.identifiers, &row.title);
        let terms = |signatures: &[Signature]| {
            signatures.iter().map(Signature::term).collect::<BTreeSet<_>>()
        };
        let own_signatures = terms(&body.signatures(&row.title));
        let (prose, code) = (body.prose(), body.code());
        d.add_text(f.identifiers, prose);
        d.add_text(f.identifiers, code);
        d.add_text(f.body, prose);
        d.add_text(f.code, code);
        for target in &body.targets {
            d.add_text(f.identifiers, target);
            d.add_text(f.code, target);
        }
        let mut comment_signatures = BTreeSet::new();
        for (comment, text) in comments {
            if comment.author.bot {
                continue;
            }
            for part in [text.prose(), text.code()]
                .into_iter()
                .chain(text.targets.iter().map(String::as_str))
            {
                d.add_text(f.identifiers, part);
                d.add_text(f.comments, part);
            }
            comment_signatures.extend(terms(&text.signatures("")));
        }
        comment_signatures.retain(|term| !own_signatures.contains(term));
        for (field, terms) in
            [(f.signatures, own_signatures), (f.said_signatures, comment_signatures)]
        {
            terms.into_iter().for_each(|term| d.add_text(field, term));
        }
        d.add_text(f.source, row.source.to_lowercase());
        d.add_text(f.kind, row.kind.as_str());
        if let Some(state) = row.state {
            d.add_text(f.state, state.as_str());
            if state == State::Merged {
                d.add_text(f.state, State::Closed.as_str());
            }
        }
        if let Some(reason) = &row.state_reason {
            // Index the tracker's words and their meaning.
            let reason_text = reason.to_lowercase();
            if let Some(closure) =
                row.closed_as().map(Closure::as_str).filter(|word| *word != reason_text)
            {
                d.add_text(f.reason, closure);
            }
            d.add_text(f.reason, reason_text);
        }
        for label in &row.labels {
            d.add_text(f.label, label.to_lowercase());
        }
        if let Some(author) = &row.author.login {
            d.add_text(f.author, author.to_lowercase());
        }
        for version in versions(&body.whole(&row.title), &row.source).product {
            d.add_text(f.version, version);
        }
        if row.author.bot {
            d.add_text(f.flag, "bot");
        }
        if row.locked {
            d.add_text(f.flag, "locked");
        }
        for (field, time) in [
            (f.created_at, row.created_at),
            (f.updated_at, row.updated_at),
            (f.closed_at, row.closed_at),
        ] {
            if let Some(time) = time {
                d.add_i64(field, time.as_second());
            }
        }
        Entry { document: d }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segments_of(sizes: &[u64]) -> Vec<Extent> {
        sizes.iter().map(|documents| Extent { documents: *documents, deletions: 0 }).collect()
    }

    #[test]
    fn similar_segments_merge_and_absorb_small_ones() {
        assert!(groups(&segments_of(&[16_000])).is_empty());
        assert_eq!(groups(&segments_of(&[16_000, 15_000, 9])), [vec![1, 0, 2]]);
        // A few documents, or a large segment's small gain, are not worth a merge.
        assert!(groups(&segments_of(&[16_000, 40, 9, 9])).is_empty());
        assert_eq!(groups(&segments_of(&[9; 8])), [(0..8).collect::<Vec<_>>()]);
        // Sixteen reach the maximum size.
        let many = groups(&segments_of(&[16_384; 40]));
        assert_eq!(many.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16, 8]);
        assert!(groups(&segments_of(&[200_000, 150_000])).is_empty());
        let mostly_gone = Extent { documents: 9, deletions: 10 };
        assert_eq!(groups(&[mostly_gone]), [[0]]);
    }

    /// Returns the segments after merging, and the number of documents that were written.
    fn merge_all(mut segments: Vec<u64>) -> (Vec<u64>, u64) {
        let mut writes = 0;
        for group in groups(&segments_of(&segments)) {
            let size = group.iter().map(|at| std::mem::take(&mut segments[*at])).sum();
            segments.push(size);
            writes += size;
        }
        segments.retain(|documents| *documents > 0);
        (segments, writes)
    }

    proptest::proptest! {
        /// Merging terminates, respects the maximum size, leaves few segments, and rewrites each
        /// document a few times.
        #[test]
        fn growing_index_keeps_few_segments(
            updates in proptest::collection::vec(1_u64..20_000, 1..300),
        ) {
            let (mut segments, mut all, mut written) = (Vec::new(), 0, 0);
            for update in updates {
                segments.push(update);
                all += update;
                for again in 0.. {
                    let (now, wrote) = merge_all(segments);
                    (segments, written) = (now, written + wrote);
                    if wrote == 0 {
                        break;
                    }
                    proptest::prop_assert!(again < 2, "{:?} could be merged again and again", segments);
                }
                proptest::prop_assert_eq!(segments.iter().sum::<u64>(), all);
                proptest::prop_assert!(segments.iter().all(|documents| *documents <= MERGED_UP_TO));
                let full = usize::try_from(2 * all / MERGED_UP_TO).unwrap();
                proptest::prop_assert!(segments.len() <= full + 16, "{:?}", segments);
            }
            let times = (all as f64).log2();
            proptest::prop_assert!(written as f64 <= all as f64 * times, "{written} of {all}");
        }
    }
}
