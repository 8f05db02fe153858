//! Tests of closing duplicates on their tracker: exactly once despite failures, only on request.

use precedent_core::{
    Code, Task,
    model::{Closure, ClosureReport, ClosureStep, SyncRequest, VerdictKind},
};
use serde_json::json;

use crate::{
    fake_github::{FakeGitHub, Fault, Removal},
    support::TestEnv,
    sync::Mirror,
};

/// Returns a mirror with reports 2 and 3 marked as duplicates of 1.
async fn mirror_with_verdicts(github: &FakeGitHub, token: Option<&'static str>) -> Mirror {
    github.world().fill(4, 4);
    let mirror = Mirror::with_token(github, token).await;
    mirror.casebook.sync(SyncRequest::default(), &Task::new()).await.unwrap();
    for key in ["acme/app#2", "acme/app#3"] {
        let kind = VerdictKind::Duplicate;
        mirror.casebook.record_verdict(key, "acme/app#1", kind, None, "ann").await.unwrap();
    }
    github.requests();
    mirror
}

async fn close(mirror: &Mirror) -> ClosureReport {
    let list = plan(mirror).await;
    mirror.casebook.close_reports(&list, "ann", &Task::new()).await.unwrap()
}

async fn plan(mirror: &Mirror) -> Vec<Closure> {
    mirror.casebook.closures(None).await.unwrap()
}

fn steps(report: &ClosureReport) -> Vec<(&str, ClosureStep)> {
    report.done.iter().map(|r| (r.key.as_str(), r.step)).collect()
}

/// Returns the number of comments that name the canonical report.
fn count_canonical_comments(github: &FakeGitHub, number: u64) -> usize {
    github
        .world()
        .comment_texts(number)
        .iter()
        .filter(|t| t.starts_with("Duplicate of #1\n"))
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_is_complete_and_sends_nothing() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, None).await;
    let plan = plan(&mirror).await;
    assert_eq!(plan.iter().map(|c| c.number).collect::<Vec<_>>(), [2, 3]);
    assert_eq!((plan[0].canonical.as_str(), plan[0].actor.as_str()), ("acme/app#1", "ann"));
    assert!(plan[0].comment.starts_with("Duplicate of #1\n"), "{}", plan[0].comment);
    assert!(plan[0].commands.iter().all(|c| c.starts_with("gh ") && c.contains("acme/app")));
    assert!(github.requests().is_empty(), "the plan sent requests");
    assert!(mirror.casebook.closure_journal().await.unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn duplicates_are_commented_on_and_closed_once() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, Some("a-token")).await;
    github.world().token = Some("a-token".to_owned());
    let report = close(&mirror).await;
    assert_eq!(report.problem, None);
    assert_eq!(
        steps(&report),
        [("acme/app#2", ClosureStep::Closed), ("acme/app#3", ClosureStep::Closed)]
    );
    for number in [2, 3] {
        let issue = github.world().current_issue(number);
        assert_eq!(
            (issue["state"].as_str(), issue["state_reason"].as_str()),
            (Some("closed"), Some("duplicate"))
        );
        assert_eq!(count_canonical_comments(&github, number), 1);
    }
    assert!(github.world().schema_violations.is_empty(), "{:?}", github.world().schema_violations);
    // The mirror is up to date without another sync, and nothing is left to do.
    let thread = mirror.casebook.thread("acme/app#2").await.unwrap();
    assert_eq!(thread.state_reason.as_deref(), Some("duplicate"));
    assert!(plan(&mirror).await.is_empty());
    github.requests();
    assert!(close(&mirror).await.done.is_empty());
    assert!(github.requests().is_empty());
    let journal = mirror.casebook.closure_journal().await.unwrap();
    assert_eq!(journal.len(), 2);
    assert!(journal[0].comment_url.as_deref().unwrap().contains("#issuecomment-"));
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_connection_leaves_one_comment() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, None).await;
    // The comment arrives, but its response is lost.
    github.fail("POST /api/v3/repos/acme/app/issues/2/comments", 1, Fault::Disconnect);
    let report = close(&mirror).await;
    assert_eq!(report.problem, None);
    assert_eq!(steps(&report)[0], ("acme/app#2", ClosureStep::Closed));
    assert_eq!(count_canonical_comments(&github, 2), 1);
    let posts = github.requests().iter().filter(|r| r.method == "POST").count();
    assert_eq!(posts, 2, "a comment was sent twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_check_never_posts_a_second_comment() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, None).await;
    github.fail("POST /api/v3/repos/acme/app/issues/2/comments", 1, Fault::Disconnect);
    github.fail_after(
        "GET /api/v3/repos/acme/app/issues/2/comments",
        1,
        9,
        Fault::Status(502, vec![], json!({})),
    );
    let report = close(&mirror).await;
    assert_eq!(report.problem.as_ref().map(|p| p.code()), Some(Code::Network));
    assert_eq!(steps(&report), [("acme/app#2", ClosureStep::Commenting)]);
    assert_eq!(plan(&mirror).await[0].step, Some(ClosureStep::Commenting));
    assert_eq!(github.world().current_issue(2)["state"], "open");

    github.world().clear_faults();
    assert_eq!(close(&mirror).await.problem, None);
    assert_eq!(count_canonical_comments(&github, 2), 1);
    assert_eq!(github.world().current_issue(2)["state_reason"], "duplicate");
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_comment_is_posted_by_the_next_run() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, None).await;
    github.fail(
        "POST /api/v3/repos/acme/app/issues/2/comments",
        1,
        Fault::Status(500, vec![], json!({})),
    );
    let report = close(&mirror).await;
    assert_eq!(report.problem.as_ref().map(|p| p.code()), Some(Code::Network));
    assert_eq!(count_canonical_comments(&github, 2), 0, "the comment was resent without a check");
    assert_eq!(close(&mirror).await.problem, None);
    assert_eq!(
        (count_canonical_comments(&github, 2), count_canonical_comments(&github, 3)),
        (1, 1)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn closure_with_lost_response_is_not_repeated() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, None).await;
    github.fail("PATCH /api/v3/repos/acme/app/issues/2", 1, Fault::Disconnect);
    assert_eq!(close(&mirror).await.problem, None);
    assert_eq!(count_canonical_comments(&github, 2), 1);
    assert_eq!(github.world().current_issue(2)["state_reason"], "duplicate");
}

#[tokio::test(flavor = "multi_thread")]
async fn externally_changed_reports_are_not_closed() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, None).await;
    github.world().edit(
        2,
        json!({"state": "closed", "state_reason": "completed", "closed_at": "2026-05-01T00:00:00Z"}),
    );
    github.world().remove(3, Removal::Deleted);
    let report = close(&mirror).await;
    assert_eq!(report.problem, None);
    assert_eq!(
        steps(&report),
        [("acme/app#2", ClosureStep::Refused), ("acme/app#3", ClosureStep::Refused)]
    );
    assert!(
        report.done[0].problem.as_deref().unwrap().contains("closed as completed"),
        "{report:?}"
    );
    assert_eq!(count_canonical_comments(&github, 2), 0);
    assert!(github.requests().iter().all(|r| r.method == "GET"));
}

#[tokio::test(flavor = "multi_thread")]
async fn read_only_token_is_rejected_before_closing() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, None).await;
    github.world().read_only = true;
    let report = close(&mirror).await;
    let problem = report.problem.unwrap();
    assert_eq!(problem.code(), Code::Authentication);
    assert!(problem.hint().unwrap().text.contains("write access"));
    assert_eq!(report.done.len(), 1, "the second report was tried");
    assert_eq!(github.world().current_issue(2)["state"], "open");
}

#[tokio::test(flavor = "multi_thread")]
async fn old_server_closes_as_not_planned() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, None).await;
    github.world().lacks_duplicate_reason = true;
    let report = close(&mirror).await;
    assert_eq!(report.done[0].step, ClosureStep::Closed);
    assert!(report.done[0].problem.as_deref().unwrap().contains("not planned"));
    assert_eq!(github.world().current_issue(2)["state_reason"], "not_planned");
}

#[tokio::test(flavor = "multi_thread")]
async fn undone_verdict_is_not_applied() {
    let github = FakeGitHub::new("acme/app");
    let mirror = mirror_with_verdicts(&github, None).await;
    let casebook = &mirror.casebook;
    casebook.undo_verdict("acme/app#3", "acme/app#1", "ann").await.unwrap();
    casebook
        .record_verdict("acme/app#4", "acme/app#2", VerdictKind::Duplicate, None, "ann")
        .await
        .unwrap();
    let plan = plan(&mirror).await;
    assert_eq!(
        plan.iter().map(|c| (c.number, c.canonical.as_str())).collect::<Vec<_>>(),
        [(2, "acme/app#1"), (4, "acme/app#1")]
    );
    assert_eq!(close(&mirror).await.problem, None);
    assert_eq!(count_canonical_comments(&github, 4), 1);
    assert_eq!(count_canonical_comments(&github, 3), 0);
}

#[test]
fn apply_closes_only_with_confirmation() {
    let github = FakeGitHub::new("acme/app");
    github.world().fill(3, 0);
    let env = TestEnv::new();
    env.ok(&["source", "add", "github:acme/app", "--host", &github.host]);
    env.ok(&["sync"]);
    let snapshot = |args: &[&str]| {
        let run = env.run(args).snapshot_text(&env);
        let host = github.host.trim_start_matches("http://");
        let day = regex::Regex::new(r"\d{4}-\d\d-\d\d").unwrap();
        day.replace_all(&run.replace(host, "[HOST]"), "[DAY]").into_owned()
    };
    insta::assert_snapshot!("apply_nothing", snapshot(&["triage", "--apply"]));
    let file = env.file("desk.csv", "ID,Title,State\n1,Leak,Open\n2,Leaks,Open\n");
    env.ok(&["import", &file.to_string_lossy(), "-R", "acme/desk", "--no-vectors"]);
    env.ok(&["verdict", "set", "acme/desk#2", "acme/desk#1", "duplicate"]);
    assert!(snapshot(&["triage", "--apply"]).contains("acme/desk was imported from a file"));
    env.ok(&["source", "remove", "acme/desk", "--yes"]);
    env.ok(&["verdict", "set", "acme/app#2", "acme/app#1", "duplicate", "--by", "ann"]);
    github.requests();
    insta::assert_snapshot!("apply_plan", snapshot(&["triage", "--apply"]));
    assert_eq!(env.json(&["triage", "--apply", "--json"])[0]["key"], "acme/app#2");
    assert!(github.requests().is_empty());
    insta::assert_snapshot!("apply_yes", snapshot(&["triage", "--apply", "--yes", "--by", "ann"]));
    insta::assert_snapshot!("apply_journal", snapshot(&["triage", "--journal"]));
    assert_eq!(env.json(&["triage", "--journal", "--json=step"]), json!([{"step": "closed"}]));
    assert_eq!(count_canonical_comments(&github, 2), 1);
    // A token without write access is reported as such, with the exit code for denied access.
    env.ok(&["verdict", "set", "acme/app#3", "acme/app#1", "duplicate", "--by", "ann"]);
    github.world().read_only = true;
    let run = env.run(&["triage", "--apply", "--yes", "--by", "ann"]);
    assert_eq!(run.code, Some(4), "{}", run.err);
    assert!(run.err.contains("write access"), "{}", run.err);
    assert_eq!(env.run(&["triage", "--yes"]).code, Some(2));
}
