//! Measures mirroring a whole project with the real binary from the tests' fake GitHub on this
//! machine, so that only this program takes time.
//!
//! `cargo bench --bench sync`. `PRECEDENT_ARCHIVE` names a folder with `issues.jsonl.zst` and
//! `comments.jsonl.zst` of rust-lang/rust; without it the content is invented.
#![allow(
    missing_docs,
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a measurement, with the server of the tests"
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

/// The numbers of invented items and comments.
const ITEMS: u64 = 20_000;
const COMMENTS: u64 = 80_000;

fn main() {
    // `cargo test --benches` only checks that the benchmark starts.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let github = match std::env::var("PRECEDENT_ARCHIVE") {
        Ok(folder) => archive(Path::new(&folder)),
        Err(_) => made_up(),
    };
    let (items, comments) = github.content();
    let records = items.len() + comments.len();
    println!("{} items and {} comments at {}", items.len(), comments.len(), github.host);
    drop((items, comments));

    let folder = tempfile::tempdir().unwrap();
    let name = github.world().name.clone();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_precedent"));
        command
            .env("PRECEDENT_CASEBOOK", folder.path().join("casebook"))
            .env("PRECEDENT_EMBEDDER", "off")
            .args(args);
        let start = Instant::now();
        let mut child = command.stdin(Stdio::null()).spawn().unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = peak.max(memory(child.id()).unwrap_or(0));
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(child.wait().unwrap().success());
        (start.elapsed(), peak)
    };
    run(&["--quiet", "source", "add", &format!("github:{name}"), "--host", &github.host]);
    for (name, args) in [
        ("a first sync", &["--quiet", "sync", "--no-index"][..]),
        ("a sync without news", &["--quiet", "sync", "--no-index"]),
        ("everything again", &["--quiet", "sync", "--no-index", "--full"]),
    ] {
        github.requests();
        let (took, peak) = run(args);
        println!(
            "{name}: {:.1} s, {:.0} records/s, {} requests, at most {} MB",
            took.as_secs_f64(),
            records as f64 / took.as_secs_f64(),
            github.requests().len(),
            peak / 1024
        );
    }
}

/// Returns the peak memory of a process in kB, where the system reports it.
fn memory(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn archive(folder: &Path) -> FakeGitHub {
    let github = FakeGitHub::new("rust-lang/rust");
    github.world().check_rows = false;
    for file in ["issues.jsonl.zst", "comments.jsonl.zst"] {
        let archive = std::fs::File::open(folder.join(file)).unwrap();
        let reader = std::io::BufReader::new(zstd::Decoder::new(archive).unwrap());
        // Two records belong to another repository and share numbers with this one's.
        for line in
            reader.lines().map(Result::unwrap).filter(|l| l.contains("/repos/rust-lang/rust/"))
        {
            github.world().put_text(line);
        }
    }
    github
}

fn made_up() -> FakeGitHub {
    let github = FakeGitHub::new("acme/app");
    let mut world = github.world();
    world.check_rows = false;
    let text =
        "The pump stops after the valve was opened twice, and the log says nothing. ".repeat(12);
    for number in 1..=ITEMS {
        let mut issue = world.issue(
            number,
            &format!("Trouble {number} with the pump"),
            NOW - 900_000 + number as i64,
        );
        issue["comments"] = (COMMENTS / ITEMS).into();
        issue["body"] = format!("{text} Number {number}.").into();
        world.put_odd(&issue);
    }
    for id in 1..=COMMENTS {
        let comment = world.comment(
            id,
            (id - 1) % ITEMS + 1,
            &format!("{text} It is valve {id}."),
            NOW - 800_000 + id as i64,
        );
        world.put_odd(&comment);
    }
    drop(world);
    github
}
