//! The installed program, tested by `packaging/try-deb.sh` on a clean system.

use crate::driver::{drive_sample, exists, screenshot, texts, wait_for, wait_for_jobs, wait_until};

#[tokio::test]
#[ignore = "needs an installed program; see docs/develop/packages.md"]
async fn installed_program_searches_semantically() {
    for variable in ["PRECEDENT_MODELS", "PRECEDENT_ONNXRUNTIME"] {
        assert!(
            std::env::var_os(variable).is_none(),
            "{variable} would hide a file missing from the package"
        );
    }
    assert!(
        std::env::var_os("PRECEDENT_WINDOW").is_some(),
        "PRECEDENT_WINDOW must name the installed program"
    );
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async |window| {
        assert_eq!(window.title().await.unwrap(), "Precedent");
        let search = wait_for(&window, "#query").await;
        wait_for(&window, "#hit-0").await;
        wait_for_jobs(&window).await;
        // Without the model or its runtime, a semantic search finds nothing and shows a notice.
        search.send_keys("mode:semantic storage ran out while copying").await.unwrap();
        wait_until("the search is finished", async || {
            let heading = texts(&window, ".results header h2").await;
            heading.first().is_some_and(|h| h.contains("result"))
                && !exists(&window, ".box.pending").await
        })
        .await;
        assert!(texts(&window, ".hit .title").await.len() > 2);
        assert_eq!(texts(&window, ".notice").await, Vec::<String>::new());
        screenshot(&window, "installed").await;
    })
    .await;
}
