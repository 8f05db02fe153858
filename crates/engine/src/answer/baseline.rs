//! The score baseline of a source: the usual log-odds of its top candidates.
//!
//! The same evidence means more in one tracker than in another. If all reports of a product use the
//! same form, the top candidate of any report is as similar as a duplicate is elsewhere. The
//! log-odds are therefore measured relative to the level and spread of the source's top candidates,
//! as speaker verification does with impostor scores (zero normalization: Auckenthaler, Carey and
//! Lloyd-Thomas 2000, "Score normalization for text-independent speaker verification systems").
//! Median and quartiles are used, because most top candidates are not duplicates. The source's time
//! scale is estimated from the same sample. Neither needs labels.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    Match, MatchFinder, RankingModel, Scope,
    calibrate::issue_filters,
    time_scale::{Recurrence, time_scale},
};
use precedent_core::{
    error::Result,
    task::{Phase, Task},
};
use precedent_store::{ScoreBaseline, SourceRow};

/// The minimum number of issues for a baseline; smaller sources use the default.
const MIN_ISSUES: u64 = 200;
/// The maximum number of reports queried, evenly spaced by age in the newer half.
const SAMPLE: usize = 400;
/// The weight of the default baseline, in reports.
const PRIOR: f32 = 50.0;
/// The growth factor of the issue count at which the baseline is estimated again.
const GROWTH: u64 = 2;
/// The maximum distance of the level above the default, in default spreads: if half of the reports
/// are duplicates, the median is one as well.
const MAX_ABOVE: f32 = 0.4;
/// The maximum distance of the level below the default, in default spreads.
const MAX_BELOW: f32 = 1.0;
/// The maximum factor by which the spread is wider or narrower than the default.
const MAX_SPREAD_FACTOR: f32 = 1.6;
/// The maximum log ratio of two time scales that are treated as equal.
const MAX_SCALE_CHANGE: f64 = 0.05;

/// Estimates and stores the time scale and the baseline of a source, unless they are current.
pub fn estimate_baseline(
    finder: &MatchFinder<'_>,
    source: &SourceRow,
    basis: &str,
    now: Timestamp,
    task: &Task,
) -> Result<()> {
    let sample = finder.store.read(|r| {
        let issues = r.issue_count(source.id)?;
        let current = r.score_baseline(source.id, basis)?;
        if issues < MIN_ISSUES
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
    let Some((sample, issues, skeleton, old_scale)) = sample else { return Ok(()) };
    let scope = Scope { filters: issue_filters(&source.key), ..Scope::default() };
    let (progress, total) = (AtomicU64::new(0), sample.len() as u64);
    let matches = |finder: &MatchFinder<'_>, id: i64| -> Result<Vec<Match>> {
        task.check()?;
        let Some(draft) = finder.filed_draft(id, &skeleton, now)? else { return Ok(Vec::new()) };
        let candidates = finder.find(&draft, &scope, task)?;
        let count = progress.fetch_add(1, Ordering::Relaxed) + 1;
        task.report(Phase::Calibrate, count.min(total), Some(total), "reports");
        Ok(candidates)
    };
    let finder = &MatchFinder { time_scale: old_scale, ..*finder };
    let first_pass = |id: &i64| -> Result<(Option<Recurrence>, Option<f32>)> {
        let candidates = matches(finder, *id)?;
        Ok((
            Recurrence::new(&candidates, finder.model, old_scale),
            top_candidate_odds(&candidates, finder.model),
        ))
    };
    let first_pass = sample.par_iter().map(first_pass).collect::<Result<Vec<_>>>()?;
    let (recurrences, mut odds): (Vec<_>, Vec<_>) = first_pass.into_iter().unzip();
    let recurrences: Vec<Recurrence> = recurrences.into_iter().flatten().collect();
    let scale = time_scale(&recurrences, finder.model);
    if (scale / old_scale).ln().abs() > MAX_SCALE_CHANGE {
        let finder = &MatchFinder { time_scale: scale, ..*finder };
        let second_pass = |id: &i64| Ok(top_candidate_odds(&matches(finder, *id)?, finder.model));
        odds = sample.par_iter().map(second_pass).collect::<Result<_>>()?;
    }
    let baseline = summarize(odds.into_iter().flatten().collect(), finder.model);
    finder.store.write(|w| {
        w.set_time_scale(source.id, scale)?;
        w.set_score_baseline(source.id, baseline, issues, basis)
    })
}

/// Returns the log-odds of the top candidate, unless a rule decides it.
fn top_candidate_odds(matches: &[Match], model: &RankingModel) -> Option<f32> {
    let evidence = matches.first()?.evidence();
    (!RankingModel::is_bounded_by_rule(&evidence)).then(|| model.confidence.odds(&evidence))
}

/// Computes the baseline from the log-odds of top candidates.
fn summarize(mut odds: Vec<f32>, model: &RankingModel) -> ScoreBaseline {
    let default = model.confidence.default_baseline();
    odds.sort_by(f32::total_cmp);
    let Some(last) = odds.len().checked_sub(1) else { return default };
    let quartile = |i: usize| odds[last * i / 4];
    let n = odds.len() as f32;
    let shrink = |value: f32, default: f32| (n * value + PRIOR * default) / (n + PRIOR);
    let level = shrink(quartile(2), default.level).clamp(
        default.level - MAX_BELOW * default.spread,
        default.level + MAX_ABOVE * default.spread,
    );
    let spread = shrink(quartile(3) - quartile(1), default.spread)
        .clamp(default.spread / MAX_SPREAD_FACTOR, default.spread * MAX_SPREAD_FACTOR);
    ScoreBaseline { level, spread }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_reports_keep_the_default_baseline() {
        let model = RankingModel::built_in();
        let default = model.confidence.default_baseline();
        assert_eq!(summarize(Vec::new(), model), default);
        let base = |n: usize| {
            summarize((0..n).map(|i| default.level - 1.0 + (i % 5) as f32 * 0.25).collect(), model)
        };
        let (small_sample, large_sample) = (base(10), base(400));
        assert!((small_sample.level - default.level).abs() < 0.1, "{small_sample:?}");
        assert!((large_sample.level - (default.level - 0.5)).abs() < 0.1, "{large_sample:?}");
        assert!(large_sample.spread < default.spread, "{large_sample:?}");
    }

    #[test]
    fn level_is_clamped_near_the_default() {
        let model = RankingModel::built_in();
        let default = model.confidence.default_baseline();
        let baseline = summarize(vec![9.0; 400], model);
        assert!((baseline.level - default.level - MAX_ABOVE * default.spread).abs() < 1e-6);
        assert!((baseline.spread - default.spread / MAX_SPREAD_FACTOR).abs() < 1e-6);
    }
}
