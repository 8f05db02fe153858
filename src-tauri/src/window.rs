//! The one window: it shows the front end and can never be led anywhere else.

use tauri::{App, AppHandle, Manager as _, Url, WebviewWindowBuilder, webview::NewWindowResponse};

/// The window's name.
pub const LABEL: &str = "main";

/// Opens the window. Links are opened by the command `open_external`; the window itself refuses to leave the front end.
pub fn open(app: &App) -> tauri::Result<()> {
    let Some(config) = app.config().app.windows.iter().find(|w| w.label == LABEL) else {
        return Err(tauri::Error::WindowNotFound);
    };
    WebviewWindowBuilder::from_config(app.handle(), config)?
        .on_navigation(is_ours)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .build()?;
    Ok(())
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

/// Whether an address belongs to the front end.
fn is_ours(url: &Url) -> bool {
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
}
