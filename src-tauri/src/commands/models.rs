//! Embedding models: those that are here, and the way of others to here.

use precedent_core::{Result, model::ModelView, task::Progress};
use precedent_engine::Casebook;
use precedent_index::embed::Traits;
use serde::Serialize;
use tauri::{AppHandle, State, ipc::Channel};

use super::{brief::full_path, watched};
use crate::{
    desk::{Desk, JobKind},
    notice,
};

/// What can be installed by name, and from where.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Catalog {
    /// The host that a model is fetched from, once somebody installs one.
    pub host: String,
    /// The models, by name.
    pub models: Vec<CatalogModel>,
}

/// A model that can be installed by name.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CatalogModel {
    /// What it is called here.
    pub name: String,
    /// Length of its vectors.
    pub dimensions: usize,
    /// What its makers say of it.
    pub description: String,
}

/// The models that can answer.
#[tauri::command]
pub async fn models(desk: State<'_, Desk>) -> Result<Vec<ModelView>> {
    desk.casebook().await?.models().await
}

/// The models that can be installed by name.
#[tauri::command]
pub async fn catalog(desk: State<'_, Desk>) -> Result<Catalog> {
    let host = desk.casebook().await?.hub()?.host_str().unwrap_or_default().to_owned();
    let models = Casebook::catalog()
        .into_iter()
        .map(|e| CatalogModel { name: e.name, dimensions: e.dimensions, description: e.description })
        .collect();
    Ok(Catalog { host, models })
}

/// Fetches a model of the catalogue. A long job.
#[tauri::command]
pub async fn install_model(
    app: AppHandle,
    desk: State<'_, Desk>,
    name: String,
    progress: Channel<Progress>,
) -> Result<ModelView> {
    let casebook = desk.casebook().await?;
    let running = desk.begin(JobKind::Model, watched(progress))?;
    notice::when_long(&app, &running, casebook.install_model(&name, &running.task).await)
}

/// Brings a model in from a folder or a file. A long job.
#[tauri::command]
pub async fn import_model(
    app: AppHandle,
    desk: State<'_, Desk>,
    path: String,
    name: Option<String>,
    progress: Channel<Progress>,
) -> Result<ModelView> {
    let casebook = desk.casebook().await?;
    let path = full_path(&app, &path)?;
    let running = desk.begin(JobKind::Model, watched(progress))?;
    let result = casebook.import_model(&path, name.as_deref(), Traits::default(), &running.task).await;
    notice::when_long(&app, &running, result)
}

/// Lets a model answer once its vectors are there.
#[tauri::command]
pub async fn use_model(desk: State<'_, Desk>, name: String) -> Result<()> {
    desk.casebook().await?.use_model(&name).await
}

/// Removes a model with its vectors.
#[tauri::command]
pub async fn remove_model(desk: State<'_, Desk>, name: String) -> Result<()> {
    desk.casebook().await?.remove_model(&name).await
}
