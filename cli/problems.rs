//! `precedent problems`.

use precedent_core::{
    Result,
    model::{ListedProblem, ProblemList, ProblemReport, TriageRequest},
};

use crate::{
    Session,
    args::ProblemsCommand,
    output::{Output, bold, dim, key, labeled_day, percent, plain, plural},
};

/// The maximum number of reports listed per problem.
const MAX_MEMBERS: usize = 8;
/// The minimum number of reports for printing a trend; with fewer it is noise.
const MIN_TREND: usize = 5;

pub async fn run(session: &Session, command: ProblemsCommand, output: &mut Output) -> Result<()> {
    if !command.no_check {
        check_new_reports(session, command.source.clone()).await?;
    }
    let list = command.list();
    let response = session.casebook.problems(command.request(), &session.task).await?;
    if matches!(list, ProblemList::Unreleased | ProblemList::Recurring)
        && !response.without_releases.is_empty()
    {
        let sources = response.without_releases.join(", ");
        session.say(&format!(
            "The releases of {sources} are unknown. Sync the source, or import its changelog."
        ));
    }
    output.answer(&response, &command.json, Some("problems"), |output| {
        let heading = bold(list.heading(response.total));
        let open_count = plural(response.open as u64, "open report");
        let unscanned_note = match response.unscanned {
            0 => String::new(),
            n => dim(format_args!("· {} not checked yet", plural(n, "open report"))),
        };
        output.line(format!("{heading} ({open_count}) {unscanned_note}").trim_end());
        response.problems.iter().for_each(|problem| print(problem, output));
        let remaining_count = response.total - response.problems.len();
        if remaining_count > 0 {
            output.line("");
            output.line(dim(format_args!("{remaining_count} more; use --limit to show them.")));
        }
    })
}

/// Checks new reports for duplicates, so that they count towards the problems.
pub async fn check_new_reports(session: &Session, source: Option<String>) -> Result<()> {
    let request =
        TriageRequest { source, include_closed: true, limit: 1, ..TriageRequest::default() };
    for notice in session.casebook.triage(request, &session.task).await?.notices {
        session.say(&notice.hint.to_string());
    }
    Ok(())
}

fn print(problem: &ListedProblem, output: &mut Output) {
    let status =
        problem.status.with_versions(problem.fixed_in.as_deref(), problem.came_back_in.as_deref());
    let report_count = plural(problem.size as u64, "report");
    let mut facts = vec![status, format!("{report_count}, {} open", problem.open)];
    let (recent, before) = (problem.recent, problem.before);
    if problem.size >= MIN_TREND && recent + before > 0 {
        facts.push(format!("{recent} in the last 30 days, {before} in the 30 before"));
    }
    let versions =
        problem.versions.iter().map(|count| format!("{} ({})", count.version, count.reports));
    let versions: Vec<String> = versions.collect();
    if !versions.is_empty() {
        facts.push(format!("versions: {}", versions.join(", ")));
    }
    if !problem.articles.is_empty() {
        facts.push(format!("article {}", problem.articles.join(", ")));
    }
    output.heading(&problem.head.title);
    output.detail(facts.join(" · "));
    print_report(&problem.head, "", output);
    for member in problem.members.iter().take(MAX_MEMBERS) {
        let confidence = match member.known {
            true => "known".to_owned(),
            false => percent(member.confidence),
        };
        print_report(member, &confidence, output);
    }
    if problem.members.len() > MAX_MEMBERS {
        output.detail(format_args!("and {} more", problem.members.len() - MAX_MEMBERS));
    }
}

fn print_report(report: &ProblemReport, confidence: &str, output: &mut Output) {
    let state = if report.open { "" } else { "closed, " };
    let date = labeled_day("opened", report.created_at);
    let version = report.version.as_ref().map(|version| format!(", on {version}"));
    let details = dim(state.to_owned() + &date + &version.unwrap_or_default());
    let (key, title) = (key(&report.key), plain(&report.title));
    output.line(format_args!("  {confidence:>5}  {key}  {title}  {details}"));
}
