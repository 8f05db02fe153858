//! Search, opening the casebook, and the window's sandbox.

use std::time::Duration;

use fantoccini::{Client, key::Key};

use crate::driver::{
    click, drive, exists, screenshot, script, texts, wait_for, wait_for_jobs, wait_until,
    wait_until_gone,
};

const QUERY_BOX: &str = "#query";

#[tokio::test]
async fn query_opens_the_matching_comment() {
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    let args = ["--casebook", casebook.to_str().unwrap(), "--sample"];
    drive(home.path(), "Adwaita", &args, async |window| {
        let url = window.current_url().await.unwrap();
        assert!(url.as_str().starts_with("tauri://localhost"), "{url}");
        assert_eq!(window.title().await.unwrap(), "Precedent");

        // The sample is imported automatically, and recent documents are listed before a query.
        let search = wait_for(&window, QUERY_BOX).await;
        wait_for(&window, "#hit-0").await;
        // Keys act on the list at first; `/` moves to the box.
        wait_for(&window, "#results:focus").await.send_keys("/").await.unwrap();
        wait_until("the box has the focus", async || {
            window
                .active_element()
                .await
                .is_ok_and(|active| active.element_id() == search.element_id())
        })
        .await;
        screenshot(&window, "recent").await;

        search.send_keys("certificate signed by unknown authority").await.unwrap();
        wait_until("the results answer the query", async || {
            texts(&window, ".hit .title")
                .await
                .first()
                .is_some_and(|t| t.to_lowercase().contains("certificate"))
        })
        .await;
        wait_until_gone(&window, ".box.pending").await;
        screenshot(&window, "results").await;

        let first = texts(&window, ".hit .title").await.remove(0);
        search.send_keys(&char::from(Key::Down).to_string()).await.unwrap();
        wait_for(&window, "#hit-0[aria-selected=true]").await;
        search.send_keys(&char::from(Key::Enter).to_string()).await.unwrap();
        wait_until("the thread is open", async || {
            texts(&window, "article h2").await.first() == Some(&first)
        })
        .await;
        wait_until("its comments are shown", async || {
            texts(&window, "article .comment").await.len() > 1
        })
        .await;
        wait_until("the pane has the focus", async || {
            script(&window, "return document.activeElement.tagName").await == "ARTICLE"
        })
        .await;
        screenshot(&window, "window").await;

        // Keys now act on the thread.
        let pane = window.active_element().await.unwrap();
        pane.send_keys("n").await.unwrap();
        wait_for(&window, ".comment:focus").await.send_keys("/").await.unwrap();
        wait_until("the box has the focus again", async || {
            script(&window, "return document.activeElement.id").await == "query"
        })
        .await;

        // A click adds a filter to the query.
        click(&window, "button[title='is:open']").await;
        wait_until("the filter is in the query", async || {
            script(&window, "return document.querySelector('#query').value.endsWith(' is:open')")
                .await
                == true
        })
        .await;

        // Finally, the bar shows that the whole casebook is indexed.
        wait_for_jobs(&window).await;
        wait_until("the bar shows that the index is complete", async || {
            texts(&window, "footer .freshness").await.join("").starts_with("Up to date")
        })
        .await;
        screenshot(&window, "filtered").await;

        check_narrow_window(&window).await;
        check_sandbox(&window).await;
    })
    .await;
}

#[tokio::test]
async fn opening_the_casebook_can_be_retried() {
    let home = tempfile::tempdir().unwrap();
    // A file takes the folder's place.
    let casebook = home.path().join("casebook");
    std::fs::write(&casebook, "not a folder").unwrap();
    let folder = casebook.to_str().unwrap().to_owned();
    drive(home.path(), "Adwaita:dark", &["--casebook", &folder.clone()], async move |window| {
        wait_for(&window, "[role=alert]").await;
        let message = texts(&window, "main").await.join("");
        assert!(message.contains("could not be opened") && message.contains(&folder), "{message}");
        screenshot(&window, "closed").await;

        let is_dark = "return matchMedia('(prefers-color-scheme: dark)').matches";
        assert_eq!(script(&window, is_dark).await, true);

        std::fs::remove_file(&folder).unwrap();
        click(&window, "button.primary").await;
        wait_for(&window, ".welcome").await;
        let message = texts(&window, ".welcome").await.join("");
        assert!(
            message.contains("Open the sample casebook") && message.contains("Connect a tracker"),
            "{message}"
        );
        screenshot(&window, "welcome").await;
    })
    .await;
}

/// Checks that below 900 pixels either the list or a thread with a back button is shown.
async fn check_narrow_window(window: &Client) {
    click(window, "button[title='is:open']").await;
    window.set_window_size(800, 600).await.unwrap();
    wait_until("one column is shown", async || {
        !exists(window, ".results").await || !exists(window, "article").await
    })
    .await;
    wait_for(window, QUERY_BOX).await.send_keys(&char::from(Key::Enter).to_string()).await.unwrap();
    wait_until("only the thread is shown", async || {
        exists(window, "article h2").await && !exists(window, ".results").await
    })
    .await;
    screenshot(window, "narrow").await;
    wait_for(window, "article")
        .await
        .send_keys(&char::from(Key::Escape).to_string())
        .await
        .unwrap();
    wait_until("only the list is shown", async || {
        exists(window, ".results").await && !exists(window, "article").await
    })
    .await;
}

/// Checks that a script in the page cannot send requests, navigate or close the window.
async fn check_sandbox(window: &Client) {
    assert_eq!(script(window, "return typeof window.__TAURI__").await, "undefined");
    let fetch = "const done = arguments[0];
        fetch('http://127.0.0.1:9/').then(() => done('reached'), (error) => done(String(error)))";
    let answer = window.execute_async(fetch, Vec::new()).await.unwrap();
    assert!(answer.as_str().is_some_and(|a| a != "reached"), "{answer}");
    let load_image = "const done = arguments[0];
        document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective), { once: true });
        const image = new Image(); image.src = 'http://127.0.0.1:9/spy.png'; document.body.append(image)";
    assert_eq!(window.execute_async(load_image, Vec::new()).await.unwrap(), "img-src");
    let run_inline_script =
        "const script = document.createElement('script'); script.textContent = 'window.owned = true';
        document.body.append(script); return window.owned === true";
    assert_eq!(script(window, run_inline_script).await, false);
    let _ = window.execute("location.href = 'http://127.0.0.1:9/'", Vec::new()).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let url = window.current_url().await.unwrap();
    assert!(url.as_str().starts_with("tauri://localhost"), "{url}");
    let close_window = "const done = arguments[0];
        window.__TAURI_INTERNALS__.invoke('plugin:window|close').then(() => done('allowed'), (error) => done(String(error)))";
    let answer = window.execute_async(close_window, Vec::new()).await.unwrap();
    assert!(answer.as_str().is_some_and(|a| a.contains("not allowed")), "{answer}");
}
