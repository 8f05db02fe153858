//! The score baseline of a source: the usual log-odds of its top candidates, without any labels.
//!
//! The same evidence means more in one tracker than in another. If reports of one product use one
//! form, the top candidate of any report is as similar as a duplicate is elsewhere. The log-odds
//! are therefore measured from those that top candidates of the source usually get, in their own
//! spread, as speaker verification does with an impostor's scores (zero normalisation:
//! Auckenthaler, Carey and Lloyd-Thomas 2000, "Score normalization for text-independent speaker
//! verification systems"). Median and quartiles are used, because most top candidates are not
//! duplicates. The same sample gives the source's time scale. Neither needs labels.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    Match, MatchFinder, RankingModel, Scope,
    time_scale::{Recurrence, time_scale},
};
use precedent_core::{
    error::Result,
    model::DocKind,
    task::{Phase, Task},
};
use precedent_index::filter::{Filter, Test};
use precedent_store::{ScoreBaseline, SourceRow};

/// The minimum number of issues for a baseline; smaller sources use the default.
const FEWEST: u64 = 200;
/// The number of reports queried, evenly spaced by age in the newer half, which has enough earlier
/// reports.
const SAMPLE: usize = 400;
/// The weight of the default baseline, in reports.
const PRIOR: f32 = 50.0;
/// The growth factor of the issue count at which the baseline is estimated again.
const GROWTH: u64 = 2;
/// The maximum distance of the level above or below the default, in default spreads: if every other
/// report is a duplicate, the median is one as well.
const ABOVE: f32 = 0.4;
const BELOW: f32 = 1.0;
/// The maximum factor by which the spread is wider or narrower than the default.
const WIDE: f32 = 1.6;
/// The logarithm of the ratio up to which two time scales rank alike.
const SAME_PACE: f64 = 0.05;

/// Estimates the time scale and the baseline of a source, unless a current one is stored. Returns
/// whether one was.
///
/// # Errors
/// [`precedent_core::Code::Cancelled`]; database or index errors.
pub fn estimate_baseline(
    finder: &MatchFinder<'_>,
    source: &SourceRow,
    made_with: &str,
    now: Timestamp,
    task: &Task,
) -> Result<bool> {
    let sample = finder.store.read(|r| {
        let issues = r.issue_count(source.id)?;
        let current = r.score_baseline(source.id, made_with)?;
        if issues < FEWEST
            || current.is_some_and(|(_, earlier_count)| issues < earlier_count * GROWTH)
        {
            return Ok(None);
        }
        let ids = r.issues_by_age(source.id)?;
        let newer = &ids[ids.len() / 2..];
        let step = newer.len().div_ceil(SAMPLE).max(1);
        let sample: Vec<i64> = newer.iter().step_by(step).copied().collect();
        Ok(Some((sample, issues, r.skeleton(source.id)?, r.time_scale(source.id)?)))
    })?;
    let Some((sample, issues, skeleton, old_scale)) = sample else { return Ok(false) };
    let filters = vec![
        Filter { test: Test::Source(source.key.clone()), is_negated: false },
        Filter { test: Test::Kind(DocKind::Issue), is_negated: false },
    ];
    let scope = Scope { filters, ..Scope::default() };
    let (progress, total) = (AtomicU64::new(0), sample.len() as u64);
    let matches = |finder: &MatchFinder<'_>, id: i64| -> Result<Vec<Match>> {
        task.check()?;
        let Some(draft) = finder.filed_again(id, &skeleton, now)? else { return Ok(Vec::new()) };
        let candidates = finder.find(&draft, &scope, task)?;
        let count = progress.fetch_add(1, Ordering::Relaxed) + 1;
        task.report(Phase::Calibrate, count.min(total), Some(total), "reports");
        Ok(candidates)
    };
    let finder = &MatchFinder { pace: old_scale, ..*finder };
    let first = |id: &i64| -> Result<(Option<Recurrence>, Option<f32>)> {
        let candidates = matches(finder, *id)?;
        Ok((
            Recurrence::new(&candidates, finder.table, old_scale),
            odds_of_first(&candidates, finder.table),
        ))
    };
    let first = sample.par_iter().map(first).collect::<Result<Vec<_>>>()?;
    let (recurrences, mut odds): (Vec<_>, Vec<_>) = first.into_iter().unzip();
    let recurrences: Vec<Recurrence> = recurrences.into_iter().flatten().collect();
    let scale = time_scale(&recurrences, finder.table);
    if (scale / old_scale).ln().abs() > SAME_PACE {
        let finder = &MatchFinder { pace: scale, ..*finder };
        let second_pass = |id: &i64| Ok(odds_of_first(&matches(finder, *id)?, finder.table));
        odds = sample.par_iter().map(second_pass).collect::<Result<_>>()?;
    }
    let baseline = summarize(odds.into_iter().flatten().collect(), finder.table);
    finder.store.write(|w| {
        w.set_time_scale(source.id, scale)?;
        w.set_score_baseline(source.id, baseline, issues, made_with)
    })?;
    Ok(true)
}

/// Returns the log-odds of the top candidate. One that a rule decides does not reflect the model's
/// log-odds.
fn odds_of_first(matches: &[Match], model: &RankingModel) -> Option<f32> {
    let evidence = matches.first()?.evidence();
    (!RankingModel::is_ruled(&evidence)).then(|| model.odds(&evidence))
}

/// Computes the baseline from the log-odds of top candidates.
fn summarize(mut odds: Vec<f32>, table: &RankingModel) -> ScoreBaseline {
    let usual = table.usual();
    odds.sort_by(f32::total_cmp);
    let Some(last) = odds.len().checked_sub(1) else { return usual };
    let at = |part: usize| odds[last * part / 4];
    #[allow(clippy::cast_precision_loss, reason = "a few hundred at the most")]
    let n = odds.len() as f32;
    let shrink = |value: f32, usual: f32| (n * value + PRIOR * usual) / (n + PRIOR);
    let level = shrink(at(2), usual.level)
        .clamp(usual.level - BELOW * usual.spread, usual.level + ABOVE * usual.spread);
    let spread =
        shrink(at(3) - at(1), usual.spread).clamp(usual.spread / WIDE, usual.spread * WIDE);
    ScoreBaseline { level, spread }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_reports_keep_the_default_baseline() {
        let table = RankingModel::built_in();
        let usual = table.usual();
        assert_eq!(summarize(Vec::new(), table), usual);
        let base = |n: usize| {
            summarize((0..n).map(|i| usual.level - 1.0 + (i % 5) as f32 * 0.25).collect(), table)
        };
        let (few, many) = (base(10), base(400));
        assert!((few.level - usual.level).abs() < 0.1, "{few:?}");
        assert!((many.level - (usual.level - 0.5)).abs() < 0.1, "{many:?}");
        assert!(many.spread < usual.spread, "{many:?}");
    }

    #[test]
    fn level_is_clamped_near_the_default() {
        let table = RankingModel::built_in();
        let usual = table.usual();
        let baseline = summarize(vec![9.0; 400], table);
        assert!((baseline.level - usual.level - ABOVE * usual.spread).abs() < 1e-6);
        assert!((baseline.spread - usual.spread / WIDE).abs() < 1e-6);
    }
}
