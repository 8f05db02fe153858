//! Calibration of a source's ranking and confidence from its own known duplicates.
//!
//! Each known duplicate is queried as if it had just been filed, against the older reports of its
//! source. A sample of the other reports is queried as well, weighted by how many it represents.
//! The fit and its validation are in [`mod@super::fit`].

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicU64, Ordering},
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    MatchFinder, Scope,
    fit::{Candidate, MIN_LABELS, Prediction, TOP, TrainingQuery, fit},
};
use crate::search;
use precedent_core::{
    error::Result,
    model::{CalibrationReport, DocKind, ThresholdFigures},
    stats::wilson,
    task::{Phase, Task},
};
use precedent_index::filter::{Filter, Test};
use precedent_store::SourceRow;

/// The maximum number of reports queried with, and without, a known duplicate, evenly by age.
const MAX_QUERIES: usize = 2000;
/// The growth factor of known duplicates at which a source is recalibrated automatically.
const GROWTH: f64 = 1.5;
/// The minimum share of issues with a marked earlier duplicate; trackers mark 3 to 9 %
/// (docs/evaluation.md). Below it, most duplicates are unmarked, and a curve fitted to the others
/// would call everything unlikely.
const MIN_SHARE: f64 = 0.01;
/// The confidence thresholds at which figures are reported.
pub(super) const THRESHOLDS: [f32; 4] = [0.9, 0.7, 0.5, 0.3];

/// Returns whether a calibration is due: the source has enough known duplicates, and either no
/// applicable calibration or 1.5 times as many as when it was made.
pub fn is_due(finder: &MatchFinder<'_>, source: &SourceRow) -> Result<bool> {
    finder.store.read(|r| {
        let calibration = r.calibration(source.id)?;
        let calibration = calibration.filter(|calibration| {
            let model = finder.model_fingerprint();
            calibration.model.as_deref() == model
                && finder.model.with_calibration(calibration, model).is_some()
        });
        let min_labels =
            calibration.map_or(MIN_LABELS, |calibration| multiply(calibration.labels, GROWTH));
        if min_labels > MAX_QUERIES {
            return Ok(false);
        }
        let pairs = r.known_duplicates(source.id)?;
        let min_labels = min_labels.max(multiply(r.issue_count(source.id)?, MIN_SHARE));
        // Every update runs this check, so count the pairs first: each labeled report needs one.
        if pairs.len() < min_labels {
            return Ok(false);
        }
        let issues = r.issues_by_age(source.id)?;
        let groups = DuplicateGroups::new(&pairs, &issues);
        Ok(issues.iter().filter(|id| groups.has_earlier_duplicate(**id)).count() >= min_labels)
    })
}

/// Multiplies a number by a factor, rounding up.
fn multiply(n: u64, factor: f64) -> usize {
    (n as f64 * factor).ceil() as usize
}

/// Calibrates the confidence of a source, and stores the calibration unless `dry_run`.
pub fn calibrate(
    finder: &MatchFinder<'_>,
    source: &str,
    dry_run: bool,
    now: Timestamp,
    task: &Task,
) -> Result<CalibrationReport> {
    let (row, skeleton, pairs, issues, source_calibration) = finder.store.read(|r| {
        let row = search::find_source(r, source)?;
        let calibration = finder.baseline_calibration(r, &row)?;
        let (pairs, issues) = (r.known_duplicates(row.id)?, r.issues_by_age(row.id)?);
        Ok((row.clone(), r.skeleton(row.id)?, pairs, issues, calibration))
    })?;
    let finder = &finder.with_calibration(&source_calibration);
    let groups = DuplicateGroups::new(&pairs, &issues);
    let (labels, others): (Vec<i64>, Vec<i64>) =
        issues.iter().partition(|id| groups.has_earlier_duplicate(**id));
    let mut report = CalibrationReport {
        source: row.key.clone(),
        issues: issues.len() as u64,
        labels: labels.len() as u64,
        ..CalibrationReport::default()
    };
    if labels.len() < MIN_LABELS {
        return Ok(report);
    }
    let mut sample: Vec<(i64, f64)> = [&labels, &others]
        .into_iter()
        .flat_map(|issues| {
            let sample = sample_evenly(issues, MAX_QUERIES);
            let weight = issues.len() as f64 / sample.len().max(1) as f64;
            sample.into_iter().map(move |id| (id, weight))
        })
        .collect();
    // Sort by age, so that every fold gets reports of both kinds and of all ages.
    sample.sort_by_key(|(id, _)| groups.age_ranks.get(id));
    let scope = Scope { filters: issue_filters(&row.key), ..Scope::default() };
    let (progress, total) = (AtomicU64::new(0), sample.len() as u64);
    let queries: Vec<Option<TrainingQuery>> = sample
        .par_iter()
        .map(|(id, weight)| {
            task.check()?;
            let Some(draft) = finder.filed_draft(*id, &skeleton, now)? else { return Ok(None) };
            let matches = finder.find(&draft, &scope, task)?;
            let relevant: BTreeSet<i64> = groups.earlier_duplicates(*id).collect();
            let top = matches.iter().take(TOP);
            let candidates = top
                .map(|s| Candidate {
                    features: s.features,
                    overlap: s.overlap.clone(),
                    is_duplicate: relevant.contains(&s.document),
                })
                .collect();
            let count = progress.fetch_add(1, Ordering::Relaxed) + 1;
            task.report(Phase::Calibrate, count, Some(total), "reports");
            Ok(Some(TrainingQuery {
                weight: *weight,
                has_duplicate: !relevant.is_empty(),
                candidates,
            }))
        })
        .collect::<Result<_>>()?;
    let queries: Vec<TrainingQuery> = queries.into_iter().flatten().collect();
    let Some(fit_report) = fit(finder.model, &queries, task)? else { return Ok(report) };
    let best = fit_report
        .source_weights
        .filter(|_| fit_report.source_model.order.is_some())
        .unwrap_or(fit_report.built_in);
    (report.found_first, report.found_in_ten) = (best.found_first, best.found_in_ten);
    (report.built_in, report.own) = (Some(fit_report.built_in), fit_report.source_weights);
    report.thresholds = threshold_figures(&fit_report.answers);
    if !dry_run {
        let calibration = fit_report.source_model.calibration(finder.model_fingerprint());
        finder.store.write(|w| w.set_calibration(row.id, &calibration, now))?;
        report.kept = true;
    }
    Ok(report)
}

/// Returns the filters for the issues of a source.
pub(super) fn issue_filters(source: &str) -> Vec<Filter> {
    [Test::Source(source.to_owned()), Test::Kind(DocKind::Issue)].map(Filter::from).to_vec()
}

/// The duplicate groups of a source: its pairs, closed transitively.
pub(super) struct DuplicateGroups {
    /// The rank of each issue by age.
    age_ranks: BTreeMap<i64, usize>,
    /// The group index of each grouped issue.
    group_of: BTreeMap<i64, usize>,
    members: Vec<Vec<i64>>,
}

impl DuplicateGroups {
    pub(super) fn new(pairs: &[(i64, i64)], issues: &[i64]) -> Self {
        let age_ranks = issues.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        let mut groups = Self { age_ranks, group_of: BTreeMap::new(), members: Vec::new() };
        for (a, b) in pairs {
            let (a, b) = (groups.group(*a), groups.group(*b));
            if a == b {
                continue;
            }
            // Merging the smaller group bounds how often each issue moves.
            let (source, target) =
                if groups.members[a].len() < groups.members[b].len() { (a, b) } else { (b, a) };
            let ids = std::mem::take(&mut groups.members[source]);
            groups.group_of.extend(ids.iter().map(|id| (*id, target)));
            groups.members[target].extend(ids);
        }
        groups
    }

    /// Returns the group of an issue, creating one if it has none.
    fn group(&mut self, id: i64) -> usize {
        *self.group_of.entry(id).or_insert_with(|| {
            self.members.push(vec![id]);
            self.members.len() - 1
        })
    }

    /// Returns the older known duplicates of an issue.
    pub(super) fn earlier_duplicates(&self, id: i64) -> impl Iterator<Item = i64> {
        let group = self.group_of.get(&id).map_or(&[][..], |group| &self.members[*group]);
        let rank = self.age_ranks.get(&id).copied().unwrap_or(0);
        group
            .iter()
            .copied()
            .filter(move |m| self.age_ranks.get(m).is_some_and(|age_rank| *age_rank < rank))
    }

    /// Returns whether an issue has an older known duplicate.
    pub(super) fn has_earlier_duplicate(&self, id: i64) -> bool {
        self.earlier_duplicates(id).next().is_some()
    }
}

/// Returns at most `n` of the ids, evenly spaced.
pub(super) fn sample_evenly(ids: &[i64], n: usize) -> Vec<i64> {
    if ids.len() <= n {
        return ids.to_vec();
    }
    (0..n).map(|i| ids[i * ids.len() / n]).collect()
}

/// Computes precision and recall by threshold.
fn threshold_figures(answers: &[Prediction]) -> Vec<ThresholdFigures> {
    let duplicates: f64 = answers.iter().filter(|a| a.has_duplicate).map(|a| a.weight).sum();
    THRESHOLDS
        .iter()
        .map(|threshold| {
            let answers_above: Vec<&Prediction> =
                answers.iter().filter(|a| a.confidence >= f64::from(*threshold)).collect();
            let total: f64 = answers_above.iter().map(|a| a.weight).sum();
            // Add 0 because an empty floating-point sum is −0.
            let correct =
                answers_above.iter().filter(|a| a.is_duplicate).map(|a| a.weight).sum::<f64>()
                    + 0.0;
            // Weighted answers carry less information than their weight (the effective size of a
            // weighted sample, Kish 1965).
            let squares: f64 = answers_above.iter().map(|a| a.weight * a.weight).sum();
            let n = total * total / squares.max(f64::MIN_POSITIVE);
            let (low, high) = wilson(correct / total.max(f64::MIN_POSITIVE), n);
            ThresholdFigures {
                threshold: *threshold,
                answers: answers_above.len() as u64,
                precision: (!answers_above.is_empty()).then(|| (correct / total) as f32),
                low: low as f32,
                high: high as f32,
                recall: (correct / duplicates.max(1.0)) as f32,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_without_hits_is_positive_zero() {
        let answer = |confidence, right| Prediction {
            odds: 0.0,
            by_rule: false,
            confidence,
            is_duplicate: right,
            has_duplicate: true,
            weight: 1.0,
        };
        let rows = threshold_figures(&[answer(0.95, false), answer(0.2, true)]);
        assert_eq!((rows[0].answers, rows[0].precision), (1, Some(0.0)), "{rows:?}");
        for f in rows.iter().chain(&threshold_figures(&[answer(0.1, false)])) {
            assert!(
                f.precision.is_none_or(f32::is_sign_positive) && f.recall.is_sign_positive(),
                "{f:?}"
            );
        }
    }

    #[test]
    fn weighted_answers_widen_the_interval() {
        let first_row = |weight| {
            let answer = |right, weight| Prediction {
                odds: 0.0,
                by_rule: false,
                confidence: 0.95,
                is_duplicate: right,
                has_duplicate: right,
                weight,
            };
            // Eight right answers, and wrong ones of the same total weight.
            let right = std::iter::repeat_n(answer(true, 1.0), 8);
            threshold_figures(
                &right
                    .chain(std::iter::repeat_n(answer(false, weight), 8 / weight as usize))
                    .collect::<Vec<_>>(),
            )[0]
        };
        let (unit, heavy) = (first_row(1.0), first_row(8.0));
        assert_eq!((unit.precision, heavy.precision), (Some(0.5), Some(0.5)));
        assert!(heavy.low < unit.low && unit.high < heavy.high, "{unit:?} {heavy:?}");
    }

    #[test]
    fn duplicate_groups_are_transitive() {
        // Issue 9 no longer exists, and 7 is the oldest.
        let groups = DuplicateGroups::new(
            &[(1, 2), (4, 5), (2, 3), (3, 4), (7, 8), (5, 9)],
            &[7, 1, 2, 3, 4, 5, 6, 8],
        );
        let earlier_duplicates = |id| groups.earlier_duplicates(id).collect::<BTreeSet<i64>>();
        assert_eq!(earlier_duplicates(5), BTreeSet::from([1, 2, 3, 4]));
        assert_eq!(earlier_duplicates(2), BTreeSet::from([1]));
        assert_eq!(earlier_duplicates(8), BTreeSet::from([7]));
        assert!([1, 6, 7, 9].iter().all(|id| !groups.has_earlier_duplicate(*id)));
    }
}
