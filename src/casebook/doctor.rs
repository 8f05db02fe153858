//! The check-up, copies of the database, and the casebook as one file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{Casebook, DATABASE, FULL_TEXT, OpenOptions, VECTORS, meaning::MODELS};
use crate::{
    doctor::CheckUp,
    embed::{Engine, ModelPaths},
    error::{Error, Result},
    files::{self, Existing, Workplace},
    index::vectors,
    model::{Backup, Carried, Exported, Health},
    portable, store,
    task::{Task, blocking},
};

impl Casebook {
    /// Looks at every part of a casebook, also of one that cannot be opened, and with `repair` mends what can be mended.
    /// With fewer than `wanted_free` bytes free, its disk is nearly full.
    ///
    /// # Errors
    /// [`crate::Code::NotFound`] if there is no casebook, [`crate::Code::Cancelled`], and those of a repair that failed.
    pub async fn doctor(options: OpenOptions, repair: bool, wanted_free: u64, task: &Task) -> Result<Health> {
        let task = task.clone();
        blocking(move || {
            let folder = options.folder;
            let engine = options
                .engine
                .unwrap_or(Engine::BuiltIn(ModelPaths { runtime: options.runtime, models: options.models }));
            let built_in = engine.clone();
            // Of a file that cannot be read nothing is known; the built-in model is as good as another then.
            let models = folder.join(MODELS);
            let engine = match store::chosen_model(&folder.join(DATABASE)) {
                Some(name) => engine.installed(models.join(name)),
                None => engine,
            };
            let here = fs::read_dir(&models).into_iter().flatten().filter_map(|e| Some(e.ok()?.path()));
            let all = here.map(|m| engine.installed(m)).chain([built_in]);
            let known: Vec<PathBuf> =
                all.filter_map(|e| Some(vectors::path(&folder.join(VECTORS), &e.info().ok()?))).collect();
            let check_up = CheckUp {
                known: &known,
                database: &folder.join(DATABASE),
                full_text: &folder.join(FULL_TEXT),
                vectors: &folder.join(VECTORS),
                folder: &folder,
                engine: &engine,
                workers: options.workers.max(1),
                wanted_free,
                repair,
            };
            check_up.run(&task)
        })
        .await
    }

    /// Writes a whole copy of the database to a file, readable by this user alone. Others may go on working meanwhile.
    /// What is derived is not in it: it is made again.
    ///
    /// # Errors
    /// [`crate::Code::InvalidInput`] if the file is there already and is not to be replaced, [`crate::Code::Io`] if it
    /// cannot be written.
    pub async fn backup(&self, file: &Path, replace: bool) -> Result<Backup> {
        let file = file.to_owned();
        self.run(move |i| {
            if file.exists() && !replace {
                return Err(files::is_there(&file));
            }
            // The old copy goes only when the new one is whole.
            let place = Workplace::beside(&file)?;
            let part = place.path("copy.db");
            i.store.copy_to(&part)?;
            place.put(&part, &file, if replace { Existing::Replace } else { Existing::Keep })?;
            let bytes = fs::metadata(&file).map_err(|e| Error::io(&file, e))?.len();
            Ok(Backup { file: file.display().to_string(), bytes })
        })
        .await
    }

    /// Writes the casebook into one portable file, readable by this user alone: sources, documents, comments, links and
    /// verdicts; private notes only with `notes`; never tokens, which are in no casebook.
    ///
    /// # Errors
    /// [`crate::Code::InvalidInput`] if the file is there already and is not to be replaced, [`crate::Code::Io`] if it
    /// cannot be written, [`crate::Code::Cancelled`].
    pub async fn export(&self, file: &Path, notes: bool, replace: bool, task: &Task) -> Result<Exported> {
        let (file, task) = (file.to_owned(), task.clone());
        self.run(move |i| portable::export(&i.store, &file, notes, replace, (i.clock)(), &task)).await
    }

    /// Takes over a portable file: all of it or, on an error, nothing. What is here stays.
    ///
    /// # Errors
    /// [`crate::Code::InvalidInput`] for a file that is none, is cut, was changed, or holds what is here already;
    /// [`crate::Code::NewerCasebook`], [`crate::Code::Io`], [`crate::Code::Cancelled`].
    pub async fn import_casebook(&self, file: &Path, task: &Task) -> Result<Carried> {
        let (file, task) = (file.to_owned(), task.clone());
        self.run(move |i| portable::import(&i.store, &i.folder, &file, &task)).await
    }
}
