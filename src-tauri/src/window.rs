//! The main window, which blocks navigation away from the front end.

use tauri::{App, AppHandle, Manager as _, Url, WebviewWindowBuilder, webview::NewWindowResponse};

/// The label of the window.
pub const LABEL: &str = "main";

/// Opens the window. It blocks other pages; links go through `open_external`.
pub fn open(app: &App) -> tauri::Result<()> {
    let Some(config) = app.config().app.windows.iter().find(|w| w.label == LABEL) else {
        return Err(tauri::Error::WindowNotFound);
    };
    let window = WebviewWindowBuilder::from_config(app.handle(), config)?
        .on_navigation(is_front_end_url)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()?;
    #[cfg(target_os = "linux")]
    window.with_webview(|webview| reduce_resource_use(&webview.inner()))?;
    #[cfg(not(target_os = "linux"))]
    drop(window);
    Ok(())
}

/// Reduces the web view's resources to the needs of one page of text.
#[cfg(target_os = "linux")]
fn reduce_resource_use(view: &webkit2gtk::WebView) {
    use webkit2gtk::{
        CacheModel, HardwareAccelerationPolicy, SettingsExt as _, WebContextExt as _,
        WebViewExt as _,
    };

    // The window never navigates, so it needs no page cache.
    if let Some(context) = view.context() {
        context.set_cache_model(CacheModel::DocumentViewer);
    }
    // Without a GPU, as in a virtual machine or a remote session, compositing layers takes twice
    // the time and memory of painting the page in one pass.
    if let Some(settings) = view.settings()
        && !has_gpu(std::path::Path::new("/dev/dri"))
    {
        settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
    }
}

/// Returns whether a GPU is present: the kernel names each one `renderD` followed by a number.
#[cfg(target_os = "linux")]
fn has_gpu(devices: &std::path::Path) -> bool {
    std::fs::read_dir(devices).is_ok_and(|entries| {
        entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("renderD"))
    })
}

/// Shows the window and brings it to the front.
pub fn raise(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(LABEL) {
        // A window manager may refuse any of these.
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// Hides the window with this label and keeps its content.
pub fn hide(app: &AppHandle, label: &str) {
    if let Some(window) = app.get_webview_window(label) {
        // An error means that the window is gone already.
        let _ = window.hide();
    }
}

/// Returns whether a URL belongs to the front end.
pub fn is_front_end_url(url: &Url) -> bool {
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
    fn only_front_end_pages_may_load() {
        for (url, is_front_end) in [
            ("tauri://localhost/index.html", true),
            ("http://tauri.localhost/", true),
            ("https://github.com/acme/app/issues/1", false),
            ("http://localhost:9999/", false),
            ("file:///etc/passwd", false),
            ("tauri://elsewhere/", false),
        ] {
            assert_eq!(is_front_end_url(&url.parse().unwrap()), is_front_end, "{url}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn display_device_is_not_a_gpu() {
        let devices = tempfile::tempdir().unwrap();
        assert!(!has_gpu(&devices.path().join("dri")));
        std::fs::write(devices.path().join("card0"), "").unwrap();
        assert!(!has_gpu(devices.path()));
        std::fs::write(devices.path().join("renderD128"), "").unwrap();
        assert!(has_gpu(devices.path()));
    }
}
