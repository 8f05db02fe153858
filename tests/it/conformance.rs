//! Requirements that every tracker's connector must meet, written once. A connector takes part with
//! a [`Bench`]: a server of its kind that can be filled, changed and made to fail. Mirrors are
//! compared with the content that the server itself reports.

use std::time::Duration;

use precedent_core::{
    Code, Task,
    model::{GapKind, SyncReport, SyncRequest},
};
use precedent_engine::Casebook;
use serde_json::json;

use crate::{
    fake_github::{FakeGitHub, Fault, NOW, Removal},
    fake_tracker::{FakeTracker, Shape, Trouble},
    sync::{Mirror, sync_ok},
};

/// A server of a connector's kind, with one project of a few pages.
pub trait Bench {
    /// The maximum number of requests of a sync without changes.
    const IDLE: u64 = 6;
    /// True if editing a comment changes its item as well.
    const TOUCHES: bool = false;
    /// Creates a project with this many items, and this many comments spread over them.
    fn with_items(items: u64, comments: u64) -> Self;
    /// Creates a casebook with this project as its only live source, with access to it.
    async fn mirror(&self) -> Mirror;
    /// Returns the source's key.
    fn key(&self) -> &'static str;
    /// Changes an item's title at the current time.
    fn retitle(&self, number: u64, title: &str);
    /// Changes a comment's text at the current time.
    fn reword(&self, comment: u64, text: &str);
    /// Deletes an open item.
    fn delete(&self, number: u64);
    /// Adds a comment whose item is missing when the list of items is read.
    fn comment_first(&self, number: u64);
    /// Completes [`Bench::comment_first`], adding the item if it is still missing.
    fn item_later(&self, number: u64);
    /// Makes the server fail from the second page of items on.
    fn break_down(&self);
    /// Removes all faults.
    fn mend(&self);
    /// Delays the next page of items by this duration.
    fn stall(&self, wait: Duration);
    /// Answers the next request with a rate limit that names no wait.
    fn limit_once(&self);
    /// Forbids or allows reading comments.
    fn hide_comments(&self, hidden: bool);
    /// Adds an open item with undocumented fields and values.
    fn add_unknown(&self, number: u64);
    /// Changes records after every page that is read, up to this many pages.
    fn restless(&self, pages: usize);
    /// Asserts that the mirror equals the server's content, record for record.
    fn assert_same(&self, mirror: &Mirror);
}

async fn sync(casebook: &Casebook, task: &Task) -> SyncReport {
    casebook.sync(SyncRequest::default(), task).await.unwrap().pop().unwrap()
}

async fn ok(mirror: &Mirror) -> SyncReport {
    sync_ok(&mirror.casebook, false).await
}

fn has(report: &SyncReport, kind: GapKind) -> bool {
    report.gaps.iter().any(|g| g.kind == kind)
}

pub async fn full<B: Bench>() {
    let bench = B::with_items(250, 240);
    let mirror = bench.mirror().await;
    let report = ok(&mirror).await;
    // A connector may read a record more than once.
    assert_eq!((report.new, report.updated), (490, 0));
    let expected_gaps = [GapKind::Deletions, GapKind::LeftOut];
    assert!(report.gaps.iter().all(|g| expected_gaps.contains(&g.kind)), "{:?}", report.gaps);
    bench.assert_same(&mirror);
}

pub async fn incremental<B: Bench>() {
    let bench = B::with_items(250, 240);
    let mirror = bench.mirror().await;
    let first = ok(&mirror).await;
    let second = ok(&mirror).await;
    assert_eq!((second.new, second.updated), (0, 0));
    assert!(second.requests < first.requests && second.requests <= B::IDLE, "{}", second.requests);
}

pub async fn edits_are_synced<B: Bench>() {
    let bench = B::with_items(250, 240);
    let mirror = bench.mirror().await;
    ok(&mirror).await;
    bench.retitle(17, "Another title");
    bench.reword(3, "Another text.");
    let report = ok(&mirror).await;
    assert_eq!((report.new, report.updated), (0, 2 + u64::from(B::TOUCHES)));
    let thread = mirror.casebook.thread(&format!("{}#17", bench.key())).await.unwrap();
    assert_eq!(thread.title, "Another title");
    bench.assert_same(&mirror);
}

pub async fn edits_during_a_sync<B: Bench>() {
    let bench = B::with_items(450, 340);
    bench.restless(9);
    let mirror = bench.mirror().await;
    ok(&mirror).await;
    bench.restless(0);
    ok(&mirror).await;
    bench.assert_same(&mirror);
}

pub async fn deletions_are_synced<B: Bench>() {
    let bench = B::with_items(120, 0);
    let mirror = bench.mirror().await;
    ok(&mirror).await;
    bench.delete(5);
    assert_eq!(sync_ok(&mirror.casebook, true).await.gone, 1);
    // The item is kept and marked, never silently removed.
    let thread = mirror.casebook.thread(&format!("{}#5", bench.key())).await.unwrap();
    assert!(thread.deleted_at.is_some());
    bench.assert_same(&mirror);
}

pub async fn comment_before_item<B: Bench>() {
    let bench = B::with_items(3, 0);
    bench.comment_first(9);
    let mirror = bench.mirror().await;
    assert!(has(&ok(&mirror).await, GapKind::OrphanComments));
    bench.item_later(9);
    assert!(!has(&ok(&mirror).await, GapKind::OrphanComments));
    let thread = mirror.casebook.thread(&format!("{}#9", bench.key())).await.unwrap();
    assert_eq!(thread.comments.len(), 1);
    bench.assert_same(&mirror);
}

pub async fn failed_sync_resumes<B: Bench>() {
    let bench = B::with_items(350, 40);
    bench.break_down();
    let mirror = bench.mirror().await;
    let report = sync(&mirror.casebook, &Task::new()).await;
    assert!(report.problem.is_some() && report.items > 0 && report.items < 350, "{report:?}");
    assert!(has(&report, GapKind::Unfinished) && has(&report, GapKind::Ended), "{:?}", report.gaps);
    let items_before = report.items;
    bench.mend();
    let report = ok(&mirror).await;
    // The sync resumes from its last position, except for the page in progress.
    assert!(report.items <= 350 - items_before + 100, "{} after {items_before}", report.items);
    assert!(
        !has(&report, GapKind::Unfinished) && !has(&report, GapKind::Ended),
        "{:?}",
        report.gaps
    );
    bench.assert_same(&mirror);
}

pub async fn cancelled_sync_stops<B: Bench>() {
    let bench = B::with_items(350, 40);
    bench.stall(Duration::from_secs(20));
    let mirror = bench.mirror().await;
    let task = Task::new();
    // Some records arrive before the cancellation, however slow the machine is.
    let cancel = async {
        while mirror.casebook.sources().await.unwrap().iter().all(|source| source.issues == 0) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        task.cancel();
    };
    let sync_and_cancel = async { tokio::join!(sync(&mirror.casebook, &task), cancel).0 };
    let report = tokio::time::timeout(Duration::from_secs(15), sync_and_cancel).await.unwrap();
    assert_eq!(report.problem.unwrap().code, Code::Cancelled);
    assert!(report.items > 0, "what came before is kept");
    bench.mend();
    ok(&mirror).await;
    bench.assert_same(&mirror);
}

pub async fn rate_limited<B: Bench>() {
    let bench = B::with_items(250, 40);
    bench.limit_once();
    let mirror = bench.mirror().await;
    ok(&mirror).await;
    assert!(
        mirror.take_waits() >= Duration::from_secs(60),
        "without a word it is a minute at least"
    );
    bench.assert_same(&mirror);
}

pub async fn permission_lost<B: Bench>() {
    let bench = B::with_items(120, 40);
    bench.hide_comments(true);
    let mirror = bench.mirror().await;
    let report = ok(&mirror).await;
    assert_eq!((report.new, report.comments), (120, 0));
    assert!(has(&report, GapKind::Refused), "{:?}", report.gaps);
    bench.hide_comments(false);
    let report = ok(&mirror).await;
    assert!(!has(&report, GapKind::Refused) && report.new == 40, "{report:?}");
    bench.assert_same(&mirror);
}

pub async fn unknown_fields<B: Bench>() {
    let bench = B::with_items(20, 0);
    bench.add_unknown(30);
    let mirror = bench.mirror().await;
    let report = ok(&mirror).await;
    assert_eq!((report.items, report.skipped), (21, 0));
    mirror.casebook.thread(&format!("{}#30", bench.key())).await.unwrap();
    bench.assert_same(&mirror);
}

/// Generates all conformance tests for a connector.
macro_rules! conformance {
    ($connector:ident, $bench:ty) => {
        mod $connector {
            conformance!(@ $bench: full, incremental, edits_are_synced, edits_during_a_sync, deletions_are_synced,
                comment_before_item, failed_sync_resumes, cancelled_sync_stops, rate_limited, permission_lost, unknown_fields);
        }
    };
    (@ $bench:ty: $($case:ident),+) => {
        $(#[tokio::test]
        async fn $case() {
            super::$case::<$bench>().await;
        })+
    };
}

conformance!(github, super::OnGitHub<false>);
conformance!(github_with_page_numbers, super::OnGitHub<true>);
conformance!(gitlab, super::OnGitLab);
conformance!(gitea, super::OnGitea);
conformance!(jira_cloud, super::OnJiraCloud);
conformance!(jira_data_center, super::OnJiraServer);
conformance!(redmine, super::OnRedmine);
conformance!(bugzilla, super::OnBugzilla);
conformance!(azure, super::OnAzure);
conformance!(linear, super::OnLinear);
conformance!(zendesk, super::OnZendesk);

/// Posts come with their topic: there is no list of them that could come first or be refused.
mod discourse {
    conformance!(@ super::OnDiscourse: full, incremental, edits_are_synced, edits_during_a_sync,
        deletions_are_synced, failed_sync_resumes, cancelled_sync_stops, rate_limited, unknown_fields);
}

/// A bench on a fake GitHub; `PAGE_NUMBERS` selects links with page numbers.
pub struct OnGitHub<const PAGE_NUMBERS: bool>(FakeGitHub);

impl<const PAGE_NUMBERS: bool> Bench for OnGitHub<PAGE_NUMBERS> {
    fn with_items(items: u64, comments: u64) -> Self {
        let github = FakeGitHub::new("acme/app");
        github.world().fill(items, comments);
        github.world().has_page_numbers = PAGE_NUMBERS;
        Self(github)
    }

    async fn mirror(&self) -> Mirror {
        Mirror::of(&self.0).await
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

    fn comment_first(&self, number: u64) {
        let mut world = self.0.world();
        let comment = world.comment(5_000, number, "Early", NOW - 5);
        world.put(&comment);
    }

    fn item_later(&self, number: u64) {
        let mut world = self.0.world();
        let issue = world.issue(number, "Late", NOW - 4);
        world.put(&issue);
    }

    fn break_down(&self) {
        self.0.fail_after("/issues?", 2, u32::MAX, Fault::Status(502, vec![], json!({})));
    }

    fn mend(&self) {
        self.0.world().clear_faults();
    }

    fn stall(&self, wait: Duration) {
        // The delay follows the newest number and the first page.
        self.0.fail_after("/issues?", 2, 1, Fault::Slow(wait));
    }

    fn limit_once(&self) {
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
        world.put_odd(&record);
    }

    fn restless(&self, pages: usize) {
        crate::sync::restless(&self.0, pages);
    }

    fn assert_same(&self, mirror: &Mirror) {
        crate::sync::assert_same(mirror, &self.0);
    }
}

/// Defines a bench on a fake tracker of this shape.
macro_rules! on {
    ($name:ident, $shape:ident, $key:literal, $idle:literal) => {
        pub struct $name(FakeTracker);

        impl Bench for $name {
            const IDLE: u64 = $idle;
            const TOUCHES: bool = true;

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

            fn comment_first(&self, number: u64) {
                // The comment is added after items are listed, and before comments are.
                self.0.content().hook = Some(Box::new(move |content, when| {
                    if when == "comments" && !content.items.contains_key(&number) {
                        content.put(number, "Late", NOW - 5);
                        content.say(5_000, number, "Early", NOW - 5);
                    }
                }));
            }

            fn item_later(&self, _number: u64) {
                self.0.content().hook = None;
            }

            fn break_down(&self) {
                self.0.content().trouble = Some((1, u32::MAX, Trouble::Status(502)));
            }

            fn mend(&self) {
                self.0.content().trouble = None;
            }

            fn stall(&self, wait: Duration) {
                self.0.content().trouble = Some((1, 1, Trouble::Slow(wait)));
            }

            fn limit_once(&self) {
                self.0.content().trouble = Some((1, 1, Trouble::Status(429)));
            }

            fn hide_comments(&self, hidden: bool) {
                self.0.content().hidden = hidden;
            }

            fn add_unknown(&self, number: u64) {
                let mut content = self.0.content();
                content.put(number, "Of another time", NOW - 9);
                content.items.get_mut(&number).unwrap().odd = true;
            }

            fn restless(&self, pages: usize) {
                self.0.content().hook = Some(Box::new(move |content, when| {
                    if when != "list" || content.lists > pages {
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

            fn assert_same(&self, mirror: &Mirror) {
                crate::sync::assert_same_content(mirror, &self.0);
            }
        }
    };
}

on!(OnGitLab, GitLab, "acme/app", 6);
on!(OnGitea, Gitea, "acme/app", 5);
on!(OnJiraCloud, JiraCloud, "127.0.0.1/APP", 5);
on!(OnJiraServer, JiraServer, "127.0.0.1/APP", 5);
// The list of changes has a resolution of one second, so the last change costs another request.
on!(OnRedmine, Redmine, "127.0.0.1/app", 6);
on!(OnLinear, Linear, "acme/KILN", 4);
on!(OnAzure, Azure, "acme/Kiln-App", 7);
on!(OnBugzilla, Bugzilla, "127.0.0.1/Kiln-App", 8);
on!(OnZendesk, Zendesk, "127.0.0.1/tickets", 4);
on!(OnDiscourse, Discourse, "127.0.0.1/topics", 3);

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
        ok(&mirror).await;
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
        ok(&mirror).await;
        assert_eq!(links().await, [], "{shape:?}");
    }
}

#[tokio::test]
async fn token_goes_only_to_its_tracker() {
    for shape in Shape::ALL {
        let fake = FakeTracker::new(shape, 3, 3);
        fake.content().token = Some("canary-token".to_owned());
        let mirror = Mirror::of_tracker(&fake, Some("canary-token"), false).await;
        ok(&mirror).await;
        assert!(
            fake.content()
                .log
                .iter()
                .all(|(_, l)| l.as_deref().is_some_and(|l| l.contains("canary-token")))
        );
        let access = mirror.casebook.test_source(&mirror.key().await, &Task::new()).await.unwrap();
        assert!(access.user.is_some() && access.refused.is_empty(), "{shape:?} {access:?}");
        fake.content().token = Some("another".to_owned());
        let report = sync(&mirror.casebook, &Task::new()).await;
        let problem = report.problem.unwrap();
        assert_eq!(problem.code, Code::Authentication, "{shape:?} {problem:?}");
        assert!(!format!("{problem:?}").contains("canary"));
        assert_eq!(
            crate::sync::files_with(&mirror.folder(), b"canary-token"),
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
    let report = ok(&mirror).await;
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
    let report = ok(&mirror).await;
    assert_eq!((report.updated, report.gone), (1, 1), "{report:?}");
    assert!(mirror.casebook.thread(&format!("{key}:Page_7")).await.unwrap().deleted_at.is_some());
}
