//! Integration with the desktop: a single instance, links, window state and notifications.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};

use precedent_core::Task;
use precedent_engine::{Casebook, OpenOptions};
use serde_json::json;

use crate::{
    driver::{
        click, click_text, drive_single_instance, press, program, script, text, texts, wait_for,
        wait_until,
    },
    fake_github::{FakeGitHub, Fault},
    sources::fill,
};

async fn create_sample(folder: &Path) {
    let casebook = Casebook::open(OpenOptions::new(folder)).await.unwrap();
    casebook.import_sample(&Task::new()).await.unwrap();
}

#[tokio::test]
async fn link_opens_in_the_existing_window() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    create_sample(&casebook).await;
    let folder = casebook.to_str().unwrap().to_owned();
    let second_start = (folder.clone(), home.path().to_owned());
    let args = ["--casebook", &folder, "precedent://item/ferrywire/ferrywire%232"];
    drive_single_instance(home.path(), "Adwaita", &args, async move |window| {
        let shown_key = async || text(&window, "article .where").await;
        wait_until("the first link is shown", async || shown_key().await.contains("#2")).await;

        // A second start passes its link to the first and exits.
        let (folder, home) = second_start;
        let status = Command::new(program())
            .args(["--casebook", &folder, "precedent://item/ferrywire/ferrywire#13"])
            .env("HOME", &home)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{status}");
        wait_until("the second link is shown", async || shown_key().await.contains("#13")).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "needs a separate display and bus; see docs/develop/testing.md"]
async fn window_size_is_restored() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    // The program writes this state on close, but the driver kills it.
    let state = json!({ "main": {
        "width": 1111, "height": 777, "x": 30, "y": 40, "prev_x": 0, "prev_y": 0,
        "maximized": false, "visible": true, "decorated": true, "fullscreen": false,
    }});
    let folder = home.path().join("config/net.precedent.desktop");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(".window-state.json"), state.to_string()).unwrap();
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive_single_instance(home.path(), "Adwaita", &args, async move |window| {
        wait_for(&window, ".welcome").await;
        wait_until("the size is restored", async || {
            script(&window, "return [innerWidth, innerHeight]").await == json!([1111, 777])
        })
        .await;
    })
    .await;
}

/// A monitor of the messages on the session bus.
struct BusMonitor {
    monitor: Child,
    messages: Arc<Mutex<String>>,
}

impl BusMonitor {
    /// Starts the monitor; `None` without a session bus.
    fn start() -> Option<Self> {
        let mut monitor = Command::new("dbus-monitor")
            .args(["--session", "interface='org.freedesktop.Notifications'"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()
            .filter(|_| std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some())?;
        let messages = Arc::new(Mutex::new(String::new()));
        let (lines, sink) = (BufReader::new(monitor.stdout.take()?).lines(), Arc::clone(&messages));
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                sink.lock().unwrap().push_str(&line);
            }
        });
        Some(Self { monitor, messages })
    }
}

impl Drop for BusMonitor {
    fn drop(&mut self) {
        let _ = self.monitor.kill();
        let _ = self.monitor.wait();
    }
}

#[tokio::test]
#[ignore = "needs a separate display and bus; see docs/develop/testing.md"]
async fn long_job_notifies_when_unfocused() {
    let Some(bus) = BusMonitor::start() else {
        assert!(
            std::env::var_os("PRECEDENT_WINDOW_TESTS").is_none_or(|v| v != "required"),
            "no session bus"
        );
        eprintln!("SKIPPED: there is no session bus, or no dbus-monitor");
        return;
    };
    let github = FakeGitHub::new("acme/pump");
    github.world().fill(12, 20);
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap(), "--alone"];
    drive_single_instance(home.path(), "Adwaita", &args, async move |window| {
        wait_for(&window, ".welcome").await;
        click_text(&window, ".welcome button", "Connect a tracker").await;
        fill(&window, "#add-project", "acme/pump").await;
        fill(&window, "#add-host", &github.host).await;
        click(&window, ".add input[type=checkbox]").await;
        press(&window, "\u{e007}").await;
        wait_until("the source is synced", async || {
            texts(&window, ".toasts .toast").await.iter().any(|t| t.contains("new or changed"))
        })
        .await;
        // The delay is long enough for a notification.
        github.fail("/issues", 1, Fault::Slow(Duration::from_secs(16)));
        click_text(&window, ".detail .buttons button", "Sync").await;
        // Move the keyboard focus to the root window.
        let focus_root = ["search", "--maxdepth", "0", ".*", "windowfocus"];
        wait_until("the window has no focus", async || {
            assert!(Command::new("xdotool").args(focus_root).status().unwrap().success());
            script(&window, "return document.hasFocus()").await == false
        })
        .await;
        wait_until("the notification is sent", async || {
            bus.messages.lock().unwrap().contains("Sync finished")
        })
        .await;
    })
    .await;
}
