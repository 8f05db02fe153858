//! `precedent troubleshoot`.

use std::path::PathBuf;

use precedent_core::{
    Code, Error, Result,
    model::{
        CaseRelation, LIKELY_HELP, NearCase, SolvedCase, State, TroubleshootOutcome,
        TroubleshootResponse, split_key,
    },
};
use precedent_engine::Casebook;

use crate::{
    Session,
    args::TroubleshootCommand,
    comment::{
        fixes, issue_citation, print_articles, print_change, print_comment, print_problem,
        print_status,
    },
    input, logs,
    output::{
        HIT, Output, bold, dim, good, hit, join, key, percent, plain, plural, state, state_on,
    },
};

/// The largest file without errors, in bytes, that is searched for as text.
const MAX_FILE: u64 = 256 * 1024;
/// The longest log, in bytes, that is used as a single question.
const MAX_QUESTION_BYTES: usize = 8 * 1024;
/// The longest log, in lines, that is used as a single question.
const MAX_QUESTION_LINES: usize = 40;
/// The maximum number of comment lines shown for a case without a solution.
const MAX_WEAK_LINES: usize = 4;

pub async fn run(
    session: &Session,
    command: TroubleshootCommand,
    output: &mut Output,
) -> Result<()> {
    let mut clean_line_count = None;
    let (key, text) = match parse_subject(session, &command.question).await? {
        Subject::Item(key) => (Some(key), String::new()),
        Subject::Text(text) => (None, text),
        Subject::Logs(paths, _piped) => {
            let Some(lines) = logs::run(session, &command, &paths, output).await? else {
                return Ok(());
            };
            // A file without a recognized error may be an email, a report, or an unfamiliar error.
            clean_line_count = Some(lines);
            let text = match &paths[..] {
                [path] if path.metadata().is_ok_and(|m| m.is_file() && m.len() <= MAX_FILE) => {
                    input::read_file(path)?.filter(|text| !is_long_log(text))
                }
                _ => None,
            };
            (None, text.unwrap_or_default())
        }
    };
    if let Some(lines) = clean_line_count.filter(|_| text.trim().is_empty()) {
        output.line(no_error_message(lines));
        return Ok(());
    }
    let is_log = Casebook::is_log(text.as_bytes());
    let request = command.request(key, text, &session.settings);
    let response = session.casebook.troubleshoot(request, &session.task).await?;
    output.answer(&response, &command.json, Some("cases"), |output| match clean_line_count {
        Some(lines) if response.outcome == TroubleshootOutcome::Nothing && is_log => {
            output.line(no_error_message(lines));
        }
        _ => print(session, &response, output),
    })
}

fn no_error_message(lines: u64) -> String {
    format!("No errors or warnings in {}.", plural(lines, "line"))
}

/// Returns whether a text is a log that is too long for a single question.
fn is_long_log(text: &str) -> bool {
    (text.len() > MAX_QUESTION_BYTES || text.lines().count() > MAX_QUESTION_LINES)
        && Casebook::is_log(text.as_bytes())
}

/// The subject of a question.
pub enum Subject {
    /// An item, by its key.
    Item(String),
    Text(String),
    /// Paths of logs, and the temporary file that holds standard input, if any.
    Logs(Vec<PathBuf>, Option<input::Log>),
}

/// Returns whether a word is a full key: `acme/app#12`.
fn is_key(word: &str) -> bool {
    split_key(word).is_some_and(|(source, _)| source.contains('/'))
}

/// Interprets the words of a question.
///
/// Files and folders are logs, `-` reads standard input, a key names an item, and the rest is text.
pub async fn parse_subject(session: &Session, words: &[String]) -> Result<Subject> {
    if let Some(paths) = logs::log_paths(words)? {
        return Ok(Subject::Logs(paths, None));
    }
    // "C#7 F#4" is text unless the first word is a full key or an existing item.
    let is_item = words.len() > 1
        && words.iter().all(|word| split_key(word).is_some())
        && (is_key(&words[0]) || session.casebook.thread(&session.key(&words[0])).await.is_ok());
    if is_item {
        return Err(Error::invalid(format!(
            "{} items were given, but only one can be looked up at a time",
            words.len()
        ))
        .with_hint(format!("Start with {}.", words[0])));
    }
    let text = session.key(&words.join(" "));
    if text == "-" {
        return Ok(match input::read_stdin(MAX_QUESTION_BYTES)? {
            input::QuestionInput::Text(text) => Subject::Text(text),
            input::QuestionInput::Log(log) => Subject::Logs(vec![log.path.clone()], Some(log)),
        });
    }
    // A key, a number or the URL of an item contains a digit.
    if !text.contains(char::is_whitespace) && text.contains(|c: char| c.is_ascii_digit()) {
        match session.casebook.thread(&text).await {
            Ok(_) => return Ok(Subject::Item(text)),
            // Report an ambiguous number or an unknown key instead of searching for it as text.
            Err(error) if error.code() == Code::InvalidInput || is_key(&text) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(Subject::Text(text))
}

fn print(session: &Session, response: &TroubleshootResponse, output: &mut Output) {
    session.print_notices(&response.notices, output);
    let problem = response.problem.as_ref();
    let in_problem = |case: &&SolvedCase| problem.is_some_and(|problem| problem.has(&case.key));
    let (problem_cases, cases): (Vec<_>, Vec<_>) = response.cases.iter().partition(in_problem);
    let has_problem_cases = !problem_cases.is_empty();
    if let Some(problem) = problem {
        match has_problem_cases {
            true => print_status(problem, response.key.as_ref(), output),
            false => print_problem(problem, response.key.as_ref(), output),
        }
        problem_cases.into_iter().for_each(|case| print_case(case, output));
    }
    // An open report comes first if it is a more confident match than the cases.
    let open_report = response.open.first();
    let is_open_first = open_report
        .is_some_and(|report| cases.first().is_none_or(|case| report.confidence > case.relevance));
    if is_open_first {
        if problem.is_some() {
            output.line("");
        }
        print_open(response, output);
    }
    print_articles(&response.articles, output);
    let qualifier = if has_problem_cases { "other " } else { "" };
    let so_far = if response.conclusive { "" } else { " so far" };
    let heading = match response.outcome {
        TroubleshootOutcome::Solved if cases.is_empty() => String::new(),
        TroubleshootOutcome::Solved => {
            let count = plural(cases.len() as u64, &format!("{qualifier}solved case"));
            match cases.iter().any(|case| case.relevance >= LIKELY_HELP) {
                true => good(count),
                false => hit(format_args!("{count} that may help")),
            }
        }
        TroubleshootOutcome::Wiki => {
            format!("{HIT}No {qualifier}solved case matches{so_far}.{HIT:#} Wiki pages:")
        }
        TroubleshootOutcome::Nothing => {
            format!("No {qualifier}solved case or wiki page matches{so_far}.")
        }
    };
    if !heading.is_empty() {
        if problem.is_some() || is_open_first || !response.articles.is_empty() {
            output.line("");
        }
        output.line(heading);
    }
    for case in cases {
        output.line("");
        print_case(case, output);
    }
    if !is_open_first && open_report.is_some() {
        output.line("");
        print_open(response, output);
    }
    print_weak_matches(response, output);
    if !response.cases.is_empty() && !response.wiki.is_empty() {
        output.line("\nWiki pages");
    }
    for page in &response.wiki {
        output.line(format_args!("\n{}", key(&page.citation)));
        page.url.iter().for_each(|url| output.line(dim(url)));
        output.print_wrapped(&plain(&page.text), "  ");
    }
}

/// Prints the known reports that are still open.
fn print_open(response: &TroubleshootResponse, output: &mut Output) {
    output.line(hit("Known and still open"));
    for report in &response.open {
        let (citation, title) = (issue_citation(&report.key), plain(&report.title));
        let confidence = dim(format_args!("same problem: {}", percent(report.confidence)));
        output.line(format_args!("{citation}  {title}  {confidence}"));
    }
}

/// Prints the cases without a solution and the weak matches.
fn print_weak_matches(response: &TroubleshootResponse, output: &mut Output) {
    let groups = [
        (true, false, "Related, but not solved"),
        (false, true, "Closed without a documented fix"),
        (false, false, "Weak matches"),
    ];
    for (is_declined, lacks_documented_fix, heading) in groups {
        let is_in_group =
            |c: &&NearCase| (c.declined, c.undocumented) == (is_declined, lacks_documented_fix);
        let mut cases = response.similar_cases.iter().filter(is_in_group).peekable();
        if cases.peek().is_some() {
            output.line(format_args!("\n{}", dim(heading)));
        }
        for case in cases {
            let state = state(case.state, case.state_reason.as_deref());
            let relevance = format!("{} likely to help", percent(case.relevance));
            let (citation, title) = (key(&case.citation), plain(&case.title));
            output.line(format_args!("{citation}  {title}  {state} · {relevance}"));
            if let Some(comment) = &case.key_comment {
                print_comment(comment, true, "  ", MAX_WEAK_LINES, output);
            }
        }
    }
}

fn print_case(case: &SolvedCase, output: &mut Output) {
    output.line(format_args!("{}  {}", key(&case.citation), bold(&case.title)));
    let state = state_on(case.state, case.state_reason.as_deref(), case.closed_at);
    let relation = match case.relation {
        Some(CaseRelation::Itself) => good("this report"),
        Some(CaseRelation::Canonical) => good("the report is a known duplicate of this case"),
        None => format!("{} likely to help", percent(case.relevance)),
    };
    let mut facts = vec![state, relation];
    facts.extend(case.same_signature.then(|| hit("same error")));
    let via = case.via.as_ref().map(|via| format!("found through its duplicate {}", plain(via)));
    output.line(join(facts.into_iter().chain(via)));
    let mut versions = Vec::new();
    if !case.reported_on.is_empty() {
        versions.push(format!("mentions {}", case.reported_on.join(", ")));
    }
    if !case.environment.is_empty() {
        versions.push(format!("with {}", case.environment.join(", ")));
    }
    let prefix = if case.state == Some(State::Merged) { "" } else { "fixed by " };
    versions.extend(fixes(case, prefix));
    if !versions.is_empty() {
        output.line(good(versions.join(" · ")));
    }
    case.url.iter().for_each(|url| output.line(dim(url)));
    output.print_wrapped(&plain(&case.body), "  ");
    for c in case.in_reading_order() {
        output.line("");
        print_comment(c, case.is_first(c), "  ", usize::MAX, output);
    }
    if let Some(agreement) = case.agreement() {
        output.line("");
        output.detail(agreement);
    }
    for change in case.described_changes() {
        output.line("");
        print_change(change, "  ", usize::MAX, output);
    }
    if case.omitted > 0 {
        let count = plural(u64::from(case.omitted), "other comment");
        output.detail(format_args!("{count} left out"));
    }
}
