//! Settings: another model is brought in, answers, and goes again; a file of settings that is
//! wrong.

use std::path::{Path, PathBuf};

use fantoccini::Client;

use crate::driver::{
    at_rest, click_words, drive, drive_sample, is_there, press, press_ctrl, script, shot, text,
    texts, wait_for, wait_until,
};

const MODELS: &str = "section[aria-labelledby=model]";

/// Copies the built-in model to a folder under another name, as any other model.
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

async fn model_state(window: &Client, model: &str) -> String {
    text(window, &format!("tr[data-model={model}] td:nth-of-type(3)")).await
}

#[tokio::test]
async fn model_can_be_imported_used_and_removed() {
    let home = tempfile::tempdir().unwrap();
    let model = home.path().join("field-model");
    another_model(&model);
    drive_sample(home.path(), "Adwaita", async move |window| {
        at_rest(&window).await;
        press_ctrl(&window, '6').await;
        wait_until("the built-in model is listed", async || {
            model_state(&window, "builtin").await == "in use"
        })
        .await;

        // Nobody is asked unless a person chose so.
        assert_eq!(
            script(&window, "return document.querySelector('#sync-every').value").await,
            "0"
        );
        click_words(&window, &format!("{MODELS} button"), "Add a model").await;
        // What is fetched by name says from where; what is here already is not offered.
        let options = texts(&window, "#model-name option").await;
        assert!(options.len() > 15, "{options:?}");
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
        wait_until("it is here", async || {
            model_state(&window, "field-model").await == "not in use"
        })
        .await;

        click_words(&window, "tr[data-model=field-model] button", "Use").await;
        wait_until("it answers", async || model_state(&window, "field-model").await == "in use")
            .await;
        assert!(model_state(&window, "builtin").await.ends_with("index kept"));
        wait_until("the window says which", async || {
            text(&window, &format!("{MODELS} strong")).await == "field-model"
        })
        .await;
        shot(&window, "models-other").await;

        click_words(&window, "tr[data-model=builtin] button", "Use").await;
        wait_until("the built-in one answers again", async || {
            model_state(&window, "builtin").await == "in use"
        })
        .await;
        click_words(&window, "tr[data-model=field-model] button", "Remove").await;
        click_words(&window, "tr[data-model=field-model] button", "Remove it").await;
        wait_until("it is gone", async || !is_there(&window, "tr[data-model=field-model]").await)
            .await;
    })
    .await;
}

/// Writes a file of settings into a home.
fn write_settings(home: &Path, settings: &str) -> PathBuf {
    let file = home.join("config/precedent/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, settings).unwrap();
    file
}

const WRONG: &str = ".window > .banner";

#[tokio::test]
async fn invalid_settings_file_is_set_aside() {
    let home = tempfile::tempdir().unwrap();
    let file = write_settings(home.path(), "source = \"acme/app\"\nsearch.limit = \n");
    let meanwhile = home.path().join("data/precedent/casebook");
    drive(home.path(), "Adwaita", &[], async move |window| {
        wait_for(&window, ".welcome").await;
        let message = text(&window, WRONG).await;
        let place = format!("{}: line 2, column 16: not valid TOML", file.display());
        assert!(
            message.contains(&place) && message.contains(&*meanwhile.to_string_lossy()),
            "{message}"
        );
        shot(&window, "settings-wrong").await;

        // By key, as everything.
        let focused_text = "return document.activeElement.textContent.trim()";
        wait_until("Tab comes to the button", async || {
            press(&window, "\u{e004}").await;
            script(&window, focused_text).await == "Set the file aside"
        })
        .await;
        press(&window, "\u{e007}").await;
        wait_until("it is told no more", async || !is_there(&window, WRONG).await).await;
        let aside = file.with_file_name("config.before-reset-1.toml");
        wait_until("it is told where the file is", async || {
            text(&window, ".toasts").await.contains(&*aside.to_string_lossy())
        })
        .await;
        assert!(!file.exists());
        assert!(
            std::fs::read_to_string(&aside).unwrap().contains("acme/app"),
            "nothing of it is lost"
        );
        assert!(is_there(&window, ".welcome").await);
    })
    .await;
}

#[tokio::test]
async fn invalid_setting_leaves_the_others_in_force() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("elsewhere");
    let casebook_line = format!("casebook = {:?}\n", casebook.to_str().unwrap());
    let file = write_settings(home.path(), &format!("{casebook_line}[search]\nlimit = 501\n"));
    drive(home.path(), "Adwaita", &[], async move |window| {
        wait_for(&window, ".welcome").await;
        let message = text(&window, WRONG).await;
        for part in [
            "config.toml: line 3, column 1: invalid value \"501\" for search.limit",
            "from 1 to 500",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
        assert!(
            message.contains(&format!("the casebook in {} is open", casebook.display())),
            "{message}"
        );
        assert!(casebook.join("precedent.db").is_file());
        // The user repairs the file meanwhile.
        std::fs::write(&file, &casebook_line).unwrap();
        click_words(&window, &format!("{WRONG} button"), "Set the file aside").await;
        wait_until("it is told that it is right", async || {
            text(&window, ".toasts").await.contains("The settings are valid now")
        })
        .await;
        assert!(!is_there(&window, WRONG).await);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), casebook_line);
    })
    .await;
}
