//! `precedent triage`.

use std::{collections::HashSet, time::Duration};

use precedent_core::{
    Result, Task,
    model::{TriageItem, TriageResponse, VerdictKind},
};

use crate::{
    Session,
    args::TriageCommand,
    closures,
    duplicates::print_candidate,
    input,
    output::{BOLD, DIM, Output, bold, dim, key, labeled_day, plain, plural},
    verdict,
};

/// The time for checks before the first list is shown; the remaining reports are checked after it.
const FIRST_LIST_TIMEOUT: Duration = Duration::from_secs(5);

pub async fn run(session: &Session, command: TriageCommand, output: &mut Output) -> Result<()> {
    if command.apply || command.journal {
        return closures::run(session, &command, output).await;
    }
    let request = command.request(&session.settings);
    if let Some(fields) = &command.json.json {
        let response = session.casebook.triage(request, &session.task).await?;
        return output.json(&response, fields, Some("queue"));
    }
    let response =
        session.casebook.triage_within(request.clone(), FIRST_LIST_TIMEOUT, &session.task).await?;
    session.print_notices(&response.notices, output);
    print_summary(&response, output);
    let is_unfinished = response.unscanned > 0 && !command.no_check;
    if command.decide {
        let task = Task::new();
        let background_check = is_unfinished.then(|| {
            let (casebook, request, task) = (session.casebook.clone(), request, task.clone());
            tokio::spawn(async move { casebook.triage(request, &task).await })
        });
        let result = ask_verdicts(session, &response, &verdict::actor(command.by), output).await;
        task.cancel();
        if let Some(background_check) = background_check {
            // Completed checks are kept, and the next command continues.
            let _ = background_check.await;
        }
        return result;
    }
    print_queue(&response, &HashSet::new(), output);
    if is_unfinished {
        let reports = plural(response.unscanned, "open report");
        output.line(format_args!(
            "\n{DIM}Checking the other {reports}, newest first. Ctrl+C stops; finished checks are kept.{DIM:#}"
        ));
        output.flush();
        let printed_keys: HashSet<&str> =
            response.queue.iter().chain(&response.related).map(|item| item.key.as_str()).collect();
        let full_response = session.casebook.triage(request, &session.task).await?;
        output.line("");
        print_summary(&full_response, output);
        print_queue(&full_response, &printed_keys, output);
    }
    Ok(())
}

/// Prints the queue without the reports that were already printed.
fn print_queue(response: &TriageResponse, printed_keys: &HashSet<&str>, output: &mut Output) {
    for item in response.queue.iter().filter(|item| !printed_keys.contains(item.key.as_str())) {
        print(item, output);
    }
    let shown_count = response.queue.len() as u64;
    if response.waiting > shown_count {
        let hidden_count = response.waiting - shown_count;
        output.line(format_args!("\n{DIM}{hidden_count} more; use --limit to show them.{DIM:#}"));
    }
    print_related(response, printed_keys, output);
    if response.closed_left_out > 0 && printed_keys.is_empty() {
        let reports = plural(response.closed_left_out, "closed report");
        output.line(format_args!(
            "\n{DIM}Left out: {reports}. Use --include-closed to include closed reports.{DIM:#}"
        ));
    }
}

fn print_summary(response: &TriageResponse, output: &mut Output) {
    let waiting_text = match response.waiting {
        0 => "No open reports to review".to_owned(),
        n => format!("{} to review", plural(n, "open report")),
    };
    let expected_text = match response.queue.len() {
        // A single report shows its own confidence.
        0 | 1 => String::new(),
        n => {
            let scope = match n as u64 == response.waiting {
                true => String::new(),
                false => format!(" of the {n} shown"),
            };
            match response.expected.round() {
                0.0 => format!("; probably none{scope} are duplicates"),
                1.0 => format!("; about 1{scope} is likely a duplicate"),
                count => format!("; about {count:.0}{scope} are likely duplicates"),
            }
        }
    };
    let checks = describe_checks(response.scanned, response.unscanned);
    output.line(format_args!("{waiting_text}{expected_text}. {DIM}{checks}.{DIM:#}"));
}

/// Describes how many reports were checked now, and how many are left.
fn describe_checks(scanned: u64, unscanned: u64) -> String {
    let scanned_text =
        (scanned > 0).then(|| format!("{} checked now", plural(scanned, "open report")));
    let rest = (unscanned > 0).then(|| format!("{} not checked yet", plural(unscanned, "report")));
    let parts: Vec<String> = scanned_text.into_iter().chain(rest).collect();
    if parts.is_empty() { "No new reports to check".to_owned() } else { parts.join("; ") }
}

/// Prints the reports without a likely duplicate but with related reports, one per line.
fn print_related(response: &TriageResponse, printed_keys: &HashSet<&str>, output: &mut Output) {
    let related_items: Vec<&TriageItem> =
        response.related.iter().filter(|item| !printed_keys.contains(item.key.as_str())).collect();
    if related_items.is_empty() {
        return;
    }
    let (count, total) = (related_items.len(), plural(response.related_waiting, "report"));
    output.line(format_args!(
        "\n{BOLD}Related, probably not duplicates{BOLD:#} {DIM}({count} of {total} shown){DIM:#}"
    ));
    for item in related_items {
        let c = &item.candidate;
        let relation = dim("related to");
        let (report, title) = (key(&item.key), plain(&item.title));
        let (candidate, candidate_title) = (key(&c.key), plain(&c.title));
        output.line(format_args!("{report}  {title}  {relation} {candidate}  {candidate_title}"));
    }
}

fn print(item: &TriageItem, output: &mut Output) {
    let date = dim(labeled_day("opened", item.created_at));
    output.line(format_args!("\n{}  {}  {date}", key(&item.key), bold(&item.title)));
    output.line(dim(format_args!("{}:", item.candidate.band.words())));
    print_candidate(&item.candidate, output);
}

/// Asks about the reports one by one; an answer is a letter and an optional reason.
async fn ask_verdicts(
    session: &Session,
    response: &TriageResponse,
    actor: &str,
    output: &mut Output,
) -> Result<()> {
    let mut last_pair: Option<(&str, &str)> = None;
    let mut position = 0;
    loop {
        let item = response.queue.get(position);
        match item {
            Some(item) => {
                print(item, output);
                output.line("");
                output.line(format_args!(
                    "{BOLD}{} of {}{BOLD:#}  [d]uplicate  [r]elated  [n]ot a duplicate  [s]kip  [u]ndo the last  [q]uit  \
                     {DIM}optional: a reason after the letter, such as `n different cause`{DIM:#}",
                    position + 1,
                    response.queue.len()
                ));
            }
            // The last verdict can be undone like any other.
            None if last_pair.is_some() => output.line(format_args!(
                "\n{BOLD}No more reports.{BOLD:#}  [u]ndo the last verdict; any other key quits"
            )),
            None => break,
        }
        output.flush();
        let Some(answer) = input::read_line()? else { break };
        let (letter, reason) = answer.split_once(char::is_whitespace).unwrap_or((&answer, ""));
        let letter = letter.to_lowercase();
        if matches!(letter.as_str(), "u" | "undo") {
            match last_pair.take() {
                Some((key, other_key)) => {
                    session.casebook.undo_verdict(key, other_key, actor).await?;
                    output.line("Undone.");
                    position = response.queue.iter().position(|i| i.key == key).unwrap_or(position);
                }
                None => output.line("Nothing to undo."),
            }
            continue;
        }
        let Some(item) = item else { break };
        let kind = match letter.as_str() {
            "d" | "duplicate" => VerdictKind::Duplicate,
            "r" | "related" => VerdictKind::Related,
            "n" | "not" => VerdictKind::NotDuplicate,
            "s" | "skip" | "" => {
                position += 1;
                continue;
            }
            "q" | "quit" => break,
            reply => {
                let reply = plain(reply);
                output.line(format_args!("Unknown answer \"{reply}\": use d, r, n, s, u or q."));
                continue;
            }
        };
        let reason = Some(reason.trim()).filter(|r| !r.is_empty());
        let other_key = &item.candidate.key;
        let verdict =
            session.casebook.record_verdict(&item.key, other_key, kind, reason, actor).await?;
        output.line(verdict::describe(&verdict));
        last_pair = Some((&item.key, other_key));
        position += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchecked_reports_are_never_denied() {
        for (scanned, unscanned, text) in [
            (0, 0, "No new reports to check"),
            (0, 2, "2 reports not checked yet"),
            (1, 0, "1 open report checked now"),
            (3, 1, "3 open reports checked now; 1 report not checked yet"),
        ] {
            assert_eq!(describe_checks(scanned, unscanned), text);
        }
    }
}
