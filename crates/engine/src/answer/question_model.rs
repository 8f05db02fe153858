//! The model for typed questions, which rank and state otherwise than reports: they name less, so
//! that the same overlap says more, meaning counts more than words in common, and the age of a report
//! hardly counts.
//!
//! The order is fitted like that of reports; the probability is a logistic model of the first
//! answers to questions in the words of users. `models/pipeline/questions.py` fits both.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

use super::{
    RankingModel,
    confidence::{self, PairEvidence, place},
    logistic::{Logistic, LogisticFile},
    ranking::weights,
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

/// The model of the evidence for a first answer.
type Statement = Logistic<{ confidence::COUNT }>;

/// The model for typed questions.
pub(super) struct QuestionModel {
    /// The ranking, with weights of its own.
    pub(super) order: RankingModel,
    with_meaning: Statement,
    words_alone: Statement,
}

static MODEL: LazyLock<QuestionModel> = LazyLock::new(|| {
    // The file is embedded in the program, and a test validates it.
    QuestionModel::parse(BUILT_IN).unwrap_or_else(|_| QuestionModel {
        order: RankingModel::built_in().clone(),
        with_meaning: Statement::doubtful(),
        words_alone: Statement::doubtful(),
    })
});

impl QuestionModel {
    /// Returns the built-in model.
    pub(super) fn built_in() -> &'static Self {
        &MODEL
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let order = RankingModel::built_in().with_order(weights(&file.order)?);
        let with_meaning = Statement::parse(&file.with_meaning, place)?;
        Ok(Self { order, with_meaning, words_alone: Statement::parse(&file.words_alone, place)? })
    }

    /// Estimates the probability that a report is the problem of a question, 0..1; `has_meaning`
    /// says whether their vectors could be compared.
    pub(super) fn probability(&self, evidence: &PairEvidence<'_>, has_meaning: bool) -> f32 {
        let statement = if has_meaning { &self.with_meaning } else { &self.words_alone };
        statement.probability(&evidence.numbers())
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
                features.0[place(name).unwrap()] = share;
            }
            [true, false].map(|has_meaning| {
                let evidence = PairEvidence { features: &features, share: -0.1, overlap: None };
                model.probability(&evidence, has_meaning)
            })
        };
        let (much, little) = (probability(0.6), probability(0.2));
        assert!(much[0] > little[0] && much[1] > little[1]);
    }
}
