//! The program as a package brings it: `packaging/try-deb.sh` runs this where nothing else was ever
//! installed.

use crate::driver::{drive_sample, is_there, jobs_end, shot, texts, wait_for, wait_until};

#[tokio::test]
#[ignore = "wants an installed program; see docs/develop/packages.md"]
async fn installed_program_searches_semantically() {
    for variable in ["PRECEDENT_MODELS", "PRECEDENT_ONNXRUNTIME"] {
        assert!(
            std::env::var_os(variable).is_none(),
            "{variable} would hide that the package lacks something"
        );
    }
    assert!(
        std::env::var_os("PRECEDENT_WINDOW").is_some(),
        "PRECEDENT_WINDOW names the installed program"
    );
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async |window| {
        assert_eq!(window.title().await.unwrap(), "Precedent");
        let search = wait_for(&window, "#query").await;
        wait_for(&window, "#hit-0").await;
        jobs_end(&window).await;
        // By meaning alone: without the model or its runtime this finds nothing, and a notice says
        // so.
        search.send_keys("mode:semantic storage ran out while copying").await.unwrap();
        wait_until("the search has come to rest", async || {
            let heading = texts(&window, ".results header h2").await;
            heading.first().is_some_and(|h| h.contains("result"))
                && !is_there(&window, ".box.pending").await
        })
        .await;
        assert!(texts(&window, ".hit .title").await.len() > 2);
        assert_eq!(texts(&window, ".notice").await, Vec::<String>::new());
        shot(&window, "installed").await;
    })
    .await;
}
