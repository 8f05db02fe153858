//! Tauri commands for the prompt window.

use precedent_core::{Result, task::run_blocking};
use tauri::{AppHandle, Manager as _, State, ipc::Channel};

use crate::{
    clipboard::Clipboard,
    prompt::{self, Prompt, PromptSettings, PromptState, PromptTarget},
    tray, window,
};

/// Switches the shortcut and the tray icon on or off.
///
/// A failure of one is reported in the state and does not affect the other.
#[tauri::command]
pub async fn set_prompt(app: AppHandle, settings: PromptSettings) -> Result<PromptState> {
    let shortcut = prompt::set_shortcut(&app, settings.shortcut.as_deref()).await;
    let tray = tray::set_visible(&app, settings.tray).await;
    Ok(PromptState {
        shortcut: settings.shortcut.filter(|_| shortcut.is_ok()),
        shortcut_keys: shortcut.clone().ok().flatten(),
        tray: settings.tray && tray.is_ok(),
        shortcut_problem: shortcut.err(),
        tray_problem: tray.err(),
        default_shortcut: prompt::SHORTCUT,
    })
}

/// Returns the current text on the clipboard.
#[tauri::command]
pub async fn prompt_text() -> Result<Option<String>> {
    run_blocking(prompt::clipboard_text).await
}

/// Copies text to the clipboard.
#[tauri::command]
pub async fn copy_text(app: AppHandle, text: String) -> Result<()> {
    run_blocking(move || app.state::<Clipboard>().write(text)).await
}

/// Shows a target in the main window and hides the prompt.
#[tauri::command]
pub async fn open_from_prompt(app: AppHandle, target: PromptTarget) -> Result<()> {
    app.state::<Prompt>().targets.send(target);
    window::hide(&app, prompt::LABEL);
    window::raise(&app);
    Ok(())
}

/// Hides the prompt.
#[tauri::command]
pub async fn hide_prompt(app: AppHandle) -> Result<()> {
    window::hide(&app, prompt::LABEL);
    Ok(())
}

/// Registers the main window's channel for targets from the prompt.
#[tauri::command]
pub async fn watch_prompt(state: State<'_, Prompt>, channel: Channel<PromptTarget>) -> Result<()> {
    state.targets.watch(channel);
    Ok(())
}

/// Registers the prompt's channel, which is notified each time the prompt is shown.
#[tauri::command]
pub async fn watch_prompt_shown(state: State<'_, Prompt>, channel: Channel<()>) -> Result<()> {
    state.show_requests.watch(channel);
    Ok(())
}
