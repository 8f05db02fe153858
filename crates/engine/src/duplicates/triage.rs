//! The triage queue: open reports with the best candidate that nobody has decided about.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::check::{self, check_within};
use crate::{answer::MatchFinder, search};
use precedent_core::{
    error::{Error, Result},
    model::{
        Band, DuplicateCandidate, DuplicatesRequest, DuplicatesResponse, Notice, TriageItem, TriageRequest,
        TriageResponse,
    },
    task::{Phase, Task},
};

/// Entries of a queue that does not say how many it wants.
pub const DEFAULT_LIMIT: usize = 20;
/// The most entries of one answer.
pub const MAX_LIMIT: usize = precedent_core::model::limits::TRIAGE;
/// How many candidates of a report are looked at: the first may have been decided about.
const CANDIDATES: usize = 5;

/// The best candidate that nobody has decided about, and what is to be told of the check.
type TrainingQuery = (Option<DuplicateCandidate>, Vec<Notice>);

/// Checks the open reports that are new or changed and returns the queue.
///
/// # Errors
/// [`precedent_core::Code::NotFound`] for a source that does not exist, [`precedent_core::Code::Cancelled`] (what was checked stays
/// checked), and those of the database and the index.
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
    // Once for all of them: they see the same indexes.
    let reach = check::reach(checker)?;
    let mut unchecked =
        checker.store.read(|r| r.unchecked(source, closed, request.rescan, &reach.coverage))?;
    let unscanned = if request.queue_only { std::mem::take(&mut unchecked).len() as u64 } else { 0 };
    let (done, total) = (AtomicU64::new(0), unchecked.len() as u64);
    // None for what another process has removed meanwhile.
    let ask = |key: &String| -> Result<Option<TrainingQuery>> {
        task.check()?;
        match check_within(&reach, checker, &question(key), None, now, task) {
            Err(error) if error.code() == precedent_core::Code::NotFound => Ok(None),
            found => found.map(|found| Some(undecided(found))),
        }
    };
    // What was asked just now is not asked again for the list. Of a large backlog most is in none, and is not kept.
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
            // Everything that has a candidate is in the one list already.
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
    // The entries, and how many there are beyond them. What was asked again and no longer belongs here is neither shown nor counted.
    let mut list = |keys: &[String], belongs: &(dyn Fn(&DuplicateCandidate) -> bool + Sync)| {
        let first = &keys[..keys.len().min(limit)];
        let entries: Vec<Option<_>> = first.par_iter().map(entry).collect::<Result<_>>()?;
        let items: Vec<TriageItem> = entries
            .into_iter()
            .flatten()
            .filter(|(item, _)| belongs(&item.candidate))
            .map(|(item, told)| {
                // Each once: reports of several sources may lack different things.
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
        // The sum of nothing is -0.0, which nobody expects to read.
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
