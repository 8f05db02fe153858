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
    DEPTH,
    arm::Arm,
    calibrated::calibrated,
    features::Features,
    form::{Form, Vocabulary},
    run::{Answer, SetRun},
    set::{self, EvalSet, SOURCE},
};

/// The queries of a set and the options to run them with.
pub struct Asking<'a> {
    casebook: &'a Casebook,
    set: &'a EvalSet,
    /// Maximum age of a candidate relative to its report, in days.
    window: Option<i64>,
    form: Form,
    /// Word counts of the set's reports; empty unless the form is `Words`.
    vocabulary: Vocabulary,
    /// Maximum number of concurrent queries.
    width: usize,
    asked: Arc<AtomicU64>,
    total: u64,
    task: &'a Task,
}

/// Runs every query of a set with each of the given methods.
pub async fn ask(arms: &[Arm], features: &mut Option<Features>, mut asking: Asking<'_>) -> Result<SetRun> {
    let (set, task) = (asking.set, asking.task);
    let named = |answers: BTreeMap<usize, Answer>| {
        answers.into_iter().map(|(q, a)| (set.reports[q].id.clone(), a)).collect()
    };
    let table = &asking.casebook.table_of(SOURCE).await?;
    // Calibration learns from the answers of the duplicate check.
    let learning = arms.contains(&Arm::Calibrated);
    let asked =
        |arm: &Arm| *arm != Arm::Calibrated && (arms.contains(arm) || (learning && *arm == Arm::Duplicates));
    let asked: Vec<Arm> = Arm::ALL.into_iter().filter(asked).collect();
    asking.total = (asking.queries().count() * asked.len()) as u64;
    let mut out = SetRun::default();
    for arm in asked {
        let duplicates = arm == Arm::Duplicates;
        let (mut answers, mut evidence) = (BTreeMap::new(), BTreeMap::new());
        asking
            .each(arm, |query, ranked| {
                if let Some(features) = features.as_mut().filter(|_| duplicates) {
                    features.write(set, query, &ranked)?;
                }
                if learning && duplicates {
                    evidence.insert(query, ranked.iter().take(DEPTH).cloned().collect());
                }
                answers.insert(query, Answer::new(set, ranked));
                Ok(())
            })
            .await?;
        if arms.contains(&arm) {
            out.rankings.insert(arm, named(answers));
        }
        let learnt = || calibrated(set, table, &evidence, task);
        if learning
            && duplicates
            && let Some(answers) = tokio::task::block_in_place(learnt)?
        {
            out.rankings.insert(Arm::Calibrated, named(answers));
        }
    }
    Ok(out)
}

impl<'a> Asking<'a> {
    pub fn new(
        casebook: &'a Casebook,
        set: &'a EvalSet,
        form: Form,
        window: Option<i64>,
        width: usize,
        task: &'a Task,
    ) -> Self {
        let vocabulary = match form {
            Form::Words => Vocabulary::of(&set.reports),
            Form::Report | Form::Title => Vocabulary::default(),
        };
        Self { casebook, set, window, form, vocabulary, width, asked: Arc::default(), total: 0, task }
    }

    fn queries(&self) -> impl Iterator<Item = usize> {
        self.set.relevant.keys().chain(&self.set.negatives).copied()
    }

    /// Runs all queries concurrently and passes the answers to `take` in query order.
    async fn each(
        &self,
        arm: Arm,
        mut take: impl FnMut(usize, Vec<RankedDocument>) -> Result<()>,
    ) -> Result<()> {
        let mut running = tokio::task::JoinSet::new();
        let mut next = self.queries().enumerate();
        let (mut early, mut handed) = (BTreeMap::new(), 0);
        loop {
            while running.len() < self.width
                && let Some((turn, query)) = next.next()
            {
                let request = self.request(query, arm);
                let (casebook, task, asked) =
                    (self.casebook.clone(), self.task.clone(), Arc::clone(&self.asked));
                let total = self.total;
                running.spawn(async move {
                    let ranked = casebook.rank(request, &task).await?;
                    let done = asked.fetch_add(1, Ordering::Relaxed) + 1;
                    task.report(Phase::Evaluate, done, Some(total), "queries");
                    Ok::<_, Error>((turn, (query, ranked)))
                });
            }
            let Some(done) = running.join_next().await else { return Ok(()) };
            let (turn, answer) = done.map_err(|e| Error::new(Code::Internal, e.to_string()))??;
            early.insert(turn, answer);
            while let Some((query, ranked)) = early.remove(&handed) {
                handed += 1;
                take(query, ranked)?;
            }
        }
    }

    /// Builds the request for a report in the form under evaluation.
    ///
    /// Notes that name the duplicate are removed: the reporter could not have known it.
    fn request(&self, place: usize, by: Arm) -> RankRequest {
        let report = &self.set.reports[place];
        let whole = self.form == Form::Report;
        RankRequest {
            title: match self.form {
                Form::Report | Form::Title => report.title.clone(),
                Form::Words => self.vocabulary.rarest(&report.title),
            },
            body: if whole { without_duplicate_notes(&report.body) } else { String::new() },
            typed: !whole,
            source: SOURCE.to_owned(),
            // The stored vectors of an item cover its whole text.
            number: whole.then_some(place as u64 + 1),
            made_at: report.created_at,
            since: self.window.map(|days| set::before(report.created_at, days)),
            solved: false,
            by: by.ranking(),
            limit: if by == Arm::Duplicates { usize::MAX } else { DEPTH },
        }
    }
}
