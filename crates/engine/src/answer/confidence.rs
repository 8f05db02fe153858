//! The confidence model, which estimates P(duplicate) and P(worth reading) for a pair.
//!
//! Tracker labels are insufficient for either: most reports of known problems are not marked as
//! duplicates. Both models are therefore fitted on judged pairs (`models/judged`). Each is a
//! logistic model over ramps of the evidence and products of ramps, all monotone: more overlap
//! never lowers the result (an additive model, Hastie and Tibshirani 1986, with the interactions
//! that were found to matter). `models/pipeline/rank.py` fits it.

use serde::Deserialize;

use super::{
    features::{self, Features},
    text_overlap::{self, TextOverlap},
};
use precedent_core::model::Outcome;
use precedent_store::ScoreBaseline;

/// The number of model inputs.
pub(super) const COUNT: usize = features::COUNT + 1 + text_overlap::COUNT;
/// The input name of the softmax share.
const SHARE: &str = "share";

/// The evidence for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairEvidence<'a> {
    /// The ranking features.
    pub features: &'a Features,
    /// The logarithm of the candidate's share of the softmax over all candidates.
    pub share: f32,
    /// The text overlap; `None` if it was not computed.
    pub overlap: Option<&'a TextOverlap>,
}

/// The estimated probabilities for a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    /// The probability that both report the same problem, 0..1.
    pub duplicate: f32,
    /// The probability that the earlier report is worth reading, 0..1; at least `duplicate`.
    pub worth: f32,
}

/// The two fitted models, and the observed outcomes, as stored in the ranking file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfidenceModel {
    #[serde(rename = "same")]
    duplicate: LogisticRamps,
    scale: Scale,
    worth: LogisticRamps,
    outcomes: Vec<OutcomeRange>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct LogisticRamps {
    bias: f32,
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Term {
    ramps: Vec<Ramp>,
    weight: f32,
}

/// A function that rises from 0 to 1 as an input goes from `from` to `to`; `to` may be smaller.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(try_from = "(String, f32, f32)")]
struct Ramp {
    input: usize,
    from: f32,
    to: f32,
}

impl TryFrom<(String, f32, f32)> for Ramp {
    type Error = String;

    fn try_from((name, from, to): (String, f32, f32)) -> Result<Self, String> {
        let input = index_of(&name).ok_or_else(|| format!("unknown input {name}"))?;
        if from == to {
            return Err(format!("the ramp of {name} is empty"));
        }
        Ok(Self { input, from, to })
    }
}

/// The calibration of log-odds relative to a score baseline (see `super::baseline`).
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Scale {
    /// The default baseline: the mean over the sets that it was fitted on.
    level: f32,
    spread: f32,
    /// The log-odds added for each spread above the level.
    slope: f32,
    /// The log-odds at the level.
    intercept: f32,
}

/// The observed outcomes of answers within a confidence range.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct OutcomeRange {
    /// The minimum confidence of the range; it ends where the next one begins.
    from: f32,
    #[serde(rename = "read")]
    answers: u32,
    #[serde(rename = "same")]
    duplicates: u32,
    #[serde(rename = "related")]
    related_reports: u32,
}

impl PairEvidence<'_> {
    /// Returns the inputs of the model.
    pub(super) fn numbers(&self) -> [f32; COUNT] {
        let mut out = [0.0; COUNT];
        out[..features::COUNT].copy_from_slice(&self.features.0);
        out[features::COUNT] = self.share;
        if let Some(overlap) = self.overlap {
            out[features::COUNT + 1..].copy_from_slice(&overlap.numbers);
        }
        out
    }
}

/// Returns the index of the input with this name.
pub(super) fn index_of(name: &str) -> Option<usize> {
    let overlap_index =
        || text_overlap::NAMES.iter().position(|n| *n == name).map(|i| features::COUNT + 1 + i);
    if name == SHARE {
        Some(features::COUNT)
    } else {
        features::index_of(name).or_else(overlap_index)
    }
}

impl Ramp {
    fn value(&self, numbers: &[f32; COUNT]) -> f32 {
        ((numbers[self.input] - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }
}

impl LogisticRamps {
    fn odds(&self, numbers: &[f32; COUNT]) -> f32 {
        let term = |term: &Term| {
            term.weight * term.ramps.iter().map(|r| r.value(numbers)).product::<f32>()
        };
        self.bias + self.terms.iter().map(term).sum::<f32>()
    }
}

impl ConfidenceModel {
    /// Returns the default baseline, for a source without one.
    pub fn default_baseline(&self) -> ScoreBaseline {
        ScoreBaseline { level: self.scale.level, spread: self.scale.spread }
    }

    /// Returns the log-odds that two reports describe the same problem, without a baseline.
    pub fn odds(&self, evidence: &PairEvidence<'_>) -> f32 {
        self.duplicate.odds(&evidence.numbers())
    }

    /// Estimates the confidence of a pair from a source with this baseline.
    pub fn confidence(&self, evidence: &PairEvidence<'_>, baseline: ScoreBaseline) -> Confidence {
        let numbers = evidence.numbers();
        let excess = (self.duplicate.odds(&numbers) - baseline.level) / baseline.spread;
        let duplicate = probability(self.scale.intercept + self.scale.slope * excess);
        Confidence { duplicate, worth: probability(self.worth.odds(&numbers)).max(duplicate) }
    }

    /// Estimates the probability that the earlier report is worth reading, 0..1.
    pub(super) fn worth_probability(&self, evidence: &PairEvidence<'_>) -> f32 {
        probability(self.worth.odds(&evidence.numbers()))
    }

    /// Returns the observed outcomes of answers with this confidence, if enough were judged.
    pub fn outcome(&self, confidence: f32) -> Option<Outcome> {
        let range = self.outcomes.iter().rev().find(|range| confidence >= range.from)?;
        Some(Outcome {
            read: range.answers,
            same: range.duplicates,
            related: range.related_reports,
        })
    }
}

pub(super) fn probability(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> ConfidenceModel {
        let ramps = |bias| -> LogisticRamps {
            let text = format!(
                r#"{{"bias": {bias}, "terms": [
                    {{"ramps": [["resemblance", 0.2, 0.6]], "weight": 4.0}},
                    {{"ramps": [["share", -1.0, 0.0], ["titles", 0.0, 1.0]], "weight": 2.0}},
                    {{"ramps": [["age", 5.0, 1.0]], "weight": 1.0}}]}}"#
            );
            serde_json::from_str(&text).unwrap()
        };
        let outcomes = vec![
            OutcomeRange { from: 0.0, answers: 100, duplicates: 3, related_reports: 40 },
            OutcomeRange { from: 0.5, answers: 20, duplicates: 13, related_reports: 5 },
        ];
        let scale = Scale { level: -2.0, spread: 1.0, slope: 1.0, intercept: -2.0 };
        ConfidenceModel { duplicate: ramps(-4.0), scale, worth: ramps(-5.0), outcomes }
    }

    fn score(share: f32, overlap: Option<&TextOverlap>) -> f32 {
        let features = Features([0.0; features::COUNT]);
        model()
            .confidence(
                &PairEvidence { features: &features, share, overlap },
                model().default_baseline(),
            )
            .duplicate
    }

    #[test]
    fn low_baseline_raises_the_confidence() {
        let features = Features([0.0; features::COUNT]);
        let evidence = PairEvidence { features: &features, share: 0.0, overlap: None };
        let confidence = |level, spread| {
            model().confidence(&evidence, ScoreBaseline { level, spread }).duplicate
        };
        assert!(confidence(-3.0, 1.0) > confidence(-2.0, 1.0));
        assert!(confidence(-4.0, 0.5) > confidence(-4.0, 1.0), "narrow");
        assert!((confidence(-3.0, 1.0) - probability(-2.0)).abs() < 1e-6, "at the baseline");
    }

    #[test]
    fn more_overlap_never_lowers_the_confidence() {
        let overlap = |resemblance, titles| {
            let mut overlap = TextOverlap::default();
            for (name, value) in [("resemblance", resemblance), ("titles", titles)] {
                overlap.numbers[text_overlap::NAMES.iter().position(|n| *n == name).unwrap()] =
                    value;
            }
            overlap
        };
        let similar = overlap(0.9, 1.0);
        assert!(score(0.0, Some(&similar)) > 0.9);
        assert!(score(-0.5, Some(&similar)) < score(0.0, Some(&similar)));
        // A product needs both factors.
        assert!((score(0.0, Some(&overlap(0.2, 0.0))) - score(-9.0, None)).abs() < 1e-6);
        // A ramp is constant beyond its end.
        assert!(
            (score(-9.0, Some(&overlap(0.6, 0.0))) - score(-9.0, Some(&overlap(1.0, 0.0)))).abs()
                < 1e-6
        );
    }

    #[test]
    fn duplicates_are_worth_reading() {
        let features = Features([0.0; features::COUNT]);
        let confidence = model().confidence(
            &PairEvidence { features: &features, share: 0.0, overlap: None },
            ScoreBaseline { level: -4.0, spread: 1.0 },
        );
        assert_eq!(confidence.worth, confidence.duplicate, "never below the duplicate probability");
    }

    #[test]
    fn outcome_matches_the_confidence_range() {
        let model = model();
        assert_eq!(model.outcome(0.49), Some(Outcome { read: 100, same: 3, related: 40 }));
        assert_eq!(model.outcome(0.97).map(|o| o.read), Some(20));
        assert_eq!(ConfidenceModel { outcomes: Vec::new(), ..model }.outcome(0.5), None);
    }

    #[test]
    fn unknown_inputs_and_empty_ramps_are_rejected() {
        for ramp in [r#"["no_such", 0, 1]"#, r#"["titles", 1, 1]"#] {
            let text = format!(r#"{{"bias": 0, "terms": [{{"ramps": [{ramp}], "weight": 1}}]}}"#);
            assert!(serde_json::from_str::<LogisticRamps>(&text).is_err(), "{ramp}");
        }
    }
}
