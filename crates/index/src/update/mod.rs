//! Brings derived data up to date with the store, by revision. Killed at any point, it goes on from there.

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
    lock::{Kind, UpdateLock, write},
    vectors::Vectors,
};
use precedent_core::{
    error::{Code, Error, Result},
    model::IndexReport,
    task::{Phase, Task},
};
use precedent_store::{DocumentRow, Listing, Reader, Store, StoredComment};
use precedent_text::{
    PREPARATION_VERSION,
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
/// A source with fewer items has no template worth finding.
const SKELETON_FROM: u64 = 8;
/// A template is a line in so many reports that about this many of them show it; all their lines would be held in memory.
const SKELETON_SAMPLE: u64 = 32_768;

/// How far an update of the full text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// To its end, after whoever else is at it, and all that makes searches quicker with it.
    Whole,
    /// To its end, after whoever else is at it.
    Soon,
    /// To its end, unless another process is at it or writes to the casebook.
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
        let soon = matches!(effort, Effort::Alone | Effort::AtMost(_));
        self.find_skeletons(soon, task)?;
        // Links are read by one thread while two write the full text.
        std::thread::scope(|scope| {
            let links = scope.spawn(|| links::update(self.store, until, soon, task));
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
    fn find_skeletons(&self, soon: bool, task: &Task) -> Result<()> {
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
            write(self.store, soon, |w| {
                w.set_skeleton(source.id, &skeleton, items)?;
                // Documents that were indexed with another template are read again.
                if skeleton != before && indexed { w.touch_documents(source.id) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    /// Brings the full text up to date. How many documents were written; those that are gone do not count.
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
        let (mut done, mut written, mut since_commit, mut stopped) = (0, 0, 0, false);
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
                written += 1;
            }
            done += batch.len();
            since_commit += batch.len();
            task.report(Phase::FullText, done as u64, Some(total), "documents");
            Ok(true)
        })?;
        if stopped {
            writer.finish(task)?;
            return Ok(written);
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
        Ok(written)
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
