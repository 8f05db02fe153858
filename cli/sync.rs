//! `precedent sync`.

use std::time::Duration;

use precedent_core::{
    Code, Error, Result,
    model::{IndexReport, SyncReport, SyncRequest},
};

use crate::{
    Session,
    args::SyncCommand,
    import,
    output::{self, Output, plural},
};

/// The reports of a sync and of the indexing that follows it.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Report {
    sources: Vec<SyncReport>,
    index: Option<IndexReport>,
}

pub async fn run(session: &Session, command: SyncCommand, output: &mut Output) -> Result<()> {
    if !command.watch {
        return sync_once(session, &command, output).await?.map_or(Ok(()), Err);
    }
    let mut is_first_round = true;
    loop {
        // An error in the first round may be a usage error, so it ends the command.
        match sync_once(session, &command, output).await {
            Err(error) if is_first_round || session.task.is_cancelled() => return Err(error),
            Ok(Some(error)) if session.task.is_cancelled() => return Err(error),
            Ok(Some(error)) | Err(error) => output::print_error(&error),
            Ok(None) => {}
        }
        is_first_round = false;
        session.say(&format!("Next sync in {}.", format_duration(command.every)));
        tokio::select! {
            () = tokio::time::sleep(command.every) => {}
            () = session.task.wait_for_cancel() => {}
        }
        session.task.check()?;
    }
}

fn format_duration(duration: Duration) -> String {
    match duration.as_secs() {
        s if s % 3_600 == 0 => format!("{} h", s / 3_600),
        s if s % 60 == 0 => format!("{} min", s / 60),
        s => format!("{s} s"),
    }
}

/// Runs one sync and the indexing after it; returns the error that ended a source's sync early.
async fn sync_once(
    session: &Session,
    command: &SyncCommand,
    output: &mut Output,
) -> Result<Option<Error>> {
    let request = SyncRequest {
        sources: command.sources.clone(),
        full: command.full,
        hide_gone: command.hide_deleted,
    };
    let sources = session.casebook.sync(request, &session.task).await?;
    if sources.is_empty() {
        session.say("No sources to sync. Add one: precedent source add github:owner/name");
    }
    for report in &sources {
        print_report(session, report);
    }
    let error = final_error(&sources);
    let index = match &error {
        Some(error) if error.code() == Code::Cancelled => None,
        _ => import::update_indexes(session, command.index_options).await?,
    };
    if let Some(fields) = &command.json.json {
        output.json(&Report { sources, index }, fields, Some("sources"))?;
        output.flush();
    }
    Ok(error)
}

/// Returns whether the sync of a source failed because its tracker could not be reached.
fn is_unreachable(report: &SyncReport) -> bool {
    report.requests == 0 && report.problem.as_ref().is_some_and(|p| p.code() == Code::Network)
}

/// Returns the error that the command ends with: an authentication error only if every failure is
/// one, so that scripts know when to sign in.
fn final_error(reports: &[SyncReport]) -> Option<Error> {
    let problems = || reports.iter().filter_map(|r| r.problem.as_ref().map(|p| (r, p)));
    let other_problem = problems().find(|(_, p)| p.code() != Code::Authentication);
    let (report, problem) = other_problem.or_else(|| problems().next())?;
    Some(if is_unreachable(report) {
        let message = "nothing was synced: the network is down, or no tracker responds";
        Error::new(Code::Network, message).with_hint(problem.hint().unwrap_or_default())
    } else {
        problem.clone().context(&report.source)
    })
}

fn print_report(session: &Session, report: &SyncReport) {
    if let Some(problem) = report.problem.as_ref().filter(|_| is_unreachable(report)) {
        session.say(&format!("{}: sync failed: {}.", report.source, problem));
        return;
    }
    let wiki = match report.wiki_pages {
        0 => String::new(),
        n => format!(", {}", plural(n, "wiki page")),
    };
    session.say(&format!(
        "{}: {}, {}{wiki} in {}: {}.",
        report.source,
        plural(report.items, "item"),
        plural(report.comments, "comment"),
        plural(report.requests, "request"),
        import::describe_changes(&[
            (report.new, "new"),
            (report.updated, "updated"),
            (report.unchanged, "unchanged"),
            (report.stale, "ignored (older than the stored version)"),
            (report.gone, "deleted"),
        ])
    ));
    if let Some(name) = &report.renamed_to {
        session
            .say(&format!("  Renamed to {name} on the tracker; the source keeps its local name."));
    }
    for skip in &report.skips {
        session.say(&format!("  {}: {}", skip.place, skip.reason));
    }
    for gap in &report.gaps {
        session.say(&format!("  {}", gap.hint));
    }
}
