//! The main window: it shows the front end and can never be led anywhere else.

use tauri::{App, AppHandle, Manager as _, Url, WebviewWindowBuilder, webview::NewWindowResponse};

/// The window's name.
pub const LABEL: &str = "main";

/// Opens the window. Links are opened by the command `open_external`; the window itself refuses to leave the front end.
pub fn open(app: &App) -> tauri::Result<()> {
    let Some(config) = app.config().app.windows.iter().find(|w| w.label == LABEL) else {
        return Err(tauri::Error::WindowNotFound);
    };
    let window = WebviewWindowBuilder::from_config(app.handle(), config)?
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()?;
    #[cfg(target_os = "linux")]
    window.with_webview(|webview| spare(&webview.inner()))?;
    #[cfg(not(target_os = "linux"))]
    drop(window);
    Ok(())
}

/// Takes no more of the machine than one page of text needs.
#[cfg(target_os = "linux")]
fn spare(view: &webkit2gtk::WebView) {
    use webkit2gtk::{
        CacheModel, HardwareAccelerationPolicy, SettingsExt as _, WebContextExt as _, WebViewExt as _,
    };

    // There is one page, and it never leaves: nothing is kept for going back.
    if let Some(context) = view.context() {
        context.set_cache_model(CacheModel::DocumentViewer);
    }
    // Layers that the processor has to put together itself, as in a virtual machine or a remote session, take twice the
    // time and the memory of painting the page at once.
    if let Some(settings) = view.settings()
        && !has_graphics(std::path::Path::new("/dev/dri"))
    {
        settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
    }
}

/// Whether there is a graphics processor that can draw: the kernel names each of them `renderD` and a number.
#[cfg(target_os = "linux")]
fn has_graphics(devices: &std::path::Path) -> bool {
    std::fs::read_dir(devices)
        .is_ok_and(|all| all.flatten().any(|one| one.file_name().to_string_lossy().starts_with("renderD")))
}

/// Brings the window to the front: somebody started the program a second time.
pub fn raise(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(LABEL) {
        // A window manager may refuse any of these, and nothing follows from it.
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// Takes the window of this name away, and keeps what it shows.
pub fn hide(app: &AppHandle, label: &str) {
    if let Some(window) = app.get_webview_window(label) {
        // A window that is gone is hidden.
        let _ = window.hide();
    }
}

/// Whether an address belongs to the front end.
pub fn is_ours(url: &Url) -> bool {
    match (url.scheme(), url.host_str()) {
        ("tauri", Some("localhost")) => true,
        ("http" | "https", Some("tauri.localhost")) => true,
        ("http", Some("localhost")) => cfg!(dev) && url.port() == Some(1420),
        ("about", None) => url.path() == "blank",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_front_end_may_be_shown() {
        for (url, ours) in [
            ("tauri://localhost/index.html", true),
            ("http://tauri.localhost/", true),
            ("https://github.com/acme/app/issues/1", false),
            ("http://localhost:9999/", false),
            ("file:///etc/passwd", false),
            ("tauri://elsewhere/", false),
        ] {
            assert_eq!(is_ours(&url.parse().unwrap()), ours, "{url}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_display_alone_is_no_graphics_processor() {
        let devices = tempfile::tempdir().unwrap();
        assert!(!has_graphics(&devices.path().join("dri")));
        std::fs::write(devices.path().join("card0"), "").unwrap();
        assert!(!has_graphics(devices.path()));
        std::fs::write(devices.path().join("renderD128"), "").unwrap();
        assert!(has_graphics(devices.path()));
    }
}
