//! Embeddings: texts to unit vectors, on this machine.

mod hashed;
mod onnx;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

pub use hashed::Hashed;
pub use onnx::Onnx;

use crate::{
    error::{Code, Error, Result},
    text::PREPARATION_VERSION,
};

/// The name of the folder that holds the built-in model, below the folders that faces pass in.
pub const BUILT_IN: &str = "builtin";

/// What a model is, from its card.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct ModelInfo {
    /// Its name.
    pub name: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// Word pieces that it reads; what follows is cut.
    pub max_tokens: usize,
    /// SHA-256 of the ONNX file, in hexadecimal: tells models apart and finds a damaged file.
    pub sha256: String,
    /// A cosine below this says nothing: unrelated texts reach it.
    pub floor: f32,
    /// Notes from this cosine on say the same.
    pub same: f32,
    /// Notes from this cosine on say nearly the same.
    pub near: f32,
    /// A solved case from this cosine on is worth reading.
    pub solved: f32,
}

impl ModelInfo {
    /// Tells sets of vectors apart: the model, its dimensions and the text preparation. Safe as a file name.
    pub fn fingerprint(&self) -> String {
        let text = format!("{} {} {} {PREPARATION_VERSION}", self.name, self.sha256, self.dimensions);
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }
}

/// Turns texts into unit vectors. Both sides of a comparison are written by
/// [`representation`](crate::text::chunk::representation).
pub trait Embedder: Send {
    /// The model.
    fn info(&self) -> &ModelInfo;

    /// The vector of one text: `dimensions` numbers of Euclidean length 1. One text at a time, by design: with mixed
    /// lengths a batch is mostly padding, and the results of a dynamically quantised model depend on what else is in
    /// the batch.
    ///
    /// # Errors
    /// [`Code::ModelUnavailable`] if the model fails.
    fn embed(&mut self, text: &str) -> Result<Vec<f32>>;
}

/// Where models and their runtime are looked for.
#[derive(Clone, Debug, Default)]
pub struct ModelPaths {
    /// Candidates for ONNX Runtime's shared library, in order.
    pub runtime: Vec<PathBuf>,
    /// Candidates for the folder that holds the built-in model's folder, in order.
    pub models: Vec<PathBuf>,
}

/// How vectors are made.
#[derive(Clone, Debug)]
pub enum Engine {
    /// The built-in ONNX model.
    BuiltIn(ModelPaths),
    /// Hashed words: deterministic, no model, for tests alone. Its meaning is no more than shared words.
    Hashed,
    /// None: search answers by words alone.
    Off,
}

impl Engine {
    /// The model's card, without loading it.
    ///
    /// # Errors
    /// [`Code::ModelUnavailable`], with the remedy, if there is none.
    pub fn info(&self) -> Result<ModelInfo> {
        match self {
            Self::BuiltIn(paths) => Ok(card(&paths.models)?.1),
            Self::Hashed => Ok(Hashed::model()),
            Self::Off => Err(off()),
        }
    }

    /// Loads the model.
    ///
    /// # Errors
    /// [`Code::ModelUnavailable`], with the remedy, if it cannot be loaded.
    pub fn load(&self) -> Result<Box<dyn Embedder>> {
        match self {
            Self::BuiltIn(paths) => {
                let (folder, info) = card(&paths.models)?;
                Ok(Box::new(Onnx::load(&paths.runtime, &folder, info)?))
            }
            Self::Hashed => Ok(Box::new(Hashed)),
            Self::Off => Err(off()),
        }
    }
}

/// What keeps the built-in model from being used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The runtime's library is in none of the places.
    RuntimeMissing,
    /// There is a library, and it cannot be used.
    RuntimeUnusable,
    /// The model is in none of the places.
    ModelMissing,
    /// The model's files are not what they should be.
    ModelDamaged,
}

impl Engine {
    /// Looks at the model's files and loads it; what is wrong, if anything is.
    ///
    /// # Errors
    /// The fault, with the error that a search would meet.
    pub fn examine(&self) -> std::result::Result<(), (Fault, Error)> {
        let Self::BuiltIn(paths) = self else { return Ok(()) };
        let (folder, info) = match card(&paths.models) {
            Ok(found) => found,
            Err(error) if paths.models.iter().any(|f| f.join(BUILT_IN).join("card.json").is_file()) => {
                return Err((Fault::ModelDamaged, error));
            }
            Err(error) => return Err((Fault::ModelMissing, error)),
        };
        if let Err(error) = onnx::environment(&paths.runtime) {
            let there = paths.runtime.iter().any(|p| p.is_file());
            return Err((if there { Fault::RuntimeUnusable } else { Fault::RuntimeMissing }, error));
        }
        // A file whose weights were changed loads, and gives wrong vectors.
        let broken = |why: String| Err((Fault::ModelDamaged, damaged(&folder, &why)));
        let bytes = match std::fs::read(folder.join("model.onnx")) {
            Ok(bytes) => bytes,
            Err(error) => return broken(format!("model.onnx: {error}")),
        };
        let digest: String = Sha256::digest(&bytes).iter().map(|b| format!("{b:02x}")).collect();
        if digest != info.sha256 {
            return broken("model.onnx is not the file that its card names".to_owned());
        }
        self.load().map(drop).map_err(|error| (Fault::ModelDamaged, error))
    }
}

fn off() -> Error {
    Error::new(Code::ModelUnavailable, "search by meaning is switched off")
}

/// Finds the built-in model's folder and reads its card.
fn card(folders: &[PathBuf]) -> Result<(PathBuf, ModelInfo)> {
    let folder =
        folders.iter().map(|f| f.join(BUILT_IN)).find(|f| f.join("card.json").is_file()).ok_or_else(
            || {
                Error::new(Code::ModelUnavailable, "the embedding model is not installed").with_hint(
            "Reinstall Precedent, or set PRECEDENT_MODELS to the folder that holds builtin/model.onnx. \
             Search by words goes on without it.",
        )
            },
        )?;
    let text = std::fs::read(folder.join("card.json")).map_err(|e| Error::io(&folder, e))?;
    let info: ModelInfo = serde_json::from_slice(&text).map_err(|e| damaged(&folder, &e.to_string()))?;
    if info.dimensions == 0 || !info.dimensions.is_multiple_of(64) || info.dimensions > 4096 {
        return Err(damaged(&folder, "its vectors have an impossible length"));
    }
    Ok((folder, info))
}

fn damaged(folder: &Path, why: &str) -> Error {
    Error::new(
        Code::ModelUnavailable,
        format!("the embedding model in {} is damaged: {why}", folder.display()),
    )
    .with_hint("Reinstall Precedent. Search by words goes on without the model.")
}

/// Scales a vector to length 1; a zero vector stays.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > 0.0 {
        for x in vector {
            *x /= length;
        }
    }
}
