//! The summary of a brief: the problem, whether it is known, its fix, and the next step.

use precedent_core::model::{
    AskResponse, Band, BriefRequest, CaseComment, Citation, Entry, KnownProblem, LIKELY_HELP,
    LogError, LogResponse, LogVerdict, ProblemStatus, State,
};
use precedent_store::DocumentRow;

use super::{cite, log, of_change, percent, state};
use crate::{ask, troubleshoot};

/// Removes the documents that the brief leaves out from an answer.
pub(super) fn leave_out(answer: &mut AskResponse, request: &BriefRequest) {
    let stays = |key: &String| !request.leave_out.contains(key);
    answer.problem = answer.problem.take().filter(|problem| stays(&problem.key));
    answer.related.retain(|report| stays(&report.key));
    answer.cases.retain(|case| stays(&case.key));
}

/// Summarizes the answer about an item or a text that names these versions of the product.
pub(super) fn of_answer(
    answer: &AskResponse,
    row: Option<&DocumentRow>,
    title: &str,
    versions: &[String],
) -> Entry {
    let on =
        if versions.is_empty() { String::new() } else { format!(" on {}", versions.join(", ")) };
    let state_words =
        row.map(|row| state(row.state, row.state_reason.as_deref())).unwrap_or_default();
    let is = if state_words.is_empty() { String::new() } else { format!(" ({state_words})") };
    let title = troubleshoot::first_line(title);
    let mut sentences = vec![format!("The problem: “{title}”{on}{is}.")];
    let mut citations: Vec<Citation> = row.map(cite).into_iter().collect();
    let mut add = |key: &str, url: &Option<String>| {
        let label = format!("[Issue {key}]");
        citations.push(Citation { label, key: key.to_owned(), url: url.clone() });
    };
    let is_itself = |problem: &&KnownProblem| answer.key.as_ref() == Some(&problem.key);
    let earlier = answer.problem.as_ref().filter(|problem| !is_itself(problem));
    let later =
        answer.problem.as_ref().filter(is_itself).map_or(0, |problem| problem.reports.len());
    let near = answer.related.first().filter(|report| report.band <= Band::Possible);
    let case = answer.cases.first().filter(|case| case.helps >= LIKELY_HELP);
    sentences.push(match (earlier, near, case) {
        (Some(problem), ..) => {
            add(&problem.key, &problem.url);
            let status = problem.status_words();
            match problem.confidence {
                1.0.. => format!("It is a known duplicate of {} ({status}).", problem.key),
                confidence => {
                    format!(
                        "It is likely a duplicate of {} ({status}), with a confidence of {}.",
                        problem.key,
                        percent(confidence)
                    )
                }
            }
        }
        _ if later == 1 => "1 other report is a duplicate of this one.".to_owned(),
        _ if later > 1 => format!("{later} other reports are duplicates of this one."),
        (None, _, Some(case)) => {
            add(&case.key, &case.url);
            let fixed_in = case.fixed_in.as_ref().map(|v| format!(" in {v}")).unwrap_or_default();
            format!(
                "{} (solved{fixed_in}) is likely to help, with a confidence of {}.",
                case.key,
                percent(case.helps)
            )
        }
        (None, Some(report), None) => {
            add(&report.key, &report.url);
            let state_words = state(report.state, report.state_reason.as_deref());
            format!(
                "It may be a duplicate of {} ({state_words}), with a confidence of {}.",
                report.key,
                percent(report.confidence)
            )
        }
        _ if !answer.conclusive => {
            "It is unclear whether it is known, because the index is incomplete.".to_owned()
        }
        _ => "No other report of this problem was found.".to_owned(),
    });
    if let Some(problem) = &answer.problem {
        sentences.extend(solution(problem));
        citations.extend(problem.fixed_by.iter().filter(|c| c.is_mirrored()).map(of_change));
    }
    // An open report is no answer to itself if another one is.
    let is_open =
        answer.problem.as_ref().is_some_and(|problem| problem.status == ProblemStatus::Open);
    let mut steps = match is_open && earlier.is_none() && (near.is_some() || case.is_some()) {
        true => ask::next_steps(&AskResponse { problem: None, ..answer.clone() }),
        false => ask::next_steps(answer),
    };
    // A question about the version is an open question.
    steps.iter_mut().for_each(|step| *step = step.replace(" Which version is in use?", ""));
    // The status names the fix already.
    let status = answer.problem.as_ref().map(KnownProblem::status_words).unwrap_or_default();
    steps.retain(|step| !step.trim_end_matches('.').eq_ignore_ascii_case(&status));
    sentences.push(steps.join(" "));
    sentences.retain(|sentence| !sentence.is_empty());
    Entry { text: Some(sentences.join(" ")), citations, ..Entry::default() }
}

/// Returns the documented fix, else the workaround.
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

/// Summarizes the errors of a log.
pub(super) fn of_log(response: &LogResponse) -> Entry {
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
        return Entry { text: Some(sentences.join(" ")), ..Entry::default() };
    };
    let (_, citation) = log::status(error);
    let message = troubleshoot::first_line(&error.group.message);
    sentences.extend(
        log::match_summary(error).map(|summary| {
            format!("The most important known error, “{message}”, matches {summary}.")
        }),
    );
    let fixed_in = error.case.as_ref().filter(|_| error.verdict == LogVerdict::Solved);
    sentences.push(match (fixed_in.map(|case| &case.fixed_in), &citation) {
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
    Entry {
        text: Some(sentences.join(" ").trim_end().to_owned()),
        citations: citation.into_iter().collect(),
        ..Entry::default()
    }
}
