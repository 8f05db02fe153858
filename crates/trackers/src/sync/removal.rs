//! Hides documents that the tracker no longer has.

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
        run.context.task.check()?;
        let page_key = key.clone();
        let (id, is_replaced) = run
            .with_store(move |store| {
                store.read(|r| Ok((r.remote_id(&page_key)?, r.is_replaced(&page_key)?)))
            })
            .await?;
        let slug = key.get(run.source.key.len() + 1..).unwrap_or_default();
        match tracker.wiki_page(slug, id.as_deref(), &run.context.task).await? {
            Lookup::Gone => gone_keys.push(key),
            // The page is stored under its new name.
            Lookup::Moved(_) if is_replaced => replaced_keys.push(key),
            Lookup::Moved(_) => gone_keys.push(key),
            Lookup::Found(_) | Lookup::FoundThread(_) | Lookup::Unreadable => {}
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
    let (restored_count, missing_keys, total) = run
        .with_store(move |store| {
            store.write(|w| {
                let (restored_count, missing_keys) =
                    absence::restore_listed_pages(w, &source, &slugs)?;
                Ok((restored_count, missing_keys, w.page_keys(source.id)?.len()))
            })
        })
        .await?;
    run.report.updated += restored_count;
    Ok((missing_keys, total))
}

/// Hides documents that are gone.
pub(super) async fn hide(run: &mut Run<'_>, keys: Vec<String>) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let now = (run.context.clock)();
    let hidden_count = run
        .with_store(move |store| {
            store.write(|w| {
                let mut hidden_count = 0;
                for key in &keys {
                    hidden_count += u64::from(w.mark_document_deleted(key, now)?);
                }
                Ok(hidden_count)
            })
        })
        .await?;
    run.hidden_count += usize::try_from(hidden_count).unwrap_or(usize::MAX);
    run.report.gone += hidden_count;
    Ok(())
}
