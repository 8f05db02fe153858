//! A model's card: what it is, and the scale of its cosine.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::damaged;
use precedent_core::error::{Error, Result};
use precedent_text::PREPARATION_VERSION;

/// The name of the model's file, beside its card.
pub const MODEL: &str = "model.onnx";
/// The card's file in a model's folder.
pub const CARD: &str = "card.json";

/// How the vectors of word pieces become the vector of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Their mean.
    #[default]
    Mean,
    /// That of the first one.
    Cls,
}

/// The weights of a model that keeps them in a file of their own: the runtime maps it into memory and copies nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weights {
    /// The file's name, beside the model's, as the model's file names it.
    pub file: String,
    /// Its SHA-256, in hexadecimal.
    pub sha256: String,
}

/// What a model is, from its card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// Its name.
    pub name: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// Word pieces that it reads; what follows is cut.
    pub max_tokens: usize,
    /// SHA-256 of the ONNX file, in hexadecimal: tells models apart and finds a damaged file.
    pub sha256: String,
    /// Its weights, where they are not part of that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// How the vectors of word pieces become one.
    #[serde(default)]
    pub pooling: Pooling,
    /// What is written before every text, stored or asked, as some models were trained ("query: ").
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
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
    /// Tells sets of vectors apart: the model, how it is used, and the text preparation. Safe as a file name.
    pub fn fingerprint(&self) -> String {
        let mut text = format!("{} {} {} {PREPARATION_VERSION}", self.name, self.sha256, self.dimensions);
        if let Some(weights) = &self.weights {
            text.push_str(&format!(" {}", weights.sha256));
        }
        if self.pooling != Pooling::Mean || !self.prefix.is_empty() {
            text.push_str(&format!(" {:?} {:?}", self.pooling, self.prefix));
        }
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }

    /// Reads the card in a model's folder.
    ///
    /// # Errors
    /// [`precedent_core::Code::ModelUnavailable`] if it is damaged, [`precedent_core::Code::Io`] if it cannot be read.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(CARD);
        let text = std::fs::read(&path).map_err(|e| Error::io(&path, e))?;
        let info: Self = serde_json::from_slice(&text).map_err(|e| damaged(folder, &e.to_string()))?;
        if info.dimensions == 0 || !info.dimensions.is_multiple_of(64) || info.dimensions > 4096 {
            return Err(damaged(folder, "its vectors have an invalid length"));
        }
        if info.weights.as_ref().is_some_and(|w| Path::new(&w.file).file_name() != Some(w.file.as_ref())) {
            return Err(damaged(folder, "its weights are in another folder"));
        }
        Ok(info)
    }
}
