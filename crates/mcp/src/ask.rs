//! Answers to questions: the verdict, its evidence, and advice for the customer.

use super::{
    markdown::{
        Text, change_heading, day, inline, join, percent, read_call, report_line, state, title,
    },
    output::{self, Item, Verdict},
};
use precedent_core::model::{
    AskResponse, HIGH, KnownProblem, KnownReport, LIKELY_HELP, SolvedCase,
};

/// The maximum length of the fix and of the workaround, in characters.
const MAX_COMMENT: usize = 900;
/// The maximum number of comments shown per solved case.
const MAX_COMMENTS: usize = 3;
/// The maximum length of the text of a wiki page or a note, in characters.
const MAX_PASSAGE: usize = 350;
/// The maximum number of other reports of the same problem that are listed.
const MAX_REPORTS: usize = 6;

/// Renders an answer.
pub fn render(response: &AskResponse, max_chars: usize) -> (String, output::Ask) {
    let verdict = verdict(response);
    let evidence = response.problem.as_ref().and_then(|p| p.fix.as_ref().or(p.workaround.as_ref()));
    let anchor = evidence.map(|comment| &*comment.anchor);
    let mut text = Text::new(max_chars);
    let mut next = Vec::new();
    text.add_notices(&response.notices);
    match &response.problem {
        Some(problem) => render_problem(response, problem, &mut text),
        None => drop(text.add(&match (verdict, response.cases.first()) {
            (Verdict::Likely, Some(case)) => {
                format!("**Probably solved before** ({} likely to help).", percent(case.relevance))
            }
            (Verdict::Related, _) => {
                "**Not known for certain**, but similar reports exist.".to_owned()
            }
            _ if response.conclusive => "**Not known**: no report of this problem.".to_owned(),
            _ => "**Not known so far**: the indexes are incomplete.".to_owned(),
        })),
    }
    text.add_gap();
    text.add(&format!("**Tell the customer**: {}", advice(response, verdict)));
    if let Some(problem) = &response.problem {
        render_evidence(problem, &mut text);
        next.push(format!("{} to continue its thread.", read_call(&problem.key, anchor)));
    }
    for article in &response.articles {
        text.add_passage("Article", article, MAX_PASSAGE);
    }
    for case in &response.cases {
        text.add_gap();
        let version =
            case.fixed_in.as_ref().map(|version| format!("fixed in {}", inline(version, 40)));
        let likelihood = format!("{} likely to help", percent(case.relevance));
        let line = report_line(&case.key, case.state, case.state_reason.as_deref(), &case.title);
        let line = join([line, day(case.closed_at), version.unwrap_or_default(), likelihood]);
        text.add(&format!("Solved case {line}"));
        for comment in case.solutions().take(MAX_COMMENTS) {
            text.add_comment(comment.heading(), &case.key, comment, MAX_COMMENT);
        }
        let keys: Vec<String> = case.fixed_by.iter().map(|c| format!("[{}]", c.key)).collect();
        if let Some(change) = case.described_changes().next() {
            text.quote(&format!("Fixed by [{}]", change.key), &change.text, MAX_COMMENT);
        } else if !keys.is_empty() {
            text.add(&format!("Fixed by {}", keys.join(", ")));
        }
        let call = read_call(&case.key, case.fix.as_deref());
        next.push(format!("{call} to read the solved case."));
    }
    let lists = [
        ("Related reports:", "related", &response.related),
        ("Closest reports, probably about other problems:", "", &response.closest),
    ];
    for (heading, relation, reports) in lists {
        if !reports.is_empty() {
            text.add_gap();
            text.add(heading);
        }
        for report in reports {
            let band = match report.band {
                band if band.floor() > 0.0 => {
                    let words = band.words().trim_end_matches(" of");
                    format!("{words} ({})", percent(report.confidence))
                }
                _ => relation.to_owned(),
            };
            let status = match report.status {
                Some(status) => status.words().to_owned(),
                None => state(report.state, report.state_reason.as_deref()),
            };
            let title = title(&report.title);
            let line = join([format!("[{}]", report.key), status, title, band]);
            text.add(&format!("- {line}"));
            if let Some(comment) = &report.key_comment {
                text.add_comment(comment.heading(), &report.key, comment, MAX_PASSAGE);
            }
        }
    }
    for (kind, passages) in [("Wiki page", &response.wiki), ("Note", &response.notes)] {
        for passage in passages {
            text.add_passage(kind, passage, MAX_PASSAGE);
        }
    }
    if response.problem.is_none() {
        if let (Some(report), true) = (response.related.first(), response.cases.is_empty()) {
            next.push(format!("{} to compare it.", read_call(&report.key, None)));
        }
        next.push(
            "call search_issues with the message, the code or the symptom in a few words to find mentions."
                .to_owned(),
        );
    }
    let problem = response.problem.as_ref().map(|p| Item::new(&p.key, p.confidence, anchor));
    let cases = response.cases.iter().map(Item::from);
    let items = cases.chain(response.related.iter().map(Item::from)).collect();
    let payload = output::Ask { verdict, conclusive: response.conclusive, problem, related: items };
    (text.finish(next), payload)
}

fn verdict(response: &AskResponse) -> Verdict {
    match &response.problem {
        Some(problem) if problem.confidence >= HIGH => Verdict::Known,
        Some(_) => Verdict::Likely,
        None if response.cases.is_empty() && response.related.is_empty() => Verdict::Unknown,
        None if response.cases.iter().any(|case| case.relevance >= LIKELY_HELP) => Verdict::Likely,
        None => Verdict::Related,
    }
}

/// Renders the status of a known problem and the facts about it.
fn render_problem(response: &AskResponse, problem: &KnownProblem, text: &mut Text) {
    let status = status(problem);
    let likelihood = format!("{} likely to be the same problem", percent(problem.confidence));
    text.add(&match response.key.as_ref() {
        Some(key) if *key == problem.key => format!("**This report is {status}.**"),
        _ if problem.confidence >= 1.0 => format!("**Known problem: {status}.**"),
        _ if problem.confidence >= HIGH => format!("**Known problem: {status}** ({likelihood})."),
        _ => format!("**Probably a known problem: {status}** ({likelihood})."),
    });
    text.add(&format!("[{}] {}", problem.key, title(&problem.title)));
    text.add_url(problem.url.as_deref());
    if !problem.reasons.is_empty() {
        text.add(&format!("Why: {}", inline(&problem.reasons.join("; "), 300)));
    }
    if !problem.reports.is_empty() {
        let extra = problem.reports.len().saturating_sub(MAX_REPORTS);
        let suffix = if extra > 0 { format!(" and {extra} more") } else { String::new() };
        let reports: Vec<&str> =
            problem.reports.iter().take(MAX_REPORTS).map(String::as_str).collect();
        text.add(&format!("Also reported as {}{suffix}", reports.join(", ")));
    }
}

/// Renders the fix and the workaround with their citations.
fn render_evidence(problem: &KnownProblem, text: &mut Text) {
    let mut last_anchor = None;
    let headings = [(problem.fix_heading(), &problem.fix), ("Workaround", &problem.workaround)];
    for (heading, comment) in headings {
        let comment = comment.as_ref().filter(|comment| last_anchor != Some(&comment.anchor));
        if let Some(comment) = comment {
            text.add_gap();
            text.add_comment(heading, &problem.key, comment, MAX_COMMENT);
            last_anchor = Some(&comment.anchor);
        }
    }
    for change in &problem.fixed_by {
        text.add_gap();
        let heading = change_heading(change);
        match problem.fix.is_none() && !change.text.is_empty() {
            true => text.quote(&heading, &change.text, MAX_COMMENT),
            false => drop(text.add(&heading)),
        }
    }
}

/// Describes the status of a problem, with the version that has the fix.
pub fn status(problem: &KnownProblem) -> String {
    inline(&problem.status_for_version(), 240)
}

/// Returns the advice for the customer, with citations.
fn advice(response: &AskResponse, verdict: Verdict) -> String {
    const REQUEST: &str =
        "ask for the exact version, the whole error message or log, and the steps that lead to it";
    let Some(problem) = &response.problem else {
        return match (response.first_case(), response.related.first()) {
            (Some(case), _) if case.relevance >= LIKELY_HELP => format!(
                "a similar problem was solved; suggest the fix for [{}] and ask whether it helps.",
                case.key
            ),
            (Some(SolvedCase { key, .. }), _) | (None, Some(KnownReport { key, .. })) => format!(
                "the problem isn't confirmed as known; compare with [{key}] first, and {REQUEST}."
            ),
            (None, None) => {
                format!("the problem isn't known yet; {REQUEST}, then file a new report.")
            }
        };
    };
    let qualifier = if verdict == Verdict::Known { "" } else { "probably " };
    let mut sentences = vec![format!("it is {qualifier}a known problem [{}].", problem.key)];
    sentences.extend(response.next.iter().map(|step| inline(step, 200)));
    if problem.status.is_fixed()
        && let Some(comment) = &problem.workaround
    {
        sentences.push(format!("Until then, the workaround in {} may help.", comment.anchor));
    }
    if verdict == Verdict::Likely {
        sentences.push(format!("To be sure, {REQUEST}."));
    }
    sentences.join(" ")
}
