//! Vectors of hashed words, for texts that a model cannot read, and as a deterministic substitute
//! in tests. Each word adds to a few dimensions.

use super::{Embedder, ModelInfo, Pooling, normalize};
use precedent_core::error::Result;
use precedent_text::tokens;

const DIMENSIONS: usize = 384;

/// An embedder of hashed words. Only shared words make two texts similar.
#[derive(Debug)]
pub struct HashEmbedder {
    info: ModelInfo,
    /// Key of the hashes; another model name gives another vector space.
    key: Option<[u8; 32]>,
}

impl HashEmbedder {
    pub(super) fn new(info: ModelInfo) -> Self {
        let key = (info.name != Self::model().name)
            .then(|| *blake3::hash(info.name.as_bytes()).as_bytes());
        Self { info, key }
    }

    pub(crate) fn model() -> ModelInfo {
        ModelInfo {
            name: "hashed-words-for-tests".to_owned(),
            dimensions: DIMENSIONS,
            max_tokens: usize::MAX,
            sha256: String::new(),
            weights: None,
            pooling: Pooling::Mean,
            prefix: String::new(),
            floor: 0.15,
            same: 0.95,
            near: 0.9,
            solved: 0.65,
        }
    }
}

impl Embedder for HashEmbedder {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, text: &str) -> Result<Vec<f32>> {
        Ok(hash_words(text, DIMENSIONS, self.key.as_ref()))
    }
}

/// Returns the unit vector of a text's hashed words; zero for a text without words.
pub(super) fn hash_words(text: &str, dimensions: usize, key: Option<&[u8; 32]>) -> Vec<f32> {
    let mut vector = vec![0.0; dimensions];
    for word in tokens::words(text).iter().filter(|w| !tokens::is_stop_word(&w.term)) {
        let hash = match key {
            Some(key) => blake3::keyed_hash(key, word.term.as_bytes()),
            None => blake3::hash(word.term.as_bytes()),
        };
        for pair in hash.as_bytes().chunks_exact(2).take(8) {
            let index = usize::from(u16::from_le_bytes([pair[0], pair[1]]));
            vector[index % dimensions] += if pair[0] & 1 == 0 { 1.0 } else { -1.0 };
        }
    }
    normalize(&mut vector);
    vector
}
