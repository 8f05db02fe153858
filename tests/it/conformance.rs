//! Requirements for the connectors of all trackers. Each has a [`TestServer`] that can be filled,
//! changed and made to fail; mirrors are compared with its content.

use std::time::Duration;

use precedent_core::{
    Code, Task,
    model::{GapKind, SyncRequest},
};
use serde_json::json;

use crate::{
    fake_github::{FakeGitHub, Fault, NOW, Removal},
    fake_tracker::{FakeTracker, Shape, TrackerFault},
    sync::{Mirror, has_gap, sync_ok},
};

/// A server of a connector's kind, with one project of a few pages.
pub trait TestServer {
    /// The maximum number of requests of a sync without changes.
    const MAX_IDLE_REQUESTS: u64 = 6;
    /// `true` if editing a comment changes its item as well.
    const COMMENTS_CHANGE_ITEMS: bool = false;
    /// Creates a project with this many items, and this many comments spread over them.
    fn with_items(items: u64, comments: u64) -> Self;
    /// Creates a casebook with this project as its only source.
    async fn mirror(&self) -> Mirror;
    /// Returns the source's key.
    fn key(&self) -> &'static str;
    /// Changes an item's title and its modification time.
    fn retitle(&self, number: u64, title: &str);
    /// Changes a comment's text and its modification time.
    fn reword(&self, comment: u64, text: &str);
    /// Deletes an open item.
    fn delete(&self, number: u64);
    /// Adds a comment to an item that the item list does not contain yet.
    fn add_early_comment(&self, number: u64);
    /// Adds the item of [`TestServer::add_early_comment`] if it is still missing.
    fn add_missing_item(&self, number: u64);
    /// Makes the server fail from the second page of items on.
    fn fail_second_page(&self);
    /// Removes all faults.
    fn clear_faults(&self);
    /// Delays the next page of items by this duration.
    fn delay_page(&self, delay: Duration);
    /// Answers the next request with a rate limit that states no wait.
    fn limit_rate_once(&self);
    /// Forbids or allows reading comments.
    fn hide_comments(&self, hidden: bool);
    /// Adds an open item with undocumented fields and values.
    fn add_unknown(&self, number: u64);
    /// Changes records after each page read, up to this many pages.
    fn edit_during_paging(&self, pages: usize);
    /// Asserts that the mirror equals the server's content, record for record.
    fn assert_equals(&self, mirror: &Mirror);
}

pub async fn first_sync_is_complete<S: TestServer>() {
    let server = S::with_items(250, 240);
    let mirror = server.mirror().await;
    let report = mirror.sync_ok().await;
    // A connector may read a record more than once.
    assert_eq!((report.new, report.updated), (490, 0));
    let expected_gaps = [GapKind::Deletions, GapKind::LeftOut];
    assert!(report.gaps.iter().all(|g| expected_gaps.contains(&g.kind)), "{:?}", report.gaps);
    server.assert_equals(&mirror);
}

pub async fn second_sync_reads_only_changes<S: TestServer>() {
    let server = S::with_items(250, 240);
    let mirror = server.mirror().await;
    let first = mirror.sync_ok().await;
    let second = mirror.sync_ok().await;
    assert_eq!((second.new, second.updated), (0, 0));
    assert!(
        second.requests < first.requests && second.requests <= S::MAX_IDLE_REQUESTS,
        "{}",
        second.requests
    );
}

pub async fn edits_are_synced<S: TestServer>() {
    let server = S::with_items(250, 240);
    let mirror = server.mirror().await;
    mirror.sync_ok().await;
    server.retitle(17, "Another title");
    server.reword(3, "Another text.");
    let report = mirror.sync_ok().await;
    assert_eq!((report.new, report.updated), (0, 2 + u64::from(S::COMMENTS_CHANGE_ITEMS)));
    let thread = mirror.casebook.thread(&format!("{}#17", server.key())).await.unwrap();
    assert_eq!(thread.title, "Another title");
    server.assert_equals(&mirror);
}

pub async fn edits_during_a_sync_are_kept<S: TestServer>() {
    let server = S::with_items(450, 340);
    server.edit_during_paging(9);
    let mirror = server.mirror().await;
    mirror.sync_ok().await;
    server.edit_during_paging(0);
    mirror.sync_ok().await;
    server.assert_equals(&mirror);
}

pub async fn deletions_are_synced<S: TestServer>() {
    let server = S::with_items(120, 0);
    let mirror = server.mirror().await;
    mirror.sync_ok().await;
    server.delete(5);
    assert_eq!(sync_ok(&mirror.casebook, true).await.gone, 1);
    // The item is kept and marked, never silently removed.
    let thread = mirror.casebook.thread(&format!("{}#5", server.key())).await.unwrap();
    assert!(thread.deleted_at.is_some());
    server.assert_equals(&mirror);
}

pub async fn early_comment_gets_its_item<S: TestServer>() {
    let server = S::with_items(3, 0);
    server.add_early_comment(9);
    let mirror = server.mirror().await;
    assert!(has_gap(&mirror.sync_ok().await, GapKind::OrphanComments));
    server.add_missing_item(9);
    assert!(!has_gap(&mirror.sync_ok().await, GapKind::OrphanComments));
    let thread = mirror.casebook.thread(&format!("{}#9", server.key())).await.unwrap();
    assert_eq!(thread.comments.len(), 1);
    server.assert_equals(&mirror);
}

pub async fn failed_sync_resumes<S: TestServer>() {
    let server = S::with_items(350, 40);
    server.fail_second_page();
    let mirror = server.mirror().await;
    let report = mirror.sync(false).await;
    assert!(report.problem.is_some() && report.items > 0 && report.items < 350, "{report:?}");
    assert!(
        has_gap(&report, GapKind::Unfinished) && has_gap(&report, GapKind::Ended),
        "{:?}",
        report.gaps
    );
    let items_before = report.items;
    server.clear_faults();
    let report = mirror.sync_ok().await;
    // The sync resumes at its last position and repeats only the page in progress.
    assert!(report.items <= 350 - items_before + 100, "{} after {items_before}", report.items);
    assert!(
        !has_gap(&report, GapKind::Unfinished) && !has_gap(&report, GapKind::Ended),
        "{:?}",
        report.gaps
    );
    server.assert_equals(&mirror);
}

pub async fn cancelled_sync_stops<S: TestServer>() {
    let server = S::with_items(350, 40);
    server.delay_page(Duration::from_secs(20));
    let mirror = server.mirror().await;
    let task = Task::new();
    // Cancel only after some records arrived, however slow the machine is.
    let cancel = async {
        while mirror.casebook.sources().await.unwrap().iter().all(|source| source.issues == 0) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        task.cancel();
    };
    let sync_and_cancel =
        async { tokio::join!(mirror.casebook.sync(SyncRequest::default(), &task), cancel).0 };
    let reports = tokio::time::timeout(Duration::from_secs(15), sync_and_cancel).await.unwrap();
    let report = reports.unwrap().remove(0);
    assert_eq!(report.problem.unwrap().code(), Code::Cancelled);
    assert!(report.items > 0, "records received before are kept");
    server.clear_faults();
    mirror.sync_ok().await;
    server.assert_equals(&mirror);
}

pub async fn rate_limit_is_awaited<S: TestServer>() {
    let server = S::with_items(250, 40);
    server.limit_rate_once();
    let mirror = server.mirror().await;
    mirror.sync_ok().await;
    assert!(mirror.take_waits() >= Duration::from_secs(60), "the default wait is a minute");
    server.assert_equals(&mirror);
}

pub async fn hidden_comments_are_reported<S: TestServer>() {
    let server = S::with_items(120, 40);
    server.hide_comments(true);
    let mirror = server.mirror().await;
    let report = mirror.sync_ok().await;
    assert_eq!((report.new, report.comments), (120, 0));
    assert!(has_gap(&report, GapKind::Refused), "{:?}", report.gaps);
    server.hide_comments(false);
    let report = mirror.sync_ok().await;
    assert!(!has_gap(&report, GapKind::Refused) && report.new == 40, "{report:?}");
    server.assert_equals(&mirror);
}

pub async fn unknown_fields_are_ignored<S: TestServer>() {
    let server = S::with_items(20, 0);
    server.add_unknown(30);
    let mirror = server.mirror().await;
    let report = mirror.sync_ok().await;
    assert_eq!((report.items, report.skipped), (21, 0));
    mirror.casebook.thread(&format!("{}#30", server.key())).await.unwrap();
    server.assert_equals(&mirror);
}

/// Generates all conformance tests for a connector.
macro_rules! conformance {
    ($connector:ident, $server:ty) => {
        mod $connector {
            conformance!(@ $server: first_sync_is_complete, second_sync_reads_only_changes, edits_are_synced,
                edits_during_a_sync_are_kept, deletions_are_synced, early_comment_gets_its_item, failed_sync_resumes,
                cancelled_sync_stops, rate_limit_is_awaited, hidden_comments_are_reported, unknown_fields_are_ignored);
        }
    };
    (@ $server:ty: $($case:ident),+) => {
        $(#[tokio::test]
        async fn $case() {
            super::$case::<$server>().await;
        })+
    };
}

conformance!(github, super::GitHubServer<false>);
conformance!(github_with_page_numbers, super::GitHubServer<true>);
conformance!(gitlab, super::GitLabServer);
conformance!(gitea, super::GiteaServer);
conformance!(jira_cloud, super::JiraCloudServer);
conformance!(jira_data_center, super::JiraDataCenterServer);
conformance!(redmine, super::RedmineServer);
conformance!(bugzilla, super::BugzillaServer);
conformance!(azure, super::AzureServer);
conformance!(linear, super::LinearServer);
conformance!(zendesk, super::ZendeskServer);

/// Posts come with their topic, so they cannot arrive before it or be refused.
mod discourse {
    conformance!(@ super::DiscourseServer: first_sync_is_complete, second_sync_reads_only_changes, edits_are_synced,
        edits_during_a_sync_are_kept, deletions_are_synced, failed_sync_resumes, cancelled_sync_stops,
        rate_limit_is_awaited, unknown_fields_are_ignored);
}

/// A fake GitHub; `PAGE_NUMBERS` selects links with page numbers.
pub struct GitHubServer<const PAGE_NUMBERS: bool>(FakeGitHub);

impl<const PAGE_NUMBERS: bool> TestServer for GitHubServer<PAGE_NUMBERS> {
    fn with_items(items: u64, comments: u64) -> Self {
        let github = FakeGitHub::new("acme/app");
        github.world().fill(items, comments);
        github.world().has_page_numbers = PAGE_NUMBERS;
        Self(github)
    }

    async fn mirror(&self) -> Mirror {
        Mirror::of_github(&self.0).await
    }

    fn key(&self) -> &'static str {
        "acme/app"
    }

    fn retitle(&self, number: u64, title: &str) {
        self.0.world().edit(number, json!({"title": title}));
    }

    fn reword(&self, comment: u64, text: &str) {
        self.0.world().edit_comment(comment, text);
    }

    fn delete(&self, number: u64) {
        self.0.world().remove(number, Removal::Deleted);
    }

    fn add_early_comment(&self, number: u64) {
        let mut world = self.0.world();
        let comment = world.comment(5_000, number, "Early", NOW - 5);
        world.put(&comment);
    }

    fn add_missing_item(&self, number: u64) {
        let mut world = self.0.world();
        let issue = world.issue(number, "Late", NOW - 4);
        world.put(&issue);
    }

    fn fail_second_page(&self) {
        self.0.fail_after("/issues?", 2, u32::MAX, Fault::Status(502, vec![], json!({})));
    }

    fn clear_faults(&self) {
        self.0.world().clear_faults();
    }

    fn delay_page(&self, delay: Duration) {
        // The requests for the newest number and the first page are not delayed.
        self.0.fail_after("/issues?", 2, 1, Fault::Slow(delay));
    }

    fn limit_rate_once(&self) {
        self.0.fail_after(
            "/issues?",
            2,
            1,
            Fault::Status(429, vec![], json!({"message": "slow down"})),
        );
    }

    fn hide_comments(&self, hidden: bool) {
        self.0.world().forbidden_lists = if hidden { vec!["/issues/comments"] } else { vec![] };
    }

    fn add_unknown(&self, number: u64) {
        let mut world = self.0.world();
        let mut record = world.issue(number, "Of another time", NOW - 9);
        for (field, value) in
            [("odd", json!(true)), ("state", json!("simmering")), ("zone", json!({"deep": [1]}))]
        {
            record[field] = value;
        }
        world.put_unchecked(&record);
    }

    fn edit_during_paging(&self, pages: usize) {
        crate::sync::edit_during_paging(&self.0, pages);
    }

    fn assert_equals(&self, mirror: &Mirror) {
        crate::sync::assert_equals_github(mirror, &self.0);
    }
}

/// Defines a [`TestServer`] of this shape.
macro_rules! test_server {
    ($name:ident, $shape:ident, $key:literal, $idle:literal) => {
        pub struct $name(FakeTracker);

        impl TestServer for $name {
            const MAX_IDLE_REQUESTS: u64 = $idle;
            const COMMENTS_CHANGE_ITEMS: bool = true;

            fn with_items(items: u64, comments: u64) -> Self {
                Self(FakeTracker::new(Shape::$shape, items, comments))
            }

            async fn mirror(&self) -> Mirror {
                Mirror::of_tracker(&self.0, None, false).await
            }

            fn key(&self) -> &'static str {
                $key
            }

            fn retitle(&self, number: u64, title: &str) {
                self.0.content().retitle(number, title);
            }

            fn reword(&self, comment: u64, text: &str) {
                self.0.content().reword(comment, text);
            }

            fn delete(&self, number: u64) {
                self.0.content().items.remove(&number).unwrap();
            }

            fn add_early_comment(&self, number: u64) {
                // The comment is added between the list of items and the list of comments.
                self.0.content().hook = Some(Box::new(move |content, request| {
                    if request == "comments" && !content.items.contains_key(&number) {
                        content.put(number, "Late", NOW - 5);
                        content.add_comment(5_000, number, "Early", NOW - 5);
                    }
                }));
            }

            fn add_missing_item(&self, _number: u64) {
                self.0.content().hook = None;
            }

            fn fail_second_page(&self) {
                self.0.content().fault = Some((1, u32::MAX, TrackerFault::Status(502)));
            }

            fn clear_faults(&self) {
                self.0.content().fault = None;
            }

            fn delay_page(&self, delay: Duration) {
                self.0.content().fault = Some((1, 1, TrackerFault::Slow(delay)));
            }

            fn limit_rate_once(&self) {
                self.0.content().fault = Some((1, 1, TrackerFault::Status(429)));
            }

            fn hide_comments(&self, hidden: bool) {
                self.0.content().hidden = hidden;
            }

            fn add_unknown(&self, number: u64) {
                let mut content = self.0.content();
                content.put(number, "Of another time", NOW - 9);
                content.items.get_mut(&number).unwrap().has_unknown_fields = true;
            }

            fn edit_during_paging(&self, pages: usize) {
                self.0.content().hook = Some(Box::new(move |content, request| {
                    if request != "list" || content.lists > pages {
                        return;
                    }
                    let page = content.lists;
                    let numbers: Vec<u64> = content.items.keys().copied().collect();
                    let ids: Vec<u64> = content.comments.keys().copied().collect();
                    for k in 0..7 {
                        let pick = |n: usize| (page * 37 + k * 61) % n;
                        content.retitle(
                            numbers[pick(numbers.len())],
                            &format!("Edited on page {page}"),
                        );
                        content.reword(ids[pick(ids.len())], &format!("Edited on page {page}."));
                    }
                    let (number, now) = (numbers.len() as u64 + 1_000, content.now);
                    content.put(number, "New while pages were read", now);
                }));
            }

            fn assert_equals(&self, mirror: &Mirror) {
                crate::sync::assert_equals_tracker(mirror, &self.0);
            }
        }
    };
}

test_server!(GitLabServer, GitLab, "acme/app", 6);
test_server!(GiteaServer, Gitea, "acme/app", 5);
test_server!(JiraCloudServer, JiraCloud, "127.0.0.1/APP", 5);
test_server!(JiraDataCenterServer, JiraServer, "127.0.0.1/APP", 5);
// Changes are listed with a resolution of one second, so the last one is requested again.
test_server!(RedmineServer, Redmine, "127.0.0.1/app", 6);
test_server!(LinearServer, Linear, "acme/KILN", 4);
test_server!(AzureServer, Azure, "acme/Kiln-App", 7);
test_server!(BugzillaServer, Bugzilla, "127.0.0.1/Kiln-App", 8);
test_server!(ZendeskServer, Zendesk, "127.0.0.1/tickets", 4);
test_server!(DiscourseServer, Discourse, "127.0.0.1/topics", 3);

#[tokio::test]
async fn tracker_duplicate_marks_become_links() {
    for shape in [
        Shape::GitLab,
        Shape::JiraCloud,
        Shape::JiraServer,
        Shape::Redmine,
        Shape::Bugzilla,
        Shape::Azure,
        Shape::Linear,
        Shape::Zendesk,
    ] {
        let fake = FakeTracker::new(shape, 20, 0);
        {
            let mut content = fake.content();
            let item = content.items.get_mut(&9).unwrap();
            (item.open, item.duplicate_of) = (false, Some(4));
        }
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        mirror.sync_ok().await;
        let key = mirror.casebook.sources().await.unwrap()[0].key.clone();
        let links = async || -> Vec<(String, bool, String)> {
            let thread = mirror.casebook.thread(&format!("{key}#9")).await.unwrap();
            thread.links.into_iter().map(|l| (l.kind, l.outgoing, l.key)).collect()
        };
        assert_eq!(
            links().await,
            [("duplicate_of".to_owned(), true, format!("{key}#4"))],
            "{shape:?}"
        );
        fake.content().retitle(9, "Not a duplicate after all");
        fake.content().items.get_mut(&9).unwrap().duplicate_of = None;
        mirror.sync_ok().await;
        assert_eq!(links().await, [], "{shape:?}");
    }
}

#[tokio::test]
async fn token_goes_only_to_its_tracker() {
    for shape in Shape::ALL {
        let fake = FakeTracker::new(shape, 3, 3);
        fake.content().token = Some("canary-token".to_owned());
        let mirror = Mirror::of_tracker(&fake, Some("canary-token"), false).await;
        mirror.sync_ok().await;
        assert!(
            fake.content()
                .log
                .iter()
                .all(|(_, login)| login.as_deref().is_some_and(|l| l.contains("canary-token")))
        );
        let access = mirror.casebook.test_source(&mirror.key().await, &Task::new()).await.unwrap();
        assert!(access.user.is_some() && access.refused.is_empty(), "{shape:?} {access:?}");
        fake.content().token = Some("another".to_owned());
        let report = mirror.sync(false).await;
        let problem = report.problem.unwrap();
        assert_eq!(problem.code(), Code::Authentication, "{shape:?} {problem:?}");
        assert!(!format!("{problem:?}").contains("canary"));
        assert_eq!(
            crate::sync::files_with(&mirror.env.casebook(), b"canary-token"),
            Vec::<String>::new()
        );
    }
}

#[tokio::test]
async fn wiki_from_the_api_is_mirrored() {
    let fake = FakeTracker::new(Shape::Redmine, 3, 0);
    {
        let mut content = fake.content();
        for n in 1..=60 {
            content.pages.insert(
                format!("Page_{n}"),
                (format!("h1. Page {n}\n\nMind @valve_{n}@."), NOW - 500 + n),
            );
        }
    }
    let mirror = Mirror::of_tracker(&fake, None, true).await;
    let report = mirror.sync_ok().await;
    assert_eq!(report.new, 63);
    let key = mirror.key().await;
    let page = mirror.casebook.thread(&format!("{key}:Page_7")).await.unwrap();
    assert_eq!(
        (page.title.as_str(), page.markdown.as_str()),
        ("Page 7", "# Page 7\n\nMind `valve_7`.\n")
    );
    {
        let mut content = fake.content();
        content.pages.remove("Page_7");
        content.pages.insert("Page_8".to_owned(), ("Changed".to_owned(), NOW));
    }
    let report = mirror.sync_ok().await;
    assert_eq!((report.updated, report.gone), (1, 1), "{report:?}");
    assert!(mirror.casebook.thread(&format!("{key}:Page_7")).await.unwrap().deleted_at.is_some());
}
