//! `precedent article`.

use precedent_core::{
    Error, Result,
    model::{ArticleRequest, NoteOutcome, ProblemList, ProblemsRequest},
};

use crate::{
    Session,
    args::ArticleCommand,
    brief,
    output::{GOOD, HIT, KEY, Output, dim, key, plain, plural},
    problems,
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
    match command.format.as_deref().or_else(|| brief::extension(command.output.as_deref())) {
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
    output.answer(&answer, &command.json, None, |output| {
        answer.warning.iter().for_each(|warning| session.say(warning));
        let key = &answer.note.key;
        let reports = plain(answer.note.connected.join(", "));
        output.line(match answer.outcome {
            NoteOutcome::Duplicate => format!(
                "{HIT}Not saved:{HIT:#} {KEY}{key}{KEY:#} is the same article. To change it: precedent note edit {key}"
            ),
            NoteOutcome::Stored | NoteOutcome::Connected => {
                format!("{GOOD}Saved{GOOD:#} as {KEY}{key}{KEY:#}, attached to {reports}.")
            }
        });
    })
}

/// Lists the solved problems that no article describes.
async fn list_gaps(session: &Session, command: ArticleCommand, output: &mut Output) -> Result<()> {
    problems::check_new_reports(session, command.source.clone()).await?;
    let request = ProblemsRequest {
        source: command.source.clone(),
        list: ProblemList::WithoutArticle,
        ..ProblemsRequest::default()
    };
    let response = session.casebook.problems(request, &session.task).await?;
    output.answer(&response, &command.json, Some("problems"), |output| {
        if response.problems.is_empty() {
            output.line("Every solved problem with several reports has an article.");
        }
        for problem in &response.problems {
            let (key, title) = (key(&problem.head.key), plain(&problem.head.title));
            let size = dim(plural(problem.size as u64, "report"));
            output.line(format_args!("{key}  {title}  {size}"));
        }
        let remaining_count = response.total - response.problems.len();
        if remaining_count > 0 {
            output.line(dim(format_args!(
                "{remaining_count} more; to list them: precedent problems --without-article --limit {}{}",
                response.total.min(precedent_engine::problems::MAX_LIMIT),
                command.source.as_ref().map_or_else(String::new, |source| format!(" -R {}", plain(source)))
            )));
        }
    })
}
