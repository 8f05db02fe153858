//! Tests of `ask`, including that every command names the same problem.

use precedent_core::{
    Task,
    model::{
        AskRequest, AskResponse, DocKind, DuplicatesRequest, LIKELY, LIKELY_HELP, ProblemStatus,
        SolvedCase, TroubleshootRequest,
    },
};
use precedent_engine::Casebook;
use serde_json::{Value, json};

use crate::support::{TestEnv, comment, issue, with_fields};

async fn ask(casebook: &Casebook, text: &str) -> AskResponse {
    let request = AskRequest { text: text.into(), ..AskRequest::default() };
    casebook.ask(request, &Task::new()).await.unwrap()
}

const BODY: &str = "The agent ends after the lease of its slot was renewed twice:\n\n```\nheron.errors.LeaseError: \
                    lease of slot 3 has ended before it was renewed\n```\n\nSeen on 3.1 with two agents.";

fn records() -> Vec<Value> {
    let closed_fields = json!({"state": "closed", "state_reason": "completed", "closed_at": "2026-01-08T00:00:00Z"});
    let member = json!({"author_association": "MEMBER"});
    let duplicate = format!("{BODY}\n\nDuplicate of #4");
    vec![
        with_fields(issue(4, "Agent ends when a lease is renewed twice", BODY), closed_fields),
        with_fields(
            comment(41, 4, "The lease was renewed without its slot. Fixed in 3.2.1."),
            member.clone(),
        ),
        with_fields(comment(42, 4, "Workaround: set lease.keep = 0 until then."), member),
        issue(7, "Lease error stops the agent", &duplicate),
        issue(8, "Colours of the chart are pale", "On a projector nobody sees the third line."),
    ]
}

#[tokio::test]
async fn known_problem_has_fix_version_and_reports() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let text =
        "On 3.1 it says:\nheron.errors.LeaseError: lease of slot 9 has ended before it was renewed";
    let reply = ask(&casebook, text).await;
    let problem = reply.problem.unwrap();
    assert_eq!((problem.key.as_str(), problem.status), ("acme/app#4", ProblemStatus::Solved));
    assert_eq!(problem.fixed_in.as_deref(), Some("3.2.1"));
    assert_eq!(
        problem.asked_version.map(|version| (version.version, version.has_fix)),
        Some(("3.1".into(), Some(false)))
    );
    assert_eq!(problem.reports, ["acme/app#7"]);
    assert!(problem.workaround.unwrap().text.contains("lease.keep"));
    assert_eq!(reply.next, ["3.1 does not have the fix; update to 3.2.1 or later."]);
}

#[tokio::test]
async fn unknown_problem_asks_for_a_report() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let reply = ask(&casebook, "The invoice of March has no address of the customer").await;
    assert!(reply.problem.is_none() && reply.conclusive, "{reply:?}");
    assert!(reply.related.is_empty() && !reply.closest.is_empty(), "{reply:?}");
    assert_eq!(
        reply.next.last().map(String::as_str),
        Some(
            "Check the closest reports. Try a search with different terms. If nothing matches, file a new report."
        )
    );
}

#[tokio::test]
async fn cause_at_the_end_of_a_line_decides() {
    let report = |number, title: &str, cause: &str| {
        let body = format!(
            "It stops.\n\n```\nERROR quay::link open harbour-{number}.example: tls: {cause}\n```"
        );
        issue(number, title, &body)
    };
    let env = TestEnv::new();
    let casebook = env
        .load(&[
            report(
                4,
                "Link does not open in spring",
                "invalid peer certificate: UnknownIssuer of the berth",
            ),
            report(
                5,
                "Link does not open: tls certificate of the peer is invalid",
                "invalid peer certificate: NotValidForName",
            ),
            issue(8, "Colours of the chart are pale", "On a projector nobody sees the third line."),
        ])
        .await;
    let text = "The link to the peer does not open\nERROR quay::link tls: invalid peer certificate: UnknownIssuer of the berth";
    let reply = ask(&casebook, text).await;
    let other = reply.related.iter().find(|report| report.key == "acme/app#5");
    assert!(other.is_none_or(|report| report.confidence < 0.5), "{reply:?}");
    assert!(reply.problem.is_none_or(|problem| problem.key == "acme/app#4"));
}

#[tokio::test]
async fn every_command_names_the_same_problem() {
    let env = TestEnv::new();
    env.ok(&["import", "sample"]);
    let casebook = env.open().await;
    let task = Task::new();
    let mut answers = 0;
    let mut differences = Vec::new();
    for number in 1..=150 {
        let Ok(thread) = casebook.thread(&format!("ferrywire/ferrywire#{number}")).await else {
            continue;
        };
        // A pull request is not a problem.
        if thread.kind != DocKind::Issue {
            continue;
        }
        for text in [thread.title, thread.markdown] {
            if text.trim().is_empty() {
                continue;
            }
            let request = DuplicatesRequest {
                body: text.clone(),
                include_closed: true,
                threshold: 0.0,
                ..DuplicatesRequest::default()
            };
            let similar = casebook.find_duplicates(request, &task).await.unwrap();
            let request =
                TroubleshootRequest { text: text.clone(), ..TroubleshootRequest::default() };
            let reply = casebook.troubleshoot(request, &task).await.unwrap();
            let answer = ask(&casebook, &text).await;
            let first = similar.candidates.first();
            let first = first.map(|c| (c.canonical.clone().unwrap_or(c.key.clone()), c.confidence));
            assert_eq!(reply.problem, answer.problem, "#{number}");
            let is_likely_case =
                |case: &&SolvedCase| case.kind == DocKind::Issue && case.relevance >= LIKELY_HELP;
            let case = reply.cases.iter().find(is_likely_case).map(|case| case.key.clone());
            let problem = answer.problem.map(|problem| problem.key);
            let keys: Vec<String> = problem.or(case).into_iter().collect();
            let is_likely_duplicate =
                first.as_ref().is_some_and(|(_, confidence)| *confidence >= LIKELY);
            answers += usize::from(is_likely_duplicate || !keys.is_empty());
            if keys.iter().any(|key| Some(key) != first.as_ref().map(|(key, _)| key)) {
                differences.push(format!("#{number} {first:?} {keys:?}"));
            }
        }
    }
    assert!(answers >= 100, "{answers}");
    // The text of #128, which is open, contains the solved case of #113.
    assert!(
        differences.len() <= 1,
        "{} of {answers}:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

#[tokio::test]
async fn title_finds_its_report() {
    let env = TestEnv::new();
    let mut records = records();
    records.push(issue(20, "Nothing works", "The wheel squeaks on cold mornings."));
    records.push(issue(21, "Tracking issue for the next release", "The first of March."));
    records.push(issue(22, "Tracking issue for the next release", "The last of June."));
    let casebook = env.load(&records).await;
    let find_problem = async |title: &str| ask(&casebook, title).await.problem;
    let problem = find_problem("colours of the chart are pale!").await.unwrap();
    assert_eq!(
        (problem.key.as_str(), problem.reasons.join(", ")),
        ("acme/app#8", "identical title".into())
    );
    assert!(problem.confidence > 0.9);
    // A short or repeated title does not identify a report.
    assert_eq!(find_problem("Nothing works").await, None);
    let problem = find_problem("Tracking issue for the next release").await;
    assert!(problem.is_none_or(|problem| problem.confidence < 0.9));
}

#[tokio::test]
async fn duplicate_of_a_missing_report_is_named() {
    let env = TestEnv::new();
    let mut records = records();
    records.push(issue(9, "The second spool jams in the rain", "Duplicate of #99"));
    let casebook = env.load(&records).await;
    let problem = ask(&casebook, "The second spool jams in the rain").await.problem;
    assert_eq!(problem.map(|problem| problem.key).as_deref(), Some("acme/app#9"));
}

/// Returns a closed report whose text does not match its comments.
fn closed_report(number: u64, title: &str) -> Value {
    let fields = json!({"state": "closed", "closed_at": "2026-01-08T00:00:00Z"});
    with_fields(issue(number, title, "See the picture."), fields)
}

/// Returns an outsider's comment.
fn outsider_comment(id: u64, number: u64, text: &str) -> Value {
    with_fields(comment(id, number, text), json!({"author_association": "NONE"}))
}

#[tokio::test]
async fn error_line_finds_its_comment() {
    let env = TestEnv::new();
    let line = "heron: the second spool cannot be opened while the first one is being read";
    let mut records = records();
    records.push(closed_report(20, "Nothing works since Tuesday"));
    records.push(outsider_comment(201, 20, &format!("It says:\n```\n{line}, errno=21\n```")));
    let casebook = env.load(&records).await;
    let reply = ask(&casebook, &format!("2026-02-03 08:12:44 {line}, errno=5")).await;
    let first = reply.related.first().map(|report| (report.key.as_str(), report.status));
    assert_eq!(first, Some(("acme/app#20", Some(ProblemStatus::ClosedWithoutFix))), "{reply:?}");
    let other_reply =
        ask(&casebook, "heron: the third spool was opened while nothing is being read").await;
    assert!(other_reply.problem.is_none(), "{other_reply:?}");
}

#[tokio::test]
async fn linked_change_of_another_project_is_the_fix() {
    let env = TestEnv::new();
    let link = |number: u64| format!("PR here: https://github.com/acme/core/pull/{number}");
    let records = [
        closed_report(30, "The wheel squeaks on cold mornings"),
        outsider_comment(301, 30, &link(9)),
        closed_report(31, "The lamp flickers on warm evenings"),
        outsider_comment(311, 31, "The lamp hangs in the hall."),
        closed_report(32, "The door jams on rainy days"),
        // This mention does not say that it closes the report.
        outsider_comment(321, 32, "This is a result of https://github.com/acme/app/pull/33."),
        with_fields(
            closed_report(33, "Use another hinge"),
            json!({"pull_request": {"merged_at": "2026-01-03T00:00:00Z"}}),
        ),
    ];
    let casebook = env.load(&records).await;
    let ask_about = async |key: &str| {
        let request = AskRequest { key: Some(key.into()), ..AskRequest::default() };
        casebook.ask(request, &Task::new()).await.unwrap().problem.unwrap()
    };
    let fixed_problem = ask_about("acme/app#30").await;
    assert_eq!(
        (fixed_problem.status, &*fixed_problem.fixed_by[0].key),
        (ProblemStatus::Solved, "acme/core#9")
    );
    for key in ["acme/app#31", "acme/app#32"] {
        let problem = ask_about(key).await;
        assert_eq!((problem.status.is_fixed(), problem.fixed_by.len()), (false, 0), "{key}");
    }
}
