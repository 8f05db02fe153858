//! The fitted ranking model: feature weights for a candidate's score, and the confidence model.
//!
//! Ranking and confidence are fitted separately. The score is linear, fitted so that the known
//! duplicate of a report comes first among its candidates (softmax over the candidates: ListNet's
//! top-one likelihood, Cao et al. 2007). The confidence comes from a [`ConfidenceModel`], which is
//! fitted on judged pairs. `models/pipeline/rank.py` fits the model to `precedent eval --features`;
//! its file names the training data.

use std::{collections::BTreeMap, path::Path, sync::LazyLock};

use serde::Deserialize;

use super::{
    Match,
    confidence::{Confidence, ConfidenceModel, PairEvidence},
    features::{COUNT, Features, NAMES, RULES, index_of},
    logistic::by_index,
    text_overlap::CITED_WORTH,
};
use precedent_core::{
    error::{Error, Result},
    model::{Evidence, LIKELY},
};
use precedent_store::{Calibration, ScoreBaseline};

/// The built-in model, as stored in the repository.
const BUILT_IN: &str = include_str!("ranking.json");

/// The confidence floor of an exact copy (docs/decisions/0014).
const COPY_FLOOR: f32 = 0.95;
/// The confidence ceiling of templated reports, which are equal except for names in their titles.
const TEMPLATE_CEILING: f32 = 0.05;

/// The confidence ceiling without a rule: on projects outside the training data, fewer than nine in
/// ten predictions above it were right.
pub(super) const MODEL_CEILING: f32 = 0.89;

/// The confidence ceiling for a question that names only a generic failure, and the relevance
/// ceiling for the cases found for it. It is higher than the ceiling for different failures,
/// because those contradict each other.
pub(super) const GENERIC_CEILING: f32 = 0.3;

/// The version of the estimates of baselines and time scales; a new version recomputes them.
const ESTIMATE_VERSION: u32 = 2;

#[derive(Deserialize)]
struct RankingModelFile {
    labels: u64,
    #[serde(rename = "order")]
    weights: BTreeMap<String, f32>,
    #[serde(rename = "judge")]
    confidence: ConfidenceModel,
}

/// A ranking model: feature weights, a source's score baseline, and its calibration curve, if any.
#[derive(Clone, Debug, PartialEq)]
pub struct RankingModel {
    pub(super) weights: [f32; COUNT],
    pub(crate) confidence: ConfidenceModel,
    /// The number of labeled reports behind the confidence.
    pub(crate) labels: u64,
    pub(super) baseline: ScoreBaseline,
    pub(super) curve: Option<Curve>,
    pub(super) is_refit: bool,
}

/// The rank of one candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedCandidate {
    /// The index in the input.
    pub index: usize,
    /// The ranking score: higher is better; comparable among the candidates of one report.
    pub score: f32,
    /// The logarithm of its share in the softmax over all scores; templated candidates take no
    /// share from the others.
    pub log_share: f32,
}

/// A logistic curve over the log-odds of the built-in confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// The factor of the log-odds.
    pub slope: f64,
    /// The offset of the log-odds.
    pub intercept: f64,
}

impl Curve {
    /// Returns the calibrated confidence for log-odds of the built-in confidence.
    pub fn confidence(&self, odds: f64) -> f64 {
        1.0 / (1.0 + (-(self.slope * odds + self.intercept)).exp())
    }
}

pub(super) fn odds(p: f64) -> f64 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

/// A model fitted to one source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceModel {
    /// The ranking weights, if they rank better than the built-in ones.
    pub order: Option<[f32; COUNT]>,
    /// The calibration curve.
    pub curve: Curve,
    /// The number of reports with a known duplicate that it was fitted to.
    pub labels: u64,
}

impl SourceModel {
    /// Returns the calibration to store, with the embedding model that its weights were fitted
    /// with.
    pub fn calibration(&self, model: Option<&str>) -> Calibration {
        let weights =
            |order: [f32; COUNT]| NAMES.iter().map(|n| (*n).to_owned()).zip(order).collect();
        Calibration {
            slope: self.curve.slope,
            intercept: self.curve.intercept,
            labels: self.labels,
            model: model.map(str::to_owned),
            weights: self.order.map(weights),
        }
    }
}

#[allow(clippy::expect_used, reason = "a test parses the embedded model")]
static BUILT_IN_MODEL: LazyLock<RankingModel> =
    LazyLock::new(|| RankingModel::parse(BUILT_IN).expect("the built-in model is valid"));

impl RankingModel {
    /// Returns the built-in model.
    pub fn built_in() -> &'static Self {
        &BUILT_IN_MODEL
    }

    /// Reads a model that `models/pipeline/rank.py` wrote. Fails if it is not a model.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
        Self::parse(&text).map_err(|e| {
            Error::invalid(format!("{} is not a ranking model: {e}", path.display()))
                .with_hint("Write one with the training pipeline.")
                .with_command(None, "models/pipeline/rank.py --out FILE")
        })
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let file: RankingModelFile = serde_json::from_str(text).map_err(|e| e.to_string())?;
        Ok(Self {
            weights: by_index(&file.weights, index_of)?,
            baseline: file.confidence.default_baseline(),
            confidence: file.confidence,
            labels: file.labels,
            curve: None,
            is_refit: false,
        })
    }

    /// Returns the model with the weights and the curve of a source.
    pub fn with_source_model(&self, model: &SourceModel) -> Self {
        Self {
            weights: model.order.unwrap_or(self.weights),
            labels: model.labels,
            curve: Some(model.curve),
            is_refit: model.order.is_some(),
            ..self.clone()
        }
    }

    /// Returns the model with a source's calibration, or `None` if it does not apply: its weights
    /// are for other features or another embedding model. A curve alone applies anyway, because it
    /// mostly reflects how often a source marks duplicates.
    pub fn with_calibration(&self, calibration: &Calibration, model: Option<&str>) -> Option<Self> {
        let order = match &calibration.weights {
            None => None,
            Some(by_name) if calibration.model.as_deref() == model && by_name.len() == COUNT => {
                Some(by_index(by_name, index_of).ok()?)
            }
            Some(_) => return None,
        };
        let curve = Curve { slope: calibration.slope, intercept: calibration.intercept };
        Some(self.with_source_model(&SourceModel { order, curve, labels: calibration.labels }))
    }

    /// Returns a hash that identifies these weights and rules and this embedding model.
    pub fn basis(&self, model: &str) -> String {
        let rules = format!("{COPY_FLOOR} {TEMPLATE_CEILING} {MODEL_CEILING} {ESTIMATE_VERSION}");
        let input = format!("{:?} {:?}, {rules}, {model}", self.weights, self.confidence);
        blake3::hash(input.as_bytes()).to_hex()[..32].to_owned()
    }

    /// Returns the weighted sum of the features, which [`RankingModel::rank`] sorts by if no rule
    /// decides.
    pub(super) fn score(&self, features: &Features) -> f32 {
        self.weights.iter().zip(features.0).map(|(weight, value)| weight * value).sum()
    }

    /// Ranks all candidates of a report, best first; ties in input order. Exact copies come before
    /// all others.
    pub fn rank(&self, candidates: &[Features]) -> Vec<RankedCandidate> {
        let scores: Vec<f32> = candidates.iter().map(|features| self.score(features)).collect();
        let (lowest, highest) =
            scores.iter().fold((f32::MAX, f32::MIN), |(a, b), s| (a.min(*s), b.max(*s)));
        let shares = shares(&scores, candidates);
        let add_bonus = |(index, score): (usize, f32)| {
            let bonus = if candidates[index].is_copy() { 1.0 + highest - lowest } else { 0.0 };
            RankedCandidate { index, score: score + bonus, log_share: shares[index] }
        };
        let mut ranking: Vec<RankedCandidate> =
            scores.iter().copied().enumerate().map(add_bonus).collect();
        ranking.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        ranking
    }

    /// Estimates the confidence of a pair from the fitted model, the curve fitted to the source's
    /// own duplicates, and the rules for exact copies and templates. Marked duplicates are never
    /// complete, so a source's curve can only raise the confidence.
    pub fn confidence(&self, evidence: &PairEvidence<'_>) -> Confidence {
        let Confidence { duplicate, worth } = self.confidence.confidence(evidence, self.baseline);
        let duplicate = duplicate.min(MODEL_CEILING);
        let calibrate = |curve: Curve| curve.confidence(odds(f64::from(duplicate))) as f32;
        let duplicate = duplicate.max(self.curve.map_or(duplicate, calibrate));
        let confidence = Confidence { duplicate, worth };
        Self::apply_bounds(evidence, false, confidence)
    }

    /// Bounds the probability that a report answers a typed question, by the rules that
    /// [`Self::confidence`] applies, and by a ceiling.
    pub(super) fn bound_answer(
        &self,
        evidence: &PairEvidence<'_>,
        probability: f32,
        ceiling: f32,
        shares_failure_with_others: bool,
    ) -> Confidence {
        let worth = self.confidence.worth_probability(evidence);
        let answer = Confidence { duplicate: probability.min(ceiling), worth };
        Self::apply_bounds(evidence, shares_failure_with_others, answer)
    }

    /// Applies the rules for exact copies, templates and text overlaps.
    fn apply_bounds(
        evidence: &PairEvidence<'_>,
        shares_failure_with_others: bool,
        confidence: Confidence,
    ) -> Confidence {
        let (floor, ceiling) = match (evidence.features.is_copy(), evidence.features.is_templated())
        {
            (true, _) => (COPY_FLOOR, 1.0),
            (_, true) => (0.0, TEMPLATE_CEILING),
            _ => evidence
                .overlap
                .map_or((0.0, 1.0), |overlap| overlap.bounds(shares_failure_with_others)),
        };
        let duplicate = confidence.duplicate.max(floor).min(ceiling);
        let is_cited = evidence.overlap.is_some_and(|overlap| overlap.is_cited);
        let worth_floor = if is_cited { CITED_WORTH.max(duplicate) } else { duplicate };
        Confidence { duplicate, worth: confidence.worth.max(worth_floor) }
    }

    /// Returns whether a rule bounds the confidence of a pair.
    pub(super) fn is_bounded_by_rule(evidence: &PairEvidence<'_>) -> bool {
        evidence.features.is_copy()
            || evidence.features.is_templated()
            || evidence.overlap.is_some_and(|overlap| overlap.bounds(false) != (0.0, 1.0))
    }

    /// Sorts ranked matches into their final order: likely duplicates and those with a rare
    /// signature first, by confidence, then the others in ranking order. Confidence does not
    /// increase down the list.
    pub(super) fn sort_matches(&self, matches: &mut [Match]) {
        let is_rare =
            |item: &Match| item.overlap.as_ref().is_some_and(|overlap| overlap.rare_signature);
        // In a ranking fitted to the source, only reports with a rare signature move to the front.
        let is_first = |item: &Match| is_rare(item) || !self.is_refit && item.confidence >= LIKELY;
        let key = |item: &Match| if is_first(item) { item.confidence } else { 0.0 };
        matches.sort_by(|a, b| key(b).total_cmp(&key(a)));
        let mut lowest = 1.0_f32;
        for item in matches {
            lowest = lowest.min(item.confidence);
            item.confidence = lowest;
        }
    }

    /// Returns the terms of a score, largest magnitude first.
    pub fn explain(&self, features: &Features) -> Vec<Evidence> {
        let mut out: Vec<Evidence> = NAMES
            .iter()
            .zip(self.weights)
            .zip(features.0)
            .filter(|((name, _), _)| !RULES.contains(name))
            .map(|((name, weight), value)| Evidence {
                feature: (*name).to_owned(),
                value,
                weight,
                adds: weight * value,
            })
            .collect();
        out.sort_by(|a, b| {
            b.adds.abs().total_cmp(&a.adds.abs()).then_with(|| a.feature.cmp(&b.feature))
        });
        out
    }
}

/// Returns the logarithm of each candidate's share in the softmax over all scores. Templated
/// candidates take no share from the others: their similarity does not depend on which one is the
/// duplicate.
pub(super) fn shares(scores: &[f32], candidates: &[Features]) -> Vec<f32> {
    let best = scores.iter().copied().fold(f32::MIN, f32::max);
    let relative_odds = |score: f32| (score - best).exp();
    let competitors =
        scores.iter().zip(candidates).filter(|(_, features)| !features.is_templated());
    let sum: f32 = competitors.map(|(score, _)| relative_odds(*score)).sum();
    let share = |(score, features): (&f32, &Features)| {
        let sum = if features.is_templated() { sum + relative_odds(*score) } else { sum };
        (score - best) - sum.max(f32::MIN_POSITIVE).ln()
    };
    scores.iter().zip(candidates).map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_model_has_every_feature() {
        let file: RankingModelFile = serde_json::from_str(BUILT_IN).unwrap();
        for name in NAMES {
            assert_eq!(
                file.weights.contains_key(name),
                !RULES.contains(&name),
                "{name} has no weight, or one too many"
            );
        }
        assert_eq!(RankingModel::parse(BUILT_IN), Ok(RankingModel::built_in().clone()));
        assert!(RankingModel::built_in().labels > 0);
    }

    fn features_with(features: &[(&str, f32)]) -> Features {
        let mut values = [0.0; COUNT];
        features.iter().for_each(|(name, value)| values[index_of(name).unwrap()] = *value);
        Features(values)
    }

    #[test]
    fn templated_candidates_take_no_share() {
        let ranking = RankingModel {
            weights: features_with(&[("words", 9.0)]).0,
            ..RankingModel::built_in().clone()
        };
        let candidates = [
            features_with(&[("words", 0.5)]),
            features_with(&[("words", 0.8)]),
            features_with(&[("words", 0.9), ("series", 1.0)]),
        ];
        let order =
            |ranking: &[RankedCandidate]| ranking.iter().map(|item| item.index).collect::<Vec<_>>();
        let two = ranking.rank(&candidates[..2]);
        assert_eq!(order(&two), [1, 0]);
        assert!(two[0].log_share > two[1].log_share && two[0].log_share <= 0.0, "{two:?}");
        let three = ranking.rank(&candidates);
        assert_eq!(order(&three), [2, 1, 0]);
        assert!((three[1].log_share - two[0].log_share).abs() < 1e-6, "{three:?}");
        assert!(ranking.rank(&[]).is_empty());
    }

    #[test]
    fn exact_copy_is_first_and_template_is_capped() {
        let ranking = RankingModel {
            weights: features_with(&[("words", 9.0)]).0,
            ..RankingModel::built_in().clone()
        };
        let candidates = [
            features_with(&[("words", 0.9), ("series", 1.0)]),
            features_with(&[("words", 0.2), ("copy", 1.0)]),
        ];
        let ranked = ranking.rank(&candidates);
        assert_eq!(ranked[0].index, 1);
        let assess = |i: usize| {
            ranking.confidence(&PairEvidence {
                features: &candidates[i],
                share: 0.0,
                overlap: None,
            })
        };
        assert!(
            assess(1).duplicate >= COPY_FLOOR && assess(1).worth >= COPY_FLOOR,
            "{:?}",
            assess(1)
        );
        assert!(assess(0).duplicate <= TEMPLATE_CEILING, "{:?}", assess(0));
    }

    #[test]
    fn source_curve_never_lowers_the_confidence() {
        let ranking = RankingModel::built_in();
        let features = features_with(&[("words", 0.6), ("text_text_cosine", 0.7)]);
        let evidence = PairEvidence { features: &features, share: -0.1, overlap: None };
        let confidence_with = |intercept| {
            ranking
                .with_source_model(&SourceModel {
                    order: None,
                    curve: Curve { slope: 1.0, intercept },
                    labels: 50,
                })
                .confidence(&evidence)
                .duplicate
        };
        let base = ranking.confidence(&evidence).duplicate;
        assert!(confidence_with(2.0) > base && confidence_with(-2.0) == base);
    }
}
