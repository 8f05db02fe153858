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

/// The minimum share of the question's words, weighted by rarity, for a page found by words only.
const WORDS_FLOOR: f32 = 0.2;
/// The maximum number of wiki pages shown if no case clearly helps.
const PAGES: usize = 2;
/// The number of wiki pages retrieved for each question.
const PAGE_DEPTH: usize = 10;
/// The maximum length of a page's passage, in characters.
const PAGE_LENGTH: usize = 1200;

/// Returns whether a wiki page is near enough in meaning, or matches by words if no threshold was
/// set.
fn passes(evidence: &Evidence, threshold: f32, has_threshold: bool) -> bool {
    let by_words = !has_threshold && (evidence.signature || evidence.words >= WORDS_FLOOR);
    evidence.cosine.is_some_and(|c| c >= threshold) || by_words
}

/// Returns passages of documents of a kind, one per document, for the original text and for its
/// keywords.
pub(crate) fn passages(
    parts: &QueryContext<'_>,
    question: &Question,
    kind: DocKind,
    threshold: f32,
    has_threshold: bool,
    task: &Task,
) -> Result<Vec<WikiPassage>> {
    let pages = Filter { test: Test::Kind(kind), is_negated: false };
    // A note belongs to no source.
    let source = question
        .source
        .as_ref()
        .filter(|_| kind == DocKind::Page)
        .map(|source| Test::Source(source.key.clone()));
    let source = source.map(|test| Filter { test, is_negated: false });
    let filters: Vec<Filter> = std::iter::once(pages).chain(source).collect();
    find(parts, question, &filters, threshold, has_threshold, task)
}

/// Returns passages of stored articles, one per article.
pub(super) fn articles(
    parts: &QueryContext<'_>,
    question: &Question,
    threshold: f32,
    task: &Task,
) -> Result<Vec<WikiPassage>> {
    let kind = NoteKind::Article;
    if parts.store.read(|r| r.notes(Some(kind)))?.is_empty() {
        return Ok(Vec::new());
    }
    // The first label of a note is its kind.
    let tests = [Test::Kind(DocKind::Note), Test::Label(kind.as_str().to_owned())];
    let filters = tests.map(|test| Filter { test, is_negated: false });
    find(parts, question, &filters, threshold, false, task)
}

/// Returns passages of the documents that pass the filters, best first.
fn find(
    parts: &QueryContext<'_>,
    question: &Question,
    filters: &[Filter],
    threshold: f32,
    has_threshold: bool,
    task: &Task,
) -> Result<Vec<WikiPassage>> {
    let mut results: Vec<Evidence> = Vec::new();
    for text in
        [question.text.clone(), keywords::keywords(&question.draft.title, &question.draft.body)]
    {
        if text.trim().is_empty() {
            continue;
        }
        for hit in parts.evidence(&text, filters, PAGE_DEPTH, task)? {
            if !passes(&hit, threshold, has_threshold) {
                continue;
            }
            match results.iter_mut().find(|f| f.document == hit.document) {
                Some(previous) => {
                    previous.score = previous.score.max(hit.score);
                    previous.cosine =
                        previous.cosine.into_iter().chain(hit.cosine).reduce(f32::max);
                }
                None => results.push(hit),
            }
        }
    }
    let vector = parts.vector(&question.text)?;
    parts.store.read(|r| {
        let mut pages = Vec::new();
        for hit in results {
            let Some(row) = r.document(hit.document)?.filter(|d| d.deleted_at.is_none()) else {
                continue;
            };
            pages.push((hit, row));
        }
        pages.sort_by(|(a, x), (b, y)| b.score.total_cmp(&a.score).then_with(|| x.key.cmp(&y.key)));
        pages.truncate(PAGES);
        pages
            .into_iter()
            .map(|(hit, row)| passage(parts, question, hit, row, vector.as_deref()))
            .collect()
    })
}

fn passage(
    parts: &QueryContext<'_>,
    question: &Question,
    evidence: Evidence,
    row: DocumentRow,
    vector: Option<&[f32]>,
) -> Result<WikiPassage> {
    let body = PreparedText::body(&row.body, &Skeleton::default());
    let chunks = chunks(&body, MAX_BODY_CHUNKS);
    let near = match (vector, parts.vectors) {
        (Some(vector), Some(vectors)) => vectors.nearest_chunk(row.id, vector)?,
        _ => None,
    };
    let terms = report::terms(&question.text);
    let by_words = || {
        let score = |text: &str| {
            let has: HashSet<String> = tokens::words(text).into_iter().map(|w| w.term).collect();
            terms.iter().filter(|w| has.contains(*w)).count()
        };
        (0..chunks.len()).max_by_key(|i| (score(&chunks[*i].text), Reverse(*i)))
    };
    let at = near.filter(|at| *at < chunks.len()).or_else(by_words);
    let text = at.map_or_else(
        || row.body.clone(),
        |at| {
            let mut text = chunks[at].text.clone();
            // A short chunk is shown with the next one.
            if length(&text) < PAGE_LENGTH / 2
                && let Some(next) = chunks.get(at + 1)
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
        text: excerpt(&text, PAGE_LENGTH).0,
        key: row.key,
        title: row.title,
        url: row.url,
    })
}
