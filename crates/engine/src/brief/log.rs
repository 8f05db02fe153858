//! The sections of a brief about a log.

use precedent_core::{
    error::Result,
    model::{
        Band, BriefRequest, Citation, Entry, LIKELY_HELP, LogError, LogGroup, LogPlace, LogRequest,
        LogResponse, LogVerdict, Notice, SolvedCase, TroubleshootResponse,
    },
    task::Task,
};

use super::{cite_case, cite_report, percent, quote, state_text};
use crate::{logs, troubleshoot::CaseContext};
use jiff::Timestamp;
use precedent_markup::fence;

/// Reads the logs of a request and searches for their errors.
pub(super) fn read_logs(
    context: &CaseContext<'_>,
    request: &BriefRequest,
    now: Timestamp,
    task: &Task,
) -> Result<LogResponse> {
    let paths: Vec<std::path::PathBuf> = request.logs.iter().map(Into::into).collect();
    let parsed_logs = precedent_logs::read(&paths, task)?;
    let log_request = LogRequest {
        source: request.source.clone(),
        settings: request.troubleshooting.clone(),
        ..LogRequest::default()
    };
    let mut response = logs::ask(context, &log_request, parsed_logs, now, task)?;
    response.conclusive = Notice::is_conclusive(&response.notices);
    if !request.leave_out.is_empty() {
        remove_excluded(&mut response, &request.leave_out);
    }
    Ok(response)
}

/// Removes matches with these keys, and updates the verdicts and their counts.
fn remove_excluded(response: &mut LogResponse, keys: &[String]) {
    for error in &mut response.errors {
        let known = error.known.take_if(|report| keys.contains(&report.key));
        let case = error.case.take_if(|case| keys.contains(&case.key));
        if known.is_none() && case.is_none() {
            continue;
        }
        error.verdict = match (&error.case, &error.known) {
            (Some(case), _) if case.relevance >= LIKELY_HELP => LogVerdict::Solved,
            (None, None) => LogVerdict::New,
            (None, Some(report)) if report.band <= Band::Likely => {
                error.verdict.max(LogVerdict::Known)
            }
            _ => LogVerdict::Perhaps,
        };
    }
    logs::count_verdicts(response);
}

/// Returns the cases that are likely to help and the threads of known reports, each once.
pub(super) fn solved_cases(log: &LogResponse) -> TroubleshootResponse {
    let mut cases: Vec<SolvedCase> = Vec::new();
    let is_listed = |e: &LogError| {
        let is_known =
            |case: &SolvedCase| e.known.as_ref().is_some_and(|report| report.key == case.key);
        match e.verdict {
            LogVerdict::Solved => true,
            LogVerdict::Known => e.case.as_ref().is_some_and(is_known),
            _ => false,
        }
    };
    for case in log.errors.iter().filter(|e| is_listed(e)).filter_map(|e| e.case.as_ref()) {
        if !cases.iter().any(|c| c.key == case.key) {
            cases.push(case.clone());
        }
    }
    TroubleshootResponse { cases, ..TroubleshootResponse::default() }
}

/// Returns the summary: "7 distinct errors in server.log (12040 lines): 1 solved, 6 known."
pub(super) fn summary(log: &LogResponse) -> String {
    let names: Vec<&str> = log
        .files
        .iter()
        .filter(|f| f.skipped.is_none() || f.lines > 0)
        .map(|f| f.name.as_str())
        .collect();
    let other_count = names.len().saturating_sub(3);
    let mut files = names.iter().take(3).copied().collect::<Vec<_>>().join(", ");
    if other_count > 0 {
        files.push_str(&format!(" and {other_count} more"));
    }
    let errors = if log.distinct == 1 { "distinct error" } else { "distinct errors" };
    let lines = if log.lines == 1 { "line" } else { "lines" };
    let lookup_clause = match log.errors.len() as u64 {
        count if count < log.distinct => format!(", {count} of them looked up"),
        _ => String::new(),
    };
    let counts = [
        (log.solved, "solved"),
        (log.known, "known"),
        (log.perhaps, "possibly known"),
        (log.new, "not seen before"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, words)| format!("{count} {words}")).collect();
    let colon = if counts.is_empty() { "" } else { ": " };
    format!(
        "{} {errors} in {files} ({} {lines}){lookup_clause}{colon}{}.",
        log.distinct,
        log.lines,
        counts.join(", ")
    )
}

/// Returns the example of each error as one text.
pub(super) fn text(log: &LogResponse) -> String {
    log.errors.iter().map(|e| e.group.example.as_str()).collect::<Vec<_>>().join("\n")
}

/// Returns an entry for each error: its message, its occurrences and its best match.
pub(super) fn entries(log: &LogResponse) -> Vec<Entry> {
    log.errors.iter().map(entry).collect()
}

fn entry(error: &LogError) -> Entry {
    let group = &error.group;
    let (status, citation) = status(error);
    let mut facts = vec![occurrences(group)];
    facts.extend(group.before_crash.then(|| "just before the crash".to_owned()));
    facts.push(status);
    let fence = fence(group.example.lines());
    let code = format!("{fence}\n{}\n{fence}", group.example);
    Entry {
        heading: Some(group.message.clone()),
        text: Some(format!("{}.", facts.join("; "))),
        quote: Some(quote(Some(group.severity.as_str()), &code, group.excerpt)),
        citations: citation.into_iter().collect(),
    }
}

/// Describes the best match of an error, with its state and confidence.
pub(super) fn status(error: &LogError) -> (String, Option<Citation>) {
    let Some((title, state, confidence, citation)) = best_match(error) else {
        return ("no match in the casebook".to_owned(), None);
    };
    let verdict = match error.verdict {
        LogVerdict::Solved => "solved",
        LogVerdict::Known => "known",
        _ => "possibly known",
    };
    (format!("{verdict}: {title} ({state}, {})", percent(confidence)), Some(citation))
}

/// Returns the key, the confidence and the state of the match of an error.
pub(super) fn match_summary(error: &LogError) -> Option<String> {
    let (_, state, confidence, citation) = best_match(error)?;
    Some(format!("{} ({}), {state}", citation.key, percent(confidence)))
}

/// Returns the title, the state, the confidence and the citation of the best match of an error.
fn best_match(error: &LogError) -> Option<(String, String, f32, Citation)> {
    match (&error.case, &error.known) {
        (Some(case), report) if error.verdict == LogVerdict::Solved || report.is_none() => {
            let fixed_in = case.fixed_in.as_ref().map(|version| format!(", fixed in {version}"));
            let title = format!("{}{}", case.title, fixed_in.unwrap_or_default());
            let state = state_text(case.state, case.state_reason.as_deref());
            Some((title, state, case.relevance, cite_case(case)))
        }
        (_, Some(report)) => {
            let state = state_text(report.state, report.state_reason.as_deref());
            let citation = cite_report(&report.key, &report.url);
            Some((report.title.clone(), state, report.confidence, citation))
        }
        _ => None,
    }
}

fn occurrences(group: &LogGroup) -> String {
    let place = |p: &LogPlace| {
        let time = p.at.as_ref().map(|time| format!(" at {time}")).unwrap_or_default();
        format!("{} line {}{time}", p.file, p.line)
    };
    if group.count == 1 {
        return format!("Once, {}", place(&group.last));
    }
    format!("{} times, first {}, last {}", group.count, place(&group.first), place(&group.last))
}
