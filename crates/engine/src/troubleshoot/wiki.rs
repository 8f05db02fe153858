//! Passages of wikis and notes, for questions without a clear solved case.

use std::{cmp::Reverse, collections::HashSet};

use super::{
    budget::{excerpt, length},
    citation,
};
use crate::{QueryContext, answer::question::Question};
use precedent_core::{
    error::Result,
    model::{DocKind, NoteKind, Scores, WikiPassage},
    task::Task,
};
use precedent_index::filter::{Filter, Test};
use precedent_store::DocumentRow;
use precedent_text::{
    chunk::{MAX_BODY_CHUNKS, chunks},
    prepare::PreparedText,
    report,
    signature::SignatureKind,
    skeleton::Skeleton,
    tokens,
};

/// The minimum share of the question's words, weighted by rarity, for a match by words alone.
const MIN_WORDS: f32 = 0.2;
/// The maximum number of passages.
const MAX_PASSAGES: usize = 2;
/// The number of documents retrieved for each query.
const RETRIEVAL_DEPTH: usize = 10;
/// The maximum number of identifiers used as component names.
const MAX_NAMES: usize = 8;
/// The maximum length of the keywords, in bytes.
const MAX_KEYWORDS: usize = 900;
/// The maximum length of a passage, in characters.
const MAX_PASSAGE: usize = 1200;

/// Returns whether a document is similar enough in meaning, or matches by words if the user set no
/// threshold.
fn is_relevant(scores: &Scores, threshold: f32, has_threshold: bool) -> bool {
    let has_words = scores.bm25.is_some_and(|share| share >= MIN_WORDS);
    let matches_words = !has_threshold && (scores.signature.is_some() || has_words);
    scores.cosine.is_some_and(|c| c >= threshold) || matches_words
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
    let filters: Vec<Filter> = tests.map(Filter::from).collect();
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
    find(context, question, &tests.map(Filter::from), threshold, false, task)
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
    let mut results: Vec<(i64, Scores)> = Vec::new();
    let keywords = keywords(&question.draft.title, &question.draft.body);
    for text in [&*question.text, &*keywords] {
        if text.trim().is_empty() {
            continue;
        }
        for (id, scores) in context.best_documents(text, filters, RETRIEVAL_DEPTH, task)? {
            if !is_relevant(&scores, threshold, has_threshold) {
                continue;
            }
            match results.iter_mut().find(|(document, _)| *document == id) {
                Some((_, best)) => {
                    best.fused = best.fused.max(scores.fused);
                    best.cosine = best.cosine.into_iter().chain(scores.cosine).reduce(f32::max);
                }
                None => results.push((id, scores)),
            }
        }
    }
    let vector = context.vector(&question.text)?;
    context.store.read(|r| {
        let mut documents = Vec::new();
        for (id, scores) in results {
            let row = r.document(id)?.filter(|d| d.deleted_at.is_none());
            documents.extend(row.map(|row| (scores, row)));
        }
        documents
            .sort_by(|(a, x), (b, y)| b.fused.total_cmp(&a.fused).then_with(|| x.key.cmp(&y.key)));
        documents.truncate(MAX_PASSAGES);
        let documents = documents.into_iter();
        documents
            .map(|(scores, row)| passage(context, question, scores.cosine, row, vector.as_deref()))
            .collect()
    })
}

fn passage(
    context: &QueryContext<'_>,
    question: &Question,
    similarity: Option<f32>,
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
        similarity,
        text: excerpt(&text, MAX_PASSAGE).0,
        key: row.key,
        title: row.title,
        url: row.url,
    })
}

/// Returns the title, error codes, quoted messages and component names of a report, as a second
/// query without its prose.
fn keywords(title: &str, body: &PreparedText) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut add = |word: String| {
        if !word.trim().is_empty() && !out.contains(&word) {
            out.push(word);
        }
    };
    add(title.trim().to_owned());
    let signatures = body.signatures(title);
    for kind in [SignatureKind::Code, SignatureKind::Message, SignatureKind::Exception] {
        for signature in signatures.iter().filter(|s| s.kind == kind) {
            add(signature.text.clone());
        }
    }
    let mut names = 0;
    for (_, name) in tokens::identifiers(body.prose()) {
        if names < MAX_NAMES && name.len() > 3 && name.contains(|c: char| c.is_alphabetic()) {
            add(name);
            names += 1;
        }
    }
    let mut text = out.join("\n");
    text.truncate(text.floor_char_boundary(MAX_KEYWORDS));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_exclude_prose() {
        let body = PreparedText::body(
            "Since Monday the fw_agent stops over night.\n\n```\nERROR FW-1043: \"replication slot is gone\"\n```\n",
            &Skeleton::default(),
        );
        let words = keywords("Agent stops", &body);
        for name in ["Agent stops", "fw-1043", "fw_agent"] {
            assert!(words.contains(name), "{words}");
        }
        assert!(!words.contains("Monday"));
    }
}
