//! The main tasks with a casebook of 30,000 documents; docs/develop/testing.md describes how to create
//! it.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use fantoccini::key::Key;

use crate::{
    driver::{
        click, drive, exists, press, press_ctrl, screenshot, text, texts, wait_at_most, wait_for,
        wait_until, wait_until_gone,
    },
    fake_github::FakeGitHub,
    sources::sync_and_stop,
    triage::decide_ten,
    troubleshoot::{make_brief, save_note_twice},
};

/// A compiler crash as a user would paste it.
const REPORT: &str = "cargo build breaks off since the update, please answer to mika@customer.example\n\
    thread 'rustc' panicked at compiler/rustc_middle/src/ty/normalize_erasing_regions.rs:168:90:\n\
    Failed to normalize Alias(Opaque, AliasTy { args: [], .. }), maybe try to call `try_normalize_erasing_regions` instead\n\
    error: the compiler unexpectedly panicked. this is a bug.";

/// Returns the casebook named by `PRECEDENT_MEASURED`; prints a notice if it is unset.
pub fn measured_casebook() -> Option<PathBuf> {
    let folder = std::env::var_os("PRECEDENT_MEASURED").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: PRECEDENT_MEASURED names no casebook; see docs/develop/testing.md");
    }
    folder
}

/// Copies a folder recursively.
pub fn copy_folder(original: &Path, target: &Path) {
    std::fs::create_dir_all(target).unwrap();
    for entry in std::fs::read_dir(original).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target.join(name));
        } else if !name.to_string_lossy().contains(".before-") {
            std::fs::copy(entry.path(), target.join(name)).unwrap();
        }
    }
}

#[tokio::test]
async fn main_tasks_work_with_thirty_thousand_items() {
    let Some(original) = measured_casebook() else { return };
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    copy_folder(&original, &casebook);
    let github = FakeGitHub::new("acme/pump");
    github.world().fill(230, 410);
    let target = home.path().join("case.md");
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        let down = char::from(Key::Down).to_string();
        let enter = char::from(Key::Enter).to_string();
        // One key moves to the end of the whole list.
        let search = wait_for(&window, "#query").await;
        wait_for(&window, ".results .row.hit").await;
        let total: usize = text(&window, ".results header h2")
            .await
            .chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
            .parse()
            .unwrap();
        assert!(total > 30_000, "{total} documents");
        press(&window, &char::from(Key::Escape).to_string()).await;
        press(&window, &char::from(Key::End).to_string()).await;
        let last_row = format!("#hit-{}[aria-selected=true]", total - 1);
        wait_for(&window, &last_row).await;
        screenshot(&window, "big-end").await;

        // Find.
        press(&window, "/").await;
        search.send_keys("closure borrows a variable that is moved").await.unwrap();
        wait_until("the best results are shown", async || {
            texts(&window, ".results header h2")
                .await
                .first()
                .is_some_and(|h| h.ends_with(" results"))
                && !exists(&window, ".box.pending").await
        })
        .await;
        let first = texts(&window, ".hit .title").await.remove(0);
        press(&window, &format!("{down}{enter}")).await;
        wait_until("the thread is open", async || {
            texts(&window, "article h2").await.first() == Some(&first)
        })
        .await;
        screenshot(&window, "big-found").await;

        // Triage ten by keyboard; unchecked reports are checked in the background.
        press_ctrl(&window, '2').await;
        wait_for(&window, ".triage").await;
        press(&window, "b").await;
        // The check of thousands of reports shows the first candidates while it runs.
        let timeout = Duration::from_secs(15 * 60);
        wait_at_most(timeout, "the queue has reports", async || {
            texts(&window, ".queue [role=option]").await.len() > 10
        })
        .await;
        decide_ten(&window).await;
        screenshot(&window, "big-triage").await;
        if exists(&window, ".triage header .checking").await {
            click(&window, "footer button[data-job=triage]").await;
            wait_until_gone(&window, ".triage header .checking").await;
        }

        // Troubleshoot and export a brief.
        press_ctrl(&window, '1').await;
        make_brief(&window, REPORT, &target).await;
        screenshot(&window, "big-brief").await;
        press(&window, &char::from(Key::Escape).to_string()).await;

        // Save a duplicate note.
        press_ctrl(&window, '3').await;
        wait_for(&window, ".notes .blank").await;
        save_note_twice(&window).await;
        assert_eq!(texts(&window, ".notes [role=option]").await.len(), 1);

        // Add another source, and stop a sync.
        press_ctrl(&window, '4').await;
        wait_for(&window, ".detail").await;
        press(&window, "a").await;
        sync_and_stop(&window, &github).await;
        assert_eq!(texts(&window, ".sources [role=option]").await.len(), 2);
    })
    .await;
}
