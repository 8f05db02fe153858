//! A replay of a source's last months: each report is checked again as it was filed.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicU64, Ordering},
};

use jiff::{Timestamp, ToSpan, tz::TimeZone};
use rayon::prelude::*;

use super::{
    MatchFinder, Scope,
    calibrate::{DuplicateGroups, THRESHOLDS, issue_filters, sample_evenly},
};
use crate::search;
use precedent_core::{
    error::{Error, Result},
    model::{Replay, ReplayFigures, VerdictKind},
    stats::wilson,
    task::{Phase, Task},
};
use precedent_store::Reader;

/// The maximum number of reports replayed, evenly spaced by age.
const MAX_REPORTS: usize = 500;
/// The minimum lower bound of the precision at a recommended threshold.
const MIN_PRECISION: f32 = 0.9;

/// The first match of a report, as it would have been stated.
struct Answer {
    confidence: f32,
    is_marked: bool,
    verdict: Option<VerdictKind>,
}

/// Checks the reports of the last `months` before the newest one of a source as they were filed,
/// with the ranking and the confidence that the source would have without its own calibration.
pub fn replay(
    finder: &MatchFinder<'_>,
    source: &str,
    months: u32,
    now: Timestamp,
    task: &Task,
) -> Result<Replay> {
    if !(1..=1000).contains(&months) {
        return Err(Error::invalid(format!("{months} months are out of range"))
            .with_hint("Use a number from 1 to 1000."));
    }
    let (row, skeleton, pairs, issues, calibration) = finder.store.read(|r| {
        let row = search::find_source(r, source)?;
        let calibration = finder.baseline_calibration(r, &row)?;
        let (pairs, issues) = (r.known_duplicates(row.id)?, r.issues_by_age(row.id)?);
        Ok((row.clone(), r.skeleton(row.id)?, pairs, issues, calibration))
    })?;
    let finder = &finder.with_calibration(&calibration);
    let groups = DuplicateGroups::new(&pairs, &issues);
    let (start, recent_issues) = finder.store.read(|r| select_recent(r, &issues, months))?;
    let sample = sample_evenly(&recent_issues, MAX_REPORTS);
    let scope = Scope { filters: issue_filters(&row.key), ..Scope::default() };
    let (progress, total) = (AtomicU64::new(0), sample.len() as u64);
    let answers: Vec<Option<Answer>> = sample
        .par_iter()
        .map(|id| {
            task.check()?;
            let Some(draft) = finder.filed_draft(*id, &skeleton, now)? else { return Ok(None) };
            let matches = finder.find(&draft, &scope, task)?;
            let count = progress.fetch_add(1, Ordering::Relaxed) + 1;
            task.report(Phase::Calibrate, count, Some(total), "reports");
            let Some(first) = matches.first() else { return Ok(None) };
            let earlier: BTreeSet<i64> = groups.earlier_duplicates(*id).collect();
            let verdict = finder.store.read(|r| verdict(r, *id, first.document))?;
            let is_marked = earlier.contains(&first.document);
            Ok(Some(Answer { confidence: first.confidence, is_marked, verdict }))
        })
        .collect::<Result<_>>()?;
    let answers: Vec<Answer> = answers.into_iter().flatten().collect();
    let thresholds: Vec<ReplayFigures> =
        THRESHOLDS.iter().map(|threshold| figures(*threshold, &answers)).collect();
    let recommendation = thresholds.iter().rev().find(|row| row.low >= MIN_PRECISION);
    Ok(Replay {
        source: row.key,
        from: start,
        reports: recent_issues.len() as u64,
        checked_reports: total,
        duplicates: sample.iter().filter(|id| groups.has_earlier_duplicate(**id)).count() as u64,
        sure_from: recommendation.map(|row| row.threshold),
        thresholds,
    })
}

/// Returns the issues of the last months before the newest one, oldest first, and the start of that
/// period.
fn select_recent(
    r: &Reader<'_>,
    issues: &[i64],
    months: u32,
) -> Result<(Option<Timestamp>, Vec<i64>)> {
    let mut start = None;
    let mut recent_issues = Vec::new();
    for id in issues.iter().rev() {
        let Some(created_at) = r.document(*id)?.and_then(|row| row.created_at) else { continue };
        let begin = *start.get_or_insert_with(|| months_before(created_at, months));
        if created_at < begin {
            break;
        }
        recent_issues.push(*id);
    }
    recent_issues.reverse();
    Ok((start, recent_issues))
}

/// Returns the time `months` before another, at least [`Timestamp::MIN`].
fn months_before(time: Timestamp, months: u32) -> Timestamp {
    let earlier = time.to_zoned(TimeZone::UTC).checked_sub(i64::from(months).months());
    earlier.map_or(Timestamp::MIN, |earlier| earlier.timestamp())
}

/// Returns the verdict on a pair of documents.
fn verdict(r: &Reader<'_>, id: i64, other_id: i64) -> Result<Option<VerdictKind>> {
    let (Some(a), Some(b)) = (r.document(id)?, r.document(other_id)?) else { return Ok(None) };
    Ok(r.verdict(&a.key, &b.key)?.map(|verdict| verdict.kind))
}

/// Counts the answers at or above a confidence threshold, and the right ones among them.
fn figures(threshold: f32, answers: &[Answer]) -> ReplayFigures {
    let answers_above: Vec<&Answer> =
        answers.iter().filter(|answer| answer.confidence >= threshold).collect();
    let count =
        |test: &dyn Fn(&Answer) -> bool| answers_above.iter().filter(|a| test(a)).count() as u64;
    let right = count(&|a| a.is_marked);
    let (low, high) =
        wilson(right as f64 / (answers_above.len().max(1)) as f64, answers_above.len() as f64);
    ReplayFigures {
        threshold,
        answers: answers_above.len() as u64,
        right,
        low: low as f32,
        high: high as f32,
        confirming_verdicts: count(&|a| a.verdict == Some(VerdictKind::Duplicate)),
        opposing_verdicts: count(&|a| a.verdict.is_some_and(|kind| kind != VerdictKind::Duplicate)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_verdicts_are_counted_separately() {
        let answer = |confidence, is_marked, verdict| Answer { confidence, is_marked, verdict };
        let answers = [
            answer(0.95, true, Some(VerdictKind::Duplicate)),
            answer(0.92, false, Some(VerdictKind::NotDuplicate)),
            answer(0.91, true, None),
            answer(0.4, true, None),
        ];
        let row = figures(0.9, &answers);
        assert_eq!(
            (row.answers, row.right, row.confirming_verdicts, row.opposing_verdicts),
            (3, 2, 1, 1)
        );
        assert!(row.low < 0.67 && row.high > 0.67, "{row:?}");
        assert_eq!(figures(0.3, &answers).right, 3);
        let none = figures(0.9, &[]);
        assert_eq!((none.answers, none.right), (0, 0));
        assert!(none.low < MIN_PRECISION, "no answer proves nothing: {none:?}");
    }

    #[test]
    fn months_before_are_calendar_months() {
        let time: Timestamp = "2024-03-31T10:00:00Z".parse().unwrap();
        assert_eq!(months_before(time, 1).to_string(), "2024-02-29T10:00:00Z");
        assert!(months_before(Timestamp::MIN, 6) == Timestamp::MIN);
    }
}
