//! The fit of a ranking and of a calibration curve for the confidence to a source's own duplicates.
//!
//! The ranking uses the built-in features and the likelihood of [`super::ranking`]: softmax over
//! the candidates of each report that has a known duplicate among them. A ridge pulls its weights
//! toward the built-in ones; about a hundred reports outweigh it. The curve is logistic over the
//! log-odds of the built-in confidence (Platt 1999), with a ridge to the identity.
//!
//! All figures are cross-validated: reports are split into folds, and each fold is ranked and
//! calibrated by a fit of the others. The source's own weights are used only if they rank better in
//! that test.

use rayon::prelude::*;

use super::{
    confidence::PairEvidence,
    features::{COUNT, Features, NAMES, ONLY_CONFIDENCE, RULES, SIGNED_FEATURES},
    ranking::{Curve, RankedCandidate, RankingModel, SourceModel, odds},
    text_overlap::TextOverlap,
};
use precedent_core::{error::Result, model::RankingFigures, task::Task};

/// The minimum number of reports with a known duplicate for fitting a confidence.
pub const MIN_LABELS: usize = 20;
/// The minimum number of such reports for fitting a ranking: with 50, it got worse on
/// rust-lang/rust and Titanium; with 200, better.
pub const MIN_RANKING_LABELS: usize = 100;
/// The number of a report's best candidates used for fitting.
pub const TOP: usize = 100;
/// The number of folds.
const FOLDS: usize = 5;
/// The ridge strength toward the built-in weights, in reports and on standardized features.
const RANKING_RIDGE: f64 = 30.0;
/// The ridge strength of a curve.
const CURVE_RIDGE: f64 = 4.0;
/// The maximum number of Newton steps for a curve, which converges in a few.
const CURVE_STEPS: usize = 50;
/// The maximum number of descent steps for a ranking, which converges in about fifty.
const RANKING_STEPS: usize = 300;
/// The number of recent losses that a step may not exceed (Grippo, Lampariello, Lucidi 1986).
const LOSS_MEMORY: usize = 8;

/// A report queried as if it had just been filed.
#[derive(Clone, Debug)]
pub struct TrainingQuery {
    /// The number of reports in the source that it represents.
    pub weight: f64,
    /// True if it has a known earlier duplicate, found or not.
    pub has_duplicate: bool,
    /// The candidates in the built-in ranking, best first; the first [`TOP`] are used for fitting.
    pub candidates: Vec<Candidate>,
}

/// A candidate of a training query.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The features of the report–candidate pair.
    pub features: Features,
    /// The text overlap; only for the first few candidates.
    pub overlap: Option<TextOverlap>,
    /// True if it is a known duplicate.
    pub is_duplicate: bool,
}

/// A fitted model with its cross-validated figures.
#[derive(Clone, Debug)]
pub struct FitReport {
    /// The model fitted to all reports.
    pub source_model: SourceModel,
    /// The figures of the built-in ranking.
    pub built_in: RankingFigures,
    /// The figures of the source's own weights, if there were enough reports to fit them.
    pub source_weights: Option<RankingFigures>,
    /// The top candidate of each report.
    pub answers: Vec<Prediction>,
}

/// The prediction for a report's top candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The log-odds of the confidence before the curve.
    pub odds: f64,
    /// True if a rule decided it, so that no curve is fitted or applied to it.
    pub by_rule: bool,
    /// The confidence by the curve that was fitted to the other folds.
    pub confidence: f64,
    /// True if it is a known duplicate.
    pub is_duplicate: bool,
    /// True if the report has a known duplicate.
    pub has_duplicate: bool,
    /// The number of reports that the report represents.
    pub weight: f64,
}

/// Fits a model to reports, which are assigned to the folds in turn. Returns `None` if there are
/// fewer than [`MIN_LABELS`] with a known duplicate.
pub fn fit(
    model: &RankingModel,
    queries: &[TrainingQuery],
    task: &Task,
) -> Result<Option<FitReport>> {
    let labels = queries.iter().filter(|a| a.has_duplicate).count();
    if labels < MIN_LABELS {
        return Ok(None);
    }
    let training_set = |fold: Option<usize>| -> Vec<&TrainingQuery> {
        let selection = queries.iter().enumerate().filter(|(i, _)| fold != Some(i % FOLDS));
        selection.map(|(_, a)| a).collect()
    };
    let ranks: Vec<_> = queries.iter().map(|query| duplicate_rank(model, query)).collect();
    let (built_in, mut source_weights) = (ranking_figures(queries, &ranks), None);
    let mut models = vec![model.clone(); FOLDS];
    let mut order = None;
    if labels >= MIN_RANKING_LABELS {
        let fit = |fold| {
            let weights = fit_ranking(model, &training_set(fold), task)?;
            Ok(RankingModel { weights, ..model.clone() })
        };
        let fold_models =
            (0..FOLDS).map(|fold| fit(Some(fold))).collect::<Result<Vec<RankingModel>>>()?;
        let rank = |(i, query)| duplicate_rank(&fold_models[i % FOLDS], query);
        let ranks: Vec<_> = queries.iter().enumerate().map(rank).collect();
        let figures = ranking_figures(queries, &ranks);
        if figures.mrr > built_in.mrr {
            (models, order) = (fold_models, Some(fit(None)?.weights));
        }
        source_weights = Some(figures);
    }
    let predictions = queries.iter().enumerate();
    let predictions = predictions.filter_map(|(i, query)| {
        let fold = i % FOLDS;
        Some((fold, top_prediction(&models[fold], query)?))
    });
    let (folds, mut answers): (Vec<usize>, Vec<Prediction>) = predictions.unzip();
    for fold in 0..FOLDS {
        let other_answers: Vec<Prediction> =
            answers.iter().zip(&folds).filter(|(_, p)| **p != fold).map(|(a, _)| *a).collect();
        let curve = Curve::fit(&other_answers);
        for (answer, _) in answers.iter_mut().zip(&folds).filter(|(a, p)| **p == fold && !a.by_rule)
        {
            answer.confidence = curve.confidence(answer.odds);
        }
    }
    let source_model = SourceModel { order, curve: Curve::fit(&answers), labels: labels as u64 };
    Ok(Some(FitReport { source_model, built_in, source_weights, answers }))
}

/// Ranks the candidates of a report, best first.
fn rank(model: &RankingModel, query: &TrainingQuery) -> Vec<RankedCandidate> {
    model.rank(&query.candidates.iter().map(|c| c.features).collect::<Vec<_>>())
}

/// Returns the rank of the first known duplicate of a report, from 0; ties in input order.
fn duplicate_rank(model: &RankingModel, query: &TrainingQuery) -> Option<usize> {
    rank(model, query).iter().position(|item| query.candidates[item.index].is_duplicate)
}

fn ranking_figures(queries: &[TrainingQuery], ranks: &[Option<usize>]) -> RankingFigures {
    let with_duplicate = queries.iter().zip(ranks).filter(|(query, _)| query.has_duplicate);
    let duplicates: Vec<Option<usize>> = with_duplicate.map(|(_, rank)| *rank).collect();
    let total = duplicates.len().max(1) as f32;
    let found_in = |k| duplicates.iter().flatten().filter(|rank| **rank < k).count() as f32 / total;
    let mrr =
        duplicates.iter().flatten().map(|rank| 1.0 / (*rank as f32 + 1.0)).sum::<f32>() / total;
    RankingFigures { found_first: found_in(1), found_in_ten: found_in(10), mrr }
}

/// Returns the prediction for the top candidate, without a curve.
fn top_prediction(model: &RankingModel, query: &TrainingQuery) -> Option<Prediction> {
    let best = *rank(model, query).first()?;
    let Candidate { features, overlap, is_duplicate } = &query.candidates[best.index];
    let evidence = PairEvidence { features, share: best.log_share, overlap: overlap.as_ref() };
    let confidence = f64::from(model.confidence(&evidence).duplicate);
    Some(Prediction {
        odds: odds(confidence),
        by_rule: features.is_copy() || features.is_templated(),
        confidence,
        is_duplicate: *is_duplicate,
        has_duplicate: query.has_duplicate,
        weight: query.weight,
    })
}

impl Curve {
    /// Fits the curve to predictions by Newton's method on the penalized likelihood. The slope
    /// stays positive: more evidence never makes a duplicate less likely.
    fn fit(answers: &[Prediction]) -> Self {
        let mut curve = Self { slope: 1.0, intercept: 0.0 };
        for _ in 0..CURVE_STEPS {
            let (mut g0, mut g1) =
                (CURVE_RIDGE * (curve.slope - 1.0), CURVE_RIDGE * curve.intercept / 10.0);
            let (mut h00, mut h01, mut h11) = (CURVE_RIDGE, 0.0, CURVE_RIDGE / 10.0);
            for a in answers.iter().filter(|a| !a.by_rule) {
                let p = curve.confidence(a.odds);
                let error = a.weight * (p - f64::from(u8::from(a.is_duplicate)));
                let curvature = a.weight * p * (1.0 - p);
                g0 += error * a.odds;
                g1 += error;
                h00 += curvature * a.odds * a.odds;
                h01 += curvature * a.odds;
                h11 += curvature;
            }
            let determinant = h00 * h11 - h01 * h01;
            if determinant <= 0.0 {
                break;
            }
            let (d0, d1) =
                ((h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant);
            curve.slope = (curve.slope - d0.clamp(-1.0, 1.0)).clamp(0.05, 10.0);
            curve.intercept = (curve.intercept - d1.clamp(-2.0, 2.0)).clamp(-20.0, 20.0);
            if d0.abs() + d1.abs() < 1e-9 {
                break;
            }
        }
        curve
    }
}

type Row = [f64; COUNT];

/// The standardized candidates of reports that have a known duplicate among them.
struct CandidateLists {
    rows: Vec<(Row, bool)>,
    /// The end of each report's rows.
    ends: Vec<usize>,
    /// The standard deviation of each feature; 1 for one that does not vary.
    scale: Row,
}

impl CandidateLists {
    fn new(queries: &[&TrainingQuery]) -> Self {
        let (mut rows, mut ends) = (Vec::new(), Vec::new());
        for query in queries {
            let top = &query.candidates[..query.candidates.len().min(TOP)];
            if top.iter().any(|c| c.is_duplicate) {
                rows.extend(top.iter().map(|c| (c.features.0.map(f64::from), c.is_duplicate)));
                ends.push(rows.len());
            }
        }
        let n = rows.len().max(1) as f64;
        let scale = std::array::from_fn(|i| {
            let mean = rows.iter().map(|(x, _)| x[i]).sum::<f64>() / n;
            let deviation =
                (rows.iter().map(|(x, _)| (x[i] - mean).powi(2)).sum::<f64>() / n).sqrt();
            if deviation < 1e-6 { 1.0 } else { deviation }
        });
        for (row, _) in &mut rows {
            row.iter_mut().zip(scale).for_each(|(x, s)| *x /= s);
        }
        Self { rows, ends, scale }
    }

    /// Returns the loss of `weights` and its gradient: the mean of −log of the known duplicates'
    /// softmax share, plus the ridge penalty.
    fn loss(&self, weights: &Row, built_in: &Row) -> (f64, Row) {
        let losses: Vec<(f64, Row)> = self
            .ends
            .par_iter()
            .enumerate()
            .map(|(i, end)| {
                let start = i.checked_sub(1).map_or(0, |previous| self.ends[previous]);
                log_loss(&self.rows[start..*end], weights)
            })
            .collect();
        let n = losses.len() as f64;
        let ridge = RANKING_RIDGE / n;
        let mut loss = 0.0;
        let mut gradient = [0.0; COUNT];
        // Sum sequentially: floating-point sums depend on their order.
        for (query_loss, slope) in &losses {
            loss += query_loss / n;
            gradient.iter_mut().zip(slope).for_each(|(g, s)| *g += s / n);
        }
        for ((g, w), b) in gradient.iter_mut().zip(weights).zip(built_in) {
            loss += ridge * (w - b).powi(2);
            *g += 2.0 * ridge * (w - b);
        }
        let has_no_weight = |name: &str| ONLY_CONFIDENCE.contains(&name) || RULES.contains(&name);
        for (g, _) in gradient.iter_mut().zip(NAMES).filter(|(_, name)| has_no_weight(name)) {
            *g = 0.0;
        }
        (loss, gradient)
    }
}

/// Returns −log of the share that known duplicates have in the softmax over a report's candidates,
/// and its gradient.
fn log_loss(rows: &[(Row, bool)], weights: &Row) -> (f64, Row) {
    let scores: Vec<f64> = rows.iter().map(|(row, _)| product(row, weights)).collect();
    let best = scores.iter().copied().fold(f64::MIN, f64::max);
    let odds: Vec<f64> = scores.iter().map(|score| (score - best).exp()).collect();
    let sum: f64 = odds.iter().sum();
    let duplicates: f64 =
        odds.iter().zip(rows).filter(|(_, (_, is_duplicate))| *is_duplicate).map(|(e, _)| e).sum();
    let duplicates = duplicates.max(f64::MIN_POSITIVE);
    let mut gradient = [0.0; COUNT];
    for (e, (row, is_duplicate)) in odds.iter().zip(rows) {
        let residual = e / sum - if *is_duplicate { e / duplicates } else { 0.0 };
        gradient.iter_mut().zip(row).for_each(|(g, x)| *g += residual * x);
    }
    (-(duplicates / sum).ln(), gradient)
}

fn product(a: &Row, b: &Row) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Fits ranking weights by spectral projected gradients (Birgin, Martínez, Raydan 2000). Unsigned
/// weights stay non-negative: evidence never counts against a candidate.
fn fit_ranking(
    model: &RankingModel,
    queries: &[&TrainingQuery],
    task: &Task,
) -> Result<[f32; COUNT]> {
    let lists = CandidateLists::new(queries);
    if lists.ends.is_empty() {
        return Ok(model.weights);
    }
    let mut weights: Row = std::array::from_fn(|i| f64::from(model.weights[i]) * lists.scale[i]);
    let built_in = weights;
    let project = |i: usize, weight: f64| {
        if SIGNED_FEATURES.contains(&NAMES[i]) { weight } else { weight.max(0.0) }
    };
    let (mut loss, mut gradient) = lists.loss(&weights, &built_in);
    let mut recent_losses = vec![loss];
    let mut step_length = 1.0;
    for _ in 0..RANKING_STEPS {
        task.check()?;
        let step: Row = std::array::from_fn(|i| {
            project(i, weights[i] - step_length * gradient[i]) - weights[i]
        });
        if step.iter().all(|s| s.abs() < 1e-6) {
            break;
        }
        let worst = recent_losses.iter().rev().take(LOSS_MEMORY).copied().fold(f64::MIN, f64::max);
        let slope = product(&step, &gradient);
        let mut share = 1.0;
        let (next, (new_loss, new_gradient)) = loop {
            let next: Row = std::array::from_fn(|i| weights[i] + share * step[i]);
            let trial = lists.loss(&next, &built_in);
            if trial.0 <= worst + 1e-4 * share * slope || share < 1e-6 {
                break (next, trial);
            }
            share /= 2.0;
        };
        let delta: Row = std::array::from_fn(|i| next[i] - weights[i]);
        let gradient_delta: Row = std::array::from_fn(|i| new_gradient[i] - gradient[i]);
        let curvature = product(&delta, &gradient_delta);
        step_length = if curvature > 0.0 {
            (product(&delta, &delta) / curvature).clamp(1e-4, 1e4)
        } else {
            1e4
        };
        (weights, gradient) = (next, new_gradient);
        let gain = (loss - new_loss).abs();
        loss = new_loss;
        recent_losses.push(loss);
        if gain < 1e-9 {
            break;
        }
    }
    Ok(std::array::from_fn(|i| (weights[i] / lists.scale[i]) as f32))
}

#[cfg(test)]
mod tests {
    use super::{super::features, *};

    fn index(name: &str) -> usize {
        features::index_of(name).unwrap()
    }

    /// Makes reports with three candidates each. In nine of ten, the duplicate is the one with the
    /// highest value of feature `name`. Two features that the built-in ranking uses are random.
    fn source(reports: usize, name: &str) -> Vec<TrainingQuery> {
        let mut random = fastrand::Rng::with_seed(11);
        (0..reports)
            .map(|i| {
                let duplicate = if i % 10 == 9 { 0 } else { 1 + i % 2 };
                let candidates = (0..3)
                    .map(|c| {
                        let mut features = [0.0; COUNT];
                        features[index("title_body_words")] = random.f32();
                        features[index("text_text_cosine")] = random.f32();
                        features[index(name)] =
                            if c == 1 + i % 2 { 1.0 } else { 0.2 * random.f32() };
                        Candidate {
                            features: Features(features),
                            overlap: None,
                            is_duplicate: c == duplicate,
                        }
                    })
                    .collect();
                TrainingQuery { weight: 1.0, has_duplicate: true, candidates }
            })
            .collect()
    }

    fn fit_report(queries: &[TrainingQuery]) -> FitReport {
        fit(RankingModel::built_in(), queries, &Task::new()).unwrap().unwrap()
    }

    #[test]
    fn source_weights_are_cross_validated() {
        // The built-in ranking counts comments against a candidate.
        let queries = source(300, "comments");
        let report = fit_report(&queries);
        let (refit, built_in) = (report.source_weights.unwrap(), report.built_in);
        assert!(refit.found_first > 0.85 && built_in.found_first < 0.5, "{refit:?} {built_in:?}");
        assert_eq!((refit.found_in_ten, report.source_model.labels), (1.0, 300));
        let model = RankingModel::built_in().with_source_model(&report.source_model);
        assert_eq!(model.labels, 300);
        assert!(
            model.weights[index("comments")] > RankingModel::built_in().weights[index("comments")]
        );
        assert_eq!(fit_report(&queries).source_model, report.source_model);
    }

    #[test]
    fn source_weights_that_rank_no_better_are_dropped() {
        // No feature identifies the duplicate: it is drawn at random from the three.
        let mut queries = source(300, "new_comment_terms");
        let mut random = fastrand::Rng::with_seed(5);
        for query in &mut queries {
            let duplicate = random.usize(0..3);
            for (i, c) in query.candidates.iter_mut().enumerate() {
                (c.features.0, c.is_duplicate) = ([0.0; COUNT], i == duplicate);
            }
        }
        let report = fit_report(&queries);
        assert_eq!(report.source_weights, Some(report.built_in));
        assert_eq!(report.source_model.order, None);
        assert_eq!(
            RankingModel::built_in().with_source_model(&report.source_model).weights,
            RankingModel::built_in().weights
        );
    }

    #[test]
    fn too_few_reports_fit_no_ranking() {
        assert!(
            fit(
                RankingModel::built_in(),
                &source(MIN_LABELS - 1, "new_comment_terms"),
                &Task::new()
            )
            .unwrap()
            .is_none()
        );
        let report = fit_report(&source(MIN_RANKING_LABELS - 1, "new_comment_terms"));
        assert_eq!((report.source_weights, report.source_model.order), (None, None));
    }

    #[test]
    fn evidence_never_counts_against_a_candidate() {
        for name in NAMES {
            // Candidates that have this feature are never the duplicate.
            let mut list = source(300, name);
            for query in &mut list {
                for c in &mut query.candidates {
                    c.is_duplicate = c.features.0[index(name)] < 0.5;
                }
            }
            let order = fit_ranking(
                RankingModel::built_in(),
                &list.iter().collect::<Vec<_>>(),
                &Task::new(),
            )
            .unwrap();
            assert!(order.iter().all(|w| w.is_finite()), "{name}: {order:?}");
            for (feature, weight) in NAMES.iter().zip(order) {
                assert!(SIGNED_FEATURES.contains(feature) || weight >= 0.0, "{feature}: {weight}");
            }
            let (own_weight, built_in) =
                (order[index(name)], RankingModel::built_in().weights[index(name)]);
            if ONLY_CONFIDENCE.contains(&name) {
                assert_eq!(own_weight, built_in);
            } else if SIGNED_FEATURES.contains(&name) {
                assert!(own_weight < 0.0, "{name}: {own_weight}");
            }
        }
    }

    #[test]
    fn cancelled_fit_returns_an_error() {
        let task = Task::new();
        task.cancel();
        let error =
            fit(RankingModel::built_in(), &source(MIN_RANKING_LABELS, "new_comment_terms"), &task)
                .unwrap_err();
        assert_eq!(error.code(), precedent_core::Code::Cancelled);
    }

    fn answers(hit: impl Fn(usize) -> bool) -> Vec<Prediction> {
        (0..200_usize)
            .map(|i| {
                let odds = (i % 10) as f64 - 7.0;
                Prediction {
                    odds,
                    by_rule: false,
                    confidence: 0.0,
                    is_duplicate: hit(i),
                    has_duplicate: true,
                    weight: 1.0,
                }
            })
            .collect()
    }

    #[test]
    fn more_duplicates_raise_the_confidence() {
        let frequent_curve = Curve::fit(&answers(|i| i % 10 >= 4));
        assert!(
            frequent_curve.confidence(odds(0.3)) > 0.6
                && frequent_curve.confidence(odds(0.001)) < 0.2,
            "{frequent_curve:?}"
        );
        assert!(frequent_curve.confidence(odds(0.2)) < frequent_curve.confidence(odds(0.4)));
        let rare_curve = Curve::fit(&answers(|_| false));
        assert!(rare_curve.confidence(odds(0.5)) < 0.2, "{rare_curve:?}");
    }
}
