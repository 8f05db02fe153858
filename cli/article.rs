//! `precedent article`.

use std::path::Path;

use precedent_core::{
    Error, Result,
    model::{ArticleRequest, NoteOutcome, ProblemList, ProblemsRequest},
};

use crate::{
    Session,
    args::ArticleCommand,
    brief,
    output::{DIM, GOOD, HIT, KEY, Output, plain, plural},
};

pub async fn run(session: &Session, command: ArticleCommand, output: &mut Output) -> Result<()> {
    let Some(key) = &command.key else {
        if command.gaps {
            return list_gaps(session, command, output).await;
        }
        return Err(Error::invalid("no item given")
            .with_hint("Pass an item (acme/app#12), or --gaps to list candidates."));
    };
    let request = ArticleRequest { key: session.key(key), redact: !command.no_redact };
    if command.store {
        return store(session, request, &command, output).await;
    }
    let is_html = is_html(&command)?;
    let article = session.casebook.article(request, &session.task).await?;
    if let Some(fields) = &command.json.json {
        return output.json(&article, fields, None);
    }
    let missing_parts: Vec<String> =
        article.missing.iter().map(|part| part.heading().to_lowercase()).collect();
    if !missing_parts.is_empty() {
        session.say(&format!("Not documented in the threads: {}.", missing_parts.join(", ")));
    }
    if !article.stored.is_empty() {
        session.say(&format!("Saved earlier as {}.", article.stored.join(", ")));
    }
    let text = if is_html { &article.html } else { &article.markdown };
    brief::write_output(session, text.as_bytes(), command.output.as_deref(), false, output)
}

/// Returns whether the given format, else the one for the file extension, is HTML.
fn is_html(command: &ArticleCommand) -> Result<bool> {
    let extension = command.output.as_deref().and_then(Path::extension).and_then(|e| e.to_str());
    match command.format.as_deref().or(extension) {
        None | Some("markdown" | "md") => Ok(false),
        Some("html" | "htm") => Ok(true),
        Some(name) => Err(Error::invalid(format!("cannot write an article as .{name}"))
            .with_hint("Use md or html, or --json.")),
    }
}

async fn store(
    session: &Session,
    request: ArticleRequest,
    command: &ArticleCommand,
    output: &mut Output,
) -> Result<()> {
    let answer = session.casebook.store_article(request, &session.task).await?;
    if let Some(fields) = &command.json.json {
        return output.json(&answer, fields, None);
    }
    if let Some(warning) = &answer.warning {
        session.say(warning);
    }
    let key = &answer.note.key;
    match answer.outcome {
        NoteOutcome::Duplicate => output.line(format_args!(
            "{HIT}Not saved:{HIT:#} {KEY}{key}{KEY:#} is the same article. To change it: precedent note edit {key}"
        )),
        NoteOutcome::Stored | NoteOutcome::Connected => output.line(format_args!(
            "{GOOD}Saved{GOOD:#} as {KEY}{key}{KEY:#}, attached to {}.",
            plain(&answer.note.connected.join(", "))
        )),
    }
    Ok(())
}

/// Lists the solved problems that no article describes.
async fn list_gaps(session: &Session, command: ArticleCommand, output: &mut Output) -> Result<()> {
    let request = ProblemsRequest {
        source: command.source,
        list: ProblemList::WithoutArticle,
        ..ProblemsRequest::default()
    };
    let response = session.casebook.problems(request, &session.task).await?;
    if let Some(fields) = &command.json.json {
        return output.json(&response, fields, Some("problems"));
    }
    if response.problems.is_empty() {
        output.line("Every solved problem with several reports has an article.");
    }
    for problem in &response.problems {
        output.line(format_args!(
            "{KEY}{}{KEY:#}  {}  {DIM}{}{DIM:#}",
            plain(&problem.head.key),
            plain(&problem.head.title),
            plural(problem.size as u64, "report")
        ));
    }
    let remaining_count = response.total - response.problems.len();
    if remaining_count > 0 {
        output.line(format_args!(
            "{DIM}{remaining_count} more; `precedent problems --without-article` lists them.{DIM:#}"
        ));
    }
    Ok(())
}
