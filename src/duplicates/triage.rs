//! The triage queue: open reports with the best candidate that nobody has decided about.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    Checker,
    check::{self, check},
};
use crate::{
    error::{Error, Result},
    model::{Band, DuplicatesRequest, Notice, TriageItem, TriageRequest, TriageResponse},
    search,
    store::Store,
    task::{Phase, Task},
};

/// Entries of a queue that does not say how many it wants.
pub const DEFAULT_LIMIT: usize = 20;
/// The most entries of one answer.
pub const MAX_LIMIT: usize = crate::model::limits::TRIAGE;
/// How many candidates of a report are looked at: the first may have been decided about.
const CANDIDATES: usize = 5;

/// Checks the open reports that are new or changed and returns the queue.
///
/// # Errors
/// [`crate::Code::NotFound`] for a source that does not exist, [`crate::Code::Cancelled`] (what was checked stays
/// checked), and those of the database and the index.
pub fn triage(
    store: &Store,
    checker: &Checker<'_>,
    problem: Option<&Error>,
    request: &TriageRequest,
    now: Timestamp,
    task: &Task,
) -> Result<TriageResponse> {
    let start = Instant::now();
    let limit = match request.limit {
        0 => DEFAULT_LIMIT,
        n if n <= MAX_LIMIT => n,
        n => {
            return Err(Error::invalid(format!("a queue of {n} is too long; the most is {MAX_LIMIT}")));
        }
    };
    let closed = request.include_closed;
    let source = store.read(|r| {
        let named = request.source.as_deref();
        named.map(|s| Ok(r.source(s)?.ok_or_else(|| search::no_source(r, s))?.id)).transpose()
    })?;
    let question = |key: &str| DuplicatesRequest {
        key: Some(key.to_owned()),
        include_closed: closed,
        max_candidates: CANDIDATES,
        ..DuplicatesRequest::default()
    };
    let (coverage, _) = check::reach(store, checker)?;
    let mut unchecked = store.read(|r| r.unchecked(source, closed, request.rescan, &coverage))?;
    let unscanned = if request.queue_only { std::mem::take(&mut unchecked).len() as u64 } else { 0 };
    let (done, total) = (AtomicU64::new(0), unchecked.len() as u64);
    unchecked.par_iter().try_for_each(|key| {
        task.check()?;
        match check(store, checker, problem, &question(key), now, task) {
            Ok(_) => {}
            // Another process may have removed it meanwhile.
            Err(error) if error.code() == crate::Code::NotFound => {}
            Err(error) => return Err(error),
        }
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        task.report(Phase::Triage, done, Some(total), "reports");
        Ok(())
    })?;
    let floor = match request.band {
        Band::High => 0.9,
        Band::Review => 0.5,
        Band::None => 0.0,
    };
    let waiting = store.read(|r| r.waiting(source, closed, floor))?;
    let mut response = TriageResponse {
        scanned: total,
        unscanned,
        waiting: waiting.len() as u64,
        queue: Vec::new(),
        notices: Vec::new(),
        took_ms: 0.0,
    };
    let first = &waiting[..waiting.len().min(limit)];
    let entries: Vec<Option<(TriageItem, Vec<Notice>)>> = first
        .par_iter()
        .map(|key| {
            task.check()?;
            let found = match check(store, checker, problem, &question(key), now, task) {
                // Another process may have removed it meanwhile.
                Err(error) if error.code() == crate::Code::NotFound => return Ok(None),
                found => found?,
            };
            let Some(candidate) = found.candidates.into_iter().find(|c| c.verdict.is_none()) else {
                return Ok(None);
            };
            let row = store.read(|r| r.document_by_key(key))?;
            Ok(row.map(|row| {
                let item = TriageItem {
                    key: row.key,
                    title: row.title,
                    url: row.url,
                    created_at: row.created_at,
                    candidate,
                };
                (item, found.notices)
            }))
        })
        .collect::<Result<_>>()?;
    for (item, notices) in entries.into_iter().flatten() {
        // Each once: reports of several sources may lack different things.
        let new = |notice: &Notice| !response.notices.contains(notice);
        let new: Vec<Notice> = notices.into_iter().filter(new).collect();
        response.notices.extend(new);
        response.queue.push(item);
    }
    response.took_ms = start.elapsed().as_secs_f64() * 1000.0;
    Ok(response)
}
