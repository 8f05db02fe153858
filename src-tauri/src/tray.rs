//! The tray icon and its menu. With a tray icon, the program outlives its window.

use std::sync::Mutex;
#[cfg(target_os = "linux")]
use std::time::Duration;

use tauri::{
    AppHandle, Manager as _,
    menu::{Menu, MenuItem},
    tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent},
};

use crate::{app_state::lock, prompt, window};

const ASK: &str = "ask";
const OPEN: &str = "open";
const QUIT: &str = "quit";
/// The time limit for asking the desktop whether it shows icons; a closing window waits for it.
#[cfg(target_os = "linux")]
const HOST_TIMEOUT: Duration = Duration::from_millis(500);

/// The tray icon, while it is enabled.
#[derive(Default)]
pub struct Tray(Mutex<Option<TrayIcon>>);

/// Shows or removes the tray icon; returns the reason if it cannot be shown.
pub async fn set_visible(app: &AppHandle, visible: bool) -> Result<(), String> {
    let tray = app.state::<Tray>();
    if !visible {
        let icon = lock(&tray.0).take();
        if let Some(icon) = icon {
            app.remove_tray_by_id(icon.id());
        }
        return Ok(());
    }
    if lock(&tray.0).is_some() {
        return Ok(());
    }
    if !has_library() {
        return Err(
            "the tray icon library is missing; install libayatana-appindicator3-1".to_owned()
        );
    }
    if !can_show().await {
        return Err(
            "this desktop does not show tray icons; on GNOME, install the AppIndicator extension, \
            then turn the icon on again"
                .to_owned(),
        );
    }
    let icon = create(app).map_err(|e| format!("the desktop rejected the icon: {e}"))?;
    *lock(&tray.0) = Some(icon);
    Ok(())
}

/// Returns whether the tray icon can reopen a closed window; a desktop may stop showing icons.
pub fn can_reopen(app: &AppHandle) -> bool {
    let is_enabled = lock(&app.state::<Tray>().0).is_some();
    is_enabled && tauri::async_runtime::block_on(can_show())
}

fn create(app: &AppHandle) -> tauri::Result<TrayIcon> {
    let item = |id, text| MenuItem::with_id(app, id, text, true, None::<&str>);
    let menu = Menu::with_items(
        app,
        &[&item(ASK, "Ask…")?, &item(OPEN, "Open Precedent")?, &item(QUIT, "Quit Precedent")?],
    )?;
    let mut builder = TrayIconBuilder::with_id(prompt::LABEL)
        .tooltip("Precedent")
        .menu(&menu)
        .show_menu_on_left_click(false)
        .on_menu_event(|app, event| match event.id().as_ref() {
            ASK => prompt::show(app),
            OPEN => window::raise(app),
            QUIT => app.exit(0),
            _ => {}
        })
        .on_tray_icon_event(|tray, event| {
            if let TrayIconEvent::Click {
                button: MouseButton::Left,
                button_state: MouseButtonState::Up,
                ..
            } = event
            {
                prompt::toggle(tray.app_handle());
            }
        });
    if let Some(icon) = app.default_window_icon() {
        builder = builder.icon(icon.clone());
    }
    builder.build(app)
}

/// Returns whether the library for tray icons is installed; without it, creating an icon would abort
/// the program.
#[cfg(target_os = "linux")]
fn has_library() -> bool {
    const NAMES: [&str; 2] = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];
    let mut folders =
        ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib"].into_iter().flat_map(|folder| {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            let triplets =
                entries.map(|e| e.path()).filter(|p| p.to_string_lossy().contains("-linux-gnu"));
            triplets.chain([folder.into()]).collect::<Vec<_>>()
        });
    folders.any(|folder| NAMES.iter().any(|name| folder.join(name).is_file()))
}

#[cfg(not(target_os = "linux"))]
fn has_library() -> bool {
    true
}

/// Returns whether this desktop shows tray icons; if not, a hidden window could not be reopened.
#[cfg(target_os = "linux")]
async fn can_show() -> bool {
    let host = tokio::time::timeout(HOST_TIMEOUT, has_host()).await;
    host.ok().flatten().unwrap_or_default() || has_x11_tray()
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::unused_async, reason = "async on Linux")]
async fn can_show() -> bool {
    true
}

/// Returns whether a host for icons is registered, as defined by the
/// [specification](https://www.freedesktop.org/wiki/Specifications/StatusNotifierItem/StatusNotifierWatcher/).
#[cfg(target_os = "linux")]
async fn has_host() -> Option<bool> {
    const WATCHER: &str = "org.kde.StatusNotifierWatcher";
    let bus = zbus::Connection::session().await.ok()?;
    let watcher = zbus::Proxy::new(&bus, WATCHER, "/StatusNotifierWatcher", WATCHER).await.ok()?;
    watcher.get_property("IsStatusNotifierHostRegistered").await.ok()
}

/// Returns whether the display has an
/// [X11 tray](https://specifications.freedesktop.org/systemtray-spec/latest/), which the library uses
/// if there is no host.
#[cfg(target_os = "linux")]
fn has_x11_tray() -> bool {
    use x11rb::protocol::xproto::ConnectionExt as _;

    let owner = || -> Option<u32> {
        let (display, screen) = x11rb::connect(None).ok()?;
        let name = format!("_NET_SYSTEM_TRAY_S{screen}");
        let tray = display.intern_atom(false, name.as_bytes()).ok()?.reply().ok()?.atom;
        Some(display.get_selection_owner(tray).ok()?.reply().ok()?.owner)
    };
    owner().is_some_and(|window| window != x11rb::NONE)
}
