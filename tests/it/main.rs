//! Integration tests through the real binary and the public interface. They form one binary, which
//! links once.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod articles;
mod ask;
mod bad_input;
mod briefs;
mod casebook;
mod cli;
mod closures;
#[cfg(target_os = "linux")]
mod concurrency;
mod conformance;
mod connectors;
mod crash;
mod direction;
mod discussions;
mod documented;
mod duplicates;
mod environment;
mod eval;
mod fake_github;
mod fake_tracker;
mod files;
mod formats;
mod gh_extension;
mod git_http;
mod graphql;
mod health;
mod hostile;
mod hostile_servers;
mod import;
mod imported_casebooks;
mod login;
mod logs;
mod mcp;
mod mcp_pages;
mod model;
mod models;
#[path = "../../crates/store/tests/mutation/mod.rs"]
mod mutation;
mod notes;
mod output;
mod partial;
mod portable;
mod privacy;
mod problems;
mod processes;
#[cfg(unix)]
mod redaction;
mod redmine;
mod settings;
mod style;
mod support;
mod sync;
mod torture;
mod troubleshoot;
mod trust;
mod upgrade;
#[cfg(unix)]
mod watch;
#[cfg(unix)]
mod wiki;

/// Checks that every file of this folder is a module above; otherwise it would never run.
#[test]
fn every_test_file_is_included() {
    let main = include_str!("main.rs");
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "rs") {
            continue;
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            name == "main" || main.contains(&format!("mod {name};")),
            "tests/it/{name}.rs is not run"
        );
    }
}
