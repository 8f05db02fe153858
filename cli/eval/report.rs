//! What a run is worth, as a table and as JSON.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::Serialize;

use super::{
    Arm,
    bands::{self, First, Met, Share},
    judged::Pairs,
    metrics::{Mean, QueryScore, Stated, auc, bootstrap, calibration_error, float, recall_at_precision},
    run::{Answer, Run},
    set::EvalSet,
};
use crate::output::{BOLD, DIM, Output};

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
    /// What a user meets: how often each band is stated, and how right it is.
    pub met: Option<Met>,
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
        for ranking in &set.rankings {
            if let Some(met) = &ranking.met {
                print_met(ranking, met, output);
            }
        }
        output.line("");
    }
    output.line(format_args!("{DIM}Kept in {}; compare with --against.{DIM:#}", report.run));
}

/// A share with its interval and what it rests on: "62 (49-74, 51 pairs)".
fn told(share: Option<Share>) -> String {
    share.filter(|s| s.pairs > 0).map_or_else(
        || "-".to_owned(),
        |s| {
            let hundred = |x: f64| x * 100.0;
            format!("{:.0} ({:.0}-{:.0}, {})", hundred(s.share), hundred(s.low), hundred(s.high), s.pairs)
        },
    )
}

fn print_met(ranking: &RankingReport, met: &Met, output: &mut Output) {
    output.line(format_args!(
        "First answers of {} {DIM}in 100, with the interval and the pairs behind it{DIM:#}",
        ranking.ranking.name()
    ));
    output.line(format_args!(
        "{DIM}  {:<14}{:>9}{:>10}{:>20}{:>20}{:>20}{:>12}{DIM:#}",
        "stated", "answers", "of 1,000", "marked", "the same", "worth reading", "of found"
    ));
    for b in &met.bands {
        output.line(format_args!(
            "  {:<14}{:>9}{:>10.1}{:>20}{:>20}{:>20}{:>12.2}",
            bands::name(b.band),
            b.answers,
            b.of_thousand,
            told(Some(b.marked)),
            told(b.same),
            told(b.worth),
            b.of_found
        ));
    }
    for queue in &met.queue {
        output.line(format_args!(
            "  the queue's first {:>3}: marked {}, the same {}; {} that are marked come later",
            queue.first,
            told(Some(queue.marked)),
            told(queue.same),
            queue.missed
        ));
    }
    if let Some(related) = met.related {
        output.line(format_args!("  at least related: {}", told(Some(related))));
    }
    if let Some(worth) = met.worth_reading {
        output.line(format_args!("  stated to be worth reading at 0.8 or more: {}", told(Some(worth))));
    }
    if let (Some(error), Some([a, b, c])) = (ranking.calibration_error, ranking.recall_at_precision) {
        output.line(format_args!(
            "  {DIM}by marks: calibration error {error:.3}; duplicates found at a precision of 0.9: {a:.3}, of 0.7: {b:.3}, of 0.5: {c:.3}{DIM:#}"
        ));
    }
}
