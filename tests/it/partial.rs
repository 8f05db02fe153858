//! Tests of an incomplete semantic index: no answer claims that there is no match, and a missing
//! vector lowers no document's rank.

use std::sync::{Arc, Mutex};

use precedent_core::{
    Code, Task,
    model::{Band, DuplicatesRequest, Mode, SearchRequest, TroubleshootRequest},
    task::Phase,
};
use precedent_engine::Casebook;
use serde_json::json;

use crate::support::{TestEnv, issue, json_lines, random_records, with_fields};

/// Computes the vectors of at least this many passages, and then stops.
async fn index_partially(casebook: &Casebook, passages: u64) {
    let shared_task = Arc::new(Mutex::new(None::<Task>));
    let handle = Arc::clone(&shared_task);
    let task = Task::with_listener(move |progress| {
        if progress.phase == Phase::Embed
            && progress.done >= passages
            && let Some(task) = &*handle.lock().unwrap()
        {
            task.cancel();
        }
    });
    *shared_task.lock().unwrap() = Some(task.clone());
    let error = casebook.update_index(&task).await.unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
}

#[tokio::test]
async fn exact_copy_is_first_at_every_coverage() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let (records, _) = random_records(400, 0, 3);
    let path = env.file("in.jsonl", &records);
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    let drafts: Vec<serde_json::Value> =
        records.lines().step_by(31).map(|line| serde_json::from_str(line).unwrap()).collect();
    for coverage in [0, 20, 100, 200, u64::MAX] {
        match coverage {
            0 => {}
            u64::MAX => drop(casebook.update_index(&Task::new()).await.unwrap()),
            passages => index_partially(&casebook, passages).await,
        }
        for draft in &drafts {
            let text = |field: &str| draft[field].as_str().unwrap_or_default().to_owned();
            let request = DuplicatesRequest {
                title: text("title"),
                body: text("body"),
                include_closed: true,
                ..Default::default()
            };
            let reply = casebook.duplicates(request, &Task::new()).await.unwrap();
            let best = &reply.candidates[0];
            let key = format!("acme/app#{}", draft["number"]);
            assert_eq!(
                (best.key.as_str(), best.band),
                (key.as_str(), Band::High),
                "{coverage}: {best:?}"
            );
            assert_eq!(reply.conclusive, coverage == u64::MAX, "{coverage}");
        }
    }
}

#[tokio::test]
async fn title_of_the_query_stays_first_without_vectors() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let (records, _) = random_records(200, 0, 5);
    // The newest documents are embedded first, and the query matches the oldest.
    let target = with_fields(
        issue(900, "Gasket of the intake valve leaks", "It drips."),
        json!({"created_at": "2019-01-01T00:00:00Z", "updated_at": "2019-01-01T00:00:00Z"}),
    );
    let records = format!("{records}{}", json_lines(&[target]));
    casebook.import_github("acme/app", &env.file("in.jsonl", records), &Task::new()).await.unwrap();
    for coverage in [0, 20, 100, u64::MAX] {
        match coverage {
            0 => {}
            u64::MAX => drop(casebook.update_index(&Task::new()).await.unwrap()),
            passages => index_partially(&casebook, passages).await,
        }
        let query = "gasket of the intake valve leaks".to_owned();
        let request = SearchRequest { query, mode: Some(Mode::Hybrid), ..Default::default() };
        let reply = casebook.search(request, &Task::new()).await.unwrap();
        assert_eq!(reply.hits[0].key, "acme/app#900", "{coverage}");
        assert_eq!(reply.conclusive, coverage == u64::MAX);
    }
}

#[tokio::test]
async fn incomplete_index_denies_nothing() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let path = env.file("in.jsonl", random_records(60, 0, 5).0);
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    let request =
        || TroubleshootRequest { text: "zeppelin moors sideways".into(), ..Default::default() };
    let reply = casebook.troubleshoot(request(), &Task::new()).await.unwrap();
    assert!(!reply.conclusive, "{:?}", reply.notices);
    assert_eq!(reply.notices[0].hint.text, "Not conclusive: the semantic index is 0% built.");
    casebook.update_index(&Task::new()).await.unwrap();
    assert!(casebook.troubleshoot(request(), &Task::new()).await.unwrap().conclusive);
}

#[test]
fn incomplete_index_is_stated_on_standard_output() {
    let env = TestEnv::new();
    let path = env.file_arg("in.jsonl", random_records(30, 0, 5).0);
    env.ok(&["import", "github", &path, "--source", "acme/app", "--no-vectors"]);
    let first_line = "Not conclusive: the semantic index is 0% built. Run `precedent index`.\n";
    for command in [
        vec!["troubleshoot", "zeppelin moors sideways"],
        vec!["duplicates", "--title", "zeppelin moors sideways"],
        vec!["search", "zeppelinmoors"],
    ] {
        let out = env.ok(&command).out;
        assert!(out.starts_with(first_line), "{command:?}: {out}");
        let json = env.json(&[&command[..], &["--json"]].concat());
        assert_eq!(json["conclusive"], false, "{command:?}");
    }
    let doctor = env.run(&["doctor"]);
    assert!(
        doctor.out.contains("Remedy: Update the search index: precedent index"),
        "{}",
        doctor.out
    );
    assert!(!doctor.err.contains("--repair"), "{}", doctor.err);
}
