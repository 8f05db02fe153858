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

use crate::support::{Place, Ran, comment, content, tracker};

#[test]
fn concurrent_imports_and_searches_lose_nothing() {
    let (issues, comments) = tracker(1200, 1500, 11);
    let (first, second): (Vec<&str>, Vec<&str>) = issues.lines().partition(|l| l.len() % 2 == 0);

    let alone = Place::new();
    let issues_path = alone.file("issues.jsonl", &issues).to_string_lossy().into_owned();
    let comments_path = alone.file("comments.jsonl", &comments).to_string_lossy().into_owned();
    alone.ok(&["import", "github", &issues_path, &comments_path, "--source", "acme/app"]);

    let place = Place::new();
    let a = place.file("a.jsonl", first.join("\n")).to_string_lossy().into_owned();
    let b = place.file("b.jsonl", second.join("\n")).to_string_lossy().into_owned();
    let c = place.file("c.jsonl", &comments).to_string_lossy().into_owned();
    let start = |args: &[&str]| {
        place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let imports = [
        start(&["import", "github", &a, "--source", "acme/app"]),
        start(&["import", "github", &b, "--source", "acme/app"]),
        start(&["import", "github", &c, "--source", "acme/app"]),
    ];
    // Before an import has created the casebook, a search rightly reports that there is none.
    let began = Instant::now();
    while !place.casebook().join("precedent.db").is_file() {
        assert!(began.elapsed() < Duration::from_secs(60), "no import began a casebook");
        std::thread::sleep(Duration::from_millis(5));
    }
    for round in 0..12 {
        let searches: Vec<_> = ["agent timeout", "is:open memory", "mode:semantic disk leak"]
            .iter()
            .map(|q| start(&["search", q, "--json"]))
            .collect();
        for search in searches {
            let ran = Ran::from(search.wait_with_output().unwrap());
            assert_eq!(ran.code, Some(0), "search {round}: {}", ran.err);
            assert!(!ran.err.contains("locked"), "{}", ran.err);
        }
    }
    for import in imports {
        let ran = Ran::from(import.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(!ran.err.contains("database is locked"), "{}", ran.err);
    }
    place.ok(&["index"]);
    let coverage = &place.json(&["status", "--json"])["coverage"];
    assert_eq!(coverage["chunks"], coverage["embedded"]);
    // BM25 counts replaced documents until segments merge; after a rebuild, the scores are equal as
    // well.
    place.ok(&["index", "--rebuild"]);
    assert_eq!(content(&place), content(&alone));
}

#[test]
fn keyword_search_does_not_wait_for_vectors() {
    let (issues, _) = tracker(60, 0, 5);
    let place = Place::new();
    std::fs::create_dir(place.casebook()).unwrap();
    // The lock simulates another process that computes vectors for a long time.
    let lock = std::fs::File::create(place.casebook().join("vectors.lock")).unwrap();
    lock.lock().unwrap();
    let path = place.file("issues.jsonl", issues).to_string_lossy().into_owned();
    let ran = place.ok(&["import", "github", &path, "--source", "acme/app"]);
    assert!(ran.err.contains("Another process is computing vectors"), "{}", ran.err);
    let response = place.json(&["search", "agent timeout", "--json"]);
    assert_eq!(response["coverage"]["full_text"], 60);
    assert!(!response["hits"].as_array().unwrap().is_empty());
    drop(lock);
    place.ok(&["index"]);
    let coverage = &place.json(&["status", "--json"])["coverage"];
    assert!(
        coverage["chunks"] == coverage["embedded"] && coverage["chunks"].as_u64() > Some(59),
        "{coverage}"
    );
}

#[test]
fn changes_since_indexing_are_not_covered() {
    let (issues, _) = tracker(60, 0, 5);
    let place = Place::new();
    let issues = place.file("issues.jsonl", issues).to_string_lossy().into_owned();
    place.ok(&["import", "github", &issues, "--source", "acme/app"]);
    let notices = |response: &serde_json::Value| response["notices"].to_string();
    let response = place.json(&["search", "agent timeout", "--json"]);
    assert_eq!(
        (&response["coverage"]["full_text"], notices(&response).as_str()),
        (&60.into(), "[]")
    );

    // Two documents have a comment that is not indexed yet.
    let new_comments = [comment(1, 3, "The flux capacitor leaks"), comment(2, 4, "Seen here, too")];
    let lines = new_comments.map(|c| c.to_string()).join("\n");
    let path = place.file("comments.jsonl", lines).to_string_lossy().into_owned();
    place.ok(&["import", "github", &path, "--source", "acme/app", "--no-index"]);
    assert_eq!(place.json(&["status", "--json"])["coverage"]["full_text"], 58);
    // While another process holds the lock, a search uses the existing index.
    let lock = std::fs::File::create(place.casebook().join("text.lock")).unwrap();
    lock.lock().unwrap();
    let response = place.json(&["search", "capacitor", "--json"]);
    assert!(notices(&response).contains("the keyword index is 96% built"), "{response}");
    assert!(notices(&response).contains("the semantic index is 96% built"), "{response}");
    assert_eq!(response["conclusive"], false);
    drop(lock);
    // The search updates the full-text index itself, but not the vectors.
    let response = place.json(&["search", "capacitor", "--json"]);
    assert_eq!(response["coverage"]["full_text"], 60);
    assert_eq!(response["hits"][0]["key"], "acme/app#3");
    assert!(!notices(&response).contains("keyword index"), "{response}");
    assert!(notices(&response).contains("the semantic index is 96% built"), "{response}");
    place.ok(&["index"]);
    assert_eq!(notices(&place.json(&["search", "capacitor", "--json"])), "[]");
    // A note gets its vector at once.
    place.ok(&[
        "note",
        "add",
        "--kind",
        "lesson",
        "--title",
        "Capacitors",
        "--body",
        "Tighten them by hand, one after the other",
    ]);
    assert_eq!(notices(&place.json(&["search", "capacitor", "--json"])), "[]");
}

#[test]
fn one_note_does_not_complete_semantic_coverage() {
    let place = Place::new();
    let path = place.file("issues.jsonl", tracker(60, 0, 5).0).to_string_lossy().into_owned();
    place.ok(&["import", "github", &path, "--source", "acme/app", "--no-index"]);
    // The note's vector is computed at once; other pending ones are not even counted.
    place.ok(&[
        "note",
        "add",
        "--kind",
        "episode",
        "--title",
        "A valve",
        "--body",
        "It leaks a little.",
    ]);
    let response = place.json(&["search", "mode:semantic agent timeout", "--json"]);
    assert!(response["notices"].to_string().contains("only partly built"), "{response}");
    place.ok(&["index"]);
    let response = place.json(&["search", "mode:semantic agent timeout", "--json"]);
    assert_eq!(response["notices"].to_string(), "[]", "{response}");
}

#[test]
fn each_query_continues_a_large_update() {
    let place = Place::new();
    let (issues, comments) = tracker(2_500, 600, 7);
    let issues = place.file("issues.jsonl", &issues);
    let comments = place.file("comments.jsonl", &comments);
    let text = |path: &std::path::Path| path.to_string_lossy().into_owned();
    place.ok(&["import", "github", &text(&issues), "--source", "acme/app", "--no-index"]);
    let folder = place.casebook();
    let store = Store::open(&folder.join("precedent.db")).unwrap();
    let fulltext = FullText::open(&folder.join("fulltext")).unwrap();
    let indexes = DerivedData {
        store: &store,
        fulltext: &fulltext,
        folder: &folder,
        parts: IndexedPart::All,
    };
    let go_on = || {
        let mut report = IndexReport::default();
        indexes.update_text(Effort::Within(Duration::ZERO), &Task::new(), &mut report).unwrap();
        (report.documents, fulltext.count().unwrap(), indexes.is_text_stale().unwrap())
    };
    // A revision has a thousand records.
    assert_eq!(go_on(), (1_000, 1_000, true));
    assert_eq!(go_on(), (1_000, 2_000, true));
    assert_eq!(go_on(), (500, 2_500, false));
    assert_eq!(go_on(), (0, 2_500, false));
    // A record changed meanwhile is replaced.
    place.ok(&["import", "github", &text(&comments), "--source", "acme/app", "--no-index"]);
    assert!(indexes.is_text_stale().unwrap());
    while go_on().2 {}
    assert_eq!(fulltext.count().unwrap(), 2_500);
    let output =
        place.ok(&["search", "mode:lexical agent timeout", "--json=key", "--limit", "50"]).out;
    let mut keys: Vec<&str> = output.lines().filter(|l| l.contains("acme/app#")).collect();
    let total = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert!(total > 0 && keys.len() == total, "each is found once: {output}");
}
