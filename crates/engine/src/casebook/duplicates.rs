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

/// A duplicate search that either records its check or does not.
type Looked = fn(&MatchFinder<'_>, &DuplicatesRequest, Timestamp, &Task) -> Result<DuplicatesResponse>;

impl Casebook {
    /// Finds earlier reports of the same problem. For an item of the casebook, records the check.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] for an empty query or a value out of range, [`Code::NotFound`] for an
    /// item or a source that does not exist.
    pub async fn duplicates(&self, request: DuplicatesRequest, task: &Task) -> Result<DuplicatesResponse> {
        self.checked(duplicates::check, request, task).await
    }

    /// Finds earlier reports like [`Casebook::duplicates`] without recording the check, for
    /// read-only callers.
    ///
    /// # Errors
    /// Same as [`Casebook::duplicates`].
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
            let stale = i.refresh_index(Effort::Alone, &task)?;
            let now = (i.clock)();
            let mut response =
                i.with_session(|meaning| i.checker(meaning, |c| check(c, &request, now, &task)))?;
            response.notices.extend(stale);
            response.conclusive = Notice::is_conclusive(&response.notices);
            Ok(response)
        })
        .await
    }

    /// Checks new and changed open reports, and returns those that wait for a decision, highest
    /// confidence first. After a cancellation or crash, continues where it stopped.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a source that does not exist, [`Code::Cancelled`]; database or index
    /// errors.
    pub async fn triage(&self, request: TriageRequest, task: &Task) -> Result<TriageResponse> {
        let task = task.clone();
        self.run(move |i| {
            let stale = i.refresh_index(Effort::Alone, &task)?;
            let now = (i.clock)();
            let mut response = i.with_session(|meaning| {
                i.checker(meaning, |c| duplicates::triage(c, &request, now, &task))
            })?;
            response.notices.extend(stale);
            response.conclusive = Notice::is_conclusive(&response.notices);
            Ok(response)
        })
        .await
    }

    /// Returns the backlog's clusters: groups of reports that are known duplicates, or likely ones
    /// by their last checks. Runs no checks itself; see [`Casebook::triage`].
    ///
    /// # Errors
    /// [`Code::NotFound`] for a source that does not exist, [`Code::InvalidInput`] for a value out
    /// of range.
    pub async fn clusters(&self, request: ClustersRequest) -> Result<ClustersResponse> {
        self.run(move |i| duplicates::clusters(&i.store, &i.fulltext, &request, (i.clock)())).await
    }

    /// Calibrates the duplicate confidence of a source by its known duplicates, and stores the
    /// result unless `dry`. With too few known duplicates, the built-in calibration stays and the
    /// report says so.
    ///
    /// # Errors
    /// [`Code::NotFound`] for a source that does not exist, [`Code::Cancelled`]; database or index
    /// errors.
    pub async fn calibrate(&self, source: &str, dry: bool, task: &Task) -> Result<CalibrationReport> {
        let (source, task) = (source.to_owned(), task.clone());
        self.run(move |i| {
            i.refresh_index(Effort::Alone, &task)?;
            let meaning = i.embedding_session()?;
            meaning.preload();
            let now = (i.clock)();
            i.checker(&meaning, |c| answer::calibrate(c, &source, dry, now, &task))
        })
        .await
    }

    /// Compares two reports: names in both, names in only one, and the ranges to highlight.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such document; database or index errors.
    pub async fn compare(&self, key: &str, other: &str) -> Result<Comparison> {
        let (key, other) = (key.to_owned(), other.to_owned());
        self.run(move |i| i.compare(&key, &other)).await
    }

    /// Returns the last duplicate check of a document, or `None` if it was never checked.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such document.
    pub async fn last_check(&self, key: &str) -> Result<Option<Check>> {
        let key = key.trim().to_owned();
        self.run(move |i| i.store.read(|r| r.check(&search::one(r, &key)?.key))).await
    }

    /// Records a person's verdict on a pair. For a duplicate, `other` is the canonical report.
    /// Replaces an earlier verdict on the pair, and survives every sync, index and model.
    ///
    /// # Errors
    /// [`Code::NotFound`] if one of them does not exist, [`Code::InvalidInput`] if they are the
    /// same.
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

    /// Undoes the last verdict on a pair, which restores the previous one. Returns the verdict now
    /// in effect.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no verdict on the pair.
    pub async fn undo_verdict(&self, key: &str, other: &str, actor: &str) -> Result<Option<Verdict>> {
        let (key, other, actor) = (key.trim().to_owned(), other.trim().to_owned(), actor.to_owned());
        self.run(move |i| {
            let now = (i.clock)();
            i.store.write_durably(|w| duplicates::undo(w, &key, &other, &actor, now))
        })
        .await
    }

    /// Returns people's verdicts, latest first, about one document or all.
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

    /// Ranks the documents of a source against a report as of its creation time, without loading
    /// them. Used by the evaluation.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such source; database or index errors.
    pub async fn rank(&self, request: RankRequest, task: &Task) -> Result<Vec<RankedDocument>> {
        let task = task.clone();
        self.run(move |i| i.rank(&request, &task)).await
    }

    /// Returns the model that [`Casebook::rank`] uses in a source: before its baseline, and without
    /// its calibration.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no such source; database errors.
    pub async fn table_of(&self, source: &str) -> Result<answer::RankingModel> {
        let source = source.to_owned();
        self.run(move |i| {
            let meaning = i.embedding_session()?;
            i.checker(&meaning, |c| {
                i.store.read(|r| {
                    let row = r.source(&source)?.ok_or_else(|| search::no_source(r, &source))?;
                    Ok(c.with_calibration(&c.uncalibrated(r, &row)?).table.clone())
                })
            })
        })
        .await
    }
}

impl Inner {
    /// Discards checks made without vectors or with other weights, and recalibrates sources with
    /// new known duplicates. Runs only once all vectors exist, because a curve fitted on partial
    /// evidence would not hold for the rest. Leaves as many cores free as embedding does.
    pub(super) fn calibrate_due(&self, task: &Task, report: &mut IndexReport) -> Result<()> {
        if report.busy_elsewhere || report.model_problem.is_some() {
            return Ok(());
        }
        let meaning = self.embedding_session()?;
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
                threads.install(|| answer::estimate_baseline(c, &source, &basis, now, task))?;
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
                apart(task, move || warmed.preload())?;
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
        let meaning = self.embedding_session()?;
        meaning.preload();
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
                    // Exclude the source's own calibration: its duplicates may have been marked
                    // later.
                    let taught = self.store.read(|r| c.uncalibrated(r, &source))?;
                    let finder = c.with_calibration(&taught);
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

/// Returns the numbers behind a match's rank and confidence: its features, its share, its text
/// overlap, and the confidence floor and ceiling set by rules.
fn evidence(one: &Match) -> Vec<f32> {
    let mut all = one.features.0.to_vec();
    all.push(one.share);
    let overlap = one.overlap.clone().unwrap_or_default();
    all.extend(overlap.numbers);
    let (floor, ceiling) = overlap.bounds();
    all.extend([floor, 1.0 - ceiling]);
    all
}
