//! The prompt over everything, opened by its shortcut as the display hears it.

use std::process::{Command, Stdio};

use crate::driver::{click, drive_sample, is_there, press_ctrl, script, wait_for, wait_until};

/// Has the display do something, as a person at it would; what it printed, if it could be done.
pub fn display(args: &[&str]) -> Option<String> {
    let ran = Command::new("xdotool").args(args).stderr(Stdio::null()).output().unwrap();
    ran.status.success().then(|| String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// Returns whether the prompt is visible.
pub fn is_seen() -> bool {
    display(&["search", "--onlyvisible", "--name", "^Ask Precedent$"]).is_some()
}

/// Keeps what the display shows beside the pictures of the window.
pub fn keep_display(name: &str) {
    let folder =
        std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    // Only to be looked at: without ImageMagick there is no picture.
    let _ = Command::new("import").args(["-window", "root"]).arg(folder.join(name)).status();
}

#[tokio::test]
async fn prompt_opens_anywhere_once_enabled() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async move |window| {
        wait_for(&window, "#hit-0").await;
        display(&["key", "ctrl+alt+p"]).unwrap();
        press_ctrl(&window, '6').await;
        let shortcut = "section[aria-labelledby=anywhere] input[type=checkbox]";
        wait_until("the shortcut is known", async || {
            script(&window, &format!("return !document.querySelector('{shortcut}')?.disabled"))
                .await
                == true
        })
        .await;
        assert!(!is_seen(), "nothing is heard before it is switched on");
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

        // The same keys put it away: they are pressed again only where it did not come.
        wait_until("the prompt is seen", async || {
            display(&["key", "ctrl+alt+p"]);
            for _ in 0..20 {
                if is_seen() {
                    return true;
                }
                tokio::time::sleep(std::time::Duration::from_millis(200)).await;
            }
            false
        })
        .await;
        let prompt = display(&["search", "--onlyvisible", "--name", "^Ask Precedent$"]).unwrap();
        // Without a window manager nothing gives the focus to what is on top.
        display(&["windowfocus", "--sync", prompt.trim()]).unwrap();
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        display(&["type", "--delay", "20", "ferrywire#13"]).unwrap();
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
        keep_display("prompt.png");
        display(&["key", "Down", "Up", "Return"]).unwrap();
        wait_until("the main window shows what was chosen", async || {
            is_there(&window, "article h2").await
        })
        .await;
        wait_until("the prompt is away", async || !is_seen()).await;
    })
    .await;
}
