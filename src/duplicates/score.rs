//! The learnt table: what each feature adds to a candidate's score, and how sure a score makes.
//!
//! Order and confidence are learnt apart. The order is a linear score, fitted so that the known duplicate of a report
//! comes first among its candidates (softmax over the candidates: ListNet's top-one likelihood, Cao et al. 2007). The
//! confidence is a logistic curve over the same features and the share that the candidate has in that softmax, fitted
//! at the trackers' own share of duplicates (Platt 1999). The table is made by `models/pipeline/rank.py` from
//! `precedent eval --features`; it names what it was learnt from.

use std::{collections::BTreeMap, path::Path, sync::LazyLock};

use serde::Deserialize;

use super::{
    features::{COUNT, Features, NAMES, place},
    learn::{Curve, Own, odds},
};
use crate::{
    error::{Error, Result},
    model::Evidence,
    store::Calibration,
};

/// The built-in table, as it lies in the repository.
const BUILT_IN: &str = include_str!("ranking.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "learnt_from")]
    _learnt_from: Vec<String>,
    labels: u64,
    order: BTreeMap<String, f32>,
    confidence: BTreeMap<String, f32>,
}

/// Weights of the features, and a source's own curve over the confidence, where it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    order: [f32; COUNT],
    confidence: [f32; COUNT],
    bias: f32,
    share: f32,
    labels: u64,
    curve: Option<Curve>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    // The file is part of the program; a test reads it and holds its names.
    Table::parse(BUILT_IN).unwrap_or_else(|_| Table {
        order: [1.0; COUNT],
        confidence: [0.0; COUNT],
        bias: -10.0,
        share: 0.0,
        labels: 0,
        curve: None,
    })
});

impl Table {
    /// The built-in table.
    pub fn built_in() -> &'static Self {
        &TABLE
    }

    /// A table that `models/pipeline/rank.py` wrote.
    ///
    /// # Errors
    /// [`crate::Code::Io`] if the file cannot be read, [`crate::Code::InvalidInput`] if it is no such table.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        Self::parse(&text).map_err(|e| {
            Error::invalid(format!("{} is no table of weights: {e}", path.display()))
                .with_hint("`models/pipeline/rank.py --out FILE` writes one.")
        })
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|e| e.to_string())?;
        Ok(Self {
            order: weights(&file.order)?,
            confidence: weights(&file.confidence)?,
            bias: file.confidence.get("bias").copied().unwrap_or_default(),
            share: file.confidence.get("share").copied().unwrap_or_default(),
            labels: file.labels,
            curve: None,
        })
    }

    /// The weights of the order.
    pub(super) fn order(&self) -> &[f32; COUNT] {
        &self.order
    }

    /// What one feature weighs in the order; 0 for one that there is not.
    pub(super) fn weight(&self, feature: &str) -> f32 {
        place(feature).map_or(0.0, |at| self.order[at])
    }

    /// The same with another order.
    pub(super) fn with_order(&self, order: [f32; COUNT]) -> Self {
        Self { order, ..self.clone() }
    }

    /// The same with what a source's own duplicates taught.
    pub fn with(&self, own: &Own) -> Self {
        Self {
            order: own.order.unwrap_or(self.order),
            labels: own.labels,
            curve: Some(own.curve),
            ..self.clone()
        }
    }

    /// The same with a source's calibration. None where it does not hold: its weights are of other features, or of
    /// another model's vectors. A curve alone holds for those, too: most of it is how often a source marks duplicates.
    pub fn calibrated(&self, calibration: &Calibration, model: Option<&str>) -> Option<Self> {
        let order = match &calibration.order {
            None => None,
            Some(own) if calibration.model.as_deref() == model && own.len() == COUNT => {
                Some(weights(own).ok()?)
            }
            Some(_) => return None,
        };
        let curve = Curve { slope: calibration.slope, intercept: calibration.intercept };
        Some(self.with(&Own { order, curve, labels: calibration.labels }))
    }

    /// On how many labelled reports the confidence rests.
    pub fn calibrated_on(&self) -> u64 {
        self.labels
    }

    /// What decides the order: higher is likelier; comparable among the candidates of one report.
    pub fn score(&self, features: &Features) -> f32 {
        dot(&self.order, features)
    }

    /// The probability that each candidate is a duplicate, 0..1, given the scores of all of them.
    pub fn confidences(&self, all: &[(f32, Features)]) -> Vec<f32> {
        let best = all.iter().map(|(score, _)| *score).fold(f32::MIN, f32::max);
        let sum: f32 = all.iter().map(|(score, _)| (score - best).exp()).sum();
        all.iter()
            .map(|(score, features)| {
                let share = (score - best) - sum.max(f32::MIN_POSITIVE).ln();
                let z = self.bias + self.share * share + dot(&self.confidence, features);
                let confidence = 1.0 / (1.0 + (-z).exp());
                #[allow(clippy::cast_possible_truncation, reason = "a probability needs no more digits")]
                self.curve.map_or(confidence, |curve| curve.at(odds(f64::from(confidence))) as f32)
            })
            .collect()
    }

    /// The arithmetic of a score, what adds most first.
    pub fn explain(&self, features: &Features) -> Vec<Evidence> {
        let mut out: Vec<Evidence> = NAMES
            .iter()
            .zip(self.order)
            .zip(features.0)
            .map(|((name, weight), value)| Evidence {
                feature: (*name).to_owned(),
                value,
                weight,
                adds: weight * value,
            })
            .collect();
        out.sort_by(|a, b| b.adds.abs().total_cmp(&a.adds.abs()).then_with(|| a.feature.cmp(&b.feature)));
        out
    }
}

impl Own {
    /// What is kept of it: with the model whose vectors its weights were learnt with.
    pub fn calibration(&self, model: Option<&str>) -> Calibration {
        let weights = |order: [f32; COUNT]| NAMES.iter().map(|n| (*n).to_owned()).zip(order).collect();
        Calibration {
            slope: self.curve.slope,
            intercept: self.curve.intercept,
            labels: self.labels,
            model: model.map(str::to_owned),
            order: self.order.map(weights),
        }
    }
}

/// Weights by name in the order of the features.
fn weights(named: &BTreeMap<String, f32>) -> std::result::Result<[f32; COUNT], String> {
    let mut out = [0.0; COUNT];
    for (name, weight) in named.iter().filter(|(n, _)| !matches!(n.as_str(), "bias" | "share")) {
        let at = place(name).ok_or_else(|| format!("no feature {name}"))?;
        out[at] = *weight;
    }
    Ok(out)
}

fn dot(weights: &[f32; COUNT], features: &Features) -> f32 {
    weights.iter().zip(features.0).map(|(w, f)| w * f).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_table_knows_every_feature() {
        let file: File = serde_json::from_str(BUILT_IN).unwrap();
        for name in NAMES {
            assert!(file.order.contains_key(name), "{name} has no weight");
        }
        assert_eq!(Table::parse(BUILT_IN), Ok(Table::built_in().clone()));
        assert!(Table::built_in().calibrated_on() > 0);
    }

    #[test]
    fn confidence_is_a_probability_and_follows_the_share() {
        let strong = (9.0, Features([0.5; COUNT]));
        let weak = (1.0, Features([0.0; COUNT]));
        let table = Table {
            order: [1.0; COUNT],
            confidence: [0.0; COUNT],
            bias: 0.0,
            share: 1.0,
            labels: 1,
            curve: None,
        };
        let found = table.confidences(&[strong, weak]);
        assert!(found[0] > found[1] && found.iter().all(|c| (0.0..=1.0).contains(c)), "{found:?}");
        assert!(table.confidences(&[]).is_empty());
    }
}
