//! Tests of `precedent troubleshoot FILE…` with logs and support bundles.

use std::{io::Write as _, path::Path};

use crate::support::{TestEnv, comment, issue};

/// Imports items with one comment.
fn import_items(env: &TestEnv, items: String, reply: &serde_json::Value) {
    let items = env.file("items.jsonl", items);
    let comments = env.file("comments.jsonl", reply.to_string());
    env.ok(&[
        "import",
        "github",
        &items.to_string_lossy(),
        &comments.to_string_lossy(),
        "--source",
        "acme/heron",
        "--no-vectors",
    ]);
}

/// Imports a solved and an open failure.
fn import_failures(env: &TestEnv) {
    let mut solved_item = issue(
        7,
        "Sealed segments are refused",
        "Since Monday orders are lost, with HR-4711.\n\n```\n2026-01-04 09:00:01 ERROR com.heron.Store - cannot store order 4711\ncom.heron.StoreException: segment 17 of the ring is sealed for good\n\tat com.heron.Store.put(Store.java:120)\n```\n",
    );
    solved_item["state"] = "closed".into();
    solved_item["closed_at"] = "2026-02-01T00:00:00Z".into();
    solved_item["milestone"] = serde_json::json!({"title": "2.5.0"});
    let open_item = issue(
        9,
        "Lease of a node ends before it is renewed",
        "```\nheron.errors.LeaseError: lease 9 of node-12 has ended before it was renewed\n```\nIt happens at night.",
    );
    let other_items = (20..40).map(|n| {
        issue(
            n,
            &format!("Perch {n} is painted in the wrong colour"),
            "The colour of the perch is not that of the catalogue.",
        )
        .to_string()
    });
    let items: Vec<String> =
        [solved_item.to_string(), open_item.to_string()].into_iter().chain(other_items).collect();
    let reply =
        comment(701, 7, "Fixed in 2.5.0: the store opens a new segment when one is sealed.");
    import_items(env, items.join("\n"), &reply);
}

/// Returns a log with both failures, an unknown one, and normal lines.
fn log() -> String {
    let mut out = String::new();
    for n in 0..900 {
        out.push_str(&format!(
            "2026-05-12 10:{:02}:{:02},000 INFO  com.heron.Web - GET /orders/{n}\n",
            n / 60,
            n % 60
        ));
        if n % 30 == 0 {
            out.push_str(&format!(
                "2026-05-12 10:{:02}:{:02},100 ERROR com.heron.Store - cannot store order {n}\n\
                 com.heron.StoreException: segment {n} of the ring is sealed for good\n\tat com.heron.Store.put(Store.java:133)\n",
                n / 60,
                n % 60
            ));
        }
    }
    out.push_str(
        "2026-05-12 10:59:00,000 ERROR heron.lease - heron.errors.LeaseError: lease 3 of node-4 has ended before it was renewed\n\
         2026-05-12 10:59:01,000 FATAL heron.main - the aviary's quorum of perches is gone, giving up\n",
    );
    out
}

#[test]
fn log_report_shows_known_errors() {
    let env = TestEnv::new();
    import_failures(&env);
    let path = env.file("server.log", log());
    let path = path.to_string_lossy();
    let response = env.json(&["troubleshoot", &path, "--json"]);
    let errors = response["errors"].as_array().unwrap();
    assert_eq!((&response["distinct"], errors.len()), (&3.into(), 3), "{response:#}");
    let find_error = |part: &str| {
        errors
            .iter()
            .find(|e| e["message"].as_str().unwrap().contains(part))
            .unwrap_or_else(|| panic!("{part}: {response:#}"))
    };
    let sealed_error = find_error("cannot store order");
    assert_eq!(
        (&sealed_error["count"], &sealed_error["verdict"]),
        (&30.into(), &"solved".into()),
        "{sealed_error:#}"
    );
    assert_eq!(
        (&sealed_error["case"]["key"], &sealed_error["case"]["fixed_in"]),
        (&"acme/heron#7".into(), &"2.5.0".into())
    );
    assert_eq!(sealed_error["case"]["same_signature"], true);
    assert_eq!(
        (&sealed_error["first"]["line"], &sealed_error["last"]["at"]),
        (&2.into(), &"2026-05-12 10:14:30,100".into())
    );
    let lease = find_error("LeaseError");
    assert_eq!(
        (&lease["verdict"], &lease["known"]["key"]),
        (&"known".into(), &"acme/heron#9".into()),
        "{lease:#}"
    );
    let quorum = find_error("quorum");
    assert_eq!(
        (&quorum["verdict"], &quorum["severity"]),
        (&"new".into(), &"fatal".into()),
        "{quorum:#}"
    );
    assert_eq!(errors[0]["message"], quorum["message"], "the fatal error is not first");

    let output = env.ok(&["troubleshoot", &path]).out;
    assert!(
        output.contains(
            "3 distinct errors in 992 lines of 1 file: 1 solved in 2.5.0, 1 known, 1 not seen before"
        ),
        "{output}"
    );
    for part in [
        "30 times",
        "solved  [Issue acme/heron#7]",
        "fixed in 2.5.0",
        "known  [Issue acme/heron#9]",
        "not seen before",
    ] {
        assert!(output.contains(part), "{part}: {output}");
    }
}

fn write_bundle(path: &Path) {
    let file = std::fs::File::create(path).unwrap();
    let mut tar =
        tar::Builder::new(flate2::write::GzEncoder::new(file, flate2::Compression::fast()));
    let member = zstd::encode_all(log().as_bytes(), 1).unwrap();
    let members: [(&str, &[u8]); 3] = [
        ("bundle/server.log.zst", &member),
        ("bundle/heap.bin", b"\0\0"),
        ("bundle/app.conf", b"error_page 500\n"),
    ];
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, bytes).unwrap();
    }
    tar.into_inner().unwrap().finish().unwrap().flush().unwrap();
}

#[test]
fn support_bundles_and_folders_are_read() {
    let env = TestEnv::new();
    import_failures(&env);
    let path = env.path("bundle.tar.gz");
    write_bundle(&path);
    let output = env.ok(&["troubleshoot", &path.to_string_lossy(), "--max-errors", "1"]).out;
    assert!(output.contains("3 distinct errors in 992 lines of 1 file"), "{output}");
    assert!(output.contains("2 less significant errors not checked"), "{output}");
    assert!(output.contains("skipped: bundle/app.conf: not a log file name"), "{output}");
    let folder = env.path("logs");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.log"), log()).unwrap();
    std::fs::write(folder.join("b.log"), log()).unwrap();
    let response = env.json(&["troubleshoot", &folder.to_string_lossy(), "--json"]);
    assert_eq!(
        (&response["distinct"], &response["errors"][0]["count"]),
        (&3.into(), &2.into()),
        "{response:#}"
    );
}

#[test]
fn log_brief_omits_the_owner() {
    let env = TestEnv::new();
    import_failures(&env);
    let path = env.file(
        "server.log",
        format!("2026-05-12 10:00:00 ERROR mail to mika@customer.example bounced\n{}", log()),
    );
    let brief = env.ok(&["brief", &path.to_string_lossy(), "--redact"]).out;
    for part in
        ["Errors in the log", "cannot store order", "Solved cases", "2.5.0", "server.log line"]
    {
        assert!(brief.contains(part), "{part}: {brief}");
    }
    assert!(
        !brief.contains("mika@customer.example")
            && !brief.contains(&*env.path("").to_string_lossy()),
        "{brief}"
    );
}

#[test]
fn non_log_file_is_rejected_or_searched() {
    let env = TestEnv::new();
    import_failures(&env);
    let run = env.run(&["troubleshoot", "no-such-server.log"]);
    assert_eq!(run.code, Some(1));
    run.assert_stderr(&["no-such-server.log: no such file", "with `-`"]);
    // A mail contains no log errors and is treated as a question.
    let mail =
        env.file("mail.txt", "Our orders are lost with HR-4711 since Monday. What can we do?\n");
    let output = env.ok(&["troubleshoot", &mail.to_string_lossy()]).out;
    assert!(output.contains("acme/heron#7"), "{output}");
    let picture = env.file("picture.log", b"\x89PNG\0\0");
    let run = env.run(&["troubleshoot", &picture.to_string_lossy()]);
    run.assert_error(2, &["not a text"]);
    let run = env.run(&["troubleshoot", &mail.to_string_lossy(), "--max-errors", "51"]);
    run.assert_error(2, &["1 to 50"]);
}

#[test]
fn log_may_come_from_standard_input() {
    let env = TestEnv::new();
    import_failures(&env);
    // The failure is in the middle of a log that is too long to be searched for as text.
    let noise: String = (0..9_000)
        .map(|n| {
            format!(
                "2026-05-12 09:{:02}:{:02},000 WARN  com.heron.Web - slow request {n}:{:x}\n",
                n / 60 % 60,
                n % 60,
                n * 7_919
            )
        })
        .collect();
    let long_log = format!("{noise}{}{noise}", log());
    assert!(long_log.len() > 1_000_000);
    let run = env.run_with_input(&["troubleshoot", "-"], &long_log);
    assert!(
        run.out.contains("solved  [Issue acme/heron#7]") && run.out.contains("standard input:"),
        "{}",
        run.out
    );
    let input = zstd::encode_all(long_log.as_bytes(), 1).unwrap();
    let run = env.run_with_input(&["troubleshoot", "-"], &input);
    assert!(run.out.contains("solved  [Issue acme/heron#7]"), "{}{}", run.out, run.err);
    let records = r#"[{"level":"INFO","message":"fine"},{"level":"ERROR","message":"cannot store order 3","stack_trace":"com.heron.StoreException: segment 3 of the ring is sealed for good"}]"#;
    let run = env.run_with_input(&["troubleshoot", "-"], records);
    assert!(run.out.contains("solved  [Issue acme/heron#7]"), "{}{}", run.out, run.err);
    for command in ["search", "duplicates"] {
        let run = env.run_with_input(&[command, "-"], &long_log);
        assert!(
            run.err.contains("standard input: 4 distinct errors in 18,992 lines"),
            "{command}: {}",
            run.err
        );
    }
    let run = env.run_with_input(&["search", "-"], &long_log);
    assert!(run.out.contains("acme/heron#7"), "{}", run.out);
    let brief = env.run_with_input(&["brief", "-"], &long_log);
    assert!(
        brief.out.contains("Errors in the log") && brief.out.contains("standard input"),
        "{}",
        brief.out
    );
}

#[test]
fn log_without_errors_is_stated() {
    let env = TestEnv::new();
    import_failures(&env);
    let clean_log: String = (0..234)
        .map(|n| format!("2026-05-12 10:00:{:02},000 INFO GET /orders/{n}\n", n % 60))
        .collect();
    let path = env.file("fine.log", &clean_log);
    let output = env.ok(&["troubleshoot", &path.to_string_lossy()]).out;
    assert_eq!(output.trim(), "No errors or warnings in 234 lines.");
    let output = env.run_with_input(&["troubleshoot", "-"], &clean_log).out;
    assert_eq!(output.trim(), "No errors or warnings in 234 lines.");
}

#[test]
fn closed_report_without_a_fix_is_known() {
    let env = TestEnv::new();
    let mut solved_item = issue(
        7,
        "Sealed segments are refused",
        "com.heron.StoreException: segment 17 of the ring is sealed for good",
    );
    solved_item["state"] = "closed".into();
    solved_item["closed_at"] = "2026-02-01T00:00:00Z".into();
    let reply = comment(701, 7, "The store has to own the folder of the ring, see the runbook.");
    import_items(&env, solved_item.to_string(), &reply);
    let path = env.file(
        "server.log",
        "2026-05-12 10:00:00,000 ERROR com.heron.StoreException: segment 3 of the ring is sealed for good\n",
    );
    let output = env.ok(&["troubleshoot", &path.to_string_lossy()]).out;
    assert!(output.contains("known  [Issue acme/heron#7]"), "{output}");
}

#[test]
fn broken_file_is_listed_and_others_are_read() {
    let env = TestEnv::new();
    import_failures(&env);
    let folder = env.path("logs");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.log"), log()).unwrap();
    std::fs::write(folder.join("cut.zip"), b"PK\x03\x04 and no more").unwrap();
    let output = env.ok(&["troubleshoot", &folder.to_string_lossy()]).out;
    assert!(output.contains("solved  [Issue acme/heron#7]"), "{output}");
    assert!(output.contains("skipped: cut.zip: the file is truncated or damaged"), "{output}");
    let run = env.run(&["troubleshoot", &folder.join("cut.zip").to_string_lossy()]);
    run.assert_error(2, &["cut.zip: the file is truncated"]);
}
