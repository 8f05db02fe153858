//! Tests of syncs with a fake GitHub: after any failure, the mirror equals the server, or the report
//! lists the gaps.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use jiff::Timestamp;
use precedent_core::{
    Code, Task,
    model::{GapKind, MirrorView, NewMirror, SyncReport, SyncRequest},
};
use precedent_engine::{Casebook, OpenOptions};
use precedent_index::embed::Engine;
use precedent_trackers::{
    http::{Sleep, Timing},
    secrets::{Secrets, TokenSource},
};
use serde_json::json;

use crate::{
    fake_github::{FakeGitHub, Fault, NOW, Records, Removal, github_source, violations},
    fake_tracker::FakeTracker,
    support::TestEnv,
};

/// A fake clock that advances only when someone waits.
#[derive(Default)]
struct FakeTime {
    now: AtomicI64,
    waits: Mutex<Vec<Duration>>,
    /// The time limit of a request, if it is not the default.
    request_timeout: Option<Duration>,
}

impl Timing for FakeTime {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(NOW + self.now.load(Ordering::SeqCst)).unwrap()
    }

    fn sleep(&self, wait: Duration) -> Sleep {
        self.now.fetch_add(i64::try_from(wait.as_secs()).unwrap(), Ordering::SeqCst);
        self.waits.lock().unwrap().push(wait);
        Box::pin(tokio::task::yield_now())
    }

    fn request_timeout(&self) -> Duration {
        self.request_timeout.unwrap_or(Duration::from_secs(120))
    }
}

/// A casebook with one live source.
pub struct Mirror {
    pub env: TestEnv,
    time: Arc<FakeTime>,
    pub casebook: Casebook,
}

const KEY: &str = "acme/app";

/// Returns options to open a casebook with this token for every tracker.
pub fn options(env: &TestEnv, token: Option<&'static str>) -> OpenOptions {
    let mut options = OpenOptions::new(env.casebook());
    options.engine = Some(Engine::Hashed);
    if let Some(token) = token {
        options.secrets = Secrets::default()
            .then_source(TokenSource::new("a test", move |_| Some(token.to_owned().into())));
    }
    options
}

impl Mirror {
    pub async fn of_github(github: &FakeGitHub) -> Self {
        Self::with_token(github, None).await
    }

    pub async fn with_token(github: &FakeGitHub, token: Option<&'static str>) -> Self {
        let mirror = Self::empty(token, None).await;
        mirror.casebook.add_tracker(github_source(KEY, &github.host, false)).await.unwrap();
        mirror
    }

    /// Creates a casebook without a source.
    pub async fn empty(token: Option<&'static str>, request_timeout: Option<Duration>) -> Self {
        let env = TestEnv::new();
        let time = Arc::new(FakeTime { request_timeout, ..FakeTime::default() });
        let mut options = options(&env, token);
        let clock = Arc::clone(&time);
        options.clock = Arc::new(move || clock.now());
        options.timing = Some(time.clone());
        let casebook = Casebook::open(options).await.unwrap();
        Self { env, time, casebook }
    }

    /// Creates a casebook with a fake tracker's project and a token, if the tracker requires one.
    pub async fn of_tracker(fake: &FakeTracker, token: Option<&'static str>, wiki: bool) -> Self {
        let mirror = Self::empty(token.or_else(|| fake.shape.default_token()), None).await;
        mirror.add(fake, wiki).await;
        mirror
    }

    /// Adds a fake tracker's project.
    pub async fn add(&self, fake: &FakeTracker, wiki: bool) {
        let new_mirror = NewMirror {
            tracker: fake.shape.tracker().to_owned(),
            place: fake.shape.project().to_owned(),
            host: Some(fake.host.clone()),
            key: None,
            wiki,
        };
        self.casebook.add_tracker(new_mirror).await.unwrap();
    }

    /// Returns the key of the first source.
    pub async fn key(&self) -> String {
        self.casebook.sources().await.unwrap()[0].key.clone()
    }

    /// Syncs every source, and returns the report of the last one.
    pub async fn sync(&self, full: bool) -> SyncReport {
        let request = SyncRequest { full, ..SyncRequest::default() };
        self.casebook.sync(request, &Task::new()).await.unwrap().pop().unwrap()
    }

    /// Syncs and asserts that no problem ended the sync.
    pub async fn sync_ok(&self) -> SyncReport {
        sync_ok(&self.casebook, false).await
    }

    async fn view(&self) -> MirrorView {
        self.casebook.mirrors().await.unwrap().pop().unwrap()
    }

    /// Returns the total wait since the previous call.
    pub fn take_waits(&self) -> Duration {
        self.time.waits.lock().unwrap().drain(..).sum()
    }

    pub fn advance_clock(&self, duration: Duration) {
        self.time.now.fetch_add(i64::try_from(duration.as_secs()).unwrap(), Ordering::SeqCst);
    }

    pub fn turn_back_clock(&self, duration: Duration) {
        self.time.now.fetch_sub(i64::try_from(duration.as_secs()).unwrap(), Ordering::SeqCst);
    }

    /// Returns the stored records without tombstones, in the form of [`FakeGitHub::content`].
    fn content(&self) -> (Records, Records) {
        let database = self.env.database();
        let rows = |query: &str| -> Records {
            let mut statement = database.prepare(query).unwrap();
            let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?))).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        (
            rows(
                "SELECT number, hex(raw_hash) FROM documents WHERE deleted_at IS NULL ORDER BY number",
            ),
            rows(
                "SELECT CAST(remote_id AS INTEGER) AS id, hex(raw_hash) FROM comments
                 WHERE deleted_at IS NULL AND remote_id NOT LIKE 'r%' ORDER BY id",
            ),
        )
    }
}

/// Returns the stored releases: name, whether it has a date, whether it is released, and the items
/// in its notes.
pub fn releases(env: &TestEnv) -> Vec<(String, bool, bool, Vec<u64>)> {
    let database = env.database();
    let mut statement = database
        .prepare(
            "SELECT r.name, r.released_at IS NOT NULL, r.is_released, group_concat(i.number) FROM releases r
             LEFT JOIN release_items i ON i.source_id = r.source_id AND i.name = r.name
             GROUP BY r.source_id, r.name ORDER BY r.name",
        )
        .unwrap();
    let rows = statement.query_map([], |row| {
        let items: Option<String> = row.get(3)?;
        let items = items.unwrap_or_default();
        let items: Vec<u64> = items.split(',').filter_map(|number| number.parse().ok()).collect();
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, items))
    });
    rows.unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

/// Syncs the only source and asserts that no problem ended the sync.
pub async fn sync_ok(casebook: &Casebook, full: bool) -> SyncReport {
    let request = SyncRequest { full, ..SyncRequest::default() };
    let report = casebook.sync(request, &Task::new()).await.unwrap().pop().unwrap();
    assert_eq!(report.problem, None, "{report:?}");
    report
}

/// Asserts that exactly these records are stored.
#[track_caller]
fn assert_stored<T: PartialEq>(kind: &str, stored_records: &[(u64, T)], expected: &[(u64, T)]) {
    let wrong_numbers = || {
        let numbers =
            expected.iter().filter(|record| !stored_records.contains(record)).map(|r| r.0);
        numbers.take(10).collect::<Vec<_>>()
    };
    let counts = (stored_records.len(), expected.len());
    assert!(
        stored_records == expected,
        "{kind}: {counts:?}; missing or different: {:?}",
        wrong_numbers()
    );
}

/// Asserts that the mirror equals the server byte for byte, and that every response matched
/// GitHub's schemas.
#[track_caller]
pub fn assert_equals_github(mirror: &Mirror, github: &FakeGitHub) {
    let ((items, comments), expected) = (mirror.content(), github.content());
    assert_stored("items", &items, &expected.0);
    assert_stored("comments", &comments, &expected.1);
    assert_eq!(github.world().schema_violations, Vec::<String>::new());
}

/// Asserts that the mirror equals the content of a fake tracker.
#[track_caller]
pub fn assert_equals_tracker(mirror: &Mirror, fake: &FakeTracker) {
    let database = mirror.env.database();
    let rows = |query: &str| -> Vec<(u64, (String, i64))> {
        let mut statement = database.prepare(query).unwrap();
        let rows = statement.query_map([], |r| Ok((r.get(0)?, (r.get(1)?, r.get(2)?)))).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    };
    let content = fake.content();
    let items: Vec<_> =
        content.items.iter().map(|(n, i)| (*n, (i.title.clone(), i.updated_at))).collect();
    let stored_records = rows(
        "SELECT number, title, updated_at FROM documents WHERE deleted_at IS NULL AND number IS NOT NULL ORDER BY 1",
    );
    assert_stored("items", &stored_records, &items);
    let comments: Vec<_> =
        content.comments.iter().map(|(id, c)| (*id, (c.body.clone(), c.number as i64))).collect();
    let stored_records = rows(
        "SELECT CAST(remote_id AS INTEGER) AS id, trim(body, char(10)), number FROM comments WHERE deleted_at IS NULL ORDER BY id",
    );
    assert_stored("comments", &stored_records, &comments);
}

pub fn has_gap(report: &SyncReport, kind: GapKind) -> bool {
    report.gaps.iter().any(|gap| gap.kind == kind)
}

fn github(items: u64, comments: u64) -> FakeGitHub {
    let github = FakeGitHub::new(KEY);
    github.world().fill(items, comments);
    github
}

#[test]
fn schemas_detect_violations() {
    let github = FakeGitHub::new(KEY);
    let valid_issue = github.world().issue(1, "x", NOW);
    assert_eq!(violations("issue", &valid_issue), Vec::<String>::new());
    for changes in [
        json!({"number": "1"}),
        json!({"title": null}),
        json!({"state_reason": "moon"}),
        json!({"url": "no address"}),
    ] {
        let mut invalid_issue = valid_issue.clone();
        for (key, value) in changes.as_object().unwrap() {
            invalid_issue[key] = value.clone();
        }
        assert!(!violations("issue", &invalid_issue).is_empty(), "{changes}");
    }
}

#[tokio::test]
async fn second_sync_reads_only_changes() {
    let github = github(250, 320);
    let mirror = Mirror::of_github(&github).await;
    let report = mirror.sync_ok().await;
    assert_eq!((report.items, report.comments, report.new), (250, 320, 570));
    assert_equals_github(&mirror, &github);
    // Requests: the repository, the newest number, three pages of items, four of comments, and one
    // each of review comments, releases, milestones and tags.
    assert_eq!((report.requests, github.requests().len()), (13, 13));
    assert!(report.gaps.iter().all(|g| g.kind == GapKind::Deletions), "{:?}", report.gaps);

    github.world().edit(
        7,
        json!({"title": "Edited", "state": "closed", "closed_at": "2026-06-01T00:00:00Z"}),
    );
    github.world().edit_comment(300, "Edited, too.");
    let report = mirror.sync_ok().await;
    assert_eq!((report.new, report.updated, report.requests), (0, 2, 6));
    assert_equals_github(&mirror, &github);

    // Nothing changed, so conditional requests are answered without a body.
    mirror.sync_ok().await;
    github.requests();
    let report = mirror.sync_ok().await;
    assert_eq!((report.new, report.updated, report.unchanged), (0, 0, 0));
    let log = github.requests();
    assert_eq!(log.iter().filter(|l| l.status == 304).count(), 5, "{log:?}");
    // A stored `ETag` must not hide a later change.
    github.world().edit(9, json!({"title": "Edited later"}));
    mirror.sync_ok().await;
    assert_equals_github(&mirror, &github);
}

#[tokio::test]
async fn releases_and_planned_milestones_are_mirrored() {
    let github = github(3, 0);
    let notes =
        "* Stop in time by @ada in https://github.com/acme/app/pull/2\n* Revert the valve (#3)";
    {
        let mut world = github.world();
        let releases =
            (1..=60).rev().map(|n| world.release(&format!("v1.{n}.0"), notes, NOW - 1_000 + n));
        let mut releases: Vec<_> = releases.collect();
        releases[0]["draft"] = true.into();
        world.releases = releases;
        world.milestones = vec![world.milestone("v1.61.0"), world.milestone("Backlog")];
    }
    let mirror = Mirror::of_github(&github).await;
    mirror.sync_ok().await;
    let stored_releases = releases(&mirror.env);
    assert_eq!(stored_releases.len(), 60);
    assert_eq!(stored_releases[0], ("v1.1.0".to_owned(), true, true, vec![2]));
    let planned: Vec<_> = stored_releases.iter().filter(|r| !r.2).map(|r| r.0.as_str()).collect();
    assert_eq!(planned, ["v1.61.0"]);

    // A release replaces its milestone. Small pages are read up to the first one without news.
    {
        let mut world = github.world();
        let release = world.release("1.61.0", "Fixes #1.", NOW);
        world.releases.insert(0, release);
    }
    github.requests();
    mirror.sync_ok().await;
    let log = github.requests();
    assert_eq!(
        log.iter().filter(|l| l.address.contains("/releases?per_page=10")).count(),
        2,
        "{log:?}"
    );
    let stored_releases = releases(&mirror.env);
    assert_eq!(stored_releases[0], ("1.61.0".to_owned(), true, true, vec![1]));
    assert!(stored_releases.iter().all(|r| r.2), "{stored_releases:?}");
    mirror.sync(true).await;
    let pages =
        github.requests().into_iter().filter(|l| l.address.contains("/releases?per_page=50"));
    assert_eq!(pages.count(), 2);

    // A sync succeeds with a token that may not read releases.
    github.world().forbidden_lists = vec!["/releases"];
    mirror.sync_ok().await;
    assert_eq!(releases(&mirror.env), stored_releases);
    assert_eq!(github.world().schema_violations, Vec::<String>::new());
}

#[tokio::test]
async fn network_faults_leave_the_same_content() {
    let limit =
        |message: &str| json!({"message": message, "documentation_url": "https://docs.github.com"});
    let secondary = limit("You have exceeded a secondary rate limit. Please wait a few minutes.");
    let minute = Duration::from_secs(60);
    let second = Duration::from_secs(1);
    // Columns: name, consecutive failures, fault, minimum and maximum wait.
    for (name, times, fault, min_wait, max_wait) in [
        (
            "502",
            2,
            Fault::Status(502, vec![], json!({"message": "Server Error"})),
            second,
            10 * second,
        ),
        (
            "503 with a time",
            1,
            Fault::Status(503, vec![("retry-after", "7".into())], json!({})),
            7 * second,
            7 * second,
        ),
        ("429", 1, Fault::Status(429, vec![], limit("slow down")), minute, minute),
        (
            "429 with a time",
            1,
            Fault::Status(429, vec![("retry-after", "9".into())], limit("slow")),
            9 * second,
            9 * second,
        ),
        ("secondary", 2, Fault::Status(403, vec![], secondary.clone()), 3 * minute, 3 * minute),
        (
            "secondary with a time",
            1,
            Fault::Status(403, vec![("retry-after", "30".into())], secondary),
            30 * second,
            30 * second,
        ),
        (
            "primary",
            1,
            Fault::Status(
                403,
                vec![
                    ("x-ratelimit-remaining", "0".into()),
                    ("x-ratelimit-reset", (NOW + 1_800).to_string()),
                ],
                limit("API rate limit exceeded"),
            ),
            29 * minute,
            31 * minute,
        ),
        ("a cut body", 2, Fault::Disconnect, second, 10 * second),
        ("half a body", 1, Fault::Truncated, Duration::ZERO, 10 * second),
        (
            "another page expired",
            1,
            Fault::Status(422, vec![], limit("expired")),
            Duration::ZERO,
            second,
        ),
    ] {
        for address in ["/issues?state=all&sort=updated", "after=", "/issues/comments?"] {
            let github = github(220, 130);
            // The fault hits the list of changes, not the preceding request for the newest number.
            github.fail(address, times, fault.clone());
            let mirror = Mirror::of_github(&github).await;
            if name == "another page expired" && address != "after=" {
                // The first page cannot expire.
                continue;
            }
            let report = mirror.sync_ok().await;
            assert_equals_github(&mirror, &github);
            let wait = mirror.take_waits();
            assert!(wait >= min_wait && wait <= max_wait, "{name} on {address}: waited {wait:?}");
            assert!(
                !has_gap(&report, GapKind::Unfinished) && !has_gap(&report, GapKind::Ended),
                "{name} on {address}"
            );
        }
    }
}

#[tokio::test]
async fn oversized_page_is_halved() {
    let github = github(330, 10);
    // Every request for a hundred records at this position fails, however often it is repeated.
    github.fail_after("per_page=100&after=", 0, 4, Fault::Status(502, vec![], json!({})));
    github.fail("per_page=50", 4, Fault::Status(504, vec![], json!({})));
    let mirror = Mirror::of_github(&github).await;
    mirror.sync_ok().await;
    assert_equals_github(&mirror, &github);
    let log = github.requests();
    assert!(log.iter().any(|l| l.address.contains("per_page=25") && l.status == 200), "{log:#?}");
}

#[tokio::test]
async fn lasting_outage_keeps_the_received_records() {
    let github = github(450, 10);
    github.fail_after(
        "after=",
        1,
        10_000,
        Fault::Status(502, vec![], json!({"message": "Server Error"})),
    );
    let mirror = Mirror::of_github(&github).await;
    let report = mirror.sync(false).await;
    let problem = report.problem.as_ref().unwrap();
    assert_eq!(problem.code(), Code::Network, "{problem:?}");
    assert!(problem.to_string().contains("502"), "{problem:?}");
    assert_eq!(report.items, 200);
    assert!(has_gap(&report, GapKind::Unfinished) && has_gap(&report, GapKind::Ended));
    let view = mirror.view().await;
    assert!(view.streams[0].finished_at.is_none() && view.streams[0].watermark.is_some());

    github.world().clear_faults();
    let report = mirror.sync_ok().await;
    // The sync resumes from its last position.
    assert_eq!(report.items, 250);
    assert_equals_github(&mirror, &github);
}

#[tokio::test]
async fn endless_rate_limit_is_reported() {
    let github = github(220, 10);
    github.fail_after(
        "after=",
        1,
        1_000,
        Fault::Status(429, vec![], json!({"message": "slow down"})),
    );
    let mirror = Mirror::of_github(&github).await;
    let report = mirror.sync(false).await;
    assert_eq!(report.problem.unwrap().code(), Code::RateLimited);
    // The waits are 1, 2, 4, … minutes, and then the sync ends.
    assert_eq!(mirror.take_waits(), Duration::from_secs(63 * 60));
    github.world().clear_faults();
    // A requested wait of a day ends the sync.
    github.fail("after=", 1, Fault::Status(429, vec![("retry-after", "86400".into())], json!({})));
    let report = mirror.sync(false).await;
    let problem = report.problem.unwrap();
    assert!(
        problem.code() == Code::RateLimited && problem.to_string().contains("1440 minutes"),
        "{problem:?}"
    );
    mirror.sync_ok().await;
    assert_equals_github(&mirror, &github);
}

/// Edits records after each page up to `last_page`, including records on pages already read.
pub fn edit_during_paging(github: &FakeGitHub, last_page: usize) {
    github.world().after_page = Some(Box::new(move |world, page| {
        if page > last_page {
            return;
        }
        let (numbers, ids) = (world.numbers(), world.comment_ids());
        for k in 0..7_u64 {
            let pick = |n: usize| (page as u64 * 37 + k * 61) as usize % n;
            world.edit(
                numbers[pick(numbers.len())],
                json!({"title": format!("Edited on page {page}")}),
            );
            world.edit_comment(ids[pick(ids.len())], &format!("Edited on page {page}"));
        }
        // The new item has the same second as the last edit.
        let (number, now) = (numbers.len() as u64 + 1_000, world.now);
        let new_issue = world.issue(number, "New while pages were read", now);
        if !numbers.contains(&number) {
            world.put(&new_issue);
        }
    }));
}

#[tokio::test]
async fn edits_during_paging_lose_nothing() {
    for has_page_numbers in [false, true] {
        let github = github(730, 640);
        github.world().has_page_numbers = has_page_numbers;
        edit_during_paging(&github, 14);
        let mirror = Mirror::of_github(&github).await;
        mirror.sync_ok().await;
        // Items that changed while the list was read arrive with the next sync, without further
        // requests.
        edit_during_paging(&github, 0);
        mirror.sync_ok().await;
        assert_equals_github(&mirror, &github);
        let pages = github.world().page_count();
        edit_during_paging(&github, pages + 12);
        mirror.sync_ok().await;
        github.world().after_page = None;
        mirror.sync_ok().await;
        assert_equals_github(&mirror, &github);
    }
}

#[tokio::test]
async fn pages_of_records_with_one_time_are_complete() {
    for has_page_numbers in [false, true] {
        let github = FakeGitHub::new(KEY);
        {
            let mut world = github.world();
            world.has_page_numbers = has_page_numbers;
            for number in 1..=530 {
                // 350 items share one second, after 90 others.
                let second = if (91..=440).contains(&number) {
                    NOW - 5_000
                } else {
                    NOW - 10_000 + 10 * number as i64
                };
                let issue = world.issue(number, "Changed all at once", second);
                world.put(&issue);
            }
            // Edits shift the page borders within that second.
            let mut moves_left = 3;
            world.after_page = Some(Box::new(move |world, page| {
                if page > 1 && moves_left > 0 {
                    moves_left -= 1;
                    for n in 0..5 {
                        world.edit(100 + moves_left * 7 + n, json!({"title": "Moved away"}));
                    }
                }
            }));
        }
        let mirror = Mirror::of_github(&github).await;
        mirror.sync_ok().await;
        assert_equals_github(&mirror, &github);
    }
}

#[tokio::test]
async fn page_limit_of_the_server_loses_nothing() {
    let github = github(950, 700);
    {
        let mut world = github.world();
        world.has_page_numbers = true;
        world.page_limit = Some(300);
    }
    let mirror = Mirror::of_github(&github).await;
    mirror.sync_ok().await;
    assert_equals_github(&mirror, &github);
}

#[tokio::test]
async fn expired_link_resumes_at_the_watermark() {
    let github = github(450, 0);
    github.fail_after("after=", 2, 10_000, Fault::Status(500, vec![], json!({})));
    let mirror = Mirror::of_github(&github).await;
    assert_eq!(mirror.sync(false).await.items, 300);
    {
        let mut world = github.world();
        world.clear_faults();
        world.generation += 1;
        world.edit(3, json!({"title": "Edited in between"}));
    }
    let report = mirror.sync_ok().await;
    // The watermark is inclusive: the record of its second is read again.
    assert_eq!((report.items, report.unchanged), (152, 1));
    assert_equals_github(&mirror, &github);
}

#[tokio::test]
async fn odd_records_do_not_stop_a_sync() {
    let github = github(20, 20);
    {
        let mut world = github.world();
        let mut ghost = world.issue(30, "Written by nobody", NOW - 10);
        ghost["user"] = json!(null);
        ghost["comments"] = json!(17);
        world.put(&ghost);
        let mut unknown_issue = world.issue(31, "Of another time", NOW - 9);
        unknown_issue["odd"] = json!(true);
        unknown_issue["state"] = json!("simmering");
        unknown_issue["state_reason"] = json!("moon phase");
        unknown_issue["new_field"] = json!({"deep": [1, 2, 3]});
        world.put_unchecked(&unknown_issue);
        let mut invalid_issue = world.issue(32, "No title", NOW - 8);
        invalid_issue["odd"] = json!(true);
        invalid_issue["title"] = json!(null);
        world.put_unchecked(&invalid_issue);
        // The item of this comment is not in the list.
        let orphan = world.comment(900, 777, "Where am I?", NOW - 7);
        world.put(&orphan);
    }
    let mirror = Mirror::of_github(&github).await;
    let report = mirror.sync_ok().await;
    assert_eq!((report.items, report.comments, report.skipped), (22, 21, 1));
    assert!(report.skips[0].reason.contains("title"), "{:?}", report.skips);
    for kind in [GapKind::Unreadable, GapKind::MissingComments, GapKind::OrphanComments] {
        assert!(has_gap(&report, kind), "{kind:?}: {:?}", report.gaps);
    }
    let thread = mirror.casebook.thread("acme/app#30").await.unwrap();
    assert_eq!((thread.author, thread.missing_comments), (None, 17));
    assert_eq!(
        mirror.casebook.thread("acme/app#31").await.unwrap().state_reason.as_deref(),
        Some("moon phase")
    );
}

#[tokio::test]
async fn comments_may_arrive_before_their_item() {
    let github = github(3, 0);
    let comment = github.world().comment(5, 9, "Early", NOW - 5);
    github.world().put(&comment);
    let mirror = Mirror::of_github(&github).await;
    assert!(has_gap(&mirror.sync_ok().await, GapKind::OrphanComments));
    let issue = github.world().issue(9, "Late", NOW - 4);
    github.world().put(&issue);
    let report = mirror.sync_ok().await;
    assert!(!has_gap(&report, GapKind::OrphanComments));
    assert_eq!(mirror.casebook.thread("acme/app#9").await.unwrap().comments.len(), 1);
}

#[tokio::test]
async fn renamed_project_keeps_its_key() {
    let github = github(150, 30);
    let mirror = Mirror::of_github(&github).await;
    mirror.sync_ok().await;
    github.world().rename("acme/rocket");
    github.world().edit(5, json!({"title": "Under the new name"}));
    let report = mirror.sync_ok().await;
    assert_eq!(report.renamed_to.as_deref(), Some("acme/rocket"));
    assert_eq!(mirror.view().await.project, "acme/rocket");
    assert_eq!(mirror.casebook.thread("acme/app#5").await.unwrap().title, "Under the new name");
    // Later requests use the new name.
    github.requests();
    mirror.sync_ok().await;
    assert!(github.requests().iter().all(|l| l.address.contains("acme/rocket") && l.status != 301));

    // A rename during a sync is handled, too.
    let github = self::github(350, 30);
    github.world().after_page = Some(Box::new(|world, page| {
        if page == 2 {
            world.rename("acme/rocket");
        }
    }));
    let mirror = Mirror::of_github(&github).await;
    let report = mirror.sync_ok().await;
    assert_eq!((report.items, report.comments, report.gone, report.skipped), (350, 30, 0, 0));

    // Another project under the old name is rejected.
    let github = self::github(10, 0);
    let mirror = Mirror::of_github(&github).await;
    mirror.sync_ok().await;
    github.world().id += 1;
    let report = mirror.sync(false).await;
    assert!(report.problem.unwrap().to_string().contains("different project"));
}

#[tokio::test]
async fn deleted_or_transferred_items_are_marked() {
    let github = github(120, 240);
    let mirror = Mirror::of_github(&github).await;
    mirror.sync_ok().await;
    {
        let mut world = github.world();
        world.remove(3, Removal::Deleted);
        world.remove(4, Removal::NoAccess);
        let mut moved_issue = world.issue(88, "Elsewhere", NOW);
        for name in ["url", "repository_url"] {
            moved_issue[name] =
                moved_issue[name].as_str().unwrap().replace("acme/app", "acme/other").into();
        }
        world.remove(5, Removal::Transferred(moved_issue));
        world.remove_comment(7);
    }
    // A list of changes does not show deletions …
    let report = mirror.sync_ok().await;
    assert_eq!(report.gone, 0);
    // … but a week later the open items are compared, with one list and three requests.
    mirror.advance_clock(Duration::from_secs(8 * 24 * 3600));
    github.requests();
    let report = mirror.sync_ok().await;
    assert_eq!(report.gone, 3);
    let log = github.requests();
    assert_eq!(log.iter().filter(|l| l.address.contains("state=open")).count(), 2);
    for (key, link) in
        [("acme/app#3", None), ("acme/app#4", None), ("acme/app#5", Some("acme/other#88"))]
    {
        let thread = mirror.casebook.thread(key).await.unwrap();
        assert!(thread.deleted_at.is_some(), "{key}");
        assert_eq!(thread.links.first().map(|l| l.key.as_str()), link, "{key}");
    }
    // A full sync finds the other deleted items.
    let report = mirror.sync(true).await;
    assert_eq!((report.problem.clone(), report.gone), (None, 1), "{report:?}");
    // Comments of deleted items are kept, as on the server.
    assert_equals_github(&mirror, &github);
}

#[tokio::test]
async fn lost_permission_is_reported_and_the_rest_syncs() {
    let github = github(130, 40);
    github.world().token = Some("canary-token".to_owned());
    github.world().forbidden_lists = vec!["/issues/comments"];
    let mirror = Mirror::with_token(&github, Some("canary-token")).await;
    let report = mirror.sync_ok().await;
    assert_eq!((report.items, report.comments), (130, 0));
    let gap = report.gaps.iter().find(|g| g.kind == GapKind::Refused).unwrap();
    assert!(
        gap.hint.text.starts_with("Comments:") && gap.hint.text.contains("no permission to read"),
        "{gap:?}"
    );
    assert_eq!(mirror.view().await.streams[1].watermark, None);
    // Once access is granted again, the list continues from its old position.
    github.world().forbidden_lists.clear();
    let report = mirror.sync_ok().await;
    assert_eq!(report.comments, 40);
    assert!(!has_gap(&report, GapKind::Refused));
    assert_equals_github(&mirror, &github);

    // A revoked token must not delete any record or sync position.
    for (token, code) in [(Some("revoked"), Code::Authentication), (None, Code::NotFound)] {
        let casebook = Casebook::open(options(&mirror.env, token)).await.unwrap();
        let request = SyncRequest { full: true, ..SyncRequest::default() };
        let report = casebook.sync(request, &Task::new()).await.unwrap().pop().unwrap();
        let problem = report.problem.unwrap();
        assert_eq!(problem.code(), code, "{problem:?}");
        assert!(problem.hint().is_some());
    }
    assert_equals_github(&mirror, &github);
}

#[tokio::test]
async fn cancelled_sync_stops_within_a_second() {
    for fault in [
        Fault::Slow(Duration::from_secs(30)),
        Fault::Status(429, vec![("retry-after", "600".into())], json!({})),
    ] {
        let github = github(350, 0);
        github.fail_after("after=", 1, 1, fault);
        let mirror = Mirror::of_github(&github).await;
        // The real clock is used here, so that the waits are real.
        let casebook = Casebook::open(options(&mirror.env, None)).await.unwrap();
        let task = Task::new();
        let cancel = task.clone();
        let cancelled_at = Arc::new(Mutex::new(None));
        let shared_time = Arc::clone(&cancelled_at);
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(1_500)).await;
            *shared_time.lock().unwrap() = Some(Instant::now());
            cancel.cancel();
        });
        let report = casebook.sync(SyncRequest::default(), &task).await.unwrap().pop().unwrap();
        assert!(cancelled_at.lock().unwrap().unwrap().elapsed() < Duration::from_secs(1));
        assert_eq!(report.problem.unwrap().code(), Code::Cancelled);
        assert_eq!(report.items, 200);
        assert_eq!(mirror.sync_ok().await.items, 150);
        assert_equals_github(&mirror, &github);
    }
}

#[tokio::test]
async fn circular_page_links_are_reported() {
    let github = github(250, 0);
    let mirror = Mirror::of_github(&github).await;
    // The invented item is older than all others: it must not move the watermark past real items.
    let body = github.world().issue(1, "Again and again", NOW - 2_000_000);
    let link = format!(
        "<{}/api/v3/repositories/4711/issues?after=x&sort=updated>; rel=\"next\"",
        github.host
    );
    github.fail("sort=updated", 1_000, Fault::Status(200, vec![("link", link)], json!([body])));
    let report = mirror.sync(false).await;
    assert!(report.problem.unwrap().to_string().contains("repeats itself"));
    github.world().clear_faults();
    // The stored position is discarded when the tracker refuses it.
    mirror.sync_ok().await;
    assert_equals_github(&mirror, &github);
}

#[tokio::test]
async fn invalid_pages_and_foreign_links_are_rejected() {
    let github = github(50, 0);
    let mirror = Mirror::of_github(&github).await;
    github.fail("sort=updated", 3, Fault::Html);
    let report = mirror.sync(false).await;
    let problem = report.problem.unwrap();
    assert!(problem.to_string().contains("unexpected response"), "{problem:?}");
    let link = "<https://evil.example/repositories/4711/issues?after=x>; rel=\"next\"".to_owned();
    github.fail("sort=updated", 1, Fault::Status(200, vec![("link", link)], json!([])));
    let report = mirror.sync(false).await;
    assert!(report.problem.unwrap().to_string().contains("another host"));
    mirror.sync_ok().await;
    assert_equals_github(&mirror, &github);
}

#[tokio::test]
async fn redirect_to_another_host_is_never_followed() {
    let github = github(20, 0);
    github.world().token = Some("canary-token".to_owned());
    let other_host = FakeGitHub::new(KEY);
    other_host.world().fill(20, 0);
    let mirror = Mirror::with_token(&github, Some("canary-token")).await;
    let target = format!(
        "{}/api/v3/repos/acme/app/issues?state=all&sort=updated&direction=asc",
        other_host.host
    );
    for status in [301, 302, 307, 308] {
        let fault = Fault::Redirect(status, target.clone());
        github.fail("/issues?state=all&sort=updated", 1, fault);
        let problem = mirror.sync(false).await.problem.unwrap();
        assert!(problem.to_string().contains("redirects to another host"), "{status}: {problem:?}");
        assert_eq!(other_host.requests().len(), 0, "{status}");
        assert!(
            github
                .requests()
                .iter()
                .all(|l| l.authorization.as_deref() == Some("Bearer canary-token"))
        );
    }
    // A redirect loop is reported.
    github.fail(
        "/repos/acme/app",
        100,
        Fault::Redirect(302, format!("{}/api/v3/repos/acme/app", github.host)),
    );
    assert!(mirror.sync(false).await.problem.unwrap().to_string().contains("too many redirects"));
}

#[tokio::test]
async fn foreign_casebook_never_redirects_the_token() {
    let github = github(5, 0);
    let mirror = Mirror::with_token(&github, Some("canary-token")).await;
    let database = mirror.env.database();
    database.execute("UPDATE remotes SET host = 'github.com'", []).unwrap();
    let request = SyncRequest::default();
    let reports = mirror.casebook.sync(request, &Task::new()).await.unwrap();
    assert_eq!(reports[0].problem.as_ref().map(precedent_core::Error::code), Some(Code::Corrupt));
    // A next page written into the database by an attacker is not fetched.
    database
        .execute("UPDATE remotes SET host = ?1", [github.host.trim_start_matches("http://")])
        .unwrap();
    let other_host = FakeGitHub::new(KEY);
    database
        .execute(
            "INSERT INTO streams (source_id, name, next_page) VALUES (1, 'items', ?1)",
            [format!("{}/api/v3/repos/acme/app/issues", other_host.host)],
        )
        .unwrap();
    mirror.sync_ok().await;
    assert!(other_host.requests().is_empty());
    assert_equals_github(&mirror, &github);
}

#[tokio::test]
async fn same_source_never_syncs_twice_at_once() {
    let (github, other_github) = (github(250, 0), FakeGitHub::new("acme/other"));
    other_github.world().fill(30, 10);
    github.fail_after("after=", 0, 1, Fault::Slow(Duration::from_millis(1_500)));
    let mirror = Mirror::of_github(&github).await;
    mirror
        .casebook
        .add_tracker(github_source("acme/other", &other_github.host, false))
        .await
        .unwrap();
    let casebook = mirror.casebook.clone();
    let slow_sync = tokio::spawn(async move {
        let request = SyncRequest { sources: vec![KEY.to_owned()], ..SyncRequest::default() };
        casebook.sync(request, &Task::new()).await.unwrap().pop().unwrap()
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(mirror.casebook.mirrors().await.unwrap()[0].running);
    let start = Instant::now();
    let reports = mirror.casebook.sync(SyncRequest::default(), &Task::new()).await.unwrap();
    assert!(start.elapsed() < Duration::from_millis(900));
    assert_eq!(reports[0].problem.as_ref().unwrap().code(), Code::Busy);
    assert_eq!((reports[1].problem.as_ref(), reports[1].items), (None, 30));
    let report = slow_sync.await.unwrap();
    assert_eq!((report.problem, report.items), (None, 250));
    let request = SyncRequest { sources: vec![KEY.to_owned()], ..SyncRequest::default() };
    let report = mirror.casebook.sync(request, &Task::new()).await.unwrap().pop().unwrap();
    assert!(report.problem.is_none() && !has_gap(&report, GapKind::Ended), "{report:?}");
}

#[tokio::test]
async fn failing_source_does_not_stop_another() {
    let (github, other_github) = (github(30, 0), FakeGitHub::new("acme/other"));
    other_github.world().fill(30, 10);
    let mirror = Mirror::of_github(&github).await;
    mirror
        .casebook
        .add_tracker(github_source("acme/other", &other_github.host, false))
        .await
        .unwrap();
    drop(github);
    let reports = mirror.casebook.sync(SyncRequest::default(), &Task::new()).await.unwrap();
    let problem = reports[0].problem.as_ref().unwrap();
    assert!(
        problem.code() == Code::Network && problem.to_string().contains("cannot reach"),
        "{problem:?}"
    );
    assert_eq!(
        (reports[1].problem.as_ref(), reports[1].items, reports[1].comments),
        (None, 30, 10)
    );
}

#[tokio::test]
async fn imported_source_becomes_live() {
    let github = github(40, 20);
    let mirror = {
        let env = TestEnv::new();
        let lines: String = {
            let world = github.world();
            (1..=25)
                .map(|n| {
                    format!(
                        "{}\n",
                        world.issue(n, &format!("Trouble {n} with the pump"), NOW - 2_000_000)
                    )
                })
                .collect()
        };
        let path = env.file("in.jsonl", lines);
        let time = Arc::new(FakeTime::default());
        let mut options = options(&env, None);
        options.timing = Some(time.clone());
        let casebook = Casebook::open(options).await.unwrap();
        casebook.import_github(KEY, &path, &Task::new()).await.unwrap();
        let request = SyncRequest { sources: vec![KEY.to_owned()], ..SyncRequest::default() };
        let error = casebook.sync(request, &Task::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidInput);
        assert!(error.hint().unwrap().to_string().contains("source add github:acme/app"));
        casebook.add_tracker(github_source(KEY, &github.host, false)).await.unwrap();
        Mirror { env, time, casebook }
    };
    let report = mirror.sync_ok().await;
    assert_eq!((report.new, report.updated), (35, 25));
    assert_equals_github(&mirror, &github);
    let error =
        mirror.casebook.add_tracker(github_source(KEY, "github.com", false)).await.unwrap_err();
    assert!(error.to_string().contains("mirrored from"), "{error}");
}

#[tokio::test]
async fn review_comments_have_their_own_ids() {
    let github = github(5, 5);
    {
        let mut world = github.world();
        let mut pull = world.issue(9, "Mend the pump", NOW - 100);
        pull["pull_request"] = json!({"url": pull["url"], "html_url": pull["html_url"], "diff_url": pull["url"], "patch_url": pull["url"]});
        world.put(&pull);
        // The review comment has the same id as another comment.
        let review = world.review(3, 9, "This valve leaks.", NOW - 90);
        world.put(&review);
    }
    let mirror = Mirror::of_github(&github).await;
    let report = mirror.sync_ok().await;
    assert_eq!((report.comments, report.skipped), (6, 0));
    assert!(report.gaps.iter().all(|g| g.kind == GapKind::Deletions), "{:?}", report.gaps);
    let thread = mirror.casebook.thread("acme/app#9").await.unwrap();
    assert_eq!(
        (thread.comments[0].markdown.as_str(), thread.missing_comments),
        ("This valve leaks.", 0)
    );
    assert_equals_github(&mirror, &github);
    // A full sync checks review comments like others.
    let report = mirror.sync(true).await;
    assert_eq!((report.problem, report.gone), (None, 0));
}

#[tokio::test]
async fn tracker_duplicate_marks_become_links() {
    for lacks_reason in [false, true] {
        let github = github(130, 0);
        {
            let mut world = github.world();
            world.token = Some("canary-token".to_owned());
            world.lacks_duplicate_reason = lacks_reason;
            for number in 1..=120 {
                world.edit(number, json!({"state": "closed", "closed_at": "2026-06-01T00:00:00Z"}));
            }
            world.relations.insert(7, (Some(3), None));
            world.relations.insert(8, (None, Some(125)));
        }
        let mirror = Mirror::with_token(&github, Some("canary-token")).await;
        let report = mirror.sync_ok().await;
        assert!(!has_gap(&report, GapKind::Links), "{:?}", report.gaps);
        let links = async |key: &str| -> Vec<(String, bool, String)> {
            let thread = mirror.casebook.thread(key).await.unwrap();
            thread.links.into_iter().map(|l| (l.kind, l.outgoing, l.key)).collect()
        };
        assert_eq!(
            links("acme/app#7").await,
            [("duplicate_of".to_owned(), true, "acme/app#3".to_owned())]
        );
        assert_eq!(
            links("acme/app#8").await,
            [("closes".to_owned(), false, "acme/app#125".to_owned())]
        );
        // 120 issues take three requests, one more on an old server; later syncs only ask for
        // changed issues.
        let graphql_requests =
            || github.requests().iter().filter(|l| l.address.contains("graphql")).count();
        assert_eq!(graphql_requests(), if lacks_reason { 4 } else { 3 });
        github.world().relations.remove(&7);
        github.world().edit(7, json!({"title": "Not a duplicate after all"}));
        mirror.sync_ok().await;
        assert_eq!(graphql_requests(), if lacks_reason { 2 } else { 1 });
        assert_eq!(links("acme/app#7").await, []);
    }
    // Without a token GitHub refuses this request, and the report says so.
    let github = github(3, 0);
    github.world().edit(2, json!({"state": "closed", "closed_at": "2026-06-01T00:00:00Z"}));
    let mirror = Mirror::of_github(&github).await;
    assert!(has_gap(&mirror.sync_ok().await, GapKind::Links));
}

/// Returns all files below a folder that contain these bytes.
pub fn files_with(folder: &std::path::Path, needle: &[u8]) -> Vec<String> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(files_with(&path, needle));
        } else if std::fs::read(&path).unwrap().windows(needle.len()).any(|w| w == needle) {
            out.push(path.display().to_string());
        }
    }
    out
}

const CANARY: &str = "ghp_canary0123456789";

#[test]
fn cli_output_never_shows_the_token() {
    let github = github(120, 60);
    github.world().token = Some(CANARY.to_owned());
    let env = TestEnv::new();
    let run_command = |args: &[&str]| {
        let mut command = env.command(args);
        command.env("GH_ENTERPRISE_TOKEN", CANARY).env("GH_HOST", &github.host);
        crate::support::Run::from(command.output().unwrap())
    };
    let mut output = String::new();
    let mut ok = |args: &[&str]| {
        let run = run_command(args);
        assert_eq!(run.code, Some(0), "{args:?}\n{}\n{}", run.out, run.err);
        output.push_str(&run.out);
        output.push_str(&run.err);
        run
    };
    let run = ok(&["source", "add", "github:acme/app", "--host", &github.host]);
    assert!(run.err.contains("precedent sync acme/app"), "{}", run.err);
    let run = ok(&["source", "test", "acme/app"]);
    assert!(run.out.contains("connected as ada") && run.out.contains("can be read"), "{}", run.out);
    let run = ok(&["sync"]);
    assert!(run.err.contains("acme/app: 120 items, 60 comments"), "{}", run.err);
    let run = ok(&["sync", "acme/app", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["sources"][0]["problem"], json!(null), "{report}");
    let run = ok(&["status"]);
    assert!(
        run.out.contains("synced ") && run.out.contains("deleted or transferred"),
        "{}",
        run.out
    );
    let status: serde_json::Value = serde_json::from_str(&ok(&["status", "--json"]).out).unwrap();
    assert_eq!(status["mirrors"][0]["streams"][1]["name"], "comments");
    let run = ok(&["search", "mode:lexical valve", "--json=key"]);
    assert!(run.out.contains("acme/app#"), "{}", run.out);

    // A refused token gives exit code 4 and a hint; no output contains the token.
    github.world().token = Some("another".to_owned());
    for run in [run_command(&["sync"]), run_command(&["source", "test", "acme/app"])] {
        assert_eq!(run.code, Some(4), "{}", run.err);
        run.assert_stderr(&["does not accept the token", "hint:"]);
        output.push_str(&run.err);
    }
    github.fail("/repos/", 1, Fault::Html);
    output.push_str(&run_command(&["sync"]).err);
    let run = env.run(&["sync"]);
    assert_eq!(run.code, Some(1), "GitHub hides private projects without a token: {}", run.err);
    assert!(run.err.contains("GH_TOKEN"), "{}", run.err);
    assert!(!output.contains(CANARY) && !output.contains("canary"), "{output}");
    assert_eq!(files_with(&env.casebook(), CANARY.as_bytes()), Vec::<String>::new());
    // The token was sent, so the test would see a leak.
    let bearer = format!("Bearer {CANARY}");
    assert!(github.requests().iter().any(|l| l.authorization.as_deref() == Some(&bearer)));

    for (args, code) in [
        (&["source", "add", "bugs:acme/app"][..], 2),
        (&["source", "add", "redmine:app"], 2),
        (&["source", "add", "github:acme"], 2),
        (&["source", "add", "github:acme/app", "--host", "http://git.acme.example"], 2),
        (&["source", "add", "acme/new", "--wiki"], 2),
        (&["sync", "no/such"], 1),
    ] {
        let run = run_command(args);
        assert_eq!(run.code, Some(code), "{args:?}: {}", run.err);
        assert!(run.err.contains("hint:"), "{args:?}: {}", run.err);
    }
}

#[test]
fn killed_sync_repeats_at_most_one_page() {
    let github = github(2_600, 1_900);
    let env = TestEnv::new();
    env.ok(&["source", "add", "github:acme/app", "--host", &github.host]);
    let mut kills = 0;
    for round in 0..6 {
        let mut child = env
            .command(&["sync", "--no-index"])
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // The kill depends on the number of responses, not on the clock, so it hits on every
        // machine.
        let target_count = github.world().page_count() + 3 + round;
        while github.world().page_count() < target_count && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        kills += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    env.ok(&["sync", "--no-index"]);
    assert!(kills >= 3, "only {kills} syncs were killed before they ended");
    let log = github.requests();
    let mut pages = std::collections::BTreeMap::<&str, u32>::new();
    for l in log.iter().filter(|l| l.address.contains("sort=updated") && l.status == 200) {
        *pages.entry(&l.address).or_default() += 1;
    }
    let repeats: u32 = pages.values().map(|n| n - 1).sum();
    // Every later sync without news requests the last page of a list again.
    assert!(repeats <= kills, "{repeats} pages were repeated after {kills} kills");
    let query = "SELECT (SELECT count(*) FROM documents), (SELECT count(*) FROM comments)";
    let counts: (u64, u64) =
        env.database().query_row(query, [], |r| Ok((r.get(0)?, r.get(1)?))).unwrap();
    assert_eq!(counts, (2_600, 1_900));
}

/// Syncs a complete archive of a real project.
///
/// Set `PRECEDENT_ARCHIVE` to a folder with `issues.jsonl.zst` and `comments.jsonl.zst` of
/// rust-lang/rust, and run it with `--run-ignored all`.
#[tokio::test]
#[ignore = "requires a large archive in PRECEDENT_ARCHIVE"]
async fn full_archive_then_a_busy_day() {
    let Ok(folder) = std::env::var("PRECEDENT_ARCHIVE") else {
        eprintln!("SKIPPED: PRECEDENT_ARCHIVE is not set");
        return;
    };
    let github = FakeGitHub::new("rust-lang/rust");
    github.world().validates_records = false;
    let mut violation_count = 0;
    for (file, schema) in [("issues.jsonl.zst", "issue"), ("comments.jsonl.zst", "issue-comment")] {
        let archive = std::fs::File::open(std::path::Path::new(&folder).join(file)).unwrap();
        let reader = std::io::BufReader::new(zstd::Decoder::new(archive).unwrap());
        for line in std::io::BufRead::lines(reader) {
            let line = line.unwrap();
            // Two records belong to another repository and share numbers with this one's.
            if !line.contains("/repos/rust-lang/rust/") {
                continue;
            }
            let value = serde_json::from_str(&line).unwrap();
            violation_count += violations(schema, &value).len();
            github.world().put_text(line);
        }
    }
    assert_eq!(violation_count, 0);
    let (items, comments) = github.content();
    let (items, comments) = (items.len() as u64, comments.len() as u64);

    let env = TestEnv::new();
    let casebook = Casebook::open(options(&env, None)).await.unwrap();
    casebook.add_tracker(github_source("rust-lang/rust", &github.host, false)).await.unwrap();
    let mirror = Mirror { env, time: Arc::default(), casebook };
    for has_page_numbers in [false, true] {
        github.world().has_page_numbers = has_page_numbers;
        let min_requests = items.div_ceil(100) + comments.div_ceil(100) + 2;
        let start = Instant::now();
        let report = mirror.sync(has_page_numbers).await;
        let elapsed = start.elapsed().as_secs_f64();
        eprintln!(
            "page numbers {has_page_numbers}: {items} items and {comments} comments in {elapsed:.1} s ({:.0}/s), {} requests (minimum: {min_requests})",
            (items + comments) as f64 / elapsed,
            report.requests
        );
        assert_eq!(report.problem, None);
        assert!(
            report.requests * 100 <= min_requests * 102,
            "{} of {min_requests}",
            report.requests
        );
        assert_equals_github(&mirror, &github);
    }

    for has_page_numbers in [false, true] {
        {
            let mut world = github.world();
            world.has_page_numbers = has_page_numbers;
            let (numbers, ids) = (world.numbers(), world.comment_ids());
            for k in 0..1_500 {
                world
                    .edit(numbers[k * 17 % numbers.len()], json!({"title": format!("Edited {k}")}));
                world.edit_comment(ids[k * 83 % ids.len()], &format!("Edited {k}"));
            }
        }
        let pages = github.world().page_count();
        edit_during_paging(&github, pages + 40);
        let start = Instant::now();
        let report = mirror.sync(false).await;
        eprintln!(
            "a busy day, page numbers {has_page_numbers}: {} updated in {:.1} s, {} requests",
            report.updated,
            start.elapsed().as_secs_f64(),
            report.requests
        );
        assert_eq!(report.problem, None);
        // Items edited after their list was read arrive with the next sync.
        github.world().after_page = None;
        let report = mirror.sync(false).await;
        assert_eq!(report.problem, None);
        assert_equals_github(&mirror, &github);
    }
}
