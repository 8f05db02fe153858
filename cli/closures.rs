//! `precedent triage --apply` and `--journal`: closing duplicates on their trackers.

use precedent_core::{
    Result,
    model::{Closure, ClosureRecord, ClosureStep, VerdictKind, split_key},
};

use crate::{
    Session,
    args::TriageCommand,
    output::{BOLD, DIM, KEY, Output, day, plain, plural},
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
    match &command.json.json {
        Some(fields) => output.json(&report, fields, Some("done"))?,
        None => report.done.iter().for_each(|record| print(record, output)),
    }
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
        // The report to close is the one that is not canonical.
        let imported_source =
            verdicts.iter().filter(|v| v.kind == VerdictKind::Duplicate).find_map(|v| {
                let duplicate =
                    if v.canonical.as_ref() == Some(&v.first) { &v.second } else { &v.first };
                let source = duplicate.rsplit_once('#')?.0;
                (mirrors.iter().all(|m| m.source != source)
                    && only_source.is_none_or(|o| o == source))
                .then_some(source)
            });
        match imported_source {
            Some(source) => output.line(format_args!(
                "{} was imported from a file, so close duplicates in the tracker yourself.",
                plain(source)
            )),
            None => {
                output.line("No confirmed duplicates to close.");
                output.line(format_args!(
                    "{DIM}Run `precedent triage --decide` to review reports.{DIM:#}"
                ));
            }
        }
        return Ok(());
    }
    output.line(format_args!(
        "{BOLD}{} to close as {}{BOLD:#}",
        plural(closures.len() as u64, "report"),
        if closures.len() == 1 { "duplicate" } else { "duplicates" }
    ));
    for closure in closures {
        output.line("");
        output.line(format_args!(
            "{KEY}{}{KEY:#}  {BOLD}{}{BOLD:#}",
            plain(&closure.key),
            plain(&closure.title)
        ));
        output.line(format_args!(
            "  duplicate of {KEY}{}{KEY:#}  {}  {DIM}decided by {} on {}{DIM:#}",
            plain(&closure.canonical),
            plain(closure.canonical_title.as_deref().unwrap_or_default()),
            plain(&closure.actor),
            day(Some(closure.decided_at))
        ));
        if let Some(obstacle) = &closure.obstacle {
            output.line(format_args!("  cannot be closed: {}", plain(&obstacle.to_string())));
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
        output.line(format_args!(
            "  on {}: post the comment \"{}\",",
            plain(&closure.host),
            plain(line)
        ));
        output.line("  then close with the reason \"duplicate\". To do it yourself:");
        for command in &closure.commands {
            output.line(format_args!("    {DIM}{}{DIM:#}", plain(command)));
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
    if let Some(fields) = &command.json.json {
        return output.json(&journal, fields, None);
    }
    if journal.is_empty() {
        output.line("Nothing has been posted to a tracker yet.");
    }
    journal.iter().for_each(|record| print(record, output));
    Ok(())
}

fn print(record: &ClosureRecord, output: &mut Output) {
    let outcome = match record.step {
        ClosureStep::Closed => "closed",
        ClosureStep::Commented => "commented, not closed yet",
        ClosureStep::Commenting => "not closed yet",
        ClosureStep::Refused => "left unchanged",
    };
    output.line(format_args!(
        "{KEY}{}{KEY:#}  {outcome}: duplicate of {KEY}{}{KEY:#}  {DIM}{}, {}{DIM:#}",
        plain(&record.key),
        plain(&record.canonical),
        plain(&record.actor),
        day(Some(record.changed_at))
    ));
    if let Some(problem) = &record.problem {
        output.line(format_args!("  {}", plain(problem)));
    }
    if let Some(url) = &record.comment_url {
        output.line(format_args!("  {DIM}{}{DIM:#}", plain(url)));
    }
}
