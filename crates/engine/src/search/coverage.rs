//! How much of the casebook an answer rests on, and what it lacks.

use precedent_core::{
    error::Result,
    model::{Coverage, Lack, Notice},
};
use precedent_index::{fulltext::FullText, vectors::Vectors};
use precedent_store::Store;

/// How much each arm can see. What has changed since it was indexed counts as not seen.
///
/// # Errors
/// Those of the database and the index.
pub fn coverage(store: &Store, fulltext: &FullText, vectors: Option<&Vectors>) -> Result<Coverage> {
    let extent = vectors.map(Vectors::extent).transpose()?.unwrap_or_default();
    let reached = fulltext.reached()?.revision;
    let (changed, _) = store.read(|r| r.changed_count(reached))?;
    let unread = match vectors {
        Some(vectors) => {
            let reached = vectors.reached()?;
            store.read(|r| r.changed_count(reached))?.1
        }
        None => 0,
    };
    let documents = store.document_count()?;
    Ok(Coverage {
        documents,
        full_text: fulltext.count()?.min(documents.saturating_sub(changed)),
        chunks: extent.chunks,
        embedded: extent.embedded,
        unread,
    })
}

/// What an answer lacks that rests on these indexes as they are: texts that were not read yet, passages without a vector.
pub(crate) fn lacks(coverage: Coverage, vectors: bool) -> impl Iterator<Item = Notice> {
    let meaning = vectors.then(|| missing_vectors(coverage, coverage.unread)).flatten();
    meaning.into_iter().chain(missing_text(coverage))
}

/// `unread`: how many documents changed since they were divided into passages.
pub(super) fn missing_vectors(coverage: Coverage, unread: u64) -> Option<Notice> {
    let Coverage { documents, chunks, embedded, .. } = coverage;
    let (lack, text) = if embedded == 0 && documents > 0 {
        (Lack::AllVectors, "Answered by words alone: no text was read for its meaning yet.".to_owned())
    } else {
        let made = format!("covers {embedded} of {chunks} passages so far");
        let read = format!("has yet to read {unread} of {documents} documents");
        let text = match (embedded < chunks, unread > 0) {
            (true, true) => format!("Search by meaning {made}, and {read}."),
            (true, false) => format!("Search by meaning {made}."),
            (false, true) => format!("Search by meaning {read}."),
            (false, false) => return None,
        };
        (Lack::SomeVectors, text)
    };
    Some(Notice { lack, text })
}

pub(super) fn missing_text(coverage: Coverage) -> Option<Notice> {
    (coverage.full_text < coverage.documents).then(|| Notice {
        lack: Lack::FullText,
        text: format!(
            "Search by words covers {} of {} documents so far.",
            coverage.full_text, coverage.documents
        ),
    })
}
