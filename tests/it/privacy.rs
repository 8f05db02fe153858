//! Tests of network access: only a sync connects, and only to added trackers.

use std::{
    collections::BTreeSet,
    io::Write as _,
    process::{Command, Stdio},
};

use crate::{
    fake_github::FakeGitHub,
    support::{Run, TestEnv, preload_library},
};

/// Returns the commands of a typical day without a sync.
fn typical_commands(env: &TestEnv) -> Vec<Vec<String>> {
    let log =
        "ERROR FW-1043 the upload of a bundle ends\n  at fw.upload.Bundle.close(Bundle.java:44)";
    let brief = env.path_arg("brief");
    let item = "ferrywire/ferrywire#13";
    let mut out: Vec<Vec<String>> = [
        &["import", "sample"][..],
        &["status"],
        &["search", "replication slot fills the disk"],
        &["search", "mode:semantic the console keeps asking for a password"],
        &["show", item],
        &["duplicates", item, "--include-closed"],
        &["triage"],
        &["problems"],
        &["calibrate", "ferrywire/ferrywire", "--dry-run"],
        &["verdict", "set", item, "ferrywire/ferrywire#2", "related", "--by", "ann"],
        &["triage", "--apply"],
        &["troubleshoot", log],
        &[
            "note",
            "add",
            "--kind",
            "lesson",
            "--title",
            "Slots",
            "--body",
            "Restart the heartbeat: https://wiki.example/slots",
        ],
        &["note", "list"],
        &["model", "list", "--catalog"],
        &["index", "--rebuild"],
    ]
    .iter()
    .map(|args| args.iter().map(|a| (*a).to_owned()).collect())
    .collect();
    for format in ["md", "html", "pdf", "json"] {
        let file = format!("{brief}.{format}");
        out.push(["brief", item, "--redact", "-o", &file].map(str::to_owned).to_vec());
    }
    out
}

#[test]
fn typical_use_connects_only_to_added_trackers() {
    let env = TestEnv::new();
    let Some(library) = preload_library(&env, "privacy/connections.c", "the record of connections")
    else {
        return;
    };
    let log = env.path("connections.log");
    let github = FakeGitHub::new("acme/app");
    github.world().fill(30, 30);
    let run = |args: &[&str], input: &str| {
        let mut command = env.command(args);
        command.env("LD_PRELOAD", &library).env("CONNECTIONS", &log);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A command that reads no input may end before it is written.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.err);
    };
    let connections = || -> BTreeSet<String> {
        std::fs::read_to_string(&log).unwrap_or_default().lines().map(str::to_owned).collect()
    };
    for args in typical_commands(&env) {
        run(&args.iter().map(String::as_str).collect::<Vec<_>>(), "");
    }
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    run(&["mcp"], &format!("{hello}\n"));
    run(&["source", "add", "github:acme/app", "--host", &github.host], "");
    assert_eq!(connections(), BTreeSet::new(), "connections before the sync");

    run(&["sync"], "");
    let tracker = github.host.trim_start_matches("http://");
    let expected_connections: BTreeSet<String> = [format!("connect {tracker}")].into();
    assert_eq!(connections(), expected_connections);
    assert!(env.ok(&["status"]).out.contains(tracker), "status does not name the tracker");
}

#[test]
fn everything_except_sync_works_offline() {
    let env = TestEnv::new();
    let binary = env!("CARGO_BIN_EXE_precedent");
    let run_offline = |args: &[String]| {
        let mut command = Command::new("unshare");
        command
            .args(["--map-root-user", "--net", binary])
            .args(args)
            .env_clear()
            .env("HOME", env.path("home"))
            .env("PRECEDENT_EMBEDDER", "hashed")
            .env("PRECEDENT_CASEBOOK", env.casebook())
            .stdin(Stdio::null());
        command.output()
    };
    let unshare_status =
        Command::new("unshare").args(["--map-root-user", "--net", "true"]).status();
    if !unshare_status.is_ok_and(|w| w.success()) {
        eprintln!("SKIPPED: work without a network, because no namespace can be created");
        return;
    }
    for args in typical_commands(&env) {
        let run = Run::from(run_offline(&args).unwrap());
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.err);
    }
    let add = ["source", "add", "github:acme/app"].map(str::to_owned);
    assert!(run_offline(&add).unwrap().status.success());
    let run = Run::from(run_offline(&["sync".to_owned()]).unwrap());
    assert_eq!(run.code, Some(1), "{}", run.err);
    run.assert_stderr(&["cannot reach any tracker", "network is down"]);
}
