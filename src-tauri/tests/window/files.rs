//! Files that lie on this machine: a log leads to what is known of its errors, an export of a
//! tracker is looked at and imported.

use std::path::Path;

use fantoccini::{Client, key::Key};

use crate::driver::{
    at_rest, click_words, drive_sample, is_there, press, press_ctrl, script, shot, text, texts,
    wait_for, wait_until,
};

/// Writes a log with a known failure a hundred times and a new one once near the end.
pub fn write_log(path: &Path) {
    let mut log = String::new();
    for n in 0..4_000 {
        log.push_str(&format!(
            "2026-05-12T10:{:02}:{:02}Z INFO fw_agent::link tick {n}\n",
            n / 60 % 60,
            n % 60
        ));
        if n % 40 == 7 {
            log.push_str(&format!(
                "2026-05-12T10:{:02}:{:02}Z ERROR fw_agent::link tls: invalid peer certificate: UnknownIssuer (attempt {n})\n",
                n / 60 % 60,
                n % 60
            ));
        }
    }
    log.push_str(
        "2026-05-12T11:06:41Z WARN heron::lease lease of node-7 ends in 3 s\n\
         2026-05-12T11:06:44Z ERROR heron::quorum the aviary has lost its quorum of perches\n\
         thread 'main' panicked at src/perch.rs:12:9:\nno perch is left for heron 17\nstack backtrace:\n   0: rust_begin_unwind\n   1: heron::perch::Perches::take\n   2: heron::main\n",
    );
    std::fs::write(path, log).unwrap();
}

/// Puts text into a field as one paste would.
pub async fn paste(window: &Client, css: &str, value: &str) {
    let field = "const field = document.querySelector(arguments[0]); field.value = arguments[1];
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))";
    wait_for(window, css).await;
    window.execute(field, vec![css.into(), value.into()]).await.unwrap();
}

/// Reads a log by its path and waits for what is known of it.
pub async fn read_log(window: &Client, log: &Path) {
    paste(window, "#query", log.to_str().unwrap()).await;
    press_ctrl(window, char::from(Key::Enter)).await;
    wait_until("the errors are listed", async || {
        is_there(window, ".answer article .severity").await
    })
    .await;
}

#[tokio::test]
async fn log_view_shows_known_errors() {
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("agent.log");
    write_log(&log);
    let brief = home.path().join("log.md");
    drive_sample(home.path(), "Adwaita", async move |window| {
        at_rest(&window).await;
        press_ctrl(&window, '1').await;
        read_log(&window, &log).await;
        let heading = text(&window, ".bar .summary").await;
        assert!(
            heading.contains("4 distinct errors in 4,1") && heading.contains("not seen before"),
            "{heading}"
        );
        let first = texts(&window, ".answer article h2").await;
        assert!(first[0].contains("no perch is left for heron 17"), "{first:?}");
        let articles = texts(&window, ".answer article").await;
        let tls = articles.iter().find(|article| article.contains("UnknownIssuer")).unwrap();
        assert!(tls.contains("ferrywire/ferrywire#") && tls.contains("100 times"), "{tls}");
        shot(&window, "logs").await;

        // The evidence of the first opens by key.
        press(&window, "x").await;
        wait_until("its trace is shown", async || {
            text(&window, ".evidence pre").await.contains("Perches::take")
        })
        .await;
        shot(&window, "logs-open").await;

        // The whole page becomes a brief.
        press(&window, "e").await;
        wait_until("the brief is there", async || {
            text(&window, ".paper").await.contains("Errors in the log")
        })
        .await;
        let path = wait_for(&window, ".brief .field").await;
        path.clear().await.unwrap();
        path.send_keys(brief.to_str().unwrap()).await.unwrap();
        click_words(&window, ".brief button", "Export").await;
        wait_until("it is written", async || {
            text(&window, ".brief .text").await.contains("log.md")
        })
        .await;
        let brief_text = std::fs::read_to_string(&brief).unwrap();
        assert!(
            brief_text.contains("no perch is left") && brief_text.contains("agent.log line"),
            "{brief_text}"
        );
        assert!(!brief_text.contains(home_of(&brief)), "folders name their owner: {brief_text}");
        press(&window, &char::from(Key::Escape).to_string()).await;

        // One error is asked about as if it had been pasted.
        script(&window, "document.querySelector('.answer').focus()").await;
        press(&window, &char::from(Key::Enter).to_string()).await;
        wait_until("its own cases are looked for", async || {
            is_there(&window, ".answer").await && !is_there(&window, ".answer .severity").await
        })
        .await;
        // A path that leads nowhere is said to.
        wait_for(&window, "#query").await.click().await.unwrap();
        paste(&window, "#query", "/no/such/agent.log").await;
        press_ctrl(&window, char::from(Key::Enter)).await;
        wait_until("the failure is told", async || {
            text(&window, ".answer [role=alert]").await.contains("/no/such/agent.log")
        })
        .await;
    })
    .await;
}

fn home_of(path: &Path) -> &str {
    path.parent().unwrap().to_str().unwrap()
}

const EXPORT: &str = "Issue key,Summary,Status,Created,Wer hat es gesagt,Description\n\
    HER-1,Heron drops its lease,Done,12/May/26 10:00 AM,ann,The lease ends early.\n\
    HER-2,Perch is too narrow,To Do,13/May/26 10:00 AM,ben,Two herons fall off.\n";

#[tokio::test]
async fn export_is_previewed_corrected_and_imported() {
    let home = tempfile::tempdir().unwrap();
    let export = home.path().join("export.csv");
    std::fs::write(&export, EXPORT).unwrap();
    drive_sample(home.path(), "Adwaita", async move |window| {
        at_rest(&window).await;
        press_ctrl(&window, '4').await;
        press(&window, "a").await;
        click_words(&window, ".add-source button", "Import files").await;
        paste(&window, "#import-paths", export.to_str().unwrap()).await;
        click_words(&window, ".add-source button", "Preview").await;
        wait_until("what it holds is told", async || text(&window, ".contents").await.contains("2 items")).await;
        let columns = texts(&window, ".contents tr.unused th").await;
        assert_eq!(columns, ["Wer hat es gesagt"]);
        shot(&window, "import").await;

        // The user maps an unknown column.
        script(
            &window,
            "const select = document.querySelector('.contents tr.unused select'); select.value = 'author';
             select.dispatchEvent(new Event('change', { bubbles: true }))",
        )
        .await;
        wait_until("it is used", async || !is_there(&window, ".contents tr.unused").await).await;
        click_words(&window, ".add-source button.primary", "Import").await;
        wait_until("it is among the sources", async || {
            texts(&window, "[role=listbox] [role=option]").await.iter().any(|s| s.contains("HER"))
        })
        .await;
        press_ctrl(&window, '1').await;
        paste(&window, "#query", "herons fall off").await;
        wait_until("it is found", async || text(&window, "#hit-0").await.contains("Perch is too narrow"))
            .await;
    })
    .await;
}
