//! A deterministic stand-in for tests: every word adds to a few dimensions that its hash names.

use super::{Embedder, ModelInfo, normalise};
use crate::{error::Result, text::tokens};

const DIMENSIONS: usize = 384;

/// Hashed words. Two texts are near when they share words; nothing else.
#[derive(Debug)]
pub struct Hashed;

impl Hashed {
    pub(super) fn model() -> ModelInfo {
        ModelInfo {
            name: "hashed-words-for-tests".to_owned(),
            dimensions: DIMENSIONS,
            max_tokens: usize::MAX,
            sha256: String::new(),
            floor: 0.15,
            same: 0.95,
            near: 0.9,
            solved: 0.65,
        }
    }
}

impl Embedder for Hashed {
    fn info(&self) -> &ModelInfo {
        static INFO: std::sync::LazyLock<ModelInfo> = std::sync::LazyLock::new(Hashed::model);
        &INFO
    }

    fn embed(&mut self, text: &str) -> Result<Vec<f32>> {
        let mut vector = vec![0.0; DIMENSIONS];
        for word in tokens::words(text).iter().filter(|w| !tokens::is_stop_word(&w.term)) {
            let hash = blake3::hash(word.term.as_bytes());
            for pair in hash.as_bytes().chunks_exact(2).take(8) {
                let at = usize::from(u16::from_le_bytes([pair[0], pair[1]]));
                vector[at % DIMENSIONS] += if pair[0] & 1 == 0 { 1.0 } else { -1.0 };
            }
        }
        normalise(&mut vector);
        Ok(vector)
    }
}
