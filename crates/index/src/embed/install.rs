//! Installation of models into a casebook's folder: copied, tested, and then moved into place.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

use super::{
    BUILT_IN, CARD, Embedder, MODEL, ModelInfo, Onnx, Pooling, Weights, Work, catalog::TOKENIZER,
    digest, normalize,
};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    task::Task,
};
use precedent_store::FileLock;

/// The maximum size of a model, in bytes; also for unpacked archives.
const MAX_MODEL_BYTES: u64 = 4 << 30;
/// The file suffixes of external weights, as written by Optimum and by PyTorch.
const WEIGHT_SUFFIXES: [&str; 2] = [".onnx_data", ".onnx.data"];
/// The maximum size of each other file, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// The maximum number of word pieces of a chunk.
const MAX_TOKENS: usize = 256;
/// The quantile of the cosines of unrelated texts that calibrates a model's thresholds.
const UNRELATED_QUANTILE: f32 = 0.95;
/// The thresholds of all-MiniLM-L6-v2 (floor, same, near, solved), from which those of other models
/// are derived. Of random pairs from three large trackers, 95 % are below its floor.
const REFERENCE: [f32; 4] = [0.30, 0.95, 0.90, 0.65];
/// The [`UNRELATED_QUANTILE`] of the reference model's cosines between the sample texts, all of
/// which are about one product.
const REFERENCE_UNRELATED: f32 = 0.496;

/// The settings of an imported model that its files may lack.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Pooling of the word-piece vectors; `None` uses the configured pooling, else the mean.
    pub pooling: Option<Pooling>,
    /// Prefix of every text.
    pub prefix: String,
}

/// Checks a model's name, which becomes the name of a folder.
pub fn check_name(name: &str) -> Result<()> {
    let is_valid = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c))
        && name != BUILT_IN;
    if is_valid {
        return Ok(());
    }
    let prefix: String = name.chars().take(80).collect();
    Err(Error::invalid(format!("\"{prefix}\" is not a valid model name"))
        .with_hint("Use lowercase letters, digits, -, _ and ., for example bge-small."))
}

/// Returns the name that a path suggests for a model.
pub fn suggested_name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let stem = [".onnx", ".tar", ".tar.gz", ".tgz", ".tar.zst"]
        .iter()
        .find_map(|suffix| file.strip_suffix(suffix))
        .unwrap_or(&file);
    stem.chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' })
        .collect()
}

/// Imports a model from a folder, an ONNX file beside its tokenizer, or an archive of a folder.
/// Calibrates its thresholds with unrelated `texts`.
///
/// # Errors
/// [`Code::InvalidInput`] if the name is taken or invalid, or a file is missing or invalid;
/// [`Code::ModelUnavailable`] if the runtime cannot run it; [`Code::Cancelled`]. No files remain.
pub fn import(
    source: &Path,
    models: &Path,
    name: &str,
    options: &ImportOptions,
    runtime: &[PathBuf],
    texts: &[String],
    task: &Task,
) -> Result<ModelInfo> {
    check_name(name)?;
    let target = models.join(name);
    if target.exists() {
        return Err(Error::invalid(format!("model \"{name}\" already exists"))
            .with_hint("Choose another name, or remove that model first.")
            .with_command(Remedy::Models, format!("precedent model remove {name}")));
    }
    let partial = PartialFolder::create(models, name)?;
    collect_files(source, &partial.folder)?;
    task.check()?;
    let info = test_model(&partial.folder, name, options, runtime, texts, task)?;
    let card = serde_json::to_string_pretty(&info)
        .map_err(|e| Error::new(Code::Internal, format!("cannot write the card: {e}")))?;
    let path = partial.folder.join(CARD);
    fs::write(&path, card + "\n").map_err(|e| Error::io(&path, e))?;
    fs::rename(&partial.folder, &target).map_err(|e| Error::io(&target, e))?;
    Ok(info)
}

/// A temporary folder that is removed unless it was moved into place. It holds the import lock.
struct PartialFolder {
    folder: PathBuf,
    _lock: FileLock,
}

impl PartialFolder {
    fn create(models: &Path, name: &str) -> Result<Self> {
        fs::create_dir_all(models).map_err(|e| Error::io(models, e))?;
        let Some(lock) = lock_imports(models)? else {
            return Err(Error::new(Code::Busy, "another model is being imported")
                .with_hint("Wait until it has finished, then try again."));
        };
        remove_unfinished(models);
        let folder = models.join(format!(".{name}"));
        fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, e))?;
        Ok(Self { folder, _lock: lock })
    }
}

impl Drop for PartialFolder {
    fn drop(&mut self) {
        // Ignore the error: the folder was usually moved into place.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes the files of killed imports, unless an import is running.
pub fn remove_leftovers(models: &Path) -> Result<()> {
    if models.is_dir()
        && let Some(_lock) = lock_imports(models)?
    {
        remove_unfinished(models);
    }
    Ok(())
}

/// Takes the exclusive import lock; returns `None` if another import holds it.
fn lock_imports(models: &Path) -> Result<Option<FileLock>> {
    FileLock::acquire_within(&models.with_extension("lock"), Duration::ZERO)
}

fn remove_unfinished(models: &Path) {
    for entry in fs::read_dir(models).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Keep downloads, so that the next attempt can resume them.
        let is_partial = name.starts_with('.') && !name.ends_with(".download");
        if is_partial && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Copies a model's files into a folder under their standard names, and checks them.
fn collect_files(source: &Path, target: &Path) -> Result<()> {
    let kind = fs::metadata(source).map_err(|e| Error::io(source, e))?;
    if kind.is_file() && !source.extension().is_some_and(|e| e.eq_ignore_ascii_case("onnx")) {
        unpack(source, target)?;
    } else {
        let (folder, onnx) = if kind.is_file() {
            (source.parent().unwrap_or(Path::new(".")).to_owned(), source.to_owned())
        } else {
            (source.to_owned(), only_onnx(source)?)
        };
        copy(&onnx, &target.join(MODEL), MAX_MODEL_BYTES)?;
        let name = onnx.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.trim_end_matches(".onnx");
        for weights in WEIGHT_SUFFIXES.map(|suffix| format!("{stem}{suffix}")) {
            let path = onnx.with_file_name(&weights);
            if path.is_file() {
                copy(&path, &target.join(weights), MAX_MODEL_BYTES)?;
            }
        }
        for name in TOKENIZER {
            // Exported models have the ONNX file in a subfolder.
            let file =
                [folder.join(name), folder.join("..").join(name)].into_iter().find(|p| p.is_file());
            let file = file.ok_or_else(|| missing_file(source, name))?;
            copy(&file, &target.join(name), MAX_FILE_BYTES)?;
        }
        let pooling = folder.join("1_Pooling/config.json");
        if pooling.is_file() {
            copy(&pooling, &target.join("pooling.json"), MAX_FILE_BYTES)?;
        }
    }
    if !target.join(MODEL).is_file() {
        return Err(missing_file(source, MODEL));
    }
    for name in TOKENIZER {
        let path = target.join(name);
        let text = fs::read(&path).map_err(|_| missing_file(source, name))?;
        if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&text) {
            return Err(invalid_file(source, name, looks_like_html(&text), &error.to_string()));
        }
    }
    let mut start = [0; 512];
    let mut file = File::open(target.join(MODEL)).map_err(|e| Error::io(&target.join(MODEL), e))?;
    let n = file.read(&mut start).map_err(|e| Error::io(&target.join(MODEL), e))?;
    if looks_like_html(&start[..n]) {
        return Err(invalid_file(source, MODEL, true, ""));
    }
    if start.starts_with(b"version https://git-lfs") {
        return Err(Error::invalid(format!(
            "{}: {MODEL} is a Git LFS pointer, not a model",
            source.display()
        ))
        .with_hint("Download the file itself: git lfs pull"));
    }
    Ok(())
}

/// Returns whether a text looks like a web page.
pub fn looks_like_html(text: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&text[..text.len().min(512)]).trim_start().to_lowercase();
    ["<!doctype html", "<html", "<head", "<script"].iter().any(|tag| start.starts_with(tag))
}

fn invalid_file(source: &Path, name: &str, is_html: bool, reason: &str) -> Error {
    if is_html {
        return Error::invalid(format!("{}: {name} is a web page, not a model", source.display()))
            .with_hint("A sign-in page or a proxy responded instead; download the file again.");
    }
    Error::invalid(format!("{}: {name} is damaged: {reason}", source.display()))
        .with_hint("Download the file again.")
}

fn missing_file(source: &Path, name: &str) -> Error {
    let files = TOKENIZER.join(", ");
    Error::invalid(format!("{}: {name} is missing", source.display()))
        .with_hint(format!("A model is an ONNX file with {files} next to it."))
}

/// Returns the only ONNX file of a folder, or one with a common name.
fn only_onnx(folder: &Path) -> Result<PathBuf> {
    let common_names = [
        MODEL,
        "onnx/model.onnx",
        "model_quantized.onnx",
        "onnx/model_quantized.onnx",
        "model_optimized.onnx",
    ];
    if let Some(path) = common_names.iter().map(|n| folder.join(n)).find(|p| p.is_file()) {
        return Ok(path);
    }
    let entries = fs::read_dir(folder).map_err(|e| Error::io(folder, e))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|e| e.eq_ignore_ascii_case("onnx")))
        .collect();
    match (files.pop(), files.is_empty()) {
        (Some(file), true) => Ok(file),
        (None, _) => Err(missing_file(folder, MODEL)),
        (Some(_), false) => {
            Err(Error::invalid(format!("{} contains several ONNX files", folder.display()))
                .with_hint("Pass the path of the one to use."))
        }
    }
}

fn copy(from: &Path, to: &Path, limit: u64) -> Result<()> {
    let length = fs::metadata(from).map_err(|e| Error::io(from, e))?.len();
    if length > limit {
        return Err(size_error(from.display(), limit));
    }
    fs::copy(from, to).map_err(|e| Error::io(to, e))?;
    Ok(())
}

fn size_error(file: impl std::fmt::Display, limit: u64) -> Error {
    Error::invalid(format!("{file} is larger than {} MB", limit >> 20))
}

/// Unpacks a model's files from an archive by file name alone, because paths are not trusted.
fn unpack(source: &Path, target: &Path) -> Result<()> {
    let archive_error = |e: std::io::Error| {
        Error::invalid(format!("cannot read {} as an archive: {e}", source.display()))
            .with_hint("Pass a folder, an ONNX file, or a .tar, .tar.gz or .tar.zst of a folder.")
    };
    let file = File::open(source).map_err(|e| Error::io(source, e))?;
    let mut start = [0; 4];
    let n = File::open(source)
        .and_then(|mut f| f.read(&mut start))
        .map_err(|e| Error::io(source, e))?;
    let reader: Box<dyn Read> = match &start[..n] {
        [0x1f, 0x8b, ..] => Box::new(flate2::read::MultiGzDecoder::new(file)),
        [0x28, 0xb5, 0x2f, 0xfd] => {
            Box::new(zstd::stream::read::Decoder::new(file).map_err(archive_error)?)
        }
        _ => Box::new(file),
    };
    let mut tar = tar::Archive::new(reader);
    for entry in tar.entries().map_err(archive_error)? {
        let mut entry = entry.map_err(archive_error)?;
        let path = entry.path().map_err(archive_error)?.into_owned();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_pooling = path.ends_with("1_Pooling/config.json");
        let (file_name, limit) = match name.as_str() {
            _ if !entry.header().entry_type().is_file() => continue,
            _ if is_pooling => ("pooling.json", MAX_FILE_BYTES),
            n if n.ends_with(".onnx") => (MODEL, MAX_MODEL_BYTES),
            n if WEIGHT_SUFFIXES.iter().any(|suffix| n.ends_with(suffix)) => (n, MAX_MODEL_BYTES),
            n => match TOKENIZER.iter().find(|t| **t == n) {
                Some(name) => (*name, MAX_FILE_BYTES),
                None => continue,
            },
        };
        let path = target.join(file_name);
        if path.exists() {
            return Err(Error::invalid(format!("{} contains {name} twice", source.display()))
                .with_hint("Unpack it and give the path of the folder to use."));
        }
        let mut out = File::create(&path).map_err(|e| Error::io(&path, e))?;
        let size =
            std::io::copy(&mut (&mut entry).take(limit + 1), &mut out).map_err(archive_error)?;
        if size > limit {
            return Err(size_error(format!("{}: {name}", source.display()), limit));
        }
    }
    Ok(())
}

fn test_model(
    folder: &Path,
    name: &str,
    options: &ImportOptions,
    runtime: &[PathBuf],
    texts: &[String],
    task: &Task,
) -> Result<ModelInfo> {
    let pooling = options.pooling.unwrap_or_else(|| configured_pooling(folder));
    let _ = fs::remove_file(folder.join("pooling.json"));
    let mut info = ModelInfo {
        name: name.to_owned(),
        dimensions: 0,
        max_tokens: configured_length(folder).min(MAX_TOKENS),
        sha256: digest(&folder.join(MODEL))?,
        weights: find_weights(folder)?,
        pooling,
        prefix: options.prefix.clone(),
        floor: 0.0,
        same: 1.0,
        near: 1.0,
        solved: 1.0,
    };
    let mut model = Onnx::open(runtime, folder, info.clone(), Work::Queries)?;
    info.dimensions = model.run("probe")?.len();
    if info.dimensions == 0 || !info.dimensions.is_multiple_of(64) || info.dimensions > 4096 {
        return Err(Error::invalid(format!(
            "{name}: its vectors have {} dimensions; only multiples of 64 up to 4096 are supported",
            info.dimensions
        )));
    }
    let mut vectors = Vec::with_capacity(texts.len());
    for text in texts {
        task.check()?;
        vectors.push(model.embed(text)?);
    }
    [info.floor, info.same, info.near, info.solved] = thresholds(unrelated_cosine(&mut vectors));
    Ok(info)
}

/// Returns thresholds at the same relative positions between the cosine of unrelated texts and 1.
fn thresholds(unrelated: f32) -> [f32; 4] {
    REFERENCE.map(|t| (1.0 - (1.0 - t) / (1.0 - REFERENCE_UNRELATED) * (1.0 - unrelated)).max(0.0))
}

fn find_weights(folder: &Path) -> Result<Option<Weights>> {
    let mut files = fs::read_dir(folder).map_err(|e| Error::io(folder, e))?.flatten();
    let file = files.find_map(|f| {
        let name = f.file_name().into_string().ok()?;
        WEIGHT_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)).then_some(name)
    });
    file.map(|file| Ok(Weights { sha256: digest(&folder.join(&file))?, file })).transpose()
}

/// Returns the [`UNRELATED_QUANTILE`] of the cosines between these vectors.
fn unrelated_cosine(vectors: &mut [Vec<f32>]) -> f32 {
    vectors.iter_mut().for_each(|v| normalize(v));
    let mut cosines = Vec::new();
    for (i, a) in vectors.iter().enumerate() {
        for b in &vectors[i + 1..] {
            cosines.push(a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>());
        }
    }
    cosines.sort_by(f32::total_cmp);
    let index = (cosines.len() as f32 * UNRELATED_QUANTILE) as usize;
    // A model with only high cosines still needs a range for its thresholds.
    cosines.get(index).copied().unwrap_or(REFERENCE_UNRELATED).clamp(0.0, 0.95)
}

/// Returns the pooling in the model's sentence-transformers configuration.
fn configured_pooling(folder: &Path) -> Pooling {
    #[derive(serde::Deserialize)]
    struct PoolingConfig {
        #[serde(default)]
        pooling_mode_cls_token: bool,
    }
    let text = fs::read(folder.join("pooling.json")).unwrap_or_default();
    match serde_json::from_slice::<PoolingConfig>(&text) {
        Ok(PoolingConfig { pooling_mode_cls_token: true }) => Pooling::Cls,
        _ => Pooling::Mean,
    }
}

/// Returns the maximum number of word pieces in the model's configuration.
fn configured_length(folder: &Path) -> usize {
    #[derive(serde::Deserialize)]
    struct ModelConfig {
        max_position_embeddings: Option<usize>,
    }
    let text = fs::read(folder.join("config.json")).unwrap_or_default();
    let limit =
        serde_json::from_slice::<ModelConfig>(&text).ok().and_then(|s| s.max_position_embeddings);
    // Some models reserve two positions that hold no word.
    limit.filter(|n| *n > 16).map_or(MAX_TOKENS, |n| n - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_keep_their_relative_position() {
        let same = thresholds(REFERENCE_UNRELATED);
        assert!(
            same.iter().zip(REFERENCE).all(|(value, reference)| (value - reference).abs() < 1e-6)
        );
        let [floor, same, near, solved] = thresholds(0.8);
        assert!(0.7 < floor && floor < solved && solved < near && near < same && same < 1.0);
    }

    #[test]
    fn killed_imports_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let models = folder.path().join("models");
        fs::create_dir(&models).unwrap();
        for folder in [".m2.4711", ".m3", "kept", ".m5.download"] {
            fs::create_dir(models.join(folder)).unwrap();
        }
        let lock = lock_imports(&models).unwrap().unwrap();
        remove_leftovers(&models).unwrap();
        assert!(models.join(".m3").is_dir(), "another import is running");
        assert!(PartialFolder::create(&models, "m4").is_err());
        drop(lock);
        remove_leftovers(&models).unwrap();
        assert!(!models.join(".m3").exists() && !models.join(".m2.4711").exists());
        assert!(models.join("kept").is_dir() && models.join(".m5.download").is_dir());
        drop(PartialFolder::create(&models, "m4").unwrap());
        assert!(!models.join(".m4").exists());
    }

    #[test]
    fn model_names_are_valid_folder_names() {
        for name in ["bge-small", "e5_base.v2", "0"] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "builtin", "../x", "a/b", ".hidden", "Ünï", "a b", "A"] {
            assert_eq!(check_name(name).unwrap_err().code(), Code::InvalidInput, "{name}");
        }
        assert_eq!(suggested_name(Path::new("/x/BGE Small.tar.gz")), "bge-small");
        assert_eq!(suggested_name(Path::new("model.onnx")), "model");
    }

    #[test]
    fn web_page_is_not_a_model() {
        assert!(looks_like_html(b"\n <!DOCTYPE html><title>Sign in"));
        assert!(!looks_like_html(b"\x08\x07\x12\x07pytorch"));
    }
}
