//! Updates of the index: entries, commits and merges.

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

use super::{FullText, IndexProgress, damage_error, schema::SCHEMA_VERSION};
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

/// The maximum number of documents of a segment that is merged while a user waits: eight segments
/// take half a second.
const MAX_SMALL_SEGMENT: usize = 1_024;

/// The maximum number of documents of a merged segment, which bounds rewriting and mapping.
const MAX_MERGED_SEGMENT: u64 = 262_144;

/// The ratio to all smaller segments together above which a segment is not rewritten. Each merge
/// thus enlarges a document's segment by at least half, so the number of rewrites is logarithmic.
const SIZE_RATIO: u64 = 2;

/// The minimum number of segments of a merge, unless it reaches [`MIN_MERGED_DOCUMENTS`].
const MIN_MERGED_SEGMENTS: usize = 8;
/// The minimum number of documents of a merge, unless it reaches [`MIN_MERGED_SEGMENTS`].
const MIN_MERGED_DOCUMENTS: u64 = 8_192;

const MERGE_THREADS: usize = 2;

/// The maximum number of documents that wait for the indexing threads. tantivy's own queue holds
/// 10,000 with their texts, and a commit waits for all of them.
const QUEUE_LIMIT: usize = 512;

/// The maximum wait for a place in the queue: longer than writing a segment takes.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(20);

/// Returns a policy that merges only small segments, which takes no noticeable time.
fn small_merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_max_docs_before_merge(MAX_SMALL_SEGMENT);
    policy
}

#[derive(Clone, Copy)]
struct SegmentSize {
    documents: u64,
    deletions: u64,
}

/// Returns the segments that are worth merging, in groups for one new segment each; smallest first.
fn merge_groups(segments: &[SegmentSize]) -> Vec<Vec<usize>> {
    let size = |group: &[usize]| group.iter().map(|index| segments[*index].documents).sum::<u64>();
    let mut by_size: Vec<usize> = (0..segments.len()).collect();
    by_size.sort_by_key(|index| segments[*index].documents);
    let mut similar_groups: Vec<Vec<usize>> = Vec::new();
    for index in by_size {
        let docs = segments[index].documents;
        match similar_groups.last_mut() {
            Some(group)
                if docs <= SIZE_RATIO * size(group) && docs + size(group) <= MAX_MERGED_SEGMENT =>
            {
                group.push(index);
            }
            _ => similar_groups.push(vec![index]),
        }
    }
    let (mut groups, mut small_segments): (Vec<Vec<usize>>, Vec<usize>) = (Vec::new(), Vec::new());
    for mut group in similar_groups {
        let is_large = group.len() > 1 && size(&group) >= MIN_MERGED_DOCUMENTS;
        let is_mostly_deleted =
            group.iter().any(|index| segments[*index].deletions > segments[*index].documents);
        if !is_large && !is_mostly_deleted && group.len() < MIN_MERGED_SEGMENTS {
            small_segments.append(&mut group);
            continue;
        }
        // Adding smaller segments to a large merge costs almost nothing.
        if size(&small_segments) + size(&group) <= MAX_MERGED_SEGMENT {
            group.append(&mut small_segments);
        }
        small_segments.clear();
        groups.push(group);
    }
    groups
}

/// A prepared document for the writer; entries can be prepared in parallel.
#[derive(Debug)]
pub struct Entry {
    pub(super) document: TantivyDocument,
}

#[derive(Default)]
struct Queue {
    length: Mutex<usize>,
    has_space: Condvar,
}

impl Queue {
    /// Waits for a place, for at most [`QUEUE_TIMEOUT`]; adding the document then reports why the
    /// threads have stopped.
    fn enter(self: &Arc<Self>, document: TantivyDocument) -> QueueEntry {
        let length = self.length.lock().unwrap_or_else(PoisonError::into_inner);
        let guard = self
            .has_space
            .wait_timeout_while(length, QUEUE_TIMEOUT, |length| *length >= QUEUE_LIMIT);
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
        self.queue.has_space.notify_one();
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
    /// tantivy's writer; `None` after a cancelled commit.
    writer: Option<IndexWriter<QueueEntry>>,
    queue: Arc<Queue>,
    lock: UpdateLock,
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
        // The writer's own lock must be released first.
        Ok(run_detached(task, move || (work(writer), lock))?.0)
    }

    /// Removes all documents.
    pub fn clear(&mut self) -> Result<()> {
        self.writer()?.delete_all_documents()?;
        Ok(())
    }

    /// Removes a document.
    pub fn remove(&mut self, id: i64) -> Result<()> {
        let term = Term::from_field_u64(self.fulltext.fields.id, id.cast_unsigned());
        self.writer()?.delete_term(term);
        Ok(())
    }

    /// Adds a document that is not in the index.
    pub fn add(&mut self, entry: Entry) -> Result<()> {
        let document = self.queue.enter(entry.document);
        self.writer()?.add_document(document)?;
        Ok(())
    }

    /// Commits the update and records its progress.
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

    /// Waits for the small merges that the last commit started.
    pub fn finish(mut self, task: &Task) -> Result<()> {
        self.run_detached(task, IndexWriter::wait_merging_threads)??;
        Ok(())
    }
}

impl FullText {
    /// Starts an update. Readers see nothing of it before [`Writer::commit`].
    pub(crate) fn writer(&self, lock: &UpdateLock) -> Result<Writer<'_>> {
        let writer: IndexWriter<QueueEntry> =
            self.index.writer_with_num_threads(2, 2 * THREAD_BYTES)?;
        writer.set_merge_policy(Box::new(small_merge_policy()));
        self.remove_leftovers()?;
        self.remove_old_versions();
        Ok(Writer {
            fulltext: self,
            writer: Some(writer),
            queue: Arc::default(),
            lock: lock.clone(),
        })
    }

    /// Returns whether there are small segments that an update without changes would merge.
    pub(crate) fn has_small_segments(&self) -> Result<bool> {
        Ok(!small_merge_policy()
            .compute_merge_candidates(&self.index.searchable_segment_metas()?)
            .is_empty())
    }

    /// Returns whether [`FullText::merge`] would merge anything.
    pub(crate) fn needs_merge(&self) -> Result<bool> {
        Ok(!self.segments_to_merge()?.is_empty())
    }

    /// Returns the segments of each group to merge, and their number of documents. Returns only
    /// ids, because tantivy keeps the files of segments in use.
    fn segments_to_merge(&self) -> Result<Vec<(Vec<SegmentId>, u64)>> {
        let mut segments = self.index.searchable_segment_metas()?;
        segments.sort_by_key(SegmentMeta::id);
        let size = |segment: &SegmentMeta| SegmentSize {
            documents: segment.num_docs().into(),
            deletions: segment.num_deleted_docs().into(),
        };
        let sizes: Vec<SegmentSize> = segments.iter().map(size).collect();
        let to_ids = |group: Vec<usize>| {
            let documents = group.iter().map(|index| sizes[*index].documents).sum();
            (group.into_iter().map(|index| segments[index].id()).collect(), documents)
        };
        Ok(merge_groups(&sizes).into_iter().map(to_ids).collect())
    }

    /// Merges segments to make searches faster. All documents remain searchable in the meantime.
    ///
    /// # Errors
    /// [`Code::Io`] if the disk is full, [`Code::Corrupt`] if a segment cannot be read;
    /// [`Code::Cancelled`], in which case the running merge continues in the background and blocks
    /// other updates.
    pub(crate) fn merge(&self, lock: &UpdateLock, task: &Task) -> Result<()> {
        let groups = self.segments_to_merge()?;
        if groups.is_empty() {
            return Ok(());
        }
        let options = IndexWriterOptions::builder().num_merge_threads(MERGE_THREADS).build();
        let mut writer: IndexWriter = self.index.writer_with_options(options)?;
        self.remove_leftovers()?;
        writer.set_merge_policy(Box::new(NoMergePolicy));
        let (mut merged_count, total) = (0, groups.iter().map(|(_, documents)| documents).sum());
        for groups in groups.chunks(MERGE_THREADS) {
            task.check()?;
            task.report(Phase::Merge, merged_count, Some(total), "documents");
            merged_count += groups.iter().map(|(_, documents)| documents).sum::<u64>();
            let (groups, lock) = (groups.to_vec(), lock.clone());
            let merge = move || {
                let merges: Vec<_> = groups.iter().map(|(ids, _)| writer.merge(ids)).collect();
                let results: Vec<_> = merges.into_iter().map(FutureResult::wait).collect();
                (results, writer, lock)
            };
            let (results, returned_writer, _) = run_detached(task, merge)?;
            writer = returned_writer;
            for result in results {
                // Unreadable data makes the merging thread panic.
                result.map_err(|e| {
                    if matches!(e, TantivyError::SystemError(_)) {
                        damage_error()
                    } else {
                        e.into()
                    }
                })?;
            }
        }
        task.report(Phase::Merge, total, Some(total), "documents");
        // Load the new segments for later searches.
        drop(self.searcher()?);
        writer.garbage_collect_files().wait()?;
        Ok(())
    }

    fn remove_old_versions(&self) {
        let Some(parent) = self.folder.parent() else { return };
        for version in 1..SCHEMA_VERSION {
            // If another program still reads it, the next update removes it.
            let _ = fs::remove_dir_all(parent.join(format!("v{version}")));
        }
    }

    /// Removes the segments of a killed writer, which no commit names. The caller must hold the
    /// writer's lock.
    fn remove_leftovers(&self) -> Result<()> {
        let live_files = self.index.load_metas()?.list_segment_files();
        for entry in fs::read_dir(&self.folder).map_err(|e| Error::io(&self.folder, e))? {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            let text = name.to_string_lossy();
            let is_segment_file = text
                .split_once('.')
                .is_some_and(|(id, _)| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()));
            if is_segment_file && !live_files.contains(Path::new(&name)) {
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
            [(f.signatures, own_signatures), (f.comment_signatures, comment_signatures)]
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
            // Index the tracker's term and its meaning.
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

    fn segments_of(sizes: &[u64]) -> Vec<SegmentSize> {
        sizes.iter().map(|documents| SegmentSize { documents: *documents, deletions: 0 }).collect()
    }

    #[test]
    fn similar_segments_merge_and_absorb_small_ones() {
        assert!(merge_groups(&segments_of(&[16_000])).is_empty());
        assert_eq!(merge_groups(&segments_of(&[16_000, 15_000, 9])), [vec![1, 0, 2]]);
        // A few documents, or a large segment's small gain, are not worth a merge.
        assert!(merge_groups(&segments_of(&[16_000, 40, 9, 9])).is_empty());
        assert_eq!(merge_groups(&segments_of(&[9; 8])), [(0..8).collect::<Vec<_>>()]);
        // Sixteen segments reach the maximum size.
        let groups = merge_groups(&segments_of(&[16_384; 40]));
        assert_eq!(groups.iter().map(Vec::len).collect::<Vec<_>>(), [16, 16, 8]);
        assert!(merge_groups(&segments_of(&[200_000, 150_000])).is_empty());
        let deleted_segment = SegmentSize { documents: 9, deletions: 10 };
        assert_eq!(merge_groups(&[deleted_segment]), [[0]]);
    }

    /// Returns the segments after merging, and the number of documents that were written.
    fn merge_all(mut segments: Vec<u64>) -> (Vec<u64>, u64) {
        let mut writes = 0;
        for group in merge_groups(&segments_of(&segments)) {
            let size = group.iter().map(|index| std::mem::take(&mut segments[*index])).sum();
            segments.push(size);
            writes += size;
        }
        segments.retain(|documents| *documents > 0);
        (segments, writes)
    }

    proptest::proptest! {
        /// Merging terminates, respects the maximum size, leaves few segments, and rewrites each
        /// document few times.
        #[test]
        fn growing_index_keeps_few_segments(
            updates in proptest::collection::vec(1_u64..20_000, 1..300),
        ) {
            let (mut segments, mut total, mut write_count) = (Vec::new(), 0, 0);
            for update in updates {
                segments.push(update);
                total += update;
                for round in 0.. {
                    let (merged, writes) = merge_all(segments);
                    (segments, write_count) = (merged, write_count + writes);
                    if writes == 0 {
                        break;
                    }
                    proptest::prop_assert!(round < 2, "{:?} can be merged indefinitely", segments);
                }
                proptest::prop_assert_eq!(segments.iter().sum::<u64>(), total);
                proptest::prop_assert!(segments.iter().all(|documents| *documents <= MAX_MERGED_SEGMENT));
                let full_segments = usize::try_from(2 * total / MAX_MERGED_SEGMENT).unwrap();
                proptest::prop_assert!(segments.len() <= full_segments + 16, "{:?}", segments);
            }
            let max_rewrites = (total as f64).log2();
            proptest::prop_assert!(write_count as f64 <= total as f64 * max_rewrites, "{write_count} of {total}");
        }
    }
}
