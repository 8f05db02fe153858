//! Settings: another model is brought in, answers, and goes again.

use std::path::Path;

use fantoccini::Client;

use crate::driver::{click_words, drive, is_there, press_ctrl, shot, text, texts, wait_for, wait_until};

const MODELS: &str = "section[aria-labelledby=model]";

/// The folder of the built-in model, under another name: its vectors are the same, and the way is that of any model.
fn another_model(to: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/builtin");
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        // What is brought in gets a card of its own.
        if entry.file_name() != "card.json" && entry.file_name() != "README.md" {
            std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

async fn standing(window: &Client, model: &str) -> String {
    text(window, &format!("tr[data-model={model}] td:nth-of-type(3)")).await
}

#[tokio::test]
async fn another_model_is_brought_in_answers_and_goes() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let model = home.path().join("field-model");
    another_model(&model);
    let args = ["--casebook", casebook.to_str().unwrap(), "--sample"];
    drive(home.path(), "Adwaita", &args, async move |window| {
        wait_for(&window, "#hit-0").await;
        wait_until("the jobs have ended", async || !is_there(&window, "footer progress").await).await;
        press_ctrl(&window, '7').await;
        wait_until("the built-in model is listed", async || standing(&window, "builtin").await == "answers")
            .await;

        click_words(&window, &format!("{MODELS} button"), "Bring another model in").await;
        // What is fetched by name says from where; what is here already is not offered.
        let offered = texts(&window, "#model-name option").await;
        assert!(offered.len() > 15, "{offered:?}");
        assert!(text(&window, &format!("{MODELS} .hint")).await.contains("huggingface.co"));
        shot(&window, "models").await;

        click_words(&window, &format!("{MODELS} .choice button"), "From files").await;
        let path = wait_for(&window, "#model-path").await;
        path.send_keys("/nowhere/at/all\u{e007}").await.unwrap();
        wait_until("the mistake is told", async || {
            text(&window, &format!("{MODELS} [role=alert]")).await.contains("/nowhere/at/all")
        })
        .await;
        path.clear().await.unwrap();
        path.send_keys(&format!("{}\u{e007}", model.display())).await.unwrap();
        wait_until("it is here", async || standing(&window, "field-model").await == "not used").await;

        click_words(&window, "tr[data-model=field-model] button", "Use").await;
        wait_until("it answers", async || standing(&window, "field-model").await == "answers").await;
        assert!(standing(&window, "builtin").await.ends_with("vectors kept"));
        wait_until("the window says which", async || {
            text(&window, &format!("{MODELS} strong")).await == "field-model"
        })
        .await;
        shot(&window, "models-other").await;

        click_words(&window, "tr[data-model=builtin] button", "Use").await;
        wait_until("the built-in one answers again", async || {
            standing(&window, "builtin").await == "answers"
        })
        .await;
        click_words(&window, "tr[data-model=field-model] button", "Remove").await;
        click_words(&window, "tr[data-model=field-model] button", "Remove it").await;
        wait_until("it is gone", async || !is_there(&window, "tr[data-model=field-model]").await).await;
    })
    .await;
}
