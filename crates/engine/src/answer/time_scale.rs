//! The time scale of a source: the usual time until a problem is reported again.
//!
//! The probability that a report is a duplicate of an earlier one falls with the days between them,
//! but not equally fast everywhere: in one tracker duplicates come within weeks, in another within
//! years. Days are therefore divided by the time scale of the source. It is chosen so that the
//! ranking's time features best predict the age of the candidate that each sampled report repeats,
//! judged by content. It needs no labels (docs/decisions/0011).

use super::{
    Match, RankingModel,
    confidence::PairEvidence,
    features::{Features, TIME_FEATURES, index_of},
    ranking::{MODEL_CEILING, shares},
};

/// The exponents of the time scales to try: powers of the square root of 2, from 1/2 to 128. At the
/// highest, age hardly matters.
const EXPONENTS: std::ops::RangeInclusive<i32> = -2..=14;
/// The standard deviation of the logarithm of the time scale among sources, which weighs the
/// default of 1 against the evidence. The tracker with the slowest recurrences measured has 6 to 8.
const DEVIATION: f64 = 2.1;
/// The number of reports on a recent subject, per duplicate: related reports are filed at about the
/// same time as well. With this number, go and hadoop get about the default.
const RELATED_FACTOR: f64 = 2.0;

/// The ages of a report's candidates, and which of them it repeats.
#[derive(Clone, Debug)]
pub(super) struct Recurrence {
    /// The index of the candidate that it most likely repeats, whatever its age.
    repeat_index: usize,
    /// The probability that it repeats or is related to that candidate, 0..1; otherwise the
    /// candidate is similar by chance, at any age.
    probability: f64,
    /// The days since each candidate was filed, and since its last activity.
    days: Vec<[f64; 2]>,
}

impl Recurrence {
    /// Returns the recurrence of a report with these candidates, whose features were computed with
    /// this time scale; `None` if there are none.
    pub(super) fn new(matches: &[Match], model: &RankingModel, scale: f64) -> Option<Self> {
        let features: Vec<Features> = matches.iter().map(|f| f.features).collect();
        let weights = time_weights(model);
        let time_score = |f: &Features| -> f32 {
            TIME_FEATURES.iter().zip(weights).map(|(name, weight)| weight * f.get(name)).sum()
        };
        let content: Vec<f32> = features.iter().map(|f| model.score(f) - time_score(f)).collect();
        let shares = shares(&content, &features);
        let confidence = |i: usize| {
            let evidence = PairEvidence { share: shares[i], ..matches[i].evidence() };
            (i, model.confidence(&evidence).duplicate)
        };
        let best = (0..matches.len()).map(confidence);
        let (repeat_index, duplicate) =
            best.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
        let probability = (RELATED_FACTOR * f64::from(duplicate)).min(f64::from(MODEL_CEILING));
        let days = |f: &Features| {
            ["age", "inactive_time"].map(|name| f64::from(f.get(name)).exp_m1() * scale)
        };
        Some(Self { repeat_index, probability, days: features.iter().map(days).collect() })
    }

    /// Returns the negative logarithm of the likelihood that the repeated candidate has its age.
    fn cost(&self, weights: [f32; 3], scale: f64) -> f64 {
        let [age_weight, age_squared_weight, inactive_weight] = weights.map(f64::from);
        let score = |days: &[f64; 2]| {
            let [age, inactive] = days.map(|days| (days / scale).ln_1p());
            age_weight * age + age_squared_weight * age * age + inactive_weight * inactive
        };
        let scores: Vec<f64> = self.days.iter().map(score).collect();
        let best = scores.iter().copied().fold(f64::MIN, f64::max);
        let sum: f64 = scores.iter().map(|score| (score - best).exp()).sum();
        let chance_share = 1.0 / scores.len() as f64;
        let age_share = (scores[self.repeat_index] - best).exp() / sum;
        -(self.probability * age_share + (1.0 - self.probability) * chance_share).ln()
    }
}

fn time_weights(model: &RankingModel) -> [f32; 3] {
    TIME_FEATURES.map(|name| index_of(name).map_or(0.0, |i| model.weights[i]))
}

/// Estimates the time scale of a source from the recurrences of a sample of its reports.
pub(super) fn time_scale(recurrences: &[Recurrence], model: &RankingModel) -> f64 {
    let weights = time_weights(model);
    let cost = |scale: f64| {
        let evidence: f64 =
            recurrences.iter().map(|recurrence| recurrence.cost(weights, scale)).sum();
        evidence + (scale.ln() / DEVIATION).powi(2) / 2.0
    };
    let costs =
        EXPONENTS.map(|step| 2.0_f64.powf(f64::from(step) / 2.0)).map(|scale| (scale, cost(scale)));
    costs.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(1.0, |(scale, _)| scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates reports with candidates of every age up to some years. Each repeats the one that is
    /// `gap` days old.
    fn recurrences(gap: f64, probability: f64) -> Vec<Recurrence> {
        let report = |i: u32| {
            let mut days: Vec<[f64; 2]> =
                (1..=100).map(|age| [f64::from(age * 20 + i); 2]).collect();
            days.push([gap + f64::from(i % 7); 2]);
            Recurrence { repeat_index: 100, probability, days }
        };
        (0..60).map(report).collect()
    }

    #[test]
    fn late_recurrences_give_a_large_scale() {
        let scale =
            |gap, probability| time_scale(&recurrences(gap, probability), RankingModel::built_in());
        assert!((time_scale(&[], RankingModel::built_in()) - 1.0).abs() < f64::EPSILON);
        let (soon, late) = (scale(3.0, 0.5), scale(1_000.0, 0.5));
        assert!(soon <= 1.0 && late >= 8.0, "{soon} {late}");
        // Doubtful matches are weak evidence.
        assert!(scale(1_000.0, 0.01) < late);
    }
}
