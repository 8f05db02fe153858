//! Snapshot tests of the command line's output.

use crate::support::{TestEnv, comment, issue};

fn import_small_sample(env: &TestEnv) {
    let mut text = String::new();
    for record in [
        issue(
            1,
            "Replication slot grows",
            "The pump stops and the disk fills.\n\n```\nERROR 1: no space\n```",
        ),
        issue(2, "Console \u{1b}[31mred\u{1b}[0m title", "Nothing to see"),
        comment(50, 1, "Restart the heartbeat of the slot."),
    ] {
        text.push_str(&format!("{record}\n"));
    }
    let path = env.file("in.jsonl", text);
    let page =
        env.page("wiki/Slots-and-disks.md", "# Slots\n\nA slot keeps the log until it is read.\n");
    env.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]);
    env.ok(&["import", "wiki", &page, "--source", "acme/app"]);
}

#[test]
fn command_output_matches_the_snapshots() {
    let env = TestEnv::new();
    insta::assert_snapshot!("no_casebook", env.run(&["search", "x"]).snapshot_text(&env));
    env.create_casebook();
    insta::assert_snapshot!("empty_status", env.run(&["status"]).snapshot_text(&env));
    insta::assert_snapshot!("empty_search", env.run(&["search", "x"]).snapshot_text(&env));
    import_small_sample(&env);
    for (name, args) in [
        ("status", &["status"][..]),
        ("sources", &["source", "list"]),
        ("sources_json", &["source", "list", "--json=key,issues,comments,pages"]),
        ("search", &["search", "replication slot", "-L", "2"]),
        ("search_explain", &["search", "heartbeat", "-L", "1", "--explain"]),
        ("search_json", &["search", "heartbeat", "-L", "1", "--json"]),
        ("search_nothing", &["search", "mode:lexical zanzibar"]),
        ("show", &["show", "acme/app#1"]),
        ("show_page", &["show", "acme/app:Slots-and-disks"]),
        ("show_json", &["show", "1", "--json=key,title,state,comments"]),
        ("show_missing", &["show", "acme/app#9"]),
        ("wrong_filter", &["search", "is:opne"]),
        ("wrong_source", &["search", "-R", "no/such", "x"]),
        ("wrong_field", &["search", "slot", "--json=kye"]),
        ("wrong_command", &["serach", "x"]),
        ("unconfirmed", &["source", "remove", "acme/app"]),
        ("removed", &["source", "remove", "acme/app", "--yes"]),
    ] {
        insta::assert_snapshot!(name, env.run(args).snapshot_text(&env));
    }
}

#[test]
fn query_may_come_from_standard_input() {
    let env = TestEnv::new();
    import_small_sample(&env);
    let text = b"a pasted log\nERROR 1: no space\nis:strange\n";
    let out = env.run_with_input(&["search", "-", "--json=key"], text).out;
    assert!(out.contains("acme/app#1"), "{out}");
    let explanation = env.run_with_input(&["search", "-", "--explain"], text).out;
    assert!(
        explanation.contains("combined score") && !explanation.contains("/ (60"),
        "{explanation}"
    );
}

#[test]
fn sample_answers_the_first_queries() {
    let env = TestEnv::new();
    let run = env.ok(&["import", "sample"]);
    assert!(run.err.contains("125 items, 420 comments"), "{}", run.err);
    let hits = env.json(&[
        "search",
        "mode:lexical replication slot fills the disk",
        "-L",
        "5",
        "--json=key",
    ]);
    assert!(hits.as_array().unwrap().iter().any(|h| h["key"] == "ferrywire/ferrywire#2"), "{hits}");
    let trace = "thread 'pipe-stock' panicked at src/row/decode.rs:412:34:\nindex out of bounds: the len is 17 but the index is 17\n   3: fw_agent::row::decode::RowDecoder::column";
    let hits = env.json(&["search", trace, "-L", "3", "--json=key"]);
    let keys: Vec<&str> =
        hits.as_array().unwrap().iter().map(|h| h["key"].as_str().unwrap()).collect();
    assert!(
        keys.contains(&"ferrywire/ferrywire#67") && keys.contains(&"ferrywire/ferrywire#70"),
        "{keys:?}"
    );
}

#[test]
fn search_uses_the_failure_of_a_log() {
    let env = TestEnv::new();
    env.ok(&["import", "sample"]);
    let mut log: String = (0..6000)
        .map(|n| format!("2026-01-01T00:00:00Z INFO request {n} took 12 ms path=/v1/items/{n}\n"))
        .collect();
    log.push_str("ERROR fw_agent::link tls: invalid peer certificate: UnknownIssuer\n");
    assert!(log.len() > 300_000);
    let log = std::fs::File::open(env.file("long.log", log)).unwrap();
    let run = env.command(&["search", "-", "-L", "5"]).stdin(log).output().unwrap();
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success() && output.contains("UnknownIssuer"), "{output}");
}

#[test]
fn ambiguous_number_is_an_error() {
    let env = TestEnv::new();
    for source in ["acme/app", "acme/lib"] {
        let items =
            [issue(77, "Tray icon is gone", "See #78."), issue(78, "Icons", "All of them.")];
        let file = env.file("in.jsonl", format!("{}\n{}\n", items[0], items[1]));
        env.ok(&["import", "github", &file.to_string_lossy(), "--source", source]);
    }
    for args in [["show", "77"], ["duplicates", "#77"], ["troubleshoot", "#77"], ["brief", "77"]] {
        let run = env.run(&args);
        assert!(
            run.code == Some(2) && run.err.contains("acme/app#77, acme/lib#77"),
            "{args:?} {}",
            run.err
        );
    }
    let run = env.run(&["show", ""]);
    run.assert_error(2, &["a key is missing"]);
    let output = env.ok(&["show", "acme/app#77"]).out;
    assert!(output.contains("mentions acme/app#78 Icons"), "{output}");
    let output = env.ok(&["show", "acme/app#78"]).out;
    assert!(output.contains("mentioned by acme/app#77 Tray icon is gone"), "{output}");
}

#[test]
fn words_are_found_after_prefixes() {
    let env = TestEnv::new();
    let items = [
        issue(1, "L'aperçu avant l’imprimante", "Rien ne sort."),
        issue(2, "Il nome dell'utente", "Manca."),
        issue(3, "فشل تسجيـــل الدخول", "لا شيء"),
    ];
    let text: String = items.iter().map(|item| format!("{item}\n")).collect();
    env.import(text);
    for (query, key) in [
        ("aperçu", "acme/app#1"),
        ("imprimante", "acme/app#1"),
        ("d'imprimante", "acme/app#1"),
        ("utente", "acme/app#2"),
        ("دخول", "acme/app#3"),
        ("تسجيل", "acme/app#3"),
    ] {
        let out = env.ok(&["search", query, "--mode", "lexical"]).out;
        assert!(out.starts_with(key), "{query}: {out}");
    }
}

#[test]
fn invalid_arguments_are_explained() {
    let env = TestEnv::new();
    import_small_sample(&env);
    for (args, message) in [
        (&["search", "slot", "-L", "0"][..], "at least 1"),
        (&["triage", "-L", "0"], "at least 1"),
        (&["problems", "-L", "0"], "at least 1"),
        (&["--threads", "0", "status"], "at least 1"),
        (
            &["verdict", "set", "1", "acme/app:Slots-and-disks", "duplicate"],
            "acme/app:Slots-and-disks is not a report",
        ),
        (
            &["verdict", "set", "acme/app:Slots-and-disks", "1", "duplicate"],
            "acme/app:Slots-and-disks is not a report",
        ),
        (&["verdict", "list", "--json=foo"], "unknown field \"foo\""),
        (&["brief", "acme/app#1", "--json=foo"], "unknown field \"foo\""),
        (&["brief", "acme/app#1", "--json", "--format", "html"], "conflicts with the format"),
        (&["brief", "acme/app#1", "--json", "-o", "a.md"], "conflicts with the format"),
    ] {
        let run = env.run(args);
        assert!(
            run.code == Some(2) && run.err.contains(message),
            "{args:?}: {:?} {}",
            run.code,
            run.err
        );
    }
    env.ok(&["verdict", "set", "1", "acme/app:Slots-and-disks", "related"]);
    let shown = env.ok(&["show", "acme/app#1"]).out;
    let verdict = "verdict: acme/app#1 and acme/app:Slots-and-disks are related";
    assert!(shown.contains(verdict), "{shown}");
    // The error names the unknown source or item.
    for (key, message) in
        [("no/pe#1", "Available sources: acme/app"), ("acme/app#99", "acme/app has no such item")]
    {
        let run = env.run(&["show", key]);
        assert!(run.code == Some(1) && run.err.contains(message), "{key}: {}", run.err);
    }
    let brief = env.json(&["brief", "acme/app#1", "--json"]);
    assert!(
        brief["title"].is_string()
            && env.json(&["brief", "acme/app#1", "--json=title"]).is_object()
    );
    let run = env.ok(&["source", "add", "acme/app"]);
    assert!(run.err.contains("already exists"), "{}", run.err);
    env.ok(&["note", "add", "-t", "x", "-b", "y"]);
    let output = env.ok(&["note", "list", "-k", "thesis"]).out;
    assert!(output.contains("No notes of kind thesis"), "{output}");
}

#[test]
fn notices_are_printed_with_selected_fields() {
    let env = TestEnv::new();
    let file = env
        .file("in.jsonl", format!("{}\n", issue(1, "Replication slot grows", "The pump stops.")));
    env.ok(&["import", "github", &file.to_string_lossy(), "--source", "acme/app", "--no-vectors"]);
    let run = env.ok(&["search", "slot", "--json=key"]);
    assert!(
        run.err.contains("semantic index is 0% built") && run.out.contains("acme/app#1"),
        "{}",
        run.err
    );
    assert_eq!(env.ok(&["-q", "search", "slot", "--json=key"]).err, "");
}

#[test]
fn damaged_casebook_is_not_reported_missing() {
    let env = TestEnv::new();
    import_small_sample(&env);
    let database = env.casebook().join("precedent.db");
    std::fs::rename(&database, env.path("elsewhere.db")).unwrap();
    for command in ["status", "doctor"] {
        let run = env.run(&[command]);
        assert!(
            run.code == Some(1) && run.err.contains("is missing, although"),
            "{command}: {}",
            run.err
        );
        assert!(run.err.contains("precedent restore"), "{command}: {}", run.err);
    }
    std::fs::rename(env.path("elsewhere.db"), &database).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let set_mode = |mode| {
            std::fs::set_permissions(env.casebook(), std::fs::Permissions::from_mode(mode))
                .unwrap();
        };
        set_mode(0o000);
        let is_readable = std::fs::metadata(&database).is_ok();
        let run = env.run(&["status"]);
        set_mode(0o700);
        match is_readable {
            true => eprintln!(
                "SKIPPED: a folder without permission, because this user may read everything"
            ),
            false => assert!(run.err.contains("permission denied"), "{}", run.err),
        }
    }
}
