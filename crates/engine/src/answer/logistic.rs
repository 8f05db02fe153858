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
        let mut weights = [0.0; COUNT];
        for (name, weight) in &file.weights {
            weights[index_of(name).ok_or_else(|| format!("unknown input {name}"))?] = *weight;
        }
        Ok(Self { bias: file.bias, weights })
    }

    /// Returns a model that always gives a very low probability.
    pub(super) fn fallback() -> Self {
        Self { bias: -10.0, weights: [0.0; COUNT] }
    }

    /// Estimates the probability, 0..1.
    pub(super) fn probability(&self, numbers: &[f32; COUNT]) -> f32 {
        let odds: f32 = self.weights.iter().zip(numbers).map(|(w, n)| w * n).sum();
        probability(self.bias + odds)
    }
}
