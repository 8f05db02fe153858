//! The evaluation of ranking and confidence on sets of reports with known duplicates.
//!
//! Each query sees only the data that was known when its report was filed.

mod arm;
mod bands;
mod calibration;
mod cases;
mod eval_set;
mod features;
mod form;
mod judgments;
mod metrics;
mod queries;
mod report;
mod run;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use precedent_core::{Error, Remedy, Result, Task};
use precedent_engine::{Casebook, OpenOptions, answer::RankingModel};
use precedent_index::embed::{CARD, Engine, ModelPaths};

pub use arm::Arm;
pub use bands::{ConfidenceReport, Share, band_name};
pub use cases::{CasesReport, CasesSet, MethodResult, evaluate_cases};
pub use form::Form;
pub use report::{Difference, EvalReport, Lead, Measure, RankingReport, SetReport};

use eval_set::EvalSet;
use features::Features;
use queries::QueryPlan;
use run::Run;

/// The number of documents kept and scored per ranking.
const DEPTH: usize = 100;

/// The options of an evaluation.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Folders of the sets.
    pub sets: Vec<PathBuf>,
    /// Ranking methods; empty for all that the form allows.
    pub rankings: Vec<Arm>,
    /// Form in which each report is queried.
    pub form: Form,
    /// Maximum age of a candidate relative to its report, in days.
    pub window: Option<i64>,
    /// File of ranking weights in place of the built-in ones.
    pub weights: Option<PathBuf>,
    /// Output file for the features of all candidates.
    pub features: Option<PathBuf>,
    /// Manually judged pairs: a folder of `SET.tsv` files, or the file of one set.
    pub judgments: Option<PathBuf>,
    /// Queries in other languages in place of the set's own.
    pub translations: Option<PathBuf>,
    /// Output file for the run; `last.json` in the cache by default.
    pub output: Option<PathBuf>,
    /// An earlier run to compare with.
    pub baseline: Option<PathBuf>,
    /// Output folder for every ranking as a table.
    pub tsv: Option<PathBuf>,
    /// Folder of a model, which contains a card.
    pub model: Option<PathBuf>,
    /// Folder of the sets' casebooks.
    pub cache: PathBuf,
    /// Maximum number of concurrent queries.
    pub concurrency: usize,
}

/// Runs every query of every set and measures the answers.
///
/// `open` returns the options for a casebook in a folder; `warn` receives the reason why a method
/// is left out.
pub async fn evaluate(
    request: &Request,
    open: impl Fn(PathBuf) -> OpenOptions,
    mut warn: impl FnMut(&Error),
    task: &Task,
) -> Result<EvalReport> {
    if let Some(model) = request.model.as_deref().filter(|m| !m.join(CARD).is_file()) {
        return Err(Error::invalid(format!("{} has no {CARD}", model.display()))
            .with_hint("Import the model; it is then in the casebook folder.")
            .with_command(Remedy::Models, "precedent model import DIR"));
    }
    let baseline_run = request.baseline.as_deref().map(Run::load).transpose()?;
    let mut rankings = request.rankings.clone();
    rankings.sort_unstable();
    rankings.dedup();
    if rankings.is_empty() {
        rankings = Arm::ALL.to_vec();
        if request.form != Form::Report {
            rankings.retain(|r| r.is_search());
        }
    }
    let ranking_model = match &request.weights {
        Some(file) => RankingModel::read(file)?,
        None => RankingModel::built_in().clone(),
    };
    let mut features = request.features.as_deref().map(Features::create).transpose()?;
    let mut run = Run::default();
    let mut sets = Vec::new();
    for folder in &request.sets {
        let mut dataset = EvalSet::load(folder)?;
        if let Some(days) = request.window {
            dataset.limit_age(days);
        }
        let options = open(dataset.casebook_folder(&request.cache));
        let casebook =
            casebook(options, &dataset, request.model.as_deref(), &ranking_model, task).await?;
        let model = casebook.check_model().await;
        let mut rankings = rankings.clone();
        if let Err(error) = &model {
            warn(error);
            rankings.retain(|r| !matches!(r, Arm::Semantic | Arm::Hybrid));
        }
        run.model = model.map_or_else(|_| "none".to_owned(), |m| m.name);
        if let Some(file) = &request.translations {
            dataset.translate(file)?;
        }
        let plan = QueryPlan::new(&casebook, &dataset, request, task);
        if request.translations.is_some() {
            // An update builds the index for another language only after a query in it.
            plan.run_first().await?;
            casebook.update_index(task).await?;
        }
        let answers = queries::run_queries(&rankings, &mut features, plan).await?;
        run.sets.insert(dataset.name.clone(), answers);
        sets.push(dataset);
    }
    if let Some(features) = features {
        features.finish()?;
    }
    let file = request.output.clone().unwrap_or_else(|| request.cache.join("last.json"));
    run.write(&file)?;
    if let Some(folder) = &request.tsv {
        run.write_tables(folder)?;
    }
    let mut pairs = BTreeMap::new();
    if let Some(path) = &request.judgments {
        for dataset in &sets {
            pairs.extend(
                judgments::load(path, &dataset.name)?.map(|list| (dataset.name.clone(), list)),
            );
        }
    }
    Ok(report::build_report(&sets, &run, baseline_run.as_ref(), &pairs, &file))
}

/// Opens the casebook of a set, which is cached so that its vectors are computed once.
async fn casebook(
    mut options: OpenOptions,
    dataset: &EvalSet,
    model: Option<&Path>,
    ranking_model: &RankingModel,
    task: &Task,
) -> Result<Casebook> {
    options.create = true;
    // Queries read comments as of their filing time; an index would include later ones.
    options.index_comments = false;
    options.ranking_model = ranking_model.clone();
    if let Some(model) = model {
        let paths = ModelPaths { runtime: options.runtime.clone(), models: Vec::new() };
        options.engine = Some(Engine::BuiltIn(paths).with_folder(model.to_owned()));
    }
    let casebook = Casebook::open(options).await?;
    let record_count: u64 = casebook.sources().await?.iter().map(|s| s.issues + s.comments).sum();
    if record_count < dataset.record_count() {
        dataset.import(&casebook, task).await?;
    }
    casebook.update_index(task).await?;
    Ok(casebook)
}
