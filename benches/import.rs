//! Measures the speed and memory of imports with the real binary, alternating with a baseline
//! binary if `PRECEDENT_BASELINE` names one.
//!
//! `PRECEDENT_BASELINE=PROGRAM cargo bench --bench import`. `PRECEDENT_RECORDS` sets the number of
//! records of each file, by default 100,000; with 2,000,000, a file has 2 GB.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "benchmark, not production code"
)]

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// The number of runs of each program.
const ROUNDS: usize = 3;
const WORDS: [&str; 16] = [
    "pump", "valve", "stops", "after", "restart", "the", "server", "reports", "timeout", "while",
    "reading", "pressure", "from", "gauge", "with", "firmware",
];

fn main() {
    // `cargo test --benches` only checks that the benchmark starts.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let records: u64 =
        std::env::var("PRECEDENT_RECORDS").ok().and_then(|n| n.parse().ok()).unwrap_or(100_000);
    let folder = tempfile::tempdir().unwrap();
    let files = [
        ("GitHub, JSON Lines", "github", folder.path().join("issues.jsonl")),
        ("Jira, CSV", "csv", folder.path().join("jira.csv")),
    ];
    write_json_lines(&files[0].2, records);
    write_csv(&files[1].2, records);
    let mut programs = vec![("this", PathBuf::from(env!("CARGO_BIN_EXE_precedent")))];
    programs.extend(std::env::var_os("PRECEDENT_BASELINE").map(|p| ("baseline", PathBuf::from(p))));
    println!("| file | program | size | records/s | peak memory |");
    println!("|---|---|---|---|---|");
    for (name, format, file) in &files {
        let size = std::fs::metadata(file).unwrap().len() >> 20;
        let mut results = vec![(Vec::new(), 0_u64); programs.len()];
        for _ in 0..ROUNDS {
            for ((_, program), (seconds, peak)) in programs.iter().zip(&mut results) {
                let (time, memory) = import(program, format, file);
                seconds.push(time.as_secs_f64());
                *peak = (*peak).max(memory);
            }
        }
        for ((program, _), (mut seconds, peak)) in programs.iter().zip(results) {
            seconds.sort_by(f64::total_cmp);
            let rate = records as f64 / seconds[seconds.len() / 2];
            println!("| {name} | {program} | {size} MB | {rate:.0} | {peak} MB |");
        }
    }
}

/// Imports a file into a new casebook without indexes; returns the time and the peak memory in MB.
fn import(program: &Path, format: &str, file: &Path) -> (Duration, u64) {
    let casebook = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(["-q", "import", format])
        .arg(file)
        .args(["--source", "acme/pump", "--no-index"])
        .env("PRECEDENT_CASEBOOK", casebook.path().join("casebook"))
        .env("PRECEDENT_EMBEDDER", "off")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    loop {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kb = line.and_then(|l| l.trim().trim_end_matches(" kB").trim().parse::<u64>().ok());
        peak = peak.max(kb.unwrap_or(0) >> 10);
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{} failed", program.display());
            return (start.elapsed(), peak);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns about 800 bytes that differ between records.
fn body(n: u64) -> String {
    let word = |i: u64| {
        WORDS[usize::try_from((n.wrapping_mul(2_654_435_761) >> (i % 13)) + i).unwrap()
            % WORDS.len()]
    };
    (0..120).map(|i| format!("{} ", word(i))).collect::<String>() + &format!("FW-{n}")
}

fn timestamp(n: u64) -> String {
    let day = n / 86_400;
    format!(
        "2025-{:02}-{:02}T{:02}:{:02}:{:02}Z",
        day / 28 % 12 + 1,
        day % 28 + 1,
        n / 3_600 % 24,
        n / 60 % 60,
        n % 60
    )
}

fn write_json_lines(path: &Path, records: u64) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    for n in 1..=records {
        let time = timestamp(n * 37);
        writeln!(
            out,
            r#"{{"number":{n},"title":"Pump {n} stops","body":"{}","state":"{}","user":{{"login":"u{}","type":"User"}},"labels":[{{"name":"bug"}}],"created_at":"{time}","updated_at":"{time}","closed_at":null,"comments":0,"html_url":"https://github.com/acme/pump/issues/{n}","url":"https://api.github.com/repos/acme/pump/issues/{n}"}}"#,
            body(n),
            if n % 3 == 0 { "closed" } else { "open" },
            n % 500,
        )
        .unwrap();
    }
}

fn write_csv(path: &Path, records: u64) {
    let mut out = BufWriter::new(File::create(path).unwrap());
    writeln!(
        out,
        "Issue key,Summary,Issue Type,Status,Reporter,Created,Updated,Labels,Description"
    )
    .unwrap();
    for n in 1..=records {
        let time = timestamp(n * 37);
        let state = if n % 3 == 0 { "Done" } else { "To Do" };
        writeln!(
            out,
            "PMP-{n},Pump {n} stops,Bug,{state},u{},{time},{time},bug,\"{}\"",
            n % 500,
            body(n)
        )
        .unwrap();
    }
}
