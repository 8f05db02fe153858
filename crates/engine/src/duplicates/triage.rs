//! The triage queue: open reports with their best undecided candidate.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::check::{self, find_and_record};
use crate::{answer::MatchFinder, search};
use precedent_core::{
    error::{Error, Result},
    model::{
        Band, DuplicateCandidate, DuplicatesRequest, DuplicatesResponse, Notice, TriageItem, TriageRequest,
        TriageResponse,
    },
    task::{Phase, Task},
};

/// The default number of entries.
pub const DEFAULT_LIMIT: usize = 20;
/// The maximum number of entries in one answer.
pub const MAX_LIMIT: usize = precedent_core::model::limits::TRIAGE;
/// The number of a report's candidates examined, because the first may be decided.
const CANDIDATES: usize = 5;

/// The best undecided candidate, and the notices of the check.
type TrainingQuery = (Option<DuplicateCandidate>, Vec<Notice>);

/// Checks new and changed open reports and returns the queue.
///
/// # Errors
/// [`precedent_core::Code::NotFound`] for a source that does not exist,
/// [`precedent_core::Code::Cancelled`] (completed checks are kept); database or index errors.
pub fn triage(
    checker: &MatchFinder<'_>,
    request: &TriageRequest,
    now: Timestamp,
    task: &Task,
) -> Result<TriageResponse> {
    let start = Instant::now();
    let limit = match request.limit {
        0 => DEFAULT_LIMIT,
        n if n <= MAX_LIMIT => n,
        n => {
            return Err(Error::invalid(format!("a queue of {n} is too long; the maximum is {MAX_LIMIT}")));
        }
    };
    let closed = request.include_closed;
    let source = checker.store.read(|r| {
        let named = request.source.as_deref();
        named.map(|s| Ok(r.source(s)?.ok_or_else(|| search::no_source(r, s))?.id)).transpose()
    })?;
    let question = |key: &str| DuplicatesRequest {
        key: Some(key.to_owned()),
        include_closed: closed,
        max_candidates: CANDIDATES,
        ..DuplicatesRequest::default()
    };
    // Computed once, because all checks use the same indexes.
    let reach = check::reach(checker)?;
    let mut unchecked =
        checker.store.read(|r| r.unchecked(source, closed, request.rescan, &reach.coverage))?;
    let unscanned = if request.queue_only { std::mem::take(&mut unchecked).len() as u64 } else { 0 };
    let (done, total) = (AtomicU64::new(0), unchecked.len() as u64);
    // `None` for a report that another process has removed meanwhile.
    let ask = |key: &String| -> Result<Option<TrainingQuery>> {
        task.check()?;
        match find_and_record(&reach, checker, &question(key), None, now, task) {
            Err(error) if error.code() == precedent_core::Code::NotFound => Ok(None),
            found => found.map(|found| Some(undecided(found))),
        }
    };
    // Keep fresh results for the list below. In a large backlog most are in no list and are
    // dropped.
    let floor = request.band.floor();
    let fresh: HashMap<String, TrainingQuery> = unchecked
        .par_iter()
        .map(|key| {
            let asked = ask(key)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            task.report(Phase::Triage, done, Some(total), "reports");
            let kept = asked.filter(|(candidate, _)| {
                candidate.as_ref().is_some_and(|c| c.confidence >= floor || c.band == Band::Related)
            });
            Ok(kept.map(|asked| (key.clone(), asked)))
        })
        .filter_map(Result::transpose)
        .collect::<Result<_>>()?;
    let (waiting, related, left_out) = checker.store.read(|r| {
        let related = match request.band {
            // The one list already contains every report with a candidate.
            Band::Related | Band::None => Vec::new(),
            _ => r.waiting_related(source, closed)?,
        };
        let left_out = if closed { 0 } else { r.closed_issues(source)? };
        Ok((r.waiting(source, closed, floor)?, related, left_out))
    })?;
    let entry = |key: &String| -> Result<Option<(TriageItem, Vec<Notice>)>> {
        let asked = match fresh.get(key) {
            Some(asked) => Some(asked.clone()),
            None => ask(key)?,
        };
        let Some((Some(candidate), notices)) = asked else {
            return Ok(None);
        };
        let row = checker.store.read(|r| r.document_by_key(key))?;
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
    let mut notices: Vec<Notice> = Vec::new();
    // Reports that no longer qualify after a new check are neither listed nor counted.
    let mut list = |keys: &[String], belongs: &(dyn Fn(&DuplicateCandidate) -> bool + Sync)| {
        let first = &keys[..keys.len().min(limit)];
        let entries: Vec<Option<_>> = first.par_iter().map(entry).collect::<Result<_>>()?;
        let items: Vec<TriageItem> = entries
            .into_iter()
            .flatten()
            .filter(|(item, _)| belongs(&item.candidate))
            .map(|(item, told)| {
                // Deduplicate notices: reports of several sources may lack different data.
                let new: Vec<Notice> = told.into_iter().filter(|notice| !notices.contains(notice)).collect();
                notices.extend(new);
                item
            })
            .collect();
        let all = (keys.len() - first.len() + items.len()) as u64;
        Ok::<_, Error>((items, all))
    };
    let (queue, waiting) = list(&waiting, &|c| c.confidence >= floor)?;
    let (worth_reading, related_waiting) = list(&related, &|c| c.band == Band::Related)?;
    Ok(TriageResponse {
        scanned: total,
        unscanned,
        waiting,
        // An empty floating-point sum is -0.0, which must not be displayed.
        expected: queue.iter().map(|item| item.candidate.confidence).sum::<f32>() + 0.0,
        queue,
        related_waiting,
        related: worth_reading,
        closed_left_out: left_out,
        notices,
        conclusive: true,
        took_ms: start.elapsed().as_secs_f64() * 1000.0,
    })
}

fn undecided(found: DuplicatesResponse) -> TrainingQuery {
    (found.candidates.into_iter().find(|c| c.verdict.is_none()), found.notices)
}
