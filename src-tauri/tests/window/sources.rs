//! Adding, syncing, stopping and trusting sources, and their errors.

use std::{path::Path, time::Duration};

use fantoccini::{Client, key::Key};
use precedent_core::{
    Task,
    model::{GapKind, NewMirror},
};
use precedent_engine::{Casebook, OpenOptions};
use serde_json::json;

use crate::{
    driver::{
        click, click_text, drive, exists, press, press_ctrl, screenshot, script, text, texts,
        wait_for, wait_for_jobs, wait_for_text, wait_until,
    },
    fake_github::{FakeGitHub, Fault},
    fake_tracker::{FakeTracker, Shape},
};

/// Replaces the content of a field.
pub async fn fill(window: &Client, css: &str, value: &str) {
    let field = wait_for(window, css).await;
    field.clear().await.unwrap();
    field.send_keys(value).await.unwrap();
}

/// Fills the open form, waits for the sync, and stops another sync that hangs.
pub async fn sync_and_stop(window: &Client, github: &FakeGitHub) {
    fill(window, "#add-project", "acme/pump").await;
    fill(window, "#add-host", &github.host).await;
    // The fake tracker has no wiki.
    click(window, ".add input[type=checkbox]").await;
    press(window, &char::from(Key::Enter).to_string()).await;
    wait_until("the source is synced", async || {
        let figures = texts(window, ".detail dd").await;
        figures.first().is_some_and(|n| n == "230") && figures.contains(&"410".to_owned())
    })
    .await;
    // The message may disappear before the indexes are complete.
    wait_for_text(window, ".toasts", "new or changed").await;
    wait_for_jobs(window).await;
    assert!(text(window, ".detail header .quiet").await.contains("127.0.0.1"));
    screenshot(window, "sources").await;

    // A sync that hangs can be stopped.
    github.fail("/issues", 1, Fault::Slow(Duration::from_secs(120)));
    click_text(window, ".detail .buttons button", "Sync").await;
    click(window, "footer button[data-job=sync]").await;
    wait_until("the sync has stopped", async || {
        exists(window, ".detail .buttons .primary:enabled").await
            && texts(window, ".toasts .toast").await.iter().any(|t| t.starts_with("Stopped"))
    })
    .await;
    github.world().clear_faults();
}

#[tokio::test]
async fn source_can_be_added_synced_and_stopped() {
    let github = FakeGitHub::new("acme/pump");
    github.world().fill(230, 410);
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        click_text(&window, ".welcome button", "Connect a tracker").await;
        wait_for(&window, "#add-project").await;
        screenshot(&window, "add-source").await;
        // An invalid project is reported with a hint.
        press(&window, "pump\u{e007}").await;
        wait_for_text(&window, ".add [role=alert]", "owner/name").await;

        sync_and_stop(&window, &github).await;

        // A rejected token is reported with a hint.
        let rejection = json!({"message": "Bad credentials"});
        github.fail("/repos/", 9, Fault::Status(401, vec![], rejection));
        click_text(&window, ".detail .buttons button", "Sync").await;
        wait_until("the rejection is shown with a hint", async || {
            texts(&window, ".detail [role=alert] span").await.iter().any(|hint| !hint.is_empty())
        })
        .await;
        wait_until("the navigation marks the sources", async || {
            exists(&window, "#view-sources .dot").await
        })
        .await;
        screenshot(&window, "sources-failing").await;
        github.world().clear_faults();

        // The settings list the allowed hosts.
        press(&window, "6").await;
        wait_for_text(&window, "section[aria-labelledby=privacy] tbody", "acme/pump").await;
        screenshot(&window, "settings").await;

        // Removing needs confirmation.
        press(&window, "4").await;
        click_text(&window, ".detail .buttons button", "Remove").await;
        click_text(&window, ".confirm button", "Remove").await;
        wait_for(&window, ".sources .welcome").await;
    })
    .await;
}

#[tokio::test]
async fn tracker_kind_is_detected_from_the_address() {
    let redmine = FakeTracker::new(Shape::Redmine, 12, 30);
    redmine.content().token = Some("the-key".to_owned());
    let host = redmine.host.clone();
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        click_text(&window, ".welcome button", "Connect a tracker").await;
        // The address of an issue list names the kind, the host and the project.
        fill(&window, "#add-project", &format!("{host}/projects/app/issues")).await;
        wait_until("the tracker is detected", async || {
            text(&window, ".add .detection").await == format!("Found app at {host} (Redmine).")
        })
        .await;
        assert_eq!(
            script(&window, "return document.querySelector('#add-tracker').value").await,
            "redmine"
        );
        assert_eq!(
            script(&window, "return document.querySelector('#add-host').value").await,
            host.as_str()
        );
        assert!(texts(&window, ".add label").await.contains(&"API key".to_owned()));
        screenshot(&window, "add-redmine").await;

        // An invalid name is reported with the expected form.
        fill(&window, "#add-project", "acme/app").await;
        press(&window, &char::from(Key::Enter).to_string()).await;
        wait_for_text(&window, ".add [role=alert]", "identifier").await;

        // A missing API key is reported before anything is fetched.
        fill(&window, "#add-project", &format!("{host}/projects/app")).await;
        click(&window, ".add input[type=checkbox]").await;
        fill(&window, "#add-name", "acme/pump").await;
        press(&window, &char::from(Key::Enter).to_string()).await;
        wait_until("the rejection is shown with a hint", async || {
            texts(&window, ".add [role=alert] span").await.iter().any(|hint| !hint.is_empty())
        })
        .await;
        screenshot(&window, "redmine-refused").await;
        assert!(
            !exists(&window, ".sources [role=option]").await,
            "an unreadable source is not added"
        );
        let key_value = "return document.querySelector('#add-name').value";
        assert_eq!(script(&window, key_value).await, "acme/pump", "the form keeps its input");

        // Once no key is required, the source can be added.
        redmine.content().token = None;
        click_text(&window, ".add .buttons button", "Test, add and sync").await;
        wait_until("the source is synced", async || {
            let figures = texts(&window, ".detail dd").await;
            figures.first().is_some_and(|n| n == "12") && figures.contains(&"30".to_owned())
        })
        .await;
    })
    .await;
}

/// Returns a casebook with a source imported from another casebook's file.
async fn import_foreign_source(home: &Path) -> Casebook {
    let other_casebook = Casebook::open(OpenOptions::new(home.join("theirs"))).await.unwrap();
    let mirror = NewMirror {
        tracker: "github".to_owned(),
        place: "acme/pump".to_owned(),
        host: Some("git.acme.example".to_owned()),
        key: None,
        wiki: false,
    };
    other_casebook.add_tracker(mirror).await.unwrap();
    let file = home.join("theirs.casebook");
    other_casebook.export(&file, false, false, &Task::new()).await.unwrap();
    let casebook = Casebook::open(OpenOptions::new(home.join("casebook"))).await.unwrap();
    casebook.import_casebook(&file, |_| {}, &Task::new()).await.unwrap();
    casebook
}

#[tokio::test]
async fn imported_host_can_be_trusted_by_keyboard() {
    let home = tempfile::tempdir().unwrap();
    let casebook_handle = import_foreign_source(home.path()).await;
    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        let is_trusted = async || {
            let mirrors = casebook_handle.mirrors().await.unwrap();
            assert_eq!(mirrors.len(), 1);
            mirrors.iter().flat_map(|m| &m.gaps).all(|gap| gap.kind != GapKind::Untrusted)
        };
        let needs_trust = async || {
            texts(&window, ".detail .gap").await.iter().any(|gap| gap.contains("confirm that you trust it"))
        };
        wait_for(&window, "#view-sources").await;
        press_ctrl(&window, '4').await;
        wait_until("the host needs confirmation", async || needs_trust().await).await;
        assert!(!is_trusted().await, "not confirmed yet");
        screenshot(&window, "sources-untrusted").await;

        let focused_text =
            "return document.activeElement.matches('.gap button') ? document.activeElement.textContent : ''";
        let tab = char::from(Key::Tab).to_string();
        wait_until("Tab reaches the button", async || {
            press(&window, &tab).await;
            script(&window, focused_text).await == "Trust git.acme.example"
        })
        .await;
        press(&window, &char::from(Key::Enter).to_string()).await;
        wait_until("the host is confirmed", async || !needs_trust().await).await;
        assert!(is_trusted().await);
        wait_for_text(&window, ".toasts", "git.acme.example now gets its saved token").await;
        assert!(exists(&window, ".detail .gap").await, "it still says that the source was never synced");
    })
    .await;
}
