//! Keyboard access to every control, visible focus, large text and no motion.

use std::collections::BTreeSet;

use fantoccini::{Client, key::Key};
use serde_json::{Value, json};

use crate::driver::{
    VIEWS, drive_sample, press, press_ctrl, screenshot, script, wait_for, wait_until,
    wait_until_gone, wait_until_ready,
};

/// A script that numbers all controls in page order and returns their markup.
const NUMBER_CONTROLS: &str = "
    const found = [...document.querySelectorAll('button, select, input, textarea, a[href], [tabindex=\"0\"], summary')]
        .filter((one) => !one.disabled && one.offsetParent !== null && one.tabIndex >= 0);
    found.forEach((one, at) => (one.dataset.at = at));
    return found.map((one) => one.outerHTML.slice(0, 120))";

/// A script that returns the focused control, and whether it or its active row has an outline.
const FOCUS_STATE: &str = "
    const one = document.activeElement;
    const outlined = (element) => element && getComputedStyle(element).outlineStyle !== 'none';
    const row = document.getElementById(one.getAttribute('aria-activedescendant') ?? '');
    const part = one.querySelector('[aria-current=\"true\"]');
    return { at: Number(one.dataset.at ?? -1), seen: outlined(one) || outlined(row) || outlined(part) || one.matches('.answer, .queue, .rows, .all, ul, article, #main') }";

async fn check_tab_order(window: &Client, view: &str) {
    let targets: Vec<String> =
        serde_json::from_value(script(window, NUMBER_CONTROLS).await).unwrap();
    let tab = char::from(Key::Tab).to_string();
    let mut focus_order = BTreeSet::new();
    script(window, "document.activeElement.blur()").await;
    for _ in 0..targets.len() * 2 + 10 {
        press(window, &tab).await;
        let Value::Object(focus) = script(window, FOCUS_STATE).await else { panic!("no focus") };
        let index = focus["at"].as_i64().unwrap();
        if index >= 0 {
            assert_eq!(
                focus["seen"], true,
                "{view}: no visible focus on {}",
                targets[index as usize]
            );
            focus_order.insert(index as usize);
        }
        if focus_order.len() == targets.len() {
            return;
        }
    }
    let missing_targets: Vec<&String> = targets
        .iter()
        .enumerate()
        .filter(|(index, _)| !focus_order.contains(index))
        .map(|(_, html)| html)
        .collect();
    panic!("{view}: Tab did not reach {missing_targets:#?}");
}

#[tokio::test]
async fn tab_reaches_every_control_of_every_view() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async |window| {
        wait_until_ready(&window).await;
        assert_eq!(script(&window, "return document.querySelectorAll('[tabindex]:not([tabindex=\"0\"]):not([tabindex=\"-1\"])').length").await, 0);
        for (key, ready) in VIEWS {
            press_ctrl(&window, key).await;
            wait_for(&window, ready).await;
            wait_until_gone(&window, "[aria-busy=true], progress").await;
            check_tab_order(&window, ready).await;
        }
        press_ctrl(&window, '4').await;
        press(&window, "a").await;
        wait_for(&window, ".add").await;
        check_tab_order(&window, "the form for a source").await;
    })
    .await;
}

#[tokio::test]
async fn large_text_fits_and_nothing_moves() {
    let home = tempfile::tempdir().unwrap();
    drive_sample(home.path(), "Adwaita", async |window| {
        wait_for(&window, "#hit-0").await;
        for _ in 0..5 {
            press_ctrl(&window, '+').await;
        }
        wait_until("the text is larger", async || {
            script(&window, "return parseFloat(getComputedStyle(document.documentElement).fontSize) > 20").await == true
        })
        .await;
        for key in '1'..='6' {
            press_ctrl(&window, key).await;
            wait_until_gone(&window, "[aria-busy=true]").await;
            // Nothing overflows without a scroll bar.
            let overflowing = "return document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
                .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
                .map((one) => one.outerHTML.slice(0, 120) + ' :: ' + one.getBoundingClientRect().right)
                .slice(0, 8)";
            assert_eq!(script(&window, overflowing).await, json!([]), "view {key}");
            screenshot(&window, &format!("large-{key}")).await;
        }
        press_ctrl(&window, '0').await;
        let animated_count = "return [...document.querySelectorAll('*')].filter((one) => {
            const { animationDuration, transitionDuration } = getComputedStyle(one);
            return Math.max(...`${animationDuration},${transitionDuration}`.split(',').map(parseFloat)) > 0.01;
        }).length";
        assert_eq!(script(&window, animated_count).await, 0);
    })
    .await;
}
