//! What the window is among other programs: one for all starts, opened by links.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use precedent::{Casebook, OpenOptions, Task};

use crate::driver::{drive_whole, program, text, wait_until};

async fn with_sample(folder: &Path) {
    let casebook = Casebook::open(OpenOptions::new(folder)).await.unwrap();
    casebook.import_sample(&Task::new()).await.unwrap();
}

#[tokio::test]
async fn a_link_opens_its_document_in_the_window_that_is_there() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    with_sample(&casebook).await;
    let folder = casebook.to_str().unwrap().to_owned();
    let again = (folder.clone(), home.path().to_owned());
    let args = ["--casebook", &folder, "precedent://item/ferrywire/ferrywire%232"];
    drive_whole(home.path(), "Adwaita", &args, async move |window| {
        let shown = async || text(&window, "article .where").await;
        wait_until("the first link is shown", async || shown().await.contains("#2")).await;

        // A second start with another link ends at once and leaves the link to the first.
        let (folder, home) = again;
        let status = Command::new(program())
            .args(["--casebook", &folder, "precedent://item/ferrywire/ferrywire#13"])
            .env("HOME", &home)
            .env("XDG_DATA_HOME", home.join("data"))
            .env("XDG_CONFIG_HOME", home.join("config"))
            .env("XDG_CACHE_HOME", home.join("cache"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{status}");
        wait_until("the second link is shown", async || shown().await.contains("#13")).await;
    })
    .await;
}
