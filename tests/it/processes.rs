//! Several processes on one casebook.

use std::process::Stdio;

use crate::support::{Place, Ran, content, tracker};

#[test]
fn two_imports_and_searches_at_once_lose_nothing() {
    let (issues, comments) = tracker(1200, 1500, 11);
    let (first, second): (Vec<&str>, Vec<&str>) = issues.lines().partition(|l| l.len() % 2 == 0);

    let alone = Place::new();
    let all = alone.file("issues.jsonl", &issues).to_string_lossy().into_owned();
    let said = alone.file("comments.jsonl", &comments).to_string_lossy().into_owned();
    alone.ok(&["import", "github", &all, &said, "--source", "acme/app"]);

    let place = Place::new();
    let a = place.file("a.jsonl", first.join("\n")).to_string_lossy().into_owned();
    let b = place.file("b.jsonl", second.join("\n")).to_string_lossy().into_owned();
    let c = place.file("c.jsonl", &comments).to_string_lossy().into_owned();
    let start =
        |args: &[&str]| place.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let imports = [
        start(&["import", "github", &a, "--source", "acme/app"]),
        start(&["import", "github", &b, "--source", "acme/app"]),
        start(&["import", "github", &c, "--source", "acme/app"]),
    ];
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
    // BM25 counts documents that were replaced until segments merge; made anew, the scores are equal too.
    place.ok(&["index", "--rebuild"]);
    assert_eq!(content(&place), content(&alone));
}

#[test]
fn words_do_not_wait_for_vectors() {
    let (issues, _) = tracker(60, 0, 5);
    let place = Place::new();
    place.ok(&["status"]);
    // As if another process were computing vectors for a long time.
    let lock = std::fs::File::create(place.casebook().join("vectors.lock")).unwrap();
    lock.lock().unwrap();
    let path = place.file("issues.jsonl", issues).to_string_lossy().into_owned();
    let ran = place.ok(&["import", "github", &path, "--source", "acme/app"]);
    assert!(ran.err.contains("Another process is computing vectors"), "{}", ran.err);
    let found = place.json(&["search", "agent timeout", "--json"]);
    assert_eq!(found["coverage"]["full_text"], 60);
    assert!(!found["hits"].as_array().unwrap().is_empty());
    drop(lock);
    place.ok(&["index"]);
    let coverage = &place.json(&["status", "--json"])["coverage"];
    assert!(
        coverage["chunks"] == coverage["embedded"] && coverage["chunks"].as_u64() > Some(59),
        "{coverage}"
    );
}

#[test]
fn a_note_alone_does_not_make_search_by_meaning_complete() {
    let place = Place::new();
    let path = place.file("issues.jsonl", tracker(60, 0, 5).0).to_string_lossy().into_owned();
    place.ok(&["import", "github", &path, "--source", "acme/app", "--no-index"]);
    // Its vector is made at once; the others are not even counted yet.
    place.ok(&["note", "add", "--kind", "episode", "--title", "A valve", "--body", "It leaks a little."]);
    let found = place.json(&["search", "mode:semantic agent timeout", "--json"]);
    assert!(found["notices"].to_string().contains("only a part"), "{found}");
    place.ok(&["index"]);
    let found = place.json(&["search", "mode:semantic agent timeout", "--json"]);
    assert_eq!(found["notices"].to_string(), "[]", "{found}");
}
