//! Measures command-line queries as whole processes, alternating with a baseline program if one is
//! named.
//!
//! `PRECEDENT_CASEBOOK=DIR cargo bench --bench command`. `PRECEDENT_BASELINE` names the baseline
//! program; `PRECEDENT_BASELINE_CASEBOOK` and `PRECEDENT_BASELINE_MODELS` name its casebook and
//! models if they differ.
#![allow(missing_docs, clippy::unwrap_used, clippy::disallowed_methods, reason = "benchmark")]

use std::{
    ffi::OsString,
    process::{Command, Stdio},
    time::Instant,
};

/// The number of measured runs per query and program.
const ROUNDS: usize = 21;

struct Program {
    name: &'static str,
    path: OsString,
    casebook: OsString,
    models: Option<OsString>,
}

fn main() {
    // `cargo test --benches` only checks that the benchmark starts.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let variable = |name: &str| std::env::var_os(name);
    let Some(casebook) = variable("PRECEDENT_CASEBOOK") else {
        println!("set PRECEDENT_CASEBOOK; see benches/command.rs");
        return;
    };
    let models = variable("PRECEDENT_MODELS")
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/models").into());
    let mut programs = vec![Program {
        name: "this",
        path: env!("CARGO_BIN_EXE_precedent").into(),
        casebook: casebook.clone(),
        models: Some(models.clone()),
    }];
    programs.extend(variable("PRECEDENT_BASELINE").map(|path| Program {
        name: "baseline",
        path,
        casebook: variable("PRECEDENT_BASELINE_CASEBOOK").unwrap_or(casebook),
        models: variable("PRECEDENT_BASELINE_MODELS").or(Some(models)),
    }));
    let list = run(&programs[0], &["search", "is:issue", "-L", "1", "--json=key"]).1;
    let key = list.split('"').nth(3).unwrap_or_default().to_owned();
    let title = "crash after the update when a file is missing";
    let queries: [(&str, Vec<&str>); 4] = [
        ("search", vec!["search", title]),
        ("keyword search", vec!["search", title, "--mode", "lexical"]),
        ("duplicates, one item", vec!["duplicates", &key, "--include-closed"]),
        ("solved cases", vec!["troubleshoot", title]),
    ];
    println!("| query | program | median, ms | fastest, ms |");
    println!("|---|---|---|---|");
    for (name, args) in &queries {
        let mut all_times = vec![Vec::with_capacity(ROUNDS); programs.len()];
        for _ in 0..=ROUNDS {
            for (program, times) in programs.iter().zip(&mut all_times) {
                times.push(run(program, args).0);
            }
        }
        for (program, mut times) in programs.iter().zip(all_times) {
            // The first run reads files that the system has not cached.
            times.remove(0);
            times.sort_by(f64::total_cmp);
            println!(
                "| {name} | {} | {:.0} | {:.0} |",
                program.name,
                times[times.len() / 2],
                times[0]
            );
        }
    }
}

/// Runs a query; returns its duration in milliseconds, and its output.
fn run(program: &Program, args: &[&str]) -> (f64, String) {
    let mut command = Command::new(&program.path);
    command.arg("-q").args(args).env("PRECEDENT_CASEBOOK", &program.casebook).stdin(Stdio::null());
    if let Some(models) = &program.models {
        command.env("PRECEDENT_MODELS", models);
    }
    let start = Instant::now();
    let output = command.output().unwrap();
    let elapsed = start.elapsed().as_secs_f64() * 1000.0;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (elapsed, String::from_utf8(output.stdout).unwrap())
}
