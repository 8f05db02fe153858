//! Limits on hiding records that the tracker no longer has. One sync hides at most a small share of
//! a source's records.

use std::collections::HashSet;

use jiff::Timestamp;

use precedent_core::error::{Code, Error, Remedy, Result};
use precedent_store::{SourceRow, Writer};

/// One sync may hide at most one in this many records of a kind.
const MAX_SHARE_DIVISOR: usize = 10;
/// The number of records that may be hidden even in a small source, unless that is over half.
pub(super) const MIN_ALLOWANCE: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Allowance {
    /// At most a share of a source's records.
    Share,
    /// All records, because the user confirmed it.
    All,
}

impl Allowance {
    pub(super) fn limit(self, total: usize) -> usize {
        match self {
            Self::Share => (total / MAX_SHARE_DIVISOR).max(MIN_ALLOWANCE.min(total / 2)),
            Self::All => total,
        }
    }
}

pub(super) fn removal_error(count: usize, total: usize, kind: &str, source: &str) -> Error {
    Error::new(
        Code::Network,
        format!(
            "the tracker no longer shows {count} of {total} {kind}, which is implausibly many at once, so none of them \
             was hidden"
        ),
    )
    .with_hint("Test what the token can read. If they were really deleted, hide them in a full sync.")
    .with_command(Remedy::Sources, format!("precedent sync {source} --full --hide-deleted"))
}

/// Hides items that a list marks as deleted; `hidden_count` is the number already hidden.
pub(super) fn hide_items(
    writer: &Writer<'_>,
    source: &SourceRow,
    numbers: &[u64],
    hidden_count: usize,
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
    let total = stored_numbers.len() + hidden_count;
    if hidden_count + removals.len() > allowance.limit(total) {
        return Ok((
            0,
            Some(removal_error(hidden_count + removals.len(), total, "items", &source.key)),
        ));
    }
    for number in &removals {
        writer.mark_document_deleted(&format!("{}#{number}", source.key), now)?;
    }
    Ok((removals.len(), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_sync_hides_at_most_half() {
        for (total, limit) in
            [(0, 0), (1, 0), (2, 1), (5, 2), (20, 10), (100, 10), (300, 30), (5_000, 500)]
        {
            assert_eq!(Allowance::Share.limit(total), limit, "{total}");
            assert_eq!(Allowance::All.limit(total), total);
        }
        let error = removal_error(300, 300, "items", "acme/app");
        assert!(error.to_string().contains("300 of 300 items"), "{error}");
    }
}
