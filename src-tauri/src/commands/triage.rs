//! Tauri commands for duplicates: queue, comparison, verdicts and calibration.

use precedent_core::{
    Result, Task,
    model::{
        CalibrationReport, Closure, ClosureReport, Comparison, DuplicatesRequest,
        DuplicatesResponse, TriageRequest, TriageResponse, Verdict, VerdictKind,
    },
    task::Progress,
};
use tauri::{AppHandle, ipc::Channel};

use super::{Shared, run_job};
use crate::app_state::JobKind;

/// Returns earlier reports that may be duplicates.
#[tauri::command]
pub async fn duplicates(
    state: Shared<'_>,
    request: DuplicatesRequest,
) -> Result<DuplicatesResponse> {
    state.casebook().await?.duplicates(request, &Task::new()).await
}

/// Returns the current triage queue without checking anything.
#[tauri::command]
pub async fn triage_queue(state: Shared<'_>, mut request: TriageRequest) -> Result<TriageResponse> {
    request.queue_only = true;
    state.casebook().await?.triage(request, &Task::new()).await
}

/// Checks new and changed reports and returns the queue. Runs as a background job.
#[tauri::command]
pub async fn triage(
    app: AppHandle,
    request: TriageRequest,
    progress: Channel<Progress>,
) -> Result<TriageResponse> {
    run_job(&app, JobKind::Triage, progress, async |c, task| c.triage(request, task).await).await
}

/// Compares two reports.
#[tauri::command]
pub async fn compare(state: Shared<'_>, key: String, other: String) -> Result<Comparison> {
    state.casebook().await?.compare(&key, &other).await
}

/// Records the user's verdict on a pair.
#[tauri::command]
pub async fn record_verdict(
    state: Shared<'_>,
    key: String,
    other: String,
    kind: VerdictKind,
) -> Result<Verdict> {
    state.casebook().await?.record_verdict(&key, &other, kind, None, &precedent_host::user()).await
}

/// Undoes the last verdict on a pair.
#[tauri::command]
pub async fn undo_verdict(
    state: Shared<'_>,
    key: String,
    other: String,
) -> Result<Option<Verdict>> {
    state.casebook().await?.undo_verdict(&key, &other, &precedent_host::user()).await
}

/// Returns the verdicts since a Unix timestamp in seconds, latest first.
#[tauri::command]
pub async fn verdicts_since(state: Shared<'_>, since: i64) -> Result<Vec<Verdict>> {
    let mut verdicts = state.casebook().await?.verdicts(None).await?;
    verdicts.retain(|verdict| verdict.decided_at.as_second() >= since);
    Ok(verdicts)
}

/// Returns open reports marked as duplicates, each with the comment to post on its tracker.
///
/// Makes no request.
#[tauri::command]
pub async fn closures(state: Shared<'_>) -> Result<Vec<Closure>> {
    state.casebook().await?.closures(None).await
}

/// Closes the given reports on their trackers; skips any whose verdict has changed since it was
/// shown. Runs as a background job.
#[tauri::command]
pub async fn close_reports(
    app: AppHandle,
    shown: Vec<Closure>,
    progress: Channel<Progress>,
) -> Result<ClosureReport> {
    run_job(&app, JobKind::Close, progress, async |c, task| {
        c.close_reports(&shown, &precedent_host::user(), task).await
    })
    .await
}

/// Calibrates a source's duplicate confidence from its known duplicates. Runs as a background job.
#[tauri::command]
pub async fn calibrate(
    app: AppHandle,
    source: String,
    progress: Channel<Progress>,
) -> Result<CalibrationReport> {
    run_job(&app, JobKind::Calibrate, progress, async |c, task| {
        c.calibrate(&source, false, task).await
    })
    .await
}
