//! Tests of backlog clusters through the public interface.

use precedent_core::{
    Code, Task,
    model::{Cluster, ClustersRequest, ClustersResponse, TriageRequest, VerdictKind},
};
use precedent_engine::Casebook;
use serde_json::{Value, json};

use crate::support::{Place, issue, lines};

fn report(number: u64, day: u32, title: &str) -> Value {
    let at = format!("2026-05-{day:02}T09:00:00Z");
    let mut record = issue(number, title, &format!("{title}. It happens each time, on every host of ours."));
    record["created_at"] = json!(at);
    record["updated_at"] = json!(at);
    record
}

async fn open(place: &Place, records: &[Value]) -> Casebook {
    // 2026-05-29
    let casebook = Casebook::open(place.options_at(1_780_012_800)).await.unwrap();
    add(&casebook, place, records).await;
    casebook
}

async fn add(casebook: &Casebook, place: &Place, records: &[Value]) {
    let path = place.file("more.jsonl", lines(records));
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    casebook.update_index(&Task::new()).await.unwrap();
    casebook.triage(TriageRequest::default(), &Task::new()).await.unwrap();
}

async fn clusters(casebook: &Casebook) -> ClustersResponse {
    casebook.clusters(ClustersRequest::default()).await.unwrap()
}

fn keys(reply: &ClustersResponse) -> Vec<Vec<&str>> {
    fn of(cluster: &Cluster) -> Vec<&str> {
        [&cluster.head].into_iter().chain(&cluster.members).map(|m| m.key.as_str()).collect()
    }
    reply.clusters.iter().map(of).collect()
}

fn backlog() -> Vec<Value> {
    vec![
        report(1, 1, "Agent hangs after reloading its configuration"),
        report(2, 2, "Console shows times in the wrong zone"),
        report(3, 20, "Agent hangs after reloading its configuration"),
        report(4, 21, "Please add a Finnish translation"),
        report(5, 22, "Agent hangs after reloading its configuration"),
    ]
}

#[tokio::test]
async fn copies_form_a_cluster_with_a_trend() {
    let place = Place::new();
    let casebook = open(&place, &backlog()).await;
    let reply = clusters(&casebook).await;
    assert_eq!(keys(&reply), [["acme/app#1", "acme/app#3", "acme/app#5"]]);
    let cluster = &reply.clusters[0];
    assert_eq!((reply.total, reply.open, reply.unscanned), (1, 3, 0));
    assert_eq!((cluster.size, cluster.open, cluster.recent, cluster.before), (3, 3, 3, 0));
    assert!(cluster.words.iter().any(|w| w == "reloading" || w == "configuration"), "{:?}", cluster.words);
    assert!(cluster.members.iter().all(|m| !m.known && m.confidence > 0.5 && m.via.is_some()));
    assert_eq!(
        cluster.months.iter().map(|m| (m.month.as_str(), m.reports)).collect::<Vec<_>>(),
        [("2026-05", 3)]
    );
}

#[tokio::test]
async fn new_report_joins_without_moving_others() {
    let place = Place::new();
    let casebook = open(&place, &backlog()).await;
    add(&casebook, &place, &[report(6, 25, "Console shows times in the wrong zone")]).await;
    assert_eq!(
        keys(&clusters(&casebook).await),
        [vec!["acme/app#1", "acme/app#3", "acme/app#5"], vec!["acme/app#2", "acme/app#6"]]
    );
}

#[tokio::test]
async fn clusters_follow_the_verdicts() {
    let place = Place::new();
    let casebook = open(&place, &backlog()).await;
    let decide = async |key, second_key, kind| {
        casebook.record_verdict(key, second_key, kind, None, "ann").await.unwrap()
    };
    decide("acme/app#2", "acme/app#4", VerdictKind::Duplicate).await;
    decide("acme/app#5", "acme/app#1", VerdictKind::NotDuplicate).await;
    casebook.triage(TriageRequest::default(), &Task::new()).await.unwrap();
    let reply = clusters(&casebook).await;
    assert_eq!(keys(&reply), [["acme/app#1", "acme/app#3"], ["acme/app#4", "acme/app#2"]]);
    assert!(reply.clusters[1].members[0].known);
    // Undoing the decisions restores the earlier clusters.
    casebook.undo_verdict("acme/app#5", "acme/app#1", "ann").await.unwrap();
    casebook.undo_verdict("acme/app#2", "acme/app#4", "ann").await.unwrap();
    casebook.triage(TriageRequest::default(), &Task::new()).await.unwrap();
    assert_eq!(keys(&clusters(&casebook).await), [["acme/app#1", "acme/app#3", "acme/app#5"]]);
}

#[tokio::test]
async fn unscanned_reports_are_stated() {
    let place = Place::new();
    let casebook = open(&place, &backlog()).await;
    let lines = format!("{}\n", report(9, 26, "Please add a Finnish translation"));
    let path = place.file("later.jsonl", lines);
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    assert_eq!(clusters(&casebook).await.unscanned, 1);
    for bad in [
        ClustersRequest { threshold: 1.5, ..ClustersRequest::default() },
        ClustersRequest { limit: 100_000, ..ClustersRequest::default() },
    ] {
        assert_eq!(casebook.clusters(bad).await.unwrap_err().code(), Code::InvalidInput);
    }
    let elsewhere = ClustersRequest { source: Some("no/such".into()), ..ClustersRequest::default() };
    assert_eq!(casebook.clusters(elsewhere).await.unwrap_err().code(), Code::NotFound);
}

#[test]
fn clusters_print_as_text_and_json() {
    let place = Place::new();
    let lines: String = backlog().iter().map(|r| format!("{r}\n")).collect();
    let path = place.file("issues.jsonl", lines).to_string_lossy().into_owned();
    place.ok(&["import", "github", &path, "-R", "acme/app"]);
    let output = place.run(&["clusters"]).snapshot_text(&place);
    // The binary uses the real clock.
    let trend = regex::Regex::new(r"\d+ in the last 30 days, \d+ in").unwrap();
    insta::assert_snapshot!("clusters", trend.replace_all(&output, "N in the last 30 days, N in"));
    let json = place.json(&["clusters", "--no-check", "--json=size,open,words"]);
    assert_eq!((&json[0]["size"], &json[0]["open"]), (&json!(3), &json!(3)));
    assert_eq!(place.run(&["clusters", "--threshold", "7"]).code, Some(2));
}
