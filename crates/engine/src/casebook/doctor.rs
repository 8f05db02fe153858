//! The health check, database backups, and the portable casebook file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    Casebook, DATABASE, FULL_TEXT, OpenOptions, VECTORS,
    semantic::{MODELS, engine_of},
    worker_count,
};
use crate::{
    diagnosis::{CallerDetails, CasebookState, Diagnosis, diagnose},
    doctor::HealthCheck,
    portable,
};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    files::{StagingFolder, exists_error},
    model::{Backup, ExportResult, Health, PortableImport, RestoreResult},
    task::{Task, run_blocking},
};
use precedent_index::{
    embed::{Engine, ModelPaths},
    vectors,
};
use precedent_store as store;
use precedent_store::FileLock;
use precedent_trackers::sync::SyncLock;

impl Casebook {
    /// Checks every part of a casebook, even of one that cannot be opened; with `repair`, repairs
    /// what can be repaired. With fewer than `min_free_bytes` free, reports that the disk is nearly
    /// full.
    pub async fn doctor(
        options: OpenOptions,
        repair: bool,
        min_free_bytes: u64,
        task: &Task,
    ) -> Result<Health> {
        let task = task.clone();
        run_blocking(move || {
            let folder = options.folder;
            let built_in = options.engine.unwrap_or(Engine::BuiltIn(ModelPaths {
                runtime: options.runtime,
                models: options.models,
            }));
            // If the database cannot be read, the active model is unknown; any model serves for the
            // check.
            let name = store::custom_model(&folder.join(DATABASE));
            let engine = engine_of(&built_in, &folder, name.as_deref());
            let entries = fs::read_dir(folder.join(MODELS)).into_iter().flatten();
            let models = entries.filter_map(|e| Some(built_in.with_folder(e.ok()?.path())));
            let engines = models.chain([built_in.clone()]);
            let vector_files: Vec<PathBuf> = engines
                .filter_map(|e| Some(vectors::path(&folder.join(VECTORS), &e.info().ok()?)))
                .collect();
            let health_check = HealthCheck {
                model_vectors: &vector_files,
                database: &folder.join(DATABASE),
                full_text: &folder.join(FULL_TEXT),
                vectors: &folder.join(VECTORS),
                folder: &folder,
                engine: &engine,
                workers: worker_count(options.workers),
                min_free_bytes,
                repair,
                findings: Vec::new(),
            };
            health_check.run(&task)
        })
        .await
    }

    /// Collects the details for a bug report: a check without repairs, and the casebook's state if
    /// it can be opened. Contains no tracker text, no name and no token. An error on opening the
    /// casebook is part of the result.
    pub async fn diagnose(
        options: OpenOptions,
        caller: CallerDetails,
        min_free_bytes: u64,
        task: &Task,
    ) -> Result<Diagnosis> {
        let (folder, now) = (options.folder.clone(), (options.clock)());
        let health = Self::doctor(options.clone(), false, min_free_bytes, task).await?;
        let mut state = CasebookState::default();
        match Self::open(OpenOptions { create: false, preload: false, ..options }).await {
            Ok(casebook) => {
                match casebook.status().await {
                    Ok(status) => state.status = Some(status),
                    Err(error) => state.problems.push(error.to_string()),
                }
                match casebook.mirrors().await {
                    Ok(mirrors) => state.mirrors = mirrors,
                    Err(error) => state.problems.push(error.to_string()),
                }
            }
            Err(error) => state.problems.push(error.to_string()),
        }
        run_blocking(move || Ok(diagnose(&folder, health, state, caller, now))).await
    }

    /// Writes a full copy of the database to a file, readable by this user only. Other processes
    /// may use the casebook in the meantime. Derived data is not included, because it can be
    /// rebuilt. Fails if the file exists and `replace` is false.
    pub async fn backup(&self, file: &Path, replace: bool) -> Result<Backup> {
        let file = file.to_owned();
        self.run(move |i| {
            if file.exists() && !replace {
                return Err(exists_error(&file));
            }
            // The copy must not contain removed text.
            i.store.purge(&Task::new())?;
            // The old copy is replaced only once the new one is complete.
            let staging_folder = StagingFolder::create_beside(&file)?;
            let copy = staging_folder.path("copy.db");
            i.store.copy_to(&copy)?;
            staging_folder.put(&copy, &file, replace)?;
            let bytes = fs::metadata(&file).map_err(|e| Error::io(&file, e))?.len();
            Ok(Backup { file: file.display().to_string(), bytes })
        })
        .await
    }

    /// Opens a casebook that is about to be restored from `file`. If `file` can be restored, a
    /// corrupt database is moved aside with its log, and its new path is returned.
    pub async fn open_to_restore(
        options: OpenOptions,
        file: &Path,
    ) -> Result<(Self, Option<PathBuf>)> {
        let database = options.folder.join(DATABASE);
        let path = database.clone();
        if run_blocking(move || Ok(!path.is_file() || store::is_intact(&path))).await? {
            match Self::open(options.clone()).await {
                Err(error) if error.code() == Code::Corrupt => {}
                result => return Ok((result?, None)),
            }
        }
        let (folder, file) = (options.folder.clone(), file.to_owned());
        let corrupt_copy = run_blocking(move || {
            drop(checked_copy(&folder, &file)?);
            store::set_aside(&database)
        })
        .await?;
        Ok((Self::open(options).await?, Some(corrupt_copy)))
    }

    /// Restores a copy that [`Casebook::backup`] made, in one transaction, even while other
    /// processes have the casebook open. The current data is kept as a copy beside it. The next
    /// update rebuilds derived data. Fails while another process is updating the indexes or
    /// importing.
    pub async fn restore(&self, file: &Path) -> Result<RestoreResult> {
        let file = file.to_owned();
        self.run(move |i| {
            let _import_lock =
                FileLock::try_acquire(&i.folder, "import.lock")?.ok_or_else(|| {
                    Error::new(Code::Busy, "another process is importing into this casebook")
                        .with_hint("Wait until it has finished, then try again.")
                })?;
            let sources = i.store.read(|r| r.sources())?;
            let _sync_lock = SyncLock::take_all(&i.folder, &sources)?;
            let (_staging, copy) = checked_copy(&i.folder, &file)?;
            let session = i.embedding_session()?;
            let vectors = session.vectors().ok();
            // An index that is ahead of its database would hide later changes.
            let old_copy = i.indexes().with_cleared_indexes(vectors.as_deref(), || {
                i.clear_languages()?;
                let old_copy = match i.store.document_count()?
                    + i.store.read(|r| Ok(r.verdicts(None)?.len() as u64))?
                {
                    0 => None,
                    _ => Some(i.store.keep_copy(&format!(
                        "before-restore-{}",
                        (i.clock)().strftime("%Y-%m-%d")
                    ))?),
                };
                i.store.replace_with(&copy)?;
                Ok(old_copy)
            })?;
            let contents = i.store.contents()?;
            Ok(RestoreResult {
                file: file.display().to_string(),
                kept: old_copy.map(|k| k.display().to_string()),
                contents,
            })
        })
        .await
    }

    /// Writes the casebook into one portable file, readable by this user only: sources, documents,
    /// comments, links and verdicts. Private notes are included only with `notes`. Tokens are never
    /// included, because no casebook contains them. Fails if the file exists and `replace` is
    /// false.
    pub async fn export(
        &self,
        file: &Path,
        notes: bool,
        replace: bool,
        task: &Task,
    ) -> Result<ExportResult> {
        let (file, task) = (file.to_owned(), task.clone());
        self.run(move |i| portable::export(&i.store, &file, notes, replace, (i.clock)(), &task))
            .await
    }

    /// Checks whether a file can be imported before a casebook is created for it. Unpacks it below
    /// `scratch`.
    pub async fn check_exported(file: &Path, scratch: &Path, task: &Task) -> Result<()> {
        let (file, scratch, task) = (file.to_owned(), scratch.to_owned(), task.clone());
        run_blocking(move || portable::check(&file, &scratch, &task)).await
    }

    /// Imports a portable file: all of it or, on an error, nothing. Existing data is kept. Entries
    /// about sources missing from the file, or about pairs already decided here, are skipped and
    /// passed to `on_skip` before anything is written.
    pub async fn import_casebook(
        &self,
        file: &Path,
        on_skip: impl FnOnce(&[String]) + Send + 'static,
        task: &Task,
    ) -> Result<PortableImport> {
        let (file, task) = (file.to_owned(), task.clone());
        self.run(move |i| portable::import(&i.store, &i.folder, &file, (i.clock)(), on_skip, &task))
            .await
    }
}

/// Copies a file to be restored into a folder of its own, and checks the copy.
fn checked_copy(folder: &Path, file: &Path) -> Result<(StagingFolder, PathBuf)> {
    let staging_folder = StagingFolder::create_in(folder)?;
    let copy = staging_folder.path("restore.db");
    copy_database(file, &copy)?;
    store::check_foreign(&copy).map_err(|e| match e.code() {
        Code::InvalidInput => e
            .context(file.display())
            .with_hint("Use a backup. Import an exported casebook instead.")
            .with_command(Remedy::Add, "precedent import casebook FILE"),
        _ => e.context(file.display()),
    })?;
    Ok((staging_folder, copy))
}

/// Copies a database with its write-ahead log, which holds changes not yet in the file.
fn copy_database(from: &Path, to: &Path) -> Result<()> {
    for suffix in ["", "-wal"] {
        let (from, to) = (store::with_suffix(from, suffix), store::with_suffix(to, suffix));
        match fs::copy(&from, &to) {
            Err(e) if !suffix.is_empty() && e.kind() == std::io::ErrorKind::NotFound => {}
            result => drop(result.map_err(|e| Error::io(&from, e))?),
        }
    }
    Ok(())
}
