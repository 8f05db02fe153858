//! A new user's first steps: imports from Jira, GitLab, Zendesk and Azure DevOps, and a question.

use std::path::Path;

use fantoccini::Client;

use crate::driver::{
    click_text, drive, drive_sample, press, press_ctrl, script, text, texts, wait_for,
    wait_for_text, wait_until, wait_until_ready,
};
use crate::files::paste;

/// An export, its item count, a customer's question, and the expected answer.
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

async fn import_export(window: &Client, file: &Path, items: &str, sources: usize) {
    if sources == 1 {
        click_text(window, ".welcome button", "Import files").await;
    } else {
        press(window, "a").await;
        click_text(window, ".add-source button", "Import files").await;
    }
    paste(window, "#import-paths", file.to_str().unwrap()).await;
    click_text(window, ".add-source button", "Preview").await;
    wait_for_text(window, ".contents", items).await;
    click_text(window, ".add-source button.primary", "Import").await;
    wait_until("the source is listed", async || {
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
                import_export(&window, &exports.join(file), items, n + 1).await;
            }
            press_ctrl(&window, '1').await;
            for (_, _, question, answer) in EXPORTS {
                paste(&window, "#query", question).await;
                press_ctrl(&window, char::from(fantoccini::key::Key::Enter)).await;
                wait_until(answer, async || text(&window, ".answer").await.contains(answer)).await;
            }
        },
    )
    .await;
}

#[tokio::test]
async fn shortcut_keys_are_not_typed_into_the_box() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async |window| {
        wait_until_ready(&window).await;
        wait_for(&window, "#results:focus").await;
        press(&window, "D").await;
        wait_for(&window, ".answer article").await;
        press(&window, "jjx").await;
        let query_value = "return document.querySelector('#query').value";
        assert!(!script(&window, query_value).await.as_str().unwrap().contains("jjx"));
        assert_eq!(script(&window, "return document.activeElement.matches('.answer')").await, true);
    })
    .await;
}
