//! Tests of a command's environment: output that cannot be written, a folder without a casebook,
//! invalid settings, existing or leftover files, and restoring a copy.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::json;

use crate::{
    mcp::Client,
    support::{Place, Ran, comment, issue, tracker},
};

fn import_sample(place: &Place) {
    let lines = format!(
        "{}\n{}\n",
        issue(1, "Valve leaks", "It drips."),
        comment(9, 1, "Tighten the gasket.")
    );
    let path = place.file("in.jsonl", lines);
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]);
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Runs a command with standard output on a full disk.
#[cfg(target_os = "linux")]
fn on_a_full_disk(place: &Place, args: &[&str], is_stderr_full: bool) -> Ran {
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = place.command(args);
    command.stdout(full()).stderr(if is_stderr_full {
        Stdio::from(full())
    } else {
        Stdio::piped()
    });
    Ran::from(command.spawn().unwrap().wait_with_output().unwrap())
}

#[cfg(target_os = "linux")]
#[test]
fn unwritable_output_is_an_error() {
    let place = Place::new();
    import_sample(&place);
    place.ok(&["note", "add", "-t", "Gasket", "-b", "Tighten it."]);
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
            &place.path("in.jsonl").to_string_lossy(),
            "--source",
            "acme/app",
            "--json",
        ],
    ] {
        let ran = on_a_full_disk(&place, args, false);
        assert_eq!(ran.code, Some(1), "{args:?}: {}", ran.err);
        assert!(
            ran.err.contains("standard output: no space left on device")
                && ran.err.contains("hint:"),
            "{args:?}: {}",
            ran.err
        );
        // Standard error may be unwritable as well.
        let code = on_a_full_disk(&place, args, true).code;
        assert_eq!(code, Some(1), "{args:?}");
    }
    // The error of the command itself is reported.
    let ran = on_a_full_disk(&place, &["show", "acme/app#99"], false);
    assert!(ran.code == Some(1) && ran.err.contains("acme/app#99"), "{}", ran.err);
    // The same holds for the MCP server.
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                       "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let input = place.file("hello.jsonl", format!("{hello}\n"));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = place
        .command(&["mcp"])
        .stdin(fs::File::open(&input).unwrap())
        .stdout(full)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
        .wait_with_output()
        .unwrap();
    let ran = Ran::from(output);
    assert!(
        ran.code == Some(1) && ran.err.contains("standard output: no space left"),
        "{:?} {}",
        ran.code,
        ran.err
    );
}

#[test]
fn closed_pipe_ends_help_quietly() {
    let place = Place::new();
    for args in [&["--help"][..], &["config", "list"], &["man"]] {
        let mut child =
            place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ran = Ran::from(child.wait_with_output().unwrap());
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{args:?}");
    }
}

#[test]
fn reading_creates_no_casebook_and_names_the_folder() {
    let place = Place::new();
    let folder = place.casebook();
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
        let ran = place.run(args);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{args:?}: {}", ran.err);
        let says = format!("no casebook found in {}", folder.display());
        assert!(
            ran.err.contains(&says) && ran.err.contains("precedent import sample"),
            "{args:?}: {}",
            ran.err
        );
        assert!(!folder.exists(), "{args:?} created {}", folder.display());
    }
    // A folder with other files is not a casebook either, and stays unchanged.
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("letter.txt"), "Dear all").unwrap();
    assert_eq!(place.run(&["search", "valve"]).code, Some(1));
    assert_eq!(names(&folder), ["letter.txt"]);
    for args in [
        &["source", "add", "acme/app"][..],
        &["note", "add", "-t", "Gasket", "-b", "Tighten it."],
        &["import", "sample", "--no-vectors"],
    ] {
        let place = Place::new();
        place.ok(args);
        assert!(place.casebook().join("precedent.db").is_file(), "{args:?}");
    }
}

#[test]
fn mcp_server_works_once_the_casebook_exists() {
    let place = Place::new();
    let mut client = Client::start(&place, &["-R", "acme/app"]);
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
    assert!(!place.casebook().exists());
    import_sample(&place);
    assert_eq!(
        client.ok("search_issues", json!({"query": "valve"}))["results"][0]["key"],
        "acme/app#1"
    );
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn invalid_limit_cannot_be_set() {
    let place = Place::new();
    import_sample(&place);
    for (key, range) in [
        ("search.limit", "1 to 500"),
        ("triage.limit", "1 to 500"),
        ("duplicates.max_candidates", "1 to 100"),
        ("troubleshooting.max_results", "1 to 10"),
    ] {
        let most: u64 = range.rsplit(' ').next().unwrap().parse().unwrap();
        let ran = place.run(&["config", "set", key, &(most + 1).to_string()]);
        assert!(ran.code == Some(2) && ran.err.contains(range), "{key}: {}", ran.err);
        place.ok(&["config", "set", key, &most.to_string()]);
        let variable = format!("PRECEDENT_{}", key.to_uppercase().replace('.', "_"));
        let output =
            place.command(&["status"]).env(&variable, (most + 1).to_string()).output().unwrap();
        let ran = Ran::from(output);
        assert!(
            ran.code == Some(2) && ran.err.contains(&variable) && ran.err.contains(range),
            "{}",
            ran.err
        );
    }
    for args in
        [&["search", "valve"][..], &["triage"], &["duplicates", "1"], &["troubleshoot", "it drips"]]
    {
        place.ok(args);
    }
}

#[test]
fn invalid_settings_are_located_and_allow_reading() {
    let place = Place::new();
    import_sample(&place);
    let path = PathBuf::from(place.ok(&["config", "path"]).out.trim());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for (text, at) in [
        ("source = \"acme/app\"\nsearch.limit = \n", "line 2, column 16"),
        ("# mine\n\n[search]\nlimit = 501\n", "line 4, column 1"),
        ("source = \"acme/app\"\n  serch.limit = 5\n", "line 2, column 9"),
    ] {
        fs::write(&path, text).unwrap();
        let says = format!("{}: {at}", path.display());
        for args in [
            &["search", "valve"][..],
            &["show", "1"],
            &["config", "list"],
            &["config", "get", "search.limit"],
        ] {
            let ran = place.ok(args);
            assert_eq!(ran.err.matches("warning:").count(), 1, "{args:?}: {}", ran.err);
            assert!(
                ran.err.contains(&says) && ran.err.contains("precedent config reset"),
                "{args:?}: {}",
                ran.err
            );
        }
        for args in [
            &["config", "set", "search.limit", "5"][..],
            &["config", "unset", "search.limit"],
            &["note", "add", "-t", "a", "-b", "b"],
            &["source", "add", "more/things"],
        ] {
            let ran = place.run(args);
            assert!(ran.code == Some(2) && ran.err.contains(&says), "{args:?}: {}", ran.err);
            assert!(ran.err.contains("precedent config reset"), "{args:?}: {}", ran.err);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    // The valid settings in it still apply.
    assert_eq!(place.json(&["config", "get", "source", "--json"])["value"], "acme/app");
    for n in 1..3 {
        fs::write(&path, "nonsense").unwrap();
        let ran = place.ok(&["config", "reset"]);
        let aside = path.with_extension(format!("before-reset-{n}.toml"));
        assert!(ran.err.contains(&*aside.to_string_lossy()), "{}", ran.err);
        assert_eq!(fs::read_to_string(aside).unwrap(), "nonsense");
    }
    place.ok(&["config", "set", "search.limit", "5"]);
    place.ok(&["note", "add", "-t", "a", "-b", "b"]);
}

/// Returns the temporary folders that an interrupted write left behind.
fn leftovers(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|n| n.starts_with(".precedent-")).collect()
}

#[test]
fn killed_export_leaves_no_files() {
    let place = Place::new();
    let (items, comments) = tracker(3_000, 3_000, 9);
    let path = place.file("in.jsonl", format!("{items}{comments}"));
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app", "--no-index"]);
    let target = place.file("out/readme", "x").with_file_name("acme.casebook");
    let folder = target.parent().unwrap();
    let own_names = ["acme.casebook.part", "acme.casebook.part.db", "acme.casebook.part.zst"];
    own_names.iter().for_each(|name| fs::write(folder.join(name), "mine").unwrap());
    let mut caught = false;
    for _ in 0..20 {
        let mut child = place
            .command(&["export", &target.to_string_lossy()])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while leftovers(folder).is_empty() && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        caught = !leftovers(folder).is_empty();
        let _ = fs::remove_file(&target);
        if caught {
            break;
        }
    }
    assert!(caught, "it was never killed in the middle");
    place.ok(&["export", &target.to_string_lossy()]);
    assert_eq!(leftovers(folder), [""; 0]);
    for name in own_names {
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), "mine", "{name}");
    }
    // The same holds for a copy, and for a brief, which replaces an existing file.
    let copy = folder.join("copy.db");
    fs::write(folder.join("copy.db.part"), "mine").unwrap();
    place.ok(&["backup", &copy.to_string_lossy()]);
    assert_eq!(fs::read_to_string(folder.join("copy.db.part")).unwrap(), "mine");
    let ran = place.run(&["export", &target.to_string_lossy()]);
    assert!(ran.code == Some(2) && ran.err.contains("already exists"), "{}", ran.err);
    for _ in 0..2 {
        place.ok(&["brief", "acme/app#1", "-o", &folder.join("brief.md").to_string_lossy()]);
    }
    assert_eq!(leftovers(folder), [""; 0]);
}

#[test]
fn item_url_names_the_item() {
    let place = Place::new();
    place.ok(&["import", "sample", "--no-index"]);
    let items = place.json(&["search", "FW-1043", "--mode", "lexical", "--json"]);
    let (key, url) = (&items["hits"][0]["key"], items["hits"][0]["url"].as_str().unwrap());
    assert_eq!(place.json(&["troubleshoot", url, "--json"])["key"], *key);
    let brief = place.ok(&["brief", url]).out;
    assert!(brief.contains(url), "{brief}");
    assert!(place.json(&["troubleshoot", "https://example.com/7", "--json"])["key"].is_null());
    assert!(place.json(&["troubleshoot", "C#7", "F#4", "--json"])["key"].is_null());
    let two = place.run(&["brief", key.as_str().unwrap(), "#1"]);
    assert!(
        two.code == Some(2) && two.err.contains("one can be looked up at a time"),
        "{}",
        two.err
    );
}
