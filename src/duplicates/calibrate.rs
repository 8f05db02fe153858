//! Calibration by a source's own duplicates: how sure the check may be there.
//!
//! Each known duplicate is asked for as if it were just filed, against the older reports of its source; so is a sample of
//! the reports without one, each standing for as many as there are. A logistic curve over the log-odds of the built-in
//! confidence is fitted (Platt 1999), held towards the built-in curve by a ridge. The figures that are told come from
//! two halves, each judged with the curve of the other.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicU64, Ordering},
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{Checker, Draft, Scope};
use crate::{
    error::Result,
    index::filter::{Filter, Test},
    model::{CalibrationReport, DocKind, ThresholdFigures},
    search,
    store::{Calibration, Store},
    task::{Phase, Task},
    text::{prepare::Prepared, reference::without_duplicate_notes},
};

/// With fewer labels the built-in curve is kept.
pub const MIN_LABELS: usize = 20;
/// The most reports with and without a known duplicate that are asked for, evenly drawn by age.
const MAX_ASKED: usize = 1000;
/// Thresholds that figures are told at.
const THRESHOLDS: [f32; 4] = [0.9, 0.7, 0.5, 0.3];
/// The strength that holds a curve to the built-in one, in reports.
const RIDGE: f64 = 4.0;
/// Steps of Newton's method; it converges in a handful.
const STEPS: usize = 50;

/// A first answer: the log-odds of the built-in confidence, whether it was right, and how many reports it stands for.
#[derive(Clone, Copy, Debug)]
struct Answer {
    odds: f64,
    right: bool,
    duplicate: bool,
    weight: f64,
}

/// Calibrates the confidence for a source, and keeps the curve unless `dry`.
///
/// # Errors
/// [`crate::Code::NotFound`] for a source that does not exist, [`crate::Code::Cancelled`], those of the database and the
/// index.
pub fn calibrate(
    store: &Store,
    checker: &Checker<'_>,
    source: &str,
    dry: bool,
    now: Timestamp,
    task: &Task,
) -> Result<CalibrationReport> {
    let (row, skeleton, pairs, issues) = store.read(|r| {
        let row = r.source(source)?.ok_or_else(|| search::no_source(r, source))?;
        Ok((row.clone(), r.skeleton(row.id)?, r.known_duplicates(row.id)?, r.issues_by_age(row.id)?))
    })?;
    let place: BTreeMap<i64, usize> = issues.iter().enumerate().map(|(i, id)| (*id, i)).collect();
    let groups = groups(&pairs);
    let earlier = |id: i64| -> BTreeSet<i64> {
        let group = groups.get(&id).into_iter().flatten();
        group
            .copied()
            .filter(|other| place.get(other) < place.get(&id) && place.contains_key(other))
            .collect()
    };
    let (with, without): (Vec<i64>, Vec<i64>) = issues.iter().partition(|id| !earlier(**id).is_empty());
    let mut report = CalibrationReport {
        source: row.key.clone(),
        issues: issues.len() as u64,
        labels: with.len() as u64,
        kept: false,
        found_first: 0.0,
        found_in_ten: 0.0,
        thresholds: Vec::new(),
    };
    if with.len() < MIN_LABELS {
        return Ok(report);
    }
    let asked: Vec<(i64, f64)> = [&with, &without]
        .into_iter()
        .flat_map(|all| {
            let drawn = evenly(all, MAX_ASKED);
            #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
            let weight = all.len() as f64 / drawn.len().max(1) as f64;
            drawn.into_iter().map(move |id| (id, weight))
        })
        .collect();
    let filters = vec![
        Filter { test: Test::Source(row.key.clone()), negated: false },
        Filter { test: Test::Kind(DocKind::Issue), negated: false },
    ];
    let scope = Scope { filters };
    let (done, total) = (AtomicU64::new(0), asked.len() as u64);
    let answers: Vec<Option<(Answer, Option<usize>)>> = asked
        .par_iter()
        .map(|(id, weight)| {
            task.check()?;
            let Some(document) = store.read(|r| r.document(*id))? else { return Ok(None) };
            let draft = Draft {
                author: document.person(),
                title: document.title,
                body: Prepared::body(&without_duplicate_notes(&document.body), &skeleton),
                made_at: document.created_at.unwrap_or(now),
                document: Some(*id),
            };
            let scored = checker.scored(&draft, &scope, task)?;
            let relevant = earlier(*id);
            let rank = scored.iter().position(|s| relevant.contains(&s.document));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            task.report(Phase::Triage, done, Some(total), "reports");
            Ok(scored.first().map(|first| {
                let answer = Answer {
                    odds: odds(f64::from(first.confidence)),
                    right: rank == Some(0),
                    duplicate: !relevant.is_empty(),
                    weight: *weight,
                };
                (answer, rank)
            }))
        })
        .collect::<Result<_>>()?;
    let answered: Vec<(Answer, Option<usize>)> = answers.into_iter().flatten().collect();
    let share = |within: usize| {
        let found = |(a, rank): &&(Answer, Option<usize>)| a.duplicate && rank.is_some_and(|r| r < within);
        #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^23")]
        let share = answered.iter().filter(found).count() as f32
            / answered.iter().filter(|(a, _)| a.duplicate).count().max(1) as f32;
        share
    };
    (report.found_first, report.found_in_ten) = (share(1), share(10));
    let all: Vec<Answer> = answered.into_iter().map(|(a, _)| a).collect();
    report.thresholds = figures(&all);
    if !dry {
        let (slope, intercept) = fit(&all);
        let calibration = Calibration { slope, intercept, labels: report.labels };
        store.write(|w| w.put_calibration(row.id, &calibration, now))?;
        report.kept = true;
    }
    Ok(report)
}

impl Calibration {
    /// The source's own confidence for a built-in one.
    pub fn apply(&self, confidence: f32) -> f32 {
        #[allow(clippy::cast_possible_truncation, reason = "a probability needs no more digits")]
        let own = sigmoid(self.slope * odds(f64::from(confidence)) + self.intercept) as f32;
        own
    }
}

fn odds(p: f64) -> f64 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

fn sigmoid(z: f64) -> f64 {
    1.0 / (1.0 + (-z).exp())
}

/// At most `n`, evenly spaced.
fn evenly(all: &[i64], n: usize) -> Vec<i64> {
    if all.len() <= n {
        return all.to_vec();
    }
    (0..n).map(|i| all[i * all.len() / n]).collect()
}

/// The duplicate group of each document that is in one: pairs, closed transitively.
fn groups(pairs: &[(i64, i64)]) -> BTreeMap<i64, BTreeSet<i64>> {
    let mut name: BTreeMap<i64, i64> = BTreeMap::new();
    for (a, b) in pairs {
        let (x, y) = (*name.entry(*a).or_insert(*a), *name.entry(*b).or_insert(*b));
        let (from, to) = (x.max(y), x.min(y));
        for group in name.values_mut().filter(|g| **g == from) {
            *group = to;
        }
    }
    let mut members: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for (id, group) in &name {
        members.entry(*group).or_default().insert(*id);
    }
    name.into_iter().map(|(id, group)| (id, members.get(&group).cloned().unwrap_or_default())).collect()
}

/// The curve's slope and intercept, by Newton's method on the penalised likelihood. The slope stays positive: more
/// evidence never makes a duplicate less likely.
fn fit(answers: &[Answer]) -> (f64, f64) {
    let (mut slope, mut intercept) = (1.0, 0.0);
    for _ in 0..STEPS {
        let (mut g0, mut g1) = (RIDGE * (slope - 1.0), RIDGE * intercept / 10.0);
        let (mut h00, mut h01, mut h11) = (RIDGE, 0.0, RIDGE / 10.0);
        for a in answers {
            let p = sigmoid(slope * a.odds + intercept);
            let error = a.weight * (p - f64::from(u8::from(a.right)));
            let curve = a.weight * p * (1.0 - p);
            g0 += error * a.odds;
            g1 += error;
            h00 += curve * a.odds * a.odds;
            h01 += curve * a.odds;
            h11 += curve;
        }
        let determinant = h00 * h11 - h01 * h01;
        if determinant <= 0.0 {
            break;
        }
        let (d0, d1) = ((h11 * g0 - h01 * g1) / determinant, (h00 * g1 - h01 * g0) / determinant);
        slope = (slope - d0.clamp(-1.0, 1.0)).clamp(0.05, 10.0);
        intercept = (intercept - d1.clamp(-2.0, 2.0)).clamp(-20.0, 20.0);
        if d0.abs() + d1.abs() < 1e-9 {
            break;
        }
    }
    (slope, intercept)
}

/// Precision and recall by threshold, each half judged with the curve of the other.
fn figures(answers: &[Answer]) -> Vec<ThresholdFigures> {
    let half = |odd: usize| -> Vec<Answer> {
        answers.iter().enumerate().filter(|(i, _)| i % 2 == odd).map(|(_, a)| *a).collect()
    };
    let mut judged: Vec<(f64, Answer)> = Vec::with_capacity(answers.len());
    for odd in [0, 1] {
        let (slope, intercept) = fit(&half(1 - odd));
        judged.extend(half(odd).into_iter().map(|a| (sigmoid(slope * a.odds + intercept), a)));
    }
    let duplicates: f64 = judged.iter().filter(|(_, a)| a.duplicate).map(|(_, a)| a.weight).sum();
    THRESHOLDS
        .iter()
        .map(|threshold| {
            let above: Vec<&Answer> =
                judged.iter().filter(|(p, _)| *p >= f64::from(*threshold)).map(|(_, a)| a).collect();
            let all: f64 = above.iter().map(|a| a.weight).sum();
            // The sum of nothing is −0.
            let right = above.iter().filter(|a| a.right).map(|a| a.weight).sum::<f64>() + 0.0;
            #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
            let (low, high) = wilson(right / all.max(f64::MIN_POSITIVE), above.len() as f64);
            #[allow(clippy::cast_possible_truncation, reason = "shares need no more digits")]
            let share = |x: f64| x as f32;
            ThresholdFigures {
                threshold: *threshold,
                answers: above.len() as u64,
                precision: (!above.is_empty()).then(|| share(right / all)),
                low: share(low),
                high: share(high),
                recall: share(right / duplicates.max(1.0)),
            }
        })
        .collect()
}

/// The 95 % interval of a share (Wilson 1927).
fn wilson(share: f64, n: f64) -> (f64, f64) {
    const Z: f64 = 1.96;
    if n < 1.0 {
        return (0.0, 1.0);
    }
    let middle = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let reach = Z / (1.0 + Z * Z / n) * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - reach).max(0.0), (middle + reach).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(right: impl Fn(usize) -> bool) -> Vec<Answer> {
        (0..200_usize)
            .map(|i| {
                #[allow(clippy::cast_precision_loss, reason = "small")]
                let odds = (i % 10) as f64 - 7.0;
                Answer { odds, right: right(i), duplicate: true, weight: 1.0 }
            })
            .collect()
    }

    #[test]
    fn a_source_with_more_duplicates_gets_a_higher_confidence() {
        let many = answers(|i| i % 10 >= 4);
        let (slope, intercept) = fit(&many);
        let own = Calibration { slope, intercept, labels: 200 };
        assert!(own.apply(0.3) > 0.6 && own.apply(0.001) < 0.2, "{own:?}");
        assert!(own.apply(0.2) < own.apply(0.4));
        let few = answers(|_| false);
        let (slope, intercept) = fit(&few);
        assert!(Calibration { slope, intercept, labels: 200 }.apply(0.5) < 0.2);
    }

    #[test]
    fn none_right_of_some_is_nothing_and_not_less() {
        // What is right stands in one half alone, whose curve makes the other one sure.
        let stated = figures(&answers(|i| i % 10 == 8));
        assert!(stated.iter().any(|f| f.answers > 0 && f.precision == Some(0.0)), "{stated:?}");
        for f in stated.iter().chain(&figures(&answers(|_| false))) {
            assert!(f.precision.is_none_or(f32::is_sign_positive) && f.recall.is_sign_positive(), "{f:?}");
        }
    }

    #[test]
    fn groups_are_closed_over_their_pairs() {
        let found = groups(&[(1, 2), (4, 5), (2, 3)]);
        assert_eq!(found[&3], BTreeSet::from([1, 2, 3]));
        assert_eq!(found[&4], BTreeSet::from([4, 5]));
        assert!(!found.contains_key(&9));
    }

    #[test]
    fn the_interval_is_wide_for_few_and_narrow_for_many() {
        let (few, many) = (wilson(0.9, 10.0), wilson(0.9, 1000.0));
        assert!(few.0 < many.0 && many.0 < 0.9 && 0.9 < many.1 && many.1 < few.1);
        assert_eq!(wilson(0.0, 0.0), (0.0, 1.0));
    }
}
