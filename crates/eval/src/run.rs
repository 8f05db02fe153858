//! The answers of an evaluation run, stored in a file so that runs can be compared.

use std::{collections::BTreeMap, fs, path::Path};

use precedent_core::{Code, Error, Result, files, model::RankedDocument};
use serde::{Deserialize, Serialize};

use crate::{
    Arm, DEPTH,
    eval_set::{self, EvalSet},
};

/// A run: the ranking of every query, by set and ranking method.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Run {
    /// The model that computed the vectors.
    pub model: String,
    pub sets: BTreeMap<String, SetRun>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SetRun {
    pub rankings: BTreeMap<Arm, BTreeMap<String, Answer>>,
}

/// A query's ranking, best first.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Answer {
    /// Document ids with their scores.
    pub documents: Vec<(String, f32)>,
    /// The calibrated probability that the first document is a duplicate, if the method states one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f32>,
    /// The calibrated probability that the first document is worth reading, if the method states
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worth: Option<f32>,
}

impl Answer {
    /// Creates an answer from the best documents of a ranking.
    pub fn new(dataset: &EvalSet, ranking: Vec<RankedDocument>) -> Self {
        let (probability, worth) =
            ranking.first().map_or((None, None), |r| (r.probability, r.worth));
        let documents = ranking
            .into_iter()
            .take(DEPTH)
            .filter_map(|r| {
                Some((dataset.reports.get(eval_set::position(r.number)?)?.id.clone(), r.score))
            })
            .collect();
        Self { documents, probability, worth }
    }
}

impl Run {
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|e| Error::io(path, e))?;
        serde_json::from_slice(&bytes).map_err(|e| {
            Error::invalid(format!("{} is not a run of `precedent eval`: {e}", path.display()))
                .with_hint("Use a file written by an earlier run.")
                .with_command(None, "precedent eval --run FILE")
        })
    }

    pub fn write(&self, path: &Path) -> Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        }
        let run =
            serde_json::to_vec(self).map_err(|e| Error::new(Code::Internal, e.to_string()))?;
        files::replace(path, &run)
    }

    /// Writes one table per set and method in TREC format: query, document, rank, score,
    /// probability.
    pub fn write_tables(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        for (name, set_run) in &self.sets {
            for (ranking, answers) in &set_run.rankings {
                let path = folder.join(format!("{name}-{}.tsv", ranking.name()));
                let mut out = String::new();
                for (query, answer) in answers {
                    for (i, (document, score)) in answer.documents.iter().enumerate() {
                        let probability = match answer.probability {
                            Some(p) if i == 0 => format!("\t{p}"),
                            _ => String::new(),
                        };
                        out.push_str(&format!(
                            "{query}\t{document}\t{}\t{score}{probability}\n",
                            i + 1
                        ));
                    }
                }
                files::replace(&path, out.as_bytes())?;
            }
        }
        Ok(())
    }
}
