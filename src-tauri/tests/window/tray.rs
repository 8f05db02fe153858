//! The icon in the tray: a desktop that shows icons, and one that does not.

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
    driver::{click, drive_under, press_ctrl, script, skip, wait_for, wait_until},
    prompt::{display, is_seen, keep_display},
};

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
const SWITCH: &str = "input[aria-describedby=prompt-tray-problem]";

/// An icon that was handed in: whose it is, and where.
type Icon = Arc<Mutex<Option<(String, String)>>>;

struct Watcher(Icon);

#[zbus::interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    async fn register_status_notifier_item(&self, at: String, #[zbus(header)] header: Header<'_>) {
        *self.0.lock().await = Some((header.sender().unwrap().to_string(), at));
    }

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }
}

/// A line of a menu, as the bus carries it: its number, what is known of it, and the lines below
/// it.
type Line = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

/// The icon's menu as a desktop reads and answers it.
struct Menu(Proxy<'static>);

impl Menu {
    async fn of(desktop: &Connection, (owner, at): (String, String)) -> Self {
        let icon =
            Proxy::new(desktop, owner.clone(), at, "org.kde.StatusNotifierItem").await.unwrap();
        let menu: OwnedObjectPath = icon.get_property("Menu").await.unwrap();
        Self(Proxy::new(desktop, owner, menu, "com.canonical.dbusmenu").await.unwrap())
    }

    async fn lines(&self) -> Vec<(i32, String)> {
        let arguments = (0_i32, -1_i32, Vec::<&str>::new());
        let (_, (_, _, lines)): (u32, Line) = self.0.call("GetLayout", &arguments).await.unwrap();
        let numbered_label = |line: OwnedValue| {
            let (number, properties, _) = Line::try_from(line).unwrap();
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
    let below =
        std::fs::read_dir("/usr/lib").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut places = below.chain(["/usr/lib", "/usr/lib64"].map(Into::into));
    places.any(|place| place.join("libayatana-appindicator3.so.1").is_file())
}

/// Starts a bus for the test's own desktop; prints a notice and returns `None` if a part is
/// missing.
fn bus(home: &Path) -> Option<Bus> {
    if !has_library() {
        return skip("libayatana-appindicator3 is missing");
    }
    Bus::start(home).or_else(|| skip("there is no dbus-daemon"))
}

async fn switch_on(window: &Client) {
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

fn is_main_seen() -> bool {
    display(&["search", "--onlyvisible", "--name", "^Precedent$"]).is_some()
}

/// Asks a window to close, as the button of its frame does.
fn close(window: u32) {
    let (display, _) = x11rb::connect(None).unwrap();
    let atom =
        |name: &str| display.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
    let words = [atom("WM_DELETE_WINDOW"), x11rb::CURRENT_TIME, 0, 0, 0];
    let event = ClientMessageEvent::new(32, window, atom("WM_PROTOCOLS"), words);
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
    let Some(bus) = bus(home.path()) else { return };
    let (desktop, icon) = (bus.join().await, Icon::default());
    desktop.object_server().at("/StatusNotifierWatcher", Watcher(Arc::clone(&icon))).await.unwrap();
    desktop.request_name(WATCHER).await.unwrap();
    let surroundings =
        [("GTK_THEME", "Adwaita"), ("DBUS_SESSION_BUS_ADDRESS", bus.address.as_str())];
    let args = start_args(home.path());
    let args = args.each_ref().map(String::as_str);
    drive_under(home.path(), &surroundings, &args, async move |window| {
        assert!(icon.lock().await.is_none(), "no icon before it is switched on");
        switch_on(&window).await;
        wait_until("the desktop has the icon", async || icon.lock().await.is_some()).await;
        let menu = Menu::of(&desktop, icon.lock().await.clone().unwrap()).await;
        let lines: Vec<_> = menu.lines().await.into_iter().map(|(_, label)| label).collect();
        assert_eq!(lines, ["Ask…", "Open Precedent", "Quit Precedent"]);

        assert!(!is_seen());
        menu.choose("Ask…").await;
        wait_until("the prompt is there", async || is_seen()).await;
        keep_display("tray.png");
        // A page that has just been shown may miss a key.
        wait_until("the prompt is away", async || {
            press_in_prompt("Escape").await;
            !is_seen()
        })
        .await;

        assert!(is_main_seen());
        let main = display(&["search", "--onlyvisible", "--name", "^Precedent$"]).unwrap();
        close(main.trim().parse().unwrap());
        wait_until("the window is hidden", async || !is_main_seen()).await;
        menu.choose("Open Precedent").await;
        wait_until("the window is back", async || is_main_seen()).await;
        assert!(
            script(&window, &format!("return document.querySelector('{SWITCH}').checked")).await
                == true
        );
    })
    .await;
}

async fn press_in_prompt(key: &str) {
    let prompt = display(&["search", "--onlyvisible", "--name", "^Ask Precedent$"]);
    let Some(prompt) = prompt else { return };
    // Without a window manager nothing gives the focus to what is on top.
    display(&["windowfocus", "--sync", prompt.trim()]);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    if is_seen() {
        display(&["key", key]);
    }
}

#[tokio::test]
async fn missing_tray_support_is_reported() {
    let home = tempfile::tempdir().unwrap();
    let Some(bus) = bus(home.path()) else { return };
    let surroundings =
        [("GTK_THEME", "Adwaita"), ("DBUS_SESSION_BUS_ADDRESS", bus.address.as_str())];
    let args = start_args(home.path());
    let args = args.each_ref().map(String::as_str);
    drive_under(home.path(), &surroundings, &args, async |window| {
        switch_on(&window).await;
        wait_until("it is said", async || {
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
