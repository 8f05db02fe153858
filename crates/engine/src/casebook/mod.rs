//! The casebook: opens every component and has a method for each use case. User interfaces call
//! nothing else.

mod brief;
mod doctor;
mod duplicates;
mod images;
mod insights;
mod logs;
mod mirror;
mod models;
mod notes;
mod semantic;
mod thread;
mod troubleshoot;

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use jiff::Timestamp;
pub use mirror::understand_files;
use semantic::{EmbeddingSession, Preload, engine_of};

use crate::{
    QueryContext,
    answer::{CommentCache, DomainModel, MatchFinder, RankingModel},
    doctor::{has_lost_data, require_database, restore_hint},
    search::{self, query},
};
use precedent_core::{
    error::{Code, Error, Result},
    files::create_private_folder,
    memory,
    model::{
        IndexReport, Mode, ModelStatus, Notice, NoticeKind, SearchRequest, SearchResponse, Status,
    },
    task::{Task, run_blocking},
};
use precedent_index::{
    embed::{self, Engine, ModelInfo, ModelPaths},
    fulltext::{self, FullText},
    update::{self, DerivedData, Effort, IndexedPart, SEARCH_BUDGET},
};
use precedent_store::Store;
use precedent_trackers::{
    http::{Http, Timing},
    secrets::Secrets,
};

/// The database file in the casebook's folder.
pub const DATABASE: &str = "precedent.db";
const FULL_TEXT: &str = "fulltext";
const VECTORS: &str = "vectors";
/// The number of text vectors cached during one query.
const MAX_CACHED_VECTORS: usize = 8;

/// The source of the current time; fixed in tests.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Returns the system time, clamped to the range of dates.
#[allow(clippy::disallowed_methods, reason = "the one default clock")]
fn system_time() -> Timestamp {
    clamp_time(SystemTime::now())
}

fn clamp_time(time: SystemTime) -> Timestamp {
    let bound = if time < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(bound)
}

/// The options for opening a casebook.
#[derive(Clone)]
pub struct OpenOptions {
    /// The casebook's folder.
    pub folder: PathBuf,
    /// True to create a missing casebook. If false, opening a missing casebook is an error,
    /// because the path may be mistyped.
    pub create: bool,
    /// The paths searched for ONNX Runtime's shared library, in order.
    pub runtime: Vec<PathBuf>,
    /// The paths searched for the folder that contains the built-in model's folder, in order.
    pub models: Vec<PathBuf>,
    /// The embedding engine; `None` means the built-in model.
    pub engine: Option<Engine>,
    /// True to start loading the model immediately, in parallel; for a process that is about to run
    /// a semantic search.
    pub preload: bool,
    /// Embedding threads; 0 means half of the cores, so that the machine stays usable.
    pub workers: usize,
    /// The source of the current time.
    pub clock: Clock,
    /// The places searched for tracker tokens.
    pub secrets: Secrets,
    /// The delay implementation for tracker rate limits; `None` means real time.
    pub timing: Option<Arc<dyn Timing>>,
    /// A proxy for connections, as `http://host:port`, and the hosts to reach without it.
    pub proxy: Option<(String, Option<String>)>,
    /// The base URL for model downloads; `None` means Hugging Face.
    pub hub: Option<String>,
    /// True to index comments with their documents. False for an evaluation, where comments may be
    /// newer than the query: no search uses them, their vectors are stored separately for comments
    /// older than the query, and no source is calibrated automatically.
    pub index_comments: bool,
    /// The ranking model for sources without calibrated weights.
    pub ranking_model: RankingModel,
}

impl OpenOptions {
    /// Returns the defaults for this folder: the built-in model, no search paths yet, and the
    /// system clock.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            create: true,
            runtime: Vec::new(),
            models: Vec::new(),
            engine: None,
            preload: false,
            workers: 0,
            clock: Arc::new(system_time),
            secrets: Secrets::default(),
            timing: None,
            proxy: None,
            hub: None,
            index_comments: true,
            ranking_model: RankingModel::built_in().clone(),
        }
    }

    /// Adds the paths of this installation's runtime and models: the given paths first, then those
    /// beside the executable and in package folders. Parent folders are not searched, because other
    /// users may control them. A debug build inside its checkout also searches the checkout.
    #[must_use]
    pub fn installed_at(
        mut self,
        executable: &Path,
        runtime: Option<PathBuf>,
        models: Option<PathBuf>,
    ) -> Self {
        const LIBRARY: &str = if cfg!(windows) {
            "onnxruntime.dll"
        } else if cfg!(target_os = "macos") {
            "libonnxruntime.dylib"
        } else {
            "libonnxruntime.so"
        };
        self.runtime.extend(runtime);
        self.models.extend(models);
        // The executable may be a symbolic link into the installation.
        let real_path = fs::canonicalize(executable);
        let executable = real_path.as_deref().unwrap_or(executable);
        let bin_folder = executable.parent().unwrap_or(Path::new(""));
        self.runtime.push(bin_folder.join(LIBRARY));
        self.models.push(bin_folder.join("models"));
        // A package's folders are siblings of its `bin` folder, in a subfolder of their own.
        let package_folders: &[&str] = match bin_folder.file_name().and_then(|name| name.to_str()) {
            Some("bin") => &["lib/precedent", "lib/Precedent", "share/precedent"],
            Some("MacOS") => &["Frameworks", "Resources"],
            _ => &[],
        };
        for folder in
            package_folders.iter().filter_map(|folder| Some(bin_folder.parent()?.join(folder)))
        {
            self.runtime.push(folder.join(LIBRARY));
            self.models.push(folder.join("models"));
        }
        #[cfg(debug_assertions)]
        if let Some(checkout) = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .filter(|c| executable.starts_with(c))
        {
            self.runtime.push(checkout.join("target/runtime").join(LIBRARY));
            self.models.push(checkout.join("models"));
        }
        self
    }
}

/// A casebook. Clones share all state; several processes may open the same casebook.
///
/// # Errors
/// Unless a method states others: [`Code::NotFound`] for a key, name or path that does not exist,
/// [`Code::InvalidInput`] for one that is ambiguous and for values that are empty, malformed or out
/// of range, [`Code::Cancelled`] if the task was, [`Code::ModelUnavailable`] if the method needs
/// the model, [`Code::Authentication`] and [`Code::Network`] if it contacts a tracker;
/// [`Code::NewerCasebook`], [`Code::Corrupt`], [`Code::Busy`] and [`Code::Io`] from the database,
/// the indexes and files.
#[derive(Clone)]
pub struct Casebook {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    store: Arc<Store>,
    fulltext: FullText,
    /// The embedding engine used if no model was installed.
    engine: Engine,
    workers: usize,
    clock: Clock,
    secrets: Secrets,
    http: Http,
    hub: Option<String>,
    index_comments: bool,
    ranking_model: RankingModel,
    /// The domain model of the casebook's reports, with the revision it was built from.
    domain: Mutex<Option<(u64, DomainModel)>>,
    /// The most recently used model.
    session: Mutex<Option<Arc<EmbeddingSession>>>,
    /// The model for other languages, once it has been needed.
    languages: Mutex<Option<Arc<EmbeddingSession>>>,
}

impl Casebook {
    /// Opens a casebook. If [`OpenOptions::create`] is set, creates a missing folder (private to
    /// the user) and database. Otherwise fails if there is none.
    pub async fn open(options: OpenOptions) -> Result<Self> {
        run_blocking(move || Self::open_blocking(options)).await
    }

    /// Opens a casebook for a long-running program, like [`Casebook::open`]. Frees memory after a
    /// minute without a query ([`Casebook::release_memory`]).
    pub async fn open_long_running(options: OpenOptions) -> Result<Self> {
        let casebook = Self::open(options).await?;
        let inner = Arc::downgrade(&casebook.inner);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_secs(60)).await;
                let Some(inner) = inner.upgrade() else { return };
                // Ignore the error: the next query reports it.
                drop(Self { inner }.release_memory().await);
            }
        });
        Ok(casebook)
    }

    fn open_blocking(options: OpenOptions) -> Result<Self> {
        let folder = options.folder;
        let engine = options.engine.unwrap_or(Engine::BuiltIn(ModelPaths {
            runtime: options.runtime,
            models: options.models,
        }));
        let preload = options.preload.then(|| Preload::start(&engine));
        if !options.create && !folder.is_file() {
            require_database(&folder, &folder.join(DATABASE), &folder.join(FULL_TEXT))?;
        }
        create_folder(&folder)?;
        let database = folder.join(DATABASE);
        if has_lost_data(&database, &folder.join(FULL_TEXT)) {
            let message = format!(
                "{} is empty, although indexes of its former contents exist",
                database.display()
            );
            return Err(Error::new(Code::Corrupt, message).with_hint(restore_hint(&database)));
        }
        let store = Store::open(&database)?;
        if store.read_only().is_none() {
            // Ignore the error: leftovers only waste disk space.
            let _ = embed::remove_leftovers(&folder.join(semantic::MODELS));
        }
        let preload = match preload {
            None => None,
            Some(preload) => {
                let name = store.read(|r| r.model())?;
                preload.load(engine_of(&engine, &folder, name.as_deref()));
                Some((name, preload))
            }
        };
        let fulltext = open_text(&folder, store.read_only().is_some())?;
        let timing = options.timing.unwrap_or_else(|| Arc::new(Arc::clone(&options.clock)));
        let inner = Inner {
            folder,
            store: Arc::new(store),
            fulltext,
            engine,
            workers: worker_count(options.workers),
            clock: options.clock,
            secrets: options.secrets,
            http: Http::new(timing, options.proxy),
            hub: options.hub,
            index_comments: options.index_comments,
            ranking_model: options.ranking_model,
            domain: Mutex::default(),
            session: Mutex::default(),
            languages: Mutex::default(),
        };
        if let Some((name, preload)) = preload {
            inner.embedding_session()?.adopt_preload(name.as_deref(), preload);
        }
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns the casebook's folder.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// Updates the full-text index and then the vectors, and recalibrates sources with new known
    /// duplicates. If the model cannot be used, the report says why and full-text search still
    /// works. If it fails or is cancelled, completed work is kept.
    pub async fn update_index(&self, task: &Task) -> Result<IndexReport> {
        let task = task.clone();
        self.run(move |i| {
            let mut report = i.update_text(Effort::Full, &task)?;
            i.update_vectors(&task, &mut report)?;
            i.calibrate_due(&task, &mut report)?;
            Ok(report)
        })
        .await
    }

    /// Updates only the full-text index if it is out of date; waits while another process updates
    /// it. Queries need not call this, because each refreshes the indexes that it uses.
    pub async fn update_text(&self, task: &Task) -> Result<IndexReport> {
        let task = task.clone();
        self.run(move |i| i.update_text(Effort::Full, &task)).await
    }

    /// Returns a sentence that states why this casebook is read-only, or `None` if it is writable.
    pub fn read_only(&self) -> Option<String> {
        let reason = self.inner.store.read_only()?;
        Some(format!(
            "This casebook is read-only here, so nothing new is indexed or saved: {reason}."
        ))
    }

    /// Deletes all derived data; the next update rebuilds it. Until then, results cover only the
    /// rebuilt part, as their coverage states.
    pub async fn forget_indexes(&self) -> Result<()> {
        self.run(|i| {
            let session = i.embedding_session()?;
            i.indexes()
                .with_cleared_indexes(session.vectors().ok().as_deref(), || i.clear_languages())
        })
        .await
    }

    /// Returns the values of a filter, `label`, `author` or `reason`, that contain a typed text.
    pub async fn completions(&self, filter: String, input: String) -> Result<Vec<String>> {
        self.run(move |i| {
            let session = i.embedding_session()?;
            i.with_context(&session, |context| context.completions(&filter, &input))
        })
        .await
    }

    /// Searches the casebook. Updates the full-text index first if that is quick; otherwise the
    /// response carries a notice.
    pub async fn search(&self, request: SearchRequest, task: &Task) -> Result<SearchResponse> {
        let task = task.clone();
        self.run(move |i| {
            let now = (i.clock)();
            let request = SearchRequest {
                query: query::resolve_relative_times(&request.query, now),
                filters: query::resolve_relative_times(&request.filters, now),
                ..request
            };
            let stale_notice = i.refresh_index(Effort::Within(SEARCH_BUDGET), &task)?;
            let session = i.embedding_session()?;
            let mode = request.mode.or_else(|| query::parse(&request.query).ok()?.mode);
            // Wait for a model that is already loading only where it is needed, after the full-text
            // lookup.
            let is_loading = session.is_loading();
            match session.vectors() {
                _ if mode == Some(Mode::Lexical) => {}
                Ok(vectors) if is_loading => drop(vectors.preload()),
                _ => session.preload(),
            }
            let answer = || i.with_context(&session, |context| context.search(&request, &task));
            match session.retry_on_corruption(answer) {
                // The model's load error may be known only now.
                Err(error) if is_loading && error.code() == Code::ModelUnavailable => answer(),
                result => result,
            }
            .map(|mut response| {
                response.notices.extend(stale_notice);
                response.conclusive = Notice::is_conclusive(&response.notices);
                response
            })
        })
        .await
    }

    /// Starts loading the model unless it is loaded, so that a later query need not wait. The
    /// status reports a load error.
    pub async fn preload(&self) -> Result<()> {
        self.run(|i| {
            i.embedding_session()?.preload();
            Ok(())
        })
        .await
    }

    /// Frees the model and the caches if no query ran since the previous call. Long-running
    /// programs call this periodically.
    pub async fn release_memory(&self) -> Result<()> {
        self.run(|i| {
            if let Ok(Some(session)) = i.language_session(false) {
                session.release_memory();
            }
            if i.embedding_session()?.release_memory() {
                i.store.release_memory();
                memory::trim_heap();
            }
            Ok(())
        })
        .await
    }

    /// Returns the state of the whole casebook.
    pub async fn status(&self) -> Result<Status> {
        self.run(|i| {
            let session = i.embedding_session()?;
            let vectors = session.vectors();
            let problem = session.problem().map(|e| e.to_hint());
            let name = session.engine().info().ok().map(|info| info.name);
            let model = ModelStatus { name, problem, next: i.next_model()? };
            Ok(Status {
                casebook: i.folder.display().to_string(),
                sources: i.store.read(mirror::source_views)?,
                coverage: search::coverage(&i.store, &i.fulltext, vectors.as_deref().ok())?,
                model,
                database_bytes: i.store.bytes(),
                full_text_bytes: i.fulltext.bytes(),
                vector_bytes: vectors.map_or(0, |v| v.bytes()),
                read_only: i.store.read_only().map(str::to_owned),
            })
        })
        .await
    }

    /// Loads the model and its runtime, and returns the model's card.
    pub async fn check_model(&self) -> Result<ModelInfo> {
        self.run(|i| {
            let session = i.embedding_session()?;
            session.embed("")?;
            session.engine().info()
        })
        .await
    }

    /// Runs blocking work on the engine's components.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let inner = Arc::clone(&self.inner);
        match run_blocking(move || work(&inner)).await {
            // tantivy trusts its files: damage makes it panic or fail with a misleading error.
            Err(error) if matches!(error.code(), Code::Internal | Code::Io) => {
                let inner = Arc::clone(&self.inner);
                let is_damaged = run_blocking(move || Ok(inner.fulltext.is_damaged())).await?;
                Err(if is_damaged { fulltext::damage_error().with_source(error) } else { error })
            }
            result => result,
        }
    }
}

impl Inner {
    /// Updates the full-text index before a query. On failure, returns a notice: a stale answer is
    /// better than none.
    fn refresh_index(&self, effort: Effort, task: &Task) -> Result<Option<Notice>> {
        match self.update_text(effort, task) {
            Ok(_) => Ok(None),
            Err(error) if matches!(error.code(), Code::Io | Code::Busy) => {
                let text = format!("The latest changes could not be indexed: {error}.");
                Ok(Some(Notice::new(NoticeKind::FullText, error.hint_after(text))))
            }
            Err(error) => Err(error),
        }
    }

    /// Updates the full-text index as far as `effort` allows, if it is out of date and writable.
    fn update_text(&self, effort: Effort, task: &Task) -> Result<IndexReport> {
        let mut report = IndexReport::default();
        if self.store.read_only().is_some() {
            return Ok(report);
        }
        if self.indexes().needs_text_update(effort)? {
            self.indexes().update_text(effort, task, &mut report)?;
        }
        Ok(report)
    }

    fn indexes(&self) -> DerivedData<'_> {
        DerivedData {
            store: &self.store,
            fulltext: &self.fulltext,
            folder: &self.folder,
            parts: if self.index_comments { IndexedPart::All } else { IndexedPart::Text },
        }
    }

    /// Runs `work` with the context of a query and the model that answers it.
    fn with_context<T>(
        &self,
        session: &EmbeddingSession,
        work: impl FnOnce(&QueryContext<'_>) -> Result<T>,
    ) -> Result<T> {
        let problem = session.problem();
        let vectors = session.vectors().ok().filter(|_| problem.is_none());
        let comment_vectors = vectors.as_ref().and_then(|_| session.comment_vectors().ok());
        // The parts of one answer request the same vectors.
        let cache: Mutex<VecDeque<(String, Vec<f32>)>> = Mutex::default();
        let embed = |text: &str| {
            let lock = || cache.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Some((_, vector)) = lock().iter().find(|(key, _)| key == text) {
                return Ok(vector.clone());
            }
            let vector = session.embed(text)?;
            let mut entries = lock();
            entries.truncate(MAX_CACHED_VECTORS - 1);
            entries.push_front((text.to_owned(), vector.clone()));
            Ok(vector)
        };
        work(&QueryContext {
            store: &self.store,
            fulltext: &self.fulltext,
            vectors: vectors.as_deref(),
            comment_vectors: comment_vectors.as_deref(),
            embed: &embed,
            min_cosine: session.engine().info().map_or(0.0, |m| m.floor),
            vectors_error: problem.as_deref(),
            non_english_vectors: &|is_needed| self.language_vectors(is_needed),
            embed_non_english: &|text| self.embed_non_english(text),
        })
    }

    /// Returns the domain model of the casebook's reports; rebuilt if the casebook has changed.
    fn domain_model(&self) -> Result<DomainModel> {
        let revision = self.store.read(|r| r.revision())?;
        let mut cache = self.domain.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((cached_revision, domain)) = *cache
            && cached_revision == revision
        {
            return Ok(domain);
        }
        let domain = DomainModel::build(&self.store, &self.fulltext)?;
        *cache = Some((revision, domain));
        Ok(domain)
    }

    /// Runs `work` with a match finder on the context of a query.
    fn with_finder<T>(
        &self,
        session: &EmbeddingSession,
        work: impl FnOnce(&MatchFinder<'_>) -> Result<T>,
    ) -> Result<T> {
        self.with_context(session, |c| {
            work(&MatchFinder::new(*c, &self.ranking_model, &CommentCache::default()))
        })
    }
}

/// Opens the full-text index. If nothing can be written, opens it read-only, or an empty one in
/// memory.
fn open_text(folder: &Path, read_only: bool) -> Result<FullText> {
    let path = folder.join(FULL_TEXT);
    let open_existing = || FullText::open_read_only(&path).or_else(|_| FullText::in_memory());
    if read_only {
        return open_existing();
    }
    match update::open_text(folder, &path) {
        // If the disk is full or read-only, the existing index still answers.
        Err(error) if error.code() == Code::Io => open_existing(),
        result => result,
    }
}

/// Returns the number of embedding threads for [`OpenOptions::workers`].
fn worker_count(workers: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    if workers == 0 { cores.div_ceil(2) } else { workers }
}

/// Creates the casebook's folder, accessible to this user only. An existing folder keeps its mode,
/// which may be intended; files created in it are private anyway.
fn create_folder(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if folder.exists() {
        return Err(Error::new(Code::Io, format!("{} is not a folder", folder.display()))
            .with_hint("Choose another folder.")
            .with_command(None, "--casebook DIR"));
    }
    create_private_folder(folder)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// Opens a casebook with these records of GitHub's API, and indexes them.
    pub(super) async fn open_with(records: &[Value]) -> (tempfile::TempDir, Casebook) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records.jsonl");
        fs::write(&path, records.iter().map(|r| format!("{r}\n")).collect::<String>()).unwrap();
        let options = OpenOptions {
            engine: Some(Engine::Hashed),
            ..OpenOptions::new(folder.path().join("casebook"))
        };
        let casebook = Casebook::open(options).await.unwrap();
        casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
        casebook.update_index(&Task::new()).await.unwrap();
        (folder, casebook)
    }

    /// Returns an issue of GitHub's API with these other fields.
    pub(super) fn issue(number: u64, title: &str, body: &str, fields: Value) -> Value {
        let mut record = serde_json::json!({
            "id": 1000 + number, "number": number, "title": title, "body": body, "state": "open",
            "html_url": format!("https://tracker.example/acme/app/issues/{number}"),
            "user": {"login": "ada"}, "created_at": "2026-01-02T03:04:05Z",
            "updated_at": "2026-01-02T03:04:05Z",
        });
        record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        record
    }

    #[test]
    fn time_beyond_the_range_is_clamped() {
        let year = Duration::from_secs(31_557_600);
        assert_eq!(clamp_time(SystemTime::UNIX_EPOCH + year * 9056), Timestamp::MAX);
        assert_eq!(clamp_time(SystemTime::UNIX_EPOCH + Duration::from_secs(7)).as_second(), 7);
    }

    #[test]
    fn runtime_is_searched_only_in_the_package() {
        let search_paths = |executable: &str| {
            let options =
                OpenOptions::new("/casebook").installed_at(Path::new(executable), None, None);
            let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
            let all_paths = options.runtime.into_iter().chain(options.models);
            all_paths.filter(|p| !p.starts_with(checkout)).collect::<Vec<_>>()
        };
        for (executable, roots) in [
            ("/tmp/x/precedent", &["/tmp/x"][..]),
            (
                "/usr/bin/precedent",
                &["/usr/bin", "/usr/lib/precedent", "/usr/lib/Precedent", "/usr/share/precedent"],
            ),
            (
                "/Applications/Precedent.app/Contents/MacOS/precedent",
                &[
                    "/Applications/Precedent.app/Contents/MacOS",
                    "/Applications/Precedent.app/Contents/Frameworks",
                    "/Applications/Precedent.app/Contents/Resources",
                ],
            ),
        ] {
            let paths = search_paths(executable);
            assert!(
                paths.iter().all(|p| roots.iter().any(|r| p.parent() == Some(Path::new(r)))),
                "{paths:?}"
            );
            assert_eq!(paths.len(), 2 * roots.len(), "{paths:?}");
        }
    }
}
