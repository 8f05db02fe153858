//! Tests of the backlog's problems through the public interface.

use precedent_core::{
    Code, Task,
    model::{ListedProblem, ProblemsRequest, ProblemsResponse, TriageRequest, VerdictKind},
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

async fn problems(casebook: &Casebook) -> ProblemsResponse {
    casebook.problems(ProblemsRequest::default(), &Task::new()).await.unwrap()
}

fn keys(reply: &ProblemsResponse) -> Vec<Vec<&str>> {
    fn of(problem: &ListedProblem) -> Vec<&str> {
        [&problem.head].into_iter().chain(&problem.members).map(|m| m.key.as_str()).collect()
    }
    reply.problems.iter().map(of).collect()
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
async fn copies_form_a_problem_with_a_trend() {
    let place = Place::new();
    let casebook = open(&place, &backlog()).await;
    let reply = problems(&casebook).await;
    assert_eq!(keys(&reply), [["acme/app#1", "acme/app#3", "acme/app#5"]]);
    let problem = &reply.problems[0];
    assert_eq!((reply.total, reply.open, reply.unscanned), (1, 3, 0));
    assert_eq!((problem.size, problem.open, problem.recent, problem.before), (3, 3, 3, 0));
    assert!(problem.members.iter().all(|m| !m.known && m.confidence > 0.5 && m.via.is_some()));
    assert_eq!(
        problem.months.iter().map(|m| (m.month.as_str(), m.reports)).collect::<Vec<_>>(),
        [("2026-05", 3)]
    );
}

#[tokio::test]
async fn new_report_joins_without_moving_others() {
    let place = Place::new();
    let casebook = open(&place, &backlog()).await;
    add(&casebook, &place, &[report(6, 25, "Console shows times in the wrong zone")]).await;
    assert_eq!(
        keys(&problems(&casebook).await),
        [vec!["acme/app#1", "acme/app#3", "acme/app#5"], vec!["acme/app#2", "acme/app#6"]]
    );
}

#[tokio::test]
async fn problems_follow_the_verdicts() {
    let place = Place::new();
    let casebook = open(&place, &backlog()).await;
    let decide = async |key, second_key, kind| {
        casebook.record_verdict(key, second_key, kind, None, "ann").await.unwrap()
    };
    decide("acme/app#2", "acme/app#4", VerdictKind::Duplicate).await;
    decide("acme/app#5", "acme/app#1", VerdictKind::NotDuplicate).await;
    casebook.triage(TriageRequest::default(), &Task::new()).await.unwrap();
    let reply = problems(&casebook).await;
    assert_eq!(keys(&reply), [["acme/app#1", "acme/app#3"], ["acme/app#4", "acme/app#2"]]);
    assert!(reply.problems[1].members[0].known);
    // Undoing the decisions restores the earlier groups.
    casebook.undo_verdict("acme/app#5", "acme/app#1", "ann").await.unwrap();
    casebook.undo_verdict("acme/app#2", "acme/app#4", "ann").await.unwrap();
    casebook.triage(TriageRequest::default(), &Task::new()).await.unwrap();
    assert_eq!(keys(&problems(&casebook).await), [["acme/app#1", "acme/app#3", "acme/app#5"]]);
}

#[tokio::test]
async fn unscanned_reports_are_stated() {
    let place = Place::new();
    let casebook = open(&place, &backlog()).await;
    let lines = format!("{}\n", report(9, 26, "Please add a Finnish translation"));
    let path = place.file("later.jsonl", lines);
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    assert_eq!(problems(&casebook).await.unscanned, 1);
    for bad in [
        ProblemsRequest { threshold: 1.5, ..ProblemsRequest::default() },
        ProblemsRequest { limit: 100_000, ..ProblemsRequest::default() },
    ] {
        assert_eq!(casebook.problems(bad, &Task::new()).await.unwrap_err().code(), Code::InvalidInput);
    }
    let elsewhere = ProblemsRequest { source: Some("no/such".into()), ..ProblemsRequest::default() };
    assert_eq!(casebook.problems(elsewhere, &Task::new()).await.unwrap_err().code(), Code::NotFound);
}

#[test]
fn problems_print_as_text_and_json() {
    let place = Place::new();
    let lines: String = backlog().iter().map(|r| format!("{r}\n")).collect();
    let path = place.file("issues.jsonl", lines).to_string_lossy().into_owned();
    place.ok(&["import", "github", &path, "-R", "acme/app"]);
    let output = place.run(&["problems"]).snapshot_text(&place);
    insta::assert_snapshot!("problems", output);
    let json = place.json(&["problems", "--no-check", "--json=size,open,status"]);
    assert_eq!((&json[0]["size"], &json[0]["open"]), (&json!(3), &json!(3)));
    assert_eq!(place.run(&["problems", "--threshold", "7"]).code, Some(2));
}
