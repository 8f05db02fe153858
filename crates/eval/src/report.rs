//! What a run is worth.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::Serialize;

use crate::{
    Arm,
    bands::{self, First, Met},
    judged::Pairs,
    metrics::{Mean, QueryScore, Stated, auc, bootstrap, calibration_error, float, recall_at_precision},
    run::{Answer, Run},
    set::EvalSet,
};

/// Draws of the bootstrap, and the seed that makes them repeatable.
const DRAWS: usize = 1000;
const SEED: u64 = 7;
/// Precisions that the recall of confident answers is told at.
const PRECISIONS: [f64; 3] = [0.9, 0.7, 0.5];

/// What a run is worth.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct EvalReport {
    /// The model that made the vectors, or "none".
    pub model: String,
    /// Where the run was kept.
    pub run: String,
    /// Each set, in the order in which it was named.
    pub sets: Vec<SetReport>,
}

/// What a run is worth on one set.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SetReport {
    /// The name of its folder.
    pub set: String,
    /// Reports in it.
    pub documents: usize,
    /// Reports with an earlier duplicate.
    pub queries: usize,
    /// Reports without one that are asked too.
    pub negatives: usize,
    /// Each way of ranking.
    pub rankings: Vec<RankingReport>,
}

/// What one way of ranking is worth.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct RankingReport {
    /// Which way.
    pub ranking: Arm,
    /// Recall@1, recall@5, recall@10, MRR and MAP.
    pub measures: Vec<Measure>,
    /// How far a ranking is ahead of each of those that it is made of, query by query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ahead: Vec<Ahead>,
    /// The chance that a report with a known duplicate scores above one without.
    pub auc: Option<f64>,
    /// How far stated probabilities are from the truth, at the tracker's own share of duplicates.
    pub calibration_error: Option<f64>,
    /// What a user meets: how often each band is stated, and how right it is.
    pub met: Option<Met>,
    /// Recall of duplicate reports at a precision of at least 0.9, 0.7, 0.5 (at the tracker's own share of duplicates).
    pub recall_at_precision: Option<[f64; 3]>,
}

/// A measure over all queries.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Measure {
    /// Its name.
    pub name: &'static str,
    /// The mean with its 95 % interval.
    #[serde(flatten)]
    pub mean: Mean,
    /// The paired difference to the run that was named with --against.
    pub difference: Option<Mean>,
}

/// How far a ranking is ahead of another.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Ahead {
    /// Of which.
    pub of: Arm,
    /// Paired by query: an interval without zero is no accident of the draw.
    pub measures: Vec<Difference>,
}

/// A paired difference.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Difference {
    /// The name of the measure.
    pub name: &'static str,
    #[serde(flatten)]
    /// The mean with its 95 % interval.
    pub mean: Mean,
}

pub fn report(
    sets: &[EvalSet],
    run: &Run,
    against: Option<&Run>,
    judged: &BTreeMap<String, Pairs>,
    file: &Path,
) -> EvalReport {
    EvalReport {
        model: run.model.clone(),
        run: file.display().to_string(),
        sets: sets
            .iter()
            .map(|set| {
                let rankings = run.sets.get(&set.name).map(|s| &s.rankings);
                let before = against.and_then(|a| a.sets.get(&set.name));
                SetReport {
                    set: set.name.clone(),
                    documents: set.reports.len(),
                    queries: set.relevant.len(),
                    negatives: set.negatives.len(),
                    rankings: rankings
                        .into_iter()
                        .flatten()
                        .map(|(ranking, answers)| {
                            let before = before.and_then(|b| b.rankings.get(ranking));
                            let arms =
                                rankings.into_iter().flatten().filter(|(arm, _)| ranking.builds_on(**arm));
                            let judged = judged.get(&set.name);
                            ranking_report(set, *ranking, answers, before, arms, judged)
                        })
                        .collect(),
                }
            })
            .collect(),
    }
}

type Answers = std::collections::BTreeMap<String, Answer>;

/// The mean difference of each measure between two rankings of the same queries; with nothing before, the means.
fn paired(now: &[QueryScore], before: Option<&[QueryScore]>) -> [Difference; 5] {
    let names = QueryScore::default().named().map(|(name, _)| name);
    std::array::from_fn(|i| {
        let of = |scores: &[QueryScore], at: usize| scores.get(at).map_or(0.0, |s| s.named()[i].1);
        let each = |at| of(now, at) - before.map_or(0.0, |b| of(b, at));
        let differences: Vec<f64> = (0..now.len()).map(each).collect();
        Difference { name: names[i], mean: bootstrap(&differences, DRAWS, SEED) }
    })
}

fn ranking_report<'a>(
    set: &EvalSet,
    ranking: Arm,
    answers: &Answers,
    before: Option<&Answers>,
    arms: impl Iterator<Item = (&'a Arm, &'a Answers)>,
    judged: Option<&Pairs>,
) -> RankingReport {
    let now = scores(set, answers);
    let differences = before.map(|b| paired(&now, Some(&scores(set, b))));
    let measures = paired(&now, None)
        .into_iter()
        .enumerate()
        .map(|(i, Difference { name, mean })| Measure {
            name,
            mean,
            difference: differences.as_ref().map(|d| d[i].mean),
        })
        .collect();
    let ahead = arms
        .map(|(arm, alone)| Ahead { of: *arm, measures: paired(&now, Some(&scores(set, alone))).into() })
        .collect();
    let sure = |place: &usize| {
        let answer = answers.get(&set.reports[*place].id);
        answer.map_or(0.0, |a| {
            f64::from(a.probability.or_else(|| a.documents.first().map(|d| d.1)).unwrap_or_default())
        })
    };
    let positives: Vec<f64> = set.relevant.keys().map(sure).collect();
    let negatives: Vec<f64> = set.negatives.iter().map(sure).collect();
    let first = first(set, answers, judged);
    let stated: Vec<Stated> = first
        .iter()
        .map(|a| Stated { probability: a.confidence, right: a.marked, weight: a.weight })
        .collect();
    RankingReport {
        ranking,
        measures,
        ahead,
        auc: auc(&positives, &negatives),
        calibration_error: calibration_error(&stated),
        met: (!first.is_empty()).then(|| bands::met(&first, judged.is_some())),
        recall_at_precision: (!stated.is_empty())
            .then(|| PRECISIONS.map(|p| recall_at_precision(&stated, p, float(set.relevant.len())))),
    }
}

fn scores(set: &EvalSet, answers: &Answers) -> Vec<QueryScore> {
    set.relevant
        .iter()
        .map(|(query, relevant)| {
            let ids: BTreeSet<&str> = relevant.iter().map(|r| set.reports[*r].id.as_str()).collect();
            let answer = answers.get(&set.reports[*query].id);
            let hits: Vec<bool> = answer
                .into_iter()
                .flat_map(|a| &a.documents)
                .map(|(id, _)| ids.contains(id.as_str()))
                .collect();
            QueryScore::new(&hits, relevant.len())
        })
        .collect()
}

/// The first answers, with how sure they were stated. Reports without a duplicate are a sample: each stands for as many as the
/// tracker has, so that calibration is measured at its own share of duplicates.
fn first(set: &EvalSet, answers: &Answers, judged: Option<&Pairs>) -> Vec<First> {
    let one = |place: usize| {
        let id = &set.reports[place].id;
        let answer = answers.get(id)?;
        let confidence = f64::from(answer.probability?);
        let (document, _) = answer.documents.first()?;
        let relevant = set.relevant.get(&place);
        Some(First {
            confidence,
            worth: answer.worth.map_or(confidence, f64::from),
            marked: relevant.is_some_and(|all| all.iter().any(|r| set.reports[*r].id == *document)),
            judged: judged.and_then(|pairs| pairs.get(&(id.clone(), document.clone())).copied()),
            weight: set.weight(place),
        })
    };
    set.relevant.keys().chain(&set.negatives).filter_map(|q| one(*q)).collect()
}
