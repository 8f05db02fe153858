//! Adding a source, watching it sync, stopping it, and what went wrong with its remedy.

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
        click, click_words, drive, is_there, jobs_end, press, press_ctrl, script, shot, text,
        texts, wait_for, wait_until,
    },
    fake_github::{FakeGitHub, Fault},
    fake_tracker::{FakeTracker, Shape},
};

pub async fn fill(window: &Client, css: &str, value: &str) {
    let field = wait_for(window, css).await;
    field.clear().await.unwrap();
    field.send_keys(value).await.unwrap();
}

/// Fills the form that is open, watches the sync, and stops another one that hangs.
pub async fn sync_and_stop(window: &Client, github: &FakeGitHub) {
    fill(window, "#add-project", "acme/pump").await;
    fill(window, "#add-host", &github.host).await;
    // The invented tracker has no wiki.
    click(window, ".add input[type=checkbox]").await;
    press(window, &char::from(Key::Enter).to_string()).await;
    wait_until("it is synced", async || {
        let figures = texts(window, ".detail dd").await;
        figures.first().is_some_and(|n| n == "230") && figures.contains(&"410".to_owned())
    })
    .await;
    // The message goes by itself, and may be gone before the indexes are made.
    wait_until("a message says so", async || {
        text(window, ".toasts").await.contains("new or changed")
    })
    .await;
    jobs_end(window).await;
    assert!(text(window, ".detail header .quiet").await.contains("127.0.0.1"));
    shot(window, "sources").await;

    // A sync that hangs is stopped, and the window goes on.
    github.fail("/issues", 1, Fault::Slow(Duration::from_secs(120)));
    click_words(window, ".detail .buttons button", "Sync").await;
    click(window, "footer button[data-job=sync]").await;
    wait_until("it has stopped", async || {
        is_there(window, ".detail .buttons .primary:enabled").await
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
        click_words(&window, ".welcome button", "Connect a tracker").await;
        wait_for(&window, "#add-project").await;
        shot(&window, "add-source").await;
        // What is no project is said so, with the remedy.
        press(&window, "pump\u{e007}").await;
        wait_until("the mistake is told", async || {
            text(&window, ".add [role=alert]").await.contains("owner/name")
        })
        .await;

        sync_and_stop(&window, &github).await;

        // A tracker that refuses the token says what to do about it.
        let refusal = json!({"message": "Bad credentials"});
        github.fail("/repos/", 9, Fault::Status(401, vec![], refusal));
        click_words(&window, ".detail .buttons button", "Sync").await;
        wait_until("the refusal is shown with its remedy", async || {
            texts(&window, ".detail [role=alert] span").await.iter().any(|hint| !hint.is_empty())
        })
        .await;
        wait_until("the rail shows that a source needs a look", async || {
            is_there(&window, "#view-sources .dot").await
        })
        .await;
        shot(&window, "sources-failing").await;
        github.world().clear_faults();

        // The settings list the allowed hosts.
        press(&window, "6").await;
        wait_until("the host is listed", async || {
            text(&window, "section[aria-labelledby=privacy] tbody").await.contains("acme/pump")
        })
        .await;
        shot(&window, "settings").await;

        // Removing asks first.
        press(&window, "4").await;
        click_words(&window, ".detail .buttons button", "Remove").await;
        click_words(&window, ".confirm button", "Remove").await;
        wait_until("it is gone", async || {
            text(&window, ".sources .blank").await.contains("No sources")
        })
        .await;
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
        click_words(&window, ".welcome button", "Connect a tracker").await;
        // The address of an issue list names the kind, the host and the project.
        fill(&window, "#add-project", &format!("{host}/projects/app/issues")).await;
        wait_until("it is told what it is", async || {
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
        shot(&window, "add-redmine").await;

        // An invalid name is reported with the expected form.
        fill(&window, "#add-project", "acme/app").await;
        press(&window, &char::from(Key::Enter).to_string()).await;
        wait_until("the mistake is told", async || {
            text(&window, ".add [role=alert]").await.contains("identifier")
        })
        .await;

        // It wants a key, and says so before anything is fetched.
        fill(&window, "#add-project", &format!("{host}/projects/app")).await;
        click(&window, ".add input[type=checkbox]").await;
        fill(&window, "#add-called", "acme/pump").await;
        press(&window, &char::from(Key::Enter).to_string()).await;
        wait_until("the refusal is shown with its remedy", async || {
            texts(&window, ".add [role=alert] span").await.iter().any(|hint| !hint.is_empty())
        })
        .await;
        shot(&window, "redmine-refused").await;
        assert!(
            !is_there(&window, ".sources [role=option]").await,
            "what cannot be read is not kept"
        );
        let key_value = "return document.querySelector('#add-called').value";
        assert_eq!(script(&window, key_value).await, "acme/pump", "what was typed stands there");

        // Open again, it is mirrored like any other.
        redmine.content().token = None;
        click_words(&window, ".add .buttons button", "Test, add and sync").await;
        wait_until("it is synced", async || {
            let figures = texts(&window, ".detail dd").await;
            figures.first().is_some_and(|n| n == "12") && figures.contains(&"30".to_owned())
        })
        .await;
    })
    .await;
}

/// Returns a casebook with a source imported from another casebook's file.
async fn with_source_of_another(home: &Path) -> Casebook {
    let other_casebook = Casebook::open(OpenOptions::new(home.join("theirs"))).await.unwrap();
    let new = NewMirror {
        tracker: "github".to_owned(),
        place: "acme/pump".to_owned(),
        host: Some("git.acme.example".to_owned()),
        key: None,
        wiki: false,
    };
    other_casebook.add_tracker(new).await.unwrap();
    let file = home.join("theirs.casebook");
    other_casebook.export(&file, false, false, &Task::new()).await.unwrap();
    let casebook = Casebook::open(OpenOptions::new(home.join("casebook"))).await.unwrap();
    casebook.import_casebook(&file, |_| {}, &Task::new()).await.unwrap();
    casebook
}

#[tokio::test]
async fn imported_host_can_be_trusted_by_keyboard() {
    let home = tempfile::tempdir().unwrap();
    let casebook_handle = with_source_of_another(home.path()).await;
    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        let is_trusted = async || {
            let mirrors = casebook_handle.mirrors().await.unwrap();
            assert_eq!(mirrors.len(), 1);
            mirrors.iter().flat_map(|m| &m.gaps).all(|gap| gap.kind != GapKind::Untrusted)
        };
        let asks = async || {
            texts(&window, ".detail .gap").await.iter().any(|gap| gap.contains("confirm that you trust it"))
        };
        wait_for(&window, "#view-sources").await;
        press_ctrl(&window, '4').await;
        wait_until("it asks whether the host is known", async || asks().await).await;
        assert!(!is_trusted().await, "not confirmed yet");
        shot(&window, "sources-untrusted").await;

        let focused_text =
            "return document.activeElement.matches('.gap button') ? document.activeElement.textContent : ''";
        let tab = char::from(Key::Tab).to_string();
        wait_until("Tab comes to the button", async || {
            press(&window, &tab).await;
            script(&window, focused_text).await == "Trust git.acme.example"
        })
        .await;
        press(&window, &char::from(Key::Enter).to_string()).await;
        wait_until("it asks no more", async || !asks().await).await;
        assert!(is_trusted().await);
        wait_until("a message says so", async || {
            text(&window, ".toasts").await.contains("git.acme.example now gets its saved token")
        })
        .await;
        assert!(is_there(&window, ".detail .gap").await, "that it was never synced is still told");
    })
    .await;
}
