//! Triage of possible duplicates by keyboard.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use fantoccini::Client;
use precedent_core::{
    Task,
    model::{SyncRequest, VerdictKind},
};
use precedent_engine::{Casebook, OpenOptions};
use serde_json::json;

use crate::{
    driver::{
        click_text, drive, exists, press, press_ctrl, screenshot, text, texts, wait_for,
        wait_for_text, wait_until, wait_until_ready,
    },
    fake_github::{FakeGitHub, github_source},
};

/// Returns the key of the compared report.
pub async fn compared_key(window: &Client) -> String {
    text(window, "section[aria-label^='Report:'] .role button").await
}

/// Returns twelve pairs of nearly identical reports of an invented program.
pub fn pairs() -> String {
    report_pairs(&[
        "pump", "valve", "gauge", "filter", "boiler", "sensor", "relay", "nozzle", "burner",
        "hopper", "mixer", "crane",
    ])
}

/// Creates a casebook with these records in each of the sources.
pub async fn create_casebook(home: &Path, records: &str, sources: &[&str]) -> PathBuf {
    let casebook = home.join("casebook");
    let file = home.join("issues.jsonl");
    std::fs::write(&file, records).unwrap();
    let handle = Casebook::open(OpenOptions::new(&casebook)).await.unwrap();
    for source in sources {
        handle.import_github(source, &file, &Task::new()).await.unwrap();
    }
    casebook
}

/// Returns a pair of reports for each of these subjects.
pub fn report_pairs(subjects: &[&str]) -> String {
    let mut out = String::new();
    for (number, (subject, is_second)) in
        (1..).zip(subjects.iter().flat_map(|t| [(t, false), (t, true)]))
    {
        let body = format!(
            "The {subject} stops with PLANT-{:04} after the {subject} was calibrated on {}. See `{subject}_open_slot`.",
            1000 + (number - 1) / 2,
            if is_second { "4.2.1" } else { "4.1.0" },
        );
        let title =
            format!("{subject} stops after calibration{}", if is_second { " again" } else { "" });
        let day = format!("2026-{:02}-{:02}T08:00:00Z", 4 + number / 28, 1 + number % 28);
        let record = json!({
            "number": number, "id": number, "title": title, "body": body, "state": "open", "user": {"login": "ada"},
            "created_at": day, "updated_at": day, "comments": 0, "labels": [{"name": "bug"}],
            "html_url": format!("https://tracker.example/acme/plant/issues/{number}"),
        });
        out.push_str(&format!("{record}\n"));
    }
    out
}

/// Returns the number in the header: `9 of 12 decided today` gives 9.
pub async fn decided_count(window: &Client) -> usize {
    let header = text(window, ".triage header .end").await;
    let first = header.split(' ').next().and_then(|n| n.parse().ok());
    first.filter(|_| header.contains("decided today")).unwrap_or(0)
}

/// Decides one report of the queue with each key.
async fn decide(window: &Client, keys: &str) {
    for (index, key) in keys.chars().enumerate() {
        wait_until("a pair is compared", async || {
            let selected_key = text(window, ".queue [aria-selected=true] .key").await;
            let shown_key = compared_key(window).await;
            !shown_key.is_empty()
                && selected_key.split(' ').next().is_some_and(|number| shown_key.ends_with(number))
        })
        .await;
        let previous_key = compared_key(window).await;
        press(window, &key.to_string()).await;
        wait_until("the next report is shown", async || compared_key(window).await != previous_key)
            .await;
        wait_until("the verdict is counted", async || decided_count(window).await == index + 1)
            .await;
    }
}

/// Decides ten reports of the queue and undoes the last verdict, by keyboard.
pub async fn decide_ten(window: &Client) {
    decide(window, "drnddrnddn").await;
    let last_key = compared_key(window).await;
    press(window, "u").await;
    wait_until("the last verdict is undone", async || {
        decided_count(window).await == 9 && compared_key(window).await != last_key
    })
    .await;
}

#[tokio::test]
async fn twenty_pairs_take_less_than_a_minute() {
    let subjects = [
        "pump", "valve", "gauge", "filter", "boiler", "sensor", "relay", "nozzle", "burner",
        "hopper", "mixer", "crane", "winch", "kettle", "ladder", "mirror", "printer", "freezer",
        "compass", "turbine", "lantern", "shutter", "anchor", "bobbin",
    ];
    let home = tempfile::tempdir().unwrap();
    let casebook = create_casebook(home.path(), &report_pairs(&subjects), &["acme/plant"]).await;
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        wait_until_ready(&window).await;
        press_ctrl(&window, '2').await;
        wait_for(&window, ".triage").await;
        press(&window, "b").await;
        wait_until("the queue is checked", async || {
            // All reports are nearly the same, so each except the first has a candidate.
            text(&window, ".triage header .end").await.starts_with("47 to review")
                && !exists(&window, ".triage header .checking").await
        })
        .await;
        let start = Instant::now();
        decide(&window, "drnddrnddndrnddrnddn").await;
        let elapsed = start.elapsed();
        println!("twenty pairs decided in {:.1} s", elapsed.as_secs_f64());
        assert!(elapsed < Duration::from_secs(60), "{elapsed:?}");
    })
    .await;
}

#[tokio::test]
async fn ten_reports_can_be_decided_by_keyboard() {
    let home = tempfile::tempdir().unwrap();
    let casebook = create_casebook(home.path(), &pairs(), &["acme/plant"]).await;
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        wait_until_ready(&window).await;
        press_ctrl(&window, '2').await;
        wait_for(&window, ".triage").await;
        // Show every report that has a candidate.
        press(&window, "b").await;
        wait_until("all bands are shown", async || {
            exists(&window, ".choice button:last-child[aria-pressed=true]").await
        })
        .await;
        wait_until("the check has ended", async || {
            exists(&window, ".queue [role=option]").await
                && !exists(&window, ".triage header .checking").await
        })
        .await;
        screenshot(&window, "triage").await;

        press(&window, "m").await;
        wait_until("the report is mine", async || {
            texts(&window, ".triage header button").await.iter().any(|name| name == "Mine 1")
        })
        .await;
        press(&window, "f").await;
        wait_until("only mine is listed", async || {
            texts(&window, ".queue [role=option]").await.len() == 1
                && text(&window, ".queue .mine").await == "mine"
        })
        .await;
        press_ctrl(&window, 'z').await;
        wait_until("none is mine", async || {
            text(&window, ".blank").await.contains("No waiting report is assigned to you.")
        })
        .await;
        press(&window, "f").await;
        wait_until("all are listed", async || exists(&window, ".compare[aria-busy=false]").await)
            .await;

        decide_ten(&window).await;

        // Common and differing words are marked.
        assert!(exists(&window, "mark.same, mark.word, mark.differs").await);
        press(&window, "1").await;
        // While the list shows keyboard hints, keys are not typed into the box.
        wait_for(&window, "#results:focus").await;
        press(&window, "/").await;
        wait_for(&window, "#query:focus").await;
    })
    .await;
    let handle = Casebook::open(OpenOptions::new(&casebook)).await.unwrap();
    let verdicts = handle.verdicts(None).await.unwrap();
    // Without a display, nothing was decided.
    if !verdicts.is_empty() {
        let count = |kind| verdicts.iter().filter(|v| v.kind == kind).count();
        assert_eq!(
            (
                count(VerdictKind::Duplicate),
                count(VerdictKind::Related),
                count(VerdictKind::NotDuplicate)
            ),
            (5, 2, 2)
        );
    }
}

#[tokio::test]
async fn batch_decisions_survive_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let casebook = create_casebook(home.path(), &pairs(), &["acme/plant"]).await;
    let args = ["--casebook", casebook.to_str().unwrap()];
    let open_triage = async |window: &Client| {
        wait_until_ready(window).await;
        press_ctrl(window, '2').await;
        wait_until("the queue has reports", async || {
            exists(window, ".queue [role=option]").await
                && exists(window, ".compare").await
                && !exists(window, ".triage header .checking").await
        })
        .await;
    };
    let decided_items = "ul[aria-label='Decided today'] li";
    drive(home.path(), "Adwaita", &args, async move |window| {
        open_triage(&window).await;
        press(&window, "x").await;
        let first_key = compared_key(&window).await;
        press(&window, "j").await;
        wait_until("the next pair is compared", async || {
            let shown_key = compared_key(&window).await;
            !shown_key.is_empty()
                && shown_key != first_key
                && exists(&window, ".compare[aria-busy=false]").await
        })
        .await;
        press(&window, "x").await;
        wait_for_text(&window, ".verdicts .marked", "2 selected reports").await;
        screenshot(&window, "triage-marked").await;
        press(&window, "n").await;
        wait_until("both are counted", async || decided_count(&window).await == 2).await;
        assert!(
            text(&window, "footer .toast").await.contains("Marked 2 reports as not duplicates.")
        );
    })
    .await;
    drive(home.path(), "Adwaita", &args, async move |window| {
        open_triage(&window).await;
        wait_until("today's verdicts are counted", async || decided_count(&window).await == 2)
            .await;
        press(&window, "U").await;
        wait_until("the decided reports are listed", async || {
            texts(&window, decided_items).await.len() == 2
        })
        .await;
        screenshot(&window, "triage-done").await;
        press(&window, "u").await;
        wait_until("the last verdict is undone", async || {
            decided_count(&window).await == 1 && texts(&window, decided_items).await.len() == 1
        })
        .await;
    })
    .await;
}

#[tokio::test]
async fn closing_duplicates_previews_the_comments() {
    let github = FakeGitHub::new("acme/app");
    github.world().fill(4, 4);
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let handle = Casebook::open(OpenOptions::new(&casebook)).await.unwrap();
    handle.add_tracker(github_source("acme/app", &github.host, false)).await.unwrap();
    handle.sync(SyncRequest::default(), &Task::new()).await.unwrap();
    for key in ["acme/app#2", "acme/app#3"] {
        handle
            .record_verdict(key, "acme/app#1", VerdictKind::Duplicate, None, "ann")
            .await
            .unwrap();
    }
    drop(handle);
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        wait_until_ready(&window).await;
        github.requests();
        press_ctrl(&window, '2').await;
        wait_until("the button shows the count", async || {
            texts(&window, ".triage header button")
                .await
                .iter()
                .any(|b| b == "Close 2 on the tracker…")
        })
        .await;
        press(&window, "w").await;
        wait_until("the comments are previewed", async || {
            let previews = texts(&window, ".closing[open] article > pre").await;
            previews.len() == 2
                && previews.iter().all(|comment| comment.starts_with("Duplicate of #1"))
        })
        .await;
        screenshot(&window, "closing").await;
        assert!(github.requests().is_empty(), "a preview sends no request");

        click_text(&window, ".closing footer button", "Comment and close 2 reports").await;
        wait_until("both are closed", async || {
            texts(&window, ".closing .outcome").await == ["Closed", "Closed"]
        })
        .await;
        screenshot(&window, "closing-done").await;
        for number in [2, 3] {
            let texts = github.world().comment_texts(number);
            assert_eq!(
                texts.iter().filter(|t| t.starts_with("Duplicate of #1")).count(),
                1,
                "{texts:?}"
            );
        }
        click_text(&window, ".closing footer button", "Done").await;
        wait_until("the button is gone", async || {
            !texts(&window, ".triage header button")
                .await
                .iter()
                .any(|b| b.contains("on the tracker"))
        })
        .await;
    })
    .await;
}
