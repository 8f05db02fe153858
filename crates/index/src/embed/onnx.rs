//! ONNX models, which run on ONNX Runtime, a shared library that is located at run time.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use fastembed::{
    InitOptionsUserDefined, QuantizationMode, TextEmbedding, TokenizerFiles,
    UserDefinedEmbeddingModel,
};
use ort::environment::Environment;

use super::{
    Embedder, MODEL, ModelInfo, Pooling, TOKENIZER, Work, damaged_model, digest,
    hash_embedder::hash_words, normalize, wordpiece,
};
use precedent_core::error::{Code, Error, Result};

/// The runtime's environment; each process can have only one.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// A sentence transformer.
pub struct Onnx {
    info: ModelInfo,
    model: TextEmbedding,
}

impl Onnx {
    /// Loads the model in this folder with the first runtime that exists, and checks it against its
    /// card.
    pub(super) fn load(
        runtime: &[PathBuf],
        folder: &Path,
        info: ModelInfo,
        work: Work,
    ) -> Result<Self> {
        let mut onnx = Self::open(runtime, folder, info, work)?;
        let probe = onnx.run("probe")?;
        if probe.len() != onnx.info.dimensions {
            return Err(damaged_model(
                folder,
                &format!(
                    "its vectors have {} dimensions, but its card says {}",
                    probe.len(),
                    onnx.info.dimensions
                ),
            ));
        }
        Ok(onnx)
    }

    /// Loads a model as [`Onnx::load`] does, but does not check the length of its vectors.
    pub(super) fn open(
        runtime: &[PathBuf],
        folder: &Path,
        info: ModelInfo,
        work: Work,
    ) -> Result<Self> {
        let environment = environment(runtime)?;
        // Distributing a single text over threads takes longer than tokenizing it.
        tokenizers::parallelism::set_parallelism(false);
        let load = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(|e| damaged_model(folder, &format!("{name}: {e}")))
        };
        let [tokenizer, config, special_tokens, settings] = TOKENIZER;
        let files = TokenizerFiles {
            tokenizer_file: load(tokenizer)?,
            config_file: load(config)?,
            special_tokens_map_file: load(special_tokens)?,
            tokenizer_config_file: load(settings)?,
        };
        // Check the files while the runtime loads: a replaced file would give incompatible vectors.
        let mismatch =
            |name: &str| damaged_model(folder, &format!("{name} does not match its card"));
        let model = std::thread::scope(|scope| {
            let (card, mismatch) = (&info, &mismatch);
            let checksums = scope.spawn(move || {
                let hashes = card
                    .weights
                    .iter()
                    .map(|w| (w.file.as_str(), &w.sha256))
                    .chain([(MODEL, &card.sha256)]);
                for (name, sha256) in hashes {
                    if digest(&folder.join(name))
                        .map_err(|e| damaged_model(folder, &e.to_string()))?
                        != *sha256
                    {
                        return Err(mismatch(name));
                    }
                }
                Ok(())
            });
            let model = load(MODEL)
                .and_then(|bytes| create_session(bytes, files, folder, card, environment, work));
            // Report a replaced file first, because it explains a session error.
            checksums.join().unwrap_or_else(|_| Err(mismatch(MODEL)))?;
            model
        })?;
        Ok(Self { info, model })
    }

    pub(super) fn run(&mut self, text: &str) -> Result<Vec<f32>> {
        let mut vectors = self.model.embed([text], Some(1)).map_err(|e| {
            Error::new(
                Code::ModelUnavailable,
                format!("the embedding model failed: {}", first_line(&e.to_string())),
            )
        })?;
        vectors.pop().ok_or_else(|| {
            Error::new(Code::ModelUnavailable, "the embedding model returned no vector")
        })
    }
}

/// The session option for the folder with the graph's external weights:
/// `kOrtSessionOptionsModelExternalInitializersFileFolderPath` of
/// onnxruntime_session_options_config_keys.h.
const WEIGHTS_FOLDER: &str = "session.model_external_initializers_file_folder_path";

fn create_session(
    graph: Vec<u8>,
    mut tokenizer: TokenizerFiles,
    folder: &Path,
    info: &ModelInfo,
    environment: Environment,
    work: Work,
) -> Result<TextEmbedding> {
    let word_piece = wordpiece::take_vocabulary(&mut tokenizer);
    let mut model = UserDefinedEmbeddingModel::new(graph, tokenizer)
        .with_pooling(match info.pooling {
            Pooling::Mean => fastembed::Pooling::Mean,
            Pooling::Cls => fastembed::Pooling::Cls,
        })
        .with_quantization(QuantizationMode::None);
    // One thread per model without spinning keeps the machine responsive.
    let disable_prepacking = if work == Work::Indexing { "0" } else { "1" };
    let mut options = InitOptionsUserDefined::new()
        .with_environment(environment)
        .with_max_length(info.max_tokens)
        .with_intra_threads(1)
        .with_session_config("session.intra_op.allow_spinning", "0")
        .with_session_config("session.disable_prepacking", disable_prepacking);
    match (&info.weights, folder.to_str()) {
        // The runtime maps the file, because copying the weights would be slow.
        (Some(_), Some(folder)) => options = options.with_session_config(WEIGHTS_FOLDER, folder),
        (Some(weights), None) => {
            let path = folder.join(&weights.file);
            let bytes = fs::read(&path).map_err(|e| Error::io(&path, e))?;
            model = model.with_external_initializer(weights.file.clone(), bytes);
        }
        (None, _) => {}
    }
    let mut model = TextEmbedding::try_new_from_user_defined(model, options)
        .map_err(|e| damaged_model(folder, &first_line(&e.to_string())))?;
    if let Some(word_piece) = word_piece {
        model.tokenizer.with_model(word_piece);
    }
    Ok(model)
}

/// The number of bytes of a text that determine whether a model can read it.
const SAMPLE_BYTES: usize = 2_000;

impl Onnx {
    /// Returns whether most of a text is not in the model's vocabulary, as with unknown scripts.
    /// All such texts would have the same vector.
    fn is_unreadable(&self, text: &str) -> bool {
        let text = &text[..text.floor_char_boundary(SAMPLE_BYTES)];
        let (total, foreign) = text
            .chars()
            .filter(|c| !c.is_whitespace())
            .fold((0, 0), |(total, foreign), c| (total + 1, foreign + usize::from(!c.is_ascii())));
        if foreign * 2 <= total {
            return false;
        }
        let tokenizer = &self.model.tokenizer;
        let unknown = ["[UNK]", "<unk>"].iter().find_map(|name| tokenizer.token_to_id(name));
        let pieces = tokenizer.encode(text, false);
        unknown.zip(pieces.ok()).is_some_and(|(unknown, pieces)| {
            let ids = pieces.get_ids();
            let padding = tokenizer.token_to_id("[PAD]").or_else(|| tokenizer.token_to_id("<pad>"));
            let count = ids.iter().filter(|id| Some(**id) != padding).count();
            ids.iter().filter(|id| **id == unknown).count() * 2 > count
        })
    }
}

impl Embedder for Onnx {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn embed(&mut self, text: &str) -> Result<Vec<f32>> {
        if self.is_unreadable(text) {
            let mut vector = hash_words(text, self.info.dimensions, None);
            if vector.iter().all(|x| *x == 0.0) {
                vector =
                    hash_words(&blake3::hash(text.as_bytes()).to_hex(), self.info.dimensions, None);
            }
            return Ok(vector);
        }
        // The tokenizer reads the whole text before it truncates it, so limit the length first.
        let text = &text[..text.floor_char_boundary(self.info.max_tokens.saturating_mul(24))];
        let mut vector = if self.info.prefix.is_empty() {
            self.run(text)?
        } else {
            self.run(&format!("{}{text}", self.info.prefix))?
        };
        normalize(&mut vector);
        Ok(vector)
    }
}

/// Returns the process's environment, created from the first library that exists.
pub(super) fn environment(candidates: &[PathBuf]) -> Result<Environment> {
    let mut slot = ENVIRONMENT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(environment) = &*slot {
        return Ok(environment.clone());
    }
    let remedy = "Reinstall Precedent, or set PRECEDENT_ONNXRUNTIME to the path of libonnxruntime \
                  (1.24 or later).";
    let Some(path) = candidates.iter().find(|p| p.is_file()) else {
        return Err(Error::new(
            Code::ModelUnavailable,
            "ONNX Runtime, which runs the embedding model, was not found",
        )
        .with_hint(remedy));
    };
    let unusable_error = |reason: String| {
        Error::new(
            Code::ModelUnavailable,
            format!("ONNX Runtime at {} cannot be used: {}", path.display(), first_line(&reason)),
        )
        .with_hint(remedy)
    };
    // Initialize explicitly, because a missing or outdated library would panic later.
    let environment = ort::init_from(path)
        .map_err(|e| unusable_error(e.to_string()))?
        .with_telemetry(false)
        .build()
        .map_err(|e| unusable_error(e.to_string()))?;
    *slot = Some(environment.clone());
    Ok(environment)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
}
