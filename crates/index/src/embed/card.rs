//! The card of a model: its identity, its use and its cosine thresholds.

use std::{fs::File, io::Read as _, path::Path};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::damaged_model;
use precedent_core::error::{Error, Result};
use precedent_text::PREPARATION_VERSION;

/// The name of the model's file, beside its card.
pub const MODEL: &str = "model.onnx";
/// The name of the card's file in a model's folder.
pub const CARD: &str = "card.json";

/// The pooling of word-piece vectors into the vector of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pooling {
    /// Mean of all vectors.
    #[default]
    Mean,
    /// Vector of the first word piece.
    Cls,
}

/// The external weights of a model, which the runtime maps into memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Weights {
    /// File name beside the model's file, as that file refers to it.
    pub file: String,
    /// SHA-256 in hexadecimal.
    pub sha256: String,
}

/// The content of a model's card.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelInfo {
    /// Name of the model.
    pub name: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// Maximum number of word pieces of a text; the rest is ignored.
    pub max_tokens: usize,
    /// SHA-256 of the ONNX file in hexadecimal, which identifies the model and detects a damaged
    /// file.
    pub sha256: String,
    /// External weights, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<Weights>,
    /// Pooling of the word-piece vectors.
    #[serde(default)]
    pub pooling: Pooling,
    /// Prefix of every text, stored or queried, that some models require ("query: ").
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prefix: String,
    /// Cosine that unrelated texts may reach; lower cosines are not significant.
    pub floor: f32,
    /// Minimum cosine of notes with the same content.
    pub same: f32,
    /// Minimum cosine of notes with nearly the same content.
    pub near: f32,
    /// Minimum cosine of a relevant solved case.
    pub solved: f32,
}

impl ModelInfo {
    /// Returns the identifier of the model, its use and the text preparation, which determine the
    /// vectors. Safe as a file name.
    pub fn fingerprint(&self) -> String {
        let mut text =
            format!("{} {} {} {PREPARATION_VERSION}", self.name, self.sha256, self.dimensions);
        if let Some(weights) = &self.weights {
            text.push_str(&format!(" {}", weights.sha256));
        }
        if self.pooling != Pooling::Mean || !self.prefix.is_empty() {
            text.push_str(&format!(" {:?} {:?}", self.pooling, self.prefix));
        }
        blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
    }

    /// Reads the card in a model's folder.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(CARD);
        let text = std::fs::read(&path).map_err(|e| Error::io(&path, e))?;
        let info: Self =
            serde_json::from_slice(&text).map_err(|e| damaged_model(folder, &e.to_string()))?;
        if info.dimensions == 0 || !info.dimensions.is_multiple_of(64) || info.dimensions > 4096 {
            return Err(damaged_model(folder, "its vectors have an invalid length"));
        }
        if info
            .weights
            .as_ref()
            .is_some_and(|w| Path::new(&w.file).file_name() != Some(w.file.as_ref()))
        {
            return Err(damaged_model(folder, "its weights are in another folder"));
        }
        Ok(info)
    }
}

/// Returns the SHA-256 of a file, in hexadecimal.
pub fn digest(path: &Path) -> Result<String> {
    let io_error = |e| Error::io(path, e);
    let mut file = File::open(path).map_err(io_error)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer).map_err(io_error)? {
            0 => break,
            n => hash.update(&buffer[..n]),
        }
    }
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}
