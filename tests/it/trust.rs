//! Tests of attacks by a server that echoes the token, a foreign casebook file and a hostile folder.

use std::{
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
};

use axum::{Router, body::Body, extract::Request, http::StatusCode, response::Response};
use serde_json::{Value, json};

use crate::{
    fake_github::LocalServer,
    git_http::git,
    support::{Run, TestEnv, issue, random_records},
};

const CANARY: &str = "c4n4ry-T0ken-0123456789abcdef";
const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"status","arguments":{}}}
"#;

/// A server that answers with a status, and echoes the secret in the body and a header.
struct EchoServer {
    host: String,
    /// The received secrets.
    secrets: Arc<Mutex<Vec<String>>>,
    _server: LocalServer,
}

impl EchoServer {
    fn new(status: u16) -> Self {
        let secrets = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&secrets);
        let app = Router::new().fallback(move |request: Request| {
            let received = Arc::clone(&received);
            async move {
                let header = |name: &str| request.headers().get(name).and_then(|v| v.to_str().ok());
                let header =
                    ["authorization", "x-redmine-api-key", "x-bugzilla-api-key", "api-key"]
                        .into_iter()
                        .find_map(header);
                let secret = header.unwrap_or_default().to_owned();
                if !secret.is_empty() {
                    received.lock().unwrap().push(secret.clone());
                }
                let path = request.uri().path().to_owned();
                Response::builder()
                    .status(StatusCode::from_u16(status).unwrap())
                    .header("etag", format!("\"{secret}\""))
                    .body(Body::from(answer(status, &path, &secret).to_string()))
                    .unwrap()
            }
        });
        let (host, server) = LocalServer::start(|_| app);
        Self { host, secrets, _server: server }
    }

    fn secret_count(&self) -> usize {
        self.secrets.lock().unwrap().len()
    }
}

/// Returns a project's response with the secret in every stored field.
fn answer(status: u16, path: &str, secret: &str) -> Value {
    if status != 200 {
        return json!({"message": format!("Bad credentials: {secret}"), "errorMessages": [secret]});
    }
    if path.ends_with("/issues") {
        let mut item = issue(1, &format!("Echo of {secret}"), &format!("The header was {secret}."));
        item["url"] = json!("https://tracker.example/api/v3/repos/acme/app/issues/1");
        return json!([item]);
    }
    if ["comments", "/releases", "/milestones", "/tags"].iter().any(|list| path.ends_with(list)) {
        return json!([]);
    }
    json!({"id": 1, "full_name": "acme/app", "private": false, "has_wiki": false, "has_issues": true, "login": secret})
}

/// Asserts that the secret is in no output and no file, encoded or not.
#[track_caller]
fn assert_no_secret(env: &TestEnv, runs: &[&Run]) {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    let pair = STANDARD.encode(format!("ann@acme.example:{CANARY}"));
    let forms = [CANARY, &pair[20..pair.len() - 4]];
    for text in runs.iter().flat_map(|r| [&r.out, &r.err]) {
        assert!(forms.iter().all(|form| !text.contains(form)), "{text}");
    }
    fn collect_files(folder: &Path, out: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            match entry.path() {
                path if path.is_dir() => collect_files(&path, out),
                path => out.push(path),
            }
        }
    }
    let mut paths = Vec::new();
    collect_files(&env.casebook(), &mut paths);
    for file in paths {
        let bytes = std::fs::read(&file).unwrap();
        let is_in_file = |form: &&&str| bytes.windows(form.len()).any(|w| w == form.as_bytes());
        assert_eq!(forms.iter().find(is_in_file), None, "{}", file.display());
    }
}

fn command_with_tokens(env: &TestEnv, host: &str, args: &[&str]) -> Command {
    let mut command = env.command(args);
    let host_name = host.trim_start_matches("http://");
    for (token, host_variable) in [
        ("GH_ENTERPRISE_TOKEN", "GH_HOST"),
        ("GITLAB_TOKEN", "GITLAB_HOST"),
        ("GITEA_TOKEN", "GITEA_HOST"),
        ("JIRA_API_TOKEN", "JIRA_HOST"),
        ("REDMINE_API_KEY", "REDMINE_HOST"),
        ("BUGZILLA_API_KEY", "BUGZILLA_HOST"),
        ("AZURE_DEVOPS_EXT_PAT", "AZURE_DEVOPS_HOST"),
        ("CONFLUENCE_API_TOKEN", "CONFLUENCE_HOST"),
        ("ZENDESK_API_TOKEN", "ZENDESK_HOST"),
        ("DISCOURSE_API_KEY", "DISCOURSE_HOST"),
    ] {
        command.env(token, CANARY).env(host_variable, host_name);
    }
    for variable in ["JIRA_EMAIL", "CONFLUENCE_EMAIL", "ZENDESK_EMAIL"] {
        command.env(variable, "ann@acme.example");
    }
    command
}

#[test]
fn echoed_token_is_never_printed_or_stored() {
    let projects = [
        ("github:acme/app", 401_u16),
        ("github:acme/app", 403),
        ("github:acme/app", 404),
        ("github:acme/app", 500),
        ("github:acme/app", 200),
        ("gitlab:acme/app", 401),
        ("gitlab:acme/app", 403),
        ("gitea:acme/app", 401),
        ("gitea:acme/app", 404),
        ("jira:APP", 401),
        ("jira:APP", 403),
        ("redmine:app", 401),
        ("redmine:app", 403),
        ("bugzilla:app", 401),
        ("bugzilla:app", 403),
        ("azure:acme/app", 401),
        ("azure:acme/app", 403),
        ("confluence:APP", 401),
        ("confluence:APP", 403),
        ("zendesk:tickets", 401),
        ("zendesk:tickets", 403),
        ("discourse:topics", 401),
        ("discourse:topics", 403),
    ];
    for (project, status) in projects {
        let (env, server) = (TestEnv::new(), EchoServer::new(status));
        let run = |args: &[&str]| {
            Run::from(command_with_tokens(&env, &server.host, args).output().unwrap())
        };
        let add = run(&["source", "add", project, "--host", &server.host, "--as", "acme/app"]);
        assert_eq!(add.code, Some(0), "{}", add.err);
        let sync = run(&["sync", "--no-vectors"]);
        assert!(
            server.secret_count() > 0,
            "{project} {status}: the server never saw a token\n{}",
            sync.err
        );
        if status != 200 {
            assert_ne!(sync.code, Some(0), "{project} {status}");
            assert!(
                sync.err.contains("[token removed]") || status == 500,
                "{project} {status}: {}",
                sync.err
            );
        }
        let export = env.path("out.casebook");
        let hello = std::fs::File::open(env.file("hello.jsonl", HELLO)).unwrap();
        let other_runs = [
            run(&["source", "test", "acme/app"]),
            run(&["status"]),
            run(&["status", "--json"]),
            run(&["show", "acme/app#1", "--json"]),
            run(&["export", &export.to_string_lossy(), "--force"]),
            Run::from(
                command_with_tokens(&env, &server.host, &["mcp"]).stdin(hello).output().unwrap(),
            ),
        ];
        if status == 200 {
            assert!(
                other_runs[3].out.contains("The header was Bearer [token removed]."),
                "{}",
                other_runs[3].out
            );
        }
        let runs: Vec<&Run> = [&add, &sync].into_iter().chain(&other_runs).collect();
        assert_no_secret(&env, &runs);
        let mut archive = tar::Archive::new(std::fs::File::open(&export).unwrap());
        for entry in archive.entries().unwrap() {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry.unwrap(), &mut bytes).unwrap();
            let bytes = zstd::decode_all(bytes.as_slice()).unwrap_or(bytes);
            assert!(
                !bytes.windows(CANARY.len()).any(|w| w == CANARY.as_bytes()),
                "{project} {status}: the export"
            );
        }
    }
}

#[test]
fn enterprise_token_goes_only_to_its_host() {
    let (env, server) = (TestEnv::new(), EchoServer::new(200));
    env.ok(&["source", "add", "github:acme/app", "--host", &server.host]);
    for host in [None, Some("git.acme.example")] {
        let mut command = env.command(&["sync", "--no-vectors"]);
        command.env("GH_ENTERPRISE_TOKEN", CANARY).envs(host.map(|n| ("GH_HOST", n)));
        assert!(command.output().unwrap().status.success());
        assert_eq!(server.secret_count(), 0, "with GH_HOST {host:?}");
    }
    assert!(
        command_with_tokens(&env, &server.host, &["sync", "--no-vectors"])
            .output()
            .unwrap()
            .status
            .success()
    );
    assert!(server.secret_count() > 0);
}

#[test]
fn imported_source_gets_no_token_until_trusted() {
    let (attacker, victim, server) = (TestEnv::new(), TestEnv::new(), EchoServer::new(200));
    attacker.ok(&["source", "add", "github:acme/app", "--host", &server.host]);
    let file = attacker.path_arg("out.casebook");
    attacker.ok(&["export", &file]);
    victim.ok(&["import", "casebook", &file, "--no-vectors"]);
    let run = |args: &[&str]| {
        Run::from(command_with_tokens(&victim, &server.host, args).output().unwrap())
    };
    let sync = run(&["sync", "--no-vectors"]);
    assert_eq!((sync.code, server.secret_count()), (Some(0), 0), "{}", sync.err);
    assert!(sync.err.contains("precedent source trust acme/app"), "{}", sync.err);
    assert!(run(&["status"]).out.contains("source trust"));
    assert_eq!(run(&["source", "test", "acme/app"]).code, Some(0));
    assert_eq!(server.secret_count(), 0);
    let trust = run(&["source", "trust", "acme/app"]);
    assert!(trust.err.contains("the environment"), "{}", trust.err);
    let sync = run(&["sync", "--full", "--no-vectors"]);
    assert_eq!(sync.code, Some(0), "{}", sync.err);
    assert!(server.secret_count() > 0 && !sync.err.contains("source trust"), "{}", sync.err);
}

#[test]
#[cfg(unix)]
fn gh_is_called_per_host_with_a_timeout() {
    use std::os::unix::fs::PermissionsExt as _;

    let (env, server) = (TestEnv::new(), EchoServer::new(200));
    env.ok(&["source", "add", "github:acme/app", "--host", &server.host]);
    // This fake `gh` prints the token that it would send.
    let gh = env.file("bin/gh", "#!/bin/sh\necho \"$GH_ENTERPRISE_TOKEN\"\n");
    std::fs::set_permissions(&gh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = env.command(&["sync", "--no-vectors"]);
    command.env("PATH", format!("{}:/usr/bin:/bin", gh.parent().unwrap().display()));
    assert!(command.env("GH_ENTERPRISE_TOKEN", CANARY).output().unwrap().status.success());
    assert_eq!(server.secret_count(), 0);
}

#[test]
fn git_ignores_settings_of_the_current_folder() {
    let env = TestEnv::new();
    let trap = env.path("trap");
    std::fs::create_dir_all(&trap).unwrap();
    git(&trap, &["init", "-q"]);
    let (server, other_server) = (EchoServer::new(200), EchoServer::new(404));
    let rule = format!("url.{}/.insteadOf", other_server.host);
    git(&trap, &["config", &rule, &format!("{}/", server.host)]);
    git(&trap, &["config", "http.extraHeader", "X-Trap: 1"]);
    env.ok(&["source", "add", "github:acme/app", "--host", &server.host, "--wiki"]);
    let mut command = command_with_tokens(&env, &server.host, &["sync", "--no-vectors"]);
    command.env("PATH", std::env::var("PATH").unwrap()).current_dir(&trap).output().unwrap();
    assert!(server.secret_count() > 0);
    assert_eq!(other_server.secret_count(), 0, "git followed the trap's settings");
}

/// Runs shell lines in a mount namespace with the binary as `$P`; `None` if it cannot be created.
fn run_in_namespace(env: &TestEnv, lines: &str) -> Option<Run> {
    let unshare_status =
        Command::new("unshare").args(["--map-root-user", "--mount", "true"]).status();
    if !unshare_status.is_ok_and(|w| w.success()) {
        eprintln!("SKIPPED: a full or read-only disk, because no namespace can be created");
        return None;
    }
    let mut command = Command::new("unshare");
    command
        .args(["--map-root-user", "--mount", "sh", "-euc", lines])
        .env_clear()
        .env("PATH", std::env::var("PATH").unwrap())
        .env("HOME", env.path("home"))
        .env("PRECEDENT_EMBEDDER", "hashed")
        .env("P", env!("CARGO_BIN_EXE_precedent"))
        .env("FROM", env.casebook())
        .env("TO", env.path("mounted"));
    Some(Run::from(command.output().unwrap()))
}

/// The read-only queries, each with a check of its output.
const QUERIES: &str = r##"
$P --casebook $TO search "slot timeout" --json=key | grep -q acme/app#
$P --casebook $TO duplicates acme/app#20 --include-closed --json=key | grep -q acme/app#
$P --casebook $TO troubleshoot "slot timeout in the agent pipeline" --json > /dev/null
$P --casebook $TO brief acme/app#20 --format md | grep -q "acme/app#20"
$P --casebook $TO show acme/app#20 | grep -q "acme/app#20"
$P --casebook $TO status | grep -q "acme/app"
"##;

/// Mounts a copy of a casebook, makes it unwritable with `setup`, and runs queries and writes.
fn run_on_unwritable_disk(setup: &str) -> Option<Run> {
    let env = TestEnv::new();
    let (items, comments) = random_records(60, 40, 7);
    env.import(format!("{items}{comments}"));
    std::fs::create_dir_all(env.path("mounted")).unwrap();
    let lines = format!(
        "mount -t tmpfs -o size=64m none $TO\ncp -r $FROM/. $TO/\n{setup}\n{QUERIES}\n\
         if $P --casebook $TO note add --title Kept --body Words; then echo \"a note was stored\"; exit 9; fi\n\
         if $P --casebook $TO verdict set acme/app#2 acme/app#1 duplicate; then exit 8; fi"
    );
    run_in_namespace(&env, &lines)
}

#[test]
fn read_only_casebook_answers() {
    let Some(run) = run_on_unwritable_disk("mount -o remount,ro $TO") else { return };
    assert_eq!(run.code, Some(0), "{}\n{}", run.out, run.err);
    assert!(run.err.contains("is read-only here"), "{}", run.err);
    assert!(
        run.err.contains("cannot write to the casebook") && !run.err.contains("bug in Precedent"),
        "{}",
        run.err
    );
}

#[test]
fn casebook_on_a_full_disk_answers() {
    let fill = "dd if=/dev/zero of=$TO/fill bs=4k 2> /dev/null || true; echo >> $TO/fill 2> /dev/null || true";
    let Some(run) = run_on_unwritable_disk(fill) else { return };
    assert_eq!(run.code, Some(0), "{}\n{}", run.out, run.err);
    assert!(!run.err.contains("defect"), "{}", run.err);
    assert!(run.err.to_lowercase().contains("space") || run.err.contains("full"), "{}", run.err);
}

#[test]
fn check_without_vectors_keeps_the_queue() {
    let env = TestEnv::new();
    let (items, _) = random_records(40, 0, 11);
    // Each item is filed twice, so that the queue is not empty.
    let doubled_items: String = items
        .lines()
        .flat_map(|line| {
            let item: Value = serde_json::from_str(line).unwrap();
            let number = item["number"].as_u64().unwrap();
            let duplicate = issue(
                100 + number,
                item["title"].as_str().unwrap(),
                item["body"].as_str().unwrap(),
            );
            [line.to_owned(), duplicate.to_string()]
        })
        .map(|line| line + "\n")
        .collect();
    let file = env.file_arg("in.jsonl", doubled_items);
    env.ok(&["import", "github", &file, "--source", "acme/app", "--no-vectors"]);
    let triage =
        |options: &[&str]| env.json(&[&["triage", "--band", "none", "--json"], options].concat());
    let partial_check = triage(&[]);
    let notices = partial_check["notices"].to_string();
    assert!(notices.contains("vectors"), "no notice of missing vectors: {notices}");
    let status = env.ok(&["status"]).out;
    assert!(status.contains("not indexed yet; run `precedent index`"), "{status}");
    env.ok(&["index"]);
    let full_check = triage(&[]);
    assert_eq!(
        full_check["scanned"], partial_check["scanned"],
        "not all reports are checked again with their vectors"
    );
    assert_eq!(triage(&[])["scanned"], 0);
    let queue_length = full_check["waiting"].as_u64().unwrap();
    assert!(queue_length > 0);

    // Without vectors, queries keep the earlier results.
    let (vectors, moved_vectors) = (env.casebook().join("vectors"), env.path("away"));
    std::fs::rename(&vectors, &moved_vectors).unwrap();
    let response = triage(&["--rescan"]);
    assert_eq!(response["waiting"].as_u64(), Some(queue_length), "{}", response["notices"]);
    assert!(response["notices"].to_string().contains("vectors"));
    env.ok(&["duplicates", "acme/app#101"]);
    assert!(env.json(&["status", "--json"])["coverage"]["unread"].as_u64().unwrap() > 0);
    std::fs::remove_dir_all(&vectors).unwrap();
    std::fs::rename(&moved_vectors, &vectors).unwrap();
    let last_check = triage(&[]);
    assert_eq!(
        (last_check["waiting"].as_u64(), last_check["notices"].to_string().contains("vectors")),
        (Some(queue_length), false)
    );
}
