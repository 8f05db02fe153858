//! The prompt: a small window above all others, opened by a shortcut, the tray icon or `--ask`.
//!
//! It is created on first use, and reads the clipboard only when it is shown.

use std::sync::Mutex;

use precedent_core::{Error, Result};
use serde::{Deserialize, Serialize};
use tauri::{
    AppHandle, LogicalSize, Manager as _, PhysicalPosition, WebviewUrl, WebviewWindow,
    WebviewWindowBuilder, webview::NewWindowResponse,
};
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, Shortcut, ShortcutState};

#[cfg(target_os = "linux")]
use crate::portal;
use crate::{app_state::lock, mailbox::Mailbox, window};

/// The label of the window.
pub const LABEL: &str = "prompt";
/// The size of the window, in logical pixels.
const SIZE: (f64, f64) = (680.0, 440.0);
/// The default shortcut.
pub const SHORTCUT: &str = if cfg!(target_os = "macos") { "Cmd+Alt+P" } else { "Ctrl+Alt+P" };
/// The maximum length of clipboard text, in characters: a stack trace fits, a log does not.
const MAX_TEXT: usize = 100_000;

/// The prompt settings chosen by the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromptSettings {
    /// Shortcut that opens the prompt from anywhere, such as `Ctrl+Alt+P`, if any.
    pub shortcut: Option<String>,
    /// True if the tray icon is enabled.
    pub tray: bool,
}

/// The current state of the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromptState {
    /// Shortcut that opens the prompt.
    pub shortcut: Option<String>,
    /// Keys as the desktop describes them, if it does.
    pub shortcut_keys: Option<String>,
    /// True if the tray icon is shown.
    pub tray: bool,
    /// Reason why the requested shortcut does not open the prompt.
    pub shortcut_problem: Option<String>,
    /// Reason why the requested tray icon is not shown.
    pub tray_problem: Option<String>,
    /// Suggested shortcut.
    pub default_shortcut: &'static str,
}

/// The target that the prompt shows in the main window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "view", rename_all = "snake_case")]
pub enum PromptTarget {
    /// A document.
    Item {
        /// Key of the document.
        key: String,
        /// Comment to scroll to, if not the report.
        anchor: Option<String>,
    },
    /// A search.
    Search {
        /// Query text.
        query: String,
    },
    /// The duplicates of a text.
    Triage {
        /// Text of the draft.
        text: String,
    },
    /// The answer to a text.
    Ask {
        /// Text of the question.
        text: String,
    },
    /// A brief about a text.
    Brief {
        /// Text that the brief is about.
        text: String,
    },
}

/// The listeners and the state of the prompt.
#[derive(Default)]
pub struct Prompt {
    /// Targets for the main window.
    pub targets: Mailbox<PromptTarget>,
    /// Notifications that the prompt is shown.
    pub show_requests: Mailbox<()>,
    has_plugin: Mutex<bool>,
    /// Shortcut held by a Wayland desktop.
    #[cfg(target_os = "linux")]
    desktop_shortcut: tokio::sync::Mutex<Option<portal::BoundShortcut>>,
}

/// Replaces the registered shortcut; returns its keys if the desktop describes them.
///
/// # Errors
/// Returns the reason if the shortcut cannot be registered.
pub async fn set_shortcut(app: &AppHandle, name: Option<&str>) -> Result<Option<String>, String> {
    let shortcut = name.map(parse_shortcut).transpose()?;
    #[cfg(target_os = "linux")]
    if is_wayland() {
        return bind_on_wayland(app, shortcut).await;
    }
    register(app, name.unwrap_or_default(), shortcut).map(|()| None)
}

/// Requests the shortcut from the Wayland desktop.
///
/// A shortcut registered through X11 works only while an X11 window has the focus.
#[cfg(target_os = "linux")]
async fn bind_on_wayland(
    app: &AppHandle,
    shortcut: Option<Shortcut>,
) -> Result<Option<String>, String> {
    let prompt = app.state::<Prompt>();
    let mut current = prompt.desktop_shortcut.lock().await;
    if let Some(previous) = current.take() {
        previous.release().await;
    }
    let Some(shortcut) = shortcut else { return Ok(None) };
    let handle = app.clone();
    let bound =
        portal::bind(&shortcut, move || toggle(&handle)).await.map_err(|error| match error {
            portal::BindError::Unsupported => unsupported_error(),
            portal::BindError::Declined => {
                "the desktop denied the shortcut; turn it on again to be asked once more".to_owned()
            }
        })?;
    let keys = bound.keys.clone();
    *current = Some(bound);
    Ok(keys)
}

/// Replaces the registered shortcut; returns the reason on failure.
fn register(app: &AppHandle, name: &str, shortcut: Option<Shortcut>) -> Result<(), String> {
    let prompt = app.state::<Prompt>();
    let mut has_plugin = lock(&prompt.has_plugin);
    if !*has_plugin {
        if shortcut.is_none() {
            return Ok(());
        }
        // The plugin connects to the display, which may lack support, so it is loaded on demand.
        let handler =
            |app: &AppHandle, _: &Shortcut, event: tauri_plugin_global_shortcut::ShortcutEvent| {
                if event.state() == ShortcutState::Pressed {
                    toggle(app);
                }
            };
        let plugin = tauri_plugin_global_shortcut::Builder::new().with_handler(handler).build();
        app.plugin(plugin).map_err(|_| unsupported_error())?;
        *has_plugin = true;
    }
    let shortcuts = app.global_shortcut();
    shortcuts.unregister_all().map_err(|_| unsupported_error())?;
    let Some(shortcut) = shortcut else { return Ok(()) };
    shortcuts.register(shortcut).map_err(|_| format!("another program uses {name}"))
}

/// Parses a shortcut. A single key is rejected, because other programs would no longer receive it.
fn parse_shortcut(name: &str) -> Result<Shortcut, String> {
    let shortcut: Shortcut = name
        .parse()
        .map_err(|_| format!("{name} is not a shortcut; press, for example, Ctrl, Alt and P"))?;
    if shortcut.mods.is_empty() {
        return Err(format!("{name} alone would no longer reach other programs; add Ctrl or Alt"));
    }
    Ok(shortcut)
}

#[cfg(target_os = "linux")]
#[allow(clippy::disallowed_methods, reason = "only the environment tells the display protocol")]
fn is_wayland() -> bool {
    std::env::var_os("WAYLAND_DISPLAY").is_some()
}

fn unsupported_error() -> String {
    "this desktop does not support global shortcuts; bind a key to precedent-desktop --ask in its settings"
        .to_owned()
}

/// Shows the prompt above all other windows, with the keyboard focus.
pub fn show(app: &AppHandle) {
    // The window is created on first use and kept, so that it opens at once the next time.
    let Some(window) = app.get_webview_window(LABEL).or_else(|| create(app).ok()) else { return };
    app.state::<Prompt>().show_requests.send(());
    // A window manager may refuse any of these.
    let _ = set_position(&window);
    let _ = window.show();
    let _ = window.set_focus();
}

/// Centers the prompt horizontally on the pointer's screen, with a third of the free height above
/// it.
///
/// This uses the final size, because a window that was never shown reports a different one.
fn set_position(window: &WebviewWindow) -> tauri::Result<()> {
    let pointer = window.cursor_position()?;
    let screen = match window.monitor_from_point(pointer.x, pointer.y)? {
        Some(screen) => Some(screen),
        None => window.primary_monitor()?,
    };
    let Some(screen) = screen else { return Ok(()) };
    let size = LogicalSize::new(SIZE.0, SIZE.1).to_physical::<i32>(screen.scale_factor());
    let (origin, area) = (screen.position(), screen.size().cast::<i32>());
    let (x, y) =
        (origin.x + (area.width - size.width) / 2, origin.y + (area.height - size.height) / 3);
    window.set_position(PhysicalPosition::new(x, y))
}

/// Destroys the prompt, so that the program ends with its main window.
pub fn close(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(LABEL) {
        // An error means that the window is closed already.
        let _ = window.destroy();
    }
}

/// Shows the prompt, or hides it if it is visible and has the focus.
pub fn toggle(app: &AppHandle) {
    let is_active = |window: &WebviewWindow| {
        window.is_visible().unwrap_or_default() && window.is_focused().unwrap_or_default()
    };
    match app.get_webview_window(LABEL) {
        Some(window) if is_active(&window) => window::hide(app, LABEL),
        _ => show(app),
    }
}

fn create(app: &AppHandle) -> tauri::Result<WebviewWindow> {
    WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App("prompt.html".into()))
        .title("Ask Precedent")
        .inner_size(SIZE.0, SIZE.1)
        .resizable(false)
        .decorations(false)
        .always_on_top(true)
        .skip_taskbar(true)
        .visible(false)
        .on_navigation(window::is_front_end_url)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()
}

/// Returns the text on the clipboard; `None` if there is no text or no clipboard.
///
/// # Errors
/// [`precedent_core::Code::Io`] if the desktop does not answer.
pub fn clipboard_text() -> Result<Option<String>> {
    let clipboard_error = |e: arboard::Error| {
        Error::new(precedent_core::Code::Io, format!("cannot read the clipboard: {e}"))
            .with_hint("Paste the text into the prompt.")
    };
    let mut clipboard = match arboard::Clipboard::new() {
        Ok(clipboard) => clipboard,
        Err(arboard::Error::ClipboardNotSupported) => return Ok(None),
        Err(error) => return Err(clipboard_error(error)),
    };
    match clipboard.get_text() {
        Ok(text) => Ok(truncate(&text)),
        Err(arboard::Error::ContentNotAvailable | arboard::Error::ConversionFailure) => Ok(None),
        Err(error) => Err(clipboard_error(error)),
    }
}

fn truncate(text: &str) -> Option<String> {
    let text: String = text.chars().take(MAX_TEXT).collect();
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tauri::ipc::{Channel, InvokeResponseBody};

    use super::*;

    #[test]
    fn shortcut_needs_a_modifier() {
        for good in [SHORTCUT, "Ctrl+Alt+P", "Alt+Space", "Super+Shift+K"] {
            assert!(parse_shortcut(good).is_ok(), "{good}");
        }
        assert!(parse_shortcut("P").unwrap_err().contains("add Ctrl or Alt"));
        for bad in ["", "Ctrl+", "Ctrl+Alt", "Nothing+P"] {
            assert!(parse_shortcut(bad).unwrap_err().contains("is not a shortcut"), "{bad}");
        }
    }

    #[test]
    fn clipboard_text_is_truncated_and_never_blank() {
        assert_eq!(truncate(" \n\t"), None);
        assert_eq!(truncate("panic at 1"), Some("panic at 1".to_owned()));
        assert_eq!(
            truncate(&"ä".repeat(MAX_TEXT + 5)).map(|text| text.chars().count()),
            Some(MAX_TEXT)
        );
    }

    #[test]
    fn target_waits_for_the_main_window() {
        let prompt = Prompt::default();
        prompt.targets.send(PromptTarget::Search { query: "before".into() });
        let messages = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&messages);
        prompt.targets.watch(Channel::new(move |body| {
            if let InvokeResponseBody::Json(text) = body {
                sink.lock().unwrap().push(text);
            }
            Ok(())
        }));
        prompt.targets.send(PromptTarget::Item {
            key: "acme/app#1".into(),
            anchor: Some("comment-7".into()),
        });
        assert_eq!(
            *messages.lock().unwrap(),
            [
                r#"{"view":"search","query":"before"}"#,
                r#"{"view":"item","key":"acme/app#1","anchor":"comment-7"}"#
            ]
        );
    }

    #[test]
    fn show_request_waits_for_the_page() {
        let prompt = Prompt::default();
        let count = Arc::new(Mutex::new(0));
        let watch = || {
            let counter = Arc::clone(&count);
            prompt.show_requests.watch(Channel::new(move |_| {
                *counter.lock().unwrap() += 1;
                Ok(())
            }));
        };
        prompt.show_requests.send(());
        watch();
        assert_eq!(*count.lock().unwrap(), 1);
        watch();
        assert_eq!(*count.lock().unwrap(), 1, "the request was sent already");
        prompt.show_requests.send(());
        assert_eq!(*count.lock().unwrap(), 2);
    }
}
