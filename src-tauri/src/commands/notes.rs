//! Tauri commands for private notes.

use precedent_core::{
    Result, Task,
    model::{Note, NoteAnswer, NoteChange, NoteDraft, NoteKind, SimilarNotes},
};

use super::Shared;

/// Returns the notes of a kind, or all notes, most recently changed first.
#[tauri::command]
pub async fn notes(state: Shared<'_>, kind: Option<NoteKind>) -> Result<Vec<Note>> {
    state.casebook().await?.notes(kind).await
}

/// Stores a note unless an identical one exists.
#[tauri::command]
pub async fn add_note(state: Shared<'_>, draft: NoteDraft) -> Result<NoteAnswer> {
    state.casebook().await?.add_note(draft, &Task::new()).await
}

/// Finds notes with the same or nearly the same text; stores nothing.
#[tauri::command]
pub async fn similar_notes(
    state: Shared<'_>,
    kind: NoteKind,
    title: String,
    body: String,
) -> Result<SimilarNotes> {
    state.casebook().await?.similar_notes(kind, &title, &body).await
}

/// Changes a note.
#[tauri::command]
pub async fn edit_note(state: Shared<'_>, key: String, change: NoteChange) -> Result<Note> {
    state.casebook().await?.edit_note(&key, change, &Task::new()).await
}

/// Removes a note and returns it.
#[tauri::command]
pub async fn remove_note(state: Shared<'_>, key: String) -> Result<Note> {
    state.casebook().await?.remove_note(&key, &Task::new()).await
}
