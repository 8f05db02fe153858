//! Updates of the index: what is written of a document, and when others see it.

use std::{
    collections::BTreeSet,
    fs, mem,
    path::Path,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::Duration,
};

use tantivy::{
    Document, IndexWriter, TantivyDocument, Term,
    indexer::{LogMergePolicy, MergePolicy},
    schema::{Field, document::CompactDocValue},
};

use super::{FullText, Reached, schema::SCHEMA_VERSION};
use crate::{
    error::{Code, Error, Result, cancelled},
    index::lock::UpdateLock,
    model::State,
    store::{DocumentRow, StoredComment},
    task::{Task, apart},
    text::{PREPARATION_VERSION, prepare::Prepared, signature::Signature},
};

/// Memory of each of the two indexing threads, in bytes: enough for half of the documents between two commits, so that a thread
/// writes them as one segment.
const THREAD_BYTES: usize = 96 * 1024 * 1024;

/// Segments with more documents are merged no more: what a merge rewrites and maps stays bounded. Eight of about 16,000 documents
/// become one, so that each is written twice at the most; the fewer there are, the sooner a search can cut its words short.
const MERGED_UP_TO: usize = 100_000;

/// The same while somebody waits: eight of these are merged within half a second.
const MERGED_AT_ONCE_UP_TO: usize = 1_024;

/// Documents that wait for the indexing threads at the most: tantivy's own queue takes 10,000, with all their texts, and a commit
/// has to wait for each of them.
const QUEUED: usize = 512;

/// How long a document waits for a place in the queue: longer than a segment takes to be written.
const PATIENCE: Duration = Duration::from_secs(20);

/// Which segments an update merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Merging {
    /// All that a search would be quicker without.
    Whole,
    /// The small ones, and leaves the others to the next update that nobody waits for.
    Brief,
}

impl Merging {
    fn policy(self) -> LogMergePolicy {
        let mut policy = LogMergePolicy::default();
        policy.set_max_docs_before_merge(match self {
            Self::Whole => MERGED_UP_TO,
            Self::Brief => MERGED_AT_ONCE_UP_TO,
        });
        policy
    }
}

/// A document's texts, prepared; made in parallel, before the writer takes them.
#[derive(Debug)]
pub struct Entry {
    pub(super) document: TantivyDocument,
}

/// How many documents wait for the indexing threads.
#[derive(Default)]
struct Queue {
    length: Mutex<usize>,
    shorter: Condvar,
}

impl Queue {
    /// Waits for a place, but not for threads that take nothing any more: adding to those says what is wrong.
    fn enter(self: &Arc<Self>, document: TantivyDocument) -> Queued {
        let length = self.length.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.shorter.wait_timeout_while(length, PATIENCE, |length| *length >= QUEUED);
        *waited.unwrap_or_else(PoisonError::into_inner).0 += 1;
        Queued { document, queue: self.clone() }
    }
}

/// A document in the queue of the indexing threads, until one of them takes it up.
struct Queued {
    document: TantivyDocument,
    queue: Arc<Queue>,
}

impl Drop for Queued {
    fn drop(&mut self) {
        *self.queue.length.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.queue.shorter.notify_one();
    }
}

impl Document for Queued {
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
    /// None after a commit that was not waited for.
    writer: Option<IndexWriter<Queued>>,
    queue: Arc<Queue>,
    lock: UpdateLock,
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("fulltext", &self.fulltext).finish_non_exhaustive()
    }
}

impl Writer<'_> {
    fn writer(&mut self) -> Result<&mut IndexWriter<Queued>> {
        self.writer.as_mut().ok_or_else(cancelled)
    }

    /// Does with tantivy's writer what takes long. Cancelled, that goes on without anybody waiting, and nobody else can update the index
    /// before it is over.
    fn apart<T: Send + 'static>(
        &mut self,
        task: &Task,
        work: impl FnOnce(IndexWriter<Queued>) -> T + Send + 'static,
    ) -> Result<T> {
        let writer = self.writer.take().ok_or_else(cancelled)?;
        let lock = self.lock.clone();
        // The writer has a lock of its own, which has to go first.
        Ok(apart(task, move || (work(writer), lock))?.0)
    }

    /// Forgets everything.
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
    /// [`Code::Cancelled`] after a commit that was.
    pub fn remove(&mut self, id: i64) -> Result<()> {
        let term = Term::from_field_u64(self.fulltext.fields.id, id.cast_unsigned());
        self.writer()?.delete_term(term);
        Ok(())
    }

    /// Adds a document that is known not to be there.
    ///
    /// # Errors
    /// Those of the index.
    pub fn add(&mut self, entry: Entry) -> Result<()> {
        let document = self.queue.enter(entry.document);
        self.writer()?.add_document(document)?;
        Ok(())
    }

    /// Makes the update visible, together with how far it reaches.
    ///
    /// # Errors
    /// [`Code::Io`] if the disk is full; [`crate::Code::Cancelled`]: whether it is made then shows later.
    pub fn commit(&mut self, revision: u64, task: &Task) -> Result<()> {
        let payload = serde_json::to_string(&Reached { revision, preparation: PREPARATION_VERSION })
            .map_err(|e| Error::new(Code::Internal, e.to_string()))?;
        let (writer, done) = self.apart(task, move |mut writer| {
            let commit = |writer: &mut IndexWriter<Queued>| {
                let mut commit = writer.prepare_commit()?;
                commit.set_payload(&payload);
                commit.commit()
            };
            let done = commit(&mut writer);
            (writer, done)
        })?;
        self.writer = Some(writer);
        done?;
        Ok(())
    }

    /// Waits for merges that are under way.
    ///
    /// # Errors
    /// Those of the index, and [`Code::Cancelled`].
    pub fn finish(mut self, task: &Task) -> Result<()> {
        self.apart(task, IndexWriter::wait_merging_threads)??;
        Ok(())
    }
}

impl FullText {
    /// Starts an update. Readers see nothing of it before [`Writer::commit`].
    ///
    /// # Errors
    /// Those of the index.
    pub(crate) fn writer(&self, lock: &UpdateLock, merging: Merging) -> Result<Writer<'_>> {
        let writer: IndexWriter<Queued> = self.index.writer_with_num_threads(2, 2 * THREAD_BYTES)?;
        writer.set_merge_policy(Box::new(merging.policy()));
        self.remove_leftovers()?;
        self.remove_former();
        Ok(Writer { fulltext: self, writer: Some(writer), queue: Arc::default(), lock: lock.clone() })
    }

    /// Whether there are segments that an update would merge, though it had nothing else to do.
    ///
    /// # Errors
    /// [`Code::Corrupt`] if the index cannot be read.
    pub(crate) fn is_scattered(&self, merging: Merging) -> Result<bool> {
        Ok(!merging.policy().compute_merge_candidates(&self.index.searchable_segment_metas()?).is_empty())
    }

    /// Removes the indexes of earlier versions, which nothing reads any more.
    fn remove_former(&self) {
        let Some(parent) = self.folder.parent() else { return };
        for version in 1..SCHEMA_VERSION {
            // Where another program still reads it, it goes the next time.
            let _ = fs::remove_dir_all(parent.join(format!("v{version}")));
        }
    }

    /// Removes what a writer that was killed has left: files of segments that no commit names. A new writer counts from the
    /// last commit and would come to the same names. To be called with the writer's lock held.
    fn remove_leftovers(&self) -> Result<()> {
        let named = self.index.load_metas()?.list_segment_files();
        for entry in fs::read_dir(&self.folder).map_err(|e| Error::io(&self.folder, e))? {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            let text = name.to_string_lossy();
            let of_segment = text
                .split_once('.')
                .is_some_and(|(id, _)| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()));
            if of_segment && !named.contains(Path::new(&name)) {
                // Where somebody still reads it, it goes the next time.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// Prepares a document for the index.
    pub fn entry(
        &self,
        row: &DocumentRow,
        body: &Prepared,
        comments: &[(&StoredComment, Prepared)],
    ) -> Entry {
        let f = &self.fields;
        let mut d = TantivyDocument::default();
        d.add_u64(f.id, row.id.cast_unsigned());
        d.add_text(f.title, &row.title);
        d.add_text(f.identifiers, &row.title);
        let terms =
            |signatures: &[Signature]| signatures.iter().map(Signature::term).collect::<BTreeSet<_>>();
        let own = terms(&body.signatures(&row.title));
        let (prose, code) = (body.prose(), body.code());
        d.add_text(f.identifiers, &prose);
        d.add_text(f.identifiers, &code);
        d.add_text(f.body, prose);
        d.add_text(f.code, code);
        let mut said = BTreeSet::new();
        for (comment, text) in comments {
            if comment.author.bot {
                continue;
            }
            for part in [text.prose(), text.code()] {
                d.add_text(f.identifiers, &part);
                d.add_text(f.comments, part);
            }
            said.extend(terms(&text.signatures("")));
        }
        said.retain(|term| !own.contains(term));
        for (field, terms) in [(f.signatures, own), (f.said_signatures, said)] {
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
            d.add_text(f.reason, reason.to_lowercase());
        }
        for label in &row.labels {
            d.add_text(f.label, label.to_lowercase());
        }
        if let Some(author) = &row.author.login {
            d.add_text(f.author, author.to_lowercase());
        }
        if row.author.bot {
            d.add_text(f.flag, "bot");
        }
        if row.locked {
            d.add_text(f.flag, "locked");
        }
        for (field, time) in
            [(f.created, row.created_at), (f.updated, row.updated_at), (f.closed, row.closed_at)]
        {
            if let Some(time) = time {
                d.add_i64(field, time.as_second());
            }
        }
        Entry { document: d }
    }
}
