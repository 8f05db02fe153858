//! Reads a project's releases after its items, and stores them with the state of their lists in
//! one transaction.

use std::{collections::HashSet, time::Duration};

use super::run::Run;
use crate::tracker::{
    FetchError, Tracker,
    release::{ReleaseList, ReleaseRequest},
};
use precedent_core::{error::Result, model::ReleaseRecord, secret_filter};
use precedent_store::{StreamRow, Writer};

const MAX_RELEASES: u32 = 1_000;
/// The number of releases per page, the maximum that Gitea allows.
const PAGE_SIZE: u32 = 50;
/// The number of releases per page once all are stored; GitHub describes each file of a release.
const REPEATED_PAGE_SIZE: u32 = 10;
/// The interval between full reads of the tags, which have no useful order.
const TAG_INTERVAL: Duration = Duration::from_secs(24 * 3600);

/// Reads the lists of releases and stores what they contain.
pub(super) async fn run(run: &mut Run<'_>, tracker: &dyn Tracker) -> Result<()> {
    if tracker.release_lists().is_empty() {
        return Ok(());
    }
    let source = run.source.id;
    let stored_releases = run.context.read(move |r| r.releases(source)).await?;
    let is_dated = |releases: &[ReleaseRecord]| releases.iter().any(|r| r.released_at.is_some());
    let (mut found_releases, mut rows, mut has_planned) = (Vec::new(), Vec::new(), false);
    for list in tracker.release_lists() {
        let name = list.as_str();
        let mut row = run.context.read(move |r| r.stream(source, name)).await?;
        let now = (run.context.clock)();
        let is_recent = row.finished_at.is_some_and(|finished_at| now < finished_at + TAG_INTERVAL);
        if *list == ReleaseList::Tags
            && (is_recent || is_dated(&stored_releases) || is_dated(&found_releases))
        {
            continue;
        }
        if *list == ReleaseList::Planned && !found_releases.is_empty() {
            // A planned version may have been released under another name.
            row.etag = None;
        }
        if let Some(mut releases) =
            read_list(run, tracker, *list, &mut row, &stored_releases).await?
        {
            if *list == ReleaseList::Planned {
                let released_versions: HashSet<String> = stored_releases
                    .iter()
                    .chain(&found_releases)
                    .filter(|r| r.is_released)
                    .map(version)
                    .collect();
                releases.retain(|release| !released_versions.contains(&version(release)));
            }
            has_planned |= matches!(list, ReleaseList::Planned | ReleaseList::Versions);
            found_releases.extend(releases);
        }
        row.finished_at = Some(now);
        rows.push((name, row));
    }
    let changes = run.context.write(move |w| {
        if has_planned {
            w.remove_planned_releases(source)?;
        }
        store_releases(w, source, found_releases)?;
        rows.iter().try_for_each(|(name, row)| w.set_stream(source, name, row))
    });
    changes.await
}

/// Reads a list up to the first page without new releases; `None` if it is unchanged or refused.
async fn read_list(
    run: &Run<'_>,
    tracker: &dyn Tracker,
    list: ReleaseList,
    row: &mut StreamRow,
    stored_releases: &[ReleaseRecord],
) -> Result<Option<Vec<ReleaseRecord>>> {
    let is_repeated = list == ReleaseList::Published && row.finished_at.is_some();
    let size = if is_repeated { REPEATED_PAGE_SIZE } else { PAGE_SIZE };
    // Tags are stored without a date until a release replaces them.
    let known_releases = stored_releases.iter().filter(|r| is_repeated && r.released_at.is_some());
    let mut names: HashSet<String> = known_releases.map(|r| r.name.clone()).collect();
    let etag = row.etag.take().filter(|(_, page_size)| *page_size == size.to_string());
    let mut out = Vec::new();
    for page in 1..=MAX_RELEASES / size {
        run.context.task().check()?;
        let page_etag = etag.as_ref().filter(|_| page == 1).map(|(etag, _)| etag.as_str());
        let request = ReleaseRequest { list, page, size, etag: page_etag };
        match tracker.releases(request).await {
            Ok(release_page) => {
                if page == 1 {
                    row.etag = release_page.etag.map(|etag| (etag, size.to_string()));
                }
                row.refused = None;
                let is_known = !release_page.releases.is_empty()
                    && release_page.releases.iter().all(|r| names.contains(&r.name));
                names.extend(release_page.releases.iter().map(|r| r.name.clone()));
                out.extend(release_page.releases);
                if is_known || !release_page.has_more {
                    break;
                }
            }
            Err(FetchError::Unchanged) => {
                row.etag = etag;
                return Ok(None);
            }
            Err(FetchError::Refused(error)) => {
                row.refused = Some(secret_filter::single_line(&error.to_string()));
                return Ok(None);
            }
            Err(error) => return Err(error.into_error()),
        }
    }
    Ok(Some(out))
}

/// Returns the version in a release's name, in the form that tags and milestones share.
fn version(release: &ReleaseRecord) -> String {
    release.name.to_lowercase().trim_start_matches('v').to_owned()
}

/// Stores releases without the secrets of this process.
pub(super) fn store_releases(
    writer: &Writer<'_>,
    source: i64,
    mut releases: Vec<ReleaseRecord>,
) -> Result<()> {
    for release in &mut releases {
        release.name = secret_filter::single_line(&release.name);
        release.url = release.url.as_deref().map(|url| secret_filter::mask(url).into_owned());
    }
    releases.retain(|release| !release.name.is_empty());
    writer.set_releases(source, &releases)
}
