//! Duplicates: checks, the triage queue, decisions, calibration.

use std::sync::Arc;

use jiff::Timestamp;

use super::{Casebook, Inner, thread::thread};
use crate::{
    answer::{self, Draft, Match, MatchFinder, Scope, relevance},
    duplicates::{self, Side},
    search::{self, query::Query},
};
use precedent_core::{
    error::{Code, Error, Result},
    model::{
        CalibrationReport, Check, ClustersRequest, ClustersResponse, Comparison, DuplicatesRequest,
        DuplicatesResponse, IndexReport, Mode, Notice, RankRequest, RankedDocument, Ranking, TriageRequest,
        TriageResponse, Verdict, VerdictKind,
    },
    task::{Task, apart},
};
use precedent_index::{
    filter::{Filter, Test, TimeField},
    update::Effort,
};
use precedent_text::prepare::Prepared;

/// A check for duplicates: one that is noted, or one that is not.
type Looked = fn(&MatchFinder<'_>, &DuplicatesRequest, Timestamp, &Task) -> Result<DuplicatesResponse>;

impl Casebook {
    /// Looks for earlier reports of the same. For an item of the casebook, that it was checked is noted.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] for a question that asks nothing or is out of range, [`Code::NotFound`] for an item or a
    /// source that does not exist.
    pub async fn duplicates(&self, request: DuplicatesRequest, task: &Task) -> Result<DuplicatesResponse> {
        self.checked(duplicates::check, request, task).await
    }

    /// As [`Casebook::duplicates`], without a note that it was checked: for those who may read and not write.
    ///
    /// # Errors
    /// As [`Casebook::duplicates`].
    pub async fn look_for_duplicates(
        &self,
        request: DuplicatesRequest,
        task: &Task,
    ) -> Result<DuplicatesResponse> {
        self.checked(duplicates::look, request, task).await
    }

    async fn checked(
        &self,
        check: Looked,
        request: DuplicatesRequest,
        task: &Task,
    ) -> Result<DuplicatesResponse> {
        let task = task.clone();
        self.run(move |i| {
            let stale = i.freshen(Effort::Alone, &task)?;
            let now = (i.clock)();
            let mut response =
                i.answering(|meaning| i.checker(meaning, |c| check(c, &request, now, &task)))?;
            response.notices.extend(stale);
            response.conclusive = Notice::is_conclusive(&response.notices);
            Ok(response)
        })
        .await
    }

    /// Checks the open reports that are new or changed, and returns those that wait for a decision, the surest first.
    /// Cancelled or killed, it goes on where it was.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a source that does not exist, [`Code::Cancelled`]; those of the database and the index.
    pub async fn triage(&self, request: TriageRequest, task: &Task) -> Result<TriageResponse> {
        let task = task.clone();
        self.run(move |i| {
            let stale = i.freshen(Effort::Alone, &task)?;
            let now = (i.clock)();
            let mut response =
                i.answering(|meaning| i.checker(meaning, |c| duplicates::triage(c, &request, now, &task)))?;
            response.notices.extend(stale);
            response.conclusive = Notice::is_conclusive(&response.notices);
            Ok(response)
        })
        .await
    }

    /// The backlog's clusters: reports that are known or, by their last checks, thought to be one. Checks nothing itself, see
    /// [`Casebook::triage`].
    ///
    /// # Errors
    /// [`Code::NotFound`] for a source that does not exist, [`Code::InvalidInput`] for a question that is out of range.
    pub async fn clusters(&self, request: ClustersRequest) -> Result<ClustersResponse> {
        self.run(move |i| duplicates::clusters(&i.store, &i.fulltext, &request, (i.clock)())).await
    }

    /// Calibrates the confidence of checks for duplicates by a source's own duplicates, and keeps that unless `dry`. With
    /// too few of them the built-in calibration stays, and the report says so.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a source that does not exist, [`Code::Cancelled`]; those of the database and the index.
    pub async fn calibrate(&self, source: &str, dry: bool, task: &Task) -> Result<CalibrationReport> {
        let (source, task) = (source.to_owned(), task.clone());
        self.run(move |i| {
            i.freshen(Effort::Alone, &task)?;
            let meaning = i.meaning()?;
            meaning.warm();
            let now = (i.clock)();
            i.checker(&meaning, |c| answer::calibrate(c, &source, dry, now, &task))
        })
        .await
    }

    /// Two reports side by side: what both name, what only one does, and what to mark in their texts.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such document; those of the database and the index.
    pub async fn compare(&self, key: &str, other: &str) -> Result<Comparison> {
        let (key, other) = (key.to_owned(), other.to_owned());
        self.run(move |i| i.compare(&key, &other)).await
    }

    /// The last check of a document for duplicates; `None` if nobody has looked yet.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such document.
    pub async fn last_check(&self, key: &str) -> Result<Option<Check>> {
        let key = key.trim().to_owned();
        self.run(move |i| i.store.read(|r| r.check(&search::one(r, &key)?.key))).await
    }

    /// Records what a person decided about a pair. For a duplicate, `other` is the report that stays. It replaces an
    /// earlier decision about the pair, and outlives every sync, index and model.
    ///
    /// # Errors
    /// [`Code::NotFound`] if one of them does not exist, [`Code::InvalidInput`] if they are the same.
    pub async fn record_verdict(
        &self,
        key: &str,
        other: &str,
        kind: VerdictKind,
        reason: Option<&str>,
        actor: &str,
    ) -> Result<Verdict> {
        let (key, other) = (key.trim().to_owned(), other.trim().to_owned());
        let (reason, actor) = (reason.map(str::to_owned), actor.to_owned());
        self.run(move |i| {
            let decided_at = (i.clock)();
            i.store.write_durably(|w| duplicates::decide(w, &key, &other, kind, reason, actor, decided_at))
        })
        .await
    }

    /// Takes the last decision about a pair back; the one before it holds again. Returns what holds now.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no decision about the pair.
    pub async fn undo_verdict(&self, key: &str, other: &str, actor: &str) -> Result<Option<Verdict>> {
        let (key, other, actor) = (key.trim().to_owned(), other.trim().to_owned(), actor.to_owned());
        self.run(move |i| {
            let now = (i.clock)();
            i.store.write_durably(|w| duplicates::undo(w, &key, &other, &actor, now))
        })
        .await
    }

    /// What people decided, the latest first; about one document or all.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such document.
    pub async fn verdicts(&self, key: Option<&str>) -> Result<Vec<Verdict>> {
        let key = key.map(|k| k.trim().to_owned());
        self.run(move |i| {
            i.store.read(|r| {
                let key = key.map(|k| search::one(r, &k)).transpose()?.map(|d| d.key);
                r.verdicts(key.as_deref())
            })
        })
        .await
    }

    /// Ranks the documents of a source against a report as if it were made at that moment, without showing them: what
    /// the evaluation measures.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such source; those of the database and the index.
    pub async fn rank(&self, request: RankRequest, task: &Task) -> Result<Vec<RankedDocument>> {
        let task = task.clone();
        self.run(move |i| i.rank(&request, &task)).await
    }

    /// The table that [`Casebook::rank`] goes by in a source: before its background, and without what its duplicates taught.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such source; those of the database.
    pub async fn table_of(&self, source: &str) -> Result<answer::RankingModel> {
        let source = source.to_owned();
        self.run(move |i| {
            let meaning = i.meaning()?;
            i.checker(&meaning, |c| {
                i.store.read(|r| {
                    let row = r.source(&source)?.ok_or_else(|| search::no_source(r, &source))?;
                    Ok(c.knowing(&c.unmarked(r, &row)?).table.clone())
                })
            })
        })
        .await
    }
}

impl Inner {
    /// Once all vectors are there: forgets checks that were made without them, or with other weights, and calibrates the sources
    /// whose known duplicates have something new to teach; a curve over half of the evidence would not hold for all of it. It
    /// leaves as many cores alone as making vectors does.
    pub(super) fn calibrate_due(&self, task: &Task, report: &mut IndexReport) -> Result<()> {
        answer::take_paces(&self.store)?;
        if report.busy_elsewhere || report.model_problem.is_some() {
            return Ok(());
        }
        let meaning = self.meaning()?;
        let Ok(vectors) = meaning.vectors() else { return Ok(()) };
        let extent = vectors.extent()?;
        if extent.embedded < extent.chunks {
            return Ok(());
        }
        let basis = self.table.basis(vectors.fingerprint());
        let (now, threads) =
            ((self.clock)(), rayon::ThreadPoolBuilder::new().num_threads(self.workers).build());
        let threads = threads.map_err(|e| Error::new(Code::Internal, e.to_string()))?;
        self.checker(&meaning, |c| {
            for source in self.store.read(|r| r.sources())? {
                threads.install(|| answer::take_background(c, &source, &basis, now, task))?;
            }
            Ok(())
        })?;
        if !self.index_comments {
            return Ok(());
        }
        if self.store.read(|r| r.checked_with())?.is_none_or(|with| with != basis) {
            self.store.write(|w| w.check_anew_with(&basis))?;
        }
        self.checker(&meaning, |c| {
            for source in self.store.read(|r| r.sources())? {
                if !answer::is_due(c, &source)? {
                    continue;
                }
                let warmed = Arc::clone(&meaning);
                apart(task, move || warmed.warm())?;
                let calibrated = threads.install(|| answer::calibrate(c, &source.key, false, now, task))?;
                report.calibrated.extend(calibrated.kept.then_some(calibrated));
            }
            Ok(())
        })
    }

    fn compare(&self, key: &str, other: &str) -> Result<Comparison> {
        let (report, candidate, bodies) = self.store.read(|r| {
            let body = |key: &str| -> Result<Prepared> {
                let row = search::one(r, key)?;
                Ok(Prepared::body(&row.body, &r.skeleton(row.source_id)?))
            };
            Ok((thread(r, key)?, thread(r, other)?, (body(key)?, body(other)?)))
        })?;
        let ours =
            Side { title: &report.title, body: &bodies.0, labels: &report.labels, product: &report.source };
        let theirs = Side {
            title: &candidate.title,
            body: &bodies.1,
            labels: &candidate.labels,
            product: &candidate.source,
        };
        let facts = duplicates::facts(ours, theirs);
        let (report_marks, candidate_marks) =
            duplicates::marks(ours, theirs, &facts, |terms| self.fulltext.idf(terms))?;
        let facts = duplicates::as_written(facts, ours, theirs);
        Ok(Comparison { report, candidate, facts, report_marks, candidate_marks })
    }

    fn rank(&self, request: &RankRequest, task: &Task) -> Result<Vec<RankedDocument>> {
        let meaning = self.meaning()?;
        meaning.warm();
        let (source, skeleton, document) = self.store.read(|r| {
            let source = r.source(&request.source)?;
            let source = source.ok_or_else(|| search::no_source(r, &request.source))?;
            let key = request.number.map(|number| format!("{}#{number}", source.key));
            let document = key.map(|key| r.document_by_key(&key)).transpose()?.flatten();
            let skeleton = r.skeleton(source.id)?;
            Ok((source, skeleton, document))
        })?;
        let only = |test| Filter { test, negated: false };
        let mut within = vec![only(Test::Source(source.key.clone()))];
        if let Some(since) = request.since {
            within.push(only(Test::Time(TimeField::Created, Some(since.as_second()), None)));
        }
        let mode = match request.by {
            Ranking::Lexical => Mode::Lexical,
            Ranking::Semantic => Mode::Semantic,
            Ranking::Hybrid => Mode::Hybrid,
            Ranking::Duplicates => {
                let draft = Draft {
                    title: request.title.clone(),
                    body: Prepared::body(&request.body, &skeleton),
                    made_at: request.made_at,
                    author: document.as_ref().and_then(|d| d.person()),
                    document: document.map(|d| d.id),
                };
                let wanted = request.solved.then(|| only(Test::Resolved)).into_iter().collect();
                let scope = Scope { filters: within, wanted };
                return self.checker(&meaning, |c| {
                    // Not with what the source's duplicates taught, which may have been marked later.
                    let taught = self.store.read(|r| c.unmarked(r, &source))?;
                    let finder = c.knowing(&taught);
                    let matches = finder.find(&draft, &scope, task)?;
                    let mut ranked: Vec<(Match, f32, Vec<f32>)> = match request.solved {
                        true => relevance::judge(&finder, &self.language()?, &draft, matches)?
                            .into_iter()
                            .map(|case| {
                                let helps = if case.in_domain { case.helps } else { 0.0 };
                                (case.scored, helps, case.numbers.to_vec())
                            })
                            .collect(),
                        false => matches
                            .into_iter()
                            .map(|one| {
                                let confidence = one.confidence;
                                (one, confidence, Vec::new())
                            })
                            .collect(),
                    };
                    ranked.truncate(request.limit);
                    let ids: Vec<i64> = ranked.iter().map(|(r, ..)| r.document).collect();
                    let numbers = self.store.read(|r| r.numbers(&ids))?;
                    let all = ranked.iter().zip(numbers);
                    Ok(all
                        .filter_map(|((r, probability, more), number)| {
                            Some(RankedDocument {
                                number: number?,
                                score: r.score,
                                probability: Some(*probability),
                                worth: Some(r.worth),
                                features: evidence(r).into_iter().chain(more.iter().copied()).collect(),
                            })
                        })
                        .collect())
                });
            }
        };
        if request.solved {
            within.push(only(Test::Resolved));
        }
        within.push(only(Test::Time(TimeField::Created, None, Some(request.made_at.as_second()))));
        let query = match request.typed {
            true => Query::typed(&request.title),
            false => Query::pasted(&format!("{}\n{}", request.title, request.body)),
        };
        let query = Query { filters: within, ..query };
        let ranked = self.parts(&meaning, |s| s.rank(&query, mode, request.limit, task))?;
        let ids: Vec<i64> = ranked.iter().map(|(id, _)| *id).collect();
        let numbers = self.store.read(|r| r.numbers(&ids))?;
        Ok(ranked
            .iter()
            .zip(numbers)
            .filter_map(|((_, score), number)| {
                Some(RankedDocument {
                    number: number?,
                    score: *score,
                    probability: None,
                    worth: None,
                    features: vec![],
                })
            })
            .collect())
    }
}

/// What a match's place and confidence come from, as numbers: its features, its share, what was read side by side, and the
/// least and the most that rules leave of its confidence.
fn evidence(one: &Match) -> Vec<f32> {
    let mut all = one.features.0.to_vec();
    all.push(one.share);
    let overlap = one.overlap.clone().unwrap_or_default();
    all.extend(overlap.numbers);
    let (floor, ceiling) = overlap.bounds();
    all.extend([floor, 1.0 - ceiling]);
    all
}
