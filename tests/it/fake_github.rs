//! A fake GitHub that paginates, limits rates, redirects and fails like the real one, and validates
//! its responses against GitHub's own schemas.

#[path = "fake_github/discussions.rs"]
mod discussions;
#[path = "fake_github/writes.rs"]
mod writes;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State as Shared},
    http::{Method, StatusCode, Uri},
    response::Response,
};
use jiff::Timestamp;
use precedent_core::model::NewMirror;
use serde_json::{Value, json};

/// Returns the source `key` (`owner/name`) on the GitHub instance at `host`.
pub fn github_source(key: &str, host: &str, wiki: bool) -> NewMirror {
    let (place, host) = (key.to_owned(), Some(host.to_owned()));
    NewMirror { tracker: "github".to_owned(), place, host, key: None, wiki }
}

/// A fault that replaces the correct response.
#[derive(Clone, Debug)]
pub enum Fault {
    /// A response with this status, headers and body.
    Status(u16, Vec<(&'static str, String)>, Value),
    /// Half of the correct response, with the length of the whole.
    Disconnect,
    /// Half of the correct response, with its own length.
    Truncated,
    /// The correct response, with its second half after this delay.
    Slow(Duration),
    /// A redirect to another address, permanent or temporary.
    Redirect(u16, String),
    /// A sign-in page.
    Html,
}

/// A fault for `times` requests whose address contains `address`, after the first `skip` of them.
#[derive(Debug)]
struct FaultRule {
    address: &'static str,
    skip: u32,
    times: u32,
    fault: Fault,
}

/// A received request.
#[derive(Clone, Debug)]
pub struct LogEntry {
    pub method: String,
    pub address: String,
    pub status: u16,
    pub authorization: Option<String>,
}

#[derive(Clone)]
struct Row {
    json: Arc<str>,
    updated_at: i64,
    open: bool,
}

/// A list: its records by id, and in the order of their last change.
#[derive(Default)]
struct List {
    rows: BTreeMap<u64, Row>,
    order: BTreeSet<(i64, u64)>,
}

impl List {
    fn put(&mut self, id: u64, json: String, updated_at: i64, open: bool) {
        self.take(id);
        self.order.insert((updated_at, id));
        self.rows.insert(id, Row { json: json.into(), updated_at, open });
    }

    fn take(&mut self, id: u64) -> Option<Row> {
        let row = self.rows.remove(&id)?;
        self.order.remove(&(row.updated_at, id));
        Some(row)
    }
}

/// The fate of an item that no longer exists.
#[derive(Clone, Debug)]
pub enum Removal {
    Deleted,
    NoAccess,
    Transferred(Value),
}

type Hook = Box<dyn FnMut(&mut World, usize) + Send>;

/// The state of the server.
pub struct World {
    pub name: String,
    pub former_names: Vec<String>,
    pub id: u64,
    items: List,
    comments: List,
    reviews: List,
    /// GraphQL relations of closed issues: the canonical issue, and the closing item.
    pub relations: BTreeMap<u64, (Option<u64>, Option<u64>)>,
    /// `true` for an older server, which lacks the state reason `duplicate`.
    pub lacks_duplicate_reason: bool,
    removals: BTreeMap<u64, Removal>,
    /// The discussions, which are enabled if there are any.
    pub discussions: BTreeMap<u64, discussions::Discussion>,
    /// The releases, newest first.
    pub releases: Vec<Value>,
    /// The open milestones.
    pub milestones: Vec<Value>,
    pub tags: Vec<Value>,
    /// The error that answers every query for discussions, if any.
    pub discussions_error: Option<Value>,
    /// `true` if links use page numbers instead of cursors.
    pub has_page_numbers: bool,
    /// The number of records that page numbers can reach.
    pub page_limit: Option<usize>,
    /// The generation of valid cursors.
    pub generation: u32,
    /// The required token, if any.
    pub token: Option<String>,
    /// `true` if the token has only read access.
    pub read_only: bool,
    /// Lists that the token may not read.
    pub forbidden_lists: Vec<&'static str>,
    fault_rules: Vec<FaultRule>,
    pub log: Vec<LogEntry>,
    /// A hook called after each page of a list, with the number of pages so far.
    pub after_page: Option<Hook>,
    pages: usize,
    /// The time of the last edit; edits are a second apart.
    pub now: i64,
    /// Schema violations of responses.
    pub schema_violations: Vec<String>,
    /// `true` if the records of each response are validated.
    pub validates_records: bool,
    /// The responses to device sign-in requests.
    pub login_responses: Vec<Value>,
    /// The bodies of device sign-in requests.
    pub login_requests: Vec<String>,
    /// The folder of the wiki repositories.
    pub wiki: Option<std::path::PathBuf>,
    /// The delay of wiki responses.
    pub git_delay: Duration,
    /// The address to which wiki requests are redirected.
    pub git_redirect: Option<String>,
    base: String,
}

/// A server on a free local port that runs until it is dropped.
pub struct LocalServer(Option<tokio::runtime::Runtime>);

impl LocalServer {
    /// Starts the server that `app` builds for its address, in a runtime of its own.
    pub fn start(app: impl FnOnce(&str) -> Router) -> (String, Self) {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let host = format!("http://{}", listener.local_addr().unwrap());
        let app = app(&host);
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).unwrap();
            axum::serve(listener, app).await
        });
        (host, Self(Some(runtime)))
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

pub struct FakeGitHub {
    world: Arc<Mutex<World>>,
    pub host: String,
    _server: LocalServer,
}

/// The image at every address that ends with `.png`.
const PIXEL: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
    \0\0\0\nIDATx\x9cc\0\x01\0\0\x05\0\x01\r\n-\xb4\0\0\0\0IEND\xaeB`\x82";

/// 2026-06-01T00:00:00Z
pub const NOW: i64 = 1_780_272_000;

impl FakeGitHub {
    pub fn new(name: &str) -> Self {
        let world = World {
            name: name.to_owned(),
            former_names: Vec::new(),
            id: 4711,
            items: List::default(),
            comments: List::default(),
            reviews: List::default(),
            relations: BTreeMap::new(),
            lacks_duplicate_reason: false,
            removals: BTreeMap::new(),
            discussions: BTreeMap::new(),
            releases: Vec::new(),
            milestones: Vec::new(),
            tags: Vec::new(),
            discussions_error: None,
            has_page_numbers: false,
            page_limit: None,
            generation: 1,
            token: None,
            read_only: false,
            forbidden_lists: Vec::new(),
            fault_rules: Vec::new(),
            log: Vec::new(),
            after_page: None,
            pages: 0,
            now: NOW,
            schema_violations: Vec::new(),
            validates_records: true,
            login_responses: Vec::new(),
            login_requests: Vec::new(),
            wiki: None,
            git_delay: Duration::ZERO,
            git_redirect: None,
            base: String::new(),
        };
        let world = Arc::new(Mutex::new(world));
        let (host, server) =
            LocalServer::start(|_| Router::new().fallback(serve).with_state(Arc::clone(&world)));
        world.lock().unwrap().base = format!("{host}/api/v3");
        Self { world, host, _server: server }
    }

    pub fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the next `times` requests whose address contains `address` fail.
    pub fn fail(&self, address: &'static str, times: u32, fault: Fault) {
        self.fail_after(address, 0, times, fault);
    }

    pub fn fail_after(&self, address: &'static str, skip: u32, times: u32, fault: Fault) {
        self.world().fault_rules.push(FaultRule { address, skip, times, fault });
    }

    /// Returns the requests since the last call.
    pub fn requests(&self) -> Vec<LogEntry> {
        std::mem::take(&mut self.world().log)
    }

    /// Returns the issues and the comments.
    pub fn content(&self) -> (Records, Records) {
        let hash = |list: &List| {
            list.rows.iter().map(|(id, row)| (*id, fingerprint(row.json.as_bytes()))).collect()
        };
        let world = self.world();
        (hash(&world.items), hash(&world.comments))
    }
}

/// Records as (number or id, fingerprint).
pub type Records = Vec<(u64, String)>;

/// Returns the fingerprint that the store keeps: half of the BLAKE3 hash, in upper case.
pub fn fingerprint(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_uppercase()
}

pub fn iso_time(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap().to_string()
}

pub fn user(login: &str) -> Value {
    let url = format!("https://tracker.example/api/v3/users/{login}");
    let mut user = json!({
        "login": login, "id": 7, "node_id": "U_7", "type": "User", "site_admin": false, "gravatar_id": "",
        "avatar_url": "https://tracker.example/a.png", "html_url": format!("https://tracker.example/{login}"),
    });
    for name in [
        "url",
        "followers_url",
        "following_url",
        "gists_url",
        "starred_url",
        "subscriptions_url",
        "organizations_url",
        "repos_url",
        "events_url",
        "received_events_url",
    ] {
        user[name] = url.clone().into();
    }
    user
}

impl World {
    /// Returns the repository's address in records.
    fn api_url(&self) -> String {
        format!("{}/repos/{}", self.base, self.name)
    }

    /// Returns a complete issue in GitHub's shape.
    pub fn issue(&self, number: u64, title: &str, updated_at: i64) -> Value {
        let (api_url, text) =
            (self.api_url(), format!("What happens: {title}. What should happen: something else."));
        json!({
            "id": 100_000 + number, "node_id": format!("I_{number}"), "number": number, "title": title, "body": text,
            "url": format!("{api_url}/issues/{number}"), "repository_url": api_url,
            "labels_url": format!("{api_url}/issues/{number}/labels{{/name}}"),
            "comments_url": format!("{api_url}/issues/{number}/comments"),
            "events_url": format!("{api_url}/issues/{number}/events"),
            "html_url": format!("https://tracker.example/{}/issues/{number}", self.name),
            "user": user("ada"), "author_association": "NONE", "labels": [], "state": "open", "locked": false,
            "assignee": null, "assignees": [], "milestone": null, "comments": 0, "created_at": iso_time(NOW - 50_000_000),
            "updated_at": iso_time(updated_at), "closed_at": null, "state_reason": null,
        })
    }

    pub fn comment(&self, id: u64, number: u64, body: &str, updated_at: i64) -> Value {
        let api_url = self.api_url();
        json!({
            "id": id, "node_id": format!("IC_{id}"), "url": format!("{api_url}/issues/comments/{id}"),
            "html_url": format!("https://tracker.example/{}/issues/{number}#issuecomment-{id}", self.name),
            "issue_url": format!("{api_url}/issues/{number}"), "body": body, "user": user("grace"),
            "author_association": "MEMBER", "created_at": iso_time(updated_at), "updated_at": iso_time(updated_at),
        })
    }

    /// Returns a release in GitHub's shape.
    pub fn release(&self, tag: &str, notes: &str, published_at: i64) -> Value {
        json!({
            "url": format!("{}/releases/1", self.api_url()), "id": 1, "node_id": "RE_1", "tag_name": tag, "name": tag,
            "html_url": format!("https://tracker.example/{}/releases/tag/{tag}", self.name), "body": notes,
            "draft": false, "prerelease": false, "created_at": iso_time(published_at), "published_at": iso_time(published_at),
            "target_commitish": "main", "author": user("ada"), "assets": [],
        })
    }

    /// Returns an open milestone in GitHub's shape.
    pub fn milestone(&self, title: &str) -> Value {
        let url = format!("{}/milestones/1", self.api_url());
        json!({
            "url": url, "labels_url": format!("{url}/labels"), "id": 1, "node_id": "MI_1", "number": 1,
            "html_url": format!("https://tracker.example/{}/milestone/1", self.name), "title": title,
            "description": null, "state": "open", "creator": user("ada"), "open_issues": 1, "closed_issues": 0,
            "created_at": iso_time(NOW - 100), "updated_at": iso_time(NOW), "closed_at": null, "due_on": null,
        })
    }

    /// Adds a record without validation.
    pub fn put_unchecked(&mut self, record: &Value) {
        self.put_text(record.to_string());
    }

    /// Adds a record to its list.
    pub fn put(&mut self, record: &Value) {
        self.validate(schema_name(record), record);
        self.put_unchecked(record);
    }

    /// Adds a record byte for byte.
    pub fn put_text(&mut self, text: String) {
        let record: Value = serde_json::from_str(&text).unwrap();
        let updated_at: Timestamp = record["updated_at"].as_str().unwrap().parse().unwrap();
        let id = |name: &str| record[name].as_u64().unwrap();
        match schema_name(&record) {
            "issue" => self.items.put(
                id("number"),
                text,
                updated_at.as_second(),
                record["state"] == "open",
            ),
            "issue-comment" => self.comments.put(id("id"), text, updated_at.as_second(), true),
            _ => self.reviews.put(id("id"), text, updated_at.as_second(), true),
        }
    }

    pub fn review(&self, id: u64, number: u64, body: &str, updated_at: i64) -> Value {
        let api_url = self.api_url();
        let (url, pull) =
            (format!("{api_url}/pulls/comments/{id}"), format!("{api_url}/pulls/{number}"));
        let page = format!("https://tracker.example/{}/pull/{number}#discussion_r{id}", self.name);
        json!({
            "id": id, "node_id": format!("RC_{id}"), "url": url, "html_url": page, "pull_request_url": pull, "body": body,
            "pull_request_review_id": 1, "diff_hunk": "@@ -1 +1 @@", "path": "src/pump.rs", "commit_id": "aa",
            "original_commit_id": "aa", "user": user("grace"), "author_association": "MEMBER",
            "created_at": iso_time(updated_at), "updated_at": iso_time(updated_at),
            "_links": {"self": {"href": url}, "html": {"href": page}, "pull_request": {"href": pull}},
        })
    }

    /// Adds issues a second apart, with this number of comments in total.
    pub fn fill(&mut self, items: u64, comments: u64) {
        for number in 1..=items {
            let mut issue = self.issue(
                number,
                &format!("Trouble {number} with the pump"),
                NOW - 1_000_000 + number as i64,
            );
            issue["comments"] = (comments / items + u64::from(number <= comments % items)).into();
            self.put(&issue);
        }
        for id in 1..=comments {
            let number = (id - 1) % items + 1;
            let comment =
                self.comment(id, number, &format!("It is valve {id}."), NOW - 900_000 + id as i64);
            self.put(&comment);
        }
    }

    /// Edits an item at the current time.
    pub fn edit(&mut self, number: u64, changes: Value) {
        self.now += 1;
        let mut record: Value = serde_json::from_str(&self.items.rows[&number].json).unwrap();
        record["updated_at"] = iso_time(self.now).into();
        for (key, value) in changes.as_object().unwrap() {
            record[key] = value.clone();
        }
        self.put(&record);
    }

    /// Edits a comment at the current time.
    pub fn edit_comment(&mut self, id: u64, body: &str) {
        self.now += 1;
        let mut record: Value = serde_json::from_str(&self.comments.rows[&id].json).unwrap();
        record["updated_at"] = iso_time(self.now).into();
        record["body"] = body.into();
        self.put(&record);
    }

    pub fn remove(&mut self, number: u64, reason: Removal) {
        self.items.take(number).unwrap();
        self.removals.insert(number, reason);
    }

    pub fn remove_comment(&mut self, id: u64) {
        self.comments.take(id).unwrap();
    }

    /// Returns the number of list pages served so far.
    pub fn page_count(&self) -> usize {
        self.pages
    }

    pub fn numbers(&self) -> Vec<u64> {
        self.items.rows.keys().copied().collect()
    }

    pub fn comment_ids(&self) -> Vec<u64> {
        self.comments.rows.keys().copied().collect()
    }

    pub fn rename(&mut self, name: &str) {
        let former_name = std::mem::replace(&mut self.name, name.to_owned());
        for list in [&mut self.items, &mut self.comments, &mut self.reviews] {
            for row in list.rows.values_mut() {
                row.json = row
                    .json
                    .replace(&format!("/repos/{former_name}"), &format!("/repos/{name}"))
                    .into();
            }
        }
        self.former_names.push(former_name);
    }

    pub fn clear_faults(&mut self) {
        self.fault_rules.clear();
    }

    fn validate(&mut self, schema: &str, answer: &Value) {
        self.schema_violations.extend(violations(schema, answer));
    }

    fn repository(&self) -> Value {
        let api_url = self.api_url();
        let mut out = json!({
            "id": self.id, "node_id": "R_1", "name": self.name.split('/').nth(1), "full_name": self.name,
            "owner": user(self.name.split('/').next().unwrap()), "private": self.token.is_some(), "fork": false,
            "description": null, "html_url": format!("https://tracker.example/{}", self.name), "url": api_url,
            "has_downloads": false, "has_issues": true, "has_projects": false, "has_wiki": true, "has_pages": false,
            "has_discussions": !self.discussions.is_empty(),
            "homepage": null, "language": null, "archived": false, "disabled": false, "mirror_url": null,
            "license": null, "default_branch": "main", "created_at": iso_time(0), "updated_at": iso_time(NOW), "pushed_at": iso_time(NOW),
        });
        let names = "archive assignees blobs branches collaborators comments commits compare contents contributors \
            deployments downloads events forks git_commits git_refs git_tags hooks issue_comment issue_events \
            issues keys labels languages merges milestones notifications pulls releases stargazers statuses \
            subscribers subscription tags teams trees clone git ssh svn";
        for name in names.split(' ') {
            out[format!("{name}_url")] = format!("{api_url}/{name}").into();
        }
        for name in
            "forks forks_count open_issues open_issues_count size stargazers_count watchers watchers_count"
                .split(' ')
        {
            out[name] = 3.into();
        }
        out
    }
}

/// Returns the name of a record's schema.
fn schema_name(record: &Value) -> &'static str {
    match (record.get("issue_url"), record.get("pull_request_url")) {
        (Some(_), _) => "issue-comment",
        (_, Some(_)) => "pull-request-review-comment",
        _ => "issue",
    }
}

/// Returns the violations of a GitHub schema in a response.
pub fn violations(schema: &str, answer: &Value) -> Vec<String> {
    static VALIDATORS: OnceLock<BTreeMap<&'static str, jsonschema::Validator>> = OnceLock::new();
    let validators = VALIDATORS.get_or_init(|| {
        let text = include_str!("../fixtures/github/schemas.json");
        let mut schemas: Value = serde_json::from_str(text).unwrap();
        convert_nullable(&mut schemas);
        let names = [
            "issue",
            "issue-comment",
            "nullable-milestone",
            "pull-request-review-comment",
            "repository",
            "simple-user",
        ];
        names
            .into_iter()
            .map(|name| {
                let mut root = schemas.clone();
                root["$ref"] = format!("#/components/schemas/{name}").into();
                (name, jsonschema::options().should_validate_formats(true).build(&root).unwrap())
            })
            .collect()
    });
    validators[schema]
        .iter_errors(answer)
        .map(|e| format!("{schema} {}: {e}", e.instance_path()))
        .collect()
}

/// Converts `nullable: true` from OpenAPI 3.0 into JSON Schema's `type: [.., "null"]`.
fn convert_nullable(value: &mut Value) {
    match value {
        Value::Object(object) => {
            if object.remove("nullable") == Some(true.into()) {
                if let Some(Value::String(kind)) = object.get("type").cloned() {
                    object.insert("type".to_owned(), json!([kind, "null"]));
                }
                if let Some(Value::Array(words)) = object.get_mut("enum") {
                    words.push(Value::Null);
                }
                for key in ["allOf", "oneOf", "anyOf"] {
                    if let Some(alternatives) = object.remove(key) {
                        object.insert(
                            "anyOf".to_owned(),
                            json!([{ key: alternatives }, {"type": "null"}]),
                        );
                    }
                }
            }
            object.values_mut().for_each(convert_nullable);
        }
        Value::Array(items) => items.iter_mut().for_each(convert_nullable),
        _ => {}
    }
}

/// A response before it is sent.
struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Answer {
    fn new(status: u16, body: impl ToString) -> Self {
        Self { status, headers: Vec::new(), body: body.to_string() }
    }

    fn error(status: u16, message: &str) -> Self {
        Self::new(
            status,
            json!({"message": message, "documentation_url": "https://docs.github.com/rest", "status": status.to_string()}),
        )
    }
}

async fn serve(Shared(world): Shared<Arc<Mutex<World>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let header =
        |name: &str| parts.headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let (authorization, tag) = (header("authorization"), header("if-none-match"));
    let uri = parts.uri.clone();
    let address = uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let body_bytes = axum::body::to_bytes(body, 1 << 20).await.unwrap_or_default();
    if uri.path().contains(".wiki.git/") {
        let (root, token, delay, redirect) = {
            let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
            let method = parts.method.to_string();
            world.log.push(LogEntry { method, address: address.clone(), status: 0, authorization });
            (world.wiki.clone(), world.token.clone(), world.git_delay, world.git_redirect.clone())
        };
        tokio::time::sleep(delay).await;
        let mut answer = Response::new(Body::empty());
        if let Some(target) = redirect {
            *answer.status_mut() = StatusCode::FOUND;
            answer.headers_mut().insert("location", format!("{target}{address}").parse().unwrap());
            return answer;
        }
        let Some(root) = root else {
            *answer.status_mut() = StatusCode::NOT_FOUND;
            return answer;
        };
        return crate::git_http::serve(&root, token.as_deref(), &parts, &body_bytes).await;
    }
    if uri.path().ends_with(".png") {
        let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
        let method = parts.method.to_string();
        world.log.push(LogEntry { method, address, status: 200, authorization });
        return Response::new(Body::from(PIXEL));
    }
    let request_body = String::from_utf8_lossy(&body_bytes).into_owned();
    let (answer, fault) = {
        let mut world = world.lock().unwrap_or_else(PoisonError::into_inner);
        let fault = world.fault(&format!("{} {address}", parts.method));
        let mut answer = match &fault {
            Some(Fault::Status(status, headers, body)) => {
                Answer { status: *status, headers: headers.clone(), body: body.to_string() }
            }
            Some(Fault::Redirect(status, to)) => {
                let mut answer =
                    Answer::new(*status, json!({"message": "Moved Permanently", "url": to}));
                answer.headers.push(("location", to.clone()));
                answer
            }
            Some(Fault::Html) => Answer::new(200, "<!doctype html><title>Sign in</title>"),
            _ => world.answer(&parts.method, &uri, authorization.as_deref(), &request_body),
        };
        if answer.status == 200 && !matches!(fault, Some(Fault::Html)) {
            let etag = format!("W/\"{}\"", &fingerprint(answer.body.as_bytes())[..16]);
            if tag.as_ref() == Some(&etag) {
                answer = Answer::new(304, "");
            }
            answer.headers.push(("etag", etag));
        }
        let has_header = |n: &str| answer.headers.iter().any(|(name, _)| *name == n);
        if !has_header("x-ratelimit-remaining") {
            answer.headers.push(("x-ratelimit-limit", "5000".to_owned()));
            answer.headers.push(("x-ratelimit-remaining", "4999".to_owned()));
            answer.headers.push(("x-ratelimit-reset", (NOW + 3600).to_string()));
        }
        let method = parts.method.to_string();
        world.log.push(LogEntry {
            method,
            address: address.clone(),
            status: answer.status,
            authorization,
        });
        if answer.status == 200 && address.contains("sort=updated") {
            world.pages += 1;
            let pages = world.pages;
            if let Some(mut hook) = world.after_page.take() {
                hook(&mut world, pages);
                world.after_page = Some(hook);
            }
        }
        (answer, fault)
    };
    let mut response = Response::builder().status(StatusCode::from_u16(answer.status).unwrap());
    response = response.header("content-type", "application/json; charset=utf-8");
    for (name, value) in &answer.headers {
        response = response.header(*name, value);
    }
    let bytes = Bytes::from(answer.body);
    let half = bytes.slice(..bytes.len() / 2);
    match fault {
        Some(Fault::Truncated) => response.body(Body::from(half)).unwrap(),
        Some(Fault::Disconnect) => {
            let reset: Result<Bytes, std::io::Error> = Err(std::io::Error::other("cut"));
            let body =
                delayed_chunks(vec![(Duration::ZERO, Ok(half)), (Duration::from_millis(5), reset)]);
            response.header("content-length", bytes.len()).body(body).unwrap()
        }
        Some(Fault::Slow(wait)) => {
            let rest = bytes.slice(half.len()..);
            response
                .body(delayed_chunks(vec![(Duration::ZERO, Ok(half)), (wait, Ok(rest))]))
                .unwrap()
        }
        _ => response.body(Body::from(bytes)).unwrap(),
    }
}

/// Returns a body whose chunks are each sent after a delay.
fn delayed_chunks(chunks: Vec<(Duration, Result<Bytes, std::io::Error>)>) -> Body {
    Body::from_stream(futures_util::stream::unfold(chunks.into_iter(), async |mut chunks| {
        let (wait, chunk) = chunks.next()?;
        tokio::time::sleep(wait).await;
        Some((chunk, chunks))
    }))
}

impl World {
    /// Returns the fault for this request, if there is one.
    fn fault(&mut self, address: &str) -> Option<Fault> {
        let rule =
            self.fault_rules.iter_mut().find(|r| address.contains(r.address) && r.times > 0)?;
        if rule.skip > 0 {
            rule.skip -= 1;
            return None;
        }
        rule.times -= 1;
        Some(rule.fault.clone())
    }

    /// Returns the discussions or the closing relations of the requested issues.
    fn graphql(&mut self, body: &str) -> Answer {
        let request: Value = serde_json::from_str(body).unwrap();
        let query = request["query"].as_str().unwrap();
        if let Some(answer) = self.answer_discussions(query, &request["variables"]) {
            return answer;
        }
        if self.lacks_duplicate_reason && query.contains("duplicateOf") {
            let message = "Field 'duplicateOf' doesn't exist on type 'ClosedEvent'";
            return Answer::new(200, json!({"errors": [{"message": message}]}));
        }
        let item =
            |number: &u64| json!({"number": number, "repository": {"nameWithOwner": self.name}});
        let mut issues = serde_json::Map::new();
        for captures in
            regex::Regex::new(r"i(\d+): issue\(number: (\d+)\)").unwrap().captures_iter(query)
        {
            let number: u64 = captures[2].parse().unwrap();
            let (duplicate, closer) = self.relations.get(&number).copied().unwrap_or_default();
            let mut nodes = Vec::new();
            if self.lacks_duplicate_reason
                && let Some(canonical) = &duplicate
            {
                nodes.push(
                    json!({"__typename": "MarkedAsDuplicateEvent", "canonical": item(canonical)}),
                );
            }
            let mut event =
                json!({"__typename": "ClosedEvent", "closer": closer.as_ref().map(item)});
            if !self.lacks_duplicate_reason {
                event["duplicateOf"] = json!(duplicate.as_ref().map(item));
            }
            nodes.push(event);
            let issue = json!({"number": number, "timelineItems": {"nodes": nodes}});
            issues.insert(format!("i{}", &captures[1]), issue);
        }
        Answer::new(200, json!({"data": {"repository": issues}}))
    }

    fn answer(
        &mut self,
        method: &Method,
        uri: &Uri,
        authorization: Option<&str>,
        body: &str,
    ) -> Answer {
        if uri.path().starts_with("/login/") {
            self.login_requests.push(body.to_owned());
            return if self.login_responses.is_empty() {
                Answer::error(404, "Not Found")
            } else {
                Answer::new(200, self.login_responses.remove(0))
            };
        }
        if let Some(token) = &self.token {
            match authorization {
                None => return Answer::error(404, "Not Found"),
                Some(a) if *a != format!("Bearer {token}") => {
                    return Answer::error(401, "Bad credentials");
                }
                _ => {}
            }
        }
        if uri.path() == "/api/graphql" {
            return self.graphql(body);
        }
        let Some(path) = uri.path().strip_prefix("/api/v3/") else {
            return Answer::error(404, "Not Found");
        };
        let query: BTreeMap<String, String> =
            url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
                .into_owned()
                .collect();
        if path == "user" {
            let viewer = user("ada");
            self.validate("simple-user", &viewer);
            return Answer::new(200, viewer);
        }
        let by_id = format!("repositories/{}", self.id);
        let by_name = format!("repos/{}", self.name);
        let rest = path.strip_prefix(&by_id).or_else(|| path.strip_prefix(&by_name));
        let Some(rest) = rest.filter(|r| r.is_empty() || r.starts_with('/')) else {
            for former_name in &self.former_names {
                if let Some(rest) = path.strip_prefix(&format!("repos/{former_name}")) {
                    let query = uri.query().map(|q| format!("?{q}")).unwrap_or_default();
                    let target = format!("{}/{by_id}{rest}{query}", self.base);
                    let mut answer =
                        Answer::new(301, json!({"message": "Moved Permanently", "url": target}));
                    answer.headers.push(("location", target));
                    return answer;
                }
            }
            return Answer::error(404, "Not Found");
        };
        if let Some(path) = self.forbidden_lists.iter().find(|r| rest == **r) {
            return Answer::error(
                403,
                &format!("Resource not accessible by personal access token: {path}"),
            );
        }
        if *method != Method::GET {
            return self.write(method.as_str(), rest, body);
        }
        match rest {
            "" => {
                let repository = self.repository();
                self.validate("repository", &repository);
                Answer::new(200, repository)
            }
            "/issues" | "/issues/comments" | "/pulls/comments" => self.list(rest, &query),
            "/releases" | "/milestones" | "/tags" => self.release_list(rest, &query),
            _ => match rest.strip_prefix("/issues/comments/").and_then(|n| n.parse().ok()) {
                Some(id) => match self.comments.rows.get(&id) {
                    Some(row) => Answer::new(200, &row.json),
                    None => Answer::error(404, "Not Found"),
                },
                None => {
                    match rest.strip_prefix("/issues/").map(|n| (n.strip_suffix("/comments"), n)) {
                        Some((Some(number), _)) => number
                            .parse()
                            .map_or(Answer::error(404, "Not Found"), |n| self.thread(n)),
                        Some((None, number)) => number
                            .parse()
                            .map_or(Answer::error(404, "Not Found"), |n| self.issue_by_number(n)),
                        None => Answer::error(404, "Not Found"),
                    }
                }
            },
        }
    }

    fn issue_by_number(&self, number: u64) -> Answer {
        match (self.items.rows.get(&number), self.removals.get(&number)) {
            (Some(row), _) => Answer::new(200, &row.json),
            (None, Some(Removal::Deleted)) => Answer::error(410, "This issue was deleted"),
            (None, Some(Removal::Transferred(record))) => Answer::new(200, record),
            (None, _) => Answer::error(404, "Not Found"),
        }
    }

    fn list(&mut self, rest: &str, query: &BTreeMap<String, String>) -> Answer {
        let get = |name: &str| query.get(name).map(String::as_str);
        let size: usize = get("per_page").and_then(|n| n.parse().ok()).unwrap_or(30).clamp(1, 100);
        let page: usize = get("page").and_then(|n| n.parse().ok()).unwrap_or(1).max(1);
        if self.page_limit.is_some_and(|limit| page * size > limit) {
            return Answer::error(
                422,
                "In order to keep the API fast for everyone, pagination is limited for this resource.",
            );
        }
        let since: Option<i64> = match get("since").map(str::parse::<Timestamp>) {
            None => None,
            Some(Ok(since)) if since.as_second() > 0 => Some(since.as_second()),
            // GitHub answers the epoch with an empty list.
            Some(_) => return Answer::new(200, "[]"),
        };
        let (list, schema) = match rest {
            "/issues" => (&self.items, "issue"),
            "/issues/comments" => (&self.comments, "issue-comment"),
            _ => (&self.reviews, "pull-request-review-comment"),
        };
        let matches_state = |row: &Row| match get("state") {
            Some("all") => true,
            Some("open") | None => schema != "issue" || row.open,
            _ => !row.open,
        };
        let is_descending = get("direction") != Some("asc");
        let (mut rows, has_more): (Vec<(i64, u64)>, bool) =
            if get("sort") == Some("updated") && !is_descending {
                let start = match get("after").map(|c| self.decode(c)) {
                    Some(None) => {
                        return Answer::error(422, "The listed cursor is invalid or has expired.");
                    }
                    Some(Some((time, id))) => (time, id + 1),
                    None => (since.unwrap_or(i64::MIN), 0),
                };
                let skip = if get("after").is_some() { 0 } else { (page - 1) * size };
                let mut rows_after = list
                    .order
                    .range(start..)
                    .filter(|(_, id)| matches_state(&list.rows[id]))
                    .skip(skip);
                let rows: Vec<_> = rows_after.by_ref().take(size).copied().collect();
                let has_more = rows_after.next().is_some();
                (rows, has_more)
            } else {
                let mut rows: Vec<_> = list
                    .rows
                    .iter()
                    .filter(|(_, r)| matches_state(r))
                    .map(|(id, r)| (r.updated_at, *id))
                    .collect();
                if is_descending {
                    rows.reverse();
                }
                let has_more = rows.len() > page * size;
                (rows.into_iter().skip((page - 1) * size).take(size).collect(), has_more)
            };
        let body: Vec<Arc<str>> =
            rows.iter().map(|(_, id)| Arc::clone(&list.rows[id].json)).collect();
        let mut answer = Answer::new(200, format!("[{}]", body.join(",")));
        if has_more {
            let mut next: BTreeMap<String, String> = query.clone();
            if self.has_page_numbers || get("sort") != Some("updated") {
                next.insert("page".to_owned(), (page + 1).to_string());
            } else if let Some(last) = rows.pop() {
                next.insert(
                    "after".to_owned(),
                    format!("v{}:{}:{}", self.generation, last.0, last.1),
                );
            }
            let query: String =
                url::form_urlencoded::Serializer::new(String::new()).extend_pairs(next).finish();
            let address = format!("{}/repositories/{}{rest}?{query}", self.base, self.id);
            answer.headers.push(("link", format!("<{address}>; rel=\"next\"")));
        }
        if self.validates_records {
            let records: Vec<Value> = serde_json::from_str(&answer.body).unwrap();
            for record in records.iter().filter(|r| r.get("odd").is_none()) {
                self.validate(schema, record);
            }
        }
        answer
    }

    /// Returns a page of the releases, the open milestones or the tags.
    fn release_list(&mut self, rest: &str, query: &BTreeMap<String, String>) -> Answer {
        let number = |name: &str, default: usize| {
            query.get(name).and_then(|n| n.parse().ok()).unwrap_or(default)
        };
        let (size, page) = (number("per_page", 30).clamp(1, 100), number("page", 1).max(1));
        let rows = match rest {
            "/releases" => &self.releases,
            "/milestones" => &self.milestones,
            _ => &self.tags,
        };
        let total = rows.len();
        let rows: Vec<Value> = rows.iter().skip((page - 1) * size).take(size).cloned().collect();
        if rest == "/milestones" {
            rows.iter().for_each(|milestone| self.validate("nullable-milestone", milestone));
        }
        let mut answer = Answer::new(200, Value::Array(rows));
        if page * size < total {
            let address = format!(
                "{}/repositories/{}{rest}?per_page={size}&page={}",
                self.base,
                self.id,
                page + 1
            );
            answer.headers.push(("link", format!("<{address}>; rel=\"next\"")));
        }
        answer
    }

    fn decode(&self, cursor: &str) -> Option<(i64, u64)> {
        let mut parts = cursor.strip_prefix('v')?.split(':');
        let generation: u32 = parts.next()?.parse().ok()?;
        let position = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        (generation == self.generation).then_some(position)
    }
}
