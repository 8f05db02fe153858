//! `precedent search`.

use precedent_core::{
    Error, Result,
    model::{Arm, Hit, Part, SearchResponse},
};

use crate::{
    Session,
    args::SearchCommand,
    input,
    output::{BOLD, DIM, Output, dim, key, labeled_day, plural, spans, state_on},
};

pub async fn run(session: &Session, command: SearchCommand, output: &mut Output) -> Result<()> {
    let query = read_query(session, &command).await?;
    let request = command.request(query, &session.settings);
    let response = session.casebook.search(request, &session.task).await?;
    output
        .answer(&response, &command.json, Some("hits"), |output| print(session, &response, output))
}

async fn read_query(session: &Session, command: &SearchCommand) -> Result<String> {
    let from_stdin = command.query == ["-"];
    let text = match from_stdin {
        true => input::read_question(session, None).await?,
        false => command.query.join(" "),
    };
    // An empty query lists the latest changes or filtered items; empty piped text is an error.
    let is_listing = command.query.is_empty() || (!from_stdin && !command.filters().is_empty());
    if !is_listing && text.trim().is_empty() {
        return Err(Error::invalid("empty query").with_hint(
            "Enter search terms. Without any, `precedent search` lists the latest changes.",
        ));
    }
    Ok(text)
}

fn print(session: &Session, response: &SearchResponse, output: &mut Output) {
    if response.hits.is_empty() {
        session.print_notices(&response.notices, output);
        session.say("No matches.");
        return;
    }
    for hit in &response.hits {
        print_hit(hit, output);
        output.line("");
    }
    for notice in &response.notices {
        session.say(&notice.hint.to_string());
    }
}

fn print_hit(hit: &Hit, output: &mut Output) {
    output.line(format_args!("{}  {BOLD}{}{BOLD:#}", key(&hit.key), spans(&hit.title)));
    let mut facts = vec![state_on(hit.state, hit.state_reason.as_deref(), hit.closed_at)];
    if hit.closed_at.is_none() {
        facts.push(dim(labeled_day("updated", hit.updated_at)));
    }
    if hit.comments > 0 {
        facts.push(dim(plural(u64::from(hit.comments), "comment")));
    }
    facts.retain(|f| !f.is_empty());
    output.line(format_args!("  {}", facts.join("  ")));
    output.detail(&hit.why);
    for passage in hit.passages.iter().take(2) {
        let author = match (&passage.part, &passage.author) {
            (Part::Comment, Some(author)) => dim(format_args!("{author}:")) + " ",
            _ => String::new(),
        };
        let text = spans(&passage.spans);
        if passage.code {
            for line in text.lines().take(6) {
                output.line(format_args!("    {DIM}│{DIM:#} {line}"));
            }
        } else {
            let text = format!("{author}{}", text.split_whitespace().collect::<Vec<_>>().join(" "));
            output.print_wrapped(&text, "    ");
        }
    }
    let Some(trace) = &hit.trace else { return };
    for c in trace {
        let (arm, score) = match c.arm {
            Arm::Lexical => ("keyword", format!("score {:.2}", c.score)),
            Arm::Semantic => ("semantic", format!("cosine {:.3}", c.score)),
            Arm::Signature => ("signature", format!("score {:.2}", c.score)),
        };
        output.line(format_args!(
            "    {DIM}{arm:<9} rank {:>3}  {score:<14}  contributes {:.5}{DIM:#}",
            c.rank, c.adds
        ));
    }
    output.line(format_args!("    {DIM}combined score: {:.5}{DIM:#}", hit.scores.fused));
}
