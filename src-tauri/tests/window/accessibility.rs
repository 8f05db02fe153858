//! Checks of every view with axe.

use fantoccini::{Client, key::Key};
use serde_json::{Value, json};

use crate::driver::{
    VIEWS, click_text, drive_sample, press, press_ctrl, wait_for, wait_until_gone, wait_until_ready,
};

/// Returns the violations that axe finds, each with its rule and first elements.
async fn axe_violations(window: &Client, axe: &str) -> Vec<Value> {
    window.execute(axe, Vec::new()).await.unwrap();
    let run = "const done = arguments[0];
        axe.run(document, { resultTypes: ['violations'] }).then(
            (found) => done(found.violations.map((v) => ({
                rule: v.id, help: v.help, at: v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160) + ' :: ' + (n.any[0]?.message ?? '')),
            }))),
            (error) => done([{ rule: 'failed', help: String(error) }]))";
    serde_json::from_value(window.execute_async(run, Vec::new()).await.unwrap()).unwrap()
}

async fn check_every_view(theme: &str, contrast: &'static str) {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../ui/node_modules/axe-core/axe.min.js");
    let Ok(source) = std::fs::read_to_string(source) else {
        eprintln!("SKIPPED: axe-core is missing; run npm --prefix ui ci");
        return;
    };
    // As the body of a function, axe finds no module loader and adds itself to the window.
    let axe = format!("if (!window.axe) {{ {source}\n }}");
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), theme, async move |window| {
        wait_until_ready(&window).await;
        if contrast == "more" {
            press_ctrl(&window, '6').await;
            click_text(&window, ".choice[aria-label=Contrast] button", "More").await;
            wait_for(&window, "html[data-contrast=more]").await;
        }
        let mut violations = Vec::new();
        for (key, ready) in VIEWS {
            press_ctrl(&window, key).await;
            wait_for(&window, ready).await;
            wait_until_gone(&window, "[aria-busy=true]").await;
            violations.extend(
                axe_violations(&window, &axe)
                    .await
                    .into_iter()
                    .map(|v| json!({ "view": key.to_string(), "violation": v })),
            );
        }
        press_ctrl(&window, '1').await;
        let report =
            "Agent fails with x509: certificate signed by unknown authority after the upgrade";
        wait_for(&window, "#query").await.send_keys(report).await.unwrap();
        press_ctrl(&window, char::from(Key::Enter)).await;
        wait_for(&window, ".answer article").await;
        violations.extend(axe_violations(&window, &axe).await);
        press_ctrl(&window, '3').await;
        press(&window, "a").await;
        wait_for(&window, "#note-title").await;
        violations.extend(axe_violations(&window, &axe).await);
        press_ctrl(&window, '4').await;
        press(&window, "a").await;
        wait_for(&window, ".add").await;
        violations.extend(axe_violations(&window, &axe).await);
        press_ctrl(&window, '6').await;
        click_text(&window, "section[aria-labelledby=model] button", "Add a model").await;
        wait_for(&window, "#model-name").await;
        violations.extend(axe_violations(&window, &axe).await);
        press_ctrl(&window, 'k').await;
        wait_for(&window, "#palette").await;
        violations.extend(axe_violations(&window, &axe).await);
        assert!(violations.is_empty(), "{}", serde_json::to_string_pretty(&violations).unwrap());
    })
    .await;
}

#[tokio::test]
async fn axe_finds_nothing_in_any_view_light() {
    check_every_view("Adwaita", "system").await;
}

#[tokio::test]
async fn axe_finds_nothing_in_any_view_dark() {
    check_every_view("Adwaita:dark", "system").await;
}

#[tokio::test]
async fn axe_finds_nothing_with_more_contrast() {
    check_every_view("Adwaita", "more").await;
}
