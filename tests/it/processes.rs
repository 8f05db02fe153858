//! Tests of several processes on one casebook.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use precedent_core::{Task, model::IndexReport};
use precedent_index::{
    fulltext::FullText,
    update::{DerivedData, Effort, IndexedPart},
};
use precedent_store::Store;

use crate::support::{Run, TestEnv, comment, fingerprint, random_records};

#[test]
fn concurrent_imports_and_searches_lose_nothing() {
    let (issues, comments) = random_records(1200, 1500, 11);
    let (first, second): (Vec<&str>, Vec<&str>) = issues.lines().partition(|l| l.len() % 2 == 0);

    let reference = TestEnv::new();
    let issues_path = reference.file_arg("issues.jsonl", &issues);
    let comments_path = reference.file_arg("comments.jsonl", &comments);
    reference.ok(&["import", "github", &issues_path, &comments_path, "--source", "acme/app"]);

    let env = TestEnv::new();
    let a = env.file_arg("a.jsonl", first.join("\n"));
    let b = env.file_arg("b.jsonl", second.join("\n"));
    let c = env.file_arg("c.jsonl", &comments);
    let start = |args: &[&str]| {
        env.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let imports = [
        start(&["import", "github", &a, "--source", "acme/app"]),
        start(&["import", "github", &b, "--source", "acme/app"]),
        start(&["import", "github", &c, "--source", "acme/app"]),
    ];
    // Searches fail until an import has created the casebook.
    let start_time = Instant::now();
    while !env.casebook().join("precedent.db").is_file() {
        assert!(start_time.elapsed() < Duration::from_secs(60), "no import created a casebook");
        std::thread::sleep(Duration::from_millis(5));
    }
    for round in 0..12 {
        let searches: Vec<_> = ["agent timeout", "is:open memory", "mode:semantic disk leak"]
            .iter()
            .map(|q| start(&["search", q, "--json"]))
            .collect();
        for search in searches {
            let run = Run::from(search.wait_with_output().unwrap());
            assert_eq!(run.code, Some(0), "search {round}: {}", run.err);
            assert!(!run.err.contains("locked"), "{}", run.err);
        }
    }
    for import in imports {
        let run = Run::from(import.wait_with_output().unwrap());
        assert_eq!(run.code, Some(0), "{}", run.err);
        assert!(!run.err.contains("database is locked"), "{}", run.err);
    }
    env.ok(&["index"]);
    let coverage = &env.json(&["status", "--json"])["coverage"];
    assert_eq!(coverage["chunks"], coverage["embedded"]);
    // BM25 counts replaced documents until segments merge, so scores only agree after a rebuild.
    env.ok(&["index", "--rebuild"]);
    assert_eq!(fingerprint(&env), fingerprint(&reference));
}

#[test]
fn keyword_search_does_not_wait_for_vectors() {
    let (issues, _) = random_records(60, 0, 5);
    let env = TestEnv::new();
    std::fs::create_dir(env.casebook()).unwrap();
    // The lock simulates another process that computes vectors.
    let lock = std::fs::File::create(env.casebook().join("vectors.lock")).unwrap();
    lock.lock().unwrap();
    let path = env.file_arg("issues.jsonl", issues);
    let run = env.ok(&["import", "github", &path, "--source", "acme/app"]);
    assert!(run.err.contains("Another process is computing vectors"), "{}", run.err);
    let response = env.json(&["search", "agent timeout", "--json"]);
    assert_eq!(response["coverage"]["full_text"], 60);
    assert!(!response["hits"].as_array().unwrap().is_empty());
    drop(lock);
    env.ok(&["index"]);
    let coverage = &env.json(&["status", "--json"])["coverage"];
    assert!(
        coverage["chunks"] == coverage["embedded"] && coverage["chunks"].as_u64() > Some(59),
        "{coverage}"
    );
}

#[test]
fn changes_since_indexing_are_not_covered() {
    let (issues, _) = random_records(60, 0, 5);
    let env = TestEnv::new();
    env.import(issues);
    let notices = |response: &serde_json::Value| response["notices"].to_string();
    let response = env.json(&["search", "agent timeout", "--json"]);
    assert_eq!(
        (&response["coverage"]["full_text"], notices(&response).as_str()),
        (&60.into(), "[]")
    );

    // Two documents have a comment that is not indexed yet.
    let new_comments = [comment(1, 3, "The flux capacitor leaks"), comment(2, 4, "Seen here, too")];
    let lines = new_comments.map(|c| c.to_string()).join("\n");
    let path = env.file_arg("comments.jsonl", lines);
    env.ok(&["import", "github", &path, "--source", "acme/app", "--no-index"]);
    assert_eq!(env.json(&["status", "--json"])["coverage"]["full_text"], 58);
    // While another process holds the lock, a search uses the existing index.
    let lock = std::fs::File::create(env.casebook().join("text.lock")).unwrap();
    lock.lock().unwrap();
    let response = env.json(&["search", "capacitor", "--json"]);
    assert!(notices(&response).contains("the keyword index is 96% built"), "{response}");
    assert!(notices(&response).contains("the semantic index is 96% built"), "{response}");
    assert_eq!(response["conclusive"], false);
    drop(lock);
    // The search updates the full-text index itself, but not the vectors.
    let response = env.json(&["search", "capacitor", "--json"]);
    assert_eq!(response["coverage"]["full_text"], 60);
    assert_eq!(response["hits"][0]["key"], "acme/app#3");
    assert!(!notices(&response).contains("keyword index"), "{response}");
    assert!(notices(&response).contains("the semantic index is 96% built"), "{response}");
    env.ok(&["index"]);
    assert_eq!(notices(&env.json(&["search", "capacitor", "--json"])), "[]");
    // A note gets its vector immediately.
    env.ok(&[
        "note",
        "add",
        "--kind",
        "lesson",
        "--title",
        "Capacitors",
        "--body",
        "Tighten them by hand, one after the other",
    ]);
    assert_eq!(notices(&env.json(&["search", "capacitor", "--json"])), "[]");
}

#[test]
fn one_note_does_not_complete_semantic_coverage() {
    let env = TestEnv::new();
    let path = env.file_arg("issues.jsonl", random_records(60, 0, 5).0);
    env.ok(&["import", "github", &path, "--source", "acme/app", "--no-index"]);
    // Only the note's vector is computed immediately.
    env.ok(&[
        "note",
        "add",
        "--kind",
        "episode",
        "--title",
        "A valve",
        "--body",
        "It leaks a little.",
    ]);
    let response = env.json(&["search", "mode:semantic agent timeout", "--json"]);
    assert!(response["notices"].to_string().contains("only partly built"), "{response}");
    env.ok(&["index"]);
    let response = env.json(&["search", "mode:semantic agent timeout", "--json"]);
    assert_eq!(response["notices"].to_string(), "[]", "{response}");
}

#[test]
fn each_query_continues_a_large_update() {
    let env = TestEnv::new();
    let (issues, comments) = random_records(2_500, 600, 7);
    let issues = env.file("issues.jsonl", &issues);
    let comments = env.file("comments.jsonl", &comments);
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    env.ok(&["import", "github", &text(&issues), "--source", "acme/app", "--no-index"]);
    let folder = env.casebook();
    let store = Store::open(&folder.join("precedent.db")).unwrap();
    let fulltext = FullText::open(&folder.join("fulltext")).unwrap();
    let indexes = DerivedData {
        store: &store,
        fulltext: &fulltext,
        folder: &folder,
        parts: IndexedPart::All,
    };
    let update = || {
        let mut report = IndexReport::default();
        indexes.update_text(Effort::Within(Duration::ZERO), &Task::new(), &mut report).unwrap();
        (report.documents, fulltext.count().unwrap(), indexes.is_text_stale().unwrap())
    };
    // A revision has a thousand records.
    assert_eq!(update(), (1_000, 1_000, true));
    assert_eq!(update(), (1_000, 2_000, true));
    assert_eq!(update(), (500, 2_500, false));
    assert_eq!(update(), (0, 2_500, false));
    // A record that changed in the meantime is replaced.
    env.ok(&["import", "github", &text(&comments), "--source", "acme/app", "--no-index"]);
    assert!(indexes.is_text_stale().unwrap());
    while update().2 {}
    assert_eq!(fulltext.count().unwrap(), 2_500);
    let output =
        env.ok(&["search", "mode:lexical agent timeout", "--json=key", "--limit", "50"]).out;
    let mut keys: Vec<&str> = output.lines().filter(|l| l.contains("acme/app#")).collect();
    let total = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert!(total > 0 && keys.len() == total, "duplicate keys: {output}");
}
