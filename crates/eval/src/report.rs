//! The report on an evaluation run.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde::Serialize;

use crate::{
    Arm,
    bands::{self, ConfidenceReport, FirstAnswer},
    eval_set::EvalSet,
    judgments::Pairs,
    metrics::{
        Forecast, Mean, QueryScore, auc, bootstrap, calibration_error, float, recall_at_precision,
    },
    run::{Answer, Run},
};

/// The number of bootstrap draws; the fixed seed makes them repeatable.
const DRAWS: usize = 1000;
const SEED: u64 = 7;
/// The precisions at which the recall of confident answers is reported.
const PRECISIONS: [f64; 3] = [0.9, 0.7, 0.5];

/// The results of an evaluation run.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct EvalReport {
    /// Model that computed the vectors, or "none".
    pub model: String,
    /// File of the run.
    pub run: String,
    /// Results per set, in the order of the request.
    pub sets: Vec<SetReport>,
}

impl EvalReport {
    /// Returns the first set and measure in which duplicate detection ranks worse than hybrid
    /// search: the whole interval of the difference is below zero.
    pub fn worse_than_search(&self) -> Option<String> {
        let deficit = |report: &SetReport| {
            let duplicates =
                report.rankings.iter().find(|result| result.ranking == Arm::Duplicates)?;
            let search = duplicates.leads.iter().find(|lead| lead.of == Arm::Hybrid)?;
            let Difference { name, mean } =
                search.measures.iter().find(|measure| measure.mean.high < 0.0)?;
            let Mean { value, low, high } = mean;
            Some(format!("{}: {name} {value:+.3} ({low:+.3} to {high:+.3})", report.set))
        };
        self.sets.iter().find_map(deficit)
    }
}

/// The results of a run on one set.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct SetReport {
    /// Name of the set's folder.
    pub set: String,
    /// Number of reports.
    pub documents: usize,
    /// Number of reports with an earlier duplicate.
    pub queries: usize,
    /// Number of queried reports without an earlier duplicate.
    pub negatives: usize,
    /// Results per ranking method.
    pub rankings: Vec<RankingReport>,
}

/// The results of one ranking method.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct RankingReport {
    /// Ranking method.
    pub ranking: Arm,
    /// Recall@1, recall@5, recall@10, MRR and MAP.
    pub measures: Vec<Measure>,
    /// Lead over each method that this one builds on, paired by query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub leads: Vec<Lead>,
    /// Chance that a report with a known duplicate scores above one without.
    pub auc: Option<f64>,
    /// Expected calibration error at the tracker's own share of duplicates.
    pub calibration_error: Option<f64>,
    /// Frequency and precision of each confidence band.
    pub confidence: Option<ConfidenceReport>,
    /// Recall of duplicate reports at a precision of at least 0.9, 0.7 and 0.5 (at the tracker's
    /// own share of duplicates).
    pub recall_at_precision: Option<[f64; 3]>,
}

/// A measure over all queries.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Measure {
    /// Name of the measure.
    pub name: &'static str,
    /// The mean with its 95 % interval.
    #[serde(flatten)]
    pub mean: Mean,
    /// Paired difference to the run given with `--against`.
    pub difference: Option<Mean>,
}

/// The lead of a ranking method over another.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Lead {
    /// The other method.
    pub of: Arm,
    /// Differences paired by query; an interval that excludes zero is unlikely to be chance.
    pub measures: Vec<Difference>,
}

/// A paired difference.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct Difference {
    /// Name of the measure.
    pub name: &'static str,
    /// The mean with its 95 % interval.
    #[serde(flatten)]
    pub mean: Mean,
}

pub fn build_report(
    sets: &[EvalSet],
    run: &Run,
    baseline_run: Option<&Run>,
    judgments: &BTreeMap<String, Pairs>,
    file: &Path,
) -> EvalReport {
    let set_report = |dataset: &EvalSet| {
        let rankings = || run.sets.get(&dataset.name).into_iter().flat_map(|set| &set.rankings);
        let baseline = baseline_run.and_then(|run| run.sets.get(&dataset.name));
        let report = |(ranking, answers): (&Arm, &Answers)| {
            let baseline = baseline.and_then(|b| b.rankings.get(ranking));
            let arms = rankings().filter(|(arm, _)| ranking.builds_on(**arm));
            let judgments = judgments.get(&dataset.name);
            ranking_report(dataset, *ranking, answers, baseline, arms, judgments)
        };
        SetReport {
            set: dataset.name.clone(),
            documents: dataset.imported_count,
            queries: dataset.relevant.len(),
            negatives: dataset.negatives.len(),
            rankings: rankings().map(report).collect(),
        }
    };
    EvalReport {
        model: run.model.clone(),
        run: file.display().to_string(),
        sets: sets.iter().map(set_report).collect(),
    }
}

type Answers = BTreeMap<String, Answer>;

/// Computes the mean difference of each measure from a baseline, or its mean without one.
fn differences(scores: &[QueryScore], baseline: Option<&[QueryScore]>) -> [Difference; 5] {
    let names = QueryScore::default().measures().map(|(name, _)| name);
    std::array::from_fn(|i| {
        let measure =
            |scores: &[QueryScore], q: usize| scores.get(q).map_or(0.0, |s| s.measures()[i].1);
        let difference = |q| measure(scores, q) - baseline.map_or(0.0, |b| measure(b, q));
        let differences: Vec<f64> = (0..scores.len()).map(difference).collect();
        Difference { name: names[i], mean: bootstrap(&differences, DRAWS, SEED) }
    })
}

fn ranking_report<'a>(
    dataset: &EvalSet,
    ranking: Arm,
    answers: &Answers,
    baseline: Option<&Answers>,
    arms: impl Iterator<Item = (&'a Arm, &'a Answers)>,
    judgments: Option<&Pairs>,
) -> RankingReport {
    let query_scores = scores(dataset, answers);
    let baseline_differences =
        baseline.map(|b| differences(&query_scores, Some(&scores(dataset, b))));
    let measures = differences(&query_scores, None)
        .into_iter()
        .enumerate()
        .map(|(i, Difference { name, mean })| Measure {
            name,
            mean,
            difference: baseline_differences.as_ref().map(|d| d[i].mean),
        })
        .collect();
    let leads = arms
        .map(|(arm, other)| Lead {
            of: *arm,
            measures: differences(&query_scores, Some(&scores(dataset, other))).into(),
        })
        .collect();
    let confidence = |query: &usize| {
        let answer = answers.get(&dataset.reports[*query].id);
        answer.map_or(0.0, |a| {
            f64::from(
                a.probability.or_else(|| a.documents.first().map(|d| d.1)).unwrap_or_default(),
            )
        })
    };
    let positives: Vec<f64> = dataset.relevant.keys().map(confidence).collect();
    let negatives: Vec<f64> = dataset.negatives.iter().map(confidence).collect();
    let first_answers = first_answers(dataset, answers, judgments);
    let forecasts: Vec<Forecast> = first_answers
        .iter()
        .map(|a| Forecast { probability: a.confidence, is_correct: a.is_marked, weight: a.weight })
        .collect();
    RankingReport {
        ranking,
        measures,
        leads,
        auc: auc(&positives, &negatives),
        calibration_error: calibration_error(&forecasts),
        confidence: (!first_answers.is_empty())
            .then(|| bands::summarize(&first_answers, judgments.is_some())),
        recall_at_precision: (!forecasts.is_empty()).then(|| {
            PRECISIONS.map(|p| recall_at_precision(&forecasts, p, float(dataset.relevant.len())))
        }),
    }
}

fn scores(dataset: &EvalSet, answers: &Answers) -> Vec<QueryScore> {
    dataset
        .relevant
        .iter()
        .map(|(query, relevant)| {
            let ids: BTreeSet<&str> =
                relevant.iter().map(|r| dataset.reports[*r].id.as_str()).collect();
            let answer = answers.get(&dataset.reports[*query].id);
            let hits: Vec<bool> = answer
                .into_iter()
                .flat_map(|a| &a.documents)
                .map(|(id, _)| ids.contains(id.as_str()))
                .collect();
            QueryScore::new(&hits, relevant.len())
        })
        .collect()
}

/// Returns the first answers that state a confidence. Each is weighted by the number of reports
/// that it represents, so that calibration is measured at the tracker's share of duplicates.
fn first_answers(
    dataset: &EvalSet,
    answers: &Answers,
    judgments: Option<&Pairs>,
) -> Vec<FirstAnswer> {
    let first_answer = |query: usize| {
        let id = &dataset.reports[query].id;
        let answer = answers.get(id)?;
        let confidence = f64::from(answer.probability?);
        let (document, _) = answer.documents.first()?;
        let relevant = dataset.relevant.get(&query);
        Some(FirstAnswer {
            confidence,
            worth: answer.worth.map_or(confidence, f64::from),
            is_marked: relevant
                .is_some_and(|list| list.iter().any(|r| dataset.reports[*r].id == *document)),
            judgment: judgments
                .and_then(|pairs| pairs.get(&(id.clone(), document.clone())).copied()),
            weight: dataset.weight(query),
        })
    };
    dataset.relevant.keys().chain(&dataset.negatives).filter_map(|q| first_answer(*q)).collect()
}
