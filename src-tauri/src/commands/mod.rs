//! The window's Tauri commands; each makes one short call to the engine.

mod brief;
mod models;
mod notes;
mod prompt;
mod sources;
mod triage;

use std::path::Path;

use precedent_core::{
    Error, Result, Task,
    model::{
        AskRequest, AskResponse, CountedDuplicate, Health, ImportReport, IndexReport, Insights,
        LogRequest, LogResponse, Mode, ProblemsRequest, ProblemsResponse, SearchRequest,
        SearchResponse, Status, Thread,
    },
    task::{Progress, run_blocking},
};
use precedent_engine::Casebook;
use serde::Serialize;
use tauri::{AppHandle, Manager as _, State, Url, ipc::Channel};
use tauri_plugin_opener::OpenerExt as _;

pub use self::{brief::*, models::*, notes::*, prompt::*, sources::*, triage::*};
use crate::{
    app_state::{AppState, JobKind},
    drops::{Dropped, Drops},
    links::Links,
    notice,
};

/// The state as the argument of a command.
type Shared<'a> = State<'a, AppState>;

/// The data that the window needs before the casebook is open.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Launch {
    /// Version of the program.
    pub version: &'static str,
    /// Data folder.
    pub casebook: String,
    /// True if the sample is to be imported into an empty casebook at once.
    pub sample: bool,
    /// Error in the settings file, with its position.
    pub wrong_settings: Option<Error>,
}

/// Returns the data that the window needs at launch.
#[tauri::command]
pub async fn launch(state: Shared<'_>) -> Result<Launch> {
    let settings = state.invalid_settings.clone();
    Ok(Launch {
        version: env!("CARGO_PKG_VERSION"),
        casebook: state.options.folder.display().to_string(),
        sample: state.sample,
        wrong_settings: run_blocking(move || Ok(settings.and_then(|file| settings_error(&file))))
            .await?,
    })
}

/// Returns the current error in a settings file, which may have been corrected since the start.
fn settings_error(file: &Path) -> Option<Error> {
    precedent_host::salvage_config(file).map_or_else(Some, |(_, error)| error)
}

/// Moves an invalid settings file aside, so that the defaults apply from the next start.
///
/// Returns its new path, or `None` if the file has been corrected.
#[tauri::command]
pub async fn set_settings_aside(state: Shared<'_>) -> Result<Option<String>> {
    let Some(file) = state.invalid_settings.clone() else { return Ok(None) };
    run_blocking(move || match settings_error(&file) {
        Some(_) => Ok(Some(precedent_host::set_config_aside(&file)?.display().to_string())),
        None => Ok(None),
    })
    .await
}

/// Returns the casebook's status; opens the casebook if necessary.
#[tauri::command]
pub async fn status(state: Shared<'_>) -> Result<Status> {
    state.casebook().await?.status().await
}

/// Returns the documents that match a query.
///
/// Cancels the window's previous search, unless this one is independent (`apart`), such as a count.
#[tauri::command]
pub async fn search(
    window: tauri::WebviewWindow,
    state: Shared<'_>,
    request: SearchRequest,
    apart: bool,
) -> Result<SearchResponse> {
    let task = if apart { Task::new() } else { state.replace_query(window.label()) };
    let casebook = state.casebook().await?;
    // A lexical search runs while the user types; the next search needs the model.
    if request.mode == Some(Mode::Lexical) && !apart {
        let casebook = casebook.clone();
        tauri::async_runtime::spawn(async move { casebook.preload().await });
    }
    casebook.search(request, &task).await
}

/// Returns one document with all its comments.
#[tauri::command]
pub async fn thread(state: Shared<'_>, key: String) -> Result<Thread> {
    state.casebook().await?.thread(&key).await
}

/// Renders Markdown texts of answers and notes as safe HTML.
#[tauri::command]
pub async fn prose(texts: Vec<String>) -> Result<Vec<String>> {
    run_blocking(move || Ok(texts.iter().map(|text| precedent_engine::prose(text)).collect())).await
}

/// Returns the answer to a question. Cancels the window's previous question, unless this one is
/// independent (`apart`).
#[tauri::command]
pub async fn ask(
    window: tauri::WebviewWindow,
    state: Shared<'_>,
    request: AskRequest,
    apart: bool,
) -> Result<AskResponse> {
    let task = if apart {
        Task::new()
    } else {
        state.replace_query(&format!("{} answer", window.label()))
    };
    state.casebook().await?.ask(request, &task).await
}

/// Returns the values of a filter that contain the typed text.
#[tauri::command]
pub async fn completions(state: Shared<'_>, filter: String, typed: String) -> Result<Vec<String>> {
    state.casebook().await?.completions(filter, typed).await
}

/// Returns the distinct errors in logs with their known cases. Runs as a background job.
#[tauri::command]
pub async fn read_logs(
    app: AppHandle,
    mut request: LogRequest,
    progress: Channel<Progress>,
) -> Result<LogResponse> {
    for path in &mut request.paths {
        *path = brief::full_path(&app, path)?.to_string_lossy().into_owned();
    }
    run_job(&app, JobKind::Logs, progress, async |c, task| c.read_logs(request, task).await).await
}

/// Returns issue counts by month and by source.
#[tauri::command]
pub async fn insights(state: Shared<'_>, source: Option<String>) -> Result<Insights> {
    state.casebook().await?.insights(source.as_deref()).await
}

/// Returns the issues counted as duplicates, for a source and a month or for all.
#[tauri::command]
pub async fn known_duplicates(
    state: Shared<'_>,
    source: Option<String>,
    month: Option<String>,
) -> Result<Vec<CountedDuplicate>> {
    state.casebook().await?.known_duplicates(source.as_deref(), month.as_deref()).await
}

/// Returns a list of problems, based on the reports checked so far.
#[tauri::command]
pub async fn problems(state: Shared<'_>, request: ProblemsRequest) -> Result<ProblemsResponse> {
    state.casebook().await?.problems(request, &Task::new()).await
}

/// Imports the sample. Runs as a background job.
#[tauri::command]
pub async fn import_sample(app: AppHandle, progress: Channel<Progress>) -> Result<ImportReport> {
    run_job(&app, JobKind::Import, progress, async |c, task| c.import_sample(task).await).await
}

/// Updates the indexes. Runs as a background job.
#[tauri::command]
pub async fn update_index(app: AppHandle, progress: Channel<Progress>) -> Result<IndexReport> {
    run_job(&app, JobKind::Index, progress, async |c, task| c.update_index(task).await).await
}

/// Marks the indexes as out of date; the next update rebuilds them.
#[tauri::command]
pub async fn forget_indexes(state: Shared<'_>) -> Result<()> {
    state.casebook().await?.forget_indexes().await
}

/// Checks the casebook, even if it cannot be opened, and repairs it if possible. Runs as a
/// background job.
#[tauri::command]
pub async fn repair(
    app: AppHandle,
    state: Shared<'_>,
    progress: Channel<Progress>,
) -> Result<Health> {
    let job = state.start_job(JobKind::Repair, task_reporting_to(progress))?;
    let result = Casebook::doctor(state.options.clone(), true, 0, &job.task).await;
    notice::notify_if_long(&app, &job, result)
}

/// Returns whether the network connection is metered; `None` if the system does not say.
#[tauri::command]
pub async fn is_metered() -> Result<Option<bool>> {
    Ok(crate::network::is_metered().await)
}

/// Cancels a background job and returns whether it was running.
#[tauri::command]
pub async fn cancel(state: Shared<'_>, job: JobKind) -> Result<bool> {
    Ok(state.cancel(job))
}

/// Registers the window's channel for links opened by other programs.
#[tauri::command]
pub async fn watch_links(state: State<'_, Links>, links: Channel<String>) -> Result<()> {
    state.watch(links);
    Ok(())
}

/// Registers the window's channel for dropped files.
#[tauri::command]
pub async fn watch_drops(state: State<'_, Drops>, drops: Channel<Dropped>) -> Result<()> {
    state.watch(drops);
    Ok(())
}

/// Shows a desktop notification about news, unless the window has the focus.
#[tauri::command]
pub async fn announce(app: AppHandle, news: String) -> Result<()> {
    notice::notify_if_away(&app, &news);
    Ok(())
}

/// Opens a URL in the user's browser.
///
/// Tracker text is untrusted, so only `https` URLs and the `http` URLs of the user's sources are
/// opened.
#[tauri::command]
pub async fn open_external(app: AppHandle, state: Shared<'_>, url: String) -> Result<()> {
    let url = parse_web_url(&url)?;
    if url.scheme() == "http" {
        let host = url.host_str().unwrap_or_default();
        let authority = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        if !state.casebook().await?.mirrors().await?.iter().any(|mirror| mirror.host == authority) {
            return Err(Error::invalid("this link is not encrypted, so it was not opened")
                .with_hint(format!("If you trust it, open it yourself: {url}")));
        }
    }
    app.opener().open_url(url.as_str(), None::<&str>).map_err(|error| {
        Error::new(precedent_core::Code::Io, "could not start the browser")
            .with_hint(format!("Open this address yourself: {url}"))
            .with_source(error)
    })
}

/// Runs a background job on the casebook.
///
/// # Errors
/// [`Code::Busy`](precedent_core::Code::Busy) while another job of this kind runs.
async fn run_job<T>(
    app: &AppHandle,
    kind: JobKind,
    progress: Channel<Progress>,
    work: impl AsyncFnOnce(&Casebook, &Task) -> Result<T>,
) -> Result<T> {
    let state = app.state::<AppState>();
    let casebook = state.casebook().await?;
    let job = state.start_job(kind, task_reporting_to(progress))?;
    notice::notify_if_long(app, &job, work(&casebook, &job.task).await)
}

/// Returns a task that reports to the window. The job continues if the window is gone.
fn task_reporting_to(channel: Channel<Progress>) -> Task {
    Task::with_listener(move |progress| {
        let _ = channel.send(progress);
    })
}

/// Parses a URL and rejects all but `http` and `https` URLs with a host.
fn parse_web_url(text: &str) -> Result<Url> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => Ok(url),
        _ => Err(Error::invalid("this link is not a web address, so it was not opened")
            .with_hint("Only http and https links are opened.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_web_addresses_are_opened() {
        for good in ["https://github.com/acme/app/issues/1", "http://tracker.example/x?y=1#z"] {
            assert_eq!(parse_web_url(good).unwrap().as_str(), good);
        }
        for bad in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "mailto:a@b.example",
            "vscode://x",
            "/relative",
            "",
        ] {
            assert!(parse_web_url(bad).is_err(), "{bad}");
        }
    }
}
