//! Measures queries on the command line as whole processes, alternating with another program if one
//! is named.
//!
//! `PRECEDENT_CASEBOOK=DIR cargo bench --bench command`. `PRECEDENT_BESIDE` names another program;
//! `PRECEDENT_BESIDE_CASEBOOK` and `PRECEDENT_BESIDE_MODELS` name its casebook and models if they
//! differ.
#![allow(missing_docs, clippy::unwrap_used, clippy::disallowed_methods, reason = "a measurement")]

use std::{
    ffi::OsString,
    process::{Command, Stdio},
    time::Instant,
};

/// The number of times that each query is run by each program.
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
        println!("PRECEDENT_CASEBOOK names what is asked; see benches/command.rs");
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
    programs.extend(variable("PRECEDENT_BESIDE").map(|path| Program {
        name: "beside",
        path,
        casebook: variable("PRECEDENT_BESIDE_CASEBOOK").unwrap_or(casebook),
        models: variable("PRECEDENT_BESIDE_MODELS").or(Some(models)),
    }));
    let list = ask(&programs[0], &["search", "is:issue", "-L", "1", "--json=key"]).1;
    let key = list.split('"').nth(3).unwrap_or_default().to_owned();
    let title = "crash after the update when a file is missing";
    let questions: [(&str, Vec<&str>); 4] = [
        ("search", vec!["search", title]),
        ("search by words alone", vec!["search", title, "--mode", "lexical"]),
        ("duplicates of an item", vec!["duplicates", &key, "--include-closed"]),
        ("solved cases", vec!["troubleshoot", title]),
    ];
    println!("| question | program | median, ms | fastest |");
    println!("|---|---|---|---|");
    for (name, args) in &questions {
        let mut took = vec![Vec::with_capacity(ROUNDS); programs.len()];
        for _ in 0..=ROUNDS {
            for (program, took) in programs.iter().zip(&mut took) {
                took.push(ask(program, args).0);
            }
        }
        for (program, mut took) in programs.iter().zip(took) {
            // The first run reads files that are not cached by the system yet.
            took.remove(0);
            took.sort_by(f64::total_cmp);
            println!(
                "| {name} | {} | {:.0} | {:.0} |",
                program.name,
                took[took.len() / 2],
                took[0]
            );
        }
    }
}

/// Returns the milliseconds that a query takes, and its output.
fn ask(program: &Program, args: &[&str]) -> (f64, String) {
    let mut command = Command::new(&program.path);
    command.arg("-q").args(args).env("PRECEDENT_CASEBOOK", &program.casebook).stdin(Stdio::null());
    if let Some(models) = &program.models {
        command.env("PRECEDENT_MODELS", models);
    }
    let start = Instant::now();
    let output = command.output().unwrap();
    let took = start.elapsed().as_secs_f64() * 1000.0;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (took, String::from_utf8(output.stdout).unwrap())
}
