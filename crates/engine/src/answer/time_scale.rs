//! The time scale of a source: the usual time until a problem is reported again.
//!
//! The probability that a report is a duplicate of an earlier one falls with the logarithm of the
//! days between them, but not equally fast everywhere: in one tracker duplicates come within weeks,
//! in another within years. Days are therefore divided by the time scale of the source: the ratio
//! of its usual time (geometric mean) to that of the sets that the ranking was fitted on. It is
//! estimated from two things, both independent of any ranking: the source's known duplicates, and
//! repeated titles.

use precedent_core::error::Result;
use precedent_store::Store;

/// The mean logarithm of one plus the days between a report and its duplicate, in the sets that the
/// ranking was fitted on (3.37 in rust, 3.20 in titanium, 2.93 in xamarin, 3.60 in hadoop).
const USUAL: f64 = 3.2;
/// The weight of the default time scale, in pairs.
const PRIOR: f64 = 50.0;
/// The maximum factor by which a source is slower or faster.
const MOST: f64 = 20.0;
const SECONDS_PER_DAY: f64 = 86_400.0;

/// Returns the time scale of a source whose pairs are these seconds apart; 1 is the default.
fn pace(gaps: &[i64]) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "a logarithm needs no more digits")]
    let days = |seconds: &i64| (*seconds).max(0) as f64 / SECONDS_PER_DAY;
    let sum: f64 = gaps.iter().map(|gap| (1.0 + days(gap)).ln()).sum();
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let n = gaps.len() as f64;
    let mean = (sum + PRIOR * USUAL) / (n + PRIOR);
    (mean - USUAL).exp().clamp(1.0 / MOST, MOST)
}

/// Estimates and stores the time scale of every source.
///
/// # Errors
/// Database errors.
pub fn take_paces(store: &Store) -> Result<()> {
    let paces = store.read(|r| {
        let mut changed = Vec::new();
        for source in r.sources()? {
            let now = pace(&r.gaps_between_duplicates(source.id)?);
            // A nearly equal value changes no ranking and is not worth a write after every update.
            if (now / r.pace(source.id)?).ln().abs() > 0.05 {
                changed.push((source.id, now));
            }
        }
        Ok(changed)
    })?;
    if paces.is_empty() {
        return Ok(());
    }
    store.write(|w| paces.iter().try_for_each(|(source, pace)| w.put_pace(*source, *pace)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_without_pairs_has_the_usual_pace_and_many_pairs_outweigh_it() {
        assert!((pace(&[]) - 1.0).abs() < 1e-9);
        let year = 365 * 86_400;
        let (few, many) = (pace(&[year; 5]), pace(&[year; 500]));
        assert!(few > 1.0 && few < 1.5 && many > 10.0 && many < 20.0, "{few} {many}");
        assert!(pace(&[60; 500]) < 0.1);
        assert_eq!(pace(&[i64::MIN, i64::MAX]).clamp(0.05, 20.0), pace(&[i64::MIN, i64::MAX]));
    }
}
