//! `precedent ask`.

use precedent_core::{
    Result,
    model::{AskResponse, POSSIBLE},
};

use crate::{
    Session,
    args::AskCommand,
    comment::{
        MAX_LINES, print_articles, print_comment, print_passage, print_problem, print_solution,
    },
    input,
    output::{DIM, Output, bold, dim, key, percent, plain, state},
    troubleshoot::{Subject, parse_subject},
};

pub async fn run(session: &Session, command: AskCommand, output: &mut Output) -> Result<()> {
    let (key, text) = match parse_subject(session, &command.question).await? {
        Subject::Item(key) => (Some(key), String::new()),
        Subject::Text(text) => (None, text),
        Subject::Logs(paths, _piped) => match &paths[..] {
            [path] if path.is_file() => (None, input::read_question(session, Some(path)).await?),
            _ => (None, input::read_log_errors(session, paths).await?),
        },
    };
    let request = command.request(key, text, &session.settings);
    let response = session.casebook.ask(request, &session.task).await?;
    output.answer(&response, &command.json, None, |output| print(session, &response, output))
}

fn print(session: &Session, response: &AskResponse, output: &mut Output) {
    session.print_notices(&response.notices, output);
    match &response.problem {
        Some(problem) => print_problem(problem, response.key.as_ref(), output),
        None if response.has_possible_match() => output.line("No certain match."),
        None if response.conclusive => output.line("No known problem matches."),
        None => output.line("No known problem matches so far."),
    }
    print_articles(&response.articles, output);
    for case in &response.cases {
        let (citation, title) = (key(&case.citation), bold(&case.title));
        let relevance = dim(format_args!("may help: {}", percent(case.relevance)));
        output.line(format_args!("\n{citation}  {title}  {relevance}"));
        print_solution(case, "  ", MAX_LINES, output);
    }
    for (heading, reports) in
        [("Related reports", &response.related), ("Closest reports", &response.closest)]
    {
        if !reports.is_empty() {
            output.heading(heading);
        }
        for report in reports {
            let status = match report.status {
                Some(status) => status.words().to_owned(),
                None => state(report.state, report.state_reason.as_deref()),
            };
            let likelihood = match report.confidence {
                confidence if confidence < POSSIBLE => String::new(),
                confidence => format!(" · same problem: {}", percent(confidence)),
            };
            output.line(format_args!(
                "{}  {}  {DIM}{status}{likelihood}{DIM:#}",
                key(&report.key),
                plain(&report.title)
            ));
            if let Some(comment) = &report.key_comment {
                print_comment(comment, true, "  ", MAX_LINES, output);
            }
        }
    }
    for (heading, passages) in [("Wiki", &response.wiki), ("Notes", &response.notes)] {
        if !passages.is_empty() {
            output.heading(heading);
        }
        for page in passages {
            output.line(key(&page.citation));
            print_passage(page, output);
        }
    }
    if !response.next.is_empty() {
        output.heading("Next steps");
        for step in &response.next {
            output.line(format_args!("  {}", plain(step)));
        }
    }
}
