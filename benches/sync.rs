//! Measures the sync of a whole project with the real binary and the tests' fake GitHub, so that
//! only Precedent takes time.
//!
//! `cargo bench --bench sync`. `PRECEDENT_ARCHIVE` names a folder with `issues.jsonl.zst` and
//! `comments.jsonl.zst` of rust-lang/rust; without it, `PRECEDENT_ITEMS` items (by default
//! 20,000) are generated. A second process searches during each sync.
#![allow(
    missing_docs,
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "benchmark with the fake server of the tests"
)]

#[path = "../tests/it/fake_github.rs"]
mod fake_github;
#[path = "../tests/it/git_http.rs"]
mod git_http;
#[path = "../tests/it/graphql.rs"]
mod graphql;

use std::{
    io::BufRead as _,
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use fake_github::{FakeGitHub, NOW};

/// The default number of generated items.
const ITEMS: u64 = 20_000;
/// The number of comments on each generated item.
const COMMENTS_PER_ITEM: u64 = 4;
/// The interval between two searches.
const SEARCH_INTERVAL: Duration = Duration::from_millis(500);

fn main() {
    // `cargo test --benches` only checks that the benchmark starts.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let github = match std::env::var("PRECEDENT_ARCHIVE") {
        Ok(folder) => load_archive(Path::new(&folder)),
        Err(_) => generate(),
    };
    let (items, comments) = github.content();
    let records = items.len() + comments.len();
    println!("{} items and {} comments at {}", items.len(), comments.len(), github.host);
    drop((items, comments));

    let folder = tempfile::tempdir().unwrap();
    let name = github.world().name.clone();
    let spawn = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_precedent"));
        command
            .env("PRECEDENT_CASEBOOK", folder.path().join("casebook"))
            .env("PRECEDENT_EMBEDDER", "off")
            .args(args);
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap()
    };
    let run = |args: &[&str]| {
        let start_time = Instant::now();
        let mut child = spawn(args);
        let (mut peak_kb, mut slowest_search) = (0, Duration::ZERO);
        let mut next_search = SEARCH_INTERVAL;
        while child.try_wait().unwrap().is_none() {
            peak_kb = peak_kb.max(peak_memory(child.id()).unwrap_or(0));
            if start_time.elapsed() > next_search {
                let search_start = Instant::now();
                assert!(spawn(&["search", "pump valve"]).wait().unwrap().success());
                slowest_search = slowest_search.max(search_start.elapsed());
                next_search = start_time.elapsed() + SEARCH_INTERVAL;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(child.wait().unwrap().success());
        (start_time.elapsed(), peak_kb, slowest_search)
    };
    run(&["--quiet", "source", "add", &format!("github:{name}"), "--host", &github.host]);
    for (name, args) in [
        ("first sync", &["--quiet", "sync", "--no-index"][..]),
        ("sync without changes, with indexing", &["--quiet", "sync"]),
        ("full sync", &["--quiet", "sync", "--no-index", "--full"]),
    ] {
        github.requests();
        let (elapsed, peak_kb, slowest_search) = run(args);
        println!(
            "{name}: {:.1} s, {:.0} records/s, {} requests, peak memory {} MB, slowest search {:.2} s",
            elapsed.as_secs_f64(),
            records as f64 / elapsed.as_secs_f64(),
            github.requests().len(),
            peak_kb / 1024,
            slowest_search.as_secs_f64()
        );
    }
}

/// Returns the peak memory of a process in kB, where the system reports it.
fn peak_memory(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn load_archive(folder: &Path) -> FakeGitHub {
    let github = FakeGitHub::new("rust-lang/rust");
    github.world().validates_records = false;
    for file in ["issues.jsonl.zst", "comments.jsonl.zst"] {
        let archive = std::fs::File::open(folder.join(file)).unwrap();
        let reader = std::io::BufReader::new(zstd::Decoder::new(archive).unwrap());
        // Skip the two records of another repository.
        for line in
            reader.lines().map(Result::unwrap).filter(|l| l.contains("/repos/rust-lang/rust/"))
        {
            github.world().put_text(line);
        }
    }
    github
}

fn generate() -> FakeGitHub {
    let github = FakeGitHub::new("acme/app");
    let items = std::env::var("PRECEDENT_ITEMS").map_or(ITEMS, |items| items.parse().unwrap());
    let mut world = github.world();
    world.validates_records = false;
    let text =
        "The pump stops after the valve was opened twice, and the log says nothing. ".repeat(12);
    for number in 1..=items {
        let mut issue = world.issue(
            number,
            &format!("Trouble {number} with the pump"),
            NOW - 900_000 + number as i64,
        );
        issue["comments"] = COMMENTS_PER_ITEM.into();
        issue["body"] = format!("{text} Number {number}.").into();
        world.put_unchecked(&issue);
    }
    for id in 1..=items * COMMENTS_PER_ITEM {
        let comment = world.comment(
            id,
            (id - 1) % items + 1,
            &format!("{text} It is valve {id}."),
            NOW - 800_000 + id as i64,
        );
        world.put_unchecked(&comment);
    }
    drop(world);
    github
}
