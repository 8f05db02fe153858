//! Tauri commands for sources: mirrors, files and tokens.

use base64::Engine as _;
use precedent_core::{
    Result, Task,
    model::{
        Access, DetectedFiles, HostView, ImportRequest, ImportResult, MirrorView, NewMirror,
        SourceView, SyncReport, SyncRequest,
    },
    task::Progress,
};
use precedent_engine::Casebook;
use tauri::{AppHandle, ipc::Channel};

use super::{Shared, brief::full_path, run_job, task_reporting_to};
use crate::app_state::JobKind;

/// Returns the live sources with their missing data.
#[tauri::command]
pub async fn mirrors(state: Shared<'_>) -> Result<Vec<MirrorView>> {
    state.casebook().await?.mirrors().await
}

/// Returns the hosts that the casebook connects to, with the origins of their tokens.
#[tauri::command]
pub async fn hosts(state: Shared<'_>) -> Result<Vec<HostView>> {
    state.casebook().await?.hosts().await
}

/// Returns an image that a text embeds, as a data URL.
#[tauri::command]
pub async fn image(state: Shared<'_>, url: String) -> Result<String> {
    let image = state.casebook().await?.image(&url, &Task::new()).await?;
    let encoded = base64::engine::general_purpose::STANDARD.encode(&image.bytes);
    Ok(format!("data:{};base64,{encoded}", image.media_type))
}

/// Returns the source that a typed name or web address refers to.
#[tauri::command]
pub async fn parse_source(text: String) -> Result<Option<NewMirror>> {
    Ok(Casebook::parse_source(&text))
}

/// Adds a live source without fetching anything.
#[tauri::command]
pub async fn add_mirror(state: Shared<'_>, new: NewMirror) -> Result<SourceView> {
    state.casebook().await?.add_tracker(new).await
}

/// Tests access to a live source.
#[tauri::command]
pub async fn test_source(state: Shared<'_>, key: String) -> Result<Access> {
    state.casebook().await?.test_source(&key, &Task::new()).await
}

/// Allows the host of a source from an imported casebook to receive its token.
#[tauri::command]
pub async fn trust_source(state: Shared<'_>, key: String) -> Result<HostView> {
    state.casebook().await?.trust_source(&key).await
}

/// Stores a host's token in the system's keyring.
#[tauri::command]
pub async fn keep_token(state: Shared<'_>, host: String, token: String) -> Result<()> {
    state.casebook().await?.keep_token(&host, token.into()).await
}

/// Removes a host's token and returns whether there was one.
#[tauri::command]
pub async fn forget_token(state: Shared<'_>, host: String) -> Result<bool> {
    state.casebook().await?.forget_token(&host).await
}

/// Syncs the given live sources, or all of them. Runs as a background job.
#[tauri::command]
pub async fn sync(
    app: AppHandle,
    sources: Vec<String>,
    full: bool,
    progress: Channel<Progress>,
) -> Result<Vec<SyncReport>> {
    let request = SyncRequest { sources, full, ..SyncRequest::default() };
    run_job(&app, JobKind::Sync, progress, async |c, task| c.sync(request, task).await).await
}

/// Detects the format of files and previews their import; imports nothing. Runs as a background
/// job.
#[tauri::command]
pub async fn understand_files(
    app: AppHandle,
    state: Shared<'_>,
    request: ImportRequest,
    progress: Channel<Progress>,
) -> Result<DetectedFiles> {
    let request = with_full_paths(&app, request)?;
    let job = state.start_job(JobKind::Import, task_reporting_to(progress))?;
    precedent_engine::understand_files(request, &job.task).await
}

/// Imports files. Runs as a background job.
#[tauri::command]
pub async fn import_files(
    app: AppHandle,
    request: ImportRequest,
    progress: Channel<Progress>,
) -> Result<ImportResult> {
    let request = with_full_paths(&app, request)?;
    run_job(&app, JobKind::Import, progress, async |c, task| c.import_files(request, task).await)
        .await
}

/// Returns the request with absolute paths.
fn with_full_paths(app: &AppHandle, mut request: ImportRequest) -> Result<ImportRequest> {
    for path in &mut request.paths {
        *path = full_path(app, &path.to_string_lossy())?;
    }
    Ok(request)
}

/// Removes a source with all its mirrored data. Runs as a background job.
#[tauri::command]
pub async fn remove_source(
    app: AppHandle,
    key: String,
    progress: Channel<Progress>,
) -> Result<SourceView> {
    run_job(&app, JobKind::Remove, progress, async |c, task| c.remove_source(&key, task).await)
        .await
}
