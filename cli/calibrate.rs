//! `precedent calibrate`.

use precedent_core::{
    Result,
    model::{CalibrationReport, Replay},
};

use crate::{
    Session,
    args::CalibrateCommand,
    output::{BOLD, DIM, Output, count, day, plain, plural},
};

pub async fn run(session: &Session, command: CalibrateCommand, output: &mut Output) -> Result<()> {
    if let Some(months) = command.replay {
        let replay = session.casebook.replay(&command.source, months, &session.task).await?;
        if let Some(fields) = &command.json.json {
            return output.json(&replay, fields, Some("thresholds"));
        }
        print_replay(&replay, output);
        return Ok(());
    }
    let report =
        session.casebook.calibrate(&command.source, command.dry_run, &session.task).await?;
    if let Some(fields) = &command.json.json {
        return output.json(&report, fields, Some("thresholds"));
    }
    print(&report, command.dry_run, output);
    Ok(())
}

fn print(report: &CalibrationReport, dry_run: bool, output: &mut Output) {
    output.line(format_args!(
        "{BOLD}{}{BOLD:#}  {} of {} have a known earlier duplicate",
        plain(&report.source),
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
    output.line(format_args!(
        "The duplicate is ranked first for {:.0}% of reports, and in the top ten for {:.0}%.",
        report.found_first * 100.0,
        report.found_in_ten * 100.0
    ));
    if let (Some(built_in), Some(source_metrics)) = (&report.built_in, &report.own) {
        let is_better = source_metrics.mrr > built_in.mrr;
        let (better_metrics, worse_metrics) =
            if is_better { (source_metrics, built_in) } else { (built_in, source_metrics) };
        let [used_name, other_name] = if is_better {
            ["learned from these duplicates", "built in"]
        } else {
            ["built in", "learned from these duplicates"]
        };
        output.line(format_args!(
            "Ranking used: {used_name} (mean reciprocal rank {:.3}; {other_name} {:.3}).",
            better_metrics.mrr, worse_metrics.mrr
        ));
    }
    output.line(format_args!("{DIM}confidence  answers  right           duplicates found{DIM:#}"));
    for t in &report.thresholds {
        let precision = t.precision.map_or_else(
            || "–".to_owned(),
            |p| format!("{:.0}% ({:.0}–{:.0})", p * 100.0, t.low * 100.0, t.high * 100.0),
        );
        output.line(format_args!(
            "    ≥ {:.1}  {:>8}  {precision:<14}  {:>4.0}%",
            t.threshold,
            t.answers,
            t.recall * 100.0
        ));
    }
    output.line(if dry_run {
        "Dry run: the calibration was not saved."
    } else {
        "Saved. Duplicate checks in this source now use this calibration."
    });
}

fn print_replay(replay: &Replay, output: &mut Output) {
    output.line(format_args!(
        "{BOLD}{}{BOLD:#}  {} of {} since {}, checked as they were filed; {} have a known earlier duplicate",
        plain(&replay.source),
        count(replay.checked_reports),
        plural(replay.reports, "issue"),
        day(replay.from),
        count(replay.duplicates)
    ));
    if replay.checked_reports == 0 {
        return;
    }
    output.line(format_args!("{DIM}confidence  answers  known duplicates  your verdicts{DIM:#}"));
    for row in &replay.thresholds {
        let precision = match row.answers {
            0 => "–".to_owned(),
            answers => format!(
                "{} ({:.0}–{:.0}%)",
                percent(row.right, answers),
                row.low * 100.0,
                row.high * 100.0
            ),
        };
        let verdicts = match (row.confirming_verdicts, row.opposing_verdicts) {
            (0, 0) => "–".to_owned(),
            (confirming_count, opposing_count) => {
                format!("{confirming_count} duplicates, {opposing_count} not")
            }
        };
        output.line(format_args!(
            "     ≥ {:.0}%  {:>8}  {precision:<16}  {verdicts}",
            row.threshold * 100.0,
            row.answers
        ));
    }
    output.line(match replay.sure_from {
        Some(threshold) => format!(
            "At a confidence of {:.0}% or more, at least nine in ten matches are correct here.",
            threshold * 100.0
        ),
        None => "Review each match before closing a report: no confidence level reached 90% precision in \
                 this test. Trackers mark only some duplicates, so more may be correct."
            .to_owned(),
    });
}

#[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn percent(part: u64, whole: u64) -> String {
    format!("{:.0}%", part as f64 / whole as f64 * 100.0)
}
