//! Batches of changes that end at revision boundaries.

use precedent_store::DocumentRevision;

/// Splits changes into batches of at most `max`, each of whole revisions unless a single
/// revision is larger. Everything up to a batch's last revision can then be committed.
pub(super) fn batches(
    mut changes: &[DocumentRevision],
    max: usize,
) -> impl Iterator<Item = &[DocumentRevision]> {
    std::iter::from_fn(move || {
        let mut end = changes.len().min(max);
        if let (Some(last), Some(next)) = (changes[..end].last(), changes.get(end))
            && last.revision == next.revision
        {
            let start = changes[..end].partition_point(|change| change.revision < next.revision);
            end = if start > 0 { start } else { end };
        }
        let (batch, rest) = changes.split_at(end);
        changes = rest;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// Batches cover all changes, respect the limit, and split no revision that fits into one.
        #[test]
        fn batches_end_where_revisions_do(
            sizes in proptest::collection::vec(1_usize..12, 0..20),
            max in 1_usize..9,
        ) {
            let changes: Vec<DocumentRevision> = sizes
                .iter()
                .enumerate()
                .flat_map(|(i, size)| std::iter::repeat_n(i as u64 + 1, *size))
                .enumerate()
                .map(|(id, revision)| DocumentRevision { id: id as i64, revision, is_deleted: false })
                .collect();
            let groups: Vec<&[DocumentRevision]> = batches(&changes, max).collect();
            proptest::prop_assert_eq!(groups.concat(), changes.clone());
            for pair in groups.windows(2) {
                proptest::prop_assert!(pair[0].len() <= max && !pair[0].is_empty());
                let (last, next) = (pair[0][pair[0].len() - 1], pair[1][0]);
                // A revision that is split begins its batch, because it alone exceeds the limit.
                proptest::prop_assert!(last.revision < next.revision || pair[0][0].revision == next.revision);
            }
        }
    }
}
