//! Tests of GitHub's discussions on the fake GitHub.

use precedent_core::{
    Task,
    model::{ANSWER, GapKind, State},
};
use serde_json::json;

use crate::{
    fake_github::{FakeGitHub, NOW},
    sync::{Mirror, sync_ok},
};

const TOKEN: &str = "canary-token";

fn github(discussions: u64) -> FakeGitHub {
    let github = FakeGitHub::new("acme/app");
    {
        let mut world = github.world();
        world.fill(20, 10);
        world.token = Some(TOKEN.to_owned());
        for number in 101..101 + discussions {
            let id = number * 10;
            let discussion = world.add_discussion(
                number,
                &format!("How does pump {number} start?"),
                NOW - 100_000 + number as i64,
            );
            discussion.comments = vec![(id, 0), (id + 1, 2)];
        }
    }
    github
}

fn graphql_requests(github: &FakeGitHub) -> usize {
    github.world().log.iter().filter(|l| l.address.contains("graphql")).count()
}

#[tokio::test]
async fn discussions_are_items_with_all_replies() {
    let github = github(45);
    {
        let mut world = github.world();
        let discussion = world.add_discussion(300, "Why does the valve leak?", NOW - 50);
        discussion.comments = (1..=95).map(|id| (9_000 + id, 0)).collect();
        discussion.comments[3].1 = 65;
        discussion.answer = Some(9_002);
        discussion.deleted_comments = vec![9_004];
        world.add_discussion(301, "Old question", NOW - 40).close_reason = Some("OUTDATED");
    }
    let mirror = Mirror::with_token(&github, Some(TOKEN)).await;
    let report = mirror.sync_ok().await;
    assert!(report.gaps.iter().all(|g| g.kind == GapKind::Deletions), "{:?}", report.gaps);
    assert_eq!(github.world().schema_violations, Vec::<String>::new());
    // Each discussion has two comments and two replies. The deleted comment of the long one does
    // not count.
    assert_eq!((report.items, report.comments), (20 + 47, 10 + 45 * 4 + 94 + 65));
    let with_answer = mirror.casebook.thread("acme/app#300").await.unwrap();
    assert_eq!(
        (with_answer.state, with_answer.state_reason.as_deref()),
        (Some(State::Closed), Some("completed"))
    );
    assert_eq!(with_answer.labels, ["Q&A", "pumps"]);
    let answers: Vec<_> =
        with_answer.comments.iter().filter(|c| c.association.as_deref() == Some(ANSWER)).collect();
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0].markdown.trim(), "It is valve 9002.");
    let without_answer = mirror.casebook.thread("acme/app#301").await.unwrap();
    assert_eq!(
        (without_answer.state, without_answer.state_reason.as_deref()),
        (Some(State::Closed), Some("not_planned"))
    );
    assert_eq!(mirror.casebook.thread("acme/app#102").await.unwrap().state, Some(State::Open));
}

#[tokio::test]
async fn only_changed_discussions_are_fetched_again() {
    let github = github(90);
    let mirror = Mirror::with_token(&github, Some(TOKEN)).await;
    mirror.sync_ok().await;
    let requests_before = graphql_requests(&github);
    let report = mirror.sync_ok().await;
    assert_eq!((report.new, report.updated), (0, 0));
    assert_eq!(
        graphql_requests(&github) - requests_before,
        1,
        "one query for the newest discussions"
    );
    {
        let mut world = github.world();
        let discussion = world.discussions.get_mut(&105).unwrap();
        (discussion.updated_at, discussion.answer) = (NOW + 5, Some(1_050));
        world.add_discussion(400, "A new one", NOW + 6);
    }
    let report = mirror.sync_ok().await;
    // The discussion and its new answer changed.
    assert_eq!((report.new, report.updated), (1, 2));
    assert_eq!(mirror.casebook.thread("acme/app#105").await.unwrap().state, Some(State::Closed));
}

#[tokio::test]
async fn deleted_discussion_needs_few_item_requests() {
    let github = github(60);
    let mirror = Mirror::with_token(&github, Some(TOKEN)).await;
    mirror.sync_ok().await;
    github.world().discussions.remove(&110);
    let report = sync_ok(&mirror.casebook, true).await;
    // The discussion and its four comments were removed.
    assert_eq!(report.gone, 1 + 4);
    assert!(mirror.casebook.thread("acme/app#110").await.unwrap().deleted_at.is_some());
    assert!(mirror.casebook.thread("acme/app#111").await.unwrap().deleted_at.is_none());
    // At most the deleted discussion is requested on its own.
    let item_requests =
        github.world().log.iter().filter(|l| l.address.contains("/issues/1")).count();
    assert!(item_requests <= 2, "{item_requests}");
}

#[tokio::test]
async fn missing_or_forbidden_discussions_are_skipped() {
    let empty_github = github(0);
    let mirror = Mirror::with_token(&empty_github, Some(TOKEN)).await;
    let report = mirror.sync_ok().await;
    assert!(report.gaps.iter().all(|g| g.kind == GapKind::Deletions), "{:?}", report.gaps);
    assert!(
        !empty_github.world().log.iter().any(|l| l.address.contains("graphql") && l.status != 200)
    );

    let anonymous_github = github(3);
    anonymous_github.world().token = None;
    let mirror = Mirror::of_github(&anonymous_github).await;
    let report = mirror.sync_ok().await;
    assert_eq!(report.items, 20);
    let gap = report.gaps.iter().find(|g| g.kind == GapKind::Refused).unwrap();
    assert!(
        gap.hint.text.contains("Discussions") && gap.hint.text.contains("signing in"),
        "{gap:?}"
    );

    let forbidden_github = github(3);
    forbidden_github.world().discussions_error = Some(
        json!({"type": "FORBIDDEN", "message": "Resource not accessible by personal access token"}),
    );
    let mirror = Mirror::with_token(&forbidden_github, Some(TOKEN)).await;
    let report = mirror.sync_ok().await;
    assert_eq!(report.items, 20);
    assert!(
        report
            .gaps
            .iter()
            .any(|g| g.kind == GapKind::Refused && g.hint.text.contains("not accessible"))
    );
    let access = mirror.casebook.test_source("acme/app", &Task::new()).await.unwrap();
    assert!(access.refused.iter().any(|r| r.contains("discussions")), "{access:?}");
    forbidden_github.world().discussions_error = None;
    let report = mirror.sync_ok().await;
    assert_eq!(report.new, 3 + 3 * 4);
    assert!(!report.gaps.iter().any(|g| g.kind == GapKind::Refused));
}

#[tokio::test]
async fn old_server_and_rate_limit_are_handled() {
    let old_github = github(3);
    old_github.world().discussions_error =
        Some(json!({"message": "Field 'discussions' doesn't exist on type 'Repository'"}));
    let mirror = Mirror::with_token(&old_github, Some(TOKEN)).await;
    let report = mirror.sync_ok().await;
    assert!(
        report
            .gaps
            .iter()
            .any(|g| g.kind == GapKind::Refused && g.hint.text.contains("does not support them"))
    );

    let busy_github = github(3);
    busy_github.world().discussions_error =
        Some(json!({"type": "RATE_LIMITED", "message": "API rate limit exceeded"}));
    let mirror = Mirror::with_token(&busy_github, Some(TOKEN)).await;
    let report = mirror.sync(false).await;
    assert_eq!(report.problem.unwrap().code(), precedent_core::Code::RateLimited);
    assert!(mirror.take_waits() >= std::time::Duration::from_secs(60));
    assert_eq!(report.items, 20, "records received before are kept");
}
