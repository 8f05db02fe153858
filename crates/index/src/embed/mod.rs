//! Local models: conversion of texts to unit vectors, and recognition of names.

mod card;
mod catalog;
mod hash_embedder;
mod install;
mod names;
mod onnx;
mod wordpiece;

use std::path::{Path, PathBuf};

pub use card::{CARD, MODEL, ModelInfo, Pooling, Weights, digest};
pub use catalog::{CatalogEntry, TOKENIZER, catalog};
pub use hash_embedder::HashEmbedder;
pub use install::{
    ImportOptions, check_name, import, looks_like_html, remove_leftovers, suggested_name,
};
pub use names::{NameKind, NameModel, RecognizedName};
pub use onnx::Onnx;

use precedent_core::error::{Code, Error, Remedy, Result};

/// The name of the built-in model's folder.
pub const BUILT_IN: &str = "builtin";
/// The name of the folder of the model for languages other than English.
pub const LANGUAGES: &str = "languages";

/// A converter of texts to unit vectors. Stored and queried texts are both formatted by
/// [`representation`](precedent_text::chunk::representation).
pub trait Embedder: Send {
    /// Returns the model's card.
    fn info(&self) -> &ModelInfo;

    /// Returns the unit vector of a text. There are no batches, because with mixed lengths a batch
    /// is mostly padding, and the results of a dynamically quantized model depend on the other
    /// texts.
    fn embed(&mut self, text: &str) -> Result<Vec<f32>>;
}

/// The search paths of models and their runtime.
#[derive(Clone, Debug, Default)]
pub struct ModelPaths {
    /// Candidates for ONNX Runtime's shared library, in order.
    pub runtime: Vec<PathBuf>,
    /// Candidates for the folder that contains the built-in model's folder, in order.
    pub models: Vec<PathBuf>,
}

/// The workload that a model is optimized for. The vectors do not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Many texts: the weights are rearranged for the processor once.
    Indexing,
    /// Occasional queries: loading is faster and takes less memory, but each query takes half a
    /// millisecond longer.
    Queries,
}

/// The source of vectors.
#[derive(Clone, Debug)]
pub enum Engine {
    /// The built-in ONNX model.
    BuiltIn(ModelPaths),
    /// The ONNX model in this folder.
    Installed {
        /// The search paths of the built-in models and the runtime.
        paths: ModelPaths,
        /// The model's folder.
        folder: PathBuf,
    },
    /// Hashed words, for tests: deterministic and without a model. Shared words make texts similar.
    Hashed,
    /// Hashed words under the name in this folder's card; incompatible with [`Engine::Hashed`].
    HashedAs(PathBuf),
    /// No vectors: search uses only words.
    Off,
}

impl Engine {
    /// Returns the same engine with the model in this folder instead of the built-in one.
    #[must_use]
    pub fn with_folder(&self, folder: PathBuf) -> Self {
        match self {
            Self::BuiltIn(paths) | Self::Installed { paths, .. } => {
                Self::Installed { paths: paths.clone(), folder }
            }
            Self::Hashed | Self::HashedAs(_) => Self::HashedAs(folder),
            Self::Off => Self::Off,
        }
    }

    /// Returns the engine of the model for languages other than English.
    #[must_use]
    pub fn languages(&self) -> Self {
        match self {
            Self::BuiltIn(paths) | Self::Installed { paths, .. } => {
                let folders = paths.models.iter().map(|folder| folder.join(LANGUAGES));
                match folders.into_iter().find(|folder| folder.join(CARD).is_file()) {
                    Some(folder) => Self::Installed { paths: paths.clone(), folder },
                    None => Self::Off,
                }
            }
            Self::Hashed | Self::HashedAs(_) => Self::Hashed,
            Self::Off => Self::Off,
        }
    }

    /// Returns the candidates for ONNX Runtime's shared library.
    pub fn runtime(&self) -> &[PathBuf] {
        match self {
            Self::BuiltIn(paths) | Self::Installed { paths, .. } => &paths.runtime,
            _ => &[],
        }
    }

    /// Reads the model's card, without loading the model.
    pub fn info(&self) -> Result<ModelInfo> {
        match self {
            Self::BuiltIn(paths) => Ok(built_in_card(&paths.models)?.1),
            Self::Installed { folder, .. } => installed_card(folder),
            Self::Hashed => Ok(HashEmbedder::model()),
            Self::HashedAs(folder) => {
                Ok(ModelInfo { name: installed_card(folder)?.name, ..HashEmbedder::model() })
            }
            Self::Off => Err(disabled_error()),
        }
    }

    /// Initializes the runtime, which takes as long as reading a model. Ignores errors, because
    /// [`Engine::load`] reports them.
    pub fn preload(&self) {
        if !self.runtime().is_empty() {
            drop(onnx::environment(self.runtime()));
        }
    }

    /// Loads the model.
    pub fn load(&self, work: Work) -> Result<Box<dyn Embedder>> {
        match self {
            Self::BuiltIn(paths) => {
                let (folder, info) = built_in_card(&paths.models)?;
                Ok(Box::new(Onnx::load(&paths.runtime, &folder, info, work)?))
            }
            Self::Installed { paths, folder } => {
                Ok(Box::new(Onnx::load(&paths.runtime, folder, installed_card(folder)?, work)?))
            }
            Self::Hashed => Ok(Box::new(HashEmbedder::new(HashEmbedder::model()))),
            Self::HashedAs(_) => Ok(Box::new(HashEmbedder::new(self.info()?))),
            Self::Off => Err(disabled_error()),
        }
    }

    /// Loads the model that recognizes names in texts; `None` for an engine without models.
    pub fn load_names(&self) -> Result<Option<NameModel>> {
        match self {
            Self::BuiltIn(paths) | Self::Installed { paths, .. } => {
                NameModel::load(paths).map(Some)
            }
            _ => Ok(None),
        }
    }
}

fn installed_card(folder: &Path) -> Result<ModelInfo> {
    if !folder.join(CARD).is_file() {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        return Err(Error::new(
            Code::ModelUnavailable,
            format!("the model \"{name}\" is not installed"),
        )
        .with_hint("Install it again, or switch back.")
        .with_command(Remedy::Models, "precedent model use builtin"));
    }
    ModelInfo::read(folder)
}

/// The reason why a model cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The runtime's library is missing.
    RuntimeMissing,
    /// The runtime's library exists but cannot be used.
    RuntimeUnusable,
    /// The model is missing.
    ModelMissing,
    /// The model's files are damaged.
    ModelDamaged,
}

impl Engine {
    /// Checks the model's files and loads it.
    ///
    /// # Errors
    /// The fault and the error that a search would report.
    pub fn examine(&self) -> std::result::Result<(), (Fault, Error)> {
        let is_installed = match self {
            Self::BuiltIn(paths) => {
                paths.models.iter().any(|f| f.join(BUILT_IN).join(CARD).is_file())
            }
            Self::Installed { folder, .. } => folder.join(CARD).is_file(),
            _ => return Ok(()),
        };
        if let Err(error) = self.info() {
            return Err((
                if is_installed { Fault::ModelDamaged } else { Fault::ModelMissing },
                error,
            ));
        }
        if let Err(error) = onnx::environment(self.runtime()) {
            let has_runtime = self.runtime().iter().any(|p| p.is_file());
            return Err((
                if has_runtime { Fault::RuntimeUnusable } else { Fault::RuntimeMissing },
                error,
            ));
        }
        self.load(Work::Queries).map(drop).map_err(|error| (Fault::ModelDamaged, error))
    }
}

fn disabled_error() -> Error {
    Error::new(Code::ModelUnavailable, "search by meaning is disabled")
}

/// Finds the built-in model's folder and reads its card.
fn built_in_card(folders: &[PathBuf]) -> Result<(PathBuf, ModelInfo)> {
    let folder = folders
        .iter()
        .map(|f| f.join(BUILT_IN))
        .find(|f| f.join(CARD).is_file())
        .ok_or_else(|| {
            Error::new(Code::ModelUnavailable, "the embedding model is not installed").with_hint(
                "Reinstall Precedent, or set PRECEDENT_MODELS to the folder that contains \
                 builtin/model.onnx.",
            )
        })?;
    let info = ModelInfo::read(&folder)?;
    Ok((folder, info))
}

fn damaged_model(folder: &Path, reason: &str) -> Error {
    Error::new(
        Code::ModelUnavailable,
        format!("the embedding model in {} is damaged: {reason}", folder.display()),
    )
    .with_hint("Reinstall Precedent or the model.")
}

/// Scales a vector to length 1; a zero vector is unchanged.
pub fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}
