//! Pasted reports with their answers and briefs, and duplicate notes.

use std::path::Path;

use fantoccini::{Client, key::Key};

use crate::{
    driver::{
        click_text, drive_sample, exists, press, press_ctrl, screenshot, script, text, texts,
        wait_for, wait_for_text, wait_until, wait_until_ready,
    },
    sources::fill,
};

const REPORT: &str = "Agents do not connect since we replaced the certificate\n\
    ERROR fw_agent::link tls: invalid peer certificate: UnknownIssuer\n\
    Please answer to mika@customer.example, host 192.0.2.41.";

/// Pastes a report and waits for its answer.
async fn ask(window: &Client, report: &str) {
    // Some drivers would press Enter at line breaks, so set the text as a paste would.
    let paste = "const box = document.querySelector('#query'); box.value = arguments[0];
        box.dispatchEvent(new InputEvent('input', { bubbles: true }))";
    wait_for(window, "#query").await;
    window.execute(paste, vec![report.into()]).await.unwrap();
    press_ctrl(window, char::from(Key::Enter)).await;
    wait_until("the answer and its evidence are shown", async || {
        exists(window, ".bar .first .key").await && exists(window, ".answer article").await
    })
    .await;
}

/// Pastes a report that names `mika@customer.example`, excludes one item, and exports the brief.
pub async fn make_brief(window: &Client, report: &str, target: &Path) {
    ask(window, report).await;
    screenshot(window, "answer").await;

    // Exclude the first item by keyboard.
    press(window, "jx").await;
    wait_until("one item is excluded", async || {
        exists(window, ".answer input:not(:checked)").await
    })
    .await;
    press(window, "e").await;
    wait_until("the brief is shown", async || !text(window, ".paper .title").await.is_empty())
        .await;
    wait_for_text(window, ".paper .hidden tbody", "mika@customer.example").await;
    screenshot(window, "brief").await;
    fill(window, ".brief .field", target.to_str().unwrap()).await;
    let name = target.file_name().unwrap().to_str().unwrap();
    click_text(window, ".brief button", "Export").await;
    wait_for_text(window, ".brief .text", name).await;
    let brief = std::fs::read_to_string(target).unwrap();
    assert!(!brief.contains("mika@customer.example"), "{brief}");
}

/// Saves the same note twice and checks that the second is rejected.
pub async fn save_note_twice(window: &Client) {
    for round in 0..2 {
        press(window, "a").await;
        fill(window, "#note-title", "Restart the agent after a new certificate").await;
        fill(window, "#note-body", "The agent reads the chain once, at its start.").await;
        press_ctrl(window, char::from(Key::Enter)).await;
        if round == 0 {
            wait_until("the note is saved", async || exists(window, ".notes article h2").await)
                .await;
        }
    }
    wait_for_text(window, ".blocked", "already exists").await;
}

#[tokio::test]
async fn report_leads_to_a_brief() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("case.md");
    drive_sample(home.path(), "Adwaita", async move |window| {
        wait_until_ready(&window).await;
        press_ctrl(&window, '1').await;
        make_brief(&window, REPORT, &target).await;
        let brief = std::fs::read_to_string(&target).unwrap();
        assert!(brief.contains("ferrywire/ferrywire#"), "{brief}");
        // An existing file is replaced only on request.
        click_text(&window, ".brief button", "Export").await;
        wait_until("confirmation is requested", async || {
            exists(&window, ".brief [role=alert]").await
        })
        .await;
        click_text(&window, ".brief .choose ~ button", "Replace").await;
        wait_until("the file is replaced", async || exists(&window, ".brief .text").await).await;
        // The dialog makes the rest of the page inert, and the clipboard needs a user gesture.
        click_text(&window, ".brief button", "Copy").await;
        wait_until("the brief is copied", async || {
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
async fn uncertain_redactions_can_be_kept() {
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("case.md");
    drive_sample(home.path(), "Adwaita", async move |window| {
        wait_until_ready(&window).await;
        press_ctrl(&window, '1').await;
        let report = format!(
            "Hello, this is Berta Brandt from Blue Harbour.\n\n{REPORT}\n\nBest regards,\nBerta Brandt"
        );
        ask(&window, &report).await;
        press(&window, "e").await;
        wait_until("the uncertain matches are listed", async || {
            texts(&window, ".paper .doubtful label").await.iter().any(|label| label.contains("Blue Harbour"))
        })
        .await;
        assert!(text(&window, ".paper .hidden tbody").await.contains("Berta Brandt"), "a signer is a person");
        let checked_count = "return [...document.querySelectorAll('.doubtful label')]
            .filter((one) => one.textContent.includes('Blue Harbour') && one.querySelector('input').checked).length";
        assert_eq!(script(&window, checked_count).await, 1, "at first it is replaced");
        screenshot(&window, "brief-doubtful").await;
        // The scroll bar of the box would cover the dialog.
        let overflow = "return getComputedStyle(document.querySelector('#query')).overflowY";
        assert_eq!(script(&window, overflow).await, "hidden");

        // The space bar clears the checkbox.
        let focus_checkbox = "return [...document.querySelectorAll('.doubtful label')]
            .find((one) => one.textContent.includes('Blue Harbour')).querySelector('input').focus()";
        script(&window, focus_checkbox).await;
        press(&window, " ").await;
        wait_until("it is kept and still listed", async || {
            !exists(&window, ".paper[aria-busy=true]").await
                && script(&window, checked_count).await == 0
                && texts(&window, ".paper .doubtful label").await.iter().any(|label| label.contains("Blue Harbour"))
        })
        .await;
        let is_focused = "return document.activeElement.matches('.doubtful input')";
        assert_eq!(script(&window, is_focused).await, true, "the checkbox keeps the focus");
        fill(&window, ".brief .field", target.to_str().unwrap()).await;
        click_text(&window, ".brief button", "Export").await;
        wait_until("the file is written", async || exists(&window, ".brief .text").await).await;
        let brief = std::fs::read_to_string(&target).unwrap();
        let body = |text: &str| text.split("<!--").next().unwrap().to_owned();
        assert!(body(&brief).contains("Blue Harbour") && !brief.contains("Brandt"), "{brief}");

        click_text(&window, ".doubtful label", "Blue Harbour").await;
        wait_until("it is replaced again", async || {
            !exists(&window, ".paper[aria-busy=true]").await && script(&window, checked_count).await == 1
        })
        .await;
        click_text(&window, ".brief button", "Export").await;
        click_text(&window, ".brief .choose ~ button", "Replace").await;
        wait_until("the file is replaced", async || exists(&window, ".brief .text").await).await;
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
                && exists(&window, ".answer .standing").await
        })
        .await;
        screenshot(&window, "answer-named").await;
    })
    .await;
}

#[tokio::test]
async fn duplicate_note_is_shown_and_not_stored() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita:dark", async move |window| {
        wait_until_ready(&window).await;
        press_ctrl(&window, '3').await;
        wait_for(&window, ".notes .blank").await;
        save_note_twice(&window).await;
        screenshot(&window, "note-blocked").await;
        assert_eq!(texts(&window, ".notes [role=option]").await.len(), 1);
        click_text(&window, ".blocked button", "Save anyway").await;
        wait_until("two notes are listed", async || {
            texts(&window, ".notes [role=option]").await.len() == 2
        })
        .await;
        click_text(&window, ".notes .buttons button", "Remove").await;
        click_text(&window, ".notes .confirm button", "Remove").await;
        wait_until("one note is listed", async || {
            texts(&window, ".notes [role=option]").await.len() == 1
        })
        .await;
    })
    .await;
}
