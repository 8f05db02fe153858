//! The casebook: opens everything, and has one short method for each use case. The only thing that faces call.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use jiff::Timestamp;

use crate::{
    duplicates::{self, Checker, Draft, Scope, Table},
    embed::{Embedder, Engine, ModelInfo, ModelPaths},
    error::{Code, Error, Result},
    http::{Http, HttpOptions, RealTime, Timing},
    index::{
        filter::{Filter, Test, TimeField},
        fulltext::FullText,
        update::Derived,
        vectors::Vectors,
    },
    model::{
        Access, CalibrationReport, Check, Coverage, DuplicatesRequest, DuplicatesResponse, ImportReport,
        IndexReport, LinkView, MirrorView, Mode, ModelStatus, RankRequest, RankedDocument, Ranking,
        SearchRequest, SearchResponse, SourceView, Status, SyncReport, SyncRequest, Thread, ThreadComment,
        TriageRequest, TriageResponse, Verdict, VerdictKind,
    },
    samples,
    search::{self, Searcher},
    secrets::{SecretString, Secrets},
    store::{DocumentRow, Reader, RemoteRow, SourceRow, Store, StoredComment},
    sync,
    task::{Task, blocking},
    text::{html, prepare::Prepared},
};

/// The database's file in the casebook's folder.
pub const DATABASE: &str = "precedent.db";
const FULL_TEXT: &str = "fulltext";
const VECTORS: &str = "vectors";

/// Where the time comes from; a fixed one in tests.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// How to open a casebook.
#[derive(Clone)]
pub struct OpenOptions {
    /// The casebook's folder; made if it is missing.
    pub folder: PathBuf,
    /// Candidates for ONNX Runtime's shared library, in order.
    pub runtime: Vec<PathBuf>,
    /// Candidates for the folder that holds the built-in model's folder, in order.
    pub models: Vec<PathBuf>,
    /// How vectors are made; `None` stands for the built-in model.
    pub engine: Option<Engine>,
    /// Threads that embed; 0 stands for half of the cores, so that the laptop stays usable.
    pub workers: usize,
    /// Where the time comes from.
    pub clock: Clock,
    /// The places that are asked for trackers' tokens.
    pub secrets: Secrets,
    /// How the time passes while a tracker asks to wait; `None` stands for really.
    pub timing: Option<Arc<dyn Timing>>,
    /// A proxy for connections to trackers, as `http://host:port`, and the hosts to reach without it.
    pub proxy: Option<(String, Option<String>)>,
}

impl OpenOptions {
    /// The defaults for this folder: the built-in model, found in no place yet, and the system's clock.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            runtime: Vec::new(),
            models: Vec::new(),
            engine: None,
            workers: 0,
            #[allow(clippy::disallowed_methods, reason = "the one default clock")]
            clock: Arc::new(Timestamp::now),
            secrets: Secrets::default(),
            timing: None,
            proxy: None,
        }
    }

    /// Looks for the runtime and the models where this executable's installation has them: at the places named first,
    /// then beside the executable, in the folders of a package, and in a checkout.
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
        for folder in executable.ancestors().skip(1) {
            for below in ["", "lib", "lib/precedent", "lib/Precedent", "target/runtime", "runtime"] {
                self.runtime.push(folder.join(below).join(LIBRARY));
            }
            for below in ["models", "lib/precedent/models", "lib/Precedent/models", "share/precedent/models"]
            {
                self.models.push(folder.join(below));
            }
        }
        self
    }
}

impl std::fmt::Debug for OpenOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenOptions").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A casebook. Clones share everything; several processes may have the same one open.
#[derive(Clone)]
pub struct Casebook {
    inner: Arc<Inner>,
}

struct Inner {
    folder: PathBuf,
    store: Arc<Store>,
    fulltext: FullText,
    engine: Engine,
    workers: usize,
    clock: Clock,
    secrets: Secrets,
    http: Http,
    /// The set of vectors of the model, opened at the first use.
    vectors: OnceLock<Opened<Arc<Vectors>>>,
    /// The model that embeds queries, loaded at the first use.
    model: Mutex<Option<Opened<Box<dyn Embedder>>>>,
}

/// Something that was opened, or why it could not be.
type Opened<T> = std::result::Result<T, Arc<Error>>;

impl std::fmt::Debug for Casebook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Casebook").field("folder", &self.inner.folder).finish_non_exhaustive()
    }
}

impl Casebook {
    /// Opens a casebook, making its folder (private to the user) and its database where they are missing.
    ///
    /// # Errors
    /// [`Code::Io`] if the folder cannot be written, [`Code::NewerCasebook`] if a newer version wrote it,
    /// [`Code::Corrupt`] if it is damaged.
    pub async fn open(options: OpenOptions) -> Result<Self> {
        blocking(move || Self::open_blocking(options)).await
    }

    fn open_blocking(options: OpenOptions) -> Result<Self> {
        let folder = options.folder;
        make_private(&folder)?;
        let store = Store::open(&folder.join(DATABASE))?;
        let fulltext = FullText::open(&folder.join(FULL_TEXT))?;
        let engine = options
            .engine
            .unwrap_or(Engine::BuiltIn(ModelPaths { runtime: options.runtime, models: options.models }));
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let workers = if options.workers == 0 { cores.div_ceil(2) } else { options.workers };
        let timing = options.timing.unwrap_or_else(|| Arc::new(RealTime::new(Arc::clone(&options.clock))));
        let mut http = HttpOptions::new(timing);
        (http.proxy, http.no_proxy) = options.proxy.map_or((None, None), |(p, direct)| (Some(p), direct));
        Ok(Self {
            inner: Arc::new(Inner {
                folder,
                store: Arc::new(store),
                fulltext,
                engine,
                workers,
                clock: options.clock,
                secrets: options.secrets,
                http: Http::new(http),
                vectors: OnceLock::new(),
                model: Mutex::default(),
            }),
        })
    }

    /// The casebook's folder.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// Imports files of GitHub's REST records (JSON Lines or arrays; plain, gzip or zstd; a file or a folder) into a
    /// source. Running it again changes nothing that is there already.
    ///
    /// # Errors
    /// A path that cannot be read, a damaged file, nothing of use in it; what was stored before is kept.
    pub async fn import_github(&self, source: &str, path: &Path, task: &Task) -> Result<ImportReport> {
        let (source, path, task) = (source.to_owned(), path.to_owned(), task.clone());
        self.run(move |i| sync::import_github(&i.store, &source, &path, (i.clock)(), &task)).await
    }

    /// Imports a folder of Markdown files as the wiki pages of a source.
    ///
    /// # Errors
    /// A path that cannot be read, nothing of use in it.
    pub async fn import_wiki(&self, source: &str, path: &Path, task: &Task) -> Result<ImportReport> {
        let (source, path, task) = (source.to_owned(), path.to_owned(), task.clone());
        self.run(move |i| sync::import_wiki(&i.store, &source, &path, (i.clock)(), &task)).await
    }

    /// Imports the sample casebook, which is built in.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn import_sample(&self, task: &Task) -> Result<ImportReport> {
        let task = task.clone();
        self.run(move |i| {
            let files = [("issues.jsonl", samples::ISSUES), ("comments.jsonl", samples::COMMENTS)];
            sync::import_built_in(&i.store, samples::SOURCE, &files, samples::PAGES, (i.clock)(), &task)
        })
        .await
    }

    /// Brings the full text and then the vectors up to date. Where the model cannot be used, the report says why and
    /// search by words works all the same.
    ///
    /// # Errors
    /// [`Code::Cancelled`], [`Code::Io`] and those of the database; what was done stays.
    pub async fn update_index(&self, task: &Task) -> Result<IndexReport> {
        let task = task.clone();
        self.run(move |i| {
            let mut report = IndexReport::default();
            if i.derived().text_is_stale()? {
                i.derived().update_text(true, &task, &mut report)?;
            }
            i.update_vectors(&task, &mut report)?;
            Ok(report)
        })
        .await
    }

    /// Brings the full text alone up to date, if it lags behind. While another process is at it, this waits, or with
    /// `wait` off leaves it to that process: a search answers from what is there.
    ///
    /// # Errors
    /// As [`Casebook::update_index`].
    pub async fn update_text(&self, wait: bool, task: &Task) -> Result<IndexReport> {
        let task = task.clone();
        self.run(move |i| {
            let mut report = IndexReport::default();
            if i.derived().text_is_stale()? {
                i.derived().update_text(wait, &task, &mut report)?;
            }
            Ok(report)
        })
        .await
    }

    /// Marks everything that is derived as out of date; the next update makes it anew. Until then what is there serves.
    ///
    /// # Errors
    /// [`Code::Busy`] if another process is updating it.
    pub async fn forget_indexes(&self) -> Result<()> {
        self.run(|i| i.derived().forget_all(i.vectors().ok().as_deref())).await
    }

    /// Searches.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] for a query that cannot be read, [`Code::NotFound`] for a source that does not exist.
    pub async fn search(&self, request: SearchRequest, task: &Task) -> Result<SearchResponse> {
        let task = task.clone();
        self.run(move |i| {
            if request.mode != Some(Mode::Lexical) {
                i.warm();
            }
            i.searching(|searcher| searcher.search(&request, &task))
        })
        .await
    }

    /// Looks for earlier reports of the same. For an item of the casebook, that it was checked is noted.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] for a question that asks nothing or is out of range, [`Code::NotFound`] for an item or a
    /// source that does not exist.
    pub async fn duplicates(&self, request: DuplicatesRequest, task: &Task) -> Result<DuplicatesResponse> {
        let task = task.clone();
        self.run(move |i| {
            i.warm();
            let (problem, now) = (i.problem(), (i.clock)());
            i.checking(|c| duplicates::check(&i.store, c, problem.as_deref(), &request, now, &task))
        })
        .await
    }

    /// Checks the open reports that are new or changed, and returns those that wait for a decision, the surest first.
    /// Cancelled or killed, it goes on where it was.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a source that does not exist, [`Code::Cancelled`]; those of the database and the index.
    pub async fn triage(&self, request: TriageRequest, task: &Task) -> Result<TriageResponse> {
        let task = task.clone();
        self.run(move |i| {
            i.warm();
            let (problem, now) = (i.problem(), (i.clock)());
            i.checking(|c| duplicates::triage(&i.store, c, problem.as_deref(), &request, now, &task))
        })
        .await
    }

    /// Calibrates the confidence of checks for duplicates by a source's own duplicates, and keeps that unless `dry`. With
    /// too few of them the built-in calibration stays, and the report says so.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a source that does not exist, [`Code::Cancelled`]; those of the database and the index.
    pub async fn calibrate(&self, source: &str, dry: bool, task: &Task) -> Result<CalibrationReport> {
        let (source, task) = (source.to_owned(), task.clone());
        self.run(move |i| {
            i.warm();
            let now = (i.clock)();
            i.checking(|c| duplicates::calibrate(&i.store, c, &source, dry, now, &task))
        })
        .await
    }

    /// The last check of a document for duplicates; `None` if nobody has looked yet.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such document.
    pub async fn last_check(&self, key: &str) -> Result<Option<Check>> {
        let key = key.trim().to_owned();
        self.run(move |i| i.store.read(|r| r.check(&search::one(r, &key)?.key))).await
    }

    /// Records what a person decided about a pair. For a duplicate, `other` is the report that stays. It replaces an
    /// earlier decision about the pair, and outlives every sync, index and model.
    ///
    /// # Errors
    /// [`Code::NotFound`] if one of them does not exist, [`Code::InvalidInput`] if they are the same.
    pub async fn record_verdict(
        &self,
        key: &str,
        other: &str,
        kind: VerdictKind,
        reason: Option<&str>,
        actor: &str,
    ) -> Result<Verdict> {
        let (key, other) = (key.trim().to_owned(), other.trim().to_owned());
        let (reason, actor) = (reason.map(str::to_owned), actor.to_owned());
        self.run(move |i| {
            let decided_at = (i.clock)();
            i.store.write(|w| duplicates::decide(w, &key, &other, kind, reason, actor, decided_at))
        })
        .await
    }

    /// Takes the last decision about a pair back; the one before it holds again. Returns what holds now.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no decision about the pair.
    pub async fn undo_verdict(&self, key: &str, other: &str, actor: &str) -> Result<Option<Verdict>> {
        let (key, other, actor) = (key.trim().to_owned(), other.trim().to_owned(), actor.to_owned());
        self.run(move |i| {
            let now = (i.clock)();
            i.store.write(|w| duplicates::undo(w, &key, &other, &actor, now))
        })
        .await
    }

    /// What people decided, the latest first; about one document or all.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such document.
    pub async fn verdicts(&self, key: Option<&str>) -> Result<Vec<Verdict>> {
        let key = key.map(|k| k.trim().to_owned());
        self.run(move |i| {
            i.store.read(|r| {
                let key = key.map(|k| search::one(r, &k)).transpose()?.map(|d| d.key);
                r.verdicts(key.as_deref())
            })
        })
        .await
    }

    /// Ranks the documents of a source against a report as if it were made at that moment, without showing them: what
    /// the evaluation measures.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such source; those of the database and the index.
    pub async fn rank(&self, request: RankRequest, task: &Task) -> Result<Vec<RankedDocument>> {
        let task = task.clone();
        self.run(move |i| i.rank(&request, &task)).await
    }

    /// A document with everything that was said about it. `key` is `acme/app#12`, `acme/app:Page-Name`, or a bare number
    /// where only one source has it.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such document; [`Code::InvalidInput`] if the number is ambiguous.
    pub async fn thread(&self, key: &str) -> Result<Thread> {
        let key = key.trim().to_owned();
        self.run(move |i| i.store.read(|r| thread(r, &key))).await
    }

    /// The sources with what they hold, by key.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn sources(&self) -> Result<Vec<SourceView>> {
        self.run(|i| i.store.read(sources)).await
    }

    /// Adds an empty source.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] if the key is none.
    pub async fn add_source(&self, key: &str) -> Result<SourceView> {
        let key = sync::source_key(key)?.to_owned();
        self.run(move |i| {
            let now = (i.clock)();
            i.store.write(|w| w.add_source(&key, "github", now))?;
            i.store.read(|r| source_view(r, &key))
        })
        .await
    }

    /// Adds a live source, `key` (`owner/name`) of the GitHub at `host`, or makes one that was imported a live one.
    /// Fetches nothing yet.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] if the key or the host is none, or the source is mirrored from another host.
    pub async fn add_mirror(&self, key: &str, host: &str, wiki: bool) -> Result<SourceView> {
        let (key, host) = (key.to_owned(), host.to_owned());
        self.run(move |i| {
            let source = sync::add(&i.store, &key, &host, wiki, (i.clock)())?;
            i.store.read(|r| source_view(r, &source.key))
        })
        .await
    }

    /// The live sources: how far they were read, and what they do not know.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn mirrors(&self) -> Result<Vec<MirrorView>> {
        self.run(|i| i.store.read(|r| sync::mirrors(r, &i.folder))).await
    }

    /// Looks what the access to a live source can do; stores nothing.
    ///
    /// # Errors
    /// [`Code::Authentication`], [`Code::NotFound`] and those of the network.
    pub async fn test_source(&self, key: &str, task: &Task) -> Result<Access> {
        let keys = vec![key.to_owned()];
        let (_, remote) = self.live(keys).await?.pop().ok_or_else(|| Error::not_found("no such source"))?;
        let mut tracker = self.tracker(&self.inner.http, &remote).await?;
        tracker.access(task).await
    }

    /// Keeps the token for a tracker's host in the system's keyring; it is never written elsewhere.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] if the host is none or the token empty, [`Code::NotFound`] if there is no keyring.
    pub async fn keep_token(&self, host: &str, token: SecretString) -> Result<()> {
        let host = sync::host(host)?;
        self.run(move |i| i.secrets.keep(&host, &token)).await
    }

    /// Forgets the token for a host that [`Casebook::keep_token`] kept; whether there was one.
    ///
    /// # Errors
    /// As [`Casebook::keep_token`].
    pub async fn forget_token(&self, host: &str) -> Result<bool> {
        let host = sync::host(host)?;
        self.run(move |i| i.secrets.forget(&host)).await
    }

    /// Mirrors live sources, one after another, each from where it was left. One that fails does not stop the others:
    /// what ended it is in its report.
    ///
    /// # Errors
    /// [`Code::NotFound`] if a source does not exist, [`Code::InvalidInput`] if it is not a live one.
    pub async fn sync(&self, request: SyncRequest, task: &Task) -> Result<Vec<SyncReport>> {
        let context = sync::Context {
            store: Arc::clone(&self.inner.store),
            folder: self.inner.folder.clone(),
            clock: Arc::clone(&self.inner.clock),
            task: task.clone(),
        };
        let mut reports = Vec::new();
        for (source, remote) in self.live(request.sources).await? {
            if task.is_cancelled() && !reports.is_empty() {
                break;
            }
            let http = self.inner.http.counted();
            let mut tracker = self.tracker(&http, &remote).await?;
            let mut report = sync::sync(&context, &source, &remote, tracker.as_mut(), request.full).await;
            report.requests = http.sent();
            reports.push(report);
        }
        Ok(reports)
    }

    /// The live sources with these keys; all of them without any.
    async fn live(&self, keys: Vec<String>) -> Result<Vec<(SourceRow, RemoteRow)>> {
        self.run(move |i| {
            i.store.read(|r| {
                let named = !keys.is_empty();
                let keys = if named { keys } else { r.sources()?.into_iter().map(|s| s.key).collect() };
                let mut out = Vec::new();
                for key in keys {
                    let source = r.source(&key)?.ok_or_else(|| search::no_source(r, &key))?;
                    match r.remote(source.id)? {
                        Some(remote) => out.push((source, remote)),
                        None if named => {
                            return Err(Error::invalid(format!("{} is fed from files alone", source.key))
                                .with_hint(format!(
                                    "To mirror it live: precedent source add github:{}",
                                    source.key
                                )));
                        }
                        None => {}
                    }
                }
                Ok(out)
            })
        })
        .await
    }

    /// The tracker of a live source, with the token for its host.
    async fn tracker(&self, http: &Http, remote: &RemoteRow) -> Result<Box<dyn crate::tracker::Tracker>> {
        let (http, remote) = (http.clone(), remote.clone());
        // A keyring or a helper program may take its time.
        self.run(move |i| {
            let found = i.secrets.find(&remote.host);
            sync::remote_tracker(&http, &remote, found.as_ref().map(|f| &f.token))
        })
        .await
    }

    /// Removes a source with everything that was mirrored from it; people's verdicts stay.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such source.
    pub async fn remove_source(&self, key: &str, task: &Task) -> Result<SourceView> {
        let (key, task) = (key.to_owned(), task.clone());
        self.run(move |i| {
            let view = i.store.read(|r| source_view(r, &key))?;
            i.store.write(|w| {
                let source = w.source(&key)?.ok_or_else(|| search::no_source(w, &key))?;
                w.remove_source(&source)
            })?;
            i.derived().update_text(true, &task, &mut IndexReport::default())?;
            if let Ok(vectors) = i.vectors() {
                i.derived().plan_vectors(&vectors, &task)?;
            }
            Ok(view)
        })
        .await
    }

    /// The casebook as a whole.
    ///
    /// # Errors
    /// Those of the database and the index.
    pub async fn status(&self) -> Result<Status> {
        self.run(|i| {
            let vectors = i.vectors();
            let extent = vectors.as_ref().map_or(Ok(Default::default()), |v| v.extent())?;
            let model = match (i.engine.info(), &vectors) {
                (Ok(info), Ok(_)) => {
                    ModelStatus { name: Some(info.name), problem: i.model_problem().map(|e| sentence(&e)) }
                }
                (Ok(info), Err(error)) => {
                    ModelStatus { name: Some(info.name), problem: Some(sentence(error)) }
                }
                (Err(error), _) => ModelStatus { name: None, problem: Some(sentence(&error)) },
            };
            Ok(Status {
                casebook: i.folder.display().to_string(),
                sources: i.store.read(sources)?,
                coverage: Coverage {
                    documents: i.store.read(|r| r.document_count())?,
                    full_text: i.fulltext.count()?,
                    chunks: extent.chunks,
                    embedded: extent.embedded,
                },
                model,
                database_bytes: fs::metadata(i.store.path()).map_or(0, |m| m.len()),
                full_text_bytes: i.fulltext.bytes(),
                vector_bytes: vectors.map_or(0, |v| v.bytes()),
            })
        })
        .await
    }

    /// Whether the model and its runtime can be used; loads them.
    ///
    /// # Errors
    /// [`Code::ModelUnavailable`] with the remedy.
    pub async fn check_model(&self) -> Result<ModelInfo> {
        self.run(|i| {
            i.embed_query("")?;
            i.engine.info()
        })
        .await
    }

    /// Runs blocking work on the engine's parts.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let inner = Arc::clone(&self.inner);
        blocking(move || work(&inner)).await
    }
}

impl Inner {
    fn derived(&self) -> Derived<'_> {
        Derived { store: &self.store, fulltext: &self.fulltext, folder: &self.folder }
    }

    /// The set of vectors of the model.
    fn vectors(&self) -> Opened<Arc<Vectors>> {
        self.vectors
            .get_or_init(|| {
                let info = self.engine.info().map_err(Arc::new)?;
                Vectors::open(&self.folder.join(VECTORS), &info).map(Arc::new).map_err(Arc::new)
            })
            .clone()
    }

    /// Embeds with the one model that all searches of this process share.
    fn embed_query(&self, text: &str) -> Result<Vec<f32>> {
        let mut slot = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        let model = slot.get_or_insert_with(|| self.engine.load().map_err(Arc::new));
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

    /// Reads codes and model side by side: together they are most of a first search.
    fn warm(&self) {
        if let Ok(vectors) = self.vectors()
            && !self.model_is_loaded()
        {
            std::thread::scope(|scope| {
                scope.spawn(|| drop(vectors.warm()));
                drop(self.embed_query(""));
            });
        }
    }

    /// Why there is no search by meaning, if there is none. A model whose card can be read may still fail to load.
    fn problem(&self) -> Option<Arc<Error>> {
        self.vectors().err().or_else(|| self.model_problem())
    }

    fn searching<T>(&self, work: impl FnOnce(&Searcher<'_>) -> Result<T>) -> Result<T> {
        let problem = self.problem();
        let vectors = self.vectors().ok().filter(|_| problem.is_none());
        work(&Searcher {
            store: &self.store,
            fulltext: &self.fulltext,
            vectors: vectors.as_deref(),
            embed: &|text: &str| self.embed_query(text),
            floor: self.engine.info().map_or(0.0, |m| m.floor),
            problem: problem.as_deref(),
        })
    }

    fn checking<T>(&self, work: impl FnOnce(&Checker<'_>) -> Result<T>) -> Result<T> {
        let vectors = self.vectors().ok().filter(|_| self.problem().is_none());
        work(&Checker {
            fulltext: &self.fulltext,
            vectors: vectors.as_deref(),
            embed: &|text: &str| self.embed_query(text),
            table: Table::built_in(),
        })
    }

    fn rank(&self, request: &RankRequest, task: &Task) -> Result<Vec<RankedDocument>> {
        self.warm();
        let (source, skeleton, document) = self.store.read(|r| {
            let source = r.source(&request.source)?;
            let source = source.ok_or_else(|| search::no_source(r, &request.source))?;
            let key = request.number.map(|number| format!("{}#{number}", source.key));
            let document = key.map(|key| r.document_by_key(&key)).transpose()?.flatten();
            Ok((source.key, r.skeleton(source.id)?, document.map(|d| d.id)))
        })?;
        let within = Filter { test: Test::Source(source), negated: false };
        let mode = match request.by {
            Ranking::Lexical => Mode::Lexical,
            Ranking::Semantic => Mode::Semantic,
            Ranking::Hybrid => Mode::Hybrid,
            Ranking::Duplicates => {
                let draft = Draft {
                    title: request.title.clone(),
                    body: Prepared::body(&request.body, &skeleton),
                    made_at: request.made_at,
                    document,
                };
                let scope = Scope { filters: vec![within] };
                let mut ranked = self.checking(|c| c.scored(&draft, &scope, task))?;
                ranked.truncate(request.limit);
                let ids: Vec<i64> = ranked.iter().map(|r| r.document).collect();
                let numbers = self.store.read(|r| r.numbers(&ids))?;
                return Ok(ranked
                    .iter()
                    .zip(numbers)
                    .filter_map(|(r, number)| {
                        Some(RankedDocument {
                            number: number?,
                            score: r.score,
                            probability: Some(r.confidence),
                            features: r.features.0.to_vec(),
                        })
                    })
                    .collect());
            }
        };
        let made_at = Test::Time(TimeField::Created, None, Some(request.made_at.as_second()));
        let filters = [within, Filter { test: made_at, negated: false }];
        let text = format!("{}\n{}", request.title, request.body);
        let ranked = self.searching(|s| s.rank(&text, &filters, mode, request.limit, task))?;
        let ids: Vec<i64> = ranked.iter().map(|(id, _)| *id).collect();
        let numbers = self.store.read(|r| r.numbers(&ids))?;
        Ok(ranked
            .iter()
            .zip(numbers)
            .filter_map(|((_, score), number)| {
                Some(RankedDocument { number: number?, score: *score, probability: None, features: vec![] })
            })
            .collect())
    }

    fn model_is_loaded(&self) -> bool {
        self.model.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn model_problem(&self) -> Option<Arc<Error>> {
        let slot = self.model.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().and_then(|m| m.as_ref().err().cloned())
    }

    fn update_vectors(&self, task: &Task, report: &mut IndexReport) -> Result<()> {
        let vectors = match self.vectors() {
            Ok(vectors) => vectors,
            Err(error) => {
                report.model_problem = Some(sentence(&error));
                return Ok(());
            }
        };
        match self.derived().update_vectors(&vectors, &self.engine, self.workers, task, report) {
            Err(error) if error.code() == Code::ModelUnavailable => {
                report.model_problem = Some(sentence(&error));
                Ok(())
            }
            result => result,
        }
    }
}

/// An error and its remedy in one line.
fn sentence(error: &Error) -> String {
    match error.hint() {
        Some(hint) => format!("{error}. {hint}"),
        None => error.to_string(),
    }
}

/// Makes the casebook's folder, for this user alone.
fn make_private(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if folder.exists() {
        return Err(Error::new(Code::Io, format!("{} is not a folder", folder.display()))
            .with_hint("Choose another place with --casebook."));
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|e| Error::io(folder, e))
}

fn sources(reader: &Reader<'_>) -> Result<Vec<SourceView>> {
    reader.sources()?.iter().map(|s| source_view(reader, &s.key)).collect()
}

fn source_view(reader: &Reader<'_>, key: &str) -> Result<SourceView> {
    let source = reader.source(key)?.ok_or_else(|| search::no_source(reader, key))?;
    let counts = reader.source_counts(source.id)?;
    Ok(SourceView {
        key: source.key,
        kind: source.kind,
        added_at: source.added_at,
        changed_at: source.changed_at,
        issues: counts.issues,
        pull_requests: counts.pull_requests,
        comments: counts.comments,
        pages: counts.pages,
        missing_comments: counts.missing_comments,
        orphan_comments: counts.orphan_comments,
    })
}

fn thread(reader: &Reader<'_>, key: &str) -> Result<Thread> {
    let row = search::one(reader, key)?;
    let comments = reader.comments(&row)?;
    let links = links(reader, &row)?;
    // The tracker's count leaves out what is said beside the lines of a pull request.
    let counted = |c: &&StoredComment| !c.remote_id.starts_with(crate::model::REVIEW_PREFIX);
    let held = comments.iter().filter(counted).count() as u64;
    Ok(Thread {
        missing_comments: u32::try_from(row.comment_count.saturating_sub(held)).unwrap_or(u32::MAX),
        html: html::from_markdown(&row.body),
        comments: comments.into_iter().map(shown).collect(),
        links,
        key: row.key,
        kind: row.kind,
        source: row.source,
        number: row.number,
        title: row.title,
        url: row.url,
        state: row.state,
        state_reason: row.state_reason,
        author: row.author.login,
        association: row.author.association,
        labels: row.labels,
        milestone: row.milestone,
        locked: row.locked,
        created_at: row.created_at,
        updated_at: row.updated_at,
        closed_at: row.closed_at,
        deleted_at: row.deleted_at,
        markdown: row.body,
    })
}

fn shown(comment: StoredComment) -> ThreadComment {
    ThreadComment {
        anchor: search::anchor(&comment),
        html: html::from_markdown(&comment.body),
        bot: comment.author.bot,
        author: comment.author.login,
        association: comment.author.association,
        created_at: comment.created_at,
        updated_at: Some(comment.updated_at).filter(|u| *u > comment.created_at),
        url: comment.url,
        markdown: comment.body,
    }
}

fn links(reader: &Reader<'_>, row: &DocumentRow) -> Result<Vec<LinkView>> {
    let mut out = Vec::new();
    for link in reader.links(&row.key)? {
        let outgoing = link.from_key == row.key;
        let key = if outgoing { link.to_key } else { link.from_key };
        let other = reader.document_by_key(&key)?;
        out.push(LinkView {
            kind: link.kind,
            outgoing,
            document: other.as_ref().map(|d| d.kind),
            title: other.as_ref().map(|d| d.title.clone()),
            state: other.and_then(|d| d.state),
            key,
        });
    }
    Ok(out)
}
