//! The measures of a ranking: recall@k by duplicate group, MRR, MAP, AUC, calibration, and paired
//! bootstrap intervals.

pub use precedent_core::stats::wilson;
use serde::{Deserialize, Serialize};

/// A mean with its 95 % bootstrap interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Mean {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// The scores of one query's ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct QueryScore {
    /// Recall@k "by bucket", k = 1, 5, 10: 1 if an earlier group member is among the first k, else
    /// 0.
    pub recall_1: f64,
    pub recall_5: f64,
    pub recall_10: f64,
    /// 1 / rank of the first relevant document.
    pub reciprocal_rank: f64,
    /// Average precision over all relevant documents.
    pub average_precision: f64,
}

impl QueryScore {
    /// Scores a ranking. `relevant` marks the duplicates in it; `total` counts all duplicates.
    pub fn new(relevant: &[bool], total: usize) -> Self {
        let ranks: Vec<usize> =
            relevant.iter().enumerate().filter(|(_, r)| **r).map(|(i, _)| i + 1).collect();
        let recall = |k: usize| f64::from(u8::from(ranks.first().is_some_and(|r| *r <= k)));
        Self {
            recall_1: recall(1),
            recall_5: recall(5),
            recall_10: recall(10),
            reciprocal_rank: ranks.first().map_or(0.0, |r| 1.0 / float(*r)),
            average_precision: ranks
                .iter()
                .enumerate()
                .map(|(j, r)| float(j + 1) / float(*r))
                .sum::<f64>()
                / float(total.max(1)),
        }
    }

    /// Returns the measures with their names, in order.
    pub fn measures(&self) -> [(&'static str, f64); 5] {
        [
            ("recall@1", self.recall_1),
            ("recall@5", self.recall_5),
            ("recall@10", self.recall_10),
            ("MRR", self.reciprocal_rank),
            ("MAP", self.average_precision),
        ]
    }
}

pub fn float(n: usize) -> f64 {
    n as f64
}

/// Computes the mean with its 95 % percentile bootstrap interval (Efron 1979), from a fixed seed.
pub fn bootstrap(values: &[f64], draws: usize, seed: u64) -> Mean {
    if values.is_empty() {
        return Mean::default();
    }
    let value = values.iter().sum::<f64>() / float(values.len());
    let mut random = fastrand::Rng::with_seed(seed);
    let mut means: Vec<f64> = (0..draws.max(1))
        .map(|_| {
            (0..values.len()).map(|_| values[random.usize(..values.len())]).sum::<f64>()
                / float(values.len())
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let percentile = |share: f64| {
        let i = (share * float(means.len() - 1)).round() as usize;
        means[i.min(means.len() - 1)]
    };
    Mean { value, low: percentile(0.025), high: percentile(0.975) }
}

/// Computes the area under the ROC curve: the chance that a positive scores above a negative, where
/// ties count half. Returns `None` if either list is empty.
pub fn auc(positives: &[f64], negatives: &[f64]) -> Option<f64> {
    if positives.is_empty() || negatives.is_empty() {
        return None;
    }
    let mut scores: Vec<(f64, bool)> = positives.iter().map(|s| (*s, true)).collect();
    scores.extend(negatives.iter().map(|s| (*s, false)));
    scores.sort_by(|a, b| a.0.total_cmp(&b.0));
    // The Mann–Whitney rank sum, with mean ranks for ties.
    let (mut sum, mut i) = (0.0, 0);
    while i < scores.len() {
        let mut j = i;
        while j < scores.len() && scores[j].0.total_cmp(&scores[i].0).is_eq() {
            j += 1;
        }
        let rank = float(i + 1 + j) / 2.0;
        sum += rank * float(scores[i..j].iter().filter(|(_, positive)| *positive).count());
        i = j;
    }
    let n = float(positives.len());
    Some((sum - n * (n + 1.0) / 2.0) / (n * float(negatives.len())))
}

/// A stated probability, its outcome, and the number of the tracker's cases that it represents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    pub probability: f64,
    pub is_correct: bool,
    pub weight: f64,
}

/// Computes the expected calibration error (Guo et al. 2017, arXiv 1706.04599) with ten weighted
/// bins of equal width.
pub fn calibration_error(forecasts: &[Forecast]) -> Option<f64> {
    let total: f64 = forecasts.iter().map(|s| s.weight).sum();
    if total <= 0.0 {
        return None;
    }
    let mut bins = [(0.0, 0.0, 0.0); 10];
    for forecast in forecasts {
        let bin = &mut bins[(forecast.probability * 10.0).clamp(0.0, 9.0) as usize];
        bin.0 += forecast.weight;
        bin.1 += forecast.weight * forecast.probability;
        bin.2 += forecast.weight * f64::from(u8::from(forecast.is_correct));
    }
    Some(bins.iter().map(|(_, p, r)| (p - r).abs()).sum::<f64>() / total)
}

/// Computes the recall at the lowest threshold with at least this precision: the share of
/// `positives` queries that are answered correctly.
pub fn recall_at_precision(forecasts: &[Forecast], precision: f64, positives: f64) -> f64 {
    let mut sorted_forecasts = forecasts.to_vec();
    sorted_forecasts.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let (mut right, mut total, mut best) = (0.0, 0.0, 0.0);
    for (i, forecast) in sorted_forecasts.iter().enumerate() {
        total += forecast.weight;
        right += forecast.weight * f64::from(u8::from(forecast.is_correct));
        let is_last_tie =
            sorted_forecasts.get(i + 1).is_none_or(|next| next.probability < forecast.probability);
        // Fewer than ten answers are too few to measure precision.
        if is_last_tie && i >= 9 && right / total >= precision {
            best = right;
        }
    }
    if positives > 0.0 { best / positives } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranking_is_scored_by_first_relevant_document() {
        let score = QueryScore::new(&[false, true, false, true], 2);
        assert_eq!((score.recall_1, score.recall_5, score.reciprocal_rank), (0.0, 1.0, 0.5));
        assert!((score.average_precision - 0.5).abs() < 1e-12);
        assert_eq!(QueryScore::new(&[], 3), QueryScore::default());
    }

    #[test]
    fn auc_counts_ties_as_half() {
        assert_eq!(auc(&[3.0, 2.0], &[1.0, 0.0]), Some(1.0));
        assert_eq!(auc(&[1.0], &[1.0]), Some(0.5));
        assert_eq!(auc(&[0.0, 2.0], &[1.0]), Some(0.5));
        assert_eq!(auc(&[], &[1.0]), None);
    }

    #[test]
    fn calibration_error_grows_with_overconfidence() {
        let forecast = |probability, is_correct| Forecast { probability, is_correct, weight: 1.0 };
        let calibrated = [forecast(0.5, true), forecast(0.5, false)];
        assert!(calibration_error(&calibrated).is_some_and(|e| e < 1e-12));
        let overconfident = [forecast(1.0, false), forecast(1.0, true)];
        assert!(calibration_error(&overconfident).is_some_and(|e| (e - 0.5).abs() < 1e-12));
    }

    #[test]
    fn interval_contains_the_mean() {
        let values: Vec<f64> = (0..200).map(|i| f64::from(i % 2)).collect();
        let mean = bootstrap(&values, 500, 7);
        assert!((mean.value - 0.5).abs() < 1e-12 && mean.low < 0.5 && mean.high > 0.5, "{mean:?}");
        assert!(mean.high - mean.low < 0.2 && mean == bootstrap(&values, 500, 7));
    }
}
