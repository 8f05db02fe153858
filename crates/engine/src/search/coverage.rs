//! The share of the casebook that the indexes cover, and notices about missing data.

use precedent_core::{
    error::Result,
    model::{Coverage, Notice, NoticeKind},
};
use precedent_index::{fulltext::FullText, vectors::Vectors};
use precedent_store::Store;

/// Returns how much of the casebook the full-text and the vector index cover. Changes since the
/// last indexing count as not covered.
pub fn coverage(store: &Store, fulltext: &FullText, vectors: Option<&Vectors>) -> Result<Coverage> {
    let extent = vectors.map(Vectors::extent).transpose()?.unwrap_or_default();
    let revision = fulltext.progress()?.revision;
    let (changed_count, _) = store.read(|r| r.changed_count(revision))?;
    let changed_since_split = match vectors {
        Some(vectors) => {
            let revision = vectors.planned_revision()?;
            store.read(|r| r.changed_count(revision))?.1
        }
        None => 0,
    };
    let documents = store.document_count()?;
    Ok(Coverage {
        documents,
        full_text: fulltext.count()?.min(documents.saturating_sub(changed_count)),
        chunks: extent.chunks,
        embedded: extent.embedded_chunks,
        unread: changed_since_split,
    })
}

/// Returns a notice if the semantic index is incomplete.
pub(super) fn missing_vectors(coverage: Coverage) -> Option<Notice> {
    let Coverage { documents, chunks, embedded, unread, .. } = coverage;
    if embedded == 0 && documents > 0 {
        return Some(inconclusive(NoticeKind::AllVectors, "semantic", 0));
    }
    if embedded >= chunks && unread == 0 {
        return None;
    }
    // Assume that the changed documents have as many passages as the others.
    let percentage =
        percent(embedded, chunks) * percent(documents.saturating_sub(unread), documents) / 100;
    Some(inconclusive(NoticeKind::SomeVectors, "semantic", percentage))
}

/// Returns a notice if the full-text index is incomplete.
pub(super) fn missing_text(coverage: Coverage) -> Option<Notice> {
    (coverage.full_text < coverage.documents).then(|| {
        inconclusive(
            NoticeKind::FullText,
            "keyword",
            percent(coverage.full_text, coverage.documents),
        )
    })
}

fn inconclusive(lack: NoticeKind, index: &str, percentage: u64) -> Notice {
    let text = format!("Not conclusive: the {index} index is {}% built.", percentage.min(99));
    Notice::new(lack, text)
}

fn percent(part: u64, whole: u64) -> u64 {
    (part * 100).checked_div(whole).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_index_is_reported_in_percent() {
        let text = |documents, chunks, embedded, unread| {
            let coverage = Coverage { documents, full_text: documents, chunks, embedded, unread };
            missing_vectors(coverage).map(|notice| notice.hint.text)
        };
        assert_eq!(text(10, 50, 50, 0), None);
        assert_eq!(text(0, 0, 0, 0), None);
        let built =
            |percent| Some(format!("Not conclusive: the semantic index is {percent}% built."));
        assert_eq!(text(10, 50, 0, 0), built(0));
        assert_eq!(text(10, 50, 2, 0), built(4));
        assert_eq!(text(10, 50, 50, 5), built(50));
        assert_eq!(text(1000, 5000, 4999, 0), built(99));
    }
}
