//! The main jobs over a casebook of 30,000 documents. It is too large to be kept here:
//! docs/develop/testing.md says how it is made.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use fantoccini::key::Key;

use crate::{
    driver::{
        click, drive, is_there, press, press_ctrl, shot, text, texts, wait_at_most, wait_for,
        wait_until,
    },
    fake_github::FakeGitHub,
    sources::sync_and_stop,
    triage::decide_ten,
    troubleshoot::{make_brief, note_twice},
};

/// A compiler that breaks off, as somebody would paste it.
const REPORT: &str = "cargo build breaks off since the update, please answer to mika@customer.example\n\
    thread 'rustc' panicked at compiler/rustc_middle/src/ty/normalize_erasing_regions.rs:168:90:\n\
    Failed to normalize Alias(Opaque, AliasTy { args: [], .. }), maybe try to call `try_normalize_erasing_regions` instead\n\
    error: the compiler unexpectedly panicked. this is a bug.";

/// Returns the casebook named by `PRECEDENT_MEASURED`; prints a notice if it is unset.
pub fn original() -> Option<PathBuf> {
    let folder = std::env::var_os("PRECEDENT_MEASURED").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: PRECEDENT_MEASURED names no casebook; see docs/develop/testing.md");
    }
    folder
}

/// Makes a writable copy.
pub fn copy_of(original: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(original).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if entry.path().is_dir() {
            copy_of(&entry.path(), &to.join(name));
        } else if !name.to_string_lossy().contains(".before-") {
            std::fs::copy(entry.path(), to.join(name)).unwrap();
        }
    }
}

#[tokio::test]
async fn main_tasks_work_with_thirty_thousand_items() {
    let Some(original) = original() else { return };
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    copy_of(&original, &casebook);
    let github = FakeGitHub::new("acme/pump");
    github.world().fill(230, 410);
    let target = home.path().join("case.md");
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        let down = char::from(Key::Down).to_string();
        let enter = char::from(Key::Enter).to_string();
        // Everything is there to be scrolled through, and its end is reached by one key.
        let search = wait_for(&window, "#query").await;
        wait_for(&window, ".results .row.hit").await;
        let total: usize = text(&window, ".results header span")
            .await
            .chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .unwrap();
        assert!(total > 30_000, "{total} documents");
        press(&window, &char::from(Key::Escape).to_string()).await;
        press(&window, &char::from(Key::End).to_string()).await;
        let last = format!("#hit-{}[aria-selected=true]", total - 1);
        wait_for(&window, &last).await;
        shot(&window, "big-end").await;

        // Find.
        press(&window, "/").await;
        search.send_keys("closure borrows a variable that is moved").await.unwrap();
        wait_until("the best results are there", async || {
            texts(&window, ".results header h2")
                .await
                .first()
                .is_some_and(|h| h.ends_with(" results"))
                && !is_there(&window, ".box.pending").await
        })
        .await;
        let first = texts(&window, ".hit .title").await.remove(0);
        press(&window, &format!("{down}{enter}")).await;
        wait_until("the thread is read", async || {
            texts(&window, "article h2").await.first() == Some(&first)
        })
        .await;
        shot(&window, "big-found").await;

        // Triage ten by keyboard; unchecked reports are checked in the background.
        press_ctrl(&window, '2').await;
        wait_for(&window, ".triage").await;
        press(&window, "b").await;
        // The check goes through thousands of open reports, and the first that wait are shown while
        // it runs.
        let patience = Duration::from_secs(15 * 60);
        wait_at_most(patience, "reports wait", async || {
            texts(&window, ".queue [role=option]").await.len() > 10
        })
        .await;
        decide_ten(&window).await;
        shot(&window, "big-triage").await;
        if is_there(&window, ".triage header .checking").await {
            click(&window, "footer button[data-job=triage]").await;
            wait_until("the check has stopped", async || {
                !is_there(&window, ".triage header .checking").await
            })
            .await;
        }

        // Troubleshoot, and hand a brief over.
        press_ctrl(&window, '1').await;
        make_brief(&window, REPORT, &target).await;
        shot(&window, "big-brief").await;
        press(&window, &char::from(Key::Escape).to_string()).await;

        // A note that is there already.
        press_ctrl(&window, '3').await;
        wait_for(&window, ".notes .blank").await;
        note_twice(&window).await;
        assert_eq!(texts(&window, ".notes [role=option]").await.len(), 1);

        // Another source beside it, and a sync that is stopped.
        press_ctrl(&window, '4').await;
        wait_for(&window, ".detail").await;
        press(&window, "a").await;
        sync_and_stop(&window, &github).await;
        assert_eq!(texts(&window, ".sources [role=option]").await.len(), 2);
    })
    .await;
}
