//! Semantic search: the active model with its vectors, and the change to another model.
//!
//! A query takes one [`EmbeddingSession`] and keeps it to its end. Its query vectors and stored vectors then
//! come from one model, even if another process changes the model meanwhile.

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

use super::{Inner, VECTORS, sentence};
use precedent_core::{
    error::{Code, Error, Result},
    model::{IndexReport, NextModel},
    task::Task,
};
use precedent_index::{
    embed::{BUILT_IN, Embedder, Engine, Work},
    update::{Derived, Indexed},
    vectors::{self, Vectors},
};

/// The folder of installed models, below the casebook's folder.
pub(super) const MODELS: &str = "models";
/// The vectors of comments that searches must not use, below the casebook's folder.
const SAID: &str = "said";
/// The number of vectors of the next model made before the active vectors are updated again.
const ROUND: u64 = 2_048;

/// The delay before retrying after another process was found building the vectors.
const BUSY_FOR: Duration = Duration::from_secs(5);

/// An opened resource, or its shared open error.
type Opened<T> = std::result::Result<T, Arc<Error>>;

/// A model with its vectors, both opened at first use.
pub(super) struct EmbeddingSession {
    /// The model's name; `None` means the built-in model.
    name: Option<String>,
    engine: Engine,
    folder: PathBuf,
    vectors: OnceLock<Opened<Arc<Vectors>>>,
    /// The time and error when another process was found building the vectors.
    busy: Mutex<Option<(Instant, Arc<Error>)>>,
    /// The vectors of comments, if stored separately.
    said: Option<OnceLock<Opened<Arc<Vectors>>>>,
    /// The loaded model, shared by all queries of this process.
    model: Mutex<Option<Opened<Box<dyn Embedder>>>>,
    /// True if a query used or requested the model since the last call of `rest`.
    asked: AtomicBool,
    /// The model load started when the casebook was opened.
    preload: Mutex<Preload>,
}

/// A model load on its own thread. Dropping it joins the thread, because the runtime crashes if the
/// process exits during its setup.
#[derive(Default)]
pub(super) struct Preload(Option<(Sender<Engine>, JoinHandle<Loaded>)>);

/// The loaded model or its load error; `None` if loading was cancelled.
type Loaded = Option<Result<Box<dyn Embedder>>>;

impl Preload {
    /// Starts loading the runtime, which every model needs, before the model's name is known.
    pub(super) fn start(engine: &Engine) -> Self {
        let engine = engine.clone();
        let (which, told) = mpsc::channel::<Engine>();
        let load = move || {
            engine.preload();
            told.recv().ok().map(|engine| engine.load(Work::Questions))
        };
        // Without a thread, the model is loaded at first use.
        Self(
            std::thread::Builder::new()
                .name("model".to_owned())
                .spawn(load)
                .ok()
                .map(|thread| (which, thread)),
        )
    }

    /// Continues with the model itself.
    pub(super) fn load(&self, engine: Engine) {
        if let Some((which, _)) = &self.0 {
            // Sending fails only if the thread panicked, and joining it reports that.
            drop(which.send(engine));
        }
    }

    /// Returns the loaded model or its load error, or `None` if it was not being loaded.
    fn take(&mut self) -> Option<Result<Box<dyn Embedder>>> {
        let (which, thread) = self.0.take()?;
        drop(which);
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
    pub(super) fn vectors(&self) -> Opened<Arc<Vectors>> {
        self.open_once(&self.vectors, VECTORS)
    }

    /// Opens the vectors of comments: the same store, or a separate one that searches do not use.
    pub(super) fn said(&self) -> Opened<Arc<Vectors>> {
        match &self.said {
            Some(said) => self.open_once(said, SAID),
            None => self.vectors(),
        }
    }

    /// Opens the vectors in this folder once. While another process builds them, later queries try
    /// again.
    fn open_once(&self, kept: &OnceLock<Opened<Arc<Vectors>>>, folder: &str) -> Opened<Arc<Vectors>> {
        if let Some(opened) = kept.get() {
            return opened.clone();
        }
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, error)) = &*busy
            && at.elapsed() < BUSY_FOR
        {
            return Err(Arc::clone(error));
        }
        match self.open(folder) {
            Err(error) if error.code() == Code::Busy => {
                *busy = Some((Instant::now(), Arc::clone(&error)));
                Err(error)
            }
            opened => kept.get_or_init(|| opened).clone(),
        }
    }

    fn open(&self, folder: &str) -> Opened<Arc<Vectors>> {
        let info = self.engine.info().map_err(Arc::new)?;
        Vectors::open(&self.folder.join(folder), &info).map(Arc::new).map_err(Arc::new)
    }

    /// Embeds a text; an empty text only loads the model.
    pub(super) fn embed(&self, text: &str) -> Result<Vec<f32>> {
        self.asked.store(true, Ordering::Relaxed);
        let mut slot = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let model = slot.get_or_insert_with(|| {
            let preloaded = self.preload.lock().unwrap_or_else(PoisonError::into_inner).take();
            preloaded.unwrap_or_else(|| self.engine.load(Work::Questions)).map_err(Arc::new)
        });
        match model {
            Ok(model) if text.is_empty() => Ok(vec![0.0; model.info().dimensions]),
            Ok(model) => model.embed(text),
            Err(error) => {
                let mut again = Error::new(error.code(), error.to_string());
                if let Some(hint) = error.hint() {
                    again = again.with_hint(hint.to_owned());
                }
                Err(again)
            }
        }
    }

    /// Frees the model and the vector caches if no query ran since the last call, and returns
    /// whether it did. The next query loads them again; a load error of the model is kept.
    pub(super) fn release_memory(&self) -> bool {
        let mut slot = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let rests = !self.asked.swap(false, Ordering::Relaxed);
        if rests {
            slot.take_if(|model| model.is_ok());
            self.opened().for_each(Vectors::release_memory);
        }
        rests
    }

    /// Adopts the model being loaded if it has this name.
    pub(super) fn preloaded(&self, name: Option<&str>, preload: Preload) {
        // Another process may have changed the model meanwhile.
        if self.name.as_deref() != name.filter(|n| *n != BUILT_IN) {
            return;
        }
        *self.preload.lock().unwrap_or_else(PoisonError::into_inner) = preload;
    }

    /// Returns whether the model load started at opening is still pending.
    pub(super) fn is_loading(&self) -> bool {
        self.preload.lock().unwrap_or_else(PoisonError::into_inner).0.is_some()
    }

    /// Loads the vector codes and the model in parallel: together they take most of a first search.
    pub(super) fn preload(&self) {
        self.asked.store(true, Ordering::Relaxed);
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
        let damage = || self.is_damaged().then(|| Arc::new(vectors::broken()));
        self.vectors().err().or_else(damage).or_else(|| self.model_problem())
    }

    /// Runs `work`, and runs it once more if it discovered damaged vectors, which are then no
    /// longer used.
    pub(super) fn retry_on_corruption<T>(&self, work: impl Fn() -> Result<T>) -> Result<T> {
        let known = self.is_damaged();
        match work() {
            Err(error) if error.code() == Code::Corrupt && !known && self.is_damaged() => work(),
            result => result,
        }
    }

    /// Returns the vector stores that are open.
    fn opened(&self) -> impl Iterator<Item = &Vectors> {
        let sets = [Some(&self.vectors), self.said.as_ref()].into_iter().flatten();
        sets.filter_map(|set| set.get()?.as_deref().ok())
    }

    /// Returns whether any open vector store is known to be damaged.
    pub(super) fn is_damaged(&self) -> bool {
        self.opened().any(Vectors::is_damaged)
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
        Some(name) => built_in.installed(folder.join(MODELS).join(name)),
    }
}

impl Inner {
    /// Returns the active model.
    pub(super) fn embedding_session(&self) -> Result<Arc<EmbeddingSession>> {
        let name = self.store.read(|r| r.model())?;
        let mut slot = self.meaning.lock().unwrap_or_else(PoisonError::into_inner);
        match &*slot {
            Some(meaning) if meaning.name == name && !meaning.opened().any(Vectors::is_replaced) => {
                Ok(Arc::clone(meaning))
            }
            _ => Ok(Arc::clone(slot.insert(Arc::new(self.meaning_of(name.as_deref()))))),
        }
    }

    /// Runs `work` with the active model loaded, and once more without vectors if they turn out to
    /// be damaged.
    pub(super) fn with_session<T>(&self, work: impl Fn(&EmbeddingSession) -> Result<T>) -> Result<T> {
        let meaning = self.embedding_session()?;
        meaning.preload();
        meaning.retry_on_corruption(|| work(&meaning))
    }

    /// Returns a model by name, with its vectors; `None` and `builtin` mean the built-in model.
    pub(super) fn meaning_of(&self, name: Option<&str>) -> EmbeddingSession {
        let name = name.filter(|n| *n != BUILT_IN);
        EmbeddingSession {
            name: name.map(str::to_owned),
            engine: engine_of(&self.engine, &self.folder, name),
            folder: self.folder.clone(),
            vectors: OnceLock::new(),
            busy: Mutex::default(),
            said: (!self.index_comments).then(OnceLock::new),
            model: Mutex::default(),
            asked: AtomicBool::default(),
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
        let extent = match self.meaning_of(Some(&name)).vectors() {
            Ok(vectors) => vectors.extent()?,
            Err(_) => Default::default(),
        };
        Ok(Some(NextModel { name, chunks: extent.chunks, embedded: extent.embedded }))
    }

    /// Updates the active vectors, then makes those of the next model, if there is one, and
    /// activates it. Between rounds, updates the active vectors, so that new reports are found by
    /// meaning meanwhile.
    pub(super) fn update_vectors(&self, task: &Task, report: &mut IndexReport) -> Result<()> {
        loop {
            self.bring(&*self.embedding_session()?, None, task, report)?;
            let Some(name) = self.store.read(|r| r.next_model())? else { return Ok(()) };
            if report.busy_elsewhere {
                return Ok(());
            }
            let problem = report.model_problem.take();
            let done = self.bring(&self.meaning_of(Some(&name)), Some(ROUND), task, report)?;
            if report.busy_elsewhere || report.model_problem.is_some() {
                return Ok(());
            }
            report.model_problem = problem;
            if done {
                self.store.write(|w| w.switch_model(&name, BUILT_IN))?;
                report.model_problem = None;
            }
        }
    }

    /// Updates one model's vectors, making at most `most` of them, and returns whether all are
    /// made. Rebuilds all vectors if damage is found, now or by an earlier search.
    fn bring(
        &self,
        meaning: &EmbeddingSession,
        most: Option<u64>,
        task: &Task,
        report: &mut IndexReport,
    ) -> Result<bool> {
        let done = self.bring_these(meaning, most, task, report);
        let cancelled = done.as_ref().is_err_and(|e| e.code() == Code::Cancelled);
        if !meaning.is_damaged() || report.busy_elsewhere || cancelled {
            return done;
        }
        for damaged in meaning.opened().filter(|v| v.is_damaged() && !v.is_replaced()) {
            // Another process may be updating, or the system may lock open files; the original
            // error names the remedy.
            if vectors::remove(&self.folder, damaged.path()).is_err() {
                return done;
            }
        }
        self.bring_these(&self.meaning_of(meaning.name.as_deref()), most, task, report)
    }

    fn bring_these(
        &self,
        meaning: &EmbeddingSession,
        most: Option<u64>,
        task: &Task,
        report: &mut IndexReport,
    ) -> Result<bool> {
        let apart = meaning.said.is_some().then(|| (meaning.said(), Indexed::Comments));
        let mut done = true;
        for (vectors, parts) in [(meaning.vectors(), self.derived().parts)].into_iter().chain(apart) {
            let vectors = match vectors {
                Ok(vectors) => vectors,
                Err(error) => {
                    report.model_problem = Some(sentence(&error));
                    return Ok(false);
                }
            };
            let derived = Derived { parts, ..self.derived() };
            match derived.update_vectors(&vectors, meaning.engine(), self.workers, most, task, report) {
                Err(error) if error.code() == Code::ModelUnavailable => {
                    report.model_problem = Some(sentence(&error));
                    return Ok(false);
                }
                result => done &= result?,
            }
        }
        Ok(done)
    }
}

#[cfg(test)]
mod tests {
    use precedent_core::model::SearchRequest;

    use super::*;
    use crate::{Casebook, OpenOptions};

    #[tokio::test]
    async fn a_model_is_let_go_once_nobody_asks_it_and_answers_the_next_question() {
        let folder = tempfile::tempdir().unwrap();
        let options = OpenOptions { engine: Some(Engine::Hashed), ..OpenOptions::new(folder.path()) };
        let casebook = Casebook::open(options).await.unwrap();
        let task = Task::new();
        casebook.import_sample(&task).await.unwrap();
        casebook.update_index(&task).await.unwrap();
        let ask = || SearchRequest { query: "mode:semantic certificate".into(), ..SearchRequest::default() };
        let is_loaded = || casebook.inner.embedding_session().unwrap().is_loaded();
        let first = casebook.search(ask(), &task).await.unwrap();
        assert!(is_loaded() && !first.hits.is_empty());
        casebook.release_memory().await.unwrap();
        assert!(is_loaded(), "it was asked since the last time");
        casebook.release_memory().await.unwrap();
        assert!(!is_loaded());
        let again = casebook.search(ask(), &task).await.unwrap();
        let keys = |all: &[precedent_core::model::Hit]| all.iter().map(|h| h.key.clone()).collect::<Vec<_>>();
        assert!(is_loaded() && keys(&again.hits) == keys(&first.hits));
        casebook.release_memory().await.unwrap();
        casebook.preload().await.unwrap();
        casebook.release_memory().await.unwrap();
        assert!(is_loaded(), "who loads it is about to ask");
    }

    #[tokio::test]
    async fn why_a_model_cannot_be_used_stays_known() {
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
