//! Tests of hostile text, and runs of the fuzz targets' checks on their seeds.

#[path = "../fuzz/checks.rs"]
mod checks;

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::{mcp::Client, support::TestEnv};

fn seeds(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/seeds").join(target);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut out: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    out.sort();
    assert!(!out.is_empty(), "{}", folder.display());
    out.into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn every_seed_passes_whole_truncated_and_repeated() {
    for (target, check) in checks::ALL {
        for (path, bytes) in seeds(target) {
            eprintln!("{}", path.display());
            check(&bytes);
            for part in 1..6 {
                check(&bytes[..bytes.len() * part / 6]);
            }
            check(&bytes.repeat(2));
        }
    }
}

#[test]
fn every_target_has_a_check_and_seeds() {
    let manifest = include_str!("../fuzz/Cargo.toml");
    let mut targets: Vec<&str> = manifest
        .lines()
        .filter_map(|l| l.strip_prefix("path = \"targets/")?.strip_suffix(".rs\""))
        .collect();
    let mut names: Vec<&str> = checks::ALL.iter().map(|(name, _)| *name).chain(["mcp"]).collect();
    targets.sort_unstable();
    names.sort_unstable();
    assert_eq!(targets, names);
}

#[test]
fn mcp_server_survives_any_input() {
    let env = TestEnv::new();
    env.ok(&["import", "sample"]);
    let mut client = Client::start(&env, &[]);
    for (path, bytes) in seeds("mcp") {
        eprintln!("{}", path.display());
        for line in String::from_utf8(bytes).unwrap().lines() {
            client.send(line);
            let status = client.ok("status", json!({}));
            assert_eq!(status["sources"][0]["key"], "ferrywire/ferrywire", "after {line}");
        }
    }
    let (code, error_text) = client.end();
    assert_eq!((code, error_text.contains("panicked")), (Some(0), false), "{error_text}");
}

/// Terminal control sequences: a title, an 8-bit color, the reading direction, an overwritten line.
#[cfg(unix)]
const CONTROLS: &str = "a\u{1b}]0;owned\u{7}b\u{9b}31mc\u{202e}d\re\u{8}f\u{7f}";

#[cfg(unix)]
#[test]
fn tracker_text_never_controls_the_terminal() {
    let env = TestEnv::new();
    let record = |number: u64| {
        let mut issue = crate::support::issue(
            number,
            &format!("Upload stops {CONTROLS}"),
            &format!("FW-1043 {CONTROLS}\n\n```\n{CONTROLS}\n```\n"),
        );
        issue["user"]["login"] = json!(CONTROLS);
        issue["labels"] = json!([{"name": CONTROLS}]);
        issue["milestone"] = json!({"title": CONTROLS});
        issue["html_url"] = json!(format!("https://tracker.example/{CONTROLS}"));
        issue
    };
    let solved = crate::support::close(record(1), CONTROLS);
    let mut reply = crate::support::comment(10, 1, &format!("Fixed by {CONTROLS}"));
    reply["user"]["login"] = json!(CONTROLS);
    let lines: String =
        [solved, record(2), record(3), reply].iter().map(|r| format!("{r}\n")).collect();
    let path = env.file(
        "in.jsonl",
        format!("{lines}{{\"number\": 4, \"title\": [\"{CONTROLS}\"]}}\n{CONTROLS}\n"),
    );
    let page = env.file(
        &format!("wiki/Page {}.md", CONTROLS.replace('/', "")),
        format!("# {CONTROLS}\n\nFW-1043 {CONTROLS}\n"),
    );
    let table = env.file("table.csv", format!("number,title,created\n9,{CONTROLS},{CONTROLS}\n"));
    let (path, page, table) =
        (path.to_string_lossy(), page.to_string_lossy(), table.to_string_lossy());
    let tags = format!("x{CONTROLS}");
    for args in [
        &["import", "github", &path, "--source", "acme/app"][..],
        &["import", "wiki", &page, "--source", "acme/app"],
        &["import", "csv", &table, "--source", "acme/app"],
        &["import", "csv", &table, "--source", "acme/app", "--map", &format!("title={CONTROLS}")],
        &[
            "note", "add", "--kind", "lesson", "--title", CONTROLS, "--body", CONTROLS, "--tag",
            &tags,
        ],
        &[
            "verdict",
            "set",
            "acme/app#2",
            "acme/app#1",
            "duplicate",
            "--reason",
            CONTROLS,
            "--by",
            CONTROLS,
        ],
        &["search", "upload"],
        &["search", "upload", "--explain"],
        &["search", "upload", "--json"],
        &["search", CONTROLS],
        &["search", &format!("label:\"{CONTROLS}\"")],
        &["show", "acme/app#1"],
        &["show", "acme/app#1", "--json"],
        &["show", "note#1"],
        &["show", CONTROLS],
        &["duplicates", "acme/app#3", "--include-closed"],
        &["triage"],
        &["triage", "--apply"],
        &["problems"],
        &["troubleshoot", "FW-1043 upload stops"],
        &["brief", "acme/app#3"],
        &["brief", "acme/app#3", "--redact", "--preview"],
        &["note", "list"],
        &["verdict", "list"],
        &["source", "list"],
        &["status"],
        &["doctor"],
    ] {
        let run = env.run(&[&["--color", "never"], args].concat());
        assert!(run.code.is_some(), "{args:?}");
        let output = format!("{}{}", run.out, run.err);
        assert!(!output.contains("panicked"), "{args:?}: {output}");
        let control = output.chars().find(|c| {
            (c.is_control() && *c != '\n')
                || matches!(*c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        });
        assert_eq!(control, None, "{args:?}: {output:?}");
    }
}

#[test]
fn mcp_replies_mark_untrusted_text() {
    let env = TestEnv::new();
    env.ok(&["import", "sample"]);
    let mut client = Client::start(&env, &["-R", "ferrywire/ferrywire"]);
    let key = "ferrywire/ferrywire#13";
    let note = json!({"kind": "lesson", "title": "Slots", "body": "Restart the heartbeat.", "attach": [key]});
    let tools = client.ask("tools/list", json!({}));
    let mut untried_tools: Vec<String> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["name"].as_str().unwrap().to_owned())
        .collect();
    for (tool, arguments) in [
        ("ask", json!({"text": "replication slot fills the disk"})),
        ("search_issues", json!({"query": "slot"})),
        ("find_duplicates", json!({"number": 13})),
        ("find_fixes", json!({"text": "replication slot fills the disk"})),
        ("read_thread", json!({"key": key})),
        ("add_note", note),
        (
            "record_verdict",
            json!({"key": key, "other": "ferrywire/ferrywire#2", "verdict": "related"}),
        ),
        ("write_brief", json!({"key": key})),
        ("write_article", json!({"key": key})),
        ("status", json!({})),
    ] {
        client.ok(tool, arguments);
        untried_tools.retain(|name| name != tool);
        // An error message may quote tracker text.
        let error_reply = client.call(tool, json!({"no such parameter": 1}));
        assert_eq!(error_reply["result"]["isError"], true, "{tool}: {error_reply}");
        let text = error_reply["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("untrusted data"), "{tool}: {error_reply}");
    }
    assert_eq!(untried_tools, Vec::<String>::new(), "every tool is tried");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn server_errors_reach_agents_with_the_notice() {
    let github = crate::fake_github::FakeGitHub::new("acme/app");
    github.world().fill(3, 3);
    github.world().forbidden_lists = vec!["/issues/comments"];
    let env = TestEnv::new();
    env.ok(&["source", "add", "github:acme/app", "--host", &github.host]);
    env.run(&["sync"]);
    let mut client = Client::start(&env, &[]);
    let status = client.ok("status", json!({}));
    assert!(
        status.to_string().contains("Resource not accessible by personal access token"),
        "{status}"
    );
    assert!(
        status["text"].as_str().is_some_and(|text| text.contains("untrusted data")),
        "{status}"
    );
    assert_eq!(client.end().0, Some(0));
}
