//! `precedent eval`: evaluation of ranking on sets of reports with known duplicates.

use precedent_core::{Code, Error, Result};
use precedent_engine::Casebook;
use precedent_eval::{
    CasesReport, ConfidenceReport, EvalReport, RankingReport, Request, Share, band_name,
};

use crate::{
    args::{Args, EvalCommand},
    output::{DIM, Output, bold, dim, plural, print_warning},
};

/// The measures printed for a lead; the JSON has all of them.
const LEAD_MEASURES: [&str; 3] = ["recall@1", "recall@10", "MRR"];

pub async fn run(args: &Args, command: &EvalCommand, output: &mut Output) -> Result<()> {
    if let Some(source) = &command.solved {
        return evaluate_threads(args, source, command, output).await;
    }
    let default = || Some(dirs::cache_dir()?.join("precedent").join("eval"));
    let cache = command.cache.clone().or_else(default).ok_or_else(|| {
        Error::invalid("cannot determine the home folder for the casebooks of the sets")
            .with_hint("Set a folder with --cache DIR.")
    })?;
    let request = Request {
        sets: command.sets.clone(),
        cache,
        concurrency: crate::worker_count(args),
        ..command.request.clone()
    };
    let task = crate::interruptible_task(args.quiet);
    let open = |folder| crate::open_options(args, folder);
    if command.cases {
        let report = precedent_eval::evaluate_cases(&request, open, &task).await?;
        return output.answer(&report, &command.json, Some("sets"), |output| {
            print_cases(&report, output);
        });
    }
    let warn = |error: &Error| print_warning(&error.to_string(), error);
    let report = precedent_eval::evaluate(&request, open, warn, &task).await?;
    output.answer(&report, &command.json, Some("sets"), |output| print(&report, output))?;
    let Some(deficit) = report.worse_than_search() else { return Ok(()) };
    Err(Error::new(Code::Internal, format!("duplicates ranks below search on {deficit}"))
        .with_hint("Check the ranking weights; `--weights FILE` tries others."))
}

fn print_cases(report: &CasesReport, output: &mut Output) {
    let cell = |share: &Share| match share.pairs {
        0 => "-".to_owned(),
        _ => format!("{:.2}", share.share),
    };
    for report in &report.sets {
        let (set, reports) = (bold(&report.set), plural(report.queries as u64, "report"));
        output.line(format_args!("{set}  {reports} whose earlier duplicate is closed"));
        output.line(dim(format_args!(
            "{:<14}{:<8}{:>10}{:>10}{:>11}{:>12}{:>14}",
            "", "query", "success@1", "success@3", "success@10", "unanswered", "false alarms"
        )));
        for result in &report.methods {
            let ranks = [&result.success_1, &result.success_3, &result.success_10];
            let [top_1, top_3, top_10] = ranks.map(cell);
            let [no_answer, alarms] = [&result.unanswered, &result.false_alarms].map(cell);
            output.line(format_args!(
                "{:<14}{:<8}{top_1:>10}{top_3:>10}{top_10:>11}{no_answer:>12}{alarms:>14}",
                result.method, result.form
            ));
        }
        output.line(format_args!(
            "answered: {} of {} reports without a known duplicate, {} of {} unrelated lines",
            cell(&report.unmarked),
            report.unmarked.pairs,
            cell(&report.nonsense),
            report.nonsense.pairs
        ));
        output.line("");
    }
}

/// Evaluates how often the excerpt shown of a solved thread contains the fix.
async fn evaluate_threads(
    args: &Args,
    source: &str,
    command: &EvalCommand,
    output: &mut Output,
) -> Result<()> {
    let options = crate::open_options(args, crate::casebook_folder(args)?);
    let casebook = Casebook::open(options).await?;
    let task = crate::interruptible_task(args.quiet);
    let figures = casebook.evaluate_threads(source, command.budget, &task).await?;
    output.answer(&figures, &command.json, None, |output| {
        let share = |n: u64| {
            #[allow(clippy::cast_precision_loss, reason = "counts are small")]
            let share = n as f64 / figures.long_threads.max(1) as f64;
            format!("{share:.3}")
        };
        output.line(format_args!(
            "{}  {} closed issues with a known fix, {} of them longer than {} characters",
            figures.source, figures.known_fixes, figures.long_threads, figures.budget
        ));
        output.line(format_args!("assembled thread  {}", share(figures.in_excerpt)));
        output.line(format_args!("  by wording only {}", share(figures.in_excerpt_by_wording)));
        output.line(format_args!("last comments     {}", share(figures.in_last_comments)));
        output.line(format_args!("first comments    {}", share(figures.in_first_comments)));
    })
}

fn print(report: &EvalReport, output: &mut Output) {
    for set_report in &report.sets {
        let (set, model) = (bold(&set_report.set), dim(&report.model));
        output.line(format_args!(
            "{set}  {} reports, {} with an earlier duplicate, {} without  {model}",
            set_report.documents, set_report.queries, set_report.negatives
        ));
        output.line(dim(format_args!(
            "{:<12}{:>10}{:>10}{:>11}{:>8}{:>8}{:>8}",
            "", "recall@1", "recall@5", "recall@10", "MRR", "MAP", "AUC"
        )));
        for ranking in &set_report.rankings {
            let cells: Vec<String> = ranking
                .measures
                .iter()
                .zip([10, 10, 11, 8, 8])
                .map(|(m, width)| format!("{:>width$.3}", m.mean.value))
                .collect();
            let auc = ranking.auc.map_or_else(String::new, |a| format!("{a:>8.3}"));
            output.line(format_args!("{:<12}{}{auc}", ranking.ranking.name(), cells.concat()));
            for measure in &ranking.measures {
                if let Some(d) = measure.difference.filter(|d| d.value != 0.0) {
                    output.line(dim(format_args!(
                        "  {:<10}{:+.3}  95% interval {:+.3} to {:+.3}",
                        measure.name, d.value, d.low, d.high
                    )));
                }
            }
        }
        for ranking in set_report.rankings.iter().filter(|r| !r.leads.is_empty()) {
            let baselines =
                ranking.leads.iter().map(|lead| lead.of.name()).collect::<Vec<_>>().join(", ");
            output.line(format_args!(
                "{} over {baselines} {DIM}(95% interval of paired draws){DIM:#}",
                ranking.ranking.name()
            ));
            for lead in &ranking.leads {
                let measures = lead.measures.iter().filter(|m| LEAD_MEASURES.contains(&m.name));
                let differences = measures.map(|m| {
                    let mean = &m.mean;
                    format!(
                        "  {} {:+.3} ({:+.3} to {:+.3})",
                        m.name, mean.value, mean.low, mean.high
                    )
                });
                let differences: String = differences.collect();
                output.line(format_args!("  {:<10}{differences}", lead.of.name()));
            }
        }
        for ranking in &set_report.rankings {
            ranking.confidence.iter().for_each(|c| print_confidence(ranking, c, output));
        }
        output.line("");
    }
    output.line(dim(format_args!("Saved to {}; use it with --against to compare.", report.run)));
}

/// Formats a share with its interval and sample size: "62 (49-74, 51 pairs)".
fn format_share(share: Option<Share>) -> String {
    let Some(share) = share.filter(|share| share.pairs > 0) else { return "-".to_owned() };
    let [value, low, high] = [share.share, share.low, share.high].map(|x| x * 100.0);
    format!("{value:.0} ({low:.0}-{high:.0}, {})", share.pairs)
}

fn print_confidence(ranking: &RankingReport, confidence: &ConfidenceReport, output: &mut Output) {
    output.line(format_args!(
        "Top results of {} {DIM}in percent, with interval and number of pairs{DIM:#}",
        ranking.ranking.name()
    ));
    output.line(format_args!(
        "{DIM}  {:<14}{:>9}{:>10}{:>20}{:>20}{:>20}{:>12}{DIM:#}",
        "stated", "answers", "per 1,000", "marked", "duplicates", "worth reading", "of found"
    ));
    for b in &confidence.bands {
        let [marked_share, same_share, worth_share] =
            [Some(b.marked), b.same, b.worth].map(format_share);
        output.line(format_args!(
            "  {:<14}{:>9}{:>10.1}{marked_share:>20}{same_share:>20}{worth_share:>20}{:>12.2}",
            band_name(b.band),
            b.answers,
            b.of_thousand,
            b.of_found
        ));
    }
    for queue in &confidence.queue {
        let [marked_share, same_share] = [Some(queue.marked), queue.same].map(format_share);
        output.line(format_args!(
            "  first {:>3} in the queue: marked {marked_share}, duplicates {same_share}; {} marked pairs come later",
            queue.first, queue.missed_count
        ));
    }
    for (label, share) in [
        ("at least related", confidence.related),
        ("predicted worth reading at 0.8 or more", confidence.worth_reading),
    ] {
        if share.is_some() {
            output.line(format_args!("  {label}: {}", format_share(share)));
        }
    }
    if let (Some(error), Some([a, b, c])) = (ranking.calibration_error, ranking.recall_at_precision)
    {
        output.detail(format_args!("on marked pairs: calibration error {error:.3}; duplicates found at a precision of 0.9: {a:.3}, of 0.7: {b:.3}, of 0.5: {c:.3}"));
    }
}
