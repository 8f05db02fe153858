//! Matches for the errors in a log: each distinct error is searched for like a report.

use std::collections::BTreeSet;

use jiff::Timestamp;
use precedent_core::{
    error::{Error, Result},
    model::{
        Band, KnownReport, LIKELY_HELP, LogError, LogGroup, LogRequest, LogResponse, LogVerdict,
        Notice, SolvedCase, TroubleshootRequest, TroubleshootSettings, limits,
    },
    task::{Phase, Task},
};
use precedent_logs::{CodeLine, ParsedLogs};
use precedent_text::{
    report::terms,
    signature::{Signature, SignatureKind},
};

use crate::{
    answer::{known_report, question::find_anywhere},
    ask,
    troubleshoot::CaseContext,
};

/// The maximum number of lines without a failure that are searched for because a report contains
/// their code.
const MAX_CODES: usize = 3;
/// The budget for the thread of each case, in characters.
const THREAD_BUDGET: usize = 2_000;

/// Searches for the distinct errors of a log, most important first.
pub fn ask(
    context: &CaseContext<'_>,
    request: &LogRequest,
    logs: ParsedLogs,
    now: Timestamp,
    task: &Task,
) -> Result<LogResponse> {
    let ParsedLogs { files, bytes, lines, groups, dropped_events, short_files, code_lines } = logs;
    let mut distinct_count = groups.len() as u64;
    let mut search = LogSearch { context, request, now, task, notices: Vec::new() };
    let mut errors = Vec::new();
    let selection: Vec<LogGroup> = groups.into_iter().take(request.max_errors).collect();
    let total = selection.len() as u64;
    let has_distinctive_error = selection.iter().any(|g| !precedent_logs::is_uninformative(g));
    for (index, group) in selection.into_iter().enumerate() {
        task.check()?;
        task.report(Phase::Triage, index as u64, Some(total), "errors");
        // "exit code 1" resembles many reports: search for it only if no error is distinctive.
        let error = if has_distinctive_error && precedent_logs::is_uninformative(&group) {
            LogError { group, verdict: LogVerdict::New, known: None, case: None }
        } else {
            search.look_up_error(group)?
        };
        errors.push(error);
    }
    // A code that a report contains is a match even in a line without a failure.
    let code_errors = search.find_by_code(code_lines, &errors)?;
    distinct_count += code_errors.len() as u64;
    errors.extend(code_errors);
    // A short file is also searched for as a whole, like a pasted text.
    for file in short_files {
        let indexes: Vec<usize> = (0..errors.len())
            .filter(|index| errors[*index].group.first.file == file.file)
            .collect();
        if indexes.is_empty() || indexes.iter().all(|index| is_answered(&errors[*index])) {
            continue;
        }
        let (verdict, known_report, case) = search.look_up_text(&file.text)?;
        if verdict > LogVerdict::Known {
            continue;
        }
        let keys: Vec<&String> =
            known_report.iter().map(|k| &k.key).chain(case.iter().map(|case| &case.key)).collect();
        let has_match = |index: &&usize| {
            let error: &LogError = &errors[**index];
            error.case.as_ref().is_some_and(|c| keys.contains(&&c.key))
                || error.known.as_ref().is_some_and(|k| keys.contains(&&k.key))
        };
        // A match found through another line does not solve the file's errors.
        let is_similar = |index: &&usize| {
            case.as_ref().is_some_and(|case| share_term(&errors[**index].group, case))
        };
        if let Some(index) =
            indexes.iter().find(has_match).or_else(|| indexes.iter().find(is_similar)).copied()
        {
            let error = &mut errors[index];
            (error.verdict, error.known, error.case) =
                (verdict.min(error.verdict), known_report, case);
        }
    }
    let mut response = LogResponse {
        files,
        bytes,
        lines,
        distinct: distinct_count,
        left_out: dropped_events,
        errors,
        notices: search.notices,
        ..LogResponse::default()
    };
    count_verdicts(&mut response);
    Ok(response)
}

/// Counts the errors of each verdict.
pub(crate) fn count_verdicts(response: &mut LogResponse) {
    let count = |verdict| response.errors.iter().filter(|e| e.verdict == verdict).count() as u64;
    (response.solved, response.known) = (count(LogVerdict::Solved), count(LogVerdict::Known));
    (response.perhaps, response.new) = (count(LogVerdict::Perhaps), count(LogVerdict::New));
}

/// Validates a request, before any file is read.
pub fn validate(request: &LogRequest) -> Result<()> {
    if request.max_errors == 0 || request.max_errors > limits::MAX_ERRORS {
        return Err(Error::invalid(format!("cannot look up {} errors", request.max_errors))
            .with_hint(format!("Ask for 1 to {}.", limits::MAX_ERRORS)));
    }
    Ok(())
}

/// The search for the errors of a log, with the notices about its answers.
struct LogSearch<'a> {
    context: &'a CaseContext<'a>,
    request: &'a LogRequest,
    now: Timestamp,
    task: &'a Task,
    notices: Vec<Notice>,
}

impl LogSearch<'_> {
    fn look_up_error(&mut self, group: LogGroup) -> Result<LogError> {
        let (verdict, known, case) = self.look_up_text(group.example_or_message())?;
        Ok(LogError { group, verdict, known, case })
    }

    /// Returns the verdict on `text`, the most similar report and the most relevant case.
    fn look_up_text(
        &mut self,
        text: &str,
    ) -> Result<(LogVerdict, Option<KnownReport>, Option<SolvedCase>)> {
        let query = (None, text, self.request.source.as_deref());
        let matches = find_anywhere(self.context.finder, query, self.now, self.task)?;
        let settings = TroubleshootSettings {
            max_results: 1,
            total_budget_chars: THREAD_BUDGET,
            ..self.request.settings.clone()
        };
        let request = TroubleshootRequest { settings, ..TroubleshootRequest::default() };
        let (response, similar_reports) =
            ask::find_cases(self.context, &matches, &request, 1, self.task)?;
        for notice in response.notices {
            if !self.notices.contains(&notice) {
                self.notices.push(notice);
            }
        }
        let case = response.cases.into_iter().next();
        let candidate = similar_reports.candidates.first().filter(|c| c.band <= Band::Possible);
        let mut report = candidate.map(KnownReport::from);
        if let (Some(problem), Some(report)) = (&response.problem, &mut report) {
            let store = self.context.finder.store;
            if let Some(row) = store.read(|r| r.document_by_key(&problem.key))? {
                *report = known_report(row, report.band, report.confidence);
            }
            report.status = Some(problem.status);
        }
        let verdict = match (&response.problem, &case) {
            (Some(problem), Some(case)) if problem.status.is_fixed() && problem.has(&case.key) => {
                LogVerdict::Solved
            }
            (Some(_), _) => LogVerdict::Known,
            (None, Some(case)) if case.relevance >= LIKELY_HELP => LogVerdict::Solved,
            (None, case) if case.is_some() || report.is_some() => LogVerdict::Perhaps,
            (None, _) => LogVerdict::New,
        };
        Ok((verdict, report, case))
    }

    /// Returns the known errors among the lines without a failure whose code a report contains.
    fn find_by_code(&mut self, lines: Vec<CodeLine>, errors: &[LogError]) -> Result<Vec<LogError>> {
        let mut matches: Vec<LogError> = Vec::new();
        let mut count = 0;
        for CodeLine { code, line } in lines {
            let is_listed =
                |e: &LogError| e.group.message.contains(&code) || e.group.example.contains(&code);
            if errors.iter().chain(&matches).any(is_listed) {
                continue;
            }
            self.task.check()?;
            let term = Signature { kind: SignatureKind::Code, text: code.to_lowercase() }.term();
            // Most codes are in no report, and this lookup is cheap.
            if self.context.finder.fulltext.search_signatures(&[term], &[], 1)?.is_empty() {
                continue;
            }
            count += 1;
            if count > MAX_CODES {
                break;
            }
            let error = self.look_up_error(line)?;
            if matches!(error.verdict, LogVerdict::Solved | LogVerdict::Known) {
                matches.push(error);
            }
        }
        Ok(matches)
    }
}

/// Returns whether an error is answered without its surrounding lines.
fn is_answered(error: &LogError) -> bool {
    // The version may be on another line.
    let wants_version = error
        .case
        .as_ref()
        .is_some_and(|case| case.fixed_in.is_some() && case.asked_version.is_none());
    error.verdict == LogVerdict::Solved && !wants_version
}

/// Returns whether an error and a case share a term.
fn share_term(group: &LogGroup, case: &SolvedCase) -> bool {
    let case_terms: BTreeSet<String> =
        terms(&format!("{}\n{}", case.title, case.body)).into_iter().collect();
    terms(&group.example).iter().any(|term| case_terms.contains(term))
}
