//! The triage queue: open reports with their best candidate that has no verdict.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::check::{DuplicateFinder, STORED_CANDIDATES};
use crate::{answer::MatchFinder, search};
use precedent_core::{
    error::{Error, Result},
    model::{
        Band, DuplicateCandidate, DuplicatesRequest, DuplicatesResponse, Notice, TriageItem,
        TriageRequest, TriageResponse,
    },
    task::{Phase, Task},
};

/// The default number of entries.
const DEFAULT_LIMIT: usize = 20;
/// The maximum number of entries in one answer.
const MAX_LIMIT: usize = precedent_core::model::limits::TRIAGE;
/// The number of reports that are checked together, so that the newest come first.
const BATCH: usize = 64;

/// The best candidate without a verdict, and the notices of the check.
type CheckResult = (Option<DuplicateCandidate>, Vec<Notice>);

/// Checks new and changed open reports, newest first, and returns the queue. Starts no check after
/// `patience`. If cancelled, completed checks are kept.
pub fn triage(
    finder: &MatchFinder<'_>,
    request: &TriageRequest,
    patience: Duration,
    now: Timestamp,
    task: &Task,
) -> Result<TriageResponse> {
    let start = Instant::now();
    let limit = match request.limit {
        0 => DEFAULT_LIMIT,
        n if n <= MAX_LIMIT => n,
        n => {
            return Err(Error::invalid(format!(
                "a queue of {n} is too long; the maximum is {MAX_LIMIT}"
            )));
        }
    };
    let include_closed = request.include_closed;
    let source = finder.store.read(|r| {
        let key = request.source.as_deref();
        key.map(|s| Ok(search::find_source(r, s)?.id)).transpose()
    })?;
    let check_request = |key: &str| DuplicatesRequest {
        key: Some(key.to_owned()),
        include_closed,
        // The first candidates may have a verdict.
        max_candidates: STORED_CANDIDATES,
        ..DuplicatesRequest::default()
    };
    let duplicate_finder = DuplicateFinder::new(finder, now, task)?;
    let coverage = duplicate_finder.coverage;
    let keys = finder
        .store
        .read(|r| r.unchecked_issues(source, include_closed, request.rescan, &coverage))?;
    let is_time_left = || !request.queue_only && start.elapsed() < patience;
    let (progress, total) = (AtomicU64::new(0), keys.len() as u64);
    // `None` for a report that another process has removed in the meantime.
    let check = |key: &String| -> Result<Option<CheckResult>> {
        task.check()?;
        match duplicate_finder.find_and_record(&check_request(key), None) {
            Err(error) if error.code() == precedent_core::Code::NotFound => Ok(None),
            result => result.map(|(response, _)| Some(best_undecided(response))),
        }
    };
    // Keep only results that may be listed below, which are few in a large backlog.
    let floor = request.band.floor();
    let check_new = |key: &String| -> Result<Option<(String, CheckResult)>> {
        if !is_time_left() {
            return Ok(None);
        }
        let result = check(key)?;
        let count = progress.fetch_add(1, Ordering::Relaxed) + 1;
        task.report(Phase::Triage, count, Some(total), "reports");
        let relevant = result.filter(|(candidate, _)| {
            candidate.as_ref().is_some_and(|c| c.confidence >= floor || c.band == Band::Related)
        });
        Ok(relevant.map(|result| (key.clone(), result)))
    };
    let mut new_results: HashMap<String, CheckResult> = HashMap::new();
    for batch in keys.chunks(BATCH) {
        if !is_time_left() {
            break;
        }
        let results: Vec<Option<_>> = batch.par_iter().map(check_new).collect::<Result<_>>()?;
        new_results.extend(results.into_iter().flatten());
    }
    let scanned_count = progress.into_inner();
    let (waiting_keys, related_keys, closed_count) = finder.store.read(|r| {
        let related_keys = match request.band {
            // The queue then contains every report with a candidate.
            Band::Related | Band::None => Vec::new(),
            _ => r.related_issues(source, include_closed)?,
        };
        let closed_count = if include_closed { 0 } else { r.closed_issue_count(source)? };
        Ok((r.undecided_issues(source, include_closed, floor)?, related_keys, closed_count))
    })?;
    let entry = |key: &String| -> Result<Option<(TriageItem, Vec<Notice>)>> {
        let result = match new_results.get(key) {
            Some(result) => Some(result.clone()),
            None => check(key)?,
        };
        let Some((Some(candidate), notices)) = result else {
            return Ok(None);
        };
        let row = finder.store.read(|r| r.document_by_key(key))?;
        Ok(row.map(|row| {
            let item = TriageItem {
                key: row.key,
                title: row.title,
                url: row.url,
                created_at: row.created_at,
                candidate,
            };
            (item, notices)
        }))
    };
    let mut notices = finder.notices(coverage)?;
    // Reports that no longer qualify after a new check are neither listed nor counted.
    let mut load = |keys: &[String], qualifies: &(dyn Fn(&DuplicateCandidate) -> bool + Sync)| {
        let listed_keys = &keys[..keys.len().min(limit)];
        let entries: Vec<Option<_>> = listed_keys.par_iter().map(entry).collect::<Result<_>>()?;
        let items: Vec<TriageItem> = entries
            .into_iter()
            .flatten()
            .filter(|(item, _)| qualifies(&item.candidate))
            .map(|(item, item_notices)| {
                // Deduplicate notices: reports from several sources may lack different data.
                let new_notices: Vec<Notice> =
                    item_notices.into_iter().filter(|notice| !notices.contains(notice)).collect();
                notices.extend(new_notices);
                item
            })
            .collect();
        let count = (keys.len() - listed_keys.len() + items.len()) as u64;
        Ok::<_, Error>((items, count))
    };
    let (queue, waiting_count) = load(&waiting_keys, &|c| c.confidence >= floor)?;
    let (related, related_waiting) = load(&related_keys, &|c| c.band == Band::Related)?;
    Ok(TriageResponse {
        scanned: scanned_count,
        unscanned: total - scanned_count,
        waiting: waiting_count,
        // An empty floating-point sum is -0.0, which must not be displayed.
        expected: queue.iter().map(|item| item.candidate.confidence).sum::<f32>() + 0.0,
        queue,
        related_waiting,
        related,
        closed_left_out: closed_count,
        notices,
        conclusive: true,
        took_ms: start.elapsed().as_secs_f64() * 1000.0,
    })
}

fn best_undecided(response: DuplicatesResponse) -> CheckResult {
    (response.candidates.into_iter().find(|c| c.verdict.is_none()), response.notices)
}

#[cfg(test)]
mod tests {
    use precedent_core::model::NoticeKind;
    use precedent_index::embed::Engine;

    use super::*;
    use crate::{Casebook, OpenOptions};

    #[tokio::test]
    async fn checks_that_show_less_are_not_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let options = OpenOptions { engine: Some(Engine::Off), ..OpenOptions::new(folder.path()) };
        let (casebook, task) = (Casebook::open(options).await.unwrap(), Task::new());
        casebook.import_sample(&task).await.unwrap();
        let key = "ferrywire/ferrywire#124";
        let request = DuplicatesRequest { key: Some(key.into()), ..DuplicatesRequest::default() };
        for (request, is_recorded) in [
            (DuplicatesRequest { threshold: 1.0, ..request.clone() }, false),
            (DuplicatesRequest { max_candidates: 1, ..request.clone() }, false),
            (request, true),
        ] {
            casebook.duplicates(request, &task).await.unwrap();
            assert_eq!(casebook.last_check(key).await.unwrap().is_some(), is_recorded);
        }
        // An empty queue also says that vectors are missing.
        let request = TriageRequest { queue_only: true, band: Band::High, ..Default::default() };
        let response = casebook.triage(request, &task).await.unwrap();
        assert!(response.queue.is_empty() && !response.conclusive, "{response:?}");
        assert!(response.notices.iter().any(|n| n.lack == NoticeKind::Model), "{response:?}");
    }
}
