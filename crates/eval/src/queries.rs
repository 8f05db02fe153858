//! Execution of a set's queries with each ranking method.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use precedent_core::{
    Code, Error, Result, Task,
    model::{RankRequest, RankedDocument},
    task::Phase,
};
use precedent_engine::Casebook;
use precedent_text::reference::without_duplicate_notes;

use crate::{
    DEPTH, Request,
    arm::Arm,
    calibration::calibrate,
    eval_set::{self, EvalSet, SOURCE},
    features::Features,
    form::{Form, Vocabulary},
    run::{Answer, SetRun},
};

/// The queries of a set and the options to run them with.
pub struct QueryPlan<'a> {
    casebook: &'a Casebook,
    dataset: &'a EvalSet,
    request: &'a Request,
    /// Word counts of the set; empty unless the form is `Words`.
    vocabulary: Vocabulary,
    counter: Arc<AtomicU64>,
    total: u64,
    task: &'a Task,
}

/// Runs every query of a set with each of the given methods.
pub async fn run_queries(
    arms: &[Arm],
    features: &mut Option<Features>,
    mut plan: QueryPlan<'_>,
) -> Result<SetRun> {
    let (dataset, task) = (plan.dataset, plan.task);
    let answers_by_id = |answers: BTreeMap<usize, Answer>| {
        answers.into_iter().map(|(q, a)| (dataset.reports[q].id.clone(), a)).collect()
    };
    let built_in = &plan.casebook.ranking_model(SOURCE).await?;
    // Calibration is fitted on the answers of the duplicate check.
    let needs_calibration = arms.contains(&Arm::Calibrated);
    let is_needed = |arm: &Arm| {
        *arm != Arm::Calibrated
            && (arms.contains(arm) || (needs_calibration && *arm == Arm::Duplicates))
    };
    let selection: Vec<Arm> = Arm::ALL.into_iter().filter(is_needed).collect();
    plan.total = (plan.queries().count() * selection.len()) as u64;
    let mut out = SetRun::default();
    for arm in selection {
        let is_check = arm == Arm::Duplicates;
        let (mut answers, mut evidence) = (BTreeMap::new(), BTreeMap::new());
        plan.for_each(arm, |query, documents| {
            if let Some(features) = features.as_mut().filter(|_| is_check) {
                let (name, weight) = (&dataset.name, dataset.weight(query));
                let query_id = &dataset.reports[query].id;
                features.write(
                    dataset,
                    &documents,
                    dataset.relevant.get(&query),
                    |d, id, label| {
                        let number = d.number;
                        format!("{name}\t{query}\t{weight:.4}\t{number}\t{label}\t{query_id}\t{id}")
                    },
                )?;
            }
            if needs_calibration && is_check {
                evidence.insert(query, documents.iter().take(DEPTH).cloned().collect());
            }
            answers.insert(query, Answer::new(dataset, documents));
            Ok(())
        })
        .await?;
        if arms.contains(&arm) {
            out.rankings.insert(arm, answers_by_id(answers));
        }
        let calibrate_all = || calibrate(dataset, built_in, &evidence, task);
        if needs_calibration
            && is_check
            && let Some(answers) = tokio::task::block_in_place(calibrate_all)?
        {
            out.rankings.insert(Arm::Calibrated, answers_by_id(answers));
        }
    }
    Ok(out)
}

impl<'a> QueryPlan<'a> {
    pub fn new(
        casebook: &'a Casebook,
        dataset: &'a EvalSet,
        request: &'a Request,
        task: &'a Task,
    ) -> Self {
        let vocabulary = match request.form {
            Form::Words => Vocabulary::new(&dataset.reports),
            Form::Report | Form::Title => Vocabulary::default(),
        };
        Self { casebook, dataset, request, vocabulary, counter: Arc::default(), total: 0, task }
    }

    /// Runs the first query.
    pub async fn run_first(&self) -> Result<()> {
        let Some(query) = self.queries().next() else { return Ok(()) };
        self.casebook.rank(self.request(query, Arm::Duplicates), self.task).await.map(drop)
    }

    fn queries(&self) -> impl Iterator<Item = usize> {
        self.dataset.relevant.keys().chain(&self.dataset.negatives).copied()
    }

    /// Runs all queries concurrently and calls `visit` with the answers in query order.
    async fn for_each(
        &self,
        arm: Arm,
        mut visit: impl FnMut(usize, Vec<RankedDocument>) -> Result<()>,
    ) -> Result<()> {
        let mut jobs = tokio::task::JoinSet::new();
        let mut queries = self.queries().enumerate();
        let (mut answers, mut next_turn) = (BTreeMap::new(), 0);
        loop {
            while jobs.len() < self.request.concurrency
                && let Some((turn, query)) = queries.next()
            {
                let request = self.request(query, arm);
                let (casebook, task, counter) =
                    (self.casebook.clone(), self.task.clone(), Arc::clone(&self.counter));
                let total = self.total;
                jobs.spawn(async move {
                    let documents = casebook.rank(request, &task).await?;
                    let count = counter.fetch_add(1, Ordering::Relaxed) + 1;
                    task.report(Phase::Evaluate, count, Some(total), "queries");
                    Ok::<_, Error>((turn, (query, documents)))
                });
            }
            let Some(job) = jobs.join_next().await else { return Ok(()) };
            let (turn, answer) = job.map_err(|e| Error::new(Code::Internal, e.to_string()))??;
            answers.insert(turn, answer);
            while let Some((query, documents)) = answers.remove(&next_turn) {
                next_turn += 1;
                visit(query, documents)?;
            }
        }
    }

    /// Returns the request for a report in the form under evaluation, without notes that name the
    /// duplicate, which the reporter could not know.
    fn request(&self, query: usize, arm: Arm) -> RankRequest {
        let report = &self.dataset.reports[query];
        let is_whole = self.request.form == Form::Report;
        RankRequest {
            title: match self.request.form {
                Form::Report | Form::Title => report.title.clone(),
                Form::Words => self.vocabulary.rarest(&report.title),
            },
            body: if is_whole { without_duplicate_notes(&report.body) } else { String::new() },
            is_typed_query: !is_whole,
            source: SOURCE.to_owned(),
            // Stored vectors cover the whole text.
            number: (is_whole && query < self.dataset.imported_count).then_some(query as u64 + 1),
            made_at: report.created_at,
            since: self.request.window.map(|days| eval_set::days_before(report.created_at, days)),
            only_solved: false,
            by: arm.ranking(),
            limit: if arm == Arm::Duplicates { usize::MAX } else { DEPTH },
        }
    }
}
