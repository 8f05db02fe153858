//! The models of fastembed's catalog, which can be installed by name.

use fastembed::{EmbeddingModel, TextEmbedding};

use super::Pooling;

/// A model that can be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Name in this program.
    pub name: String,
    /// Repository on Hugging Face: `owner/name`.
    pub repository: String,
    /// Path of the ONNX file in the repository.
    pub file: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// Pooling of the word-piece vectors.
    pub pooling: Pooling,
    /// Prefix of every text.
    pub prefix: &'static str,
    /// Description by its authors.
    pub description: String,
}

/// The tokenizer files of every model.
pub const TOKENIZER: [&str; 4] =
    ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"];

/// Returns the text models with their weights in one file, sorted by name.
pub fn catalog() -> Vec<CatalogEntry> {
    let mut out: Vec<CatalogEntry> = TextEmbedding::list_supported_models()
        .into_iter()
        .filter(|m| {
            m.additional_files.is_empty() && m.output_key.is_none() && m.dim.is_multiple_of(64)
        })
        .filter(|m| m.model != EmbeddingModel::ClipVitB32)
        .filter_map(|m| {
            let pooling = match TextEmbedding::get_default_pooling_method(&m.model)? {
                fastembed::Pooling::Mean => Pooling::Mean,
                fastembed::Pooling::Cls => Pooling::Cls,
            };
            let is_quantized = format!("{:?}", m.model).ends_with('Q');
            let name = m.model_code.rsplit('/').next().unwrap_or_default().to_lowercase();
            let name = name.trim_end_matches("-onnx-q").trim_end_matches("-onnx");
            Some(CatalogEntry {
                name: format!("{name}{}", if is_quantized { "-q" } else { "" }),
                prefix: prefix(name),
                repository: m.model_code,
                file: m.model_file,
                dimensions: m.dim,
                pooling,
                description: m.description,
            })
        })
        .collect();
    out.sort_by(|a, b| a.name.cmp(&b.name));
    out
}

/// Returns the prefix for symmetric comparison, according to the model's authors.
fn prefix(name: &str) -> &'static str {
    if name.contains("e5") {
        "query: "
    } else if name.contains("nomic") {
        "clustering: "
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn catalog_names_are_unique_and_valid() {
        let entries = catalog();
        assert!(entries.len() > 15, "{}", entries.len());
        assert!(entries.windows(2).all(|w| w[0].name < w[1].name), "{entries:?}");
        for entry in &entries {
            assert!(super::super::install::check_name(&entry.name).is_ok(), "{entry:?}");
            assert!(entry.file.ends_with(".onnx") && entry.repository.contains('/'), "{entry:?}");
        }
        let entry = entries.iter().find(|e| e.name == "all-minilm-l6-v2-q").unwrap();
        assert_eq!((entry.dimensions, entry.pooling, entry.prefix), (384, Pooling::Mean, ""));
        assert_eq!(entries.iter().find(|e| e.name.contains("e5-small")).unwrap().prefix, "query: ");
    }
}
