//! Semantic search: the active model with its vectors, and the change to another model.
//!
//! Each query uses one [`EmbeddingSession`] throughout. Its query vectors and stored vectors then
//! come from one model, even if another process changes the model in the meantime.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, Sender},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use super::{Inner, VECTORS};
use precedent_core::{
    error::{Code, Error, Result},
    model::{IndexReport, NextModel},
    task::Task,
};
use precedent_index::{
    embed::{BUILT_IN, Embedder, Engine, Work},
    update::{DerivedData, IndexedPart},
    vectors::{self, Vectors},
};

/// The folder of installed models, below the casebook's folder.
pub(super) const MODELS: &str = "models";
/// The vectors of comments that searches must not use, below the casebook's folder.
const COMMENT_VECTORS: &str = "said";
/// The vectors of the model for other languages, below the casebook's folder.
const LANGUAGE_VECTORS: &str = "languages";
/// The minimum number of changed documents in other languages at which their index is built.
const MIN_FOREIGN: u64 = 3;
/// One in this many changed documents must be in another language for their index to be built.
const FOREIGN_SHARE: u64 = 100;
/// The number of the next model's vectors created between updates of the active vectors.
const ROUND_SIZE: u64 = 2_048;

/// The delay before retrying after another process was found building the vectors.
const BUSY_RETRY_DELAY: Duration = Duration::from_secs(5);

/// An opened resource, or its shared open error.
type OpenResult<T> = std::result::Result<T, Arc<Error>>;

/// A model with its vectors, both opened at first use.
pub(super) struct EmbeddingSession {
    /// The model's name; `None` means the built-in model.
    name: Option<String>,
    engine: Engine,
    folder: PathBuf,
    /// The folder of its vectors, below the casebook's folder.
    vector_folder: &'static str,
    vectors: OnceLock<OpenResult<Arc<Vectors>>>,
    /// The time and error when another process was found building the vectors.
    busy_error: Mutex<Option<(Instant, Arc<Error>)>>,
    /// The vectors of comments, if stored separately.
    comment_vectors: Option<OnceLock<OpenResult<Arc<Vectors>>>>,
    /// The loaded model, shared by all queries of this process.
    model: Mutex<Option<OpenResult<Box<dyn Embedder>>>>,
    /// True if the model was used or preloaded since the last call of `release_memory`.
    was_used: AtomicBool,
    /// The model load started when the casebook was opened.
    preload: Mutex<Preload>,
}

/// A model load on its own thread. Dropping it joins the thread, because the runtime crashes if the
/// process exits during its setup.
#[derive(Default)]
pub(super) struct Preload(Option<(Sender<Engine>, JoinHandle<LoadResult>)>);

/// The loaded model or its load error; `None` if loading was cancelled.
type LoadResult = Option<Result<Box<dyn Embedder>>>;

impl Preload {
    /// Starts loading the runtime, which every model needs, before the model's name is known.
    pub(super) fn start(engine: &Engine) -> Self {
        let engine = engine.clone();
        let (sender, receiver) = mpsc::channel::<Engine>();
        let load = move || {
            engine.preload();
            receiver.recv().ok().map(|engine| engine.load(Work::Queries))
        };
        // Without a thread, the model is loaded at first use.
        Self(
            std::thread::Builder::new()
                .name("model".to_owned())
                .spawn(load)
                .ok()
                .map(|thread| (sender, thread)),
        )
    }

    /// Continues by loading the model itself.
    pub(super) fn load(&self, engine: Engine) {
        if let Some((sender, _)) = &self.0 {
            // Sending fails only if the thread panicked, and joining it reports that.
            drop(sender.send(engine));
        }
    }

    /// Returns the loaded model or its load error, or `None` if it was not being loaded.
    fn take(&mut self) -> Option<Result<Box<dyn Embedder>>> {
        let (sender, thread) = self.0.take()?;
        drop(sender);
        thread.join().ok().flatten()
    }
}

impl Drop for Preload {
    fn drop(&mut self) {
        drop(self.take());
    }
}

impl EmbeddingSession {
    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Opens the vectors of the model.
    pub(super) fn vectors(&self) -> OpenResult<Arc<Vectors>> {
        self.open_once(&self.vectors, self.vector_folder)
    }

    /// Opens the vectors of comments: the same store, or a separate one that searches do not use.
    pub(super) fn comment_vectors(&self) -> OpenResult<Arc<Vectors>> {
        match &self.comment_vectors {
            Some(slot) => self.open_once(slot, COMMENT_VECTORS),
            None => self.vectors(),
        }
    }

    /// Opens the vectors in this folder once. If another process is building them, a later query
    /// tries again.
    fn open_once(
        &self,
        slot: &OnceLock<OpenResult<Arc<Vectors>>>,
        folder: &str,
    ) -> OpenResult<Arc<Vectors>> {
        if let Some(store) = slot.get() {
            return store.clone();
        }
        let mut busy_error = self.busy_error.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((time, error)) = &*busy_error
            && time.elapsed() < BUSY_RETRY_DELAY
        {
            return Err(Arc::clone(error));
        }
        match self.open(folder) {
            Err(error) if error.code() == Code::Busy => {
                *busy_error = Some((Instant::now(), Arc::clone(&error)));
                Err(error)
            }
            store => slot.get_or_init(|| store).clone(),
        }
    }

    fn open(&self, folder: &str) -> OpenResult<Arc<Vectors>> {
        let info = self.engine.info().map_err(Arc::new)?;
        Vectors::open(&self.folder.join(folder), &info).map(Arc::new).map_err(Arc::new)
    }

    /// Embeds `text`; an empty string only loads the model.
    pub(super) fn embed(&self, text: &str) -> Result<Vec<f32>> {
        self.was_used.store(true, Ordering::Relaxed);
        let mut slot = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let model = slot.get_or_insert_with(|| {
            let preload = self.preload.lock().unwrap_or_else(PoisonError::into_inner).take();
            preload.unwrap_or_else(|| self.engine.load(Work::Queries)).map_err(Arc::new)
        });
        match model {
            Ok(model) if text.is_empty() => Ok(vec![0.0; model.info().dimensions]),
            Ok(model) => model.embed(text),
            Err(error) => Err(Error::clone(error)),
        }
    }

    /// Frees the model and the vector caches if no query ran since the last call, and returns
    /// whether it did. The next query loads them again; a load error of the model is kept.
    pub(super) fn release_memory(&self) -> bool {
        let mut slot = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let is_idle = !self.was_used.swap(false, Ordering::Relaxed);
        if is_idle {
            slot.take_if(|model| model.is_ok());
            self.open_stores().for_each(Vectors::release_memory);
        }
        is_idle
    }

    /// Adopts the model being loaded if it has this name.
    pub(super) fn adopt_preload(&self, name: Option<&str>, preload: Preload) {
        // Another process may have changed the model in the meantime.
        if self.name.as_deref() != name.filter(|n| *n != BUILT_IN) {
            return;
        }
        *self.preload.lock().unwrap_or_else(PoisonError::into_inner) = preload;
    }

    /// Returns whether the model load that started with the casebook is still pending.
    pub(super) fn is_loading(&self) -> bool {
        self.preload.lock().unwrap_or_else(PoisonError::into_inner).0.is_some()
    }

    /// Loads the vector codes and the model in parallel: together they take most of a first search.
    pub(super) fn preload(&self) {
        self.was_used.store(true, Ordering::Relaxed);
        if let Ok(vectors) = self.vectors()
            && !self.is_loaded()
        {
            std::thread::scope(|scope| {
                scope.spawn(|| drop(vectors.preload()));
                drop(self.embed(""));
            });
        }
    }

    /// Returns why semantic search is unavailable, or `None` if it works. A model with a readable
    /// card may still fail to load, and opened vectors may turn out to be damaged.
    pub(super) fn problem(&self) -> Option<Arc<Error>> {
        let damage = || self.is_damaged().then(|| Arc::new(vectors::damage_error()));
        self.vectors().err().or_else(damage).or_else(|| self.model_problem())
    }

    /// Runs `work`, and runs it once more if it discovered damaged vectors, which are then no
    /// longer used.
    pub(super) fn retry_on_corruption<T>(&self, work: impl Fn() -> Result<T>) -> Result<T> {
        let was_damaged = self.is_damaged();
        match work() {
            Err(error) if error.code() == Code::Corrupt && !was_damaged && self.is_damaged() => {
                work()
            }
            result => result,
        }
    }

    /// Returns the vector stores that are open.
    fn open_stores(&self) -> impl Iterator<Item = &Vectors> {
        let slots = [Some(&self.vectors), self.comment_vectors.as_ref()].into_iter().flatten();
        slots.filter_map(|slot| slot.get()?.as_deref().ok())
    }

    /// Returns whether any open vector store is known to be damaged.
    pub(super) fn is_damaged(&self) -> bool {
        self.open_stores().any(Vectors::is_damaged)
    }

    /// Returns the load error of the model, if loading was tried and failed.
    pub(super) fn model_problem(&self) -> Option<Arc<Error>> {
        let slot = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().and_then(|m| m.as_ref().err().cloned())
    }

    fn is_loaded(&self) -> bool {
        self.model.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

/// Returns the embedding engine of a model in this casebook folder; `None` and `builtin` mean the
/// built-in model.
pub(super) fn engine_of(built_in: &Engine, folder: &Path, name: Option<&str>) -> Engine {
    match name.filter(|n| *n != BUILT_IN) {
        None => built_in.clone(),
        Some(name) => built_in.with_folder(folder.join(MODELS).join(name)),
    }
}

impl Inner {
    /// Returns the session of the active model.
    pub(super) fn embedding_session(&self) -> Result<Arc<EmbeddingSession>> {
        let name = self.store.read(|r| r.model())?;
        let mut slot = self.session.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some(session)
                if session.name == name && !session.open_stores().any(Vectors::is_replaced) =>
            {
                Ok(Arc::clone(session))
            }
            _ => Ok(Arc::clone(slot.insert(Arc::new(self.session_of(name.as_deref()))))),
        }
    }

    /// Runs `work` with the active model loaded, and once more without vectors if they turn out to
    /// be damaged.
    pub(super) fn with_session<T>(
        &self,
        work: impl Fn(&EmbeddingSession) -> Result<T>,
    ) -> Result<T> {
        let session = self.embedding_session()?;
        session.preload();
        session.retry_on_corruption(|| work(&session))
    }

    /// Creates the session of a model; `None` and `builtin` mean the built-in model.
    pub(super) fn session_of(&self, name: Option<&str>) -> EmbeddingSession {
        let name = name.filter(|n| *n != BUILT_IN);
        EmbeddingSession {
            name: name.map(str::to_owned),
            engine: engine_of(&self.engine, &self.folder, name),
            folder: self.folder.clone(),
            vector_folder: VECTORS,
            vectors: OnceLock::new(),
            busy_error: Mutex::default(),
            comment_vectors: (!self.index_comments).then(OnceLock::new),
            model: Mutex::default(),
            was_used: AtomicBool::default(),
            preload: Mutex::default(),
        }
    }

    /// Returns the folder of installed models.
    pub(super) fn models(&self) -> PathBuf {
        self.folder.join(MODELS)
    }

    /// Returns the progress of the next model's vectors.
    pub(super) fn next_model(&self) -> Result<Option<NextModel>> {
        let Some(name) = self.store.read(|r| r.next_model())? else { return Ok(None) };
        let extent = match self.session_of(Some(&name)).vectors() {
            Ok(vectors) => vectors.extent()?,
            Err(_) => Default::default(),
        };
        Ok(Some(NextModel { name, chunks: extent.chunks, embedded: extent.embedded_chunks }))
    }

    /// Updates the active vectors, then creates those of the next model, if there is one, and
    /// activates it. Between rounds, updates the active vectors, so that semantic search finds new
    /// reports in the meantime.
    pub(super) fn update_vectors(&self, task: &Task, report: &mut IndexReport) -> Result<()> {
        loop {
            self.update_model(&*self.embedding_session()?, None, task, report)?;
            let Some(name) = self.store.read(|r| r.next_model())? else {
                return self.update_languages(task, report);
            };
            if report.busy_elsewhere {
                return Ok(());
            }
            let problem = report.model_problem.take();
            let is_complete =
                self.update_model(&self.session_of(Some(&name)), Some(ROUND_SIZE), task, report)?;
            if report.busy_elsewhere || report.model_problem.is_some() {
                return Ok(());
            }
            report.model_problem = problem;
            if is_complete {
                self.store.write(|w| w.switch_model(&name, BUILT_IN))?;
                report.model_problem = None;
            }
        }
    }

    /// Updates one model's vectors, creating at most `limit` of them, and returns whether all
    /// exist. Rebuilds all vectors if damage is found, now or by an earlier search.
    fn update_model(
        &self,
        session: &EmbeddingSession,
        limit: Option<u64>,
        task: &Task,
        report: &mut IndexReport,
    ) -> Result<bool> {
        let result = self.update_stores(session, limit, task, report);
        let is_cancelled = result.as_ref().is_err_and(|e| e.code() == Code::Cancelled);
        if !session.is_damaged() || report.busy_elsewhere || is_cancelled {
            return result;
        }
        for store in session.open_stores().filter(|v| v.is_damaged() && !v.is_replaced()) {
            // Another process may be updating, or the system may lock open files; the original
            // error names the remedy.
            if vectors::remove(&self.folder, store.path()).is_err() {
                return result;
            }
        }
        let reopened_session = match session.vector_folder {
            VECTORS => self.session_of(session.name.as_deref()),
            _ => self.new_language_session(),
        };
        self.update_stores(&reopened_session, limit, task, report)
    }

    /// Updates the index for other languages, if a question or many changed documents need it.
    fn update_languages(&self, task: &Task, report: &mut IndexReport) -> Result<()> {
        let is_needed =
            report.foreign >= MIN_FOREIGN && report.foreign * FOREIGN_SHARE >= report.documents;
        if report.busy_elsewhere
            || report.model_problem.is_some()
            || self.store.read_only().is_some()
        {
            return Ok(());
        }
        // Questions that need a missing model report it.
        let Ok(Some(session)) = self.language_session(is_needed) else { return Ok(()) };
        let mut language_report = IndexReport::default();
        self.update_model(&session, None, task, &mut language_report)?;
        report.embedded += language_report.embedded;
        report.vector_seconds += language_report.vector_seconds;
        Ok(())
    }

    /// Removes the vectors of deleted documents.
    pub(super) fn plan_removals(&self, task: &Task) -> Result<()> {
        if let Ok(vectors) = self.embedding_session()?.vectors() {
            self.indexes().plan_vectors(&vectors, task)?;
        }
        match self.language_vectors(false)? {
            Some(vectors) => DerivedData { parts: IndexedPart::Opening, ..self.indexes() }
                .plan_vectors(&vectors, task),
            None => Ok(()),
        }
    }

    /// Removes all vectors of the index for other languages, if there are any.
    pub(super) fn clear_languages(&self) -> Result<()> {
        self.language_vectors(false)?.map_or(Ok(()), |vectors| vectors.clear())
    }

    /// Returns the vectors for other languages, if these exist or are needed.
    pub(super) fn language_vectors(&self, is_needed: bool) -> Result<Option<Arc<Vectors>>> {
        let Some(session) = self.language_session(is_needed)? else { return Ok(None) };
        session.vectors().map(Some).map_err(|error| Error::clone(&error))
    }

    /// Embeds a text by the model for other languages.
    pub(super) fn embed_non_english(&self, text: &str) -> Result<Vec<f32>> {
        let missing =
            || Error::new(Code::ModelUnavailable, "the index for other languages is missing");
        self.language_session(false)?.ok_or_else(missing)?.embed(text)
    }

    fn new_language_session(&self) -> EmbeddingSession {
        EmbeddingSession {
            engine: self.engine.languages(),
            vector_folder: LANGUAGE_VECTORS,
            comment_vectors: None,
            ..self.session_of(None)
        }
    }

    /// Returns the model for other languages with its vectors, if these exist or are needed.
    pub(super) fn language_session(
        &self,
        is_needed: bool,
    ) -> Result<Option<Arc<EmbeddingSession>>> {
        let mut slot = self.languages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = &*slot
            && !session.open_stores().any(Vectors::is_replaced)
        {
            return Ok(Some(Arc::clone(session)));
        }
        let folder = self.folder.join(LANGUAGE_VECTORS);
        if !is_needed && !folder.is_dir() {
            return Ok(None);
        }
        let session = self.new_language_session();
        let info = match session.engine.info() {
            Err(_) if !is_needed => return Ok(None),
            Err(_) if matches!(session.engine, Engine::Off) => {
                let message = "the model for other languages is not installed";
                return Err(
                    Error::new(Code::ModelUnavailable, message).with_hint("Reinstall Precedent.")
                );
            }
            info => info?,
        };
        let exists = vectors::path(&folder, &info).is_file();
        if !exists && (!is_needed || self.store.read_only().is_some()) {
            return Ok(None);
        }
        session.vectors().map_err(|error| Error::clone(&error))?;
        Ok(Some(Arc::clone(slot.insert(Arc::new(session)))))
    }

    fn update_stores(
        &self,
        session: &EmbeddingSession,
        limit: Option<u64>,
        task: &Task,
        report: &mut IndexReport,
    ) -> Result<bool> {
        let comments = session
            .comment_vectors
            .is_some()
            .then(|| (session.comment_vectors(), IndexedPart::Comments));
        let mut is_complete = true;
        let parts = match session.vector_folder {
            VECTORS => self.indexes().parts,
            _ => IndexedPart::Opening,
        };
        for (vectors, parts) in [(session.vectors(), parts)].into_iter().chain(comments) {
            let vectors = match vectors {
                Ok(vectors) => vectors,
                Err(error) => {
                    report.model_problem = Some(error.to_hint());
                    return Ok(false);
                }
            };
            let indexes = DerivedData { parts, ..self.indexes() };
            match indexes.update_vectors(
                &vectors,
                session.engine(),
                self.workers,
                limit,
                task,
                report,
            ) {
                Err(error) if error.code() == Code::ModelUnavailable => {
                    report.model_problem = Some(error.to_hint());
                    return Ok(false);
                }
                result => is_complete &= result?,
            }
        }
        Ok(is_complete)
    }
}

#[cfg(test)]
mod tests {
    use precedent_core::model::SearchRequest;

    use super::*;
    use crate::{Casebook, OpenOptions};

    #[tokio::test]
    async fn idle_model_is_released_and_reloaded() {
        let folder = tempfile::tempdir().unwrap();
        let options =
            OpenOptions { engine: Some(Engine::Hashed), ..OpenOptions::new(folder.path()) };
        let casebook = Casebook::open(options).await.unwrap();
        let task = Task::new();
        casebook.import_sample(&task).await.unwrap();
        casebook.update_index(&task).await.unwrap();
        let request = || SearchRequest {
            query: "mode:semantic certificate".into(),
            ..SearchRequest::default()
        };
        let is_loaded = || casebook.inner.embedding_session().unwrap().is_loaded();
        let first = casebook.search(request(), &task).await.unwrap();
        assert!(is_loaded() && !first.hits.is_empty());
        casebook.release_memory().await.unwrap();
        assert!(is_loaded(), "a query ran since the last call");
        casebook.release_memory().await.unwrap();
        assert!(!is_loaded());
        let second = casebook.search(request(), &task).await.unwrap();
        let keys = |hits: &[precedent_core::model::Hit]| {
            hits.iter().map(|h| h.key.clone()).collect::<Vec<_>>()
        };
        assert!(is_loaded() && keys(&second.hits) == keys(&first.hits));
        casebook.release_memory().await.unwrap();
        casebook.preload().await.unwrap();
        casebook.release_memory().await.unwrap();
        assert!(is_loaded(), "a preload counts as use");
    }

    #[tokio::test]
    async fn model_problem_survives_release() {
        let folder = tempfile::tempdir().unwrap();
        let options = OpenOptions { engine: Some(Engine::Off), ..OpenOptions::new(folder.path()) };
        let casebook = Casebook::open(options).await.unwrap();
        casebook.preload().await.unwrap();
        let problem = casebook.status().await.unwrap().model.problem;
        assert!(problem.is_some());
        casebook.release_memory().await.unwrap();
        casebook.release_memory().await.unwrap();
        assert_eq!(casebook.status().await.unwrap().model.problem, problem);
    }
}
