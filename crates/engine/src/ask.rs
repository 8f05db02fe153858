//! The answer to a question: the known problem, its solution, and the next steps.

use std::{collections::BTreeSet, time::Instant};

use jiff::Timestamp;
use precedent_core::{
    Hint,
    error::Result,
    model::{
        AskRequest, AskResponse, Band, DocKind, DuplicateCandidate, DuplicatesRequest,
        DuplicatesResponse, KnownProblem, LIKELY_HELP, Notice, NoticeKind, POSSIBLE, ProblemStatus,
        SolvedCase, State, TroubleshootRequest, TroubleshootResponse,
    },
    task::Task,
};
use precedent_store::{DocumentRow, Reader};

use crate::{
    answer::{
        known_report,
        question::{Question, QuestionMatches, QuestionSpec, find_anywhere},
    },
    duplicates, search,
    troubleshoot::{self, CaseContext},
};

/// The maximum number of similar reports considered for an answer.
pub(crate) const MAX_CANDIDATES: usize = 10;
/// The maximum number of possible duplicates, related and closest reports listed.
const MAX_RELATED: usize = 5;
/// The minimum relevance of a quoted case; other cases are only listed.
const MIN_QUOTED: f32 = 0.3;

/// Answers a question about a problem.
pub fn ask(
    context: &CaseContext<'_>,
    request: &AskRequest,
    now: Timestamp,
    task: &Task,
) -> Result<AskResponse> {
    let start = Instant::now();
    let finder = context.finder;
    let query = (request.key.as_deref(), &*request.text, request.source.as_deref());
    let matches = find_anywhere(finder, query, now, task)?;
    let settings = &request.settings;
    let case_request =
        TroubleshootRequest { settings: settings.clone(), ..TroubleshootRequest::default() };
    let (response, similar_reports) =
        find_cases(context, &matches, &case_request, MAX_CANDIDATES, task)?;
    let threshold = response.settings.similarity_threshold.unwrap_or_default();
    let mut notes =
        troubleshoot::passages(finder, &matches.question, DocKind::Note, threshold, false, task)?;
    notes.retain(|note| response.articles.iter().all(|article| article.key != note.key));
    let mut answer = respond(context, &matches, response, &similar_reports)?;
    answer.notices.extend(errors_notice(request));
    Ok(AskResponse { notes, took_ms: start.elapsed().as_secs_f64() * 1000.0, ..answer })
}

/// Returns a notice if the question is a log with several errors.
fn errors_notice(request: &AskRequest) -> Option<Notice> {
    if request.key.is_some() || !precedent_logs::is_log(request.text.as_bytes()) {
        return None;
    }
    let count = precedent_logs::read_text(&request.text).failures().count();
    let hint = Hint::from(format!(
        "The log has {count} distinct errors, and this answer is about only one of them. \
         Open the log file to look up each one."
    ))
    .with_command(None, "precedent troubleshoot FILE");
    (count > 1).then(|| Notice::new(NoticeKind::Errors, hint))
}

/// Finds the known problem of a question and its solved cases.
pub fn troubleshoot(
    context: &CaseContext<'_>,
    request: &TroubleshootRequest,
    now: Timestamp,
    task: &Task,
) -> Result<TroubleshootResponse> {
    let start = Instant::now();
    let query = (request.key.as_deref(), &*request.text, request.source.as_deref());
    let matches = find_anywhere(context.finder, query, now, task)?;
    let (response, _) = find_cases(context, &matches, request, 1, task)?;
    Ok(TroubleshootResponse { took_ms: start.elapsed().as_secs_f64() * 1000.0, ..response })
}

/// Finds the known problem of a question, the solved cases (those of the problem first), and at
/// most `max_candidates` similar reports, of which only the first determines the problem.
pub(crate) fn find_cases(
    context: &CaseContext<'_>,
    matches: &QuestionMatches,
    request: &TroubleshootRequest,
    max_candidates: usize,
    task: &Task,
) -> Result<(TroubleshootResponse, DuplicatesResponse)> {
    let finder = context.finder;
    let mut response = troubleshoot::respond(context, matches, request, task)?;
    let request = DuplicatesRequest {
        include_closed: true,
        threshold: 0.0,
        max_candidates,
        ..DuplicatesRequest::default()
    };
    let similar_reports = duplicates::respond(finder, finder.coverage()?, matches, &request)?;
    response.problem =
        finder.store.read(|r| find_problem(r, context, matches, &similar_reports))?;
    if let Some(problem) = &response.problem {
        response.cases.sort_by_key(|case| !problem.has(&case.key));
        response.open.retain(|report| !problem.has(&report.key));
        response.similar_cases.retain(|case| !problem.has(&case.key));
    }
    Ok((response, similar_reports))
}

/// Creates an answer from the solved cases and the similar reports, without notes and next steps.
pub(crate) fn respond(
    context: &CaseContext<'_>,
    matches: &QuestionMatches,
    response: TroubleshootResponse,
    similar_reports: &DuplicatesResponse,
) -> Result<AskResponse> {
    let finder = context.finder;
    let TroubleshootResponse { problem, cases, similar_cases, articles, wiki, notices, .. } =
        response;
    let is_problem = |key: &str| problem.as_ref().is_some_and(|problem| problem.has(key));
    let is_quoted = |case: &SolvedCase| case.relation.is_some() || case.relevance >= MIN_QUOTED;
    let is_solved = problem.as_ref().is_some_and(|problem| problem.status.is_fixed());
    let mut other_cases: Vec<SolvedCase> =
        cases.into_iter().filter(|case| !is_solved && !is_problem(&case.key)).collect();
    other_cases.sort_by(|a, b| {
        b.relation.is_some().cmp(&a.relation.is_some()).then(b.relevance.total_cmp(&a.relevance))
    });
    let (cases, weak_cases): (Vec<_>, Vec<_>) = other_cases.into_iter().partition(is_quoted);
    let contains_key = |cases: &[SolvedCase], key: &str| cases.iter().any(|case| case.key == key);
    let is_unanswered = problem.is_none() && cases.is_empty();
    let is_related = |c: &&DuplicateCandidate| {
        let is_listed = is_problem(&c.key) || contains_key(&cases, &c.key);
        let is_close = c.band <= Band::Related || contains_key(&weak_cases, &c.key);
        !is_listed && (is_unanswered || is_close)
    };
    let related_candidates = similar_reports.candidates.iter().filter(is_related);
    let related_keys = related_candidates.map(|c| (&c.key, c.band, c.confidence));
    let near_keys = similar_cases.iter().filter(|_| is_unanswered).map(|case| &case.key);
    let weak_keys = near_keys.chain(weak_cases.iter().map(|case| &case.key));
    let (mut reports, mut keys) = (Vec::new(), BTreeSet::new());
    finder.store.read(|r| {
        for (key, band, confidence) in
            related_keys.chain(weak_keys.map(|key| (key, Band::None, 0.0)))
        {
            if reports.len() == MAX_RELATED {
                break;
            }
            let Some(row) = r.document_by_key(key)? else { continue };
            // Replace a known duplicate with its canonical report.
            let row = troubleshoot::canonical(r, &row)?.unwrap_or(row);
            if is_problem(&row.key)
                || contains_key(&cases, &row.key)
                || !keys.insert(row.key.clone())
            {
                continue;
            }
            let outcome = troubleshoot::outcome(r, finder, None, &row)?;
            let mut report = known_report(row, band, confidence);
            report.status = Some(outcome.status);
            let is_first = reports.is_empty() && band <= Band::Related;
            if is_unanswered && (is_first || confidence >= POSSIBLE) {
                report.key_comment = outcome.workaround.or(outcome.fix_comment);
            }
            reports.push(report);
        }
        Ok(())
    })?;
    let is_related = reports
        .iter()
        .any(|report| report.band <= Band::Related || contains_key(&weak_cases, &report.key));
    let (related, closest) = if is_related { (reports, Vec::new()) } else { (Vec::new(), reports) };
    Ok(AskResponse {
        key: matches.question.row.as_ref().map(|row| row.key.clone()),
        problem,
        related,
        closest,
        cases,
        articles,
        wiki,
        notes: Vec::new(),
        next: Vec::new(),
        conclusive: Notice::is_conclusive(&notices),
        notices,
        took_ms: 0.0,
    })
}

/// Finds the problem of a question: the canonical report of an item, the item itself, or the first
/// likely duplicate.
fn find_problem(
    r: &Reader<'_>,
    context: &CaseContext<'_>,
    question_matches: &QuestionMatches,
    similar_reports: &DuplicatesResponse,
) -> Result<Option<KnownProblem>> {
    let question = &question_matches.question;
    let likely_duplicate = similar_reports.candidates.first().filter(|c| c.band <= Band::Likely);
    let is_closed = |row: &&DocumentRow| !matches!(row.state, None | Some(State::Open));
    let load = |key: &str| -> Result<Option<DocumentRow>> {
        Ok(r.document_by_key(key)?.filter(|row| row.deleted_at.is_none()))
    };
    // The canonical report may be missing from the casebook.
    let canonical =
        similar_reports.known.as_ref().map(|report| load(&report.key)).transpose()?.flatten();
    let (row, confidence, reasons) = match (canonical, likely_duplicate, &question.row) {
        (Some(row), _, _) => (Some(row), 1.0, Vec::new()),
        // A closed item has its own outcome.
        (None, _, Some(row)) if is_closed(&row) => (Some(row.clone()), 1.0, Vec::new()),
        (None, Some(c), _) => {
            let canonical = c.canonical.as_deref().map(load).transpose()?.flatten();
            let row = canonical.map_or_else(|| load(&c.key), |row| Ok(Some(row)))?;
            (row, c.confidence, c.reasons.clone())
        }
        (None, None, Some(row)) => (Some(row.clone()), 1.0, Vec::new()),
        (None, None, None) => (None, 0.0, Vec::new()),
    };
    let Some(row) = row else { return Ok(None) };
    let row = troubleshoot::canonical(r, &row)?.unwrap_or(row);
    let is_itself = question.row.as_ref().is_some_and(|asked_row| asked_row.key == row.key);
    let (confidence, reasons) = if is_itself { (1.0, Vec::new()) } else { (confidence, reasons) };
    let problem = known_problem(r, context, question, row)?;
    Ok(Some(KnownProblem { confidence, reasons, ..problem }))
}

/// Returns the problem of an item as documented in the thread of its canonical report or in its
/// own. Runs no search.
pub fn problem_of(
    r: &Reader<'_>,
    context: &CaseContext<'_>,
    key: &str,
    now: Timestamp,
) -> Result<KnownProblem> {
    let request = QuestionSpec { key: Some(key), ..QuestionSpec::default() };
    let question = Question::prepare(r, context.finder, request, now)?;
    let row = search::resolve_one(r, key)?;
    let row = troubleshoot::canonical(r, &row)?.unwrap_or(row);
    known_problem(r, context, &question, row)
}

/// Returns the problem of a report with its documented outcome.
fn known_problem(
    r: &Reader<'_>,
    context: &CaseContext<'_>,
    question: &Question,
    row: DocumentRow,
) -> Result<KnownProblem> {
    let mut reports = r.duplicates_of(&row.key)?;
    reports.retain(|report| question.row.as_ref().is_none_or(|row| row.key != *report));
    let closed_at = row.closed_at;
    let outcome = troubleshoot::outcome(r, context.finder, Some(question), &row)?;
    let (status, came_back_in) = outcome.after_reports(r, &reports)?;
    Ok(KnownProblem {
        key: row.key,
        title: row.title,
        url: row.url,
        status,
        confidence: 1.0,
        reasons: Vec::new(),
        reports,
        fixed_in: outcome.fix.version,
        fixed_at: outcome.fix.merged_at,
        closed_at,
        came_back_in,
        asked_version: outcome.asked_version,
        update_to: outcome.update_to,
        fix: outcome.fix_comment,
        workaround: outcome.workaround,
        fixed_by: outcome.fixed_by,
    })
}

/// Returns the next steps, one sentence each; none if the problem is unknown and the answer is not
/// conclusive.
pub(crate) fn next_steps(response: &AskResponse) -> Vec<String> {
    let Some(problem) = &response.problem else {
        if !response.conclusive {
            return Vec::new();
        }
        let compare = |key: &str| format!("Compare with {key}; it may be the same problem.");
        let other = response.cases.get(1).filter(|case| case.relevance >= LIKELY_HELP);
        return vec![match (response.first_case(), response.related.first()) {
            (Some(case), _) if case.relevance >= LIKELY_HELP => match other {
                Some(other) => {
                    let keys = format!("{} and {}", case.key, other.key);
                    format!("Compare with {keys}; one of their fixes may help.")
                }
                None => format!("Try the fix for {}.", case.key),
            },
            (Some(case), _) => compare(&case.key),
            (None, Some(report)) if report.confidence >= POSSIBLE => compare(&report.key),
            (None, related) => {
                let check = match (related, response.closest.is_empty()) {
                    (Some(_), _) => "Check the related reports. ",
                    (None, false) => "Check the closest reports. ",
                    (None, true) => "",
                };
                format!(
                    "{check}Try a search with different terms. If nothing matches, file a new report."
                )
            }
        }];
    };
    let key = &problem.key;
    let is_itself = response.key.as_ref() == Some(key);
    let mut steps = Vec::new();
    let asked_version_has_fix =
        problem.asked_version.as_ref().and_then(|version| version.has_fix) == Some(true);
    match problem.status {
        status if status.is_fixed() => {
            steps.push(problem.version_statement().unwrap_or_else(
                || match problem.is_answered() {
                    true => format!("Read the answer in {key}."),
                    false => format!("Read how {key} was fixed."),
                },
            ));
            if asked_version_has_fix && !is_itself {
                steps.push(format!("If so, comment on {key}."));
            }
        }
        ProblemStatus::Open if !is_itself => {
            steps.push(format!("Add your report to {key}; no fix is known yet."));
        }
        ProblemStatus::Declined => steps.push(format!("Read why {key} was closed.")),
        ProblemStatus::ClosedWithoutFix => {
            steps.push(match problem.workaround {
                Some(_) => format!("{key} was closed without a documented fix."),
                None => format!("Read {key}; it was closed without a documented fix."),
            });
        }
        _ => steps.push("No fix is known yet.".to_owned()),
    }
    let names_version = response.key.is_none() && !problem.status.is_fixed();
    if let Some(version) = problem.asked_version.as_ref().filter(|_| names_version) {
        steps.push(format!("No version with a fix is known; {} may be affected.", version.version));
    }
    if problem.workaround.is_some() && problem.status != ProblemStatus::Solved {
        steps.insert(0, "Use the workaround.".to_owned());
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_with_several_errors_has_a_notice() {
        let first = "2026-02-03 10:00:00 ERROR FW-1043 chunk 7 was refused by the proxy\n";
        let second = "2026-02-03 10:00:01 ERROR disk quota exceeded on /var/spool\n";
        let notice = |text: &str| {
            let request = AskRequest { text: text.to_owned(), ..AskRequest::default() };
            errors_notice(&request).map(|notice| notice.hint.text)
        };
        assert_eq!(notice(&first.repeat(2)), None);
        assert_eq!(notice("The proxy refuses chunk 7."), None);
        let text = notice(&format!("{first}{second}")).unwrap();
        assert!(text.starts_with("The log has 2 distinct errors"), "{text}");
    }
}
