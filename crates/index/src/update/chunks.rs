//! Updates of the vectors: planning chunks, and embedding those without a vector.

use std::{
    collections::HashSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
        mpsc::{channel, sync_channel},
    },
    time::Instant,
};

use rayon::prelude::*;

use super::{BATCH, DerivedData, FullDocument, IndexedPart, Skeletons};
use crate::{
    embed::{Embedder, Engine, Work},
    lock::{self, UpdateLock},
    vectors::{Extent, PendingChunk, PlannedChunk, TITLE_PART, Vectors},
};
use precedent_core::{
    error::{Code, Error, Result},
    model::IndexReport,
    task::{Phase, Task},
};
use precedent_store::{DocumentRevision, urgency};
use precedent_text::{
    chunk::{self, MAX_BODY_CHUNKS, MAX_COMMENT_CHUNKS},
    language,
    prepare::PreparedText,
};

/// The number of chunks that are stored in one transaction. A killed process loses at most twice as
/// many.
pub const EMBED_BATCH: usize = 128;

/// The length of the text that determines a document's language, in bytes.
const LANGUAGE_SAMPLE: usize = 600;

/// The numbers of vectors that one run of the models computed.
#[derive(Clone, Copy, Default)]
struct EmbeddedCount {
    vectors: u64,
    /// Number of vectors of text other than titles.
    passages: u64,
}

impl DerivedData<'_> {
    /// Plans the chunks of changed documents and embeds at most `max_vectors` of those without a
    /// vector: open and new items first, bodies before comments. Returns whether all are embedded.
    ///
    /// # Errors
    /// [`Code::Cancelled`], [`Code::Io`], [`Code::ModelUnavailable`] and database errors. Stored
    /// vectors are kept.
    pub fn update_vectors(
        &self,
        vectors: &Vectors,
        engine: &Engine,
        workers: usize,
        max_vectors: Option<u64>,
        task: &Task,
        report: &mut IndexReport,
    ) -> Result<bool> {
        let Some(_lock) = UpdateLock::try_take(self.folder, lock::VECTORS)? else {
            report.busy_elsewhere = true;
            return Ok(false);
        };
        let start = Instant::now();
        let mut budget = max_vectors.unwrap_or(u64::MAX);
        // Include new changes: other processes leave them to the holder of the lock.
        loop {
            let skeletons = self.skeletons()?;
            report.foreign += self.plan(vectors, &skeletons, task)?;
            let counts = self.embed(vectors, engine, workers, budget, &skeletons, task)?;
            report.embedded += counts.passages;
            budget = budget.saturating_sub(counts.vectors);
            if budget == 0 || vectors.planned_revision()? == self.store.read(|r| r.revision())? {
                break;
            }
        }
        report.vector_seconds += start.elapsed().as_secs_f64();
        Ok(vectors.pending_chunks(1)?.is_empty())
    }

    /// Plans the chunks of changed documents, and returns the number of documents in a language
    /// other than English.
    fn plan(&self, vectors: &Vectors, skeletons: &Skeletons, task: &Task) -> Result<u64> {
        let progress = vectors.planned_revision()?;
        let revision = self.store.read(|r| r.revision())?;
        // The store was restored from an older copy: plan everything again.
        let progress = if progress > revision { 0 } else { progress };
        let changes =
            self.sort_by_urgency(&self.store.read(|r| r.changed_documents(progress))?, task)?;
        let (mut planned_count, total) = (0, changes.len() as u64);
        let foreign_count = AtomicU64::default();
        let plan = |l: &FullDocument| {
            if self.parts.has_text() && is_foreign(&l.row.title, &l.row.body) {
                foreign_count.fetch_add(1, Ordering::Relaxed);
            }
            (l.row.id, l.row.source_id, self.plan_document(l, skeletons))
        };
        self.for_each_prepared(changes.chunks(BATCH), plan, |batch, mut plans| {
            task.check()?;
            let tombstones = batch.iter().filter(|change| change.is_deleted);
            plans.extend(tombstones.map(|change| (change.id, 0, Vec::new())));
            // Planning is idempotent, so record the revision only at the end.
            vectors.plan(&plans, None)?;
            planned_count += batch.len() as u64;
            task.report(Phase::Chunk, planned_count, Some(total), "documents");
            Ok(true)
        })?;
        let mut removals = Vec::new();
        if progress != revision {
            let stored_ids = self.store.read(|r| r.document_ids())?;
            let stale_ids =
                vectors.documents()?.into_iter().filter(|id| stored_ids.binary_search(id).is_err());
            removals.extend(stale_ids.map(|id| (id, 0, Vec::new())));
        }
        vectors.plan(&removals, Some(revision))?;
        Ok(foreign_count.into_inner())
    }

    /// Sorts changed documents in the order of embedding. Chunks planned in this order are stored
    /// adjacently, so fewer pages are rewritten.
    fn sort_by_urgency(
        &self,
        changes: &[DocumentRevision],
        task: &Task,
    ) -> Result<Vec<DocumentRevision>> {
        let mut out = Vec::with_capacity(changes.len());
        for batch in changes.chunks(BATCH) {
            task.check()?;
            let ids: Vec<i64> = batch.iter().map(|change| change.id).collect();
            let urgencies = self.store.read(|r| r.urgencies(&ids))?;
            out.extend(urgencies.into_iter().zip(batch.iter().copied()));
        }
        out.sort_by_key(|(urgency, change)| (*urgency, change.id));
        Ok(out.into_iter().map(|(_, change)| change).collect())
    }

    /// Embeds one document immediately, even while another process embeds others. `embed` returns
    /// the vector of a text.
    pub fn embed_document(
        &self,
        vectors: &Vectors,
        document: i64,
        embed: &dyn Fn(&str) -> Result<Vec<f32>>,
    ) -> Result<()> {
        let skeletons = self.skeletons()?;
        let Some(content) = self.store.read(|r| self.load_document(r, document))? else {
            return Ok(());
        };
        let plan = self.plan_document(&content, &skeletons);
        vectors.plan(&[(document, content.row.source_id, plan)], None)?;
        let chunks = vectors.pending_of(document)?;
        let texts = self.chunk_texts(&chunks, &skeletons)?;
        let mut chunk_vectors = Vec::with_capacity(chunks.len());
        for (chunk, text) in chunks.into_iter().zip(texts) {
            if let Some(text) = text {
                chunk_vectors.push((chunk, embed(&text)?));
            }
        }
        vectors.put(&chunk_vectors)
    }

    /// Returns the number of changed documents whose chunks differ from the plan.
    pub fn count_unplanned(&self, vectors: &Vectors) -> Result<u64> {
        let progress = vectors.planned_revision()?;
        let revision = self.store.read(|r| r.revision())?;
        let progress = if progress > revision { 0 } else { progress };
        let skeletons = self.skeletons()?;
        let mut count = 0;
        for batch in self.store.read(|r| r.changed_documents(progress))?.chunks(BATCH) {
            for content in self.load(batch)? {
                let plan = self.plan_document(&content, &skeletons);
                count += u64::from(!vectors.is_planned(content.row.id, &plan)?);
            }
            for tombstone in batch.iter().filter(|change| change.is_deleted) {
                count += u64::from(!vectors.is_planned(tombstone.id, &[])?);
            }
        }
        Ok(count)
    }

    /// Plans the chunks of changed documents, unless another process is updating the vectors.
    pub fn plan_vectors(&self, vectors: &Vectors, task: &Task) -> Result<()> {
        match UpdateLock::try_take(self.folder, lock::VECTORS)? {
            Some(_lock) => self.plan(vectors, &self.skeletons()?, task).map(drop),
            None => Ok(()),
        }
    }

    fn embed(
        &self,
        vectors: &Vectors,
        engine: &Engine,
        workers: usize,
        max_vectors: u64,
        skeletons: &Skeletons,
        task: &Task,
    ) -> Result<EmbeddedCount> {
        let mut chunks = vectors.pending_chunks(EMBED_BATCH)?;
        if chunks.is_empty() || max_vectors == 0 {
            return Ok(EmbeddedCount::default());
        }
        let Extent { chunks: total, embedded_chunks: start } = vectors.extent()?;
        let counter = Mutex::new(EmbeddedCount::default());
        let first_model = engine.load(Work::Indexing)?;
        let (job_tx, job_rx) = channel::<(PendingChunk, String)>();
        let (result_tx, result_rx) = sync_channel::<Result<(PendingChunk, Vec<f32>)>>(EMBED_BATCH);
        let (job_rx, counter) = (&Mutex::new(job_rx), &counter);
        std::thread::scope(|scope| {
            // Owned here, so that the workers end when this closure returns.
            let (job_tx, result_tx, result_rx) = (job_tx, result_tx, result_rx);
            let mut first_model = Some(first_model);
            for _ in 0..workers.max(1) {
                let result_tx = result_tx.clone();
                let model = first_model.take();
                scope.spawn(move || {
                    let mut model: Box<dyn Embedder> =
                        match model.map_or_else(|| engine.load(Work::Indexing), Ok) {
                            Ok(model) => model,
                            Err(error) => return drop(result_tx.send(Err(error))),
                        };
                    loop {
                        let job = job_rx.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok((chunk, text)) = job else { return };
                        let result = task.check().and_then(|()| model.embed(&text));
                        if result.is_ok() {
                            let mut counts = counter.lock().unwrap_or_else(PoisonError::into_inner);
                            counts.vectors += 1;
                            counts.passages += u64::from(chunk.plan.part != TITLE_PART);
                            if counts.vectors.is_multiple_of(16) {
                                task.report(
                                    Phase::Embed,
                                    start + counts.passages,
                                    Some(total),
                                    "passages",
                                );
                            }
                        }
                        let result = result.map(|vector| (chunk, vector));
                        if result_tx.send(result).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(result_tx);
            // Store the previous batch and prepare the next one while a batch is embedded.
            let (mut in_flight, mut job_count) = (HashSet::new(), 0);
            loop {
                task.check()?;
                let jobs = self.pair_with_texts(vectors, chunks, skeletons)?;
                in_flight.extend(jobs.iter().map(|(chunk, _)| chunk.id));
                job_count += jobs.len() as u64;
                for job in jobs {
                    job_tx.send(job).map_err(|_| stop_error())?;
                }
                chunks = if job_count < max_vectors {
                    let mut next_chunks = vectors.pending_chunks(in_flight.len() + EMBED_BATCH)?;
                    next_chunks.retain(|chunk| !in_flight.contains(&chunk.id));
                    next_chunks
                } else {
                    Vec::new()
                };
                let max_in_flight = if chunks.is_empty() { 0 } else { EMBED_BATCH };
                let mut new_vectors = Vec::with_capacity(EMBED_BATCH);
                let failure = loop {
                    if in_flight.len() <= max_in_flight {
                        break None;
                    }
                    match result_rx.recv().unwrap_or_else(|_| Err(stop_error())) {
                        Ok(vector) => {
                            in_flight.remove(&vector.0.id);
                            new_vectors.push(vector);
                        }
                        Err(error) => break Some(error),
                    }
                };
                // Keep the vectors from before a failure or cancellation.
                vectors.put(&new_vectors)?;
                if let Some(error) = failure {
                    return Err(error);
                }
                if in_flight.is_empty() && chunks.is_empty() {
                    break;
                }
            }
            Ok(())
        })?;
        let counts = *counter.lock().unwrap_or_else(PoisonError::into_inner);
        let passages = start + counts.passages;
        task.report(Phase::Embed, passages, Some(passages), "passages");
        Ok(counts)
    }

    /// Returns these chunks with their texts. Removes chunks of documents that changed since
    /// planning.
    fn pair_with_texts(
        &self,
        vectors: &Vectors,
        chunks: Vec<PendingChunk>,
        skeletons: &Skeletons,
    ) -> Result<Vec<(PendingChunk, String)>> {
        let texts = self.chunk_texts(&chunks, skeletons)?;
        let (mut pairs, mut stale_ids) = (Vec::with_capacity(chunks.len()), Vec::new());
        for (chunk, text) in chunks.into_iter().zip(texts) {
            match text {
                Some(text) => pairs.push((chunk, text)),
                None => stale_ids.push(chunk.id),
            }
        }
        if !stale_ids.is_empty() {
            vectors.remove_unembedded(&stale_ids)?;
        }
        Ok(pairs)
    }

    /// Returns the texts of chunks, split again from the store; `None` if the document has changed
    /// since planning.
    fn chunk_texts(
        &self,
        chunks: &[PendingChunk],
        skeletons: &Skeletons,
    ) -> Result<Vec<Option<String>>> {
        let mut documents: Vec<i64> = chunks.iter().map(|p| p.document).collect();
        documents.sort_unstable();
        documents.dedup();
        let contents: Vec<Option<FullDocument>> =
            self.store.read(|r| documents.iter().map(|id| self.load_document(r, *id)).collect())?;
        Ok(chunks
            .par_iter()
            .map(|p| {
                let index = documents.binary_search(&p.document).ok()?;
                let content = contents.get(index)?.as_ref()?;
                if p.plan.part == TITLE_PART {
                    let text = chunk::representation(&content.row.title, "");
                    return (hash(&text) == p.plan.hash).then_some(text);
                }
                let text = if p.plan.part == 0 {
                    PreparedText::body(
                        &content.row.body,
                        skeletons.for_source(content.row.source_id),
                    )
                } else {
                    PreparedText::comment(
                        &content.comments.iter().find(|c| c.id == p.plan.part)?.body,
                    )
                };
                let texts = self.representations(&content.row.title, &text, p.plan.part == 0);
                let text = texts.into_iter().nth(p.plan.ordinal as usize)?;
                (hash(&text) == p.plan.hash).then_some(text)
            })
            .collect())
    }

    /// Returns the chunks of a document, without comments by bots and short comments ("+1").
    fn plan_document(&self, content: &FullDocument, skeletons: &Skeletons) -> Vec<PlannedChunk> {
        let row = &content.row;
        let urgency = urgency(row.state, row.updated_at.map(|t| t.as_second()));
        let mut out = Vec::new();
        let add = |out: &mut Vec<PlannedChunk>, part: i64, text: &PreparedText| {
            for (i, text) in self.representations(&row.title, text, part == 0).iter().enumerate() {
                let stage = if part != 0 { 2 } else { i64::from(i > 0) };
                out.push(PlannedChunk {
                    part,
                    ordinal: i as u32,
                    hash: hash(text),
                    priority: (stage << 33) | urgency,
                });
            }
        };
        if self.parts.has_text() {
            add(&mut out, 0, &PreparedText::body(&row.body, skeletons.for_source(row.source_id)));
            let title = chunk::representation(&row.title, "");
            // A report without a body has only the chunk of its title.
            if out.first().is_some_and(|first| first.hash != hash(&title)) && !title.is_empty() {
                out.push(PlannedChunk {
                    part: TITLE_PART,
                    ordinal: 0,
                    hash: hash(&title),
                    priority: urgency,
                });
            }
        }
        for comment in content.comments.iter().filter(|c| !c.author.bot) {
            let text = PreparedText::comment(&comment.body);
            if !text.is_too_short() {
                add(&mut out, comment.id, &text);
            }
        }
        out
    }

    fn representations(&self, title: &str, text: &PreparedText, is_body: bool) -> Vec<String> {
        let mut texts = representations(title, text, is_body);
        if self.parts == IndexedPart::Opening {
            texts.truncate(1);
        }
        texts
    }
}

/// Returns whether a document is in a language other than English.
pub fn is_foreign(title: &str, body: &str) -> bool {
    let body = &body[..body.floor_char_boundary(LANGUAGE_SAMPLE)];
    language::foreign_language(&format!("{title}\n{body}")).is_some()
}

/// Returns the model inputs for a document's own text or a comment, in order.
pub fn representations(title: &str, text: &PreparedText, is_body: bool) -> Vec<String> {
    let chunks = chunk::chunks(text, if is_body { MAX_BODY_CHUNKS } else { MAX_COMMENT_CHUNKS });
    if chunks.is_empty() && is_body && !title.trim().is_empty() {
        return vec![chunk::representation(title, "")];
    }
    chunks.iter().map(|c| c.representation(title)).collect()
}

fn stop_error() -> Error {
    Error::new(Code::Internal, "the embedding workers stopped")
}

fn hash(text: &str) -> [u8; 16] {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    hash
}
