//! Duplicates: checks, the triage queue, decisions, calibration.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;

use super::{Casebook, Inner, thread::thread};
use crate::{
    answer::{self, Draft, Match, MatchFinder, Scope, relevance},
    duplicates::{self, DuplicateFinder},
    search::{self, query::Query},
};
use precedent_core::{
    error::{Code, Error, Result},
    model::{
        CalibrationReport, Check, Comparison, DuplicatesRequest, DuplicatesResponse, IndexReport,
        Mode, Notice, RankRequest, RankedDocument, Ranking, Replay, TriageRequest, TriageResponse,
        Verdict, VerdictKind,
    },
    task::{Task, run_detached},
};
use precedent_index::{
    filter::{Filter, Test, TimeField},
    update::Effort,
};
use precedent_text::prepare::PreparedText;

impl Casebook {
    /// Finds earlier reports of the same problem. For an item of the casebook, records the check.
    pub async fn duplicates(
        &self,
        request: DuplicatesRequest,
        task: &Task,
    ) -> Result<DuplicatesResponse> {
        self.run_check(request, true, task).await
    }

    /// Finds earlier reports like [`Casebook::duplicates`], without recording the check.
    pub async fn find_duplicates(
        &self,
        request: DuplicatesRequest,
        task: &Task,
    ) -> Result<DuplicatesResponse> {
        self.run_check(request, false, task).await
    }

    async fn run_check(
        &self,
        request: DuplicatesRequest,
        is_recorded: bool,
        task: &Task,
    ) -> Result<DuplicatesResponse> {
        let task = task.clone();
        self.run(move |i| {
            let stale_notice = i.refresh_index(Effort::UnlessBusy, &task)?;
            let now = (i.clock)();
            let mut response = i.with_session(|session| {
                i.with_finder(session, |c| {
                    let finder = DuplicateFinder::new(c, now, &task)?;
                    if is_recorded { finder.check(&request) } else { finder.find(&request) }
                })
            })?;
            response.notices.extend(stale_notice);
            response.conclusive = Notice::is_conclusive(&response.notices);
            Ok(response)
        })
        .await
    }

    /// Checks new and changed open reports, newest first, and returns those without a verdict,
    /// highest confidence first. After a cancellation or crash, continues where it stopped.
    pub async fn triage(&self, request: TriageRequest, task: &Task) -> Result<TriageResponse> {
        self.triage_within(request, Duration::MAX, task).await
    }

    /// Checks reports like [`Casebook::triage`], but starts no check after `patience`. The response
    /// contains the number of unchecked reports.
    pub async fn triage_within(
        &self,
        request: TriageRequest,
        patience: Duration,
        task: &Task,
    ) -> Result<TriageResponse> {
        let task = task.clone();
        self.run(move |i| {
            let stale_notice = i.refresh_index(Effort::UnlessBusy, &task)?;
            let now = (i.clock)();
            let mut response = i.with_session(|session| {
                i.with_finder(session, |c| duplicates::triage(c, &request, patience, now, &task))
            })?;
            response.notices.extend(stale_notice);
            response.conclusive = Notice::is_conclusive(&response.notices);
            Ok(response)
        })
        .await
    }

    /// Calibrates a source's duplicate confidence from its known duplicates, and stores the result
    /// unless `dry_run`. With too few known duplicates, the built-in calibration is kept, and the
    /// report says so.
    pub async fn calibrate(
        &self,
        source: &str,
        dry_run: bool,
        task: &Task,
    ) -> Result<CalibrationReport> {
        let source = source.to_owned();
        self.check_source(task, move |finder, now, task| {
            answer::calibrate(finder, &source, dry_run, now, task)
        })
        .await
    }

    /// Checks the reports of a source's last `months` again as they were filed, and counts the
    /// correct answers by confidence.
    pub async fn replay(&self, source: &str, months: u32, task: &Task) -> Result<Replay> {
        let source = source.to_owned();
        self.check_source(task, move |finder, now, task| {
            answer::replay(finder, &source, months, now, task)
        })
        .await
    }

    /// Runs `check` on an index that contains every change.
    async fn check_source<T: Send + 'static>(
        &self,
        task: &Task,
        check: impl FnOnce(&MatchFinder<'_>, Timestamp, &Task) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let task = task.clone();
        self.run(move |i| {
            i.refresh_index(Effort::UnlessBusy, &task)?;
            let session = i.embedding_session()?;
            session.preload();
            let now = (i.clock)();
            i.with_finder(&session, |finder| check(finder, now, &task))
        })
        .await
    }

    /// Compares two reports: their shared and differing facts, and the words to highlight.
    pub async fn compare(&self, key: &str, other_key: &str) -> Result<Comparison> {
        let (key, other_key) = (key.to_owned(), other_key.to_owned());
        self.run(move |i| {
            let (report, candidate) = i.store.read(|r| {
                let load = |key: &str| -> Result<_> {
                    let row = search::resolve_one(r, key)?;
                    let body = PreparedText::body(&row.body, &r.skeleton(row.source_id)?);
                    Ok((thread(r, key)?, body))
                };
                Ok((load(&key)?, load(&other_key)?))
            })?;
            duplicates::compare(report, candidate, |terms| i.fulltext.idf(terms))
        })
        .await
    }

    /// Returns the last duplicate check of a document, or `None` if it was never checked.
    pub async fn last_check(&self, key: &str) -> Result<Option<Check>> {
        let key = key.trim().to_owned();
        self.run(move |i| i.store.read(|r| r.check(&search::resolve_one(r, &key)?.key))).await
    }

    /// Records a user's verdict on a pair. For a duplicate, `other_key` is the canonical report. It
    /// replaces an earlier verdict on the pair, and survives syncs, rebuilds and model changes.
    pub async fn record_verdict(
        &self,
        key: &str,
        other_key: &str,
        kind: VerdictKind,
        reason: Option<&str>,
        actor: &str,
    ) -> Result<Verdict> {
        let (key, other_key) = (key.trim().to_owned(), other_key.trim().to_owned());
        let (reason, actor) = (reason.map(str::to_owned), actor.to_owned());
        self.run(move |i| {
            let now = (i.clock)();
            i.store.write_durably(|w| {
                duplicates::record(w, (&key, &other_key), kind, reason, actor, now)
            })
        })
        .await
    }

    /// Undoes the last verdict on a pair, which restores the previous one. Returns the verdict now
    /// in effect.
    pub async fn undo_verdict(
        &self,
        key: &str,
        other_key: &str,
        actor: &str,
    ) -> Result<Option<Verdict>> {
        let (key, other_key, actor) =
            (key.trim().to_owned(), other_key.trim().to_owned(), actor.to_owned());
        self.run(move |i| {
            let now = (i.clock)();
            i.store.write_durably(|w| duplicates::undo(w, &key, &other_key, &actor, now))
        })
        .await
    }

    /// Returns the verdicts on one document or all, latest first.
    pub async fn verdicts(&self, key: Option<&str>) -> Result<Vec<Verdict>> {
        let key = key.map(|k| k.trim().to_owned());
        self.run(move |i| {
            i.store.read(|r| {
                let key = key.map(|k| search::resolve_one(r, &k)).transpose()?.map(|d| d.key);
                r.verdicts(key.as_deref())
            })
        })
        .await
    }

    /// Ranks the documents of a source against a report as of its creation time, without loading
    /// them. Used by the evaluation.
    pub async fn rank(&self, request: RankRequest, task: &Task) -> Result<Vec<RankedDocument>> {
        let task = task.clone();
        self.run(move |i| i.rank(&request, &task)).await
    }

    /// Returns the model that [`Casebook::rank`] uses in a source: with its baseline, without its
    /// calibration.
    pub async fn ranking_model(&self, source: &str) -> Result<answer::RankingModel> {
        let source = source.to_owned();
        self.run(move |i| {
            let session = i.embedding_session()?;
            i.with_finder(&session, |c| {
                i.store.read(|r| {
                    let row = search::find_source(r, &source)?;
                    Ok(c.with_calibration(&c.baseline_calibration(r, &row)?).model.clone())
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
        let session = self.embedding_session()?;
        let Ok(vectors) = session.vectors() else { return Ok(()) };
        let extent = vectors.extent()?;
        if extent.embedded_chunks < extent.chunks {
            return Ok(());
        }
        let basis = self.ranking_model.basis(vectors.fingerprint());
        let (now, threads) =
            ((self.clock)(), rayon::ThreadPoolBuilder::new().num_threads(self.workers).build());
        let threads = threads.map_err(|e| Error::new(Code::Internal, e.to_string()))?;
        self.with_finder(&session, |c| {
            for source in self.store.read(|r| r.sources())? {
                threads.install(|| answer::estimate_baseline(c, &source, &basis, now, task))?;
            }
            Ok(())
        })?;
        if !self.index_comments {
            return Ok(());
        }
        if self.store.read(|r| r.check_basis())?.as_ref() != Some(&basis) {
            self.store.write(|w| w.reset_checks(&basis))?;
        }
        self.with_finder(&session, |c| {
            for source in self.store.read(|r| r.sources())? {
                if !answer::is_due(c, &source)? {
                    continue;
                }
                let preload_session = Arc::clone(&session);
                run_detached(task, move || preload_session.preload())?;
                let calibration =
                    threads.install(|| answer::calibrate(c, &source.key, false, now, task))?;
                report.calibrated.extend(calibration.kept.then_some(calibration));
            }
            Ok(())
        })
    }

    fn rank(&self, request: &RankRequest, task: &Task) -> Result<Vec<RankedDocument>> {
        let session = self.embedding_session()?;
        session.preload();
        let (source, skeleton, document) = self.store.read(|r| {
            let source = search::find_source(r, &request.source)?;
            let key = request.number.map(|number| format!("{}#{number}", source.key));
            let document = key.map(|key| r.document_by_key(&key)).transpose()?.flatten();
            let skeleton = r.skeleton(source.id)?;
            Ok((source, skeleton, document))
        })?;
        let mut filters: Vec<Filter> = vec![Test::Source(source.key.clone()).into()];
        if let Some(since) = request.since {
            filters.push(Test::Time(TimeField::Created, Some(since.as_second()), None).into());
        }
        let mode = match request.by {
            Ranking::Lexical => Mode::Lexical,
            Ranking::Semantic => Mode::Semantic,
            Ranking::Hybrid => Mode::Hybrid,
            Ranking::Duplicates => {
                let draft = Draft {
                    title: request.title.clone(),
                    body: PreparedText::body(&request.body, &skeleton),
                    made_at: request.made_at,
                    until: request.made_at,
                    author: document.as_ref().and_then(|d| d.person()),
                    document: document.map(|d| d.id),
                };
                let view_filters =
                    request.only_solved.then(|| Test::Resolved.into()).into_iter().collect();
                let scope = Scope { filters, view_filters };
                let ranking = self.with_finder(&session, |c| {
                    // Exclude the source's own calibration: its duplicates may have been marked
                    // later.
                    let calibration = self.store.read(|r| c.baseline_calibration(r, &source))?;
                    let finder = c.with_calibration(&calibration);
                    let matches = finder.find(&draft, &scope, task)?;
                    if !request.only_solved {
                        return Ok(matches
                            .iter()
                            .map(|m| ranked_document(m, m.confidence, &[]))
                            .collect());
                    }
                    let domain = self.domain_model()?;
                    let cases = relevance::estimate_relevance(&finder, &domain, &draft, matches)?;
                    let cases = cases.iter().map(|case| {
                        let relevance = if case.in_domain { case.relevance } else { 0.0 };
                        ranked_document(&case.candidate, relevance, &case.numbers)
                    });
                    Ok(cases.collect())
                })?;
                return self.with_numbers(ranking, request.limit);
            }
        };
        if request.only_solved {
            filters.push(Test::Resolved.into());
        }
        let made_before = Some(request.made_at.as_second());
        filters.push(Test::Time(TimeField::Created, None, made_before).into());
        let query = match request.is_typed_query {
            true => Query::from_typed(&request.title),
            false => Query::from_pasted(&format!("{}\n{}", request.title, request.body)),
        };
        let query = Query { filters, ..query };
        let ranking = self.with_context(&session, |s| s.rank(&query, mode, request.limit, task))?;
        let ranking = ranking.into_iter().map(|(id, score)| {
            let features = Vec::new();
            (id, RankedDocument { number: 0, score, probability: None, worth: None, features })
        });
        self.with_numbers(ranking.collect(), request.limit)
    }

    /// Returns the first documents of a ranking, with their numbers.
    fn with_numbers(
        &self,
        mut ranking: Vec<(i64, RankedDocument)>,
        limit: usize,
    ) -> Result<Vec<RankedDocument>> {
        ranking.truncate(limit);
        let ids: Vec<i64> = ranking.iter().map(|(id, _)| *id).collect();
        let numbers = self.store.read(|r| r.numbers(&ids))?;
        let with_number = |((_, document), number): ((i64, RankedDocument), Option<u64>)| {
            Some(RankedDocument { number: number?, ..document })
        };
        Ok(ranking.into_iter().zip(numbers).filter_map(with_number).collect())
    }
}

/// Returns a match with the numbers behind its rank and its probability: its features, its share,
/// its text overlap, the confidence floor and ceiling set by rules, and `more_numbers`.
fn ranked_document(
    candidate: &Match,
    probability: f32,
    more_numbers: &[f32],
) -> (i64, RankedDocument) {
    let mut features = candidate.features.0.to_vec();
    features.push(candidate.share);
    let overlap = candidate.overlap.clone().unwrap_or_default();
    features.extend(overlap.numbers);
    let (floor, ceiling) = overlap.bounds(false);
    features.extend([floor, 1.0 - ceiling]);
    features.extend(more_numbers);
    let (score, probability, worth) = (candidate.score, Some(probability), Some(candidate.worth));
    (candidate.document, RankedDocument { number: 0, score, probability, worth, features })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::casebook::tests::{issue, open_with};

    #[tokio::test]
    async fn omitted_closed_report_is_not_counted() {
        let body = "Chunk 7 was refused by the proxy.";
        let closed = json!({"state": "closed", "closed_at": "2026-01-08T00:00:00Z"});
        let records =
            [issue(1, "Chunk refused", body, closed), issue(2, "Refused chunk", body, json!({}))];
        let (_folder, casebook) = open_with(&records).await;
        for (include_closed, count) in [(true, 2), (false, 1)] {
            let request = DuplicatesRequest {
                body: body.to_owned(),
                include_closed,
                ..DuplicatesRequest::default()
            };
            let response = casebook.find_duplicates(request, &Task::new()).await.unwrap();
            assert_eq!(response.compared, count);
        }
    }
}
