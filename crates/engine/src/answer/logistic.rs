//! A logistic model over named inputs, as `models/pipeline` writes it.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::confidence::probability;

/// A model as stored in the repository; inputs that it does not name have no weight.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LogisticFile {
    bias: f32,
    pub(super) weights: BTreeMap<String, f32>,
}

/// A logistic model of `COUNT` inputs.
pub(super) struct Logistic<const COUNT: usize> {
    bias: f32,
    weights: [f32; COUNT],
}

impl<const COUNT: usize> Logistic<COUNT> {
    /// Reads a model; `index_of` returns the index of an input by its name.
    pub(super) fn parse(
        file: &LogisticFile,
        index_of: impl Fn(&str) -> Option<usize>,
    ) -> Result<Self, String> {
        Ok(Self { bias: file.bias, weights: by_index(&file.weights, index_of)? })
    }

    /// Estimates the probability, 0..1.
    pub(super) fn probability(&self, numbers: &[f32; COUNT]) -> f32 {
        let odds: f32 = self.weights.iter().zip(numbers).map(|(w, n)| w * n).sum();
        probability(self.bias + odds)
    }
}

/// Returns the values of named inputs by their indexes, which `index_of` returns.
pub(super) fn by_index<const COUNT: usize>(
    values: &BTreeMap<String, f32>,
    index_of: impl Fn(&str) -> Option<usize>,
) -> Result<[f32; COUNT], String> {
    let mut out = [0.0; COUNT];
    for (name, value) in values {
        out[index_of(name).ok_or_else(|| format!("unknown input {name}"))?] = *value;
    }
    Ok(out)
}
