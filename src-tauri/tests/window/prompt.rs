//! The prompt, opened by its global shortcut.

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use crate::driver::{click, drive_sample, exists, press_ctrl, script, wait_for, wait_until};

/// Runs xdotool and returns its output; `None` if it fails.
pub fn xdotool(args: &[&str]) -> Option<String> {
    let output = Command::new("xdotool").args(args).stderr(Stdio::null()).output().unwrap();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Returns whether the prompt is visible.
pub fn is_prompt_visible() -> bool {
    xdotool(&["search", "--onlyvisible", "--name", "^Ask Precedent$"]).is_some()
}

/// Saves a screenshot of the display next to those of the window.
pub fn save_display(name: &str) {
    let folder =
        std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    // Without ImageMagick there is no screenshot.
    let _ = Command::new("import").args(["-window", "root"]).arg(folder.join(name)).status();
}

#[tokio::test]
async fn prompt_opens_anywhere_once_enabled() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async move |window| {
        wait_for(&window, "#hit-0").await;
        xdotool(&["key", "ctrl+alt+p"]).unwrap();
        press_ctrl(&window, '6').await;
        let shortcut = "section[aria-labelledby=anywhere] input[type=checkbox]";
        wait_until("the shortcut is known", async || {
            script(&window, &format!("return !document.querySelector('{shortcut}')?.disabled"))
                .await
                == true
        })
        .await;
        assert!(!is_prompt_visible(), "the shortcut is off by default");
        click(&window, shortcut).await;
        wait_until("the keys are shown", async || {
            script(
                &window,
                "return document.querySelector('section[aria-labelledby=anywhere] .keys') !== null",
            )
            .await
                == true
        })
        .await;

        // The same keys hide the prompt, so they are pressed again only if it did not appear.
        wait_until("the prompt is visible", async || {
            let start = Instant::now();
            xdotool(&["key", "ctrl+alt+p"]);
            while start.elapsed() < Duration::from_secs(4) {
                if is_prompt_visible() {
                    println!("prompt visible after {:.0?}", start.elapsed());
                    return true;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            false
        })
        .await;
        let prompt = xdotool(&["search", "--onlyvisible", "--name", "^Ask Precedent$"]).unwrap();
        // Without a window manager, the top window does not get the focus.
        xdotool(&["windowfocus", "--sync", prompt.trim()]).unwrap();
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        xdotool(&["type", "--delay", "20", "ferrywire#13"]).unwrap();
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        save_display("prompt.png");
        xdotool(&["key", "Down", "Up", "Return"]).unwrap();
        wait_until("the main window shows the item", async || exists(&window, "article h2").await)
            .await;
        wait_until("the prompt is hidden", async || !is_prompt_visible()).await;
    })
    .await;
}
