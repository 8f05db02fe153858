//! Hostile reports: no script runs, no request is sent, and the window stays usable.

use std::{
    net::TcpListener,
    time::{Duration, Instant},
};

use precedent_core::{Task, model::SyncRequest};
use precedent_engine::{Casebook, OpenOptions};
use serde_json::json;

use crate::{
    driver::{
        click_text, drive, exists, press, press_ctrl, script, text, texts, wait_for, wait_for_jobs,
        wait_until,
    },
    fake_github::{FakeGitHub, github_source},
    files::paste,
};

/// Hostile bodies; `SPY` stands for an address that must never be requested.
const BODIES: &[(&str, &str)] = &[
    ("script", "<script>window.owned = 1</script><img src=x onerror='window.owned = 1'>"),
    (
        "handlers",
        "<p onmouseover='window.owned=1' onclick='window.owned=1' autofocus tabindex=1 onfocus='window.owned=1'>x</p><details open ontoggle='window.owned=1'><summary>s</summary></details>",
    ),
    (
        "svg",
        "<svg onload='window.owned=1'><script>window.owned=1</script><a xlink:href='javascript:window.owned=1'><text>x</text></a><foreignObject><iframe src='SPY/svg'></iframe></foreignObject></svg>",
    ),
    (
        "urls",
        "[a](javascript:window.owned=1) [b](data:text/html,<script>parent.owned=1</script>) [c](vbscript:x) <a href='&#x6a;avascript:window.owned=1'>d</a> <a href='SPY/link' ping='SPY/ping' target='_top'>e</a>",
    ),
    (
        "css",
        "<style>body{display:none} @import 'SPY/css';</style><p style=\"background:url('SPY/bg');position:fixed;inset:0\">x</p><link rel=stylesheet href='SPY/link.css'>",
    ),
    (
        "frames",
        "<iframe src='SPY/frame' srcdoc='<script>parent.owned=1</script>'></iframe><object data='SPY/o'></object><embed src='SPY/e'><base href='SPY/'><meta http-equiv=refresh content='0;url=SPY/meta'>",
    ),
    (
        "images",
        "![x](SPY/image.png) <img src='SPY/i.png' srcset='SPY/2x.png 2x'><picture><source srcset='SPY/p.webp'></picture><video src='SPY/v.mp4' poster='SPY/poster.png' autoplay></video><audio src='SPY/a.mp3' autoplay></audio>",
    ),
    (
        "forms",
        "<form action='SPY/form'><input name=attributes><input type=image src='SPY/submit'><button formaction='javascript:window.owned=1'>x</button></form><img name=getElementById><form id=app name=body></form>",
    ),
    ("bidi", "file \u{202e}gpj.exe\u{202c} and \u{2066}\u{2067}x\u{2069} \u{200b}zero"),
];

#[tokio::test]
async fn report_never_runs_scripts_or_sends_requests() {
    let spy = TcpListener::bind("127.0.0.1:0").unwrap();
    spy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", spy.local_addr().unwrap());
    let home = tempfile::tempdir().unwrap();
    let mut bodies: Vec<(String, String)> = BODIES
        .iter()
        .map(|(name, body)| ((*name).to_owned(), body.replace("SPY", &address)))
        .collect();
    let row = format!("| {} |\n", "cell | ".repeat(40));
    let table = format!("{row}|{}\n{}", "---|".repeat(41), row.repeat(2_000));
    bodies.push(("table".to_owned(), table));
    bodies.push(("line".to_owned(), "x".repeat(5_000_000)));
    bodies.push(("quotes".to_owned(), format!("{} deep", "> ".repeat(5_000))));
    let records: String = bodies
        .iter()
        .zip(1..)
        .map(|((name, body), number)| {
            let record = json!({
                "number": number, "title": format!("Hostile {name} <b>title</b>"), "body": body, "state": "open", "id": number,
                "user": {"login": "mallory"}, "created_at": "2026-05-01T00:00:00Z", "updated_at": "2026-05-02T00:00:00Z",
                "html_url": format!("https://tracker.example/acme/app/issues/{number}"), "comments": 0, "labels": [],
            });
            format!("{record}\n")
        })
        .collect();
    let file = home.path().join("issues.jsonl");
    std::fs::write(&file, records).unwrap();
    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        script(
            &window,
            "window.blocked = []; document.addEventListener('securitypolicyviolation',
                (event) => window.blocked.push(event.effectiveDirective + ' ' + event.blockedURI))",
        )
        .await;
        // The user imports the reports from a file.
        wait_for(&window, ".welcome").await;
        press_ctrl(&window, '4').await;
        script(&window, "document.querySelector('.sources header .button').click()").await;
        click_text(&window, ".add-source button", "Import files").await;
        paste(&window, "#import-source", "acme/app").await;
        paste(&window, "#import-paths", file.to_str().unwrap()).await;
        click_text(&window, ".add-source button", "Preview").await;
        wait_for(&window, ".contents").await;
        click_text(&window, ".add-source button.primary", "Import").await;
        wait_until("the reports are imported", async || text(&window, ".detail dd").await == bodies.len().to_string()).await;
        wait_for_jobs(&window).await;

        press_ctrl(&window, '1').await;
        for (number, (name, _)) in (1..).zip(&bodies) {
            let start = Instant::now();
            press_ctrl(&window, 'k').await;
            wait_for(&window, "#palette").await.send_keys(&format!("acme/app#{number}\u{e007}")).await.unwrap();
            wait_until(&format!("{name} is shown"), async || {
                text(&window, "article h2").await.starts_with(&format!("Hostile {name} "))
            })
            .await;
            // Scripts would have run within two frames.
            window
                .execute_async(
                    "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))",
                    Vec::new(),
                )
                .await
                .unwrap();
            assert_eq!(script(&window, "return typeof window.owned").await, "undefined", "{name}");
            let forbidden_elements = "return [...document.querySelectorAll('article .prose :is(script, style, iframe, object, embed, form, img, svg, video, audio, link, meta, base)')]
                .map((element) => element.outerHTML.slice(0, 80))";
            assert_eq!(script(&window, forbidden_elements).await, json!([]), "{name}");
            let active_attribute_count = "return [...document.querySelectorAll('article .prose *')].flatMap((element) => [...element.attributes])
                .filter((a) => a.name.startsWith('on') || a.name === 'style' || /^(?:javascript|data|vbscript):/i.test(a.value.trim())).length";
            assert_eq!(script(&window, active_attribute_count).await, 0, "{name}");
            assert!(start.elapsed() < Duration::from_secs(20), "{name} took {:?}", start.elapsed());
        }
        // Links do not navigate by themselves, and the title is plain text.
        script(&window, "document.querySelectorAll('article a').forEach((a) => a.click())").await;
        assert!(window.current_url().await.unwrap().as_str().starts_with("tauri://localhost"));
        assert!(!exists(&window, "article h2 b").await);
        assert_eq!(script(&window, "return window.blocked").await, json!([]), "no request was attempted");
        assert!(spy.accept().is_err(), "no request was sent");
    })
    .await;
}

#[tokio::test]
async fn images_load_from_a_source_on_request() {
    let spy = TcpListener::bind("127.0.0.1:0").unwrap();
    spy.set_nonblocking(true).unwrap();
    let github = FakeGitHub::new("acme/pump");
    let base = github.host.trim_start_matches("http://").to_owned();
    {
        let mut world = github.world();
        world.fill(1, 0);
        let body = format!(
            "It stops. ![the pump](http://{base}/files/pump.png)\n\n<img src=\"http://{}/spy.png\">",
            spy.local_addr().unwrap()
        );
        world.edit(1, json!({ "body": body }));
    }
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("casebook");
    let images_folder = folder.join("images");
    let casebook = Casebook::open(OpenOptions::new(&folder)).await.unwrap();
    casebook.add_tracker(github_source("acme/pump", &github.host, false)).await.unwrap();
    casebook.sync(SyncRequest::default(), &Task::new()).await.unwrap();
    drop(casebook);
    let args = ["--casebook", folder.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        wait_for(&window, "#hit-0").await;
        press(&window, "\u{e015}\u{e007}").await;
        wait_for(&window, "article .remote-image").await;
        let is_image = |address: &str| address.ends_with(".png");
        wait_until("the page offers the images", async || {
            texts(&window, "article .prose button").await == [format!("Show images from {base}")]
        })
        .await;
        assert!(!github.requests().iter().any(|request| is_image(&request.address)));
        wait_until("Tab reaches the button", async || {
            press(&window, "\u{e004}").await;
            script(&window, "return document.activeElement.matches('article .prose button')").await
                == true
        })
        .await;
        press(&window, "\u{e007}").await;
        wait_until("the image is shown", async || {
            script(&window, "return document.querySelector('article .prose img')?.naturalWidth")
                .await
                == 1
        })
        .await;
        assert_eq!(
            script(&window, "return document.activeElement.closest('.reader') !== null").await,
            true
        );
        let requests = github.requests();
        let images: Vec<_> = requests.iter().filter(|request| is_image(&request.address)).collect();
        assert_eq!(images.len(), 1, "{images:?}");
        assert_eq!(std::fs::read_dir(images_folder).unwrap().count(), 1, "the image is cached");
        assert!(spy.accept().is_err(), "an unknown host is never contacted");
    })
    .await;
}
