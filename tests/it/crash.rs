//! A test that the same command, killed at any moment and run again, ends with the same content.

use std::time::{Duration, Instant};

use crate::support::{Numbers, Place, content, tracker};

const SEED: u64 = 20_260_101;

fn import<'a>(issues: &'a str, comments: &'a str) -> [&'a str; 6] {
    ["import", "github", issues, comments, "--source", "acme/app"]
}

#[test]
fn killed_import_and_indexing_resume() {
    let (issues, comments) = tracker(1000, 2000, 7);
    let reference = Place::new();
    let a = reference.file("issues.jsonl", &issues).to_string_lossy().into_owned();
    let b = reference.file("comments.jsonl", &comments).to_string_lossy().into_owned();
    let start = Instant::now();
    reference.ok(&import(&a, &b));
    let mut whole = start.elapsed();
    let want = content(&reference);

    // Kills hit a resumed run and then a fresh one, so that both early and late moments are tested.
    let mut numbers = Numbers(SEED);
    let mut kills = 0;
    let mut place = Place::new();
    for round in 0..10 {
        if round == 5 {
            place = Place::new();
        }
        let mut child =
            place.command(&import(&a, &b)).stderr(std::process::Stdio::null()).spawn().unwrap();
        let share = u32::try_from(numbers.below(90) + 5).unwrap();
        std::thread::sleep((whole * share / 100).max(Duration::from_millis(30)));
        let is_running = child.try_wait().unwrap().is_none();
        child.kill().unwrap();
        child.wait().unwrap();
        if is_running {
            kills += 1;
        } else {
            // The machine was slower in the run that was measured.
            whole /= 2;
        }
        if round == 4 || round == 9 {
            place.ok(&import(&a, &b));
            assert_eq!(content(&place), want, "after kill {round} with seed {SEED}");
        }
    }
    assert!(kills >= 3, "only {kills} of 10 runs were still going when they were killed");
}

#[test]
fn second_import_changes_nothing() {
    let (issues, comments) = tracker(300, 600, 3);
    let place = Place::new();
    let a = place.file("issues.jsonl", &issues).to_string_lossy().into_owned();
    let b = place.file("comments.jsonl", &comments).to_string_lossy().into_owned();
    place.ok(&import(&a, &b));
    let content_before = content(&place);
    let mut arguments = import(&a, &b).to_vec();
    arguments.push("--json");
    let report = place.json(&arguments);
    assert_eq!(
        (&report["new"], &report["updated"], &report["unchanged"]),
        (&0.into(), &0.into(), &900.into())
    );
    assert_eq!(
        (&report["index"]["documents"], &report["index"]["embedded"]),
        (&0.into(), &0.into())
    );
    assert_eq!(content(&place), content_before);
}

#[test]
fn deleted_indexes_are_rebuilt() {
    let (issues, comments) = tracker(200, 300, 4);
    let place = Place::new();
    let a = place.file("issues.jsonl", &issues).to_string_lossy().into_owned();
    let b = place.file("comments.jsonl", &comments).to_string_lossy().into_owned();
    place.ok(&import(&a, &b));
    let want = content(&place);

    std::fs::remove_dir_all(place.casebook().join("fulltext")).unwrap();
    assert_eq!(content(&place), want, "a search makes the full text again");

    std::fs::remove_dir_all(place.casebook().join("vectors")).unwrap();
    let response = place.json(&["search", "agent timeout", "--json"]);
    assert_eq!(response["coverage"]["embedded"], 0);
    assert!(
        response["notices"][0]["text"].as_str().unwrap().contains("semantic index is 0% built")
    );
    assert!(!response["hits"].as_array().unwrap().is_empty());
    place.ok(&["index"]);
    assert_eq!(content(&place), want);

    place.ok(&["index", "--rebuild"]);
    assert_eq!(content(&place), want);

    // A damaged full-text index is treated as missing.
    std::fs::write(place.full_text().join("meta.json"), "{ this is no index").unwrap();
    assert_eq!(content(&place), want);

    // An index of an earlier version is unusable and is removed.
    std::fs::remove_dir_all(place.full_text()).unwrap();
    std::fs::create_dir_all(place.casebook().join("fulltext/v1")).unwrap();
    std::fs::write(place.casebook().join("fulltext/v1/meta.json"), "{}").unwrap();
    assert_eq!(content(&place), want);
    assert!(!place.full_text().ends_with("v1"));
}
