//! Starts the program in a temporary home folder and drives its window.

use std::{
    net::TcpListener,
    os::unix::process::CommandExt as _,
    panic::resume_unwind,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use fantoccini::{
    Client, ClientBuilder, Locator,
    actions::{InputSource as _, KeyAction, KeyActions},
    elements::Element,
    error::CmdError,
    key::Key,
};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::task::{LocalSet, spawn_local};

/// Only one window is open at a time, because windows share the keyboard focus.
static DISPLAY: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// The key of each view, and an element that appears once the view shows the sample.
pub const VIEWS: [(char, &str); 6] = [
    ('1', "#hit-0"),
    ('2', ".triage :is(.blank, .compare)"),
    ('3', ".notes .blank"),
    ('4', ".detail"),
    ('5', ".problems :is(#problem-0, .blank)"),
    ('6', "section[aria-labelledby=storage]"),
];

const TIMEOUT: Duration = Duration::from_secs(60);

/// Starts the program in this home, runs `steps` on its window, and closes it even if they panic.
pub async fn drive(
    home: &Path,
    theme: &str,
    args: &[&str],
    steps: impl AsyncFnOnce(Client) + 'static,
) {
    // The user's own window must not affect the tests.
    drive_single_instance(home, theme, &[args, &["--alone"]].concat(), steps).await;
}

/// Like [`drive`], with the sample.
pub async fn drive_sample(home: &Path, theme: &str, steps: impl AsyncFnOnce(Client) + 'static) {
    let casebook = home.join("casebook");
    drive(home, theme, &["--casebook", casebook.to_str().unwrap(), "--sample"], steps).await;
}

/// Waits until the first search is answered and no job runs.
pub async fn wait_until_ready(window: &Client) {
    wait_for(window, "#hit-0").await;
    wait_for_jobs(window).await;
}

/// Like [`drive`], but with a single instance that saves its window position.
pub async fn drive_single_instance(
    home: &Path,
    theme: &str,
    args: &[&str],
    steps: impl AsyncFnOnce(Client) + 'static,
) {
    drive_with_env(home, &[("GTK_THEME", theme)], args, steps).await;
}

/// Like [`drive_single_instance`], with these environment variables.
pub async fn drive_with_env(
    home: &Path,
    env: &[(&str, &str)],
    args: &[&str],
    steps: impl AsyncFnOnce(Client) + 'static,
) {
    let _display = DISPLAY.lock().await;
    let Some(driver) = Driver::start(home, env) else { return };
    let window = driver.open(args).await;
    let client = window.clone();
    let local = LocalSet::new();
    let outcome =
        local.run_until(async { spawn_local(async move { steps(client).await }).await }).await;
    if outcome.is_err() {
        screenshot(&window, "failed").await;
    }
    let _ = window.close().await;
    drop(driver);
    if let Err(error) = outcome {
        resume_unwind(error.into_panic());
    }
}

struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    /// Starts a driver; `None` without a display or a driver program.
    fn start(home: &Path, env: &[(&str, &str)]) -> Option<Self> {
        if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
            return skip("no display; use xvfb-run");
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let driver = Command::new("WebKitWebDriver")
            .args([format!("--port={port}"), "--host=127.0.0.1".to_owned()])
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .envs(env.iter().copied())
            .env("HOME", home)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            // In the C locale, `Intl` throws.
            .env("LANG", "C.UTF-8")
            .env_remove("LC_ALL")
            .env_remove("LANGUAGE")
            .env_remove("PRECEDENT_CASEBOOK")
            .env_remove("PRECEDENT_CONFIG")
            .stdout(Stdio::null())
            .process_group(0)
            .spawn();
        match driver {
            Ok(process) => Some(Self { process, port }),
            Err(error) => skip(&format!("WebKitWebDriver: {error}; install webkit2gtk-driver")),
        }
    }

    async fn open(&self, args: &[&str]) -> Client {
        let program = program();
        let options = json!({ "webkitgtk:browserOptions": { "binary": program, "args": args } });
        let Value::Object(capabilities) = options else { unreachable!() };
        let url = format!("http://127.0.0.1:{}", self.port);
        let start = Instant::now();
        loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            match builder.capabilities(capabilities.clone()).connect(&url).await {
                Ok(window) => return window,
                Err(error) if start.elapsed() > TIMEOUT => {
                    panic!("the window did not open: {error}")
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
    }
}

impl Drop for Driver {
    /// Kills the driver and its program, which would otherwise keep the keyboard focus.
    fn drop(&mut self) {
        let group = format!("-{}", self.process.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reports that a test cannot run here, or fails if all tests are required.
pub fn skip<T>(reason: &str) -> Option<T> {
    assert!(std::env::var_os("PRECEDENT_WINDOW_TESTS").is_none_or(|v| v != "required"), "{reason}");
    eprintln!("SKIPPED: {reason}");
    None
}

pub async fn wait_until(condition: &str, is_met: impl AsyncFn() -> bool) {
    wait_at_most(TIMEOUT, condition, is_met).await;
}

/// Waits until the first matching element contains a text.
pub async fn wait_for_text(window: &Client, css: &str, content: &str) {
    let condition = format!("{css} contains {content}");
    wait_until(&condition, async || text(window, css).await.contains(content)).await;
}

pub async fn wait_until_gone(window: &Client, css: &str) {
    wait_until(&format!("{css} is gone"), async || !exists(window, css).await).await;
}

pub async fn wait_at_most(timeout: Duration, condition: &str, is_met: impl AsyncFn() -> bool) {
    let start = Instant::now();
    while !is_met().await {
        assert!(start.elapsed() < timeout, "timed out waiting until {condition}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until no job runs, as long as the jobs make progress.
pub async fn wait_for_jobs(window: &Client) {
    let mut last = (String::new(), Instant::now());
    while exists(window, "footer progress").await {
        let footer = text(window, "footer").await;
        if footer != last.0 {
            last = (footer, Instant::now());
        }
        assert!(last.1.elapsed() < TIMEOUT, "the jobs made no progress: {}", last.0);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub async fn wait_for(window: &Client, css: &str) -> Element {
    match window.wait().at_most(TIMEOUT).for_element(Locator::Css(css)).await {
        Ok(element) => element,
        Err(error) => panic!("{css} did not appear: {error}"),
    }
}

pub async fn exists(window: &Client, css: &str) -> bool {
    window.find(Locator::Css(css)).await.is_ok()
}

pub async fn click(window: &Client, css: &str) {
    wait_for(window, css).await.click().await.unwrap();
}

/// Returns the texts of all elements in one call, as elements may be replaced between two calls.
pub async fn texts(window: &Client, css: &str) -> Vec<String> {
    let element_texts = "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent.trim())";
    serde_json::from_value(window.execute(element_texts, vec![json!(css)]).await.unwrap()).unwrap()
}

pub async fn script(window: &Client, script: &str) -> Value {
    window.execute(script, Vec::new()).await.unwrap()
}

/// Returns the path of the program: `PRECEDENT_WINDOW`, or the one built with this test.
pub fn program() -> PathBuf {
    std::env::var_os("PRECEDENT_WINDOW")
        .map_or_else(|| env!("CARGO_BIN_EXE_precedent-desktop").into(), PathBuf::from)
}

/// Saves a screenshot of the window to `target/screenshots`, or to the folder in `PRECEDENT_SHOTS`.
pub async fn screenshot(window: &Client, name: &str) {
    let folder = std::env::var_os("PRECEDENT_SHOTS").map_or_else(
        || PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots"),
        PathBuf::from,
    );
    std::fs::create_dir_all(&folder).unwrap();
    let after_paint = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))";
    let _ = window.execute_async(after_paint, Vec::new()).await;
    // A closed window has no screenshot; the caller reports the reason.
    if let Ok(png) = capture_png(window).await {
        std::fs::write(folder.join(name).with_extension("png"), png).unwrap();
    }
}

/// Returns a screenshot of the window as PNG.
///
/// Without compositing, the screenshot is taken at the next repaint, so one pixel keeps changing.
pub async fn capture_png(window: &Client) -> Result<Vec<u8>, CmdError> {
    let keep_repainting = "const dot = document.body.appendChild(document.createElement('i'));
        Object.assign(dot.style, { position: 'fixed', right: 0, bottom: 0, width: '1px', height: '1px' });
        let odd = false;
        const paints = setInterval(() => (dot.style.background = (odd = !odd) ? 'rgb(0 0 0 / 1%)' : 'transparent'), 30);
        window.endPicture = () => { clearInterval(paints); dot.remove() }";
    window.execute(keep_repainting, Vec::new()).await?;
    let png = window.screenshot().await?;
    window.execute("window.endPicture()", Vec::new()).await?;
    Ok(png)
}

/// Presses keys, which go to the focused element.
pub async fn press(window: &Client, keys: &str) {
    let mut actions = KeyActions::new("keys".to_owned());
    for key in keys.chars() {
        actions = actions.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
    }
    window.perform_actions(actions).await.unwrap();
}

/// Presses a key with Ctrl.
pub async fn press_ctrl(window: &Client, key: char) {
    press_with(window, Key::Control, key).await;
}

/// Presses a key with a modifier.
pub async fn press_with(window: &Client, modifier: Key, key: char) {
    let modifier = char::from(modifier);
    let actions = KeyActions::new("keys".to_owned())
        .then(KeyAction::Down { value: modifier })
        .then(KeyAction::Down { value: key })
        .then(KeyAction::Up { value: key })
        .then(KeyAction::Up { value: modifier });
    window.perform_actions(actions).await.unwrap();
}

/// Returns the text of the first matching element, or an empty text if there is none.
pub async fn text(window: &Client, css: &str) -> String {
    texts(window, css).await.into_iter().next().unwrap_or_default()
}

/// Clicks the first element with this text.
pub async fn click_text(window: &Client, css: &str, content: &str) {
    let click_matching = "const found = [...document.querySelectorAll(arguments[0])]
        .find((element) => element.textContent.trim().includes(arguments[1]));
        found?.click(); return found !== undefined";
    let arguments = [json!(css), json!(content)];
    wait_until(&format!("{css} contains {content}"), async || {
        window.execute(click_matching, arguments.to_vec()).await.unwrap() == true
    })
    .await;
}
