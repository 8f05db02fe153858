//! Measures the window's speed and memory with a real casebook; see docs/develop/testing.md.

use std::{
    fs,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use fantoccini::{Client, wd::TimeoutConfiguration};

use serde_json::json;

use crate::{
    big::{copy_folder, measured_casebook},
    driver::{
        drive, exists, press, press_ctrl, script, wait_for, wait_for_jobs, wait_for_text,
        wait_until, wait_until_ready,
    },
    triage::{compared_key, create_casebook, report_pairs},
};

/// The time without a query after which the model is released.
const IDLE_TIME: Duration = Duration::from_secs(125);

/// The query, typed letter by letter.
const QUERY: &str = "borrow checker error lifetime";

/// Returns a process's parent and its start time in hundredths of a second.
fn parent_and_start(pid: u32) -> Option<(u32, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    Some((fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?))
}

/// Returns the newest process of the window and its children.
fn processes() -> Vec<u32> {
    let ids: Vec<u32> = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    let is_window = |pid: &&u32| {
        fs::read_to_string(format!("/proc/{pid}/comm"))
            .is_ok_and(|n| n.starts_with("precedent-deskt"))
    };
    let mut family: Vec<u32> = ids
        .iter()
        .filter(is_window)
        .max_by_key(|pid| parent_and_start(**pid).map(|(_, start)| start))
        .copied()
        .into_iter()
        .collect();
    let mut index = 0;
    while let Some(parent) = family.get(index).copied() {
        family.extend(
            ids.iter().filter(|pid| parent_and_start(**pid).is_some_and(|(p, _)| p == parent)),
        );
        index += 1;
    }
    family
}

/// Returns the memory of a process in MB, including its share of shared pages.
fn megabytes_of(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let pss = text
        .lines()
        .find_map(|line| line.strip_prefix("Pss:")?.trim().split(' ').next()?.parse::<u64>().ok());
    pss.unwrap_or(0) / 1000
}

/// Returns the memory of all these processes in MB; shared pages count once.
fn megabytes() -> u64 {
    processes().into_iter().map(megabytes_of).sum()
}

/// Returns the start time of the program in milliseconds since 1970.
fn start_time() -> f64 {
    let (_, start) = processes().first().and_then(|pid| parent_and_start(*pid)).unwrap();
    let text = fs::read_to_string("/proc/uptime").unwrap();
    let uptime: f64 = text.split(' ').next().unwrap().parse().unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64();
    (now - uptime) * 1000.0 + start as f64 * 10.0
}

/// Returns the load average of the last minute.
fn load_average() -> String {
    fs::read_to_string("/proc/loadavg")
        .unwrap_or_default()
        .split(' ')
        .next()
        .unwrap_or_default()
        .to_owned()
}

async fn measure_keystrokes(window: &Client) -> Vec<f64> {
    let mut times = Vec::new();
    for end in 1..=QUERY.len() {
        let measure = "const [text, done] = arguments; const box = document.querySelector('#query');
            const began = performance.now();
            const watch = new MutationObserver(() => {
                if (document.querySelector('.results header h2').textContent.includes('document')) return;
                watch.disconnect(); requestAnimationFrame(() => done(performance.now() - began));
            });
            watch.observe(document.querySelector('.results'), { subtree: true, childList: true, characterData: true, attributes: true });
            setTimeout(() => { watch.disconnect(); done(-1) }, 1500);
            box.value = text; box.dispatchEvent(new InputEvent('input', { bubbles: true }))";
        let time = window.execute_async(measure, vec![QUERY[..end].into()]).await.unwrap();
        // A letter that changes no result has no time.
        times.extend(time.as_f64().filter(|t| *t >= 0.0));
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    times.sort_by(f64::total_cmp);
    times
}

/// A script that scrolls through the list step by step and checks after each painted frame that rows
/// are visible at three positions.
const SCROLL_SCRIPT: &str = "
    const [seconds, done] = arguments;
    const box = document.querySelector('#results .scroll');
    const { left, top, width, height } = box.getBoundingClientRect();
    const way = box.scrollHeight - box.clientHeight;
    const stands = (share) => (document.elementFromPoint(left + width / 2, top + height * share)?.closest('.row.hit') ?? null) !== null;
    const frames = [], blanks = [];
    const began = performance.now();
    let seen = began, blankSince = null;
    const painted = new MessageChannel();
    painted.port1.onmessage = () => {
        const now = performance.now();
        frames.push(now - seen);
        seen = now;
        const whole = stands(0.03) && stands(0.5) && stands(0.97);
        if (!whole && blankSince === null) blankSince = now;
        if (whole && blankSince !== null) { blanks.push(now - blankSince); blankSince = null }
        if (now - began < seconds * 1000) setTimeout(step, 0);
        else {
            if (blankSince !== null) blanks.push(now - blankSince);
            const longest = (times) => times.reduce((a, b) => Math.max(a, b), 0);
            const middle = frames.toSorted((a, b) => a - b)[frames.length >> 1];
            done({ rows: document.querySelector('#results [aria-setsize]').getAttribute('aria-setsize'), frames: frames.length,
                middle, slowest: longest(frames), blanks: blanks.length, blank: longest(blanks), end: box.scrollTop / way });
        }
    };
    const step = () => {
        box.scrollTop = way * Math.min(1, (performance.now() - began) / (seconds * 1000));
        requestAnimationFrame(() => painted.port2.postMessage(0));
    };
    step();";

/// A script that jumps to distant positions, like dragging the scroll bar, and waits for rows.
const JUMP_SCRIPT: &str = "
    const [places, done] = arguments;
    const box = document.querySelector('#results .scroll');
    const { left, top, width, height } = box.getBoundingClientRect();
    const way = box.scrollHeight - box.clientHeight;
    const stands = (share) => (document.elementFromPoint(left + width / 2, top + height * share)?.closest('.row.hit') ?? null) !== null;
    const times = [];
    (async () => {
        for (let place = 0; place < places; place++) {
            const began = performance.now();
            box.scrollTop = way * ((place * 0.381966) % 1);
            do await new Promise((frame) => requestAnimationFrame(frame)); while (!(stands(0.03) && stands(0.5) && stands(0.97)) && performance.now() - began < 5000);
            times.push(performance.now() - began);
            await new Promise((rest) => setTimeout(rest, 150));
        }
        done(times.sort((a, b) => a - b));
    })();";

async fn measure_scrolling(window: &Client) {
    let timeouts = TimeoutConfiguration::new(Some(Duration::from_secs(180)), None, None);
    window.update_timeouts(timeouts).await.unwrap();
    for seconds in [60, 20] {
        let report = window.execute_async(SCROLL_SCRIPT, vec![seconds.into()]).await.unwrap();
        println!(
            "scrolling {} rows in {seconds} s: {} frames, {:.0} ms at the median, {:.0} ms the slowest; {} times blank, {:.0} ms at most",
            report["rows"].as_str().unwrap(),
            report["frames"],
            report["middle"].as_f64().unwrap(),
            report["slowest"].as_f64().unwrap(),
            report["blanks"],
            report["blank"].as_f64().unwrap(),
        );
        assert!(report["end"].as_f64().unwrap() > 0.99, "the end was reached");
    }
    let report = window.execute_async(JUMP_SCRIPT, vec![50.into()]).await.unwrap();
    let times: Vec<f64> = serde_json::from_value(report).unwrap();
    println!(
        "a jump to rows that were never shown: {:.0} ms at the median, {:.0} ms at most",
        times[25], times[49]
    );
}

/// Formats the memory of each process in MB.
fn memory_shares() -> String {
    let shares = processes().into_iter().map(|pid| {
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
        format!("{} {}", name.trim(), megabytes_of(pid))
    });
    shares.collect::<Vec<_>>().join(", ")
}

#[tokio::test]
#[ignore = "benchmark; see docs/develop/testing.md"]
async fn measure() {
    let Some(original) = measured_casebook() else { return };
    let home = tempfile::tempdir().unwrap();
    let casebook = home.path().join("casebook");
    copy_folder(&original, &casebook);
    let casebook = casebook.to_str().unwrap().to_owned();
    let rounds: usize =
        std::env::var("PRECEDENT_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(6);
    for round in 1..=rounds {
        let home = tempfile::tempdir().unwrap();
        drive(home.path(), "Adwaita", &["--casebook", &casebook], async move |window| {
            wait_for(&window, "#hit-0").await;
            let usable_time = "const [mark] = performance.getEntriesByName('usable'); return mark ? performance.timeOrigin + mark.startTime : 0";
            let mark = async || window.execute(usable_time, Vec::new()).await.unwrap().as_f64().unwrap();
            wait_until("the window is usable", async || mark().await > 0.0).await;
            let usable_at = mark().await;
            println!("start {round}: usable after {:.0} ms, load {}", usable_at - start_time(), load_average());
            if round < rounds {
                return;
            }
            wait_for_jobs(&window).await;
            println!("memory once the jobs have ended: {} MB ({})", megabytes(), memory_shares());
            tokio::time::sleep(IDLE_TIME).await;
            println!("memory at rest: {} MB ({})", megabytes(), memory_shares());
            measure_scrolling(&window).await;
            println!("memory after that: {} MB ({})", megabytes(), memory_shares());
            let times = measure_keystrokes(&window).await;
            let percentile = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
            println!(
                "keystroke to results: median {:.0} ms, 9 in 10 below {:.0} ms, of {}",
                percentile(0.5),
                percentile(0.9),
                times.len()
            );
            println!("memory after that: {} MB ({}), load {}", megabytes(), memory_shares(), load_average());
        })
        .await;
    }
}

/// Returns the milliseconds from a key to the frame after a condition of the page is met.
async fn reaction(window: &Client, key: &str, condition: &str) -> f64 {
    let script = format!(
        "const [done] = arguments, began = performance.now();
        const check = () => requestAnimationFrame(() => ({condition}) ? requestAnimationFrame(() => done(performance.now() - began)) : check());
        setTimeout(() => done(-1), 8000);
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}', bubbles: true, cancelable: true }}));
        check()"
    );
    window.execute_async(&script, Vec::new()).await.unwrap().as_f64().unwrap_or(-1.0)
}

#[tokio::test]
#[ignore = "benchmark; see docs/develop/testing.md"]
async fn measure_reactions() {
    let home = tempfile::tempdir().unwrap();
    let subjects =
        ["pump", "valve", "gauge", "filter", "boiler", "sensor", "relay", "nozzle", "burner"];
    let mut records = report_pairs(&subjects);
    let url = "https://tracker.example/acme/plant/issues/900";
    let day = "2026-05-01T08:00:00Z";
    let thread = json!({
        "number": 900, "id": 900, "title": "Anchovies block the intake", "body": "They come at night.", "state": "closed",
        "user": {"login": "ada"}, "created_at": day, "updated_at": day, "comments": 200, "labels": [], "html_url": url, "url": url,
    });
    records.push_str(&format!("{thread}\n"));
    for number in 1..=200 {
        let comment = json!({
            "id": number, "body": format!("Night {number}: **{} kg**, see `intake.log`.\n\n- one\n- two", number * 3),
            "user": {"login": "ben"}, "created_at": day, "updated_at": day, "issue_url": url,
            "html_url": format!("{url}#issuecomment-{number}"),
        });
        records.push_str(&format!("{comment}\n"));
    }
    let casebook = create_casebook(home.path(), &records, &["acme/plant"]).await;
    let args = ["--casebook", casebook.to_str().unwrap()];
    drive(home.path(), "Adwaita", &args, async move |window| {
        wait_until_ready(&window).await;
        wait_for_jobs(&window).await;
        press(&window, "/anchovies").await;
        wait_for_text(&window, "#hit-0", "Anchovies").await;
        let comments = |count: usize| {
            format!("document.querySelectorAll('article .comment').length >= {count}")
        };
        let first = reaction(&window, "Enter", &comments(1)).await;
        println!("thread of 200 comments: first comments after {first:.0} ms, load {}", load_average());
        wait_until("all comments are shown", async || {
            script(&window, &format!("return {}", comments(200))).await == true
        })
        .await;
        press_ctrl(&window, '2').await;
        wait_for(&window, ".triage").await;
        press(&window, "b").await;
        wait_until("the queue is checked", async || {
            exists(&window, ".queue [role=option]").await
                && !exists(&window, ".triage header .checking").await
        })
        .await;
        let mut times = Vec::new();
        for key in "drnddrnddn".chars() {
            let compared_key = compared_key(&window).await;
            let next = format!("document.querySelector(\"section[aria-label^='Report:'] .role button\")?.textContent !== '{compared_key}'");
            times.push(reaction(&window, &key.to_string(), &next).await);
            wait_for(&window, "section[aria-label^='Report:'] .role button").await;
        }
        times.sort_by(f64::total_cmp);
        println!("decision to the next report: {times:.0?} ms, load {}", load_average());
    })
    .await;
}
