//! Drives the real window, with the real engine behind it, through WebKitWebDriver.
//!
//! `xvfb-run -a -s '-screen 0 1280x900x24 -nolisten tcp' dbus-run-session -- cargo test -p precedent-desktop`
//!
//! Without a display or the driver it says so and passes; `PRECEDENT_WINDOW_TESTS=required` makes that a failure.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "the test reads the environment that it runs in")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    net::TcpListener,
    panic::resume_unwind,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use fantoccini::{Client, ClientBuilder, Locator, elements::Element, key::Key};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::task::{LocalSet, spawn_local};

/// One window at a time: they share the display's keyboard focus.
static DISPLAY: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

const PATIENCE: Duration = Duration::from_secs(60);
const BOX: &str = "#query";

#[tokio::test]
async fn a_question_leads_to_the_comment_that_answers_it() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap(), "--sample"];
    drive(home.path(), "Adwaita", &args, async |window| {
        let url = window.current_url().await.unwrap();
        assert!(url.as_str().starts_with("tauri://localhost"), "{url}");
        assert_eq!(window.title().await.unwrap(), "Precedent");

        // The sample comes in by itself, and the recent documents stand there before anything is typed.
        let search = wait_for(&window, BOX).await;
        wait_for(&window, "#hit-0").await;
        wait_until("the box has the focus", async || {
            window.active_element().await.is_ok_and(|active| active.element_id() == search.element_id())
        })
        .await;
        shot(&window, "recent").await;

        search.send_keys("certificate signed by unknown authority").await.unwrap();
        wait_until("the results answer the query", async || {
            texts(&window, ".hit .title")
                .await
                .first()
                .is_some_and(|t| t.to_lowercase().contains("certificate"))
        })
        .await;
        wait_until("the search has come to rest", async || !is_there(&window, ".box.pending").await).await;
        shot(&window, "results").await;

        let first = texts(&window, ".hit .title").await.remove(0);
        search.send_keys(&char::from(Key::Down).to_string()).await.unwrap();
        wait_for(&window, "#hit-0[aria-selected=true]").await;
        search.send_keys(&char::from(Key::Enter).to_string()).await.unwrap();
        wait_until("the reading pane shows the thread", async || {
            texts(&window, "article h2").await.first() == Some(&first)
        })
        .await;
        wait_until("its comments are there", async || texts(&window, "article .comment").await.len() > 1)
            .await;
        wait_until("the pane has the focus", async || {
            script(&window, "return document.activeElement.tagName").await == "ARTICLE"
        })
        .await;
        shot(&window, "window").await;

        // Keys act on the thread now; then back to the box.
        let pane = window.active_element().await.unwrap();
        pane.send_keys("n").await.unwrap();
        wait_for(&window, ".comment:focus").await.send_keys("/").await.unwrap();
        wait_until("the box has the focus again", async || {
            script(&window, "return document.activeElement.id").await == "query"
        })
        .await;

        // A filter is added by click and shows in the query.
        click(&window, "button[title='is:open']").await;
        wait_until("the filter is in the query", async || {
            script(&window, "return document.querySelector('#query').value.endsWith(' is:open')").await
                == true
        })
        .await;

        // The whole casebook becomes searchable in the end, and the bar says so.
        wait_until("the job ends", async || !is_there(&window, "footer progress").await).await;
        let bar = texts(&window, "footer .coverage").await.join("");
        assert!(bar.starts_with("full text "), "{bar}");
        shot(&window, "filtered").await;

        a_narrow_window_shows_one_of_the_two(&window).await;
        the_window_is_sealed(&window).await;
    })
    .await;
}

#[tokio::test]
async fn a_casebook_that_cannot_be_opened_can_be_tried_again() {
    let home = tempfile::tempdir().unwrap();
    // A file stands where the folder is to be.
    let casebook = home.path().join("casebook");
    std::fs::write(&casebook, "not a folder").unwrap();
    let folder = casebook.to_str().unwrap().to_owned();
    drive(home.path(), "Adwaita:dark", &["--casebook", &folder.clone()], async move |window| {
        wait_for(&window, "[role=alert]").await;
        let said = texts(&window, "main").await.join("");
        assert!(said.contains("could not be opened") && said.contains(&folder), "{said}");
        shot(&window, "closed").await;

        let dark = "return matchMedia('(prefers-color-scheme: dark)').matches";
        assert_eq!(script(&window, dark).await, true);

        std::fs::remove_file(&folder).unwrap();
        click(&window, "button.primary").await;
        wait_for(&window, ".welcome").await;
        let said = texts(&window, ".welcome").await.join("");
        assert!(
            said.contains("Open the sample casebook") && said.contains("precedent import github"),
            "{said}"
        );
        shot(&window, "welcome").await;
    })
    .await;
}

/// Below 900 pixels there is a list, or a thread with the way back.
async fn a_narrow_window_shows_one_of_the_two(window: &Client) {
    click(window, "button[title='is:open']").await;
    window.set_window_size(800, 600).await.unwrap();
    wait_until("one column is left", async || {
        !is_there(window, ".results").await || !is_there(window, "article").await
    })
    .await;
    wait_for(window, BOX).await.send_keys(&char::from(Key::Enter).to_string()).await.unwrap();
    wait_until("the thread is alone", async || {
        is_there(window, "article h2").await && !is_there(window, ".results").await
    })
    .await;
    shot(window, "narrow").await;
    wait_for(window, "article").await.send_keys(&char::from(Key::Escape).to_string()).await.unwrap();
    wait_until("the list is alone", async || {
        is_there(window, ".results").await && !is_there(window, "article").await
    })
    .await;
}

/// Whatever tracker text might try from inside, the window reaches nothing and goes nowhere.
async fn the_window_is_sealed(window: &Client) {
    assert_eq!(script(window, "return typeof window.__TAURI__").await, "undefined");
    let fetched = "const done = arguments[0];
        fetch('http://127.0.0.1:9/').then(() => done('reached'), (error) => done(String(error)))";
    let answer = window.execute_async(fetched, Vec::new()).await.unwrap();
    assert!(answer.as_str().is_some_and(|a| a != "reached"), "{answer}");
    let image = "const done = arguments[0];
        document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective), { once: true });
        const image = new Image(); image.src = 'http://127.0.0.1:9/spy.png'; document.body.append(image)";
    assert_eq!(window.execute_async(image, Vec::new()).await.unwrap(), "img-src");
    let inline =
        "const script = document.createElement('script'); script.textContent = 'window.owned = true';
        document.body.append(script); return window.owned === true";
    assert_eq!(script(window, inline).await, false);
    let _ = window.execute("location.href = 'http://127.0.0.1:9/'", Vec::new()).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let url = window.current_url().await.unwrap();
    assert!(url.as_str().starts_with("tauri://localhost"), "{url}");
    let refused = "const done = arguments[0];
        window.__TAURI_INTERNALS__.invoke('plugin:window|close').then(() => done('allowed'), (error) => done(String(error)))";
    let answer = window.execute_async(refused, Vec::new()).await.unwrap();
    assert!(answer.as_str().is_some_and(|a| a.contains("not allowed")), "{answer}");
}

/// Opens the program in a home of its own, hands the window to `steps` and closes it whatever became of them.
async fn drive(home: &Path, theme: &str, args: &[&str], steps: impl AsyncFnOnce(Client) + 'static) {
    let _display = DISPLAY.lock().await;
    let Some(driver) = Driver::start(home, theme) else { return };
    let window = driver.open(args).await;
    let given = window.clone();
    let apart = LocalSet::new();
    let outcome = apart.run_until(async { spawn_local(async move { steps(given).await }).await }).await;
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
    /// Nothing where this machine has no display or no driver.
    fn start(home: &Path, theme: &str) -> Option<Self> {
        if std::env::var_os("DISPLAY").is_none() && std::env::var_os("WAYLAND_DISPLAY").is_none() {
            return skip("there is no display; run it under xvfb-run");
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let started = Command::new("WebKitWebDriver")
            .args([format!("--port={port}"), "--host=127.0.0.1".to_owned()])
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("GTK_THEME", theme)
            .env("HOME", home)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            // The harder locale: the language is "C" and `Intl` throws.
            .env("LANG", "C.UTF-8")
            .env_remove("LC_ALL")
            .env_remove("LANGUAGE")
            .env_remove("PRECEDENT_CASEBOOK")
            .stdout(Stdio::null())
            .spawn();
        match started {
            Ok(process) => Some(Self { process, port }),
            Err(error) => skip(&format!("WebKitWebDriver: {error}; install webkit2gtk-driver")),
        }
    }

    async fn open(&self, args: &[&str]) -> Client {
        let program = env!("CARGO_BIN_EXE_precedent-desktop");
        let options = json!({ "webkitgtk:browserOptions": { "binary": program, "args": args } });
        let Value::Object(capabilities) = options else { unreachable!() };
        let url = format!("http://127.0.0.1:{}", self.port);
        let began = Instant::now();
        loop {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            match builder.capabilities(capabilities.clone()).connect(&url).await {
                Ok(window) => return window,
                Err(error) if began.elapsed() > PATIENCE => panic!("the window did not open: {error}"),
                Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
            }
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn skip<T>(why: &str) -> Option<T> {
    assert!(std::env::var_os("PRECEDENT_WINDOW_TESTS").is_none_or(|v| v != "required"), "{why}");
    eprintln!("SKIPPED: {why}");
    None
}

async fn wait_until(what: &str, is_so: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < PATIENCE, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn wait_for(window: &Client, css: &str) -> Element {
    match window.wait().at_most(PATIENCE).for_element(Locator::Css(css)).await {
        Ok(element) => element,
        Err(error) => panic!("{css} did not appear: {error}"),
    }
}

async fn is_there(window: &Client, css: &str) -> bool {
    window.find(Locator::Css(css)).await.is_ok()
}

async fn click(window: &Client, css: &str) {
    wait_for(window, css).await.click().await.unwrap();
}

/// The texts of all elements, as one answer: they may be replaced between two questions.
async fn texts(window: &Client, css: &str) -> Vec<String> {
    let ask =
        "return [...document.querySelectorAll(arguments[0])].map((element) => element.textContent.trim())";
    serde_json::from_value(window.execute(ask, vec![json!(css)]).await.unwrap()).unwrap()
}

async fn script(window: &Client, script: &str) -> Value {
    window.execute(script, Vec::new()).await.unwrap()
}

/// Keeps what the window looks like in `target/screenshots`.
async fn shot(window: &Client, name: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    let painted =
        "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))";
    let _ = window.execute_async(painted, Vec::new()).await;
    if let Ok(png) = window.screenshot().await {
        std::fs::write(folder.join(name).with_extension("png"), png).unwrap();
    }
}
