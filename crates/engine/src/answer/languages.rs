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
use precedent_text::{
    chunk::{chunks, representation},
    language,
};
use serde::Deserialize;

use super::{Draft, Match, MatchFinder};
use crate::QueryContext;

/// The number of nearest documents whose language is determined for an English question.
const LANGUAGE_SAMPLE: usize = 64;
/// The constant of reciprocal rank fusion, which the literature sets to 60. A lower one lets the
/// first of each list lead.
const RANK_CONSTANT: f32 = 3.0;

/// The documents nearest to a question in the index for other languages, nearest first.
pub(super) struct LanguageMatches {
    /// True if the question is not English; otherwise only documents that are not are here.
    is_foreign: bool,
    /// The rank among all documents, from 1, and the cosine, by document.
    nearest: HashMap<i64, (u16, f32)>,
}

/// A document near to a question in the index for other languages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AcrossHit {
    pub(crate) document: i64,
    /// The mean cosine of title and text to title and text, which orders the documents.
    pub(crate) mean: f32,
    /// The best of these cosines, which decides about confidence: a question may be a title alone.
    best: f32,
}

impl AcrossHit {
    /// A document whose text is its title has one vector.
    fn new(document: i64, likeness: &Likeness) -> Self {
        let of = |cosine: Option<f32>, instead: Option<f32>| cosine.or(instead).unwrap_or(0.0);
        let cosines = [
            of(likeness.title_title, likeness.title_text),
            of(likeness.title_text, likeness.title_title),
            of(likeness.text_title, likeness.text_text),
            of(likeness.text_text, likeness.text_title),
        ];
        Self {
            document,
            mean: cosines.iter().sum::<f32>() / 4.0,
            best: cosines.into_iter().fold(0.0, f32::max),
        }
    }
}

/// The probabilities of a pair in different languages, as logistic curves over the cosine.
#[derive(Deserialize)]
struct Curves {
    duplicate: Curve,
    worth: Curve,
}

/// A logistic curve.
#[derive(Deserialize)]
struct Curve {
    bias: f32,
    cosine: f32,
}

impl Curve {
    fn probability(&self, cosine: f32) -> f32 {
        1.0 / (1.0 + (-self.bias - self.cosine * cosine).exp())
    }
}

/// The built-in curves; `None` if the file is invalid, which a test excludes.
static CURVES: LazyLock<Option<Curves>> =
    LazyLock::new(|| serde_json::from_str(include_str!("languages.json")).ok());

impl QueryContext<'_> {
    /// Returns the documents nearest to a report in the index for other languages, nearest first,
    /// ties by id: by the mean cosine of title and text to title and text.
    ///
    /// # Errors
    /// Database or index errors.
    pub(crate) fn nearest_across(
        &self,
        vectors: &Vectors,
        (title, text): (&str, &str),
        filters: &[Filter],
        depth: usize,
    ) -> Result<Vec<AcrossHit>> {
        let filter_ids = self.fulltext.matching_ids(filters)?;
        let text_vector = self.languages.embed(text)?;
        let mut ids = BTreeSet::new();
        let mut add = |vector: &[f32]| -> Result<()> {
            ids.extend(
                vectors.search(vector, filter_ids.as_deref(), depth)?.iter().map(|n| n.document),
            );
            Ok(())
        };
        add(&text_vector)?;
        let title_vector = match title {
            "" => text_vector.clone(),
            title if title == text => text_vector.clone(),
            title => {
                let vector = self.languages.embed(title)?;
                add(&vector)?;
                vector
            }
        };
        let ids: Vec<i64> = ids.into_iter().collect();
        let likeness = vectors.compare(&title_vector, &text_vector, &ids)?;
        let mut nearest: Vec<AcrossHit> = ids
            .into_iter()
            .zip(&likeness)
            .map(|(id, likeness)| AcrossHit::new(id, likeness))
            .collect();
        nearest.sort_by(|a, b| b.mean.total_cmp(&a.mean).then(a.document.cmp(&b.document)));
        nearest.truncate(depth);
        Ok(nearest)
    }

    /// Returns the vectors for other languages, if there are any; `is_needed` as in
    /// [`crate::LanguageIndex::vectors`]. A missing model is not an error.
    ///
    /// # Errors
    /// Database errors.
    pub(crate) fn language_vectors(
        &self,
        is_needed: bool,
    ) -> Result<Option<std::sync::Arc<Vectors>>> {
        match self.languages.vectors(is_needed) {
            Ok(Some(vectors)) => Ok((vectors.extent()?.embedded_chunks > 0).then_some(vectors)),
            Ok(None) => Ok(None),
            Err(error) if error.code() == Code::ModelUnavailable => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns which of the nearest documents are in another language than English; reads the
    /// first ones only.
    ///
    /// # Errors
    /// Database errors.
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
        let title = representation(&draft.title, "");
        let first = chunks(&draft.body, 1).into_iter().next();
        let text = first.map_or_else(|| title.clone(), |first| first.representation(&draft.title));
        if text.trim().is_empty() {
            return Ok(None);
        }
        let mut nearest = match self.nearest_across(&vectors, (&title, &text), filters, depth) {
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

    /// Fuses the ranking by words and by the built-in model with the nearest documents across
    /// languages, by rank. The same failure stays first. Confidence is that of either evidence,
    /// within the bounds of the pair.
    pub(super) fn fuse(&self, matches: &mut Vec<Match>) {
        for item in matches.iter_mut() {
            if let (Some((_, cosine)), Some(curves)) = (self.nearest.get(&item.document), &*CURVES)
            {
                let worth = curves.worth.probability(*cosine);
                let ceiling = match item.features.is_templated() {
                    true => item.confidence,
                    false => item.overlap.as_ref().map_or(1.0, |overlap| overlap.bounds(false).1),
                };
                let duplicate = curves.duplicate.probability(*cosine).min(ceiling);
                item.confidence = item.confidence.max(duplicate);
                item.worth = item.worth.max(worth).max(item.confidence);
                item.worth_across = Some(worth);
            }
        }
        let mut rank = 0_u16;
        let mut keyed_matches: Vec<(bool, f32, Match)> = std::mem::take(matches)
            .into_iter()
            .map(|item| {
                let across = self.nearest.get(&item.document).map(|(rank, _)| *rank);
                let counts = self.is_foreign || across.is_none();
                rank = rank.saturating_add(u16::from(counts));
                let key = share(counts.then_some(rank)) + share(across);
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
        let curves = CURVES.as_ref().unwrap();
        let at = |cosine| (curves.duplicate.probability(cosine), curves.worth.probability(cosine));
        assert!(
            at(0.3).0 < 0.05 && at(0.8).0 < 0.5 && at(0.8).1 > 0.9,
            "{:?} {:?}",
            at(0.3),
            at(0.8)
        );
    }
}
