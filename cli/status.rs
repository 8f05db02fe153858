//! `precedent status`.

use precedent::Result;

use crate::{
    Session,
    args::StatusCommand,
    output::{DIM, Output, count, plain, size},
    source,
};

pub async fn run(session: &Session, command: StatusCommand, output: &mut Output) -> Result<()> {
    // Loads the model, so that a problem with it is told here and not at the first search.
    let problem = session.casebook.check_model().await.err();
    let mut status = session.casebook.status().await?;
    if let Some(problem) = problem {
        status.model.problem.get_or_insert_with(|| problem.to_string());
    }
    if let Some(fields) = &command.json.json {
        return output.json(&status, fields, None);
    }
    output.line(format_args!("Casebook  {}", plain(&status.casebook)));
    output.line(format_args!(
        "{DIM}          database {}, full text {}, vectors {}{DIM:#}",
        size(status.database_bytes),
        size(status.full_text_bytes),
        size(status.vector_bytes)
    ));
    for s in &status.sources {
        source::print(s, output);
    }
    if status.sources.is_empty() {
        output.line("No sources yet. Try `precedent import sample`.");
    }
    let c = status.coverage;
    output.line(format_args!("By words    {} of {} documents", count(c.full_text), count(c.documents)));
    output.line(format_args!("By meaning  {} of {} passages", count(c.embedded), count(c.chunks)));
    match (&status.model.problem, &status.model.name) {
        (Some(problem), _) => output.line(format_args!("Model       none: {}", plain(problem))),
        (None, Some(name)) => output.line(format_args!("Model       {}", plain(name))),
        (None, None) => {}
    }
    Ok(())
}
