//! The evaluation of solved-case search: hits where a case exists, silence where none does.

use std::{collections::BTreeSet, path::PathBuf};

use jiff::Timestamp;
use precedent_core::{
    Result, Task,
    model::{MIN_HELP, RankRequest, RankedDocument, Ranking},
    task::Phase,
};
use precedent_engine::{Casebook, OpenOptions, answer::RankingModel};
use precedent_text::{
    prepare::PreparedText, reference::without_duplicate_notes, skeleton::Skeleton,
};
use serde::Serialize;

use crate::{
    Request,
    bands::{Share, weighted_share},
    eval_set::{self, EvalSet, SOURCE},
    features::Features,
};

/// Invented lines that are off-topic or meaningless, for which no tracker has a case.
const NONSENSE: &str = include_str!("nonsense.txt");
/// The maximum number of reports queried per set, evenly spaced.
const MAX_QUERIES: usize = 300;
/// The number of texts of other sets that are queried in each form.
const FOREIGN_QUERIES: usize = 80;
/// The number of cases inspected per answer.
const DEPTH: usize = 10;

/// The results of an evaluation of solved-case search.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct CasesReport {
    /// Results per set, in the order of the request.
    pub sets: Vec<CasesSet>,
}

/// The results of solved-case search on one set.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct CasesSet {
    /// Name of the set's folder.
    pub set: String,
    /// Number of reports with an earlier, closed duplicate.
    pub queries: usize,
    /// Results of `troubleshoot`, then of a search of closed reports, in each form.
    pub methods: Vec<MethodResult>,
    /// Share of the set's reports without a known duplicate that get an answer.
    pub unmarked: Share,
    /// Share of off-topic and meaningless lines that get an answer.
    pub nonsense: Share,
}

/// The results of one method in one form.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub struct MethodResult {
    /// `troubleshoot` or `search`.
    pub method: &'static str,
    /// Query text: `report` (title and text), `title`, or `code` (code and logs alone).
    pub form: &'static str,
    /// Share of queries with the right case ranked first.
    pub success_1: Share,
    /// Share of queries with the right case among the first three.
    pub success_3: Share,
    /// Share of queries with the right case among the first ten.
    pub success_10: Share,
    /// Share of queries without an answer although there is a case.
    pub unanswered: Share,
    /// Share of texts of other sets that get an answer.
    pub false_alarms: Share,
}

fn share_of(flags: &[bool]) -> Share {
    weighted_share(flags.iter().map(|flag| (*flag, 1.0)))
}

/// The part of a report that is used as the query.
#[derive(Clone, Copy, PartialEq, Eq)]
enum QueryForm {
    Report,
    Title,
    Code,
}

impl QueryForm {
    const ALL: [Self; 3] = [Self::Report, Self::Title, Self::Code];

    fn name(self) -> &'static str {
        match self {
            Self::Report => "report",
            Self::Title => "title",
            Self::Code => "code",
        }
    }

    /// Returns the title and the text of the query; `None` if the report lacks this part.
    fn query(self, title: &str, body: &str) -> Option<(String, String)> {
        match self {
            Self::Report => Some((title.to_owned(), without_duplicate_notes(body))),
            Self::Title => Some((title.to_owned(), String::new())),
            Self::Code => {
                let code = PreparedText::body(body, &Skeleton::default()).code().trim().to_owned();
                (code.lines().count() > 1).then(|| (String::new(), format!("```\n{code}\n```")))
            }
        }
    }
}

/// Measures solved-case search on each set; texts of other sets are foreign to a set. Ignores the
/// options of [`evaluate`](crate::evaluate) that concern only its rankings.
pub async fn evaluate_cases(
    request: &Request,
    open: impl Fn(PathBuf) -> OpenOptions,
    task: &Task,
) -> Result<CasesReport> {
    let ranking_model = match &request.weights {
        Some(file) => RankingModel::read(file)?,
        None => RankingModel::built_in().clone(),
    };
    let mut features = request.features.as_deref().map(Features::create).transpose()?;
    let sets =
        request.sets.iter().map(|folder| EvalSet::load(folder)).collect::<Result<Vec<_>>>()?;
    let mut out = Vec::new();
    for dataset in &sets {
        let options = open(dataset.casebook_folder(&request.cache));
        let casebook =
            crate::casebook(options, dataset, request.model.as_deref(), &ranking_model, task)
                .await?;
        let queries: Vec<(usize, BTreeSet<usize>)> = dataset
            .relevant
            .iter()
            .map(|(query, originals)| {
                let answers = originals.iter().filter(|r| dataset.reports[**r].is_solved());
                (*query, answers.copied().collect())
            })
            .filter(|(_, answers): &(usize, BTreeSet<usize>)| !answers.is_empty())
            .collect();
        let step = queries.len().div_ceil(MAX_QUERIES).max(1);
        let queries: Vec<_> = queries.into_iter().step_by(step).collect();
        let foreign_sets: Vec<&EvalSet> = sets.iter().filter(|s| s.name != dataset.name).collect();
        let now = dataset.reports.last().map_or(Timestamp::UNIX_EPOCH, |r| r.created_at);
        let mut session = Session { casebook, dataset, features: &mut features, task };
        let mut methods = Vec::new();
        for (method, ranking) in
            [("troubleshoot", Ranking::Duplicates), ("search", Ranking::Hybrid)]
        {
            for form in QueryForm::ALL {
                let mut hits = [vec![], vec![], vec![], vec![]];
                for (index, (position, relevant)) in queries.iter().enumerate() {
                    task.report(
                        Phase::Evaluate,
                        index as u64,
                        Some(queries.len() as u64),
                        "queries",
                    );
                    let report = &dataset.reports[*position];
                    let Some(text) = form.query(&report.title, &report.body) else { continue };
                    let number = (form == QueryForm::Report).then_some(*position as u64 + 1);
                    let query = Query {
                        form,
                        text,
                        id: report.id.clone(),
                        number,
                        made_at: report.created_at,
                        relevant: Some(relevant),
                    };
                    let numbers = session.visible_numbers(query, ranking).await?;
                    let hit_index = numbers.iter().position(|n| {
                        eval_set::position(*n).is_some_and(|p| relevant.contains(&p))
                    });
                    for (list, k) in hits.iter_mut().zip([1, 3, 10]) {
                        list.push(hit_index.is_some_and(|i| i < k));
                    }
                    hits[3].push(numbers.is_empty());
                }
                let mut false_alarms = Vec::new();
                for other_set in &foreign_sets {
                    for report in sample(other_set, FOREIGN_QUERIES / foreign_sets.len().max(1)) {
                        let report = &other_set.reports[report];
                        let Some(text) = form.query(&report.title, &report.body) else { continue };
                        let id = format!("{}/{}", other_set.name, report.id);
                        let query =
                            Query { form, text, id, number: None, made_at: now, relevant: None };
                        let numbers = session.visible_numbers(query, ranking).await?;
                        false_alarms.push(!numbers.is_empty());
                    }
                }
                let [success_1, success_3, success_10, unanswered] =
                    hits.map(|list| share_of(&list));
                methods.push(MethodResult {
                    method,
                    form: form.name(),
                    success_1,
                    success_3,
                    success_10,
                    unanswered,
                    false_alarms: share_of(&false_alarms),
                });
            }
        }
        let mut unmarked_alarms = Vec::new();
        for position in sample(dataset, FOREIGN_QUERIES) {
            let report = &dataset.reports[position];
            let form = QueryForm::Report;
            let Some(text) = form.query(&report.title, &report.body) else { continue };
            let (id, number) = (format!("unmarked/{}", report.id), Some(position as u64 + 1));
            let query =
                Query { form, text, id, number, made_at: report.created_at, relevant: None };
            let numbers = session.visible_numbers(query, Ranking::Duplicates).await?;
            unmarked_alarms.push(!numbers.is_empty());
        }
        let mut nonsense = Vec::new();
        for line in NONSENSE.lines().filter(|l| !l.trim().is_empty()) {
            let (form, text) = (QueryForm::Title, (line.to_owned(), String::new()));
            let id = format!("nonsense/{line}");
            let query = Query { form, text, id, number: None, made_at: now, relevant: None };
            let numbers = session.visible_numbers(query, Ranking::Duplicates).await?;
            nonsense.push(!numbers.is_empty());
        }
        out.push(CasesSet {
            set: dataset.name.clone(),
            queries: queries.len(),
            methods,
            unmarked: share_of(&unmarked_alarms),
            nonsense: share_of(&nonsense),
        });
    }
    if let Some(features) = features {
        features.finish()?;
    }
    Ok(CasesReport { sets: out })
}

/// Returns at most `limit` evenly spaced reports of a set: those without a known duplicate, or any
/// if it lists none.
fn sample(dataset: &EvalSet, limit: usize) -> Vec<usize> {
    let negatives = &dataset.negatives;
    let pool =
        if negatives.is_empty() { (0..dataset.reports.len()).collect() } else { negatives.clone() };
    let step = pool.len().div_ceil(limit.max(1)).max(1);
    pool.into_iter().step_by(step).collect()
}

struct Query<'a> {
    form: QueryForm,
    /// Title and text.
    text: (String, String),
    /// Id in the table of features.
    id: String,
    /// Number of the report if the casebook holds it.
    number: Option<u64>,
    made_at: Timestamp,
    /// Positions of the right cases.
    relevant: Option<&'a BTreeSet<usize>>,
}

struct Session<'a> {
    casebook: Casebook,
    dataset: &'a EvalSet,
    features: &'a mut Option<Features>,
    task: &'a Task,
}

impl Session<'_> {
    /// Returns the numbers of the documents that a user would see; a search shows all of them.
    /// Writes the features of a ranking for duplicates.
    async fn visible_numbers(&mut self, query: Query<'_>, ranking: Ranking) -> Result<Vec<u64>> {
        let (title, body) = query.text;
        let request = RankRequest {
            is_typed_query: body.is_empty(),
            title,
            body,
            source: SOURCE.to_owned(),
            number: query.number,
            made_at: query.made_at,
            since: None,
            only_solved: true,
            by: ranking,
            limit: DEPTH,
        };
        let docs = self.casebook.rank(request, self.task).await?;
        let is_check = ranking == Ranking::Duplicates;
        if let Some(features) = self.features.as_mut().filter(|_| is_check) {
            let (name, form, query_id) = (&self.dataset.name, query.form.name(), &query.id);
            features.write(self.dataset, &docs, query.relevant, |d, id, label| {
                let probability = d.probability.unwrap_or_default();
                format!("{name}\t{form}\t{query_id}\t{id}\t{label}\t{probability:.5}")
            })?;
        }
        let is_visible =
            |d: &RankedDocument| !is_check || d.probability.is_some_and(|p| p >= MIN_HELP);
        Ok(docs.into_iter().filter(is_visible).map(|d| d.number).collect())
    }
}
