//! Sources: mirrors and files, and the access to them.

use precedent_core::{
    Result, Task,
    model::{Access, HostView, ImportReport, MirrorView, NewMirror, SourceView, SyncReport, SyncRequest},
    task::Progress,
};
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, State, ipc::Channel};

use super::{brief::full_path, watched};
use crate::{
    desk::{Desk, JobKind},
    notice,
};

/// What files hold.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// GitHub's REST records.
    Github,
    /// Wiki pages in Markdown.
    Wiki,
}

/// The live sources, and what they do not know.
#[tauri::command]
pub async fn mirrors(desk: State<'_, Desk>) -> Result<Vec<MirrorView>> {
    desk.casebook().await?.mirrors().await
}

/// The hosts that the casebook talks to, and where their tokens are found.
#[tauri::command]
pub async fn hosts(desk: State<'_, Desk>) -> Result<Vec<HostView>> {
    desk.casebook().await?.hosts().await
}

/// Adds a live source; fetches nothing yet.
#[tauri::command]
pub async fn add_mirror(desk: State<'_, Desk>, new: NewMirror) -> Result<SourceView> {
    desk.casebook().await?.add_tracker(new).await
}

/// Looks what the access to a live source can do.
#[tauri::command]
pub async fn test_source(desk: State<'_, Desk>, key: String) -> Result<Access> {
    desk.casebook().await?.test_source(&key, &Task::new()).await
}

/// Lets the host of a source that came with a casebook file see its token.
#[tauri::command]
pub async fn trust_source(desk: State<'_, Desk>, key: String) -> Result<HostView> {
    desk.casebook().await?.trust_source(&key).await
}

/// Keeps a host's token in the system's keyring.
#[tauri::command]
pub async fn keep_token(desk: State<'_, Desk>, host: String, token: String) -> Result<()> {
    desk.casebook().await?.keep_token(&host, token.into()).await
}

/// Forgets a host's token. Whether there was one.
#[tauri::command]
pub async fn forget_token(desk: State<'_, Desk>, host: String) -> Result<bool> {
    desk.casebook().await?.forget_token(&host).await
}

/// Mirrors these live sources, or all of them. A long job.
#[tauri::command]
pub async fn sync(
    app: AppHandle,
    desk: State<'_, Desk>,
    sources: Vec<String>,
    full: bool,
    progress: Channel<Progress>,
) -> Result<Vec<SyncReport>> {
    let casebook = desk.casebook().await?;
    let running = desk.begin(JobKind::Sync, watched(progress))?;
    notice::when_long(&app, &running, casebook.sync(SyncRequest { sources, full }, &running.task).await)
}

/// Reads files into a source. A long job.
#[tauri::command]
pub async fn import_files(
    app: AppHandle,
    desk: State<'_, Desk>,
    kind: FileKind,
    source: String,
    path: String,
    progress: Channel<Progress>,
) -> Result<ImportReport> {
    let casebook = desk.casebook().await?;
    let path = full_path(&app, &path)?;
    let running = desk.begin(JobKind::Import, watched(progress))?;
    let result = match kind {
        FileKind::Github => casebook.import_github(&source, &path, &running.task).await,
        FileKind::Wiki => casebook.import_wiki(&source, &path, &running.task).await,
    };
    notice::when_long(&app, &running, result)
}

/// Removes a source with all that was mirrored from it. A long job.
#[tauri::command]
pub async fn remove_source(
    app: AppHandle,
    desk: State<'_, Desk>,
    key: String,
    progress: Channel<Progress>,
) -> Result<SourceView> {
    let casebook = desk.casebook().await?;
    let running = desk.begin(JobKind::Remove, watched(progress))?;
    notice::when_long(&app, &running, casebook.remove_source(&key, &running.task).await)
}
