//! What a run is worth, as a table and as JSON.

use std::{collections::BTreeSet, path::Path};

use serde::Serialize;

use super::{
    Arm,
    metrics::{Mean, QueryScore, Stated, auc, bootstrap, calibration_error, float, recall_at_precision},
    run::{Answer, Run},
    set::EvalSet,
};
use crate::output::{BOLD, DIM, Output, plural};

/// Draws of the bootstrap, and the seed that makes them repeatable.
const DRAWS: usize = 1000;
const SEED: u64 = 7;
/// The measures that are told of a lead; the JSON has all of them.
const TOLD: [&str; 3] = ["recall@1", "recall@10", "MRR"];
/// Precisions that the recall of confident answers is told at.
const PRECISIONS: [f64; 3] = [0.9, 0.7, 0.5];

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct EvalReport {
    pub model: String,
    /// Where the run was kept.
    pub run: String,
    pub sets: Vec<SetReport>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SetReport {
    pub set: String,
    pub documents: usize,
    pub queries: usize,
    pub negatives: usize,
    pub rankings: Vec<RankingReport>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct RankingReport {
    pub ranking: Arm,
    pub measures: Vec<Measure>,
    /// How far a ranking is ahead of each of those that it is made of, query by query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ahead: Vec<Ahead>,
    /// The chance that a report with a known duplicate scores above one without.
    pub auc: Option<f64>,
    /// How far stated probabilities are from the truth, at the tracker's own share of duplicates.
    pub calibration_error: Option<f64>,
    /// Of first answers stated at 0.9 or more: how many there are, and the share that is right.
    pub confident: Option<Confident>,
    /// Recall of duplicate reports at a precision of at least 0.9, 0.7, 0.5 (at the tracker's own share of duplicates).
    pub recall_at_precision: Option<[f64; 3]>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Measure {
    pub name: &'static str,
    #[serde(flatten)]
    pub mean: Mean,
    /// The paired difference to the run that was named with --against.
    pub difference: Option<Mean>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Ahead {
    pub of: Arm,
    /// Paired by query: an interval without zero is no accident of the draw.
    pub measures: Vec<Difference>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Difference {
    pub name: &'static str,
    #[serde(flatten)]
    pub mean: Mean,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Confident {
    pub answers: usize,
    pub right: f64,
}

pub fn report(sets: &[EvalSet], run: &Run, against: Option<&Run>, file: &Path) -> EvalReport {
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
                            ranking_report(set, *ranking, answers, before, arms)
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
    let stated = stated(set, answers);
    let confident = |stated: &[Stated]| {
        let high: Vec<&Stated> = stated.iter().filter(|s| s.probability >= 0.9).collect();
        let (right, all) = high.iter().fold((0.0, 0.0), |(right, all), s| {
            (right + s.weight * f64::from(u8::from(s.right)), all + s.weight)
        });
        Confident { answers: high.len(), right: if all > 0.0 { right / all } else { 0.0 } }
    };
    RankingReport {
        ranking,
        measures,
        ahead,
        auc: auc(&positives, &negatives),
        calibration_error: calibration_error(&stated),
        confident: (!stated.is_empty()).then(|| confident(&stated)),
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

/// The probabilities that first answers were stated with. Reports without a duplicate are a sample: each stands for as
/// many as the tracker has, so that calibration is measured at its own share of duplicates.
fn stated(set: &EvalSet, answers: &Answers) -> Vec<Stated> {
    let one = |place: usize| {
        let answer = answers.get(&set.reports[place].id)?;
        let probability = f64::from(answer.probability?);
        let first = answer.documents.first()?;
        let right = set
            .relevant
            .get(&place)
            .is_some_and(|relevant| relevant.iter().any(|r| set.reports[*r].id == first.0));
        Some(Stated { probability, right, weight: set.weight(place) })
    };
    set.relevant.keys().chain(&set.negatives).filter_map(|q| one(*q)).collect()
}

pub fn print(report: &EvalReport, output: &mut Output) {
    for set in &report.sets {
        output.line(format_args!(
            "{BOLD}{}{BOLD:#}  {} reports, {} with an earlier duplicate, {} without  {DIM}{}{DIM:#}",
            set.set, set.documents, set.queries, set.negatives, report.model
        ));
        output.line(format_args!(
            "{DIM}{:<12}{:>10}{:>10}{:>11}{:>8}{:>8}{:>8}{DIM:#}",
            "", "recall@1", "recall@5", "recall@10", "MRR", "MAP", "AUC"
        ));
        for ranking in &set.rankings {
            let cells: Vec<String> = ranking
                .measures
                .iter()
                .zip([10, 10, 11, 8, 8])
                .map(|(m, width)| format!("{:>width$.3}", m.mean.value))
                .collect();
            let auc = ranking.auc.map_or_else(String::new, |a| format!("{a:>8.3}"));
            output.line(format_args!("{:<12}{}{auc}", ranking.ranking.name(), cells.concat()));
            for measure in &ranking.measures {
                if let Some(d) = measure.difference.filter(|d| d.value != 0.0) {
                    output.line(format_args!(
                        "{DIM}  {:<10}{:+.3}  95 % of draws within {:+.3} and {:+.3}{DIM:#}",
                        measure.name, d.value, d.low, d.high
                    ));
                }
            }
        }
        for ranking in set.rankings.iter().filter(|r| !r.ahead.is_empty()) {
            let over = ranking.ahead.iter().map(|a| a.of.name()).collect::<Vec<_>>().join(" and ");
            output.line(format_args!(
                "{} over {over} alone {DIM}(95 % of paired draws within){DIM:#}",
                ranking.ranking.name()
            ));
            for ahead in &ranking.ahead {
                let told = ahead.measures.iter().filter(|m| TOLD.contains(&m.name)).map(|m| {
                    format!("  {} {:+.3} ({:+.3} to {:+.3})", m.name, m.mean.value, m.mean.low, m.mean.high)
                });
                output.line(format_args!("  {:<10}{}", ahead.of.name(), told.collect::<String>()));
            }
        }
        for ranking in set.rankings.iter().filter(|r| r.confident.is_some()) {
            let error = ranking.calibration_error.unwrap_or_default();
            output
                .line(format_args!("Confidence of {}: calibration error {error:.3}", ranking.ranking.name()));
            if let Some(confident) = &ranking.confident {
                output.line(format_args!(
                    "  stated at 0.9 or more: {}, {:.0} in 100 right",
                    plural(confident.answers as u64, "answer"),
                    confident.right * 100.0
                ));
            }
            if let Some([a, b, c]) = ranking.recall_at_precision {
                output.line(format_args!(
                    "  duplicates found at a precision of 0.9: {a:.3}, of 0.7: {b:.3}, of 0.5: {c:.3}"
                ));
            }
        }
        output.line("");
    }
    output.line(format_args!("{DIM}Kept in {}; compare with --against.{DIM:#}", report.run));
}
