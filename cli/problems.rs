//! `precedent problems`.

use precedent_core::{
    Result,
    model::{ListedProblem, ProblemList, ProblemReport, TriageRequest},
};

use crate::{
    Session,
    args::ProblemsCommand,
    output::{BOLD, DIM, KEY, Output, labeled_day, plain, plural},
};

/// The maximum number of reports listed per problem.
const MAX_MEMBERS: usize = 8;
/// The minimum number of reports for printing a trend; with fewer it is noise.
const MIN_TREND: usize = 5;

pub async fn run(session: &Session, command: ProblemsCommand, output: &mut Output) -> Result<()> {
    if !command.no_check {
        let check = TriageRequest {
            source: command.source.clone(),
            include_closed: true,
            limit: 1,
            ..TriageRequest::default()
        };
        for notice in session.casebook.triage(check, &session.task).await?.notices {
            session.say(&notice.hint.to_string());
        }
    }
    let list = command.list();
    let response = session.casebook.problems(command.request(), &session.task).await?;
    if matches!(list, ProblemList::Unreleased | ProblemList::Recurring)
        && !response.without_releases.is_empty()
    {
        session.say(&format!(
            "The releases of {} are unknown. Sync the source, or import its changelog.",
            plain(&response.without_releases.join(", "))
        ));
    }
    if let Some(fields) = &command.json.json {
        return output.json(&response, fields, Some("problems"));
    }
    let unscanned_note = match response.unscanned {
        0 => String::new(),
        n => format!(" {DIM}· {} not checked yet{DIM:#}", plural(n, "open report")),
    };
    output.line(format_args!(
        "{BOLD}{}{BOLD:#} ({}){unscanned_note}",
        list.heading(response.total),
        plural(response.open as u64, "open report")
    ));
    for problem in &response.problems {
        print(problem, output);
    }
    let remaining_count = response.total - response.problems.len();
    if remaining_count > 0 {
        output.line("");
        output.line(format_args!("{DIM}{remaining_count} more; use --limit to show them.{DIM:#}"));
    }
    Ok(())
}

fn print(problem: &ListedProblem, output: &mut Output) {
    let status =
        problem.status.with_versions(problem.fixed_in.as_deref(), problem.came_back_in.as_deref());
    let mut facts = vec![
        plain(&status),
        format!("{}, {} open", plural(problem.size as u64, "report"), problem.open),
    ];
    if problem.size >= MIN_TREND && problem.recent + problem.before > 0 {
        facts.push(format!(
            "{} in the last 30 days, {} in the 30 before",
            problem.recent, problem.before
        ));
    }
    let versions: Vec<String> = problem
        .versions
        .iter()
        .map(|count| format!("{} ({})", plain(&count.version), count.reports))
        .collect();
    if !versions.is_empty() {
        facts.push(format!("versions: {}", versions.join(", ")));
    }
    if !problem.articles.is_empty() {
        facts.push(format!("article {}", plain(&problem.articles.join(", "))));
    }
    output.line("");
    output.line(format_args!("{BOLD}{}{BOLD:#}", plain(&problem.head.title)));
    output.line(format_args!("  {DIM}{}{DIM:#}", facts.join(" · ")));
    print_report(&problem.head, "", output);
    for member in problem.members.iter().take(MAX_MEMBERS) {
        let confidence = match member.known {
            true => "known".to_owned(),
            false => format!("{:.0}%", member.confidence * 100.0),
        };
        print_report(member, &confidence, output);
    }
    if problem.members.len() > MAX_MEMBERS {
        output.line(format_args!("  {DIM}and {} more{DIM:#}", problem.members.len() - MAX_MEMBERS));
    }
}

fn print_report(report: &ProblemReport, confidence: &str, output: &mut Output) {
    let version = report.version.as_ref().map(|version| format!(", on {}", plain(version)));
    output.line(format_args!(
        "  {confidence:>5}  {KEY}{}{KEY:#}  {}  {DIM}{}{}{}{DIM:#}",
        plain(&report.key),
        plain(&report.title),
        if report.open { "" } else { "closed, " },
        labeled_day("opened", report.created_at),
        version.unwrap_or_default()
    ));
}
