//! Hides documents that the tracker no longer has.

use std::collections::HashSet;

use super::{absence, run::Run};
use crate::tracker::{Lookup, Tracker};
use precedent_core::error::Result;

/// Hides the pages that are no longer listed, after requesting each of them.
pub(super) async fn hide_pages(
    run: &mut Run<'_>,
    tracker: &dyn Tracker,
    slugs: Vec<String>,
) -> Result<()> {
    let is_empty = slugs.is_empty();
    let (missing_keys, total) = restore_pages(run, slugs).await?;
    if missing_keys.is_empty() {
        return Ok(());
    }
    if missing_keys.len() > run.allowance.limit(total)
        && (is_empty || missing_keys.len() > absence::MIN_ALLOWANCE)
    {
        run.reject_removal(missing_keys.len(), total, "pages");
        return Ok(());
    }
    let (mut gone_keys, mut replaced_keys) = (Vec::new(), Vec::new());
    for key in missing_keys {
        run.context.task().check()?;
        let page_key = key.clone();
        let page =
            run.context.read(move |r| Ok((r.remote_id(&page_key)?, r.is_replaced(&page_key)?)));
        let (id, is_replaced) = page.await?;
        let slug = key.get(run.source.key.len() + 1..).unwrap_or_default();
        match tracker.wiki_page(slug, id.as_deref()).await? {
            Lookup::Gone => gone_keys.push(key),
            // The page is stored under its new name.
            Lookup::Moved(_) if is_replaced => replaced_keys.push(key),
            Lookup::Moved(_) => gone_keys.push(key),
            Lookup::Found(_) | Lookup::Unreadable => {}
        }
    }
    hide(run, replaced_keys).await?;
    if gone_keys.len() > run.allowance.limit(total) {
        run.reject_removal(gone_keys.len(), total, "pages");
        return Ok(());
    }
    hide(run, gone_keys).await
}

/// Restores hidden pages that are listed; returns the keys of unlisted pages and the page count.
pub(super) async fn restore_pages(
    run: &mut Run<'_>,
    slugs: Vec<String>,
) -> Result<(Vec<String>, usize)> {
    let source = run.source.clone();
    let restoration = run.context.write(move |w| {
        let keys: HashSet<String> =
            slugs.iter().map(|slug| format!("{}:{slug}", source.key)).collect();
        let relisted_keys =
            w.deleted_page_keys(source.id)?.into_iter().filter(|k| keys.contains(k));
        let restored_count = relisted_keys
            .map(|key| w.restore_document(&key).map(u64::from))
            .sum::<Result<u64>>()?;
        let page_keys = w.page_keys(source.id)?;
        let total = page_keys.len();
        let missing_keys = page_keys.into_iter().filter(|key| !keys.contains(key)).collect();
        Ok((restored_count, missing_keys, total))
    });
    let (restored_count, missing_keys, total) = restoration.await?;
    run.report.updated += restored_count;
    Ok((missing_keys, total))
}

/// Hides documents that are gone.
pub(super) async fn hide(run: &mut Run<'_>, keys: Vec<String>) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let now = (run.context.clock)();
    let removal = run.context.write(move |w| {
        keys.iter().map(|key| w.mark_document_deleted(key, now).map(u64::from)).sum()
    });
    let hidden_count: u64 = removal.await?;
    run.hidden_count += usize::try_from(hidden_count).unwrap_or(usize::MAX);
    run.report.gone += hidden_count;
    Ok(())
}
