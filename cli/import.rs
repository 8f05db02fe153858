//! `precedent import`.

use std::{collections::BTreeMap, path::Path};

use precedent_core::{
    Error, Result, Task,
    model::{
        DetectedFiles, FileView, ImportReport, ImportRequest, ImportResult, IndexReport,
        PortableImport, ShareView,
    },
};
use precedent_engine::Casebook;

use crate::{
    Session,
    args::{ImportArgs, ImportCommand, ImportFiles, IndexingArgs, JsonArgs},
    index, input,
    output::{Output, count, eprint_line, plain, plural},
};

/// The reports of an import and of the indexing that follows it.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Report {
    #[serde(flatten)]
    import: ImportResult,
    index: Option<IndexReport>,
}

pub async fn run(session: &Session, command: ImportArgs, output: &mut Output) -> Result<()> {
    let request = |files: &ImportFiles, map| ImportRequest {
        paths: files.paths.clone(),
        source: Some(files.source.clone()),
        map,
    };
    let import = async |request| session.casebook.import_files(request, &session.task).await;
    let to_result = |report: Result<ImportReport>| {
        report.map(|report| ImportResult { report, ..ImportResult::default() })
    };
    if command.undo {
        return undo(session, &command.json, output).await;
    }
    let (import, index_options, json) = match command.command {
        None => {
            if command.source.is_none() && !command.yes {
                confirm_sources(session, &command).await?;
            }
            let request =
                ImportRequest { paths: command.paths, source: command.source, map: command.map };
            (import(request).await, command.index_options, command.json)
        }
        Some(ImportCommand::Github(files)) => {
            (import(request(&files, Vec::new())).await, files.index_options, files.json)
        }
        Some(ImportCommand::Csv { map, files }) => {
            (import(request(&files, map)).await, files.index_options, files.json)
        }
        Some(ImportCommand::Wiki(files)) => {
            let import = import_each(&files, async |path| {
                session.casebook.import_wiki(&files.source, path, &session.task).await
            });
            (to_result(import.await), files.index_options, files.json)
        }
        Some(ImportCommand::Casebook { file, index_options, json }) => {
            return import_casebook(session, &file, index_options, &json, output).await;
        }
        Some(ImportCommand::Sample { index_options, json }) => {
            let import = session.casebook.import_sample(&session.task).await;
            (to_result(import), index_options, json)
        }
    };
    // Data stored before an error is kept and indexed; the error is reported at the end.
    let (import, error) = match import {
        Ok(report) => (report, None),
        Err(error) if error.code() == precedent_core::Code::Cancelled => return Err(error),
        Err(error) => (ImportResult::default(), Some(error)),
    };
    if error.is_none() {
        print_interpretation(session, &import.files_read);
        print_report(session, &import.report);
        let releases = import.files_read.understood.iter().map(|file| file.releases).sum();
        if releases > 0 {
            session.say(&format!("  {}", plural(releases, "release")));
        }
        print_shares(session, &import);
    }
    let index = update_indexes(session, index_options).await?;
    if let Some(error) = error {
        return Err(error);
    }
    output.answer(&Report { import, index }, &json, None, |_| {})
}

/// Asks before importing a folder creates several sources, or a source for loose files.
///
/// Files given by path need no confirmation.
async fn confirm_sources(session: &Session, command: &ImportArgs) -> Result<()> {
    if !command.paths.iter().any(|path| path.is_dir()) {
        return Ok(());
    }
    let request =
        ImportRequest { paths: command.paths.clone(), source: None, map: command.map.clone() };
    // The import itself reports errors in the files.
    let Ok(files) = precedent_engine::understand_files(request, &session.task).await else {
        return Ok(());
    };
    let sources = session.casebook.sources().await?;
    let is_new = |key: &str| !sources.iter().any(|source| source.key.eq_ignore_ascii_case(key));
    let mut new_sources: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let mut has_loose_files = false;
    for file in &files.understood {
        for share in file.sources.iter().filter(|share| is_new(&share.source)) {
            has_loose_files |= file.loose;
            let counts = new_sources.entry(share.source.clone()).or_default();
            *counts = (counts.0 + share.items, counts.1 + share.comments);
        }
    }
    if new_sources.len() < 2 && !has_loose_files {
        return Ok(());
    }
    let source_count = plural(new_sources.len() as u64, "new source");
    for (key, (items, comments)) in &new_sources {
        let (items, comments) = (plural(*items, "item"), plural(*comments, "comment"));
        session.say(&format!("  {key}: {items}, {comments}"));
    }
    let message = format!("not imported: creating {source_count} needs confirmation");
    let refusal = Error::invalid(message).with_hint(
        "Use --yes to confirm, choose one source with --source owner/name, or import fewer files.",
    );
    input::confirm(format_args!("Create {source_count}?"), refusal)
}

/// Undoes the last import.
async fn undo(session: &Session, json: &JsonArgs, output: &mut Output) -> Result<()> {
    let report = session.casebook.undo_import(&session.task).await?;
    output.answer(&report, json, None, |_| {
        let mut parts = vec![plural(report.documents, "item"), plural(report.comments, "comment")];
        if !report.sources.is_empty() {
            parts.insert(0, plural(report.sources.len() as u64, "source"));
        }
        session.say(&format!(
            "Undid the import of {}: removed {}.",
            report.paths,
            parts.join(", ")
        ));
        if report.restored > 0 {
            let records = plural(report.restored, "record");
            session.say(&format!("{records} restored to the state before the import."));
        }
        if report.kept > 0 {
            session
                .say(&format!("Kept {} changed since the import.", plural(report.kept, "record")));
        }
    })
}

/// Prints what the files contain and how they would be imported.
pub async fn dry_run(command: &ImportArgs, task: &Task, output: &mut Output) -> Result<()> {
    let request = ImportRequest {
        paths: command.paths.clone(),
        source: command.source.clone(),
        map: command.map.clone(),
    };
    let files = precedent_engine::understand_files(request, task).await?;
    output.answer(&files, &command.json, None, |output| {
        files.understood.iter().for_each(|file| print_file(file, output));
        for skip in &files.left_out {
            output.line(format_args!("Skipped {}: {}", plain(&skip.place), plain(&skip.reason)));
        }
        output.line("Dry run: nothing was imported.");
    })
}

fn print_file(file: &FileView, output: &mut Output) {
    let encoding = file.encoding.as_ref().map(|e| format!(", {e}")).unwrap_or_default();
    output.line(format_args!("{}: {}{encoding}", plain(&file.file), file.kind));
    let counts = [
        plural(file.items, "item"),
        plural(file.comments, "comment"),
        plural(file.pages, "wiki page"),
        plural(file.links, "link"),
        format!("{} skipped", count(file.skipped)),
    ];
    output.line(format_args!("  {}", counts.join(", ")));
    if file.releases > 0 {
        output.line(format_args!("  {}", plural(file.releases, "release")));
    }
    for share in &file.sources {
        let share = describe_share(share, file.items > 0, file.pages > 0);
        output.line(format_args!("  into {}", plain(share)));
    }
    if !file.columns.is_empty() {
        let widths = file.columns.iter().map(|c| c.column.chars().count());
        let width = widths.max().unwrap_or(0).min(40);
        output.line("  Columns:");
        for column in &file.columns {
            let field = column.field.as_deref().unwrap_or("(unused)");
            let note = match column.characters {
                Some(n) => format!(": {}", plural(n, "character")),
                None if column.guessed => " (guessed)".to_owned(),
                None => String::new(),
            };
            output.line(format_args!("    {:width$}  {field}{note}", plain(&column.column)));
        }
    }
    if !file.first.is_empty() {
        output.line("  First:");
    }
    for item in &file.first {
        let labels = match item.labels.is_empty() {
            true => String::new(),
            false => format!(" [{}]", plain(item.labels.join(", "))),
        };
        let created_at = item.created_at.map(|t| format!(", {t}")).unwrap_or_default();
        let state = crate::output::state(item.state, None);
        let (key, title) = (plain(&item.key), plain(&item.title));
        output.line(format_args!("    {key} {title} ({state}{created_at}){labels}"));
    }
    if !file.doubts.is_empty() {
        output.line("  Unclear:");
    }
    for doubt in &file.doubts {
        output.line(format_args!("    {}", plain(doubt)));
    }
    for skip in file.skips.iter().take(MAX_SKIPS) {
        output.line(format_args!("  skipped {}: {}", plain(&skip.place), plain(&skip.reason)));
    }
    if file.skipped > MAX_SKIPS as u64 {
        output.line(format_args!("  and {} more skipped", count(file.skipped - MAX_SKIPS as u64)));
    }
}

/// The maximum number of skipped records shown in a dry run.
const MAX_SKIPS: usize = 10;
/// The maximum number of files reported one by one.
const MAX_FILES: usize = 10;

/// Prints how files were interpreted if the user should check it.
fn print_interpretation(session: &Session, files: &DetectedFiles) {
    for file in files.understood.iter().take(MAX_FILES) {
        let encoding = file.encoding.as_ref().map(|e| format!(" in {e}")).unwrap_or_default();
        if !file.columns.is_empty() || !encoding.is_empty() {
            let guesses = file.columns.iter().filter(|c| c.guessed);
            let guesses = guesses
                .map(|c| format!("{} ({})", c.column, c.field.as_deref().unwrap_or_default()));
            let unused_columns = file.columns.iter().filter(|c| c.field.is_none()).map(|c| {
                let size = c.characters.map(|n| format!(" ({})", plural(n, "character")));
                format!("{}{}", c.column, size.unwrap_or_default())
            });
            let columns = column_list("guessed", guesses) + &column_list("unused", unused_columns);
            session.say(&format!("{}: {}{encoding}{columns}", file.file, file.kind));
        }
        for doubt in &file.doubts {
            session.say(&format!("warning: {}: {doubt}", file.file));
        }
    }
    for skip in files.left_out.iter().take(MAX_FILES) {
        session.say(&format!("Skipped {}: {}", skip.place, skip.reason));
    }
}

/// The maximum number of columns listed in a line.
const MAX_COLUMNS: usize = 40;

/// Formats a list of columns as part of a line, or an empty string if there are none.
fn column_list(label: &str, columns: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = columns.collect();
    let hidden_count = names.len().saturating_sub(MAX_COLUMNS);
    if hidden_count > 0 {
        names.truncate(MAX_COLUMNS);
        names.push(format!("and {hidden_count} more"));
    }
    if names.is_empty() { String::new() } else { format!("; {label}: {}", names.join(", ")) }
}

/// Describes what a source received.
///
/// Only the total number is known, not how many are items and how many are pages.
fn describe_share(share: &ShareView, has_items: bool, has_pages: bool) -> String {
    let records = match (has_items, has_pages) {
        (false, true) => plural(share.items, "wiki page"),
        (true, true) if share.items == 1 => "1 item or wiki page".to_owned(),
        (true, true) => format!("{} items and wiki pages", count(share.items)),
        _ => plural(share.items, "item"),
    };
    format!("{}: {records}, {}", share.source, plural(share.comments, "comment"))
}

/// Checks that the files to import exist before a casebook is created for them.
///
/// # Errors
/// Returns an error if a path cannot be read or a file is not an exported casebook.
pub async fn check_inputs(command: &ImportArgs, folder: &Path, task: &Task) -> Result<()> {
    if folder.join(precedent_engine::DATABASE).exists() {
        return Ok(());
    }
    if command.undo {
        return Err(Error::not_found(format!("no casebook found in {}", folder.display()))
            .with_hint("Choose another folder with --casebook DIR."));
    }
    let paths = match &command.command {
        None => &command.paths,
        Some(
            ImportCommand::Github(files)
            | ImportCommand::Csv { files, .. }
            | ImportCommand::Wiki(files),
        ) => &files.paths,
        Some(ImportCommand::Casebook { file, .. }) => {
            return Casebook::check_exported(file, &std::env::temp_dir(), task).await;
        }
        Some(ImportCommand::Sample { .. }) => return Ok(()),
    };
    for path in paths {
        std::fs::metadata(path).map_err(|e| Error::io(path, e))?;
    }
    Ok(())
}

/// Prints how many items each source received, if there is more than one source.
fn print_shares(session: &Session, import: &ImportResult) {
    if import.sources.len() < 2 {
        return;
    }
    for share in &import.sources {
        let share = describe_share(share, import.report.items > 0, import.report.pages > 0);
        session.say(&format!("  {share}"));
    }
}

/// The reports of a casebook import and of the indexing that follows it.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct CasebookReport {
    #[serde(flatten)]
    import: PortableImport,
    index: Option<IndexReport>,
}

async fn import_casebook(
    session: &Session,
    file: &Path,
    options: IndexingArgs,
    json: &JsonArgs,
    output: &mut Output,
) -> Result<()> {
    let quiet = session.quiet;
    let report_left_out = move |left_out: &[String]| {
        for reason in left_out.iter().filter(|_| !quiet) {
            let prefix =
                if reason.starts_with(PortableImport::CORRECTED) { "" } else { "Skipped. " };
            eprint_line(format_args!("{prefix}{}", plain(reason)));
        }
    };
    let casebook = session.casebook.import_casebook(file, report_left_out, &session.task).await?;
    session.say(&format!("Imported {}.", crate::doctor::describe_contents(&casebook.contents)));
    let index = update_indexes(session, options).await?;
    output.answer(&CasebookReport { import: casebook, index }, json, None, |_| {})
}

/// Imports each path with `import_path` and adds up the reports.
async fn import_each(
    files: &ImportFiles,
    import_path: impl AsyncFn(&Path) -> Result<ImportReport>,
) -> Result<ImportReport> {
    let mut total = ImportReport { source: files.source.clone(), ..Default::default() };
    for path in &files.paths {
        let report = import_path(path).await?;
        total.source.clone_from(&report.source);
        total.add(report);
    }
    Ok(total)
}

/// Updates the indexes, unless `--no-index` is given.
pub async fn update_indexes(
    session: &Session,
    options: IndexingArgs,
) -> Result<Option<IndexReport>> {
    if options.no_index {
        return Ok(None);
    }
    let text = session.casebook.update_text(&session.task).await?;
    index::print_text_report(session, &text);
    if options.no_vectors {
        return Ok(Some(text));
    }
    let mut report = session.casebook.update_index(&session.task).await?;
    report.documents += text.documents;
    report.full_text_seconds += text.full_text_seconds;
    index::print_report(session, &report);
    Ok(Some(report))
}

/// Formats the counts of an import or a sync; only the first is shown if it is zero.
pub fn describe_changes(counts: &[(u64, &str)]) -> String {
    let is_shown = |(index, (n, _)): &(usize, &(u64, &str))| *index == 0 || *n > 0;
    let shown_counts = counts.iter().enumerate().filter(is_shown);
    let parts = shown_counts.map(|(_, (n, label))| format!("{} {label}", count(*n)));
    parts.collect::<Vec<_>>().join(", ")
}

fn print_report(session: &Session, import: &ImportReport) {
    session.say(&format!(
        "{}: {}, {}, {} from {}: {}.",
        import.source,
        plural(import.items, "item"),
        plural(import.comments, "comment"),
        plural(import.pages, "wiki page"),
        plural(import.files, "file"),
        describe_changes(&[
            (import.new, "new"),
            (import.updated, "updated"),
            (import.unchanged, "unchanged"),
            (import.stale, "ignored (undated, or older than the stored version)"),
        ])
    ));
    if import.undated > 0 {
        let verb = if import.undated == 1 { "has" } else { "have" };
        session.say(&format!(
            "{} of the updated items {verb} no modification date: the last import wins, even if its file is older.",
            count(import.undated)
        ));
    }
    if import.dated_ahead > 0 {
        let verb = if import.dated_ahead == 1 { "is" } else { "are" };
        session.say(&format!(
            "warning: {} {verb} dated ahead of this computer's clock. The dates were set to now; a later sync or import \
             corrects them.",
            plural(import.dated_ahead, "record")
        ));
    }
    if import.skipped > 0 {
        session.say(&format!("warning: {} skipped:", plural(import.skipped, "record")));
        for skip in &import.skips {
            session.say(&format!("  {}: {}", skip.place, skip.reason));
        }
        let hidden_count = import.skipped - import.skips.len() as u64;
        if hidden_count > 0 {
            session.say(&format!("  and {} more", count(hidden_count)));
        }
    }
}
