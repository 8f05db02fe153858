//! Tests of the problem list of a backlog.

use precedent_core::{
    Code, Task,
    model::{
        AskRequest, ListedProblem, ProblemList, ProblemStatus, ProblemsRequest, ProblemsResponse,
        TriageRequest, VerdictKind,
    },
};
use precedent_engine::Casebook;
use serde_json::{Value, json};

use crate::support::{TestEnv, comment, issue, json_lines, with_fields};

fn report(number: u64, day: u32, title: &str) -> Value {
    let time = format!("2026-05-{day:02}T09:00:00Z");
    let mut record =
        issue(number, title, &format!("{title}. It happens each time, on every host of ours."));
    record["created_at"] = json!(time);
    record["updated_at"] = json!(time);
    record
}

async fn open(env: &TestEnv, records: &[Value]) -> Casebook {
    // 2026-05-29
    let casebook = Casebook::open(env.options_at(1_780_012_800)).await.unwrap();
    add(&casebook, env, records).await;
    casebook
}

async fn add(casebook: &Casebook, env: &TestEnv, records: &[Value]) {
    let path = env.file("more.jsonl", json_lines(records));
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    casebook.update_index(&Task::new()).await.unwrap();
    casebook.triage(TriageRequest::default(), &Task::new()).await.unwrap();
}

async fn problems(casebook: &Casebook) -> ProblemsResponse {
    casebook.problems(ProblemsRequest::default(), &Task::new()).await.unwrap()
}

fn keys(reply: &ProblemsResponse) -> Vec<Vec<&str>> {
    fn problem_keys(problem: &ListedProblem) -> Vec<&str> {
        [&problem.head].into_iter().chain(&problem.members).map(|m| m.key.as_str()).collect()
    }
    reply.problems.iter().map(problem_keys).collect()
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
    let env = TestEnv::new();
    let casebook = open(&env, &backlog()).await;
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
    let env = TestEnv::new();
    let casebook = open(&env, &backlog()).await;
    add(&casebook, &env, &[report(6, 25, "Console shows times in the wrong zone")]).await;
    assert_eq!(
        keys(&problems(&casebook).await),
        [vec!["acme/app#1", "acme/app#3", "acme/app#5"], vec!["acme/app#2", "acme/app#6"]]
    );
}

#[tokio::test]
async fn problems_follow_the_verdicts() {
    let env = TestEnv::new();
    let casebook = open(&env, &backlog()).await;
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
    let env = TestEnv::new();
    let casebook = open(&env, &backlog()).await;
    let lines = format!("{}\n", report(9, 26, "Please add a Finnish translation"));
    let path = env.file("later.jsonl", lines);
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    assert_eq!(problems(&casebook).await.unscanned, 1);
    for invalid_request in [
        ProblemsRequest { threshold: 1.5, ..ProblemsRequest::default() },
        ProblemsRequest { limit: 100_000, ..ProblemsRequest::default() },
    ] {
        assert_eq!(
            casebook.problems(invalid_request, &Task::new()).await.unwrap_err().code(),
            Code::InvalidInput
        );
    }
    let unknown_source =
        ProblemsRequest { source: Some("no/such".into()), ..ProblemsRequest::default() };
    assert_eq!(
        casebook.problems(unknown_source, &Task::new()).await.unwrap_err().code(),
        Code::NotFound
    );
}

const CHANGELOG: &str = "# Changelog\n\n## [Unreleased]\n\n- The chart keeps its colours (#3)\n\n\
    ## [2.1.0] - 2026-03-01\n\n- A dark theme\n\n## [2.0.1] - 2026-02-01\n\n- The upload passes the proxy (#1)\n\n\
    ## [2.0.0] - 2026-01-10\n\n- A new engine\n";

/// The title of a duplicate with few words.
const SHORT_TITLE: &str = "Bundles hang";
/// The details of the other reports.
const DETAIL: &str =
    "It happens each time the second node of the cluster starts before the first one is ready.";

/// Opens a casebook with two fixed problems and the releases of their product.
async fn open_with_releases(env: &TestEnv) -> Casebook {
    let dated_report = |number, title: &str, version: &str, days: [&str; 2]| {
        let detail = if title == SHORT_TITLE { "" } else { DETAIL };
        let body = format!("{title}. {detail} Seen on version {version}.");
        let dates = days.map(|day| format!("{day}T00:00:00Z"));
        let times = json!({"created_at": dates[0], "updated_at": dates[1], "closed_at": dates[1]});
        with_fields(
            with_fields(issue(number, title, &body), times),
            json!({"state": "closed", "state_reason": "completed"}),
        )
    };
    let upload = "Upload stops behind the proxy";
    let records = [
        dated_report(1, upload, "2.0.0", ["2026-01-12", "2026-01-20"]),
        with_fields(
            comment(11, 1, "Fixed, the proxy's headers are read now."),
            json!({"author_association": "MEMBER"}),
        ),
        dated_report(2, SHORT_TITLE, "2.1.0", ["2026-03-05", "2026-03-06"]),
        dated_report(3, "Chart loses its colours", "2.1.0", ["2026-03-02", "2026-03-10"]),
        dated_report(4, SHORT_TITLE, "2.0.0", ["2026-02-20", "2026-02-21"]),
    ];
    let casebook = open(env, &records).await;
    let path = env.file("CHANGELOG.md", CHANGELOG);
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    for key in ["acme/app#2", "acme/app#4"] {
        casebook
            .record_verdict(key, "acme/app#1", VerdictKind::Duplicate, None, "ann")
            .await
            .unwrap();
    }
    casebook
}

#[tokio::test]
async fn recurring_and_unreleased_fixes_are_listed() {
    let env = TestEnv::new();
    let casebook = open_with_releases(&env).await;
    let list = async |list| {
        let request = ProblemsRequest { list, ..ProblemsRequest::default() };
        casebook.problems(request, &Task::new()).await.unwrap()
    };
    let recurring = list(ProblemList::Recurring).await;
    assert_eq!(keys(&recurring), [["acme/app#1", "acme/app#4", "acme/app#2"]]);
    let problem = &recurring.problems[0];
    assert_eq!(problem.status, ProblemStatus::CameBack);
    let versions = (problem.fixed_in.as_deref(), problem.came_back_in.as_deref());
    assert_eq!(versions, (Some("2.0.1"), Some("2.1.0")));
    let counts: Vec<(&str, u64)> =
        problem.versions.iter().map(|v| (v.version.as_str(), v.reports)).collect();
    assert_eq!(counts, [("2.0.0", 2), ("2.1.0", 1)]);
    let unreleased = list(ProblemList::Unreleased).await;
    assert_eq!(keys(&unreleased), [["acme/app#3"]]);
    assert_eq!(unreleased.problems[0].status, ProblemStatus::Unreleased);
    assert!(unreleased.without_releases.is_empty());
}

#[tokio::test]
async fn asked_version_is_compared_with_the_fix() {
    let env = TestEnv::new();
    let casebook = open_with_releases(&env).await;
    let [upload, chart] = ["Upload stops behind the proxy", "Chart loses its colours"]
        .map(|title| format!("{title}. {DETAIL}"));
    for (text, expected) in [
        (format!("{upload} Seen on version 2.0.0"), "update to 2.0.1 or later"),
        (format!("{upload} Seen on version 2.1.0"), "may have come back"),
        (format!("{upload} Seen on version 2.0.1-rc.1"), "It is unclear"),
        (upload.clone(), "Find out which version is in use."),
        (format!("{upload} OpenSSL 3.0.2"), "Find out which version is in use."),
        (format!("{chart} Seen on version 2.1.0"), "Fixed, not released yet."),
    ] {
        let request = AskRequest { text: text.clone(), ..AskRequest::default() };
        let answer = casebook.ask(request, &Task::new()).await.unwrap();
        assert!(
            answer.next.iter().any(|step| step.contains(expected)),
            "{text}: {:?}",
            answer.next
        );
    }
}

#[test]
fn problems_print_as_text_and_json() {
    let env = TestEnv::new();
    let lines = json_lines(&backlog());
    let path = env.file_arg("issues.jsonl", lines);
    env.ok(&["import", "github", &path, "-R", "acme/app"]);
    // The list of missing articles checks new reports first, like the list of problems.
    assert_eq!(env.json(&["article", "--gaps", "--json"])["unscanned"], 0);
    let output = env.run(&["problems"]).snapshot_text(&env);
    insta::assert_snapshot!("problems", output);
    let json = env.json(&["problems", "--no-check", "--json=size,open,status"]);
    assert_eq!((&json[0]["size"], &json[0]["open"]), (&json!(3), &json!(3)));
    assert_eq!(env.run(&["problems", "--threshold", "7"]).code, Some(2));
}
