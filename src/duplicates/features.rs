//! What two reports have in common, as numbers.

use crate::index::{fulltext::Overlap, vectors::Likeness};

/// How many features there are.
pub const COUNT: usize = NAMES.len();

/// The features by name, in their order. The names are those of the table of weights.
pub const NAMES: [&str; 14] = [
    "words",
    "words_squared",
    "title_title_words",
    "body_title_words",
    "code_words",
    "identifiers",
    "signatures",
    "title_title_cosine",
    "title_text_cosine",
    "text_title_cosine",
    "text_text_cosine",
    "text_text_cosine_squared",
    "age",
    "age_squared",
];

/// The features of a pair of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features(pub [f32; COUNT]);

impl Features {
    /// The features of a document against a report that is made at `now` (seconds since the epoch).
    pub fn new(overlap: &Overlap, likeness: Option<&Likeness>, now: i64) -> Self {
        let days = overlap.created.map_or(0.0, |created| {
            #[allow(clippy::cast_precision_loss, reason = "ages need no more digits")]
            let seconds = now.saturating_sub(created).max(0) as f32;
            seconds / 86_400.0
        });
        let none = Likeness::default();
        let cosines = likeness.unwrap_or(&none);
        let or_zero = |cosine: Option<f32>| cosine.unwrap_or(0.0).max(0.0);
        // People report again what broke lately: the chance falls with the logarithm of the age.
        let age = (1.0 + days).ln();
        let text = or_zero(cosines.text_text);
        Self([
            overlap.words,
            overlap.words * overlap.words,
            overlap.title_title,
            overlap.body_title,
            overlap.code_code,
            overlap.identifiers,
            overlap.signatures,
            or_zero(cosines.title_title),
            or_zero(cosines.title_text),
            or_zero(cosines.text_title),
            text,
            text * text,
            age,
            age * age,
        ])
    }
}
