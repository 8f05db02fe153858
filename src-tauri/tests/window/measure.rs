//! How quick the window is with a casebook of the person's own; docs/desktop.md has the command.

use std::{fs, time::Duration};

use fantoccini::Client;

use crate::driver::{drive, is_there, wait_for, wait_until};

/// What is typed, letter by letter.
const TYPED: &str = "borrow checker error lifetime";

/// A process's parent and when it began, in hundredths of a second.
fn parent_and_begin(pid: u32) -> Option<(u32, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit(')').next()?.split_whitespace().collect();
    Some((fields.get(1)?.parse().ok()?, fields.get(19)?.parse().ok()?))
}

/// The window's process, the youngest of its name, and those that it has started.
fn processes() -> Vec<u32> {
    let all: Vec<u32> =
        fs::read_dir("/proc").unwrap().filter_map(|e| e.ok()?.file_name().to_str()?.parse().ok()).collect();
    let named = |pid: &&u32| {
        fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|n| n.starts_with("precedent-deskt"))
    };
    let mut family: Vec<u32> = all
        .iter()
        .filter(named)
        .max_by_key(|pid| parent_and_begin(**pid).map(|(_, began)| began))
        .copied()
        .into_iter()
        .collect();
    let mut at = 0;
    while let Some(parent) = family.get(at).copied() {
        family.extend(all.iter().filter(|pid| parent_and_begin(**pid).is_some_and(|(p, _)| p == parent)));
        at += 1;
    }
    family
}

/// Memory of all of them in MB, what they share counted once.
fn megabytes() -> u64 {
    let share = |pid: u32| -> u64 {
        let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
        text.lines()
            .find_map(|line| line.strip_prefix("Pss:")?.trim().split(' ').next()?.parse().ok())
            .unwrap_or(0)
    };
    processes().into_iter().map(share).sum::<u64>() / 1000
}

/// Milliseconds since the program began.
fn age() -> f64 {
    let (_, began) = processes().first().and_then(|pid| parent_and_begin(*pid)).unwrap();
    let up: f64 = fs::read_to_string("/proc/uptime").unwrap().split(' ').next().unwrap().parse().unwrap();
    up * 1000.0 - began as f64 * 10.0
}

async fn keystrokes(window: &Client) -> Vec<f64> {
    let mut times = Vec::new();
    for end in 1..=TYPED.len() {
        let measure = "const [text, done] = arguments; const box = document.querySelector('#query');
            const began = performance.now();
            const watch = new MutationObserver(() => {
                if (document.querySelector('.results header h2').textContent === 'Recently updated') return;
                watch.disconnect(); requestAnimationFrame(() => done(performance.now() - began));
            });
            watch.observe(document.querySelector('.results'), { subtree: true, childList: true, characterData: true, attributes: true });
            setTimeout(() => { watch.disconnect(); done(-1) }, 1500);
            box.value = text; box.dispatchEvent(new InputEvent('input', { bubbles: true }))";
        let time = window.execute_async(measure, vec![TYPED[..end].into()]).await.unwrap();
        // Where one letter more changes nothing that is shown there is nothing to time.
        times.extend(time.as_f64().filter(|t| *t >= 0.0));
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    times.sort_by(f64::total_cmp);
    times
}

#[tokio::test]
#[ignore = "measures; see docs/desktop.md"]
async fn measure() {
    let casebook = std::env::var("PRECEDENT_MEASURED").expect("PRECEDENT_MEASURED names a casebook");
    for round in 1..=3 {
        let home = tempfile::tempdir().unwrap();
        drive(home.path(), "Adwaita", &["--casebook", &casebook], async move |window| {
            wait_for(&window, "#hit-0").await;
            println!("start {round}: first results after {:.0} ms", age());
            if round < 3 {
                return;
            }
            wait_until("the jobs have ended", async || !is_there(&window, "footer progress").await).await;
            let times = keystrokes(&window).await;
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
            println!(
                "keystroke to results: median {:.0} ms, 9 in 10 below {:.0} ms, of {}",
                at(0.5),
                at(0.9),
                times.len()
            );
            println!("memory of all processes after that: {} MB", megabytes());
        })
        .await;
    }
}
