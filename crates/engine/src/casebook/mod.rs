//! The casebook: opens everything, and has one short method for each use case. The only thing that faces call.

mod brief;
mod doctor;
mod duplicates;
mod insights;
mod logs;
mod meaning;
mod mirror;
mod models;
mod notes;
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
use meaning::{Meaning, Preload, engine_of};
pub use mirror::understand_files;

use crate::{
    Parts,
    answer::{CommentCache, DomainModel, MatchFinder, RankingModel},
    doctor::{is_emptied, is_there, way_back},
    search::{self, query},
};
use precedent_core::{
    error::{Code, Error, Result},
    files::private_folder,
    memory,
    model::{IndexReport, Lack, Mode, ModelStatus, Notice, SearchRequest, SearchResponse, Status},
    task::{Task, blocking},
};
use precedent_index::{
    embed::{self, Engine, ModelInfo, ModelPaths},
    fulltext::{self, FullText},
    update::{self, A_MOMENT, Derived, Effort, Indexed},
};
use precedent_store::Store;
use precedent_trackers::{
    http::{Http, HttpOptions, RealTime, Timing},
    secrets::Secrets,
};

/// The database's file in the casebook's folder.
pub const DATABASE: &str = "precedent.db";
const FULL_TEXT: &str = "fulltext";
const VECTORS: &str = "vectors";
/// The vectors of so many texts are kept while a question is answered.
const EMBEDDED: usize = 8;

/// Where the time comes from; a fixed one in tests.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Returns the time of the system's clock, or the nearest that a date can be: such a clock may be in the year 11026.
#[allow(clippy::disallowed_methods, reason = "the one default clock")]
fn system_time() -> Timestamp {
    nearest(SystemTime::now())
}

fn nearest(time: SystemTime) -> Timestamp {
    let bound = if time < SystemTime::UNIX_EPOCH { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::try_from(time).unwrap_or(bound)
}

/// How to open a casebook.
#[derive(Clone)]
pub struct OpenOptions {
    /// The casebook's folder.
    pub folder: PathBuf,
    /// Whether a casebook that is not there is made. Without, opening says that there is none: who only asks has mistyped its
    /// place, or has none yet.
    pub create: bool,
    /// Candidates for ONNX Runtime's shared library, in order.
    pub runtime: Vec<PathBuf>,
    /// Candidates for the folder that holds the built-in model's folder, in order.
    pub models: Vec<PathBuf>,
    /// How vectors are made; `None` stands for the built-in model.
    pub engine: Option<Engine>,
    /// Whether to load the model at once, beside everything else: for a process that is about to search by meaning.
    pub preload: bool,
    /// Threads that embed; 0 stands for half of the cores, so that the laptop stays usable.
    pub workers: usize,
    /// Where the time comes from.
    pub clock: Clock,
    /// The places that are asked for trackers' tokens.
    pub secrets: Secrets,
    /// How the time passes while a tracker asks to wait; `None` stands for really.
    pub timing: Option<Arc<dyn Timing>>,
    /// A proxy for connections, as `http://host:port`, and the hosts to reach without it.
    pub proxy: Option<(String, Option<String>)>,
    /// Where models are fetched from; `None` stands for Hugging Face.
    pub hub: Option<String>,
    /// Whether comments are indexed with their documents. Without, an evaluation may hold what was said later than it asks: no
    /// search knows it, and its vectors are kept apart for the look at what was said before; nor is a source calibrated by itself.
    pub index_comments: bool,
    /// What evidence for duplicates is worth where a source has no order of its own.
    pub table: RankingModel,
}

impl OpenOptions {
    /// The defaults for this folder: the built-in model, found in no place yet, and the system's clock.
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
            table: RankingModel::built_in().clone(),
        }
    }

    /// Looks for the runtime and the models where this executable's installation has them: at the places named first, then
    /// beside the executable and in the folders of a package, and nowhere else. What lies in a folder above could be anybody's.
    /// A debug build that lies in its checkout looks there too.
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
        // A link in a folder of commands leads to where the installation is.
        let real = fs::canonicalize(executable);
        let executable = real.as_deref().unwrap_or(executable);
        let beside = executable.parent().unwrap_or(Path::new(""));
        self.runtime.push(beside.join(LIBRARY));
        self.models.push(beside.join("models"));
        // A package's folders lie beside the one of its commands, and that has a name of its own.
        let packaged: &[&str] = match beside.file_name().and_then(|name| name.to_str()) {
            Some("bin") => &["lib/precedent", "lib/Precedent", "share/precedent"],
            Some("MacOS") => &["Frameworks", "Resources"],
            _ => &[],
        };
        for folder in packaged.iter().filter_map(|folder| Some(beside.parent()?.join(folder))) {
            self.runtime.push(folder.join(LIBRARY));
            self.models.push(folder.join("models"));
        }
        #[cfg(debug_assertions)]
        if let Some(checkout) =
            Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).filter(|c| executable.starts_with(c))
        {
            self.runtime.push(checkout.join("target/runtime").join(LIBRARY));
            self.models.push(checkout.join("models"));
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
    /// How vectors are made where no model was installed.
    engine: Engine,
    workers: usize,
    clock: Clock,
    secrets: Secrets,
    http: Http,
    hub: Option<String>,
    index_comments: bool,
    table: RankingModel,
    /// How the casebook's reports speak, and at which revision.
    language: Mutex<Option<(u64, DomainModel)>>,
    /// The model that answered last.
    meaning: Mutex<Option<Arc<Meaning>>>,
}

impl std::fmt::Debug for Casebook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Casebook").field("folder", &self.inner.folder).finish_non_exhaustive()
    }
}

impl Casebook {
    /// Opens a casebook, making its folder (private to the user) and its database where they are missing and that is wanted.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is none and none is to be made,
    /// [`Code::Io`] if the folder cannot be written, [`Code::NewerCasebook`] if a newer version wrote it,
    /// [`Code::Corrupt`] if it is damaged.
    pub async fn open(options: OpenOptions) -> Result<Self> {
        blocking(move || Self::open_blocking(options)).await
    }

    /// As [`Casebook::open`], for a program that stays open: it rests whenever nothing was asked for a minute ([`Casebook::rest`]).
    ///
    /// # Errors
    /// Those of [`Casebook::open`].
    pub async fn open_to_stay(options: OpenOptions) -> Result<Self> {
        let casebook = Self::open(options).await?;
        let inner = Arc::downgrade(&casebook.inner);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(Duration::from_secs(60)).await;
                let Some(inner) = inner.upgrade() else { return };
                // A database that cannot be read is told of to who asks something.
                drop(Self { inner }.rest().await);
            }
        });
        Ok(casebook)
    }

    fn open_blocking(options: OpenOptions) -> Result<Self> {
        let folder = options.folder;
        let engine = options
            .engine
            .unwrap_or(Engine::BuiltIn(ModelPaths { runtime: options.runtime, models: options.models }));
        let preload = options.preload.then(|| Preload::start(&engine));
        if !options.create && !folder.is_file() {
            is_there(&folder, &folder.join(DATABASE), &folder.join(FULL_TEXT))?;
        }
        make_private(&folder)?;
        let database = folder.join(DATABASE);
        if is_emptied(&database, &folder.join(FULL_TEXT)) {
            return Err(emptied(&database));
        }
        let store = Store::open(&database)?;
        if store.read_only().is_none() {
            // The space is missed; nothing else depends on it.
            let _ = embed::remove_leftovers(&folder.join(meaning::MODELS));
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
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let workers = if options.workers == 0 { cores.div_ceil(2) } else { options.workers };
        let timing = options.timing.unwrap_or_else(|| Arc::new(RealTime::new(Arc::clone(&options.clock))));
        let mut http = HttpOptions::new(timing);
        (http.proxy, http.no_proxy) = options.proxy.map_or((None, None), |(p, direct)| (Some(p), direct));
        let inner = Inner {
            folder,
            store: Arc::new(store),
            fulltext,
            engine,
            workers,
            clock: options.clock,
            secrets: options.secrets,
            http: Http::new(http),
            hub: options.hub,
            index_comments: options.index_comments,
            table: options.table,
            language: Mutex::default(),
            meaning: Mutex::default(),
        };
        if let Some((name, preload)) = preload {
            inner.meaning()?.preloaded(name.as_deref(), preload);
        }
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The casebook's folder.
    pub fn folder(&self) -> &Path {
        &self.inner.folder
    }

    /// Brings the full text and then the vectors up to date, and calibrates sources whose known duplicates have something new
    /// to teach. Where the model cannot be used, the report says why and search by words works all the same.
    ///
    /// # Errors
    /// [`Code::Cancelled`], [`Code::Io`] and those of the database; what was done stays.
    pub async fn update_index(&self, task: &Task) -> Result<IndexReport> {
        let task = task.clone();
        self.run(move |i| {
            let mut report = i.update_text(Effort::Whole, &task)?;
            i.update_vectors(&task, &mut report)?;
            i.calibrate_due(&task, &mut report)?;
            Ok(report)
        })
        .await
    }

    /// Brings the full text alone up to date, if it lags behind; while another process is at it, this waits. Questions need
    /// not ask for it: each brings up to date what it rests on.
    ///
    /// # Errors
    /// As [`Casebook::update_index`].
    pub async fn update_text(&self, task: &Task) -> Result<IndexReport> {
        let task = task.clone();
        self.run(move |i| i.update_text(Effort::Whole, &task)).await
    }

    /// Why this casebook can only be read, in one sentence, if it can.
    pub fn read_only(&self) -> Option<String> {
        let why = self.inner.store.read_only()?;
        Some(format!("This casebook is read-only here, so nothing new is indexed or saved: {why}."))
    }

    /// Forgets everything that is derived; the next update makes it anew. Until then answers hold what there is again, and
    /// their coverage says how much that is.
    ///
    /// # Errors
    /// [`Code::Busy`] if another process is updating it and goes on with it.
    pub async fn forget_indexes(&self) -> Result<()> {
        self.run(|i| i.derived().forget_all(i.meaning()?.vectors().ok().as_deref())).await
    }

    /// Searches. What the full text lacks is mostly made in a moment, and is made first; what is not, the answer tells of.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] for a query that cannot be read, [`Code::NotFound`] for a source that does not exist.
    pub async fn search(&self, request: SearchRequest, task: &Task) -> Result<SearchResponse> {
        let task = task.clone();
        self.run(move |i| {
            let stale = i.freshen(Effort::AtMost(A_MOMENT), &task)?;
            let meaning = i.meaning()?;
            let mode = request.mode.or_else(|| query::parse(&request.query).ok()?.mode);
            // A model that is being loaded already is waited for where it is needed, after the words were looked up.
            let loading = meaning.is_loading();
            match meaning.vectors() {
                _ if mode == Some(Mode::Lexical) => {}
                Ok(vectors) if loading => drop(vectors.warm()),
                _ => meaning.warm(),
            }
            let answer = || i.parts(&meaning, |parts| parts.search(&request, &task));
            match meaning.without_damage(answer) {
                // What keeps the model from being used is known only now.
                Err(error) if loading && error.code() == Code::ModelUnavailable => answer(),
                result => result,
            }
            .map(|mut response| {
                response.notices.extend(stale);
                response.conclusive = Notice::is_conclusive(&response.notices);
                response
            })
        })
        .await
    }

    /// Loads the model, unless it is there: who begins to ask need not wait for it at the end. Why it cannot be used, the status tells.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn warm(&self) -> Result<()> {
        self.run(|i| {
            i.meaning()?.warm();
            Ok(())
        })
        .await
    }

    /// Lets go of the model and of what was read, and gives their memory back, if nothing was asked since the last call. To be called
    /// now and then by what stays open all day.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn rest(&self) -> Result<()> {
        self.run(|i| {
            if i.meaning()?.rest() {
                i.store.rest();
                memory::give_back();
            }
            Ok(())
        })
        .await
    }

    /// The casebook as a whole.
    ///
    /// # Errors
    /// Those of the database and the index.
    pub async fn status(&self) -> Result<Status> {
        self.run(|i| {
            let meaning = i.meaning()?;
            let vectors = meaning.vectors();
            let problem = meaning.problem().map(|e| sentence(&e));
            let name = meaning.engine().info().ok().map(|info| info.name);
            let model = ModelStatus { name, problem, next: i.next_model()? };
            Ok(Status {
                casebook: i.folder.display().to_string(),
                sources: i.store.read(mirror::sources)?,
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

    /// Whether the model and its runtime can be used; loads them.
    ///
    /// # Errors
    /// [`Code::ModelUnavailable`] with the remedy.
    pub async fn check_model(&self) -> Result<ModelInfo> {
        self.run(|i| {
            let meaning = i.meaning()?;
            meaning.embed("")?;
            meaning.engine().info()
        })
        .await
    }

    /// Runs blocking work on the engine's parts.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let inner = Arc::clone(&self.inner);
        match blocking(move || work(&inner)).await {
            // tantivy believes what it reads: damage makes it panic, or fail in words that say nothing of it.
            Err(error) if matches!(error.code(), Code::Internal | Code::Io) => {
                let inner = Arc::clone(&self.inner);
                let damaged = blocking(move || Ok(inner.fulltext.is_damaged())).await?;
                Err(if damaged { fulltext::broken().with_source(error) } else { error })
            }
            result => result,
        }
    }
}

impl Inner {
    /// Brings the full text up to date before a question, and says why where that cannot be: an answer from what is there is
    /// better than none. The one place that decides how fresh an answer is.
    fn freshen(&self, effort: Effort, task: &Task) -> Result<Option<Notice>> {
        match self.update_text(effort, task) {
            Ok(_) => Ok(None),
            Err(error) if matches!(error.code(), Code::Io | Code::Busy) => Ok(Some(Notice {
                lack: Lack::FullText,
                text: format!("The latest changes could not be indexed: {}", sentence(&error)),
            })),
            Err(error) => Err(error),
        }
    }

    /// Brings the full text up to date as far as `effort` says, if there is anything to do and it can be done.
    fn update_text(&self, effort: Effort, task: &Task) -> Result<IndexReport> {
        let mut report = IndexReport::default();
        if self.store.read_only().is_some() {
            return Ok(report);
        }
        if self.derived().text_is_due(effort)? {
            self.derived().update_text(effort, task, &mut report)?;
        }
        Ok(report)
    }

    fn derived(&self) -> Derived<'_> {
        Derived {
            store: &self.store,
            fulltext: &self.fulltext,
            folder: &self.folder,
            parts: if self.index_comments { Indexed::All } else { Indexed::Own },
        }
    }

    /// What a question works on, with the model that answers it.
    fn parts<T>(&self, meaning: &Meaning, work: impl FnOnce(&Parts<'_>) -> Result<T>) -> Result<T> {
        let problem = meaning.problem();
        let vectors = meaning.vectors().ok().filter(|_| problem.is_none());
        let said = vectors.as_ref().and_then(|_| meaning.said().ok());
        // The views of one answer ask for the same vectors.
        let embedded: Mutex<VecDeque<(String, Vec<f32>)>> = Mutex::default();
        let embed = |text: &str| {
            let known = || embedded.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if let Some((_, vector)) = known().iter().find(|(known, _)| known == text) {
                return Ok(vector.clone());
            }
            let vector = meaning.embed(text)?;
            let mut known = known();
            known.truncate(EMBEDDED - 1);
            known.push_front((text.to_owned(), vector.clone()));
            Ok(vector)
        };
        work(&Parts {
            store: &self.store,
            fulltext: &self.fulltext,
            vectors: vectors.as_deref(),
            said: said.as_deref(),
            embed: &embed,
            floor: meaning.engine().info().map_or(0.0, |m| m.floor),
            problem: problem.as_deref(),
        })
    }

    /// How the casebook's reports speak; taken anew when it has changed.
    fn language(&self) -> Result<DomainModel> {
        let revision = self.store.read(|r| r.revision())?;
        let mut kept = self.language.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((at, language)) = *kept
            && at == revision
        {
            return Ok(language);
        }
        let language = DomainModel::of(&self.store, &self.fulltext)?;
        *kept = Some((revision, language));
        Ok(language)
    }

    /// The same for what compares reports.
    fn checker<T>(&self, meaning: &Meaning, work: impl FnOnce(&MatchFinder<'_>) -> Result<T>) -> Result<T> {
        self.parts(meaning, |parts| work(&MatchFinder::new(*parts, &self.table, &CommentCache::default())))
    }
}

/// The full text; where nothing can be written, as it is, or none.
fn open_text(folder: &Path, read_only: bool) -> Result<FullText> {
    let path = folder.join(FULL_TEXT);
    let as_it_is = || FullText::open_read_only(&path).or_else(|_| FullText::in_memory());
    if read_only {
        return as_it_is();
    }
    match update::open_text(folder, &path) {
        // A disk that is full or a folder that may only be read: what is there still answers.
        Err(error) if error.code() == Code::Io => as_it_is(),
        opened => opened,
    }
}

/// An error and its remedy in one line.
fn sentence(error: &Error) -> String {
    match error.hint() {
        Some(hint) => format!("{error}. {hint}"),
        None => error.to_string(),
    }
}

fn emptied(database: &Path) -> Error {
    Error::new(
        Code::Corrupt,
        format!("{} is empty, although indexes of its former contents exist", database.display()),
    )
    .with_hint(way_back(database))
}

/// Makes the casebook's folder, for this user alone. One that is there keeps its mode, which may be meant; what is made in it is
/// private all the same.
fn make_private(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if folder.exists() {
        return Err(Error::new(Code::Io, format!("{} is not a folder", folder.display()))
            .with_hint("Choose another folder with --casebook."));
    }
    private_folder(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_beyond_every_date_is_the_nearest_one() {
        let year = Duration::from_secs(31_557_600);
        assert_eq!(nearest(SystemTime::UNIX_EPOCH + year * 9056), Timestamp::MAX);
        assert_eq!(nearest(SystemTime::UNIX_EPOCH + Duration::from_secs(7)).as_second(), 7);
    }

    #[test]
    fn runtime_and_model_are_looked_for_in_the_package_alone() {
        let looked = |executable: &str| {
            let options = OpenOptions::new("/casebook").installed_at(Path::new(executable), None, None);
            let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
            let all = options.runtime.into_iter().chain(options.models);
            all.filter(|p| !p.starts_with(checkout)).collect::<Vec<_>>()
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
            let places = looked(executable);
            assert!(
                places.iter().all(|p| roots.iter().any(|r| p.parent() == Some(Path::new(r)))),
                "{places:?}"
            );
            assert_eq!(places.len(), 2 * roots.len(), "{places:?}");
        }
    }
}
