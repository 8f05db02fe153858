//! `precedent eval`: evaluation of ranking on sets of reports with known duplicates.

use precedent_core::{Code, Error, Result};
use precedent_engine::Casebook;
use precedent_eval::{
    CasesReport, ConfidenceReport, EvalReport, RankingReport, Request, Share, band_name,
};

use crate::{
    args::{Args, EvalCommand},
    output::{BOLD, DIM, Output, plural, print_warning},
};

/// The measures printed for a lead; the JSON has all of them.
const LEAD_MEASURES: [&str; 3] = ["recall@1", "recall@10", "MRR"];

pub async fn run(args: &Args, command: &EvalCommand, output: &mut Output) -> Result<()> {
    if let Some(source) = &command.solved {
        return evaluate_threads(args, source, command, output).await;
    }
    let cache = match &command.cache {
        Some(cache) => cache.clone(),
        None => dirs::cache_dir()
            .ok_or_else(|| {
                Error::invalid("cannot determine the home folder for the casebooks of the sets")
                    .with_hint("Set a folder with --cache DIR.")
            })?
            .join("precedent")
            .join("eval"),
    };
    let request = Request {
        sets: command.sets.clone(),
        rankings: command.rankings.clone(),
        form: command.form,
        window: command.window,
        weights: command.weights.clone(),
        features: command.features.clone(),
        judgments: command.judgments.clone(),
        translations: command.translations.clone(),
        output: command.output.clone(),
        baseline: command.baseline.clone(),
        tsv: command.tsv.clone(),
        model: command.model.clone(),
        cache,
        concurrency: crate::worker_count(args),
    };
    if command.cases {
        return evaluate_cases(args, &request, command, output).await;
    }
    let task = crate::interruptible_task(args.quiet);
    let open = |folder| crate::open_options(args, folder);
    let warn = |error: &Error| print_warning(&error.to_string(), error);
    let report = precedent_eval::evaluate(&request, open, warn, &task).await?;
    match &command.json.json {
        Some(fields) => output.json(&report, fields, Some("sets"))?,
        None => print(&report, output),
    }
    match report.worse_than_search() {
        Some(deficit) => {
            Err(Error::new(Code::Internal, format!("duplicates ranks below search on {deficit}"))
                .with_hint("Check the ranking weights; `--weights FILE` tries others."))
        }
        None => Ok(()),
    }
}

/// Evaluates how often solved cases are found, and how often unrelated texts get no answer.
async fn evaluate_cases(
    args: &Args,
    request: &Request,
    command: &EvalCommand,
    output: &mut Output,
) -> Result<()> {
    let task = crate::interruptible_task(args.quiet);
    let report =
        precedent_eval::evaluate_cases(request, |folder| crate::open_options(args, folder), &task)
            .await?;
    match &command.json.json {
        Some(fields) => output.json(&report, fields, Some("sets")),
        None => {
            print_cases(&report, output);
            Ok(())
        }
    }
}

fn print_cases(report: &CasesReport, output: &mut Output) {
    let cell = |share: &Share| match share.pairs {
        0 => "-".to_owned(),
        _ => format!("{:.2}", share.share),
    };
    for report in &report.sets {
        output.line(format_args!(
            "{BOLD}{}{BOLD:#}  {} whose earlier duplicate is closed",
            report.set,
            plural(report.queries as u64, "report")
        ));
        output.line(format_args!(
            "{DIM}{:<14}{:<8}{:>10}{:>10}{:>11}{:>12}{:>14}{DIM:#}",
            "", "query", "success@1", "success@3", "success@10", "unanswered", "false alarms"
        ));
        for result in &report.methods {
            output.line(format_args!(
                "{:<14}{:<8}{:>10}{:>10}{:>11}{:>12}{:>14}",
                result.method,
                result.form,
                cell(&result.success_1),
                cell(&result.success_3),
                cell(&result.success_10),
                cell(&result.unanswered),
                cell(&result.false_alarms)
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
    if let Some(fields) = &command.json.json {
        return output.json(&figures, fields, None);
    }
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
    Ok(())
}

fn print(report: &EvalReport, output: &mut Output) {
    for set_report in &report.sets {
        output.line(format_args!(
            "{BOLD}{}{BOLD:#}  {} reports, {} with an earlier duplicate, {} without  {DIM}{}{DIM:#}",
            set_report.set, set_report.documents, set_report.queries, set_report.negatives, report.model
        ));
        output.line(format_args!(
            "{DIM}{:<12}{:>10}{:>10}{:>11}{:>8}{:>8}{:>8}{DIM:#}",
            "", "recall@1", "recall@5", "recall@10", "MRR", "MAP", "AUC"
        ));
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
                    output.line(format_args!(
                        "{DIM}  {:<10}{:+.3}  95% interval {:+.3} to {:+.3}{DIM:#}",
                        measure.name, d.value, d.low, d.high
                    ));
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
                let differences =
                    lead.measures.iter().filter(|m| LEAD_MEASURES.contains(&m.name)).map(|m| {
                        format!(
                            "  {} {:+.3} ({:+.3} to {:+.3})",
                            m.name, m.mean.value, m.mean.low, m.mean.high
                        )
                    });
                output.line(format_args!(
                    "  {:<10}{}",
                    lead.of.name(),
                    differences.collect::<String>()
                ));
            }
        }
        for ranking in &set_report.rankings {
            if let Some(confidence) = &ranking.confidence {
                print_confidence(ranking, confidence, output);
            }
        }
        output.line("");
    }
    output.line(format_args!(
        "{DIM}Saved to {}; use it with --against to compare.{DIM:#}",
        report.run
    ));
}

/// Formats a share with its interval and sample size: "62 (49-74, 51 pairs)".
fn format_share(share: Option<Share>) -> String {
    share.filter(|s| s.pairs > 0).map_or_else(
        || "-".to_owned(),
        |s| {
            let percent = |x: f64| x * 100.0;
            format!(
                "{:.0} ({:.0}-{:.0}, {})",
                percent(s.share),
                percent(s.low),
                percent(s.high),
                s.pairs
            )
        },
    )
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
        output.line(format_args!(
            "  {:<14}{:>9}{:>10.1}{:>20}{:>20}{:>20}{:>12.2}",
            band_name(b.band),
            b.answers,
            b.of_thousand,
            format_share(Some(b.marked)),
            format_share(b.same),
            format_share(b.worth),
            b.of_found
        ));
    }
    for queue in &confidence.queue {
        output.line(format_args!(
            "  first {:>3} in the queue: marked {}, duplicates {}; {} marked pairs come later",
            queue.first,
            format_share(Some(queue.marked)),
            format_share(queue.same),
            queue.missed_count
        ));
    }
    if let Some(share) = confidence.related {
        output.line(format_args!("  at least related: {}", format_share(Some(share))));
    }
    if let Some(worth) = confidence.worth_reading {
        output.line(format_args!(
            "  predicted worth reading at 0.8 or more: {}",
            format_share(Some(worth))
        ));
    }
    if let (Some(error), Some([a, b, c])) = (ranking.calibration_error, ranking.recall_at_precision)
    {
        output.line(format_args!(
            "  {DIM}on marked pairs: calibration error {error:.3}; duplicates found at a precision of 0.9: {a:.3}, of 0.7: {b:.3}, of 0.5: {c:.3}{DIM:#}"
        ));
    }
}
