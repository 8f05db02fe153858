//! `precedent status`.

use precedent_core::{
    Result,
    model::{GapKind, MirrorView, Status},
};

use crate::{
    Session,
    args::StatusCommand,
    output::{Output, count, dim, plain, plural, size},
    source,
};

/// The status of the casebook and its mirrors.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct StatusOutput {
    #[serde(flatten)]
    status: Status,
    mirrors: Vec<MirrorView>,
}

pub async fn run(session: &Session, command: StatusCommand, output: &mut Output) -> Result<()> {
    // Load the model now, so that a problem is reported here rather than at the first search.
    let problem = session.casebook.check_model().await.err();
    let mut status = session.casebook.status().await?;
    if let Some(problem) = problem {
        status.model.problem.get_or_insert_with(|| problem.to_hint());
    }
    let mirrors = session.casebook.mirrors().await?;
    if let Some(fields) = &command.json.json {
        return output.json(&StatusOutput { status, mirrors }, fields, None);
    }
    output.line(format_args!("Casebook  {}", plain(&status.casebook)));
    let sizes = [status.database_bytes, status.full_text_bytes, status.vector_bytes].map(size);
    let [database, keyword, semantic] = sizes;
    output.line(dim(format_args!(
        "          database {database}, keyword index {keyword}, semantic index {semantic}"
    )));
    for s in &status.sources {
        source::print(s, output);
        if let Some(mirror) = mirrors.iter().find(|m| m.source == s.key) {
            print(mirror, output);
        }
    }
    if status.sources.is_empty() {
        output.line("No sources yet. Try `precedent import sample`.");
    }
    let c = status.coverage;
    let [text_count, document_count, vector_count, chunk_count] =
        [c.full_text, c.documents, c.embedded, c.chunks].map(count);
    output.line(format_args!("Keyword index   {text_count} of {document_count} documents"));
    output.line(format_args!("Semantic index  {vector_count} of {chunk_count} passages"));
    if c.unread > 0 && status.model.problem.is_none() {
        let unread_count = plural(c.unread, "document");
        output.line(dim(format_args!(
            "                {unread_count} not indexed yet; run `precedent index`"
        )));
    }
    match (&status.model.problem, &status.model.name) {
        (Some(problem), _) => output.line(format_args!("Model           none: {}", plain(problem))),
        (None, Some(name)) => {
            // `precedent model` calls the built-in model by its local name.
            let models = session.casebook.models().await?;
            let name = match models.into_iter().find(|m| m.answers && m.name != *name) {
                Some(model) => format!("{} ({name})", model.name),
                None => name.clone(),
            };
            output.line(format_args!("Model           {}", plain(name)));
        }
        (None, None) => {}
    }
    if let Some(next) = &status.model.next {
        output.line(format_args!(
            "Next model      {}: {} of {} passages embedded; using {} until it is ready",
            plain(&next.name),
            count(next.embedded),
            count(next.chunks.max(c.chunks)),
            plain(status.model.name.as_deref().unwrap_or("keyword search"))
        ));
    }
    Ok(())
}

/// Prints a live source with its last sync and its missing data.
fn print(mirror: &MirrorView, output: &mut Output) {
    let sync_state = match (mirror.running, mirror.synced_at) {
        (true, _) => source::describe_progress(mirror.progress.as_ref()),
        (false, Some(time)) => {
            let has_failed = mirror.gaps.iter().any(|g| g.kind == GapKind::Ended);
            let label = if has_failed { "last attempt" } else { "synced" };
            format!("{label} {}", time.strftime("%Y-%m-%d %H:%M UTC"))
        }
        (false, None) => "never synced".to_owned(),
    };
    output.detail(format_args!("{}, {sync_state}", mirror.host));
    // The lines above already report these.
    let reported_kinds = [GapKind::NeverSynced, GapKind::MissingComments, GapKind::OrphanComments];
    for gap in mirror.gaps.iter().filter(|g| !reported_kinds.contains(&g.kind)) {
        output.detail(&gap.hint);
    }
}
