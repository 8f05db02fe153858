//! The duplicate check with periodic calibration.

use std::collections::BTreeMap;

use precedent_core::{Result, Task, model::RankedDocument};
use precedent_engine::answer::{
    Candidate, PairEvidence, RankingModel, SourceModel, TOP, TextOverlap, TrainingQuery,
    features::{COUNT, Features},
    fit,
};

use crate::{
    eval_set::{self, EvalSet},
    run::Answer,
};

const CALIBRATIONS: usize = 12;

/// Returns the answers of the duplicate check with weights fitted on earlier queries.
///
/// Queries are in filing order; each block uses the weights fitted on the earlier blocks. Returns
/// `None` if no block has enough known duplicates.
pub fn calibrate(
    dataset: &EvalSet,
    built_in: &RankingModel,
    rankings: &BTreeMap<usize, Vec<RankedDocument>>,
    task: &Task,
) -> Result<Option<BTreeMap<usize, Answer>>> {
    let queries: Vec<usize> = rankings.keys().copied().collect();
    let mut history: Vec<TrainingQuery> = Vec::with_capacity(queries.len());
    let (mut answers, mut model) = (BTreeMap::new(), None::<SourceModel>);
    for block in queries.chunks(queries.len().div_ceil(CALIBRATIONS).max(1)) {
        if let Some(report) = fit(built_in, &history, task)? {
            model = Some(report.source_model);
        }
        let ranking_model = model
            .as_ref()
            .map_or_else(|| built_in.clone(), |model| built_in.with_source_model(model));
        for query in block {
            let documents = &rankings[query];
            answers.insert(*query, Answer::new(dataset, rerank(&ranking_model, documents)));
            let relevant = dataset.relevant.get(query);
            let is_relevant = |d: &RankedDocument| {
                eval_set::position(d.number)
                    .is_some_and(|p| relevant.is_some_and(|r| r.contains(&p)))
            };
            let candidates =
                documents.iter().take(TOP).filter_map(|d| candidate(d, is_relevant(d)));
            history.push(TrainingQuery {
                weight: dataset.weight(*query),
                has_duplicate: relevant.is_some(),
                candidates: candidates.collect(),
            });
        }
    }
    Ok(model.map(|_| answers))
}

/// Reranks documents, best first, and recomputes their confidence. Ties keep their order.
fn rerank(ranking_model: &RankingModel, documents: &[RankedDocument]) -> Vec<RankedDocument> {
    let candidates: Vec<(Candidate, &RankedDocument)> =
        documents.iter().filter_map(|d| Some((candidate(d, false)?, d))).collect();
    let features: Vec<Features> = candidates.iter().map(|(c, _)| c.features).collect();
    ranking_model
        .rank(&features)
        .into_iter()
        .map(|entry| {
            let (candidate, document) = &candidates[entry.index];
            let evidence = PairEvidence {
                features: &candidate.features,
                share: entry.log_share,
                overlap: candidate.overlap.as_ref(),
            };
            let confidence = ranking_model.confidence(&evidence);
            RankedDocument {
                score: entry.score,
                probability: Some(confidence.duplicate),
                worth: Some(confidence.worth),
                ..(*document).clone()
            }
        })
        .collect()
}

fn candidate(document: &RankedDocument, is_duplicate: bool) -> Option<Candidate> {
    let (features, rest) = document.features.split_at_checked(COUNT)?;
    let features = Features(features.try_into().ok()?);
    // The share precedes the numbers of the text overlap.
    let overlap = rest
        .get(1..)
        .and_then(|numbers| numbers.first_chunk())
        .map(|numbers| TextOverlap { numbers: *numbers, ..TextOverlap::default() });
    Some(Candidate { features, overlap, is_duplicate })
}
