//! The map of clusters, by keyboard.

use precedent_core::{Task, model::VerdictKind};
use precedent_engine::{Casebook, OpenOptions};

use crate::{
    driver::{drive, is_there, press, press_ctrl, script, shot, text, texts, wait_for, wait_until},
    triage::pairs_of,
};

#[tokio::test]
async fn clusters_can_be_explored_by_keyboard() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("casebook");
    let file = home.path().join("issues.jsonl");
    // All of them are in the two clusters, so that a check in the background adds none.
    std::fs::write(&file, pairs_of(&["pump", "valve", "gauge"])).unwrap();
    let casebook = Casebook::open(OpenOptions::new(folder.clone())).await.unwrap();
    casebook.import_github("acme/plant", &file, &Task::new()).await.unwrap();
    for (report, stays) in [(2, 1), (4, 3), (5, 3), (6, 1)] {
        let (report, stays) = (format!("acme/plant#{report}"), format!("acme/plant#{stays}"));
        casebook.record_verdict(&report, &stays, VerdictKind::Duplicate, None, "ada").await.unwrap();
    }
    drop(casebook);
    let args = ["--casebook", folder.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        wait_for(&window, "#hit-0").await;
        press_ctrl(&window, '6').await;
        wait_for(&window, "g[role=button]").await;
        let heads = "return [...document.querySelectorAll('g[role=button]')].map(g => g.dataset.key).join(' ')";
        assert_eq!(script(&window, heads).await, "acme/plant#1 acme/plant#3");
        assert!(text(&window, ".one").await.contains("3 reports, 3 open"));
        // Five questions are asked at once, and none ends another.
        wait_until("the questions are answered", async || {
            text(&window, ".questions").await.contains("open for more than a year")
        })
        .await;
        assert!(!is_there(&window, ".questions [role=alert]").await);
        shot(&window, "clusters").await;
        // A number opens its list.
        script(&window, "document.querySelector('[aria-label=\"Known duplicates: 3\"]').click()").await;
        wait_until("the duplicates are listed", async || {
            texts(&window, ".known[open] [role=option]").await.len() == 3
        })
        .await;
        shot(&window, "known").await;
        press(&window, &char::from(fantoccini::key::Key::Escape).to_string()).await;
        wait_until("the list is away", async || !is_there(&window, ".known[open]").await).await;
        // The first circle is in the order of the tab key; an arrow goes to the next.
        script(&window, "document.querySelector('g[tabindex=\"0\"]').focus()").await;
        let key = "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight', bubbles: true}))";
        script(&window, key).await;
        wait_until("the second cluster is shown", async || {
            text(&window, ".one").await.contains("acme/plant#4")
        })
        .await;
        assert_eq!(script(&window, "return document.activeElement.dataset.key").await, "acme/plant#3");
        script(&window, "document.querySelectorAll('.one .member')[1].focus()").await;
        script(&window, "document.activeElement.click()").await;
        wait_until("the report is open", async || {
            script(&window, "return document.body.innerText").await.as_str().is_some_and(|t| t.contains("valve stops after calibration again"))
        })
        .await;
    })
    .await;
}
