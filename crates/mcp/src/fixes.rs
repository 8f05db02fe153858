//! Solved cases with the comments that contain the fix, and the errors of a log.

use precedent_core::model::{
    CaseRelation, LogError, LogResponse, LogVerdict, SolvedCase, TroubleshootOutcome,
    TroubleshootResponse,
};
use serde_json::json;

use super::{
    ask,
    markdown::{
        Text, change_heading, day, format_call, inline, join, percent, plural, read_call,
        report_line, state, title,
    },
    output::{self, Item},
};

/// The maximum length of a quotation from an article or a wiki page, in characters.
const MAX_PASSAGE: usize = 600;
/// The maximum length of a short quotation, in characters.
const MAX_SHORT_QUOTE: usize = 300;
/// The maximum length of the fix of an error in a log, in characters.
const MAX_LOG_FIX: usize = 300;

/// Renders the solved cases of a problem; `anyway` is true if weak matches were requested.
pub fn render(
    response: &TroubleshootResponse,
    anyway: bool,
    max_chars: usize,
) -> (String, output::Fixes) {
    let mut text = Text::new(max_chars);
    text.add_notices(&response.notices);
    let so_far = if response.conclusive { "" } else { " so far" };
    if let Some(problem) = &response.problem {
        let confidence = match problem.confidence {
            1.0.. => String::new(),
            confidence => format!("{} likely to be the same problem", percent(confidence)),
        };
        let heading = format!("**{}** {}", title(&problem.key), title(&problem.title));
        text.add(&join([heading, confidence, ask::status(problem)]));
    }
    let count = response.cases.len();
    let cases = plural(count as u64, "solved case");
    text.add(&match response.outcome {
        TroubleshootOutcome::Solved if response.is_sure() => format!("**Solved before**: {cases}."),
        TroubleshootOutcome::Solved => {
            format!("**Possibly solved before**: {cases} that may help.")
        }
        TroubleshootOutcome::Wiki => {
            format!("**No solved case matches{so_far}.** Wiki pages follow.")
        }
        TroubleshootOutcome::Nothing => format!("**No solved case or wiki page matches{so_far}.**"),
    });
    for report in &response.open {
        let line =
            report_line(&report.key, report.state, report.state_reason.as_deref(), &report.title);
        text.add(&format!(
            "Known and still open: {line} ({} likely to be the same problem)",
            percent(report.confidence)
        ));
    }
    for article in &response.articles {
        text.add_passage("Article", article, MAX_PASSAGE);
    }
    let mut next = Vec::new();
    for (index, case) in response.cases.iter().enumerate() {
        text.add_gap();
        let share = text.budget() / (count - index);
        render_case(case, share, &mut text);
        next.push(read_rest_step(case));
    }
    for case in &response.similar_cases {
        text.add_gap();
        let kind = match (case.declined, case.undocumented) {
            (true, _) => "Related, but declined",
            (_, true) => "Related, but closed without a documented fix",
            _ => "Weak match",
        };
        let line = report_line(&case.key, case.state, case.state_reason.as_deref(), &case.title);
        text.add(&format!("{kind}: {line}"));
        if let Some(comment) = &case.key_comment {
            text.add_comment(comment.heading(), &case.key, comment, MAX_SHORT_QUOTE);
        }
    }
    for passage in &response.wiki {
        text.add_passage("Wiki page", passage, MAX_PASSAGE);
        if response.cases.is_empty() {
            next.push(format!("{} to read the page.", read_call(&passage.key, None)));
        }
    }
    if response.cases.is_empty() {
        next.push(match &response.key {
            Some(key) => {
                let call = format_call("ask", &json!({"key": key}));
                format!("{call} to get the status and related open reports.")
            }
            None => "call ask with the same text to find related open reports.".to_owned(),
        });
        let weak_matches =
            if anyway { "" } else { "find_fixes with anyway: true to list weak matches, or " };
        next.push(format!("call {weak_matches}search_issues with the exact error message."));
    }
    let is_listed = |key: &str| response.cases.iter().any(|case| case.key == key);
    let problem = response.problem.iter().filter(|problem| !is_listed(&problem.key));
    let problem = problem.map(|problem| Item::new(&problem.key, problem.confidence, None));
    let results = problem.chain(response.cases.iter().map(Item::from));
    let results = results
        .chain(response.open.iter().map(Item::from))
        .chain(response.similar_cases.iter().map(Item::from));
    let payload = output::Fixes {
        solved: count,
        results: results.chain(response.wiki.iter().map(Item::from)).collect(),
        conclusive: response.conclusive,
    };
    (text.finish(next), payload)
}

fn read_rest_step(case: &SolvedCase) -> String {
    format!("{} to read the rest of the thread.", read_call(&case.key, case.fix.as_deref()))
}

/// Renders a solved case within its share of the budget.
fn render_case(case: &SolvedCase, share: usize, text: &mut Text) {
    let reserve = text.budget().saturating_sub(share);
    let relation = match case.relation {
        Some(CaseRelation::Itself) => "this report".to_owned(),
        Some(CaseRelation::Canonical) => {
            "the queried report is a known duplicate of this case".to_owned()
        }
        None => format!("{} likely to help", percent(case.relevance)),
    };
    let via = case.via.as_ref().map(|via| format!("matched through its duplicate {via}"));
    text.add(&join([
        format!("**{}** {}", case.citation, title(&case.title)),
        state(case.state, case.state_reason.as_deref()),
        day(case.closed_at),
        relation,
        via.unwrap_or_default(),
    ]));
    if let Some(version) = &case.fixed_in {
        let note = case.asked_version.as_ref().map(|v| format!(" ({})", inline(&v.words(), 120)));
        text.add(&format!("Fixed in {}{}", inline(version, 40), note.unwrap_or_default()));
    }
    for change in &case.fixed_by {
        let heading = change_heading(change);
        match change.text.is_empty() {
            true => drop(text.add(&heading)),
            false => text.quote(&heading, &change.text, text.budget().saturating_sub(reserve) / 2),
        }
    }
    let mut count = 0;
    for comment in case.solutions() {
        let budget = text.budget().saturating_sub(reserve);
        if budget < MAX_SHORT_QUOTE && count > 0 {
            break;
        }
        let max = (budget * 2 / 3).max(MAX_SHORT_QUOTE);
        text.add_comment(comment.heading(), &case.key, comment, max);
        count += 1;
    }
    if count == 0 && case.fixed_by.iter().all(|change| change.text.is_empty()) {
        text.quote("From the report", &case.body, text.budget().saturating_sub(reserve));
    }
    if let Some(agreement) = case.agreement() {
        text.add(&format!("{agreement}."));
    }
}

/// Renders the distinct errors of a log.
pub fn render_log(response: &LogResponse, max_chars: usize) -> (String, output::Fixes) {
    let mut text = Text::new(max_chars);
    text.add_notices(&response.notices);
    let lookup_note = match response.errors.len() as u64 {
        count if count < response.distinct => format!(", {count} looked up"),
        _ => String::new(),
    };
    text.add(&format!(
        "**{} in {}**{lookup_note}: {} solved, {} known, {} possibly known, {} not seen before.",
        plural(response.distinct, "distinct error"),
        plural(response.lines, "line"),
        response.solved,
        response.known,
        response.perhaps,
        response.new
    ));
    for error in &response.errors {
        text.add_gap();
        render_error(error, &mut text);
    }
    for file in response.files.iter().filter(|file| file.skipped.is_some()) {
        let reason = inline(file.skipped.as_deref().unwrap_or_default(), 120);
        text.add(&format!("Not read: {} ({reason})", inline(&file.name, 100)));
    }
    let best = response.errors.iter().find_map(|error| error.case.as_ref());
    let mut next = match best {
        Some(case) => vec![read_rest_step(case)],
        None if response.distinct == 0 => {
            vec!["call ask with the customer's description; the log has no error.".to_owned()]
        }
        None => vec!["call ask with one of the errors as text to find related reports.".to_owned()],
    };
    let remaining_count = response.distinct.saturating_sub(response.errors.len() as u64);
    if remaining_count > 0 {
        next.push(format!(
            "call find_fixes with a larger max_errors (up to 50) to look up {}.",
            plural(remaining_count, "more error")
        ));
    }
    let to_item = |error: &LogError| match (&error.case, &error.known) {
        (Some(case), _) => Some(Item::from(case)),
        (None, report) => report.as_ref().map(Item::from),
    };
    let payload = output::Fixes {
        solved: usize::try_from(response.solved).unwrap_or(usize::MAX),
        results: response.errors.iter().filter_map(to_item).collect(),
        conclusive: response.conclusive,
    };
    (text.finish(next), payload)
}

fn render_error(error: &LogError, text: &mut Text) {
    let group = &error.group;
    let location = format!("{}:{}", inline(&group.last.file, 80), group.last.line);
    let crash = if group.before_crash { "just before the crash" } else { "" };
    let severity = format!("{} ×{}", group.severity.as_str(), group.count);
    text.quote(&join([severity.as_str(), &location, crash]), &group.message, MAX_SHORT_QUOTE);
    let is_solved = error.verdict == LogVerdict::Solved;
    if let Some(report) = error.known.as_ref().filter(|_| !is_solved) {
        let label = if error.verdict == LogVerdict::Known { "Known" } else { "Possibly known" };
        let line =
            report_line(&report.key, report.state, report.state_reason.as_deref(), &report.title);
        text.add(&format!("{label}: {line} · {}", percent(report.confidence)));
    }
    if let Some(case) = &error.case {
        let label = if is_solved { "Solved" } else { "Possible fix" };
        let version =
            case.fixed_in.as_ref().map(|version| format!("fixed in {}", inline(version, 40)));
        let case_facts = [
            format!("{label}: {}", case.citation),
            title(&case.title),
            version.unwrap_or_default(),
        ];
        text.add(&join(case_facts));
        if let Some(comment) = case.solutions().next() {
            text.add_comment(comment.heading(), &case.key, comment, MAX_LOG_FIX);
        }
    }
    if error.known.is_none() && error.case.is_none() {
        text.add("Not seen before.");
    }
}

#[cfg(test)]
mod tests {
    use precedent_core::model::{DocKind, LogGroup, LogPlace, LogSeverity};

    use super::*;

    #[test]
    fn possible_fix_of_an_unreported_error_is_named() {
        let place = LogPlace { file: "a.log".into(), line: 7, at: None };
        let group = LogGroup {
            severity: LogSeverity::Error,
            message: "queue is full".into(),
            template: String::new(),
            count: 1,
            first: place.clone(),
            last: place,
            example: String::new(),
            excerpt: false,
            before_crash: false,
            near_end: false,
        };
        let case: SolvedCase = serde_json::from_value(json!({
            "key": "acme/app#3", "citation": "[Issue acme/app#3]", "kind": DocKind::Issue,
            "title": "Queue fills up", "relevance": 0.4, "words": 0.5, "same_signature": false,
            "fixed_by": [], "reported_on": [], "environment": [], "body": "", "comments": [],
            "body_excerpt": false, "omitted": 0, "agreeing": 0, "fix_documented": true, "chars": 0,
        }))
        .unwrap();
        let error = LogError { group, verdict: LogVerdict::Perhaps, known: None, case: Some(case) };
        let mut text = Text::new(2_000);
        render_error(&error, &mut text);
        let text = text.finish([]);
        assert!(text.contains("Possible fix: [Issue acme/app#3] · Queue fills up"), "{text}");
        assert!(!text.contains("Not seen before"), "{text}");
    }
}
