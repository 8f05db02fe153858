//! A support engineer's morning in one window, by keys alone.

use std::path::Path;

use fantoccini::{Client, key::Key};
use serde_json::json;

use crate::{
    driver::{
        at_rest, drive_sample, is_there, jobs_end, press, press_ctrl, press_with, script, shot,
        text, texts, wait_for, wait_until,
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

fn name(key: Key) -> String {
    char::from(key).to_string()
}

/// Waits until the focus is on such an element.
async fn focused(window: &Client, css: &str, task: &str) {
    let ask = "return document.activeElement.matches(arguments[0])";
    wait_until(&format!("{task}: the focus is on {css}"), async || {
        window.execute(ask, vec![json!(css)]).await.unwrap() == true
    })
    .await;
}

/// Goes from control to control until the focus is on such an element.
async fn tab_to(window: &Client, css: &str) {
    let ask = "return document.activeElement.matches(arguments[0])";
    for _ in 0..40 {
        if window.execute(ask, vec![json!(css)]).await.unwrap() == true {
            return;
        }
        press(window, &name(Key::Tab)).await;
    }
    panic!("Tab never came to {css}");
}

/// Replaces what stands in the field that has the focus.
async fn replace(window: &Client, value: &str) {
    press_ctrl(window, 'a').await;
    press(window, value).await;
}

async fn command(window: &Client, words: &str) {
    press_ctrl(window, 'k').await;
    focused(window, "#palette", words).await;
    press(window, words).await;
    wait_until(&format!("the palette offers {words}"), async || {
        text(window, "#commands [aria-selected=true] .title")
            .await
            .to_lowercase()
            .contains(&words.to_lowercase())
    })
    .await;
    press(window, &name(Key::Enter)).await;
    wait_until("the palette is closed", async || !is_there(window, "dialog[open] #palette").await)
        .await;
}

async fn says(window: &Client, words: &str) {
    wait_until(&format!("it is said: {words}"), async || {
        text(window, ".toasts").await.contains(words)
    })
    .await;
}

/// Asks a pasted trace, reads the second match and comes back, copies the reply, and makes the
/// brief.
async fn ask_and_hand_over(window: &Client, brief: &Path) {
    press(window, "/").await;
    // The next key belongs to the box.
    press(window, TRACE[0]).await;
    for line in &TRACE[1..] {
        press_with(window, Key::Shift, char::from(Key::Enter)).await;
        press(window, line).await;
    }
    press_ctrl(window, 'a').await;
    press_ctrl(window, 'x').await;
    press_ctrl(window, 'v').await;
    let pasted = "return document.querySelector('#query').value";
    wait_until("the trace is pasted", async || script(window, pasted).await == TRACE.join("\n"))
        .await;
    press_ctrl(window, char::from(Key::Enter)).await;
    focused(window, ".answer", "ask").await;
    wait_until("the fix is read", async || {
        text(window, ".answer .fix").await.contains("3.1.2")
            || texts(window, ".answer .fixed").await.iter().any(|fix| fix.starts_with("fixed in"))
    })
    .await;

    press(window, "j").await;
    wait_for(window, ".answer article:nth-of-type(2)[aria-current=true]").await;
    let second = "return document.querySelector('.answer [aria-current=true]').dataset.doc";
    let key = script(window, second).await.as_str().unwrap().to_owned();
    press(window, "o").await;
    wait_until("the second match is read", async || {
        text(window, "article .where").await.contains(&key)
    })
    .await;
    focused(window, "article.reader", "read the second match").await;
    press_with(window, Key::Alt, char::from(Key::Left)).await;
    focused(window, ".answer", "come back").await;
    assert_eq!(script(window, second).await, key, "the same piece is marked");

    press(window, "r").await;
    says(window, "Copied a reply").await;

    press(window, "e").await;
    wait_for(window, ".paper .title").await;
    tab_to(window, ".brief .field").await;
    replace(window, brief.to_str().unwrap()).await;
    press(window, &name(Key::Enter)).await;
    wait_until("the brief is written", async || is_there(window, ".brief .text").await).await;
    assert!(!std::fs::read_to_string(brief).unwrap().contains("mika@customer.example"));
    press(window, &name(Key::Escape)).await;
    focused(window, ".answer", "leave the brief").await;
}

/// Reads a log by its path and goes to its errors, then filters by a label that is completed.
async fn read_and_filter(window: &Client, log: &Path) {
    press(window, "/").await;
    replace(window, log.to_str().unwrap()).await;
    press(window, &name(Key::Enter)).await;
    wait_for(window, ".answer article .severity").await;
    focused(window, ".answer", "read a log").await;
    press(window, "jx").await;
    wait_until("the second error is open", async || {
        is_there(window, ".answer article:nth-of-type(2)[aria-current=true] .evidence").await
    })
    .await;

    press(window, "/").await;
    replace(window, "version:3.").await;
    wait_for(window, "#completion-0").await;
    press(window, &name(Key::Tab)).await;
    wait_until("the version is completed", async || {
        let query = script(window, "return document.querySelector('#query').value").await;
        query.as_str().is_some_and(|query| query.starts_with("version:3.") && query.ends_with(' '))
    })
    .await;
    replace(window, "label:dupl").await;
    wait_for(window, "#completion-0").await;
    press(window, &format!("{0}{1}", name(Key::Down), name(Key::Enter))).await;
    wait_until("the label is completed", async || {
        script(window, "return document.querySelector('#query').value").await == "label:duplicate "
    })
    .await;
    wait_until("only such reports are listed", async || {
        !is_there(window, ".box.pending").await
            && texts(window, ".row.hit .labels, .row.hit .meta")
                .await
                .iter()
                .all(|meta| meta.contains("duplicate"))
    })
    .await;
    press(window, &name(Key::Down)).await;
    press(window, &name(Key::Enter)).await;
    focused(window, "article.reader", "read a filtered report").await;
}

/// Decides three pairs, takes one back, and puts one off.
async fn triage(window: &Client) {
    press(window, "2").await;
    wait_for(window, ".compare").await;
    focused(window, ".queue", "triage").await;
    for (at, key) in ["d", "r", "n"].iter().enumerate() {
        wait_until("a pair is compared", async || {
            let row = text(window, ".queue [aria-selected=true] .key").await;
            let shown = text(window, "section[aria-label^='Report:'] .role button").await;
            row.split(' ').next().is_some_and(|number| !row.is_empty() && shown.ends_with(number))
        })
        .await;
        press(window, key).await;
        wait_until("it is counted", async || {
            text(window, ".triage header .end").await.starts_with(&format!("{} of", at + 1))
        })
        .await;
    }
    press(window, "u").await;
    wait_until("one is taken back", async || {
        text(window, ".triage header .end").await.starts_with("2 of")
    })
    .await;
    focused(window, ".queue", "take a decision back").await;
    let put_off = text(window, ".queue [aria-selected=true] .title").await;
    press(window, "z").await;
    wait_until("it is put off", async || {
        text(window, ".triage header .end").await.contains("1 snoozed")
            && text(window, ".queue [aria-selected=true] .title").await != put_off
    })
    .await;
    focused(window, ".queue", "snooze").await;
    shot(window, "morning-triage").await;
    press_ctrl(window, 'z').await;
    wait_until("it waits again", async || {
        text(window, ".queue [aria-selected=true] .title").await == put_off
    })
    .await;
    press(window, "z").await;
}

/// Writes a note about the report that is read, and finds it by asking.
async fn write_a_note(window: &Client) {
    command(window, "ferrywire/ferrywire#113").await;
    focused(window, "article.reader", "open by number").await;
    press(window, "N").await;
    focused(window, "#note-title", "write a note").await;
    press(window, "Marmalade sticks the valve").await;
    tab_to(window, "#note-body").await;
    press(window, "Wash it with warm water before the restore.").await;
    press_ctrl(window, char::from(Key::Enter)).await;
    wait_until("it is stored", async || {
        text(window, ".notes article h2").await.contains("Marmalade")
    })
    .await;
    focused(window, "[role=listbox]", "store a note").await;
    press(window, "/").await;
    press(window, "marmalade on the valve").await;
    press_ctrl(window, char::from(Key::Enter)).await;
    wait_until("the note answers", async || {
        texts(window, ".answer article").await.iter().any(|piece| piece.contains("Wash it"))
    })
    .await;
}

/// Opens a problem and one of its reports.
async fn open_a_problem(window: &Client) {
    focused(window, ".answer", "ask for a note").await;
    press(window, "5").await;
    wait_for(window, "#problem-0").await;
    focused(window, ".queue", "problems").await;
    press(window, &name(Key::Enter)).await;
    wait_for(window, ".problem [data-list=reports] button").await;
    press(window, &name(Key::Enter)).await;
    focused(window, ".problem [data-list=reports] button", "open a problem").await;
    press(window, &name(Key::Down)).await;
    press(window, &name(Key::Enter)).await;
    focused(window, "article.reader", "open a report of a problem").await;
    press_with(window, Key::Alt, char::from(Key::Left)).await;
    wait_for(window, ".problem [data-list=reports] button").await;
}

async fn look_and_feel(window: &Client) {
    command(window, "dark").await;
    wait_until("it is dark", async || {
        script(window, "return document.documentElement.dataset.theme").await == "dark"
    })
    .await;
    command(window, "compact").await;
    wait_until("it is compact", async || {
        script(window, "return document.documentElement.dataset.density").await == "compact"
    })
    .await;
    focused(window, "#main *", "change the theme").await;
}

/// Fails to add a source, then adds it.
async fn add_a_source(window: &Client, host: &str) {
    press(window, "4").await;
    focused(window, "[role=listbox]", "sources").await;
    press(window, "a").await;
    focused(window, "#add-project", "add a source").await;
    press(window, &format!("pump{}", name(Key::Enter))).await;
    wait_for(window, ".add [role=alert]").await;
    focused(window, "#add-project", "a refused source").await;
    replace(window, "acme/pump").await;
    wait_until("the mistake is gone", async || !is_there(window, ".add [role=alert]").await).await;
    tab_to(window, "#add-host").await;
    replace(window, host).await;
    tab_to(window, ".add input[type=checkbox]").await;
    press(window, " ").await;
    tab_to(window, ".add [type=submit]").await;
    press(window, &name(Key::Enter)).await;
    wait_until("it is synced", async || {
        texts(window, ".detail dd").await.first().is_some_and(|n| n == "30")
    })
    .await;
    focused(window, "[role=listbox]", "a new source").await;
    jobs_end(window).await;
}

/// Starts an index and stops it, then makes it whole.
async fn stop_an_index(window: &Client) {
    command(window, "Rebuild the search index").await;
    wait_for(window, "footer progress").await;
    command(window, "Cancel").await;
    says(window, "Stopped").await;
    wait_until("nothing runs", async || !is_there(window, "footer progress").await).await;
    command(window, "Update the search index").await;
    jobs_end(window).await;
}

async fn import(window: &Client, export: &Path, changelog: &Path) {
    command(window, "Import").await;
    focused(window, "#import-paths", "import").await;
    press(window, export.to_str().unwrap()).await;
    press(window, &name(Key::Enter)).await;
    wait_until("what it holds is told", async || {
        text(window, ".contents").await.contains("2 items")
    })
    .await;
    focused(window, ".add-source .primary", "preview an import").await;
    press(window, &name(Key::Enter)).await;
    says(window, "2 new records").await;
    focused(window, "[role=listbox]", "an import").await;
    jobs_end(window).await;
    // A changelog gives releases and no item.
    command(window, "Import").await;
    focused(window, "#import-paths", "import a changelog").await;
    press(window, changelog.to_str().unwrap()).await;
    press(window, &name(Key::Tab)).await;
    replace(window, "acme/heron").await;
    press(window, &name(Key::Enter)).await;
    wait_until("its releases are told", async || {
        text(window, ".contents").await.contains("2 releases")
    })
    .await;
    focused(window, ".add-source .primary", "preview a changelog").await;
    press(window, &name(Key::Enter)).await;
    says(window, "2 releases").await;
    jobs_end(window).await;
}

async fn write_an_article(window: &Client) {
    command(window, "ferrywire/ferrywire#1").await;
    focused(window, "article.reader", "open a solved report").await;
    press(window, "A").await;
    wait_for(window, "dialog[open] .paper :is(h1, h2, h3)").await;
    tab_to(window, "dialog[open] .primary").await;
    press(window, &name(Key::Enter)).await;
    wait_until("it is a note", async || is_there(window, "dialog[open] .result").await).await;
    press(window, &name(Key::Escape)).await;
    focused(window, "article.reader", "leave the article").await;
}

#[tokio::test]
async fn morning_is_done_by_keys_alone() {
    let github = FakeGitHub::new("acme/pump");
    github.world().fill(30, 10);
    let home = tempfile::tempdir().unwrap();
    let [log, export, changelog, brief] =
        ["agent.log", "export.csv", "CHANGELOG.md", "case.md"].map(|file| home.path().join(file));
    write_log(&log);
    std::fs::write(&export, EXPORT).unwrap();
    std::fs::write(&changelog, CHANGELOG).unwrap();
    drive_sample(home.path(), "Adwaita", async move |window| {
        at_rest(&window).await;
        ask_and_hand_over(&window, &brief).await;
        read_and_filter(&window, &log).await;
        triage(&window).await;
        write_a_note(&window).await;
        open_a_problem(&window).await;
        look_and_feel(&window).await;
        add_a_source(&window, &github.host).await;
        stop_an_index(&window).await;
        import(&window, &export, &changelog).await;
        write_an_article(&window).await;
    })
    .await;
}
