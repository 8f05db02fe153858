//! A pasted report leads to what solved it, and to a brief in a file; a note that is there already
//! is not stored twice.

use std::path::Path;

use fantoccini::{Client, key::Key};

use crate::driver::{
    at_rest, click_words, drive_sample, is_there, press, press_ctrl, script, shot, text, texts,
    wait_for, wait_until,
};

const REPORT: &str = "Agents do not connect since we replaced the certificate\n\
    ERROR fw_agent::link tls: invalid peer certificate: UnknownIssuer\n\
    Please answer to mika@customer.example, host 192.0.2.41.";

/// Clears a field and fills it.
async fn fill(window: &Client, css: &str, value: &str) {
    let field = wait_for(window, css).await;
    field.clear().await.unwrap();
    field.send_keys(value).await.unwrap();
}

/// Pastes a report and waits for what is known of it.
async fn ask(window: &Client, report: &str) {
    // Enter would be a key of its own in some drivers; the text comes in as one paste would bring
    // it.
    let paste = "const box = document.querySelector('#query'); box.value = arguments[0];
        box.dispatchEvent(new InputEvent('input', { bubbles: true }))";
    wait_for(window, "#query").await;
    window.execute(paste, vec![report.into()]).await.unwrap();
    press_ctrl(window, char::from(Key::Enter)).await;
    wait_until("the answer and its evidence are there", async || {
        is_there(window, ".bar .first .key").await && is_there(window, ".answer article").await
    })
    .await;
}

/// Pastes a report that names `mika@customer.example`, takes one piece out, and writes the brief.
pub async fn make_brief(window: &Client, report: &str, target: &Path) {
    ask(window, report).await;
    shot(window, "answer").await;

    // The first piece is taken out of the brief again, by key.
    press(window, "jx").await;
    wait_until("one is taken out", async || is_there(window, ".answer input:not(:checked)").await)
        .await;
    press(window, "e").await;
    wait_until("the brief is there", async || !text(window, ".paper .title").await.is_empty())
        .await;
    wait_until("what is replaced is shown", async || {
        text(window, ".paper .hidden tbody").await.contains("mika@customer.example")
    })
    .await;
    shot(window, "brief").await;
    fill(window, ".brief .field", target.to_str().unwrap()).await;
    let name = target.file_name().unwrap().to_str().unwrap();
    click_words(window, ".brief button", "Export").await;
    wait_until("it is written", async || text(window, ".brief .text").await.contains(name)).await;
    let brief = std::fs::read_to_string(target).unwrap();
    assert!(!brief.contains("mika@customer.example"), "{brief}");
}

/// Writes the same note twice, and sees that the second one is not stored.
pub async fn note_twice(window: &Client) {
    for round in 0..2 {
        press(window, "a").await;
        fill(window, "#note-title", "Restart the agent after a new certificate").await;
        fill(window, "#note-body", "The agent reads the chain once, at its start.").await;
        press_ctrl(window, char::from(Key::Enter)).await;
        if round == 0 {
            wait_until("it is stored", async || is_there(window, ".notes article h2").await).await;
        }
    }
    wait_until("the one that is there is shown", async || {
        text(window, ".blocked").await.contains("already exists")
    })
    .await;
}

#[tokio::test]
async fn report_leads_to_a_brief() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("case.md");
    drive_sample(home.path(), "Adwaita", async move |window| {
        at_rest(&window).await;
        press_ctrl(&window, '1').await;
        make_brief(&window, REPORT, &target).await;
        let brief = std::fs::read_to_string(&target).unwrap();
        assert!(brief.contains("ferrywire/ferrywire#"), "{brief}");
        // An existing file is replaced only on request.
        click_words(&window, ".brief button", "Export").await;
        wait_until("it asks first", async || is_there(&window, ".brief [role=alert]").await).await;
        click_words(&window, ".brief .choose ~ button", "Replace").await;
        wait_until("it is written again", async || is_there(&window, ".brief .text").await).await;
        // The dialog makes the rest of the page inert, and a click of a script is no gesture of a
        // person.
        click_words(&window, ".brief button", "Copy").await;
        wait_until("it is copied", async || {
            texts(&window, ".brief .text").await.iter().any(|notice| notice == "Copied as Markdown")
        })
        .await;
        script(&window, "document.querySelector('.brief .field').select()").await;
        press_ctrl(&window, 'v').await;
        let field_value = "return document.querySelector('.brief .field').value";
        wait_until("it is on the clipboard", async || {
            script(&window, field_value)
                .await
                .as_str()
                .is_some_and(|text| text.contains("ferrywire/ferrywire#"))
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn doubtful_redactions_follow_the_choice() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("case.md");
    drive_sample(home.path(), "Adwaita", async move |window| {
        at_rest(&window).await;
        press_ctrl(&window, '1').await;
        let report = format!(
            "Hello, this is Berta Brandt from Blue Harbour.\n\n{REPORT}\n\nBest regards,\nBerta Brandt"
        );
        ask(&window, &report).await;
        press(&window, "e").await;
        wait_until("it asks about what is doubtful", async || {
            texts(&window, ".paper .doubtful label").await.iter().any(|label| label.contains("Blue Harbour"))
        })
        .await;
        assert!(text(&window, ".paper .hidden tbody").await.contains("Berta Brandt"), "who signs is a person");
        let ticks = "return [...document.querySelectorAll('.doubtful label')]
            .filter((one) => one.textContent.includes('Blue Harbour') && one.querySelector('input').checked).length";
        assert_eq!(script(&window, ticks).await, 1, "at first it is replaced");
        shot(&window, "brief-doubtful").await;
        // Its scroll bar would be painted over the dialog.
        let below = "return getComputedStyle(document.querySelector('#query')).overflowY";
        assert_eq!(script(&window, below).await, "hidden");

        // By key: the space bar takes the tick away.
        let focus = "return [...document.querySelectorAll('.doubtful label')]
            .find((one) => one.textContent.includes('Blue Harbour')).querySelector('input').focus()";
        script(&window, focus).await;
        press(&window, " ").await;
        wait_until("it may stand, and can still be replaced", async || {
            !is_there(&window, ".paper[aria-busy=true]").await
                && script(&window, ticks).await == 0
                && texts(&window, ".paper .doubtful label").await.iter().any(|label| label.contains("Blue Harbour"))
        })
        .await;
        let is_focused = "return document.activeElement.matches('.doubtful input')";
        assert_eq!(script(&window, is_focused).await, true, "the focus stays where the key was pressed");
        fill(&window, ".brief .field", target.to_str().unwrap()).await;
        click_words(&window, ".brief button", "Export").await;
        wait_until("it is written", async || is_there(&window, ".brief .text").await).await;
        let brief = std::fs::read_to_string(&target).unwrap();
        let body = |text: &str| text.split("<!--").next().unwrap().to_owned();
        assert!(body(&brief).contains("Blue Harbour") && !brief.contains("Brandt"), "{brief}");

        click_words(&window, ".doubtful label", "Blue Harbour").await;
        wait_until("it is replaced again", async || {
            !is_there(&window, ".paper[aria-busy=true]").await && script(&window, ticks).await == 1
        })
        .await;
        click_words(&window, ".brief button", "Export").await;
        click_words(&window, ".brief .choose ~ button", "Replace").await;
        wait_until("it is written again", async || is_there(&window, ".brief .text").await).await;
        let redacted_brief = std::fs::read_to_string(&target).unwrap();
        assert!(!redacted_brief.contains("Blue Harbour") && !redacted_brief.contains("Brandt"), "{redacted_brief}");
    })
    .await;
}

#[tokio::test]
async fn named_report_leads_to_its_canonical() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async move |window| {
        wait_for(&window, "#hit-0").await;
        press_ctrl(&window, '1').await;
        fill(&window, "#query", "ferrywire/ferrywire#107").await;
        press_ctrl(&window, char::from(Key::Enter)).await;
        wait_until("its canonical report comes first", async || {
            text(&window, ".bar .first").await.contains("Known")
                && is_there(&window, ".answer .standing").await
        })
        .await;
        shot(&window, "answer-named").await;
    })
    .await;
}

#[tokio::test]
async fn duplicate_note_is_shown_and_not_stored() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita:dark", async move |window| {
        at_rest(&window).await;
        press_ctrl(&window, '3').await;
        wait_for(&window, ".notes .blank").await;
        note_twice(&window).await;
        shot(&window, "note-blocked").await;
        assert_eq!(texts(&window, ".notes [role=option]").await.len(), 1);
        click_words(&window, ".blocked button", "Save anyway").await;
        wait_until("there are two", async || {
            texts(&window, ".notes [role=option]").await.len() == 2
        })
        .await;
        click_words(&window, ".notes .buttons button", "Remove").await;
        click_words(&window, ".notes .confirm button", "Remove").await;
        wait_until("there is one again", async || {
            texts(&window, ".notes [role=option]").await.len() == 1
        })
        .await;
    })
    .await;
}
