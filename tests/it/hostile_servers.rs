//! Tests of each connector against misbehaving servers and proxies. A sync ends within limits and
//! reports the reason, no mirrored item is hidden, and the mirror recovers with the server.

use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
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
    model::{BriefFormat, BriefRequest, GapKind, NewMirror, SearchRequest, SyncRequest},
};
use precedent_engine::{Casebook, OpenOptions};
use serde_json::{Value, json};

use crate::{
    fake_github::{FakeGitHub, LocalServer, NOW, Removal, github_source},
    fake_tracker::{FakeTracker, Shape},
    support::{TestEnv, comment, issue, json_lines},
    sync::{Mirror, has_gap, options},
};

/// The maximum duration of a sync against a misbehaving server.
const MAX_TIME: Duration = Duration::from_secs(60);
/// The maximum number of requests of such a sync, for a project of a few items.
const MAX_REQUESTS: u64 = 2_000;
/// The maximum length of a message, in characters.
const MAX_MESSAGE: usize = 1_000;

/// A response on its way through the proxy.
struct Answer {
    path: String,
    status: u16,
    headers: HeaderMap,
    body: Vec<u8>,
    flow: Flow,
}

/// The way a body is sent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Complete,
    /// One byte every 100 ms, without an end.
    Drip,
    /// As fast as possible, without an end.
    Endless,
    /// The first half, and then a closed connection.
    Disconnect,
    /// Nothing, on an open connection.
    Stalled,
}

impl Answer {
    fn header(&mut self, name: &'static str, value: &str) {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
    }

    fn fail(&mut self, status: u16) {
        self.status = status;
        self.body =
            json!({"message": "no", "errors": [{"message": "no"}]}).to_string().into_bytes();
    }

    /// Calls `edit` for each value of a JSON body, with the name of its field or list.
    fn edit(&mut self, edit: impl Fn(&str, &mut Value)) {
        fn visit(name: &str, value: &mut Value, edit: &dyn Fn(&str, &mut Value)) {
            match value {
                Value::Object(fields) => {
                    fields.iter_mut().for_each(|(name, value)| visit(name, value, edit))
                }
                Value::Array(items) => items.iter_mut().for_each(|value| visit(name, value, edit)),
                _ => {}
            }
            edit(name, value);
        }
        if let Ok(mut root) = serde_json::from_slice::<Value>(&self.body) {
            visit("", &mut root, &edit);
            self.body = root.to_string().into_bytes();
        }
    }

    /// Replaces a text in a body of any format.
    fn replace_text(&mut self, old: &str, new: &str) {
        self.body = String::from_utf8_lossy(&self.body).replace(old, new).into_bytes();
    }

    fn set_titles(&mut self, title: &str) {
        self.edit(|name, value| {
            if matches!(name, "title" | "summary" | "subject" | "fancy_title" | "System.Title") {
                *value = json!(title);
            }
        });
    }

    /// Replaces the body with 200 MB of spaces, compressed to 1 MB.
    fn set_bomb(&mut self) {
        use std::io::Write as _;
        static BOMB: OnceLock<Vec<u8>> = OnceLock::new();
        let bomb = BOMB.get_or_init(|| {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            for _ in 0..200 {
                encoder.write_all(&[b' '; 1 << 20]).unwrap();
            }
            encoder.finish().unwrap()
        });
        self.body.clone_from(bomb);
        self.header("content-encoding", "gzip");
    }

    fn edit_lists(&mut self, edit: impl Fn(&mut Vec<Value>)) {
        self.edit(|_, value| value.as_array_mut().into_iter().for_each(&edit));
    }

    /// Replaces each date with the result of `edit` for its first 19 characters.
    fn edit_dates(&mut self, edit: impl Fn(&str) -> String) {
        self.edit(|_, value| {
            if let Some(date) = value.as_str().filter(|text| is_date(text)) {
                *value = edit(&date[..19]).into();
            }
        });
    }

    fn set_fields(&mut self, name: &'static str, new_value: Value) {
        self.edit(move |field, value| {
            if field == name && !value.is_object() && !value.is_array() {
                *value = new_value.clone();
            }
        });
    }
}

fn is_date(text: &str) -> bool {
    text.len() >= 19 && text.as_bytes()[10] == b'T'
}

type Tamper = fn(&mut Answer);
type Behavior = (&'static str, Tamper);

/// The misbehaviors by name.
const BEHAVIORS: &[Behavior] = &[
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
    ("404 for single items", |a| {
        if a.path.split('?').next().unwrap().ends_with(|c: char| c.is_ascii_digit()) {
            a.fail(404);
        }
    }),
    ("lists are empty", |a| a.edit_lists(|list| list.clear())),
    ("lists are doubled", |a| a.edit_lists(|list| list.extend(list.clone()))),
    ("lists contain nulls", |a| a.edit_lists(|list| list.insert(0, Value::Null))),
    ("empty body", |a| a.body.clear()),
    ("null", |a| a.body = b"null".to_vec()),
    ("empty list", |a| a.body = b"[]".to_vec()),
    ("empty object", |a| a.body = b"{}".to_vec()),
    ("sign-in page", |a| {
        a.header("content-type", "text/html");
        a.body = b"<!doctype html><title>Sign in</title>".to_vec();
    }),
    ("half a body", |a| a.body.truncate(a.body.len() / 2)),
    ("bad byte", |a| {
        if let Some(i) = a.body.windows(7).position(|w| w == b"Trouble") {
            a.body[i] = 0xff;
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
    ("ids are negative", |a| a.set_fields("id", json!(-1))),
    ("numbers are negative", |a| a.set_fields("number", json!(-1))),
    ("ids are too large", |a| a.set_fields("id", json!(u64::MAX))),
    ("dates in 2099", |a| a.edit_dates(|_| "2099-01-01T00:00:00Z".to_owned())),
    ("dates in the year 1", |a| a.edit_dates(|_| "0001-01-01T00:00:00Z".to_owned())),
    ("dates are text", |a| a.edit_dates(|_| "yesterday, at noon T".to_owned())),
    ("clock in 2099", |a| a.header("date", "Thu, 01 Jan 2099 00:00:00 GMT")),
    ("clock is text", |a| a.header("date", "soon")),
    ("endless next links", |a| {
        let link = format!("<{}>; rel=\"next\"", a.path);
        a.header("link", &link);
        a.header("x-next-page", "2");
    }),
    ("endless new cursors", |a| {
        let token = format!("c{}", COUNTER.fetch_add(1, Ordering::Relaxed));
        a.edit(|name, value| match name {
            "has_more" | "hasNextPage" => *value = true.into(),
            "end_of_stream" => *value = false.into(),
            "after_cursor" | "endCursor" | "nextPageToken" | "continuationToken" => {
                *value = json!(token)
            }
            _ => {}
        });
        a.edit(|_, value| {
            if let Some(fields) = value.as_object_mut().filter(|f| f.contains_key("issues")) {
                fields.insert("nextPageToken".to_owned(), json!(token));
            }
        });
    }),
    ("repeated cursor", |a| {
        a.edit(|name, value| match name {
            "has_more" | "hasNextPage" => *value = true.into(),
            "end_of_stream" => *value = false.into(),
            "after_cursor" | "endCursor" | "nextPageToken" | "continuationToken" => {
                *value = json!("same")
            }
            _ => {}
        });
    }),
    ("endless totals", |a| {
        a.header("x-total-count", "1000000000");
        a.header("x-total", "1000000000");
        for name in ["total", "total_count", "totalCount", "bug_count", "count", "issueCount"] {
            a.set_fields(name, json!(1_000_000_000));
        }
    }),
    ("totals are zero", |a| {
        a.header("x-total-count", "0");
        for name in ["total", "total_count", "totalCount", "bug_count"] {
            a.set_fields(name, json!(0));
        }
    }),
    ("redirect to another host", |a| {
        a.status = 302;
        a.header("location", &format!("{}/elsewhere", other_host()));
    }),
    ("redirect loop", |a| {
        a.status = 302;
        let path = a.path.clone();
        a.header("location", &path);
    }),
    ("redirect to nowhere", |a| a.status = 301),
    ("unrequested 304", |a| {
        a.status = 304;
        a.body.clear();
    }),
    ("next page at another host", |a| {
        a.header("link", &format!("<{}/evil>; rel=\"next\"", other_host()));
        a.edit(|name, value| {
            if name == "next" {
                *value = json!(format!("{}/evil", other_host()));
            }
        });
    }),
    ("long error message", |a| {
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
    ("429 with an endless wait", |a| {
        a.fail(429);
        a.header("retry-after", "99999999999");
    }),
    ("503 with an endless wait", |a| {
        a.fail(503);
        a.header("retry-after", "99999999999");
    }),
    ("non-numeric waits", |a| {
        a.fail(429);
        a.header("retry-after", "Thu, 01 Jan 2099 00:00:00 GMT");
        a.header("x-ratelimit-reset", "soon");
    }),
    (UNPAGED, |a| {
        a.header("x-total-count", "1000000");
        a.header("x-next-page", "2");
        let link = format!(
            "<{}{}page=2>; rel=\"next\"",
            a.path,
            if a.path.contains('?') { '&' } else { '?' }
        );
        a.header("link", &link);
        for name in ["total", "total_count", "totalCount", "count"] {
            a.set_fields(name, json!(1_000_000));
        }
        a.edit(|name, value| match name {
            "has_more" | "hasNextPage" => *value = true.into(),
            "isLast" | "end_of_stream" => *value = false.into(),
            _ => {}
        });
    }),
    ("cursors go backwards", |a| {
        a.header("link", &format!("<{}>; rel=\"next\"", a.path.replace("page=2", "page=1")));
        a.header("x-next-page", "1");
        a.edit(|name, value| match name {
            "has_more" | "hasNextPage" => *value = true.into(),
            "isLast" | "end_of_stream" => *value = false.into(),
            "after_cursor" | "endCursor" | "nextPageToken" | "continuationToken" => {
                *value = json!("0")
            }
            "startAt" | "offset" | "start" => *value = json!(0),
            _ => {}
        });
    }),
    ("redirect to a file", |a| {
        a.status = 302;
        a.header("location", "file:///etc/passwd");
    }),
    ("error with status 200", |a| {
        a.body = json!({"errors": [{"message": "internal failure"}], "data": null})
            .to_string()
            .into_bytes();
    }),
    ("not JSON", |a| a.body = b"{\"items\": [1, 2,, ]".to_vec()),
    ("other content type", |a| a.header("content-type", "image/png")),
    ("byte order mark", |a| a.body.splice(0..0, *b"\xef\xbb\xbf").for_each(drop)),
    ("wrong compression", |a| a.header("content-encoding", "gzip")),
    ("compressed bomb", |a| a.set_bomb()),
    ("endless body", |a| a.flow = Flow::Endless),
    ("cut connection", |a| a.flow = Flow::Disconnect),
    ("objects are null", |a| {
        a.edit(|name, value| {
            if value.is_object() && !name.is_empty() {
                *value = Value::Null;
            }
        });
    }),
    ("objects are lists", |a| {
        a.edit(|name, value| {
            if value.is_object() && !name.is_empty() {
                *value = json!([]);
            }
        });
    }),
    ("lists are objects", |a| {
        a.edit(|_, value| {
            if value.is_array() {
                *value = json!({});
            }
        });
    }),
    ("ids have fractions", |a| {
        for name in ["id", "number", "iid"] {
            a.set_fields(name, json!(1.5));
        }
    }),
    ("ids are all the same", |a| {
        for name in ["id", "number", "iid", "key", "identifier"] {
            a.set_fields(name, json!(1));
        }
    }),
    ("numbers overflow", |a| a.replace_text(":1", ":1e999")),
    ("zones are impossible", |a| a.edit_dates(|date| format!("{date}+25:61"))),
    ("zones are half a day off", |a| a.edit_dates(|date| format!("{date}-12:00"))),
    ("titles of 300 KB", |a| a.set_titles(&"pump stops ".repeat(30_000))),
    ("titles are empty", |a| a.set_titles("")),
    ("deep field", |a| {
        a.edit(|_, value| {
            if let Some(fields) = value.as_object_mut() {
                let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
                fields.insert("zzz".to_owned(), deep);
            }
        });
    }),
    ("many headers", |a| {
        for n in 0..90 {
            a.headers.insert(
                HeaderName::from_bytes(format!("x-{n}").as_bytes()).unwrap(),
                HeaderValue::from_static("y"),
            );
        }
        a.header("x-long", &"y".repeat(100_000));
    }),
];

/// The behavior that removes the list position from requests.
const UNPAGED: &str = "paging is ignored";
/// The parameters that name a position in a list.
const POSITION_PARAMETERS: [&str; 11] = [
    "page",
    "offset",
    "startAt",
    "start",
    "cursor",
    "after",
    "nextPageToken",
    "continuationToken",
    "page[after]",
    "since",
    "updated_after",
];

/// The behaviors that every sync must report.
const REPORTED: &[&str] = &[
    "500 for everything",
    "502 for everything",
    "429 for everything",
    "401 for everything",
    "403 for everything",
    "404 for everything",
    "410 for everything",
    "418 for everything",
    "204 for everything",
    "empty body",
    "null",
    "sign-in page",
    "half a body",
    "deep JSON",
    "redirect to another host",
    "redirect loop",
    "redirect to nowhere",
    "redirect to a file",
    "long error message",
    "429 with an endless wait",
    "503 with an endless wait",
    "non-numeric waits",
    "error with status 200",
    "not JSON",
    "wrong compression",
    "compressed bomb",
    "endless body",
    "cut connection",
    "empty object",
    "empty list",
];

/// Returns the address of a server that no sync may contact.
fn other_host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let host = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for _ in listener.incoming() {
                VISITS.fetch_add(1, Ordering::Relaxed);
            }
        });
        host
    })
}

static VISITS: AtomicU64 = AtomicU64::new(0);
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A proxy between a mirror and a fake tracker.
struct Proxy {
    tamper: Arc<Mutex<Option<Behavior>>>,
    _server: LocalServer,
}

type Route = (String, String, reqwest::Client, Arc<Mutex<Option<Behavior>>>);

impl Proxy {
    /// Starts a proxy and replaces the address of its target with its own.
    fn start(target: &mut String) -> Self {
        let tamper = Arc::new(Mutex::new(None));
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        let (host, server) = LocalServer::start(|host| {
            let route: Route = (target.clone(), host.to_owned(), client, Arc::clone(&tamper));
            axum::Router::new().fallback(forward).with_state(route)
        });
        *target = host;
        Self { tamper, _server: server }
    }

    fn set_tamper(&self, tamper: Option<Tamper>) {
        self.set_behavior(tamper.map(|tamper| ("", tamper)));
    }

    fn set_behavior(&self, tamper: Option<Behavior>) {
        *self.tamper.lock().unwrap_or_else(PoisonError::into_inner) = tamper;
    }
}

async fn forward(
    Shared((target, host, client, tamper)): Shared<Route>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let behavior = *tamper.lock().unwrap_or_else(PoisonError::into_inner);
    let target_path = match behavior {
        Some((UNPAGED, _)) => without_position(&path),
        _ => path.clone(),
    };
    let request_body = axum::body::to_bytes(body, 1 << 20).await.unwrap_or_default();
    let mut headers = parts.headers;
    headers.remove("host");
    headers.remove("accept-encoding");
    let reply = client
        .request(parts.method, format!("{target}{target_path}"))
        .headers(headers)
        .body(request_body)
        .send();
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
    let mut answer = Answer { path, status, headers, body, flow: Flow::Complete };
    if let Some((_, tamper)) = behavior {
        tamper(&mut answer);
    }
    let mut reply = Response::builder().status(answer.status).body(Body::empty()).unwrap();
    *reply.headers_mut() = answer.headers;
    *reply.body_mut() = sent_body(answer.flow, answer.body);
    reply
}

/// Returns an address without its position in a list.
fn without_position(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let other_parameters = pairs.filter(|(name, _)| !POSITION_PARAMETERS.contains(&name.as_ref()));
    format!(
        "{path}?{}",
        url::form_urlencoded::Serializer::new(String::new())
            .extend_pairs(other_parameters)
            .finish()
    )
}

fn sent_body(flow: Flow, body: Vec<u8>) -> Body {
    use futures_util::stream;
    type Part = std::io::Result<Bytes>;
    match flow {
        Flow::Complete => Body::from(body),
        Flow::Drip => Body::from_stream(stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Some((Part::Ok(Bytes::from_static(b" ")), ()))
        })),
        Flow::Endless => {
            Body::from_stream(stream::repeat_with(|| Part::Ok(Bytes::from_static(&[b' '; 65_536]))))
        }
        Flow::Disconnect => {
            let half = Bytes::from(body[..body.len() / 2].to_vec());
            Body::from_stream(stream::iter([Ok(half), Err(std::io::Error::other("cut"))]))
        }
        Flow::Stalled => Body::from_stream(stream::pending::<Part>()),
    }
}

/// Returns the titles of the stored items without tombstones.
fn stored_titles(mirror: &Mirror) -> Vec<String> {
    let database = mirror.env.database();
    let mut statement = database
        .prepare("SELECT title FROM documents WHERE deleted_at IS NULL ORDER BY title")
        .unwrap();
    let rows = statement.query_map([], |r| r.get(0)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

/// Syncs under every misbehavior, incrementally and in full, and after each with the sound server.
async fn assert_survives_all(mirror: &Mirror, proxy: &Proxy, name: &str) {
    let first = mirror.sync(false).await;
    assert_eq!(first.problem, None, "{name}: {first:?}");
    let titles = stored_titles(mirror);
    assert!(titles.len() >= 5, "{name}: {titles:?}");
    for (behavior, tamper) in BEHAVIORS {
        for full in [false, true] {
            proxy.set_behavior(Some((*behavior, *tamper)));
            let start = Instant::now();
            let report = mirror.sync(full).await;
            let context = format!("{name}, {behavior}, full {full}: {report:?}");
            assert!(start.elapsed() < MAX_TIME, "{context}");
            assert!(report.requests < MAX_REQUESTS, "{context}");
            let problem = report.problem.as_ref().map(ToString::to_string);
            for text in problem.iter().chain(report.gaps.iter().map(|g| &g.hint.text)) {
                assert!(!text.is_empty() && text.chars().count() < MAX_MESSAGE, "{context}");
                assert!(!text.contains(['\n', '\u{1b}']), "{context}");
            }
            assert_eq!(VISITS.load(Ordering::Relaxed), 0, "another host was contacted: {context}");
            let is_reported = report.problem.is_some() || !report.gaps.is_empty();
            assert!(is_reported || !REPORTED.contains(behavior), "not reported: {context}");
            assert!(stored_titles(mirror).len() >= titles.len(), "hidden: {context}");
        }
        proxy.set_tamper(None);
        let report = mirror.sync(true).await;
        // Items that a misbehaving server added are not all deleted at once.
        let is_implausible =
            report.problem.as_ref().is_some_and(|p| p.to_string().contains("implausibly many"));
        assert!(report.problem.is_none() || is_implausible, "{name} after {behavior}: {report:?}");
        let current_titles = stored_titles(mirror);
        let lost_titles: Vec<_> =
            titles.iter().filter(|title| !current_titles.contains(title)).collect();
        assert!(
            lost_titles.is_empty(),
            "{name} after {behavior}: {lost_titles:?} of {current_titles:?}"
        );
    }
}

async fn test_connector(shape: Shape) {
    let mut fake = FakeTracker::new(shape, 6, 4);
    {
        let mut content = fake.content();
        for page in 1..=6 {
            content.pages.insert(
                format!("Kiln {page}"),
                (format!("<p>Heat {page}</p>"), NOW - 900_000 + page),
            );
        }
    }
    let proxy = Proxy::start(&mut fake.host);
    let mirror = Mirror::of_tracker(&fake, None, false).await;
    assert_survives_all(&mirror, &proxy, &format!("{shape:?}")).await;
}

macro_rules! connectors {
    ($($name:ident: $shape:ident,)*) => {
        $(#[tokio::test]
        async fn $name() {
            test_connector(Shape::$shape).await;
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
    let proxy = Proxy::start(&mut github.host);
    let mirror = Mirror::of_github(&github).await;
    assert_survives_all(&mirror, &proxy, "GitHub").await;
}

/// Returns a fake tracker of each shape and a fake GitHub, each behind a proxy.
fn fakes_behind_proxies() -> (Vec<(FakeTracker, Proxy)>, (FakeGitHub, Proxy)) {
    let trackers = Shape::ALL.map(|shape| {
        let mut fake = FakeTracker::new(shape, 6, 4);
        for page in 1..=6 {
            let text = (format!("<p>Trouble with the pump {page}</p>"), NOW - 900_000 + page);
            fake.content().pages.insert(format!("Trouble {page} with the pump"), text);
        }
        let proxy = Proxy::start(&mut fake.host);
        (fake, proxy)
    });
    let mut github = FakeGitHub::new("acme/app");
    github.world().fill(6, 4);
    let proxy = Proxy::start(&mut github.host);
    (trackers.into(), (github, proxy))
}

#[tokio::test]
async fn slow_response_ends_a_sync() {
    const LIMIT: Duration = Duration::from_secs(2);
    let (fakes, (github, github_proxy)) = fakes_behind_proxies();
    for flow in [|a: &mut Answer| a.flow = Flow::Drip, |a: &mut Answer| a.flow = Flow::Stalled] {
        let mut mirrors = Vec::new();
        for (fake, proxy) in &fakes {
            let mirror = Mirror::empty(fake.shape.default_token(), Some(LIMIT)).await;
            mirror.add(fake, false).await;
            mirrors.push((mirror, proxy));
        }
        let mirror = Mirror::empty(None, Some(LIMIT)).await;
        mirror.casebook.add_tracker(github_source("acme/app", &github.host, false)).await.unwrap();
        mirrors.push((mirror, &github_proxy));
        let mut titles_before = Vec::new();
        for (mirror, proxy) in &mirrors {
            proxy.set_tamper(None);
            let report = mirror.sync(false).await;
            assert_eq!(report.problem, None, "{report:?}");
            titles_before.push(stored_titles(mirror));
            proxy.set_tamper(Some(flow));
        }
        let start = Instant::now();
        let reports =
            futures_util::future::join_all(mirrors.iter().map(|(mirror, _)| mirror.sync(true)))
                .await;
        assert!(start.elapsed() < 10 * LIMIT, "{:?}", start.elapsed());
        for ((report, (mirror, _)), titles) in reports.iter().zip(&mirrors).zip(titles_before) {
            let problem = report.problem.as_ref().map(ToString::to_string).unwrap_or_default();
            assert!(problem.contains("took more than 2 seconds"), "{report:?}");
            assert_eq!(stored_titles(mirror), titles);
        }
    }
}

/// A token with every character that some tracker escapes.
const TOKEN: &str = "lin_api_canary+Tok=en&0123456789/xyz";

/// Returns the forms in which a server may echo the token.
fn token_forms() -> Vec<String> {
    use base64::Engine as _;
    let encode = |form: &dyn Fn(char) -> String| TOKEN.chars().map(form).collect::<String>();
    vec![
        TOKEN.to_owned(),
        encode(&|c| format!("\\u{:04x}", c as u32)),
        encode(&|c| {
            if c.is_alphanumeric() { c.to_string() } else { format!("\\u{:04X}", c as u32) }
        }),
        encode(&|c| if c.is_alphanumeric() { c.to_string() } else { format!("%{:02x}", c as u32) }),
        encode(&|c| if c.is_alphanumeric() { c.to_string() } else { format!("&#{};", c as u32) }),
        base64::engine::general_purpose::STANDARD.encode(TOKEN),
    ]
}

static ECHO: Mutex<String> = Mutex::new(String::new());

fn echo_token(answer: &mut Answer) {
    let echo = ECHO.lock().unwrap_or_else(PoisonError::into_inner).clone();
    answer.replace_text("with the pump", &echo);
}

fn refuse_with_token(answer: &mut Answer) {
    let echo = ECHO.lock().unwrap_or_else(PoisonError::into_inner).clone();
    answer.status = 403;
    answer.body =
        format!("{{\"message\": \"no: {echo}\", \"errors\": [{{\"message\": \"{echo}\"}}]}}")
            .into();
}

#[tokio::test]
async fn echoed_token_is_stored_by_no_connector() {
    let (fakes, (github, github_proxy)) = fakes_behind_proxies();
    let zendesk_login = "ada@acme.example:lin_api_canary+Tok=en&0123456789/xyz";
    for form in token_forms() {
        ECHO.lock().unwrap().clone_from(&form);
        for (fake, proxy) in
            fakes.iter().map(|(fake, proxy)| (Some(fake), proxy)).chain([(None, &github_proxy)])
        {
            proxy.set_tamper(None);
            let mirror = match fake {
                Some(fake) if fake.shape == Shape::Zendesk => {
                    Mirror::of_tracker(fake, Some(zendesk_login), false).await
                }
                Some(fake) => Mirror::of_tracker(fake, Some(TOKEN), false).await,
                None => Mirror::with_token(&github, Some(TOKEN)).await,
            };
            let context = format!("{:?}, {form}", fake.map(|fake| fake.shape));
            proxy.set_tamper(Some(echo_token));
            let report = mirror.sync(false).await;
            assert!(report.new > 0, "{context}: {report:?}");
            proxy.set_tamper(Some(refuse_with_token));
            let refused = mirror.sync(true).await;
            let output = format!("{report:?} {refused:?}");
            assert!(!output.contains(TOKEN) && !output.contains(&form), "{context}: {output}");
            for title in stored_titles(&mirror) {
                assert!(!title.contains(TOKEN) && !title.contains(&form), "{context}: {title}");
            }
            for file in ["precedent.db", "precedent.db-wal"] {
                let bytes = std::fs::read(mirror.env.casebook().join(file)).unwrap_or_default();
                let contains =
                    |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
                assert!(!contains(TOKEN) && !contains(&form), "{context}: {file}");
            }
        }
    }
}

type RecordFault = fn(&mut Value);

/// Faults in the first record of each list.
const BAD_RECORDS: &[(&str, RecordFault)] = &[
    ("null", |record| *record = Value::Null),
    ("a word", |record| *record = json!("x")),
    ("without fields", |record| *record = json!({})),
    ("fields are null", |record| replace_fields(record, |_| Some(Value::Null))),
    ("numbers below zero", |record| {
        replace_fields(record, |value| value.is_number().then(|| json!(-1)))
    }),
    ("numbers beyond 64 bits", |record| {
        replace_fields(record, |value| value.is_number().then(|| json!(1e30)))
    }),
    ("texts are lists", |record| {
        replace_fields(record, |value| value.is_string().then(|| json!([[]])))
    }),
];

/// Replaces the fields for which `replacement` returns a value.
fn replace_fields(record: &mut Value, replacement: fn(&Value) -> Option<Value>) {
    for (_, value) in record.as_object_mut().into_iter().flatten() {
        if let Some(new_value) = replacement(value) {
            *value = new_value;
        }
    }
}

static RECORD_FAULT: Mutex<RecordFault> = Mutex::new(|_| {});

fn damage_first_record(answer: &mut Answer) {
    let damage = *RECORD_FAULT.lock().unwrap_or_else(PoisonError::into_inner);
    answer.edit(move |_, value| {
        if let Some(list) =
            value.as_array_mut().filter(|list| list.len() > 4 && list[0].is_object())
        {
            damage(&mut list[0]);
        }
    });
}

#[tokio::test]
async fn bad_record_does_not_affect_others() {
    for shape in Shape::ALL {
        let mut fake = FakeTracker::new(shape, 6, 0);
        for page in 1..=6 {
            let text = (format!("<p>Heat {page}</p>"), NOW - 900_000 + page);
            fake.content().pages.insert(format!("Kiln {page}"), text);
        }
        let proxy = Proxy::start(&mut fake.host);
        let complete = Mirror::of_tracker(&fake, None, false).await;
        complete.sync(false).await;
        let total = stored_titles(&complete).len();
        for (name, damage) in BAD_RECORDS {
            *RECORD_FAULT.lock().unwrap() = *damage;
            proxy.set_tamper(Some(damage_first_record));
            let mirror = Mirror::of_tracker(&fake, None, false).await;
            let report = mirror.sync(false).await;
            proxy.set_tamper(None);
            let stored_count = stored_titles(&mirror).len();
            assert!(
                stored_count + 2 >= total && report.problem.is_none(),
                "{shape:?}, {name}: {stored_count} of {total}, {report:?}"
            );
        }
        let set_date: RecordFault = |record| {
            replace_fields(record, |value| {
                is_date(value.as_str()?).then(|| json!("+11026-01-01T00:00:00Z"))
            });
        };
        *RECORD_FAULT.lock().unwrap() = set_date;
        proxy.set_tamper(Some(damage_first_record));
        let mirror = Mirror::of_tracker(&fake, None, false).await;
        let report = mirror.sync(false).await;
        proxy.set_tamper(None);
        assert_eq!(
            (stored_titles(&mirror).len(), report.problem.is_none()),
            (total, true),
            "{shape:?}: {report:?}"
        );
    }
}

const YEAR: Duration = Duration::from_secs(365 * 24 * 3_600);

#[tokio::test]
async fn future_date_never_stops_a_mirror() {
    let github = FakeGitHub::new("acme/app");
    github.world().fill(6, 0);
    let mirror = Mirror::of_github(&github).await;
    let future = github.world().issue(3, "Dated ahead", NOW + 70 * 31_536_000);
    github.world().put(&future);
    let report = mirror.sync(false).await;
    assert!(has_gap(&report, GapKind::FutureDates), "{report:?}");
    mirror.advance_clock(Duration::from_secs(600));
    let (repaired_issue, new_issue) = {
        let world = github.world();
        (world.issue(3, "Dated right", NOW + 300), world.issue(7, "New since", NOW + 400))
    };
    github.world().put(&repaired_issue);
    github.world().put(&new_issue);
    let report = mirror.sync(false).await;
    assert_eq!((report.problem.as_ref(), report.new), (None, 1), "{report:?}");
    assert!(!has_gap(&report, GapKind::FutureDates), "{report:?}");
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
    let mirror = Mirror::of_github(&github).await;
    mirror.sync(false).await;
    let forged_issue = github.world().issue(2, "Forged", NOW + 4 * 31_536_000).to_string();
    let file = mirror.env.file("forged.jsonl", forged_issue);
    let report = mirror.casebook.import_github("acme/app", &file, &Task::new()).await.unwrap();
    assert_eq!((report.stale, report.dated_ahead), (1, 1), "{report:?}");
    assert!(!stored_titles(&mirror).contains(&"Forged".to_owned()));
}

#[tokio::test]
async fn sweep_runs_after_a_clock_jump() {
    let github = FakeGitHub::new("acme/app");
    github.world().fill(6, 0);
    let mirror = Mirror::of_github(&github).await;
    mirror.advance_clock(50 * YEAR);
    mirror.sync(false).await;
    mirror.turn_back_clock(50 * YEAR);
    github.world().remove(4, Removal::Deleted);
    let report = mirror.sync(false).await;
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
    mirror.sync(false).await;
    let pages = std::mem::take(&mut fake.content().pages);
    let report = mirror.sync(false).await;
    let problem = report.problem.unwrap();
    assert!(problem.to_string().contains("20 of 20 pages"), "{problem:?}");
    assert_eq!(stored_titles(&mirror).len(), 20);
    fake.content().pages = pages;
    let database = mirror.env.database();
    database.execute("UPDATE documents SET deleted_at = 1 WHERE title <> 'Kiln 1'", []).unwrap();
    assert_eq!(stored_titles(&mirror).len(), 1);
    let report = mirror.sync(false).await;
    assert_eq!(report.problem, None, "{report:?}");
    assert_eq!(stored_titles(&mirror).len(), 20);
}

#[tokio::test]
async fn list_without_links_is_read_to_its_end() {
    let mut github = FakeGitHub::new("acme/app");
    github.world().fill(250, 0);
    let proxy = Proxy::start(&mut github.host);
    proxy.set_tamper(Some(|answer| drop(answer.headers.remove("link"))));
    let mirror = Mirror::of_github(&github).await;
    let report = mirror.sync(false).await;
    assert_eq!((report.problem.as_ref(), stored_titles(&mirror).len()), (None, 250), "{report:?}");
}

#[tokio::test]
async fn internal_comment_is_shown_and_goes_nowhere_else() {
    let fake = FakeTracker::new(Shape::Zendesk, 2, 4);
    for item in fake.content().items.values_mut() {
        item.open = false;
    }
    let mirror = Mirror::of_tracker(&fake, None, false).await;
    mirror.sync(false).await;
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
    let request =
        SearchRequest { query: "mode:lexical \"valve 3\"".to_owned(), ..SearchRequest::default() };
    let reply = mirror.casebook.search(request, &Task::new()).await.unwrap();
    assert!(reply.hits.iter().all(|hit| !hit.key.ends_with("#1")), "{:?}", reply.hits);
    for (notes, comments) in [(false, 2), (true, 4)] {
        let file = mirror.env.casebook().with_extension(format!("{notes}.casebook"));
        let export = mirror.casebook.export(&file, notes, true, &Task::new()).await.unwrap();
        assert_eq!(export.contents.comments, comments, "{export:?}");
    }
}

#[tokio::test]
async fn comments_whose_ids_restart_are_kept() {
    let env = TestEnv::new();
    let casebook = Casebook::open(options(&env, None)).await.unwrap();
    let items = (1..=3).map(|n| issue(n, &format!("Trouble {n}"), "It stops."));
    let comments = (1..=3)
        .flat_map(|n| (1..=2).map(move |id| comment(id, n, &format!("Comment {id} of {n}"))));
    let file = env.file("in.jsonl", json_lines(&items.chain(comments).collect::<Vec<_>>()));
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
async fn bad_address_does_not_stop_other_syncs() {
    let fake = FakeTracker::new(Shape::GitLab, 2, 0);
    let mirror = Mirror::of_tracker(&fake, None, false).await;
    for (key, column, value) in [
        ("bad/address", "base_url", "https://evil.example/"),
        ("bad/host", "host", "no host at all"),
        ("bad/url", "base_url", "::"),
    ] {
        let host = fake.host.clone();
        let new_mirror = NewMirror {
            tracker: "gitlab".to_owned(),
            place: key.to_owned(),
            host: Some(host),
            key: None,
            wiki: false,
        };
        mirror.casebook.add_tracker(new_mirror).await.unwrap();
        let database = mirror.env.database();
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
    let health = Casebook::doctor(OpenOptions::new(mirror.env.casebook()), false, 0, &Task::new())
        .await
        .unwrap();
    let findings: Vec<_> = health.findings.iter().filter(|f| f.id == "address_damaged").collect();
    assert_eq!(findings.len(), 3, "{findings:?}");
    assert!(findings[0].what.contains("bad/address"), "{findings:?}");
}

#[tokio::test]
async fn mass_deletion_needs_confirmation() {
    let github = FakeGitHub::new("acme/app");
    github.world().fill(40, 0);
    let mirror = Mirror::of_github(&github).await;
    mirror.sync(false).await;
    for number in 1..=30 {
        github.world().remove(number, Removal::Deleted);
    }
    let problem = mirror.sync(true).await.problem.unwrap();
    assert!(problem.hint().unwrap().to_string().contains("--hide-deleted"), "{problem}");
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
async fn missing_network_is_reported_once_per_source() {
    let env = TestEnv::new();
    let casebook = Casebook::open(options(&env, None)).await.unwrap();
    for n in 1..=5 {
        casebook
            .add_tracker(github_source(&format!("acme/app{n}"), "http://127.0.0.1:1", false))
            .await
            .unwrap();
    }
    let start = Instant::now();
    let reports = casebook.sync(SyncRequest::default(), &Task::new()).await.unwrap();
    assert!(start.elapsed() < Duration::from_secs(5));
    assert_eq!(reports.len(), 5);
    for report in reports {
        let problem = report.problem.as_ref().unwrap();
        assert!(problem.to_string().contains("cannot reach any tracker"), "{problem:?}");
        assert_eq!((report.requests, problem.code(), report.gaps.len()), (0, Code::Network, 0));
    }
}

#[test]
fn access_exit_code_needs_only_access_failures() {
    let env = TestEnv::new();
    let (unauthorized, unavailable) =
        (FakeTracker::new(Shape::GitLab, 1, 0), FakeTracker::new(Shape::GitLab, 1, 0));
    for (fake, key) in [(&unauthorized, "acme/one"), (&unavailable, "acme/two")] {
        env.ok(&["source", "add", "gitlab:acme/app", "--host", &fake.host, "--as", key]);
    }
    unauthorized.content().forced_status = Some(401);
    for (status, code) in [(418, 1), (401, 4)] {
        unavailable.content().forced_status = Some(status);
        let run = env.run(&["sync", "--no-index"]);
        assert_eq!(run.code, Some(code), "{status}: {}", run.err);
    }
}
