//! Fusion of the arms, with its arithmetic: by reciprocal rank for typed queries, by score for pasted reports.
//!
//! Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
//! SIGIR 2009: the sum over the arms of `weight / (60 + rank)`. It needs no scores that compare, and decides order alone.

use std::collections::HashMap;

use crate::model::{Arm, Contribution};

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

/// What the nearest in meaning adds for a pasted text, where its best words add 1, and its signatures.
const MEANING: f32 = 1.5;
const SIGNATURES: f32 = 0.2;

/// A whole report says more than ranks do: the sum of normalised scores. On the development sets it finds one in
/// twenty more among the first ten than ranks do (docs/evaluation.md).
pub(super) fn blend(words: &[(i64, f32)], meaning: &[(i64, f32)], signatures: &[(i64, f32)]) -> Vec<Fused> {
    let best = |list: &[(i64, f32)]| list.first().map_or(1.0, |(_, s)| s.max(f32::MIN_POSITIVE));
    // What the arm did not find is no nearer than the last that it did.
    let farthest = meaning.last().map_or(0.0, |(_, s)| *s);
    let (most_words, most_signatures) = (best(words), best(signatures));
    summed(&[
        (Ranked { arm: Arm::Lexical, weight: 1.0, documents: words }, &|_, s| s / most_words),
        (Ranked { arm: Arm::Semantic, weight: MEANING, documents: meaning }, &|_, s| s - farthest),
        (Ranked { arm: Arm::Signature, weight: SIGNATURES, documents: signatures }, &|_, s| {
            s / most_signatures
        }),
    ])
}

/// The documents of all arms by reciprocal rank, best first; ties by id. Documents that an arm scores alike share the
/// better rank.
pub(super) fn fuse(arms: &[Ranked<'_>]) -> Vec<Fused> {
    #[allow(clippy::cast_precision_loss, reason = "ranks are small")]
    let by_rank: &Worth<'_> = &|rank, _| 1.0 / (K + rank as f32);
    let arms: Vec<(Ranked<'_>, &Worth<'_>)> = arms.iter().map(|a| (*a, by_rank)).collect();
    summed(&arms)
}

/// What a place in an arm is worth, by its rank and its score.
type Worth<'a> = dyn Fn(u32, f32) -> f32 + 'a;

fn summed(arms: &[(Ranked<'_>, &Worth<'_>)]) -> Vec<Fused> {
    let mut all: HashMap<i64, Vec<Contribution>> = HashMap::new();
    for (arm, worth) in arms {
        let mut rank = 0;
        let mut before = f32::NAN;
        for (place, (document, score)) in (1_u32..).zip(arm.documents) {
            if score.total_cmp(&before).is_ne() {
                rank = place;
                before = *score;
            }
            let adds = arm.weight * worth(rank, *score);
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
            blend(words, meaning, &[]).into_iter().map(|f| f.document).collect()
        };
        assert_eq!(order(&[(1, 0.4), (2, 0.1)], &[(2, 0.7), (1, 0.6)]), [1, 2]);
        assert_eq!(order(&[(1, 0.4), (2, 0.39)], &[(2, 0.9), (1, 0.4)]), [2, 1]);
        assert_eq!(order(&[], &[]), [0_i64; 0]);
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
