//! ONNX models on ONNX Runtime, which is a shared library found at run time.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use fastembed::{
    InitOptionsUserDefined, Pooling, QuantizationMode, TextEmbedding, TokenizerFiles,
    UserDefinedEmbeddingModel,
};
use ort::environment::Environment;

use super::{Embedder, ModelInfo, damaged, normalise};
use crate::error::{Code, Error, Result};

/// The runtime allows one environment a process.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// A sentence transformer with mean pooling.
pub struct Onnx {
    info: ModelInfo,
    model: TextEmbedding,
}

impl std::fmt::Debug for Onnx {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Onnx").field("info", &self.info).finish_non_exhaustive()
    }
}

impl Onnx {
    /// Loads the model of this folder with the first runtime that is there.
    pub(super) fn load(runtime: &[PathBuf], folder: &Path, info: ModelInfo) -> Result<Self> {
        let environment = environment(runtime)?;
        let read = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(|e| damaged(folder, &format!("{name}: {e}")))
        };
        let files = TokenizerFiles {
            tokenizer_file: read("tokenizer.json")?,
            config_file: read("config.json")?,
            special_tokens_map_file: read("special_tokens_map.json")?,
            tokenizer_config_file: read("tokenizer_config.json")?,
        };
        let model = UserDefinedEmbeddingModel::new(read("model.onnx")?, files)
            .with_pooling(Pooling::Mean)
            .with_quantization(QuantizationMode::None);
        // One thread a model, without spinning: the laptop stays usable, and several models share the cores better
        // than one model on several threads.
        let options = InitOptionsUserDefined::new()
            .with_environment(environment)
            .with_max_length(info.max_tokens)
            .with_intra_threads(1)
            .with_session_config("session.intra_op.allow_spinning", "0");
        let model = TextEmbedding::try_new_from_user_defined(model, options)
            .map_err(|e| damaged(folder, &first_line(&e.to_string())))?;
        let mut onnx = Self { info, model };
        let probe = onnx.run("probe")?;
        if probe.len() != onnx.info.dimensions {
            return Err(damaged(
                folder,
                &format!("its vectors have {} numbers, its card says {}", probe.len(), onnx.info.dimensions),
            ));
        }
        Ok(onnx)
    }

    fn run(&mut self, text: &str) -> Result<Vec<f32>> {
        let mut vectors = self.model.embed([text], Some(1)).map_err(|e| {
            Error::new(
                Code::ModelUnavailable,
                format!("the embedding model failed: {}", first_line(&e.to_string())),
            )
        })?;
        vectors.pop().ok_or_else(|| Error::new(Code::ModelUnavailable, "the embedding model gave no vector"))
    }
}

impl Embedder for Onnx {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, text: &str) -> Result<Vec<f32>> {
        // The tokenizer reads all of a text before it cuts it; a word piece is rarely shorter than two bytes.
        let text = &text[..text.floor_char_boundary(self.info.max_tokens.saturating_mul(24))];
        let mut vector = self.run(text)?;
        normalise(&mut vector);
        Ok(vector)
    }
}

/// The process's one environment, made from the first library that is there.
pub(super) fn environment(candidates: &[PathBuf]) -> Result<Environment> {
    let mut slot = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*slot {
        return Ok(environment.clone());
    }
    let remedy = "Run `cargo xtask runtime`, reinstall Precedent, or set PRECEDENT_ONNXRUNTIME to the path of \
                  libonnxruntime (1.24 or later). Search by words goes on without it.";
    let Some(path) = candidates.iter().find(|p| p.is_file()) else {
        return Err(Error::new(
            Code::ModelUnavailable,
            "ONNX Runtime, which runs the embedding model, was not found",
        )
        .with_hint(remedy));
    };
    let unusable = |why: String| {
        Error::new(
            Code::ModelUnavailable,
            format!("ONNX Runtime at {} cannot be used: {}", path.display(), first_line(&why)),
        )
        .with_hint(remedy)
    };
    // Asked for first, and with its own result: without this, a library that is missing or too old would panic later.
    let environment = ort::init_from(path)
        .map_err(|e| unusable(e.to_string()))?
        .with_telemetry(false)
        .build()
        .map_err(|e| unusable(e.to_string()))?;
    *slot = Some(environment.clone());
    Ok(environment)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}
