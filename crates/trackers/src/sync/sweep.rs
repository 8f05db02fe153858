//! Detects removed records. Lists of changes do not report deletions or transfers, so stored
//! records are compared periodically with the listed ones, and missing ones are requested.

use std::collections::HashSet;

use jiff::SignedDuration;

use super::{
    clock, removal,
    run::{PageEvents, Run},
};
use crate::tracker::{FetchError, Lookup, Stream, Tracker, repetition::RepeatGuard};
use precedent_core::{
    error::{Code, Error, Result},
    model::Record,
    task::Phase,
};

const INTERVAL: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The maximum number of items or comments that one sweep requests; the next sweep continues.
const MAX_CHECKS: usize = 1_000;

/// Looks for removed records if a sweep is due, or if all lists were just read completely.
pub(super) async fn run(
    run: &mut Run<'_>,
    tracker: &mut dyn Tracker,
    is_complete: bool,
) -> Result<()> {
    // Lists of pages show removals themselves.
    if !tracker.streams().contains(&Stream::Items) {
        return Ok(());
    }
    let source = run.source.id;
    let now = (run.context.clock)();
    let remote = run.context.read(move |r| r.remote(source)).await?;
    let swept_at = remote.and_then(|remote| remote.swept_at);
    // A source that was imported long ago is due at once; a new one is not.
    let last_sweep = swept_at.unwrap_or(run.source.added_at);
    let is_due = now.duration_since(last_sweep) >= INTERVAL || clock::is_ahead(last_sweep, now);
    let unchecked_count = if is_complete {
        // A complete pass listed everything; other stored records may be gone.
        let items = run.context.read(move |r| r.item_numbers(source, false)).await?;
        let comments = run.context.read(move |r| r.comment_ids(source)).await?;
        let items: Vec<u64> =
            items.into_iter().filter(|n| !run.seen_records.items.contains(n)).collect();
        let comments: Vec<(String, u64)> = comments
            .into_iter()
            .filter(|(id, _)| !run.seen_records.comments.contains(id))
            .collect();
        let unchecked_count = check_items(run, tracker, items).await?;
        unchecked_count + check_comments(run, tracker, comments).await?
    } else if is_due || run.full {
        let Some(open_numbers) = list_open_items(run, tracker).await? else { return Ok(()) };
        let stored_open_numbers = run.context.read(move |r| r.item_numbers(source, true)).await?;
        let all_numbers = run.context.read(move |r| r.item_numbers(source, false)).await?;
        let mut items: Vec<u64> =
            stored_open_numbers.into_iter().filter(|n| !open_numbers.contains(n)).collect();
        // An earlier list may have shifted while it was read, or lacked access to these items.
        let stored_numbers: HashSet<u64> = all_numbers.into_iter().collect();
        items.extend(open_numbers.into_iter().filter(|n| !stored_numbers.contains(n)));
        check_items(run, tracker, items).await?
    } else {
        return Ok(());
    };
    if unchecked_count > 0 || run.incomplete_reason.is_some() {
        return Ok(());
    }
    run.context.write(move |w| w.record_sweep(source, now)).await
}

/// Lists the open items and stores their records; returns their numbers, or `None` if the list is
/// incomplete.
async fn list_open_items(run: &mut Run<'_>, tracker: &dyn Tracker) -> Result<Option<HashSet<u64>>> {
    let mut numbers = HashSet::new();
    let lists = tracker.streams().iter();
    for stream in lists.filter(|list| matches!(list, Stream::Items | Stream::Discussions)) {
        let mut cursors = HashSet::new();
        let mut guard = RepeatGuard::default();
        let mut next_page = Some(tracker.open_items(*stream));
        while let Some(cursor) = next_page {
            if !cursors.insert(cursor.0.clone()) {
                return Err(Error::new(
                    Code::Network,
                    "the tracker's list of open items repeats itself",
                ));
            }
            next_page = match tracker.page(*stream, &cursor, None).await {
                Ok(page) => {
                    guard.add_page(&page).map_err(|repetition| repetition.error("open items"))?;
                    run.report.pages += 1;
                    numbers.extend(page.listed_numbers);
                    let records: Vec<Record> = page.records.into_iter().flatten().collect();
                    numbers.extend(records.iter().filter_map(|r| match r {
                        Record::Document(d) => d.number,
                        Record::Comment(_) => None,
                    }));
                    run.store(records, PageEvents::default(), None).await?;
                    run.context.task().report(Phase::Sync, numbers.len() as u64, None, "records");
                    page.next
                }
                Err(FetchError::Smaller(smaller)) => Some(smaller),
                Err(FetchError::Failed(error)) => return Err(error),
                Err(_) => return Ok(None),
            };
        }
    }
    Ok(Some(numbers))
}

/// Requests items and hides those that are gone; returns how many remain for the next sweep.
async fn check_items(
    run: &mut Run<'_>,
    tracker: &mut dyn Tracker,
    numbers: Vec<u64>,
) -> Result<usize> {
    let remaining_count = numbers.len().saturating_sub(MAX_CHECKS);
    let mut removals: Vec<(String, Option<String>)> = Vec::new();
    let source = run.source.id;
    let total = run.context.read(move |r| r.item_numbers(source, false)).await?.len();
    for number in numbers.into_iter().take(MAX_CHECKS) {
        run.context.task().check()?;
        if run.hidden_count + removals.len() > run.allowance.limit(total + run.hidden_count) {
            break;
        }
        let lookup = tracker.item(number).await?;
        if let Some(target) = apply_lookup(run, lookup).await? {
            removals.push((format!("{}#{number}", run.source.key), target));
        }
    }
    if removals.is_empty() {
        return Ok(remaining_count);
    }
    let hidden_count = run.hidden_count + removals.len();
    if hidden_count > run.allowance.limit(total + run.hidden_count) {
        run.reject_removal(hidden_count, total + run.hidden_count, "items");
        return Ok(remaining_count);
    }
    // If access to the project was lost, all its items look removed.
    tracker.probe().await?;
    let links: Vec<(String, String)> =
        removals.iter().filter_map(|(key, target)| Some((key.clone(), target.clone()?))).collect();
    let changes = run.context.write(move |w| {
        links.iter().try_for_each(|(key, target)| w.add_tracker_link(key, target, "relates_to"))
    });
    changes.await?;
    removal::hide(run, removals.into_iter().map(|(key, _)| key).collect()).await?;
    Ok(remaining_count)
}

/// Stores a record if it was found; returns `Some` if it is gone, with its new location if known.
async fn apply_lookup(run: &mut Run<'_>, lookup: Lookup) -> Result<Option<Option<String>>> {
    let records = match lookup {
        Lookup::Found(records) => records,
        Lookup::Unreadable => return Ok(None),
        Lookup::Gone => return Ok(Some(None)),
        Lookup::Moved(target) => return Ok(Some(target)),
    };
    run.store(records, PageEvents::default(), None).await?;
    Ok(None)
}

/// Requests comments by the tracker's ids, like [`check_items`].
async fn check_comments(
    run: &mut Run<'_>,
    tracker: &mut dyn Tracker,
    ids: Vec<(String, u64)>,
) -> Result<usize> {
    let remaining_count = ids.len().saturating_sub(MAX_CHECKS);
    let mut removals = Vec::new();
    let source = run.source.id;
    let total = run.context.read(move |r| r.comment_ids(source)).await?.len();
    for (id, number) in ids.into_iter().take(MAX_CHECKS) {
        run.context.task().check()?;
        if removals.len() > run.allowance.limit(total) {
            break;
        }
        let lookup = tracker.comment(number, &id).await?;
        if apply_lookup(run, lookup).await?.is_some() {
            removals.push(id);
        }
    }
    if removals.is_empty() {
        return Ok(remaining_count);
    }
    if removals.len() > run.allowance.limit(total) {
        run.reject_removal(removals.len(), total, "comments");
        return Ok(remaining_count);
    }
    tracker.probe().await?;
    let now = (run.context.clock)();
    let removal = run.context.write(move |w| {
        removals.iter().map(|id| w.mark_comment_deleted(source, id, now).map(u64::from)).sum()
    });
    let count: u64 = removal.await?;
    run.report.gone += count;
    Ok(remaining_count)
}
