//! Limits on hiding records that the tracker no longer has. A list that lacks a record proves
//! nothing: each record is requested, and one sync hides at most a small share of a source.

use std::collections::HashSet;

use jiff::Timestamp;

use precedent_core::error::{Code, Error, Result};
use precedent_store::{SourceRow, Writer};

/// The divisor of the share that one sync may hide: at most one in 10 records of a kind.
const SHARE: usize = 10;
/// The number of records that may be hidden in a small source, as long as half of it remains.
pub(super) const FEW: usize = 10;

/// The amount that one sync may hide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowance {
    /// A share of a source.
    Share,
    /// All records that the tracker no longer has, because the user confirmed it.
    All,
}

impl Allowance {
    /// Returns how many of `total` records one sync may hide.
    pub(super) fn of(self, total: usize) -> usize {
        match self {
            Self::Share => (total / SHARE).max(FEW.min(total / 2)),
            Self::All => total,
        }
    }
}

/// Returns the error of a sync that would have hidden more than its share; `kind` names the
/// records.
pub(super) fn too_many(count: usize, total: usize, kind: &str, source: &str) -> Error {
    Error::new(
        Code::Network,
        format!(
            "the tracker no longer shows {count} of {total} {kind}, which is implausibly many at once: none of them \
             was hidden"
        ),
    )
    .with_hint(format!(
        "Check what the token can read: precedent source test {source}. If they were really deleted: precedent sync \
         {source} --full --hide-deleted"
    ))
}

/// Hides items that a list marks as deleted; this sync already hid `hidden` items.
pub(super) fn hide_items(
    writer: &Writer<'_>,
    source: &SourceRow,
    numbers: &[u64],
    hidden: usize,
    allowance: Allowance,
    now: Timestamp,
) -> Result<(usize, Option<Error>)> {
    if numbers.is_empty() {
        return Ok((0, None));
    }
    let stored_numbers = writer.item_numbers(source.id, false)?;
    let deletions: HashSet<u64> = numbers.iter().copied().collect();
    let removals: Vec<u64> =
        stored_numbers.iter().copied().filter(|n| deletions.contains(n)).collect();
    let total = stored_numbers.len() + hidden;
    if hidden + removals.len() > allowance.of(total) {
        return Ok((0, Some(too_many(hidden + removals.len(), total, "items", &source.key))));
    }
    for number in &removals {
        writer.bury_document(&format!("{}#{number}", source.key), now)?;
    }
    Ok((removals.len(), None))
}

/// Restores listed pages that were hidden, and returns the keys of the pages that are not listed.
pub(super) fn compare_pages(
    writer: &Writer<'_>,
    source: &SourceRow,
    slugs: &[String],
) -> Result<(u64, Vec<String>)> {
    let keys: HashSet<String> = slugs.iter().map(|slug| format!("{}:{slug}", source.key)).collect();
    let mut restore_count = 0;
    for key in writer.hidden_page_keys(source.id)?.into_iter().filter(|key| keys.contains(key)) {
        restore_count += u64::from(writer.restore_document(&key)?);
    }
    let missing_keys =
        writer.page_keys(source.id)?.into_iter().filter(|key| !keys.contains(key)).collect();
    Ok((restore_count, missing_keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sync_hides_a_share_and_never_half() {
        for (held, most) in
            [(0, 0), (1, 0), (2, 1), (5, 2), (20, 10), (100, 10), (300, 30), (5_000, 500)]
        {
            assert_eq!(Allowance::Share.of(held), most, "{held}");
            assert_eq!(Allowance::All.of(held), held);
        }
        let error = too_many(300, 300, "items", "acme/app");
        assert!(error.to_string().contains("300 of 300 items"), "{error}");
    }
}
