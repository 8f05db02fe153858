//! `precedent calibrate`.

use precedent_core::{
    Result,
    model::{CalibrationReport, Replay},
};

use crate::{
    Session,
    args::CalibrateCommand,
    output::{Output, bold, count, day, dim, percent, plural},
};

pub async fn run(session: &Session, command: CalibrateCommand, output: &mut Output) -> Result<()> {
    if let Some(months) = command.replay {
        let replay = session.casebook.replay(&command.source, months, &session.task).await?;
        return output.answer(&replay, &command.json, Some("thresholds"), |output| {
            print_replay(&replay, output);
        });
    }
    let report =
        session.casebook.calibrate(&command.source, command.dry_run, &session.task).await?;
    output.answer(&report, &command.json, Some("thresholds"), |output| {
        print(&report, command.dry_run, output);
    })
}

fn print(report: &CalibrationReport, dry_run: bool, output: &mut Output) {
    output.line(format_args!(
        "{}  {} of {} have a known earlier duplicate",
        bold(&report.source),
        count(report.labels),
        plural(report.issues, "issue")
    ));
    if report.thresholds.is_empty() {
        output.line(format_args!(
            "Not enough known duplicates ({} needed); using the default calibration.",
            precedent_engine::answer::MIN_LABELS
        ));
        return;
    }
    let (top_1, top_10) = (percent(report.found_first), percent(report.found_in_ten));
    output.line(format_args!(
        "The duplicate is ranked first for {top_1} of reports, and in the top ten for {top_10}."
    ));
    if let (Some(built_in), Some(source_metrics)) = (&report.built_in, &report.own) {
        let mut rankings =
            [("built in", built_in.mrr), ("learned from these duplicates", source_metrics.mrr)];
        if source_metrics.mrr > built_in.mrr {
            rankings.reverse();
        }
        let [(ranking, mrr), (other_ranking, other_mrr)] = rankings;
        output.line(format_args!(
            "Ranking used: {ranking} (mean reciprocal rank {mrr:.3}; {other_ranking} {other_mrr:.3})."
        ));
    }
    output.line(dim("confidence  answers  right           duplicates found"));
    for t in &report.thresholds {
        let precision = t.precision.map_or_else(
            || "–".to_owned(),
            |p| format!("{} ({:.0}–{:.0})", percent(p), t.low * 100.0, t.high * 100.0),
        );
        let (threshold, answers, recall) = (t.threshold, t.answers, percent(t.recall));
        output
            .line(format_args!("    ≥ {threshold:.1}  {answers:>8}  {precision:<14}  {recall:>5}"));
    }
    output.line(if dry_run {
        "Dry run: the calibration was not saved."
    } else {
        "Saved. Duplicate checks in this source now use this calibration."
    });
}

fn print_replay(replay: &Replay, output: &mut Output) {
    output.line(format_args!(
        "{}  {} of {} since {}, checked as they were filed; {} have a known earlier duplicate",
        bold(&replay.source),
        count(replay.checked_reports),
        plural(replay.reports, "issue"),
        day(replay.from),
        count(replay.duplicates)
    ));
    if replay.checked_reports == 0 {
        return;
    }
    output.line(dim("confidence  answers  known duplicates  your verdicts"));
    for row in &replay.thresholds {
        let precision = match row.answers {
            0 => "–".to_owned(),
            answers => {
                let share = format_share(row.right, answers);
                format!("{share} ({:.0}–{})", row.low * 100.0, percent(row.high))
            }
        };
        let verdicts = match (row.confirming_verdicts, row.opposing_verdicts) {
            (0, 0) => "–".to_owned(),
            (confirming_count, opposing_count) => {
                format!("{}, {opposing_count} not", plural(confirming_count, "duplicate"))
            }
        };
        let (threshold, answers) = (percent(row.threshold), row.answers);
        output.line(format_args!("     ≥ {threshold}  {answers:>8}  {precision:<16}  {verdicts}"));
    }
    output.line(match replay.sure_from {
        Some(threshold) => format!(
            "At a confidence of {} or more, at least nine in ten matches are correct here.",
            percent(threshold)
        ),
        None => "Review each match before closing a report: no confidence level reached 90% precision in \
                 this test. Trackers mark only some duplicates, so more may be correct."
            .to_owned(),
    });
}

#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn format_share(part: u64, whole: u64) -> String {
    format!("{:.0}%", part as f64 / whole as f64 * 100.0)
}
