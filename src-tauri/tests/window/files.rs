//! Local files: logs with their known errors, and the import of tracker exports.

use std::path::Path;

use fantoccini::{Client, key::Key};

use crate::driver::{
    click_text, drive_sample, exists, press, press_ctrl, screenshot, script, text, texts, wait_for,
    wait_for_text, wait_until, wait_until_gone, wait_until_ready,
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

/// Sets the text of a field as a paste would.
pub async fn paste(window: &Client, css: &str, value: &str) {
    let set_field =
        "const field = document.querySelector(arguments[0]); field.value = arguments[1];
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))";
    wait_for(window, css).await;
    window.execute(set_field, vec![css.into(), value.into()]).await.unwrap();
}

/// Reads a log by its path and waits for its errors.
pub async fn read_log(window: &Client, log: &Path) {
    paste(window, "#query", log.to_str().unwrap()).await;
    press_ctrl(window, char::from(Key::Enter)).await;
    wait_until("the errors are listed", async || exists(window, ".answer article .severity").await)
        .await;
}

#[tokio::test]
async fn log_view_shows_known_errors() {
    let home = tempfile::tempdir().unwrap();
    let log = home.path().join("agent.log");
    write_log(&log);
    let brief = home.path().join("log.md");
    drive_sample(home.path(), "Adwaita", async move |window| {
        wait_until_ready(&window).await;
        press_ctrl(&window, '1').await;
        read_log(&window, &log).await;
        let heading = text(&window, ".bar .summary").await;
        assert!(
            heading.contains("4 distinct errors in 4,1") && heading.contains("not seen before"),
            "{heading}"
        );
        let headings = texts(&window, ".answer article h2").await;
        assert!(headings[0].contains("no perch is left for heron 17"), "{headings:?}");
        let articles = texts(&window, ".answer article").await;
        let tls = articles.iter().find(|article| article.contains("UnknownIssuer")).unwrap();
        assert!(tls.contains("ferrywire/ferrywire#") && tls.contains("100 times"), "{tls}");
        screenshot(&window, "logs").await;

        // A key opens the evidence of the first error.
        press(&window, "x").await;
        wait_for_text(&window, ".evidence pre", "Perches::take").await;
        screenshot(&window, "logs-open").await;

        // The page can be exported as a brief.
        press(&window, "e").await;
        wait_for_text(&window, ".paper", "Errors in the log").await;
        let path = wait_for(&window, ".brief .field").await;
        path.clear().await.unwrap();
        path.send_keys(brief.to_str().unwrap()).await.unwrap();
        click_text(&window, ".brief button", "Export").await;
        wait_for_text(&window, ".brief .text", "log.md").await;
        let brief_text = std::fs::read_to_string(&brief).unwrap();
        assert!(
            brief_text.contains("no perch is left") && brief_text.contains("agent.log line"),
            "{brief_text}"
        );
        assert!(
            !brief_text.contains(folder_of(&brief)),
            "folders may contain the user name: {brief_text}"
        );
        press(&window, &char::from(Key::Escape).to_string()).await;

        // Enter asks about one error as if it had been pasted.
        script(&window, "document.querySelector('.answer').focus()").await;
        press(&window, &char::from(Key::Enter).to_string()).await;
        wait_until("the cases of the error are shown", async || {
            exists(&window, ".answer").await && !exists(&window, ".answer .severity").await
        })
        .await;
        // A missing file is reported.
        wait_for(&window, "#query").await.click().await.unwrap();
        paste(&window, "#query", "/no/such/agent.log").await;
        press_ctrl(&window, char::from(Key::Enter)).await;
        wait_for_text(&window, ".answer [role=alert]", "/no/such/agent.log").await;
    })
    .await;
}

fn folder_of(path: &Path) -> &str {
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
        wait_until_ready(&window).await;
        press_ctrl(&window, '4').await;
        press(&window, "a").await;
        click_text(&window, ".add-source button", "Import files").await;
        paste(&window, "#import-paths", export.to_str().unwrap()).await;
        click_text(&window, ".add-source button", "Preview").await;
        wait_for_text(&window, ".contents", "2 items").await;
        let columns = texts(&window, ".contents tr.quiet th").await;
        assert_eq!(columns, ["Wer hat es gesagt"]);
        screenshot(&window, "import").await;

        // The user maps an unknown column.
        script(
            &window,
            "const select = document.querySelector('.contents tr.quiet select'); select.value = 'author';
             select.dispatchEvent(new Event('change', { bubbles: true }))",
        )
        .await;
        wait_until_gone(&window, ".contents tr.quiet").await;
        click_text(&window, ".add-source button.primary", "Import").await;
        wait_until("the source is listed", async || {
            texts(&window, "[role=listbox] [role=option]").await.iter().any(|s| s.contains("HER"))
        })
        .await;
        press_ctrl(&window, '1').await;
        paste(&window, "#query", "herons fall off").await;
        wait_for_text(&window, "#hit-0", "Perch is too narrow").await;
    })
    .await;
}
