//! Briefs: assembled, looked over, written to a file.

use std::path::{Path, PathBuf};

use precedent_core::{
    Code, Error, Result, Task, files,
    model::{Brief, BriefFormat, BriefRequest, RedactionPreview},
    task::blocking,
};
use precedent_engine::Casebook;
use tauri::{AppHandle, Manager as _, State};

use crate::desk::Desk;

/// Assembles a brief; stores nothing.
#[tauri::command]
pub async fn brief(desk: State<'_, Desk>, request: BriefRequest) -> Result<Brief> {
    desk.casebook().await?.brief(request, &Task::new()).await
}

/// What a redaction of this brief would replace, with what it is.
#[tauri::command]
pub async fn preview_redaction(
    desk: State<'_, Desk>,
    request: BriefRequest,
) -> Result<Vec<RedactionPreview>> {
    desk.casebook().await?.preview_redaction(request, &Task::new()).await
}

/// A brief as Markdown, to be copied.
#[tauri::command]
pub async fn brief_markdown(desk: State<'_, Desk>, request: BriefRequest) -> Result<String> {
    let brief = desk.casebook().await?.brief(request, &Task::new()).await?;
    let bytes = Casebook::render_brief(brief, BriefFormat::Markdown).await?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes a brief to a file; one that is there already is replaced only if told so. Returns the full path.
#[tauri::command]
pub async fn export_brief(
    app: AppHandle,
    desk: State<'_, Desk>,
    request: BriefRequest,
    format: BriefFormat,
    path: String,
    replace: bool,
) -> Result<String> {
    let path = full_path(&app, &path)?;
    let brief = desk.casebook().await?.brief(request, &Task::new()).await?;
    let bytes = Casebook::render_brief(brief, format).await?;
    blocking(move || {
        write(&path, &bytes, replace)?;
        Ok(path.display().to_string())
    })
    .await
}

/// Asks the person with the system's own dialog where a brief is to be written; none if they did not say. The dialog asks itself
/// before a file that is there is chosen.
#[tauri::command]
pub async fn choose_file(
    app: AppHandle,
    window: tauri::WebviewWindow,
    path: String,
) -> Result<Option<String>> {
    // What was typed may be half a path; the dialog then begins where the system wants.
    let typed = full_path(&app, &path).unwrap_or_else(|_| PathBuf::from(&path));
    let mut dialog = rfd::AsyncFileDialog::new().set_title("Save the brief").set_parent(&window);
    if let Some(folder) = typed.parent().filter(|folder| folder.is_dir()) {
        dialog = dialog.set_directory(folder);
    }
    if let Some(name) = typed.file_name() {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    // macOS makes its dialogs on the main thread alone.
    let (send, receive) = tokio::sync::oneshot::channel();
    app.run_on_main_thread(move || {
        // Nobody waits any more where the window is gone.
        let _ = send.send(dialog.save_file());
    })
    .map_err(|error| no_dialog().with_source(error))?;
    let asked = receive.await.map_err(|error| no_dialog().with_source(error))?;
    Ok(asked.await.map(|file| file.path().display().to_string()))
}

fn no_dialog() -> Error {
    Error::new(Code::Io, "the system's dialog could not be opened").with_hint("Type the path instead.")
}

/// A path as a person types it into the window, which has no folder of its own that could be meant.
///
/// # Errors
/// [`Code::InvalidInput`] if it does not say where it begins.
pub(super) fn full_path(app: &AppHandle, typed: &str) -> Result<PathBuf> {
    let typed = typed.trim();
    let path = match (below_home(typed), app.path().home_dir()) {
        (Some(rest), Ok(home)) => home.join(rest),
        _ => PathBuf::from(typed),
    };
    if path.is_absolute() {
        return Ok(path);
    }
    Err(Error::invalid(format!("\"{typed}\" is not an absolute path")).with_hint(if cfg!(windows) {
        r"Enter an absolute path, such as C:\Users\me\file, or ~\file in your home folder."
    } else {
        "Enter an absolute path, such as /home/me/file, or ~/file in your home folder."
    }))
}

/// What stands behind the sign for the home folder; on Windows people write it with either slash.
fn below_home(typed: &str) -> Option<&str> {
    let rest = typed.strip_prefix('~')?;
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
    fn the_home_folder_has_a_sign_with_the_slashes_of_the_system() {
        assert_eq!(below_home("~/a/b"), Some("a/b"));
        assert_eq!(below_home(r"~\a"), cfg!(windows).then_some("a"));
        assert_eq!((below_home("~"), below_home("/a"), below_home("~anna/a")), (None, None, None));
    }

    #[test]
    fn a_file_is_replaced_only_if_told_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("brief.md");
        write(&path, b"first, and longer", false).unwrap();
        assert_eq!(write(&path, b"second", false).unwrap_err().code(), Code::Busy);
        assert_eq!(std::fs::read(&path).unwrap(), b"first, and longer");
        write(&path, b"second", true).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
    }
}
