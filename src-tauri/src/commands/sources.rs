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
use tauri::{AppHandle, State, ipc::Channel};

use super::{brief::full_path, task_reporting_to};
use crate::{
    app_state::{AppState, JobKind},
    notice,
};

/// Returns the live sources with their missing data.
#[tauri::command]
pub async fn mirrors(state: State<'_, AppState>) -> Result<Vec<MirrorView>> {
    state.casebook().await?.mirrors().await
}

/// Returns the hosts that the casebook connects to, with the origins of their tokens.
#[tauri::command]
pub async fn hosts(state: State<'_, AppState>) -> Result<Vec<HostView>> {
    state.casebook().await?.hosts().await
}

/// Returns an image that a text embeds, as a data URL.
#[tauri::command]
pub async fn image(state: State<'_, AppState>, url: String) -> Result<String> {
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
pub async fn add_mirror(state: State<'_, AppState>, new: NewMirror) -> Result<SourceView> {
    state.casebook().await?.add_tracker(new).await
}

/// Tests access to a live source.
#[tauri::command]
pub async fn test_source(state: State<'_, AppState>, key: String) -> Result<Access> {
    state.casebook().await?.test_source(&key, &Task::new()).await
}

/// Allows the host of a source from an imported casebook to receive its token.
#[tauri::command]
pub async fn trust_source(state: State<'_, AppState>, key: String) -> Result<HostView> {
    state.casebook().await?.trust_source(&key).await
}

/// Stores a host's token in the system's keyring.
#[tauri::command]
pub async fn keep_token(state: State<'_, AppState>, host: String, token: String) -> Result<()> {
    state.casebook().await?.keep_token(&host, token.into()).await
}

/// Removes a host's token and returns whether there was one.
#[tauri::command]
pub async fn forget_token(state: State<'_, AppState>, host: String) -> Result<bool> {
    state.casebook().await?.forget_token(&host).await
}

/// Syncs the given live sources, or all of them. Runs as a background job.
#[tauri::command]
pub async fn sync(
    app: AppHandle,
    state: State<'_, AppState>,
    sources: Vec<String>,
    full: bool,
    progress: Channel<Progress>,
) -> Result<Vec<SyncReport>> {
    let casebook = state.casebook().await?;
    let job = state.start_job(JobKind::Sync, task_reporting_to(progress))?;
    let request = SyncRequest { sources, full, ..SyncRequest::default() };
    notice::notify_if_long(&app, &job, casebook.sync(request, &job.task).await)
}

/// Detects the format of files and previews their import; imports nothing. Runs as a background
/// job.
#[tauri::command]
pub async fn understand_files(
    app: AppHandle,
    state: State<'_, AppState>,
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
    state: State<'_, AppState>,
    request: ImportRequest,
    progress: Channel<Progress>,
) -> Result<ImportResult> {
    let casebook = state.casebook().await?;
    let request = with_full_paths(&app, request)?;
    let job = state.start_job(JobKind::Import, task_reporting_to(progress))?;
    notice::notify_if_long(&app, &job, casebook.import_files(request, &job.task).await)
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
    state: State<'_, AppState>,
    key: String,
    progress: Channel<Progress>,
) -> Result<SourceView> {
    let casebook = state.casebook().await?;
    let job = state.start_job(JobKind::Remove, task_reporting_to(progress))?;
    notice::notify_if_long(&app, &job, casebook.remove_source(&key, &job.task).await)
}
