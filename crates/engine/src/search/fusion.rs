//! Score fusion of the arms: the sum of normalized scores. On the development sets it ranks better
//! than reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009), for typed queries and for
//! whole reports (docs/evaluation.md).

use std::collections::HashMap;

use precedent_core::model::{Arm, Contribution};
use precedent_index::vectors::Likeness;

/// A document with its fused score and the contributions to it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FusedHit {
    pub(super) document: i64,
    pub(super) score: f32,
    pub(super) contributions: Vec<Contribution>,
}

/// The weights of the arms, relative to 1 for the best word score.
#[derive(Debug)]
pub(super) struct Factors {
    /// The weight of the difference between a document's cosine and the lowest one found.
    semantic: f32,
    /// The weight of the highest signature score.
    signatures: f32,
}

/// The weights for a short typed query. A typed signature is intentional.
pub(super) const TYPED_FACTORS: Factors = Factors { semantic: 2.0, signatures: 0.5 };
/// The weights for pasted text.
pub(super) const PASTED_FACTORS: Factors = Factors { semantic: 1.5, signatures: 0.2 };
/// The weights for pasted text with a title: the cosine is then a sum of several, see
/// [`title_scores`].
pub(super) const PASTED_WITH_TITLES: Factors = Factors { semantic: 1.0, signatures: 0.2 };

/// The weight of the cosine between a report's title and a document, relative to the whole report.
const TITLE_TO_TEXT_WEIGHT: f32 = 1.0;
/// The weight of the cosine between a report and a document's title, relative to its text.
const TEXT_TO_TITLE_WEIGHT: f32 = 0.5;

/// Computes the title score of each semantic candidate, which [`blend`] adds to its cosine.
pub(super) fn title_scores(likeness: &[Likeness]) -> Vec<f32> {
    let or_zero = |cosine: Option<f32>| cosine.unwrap_or(0.0);
    likeness
        .iter()
        .map(|l| {
            TITLE_TO_TEXT_WEIGHT * or_zero(l.title_text)
                + TEXT_TO_TITLE_WEIGHT * or_zero(l.text_title)
        })
        .collect()
}

/// The results of the arms, each best first.
#[derive(Debug, Default)]
pub(super) struct ArmResults {
    pub(super) words: Vec<(i64, f32)>,
    pub(super) semantic: Vec<(i64, f32)>,
    /// The [`title_scores`] of the documents in `semantic`; empty without a title.
    pub(super) titles: Vec<f32>,
    pub(super) signatures: Vec<(i64, f32)>,
    /// The documents in `words` with passages that have no vector yet, ascending. Each is ranked as
    /// if its meaning matched at least as well as its words do.
    pub(super) unembedded_ids: Vec<i64>,
}

/// Ranks the documents of all arms by the sum of their normalized scores, best first; ties by id.
pub(super) fn blend(factors: &Factors, results: &ArmResults) -> Vec<FusedHit> {
    let ArmResults { words, semantic, titles, signatures, unembedded_ids } = results;
    let best = |list: &[(i64, f32)]| list.first().map_or(1.0, |(_, s)| s.max(f32::MIN_POSITIVE));
    let (best_word_score, best_signature_score) = (best(words), best(signatures));
    let total_cosine =
        |index: usize, cosine: f32| cosine + titles.get(index).copied().unwrap_or(0.0);
    // Documents that the arm did not find are at most as near as the farthest one found.
    let cosines = || semantic.iter().enumerate().map(|(index, (_, s))| total_cosine(index, *s));
    let farthest = cosines().min_by(f32::total_cmp).unwrap_or(0.0);
    let nearest = cosines().max_by(f32::total_cmp).unwrap_or(0.0);
    let cosine_margins: HashMap<i64, f32> = semantic
        .iter()
        .enumerate()
        .map(|(index, (id, s))| (*id, total_cosine(index, *s) - farthest))
        .collect();
    let word_score = |index: usize, s: f32| {
        let share = s / best_word_score;
        let unembedded_hit =
            words.get(index).filter(|(id, _)| unembedded_ids.binary_search(id).is_ok());
        let estimate = unembedded_hit.map_or(0.0, |(id, _)| {
            (share * (nearest - farthest) - cosine_margins.get(id).copied().unwrap_or(0.0)).max(0.0)
        });
        share + factors.semantic * estimate
    };
    sum_contributions(&[
        (Arm::Lexical, 1.0, words, &word_score),
        (Arm::Semantic, factors.semantic, semantic, &|index, s| total_cosine(index, s) - farthest),
        (Arm::Signature, factors.signatures, signatures, &|_, s| s / best_signature_score),
    ])
}

/// The documents of an arm with their scores, best first.
type ArmList = [(i64, f32)];
/// Scores a document of an arm by its index and its score there.
type ScoreFn<'a> = dyn Fn(usize, f32) -> f32 + 'a;

/// Sums the weighted scores of each document over the arms.
fn sum_contributions(arms: &[(Arm, f32, &ArmList, &ScoreFn<'_>)]) -> Vec<FusedHit> {
    let mut by_document: HashMap<i64, Vec<Contribution>> = HashMap::new();
    for (arm, weight, documents, score_fn) in arms.iter().copied() {
        let mut rank = 0;
        let mut previous_score = f32::NAN;
        for ((index, position), (document, score)) in (0..).zip(1_u32..).zip(documents) {
            if score.total_cmp(&previous_score).is_ne() {
                rank = position;
                previous_score = *score;
            }
            let adds = weight * score_fn(index, *score);
            let contribution = Contribution { arm, rank, score: *score, weight, adds };
            by_document.entry(*document).or_default().push(contribution);
        }
    }
    let mut documents: Vec<FusedHit> = by_document
        .into_iter()
        .map(|(document, contributions)| FusedHit {
            document,
            score: contributions.iter().map(|c| c.adds).sum(),
            contributions,
        })
        .collect();
    documents.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
    documents
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(words: &[(i64, f32)], semantic: &[(i64, f32)]) -> ArmResults {
        ArmResults { words: words.to_vec(), semantic: semantic.to_vec(), ..ArmResults::default() }
    }

    fn order(factors: &Factors, results: &ArmResults) -> Vec<i64> {
        blend(factors, results).into_iter().map(|hit| hit.document).collect()
    }

    #[test]
    fn documents_of_both_arms_come_first() {
        let results = results(&[(1, 0.9), (2, 0.8)], &[(3, 0.9), (2, 0.8), (4, 0.3)]);
        assert_eq!(order(&TYPED_FACTORS, &results), [2, 3, 1, 4]);
    }

    #[test]
    fn equal_scores_share_a_rank() {
        let results = results(&[(9, 1.0), (4, 1.0)], &[]);
        let hits = blend(&TYPED_FACTORS, &results).into_iter();
        let ranks: Vec<_> = hits.map(|hit| (hit.document, hit.contributions[0].rank)).collect();
        assert_eq!(ranks, [(4, 1), (9, 1)]);
    }

    #[test]
    fn pasted_texts_are_ranked_by_scores() {
        let pasted_order = |words: &[(i64, f32)], semantic: &[(i64, f32)]| {
            order(&PASTED_FACTORS, &results(words, semantic))
        };
        assert_eq!(pasted_order(&[(1, 0.4), (2, 0.1)], &[(2, 0.7), (1, 0.6)]), [1, 2]);
        assert_eq!(pasted_order(&[(1, 0.4), (2, 0.39)], &[(2, 0.9), (1, 0.4)]), [2, 1]);
        assert_eq!(pasted_order(&[], &[]), [0_i64; 0]);
    }

    #[test]
    fn similar_titles_raise_the_score() {
        let likeness_of = |title: f32| Likeness {
            title_text: Some(title),
            text_title: Some(title),
            ..Likeness::default()
        };
        let semantic = [(1, 0.6), (2, 0.55), (3, 0.5)];
        let titles = title_scores(&[likeness_of(0.2), likeness_of(0.7), likeness_of(0.1)]);
        let results = ArmResults { titles, ..results(&[(4, 1.0)], &semantic) };
        let documents = blend(&PASTED_WITH_TITLES, &results);
        let order: Vec<i64> = documents.iter().map(|f| f.document).collect();
        assert_eq!(order, [4, 2, 1, 3]);
        let nearest = documents.iter().find(|f| f.document == 2).unwrap();
        assert_eq!((nearest.contributions[0].score, nearest.contributions[0].rank), (0.55, 2));
        assert_eq!(documents[3].score, 0.0, "the farthest candidate adds nothing");
    }

    #[test]
    fn missing_vector_never_ranks_a_document_lower() {
        let words = [(1, 1.0), (2, 0.8), (3, 0.7)];
        let semantic = [(2, 0.9), (4, 0.2)];
        let typed_order = |unembedded_ids: &[i64]| {
            let unembedded_ids = unembedded_ids.to_vec();
            order(&TYPED_FACTORS, &ArmResults { unembedded_ids, ..results(&words, &semantic) })
        };
        assert_eq!(typed_order(&[]), [2, 1, 3, 4], "all have vectors");
        assert_eq!(typed_order(&[1, 3]), [1, 2, 3, 4]);
    }

    proptest::proptest! {
        #[test]
        fn documents_appear_once_best_first(
            a in proptest::collection::vec(0_i64..50, 0..40), b in proptest::collection::vec(0_i64..50, 0..40)
        ) {
            let list = |ids: &[i64]| {
                let mut unique = std::collections::HashSet::new();
                ids.iter().filter(|i| unique.insert(**i)).enumerate().map(|(n, i)| (*i, 100.0 - n as f32)).collect::<Vec<_>>()
            };
            let (a, b) = (list(&a), list(&b));
            let out = blend(&TYPED_FACTORS, &results(&a, &b));
            let ids: std::collections::HashSet<i64> = out.iter().map(|f| f.document).collect();
            proptest::prop_assert_eq!(ids.len(), out.len());
            proptest::prop_assert!(out.windows(2).all(|w| w[0].score >= w[1].score));
            for f in &out {
                proptest::prop_assert!((f.contributions.iter().map(|c| c.adds).sum::<f32>() - f.score).abs() < 1e-6);
            }
        }
    }
}
