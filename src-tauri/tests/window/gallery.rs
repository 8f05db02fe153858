//! Screenshots of every view for docs/gallery.md, which this test generates.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
};

use fantoccini::{Client, key::Key};
use precedent_core::Task;
use precedent_engine::{Casebook, OpenOptions};
use serde_json::json;

use crate::{
    driver::{
        capture_png, click, drive, exists, press, press_ctrl, script, text, wait_for, wait_until,
        wait_until_gone,
    },
    files::{paste, read_log, write_log},
};

const REPORT: &str = "Agents do not connect since we replaced the certificate\n\
    ERROR fw_agent::link tls: invalid peer certificate: UnknownIssuer\n\
    Please answer to mika@customer.example, host 192.0.2.41.";

const SIZES: [(u32, u32); 2] = [(1600, 1000), (1024, 700)];
const THEMES: [&str; 2] = ["light", "dark"];

/// A script that leaves every request unanswered.
const SILENCE: &str = "window.fetch = () => new Promise(() => {})";
/// A script that makes every request fail as if the disk were damaged.
const FAILURE: &str = "window.fetch = async () => new Response(
    JSON.stringify({ code: 'io', message: 'the casebook cannot be read: input/output error', hint: 'Check that the disk is healthy, then try again.' }),
    { headers: { 'Tauri-Response': 'error', 'content-type': 'application/json' } })";

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/gallery"))
}

/// The screenshots in order, each with a title and the start of its file names.
struct Album {
    size: (u32, u32),
    pictures: Mutex<Vec<(String, String)>>,
}

impl Album {
    fn new(size: (u32, u32)) -> Self {
        Self { size, pictures: Mutex::default() }
    }

    /// Saves screenshots of the window in both themes.
    async fn save(&self, window: &Client, title: &str, name: &str) {
        // Hide messages, which only some screenshots would show.
        script(
            window,
            "document.querySelectorAll('.toast').forEach((toast) => toast.style.display = 'none')",
        )
        .await;
        for theme in THEMES {
            script(window, &format!("document.documentElement.dataset.theme = '{theme}'")).await;
            let after_paint = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 200)))";
            window.execute_async(after_paint, Vec::new()).await.unwrap();
            let file = folder().join(format!("{name}-{}-{theme}.png", self.size.0));
            std::fs::write(&file, capture_png(window).await.unwrap()).unwrap();
            // A few colors suffice and keep the repository small.
            let _ = Command::new("pngquant")
                .args(["--force", "--ext", ".png", "--speed", "1", "48"])
                .arg(&file)
                .status();
        }
        self.pictures.lock().unwrap().push((title.to_owned(), name.to_owned()));
    }
}

async fn wait_until_idle(window: &Client) {
    wait_until_gone(window, "[aria-busy=true], footer progress, .box.pending").await;
}

async fn show_sample(window: &Client, album: &Album, casebook: &Path) {
    let (enter, escape) = (char::from(Key::Enter), char::from(Key::Escape).to_string());
    press_ctrl(window, '1').await;
    wait_for(window, ".row.hit").await;
    wait_until_idle(window).await;
    wait_until_gone(window, ".toast").await;
    album.save(window, "Search, with an empty query", "recent").await;
    paste(window, "#query", "certificate signed by unknown authority").await;
    wait_for(window, ".hit .passage").await;
    wait_until_idle(window).await;
    press(window, &char::from(Key::Down).to_string()).await;
    wait_for(window, "article .comment").await;
    wait_until_idle(window).await;
    album.save(window, "Search", "search").await;
    press(window, &format!("{enter}A")).await;
    wait_for(window, "dialog[open] .paper h1, dialog[open] .paper h2, dialog[open] .paper h3")
        .await;
    wait_until_idle(window).await;
    album.save(window, "An article about a report", "article").await;
    press(window, &escape).await;
    wait_for(window, ".row.hit, .hit").await;
    press_ctrl(window, enter).await;
    wait_for(window, ".answer article").await;
    wait_until_idle(window).await;
    album.save(window, "The evidence of an answer", "evidence").await;

    press_ctrl(window, '2').await;
    wait_for(window, ".triage").await;
    wait_until_idle(window).await;
    wait_for(window, ".compare").await;
    wait_until_idle(window).await;
    album.save(window, "Triage", "triage").await;

    press_ctrl(window, '1').await;
    paste(window, "#query", REPORT).await;
    press_ctrl(window, enter).await;
    wait_for(window, ".answer article").await;
    wait_until_idle(window).await;
    album.save(window, "A pasted report, with the evidence of its answer", "answer").await;
    press(window, "e").await;
    wait_for(window, ".paper .title").await;
    wait_until_idle(window).await;
    album.save(window, "The brief, with its redactions", "brief").await;
    press(window, &escape).await;
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("agent.log");
    write_log(&log);
    read_log(window, &log).await;
    press(window, "x").await;
    wait_until_idle(window).await;
    album.save(window, "A log, with what is known about its errors", "logs").await;

    press_ctrl(window, '3').await;
    for _ in 0..2 {
        press(window, "a").await;
        paste(window, "#note-title", "Restart the agent after a new certificate").await;
        paste(window, "#note-body", "The agent reads the chain once, at its start.").await;
        press_ctrl(window, enter).await;
        wait_until("the note is saved or rejected", async || {
            exists(window, ".notes article h2").await || exists(window, ".blocked").await
        })
        .await;
    }
    wait_until_idle(window).await;
    album.save(window, "Notes, when the note already exists", "notes").await;
    press(window, &escape).await;
    press_ctrl(window, '4').await;
    wait_for(window, ".detail").await;
    wait_until_idle(window).await;
    album.save(window, "Sources", "sources").await;
    press(window, "a").await;
    wait_for(window, "#add-project").await;
    paste(window, "#add-project", "https://acme.atlassian.net/browse/APP-12").await;
    album.save(window, "Sources, adding a source", "add-source").await;
    press(window, &escape).await;
    press_ctrl(window, '5').await;
    wait_for(window, "#problem-0").await;
    wait_until_idle(window).await;
    album.save(window, "Problems", "problems").await;
    press(window, &enter.to_string()).await;
    wait_for(window, ".problem [data-list=reports] button").await;
    album.save(window, "A problem, with its reports", "problem").await;
    press(window, &escape).await;
    click(window, "#tab-numbers").await;
    wait_for(window, ".numbers svg").await;
    wait_until_idle(window).await;
    album.save(window, "Problems, in numbers", "numbers").await;
    // Later screenshots start at the first list.
    click(window, "#tab-frequent").await;
    press_ctrl(window, '6').await;
    wait_for(window, "section[aria-labelledby=storage]").await;
    wait_until_idle(window).await;
    album.save(window, "Settings", "settings").await;
    script(window, "document.querySelector('#model').scrollIntoView({ block: 'start' })").await;
    album.save(window, "Settings, search by meaning", "models").await;
    press_ctrl(window, 'k').await;
    wait_for(window, "#palette").await;
    album.save(window, "Commands", "palette").await;
    press(window, &escape).await;

    // Last, because the other screenshots show only the sample.
    import_extra_reports(casebook).await;
    press_ctrl(window, '1').await;
    for (key, title, name) in [
        ("acme/pump#2", "A report in Chinese", "chinese"),
        ("acme/pump#3", "A malicious report", "hostile"),
    ] {
        press_ctrl(window, 'k').await;
        wait_for(window, "#palette").await.send_keys(&format!("{key}{enter}")).await.unwrap();
        wait_until("the item is open", async || {
            text(window, "article .where").await.contains(key)
                && exists(window, "article .prose").await
        })
        .await;
        wait_until_idle(window).await;
        album.save(window, title, name).await;
    }
}

/// Shows every view while the engine does not answer or fails.
async fn show_states(window: &Client, album: &Album, setup: &str, description: &str, suffix: &str) {
    window.refresh().await.unwrap();
    // The search is restored.
    wait_for(window, "#hit-0").await;
    paste(window, "#query", "").await;
    wait_for(window, ".row.hit").await;
    wait_until_idle(window).await;
    script(window, setup).await;
    paste(window, "#query", "certificate signed by unknown authority").await;
    tokio::time::sleep(std::time::Duration::from_millis(900)).await;
    album.save(window, &format!("Search, {description}"), &format!("search-{suffix}")).await;
    for (key, title, name) in [
        ('2', "Triage", "triage"),
        ('3', "Notes", "notes"),
        ('4', "Sources", "sources"),
        ('5', "Problems", "problems"),
        ('6', "Settings", "settings"),
    ] {
        press_ctrl(window, key).await;
        tokio::time::sleep(std::time::Duration::from_millis(700)).await;
        album.save(window, &format!("{title}, {description}"), &format!("{name}-{suffix}")).await;
    }
}

/// Reports that the sample lacks: one in Chinese and one with hostile text.
const EXTRA_REPORTS: [(u32, &str, &str); 3] = [
    (1, "The pump does not start after the update", "It stops with PUMP-31."),
    (
        2,
        "更新证书后同步停止:日志反复显示“证书由未知机构签发”",
        "更新证书链之后,代理程序不再读取新的证书,见 #1。版本 **2.3.1** 有此问题,2.2.0 正常。\n\n```\n错误:证书链不完整(尝试 7)\n```\n\n> 请先重启代理程序。",
    ),
    (
        3,
        "<img src=x onerror=alert(1)> \u{202e}gpj.exe <script>alert(2)</script>",
        "<script>alert(1)</script><p style='position:fixed;inset:0'>over everything</p>\n\n[click](javascript:alert(1)) ![picture](https://tracker.example/spy.png)\n\n\
         <form action='https://tracker.example'><input name=password><button>Sign in</button></form>\n\n| a | b |\n|---|---|\n| <iframe src='https://tracker.example'></iframe> | `<svg onload=alert(1)>` |\n\n\
         > > > > > > deep\n\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ),
];

/// Imports the extra reports into the open casebook, as another process would.
async fn import_extra_reports(casebook: &Path) {
    let records: String = EXTRA_REPORTS
        .iter()
        .map(|(number, title, body)| {
            let record = json!({
                "number": number, "id": number, "title": title, "body": body, "state": "open", "user": {"login": "mika"}, "comments": 0,
                "created_at": "2026-01-05T08:00:00Z", "updated_at": "2026-01-05T08:00:00Z", "labels": [],
                "html_url": format!("https://tracker.example/acme/pump/issues/{number}"),
            });
            format!("{record}\n")
        })
        .collect();
    let file = casebook.with_file_name("others.jsonl");
    std::fs::write(&file, records).unwrap();
    let handle = Casebook::open(OpenOptions::new(casebook)).await.unwrap();
    handle.import_github("acme/pump", &file, &Task::new()).await.unwrap();
    handle.update_index(&Task::new()).await.unwrap();
}

async fn show_empty_views(window: &Client, album: &Album) {
    wait_for(window, ".welcome").await;
    album.save(window, "The first start", "welcome").await;
    for (key, title, name) in [
        ('2', "Triage", "triage"),
        ('3', "Notes", "notes"),
        ('4', "Sources", "sources"),
        ('5', "Problems", "problems"),
        ('6', "Settings", "settings"),
    ] {
        press_ctrl(window, key).await;
        wait_until_idle(window).await;
        album.save(window, &format!("{title}, empty"), &format!("{name}-empty")).await;
    }
    press_ctrl(window, '1').await;
}

fn render_page(pictures: &[(String, String)]) -> String {
    let mut out = String::from(
        "# Gallery\n\nEvery view with the sample casebook, whose texts are invented: with data, empty, loading and with an error. Each is shown in light and dark, at\n\
         1600 × 1000 and 1024 × 700. To regenerate the pictures and this page, run:\n\n```\n\
         xvfb-run -a -s '-screen 0 1700x1100x24 -nolisten tcp' dbus-run-session -- \\\n    \
         cargo test -p precedent-desktop --test window -- --ignored gallery\n```\n\n\
         If `pngquant` is installed, it compresses the pictures.\n\n| | light | dark |\n|---|---|---|\n",
    );
    for (title, name) in pictures {
        let _ = writeln!(
            out,
            "| {title} ([small](gallery/{name}-1024-light.png), [dark](gallery/{name}-1024-dark.png)) | ![](gallery/{name}-1600-light.png) | ![](gallery/{name}-1600-dark.png) |"
        );
    }
    out.push_str(include_str!("gallery-notes.txt"));
    out
}

#[tokio::test]
#[ignore = "takes screenshots; see docs/gallery.md"]
async fn gallery() {
    for file in std::fs::read_dir(folder()).unwrap() {
        std::fs::remove_file(file.unwrap().path()).unwrap();
    }
    for size in SIZES {
        let home = tempfile::tempdir().unwrap();
        let casebook = home.path().join("casebook");
        let casebook_path = casebook.clone();
        let args = ["--casebook", casebook.to_str().unwrap()];
        drive(home.path(), "Adwaita", &args, async move |window| {
            let album = Album::new(size);
            window.set_window_size(size.0, size.1).await.unwrap();
            show_empty_views(&window, &album).await;
            wait_for(&window, ".welcome").await;
            script(&window, "document.querySelector('.welcome .primary').click()").await;
            wait_for(&window, "#hit-0").await;
            wait_until_idle(&window).await;
            show_sample(&window, &album, &casebook_path).await;
            show_states(&window, &album, SILENCE, "loading", "loading").await;
            show_states(&window, &album, FAILURE, "with an error", "failing").await;
            let mut pictures = album.pictures.lock().unwrap().clone();
            pictures.push(("The casebook cannot be opened".to_owned(), "closed".to_owned()));
            std::fs::write(folder().with_file_name("gallery.md"), render_page(&pictures)).unwrap();
        })
        .await;
        // The screenshot shows the path, so it must be constant.
        let home = tempfile::tempdir().unwrap();
        let file = std::path::Path::new("/tmp/precedent-gallery");
        std::fs::write(file, "not a folder").unwrap();
        drive(
            home.path(),
            "Adwaita",
            &["--casebook", "/tmp/precedent-gallery"],
            async move |window| {
                window.set_window_size(size.0, size.1).await.unwrap();
                wait_for(&window, "[role=alert]").await;
                Album::new(size).save(&window, "The casebook cannot be opened", "closed").await;
            },
        )
        .await;
        std::fs::remove_file(file).unwrap();
    }
}
