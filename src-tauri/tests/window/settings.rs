//! Settings: embedding models, and an invalid settings file.

use std::path::{Path, PathBuf};

use fantoccini::Client;

use crate::driver::{
    click_text, drive, drive_sample, exists, press, press_ctrl, screenshot, script, text, texts,
    wait_for, wait_for_text, wait_until, wait_until_gone, wait_until_ready,
};

const MODELS: &str = "section[aria-labelledby=model]";

/// Copies the built-in model without its card to a folder.
fn copy_model(target: &Path) {
    let builtin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models/builtin");
    std::fs::create_dir_all(target).unwrap();
    for entry in std::fs::read_dir(builtin).unwrap() {
        let entry = entry.unwrap();
        // An import writes its own card.
        if entry.file_name() != "card.json" && entry.file_name() != "README.md" {
            std::fs::copy(entry.path(), target.join(entry.file_name())).unwrap();
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
    copy_model(&model);
    drive_sample(home.path(), "Adwaita", async move |window| {
        wait_until_ready(&window).await;
        press_ctrl(&window, '6').await;
        wait_until("the built-in model is listed", async || {
            model_state(&window, "builtin").await == "in use"
        })
        .await;

        // Automatic sync is off by default.
        assert_eq!(
            script(&window, "return document.querySelector('#sync-every').value").await,
            "0"
        );
        click_text(&window, &format!("{MODELS} button"), "Add a model").await;
        // The form names the download host.
        let options = texts(&window, "#model-name option").await;
        assert!(options.len() > 15, "{options:?}");
        assert!(text(&window, &format!("{MODELS} .hint")).await.contains("huggingface.co"));
        screenshot(&window, "models").await;

        click_text(&window, &format!("{MODELS} .choice button"), "From files").await;
        let path = wait_for(&window, "#model-path").await;
        path.send_keys("/nowhere/at/all\u{e007}").await.unwrap();
        wait_for_text(&window, &format!("{MODELS} [role=alert]"), "/nowhere/at/all").await;
        path.clear().await.unwrap();
        path.send_keys(&format!("{}\u{e007}", model.display())).await.unwrap();
        wait_until("the model is installed", async || {
            model_state(&window, "field-model").await == "not in use"
        })
        .await;

        click_text(&window, "tr[data-model=field-model] button", "Use").await;
        wait_until("the model is in use", async || {
            model_state(&window, "field-model").await == "in use"
        })
        .await;
        assert!(model_state(&window, "builtin").await.ends_with("index kept"));
        wait_until("the model in use is named", async || {
            text(&window, &format!("{MODELS} strong")).await == "field-model"
        })
        .await;
        screenshot(&window, "models-other").await;

        click_text(&window, "tr[data-model=builtin] button", "Use").await;
        wait_until("the built-in model is in use again", async || {
            model_state(&window, "builtin").await == "in use"
        })
        .await;
        click_text(&window, "tr[data-model=field-model] button", "Remove").await;
        click_text(&window, "tr[data-model=field-model] button", "Remove").await;
        wait_until_gone(&window, "tr[data-model=field-model]").await;
    })
    .await;
}

/// Writes a settings file to a home folder.
fn write_settings(home: &Path, settings: &str) -> PathBuf {
    let file = home.join("config/precedent/config.toml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, settings).unwrap();
    file
}

const BANNER: &str = ".window > .banner";

#[tokio::test]
async fn invalid_settings_file_is_set_aside() {
    let home = tempfile::tempdir().unwrap();
    let file = write_settings(home.path(), "source = \"acme/app\"\nsearch.limit = \n");
    let default_casebook = home.path().join("data/precedent/casebook");
    drive(home.path(), "Adwaita", &[], async move |window| {
        wait_for(&window, ".welcome").await;
        let message = text(&window, BANNER).await;
        let location = format!("{}: line 2, column 16: not valid TOML", file.display());
        assert!(
            message.contains(&location) && message.contains(&*default_casebook.to_string_lossy()),
            "{message}"
        );
        screenshot(&window, "settings-wrong").await;

        let focused_text = "return document.activeElement.textContent.trim()";
        wait_until("Tab reaches the button", async || {
            press(&window, "\u{e004}").await;
            script(&window, focused_text).await == "Set the file aside"
        })
        .await;
        press(&window, "\u{e007}").await;
        wait_until_gone(&window, BANNER).await;
        let moved_file = file.with_file_name("config.before-reset-1.toml");
        wait_for_text(&window, ".toasts", &moved_file.to_string_lossy()).await;
        assert!(!file.exists());
        assert!(
            std::fs::read_to_string(&moved_file).unwrap().contains("acme/app"),
            "the file is kept"
        );
        assert!(exists(&window, ".welcome").await);
    })
    .await;
}

#[tokio::test]
async fn invalid_setting_does_not_affect_the_others() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("elsewhere");
    let casebook_line = format!("casebook = {:?}\n", casebook.to_str().unwrap());
    let file = write_settings(home.path(), &format!("{casebook_line}[search]\nlimit = 501\n"));
    drive(home.path(), "Adwaita", &[], async move |window| {
        wait_for(&window, ".welcome").await;
        let message = text(&window, BANNER).await;
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
        // The user corrects the file.
        std::fs::write(&file, &casebook_line).unwrap();
        click_text(&window, &format!("{BANNER} button"), "Set the file aside").await;
        wait_for_text(&window, ".toasts", "The settings are valid now").await;
        assert!(!exists(&window, BANNER).await);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), casebook_line);
    })
    .await;
}
