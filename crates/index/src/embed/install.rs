//! Installation of models into a casebook's folder: copied from files, tested, and only then moved
//! into place.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use super::{
    BUILT_IN, CARD, Embedder, MODEL, ModelInfo, Onnx, Pooling, Weights, Work, catalog::TOKENIZER,
    digest::digest, normalise,
};
use precedent_core::{
    error::{Code, Error, Result},
    task::Task,
};

/// The maximum size of a model, in bytes, which also limits unpacked archives.
const MOST: u64 = 4 << 30;
/// The file suffixes of external weights, as written by Optimum and by PyTorch.
const WEIGHTS: [&str; 2] = [".onnx_data", ".onnx.data"];
/// The maximum size of each other file, in bytes.
const MOST_BESIDE: u64 = 64 << 20;
/// The maximum number of word pieces of a text; chunks have no more.
const MAX_TOKENS: usize = 256;
/// The quantile of the cosines of unrelated texts that calibrates a model's thresholds.
const QUANTILE: f32 = 0.95;
/// The thresholds of all-MiniLM-L6-v2, from which those of other models are derived. Of random
/// pairs out of three large trackers 95 in 100 stay below its floor.
const SCALE: Scale = Scale { floor: 0.30, same: 0.95, near: 0.90, solved: 0.65 };
/// The cosine below which the same share of pairs out of the sample stays, which is about one
/// product.
const SCALE_UNRELATED: f32 = 0.496;

/// The cosine thresholds of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Scale {
    floor: f32,
    same: f32,
    near: f32,
    solved: f32,
}

impl Scale {
    /// Returns thresholds at the same relative positions between the cosine of unrelated sample
    /// texts and 1.
    fn from_unrelated(cosine: f32) -> Self {
        let rescale =
            |t: f32| (1.0 - (1.0 - t) / (1.0 - SCALE_UNRELATED) * (1.0 - cosine)).max(0.0);
        Self {
            floor: rescale(SCALE.floor),
            same: rescale(SCALE.same),
            near: rescale(SCALE.near),
            solved: rescale(SCALE.solved),
        }
    }
}

/// The use of a model, as far as its files do not state it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// Pooling of the vectors of word pieces; `None` uses the stated pooling, else the mean.
    pub pooling: Option<Pooling>,
    /// Prefix of every text.
    pub prefix: String,
}

/// Checks a model's name, which becomes the name of a folder.
///
/// # Errors
/// [`Code::InvalidInput`].
pub fn check_name(name: &str) -> Result<()> {
    let good = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.".contains(c))
        && name != BUILT_IN;
    if good {
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
        .find_map(|end| file.strip_suffix(end))
        .unwrap_or(&file);
    stem.chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' })
        .collect()
}

/// Imports a model from a folder, an ONNX file beside its tokenizer, or an archive of a folder:
/// collects its files, tests it, calibrates its thresholds with unrelated `texts`, and moves it
/// into `models`.
///
/// # Errors
/// [`Code::InvalidInput`] if the name is taken or invalid, or a file is missing or invalid;
/// [`Code::ModelUnavailable`] if the runtime cannot run it; [`Code::Cancelled`]. In these cases no
/// files remain.
pub fn import(
    from: &Path,
    models: &Path,
    name: &str,
    traits: &Traits,
    runtime: &[PathBuf],
    texts: &[String],
    task: &Task,
) -> Result<ModelInfo> {
    check_name(name)?;
    let place = models.join(name);
    if place.exists() {
        return Err(Error::invalid(format!("model \"{name}\" already exists")).with_hint(format!(
            "Choose another name, or first run: precedent model remove {name}"
        )));
    }
    let part = PartialFolder::make(models, name)?;
    gather(from, &part.folder)?;
    task.check()?;
    let info = examine(&part.folder, name, traits, runtime, texts, task)?;
    let card = serde_json::to_string_pretty(&info)
        .map_err(|e| Error::new(Code::Internal, format!("cannot write the card: {e}")))?;
    let path = part.folder.join(CARD);
    fs::write(&path, card + "\n").map_err(|e| Error::io(&path, e))?;
    fs::rename(&part.folder, &place).map_err(|e| Error::io(&place, e))?;
    Ok(info)
}

/// A temporary folder that is removed unless it was moved into place. Its lock excludes other
/// imports.
struct PartialFolder {
    folder: PathBuf,
    _lock: File,
}

impl PartialFolder {
    /// Creates an empty folder.
    fn make(models: &Path, name: &str) -> Result<Self> {
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
        // It was moved into place, or cannot be removed.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Removes the files of imports that were killed, unless an import is running.
///
/// # Errors
/// [`Code::Io`] if the lock cannot be opened.
pub fn remove_leftovers(models: &Path) -> Result<()> {
    if models.is_dir()
        && let Some(_lock) = lock_imports(models)?
    {
        remove_unfinished(models);
    }
    Ok(())
}

/// Takes the exclusive lock of imports; returns `None` if another import holds it.
fn lock_imports(models: &Path) -> Result<Option<File>> {
    let path = models.with_extension("lock");
    let lock = File::create(&path).map_err(|e| Error::io(&path, e))?;
    match lock.try_lock() {
        Ok(()) => Ok(Some(lock)),
        Err(fs::TryLockError::WouldBlock) => Ok(None),
        Err(fs::TryLockError::Error(e)) => Err(Error::io(&path, e)),
    }
}

fn remove_unfinished(models: &Path) {
    for entry in fs::read_dir(models).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Keep a download, so that the next attempt can resume it.
        let is_partial = name.starts_with('.') && !name.ends_with(".download");
        if is_partial && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Copies the files of a model into a folder, under their standard names.
fn gather(from: &Path, into: &Path) -> Result<()> {
    let kind = fs::metadata(from).map_err(|e| Error::io(from, e))?;
    if kind.is_file() && !from.extension().is_some_and(|e| e.eq_ignore_ascii_case("onnx")) {
        unpack(from, into)?;
    } else {
        let (folder, onnx) = if kind.is_file() {
            (from.parent().unwrap_or(Path::new(".")).to_owned(), from.to_owned())
        } else {
            (from.to_owned(), only_onnx(from)?)
        };
        copy(&onnx, &into.join(MODEL), MOST)?;
        let name = onnx.file_name().unwrap_or_default().to_string_lossy();
        for weights in WEIGHTS.map(|end| format!("{}{end}", name.trim_end_matches(".onnx"))) {
            let path = onnx.with_file_name(&weights);
            if path.is_file() {
                copy(&path, &into.join(weights), MOST)?;
            }
        }
        for name in TOKENIZER {
            // Exported models have their weights in a subfolder.
            let file =
                [folder.join(name), folder.join("..").join(name)].into_iter().find(|p| p.is_file());
            let file = file.ok_or_else(|| missing_file(from, name))?;
            copy(&file, &into.join(name), MOST_BESIDE)?;
        }
        let pooling = folder.join("1_Pooling/config.json");
        if pooling.is_file() {
            copy(&pooling, &into.join("pooling.json"), MOST_BESIDE)?;
        }
    }
    if !into.join(MODEL).is_file() {
        return Err(missing_file(from, MODEL));
    }
    for name in TOKENIZER {
        let path = into.join(name);
        let text = fs::read(&path).map_err(|_| missing_file(from, name))?;
        if let Err(error) = serde_json::from_slice::<serde::de::IgnoredAny>(&text) {
            return Err(invalid_file(from, name, looks_like_html(&text), &error.to_string()));
        }
    }
    let mut start = [0; 512];
    let mut file = File::open(into.join(MODEL)).map_err(|e| Error::io(&into.join(MODEL), e))?;
    let n = file.read(&mut start).map_err(|e| Error::io(&into.join(MODEL), e))?;
    if looks_like_html(&start[..n]) {
        return Err(invalid_file(from, MODEL, true, ""));
    }
    if start.starts_with(b"version https://git-lfs") {
        return Err(Error::invalid(format!(
            "{}: {MODEL} is a Git LFS pointer, not a model",
            from.display()
        ))
        .with_hint("Download the file itself: git lfs pull"));
    }
    Ok(())
}

/// Returns whether a text is a web page.
pub fn looks_like_html(text: &[u8]) -> bool {
    let start = String::from_utf8_lossy(&text[..text.len().min(512)]).trim_start().to_lowercase();
    ["<!doctype html", "<html", "<head", "<script"].iter().any(|tag| start.starts_with(tag))
}

fn invalid_file(from: &Path, name: &str, html: bool, why: &str) -> Error {
    if html {
        return Error::invalid(format!("{}: {name} is a web page, not a model", from.display()))
            .with_hint("A sign-in page or a proxy responded instead; download the file again.");
    }
    Error::invalid(format!("{}: {name} is damaged: {why}", from.display()))
        .with_hint("Download the file again.")
}

fn missing_file(from: &Path, name: &str) -> Error {
    let files = TOKENIZER.join(", ");
    Error::invalid(format!("{}: {name} is missing", from.display()))
        .with_hint(format!("A model is an ONNX file with {files} next to it."))
}

/// Returns the only ONNX file of a folder, or one with a common name.
fn only_onnx(folder: &Path) -> Result<PathBuf> {
    let usual = [
        MODEL,
        "onnx/model.onnx",
        "model_quantized.onnx",
        "onnx/model_quantized.onnx",
        "model_optimized.onnx",
    ];
    if let Some(path) = usual.iter().map(|n| folder.join(n)).find(|p| p.is_file()) {
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

fn copy(from: &Path, to: &Path, most: u64) -> Result<()> {
    let length = fs::metadata(from).map_err(|e| Error::io(from, e))?.len();
    if length > most {
        return Err(Error::invalid(format!("{} is larger than {} MB", from.display(), most >> 20)));
    }
    fs::copy(from, to).map_err(|e| Error::io(to, e))?;
    Ok(())
}

/// Unpacks a model's files from an archive by their names alone; the archive's paths are not
/// trusted.
fn unpack(from: &Path, into: &Path) -> Result<()> {
    let archive_error = |e: std::io::Error| {
        Error::invalid(format!("cannot read {} as an archive: {e}", from.display()))
            .with_hint("Pass a folder, an ONNX file, or a .tar, .tar.gz or .tar.zst of a folder.")
    };
    let file = File::open(from).map_err(|e| Error::io(from, e))?;
    let mut start = [0; 4];
    let n =
        File::open(from).and_then(|mut f| f.read(&mut start)).map_err(|e| Error::io(from, e))?;
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
        let (to, most) = match name.as_str() {
            _ if !entry.header().entry_type().is_file() => continue,
            _ if is_pooling => ("pooling.json", MOST_BESIDE),
            n if n.ends_with(".onnx") => (MODEL, MOST),
            n if WEIGHTS.iter().any(|end| n.ends_with(end)) => (n, MOST),
            n => match TOKENIZER.iter().find(|t| **t == n) {
                Some(name) => (*name, MOST_BESIDE),
                None => continue,
            },
        };
        let path = into.join(to);
        if path.exists() {
            return Err(Error::invalid(format!("{} contains {name} twice", from.display()))
                .with_hint("Unpack it and give the path of the folder to use."));
        }
        let mut out = File::create(&path).map_err(|e| Error::io(&path, e))?;
        let size =
            std::io::copy(&mut (&mut entry).take(most + 1), &mut out).map_err(archive_error)?;
        if size > most {
            return Err(Error::invalid(format!(
                "{}: {name} is larger than {} MB",
                from.display(),
                most >> 20
            )));
        }
    }
    Ok(())
}

/// Tests a model and writes its card.
fn examine(
    folder: &Path,
    name: &str,
    traits: &Traits,
    runtime: &[PathBuf],
    texts: &[String],
    task: &Task,
) -> Result<ModelInfo> {
    let pooling = traits.pooling.unwrap_or_else(|| stated_pooling(folder));
    let _ = fs::remove_file(folder.join("pooling.json"));
    let mut info = ModelInfo {
        name: name.to_owned(),
        dimensions: 0,
        max_tokens: stated_length(folder).min(MAX_TOKENS),
        sha256: digest(&folder.join(MODEL))?,
        weights: weights(folder)?,
        pooling,
        prefix: traits.prefix.clone(),
        floor: 0.0,
        same: 1.0,
        near: 1.0,
        solved: 1.0,
    };
    let mut model = Onnx::open(runtime, folder, info.clone(), Work::Questions)?;
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
    let scale = Scale::from_unrelated(unrelated_cosine(&mut vectors));
    (info.floor, info.same, info.near, info.solved) =
        (scale.floor, scale.same, scale.near, scale.solved);
    Ok(info)
}

/// Returns the file with a model's external weights, if it has one.
fn weights(folder: &Path) -> Result<Option<Weights>> {
    let mut files = fs::read_dir(folder).map_err(|e| Error::io(folder, e))?.flatten();
    let file = files.find_map(|f| {
        let name = f.file_name().into_string().ok()?;
        WEIGHTS.iter().any(|end| name.ends_with(end)).then_some(name)
    });
    file.map(|file| Ok(Weights { sha256: digest(&folder.join(&file))?, file })).transpose()
}

/// Returns the cosine below which most pairs of these vectors stay.
fn unrelated_cosine(vectors: &mut [Vec<f32>]) -> f32 {
    vectors.iter_mut().for_each(|v| normalise(v));
    let mut cosines = Vec::new();
    for (i, a) in vectors.iter().enumerate() {
        for b in &vectors[i + 1..] {
            cosines.push(a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>());
        }
    }
    cosines.sort_by(f32::total_cmp);
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a list"
    )]
    let at = (cosines.len() as f32 * QUANTILE) as usize;
    // A model with high cosines everywhere still needs a range for its thresholds.
    cosines.get(at).copied().unwrap_or(SCALE_UNRELATED).clamp(0.0, 0.95)
}

/// Returns the pooling that the files of sentence-transformers state.
fn stated_pooling(folder: &Path) -> Pooling {
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
fn stated_length(folder: &Path) -> usize {
    #[derive(serde::Deserialize)]
    struct ModelConfig {
        max_position_embeddings: Option<usize>,
    }
    let text = fs::read(folder.join("config.json")).unwrap_or_default();
    let limit =
        serde_json::from_slice::<ModelConfig>(&text).ok().and_then(|s| s.max_position_embeddings);
    // Some models include two positions that hold no word.
    limit.filter(|n| *n > 16).map_or(MAX_TOKENS, |n| n - 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_keep_their_relative_position() {
        let scale = Scale::from_unrelated(SCALE_UNRELATED);
        assert!(
            (scale.same - SCALE.same).abs() < 1e-6 && (scale.solved - SCALE.solved).abs() < 1e-6
        );
        let high = Scale::from_unrelated(0.8);
        assert!(
            0.7 < high.floor
                && high.floor < high.solved
                && high.solved < high.near
                && high.near < high.same
                && high.same < 1.0
        );
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
        assert!(models.join(".m3").is_dir(), "another import is under way");
        assert!(PartialFolder::make(&models, "m4").is_err());
        drop(lock);
        remove_leftovers(&models).unwrap();
        assert!(!models.join(".m3").exists() && !models.join(".m2.4711").exists());
        assert!(models.join("kept").is_dir() && models.join(".m5.download").is_dir());
        drop(PartialFolder::make(&models, "m4").unwrap());
        assert!(!models.join(".m4").exists());
    }

    #[test]
    fn names_are_folders() {
        for good in ["bge-small", "e5_base.v2", "0"] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", "builtin", "../x", "a/b", ".hidden", "Ünï", "a b", "A"] {
            assert_eq!(check_name(bad).unwrap_err().code(), Code::InvalidInput, "{bad}");
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
