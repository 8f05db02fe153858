//! Deciding about possible duplicates without a mouse.

use std::time::{Duration, Instant};

use fantoccini::Client;
use precedent_core::{
    Task,
    model::{SyncRequest, VerdictKind},
};
use precedent_engine::{Casebook, OpenOptions};
use serde_json::json;

use crate::{
    driver::{
        at_rest, click_words, drive, is_there, press, press_ctrl, shot, text, texts, wait_for,
        wait_until,
    },
    fake_github::FakeGitHub,
};

/// Returns the key of the compared report.
async fn compared_key(window: &Client) -> String {
    text(window, "section[aria-label^='Report:'] .role button").await
}

/// Returns twelve pairs of nearly identical reports of an invented program.
pub fn pairs() -> String {
    pairs_of(&[
        "pump", "valve", "gauge", "filter", "boiler", "sensor", "relay", "nozzle", "burner",
        "hopper", "mixer", "crane",
    ])
}

/// Returns a pair of reports for each of these subjects.
pub fn pairs_of(things: &[&str]) -> String {
    let mut out = String::new();
    for (number, (thing, later)) in (1..).zip(things.iter().flat_map(|t| [(t, false), (t, true)])) {
        let body = format!(
            "The {thing} stops with PLANT-{:04} after the {thing} was calibrated on {}. See `{thing}_open_slot`.",
            1000 + (number - 1) / 2,
            if later { "4.2.1" } else { "4.1.0" },
        );
        let title = format!("{thing} stops after calibration{}", if later { " again" } else { "" });
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

/// Decides as many reports of the queue as there are keys, with those alone.
async fn decide(window: &Client, keys: &str) {
    for (at, key) in keys.chars().enumerate() {
        wait_until("a pair is compared", async || {
            let selected_key = text(window, ".queue [aria-selected=true] .key").await;
            let shown_key = compared_key(window).await;
            !shown_key.is_empty()
                && selected_key.split(' ').next().is_some_and(|number| shown_key.ends_with(number))
        })
        .await;
        let previous = compared_key(window).await;
        press(window, &key.to_string()).await;
        wait_until("the next report is there", async || compared_key(window).await != previous)
            .await;
        wait_until("it is counted", async || decided_count(window).await == at + 1).await;
    }
}

/// Decides ten reports of the queue and takes the last decision back, with keys alone.
pub async fn decide_ten(window: &Client) {
    decide(window, "drnddrnddn").await;
    let last = compared_key(window).await;
    press(window, "u").await;
    wait_until("the last decision is taken back", async || {
        decided_count(window).await == 9 && compared_key(window).await != last
    })
    .await;
}

/// Measures from the first key pressed.
#[tokio::test]
async fn twenty_pairs_take_less_than_a_minute() {
    let things = [
        "pump", "valve", "gauge", "filter", "boiler", "sensor", "relay", "nozzle", "burner",
        "hopper", "mixer", "crane", "winch", "kettle", "ladder", "mirror", "printer", "freezer",
        "compass", "turbine", "lantern", "shutter", "anchor", "bobbin",
    ];
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let folder = casebook.clone();
    let file = home.path().join("issues.jsonl");
    std::fs::write(&file, pairs_of(&things)).unwrap();
    let open = Casebook::open(OpenOptions::new(folder)).await.unwrap();
    open.import_github("acme/plant", &file, &Task::new()).await.unwrap();
    drop(open);
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        at_rest(&window).await;
        press_ctrl(&window, '2').await;
        wait_for(&window, ".triage").await;
        press(&window, "b").await;
        wait_until("the queue is checked", async || {
            // All reports say nearly the same, so each of them but the first has a candidate.
            text(&window, ".triage header .end").await.starts_with("47 to review")
                && !is_there(&window, ".triage header .checking").await
        })
        .await;
        let began = Instant::now();
        decide(&window, "drnddrnddndrnddrnddn").await;
        let took = began.elapsed();
        println!("twenty pairs decided in {:.1} s", took.as_secs_f64());
        assert!(took < Duration::from_secs(60), "{took:?}");
    })
    .await;
}

#[tokio::test]
async fn ten_reports_can_be_decided_by_keyboard() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let folder = casebook.clone();
    let file = home.path().join("issues.jsonl");
    std::fs::write(&file, pairs()).unwrap();
    let open = async || Casebook::open(OpenOptions::new(folder.clone())).await.unwrap();
    open().await.import_github("acme/plant", &file, &Task::new()).await.unwrap();
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        at_rest(&window).await;
        press_ctrl(&window, '2').await;
        wait_for(&window, ".triage").await;
        // Everything that has a candidate, and closed ones among them.
        press(&window, "b").await;
        wait_until("all bands are shown", async || {
            is_there(&window, ".choice button:last-child[aria-pressed=true]").await
        })
        .await;
        wait_until("the check has ended", async || {
            is_there(&window, ".queue [role=option]").await
                && !is_there(&window, ".triage header .checking").await
        })
        .await;
        shot(&window, "triage").await;

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
        wait_until("all are listed", async || is_there(&window, ".compare[aria-busy=false]").await)
            .await;

        decide_ten(&window).await;

        // What a text is compared with is marked in it.
        assert!(is_there(&window, "mark.same, mark.word, mark.differs").await);
        // The view is left and found again as it was.
        press(&window, "1").await;
        // As long as keys are named beside the list, they are no text.
        wait_for(&window, "#results:focus").await;
        press(&window, "/").await;
        wait_for(&window, "#query:focus").await;
    })
    .await;
    let verdicts = open().await.verdicts(None).await.unwrap();
    // Where there is no display nothing was decided.
    if !verdicts.is_empty() {
        let of = |kind| verdicts.iter().filter(|v| v.kind == kind).count();
        assert_eq!(
            (of(VerdictKind::Duplicate), of(VerdictKind::Related), of(VerdictKind::NotDuplicate)),
            (5, 2, 2)
        );
    }
}

#[tokio::test]
async fn batch_decisions_survive_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let file = home.path().join("issues.jsonl");
    std::fs::write(&file, pairs()).unwrap();
    let open = Casebook::open(OpenOptions::new(casebook.clone())).await.unwrap();
    open.import_github("acme/plant", &file, &Task::new()).await.unwrap();
    drop(open);
    let args = ["--casebook", casebook.to_str().unwrap()];
    let enter = async |window: &Client| {
        at_rest(window).await;
        press_ctrl(window, '2').await;
        wait_until("reports wait", async || {
            is_there(window, ".queue [role=option]").await
                && is_there(window, ".compare").await
                && !is_there(window, ".triage header .checking").await
        })
        .await;
    };
    let decided_items = "ul[aria-label='Decided today'] li";
    drive(home.path(), "Adwaita", &args, async move |window| {
        enter(&window).await;
        press(&window, "x").await;
        let first = compared_key(&window).await;
        press(&window, "j").await;
        wait_until("the next pair is compared", async || {
            let shown_key = compared_key(&window).await;
            !shown_key.is_empty()
                && shown_key != first
                && is_there(&window, ".compare[aria-busy=false]").await
        })
        .await;
        press(&window, "x").await;
        wait_until("two are marked", async || {
            text(&window, ".verdicts .marked").await.contains("2 selected reports")
        })
        .await;
        shot(&window, "triage-marked").await;
        press(&window, "n").await;
        wait_until("both are counted", async || decided_count(&window).await == 2).await;
        assert!(
            text(&window, "footer .toast").await.contains("Marked 2 reports as not duplicates.")
        );
    })
    .await;
    drive(home.path(), "Adwaita", &args, async move |window| {
        enter(&window).await;
        wait_until("the day is known", async || decided_count(&window).await == 2).await;
        press(&window, "U").await;
        wait_until("what was decided is listed", async || {
            texts(&window, decided_items).await.len() == 2
        })
        .await;
        shot(&window, "triage-done").await;
        press(&window, "u").await;
        wait_until("the last one is taken back", async || {
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
    let open = Casebook::open(OpenOptions::new(&casebook)).await.unwrap();
    open.add_mirror("acme/app", &github.host, false).await.unwrap();
    open.sync(SyncRequest::default(), &Task::new()).await.unwrap();
    for key in ["acme/app#2", "acme/app#3"] {
        open.record_verdict(key, "acme/app#1", VerdictKind::Duplicate, None, "ann").await.unwrap();
    }
    drop(open);
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        at_rest(&window).await;
        github.requests();
        press_ctrl(&window, '2').await;
        wait_until("it says how many", async || {
            texts(&window, ".triage header button")
                .await
                .iter()
                .any(|b| b == "Close 2 at the tracker…")
        })
        .await;
        press(&window, "w").await;
        wait_until("what would be sent is shown", async || {
            let previews = texts(&window, ".closing[open] article > pre").await;
            previews.len() == 2
                && previews.iter().all(|comment| comment.starts_with("Duplicate of #1"))
        })
        .await;
        shot(&window, "closing").await;
        assert!(github.requests().is_empty(), "a preview sends no request");

        click_words(&window, ".closing footer button", "Comment and close 2 reports").await;
        wait_until("both are closed", async || {
            texts(&window, ".closing .outcome").await == ["Closed", "Closed"]
        })
        .await;
        shot(&window, "closing-done").await;
        for number in [2, 3] {
            let texts = github.world().texts(number);
            assert_eq!(
                texts.iter().filter(|t| t.starts_with("Duplicate of #1")).count(),
                1,
                "{texts:?}"
            );
        }
        click_words(&window, ".closing footer button", "Done").await;
        wait_until("nothing is left to tell", async || {
            !texts(&window, ".triage header button")
                .await
                .iter()
                .any(|b| b.contains("at the tracker"))
        })
        .await;
    })
    .await;
}
