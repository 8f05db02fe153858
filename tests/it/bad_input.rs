//! Tests of bad input: it is rejected or listed, and valid records are kept.

use std::io::Write as _;

use crate::support::{TestEnv, comment, issue};

fn import(env: &TestEnv, path: &std::path::Path) -> crate::support::Run {
    env.run(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"])
}

fn document_count(env: &TestEnv) -> u64 {
    env.json(&["status", "--json"])["coverage"]["documents"].as_u64().unwrap()
}

#[test]
fn bad_records_are_listed_and_others_kept() {
    let env = TestEnv::new();
    let mut lines: Vec<u8> = Vec::new();
    for line in [
        issue(1, "good one", "body").to_string().into_bytes(),
        b"this is not JSON".to_vec(),
        br#"{"title": "no number", "body": "x"}"#.to_vec(),
        br#"{"number": 3, "body": "no title"}"#.to_vec(),
        b"{\"number\": 4, \"title\": \"bad \xff utf-8\"}".to_vec(),
        br#"{"number": 5, "title": "cut"#.to_vec(),
        br#"{"kind": "something else"}"#.to_vec(),
        format!("{}x{}", "[".repeat(100_000), "]".repeat(100_000)).into_bytes(),
        comment(9, 1, "a comment").to_string().into_bytes(),
        issue(6, "good two", &"long ".repeat(10_000_000)).to_string().into_bytes(),
        issue(7, "good three", "").to_string().into_bytes(),
    ] {
        lines.extend(line);
        lines.push(b'\n');
    }
    let path = env.file("mixed.jsonl", &lines);
    let run = import(&env, &path);
    assert_eq!(run.code, Some(0), "{}", run.err);
    for (line, reason) in [
        (2, "not JSON"),
        (3, "number"),
        (4, "title"),
        (6, "truncated"),
        (7, "neither"),
        (8, ""),
        (10, "the maximum is 32 MB"),
    ] {
        let message = run.err.lines().find(|l| l.contains(&format!("mixed.jsonl:{line}:")));
        assert!(
            message.is_some_and(|l| l.contains(reason)),
            "line {line}: {:?}\n{}",
            message,
            run.err
        );
    }
    assert!(run.err.contains("7 records skipped"), "{}", run.err);
    assert_eq!(document_count(&env), 3);
    // An invalid byte replaces one character and does not reject the report.
    assert_eq!(env.json(&["show", "acme/app#4", "--json"])["title"], "bad \u{fffd} utf-8");
}

#[test]
fn unsupported_files_are_rejected() {
    let env = TestEnv::new();
    for (name, content, code, reason) in [
        ("words.jsonl", &b"hello world\n"[..], 1, "neither JSON nor a table"),
        ("wrong.json", b"{\"items\": [1, 2]}", 1, "nothing could be imported"),
        ("cut.json", b"[{\"number\": 1, \"title\": \"x", 2, "ends inside"),
        ("binary.json", b"\x00\x01\x02\xff\xfe", 1, "this is not a text file"),
        ("notgzip.json.gz", b"\x1f\x8b\x08\x00garbage", 2, "truncated or damaged"),
    ] {
        let path = env.file(name, content);
        let run = import(&env, &path);
        assert_eq!(run.code, Some(code), "{name}: {}", run.err);
        assert!(run.err.contains(reason), "{name}: {}", run.err);
        assert!(run.err.contains("hint:"), "{name}: {}", run.err);
    }
    let run = import(&env, &env.path("missing.json"));
    run.assert_error(1, &["no such file"]);
    std::fs::create_dir(env.path("empty")).unwrap();
    let run = import(&env, &env.path("empty"));
    run.assert_error(1, &["nothing to import"]);
    let run = import(&env, &env.file("nothing.jsonl", ""));
    run.assert_error(1, &["an empty file"]);
    // No failed import left a source behind.
    assert_eq!(env.json(&["source", "list", "--json"]), serde_json::json!([]));
    // Records before a truncation are kept.
    let partial_list = "[{\"number\": 1, \"title\": \"x\"}, {\"number\": 2, \"ti";
    let run = import(&env, &env.file("cut_after_one.json", partial_list));
    run.assert_error(2, &["the file ends inside this record"]);
    assert_eq!(env.json(&["source", "list", "--json"])[0]["issues"], 1);
}

#[test]
fn records_before_a_truncation_are_kept() {
    let env = TestEnv::new();
    let mut text = String::new();
    for n in 1..=20_000 {
        text.push_str(
            &issue(n, &format!("title {}", n * 7919 % 104_729), &format!("body {}", n * 31))
                .to_string(),
        );
        text.push('\n');
    }
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let archive = gzip.finish().unwrap();
    let path = env.file("cut.jsonl.gz", &archive[..archive.len() * 3 / 4]);
    let run = import(&env, &path);
    assert_eq!(run.code, Some(2), "{}", run.err);
    run.assert_stderr(&["truncated or damaged", "kept"]);
    assert!(document_count(&env) > 10_000, "{}", document_count(&env));
}

#[test]
fn unreadable_path_and_unwritable_casebook_are_errors() {
    let env = TestEnv::new();
    let file = env.file("file", "x");
    let run = env.run(&["--casebook", &file.to_string_lossy(), "status"]);
    run.assert_error(1, &["is not a folder"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // The superuser can read every file.
        let secret = env.file("secret.jsonl", issue(1, "x", "y").to_string());
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o0)).unwrap();
        if std::fs::File::open(&secret).is_ok() {
            eprintln!("SKIPPED: a file without permission, because this user may read everything");
            return;
        }
        let run = import(&env, &secret);
        run.assert_error(1, &["permission denied"]);
    }
}

#[test]
fn invalid_source_names_are_rejected() {
    let env = TestEnv::new();
    let path = env.file("a.jsonl", issue(1, "x", "y").to_string());
    for name in ["plain", "a//c", "../..", "a/", "/b", "a b/c", "a/b;c"] {
        let run = env.run(&["import", "github", &path.to_string_lossy(), "--source", name]);
        assert!(
            run.code == Some(2) && run.err.contains("is not a valid source"),
            "{name}: {}",
            run.err
        );
    }
}

#[test]
fn item_of_another_repository_is_skipped() {
    let env = TestEnv::new();
    let mut text = String::new();
    for (n, repository, title) in
        [(1, "acme/app", "ours"), (2, "acme/app", "also ours"), (1, "acme/other", "theirs")]
    {
        let mut record = issue(n, title, "body");
        record["url"] =
            format!("https://tracker.example/api/v3/repos/{repository}/issues/{n}").into();
        record["updated_at"] = "2026-05-05T00:00:00Z".into();
        text.push_str(&format!("{record}\n"));
    }
    let path = env.file("moved.jsonl", text);
    // The source may have another name.
    let run = env.ok(&["import", "github", &path.to_string_lossy(), "--source", "mirror/copy"]);
    assert!(
        run.err.contains("moved.jsonl:3: belongs to acme/other, not to acme/app"),
        "{}",
        run.err
    );
    assert_eq!(env.json(&["show", "mirror/copy#1", "--json=title"])["title"], "ours");
}
