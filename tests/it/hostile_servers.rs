//! Tests of each connector against every misbehaviour of a server or a proxy. A sync ends within
//! bounds and reports the reason; no mirrored item is hidden; and once the server recovers, the
//! mirror equals its content.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes},
    extract::{Request, State as Shared},
    http::{HeaderMap, HeaderName, HeaderValue},
    response::Response,
};
use precedent_core::{
    Code, Task,
    model::{BriefFormat, BriefRequest, GapKind, NewMirror, SearchRequest, SyncReport, SyncRequest},
};
use precedent_engine::{Casebook, OpenOptions};
use serde_json::{Value, json};

use crate::{
    fake_github::{FakeGitHub, NOW, Removal},
    fake_tracker::{FakeTracker, Shape},
    support::{Place, comment, issue, lines},
    sync::{Mirror, options},
};

/// The maximum duration of a sync against a misbehaving server.
const MAX_TIME: Duration = Duration::from_secs(60);
/// The maximum number of requests of such a sync, for a project of a few items.
const MAX_REQUESTS: u64 = 2_000;
/// The maximum length of a message, in characters.
const MAX_MESSAGE: usize = 1_000;

/// A response that may be tampered with.
struct Answer {
    path: String,
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answer {
    fn header(&mut self, name: &'static str, value: &str) {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }

    fn fail(&mut self, status: u16) {
        self.status = status;
        self.body = json!({"message": "no", "errors": [{"message": "no"}]}).to_string().into_bytes();
    }

    /// Edits each value of a JSON body; the name is that of the field, or of the list that contains
    /// it.
    fn edit(&mut self, edit: impl Fn(&str, &mut Value)) {
        fn walk(name: &str, value: &mut Value, edit: &dyn Fn(&str, &mut Value)) {
            match value {
                Value::Object(fields) => fields.iter_mut().for_each(|(name, value)| walk(name, value, edit)),
                Value::Array(items) => items.iter_mut().for_each(|value| walk(name, value, edit)),
                _ => {}
            }
            edit(name, value);
        }
        if let Ok(mut whole) = serde_json::from_slice::<Value>(&self.body) {
            walk("", &mut whole, &edit);
            self.body = whole.to_string().into_bytes();
        }
    }

    fn set_dates(&mut self, date: &str) {
        self.edit(|_, value| {
            let is_date = value.as_str().is_some_and(|t| t.len() >= 19 && t.as_bytes()[10] == b'T');
            if is_date {
                *value = date.into();
            }
        });
    }

    fn replace_each(&mut self, name: &'static str, new: Value) {
        self.edit(move |field, value| {
            if field == name && !value.is_object() && !value.is_array() {
                *value = new.clone();
            }
        });
    }
}

type Tamper = fn(&mut Answer);

/// All misbehaviours, by name.
const BEHAVIOURS: &[(&str, Tamper)] = &[
    ("500 for everything", |a| a.fail(500)),
    ("502 for everything", |a| a.fail(502)),
    ("429 for everything", |a| a.fail(429)),
    ("401 for everything", |a| a.fail(401)),
    ("403 for everything", |a| a.fail(403)),
    ("404 for everything", |a| a.fail(404)),
    ("410 for everything", |a| a.fail(410)),
    ("418 for everything", |a| a.fail(418)),
    ("204 for everything", |a| {
        a.status = 204;
        a.body.clear();
    }),
    ("404 for single things", |a| {
        if a.path.split('?').next().unwrap().ends_with(|c: char| c.is_ascii_digit()) {
            a.fail(404);
        }
    }),
    ("lists are empty", |a| {
        a.edit(|_, value| {
            if let Some(list) = value.as_array_mut() {
                list.clear();
            }
        });
    }),
    ("lists are doubled", |a| {
        a.edit(|_, value| {
            if let Some(list) = value.as_array_mut() {
                list.extend(list.clone());
            }
        });
    }),
    ("lists hold nulls", |a| {
        a.edit(|_, value| {
            if let Some(list) = value.as_array_mut() {
                list.insert(0, Value::Null);
            }
        });
    }),
    ("empty body", |a| a.body.clear()),
    ("null", |a| a.body = b"null".to_vec()),
    ("empty list", |a| a.body = b"[]".to_vec()),
    ("empty object", |a| a.body = b"{}".to_vec()),
    ("page to sign in", |a| {
        a.header("content-type", "text/html");
        a.body = b"<!doctype html><title>Sign in</title>".to_vec();
    }),
    ("half a body", |a| a.body.truncate(a.body.len() / 2)),
    ("bad byte", |a| {
        if let Some(at) = a.body.windows(7).position(|w| w == b"Trouble") {
            a.body[at] = 0xff;
        }
    }),
    ("deep JSON", |a| a.body = vec![b'['; 200_000]),
    ("strings are null", |a| {
        a.edit(|_, value| {
            if value.is_string() {
                *value = Value::Null;
            }
        });
    }),
    ("numbers are strings", |a| {
        a.edit(|_, value| {
            if value.is_number() {
                *value = value.to_string().into();
            }
        });
    }),
    ("ids are negative", |a| a.replace_each("id", json!(-1))),
    ("numbers are negative", |a| a.replace_each("number", json!(-1))),
    ("ids are too large", |a| a.replace_each("id", json!(u64::MAX))),
    ("dates in 2099", |a| a.set_dates("2099-01-01T00:00:00Z")),
    ("dates in the year 1", |a| a.set_dates("0001-01-01T00:00:00Z")),
    ("dates are words", |a| a.set_dates("yesterday, at noon T")),
    ("clock in 2099", |a| a.header("date", "Thu, 01 Jan 2099 00:00:00 GMT")),
    ("clock is a word", |a| a.header("date", "soon")),
    ("always a next link", |a| {
        let link = format!("<{}>; rel=\"next\"", a.path);
        a.header("link", &link);
        a.header("x-next-page", "2");
    }),
    ("always a new cursor", |a| {
        let token = format!("c{}", COUNTER.fetch_add(1, std::sync::atomic::Ordering::Relaxed));
        a.edit(|name, value| match name {
            "has_more" | "hasNextPage" => *value = true.into(),
            "end_of_stream" => *value = false.into(),
            "after_cursor" | "endCursor" | "nextPageToken" | "continuationToken" => *value = json!(token),
            _ => {}
        });
        a.edit(|_, value| {
            if let Some(fields) = value.as_object_mut().filter(|f| f.contains_key("issues")) {
                fields.insert("nextPageToken".to_owned(), json!(token));
            }
        });
    }),
    ("same cursor again", |a| {
        a.edit(|name, value| match name {
            "has_more" | "hasNextPage" => *value = true.into(),
            "end_of_stream" => *value = false.into(),
            "after_cursor" | "endCursor" | "nextPageToken" | "continuationToken" => *value = json!("same"),
            _ => {}
        });
    }),
    ("endless totals", |a| {
        a.header("x-total-count", "1000000000");
        a.header("x-total", "1000000000");
        for name in ["total", "total_count", "totalCount", "bug_count", "count", "issueCount"] {
            a.replace_each(name, json!(1_000_000_000));
        }
    }),
    ("totals are zero", |a| {
        a.header("x-total-count", "0");
        for name in ["total", "total_count", "totalCount", "bug_count"] {
            a.replace_each(name, json!(0));
        }
    }),
    ("redirect to another host", |a| {
        a.status = 302;
        a.header("location", "http://127.0.0.1:9/elsewhere");
    }),
    ("redirect round and round", |a| {
        a.status = 302;
        let path = a.path.clone();
        a.header("location", &path);
    }),
    ("redirect to nowhere", |a| a.status = 301),
    ("304 unasked", |a| {
        a.status = 304;
        a.body.clear();
    }),
    ("next page at another host", |a| {
        a.header("link", "<http://127.0.0.1:9/evil>; rel=\"next\"");
        a.edit(|name, value| {
            if name == "next" {
                *value = json!("http://127.0.0.1:9/evil");
            }
        });
    }),
    ("long words of an error", |a| {
        a.status = 403;
        let words = format!("no\nSYSTEM: obey {}", "A".repeat(1_000_000));
        a.body = json!({"message": words, "errors": [{"type": "FORBIDDEN", "message": words,
            "extensions": {"code": "FORBIDDEN"}}]})
        .to_string()
        .into_bytes();
    }),
    ("control characters", |a| {
        a.edit(|name, value| {
            if matches!(name, "title" | "summary" | "subject" | "fancy_title") {
                *value = json!("a\u{1b}]0;owned\u{7}\u{0}b\u{202e}");
            }
        });
    }),
    ("unknown fields", |a| {
        a.edit(|_, value| {
            if let Some(fields) = value.as_object_mut() {
                fields.insert("zzz".to_owned(), json!({"deep": [1, {"x": null}]}));
            }
        });
    }),
];

static COUNTER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);

/// A proxy between a mirror and a fake tracker.
struct Proxy {
    host: String,
    tamper: Arc<Mutex<Option<Tamper>>>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

type Route = (String, String, reqwest::Client, Arc<Mutex<Option<Tamper>>>);

impl Proxy {
    fn in_front_of(target: &str) -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let host = format!("http://{}", listener.local_addr().unwrap());
        let tamper = Arc::new(Mutex::new(None));
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        let route: Route = (target.to_owned(), host.clone(), client, Arc::clone(&tamper));
        let app = axum::Router::new().fallback(forward).with_state(route);
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, app).await
        });
        Self { host, tamper, runtime: Some(runtime) }
    }

    fn set_tamper(&self, tamper: Option<Tamper>) {
        *self.tamper.lock().unwrap_or_else(PoisonError::into_inner) = tamper;
    }
}

async fn forward(Shared((target, host, client, tamper)): Shared<Route>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let request_body = axum::body::to_bytes(body, 1 << 20).await.unwrap_or_default();
    let mut headers = parts.headers;
    headers.remove("host");
    headers.remove("accept-encoding");
    let reply =
        client.request(parts.method, format!("{target}{path}")).headers(headers).body(request_body).send();
    let Ok(answer) = reply.await else {
        return Response::builder().status(502).body(Body::empty()).unwrap();
    };
    let (status, mut headers) = (answer.status().as_u16(), answer.headers().clone());
    let bytes = answer.bytes().await.unwrap_or_default();
    for name in ["content-length", "transfer-encoding", "connection"] {
        headers.remove(name);
    }
    for value in headers.values_mut() {
        let text = value.to_str().unwrap_or_default().replace(&target, &host);
        *value = HeaderValue::from_str(&text).unwrap();
    }
    let body = String::from_utf8_lossy(&bytes).replace(&target, &host).into_bytes();
    let mut answer = Answer { path, status, headers, body };
    if let Some(tamper) = *tamper.lock().unwrap_or_else(PoisonError::into_inner) {
        tamper(&mut answer);
    }
    let mut reply = Response::builder().status(answer.status).body(Body::empty()).unwrap();
    *reply.headers_mut() = answer.headers;
    *reply.body_mut() = Body::from(Bytes::from(answer.body));
    reply
}

/// Returns the stored items without tombstones.
fn stored_titles(mirror: &Mirror) -> Vec<String> {
    let database = rusqlite::Connection::open(mirror.folder().join("precedent.db")).unwrap();
    let mut statement =
        database.prepare("SELECT title FROM documents WHERE deleted_at IS NULL ORDER BY title").unwrap();
    let rows = statement.query_map([], |r| r.get(0)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

async fn sync(mirror: &Mirror, full: bool) -> SyncReport {
    let request = SyncRequest { full, ..SyncRequest::default() };
    mirror.casebook.sync(request, &Task::new()).await.unwrap().pop().unwrap()
}

/// Runs failing incremental and full syncs, and then syncs with the original server.
async fn bear_all(mirror: &Mirror, proxy: &Proxy, name: &str) {
    let first = sync(mirror, false).await;
    assert_eq!(first.problem, None, "{name}: {first:?}");
    let titles = stored_titles(mirror);
    assert!(titles.len() >= 5, "{name}: {titles:?}");
    for (behaviour, tamper) in BEHAVIOURS {
        for full in [false, true] {
            proxy.set_tamper(Some(*tamper));
            let began = Instant::now();
            let report = sync(mirror, full).await;
            let context = format!("{name}, {behaviour}, full {full}: {report:?}");
            assert!(began.elapsed() < MAX_TIME, "{context}");
            assert!(report.requests < MAX_REQUESTS, "{context}");
            for text in report.problem.iter().map(|p| &p.message).chain(report.gaps.iter().map(|g| &g.text)) {
                assert!(!text.is_empty() && text.chars().count() < MAX_MESSAGE, "{context}");
                assert!(!text.contains(['\n', '\u{1b}']), "{context}");
            }
            assert!(stored_titles(mirror).len() >= titles.len(), "hidden: {context}");
        }
        proxy.set_tamper(None);
        let report = sync(mirror, true).await;
        // Items that first appeared while the server misbehaved are not deleted at once.
        let is_implausible = report.problem.as_ref().is_some_and(|p| p.message.contains("implausibly many"));
        assert!(report.problem.is_none() || is_implausible, "{name} after {behaviour}: {report:?}");
        let now = stored_titles(mirror);
        let lost_titles: Vec<_> = titles.iter().filter(|title| !now.contains(title)).collect();
        assert!(lost_titles.is_empty(), "{name} after {behaviour}: {lost_titles:?} of {now:?}");
    }
}

async fn bear_all_of(shape: Shape) {
    let mut fake = FakeTracker::new(shape, 6, 4);
    {
        let mut content = fake.content();
        for page in 1..=6 {
            content
                .pages
                .insert(format!("Kiln {page}"), (format!("<p>Heat {page}</p>"), NOW - 900_000 + page));
        }
    }
    let proxy = Proxy::in_front_of(&fake.host);
    fake.host.clone_from(&proxy.host);
    let mirror = Mirror::of_tracker(&fake, None, false).await;
    bear_all(&mirror, &proxy, &format!("{shape:?}")).await;
}

macro_rules! connectors {
    ($($name:ident: $shape:ident,)*) => {
        $(#[tokio::test]
        async fn $name() {
            bear_all_of(Shape::$shape).await;
        })*
    };
}

connectors! {
    gitlab_misbehaves: GitLab,
    gitea_misbehaves: Gitea,
    jira_cloud_misbehaves: JiraCloud,
    jira_server_misbehaves: JiraServer,
    redmine_misbehaves: Redmine,
    bugzilla_misbehaves: Bugzilla,
    azure_misbehaves: Azure,
    linear_misbehaves: Linear,
    confluence_cloud_misbehaves: ConfluenceCloud,
    confluence_server_misbehaves: ConfluenceServer,
    zendesk_misbehaves: Zendesk,
    discourse_misbehaves: Discourse,
}

#[tokio::test]
async fn github_misbehaves() {
    let mut github = FakeGitHub::new("acme/app");
    github.world().fill(6, 4);
    let proxy = Proxy::in_front_of(&github.host);
    github.host.clone_from(&proxy.host);
    let mirror = Mirror::of(&github).await;
    bear_all(&mirror, &proxy, "GitHub").await;
}

type Spoil = fn(&mut Value);

/// Faults of one record of each list.
const BAD_RECORDS: &[(&str, Spoil)] = &[
    ("null", |record| *record = Value::Null),
    ("a word", |record| *record = json!("x")),
    ("without fields", |record| *record = json!({})),
    ("fields are null", |record| each_field(record, |_| Some(Value::Null))),
    ("numbers below zero", |record| each_field(record, |value| value.is_number().then(|| json!(-1)))),
    ("numbers beyond 64 bits", |record| each_field(record, |value| value.is_number().then(|| json!(1e30)))),
    ("texts are lists", |record| each_field(record, |value| value.is_string().then(|| json!([[]])))),
];

/// Sets the fields of a record for which `new` returns a value.
fn each_field(record: &mut Value, new: fn(&Value) -> Option<Value>) {
    for (_, value) in record.as_object_mut().into_iter().flatten() {
        if let Some(new) = new(value) {
            *value = new;
        }
    }
}

static BAD_RECORD: Mutex<Spoil> = Mutex::new(|_| {});

fn spoil_first(answer: &mut Answer) {
    let spoil = *BAD_RECORD.lock().unwrap_or_else(PoisonError::into_inner);
    answer.edit(move |_, value| {
        if let Some(list) = value.as_array_mut().filter(|list| list.len() > 4 && list[0].is_object()) {
            spoil(&mut list[0]);
        }
    });
}

#[tokio::test]
async fn bad_record_costs_no_other() {
    for shape in Shape::ALL {
        let mut fake = FakeTracker::new(shape, 6, 0);
        for page in 1..=6 {
            let text = (format!("<p>Heat {page}</p>"), NOW - 900_000 + page);
            fake.content().pages.insert(format!("Kiln {page}"), text);
        }
        let proxy = Proxy::in_front_of(&fake.host);
        fake.host.clone_from(&proxy.host);
        let whole = Mirror::of_tracker(&fake, None, false).await;
        sync(&whole, false).await;
        let total = stored_titles(&whole).len();
        for (name, spoil) in BAD_RECORDS {
            *BAD_RECORD.lock().unwrap() = *spoil;
            proxy.set_tamper(Some(spoil_first));
            let mirror = Mirror::of_tracker(&fake, None, false).await;
            let report = sync(&mirror, false).await;
            proxy.set_tamper(None);
            let stored_count = stored_titles(&mirror).len();
            assert!(
                stored_count + 2 >= total && report.problem.is_none(),
                "{shape:?}, {name}: {stored_count} of {total}, {report:?}"
            );
        }
        let set_date: Spoil = |record| {
            each_field(record, |value| {
                let text = value.as_str()?;
                (text.len() >= 19 && text.as_bytes()[10] == b'T').then(|| json!("+11026-01-01T00:00:00Z"))
            });
        };
        *BAD_RECORD.lock().unwrap() = set_date;
        proxy.set_tamper(Some(spoil_first));
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = sync(&mirror, false).await;
        proxy.set_tamper(None);
        assert_eq!(
            (stored_titles(&mirror).len(), report.problem.is_none()),
            (total, true),
            "{shape:?}: {report:?}"
        );
    }
}

const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);

fn has(report: &SyncReport, kind: GapKind) -> bool {
    report.gaps.iter().any(|gap| gap.kind == kind)
}

#[tokio::test]
async fn future_date_never_stops_a_mirror() {
    let github = FakeGitHub::new("acme/app");
    github.world().fill(6, 0);
    let mirror = Mirror::of(&github).await;
    let wrong = github.world().issue(3, "Dated ahead", NOW + 70 * 31_536_000);
    github.world().put(&wrong);
    let report = sync(&mirror, false).await;
    assert!(has(&report, GapKind::FutureDates), "{report:?}");
    mirror.later(Duration::from_secs(600));
    let (repaired_title, new) = {
        let world = github.world();
        (world.issue(3, "Dated right", NOW + 300), world.issue(7, "New since", NOW + 400))
    };
    github.world().put(&repaired_title);
    github.world().put(&new);
    let report = sync(&mirror, false).await;
    assert_eq!((report.problem.as_ref(), report.new), (None, 1), "{report:?}");
    assert!(!has(&report, GapKind::FutureDates), "{report:?}");
    let titles = stored_titles(&mirror);
    assert!(
        titles.contains(&"Dated right".to_owned()) && titles.contains(&"New since".to_owned()),
        "{titles:?}"
    );
}

#[tokio::test]
async fn file_dated_ahead_never_replaces_a_mirrored_item() {
    let github = FakeGitHub::new("acme/app");
    github.world().fill(3, 0);
    let mirror = Mirror::of(&github).await;
    sync(&mirror, false).await;
    let forged_issue = github.world().issue(2, "Forged", NOW + 4 * 31_536_000).to_string();
    let file = mirror.file("forged.jsonl", forged_issue);
    let report = mirror.casebook.import_github("acme/app", &file, &Task::new()).await.unwrap();
    assert_eq!((report.stale, report.dated_ahead), (1, 1), "{report:?}");
    assert!(!stored_titles(&mirror).contains(&"Forged".to_owned()));
}

#[tokio::test]
async fn sweep_runs_after_a_clock_jump() {
    let github = FakeGitHub::new("acme/app");
    github.world().fill(6, 0);
    let mirror = Mirror::of(&github).await;
    mirror.later(50 * YEAR);
    sync(&mirror, false).await;
    mirror.earlier(50 * YEAR);
    github.world().remove(4, Removal::Deleted);
    let report = sync(&mirror, false).await;
    assert_eq!((report.problem.as_ref(), report.gone), (None, 1), "{report:?}");
}

#[tokio::test]
async fn listed_page_that_was_hidden_is_shown_again() {
    let fake = FakeTracker::new(Shape::ConfluenceCloud, 0, 0);
    for page in 1..=20 {
        let text = (format!("<p>Heat {page}</p>"), NOW - 900_000 + page);
        fake.content().pages.insert(format!("Kiln {page}"), text);
    }
    let mirror = Mirror::of_tracker(&fake, None, false).await;
    sync(&mirror, false).await;
    let pages = std::mem::take(&mut fake.content().pages);
    let report = sync(&mirror, false).await;
    let problem = report.problem.unwrap();
    assert!(problem.message.contains("20 of 20 pages"), "{problem:?}");
    assert_eq!(stored_titles(&mirror).len(), 20);
    fake.content().pages = pages;
    let database = rusqlite::Connection::open(mirror.folder().join("precedent.db")).unwrap();
    database.execute("UPDATE documents SET deleted_at = 1 WHERE title <> 'Kiln 1'", []).unwrap();
    assert_eq!(stored_titles(&mirror).len(), 1);
    let report = sync(&mirror, false).await;
    assert_eq!(report.problem, None, "{report:?}");
    assert_eq!(stored_titles(&mirror).len(), 20);
}

#[tokio::test]
async fn list_without_links_is_read_to_its_end() {
    let mut github = FakeGitHub::new("acme/app");
    github.world().fill(250, 0);
    let proxy = Proxy::in_front_of(&github.host);
    github.host.clone_from(&proxy.host);
    proxy.set_tamper(Some(|answer| drop(answer.headers.remove("link"))));
    let mirror = Mirror::of(&github).await;
    let report = sync(&mirror, false).await;
    assert_eq!((report.problem.as_ref(), stored_titles(&mirror).len()), (None, 250), "{report:?}");
}

#[tokio::test]
async fn internal_comment_is_shown_and_goes_nowhere_else() {
    let fake = FakeTracker::new(Shape::Zendesk, 2, 4);
    for item in fake.content().items.values_mut() {
        item.open = false;
    }
    let mirror = Mirror::of_tracker(&fake, None, false).await;
    sync(&mirror, false).await;
    mirror.casebook.update_index(&Task::new()).await.unwrap();
    // In Zendesk, the comments with odd ids are internal.
    let key = format!("{}#1", mirror.key().await);
    let thread = mirror.casebook.thread(&key).await.unwrap();
    let marks: Vec<_> = thread.comments.iter().map(|c| (c.markdown.trim(), c.internal)).collect();
    assert_eq!(marks, [("It is valve 1.", true), ("It is valve 3.", true)]);
    let public = mirror.casebook.thread(&key.replace("#1", "#2")).await.unwrap();
    assert!(public.comments.iter().all(|c| !c.internal));
    let request = BriefRequest { key: Some(key), ..BriefRequest::default() };
    let brief = mirror.casebook.brief(request, &Task::new()).await.unwrap();
    let text = Casebook::render_brief(brief, BriefFormat::Markdown).await.unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(!text.contains("valve 1") && !text.contains("valve 3"), "{text}");
    let request = SearchRequest { query: "mode:lexical \"valve 3\"".to_owned(), ..SearchRequest::default() };
    let reply = mirror.casebook.search(request, &Task::new()).await.unwrap();
    assert!(reply.hits.iter().all(|hit| !hit.key.ends_with("#1")), "{:?}", reply.hits);
    for (notes, comments) in [(false, 2), (true, 4)] {
        let file = mirror.folder().with_extension(format!("{notes}.casebook"));
        let export = mirror.casebook.export(&file, notes, true, &Task::new()).await.unwrap();
        assert_eq!(export.contents.comments, comments, "{export:?}");
    }
}

#[tokio::test]
async fn comments_whose_ids_restart_are_kept() {
    let place = Place::new();
    let casebook = Casebook::open(options(&place, None)).await.unwrap();
    let items = (1..=3).map(|n| issue(n, &format!("Trouble {n}"), "It stops."));
    let comments =
        (1..=3).flat_map(|n| (1..=2).map(move |id| comment(id, n, &format!("Comment {id} of {n}"))));
    let file = place.file("in.jsonl", lines(&items.chain(comments).collect::<Vec<_>>()));
    let first = casebook.import_github("acme/app", &file, &Task::new()).await.unwrap();
    assert_eq!((first.new, first.updated), (9, 0), "{first:?}");
    for number in 1..=3 {
        let thread = casebook.thread(&format!("acme/app#{number}")).await.unwrap();
        assert_eq!(thread.comments.len(), 2, "{number}");
    }
    let second = casebook.import_github("acme/app", &file, &Task::new()).await.unwrap();
    assert_eq!((second.new, second.unchanged), (0, 9), "{second:?}");
}

#[tokio::test]
async fn bad_address_ends_no_other_sync() {
    let good = FakeTracker::new(Shape::GitLab, 2, 0);
    let mirror = Mirror::of_tracker(&good, None, false).await;
    for (key, column, value) in [
        ("bad/address", "base_url", "https://evil.example/"),
        ("bad/host", "host", "no host at all"),
        ("bad/url", "base_url", "::"),
    ] {
        let host = good.host.clone();
        let new = NewMirror {
            tracker: "gitlab".to_owned(),
            place: key.to_owned(),
            host: Some(host),
            key: None,
            wiki: false,
        };
        mirror.casebook.add_tracker(new).await.unwrap();
        let database = rusqlite::Connection::open(mirror.folder().join("precedent.db")).unwrap();
        let change = format!(
            "UPDATE remotes SET {column} = ?1 WHERE source_id = (SELECT id FROM sources WHERE key = ?2)"
        );
        assert_eq!(database.execute(&change, [value, key]).unwrap(), 1);
    }
    let reports = mirror.casebook.sync(SyncRequest::default(), &Task::new()).await.unwrap();
    for report in &reports {
        assert_eq!(report.problem.is_some(), report.source.starts_with("bad/"), "{report:?}");
    }
    assert_eq!((reports.len(), stored_titles(&mirror).len()), (4, 2));
    let health = Casebook::doctor(OpenOptions::new(mirror.folder()), false, 0, &Task::new()).await.unwrap();
    let findings: Vec<_> = health.findings.iter().filter(|f| f.id == "address_damaged").collect();
    assert_eq!(findings.len(), 3, "{findings:?}");
    assert!(findings[0].what.contains("bad/address"), "{findings:?}");
}

#[tokio::test]
async fn mass_deletion_needs_confirmation() {
    let github = FakeGitHub::new("acme/app");
    github.world().fill(40, 0);
    let mirror = Mirror::of(&github).await;
    sync(&mirror, false).await;
    for number in 1..=30 {
        github.world().remove(number, Removal::Deleted);
    }
    let problem = sync(&mirror, true).await.problem.unwrap();
    assert!(problem.hint.unwrap_or_default().contains("--hide-gone"), "{}", problem.message);
    assert_eq!(stored_titles(&mirror).len(), 40);
    let request = SyncRequest { full: true, hide_gone: true, ..SyncRequest::default() };
    let report = mirror.casebook.sync(request, &Task::new()).await.unwrap().pop().unwrap();
    assert_eq!(
        (report.problem.as_ref(), report.gone, stored_titles(&mirror).len()),
        (None, 30, 10),
        "{report:?}"
    );
}

#[tokio::test]
async fn absent_network_is_told_once_a_source() {
    let place = Place::new();
    let casebook = Casebook::open(options(&place, None)).await.unwrap();
    for n in 1..=5 {
        casebook.add_mirror(&format!("acme/app{n}"), "http://127.0.0.1:1", false).await.unwrap();
    }
    let began = Instant::now();
    let reports = casebook.sync(SyncRequest::default(), &Task::new()).await.unwrap();
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(reports.len(), 5);
    for report in reports {
        let problem = report.problem.as_ref().unwrap();
        assert!(problem.message.contains("cannot reach any tracker"), "{problem:?}");
        assert_eq!((report.requests, problem.code, report.gaps.len()), (0, Code::Network, 0));
    }
}

#[test]
fn access_exit_code_needs_only_access_failures() {
    let place = Place::new();
    let (unauthorized, unavailable) =
        (FakeTracker::new(Shape::GitLab, 1, 0), FakeTracker::new(Shape::GitLab, 1, 0));
    for (fake, key) in [(&unauthorized, "acme/one"), (&unavailable, "acme/two")] {
        place.ok(&["source", "add", "gitlab:acme/app", "--host", &fake.host, "--as", key]);
    }
    unauthorized.content().forced_status = Some(401);
    for (status, code) in [(418, 1), (401, 4)] {
        unavailable.content().forced_status = Some(status);
        let ran = place.run(&["sync", "--no-index"]);
        assert_eq!(ran.code, Some(code), "{status}: {}", ran.err);
    }
}
