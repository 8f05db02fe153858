//! A support engineer's tasks in one window, by keyboard only.

use std::path::Path;

use fantoccini::{Client, key::Key};
use serde_json::json;

use crate::{
    driver::{
        drive_sample, exists, press, press_ctrl, press_with, screenshot, script, text, texts,
        wait_for, wait_for_jobs, wait_for_text, wait_until, wait_until_gone, wait_until_ready,
    },
    fake_github::FakeGitHub,
    files::write_log,
};

const TRACE: [&str; 3] = [
    "Agents do not connect since we replaced the certificate",
    "ERROR fw_agent::link tls: invalid peer certificate: UnknownIssuer",
    "Please answer to mika@customer.example",
];

const EXPORT: &str = "Issue key,Summary,Status,Created,Description\n\
    HER-1,Heron drops its lease,Done,12/May/26 10:00 AM,The lease ends early.\n\
    HER-2,Perch is too narrow,To Do,13/May/26 10:00 AM,Two herons fall off.\n";

const CHANGELOG: &str = "# Changelog\n\n## [2.1.0] - 2026-05-14\n\n- Wider perches.\n\n\
    ## [2.0.0] - 2026-04-02\n\n- Longer leases.\n";

fn key_text(key: Key) -> String {
    char::from(key).to_string()
}

/// Waits until the focus is on a matching element.
async fn wait_for_focus(window: &Client, css: &str, task: &str) {
    let matches = "return document.activeElement.matches(arguments[0])";
    wait_until(&format!("{task}: the focus is on {css}"), async || {
        window.execute(matches, vec![json!(css)]).await.unwrap() == true
    })
    .await;
}

/// Presses Tab until the focus is on a matching element.
async fn tab_to(window: &Client, css: &str) {
    let matches = "return document.activeElement.matches(arguments[0])";
    for _ in 0..40 {
        if window.execute(matches, vec![json!(css)]).await.unwrap() == true {
            return;
        }
        press(window, &key_text(Key::Tab)).await;
    }
    panic!("Tab did not reach {css}");
}

/// Replaces the content of the focused field.
async fn replace(window: &Client, value: &str) {
    press_ctrl(window, 'a').await;
    press(window, value).await;
}

async fn run_command(window: &Client, title: &str) {
    press_ctrl(window, 'k').await;
    wait_for_focus(window, "#palette", title).await;
    press(window, title).await;
    wait_until(&format!("the palette offers {title}"), async || {
        text(window, "#commands [aria-selected=true] .title")
            .await
            .to_lowercase()
            .contains(&title.to_lowercase())
    })
    .await;
    press(window, &key_text(Key::Enter)).await;
    wait_until_gone(window, "dialog[open] #palette").await;
}

async fn wait_for_message(window: &Client, message: &str) {
    wait_until(&format!("the message appears: {message}"), async || {
        text(window, ".toasts").await.contains(message)
    })
    .await;
}

/// Asks about a pasted trace, opens the second match, copies the reply, and exports the brief.
async fn ask_and_export(window: &Client, brief: &Path) {
    press(window, "/").await;
    // The keys now go to the box.
    press(window, TRACE[0]).await;
    for line in &TRACE[1..] {
        press_with(window, Key::Shift, char::from(Key::Enter)).await;
        press(window, line).await;
    }
    press_ctrl(window, 'a').await;
    press_ctrl(window, 'x').await;
    press_ctrl(window, 'v').await;
    let query_value = "return document.querySelector('#query').value";
    wait_until("the trace is pasted", async || {
        script(window, query_value).await == TRACE.join("\n")
    })
    .await;
    press_ctrl(window, char::from(Key::Enter)).await;
    wait_for_focus(window, ".answer", "ask").await;
    wait_until("the fix is shown", async || {
        text(window, ".answer .fix").await.contains("3.1.2")
            || texts(window, ".answer .fixed").await.iter().any(|fix| fix.starts_with("fixed in"))
    })
    .await;

    press(window, "j").await;
    wait_for(window, ".answer article:nth-of-type(2)[aria-current=true]").await;
    let selected_key = "return document.querySelector('.answer [aria-current=true]').dataset.doc";
    let key = script(window, selected_key).await.as_str().unwrap().to_owned();
    press(window, "o").await;
    wait_for_text(window, "article .where", &key).await;
    wait_for_focus(window, "article.reader", "read the second match").await;
    press_with(window, Key::Alt, char::from(Key::Left)).await;
    wait_for_focus(window, ".answer", "come back").await;
    assert_eq!(script(window, selected_key).await, key, "the same item is selected");

    press(window, "r").await;
    wait_for_message(window, "Copied a reply").await;

    press(window, "e").await;
    wait_for(window, ".paper .title").await;
    tab_to(window, ".brief .field").await;
    replace(window, brief.to_str().unwrap()).await;
    press(window, &key_text(Key::Enter)).await;
    wait_until("the brief is written", async || exists(window, ".brief .text").await).await;
    assert!(!std::fs::read_to_string(brief).unwrap().contains("mika@customer.example"));
    press(window, &key_text(Key::Escape)).await;
    wait_for_focus(window, ".answer", "leave the brief").await;
}

/// Reads a log by its path and opens an error, then filters by a completed label.
async fn read_and_filter(window: &Client, log: &Path) {
    press(window, "/").await;
    replace(window, log.to_str().unwrap()).await;
    press(window, &key_text(Key::Enter)).await;
    wait_for(window, ".answer article .severity").await;
    wait_for_focus(window, ".answer", "read a log").await;
    press(window, "jx").await;
    wait_until("the second error is open", async || {
        exists(window, ".answer article:nth-of-type(2)[aria-current=true] .evidence").await
    })
    .await;

    press(window, "/").await;
    replace(window, "version:3.").await;
    wait_for(window, "#completion-0").await;
    press(window, &key_text(Key::Tab)).await;
    wait_until("the version is completed", async || {
        let query = script(window, "return document.querySelector('#query').value").await;
        query.as_str().is_some_and(|query| query.starts_with("version:3.") && query.ends_with(' '))
    })
    .await;
    replace(window, "label:dupl").await;
    wait_for(window, "#completion-0").await;
    press(window, &format!("{0}{1}", key_text(Key::Down), key_text(Key::Enter))).await;
    wait_until("the label is completed", async || {
        script(window, "return document.querySelector('#query').value").await == "label:duplicate "
    })
    .await;
    wait_until("only such reports are listed", async || {
        !exists(window, ".box.pending").await
            && texts(window, ".row.hit .labels, .row.hit .meta")
                .await
                .iter()
                .all(|meta| meta.contains("duplicate"))
    })
    .await;
    press(window, &key_text(Key::Down)).await;
    press(window, &key_text(Key::Enter)).await;
    wait_for_focus(window, "article.reader", "read a filtered report").await;
}

/// Decides three pairs, undoes one verdict, and snoozes a report.
async fn triage_reports(window: &Client) {
    press(window, "2").await;
    wait_for(window, ".compare").await;
    wait_for_focus(window, ".queue", "triage").await;
    for (index, key) in ["d", "r", "n"].iter().enumerate() {
        wait_until("a pair is compared", async || {
            let row = text(window, ".queue [aria-selected=true] .key").await;
            let shown_key = text(window, "section[aria-label^='Report:'] .role button").await;
            row.split(' ')
                .next()
                .is_some_and(|number| !row.is_empty() && shown_key.ends_with(number))
        })
        .await;
        press(window, key).await;
        wait_until("the verdict is counted", async || {
            text(window, ".triage header .end").await.starts_with(&format!("{} of", index + 1))
        })
        .await;
    }
    press(window, "u").await;
    wait_until("one verdict is undone", async || {
        text(window, ".triage header .end").await.starts_with("2 of")
    })
    .await;
    wait_for_focus(window, ".queue", "undo a verdict").await;
    let snoozed_title = text(window, ".queue [aria-selected=true] .title").await;
    press(window, "z").await;
    wait_until("the report is snoozed", async || {
        text(window, ".triage header .end").await.contains("1 snoozed")
            && text(window, ".queue [aria-selected=true] .title").await != snoozed_title
    })
    .await;
    wait_for_focus(window, ".queue", "snooze").await;
    screenshot(window, "morning-triage").await;
    press_ctrl(window, 'z').await;
    wait_until("the report is back in the queue", async || {
        text(window, ".queue [aria-selected=true] .title").await == snoozed_title
    })
    .await;
    press(window, "z").await;
}

/// Writes a note about the open report, and finds it by asking.
async fn write_note(window: &Client) {
    run_command(window, "ferrywire/ferrywire#113").await;
    wait_for_focus(window, "article.reader", "open by number").await;
    press(window, "N").await;
    wait_for_focus(window, "#note-title", "write a note").await;
    press(window, "Marmalade sticks the valve").await;
    tab_to(window, "#note-body").await;
    press(window, "Wash it with warm water before the restore.").await;
    press_ctrl(window, char::from(Key::Enter)).await;
    wait_for_text(window, ".notes article h2", "Marmalade").await;
    wait_for_focus(window, "[role=listbox]", "store a note").await;
    press(window, "/").await;
    press(window, "marmalade on the valve").await;
    press_ctrl(window, char::from(Key::Enter)).await;
    wait_until("the answer contains the note", async || {
        texts(window, ".answer article").await.iter().any(|article| article.contains("Wash it"))
    })
    .await;
}

/// Opens a problem and one of its reports.
async fn open_problem(window: &Client) {
    wait_for_focus(window, ".answer", "ask for a note").await;
    press(window, "5").await;
    wait_for(window, "#problem-0").await;
    wait_for_focus(window, ".queue", "problems").await;
    press(window, &key_text(Key::Enter)).await;
    wait_for(window, ".problem [data-list=reports] button").await;
    press(window, &key_text(Key::Enter)).await;
    wait_for_focus(window, ".problem [data-list=reports] button", "open a problem").await;
    press(window, &key_text(Key::Down)).await;
    press(window, &key_text(Key::Enter)).await;
    wait_for_focus(window, "article.reader", "open a report of a problem").await;
    press_with(window, Key::Alt, char::from(Key::Left)).await;
    wait_for(window, ".problem [data-list=reports] button").await;
}

async fn change_appearance(window: &Client) {
    run_command(window, "dark").await;
    wait_until("the theme is dark", async || {
        script(window, "return document.documentElement.dataset.theme").await == "dark"
    })
    .await;
    run_command(window, "compact").await;
    wait_until("the density is compact", async || {
        script(window, "return document.documentElement.dataset.density").await == "compact"
    })
    .await;
    wait_for_focus(window, "#main *", "change the theme").await;
}

/// Adds a source after a failed attempt.
async fn add_source(window: &Client, host: &str) {
    press(window, "4").await;
    wait_for_focus(window, "[role=listbox]", "sources").await;
    press(window, "a").await;
    wait_for_focus(window, "#add-project", "add a source").await;
    press(window, &format!("pump{}", key_text(Key::Enter))).await;
    wait_for(window, ".add [role=alert]").await;
    wait_for_focus(window, "#add-project", "a refused source").await;
    replace(window, "acme/pump").await;
    wait_until_gone(window, ".add [role=alert]").await;
    tab_to(window, "#add-host").await;
    replace(window, host).await;
    tab_to(window, ".add input[type=checkbox]").await;
    press(window, " ").await;
    tab_to(window, ".add [type=submit]").await;
    press(window, &key_text(Key::Enter)).await;
    wait_until("the source is synced", async || {
        texts(window, ".detail dd").await.first().is_some_and(|n| n == "30")
    })
    .await;
    wait_for_focus(window, "[role=listbox]", "a new source").await;
    wait_for_jobs(window).await;
}

/// Cancels a rebuild of the index, then completes it.
async fn cancel_indexing(window: &Client) {
    run_command(window, "Rebuild the search index").await;
    wait_for(window, "footer progress").await;
    run_command(window, "Cancel").await;
    wait_for_message(window, "Stopped").await;
    wait_until_gone(window, "footer progress").await;
    run_command(window, "Update the search index").await;
    wait_for_jobs(window).await;
}

async fn import(window: &Client, export: &Path, changelog: &Path) {
    run_command(window, "Import").await;
    wait_for_focus(window, "#import-paths", "import").await;
    press(window, export.to_str().unwrap()).await;
    press(window, &key_text(Key::Enter)).await;
    wait_for_text(window, ".contents", "2 items").await;
    wait_for_focus(window, ".add-source .primary", "preview an import").await;
    press(window, &key_text(Key::Enter)).await;
    wait_for_message(window, "2 new records").await;
    wait_for_focus(window, "[role=listbox]", "an import").await;
    wait_for_jobs(window).await;
    // A changelog contains releases but no items.
    run_command(window, "Import").await;
    wait_for_focus(window, "#import-paths", "import a changelog").await;
    press(window, changelog.to_str().unwrap()).await;
    press(window, &key_text(Key::Tab)).await;
    replace(window, "acme/heron").await;
    press(window, &key_text(Key::Enter)).await;
    wait_for_text(window, ".contents", "2 releases").await;
    wait_for_focus(window, ".add-source .primary", "preview a changelog").await;
    press(window, &key_text(Key::Enter)).await;
    wait_for_message(window, "2 releases").await;
    wait_for_jobs(window).await;
}

async fn write_article(window: &Client) {
    run_command(window, "ferrywire/ferrywire#1").await;
    wait_for_focus(window, "article.reader", "open a solved report").await;
    press(window, "A").await;
    wait_for(window, "dialog[open] .paper :is(h1, h2, h3)").await;
    tab_to(window, "dialog[open] .primary").await;
    press(window, &key_text(Key::Enter)).await;
    wait_until("the article is saved", async || exists(window, "dialog[open] .result").await).await;
    press(window, &key_text(Key::Escape)).await;
    wait_for_focus(window, "article.reader", "leave the article").await;
}

#[tokio::test]
async fn all_tasks_work_by_keyboard() {
    let github = FakeGitHub::new("acme/pump");
    github.world().fill(30, 10);
    let home = tempfile::tempdir().unwrap();
    let [log, export, changelog, brief] =
        ["agent.log", "export.csv", "CHANGELOG.md", "case.md"].map(|file| home.path().join(file));
    write_log(&log);
    std::fs::write(&export, EXPORT).unwrap();
    std::fs::write(&changelog, CHANGELOG).unwrap();
    drive_sample(home.path(), "Adwaita", async move |window| {
        wait_until_ready(&window).await;
        ask_and_export(&window, &brief).await;
        read_and_filter(&window, &log).await;
        triage_reports(&window).await;
        write_note(&window).await;
        open_problem(&window).await;
        change_appearance(&window).await;
        add_source(&window, &github.host).await;
        cancel_indexing(&window).await;
        import(&window, &export, &changelog).await;
        write_article(&window).await;
    })
    .await;
}
