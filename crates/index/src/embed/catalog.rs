//! The models of fastembed's catalogue that can be installed by name.

use fastembed::{EmbeddingModel, TextEmbedding};

use super::Pooling;

/// A model that can be installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CatalogEntry {
    /// Name in this program.
    pub name: String,
    /// Repository at the hub: `owner/name`.
    pub repository: String,
    /// Path of the ONNX file in it.
    pub file: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// Pooling of the vectors of word pieces.
    pub pooling: Pooling,
    /// Prefix of every text.
    pub prefix: &'static str,
    /// Description by its authors.
    pub description: String,
}

/// The files of a tokenizer that every model of the catalogue has.
pub const TOKENIZER: [&str; 4] =
    ["tokenizer.json", "config.json", "special_tokens_map.json", "tokenizer_config.json"];

/// Returns all models, by name, except those with weights in a second file and those that are not
/// for texts.
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
            let small = format!("{:?}", m.model).ends_with('Q');
            let name = m.model_code.rsplit('/').next().unwrap_or_default().to_lowercase();
            let name = name.trim_end_matches("-onnx-q").trim_end_matches("-onnx");
            Some(CatalogEntry {
                name: format!("{name}{}", if small { "-q" } else { "" }),
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

/// Returns the prefix for comparing texts with texts, from the model's own card.
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
    fn names_are_distinct_and_can_be_folders() {
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
