//! Passages of wikis and notes, for questions without a clear solved case.

use std::{cmp::Reverse, collections::HashSet};

use super::{
    budget::{excerpt, length},
    citation, keywords,
};
use crate::{QueryContext, answer::question::Question, search::Evidence};
use precedent_core::{
    error::Result,
    model::{DocKind, NoteKind, WikiPassage},
    task::Task,
};
use precedent_index::filter::{Filter, Test};
use precedent_store::DocumentRow;
use precedent_text::{
    chunk::{MAX_BODY_CHUNKS, chunks},
    prepare::PreparedText,
    report,
    skeleton::Skeleton,
    tokens,
};

/// The minimum share of the question's words, weighted by rarity, for a match by words alone.
const MIN_WORDS: f32 = 0.2;
/// The maximum number of passages.
const MAX_PASSAGES: usize = 2;
/// The number of documents retrieved for each query.
const RETRIEVAL_DEPTH: usize = 10;
/// The maximum length of a passage, in characters.
const MAX_PASSAGE: usize = 1200;

/// Returns whether a document is similar enough in meaning, or matches by words if the user set no
/// threshold.
fn is_relevant(evidence: &Evidence, threshold: f32, has_threshold: bool) -> bool {
    let matches_words = !has_threshold && (evidence.signature || evidence.words >= MIN_WORDS);
    evidence.cosine.is_some_and(|c| c >= threshold) || matches_words
}

/// Returns passages of documents of this kind, one per document.
pub(crate) fn passages(
    context: &QueryContext<'_>,
    question: &Question,
    kind: DocKind,
    threshold: f32,
    has_threshold: bool,
    task: &Task,
) -> Result<Vec<WikiPassage>> {
    // A note belongs to no source.
    let source = question.source.as_ref().filter(|_| kind == DocKind::Page);
    let source = source.map(|source| Test::Source(source.key.clone()));
    let tests = std::iter::once(Test::Kind(kind)).chain(source);
    let filters: Vec<Filter> = tests.map(|test| Filter { test, is_negated: false }).collect();
    find(context, question, &filters, threshold, has_threshold, task)
}

/// Returns passages of stored articles, one per article.
pub(super) fn articles(
    context: &QueryContext<'_>,
    question: &Question,
    threshold: f32,
    task: &Task,
) -> Result<Vec<WikiPassage>> {
    let kind = NoteKind::Article;
    if context.store.read(|r| r.notes(Some(kind)))?.is_empty() {
        return Ok(Vec::new());
    }
    // The first label of a note is its kind.
    let tests = [Test::Kind(DocKind::Note), Test::Label(kind.as_str().to_owned())];
    let filters = tests.map(|test| Filter { test, is_negated: false });
    find(context, question, &filters, threshold, false, task)
}

/// Returns passages of the documents that pass the filters, best first. Searches for the original
/// text and for its keywords.
fn find(
    context: &QueryContext<'_>,
    question: &Question,
    filters: &[Filter],
    threshold: f32,
    has_threshold: bool,
    task: &Task,
) -> Result<Vec<WikiPassage>> {
    let mut results: Vec<Evidence> = Vec::new();
    let keywords = keywords::keywords(&question.draft.title, &question.draft.body);
    for text in [&*question.text, &*keywords] {
        if text.trim().is_empty() {
            continue;
        }
        for hit in context.evidence(text, filters, RETRIEVAL_DEPTH, task)? {
            if !is_relevant(&hit, threshold, has_threshold) {
                continue;
            }
            match results.iter_mut().find(|result| result.document == hit.document) {
                Some(previous) => {
                    previous.score = previous.score.max(hit.score);
                    previous.cosine =
                        previous.cosine.into_iter().chain(hit.cosine).reduce(f32::max);
                }
                None => results.push(hit),
            }
        }
    }
    let vector = context.vector(&question.text)?;
    context.store.read(|r| {
        let mut documents = Vec::new();
        for hit in results {
            let Some(row) = r.document(hit.document)?.filter(|d| d.deleted_at.is_none()) else {
                continue;
            };
            documents.push((hit, row));
        }
        documents
            .sort_by(|(a, x), (b, y)| b.score.total_cmp(&a.score).then_with(|| x.key.cmp(&y.key)));
        documents.truncate(MAX_PASSAGES);
        let documents = documents.into_iter();
        documents
            .map(|(hit, row)| passage(context, question, hit, row, vector.as_deref()))
            .collect()
    })
}

fn passage(
    context: &QueryContext<'_>,
    question: &Question,
    evidence: Evidence,
    row: DocumentRow,
    vector: Option<&[f32]>,
) -> Result<WikiPassage> {
    let body = PreparedText::body(&row.body, &Skeleton::default());
    let chunks = chunks(&body, MAX_BODY_CHUNKS);
    let nearest = match (vector, context.vectors) {
        (Some(vector), Some(vectors)) => vectors.nearest_chunk(row.id, vector)?,
        _ => None,
    };
    let terms = report::terms(&question.text);
    let best_by_words = || {
        let score = |text: &str| {
            let words: HashSet<String> = tokens::words(text).into_iter().map(|w| w.term).collect();
            terms.iter().filter(|term| words.contains(*term)).count()
        };
        (0..chunks.len()).max_by_key(|i| (score(&chunks[*i].text), Reverse(*i)))
    };
    let index = nearest.filter(|index| *index < chunks.len()).or_else(best_by_words);
    let text = index.map_or_else(
        || row.body.clone(),
        |index| {
            let mut text = chunks[index].text.clone();
            // Append the next chunk to a short one.
            if length(&text) < MAX_PASSAGE / 2
                && let Some(next) = chunks.get(index + 1)
            {
                text.push_str("\n\n");
                text.push_str(&next.text);
            }
            text
        },
    );
    Ok(WikiPassage {
        citation: citation(&row),
        similarity: evidence.cosine,
        text: excerpt(&text, MAX_PASSAGE).0,
        key: row.key,
        title: row.title,
        url: row.url,
    })
}
