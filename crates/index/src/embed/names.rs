//! Recognition of names of people and places in prose by a token classifier (`models/names`).

use std::{collections::BTreeMap, fs, ops::Range, path::Path};

use ort::{inputs, session::Session, value::TensorRef};
use serde::Deserialize;
use tokenizers::Tokenizer;

use super::{MODEL, ModelPaths, onnx::environment};
use precedent_core::{
    error::{Code, Error, Result},
    task::Task,
};

const MODEL_FOLDER: &str = "names";
/// The number of tokens that the model reads at once: about 480 characters, as in its training.
const WINDOW: usize = 126;
/// The number of tokens that adjacent windows share, so that one of them contains each whole name.
const OVERLAP: usize = 24;

/// A kind of name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A person: given names and surnames.
    Person,
    /// A place: street, house number, town and postal code.
    Place,
}

/// A name in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct RecognizedName {
    /// The kind of the name.
    pub kind: NameKind,
    /// The byte range in the text.
    pub range: Range<usize>,
    /// The highest probability of its words that are not numbers, 0..1.
    pub score: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Label {
    kind: NameKind,
    /// True for house numbers and postal codes, which are not names by themselves.
    is_number: bool,
}

/// A loaded name model.
pub struct NameModel {
    session: Session,
    tokenizer: Tokenizer,
    labels: Vec<Option<Label>>,
    start: i64,
    end: i64,
}

#[derive(Deserialize)]
struct Config {
    id2label: BTreeMap<usize, String>,
}

impl NameModel {
    /// Loads the model from the first folder of models that has it.
    pub(crate) fn load(paths: &ModelPaths) -> Result<Self> {
        let folders = paths.models.iter().map(|folder| folder.join(MODEL_FOLDER));
        let folder =
            folders.into_iter().find(|folder| folder.join(MODEL).is_file()).ok_or_else(|| {
                Error::new(
                    Code::ModelUnavailable,
                    "the model that recognizes names is not installed",
                )
                .with_hint(
                    "Reinstall Precedent. Names in running text are not recognized without it.",
                )
            })?;
        let environment = environment(&paths.runtime)?;
        tokenizers::parallelism::set_parallelism(false);
        let tokenizer =
            Tokenizer::from_bytes(read(&folder, "tokenizer.json")?).map_err(|e| model_error(&e))?;
        let config: Config =
            serde_json::from_slice(&read(&folder, "config.json")?).map_err(|e| model_error(&e))?;
        let special_id = |word: &str| {
            tokenizer
                .token_to_id(word)
                .map(i64::from)
                .ok_or_else(|| model_error(&format!("no token {word}")))
        };
        let (start, end) = (special_id("[CLS]")?, special_id("[SEP]")?);
        let session = session(&folder, &environment).map_err(|e| model_error(&e))?;
        Ok(Self { session, labels: labels(&config), start, end, tokenizer })
    }

    /// Returns the names in a text, in order.
    pub fn names(&mut self, text: &str, task: &Task) -> Result<Vec<RecognizedName>> {
        let (folded_text, positions) = replace_letters(text);
        let encoding = self.tokenizer.encode(folded_text, false).map_err(|e| model_error(&e))?;
        let (ids, offsets) = (encoding.get_ids(), encoding.get_offsets());
        let mut classes: Vec<Option<(Label, f32)>> = vec![None; ids.len()];
        let begins_line = |token: usize| {
            let gap = positions[offsets[token - 1].1]..positions[offsets[token].0];
            text.get(gap).is_some_and(|gap| gap.contains('\n'))
        };
        let (mut start, mut overlap) = (0, 0);
        while start + overlap < ids.len() {
            task.check()?;
            let max_end = ids.len().min(start + WINDOW);
            // No name continues on the next line, so windows that end with a line do not overlap.
            let line_end = (start + WINDOW / 2..max_end).rev().find(|token| begins_line(*token));
            let end = line_end.filter(|_| max_end < ids.len()).unwrap_or(max_end);
            // The later window classifies the second half of the overlap.
            let decided_start = start + overlap / 2;
            let window_classes = self.classify(&ids[start..end]).map_err(|e| model_error(&e))?;
            classes[decided_start..end].copy_from_slice(&window_classes[decided_start - start..]);
            overlap = if end < max_end { 0 } else { OVERLAP };
            start = end - overlap.min(end - start);
        }
        let tokens = offsets
            .iter()
            .zip(classes)
            .map(|(&(start, end), class)| (positions[start]..positions[end], class));
        Ok(join_tokens(text, tokens))
    }

    /// Returns the most likely label of each token, with its probability.
    fn classify(&mut self, ids: &[u32]) -> ort::Result<Vec<Option<(Label, f32)>>> {
        let tokens: Vec<i64> = [self.start]
            .into_iter()
            .chain(ids.iter().copied().map(i64::from))
            .chain([self.end])
            .collect();
        let (mask, types) = (vec![1_i64; tokens.len()], vec![0_i64; tokens.len()]);
        let shape = [1, tokens.len()];
        let outputs = self.session.run(inputs![
            "input_ids" => TensorRef::from_array_view((shape, &*tokens))?,
            "attention_mask" => TensorRef::from_array_view((shape, &*mask))?,
            "token_type_ids" => TensorRef::from_array_view((shape, &*types))?,
        ])?;
        let (_, scores) = outputs[0].try_extract_tensor::<f32>()?;
        let rows = scores.chunks_exact(self.labels.len()).skip(1).take(ids.len());
        Ok(rows.map(|row| most_likely(row, &self.labels)).collect())
    }
}

fn session(folder: &Path, environment: &ort::environment::Environment) -> ort::Result<Session> {
    Session::builder(environment)?
        .with_intra_threads(1)?
        .with_intra_op_spinning(false)?
        .commit_from_file(folder.join(MODEL))
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>> {
    let path = folder.join(name);
    fs::read(&path).map_err(|e| Error::io(&path, e))
}

fn model_error(error: &dyn std::fmt::Display) -> Error {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    Error::new(Code::ModelUnavailable, format!("the model that recognizes names failed: {line}"))
        .with_hint("Reinstall Precedent. Names in running text are not recognized without it.")
}

fn labels(config: &Config) -> Vec<Option<Label>> {
    let count = config.id2label.keys().last().map_or(0, |last| last + 1);
    let label = |id: usize| {
        let (kind, is_number) = match config.id2label.get(&id)?.split_once('-')?.1 {
            "GIVEN_NAME" | "SURNAME" => (NameKind::Person, false),
            "STREET_NAME" | "CITY" => (NameKind::Place, false),
            "BUILDING_NUMBER" | "SECONDARY_ADDRESS" | "ZIP_CODE" => (NameKind::Place, true),
            _ => return None,
        };
        Some(Label { kind, is_number })
    };
    (0..count).map(label).collect()
}

/// Returns the label with the highest logit and its softmax; `None` if it is not a name.
fn most_likely(logits: &[f32], labels: &[Option<Label>]) -> Option<(Label, f32)> {
    let (best, highest) = logits.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let sum: f32 = logits.iter().map(|logit| (logit - highest).exp()).sum();
    labels[best].map(|label| (label, 1.0 / sum))
}

/// Replaces Latin letters that the vocabulary lacks by similar ones. Returns the text, and the
/// offset in the original for each of its bytes.
fn replace_letters(text: &str) -> (String, Vec<usize>) {
    let to_similar = |c: char| match c {
        'ł' => 'l',
        'Ł' => 'L',
        'ı' => 'i',
        'ø' => 'o',
        'Ø' => 'O',
        'đ' => 'd',
        'Đ' => 'D',
        'ß' => 's',
        _ => c,
    };
    let mut folded_text = String::with_capacity(text.len());
    let mut positions = Vec::with_capacity(text.len() + 1);
    for (position, c) in text.char_indices() {
        folded_text.push(to_similar(c));
        positions.resize(folded_text.len(), position);
    }
    positions.push(text.len());
    (folded_text, positions)
}

/// Joins adjacent tokens of one kind into names. Drops names that begin or end inside a word.
fn join_tokens(
    text: &str,
    tokens: impl Iterator<Item = (Range<usize>, Option<(Label, f32)>)>,
) -> Vec<RecognizedName> {
    let mut names: Vec<RecognizedName> = Vec::new();
    for (range, class) in tokens.filter(|(range, _)| !range.is_empty()) {
        let Some((label, score)) = class else { continue };
        let score = if label.is_number { 0.0 } else { score };
        let is_joint = |last: &RecognizedName| {
            last.kind == label.kind
                && text.get(last.range.end..range.start).is_some_and(is_name_separator)
        };
        match names.last_mut().filter(|last| is_joint(last)) {
            Some(last) => {
                last.range.end = range.end;
                last.score = last.score.max(score);
            }
            None => names.push(RecognizedName { kind: label.kind, range, score }),
        }
    }
    names.retain(|name| name.score > 0.0 && is_standalone(text, &name.range));
    names
}

/// Returns whether this text between two tokens may be a part of a name.
fn is_name_separator(gap: &str) -> bool {
    gap.len() <= 3
        && gap.chars().all(|c| matches!(c, ' ' | '\u{a0}' | '-' | '.' | ',' | '\'' | '’'))
}

/// Returns whether a range is not part of a longer word, path or identifier.
fn is_standalone(text: &str, range: &Range<usize>) -> bool {
    let is_word_char =
        |c: char| c.is_alphanumeric() || matches!(c, '_' | '/' | '\\' | '@' | '#' | '$' | '=');
    let has_case = text[range.clone()].chars().any(char::is_lowercase);
    let (prefix, suffix) = (&text[..range.start], &text[range.end..]);
    let mut suffix = suffix.chars();
    let next = suffix.next();
    // Scripts without capitals do not separate words.
    let is_joined =
        |c: Option<char>| c.is_some_and(|c| is_word_char(c) && (has_case || c.is_ascii()));
    let is_member = matches!(next, Some('.' | ':' | '-' | '('))
        && suffix.next().is_some_and(char::is_alphanumeric);
    let last = prefix.chars().next_back();
    let is_suffix = matches!(last, Some('.' | ':' | '-'))
        && prefix.chars().rev().nth(1).is_some_and(char::is_alphanumeric);
    !is_joined(last) && !is_joined(next) && !is_member && !is_suffix
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str, labeled_words: &[(&str, NameKind, bool, f32)]) -> Vec<String> {
        let tokens = labeled_words.iter().map(|&(word, kind, is_number, score)| {
            let start = text.find(word).unwrap();
            (start..start + word.len(), Some((Label { kind, is_number }, score)))
        });
        join_tokens(text, tokens).into_iter().map(|name| text[name.range].to_owned()).collect()
    }

    #[test]
    fn adjacent_tokens_are_one_name() {
        use NameKind::{Person, Place};
        let text = "Anna-Lena Kern lives at 14 Rosen Str., 81667 Dorf and knows Ole.";
        let labeled_words = [
            ("Anna", Person, false, 0.9),
            ("Lena", Person, false, 0.9),
            ("Kern", Person, false, 0.8),
            ("14", Place, true, 1.0),
            ("Rosen", Place, false, 0.9),
            ("Str", Place, false, 0.9),
            ("81667", Place, true, 0.9),
            ("Dorf", Place, false, 0.9),
            ("Ole", Person, false, 0.9),
        ];
        assert_eq!(
            words(text, &labeled_words),
            ["Anna-Lena Kern", "14 Rosen Str., 81667 Dorf", "Ole"]
        );
    }

    #[test]
    fn replaced_letters_keep_their_offsets() {
        let text = "Łukasz hat Bjørns Straße";
        let (folded, positions) = replace_letters(text);
        assert_eq!(folded, "Lukasz hat Bjorns Strase");
        let start = folded.find("Bjorns").unwrap();
        assert_eq!(&text[positions[start]..positions[start + 6]], "Bjørns");
        assert_eq!(positions[folded.len()], text.len());
    }

    #[test]
    fn part_of_a_word_or_path_is_not_a_name() {
        for (text, word) in [
            ("the orphan process", "phan"),
            ("in /opt/jetty/lib", "jetty"),
            ("Jetty.start failed", "Jetty"),
            ("port 9092 of it", "9092"),
            ("com.Berta is a package", "Berta"),
        ] {
            assert!(
                words(text, &[(word, NameKind::Person, word == "9092", 0.99)]).is_empty(),
                "{text}"
            );
        }
    }
}
