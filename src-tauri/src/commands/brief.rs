//! Tauri commands for briefs: assembly, preview and export.

use std::path::{Path, PathBuf};

use precedent_core::{
    Code, Error, Result, Task, files,
    model::{
        Article, ArticleRequest, Brief, BriefFormat, BriefRequest, NoteAnswer, RedactionPreview,
    },
    task::run_blocking,
};
use precedent_engine::Casebook;
use tauri::{AppHandle, Manager as _};

use super::Shared;

/// Assembles a brief without storing anything.
#[tauri::command]
pub async fn brief(state: Shared<'_>, request: BriefRequest) -> Result<Brief> {
    state.casebook().await?.brief(request, &Task::new()).await
}

/// Returns the replacements that redacting this brief would make, with their kinds.
#[tauri::command]
pub async fn preview_redaction(
    state: Shared<'_>,
    request: BriefRequest,
) -> Result<Vec<RedactionPreview>> {
    state.casebook().await?.preview_redaction(request, &Task::new()).await
}

/// Returns a brief as Markdown, for copying.
#[tauri::command]
pub async fn brief_markdown(state: Shared<'_>, request: BriefRequest) -> Result<String> {
    let brief = state.casebook().await?.brief(request, &Task::new()).await?;
    let bytes = Casebook::render_brief(brief, BriefFormat::Markdown).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes an article about a solved problem; stores nothing.
#[tauri::command]
pub async fn article(state: Shared<'_>, request: ArticleRequest) -> Result<Article> {
    state.casebook().await?.article(request, &Task::new()).await
}

/// Stores an article as a note, unless an identical one exists.
#[tauri::command]
pub async fn store_article(state: Shared<'_>, request: ArticleRequest) -> Result<NoteAnswer> {
    state.casebook().await?.store_article(request, &Task::new()).await
}

/// Writes a brief to a file and returns the full path.
///
/// An existing file is replaced only with `replace`.
#[tauri::command]
pub async fn export_brief(
    app: AppHandle,
    state: Shared<'_>,
    request: BriefRequest,
    format: BriefFormat,
    path: String,
    replace: bool,
) -> Result<String> {
    let path = full_path(&app, &path)?;
    let brief = state.casebook().await?.brief(request, &Task::new()).await?;
    let bytes = Casebook::render_brief(brief, format).await?;
    run_blocking(move || {
        write(&path, &bytes, replace)?;
        Ok(path.display().to_string())
    })
    .await
}

/// Asks where to save a brief with the system dialog; `None` if the dialog is cancelled.
///
/// The dialog asks for confirmation if the file exists.
#[tauri::command]
pub async fn choose_file(
    app: AppHandle,
    window: tauri::WebviewWindow,
    path: String,
) -> Result<Option<String>> {
    // The typed path may be incomplete; the dialog then starts in its default folder.
    let target = full_path(&app, &path).unwrap_or_else(|_| PathBuf::from(&path));
    let mut dialog = rfd::AsyncFileDialog::new().set_title("Save the brief").set_parent(&window);
    if let Some(folder) = target.parent().filter(|folder| folder.is_dir()) {
        dialog = dialog.set_directory(folder);
    }
    if let Some(name) = target.file_name() {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    // macOS creates dialogs only on the main thread.
    let (send, receive) = tokio::sync::oneshot::channel();
    app.run_on_main_thread(move || {
        // The receiver is gone if the window was closed.
        let _ = send.send(dialog.save_file());
    })
    .map_err(|error| dialog_error().with_source(error))?;
    let answer = receive.await.map_err(|error| dialog_error().with_source(error))?;
    Ok(answer.await.map(|file| file.path().display().to_string()))
}

fn dialog_error() -> Error {
    Error::new(Code::Io, "could not open the system dialog").with_hint("Type the path instead.")
}

/// Resolves a path typed into the window, which has no working directory.
///
/// # Errors
/// [`Code::InvalidInput`] if the path is not absolute.
pub(super) fn full_path(app: &AppHandle, text: &str) -> Result<PathBuf> {
    let text = text.trim();
    let path = match (strip_home(text), app.path().home_dir()) {
        (Some(rest), Ok(home)) => home.join(rest),
        _ => PathBuf::from(text),
    };
    if path.is_absolute() {
        return Ok(path);
    }
    Err(Error::invalid(format!("\"{text}\" is not an absolute path")).with_hint(if cfg!(windows) {
        r"Enter an absolute path, such as C:\Users\me\file, or ~\file in your home folder."
    } else {
        "Enter an absolute path, such as /home/me/file, or ~/file in your home folder."
    }))
}

/// Returns the rest of a path after `~/`; on Windows either slash may be used.
fn strip_home(text: &str) -> Option<&str> {
    let rest = text.strip_prefix('~')?;
    rest.strip_prefix('/').or_else(|| if cfg!(windows) { rest.strip_prefix('\\') } else { None })
}

fn write(path: &Path, bytes: &[u8], replace: bool) -> Result<()> {
    if replace {
        return files::replace(path, bytes);
    }
    files::create(path, bytes).map_err(|error| match error.code() {
        Code::InvalidInput => Error::new(Code::Busy, format!("{} already exists", path.display()))
            .with_hint("Use another name, or replace it."),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilde_expands_with_system_separators() {
        assert_eq!(strip_home("~/a/b"), Some("a/b"));
        assert_eq!(strip_home(r"~\a"), cfg!(windows).then_some("a"));
        assert_eq!((strip_home("~"), strip_home("/a"), strip_home("~anna/a")), (None, None, None));
    }

    #[test]
    fn file_is_replaced_only_on_request() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("brief.md");
        write(&path, b"first, and longer", false).unwrap();
        assert_eq!(write(&path, b"second", false).unwrap_err().code(), Code::Busy);
        assert_eq!(std::fs::read(&path).unwrap(), b"first, and longer");
        write(&path, b"second", true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
    }
}
