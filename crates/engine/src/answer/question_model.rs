//! The model for typed questions. They are shorter than reports, so the same overlap counts more;
//! semantic similarity counts more than shared words, and the age of a report hardly counts.
//!
//! The ranking is fitted like that of reports; the probability is a logistic model, fitted to the
//! first answers to questions in users' words. `models/pipeline/questions.py` fits both.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use super::{
    RankingModel,
    confidence::{self, PairEvidence, index_of},
    features,
    logistic::{Logistic, LogisticFile, by_index},
};

/// The model as stored in the repository.
const BUILT_IN: &str = include_str!("questions.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    order: BTreeMap<String, f32>,
    with_meaning: LogisticFile,
    words_alone: LogisticFile,
}

/// The model of the probability that the first answer is right.
type AnswerModel = Logistic<{ confidence::COUNT }>;

/// The model for typed questions.
pub(super) struct QuestionModel {
    pub(super) ranking_model: RankingModel,
    with_vectors: AnswerModel,
    words_only: AnswerModel,
}

#[allow(clippy::expect_used, reason = "a test parses the embedded model")]
static MODEL: LazyLock<QuestionModel> =
    LazyLock::new(|| QuestionModel::parse(BUILT_IN).expect("the built-in model is valid"));

impl QuestionModel {
    /// Returns the built-in model.
    pub(super) fn built_in() -> &'static Self {
        &MODEL
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let weights = by_index(&file.order, features::index_of)?;
        Ok(Self {
            ranking_model: RankingModel { weights, ..RankingModel::built_in().clone() },
            with_vectors: AnswerModel::parse(&file.with_meaning, index_of)?,
            words_only: AnswerModel::parse(&file.words_alone, index_of)?,
        })
    }

    /// Estimates the probability that a report answers a question, 0..1; `has_vectors` is true if
    /// their vectors could be compared.
    pub(super) fn probability(&self, evidence: &PairEvidence<'_>, has_vectors: bool) -> f32 {
        let model = if has_vectors { &self.with_vectors } else { &self.words_only };
        model.probability(&evidence.numbers())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::features::Features;

    #[test]
    fn shared_words_raise_the_probability() {
        let model = QuestionModel::parse(BUILT_IN).unwrap();
        let probability = |share: f32| {
            let mut features = Features::default();
            for name in ["words", "all_word_coverage"] {
                features.0[index_of(name).unwrap()] = share;
            }
            [true, false].map(|has_vectors| {
                let evidence = PairEvidence { features: &features, share: -0.1, overlap: None };
                model.probability(&evidence, has_vectors)
            })
        };
        let (high, low) = (probability(0.6), probability(0.2));
        assert!(high[0] > low[0] && high[1] > low[1]);
    }
}
