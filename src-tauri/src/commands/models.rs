//! Tauri commands for embedding models: listing, installation and selection.

use precedent_core::{Result, model::ModelView, task::Progress};
use precedent_engine::Casebook;
use precedent_index::embed::ImportOptions;
use serde::Serialize;
use tauri::{AppHandle, ipc::Channel};

use super::{Shared, brief::full_path, run_job};
use crate::app_state::JobKind;

/// The models that can be installed by name, and their host.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Catalog {
    /// Host that models are downloaded from.
    pub host: String,
    /// Models, by name.
    pub models: Vec<CatalogModel>,
}

/// A model that can be installed by name.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CatalogModel {
    /// Name in the catalog.
    pub name: String,
    /// Length of the model's vectors.
    pub dimensions: usize,
    /// Description by the model's makers.
    pub description: String,
}

/// Returns the models that can answer queries.
#[tauri::command]
pub async fn models(state: Shared<'_>) -> Result<Vec<ModelView>> {
    state.casebook().await?.models().await
}

/// Returns the models that can be installed by name.
#[tauri::command]
pub async fn catalog(state: Shared<'_>) -> Result<Catalog> {
    let host = state.casebook().await?.hub()?.host_str().unwrap_or_default().to_owned();
    let models = Casebook::catalog()
        .into_iter()
        .map(|e| CatalogModel {
            name: e.name,
            dimensions: e.dimensions,
            description: e.description,
        })
        .collect();
    Ok(Catalog { host, models })
}

/// Downloads a model from the catalog. Runs as a background job.
#[tauri::command]
pub async fn install_model(
    app: AppHandle,
    name: String,
    progress: Channel<Progress>,
) -> Result<ModelView> {
    run_job(&app, JobKind::Model, progress, async |c, task| c.install_model(&name, task).await)
        .await
}

/// Imports a model from a folder or a file. Runs as a background job.
#[tauri::command]
pub async fn import_model(
    app: AppHandle,
    path: String,
    name: Option<String>,
    progress: Channel<Progress>,
) -> Result<ModelView> {
    let path = full_path(&app, &path)?;
    run_job(&app, JobKind::Model, progress, async |c, task| {
        c.import_model(&path, name.as_deref(), ImportOptions::default(), task).await
    })
    .await
}

/// Selects a model, which is used as soon as its vectors are complete.
#[tauri::command]
pub async fn use_model(state: Shared<'_>, name: String) -> Result<()> {
    state.casebook().await?.use_model(&name).await
}

/// Removes a model with its vectors.
#[tauri::command]
pub async fn remove_model(state: Shared<'_>, name: String) -> Result<()> {
    state.casebook().await?.remove_model(&name).await
}
