//! Matches across languages: candidates, order and confidence from the index of titles and first
//! passages. Its cosines and those of the built-in model are never compared with each other.

use std::{
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use precedent_core::error::{Code, Result};
use precedent_index::{
    filter::Filter,
    update::chunks::is_foreign,
    vectors::{Likeness, Vectors},
};
use precedent_text::language;
use serde::Deserialize;

use super::{Draft, Match, MatchFinder, confidence::probability};
use crate::{QueryContext, search::report_texts};

/// The number of nearest documents whose language is determined for an English question.
const LANGUAGE_SAMPLE: usize = 64;
/// The constant of reciprocal rank fusion, usually 60. A lower one favors the top of each list.
const RANK_CONSTANT: f32 = 3.0;

/// The documents nearest to a question in the index for other languages, nearest first.
pub(super) struct LanguageMatches {
    /// True if the question is not English; if false, only documents that are not English are
    /// included.
    is_foreign: bool,
    /// The rank among all documents, from 1, and the cosine, by document.
    nearest: HashMap<i64, (u16, f32)>,
}

/// A document near to a question in the index for other languages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanguageHit {
    pub(crate) document: i64,
    /// The mean cosine between the titles and texts of both, which orders the documents.
    pub(crate) mean: f32,
    /// The best of these cosines, which sets the confidence: a question may be a title alone.
    best: f32,
}

impl LanguageHit {
    /// Creates the hit for a document. One whose text is its title has only one vector.
    fn new(document: i64, likeness: &Likeness) -> Self {
        let first = |a: Option<f32>, b: Option<f32>| a.or(b).unwrap_or(0.0);
        let cosines = [
            first(likeness.title_title, likeness.title_text),
            first(likeness.title_text, likeness.title_title),
            first(likeness.text_title, likeness.text_text),
            first(likeness.text_text, likeness.text_title),
        ];
        Self {
            document,
            mean: cosines.iter().sum::<f32>() / 4.0,
            best: cosines.into_iter().fold(0.0, f32::max),
        }
    }
}

/// The probabilities of a pair in different languages.
#[derive(Deserialize)]
struct Curves {
    duplicate: CosineCurve,
    worth: CosineCurve,
}

/// A logistic curve over the cosine.
#[derive(Deserialize)]
struct CosineCurve {
    bias: f32,
    cosine: f32,
}

impl CosineCurve {
    fn probability(&self, cosine: f32) -> f32 {
        probability(self.bias + self.cosine * cosine)
    }
}

#[allow(clippy::expect_used, reason = "a test reads the embedded curves")]
static CURVES: LazyLock<Curves> = LazyLock::new(|| {
    serde_json::from_str(include_str!("languages.json")).expect("the built-in curves are valid")
});

impl QueryContext<'_> {
    /// Returns the documents nearest to a report in the index for other languages, by descending
    /// mean cosine between the titles and texts of both; ties by id.
    pub(crate) fn nearest_across_languages(
        &self,
        vectors: &Vectors,
        (title, text): (&str, &str),
        filters: &[Filter],
        depth: usize,
    ) -> Result<Vec<LanguageHit>> {
        let filter_ids = self.fulltext.matching_ids(filters)?;
        let text_vector = (self.embed_non_english)(text)?;
        let mut ids = BTreeSet::new();
        let mut add = |vector: &[f32]| -> Result<()> {
            ids.extend(
                vectors.search(vector, filter_ids.as_deref(), depth)?.iter().map(|n| n.document),
            );
            Ok(())
        };
        add(&text_vector)?;
        let title_vector = if title.is_empty() || title == text {
            text_vector.clone()
        } else {
            let vector = (self.embed_non_english)(title)?;
            add(&vector)?;
            vector
        };
        let ids: Vec<i64> = ids.into_iter().collect();
        let likeness = vectors.compare(&title_vector, &text_vector, &ids)?;
        let mut nearest: Vec<LanguageHit> = ids
            .into_iter()
            .zip(&likeness)
            .map(|(id, likeness)| LanguageHit::new(id, likeness))
            .collect();
        nearest.sort_by(|a, b| b.mean.total_cmp(&a.mean).then(a.document.cmp(&b.document)));
        nearest.truncate(depth);
        Ok(nearest)
    }

    /// Returns the vectors for other languages, if there are any; `is_needed` as in
    /// [`QueryContext::non_english_vectors`]. A missing model is not an error.
    pub(crate) fn language_vectors(
        &self,
        is_needed: bool,
    ) -> Result<Option<std::sync::Arc<Vectors>>> {
        match (self.non_english_vectors)(is_needed) {
            Ok(Some(vectors)) => Ok((vectors.extent()?.embedded_chunks > 0).then_some(vectors)),
            Err(error) if error.code() == Code::ModelUnavailable => Ok(None),
            result => result,
        }
    }

    /// Returns which of the nearest documents are not English; examines only the first
    /// [`LANGUAGE_SAMPLE`].
    pub(crate) fn foreign_documents(
        &self,
        nearest: impl Iterator<Item = i64>,
    ) -> Result<BTreeSet<i64>> {
        self.store.read(|r| {
            let mut foreign = BTreeSet::new();
            for id in nearest.take(LANGUAGE_SAMPLE) {
                let row = r.document(id)?;
                if row.is_some_and(|row| is_foreign(&row.title, &row.body)) {
                    foreign.insert(id);
                }
            }
            Ok(foreign)
        })
    }
}

impl MatchFinder<'_> {
    /// Returns the candidates of a draft across languages; `None` if draft and casebook are
    /// English.
    pub(super) fn language_matches(
        &self,
        draft: &Draft,
        filters: &[Filter],
        depth: usize,
    ) -> Result<Option<LanguageMatches>> {
        if self.vectors.is_none() {
            return Ok(None);
        }
        let is_foreign = language::foreign_language(&draft.body.whole(&draft.title)).is_some();
        // The language of stored documents is counted when they are indexed.
        let Some(vectors) = self.language_vectors(is_foreign && draft.document.is_none())? else {
            return Ok(None);
        };
        let (text, title) = report_texts(&draft.title, &draft.body);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let mut nearest =
            match self.nearest_across_languages(&vectors, (&title, &text), filters, depth) {
                Err(error) if error.code() == Code::ModelUnavailable => return Ok(None),
                nearest => nearest?,
            };
        nearest.retain(|hit| Some(hit.document) != draft.document);
        let mut ranks: HashMap<i64, (u16, f32)> =
            nearest.iter().zip(1..).map(|(hit, rank)| (hit.document, (rank, hit.best))).collect();
        if !is_foreign {
            let foreign = self.foreign_documents(nearest.iter().map(|hit| hit.document))?;
            ranks.retain(|id, _| foreign.contains(id));
        }
        Ok((!ranks.is_empty()).then_some(LanguageMatches { is_foreign, nearest: ranks }))
    }
}

impl LanguageMatches {
    /// Returns the ids of the documents.
    pub(super) fn ids(&self) -> impl Iterator<Item = i64> {
        self.nearest.keys().copied()
    }

    /// Fuses the ranking by words and the built-in model with the nearest documents across
    /// languages, by rank. Matches with the same failure stay first. Each match gets the higher of
    /// the two confidences, within the pair's bounds.
    pub(super) fn fuse(&self, matches: &mut Vec<Match>) {
        for item in matches.iter_mut() {
            if let Some((_, cosine)) = self.nearest.get(&item.document) {
                let worth = CURVES.worth.probability(*cosine);
                let ceiling = match item.features.is_templated() {
                    true => item.confidence,
                    false => item.overlap.as_ref().map_or(1.0, |overlap| overlap.bounds(false).1),
                };
                let duplicate = CURVES.duplicate.probability(*cosine).min(ceiling);
                item.confidence = item.confidence.max(duplicate);
                item.worth = item.worth.max(worth).max(item.confidence);
                item.cross_language_worth = Some(worth);
            }
        }
        let mut rank = 0_u16;
        let mut keyed_matches: Vec<(bool, f32, Match)> = std::mem::take(matches)
            .into_iter()
            .map(|item| {
                let language_rank = self.nearest.get(&item.document).map(|(rank, _)| *rank);
                let is_ranked = self.is_foreign || language_rank.is_none();
                rank = rank.saturating_add(u16::from(is_ranked));
                let key = share(is_ranked.then_some(rank)) + share(language_rank);
                (item.is_same_failure(), key, item)
            })
            .collect();
        keyed_matches.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.total_cmp(&a.1)));
        matches.extend(keyed_matches.into_iter().map(|(.., item)| item));
    }
}

/// Returns the share of a rank in the fused score.
fn share(rank: Option<u16>) -> f32 {
    rank.map_or(0.0, |rank| 1.0 / (RANK_CONSTANT + f32::from(rank)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_curves_rise_with_the_cosine() {
        let probabilities =
            |cosine| (CURVES.duplicate.probability(cosine), CURVES.worth.probability(cosine));
        assert!(
            probabilities(0.3).0 < 0.05 && probabilities(0.8).0 < 0.5 && probabilities(0.8).1 > 0.9,
            "{:?} {:?}",
            probabilities(0.3),
            probabilities(0.8)
        );
    }
}
