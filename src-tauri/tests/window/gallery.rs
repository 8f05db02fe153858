//! Pictures of every view for the documentation, of the sample casebook alone; docs/gallery.md has the command.

use std::path::PathBuf;

use fantoccini::{Client, key::Key};

use crate::driver::{drive, is_there, press, press_ctrl, script, wait_for, wait_until};

const REPORT: &str = "Agents do not connect since we replaced the certificate\n\
    ERROR fw_agent::link tls: invalid peer certificate: UnknownIssuer\n\
    Please answer to mika@customer.example, host 192.0.2.41.";

/// Keeps the window as it is now, light and, at its usual size, dark.
async fn both(window: &Client, name: &str) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/gallery"));
    std::fs::create_dir_all(&folder).unwrap();
    // The small window is shown once: its pictures are about room, not colour.
    let themes: &[&str] = if name.ends_with("-1024") { &["light"] } else { &["light", "dark"] };
    for theme in themes {
        script(window, &format!("document.documentElement.dataset.theme = '{theme}'")).await;
        let painted = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 150)))";
        window.execute_async(painted, Vec::new()).await.unwrap();
        std::fs::write(folder.join(format!("{name}-{theme}.png")), window.screenshot().await.unwrap())
            .unwrap();
    }
}

async fn settled(window: &Client) {
    wait_until("nothing is asked for", async || {
        !is_there(window, "[aria-busy=true], footer progress, .box.pending").await
    })
    .await;
    // Messages go by themselves; a picture has none.
    script(window, "document.querySelectorAll('.toast').forEach((toast) => toast.style.display = 'none')")
        .await;
}

/// Types into a field as one paste would.
async fn paste(window: &Client, css: &str, value: &str) {
    let field = "const field = document.querySelector(arguments[0]); field.value = arguments[1];
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))";
    wait_for(window, css).await;
    window.execute(field, vec![css.into(), value.into()]).await.unwrap();
}

async fn views(window: &Client, size: &str) {
    let name = |view: &str| format!("{view}{size}");
    let (enter, escape) = (char::from(Key::Enter), char::from(Key::Escape).to_string());
    press_ctrl(window, '1').await;
    paste(window, "#query", "certificate signed by unknown authority").await;
    settled(window).await;
    press(window, &char::from(Key::Down).to_string()).await;
    wait_for(window, "article .comment").await;
    settled(window).await;
    both(window, &name("search")).await;

    press_ctrl(window, '2').await;
    wait_for(window, ".triage").await;
    settled(window).await;
    if size.is_empty() {
        both(window, "triage-empty").await;
    }
    if !is_there(window, ".choice button:last-child[aria-pressed=true]").await {
        press(window, "b").await;
        press(window, "c").await;
    }
    wait_for(window, ".compare").await;
    settled(window).await;
    both(window, &name("triage")).await;

    press_ctrl(window, '3').await;
    paste(window, "#report", REPORT).await;
    press_ctrl(window, enter).await;
    wait_for(window, ".answer article").await;
    settled(window).await;
    both(window, &name("troubleshoot")).await;
    if !size.is_empty() {
        return;
    }
    press(window, "e").await;
    wait_for(window, ".paper .title").await;
    settled(window).await;
    both(window, "brief").await;
    press(window, &escape).await;

    press_ctrl(window, '4').await;
    for _ in 0..2 {
        press(window, "a").await;
        paste(window, "#note-title", "Restart the agent after a new certificate").await;
        paste(window, "#note-body", "The agent reads the chain once, at its start.").await;
        press_ctrl(window, enter).await;
        wait_until("it is answered", async || {
            is_there(window, ".notes article h2").await || is_there(window, ".blocked").await
        })
        .await;
    }
    settled(window).await;
    both(window, "notes").await;
    press_ctrl(window, '5').await;
    wait_for(window, ".detail").await;
    settled(window).await;
    both(window, "sources").await;
    press_ctrl(window, '6').await;
    wait_for(window, ".insights svg").await;
    settled(window).await;
    both(window, "insights").await;
    press_ctrl(window, '7').await;
    wait_for(window, "section[aria-labelledby=storage]").await;
    settled(window).await;
    both(window, "settings").await;
    press_ctrl(window, 'k').await;
    wait_for(window, "#palette").await;
    both(window, "palette").await;
}

#[tokio::test]
#[ignore = "makes pictures; see docs/gallery.md"]
async fn gallery() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        window.set_window_size(1280, 800).await.unwrap();
        wait_for(&window, ".welcome").await;
        both(&window, "welcome").await;
        script(&window, "document.querySelector('.welcome .primary').click()").await;
        wait_for(&window, "#hit-0").await;
        settled(&window).await;
        views(&window, "").await;
        press(&window, &char::from(Key::Escape).to_string()).await;
        window.set_window_size(1024, 700).await.unwrap();
        views(&window, "-1024").await;
    })
    .await;
}
