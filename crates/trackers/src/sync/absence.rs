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
    /// Returns how many of `held` records one sync may hide.
    pub(super) fn of(self, held: usize) -> usize {
        match self {
            Self::Share => (held / SHARE).max(FEW.min(held / 2)),
            Self::All => held,
        }
    }
}

/// Returns the error of a sync that would have hidden more than its share; `what` names the
/// records.
pub(super) fn too_many(gone: usize, held: usize, what: &str, source: &str) -> Error {
    Error::new(
        Code::Network,
        format!(
            "the tracker no longer shows {gone} of {held} {what}, which is implausibly many at once: none of them \
             was hidden"
        ),
    )
    .with_hint(format!(
        "Check what the token can read: precedent source test {source}. If they were really deleted: precedent sync \
         {source} --full --hide-gone"
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
    let all = writer.item_numbers(source.id, false)?;
    let wanted: HashSet<u64> = numbers.iter().copied().collect();
    let gone: Vec<u64> = all.iter().copied().filter(|n| wanted.contains(n)).collect();
    let held = all.len() + hidden;
    if hidden + gone.len() > allowance.of(held) {
        return Ok((0, Some(too_many(hidden + gone.len(), held, "items", &source.key))));
    }
    for number in &gone {
        writer.bury_document(&format!("{}#{number}", source.key), now)?;
    }
    Ok((gone.len(), None))
}

/// Restores listed pages that were hidden, and returns the keys of the pages that are not listed.
pub(super) fn compare_pages(
    writer: &Writer<'_>,
    source: &SourceRow,
    listed: &[String],
) -> Result<(u64, Vec<String>)> {
    let listed: HashSet<String> = listed.iter().map(|slug| format!("{}:{slug}", source.key)).collect();
    let mut shown = 0;
    for key in writer.hidden_page_keys(source.id)?.into_iter().filter(|key| listed.contains(key)) {
        shown += u64::from(writer.restore_document(&key)?);
    }
    let missing = writer.page_keys(source.id)?.into_iter().filter(|key| !listed.contains(key)).collect();
    Ok((shown, missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sync_hides_a_share_and_never_half() {
        for (held, most) in [(0, 0), (1, 0), (2, 1), (5, 2), (20, 10), (100, 10), (300, 30), (5_000, 500)] {
            assert_eq!(Allowance::Share.of(held), most, "{held}");
            assert_eq!(Allowance::All.of(held), held);
        }
        let error = too_many(300, 300, "items", "acme/app");
        assert!(error.to_string().contains("300 of 300 items"), "{error}");
    }
}
