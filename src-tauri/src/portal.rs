//! The global shortcut on Wayland, where the desktop binds the keys and reports each press, through
//! the [global shortcuts portal](https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.GlobalShortcuts.html).

use ashpd::desktop::{
    CreateSessionOptions, ResponseError, Session,
    global_shortcuts::{BindShortcutsOptions, GlobalShortcuts, NewShortcut},
};
use futures_util::StreamExt as _;
use tauri::async_runtime::{JoinHandle, spawn};
use tauri_plugin_global_shortcut::{Code, Modifiers, Shortcut};

/// The id under which the desktop stores the keys of the shortcut.
const ID: &str = "ask";
/// The description that the desktop shows when it asks for permission.
const ABOUT: &str = "Ask Precedent from anywhere";

/// A shortcut that the desktop has bound for this program.
pub struct BoundShortcut {
    session: Session<GlobalShortcuts>,
    listener: JoinHandle<()>,
    /// Keys as the desktop describes them; a user may have chosen other keys than requested.
    pub keys: Option<String>,
}

impl BoundShortcut {
    /// Releases the shortcut.
    pub async fn release(self) {
        self.listener.abort();
        // An error means that the session is closed already.
        let _ = self.session.close().await;
    }
}

/// The reason why the desktop did not bind the shortcut.
#[derive(Debug, PartialEq, Eq)]
pub enum BindError {
    /// The desktop has no such portal.
    Unsupported,
    /// The user declined it.
    Declined,
}

impl From<ashpd::Error> for BindError {
    fn from(error: ashpd::Error) -> Self {
        match error {
            ashpd::Error::Response(ResponseError::Cancelled) => Self::Declined,
            _ => Self::Unsupported,
        }
    }
}

/// Requests a shortcut from the desktop and calls `on_press` on each press.
///
/// The desktop may ask the user first; this function waits for the answer.
pub async fn bind(
    shortcut: &Shortcut,
    on_press: impl Fn() + Send + 'static,
) -> Result<BoundShortcut, BindError> {
    let portal = GlobalShortcuts::new().await?;
    let session = portal.create_session(CreateSessionOptions::default()).await?;
    // Subscribe before the shortcut can be pressed.
    let mut activations = Box::pin(portal.receive_activated().await?);
    let request = NewShortcut::new(ID, ABOUT).preferred_trigger(trigger(shortcut).as_deref());
    let bound =
        portal.bind_shortcuts(&session, &[request], None, BindShortcutsOptions::default()).await;
    let bound = match bound.and_then(|request| request.response()) {
        Ok(bound) => bound,
        Err(error) => {
            let _ = session.close().await;
            return Err(error.into());
        }
    };
    let keys =
        bound.shortcuts().iter().find(|s| s.id() == ID).map(|s| s.trigger_description().to_owned());
    let listener = spawn(async move {
        while let Some(event) = activations.next().await {
            if event.shortcut_id() == ID {
                on_press();
            }
        }
    });
    Ok(BoundShortcut { session, listener, keys: keys.filter(|keys| !keys.is_empty()) })
}

/// Formats a shortcut as `CTRL+ALT+p`; `None` if the key has no name, so that the desktop asks.
///
/// The format is that of the [XDG shortcuts specification](https://specifications.freedesktop.org/shortcuts-spec/latest/).
fn trigger(shortcut: &Shortcut) -> Option<String> {
    let names = [
        (Modifiers::CONTROL, "CTRL"),
        (Modifiers::ALT, "ALT"),
        (Modifiers::SHIFT, "SHIFT"),
        (Modifiers::SUPER, "LOGO"),
    ];
    let modifiers = names
        .into_iter()
        .filter(|(m, _)| shortcut.mods.contains(*m))
        .map(|(_, name)| name.to_owned());
    let keys: Vec<String> = modifiers.chain([keysym(shortcut.key)?]).collect();
    Some(keys.join("+"))
}

/// Returns the X keysym of a key (`xkbcommon-keysyms.h`) on a US keyboard.
fn keysym(key: Code) -> Option<String> {
    let name = match key {
        Code::Space => "space",
        Code::Enter => "Return",
        Code::Tab => "Tab",
        Code::Escape => "Escape",
        Code::Backspace => "BackSpace",
        Code::Delete => "Delete",
        Code::Insert => "Insert",
        Code::Home => "Home",
        Code::End => "End",
        Code::PageUp => "Page_Up",
        Code::PageDown => "Page_Down",
        Code::ArrowUp => "Up",
        Code::ArrowDown => "Down",
        Code::ArrowLeft => "Left",
        Code::ArrowRight => "Right",
        Code::Comma => "comma",
        Code::Period => "period",
        Code::Slash => "slash",
        Code::Backslash => "backslash",
        Code::Minus => "minus",
        Code::Equal => "equal",
        Code::Semicolon => "semicolon",
        Code::Quote => "apostrophe",
        Code::Backquote => "grave",
        Code::BracketLeft => "bracketleft",
        Code::BracketRight => "bracketright",
        _ => {
            let name = key.to_string();
            let suffix = |prefix| {
                name.strip_prefix(prefix).filter(|rest| rest.len() == 1).map(str::to_lowercase)
            };
            let is_function = |n: &str| n.parse().is_ok_and(|n: u8| (1..=24).contains(&n));
            let function =
                || name.strip_prefix('F').filter(|n| is_function(n)).map(|_| name.clone());
            return suffix("Key").or_else(|| suffix("Digit")).or_else(function);
        }
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortcut_uses_the_portal_syntax() {
        let trigger_of = |name: &str| trigger(&name.parse().unwrap());
        for (name, expected_trigger) in [
            ("Ctrl+Alt+P", "CTRL+ALT+p"),
            ("Super+Shift+K", "SHIFT+LOGO+k"),
            ("Alt+Space", "ALT+space"),
            ("Ctrl+7", "CTRL+7"),
            ("Ctrl+F12", "CTRL+F12"),
            ("Ctrl+,", "CTRL+comma"),
        ] {
            assert_eq!(trigger_of(name).as_deref(), Some(expected_trigger), "{name}");
        }
        assert_eq!(trigger_of("Ctrl+MediaPlay"), None);
    }

    #[test]
    fn denial_differs_from_a_missing_portal() {
        assert_eq!(
            BindError::from(ashpd::Error::Response(ResponseError::Cancelled)),
            BindError::Declined
        );
        assert_eq!(BindError::from(ashpd::Error::NoResponse), BindError::Unsupported);
    }
}
