//! Fusion of the arms, with its arithmetic: by reciprocal rank for typed queries, by score for pasted reports.
//!
//! Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
//! SIGIR 2009: the sum over the arms of `weight / (60 + rank)`. It needs no scores that compare, and decides order alone.

use std::collections::HashMap;

use crate::{
    index::vectors::Likeness,
    model::{Arm, Contribution},
};

/// The constant of the paper.
const K: f32 = 60.0;

/// One arm's documents, best first.
#[derive(Clone, Copy)]
pub(super) struct Ranked<'a> {
    pub(super) arm: Arm,
    pub(super) weight: f32,
    pub(super) documents: &'a [(i64, f32)],
}

/// A document with its fused score and where that came from.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fused {
    pub(super) document: i64,
    pub(super) score: f32,
    pub(super) contributions: Vec<Contribution>,
}

/// What the nearest in meaning adds for a pasted text, where its best words add 1: by its cosine alone, or with those of the
/// titles; and what its signatures add.
const MEANING: f32 = 1.5;
const MEANING_WITH_TITLES: f32 = 1.0;
const SIGNATURES: f32 = 0.2;
/// What the cosine of the report's title to a document counts beside that of the report as a whole, and the cosine of the whole
/// report to the document's title.
const OF_TITLE: f32 = 1.0;
const TO_TITLE: f32 = 0.5;

/// How near titles are, of each document that the arm of meaning found: what [`blend`] counts beside the cosine.
pub(super) fn titles(likeness: &[Likeness]) -> Vec<f32> {
    let or_zero = |cosine: Option<f32>| cosine.unwrap_or(0.0);
    likeness.iter().map(|l| OF_TITLE * or_zero(l.title_text) + TO_TITLE * or_zero(l.text_title)).collect()
}

/// A whole report says more than ranks do: the sum of normalised scores. On the development sets it finds one in
/// twenty more among the first ten than ranks do (docs/evaluation.md). `titles` are [`titles`] of the documents in `meaning`, or none.
pub(super) fn blend(
    words: &[(i64, f32)],
    meaning: &[(i64, f32)],
    titles: &[f32],
    signatures: &[(i64, f32)],
) -> Vec<Fused> {
    let best = |list: &[(i64, f32)]| list.first().map_or(1.0, |(_, s)| s.max(f32::MIN_POSITIVE));
    let (most_words, most_signatures) = (best(words), best(signatures));
    let weight = if titles.is_empty() { MEANING } else { MEANING_WITH_TITLES };
    let near = |place: usize, cosine: f32| cosine + titles.get(place).copied().unwrap_or(0.0);
    // What the arm did not find is no nearer than the farthest that it did.
    let farthest = meaning
        .iter()
        .enumerate()
        .map(|(place, (_, s))| near(place, *s))
        .min_by(f32::total_cmp)
        .unwrap_or(0.0);
    summed(&[
        (Ranked { arm: Arm::Lexical, weight: 1.0, documents: words }, &|_, _, s| s / most_words),
        (Ranked { arm: Arm::Semantic, weight, documents: meaning }, &|place, _, s| near(place, s) - farthest),
        (Ranked { arm: Arm::Signature, weight: SIGNATURES, documents: signatures }, &|_, _, s| {
            s / most_signatures
        }),
    ])
}

/// The documents of all arms by reciprocal rank, best first; ties by id. Documents that an arm scores alike share the
/// better rank.
pub(super) fn fuse(arms: &[Ranked<'_>]) -> Vec<Fused> {
    #[allow(clippy::cast_precision_loss, reason = "ranks are small")]
    let by_rank: &Worth<'_> = &|_, rank, _| 1.0 / (K + rank as f32);
    let arms: Vec<(Ranked<'_>, &Worth<'_>)> = arms.iter().map(|a| (*a, by_rank)).collect();
    summed(&arms)
}

/// What a document of an arm is worth, by its place in the list, its rank and its score.
type Worth<'a> = dyn Fn(usize, u32, f32) -> f32 + 'a;

fn summed(arms: &[(Ranked<'_>, &Worth<'_>)]) -> Vec<Fused> {
    let mut all: HashMap<i64, Vec<Contribution>> = HashMap::new();
    for (arm, worth) in arms {
        let mut rank = 0;
        let mut before = f32::NAN;
        for ((place, next), (document, score)) in (0..).zip(1_u32..).zip(arm.documents) {
            if score.total_cmp(&before).is_ne() {
                rank = next;
                before = *score;
            }
            let adds = arm.weight * worth(place, rank, *score);
            let contribution = Contribution { arm: arm.arm, rank, score: *score, weight: arm.weight, adds };
            all.entry(*document).or_default().push(contribution);
        }
    }
    let mut fused: Vec<Fused> = all
        .into_iter()
        .map(|(document, contributions)| Fused {
            document,
            score: contributions.iter().map(|c| c.adds).sum(),
            contributions,
        })
        .collect();
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
    fused
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fused(lexical: &[(i64, f32)], semantic: &[(i64, f32)]) -> Vec<i64> {
        fuse(&[
            Ranked { arm: Arm::Lexical, weight: 1.0, documents: lexical },
            Ranked { arm: Arm::Semantic, weight: 1.0, documents: semantic },
        ])
        .into_iter()
        .map(|f| f.document)
        .collect()
    }

    #[test]
    fn what_both_arms_find_comes_first() {
        assert_eq!(fused(&[(1, 9.0), (2, 8.0)], &[(3, 0.9), (2, 0.8)]), [2, 1, 3]);
    }

    #[test]
    fn equal_scores_share_a_rank_and_ties_break_by_id() {
        assert_eq!(fused(&[(9, 1.0), (4, 1.0)], &[]), [4, 9]);
    }

    #[test]
    fn a_report_is_ranked_by_what_scores_say() {
        let order = |words: &[(i64, f32)], meaning: &[(i64, f32)]| -> Vec<i64> {
            blend(words, meaning, &[], &[]).into_iter().map(|f| f.document).collect()
        };
        assert_eq!(order(&[(1, 0.4), (2, 0.1)], &[(2, 0.7), (1, 0.6)]), [1, 2]);
        assert_eq!(order(&[(1, 0.4), (2, 0.39)], &[(2, 0.9), (1, 0.4)]), [2, 1]);
        assert_eq!(order(&[], &[]), [0_i64; 0]);
    }

    #[test]
    fn titles_that_say_the_same_count_beside_the_whole() {
        let like =
            |title: f32| Likeness { title_text: Some(title), text_title: Some(title), ..Likeness::default() };
        let meaning = [(1, 0.6), (2, 0.55), (3, 0.5)];
        let fused = blend(&[(4, 1.0)], &meaning, &titles(&[like(0.2), like(0.7), like(0.1)]), &[]);
        let order: Vec<i64> = fused.iter().map(|f| f.document).collect();
        assert_eq!(order, [4, 2, 1, 3]);
        let nearest = fused.iter().find(|f| f.document == 2).unwrap();
        assert_eq!((nearest.contributions[0].score, nearest.contributions[0].rank), (0.55, 2));
        assert_eq!(fused[3].score, 0.0, "the farthest adds nothing, as what was not found");
    }

    proptest::proptest! {
        #[test]
        fn every_document_appears_once_in_falling_order(
            a in proptest::collection::vec(0_i64..50, 0..40), b in proptest::collection::vec(0_i64..50, 0..40)
        ) {
            let list = |ids: &[i64]| {
                let mut seen = std::collections::HashSet::new();
                ids.iter().filter(|i| seen.insert(**i)).enumerate().map(|(n, i)| (*i, 100.0 - n as f32)).collect::<Vec<_>>()
            };
            let (a, b) = (list(&a), list(&b));
            let out = fuse(&[
                Ranked { arm: Arm::Lexical, weight: 1.0, documents: &a },
                Ranked { arm: Arm::Semantic, weight: 1.0, documents: &b },
            ]);
            let ids: std::collections::HashSet<i64> = out.iter().map(|f| f.document).collect();
            proptest::prop_assert_eq!(ids.len(), out.len());
            proptest::prop_assert!(out.windows(2).all(|w| w[0].score >= w[1].score));
            // Being found by both never ranks below the same ranks in one.
            for f in &out {
                proptest::prop_assert!((f.contributions.iter().map(|c| c.adds).sum::<f32>() - f.score).abs() < 1e-6);
            }
        }
    }
}
