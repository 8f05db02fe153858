//! The available models: listing, installing, selecting and removing them.

use std::{fs, path::Path};

use super::{Casebook, Inner, VECTORS};
use crate::samples;
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    files::create_private_folder,
    model::ModelView,
    task::Task,
};
use precedent_index::{
    embed::{
        self, BUILT_IN, CatalogEntry, Engine, ImportOptions, MODEL, ModelInfo, TOKENIZER, catalog,
    },
    vectors,
};
use precedent_text::similar;
use precedent_trackers::http::download;

/// The host of the catalog's models.
const HUB: &str = "https://huggingface.co";
/// The number of unrelated texts used to calibrate a model's cosines.
const SAMPLE_COUNT: usize = 100;

impl Casebook {
    /// Returns the usable models: the built-in one first, then the installed ones by name.
    pub async fn models(&self) -> Result<Vec<ModelView>> {
        self.run(|i| i.model_views()).await
    }

    /// Returns the models that can be installed by name.
    pub fn catalog() -> Vec<CatalogEntry> {
        catalog()
    }

    /// Returns the base URL of the catalog's models.
    pub fn hub(&self) -> Result<url::Url> {
        let hub = self.inner.hub.as_deref().unwrap_or(HUB);
        url::Url::parse(hub).map_err(|_| {
            Error::invalid(format!("\"{hub}\" is not a valid model hub address"))
                .with_hint("Use an address like https://hub.example.")
        })
    }

    /// Installs a model from a folder, an ONNX file beside its tokenizer, or an archive of a
    /// folder. Does not activate it. On an error, nothing is left behind.
    pub async fn import_model(
        &self,
        path: &Path,
        name: Option<&str>,
        options: ImportOptions,
        task: &Task,
    ) -> Result<ModelView> {
        let (path, task) = (path.to_owned(), task.clone());
        let name = name.map_or_else(|| embed::suggested_name(&path), str::to_owned);
        if name == BUILT_IN {
            return Err(Error::invalid(format!(
                "the name {BUILT_IN} is reserved for the built-in model"
            ))
            .with_hint("Choose another name.")
            .with_command(None, "--name NAME"));
        }
        self.run(move |i| i.import_model(&path, &name, &options, &task)).await
    }

    /// Downloads and installs a model from the catalog. An interrupted download is resumed.
    pub async fn install_model(&self, name: &str, task: &Task) -> Result<ModelView> {
        let entry = catalog().into_iter().find(|e| e.name == name).ok_or_else(|| {
            let entries = catalog();
            let suggestion = similar::closest_name(name, entries.iter().map(|e| e.name.as_str()));
            let hint = suggestion.map(|n| format!("Did you mean {n}? ")).unwrap_or_default();
            Error::not_found(format!(
                "the catalog has no model \"{}\"",
                name.chars().take(80).collect::<String>()
            ))
            .with_hint(format!("{hint}See the list of all models."))
            .with_command(Remedy::Models, "precedent model list --catalog")
        })?;
        let inner = &self.inner;
        if inner.models().join(&entry.name).exists() {
            return Err(Error::invalid(format!("{} is already installed", entry.name))
                .with_hint("Switch to it.")
                .with_command(Remedy::Models, format!("precedent model use {}", entry.name)));
        }
        let (base, http) = (self.hub()?, inner.http.for_task(task));
        // A fixed path, so that a retry resumes the download.
        let folder = inner.models().join(format!(".{}.download", entry.name));
        self.run({
            let folder = folder.clone();
            move |_| create_private_folder(&folder)
        })
        .await?;
        let files =
            TOKENIZER.iter().map(|n| ((*n).to_owned(), *n)).chain([(entry.file.clone(), MODEL)]);
        for (file, file_name) in files {
            let address = format!(
                "{}/{}/resolve/main/{file}",
                base.as_str().trim_end_matches('/'),
                entry.repository
            );
            let url = url::Url::parse(&address)
                .map_err(|_| Error::new(Code::Internal, format!("invalid address {address}")))?;
            let target = folder.join(file_name);
            let Some(checksum) = download::download(&http, &url, &target).await? else {
                continue;
            };
            self.run(move |_| {
                if embed::digest(&target)? == checksum {
                    return Ok(());
                }
                fs::remove_file(&target).map_err(|e| Error::io(&target, e))?;
                Err(Error::new(Code::Network, format!("the download from {address} is damaged"))
                    .with_hint("Its checksum doesn't match the one from the server. Try again."))
            })
            .await?;
        }
        let (task, options) = (
            task.clone(),
            ImportOptions { pooling: Some(entry.pooling), prefix: entry.prefix.to_owned() },
        );
        self.run(move |i| {
            let view = i.import_model(&folder, &entry.name, &options, &task);
            if !matches!(&view, Err(e) if e.code() == Code::Cancelled) {
                // Delete unusable files: a retry with them would fail again.
                fs::remove_dir_all(&folder).map_err(|e| Error::io(&folder, e))?;
            }
            view
        })
        .await
    }

    /// Selects a model, `builtin` or an installed one, to be activated once its vectors exist.
    /// [`Casebook::update_index`] creates them; the current model stays active until then.
    pub async fn use_model(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.run(move |i| {
            i.check_installed(&name)?;
            i.session_of(Some(&name)).embed("")?;
            let active = i.store.read(|r| r.model())?.unwrap_or_else(|| BUILT_IN.to_owned());
            i.store.write(|w| w.set_next_model(Some(name.as_str()).filter(|n| *n != active)))
        })
        .await
    }

    /// Removes an installed model with its vectors. Fails if it is active or selected.
    pub async fn remove_model(&self, name: &str) -> Result<()> {
        let name = name.to_owned();
        self.run(move |i| {
            i.check_installed(&name)?;
            let (active, next) = i.store.read(|r| Ok((r.model()?, r.next_model()?)))?;
            if name == BUILT_IN || [active, next].contains(&Some(name.clone())) {
                return Err(Error::invalid(format!("{name} is in use"))
                    .with_hint("Switch to another model first.")
                    .with_command(Remedy::Models, "precedent model use NAME"));
            }
            if let Ok(info) = i.session_of(Some(&name)).engine().info() {
                vectors::remove(&i.folder, &vectors::path(&i.folder.join(VECTORS), &info))?;
            }
            let folder = i.models().join(&name);
            fs::remove_dir_all(&folder).map_err(|e| Error::io(&folder, e))
        })
        .await
    }
}

impl Inner {
    /// Checks that there is a model with this name.
    fn check_installed(&self, name: &str) -> Result<()> {
        if name == BUILT_IN
            || (embed::check_name(name).is_ok() && self.models().join(name).is_dir())
        {
            return Ok(());
        }
        let short_name: String = name.chars().take(80).collect();
        let (hint, command) = match catalog().iter().any(|e| e.name == name) {
            true => ("Install it first.", format!("precedent model install {name}")),
            false => ("See the list of installed models.", "precedent model list".to_owned()),
        };
        Err(Error::not_found(format!("model \"{short_name}\" is not installed"))
            .with_hint(hint)
            .with_command(Remedy::Models, command))
    }

    fn import_model(
        &self,
        path: &Path,
        name: &str,
        options: &ImportOptions,
        task: &Task,
    ) -> Result<ModelView> {
        if matches!(self.engine, Engine::Off) {
            return Err(Error::invalid("semantic search is disabled"));
        }
        let texts = sample_texts()?;
        embed::import(path, &self.models(), name, options, self.engine.runtime(), &texts, task)?;
        self.model_view(name)
    }

    fn model_views(&self) -> Result<Vec<ModelView>> {
        let mut names: Vec<String> = match fs::read_dir(self.models()) {
            Ok(entries) => entries
                .filter_map(|e| e.ok()?.file_name().into_string().ok())
                .filter(|n| embed::check_name(n).is_ok())
                .collect(),
            Err(_) => Vec::new(),
        };
        names.sort();
        names.insert(0, BUILT_IN.to_owned());
        names.iter().map(|n| self.model_view(n)).collect()
    }

    fn model_view(&self, name: &str) -> Result<ModelView> {
        let (active, next) = self.store.read(|r| Ok((r.model()?, r.next_model()?)))?;
        let session = self.session_of(Some(name));
        let info = session.engine().info();
        // Opening missing vectors would create their file.
        let has_vectors =
            info.as_ref().is_ok_and(|i| vectors::path(&self.folder.join(VECTORS), i).is_file());
        let (embedded_chunks, vector_bytes) =
            match has_vectors.then(|| session.vectors().ok()).flatten() {
                Some(vectors) => (vectors.extent()?.embedded_chunks, vectors.bytes()),
                None => (0, 0),
            };
        let bytes = (name != BUILT_IN).then(|| folder_size(&self.models().join(name)));
        let property = |f: fn(&ModelInfo) -> usize| info.as_ref().ok().map(f);
        Ok(ModelView {
            answers: active.as_deref().unwrap_or(BUILT_IN) == name,
            next: next.as_deref() == Some(name),
            dimensions: property(|i| i.dimensions),
            max_tokens: property(|i| i.max_tokens),
            bytes,
            embedded: embedded_chunks,
            vector_bytes,
            problem: info.err().map(|e| e.to_hint()),
            name: name.to_owned(),
        })
    }
}

/// Returns the total size of the files in a folder, in bytes.
fn folder_size(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|e| Some(e.ok()?.metadata().ok()?.len())).sum()
}

/// Returns reports about different problems, from the sample.
fn sample_texts() -> Result<Vec<String>> {
    #[derive(serde::Deserialize)]
    struct Sample {
        title: String,
        body: Option<String>,
    }
    let lines = samples::ISSUES.lines().take(SAMPLE_COUNT);
    lines
        .map(|line| {
            let sample: Sample = serde_json::from_str(line)
                .map_err(|e| Error::new(Code::Internal, format!("cannot read the sample: {e}")))?;
            Ok(format!("{}\n{}", sample.title, sample.body.unwrap_or_default()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpenOptions;

    #[tokio::test]
    async fn listing_models_creates_no_vectors() {
        let folder = tempfile::tempdir().unwrap();
        let options =
            OpenOptions { engine: Some(Engine::Hashed), ..OpenOptions::new(folder.path()) };
        let casebook = Casebook::open(options).await.unwrap();
        assert_eq!(casebook.models().await.unwrap().len(), 1);
        assert!(!folder.path().join(VECTORS).exists());
    }
}
