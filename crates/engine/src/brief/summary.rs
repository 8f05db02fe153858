//! The summary of a brief: the problem, whether it is known, its fix, and the next step.

use precedent_core::model::{
    AskResponse, Band, BriefRequest, CaseComment, Citation, DuplicateCandidate, Entry, HIGH,
    KnownProblem, LIKELY_HELP, LogError, LogResponse, LogVerdict, ProblemStatus, State,
};
use precedent_store::DocumentRow;

use super::{cite, cite_change, cite_report, log, percent, state_text, statement};
use crate::{ask, troubleshoot};

/// Removes the documents that the request excludes, and the closest reports, which no brief lists.
pub(super) fn remove_excluded(answer: &mut AskResponse, request: &BriefRequest) {
    let is_included = |key: &String| !request.leave_out.contains(key);
    answer.closest.clear();
    answer.problem = answer.problem.take().filter(|problem| is_included(&problem.key));
    answer.related.retain(|report| is_included(&report.key));
    answer.cases.retain(|case| is_included(&case.key));
}

/// Summarizes the answer about an item or pasted text that mentions these product versions.
/// `candidates` are the similar reports, best first.
pub(super) fn summarize_answer(
    answer: &AskResponse,
    candidates: &[DuplicateCandidate],
    row: Option<&DocumentRow>,
    title: &str,
    versions: &[String],
) -> Entry {
    let version_clause =
        if versions.is_empty() { String::new() } else { format!(" on {}", versions.join(", ")) };
    let state_clause = row
        .map(|row| state_text(row.state, row.state_reason.as_deref()))
        .filter(|text| !text.is_empty())
        .map_or_else(String::new, |text| format!(" ({text})"));
    let title = troubleshoot::first_line(title);
    let mut sentences = vec![format!("The problem: “{title}”{version_clause}{state_clause}.")];
    let mut citations: Vec<Citation> = row.map(cite).into_iter().collect();
    let is_itself = |problem: &&KnownProblem| answer.key.as_ref() == Some(&problem.key);
    let known_problem = answer.problem.as_ref().filter(|problem| !is_itself(problem));
    let duplicate_count =
        answer.problem.as_ref().filter(is_itself).map_or(0, |problem| problem.reports.len());
    let candidate = candidates.first().filter(|candidate| candidate.band <= Band::Possible);
    let case = answer.cases.first().filter(|case| case.relevance >= LIKELY_HELP);
    sentences.push(match (known_problem, candidate, case) {
        (Some(problem), ..) => {
            citations.push(cite_report(&problem.key, &problem.url));
            let status = problem.status_words();
            match problem.confidence {
                1.0.. => format!("It is a known duplicate of {} ({status}).", problem.key),
                confidence => {
                    let certainty = if confidence >= HIGH { "almost certainly" } else { "likely" };
                    format!(
                        "It is {certainty} a duplicate of {} ({status}), with a confidence of {}.",
                        problem.key,
                        percent(confidence)
                    )
                }
            }
        }
        _ if duplicate_count == 1 => "1 other report is a duplicate of this one.".to_owned(),
        _ if duplicate_count > 1 => {
            format!("{duplicate_count} other reports are duplicates of this one.")
        }
        (None, _, Some(case)) => {
            citations.push(cite_report(&case.key, &case.url));
            let fixed_in = case.fixed_in.as_ref().map(|v| format!(" in {v}")).unwrap_or_default();
            format!(
                "{} (solved{fixed_in}) is likely to help, with a confidence of {}.",
                case.key,
                percent(case.relevance)
            )
        }
        (None, Some(candidate), None) => {
            citations.push(cite_report(&candidate.key, &candidate.url));
            let status = match &candidate.canonical {
                Some(key) => format!("tracked in {key}"),
                None => state_text(candidate.state, candidate.state_reason.as_deref()),
            };
            format!(
                "It may be a duplicate of {} ({status}), with a confidence of {}.",
                candidate.key,
                percent(candidate.confidence)
            )
        }
        _ if !answer.conclusive => {
            "It is unclear whether the problem is known, because the index is incomplete."
                .to_owned()
        }
        _ => "No other report of this problem was found.".to_owned(),
    });
    if let Some(problem) = &answer.problem {
        sentences.extend(solution(problem));
        citations.extend(problem.fixed_by.iter().filter(|c| c.is_mirrored()).map(cite_change));
    }
    // If another report may help, do not point to the open report itself.
    let is_open =
        answer.problem.as_ref().is_some_and(|problem| problem.status == ProblemStatus::Open);
    let mut steps =
        match is_open && known_problem.is_none() && (candidate.is_some() || case.is_some()) {
            true => ask::next_steps(&AskResponse { problem: None, ..answer.clone() }),
            false => ask::next_steps(answer),
        };
    // The open questions of the brief already ask for the version.
    steps
        .iter_mut()
        .for_each(|step| *step = step.replace(" Find out which version is in use.", ""));
    // The status already names the fix.
    let status = answer.problem.as_ref().map(KnownProblem::status_words).unwrap_or_default();
    steps.retain(|step| !step.trim_end_matches('.').eq_ignore_ascii_case(&status));
    sentences.push(steps.join(" "));
    sentences.retain(|sentence| !sentence.is_empty());
    statement(sentences.join(" "), citations)
}

/// Returns the documented fix, or else the workaround.
fn solution(problem: &KnownProblem) -> Option<String> {
    let quote = |comment: &CaseComment| format!("“{}”", troubleshoot::first_line(&comment.text));
    let changes: Vec<&str> = problem.fixed_by.iter().map(|change| change.key.as_str()).collect();
    match (&problem.fix, &problem.workaround) {
        _ if !changes.is_empty() => Some(format!("It was fixed by {}.", changes.join(", "))),
        (Some(fix), _) if problem.status.is_fixed() => Some(format!("The fix: {}.", quote(fix))),
        (_, Some(workaround)) => Some(format!("The workaround: {}.", quote(workaround))),
        _ => None,
    }
}

pub(super) fn summarize_log(response: &LogResponse) -> Entry {
    let mut sentences = vec![log::summary(response)];
    let has_match = |e: &&LogError| e.verdict < LogVerdict::New;
    let Some(error) = response.errors.iter().find(has_match) else {
        sentences.push(match (response.errors.is_empty(), response.conclusive) {
            (true, _) => "There is nothing to look up.".to_owned(),
            (_, true) => "None of them is known: file a new report.".to_owned(),
            (_, false) => {
                "It is unclear whether they are known, because the index is incomplete.".to_owned()
            }
        });
        return statement(sentences.join(" "), Vec::new());
    };
    let (_, citation) = log::status(error);
    let message = troubleshoot::first_line(&error.group.message);
    sentences.extend(
        log::match_summary(error).map(|summary| {
            format!("The most important known error, “{message}”, matches {summary}.")
        }),
    );
    let solved_case = error.case.as_ref().filter(|_| error.verdict == LogVerdict::Solved);
    sentences.push(match (solved_case.map(|case| &case.fixed_in), &citation) {
        (Some(Some(version)), _) => format!("Update to {version} or later."),
        (_, Some(c)) if error.verdict == LogVerdict::Perhaps => {
            format!("Compare with {}; it may be the same problem.", c.key)
        }
        (Some(None), Some(c)) => format!("Try the fix for {}.", c.key),
        (_, Some(c)) if error.known.as_ref().is_some_and(|k| k.state == Some(State::Open)) => {
            format!("Add your report to {}.", c.key)
        }
        (_, Some(c)) => format!("Read why {} was closed.", c.key),
        _ => String::new(),
    });
    statement(sentences.join(" ").trim_end().to_owned(), citation.into_iter().collect())
}
