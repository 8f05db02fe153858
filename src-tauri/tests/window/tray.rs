//! The tray icon, on a desktop that shows icons and on one that does not.

use std::{collections::HashMap, path::Path, sync::Arc};

use fantoccini::Client;
use tokio::sync::Mutex;
use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt as _, EventMask};
use zbus::{
    Connection, Proxy,
    message::Header,
    zvariant::{OwnedObjectPath, OwnedValue, Value},
};

use crate::{
    bus::Bus,
    driver::{click, drive_with_env, press_ctrl, script, skip, wait_for, wait_until},
    prompt::{is_prompt_visible, save_display, xdotool},
};

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const SWITCH: &str = "input[aria-describedby=prompt-tray-problem]";

/// A registered icon: its owner and its path.
type Icon = Arc<Mutex<Option<(String, String)>>>;

struct Watcher(Icon);

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    async fn register_status_notifier_item(
        &self,
        path: String,
        #[zbus(header)] header: Header<'_>,
    ) {
        *self.0.lock().await = Some((header.sender().unwrap().to_string(), path));
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }
}

/// A menu item as sent over D-Bus: its number, its properties and its children.
type Item = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

/// The icon's menu as seen by the desktop.
struct Menu(Proxy<'static>);

impl Menu {
    async fn read(desktop: &Connection, (owner, path): (String, String)) -> Self {
        let icon =
            Proxy::new(desktop, owner.clone(), path, "org.kde.StatusNotifierItem").await.unwrap();
        let menu: OwnedObjectPath = icon.get_property("Menu").await.unwrap();
        Self(Proxy::new(desktop, owner, menu, "com.canonical.dbusmenu").await.unwrap())
    }

    async fn lines(&self) -> Vec<(i32, String)> {
        let arguments = (0_i32, -1_i32, Vec::<&str>::new());
        let (_, (_, _, lines)): (u32, Item) = self.0.call("GetLayout", &arguments).await.unwrap();
        let numbered_label = |line: OwnedValue| {
            let (number, properties, _) = Item::try_from(line).unwrap();
            (
                number,
                properties
                    .get("label")
                    .map(|l| l.to_string().trim_matches('"').to_owned())
                    .unwrap_or_default(),
            )
        };
        lines.into_iter().map(numbered_label).collect()
    }

    async fn choose(&self, text: &str) {
        let (number, _) = self.lines().await.into_iter().find(|(_, label)| label == text).unwrap();
        self.0
            .call::<_, _, ()>("Event", &(number, "clicked", Value::from(0_i32), 0_u32))
            .await
            .unwrap();
    }
}

/// Returns whether this machine has the library for tray icons.
fn has_library() -> bool {
    let subfolders =
        std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders = subfolders.chain(["/usr/lib", "/usr/lib64"].map(Into::into));
    folders.any(|folder| folder.join("libayatana-appindicator3.so.1").is_file())
}

/// Starts a bus for a fake desktop; skips the test if the bus or the library is missing.
fn start_bus(home: &Path) -> Option<Bus> {
    if !has_library() {
        return skip("libayatana-appindicator3 is missing");
    }
    Bus::start(home).or_else(|| skip("dbus-daemon is missing"))
}

async fn enable_icon(window: &Client) {
    wait_for(window, "#hit-0").await;
    press_ctrl(window, '6').await;
    wait_until("the icon can be switched on", async || {
        script(window, &format!("return document.querySelector('{SWITCH}')?.disabled === false"))
            .await
            == true
    })
    .await;
    click(window, SWITCH).await;
}

fn is_main_visible() -> bool {
    xdotool(&["search", "--onlyvisible", "--name", "^Precedent$"]).is_some()
}

/// Asks a window to close, like its close button.
fn close_window(window: u32) {
    let (display, _) = x11rb::connect(None).unwrap();
    let atom =
        |name: &str| display.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
    let data = [atom("WM_DELETE_WINDOW"), x11rb::CURRENT_TIME, 0, 0, 0];
    let event = ClientMessageEvent::new(32, window, atom("WM_PROTOCOLS"), data);
    display.send_event(false, window, EventMask::NO_EVENT, event).unwrap().check().unwrap();
}

fn start_args(home: &Path) -> [String; 4] {
    let casebook = home.join("casebook");
    [
        "--casebook".to_owned(),
        casebook.to_str().unwrap().to_owned(),
        "--sample".to_owned(),
        "--alone".to_owned(),
    ]
}

#[tokio::test]
async fn tray_icon_keeps_the_program_running() {
    let home = tempfile::tempdir().unwrap();
    let Some(bus) = start_bus(home.path()) else { return };
    let (desktop, icon) = (bus.connect().await, Icon::default());
    desktop.object_server().at("/StatusNotifierWatcher", Watcher(Arc::clone(&icon))).await.unwrap();
    desktop.request_name(WATCHER).await.unwrap();
    let env = [("GTK_THEME", "Adwaita"), ("DBUS_SESSION_BUS_ADDRESS", bus.address.as_str())];
    let args = start_args(home.path());
    let args = args.each_ref().map(String::as_str);
    drive_with_env(home.path(), &env, &args, async move |window| {
        assert!(icon.lock().await.is_none(), "no icon before it is switched on");
        enable_icon(&window).await;
        wait_until("the desktop has the icon", async || icon.lock().await.is_some()).await;
        let menu = Menu::read(&desktop, icon.lock().await.clone().unwrap()).await;
        let lines: Vec<_> = menu.lines().await.into_iter().map(|(_, label)| label).collect();
        assert_eq!(lines, ["Ask…", "Open Precedent", "Quit Precedent"]);

        assert!(!is_prompt_visible());
        menu.choose("Ask…").await;
        wait_until("the prompt is visible", async || is_prompt_visible()).await;
        save_display("tray.png");
        // A page that was just shown may miss a key.
        wait_until("the prompt is hidden", async || {
            press_in_prompt("Escape").await;
            !is_prompt_visible()
        })
        .await;

        assert!(is_main_visible());
        let main_window = xdotool(&["search", "--onlyvisible", "--name", "^Precedent$"]).unwrap();
        close_window(main_window.trim().parse().unwrap());
        wait_until("the window is hidden", async || !is_main_visible()).await;
        menu.choose("Open Precedent").await;
        wait_until("the window is visible", async || is_main_visible()).await;
        assert!(
            script(&window, &format!("return document.querySelector('{SWITCH}').checked")).await
                == true
        );
    })
    .await;
}

async fn press_in_prompt(key: &str) {
    let prompt = xdotool(&["search", "--onlyvisible", "--name", "^Ask Precedent$"]);
    let Some(prompt) = prompt else { return };
    // Without a window manager, the top window does not get the focus.
    xdotool(&["windowfocus", "--sync", prompt.trim()]);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    if is_prompt_visible() {
        xdotool(&["key", key]);
    }
}

#[tokio::test]
async fn missing_tray_support_is_reported() {
    let home = tempfile::tempdir().unwrap();
    let Some(bus) = start_bus(home.path()) else { return };
    let env = [("GTK_THEME", "Adwaita"), ("DBUS_SESSION_BUS_ADDRESS", bus.address.as_str())];
    let args = start_args(home.path());
    let args = args.each_ref().map(String::as_str);
    drive_with_env(home.path(), &env, &args, async |window| {
        enable_icon(&window).await;
        wait_until("the problem is reported", async || {
            let section_text =
                "return document.querySelector('section[aria-labelledby=anywhere]').textContent";
            script(&window, section_text)
                .await
                .as_str()
                .is_some_and(|s| s.contains("does not show tray icons"))
        })
        .await;
    })
    .await;
}
