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
    features::{COUNT, Features, NAMES, RULES, place},
    learn::{Curve, Own, odds},
};
use crate::{
    error::{Error, Result},
    model::Evidence,
    store::Calibration,
};

/// The built-in table, as it lies in the repository.
const BUILT_IN: &str = include_str!("ranking.json");

/// The confidence in a report that says the same, word for word, whatever a curve makes of it: of the three sets' 17 such pairs
/// 14 are marked as duplicates. What is left for doubt are copies on purpose, one for each branch or platform.
const COPY: f32 = 0.95;
/// The most that it is in a report that says the same but for what the titles name, whatever a curve makes of it: nothing is
/// as alike, and of Titanium's such pairs 3 are marked as duplicates and 53 are not, 51 of them in a sample of one report in 24.
const SERIES: f32 = 0.05;

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

/// What one candidate is worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// Its place among those that were handed over.
    pub at: usize,
    /// What decides the order: higher is likelier; comparable among the candidates of one report.
    pub score: f32,
    /// The probability that it is a duplicate, 0..1.
    pub confidence: f32,
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

    /// What tells checks that were made with these weights and rules, and with this model, from others.
    pub fn basis(&self, model: &str) -> String {
        let of = format!(
            "{:?} {:?} {} {}, {COPY} {SERIES}, {model}",
            self.order, self.confidence, self.bias, self.share
        );
        blake3::hash(of.as_bytes()).to_hex()[..32].to_owned()
    }

    /// On how many labelled reports the confidence rests.
    pub fn calibrated_on(&self) -> u64 {
        self.labels
    }

    /// What weighted evidence makes of the order; what [`Table::ranked`] goes by where no rule decides.
    pub(super) fn score(&self, features: &Features) -> f32 {
        dot(&self.order, features)
    }

    /// All candidates of a report, best first; ties in the order in which they are handed over. Copies are before all others, and one of a series is
    /// behind what is surer than it.
    pub fn ranked(&self, all: &[Features]) -> Vec<Worth> {
        let scores: Vec<f32> = all.iter().map(|features| self.score(features)).collect();
        let (least, best) = scores.iter().fold((f32::MAX, f32::MIN), |(a, b), s| (a.min(*s), b.max(*s)));
        let confidences = self.confidences(&scores, all);
        let worth = |(at, score): (usize, f32)| {
            let ahead = if all[at].is_copy() { 1.0 + best - least } else { 0.0 };
            Worth { at, score: score + ahead, confidence: confidences[at] }
        };
        let mut ranked: Vec<Worth> = scores.iter().copied().enumerate().map(worth).collect();
        ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.at.cmp(&b.at)));
        let series = |one: &Worth| all[one.at].is_series();
        if let Some(last) = ranked.iter().rposition(|one| !series(one) && one.confidence > SERIES) {
            let below = ranked[last].score.next_down();
            ranked[..last].iter_mut().filter(|one| series(one)).for_each(|one| one.score = below);
            ranked[..=last].sort_by(|a, b| b.score.total_cmp(&a.score));
        }
        ranked
    }

    /// The probability that each candidate is a duplicate, given the scores of all of them. What is of a series takes no share
    /// from the others: it is as alike whether one of them is the duplicate or not.
    fn confidences(&self, scores: &[f32], all: &[Features]) -> Vec<f32> {
        let best = scores.iter().copied().fold(f32::MIN, f32::max);
        let odd = |score: f32| (score - best).exp();
        let others = scores.iter().zip(all).filter(|(_, features)| !features.is_series());
        let sum: f32 = others.map(|(score, _)| odd(*score)).sum();
        scores
            .iter()
            .zip(all)
            .map(|(score, features)| {
                let sum = if features.is_series() { sum + odd(*score) } else { sum };
                let share = (score - best) - sum.max(f32::MIN_POSITIVE).ln();
                let z = self.bias + self.share * share + dot(&self.confidence, features);
                let confidence = 1.0 / (1.0 + (-z).exp());
                #[allow(clippy::cast_possible_truncation, reason = "a probability needs no more digits")]
                let confidence =
                    self.curve.map_or(confidence, |curve| curve.at(odds(f64::from(confidence))) as f32);
                match (features.is_copy(), features.is_series()) {
                    (true, _) => confidence.max(COPY),
                    (_, true) => confidence.min(SERIES),
                    _ => confidence,
                }
            })
            .collect()
    }

    /// The arithmetic of a score, what adds most first.
    pub fn explain(&self, features: &Features) -> Vec<Evidence> {
        let mut out: Vec<Evidence> = NAMES
            .iter()
            .zip(self.order)
            .zip(features.0)
            .filter(|((name, _), _)| !RULES.contains(name))
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
            assert_eq!(
                file.order.contains_key(name),
                !RULES.contains(&name),
                "{name} has no weight, or one too many"
            );
        }
        assert_eq!(Table::parse(BUILT_IN), Ok(Table::built_in().clone()));
        assert!(Table::built_in().calibrated_on() > 0);
    }

    #[test]
    fn confidence_is_a_probability_and_follows_the_share() {
        let (strong, weak) = (with(&[("words", 9.0)]), with(&[("words", 1.0)]));
        let table = Table {
            order: [1.0; COUNT],
            confidence: [0.0; COUNT],
            bias: 0.0,
            share: 1.0,
            labels: 1,
            curve: None,
        };
        let found = table.ranked(&[weak, strong]);
        assert_eq!((found[0].at, found[1].at), (1, 0));
        assert!(found[0].confidence > found[1].confidence, "{found:?}");
        assert!(found.iter().all(|one| (0.0..=1.0).contains(&one.confidence)), "{found:?}");
        assert!(table.ranked(&[]).is_empty());
    }

    fn with(features: &[(&str, f32)]) -> Features {
        let mut all = [0.0; COUNT];
        features.iter().for_each(|(name, value)| all[place(name).unwrap()] = *value);
        Features(all)
    }

    #[test]
    fn a_copy_comes_first_and_one_of_a_series_after_what_is_surer() {
        let mut table = Table { bias: -4.0, share: 1.0, ..Table::built_in().clone() };
        (table.order, table.confidence) = (with(&[("words", 9.0)]).0, with(&[("words", 6.0)]).0);
        let all = [
            with(&[("words", 0.9), ("series", 1.0)]),
            with(&[("words", 0.5)]),
            with(&[("words", 0.8)]),
            with(&[("words", 0.2), ("copy", 1.0)]),
        ];
        let order = |all: &[Features]| table.ranked(all).iter().map(|one| one.at).collect::<Vec<_>>();
        // Without the copy the surest is the third one; what is less likely than a series stays behind it.
        assert_eq!(order(&all[..3]), [2, 0, 1]);
        assert_eq!(order(&all), [3, 2, 0, 1]);
        let found = table.ranked(&all[..3]);
        assert!(found[0].confidence > 0.5 && found[1].confidence <= SERIES, "{found:?}");
        assert_eq!(found[0].confidence, table.ranked(&all[1..3])[0].confidence, "a series takes no share");
        assert!(found.windows(2).all(|w| w[0].score > w[1].score), "{found:?}");
        let copy = table.ranked(&all)[0];
        assert!(copy.confidence >= COPY, "{copy:?}");
        // One alone is no surer.
        assert!(table.ranked(&all[..1])[0].confidence <= SERIES);
    }
}
