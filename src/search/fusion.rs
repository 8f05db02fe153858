//! Reciprocal rank fusion, with its arithmetic.
//!
//! Cormack, Clarke, Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods",
//! SIGIR 2009: the sum over the arms of `weight / (60 + rank)`. It needs no scores that compare, and decides order alone.

use std::collections::HashMap;

use crate::model::{Arm, Contribution};

/// The constant of the paper.
const K: f32 = 60.0;

/// One arm's documents, best first.
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

/// The documents of all arms, best first; ties by id. Documents that an arm scores alike share the better rank.
pub(super) fn fuse(arms: &[Ranked<'_>]) -> Vec<Fused> {
    let mut all: HashMap<i64, Vec<Contribution>> = HashMap::new();
    for arm in arms {
        let mut rank = 0;
        let mut before = f32::NAN;
        for (place, (document, score)) in (1_u32..).zip(arm.documents) {
            if score.total_cmp(&before).is_ne() {
                rank = place;
                before = *score;
            }
            #[allow(clippy::cast_precision_loss, reason = "ranks are small")]
            let adds = arm.weight / (K + rank as f32);
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
