//! Hides records that the tracker provably no longer has.

use super::{absence, run::Run};
use crate::tracker::{Fate, Tracker};
use precedent_core::error::Result;

/// Hides the pages that a tracker's list no longer contains, after requesting each of them.
pub(super) async fn hide_pages(
    run: &mut Run<'_>,
    tracker: &dyn Tracker,
    slugs: Vec<String>,
) -> Result<()> {
    let source = run.source.clone();
    let empty = slugs.is_empty();
    let (shown_count, missing_keys, total) = run
        .with_store(move |store| {
            store.write(|w| {
                let (shown_count, missing_keys) = absence::compare_pages(w, &source, &slugs)?;
                Ok((shown_count, missing_keys, w.page_keys(source.id)?.len()))
            })
        })
        .await?;
    run.report.updated += shown_count;
    if missing_keys.is_empty() {
        return Ok(());
    }
    if missing_keys.len() > run.allowance.of(total) && (empty || missing_keys.len() > absence::FEW)
    {
        run.doubt(absence::too_many(missing_keys.len(), total, "pages", &run.source.key));
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
            Fate::Gone => gone_keys.push(key),
            // The page is stored under its new name.
            Fate::Moved(_) if is_replaced => replaced_keys.push(key),
            Fate::Moved(_) => gone_keys.push(key),
            Fate::Here(_) | Fate::Whole(_) | Fate::Unreadable => {}
        }
    }
    hide(run, replaced_keys).await?;
    if gone_keys.len() > run.allowance.of(total) {
        run.doubt(absence::too_many(gone_keys.len(), total, "pages", &run.source.key));
        return Ok(());
    }
    hide(run, gone_keys).await
}

/// Hides documents that are proven to be gone.
pub(super) async fn hide(run: &mut Run<'_>, keys: Vec<String>) -> Result<()> {
    if keys.is_empty() {
        return Ok(());
    }
    let now = (run.context.clock)();
    let hidden = run
        .with_store(move |store| {
            store.write(|w| {
                let mut hidden = 0;
                for key in &keys {
                    hidden += u64::from(w.bury_document(key, now)?);
                }
                Ok(hidden)
            })
        })
        .await?;
    run.hidden += usize::try_from(hidden).unwrap_or(usize::MAX);
    run.report.gone += hidden;
    Ok(())
}
