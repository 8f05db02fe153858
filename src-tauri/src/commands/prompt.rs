//! The prompt over everything.

use precedent_core::{Result, task::blocking};
use tauri::{AppHandle, Manager as _, State, ipc::Channel};

use crate::{
    clipboard::Clipboard,
    prompt::{self, Prompt, PromptSettings, PromptState, PromptTarget},
    tray, window,
};

/// Switches the shortcut and the icon in the tray on or off. What cannot be had is said, and the other one holds.
#[tauri::command]
pub async fn set_prompt(app: AppHandle, settings: PromptSettings) -> Result<PromptState> {
    let shortcut = prompt::set_shortcut(&app, settings.shortcut.as_deref()).await;
    let tray = tray::set(&app, settings.tray).await;
    Ok(PromptState {
        shortcut: settings.shortcut.filter(|_| shortcut.is_ok()),
        shortcut_keys: shortcut.clone().ok().flatten(),
        tray: settings.tray && tray.is_ok(),
        shortcut_problem: shortcut.err(),
        tray_problem: tray.err(),
        default_shortcut: prompt::SHORTCUT,
    })
}

/// The text on the clipboard, as it is now.
#[tauri::command]
pub async fn prompt_text() -> Result<Option<String>> {
    blocking(prompt::text).await
}

/// Puts a text onto the clipboard.
#[tauri::command]
pub async fn copy_text(app: AppHandle, text: String) -> Result<()> {
    blocking(move || app.state::<Clipboard>().write(text)).await
}

/// Shows something in the main window in place of the prompt.
#[tauri::command]
pub async fn open_from_prompt(app: AppHandle, target: PromptTarget) -> Result<()> {
    prompt::hand_over(&app, target);
    Ok(())
}

/// Takes the prompt away.
#[tauri::command]
pub async fn hide_prompt(app: AppHandle) -> Result<()> {
    window::hide(&app, prompt::LABEL);
    Ok(())
}

/// Hands the main window what the prompt wants shown, from now on.
#[tauri::command]
pub async fn watch_prompt(state: State<'_, Prompt>, channel: Channel<PromptTarget>) -> Result<()> {
    state.watch(channel);
    Ok(())
}

/// Tells the prompt each time that it is shown, from now on.
#[tauri::command]
pub async fn watch_prompt_shown(state: State<'_, Prompt>, channel: Channel<()>) -> Result<()> {
    state.watch_shown(channel);
    Ok(())
}
