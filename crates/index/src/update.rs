//! Brings derived data up to date with the store, by revision. Killed at any point, it goes on from there.

use std::{
    path::Path,
    sync::{
        Mutex, PoisonError,
        mpsc::{channel, sync_channel},
    },
    time::{Duration, Instant},
};

use rayon::prelude::*;

use super::{
    batches::batches,
    fulltext::FullText,
    links,
    lock::{Kind, UpdateLock},
    vectors::{Pending, Planned, TITLE_PART, Vectors},
};
use crate::embed::{Embedder, Engine, Work};
use precedent_core::{
    error::{Code, Error, Result, cancelled},
    model::IndexReport,
    task::{Phase, Task},
};
use precedent_store::{DocumentRow, Listing, Reader, Store, StoredComment, Urgency};
use precedent_text::{
    PREPARATION_VERSION,
    chunk::{self, MAX_BODY_CHUNKS, MAX_COMMENT_CHUNKS},
    prepare::Prepared,
    skeleton::{Finder, Skeleton},
};

/// How long a rebuild waits for each update that is under way elsewhere.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a search waits for what the full text lacks; what is left then is left for the next one.
pub const A_MOMENT: Duration = Duration::from_millis(800);
/// Documents that are prepared together; bounds memory.
const BATCH: usize = 512;
/// Documents between two commits of the full-text index.
const COMMIT_EVERY: usize = 32_768;
/// Chunks that are embedded between two transactions; a kill loses at most these.
pub const EMBED_BATCH: usize = 256;
/// A source with fewer items has no template worth finding.
const SKELETON_FROM: u64 = 50;
/// A template is a line in so many reports that about this many of them show it; all their lines would be held in memory.
const SKELETON_SAMPLE: u64 = 32_768;

/// How far an update of the full text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// To its end, after whoever else is at it, and all that makes searches quicker with it.
    Whole,
    /// To its end, after whoever else is at it.
    Soon,
    /// To its end, unless another process is at it.
    Alone,
    /// As [`Effort::Alone`], and no longer than about this.
    AtMost(Duration),
}

/// Which parts of a document are indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexed {
    /// Its own text, its title and the comments on it.
    All,
    /// All but the comments.
    Own,
    /// The comments alone.
    Comments,
}

impl Indexed {
    fn own(self) -> bool {
        self != Self::Comments
    }

    fn comments(self) -> bool {
        self != Self::Own
    }
}

/// What an update works on.
#[derive(Debug)]
pub struct Derived<'a> {
    /// The truth.
    pub store: &'a Store,
    /// The full-text index.
    pub fulltext: &'a FullText,
    /// The casebook's folder, for the lock.
    pub folder: &'a Path,
    /// What of each document is indexed.
    pub parts: Indexed,
}

/// A document with everything that is derived from it.
struct Loaded {
    row: DocumentRow,
    comments: Vec<StoredComment>,
}

impl Derived<'_> {
    fn whole(&self, reader: &Reader<'_>, id: i64) -> Result<Option<Loaded>> {
        let Some(row) = reader.document(id)? else { return Ok(None) };
        let comments = if self.parts.comments() { reader.comments(&row)? } else { Vec::new() };
        Ok(Some(Loaded { row, comments }))
    }

    /// Finds templates, then makes the full text and the links. Afterwards everything can be found by words, or with
    /// [`Effort::AtMost`] more than before.
    ///
    /// # Errors
    /// [`Code::Cancelled`], [`Code::Io`] and those of the database. What was committed stays.
    pub fn update_text(&self, effort: Effort, task: &Task, report: &mut IndexReport) -> Result<()> {
        let lock = if matches!(effort, Effort::Whole | Effort::Soon) {
            UpdateLock::take(self.folder, Kind::Text, task)?
        } else if let Some(lock) = UpdateLock::try_take(self.folder, Kind::Text)? {
            lock
        } else {
            report.busy_elsewhere = true;
            return Ok(());
        };
        let start = Instant::now();
        let until = match effort {
            Effort::AtMost(time) => start.checked_add(time),
            _ => None,
        };
        self.find_skeletons(task)?;
        // Links are read by one thread while two write the full text.
        std::thread::scope(|scope| {
            let links = scope.spawn(|| links::update(self.store, until, task));
            let text = self.update_fulltext(until, &lock, task).and_then(|documents| {
                (report.documents, report.full_text_seconds) = (documents, start.elapsed().as_secs_f64());
                if effort == Effort::Whole { self.fulltext.merge(&lock, task) } else { Ok(()) }
            });
            let links = links.join();
            text?;
            links.unwrap_or_else(|_| Err(Error::new(Code::Internal, "reading references failed")))
        })
    }

    /// Whether the full text or the links lag behind the store.
    ///
    /// # Errors
    /// Those of the database and the index.
    pub fn text_is_stale(&self) -> Result<bool> {
        let reached = self.fulltext.reached()?;
        let (revision, links) = self.store.read(|r| Ok((r.revision()?, r.links_revision()?)))?;
        Ok(links != revision
            || reached.revision != revision
            || (revision > 0 && reached.preparation != PREPARATION_VERSION))
    }

    /// Whether an update of the text would do anything.
    ///
    /// # Errors
    /// Those of the database and the index.
    pub fn text_is_due(&self, effort: Effort) -> Result<bool> {
        Ok(self.text_is_stale()?
            || self.fulltext.has_crumbs()?
            || (effort == Effort::Whole && self.fulltext.is_scattered()?))
    }

    /// Forgets how far the full text reaches, and all vectors. Waits a little for another process: most updates are short.
    ///
    /// # Errors
    /// [`Code::Busy`] if another process is updating them and goes on with it.
    pub fn forget_all(&self, vectors: Option<&Vectors>) -> Result<()> {
        self.forget_all_and(vectors, || Ok(()))
    }

    /// As [`Derived::forget_all`], and does `work` before anybody can make them again.
    ///
    /// # Errors
    /// As [`Derived::forget_all`], and those of the work.
    pub fn forget_all_and<T>(
        &self,
        vectors: Option<&Vectors>,
        work: impl FnOnce() -> Result<T>,
    ) -> Result<T> {
        let take = |kind| UpdateLock::take_within(self.folder, kind, PATIENCE)?.ok_or_else(busy);
        // The vectors first: nobody's words have to wait while this waits for them.
        let _vectors = take(Kind::Vectors)?;
        let text = take(Kind::Text)?;
        self.clear_text(&text)?;
        vectors.map_or(Ok(()), Vectors::clear)?;
        work()
    }

    /// Forgets how far the full text reaches; the next update makes it anew.
    ///
    /// # Errors
    /// [`Code::Busy`] if another process is updating it.
    pub fn forget_text(&self) -> Result<()> {
        let lock = UpdateLock::try_take(self.folder, Kind::Text)?.ok_or_else(busy)?;
        self.clear_text(&lock)
    }

    fn clear_text(&self, lock: &UpdateLock) -> Result<()> {
        let mut writer = self.fulltext.writer(lock)?;
        writer.clear()?;
        writer.commit(0, &Task::new())?;
        writer.finish(&Task::new())?;
        self.store.write(|w| w.set_links_revision(0))
    }

    /// Finds the template of every source that has grown to twice what its template was found from.
    fn find_skeletons(&self, task: &Task) -> Result<()> {
        let indexed = self.fulltext.reached()?.revision > 0;
        for source in self.store.read(|r| r.sources())? {
            task.check()?;
            let (items, found_from) = self.store.read(|r| r.skeleton_age(source.id))?;
            if items < SKELETON_FROM || items < found_from * 2 {
                continue;
            }
            let mut finder = Finder::default();
            let before = self.store.read(|r| {
                r.item_bodies(source.id, items.div_ceil(SKELETON_SAMPLE), |body| {
                    finder.add(body);
                    task.check()
                })?;
                r.skeleton(source.id)
            })?;
            let skeleton = finder.finish();
            self.store.write(|w| {
                w.set_skeleton(source.id, &skeleton, items)?;
                // Documents that were indexed with another template are read again.
                if skeleton != before && indexed { w.touch_documents(source.id) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    fn update_fulltext(&self, until: Option<Instant>, lock: &UpdateLock, task: &Task) -> Result<u64> {
        let mut reached = self.fulltext.reached()?;
        let (revision, mut changed) =
            self.store.read(|r| Ok((r.revision()?, r.changed_documents(reached.revision)?)))?;
        let rebuild = reached.revision > revision
            || (reached.revision > 0 && reached.preparation != PREPARATION_VERSION);
        if rebuild {
            reached.revision = 0;
            changed = self.store.read(|r| r.changed_documents(0))?;
        }
        if !rebuild && reached.revision == revision && !self.fulltext.has_crumbs()? {
            return Ok(0);
        }
        let mut writer = self.fulltext.writer(lock)?;
        if rebuild {
            writer.clear()?;
        }
        // What was there before must not shrink to a part of it.
        let until = until.filter(|_| !rebuild);
        let fresh = reached.revision == 0;
        let skeletons = self.skeletons()?;
        let (mut done, mut since_commit, mut stopped) = (0, 0, false);
        let total = changed.len() as u64;
        let entry = |l: &Loaded| {
            let body = Prepared::body(&l.row.body, skeletons.of(l.row.source_id));
            let comments: Vec<_> = l.comments.iter().map(|c| (c, Prepared::comment(&c.body))).collect();
            self.fulltext.entry(&l.row, &body, &comments)
        };
        self.prepared(batches(&changed, BATCH), entry, |batch, entries| {
            task.check()?;
            // A batch that continues the revision of the one before must not be cut off from it by a commit.
            let whole = done > 0 && batch[0].revision > changed[done - 1].revision;
            stopped = whole && until.is_some_and(|until| Instant::now() >= until);
            if whole && (stopped || since_commit >= COMMIT_EVERY) {
                writer.commit(changed[done - 1].revision, task)?;
                since_commit = 0;
            }
            if stopped {
                return Ok(false);
            }
            if !fresh {
                batch.iter().try_for_each(|listing| writer.remove(listing.id))?;
            }
            for entry in entries {
                writer.add(entry)?;
            }
            done += batch.len();
            since_commit += batch.len();
            task.report(Phase::FullText, done as u64, Some(total), "documents");
            Ok(true)
        })?;
        if stopped {
            writer.finish(task)?;
            return Ok(done as u64);
        }
        if !fresh {
            // Rows of a removed source are gone without a trace; what has no row is taken out.
            let kept = self.store.read(|r| r.document_ids())?;
            for id in self.fulltext.ids()?.into_iter().filter(|id| kept.binary_search(id).is_err()) {
                writer.remove(id)?;
            }
        }
        writer.commit(revision, task)?;
        writer.finish(task)?;
        Ok(total)
    }

    /// Gives what `prepare` makes of each document to `work`, batch by batch and without tombstones, until that wants no more; the
    /// next batch is read and prepared meanwhile.
    fn prepared<'b, T: Send>(
        &self,
        batches: impl Iterator<Item = &'b [Listing]> + Send,
        prepare: impl Fn(&Loaded) -> T + Send + Sync,
        mut work: impl FnMut(&[Listing], Vec<T>) -> Result<bool>,
    ) -> Result<()> {
        std::thread::scope(|scope| {
            let (give, take) = sync_channel(1);
            scope.spawn(move || {
                for batch in batches {
                    let ready = self.load(batch).map(|all| all.par_iter().map(&prepare).collect());
                    let failed = ready.is_err();
                    // Nobody takes it where the work has failed.
                    if give.send((batch, ready)).is_err() || failed {
                        return;
                    }
                }
            });
            // Owned here, so that the thread ends when this does, however it ends.
            let take = take;
            while let Ok((batch, ready)) = take.recv() {
                if !work(batch, ready?)? {
                    break;
                }
            }
            Ok(())
        })
    }

    /// Loads documents that are not tombstones.
    fn load(&self, batch: &[Listing]) -> Result<Vec<Loaded>> {
        self.store.read(|r| {
            let mut loaded = Vec::with_capacity(batch.len());
            for listing in batch.iter().filter(|l| !l.deleted) {
                loaded.extend(self.whole(r, listing.id)?);
            }
            Ok(loaded)
        })
    }

    fn skeletons(&self) -> Result<Skeletons> {
        self.store.read(|r| {
            let mut all = Vec::new();
            for source in r.sources()? {
                all.push((source.id, r.skeleton(source.id)?));
            }
            Ok(Skeletons { all, none: Skeleton::default() })
        })
    }

    /// Plans the chunks of changed documents and embeds what has no vector, the newest and open items first, bodies
    /// before comments; `most` of them, or all. Whether nothing is left to embed.
    ///
    /// # Errors
    /// [`Code::Cancelled`], [`Code::Io`], [`Code::ModelUnavailable`] and those of the database. What was stored stays.
    pub fn update_vectors(
        &self,
        vectors: &Vectors,
        engine: &Engine,
        workers: usize,
        most: Option<u64>,
        task: &Task,
        report: &mut IndexReport,
    ) -> Result<bool> {
        let Some(_lock) = UpdateLock::try_take(self.folder, Kind::Vectors)? else {
            report.busy_elsewhere = true;
            return Ok(false);
        };
        let start = Instant::now();
        let (before, most) = (report.embedded, most.unwrap_or(u64::MAX));
        // Changes that others make meanwhile are taken along: they leave them to the holder of the lock.
        loop {
            let skeletons = self.skeletons()?;
            self.plan(vectors, &skeletons, task)?;
            let left = most.saturating_sub(report.embedded - before);
            report.embedded += self.embed(vectors, engine, workers, left, &skeletons, task)?;
            if report.embedded - before >= most || vectors.reached()? == self.store.read(|r| r.revision())? {
                break;
            }
        }
        report.vector_seconds += start.elapsed().as_secs_f64();
        Ok(vectors.pending(1)?.is_empty())
    }

    fn plan(&self, vectors: &Vectors, skeletons: &Skeletons, task: &Task) -> Result<()> {
        let reached = vectors.reached()?;
        let revision = self.store.read(|r| r.revision())?;
        // A store that was restored from an older copy: everything is compared again.
        let reached = if reached > revision { 0 } else { reached };
        let changed = self.by_urgency(&self.store.read(|r| r.changed_documents(reached))?, task)?;
        let (mut done, total) = (0, changed.len() as u64);
        let plan = |l: &Loaded| (l.row.id, l.row.source_id, self.planned(l, skeletons));
        self.prepared(changed.chunks(BATCH), plan, |batch, mut plans| {
            task.check()?;
            plans.extend(batch.iter().filter(|l| l.deleted).map(|l| (l.id, 0, Vec::new())));
            // Planning a batch again changes nothing, so only the end needs to be noted.
            vectors.plan(&plans, None)?;
            done += batch.len() as u64;
            task.report(Phase::Chunk, done, Some(total), "documents");
            Ok(true)
        })?;
        let mut gone = Vec::new();
        if reached != revision {
            let kept = self.store.read(|r| r.document_ids())?;
            let planned = vectors.documents()?.into_iter().filter(|id| kept.binary_search(id).is_err());
            gone.extend(planned.map(|id| (id, 0, Vec::new())));
        }
        vectors.plan(&gone, Some(revision))
    }

    /// Changed documents in the order in which their vectors will be made: where their chunks are planned in it, those that come
    /// after one another are stored beside one another, and few pages are written more than once.
    fn by_urgency(&self, changed: &[Listing], task: &Task) -> Result<Vec<Listing>> {
        let mut out = Vec::with_capacity(changed.len());
        for batch in changed.chunks(BATCH) {
            task.check()?;
            let ids: Vec<i64> = batch.iter().map(|l| l.id).collect();
            let urgencies = self.store.read(|r| r.urgencies(&ids))?;
            out.extend(urgencies.into_iter().zip(batch.iter().copied()));
        }
        out.sort_by_key(|(urgency, listing)| (*urgency, listing.id));
        Ok(out.into_iter().map(|(_, listing)| listing).collect())
    }

    /// Makes the vectors of one document at once, whoever else is making others; `embed` makes one.
    ///
    /// # Errors
    /// [`Code::ModelUnavailable`] and those of the database.
    pub fn embed_document(
        &self,
        vectors: &Vectors,
        document: i64,
        embed: &dyn Fn(&str) -> Result<Vec<f32>>,
    ) -> Result<()> {
        let skeletons = self.skeletons()?;
        let Some(loaded) = self.store.read(|r| self.whole(r, document))? else { return Ok(()) };
        let plan = self.planned(&loaded, &skeletons);
        vectors.plan(&[(document, loaded.row.source_id, plan)], None)?;
        let pending = vectors.pending_of(document)?;
        let texts = self.texts(&pending, &skeletons)?;
        let mut ready = Vec::with_capacity(pending.len());
        for (pending, text) in pending.into_iter().zip(texts) {
            if let Some(text) = text {
                ready.push((pending, embed(&text)?));
            }
        }
        vectors.put(&ready)
    }

    /// How many documents have changed since the chunks were planned, and have other chunks now.
    ///
    /// # Errors
    /// Those of the database.
    pub fn unplanned(&self, vectors: &Vectors) -> Result<u64> {
        let reached = vectors.reached()?;
        let revision = self.store.read(|r| r.revision())?;
        let reached = if reached > revision { 0 } else { reached };
        let skeletons = self.skeletons()?;
        let mut unplanned = 0;
        for batch in self.store.read(|r| r.changed_documents(reached))?.chunks(BATCH) {
            for loaded in self.load(batch)? {
                let plan = self.planned(&loaded, &skeletons);
                unplanned += u64::from(!vectors.is_planned(loaded.row.id, &plan)?);
            }
            for gone in batch.iter().filter(|l| l.deleted) {
                unplanned += u64::from(!vectors.is_planned(gone.id, &[])?);
            }
        }
        Ok(unplanned)
    }

    /// Takes chunks out whose documents are gone, if nobody is updating the vectors; whoever is does it.
    ///
    /// # Errors
    /// Those of the database.
    pub fn plan_vectors(&self, vectors: &Vectors, task: &Task) -> Result<()> {
        match UpdateLock::try_take(self.folder, Kind::Vectors)? {
            Some(_lock) => self.plan(vectors, &self.skeletons()?, task),
            None => Ok(()),
        }
    }

    fn embed(
        &self,
        vectors: &Vectors,
        engine: &Engine,
        workers: usize,
        most: u64,
        skeletons: &Skeletons,
        task: &Task,
    ) -> Result<u64> {
        let mut pending = vectors.pending(EMBED_BATCH)?;
        if pending.is_empty() || most == 0 {
            return Ok(0);
        }
        let extent = vectors.extent()?;
        let total = extent.chunks;
        let before = extent.embedded;
        let embedded = Mutex::new(0_u64);
        let first = engine.load(Work::Indexing)?;
        let (give, take) = channel::<(Pending, String)>();
        let (answer, answers) = sync_channel::<Result<(Pending, Vec<f32>)>>(EMBED_BATCH);
        let (take, embedded) = (&Mutex::new(take), &embedded);
        std::thread::scope(|scope| {
            // Owned here, so that the workers end when this closure does, however it ends.
            let (give, answer, answers) = (give, answer, answers);
            let mut first = Some(first);
            for _ in 0..workers.max(1) {
                let answer = answer.clone();
                let model = first.take();
                scope.spawn(move || {
                    let mut model: Box<dyn Embedder> =
                        match model.map_or_else(|| engine.load(Work::Indexing), Ok) {
                            Ok(model) => model,
                            Err(error) => return drop(answer.send(Err(error))),
                        };
                    loop {
                        let next = take.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok((pending, text)) = next else { return };
                        let result = if task.is_cancelled() { Err(cancelled()) } else { model.embed(&text) };
                        let result = result.map(|vector| (pending, vector));
                        if result.is_ok() {
                            let mut count = embedded.lock().unwrap_or_else(PoisonError::into_inner);
                            *count += 1;
                            if (*count).is_multiple_of(16) {
                                task.report(Phase::Embed, before + *count, Some(total), "chunks");
                            }
                        }
                        if answer.send(result).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(answer);
            while !pending.is_empty() {
                task.check()?;
                let texts = self.texts(&pending, skeletons)?;
                let (texts, gone): (Vec<_>, Vec<_>) =
                    pending.drain(..).zip(texts).partition(|(_, text)| text.is_some());
                if !gone.is_empty() {
                    vectors.forget(&gone.iter().map(|(p, _)| p.id).collect::<Vec<_>>())?;
                }
                let sent = texts.len();
                for (pending, text) in texts {
                    let job = (pending, text.unwrap_or_default());
                    give.send(job)
                        .map_err(|_| Error::new(Code::Internal, "the embedding workers stopped"))?;
                }
                let mut ready = Vec::with_capacity(sent);
                let mut failed = None;
                for _ in 0..sent {
                    match answers.recv() {
                        Ok(Ok(vector)) => ready.push(vector),
                        Ok(Err(error)) => {
                            failed = Some(error);
                            break;
                        }
                        Err(_) => {
                            failed = Some(Error::new(Code::Internal, "the embedding workers stopped"));
                            break;
                        }
                    }
                }
                // What was embedded before a failure or a cancel is kept.
                vectors.put(&ready)?;
                if let Some(error) = failed {
                    return Err(error);
                }
                let made = *embedded.lock().unwrap_or_else(PoisonError::into_inner);
                pending = if made < most { vectors.pending(EMBED_BATCH)? } else { Vec::new() };
            }
            Ok(())
        })?;
        let embedded = *embedded.lock().unwrap_or_else(PoisonError::into_inner);
        task.report(Phase::Embed, before + embedded, Some(before + embedded), "chunks");
        Ok(embedded)
    }

    /// The texts of chunks, cut again from the store; `None` where the document has changed since it was planned.
    fn texts(&self, pending: &[Pending], skeletons: &Skeletons) -> Result<Vec<Option<String>>> {
        let mut documents: Vec<i64> = pending.iter().map(|p| p.document).collect();
        documents.sort_unstable();
        documents.dedup();
        let loaded: Vec<Option<Loaded>> =
            self.store.read(|r| documents.iter().map(|id| self.whole(r, *id)).collect())?;
        Ok(pending
            .par_iter()
            .map(|p| {
                let at = documents.binary_search(&p.document).ok()?;
                let loaded = loaded.get(at)?.as_ref()?;
                if p.planned.part == TITLE_PART {
                    let text = chunk::representation(&loaded.row.title, "");
                    return (hash(&text) == p.planned.hash).then_some(text);
                }
                let text = if p.planned.part == 0 {
                    Prepared::body(&loaded.row.body, skeletons.of(loaded.row.source_id))
                } else {
                    Prepared::comment(&loaded.comments.iter().find(|c| c.id == p.planned.part)?.body)
                };
                let text = representations(&loaded.row.title, &text, p.planned.part == 0)
                    .into_iter()
                    .nth(p.planned.ordinal as usize)?;
                (hash(&text) == p.planned.hash).then_some(text)
            })
            .collect())
    }

    /// The chunks that a document is to have. Bots' comments and those that say nothing ("+1") have none.
    fn planned(&self, loaded: &Loaded, skeletons: &Skeletons) -> Vec<Planned> {
        let row = &loaded.row;
        let urgency = Urgency::of(row.state, row.updated_at.map(|t| t.as_second())).number();
        let mut out = Vec::new();
        let add = |out: &mut Vec<Planned>, part: i64, text: &Prepared| {
            for (i, text) in representations(&row.title, text, part == 0).iter().enumerate() {
                let stage = if part != 0 { 2 } else { i64::from(i > 0) };
                #[allow(clippy::cast_possible_truncation, reason = "at most MAX_BODY_CHUNKS")]
                out.push(Planned {
                    part,
                    ordinal: i as u32,
                    hash: hash(text),
                    priority: (stage << 33) | urgency,
                });
            }
        };
        if self.parts.own() {
            add(&mut out, 0, &Prepared::body(&row.body, skeletons.of(row.source_id)));
            let title = chunk::representation(&row.title, "");
            // A report without a body is its title; one vector says it.
            if out.first().is_some_and(|first| first.hash != hash(&title)) && !title.is_empty() {
                out.push(Planned { part: TITLE_PART, ordinal: 0, hash: hash(&title), priority: urgency });
            }
        }
        for comment in loaded.comments.iter().filter(|c| !c.author.bot) {
            let text = Prepared::comment(&comment.body);
            if !text.is_slight() {
                add(&mut out, comment.id, &text);
            }
        }
        out
    }
}

/// Opens the full text in `path`, made again where its files are damaged: it is derived. What the system refuses is an error,
/// and removes nothing.
///
/// # Errors
/// [`Code::Busy`] if it is damaged and another process is updating it, [`Code::Io`].
pub fn open_text(folder: &Path, path: &Path) -> Result<FullText> {
    match FullText::open(path) {
        Err(error) if FullText::is_damage(&error) => {
            let _lock = UpdateLock::take_within(folder, Kind::Text, PATIENCE)?.ok_or_else(busy)?;
            // Another process may have made it again while this one waited.
            FullText::open(path).or_else(|error| match FullText::is_damage(&error) {
                true => put_away(path).and_then(|()| FullText::open(path)),
                false => Err(error),
            })
        }
        opened => opened,
    }
}

/// Takes a folder out of the way under another name, and then away: a process that has files of it open keeps reading them.
fn put_away(path: &Path) -> Result<()> {
    let failed = |e| Error::io(path, e);
    let away = |n: u32| path.with_extension(format!("damaged-{n}"));
    let free = (0..).map(away).find(|p| !p.exists()).unwrap_or_else(|| path.with_extension("damaged"));
    std::fs::rename(path, &free).map_err(failed)?;
    // What cannot be removed now does no harm.
    let _ = std::fs::remove_dir_all(&free);
    Ok(())
}

/// Removes a full text that cannot be read; it is derived.
///
/// # Errors
/// [`Code::Busy`] if another process is updating it, [`Code::Io`].
pub fn remove_text(folder: &Path, path: &Path) -> Result<()> {
    let _lock = UpdateLock::try_take(folder, Kind::Text)?.ok_or_else(busy)?;
    put_away(path)
}

fn busy() -> Error {
    Error::new(Code::Busy, "another process is updating the indexes")
        .with_hint("Wait until it has finished, then try again.")
}

/// The template skeletons of all sources.
struct Skeletons {
    all: Vec<(i64, Skeleton)>,
    none: Skeleton,
}

impl Skeletons {
    fn of(&self, source: i64) -> &Skeleton {
        self.all.iter().find(|(id, _)| *id == source).map_or(&self.none, |(_, s)| s)
    }
}

/// What the model reads of a document's own text or of a comment, in order.
pub fn representations(title: &str, text: &Prepared, own: bool) -> Vec<String> {
    let chunks = chunk::chunks(text, if own { MAX_BODY_CHUNKS } else { MAX_COMMENT_CHUNKS });
    if chunks.is_empty() && own && !title.trim().is_empty() {
        return vec![chunk::representation(title, "")];
    }
    chunks.iter().map(|c| c.representation(title)).collect()
}

fn hash(text: &str) -> [u8; 16] {
    let mut hash = [0; 16];
    hash.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    hash
}
