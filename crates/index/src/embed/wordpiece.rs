//! A WordPiece tokenizer whose vocabulary is parsed once. The library parses it into a tree, then
//! into a table, and copies the table, which takes 27 ms per query instead of a few.

use std::collections::BTreeMap;

use fastembed::TokenizerFiles;
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};
use tokenizers::{Model as _, models::wordpiece::WordPiece};

/// Moves the vocabulary, except the special tokens, out of the files of a WordPiece tokenizer.
/// Returns `None` and leaves the files unchanged if the tokenizer is of another kind, or if a
/// special token is not in its vocabulary.
pub(super) fn take_vocabulary(files: &mut TokenizerFiles) -> Option<WordPiece> {
    let mut tokenizer: BTreeMap<String, Box<RawValue>> =
        serde_json::from_slice(&files.tokenizer_file).ok()?;
    let model = tokenizer.remove("model")?;
    let mut parts: BTreeMap<String, Box<RawValue>> = serde_json::from_str(model.get()).ok()?;
    if serde_json::from_str::<&str>(parts.get("type")?.get()).ok()? != "WordPiece" {
        return None;
    }
    let word_piece: WordPiece = serde_json::from_str(model.get()).ok()?;
    let special_ids: Option<BTreeMap<String, u32>> =
        special_tokens(files, tokenizer.get("added_tokens")?)?
            .into_iter()
            .map(|token| word_piece.token_to_id(&token).map(|id| (token, id)))
            .collect();
    parts.insert("vocab".to_owned(), to_raw_value(&special_ids?).ok()?);
    tokenizer.insert("model".to_owned(), to_raw_value(&parts).ok()?);
    files.tokenizer_file = serde_json::to_vec(&tokenizer).ok()?;
    Some(word_piece)
}

fn special_tokens(files: &TokenizerFiles, added_tokens: &RawValue) -> Option<Vec<String>> {
    let tokens: Vec<Value> = serde_json::from_str(added_tokens.get()).ok()?;
    let map: BTreeMap<String, Value> =
        serde_json::from_slice(&files.special_tokens_map_file).ok()?;
    let settings: Value = serde_json::from_slice(&files.tokenizer_config_file).ok()?;
    let text =
        |token: &Value| token.as_str().or_else(|| token["content"].as_str()).map(str::to_owned);
    tokens.iter().chain(map.values()).chain([&settings["pad_token"]]).map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::TOKENIZER;

    fn built_in() -> TokenizerFiles {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/builtin");
        let [tokenizer_file, config_file, special_tokens_map_file, tokenizer_config_file] =
            TOKENIZER.map(|name| std::fs::read(folder.join(name)).unwrap());
        TokenizerFiles {
            tokenizer_file,
            config_file,
            special_tokens_map_file,
            tokenizer_config_file,
        }
    }

    #[test]
    fn split_tokenizer_encodes_like_the_whole() {
        let full_tokenizer = tokenizers::Tokenizer::from_bytes(&built_in().tokenizer_file).unwrap();
        let mut files = built_in();
        let model = take_vocabulary(&mut files).unwrap();
        assert!(files.tokenizer_file.len() < 10_000);
        let mut split_tokenizer = tokenizers::Tokenizer::from_bytes(&files.tokenizer_file).unwrap();
        split_tokenizer.with_model(model);
        for text in [
            "Segfault in libfoo.so.1 (0x7f3a), errno=28: No space left on device",
            "Größe überschritten — 見つかりません [MASK] [PAD] [UNK] [CLS]",
            "  \u{202e}tab\tand\nlines, naïve café #4711 🙂 ",
            "",
        ] {
            let encode = |tokenizer: &tokenizers::Tokenizer| {
                tokenizer.encode(text, true).unwrap().get_ids().to_vec()
            };
            assert_eq!(encode(&full_tokenizer), encode(&split_tokenizer), "{text}");
        }
        assert_eq!(full_tokenizer.get_vocab(true), split_tokenizer.get_vocab(true));
    }

    #[test]
    fn other_tokenizers_stay_unchanged() {
        for tokenizer in
            [r#"{"model": {"type": "BPE", "vocab": {}, "merges": []}}"#, "{", r#"{"model": []}"#]
        {
            let mut files = TokenizerFiles { tokenizer_file: tokenizer.into(), ..built_in() };
            assert!(take_vocabulary(&mut files).is_none());
            assert_eq!(files.tokenizer_file, tokenizer.as_bytes());
        }
    }

    #[test]
    fn missing_special_token_keeps_the_tokenizer_whole() {
        let mut files = TokenizerFiles {
            special_tokens_map_file: br#"{"sep_token": "<end of text>"}"#.to_vec(),
            ..built_in()
        };
        assert!(take_vocabulary(&mut files).is_none());
        assert_eq!(files.tokenizer_file, built_in().tokenizer_file);
    }
}
