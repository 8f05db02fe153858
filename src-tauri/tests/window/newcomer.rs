//! A new user's path: what Jira, GitLab, Zendesk and Azure DevOps export is brought in, and the
//! first question is answered.

use std::path::Path;

use fantoccini::Client;

use crate::driver::{
    at_rest, click_words, drive, drive_sample, press, press_ctrl, script, text, texts, wait_for,
    wait_until,
};
use crate::files::paste;

/// An export, its items, what a customer would say, and what helps.
const EXPORTS: [(&str, &str, &str, &str); 4] = [
    (
        "jira.csv",
        "3 items",
        "after the power went out our kiln only gets to 80 degrees",
        "load the programme again",
    ),
    ("gitlab.csv", "2 items", "loom stops, yarn was wet, LM-404", "dry the yarn"),
    (
        "zendesk.json",
        "2 items",
        "fuse goes every evening, fryer says FR-31",
        "heating element's seal",
    ),
    (
        "azure.csv",
        "2 items",
        "scale shows 0 kg after we restarted the crane app",
        "saving the calibration before the restart",
    ),
];

async fn bring_in(window: &Client, file: &Path, items: &str, sources: usize) {
    if sources == 1 {
        click_words(window, ".welcome button", "Import files").await;
    } else {
        press(window, "a").await;
        click_words(window, ".adding button", "Import files").await;
    }
    paste(window, "#import-paths", file.to_str().unwrap()).await;
    click_words(window, ".adding button", "Preview").await;
    wait_until("what it holds is told", async || text(window, ".found").await.contains(items))
        .await;
    click_words(window, ".adding button.primary", "Import").await;
    wait_until("it is among the sources", async || {
        texts(window, "[role=listbox] [role=option]").await.len() == sources
    })
    .await;
}

#[tokio::test]
async fn export_of_each_tracker_gives_a_first_answer() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let exports = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/exports");
    drive(
        home.path(),
        "Adwaita",
        &["--casebook", casebook.to_str().unwrap()],
        async move |window| {
            for (n, (file, items, ..)) in EXPORTS.iter().enumerate() {
                bring_in(&window, &exports.join(file), items, n + 1).await;
            }
            press_ctrl(&window, '1').await;
            for (_, _, question, helps) in EXPORTS {
                paste(&window, "#query", question).await;
                press_ctrl(&window, char::from(fantoccini::key::Key::Enter)).await;
                wait_until(helps, async || text(&window, ".answer").await.contains(helps)).await;
            }
        },
    )
    .await;
}

#[tokio::test]
async fn keys_named_at_the_start_type_nothing() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async |window| {
        at_rest(&window).await;
        wait_for(&window, "#results:focus").await;
        press(&window, "D").await;
        wait_for(&window, ".answer article").await;
        press(&window, "jjx").await;
        let typed = "return document.querySelector('#query').value";
        assert!(!script(&window, typed).await.as_str().unwrap().contains("jjx"));
        assert_eq!(script(&window, "return document.activeElement.matches('.answer')").await, true);
    })
    .await;
}
