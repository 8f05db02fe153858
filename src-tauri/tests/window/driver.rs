//! Opens the program in a home of its own, and drives its window.

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

/// One window at a time: they share the display's keyboard focus.
static DISPLAY: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// The key of each view, and what is there once it has something to show of the sample.
pub const VIEWS: [(char, &str); 6] = [
    ('1', "#hit-0"),
    ('2', ".triage :is(.blank, .compare)"),
    ('3', ".notes .blank"),
    ('4', ".detail"),
    ('5', ".problems :is(#problem-0, .blank)"),
    ('6', "section[aria-labelledby=storage]"),
];

const PATIENCE: Duration = Duration::from_secs(60);

/// Opens the program in a home of its own, hands the window to `steps` and closes it whatever
/// became of them.
pub async fn drive(
    home: &Path,
    theme: &str,
    args: &[&str],
    steps: impl AsyncFnOnce(Client) + 'static,
) {
    // A window that the user has open does not concern the tests.
    drive_whole(home, theme, &[args, &["--alone"]].concat(), steps).await;
}

/// Opens the program so on the sample.
pub async fn drive_sample(home: &Path, theme: &str, steps: impl AsyncFnOnce(Client) + 'static) {
    let casebook = home.join("casebook");
    drive(home, theme, &["--casebook", casebook.to_str().unwrap(), "--sample"], steps).await;
}

/// Waits until the first search is answered and the jobs have ended.
pub async fn at_rest(window: &Client) {
    wait_for(window, "#hit-0").await;
    jobs_end(window).await;
}

/// As [`drive`], as people start it: one window for all starts, which remembers where it was.
pub async fn drive_whole(
    home: &Path,
    theme: &str,
    args: &[&str],
    steps: impl AsyncFnOnce(Client) + 'static,
) {
    drive_under(home, &[("GTK_THEME", theme)], args, steps).await;
}

/// As [`drive_whole`], on a desktop that these variables tell of.
pub async fn drive_under(
    home: &Path,
    desktop: &[(&str, &str)],
    args: &[&str],
    steps: impl AsyncFnOnce(Client) + 'static,
) {
    let _display = DISPLAY.lock().await;
    let Some(driver) = Driver::start(home, desktop) else { return };
    let window = driver.open(args).await;
    let client = window.clone();
    let local = LocalSet::new();
    let outcome =
        local.run_until(async { spawn_local(async move { steps(client).await }).await }).await;
    if outcome.is_err() {
        shot(&window, "failed").await;
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
    fn start(home: &Path, desktop: &[(&str, &str)]) -> Option<Self> {
        if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
            return skip("there is no display; run it under xvfb-run");
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let driver = Command::new("WebKitWebDriver")
            .args([format!("--port={port}"), "--host=127.0.0.1".to_owned()])
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .envs(desktop.iter().copied())
            .env("HOME", home)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            // The harder locale: the language is "C" and `Intl` throws.
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
        let began = Instant::now();
        loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            match builder.capabilities(capabilities.clone()).connect(&url).await {
                Ok(window) => return window,
                Err(error) if began.elapsed() > PATIENCE => {
                    panic!("the window did not open: {error}")
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
    }
}

impl Drop for Driver {
    /// Ends the driver and its program, which would otherwise keep the keyboard focus.
    fn drop(&mut self) {
        let group = format!("-{}", self.process.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Says that a test cannot be done here, or fails where all have to be.
pub fn skip<T>(why: &str) -> Option<T> {
    assert!(std::env::var_os("PRECEDENT_WINDOW_TESTS").is_none_or(|v| v != "required"), "{why}");
    eprintln!("SKIPPED: {why}");
    None
}

pub async fn wait_until(condition: &str, is_so: impl AsyncFn() -> bool) {
    wait_at_most(PATIENCE, condition, is_so).await;
}

pub async fn wait_at_most(patience: Duration, condition: &str, is_so: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < patience, "waited in vain until {condition}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until the jobs have ended, however long they take, as long as they make progress.
pub async fn jobs_end(window: &Client) {
    let mut last = (String::new(), Instant::now());
    while is_there(window, "footer progress").await {
        let footer = text(window, "footer").await;
        if footer != last.0 {
            last = (footer, Instant::now());
        }
        assert!(last.1.elapsed() < PATIENCE, "the jobs made no progress: {}", last.0);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub async fn wait_for(window: &Client, css: &str) -> Element {
    match window.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await {
        Ok(element) => element,
        Err(error) => panic!("{css} did not appear: {error}"),
    }
}

pub async fn is_there(window: &Client, css: &str) -> bool {
    window.find(Locator::Css(css)).await.is_ok()
}

pub async fn click(window: &Client, css: &str) {
    wait_for(window, css).await.click().await.unwrap();
}

/// Returns the texts of all elements in one call, as elements may be replaced between two calls.
pub async fn texts(window: &Client, css: &str) -> Vec<String> {
    let ask = "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent.trim())";
    serde_json::from_value(window.execute(ask, vec![json!(css)]).await.unwrap()).unwrap()
}

pub async fn script(window: &Client, script: &str) -> Value {
    window.execute(script, Vec::new()).await.unwrap()
}

/// Returns the program: `PRECEDENT_WINDOW` or the one built with this test.
pub fn program() -> PathBuf {
    std::env::var_os("PRECEDENT_WINDOW")
        .map_or_else(|| env!("CARGO_BIN_EXE_precedent-desktop").into(), PathBuf::from)
}

/// Keeps what the window looks like in `target/screenshots`, or in the folder that
/// `PRECEDENT_SHOTS` names.
pub async fn shot(window: &Client, name: &str) {
    let folder = std::env::var_os("PRECEDENT_SHOTS").map_or_else(
        || PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots"),
        PathBuf::from,
    );
    std::fs::create_dir_all(&folder).unwrap();
    let after_paint = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))";
    let _ = window.execute_async(after_paint, Vec::new()).await;
    // A closed window has no picture; the caller reports the reason.
    if let Ok(png) = picture(window).await {
        std::fs::write(folder.join(name).with_extension("png"), png).unwrap();
    }
}

/// What the window looks like, as PNG. Where it paints without layers, a picture is taken when the
/// page is painted the next time, and a page that stands still never is: so one pixel of it changes
/// meanwhile.
pub async fn picture(window: &Client) -> Result<Vec<u8>, CmdError> {
    let begin = "const dot = document.body.appendChild(document.createElement('i'));
        Object.assign(dot.style, { position: 'fixed', right: 0, bottom: 0, width: '1px', height: '1px' });
        let odd = false;
        const paints = setInterval(() => (dot.style.background = (odd = !odd) ? 'rgb(0 0 0 / 1%)' : 'transparent'), 30);
        window.endPicture = () => { clearInterval(paints); dot.remove() }";
    window.execute(begin, Vec::new()).await?;
    let png = window.screenshot().await?;
    window.execute("window.endPicture()", Vec::new()).await?;
    Ok(png)
}

/// Presses keys wherever the focus is, as a person would.
pub async fn press(window: &Client, keys: &str) {
    let mut actions = KeyActions::new("keys".to_owned());
    for key in keys.chars() {
        actions = actions.then(KeyAction::Down { value: key }).then(KeyAction::Up { value: key });
    }
    window.perform_actions(actions).await.unwrap();
}

/// Presses a key while Ctrl is down.
pub async fn press_ctrl(window: &Client, key: char) {
    press_with(window, Key::Control, key).await;
}

/// Presses a key while another one is down.
pub async fn press_with(window: &Client, modifier: Key, key: char) {
    let modifier = char::from(modifier);
    let actions = KeyActions::new("keys".to_owned())
        .then(KeyAction::Down { value: modifier })
        .then(KeyAction::Down { value: key })
        .then(KeyAction::Up { value: key })
        .then(KeyAction::Up { value: modifier });
    window.perform_actions(actions).await.unwrap();
}

/// Returns the text of the first such element; empty if there is none.
pub async fn text(window: &Client, css: &str) -> String {
    texts(window, css).await.into_iter().next().unwrap_or_default()
}

/// Clicks the first element with this text.
pub async fn click_words(window: &Client, css: &str, words: &str) {
    let ask = "const found = [...document.querySelectorAll(arguments[0])]
        .find((element) => element.textContent.trim().includes(arguments[1]));
        found?.click(); return found !== undefined";
    let arguments = [json!(css), json!(words)];
    wait_until(&format!("{css} says {words}"), async || {
        window.execute(ask, arguments.to_vec()).await.unwrap() == true
    })
    .await;
}
