//! `precedent import`.

use precedent_core::{
    Result,
    model::{ImportReport, IndexReport, Taken},
};

use crate::{
    Session,
    args::{AfterImport, ImportCommand, ImportFiles, Json},
    output::{Output, count, plain, plural, remark},
};

/// What an import and the indexing after it did.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Report {
    #[serde(flatten)]
    import: ImportReport,
    index: Option<IndexReport>,
}

pub async fn run(session: &Session, command: ImportCommand, output: &mut Output) -> Result<()> {
    let (import, after, json) = match command {
        ImportCommand::Github(files) => {
            let import = each(&files, async |path| {
                session.casebook.import_github(&files.source, path, &session.task).await
            });
            (import.await, files.after, files.json)
        }
        ImportCommand::Csv { map, files } => {
            let import = each(&files, async |path| {
                session.casebook.import_table(&files.source, path, &map, &session.task).await
            });
            (import.await, files.after, files.json)
        }
        ImportCommand::Wiki(files) => {
            let import = each(&files, async |path| {
                session.casebook.import_wiki(&files.source, path, &session.task).await
            });
            (import.await, files.after, files.json)
        }
        ImportCommand::Casebook { file, after, json } => {
            return casebook(session, &file, after, &json, output).await;
        }
        ImportCommand::Sample { after, json } => {
            let import = session.casebook.import_sample(&session.task).await;
            (import, after, json)
        }
    };
    // What was stored before an error is kept, so it is indexed too; the error is told in the end.
    let (import, error) = match import {
        Ok(report) => (report, None),
        Err(error) if error.code() == precedent_core::Code::Cancelled => return Err(error),
        Err(error) => (ImportReport::default(), Some(error)),
    };
    if error.is_none() {
        say(session, &import);
    }
    let index = index(session, after).await?;
    if let Some(error) = error {
        return Err(error);
    }
    match json.json {
        Some(fields) => output.json(&Report { import, index }, &fields, None),
        None => Ok(()),
    }
}

/// What the import of a casebook and the indexing after it did.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Casebook {
    #[serde(flatten)]
    taken: Taken,
    index: Option<IndexReport>,
}

async fn casebook(
    session: &Session,
    file: &std::path::Path,
    after: AfterImport,
    json: &Json,
    output: &mut Output,
) -> Result<()> {
    let quiet = session.quiet;
    let told = move |left_out: &[String]| {
        for what in left_out.iter().filter(|_| !quiet) {
            remark(format_args!("Left out. {}", plain(what)));
        }
    };
    let taken = session.casebook.import_casebook(file, told, &session.task).await?;
    session.say(&format!("Imported {}.", crate::doctor::carried(&taken.contents)));
    let index = index(session, after).await?;
    match &json.json {
        Some(fields) => output.json(&Casebook { taken, index }, fields, None),
        None => Ok(()),
    }
}

/// Imports each path with `one`, and adds up what they did.
async fn each(
    files: &ImportFiles,
    one: impl AsyncFn(&std::path::Path) -> Result<ImportReport>,
) -> Result<ImportReport> {
    let mut all = ImportReport { source: files.source.clone(), ..Default::default() };
    for path in &files.paths {
        let report = one(path).await?;
        all.source.clone_from(&report.source);
        all.add(report);
    }
    Ok(all)
}

/// Brings the indexes up to date, as far as that is wanted.
pub async fn index(session: &Session, after: AfterImport) -> Result<Option<IndexReport>> {
    if after.no_index {
        return Ok(None);
    }
    let text = session.casebook.update_text(&session.task).await?;
    if text.documents > 0 {
        session.say(&format!(
            "Searchable by words: {} in {:.1} s.",
            plural(text.documents, "document"),
            text.full_text_seconds
        ));
    }
    if after.no_vectors {
        return Ok(Some(text));
    }
    let mut report = session.casebook.update_index(&session.task).await?;
    report.documents += text.documents;
    report.full_text_seconds += text.full_text_seconds;
    super::index::say(session, &report);
    Ok(Some(report))
}

fn say(session: &Session, import: &ImportReport) {
    let mut parts = vec![format!("{} new", count(import.new))];
    for (n, what) in [
        (import.updated, "updated"),
        (import.unchanged, "unchanged"),
        (import.stale, "older than what is here"),
    ] {
        if n > 0 {
            parts.push(format!("{} {what}", count(n)));
        }
    }
    session.say(&format!(
        "{}: {}, {}, {} from {}: {}.",
        import.source,
        plural(import.items, "item"),
        plural(import.comments, "comment"),
        plural(import.pages, "wiki page"),
        plural(import.files, "file"),
        parts.join(", ")
    ));
    if import.skipped > 0 {
        session.say(&format!("{} skipped:", plural(import.skipped, "record")));
        for skip in &import.skips {
            session.say(&format!("  {}: {}", skip.place, skip.reason));
        }
        let more = import.skipped - import.skips.len() as u64;
        if more > 0 {
            session.say(&format!("  and {} more", count(more)));
        }
    }
}
