//! The tray icon, whose menu asks, opens and quits. With it the program outlives its window.

use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(target_os = "linux")]
use std::time::Duration;

use tauri::{
    AppHandle, Manager as _,
    menu::{Menu, MenuItem},
    tray::{MouseButton, MouseButtonState, TrayIcon, TrayIconBuilder, TrayIconEvent},
};

use crate::{prompt, window};

const ASK: &str = "ask";
const OPEN: &str = "open";
const QUIT: &str = "quit";
/// The time limit for asking the desktop whether it shows icons, as a closing window waits for it.
#[cfg(target_os = "linux")]
const PATIENCE: Duration = Duration::from_millis(500);

/// The tray icon, while it is enabled.
#[derive(Default)]
pub struct Tray(Mutex<Option<TrayIcon>>);

impl Tray {
    fn icon(&self) -> MutexGuard<'_, Option<TrayIcon>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows or removes the tray icon, or returns the reason why it cannot.
pub async fn set_visible(app: &AppHandle, on: bool) -> Result<(), String> {
    let tray = app.state::<Tray>();
    if !on {
        let icon = tray.icon().take();
        if let Some(icon) = icon {
            app.remove_tray_by_id(icon.id());
        }
        return Ok(());
    }
    if tray.icon().is_some() {
        return Ok(());
    }
    if !has_indicator() {
        return Err(
            "the tray icon library is missing; install libayatana-appindicator3-1".to_owned()
        );
    }
    if !is_shown().await {
        return Err(
            "this desktop does not show tray icons; on GNOME, install the extension AppIndicator, \
            then switch the icon on again"
                .to_owned(),
        );
    }
    let icon = make(app).map_err(|e| format!("the desktop did not accept the icon: {e}"))?;
    *tray.icon() = Some(icon);
    Ok(())
}

/// Returns whether the tray icon can bring back a closed window. A desktop may stop showing it.
pub fn keeps(app: &AppHandle) -> bool {
    let is_on = app.state::<Tray>().icon().is_some();
    is_on && tauri::async_runtime::block_on(is_shown())
}

fn make(app: &AppHandle) -> tauri::Result<TrayIcon> {
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

/// Returns whether the library for tray icons is installed; without it, the attempt would end the
/// program.
#[cfg(target_os = "linux")]
fn has_indicator() -> bool {
    const NAMES: [&str; 2] = ["libayatana-appindicator3.so.1", "libappindicator3.so.1"];
    let mut places =
        ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib"].into_iter().flat_map(|place| {
            let below = std::fs::read_dir(place).into_iter().flatten().flatten();
            let triples =
                below.map(|e| e.path()).filter(|p| p.to_string_lossy().contains("-linux-gnu"));
            triples.chain([place.into()]).collect::<Vec<_>>()
        });
    places.any(|place| NAMES.iter().any(|name| place.join(name).is_file()))
}

#[cfg(not(target_os = "linux"))]
fn has_indicator() -> bool {
    true
}

/// Returns whether this desktop shows tray icons; if not, a window hidden behind one would be lost.
#[cfg(target_os = "linux")]
async fn is_shown() -> bool {
    let host = tokio::time::timeout(PATIENCE, has_host()).await;
    host.ok().flatten().unwrap_or_default() || has_tray_of_x()
}

#[cfg(not(target_os = "linux"))]
#[allow(clippy::unused_async, reason = "elsewhere the desktop is asked")]
async fn is_shown() -> bool {
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

/// Returns whether the display has a tray of the
/// [older kind](https://specifications.freedesktop.org/systemtray-spec/latest/), which the library
/// uses if there is no host.
#[cfg(target_os = "linux")]
fn has_tray_of_x() -> bool {
    use x11rb::protocol::xproto::ConnectionExt as _;

    let owner = || -> Option<u32> {
        let (display, screen) = x11rb::connect(None).ok()?;
        let name = format!("_NET_SYSTEM_TRAY_S{screen}");
        let tray = display.intern_atom(false, name.as_bytes()).ok()?.reply().ok()?.atom;
        Some(display.get_selection_owner(tray).ok()?.reply().ok()?.owner)
    };
    owner().is_some_and(|window| window != x11rb::NONE)
}
