//! `precedent ask`.

use precedent_core::{
    Result,
    model::{AskResponse, POSSIBLE},
};

use crate::{
    Session,
    args::AskCommand,
    comment::{
        MAX_LINES, MAX_PASSAGE, print_articles, print_comment, print_problem, print_solution,
    },
    input,
    output::{BOLD, DIM, KEY, Output, plain, state},
    troubleshoot::{Subject, parse_subject},
};

pub async fn run(session: &Session, command: AskCommand, output: &mut Output) -> Result<()> {
    let (key, text) = match parse_subject(session, &command.question).await? {
        Subject::Item(key) => (Some(key), String::new()),
        Subject::Text(text) => (None, text),
        Subject::Logs(paths, _piped) => {
            let text = match &paths[..] {
                [path] if path.is_file() => input::read_question(session, Some(path)).await?,
                _ => input::read_log_errors(session, paths).await?,
            };
            (None, text)
        }
    };
    let request = command.request(key, text, &session.settings);
    let response = session.casebook.ask(request, &session.task).await?;
    if let Some(fields) = &command.json.json {
        return output.json(&response, fields, None);
    }
    print(session, &response, output);
    Ok(())
}

fn print(session: &Session, response: &AskResponse, output: &mut Output) {
    session.print_notices(&response.notices, output);
    match &response.problem {
        Some(problem) => print_problem(problem, response.key.as_ref(), output),
        None if !response.cases.is_empty() || !response.related.is_empty() => {
            output.line("No certain match. The most similar:");
        }
        None if response.conclusive => output.line("No known problem matches."),
        None => output.line("No known problem matches so far."),
    }
    print_articles(&response.articles, output);
    for case in &response.cases {
        output.line("");
        output.line(format_args!(
            "{KEY}{}{KEY:#}  {BOLD}{}{BOLD:#}  {DIM}may help: {:.0}%{DIM:#}",
            plain(&case.citation),
            plain(&case.title),
            case.relevance * 100.0
        ));
        print_solution(case, "  ", MAX_LINES, output);
    }
    for (heading, reports) in
        [("Related reports", &response.related), ("Closest reports", &response.closest)]
    {
        if reports.is_empty() {
            continue;
        }
        output.line("");
        output.line(format_args!("{BOLD}{heading}{BOLD:#}"));
        for report in reports {
            let status = match report.status {
                Some(status) => status.words().to_owned(),
                None => state(report.state, report.state_reason.as_deref()),
            };
            let likelihood = match report.confidence {
                confidence if confidence < POSSIBLE => String::new(),
                confidence => format!(" · same problem: {:.0}%", confidence * 100.0),
            };
            output.line(format_args!(
                "{KEY}{}{KEY:#}  {}  {DIM}{status}{likelihood}{DIM:#}",
                plain(&report.key),
                plain(&report.title),
            ));
            if let Some(comment) = &report.key_comment {
                print_comment(comment, true, "  ", MAX_LINES, output);
            }
        }
    }
    for (heading, passages) in [("Wiki", &response.wiki), ("Notes", &response.notes)] {
        if passages.is_empty() {
            continue;
        }
        output.line("");
        output.line(format_args!("{BOLD}{heading}{BOLD:#}"));
        for page in passages {
            output.line(format_args!("{KEY}{}{KEY:#}", plain(&page.citation)));
            let text: String = page.text.chars().take(MAX_PASSAGE).collect();
            output.print_wrapped(&plain(&text), "  ");
        }
    }
    if !response.next.is_empty() {
        output.line("");
        output.line(format_args!("{BOLD}Next steps{BOLD:#}"));
        for step in &response.next {
            output.line(format_args!("  {}", plain(step)));
        }
    }
}
