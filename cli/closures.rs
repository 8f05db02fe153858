//! `precedent triage --apply` and `--journal`: closing duplicates on their trackers.

use precedent_core::{
    Result,
    model::{Closure, ClosureRecord, ClosureStep, VerdictKind, split_key},
};

use crate::{
    Session,
    args::TriageCommand,
    output::{BOLD, Output, bold, day, dim, key, plain, plural},
    verdict,
};

pub async fn run(session: &Session, command: &TriageCommand, output: &mut Output) -> Result<()> {
    if command.journal {
        return print_journal(session, command, output).await;
    }
    let source = command.source.as_deref();
    let closures = session.casebook.closures(source).await?;
    if !command.yes {
        if let Some(fields) = &command.json.json {
            return output.json(&closures, fields, None);
        }
        print_plan(session, source, &closures, output).await?;
        if closures.iter().any(|c| c.obstacle.is_none()) {
            output.line("");
            let source_flag = source.map(|s| format!(" -R {}", plain(s))).unwrap_or_default();
            output.line(format_args!(
                "{BOLD}Nothing was posted.{BOLD:#} To post and close: precedent triage --apply --yes{source_flag}"
            ));
        }
        return Ok(());
    }
    if command.json.json.is_none() {
        print_plan(session, source, &closures, output).await?;
        output.line("");
        output.flush();
    }
    let actor = verdict::actor(command.by.clone());
    let report = session.casebook.close_reports(&closures, &actor, &session.task).await?;
    output.answer(&report, &command.json, Some("done"), |output| {
        report.done.iter().for_each(|record| print(record, output))
    })?;
    output.flush();
    report.problem.map_or(Ok(()), Err)
}

async fn print_plan(
    session: &Session,
    only_source: Option<&str>,
    closures: &[Closure],
    output: &mut Output,
) -> Result<()> {
    if closures.is_empty() {
        let verdicts = session.casebook.verdicts(None).await?;
        let mirrors = session.casebook.mirrors().await?;
        let is_imported = |source: &&str| {
            mirrors.iter().all(|m| m.source != *source) && only_source.is_none_or(|o| o == *source)
        };
        let duplicates = verdicts.iter().filter(|v| v.kind == VerdictKind::Duplicate);
        let mut sources =
            duplicates.filter_map(|v| Some(verdict::duplicate(v).rsplit_once('#')?.0));
        let imported_source = sources.find(is_imported);
        if let Some(source) = imported_source.map(plain) {
            output.line(format_args!(
                "{source} was imported from a file, so close duplicates in the tracker yourself."
            ));
        } else {
            output.line("No confirmed duplicates to close.");
            output.line(dim("Run `precedent triage --decide` to review reports."));
        }
        return Ok(());
    }
    let report_count = plural(closures.len() as u64, "report");
    let noun = if closures.len() == 1 { "duplicate" } else { "duplicates" };
    output.line(bold(format_args!("{report_count} to close as {noun}")));
    for closure in closures {
        output.line(format_args!("\n{}  {}", key(&closure.key), bold(&closure.title)));
        let canonical = key(&closure.canonical);
        let title = plain(closure.canonical_title.as_deref().unwrap_or_default());
        let date = day(Some(closure.decided_at));
        let decision = dim(format_args!("decided by {} on {date}", closure.actor));
        output.line(format_args!("  duplicate of {canonical}  {title}  {decision}"));
        if let Some(obstacle) = &closure.obstacle {
            output.line(format_args!("  cannot be closed: {}", plain(obstacle)));
            continue;
        }
        match closure.step {
            Some(ClosureStep::Commented) => {
                output.line("  the comment is posted; the report is not closed yet");
            }
            Some(ClosureStep::Commenting) => {
                output.line("  a comment was sent earlier; the tracker is checked for it first");
            }
            _ => {}
        }
        let line = closure.comment.lines().next().unwrap_or_default();
        let (host, line) = (plain(&closure.host), plain(line));
        output.line(format_args!("  on {host}: post the comment \"{line}\","));
        output.line("  then close with the reason \"duplicate\". To do it yourself:");
        for command in &closure.commands {
            output.line(format_args!("    {}", dim(command)));
        }
    }
    Ok(())
}

async fn print_journal(
    session: &Session,
    command: &TriageCommand,
    output: &mut Output,
) -> Result<()> {
    let mut journal = session.casebook.closure_journal().await?;
    if let Some(source) = &command.source {
        let is_of_source =
            |key: &str| split_key(key).is_some_and(|(s, _)| s.eq_ignore_ascii_case(source));
        journal.retain(|record| is_of_source(&record.key));
    }
    output.answer(&journal, &command.json, None, |output| {
        if journal.is_empty() {
            output.line("Nothing has been posted to a tracker yet.");
        }
        journal.iter().for_each(|record| print(record, output));
    })
}

fn print(record: &ClosureRecord, output: &mut Output) {
    let outcome = match record.step {
        ClosureStep::Closed => "closed",
        ClosureStep::Commented => "commented, not closed yet",
        ClosureStep::Commenting => "not closed yet",
        ClosureStep::Refused => "left unchanged",
    };
    let (report, canonical) = (key(&record.key), key(&record.canonical));
    let decision = dim(format_args!("{}, {}", record.actor, day(Some(record.changed_at))));
    output.line(format_args!("{report}  {outcome}: duplicate of {canonical}  {decision}"));
    if let Some(problem) = &record.problem {
        output.line(format_args!("  {}", plain(problem)));
    }
    if let Some(url) = &record.comment_url {
        output.detail(url);
    }
}
