//! Tests of killed and repeated imports, and of deleted indexes.

use std::time::{Duration, Instant};

use crate::support::{Random, TestEnv, fingerprint, random_records};

const SEED: u64 = 20_260_101;

fn import_args<'a>(issues: &'a str, comments: &'a str) -> [&'a str; 6] {
    ["import", "github", issues, comments, "--source", "acme/app"]
}

#[test]
fn killed_import_and_indexing_resume() {
    let (issues, comments) = random_records(1000, 2000, 7);
    let reference = TestEnv::new();
    let a = reference.file_arg("issues.jsonl", &issues);
    let b = reference.file_arg("comments.jsonl", &comments);
    let start = Instant::now();
    reference.ok(&import_args(&a, &b));
    let mut duration = start.elapsed();
    let expected = fingerprint(&reference);

    // Five kills hit one import, and five another.
    let mut random = Random(SEED);
    let mut kills = 0;
    let mut env = TestEnv::new();
    for round in 0..10 {
        if round == 5 {
            env = TestEnv::new();
        }
        let mut child =
            env.command(&import_args(&a, &b)).stderr(std::process::Stdio::null()).spawn().unwrap();
        let share = u32::try_from(random.below(90) + 5).unwrap();
        std::thread::sleep((duration * share / 100).max(Duration::from_millis(30)));
        let is_running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        if is_running {
            kills += 1;
        } else {
            // The import ended too early, so kill the next one sooner.
            duration /= 2;
        }
        if round == 4 || round == 9 {
            env.ok(&import_args(&a, &b));
            assert_eq!(fingerprint(&env), expected, "after kill {round} with seed {SEED}");
        }
    }
    assert!(kills >= 3, "only {kills} of 10 imports were killed before they ended");
}

#[test]
fn second_import_changes_nothing() {
    let (issues, comments) = random_records(300, 600, 3);
    let env = TestEnv::new();
    let a = env.file_arg("issues.jsonl", &issues);
    let b = env.file_arg("comments.jsonl", &comments);
    env.ok(&import_args(&a, &b));
    let content_before = fingerprint(&env);
    let mut arguments = import_args(&a, &b).to_vec();
    arguments.push("--json");
    let report = env.json(&arguments);
    assert_eq!(
        (&report["new"], &report["updated"], &report["unchanged"]),
        (&0.into(), &0.into(), &900.into())
    );
    assert_eq!(
        (&report["index"]["documents"], &report["index"]["embedded"]),
        (&0.into(), &0.into())
    );
    assert_eq!(fingerprint(&env), content_before);
}

#[test]
fn deleted_indexes_are_rebuilt() {
    let (issues, comments) = random_records(200, 300, 4);
    let env = TestEnv::new();
    let a = env.file_arg("issues.jsonl", &issues);
    let b = env.file_arg("comments.jsonl", &comments);
    env.ok(&import_args(&a, &b));
    let expected = fingerprint(&env);

    std::fs::remove_dir_all(env.casebook().join("fulltext")).unwrap();
    assert_eq!(fingerprint(&env), expected, "a search rebuilds the full-text index");

    std::fs::remove_dir_all(env.casebook().join("vectors")).unwrap();
    let response = env.json(&["search", "agent timeout", "--json"]);
    assert_eq!(response["coverage"]["embedded"], 0);
    assert!(
        response["notices"][0]["text"].as_str().unwrap().contains("semantic index is 0% built")
    );
    assert!(!response["hits"].as_array().unwrap().is_empty());
    env.ok(&["index"]);
    assert_eq!(fingerprint(&env), expected);

    env.ok(&["index", "--rebuild"]);
    assert_eq!(fingerprint(&env), expected);

    // A damaged full-text index is treated as missing.
    std::fs::write(env.full_text_folder().join("meta.json"), "{ this is no index").unwrap();
    assert_eq!(fingerprint(&env), expected);

    // An index of an earlier version is removed.
    std::fs::remove_dir_all(env.full_text_folder()).unwrap();
    std::fs::create_dir_all(env.casebook().join("fulltext/v1")).unwrap();
    std::fs::write(env.casebook().join("fulltext/v1/meta.json"), "{}").unwrap();
    assert_eq!(fingerprint(&env), expected);
    assert!(!env.full_text_folder().ends_with("v1"));
}
