//! Tests of commands with unwritable output, without a casebook, with invalid settings, and with
//! leftover files.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    mcp::Client,
    support::{Run, TestEnv, comment, issue, random_records},
};

fn import_sample(env: &TestEnv) {
    let lines = format!(
        "{}\n{}\n",
        issue(1, "Valve leaks", "It drips."),
        comment(9, 1, "Tighten the gasket.")
    );
    env.import(lines);
}

fn file_names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Runs a command whose standard output is on a full disk.
#[cfg(target_os = "linux")]
fn run_on_full_disk(env: &TestEnv, args: &[&str], is_stderr_full: bool) -> Run {
    let open_full_device = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = env.command(args);
    command.stdout(open_full_device()).stderr(if is_stderr_full {
        Stdio::from(open_full_device())
    } else {
        Stdio::piped()
    });
    Run::from(command.spawn().unwrap().wait_with_output().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_an_error() {
    let env = TestEnv::new();
    import_sample(&env);
    env.ok(&["note", "add", "-t", "Gasket", "-b", "Tighten it."]);
    for args in [
        &["search", "valve", "--json"][..],
        &["search", "valve"],
        &["show", "1"],
        &["status"],
        &["status", "--json=sources"],
        &["brief", "1"],
        &["brief", "1", "--format", "pdf"],
        &["brief", "1", "--preview"],
        &["note", "list"],
        &["source", "list"],
        &["config", "list"],
        &["config", "path"],
        &["schema"],
        &["schema", "status"],
        &["man"],
        &["skill"],
        &["completions", "bash"],
        &["doctor", "--min-free", "0"],
        &["--help"],
        &["help", "search"],
        &["search", "--help"],
        &["--version"],
        &[
            "import",
            "github",
            &env.path("in.jsonl").to_string_lossy(),
            "--source",
            "acme/app",
            "--json",
        ],
    ] {
        let run = run_on_full_disk(&env, args, false);
        assert_eq!(run.code, Some(1), "{args:?}: {}", run.err);
        assert!(
            run.err.contains("standard output: no space left on device")
                && run.err.contains("hint:"),
            "{args:?}: {}",
            run.err
        );
        // Standard error may be unwritable as well.
        let code = run_on_full_disk(&env, args, true).code;
        assert_eq!(code, Some(1), "{args:?}");
    }
    // The command's own error takes precedence.
    let run = run_on_full_disk(&env, &["show", "acme/app#99"], false);
    run.assert_error(1, &["acme/app#99"]);
    // The MCP server also reports a full disk.
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                       "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let input = env.file("hello.jsonl", format!("{hello}\n"));
    let full_device = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = env
        .command(&["mcp"])
        .stdin(fs::File::open(&input).unwrap())
        .stdout(full_device)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    let run = Run::from(output);
    run.assert_error(1, &["standard output: no space left"]);
}

#[test]
fn closed_pipe_ends_help_quietly() {
    let env = TestEnv::new();
    for args in [&["--help"][..], &["config", "list"], &["man"]] {
        let mut child =
            env.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!((run.code, run.err.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn query_without_a_casebook_names_the_folder() {
    let env = TestEnv::new();
    let folder = env.casebook();
    for args in [
        &["search", "valve"][..],
        &["search", "valve", "--json"],
        &["show", "1"],
        &["status"],
        &["status", "--json"],
        &["duplicates", "1"],
        &["triage"],
        &["triage", "--apply"],
        &["problems"],
        &["calibrate", "acme/app"],
        &["troubleshoot", "it drips"],
        &["brief", "1"],
        &["verdict", "list"],
        &["verdict", "set", "1", "2", "related"],
        &["note", "list"],
        &["note", "check-similar", "-t", "a", "-b", "b"],
        &["note", "remove", "1", "--yes"],
        &["source", "list"],
        &["source", "test", "acme/app"],
        &["source", "remove", "acme/app", "--yes"],
        &["sync"],
        &["index"],
        &["model", "list"],
        &["doctor"],
        &["backup", "copy.db"],
        &["export", "out.casebook"],
        &["eval", "--solved", "acme/app"],
    ] {
        let run = env.run(args);
        assert_eq!((run.code, run.out.as_str()), (Some(1), ""), "{args:?}: {}", run.err);
        let message = format!("no casebook found in {}", folder.display());
        assert!(
            run.err.contains(&message) && run.err.contains("precedent import sample"),
            "{args:?}: {}",
            run.err
        );
        assert!(!folder.exists(), "{args:?} created {}", folder.display());
    }
    // A folder with other files is not a casebook either, and stays unchanged.
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("letter.txt"), "Dear all").unwrap();
    assert_eq!(env.run(&["search", "valve"]).code, Some(1));
    assert_eq!(file_names(&folder), ["letter.txt"]);
    for args in [
        &["source", "add", "acme/app"][..],
        &["note", "add", "-t", "Gasket", "-b", "Tighten it."],
        &["import", "sample", "--no-vectors"],
    ] {
        let env = TestEnv::new();
        env.ok(args);
        assert!(env.casebook().join("precedent.db").is_file(), "{args:?}");
    }
}

#[test]
fn mcp_server_works_once_the_casebook_exists() {
    let env = TestEnv::new();
    let mut client = Client::start(&env, &["-R", "acme/app"]);
    for (tool, arguments) in [
        ("status", json!({})),
        ("search_issues", json!({"query": "valve"})),
        ("read_thread", json!({"key": "acme/app#1"})),
        ("add_note", json!({"kind": "lesson", "title": "a", "body": "b"})),
    ] {
        let reply = client.call(tool, arguments);
        assert_eq!(reply["result"]["isError"], true, "{tool}: {reply}");
        let message = reply["result"].to_string();
        assert!(
            message.contains("no casebook found in") && message.contains("precedent import sample"),
            "{tool}: {message}"
        );
    }
    assert!(!env.casebook().exists());
    import_sample(&env);
    assert_eq!(
        client.ok("search_issues", json!({"query": "valve"}))["results"][0]["key"],
        "acme/app#1"
    );
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn invalid_limit_cannot_be_set() {
    let env = TestEnv::new();
    import_sample(&env);
    for (key, range) in [
        ("search.limit", "1 to 500"),
        ("triage.limit", "1 to 500"),
        ("duplicates.max_candidates", "1 to 100"),
        ("troubleshooting.max_results", "1 to 10"),
    ] {
        let max: u64 = range.rsplit(' ').next().unwrap().parse().unwrap();
        let run = env.run(&["config", "set", key, &(max + 1).to_string()]);
        assert!(run.code == Some(2) && run.err.contains(range), "{key}: {}", run.err);
        env.ok(&["config", "set", key, &max.to_string()]);
        let variable = format!("PRECEDENT_{}", key.to_uppercase().replace('.', "_"));
        let output =
            env.command(&["status"]).env(&variable, (max + 1).to_string()).output().unwrap();
        let run = Run::from(output);
        run.assert_error(2, &[&variable, range]);
    }
    for args in
        [&["search", "valve"][..], &["triage"], &["duplicates", "1"], &["troubleshoot", "it drips"]]
    {
        env.ok(args);
    }
}

#[test]
fn invalid_settings_are_located_and_allow_reading() {
    let env = TestEnv::new();
    import_sample(&env);
    let path = PathBuf::from(env.ok(&["config", "path"]).out.trim());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for (text, position) in [
        ("source = \"acme/app\"\nsearch.limit = \n", "line 2, column 16"),
        ("# mine\n\n[search]\nlimit = 501\n", "line 4, column 1"),
        ("source = \"acme/app\"\n  serch.limit = 5\n", "line 2, column 9"),
    ] {
        fs::write(&path, text).unwrap();
        let message = format!("{}: {position}", path.display());
        for args in [
            &["search", "valve"][..],
            &["show", "1"],
            &["config", "list"],
            &["config", "get", "search.limit"],
        ] {
            let run = env.ok(args);
            assert_eq!(run.err.matches("warning:").count(), 1, "{args:?}: {}", run.err);
            assert!(
                run.err.contains(&message) && run.err.contains("precedent config reset"),
                "{args:?}: {}",
                run.err
            );
        }
        for args in [
            &["config", "set", "search.limit", "5"][..],
            &["config", "unset", "search.limit"],
            &["note", "add", "-t", "a", "-b", "b"],
            &["source", "add", "more/things"],
        ] {
            let run = env.run(args);
            assert!(run.code == Some(2) && run.err.contains(&message), "{args:?}: {}", run.err);
            assert!(run.err.contains("precedent config reset"), "{args:?}: {}", run.err);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    // The valid settings of the file still apply.
    assert_eq!(env.json(&["config", "get", "source", "--json"])["value"], "acme/app");
    for n in 1..3 {
        fs::write(&path, "nonsense").unwrap();
        let run = env.ok(&["config", "reset"]);
        let backup = path.with_extension(format!("before-reset-{n}.toml"));
        assert!(run.err.contains(&*backup.to_string_lossy()), "{}", run.err);
        assert_eq!(fs::read_to_string(backup).unwrap(), "nonsense");
    }
    env.ok(&["config", "set", "search.limit", "5"]);
    env.ok(&["note", "add", "-t", "a", "-b", "b"]);
}

/// Returns the temporary folders that an interrupted write left behind.
fn leftovers(folder: &Path) -> Vec<String> {
    file_names(folder).into_iter().filter(|n| n.starts_with(".precedent-")).collect()
}

#[test]
fn killed_export_leaves_no_files() {
    let env = TestEnv::new();
    let (items, comments) = random_records(3_000, 3_000, 9);
    let path = env.file("in.jsonl", format!("{items}{comments}"));
    env.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app", "--no-index"]);
    let target = env.file("out/readme", "x").with_file_name("acme.casebook");
    let folder = target.parent().unwrap();
    let user_files = ["acme.casebook.part", "acme.casebook.part.db", "acme.casebook.part.zst"];
    user_files.iter().for_each(|name| fs::write(folder.join(name), "mine").unwrap());
    let mut is_interrupted = false;
    for _ in 0..20 {
        let mut child = env
            .command(&["export", &target.to_string_lossy()])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while leftovers(folder).is_empty() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        is_interrupted = !leftovers(folder).is_empty();
        let _ = fs::remove_file(&target);
        if is_interrupted {
            break;
        }
    }
    assert!(is_interrupted, "no export was killed in progress");
    env.ok(&["export", &target.to_string_lossy()]);
    assert_eq!(leftovers(folder), [""; 0]);
    for name in user_files {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), "mine", "{name}");
    }
    // A backup also keeps other files, but a brief replaces an existing file.
    let copy = folder.join("copy.db");
    fs::write(folder.join("copy.db.part"), "mine").unwrap();
    env.ok(&["backup", &copy.to_string_lossy()]);
    assert_eq!(fs::read_to_string(folder.join("copy.db.part")).unwrap(), "mine");
    let run = env.run(&["export", &target.to_string_lossy()]);
    run.assert_error(2, &["already exists"]);
    for _ in 0..2 {
        env.ok(&["brief", "acme/app#1", "-o", &folder.join("brief.md").to_string_lossy()]);
    }
    assert_eq!(leftovers(folder), [""; 0]);
}

#[test]
fn item_url_names_the_item() {
    let env = TestEnv::new();
    env.ok(&["import", "sample", "--no-index"]);
    let items = env.json(&["search", "FW-1043", "--mode", "lexical", "--json"]);
    let (key, url) = (&items["hits"][0]["key"], items["hits"][0]["url"].as_str().unwrap());
    assert_eq!(env.json(&["troubleshoot", url, "--json"])["key"], *key);
    let brief = env.ok(&["brief", url]).out;
    assert!(brief.contains(url), "{brief}");
    assert!(env.json(&["troubleshoot", "https://example.com/7", "--json"])["key"].is_null());
    assert!(env.json(&["troubleshoot", "C#7", "F#4", "--json"])["key"].is_null());
    let run = env.run(&["brief", key.as_str().unwrap(), "#1"]);
    run.assert_error(2, &["one can be looked up at a time"]);
}
