//! Detection of removed records. A list of changes never reports deletions or transfers, so stored
//! records are periodically compared with the listed ones, and missing ones are requested one by
//! one.

use std::collections::HashSet;

use jiff::SignedDuration;

use super::{
    absence, clock, removal,
    run::{PageEvents, Run},
};
use crate::tracker::{Fate, Fetch, Stream, Tracker, repetition::RepeatGuard};
use precedent_core::{
    error::{Code, Error, Result},
    model::Record,
    task::Phase,
};

/// The interval between comparisons of the open items.
const INTERVAL: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The number of items or comments that one sweep requests, one request each; the next sweep
/// continues with the rest.
const MAX_CHECKS: usize = 1_000;

/// Looks for removed records if a sweep is due. `whole` means that all lists were just read
/// completely.
pub(super) async fn run(run: &mut Run<'_>, tracker: &mut dyn Tracker, whole: bool) -> Result<()> {
    // A list of pages shows removals by itself.
    if !tracker.streams().contains(&Stream::Items) {
        return Ok(());
    }
    let source = run.source.id;
    let now = (run.context.clock)();
    let swept = run
        .with_store(move |store| Ok(store.read(|r| r.remote(source))?.and_then(|r| r.swept_at)))
        .await?;
    // A source imported long before it became live is due at once; a new one is not.
    let last = swept.unwrap_or(run.source.added_at);
    let due = now.duration_since(last) >= INTERVAL || clock::is_ahead(last, now);
    let rest = if whole {
        // A full pass saw everything that exists; other stored records may be gone.
        let items =
            run.with_store(move |store| store.read(|r| r.item_numbers(source, false))).await?;
        let comments = run.with_store(move |store| store.read(|r| r.comment_ids(source))).await?;
        let items: Vec<u64> =
            items.into_iter().filter(|n| !run.seen_records.items.contains(n)).collect();
        let comments: Vec<(String, u64)> = comments
            .into_iter()
            .filter(|(id, _)| !run.seen_records.comments.contains(id))
            .collect();
        let rest = check_items(run, tracker, items).await?;
        rest + check_comments(run, tracker, comments).await?
    } else if due || run.full {
        let Some(open_numbers) = open(run, tracker).await? else { return Ok(()) };
        let (open, all_numbers) = run
            .with_store(move |store| {
                store.read(|r| Ok((r.item_numbers(source, true)?, r.item_numbers(source, false)?)))
            })
            .await?;
        let mut items: Vec<u64> = open.into_iter().filter(|n| !open_numbers.contains(n)).collect();
        // A shifting list may have missed an item, or it was not visible before.
        let stored_numbers: HashSet<u64> = all_numbers.into_iter().collect();
        items.extend(open_numbers.into_iter().filter(|n| !stored_numbers.contains(n)));
        check_items(run, tracker, items).await?
    } else {
        return Ok(());
    };
    if rest > 0 || run.doubt.is_some() {
        return Ok(());
    }
    run.with_store(move |store| store.write(|w| w.set_swept(source, now))).await
}

/// Returns the numbers of the items that the tracker lists as open; `None` if it does not list them
/// all. Records of the lists are applied as usual.
async fn open(run: &mut Run<'_>, tracker: &dyn Tracker) -> Result<Option<HashSet<u64>>> {
    let mut numbers = HashSet::new();
    let lists = tracker.streams().iter();
    for stream in lists.filter(|list| matches!(list, Stream::Items | Stream::Discussions)) {
        let mut cursors = HashSet::new();
        let mut guard = RepeatGuard::default();
        let mut at = Some(tracker.open_items(*stream));
        while let Some(place) = at {
            if !cursors.insert(place.0.clone()) {
                return Err(Error::new(
                    Code::Network,
                    "the tracker's list of open items repeats itself",
                ));
            }
            at = match tracker.page(*stream, &place, None, &run.context.task).await? {
                Fetch::Page(page) => {
                    guard.note_page(&page).map_err(|endless| endless.error("open items"))?;
                    run.report.pages += 1;
                    numbers.extend(page.listed_numbers);
                    let records: Vec<Record> = page.records.into_iter().flatten().collect();
                    numbers.extend(records.iter().filter_map(|r| match r {
                        Record::Document(d) => d.number,
                        Record::Comment(_) => None,
                    }));
                    run.store(records, PageEvents::default(), None).await?;
                    run.context.task.report(Phase::Sync, numbers.len() as u64, None, "records");
                    page.next
                }
                Fetch::Smaller(smaller) => Some(smaller),
                Fetch::Unchanged | Fetch::Expired | Fetch::Refused(_) => return Ok(None),
            };
        }
    }
    Ok(Some(numbers))
}

/// Requests items one by one and hides those that are gone; returns how many remain for the next
/// sweep.
async fn check_items(
    run: &mut Run<'_>,
    tracker: &mut dyn Tracker,
    numbers: Vec<u64>,
) -> Result<usize> {
    let rest = numbers.len().saturating_sub(MAX_CHECKS);
    let mut removals: Vec<(String, Option<String>)> = Vec::new();
    let source = run.source.id;
    let total =
        run.with_store(move |store| store.read(|r| r.item_numbers(source, false))).await?.len();
    for number in numbers.into_iter().take(MAX_CHECKS) {
        run.context.task.check()?;
        if run.hidden + removals.len() > run.allowance.of(total + run.hidden) {
            break;
        }
        let fate = tracker.item(number, &run.context.task).await?;
        if let Some(target) = check_fate(run, fate).await? {
            removals.push((format!("{}#{number}", run.source.key), target));
        }
    }
    if removals.is_empty() {
        return Ok(rest);
    }
    let hidden = run.hidden + removals.len();
    if hidden > run.allowance.of(total + run.hidden) {
        run.doubt(absence::too_many(hidden, total + run.hidden, "items", &run.source.key));
        return Ok(rest);
    }
    // If access to the project was lost, each of its items looks removed.
    tracker.probe(&run.context.task).await?;
    let links: Vec<(String, String)> =
        removals.iter().filter_map(|(key, to)| Some((key.clone(), to.clone()?))).collect();
    run.with_store(move |store| {
        store.write(|w| {
            links.iter().try_for_each(|(key, to)| w.add_tracker_link(key, to, "relates_to"))
        })
    })
    .await?;
    removal::hide(run, removals.into_iter().map(|(key, _)| key).collect()).await?;
    Ok(rest)
}

/// Stores what was requested; if it is gone, returns where it moved to, if the tracker tells that.
async fn check_fate(run: &mut Run<'_>, fate: Fate) -> Result<Option<Option<String>>> {
    let records = match fate {
        Fate::Here(record) => vec![*record],
        Fate::Whole(records) => records,
        Fate::Unreadable => return Ok(None),
        Fate::Gone => return Ok(Some(None)),
        Fate::Moved(target) => return Ok(Some(target)),
    };
    run.store(records, PageEvents::default(), None).await?;
    Ok(None)
}

/// Requests comments one by one like `check_items`, by the tracker's ids.
async fn check_comments(
    run: &mut Run<'_>,
    tracker: &mut dyn Tracker,
    ids: Vec<(String, u64)>,
) -> Result<usize> {
    let rest = ids.len().saturating_sub(MAX_CHECKS);
    let mut removals = Vec::new();
    let source = run.source.id;
    let total = run.with_store(move |store| store.read(|r| r.comment_ids(source))).await?.len();
    for (id, number) in ids.into_iter().take(MAX_CHECKS) {
        run.context.task.check()?;
        if removals.len() > run.allowance.of(total) {
            run.doubt(absence::too_many(removals.len(), total, "comments", &run.source.key));
            return Ok(rest);
        }
        let fate = tracker.comment(number, &id, &run.context.task).await?;
        if check_fate(run, fate).await?.is_some() {
            removals.push(id);
        }
    }
    if removals.is_empty() {
        return Ok(rest);
    }
    if removals.len() > run.allowance.of(total) {
        run.doubt(absence::too_many(removals.len(), total, "comments", &run.source.key));
        return Ok(rest);
    }
    tracker.probe(&run.context.task).await?;
    let now = (run.context.clock)();
    let count = run
        .with_store(move |store| {
            store.write(|w| {
                let mut count = 0;
                for id in &removals {
                    count += u64::from(w.bury_comment(source, id, now)?);
                }
                Ok(count)
            })
        })
        .await?;
    run.report.gone += count;
    Ok(rest)
}
