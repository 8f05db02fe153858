//! The ways of ranking that are judged, and the one among them that learns on the way.

use std::collections::BTreeMap;

use precedent::{
    Result, Task,
    duplicates::{
        Asked, Candidate, Own, Reading, Seen, TOP, Table,
        features::{COUNT, Features},
        learn,
    },
    model::{RankedDocument, Ranking},
};
use serde::{Deserialize, Serialize};

use super::{
    run::Answer,
    set::{self, EvalSet},
};

/// How often a source is calibrated over its time.
const CALIBRATIONS: usize = 12;

/// A way of ranking.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// Search by words.
    Lexical,
    /// Search by meaning.
    Semantic,
    /// Search by both.
    Hybrid,
    /// The check for duplicates.
    Duplicates,
    /// The same where `calibrate` is run from time to time: each report is asked with what earlier reports taught.
    Calibrated,
}

impl Arm {
    pub const ALL: [Self; 5] =
        [Self::Lexical, Self::Semantic, Self::Hybrid, Self::Duplicates, Self::Calibrated];

    pub fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
            Self::Hybrid => "hybrid",
            Self::Duplicates => "duplicates",
            Self::Calibrated => "calibrated",
        }
    }

    pub fn parse(name: &str) -> std::result::Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|a| a.name() == name)
            .ok_or_else(|| format!("it has to be one of {}", known()))
    }

    /// Whether it is made of this one: both arms of search, or the check that is calibrated.
    pub fn builds_on(self, other: Self) -> bool {
        match self {
            Self::Lexical | Self::Semantic => false,
            Self::Hybrid | Self::Duplicates => matches!(other, Self::Lexical | Self::Semantic),
            Self::Calibrated => other == Self::Duplicates,
        }
    }

    /// Whether it is a way to search.
    pub fn searches(self) -> bool {
        matches!(self, Self::Lexical | Self::Semantic | Self::Hybrid)
    }

    /// What the casebook is asked for.
    pub fn ranking(self) -> Ranking {
        match self {
            Self::Lexical => Ranking::Lexical,
            Self::Semantic => Ranking::Semantic,
            Self::Hybrid => Ranking::Hybrid,
            Self::Duplicates | Self::Calibrated => Ranking::Duplicates,
        }
    }
}

/// What the check for duplicates answers where a source is calibrated over its time. Nothing if it never has enough
/// known duplicates for that.
///
/// Queries are asked in the order in which they were filed, each with what was learnt from those before it: a twelfth at a
/// time.
pub fn calibrated(
    set: &EvalSet,
    built_in: &Table,
    ranked: &BTreeMap<usize, Vec<RankedDocument>>,
    task: &Task,
) -> Result<Option<BTreeMap<usize, Answer>>> {
    let queries: Vec<usize> = ranked.keys().copied().collect();
    let mut asked: Vec<Asked> = Vec::with_capacity(queries.len());
    let (mut answers, mut own) = (BTreeMap::new(), None::<Own>);
    for block in queries.chunks(queries.len().div_ceil(CALIBRATIONS).max(1)) {
        if let Some(lesson) = learn(built_in, &asked, task)? {
            own = Some(lesson.own);
        }
        let table = own.as_ref().map_or_else(|| built_in.clone(), |own| built_in.with(own));
        for query in block {
            let documents = &ranked[query];
            answers.insert(*query, Answer::new(set, again(&table, documents)));
            let relevant = set.relevant.get(query);
            let right = |d: &RankedDocument| {
                set::place(d.number).is_some_and(|place| relevant.is_some_and(|r| r.contains(&place)))
            };
            let candidates = documents.iter().take(TOP).filter_map(|d| candidate(d, right(d)));
            asked.push(Asked {
                weight: set.weight(*query),
                duplicate: relevant.is_some(),
                candidates: candidates.collect(),
            });
        }
    }
    Ok(own.map(|_| answers))
}

/// A ranking with other weights, best first; ties as they were. The confidence is that of the one that is shown first.
fn again(table: &Table, documents: &[RankedDocument]) -> Vec<RankedDocument> {
    let candidates: Vec<(Candidate, &RankedDocument)> =
        documents.iter().filter_map(|d| Some((candidate(d, false)?, d))).collect();
    let features: Vec<Features> = candidates.iter().map(|(c, _)| c.features).collect();
    let ranked: Vec<RankedDocument> = table
        .ranked(&features)
        .into_iter()
        .map(|one| {
            let (candidate, document) = &candidates[one.at];
            let seen =
                Seen { features: &candidate.features, share: one.share, reading: candidate.reading.as_ref() };
            let judged = table.judge(&seen);
            RankedDocument {
                score: one.score,
                probability: Some(judged.same),
                worth: Some(judged.worth),
                ..(*document).clone()
            }
        })
        .collect();
    ranked
}

fn candidate(document: &RankedDocument, right: bool) -> Option<Candidate> {
    let (features, rest) = document.features.split_at_checked(COUNT)?;
    let features = Features(features.try_into().ok()?);
    // Between them stands the share.
    let reading = rest.get(1..).and_then(|numbers| numbers.first_chunk()).map(|numbers| Reading(*numbers));
    Some(Candidate { features, reading, right })
}
