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

/// The options of an evaluation. The comments are shown as help.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Request {
    /// Folders of the sets.
    #[arg(skip)]
    pub sets: Vec<PathBuf>,
    /// Folder of the sets' casebooks.
    #[arg(skip)]
    pub cache: PathBuf,
    /// Maximum number of concurrent queries.
    #[arg(skip)]
    pub concurrency: usize,
    /// Query made from each report: the whole report, its title as typed into a search, or the
    /// title's three rarest words
    #[arg(long = "as", value_name = "FORM", value_enum, default_value_t)]
    pub form: Form,
    /// Rankings to evaluate, comma-separated: lexical, semantic, hybrid, duplicates, calibrated
    /// [default: all; with --as title or words, the first three]
    #[arg(long = "by", value_name = "RANKING", value_delimiter = ',', value_parser = Arm::parse)]
    pub rankings: Vec<Arm>,
    /// Save the results to this file [default: last.json in the cache]
    #[arg(long = "run", value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Compare with an earlier run, query by query
    #[arg(long = "against", value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write each ranking as a TSV table (query, document, rank, score, probability) to this folder
    #[arg(long, value_name = "DIR")]
    pub tsv: Option<PathBuf>,
    /// Write the features of all candidates, for fitting the weights
    #[arg(long, value_name = "FILE", hide = true)]
    pub features: Option<PathBuf>,
    /// Use this table of duplicate weights instead of the built-in one
    #[arg(long, value_name = "FILE", hide = true)]
    pub weights: Option<PathBuf>,
    /// Manually judged pairs (a folder of SET.tsv files, or one file); also measures confidence on
    /// them
    #[arg(long = "judged", value_name = "DIR|FILE")]
    pub judgments: Option<PathBuf>,
    /// Use these translations as queries instead of the reports (tab-separated: set, report,
    /// language, title, sentence)
    #[arg(long, value_name = "FILE")]
    pub translations: Option<PathBuf>,
    /// Use only candidates from this many days before each report, and only reports with a
    /// duplicate among them
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(i64).range(1..=36_500))]
    pub window: Option<i64>,
    /// Use the model in this folder, which must contain a model card
    #[arg(long, value_name = "DIR")]
    pub model: Option<PathBuf>,
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
