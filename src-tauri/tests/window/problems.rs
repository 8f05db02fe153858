//! The lists of problems, by keyboard.

use fantoccini::key::Key;
use precedent_core::{Task, model::VerdictKind};
use precedent_engine::{Casebook, OpenOptions};

use crate::{
    driver::{
        click, drive, press, press_ctrl, screenshot, script, text, texts, wait_for, wait_for_text,
        wait_until, wait_until_gone,
    },
    triage::report_pairs,
};

#[tokio::test]
async fn problems_open_with_their_reports_by_keyboard() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("casebook");
    let file = home.path().join("issues.jsonl");
    // All reports belong to the two problems, so a background check adds none.
    let reports = report_pairs(&["pump", "valve", "gauge", "filter"]);
    std::fs::write(&file, reports.replace("2026-04-09T", "2026-06-09T")).unwrap();
    let casebook = Casebook::open(OpenOptions::new(folder.clone())).await.unwrap();
    casebook.import_github("acme/plant", &file, &Task::new()).await.unwrap();
    for (report, canonical) in [(2, 1), (4, 3), (5, 3), (6, 3), (7, 3), (8, 3)] {
        let (report, canonical) =
            (format!("acme/plant#{report}"), format!("acme/plant#{canonical}"));
        casebook
            .record_verdict(&report, &canonical, VerdictKind::Duplicate, None, "ada")
            .await
            .unwrap();
    }
    drop(casebook);
    let args = ["--casebook", folder.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        let (enter, escape) =
            (char::from(Key::Enter).to_string(), char::from(Key::Escape).to_string());
        wait_for(&window, "#hit-0").await;
        press_ctrl(&window, '5').await;
        wait_for(&window, "#problem-1").await;
        wait_until_gone(&window, ".problems[aria-busy=true]").await;
        // The problem with the most reports is first.
        assert_eq!(
            texts(&window, ".problems .option .key").await,
            ["acme/plant#3", "acme/plant#1"]
        );
        assert!(text(&window, ".problems .foot").await.contains("2 problems, 8 open reports"));
        screenshot(&window, "problems").await;
        press(&window, "j").await;
        wait_for(&window, "#problem-1[aria-selected=true]").await;
        press(&window, "k").await;
        press(&window, &enter).await;
        wait_for_text(&window, ".problem", "6 reports, 6 open").await;
        // Enter moves to its reports, and the arrow keys select one.
        press(&window, &enter).await;
        press(&window, &char::from(Key::Down).to_string()).await;
        wait_until("the second report has the focus", async || {
            script(&window, "return document.activeElement.id").await == "report-acme/plant#4"
        })
        .await;
        // A bar opens the list of its reports.
        click(&window, ".problem rect[data-month='2026-06']").await;
        wait_until("the reports of one month are listed", async || {
            texts(&window, ".problem [data-list=reports] li").await.len() == 1
        })
        .await;
        assert!(text(&window, ".problem h3:has(.link)").await.contains("in Jun 2026"));
        screenshot(&window, "problem").await;
        press(&window, &escape).await;
        wait_until_gone(&window, ".problem").await;
        // A number opens its list.
        click(&window, "#tab-numbers").await;
        click(&window, "[aria-label='Known duplicates: 6']").await;
        wait_until("the duplicates are listed", async || {
            texts(&window, ".known[open] [role=option]").await.len() == 6
        })
        .await;
        press(&window, &escape).await;
        wait_until_gone(&window, ".known[open]").await;
        click(&window, "#tab-frequent").await;
        wait_for(&window, "#problem-0").await;
        press(&window, "o").await;
        wait_for_text(&window, "article .where", "acme/plant#3").await;
    })
    .await;
}
