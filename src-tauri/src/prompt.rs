//! The prompt: a small window over everything, which a shortcut, the tray's icon or a second start with `--ask` opens.
//!
//! Nothing of it is there before a person switches it on, and the clipboard is read when the prompt is shown, not before.

use std::sync::{Mutex, MutexGuard, PoisonError};

use precedent_core::{Error, Result};
use serde::{Deserialize, Serialize};
use tauri::{
    AppHandle, LogicalSize, Manager as _, PhysicalPosition, WebviewUrl, WebviewWindow, WebviewWindowBuilder,
    ipc::Channel, webview::NewWindowResponse,
};
use tauri_plugin_global_shortcut::{GlobalShortcutExt as _, Shortcut, ShortcutState};

#[cfg(target_os = "linux")]
use crate::portal;
use crate::{mailbox::Mailbox, window};

/// The window's name.
pub const LABEL: &str = "prompt";
/// Its size, in logical pixels.
const SIZE: (f64, f64) = (680.0, 440.0);
/// What opens it where nobody chose something else.
pub const SHORTCUT: &str = if cfg!(target_os = "macos") { "Cmd+Alt+P" } else { "Ctrl+Alt+P" };
/// The most of the clipboard's text that is offered, in characters: as much as a stack trace has, and less than a log.
const MAX_TEXT: usize = 100_000;

/// What a person switched on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromptSettings {
    /// The shortcut that opens the prompt from anywhere, as `Ctrl+Alt+P`; none opens it.
    pub shortcut: Option<String>,
    /// Whether an icon stands in the system's tray.
    pub tray: bool,
}

/// What is on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PromptState {
    /// The shortcut that opens the prompt.
    pub shortcut: Option<String>,
    /// Its keys in the desktop's own words, where the desktop gives them out.
    pub shortcut_keys: Option<String>,
    /// Whether the icon stands in the tray.
    pub tray: bool,
    /// Why the shortcut that was asked for does not open it.
    pub shortcut_problem: Option<String>,
    /// Why the icon that was asked for is not there.
    pub tray_problem: Option<String>,
    /// The shortcut that is offered first.
    pub default_shortcut: &'static str,
}

/// What the prompt wants shown in the main window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "view", rename_all = "snake_case")]
pub enum PromptTarget {
    /// A document.
    Item {
        /// Its key.
        key: String,
        /// The comment to begin at, if not with the report.
        anchor: Option<String>,
    },
    /// A search.
    Search {
        /// What is typed.
        query: String,
    },
    /// The duplicates of a text.
    Triage {
        /// The text.
        text: String,
    },
    /// The solved cases for a text.
    Troubleshoot {
        /// The text.
        text: String,
    },
    /// A brief about a text.
    Brief {
        /// The text.
        text: String,
    },
}

/// Who listens, and what is on.
#[derive(Default)]
pub struct Prompt {
    main: Mailbox<PromptTarget>,
    shown: Mailbox<()>,
    has_shortcuts: Mutex<bool>,
    /// What a desktop with Wayland holds for the prompt.
    #[cfg(target_os = "linux")]
    held: tokio::sync::Mutex<Option<portal::Held>>,
}

impl Prompt {
    /// What is to be shown goes there from now on, with what waits.
    pub fn watch(&self, window: Channel<PromptTarget>) {
        self.main.watch(window);
    }

    /// The prompt is told there each time that it is shown, also where that was before it listened.
    pub fn watch_shown(&self, window: Channel<()>) {
        self.shown.watch(window);
    }
}

/// It holds no invariant that a panic could have broken.
fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has this shortcut held and no other one; its keys where the desktop gives them out, or why it cannot be.
pub async fn set_shortcut(app: &AppHandle, named: Option<&str>) -> Result<Option<String>, String> {
    let shortcut = named.map(parsed).transpose()?;
    #[cfg(target_os = "linux")]
    if is_wayland() {
        return hold_by_desktop(app, shortcut).await;
    }
    hold(app, named.unwrap_or_default(), shortcut).map(|()| None)
}

/// Under Wayland a shortcut can be asked for by way of X, and is then heard over windows of X alone: the desktop is asked.
#[cfg(target_os = "linux")]
async fn hold_by_desktop(app: &AppHandle, shortcut: Option<Shortcut>) -> Result<Option<String>, String> {
    let prompt = app.state::<Prompt>();
    let mut held = prompt.held.lock().await;
    if let Some(before) = held.take() {
        before.release().await;
    }
    let Some(shortcut) = shortcut else { return Ok(None) };
    let handle = app.clone();
    let asked = portal::hold(&shortcut, move || toggle(&handle)).await.map_err(|refused| match refused {
        portal::Refused::NotHere => not_here(),
        portal::Refused::Declined => {
            "the desktop denied the shortcut; switch it on again to be asked once more".to_owned()
        }
    })?;
    let keys = asked.keys.clone();
    *held = Some(asked);
    Ok(keys)
}

/// Holds this shortcut and no other one; why that cannot be.
fn hold(app: &AppHandle, named: &str, shortcut: Option<Shortcut>) -> Result<(), String> {
    let prompt = app.state::<Prompt>();
    let mut has_shortcuts = locked(&prompt.has_shortcuts);
    if !*has_shortcuts {
        if shortcut.is_none() {
            return Ok(());
        }
        // Not before it is wanted: it connects to the display, which may know no such thing.
        let pressed = |app: &AppHandle, _: &Shortcut, event: tauri_plugin_global_shortcut::ShortcutEvent| {
            if event.state() == ShortcutState::Pressed {
                toggle(app);
            }
        };
        let plugin = tauri_plugin_global_shortcut::Builder::new().with_handler(pressed).build();
        app.plugin(plugin).map_err(|_| not_here())?;
        *has_shortcuts = true;
    }
    let shortcuts = app.global_shortcut();
    shortcuts.unregister_all().map_err(|_| not_here())?;
    let Some(shortcut) = shortcut else { return Ok(()) };
    shortcuts.register(shortcut).map_err(|_| format!("another program uses {named}"))
}

/// A shortcut by its name. One key alone would be taken from every other program.
fn parsed(name: &str) -> Result<Shortcut, String> {
    let shortcut: Shortcut =
        name.parse().map_err(|_| format!("{name} is no shortcut; press, for example, Ctrl, Alt and P"))?;
    if shortcut.mods.is_empty() {
        return Err(format!("{name} alone would be taken from every program; add Ctrl or Alt"));
    }
    Ok(shortcut)
}

#[cfg(target_os = "linux")]
#[allow(clippy::disallowed_methods, reason = "nothing else tells which kind of desktop it is")]
fn is_wayland() -> bool {
    std::env::var_os("WAYLAND_DISPLAY").is_some()
}

fn not_here() -> String {
    "this desktop does not support global shortcuts; bind a key to precedent-desktop --ask in its settings"
        .to_owned()
}

/// Shows the prompt over everything, with the keyboard in it.
pub fn show(app: &AppHandle) {
    // It is made when it is first wanted, and kept: the second time it is there at once.
    let Some(window) = app.get_webview_window(LABEL).or_else(|| make(app).ok()) else { return };
    app.state::<Prompt>().shown.send(());
    // A window manager may refuse any of these, and nothing follows from it.
    let _ = place(&window);
    let _ = window.show();
    let _ = window.set_focus();
}

/// Puts the prompt where it is looked for: on the screen that the pointer is on, in the middle, a third of the room above it. By its
/// size as it will be: a window that was not yet shown has another.
fn place(window: &WebviewWindow) -> tauri::Result<()> {
    let pointer = window.cursor_position()?;
    let screen = match window.monitor_from_point(pointer.x, pointer.y)? {
        Some(screen) => Some(screen),
        None => window.primary_monitor()?,
    };
    let Some(screen) = screen else { return Ok(()) };
    let size = LogicalSize::new(SIZE.0, SIZE.1).to_physical::<i32>(screen.scale_factor());
    let (at, room) = (screen.position(), screen.size().cast::<i32>());
    let (x, y) = (at.x + (room.width - size.width) / 2, at.y + (room.height - size.height) / 3);
    window.set_position(PhysicalPosition::new(x, y))
}

/// Closes the prompt for good: with the main window goes the program.
pub fn close(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(LABEL) {
        // A window that is gone is closed.
        let _ = window.destroy();
    }
}

/// Shows the prompt, or puts it away where it is before its person.
pub fn toggle(app: &AppHandle) {
    let is_seen = |window: &WebviewWindow| {
        window.is_visible().unwrap_or_default() && window.is_focused().unwrap_or_default()
    };
    match app.get_webview_window(LABEL) {
        Some(window) if is_seen(&window) => window::hide(app, LABEL),
        _ => show(app),
    }
}

fn make(app: &AppHandle) -> tauri::Result<WebviewWindow> {
    WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App("prompt.html".into()))
        .title("Ask Precedent")
        .inner_size(SIZE.0, SIZE.1)
        .resizable(false)
        .decorations(false)
        .always_on_top(true)
        .skip_taskbar(true)
        .visible(false)
        .on_navigation(window::is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()
}

/// Shows something in the main window in place of the prompt.
pub fn hand_over(app: &AppHandle, target: PromptTarget) {
    app.state::<Prompt>().main.send(target);
    window::hide(app, LABEL);
    window::raise(app);
}

/// The text on the clipboard; none where there is no text, or no clipboard.
///
/// # Errors
/// [`precedent_core::Code::Io`] if the desktop does not answer.
pub fn text() -> Result<Option<String>> {
    let failed = |e: arboard::Error| {
        Error::new(precedent_core::Code::Io, format!("the clipboard cannot be read: {e}"))
            .with_hint("Paste the text into the prompt.")
    };
    let mut clipboard = match arboard::Clipboard::new() {
        Ok(clipboard) => clipboard,
        Err(arboard::Error::ClipboardNotSupported) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    match clipboard.get_text() {
        Ok(text) => Ok(offered(&text)),
        Err(arboard::Error::ContentNotAvailable | arboard::Error::ConversionFailure) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn offered(text: &str) -> Option<String> {
    let text: String = text.chars().take(MAX_TEXT).collect();
    (!text.trim().is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tauri::ipc::InvokeResponseBody;

    use super::*;

    #[test]
    fn a_shortcut_has_a_key_beside_others() {
        for good in [SHORTCUT, "Ctrl+Alt+P", "Alt+Space", "Super+Shift+K"] {
            assert!(parsed(good).is_ok(), "{good}");
        }
        assert!(parsed("P").unwrap_err().contains("add Ctrl or Alt"));
        for bad in ["", "Ctrl+", "Ctrl+Alt", "Nothing+P"] {
            assert!(parsed(bad).unwrap_err().contains("is no shortcut"), "{bad}");
        }
    }

    #[test]
    fn what_is_offered_has_words_and_an_end() {
        assert_eq!(offered(" \n\t"), None);
        assert_eq!(offered("panic at 1"), Some("panic at 1".to_owned()));
        assert_eq!(offered(&"ä".repeat(MAX_TEXT + 5)).map(|text| text.chars().count()), Some(MAX_TEXT));
    }

    #[test]
    fn what_is_to_be_shown_waits_for_the_main_window() {
        let prompt = Prompt::default();
        prompt.main.send(PromptTarget::Search { query: "before".into() });
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        prompt.watch(Channel::new(move |body| {
            if let InvokeResponseBody::Json(text) = body {
                kept.lock().unwrap().push(text);
            }
            Ok(())
        }));
        prompt.main.send(PromptTarget::Item { key: "acme/app#1".into(), anchor: Some("comment-7".into()) });
        assert_eq!(
            *seen.lock().unwrap(),
            [
                r#"{"view":"search","query":"before"}"#,
                r#"{"view":"item","key":"acme/app#1","anchor":"comment-7"}"#
            ]
        );
    }

    #[test]
    fn a_prompt_that_is_shown_before_its_page_listens_is_told_then() {
        let prompt = Prompt::default();
        let told = Arc::new(Mutex::new(0));
        let watch = || {
            let told = Arc::clone(&told);
            prompt.watch_shown(Channel::new(move |_| {
                *told.lock().unwrap() += 1;
                Ok(())
            }));
        };
        prompt.shown.send(());
        watch();
        assert_eq!(*told.lock().unwrap(), 1);
        watch();
        assert_eq!(*told.lock().unwrap(), 1, "it was told already");
        prompt.shown.send(());
        assert_eq!(*told.lock().unwrap(), 2);
    }
}
