//! Items in every view: navigation, actions, pins, references and split panes.

use fantoccini::{Client, key::Key};

use crate::{
    driver::{
        click_text, drive, drive_sample, exists, press, press_ctrl, press_with, screenshot, script,
        text, texts, wait_for, wait_for_jobs, wait_for_text, wait_until, wait_until_gone,
        wait_until_ready,
    },
    triage::{create_casebook, decided_count, pairs},
};

/// The selected row of the queue.
const SELECTED_KEY: &str = ".queue [aria-selected=true] .key";
const TOAST: &str = ".toasts .toast .text";

/// Returns the label or the tag of the focused element.
async fn focused_name(window: &Client) -> String {
    let focused_element =
        "const one = document.activeElement; return one.getAttribute('aria-label') ?? one.tagName";
    script(window, focused_element).await.as_str().unwrap_or_default().to_owned()
}

/// Opens Triage and waits until a pair is ready for a verdict.
async fn open_triage(window: &Client) {
    wait_until_ready(window).await;
    press_ctrl(window, '2').await;
    wait_for(window, ".triage").await;
    press(window, "b").await;
    wait_until("all bands are shown", async || {
        exists(window, ".choice button:last-child[aria-pressed=true]").await
    })
    .await;
    wait_until("a pair is compared", async || {
        exists(window, ".compare[aria-busy=false]").await
            && !exists(window, ".triage header .checking").await
    })
    .await;
}

#[tokio::test]
async fn back_restores_the_row_and_focus() {
    let home = tempfile::tempdir().unwrap();
    let casebook = create_casebook(home.path(), &pairs(), &["acme/plant"]).await;
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        open_triage(&window).await;
        press(&window, "jj").await;
        let row = text(&window, SELECTED_KEY).await;
        let focus = focused_name(&window).await;
        assert_eq!(focus, "Reports to review");
        press(&window, "o").await;
        wait_for(&window, "article h2").await;
        assert_eq!(text(&window, "article .back").await, "← Triage");
        screenshot(&window, "reader-from-triage").await;

        press_with(&window, Key::Alt, char::from(Key::Left)).await;
        wait_until("the same row is selected", async || text(&window, SELECTED_KEY).await == row)
            .await;
        wait_until("the pane has the focus", async || focused_name(&window).await == focus).await;
        press_with(&window, Key::Alt, char::from(Key::Right)).await;
        wait_for(&window, "article h2").await;
        press(&window, "b").await;
        wait_until("b also goes back", async || text(&window, SELECTED_KEY).await == row).await;
    })
    .await;
}

#[tokio::test]
async fn undo_works_stepwise_and_key_repeat_is_ignored() {
    let home = tempfile::tempdir().unwrap();
    let casebook = create_casebook(home.path(), &pairs(), &["acme/plant"]).await;
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        open_triage(&window).await;
        // Candidates may change until all vectors exist.
        wait_for_jobs(&window).await;
        let first = text(&window, SELECTED_KEY).await;
        for (key, message) in [("d", "is a duplicate of"), ("r", "is related to")] {
            wait_for(&window, ".compare[aria-busy=false]").await;
            press(&window, key).await;
            wait_for_text(&window, TOAST, message).await;
        }
        assert_eq!(texts(&window, TOAST).await.len(), 1, "one message at a time");
        press(&window, "u").await;
        wait_until("the last verdict is undone", async || {
            let toast = text(&window, TOAST).await;
            toast.starts_with("Undone") && toast.contains("is related to")
        })
        .await;
        press_ctrl(&window, 'z').await;
        wait_until("the verdict before it is undone", async || {
            let toast = text(&window, TOAST).await;
            toast.starts_with("Undone") && toast.contains("is a duplicate of")
        })
        .await;
        wait_until("its report is selected again", async || text(&window, SELECTED_KEY).await == first).await;

        // Simulate a key that is held down.
        wait_for(&window, ".compare[aria-busy=false]").await;
        press(&window, "d").await;
        let hold_key = "for (let n = 0; n < 8; n++) document.activeElement.dispatchEvent(
            new KeyboardEvent('keydown', { key: 'd', repeat: true, bubbles: true, cancelable: true }))";
        script(&window, hold_key).await;
        wait_until("one report is decided", async || text(&window, ".triage header .end").await.starts_with("1 "))
            .await;
        script(&window, hold_key).await;
        assert_eq!(decided_count(&window).await, 1);
        screenshot(&window, "triage-undo").await;
    })
    .await;
}

#[tokio::test]
async fn pinned_item_survives_a_restart() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async |window| {
        let search = wait_for(&window, "#query").await;
        wait_until_ready(&window).await;
        search.send_keys("certificate signed by unknown authority").await.unwrap();
        wait_for(&window, ".hit .passage").await;
        wait_until_gone(&window, ".box.pending").await;
        press_ctrl(&window, 's').await;
        wait_until("the search is saved", async || text(&window, TOAST).await.starts_with("Saved"))
            .await;
        press(&window, &format!("{}{}", char::from(Key::Down), char::from(Key::Enter))).await;
        wait_for(&window, "article.reader:focus h2").await;
        let key = text(&window, "article .where").await;
        press(&window, "P").await;
        wait_until("it is pinned", async || text(&window, TOAST).await == format!("Pinned {key}."))
            .await;

        // The menu offers the same actions as the keys, and returns the focus.
        press_with(&window, Key::Shift, char::from(Key::F10)).await;
        wait_for(&window, ".menu[open] [role=menuitem]:focus").await;
        screenshot(&window, "menu").await;
        // By keyboard, because the clipboard needs a user gesture, which a scripted click is not.
        press(&window, &format!("{}{}", char::from(Key::End), char::from(Key::Enter))).await;
        let message = format!("Copied {key} as Markdown, with its text.");
        wait_until("a message appears", async || text(&window, TOAST).await == message).await;
        wait_until("the reader has the focus", async || {
            exists(&window, "article.reader:focus").await
        })
        .await;
        press(&window, "y").await;
        wait_until("a message appears", async || {
            text(&window, TOAST).await == format!("Copied {key}.")
        })
        .await;
        press(&window, "/").await;
        wait_until("the box has the focus", async || exists(&window, "#query:focus").await).await;
        press_ctrl(&window, 'a').await;
        press_ctrl(&window, 'v').await;
        let query_value = "return document.querySelector('#query').value";
        wait_until("it is on the clipboard", async || {
            script(&window, query_value).await == key.as_str()
        })
        .await;

        // A reload keeps only stored data, like a restart.
        window.refresh().await.unwrap();
        wait_for(&window, "#hit-0").await;
        wait_until("the start page lists it", async || {
            let start = text(&window, ".start").await;
            start.contains("Pinned") && start.contains(&key) && start.contains("Saved searches")
        })
        .await;
        screenshot(&window, "start").await;
        click_text(&window, ".start [data-doc]", &key).await;
        wait_until("the item is open", async || text(&window, "article .where").await == key).await;
        press_ctrl(&window, 'k').await;
        wait_for(&window, "#palette").await;
        let sections = texts(&window, "#commands .section").await;
        for section in ["Pinned", "Saved searches", "Go to"] {
            assert!(sections.iter().any(|s| s == section), "{section}: {sections:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn palette_offers_every_item_with_a_number() {
    let home = tempfile::tempdir().unwrap();
    let casebook = create_casebook(home.path(), &pairs(), &["acme/mill", "acme/plant"]).await;
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        wait_until_ready(&window).await;
        press_ctrl(&window, 'k').await;
        wait_for(&window, "#palette").await;
        // Enter before anything is found must open nothing.
        press(&window, &format!("3{}", char::from(Key::Enter))).await;
        wait_until("both are listed", async || {
            let details = texts(&window, "#commands .detail").await;
            ["acme/mill#3", "acme/plant#3"].iter().all(|key| details.iter().any(|f| f == key))
        })
        .await;
        screenshot(&window, "palette-number").await;
        let second = texts(&window, "#commands .detail").await.remove(1);
        press(&window, &format!("{}{}", char::from(Key::Down), char::from(Key::Enter))).await;
        wait_until("the chosen item is open", async || {
            text(&window, "article .where").await == second
        })
        .await;
        wait_until("the pane has the focus", async || {
            exists(&window, "article.reader:focus").await
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn draft_note_and_focus_are_kept() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async |window| {
        wait_for(&window, "#hit-0").await;
        press(&window, "/").await;
        wait_for(&window, "#query:focus").await;
        // The box is empty, so the key opens the help.
        press(&window, "?").await;
        wait_for(&window, "dialog[open] #shortcuts-title").await;
        press(&window, &char::from(Key::Escape).to_string()).await;
        wait_until_gone(&window, "dialog[open]").await;
        assert_eq!(script(&window, "return document.querySelector('#query').value").await, "");

        press_ctrl(&window, '3').await;
        wait_for(&window, ".notes .blank").await;
        press(&window, "a").await;
        wait_for(&window, "#note-title:focus").await;
        press(&window, "Half a note").await;
        press(&window, &char::from(Key::Escape).to_string()).await;
        wait_until("a message names the draft", async || {
            text(&window, TOAST).await.starts_with("Kept as a draft")
        })
        .await;
        let is_body_focused = "return document.activeElement === document.body";
        assert_eq!(script(&window, is_body_focused).await, false);
        press(&window, "a").await;
        wait_for(&window, "#note-title:focus").await;
        let title_value = "return document.querySelector('#note-title').value";
        assert_eq!(script(&window, title_value).await, "Half a note");
        wait_for(&window, "#note-body").await.send_keys("The other half.").await.unwrap();
        press_ctrl(&window, char::from(Key::Enter)).await;
        wait_until("the list has the focus", async || focused_name(&window).await == "Notes").await;
    })
    .await;
}

#[tokio::test]
async fn two_items_open_side_by_side() {
    let home = tempfile::tempdir().unwrap();
    let record = |number: u32, title: &str, body: &str| {
        serde_json::json!({"number": number, "title": title, "body": body, "state": "open", "user": {"login": "ada"},
            "created_at": "2026-04-02T08:00:00Z", "updated_at": format!("2026-04-0{number}T08:00:00Z")})
    };
    let code = "It stops here:\n\n```rust\n// Once.\nfn belt() -> u8 { wheel(\"a\", 7) }\n```\n";
    let records = [
        record(2, "Belt slips under load", code),
        record(3, "Belt squeaks in the cold", "It squeaks. ".repeat(400).as_str()),
    ];
    let records = records.map(|record| record.to_string()).join("\n");
    let casebook = create_casebook(home.path(), &records, &["acme/plant"]).await;
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        let search = wait_for(&window, "#query").await;
        search.send_keys("belt slips load").await.unwrap();
        wait_until("the report is found", async || {
            text(&window, "#hit-0 .title").await.contains("slips")
                && exists(&window, "#hit-1").await
        })
        .await;
        search.send_keys(&char::from(Key::Down).to_string()).await.unwrap();
        wait_for(&window, "#hit-0[aria-selected=true]").await;
        press(&window, &char::from(Key::Enter).to_string()).await;
        wait_for_text(&window, "article h2", "slips").await;
        wait_for(&window, "article .code-keyword").await;
        screenshot(&window, "code").await;

        press(&window, "h").await;
        press(&window, "j").await;
        wait_for(&window, "#hit-1[aria-selected=true]").await;
        press_with(&window, Key::Shift, char::from(Key::Enter)).await;
        wait_until("both panes are open", async || {
            text(&window, "[data-pane=first] h2").await.contains("slips")
                && text(&window, "[data-pane=second] h2").await.contains("squeaks")
        })
        .await;
        screenshot(&window, "pair").await;
        script(&window, "document.querySelector('[data-pane=second]').scrollTop = 300").await;
        assert_eq!(
            script(&window, "return document.querySelector('[data-pane=first]').scrollTop").await,
            0
        );

        press(&window, &char::from(Key::Escape).to_string()).await;
        wait_until_gone(&window, "[data-pane=second]").await;
        assert!(text(&window, "[data-pane=first] h2").await.contains("slips"));
    })
    .await;
}

#[tokio::test]
async fn references_become_links_in_rendered_texts() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async move |window| {
        wait_until_ready(&window).await;
        press_ctrl(&window, 'k').await;
        let enter = char::from(Key::Enter);
        wait_for(&window, "#palette")
            .await
            .send_keys(&format!("ferrywire/ferrywire#1{enter}"))
            .await
            .unwrap();
        wait_for(&window, ".prose a[data-item='ferrywire/ferrywire#4']").await;
        // By keyboard.
        script(
            &window,
            "document.querySelector('.prose a[data-item=\"ferrywire/ferrywire#4\"]').focus()",
        )
        .await;
        screenshot(&window, "references").await;
        press(&window, &enter.to_string()).await;
        wait_for_text(&window, "article .where", "#4").await;
        press_with(&window, Key::Alt, char::from(Key::Left)).await;
        wait_until("the first item is open again", async || {
            text(&window, "article .where").await.ends_with("#1")
        })
        .await;

        press_ctrl(&window, '3').await;
        press(&window, "a").await;
        wait_for(&window, "#note-title").await.send_keys("Chains").await.unwrap();
        let body = "Send the **whole chain**, see ferrywire/ferrywire#4:";
        wait_for(&window, "#note-body").await.send_keys(body).await.unwrap();
        press_ctrl(&window, enter).await;
        wait_until("the note is rendered", async || {
            texts(&window, ".notes article .prose strong").await == ["whole chain"]
        })
        .await;
        screenshot(&window, "note-rendered").await;
        click_text(&window, ".notes article .prose a", "ferrywire/ferrywire#4").await;
        wait_for_text(&window, "article .where", "#4").await;

        press_ctrl(&window, '1').await;
        wait_for(&window, "#query").await.send_keys("ferrywire/ferrywire#11").await.unwrap();
        press_ctrl(&window, enter).await;
        wait_until("code in a case is code", async || {
            exists(&window, ".answer .fix .prose code").await
                && !text(&window, ".answer .fix").await.contains('`')
        })
        .await;
    })
    .await;
}
